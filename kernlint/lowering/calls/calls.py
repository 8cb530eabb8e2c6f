"""Function calls: what is called, and what becomes of a function that nobody defines.

In: call nodes. Out: the value returned; the callee's statements through the Lowerer. Unknown
functions become Unknown values and a Clobber.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.ir.nodes import Expression
from kernlint.ir.types import LONG, Array, OpaqueType, Pointer, Record, Void
from kernlint.lowering import global_variables, host_launches, host_variables
from kernlint.lowering.calls import (
    builtin_calls,
    command_line,
    dispatch,
    intrinsics,
    library_calls,
    library_effects,
    virtual_calls,
)
from kernlint.lowering.calls.closures import (
    call_closure,
    entity_of,
    inherited,
    launches,
    run_handed,
    takes,
)
from kernlint.lowering.calls.constant_calls import inline
from kernlint.lowering.calls.unknown_calls import hand_over, handed_over, unknown_call
from kernlint.lowering.context import Lowerer, expression
from kernlint.lowering.declare import is_defaulted
from kernlint.lowering.declared_names import function_name, lookup_path
from kernlint.lowering.expressions import construct, containers, dynamic_classes, operators
from kernlint.lowering.expressions.fold import binary, integer, retype
from kernlint.lowering.expressions.places import (
    base_view,
    fresh,
    is_aggregate,
    scalar,
    static_value,
    void_value,
)
from kernlint.lowering.expressions.stores import assign, evaluated
from kernlint.lowering.expressions.values import (
    Closure,
    FunctionRef,
    MemoryPlace,
    PlacePointer,
    SplitPlace,
    StaticPlace,
    Value,
    VariablePlace,
    is_volatile,
)
from kernlint.lowering.scopes import (
    ClassInfo,
    ClassTemplate,
    FunctionEntity,
    MissingNamespace,
    Scope,
    TypeEntity,
)
from kernlint.lowering.templates import overloads
from kernlint.lowering.templates.class_deduction import given_class
from kernlint.lowering.types import declared_library, library, typenames
from kernlint.lowering.types.classes import base_offset, class_info, methods
from kernlint.lowering.types.layout import complete, known_type
from kernlint.source.parser import tree

MOST_CLASSES = 16  # that one virtual call is followed for
OF_NUMBERS = ("operation", "convert", "reinterpret")  # kinds of built-in functions


def call(low: Lowerer, node: tree.FuncCall) -> Value:
    """`callee(args)`."""
    constructed = _type_called(low, node)
    if constructed is not None:
        return constructed
    low.callee = node.name
    callee = expression(low, node.name)
    held = static_value(callee)
    callee = held if held is not None else callee
    nodes = list(node.args.exprs) if node.args is not None else []
    if isinstance(callee, FunctionRef) and _is_extreme_of_list(callee, nodes):
        return _extreme_of_list(low, callee, nodes, node)
    values, written = construct.argument_values(
        low, nodes, lambda position: _by_value(low, callee, position)
    )
    if isinstance(callee, FunctionRef) and isinstance(node.name, (tree.ID, tree.TemplateId)):
        callee = _looked_up(callee, values)
    return call_value(low, callee, values, written, node)


def _is_extreme_of_list(callee: FunctionRef, nodes: Sequence[tree.Node]) -> bool:
    """Whether it is `std::min({a, b})` or `std::max({a, b})`."""
    is_list = len(nodes) == 1 and isinstance(nodes[0], tree.InitList) and bool(nodes[0].exprs)
    return is_list and not callee.overloads and library_calls.plain_name(callee) in ("min", "max")


def _extreme_of_list(
    low: Lowerer, callee: FunctionRef, nodes: Sequence[tree.Node], node: tree.Node
) -> Value:
    [braces] = nodes
    assert isinstance(braces, tree.InitList)
    first, *others = braces.exprs
    found = expression(low, first)
    for one in others:
        found = call_value(low, callee, [found, expression(low, one)], [first, one], node)
    return found


def _looked_up(callee: FunctionRef, values: list[Value]) -> FunctionRef:
    """A function named without its namespace: those of the arguments' namespaces are meant too."""
    if callee.this is not None or any(one.owner is not None for one in callee.overloads):
        return callee
    every = operators.with_associated(callee.overloads, callee.name, values)
    if len(every) == len(callee.overloads):
        return callee
    return FunctionRef(every, callee.name, callee.arguments, callee.arguments_scope)


def _by_value(low: Lowerer, callee: Value, position: int) -> bool:
    """Whether it is known before the call that an argument is a number."""
    if not isinstance(callee, FunctionRef):
        return False
    if callee.overloads:
        return overloads.by_value(callee.overloads, position)
    found = intrinsics.lookup(callee.name, low.language) if callee.this is None else None
    return found is not None and found.kind in OF_NUMBERS and found.role(position) == "value"


def _type_called(low: Lowerer, node: tree.FuncCall) -> Value | None:
    """`T(args)` where the parser could not know that `T` is a type."""
    name = node.name
    if not isinstance(name, (tree.ID, tree.TemplateId, tree.QualifiedName)):
        return None
    nodes = list(node.args.exprs) if node.args is not None else []
    if isinstance(name, tree.QualifiedName):
        found = typenames.named(low.program, name, low.scope) if _names_type(low, name) else None
        return (
            construct.construct_nodes(low, found.type, nodes, node, False)
            if found is not None
            else None
        )
    entity = low.scope.find(name.name)
    if isinstance(entity, (TypeEntity, ClassTemplate)):
        found = typenames.named(low.program, name, low.scope)
        type_ = given_class(low, name, nodes) or (found.type if found is not None else None)
        if type_ is not None and not isinstance(type_, OpaqueType):
            return construct.construct_nodes(low, type_, nodes, node, False)
    elif entity is None and isinstance(name, tree.TemplateId) and library.is_class([name.name]):
        found = typenames.named(low.program, name, low.scope)
        return (
            None
            if found is None
            else construct.construct_nodes(low, found.type, nodes, node, False)
        )
    elif entity is None and isinstance(name, tree.ID):
        known = known_type(name.name, low.language)
        if known is not None:
            return construct.construct_nodes(low, known, nodes, node, False)
    return None


def _names_type(low: Lowerer, name: tree.QualifiedName) -> bool:
    """Whether the last part of a qualified name is a type of this program (not a function of that
    name), or a reference to an atomic."""
    if intrinsics.object_kind("::".join(function_name(p) for p in name.parts)) == "atomic_ref":
        return True
    names = [function_name(p) for p in name.parts]
    first = low.scope.find(names[0])
    if first is None or isinstance(first, MissingNamespace):
        path = names if first is None else [*first.path, *names[1:]]
        return library.is_class(names) or declared_library.is_class(path)
    entity = lookup_path(names, low.scope)
    return isinstance(entity, (TypeEntity, ClassTemplate))


def call_value(
    low: Lowerer, callee: Value, values: list[Value], nodes: Sequence[tree.Node], node: tree.Node
) -> Value:
    """Call a function, closure or object with argument values."""
    if isinstance(callee, Closure):
        return call_closure(low, callee, values, nodes, node)
    if isinstance(callee, PlacePointer):
        callee = callee.place
    if isinstance(callee, FunctionRef):
        held = static_value(callee.this) if callee.this is not None else None
        if isinstance(held, Closure) and callee.name == "operator()":
            return call_closure(low, held, values, nodes, node, callee)
        return call_function(low, callee, values, nodes, node)
    found = methods(callee.type, "operator()")
    lambdas = inherited(low, callee, node)
    if lambdas:
        operator = FunctionRef(found, "operator()", this=callee)
        return _call_overloaded(low, operator, lambdas, values, nodes, node)
    if found:
        return call_function(
            low, FunctionRef(found, "operator()", this=callee), values, nodes, node
        )
    if low.host and not low.constant:
        candidates = [
            (number, function)
            for number, function in low.program.kept_functions.values()
            if _may_launch(low, function, values)
        ]
        if candidates:
            return _call_any(low, callee, candidates, values, nodes, node)
    operands = _all_operands(low, values, nodes)
    name = low.text(node.name) if hasattr(node, "name") else "?"
    if not low.host and not low.constant:
        low.leave_uncounted(node, "pointer-call", name, name=name)
    host_variables.lose(low, every=True)
    return unknown_call(low, name, values, operands, node, of=callee)


def _call_overloaded(
    low: Lowerer,
    operator: FunctionRef,
    lambdas: list[Closure | None],
    values: list[Value],
    nodes: Sequence[tree.Node],
    node: tree.Node,
) -> Value:
    """A call of an object whose class derives from lambdas, and may have operators of its own."""
    known = [one for one in lambdas if one is not None]
    if len(known) < len(lambdas):
        return _undefined(low, operator, None, values, nodes, node)
    of_lambdas = {id(entity := entity_of(one)): (entity, one) for one in known}
    candidates = (*operator.overloads, *(entity for entity, _ in of_lambdas.values()))
    chosen = overloads.choose(low, candidates, values, operator.arguments, operator.arguments_scope)
    if chosen is None or id(chosen[0]) not in of_lambdas:
        return call_function(low, operator, values, nodes, node)
    return call_closure(low, of_lambdas[id(chosen[0])][1], values, nodes, node, operator)


def _may_launch(low: Lowerer, function: FunctionRef | Closure, values: list[Value]) -> bool:
    """Whether a function that host code keeps takes such arguments and leads to a launch."""
    if isinstance(function, Closure):
        return takes(function, values) and launches(low, function.node)
    return function.name in low.program.launching and _chosen(low, function, values) is not None


def _call_any(
    low: Lowerer,
    callee: Value,
    candidates: Sequence[tuple[int, FunctionRef | Closure]],
    values: list[Value],
    nodes: Sequence[tree.Node],
    node: tree.Node,
) -> Value:
    """A call through a pointer in host code that may lead to launches: of the function that the
    pointer holds, of every candidate where that is not known, else of one that is not followed."""
    global_variables.place_all(low)
    pointer = scalar(low, callee, node)
    with low.block() as otherwise:
        host_variables.lose(low, every=True)
        operands = _all_operands(low, values, nodes)
        result = unknown_call(low, low.text(node), values, operands, node, of=callee)
    for number, function in reversed(candidates):
        with low.block() as then:
            call_value(low, function, values, nodes, node)
        otherwise = [host_launches.if_it_is(low, pointer, number, then, node, otherwise)]
    for statement in otherwise:
        low.emit(statement)
    return result


def call_function(
    low: Lowerer,
    callee: FunctionRef,
    values: list[Value],
    nodes: Sequence[tree.Node],
    node: tree.Node,
) -> Value:
    """A call by name: the program's own functions, then the language's, then the library's, else
    unknown."""
    chosen = _chosen(low, callee, values)
    found = _own_call(low, callee, chosen, values, nodes, node) if chosen is not None else None
    if found is None and callee.this is not None:
        found = containers.method(low, callee, values, nodes, node)
    if found is None:
        found = builtin_calls.call(low, callee, values, nodes, node)
    if found is None:
        found = _library_call(low, callee, values, nodes, node)
    if found is None:
        found = dispatch.dispatched(low, callee.name, values, nodes, node)
    return found if found is not None else _undefined(low, callee, chosen, values, nodes, node)


def _chosen(
    low: Lowerer, callee: FunctionRef, values: list[Value]
) -> tuple[FunctionEntity, Scope] | None:
    """The program's own function that is meant, with the scope that binds its template."""
    if not callee.overloads:
        return None
    wanted = callee.this is not None and is_volatile(callee.this)
    candidates = tuple(
        sorted(callee.overloads, key=lambda e: ("volatile" in e.node.quals) != wanted)
    )
    chosen = overloads.choose(low, candidates, values, callee.arguments, callee.arguments_scope)
    if chosen is None or _language_serves(low, callee, chosen, values):
        return None
    return chosen


def _own_call(
    low: Lowerer,
    callee: FunctionRef,
    chosen: tuple[FunctionEntity, Scope],
    values: list[Value],
    nodes: Sequence[tree.Node],
    node: tree.Node,
) -> Value | None:
    """A function of the program, lowered in place; None where no file seen defines it."""
    entity, scope = chosen
    is_open = virtual_calls.may_be_another(low, entity, node)
    if is_open and (low.host or entity.node.lazy_body is not None):
        return _virtual_call(low, callee, chosen, values, nodes, node)
    if entity.node.lazy_body is None:
        return void_value() if is_defaulted(entity.node) else None
    this = callee.this
    if entity.owner is not None and not entity.is_static and this is not None:
        this = _object(low, this, entity.owner, node)
    return inline(low, entity, scope, values, nodes, node, this)


def _library_call(
    low: Lowerer,
    callee: FunctionRef,
    values: list[Value],
    nodes: Sequence[tree.Node],
    node: tree.Node,
) -> Value | None:
    """A function of the library; in host code one of the runtime. None for others."""
    found = _applied(low, callee, values, node)
    if found is None:
        found = library_calls.call(low, callee, values, nodes, node)
    if found is None and low.host:
        name = library_calls.plain_name(callee)
        found = host_launches.runtime_call(low, name, values, nodes, node)
        if found is None:
            found = library_calls.runtime_call(low, name, values, nodes)
        if found is None:
            found = command_line.read(low, name, values, nodes, node)
    hand_over(low, callee.name, [value for value in values if isinstance(value, MemoryPlace)])
    return found


def _applied(
    low: Lowerer, callee: FunctionRef, values: list[Value], node: tree.Node
) -> Value | None:
    """`std::apply(f, t)`: f with the elements of a tuple."""
    if library_calls.plain_name(callee) != "apply" or len(values) != 2:
        return None
    parts = library_calls.parts_of(low, values[1], node)
    if parts is None:
        return None
    held = static_value(values[0])
    return call_value(low, values[0] if held is None else held, parts, [node] * len(parts), node)


def _language_serves(
    low: Lowerer, callee: FunctionRef, chosen: tuple[FunctionEntity, Scope], values: list[Value]
) -> bool:
    """Whether a function of the language is meant that the program overloads for types of its own:
    its overload calls it, or would convert numbers, which the language takes as they are."""
    if callee.this is not None or intrinsics.lookup(callee.name, low.language) is None:
        return False
    entity, scope = chosen
    if entity.scope is not low.program.scope:
        return False  # of a namespace, where no function of the language is found
    return any(frame.entity is entity for frame in low.frames) or overloads.converts_numbers(
        low, entity, scope, values
    )


def _undefined(
    low: Lowerer,
    callee: FunctionRef,
    chosen: tuple[FunctionEntity, Scope] | None,
    values: list[Value],
    nodes: Sequence[tree.Node],
    node: tree.Node,
) -> Value:
    """A function that no file seen defines, though one may declare it (`chosen`); what it does is
    told to be missing from the numbers of a kernel."""
    run_handed(low, callee.name, values, nodes, node)
    operands = _all_operands(low, values, nodes)
    type_, changed = None, list[Value]()
    if chosen is not None:
        type_ = typenames.resolve(low.program, chosen[0].node.type.type, chosen[1])
        changed = handed_over(low, *chosen, callee.this, values)
        host_variables.lose(low, every=False)
    name = _spelled(low, callee, node)
    seen = chosen is None and any(f.node.lazy_body is not None for f in callee.overloads)
    reason = "overload" if seen else library_effects.not_counted(callee, values)
    if reason and not low.host and not low.constant:
        low.leave_uncounted(node, reason, name, name=name)
    full_name = library_effects.full_name(callee, values)
    return unknown_call(
        low, callee.name, values, operands, node, type_, changed=changed, of=callee.this,
        full_name=full_name, copied=library_effects.copied(full_name, values),
    )  # fmt: skip


def _virtual_call(
    low: Lowerer,
    callee: FunctionRef,
    chosen: tuple[FunctionEntity, Scope],
    values: list[Value],
    nodes: Sequence[tree.Node],
    node: tree.Node,
) -> Value:
    """Host code's call of the method that the object's class has; of every candidate where nothing
    says which class that is."""
    this = static_value(callee.this) if callee.this is not None else None
    this = this.place if isinstance(this, PlacePointer) else callee.this
    known = dynamic_classes.of_variable(low, this) if isinstance(this, SplitPlace) else None
    if known is not None and isinstance(this, SplitPlace):
        known_place = SplitPlace(known, this.leaves, this.statics, this.base, this.key)
        return _method_call(low, callee.name, known_place, values, nodes, node)
    owner = chosen[0].owner
    fitting = [
        (number, record)
        for number, record in dynamic_classes.candidates(low)
        if owner is not None and base_offset(record, owner) is not None
    ]
    type_ = complete(typenames.resolve(low.program, chosen[0].node.type.type, chosen[1]).type)
    is_followed = low.host and not low.constant
    if not is_followed or not fitting or not isinstance(this, MemoryPlace):
        return _unknown_which(low, callee, chosen, values, nodes, node)
    global_variables.place_all(low)
    number_held = dynamic_classes.number_of(low, this, node)
    result = None if isinstance(type_, Void) else fresh(low, type_, "(virtual)")
    with low.block() as otherwise:
        value = _unknown_which(low, callee, chosen, values, nodes, node)
        if result is not None:
            assign(low, result, value, node, node, True)
    for number, record in reversed(fitting[:MOST_CLASSES]):
        whole = _derived(this, record, owner)
        with low.block() as then:
            value = _method_call(low, callee.name, whole, values, nodes, node)
            if result is not None:
                assign(low, result, value, node, node, True)
        otherwise = [host_launches.if_it_is(low, number_held, number, then, node, otherwise)]
    for statement in otherwise:
        low.emit(statement)
    return result if result is not None else void_value()


def _derived(place: MemoryPlace, record: Record, owner: ClassInfo | None) -> MemoryPlace:
    """The whole object of a class around the part of one that it is derived from."""
    found = base_offset(record, owner) if owner is not None else None
    offset = 0 if found is None else found[1]
    address = binary("-", place.address, integer(offset, LONG)) if offset else place.address
    return MemoryPlace(record, retype(address, Pointer(record)))


def _method_call(
    low: Lowerer,
    name: str,
    this: SplitPlace | MemoryPlace,
    values: list[Value],
    nodes: Sequence[tree.Node],
    node: tree.Node,
) -> Value:
    """A call of the method that a class has, of its own or inherited."""
    callee = FunctionRef(methods(this.type, name), name, this=this)
    chosen = _chosen(low, callee, values)
    if chosen is None or chosen[0].node.lazy_body is None:
        operands = _all_operands(low, values, nodes)
        host_variables.lose(low, every=True)
        return unknown_call(low, name, values, operands, node, changed=(this,), of=this)
    entity, scope = chosen
    place: Value = this if entity.owner is None else _object(low, this, entity.owner, node)
    return inline(low, entity, scope, values, nodes, node, place)


def _unknown_which(
    low: Lowerer,
    callee: FunctionRef,
    chosen: tuple[FunctionEntity, Scope],
    values: list[Value],
    nodes: Sequence[tree.Node],
    node: tree.Node,
) -> Value:
    """A virtual call: one of several methods."""
    entity, scope = chosen
    if not low.host and not low.constant:
        low.leave_uncounted(node, "virtual-call", callee.name, name=callee.name)
    operands = _all_operands(low, values, nodes)
    type_ = typenames.resolve(low.program, entity.node.type.type, scope)
    changed = handed_over(low, entity, scope, callee.this, values)
    host_variables.lose(low, every=True)
    return unknown_call(
        low, callee.name, values, operands, node, type_, "unsupported", changed, callee.this
    )


def _spelled(low: Lowerer, callee: FunctionRef, node: tree.Node) -> str:
    """The function's name; of a conversion with the type that is written: `operator float`."""
    named = node.name if isinstance(node, tree.FuncCall) else None
    member = named.field if isinstance(named, tree.StructRef) else None
    if isinstance(member, tree.OperatorName) and member.type is not None:
        return f"operator {low.text(member.type)}"
    return callee.name


def _all_operands(
    low: Lowerer, values: list[Value], nodes: Sequence[tree.Node]
) -> tuple[Expression, ...]:
    return tuple(o for v, n in zip(values, nodes, strict=False) for o in _operands(low, v, n))


def _operands(low: Lowerer, value: Value, node: tree.Node) -> tuple[Expression, ...]:
    if static_value(value) is not None:
        return ()
    if isinstance(complete(value.type), Array):
        return (scalar(low, value, node),)
    return evaluated(low, value, node)


def _object(low: Lowerer, this: Value, owner: ClassInfo, node: tree.Node) -> Value:
    """The place a method works on, as the class that declares it."""
    if not isinstance(this, (VariablePlace, SplitPlace, MemoryPlace, StaticPlace)) and is_aggregate(
        this.type
    ):
        place = fresh(low, this.type, "(temporary)")
        assign(low, place, this, node, node, True)
        this = place
    if owner.record is not None and class_info(this.type) is not owner:
        return base_view(low, this, owner.record, node)
    return this
