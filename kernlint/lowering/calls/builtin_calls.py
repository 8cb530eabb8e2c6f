"""Calls of built-in functions: one handler per kind of `intrinsics.Intrinsic`.

In: a call by name with argument values. Out: its value, its statements through the Lowerer; None
when the name is no built-in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from kernlint.base.dataclass import replace
from kernlint.ir import nodes as ir
from kernlint.ir.types import INT, UINT, Array, Float, Integer, OpaqueType, Pointer, Record, Type
from kernlint.lowering.calls import intrinsics, memory_calls
from kernlint.lowering.calls.builtin_call import BuiltinCall, collective_site
from kernlint.lowering.calls.builtin_types import argument_type, result_type
from kernlint.lowering.context import Lowerer
from kernlint.lowering.expressions.bits import reinterpret
from kernlint.lowering.expressions.construct import vector_literal
from kernlint.lowering.expressions.fold import binary, constant, convert, integer, select, truth
from kernlint.lowering.expressions.operations import MIXED, note_mixed_call
from kernlint.lowering.expressions.places import (
    address_of,
    operands_of,
    scalar,
    static_value,
    unknown,
    unknown_value,
    void_value,
)
from kernlint.lowering.expressions.stores import cast
from kernlint.lowering.expressions.values import (
    Aggregate,
    BracedList,
    FunctionRef,
    Qualified,
    Scalar,
    SplitPlace,
    Value,
    VariablePlace,
)
from kernlint.lowering.types.layout import DIM3, complete, leaves
from kernlint.source.parser import tree

_IR_OPERATORS = {"min": "min", "max": "max", "multiply": "*"}
_GROUP_NAMES = {
    "block": "thread_block",
    "grid": "grid_group",
    "cluster": "cluster_group",
    "coalesced": "coalesced_group",
    "thread": "thread",
    "pipeline": "thread_pipeline",
    "block_pipeline": "block_pipeline",
}
MOST_LANES = 32  # of a tile
MADE_OF = 2  # a pipeline that all threads of a block fill and read: the group, the state it shares
_GROUP_SCOPES = {  # of `sync(group)`, by the group's kind
    "block": "block",
    "grid": "grid",
    "cluster": "block",
    "coalesced": "tile",
    "tile": "tile",
    "unknown": "tile",  # a `thread_group` that is not followed: nobody knows whom it holds
}


def call(
    low: Lowerer,
    callee: FunctionRef,
    values: list[Value],
    nodes: Sequence[tree.Node],
    node: tree.Node,
) -> Value | None:
    """A built-in function by name, or a method of a cooperative group."""
    size = 0
    if callee.this is not None:
        kind = intrinsics.object_kind(str(callee.this.type).split("<")[0])
        found = intrinsics.method(kind, callee.name) if kind is not None else None
        size = tile_size(callee.this.type)
    else:
        found = intrinsics.lookup(callee.name, low.language)
    if found is None or _is_of_another(found, callee, values):
        return None
    group: Value | None = None
    if found.group and values and _group_kind(values[0]) is not None:
        group, values, nodes = values[0], values[1:], nodes[1:]
        size = size or tile_size(complete(group.type))
    if not values and found.kind in OF_A_VALUE:
        return unknown("unsupported")
    made = BuiltinCall(low, found, callee, values, nodes, node, size, group)
    return _HANDLERS[found.kind](made)


def _is_of_another(found: intrinsics.Intrinsic, callee: FunctionRef, values: list[Value]) -> bool:
    """Whether an unqualified `wait(x)` or `reduce(x)` is no call of cooperative_groups, whose
    functions are found by the type of their group: a function that no file defines."""
    exchanges = found.kind == "opaque" and found.roles[:1] == ("group",)
    if not (found.scope == "group" or exchanges) or "::" in callee.name:
        return False
    return not values or _group_kind(values[0]) is None


def _group_kind(value: Value) -> str | None:
    return intrinsics.object_kind(str(complete(value.type)).split("<")[0])


OF_A_VALUE = frozenset(
    ("operation", "convert", "reinterpret", "address", "space_test", "passthrough", "clobber")
)  # kinds of functions


def tile_size(type_: Type) -> int:
    """The lanes of `thread_block_tile<N, …>`; 0 for other types."""
    text = str(type_)
    inner = text.partition("<")[2].split(",")[0].rstrip("> ")
    return int(inner) if inner.isdigit() else 0


# ------------------------------------------------------------------ values


def _operation(call: BuiltinCall) -> Value:
    given = [call.value(at) for at in range(len(call.values)) if call.intrinsic.role(at) != "out"]
    of = tuple(o for v in given for o in operands_of(v))
    for at in range(len(call.values)):
        if call.intrinsic.role(at) == "out":
            memory_calls.write_through(call, at, of)
    result = result_type(call, given)
    if call.intrinsic.operation == "make_vector" and isinstance(result, Record):
        return _handed(vector_literal(call.low, result, given, call.nodes))
    if call.intrinsic.elementwise and any(isinstance(v, Aggregate) for v in given):
        return _elementwise(call, given, result)
    if isinstance(result, Record):
        return unknown_value(result, "float-value", of, call.callee.name)
    operands = [_converted(call, given, at) for at in range(len(given))]
    found = pure_call(call.intrinsic.operation, operands, result, call.intrinsic.function)
    mixes = call.intrinsic.arguments in ("floating", "common")
    if mixes and call.intrinsic.operation in MIXED and len(given) == len(call.nodes) == 2:
        as_given = [
            scalar(call.low, value, node) for value, node in zip(given, call.nodes, strict=True)
        ]
        note_mixed_call(call.low, as_given, found, call.node, call.nodes)
    return Scalar(found)


def _handed(made: Value) -> Value:
    """A vector whose constants are arguments of the function that makes it."""
    if not isinstance(made, Aggregate):
        return made
    parts = {
        o: replace(e, handed=True) if isinstance(e, ir.Constant) else e
        for o, e in made.leaves.items()
    }
    return Aggregate(made.type, parts, made.statics)


def _converted(call: BuiltinCall, given: list[Value], at: int) -> ir.Expression:
    wanted = argument_type(call, given, at)
    found = scalar(call.low, given[at], call.nodes[min(at, len(call.nodes) - 1)])
    return (
        convert(found, wanted) if wanted is not None and not isinstance(wanted, Record) else found
    )


def pure_call(
    operation: str, operands: list[ir.Expression], result: Type, function: str = ""
) -> ir.Expression:
    """The operation as an IR expression: min, max and plain products are operators, the rest
    Calls."""
    if operation == "multiply_add" and len(operands) == 3:
        return binary("+", binary("*", operands[0], operands[1], result), operands[2], result)
    if (
        operation in _IR_OPERATORS
        and len(operands) == 2
        and isinstance(operands[0].type, (Integer, Float))
    ):
        return binary(_IR_OPERATORS[operation], operands[0], operands[1], result)
    if operation == "abs" and isinstance(operands[0], ir.Constant) and isinstance(result, Integer):
        return constant(abs(operands[0].value), result)
    return ir.Call(result, operation, tuple(operands), function)


def _elementwise(call: BuiltinCall, given: list[Value], result: Type) -> Value:
    if not isinstance(complete(result), Record):
        return unknown("unsupported", result, tuple(o for v in given for o in operands_of(v)), True)
    parts = leaves(result)
    made: dict[int, ir.Expression] = {}
    for i, (offset, type_, _) in enumerate(parts):
        operands = []
        for value in given:
            if isinstance(value, Aggregate):
                mine = leaves(value.type)
                operands.append(value.leaves[mine[min(i, len(mine) - 1)][0]])
            else:
                operands.append(convert(scalar(call.low, value, call.node), type_))
        made[offset] = pure_call(
            call.intrinsic.vector_operation or call.intrinsic.operation, operands, type_
        )
    return Aggregate(complete(result), made)


def _index(call: BuiltinCall) -> Value:
    expression = partial(
        intrinsics.index_expression, call.intrinsic, size=call.object_size, cluster=call.low.cluster
    )
    if call.intrinsic.result == "dim3":
        return Aggregate(DIM3, {4 * d: expression(d, type=UINT) for d in range(3)})
    dimension = call.scalar("dimension")
    result = result_type(call, [])
    type_ = result if isinstance(result, Integer) else UINT
    if dimension is None or isinstance(dimension, ir.Constant):
        return Scalar(expression(int(dimension.value) if dimension is not None else 0, type=type_))
    choices = [expression(d, type=type_) for d in range(3)]
    found: ir.Expression = expression(3, type=type_)
    for d in reversed(range(3)):
        found = select(
            binary("==", dimension, integer(d, UINT if dimension.type == UINT else INT)),
            choices[d],
            found,
        )
    return Scalar(found)


def _convert(call: BuiltinCall) -> Value:
    value = call.value(0)
    result = complete(result_type(call, [value]))
    if isinstance(result, Record) and isinstance(value, Aggregate):
        pairs = zip(leaves(result), leaves(value.type), strict=False)
        return Aggregate(
            result, {o: convert(value.leaves[source], t) for (o, t, _), (source, _, _) in pairs}
        )
    return cast(call.low, value, Qualified(result), call.nodes[0])


def _reinterpret(call: BuiltinCall) -> Value:
    value = call.value(0)
    return reinterpret(value, result_type(call, [value]))


def _address(call: BuiltinCall) -> Value:
    value = call.value(0)
    operand = scalar(call.low, value, call.nodes[0])
    result = result_type(call, [value])
    if isinstance(result, Pointer):
        result = Pointer(result.pointee, call.intrinsic.operation)
    return Scalar(ir.Convert(result, operand))


def _space_test(call: BuiltinCall) -> Value:
    operand = scalar(call.low, call.value(0), call.nodes[0])
    return Scalar(ir.Call(UINT, f"is_{call.intrinsic.operation}", (operand,)))


def _passthrough(call: BuiltinCall) -> Value:
    if call.intrinsic.operation == "address":
        return address_of(call.low, call.values[0], call.nodes[0])
    return call.values[0]


def _group(call: BuiltinCall) -> Value | None:
    kind = call.intrinsic.operation
    if kind == "pipeline" and call.values:  # with roles, or of another group: not followed
        if len(call.values) != MADE_OF or _group_kind(call.values[0]) != "block":
            return None
        kind = "block_pipeline"
    if kind != "tile":
        return Scalar(
            ir.Constant(OpaqueType(f"cooperative_groups::{_GROUP_NAMES.get(kind, kind)}"), 0)
        )
    size: ir.Expression | None = None
    if call.callee.arguments:
        size = call.low.program.constant(call.callee.arguments[0], call.low.scope)
    elif len(call.values) > 1:
        size = scalar(call.low, call.values[1], call.nodes[1])
    lanes = str(size.value) if isinstance(size, ir.Constant) else "?"
    return Scalar(ir.Constant(OpaqueType(f"cooperative_groups::thread_block_tile<{lanes}>"), 0))


def _own_rank(call: BuiltinCall) -> tuple[ir.Expression, ...]:
    """The number of the block itself in its cluster, whose shared memory may be meant."""
    rank = intrinsics.method("cluster", "block_rank")
    return () if rank is None else (intrinsics.index_expression(rank, cluster=call.low.cluster),)


def _opaque(call: BuiltinCall) -> Value:
    given = [call.value(i) for i in range(len(call.values))]
    operands = tuple(o for v in given for o in operands_of(v))
    for at, value in enumerate(given):
        if call.intrinsic.role(at) == "out":
            memory_calls.set_through(
                call.low, value, call.nodes[at], call.intrinsic.reason, call.callee.name, operands
            )
    is_reduced = call.intrinsic.operation == "reduce"
    if call.intrinsic.reason == "lane-exchange":
        _note_exchange(call)
    if call.intrinsic.reason == "lane-exchange" and not is_reduced:
        _exchange(call)
    if call.intrinsic.result == "void":
        call.low.take(operands, "used")
        return void_value()
    result = result_type(call, given)
    if call.intrinsic.reason == "remote-shared" and len(given) > 1:
        operands += _own_rank(call)
    if call.intrinsic.space and isinstance(result, (Array, Pointer)):
        result = Pointer(
            result.element if isinstance(result, Array) else result.pointee, call.intrinsic.space
        )
    if isinstance(complete(result), Record):
        if is_reduced:
            _exchange(call)
        return unknown_value(result, call.intrinsic.reason, operands, call.callee.name)
    if is_reduced:
        return _reduced(call, result)
    if call.intrinsic.reason == "clock":
        held = call.low.temporary(result, call.callee.name)
        call.low.assign(held, ir.Unknown(result, "clock", (), False, call.callee.name))
        return Scalar(ir.Read(result, held))
    return unknown(
        call.intrinsic.reason, result, operands, call.intrinsic.uniform, call.callee.name
    )


def _reduced(call: BuiltinCall, result: Type) -> Value:
    """One value for all lanes of a tile, which is not computed."""
    target, (site, lanes) = call.low.temporary(result), _named_lanes(call)
    value = call.scalar("value")
    call.low.emit(ir.Vote(target, "reduce", value, call.low.span(call.node), site, lanes))
    return Scalar(ir.Read(result, target))


# ------------------------------------------------------------------ effects


def _shuffle(call: BuiltinCall) -> Value:
    low = call.low
    at = call.position("value")
    value = call.value(at) if at is not None else unknown("unsupported")
    lane = call.scalar("lane")
    site, mask = _named_lanes(call)
    whole = integer(call.object_size) if call.object_size else ir.Builtin(INT, "warpsize")
    width: ir.Expression = call.scalar("width") or whole
    lane = convert(lane, INT) if lane is not None else integer(0)
    given = operands_of(value)
    made: list[ir.Expression] = []
    for one in given:
        target = low.temporary(one.type)
        how, span = call.intrinsic, low.span(call.node)
        low.emit(
            ir.Shuffle(
                target,
                how.operation,
                one,
                lane,
                width,
                span,
                how.synchronised,
                None if made else site,
                mask,
            )
        )
        made.append(ir.Read(one.type, target))
    if isinstance(value, Aggregate):
        return Aggregate(value.type, dict(zip(value.leaves, made, strict=True)))
    return Scalar(made[0]) if made else unknown("unsupported")


def _named_lanes(call: BuiltinCall) -> tuple[ir.BarrierSite | None, ir.Expression | None]:
    """The call as a place that the lanes of its mask come to together, where it has one."""
    low, mask, scope = call.low, call.scalar("mask"), call.intrinsic.scope
    if size := _tile(call):
        mask, scope = _tile_lanes(size), "tile"
    if not call.intrinsic.synchronised:
        low.operations.append(
            ir.Operation(
                "unsynchronised-shuffle", low.span(call.node), low.text(call.node), calls=low.calls
            )
        )
    if mask is None and not scope:
        return None, None
    # lanes that are no constant may be checked, also where the result is not needed
    low.take((mask,) if mask is not None else (), "open")
    return ir.BarrierSite(
        low.span(call.node), low.text(call.node), scope or "warp", low.calls, exchange=True
    ), mask


def _tile(call: BuiltinCall) -> int:
    """The lanes of the tile whose method is called, or that is handed over; 0 where there is none of
    known size."""
    at = call.position("group")
    return call.object_size or (tile_size(call.values[at].type) if at is not None else 0)


def _exchange(call: BuiltinCall) -> None:
    """A call that lanes make together and whose result is not computed."""
    whole = call.intrinsic.scope == "block"
    site, lanes = (collective_site(call), None) if whole else _named_lanes(call)
    if site is not None:
        kind = "block_exchange" if whole else "exchange"
        low = call.low
        low.emit(ir.Vote(low.temporary(INT), kind, None, low.span(call.node), site, lanes))


def _note_exchange(call: BuiltinCall) -> None:
    """A tile of several warps exchanges values in its `block_tile_memory` (CUDA C++ Programming
    Guide, thread block tile)."""
    if _tile(call) > MOST_LANES and not call.low.host:
        name = call.callee.name.replace("cooperative_groups", "cg")
        call.low.leave_uncounted(call.node, "library-exchange", name, name=name)


def _vote(call: BuiltinCall) -> Value:
    low = call.low
    operand = call.scalar("condition")
    operand = truth(operand) if operand is not None else call.scalar("value")
    site, mask = _named_lanes(call)
    if call.intrinsic.operation.startswith("block_"):
        site = collective_site(call)
    result = result_type(call, call.values)
    target = low.temporary(result)
    low.emit(ir.Vote(target, call.intrinsic.operation, operand, low.span(call.node), site, mask))
    return Scalar(ir.Read(result, target))


def _barrier(call: BuiltinCall) -> Value:
    low = call.low
    operands = tuple(o for i in range(len(call.values)) for o in operands_of(call.value(i)))
    scope = call.intrinsic.scope
    if scope == "group":
        kind = _group_kind(call.values[0]) if call.values else "block"
        scope = _GROUP_SCOPES.get(kind or "", "block")
    lanes = call.scalar("mask")
    if scope == "tile":
        size = call.object_size or (tile_size(call.values[0].type) if call.values else 0)
        lanes = _tile_lanes(size)
    if call.intrinsic.operation in ("wait", "wait_prior"):
        low.emit(ir.CopyGroup("wait", _pending(call)))
    low.emit(
        ir.Barrier(
            ir.BarrierSite(
                low.span(call.node),
                low.text(call.node),
                scope,
                low.calls,
                memory=_ordered_memory(call, operands),
                cluster=_is_of_cluster(call),
            ),
            lanes,
        )
    )
    if call.intrinsic.result == "void":
        return void_value()
    result = result_type(call, [])
    operand = call.scalar("condition")
    if operand is not None:
        target = low.temporary(result)
        low.emit(
            ir.Vote(
                target, f"block_{call.intrinsic.operation}", truth(operand), low.span(call.node)
            )
        )
        return Scalar(ir.Read(result, target))
    held = low.temporary(result, call.callee.name)
    low.assign(
        held,
        ir.Unknown(
            result, call.intrinsic.reason or "lane-exchange", operands, False, call.callee.name
        ),
    )
    return Scalar(ir.Read(result, held))


# OpenCL's flags of a barrier that orders one kind of memory alone
_ORDERED_MEMORY = {1: "shared", 2: "global"}


def _is_of_cluster(call: BuiltinCall) -> bool:
    group = call.callee.this or next(iter(call.values), None)
    return group is not None and _group_kind(group) == "cluster"


def _ordered_memory(call: BuiltinCall, operands: Sequence[ir.Expression]) -> str:
    flags = operands[0] if operands and call.low.program.language == "opencl" else None
    while isinstance(flags, ir.Convert):
        flags = flags.operand
    if call.intrinsic.operation != "sync" or not isinstance(flags, ir.Constant):
        return ""
    return _ORDERED_MEMORY.get(int(flags.value), "")


def _tile_lanes(size: int) -> ir.Expression:
    """The bits of the lanes of the caller's tile; a tile of at most a warp lies at a multiple of its
    size, which is a power of 2 (CUDA C++ Programming Guide, thread block tile)."""
    if not 0 < size <= MOST_LANES:
        return ir.Unknown(UINT, "lane-exchange", what="the group's lanes")
    first = ir.Binary(UINT, "&", ir.Builtin(UINT, "laneid"), integer(MOST_LANES - size, UINT))
    return ir.Binary(UINT, "<<", integer((1 << size) - 1, UINT), first)


def _assume(call: BuiltinCall) -> Value:
    condition = call.scalar("condition")
    if condition is not None:
        call.low.emit(ir.Assume(truth(condition), call.low.span(call.node)))
    _effect(call)
    return void_value()


def _trap(call: BuiltinCall) -> Value:
    call.low.emit(ir.Trap(call.low.span(call.node)))
    call.low.terminated = True
    return void_value()


def _effect(call: BuiltinCall) -> None:
    """What nvcc makes of accesses around it, which is all that such a call does to them."""
    effect = call.intrinsic.scope
    if effect and not call.low.host:
        call.low.emit(ir.Taken((), effect))


def _copy_group(call: BuiltinCall) -> Value:
    """A commit of asynchronous copies, or a wait for some."""
    operation = call.intrinsic.operation
    waits = operation in ("wait", "wait_prior")
    call.low.emit(ir.CopyGroup("wait" if waits else operation, _pending(call) if waits else None))
    _effect(call)
    return void_value()


def _pending(call: BuiltinCall) -> ir.Expression | None:
    """How many groups of copies may still run behind a wait; None: none, and no copy either."""
    if call.intrinsic.operation == "wait_prior" and call.callee.arguments:
        return call.low.program.constant(call.callee.arguments[0], call.low.scope)
    return call.scalar("pending")


def _ignored(call: BuiltinCall) -> Value:
    for i, value in enumerate(call.values):
        if (
            not isinstance(value, (BracedList, VariablePlace, SplitPlace))
            and static_value(value) is None
        ):
            call.low.take(operands_of(call.value(i)), "used")
    _effect(call)
    return Scalar(integer(0)) if call.intrinsic.result == "int" else void_value()


_HANDLERS: dict[str, Callable[[BuiltinCall], Value | None]] = {
    "index": _index, "operation": _operation, "convert": _convert, "reinterpret": _reinterpret, "address": _address,
    "space_test": _space_test,
    "passthrough": _passthrough, "group": _group, "opaque": _opaque, "shuffle": _shuffle, "vote": _vote, "barrier": _barrier,
    "assume": _assume, "trap": _trap, "ignored": _ignored, "load": memory_calls.load_call,
    "store": memory_calls.store_call,
    "atomic": memory_calls.atomic_call, "copy": memory_calls.copy_call,
    "clobber": memory_calls.clobber_call, "copy_group": _copy_group,
}  # fmt: skip
