"""Which places of the source an instruction stands for, through the PTX that it was made of.

In: a cubin and the text of its PTX, with line tables. Out: per kernel and address the chain of places,
that of the inlined function first, its calls behind. Never: a place that the PTX does not state: an
instruction whose PTX line does something else has none.

The line table of a cubin names one place for each instruction; code inlined from a header is
charged to the header there. A cubin made with `-lineinfo` also names the line of PTX
(`.nv_debug_line_sass`), and PTX has `.loc file line column, inlined_at file line column`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from kernlint.base.dataclass import dataclass
from kernlint.machine_code.accesses import kind
from kernlint.machine_code.control_flow import MEMORY
from kernlint.machine_code.debug_lines import LineTable, SourceLine, line_tables
from kernlint.machine_code.elf import Cubin
from kernlint.machine_code.instructions import MachineInstruction
from kernlint.machine_code.ptx_objects import Objects, accessed_objects

_FILE = re.compile(r'\s*\.file\s+(\d+)\s+"([^"]*)"')
_LOC = re.compile(r"\s*\.loc\s+(\d+) (\d+) (\d+)(?:.*\binlined_at (\d+) (\d+) (\d+))?")
_ACCESS = re.compile(r"(?:@!?%p\d+\s+)?(ld|st|atom|red)(?:\.\w+)*?\.(global|shared)\b")
_NAMELESS: Objects = frozenset()
_DEEPEST = 32  # calls within calls
_OPERATIONS = {"ld": "load", "st": "store", "atom": "atomic", "red": "atomic"}

Position = tuple[int, int, int]  # file, line, column
Chain = tuple[SourceLine, ...]


@dataclass(frozen=True, slots=True)
class PtxAccess:
    """An instruction of PTX that accesses memory: `op` and `space` as counters name them."""

    space: str
    op: str
    chain: Chain


class PtxSites:
    """By kernel and instruction."""

    def __init__(self, cubin: Cubin, ptx: str) -> None:
        self._lines: Mapping[str, LineTable] = {}
        self._accesses: Mapping[int, PtxAccess] = {}
        self._objects: Mapping[int, Objects] = {}
        text = ptx or _held(cubin)
        if text:
            self._lines = line_tables(cubin, ".nv_debug_line_sass")
            self._accesses = ptx_accesses(ptx.splitlines())
            self._objects = accessed_objects(text.splitlines())

    def objects(self, kernel: str, instruction: MachineInstruction) -> Objects:
        """What the address of a memory instruction may begin with, as PTX names it."""
        table = self._lines.get(kernel)
        place = table.at(instruction.address) if table is not None else None
        return self._objects.get(place.line, _NAMELESS) if place is not None else _NAMELESS

    def chain(self, kernel: str, instruction: MachineInstruction) -> Chain:
        """() where nothing is known."""
        table = self._lines.get(kernel)
        place = table.at(instruction.address) if table is not None else None
        found = self._accesses.get(place.line) if place is not None else None
        if found is None or instruction.family not in MEMORY:
            return ()
        what = kind(instruction)
        return found.chain if (found.space, found.op) == (what.space, what.op) else ()


def _held(cubin: Cubin) -> str:
    """The text that the cubin itself holds, without its `.loc` lines: they are empty."""
    section = cubin.sections.get(".nv_debug_ptx_txt")
    return section.data.decode(errors="replace").replace("\0", "\n") if section else ""


def ptx_accesses(lines: Sequence[str]) -> dict[int, PtxAccess]:
    """The memory instructions of a PTX module by their line, the first being 1."""
    files = {int(m[1]): m[2] for m in map(_FILE.match, lines) if m is not None}
    callers: dict[Position, set[Position | None]] = defaultdict(set)
    here: tuple[Position, Position | None] | None = None
    found: dict[int, tuple[PtxAccess, Position, Position | None]] = {}
    for number, text in enumerate(lines, 1):
        if match := _LOC.match(text):
            here = _positions(match)
            callers[here[0]].add(here[1])
        elif here is not None and (access := _ACCESS.match(text.strip())):
            found[number] = PtxAccess(access[2], _OPERATIONS[access[1]], ()), *here
    return {
        number: replace(access, chain=_chain(place, caller, callers, files))
        for number, (access, place, caller) in found.items()
    }


def _positions(match: re.Match[str]) -> tuple[Position, Position | None]:
    first = int(match[1]), int(match[2]), int(match[3])
    if match[4] is None:
        return first, None
    return first, (int(match[4]), int(match[5]), int(match[6]))


def _chain(
    place: Position,
    caller: Position | None,
    callers: Mapping[Position, set[Position | None]],
    files: Mapping[int, str],
) -> Chain:
    """A place, and where the functions around it are called, outwards: up to one that several
    places call."""
    found = [SourceLine(files.get(place[0], ""), place[1])]
    while caller is not None and len(found) < _DEEPEST:
        found.append(SourceLine(files.get(caller[0], ""), caller[1]))
        known = callers.get(caller, set())
        caller = next(iter(known)) if len(known) == 1 else None
    return tuple(found)
