"""The head of a `for` loop: where its counter begins and ends, what each iteration adds to it.

Goes in: the tokens of a program, a loop's place. Comes out: `LoopHead`, and what a variable was
given before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kernlint.base.dataclass import dataclass
from kernlint.base.span import Span
from kernlint.source.tokens import Token
from kernlint.source_model.array_uses import closed
from kernlint.source_model.source_tokens import Written
from kernlint.source_model.swap_tokens import ASSIGN

STATEMENT_ENDS = (";", "{", "}")
ONE_MORE = re.compile(r"\+\+\w+|\w+\+\+")
MORE = re.compile(r"(\w+)\+=(\d+)")
SCALED = re.compile(r"(.+?)(?:(?:>>|<<)=1|[*/]=2|=\1(?:(?:>>|<<)1|[*/]2))")
BELOW = re.compile(r"(\w+)<(\w+)")


@dataclass(frozen=True, slots=True)
class LoopHead:
    """Texts are without blanks. `begin`: the variable that is given a value last at the start, and
    that value; `end`: both sides of a condition `i < n`; `steps`: what is added to variables, in
    order; `scaled`: variables that are halved or doubled. Empty where the head says otherwise."""

    begin: tuple[str, str]
    end: tuple[str, str]
    steps: tuple[tuple[str, int], ...]
    scaled: tuple[str, ...]

    @property
    def iterations(self) -> int:
        """How often the loop runs by its head: from 0 to a number, one by one; 0 elsewhere."""
        counter, last = self.end
        counts = self.begin == (counter, "0") and self.steps == ((counter, 1),)
        return int(last) if counts and last.isdecimal() else 0


def loop_head(program: Written, loop: Span) -> LoopHead | None:
    """None for other loops."""
    tokens, at = program.tokens, program.at(loop)
    if [token.text for token in tokens[at : at + 2]] != ["for", "("]:
        return None
    clauses = _split(tokens[at + 2 : closed(tokens, at + 1)], ";")
    if len(clauses) != 3:
        return None
    start, condition, step = clauses
    parts = [_dense(part) for part in _split(step, ",")]
    scaled = (SCALED.fullmatch(part) for part in parts)
    end = BELOW.fullmatch(_dense(condition))
    return LoopHead(
        _begin(_split(start, ",")[-1]),
        (end[1], end[2]) if end is not None else ("", ""),
        tuple(moved for part in parts if (moved := _step(part)) is not None),
        tuple(m[1] for m in scaled if m is not None),
    )


def _step(part: str) -> tuple[str, int] | None:
    if ONE_MORE.fullmatch(part):
        return part.strip("+"), 1
    more = MORE.fullmatch(part)
    return None if more is None else (more[1], int(more[2]))


def _begin(tokens: Sequence[Token]) -> tuple[str, str]:
    at = next((i for i, token in enumerate(tokens) if token.text == "="), 0)
    return (tokens[at - 1].text, _dense(tokens[at + 1 :])) if at else ("", "")


def given(program: Written, name: str, place: Span) -> str:
    """What a variable was given last on the lines up to that of a place, without blanks; "" where
    nothing is found."""
    tokens = program.tokens[: program.at(Span(place.path, place.line + 1, 1, place.line + 1, 1))]
    found = ""
    for i, token in enumerate(tokens[:-1]):
        if token.text == name and tokens[i + 1].text == "=":
            end = next((k for k in range(i + 2, len(tokens)) if tokens[k].text in (";", ",")), None)
            found = found if end is None else _dense(tokens[i + 2 : end])
    return found


def made_of(program: Written, id_: str, within: Span) -> str:
    """The one variable of a function that is computed from a thread's id (`threadIdx.x`,
    `get_global_id(0)`); "" where there is none, or several."""
    found: set[str] = set()
    part: list[str] = []
    depth = 0
    for token in program.inside(within):
        depth += (token.text in ("(", "[")) - (token.text in (")", "]"))
        if token.text in STATEMENT_ENDS or (token.text == "," and depth == 0):
            found |= _made(part, id_)
            part, depth = [], 0
        else:
            part.append(token.text)
    return found.pop() if len(found) == 1 else ""


def _made(words: Sequence[str], id_: str) -> set[str]:
    """The variable of a statement `int i = … threadIdx.x …`."""
    if "=" not in words[1:] or id_ not in "".join(words):
        return set()
    name = words[words.index("=", 1) - 1]
    return {name} if name.isidentifier() else set()


def changes(program: Written, name: str, within: Span) -> int:
    """How often a variable is assigned or moved on within a statement."""
    words = [token.text for token in program.inside(within)]
    return sum(_is_change(words, i) for i, word in enumerate(words) if word == name)


def _is_change(words: Sequence[str], at: int) -> bool:
    behind = words[at + 1] if at + 1 < len(words) else ""
    before = words[at - 1] if at else ""
    return behind in (*ASSIGN, "++", "--") or before in ("++", "--")


def _split(tokens: Sequence[Token], mark: str) -> list[Sequence[Token]]:
    """Between the marks that stand outside of brackets."""
    return list(_pieces(tokens, mark))


def _pieces(tokens: Sequence[Token], mark: str) -> Iterator[Sequence[Token]]:
    depth = start = 0
    for i, token in enumerate(tokens):
        depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
        if token.text == mark and depth == 0:
            yield tokens[start:i]
            start = i + 1
    yield tokens[start:]


def _dense(tokens: Sequence[Token]) -> str:
    return "".join(token.text for token in tokens)
