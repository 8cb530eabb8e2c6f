"""What to say of a token that no rule of the language expects: where a statement was left open on
the line before, that its `;` is missing.

Goes in: a stream, the token's position. Comes out: an error to raise, at the place that is to be
mended.
"""

from __future__ import annotations

from kernlint.base.span import SourceError
from kernlint.source.parser import names
from kernlint.source.parser.stream import CLOSERS, OPENERS, TokenStream

ENDINGS = (")", "]")  # a statement may end in them, before its `;`
HEADS = ("if", "for", "while", "switch")  # words whose parentheses end no statement
BEFORE_VALUES = ("=", ",", "(", "{", "return")  # before braces that hold values
LONGEST = 40  # characters of a token that a message quotes
WORDS = frozenset(
    (*HEADS, "else", "do", "case", "default", "goto", "operator", "template", "typename", "new")
)


def unexpected(stream: TokenStream, i: int) -> SourceError:
    """The error of the token at i."""
    i = min(i, len(stream.texts) - 1)
    if _begins_statement(stream, i) and _may_end(stream, i - 1):
        return SourceError(
            f"';' is missing after '{shown(stream.texts[i - 1])}'", stream.tokens[i - 1].use
        )
    return SourceError(f"unexpected '{shown(stream.texts[i])}'", stream.tokens[i].use)


def shown(text: str) -> str:
    """A token as a message quotes it: of a long literal the start of its first line."""
    first = text.partition("\n")[0]
    return first if first == text and len(text) <= LONGEST else f"{first[:LONGEST]}…"


def _begins_statement(stream: TokenStream, i: int) -> bool:
    """Whether the token comes first on its line, could begin a statement, and stands in braces that
    hold statements or members."""
    if not 0 < i < stream.size or (stream.kinds[i] != "identifier" and stream.texts[i] != "}"):
        return False
    if stream.tokens[i].use.line <= stream.tokens[i - 1].use.end_line:
        return False
    opener = _enclosing(stream, i)
    before = stream.texts[max(0, opener - 2) : max(0, opener)]
    return (
        opener > 0
        and stream.texts[opener] == "{"
        and before[-1] not in BEFORE_VALUES
        and "enum" not in before
    )


def _enclosing(stream: TokenStream, i: int) -> int:
    """The position of the opening bracket that the token at i stands in; -1 for none."""
    i -= 1
    while i >= 0 and stream.texts[i] not in OPENERS:
        i = (stream.match[i] if stream.texts[i] in CLOSERS and stream.match[i] >= 0 else i) - 1
    return i


def _may_end(stream: TokenStream, i: int) -> bool:
    kind, text = stream.kinds[i], stream.texts[i]
    if text in ENDINGS:
        return stream.match[i] < 1 or stream.texts[stream.match[i] - 1] not in HEADS
    return kind in ("number", "string", "character") or (
        kind == "identifier" and text not in WORDS | names.TYPE_WORDS
    )
