"""What an expression means while it is lowered: values (scalars, aggregates, functions) and places
(things that can be assigned).

In: types and IR expressions. Out: plain records that the lowering modules hand to each other. Never
emits IR and never looks at syntax, except for opaque handles to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kernlint.base.dataclass import dataclass, field
from kernlint.ir.nodes import BoundedIndex, Constant, Expression, Variable
from kernlint.ir.types import SourceAlignment, Type
from kernlint.source.parser import tree

if TYPE_CHECKING:
    from kernlint.lowering.scopes import FunctionEntity, Scope


@dataclass(frozen=True, slots=True)
class Qualified:
    """A type as declared: qualifiers and reference kind ("", "&", "&&") beside the type itself."""

    type: Type
    const: bool = False
    volatile: bool = False
    reference: str = ""
    space: str = ""


@dataclass(frozen=True, slots=True)
class FunctionType(Type):
    """The type of a function, pointer to function or lambda; never laid out in memory.
    `definition`: the function or closure itself."""

    name: str = "function"
    definition: Any = None

    @property
    def size(self) -> int | None:
        return 8

    @property
    def align(self) -> int:
        return 8

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class AutoPlaceholder(Type):
    """`auto` before its initialiser is seen. `keeps_reference`: `decltype(auto)`."""

    keeps_reference: bool = False


# ------------------------------------------------------------------ values


@dataclass(slots=True, eq=False)
class Scalar:
    expression: Expression

    @property
    def type(self) -> Type:
        return self.expression.type


@dataclass(slots=True, eq=False)
class Aggregate:
    """A struct, vector or array by value: an expression per scalar leaf by byte offset; `statics`
    hold leaves that are no expressions."""

    type: Type
    leaves: dict[int, Expression]
    statics: dict[int, Value] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class FunctionRef:
    """A function or overload set by name; `this` when named through an object; `arguments` are
    explicit template arguments (syntax)."""

    overloads: tuple[FunctionEntity, ...]
    name: str
    arguments: tuple[tree.Operand, ...] | None = None
    arguments_scope: Scope | None = None
    this: Value | None = None
    type: Type = field(default_factory=FunctionType)


@dataclass(slots=True, eq=False)
class Closure:
    """A lambda: its syntax and the scope that holds its captures. `is_one`: no other run of the
    same code captures other values in the same variables."""

    node: tree.Lambda
    scope: Any  # a Scope, which stands on values
    this: Value | None
    type: Type = field(default_factory=lambda: FunctionType("lambda"))
    is_one: bool = True


@dataclass(slots=True, eq=False)
class PlacePointer:
    """A pointer whose target is known while lowering (`&x`): followed without touching memory."""

    type: Type
    place: Value


@dataclass(slots=True, eq=False)
class BracedList:
    """`{…}` before its target type is known."""

    items: tuple[tree.Operand, ...]
    node: tree.Node
    type: Type = field(default_factory=AutoPlaceholder)


# ------------------------------------------------------------------ places


@dataclass(slots=True, eq=False)
class VariablePlace:
    variable: Variable
    key: int = 0  # the declaration, for moving it to memory when its address escapes

    @property
    def type(self) -> Type:
        return self.variable.type


@dataclass(slots=True, eq=False)
class SplitPlace:
    """An aggregate held in one variable per scalar leaf. `base` is where this (sub)object starts in
    `leaves`."""

    type: Type
    leaves: dict[int, Variable]
    statics: dict[int, Value] = field(default_factory=dict)
    base: int = 0
    key: int = 0


@dataclass(slots=True, eq=False)
class MemoryPlace:
    type: Type
    address: Expression
    volatile: bool = False
    bits: tuple[int, int] | None = None  # (first bit, width) of a bit-field
    align: int = 0  # what a packed class leaves of the type's own alignment; 0: all of it
    told: SourceAlignment | None = None  # of a part of a class
    subscripts: tuple[BoundedIndex, ...] = ()
    atomic: bool = False  # what an atomic object holds, for the threads of all blocks
    in_header: bool = False  # accessed by functions of the toolkit's headers


@dataclass(slots=True, eq=False)
class ConstantPlace:
    value: Constant

    @property
    def type(self) -> Type:
        return self.value.type


@dataclass(slots=True, eq=False)
class StaticPlace:
    """A name bound to a value that lowering follows itself (function, lambda, pointer to a local);
    assigned at most once."""

    value: Value
    key: int = 0

    @property
    def type(self) -> Type:
        return self.value.type


@dataclass(slots=True, eq=False)
class SwizzlePlace:
    """Several components of a vector: `v.xy`, `v.lo`; `offsets` into the vector's leaves."""

    type: Type
    base: Value
    offsets: tuple[int, ...]


@dataclass(slots=True, eq=False)
class PunPlace:
    """A place read as another type (`*(int *)&f`)."""

    type: Type
    place: Value


@dataclass(slots=True, eq=False)
class OpaquePlace:
    """Something kernlint does not model (an element of std::vector): reads are unknown, writes are
    not followed."""

    type: Type
    reason: str
    what: str = ""
    operands: tuple[Expression, ...] = ()  # what decides which it is


Value = (
    Scalar | Aggregate | FunctionRef | Closure | PlacePointer | BracedList
    | VariablePlace | SplitPlace | MemoryPlace | ConstantPlace | StaticPlace | SwizzlePlace | PunPlace | OpaquePlace
)  # fmt: skip
Place = (
    VariablePlace
    | SplitPlace
    | MemoryPlace
    | ConstantPlace
    | StaticPlace
    | SwizzlePlace
    | PunPlace
    | OpaquePlace
)
STATIC_VALUES = (FunctionRef, Closure, PlacePointer)
PLACES = (
    VariablePlace,
    SplitPlace,
    MemoryPlace,
    ConstantPlace,
    StaticPlace,
    SwizzlePlace,
    PunPlace,
    OpaquePlace,
)


def qualified(place: Value, volatile: bool) -> Value:
    """The place as something accesses it that is declared volatile, or not."""
    if isinstance(place, MemoryPlace) and place.volatile != volatile:
        return MemoryPlace(place.type, place.address, volatile, place.bits, place.align)
    return place


def is_volatile(value: Value) -> bool:
    return isinstance(value, MemoryPlace) and value.volatile
