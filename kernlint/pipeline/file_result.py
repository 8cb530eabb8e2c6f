"""What the pipeline has learnt of a file so far.

Goes in: problems, outcomes of kernels, where headers were looked for. Comes out: a `facts.File`,
also before everything is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from kernlint.base.dataclass import dataclass, field
from kernlint.base.span import Problem, Span
from kernlint.memo.protocol import Outcome, Remembering
from kernlint.model import facts
from kernlint.model.reasons import CODE
from kernlint.source import files

_INSTANCE = re.compile(r"`([^\W\d][\w:]*)<[^`]*>`")  # an instance of a template in a message


@dataclass(slots=True)
class Gathered:
    """What is learnt about a file: it stays when a later step fails."""

    source: files.Source
    problems: list[Problem]
    memory: Remembering | None
    kernels: list[facts.Kernel] = field(default_factory=list)
    parameters: set[facts.ArgumentType] = field(default_factory=set)
    sought: dict[str, bool] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    altered: list[Span] = field(default_factory=list)
    skipped: list[tuple[int, int]] = field(default_factory=list)
    device: str = ""
    is_hip: bool = False
    device_assumed: bool = False

    def add(self, outcomes: Iterable[Outcome]) -> None:
        for outcome in outcomes:
            self.kernels += [found.kernel for found in outcome.results]
            self.parameters.update(outcome.parameters)
            self.problems += outcome.problems

    def file(self, more: Iterable[Outcome] = (), unfinished: bool = False) -> facts.File:
        """What is known so far, and some outcomes `more` that are not added yet. `unfinished`:
        stopped by the clock."""
        both = Gathered(
            self.source, list(self.problems), None, list(self.kernels), set(self.parameters)
        )
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
            tuple(sorted(both.parameters, key=lambda one: (one.name, one.type))),
            tuple(self.sought.items()),
            unfinished,
            tuple(self.altered),
            self.device,
            self.is_hip,
            tuple(self.skipped),
            self.device_assumed,
        )


def _distinct(problems: Sequence[Problem]) -> tuple[Problem, ...]:
    """In the order of the source; what is said alike of several instances of a template once, with
    their number."""
    alike: dict[object, list[Problem]] = {}
    for problem in dict.fromkeys(problems):
        message = (
            _INSTANCE.sub(r"`\1`", problem.message) if problem.code == CODE else problem.message
        )
        where = problem.span.path if message != problem.message else problem.span
        alike.setdefault((problem.code, where, message, problem.note), []).append(problem)
    told = [some[0] if len(some) == 1 else _of_instances(some) for some in alike.values()]
    return tuple(sorted(told, key=lambda p: (p.span.path, p.span.line, p.span.column, p.code)))


def _of_instances(some: Sequence[Problem]) -> Problem:
    first = min(some, key=lambda problem: (problem.span.line, problem.span.column))
    count, lines = (
        len({problem.message for problem in some}),
        sorted({problem.span.line for problem in some}),
    )
    also = "".join(f", {line}" for line in lines[1:])
    how = [f"{count} instances"] if count > 1 else []
    how += [f"lines {lines[0]}{also}"] if also else []
    if not how:
        return first
    return replace(
        first,
        message=_INSTANCE.sub(
            lambda match: f"`{match[1]}` ({', '.join(how)})", first.message, count=1
        ),
    )
