"""Explicit specialisations of function templates: which of them stands for a template with given
arguments.

In: a template's arguments. Out: the definition that takes its place; and the other way round. One
that spells no arguments (`template <> void f(double *a)`) is for those with which the template's
parameters have its types (C++ [temp.expl.spec], [temp.deduct.decl]).
"""

from __future__ import annotations

from kernlint.base.dataclass import replace
from kernlint.ir.types import Pointer, Type
from kernlint.lowering.context import ProgramContext
from kernlint.lowering.declare import parameter_types, return_node
from kernlint.lowering.scopes import FunctionEntity, FunctionSet, Scope
from kernlint.lowering.templates import deduction, template_arguments
from kernlint.lowering.types import typenames


def specialisation(
    program: ProgramContext,
    entity: FunctionEntity,
    arguments: tuple[template_arguments.Argument, ...],
    bound: Scope,
) -> FunctionEntity | None:
    """The specialisation of `entity` for `arguments`; None where the template itself is meant.
    `bound`: the scope that names them."""
    for patterns, node, home in entity.specialisations:
        one = FunctionEntity(entity.name, node, home, None, entity.owner)
        spelled = not patterns or deduction.match_arguments(
            program, patterns, arguments, set(), {}, home
        )
        if spelled and (
            len(patterns) == len(arguments)
            or _types(program, one, home) == _types(program, entity, bound)
        ):
            return one
    return None


def arguments_of(
    program: ProgramContext, entity: FunctionEntity
) -> tuple[template_arguments.Argument, ...]:
    """The template arguments that an explicit specialisation is for, spelled or told by its
    parameters; none for what is no such one."""
    found = entity.scope.find(entity.name) if entity.parameters is None else None
    for template in found.overloads if isinstance(found, FunctionSet) else ():
        parameters = template.parameters or ()
        for patterns, node, home in template.specialisations:
            if node is not entity.node:
                continue
            deduced: dict[str, template_arguments.Argument] = {}
            for mine, theirs in zip(
                parameter_types(template.node), parameter_types(node), strict=False
            ):
                actual = typenames.resolve(program, theirs, home)
                deduction.deduce(
                    program,
                    mine,
                    actual,
                    {p.name for p in parameters},
                    deduced,
                    template.scope,
                )
            arguments = template_arguments.complete(
                program, parameters, patterns, home, deduced, template.scope
            )
            bound = template_arguments.bind(parameters, arguments or (), template.scope)
            special = (
                specialisation(program, template, arguments, bound)
                if arguments is not None
                else None
            )
            if arguments is not None and special is not None and special.node is node:
                return arguments
    return ()


def _types(program: ProgramContext, entity: FunctionEntity, scope: Scope) -> list[Type]:
    """The types of a function's parameters, without their own qualifiers, and of what it gives."""
    nodes = [*parameter_types(entity.node), return_node(entity)]
    found = [typenames.resolve(program, node, scope).type for node in nodes]
    return [replace(t, restrict=False) if isinstance(t, Pointer) else t for t in found]
