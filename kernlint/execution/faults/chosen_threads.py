"""Stores that data may leave to one thread of those that meet at a place.

In: a kernel. Out: `ChosenThreads`, asked by store. A guard chooses a thread where it holds what each
loads against its own number (`best == threadIdx.x`, as behind a reduction), or one value against two
bounds that each loads (`before < k && k <= after`, as in prefix sums): which of them pass is for the
data, and such code is written for data that lets one through.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import combinations

from kernlint.base.relations import MIRRORED, OPPOSITE
from kernlint.execution.synchronisation.uniformity import (
    DATA,
    INDEX,
    OTHER,
    HeldTest,
    compared,
)
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import bodies, sites, unconverted

LOADED = DATA | OTHER
BELOW, ABOVE = ("<", "<="), (">", ">=")


class ChosenThreads:
    def __init__(self, kernel: ir.Kernel) -> None:
        self.kernel = kernel

    def may_be_one(self, site: ir.AccessSite) -> bool:
        """Whether a guard around chooses a thread by what the data is."""
        return site in self._chosen

    @cached_property
    def _chosen(self) -> frozenset[ir.AccessSite]:
        return frozenset(_chosen(self.kernel.body, (), compared(self.kernel)))


def _chosen(
    body: ir.Body,
    around: tuple[HeldTest, ...],
    compared_by: Mapping[ir.If, tuple[HeldTest, ...]],
) -> Iterator[ir.AccessSite]:
    for s in body:
        if isinstance(s, ir.Store) and _choose(around):
            yield from sites(s)
        elif isinstance(s, ir.If):
            own = compared_by.get(s, ())
            yield from _chosen(s.then, (*around, *own), compared_by)
            yield from _chosen(s.otherwise, (*around, *_denied(own)), compared_by)
        else:
            for part in bodies(s):
                yield from _chosen(part, around, compared_by)


def _denied(comparisons: tuple[HeldTest, ...]) -> tuple[HeldTest, ...]:
    """What holds where these do not all hold."""
    if len(comparisons) != 1 or comparisons[0].operator not in OPPOSITE:
        return ()
    [one] = comparisons
    return (HeldTest(OPPOSITE[one.operator], one.sides, one.by),)


def _choose(around: tuple[HeldTest, ...]) -> bool:
    return any(map(_names_thread, around)) or any(
        _are_bounds(*both) for both in combinations(_bounds(around), 2)
    )


def _names_thread(one: HeldTest) -> bool:
    """Whether it holds a thread's number against what is loaded."""
    return one.operator == "==" and any(
        number & INDEX and not number & LOADED and loaded & LOADED
        for number, loaded in (one.by, one.by[::-1])
    )


# the variable that is bounded, the operator, the bound
_Bound = tuple[ir.Variable, str, ir.Expression]


def _bounds(around: tuple[HeldTest, ...]) -> list[_Bound]:
    """The comparisons of a variable that nobody loads with what each thread loads."""
    found: list[_Bound] = []
    for one in around:
        ways = (
            (one.operator, one.sides, one.by),
            (MIRRORED.get(one.operator, ""), one.sides[::-1], one.by[::-1]),
        )
        for operator, (value, bound), (by, loaded) in ways:
            named = unconverted(value)
            if isinstance(named, ir.Read) and not by & LOADED and loaded & LOADED:
                found.append((named.variable, operator, unconverted(bound)))
    return found


def _are_bounds(one: _Bound, other: _Bound) -> bool:
    """Whether they bound one variable from both sides, by two different values."""
    (variable, operator, bound), (again, opposite, end) = one, other
    from_both_sides = (operator in BELOW and opposite in ABOVE) or (
        operator in ABOVE and opposite in BELOW
    )
    return variable is again and from_both_sides and bound != end
