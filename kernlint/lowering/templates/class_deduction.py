"""Arguments of class templates from what an object is made of: `View v{p, 4};` ([over.match.class.deduct]).

In: the syntax of a type, and the values of its initialiser. Out: the class; None where the syntax
names no class template by itself, or where nothing fits. Candidates are the deduction guides, the
constructors, and for an aggregate its bases and members in order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from kernlint.base.span import SourceError
from kernlint.ir.types import OpaqueType, Type
from kernlint.lowering.context import Lowerer, expression
from kernlint.lowering.declare import is_constructor_of, return_node
from kernlint.lowering.declared_names import lookup_path, name_parts
from kernlint.lowering.expressions.values import Value
from kernlint.lowering.scopes import ClassTemplate, FunctionEntity, MissingNamespace, Scope
from kernlint.lowering.templates import overloads
from kernlint.lowering.templates.template_arguments import spread
from kernlint.lowering.types import library, typenames
from kernlint.lowering.types.layout import complete
from kernlint.source.parser import tree


def class_template(node: tree.Node | None, scope: Scope) -> ClassTemplate | None:
    """The class template that a type names without arguments."""
    while isinstance(node, (tree.Typename, tree.TypeDecl)):
        node = node.type
    if isinstance(node, tree.IdentifierType) and len(node.names) == 1:
        found = scope.find(node.names[0])
    elif isinstance(node, tree.ID):
        found = scope.find(node.name)
    elif isinstance(node, tree.NameType) and isinstance(node.name, tree.QualifiedName):
        last = node.name.parts[-1]
        found = lookup_path(name_parts(node.name), scope) if isinstance(last, tree.ID) else None
    else:
        return None
    return found if isinstance(found, ClassTemplate) else None


def given_class(
    low: Lowerer, node: tree.Node | None, arguments: Sequence[tree.Operand]
) -> Type | None:
    """The class that `View{p, 4}` makes; None where the syntax names no class template by itself.
    What the arguments are is looked at in a scratch place: nothing is evaluated here."""
    template = class_template(node, low.scope)
    made = _OF_PARTS.get(_library_name(node, low.scope)) if template is None else None
    if (template is None and made is None) or not arguments:
        return None
    inner = low.program.scratch(low.scope)
    try:
        values = [expression(inner, one) for one in spread(arguments, low.scope)]
        if made is not None:
            return made([complete(overloads.type_of_value(value)) for value in values])
        found = deduced(low, template, values) if template is not None else None
    except SourceError:
        found = None
    return found or (OpaqueType(template.name) if template is not None else None)


def _pair(types: list[Type]) -> Type | None:
    return library.pair(*types) if len(types) == 2 else None


# classes of the library whose arguments are the types of what they are made of
_OF_PARTS: dict[str, Callable[[list[Type]], Type | None]] = {
    "pair": _pair,
    "tuple": library.tuple_of,
}


def _library_name(node: tree.Node | None, scope: Scope) -> str:
    """The name that a type spelled without template arguments has in the library's namespace; ""
    for other types."""
    while isinstance(node, (tree.Typename, tree.TypeDecl)):
        node = node.type
    name = node.name if isinstance(node, tree.NameType) else node
    if not isinstance(name, tree.QualifiedName) or not isinstance(name.parts[-1], tree.ID):
        return ""
    names = name_parts(name)
    first = scope.find(names[0])
    path = [*first.path, *names[1:]] if isinstance(first, MissingNamespace) else names
    is_missing = first is None or isinstance(first, MissingNamespace)
    return path[-1] if is_missing and path[0] in ("std", "cuda") else ""


def deduced(low: Lowerer, template: ClassTemplate, values: list[Value]) -> Type | None:
    """The class that a template gives for the values of an initialiser."""
    for candidates in (tuple(template.guides), tuple(_implicit(template, len(values)))):
        chosen = overloads.choose(low, candidates, values, None, None)
        if chosen is not None:
            entity, scope = chosen
            return typenames.resolve(low.program, return_node(entity), scope).type
    return None


def _implicit(template: ClassTemplate, count: int) -> Iterator[FunctionEntity]:
    """What the class itself says of its arguments."""
    node = template.node
    if node is None:
        return
    constructors = list(_constructors(template, node))
    yield from constructors
    if not constructors:
        members = [one for member in node.members for one in _data_members(member)]
        parts = [*map(_unnamed, node.bases), *members]
        expands = any(isinstance(base, tree.PackExpansion) for base in node.bases)
        yield _candidate(template, parts if expands else parts[:count], template.parameters)


def _constructors(template: ClassTemplate, node: tree.ClassDef) -> Iterator[FunctionEntity]:
    for member in node.members:
        own, inner = (
            (tuple(member.params), member.decl)
            if isinstance(member, tree.TemplateDecl)
            else ((), member)
        )
        if isinstance(inner, tree.Function) and is_constructor_of(inner, template.name):
            given = list(inner.type.args.params) if inner.type.args is not None else []
            yield _candidate(template, given, (*template.parameters, *own))


def _data_members(member: tree.Declaration) -> list[tree.Parameter]:
    every = member.decls if isinstance(member, tree.DeclGroup) else [member]
    return [
        one
        for one in every
        if isinstance(one, tree.Decl) and one.name and "static" not in one.storage
    ]


def _unnamed(base: tree.TypeNode) -> tree.Parameter:
    return tree.Typename(None, [], [], tree.TypeDecl(None, [], [], base, base.coord), base.coord)


def _candidate(
    template: ClassTemplate,
    given: list[tree.Parameter],
    parameters: tuple[tree.TemplateParam, ...],
) -> FunctionEntity:
    """A function of these parameters that returns the class."""
    assert template.node is not None
    coord = template.node.coord
    arguments: list[tree.Operand] = []
    for parameter in template.parameters:
        name = tree.ID(parameter.name, coord)
        arguments.append(tree.PackExpansion(name, coord) if parameter.is_pack else name)
    made = tree.NameType(tree.TemplateId(arguments, template.name, coord), coord)
    signature = tree.FuncDecl(tree.ParamList(given, coord), made, coord)
    function = tree.Function(tree.ID(template.name, coord), signature, [], [], [], None, [], coord)
    return FunctionEntity(template.name, function, template.scope, parameters)
