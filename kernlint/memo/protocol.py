"""What the engine may take instead of working: outcomes of an earlier text of the same file
(`kernlint/server/incremental.py`).

Goes in: what an outcome depends on, and the work. Comes out: the outcome, remembered or made. A run
of the command line remembers nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from kernlint.base.dataclass import dataclass
from kernlint.base.deadline import SPENT
from kernlint.base.span import Problem
from kernlint.launches import resolve
from kernlint.model import facts
from kernlint.model.settings import LaunchDirective
from kernlint.source.directives import Assumption

if TYPE_CHECKING:
    from kernlint.execution.measured import LaunchResult, Measured
    from kernlint.ir import nodes as ir
    from kernlint.source.parser.parser import Unit
    from kernlint.source.preprocessor.preprocess import Preprocessed


# in a template argument: its body stands in host code, and its name moves with its line
LAMBDA = "lambda at line "


@dataclass(frozen=True, slots=True)
class OfLaunch:
    """A kernel's facts under the launch at `position` of those asked for; `measured`: what its
    estimate is made of."""

    position: int
    kernel: facts.Kernel
    measured: Measured | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the analysis of one kernel gives: its facts by launch, what is wrong, the types of its
    arguments."""

    results: tuple[OfLaunch, ...]
    problems: tuple[Problem, ...]
    parameters: tuple[facts.ArgumentType, ...]


@dataclass(frozen=True, slots=True)
class ReachedLaunch:
    """A launch in host code of the kernel at `position` of the file."""

    position: int
    launch: facts.Launch


@dataclass(frozen=True, slots=True)
class Hosted:
    """What the host code of a file gives."""

    launches: tuple[ReachedLaunch, ...]
    problems: tuple[Problem, ...]
    settable: tuple[facts.ArgumentType, ...] = ()  # host variables whose values a user may give


@dataclass(frozen=True, slots=True)
class Asked:
    """One kernel to be analysed under some launches. `said`: its directives."""

    kernel: resolve.Known
    launches: Sequence[facts.Launch]
    said: Sequence[LaunchDirective | Assumption] = ()


def takes_lambda(launches: Iterable[facts.Launch]) -> bool:
    """Whether a kernel is given a lambda: such launches are known only while the host code around
    them is."""
    return any(LAMBDA in argument for launch in launches for argument in launch.template_arguments)


def spent(outcome: Outcome | Hosted) -> bool:
    """Whether any of it was stopped by the clock: another time it may not be."""
    return any(SPENT in problem.message for problem in outcome.problems)


class Recall(Protocol):
    """One text of one file. `order`: in which order to work, as positions; `begins`: whether a first
    launch of a kernel is to be analysed before all others of the file; `working`: told before
    each kernel, and how to make a file of what is known so far; `launch`: one launch of a kernel
    that is lowered, with what suggests its block; `executed`: its execution."""

    def order(self, asked: Sequence[Asked]) -> Iterable[int]: ...

    def begins(self, asked: Asked) -> bool: ...

    def working(self, asked: Asked, so_far: Callable[[], facts.File]) -> None: ...

    def kernel(self, asked: Asked, work: Callable[[], Outcome]) -> Outcome: ...

    def launch(
        self,
        kernel: resolve.Known,
        instance: ir.Kernel,
        launch: facts.Launch,
        why: str,
        work: Callable[[], Outcome],
    ) -> Outcome: ...

    def executed(
        self, instance: ir.Kernel, launch: facts.Launch, work: Callable[[], LaunchResult]
    ) -> LaunchResult: ...

    def host(self, said: str, work: Callable[[], Hosted]) -> Hosted: ...


class Remembering(Protocol):
    """A file between its edits."""

    def at(
        self, path: str, text: str, prepared: Preprocessed, unit: Unit, constants: Mapping[str, int]
    ) -> Recall: ...


class Nothing:
    """Remembers nothing."""

    def order(self, asked: Sequence[Asked]) -> Iterable[int]:
        return range(len(asked))

    def begins(self, asked: Asked) -> bool:
        return True

    def working(self, asked: Asked, so_far: Callable[[], facts.File]) -> None:
        return

    def kernel(self, asked: Asked, work: Callable[[], Outcome]) -> Outcome:
        return work()

    def launch(
        self,
        kernel: resolve.Known,
        instance: ir.Kernel,
        launch: facts.Launch,
        why: str,
        work: Callable[[], Outcome],
    ) -> Outcome:
        return work()

    def executed(
        self, instance: ir.Kernel, launch: facts.Launch, work: Callable[[], LaunchResult]
    ) -> LaunchResult:
        return work()

    def host(self, said: str, work: Callable[[], Hosted]) -> Hosted:
        return work()
