"""How far a statement or a definition reaches, from tokens alone, so that it works in code that
does not parse.

Goes in: a scanned file. Comes out: first and last lines. Never raises.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.source.tokens import Token

OPENING, CLOSING = {"(", "[", "{"}, {")", "]", "}"}


def statement_before(tokens: Sequence[Token], last: int) -> int:
    """The first line of the statement, or of the head of the compound one, that token `last` ends
    or stands in."""
    depth, first = 0, tokens[last].span.line
    for index in range(last, -1, -1):
        text = tokens[index].text
        if (
            index != last
            and depth == 0
            and (text in (";", "{", "}") or tokens[index].kind == "pragma")
        ):
            break
        if text in (")", "]"):
            depth += 1
        elif text in ("(", "["):
            depth = max(0, depth - 1)
        first = tokens[index].span.line
    return first


def construct_after(tokens: Sequence[Token], first: int) -> int:
    """The last line of the statement, declaration or definition that begins with token `first`, its
    body included."""
    depth = 0
    for index in range(first, len(tokens)):
        text = tokens[index].text
        if text in OPENING:
            depth += 1
        elif text in CLOSING:
            depth -= 1
            if depth < 0:
                return tokens[index].span.line
        ends = text == ";" or (text == "}" and not _goes_on(tokens, index))
        if ends and depth == 0:
            return tokens[index].span.line
    return tokens[-1].span.line if tokens else 1


def _goes_on(tokens: Sequence[Token], index: int) -> bool:
    """Whether more of the construct follows its closing brace: `} else`, `} while (…);`, `};`, `}
    name;`, `}, {`."""
    return index + 1 < len(tokens) and tokens[index + 1].text in (
        "else",
        "while",
        "catch",
        ";",
        ",",
        ")",
        "=",
        "(",
    )
