"""The statements of a function: what stands in what, where a statement may be put between two.

Goes in: the tokens of a program, places in it. Comes out: the statements around a place, from the
body inwards. None where the text is not surely read: directives that choose between statements,
brackets that do not close.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from kernlint.base.dataclass import dataclass
from kernlint.base.span import Span
from kernlint.source.tokens import Token
from kernlint.source_model.array_uses import closed
from kernlint.source_model.source_tokens import Written

HEADED = ("if", "for", "while", "switch")
LOOPS = ("for", "while", "do")
LEAVING = ("return", "continue", "break")
DEEPEST = 60  # statements in one another without braces
OPENING = ("(", "[", "{")


class Unread(Exception):
    """What the tokens do not surely say."""


@dataclass(frozen=True, slots=True)
class WrittenStatement:
    """`kind`: its keyword, "{" for a block, "" for any other. `first` and `last`: its tokens, with
    the pragmas before it; `begin`: the first behind them. `head`: those between the parentheses
    behind its keyword. `inner`: the statements of a block, the branches of an `if`, the body of a
    loop."""

    kind: str
    first: int
    begin: int
    last: int
    head: tuple[int, int] = (0, 0)
    inner: tuple[WrittenStatement, ...] = ()

    def __contains__(self, index: int) -> bool:
        return self.first <= index <= self.last


def around(program: Written, place: Span) -> list[WrittenStatement] | None:
    """The statements that hold a place, from the function's body to the innermost."""
    first, last = program.function_around(place)
    if last >= len(program.tokens) or program.tokens[first].text != "{":
        return None
    try:
        found = [_Reader(program, last).statement(first, 0)]
    except Unread:
        return None
    at = program.at(place)
    while (inner := next((one for one in found[-1].inner if at in one), None)) is not None:
        found.append(inner)
    return found


def exits(program: Written, place: Span) -> list[WrittenStatement]:
    """The `if`s before a place, in the blocks around it, whose only branch leaves: it ends with
    `return`, `continue` or `break`."""
    blocks, at = around(program, place) or [], program.at(place)
    inner = (one for block in blocks if block.kind == "{" for one in block.inner)
    return [one for one in inner if one.last < at and _leaves(program, one)]


def _leaves(program: Written, one: WrittenStatement) -> bool:
    if one.kind != "if" or len(one.inner) != 1:
        return False
    (branch,) = one.inner
    while branch.kind == "{" and branch.inner:
        branch = branch.inner[-1]
    return not branch.kind and program.tokens[branch.begin].text in LEAVING


def shared(
    one: Sequence[WrittenStatement], other: Sequence[WrittenStatement]
) -> list[WrittenStatement]:
    """The statements that hold both places."""
    return [a for a, b in zip(one, other, strict=False) if a == b]


class _Reader:
    """Reads the statements up to token `last`."""

    def __init__(self, program: Written, last: int) -> None:
        self._tokens = program.tokens
        self._last = last
        self._directives = {id(token) for token in program.directives}

    def statement(self, first: int, depth: int) -> WrittenStatement:
        at = self._behind_pragmas(first)
        if at > self._last or depth > DEEPEST:
            raise Unread
        text = self._tokens[at].text
        if text == "{":
            return self._block(first, at, depth)
        if text == "do":
            body = self.statement(at + 1, depth + 1)
            return WrittenStatement(text, first, at, self._end(body.last + 1), inner=(body,))
        if text in HEADED:
            return self._headed(first, at, depth)
        return WrittenStatement("", first, at, self._end(at))

    def _block(self, first: int, at: int, depth: int) -> WrittenStatement:
        inner: list[WrittenStatement] = []
        next_ = at + 1
        while self._text(self._behind_pragmas(next_)) != "}":
            inner.append(self.statement(next_, depth + 1))
            next_ = inner[-1].last + 1
        return WrittenStatement("{", first, at, self._behind_pragmas(next_), inner=tuple(inner))

    def _headed(self, first: int, at: int, depth: int) -> WrittenStatement:
        kind = self._tokens[at].text
        opens = at + 2 if self._text(at + 1) == "constexpr" else at + 1
        if self._text(opens) != "(":
            raise Unread
        closes = closed(self._tokens, opens)
        body = self.statement(closes + 1, depth + 1)
        inner: tuple[WrittenStatement, ...] = (body,)
        if kind == "if" and body.last < self._last and self._text(body.last + 1) == "else":
            inner = (body, self.statement(body.last + 2, depth + 1))
        return WrittenStatement(kind, first, at, inner[-1].last, (opens + 1, closes - 1), inner)

    def _end(self, at: int) -> int:
        """The semicolon that ends a plain statement."""
        while at <= self._last:
            text = self._text(at)
            if text == ";":
                return at
            if text == "}":
                break
            at = closed(self._tokens, at) + 1 if text in OPENING else at + 1
        raise Unread

    def _behind_pragmas(self, at: int) -> int:
        while at <= self._last and id(self._tokens[at]) in self._directives:
            at = self._pragma_end(at)
        return at

    def _pragma_end(self, at: int) -> int:
        if self._text(at + 1) != "pragma":
            raise Unread
        line = self._tokens[at].line
        while at <= self._last and id(self._tokens[at]) in self._directives:
            at += 1
            if self._tokens[at].text == "#" and self._tokens[at].line != line:
                break
        return at

    def _text(self, at: int) -> str:
        if at > self._last:
            raise Unread
        return self._tokens[at].text


def new_line(program: Written, index: int, beside: int, content: str) -> tuple[Span, str]:
    """Where to write a statement before a token, and how: if the token begins its line, on a line
    of its own above the comments that belong to it, as far to the right as token `beside`."""
    span, text = program.tokens[index].span, program.text
    line = span.line
    if text[line - 1][: span.column - 1].strip():
        return Span(span.path, line, span.column, line, span.column), f"{content} "
    own = text[program.tokens[beside].line - 1]
    blanks = own[: len(own) - len(own.lstrip())]
    above = program.tokens[index - 1].span.end_line if index else 0
    while line - 1 > above and text[line - 2].lstrip().startswith("//"):
        line -= 1
    return Span(span.path, line, 1, line, 1), f"{blanks}{content}\n"


def calls(tokens: Sequence[Token]) -> Iterator[str]:
    """The names before round brackets."""
    for token, behind in pairwise(tokens):
        if behind.text == "(" and token.kind == "identifier":
            yield token.text
