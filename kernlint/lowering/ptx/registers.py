"""What the registers of a PTX function hold: pointers, signed or unsigned integers, floats.

PTX's registers have sizes only (`.b32`); kernlint's variables have types. In: the instructions of a
function, which parameters are pointers, the variables that have addresses. Out: a type for each
register. A register is a pointer where every instruction that writes it makes one; it is signed
unless something reads it as unsigned and nothing as signed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping

from kernlint.ir.types import UCHAR, Float, Integer, Pointer, Type
from kernlint.lowering.calls.assembly_values import integer_type
from kernlint.source.ptx.meaning import meaning, operands
from kernlint.source.ptx.nodes import (
    TYPE_BITS,
    Address,
    Immediate,
    Negated,
    Operand,
    Pair,
    PtxDeclaration,
    PtxInstruction,
    Register,
    Symbol,
    Vector,
)

SIGNED_MATTERS = frozenset(
    {"mul", "mad", "div", "rem", "min", "max", "shr", "setp", "set", "cvt", "abs"}
)
Place = tuple[str, int]
_WIDTHS = {8: "8", 16: "16", 32: "32", 64: "64"}


def named(operand: Operand) -> Iterable[str]:
    """The registers that an operand names."""
    match operand:
        case Register(name=name):
            yield name
        case Vector(items=items):
            for item in items:
                yield from named(item)
        case Pair(first=first, second=second):
            yield from named(first)
            yield from named(second)
        case Negated(operand=inner):
            yield from named(inner)
        case Address(base=base):
            yield from named(base)


def written(instruction: PtxInstruction) -> tuple[str, ...]:
    found = meaning(instruction)
    return tuple(
        name for operand in operands(found, instruction, "target") for name in named(operand)
    )


def register_types(
    declarations: Iterable[PtxDeclaration],
    instructions: tuple[PtxInstruction, ...],
    pointers: Mapping[Place, str],
    addressed: Mapping[str, str],
) -> dict[str, Type]:
    """The type of each register. `pointers`: parameters (name, byte offset) that are pointers, and
    the space they point to; `addressed`: variables with an address, and their space."""
    spaces = _pointers(instructions, addressed, pointers)
    signed, unsigned = _votes(instructions)
    found: dict[str, Type] = {}
    for declaration in declarations:
        plain = integer_type(declaration.type)
        for name in declaration.names:
            if isinstance(plain, Float) or plain.is_bool:
                found[name] = plain
            elif name in spaces and plain.bits >= 32:
                found[name] = Pointer(UCHAR, spaces[name])
            else:
                found[name] = sized(plain, name in signed or name not in unsigned)
    return found


def sized(type_: Integer, signed: bool) -> Integer:
    found = integer_type(("s" if signed else "u") + _WIDTHS[type_.bits])
    assert isinstance(found, Integer)
    return found


# ------------------------------------------------------------------ pointers


def read_parameter(instruction: PtxInstruction) -> Place | None:
    """The parameter and byte offset that an `ld.param` reads."""
    if (
        instruction.opcode != "ld"
        or "param" not in instruction.modifiers
        or len(instruction.operands) < 2
    ):
        return None
    address = instruction.operands[1]
    if (
        not isinstance(address, Address)
        or not isinstance(address.base, (Symbol, Register))
        or not isinstance(address.offset, Immediate)
    ):
        return None
    return address.base.name, int(address.offset.value)


def _pointers(
    instructions: tuple[PtxInstruction, ...],
    known: Mapping[str, str],
    parameters: Mapping[Place, str],
) -> dict[str, str]:
    """Registers that hold addresses, with the space where it is known ("" else)."""
    writers: dict[str, list[PtxInstruction]] = defaultdict(list)
    for instruction in instructions:
        for name in written(instruction):
            writers[name].append(instruction)
    found: dict[str, str] = {}
    changed = True
    while changed:
        changed = False
        for name, some in writers.items():
            spaces = {s for i in some if (s := _made(i, found, known, parameters)) is not None}
            if name not in found and spaces:
                found[name], changed = spaces.pop() if len(spaces) == 1 else "", True
    changed = True
    while changed:
        wrong = [
            n for n in found if any(_made(i, found, known, parameters) is None for i in writers[n])
        ]
        changed = bool(wrong)
        for name in wrong:
            del found[name]
    return found


def _made(
    instruction: PtxInstruction,
    found: Mapping[str, str],
    known: Mapping[str, str],
    parameters: Mapping[Place, str],
) -> str | None:
    """The space of the address that an instruction makes, None where it makes none."""
    if instruction.opcode == "ld":
        place = read_parameter(instruction)
        is_read = place is not None and isinstance(instruction.operands[0], Register)
        return parameters.get(place) if place is not None and is_read else None
    handler = _MADE_BY.get(instruction.opcode)
    if handler is None:
        return None
    values = operands(meaning(instruction), instruction, "value")
    sources = [_space(o, found, known) for o in values]
    held = [s for s in sources if s is not None]
    return handler(instruction, sources, held) if held else None


_Sources = list[str | None]  # the operands' spaces; None for what is no address


def _made_by_cvta(instruction: PtxInstruction, sources: _Sources, held: list[str]) -> str | None:
    words = (modifier.split("::")[0] for modifier in instruction.modifiers)
    stated = next((word for word in words if word in _STATED_SPACES), "")
    return held[0] or _STATED_SPACES.get(stated, "")


def _made_by_move(instruction: PtxInstruction, sources: _Sources, held: list[str]) -> str | None:
    is_wide = TYPE_BITS.get(instruction.modifiers[0], 64) >= 32
    return held[0] if len(sources) == 1 and is_wide else None


def _made_by_selp(instruction: PtxInstruction, sources: _Sources, held: list[str]) -> str | None:
    return held[0] if len(held) == 2 and held[0] == held[1] else None


def _made_by_add(instruction: PtxInstruction, sources: _Sources, held: list[str]) -> str | None:
    return held[0] if len(held) == 1 else None


def _made_by_sub(instruction: PtxInstruction, sources: _Sources, held: list[str]) -> str | None:
    return held[0] if len(held) == 1 and sources[0] is not None else None


def _made_by_mad(instruction: PtxInstruction, sources: _Sources, held: list[str]) -> str | None:
    is_sum = sources[-1] is not None and "hi" not in instruction.modifiers
    return held[0] if len(held) == 1 and is_sum else None


_STATED_SPACES = {"global": "global", "shared": "shared", "local": "local", "const": "constant"}
_MADE_BY: dict[str, Callable[[PtxInstruction, _Sources, list[str]], str | None]] = {
    "cvta": _made_by_cvta,
    "mov": _made_by_move,
    "cvt": _made_by_move,
    "selp": _made_by_selp,
    "add": _made_by_add,
    "sub": _made_by_sub,
    "mad": _made_by_mad,
}


def _space(operand: Operand, found: Mapping[str, str], known: Mapping[str, str]) -> str | None:
    match operand:
        case Register(name=name):
            return found.get(name)
        case Symbol(name=name):
            return known.get(name)
    return None


# ------------------------------------------------------------------ signs


def _votes(instructions: tuple[PtxInstruction, ...]) -> tuple[set[str], set[str]]:
    """Registers that something takes for signed, and for unsigned."""
    signed: set[str] = set()
    unsigned: set[str] = set()
    for instruction in instructions:
        found = meaning(instruction)
        if found.kind != "assign" or instruction.opcode not in SIGNED_MATTERS:
            continue
        type_ = found.source_type or found.type
        votes = signed if type_.startswith("s") else unsigned if type_.startswith("u") else None
        if found.comparison in ("lo", "ls", "hi", "hs"):
            votes = unsigned
        if votes is None or (
            instruction.opcode in ("mul", "mad") and "lo" in instruction.modifiers
        ):
            continue
        for operand in operands(found, instruction, "value"):
            votes.update(named(operand))
        if instruction.opcode in ("min", "max", "div", "rem", "shr"):
            votes.update(written(instruction))
    return signed, unsigned
