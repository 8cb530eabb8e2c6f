"""Templates that exist for some arguments only: where a constraint of C++20 or the condition of a
`std::enable_if` is false, there is none (C++ [temp.constr], [temp.deduct]).

In: a function template or the parameters of a class template, and a scope that names their
arguments. Out: whether it exists for them. Conditions that cannot be evaluated leave it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.base.per_object import PerObject
from kernlint.lowering.context import ProgramContext
from kernlint.lowering.declare import parameter_list, parameter_type
from kernlint.lowering.declared_names import lookup_path, name_parts
from kernlint.lowering.expressions.values import Qualified
from kernlint.lowering.scopes import FunctionEntity, Scope, TypeEntity, VariableTemplate
from kernlint.lowering.templates.template_arguments import plain_name
from kernlint.lowering.usage import walk
from kernlint.source.parser import tree

NAMES = ("enable_if", "enable_if_t")
_SUBJECT = "(type)"  # names a type that a concept is asked about


def exists(program: ProgramContext, entity: FunctionEntity, scope: Scope) -> bool:
    """Whether no condition of the declaration is known to be false."""
    return _hold(program, _in_signature(entity.node), scope) and holds(
        program, entity.parameters or (), scope
    )


def holds(program: ProgramContext, parameters: Sequence[tree.TemplateParam], scope: Scope) -> bool:
    """Whether no condition of template parameters is known to be false."""
    return all(_hold(program, _in_parameter(p), scope) for p in parameters)


def _hold(program: ProgramContext, conditions: Sequence[tree.Node], scope: Scope) -> bool:
    return all(
        (found := program.constant(c, scope)) is None or bool(found.value) for c in conditions
    )


def constraints(entity: FunctionEntity) -> int:
    """How many conditions there are: of two templates that fit alike, the more constrained one is
    meant ([temp.constr.order], where one of them asks for all that the other does)."""
    own = [
        *_in_signature(entity.node),
        *filter(None, map(auto_constraint, parameter_list(entity.node))),
    ]
    return sum(_atomic(c, entity.scope) for c in own) + conditions(
        entity.parameters or (), entity.scope
    )


def conditions(parameters: Sequence[tree.TemplateParam], scope: Scope) -> int:
    """How many conditions template parameters have."""
    return sum(_atomic(c, scope) for p in parameters for c in _in_parameter(p))


def _atomic(condition: tree.Node, scope: Scope, within: tuple[VariableTemplate, ...] = ()) -> int:
    """The conditions that one stands for: those that a concept joins ([temp.constr.normal])."""
    found = (
        lookup_path(name_parts(condition), scope)
        if isinstance(condition, (tree.ID, tree.TemplateId, tree.QualifiedName))
        else None
    )
    if not isinstance(found, VariableTemplate) or found.node.init is None or found in within:
        return 1
    inner = (*within, found)
    return sum(_atomic(part, found.scope, inner) for part in _parts(found.node.init))


def is_satisfied(
    program: ProgramContext, concept: tree.Name, type_: Qualified, scope: Scope
) -> bool | None:
    """Whether a type satisfies a concept; None where that is not known."""
    where = Scope(scope, names={_SUBJECT: TypeEntity(None, scope, type_)})
    found = program.constant(_applied(concept, tree.ID(_SUBJECT, concept.coord)), where)
    return None if found is None else bool(found.value)


def auto_constraint(parameter: tree.Parameter) -> tree.Name | None:
    """The concept in `const C auto &x`."""
    return _constrained_auto(parameter)


def is_generic(parameter: tree.Parameter) -> bool:
    """Whether `auto` stands in a parameter's type."""
    return bool(_autos(parameter))


def _autos(parameter: tree.Parameter) -> list[tree.AutoType]:
    node: tree.Node | None = parameter_type(parameter)
    return [n for n in walk(node) if isinstance(n, tree.AutoType)] if node is not None else []


def _auto(parameter: tree.Parameter) -> tree.Name | None:
    found = _autos(parameter)
    return found[0].constraint if found else None


_constrained_auto = PerObject(_auto)


def _applied(concept: tree.Name, to: tree.Operand) -> tree.Name:
    """`C<T>` of `C T`, `C<T, A>` of `C<A> T`."""
    if isinstance(concept, tree.QualifiedName):
        *path, last = concept.parts
        made = [*path, _applied(last, to)]
        return tree.QualifiedName(made, concept.is_global, concept.coord)
    given = list(concept.args) if isinstance(concept, tree.TemplateId) else []
    name = concept.name if isinstance(concept, (tree.ID, tree.TemplateId)) else ""
    return tree.TemplateId([to, *given], name, concept.coord)


def _conditions(nodes: Iterator[tree.Node]) -> list[tree.Node]:
    ids = [n for n in nodes if isinstance(n, tree.TemplateId) and n.name in NAMES]
    first = [n.args[0] for n in ids if n.args]
    return [part for argument in first for part in _parts(plain_name(argument) or argument)]


def _parts(condition: tree.Node) -> Iterator[tree.Node]:
    """What must hold each by itself: one that is known to be false is enough."""
    if isinstance(condition, tree.BinaryOp) and condition.op == "&&":
        yield from _parts(condition.left)
        yield from _parts(condition.right)
    else:
        yield condition


def _signature(function: tree.Function) -> list[tree.Node]:
    parts = (
        function.type.type,
        *(p.type for p in parameter_list(function) if isinstance(p, tree.Decl)),
    )
    found = _conditions(n for part in parts if part is not None for n in walk(part))
    for name, arguments in function.attributes:
        if name == "requires":
            found += [part for argument in arguments for part in _parts(argument)]
    return found


def _parameter(parameter: tree.TemplateParam) -> list[tree.Node]:
    parts = (parameter.default, parameter.type)
    found = _conditions(n for part in parts if isinstance(part, tree.Node) for n in walk(part))
    if parameter.constraint is not None and parameter.name:
        coord = parameter.constraint.coord
        applied = _applied(parameter.constraint, tree.ID(parameter.name, coord))
        found.append(tree.FoldExpr(applied, None, "&&", coord) if parameter.is_pack else applied)
    if parameter.condition is not None:
        found += _parts(parameter.condition)
    return found


_in_signature, _in_parameter = PerObject(_signature), PerObject(_parameter)
