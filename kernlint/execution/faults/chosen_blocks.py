"""Which blocks of a grid are laid out lane by lane to find races between them.

In: events of one object, by sets of blocks. Out: positions of blocks in their sets: the first of each,
its neighbours along x and y, the last, and those that reach what the first block does:
`a[i] = a[i + 512]` in blocks of 256 threads meets what the next block but one writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from kernlint.base.dataclass import dataclass
from kernlint.execution.counting.requests import Shape
from kernlint.execution.faults.order import ATOMIC, READ, Event
from kernlint.execution.values.sums import BLOCK, LANE, Array

MOST_STRETCHES = 16  # of a set, each compared with those of the first block
MOST_BLOCKS = 1 << 16  # of a set, compared with the first
MOST_ADDED = 4


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Where accesses of a kind lie, by block: the first byte and the one behind the last, in the first
    iteration of the loops around."""

    kind: int
    low: Array
    high: Array

    def meets(self, block: _Stretch) -> Array:
        """Positions of blocks that may race with another one."""
        if self.kind == block.kind and self.kind in (READ, ATOMIC):
            return np.zeros(0, np.int64)
        return np.flatnonzero((self.low < block.high[0]) & (block.low[0] < self.high))


def neighbours(shape: Shape, across: int) -> list[int]:
    """`across`: blocks along x of the grid."""
    numbers = shape.blocks
    first = int(numbers[0])
    wanted = {first, first + 1, first + across, first + across + 1}
    return sorted({*np.flatnonzero(np.isin(numbers, list(wanted))).tolist(), len(numbers) - 1})


def with_partners(
    sets: Sequence[tuple[Sequence[Event], Shape]], across: int
) -> Sequence[list[int]]:
    """By set, its neighbours; where none of them may race with the first block of all, the nearest
    block that may."""
    chosen = [set(neighbours(shape, across)) for _, shape in sets]
    stretches = [_distinct(events, shape) for events, shape in sets]
    added = 0
    for own in stretches[0]:
        for number, some in enumerate(stretches):
            for other in some:
                met = [at for at in other.meets(own).tolist() if number or at]
                if met and chosen[number].isdisjoint(met) and added < MOST_ADDED:
                    chosen[number].add(met[0])
                    added += 1
    return [sorted(blocks) for blocks in chosen]


def _distinct(events: Iterable[Event], shape: Shape) -> list[_Stretch]:
    found: dict[object, _Stretch] = {}
    for event in events:
        if len(found) < MOST_STRETCHES:
            one = _stretch(event, min(len(shape.blocks), MOST_BLOCKS))
            found.setdefault((one.kind, int(one.low[0]), int(one.high[0])), one)
    return list(found.values())


def _stretch(event: Event, blocks: int) -> _Stretch:
    low = np.full(blocks, event.offset.const, np.int64)
    high = low + max(at + width for at, width in event.pieces)
    lanes = event.may.factors.get((LANE,)) if not event.may.negated else None
    if lanes is not None and not lanes.any():
        return _Stretch(event.kind, low, low)
    for key, array in event.offset.parts.items():
        for at in reversed(range(len(key))):
            if key[at] not in (LANE, BLOCK):
                array = array.take(0, axis=at)
            elif key[at] == BLOCK:
                array = array.take(np.arange(blocks) % array.shape[at], axis=at)
            elif lanes is not None and array.shape[at] == len(lanes):
                array = array.take(np.flatnonzero(lanes), axis=at)
        kept = [axis for axis in key if axis in (LANE, BLOCK)]
        over = (kept.index(LANE),) if LANE in kept else ()
        low = low + array.min(axis=over)
        high = high + array.max(axis=over)
    return _Stretch(event.kind, low, high)
