"""The syntax tree: pycparser's `c_ast.Node` and its walks, with typed classes for C, C++, CUDA and
OpenCL.

Written by tools/generate_tree.py from grammars/tree.cfg; change those. Every node has a place,
`coord`; the children that are None are left out of `children()`.
"""

# ruff: noqa: RUF023 (the order of slots is that in which pycparser's `__repr__` shows them)

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from kernlint.base.span import Span
from kernlint.source.parser import pycparser_nodes

Children = tuple[tuple[str, "Node"], ...]


class Body(Protocol):
    """The body of a function, parsed when first asked for."""

    name: str

    @property
    def coord(self) -> Span: ...
    @property
    def opens(self) -> int: ...
    def words(self) -> frozenset[str]: ...
    def mentions_launch(self) -> bool: ...
    def parse(self) -> Compound: ...


class Node(pycparser_nodes.Node):
    """Any node; as pycparser's, with a place that is always known."""

    __slots__ = ()
    coord: Span

    def children(self) -> Children:
        """The children that are there, with the names of their fields."""
        return ()

    def __iter__(self) -> Iterator[Node]:
        return iter([child for _, child in self.children()])


class Stmt(Node):
    """What may stand in a block."""

    __slots__ = ()


class Expr(Stmt):
    """An expression, or what stands for one in braces and arguments."""

    __slots__ = ()


class Name(Expr):
    """What names something; an expression where it names a value."""

    __slots__ = ()


class Declaration(Stmt):
    """What may stand in a file, a namespace or a class."""

    __slots__ = ()


class TypeNode(Node):
    """What spells a type."""

    __slots__ = ()


class ID(Name):
    """A plain name."""

    __slots__ = ("name", "coord", "__weakref__")
    attr_names = ("name",)

    def __init__(self, name: str, coord: Span) -> None:
        self.name = name
        self.coord = coord


class TemplateId(Name):
    """`name<args…>`."""

    __slots__ = ("args", "name", "coord", "__weakref__")
    attr_names = ("name",)

    def __init__(self, args: list[Operand], name: str, coord: Span) -> None:
        self.args = args
        self.name = name
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        found += [(f"args[{i}]", one) for i, one in enumerate(self.args)]
        return tuple(found)


class QualifiedName(Name):
    """`a::b<…>::c`; is_global: leading `::`."""

    __slots__ = ("parts", "is_global", "coord", "__weakref__")
    attr_names = ("is_global",)

    def __init__(self, parts: list[Name], is_global: bool, coord: Span) -> None:
        self.parts = parts
        self.is_global = is_global
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        found += [(f"parts[{i}]", one) for i, one in enumerate(self.parts)]
        return tuple(found)


class OperatorName(Name):
    """`operator+` (op) or conversion `operator T` (op '', type)."""

    __slots__ = ("type", "op", "coord", "__weakref__")
    attr_names = ("op",)

    def __init__(self, type: Typename | None, op: str, coord: Span) -> None:
        self.type = type
        self.op = op
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        if self.type is not None:
            found.append(("type", self.type))
        return tuple(found)


class DestructorName(Name):
    """`~name`."""

    __slots__ = ("name", "coord", "__weakref__")
    attr_names = ("name",)

    def __init__(self, name: str, coord: Span) -> None:
        self.name = name
        self.coord = coord


class IdentifierType(TypeNode):
    """Words of a fundamental type, or the one name of a declared one."""

    __slots__ = ("names", "coord", "__weakref__")
    attr_names = ("names",)

    def __init__(self, names: list[str], coord: Span) -> None:
        self.names = names
        self.coord = coord


class NameType(TypeNode):
    """A type named by TemplateId or QualifiedName (a plain identifier is an IdentifierType)."""

    __slots__ = ("name", "coord", "__weakref__")

    def __init__(self, name: Name, coord: Span) -> None:
        self.name = name
        self.coord = coord

    def children(self) -> Children:
        return (("name", self.name),)


class AutoType(TypeNode):
    """`auto`; constraint: the concept in front; keeps_reference: `decltype(auto)`, a reference to what
    is one or names a place.
    """

    __slots__ = ("constraint", "keeps_reference", "coord", "__weakref__")
    attr_names = ("keeps_reference",)

    def __init__(
        self, coord: Span, *, constraint: Name | None = None, keeps_reference: bool = False
    ) -> None:
        self.constraint = constraint
        self.keeps_reference = keeps_reference
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        if self.constraint is not None:
            found.append(("constraint", self.constraint))
        return tuple(found)


class DecltypeType(Name, TypeNode):
    """`decltype(expr)` / `typeof(expr)`, also in front of `::`."""

    __slots__ = ("expr", "coord", "__weakref__")

    def __init__(self, expr: Operand, coord: Span) -> None:
        self.expr = expr
        self.coord = coord

    def children(self) -> Children:
        return (("expr", self.expr),)


class ElaboratedType(TypeNode):
    """`struct S` / `class S` / `enum E` / `union U` without a body, used as a type."""

    __slots__ = ("name", "kind", "coord", "__weakref__")
    attr_names = ("kind",)

    def __init__(self, name: Name, kind: str, coord: Span) -> None:
        self.name = name
        self.kind = kind
        self.coord = coord

    def children(self) -> Children:
        return (("name", self.name),)


class TypeDecl(TypeNode):
    """The type of a declaration's specifiers, innermost in a chain of declarators; type None: none is
    written (constructors). quals: const volatile restrict and OpenCL's address spaces of what a
    pointer points to ("__local" …).
    """

    __slots__ = ("declname", "quals", "align", "type", "coord", "__weakref__")
    attr_names = (
        "declname",
        "quals",
        "align",
    )

    def __init__(
        self,
        declname: str | None,
        quals: list[str],
        align: list[Operand],
        type: TypeNode | None,
        coord: Span,
    ) -> None:
        self.declname = declname
        self.quals = quals
        self.align = align
        self.type = type
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        if self.type is not None:
            found.append(("type", self.type))
        return tuple(found)


class PtrDecl(TypeNode):
    """`*`; quals are the pointer's own."""

    __slots__ = ("quals", "type", "coord", "__weakref__")
    attr_names = ("quals",)

    def __init__(self, quals: list[str], type: TypeNode, coord: Span) -> None:
        self.quals = quals
        self.type = type
        self.coord = coord

    def children(self) -> Children:
        return (("type", self.type),)


class RefDecl(TypeNode):
    """Reference declarator, nested like PtrDecl; rvalue: `&&`."""

    __slots__ = ("type", "rvalue", "coord", "__weakref__")
    attr_names = ("rvalue",)

    def __init__(self, type: TypeNode, rvalue: bool, coord: Span) -> None:
        self.type = type
        self.rvalue = rvalue
        self.coord = coord

    def children(self) -> Children:
        return (("type", self.type),)


class MemberPtrDecl(TypeNode):
    """`T C::*`."""

    __slots__ = ("type", "owner", "coord", "__weakref__")

    def __init__(self, type: TypeNode, owner: Name, coord: Span) -> None:
        self.type = type
        self.owner = owner
        self.coord = coord

    def children(self) -> Children:
        return (
            ("type", self.type),
            ("owner", self.owner),
        )


class ArrayDecl(TypeNode):
    """`T [dim]`."""

    __slots__ = ("type", "dim", "dim_quals", "coord", "__weakref__")
    attr_names = ("dim_quals",)

    def __init__(self, type: TypeNode, dim: Expr | None, dim_quals: list[str], coord: Span) -> None:
        self.type = type
        self.dim = dim
        self.dim_quals = dim_quals
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        found.append(("type", self.type))
        if self.dim is not None:
            found.append(("dim", self.dim))
        return tuple(found)


class FuncDecl(TypeNode):
    """`T (args)`; type, that of the result, None for constructors."""

    __slots__ = ("args", "type", "coord", "__weakref__")

    def __init__(self, args: ParamList, type: TypeNode | None, coord: Span) -> None:
        self.args = args
        self.type = type
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        found.append(("args", self.args))
        if self.type is not None:
            found.append(("type", self.type))
        return tuple(found)


class ParamList(Node):
    """The parameters of a function; those without a name and a default are Typename."""

    __slots__ = ("params", "coord", "__weakref__")

    def __init__(self, params: list[Parameter], coord: Span) -> None:
        self.params = params
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        found += [(f"params[{i}]", one) for i, one in enumerate(self.params)]
        return tuple(found)


class EllipsisParam(Node):
    """`...` at the end of parameters."""

    __slots__ = ("coord", "__weakref__")

    def __init__(self, coord: Span) -> None:
        self.coord = coord


class Typename(TypeNode):
    """A type where it stands alone: in casts, template arguments, sizeof; a parameter without a name."""

    __slots__ = ("name", "quals", "align", "type", "coord", "__weakref__")
    attr_names = (
        "name",
        "quals",
        "align",
    )

    def __init__(
        self, name: None, quals: list[str], align: list[Operand], type: TypeNode, coord: Span
    ) -> None:
        self.name = name
        self.quals = quals
        self.align = align
        self.type = type
        self.coord = coord

    def children(self) -> Children:
        return (("type", self.type),)


class PackExpansion(Expr, TypeNode):
    """`pattern...` in expressions, types and template arguments."""

    __slots__ = ("pattern", "coord", "__weakref__")

    def __init__(self, pattern: Operand, coord: Span) -> None:
        self.pattern = pattern
        self.coord = coord

    def children(self) -> Children:
        return (("pattern", self.pattern),)


class Decl(Declaration):
    """One variable, member, parameter or forward declaration (name None: that of a class, or an
    unnamed bit-field). template_name: the whole name in `template <> bool flag<int> = …`, a
    TemplateId or QualifiedName. storage: static extern constexpr typedef mutable register
    thread_local. funcspec: every other specifier as spelled: __global__ __device__ __host__
    __shared__ __constant__ __managed__ __forceinline__ __noinline__ inline virtual explicit, OpenCL
    __kernel __local __global __constant __private (with or without underscores: normalised to the
    underscored form); "packed" for a member with `__attribute__((packed))`. align: expressions of
    __align__(n), alignas(n), aligned(n).
    """

    __slots__ = (
        "name",
        "quals",
        "align",
        "storage",
        "funcspec",
        "type",
        "init",
        "bitsize",
        "template_name",
        "coord",
        "__weakref__",
    )
    attr_names = (
        "name",
        "quals",
        "align",
        "storage",
        "funcspec",
        "template_name",
    )

    def __init__(
        self,
        name: str | None,
        quals: list[str],
        align: list[Operand],
        storage: list[str],
        funcspec: list[str],
        type: TypeNode,
        init: Expr | None,
        bitsize: Expr | None,
        coord: Span,
        *,
        template_name: Name | None = None,
    ) -> None:
        self.name = name
        self.quals = quals
        self.align = align
        self.storage = storage
        self.funcspec = funcspec
        self.type = type
        self.init = init
        self.bitsize = bitsize
        self.template_name = template_name
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        found.append(("type", self.type))
        if self.init is not None:
            found.append(("init", self.init))
        if self.bitsize is not None:
            found.append(("bitsize", self.bitsize))
        return tuple(found)


class DeclList(Declaration):
    """What a `for` declares."""

    __slots__ = ("decls", "coord", "__weakref__")

    def __init__(self, decls: list[Declaration], coord: Span) -> None:
        self.decls = decls
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        found += [(f"decls[{i}]", one) for i, one in enumerate(self.decls)]
        return tuple(found)


class DeclGroup(Declaration):
    """Several declarators of one declaration: `int a, *b;` → DeclGroup([Decl, Decl])."""

    __slots__ = ("decls", "coord", "__weakref__")

    def __init__(self, decls: list[Declaration], coord: Span) -> None:
        self.decls = decls
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        found += [(f"decls[{i}]", one) for i, one in enumerate(self.decls)]
        return tuple(found)


class Typedef(Declaration):
    """`typedef T name;`."""

    __slots__ = ("name", "quals", "storage", "type", "coord", "__weakref__")
    attr_names = (
        "name",
        "quals",
        "storage",
    )

    def __init__(
        self, name: str | None, quals: list[str], storage: list[str], type: TypeNode, coord: Span
    ) -> None:
        self.name = name
        self.quals = quals
        self.storage = storage
        self.type = type
        self.coord = coord

    def children(self) -> Children:
        return (("type", self.type),)


class ClassDef(Declaration, TypeNode):
    """`struct|class|union` with a body; name: a TemplateId for partial specialisations. is_packed:
    `__attribute__((packed))`; pack: n of the `#pragma pack(n)` in force, or None.
    """

    __slots__ = (
        "bases",
        "members",
        "kind",
        "name",
        "align_exprs",
        "is_packed",
        "pack",
        "coord",
        "__weakref__",
    )
    attr_names = (
        "kind",
        "name",
        "align_exprs",
        "is_packed",
        "pack",
    )

    def __init__(
        self,
        bases: list[TypeNode],
        members: list[Declaration],
        kind: str,
        name: str | Name | None,
        align_exprs: list[Operand],
        is_packed: bool,
        pack: int | None,
        coord: Span,
    ) -> None:
        self.bases = bases
        self.members = members
        self.kind = kind
        self.name = name
        self.align_exprs = align_exprs
        self.is_packed = is_packed
        self.pack = pack
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        found += [(f"bases[{i}]", one) for i, one in enumerate(self.bases)]
        found += [(f"members[{i}]", one) for i, one in enumerate(self.members)]
        return tuple(found)


class AccessLabel(Declaration):
    """`public:` …"""

    __slots__ = ("access", "coord", "__weakref__")
    attr_names = ("access",)

    def __init__(self, access: str, coord: Span) -> None:
        self.access = access
        self.coord = coord


class Enum(Declaration, TypeNode):
    """`enum name : underlying_type { values }`; is_scoped: `enum class`."""

    __slots__ = ("name", "values", "underlying_type", "is_scoped", "coord", "__weakref__")
    attr_names = (
        "name",
        "is_scoped",
    )

    def __init__(
        self,
        name: str | None,
        values: EnumeratorList,
        underlying_type: TypeNode | None,
        is_scoped: bool,
        coord: Span,
    ) -> None:
        self.name = name
        self.values = values
        self.underlying_type = underlying_type
        self.is_scoped = is_scoped
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        found.append(("values", self.values))
        if self.underlying_type is not None:
            found.append(("underlying_type", self.underlying_type))
        return tuple(found)


class EnumeratorList(Node):
    """The braces of an enumeration."""

    __slots__ = ("enumerators", "coord", "__weakref__")

    def __init__(self, enumerators: list[Enumerator], coord: Span) -> None:
        self.enumerators = enumerators
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        found += [(f"enumerators[{i}]", one) for i, one in enumerate(self.enumerators)]
        return tuple(found)


class Enumerator(Node):
    """`name = value` of an enumeration."""

    __slots__ = ("name", "value", "coord", "__weakref__")
    attr_names = ("name",)

    def __init__(self, name: str, value: Expr | None, coord: Span) -> None:
        self.name = name
        self.value = value
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        if self.value is not None:
            found.append(("value", self.value))
        return tuple(found)


class Function(Declaration):
    """A function, method, constructor or conversion operator. name: ID, QualifiedName (out-of-class
    member), OperatorName, TemplateId (explicit specialisation), DestructorName; specifiers: as in
    Decl.storage and Decl.funcspec; quals: trailing const etc., default, delete; initializers: of
    constructors; attributes: such as ('launch_bounds', […]), ('reqd_work_group_size', […]),
    ('aligned', […]); lazy_body: None for a mere declaration.
    """

    __slots__ = (
        "name",
        "type",
        "initializers",
        "specifiers",
        "quals",
        "lazy_body",
        "attributes",
        "coord",
        "__weakref__",
    )
    attr_names = (
        "specifiers",
        "quals",
        "lazy_body",
        "attributes",
    )

    def __init__(
        self,
        name: Name,
        type: FuncDecl,
        initializers: list[MemberInit],
        specifiers: list[str],
        quals: list[str],
        lazy_body: Body | None,
        attributes: list[tuple[str, list[Operand]]],
        coord: Span,
    ) -> None:
        self.name = name
        self.type = type
        self.initializers = initializers
        self.specifiers = specifiers
        self.quals = quals
        self.lazy_body = lazy_body
        self.attributes = attributes
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        found.append(("name", self.name))
        found.append(("type", self.type))
        found += [(f"initializers[{i}]", one) for i, one in enumerate(self.initializers)]
        return tuple(found)


class MemberInit(Node):
    """`name(args)` or `name{args}` in a constructor's initialiser list."""

    __slots__ = ("name", "args", "coord", "__weakref__")

    def __init__(self, name: Name, args: list[Operand], coord: Span) -> None:
        self.name = name
        self.args = args
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        found.append(("name", self.name))
        found += [(f"args[{i}]", one) for i, one in enumerate(self.args)]
        return tuple(found)


class TemplateDecl(Declaration):
    """`template <params> decl`; params empty for `template <>`, `template f<1>(…);` and `extern
    template f<1>(…);`, which says that another file has the instantiation.
    """

    __slots__ = (
        "params",
        "decl",
        "is_explicit_specialization",
        "is_explicit_instantiation",
        "is_instantiation_declaration",
        "coord",
        "__weakref__",
    )
    attr_names = (
        "is_explicit_specialization",
        "is_explicit_instantiation",
        "is_instantiation_declaration",
    )

    def __init__(
        self,
        params: list[TemplateParam],
        decl: Declaration,
        is_explicit_specialization: bool,
        is_explicit_instantiation: bool,
        coord: Span,
        *,
        is_instantiation_declaration: bool = False,
    ) -> None:
        self.params = params
        self.decl = decl
        self.is_explicit_specialization = is_explicit_specialization
        self.is_explicit_instantiation = is_explicit_instantiation
        self.is_instantiation_declaration = is_instantiation_declaration
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        found += [(f"params[{i}]", one) for i, one in enumerate(self.params)]
        found.append(("decl", self.decl))
        return tuple(found)


class TemplateParam(Node):
    """kind 'type' (type None), 'value' (type: type node), 'template' (params: inner parameters);
    constraint: the concept in front of a type parameter; condition: the requires clause behind the
    list that this parameter ends.
    """

    __slots__ = (
        "type",
        "default",
        "params",
        "kind",
        "name",
        "is_pack",
        "constraint",
        "condition",
        "coord",
        "__weakref__",
    )
    attr_names = (
        "kind",
        "name",
        "is_pack",
    )

    def __init__(
        self,
        type: TypeNode | None,
        default: Operand | None,
        params: list[TemplateParam] | None,
        kind: str,
        name: str,
        is_pack: bool,
        coord: Span,
        *,
        constraint: Name | None = None,
        condition: Operand | None = None,
    ) -> None:
        self.type = type
        self.default = default
        self.params = params
        self.kind = kind
        self.name = name
        self.is_pack = is_pack
        self.constraint = constraint
        self.condition = condition
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        if self.type is not None:
            found.append(("type", self.type))
        if self.default is not None:
            found.append(("default", self.default))
        found += [(f"params[{i}]", one) for i, one in enumerate(self.params or ())]
        if self.constraint is not None:
            found.append(("constraint", self.constraint))
        if self.condition is not None:
            found.append(("condition", self.condition))
        return tuple(found)


class Namespace(Declaration):
    """`namespace name { decls }`; name '' when anonymous; 'a::b' nested definitions are nested nodes."""

    __slots__ = ("decls", "name", "is_inline", "coord", "__weakref__")
    attr_names = (
        "name",
        "is_inline",
    )

    def __init__(self, decls: list[Declaration], name: str, is_inline: bool, coord: Span) -> None:
        self.decls = decls
        self.name = name
        self.is_inline = is_inline
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        found += [(f"decls[{i}]", one) for i, one in enumerate(self.decls)]
        return tuple(found)


class ExternBlock(Declaration):
    """`extern "C" { … }`."""

    __slots__ = ("decls", "language", "coord", "__weakref__")
    attr_names = ("language",)

    def __init__(self, decls: list[Declaration], language: str, coord: Span) -> None:
        self.decls = decls
        self.language = language
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        found += [(f"decls[{i}]", one) for i, one in enumerate(self.decls)]
        return tuple(found)


class Using(Declaration):
    """`using namespace N;` (name), `using N::x;` (name), `using A = T;` (alias, type)."""

    __slots__ = ("name", "type", "alias", "is_namespace", "is_enum", "coord", "__weakref__")
    attr_names = (
        "alias",
        "is_namespace",
        "is_enum",
    )

    def __init__(
        self,
        name: Name | None,
        type: TypeNode | None,
        alias: str | None,
        is_namespace: bool,
        coord: Span,
        *,
        is_enum: bool = False,
    ) -> None:
        self.name = name
        self.type = type
        self.alias = alias
        self.is_namespace = is_namespace
        self.is_enum = is_enum
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        if self.name is not None:
            found.append(("name", self.name))
        if self.type is not None:
            found.append(("type", self.type))
        return tuple(found)


class NamespaceAlias(Declaration):
    """`namespace a = b::c;`"""

    __slots__ = ("name", "alias", "coord", "__weakref__")
    attr_names = ("alias",)

    def __init__(self, name: Name, alias: str, coord: Span) -> None:
        self.name = name
        self.alias = alias
        self.coord = coord

    def children(self) -> Children:
        return (("name", self.name),)


class StructuredBinding(Declaration):
    """`auto [a, b] = init;` reference: '' | '&' | '&&'."""

    __slots__ = ("init", "names", "quals", "reference", "coord", "__weakref__")
    attr_names = (
        "names",
        "quals",
        "reference",
    )

    def __init__(
        self, init: Expr | None, names: list[str], quals: list[str], reference: str, coord: Span
    ) -> None:
        self.init = init
        self.names = names
        self.quals = quals
        self.reference = reference
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        if self.init is not None:
            found.append(("init", self.init))
        return tuple(found)


class Friend(Declaration):
    """`friend …` (opaque)."""

    __slots__ = ("coord", "__weakref__")

    def __init__(self, coord: Span) -> None:
        self.coord = coord


class StaticAssert(Declaration):
    """`static_assert(cond, message)`."""

    __slots__ = ("cond", "message", "coord", "__weakref__")

    def __init__(self, cond: Expr, message: Expr | None, coord: Span) -> None:
        self.cond = cond
        self.message = message
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        found.append(("cond", self.cond))
        if self.message is not None:
            found.append(("message", self.message))
        return tuple(found)


class Pragma(Declaration):
    """`#pragma string`; one for a loop stands in the enclosing Compound, directly before the loop."""

    __slots__ = ("string", "coord", "__weakref__")
    attr_names = ("string",)

    def __init__(self, string: str, coord: Span) -> None:
        self.string = string
        self.coord = coord


class Constant(Expr):
    """type: "int" (value: the literal's text, suffix and digit separators kept), "float", "char",
    "string", "bool", "nullptr".
    """

    __slots__ = ("type", "value", "coord", "__weakref__")
    attr_names = (
        "type",
        "value",
    )

    def __init__(self, type: str, value: str, coord: Span) -> None:
        self.type = type
        self.value = value
        self.coord = coord


class This(Expr):
    """`this`."""

    __slots__ = ("coord", "__weakref__")

    def __init__(self, coord: Span) -> None:
        self.coord = coord


class UnaryOp(Expr):
    """op: "-" "+" "!" "~" "*" "&" "++" "--" (prefix), "p++" "p--" (postfix), "sizeof", "alignof"."""

    __slots__ = ("op", "expr", "coord", "__weakref__")
    attr_names = ("op",)

    def __init__(self, op: str, expr: Expr, coord: Span) -> None:
        self.op = op
        self.expr = expr
        self.coord = coord

    def children(self) -> Children:
        return (("expr", self.expr),)


class BinaryOp(Expr):
    """`left op right`."""

    __slots__ = ("op", "left", "right", "coord", "__weakref__")
    attr_names = ("op",)

    def __init__(self, op: str, left: Expr, right: Expr, coord: Span) -> None:
        self.op = op
        self.left = left
        self.right = right
        self.coord = coord

    def children(self) -> Children:
        return (
            ("left", self.left),
            ("right", self.right),
        )


class TernaryOp(Expr):
    """`cond ? iftrue : iffalse`."""

    __slots__ = ("cond", "iftrue", "iffalse", "coord", "__weakref__")

    def __init__(self, cond: Expr, iftrue: Expr, iffalse: Expr, coord: Span) -> None:
        self.cond = cond
        self.iftrue = iftrue
        self.iffalse = iffalse
        self.coord = coord

    def children(self) -> Children:
        return (
            ("cond", self.cond),
            ("iftrue", self.iftrue),
            ("iffalse", self.iffalse),
        )


class Assignment(Expr):
    """`lvalue op rvalue`; op: "=" "+=" …"""

    __slots__ = ("op", "lvalue", "rvalue", "coord", "__weakref__")
    attr_names = ("op",)

    def __init__(self, op: str, lvalue: Expr, rvalue: Expr, coord: Span) -> None:
        self.op = op
        self.lvalue = lvalue
        self.rvalue = rvalue
        self.coord = coord

    def children(self) -> Children:
        return (
            ("lvalue", self.lvalue),
            ("rvalue", self.rvalue),
        )


class Cast(Expr):
    """`(to_type)expr`."""

    __slots__ = ("to_type", "expr", "coord", "__weakref__")

    def __init__(self, to_type: TypeNode, expr: Expr, coord: Span) -> None:
        self.to_type = to_type
        self.expr = expr
        self.coord = coord

    def children(self) -> Children:
        return (
            ("to_type", self.to_type),
            ("expr", self.expr),
        )


class NamedCast(Expr):
    """`static_cast<T>(e)` etc.; kind 'static'|'reinterpret'|'const'|'dynamic'|'bit'."""

    __slots__ = ("to_type", "expr", "kind", "coord", "__weakref__")
    attr_names = ("kind",)

    def __init__(self, to_type: Operand, expr: Operand, kind: str, coord: Span) -> None:
        self.to_type = to_type
        self.expr = expr
        self.kind = kind
        self.coord = coord

    def children(self) -> Children:
        return (
            ("to_type", self.to_type),
            ("expr", self.expr),
        )


class ArrayRef(Expr):
    """`name[subscript]`."""

    __slots__ = ("name", "subscript", "coord", "__weakref__")

    def __init__(self, name: Expr, subscript: Expr, coord: Span) -> None:
        self.name = name
        self.subscript = subscript
        self.coord = coord

    def children(self) -> Children:
        return (
            ("name", self.name),
            ("subscript", self.subscript),
        )


class StructRef(Expr):
    """`x.f` and `p->f`; type "." or "->"."""

    __slots__ = ("name", "type", "field", "coord", "__weakref__")
    attr_names = ("type",)

    def __init__(self, name: Expr, type: str, field: Name, coord: Span) -> None:
        self.name = name
        self.type = type
        self.field = field
        self.coord = coord

    def children(self) -> Children:
        return (
            ("name", self.name),
            ("field", self.field),
        )


class FuncCall(Expr):
    """`name(args)`; args None where there are none."""

    __slots__ = ("name", "args", "coord", "__weakref__")

    def __init__(self, name: Expr, args: ExprList | None, coord: Span) -> None:
        self.name = name
        self.args = args
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        found.append(("name", self.name))
        if self.args is not None:
            found.append(("args", self.args))
        return tuple(found)


class ExprList(Expr):
    """Expressions with commas between them: `a, b`, arguments of a call (among which types may stand)."""

    __slots__ = ("exprs", "coord", "__weakref__")

    def __init__(self, exprs: list[Operand], coord: Span) -> None:
        self.exprs = exprs
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        found += [(f"exprs[{i}]", one) for i, one in enumerate(self.exprs)]
        return tuple(found)


class InitList(Expr):
    """`{…}`."""

    __slots__ = ("exprs", "coord", "__weakref__")

    def __init__(self, exprs: list[Operand], coord: Span) -> None:
        self.exprs = exprs
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        found += [(f"exprs[{i}]", one) for i, one in enumerate(self.exprs)]
        return tuple(found)


class NamedInitializer(Expr):
    """`.f = expr`, `[i] = expr`; name: ID for `.f`, the expression for `[i]`."""

    __slots__ = ("expr", "name", "coord", "__weakref__")

    def __init__(self, expr: Expr, name: list[Expr], coord: Span) -> None:
        self.expr = expr
        self.name = name
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        found.append(("expr", self.expr))
        found += [(f"name[{i}]", one) for i, one in enumerate(self.name)]
        return tuple(found)


class ConstructorInit(Expr):
    """Initialiser of `T x(args)` (braces False) or `T x{args}` (braces True), stands in Decl.init."""

    __slots__ = ("args", "braces", "coord", "__weakref__")
    attr_names = ("braces",)

    def __init__(self, args: list[Operand], braces: bool, coord: Span) -> None:
        self.args = args
        self.braces = braces
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        found += [(f"args[{i}]", one) for i, one in enumerate(self.args)]
        return tuple(found)


class Construct(Expr):
    """`T(args)` functional cast/constructor call, `T{args}` (braces True), and OpenCL `(float4)(a, b)`
    vector literals.
    """

    __slots__ = ("type", "args", "braces", "coord", "__weakref__")
    attr_names = ("braces",)

    def __init__(self, type: TypeNode, args: list[Operand], braces: bool, coord: Span) -> None:
        self.type = type
        self.args = args
        self.braces = braces
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        found.append(("type", self.type))
        found += [(f"args[{i}]", one) for i, one in enumerate(self.args)]
        return tuple(found)


class SizeofType(Expr):
    """`sizeof(T)` / `alignof(T)`. (`sizeof expr` is UnaryOp.)  `sizeof...(P)` has op 'sizeof...'."""

    __slots__ = ("type", "op", "coord", "__weakref__")
    attr_names = ("op",)

    def __init__(self, type: Operand, op: str, coord: Span) -> None:
        self.type = type
        self.op = op
        self.coord = coord

    def children(self) -> Children:
        return (("type", self.type),)


class Lambda(Expr):
    """default_capture '' | '=' | '&'; body: parsed eagerly. template: the parameters of `[]<int N>(…)
    {…}`; None for a lambda that is no template.
    """

    __slots__ = (
        "captures",
        "template",
        "params",
        "return_type",
        "body",
        "default_capture",
        "specifiers",
        "coord",
        "__weakref__",
    )
    attr_names = (
        "default_capture",
        "specifiers",
    )

    def __init__(
        self,
        captures: list[Capture],
        template: list[TemplateParam] | None,
        params: ParamList | None,
        return_type: TypeNode | None,
        body: Compound,
        default_capture: str,
        specifiers: list[str],
        coord: Span,
    ) -> None:
        self.captures = captures
        self.template = template
        self.params = params
        self.return_type = return_type
        self.body = body
        self.default_capture = default_capture
        self.specifiers = specifiers
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        found += [(f"captures[{i}]", one) for i, one in enumerate(self.captures)]
        found += [(f"template[{i}]", one) for i, one in enumerate(self.template or ())]
        if self.params is not None:
            found.append(("params", self.params))
        if self.return_type is not None:
            found.append(("return_type", self.return_type))
        found.append(("body", self.body))
        return tuple(found)


class Capture(Node):
    """name 'this' for this."""

    __slots__ = ("init", "name", "by_reference", "coord", "__weakref__")
    attr_names = (
        "name",
        "by_reference",
    )

    def __init__(self, init: Expr | None, name: str, by_reference: bool, coord: Span) -> None:
        self.init = init
        self.name = name
        self.by_reference = by_reference
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        if self.init is not None:
            found.append(("init", self.init))
        return tuple(found)


class KernelLaunch(Expr):
    """`callee<<<config…>>>(args…)`; config: 2–4 expressions."""

    __slots__ = ("callee", "config", "args", "coord", "__weakref__")

    def __init__(
        self, callee: Expr, config: list[Operand], args: list[Operand], coord: Span
    ) -> None:
        self.callee = callee
        self.config = config
        self.args = args
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        found.append(("callee", self.callee))
        found += [(f"config[{i}]", one) for i, one in enumerate(self.config)]
        found += [(f"args[{i}]", one) for i, one in enumerate(self.args)]
        return tuple(found)


class FoldExpr(Expr):
    """`(pack op …)`, `(… op pack)`, `(init op … op pack)`."""

    __slots__ = ("left", "right", "op", "coord", "__weakref__")
    attr_names = ("op",)

    def __init__(self, left: Expr | None, right: Expr | None, op: str, coord: Span) -> None:
        self.left = left
        self.right = right
        self.op = op
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        if self.left is not None:
            found.append(("left", self.left))
        if self.right is not None:
            found.append(("right", self.right))
        return tuple(found)


class NewExpr(Expr):
    """`new T(args)`, `new T[size]`, `new (placement) T`."""

    __slots__ = ("type", "args", "size", "placement", "coord", "__weakref__")

    def __init__(
        self,
        type: Typename,
        args: list[Operand] | None,
        size: Expr | None,
        coord: Span,
        *,
        placement: list[Operand] | None = None,
    ) -> None:
        self.type = type
        self.args = args
        self.size = size
        self.placement = placement
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        found.append(("type", self.type))
        found += [(f"args[{i}]", one) for i, one in enumerate(self.args or ())]
        if self.size is not None:
            found.append(("size", self.size))
        found += [(f"placement[{i}]", one) for i, one in enumerate(self.placement or ())]
        return tuple(found)


class DeleteExpr(Expr):
    """`delete e`."""

    __slots__ = ("expr", "is_array", "coord", "__weakref__")
    attr_names = ("is_array",)

    def __init__(self, expr: Expr, is_array: bool, coord: Span) -> None:
        self.expr = expr
        self.is_array = is_array
        self.coord = coord

    def children(self) -> Children:
        return (("expr", self.expr),)


class ThrowExpr(Expr):
    """`throw e`."""

    __slots__ = ("expr", "coord", "__weakref__")

    def __init__(self, expr: Expr | None, coord: Span) -> None:
        self.expr = expr
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        if self.expr is not None:
            found.append(("expr", self.expr))
        return tuple(found)


class StatementExpr(Expr):
    """GNU `({ … })`."""

    __slots__ = ("body", "coord", "__weakref__")

    def __init__(self, body: Compound, coord: Span) -> None:
        self.body = body
        self.coord = coord

    def children(self) -> Children:
        return (("body", self.body),)


class RequiresExpr(Expr):
    """`requires (T x) { … }`."""

    __slots__ = ("params", "requirements", "coord", "__weakref__")

    def __init__(
        self, params: ParamList | None, requirements: list[Requirement], coord: Span
    ) -> None:
        self.params = params
        self.requirements = requirements
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        if self.params is not None:
            found.append(("params", self.params))
        found += [(f"requirements[{i}]", one) for i, one in enumerate(self.requirements)]
        return tuple(found)


class Requirement(Node):
    """kind 'expression' (`e;`, `{ e } -> concept;`), 'type' (`typename T::x;`: what is a Typename),
    'nested' (`requires e;`), 'unread'; result: the concept that the expression's type satisfies.
    """

    __slots__ = ("what", "result", "kind", "coord", "__weakref__")
    attr_names = ("kind",)

    def __init__(self, what: Operand | None, result: Name | None, kind: str, coord: Span) -> None:
        self.what = what
        self.result = result
        self.kind = kind
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        if self.what is not None:
            found.append(("what", self.what))
        if self.result is not None:
            found.append(("result", self.result))
        return tuple(found)


class TypeTrait(Expr):
    """`__is_same(T, U)`, `noexcept(e)`, `typeid(T)`: opaque unless known."""

    __slots__ = ("args", "name", "coord", "__weakref__")
    attr_names = ("name",)

    def __init__(self, args: list[Operand], name: str, coord: Span) -> None:
        self.args = args
        self.name = name
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        found += [(f"args[{i}]", one) for i, one in enumerate(self.args)]
        return tuple(found)


class Compound(Stmt):
    """`{ … }`."""

    __slots__ = ("block_items", "coord", "__weakref__")

    def __init__(self, block_items: list[Stmt], coord: Span) -> None:
        self.block_items = block_items
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        found += [(f"block_items[{i}]", one) for i, one in enumerate(self.block_items)]
        return tuple(found)


class If(Stmt):
    """`if (cond) iftrue else iffalse`. A condition of `if`, `while` and `switch` may be a Decl."""

    __slots__ = ("cond", "iftrue", "iffalse", "coord", "__weakref__")

    def __init__(self, cond: Stmt, iftrue: Stmt, iffalse: Stmt | None, coord: Span) -> None:
        self.cond = cond
        self.iftrue = iftrue
        self.iffalse = iffalse
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        found.append(("cond", self.cond))
        found.append(("iftrue", self.iftrue))
        if self.iffalse is not None:
            found.append(("iffalse", self.iffalse))
        return tuple(found)


class Conditional(Stmt):
    """`if constexpr (…)`, `if (init; cond)`, `if (T x = e)`. A plain `if` is an If."""

    __slots__ = ("init", "cond", "iftrue", "iffalse", "is_constexpr", "coord", "__weakref__")
    attr_names = ("is_constexpr",)

    def __init__(
        self,
        init: Stmt | None,
        cond: Stmt,
        iftrue: Stmt,
        iffalse: Stmt | None,
        is_constexpr: bool,
        coord: Span,
    ) -> None:
        self.init = init
        self.cond = cond
        self.iftrue = iftrue
        self.iffalse = iffalse
        self.is_constexpr = is_constexpr
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        if self.init is not None:
            found.append(("init", self.init))
        found.append(("cond", self.cond))
        found.append(("iftrue", self.iftrue))
        if self.iffalse is not None:
            found.append(("iffalse", self.iffalse))
        return tuple(found)


class For(Stmt):
    """`for (init; cond; next) stmt`."""

    __slots__ = ("init", "cond", "next", "stmt", "coord", "__weakref__")

    def __init__(
        self, init: Stmt | None, cond: Stmt | None, next: Expr | None, stmt: Stmt, coord: Span
    ) -> None:
        self.init = init
        self.cond = cond
        self.next = next
        self.stmt = stmt
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        if self.init is not None:
            found.append(("init", self.init))
        if self.cond is not None:
            found.append(("cond", self.cond))
        if self.next is not None:
            found.append(("next", self.next))
        found.append(("stmt", self.stmt))
        return tuple(found)


class RangeFor(Stmt):
    """`for (init; decl : range) stmt`; decl: Decl or StructuredBinding."""

    __slots__ = ("init", "decl", "range", "stmt", "coord", "__weakref__")

    def __init__(
        self, init: Stmt | None, decl: Declaration, range: Expr, stmt: Stmt, coord: Span
    ) -> None:
        self.init = init
        self.decl = decl
        self.range = range
        self.stmt = stmt
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        if self.init is not None:
            found.append(("init", self.init))
        found.append(("decl", self.decl))
        found.append(("range", self.range))
        found.append(("stmt", self.stmt))
        return tuple(found)


class While(Stmt):
    """`while (cond) stmt`."""

    __slots__ = ("cond", "stmt", "coord", "__weakref__")

    def __init__(self, cond: Stmt, stmt: Stmt, coord: Span) -> None:
        self.cond = cond
        self.stmt = stmt
        self.coord = coord

    def children(self) -> Children:
        return (
            ("cond", self.cond),
            ("stmt", self.stmt),
        )


class DoWhile(Stmt):
    """`do stmt while (cond);`"""

    __slots__ = ("cond", "stmt", "coord", "__weakref__")

    def __init__(self, cond: Expr, stmt: Stmt, coord: Span) -> None:
        self.cond = cond
        self.stmt = stmt
        self.coord = coord

    def children(self) -> Children:
        return (
            ("cond", self.cond),
            ("stmt", self.stmt),
        )


class Switch(Stmt):
    """`switch (cond) stmt`."""

    __slots__ = ("cond", "stmt", "coord", "__weakref__")

    def __init__(self, cond: Stmt, stmt: Stmt, coord: Span) -> None:
        self.cond = cond
        self.stmt = stmt
        self.coord = coord

    def children(self) -> Children:
        return (
            ("cond", self.cond),
            ("stmt", self.stmt),
        )


class Case(Stmt):
    """`case expr:` or `case expr ... last:`, and the statements up to the next label."""

    __slots__ = ("expr", "stmts", "last", "coord", "__weakref__")

    def __init__(
        self, expr: Expr, stmts: list[Stmt], coord: Span, *, last: Expr | None = None
    ) -> None:
        self.expr = expr
        self.stmts = stmts
        self.last = last
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        found.append(("expr", self.expr))
        found += [(f"stmts[{i}]", one) for i, one in enumerate(self.stmts)]
        if self.last is not None:
            found.append(("last", self.last))
        return tuple(found)


class Default(Stmt):
    """`default:` and the statements up to the next label."""

    __slots__ = ("stmts", "coord", "__weakref__")

    def __init__(self, stmts: list[Stmt], coord: Span) -> None:
        self.stmts = stmts
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        found += [(f"stmts[{i}]", one) for i, one in enumerate(self.stmts)]
        return tuple(found)


class Break(Stmt):
    """`break;`"""

    __slots__ = ("coord", "__weakref__")

    def __init__(self, coord: Span) -> None:
        self.coord = coord


class Continue(Stmt):
    """`continue;`"""

    __slots__ = ("coord", "__weakref__")

    def __init__(self, coord: Span) -> None:
        self.coord = coord


class Return(Stmt):
    """`return expr;`"""

    __slots__ = ("expr", "coord", "__weakref__")

    def __init__(self, expr: Expr | None, coord: Span) -> None:
        self.expr = expr
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        if self.expr is not None:
            found.append(("expr", self.expr))
        return tuple(found)


class Goto(Stmt):
    """`goto name;`"""

    __slots__ = ("name", "coord", "__weakref__")
    attr_names = ("name",)

    def __init__(self, name: str, coord: Span) -> None:
        self.name = name
        self.coord = coord


class Label(Stmt):
    """`name: stmt`."""

    __slots__ = ("name", "stmt", "coord", "__weakref__")
    attr_names = ("name",)

    def __init__(self, name: str, stmt: Stmt, coord: Span) -> None:
        self.name = name
        self.stmt = stmt
        self.coord = coord

    def children(self) -> Children:
        return (("stmt", self.stmt),)


class EmptyStatement(Declaration):
    """`;`, also where a declaration is wanted."""

    __slots__ = ("coord", "__weakref__")

    def __init__(self, coord: Span) -> None:
        self.coord = coord


class Asm(Declaration):
    """Inline assembly, also where a declaration is wanted; template: the concatenated, unescaped
    string; braces: the form `asm volatile { … }`; jumps: to the labels of `asm goto`.
    """

    __slots__ = (
        "outputs",
        "inputs",
        "jumps",
        "template",
        "volatile",
        "clobbers",
        "braces",
        "coord",
        "__weakref__",
    )
    attr_names = (
        "template",
        "volatile",
        "clobbers",
        "braces",
    )

    def __init__(
        self,
        outputs: list[AsmOperand],
        inputs: list[AsmOperand],
        jumps: list[Goto],
        template: str,
        volatile: bool,
        clobbers: list[str],
        braces: bool,
        coord: Span,
    ) -> None:
        self.outputs = outputs
        self.inputs = inputs
        self.jumps = jumps
        self.template = template
        self.volatile = volatile
        self.clobbers = clobbers
        self.braces = braces
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        found += [(f"outputs[{i}]", one) for i, one in enumerate(self.outputs)]
        found += [(f"inputs[{i}]", one) for i, one in enumerate(self.inputs)]
        found += [(f"jumps[{i}]", one) for i, one in enumerate(self.jumps)]
        return tuple(found)


class AsmOperand(Node):
    """`[symbol] "constraint"(expr)`."""

    __slots__ = ("expr", "constraint", "symbol", "coord", "__weakref__")
    attr_names = (
        "constraint",
        "symbol",
    )

    def __init__(self, expr: Expr, constraint: str, symbol: str, coord: Span) -> None:
        self.expr = expr
        self.constraint = constraint
        self.symbol = symbol
        self.coord = coord

    def children(self) -> Children:
        return (("expr", self.expr),)


class Try(Stmt):
    """`try { } catch … { }`."""

    __slots__ = ("body", "handlers", "coord", "__weakref__")

    def __init__(self, body: Compound, handlers: list[Compound], coord: Span) -> None:
        self.body = body
        self.handlers = handlers
        self.coord = coord

    def children(self) -> Children:
        found: list[tuple[str, Node]] = []
        found.append(("body", self.body))
        found += [(f"handlers[{i}]", one) for i, one in enumerate(self.handlers)]
        return tuple(found)


class Attributed(Stmt):
    """`[[likely]] stmt`."""

    __slots__ = ("stmt", "names", "coord", "__weakref__")
    attr_names = ("names",)

    def __init__(self, stmt: Stmt, names: list[str], coord: Span) -> None:
        self.stmt = stmt
        self.names = names
        self.coord = coord

    def children(self) -> Children:
        return (("stmt", self.stmt),)


Operand = Expr | TypeNode  # what templates, calls and `sizeof` take
Parameter = Decl | Typename | EllipsisParam
