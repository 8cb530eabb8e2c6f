"""What the search for indices that may change places reads: the tokens of one kernel.

Goes in: a program, a kernel of it. Comes out: `KernelTokens`.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.base.dataclass import dataclass
from kernlint.model.facts import Kernel
from kernlint.source.tokens import Token
from kernlint.source_model import source_tokens
from kernlint.source_model.array_uses import closed

Tokens = Sequence[Token]
ASSIGN = ("=", "+=", "-=", "*=", "/=", "|=", "&=", "^=", "%=", "<<=", ">>=")
TYPES = ("int", "unsigned", "float", "double", "const", "auto", "size_t", "long", "short", "char")


@dataclass(frozen=True, slots=True)
class KernelTokens:
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


def text_of(program: source_tokens.Written, kernel: Kernel) -> KernelTokens | None:
    tokens = program.tokens
    first = next(
        (i for i in range(program.at(kernel.span), len(tokens)) if tokens[i].text == "{"), None
    )
    if first is None:
        return None
    last = closed(tokens, first)
    macros = frozenset(token.text for token in program.directives if token.kind == "identifier")
    return None if last == len(tokens) else KernelTokens(program, first, last, macros)
