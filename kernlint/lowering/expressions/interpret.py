"""Running lowered code at compile time: constant expressions that need a constexpr function's
statements.

In: IR statements and final expressions without memory or lanes. Out: their values, or None when
anything in them is not constant or the budget runs out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

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
        handler = _STATEMENTS.get(type(one))
        if handler is None:
            raise _NotConstant
        handler(self, one)

    def assign(self, one: ir.Assign) -> None:
        self.variables[one.variable] = self.value(one.value)

    def branch(self, one: ir.If) -> None:
        self.run(one.then if self.value(one.condition).value else one.otherwise)

    def region(self, one: ir.Region) -> None:
        try:
            self.run(one.body)
        except _Left as left:
            if left.label is not one.label:
                raise

    def leave(self, one: ir.Leave) -> None:
        raise _Left(one.label)

    def store(self, one: ir.Store) -> None:
        memory, offset = self.address(one.address)
        for at, value in one.values:
            self.memory[(memory, offset + at)] = self.value(value)

    def load(self, one: ir.Load) -> None:
        memory, offset = self.address(one.address)
        for at, variable in one.targets:
            self.variables[variable] = self.loaded(memory, offset + at, variable)

    def ignore(self, one: ir.Statement) -> None:
        return

    def loaded(self, memory: ir.MemoryObject, offset: int, variable: ir.Variable) -> ir.Constant:
        held = self.memory.get((memory, offset))
        if held is not None:
            return held
        width, values = variable.type.size, memory.initial
        if values is None or not width or offset % width:
            raise _NotConstant
        position = offset // width
        if not 0 <= position < len(values):
            raise _NotConstant
        return constant(values[position], variable.type)

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
        handler = _EXPRESSIONS.get(type(expression))
        found = handler(self, expression) if handler is not None else None
        if not isinstance(found, ir.Constant):
            raise _NotConstant
        return found

    def read(self, expression: ir.Read) -> ir.Expression | None:
        return self.variables.get(expression.variable)

    def binary(self, expression: ir.Binary) -> ir.Expression:
        left = self.value(expression.left)
        if expression.op in ("&&", "||") and bool(left.value) == (expression.op == "||"):
            return constant(int(bool(left.value)), expression.type)
        return binary(expression.op, left, self.value(expression.right), expression.type)

    def unary(self, expression: ir.Unary) -> ir.Expression:
        return unary(expression.op, self.value(expression.operand), expression.type)

    def convert(self, expression: ir.Convert) -> ir.Expression:
        return convert(self.value(expression.operand), expression.type)

    def select(self, expression: ir.Select) -> ir.Expression:
        is_true = self.value(expression.condition).value
        return self.value(expression.then if is_true else expression.otherwise)


_STATEMENTS: dict[type, Callable[[_Machine, Any], None]] = {
    ir.Assign: _Machine.assign,
    ir.If: _Machine.branch,
    ir.Region: _Machine.region,
    ir.Leave: _Machine.leave,
    ir.Loop: _Machine.loop,
    ir.Store: _Machine.store,
    ir.Load: _Machine.load,
    ir.Assume: _Machine.ignore,
    ir.CopyGroup: _Machine.ignore,
    ir.Taken: _Machine.ignore,
}
_EXPRESSIONS: dict[type, Callable[[_Machine, Any], ir.Expression | None]] = {
    ir.Read: _Machine.read,
    ir.Binary: _Machine.binary,
    ir.Unary: _Machine.unary,
    ir.Convert: _Machine.convert,
    ir.Select: _Machine.select,
}


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
