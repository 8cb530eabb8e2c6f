"""The state of a preprocessing run: what was read and made so far, and the files being read.

Nothing is read here: `preprocess` reads, `include_prefix` takes over what a run before has read.
"""

from __future__ import annotations

from kernlint.base.dataclass import dataclass, field
from kernlint.base.span import Problem, Span
from kernlint.source.lexer import Scan
from kernlint.source.preprocessor.expand import Expander
from kernlint.source.preprocessor.macros import Macro
from kernlint.source.tokens import Token

INCLUDE_DEPTH = 64
INCLUDE_COUNT = 5_000


@dataclass(slots=True)
class OpenConditional:
    """One #if: whether the text around it counts, whether a branch was taken, whether this branch
    is."""

    place: Span
    around: bool
    taken: bool
    active: bool
    has_else: bool = False


@dataclass(slots=True)
class OpenFile:
    """A file being read: `line` is the next logical line; `guard` the macro of an include guard, as
    far as seen."""

    path: str
    key: str
    scan: Scan
    line: int = 0
    active: bool = True
    conditions: list[OpenConditional] = field(default_factory=list)
    guard: str = ""
    guard_end: int = -1


class PreprocessorState:
    """`sought`: every place where a header was looked for, and whether a file was there; `once`:
    headers that are not read again; `guards`: the macros of include guards, by header."""

    def __init__(self, macros: dict[str, Macro]) -> None:
        self.macros = macros
        self.problems: list[Problem] = []
        self.included: list[str] = []
        self.sought: dict[str, bool] = {}
        self.missing: list[str] = []
        self.out: list[Token] = []
        self.expander = Expander(self.macros, self.problems)
        self.looks_ahead = False  # a macro looks for its arguments, which may lie in the next file
        self.files: list[OpenFile] = []
        self.once: set[str] = set()
        self.guards: dict[str, str] = {}
        self.include_count = 0

    def has_room(self, includes: int, depth: int) -> bool:
        """Whether so many headers, lying in each other so deep, may follow."""
        return (
            self.include_count + includes <= INCLUDE_COUNT
            and len(self.files) + depth < INCLUDE_DEPTH
        )
