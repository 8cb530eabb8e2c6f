"""The values that a known integer takes over the executions of an access, and which execution takes
one of them.

In: a `Sum` under a mask. Out: `Executions`: axes that do not mix, each group with the values that it
adds, so that a million threads cost one array per group. Never looks at objects or facts.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from kernlint.base.dataclass import dataclass
from kernlint.execution.counting.requests import Shape, components, of_group
from kernlint.execution.values.booleans import Bool, positive
from kernlint.execution.values.sums import BLOCK, DENSE_LIMIT, LANE, Array, Key, Sum, TooDense

Place = Mapping[int, int]  # by axis, the position along it


@dataclass(frozen=True, slots=True)
class Group:
    """Axes that mix with one another: what each of their active positions adds."""

    key: Key
    extents: tuple[int, ...]
    positions: Array  # of the axes together, ascending
    values: Array

    def place(self, at: int) -> Place:
        found = np.unravel_index(int(self.positions[at]), self.extents)
        return dict(zip(self.key, map(int, found), strict=True))


@dataclass(frozen=True, slots=True)
class Executions:
    """The executions of an access: a choice of one position from each group. Blocks come first."""

    const: int
    groups: tuple[Group, ...]

    @property
    def low(self) -> int:
        return self.const + sum(int(group.values.min()) for group in self.groups)

    @property
    def high(self) -> int:
        return self.const + sum(int(group.values.max()) for group in self.groups)

    def first_above(self, limit: int) -> Place:
        """An execution whose value is more than `limit`, which `high` exceeds: in the first block
        that has one, of the first thread there."""
        place: dict[int, int] = {}
        rest = self.high
        for group in self.groups:
            others = rest - int(group.values.max())
            at = int(np.argmax(group.values + others > limit))
            place |= group.place(at)
            rest = others + int(group.values[at])
        return place

    def first_below(self, limit: int) -> Place:
        """An execution whose value is less than `limit`, as above."""
        mirrored = tuple(
            Group(group.key, group.extents, group.positions, -group.values) for group in self.groups
        )
        return Executions(-self.const, mirrored).first_above(-limit)

    def first_unaligned(self, unit: int) -> Place | None:
        """An execution whose value is no multiple of `unit`; None where there is none."""
        found: dict[int, Place] = {self.const % unit: {}}
        for group in self.groups:
            rests, first = np.unique(group.values % unit, return_index=True)
            order = sorted(zip(first.tolist(), rests.tolist(), strict=True), reverse=True)
            found = {
                (before + rest) % unit: {**place, **group.place(at)}
                for at, rest in order
                for before, place in found.items()
            }
        places = [place for rest, place in found.items() if rest]
        return min(places, key=_in_order, default=None)


def executions_of(value: Sum, mask: Bool, shape: Shape) -> Executions | None:
    """What an access at `value` does under `mask`; None where nothing executes it. Raises TooDense
    where axes that mix have too many positions."""
    mask = positive(mask)
    if mask.empty:
        return None
    groups = []
    for axes in components([*value.parts, *mask.factors]):
        key = tuple(sorted(axes, key=_first_blocks))
        extents = tuple(shape.sizes[axis] for axis in sorted(axes))
        if np.prod(extents) > DENSE_LIMIT:
            raise TooDense
        added, active = of_group(value, mask, axes)
        order = tuple(sorted(axes).index(axis) for axis in key)
        flags = np.broadcast_to(active, extents).transpose(order).reshape(-1)
        positions = np.flatnonzero(flags)
        if not len(positions):
            return None
        values = np.broadcast_to(added, extents).transpose(order).reshape(-1)[positions]
        groups.append(Group(key, tuple(shape.sizes[axis] for axis in key), positions, values))
    groups.sort(key=lambda group: _first_blocks(group.key[0]))
    return Executions(value.const, tuple(groups))


def _in_order(place: Place) -> tuple[int, int]:
    return place.get(BLOCK, 0), place.get(LANE, 0)


def _first_blocks(axis: int) -> tuple[bool, bool, int]:
    """Orders axes: blocks, threads, then the iterations of loops."""
    return axis != BLOCK, axis != LANE, axis
