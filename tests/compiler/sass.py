"""From the text of `nvdisasm -c -gi` to memory instructions per source line, with the machine loops
around each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

OPERATION = {
    "LDG": "g.ld",
    "STG": "g.st",
    "LDS": "s.ld",
    "STS": "s.st",
    "LDL": "l.ld",
    "STL": "l.st",
    "ATOMS": "s.at",
    "ATOMG": "g.at",
    "ATOM": "g.at",
    "RED": "g.at",
    "REDG": "g.at",
    "LD": "?.ld",
    "ST": "?.st",
    "LDGSTS": "g.cp",
    "LDSM": "s.lm",
    "STSM": "s.sm",
}
OF_ROWS = ("LDSM", "STSM")  # of matrices: 16 bytes each, whatever their elements are
WIDTH = {"8": 1, "U8": 1, "S8": 1, "16": 2, "U16": 2, "S16": 2, "64": 8, "F64": 8, "128": 16}
INSTRUCTION = re.compile(r"^\s*/\*([0-9a-f]{4,})\*/\s+(@!?U?P\w+\s+)?([A-Z0-9_.]+)\s*(.*)$")
PLACE = re.compile(r'//## File "([^"]+)", line (\d+)')


@dataclass(frozen=True, slots=True)
class Machine:
    line: int
    operation: str  # "g.ld4"
    predicated: bool
    loops: tuple[
        int, ...
    ]  # the machine loops around it, outermost first, by number in layout order
    opcode: str
    address: int = 0


def kernels(listing: str) -> dict[str, list[Machine]]:
    """Memory instructions of each function of a listing, by mangled name."""
    parts = re.split(r"^\.text\.(\S+):$", listing, flags=re.M)
    return {name: _function(text) for name, text in zip(parts[1::2], parts[2::2], strict=True)}


def _function(text: str) -> list[Machine]:
    line, chained, labels, jumps, found = 0, False, {}, [], []
    address = -16
    for row in text.splitlines():
        if place := PLACE.search(row):
            # an inlined place is followed by the places it is inlined at; the innermost in the
            # kernel's own file counts
            line = line if chained and line else int(place[2]) * (Path(place[1]).suffix == ".cu")
            chained = "inlined at" in row
        elif label := re.match(r"^(\.L_x_\d+):", row):
            labels[label[1]] = address + 16
        elif match := INSTRUCTION.match(row):
            address = int(match[1], 16)
            if match[3].startswith("BRA"):
                jumps.append((address, re.findall(r"\.L_x_\d+", match[4])))
            name, *flags = match[3].split(".")
            if name in OPERATION:
                width = 16 if name in OF_ROWS else next((WIDTH[f] for f in flags if f in WIDTH), 4)
                found.append((address, line, f"{OPERATION[name]}{width}", bool(match[2]), match[3]))
    merged: dict[int, int] = {}
    for start, end in {
        (labels[t], a) for a, targets in jumps for t in targets if t in labels and labels[t] < a
    }:
        merged[start] = max(end, merged.get(start, 0))
    ordered = sorted(merged.items())
    return [
        Machine(
            where,
            operation,
            predicated,
            tuple(n for n, (s, e) in enumerate(ordered) if s <= a <= e),
            opcode,
            a,
        )
        for a, where, operation, predicated, opcode in found
    ]
