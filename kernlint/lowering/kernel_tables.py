"""Instances of kernels whose addresses variables at file scope hold: `kernel_t table[] = {k<1>,
k<2>};`. To take its address makes an instance ([temp.inst] of the standard), wherever it is
launched from.

In: the declarations of a program. Out: names with template arguments as written, with the scopes
in which they stand.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from kernlint.lowering.declared_names import function_name
from kernlint.lowering.scopes import GlobalVariable, NamespaceEntity, Scope
from kernlint.source.parser import tree

Named = tuple[tree.TemplateId, Scope]


def named(scope: Scope) -> Mapping[str, Sequence[Named]]:
    """By the template's name: where initialisers of variables in `scope` and its namespaces give
    arguments to it, in source order."""
    found = defaultdict[str, list[Named]](list)
    for variable in _variables(scope, set()):
        for item in _items(variable.node.init):
            found[function_name(item)].append((item, variable.scope))
    return found


def _variables(scope: Scope, seen: set[int]) -> Iterator[GlobalVariable]:
    seen.add(id(scope))
    for entity in scope.names.values():
        if isinstance(entity, GlobalVariable):
            yield entity
        elif isinstance(entity, NamespaceEntity) and id(entity.scope) not in seen:
            yield from _variables(entity.scope, seen)


def _items(node: tree.Node | None) -> Iterator[tree.TemplateId]:
    """The names with arguments in a list, each perhaps behind `&`, a cast or namespaces."""
    if isinstance(node, tree.InitList):
        for item in node.exprs:
            yield from _items(item)
    elif isinstance(node, tree.ConstructorInit):
        for item in node.args:
            yield from _items(item)
    elif isinstance(node, (tree.UnaryOp, tree.Cast, tree.NamedCast, tree.NamedInitializer)):
        yield from _items(node.expr)
    elif isinstance(node, tree.QualifiedName):
        yield from _items(node.parts[-1])
    elif isinstance(node, tree.TemplateId):
        yield node
