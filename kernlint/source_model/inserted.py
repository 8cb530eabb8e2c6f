"""Edits that put a statement between two, give a launch an argument, or guard a statement.

Goes in: the tokens of a program, places in it. Comes out: edits; None where the text does not surely
say what they would do.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise

from kernlint.base.dataclass import dataclass
from kernlint.base.span import Span
from kernlint.model.finding import Edit
from kernlint.source.tokens import Token
from kernlint.source_model import statements
from kernlint.source_model.array_uses import closed
from kernlint.source_model.source_tokens import DECLARING, Written
from kernlint.source_model.statements import WrittenStatement

ADDING = ("+=", "-=", "*=", "/=", "|=", "&=", "^=", "%=", "<<=", ">>=")
STORING = ("=", *ADDING, "++", "--")
COMPARING = ("<", ">", "<=", ">=")
LOOSE = ("||", "?", "=", ",")  # binds less than `&&`
NAMES = ("next", "updated", "next_value")  # for a value that is kept until it may be written
WAITS = re.compile(r"sync|barrier|wait", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class WrittenArgument:
    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Correction:
    """An edit of a condition; `over`: the statements that are executed where it lets pass."""

    edit: Edit
    over: Span


def between(program: Written, earlier: Span, later: Span, statement: str) -> Edit | None:
    """A statement before the one that holds the later place, in the block that holds both."""
    one, other = (statements.around(program, place) for place in (earlier, later))
    if one is None or other is None or program.at(earlier) >= program.at(later):
        return None
    both = statements.shared(one, other)
    depth = len(both)
    in_switch = any(outer.kind == "switch" for outer in both)
    if not both or both[-1].kind != "{" or in_switch:
        return None
    if depth >= min(len(one), len(other)):
        return None
    place = other[depth].first, other[depth].begin
    return Edit(*statements.new_line(program, *place, statement))


def loop_end(program: Written, place: Span, loop: Span | None, statement: str) -> Edit | None:
    """A statement at the end of the body of a loop around a place, by default the innermost; None
    where it has no braces."""
    stack = statements.around(program, place) or []
    loops = [one for one in stack if one.kind in statements.LOOPS]
    own = [one for one in loops if loop is None or program.at(loop) in (one.first, one.begin)]
    if not own or own[-1].inner[0].kind != "{" or not own[-1].inner[0].inner:
        return None
    body = own[-1].inner[0]
    return Edit(*statements.new_line(program, body.last, body.inner[-1].begin, statement))


def split(program: Written, place: Span, statement: str, type_: str) -> Edit | None:
    """`a[i] = value;` as three statements: the value into a variable, `statement`, the store. None
    within an `if` or a loop without braces, and where the statement goes over several lines."""
    stack = statements.around(program, place) or []
    if [one.kind for one in stack[-2:]] != ["{", ""]:
        return None
    tokens = program.tokens[stack[-1].begin : stack[-1].last + 1]
    words = [token.text for token in tokens]
    at = next((i for i, word in enumerate(words) if word in ("=", *ADDING)), 0)
    is_once = words.count("=") <= 1 and "++" not in words
    if not _changes_memory(tokens) or not at or not is_once:
        return None
    known = {token.text for token in program.tokens}
    name = next((one for one in NAMES if one not in known), "")
    whole = tokens[0].span.to(tokens[-1].span)
    if not name or whole.line != whole.end_line:
        return None
    line = program.text[whole.line - 1]
    left = line[whole.column - 1 : tokens[at].span.column - 1].rstrip()
    right = line[tokens[at].span.end_column - 1 : tokens[-1].span.column - 1].strip()
    if words[at] != "=":
        right = f"{left} {words[at].removesuffix('=')} ({right})"
    blanks = line[: len(line) - len(line.lstrip())]
    lines = (f"{type_} {name} = {right};", statement, f"{left} = {name};")
    return Edit(whole, f"\n{blanks}".join(lines))


def launch_arguments(program: Written, launch: Span) -> list[WrittenArgument]:
    """What stands between `<<<` and `>>>`; nothing where it is not launched so."""
    tokens = program.inside(launch)
    words = [token.text for token in tokens]
    if "<<<" not in words or ">>>" not in words:
        return []
    found: list[list[Token]] = [[]]
    depth = 0
    for token in tokens[words.index("<<<") + 1 : words.index(">>>")]:
        depth += (token.text in statements.OPENING) - (token.text in (")", "]", "}"))
        if token.text == "," and not depth:
            found.append([])
        else:
            found[-1].append(token)
    if not all(found):
        return []
    return [WrittenArgument(some[0].span.to(some[-1].span), _joined(some)) for some in found]


def is_integer(program: Written, name: str) -> bool:
    """Whether a name is declared as an integer, or a macro, and nowhere as a `dim3`."""
    words = [token.text for token in program.tokens]
    before = {a for a, b in pairwise(words) if b == name}
    return "dim3" not in before and bool(before & {*DECLARING, "define"})


def guarded(program: Written, place: Span, condition: str) -> Correction | None:
    """The plain statement at a place under a condition, or under one more where it is the only
    branch of an `if`."""
    stack = statements.around(program, place)
    if stack is None or not _may_be_skipped(program, stack):
        return None
    outer = stack[-2]
    over = _whole(program.tokens[stack[-1].begin : stack[-1].last + 1])
    if outer.kind != "if":
        at = program.tokens[stack[-1].begin].span
        before = Span(at.path, at.line, at.column, at.line, at.column)
        return Correction(Edit(before, f"if ({condition}) "), over)
    head = _head(program, outer)
    old = _joined(head)
    is_loose = any(token.text in LOOSE for token in head)
    edit = Edit(_whole(head), f"{f'({old})' if is_loose else old} && {condition}")
    return Correction(edit, over)


def corrected(
    program: Written,
    place: Span,
    names: Collection[str],
    around: Mapping[str, str],
    before: Mapping[str, str],
) -> Correction | None:
    """The condition that keeps threads from a place, put right: of an `if` around it, or of one
    before it that leaves. `around`, `before`: what to write, by what is written without blanks. None
    where one of `names` changes between the condition and the place."""
    stack = statements.around(program, place) or []
    guards = [(one, around, one.inner[0].first, one.inner[0].last) for one in _innermost_if(stack)]
    exits = reversed(statements.exits(program, place))
    guards += [(one, before, one.last + 1, stack[0].last) for one in exits]
    for one, right, first, last in guards:
        head = _head(program, one)
        instead = right.get(_joined(head).replace(" ", ""))
        if instead is not None and not _changes(program.tokens[first : program.at(place)], names):
            return Correction(Edit(_whole(head), instead), _whole(program.tokens[first : last + 1]))
    return None


def _changes(tokens: Sequence[Token], names: Collection[str]) -> bool:
    """Whether one of the names is assigned or declared anew."""
    words = [token.text for token in tokens]
    after = any(a in names and b in STORING for a, b in pairwise(words))
    return after or any(a in ("++", "--") and b in names for a, b in pairwise(words))


def exit_before(program: Written, place: Span, names: Collection[str]) -> WrittenArgument | None:
    """The last condition before a place that compares one of these names and leaves."""
    for one in reversed(statements.exits(program, place)):
        head = _head(program, one)
        words = {token.text for token in head}
        if words & {*names} and words & {*COMPARING}:
            return WrittenArgument(_whole(head), _joined(head))
    return None


def _innermost_if(stack: Sequence[WrittenStatement]) -> Iterator[WrittenStatement]:
    """Around the last statement, with nothing but blocks between; nothing where it has an `else`."""
    for one in reversed(stack[:-1]):
        if one.kind == "if" and len(one.inner) == 1:
            yield one
        if one.kind != "{":
            return


def _head(program: Written, one: WrittenStatement) -> Sequence[Token]:
    return program.tokens[one.head[0] : one.head[1] + 1]


def _whole(tokens: Sequence[Token]) -> Span:
    return tokens[0].span.to(tokens[-1].span)


def _may_be_skipped(program: Written, stack: Sequence[WrittenStatement]) -> bool:
    """Whether the innermost statement only changes memory, or adds to a variable, waits for nobody,
    and no `else` behind it could change its `if`."""
    tokens = program.tokens[stack[-1].begin : stack[-1].last + 1]
    if stack[-1].kind or any(WAITS.search(name) for name in statements.calls(tokens)):
        return False
    for outer in reversed(stack[:-1]):
        if outer.kind == "{":
            break
        if outer.kind == "if" and len(outer.inner) > 1:
            return False
    return _changes_memory(tokens)


def _changes_memory(tokens: Sequence[Token]) -> bool:
    words = [token.text for token in tokens]
    if len(words) < 3 or tokens[0].kind != "identifier":
        return False
    if words[1] == "(":
        return words[0].startswith("atomic")
    if words[1] != "[":
        return words[1] in ADDING
    at = 1
    while at < len(words) and words[at] == "[":
        at = closed(tokens, at) + 1
    return at < len(words) and words[at] in STORING


def _joined(tokens: Sequence[Token]) -> str:
    return "".join(
        (" " if token.space_before and i else "") + token.text for i, token in enumerate(tokens)
    )
