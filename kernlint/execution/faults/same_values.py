"""Which threads write equal values with one store.

In: a kernel and its block. Out: `SameValues`, asked by store; what the values are made of is looked
at when the first is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from kernlint.execution.synchronisation.uniformity import (
    AXES,
    BLOCK,
    CHANGED,
    EVERY_AXIS,
    OTHER,
    WITHIN,
    WITHIN_BLOCK,
    stored,
)
from kernlint.execution.values.sums import Array
from kernlint.execution.values.values import REMOTE
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import expressions, walk, walk_expression

# what tells the values of threads of a scope apart
DIFFERENCES = {"grid": WITHIN_BLOCK | BLOCK, "block": WITHIN_BLOCK, "warp": WITHIN, "lane": BLOCK}


class SameValues:
    """`block`: its threads along x, y, z."""

    def __init__(self, kernel: ir.Kernel, block: tuple[int, int, int]) -> None:
        self.kernel, self.block = kernel, block

    @cached_property
    def _made_of(self) -> Mapping[ir.AccessSite, int]:
        return stored(self.kernel)

    @cached_property
    def sums(self) -> frozenset[ir.AccessSite]:
        """Of stores that add to what the same expression has loaded: `*p += 1`, `*p = *p + 1`."""
        loaded: dict[ir.Variable, str] = {}
        found: set[ir.AccessSite] = set()
        for statement in walk(self.kernel.body):
            if isinstance(statement, ir.Load):
                loaded |= {variable: statement.site.text for _, variable in statement.targets}
            elif isinstance(statement, ir.Store):
                values = (value for _, value in (*statement.values, *statement.untracked))
                if any(_adds_to(value, loaded, statement.site.text) for value in values):
                    found.add(statement.site)
        return frozenset(found)

    @cached_property
    def reach_other_blocks(self) -> bool:
        """Whether blocks of a cluster access each other's shared memory, so that several may hold
        what one has handed out."""
        every = (e for s in walk(self.kernel.body) for e in expressions(s))
        parts = (part for e in every for part in walk_expression(e))
        return any(isinstance(part, ir.Unknown) and part.reason == REMOTE for part in parts)

    def in_scope(self, site: ir.AccessSite, scope: str) -> bool:
        """Whether all threads of a block, of the grid, or those of one number ("lane") in all
        blocks write one value."""
        return not self._made_of.get(site, WITHIN | EVERY_AXIS) & DIFFERENCES[scope]

    def are_followed(self, site: ir.AccessSite) -> bool:
        """Whether no call that is not followed has a part in what is written."""
        return not self._made_of.get(site, OTHER) & (OTHER | CHANGED)

    def between(self, site: ir.AccessSite, one: Array, other: Array) -> Array:
        """Of pairs of threads of a block, those that write one value: they agree in all axes of
        their index that it is made of."""
        made_of = self._made_of.get(site, WITHIN | EVERY_AXIS)
        x, y, _ = self.block
        apart = np.zeros(np.broadcast_shapes(one.shape, other.shape), bool)
        for axis, (size, before) in zip(AXES, ((x, 1), (y, x), (1 << 62, x * y)), strict=True):
            if made_of & AXES[axis]:
                apart |= one // before % size != other // before % size
        same: Array = ~apart
        return same


def _adds_to(value: ir.Expression, loaded: Mapping[ir.Variable, str], text: str) -> bool:
    while isinstance(value, ir.Convert):
        value = value.operand
    if not isinstance(value, ir.Binary) or value.op not in ("+", "-"):
        return False
    parts = walk_expression(value)
    return any(isinstance(e, ir.Read) and loaded.get(e.variable) == text for e in parts)
