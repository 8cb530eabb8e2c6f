"""The variables that an index may name or hang on: what addresses read, and what those variables
are made of.

In: a kernel's body. Out: variables. All the others, most of a kernel's, are arithmetic on data that
no text of an index tells of.
"""

from __future__ import annotations

from collections import defaultdict

from kernlint.ir import nodes as ir
from kernlint.ir.traversal import reads, walk
from kernlint.lowering.statements.steps import step


def relevant(body: ir.Body) -> frozenset[ir.Variable]:
    """Variables read by an address, those that count (a loop's counter lends others its name), and
    all that their assignments read."""
    made_of: dict[ir.Variable, list[ir.Expression]] = defaultdict(list)
    pending: set[ir.Variable] = set()
    for statement in walk(body):
        match statement:
            case ir.Assign(variable=variable, value=value):
                made_of[variable].append(value)
                if _counts(statement):
                    pending.add(variable)
            case (
                ir.Load(address=address)
                | ir.Store(address=address)
                | ir.Matrix(address=address)
                | ir.Atomic(address=address)
            ):
                pending |= reads(address)
            case ir.Copy(source=source, destination=destination):
                pending |= reads(source) | reads(destination)
    found: set[ir.Variable] = set()
    while pending:
        variable = pending.pop()
        found.add(variable)
        for value in made_of.pop(variable, ()):
            pending |= reads(value) - found
    return frozenset(found)


def _counts(statement: ir.Assign) -> bool:
    moved = step(statement)
    return (
        moved is not None
        and not moved.descending
        and isinstance(moved.amount, ir.Constant)
        and moved.amount.value == 1
    )
