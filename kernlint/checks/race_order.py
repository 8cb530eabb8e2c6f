"""Which access of a race comes first. Goes in: a race with its kernel's barriers. Comes out: the race
with the accesses in the order in which threads run into it.

A barrier between the two lines orders them in one iteration of a loop. They race all the same if
fast threads make the access in the earlier line for the next iteration while slow ones are still at
the other.
"""

from __future__ import annotations

from dataclasses import replace

from kernlint.model.facts import Kernel, Race

# scopes of barriers that order the accesses of a race
ORDERING = {"warp": ("warp", "block", "grid"), "block": ("block", "grid"), "grid": ("grid",)}


def in_order(race: Race, kernel: Kernel) -> Race:
    first, last = race.other.line, race.span.line
    is_parted = any(
        barrier.scope in ORDERING[race.scope]
        and barrier.uniform
        and barrier.span.path == race.span.path
        and first < barrier.span.line < last
        for barrier in kernel.barriers
    )
    return _turned(race) if is_parted and race.other.path == race.span.path else race


def _turned(race: Race) -> Race:
    return replace(
        race,
        span=race.other,
        text=race.other_text,
        op=race.other_op,
        other=race.span,
        other_text=race.text,
        other_op=race.op,
        threads=race.threads[::-1],
        blocks=race.blocks[::-1],
    )
