"""Variables outside functions: device and constant memory, constants, host globals, static data
members, variable templates.

In: GlobalVariable entities. Out: places, made once per lowering (memory objects once per program).
"""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.ir import nodes as ir
from kernlint.ir.types import Array, Integer, Pointer, Record, Type
from kernlint.lowering import host_variables
from kernlint.lowering.context import Lowerer
from kernlint.lowering.expressions.construct import (
    construct_into,
    default_dimensions,
    initialiser_value,
    is_dimensions,
)
from kernlint.lowering.expressions.containers import construct_listed, listed
from kernlint.lowering.expressions.designators import elements, is_designated
from kernlint.lowering.expressions.fold import convert
from kernlint.lowering.expressions.places import fresh, local_memory, unknown
from kernlint.lowering.expressions.stores import assign, coerce
from kernlint.lowering.expressions.values import (
    Aggregate,
    AutoPlaceholder,
    BracedList,
    Closure,
    ConstantPlace,
    FunctionRef,
    MemoryPlace,
    OpaquePlace,
    Qualified,
    Scalar,
    SplitPlace,
    StaticPlace,
    Value,
    VariablePlace,
)
from kernlint.lowering.scopes import GlobalVariable, Scope, VariableTemplate
from kernlint.lowering.shared_variables import shared_object
from kernlint.lowering.templates import deduction, template_arguments
from kernlint.lowering.types.layout import complete, leaves, size_of
from kernlint.lowering.types.typenames import resolve
from kernlint.source.parser import tree

_SPACES = {
    "__device__": "global",
    "__constant__": "constant",
    "__managed__": "global",
    "__shared__": "shared",
    "__global": "global",
    "__local": "shared",
    "__constant": "constant",
}
MAX_INITIAL = 65536
MAX_OBJECTS = 1024  # of a constant array whose contents are looked at


def place(low: Lowerer, variable: GlobalVariable) -> Value:
    """The place of a namespace-scope variable or static member as seen from the function being
    lowered."""
    found = low.globals.get(id(variable))
    if found is None:
        # while its own initialiser is evaluated
        low.globals[id(variable)] = OpaquePlace(AutoPlaceholder(), "unsupported")
        found = low.globals[id(variable)] = _make(low, variable)
    return found


def place_all(low: Lowerer) -> None:
    """Every variable of host code with its value, before code that may change any of them."""
    for found in list(low.program.scope.names.values()):
        if isinstance(found, GlobalVariable):
            declared = resolve(low.program, found.node.type, found.scope)
            if not _space(found.node, declared):
                place(low, found)


def _space(node: tree.Decl, declared: Qualified) -> str:
    found = next((_SPACES[s] for s in node.funcspec if s in _SPACES), "")
    return found or declared.space


def _make(low: Lowerer, variable: GlobalVariable) -> Value:
    known = low.program.constant_variables.get(id(variable))
    if known is not None:
        return known[1]
    node, scope = variable.node, variable.scope
    declared = resolve(low.program, node.type, scope)
    space = _space(node, declared)
    if space == "shared":
        return shared_object(low, node, declared)
    constant = constant_place(low, node, declared, scope)
    if constant is not None:
        low.program.constant_variables[id(variable)] = variable, constant
        return constant
    type_ = complete(array_type(low, node, declared.type, scope))
    if space:
        return MemoryPlace(
            type_,
            ir.Address(Pointer(type_, space), _object(low, variable, type_, space)),
            declared.volatile,
        )
    is_constant = _is_constant(node, declared)
    if is_constant and low.constant:
        known_object = _known_object(low, variable, type_)
        if known_object is not None:
            return known_object
    if isinstance(type_, Array) and is_constant:
        made = _object(low, variable, type_, "constant")
        is_open = low.host or low.constant  # of device code the contents are asked for alone
        if made.initial is not None or not is_open:
            return MemoryPlace(type_, ir.Address(Pointer(type_, const=True), made))
    if not is_constant and not low.host and not low.constant:
        return OpaquePlace(type_, "unsupported", node.name or "")
    return _host_variable(low, variable, type_, is_constant)


def _is_constant(node: tree.Decl, declared: Qualified) -> bool:
    return declared.const or "constexpr" in node.storage


def constant_place(
    low: Lowerer, node: tree.Decl, declared: Qualified, scope: Scope
) -> Value | None:
    """A const or constexpr scalar whose initialiser is a constant expression."""
    if (
        not _is_constant(node, declared)
        or node.init is None
        or isinstance(complete(declared.type), (Array, Record))
        or declared.reference
    ):
        return None
    found = low.program.static_value(node.init, scope, declared.type)
    captures_nothing = isinstance(found, Closure) and not (
        found.node.captures or found.node.default_capture
    )
    if captures_nothing or (isinstance(found, FunctionRef) and found.overloads):
        return StaticPlace(found)
    if not isinstance(found, Scalar) or not isinstance(found.expression, ir.Constant):
        return None
    type_ = found.type if isinstance(declared.type, AutoPlaceholder) else declared.type
    value = convert(found.expression, type_)
    return ConstantPlace(value) if isinstance(value, ir.Constant) else None


def _known_object(low: Lowerer, variable: GlobalVariable, type_: Type) -> Aggregate | None:
    """`constant_object` of a variable, worked out once for all constants that ask for it."""
    known = low.program.constant_objects
    if id(variable) not in known:
        known[id(variable)] = variable, None  # while its own initialiser is evaluated
        made = constant_object(low, variable.node, type_, variable.scope)
        known[id(variable)] = variable, made
    found = known[id(variable)][1]
    return None if found is None else Aggregate(found.type, {**found.leaves})


def constant_object(low: Lowerer, node: tree.Decl, type_: Type, scope: Scope) -> Aggregate | None:
    """An object of class type whose members are all known numbers."""
    if node.init is None or not isinstance(type_, (Record, AutoPlaceholder)):
        return None
    wanted = type_ if isinstance(type_, Record) else None
    found = low.program.static_value(node.init, scope, wanted)
    if not isinstance(found, Aggregate) or found.statics or not found.leaves:
        return None
    known = all(isinstance(one, ir.Constant) for one in found.leaves.values())
    return found if known else None


def array_type(low: Lowerer, node: tree.Decl, type_: Type, scope: Scope) -> Type:
    """An array without a bound takes it from its initialiser; one whose bound is not known does
    not."""
    if isinstance(node.type, tree.ArrayDecl) and node.type.dim is not None:
        return type_
    given: Sequence[tree.Operand] | None = None
    if isinstance(node.init, tree.InitList):
        given = node.init.exprs
    elif isinstance(node.init, tree.ConstructorInit) and node.init.braces:
        given = node.init.args
    if isinstance(type_, Array) and type_.count is None and given is not None:
        items = elements(low.program, given, scope)
        return (
            Array(type_.element, max((i + 1 for i, _ in items), default=0))
            if items is not None
            else type_
        )
    return type_


def _object(low: Lowerer, variable: GlobalVariable, type_: Type, space: str) -> ir.MemoryObject:
    known = low.program.objects.get(id(variable))
    if known is None:
        node = variable.node
        align = [low.program.constant(a, variable.scope) for a in node.align]
        known = ir.MemoryObject(
            node.name or "", space, type_, size_of(type_), max([type_.align, *[int(a.value) for a in align if a is not None]]),
            low.span(node),
            initial=_initial(low, variable, type_) if space == "constant" else None,
        )  # fmt: skip
        if space == "constant" and known.initial is None:
            low.program.contents[known] = _contents(low, variable, type_)
        low.program.objects[id(variable)] = known
        low.program.kept.append(variable)
    low.objects[known] = known
    return known


def _initial(low: Lowerer, variable: GlobalVariable, type_: Type) -> tuple[int, ...] | None:
    """Element values of a constant integer array; `__constant__` arrays of CUDA may be changed by
    the host and are left out."""
    if (
        "__constant__" in variable.node.funcspec
        and low.language == "cuda"
        and not _declared_const(low, variable)
    ):
        return None
    return initial_values(low, variable.node.init, type_, variable.scope)


def _contents(low: Lowerer, variable: GlobalVariable, type_: Type) -> dict[int, ir.Constant]:
    """What a constexpr array of objects holds, by byte offset, where all of it is known."""
    node = variable.node
    if not isinstance(type_, Array) or not isinstance(node.init, tree.InitList):
        return {}
    element, items = complete(type_.element), node.init.exprs
    if "constexpr" not in node.storage or not isinstance(element, Record):
        return {}
    if len(items) > MAX_OBJECTS or is_designated(items):
        return {}
    found: dict[int, ir.Constant] = {}
    for position, item in enumerate(items):
        held = low.program.static_value(item, variable.scope, element)
        leaves = held.leaves.items() if isinstance(held, Aggregate) else ()
        first = position * (element.size or 0)
        found |= {first + at: one for at, one in leaves if isinstance(one, ir.Constant)}
    return found


def _declared_const(low: Lowerer, variable: GlobalVariable) -> bool:
    return _is_constant(variable.node, resolve(low.program, variable.node.type, variable.scope))


def initial_values(
    low: Lowerer, init: tree.Node | None, type_: Type, scope: Scope
) -> tuple[int, ...] | None:
    if not isinstance(type_, Array) or not isinstance(init, tree.InitList) or type_.count is None:
        return None
    element = complete(type_.element)
    values: list[int] = []
    width = len(leaves(element))
    if is_designated(init.exprs):
        return None
    for item in template_arguments.spread(init.exprs, scope):
        if isinstance(element, Array):
            inner = initial_values(low, item, element, scope)
            if inner is None:
                return None
            values += inner
        elif isinstance(element, Integer):
            found = low.program.constant(item, scope)
            converted = convert(found, element) if found is not None else None
            if not isinstance(converted, ir.Constant):
                return None
            values.append(int(converted.value))
        else:
            return None
    total = type_.count * (width if isinstance(element, Array) else 1)
    return tuple(values + [0] * (total - len(values))) if total <= MAX_INITIAL else None


def _host_variable(low: Lowerer, variable: GlobalVariable, type_: Type, is_constant: bool) -> Value:
    """A host global: a variable that has a value before the function starts, its initial one where
    that is still known."""
    node = variable.node
    outer, low.out = low.out, low.global_inits
    try:
        with low.scoped(variable.scope):
            if isinstance(type_, AutoPlaceholder) and node.init is not None:
                value = coerce(low, initialiser_value(low, node.init, type_), type_, node.init)
                type_ = complete(value.type)
            if isinstance(type_, Array):
                made: Value = local_memory(low, type_, node.name or "", node)
            else:
                made = fresh(low, type_, node.name or "", 0, node)
            if not is_constant:
                low.host_variables.append((variable, made))
            is_known = is_constant or host_variables.has_initial_value(low, variable)
            if is_known and not host_variables.is_defined_elsewhere(variable):
                _initialise(low, made, type_, node)
            else:
                host_variables.make_unknown(low, made, node)
            return made
    finally:
        low.out = outer


def _initialise(low: Lowerer, made: Value, type_: Type, node: tree.Decl) -> None:
    if isinstance(type_, Array):
        if isinstance(node.init, tree.InitList):
            given = BracedList(tuple(node.init.exprs), node.init)
            assign(low, made, given, node, node.init, True)
    elif (
        isinstance(type_, Record)
        and isinstance(made, (SplitPlace, MemoryPlace))
        and ((items := listed(type_, node.init)) is not None)
    ):
        construct_listed(low, made, type_, items, node)
    elif node.init is not None:
        assign(low, made, initialiser_value(low, node.init, type_), node, node.init, True)
    elif is_dimensions(type_):
        assign(low, made, default_dimensions(), node, node, True)
    else:
        _zero(low, made, type_, node)
        if isinstance(type_, Record) and isinstance(made, (SplitPlace, MemoryPlace)):
            construct_into(low, made, type_, [], [], node)


def _zero(low: Lowerer, target: Value, type_: Type, node: tree.Decl) -> None:
    """Static storage starts as zero."""
    zero = ir.Constant(Integer(32, True, "int"), 0)
    if isinstance(target, VariablePlace):
        low.assign(target.variable, convert(zero, target.type))
    elif isinstance(target, SplitPlace):
        for variable in target.leaves.values():
            low.assign(variable, convert(zero, variable.type))


def template_place(
    low: Lowerer, variable: VariableTemplate, explicit: tuple[tree.Operand, ...]
) -> Value:
    """`v<args>`: the variable a template makes, memoised by its arguments."""
    arguments = template_arguments.complete(
        low.program, variable.parameters, explicit, low.scope, {}, variable.scope
    )
    if arguments is None:
        return unknown("unsupported")
    key = (id(variable), arguments)
    known = low.program.variable_instances.get(key)
    if known is None:
        special = deduction.choose_specialisation(low.program, variable.specialisations, arguments)
        node, scope = (
            special
            if special is not None
            else (
                variable.node,
                template_arguments.bind(variable.parameters, arguments, variable.scope),
            )
        )
        known = low.program.variable_instances[key] = GlobalVariable(node, scope)
    return place(low, known)
