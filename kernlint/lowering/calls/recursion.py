"""Functions that call themselves: their body in place of the call, executed once with its
arguments, then any number of times with others."""

from __future__ import annotations

from kernlint.ir import nodes as ir
from kernlint.ir.types import INT, Void
from kernlint.lowering.calls import frames
from kernlint.lowering.context import Frame, Lowerer
from kernlint.lowering.expressions.places import fresh, rvalue, unknown_value
from kernlint.lowering.expressions.stores import assign
from kernlint.lowering.expressions.values import Aggregate, Scalar, SplitPlace, Value, VariablePlace
from kernlint.lowering.scopes import Binding
from kernlint.source.parser import tree


def run_body(low: Lowerer, frame: Frame, body: tree.Node, call: tree.Node) -> Value:
    """Lower the body in its frame, whose parameters are bound. What it returns is that of some
    call."""
    assert frame.entity is not None and frame.scope is not None
    name, kept = frame.entity.name, None
    with low.block() as calls:
        result = frames.run_body(low, frame, body)
        if isinstance(result, (Scalar, Aggregate)) and not isinstance(result.type, Void):
            kept = fresh(low, result.type, f"({name})")
            assign(low, kept, result, call, call, True)
    with low.block() as arguments:
        for binding in list(frame.scope.names.values()):
            place = binding.value if isinstance(binding, Binding) else None
            if isinstance(place, (VariablePlace, SplitPlace)):
                given = unknown_value(
                    place.type, "unsupported", (), f"arguments of recursive calls of {name}"
                )
                assign(low, place, given, call, call, True)
    site = ir.BranchSite(low.span(call), "do", f"recursive calls of {name}", low.calls)
    again = ir.Unknown(INT, "unsupported", (), False, site.condition)
    low.emit(ir.Loop(ir.Label("recursion"), (), again, tuple(calls), tuple(arguments), site, True))
    return result if kept is None else rvalue(low, kept, call)
