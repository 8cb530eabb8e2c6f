"""Instructions with typed operands.

In: an opcode and operands as `nvdisasm -json` writes them (`LDG.E`, `R4,desc[UR6][R2.64+0x10]`).
Out: `MachineInstruction`. Never: what an instruction does. An operand that is not understood becomes
`Other`, whose value is unknown.
"""

from __future__ import annotations

import math
import re
import struct

from kernlint.base.dataclass import dataclass

BYTES = 16  # of an instruction, sm_70 and later
ZERO = 255  # the register that reads as zero
TRUE = 7  # the predicate that is always true


@dataclass(frozen=True, slots=True)
class Register:
    """R`number` or, `uniform`, UR`number`; `count` 2 for a pair (`.64`). `sign` is one of "", "-",
    "~", "|"; `part` is a selector (`B1`, `H0`) where the instruction reads a part of it."""

    number: int
    uniform: bool = False
    sign: str = ""
    count: int = 1
    part: str = ""

    @property
    def zero(self) -> bool:
        return self.number == ZERO

    @property
    def key(self) -> str:
        return f"{'U' if self.uniform else ''}R{self.number}"


@dataclass(frozen=True, slots=True)
class Predicate:
    """P`number` or UP`number`, negated or not."""

    number: int
    uniform: bool = False
    negated: bool = False

    @property
    def always(self) -> bool:
        return self.number == TRUE

    @property
    def key(self) -> str:
        return f"{'U' if self.uniform else ''}P{self.number}"


@dataclass(frozen=True, slots=True)
class Immediate:
    """An integer. `real` is set where it was written as a floating-point number, and `value` then
    holds the bits of the single-precision number."""

    value: int
    real: float | None = None


@dataclass(frozen=True, slots=True)
class Constant:
    """c[`bank`][`index` + `offset`]."""

    bank: int
    offset: int
    index: Register | None = None
    sign: str = ""


@dataclass(frozen=True, slots=True)
class Memory:
    """[`base` * `scale` + `uniform` + `offset`]; `wide` where the base is a pair of registers."""

    base: Register | None
    uniform: Register | None
    offset: int
    scale: int = 1
    wide: bool = False


@dataclass(frozen=True, slots=True)
class Special:
    """A special register: `SR_TID.X`; `SRZ` is zero."""

    name: str


@dataclass(frozen=True, slots=True)
class Barrier:
    """A convergence barrier: B0 to B15."""

    number: int


@dataclass(frozen=True, slots=True)
class Other:
    """Anything else, a symbol for instance."""

    text: str


Operand = Register | Predicate | Immediate | Constant | Memory | Special | Barrier | Other


@dataclass(frozen=True, slots=True)
class MachineInstruction:
    """One instruction at `address` of its kernel. `family` is the opcode up to its first dot,
    `modifiers` the rest; `guard` is None where it always executes."""

    address: int
    opcode: str
    family: str
    modifiers: frozenset[str]
    guard: Predicate | None
    operands: tuple[Operand, ...]


def instruction(address: int, opcode: str, operands: str, guard: str = "") -> MachineInstruction:
    family, *modifiers = opcode.split(".")
    return MachineInstruction(
        address,
        opcode,
        family,
        frozenset(modifiers),
        _guard(guard),
        tuple(operand(text) for text in split(operands)),
    )


def _guard(text: str) -> Predicate | None:
    if not text:
        return None
    found = operand(text.lstrip("@"))
    always = isinstance(found, Predicate) and found.always and not found.negated
    return None if always or not isinstance(found, Predicate) else found


def split(operands: str) -> list[str]:
    """The operands at their outer commas."""
    parts, depth, start = [], 0, 0
    for index, letter in enumerate(operands):
        depth += (letter in "[(") - (letter in "])")
        if letter == "," and not depth:
            parts.append(operands[start:index])
            start = index + 1
    return [part.strip() for part in (*parts, operands[start:]) if part.strip()]


_REGISTER = re.compile(r"(?P<sign>[-~|]?)(?P<u>U?)R(?P<number>\d+|Z)\|?(?P<rest>(?:\.\w+)*)")
_PREDICATE = re.compile(r"(?P<not>!?)(?P<u>U?)P(?P<number>\d|T)")
_INTEGER = re.compile(r"-?(?:0x[0-9a-fA-F]+|\d+)")
_REAL = re.compile(r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|INF|QNAN|SNAN)")
_CONSTANT = re.compile(r"(?P<sign>[-~|]?)cx?\[(?P<bank>[^\]]+)\]\[(?P<at>[^\]]+)\]\|?(?:\.\w+)*")
_MEMORY = re.compile(r"(?:desc\[UR\d+\])?\[(?P<inner>[^\]]*)\](?:\.\w+)*")
_BARRIER = re.compile(r"B(\d+)")
_SPECIAL = re.compile(r"SR_[\w.]+|SRZ")
_SCALE = re.compile(r"\.X(\d+)")


def operand(text: str) -> Operand:
    for pattern, build in _FORMS:
        if match := pattern.fullmatch(text):
            return build(match)
    return Other(text)


def _register(match: re.Match[str]) -> Register:
    number = ZERO if match["number"] == "Z" else int(match["number"])
    rest = [word for word in match["rest"].split(".") if word and word != "reuse"]
    part = next((word for word in rest if word != "64"), "")
    return Register(number, bool(match["u"]), match["sign"], 2 if "64" in rest else 1, part)


def _predicate(match: re.Match[str]) -> Predicate:
    number = TRUE if match["number"] == "T" else int(match["number"])
    return Predicate(number, bool(match["u"]), bool(match["not"]))


def _integer(match: re.Match[str]) -> Immediate:
    return Immediate(int(match[0], 0))


def _real(match: re.Match[str]) -> Immediate:
    word = match[0].lstrip("+-")
    size = {"INF": math.inf, "QNAN": math.nan, "SNAN": math.nan}.get(word)
    value = float(word) if size is None else size
    value = -value if match[0].startswith("-") else value
    try:
        bits = struct.unpack("<I", struct.pack("<f", value))[0]
    except OverflowError:  # a double-precision number
        return Immediate(0, value)
    return Immediate(bits, value)


def _constant(match: re.Match[str]) -> Operand:
    bank, at = operand(match["bank"]), _memory_inner(match["at"])
    if not isinstance(bank, Immediate) or at is None:
        return Other(match[0])
    return Constant(bank.value, at.offset, at.base or at.uniform, match["sign"])


def _memory(match: re.Match[str]) -> Operand:
    return _memory_inner(match["inner"]) or Other(match[0])


def _memory_inner(text: str) -> Memory | None:
    """`R2.64+UR4+-0x10`, in any order; None where a term is something else."""
    base = uniform = None
    offset, scale = 0, 1
    for term in filter(None, text.split("+")):
        found = operand(_SCALE.sub("", term))
        if isinstance(found, Immediate):
            offset += found.value
        elif isinstance(found, Register) and found.uniform and uniform is None:
            uniform = found
        elif isinstance(found, Register) and base is None:
            base = found
            times = _SCALE.search(term)
            scale = int(times[1]) if times else 1
        else:
            return None
    wide = any(register is not None and register.count == 2 for register in (base, uniform))
    return Memory(base, uniform, offset, scale, wide)


_FORMS = (
    (_REGISTER, _register),
    (_PREDICATE, _predicate),
    (_INTEGER, _integer),
    (_REAL, _real),
    (_CONSTANT, _constant),
    (_MEMORY, _memory),
    (_SPECIAL, lambda match: Special(match[0])),
    (_BARRIER, lambda match: Barrier(int(match[1]))),
)
