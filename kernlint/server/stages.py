"""When the findings of the kernels analysed so far are shown, while others are still under way.

Goes in: what the next kernel is expected to take. Comes out: calls of `show` with the facts so far and the kernels that are missing. What
was said of those before the edit may no longer hold, so it is withdrawn and not moved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter

from kernlint import facts
from kernlint.launching import Known

FIRST = 0.12  # seconds of work until something is shown
NEAREST = 0.4  # seconds until something is shown although not even the kernel nearest to the edit is known
SHORT = 0.15  # seconds of work left for which nothing is withdrawn: it would be back at once
GROWTH = 2.0  # each stage costs a little, so the next one waits longer
Show = Callable[[facts.File, Sequence[Known]], None]


class Stages:
    """Of one analysis. `nothing_shown`: nothing is there that would have to be withdrawn, so a stage without a kernel says nothing."""

    def __init__(self, show: Show | None = None, nothing_shown: bool = True) -> None:
        self._show, self._nothing_shown = show, nothing_shown
        self._last, self._wait = perf_counter(), FIRST
        self._is_nearest = True

    def before(self, seconds: float, later: float, so_far: Callable[[], facts.File], missing: Sequence[Known]) -> None:
        """The first of the missing kernels comes next and takes so many seconds, the others will be done so much later: show what there is
        where that would be late."""
        wait = max(self._wait, NEAREST) if self._is_nearest else self._wait
        self._is_nearest = False
        if self._show is None or seconds + later < SHORT or perf_counter() + seconds < self._last + wait:
            return
        file = so_far()
        if self._nothing_shown and not file.kernels:
            return
        self._show(file, missing)
        self._nothing_shown = False
        self._last, self._wait = perf_counter(), self._wait * GROWTH
