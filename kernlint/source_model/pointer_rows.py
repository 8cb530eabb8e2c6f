"""Rows that a pointer's type gives to memory that has none of its own: `float (*tile)[32] =
reinterpret_cast<float (*)[32]>(raw);`.

Goes in: the tokens of a program, an access through such a pointer. Comes out: what the type says of
the rows, or None.
"""

from __future__ import annotations

import re

from kernlint.base.dataclass import dataclass
from kernlint.model.facts import Access, Kernel
from kernlint.source_model import source_tokens

HEAD = re.compile(r"(\w+)\s*\[")  # of an access: the pointer's name


@dataclass(frozen=True, slots=True)
class PointedRows:
    """`text`: the length of a row as the type spells it; `number`: the elements that it is."""

    pointer: str
    text: str
    number: int


def pointed_rows(
    program: source_tokens.Written, access: Access, kernel: Kernel
) -> PointedRows | None:
    """Where all accesses of the kernel to the object go through one pointer to rows."""
    same = [
        a
        for a in kernel.accesses
        if (a.object, a.object_span) == (access.object, access.object_span)
    ]
    names = {head[1] if (head := HEAD.match(a.text)) else "" for a in same}
    (name, *others) = names
    if others or not name:
        return None
    tokens = [token.text for token in program.tokens]
    inside = range(program.first_on(kernel.span.line), program.first_on(kernel.span.end_line + 1))
    lengths = {
        tokens[i + 5]
        for i in inside
        if tokens[i : i + 5] == ["(", "*", name, ")", "["] and tokens[i + 6 : i + 7] == ["]"]
    }
    lengths |= {
        tokens[i]
        for i in inside
        if tokens[i - 4 : i] == ["(", "*", ")", "["] and _declares(tokens, i, name)
    }
    if len(lengths) != 1:
        return None
    (text,) = lengths
    digits = text.rstrip("uU")
    number = int(digits) if digits.isdecimal() else source_tokens.number(program, text)
    return PointedRows(name, text, number) if number is not None and number > 1 else None


def _declares(tokens: list[str], at: int, name: str) -> bool:
    """Whether a cast's type, whose rows are at a token, is that of `auto name = …`."""
    begin = max((i for i in range(at) if tokens[i] in (";", "{", "}")), default=-1)
    return tokens[begin + 1 : begin + 4] == ["auto", name, "="]
