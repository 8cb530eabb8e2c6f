"""Types of what built-in functions give and take.

In: a BuiltinCall and its arguments. Out: the type of its result, and those that its arguments are
converted to.
"""

from __future__ import annotations

from collections.abc import Callable

from kernlint.ir.types import DOUBLE, INT, UINT, Integer, OpaqueType, Pointer, Type
from kernlint.lowering.calls.builtin_call import BuiltinCall
from kernlint.lowering.expressions.fold import promote, usual
from kernlint.lowering.expressions.values import Value
from kernlint.lowering.types import typenames
from kernlint.lowering.types.layout import complete, is_vector, known_type, leaves, opencl_vector


def result_type(call: BuiltinCall, given: list[Value]) -> Type:
    """The type that the intrinsic's result rule gives for these arguments."""
    rule = call.intrinsic.result
    types = [complete(v.type) for v in given]
    if rule.startswith("arg") and rule[3:].isdigit():
        at = int(rule[3:])
        return types[at] if at < len(types) else OpaqueType("?")
    if rule in _RESULT_RULES:
        return _RESULT_RULES[rule](call, types)
    if rule.endswith("*"):
        inner = known_type(rule.rstrip("* "), call.low.language)
        return Pointer(inner if inner is not None else OpaqueType("?"))
    return known_type(rule, call.low.language) or OpaqueType(rule or "?")


def _common(call: BuiltinCall, types: list[Type]) -> Type:
    found = types[0] if types else INT
    for other in types[1:]:
        found = usual(found, other)
    return found


def _floating(call: BuiltinCall, types: list[Type]) -> Type:
    found = _common(call, types)
    return DOUBLE if isinstance(found, Integer) else found


def _pointee(call: BuiltinCall, types: list[Type]) -> Type:
    found = next((t for t in types if isinstance(t, Pointer)), None)
    return complete(found.pointee) if found is not None else OpaqueType("?")


def _unsigned(call: BuiltinCall, types: list[Type]) -> Type:
    def one(t: Type) -> Type:
        return (
            known_type({8: "uchar", 16: "ushort", 32: "uint", 64: "ulong"}[t.bits], "opencl") or t
            if isinstance(t, Integer)
            else t
        )

    if types and is_vector(types[0]):
        parts = leaves(types[0])
        return opencl_vector(one(parts[0][1]), len(parts)) or types[0]
    return one(types[0]) if types else UINT


def _template_argument(call: BuiltinCall, types: list[Type]) -> Type:
    nodes = call.callee.arguments or ()
    return (
        complete(typenames.resolve(call.low.program, nodes[0], call.low.scope).type)
        if nodes
        else OpaqueType("?")
    )


def _component(call: BuiltinCall, types: list[Type]) -> Type:
    parts = leaves(types[0]) if types else []
    return parts[0][1] if parts else OpaqueType("?")


def _shuffled(call: BuiltinCall, types: list[Type]) -> Type:
    mask = types[-1] if types else OpaqueType("?")
    return opencl_vector(_component(call, types), len(leaves(mask))) or OpaqueType("?")


def _relational(call: BuiltinCall, types: list[Type]) -> Type:
    if types and is_vector(types[0]):
        parts = leaves(types[0])
        return (
            opencl_vector(
                known_type({2: "short", 8: "long"}.get(parts[0][1].size or 4, "int"), "opencl")
                or INT,
                len(parts),
            )
            or INT
        )
    return INT


def _vector_of_pointee(call: BuiltinCall, types: list[Type]) -> Type:
    element = _pointee(call, types)
    return opencl_vector(element, max(call.intrinsic.lanes, 1)) or element


_RESULT_RULES: dict[str, Callable[[BuiltinCall, list[Type]], Type]] = {
    "void": lambda c, t: known_type("void", "cuda") or OpaqueType("void"), "last": lambda c, t: t[-1] if t else OpaqueType("?"),
    "common": _common, "floating": _floating, "promoted": lambda c, t: promote(t[0]) if t else INT, "pointee": _pointee,
    "unsigned": _unsigned,
    "widened": lambda c, t: t[0] if t else INT, "component": _component, "shuffled": _shuffled, "relational": _relational,
    "template0": _template_argument,
    "vector": _vector_of_pointee, "pointer": lambda c, t: Pointer(t[0]) if t else OpaqueType("?"), "group": lambda c,
    t: OpaqueType("group"),
}  # fmt: skip


def argument_type(call: BuiltinCall, given: list[Value], at: int) -> Type | None:
    """What the argument rule converts the argument at `at` to; None to leave it."""
    rule = call.intrinsic.arguments
    if rule in _AS_GIVEN:
        return None
    types = [complete(v.type) for v in given]
    if rule.startswith("arg"):
        return types[int(rule[3:])] if int(rule[3:]) < len(types) else None
    handler = _ARGUMENT_RULES.get(rule)
    return handler(call, types) if handler is not None else known_type(rule, call.low.language)


_AS_GIVEN = ("", "each")
_ARGUMENT_RULES: dict[str, Callable[[BuiltinCall, list[Type]], Type]] = {
    "common": _common,
    "floating": _floating,
    "pointee": _pointee,
}
