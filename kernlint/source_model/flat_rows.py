"""Rows in the index of a flat array: `s[row * PITCH + column]`, the same pitch in every use.

Goes in: the uses of an array of one dimension. Comes out: the pitch with every token that says it
and what is left of each index without its row, or why there is none. The pitch is a number, or a
macro or constant that is one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from math import prod
from types import MappingProxyType

from kernlint.base.dataclass import dataclass
from kernlint.base.span import Span
from kernlint.source.tokens import Token
from kernlint.source_model import source_tokens
from kernlint.source_model.array_uses import Subscript, Uses, closed

LOOSER = (
    "<<",
    ">>",
    "&",
    "|",
    "^",
    "&&",
    "||",
    "?",
    ":",
    ",",
    "<",
    ">",
    "<=",
    ">=",
    "==",
    "!=",
    "=",
    "+=",
    "-=",
    "++",
    "--",
)  # than a sum
TIGHT = ("/", "%")  # as tight as a product
Tokens = Sequence[Token]
NOTHING: Mapping[str, int] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Term:
    """One term of a sum; `is_less`: it is taken off."""

    tokens: Tokens
    is_less: bool = False

    @property
    def factors(self) -> list[Tokens]:
        """Of a product, of which all up to the last division is one; nothing where it is taken
        off."""
        parts = [] if self.is_less else _split(self.tokens, "*")
        divided = max((i for i, part in enumerate(parts) if _holds(part, TIGHT)), default=0)
        whole = [
            token
            for token in self.tokens
            if any(token is one for part in parts[: divided + 1] for one in part)
        ]
        return [whole, *parts[divided + 1 :]] if parts else []


@dataclass(frozen=True, slots=True)
class Pitch:
    """`text`: as every use spells it; `tokens`: those that say it in the uses; `columns`: of each
    use what is left without its row; `extent`: the token of the declaration that says it, None
    where that is a number of `rows` times the pitch."""

    text: str
    number: int
    tokens: tuple[Token, ...]
    columns: tuple[str, ...]
    extent: Token | None
    rows: int


@dataclass(frozen=True, slots=True)
class Named:
    """The pitch that all uses of an array name, and their indices as sums."""

    text: str
    number: int
    sums: tuple[list[Term], ...]

    @property
    def count(self) -> int:
        """In how many of them."""
        return sum(any(self.text in _names(term) for term in some) for some in self.sums)


def named(
    program: source_tokens.Written,
    uses: Uses,
    elements: int = 0,
    given: Mapping[str, int] = NOTHING,
) -> Named | str:
    """`elements`: how many the array has, where that is known; `given`: the kernel's template
    arguments."""
    sums = []
    for use in uses.others:
        some = terms(use.subscripts[0].tokens)
        if some is None:
            return f"its index on line {use.span.line} is not written as row * pitch + column"
        sums.append(some)
    products = [[_names(term) for term in some] for some in sums]
    numbers = {
        text: number
        for some in products
        for names in some
        for text in names
        if (number := _number(text, program)) is not None
    }
    arguments = {
        text: given[text]
        for some in products
        for names in some
        for text in names
        if text in given and source_tokens.is_template_parameter(program, text)
    }
    extent = _from_extent(program, uses.declaration.subscripts[0], elements)
    known = {**numbers, **extent, **arguments}
    long = {text for text, number in known.items() if number > 1}
    told = [long.intersection(chain.from_iterable(some)) for some in products]
    common = set.intersection(*(some for some in told if some)) if any(told) else set()
    if not common:
        return "its uses do not all name one pitch of rows, as a number or a constant that is one"
    text = max(common, key=lambda one: known[one])
    return Named(text, known[text], tuple(sums))


def pitch(
    program: source_tokens.Written, uses: Uses, elements: int, given: Mapping[str, int] = NOTHING
) -> Pitch | str:
    """`elements`: how many the array has; `given`: the kernel's template arguments."""
    own = named(program, uses, elements, given)
    if isinstance(own, str):
        return own
    text, number, sums = own.text, own.number, own.sums
    extent = _in_extent(uses.declaration.subscripts[0], text)
    if elements % number or (
        extent is None and not uses.declaration.subscripts[0].text.isdecimal()
    ):
        return f"its extent `{uses.declaration.subscripts[0].text}` is not rows times the pitch `{text}` of its uses"
    found: list[Token] = []
    columns: list[str] = []
    for sum_ in sums:
        rows = [term for term in sum_ if text in _names(term)]
        if len(rows) > 1:
            return f"its index holds the pitch `{text}` in two terms"
        found += [
            factor[0]
            for term in rows
            for factor in map(_plain, term.factors)
            if [t.text for t in factor] == [text]
        ][:1]
        columns.append(_written([term for term in sum_ if term not in rows]))
    return Pitch(text, number, tuple(found), tuple(columns), extent, elements // number)


def terms(tokens: Tokens) -> list[Term] | None:
    """The terms of a sum, those in brackets of their own among them; None where it is no sum."""
    tokens = _plain(_joined(tokens))
    depths = _depths(tokens)
    if not tokens or _holds(tokens, LOOSER):
        return None
    found: list[Term] = []
    start, is_less = 0, False
    for i in range(len(tokens) + 1):
        is_inside = i < len(tokens) and (depths[i] > 0 or tokens[i].text not in ("+", "-"))
        if is_inside or (i == start and i < len(tokens)):
            continue
        part = tokens[start:i]
        inner = terms(part) if not is_less and part and part != _plain(part) else None
        found += inner or [Term(part, is_less)]
        is_less = i < len(tokens) and tokens[i].text == "-"
        start = i + 1
    return found


def _holds(tokens: Tokens, words: Sequence[str]) -> bool:
    """Whether one of the words stands outside of brackets."""
    return any(
        token.text in words
        for token, depth in zip(tokens, _depths(tokens), strict=True)
        if depth == 0
    )


def _plain(tokens: Tokens) -> Tokens:
    """Without brackets around the whole."""
    while len(tokens) > 2 and tokens[0].text == "(" and closed(tokens, 0) == len(tokens) - 1:
        tokens = tokens[1:-1]
    return tokens


def _depths(tokens: Tokens) -> list[int]:
    """How many brackets stand open around each token."""
    found, depth = [], 0
    for token in tokens:
        depth -= token.text in (")", "]", "}")
        found.append(depth + (token.text in (")", "]", "}", "(", "[", "{")))
        depth += token.text in ("(", "[", "{")
    return found


def _split(tokens: Tokens, at: str) -> list[Tokens]:
    found, start = [], 0
    for i, depth in enumerate([*_depths(tokens), 0]):
        if i == len(tokens) or (depth == 0 and tokens[i].text == at):
            found.append(tokens[start:i])
            start = i + 1
    return found


def _names(term: Term) -> list[str]:
    """The factors of a product that are one word or number each."""
    factors = [_plain(factor) for factor in term.factors]
    return [factor[0].text for factor in factors if len(factor) == 1] if len(factors) > 1 else []


def _number(text: str, program: source_tokens.Written) -> int | None:
    digits = text.rstrip("uUlL")
    if digits.isdecimal():
        return int(digits)
    return source_tokens.number(program, text.rpartition("::")[2])


def _from_extent(
    program: source_tokens.Written, extent: Subscript, elements: int
) -> Mapping[str, int]:
    """The name of a constant in an extent that is a product of it and of numbers, with the value
    that this gives it; of `N * N` the root."""
    names = _names(Term(_plain(_joined(extent.tokens))))
    numbers = [number for name in names if (number := _number(name, program)) is not None]
    factors = _split(_plain(extent.tokens), "*")
    rest = [name for name in names if _number(name, program) is None]
    if len({*rest}) != 1 or len(factors) != len(names):
        return {}
    power, left = divmod(elements, prod(numbers))
    value = round(power ** (1 / len(rest)))
    known = not left and value > 0 and value ** len(rest) == power
    return {rest[0]: value} if known and source_tokens.is_constant_name(program, rest[0]) else {}


def _joined(tokens: Tokens) -> Tokens:
    """With qualified names as one token each."""
    found: list[Token] = []
    for token in tokens:
        before = found[-1] if found else None
        if before is not None and "::" in (token.text, before.text[-2:]):
            place, end = before.span, token.span
            span = Span(
                place.path, place.line, place.column, end.end_line, end.end_column, place.macro
            )
            text = before.text + token.text
            found[-1] = Token(before.kind, text, span, None, before.space_before)
        else:
            found.append(token)
    return found


def _in_extent(extent: Subscript, text: str) -> Token | None:
    """The factor of the extent that is the pitch, the last of several."""
    factors = [_plain(factor) for factor in Term(_plain(_joined(extent.tokens))).factors]
    found = [factor[0] for factor in factors if len(factor) == 1 and factor[0].text == text]
    return found[-1] if found and len(factors) > 1 else None


def _written(some: Sequence[Term]) -> str:
    text = ""
    for term in some:
        sign = "-" if term.is_less else "+"
        text += (f" {sign} " if text else "-" if term.is_less else "") + _spelled(term.tokens)
    return text or "0"


def _spelled(tokens: Tokens) -> str:
    """The tokens apart by blanks where the source has any."""
    return "".join(
        f" {token.text}" if token.space_before and i else token.text
        for i, token in enumerate(tokens)
    )
