"""The table of opcodes against plain integers."""

from __future__ import annotations

import random

import numpy as np
import pytest

from kernlint.machine_code.instructions import instruction
from kernlint.machine_code.machine import LaneMachine
from tests.machine_code.handmade import assembled

M = 0xFFFFFFFF
SEED = random.Random(31)
WORDS = [0, 1, 31, 32, 0x7FFFFFFF, 0x80000000, M, *(SEED.getrandbits(32) for _ in range(25))]


def signed(value: int) -> int:
    return value - (1 << 32) if value >> 31 else value


def results(text: str, **registers: int) -> dict[str, int]:
    """Registers and predicates that one instruction writes, given others."""
    from kernlint.machine_code.control_flow import ControlFlow
    from kernlint.machine_code.effects import written
    from kernlint.machine_code.steps import step_of
    from kernlint.machine_code.values import scalar

    (ins,) = assembled(text)
    machine = LaneMachine.__new__(LaneMachine)
    machine.registers = {"R255": scalar(0)}
    for name, value in registers.items():
        machine.registers[name] = scalar(bool(value) if name.startswith("P") else value)
    step = step_of(ControlFlow((ins,), {}), ins, False)
    assert step is not None
    step(machine, 0, np.ones((1, 1), np.bool_), True)
    for key in written(ins):
        assert machine.registers[key].state is None, key
    return {key: int(machine.registers[key].bits[0, 0]) for key in written(ins)}


@pytest.mark.parametrize("word", WORDS)
def test_sums_and_their_carries(word: int) -> None:
    other = WORDS[(WORDS.index(word) + 5) % len(WORDS)]
    total = word + other
    assert results("IADD3 R2,P0,R4,R5,RZ", R4=word, R5=other) == {
        "R2": total & M,
        "P0": total >> 32,
    }
    difference = word + ((~other & M) + 1)
    assert results("IADD3 R2,P0,R4,-R5,RZ", R4=word, R5=other) == {
        "R2": difference & M,
        "P0": difference >> 32,
    }
    assert results("IADD3.X R2,R4,R5,RZ,P0,!PT", R4=word, R5=other, P0=1) == {"R2": (total + 1) & M}


@pytest.mark.parametrize("word", WORDS)
def test_products(word: int) -> None:
    other, pair = WORDS[(WORDS.index(word) + 3) % len(WORDS)], word << 32 | 77
    wide = signed(word) * signed(other) + pair
    assert results("IMAD.WIDE R2,R4,R5,R6", R4=word, R5=other, R6=77, R7=word) == {
        "R2": wide & M,
        "R3": wide >> 32 & M,
    }
    unsigned = word * other + pair
    assert results("IMAD.HI.U32 R2,R4,R5,R6", R4=word, R5=other, R6=77, R7=word) == {
        "R2": unsigned >> 32 & M
    }
    assert results("IMAD R2,R4,R5,-R6", R4=word, R5=other, R6=9) == {"R2": (word * other - 9) & M}


@pytest.mark.slow
@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("amount", [0, 1, 5, 31, 32, 40])
def test_shifts(word: int, amount: int) -> None:
    pair = 0x89ABCDEF << 32 | word
    given = {"R4": word, "R5": 0x89ABCDEF, "R6": amount}
    clamped = min(amount, 32)
    assert results("SHF.L.U32 R2,R4,R6,RZ", **given)["R2"] == word << clamped & M
    assert results("SHF.R.U32.HI R2,RZ,R6,R4", **given)["R2"] == word >> clamped
    assert results("SHF.R.S32.HI R2,RZ,R6,R4", **given)["R2"] == signed(word) >> clamped & M
    assert results("SHF.L.U64.HI R2,R4,R6,R5", **given)["R2"] == pair << amount >> 32 & M
    assert results("SHF.R.U64 R2,R4,R6,R5", **given)["R2"] == pair >> amount & M
    wrapped = amount % 32
    rotated = (word << 32 | word) >> wrapped & M
    assert results("SHF.R.W.U32 R2,R4,R6,R4", **given)["R2"] == rotated


@pytest.mark.parametrize("word", WORDS)
def test_scaled_sums(word: int) -> None:
    other = WORDS[(WORDS.index(word) + 7) % len(WORDS)]
    given = {"R4": word, "R5": other, "R6": 0x1234}
    total = (word << 4 & M) + other
    assert results("LEA R2,P0,R4,R5,0x4", **given) == {"R2": total & M, "P0": total >> 32}
    above = ((0x1234 << 32 | word) << 3 >> 32 & M) + other + 1
    assert results("LEA.HI.X R2,R4,R5,R6,0x3,P0", P0=1, **given)["R2"] == above & M
    rounded = (word + (other >> 30)) & M
    assert results("LEA.HI R2,R5,R4,RZ,0x2", **given)["R2"] == rounded
    halves = ((signed(word) << 31) >> 32) + other
    assert results("LEA.HI.SX32 R2,R4,R5,0x1f", **given)["R2"] == halves & M


@pytest.mark.parametrize("word", WORDS)
def test_bits(word: int) -> None:
    given = {"R4": word, "R5": 0x0F0F1234, "R6": 0x5}
    assert results("LOP3.LUT R2,R4,R5,R6,0x96,!PT", **given)["R2"] == word ^ 0x0F0F1234 ^ 5
    assert results("POPC R2,R4", **given)["R2"] == word.bit_count()
    assert results("BREV R2,R4", **given)["R2"] == int(f"{word:032b}"[::-1], 2)
    assert results("FLO.U32 R2,R4", **given)["R2"] == (word.bit_length() - 1) & M
    assert results("PRMT R2,R4,0x7610,R5", **given)["R2"] == word & 0xFFFF | 0x0F0F << 16
    assert results("SGXT R2,R4,0x5", **given)["R2"] == ((word & 31) ^ 16) - 16 & M
    assert results("BMSK R2,R6,0x3", **given)["R2"] == 0b111 << 5


@pytest.mark.parametrize("word", WORDS)
def test_comparisons(word: int) -> None:
    other = WORDS[(WORDS.index(word) + 11) % len(WORDS)]
    given = {"R4": word, "R5": other}
    assert results("ISETP.GE.AND P0,PT,R4,R5,PT", **given)["P0"] == (signed(word) >= signed(other))
    assert results("ISETP.LT.U32.OR P0,PT,R4,R5,!PT", **given)["P0"] == (word < other)
    assert results("ISETP.GE.U32.AND.EX P0,PT,R4,R4,PT,P1", P1=0, **given)["P0"] == 0
    assert results("ISETP.NE.AND.EX P0,PT,R4,R4,PT,P1", P1=1, **given)["P0"] == 1
    least = min(signed(word), signed(other)) & M
    assert results("VIMNMX R2,R4,R5,PT", **given)["R2"] == least
    assert results("VIMNMX.U32 R2,R4,R5,!PT", **given)["R2"] == max(word, other)
    assert results("SEL R2,R4,R5,P1", P1=1, **given)["R2"] == word
    assert results("IABS R2,R4", **given)["R2"] == abs(signed(word)) & M


@pytest.mark.parametrize("divisor", [1, 3, 7, 10, 641, 65537, 0x7FFFFFFF])
def test_the_reciprocal_that_divisions_begin_with(divisor: int) -> None:
    """I2F.RP rounds up, so that the reciprocal is never too large."""
    up = results("I2F.U32.RP R2,R4", R4=divisor)["R2"]
    value = np.array([up], np.uint32).view(np.float32)[0]
    assert float(value) >= divisor
    reciprocal = results("MUFU.RCP R2,R4", R4=up)["R2"]
    near = np.array([reciprocal], np.uint32).view(np.float32)[0]
    assert abs(float(near) * float(value) - 1) < 2**-22


def test_half_precision_immediates_make_constants() -> None:
    assert results("HFMA2.MMA R2,-RZ,RZ,0,1.1920928955078125e-07")["R2"] == 2
    assert instruction(0, "HFMA2.MMA", "R2,-RZ,RZ,0,0").family == "HFMA2"


@pytest.mark.parametrize("word", WORDS)
def test_predicates_and_registers(word: int) -> None:
    assert results("R2P PR,R4,0x46", R4=word) == {
        "P1": word >> 1 & 1,
        "P2": word >> 2 & 1,
        "P6": word >> 6 & 1,
    }
    assert results("R2P PR,R4.B2,0x9", R4=word) == {"P0": word >> 16 & 1, "P3": word >> 19 & 1}
    assert results("P2R R2,PR,R4,0x21", R4=word, P0=1, P5=0) == {"R2": word & ~0x20 & M | 1}
