"""What a loop changes: the variables it assigns, and those that advance by the same step every
time.

In: ir statements. Out: variables and step expressions. Never: trip counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from kernlint.ir import nodes as ir
from kernlint.ir.traversal import reads, targets, walk
from kernlint.lowering.statements.steps import step


def assigned(body: ir.Body) -> Mapping[ir.Variable, int]:
    """The variables that `body` sets anywhere, in order, with how many statements set each."""
    return Counter(variable for statement in walk(body) for variable in targets(statement))


def induction(
    loop: ir.Loop, changes: Mapping[ir.Variable, int]
) -> dict[ir.Variable, ir.Expression]:
    """Variables set once in the loop, on every way round, to themselves plus a step that the loop
    does not change. `changes`: what the loop assigns."""
    around = frozenset(inner.label for inner in walk((loop,)) if isinstance(inner, ir.Region))
    always = [*loop.header, *_unconditional(loop.body, around), *loop.step]
    found = {}
    # `p++` as a value is a copy of `p`, from which `p` is set
    copies: dict[ir.Variable, list[ir.Variable]] = {}
    for statement in always:
        if not isinstance(statement, ir.Assign) or changes[statement.variable] != 1:
            continue
        if isinstance(statement.value, ir.Read):
            copies.setdefault(statement.value.variable, []).append(statement.variable)
        moved = step(statement, copies.get(statement.variable, ()))
        if moved is not None and changes.keys().isdisjoint(reads(moved.amount)):
            amount = moved.amount
            found[statement.variable] = (
                ir.Unary(amount.type, "-", amount) if moved.descending else amount
            )
    return found


def geometric(
    loop: ir.Loop, changes: Mapping[ir.Variable, int]
) -> dict[ir.Variable, tuple[str, int]]:
    """Variables set once in the loop, on every way round, to themselves times ("*") or divided
    ("/", and ">>" towards minus infinity) by a constant of at least 2."""
    around = frozenset(inner.label for inner in walk((loop,)) if isinstance(inner, ir.Region))
    found = {}
    for statement in [*loop.header, *_unconditional(loop.body, around), *loop.step]:
        if isinstance(statement, ir.Assign) and changes[statement.variable] == 1:
            factor = _factor(statement.variable, statement.value)
            if factor is not None:
                found[statement.variable] = factor
    return found


SCALING = {"*": ("*", False), "<<": ("*", True), "/": ("/", False), ">>": (">>", True)}


def _factor(variable: ir.Variable, value: ir.Expression) -> tuple[str, int] | None:
    while isinstance(value, ir.Convert):
        value = value.operand
    if not isinstance(value, ir.Binary) or value.op not in SCALING:
        return None
    left, right = value.left, value.right
    while isinstance(left, ir.Convert):
        left = left.operand
    if isinstance(left, ir.Constant) and value.op == "*":
        left, right = right, left
    if not (isinstance(left, ir.Read) and left.variable is variable):
        return None
    if not isinstance(right, ir.Constant) or not isinstance(right.value, int):
        return None
    op, is_shift = SCALING[value.op]
    by = 1 << min(max(right.value, 0), 32) if is_shift else right.value
    return (op, by) if by >= 2 else None


def _unconditional(body: ir.Body, around: frozenset[ir.Label]) -> list[ir.Statement]:
    """Top-level statements of a loop's body that every lane executes before it goes round: none
    behind one from which lanes may leave for the next iteration (`around`: the labels of regions in
    the loop); those that leave the loop do not go round."""
    result: list[ir.Statement] = []
    for statement in body:
        leaves = any(
            isinstance(inner, ir.Leave) and inner.label in around for inner in walk((statement,))
        )
        result += (
            _unconditional(statement.body, around)
            if isinstance(statement, ir.Region) and not leaves
            else [statement]
        )
        if leaves:
            break
    return result
