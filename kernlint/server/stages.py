"""When the findings of the kernels analysed so far are shown, while others are still under way.

Goes in: what the next kernel is expected to take. Comes out: calls of `show` with the facts so far
and the kernels that are missing. What was said of those before the edit may no longer hold, so it
is withdrawn and not moved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter

from kernlint.base.dataclass import dataclass
from kernlint.launches.resolve import Known
from kernlint.model import facts

FIRST = 0.12  # seconds of work until something is shown
# seconds until something is shown although not even the kernel that is edited is known
NEAREST = 0.4
SHORT = 0.15  # seconds of work left for which nothing is withdrawn: it would be back at once
# the same where nothing has been shown yet and times are known; seconds in which all is shown at
# once
BRIEF, SOON = (
    0.06,
    0.17,
)
GROWTH = 2.0  # each stage costs a little, so the next one waits longer
Show = Callable[[facts.File, Sequence[Known]], None]


@dataclass(frozen=True, slots=True)
class RemainingTime:
    """Seconds that the next kernel is expected to take, and until the others are done. `is_known`:
    their last analyses took so long; `is_edited`: the next kernel is the one that is edited."""

    next: float
    later: float
    is_known: bool
    is_edited: bool


class Stages:
    """Of one analysis. `nothing_shown`: nothing is there that would have to be withdrawn, so a
    stage without a kernel says nothing."""

    def __init__(self, show: Show | None = None, nothing_shown: bool = True) -> None:
        self._show, self._nothing_shown = show, nothing_shown
        self._last, self._wait, self._is_first = perf_counter(), FIRST, True

    def before(
        self, work: RemainingTime, so_far: Callable[[], facts.File], missing: Sequence[Known]
    ) -> None:
        """The first of the missing kernels comes next: show what there is where that would be
        late."""
        passed = perf_counter() - self._last
        wait = max(self._wait, NEAREST) if work.is_edited else self._wait
        if self._show is None or self._is_short(work, passed) or passed + work.next < wait:
            return
        file = so_far()
        if self._nothing_shown and not file.kernels:
            return
        self._show(file, missing)
        self._nothing_shown = self._is_first = False
        self._last, self._wait = perf_counter(), self._wait * GROWTH

    def _is_short(self, work: RemainingTime, passed: float) -> bool:
        left = work.next + work.later
        if self._is_first and work.is_known:
            return left < BRIEF or passed + left < SOON
        return left < SHORT
