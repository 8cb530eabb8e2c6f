"""The estimated time of a launch, for the report. Goes in: a kernel's facts. Comes out: lines of
text or plain dictionaries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kernlint.checks import words
from kernlint.checks.estimate_words import WORTH, cost, time
from kernlint.model import facts


def to_json(kernel: facts.Kernel) -> dict[str, Any]:
    """The key `estimate` (null with `estimate_reason` where there is none), or nothing where it was
    not asked for."""
    found = kernel.estimate
    if isinstance(found, str):
        return {"estimate": None, "estimate_reason": found} if found else {}
    entry: dict[str, Any] = {
        "device": found.device,
        "model": found.model,
        "cycles": found.cycles,
        "microseconds": found.microseconds,
        "limiter": found.limiter,
        "parts": found.parts,
        "block_cycles": found.block_cycles,
        "instructions": found.instructions,
        "savings": [
            {"cause": s.cause, "cycles": s.cycles, "share": round(s.share, 4)}
            for s in found.savings
        ],
        "occupancy": {
            "share": found.occupancy,
            "limiters": list(found.occupancy_limiters),
            "registers": found.registers,
        },
        "assumptions": list(found.assumptions),
    }
    if found.cycles_low != found.cycles_high:
        entry |= {"cycles_low": found.cycles_low, "cycles_high": found.cycles_high}
    return {"estimate": entry}


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
