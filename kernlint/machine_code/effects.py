"""Which registers and predicates an instruction writes.

In: an instruction. Out: its destinations with their widths. An opcode that no row names is taken to
write four registers: too many registers become unknown, never too few.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.machine_code.instructions import MachineInstruction, Operand, Predicate, Register
from kernlint.machine_code.predicate_registers import bits_of


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# no destination: stores, control flow, barriers
NONE = _words(
    """ST STG STS STL STSM RED REDG BAR BRA BRX JMP JMX EXIT RET CALL BSSY BSYNC BREAK NOP NANOSLEEP
    MEMBAR ERRBAR CCTL CCTLL DEPBAR LDGDEPBAR LDGSTS WARPSYNC ENDCOLLECTIVE YIELD BPT KILL CGAERRBAR
    ACQBULK UCGABAR_ARV UCGABAR_WAIT SETMAXREG USETMAXREG WARPGROUP PREFETCH"""
)
_NONE_PREFIXES = ("SYNCS", "UTMA", "FENCE")
# how many operands are written, where the first ones are not all of one kind
_RESULTS = {
    **dict.fromkeys(
        [
            "ISETP",
            "UISETP",
            "FSETP",
            "DSETP",
            "HSETP2",
            "PLOP3",
            "UPLOP3",
            "PSETP",
        ],
        2,
    ),
    "FCHK": 1,
}
# one register; loads and the like say in a modifier how many
_NARROW = _words(
    """MOV UMOV MOV32I S2R S2UR IADD IADD3 UIADD3 IMAD UIMAD LEA ULEA SHF USHF SHL SHR LOP3 ULOP3 LOP
    VIADD VIMNMX VIADDMNMX VIMNMX3 IMNMX UIMNMX SEL USEL FSEL PRMT UPRMT IABS POPC UPOPC BREV UBREV
    FLO UFLO SGXT USGXT BMSK UBMSK P2R UP2UR R2P R2B B2R I2I I2IP I2FP UI2FP FADD FMUL FFMA FMNMX
    FMNMX3 FSWZADD FSET MUFU FRND HADD2 HMUL2 HFMA2 HMNMX2 HSET2 F2FP F2IP IDP IDP4A R2UR VOTE VOTEU
    MATCH SHFL REDUX UREDUX CREDUX QSPC XMAD VABSDIFF VABSDIFF4 IMUL LEPC I2F F2I F2F UI2F UF2I
    GETLMEMBASE CS2UR ISCADD BFE BFI ICMP FCMP MOVM ISETP UISETP FSETP DSETP HSETP2 PLOP3 UPLOP3
    FCHK"""
)
_VOTES = _words("VOTE VOTEU")
_WIDE = _words("DADD DMUL DFMA DMNMX")
_LOADS = _words("LD LDG LDS LDL LDC ULDC LDCU ATOM ATOMG ATOMS LDSM CS2R")
_UNNAMED = 4  # registers


def destinations(instruction: MachineInstruction) -> tuple[Operand, ...]:
    """The operands that are written: a register, the predicates before it and beside it."""
    family, operands = instruction.family, instruction.operands
    if family in NONE or family.startswith(_NONE_PREFIXES):
        return ()
    if family in _RESULTS:
        return operands[: _RESULTS[family]]
    if family in _VOTES:  # the last predicate is what each lane votes
        return operands[:-1]
    found: list[Operand] = []
    seen = False
    for operand in operands:
        if isinstance(operand, Register) and not seen:
            seen = True
        elif not isinstance(operand, Predicate):
            break
        found.append(operand)
    return tuple(found)


def sources(instruction: MachineInstruction) -> tuple[Operand, ...]:
    return instruction.operands[len(destinations(instruction)) :]


def width(instruction: MachineInstruction) -> int:
    """Registers written from the destination on."""
    family, modifiers = instruction.family, instruction.modifiers
    if family in _LOADS:
        return _loaded(family, modifiers)
    if family in _WIDE or "WIDE" in modifiers:
        return 2
    if family in ("HMMA", "IMMA", "DMMA", "HGMMA", "IGMMA"):
        return _matrix(instruction)
    if family in ("I2F", "F2F", "UI2F") and instruction.opcode.split(".")[1:2] == ["F64"]:
        return 2
    if family in ("F2I", "UF2I") and modifiers & {"S64", "U64"}:
        return 2
    return 1 if family in _NARROW else _UNNAMED


def _loaded(family: str, modifiers: frozenset[str]) -> int:
    if family == "CS2R":
        return 1 if "32" in modifiers else 2
    if family == "LDSM":
        return next((n for n in (4, 2, 1) if str(n) in modifiers), 4)
    if "128" in modifiers:
        return 4
    return 2 if "64" in modifiers else 1


def _matrix(instruction: MachineInstruction) -> int:
    """HMMA with single-precision sums and integer products write four registers; sums in half
    precision two. The asynchronous ones of a warp group write up to 128."""
    if instruction.family in ("HGMMA", "IGMMA"):
        return 128
    return 2 if instruction.opcode.endswith("F16") and instruction.family == "HMMA" else 4


def written(instruction: MachineInstruction) -> Iterator[str]:
    """Keys of what it writes, without the registers that are constant."""
    for operand in destinations(instruction):
        if isinstance(operand, Predicate) and not operand.always:
            yield operand.key
        elif isinstance(operand, Register) and not operand.zero:
            prefix = "UR" if operand.uniform else "R"
            for number in range(operand.number, operand.number + width(instruction)):
                yield f"{prefix}{number}"
    if instruction.family == "R2P":
        yield from (f"P{number}" for number in bits_of(instruction))
