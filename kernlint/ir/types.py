"""The types of lowered code: sizes, alignments, signedness as nvcc on 64-bit Linux and OpenCL C
define them."""

from __future__ import annotations

from typing import Any

from kernlint.base.dataclass import dataclass, field


@dataclass(frozen=True, slots=True)
class Type:
    """Base of all types. `size` and `align` are in bytes; None where they cannot be known."""

    @property
    def size(self) -> int | None:
        return None

    @property
    def align(self) -> int:
        return 1


@dataclass(frozen=True, slots=True)
class Void(Type):
    def __str__(self) -> str:
        return "void"


@dataclass(frozen=True, slots=True)
class Integer(Type):
    """bool is Integer(8, False, "bool"): casts to it compare with zero. Enums are integers too.
    `name` is canonical ("unsigned int")."""

    bits: int
    signed: bool
    name: str

    @property
    def size(self) -> int:
        return self.bits // 8

    @property
    def align(self) -> int:
        return self.bits // 8

    @property
    def is_bool(self) -> bool:
        return self.name == "bool"

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Float(Type):
    bits: int
    name: str

    @property
    def size(self) -> int:
        return self.bits // 8

    @property
    def align(self) -> int:
        return self.bits // 8

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Pointer(Type):
    """`space`: "" when generic or not stated, else shared | global | constant | local (declared, as
    in OpenCL)."""

    pointee: Type
    space: str = ""
    const: bool = False
    restrict: bool = False
    volatile: bool = False

    @property
    def size(self) -> int:
        return 8

    @property
    def align(self) -> int:
        return 8

    def __str__(self) -> str:
        return f"{'const ' if self.const else ''}{self.pointee} *"


@dataclass(frozen=True, slots=True)
class Array(Type):
    element: Type
    count: int | None
    # lowering's expression of it where names that nothing seen defines decide it
    extent: Any = field(default=None, compare=False)

    @property
    def size(self) -> int | None:
        return (
            None
            if self.count is None or self.element.size is None
            else self.count * self.element.size
        )

    @property
    def align(self) -> int:
        return self.element.align

    def __str__(self) -> str:
        return f"{self.element}[{'' if self.count is None else self.count}]"


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    type: Type
    offset: int
    volatile: bool = False


@dataclass(frozen=True, slots=True)
class Record(Type):
    """struct, class, union, or built-in vector (`kind`). `definition` is lowering's handle to
    members and methods."""

    name: str
    kind: str
    fields: tuple[Field, ...]
    byte_size: int | None
    alignment: int
    definition: Any = None

    @property
    def size(self) -> int | None:
        return self.byte_size

    @property
    def align(self) -> int:
        return self.alignment

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Copying:
    """How nvcc copies a class. `by_bytes`: as bytes of its alignment, having gaps, members that are
    classes or arrays, or an alignment of its own; `uneven`: by members, that differ in size within
    a word (`{float a; short b; char c[2];}` takes three loads); `loose`: as bytes or by members,
    which makes a difference; `mixed`: surely not as bytes of its whole size: it has no gaps nor an
    alignment of its own, but members of several sizes, or bytes at the end that are no member's."""

    by_bytes: bool
    uneven: bool
    mixed: bool
    loose: bool


@dataclass(frozen=True, slots=True)
class SourceAlignment:
    """The alignment with which the source names a member (read in nvcc's machine code, 990
    kernels): that of the class (`align`), as far as the `offset` in it leaves it at each step, of
    members, and elements at constant indices (`left`); what is reached at any other index, also in
    a loop that is unrolled, or through a cast or a pointer to elements, has its own. `within`: the
    innermost class or array of scalars, its offset and name."""

    align: int
    left: int
    offset: int = 0
    within: tuple[int, str] = (0, "")
    in_union: bool = False

    def at(self, offset: int, part: str = "", in_union: bool = False) -> SourceAlignment:
        """Of a member or element so many bytes behind; `part`: its name where it has parts of its
        own."""
        end = self.offset + offset
        return SourceAlignment(
            self.align,
            lowest(self.left, offset),
            end,
            (end, part) if part else self.within,
            self.in_union or in_union,
        )

    @property
    def unsure(self) -> bool:
        """Whether less is left than the offset alone leaves, or a union may leave less."""
        return self.in_union or self.left < lowest(self.align, self.offset)


def lowest(align: int, offset: int) -> int:
    """The alignment so many bytes behind what is aligned."""
    return min(align, offset & -offset) if offset else align


@dataclass(frozen=True, slots=True)
class OpaqueType(Type):
    """A type that kernlint does not know (a missing header's class, an image). `byte_size` may be
    known (half: 2).

    `stands_in`: for a template argument that nobody gives, so that no declaration anywhere would
    tell what it is.
    """

    name: str
    byte_size: int | None = None
    stands_in: bool = False

    @property
    def size(self) -> int | None:
        return self.byte_size

    @property
    def align(self) -> int:
        return self.byte_size or 1

    def __str__(self) -> str:
        return self.name


VOID = Void()
BOOL = Integer(8, False, "bool")
CHAR = Integer(8, True, "char")
SCHAR = Integer(8, True, "signed char")
UCHAR = Integer(8, False, "unsigned char")
SHORT = Integer(16, True, "short")
USHORT = Integer(16, False, "unsigned short")
INT = Integer(32, True, "int")
UINT = Integer(32, False, "unsigned int")
LONG = Integer(64, True, "long")
ULONG = Integer(64, False, "unsigned long")
LONGLONG = Integer(64, True, "long long")
ULONGLONG = Integer(64, False, "unsigned long long")
HALF = Float(16, "__half")
FLOAT = Float(32, "float")
DOUBLE = Float(64, "double")


def type_bounds(type_: Type) -> tuple[int | None, int | None]:
    """The least and the greatest value of a type; None where there is no such end."""
    if isinstance(type_, Integer):
        if type_.is_bool:
            return 0, 1
        if type_.signed:
            return -(1 << (type_.bits - 1)), (1 << (type_.bits - 1)) - 1
        return 0, (1 << type_.bits) - 1
    return (0, None) if isinstance(type_, Pointer) else (None, None)
