"""The table of opcodes: which function computes a family, and how it reads its sources.

A family that has no row is not executed: what it writes becomes unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kernlint.base.dataclass import dataclass
from kernlint.machine_code import arithmetic
from kernlint.machine_code.instructions import MachineInstruction


@dataclass(frozen=True, slots=True)
class OpcodeRow:
    """`function(modifiers, *sources)` as in `arithmetic`. `carries`: sources come as uint64 and -x
    as ~x + 1 without wrapping, so that a sum's upper half is its carry. `pair`: the position of a
    source that is a pair of registers where the opcode has one of `when`."""

    function: Callable[..., tuple[Any, ...]]
    carries: bool = False
    pair: int | None = None
    when: frozenset[str] = frozenset()

    def reads_pair(self, instruction: MachineInstruction, position: int) -> bool:
        return position == self.pair and bool(self.when & instruction.modifiers)


_MULTIPLY = OpcodeRow(arithmetic.multiply_add, pair=2, when=frozenset({"WIDE", "HI"}))
_ADD3 = OpcodeRow(arithmetic.add3, carries=True)
_LEA = OpcodeRow(arithmetic.scaled_add, carries=True)

OPERATIONS = {
    "MOV": OpcodeRow(arithmetic.move),
    "UMOV": OpcodeRow(arithmetic.move),
    "S2R": OpcodeRow(arithmetic.move),
    "S2UR": OpcodeRow(arithmetic.move),
    "LDC": OpcodeRow(arithmetic.move, pair=0, when=frozenset({"64"})),
    "ULDC": OpcodeRow(arithmetic.move, pair=0, when=frozenset({"64"})),
    "LDCU": OpcodeRow(arithmetic.move, pair=0, when=frozenset({"64"})),
    "IADD3": _ADD3,
    "UIADD3": _ADD3,
    "IADD": OpcodeRow(arithmetic.add),
    "VIADD": OpcodeRow(arithmetic.add),
    "UIADD": OpcodeRow(arithmetic.add),
    "IMAD": _MULTIPLY,
    "UIMAD": _MULTIPLY,
    "LEA": _LEA,
    "ULEA": _LEA,
    "SHF": OpcodeRow(arithmetic.shift),
    "USHF": OpcodeRow(arithmetic.shift),
    "LOP3": OpcodeRow(arithmetic.logic),
    "ULOP3": OpcodeRow(arithmetic.logic),
    "PLOP3": OpcodeRow(arithmetic.predicate_logic),
    "UPLOP3": OpcodeRow(arithmetic.predicate_logic),
    "ISETP": OpcodeRow(arithmetic.compare),
    "UISETP": OpcodeRow(arithmetic.compare),
    "VIMNMX": OpcodeRow(arithmetic.extreme),
    "UIMNMX": OpcodeRow(arithmetic.extreme),
    "IMNMX": OpcodeRow(arithmetic.extreme),
    "VIMNMX3": OpcodeRow(arithmetic.extreme),
    "VIADDMNMX": OpcodeRow(arithmetic.add_extreme),
    "IABS": OpcodeRow(arithmetic.absolute),
    "PRMT": OpcodeRow(arithmetic.permute),
    "UPRMT": OpcodeRow(arithmetic.permute),
    "POPC": OpcodeRow(arithmetic.population),
    "UPOPC": OpcodeRow(arithmetic.population),
    "BREV": OpcodeRow(arithmetic.reverse),
    "UBREV": OpcodeRow(arithmetic.reverse),
    "FLO": OpcodeRow(arithmetic.leading),
    "UFLO": OpcodeRow(arithmetic.leading),
    "SGXT": OpcodeRow(arithmetic.sign_extend),
    "USGXT": OpcodeRow(arithmetic.sign_extend),
    "BMSK": OpcodeRow(arithmetic.mask),
    "UBMSK": OpcodeRow(arithmetic.mask),
    "IDP": OpcodeRow(arithmetic.packed),
    "I2F": OpcodeRow(arithmetic.to_float),
    "I2FP": OpcodeRow(arithmetic.to_float),
    "F2I": OpcodeRow(arithmetic.to_integer),
    "MUFU": OpcodeRow(arithmetic.special_function),
}
# chosen by a predicate: what is known depends on which source it takes
SELECTIONS = frozenset({"SEL", "USEL", "FSEL"})
