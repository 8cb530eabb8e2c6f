"""What a kernel's accesses to one memory space come to as the machine executes them: over the
launch, or in a block where the grid is not known.

Goes in: a kernel, a space. Comes out: a `TrafficShare`. Counts nothing that facts do not.
"""

from __future__ import annotations

from kernlint.base.dataclass import dataclass
from kernlint.checks import context, words
from kernlint.model import facts

GONE = ("eliminated", "forwarded")


@dataclass(frozen=True, slots=True)
class TrafficShare:
    """Wavefronts or sectors, at least and at most; `ideal`: what ideal accesses would need of them,
    `waste`: what is beyond that. `complete`: of all accesses to the space."""

    low: float
    high: float
    ideal: tuple[float, float]  # an access that may not be there needs nothing
    waste: tuple[float, float]
    complete: bool

    @property
    def excess(self) -> tuple[float, float]:
        """The share that ideal accesses would not need, at least and at most."""
        (fewest, most), (least, worst) = self.ideal, self.waste
        return least / (least + most) if least else 0.0, worst / (worst + fewest) if worst else 0.0


def of(kernel: facts.Kernel, space: str) -> TrafficShare | None:
    """None where nothing is known."""
    low = high = fewest = most = least = worst = 0.0
    complete = True
    for access in kernel.accesses:
        if access.space != space or is_gone(access):
            continue
        entry = executed(kernel, access)
        often = (
            None
            if entry is None
            else entry.requests
            if kernel.launch.grid is not None
            else _in_block(entry)
        )
        if entry is None or often is None:
            complete = False
        else:
            counts = entry.counts
            low += counts.mean_low * often
            high += counts.mean_high * often
            fewest += min(counts.ideal, counts.mean_low) * often
            most += counts.ideal * often
            least += max(0.0, counts.mean_low - counts.ideal) * often
            worst += max(0.0, counts.mean_high - counts.ideal) * often
    return TrafficShare(low, high, (fewest, most), (least, worst), complete) if high else None


def executed(kernel: facts.Kernel, access: facts.Access) -> context.Executed | None:
    """As compiled where that is known, else as written; None where the counts are not known, or
    nothing is left of it."""
    return context.executed(
        kernel,
        access,
        lambda one: None if one.status == "unknown" else words.counter(one, one.space),
    )


def is_gone(access: facts.Access) -> bool:
    """Whether the compiler leaves no request of it."""
    compiled = access.as_compiled
    return compiled is not None and (compiled.requests == 0 or compiled.reason in GONE)


def _in_block(entry: context.Executed) -> facts.Number | None:
    return entry.in_block if entry.compiled else entry.access.per_block
