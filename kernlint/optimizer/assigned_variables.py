"""Which variables a statement may change for what runs after it.

In: a kernel's body. Out: of a branch, loop or region, the variables that it assigns and that
something outside of it may read. What one body alone assigns before it reads it, as most loaded
values are, concerns nothing outside of it: where the branches of a long chain join again, there is
no more to join than behind a short one.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.ir import nodes as ir
from kernlint.ir.traversal import bodies, read_by, targets


class AssignedVariables:
    """Of bodies, by number: `numbers` by identity, `outer` the one around each, `is_open` whether
    the walk is inside of it. `homes`: the innermost body that holds all that names a variable;
    `begins`: the body whose own statement assigns it before anything reads it."""

    def __init__(self, body: ir.Body) -> None:
        self.numbers: dict[int, int] = {}
        self.outer: list[int] = []
        self.is_open: list[bool] = []
        self.homes: dict[ir.Variable, int] = {}
        self.begins: dict[ir.Variable, int | None] = {}
        self.known: dict[ir.Statement, tuple[ir.Variable, ...]] = {}
        pending = [self._entered(body, 0)]
        while pending:
            number, statements = pending[-1]
            s = next(statements, None)
            if s is None:
                self.is_open[number] = False
                pending.pop()
                continue
            self.is_open[number] = True
            self._take(s, number)
            pending += [self._entered(inner, number) for inner in reversed(bodies(s))]

    def of(self, s: ir.Statement) -> tuple[ir.Variable, ...]:
        """In the order in which they are assigned."""
        if s not in self.known:
            found = dict.fromkeys(targets(s))
            for body in bodies(s):
                number = self.numbers[id(body)]
                inside = (v for inner in body for v in self.of(inner))
                found |= dict.fromkeys(v for v in inside if not self._is_local(v, number))
            self.known[s] = tuple(found)
        return self.known[s]

    def _is_local(self, v: ir.Variable, body: int) -> bool:
        return self.homes[v] == self.begins[v] == body

    def _entered(self, body: ir.Body, outer: int) -> tuple[int, Iterator[ir.Statement]]:
        number = self.numbers[id(body)] = len(self.outer)
        self.outer.append(outer)
        self.is_open.append(False)
        return number, iter(body)

    def _take(self, s: ir.Statement, number: int) -> None:
        read = read_by(s)
        for v in (*read, *targets(s)):
            home = self.homes.get(v)
            if home is None:
                self.homes[v] = number
                self.begins[v] = None if v in read else number
                continue
            while not self.is_open[home]:
                home = self.outer[home]
            self.homes[v] = home
