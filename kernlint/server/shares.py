"""What a kernel's accesses to one memory space come to as the machine executes them: over the launch, or in a block where the grid is not
known.

Goes in: a kernel, a space. Comes out: a `Sum`. Counts nothing that facts do not.
"""

from __future__ import annotations

from kernlint import facts
from kernlint.checks import context, words
from kernlint.records import dataclass

GONE = ("eliminated", "forwarded")


@dataclass(frozen=True, slots=True)
class Sum:
    """Wavefronts or sectors, at least and at most, and as few as they could be. `complete`: of all accesses to the space."""

    low: float
    high: float
    ideal: float
    complete: bool

    @property
    def excess(self) -> tuple[float, float]:
        """The share that ideal accesses would not need, at least and at most."""
        low, high = (max(0.0, 1 - self.ideal / some) if some else 0.0 for some in (self.low, self.high))
        return low, high


def of(kernel: facts.Kernel, space: str) -> Sum | None:
    """None where nothing is known."""
    low = high = ideal = 0.0
    complete = True
    for access in kernel.accesses:
        if access.space != space or is_gone(access):
            continue
        entry = executed(kernel, access)
        often = None if entry is None else entry.requests if kernel.launch.grid is not None else _in_block(entry)
        if entry is None or often is None:
            complete = False
        else:
            low += entry.counts.mean_low * often
            high += entry.counts.mean_high * often
            ideal += entry.counts.ideal * often
    return Sum(low, high, ideal, complete) if high else None


def executed(kernel: facts.Kernel, access: facts.Access) -> context.Executed | None:
    """As compiled where that is known, else as written; None where the counts are not known, or nothing is left of it."""
    return context.executed(kernel, access, lambda one: None if one.status == "unknown" else words.counter(one, one.space))


def is_gone(access: facts.Access) -> bool:
    """Whether the compiler leaves no request of it."""
    compiled = access.as_compiled
    return compiled is not None and (compiled.requests == 0 or compiled.reason in GONE)


def _in_block(entry: context.Executed) -> facts.Number | None:
    return entry.in_block if entry.compiled else entry.access.per_block
