"""Built-in functions that touch memory: cached loads and stores, atomics, asynchronous copies,
memcpy.

In: a BuiltinCall. Out: Load, Store, Atomic, Copy and Clobber statements; the value they give.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeGuard

from kernlint.base.dataclass import replace
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import walk_expression
from kernlint.ir.types import (
    BOOL,
    INT,
    LONG,
    UCHAR,
    USHORT,
    Array,
    OpaqueType,
    Pointer,
    SourceAlignment,
    Type,
)
from kernlint.lowering.calls import intrinsics
from kernlint.lowering.calls.builtin_call import BuiltinCall, collective_site
from kernlint.lowering.calls.builtin_types import result_type
from kernlint.lowering.context import Lowerer
from kernlint.lowering.expressions import atomic_objects
from kernlint.lowering.expressions.alignment import WIDEST, divisor
from kernlint.lowering.expressions.fold import binary, convert, integer, pointer_add, retype
from kernlint.lowering.expressions.places import (
    dereference,
    load,
    operands_of,
    rvalue,
    unknown,
    unknown_value,
    view,
    void_value,
)
from kernlint.lowering.expressions.stores import assign, coerce, tracked, untracked
from kernlint.lowering.expressions.values import (
    Aggregate,
    MemoryPlace,
    PlacePointer,
    Scalar,
    SplitPlace,
    Value,
    VariablePlace,
)
from kernlint.lowering.sites import access_site, charged_line
from kernlint.lowering.types import library
from kernlint.lowering.types.layout import align_of, complete, is_vector, leaves, size_of
from kernlint.source.parser import tree

COPY_WIDTHS = (16, 8, 4)
MOST_PIECES = 16  # of a copy that are written one after the other, not as a loop


def set_through(
    low: Lowerer,
    pointer: Value,
    node: tree.Node,
    reason: str,
    what: str,
    operands: tuple[ir.Expression, ...] = (),
) -> None:
    """What a function makes of `operands` and writes through a pointer nobody can compute."""
    if isinstance(pointer, PlacePointer):
        assign(
            low,
            pointer.place,
            unknown_value(pointer.place.type, reason, operands, what),
            node,
            node,
        )
    else:
        low.take(operands, "open")
        if isinstance(pointer, Scalar) and isinstance(pointer.type, Pointer):
            low.emit(ir.Clobber(what, (pointer.expression,), low.span(node)))


def write_through(call: BuiltinCall, at: int, operands: tuple[ir.Expression, ...]) -> None:
    """What a function makes of `operands` and stores once where its argument points to (`sincosf(x,
    &s[i], &c[i])`), on the call's line."""
    low, node = call.low, call.nodes[at]
    place = dereference(low, call.value(at), node)
    written = node.expr if isinstance(node, tree.UnaryOp) and node.op == "&" else node
    with low.charging(low.charge or charged_line(low, call.node)):
        assign(
            low,
            place,
            unknown_value(place.type, "float-value", operands, call.callee.name),
            written,
            written,
        )


def target(call: BuiltinCall, role: str = "pointer") -> tuple[Value, tree.Node]:
    """The place a pointer argument points to (or, for an atomic reference, what it refers to), and
    its node."""
    at = call.position(role)
    if at is None:
        this = call.callee.this if call.callee.this is not None else unknown("unsupported")
        return (atomic_objects.held(this) if isinstance(this, MemoryPlace) else this), call.node
    return dereference(call.low, call.value(at), call.nodes[at]), call.nodes[at]


def vector_place(call: BuiltinCall, place: Value, node: tree.Node, type_: Type) -> Value:
    """`p + offset * lanes` for vloadN and vstoreN."""
    offset = call.scalar("offset")
    if not isinstance(place, MemoryPlace) or offset is None:
        return place
    width = call.intrinsic.width or size_of(place.type)
    lanes = max(call.intrinsic.lanes, 1)
    step = (
        None if width is None else width * (4 if lanes == 3 and call.intrinsic.aligned else lanes)
    )
    address = pointer_add(place.address, offset, step, Pointer(place.type))
    return MemoryPlace(type_, retype(address, Pointer(type_)), place.volatile)


def element_pieces(
    call: BuiltinCall, place: MemoryPlace, type_: Type
) -> tuple[tuple[int, int], ...] | None:
    """vloadN needs the alignment of one element only, and so does a vector of three: as many
    machine accesses as elements. None: as the type says."""
    if call.intrinsic.width:
        lanes, width = max(call.intrinsic.lanes, 1), call.intrinsic.width
        step = min(lanes * width, WIDEST) if call.intrinsic.aligned and lanes != 3 else width
        return tuple((offset, step) for offset in range(0, lanes * width, step))
    if call.intrinsic.operation == "vector" and is_vector(type_):
        return tuple((offset, t.size or 1) for offset, t, _ in leaves(type_))
    return None


def load_call(call: BuiltinCall) -> Value:
    place, node = target(call)
    result = complete(
        result_type(call, [call.value(i) for i in range(len(call.values))] or [place])
    )
    if call.intrinsic.result == "pointee":
        result = complete(place.type)
    place = vector_place(call, place, node, result)
    if not isinstance(place, MemoryPlace):
        return rvalue(call.low, place, call.node)
    if isinstance(result, OpaqueType):
        return load(call.low, place, call.node)
    made = {o: call.low.temporary(t) for o, t, _ in leaves(result)}
    width = call.intrinsic.width  # of elements that are made floating-point numbers of another size
    raw = [call.low.temporary(USHORT) for _ in made] if width else []
    split = element_pieces(call, place, result)
    site = access_site(
        call.low,
        call.node,
        result,
        "load",
        volatile=call.intrinsic.volatile or place.volatile,
        split=split,
        charge=_line(call),
    )
    site = _of_place(site, place)
    targets = (
        tuple((i * width, variable) for i, variable in enumerate(raw))
        if width
        else tuple(made.items())
    )
    call.low.emit(ir.Load(targets, place.address, site))
    for variable, bits in zip(made.values(), raw, strict=False):
        call.low.assign(
            variable, ir.Unknown(variable.type, "loaded-value", (ir.Read(bits.type, bits),), True)
        )
    read: dict[int, ir.Expression] = {o: ir.Read(v.type, v) for o, v in made.items()}
    return Aggregate(result, read) if is_vector(result) or len(read) != 1 else Scalar(read[0])


def _of_place(site: ir.AccessSite, place: MemoryPlace) -> ir.AccessSite:
    """With what is known of a method's object."""
    return replace(site, of_object=place.atomic, in_header=place.in_header)


def _line(call: BuiltinCall) -> int:
    """A built-in's access is charged to the line where the call's name stands."""
    named = call.node.name if isinstance(call.node, tree.FuncCall) else call.node
    return call.low.span(named).end_line


def store_call(call: BuiltinCall) -> Value:
    place, node = target(call)
    at = call.position("value")
    value: Value = (
        call.value(at) if at is not None else Scalar(integer(call.intrinsic.implicit or 0))
    )
    type_ = (
        complete(value.type)
        if call.intrinsic.operation in ("vector", "half")
        else complete(place.type)
    )
    place = vector_place(call, place, node, type_)
    if not isinstance(place, MemoryPlace):
        assign(call.low, place, value, node, node)
        return void_value()
    converted = coerce(call.low, value, type_, call.node)
    split = element_pieces(call, place, type_)
    site = access_site(
        call.low,
        call.node,
        type_,
        "store",
        volatile=call.intrinsic.volatile or place.volatile,
        split=split,
        charge=_line(call),
    )
    site = _of_place(site, place)
    held = tracked(converted)
    rest = untracked(converted)
    values, others = (
        ((), tuple((None, e) for _, e in (*held, *rest))) if call.intrinsic.width else (held, rest)
    )
    call.low.emit(ir.Store(place.address, values, site, others))
    return void_value()


# a scope that is an argument, of the type or of the call
OF_BLOCK = re.compile(r"\bthread_scope_block\b|\bmemory_scope_work_group\b")


def atomic_call(call: BuiltinCall) -> Value:
    low = call.low
    place, node = target(call)
    type_ = complete(place.type)
    operands = _atomic_operands(call, type_)
    if not isinstance(place, MemoryPlace):
        assign(low, place, unknown_value(place.type, "atomic-result", operands), node, node)
        return unknown("atomic-result", type_, operands)
    is_bool = call.intrinsic.result == "bool"
    held = low.temporary(type_)
    site = access_site(
        low, call.node, type_, "atomic", hardware_op=call.intrinsic.hardware_op or "atomic", used=not low.discarded(call.node),
        charge=_line(call),
    )  # fmt: skip
    site, this = _of_place(site, place), call.callee.this
    said = f"{site.text} {this.type}" if this is not None else site.text
    if call.callee.name.endswith("_block") or OF_BLOCK.search(said):
        site = replace(site, of_block=True)
    low.emit(ir.Atomic(held, call.intrinsic.operation, place.address, operands, site))
    expected = call.position("expected")
    if expected is not None:
        set_through(low, call.value(expected), node, "atomic-result", call.callee.name)
    if is_bool:
        return unknown("atomic-result", BOOL, (ir.Read(type_, held),))
    return Scalar(ir.Read(type_, held))


def _atomic_operands(call: BuiltinCall, type_: Type) -> tuple[ir.Expression, ...]:
    found: list[ir.Expression] = []
    for at, value in enumerate(call.values):
        role = call.intrinsic.role(at)
        if role in ("value", "compare"):
            converted = coerce(call.low, value, type_, call.nodes[at])
            found += operands_of(converted)
        elif role == "expected":
            place = dereference(call.low, call.value(at), call.nodes[at])
            found += operands_of(rvalue(call.low, place, call.nodes[at]))
    if call.intrinsic.implicit is not None:
        found.append(convert(integer(call.intrinsic.implicit), type_))
    return tuple(found)


# ------------------------------------------------------------------ copies


def copy_call(call: BuiltinCall) -> Value:
    """Asynchronous copies. Per lane: one request of 4, 8 or 16 bytes, or several. Collective ones
    share the work among the lanes."""
    source, _ = target(call, "source")
    destination, _ = target(call, "destination")
    size = _byte_count(call, source)
    if call.intrinsic.result == "event_t":
        _taken_together(call)
    elif call.group is not None and _kind_of(call.group) == "block":
        low, span = call.low, call.low.span(call.node)
        low.emit(ir.Vote(low.temporary(INT), ir.BLOCK_COPY, None, span, collective_site(call)))
    shared = call.intrinsic.operation != "lane" and size is not None
    if (
        not isinstance(source, MemoryPlace)
        or not isinstance(destination, MemoryPlace)
        or not (isinstance(size, ir.Constant) or shared)
    ):
        call.low.unsupported(call.node, "copy-size", function=call.callee.name)
        return _not_copied(call, destination)
    if call.intrinsic.operation == "aligned" and size is not None:
        return _aligned_copy(call, destination, source, size)
    if shared and size is not None:
        return _shared_copy(call, destination, source, size)
    assert isinstance(size, ir.Constant)
    return _lane_copy(call, destination, source, _copy_pieces(int(size.value)))


def _not_copied(call: BuiltinCall, destination: Value, size: ir.Expression | None = None) -> Value:
    """A copy whose accesses are not counted. `size`: of a bulk copy, its bytes."""
    low = call.low
    given = [i for i in range(len(call.values)) if call.intrinsic.role(i) != "ignored"]
    low.take((o for i in given for o in operands_of(call.value(i))), "open")
    if isinstance(destination, MemoryPlace):
        copied = int(size.value) if isinstance(size, ir.Constant) else None
        where = (destination.address,)
        low.emit(ir.Clobber(call.callee.name, where, low.span(call.node), copied))
    return void_value()


def _lane_copy(
    call: BuiltinCall,
    destination: MemoryPlace,
    source: MemoryPlace,
    split: tuple[tuple[int, int], ...],
) -> Value:
    """A copy that each lane makes, in pieces."""
    low = call.low
    sites = [
        access_site(
            low, call.node, place.type, "copy", hardware_op="copy", split=split, charge=_line(call)
        )
        for place in (destination, source)
    ]
    low.emit(ir.Copy(destination.address, source.address, sites[0], sites[1]))
    if call.intrinsic.group and not _by_pipeline(call):
        low.emit(ir.CopyGroup("wait"))  # of a barrier that waits for it: not followed
    return void_value()


def _by_pipeline(call: BuiltinCall) -> bool:
    """Whether a copy belongs to a stage of a pipeline that is followed."""
    name = str(call.values[-1].type) if len(call.values) > 3 else ""
    return intrinsics.object_kind(name) in ("pipeline", "block_pipeline")


def _aligned_copy(
    call: BuiltinCall, destination: MemoryPlace, source: MemoryPlace, size: ir.Expression
) -> Value:
    """cuda::memcpy_async: pieces as wide as the larger of the type's alignment and that of a
    cuda::aligned_size_t, 16 bytes at most, shared by the lanes of a group. From 16 bytes on one
    bulk copy makes it all where a barrier is told (libcu++, `__dispatch_memcpy_async`)."""
    at = call.position("bytes")
    written = call.value(at).type if at is not None else None
    alignment = max(align_of(source.type), library.stated_alignment(written))
    completes = str(complete(call.values[-1].type))
    if alignment >= WIDEST and "pipeline" not in completes:
        name = call.callee.name
        call.low.leave_uncounted(call.node, "hardware-access", name, name=name)
        return _not_copied(call, destination, size)
    width = min(alignment, WIDEST)
    if call.group is None and isinstance(size, ir.Constant) and size.value <= MOST_PIECES * width:
        pieces = tuple((offset, width) for offset in range(0, int(size.value), width))
        return _lane_copy(call, destination, source, pieces)
    return _shared_copy(call, destination, source, size, width)


def _taken_together(call: BuiltinCall) -> None:
    """All work-items of the work-group must execute OpenCL's copy, with the same arguments (OpenCL C
    Specification, async copies from global to local memory)."""
    low = call.low
    given = tuple(o for i in range(len(call.values)) for o in operands_of(call.value(i)))
    together = ir.Unknown(INT, "lane-exchange", given, True, call.callee.name)
    span = low.span(call.node)
    low.emit(ir.Vote(low.temporary(INT), ir.BLOCK_COPY, together, span, collective_site(call)))


def _shared_copy(
    call: BuiltinCall,
    destination: MemoryPlace,
    source: MemoryPlace,
    size: ir.Expression,
    width: int = 0,
) -> Value:
    """The lanes of a group share the elements, or pieces of `width` bytes: lane r copies elements
    r, r + lanes, r + 2·lanes …"""
    low = call.low
    type_ = complete(source.type)
    split = ((0, width),) if width else None
    width = width or size_of(type_) or 1
    stride = call.scalar("stride")
    rank, lanes = _rank_and_lanes(call)
    index = ir.Variable("(element)", LONG)
    low.assign(index, convert(rank, LONG))
    read = ir.Read(LONG, index)
    near = binary("*", read, integer(width, LONG))
    far = binary("*", near, convert(stride, LONG)) if stride is not None else near
    gathers = (
        stride is not None
        and isinstance(source.address.type, Pointer)
        and source.address.type.space != "shared"
    )
    steps = (near, far) if gathers else (far, near)
    sites = [
        access_site(
            low, call.node, type_, "copy", hardware_op="copy", split=split, charge=_line(call)
        )
        for _ in range(2)
    ]
    ends = [
        binary("+", place.address, step, Pointer(type_))
        for place, step in zip((destination, source), steps, strict=True)
    ]
    body = (ir.Copy(ends[0], ends[1], sites[0], sites[1]),)
    step = (ir.Assign(index, binary("+", read, convert(lanes, LONG))),)
    test = binary("<", near, convert(size, LONG))
    low.emit(
        ir.Loop(
            ir.Label("copy"),
            (),
            test,
            body,
            step,
            low.branch_site(call.node, ir.LIBRARY, call.node),
        )
    )
    if _by_pipeline(call):
        return unknown("unsupported", OpaqueType("event_t"), (), True)
    low.emit(ir.CopyGroup("commit"))  # each such call is a stage of its own
    if len(call.values) > 3 and call.intrinsic.group:
        low.emit(ir.CopyGroup("wait"))  # of a barrier that waits for it: not followed
    return unknown("unsupported", OpaqueType("event_t"), (), True)


def _rank_and_lanes(call: BuiltinCall) -> tuple[ir.Expression, ir.Expression]:
    """Of the lanes that share a copy: those of the group that is told, else of the block; a copy of
    cuda::memcpy_async without a group is one lane's."""
    if call.group is None and call.intrinsic.operation == "aligned":
        return integer(0), integer(1)
    found = (
        intrinsics.method(_kind_of(call.group) if call.group is not None else "", name)
        for name in ("thread_rank", "size")
    )
    rank, lanes = (
        intrinsics.index_expression(one or _index_of(block), 0, size=call.object_size)
        for one, block in zip(found, ("thread_rank", "threads"), strict=True)
    )
    return rank, lanes


def _kind_of(group: Value) -> str:
    return intrinsics.object_kind(str(complete(group.type)).split("<")[0]) or ""


def _index_of(formula: str) -> intrinsics.Intrinsic:
    return intrinsics.Intrinsic(formula, "index", formula, result="unsigned int")


def _copy_pieces(size: int) -> tuple[tuple[int, int], ...]:
    found: list[tuple[int, int]] = []
    offset = 0
    while offset < size:
        width = next((w for w in COPY_WIDTHS if w <= size - offset), 1)
        found.append((offset, width))
        offset += width
    return tuple(found)


def _byte_count(call: BuiltinCall, source: Value) -> ir.Expression | None:
    count = call.scalar("bytes")
    if count is not None:
        return count
    elements = call.scalar("elements")
    width = size_of(source.type)
    return (
        binary("*", convert(elements, LONG), integer(width, LONG))
        if elements is not None and width is not None
        else None
    )


# ------------------------------------------------------------------ memcpy


def clobber_call(call: BuiltinCall) -> Value:
    """memcpy and memset of constant size become real accesses; variables are copied as their
    bytes."""
    low = call.low
    at = call.position("destination")
    pointer = call.value(at) if at is not None else unknown("unsupported")
    size = call.scalar("bytes")
    destination = _pointed(low, pointer, call.nodes[0])
    if call.position("source") is not None and isinstance(size, ir.Constant):
        source = _pointed(low, call.value(1), call.nodes[1])
        if _copy_bytes(call, destination, source, int(size.value)):
            return pointer
    given = tuple(
        o
        for i in range(len(call.values))
        for o in operands_of(call.value(i))
        if i != at and not isinstance(o, ir.Constant)
    )
    if isinstance(destination, (VariablePlace, SplitPlace)):
        assign(
            low,
            destination,
            unknown_value(destination.type, "unsupported", given),
            call.nodes[0],
            call.nodes[0],
        )
    elif (
        call.intrinsic.operation == "set"
        and isinstance(size, ir.Constant)
        and _is_outside(destination)
    ):
        _set_bytes(call, destination, int(size.value), given)
    else:
        low.take(given, "used")
        if isinstance(destination, MemoryPlace):
            low.emit(ir.Clobber(call.callee.name, (destination.address,), low.span(call.node)))
    return pointer


def _pointed(low: Lowerer, pointer: Value, node: tree.Node) -> Value:
    if isinstance(pointer, PlacePointer):
        return pointer.place
    return dereference(low, pointer, node)


def _copy_bytes(call: BuiltinCall, destination: Value, source: Value, size: int) -> bool:
    """Copy `size` bytes as one access where one side's type has that size; the compiler does the
    same."""
    low = call.low
    type_ = next(
        (
            t
            for t in (destination.type, source.type)
            if size_of(t) == size and not isinstance(complete(t), Array)
        ),
        None,
    )
    if type_ is None:
        if not isinstance(source, MemoryPlace) and not isinstance(destination, MemoryPlace):
            return False
        type_ = Array(UCHAR, size)
    if _between_arrays(destination, source):
        return _copy_unknown(call, destination, source, type_, BETWEEN)
    if isinstance(type_, Array):
        return _copy_raw(call, destination, source, type_)
    into, of = (
        _aligned(low, view(low, p, complete(type_), n), n)
        for p, n in ((destination, call.nodes[0]), (source, call.nodes[1]))
    )
    if into is None or of is None:
        return _copy_unknown(call, destination, source, type_)
    assign(low, into, rvalue(low, of, call.node), call.node, call.node)
    return True


def _object(place: Value) -> ir.MemoryObject | None:
    """The declared array that a place lies in."""
    address = place.address if isinstance(place, MemoryPlace) else None
    return (
        next((e.object for e in walk_expression(address) if isinstance(e, ir.Address)), None)
        if address is not None
        else None
    )


def _between_arrays(destination: Value, source: Value) -> bool:
    """Whether a declared array is copied to memory: how nvcc 13 does is not understood (read in its
    code: LDS.128 and three LDS.U8 for 16 bytes of a `float4` array, bytes for 64)."""
    of, into = _object(source), _object(destination)
    return (
        of is not None
        and of.space != "local"
        and isinstance(destination, MemoryPlace)
        and (into is None or into.space != "local")
    )


UNALIGNED = (
    "compiler",
    "whether it knows how the memory is aligned: where it does not, it copies byte by byte",
)
SET = ("compiler", "in how many accesses it sets so much memory")
MOST_SET = 1024  # bytes that were seen to be set in straight code
BETWEEN = ("compiler", "in how many accesses it copies a declared array to other memory")


def _alignment(low: Lowerer, place: MemoryPlace, node: tree.Node, width: int) -> int | None:
    """What nvcc 13 takes the memory that `memcpy` is given to be aligned to: what a parameter of
    the kernel points to 1 (read in its code: `memcpy(&v, p + i, 16)` is 16 loads of a byte, also
    with `const float4 *p`), a declared array as it is declared and indexed (`memcpy(&f, bytes + 4 *
    i, 4)` is 4 loads), `width` at least where that is enough; None: not known."""
    if "assume_aligned" in low.text(node):
        return None
    declared = _object(place)
    pointers = [
        e.variable
        for e in walk_expression(place.address)
        if isinstance(e, ir.Read) and isinstance(e.type, Pointer)
    ]
    if declared is None:
        return 1 if pointers and low.handed.issuperset(pointers) else None
    start = WIDEST if declared.dynamic else declared.align
    known, certain = divisor(place.address, low.handed)
    if known < width:
        return min(start, known) if certain and not pointers else None
    if start >= width or declared.space != "shared":
        return start
    # shared arrays may be moved (read in its code: LDS.128 of a `float` array, LDS.64 of a `short`
    # one, LDS.U8 of a `char` one)
    return 1 if start == 1 else width if start >= 4 or width <= 8 else None


def _aligned(low: Lowerer, place: Value, node: tree.Node) -> Value | None:
    """The place as `memcpy` accesses it; None where that is not known."""
    if not isinstance(place, MemoryPlace):
        return place
    width = min(complete(place.type).align, WIDEST)
    align = _alignment(low, place, node, width)
    if align is None:
        return None
    if align >= width:
        return MemoryPlace(place.type, place.address, place.volatile, place.bits)
    told = SourceAlignment(align, align)  # the type asks for more, the copy does not
    return MemoryPlace(place.type, place.address, place.volatile, place.bits, align, told)


def _is_outside(place: Value) -> TypeGuard[MemoryPlace]:
    """Whether a place is in memory that other threads may read."""
    own = _object(place)
    return isinstance(place, MemoryPlace) and (own is None or own.space != "local")


def _set_bytes(
    call: BuiltinCall, place: MemoryPlace, size: int, given: tuple[ir.Expression, ...]
) -> None:
    """`memset` of `size` bytes: stores as wide as the memory is known to be aligned, as for
    `memcpy` (read in nvcc 13's code: 16 STG.E.U8 for `memset(p + i, 0, 16)` of a parameter, 64
    STS.128 for a shared array of 1,024 bytes)."""
    low, type_ = call.low, Array(UCHAR, size)
    width = _alignment(low, place, call.nodes[0], min(1 << max(size, 1).bit_length() - 1, WIDEST))
    fixed = not any(isinstance(e, (ir.Read, ir.Builtin)) for e in walk_expression(place.address))
    if (
        width != 1 and not fixed and size not in (2, 4, 8, 16)
    ):  # what is no single store (20 STS.U8 for 20 bytes of an `int` array)
        width = None
    unsized = SET if size > MOST_SET else UNALIGNED if width is None else None
    split = tuple(_stretches(size, width)) if width is not None and unsized is None else None
    if size > 0:
        site = access_site(low, call.node, type_, "store", split=split, unsized=unsized)
        low.emit(ir.Store(place.address, (), site, tuple((None, convert(e, UCHAR)) for e in given)))
    low.emit(ir.Clobber(call.callee.name, (place.address,), low.span(call.node)))


def _stretches(size: int, width: int) -> Iterator[tuple[int, int]]:
    """(offset, width) of accesses of at most `width` bytes, narrower ones last."""
    offset = 0
    while offset < size:
        while width > size - offset:
            width //= 2
        yield offset, width
        offset += width


def _copy_unknown(
    call: BuiltinCall,
    destination: Value,
    source: Value,
    type_: Type,
    why: tuple[str, str] = UNALIGNED,
) -> bool:
    """A copy of which it is not known in how many accesses it is made."""
    low = call.low
    if isinstance(source, MemoryPlace):
        low.emit(
            ir.Load((), source.address, access_site(low, call.node, type_, "load", unsized=why))
        )
    if isinstance(destination, MemoryPlace):
        low.emit(
            ir.Store(
                destination.address, (), access_site(low, call.node, type_, "store", unsized=why)
            )
        )
        low.emit(ir.Clobber(call.callee.name, (destination.address,), low.span(call.node)))
    else:
        assign(
            low, destination, unknown_value(destination.type, "loaded-value"), call.node, call.node
        )
    return True


def _copy_raw(call: BuiltinCall, destination: Value, source: Value, type_: Array) -> bool:
    """Bytes whose meaning is not followed: a load and a store of the element width both sides are
    known to be aligned to."""
    low = call.low
    if not isinstance(source, MemoryPlace) or not isinstance(destination, MemoryPlace):
        return False
    width = min(complete(source.type).align, complete(destination.type).align, WIDEST)
    sizes = [
        _alignment(low, place, n, width)
        for place, n in ((source, call.nodes[1]), (destination, call.nodes[0]))
    ]
    if None in sizes:
        return _copy_unknown(call, destination, source, type_)
    split, stored = (
        tuple((o, min(w, (type_.size or 0) - o)) for o in range(0, type_.size or 0, w))
        for w in sizes
        if w
    )
    low.emit(ir.Load((), source.address, access_site(low, call.node, type_, "load", split=split)))
    low.emit(
        ir.Store(destination.address, (), access_site(low, call.node, type_, "store", split=stored))
    )
    low.emit(ir.Clobber(call.callee.name, (destination.address,), low.span(call.node)))
    return True
