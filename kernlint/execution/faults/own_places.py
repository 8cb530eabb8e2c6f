"""Accesses of which each thread has places of its own, as `out[i]`: they race with none.

In: events of one object. Out: whether all have the same address, and that differs between all
threads. Decided by the strides of the address alone, without a look at single lanes.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from kernlint.execution.faults.lanes import NumberedEvents
from kernlint.execution.faults.order import Event
from kernlint.execution.values.sums import BLOCK, LANE, Array, sum_identity

Stretch = tuple[int, int]  # the first byte and the one behind the last


def own_places(sets: Sequence[NumberedEvents], between_blocks: bool) -> bool:
    """`between_blocks`: whether blocks share the object."""
    stretches = [_stretch(some, between_blocks) for some in sets]
    found = sorted(one for one in stretches if one is not None)
    if len(found) < len(stretches):
        return False
    return not between_blocks or all(end <= start for (_, end), (start, _) in pairwise(found))


def _stretch(some: NumberedEvents, between_blocks: bool) -> Stretch | None:
    """Where the accesses of a set lie; None where threads may share places."""
    events = [event for _, event in some.numbered]
    first = events[0]
    pieces, address = first.pieces, sum_identity(first.offset)
    for other in events[1:]:
        if other.pieces != pieces or sum_identity(other.offset) != address:
            return None
    width = max(at + size for at, size in pieces)
    needed = {LANE}
    if between_blocks and len(some.shape.blocks) > 1:
        needed.add(BLOCK)
    # what differs between all lanes does between those that a branch leaves
    if not _differs(first, width, needed, None) and not all(
        _differs(event, width, needed, _lanes(event)) for event in events
    ):
        return None
    return first.offset.low, first.offset.high + width


def _lanes(event: Event) -> Array | None:
    """The lanes that make an access; None where all may."""
    return event.may.factors.get((LANE,)) if not event.may.negated else None


def _differs(event: Event, width: int, needed: set[int], lanes: Array | None) -> bool:
    """Whether the address differs between all positions of all axes, by `width` bytes at least.
    `lanes`: those that count."""
    parts = event.offset.parts
    if any(len(key) != 1 for key in parts):
        return False
    if not needed <= {key[0] for key in parts}:
        return False
    steps = []
    for (axis,), array in parts.items():
        if axis == LANE and lanes is not None:
            array = array[lanes]
        places = array if _grows(array) else np.sort(array)
        steps.append((_least_step(places), int(places[-1] - places[0]) if len(places) else 0))
    reach = width
    for step, span in sorted(steps):
        if step < reach:
            return False
        reach += span
    return True


def _grows(places: Array) -> bool:
    return bool((places[1:] >= places[:-1]).all())


def _least_step(places: Array) -> int:
    return int(np.diff(places).min()) if len(places) > 1 else 1 << 62
