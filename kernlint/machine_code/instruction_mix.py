"""Of which kinds the instructions of a kernel are.

In: a kernel's code. Out: counts by kind. Instructions that only fill the section up do not count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from kernlint.machine_code.control_flow import CONTROL, MEMORY
from kernlint.machine_code.instructions import MachineInstruction

_CONSTANTS = ("LDC", "ULDC", "LDCU")
_FAMILIES = {
    "integer": """IADD IADD3 UIADD UIADD3 VIADD IMAD UIMAD IMUL LEA ULEA SHF USHF SHL SHR LOP LOP3 ULOP3
        ISETP UISETP PLOP3 UPLOP3 PSETP VIMNMX VIMNMX3 VIADDMNMX IMNMX UIMNMX IABS POPC UPOPC BREV
        UBREV FLO UFLO SGXT USGXT BMSK UBMSK IDP IDP4A VABSDIFF VABSDIFF4 XMAD ISCADD BFE BFI""",
    "single": "FADD FMUL FFMA FMNMX FMNMX3 FSETP FSET FSEL FCHK FSWZADD FCMP",
    "half": "HADD2 HMUL2 HFMA2 HMNMX2 HSETP2 HSET2",
    "double": "DADD DMUL DFMA DMNMX DSETP",
    "special": "MUFU",
    "conversion": "I2F I2FP F2I F2F F2FP F2IP I2I I2IP FRND UI2F UI2FP UF2I",
    "tensor": "HMMA IMMA DMMA BMMA QMMA OMMA HGMMA IGMMA QGMMA BGMMA",
    "memory": " ".join((*MEMORY, *_CONSTANTS, "LDSM", "STSM")),
    "control": " ".join((*CONTROL, "DEPBAR", "LDGDEPBAR", "MEMBAR", "YIELD", "NANOSLEEP")),
}
KINDS = {name: kind for kind, names in _FAMILIES.items() for name in names.split()}


def mix(code: Sequence[MachineInstruction]) -> Mapping[str, int]:
    """By kind, "other" for what no row names."""
    return Counter(KINDS.get(each.family, "other") for each in _without_padding(code))


def _without_padding(code: Sequence[MachineInstruction]) -> Sequence[MachineInstruction]:
    """Without the branch to itself and the NOPs that ptxas puts behind the end."""
    count = len(code)
    while count and code[count - 1].family == "NOP":
        count -= 1
    if count > 1 and code[count - 1].family == "BRA":
        count -= 1
    return code[:count]
