"""Overloads that `std::enable_if` takes away: where its condition is false, the template is none
for these arguments (C++ [temp.deduct]).

In: a function template and a scope that names its arguments. Out: whether it exists for them.
Conditions that cannot be evaluated leave it.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.base.per_object import PerObject
from kernlint.lowering.context import ProgramContext
from kernlint.lowering.declare import parameter_list
from kernlint.lowering.scopes import FunctionEntity, Scope
from kernlint.lowering.templates.template_arguments import plain_name
from kernlint.lowering.usage import walk
from kernlint.source.parser import tree

NAMES = ("enable_if", "enable_if_t")


def exists(program: ProgramContext, entity: FunctionEntity, scope: Scope) -> bool:
    """Whether no condition of the declaration is known to be false."""
    conditions = [
        *_in_signature(entity.node),
        *(c for p in entity.parameters or () for c in _in_parameter(p)),
    ]
    return all(
        (found := program.constant(c, scope)) is None or bool(found.value) for c in conditions
    )


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
    return _conditions(n for part in parts if part is not None for n in walk(part))


def _parameter(parameter: tree.TemplateParam) -> list[tree.Node]:
    parts = (parameter.default, parameter.type)
    return _conditions(n for part in parts if isinstance(part, tree.Node) for n in walk(part))


_in_signature, _in_parameter = PerObject(_signature), PerObject(_parameter)
