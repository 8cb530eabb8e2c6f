"""The syntax tree: pycparser's `c_ast`, extended by subclasses for C++, CUDA and OpenCL.

Every node's `coord` is a `Span`. Plain C constructs use pycparser's own classes (Decl, TypeDecl,
PtrDecl, ArrayDecl, FuncDecl, ParamList, IdentifierType, Typename, ID, Constant, BinaryOp, UnaryOp,
TernaryOp, Assignment, Cast, ArrayRef, StructRef, FuncCall, ExprList, InitList, NamedInitializer,
Compound, If, For, While, DoWhile, Switch, Case, Default, Break, Continue, Return, Goto, Label,
EmptyStatement, Enum, Enumerator, EnumeratorList, Typedef, Pragma, StaticAssert).

Conventions:
- UnaryOp.op: "-" "+" "!" "~" "*" "&" "++" "--" (prefix), "p++" "p--" (postfix), "sizeof", "alignof".
- Constant.type: "int" (value: the literal's text, suffix and digit separators kept), "float", "char", "string", "bool", "nullptr".
- Case/Default hold the statements up to the next label in `stmts`, as pycparser does.
- Decl.quals: const volatile restrict; Decl.storage: static extern constexpr inline typedef mutable register thread_local;
  Decl.funcspec: every other specifier as spelled: __global__ __device__ __host__ __shared__ __constant__ __managed__
  __forceinline__ __noinline__ inline virtual explicit, OpenCL __kernel __local __global __constant __private (with or
  without underscores: normalised to the underscored form).
  Decl.funcspec holds "packed" for a member with `__attribute__((packed))`.
  Decl.align: list of expressions from __align__(n) / alignas(n) / __attribute__((aligned(n))).
- OpenCL address spaces on a pointer's pointee stand in the quals of the TypeDecl/PtrDecl they qualify ("__local" …).
- `x.f` and `p->f` are StructRef(name=expr, type="." or "->", field=ID or TemplateId).
- `#pragma` before a loop is a Pragma node in the enclosing Compound, directly before the loop.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from pycparser import c_ast

Node = c_ast.Node


class _Extended(c_ast.Node):
    """Base of all extension nodes: `fields` lists child-bearing attributes, `attr_names` plain
    ones, in constructor order."""

    __slots__ = ("__weakref__", "coord")
    fields: ClassVar[tuple[str, ...]] = ()
    attr_names: ClassVar[tuple[str, ...]] = ()

    def __init__(self, *values: Any, coord: Any = None, **named: Any) -> None:
        names = self.fields + self.attr_names
        if len(values) > len(names):
            raise TypeError(f"{type(self).__name__} takes {len(names)} values")
        for name in names:
            setattr(self, name, None)
        for name, value in zip(names, values, strict=False):
            setattr(self, name, value)
        for name, value in named.items():
            setattr(self, name, value)
        self.coord = coord

    def children(self) -> tuple[tuple[str, Any], ...]:
        found: list[tuple[str, Any]] = []
        for name in self.fields:
            value = getattr(self, name)
            if isinstance(value, (list, tuple)):
                found += [
                    (f"{name}[{i}]", v) for i, v in enumerate(value) if isinstance(v, c_ast.Node)
                ]
            elif isinstance(value, c_ast.Node):
                found.append((name, value))
        return tuple(found)

    def __iter__(self) -> Iterator[Any]:
        return iter(child for _, child in self.children())


def _node(name: str, fields: str = "", attributes: str = "", doc: str = "") -> Any:
    slots = tuple(fields.split()) + tuple(attributes.split())
    return type(
        name,
        (_Extended,),
        {
            "__slots__": slots,
            "fields": tuple(fields.split()),
            "attr_names": tuple(attributes.split()),
            "__doc__": doc,
            "__module__": __name__,
        },
    )


# names
TemplateId = _node(
    "TemplateId",
    "args",
    "name",
    "`name<args…>`; args: Typename, expression nodes or PackExpansion.",
)
QualifiedName = _node(
    "QualifiedName",
    "parts",
    "is_global",
    "`a::b<…>::c`; parts: ID, TemplateId or DecltypeType; is_global: leading `::`.",
)
OperatorName = _node(
    "OperatorName",
    "type",
    "op",
    "`operator+` (op) or conversion `operator T` (op='', type=Typename).",
)
DestructorName = _node("DestructorName", "", "name", "`~name`.")

# types
NameType = _node(
    "NameType",
    "name",
    "",
    "A type named by TemplateId or QualifiedName (a plain identifier is an IdentifierType).",
)
AutoType = _node("AutoType", "", "", "`auto` (also `decltype(auto)`).")
DecltypeType = _node("DecltypeType", "expr", "", "`decltype(expr)` / `typeof(expr)`.")
RefDecl = _node(
    "RefDecl", "type", "rvalue", "Reference declarator, nested like PtrDecl; rvalue: `&&`."
)
MemberPtrDecl = _node("MemberPtrDecl", "type owner", "", "`T C::*`.")
PackExpansion = _node(
    "PackExpansion", "pattern", "", "`pattern...` in expressions, types and template arguments."
)

# declarations
ClassDef = _node(
    "ClassDef",
    "bases members",
    "kind name align_exprs is_packed pack",
    "`struct|class|union` with a body; name: str, TemplateId (partial specialisation) or None; bases: type nodes; members: Decl, "
    "Function, ClassDef, Enum, Using, Typedef, TemplateDecl, AccessLabel. align_exprs: list of expressions; is_packed: "
    "`__attribute__((packed))`; pack: n of the `#pragma pack(n)` in force, or None.",
)
ElaboratedType = _node(
    "ElaboratedType",
    "name",
    "kind",
    "`struct S` / `class S` / `enum E` / `union U` without a body, used as a type; name: ID or QualifiedName.",
)
AccessLabel = _node("AccessLabel", "", "access", "`public:` …")
Function = _node(
    "Function",
    "name type initializers",
    "specifiers quals lazy_body attributes trailing",
    "A function, method, constructor or conversion operator. name: ID, QualifiedName (out-of-class member), OperatorName, TemplateId "
    "(explicit specialisation), DestructorName; type: FuncDecl (its `type` is the return type, None for constructors); specifiers: list "
    "as in Decl.storage + Decl.funcspec; quals: trailing const etc., default, delete; initializers: list of MemberInit (constructors); "
    "attributes: list of (name, [arg expressions]) such as ('launch_bounds', […]), ('reqd_work_group_size', […]), ('aligned', […]); "
    "lazy_body: object with `.parse() -> Compound` (memoised; raises SourceError), or None for a mere declaration.",
)
MemberInit = _node(
    "MemberInit",
    "name args",
    "",
    "`name(args)` or `name{args}` in a constructor's initialiser list.",
)
TemplateDecl = _node(
    "TemplateDecl",
    "params decl",
    "is_explicit_specialization is_explicit_instantiation is_instantiation_declaration",
    "`template <params> decl`; params empty for `template <>`, `template f<1>(…);` and `extern template f<1>(…);`, which says that "
    "another file has the instantiation.",
)
TemplateParam = _node(
    "TemplateParam",
    "type default params",
    "kind name is_pack",
    "kind 'type' (type None), 'value' (type: type node), 'template' (params: inner parameters); default: Typename or expression or None.",
)
Namespace = _node(
    "Namespace",
    "decls",
    "name is_inline",
    "`namespace name { decls }`; name '' when anonymous; 'a::b' nested definitions are nested nodes.",
)
ExternBlock = _node("ExternBlock", "decls", "language", '`extern "C" { … }`.')
Using = _node(
    "Using",
    "name type",
    "alias is_namespace",
    "`using namespace N;` (name), `using N::x;` (name), `using A = T;` (alias, type).",
)
NamespaceAlias = _node("NamespaceAlias", "name", "alias", "`namespace a = b::c;`")
StructuredBinding = _node(
    "StructuredBinding",
    "init",
    "names quals reference",
    "`auto [a, b] = init;` names: list of str; reference: '' | '&' | '&&'.",
)
DeclGroup = _node(
    "DeclGroup",
    "decls",
    "",
    "Several declarators of one declaration: `int a, *b;` → DeclGroup([Decl, Decl]).",
)
Friend = _node("Friend", "decl", "", "`friend …` (opaque).")
ConstructorInit = _node(
    "ConstructorInit",
    "args",
    "braces",
    "Initialiser of `T x(args)` (braces False) or `T x{args}` (braces True), stands in Decl.init.",
)


class Enum(c_ast.Enum):
    """pycparser's Enum (name, values, underlying_type); is_scoped: `enum class`."""

    __slots__ = ("is_scoped",)

    is_scoped: bool


# expressions
This = _node("This", "", "", "`this`.")
NamedCast = _node(
    "NamedCast",
    "to_type expr",
    "kind",
    "`static_cast<T>(e)` etc.; kind 'static'|'reinterpret'|'const'|'dynamic'|'bit' ; to_type: Typename.",
)
Construct = _node(
    "Construct",
    "type args",
    "braces",
    "`T(args)` functional cast/constructor call, `T{args}` (braces True), and OpenCL `(float4)(a, b)` vector literals. type: Typename.",
)
SizeofType = _node(
    "SizeofType",
    "type",
    "op",
    "`sizeof(T)` / `alignof(T)`; type: Typename. (`sizeof expr` is UnaryOp.)  `sizeof...(P)` has op 'sizeof...'.",
)
Lambda = _node(
    "Lambda",
    "captures params return_type body",
    "default_capture specifiers",
    "captures: list of Capture; default_capture '' | '=' | '&'; params: ParamList or None; body: Compound (parsed eagerly).",
)
Capture = _node(
    "Capture", "init", "name by_reference", "name 'this' for this; init: expression or None."
)
KernelLaunch = _node(
    "KernelLaunch",
    "callee config args",
    "",
    "`callee<<<config…>>>(args…)`; config: list of 2–4 expressions; callee: ID/TemplateId/QualifiedName.",
)
FoldExpr = _node(
    "FoldExpr", "left right", "op", "`(pack op …)`, `(… op pack)`, `(init op … op pack)`."
)
NewExpr = _node(
    "NewExpr", "type args size placement", "", "`new T(args)`, `new T[size]`, `new (placement) T`."
)
DeleteExpr = _node("DeleteExpr", "expr", "is_array", "`delete e`.")
ThrowExpr = _node("ThrowExpr", "expr", "", "`throw e`.")
StatementExpr = _node("StatementExpr", "body", "", "GNU `({ … })`.")
TypeTrait = _node(
    "TypeTrait",
    "args",
    "name",
    "`__is_same(T, U)`, `noexcept(e)`, `typeid(T)`: opaque unless known.",
)

# statements
RangeFor = _node(
    "RangeFor",
    "init decl range stmt",
    "",
    "`for (init; decl : range) stmt`; decl: Decl or StructuredBinding; init may be None.",
)
Conditional = _node(
    "Conditional",
    "init cond iftrue iffalse",
    "is_constexpr",
    "`if constexpr (…)`, `if (init; cond)`, `if (T x = e)` (cond is a Decl). A plain `if` is c_ast.If. "
    "Likewise while/switch conditions may be a Decl.",
)
Asm = _node(
    "Asm",
    "outputs inputs",
    "template volatile clobbers braces",
    "Inline assembly; template: the concatenated, unescaped string; outputs/inputs: list of AsmOperand; "
    "braces: the form `asm volatile { … }`.",
)
AsmOperand = _node("AsmOperand", "expr", "constraint symbol", '`[symbol] "constraint"(expr)`.')
Try = _node("Try", "body handlers", "", "`try { } catch … { }`; handlers: list of Compound.")
Attributed = _node("Attributed", "stmt", "names", "`[[likely]] stmt`.")
