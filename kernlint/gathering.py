"""What the pipeline has learnt of a file so far.

Goes in: problems, outcomes of kernels, where headers were looked for. Comes out: a `facts.File`, also before everything is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kernlint import facts, files
from kernlint.recalling import Outcome, Remembering
from kernlint.records import dataclass, field
from kernlint.source.span import Problem, Span


@dataclass(slots=True)
class Gathered:
    """What is learnt about a file: it stays when a later step fails."""

    source: files.Source
    problems: list[Problem]
    memory: Remembering | None
    kernels: list[facts.Kernel] = field(default_factory=list)
    parameters: set[str] = field(default_factory=set)
    sought: dict[str, bool] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    altered: list[Span] = field(default_factory=list)

    def add(self, outcomes: Iterable[Outcome]) -> None:
        for outcome in outcomes:
            self.kernels += [found.kernel for found in outcome.results]
            self.parameters.update(outcome.parameters)
            self.problems += outcome.problems

    def file(self, more: Iterable[Outcome] = (), unfinished: bool = False) -> facts.File:
        """What is known so far, and some outcomes `more` that are not added yet. `unfinished`: stopped by the clock."""
        both = Gathered(self.source, list(self.problems), None, list(self.kernels), set(self.parameters))
        both.add(more)
        text = self.source.text or ""
        return facts.File(
            self.source.path,
            self.source.language,
            _distinct(both.problems),
            tuple(both.kernels),
            text.count("\n") + 1,
            text,
            tuple(self.missing),
            tuple(sorted(both.parameters)),
            tuple(self.sought.items()),
            unfinished,
            tuple(self.altered),
        )


def _distinct(problems: Sequence[Problem]) -> tuple[Problem, ...]:
    ordered = sorted(dict.fromkeys(problems), key=lambda p: (p.span.path, p.span.line, p.span.column, p.code))
    return tuple(ordered)
