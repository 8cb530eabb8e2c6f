"""What the search for roles that may be swapped reads: the tokens of one kernel and the index texts
of its accesses.

Goes in: facts of one kernel definition, its text. Comes out: `Text`, and whether another index
would serve the lanes better.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kernlint.base.dataclass import dataclass
from kernlint.checks.context import Group
from kernlint.model.facts import Access, Kernel
from kernlint.source.tokens import Token
from kernlint.source_model import source_tokens
from kernlint.source_model.array_uses import closed

Tokens = Sequence[Token]
ASSIGN = ("=", "+=", "-=", "*=", "/=", "|=", "&=", "^=", "%=", "<<=", ">>=")
TYPES = ("int", "unsigned", "float", "double", "const", "auto", "size_t", "long", "short", "char")


@dataclass(frozen=True, slots=True)
class Text:
    """The tokens of a program, those of one kernel's body by their first and last index."""

    program: source_tokens.Written
    first: int
    last: int
    macros: frozenset[str]

    @property
    def tokens(self) -> Tokens:
        return self.program.tokens

    @property
    def body(self) -> Tokens:
        return self.tokens[self.first : self.last + 1]


def text_of(group: Group, kernel: Kernel) -> Text | None:
    program = source_tokens.program(group.file.path, group.file.text, kernel.span)
    tokens = program.tokens
    first = next(
        (i for i in range(program.at(kernel.span), len(tokens)) if tokens[i].text == "{"), None
    )
    if first is None:
        return None
    last = closed(tokens, first)
    macros = frozenset(token.text for token in program.directives if token.kind == "identifier")
    return None if last == len(tokens) else Text(program, first, last, macros)


def better(accesses: Sequence[Access], other: str) -> bool:
    """Whether fewer global accesses stride by lane when `other` takes the place of threadIdx.x in
    their indices."""
    some = [access.index for access in accesses if access.space == "global"]
    return sum(_strides(index, other) for index in some) < sum(
        _strides(index, "threadIdx.x") for index in some
    )


def _strides(index: str, name: str) -> bool:
    """Whether a name stands in a sum with a factor other than one, or otherwise than as a term."""
    found = re.findall(rf"(?:^|[-+] )((?:[\w.]+\*)*){re.escape(name)}(?= |$)", index)
    return any(found) if found else name in index
