"""Names of declarations as the parser gives them: which word they declare, and in which scope.

In: names, scopes. Out: words, entities of namespaces. Says nothing of what a declaration declares.
"""

from __future__ import annotations

from kernlint.lowering.scopes import Entity, MissingNamespace, NamespaceEntity, Scope
from kernlint.source.parser import tree


def function_name(node: str | tree.Node | None) -> str:
    """The name under which a function is found; operators as "operator+", conversions as "operator
    T"."""
    if isinstance(node, str):
        return node
    if isinstance(node, (tree.ID, tree.TemplateId)):
        return node.name
    if isinstance(node, tree.OperatorName):
        return f"operator{node.op}" if node.op else "operator T"
    if isinstance(node, tree.DestructorName):
        return f"~{node.name}"
    if isinstance(node, tree.QualifiedName):
        return function_name(node.parts[-1])
    return ""


def name_parts(node: str | tree.Node | None) -> list[str]:
    if isinstance(node, str):
        return node.split("::")
    if isinstance(node, tree.QualifiedName):
        return [function_name(part) for part in node.parts]
    return [function_name(node)]


def whole_parts(node: tree.QualifiedName, scope: Scope) -> list[tree.Name]:
    """The parts of a name, an alias of a namespace that is not there written out."""
    found = scope.find(function_name(node.parts[0]))
    if not isinstance(found, MissingNamespace):
        return list(node.parts)
    return [*(tree.ID(word, node.coord) for word in found.path), *node.parts[1:]]


def lookup_path(parts: list[str], scope: Scope) -> Entity | None:
    """`a::b::c` looked up from `scope`, through namespaces only."""
    found: Entity | None = scope.find(parts[0])
    for part in parts[1:]:
        if not isinstance(found, NamespaceEntity):
            return None
        found = found.scope.member(part)
    return found


def owner(name: str | tree.Name | None, scope: Scope) -> Scope | None:
    """Where a declared name belongs: with `template <> struct cub::Traits<T>` to that namespace;
    None where that is not known."""
    owners = name_parts(name)[:-1] if isinstance(name, tree.QualifiedName) else []
    if not owners:
        return scope
    found = lookup_path(owners, scope)
    return found.scope if isinstance(found, NamespaceEntity) else None


def last_part(name: str | tree.Name | None) -> str | tree.Name | None:
    """What is declared, without the namespaces and classes in front."""
    return name.parts[-1] if isinstance(name, tree.QualifiedName) else name
