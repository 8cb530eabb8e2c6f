"""Names of a program: pointers among a kernel's parameters, names that the program does not declare.

Goes in: the tokens of a program. Comes out: names and places.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import pairwise

from kernlint.base.span import Span
from kernlint.source.tokens import Token
from kernlint.source_model.array_uses import NO_TYPES
from kernlint.source_model.source_tokens import Written

OPEN, CLOSE = ("(", "[", "{"), (")", "]", "}")
ENDS = (",", ")", "=")  # of a parameter's name


def pointers(program: Written, place: Span, kernel: str) -> Iterator[tuple[str, Span]]:
    """Names and places of a kernel's parameters of the form `* name`."""
    tokens, start = program.tokens, program.at(place)
    begin = next(
        (
            i
            for i in range(start, len(tokens) - 1)
            if (tokens[i].text, tokens[i + 1].text) == (kernel, "(")
        ),
        len(tokens),
    )
    depth = 0
    for i in range(begin + 1, len(tokens)):
        token = tokens[i]
        depth += (token.text in OPEN) - (token.text in CLOSE)
        if depth == 0:
            return
        if (
            depth == 1
            and token.kind == "identifier"
            and tokens[i - 1].text == "*"
            and tokens[i + 1].text in ENDS
        ):
            yield token.text, _of(token)


def _of(token: Token) -> Span:
    span = token.span
    return Span(span.path, span.line, span.column, span.line, span.column + len(token.text))


def undeclared(program: Written, names: Collection[str]) -> Iterator[tuple[str, Span]]:
    """A macro or a function of that name stands in for what the name means elsewhere."""
    own = {token.text for token in program.directives}
    own |= {
        b.text
        for a, b in pairwise(program.tokens)
        if a.kind == "identifier" and a.text not in NO_TYPES
    }
    for token in program.tokens:
        if token.text in names and token.text not in own:
            yield token.text, _of(token)
