"""Running lowered code at compile time: constant expressions that need a constexpr function's
statements.

In: IR statements and final expressions without memory or lanes. Out: their values, or None when
anything in them is not constant or the budget runs out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kernlint.ir import nodes as ir
from kernlint.lowering.expressions.fold import binary, constant, convert, unary

BUDGET = 200_000


class _NotConstant(Exception):
    pass


class _Left(Exception):
    def __init__(self, label: ir.Label) -> None:
        super().__init__()
        self.label = label


class _Machine:
    def __init__(self) -> None:
        self.variables: dict[ir.Variable, ir.Constant] = {}
        self.memory: dict[tuple[ir.MemoryObject, int], ir.Constant] = {}
        self.steps = 0

    def run(self, body: Iterable[ir.Statement]) -> None:
        for one in body:
            self.steps += 1
            if self.steps > BUDGET:
                raise _NotConstant
            self.step(one)

    def step(self, one: ir.Statement) -> None:
        if isinstance(one, ir.Assign):
            self.variables[one.variable] = self.value(one.value)
        elif isinstance(one, ir.If):
            self.run(one.then if self.value(one.condition).value else one.otherwise)
        elif isinstance(one, ir.Region):
            try:
                self.run(one.body)
            except _Left as left:
                if left.label is not one.label:
                    raise
        elif isinstance(one, ir.Leave):
            raise _Left(one.label)
        elif isinstance(one, ir.Loop):
            self.loop(one)
        elif isinstance(one, ir.Store):
            memory, offset = self.address(one.address)
            for at, value in one.values:
                self.memory[(memory, offset + at)] = self.value(value)
        elif isinstance(one, ir.Load):
            memory, offset = self.address(one.address)
            for at, variable in one.targets:
                self.variables[variable] = self.loaded(memory, offset + at, variable)
        elif not isinstance(one, (ir.Assume, ir.Taken)):
            raise _NotConstant

    def loaded(self, memory: ir.MemoryObject, offset: int, variable: ir.Variable) -> ir.Constant:
        held = self.memory.get((memory, offset))
        if held is not None:
            return held
        width, values = variable.type.size, memory.initial
        if values is None or not width or offset % width or not 0 <= offset // width < len(values):
            raise _NotConstant
        return constant(values[offset // width], variable.type)

    def address(self, expression: ir.Expression) -> tuple[ir.MemoryObject, int]:
        if isinstance(expression, ir.Address):
            return expression.object, 0
        if isinstance(expression, ir.Binary) and expression.op == "+":
            memory, offset = self.address(expression.left)
            return memory, offset + int(self.value(expression.right).value)
        raise _NotConstant

    def loop(self, one: ir.Loop) -> None:
        try:
            first = one.post_test
            while True:
                self.steps += 1
                if self.steps > BUDGET:
                    raise _NotConstant
                if not first:
                    self.run(one.header)
                    if one.condition is not None and not self.value(one.condition).value:
                        return
                first = False
                self.run(one.body)
                self.run(one.step)
        except _Left as left:
            if left.label is not one.label:
                raise

    def value(self, expression: ir.Expression) -> ir.Constant:
        if isinstance(expression, ir.Constant):
            return expression
        if isinstance(expression, ir.Read):
            if expression.variable not in self.variables:
                raise _NotConstant
            return self.variables[expression.variable]
        if isinstance(expression, ir.Binary):
            if expression.op in ("&&", "||"):
                left = self.value(expression.left)
                if bool(left.value) == (expression.op == "||"):
                    return constant(int(bool(left.value)), expression.type)
            found: ir.Expression = binary(
                expression.op,
                self.value(expression.left),
                self.value(expression.right),
                expression.type,
            )
        elif isinstance(expression, ir.Unary):
            found = unary(expression.op, self.value(expression.operand), expression.type)
        elif isinstance(expression, ir.Convert):
            found = convert(self.value(expression.operand), expression.type)
        elif isinstance(expression, ir.Select):
            found = self.value(
                expression.then if self.value(expression.condition).value else expression.otherwise
            )
        else:
            raise _NotConstant
        if not isinstance(found, ir.Constant):
            raise _NotConstant
        return found


def evaluate(
    body: Iterable[ir.Statement], results: Mapping[int, ir.Expression]
) -> dict[int, ir.Constant] | None:
    """The values of `results` after `body` has run on one lane."""
    machine = _Machine()
    try:
        machine.run(body)
        return {key: machine.value(result) for key, result in results.items()}
    except (_NotConstant, _Left, RecursionError):
        return None
