"""One call of a built-in function, as its handlers see it."""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.base.dataclass import dataclass, field
from kernlint.ir import nodes as ir
from kernlint.lowering.calls.intrinsics import Intrinsic
from kernlint.lowering.context import Lowerer
from kernlint.lowering.expressions.places import rvalue, scalar
from kernlint.lowering.expressions.values import FunctionRef, Value
from kernlint.source.parser import tree


@dataclass(slots=True)
class BuiltinCall:
    """One call being lowered: what is called, with what, where."""

    low: Lowerer
    intrinsic: Intrinsic
    callee: FunctionRef
    values: list[Value]
    nodes: Sequence[tree.Node]
    node: tree.Node
    object_size: int = (
        0  # lanes of a tile whose method is called, or that stands before the arguments
    )
    group: Value | None = None  # what stands before the arguments
    # arguments that were evaluated, which is done once
    read: dict[int, Value] = field(default_factory=dict)

    def position(self, role: str) -> int | None:
        found = self.intrinsic.position(role)
        return found if found is not None and found < len(self.values) else None

    def scalar(self, role: str) -> ir.Expression | None:
        at = self.position(role)
        return scalar(self.low, self.value(at), self.nodes[at]) if at is not None else None

    def value(self, at: int) -> Value:
        if at not in self.read:
            self.read[at] = rvalue(self.low, self.values[at], self.nodes[at])
        return self.read[at]


def collective_site(call: BuiltinCall) -> ir.BarrierSite:
    """The call as a place that all threads of the block come to together."""
    low, node = call.low, call.node
    return ir.BarrierSite(low.span(node), low.text(node), "block", low.calls, exchange=True)
