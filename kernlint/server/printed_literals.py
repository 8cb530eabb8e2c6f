"""Literals that host code does nothing with but print: what launches it makes does not depend on
them.

Goes in: a function's tokens. Comes out: those literals. Only a whole argument of a call of printf
or fprintf whose result nobody uses is one: `__LINE__` in a macro that checks errors, the text of a
message.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.source.parser.stream import TokenStream

PRINTING = frozenset(("printf", "fprintf"))
_STARTS = frozenset((";", "{", "}", "else", "do"))  # a statement begins behind them
_CONDITIONS = frozenset(("if", "while", "for"))  # and behind their parentheses
_LITERALS = frozenset(("string", "number"))


def printed(stream: TokenStream, start: int, end: int) -> Iterator[int]:
    """The positions of such literals among the tokens of one function, [start, end)."""
    calls = [i for i in range(start, end) if stream.texts[i] in PRINTING]
    if all(stream.texts[i + 1] == "(" for i in calls):
        for i in calls:
            close = stream.match[i + 1]
            if close > 0 and stream.texts[close + 1] == ";" and _begins_statement(stream, i):
                yield from _arguments(stream, i + 1, close)


def _begins_statement(stream: TokenStream, i: int) -> bool:
    before = stream.texts[i - 1]
    if before == ")" and stream.match[i - 1] > 0:
        return stream.texts[stream.match[i - 1] - 1] in _CONDITIONS
    return before in _STARTS


def _arguments(stream: TokenStream, open_: int, close: int) -> Iterator[int]:
    """The literals between two parentheses that have only commas, and other strings, beside
    them."""
    texts, kinds = stream.texts, stream.kinds
    i = open_ + 1
    while i < close:
        if stream.match[i] > i:
            i = stream.match[i]
        elif kinds[i] in _LITERALS:
            first = i
            while kinds[i] == kinds[i + 1] == "string":
                i += 1
            if (first == open_ + 1 or texts[first - 1] == ",") and (
                i + 1 == close or texts[i + 1] == ","
            ):
                yield from range(first, i + 1)
        i += 1
