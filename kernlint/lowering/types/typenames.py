"""From the syntax of a type to the type: specifiers, declarators, names, template-ids, decltype.

In: type nodes and the scope they stand in. Out: `Qualified`. A name nobody declared becomes an
OpaqueType of that name, never an error.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from kernlint.base.dataclass import replace
from kernlint.ir.nodes import Expression, Unknown
from kernlint.ir.types import INT, Array, Integer, OpaqueType, Pointer, Record, Type
from kernlint.lowering.calls import intrinsics
from kernlint.lowering.context import ProgramContext
from kernlint.lowering.declared_names import function_name, whole_parts
from kernlint.lowering.expressions.fold import arithmetic, integer
from kernlint.lowering.expressions.values import AutoPlaceholder, FunctionType, Qualified
from kernlint.lowering.scopes import (
    AliasTemplate,
    Binding,
    ClassTemplate,
    Entity,
    NamespaceEntity,
    Scope,
    TypeEntity,
)
from kernlint.lowering.templates import template_arguments
from kernlint.lowering.types import classes, library
from kernlint.lowering.types.layout import known_type
from kernlint.model.reasons import refused
from kernlint.source.parser import tree

_SPACES = {
    "__local": "shared",
    "__global": "global",
    "__constant": "constant",
    "__private": "local",
    "__generic": "",
    "__shared__": "shared",
}
_WORDS = frozenset(
    {
        "unsigned",
        "signed",
        "long",
        "short",
        "int",
        "char",
        "double",
        "float",
        "void",
        "bool",
        "_Bool",
        "__int128",
        "__signed__",
    }
)


def resolve(program: ProgramContext, node: tree.Node | None, scope: Scope) -> Qualified:
    """The type that `node` spells, looked up from `scope`."""
    if node is None:
        return Qualified(AutoPlaceholder())
    handler = _HANDLERS.get(type(node))
    if handler is None:
        return Qualified(OpaqueType(type(node).__name__))
    return handler(program, node, scope)


def _declared(
    program: ProgramContext, node: tree.Typename | tree.Decl | tree.Typedef, scope: Scope
) -> Qualified:
    """The type of a declaration or type name, whose own qualifiers are those of the innermost
    TypeDecl once more."""
    return resolve(program, node.type, scope)


def _named(program: ProgramContext, node: tree.TypeDecl, scope: Scope) -> Qualified:
    return _qualify(resolve(program, node.type, scope), node.quals)


def _typedef(program: ProgramContext, node: tree.Typedef, scope: Scope) -> Qualified:
    """A type under another name, which may ask for another alignment: then it is that of a class,
    not that of a scalar."""
    found = _declared(program, node, scope)
    written = node.type.align if isinstance(node.type, tree.TypeDecl) else []
    values = [program.constant(a, scope) for a in written]
    asked = max((int(v.value) for v in values if v is not None), default=0)
    if asked and isinstance(found.type, Record) and asked != found.type.alignment:
        return replace(found, type=replace(found.type, alignment=asked))
    return found


def _qualify(inner: Qualified, quals: list[str]) -> Qualified:
    if not quals:
        return inner
    space = next((_SPACES[q] for q in quals if q in _SPACES), inner.space)
    return Qualified(
        inner.type,
        inner.const or "const" in quals,
        inner.volatile or "volatile" in quals,
        inner.reference,
        space,
    )


def _pointer(program: ProgramContext, node: tree.PtrDecl, scope: Scope) -> Qualified:
    inner, quals = resolve(program, node.type, scope), node.quals
    restrict = any(q.strip("_") == "restrict" for q in quals)
    if isinstance(inner.type, FunctionType):
        return Qualified(inner.type)
    if isinstance(inner.type, AutoPlaceholder):  # `auto *p` is of the type that `auto p` is of
        return Qualified(inner.type, "const" in quals, "volatile" in quals)
    made = Pointer(inner.type, inner.space, inner.const, restrict, inner.volatile)
    return Qualified(
        made,
        "const" in quals,
        "volatile" in quals,
        "",
        next((_SPACES[q] for q in quals if q in _SPACES), ""),
    )


def _array(program: ProgramContext, node: tree.ArrayDecl, scope: Scope) -> Qualified:
    inner = resolve(program, node.type, scope)
    count, extent = None, None
    if node.dim is not None:
        found = program.constant(node.dim, scope)
        count = int(found.value) if found is not None else None
        if count is not None and count < 0:
            raise refused("array-size", node.coord, count=count)
        extent = _extent(program, node.dim, scope) if count is None else None
    return Qualified(Array(inner.type, count, extent), inner.const, inner.volatile, "", inner.space)


def _extent(program: ProgramContext, node: tree.Node, scope: Scope) -> Expression | None:
    """An array's extent as an expression of names that no declaration seen gives: constants of
    headers that are not there."""
    found = program.constant(node, scope)
    if found is not None:
        return integer(int(found.value), INT)
    if isinstance(node, tree.ID) and scope.find(node.name) is None:
        return Unknown(INT, "unknown-argument", (), True, node.name)
    if isinstance(node, tree.BinaryOp) and node.op in ("+", "-", "*", "/"):
        left, right = _extent(program, node.left, scope), _extent(program, node.right, scope)
        return (
            arithmetic(program.language, node.op, left, right)
            if left is not None and right is not None
            else None
        )
    return None


def _reference(program: ProgramContext, node: tree.RefDecl, scope: Scope) -> Qualified:
    inner = resolve(program, node.type, scope)
    kind = "&" if inner.reference == "&" or not node.rvalue else "&&"
    return Qualified(inner.type, inner.const, inner.volatile, kind, inner.space)


def _identifier(program: ProgramContext, node: tree.IdentifierType, scope: Scope) -> Qualified:
    found = _word(tuple(node.names))
    return by_name(program, found, scope) if isinstance(found, str) else found


@lru_cache(maxsize=4096)
def _word(written: tuple[str, ...]) -> Qualified | str:
    """A fundamental type, or the name to look up."""
    names = [n for n in written if n not in ("typename", "struct", "class", "enum", "union")]
    if len(names) == 1 and names[0] not in _WORDS:
        return names[0]
    joined = _fundamental(names)
    if joined is not None:
        return Qualified(joined)
    plain = [n for n in names if n not in ("unsigned", "signed")]
    return plain[0] if plain else names[0]


def _fundamental(names: list[str]) -> Type | None:
    """`unsigned long int` and the like, words in any order."""
    base = next(
        (n for n in names if n in ("char", "double", "float", "void", "bool", "_Bool", "__int128")),
        None,
    )
    sign = (
        "unsigned "
        if "unsigned" in names
        else "signed "
        if "signed" in names and base == "char"
        else ""
    )
    if base is None or base == "int":
        longs = names.count("long")
        width = (
            "short"
            if "short" in names
            else "long long"
            if longs > 1
            else "long"
            if longs
            else "int"
        )
    else:
        width = "long double" if base == "double" and "long" in names else base
    return known_type(sign + width, "cuda")


def by_name(program: ProgramContext, name: str, scope: Scope) -> Qualified:
    """A type by unqualified name: the program's own first, then the language's."""
    found = scope.find(name)
    if found is not None:
        resolved = of_entity(program, found)
        if resolved is not None:
            return resolved
    known = known_type(name, program.language) or library.plain_type(name)
    return Qualified(known if known is not None else OpaqueType(intrinsics.canonical_name(name)))


def of_entity(program: ProgramContext, entity: Entity) -> Qualified | None:
    """The type an entity names; None when it names something else."""
    if isinstance(entity, TypeEntity):
        if entity.resolved is None:
            if entity.node is None:
                return None
            if isinstance(entity.node, tree.ClassDef):
                entity.resolved = Qualified(classes.class_type(program, entity))
            else:
                entity.resolved = resolve(program, entity.node, entity.scope)
        return entity.resolved
    if isinstance(entity, ClassTemplate):
        optional = [p.default is not None or p.is_pack for p in entity.parameters]
        if optional and all(optional):
            arguments = template_arguments.complete(
                program, entity.parameters, (), entity.scope, {}, entity.scope
            )
            if arguments is not None:
                return Qualified(classes.instantiate(program, entity, arguments))
        return Qualified(OpaqueType(entity.name))
    return None


def named(program: ProgramContext, name: tree.Name, scope: Scope) -> Qualified | None:
    """The type that an ID, TemplateId or QualifiedName names, or None if it names none that is
    known."""
    parts = whole_parts(name, scope) if isinstance(name, tree.QualifiedName) else [name]
    is_global = isinstance(name, tree.QualifiedName) and name.is_global
    where: Scope | None = None
    for i, part in enumerate(parts):
        last = i == len(parts) - 1
        if isinstance(part, tree.DecltypeType):
            found: Qualified | None = resolve(program, part, scope)
        else:
            key = function_name(part)
            if where is not None:
                entity = where.member(key)
            elif is_global:
                entity = _global_member(program, scope.outermost(), key)
            else:
                entity = scope.find(key)
            if isinstance(entity, NamespaceEntity) and not last:
                where = entity.scope
                continue
            if entity is None:
                return (
                    library.named_type(program, parts, scope) if where is None or i == 0 else None
                )
            found = part_type(program, part, entity, scope)
        if found is None:
            return None
        if last:
            return found
        where = classes.member_scope(found.type)
        if where is None:
            return library.member_type(program, found.type, parts[i + 1 :])
    return None


def _global_member(program: ProgramContext, scope: Scope, name: str) -> Entity | None:
    """`::name`: what using-directives draw in counts only where nothing of the name is declared
    there ([namespace.qual]), and the language's own types are."""
    own = scope.names.get(name)
    if own is None and known_type(name, program.language) is not None:
        return None
    return own or scope.member(name)


def _template_of(entity: Entity) -> Entity:
    """The template behind a class's own name inside it, when arguments follow it."""
    info = (
        classes.class_info(entity.resolved.type)
        if isinstance(entity, TypeEntity) and entity.resolved is not None
        else None
    )
    return info.template if info is not None and info.template is not None else entity


def part_type(
    program: ProgramContext, part: tree.Node, entity: Entity, scope: Scope
) -> Qualified | None:
    if isinstance(part, tree.TemplateId):
        entity = _template_of(entity)
        if isinstance(entity, ClassTemplate):
            arguments = template_arguments.complete(
                program, entity.parameters, tuple(part.args), scope, {}, entity.scope
            )
            return (
                Qualified(classes.instantiate(program, entity, arguments))
                if arguments is not None
                else None
            )
        if isinstance(entity, AliasTemplate):
            arguments = template_arguments.complete(
                program, entity.parameters, tuple(part.args), scope, {}, entity.scope
            )
            if arguments is None:
                return None
            return resolve(
                program,
                entity.node,
                template_arguments.bind(entity.parameters, arguments, entity.scope),
            )
    return of_entity(program, entity)


def _name_type(program: ProgramContext, node: tree.NameType, scope: Scope) -> Qualified:
    found = named(program, node.name, scope)
    return found if found is not None else Qualified(OpaqueType(spelling(node.name, scope)))


def spelling(name: tree.Node, scope: Scope) -> str:
    """The name as text, template arguments left out."""
    if isinstance(name, tree.QualifiedName):
        parts = whole_parts(name, scope)
        return intrinsics.canonical_name("::".join(function_name(p) for p in parts))
    return intrinsics.canonical_name(function_name(name))


def _elaborated(program: ProgramContext, node: tree.ElaboratedType, scope: Scope) -> Qualified:
    found = named(program, node.name, scope)
    return found if found is not None else Qualified(OpaqueType(spelling(node.name, scope)))


def _class(program: ProgramContext, node: tree.ClassDef, scope: Scope) -> Qualified:
    if isinstance(node.name, str) and node.name:
        entity = scope.find(node.name)
        if isinstance(entity, TypeEntity) and entity.node is node:
            found = of_entity(program, entity)
            if found is not None:
                return found
    return Qualified(classes.anonymous(program, node, scope))


def _enum(program: ProgramContext, node: tree.Enum, scope: Scope) -> Qualified:
    return Qualified(enum_type(program, node, scope))


def enum_type(program: ProgramContext, node: tree.Enum, scope: Scope) -> Integer:
    """An enumeration's type: its fixed underlying type, else int, named like the enumeration."""
    underlying = node.underlying_type
    base = resolve(program, underlying, scope).type if underlying is not None else INT
    base = base if isinstance(base, Integer) else INT
    if not node.name:
        return base
    name = scope.qualifier() + node.name
    known = program.enumerations.setdefault(name, (node, scope))
    if known is not None and known[0] is not node:
        program.enumerations[name] = None
    return Integer(base.bits, base.signed, name)


def _auto(program: ProgramContext, node: tree.AutoType, scope: Scope) -> Qualified:
    return Qualified(AutoPlaceholder(node.keeps_reference))


def _decltype(program: ProgramContext, node: tree.DecltypeType, scope: Scope) -> Qualified:
    name = template_arguments.plain_name(node.expr)  # `decltype(x)` may have been read as of a type
    if isinstance(name, tree.ID) and isinstance(scope.find(name.name), Binding):
        return program.type_of(name, scope)
    found = program.type_of(node.expr, scope)
    return replace(found, reference="&") if _is_element(program, node.expr, scope) else found


def _is_element(program: ProgramContext, node: tree.Node, scope: Scope) -> bool:
    """Whether the expression names what a pointer or an array holds, an lvalue."""
    if isinstance(node, tree.ArrayRef):
        base: tree.Node = node.name
    elif isinstance(node, tree.UnaryOp) and node.op == "*":
        base = node.expr
    else:
        return False
    return isinstance(program.type_of(base, scope).type, (Pointer, Array))


def _function(
    program: ProgramContext, node: tree.FuncDecl | tree.MemberPtrDecl, scope: Scope
) -> Qualified:
    return Qualified(FunctionType())


def _pack(program: ProgramContext, node: tree.PackExpansion, scope: Scope) -> Qualified:
    return resolve(program, node.pattern, scope)


# each takes the class that it stands under
_HANDLERS: dict[type[tree.Node], Callable[[ProgramContext, Any, Scope], Qualified]] = {
    tree.Typename: _declared, tree.Decl: _declared, tree.TypeDecl: _named, tree.Typedef: _typedef, tree.PtrDecl: _pointer,
    tree.ArrayDecl: _array, tree.FuncDecl: _function, tree.IdentifierType: _identifier, tree.Enum: _enum,
    tree.RefDecl: _reference,
    tree.NameType: _name_type, tree.AutoType: _auto, tree.DecltypeType: _decltype, tree.ElaboratedType: _elaborated, tree.ClassDef: _class,
    tree.PackExpansion: _pack, tree.MemberPtrDecl: _function, tree.ID: lambda p, n, s: by_name(p, n.name, s),
    tree.TemplateId: lambda p, n, s: named(p, n, s) or Qualified(OpaqueType(spelling(n, s))),
    tree.QualifiedName: lambda p, n, s: named(p, n, s) or Qualified(OpaqueType(spelling(n, s))),
}  # fmt: skip
