"""Names of array types: `typedef float Tile[32][32];`, `using Tile = float[32][32];`, where a
declaration takes its shape from one.

Goes in: the tokens of a program, the name of a declared array. Comes out: the alias with its
brackets, or why its length must stay.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.base.dataclass import dataclass
from kernlint.source.tokens import Token
from kernlint.source_model.source_tokens import Written


@dataclass(frozen=True, slots=True)
class Alias:
    """`bracket`: the token of its first `[`; `line`: where it stands; `elsewhere`: the line of
    another use than the array's, 0 for none."""

    name: str
    line: int
    bracket: int
    elsewhere: int = 0


def alias(program: Written, declared: int) -> Alias | None:
    """The alias that gives the array whose name is token `declared` its shape, or a part of it."""
    tokens = program.tokens
    for word in _statement(tokens, declared):
        bracket = _typedef(tokens, word.text) or _using(tokens, word.text)
        if bracket:
            others = [
                token
                for token in tokens
                if token.text == word.text and token.kind == "identifier" and token is not word
            ]
            line = tokens[bracket].span.line
            own = [token for token in others if token.line == line]
            elsewhere = next((t.line for t in others if t not in own[:1]), 0)
            return Alias(word.text, line, bracket, elsewhere)
    return None


def _statement(tokens: Sequence[Token], declared: int) -> list[Token]:
    """The words before the name of a declaration, nearest first."""
    found = []
    for index in range(declared - 1, -1, -1):
        if tokens[index].text in (";", "{", "}"):
            break
        if tokens[index].kind == "identifier":
            found.append(tokens[index])
    return found


def _typedef(tokens: Sequence[Token], name: str) -> int:
    """The first bracket of `typedef … name[`; 0 where there is none."""
    for index in range(1, len(tokens) - 1):
        if tokens[index].text == name and tokens[index + 1].text == "[":
            first = next(
                (k for k in range(index - 1, -1, -1) if tokens[k].text in (";", "{", "}")), -1
            )
            if "typedef" in [token.text for token in tokens[first + 1 : index]]:
                return index + 1
    return 0


def _using(tokens: Sequence[Token], name: str) -> int:
    """The first bracket of `using name = …[`; 0 where there is none."""
    for index in range(len(tokens) - 3):
        if [token.text for token in tokens[index : index + 3]] == ["using", name, "="]:
            end = next((k for k in range(index, len(tokens)) if tokens[k].text == ";"), len(tokens))
            return next((k for k in range(index + 3, end) if tokens[k].text == "["), 0)
    return 0
