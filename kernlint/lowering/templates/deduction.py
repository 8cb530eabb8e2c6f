"""Template arguments from what they are given for: deducing them from types, matching
specialisations.

In: parameter and argument syntax, argument types. Out: argument tuples, the specialisation that
fits best; None or False where none fits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from kernlint.ir import nodes as ir
from kernlint.ir.types import INT, Array, OpaqueType, Pointer, Record, Type
from kernlint.lowering.context import ProgramContext
from kernlint.lowering.declared_names import function_name
from kernlint.lowering.expressions.values import FunctionType, Qualified
from kernlint.lowering.scopes import ClassInfo, ClassTemplate, Scope
from kernlint.lowering.templates import enabling
from kernlint.lowering.templates.template_arguments import (
    Argument,
    TemplateValue,
    bind,
    complete,
    entity_of,
    names_in,
    pack_pattern,
    plain_name,
)
from kernlint.lowering.types.layout import complete as complete_type
from kernlint.source.parser import tree

N = TypeVar("N", bound=tree.Node)


def deduce(
    program: ProgramContext,
    pattern: tree.Node | None,
    actual: Qualified,
    names: set[str],
    found: dict[str, Argument],
    scope: Scope,
) -> bool:
    """Fit `actual` to the type syntax `pattern`, entering what parameters in `names` must be. False
    when it cannot fit."""
    handler = _HANDLERS.get(type(pattern))
    if handler is None:
        return True  # a non-deduced context
    return handler(program, pattern, actual, names, found, scope)


def _deduce_declared(
    program: ProgramContext,
    pattern: tree.Typename | tree.Decl | tree.TypeDecl,
    actual: Qualified,
    names: set[str],
    found: dict[str, Argument],
    scope: Scope,
) -> bool:
    quals = pattern.quals
    inner = Qualified(
        actual.type,
        actual.const and "const" not in quals,
        actual.volatile and "volatile" not in quals,
    )
    return deduce(program, pattern.type, inner, names, found, scope)


def _deduce_reference(
    program: ProgramContext,
    pattern: tree.RefDecl,
    actual: Qualified,
    names: set[str],
    found: dict[str, Argument],
    scope: Scope,
) -> bool:
    return deduce(program, pattern.type, actual, names, found, scope)


def _deduce_expansion(
    program: ProgramContext,
    pattern: tree.PackExpansion,
    actual: Qualified,
    names: set[str],
    found: dict[str, Argument],
    scope: Scope,
) -> bool:
    return deduce(program, pattern.pattern, actual, names, found, scope)


def _deduce_identifier(
    program: ProgramContext,
    pattern: tree.IdentifierType,
    actual: Qualified,
    names: set[str],
    found: dict[str, Argument],
    scope: Scope,
) -> bool:
    is_parameter = len(pattern.names) == 1 and pattern.names[0] in names
    return not is_parameter or _enter(pattern.names[0], actual, found)


def _enter(name: str, actual: Argument, found: dict[str, Argument]) -> bool:
    if name not in found:
        found[name] = actual
        return True
    known = found[name]
    if isinstance(known, Qualified) and isinstance(actual, Qualified):
        return known.type == actual.type
    if isinstance(known, TemplateValue) and isinstance(actual, TemplateValue):
        return known.value == actual.value
    return known == actual


def _deduce_pointer(
    program: ProgramContext,
    pattern: tree.PtrDecl,
    actual: Qualified,
    names: set[str],
    found: dict[str, Argument],
    scope: Scope,
) -> bool:
    type_ = actual.type
    if isinstance(type_, Array):
        type_ = Pointer(type_.element, actual.space, actual.const, volatile=actual.volatile)
    if isinstance(pattern.type, tree.FuncDecl):
        return True
    if not isinstance(type_, Pointer):
        return False
    return deduce(
        program,
        pattern.type,
        Qualified(type_.pointee, type_.const, type_.volatile),
        names,
        found,
        scope,
    )


def _deduce_member_pointer(
    program: ProgramContext,
    pattern: tree.MemberPtrDecl,
    actual: Qualified,
    names: set[str],
    found: dict[str, Argument],
    scope: Scope,
) -> bool:
    """`M T::*`, where the data member is known."""
    held = actual.type.definition if isinstance(actual.type, FunctionType) else None
    if not isinstance(held, tuple):
        return True
    owner, pointed_to = held
    named = plain_name(pattern.owner)
    if isinstance(named, tree.ID) and named.name in names and named.name not in found:
        found[named.name] = Qualified(owner)
    return deduce(program, pattern.type, Qualified(pointed_to), names, found, scope)


def _deduce_array(
    program: ProgramContext,
    pattern: tree.ArrayDecl,
    actual: Qualified,
    names: set[str],
    found: dict[str, Argument],
    scope: Scope,
) -> bool:
    type_ = actual.type
    if isinstance(type_, Pointer):
        return deduce(
            program,
            pattern.type,
            Qualified(type_.pointee, type_.const, type_.volatile),
            names,
            found,
            scope,
        )
    if not isinstance(type_, Array):
        return False
    bound = pattern.dim.name if isinstance(pattern.dim, tree.ID) else ""
    if (
        bound in names
        and type_.count is not None
        and not _enter(bound, TemplateValue(INT, type_.count), found)
    ):
        return False
    return deduce(
        program,
        pattern.type,
        Qualified(type_.element, actual.const, actual.volatile),
        names,
        found,
        scope,
    )


def _deduce_template(
    program: ProgramContext,
    pattern: tree.NameType,
    actual: Qualified,
    names: set[str],
    found: dict[str, Argument],
    scope: Scope,
) -> bool:
    name = pattern.name
    last = name.parts[-1] if isinstance(name, tree.QualifiedName) else name
    if not isinstance(last, tree.TemplateId):
        return True
    if isinstance(name, tree.QualifiedName) and any(
        isinstance(p, tree.TemplateId) for p in name.parts[:-1]
    ):
        return True  # a nested name of a dependent type is a non-deduced context
    type_ = complete_type(actual.type)
    for candidate in with_bases(type_):
        info = candidate.definition if isinstance(candidate, Record) else None
        template = info.template if isinstance(info, ClassInfo) else None
        if isinstance(info, ClassInfo) and template is not None:
            # `A<T>`, where A is a template template parameter, fits an instance of any template
            if last.name in names and not _enter(last.name, template, found):
                return False
            if last.name in names or template.name == last.name:
                return match_arguments(
                    program, tuple(last.args), info.arguments, names, found, scope
                )
            if _is_index_sequence(info, last.name):
                return match_arguments(
                    program, tuple(last.args), info.arguments[1:], names, found, scope
                )
        held = _library_arguments(candidate, last.name)
        if held is not None:
            return match_arguments(program, tuple(last.args), held, names, found, scope)
    if any(_is_open_pack(argument, names, found) for argument in last.args):
        return False  # how many elements it has is not known
    if isinstance(type_, OpaqueType) and _names_template(type_, last.name):
        return _match_spelled(tuple(last.args), type_, names, found)
    alias = scope.find(last.name)
    return not isinstance(alias, ClassTemplate) and isinstance(type_, (OpaqueType, Record))


def _library_arguments(type_: Type, name: str) -> tuple[Argument, ...] | None:
    """The template arguments of a class of the library, where that is its name: an array's, a
    pair's, a tuple's."""
    if not isinstance(type_, Record):
        return None
    if isinstance(type_.definition, tuple) and type_.definition:
        return type_.definition[1:] if type_.definition[0] == name else None
    types = tuple(Qualified(field.type) for field in type_.fields)
    if name not in ("pair", "tuple") or not type_.name.startswith(f"std::{name}<"):
        return None
    return types if name == "pair" else (types,)


def _names_template(type_: OpaqueType, name: str) -> bool:
    return type_.name.partition("<")[0].rpartition("::")[2] == name


def _match_spelled(
    patterns: tuple[tree.Operand, ...],
    actual: OpaqueType,
    names: set[str],
    found: dict[str, Argument],
) -> bool:
    """Arguments against a class that is known by its spelling alone: the numbers in it, such as the
    size of `thread_block_tile<32>`. Types in it stay unknown, and those it leaves out."""
    spelled = actual.name.partition("<")[2].removesuffix(">").split(",")
    for i, pattern in enumerate(patterns):
        name = plain_name(pattern)
        if not isinstance(name, tree.ID) or name.name not in names:
            continue
        text = spelled[i].strip() if i < len(spelled) else ""
        number = TemplateValue(INT, int(text)) if text.isdigit() else None
        if not _enter(name.name, number or Qualified(OpaqueType(text or "?")), found):
            return False
    return True


def _is_index_sequence(info: ClassInfo, name: str) -> bool:
    """`index_sequence<I...>` is an alias of `integer_sequence<size_t, I...>`."""
    made = info.template is not None and info.template.name == "integer_sequence"
    return made and name == "index_sequence"


def _is_open_pack(argument: tree.Operand, names: set[str], found: Mapping[str, Argument]) -> bool:
    """Whether an argument is a pack to be deduced."""
    pattern = pack_pattern(argument)
    return pattern is not None and bool((names_in(pattern) & names) - found.keys())


_Deduction = Callable[[ProgramContext, Any, Qualified, set[str], dict[str, Argument], Scope], bool]
_HANDLERS: dict[type, _Deduction] = {
    tree.Typename: _deduce_declared,
    tree.Decl: _deduce_declared,
    tree.TypeDecl: _deduce_declared,
    tree.RefDecl: _deduce_reference,
    tree.PackExpansion: _deduce_expansion,
    tree.PtrDecl: _deduce_pointer,
    tree.ArrayDecl: _deduce_array,
    tree.MemberPtrDecl: _deduce_member_pointer,
    tree.IdentifierType: _deduce_identifier,
    tree.NameType: _deduce_template,
}


def with_bases(type_: Type) -> list[Type]:
    found = [type_]
    info = type_.definition if isinstance(type_, Record) else None
    if isinstance(info, ClassInfo):
        for base, _ in info.bases:
            found += with_bases(complete_type(base))
    return found


def match_arguments(
    program: ProgramContext,
    patterns: tuple[tree.Operand, ...],
    arguments: tuple[Argument, ...],
    names: set[str],
    found: dict[str, Argument],
    scope: Scope,
) -> bool:
    """Template argument patterns against arguments, as for `Foo<T*, 4, Rest...>`. What a pack of the
    template holds is matched one by one."""
    *fixed, last = arguments or ((),)
    has_pack = isinstance(last, tuple)
    arguments = (*fixed, *last) if isinstance(last, tuple) else arguments
    for i, pattern in enumerate(patterns):
        inner = pack_pattern(pattern)
        if inner is not None:
            rest = arguments[i:]
            name = (
                plain_name(inner)
                if not isinstance(inner, tree.IdentifierType)
                else tree.ID(inner.names[0], inner.coord)
            )
            return name is None or _enter(function_name(name), rest, found)
        if i >= len(arguments) or not _match_argument(
            program, pattern, arguments[i], names, found, scope
        ):
            return False
    # those that have defaults may be left out
    return len(patterns) == len(arguments) or (len(patterns) < len(arguments) and not has_pack)


def _match_argument(
    program: ProgramContext,
    pattern: tree.Node,
    argument: Argument,
    names: set[str],
    found: dict[str, Argument],
    scope: Scope,
) -> bool:
    name = plain_name(pattern)
    if name is not None and isinstance(name, tree.ID) and name.name in names:
        return _enter(name.name, argument, found)
    if isinstance(argument, Qualified):
        if isinstance(pattern, tree.Typename) and not names & names_in(pattern):
            fixed = program.resolve(pattern, scope)
            return fixed.type == argument.type and fixed.const == argument.const
        return deduce_exact(program, pattern, argument, names, found, scope)
    if isinstance(argument, TemplateValue):
        value = _spelled_constant(program, name or pattern, scope)
        return value is not None and value.value == argument.value
    return False


def _spelled_constant(program: ProgramContext, node: tree.Node, scope: Scope) -> ir.Constant | None:
    """As `program.constant`, of a pattern, which is asked for with the arguments of every call."""
    key = id(node), id(scope)
    if key not in program.pattern_constants:
        program.pattern_constants[key] = node, scope, program.constant(node, scope)
    return program.pattern_constants[key][2]


def deduce_exact(
    program: ProgramContext,
    pattern: tree.Node,
    actual: Qualified,
    names: set[str],
    found: dict[str, Argument],
    scope: Scope,
) -> bool:
    """As `deduce`, but the pattern with its deductions must spell exactly `actual` (specialisation
    matching)."""
    if not deduce(program, pattern, actual, names, found, scope):
        return False
    filled = Scope(scope, "template", names={n: entity_of(a, scope) for n, a in found.items()})
    made = program.resolve(pattern, filled)
    return made.type == actual.type and made.const == actual.const


def choose_specialisation(
    program: ProgramContext,
    specialisations: Sequence[
        tuple[tuple[tree.TemplateParam, ...], tuple[tree.Operand, ...], N, Scope]
    ],
    arguments: tuple[Argument, ...],
) -> tuple[N, Scope] | None:
    """The most specialised matching one (fewest free parameters, most structure) and the scope
    binding its own parameters."""
    best: tuple[tuple[int, int, int], N, Scope] | None = None
    for parameters, patterns, node, scope in specialisations:
        found: dict[str, Argument] = {}
        names = {p.name for p in parameters if p.name}
        if not match_arguments(program, patterns, arguments, names, found, scope):
            continue
        bound = complete(program, parameters, (), scope, found, scope)
        if bound is None:
            continue
        where = bind(parameters, bound, scope)
        if not enabling.holds(program, parameters, where):
            continue
        structure = sum(len(list(_nodes(p))) for p in patterns)
        weight = (-len(parameters), structure, enabling.conditions(parameters, scope))
        if best is None or weight > best[0]:
            best = (weight, node, where)
    return None if best is None else (best[1], best[2])


def _nodes(node: tree.Node) -> Iterable[tree.Node]:
    yield node
    for _, child in node.children():
        yield from _nodes(child)
