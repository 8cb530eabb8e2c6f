"""Where in a body variables are read and assigned.

In: a body. Out: for a statement with bodies of its own, which variables are read, or assigned, only
inside it. Statements are numbered in their order, so that what lies inside one is an interval: bodies
of inlined functions nest deeply, and each level would be walked again for every one around it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable

from kernlint.ir import nodes as ir
from kernlint.ir.traversal import bodies, targets

_Interval = tuple[int, int]  # the first and the last of some numbers


class Extents:
    """`reads_by`: the variables that a statement itself reads."""

    def __init__(
        self, body: ir.Body, reads_by: Callable[[ir.Statement], frozenset[ir.Variable]]
    ) -> None:
        self._reads_by = reads_by
        self._numbers: dict[ir.Statement, _Interval] = {}
        self._reads: dict[ir.Variable, _Interval] = {}
        self._writes: dict[ir.Variable, _Interval] = {}
        self._count = 0
        for statement in body:
            self._number(statement)
        # by where they are assigned first: that is the order in which they were met
        self._assigned = list(self._writes)
        self._first = [first for first, _ in self._writes.values()]

    def _number(self, statement: ir.Statement) -> None:
        number = self._count
        self._count += 1
        for variable in self._reads_by(statement):
            self._reads[variable] = self._reads.get(variable, (number, 0))[0], number
        for variable in targets(statement):
            self._writes[variable] = self._writes.get(variable, (number, 0))[0], number
        inner = bodies(statement)
        for body in inner:
            for one in body:
                self._number(one)
        if inner:
            self._numbers[statement] = number, self._count - 1

    def reads_inside(self, statement: ir.Statement, variable: ir.Variable) -> bool:
        """Whether nothing outside the statement reads the variable."""
        return _inside(self._reads.get(variable), self._numbers[statement])

    def within(self, statement: ir.Statement) -> set[ir.Variable]:
        """The variables that are assigned inside the statement, and read and assigned nowhere
        else."""
        around = self._numbers[statement]
        start, stop = (bisect_left(self._first, n) for n in (around[0], around[1] + 1))
        return {
            variable
            for variable in self._assigned[start:stop]
            if _inside(self._writes[variable], around)
            and _inside(self._reads.get(variable), around)
        }


def _inside(numbers: _Interval | None, around: _Interval) -> bool:
    return numbers is None or (around[0] <= numbers[0] and numbers[1] <= around[1])
