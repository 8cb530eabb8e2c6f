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
    return f"{words.count(found.cycles)} cycles ({found.microseconds:.3g} µs{spread}) on {found.device}, by {found.model}"


def cost(saving: facts.Saving) -> str:
    """bank conflicts cost 41 % of it"""
    verb = "cost" if saving.cause.endswith("s") else "costs"
    return f"{saving.cause} {verb} {100 * saving.share:.2g} % of the estimated time ({words.count(saving.cycles)} cycles)"
