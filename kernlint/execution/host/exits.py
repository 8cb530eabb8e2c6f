"""Launches behind an early return that the device may decide: `if (p.major < 9) return 0;`.

In: a lowered host function. Out: the launches in it. `pruning` takes such returns not to happen, so
that no run of the host code sees them. A condition counts as decided where only constants, memory
that was allocated and the number of the program's arguments are in it: a program is analysed as it
is meant to run. Never runs anything.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from kernlint.base.dataclass import dataclass, field
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import bodies, expressions, reads, targets, walk, walk_expression


def behind_open_exits(function: ir.HostFunction) -> set[ir.HostLaunch]:
    """The launches that an earlier return of the function may keep host code from."""
    paths = _Paths(function.label, _open_variables(function))
    paths.run(function.body, ())
    return paths.launches


@dataclass(slots=True)
class _Paths:
    """`left`: the labels that lanes may have left to, of the scopes around."""

    exit: ir.Label
    open_ones: set[ir.Variable]
    left: set[ir.Label] = field(default_factory=set)
    launches: set[ir.HostLaunch] = field(default_factory=set)

    def run(self, body: ir.Body, around: tuple[ir.Expression, ...]) -> None:
        """`around`: the conditions that the body stands under."""
        for s in body:
            match s:
                case ir.HostLaunch():
                    if self.exit in self.left:
                        self.launches.add(s)
                case ir.Leave():
                    if self.left or any(_is_open(e, self.open_ones) for e in around):
                        self.left.add(s.label)
                case _:
                    under = around if isinstance(s, ir.Region) else (*around, *expressions(s))
                    for inner in bodies(s):
                        self.run(inner, under)
                    if isinstance(s, ir.Region | ir.Loop):
                        self.left.discard(s.label)


def _open_variables(function: ir.HostFunction) -> set[ir.Variable]:
    """The variables whose values hang on more than the program's text, wherever they are read."""
    parameters = {p.variable for p in function.parameters}
    found = parameters if function.name != "main" else set[ir.Variable]()
    users: defaultdict[ir.Variable, list[ir.Variable]] = defaultdict(list)
    for s in walk(function.body):
        if isinstance(s, ir.Assign):
            found |= {s.variable} if _is_open(s.value, ()) else set()
            for variable in reads(s.value):
                users[variable].append(s.variable)
        elif not isinstance(s, ir.Allocate):
            found |= set(targets(s))
    pending = list(found)
    while pending:
        more = set(users[pending.pop()]) - found
        found |= more
        pending += more
    return found


def _is_open(e: ir.Expression, open_ones: Iterable[ir.Variable]) -> bool:
    unknown = any(isinstance(part, ir.Unknown) for part in walk_expression(e))
    return unknown or not reads(e).isdisjoint(open_ones)
