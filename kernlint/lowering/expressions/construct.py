"""Objects coming into being: constructors, member initialisers, aggregate initialisation, vector
literals.

In: a type, argument values or nodes. Out: a place or value holding the object; statements of
inlined constructors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeGuard

from kernlint.base.dataclass import replace
from kernlint.ir import nodes as ir
from kernlint.ir.types import (
    LONG,
    UINT,
    ULONG,
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
from kernlint.lowering.calls import intrinsics
from kernlint.lowering.context import Lowerer, expression
from kernlint.lowering.declare import is_defaulted, parameter_types
from kernlint.lowering.declared_names import function_name
from kernlint.lowering.expressions import atomic_objects, containers, dynamic_classes
from kernlint.lowering.expressions.designators import components, is_designated, next_item
from kernlint.lowering.expressions.fold import binary, convert, integer, retype
from kernlint.lowering.expressions.places import (
    base_view,
    discard,
    field_of,
    fresh,
    member,
    rvalue,
    scalar,
    static_value,
    unknown_value,
    void_value,
)
from kernlint.lowering.expressions.stores import assign, bound_reference, cast, evaluated, store
from kernlint.lowering.expressions.values import (
    PLACES,
    Aggregate,
    AutoPlaceholder,
    BracedList,
    Closure,
    FunctionType,
    MemoryPlace,
    Place,
    Qualified,
    Scalar,
    SplitPlace,
    StaticPlace,
    Value,
)
from kernlint.lowering.scopes import ClassInfo, FunctionEntity, IncompleteRecord, PackEntity
from kernlint.lowering.templates import overloads
from kernlint.lowering.templates.template_arguments import expand_packs, pack_scopes, spread
from kernlint.lowering.types import typenames
from kernlint.lowering.types.classes import base_offset, class_info
from kernlint.lowering.types.layout import DIM3, complete, find_field, is_vector, leaves
from kernlint.source.parser import tree

MOST_CLEARED = 256  # scalars of an object of host code


def argument_values(
    low: Lowerer, nodes: Sequence[tree.Operand], by_value: Callable[[int], bool] | None = None
) -> tuple[list[Value], list[tree.Operand]]:
    """The arguments' values (places where they are places), packs expanded; what members of a class
    that nobody defines begin with. `by_value`: of which positions numbers are read at once, as they
    are written, before the arguments that follow."""
    values: list[Value] = []
    written: list[tree.Operand] = []
    for node, scope in expand_packs(nodes, low.scope):
        with low.scoped(scope):
            value = expression(low, node.expr if isinstance(node, tree.NamedInitializer) else node)
            number = isinstance(value, MemoryPlace) and isinstance(
                complete(value.type), (Integer, Float)
            )
            values.append(
                rvalue(low, value, node)
                if number and by_value is not None and by_value(len(values))
                else value
            )
        written.append(node)
    return values, written


def construct_nodes(
    low: Lowerer, type_: Type, nodes: Sequence[tree.Operand], node: tree.Node, braces: bool
) -> Value:
    """`T(args)` or `T{args}` from syntax."""
    type_ = complete(type_)
    vector = isinstance(type_, Record) and is_vector(type_)
    if isinstance(type_, Record) and vector and is_designated(nodes):
        return _designated_vector(low, type_, nodes)
    if isinstance(type_, Record) and braces and containers.is_container(type_):
        place = fresh(low, type_, "(temporary)", 0, node)
        containers.construct_listed(low, place, type_, nodes, node)
        return place
    if isinstance(type_, Record) and braces and (taker := list_taken(low, type_)) is not None:
        place = fresh(low, type_, "(temporary)", 0, node)
        construct_from_list(low, place, type_, taker, nodes, node)
        return place
    if isinstance(type_, Record) and braces and not vector and _is_aggregate_class(type_):
        place = fresh(low, type_, "(temporary)", 0, node)
        initialise_aggregate(low, place, type_, nodes, node)
        return place
    values, written = argument_values(low, nodes, lambda _: vector)
    return construct(low, type_, values, written, node, braces)


def list_taken(low: Lowerer, type_: Record) -> Record | None:
    """The `std::initializer_list` that a constructor of the class takes, which `{…}` calls before
    any other ([over.match.list])."""
    info = class_info(type_)
    for constructor in info.constructors if info is not None else ():
        parameters = parameter_types(constructor.node)
        if constructor.parameters is None and len(parameters) == 1:
            taken = complete(typenames.resolve(low.program, parameters[0], constructor.scope).type)
            if containers.is_initializer_list(taken) and isinstance(taken, Record):
                return taken
    return None


def construct_from_list(
    low: Lowerer,
    place: Place,
    type_: Record,
    taken: Record,
    items: Sequence[tree.Operand],
    node: tree.Node,
) -> None:
    """Run on `place` the constructor that takes a list; the default one for `{}`."""
    if not items:
        construct_into(low, place, type_, [], [], node)
        return
    held = fresh(low, taken, "(list)", 0, node)
    containers.construct_listed(low, held, taken, items, node)
    construct_into(low, place, type_, [held], [node], node)


def _designated_vector(low: Lowerer, type_: Record, nodes: Sequence[tree.Operand]) -> Value:
    """`{.x = a, .z = b}`: zeros elsewhere."""
    made: dict[int, ir.Expression] = {o: convert(integer(0), t) for o, t, _ in leaves(type_)}
    parts = leaves(type_)
    for place, item in components(type_, nodes):
        offset, leaf, _ = parts[place]
        made[offset] = convert(scalar(low, rvalue(low, expression(low, item), item), item), leaf)
    return Aggregate(type_, made)


def by_reference(value: Value) -> TypeGuard[MemoryPlace]:
    """Whether a value is an object of a class nobody defines: nothing is read of it where it is
    handed over (`BlockScan(storage)`), for it goes by reference or through its own constructor."""
    type_ = complete(value.type) if isinstance(value, MemoryPlace) else None
    return isinstance(type_, (OpaqueType, IncompleteRecord)) and type_.size is None


def referred(type_: Type, value: Value) -> Value | None:
    """What a variable of a type that refers to another object stands for; None for other types."""
    return atomic_objects.reference_to(type_, value) or given_group(type_, value)


def given_group(type_: Type, value: Value) -> Value | None:
    """What a `cooperative_groups::thread_group` stands for, which holds a group of any kind, or a
    `cuda::pipeline`, whose threads are known by what it is made of: what it is given; None for
    other types."""
    if not isinstance(type_, OpaqueType):
        return None
    kind = intrinsics.object_kind(str(complete(value.type)).split("<")[0])
    if intrinsics.canonical_name(type_.name.split("<")[0]) == "cuda::pipeline":
        return value if kind in ("pipeline", "block_pipeline") else None
    held = intrinsics.object_kind(type_.name) == "unknown" and kind not in (None, "unknown")
    return value if held else None


def construct(
    low: Lowerer,
    type_: Type,
    values: list[Value],
    nodes: Sequence[tree.Node],
    node: tree.Node,
    braces: bool,
) -> Value:
    """An object of `type_` from argument values."""
    type_ = complete(type_)
    if isinstance(type_, Void):
        for value, written in zip(values, nodes, strict=False):
            discard(low, value, written)
        return void_value()
    if isinstance(type_, AutoPlaceholder):
        return rvalue(low, values[0], nodes[0]) if values else void_value()
    if not isinstance(type_, Record):
        if not values:
            is_function = isinstance(type_, FunctionType)  # kept as a number
            return Scalar(integer(0, ULONG) if is_function else convert(integer(0), type_))
        if (referred := atomic_objects.reference_to(type_, values[0])) is not None:
            return referred
        low.handlers.run_handed(low, str(type_), values, nodes, node)
        if isinstance(type_, IncompleteRecord) and not low.host and not low.constant:
            name = type_.name.partition("<")[0]  # declared, or no specialisation is known to fit
            low.leave_uncounted(node, "definition", name, name=name)
        if by_reference(values[0]) or len(values) > 1:
            return unknown_value(type_, "unknown-type", _taken(low, values, nodes))
        return cast(low, values[0], Qualified(type_), nodes[0])
    if is_vector(type_):
        return vector_literal(low, type_, values, nodes)
    if (
        len(values) == 1
        and complete(values[0].type) == type_
        and not isinstance(values[0], BracedList)
    ):
        return rvalue(low, values[0], nodes[0])
    place = fresh(low, type_, "(temporary)", 0, node)
    construct_into(low, place, type_, values, nodes, node)
    return place


def vector_literal(
    low: Lowerer, type_: Record, values: list[Value], nodes: Sequence[tree.Node]
) -> Value:
    """`make_float4`-like filling: scalars and shorter vectors in order; one scalar fills an OpenCL
    vector; dim3's rest is 1."""
    parts = leaves(type_)
    given: list[ir.Expression] = []
    for value, node in zip(values, nodes, strict=False):
        found = rvalue(low, value, node)
        if isinstance(found, Aggregate):
            given += (
                [found.leaves[o] for o, _, _ in leaves(found.type)]
                if is_vector(found.type)
                else list(found.leaves.values())
            )
        else:
            given.append(scalar(low, found, node))
    if len(given) == 1 and type_.kind != "dim3" and low.language == "opencl":
        given = given * len(parts)
    default = 1 if type_.kind == "dim3" else 0
    given += [integer(default)] * (len(parts) - len(given))
    return Aggregate(type_, {o: convert(e, t) for (o, t, _), e in zip(parts, given, strict=False)})


def is_dimensions(type_: Type) -> bool:
    type_ = complete(type_)
    return isinstance(type_, Record) and type_.kind == "dim3"


def default_dimensions() -> Value:
    """`dim3 d;`: its constructor makes every size 1."""
    return Aggregate(DIM3, {offset: integer(1, UINT) for offset in (0, 4, 8)})


def has_class_members(type_: Record) -> bool:
    """Whether default construction has something to do for a data member: a class, or a dim3."""
    inner = [complete(f.type) for f in type_.fields]
    return any(isinstance(t, Record) and (not is_vector(t) or is_dimensions(t)) for t in inner)


def _is_aggregate_class(type_: Record) -> bool:
    info = class_info(type_)
    return info is None or not info.constructors


def construct_into(
    low: Lowerer,
    place: Place,
    type_: Record,
    values: list[Value],
    nodes: Sequence[tree.Node],
    node: tree.Node,
) -> None:
    """Run the constructor that fits on `place`; without constructors, initialise member by
    member. An object with virtual functions is one of the class from then on."""
    _run_constructor(low, place, type_, values, nodes, node)
    dynamic_classes.note(low, place, type_, node)


def _run_constructor(
    low: Lowerer,
    place: Place,
    type_: Record,
    values: list[Value],
    nodes: Sequence[tree.Node],
    node: tree.Node,
) -> None:
    info = class_info(type_)
    if info is None:
        _default_sizes(low, place, type_, set(), node)
        containers.construct_container(low, place, type_, values, nodes, node)
        return
    if info.constructors:
        chosen = overloads.choose(low, _applicable(low, info, values), values, None, None)
        is_copied = len(values) == 1 and complete(values[0].type) == type_
        if is_copied and chosen is not None and chosen[0].parameters is not None:
            # a constructor template never is the copy constructor ([class.copy.ctor]/1)
            assign(low, place, values[0], node, nodes[0], True)
            return
        if chosen is not None:
            entity, scope = chosen
            if entity.node.lazy_body is not None:
                low.handlers.inline(low, entity, scope, values, nodes, node, place, info)
            elif (
                is_defaulted(entity.node) and len(values) == 1 and complete(values[0].type) == type_
            ):
                assign(low, place, values[0], node, nodes[0], True)
            elif is_defaulted(entity.node):
                default_members(low, place, info, set())
            else:
                assign(
                    low,
                    place,
                    unknown_value(
                        type_, "unknown-function", _taken(low, values, nodes), entity.name
                    ),
                    node,
                    node,
                    True,
                )
            return
        if values and _inherited(low, place, info, values, nodes, node):
            return
        if values and not (len(values) == 1 and complete(values[0].type) == type_):
            assign(
                low,
                place,
                unknown_value(type_, "unsupported", _taken(low, values, nodes)),
                node,
                node,
                True,
            )
            return
    if len(values) == 1 and complete(values[0].type) == type_:
        assign(low, place, values[0], node, nodes[0], True)
        return
    if values and _inherited(low, place, info, values, nodes, node):
        return
    _members_in_order(low, place, info, type_, values, nodes, node)


def _inherited(
    low: Lowerer,
    place: Place,
    info: ClassInfo,
    values: list[Value],
    nodes: Sequence[tree.Node],
    node: tree.Node,
) -> bool:
    """Run the constructor of a base class that `using Base::Base` makes one of this class."""
    for member_node in info.node.members:
        named = member_node.name if isinstance(member_node, tree.Using) else None
        names = (
            [function_name(p) for p in named.parts] if isinstance(named, tree.QualifiedName) else []
        )
        if names[-2:-1] != names[-1:] or not names:
            continue
        for base, _ in info.bases:
            inner, record = class_info(complete(base)), complete(base)
            if inner is None or inner.node_name() != names[-1] or not isinstance(record, Record):
                continue
            part = base_view(low, place, record, node)
            if isinstance(part, (SplitPlace, MemoryPlace)):
                construct_into(low, part, record, values, nodes, node)
                default_members(low, place, info, {field.name for field in record.fields})
                return True
    return False


def _taken(
    low: Lowerer, values: list[Value], nodes: Sequence[tree.Node]
) -> tuple[ir.Expression, ...]:
    """What a constructor is handed whose body is not followed."""
    given = tuple(
        o for value, node in zip(values, nodes, strict=False) for o in evaluated(low, value, node)
    )
    low.take(given, "open")
    return given


def _applicable(low: Lowerer, info: ClassInfo, values: list[Value]) -> tuple[FunctionEntity, ...]:
    """The constructors to choose from. What is no object of the class does not become one for its
    copy constructor (C++ [over.best.ics]/4): that would ask for the same conversion again, without
    end."""
    if (
        len(values) != 1
        or isinstance(values[0], BracedList)
        or base_offset(values[0].type, info) is not None
    ):
        return tuple(info.constructors)
    return tuple(one for one in info.constructors if not _copies(low, info, one))


def _copies(low: Lowerer, info: ClassInfo, constructor: FunctionEntity) -> bool:
    parameters = parameter_types(constructor.node)
    if constructor.parameters is not None or not parameters:
        return False
    return class_info(typenames.resolve(low.program, parameters[0], constructor.scope).type) is info


def _members_in_order(
    low: Lowerer,
    place: Place,
    info: ClassInfo,
    type_: Record,
    values: list[Value],
    nodes: Sequence[tree.Node],
    node: tree.Node,
) -> None:
    for field, value, source in zip(type_.fields, values, nodes, strict=False):
        initialise_member(low, place, info, field.name, value, source)
    done = {f.name for f in type_.fields[: len(values)]}
    default_members(low, place, info, done)


def initialise_member(
    low: Lowerer, place: Value, info: ClassInfo | None, name: str, value: Value, node: tree.Node
) -> None:
    """One data member from a value; reference members and functions are followed, not stored."""
    found = field_of(place.type, name)
    if found is None:
        return
    field, bits = found
    reference = info.references.get(name) if info is not None else None
    initialise_field(low, place, field, value, node, bits, reference)


def initialise_field(
    low: Lowerer,
    place: Value,
    field: Field,
    value: Value,
    node: tree.Node,
    bits: tuple[int, int] | None = None,
    reference: Qualified | None = None,
) -> None:
    """As `initialise_member`, of a member that is known."""
    if isinstance(place, SplitPlace):
        at = place.base + field.offset
        if reference is not None:
            place.statics[at] = bound_reference(low, value, reference, node)
            return
        static = atomic_objects.reference_to(field.type, value) or _followed(
            low, value, field.type, node
        )
        if static is not None:
            place.statics[at] = static
            return
    target = member(low, place, field, node, bits)
    if isinstance(target, StaticPlace) and isinstance(place, SplitPlace):
        del place.statics[place.base + field.offset]
        target = member(low, place, field, node, bits)
    assign(low, target, value, node, node, True)


def _followed(low: Lowerer, value: Value, type_: Type, node: tree.Node) -> Value | None:
    if isinstance(value, BracedList):
        return None
    return static_value(value)


def default_members(low: Lowerer, place: Place, info: ClassInfo, done: set[str]) -> None:
    """Default member initialisers, base classes' too, and default construction of class members."""
    for base, _ in info.bases:
        inner = class_info(complete(base))
        if inner is not None:
            default_members(low, place, inner, done)
    for name, init in info.defaults.items():
        if name not in done:
            with low.scoped(info.scope):
                initialise_member(
                    low,
                    place,
                    info,
                    name,
                    initialiser_value(low, init, _field_type(place, name)),
                    init,
                )
            done.add(name)
    record = info.record
    _default_sizes(low, place, record, done, info.node)
    for field in record.fields if record is not None else ():
        inner_type = complete(field.type)
        inner = class_info(inner_type)
        if field.name in done or inner is None or not isinstance(inner_type, Record):
            continue
        if inner.constructors or inner.defaults or has_class_members(inner_type):
            sub = member(low, place, field, info.node)
            if isinstance(sub, (SplitPlace, MemoryPlace)):
                construct_into(low, sub, inner_type, [], [], info.node)


def _default_sizes(
    low: Lowerer, place: Value, record: Record | None, done: set[str], node: tree.Node
) -> None:
    """Default construction of the dim3 and container members that no initialiser names."""
    for field in record.fields if record is not None else ():
        inner = complete(field.type)
        if field.name in done:
            continue
        if is_dimensions(inner):
            assign(low, member(low, place, field, node), default_dimensions(), node, node, True)
        elif isinstance(inner, Record) and containers.is_container(inner):
            sub = member(low, place, field, node)
            if isinstance(sub, (SplitPlace, MemoryPlace)):
                containers.construct_listed(low, sub, inner, [], node)


def _field_type(place: Value, name: str) -> Type:
    field = find_field(place.type, name)
    return field.type if field is not None else AutoPlaceholder()


def initialiser_value(low: Lowerer, init: tree.Node, type_: Type) -> Value:
    """The value of an initialiser node, which may be `(args)` or `{args}`."""
    if isinstance(init, tree.ConstructorInit):
        if isinstance(complete(type_), (Record, Array)) or len(init.args) != 1:
            if isinstance(complete(type_), Array):
                return BracedList(tuple(init.args), init)
            return construct_nodes(low, type_, init.args, init, init.braces)
        return expression(low, init.args[0])
    return expression(low, init)


def run_initialisers(low: Lowerer, entity: FunctionEntity, place: Value, info: ClassInfo) -> None:
    """A constructor's member initialisers, then the default ones of members it does not name."""
    done: set[str] = set()
    for init in entity.node.initializers:
        name = function_name(init.name)
        nodes = list(init.args)
        found = field_of(place.type, name)
        if name == info.node_name():
            values, written = argument_values(low, nodes)
            built = complete(place.type)
            if isinstance(built, Record) and isinstance(place, PLACES):
                construct_into(low, place, built, values, written, init)
            return
        if found is None:
            is_pack = isinstance(low.scope.find(name), PackEntity)
            for scope in pack_scopes(init, low.scope) if is_pack else [low.scope]:
                with low.scoped(scope):
                    _initialise_base(low, place, info, init, name, nodes)
            continue
        done.add(name)
        _initialise_named(low, place, info, name, complete(found[0].type), nodes, init)
    if isinstance(place, (SplitPlace, MemoryPlace)):
        default_members(low, place, info, done)


def _initialise_named(
    low: Lowerer,
    place: Value,
    info: ClassInfo,
    name: str,
    type_: Type,
    nodes: Sequence[tree.Operand],
    init: tree.Node,
) -> None:
    values, written = argument_values(low, nodes)
    if isinstance(type_, Record) and name not in info.references:
        field = find_field(place.type, name)
        assert field is not None
        sub = member(low, place, field, init)
        if isinstance(sub, (SplitPlace, MemoryPlace)) and not is_vector(type_):
            construct_into(low, sub, type_, values, written, init)
        else:
            assign(low, sub, construct(low, type_, values, written, init, False), init, init, True)
        return
    if values:
        initialise_member(low, place, info, name, values[0], written[0])
    elif not isinstance(type_, Array):
        initialise_member(low, place, info, name, Scalar(convert(integer(0), type_)), init)


def _initialise_base(
    low: Lowerer,
    place: Value,
    info: ClassInfo,
    init: tree.MemberInit,
    name: str,
    nodes: Sequence[tree.Operand],
) -> None:
    found = typenames.named(low.program, init.name, low.scope)
    named = complete(found.type) if found is not None else None
    for base, offset in info.bases:
        base_type = complete(base)
        base_info = class_info(base_type)
        if isinstance(base_type, FunctionType) and base_type == named:
            values, written = argument_values(low, nodes)
            lambda_field = Field("operator()", base_type, offset)
            initialise_field(low, place, lambda_field, values[0], written[0])
        names = (
            (base_info.node_name(), base_info.name.rsplit("::", 1)[-1])
            if base_info is not None
            else ()
        )
        if isinstance(base_type, Record) and (name in names or base_type == named):
            values, written = argument_values(low, nodes)
            sub = base_view(low, place, base_type, init)
            if isinstance(sub, (SplitPlace, MemoryPlace)):
                construct_into(low, sub, base_type, values, written, init)


def initialise_aggregate(
    low: Lowerer, place: Value, type_: Record, nodes: Sequence[tree.Operand], node: tree.Node
) -> None:
    """`{a, {b, c}, .d = e}`: members in order or by name, nested braces or elided ones, the rest
    value-initialised."""
    rest = list(spread(nodes, low.scope))
    if low.host and isinstance(place, MemoryPlace):
        _clear(low, place, type_, node)
    _fill(low, place, type_, rest, node)


def _clear(low: Lowerer, place: MemoryPlace, type_: Record, node: tree.Node) -> None:
    """Zeros in an object of host code, whose contents decide what a launch is given: what is not
    named is value-initialised ([dcl.init.aggr])."""
    every = [(o, t) for o, t, _ in leaves(type_) if isinstance(t, (Integer, Float, Pointer))]
    for offset, leaf in every if len(every) <= MOST_CLEARED else ():
        at = binary("+", place.address, integer(offset, LONG))
        zero = Scalar(convert(integer(0), leaf))
        store(low, MemoryPlace(leaf, retype(at, Pointer(leaf))), zero, node, node)


def _brace_elided(low: Lowerer, item: tree.Node, inner: Record) -> bool:
    """Whether an initialiser is for the first member of a nested class rather than for the class
    itself."""
    return not isinstance(item, tree.InitList) and not _is_alike(
        complete(low.program.type_of(item, low.scope).type), inner
    )


def _is_alike(first: object, second: object) -> bool:
    """Whether two types are one but for lambdas, which have another type each time that the same
    text is looked at."""
    if isinstance(first, Qualified) and isinstance(second, Qualified):
        return _is_alike(complete(first.type), complete(second.type))
    if isinstance(first, FunctionType) and isinstance(second, FunctionType):
        one, other = first.definition, second.definition
        written = isinstance(one, Closure) and isinstance(other, Closure)
        return first == second or (written and one.node is other.node)
    if isinstance(first, tuple) and isinstance(second, tuple):
        return len(first) == len(second) and all(map(_is_alike, first, second))
    one_class = class_info(first) if isinstance(first, Type) else None
    other_class = class_info(second) if isinstance(second, Type) else None
    if one_class is None or other_class is None or one_class.template is None:
        return first == second
    same = one_class.template is other_class.template
    return same and _is_alike(one_class.arguments, other_class.arguments)


def _initialise_designated(
    low: Lowerer, place: Value, info: ClassInfo | None, named: tree.NamedInitializer
) -> None:
    """`.a = e`, `.a.b = e`."""
    for part in named.name[:-1]:
        found = field_of(place.type, function_name(part))
        if found is None:
            return
        place = member(low, place, found[0], named, found[1])
        info = class_info(place.type)
    initialise_member(
        low, place, info, function_name(named.name[-1]), expression(low, named.expr), named.expr
    )


def _fill_bases(
    low: Lowerer, place: Value, type_: Record, rest: list[tree.Operand], node: tree.Node
) -> set[tuple[str, int]]:
    """The classes that an aggregate inherits come before its members ([dcl.init.aggr]); gives their
    members, by name and offset."""
    info = class_info(type_)
    inherited: set[tuple[str, int]] = set()
    for base, offset in info.bases if info is not None else ():
        inner = complete(base)
        if isinstance(inner, FunctionType) and rest:
            inherited.add(("operator()", offset))
            item = rest.pop(0)
            initialise_field(
                low, place, Field("operator()", inner, offset), expression(low, item), item
            )
        if not isinstance(inner, Record):
            continue
        inherited |= {(field.name, offset + field.offset) for field in inner.fields}
        within = base_view(low, place, inner, node)
        if not rest or _brace_elided(low, rest[0], inner):
            _fill(low, within, inner, rest, node)
            continue
        item = rest.pop(0)
        if isinstance(item, tree.InitList):
            _fill(low, within, inner, list(spread(item.exprs, low.scope)), item)
        else:
            value = expression(low, item)
            if isinstance(value, (SplitPlace, Aggregate)) and _is_alike(value.type, inner):
                value = replace(value, type=inner)
            assign(low, within, value, node, item, True)
    return inherited


def _fill(
    low: Lowerer, place: Value, type_: Record, rest: list[tree.Operand], node: tree.Node
) -> None:
    info = class_info(type_)
    done: set[str] = set()
    while rest and isinstance(rest[0], tree.NamedInitializer):
        named = rest[0]
        del rest[0]
        name = function_name(named.name[0]) if named.name else ""
        done.add(name)
        _initialise_designated(low, place, info, named)
    inherited = _fill_bases(low, place, type_, rest, node)
    for field in type_.fields:
        if field.name in done or not rest or (field.name, field.offset) in inherited:
            continue
        inner = complete(field.type)
        done.add(field.name)
        if (
            isinstance(inner, Record)
            and class_info(inner) is not None
            and _brace_elided(low, rest[0], inner)
        ):
            _fill(low, member(low, place, field, node), inner, rest, node)
            continue
        item = next_item(low.program, rest, inner, low.scope)
        initialise_member(low, place, info, field.name, expression(low, item), item)
    if info is not None and isinstance(place, (SplitPlace, MemoryPlace)):
        default_members(low, place, info, done)
    elif info is None:
        _default_sizes(low, place, type_, done, node)
    if isinstance(place, SplitPlace):
        for field in type_.fields:
            at = place.base + field.offset
            if (
                field.name not in done
                and (field.name, field.offset) not in inherited
                and at in place.leaves
                and not isinstance(complete(field.type), Record)
            ):
                low.assign(place.leaves[at], convert(integer(0), place.leaves[at].type))
