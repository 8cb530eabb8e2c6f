"""What inline PTX consists of: operands and statements, as plain values. `ptx` makes them,
`ptx_meaning` and lowering read them."""

from __future__ import annotations

from kernlint.base.dataclass import dataclass

# ------------------------------------------------------------------ operands


@dataclass(frozen=True, slots=True)
class Reference:
    """`%0`, `%[name]`, `%a0`: an operand of the asm statement."""

    key: int | str


@dataclass(frozen=True, slots=True)
class Register:
    """A register or variable declared in the assembly, or the sink `_`."""

    name: str


@dataclass(frozen=True, slots=True)
class Special:
    """A special register without its percent sign: "tid.x", "clock", "laneid"."""

    name: str


@dataclass(frozen=True, slots=True)
class Symbol:
    """A name that the assembly does not declare: a label, a function, a variable of the enclosing
    program."""

    name: str


@dataclass(frozen=True, slots=True)
class Immediate:
    value: int | float


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """A constant expression over immediates and `"n"` operands. op: + - * / << >>."""

    op: str
    left: Operand
    right: Operand


@dataclass(frozen=True, slots=True)
class Negated:
    """`!p` for a predicate."""

    operand: Operand


@dataclass(frozen=True, slots=True)
class Address:
    """`[base+offset]`; `rest`: tensor coordinates and the like after a comma. `base` is an Address
    for `[[a], …]` forms."""

    base: Operand
    offset: Operand
    rest: tuple[Operand, ...] = ()


@dataclass(frozen=True, slots=True)
class Vector:
    """`{a, b}`."""

    items: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """`(a, b)`: parameters of a call."""

    items: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """`d|p`: two destinations."""

    first: Operand
    second: Operand


Operand = (
    Reference
    | Register
    | Special
    | Symbol
    | Immediate
    | Arithmetic
    | Negated
    | Address
    | Vector
    | Group
    | Pair
)

# ------------------------------------------------------------------ statements


@dataclass(frozen=True, slots=True)
class Predicate:
    """`@p` or `@!p`."""

    operand: Operand
    negated: bool


@dataclass(frozen=True, slots=True)
class PtxInstruction:
    """`@p ld.global.v4.u32 {…}, [%1];`: opcode "ld", modifiers ("global", "v4", "u32"). `offset`:
    of its text in the template."""

    opcode: str
    modifiers: tuple[str, ...]
    predicate: Predicate | None
    operands: tuple[Operand, ...]
    text: str
    offset: int

    @property
    def name(self) -> str:
        return ".".join((self.opcode, *self.modifiers))


@dataclass(frozen=True, slots=True)
class PtxDeclaration:
    """`.reg .b32 a, b<2>;` names are ("a", "b0", "b1"); `space`: one of SPACES; `count`: elements
    of an array."""

    space: str
    type: str
    names: tuple[str, ...]
    count: int | None
    align: int
    offset: int


@dataclass(frozen=True, slots=True)
class PtxLabel:
    name: str
    offset: int


PtxStatement = PtxInstruction | PtxDeclaration | PtxLabel

SPACES = frozenset({"reg", "shared", "local", "global", "param", "const"})

# Bits of PTX's fundamental types (PTX ISA, 5.2); "pred" is a truth value.
TYPE_BITS: dict[str, int] = {
    **{f"{kind}{bits}": bits for kind in "bus" for bits in (8, 16, 32, 64)},
    "b128": 128,
    "f16": 16,
    "f32": 32,
    "f64": 64,
    "f16x2": 32,
    "bf16": 16,
    "bf16x2": 32,
    "tf32": 32,
    "u16x2": 32,
    "s16x2": 32,
    "f32x2": 64,
    "e4m3x2": 16,
    "e5m2x2": 16,
    "pred": 1,
}
