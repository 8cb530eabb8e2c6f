"""Names and what they stand for: scopes (global, namespace, class, template, block) and entities.

In: declarations found by `declare.py` and bindings made while lowering. Out: look-ups. Never lowers
anything itself.
"""

from __future__ import annotations

from kernlint.base.dataclass import dataclass, field, replace
from kernlint.base.span import Span
from kernlint.ir.types import Record, Type
from kernlint.lowering.expressions.values import Aggregate, Qualified, Value
from kernlint.lowering.usage import walk
from kernlint.source.parser import tree


@dataclass(slots=True, eq=False)
class Scope:
    """`kind`: namespace | class | template | block. `using`: scopes whose names are visible here
    (using namespace, bases, inline). `hidden`: the one name that is not looked up here."""

    parent: Scope | None
    kind: str = "block"
    name: str = ""
    names: dict[str, Entity] = field(default_factory=dict)
    using: list[Scope] = field(default_factory=list)
    owner: ClassInfo | None = None
    hidden: str | None = None

    def member(self, name: str, seen: frozenset[int] = frozenset()) -> Entity | None:
        """The entity declared in this very scope (or one it draws in), not in enclosing ones."""
        found = self.names.get(name) if name != self.hidden else None
        if found is not None or not self.using or id(self) in seen:
            return found
        for other in self.using:
            found = _together(found, other.member(name, seen | {id(self)}))
            if found is not None and not isinstance(found, FunctionSet):
                return found
        return found

    def find(self, name: str) -> Entity | None:
        """Unqualified look-up, innermost first; function overloads of enclosing namespaces do not
        merge (as in C++)."""
        scope: Scope | None = self
        while scope is not None:
            found = scope.names.get(name) if name != scope.hidden else None
            if found is None and scope.using:
                found = scope.member(name)
            if found is not None:
                return found
            scope = scope.parent
        return None

    def outermost(self) -> Scope:
        """The global namespace."""
        return self if self.parent is None else self.parent.outermost()

    def before(self, name: str, type_: tree.Node) -> Scope:
        """Where the type of an alias is looked up: it is not declared yet in its own type (`using T
        = T<int>;`, [basic.scope.pdecl])."""
        for node in walk(type_):
            if isinstance(node, (tree.ID, tree.TemplateId)) and node.name == name:
                return replace(self, hidden=name)
            if isinstance(node, tree.IdentifierType) and name in node.names:
                return replace(self, hidden=name)
        return self

    def qualifier(self) -> str:
        """The namespaces and classes around, as "a::b::" or ""."""
        parts: list[str] = []
        scope: Scope | None = self
        while scope is not None:
            if scope.kind in ("namespace", "class") and scope.name:
                parts.append(scope.name)
            scope = scope.parent
        return "".join(f"{part}::" for part in reversed(parts))


@dataclass(slots=True, eq=False)
class NamespaceEntity:
    scope: Scope


@dataclass(slots=True, eq=False)
class MissingNamespace:
    """What `namespace a = b::c;` names where no file seen has a namespace `b::c`."""

    path: tuple[str, ...]


@dataclass(slots=True, eq=False)
class TypeEntity:
    """A type known by name, or (`node`) one still to be resolved in `scope` (typedef, using, class,
    enum)."""

    node: tree.TypeNode | tree.Typedef | None
    scope: Scope
    resolved: Qualified | None = None


@dataclass(slots=True, eq=False)
class ClassTemplate:
    """A class template: primary definition, partial and full specialisations (parameters, argument
    patterns, definition), instances."""

    name: str
    parameters: tuple[tree.TemplateParam, ...]
    node: tree.ClassDef | None
    scope: Scope
    specialisations: list[
        tuple[tuple[tree.TemplateParam, ...], tuple[tree.Operand, ...], tree.ClassDef, Scope]
    ] = field(default_factory=list)
    instances: dict[tuple[object, ...], Type] = field(default_factory=dict)
    # deduction guides, as functions that return the class
    guides: list[FunctionEntity] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class AliasTemplate:
    name: str
    parameters: tuple[tree.TemplateParam, ...]
    node: tree.TypeNode | None
    scope: Scope


@dataclass(slots=True, eq=False)
class FunctionEntity:
    """One function or function template. `owner`: the class of a method. `definition` replaces a
    mere declaration once seen. `class_node`: of a method of host code, run for no known object."""

    name: str
    node: tree.Function
    scope: Scope
    # template parameters; None for a plain function
    parameters: tuple[tree.TemplateParam, ...] | None = None
    owner: ClassInfo | None = None
    specialisations: list[tuple[tuple[tree.Operand, ...], tree.Function, Scope]] = field(
        default_factory=list
    )
    bound: tuple[object, ...] = ()
    # parameters' types by position, as far as asked for
    taken: dict[int, Qualified] = field(default_factory=dict)
    class_node: tree.ClassDef | None = None

    @property
    def is_static(self) -> bool:
        return "static" in self.node.specifiers

    def body(self) -> tree.Compound:
        """The statements of one that is defined; raises SourceError where they cannot be read."""
        assert self.node.lazy_body is not None
        return self.node.lazy_body.parse()


@dataclass(slots=True, eq=False)
class FunctionSet:
    """`shapes`: the positions of those with one signature (`declare.signature`)."""

    overloads: list[FunctionEntity]
    shapes: dict[object, list[int]]


def _together(first: Entity | None, other: Entity | None) -> Entity | None:
    """What a name stands for that two scopes declare: the functions of both are overloads of one
    another."""
    if first is None or not isinstance(first, FunctionSet) or not isinstance(other, FunctionSet):
        return first or other
    more = [one for one in other.overloads if one not in first.overloads]
    return FunctionSet([*first.overloads, *more], {}) if more else first


@dataclass(slots=True, eq=False)
class GlobalVariable:
    """A namespace-scope variable or static data member; its place is made when first used."""

    node: tree.Decl
    scope: Scope


@dataclass(slots=True, eq=False)
class VariableTemplate:
    name: str
    parameters: tuple[tree.TemplateParam, ...]
    node: tree.Decl
    scope: Scope
    specialisations: list[
        tuple[tuple[tree.TemplateParam, ...], tuple[tree.Operand, ...], tree.Decl, Scope]
    ] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class FieldEntity:
    """A non-static data member named inside its class, the `owner`."""

    name: str
    owner: ClassInfo | None = None


@dataclass(slots=True, eq=False)
class Binding:
    """A local name bound to a value or place. `constant`: what it means in constant expressions,
    where that is an object of known numbers."""

    value: Value
    span: Span | None = None
    declaration: tree.Node | None = None
    constant: Aggregate | None = None


@dataclass(slots=True, eq=False)
class PackEntity:
    """A parameter pack: the entities of its elements."""

    items: tuple[Entity, ...]


@dataclass(slots=True, eq=False)
class EnumEntity:
    """An enumerator still to be evaluated: its enumeration and position."""

    node: tree.Enum
    scope: Scope
    name: str


Entity = (
    NamespaceEntity | TypeEntity | ClassTemplate | AliasTemplate | FunctionSet | GlobalVariable | VariableTemplate
    | FieldEntity | Binding | PackEntity | EnumEntity | MissingNamespace
)  # fmt: skip


@dataclass(slots=True, eq=False)
class ClassInfo:
    """A class being or having been laid out: `record` is set when complete. `arguments`: template
    arguments of an instance."""

    name: str
    node: tree.ClassDef
    scope: Scope
    record: Record | None = None
    template: ClassTemplate | None = None
    arguments: tuple[object, ...] = ()
    bases: list[tuple[Type, int]] = field(default_factory=list)
    defaults: dict[str, tree.Expr] = field(default_factory=dict)  # default member initialisers
    references: dict[str, Qualified] = field(default_factory=dict)  # data members of reference type
    # bit-fields: first bit in its unit, width
    bits: dict[str, tuple[int, int]] = field(default_factory=dict)
    constructors: list[FunctionEntity] = field(default_factory=list)
    destructor: tree.Function | None = None
    conversions: list[FunctionEntity] = field(default_factory=list)
    occupied: int = 0  # bytes up to the end of its last member, without the padding behind it
    is_packed: bool = False
    # whether members say how they are copied (`copying`); None: not looked at yet
    copied_apart: bool | None = None
    has_table: bool = False  # objects begin with a pointer to the table of virtual functions

    def node_name(self) -> str:
        """The class's own name as its constructors spell it."""
        name = self.node.name
        if isinstance(name, tree.TemplateId):
            return name.name
        return name if isinstance(name, str) else ""


@dataclass(frozen=True, slots=True)
class IncompleteRecord(Type):
    """A class named inside its own definition, or only declared."""

    name: str
    definition: ClassInfo | None = None

    def __str__(self) -> str:
        return self.name
