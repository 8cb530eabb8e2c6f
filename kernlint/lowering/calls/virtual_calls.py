"""Virtual calls: whether the function that is named, or one of a class derived from its own, is
called.

In: the method that overload resolution chose, and the call. The object's class decides; it is known
where an object is named that was declared with it, not through a pointer or a reference.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.lowering.context import Lowerer
from kernlint.lowering.declare import type_spelling
from kernlint.lowering.declared_names import function_name
from kernlint.lowering.scopes import Binding, FunctionEntity
from kernlint.source.parser import tree


def may_be_another(low: Lowerer, entity: FunctionEntity, call: tree.Node) -> bool:
    """Whether a class of the file overrides the method, and the call does not say whose is
    meant."""
    if entity.owner is None or not _is_virtual(entity.node) or _says_whose(low, call):
        return False
    return any(
        node is not entity.node for node in _overriding(low.program.unit.declarations, entity.name)
    )


def _is_virtual(node: tree.Function) -> bool:
    return "virtual" in node.specifiers or bool({"override", "final"} & set(node.quals))


def _says_whose(low: Lowerer, call: tree.Node) -> bool:
    """`x.f()` of a declared object x, and `B::f()`."""
    name = call.name if isinstance(call, tree.FuncCall) else None
    if isinstance(name, tree.QualifiedName):
        return True
    if not isinstance(name, tree.StructRef):
        return False
    if isinstance(name.field, tree.QualifiedName):
        return True
    if name.type != "." or not isinstance(name.name, tree.ID):
        return False
    found = low.scope.find(name.name.name)
    declared = found.declaration if isinstance(found, Binding) else None
    return isinstance(declared, (tree.Decl, tree.Typename)) and "RefDecl" not in str(
        type_spelling(declared.type)
    )


def _overriding(declarations: list[tree.Declaration], name: str) -> Iterator[tree.Function]:
    """The methods of that name of classes with bases."""
    stack = list(declarations)
    while stack:
        node = stack.pop()
        if isinstance(node, tree.TemplateDecl):
            stack.append(node.decl)
        elif isinstance(node, (tree.Namespace, tree.ExternBlock, tree.DeclGroup)):
            stack += node.decls
        elif isinstance(node, tree.ClassDef):
            methods = [m.decl if isinstance(m, tree.TemplateDecl) else m for m in node.members]
            stack += [m for m in methods if isinstance(m, tree.ClassDef)]
            if node.bases:
                yield from (
                    m
                    for m in methods
                    if isinstance(m, tree.Function) and function_name(m.name) == name
                )
