"""Pragmas that macros make, as one token each.

In: the tokens behind the preprocessor's expansion. Out: the same with every `_Pragma("…")` and
every `#pragma …` out of a macro turned into a pragma token, as a `#pragma` on a line of its own is.
"""

from __future__ import annotations

from kernlint.source.preprocessor.macros import spelling
from kernlint.source.tokens import Token

_STARTS = frozenset(("_Pragma", "#"))


def joined(tokens: list[Token]) -> list[Token]:
    """`#pragma` out of a macro is no C++, but nvcc reads the preprocessed text line by line and
    obeys it; CUTLASS unrolls that way."""
    if _STARTS.isdisjoint([token.text for token in tokens]):
        return tokens
    out: list[Token] = []
    index = 0
    while index < len(tokens):
        token, operand = tokens[index], tokens[index + 1 : index + 4]
        if (
            token.text == "_Pragma"
            and [item.text for item in operand[::2]] == ["(", ")"]
            and operand[1].kind == "string"
        ):
            text = operand[1].text
            body = (
                text[text.index('"') + 1 : text.rindex('"')]
                .replace('\\"', '"')
                .replace("\\\\", "\\")
            )
            out.append(Token("pragma", f"pragma {body.strip()}", token.span, token.use, True))
            index += 4
        elif (
            token.text == "#"
            and operand
            and operand[0].text == "pragma"
            and token.use is not token.span
        ):
            end = _line_end(tokens, index)
            out.append(
                Token("pragma", spelling(tokens[index + 1 : end]), token.span, token.use, True)
            )
            index = end
        else:
            out.append(token)
            index += 1
    return out


def _line_end(tokens: list[Token], start: int) -> int:
    """Behind the tokens that are spelled on the line of the one at `start`, and numbers that stand
    there for a macro."""
    mark, end = tokens[start], start + 1
    place = (mark.span.path, mark.span.line)
    while end < len(tokens):
        token = tokens[end]
        if (token.span.path, token.span.line) != place and not (
            token.kind == "number" and token.use == mark.use
        ):
            break
        end += 1
    return end
