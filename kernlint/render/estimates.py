"""The estimated time of a launch, for the report. Goes in: a kernel's facts. Comes out: lines of
text."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.checks import words
from kernlint.checks.estimate_words import WORTH, cost, time
from kernlint.model import facts


def lines(kernel: facts.Kernel) -> Iterator[str]:
    """What the report prints of it."""
    found = kernel.estimate
    if isinstance(found, str):
        if found:
            yield f"estimated time: none, since {found}"
        return
    yield f"estimated time: {time(found)}, limited by {found.limiter}"
    parts = ", ".join(
        f"{name} {words.count(round(value))}" for name, value in found.parts.items() if value >= 1
    )
    yield f"  cycles, overlapping: {parts}; one block alone {words.count(found.block_cycles)}"
    saved = [s for s in found.savings if s.share >= WORTH]
    if saved:
        yield "  " + "; ".join(cost(s) for s in saved)
    limits = " and ".join(found.occupancy_limiters)
    yield f"  occupancy {words.share(found.occupancy, 1)}, limited by {limits}"
    for assumption in found.assumptions:
        yield f"  assumed: {assumption}"
