"""Who analyses which kernel of a text: this process alone, or worker processes beside it
(`crew.py`, `worker.py`).

Goes in: the kernels in the order of their worth. Comes out: positions in the order in which this
process takes them, and outcomes that others have made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from kernlint.base.dataclass import dataclass
from kernlint.memo.protocol import Outcome


@dataclass(frozen=True, slots=True)
class Task:
    """The kernel at `position` of those asked for. `key`: of all that its outcome depends on, ""
    where nobody else could tell that it is the same; `known`: its outcome is remembered; `seconds`:
    that it is expected to take."""

    position: int
    key: str
    known: bool
    seconds: float


class Sharing(Protocol):
    """Of one analysis. `order`: what to take, one after the other; `expected` gives the seconds
    that the missing ones will take. `outcome`: of a kernel that another process was quicker with,
    and the seconds that one takes there, 0 where none was executed; `made`: told of every outcome
    and of its seconds; `hands`: processes at work."""

    @property
    def hands(self) -> int: ...

    def order(self, tasks: Sequence[Task], expected: Callable[[], float]) -> Iterator[int]: ...

    def outcome(self, key: str) -> tuple[Outcome, float] | None: ...

    def made(self, key: str, outcome: Outcome, seconds: float) -> None: ...

    def end(self) -> None: ...


class Alone:
    """This process does everything."""

    hands = 1

    def order(self, tasks: Sequence[Task], expected: Callable[[], float]) -> Iterator[int]:
        return (task.position for task in tasks)

    def outcome(self, key: str) -> tuple[Outcome, float] | None:
        return None

    def made(self, key: str, outcome: Outcome, seconds: float) -> None:
        return

    def end(self) -> None:
        return
