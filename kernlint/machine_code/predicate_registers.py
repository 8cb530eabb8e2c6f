"""R2P and P2R: predicates from the bits of a register, and back.

In: an instruction. Out: the predicates that it writes, and a function of (machine, lanes) that
gives its results. `R2P PR, R7, 0x6` writes P1 and P2 from bits 1 and 2; `P2R R6, PR, R5, 0x41` puts
P0 and P6 into bits 0 and 6 of R5. Never: parts of registers in P2R, which are not computed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kernlint.machine_code.instructions import Immediate, MachineInstruction, Predicate, Register
from kernlint.machine_code.values import Array, LaneValue, worst

PREDICATES = 7  # P0 to P6; P7 is always true
_BYTE = {"": 0, "B0": 0, "B1": 8, "B2": 16, "B3": 24}

Compute = Callable[[Any, Array], "list[LaneValue] | None"]


def bits_of(ins: MachineInstruction) -> list[int]:
    """The numbers of the predicates that the mask, the last operand, names; all of them where it is
    no number."""
    mask = ins.operands[-1]
    chosen = mask.value if isinstance(mask, Immediate) else -1
    return [bit for bit in range(PREDICATES) if chosen >> bit & 1]


def predicates_of(ins: MachineInstruction) -> Compute | None:
    source = ins.operands[1]
    if not isinstance(source, Register) or source.part not in _BYTE:
        return None
    shift, chosen = _BYTE[source.part], bits_of(ins)

    def compute(machine: Any, active: Array) -> list[LaneValue]:
        value = machine.read(source.key)
        return [
            LaneValue(
                (value.bits >> np.uint32(shift + bit) & np.uint32(1)).astype(bool), value.state
            )
            for bit in chosen
        ]

    return compute


def register_of(ins: MachineInstruction) -> Compute | None:
    source = ins.operands[2]
    if not isinstance(source, Register) or source.part or len(ins.operands) != 4:
        return None
    chosen = bits_of(ins)
    kept = np.uint32(0xFFFFFFFF - sum(1 << bit for bit in chosen))

    def compute(machine: Any, active: Array) -> list[LaneValue]:
        value = machine.read(source.key)
        bits, states = value.bits & kept, [value.state]
        for bit in chosen:
            predicate = machine.predicate(Predicate(bit))
            bits = bits | predicate.bits.astype(np.uint32) << np.uint32(bit)
            states.append(predicate.state)
        return [LaneValue(bits, worst(states))]

    return compute
