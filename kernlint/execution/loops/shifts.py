"""Loops that move a thread's array along until data stop them: the insertion into a sorted list of
the k best, `while (k > 0 && best[k - 1] > v) { best[k] = best[k - 1]; --k; } best[k] = v;`.

In: a body, whether a loop around runs as often as a value says. Out: the variables that such loops
leave where data say. nvcc 13.0 for sm_90 does not unroll the loop then: the array lies in local
memory (165 kernels, tests/data/local_arrays/shifts.tsv).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kernlint.ir import nodes as ir
from kernlint.ir.traversal import reads, targets, walk, walk_expression


def shifted_by(body: ir.Body, is_open: Callable[[ir.Loop], bool]) -> frozenset[ir.Variable]:
    """Indices that a loop counts until loaded data end it, at which it stores to the thread's own
    array, in a loop of which `is_open` holds."""
    found: set[ir.Variable] = set()
    for outer in walk(body):
        if isinstance(outer, ir.Loop) and is_open(outer):
            for inner in walk((*outer.header, *outer.body, *outer.step)):
                if isinstance(inner, ir.Loop) and _ended_by_data(inner):
                    found |= set(_counted(inner))
    return frozenset(found)


def _ended_by_data(loop: ir.Loop) -> bool:
    data: set[ir.Variable] = set()
    for s in walk((*loop.header, *loop.body)):
        by_data = isinstance(s, ir.Load) or (isinstance(s, ir.Assign) and reads(s.value) & data)
        data |= set(targets(s)) if by_data else set()
    if loop.condition is not None and reads(loop.condition) & data:
        return True
    return any(
        isinstance(s, ir.If) and reads(s.condition) & data and _leaves(s, loop.label)
        for s in walk(loop.body)
    )


def _leaves(branch: ir.If, label: ir.Label) -> bool:
    return any(
        isinstance(s, ir.Leave) and s.label is label for s in (*branch.then, *branch.otherwise)
    )


def _counted(loop: ir.Loop) -> Iterator[ir.Variable]:
    inside = tuple(walk((*loop.body, *loop.step)))
    moved = {
        s.variable for s in inside if isinstance(s, ir.Assign) and s.variable in reads(s.value)
    }
    for s in inside:
        if isinstance(s, ir.Store) and _is_own(s.address):
            yield from reads(s.address) & moved


def _is_own(address: ir.Expression) -> bool:
    return any(
        isinstance(e, ir.Address) and e.object.space == "local" for e in walk_expression(address)
    )
