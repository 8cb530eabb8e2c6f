"""Estimated times in words, the same in every message. Goes in: facts. Comes out: text."""

from __future__ import annotations

from kernlint import facts
from kernlint.checks import words

WORTH = 0.02  # shares of the estimated time below which no saving is told in words


def time(found: facts.Estimate) -> str:
    """5,694 cycles (2.91 µs) on h100, by wave model 1"""
    spread = ""
    if found.cycles_low != found.cycles_high:
        spread = f", between {words.count(found.cycles_low)} and {words.count(found.cycles_high)}"
    return f"{words.count(found.cycles)} cycles ({duration(found.microseconds)}{spread}) on {found.device}, by {found.model}"


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
