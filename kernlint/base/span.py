"""Places in source files: spans, the origin of macro-made code, and problems tied to a place."""

from __future__ import annotations

from kernlint.base.dataclass import dataclass, field


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of one file; lines and columns are 1-based, `end_column` is exclusive.

    `macro` names the macro whose expansion produced the code. The span is then that of the macro's
    use in the file the user wrote (the outermost use); otherwise it is where the code is spelled.
    `first`: where it ends among the arguments of a macro that go over several lines, the line on
    which the use begins (nvcc's line table names no other); else 0.
    """

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    macro: str = ""
    first: int = field(default=0, compare=False)  # follows from the place

    @property
    def first_charged(self) -> int:
        """The line that machine code of its begin belongs to."""
        return self.first or self.line

    @property
    def last_charged(self) -> int:
        """The line that machine code of its end belongs to."""
        return self.first or (self.line if self.macro else self.end_line)

    def to(self, other: Span) -> Span:
        """The span from the start of this one to the end of `other`."""
        return Span(
            self.path,
            self.line,
            self.column,
            other.end_line,
            other.end_column,
            self.macro or other.macro,
            other.first,
        )


def closed(line: str, column: int, end: int) -> int:
    """The column behind the parenthesis that closes the first one from `column` on, before `end`; 0
    where none does."""
    depth = 0
    for position in range(column - 1, end - 1):
        depth += (line[position] == "(") - (line[position] == ")")
        if line[position] == ")" and depth <= 0:
            return position + 2
    return 0


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that kernlint could not read or analyse: a KL0xx code, a place and a reason.
    `note`: nothing was lost by it.

    `subject` is a part of the message; problems of a file whose messages differ in it alone have
    one cause. `reason`: of a KL003, the key of `reasons.GAVE_UP`; also of a KL001 about a launch
    without blocks or threads.
    """

    code: str
    span: Span
    message: str
    kernel: str = ""
    note: bool = False
    subject: str = ""
    reason: str = ""


class SourceError(Exception):
    """Raised inside the pipeline; always caught and turned into a Problem. Never reaches the
    user."""

    def __init__(self, message: str, span: Span, code: str = "KL001", reason: str = "") -> None:
        super().__init__(message)
        self.message, self.span, self.code, self.reason = message, span, code, reason
