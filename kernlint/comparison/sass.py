"""Machine instructions by what they access. Goes in: an instruction's text. Comes out: space,
operation, width, predicate.

Opcodes: CUDA Binary Utilities, instruction set reference, Volta to Blackwell.
"""

from __future__ import annotations

import re

from kernlint.base.dataclass import dataclass

GENERIC = "generic"
OPCODES: dict[str, tuple[tuple[str, ...], str]] = {
    "LDGSTS": (("global", "shared"), "copy"),
    "LDSM": (("shared",), "load"),
    "STSM": (("shared",), "store"),
    "LDS": (("shared",), "load"),
    "STS": (("shared",), "store"),
    "ATOMS": (("shared",), "atomic"),
    "LDG": (("global",), "load"),
    "STG": (("global",), "store"),
    "ATOMG": (("global",), "atomic"),
    "REDG": (("global",), "atomic"),
    "RED": (("global",), "atomic"),
    "LDL": (("local",), "load"),
    "STL": (("local",), "store"),
    "LD": ((GENERIC,), "load"),
    "ST": ((GENERIC,), "store"),
    "ATOM": ((GENERIC,), "atomic"),
}
FORM = re.compile(r"\s*(?:@(!?)(U?P\w+)\s+)?([A-Z][A-Z0-9]*)((?:\.[A-Za-z0-9_]+)*)")
WIDTH = re.compile(r"[US]?(8|16|64|128)")


@dataclass(frozen=True, slots=True)
class MemoryInstruction:
    """`spaces`: one, two for an asynchronous copy; `generic` where only the counters tell. `bits`
    of one lane's access."""

    spaces: tuple[str, ...]
    op: str
    bits: int
    predicated: bool


def memory(sass: str) -> MemoryInstruction | None:
    """None for what accesses no shared, global or local memory, and for `@!PT` padding, which never
    executes."""
    found = FORM.match(sass)
    if found is None or found[3] not in OPCODES:
        return None
    negated, predicate = found[1], found[2]
    always = predicate in ("PT", "UPT")
    if always and negated:
        return None
    spaces, op = OPCODES[found[3]]
    widths = [int(match[1]) for suffix in found[4].split(".") if (match := WIDTH.fullmatch(suffix))]
    return MemoryInstruction(
        spaces, op, widths[0] if widths else 32, predicate is not None and not always
    )
