"""How an array is used in its function, from tokens: whether its layout could change without
changing what another use means.

Goes in: a file's text and tokens, the array's declaration. Comes out: every use with its subscripts, or the
reason why its layout must stay. Never guesses: a use that is not a plain subscript with all indices
is a reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from kernlint.base.dataclass import dataclass
from kernlint.base.span import Span
from kernlint.source.tokens import Token
from kernlint.source_model import source_tokens
from kernlint.source_model.array_aliases import alias

NAMES_BEFORE_OPERATOR = ("return", "case", "else", "do", "throw", "goto", "new", "delete")
NO_TYPES = (*NAMES_BEFORE_OPERATOR, "sizeof", "and", "or", "not", "xor", "co_return")
# no pointer to a row's first element: its address, a loop over it, its first element itself
ROW_NOT_AFTER = (
    "&",
    ":",
    "*",
    ".",
    "->",
)
MEASURES = ("sizeof", "decltype")
ROW_BEFORE = (";", ",", ")", "+")
# functions that take the address of one element and keep it for themselves
ATOMICS = (
    "atomic",
    "atom_",
)


@dataclass(frozen=True, slots=True)
class Subscript:
    """What stands between two brackets."""

    span: Span
    text: str
    tokens: tuple[Token, ...]


@dataclass(frozen=True, slots=True)
class Use:
    """`array[…][…]`, or its declaration. `addressed`: its address is taken, by others than atomics;
    `is_row`: so is that of a whole row, without its column (`float *row = tile[r]`)."""

    span: Span  # of the name
    subscripts: tuple[Subscript, ...]
    addressed: bool = False
    is_row: bool = False

    @property
    def rows(self) -> tuple[Subscript, ...]:
        """The subscripts that say which row."""
        return self.subscripts if self.is_row else self.subscripts[:-1]


@dataclass(frozen=True, slots=True)
class Uses:
    declaration: Use
    others: tuple[Use, ...]


def uses(program: source_tokens.Written, declaration: Span, name: str, rank: int) -> Uses | str:
    """The declaration and all uses of array `name` of `rank` dimensions, or why its layout must
    stay."""
    tokens = program.tokens
    first, last = program.function_around(declaration)
    line = _macro_using(program.directives, name)
    if line:
        return f"`{name}` may be used by the macro on line {line}"
    directives = {id(token) for token in program.directives}
    declared: Use | None = None
    others: list[Use] = []
    for index in range(first, last):
        token = tokens[index]
        if (
            token.text != name
            or token.kind != "identifier"
            or _is_member(tokens, index)
            or id(token) in directives
        ):
            continue
        if declared is None and declaration.line <= token.span.line <= declaration.end_line:
            found = _declared(program, index, rank)
            if isinstance(found, str):
                return found
            declared = found
            continue
        reason = _reason(tokens, index, rank)
        if reason:
            return f"`{name}` {reason} on line {token.span.line}"
        use = _use(program, index, rank)
        if len(use.subscripts) < max(1, rank - 1):
            return f"`{name}` is used without all its subscripts on line {token.span.line}"
        others.append(
            replace(use, addressed=True, is_row=True) if len(use.subscripts) < rank else use
        )
    if declared is None:
        return f"the declaration of `{name}` is not where it is used"
    return Uses(declared, tuple(others))


def _declared(program: source_tokens.Written, index: int, rank: int) -> Use | str:
    """The declaration whose name is token `index`, with the extents that the name of a type brings;
    or why they must stay."""
    own, tokens = _use(program, index, rank), program.tokens
    if len(own.subscripts) == rank:
        return own
    named = alias(program, index)
    extents = (
        ()
        if named is None
        else tuple(subscripts(program, named.bracket, rank - len(own.subscripts)))
    )
    if named is None or len(own.subscripts) + len(extents) < rank:
        return f"the extents of `{tokens[index].text}` do not stand in its declaration"
    says = f"its rows are as long as `{named.name}` on line {named.line} says"
    if named.elsewhere:
        return f"{says}, which line {named.elsewhere} uses too"
    if not _is_alone(tokens, index, len(own.subscripts)):
        return f"{says}, as those of what is declared beside it"
    return replace(own, subscripts=(*own.subscripts, *extents))


def _macro_using(some: Sequence[Token], name: str) -> int:
    """The line of a macro that is called `name` or whose text holds it otherwise than as its own
    parameter's or a member's name; 0 where there is none. What other directives hold (`#include
    <name.h>`, `#if name`) names no variable."""
    starts = [
        i
        for i, token in enumerate(some)
        if token.text == "#" and (i == 0 or some[i - 1].line != token.line)
    ]
    for first, end in pairwise([*starts, len(some)]):
        macro = some[first:end]
        if [token.text for token in macro[1:2]] != ["define"] or name in _parameters(macro):
            continue
        found = (
            t
            for i, t in enumerate(macro)
            if t.text == name and t.kind == "identifier" and not _is_member(macro, i)
        )
        if token := next(found, None):
            return token.span.line
    return 0


def _parameters(macro: Sequence[Token]) -> list[str]:
    """The words between the brackets that stand right behind the name of a macro."""
    if len(macro) < 4 or macro[3].text != "(" or _apart(macro[2], macro[3]):
        return []
    return [token.text for token in macro[4 : closed(macro, 3)]]


def _apart(one: Token, other: Token) -> bool:
    """Whether anything stands between two tokens: a macro has parameters where nothing does."""
    return (one.span.end_line, one.span.end_column) != (other.span.line, other.span.column)


def closed(tokens: Sequence[Token], index: int) -> int:
    """The bracket that closes the one at `index`, whatever kind it is; the end where none does."""
    opening = tokens[index].text
    closing = {"(": ")", "[": "]", "{": "}"}[opening]
    depth = 0
    for position in range(index, len(tokens)):
        depth += (tokens[position].text == opening) - (tokens[position].text == closing)
        if depth == 0:
            return position
    return len(tokens)


def text_between(text: Sequence[str], span: Span) -> str:
    """`text`: by lines."""
    lines = list(text[span.line - 1 : span.end_line])
    lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = lines[0][span.column - 1 :]
    return "\n".join(lines)


def _is_member(tokens: Sequence[Token], index: int) -> bool:
    return index > 0 and tokens[index - 1].text in (".", "->", "::")


def _is_alone(tokens: Sequence[Token], index: int, rank: int) -> bool:
    """Whether a declaration of so many brackets declares its name only."""
    after = index + 1
    for _ in range(rank):
        after = closed(tokens, after) + 1
    return tokens[index - 1].text != "," and after < len(tokens) and tokens[after].text == ";"


def _use(program: source_tokens.Written, index: int, rank: int) -> Use:
    """The use whose name is token `index`, with up to `rank` subscripts."""
    tokens = program.tokens
    found = tuple(subscripts(program, index + 1, rank))
    after = index + 1
    for _ in found:
        after = closed(tokens, after) + 1
    addressed = (
        index > 0
        and tokens[index - 1].text == "&"
        and _is_prefix(tokens, index - 1)
        and not _updated(tokens, index - 1, after)
    )
    return Use(tokens[index].span, found, addressed)


def subscripts(program: source_tokens.Written, at: int, most: int) -> Iterator[Subscript]:
    """What stands in the brackets that begin with token `at`, of so many at most."""
    tokens = program.tokens
    for _ in range(most):
        last = closed(tokens, at) if at < len(tokens) and tokens[at].text == "[" else len(tokens)
        if last == len(tokens):
            return
        open_, close = tokens[at].span, tokens[last].span
        span = Span(open_.path, open_.end_line, open_.end_column, close.line, close.column)
        yield Subscript(
            span, text_between(program.text, span).strip(), tuple(tokens[at + 1 : last])
        )
        at = last + 1


def _reason(tokens: Sequence[Token], index: int, rank: int) -> str:
    """What is special about one use."""
    before = tokens[index - 1].text if index else ""
    measure = tokens[index - 2].text if before == "(" and index > 1 else before
    if measure in MEASURES:
        return f"is measured with {measure}"
    if _declares(tokens, index):
        return "is declared again"
    after = index + 1
    for left in range(rank, 0, -1):
        if after >= len(tokens) or tokens[after].text != "[":
            if (
                left == 1 < rank
                and before not in ROW_NOT_AFTER
                and tokens[after : after + 1]
                and tokens[after].text in ROW_BEFORE
            ):
                return ""
            return f"is used without all its subscripts{_cast(tokens, index)}"
        after = closed(tokens, after) + 1
    return ""


def _declares(tokens: Sequence[Token], index: int) -> bool:
    """Whether the name follows a type: `float tile[…]`, `float *tile`, `float4 &tile =`."""
    before = tokens[index - 1] if index else None
    if before is None:
        return False
    if before.kind == "identifier":
        return before.text not in NO_TYPES
    if before.text not in ("*", "&", ">") or index < 3:
        return False
    start, typed = tokens[index - 3].text, tokens[index - 2]
    return (
        start in (";", "{", "}", "const", "volatile", "__shared__")
        and typed.kind == "identifier"
        and typed.text not in NO_TYPES
    )


def _updated(tokens: Sequence[Token], ampersand: int, after: int) -> bool:
    """Whether the address goes to an atomic as its first argument, and to nobody else."""
    if (
        ampersand < 2
        or tokens[ampersand - 1].text != "("
        or after >= len(tokens)
        or tokens[after].text not in (",", ")")
    ):
        return False
    return tokens[ampersand - 2].text.startswith(ATOMICS)


def _cast(tokens: Sequence[Token], index: int) -> str:
    """ " through a cast to another type" where one stands before token `index`:
    `reinterpret_cast<…>(`, `(float4 *)`, `(float4 *)(`."""
    at = index - 1
    while at >= 0 and tokens[at].text == "(":
        at -= 1
    through = at >= 1 and tokens[at].text in (">", ")") and tokens[at - 1].text == "*"
    return " through a cast to another type" if through else ""


def _is_prefix(tokens: Sequence[Token], index: int) -> bool:
    """Whether an operator stands before its only operand."""
    before = tokens[index - 1] if index else None
    if before is None or before.text in NAMES_BEFORE_OPERATOR:
        return True
    if before.text == ")":
        return _casts(tokens, index - 1)
    return before.kind == "punctuator" and before.text != "]"


def _casts(tokens: Sequence[Token], close: int) -> bool:
    """Whether the parentheses that end at `close` may be a cast: a type's words, which no call's
    name stands before."""
    depth, first = 0, close
    for first in range(close, -1, -1):
        depth += (tokens[first].text == ")") - (tokens[first].text == "(")
        if depth == 0:
            break
    before = tokens[first - 1] if first else None
    if before is not None and (
        before.text in (")", "]") or (before.kind == "identifier" and before.text not in NO_TYPES)
    ):
        return False
    inside = tokens[first + 1 : close]
    return bool(inside) and all(
        one.kind == "identifier" or one.text in ("*", "::", "<", ">", "&") for one in inside
    )
