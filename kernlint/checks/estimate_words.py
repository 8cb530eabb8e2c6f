"""Estimated times in words, the same in every message. Goes in: facts. Comes out: text."""

from __future__ import annotations

from kernlint.checks import words
from kernlint.model import facts

ALIKE = 0.005  # by how much of the higher one bounds may differ that are not told
WORTH = 0.02  # shares of the estimated time below which no saving is told in words


def time(found: facts.Estimate) -> str:
    """5,694 cycles (2.91 µs) on h100, by wave model 1"""
    spread = between(found.cycles_low, found.cycles_high)
    within = f", {spread}" if spread else ""
    return f"{words.count(found.cycles)} cycles ({duration(found.microseconds)}{within}) on {found.device}, by {found.model}"


def shared(kernel: facts.Kernel) -> str:
    """8,771 cycles of its pipe per block (between 4,100 and 8,771): of shared memory, where it is
    known"""
    spread = between(kernel.shared_cycles_low, kernel.shared_cycles_high)
    within = f" ({spread})" if spread else ""
    return f"{words.count(round(kernel.shared_cycles or 0.0))} cycles of its pipe per block{within}"


def between(low: float | None, high: float | None) -> str:
    """ "" where they are one number, or nearly."""
    if low is None or high is None or high - low <= ALIKE * high:
        return ""
    return f"between {words.count(round(low))} and {words.count(round(high))}"


def duration(microseconds: float) -> str:
    """2.91 µs, 3.25 ms, 1.2 s: three digits, never in powers of ten."""
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if float(f"{microseconds:.3g}") >= size:
            return f"{float(f'{microseconds / size:.3g}'):,.10g} {unit}"
    return f"{microseconds:.3g} µs"


def cost(saving: facts.Saving) -> str:
    """bank conflicts cost 41 % of it"""
    verb = "cost" if saving.cause.endswith("s") else "costs"
    return f"{saving.cause} {verb} {100 * saving.share:.2g} % of the estimated time ({words.count(saving.cycles)} cycles)"
