"""A kernel of a cubin under a launch: counts by instruction and by source line.

In: a cubin's bytes, its disassembly, a launch, a device. Out: `LineCount`s. Never: a file, or a
tool.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Set

import numpy as np

from kernlint.base.dataclass import dataclass, replace
from kernlint.hardware.devices import Device
from kernlint.machine_code.accesses import RequestCosts, kind
from kernlint.machine_code.debug_lines import LineTable, SourceLine, line_tables
from kernlint.machine_code.disassembly import functions
from kernlint.machine_code.elf import Cubin, MachineCodeError, MachineKernel, read
from kernlint.machine_code.launch import CONSTANTS_BANK, MachineLaunch
from kernlint.machine_code.machine import LaneMachine
from kernlint.machine_code.program import MachineProgram
from kernlint.machine_code.ptx_objects import Objects
from kernlint.machine_code.ptx_sites import PtxSites
from kernlint.machine_code.tally import Count

LANES = 1 << 16  # that are executed at once: the arrays of a few registers fit into the cache
CONTENT_BYTES = 1 << 25  # of shared memory that is tracked at once
LineKey = tuple[SourceLine | None, str, str, SourceLine | None]  # place, space, operation, site
Rows = list[tuple[int, Count]]  # instructions and what they count
BUDGET = 1 << 31  # instructions times lanes of a launch, about ten seconds


@dataclass(frozen=True, slots=True)
class LineCount:
    """What the memory instructions charged to a line do, of one space and operation: sums over the
    launch. `bits` are the widths of the instructions; `doubt` is "" where all is exact. `site`: the
    line of the user's that calls what is charged to a header. `objects`: what all its addresses may begin
    with, as PTX names it; `parts`: the counts by objects."""

    place: SourceLine | None
    space: str
    op: str
    bits: tuple[int, ...]
    predicated: bool
    requests: int
    threads: int
    units: int
    ideal: int
    least: int
    most: int
    doubt: str
    site: SourceLine | None = None
    objects: Objects = frozenset()
    parts: tuple[LineCount, ...] = ()


class Module:
    """A cubin and its code. Programs are made once. `ptx`: the text that it was made of, "" where
    that is not known; `spills`: bytes of spilled registers by function, as far as they are."""

    def __init__(
        self, cubin: Cubin, listing: str, ptx: str = "", spills: Mapping[str, int] | None = None
    ) -> None:
        self.cubin, self.spills = cubin, spills or {}
        self.sites = PtxSites(cubin, ptx)
        self.code = functions(listing)
        self.lines: Mapping[str, LineTable] = line_tables(cubin)
        self.kernels = {kernel.name: kernel for kernel in cubin.kernels}
        self._programs: dict[str, MachineProgram] = {}

    @staticmethod
    def of(
        data: bytes, listing: str, ptx: str = "", spills: Mapping[str, int] | None = None
    ) -> Module:
        return Module(read(data), listing, ptx, spills)

    @property
    def constants(self) -> dict[str, bytes]:
        """What `__constant__` variables begin with."""
        return {
            symbol: kernel.banks[CONSTANTS_BANK][place.start : place.stop]
            for kernel in self.cubin.kernels
            for symbol, place in kernel.constants.items()
        }

    def program(self, name: str) -> MachineProgram:
        if name not in self._programs:
            if name not in self.code:
                raise MachineCodeError(f"nvdisasm lists no instructions of {name}")
            kernel: MachineKernel = self.kernels[name]
            self._programs[name] = MachineProgram(kernel, self.code[name], self.cubin.architecture)
        return self._programs[name]

    def count(
        self,
        name: str,
        launch: MachineLaunch,
        device: Device,
        files: Set[str] = frozenset(),
    ) -> list[LineCount]:
        """By line, space and operation, in the order of the code; what is charged outside of
        `files` (names without folders) by the line of theirs that it is called from, too."""
        program = self.program(name)
        tallies = run(program, launch, device)
        table = self.lines.get(name)
        groups: dict[LineKey, Rows] = {}
        for (index, space), count in sorted(tallies.items()):
            ins = program.code[index]
            place = table.at(ins.address) if table is not None else None
            site = None
            if files and place is not None and _name(place) not in files:
                chain = self.sites.chain(name, ins)
                site = next((each for each in chain if _name(each) in files), None)
            groups.setdefault((place, space, kind(ins).op, site), []).append((index, count))
        return [self._by_objects(program, key, rows) for key, rows in groups.items()]

    def _by_objects(self, program: MachineProgram, key: LineKey, rows: Rows) -> LineCount:
        groups: dict[Objects, Rows] = {}
        for index, count in rows:
            objects = self.sites.objects(program.kernel.name, program.code[index])
            groups.setdefault(objects, []).append((index, count))
        parts = tuple(_line(program, key, own, objects) for objects, own in groups.items())
        whole = _line(program, key, rows, frozenset().union(*groups))
        return replace(whole, parts=parts)


def _name(place: SourceLine) -> str:
    return os.path.basename(place.path)


def run(
    program: MachineProgram, launch: MachineLaunch, device: Device
) -> dict[tuple[int, str], Count]:
    """Counts by (instruction, space), over all blocks."""
    program.gave_up = ""
    tallies: dict[tuple[int, str], Count] = {}
    doubted: set[int] = set()
    budget = BUDGET
    step = _blocks_at_once(program, launch)
    costs, machine = RequestCosts(device), None
    for start in range(0, launch.blocks, step):
        blocks = np.arange(start, min(start + step, launch.blocks))
        machine = LaneMachine(program, launch, costs, blocks, tallies, budget)
        machine.doubted = doubted
        machine.run()
        budget = machine.budget
        if program.gave_up:
            break
    if machine is not None:
        machine.finish()
    return tallies


def _blocks_at_once(program: MachineProgram, launch: MachineLaunch) -> int:
    lanes = -(-launch.threads // 32) * 32
    count = max(1, LANES // lanes)
    if program.tracks_contents:
        size = program.kernel.static_shared_bytes + launch.dynamic_shared_bytes + 1024
        size += program.stack_bytes * lanes if program.uses_local else 0
        count = max(1, min(count, CONTENT_BYTES // size))
    return count


def _line(program: MachineProgram, key: LineKey, rows: Rows, objects: Objects) -> LineCount:
    place, space, op, site = key
    kinds = {kind(program.code[index]).bits for index, _ in rows}
    guarded = any(program.code[index].guard is not None for index, _ in rows)
    counts = [count for _, count in rows]
    return LineCount(
        place,
        space,
        op,
        tuple(sorted(kinds)),
        guarded,
        sum(count.requests for count in counts),
        sum(count.threads for count in counts),
        sum(count.units for count in counts),
        sum(count.ideal for count in counts),
        min(count.least for count in counts),
        max(count.most for count in counts),
        next((count.doubt for count in counts if count.doubt), ""),
        site,
        objects,
    )
