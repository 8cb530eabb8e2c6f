"""What a loop changes: the variables it assigns, and those that advance by the same step every time.

In: ir statements. Out: variables and step expressions. Never: trip counts.
"""

from __future__ import annotations

from kernlint.lowering import ir
from kernlint.lowering.traversal import reads, targets, walk
from kernlint.lowering.types import Float


def assigned(body: ir.Body) -> list[ir.Variable]:
    """The variables that `body` sets anywhere, in order, each once."""
    return list(dict.fromkeys(variable for statement in walk(body) for variable in targets(statement)))


def induction(loop: ir.Loop, changing: list[ir.Variable]) -> dict[ir.Variable, ir.Expression]:
    """Variables set once in the loop, on every way round, to themselves plus a step that the loop does not change."""
    changes: dict[ir.Variable, int] = {}
    for statement in walk((loop,)):
        for variable in targets(statement):
            changes[variable] = changes.get(variable, 0) + 1
    always = [*loop.header, *_unconditional(loop.body), *loop.step]
    found = {}
    for statement in always:
        if isinstance(statement, ir.Assign) and changes[statement.variable] == 1 and not isinstance(statement.variable.type, Float):
            step = _step(statement)
            if step is not None and not reads(step) & set(changing):
                found[statement.variable] = step
    return found


def _unconditional(body: ir.Body) -> list[ir.Statement]:
    """Top-level statements of a loop's body that every iteration executes: none behind one that lanes may leave from."""
    result: list[ir.Statement] = []
    for statement in body:
        leaves = any(isinstance(inner, (ir.Leave, ir.Trap)) for inner in walk((statement,)))
        result += _unconditional(statement.body) if isinstance(statement, ir.Region) and not leaves else [statement]
        if leaves:
            break
    return result


def _step(assign: ir.Assign) -> ir.Expression | None:
    value = _unconverted(assign.value)
    if not isinstance(value, ir.Binary) or value.op not in ("+", "-"):
        return None
    left, right = _unconverted(value.left), _unconverted(value.right)
    if isinstance(left, ir.Read) and left.variable is assign.variable:
        return right if value.op == "+" else ir.Unary(right.type, "-", right)
    if value.op == "+" and isinstance(right, ir.Read) and right.variable is assign.variable:
        return left
    return None


def _unconverted(expression: ir.Expression) -> ir.Expression:
    while isinstance(expression, ir.Convert) and not isinstance(expression.operand.type, Float) and not isinstance(expression.type, Float):
        expression = expression.operand
    return expression
