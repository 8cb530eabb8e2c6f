"""The sides of an `if`, the cases of a `switch`: where each stands, what it calls.

Goes in: the tokens of a program, a statement's place. Comes out: `Side`s in the order of the source.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from kernlint.base.dataclass import dataclass
from kernlint.base.span import Span
from kernlint.source.tokens import Token
from kernlint.source_model.array_uses import closed
from kernlint.source_model.source_tokens import Written

BEGINS = {"switch": ("case", "default"), "if": ("else",)}  # by kind of statement: another side
NESTED = {"switch": 1}  # in how many braces
EMPTY = ("{", "}", ";")
MEMBER = (".", "->")


@dataclass(frozen=True, slots=True)
class Side:
    """`calls`: names of what stands before a bracket, keywords and types too."""

    span: Span
    calls: frozenset[str] = frozenset()


def sides(program: Written, statement: Span, kind: str) -> list[Side]:
    """One for the whole statement where it has no head."""
    tokens = program.inside(statement)
    head = next((i for i, token in enumerate(tokens) if token.text == "("), len(tokens))
    body = closed(tokens, head) + 1 if head < len(tokens) else len(tokens)
    if body >= len(tokens):
        return [Side(statement)]
    cuts = [body, *_cuts(tokens, body, kind), len(tokens)]
    pieces = ((tokens[first:last], tokens[last : last + 1]) for first, last in pairwise(cuts))
    return [
        Side(_span(some, behind, statement), frozenset(_calls(some)))
        for some, behind in pieces
        if any(token.text not in EMPTY for token in some)
    ]


def _span(some: Sequence[Token], behind: Sequence[Token], statement: Span) -> Span:
    begin = some[0].span
    end = (
        (behind[0].span.line, behind[0].span.column)
        if behind
        else (statement.end_line, statement.end_column)
    )
    return Span(statement.path, begin.line, begin.column, *end)


def _cuts(tokens: Sequence[Token], body: int, kind: str) -> Iterator[int]:
    depth = 0
    for i in range(body, len(tokens)):
        text = tokens[i].text
        depth += (text == "{") - (text == "}")
        if depth == NESTED.get(kind, 0) and text in BEGINS.get(kind, ()):
            yield i
            if kind == "if":
                return


def _calls(tokens: Sequence[Token]) -> Iterator[str]:
    for i, (token, after) in enumerate(pairwise(tokens)):
        is_member = i > 0 and tokens[i - 1].text in MEMBER
        if after.text == "(" and _is_word(token.text) and not is_member:
            yield token.text


def _is_word(text: str) -> bool:
    return text.replace("_", "a").isalnum() and not text[0].isdigit()
