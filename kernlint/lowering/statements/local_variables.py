"""Declarations inside functions: locals, shared and static variables, references, structured
bindings, local types.

In: declaration statements. Out: names bound in the current scope; initialising statements through
the Lowerer.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.base.dataclass import replace
from kernlint.ir import nodes as ir
from kernlint.ir.types import Array, Field, OpaqueType, Pointer, Record, Type
from kernlint.lowering.context import Lowerer, StatementHandler, expression, statement
from kernlint.lowering.declare import Declarations
from kernlint.lowering.expressions import atomic_objects, construct, containers
from kernlint.lowering.expressions.chosen_places import chosen_place
from kernlint.lowering.expressions.designators import is_designated
from kernlint.lowering.expressions.fold import integer
from kernlint.lowering.expressions.places import (
    element,
    fresh,
    is_aggregate,
    load,
    local_memory,
    materialise,
    member,
    rvalue,
    static_value,
    unknown,
)
from kernlint.lowering.expressions.stores import assign, bound_reference, coerce
from kernlint.lowering.expressions.values import (
    PLACES,
    STATIC_VALUES,
    Aggregate,
    AutoPlaceholder,
    BracedList,
    ConstantPlace,
    MemoryPlace,
    PlacePointer,
    Qualified,
    Scalar,
    SplitPlace,
    StaticPlace,
    Value,
    VariablePlace,
)
from kernlint.lowering.global_variables import (
    array_type,
    constant_object,
    constant_place,
    initial_values,
    place,
)
from kernlint.lowering.scopes import Binding, GlobalVariable
from kernlint.lowering.shared_variables import alignment, shared_object
from kernlint.lowering.templates.class_deduction import given_class
from kernlint.lowering.types.classes import class_info
from kernlint.lowering.types.copying import copied_by_call, copied_whole
from kernlint.lowering.types.layout import complete, find_field, is_vector, size_of
from kernlint.lowering.types.typenames import resolve
from kernlint.lowering.usage import values_read
from kernlint.source.parser import tree

ARRAY_ELEMENTS = "_M_elems"  # the one member of std::array


def declare(low: Lowerer, node: tree.Decl) -> None:
    """One declaration statement."""
    _embedded_types(low, node.type)
    if isinstance(node.type, tree.FuncDecl):
        return
    if not node.name:
        return
    declared = resolve(low.program, node.type, low.scope)
    deduced = given_class(low, node.type, _given(node.init))
    if deduced is not None:
        declared = replace(declared, type=deduced)
    known = _constant_object(low, node, declared)
    place = _place(low, node, declared, known)
    if place is not None:
        low.scope.names[node.name] = Binding(place, low.span(node), node, known)


def _embedded_types(low: Lowerer, node: tree.Node | None) -> None:
    inner = node
    while isinstance(inner, (tree.TypeDecl, tree.PtrDecl, tree.ArrayDecl, tree.RefDecl)):
        inner = inner.type
    if isinstance(inner, (tree.ClassDef, tree.Enum)):
        Declarations().declare(inner, low.scope)


def _place(
    low: Lowerer, node: tree.Decl, declared: Qualified, known: Aggregate | None
) -> Value | None:
    specifiers, storage = node.funcspec, node.storage
    if (
        "__shared__" in specifiers
        or "__local" in specifiers
        or (declared.space == "shared" and not isinstance(declared.type, Pointer))
    ):
        return shared_object(low, node, declared)
    constant = None if _varies(low, node) else constant_place(low, node, declared, low.scope)
    if constant is not None:
        return constant
    type_ = complete(array_type(low, node, declared.type, low.scope))
    if known is not None:
        place_of_known = fresh(low, known.type, node.name or "", id(node), node)
        assign(low, place_of_known, known, node, node, True)
        return place_of_known
    constant_array = _constant_array(low, node, declared, type_)
    if constant_array is not None:
        return constant_array
    if "static" in storage and low.host:
        return _static(low, node)
    if declared.reference:
        return _reference(low, node, declared)
    if isinstance(type_, Array):
        return _array(low, node, type_, declared)
    return _object(low, node, type_, declared)


def _varies(low: Lowerer, node: tree.Decl) -> bool:
    """Whether the initialiser reads a variable of the run: no constant expression, whatever it
    comes to ([expr.const] of the standard)."""
    if node.init is None or "constexpr" in node.storage:
        return False
    found = (low.scope.find(name) for name in values_read(node.init))
    return any(isinstance(one, Binding) and isinstance(one.value, VariablePlace) for one in found)


def _constant_object(low: Lowerer, node: tree.Decl, declared: Qualified) -> Aggregate | None:
    """`constexpr Config c = configs[2];`: an object of known numbers, which may be a template
    argument; None for others."""
    if "constexpr" not in node.storage or declared.reference:
        return None
    return constant_object(low, node, complete(declared.type), low.scope)


def _static(low: Lowerer, node: tree.Decl) -> Value:
    known = low.program.statics.get(id(node))
    if known is None:
        known = low.program.statics[id(node)] = GlobalVariable(node, low.scope)
    return place(low, known)


def _constant_array(
    low: Lowerer, node: tree.Decl, declared: Qualified, type_: Type
) -> Value | None:
    """A const array of known integers needs no stores: it is read-only data (or folded away)."""
    constant = declared.const or "constexpr" in node.storage or "__constant" in node.funcspec
    if not constant or not isinstance(type_, Array) or node.init is None:
        return None
    values = initial_values(low, node.init, type_, low.scope)
    is_stored = low.host and not low.constant  # structures, whose members are followed
    if values is None and (is_stored or not {"static", "constexpr"} & set(node.storage)):
        return None
    space = (
        "constant"
        if {"static", "constexpr"} & set(node.storage) or "__constant" in node.funcspec
        else "local"
    )
    made = ir.MemoryObject(
        node.name or "", space, type_, size_of(type_), type_.align, low.span(node), initial=values
    )
    low.objects[made] = made
    return MemoryPlace(type_, ir.Address(Pointer(type_, const=True), made))


def _reference(low: Lowerer, node: tree.Decl, declared: Qualified) -> Value:
    if node.init is None:
        value: Value = unknown("unsupported")
    else:
        init = _initialiser(node.init)
        value = expression(low, init if declared.const else chosen_place(low, init))
    bound = bound_reference(low, value, declared, node.init or node)
    return StaticPlace(bound, id(node)) if isinstance(bound, STATIC_VALUES) else bound


def _given(init: tree.Expr | None) -> Sequence[tree.Operand]:
    """What an object is made of, by which the arguments of its class template are known."""
    if init is None:
        return ()
    items = _items(init)
    return items if items is not None else (init,)


def _initialiser(init: tree.Expr) -> tree.Operand:
    """The expression in `= e`, `(e)` or `{e}`."""
    if isinstance(init, tree.ConstructorInit) and len(init.args) == 1:
        return init.args[0]
    return init


def _array(low: Lowerer, node: tree.Decl, type_: Array, declared: Qualified) -> Value:
    place = local_memory(low, type_, node.name or "", node)
    place.volatile = declared.volatile
    aligned = alignment(low, node, type_)
    if aligned > type_.align or declared.volatile:
        place = _aligned(low, place, aligned, declared)
    if node.init is not None:
        items = _items(node.init)
        if items is not None:
            assign(low, place, BracedList(items, node), node, node.init, True)
    elif is_aggregate(type_.element):
        _construct_elements(low, place, type_, node)
    return place


def _items(init: tree.Expr) -> tuple[tree.Operand, ...] | None:
    """The elements in `= {…}`, `{…}` or `(…)`."""
    if isinstance(init, tree.InitList):
        return tuple(init.exprs)
    return tuple(init.args) if isinstance(init, tree.ConstructorInit) else None


def _aligned(low: Lowerer, place: MemoryPlace, align: int, declared: Qualified) -> MemoryPlace:
    assert isinstance(place.address, ir.Address)
    made = replace(place.address.object, align=align, volatile=declared.volatile)
    low.objects.pop(place.address.object)
    low.objects[made] = made
    return MemoryPlace(place.type, ir.Address(place.address.type, made), declared.volatile)


def _construct_elements(low: Lowerer, place: MemoryPlace, type_: Array, node: tree.Node) -> None:
    """Default construction of class elements, only where there is something to run."""
    element = complete(type_.element)
    info = class_info(element)
    if (
        info is None
        or not (info.constructors or info.defaults)
        or not isinstance(element, Record)
        or (type_.count or 99) > 8
    ):
        return
    for i in range(type_.count or 0):
        at = member(low, place, Field("", element, i * (element.size or 0)), node)
        if isinstance(at, MemoryPlace):
            construct.construct_into(low, at, element, [], [], node)


def _object(low: Lowerer, node: tree.Decl, type_: Type, declared: Qualified) -> Value:
    """A scalar or class object."""
    key = id(node)
    listed = containers.listed(type_, node.init)
    if isinstance(type_, Record) and listed is not None:
        place = fresh(low, type_, node.name or "", key, node)
        containers.construct_listed(low, place, type_, listed, node)
        return place
    if isinstance(type_, Record) and not is_vector(type_) and _constructed(node, type_):
        place = fresh(low, type_, node.name or "", key, node)
        given = node.init.args if isinstance(node.init, tree.ConstructorInit) else []
        is_list = isinstance(node.init, tree.ConstructorInit) and node.init.braces
        if is_list and (taken := construct.list_taken(low, type_)) is not None:
            construct.construct_from_list(low, place, type_, taken, given, node)
            return place
        values, written = construct.argument_values(low, given)
        construct.construct_into(low, place, type_, values, written, node)
        return place
    if node.init is None:
        place = fresh(low, type_, node.name or "", key, node)
        if construct.is_dimensions(type_):
            assign(low, place, construct.default_dimensions(), node, node, True)
        return place
    value = _initial_value(low, node, node.init, type_)
    referred = atomic_objects.reference_to(
        value.type if isinstance(type_, AutoPlaceholder) else type_, value
    )
    if referred is not None:
        return referred
    if construct.given_group(type_, value) is not None:
        type_ = complete(value.type)
    if isinstance(type_, Record) and _copied_by_call(low, value, type_):
        place = fresh(low, type_, node.name or "", key, node)
        construct.construct_into(low, place, type_, [value], [node.init], node.init)
        return place
    return _initialised(low, node, node.init, type_, declared, value)


def _copied_by_call(low: Lowerer, value: Value, type_: Record) -> bool:
    """Whether the value is another object of the class, which its copy constructor copies."""
    is_same = isinstance(value, PLACES) and complete(value.type) == type_
    return is_same and copied_by_call(low.program, type_)


def _initialised(
    low: Lowerer, node: tree.Decl, init: tree.Expr, type_: Type, declared: Qualified, value: Value
) -> Value:
    """A variable that begins with a value: followed, known, or stored."""
    key = id(node)
    if isinstance(type_, AutoPlaceholder):
        value = rvalue(low, value, init)
        type_ = complete(value.type)
    elif not (isinstance(value, MemoryPlace) and is_aggregate(type_)):
        value = coerce(low, value, type_, init)
    held = static_value(value)
    if held is not None:
        if key not in low.learnt.not_static:
            return StaticPlace(held, key)
        value = Scalar(materialise(low, held, node)) if isinstance(held, PlacePointer) else held
    is_pointer = isinstance(type_, Pointer)
    if isinstance(value, Scalar):
        if isinstance(value.expression, ir.Constant) and declared.const and not is_pointer:
            return ConstantPlace(value.expression)
        if is_pointer and isinstance(value.type, Pointer):
            type_ = value.type
    place = fresh(low, type_, node.name or "", key, node)
    if isinstance(place, SplitPlace) and isinstance(value, Aggregate):
        place.statics.update(value.statics)
    assign(low, place, value, node, init, True)
    return place


def _constructed(node: tree.Decl, type_: Record) -> bool:
    """Whether the declaration runs a constructor (or default member initialisers) directly on the
    variable."""
    info = class_info(type_)
    if node.init is None:
        return info is None or bool(
            info.constructors or info.defaults or construct.has_class_members(type_)
        )
    if not isinstance(node.init, tree.ConstructorInit):
        return False
    if node.init.braces and find_field(type_, ARRAY_ELEMENTS) is not None:
        return False
    if info is None:
        return not (node.init.braces and is_designated(node.init.args))
    return not node.init.braces or bool(info.constructors)


def _initial_value(low: Lowerer, node: tree.Decl, init: tree.Expr, type_: Type) -> Value:
    """The initialiser's value; one aligned to more than its fields (float4) and only copied later
    is charged to the copy."""
    if isinstance(init, tree.ConstructorInit):
        if isinstance(type_, AutoPlaceholder):
            return expression(low, init.args[0])
        if not isinstance(type_, Record) and len(init.args) == 1:
            value = expression(low, init.args[0])
            if isinstance(type_, OpaqueType):  # `std::thread worker([&] { … });`
                low.handlers.run_handed(low, str(type_), [value], init.args, init)
            return value
        if isinstance(type_, Record) and find_field(type_, ARRAY_ELEMENTS) is not None:
            return BracedList(tuple(init.args), init)
        return construct.construct_nodes(low, type_, init.args, init, init.braces)
    value = expression(low, init)
    if isinstance(value, MemoryPlace) and copied_whole(low.program, value.type):
        with low.charging(low.copy_line(node)):
            return load(low, value, init)
    return value


def structured_binding(low: Lowerer, node: tree.StructuredBinding) -> None:
    """`auto [a, b] = e;`: names for the members or elements."""
    init = node.init
    if init is None:
        return
    source = expression(low, init)
    type_ = complete(source.type)
    if node.reference == "" and not isinstance(type_, Array):
        value = rvalue(low, source, init)
        if _bound_elements(low, node, value, type_):
            return
        place = fresh(low, type_, "(bound)", id(node), node)
        if isinstance(place, SplitPlace) and isinstance(value, Aggregate):
            place.statics.update(value.statics)
        assign(low, place, value, init, init, True)
        source = place
    for i, name in enumerate(node.names):
        low.scope.names[name] = Binding(_bound(low, source, type_, i, node), low.span(node), node)


def _bound_elements(low: Lowerer, node: tree.StructuredBinding, value: Value, type_: Type) -> bool:
    """Names for copies of the elements of a `std::array`, each a variable of its own; False where it
    is none or its elements are not known one by one."""
    elements = find_field(type_, ARRAY_ELEMENTS)
    if elements is None or not isinstance(value, Aggregate):
        return False
    array = complete(elements.type)
    assert isinstance(array, Array)
    for i, name in enumerate(node.names):
        part = element(value, array, integer(i))
        place = fresh(low, complete(part.type), name, id(node), node)
        assign(low, place, part, node, node, True)
        low.scope.names[name] = Binding(place, low.span(node), node)
    return True


def _bound(low: Lowerer, source: Value, type_: Type, position: int, node: tree.Node) -> Value:
    elements = find_field(type_, ARRAY_ELEMENTS)
    if elements is not None:
        source, type_ = member(low, source, elements, node), complete(elements.type)
    if isinstance(type_, Record) and position < len(type_.fields):
        return member(low, source, type_.fields[position], node)
    if isinstance(type_, Array) and isinstance(source, (MemoryPlace, SplitPlace)):
        width = size_of(type_.element)
        return member(low, source, Field("", type_.element, position * (width or 0)), node)
    return unknown("unsupported")


def _group(low: Lowerer, node: tree.DeclGroup | tree.DeclList) -> None:
    for one in node.decls:
        statement(low, one)


def _typedef(low: Lowerer, node: tree.Declaration) -> None:
    Declarations().declare(node, low.scope)


STATEMENTS: dict[type, StatementHandler] = {
        tree.Decl: declare, tree.DeclGroup: _group, tree.DeclList: _group, tree.StructuredBinding: structured_binding,
        tree.Typedef: _typedef,
        tree.ClassDef: _typedef, tree.Function: _typedef, tree.Enum: _typedef, tree.Using: _typedef,
        tree.NamespaceAlias: _typedef,
        tree.TemplateDecl: _typedef,
}  # fmt: skip
