"""Reading, writing and addressing places: where values become Loads, Stores and Assigns.

In: places and values. Out: values; statements through the Lowerer. Loads happen here and nowhere
else, one per textual access.
"""

from __future__ import annotations

import math

from kernlint.ir import nodes as ir
from kernlint.ir.types import (
    INT,
    LONG,
    ULONG,
    VOID,
    Array,
    Field,
    Float,
    Integer,
    OpaqueType,
    Pointer,
    Record,
    Type,
    Void,
)
from kernlint.lowering.context import Lowerer
from kernlint.lowering.expressions import atomic_objects
from kernlint.lowering.expressions.bits import reinterpret
from kernlint.lowering.expressions.fold import binary, integer, retype
from kernlint.lowering.expressions.values import (
    PLACES,
    STATIC_VALUES,
    Aggregate,
    AutoPlaceholder,
    Closure,
    ConstantPlace,
    FunctionRef,
    FunctionType,
    MemoryPlace,
    OpaquePlace,
    Place,
    PlacePointer,
    PunPlace,
    Scalar,
    SplitPlace,
    StaticPlace,
    SwizzlePlace,
    Value,
    VariablePlace,
    is_volatile,
)
from kernlint.lowering.scopes import IncompleteRecord
from kernlint.lowering.sites import access_site
from kernlint.lowering.types.alignments import told_member
from kernlint.lowering.types.classes import class_info
from kernlint.lowering.types.layout import (
    align_of,
    complete,
    find_field,
    has_union_or_array,
    leaves,
    size_of,
)
from kernlint.source.parser import tree


def unknown(
    reason: str,
    type_: Type | None = None,
    operands: tuple[ir.Expression, ...] = (),
    pure: bool = False,
    what: str = "",
) -> Scalar:
    return Scalar(
        ir.Unknown(type_ if type_ is not None else OpaqueType("?"), reason, operands, pure, what)
    )


def unknown_value(
    type_: Type, reason: str, operands: tuple[ir.Expression, ...] = (), what: str = ""
) -> Value:
    """An unknown value of any type, aggregates leaf by leaf."""
    type_ = complete(type_)
    if isinstance(type_, Record):
        return Aggregate(
            type_, {o: ir.Unknown(t, reason, operands, False, what) for o, t, _ in leaves(type_)}
        )
    return unknown(
        reason,
        type_ if not isinstance(type_, (AutoPlaceholder, Array)) else OpaqueType("?"),
        operands,
        False,
        what,
    )


NAMING = (tree.ID, tree.QualifiedName, tree.ArrayRef, tree.StructRef)


def discard(low: Lowerer, value: Value, node: tree.Node) -> None:
    """A value nobody uses: only a volatile place is read, and that where the expression names it
    ([expr.context] of the standard: neither what an assignment leaves nor what a function
    gives)."""
    while isinstance(node, tree.ExprList):
        node = node.exprs[-1]
    is_named = node.op == "*" if isinstance(node, tree.UnaryOp) else isinstance(node, NAMING)
    if is_volatile(value) and is_named:
        rvalue(low, value, node, False)


def is_aggregate(type_: Type) -> bool:
    return isinstance(complete(type_), Record)


# ------------------------------------------------------------------ making places


def fresh(
    low: Lowerer, type_: Type, name: str = "", key: int = 0, node: tree.Node | None = None
) -> Place:
    """A new local of any type: variables where it can be split, a local memory object otherwise."""
    type_, span = complete(type_), low.span(node) if node is not None else None
    if key in low.learnt.in_memory or has_union_or_array(type_):
        return local_memory(low, type_, name or "(temporary)", node)
    if isinstance(type_, Record):
        made = {
            o: ir.Variable(f"{name}{suffix}", t, span, low.calls) for o, t, suffix in leaves(type_)
        }
        return SplitPlace(type_, made, {}, 0, key)
    return VariablePlace(ir.Variable(name or "(value)", type_, span, low.calls), key)


def local_memory(low: Lowerer, type_: Type, name: str, node: tree.Node | None) -> MemoryPlace:
    made = ir.MemoryObject(
        name,
        "local",
        type_,
        size_of(type_),
        complete(type_).align,
        low.span(node) if node is not None else None,
    )
    low.objects[made] = made
    return MemoryPlace(type_, ir.Address(Pointer(type_), made))


# ------------------------------------------------------------------ reading


def rvalue(low: Lowerer, value: Value, node: tree.Node, used: bool = True) -> Value:
    """Lvalue-to-rvalue conversion (a Load for memory), array-to-pointer decay; values pass
    unchanged."""
    if isinstance(value, Scalar):
        return value
    if isinstance(value, VariablePlace):
        return Scalar(ir.Read(value.type, value.variable))
    if isinstance(value, ConstantPlace):
        return Scalar(value.value)
    if isinstance(value, StaticPlace):
        return value.value
    if isinstance(value, SplitPlace):
        return read_split(value)
    if isinstance(value, MemoryPlace):
        return load(low, value, node, used)
    if isinstance(value, SwizzlePlace):
        whole = rvalue(low, value.base, node)
        return _gather(value, whole)
    if isinstance(value, PunPlace):
        return _read_pun(low, value, node)
    if isinstance(value, OpaquePlace):
        return unknown_value(value.type, value.reason, value.operands, value.what)
    return value


def read_split(place: SplitPlace) -> Value:
    wanted = leaves(place.type)
    read = {
        o: ir.Read(t, place.leaves[place.base + o])
        for o, t, _ in wanted
        if place.base + o in place.leaves
    }
    held = {o - place.base: v for o, v in place.statics.items() if place.base <= o}
    return Aggregate(place.type, dict(read), held)


def _gather(place: SwizzlePlace, whole: Value) -> Value:
    if not isinstance(whole, Aggregate):
        return unknown_value(place.type, "unsupported", operands_of(whole))
    type_ = complete(place.type)
    fields = type_.fields if isinstance(type_, Record) else ()
    return Aggregate(
        place.type, {f.offset: whole.leaves[o] for f, o in zip(fields, place.offsets, strict=False)}
    )


def _read_pun(low: Lowerer, place: PunPlace, node: tree.Node) -> Value:
    return reinterpret(rvalue(low, place.place, node), place.type)


def load(low: Lowerer, place: MemoryPlace, node: tree.Node, used: bool = True) -> Value:
    """Read memory: decay for arrays, the initial values of constant arrays at constant offsets,
    else a Load."""
    place = atomic_objects.held(place)
    type_ = complete(place.type)
    if isinstance(type_, Array):
        return Scalar(retype(place.address, pointer_to(place, type_.element)))
    if isinstance(type_, Void) or (isinstance(type_, FunctionType) and not low.host):
        return unknown("unsupported", type_)
    is_whole = place.bits is None and not place.volatile
    known = _initial_value(low, place, type_) if is_whole else None
    if known is not None:
        return Scalar(known)
    handed = _of_parameter(low, place, type_)
    if handed is not None:
        return handed
    targets = {
        o: low.temporary(ULONG if isinstance(t, FunctionType) else t) for o, t, _ in leaves(type_)
    }
    site = access_site(low, node, type_, "load", volatile=place.volatile, used=used, place=place)
    low.emit(ir.Load(tuple(targets.items()), place.address, site))
    read = {o: ir.Read(v.type, v) for o, v in targets.items()}
    if place.bits is not None:
        return _bits(place.bits, read[0], type_)
    return Aggregate(type_, dict(read)) if isinstance(type_, Record) else Scalar(read[0])


def _of_parameter(low: Lowerer, place: MemoryPlace, type_: Type) -> Value | None:
    """What lies at a constant place of a parameter with arrays, which no statement changes: as the
    launch hands it."""
    found = constant_address(place.address) if low.parameter_leaves else None
    if found is None or place.bits is not None or place.volatile:
        return None
    known, read = low.parameter_leaves.get(found[0], {}), dict[int, ir.Expression]()
    for offset, leaf, _ in leaves(type_):
        variable = known.get(found[1] + offset)
        if variable is None or variable.type != leaf:
            return None
        read[offset] = ir.Read(leaf, variable)
    if isinstance(type_, Record):
        return Aggregate(type_, read)
    return Scalar(read[0]) if read else None


def _bits(bits: tuple[int, int], whole: ir.Expression, type_: Type) -> Value:
    """The bit-field in its storage unit; unknown where a packed one reaches beyond it."""
    first, width = bits
    if not isinstance(type_, Integer) or first + width > type_.bits:
        return Scalar(
            ir.Unknown(type_, "loaded-value", (whole,), True, apart=f"{width} from {first}")
        )
    left = binary("<<", whole, integer(type_.bits - first - width))
    return Scalar(binary(">>", left, integer(type_.bits - width)))


def constant_address(address: ir.Expression) -> tuple[ir.MemoryObject, int] | None:
    """(object, byte offset) of an address known at compile time."""
    if isinstance(address, ir.Address):
        return address.object, 0
    if (
        isinstance(address, ir.Binary)
        and address.op == "+"
        and isinstance(address.right, ir.Constant)
    ):
        inner = constant_address(address.left)
        return (inner[0], inner[1] + int(address.right.value)) if inner is not None else None
    return None


def _initial_value(low: Lowerer, place: MemoryPlace, type_: Type) -> ir.Constant | None:
    found = constant_address(place.address)
    if found is None:
        return None
    memory, offset = found
    held = low.program.contents.get(memory)
    if held:
        return one if (one := held.get(offset)) is not None and one.type == type_ else None
    if memory.initial is None or not isinstance(type_, Integer):
        return None
    width = type_.size
    element = memory.type
    while isinstance(element, Array):
        element = element.element
    if (
        element.size != width
        or offset % width
        or not 0 <= offset // width < len(memory.initial or ())
    ):
        return None
    return integer((memory.initial or ())[offset // width], type_)


def scalar(low: Lowerer, value: Value, node: tree.Node) -> ir.Expression:
    """The value as one IR expression; aggregates and functions become unknown."""
    found = rvalue(low, value, node)
    if isinstance(found, Scalar):
        return found.expression
    if isinstance(found, PlacePointer):
        return materialise(low, found, node)
    if isinstance(found, Aggregate):
        held = list(found.leaves.values())
        return (
            held[0] if len(held) == 1 else ir.Unknown(found.type, "unsupported", tuple(held), True)
        )
    if isinstance(found, FunctionRef) and not found.overloads:
        # a name of a missing header: some constant, or a member of its class
        reason = _of_host(low, found) if low.host else "unknown-argument"
        return ir.Unknown(INT, reason, _object_value(low, found.this, node), True, found.name)
    if isinstance(found, (FunctionRef, Closure)) and low.host and not low.constant:
        return function_number(low, found)
    return ir.Unknown(found.type, "unsupported")


def _of_host(low: Lowerer, found: FunctionRef) -> str:
    """Why host code does not know what a name stands for that is not found."""
    if found.this is not None:
        return "unknown-type"
    entity = low.frames[-1].entity if low.frames else None
    class_node = entity.class_node if entity is not None else None
    members = class_node.members if class_node is not None else []
    fields = (d for m in members for d in (m.decls if isinstance(m, tree.DeclGroup) else (m,)))
    is_field = any(isinstance(d, tree.Decl) and d.name == found.name for d in fields)
    return "loaded-value" if is_field else "unknown-name"


def _object_value(low: Lowerer, this: Value | None, node: tree.Node) -> tuple[ir.Expression, ...]:
    """What decides a member of a class that is not there: the object, unless it is an argument of
    the kernel, which all lanes are given alike."""
    is_held = isinstance(this, (Scalar, Aggregate, VariablePlace, SplitPlace)) and not low.host
    if this is None or not is_held:
        return ()
    if isinstance(this, VariablePlace) and this.variable in low.handed:
        return ()
    return operands_of(rvalue(low, this, node))


def function_number(low: Lowerer, function: FunctionRef | Closure) -> ir.Expression:
    """A number that stands for a function of the program, or a lambda, where host code keeps it
    (`launches` asks which function a number means)."""
    kept = low.program.kept_functions
    if isinstance(function, Closure):
        if not function.is_one:
            return ir.Unknown(ULONG, "unsupported")
        named: object = (id(function.node), id(function.scope))
    else:
        explicit = None if function.arguments is None else tuple(map(low.text, function.arguments))
        named = (tuple(map(id, function.overloads)), explicit)
    number = kept.setdefault(named, (len(kept) + 1, function))[0]
    return integer(number, ULONG)


def operands_of(value: Value) -> tuple[ir.Expression, ...]:
    if isinstance(value, Scalar):
        return (value.expression,)
    return tuple(value.leaves.values()) if isinstance(value, Aggregate) else ()


# ------------------------------------------------------------------ addressing


def pointer_to(place: MemoryPlace, pointee: Type) -> Pointer:
    source = place.address.type
    if isinstance(source, Pointer):
        return Pointer(pointee, source.space, source.const, source.restrict, place.volatile)
    return Pointer(pointee, volatile=place.volatile)


def address_of(low: Lowerer, value: Value, node: tree.Node) -> Value:
    """`&value`: an address for memory, a followed pointer for variables."""
    if isinstance(value, MemoryPlace):
        return Scalar(retype(value.address, pointer_to(value, value.type)))
    if isinstance(value, StaticPlace) and not isinstance(value.value, PlacePointer):
        return value.value
    if isinstance(value, PLACES):
        return PlacePointer(Pointer(value.type), value)
    if isinstance(value, (FunctionRef, Closure)):
        return value
    return unknown("unsupported", Pointer(value.type))


def declaration_keys(place: Value) -> list[int]:
    """The declarations whose variables a place is made of."""
    if isinstance(place, (VariablePlace, SplitPlace, StaticPlace)):
        return [place.key] if place.key else []
    if isinstance(place, (SwizzlePlace,)):
        return declaration_keys(place.base)
    if isinstance(place, PunPlace):
        return declaration_keys(place.place)
    return []


def materialise(low: Lowerer, pointer: PlacePointer, node: tree.Node) -> ir.Expression:
    """A real address for a followed pointer: its target moves to memory when the function is
    lowered again."""
    if isinstance(pointer.place, MemoryPlace):
        return (
            retype(pointer.place.address, pointer.type)
            if isinstance(pointer.type, Pointer)
            else pointer.place.address
        )
    low.escaped.update(declaration_keys(pointer.place))
    return ir.Unknown(pointer.type, "unknown-pointer")


def dereference(low: Lowerer, value: Value, node: tree.Node) -> Value:
    """`*value` as a place."""
    if isinstance(value, PlacePointer):
        wanted = value.type.pointee if isinstance(value.type, Pointer) else value.place.type
        return view(low, value.place, wanted, node)
    if isinstance(value, (FunctionRef, Closure)):
        return value
    if isinstance(value, Scalar):
        type_ = value.type
        if isinstance(type_, Pointer):
            return MemoryPlace(complete(type_.pointee), value.expression, type_.volatile)
        return OpaquePlace(
            OpaqueType("?"),
            "unknown-type" if isinstance(type_, OpaqueType) else "unsupported",
            "",
            (value.expression,),
        )
    return OpaquePlace(OpaqueType("?"), "unsupported", "", operands_of(value))


def view(low: Lowerer, place: Value, type_: Type, node: tree.Node) -> Value:
    """`place` as if it had `type_` (through a converted pointer)."""
    type_ = complete(type_)
    if complete(place.type) == type_ or isinstance(place, OpaquePlace):
        return place
    if isinstance(place, MemoryPlace):
        return MemoryPlace(type_, retype(place.address, pointer_to(place, type_)), place.volatile)
    if isinstance(place, SplitPlace):
        related = _as_base(place, type_) or _as_derived(place, type_)
        if related is not None:
            return related
        if place.base in place.leaves and place.leaves[place.base].type == type_:
            return VariablePlace(place.leaves[place.base], place.key)
    if (size_of(type_) or 0) > (size_of(place.type) or 0):
        # reaches beyond the variable: its owner must lie in memory
        low.escaped.update(declaration_keys(place))
    return PunPlace(type_, place)


def _as_base(place: SplitPlace, type_: Type) -> SplitPlace | None:
    info, derived = class_info(type_), class_info(place.type)
    if info is None or derived is None:
        return None
    for base, offset in derived.bases:
        moved = SplitPlace(
            complete(base), place.leaves, place.statics, place.base + offset, place.key
        )
        if complete(base) == type_:
            return moved
        inner = _as_base(moved, type_)
        if inner is not None:
            return inner
    return None


def _as_derived(place: SplitPlace, type_: Type) -> SplitPlace | None:
    """The object of class `type_` of which `place` is the base, as `static_cast<T *>(this)` names
    it; None where the variable is no such object."""
    if class_info(type_) is None:
        return None
    whole = SplitPlace(type_, place.leaves, place.statics, 0, place.key)
    part = _as_base(whole, complete(place.type))
    if part is None:
        return None
    start = place.base - part.base
    held = place.leaves.keys() | place.statics.keys()
    if any(start + offset not in held for offset, _, _ in leaves(type_)):
        return None
    return SplitPlace(type_, place.leaves, place.statics, start, place.key)


def member(
    low: Lowerer, value: Value, field: Field, node: tree.Node, bits: tuple[int, int] | None = None
) -> Value:
    """`value.field`, as a place when `value` is one."""
    type_ = complete(field.type)
    if isinstance(value, MemoryPlace):
        address = binary("+", value.address, integer(field.offset, LONG), pointer_to(value, type_))
        align = reduced(value.align or align_of(value.type), field.offset, type_)
        volatile = value.volatile or field.volatile
        return MemoryPlace(
            type_,
            retype(address, pointer_to(value, type_)),
            volatile,
            bits,
            align,
            told_member(value, field),
            value.subscripts,
        )
    if isinstance(value, SplitPlace):
        return _split_member(value, field, type_)
    if isinstance(value, Aggregate):
        return _part(value, field.offset, type_)
    if isinstance(value, StaticPlace):
        return member(low, value.value, field, node, bits)
    if isinstance(value, OpaquePlace):
        return OpaquePlace(type_, value.reason, value.what, value.operands)
    if isinstance(value, (PunPlace, SwizzlePlace)):
        return member(low, rvalue(low, value, node), field, node, bits)
    if isinstance(value, Scalar):
        return unknown_value(type_, "unsupported", (value.expression,))
    return unknown_value(type_, "unsupported")


def _is_leaf(value: Value) -> bool:
    """Whether a value is no object of a class: where a class is asked for it is that one's first
    member."""
    return isinstance(complete(value.type), (FunctionType, Pointer, Integer, Float))


def _split_member(value: SplitPlace, field: Field, type_: Type) -> Value:
    at = value.base + field.offset
    is_first = isinstance(type_, Record) and at in value.statics and _is_leaf(value.statics[at])
    if at in value.statics and not is_first:
        held = value.statics[at]
        is_reference = isinstance(held, MemoryPlace) and atomic_objects.is_atomic(held)
        return held if is_reference else StaticPlace(held, value.key)
    if isinstance(type_, Record):
        return SplitPlace(type_, value.leaves, value.statics, at, value.key)
    if at in value.leaves:
        return VariablePlace(value.leaves[at], value.key)
    return OpaquePlace(type_, "unsupported")


def element(value: Aggregate, array: Array, index: ir.Expression) -> Value:
    """`value[index]` for an array by value; what it is unknown for stays where nothing of it is
    known."""
    type_, found = complete(array.element), list(value.leaves.values())
    size = size_of(type_)
    if (
        isinstance(index, ir.Constant)
        and size is not None
        and 0 <= int(index.value) * size < (size_of(array) or 0)
    ):
        return _part(value, int(index.value) * size, type_)
    unknowns = [leaf for leaf in found if isinstance(leaf, ir.Unknown)]
    reasons = {leaf.reason for leaf in unknowns}
    if len(unknowns) == len(found) and len(reasons) == 1:
        first = unknowns[0]
        return unknown_value(type_, first.reason, (index, *first.operands), first.what)
    return unknown_value(type_, "unsupported", (index, *found))


def _part(value: Aggregate, offset: int, type_: Type) -> Value:
    """What lies `offset` bytes behind the start of an aggregate."""
    if offset in value.statics:
        return value.statics[offset]
    if isinstance(type_, (Record, Array)):
        inside = {
            o: value.leaves[offset + o] for o, _, _ in leaves(type_) if offset + o in value.leaves
        }
        held = {o - offset: v for o, v in value.statics.items() if o >= offset}
        return Aggregate(type_, inside, held)
    found = value.leaves.get(offset)
    if found is None:
        found = ir.Unknown(
            type_, "unsupported", tuple(value.leaves.values()), True, apart=f"at {offset}"
        )
    return Scalar(found)


def reduced(align: int, offset: int, type_: Type) -> int:
    """The alignment of a `type_` that lies `offset` bytes (or multiples of them) behind `align`; 0
    where it is all that the type needs."""
    found = math.gcd(align, offset)
    return found if found < align_of(type_) else 0


def subscript_of(base: MemoryPlace, index: ir.Expression) -> tuple[ir.BoundedIndex, ...]:
    """What bounds the index of an array that is a part of its object; of a whole object its size
    does. A last member of one element is often a longer array's beginning."""
    array = complete(base.type)
    whole = isinstance(base.address, ir.Address) and base.address.object.type == array
    if whole or not isinstance(array, Array) or array.extent is not None:
        return ()
    if array.count is None or array.count < 2:
        return ()
    return (ir.BoundedIndex(index, array.count),)


def is_missing(type_: Type) -> bool:
    """Whether the definition of a class is not in the files seen, so that any name may be a member
    of it."""
    return isinstance(complete(type_), (OpaqueType, IncompleteRecord))


def _is_lost(address: ir.Expression) -> bool:
    """Whether the offset of an address is unknown already for want of a type."""
    while isinstance(address, ir.Convert):
        address = address.operand
    return (
        isinstance(address, ir.Binary)
        and isinstance(address.right, ir.Unknown)
        and address.right.reason == "unknown-type"
    )


def missing_part(place: MemoryPlace, operands: tuple[ir.Expression, ...] = ()) -> MemoryPlace:
    """A member or element of an object of a missing class: somewhere in it, of a type that is just
    as unknown."""
    type_ = complete(place.type)
    address = place.address
    if operands or not _is_lost(address):
        address = binary(
            "+", address, ir.Unknown(LONG, "unknown-type", operands), pointer_to(place, type_)
        )
    return MemoryPlace(
        OpaqueType(str(type_)), retype(address, pointer_to(place, type_)), place.volatile
    )


def base_view(low: Lowerer, value: Value, type_: Type, node: tree.Node) -> Value:
    """`this` as seen by a method of base class `type_`."""
    if isinstance(value, (SplitPlace, MemoryPlace)):
        info = class_info(value.type)
        if isinstance(value, MemoryPlace) and info is not None:
            for base, offset in info.bases:
                if complete(base) == complete(type_):
                    return member(low, value, Field("", base, offset), node)
        return view(low, value, type_, node) if complete(value.type) != complete(type_) else value
    return value


def void_value() -> Scalar:
    return Scalar(ir.Constant(VOID, 0))


def field_of(type_: Type, name: str) -> tuple[Field, tuple[int, int] | None] | None:
    """A data member and, for a bit-field, its bits."""
    found = find_field(type_, name)
    if found is None:
        return None
    info = class_info(type_)
    return found, info.bits.get(name) if info is not None else None


def static_value(value: Value) -> Value | None:
    """The followed value of a static place or value; None for ordinary ones."""
    if isinstance(value, StaticPlace):
        return value.value
    return value if isinstance(value, STATIC_VALUES) else None


def allocation(
    low: Lowerer,
    type_: Pointer,
    name: str,
    node: tree.Node,
    size: ir.Expression | None = None,
) -> Scalar:
    """A pointer to fresh memory. In device code each thread gets an allocation of its own out of the
    heap, whose place is not known."""
    made = low.temporary(type_, "(allocation)")
    if low.host:
        low.emit(ir.Allocate(made, low.span(node), size))
    else:
        low.emit(ir.Clobber(name, (), low.span(node)))  # what the call itself does
        low.assign(made, ir.Unknown(type_, "unknown-pointer", (), False, name))
    return Scalar(ir.Read(type_, made))


def on_heap(
    low: Lowerer, type_: Pointer, name: str, size: ir.Expression | None, node: tree.Node
) -> Scalar:
    """A pointer to `size` fresh bytes that the function `name` gives, followed in host code."""
    if not low.host:
        return allocation(low, type_, name, node)
    made = low.temporary(type_, "(allocation)")
    low.emit(ir.Allocate(made, low.span(node), size, True))
    return Scalar(ir.Read(type_, made))
