"""Stores that data may leave to one thread of those that meet at a place.

In: a kernel. Out: `ChosenThreads`, asked by store. A guard chooses a thread where it holds what threads
have found together against its own number (`best == threadIdx.x`, as behind a reduction), or one value
against two bounds that each loads (`before < k && k <= after`, as in prefix sums): which of them pass is
for the data, and such code is written for data that lets one through. What each thread makes of its own
element alone (`parent[t] == t`) lets any number through.
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
from kernlint.ir.traversal import bodies, sites, targets, unconverted, walk, walk_expression

LOADED = DATA | OTHER
JOINING = ("/", "%", "&", ">>")
BELOW, ABOVE = ("<", "<="), (">", ">=")


class ChosenThreads:
    def __init__(self, kernel: ir.Kernel) -> None:
        self.kernel = kernel

    def may_be_one(self, site: ir.AccessSite) -> bool:
        """Whether a guard around chooses a thread by what the data is."""
        return site in self._chosen

    @cached_property
    def _chosen(self) -> frozenset[ir.AccessSite]:
        tests = compared(self.kernel)
        return frozenset(_chosen(self.kernel.body, (), tests, _OwnValues(self.kernel.body)))


class _OwnValues:
    """What each thread makes of its own elements: no loop, no exchange with others, and no element
    that several threads look at."""

    def __init__(self, body: ir.Body) -> None:
        self.made: dict[ir.Variable, list[ir.Statement]] = {}
        for s in walk(body):
            for variable in targets(s):
                self.made.setdefault(variable, []).append(s)
        self.own: dict[ir.Variable, bool] = {}

    def are_all(self, e: ir.Expression) -> bool:
        """Whether all that an expression is made of is."""
        return all(map(self._is_own, _variables(e)))

    def _is_own(self, variable: ir.Variable) -> bool:
        known = self.own.get(variable)
        if known is None:
            self.own[variable] = False  # of what is made of itself
            known = self.own[variable] = self._is_made_alone(self.made.get(variable, []))
        return known

    def _is_made_alone(self, made: list[ir.Statement]) -> bool:
        match made:
            case []:  # an argument
                return True
            case [ir.Assign(value=value)]:
                return self.are_all(value)
            case [ir.Load(address=address)]:
                return self.are_all(address) and not self._joins_threads(address)
        return False

    def _joins_threads(self, address: ir.Expression) -> bool:
        """Whether it is the same for several threads, as `t / 32`."""
        if any(isinstance(e, ir.Binary) and e.op in JOINING for e in walk_expression(address)):
            return True
        made = (s for v in _variables(address) for s in self.made.get(v, ()))
        return any(isinstance(s, ir.Assign) and self._joins_threads(s.value) for s in made)


def _variables(e: ir.Expression) -> Iterator[ir.Variable]:
    return (part.variable for part in walk_expression(e) if isinstance(part, ir.Read))


def _chosen(
    body: ir.Body,
    around: tuple[HeldTest, ...],
    compared_by: Mapping[ir.If, tuple[HeldTest, ...]],
    values: _OwnValues,
) -> Iterator[ir.AccessSite]:
    for s in body:
        if isinstance(s, ir.Store) and _choose(around, values):
            yield from sites(s)
        elif isinstance(s, ir.If):
            own = compared_by.get(s, ())
            yield from _chosen(s.then, (*around, *own), compared_by, values)
            yield from _chosen(s.otherwise, (*around, *_denied(own)), compared_by, values)
        else:
            for part in bodies(s):
                yield from _chosen(part, around, compared_by, values)


def _denied(comparisons: tuple[HeldTest, ...]) -> tuple[HeldTest, ...]:
    """What holds where these do not all hold."""
    if len(comparisons) != 1 or comparisons[0].operator not in OPPOSITE:
        return ()
    [one] = comparisons
    return (HeldTest(OPPOSITE[one.operator], one.sides, one.by),)


def _choose(around: tuple[HeldTest, ...], values: _OwnValues) -> bool:
    return any(_names_thread(one, values) for one in around) or any(
        _are_bounds(*both) for both in combinations(_bounds(around), 2)
    )


def _names_thread(one: HeldTest, values: _OwnValues) -> bool:
    """Whether it holds a thread's number against what threads have found."""
    sides = tuple(zip(one.by, one.sides, strict=True))
    return one.operator == "==" and any(
        number & INDEX and not number & LOADED and loaded & LOADED and not values.are_all(found)
        for (number, _), (loaded, found) in (sides, sides[::-1])
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
