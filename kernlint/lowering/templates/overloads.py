"""Which function a call means: viable candidates, conversion ranks, template deduction, most
specialised template.

In: candidates and argument values. Out: the chosen function and the scope binding its template
parameters; None when none fits.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.base.dataclass import dataclass
from kernlint.base.per_object import PerObject
from kernlint.ir.types import CHAR, VOID, Array, Float, Integer, OpaqueType, Pointer, Record, Type
from kernlint.lowering.context import Lowerer
from kernlint.lowering.declare import default_argument, parameter_list, parameter_type
from kernlint.lowering.expressions.fold import promote
from kernlint.lowering.expressions.strings import is_string
from kernlint.lowering.expressions.values import (
    Aggregate,
    AutoPlaceholder,
    BracedList,
    Closure,
    ConstantPlace,
    FunctionRef,
    FunctionType,
    Qualified,
    Scalar,
    StaticPlace,
    Value,
    is_volatile,
)
from kernlint.lowering.scopes import FunctionEntity, IncompleteRecord, Scope
from kernlint.lowering.templates import deduction, template_arguments
from kernlint.lowering.templates.enabling import (
    auto_constraint,
    constraints,
    exists,
    is_generic,
    is_satisfied,
)
from kernlint.lowering.templates.specialisations import specialisation
from kernlint.lowering.types import typenames
from kernlint.lowering.types.classes import base_offset, class_info
from kernlint.lowering.types.layout import complete, is_vector
from kernlint.source.parser import tree

EXACT, QUALIFIED, PROMOTED, CONVERTED, USER, ELLIPSIS, NEVER = 0, 1, 2, 3, 4, 5, 99


@dataclass(slots=True)
class _Candidate:
    entity: FunctionEntity
    scope: Scope
    ranks: tuple[int, ...]
    is_template: bool
    weight: int
    packed: tuple[int, bool]  # how many arguments a pack takes, and whether there is a pack


@dataclass(frozen=True, slots=True, eq=False)
class _Signature:
    """What a function's parameters say by themselves: `required` have no default, `open_ended` ends
    in a pack or an ellipsis; of `is_generic` ones a type is `auto`, which makes a template of the
    function ([dcl.fct]/22)."""

    parameters: tuple[tree.Decl | tree.Typename, ...]
    required: int
    open_ended: bool
    weight: int
    is_generic: bool


def _read_signature(function: tree.Function) -> _Signature:
    every = parameter_list(function)
    parameters = tuple(p for p in every if not isinstance(p, tree.EllipsisParam))
    required = sum(1 for p in parameters if default_argument(p) is None and not is_pack(p))
    open_ended = len(parameters) < len(every) or (bool(parameters) and is_pack(parameters[-1]))
    weight = sum(_structure(p.type) for p in parameters)
    return _Signature(parameters, required, open_ended, weight, any(map(is_generic, parameters)))


_signature = PerObject(_read_signature)


def parameters_of(function: tree.Function) -> tuple[tree.Decl | tree.Typename, ...]:
    """A function's parameters, without an ellipsis."""
    return _signature(function).parameters


def choose(
    low: Lowerer,
    candidates: tuple[FunctionEntity, ...],
    values: list[Value],
    explicit: tuple[tree.Operand, ...] | None,
    explicit_scope: Scope | None,
) -> tuple[FunctionEntity, Scope] | None:
    """The best viable candidate with the scope its body is lowered in."""
    viable = [
        c
        for e in candidates
        if (c := _viable(low, e, values, explicit, explicit_scope)) is not None
    ]
    if not viable:
        return None
    best = min(viable, key=_preference) if len(viable) > 1 else viable[0]
    return best.entity, best.scope


def _preference(c: _Candidate) -> tuple[bool, int, bool, int, tuple[int, bool], int, int]:
    return (
        max(c.ranks, default=0) >= NEVER,
        sum(c.ranks),
        c.is_template,
        -c.weight,
        c.packed,
        -constraints(c.entity),
        _deduced(c.entity),
    )


def _deduced(entity: FunctionEntity) -> int:
    """How many of the parameters have types that template arguments decide: of two templates that
    fit, the one with fewer is meant."""
    names = {p.name for p in entity.parameters or ()}
    return (
        sum(
            1
            for p in _signature(entity.node).parameters
            if names & template_arguments.names_in(p.type)
        )
        if names
        else 0
    )


def _viable(
    low: Lowerer,
    entity: FunctionEntity,
    values: list[Value],
    explicit: tuple[tree.Operand, ...] | None,
    explicit_scope: Scope | None,
) -> _Candidate | None:
    signature = _signature(entity.node)
    parameters = signature.parameters
    if len(values) < signature.required or (
        len(values) > len(parameters) and not signature.open_ended
    ):
        return None
    bound = bind_template(low, entity, parameters, values, explicit, explicit_scope)
    if bound is None:
        return None
    chosen, scope = bound
    plain = parameters[:-1] if parameters and is_pack(parameters[-1]) else parameters
    ranks = [
        EXACT if is_pack(one) else rank(low, value, _taken(low, entity, i, one, scope), entity, one)
        for i, (value, one) in enumerate(zip(values, plain, strict=False))
    ]
    beyond = len(values) - len(ranks)
    packed = (beyond, True) if len(plain) < len(parameters) else (0, False)
    ranks += [EXACT if packed[1] else ELLIPSIS] * beyond
    if any(r >= NEVER for r in ranks):
        return None
    constrained = [auto_constraint(parameter) for parameter in parameters]
    for value, concept in zip(values, constrained, strict=False):
        if concept is None:
            continue
        told = Qualified(type_of_value(value))
        if is_satisfied(low.program, concept, told, scope) is False:
            return None
    is_template = entity.parameters is not None or signature.is_generic
    return _Candidate(chosen, scope, tuple(ranks), is_template, signature.weight, packed)


def _taken(
    low: Lowerer,
    entity: FunctionEntity,
    position: int,
    parameter: tree.Decl | tree.Typename,
    scope: Scope,
) -> Qualified:
    """The type of a parameter, looked up once where no template argument decides it."""
    if entity.parameters is not None or entity.bound or entity.owner is not None:
        return typenames.resolve(low.program, parameter.type, scope)
    known = entity.taken.get(position)
    if known is None:
        known = entity.taken[position] = typenames.resolve(low.program, parameter.type, scope)
    return known


def converts_numbers(
    low: Lowerer, entity: FunctionEntity, scope: Scope, values: list[Value]
) -> bool:
    """Whether the function would be given a class, known or not, for some number, or a pointer to
    one for a pointer to numbers."""

    def inner(type_: Type) -> Type:
        return complete(type_.pointee) if isinstance(type_, Pointer) else type_

    for value, parameter in zip(values, parameter_list(entity.node), strict=False):
        if (
            isinstance(value, BracedList)
            or isinstance(parameter, tree.EllipsisParam)
            or is_pack(parameter)
        ):
            continue
        wanted = complete(typenames.resolve(low.program, parameter.type, scope).type)
        if isinstance(inner(wanted), (OpaqueType, Record)) and isinstance(
            inner(type_of_value(value)), (Integer, Float)
        ):
            return True
    return False


def converts_missing(
    low: Lowerer, entity: FunctionEntity, scope: Scope, values: list[Value]
) -> bool:
    """Whether the function takes a class or number that is known for a value whose type no file
    seen defines: whether that converts to it is not known."""
    for value, parameter in zip(values, parameter_list(entity.node), strict=False):
        if isinstance(parameter, tree.EllipsisParam) or is_pack(parameter):
            break
        if isinstance(value, BracedList) or not isinstance(type_of_value(value), OpaqueType):
            continue
        if str(type_of_value(value)) == "?":  # of an unknown function: any type
            continue
        wanted = complete(typenames.resolve(low.program, parameter.type, scope).type)
        if isinstance(wanted, (Record, Integer, Float)):
            return True
    return False


def arity(function: tree.Function) -> tuple[int, int | None]:
    """The fewest and the most arguments that a function takes; None: any number."""
    parameters = parameter_list(function)
    open_ended = any(isinstance(p, tree.EllipsisParam) or is_pack(p) for p in parameters)
    plain = [p for p in parameters if not isinstance(p, tree.EllipsisParam) and not is_pack(p)]
    required = sum(1 for p in plain if default_argument(p) is None)
    return required, None if open_ended else len(plain)


def _is_pack(parameter: tree.Parameter) -> bool:
    """Whether a function parameter is a pack (`Args... args`, `Args &&...args`)."""
    stack = [parameter_type(parameter)]
    while stack:
        one = stack.pop()
        if isinstance(one, tree.PackExpansion):
            return True
        if isinstance(one, (tree.TypeDecl, tree.PtrDecl, tree.RefDecl, tree.ArrayDecl)):
            stack.append(one.type)
    return False


is_pack = PerObject(_is_pack)


def by_value(functions: Sequence[FunctionEntity], position: int) -> bool:
    """Whether every one of them takes the argument there by its value: then it is read where it is
    written."""
    for function in functions:
        before = parameter_list(function.node)[: position + 1]
        known = len(before) > position and not any(
            isinstance(p, tree.EllipsisParam) or is_pack(p) for p in before
        )
        if not known or isinstance(_outer(before[-1]), tree.RefDecl):
            return False
    return True


def _structure(node: tree.Node | None) -> int:
    """How much a parameter's type says: pointers, references and template-ids count, plain
    parameters do not."""
    if node is None:
        return 0
    own = 1 if isinstance(node, (tree.PtrDecl, tree.ArrayDecl, tree.TemplateId)) else 0
    return own + sum(_structure(child) for _, child in node.children())


def bind_template(
    low: Lowerer,
    entity: FunctionEntity,
    parameters: Sequence[tree.Decl | tree.Typename],
    values: list[Value],
    explicit: tuple[tree.Operand, ...] | None,
    explicit_scope: Scope | None,
) -> tuple[FunctionEntity, Scope] | None:
    """Deduce and bind template parameters; an explicit specialisation that matches takes the
    template's place."""
    if entity.parameters is None:
        if explicit and not entity.bound:
            return None
        scope = Scope(entity.scope, "template")
        return (entity, scope) if exists(low.program, entity, scope) else None
    found: dict[str, template_arguments.Argument] = {}
    names = {p.name for p in entity.parameters if p.name}
    given = template_arguments.expand_packs(explicit or (), explicit_scope or low.scope)
    where = Scope(entity.scope, "template")
    for parameter, (node, scope) in zip(entity.parameters, given, strict=False):
        if parameter.is_pack:
            break
        argument = template_arguments.evaluate(low.program, parameter, node, scope, where)
        if argument is None:
            return None
        found[parameter.name] = argument
        where.names[parameter.name] = template_arguments.entity_of(argument, where)
    fixed = set(found)
    if not _deduce_all(low, parameters, values, names, fixed, found, where):
        return None
    arguments = template_arguments.complete(
        low.program,
        entity.parameters,
        tuple(explicit or ()),
        explicit_scope or low.scope,
        found,
        entity.scope,
    )
    if arguments is None:
        return None
    scope = template_arguments.bind(entity.parameters, arguments, entity.scope)
    if not exists(low.program, entity, scope):
        return None
    special = specialisation(low.program, entity, arguments, scope)
    return (entity, scope) if special is None else (special, Scope(special.scope, "template"))


def _deduce_all(
    low: Lowerer,
    parameters: Sequence[tree.Decl | tree.Typename],
    values: list[Value],
    names: set[str],
    fixed: set[str],
    found: dict[str, template_arguments.Argument],
    where: Scope,
) -> bool:
    for i, parameter in enumerate(parameters):
        if is_pack(parameter):
            return _deduce_pack(low, parameter, values[i:], names, found, where)
        if i >= len(values):
            break
        value = values[i]
        if isinstance(value, BracedList):
            continue
        if not (names - fixed) & template_arguments.names_in(parameter.type):
            continue
        actual = Qualified(type_of_value(value), is_const(value), is_volatile(value))
        by_reference = isinstance(_outer(parameter), tree.RefDecl)
        if isinstance(actual.type, Array) and not by_reference:
            actual = Qualified(
                Pointer(actual.type.element, "", is_const(value), volatile=is_volatile(value))
            )
        if not by_reference:
            actual = Qualified(actual.type)
        is_member = isinstance(_outer(parameter), tree.MemberPtrDecl)
        if isinstance(value, (FunctionRef, Closure)) and not is_member:
            found.setdefault(_named_parameter(parameter, names), function_argument(value))
            continue
        held = {k: v for k, v in found.items() if k in fixed}
        if not deduction.deduce(
            low.program, parameter.type, actual, names - set(held), found, where
        ):
            return False
    return True


def _named_parameter(parameter: tree.Decl | tree.Typename, names: set[str]) -> str:
    return next(iter(names & template_arguments.names_in(parameter.type)), "")


def function_argument(value: Value) -> Qualified:
    """The type deduced for a function or lambda argument; told apart by identity so that instances
    differ."""
    return Qualified(
        FunctionType(value.name, value) if isinstance(value, FunctionRef) else value.type
    )


def _outer(parameter: tree.Parameter) -> tree.TypeNode | None:
    node = parameter_type(parameter)
    while isinstance(node, (tree.TypeDecl, tree.Typename)):
        node = node.type
    return node


def _deduce_pack(
    low: Lowerer,
    parameter: tree.Decl | tree.Typename,
    values: list[Value],
    names: set[str],
    found: dict[str, template_arguments.Argument],
    where: Scope,
) -> bool:
    packs: dict[str, list[template_arguments.Argument]] = {}
    for value in values:
        one: dict[str, template_arguments.Argument] = {}
        actual = type_of_value(value)
        if isinstance(actual, Array):
            actual = Pointer(actual.element)
        if not deduction.deduce(
            low.program,
            parameter.type,
            Qualified(actual, volatile=is_volatile(value)),
            names,
            one,
            where,
        ):
            return False
        for name, argument in one.items():
            packs.setdefault(name, []).append(argument)
    for name in names & template_arguments.names_in(parameter.type):
        if name not in found:
            found[name] = tuple(packs.get(name, ()))
    return True


def type_of_value(value: Value) -> Type:
    if isinstance(value, StaticPlace):
        return value.value.type
    return complete(value.type)


def is_const(value: Value) -> bool:
    return isinstance(value, ConstantPlace)


def rank(
    low: Lowerer,
    value: Value,
    target: Qualified,
    entity: FunctionEntity | None,
    parameter: tree.Parameter | None,
) -> int:
    """How well `value` fits a parameter of type `target`."""
    wanted = complete(target.type)
    if isinstance(wanted, AutoPlaceholder):
        return _rank_generic(value, target, parameter)
    if isinstance(wanted, FunctionType):
        return EXACT
    if isinstance(value, BracedList):
        return USER if isinstance(wanted, Record) else CONVERTED
    source = type_of_value(value)
    if source == wanted:
        if (
            target.reference == "&"
            and not target.const
            and isinstance(value, (Scalar, Aggregate))
            and not isinstance(source, Record)
        ):
            return QUALIFIED
        if target.reference and target.volatile != is_volatile(value):
            return QUALIFIED if target.volatile else CONVERTED
        return EXACT
    if isinstance(source, FunctionType):
        # a name that no declaration gives may be anything: a constant of a missing header
        is_undeclared = isinstance(value, FunctionRef) and not value.overloads and not value.this
        takes_it = isinstance(wanted, (OpaqueType, Pointer, Record))
        return CONVERTED if is_undeclared or takes_it else NEVER
    if isinstance(source, (OpaqueType, IncompleteRecord)) or isinstance(
        wanted, (OpaqueType, IncompleteRecord)
    ):
        return CONVERTED if str(source) != str(wanted) else EXACT
    if isinstance(source, Array):
        source = Pointer(source.element, volatile=is_volatile(value))
    if isinstance(wanted, Pointer):
        return _rank_pointer(low, value, source, wanted)
    if isinstance(wanted, Array):
        return (
            EXACT
            if isinstance(source, Pointer) and complete(source.pointee) == complete(wanted.element)
            else NEVER
        )
    return _rank_values(source, wanted)


def _rank_generic(value: Value, target: Qualified, parameter: tree.Parameter | None) -> int:
    """For `auto x`, `auto *x`, `auto &x`: the types that they fit, not those they are deduced to."""
    is_pointer = parameter is not None and isinstance(_outer(parameter), tree.PtrDecl)
    if is_pointer and isinstance(type_of_value(value), (Integer, Float, Record)):
        return NEVER
    is_bound = target.reference == "&" and not target.const and isinstance(value, Scalar)
    return QUALIFIED if is_bound else EXACT


def _rank_values(source: Type, wanted: Type) -> int:
    if isinstance(source, Integer) and isinstance(wanted, Integer):
        return PROMOTED if promote(source) == wanted else CONVERTED
    if isinstance(source, Float) and isinstance(wanted, Float):
        return PROMOTED if wanted.name == "double" and source.name == "float" else CONVERTED
    if isinstance(source, (Integer, Float)) and isinstance(wanted, (Integer, Float)):
        return CONVERTED
    if isinstance(source, Pointer):
        if is_string(wanted) and complete(source.pointee) == CHAR:
            return USER
        return CONVERTED if isinstance(wanted, Integer) and wanted.is_bool else NEVER
    if isinstance(wanted, Record):
        return _rank_record(source, wanted)
    info = class_info(source)
    return USER if info is not None and info.conversions else NEVER


def _rank_record(source: Type, wanted: Record) -> int:
    info = class_info(wanted)
    if info is not None:
        if base_offset(source, info) is not None:
            return CONVERTED
        if any(len(parameter_list(c.node)) >= 1 for c in info.constructors) and not isinstance(
            source, Record
        ):
            return USER
    if (
        is_vector(wanted)
        and wanted.kind == "dim3"
        and (isinstance(source, Integer) or is_vector(source))
    ):
        return USER
    source_info = class_info(source)
    return USER if source_info is not None and source_info.conversions else NEVER


def _rank_pointer(low: Lowerer, value: Value, source: Type, wanted: Pointer) -> int:
    if isinstance(source, Integer):
        held = (
            value.expression
            if isinstance(value, Scalar)
            else value.value
            if isinstance(value, ConstantPlace)
            else None
        )
        return CONVERTED if getattr(held, "value", None) == 0 else NEVER
    if not isinstance(source, Pointer):
        return NEVER
    inner, outer = complete(source.pointee), complete(wanted.pointee)
    if inner == outer or str(inner) == str(outer):
        if source.const == wanted.const and source.volatile == wanted.volatile:
            return EXACT
        return (
            QUALIFIED
            if wanted.const >= source.const and wanted.volatile >= source.volatile
            else CONVERTED
        )
    if outer == VOID:
        return CONVERTED
    if (
        isinstance(value, Scalar)
        and getattr(value.expression, "value", None) == 0
        and inner == VOID
    ):
        return CONVERTED
    info = class_info(outer)
    if info is not None and base_offset(inner, info) is not None:
        return CONVERTED
    return CONVERTED if isinstance(inner, OpaqueType) or isinstance(outer, OpaqueType) else NEVER
