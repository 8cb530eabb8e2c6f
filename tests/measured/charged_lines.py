"""Which source line nvcc charges each memory instruction of a program to; needs nvcc but no GPU.

usage: python -m tests.measured.charged_lines PROGRAM.cu…

In: programs. Out, per kernel: address, opcode, line that a profiler names, and every line that the
line table has there. The first instruction of an inlined function has two, the call's and its own;
profilers name the first, so up to the table's next entry accesses are charged to the call. Lines
and counts are those of Nsight Compute for all 2,591 memory instructions of the measured programs.
"""

from __future__ import annotations

import struct
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.compiler import toolkit

OPCODES = {
    0x381: "LDG", 0x981: "LDG", 0x386: "STG", 0x986: "STG", 0x984: "LDS", 0x388: "STS", 0x988: "STS", 0x38C: "ATOMS", 0x38D: "ATOMS",
    0x98C: "ATOMS", 0xF8C: "ATOMS", 0x98E: "REDG", 0x9A6: "REDG", 0x3A8: "ATOMG", 0x9A8: "ATOMG", 0xFAE: "LDGSTS", 0x983: "LDL",
    0x387: "STL", 0x987: "STL", 0x980: "LD", 0x985: "ST", 0x83B: "LDSM", 0x844: "STSM",
}  # fmt: skip
INSTRUCTION_BYTES = 16


@dataclass(frozen=True, slots=True)
class Row:
    address: int
    file: str
    line: int


@dataclass(slots=True)
class Reader:
    data: bytes
    at: int = 0

    def take(self, form: str) -> int:
        value: int = struct.unpack_from("<" + form, self.data, self.at)[0]
        self.at += struct.calcsize("<" + form)
        return value

    def leb(self, signed: bool = False) -> int:
        value = shift = 0
        while True:
            byte = self.take("B")
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value - (1 << shift) if signed and byte & 64 else value

    def text(self) -> str:
        end = self.data.index(b"\0", self.at)
        value = self.data[self.at : end].decode()
        self.at = end + 1
        return value


@dataclass(frozen=True, slots=True)
class Section:
    name: str
    offset: int
    data: bytes


def sections(data: bytes) -> dict[str, Section]:
    table = struct.unpack_from("<Q", data, 0x28)[0]
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", data, table + size * k) for k in range(count)]
    start = headers[names][4]
    found = {}
    for name, kind, _, _, offset, length in headers:
        title = Reader(data, start + name).text()
        found[title] = Section(title, offset, b"" if kind == 8 else data[offset : offset + length])
    return found


def relocated(parts: dict[str, Section]) -> dict[int, str]:
    """Offset in the line table of an address to fill in: the symbol it belongs to."""
    found = {}
    for name, step in ((".rel.debug_line", 16), (".rela.debug_line", 24)):
        entries = parts[name].data if name in parts else b""
        for at in range(0, len(entries), step):
            offset, info = struct.unpack_from("<QQ", entries, at)
            symbol = struct.unpack_from("<I", parts[".symtab"].data, 24 * (info >> 32))[0]
            found[offset] = Reader(parts[".strtab"].data, symbol).text()
    return found


def line_rows(parts: dict[str, Section]) -> dict[str, list[Row]]:
    """The rows of `.debug_line` by function."""
    places = relocated(parts)
    reader = Reader(parts[".debug_line"].data)
    rows: dict[str, list[Row]] = {}
    while reader.at < len(reader.data):
        _program(reader, places, rows)
    return rows


def _program(r: Reader, places: dict[int, str], rows: dict[str, list[Row]]) -> None:
    length = r.take("I")
    end = r.at + length
    r.take("H")
    start = r.take("I") + r.at
    step, _, base, span, first = (r.take(f) for f in "BBbBB")
    lengths = [r.take("B") for _ in range(first - 1)]
    while r.text():
        continue
    files = [""]
    while name := r.text():
        files.append(name.rpartition("/")[2])
        for _ in range(3):
            r.leb()
    r.at = start
    address, file, line, function = 0, 1, 1, ""
    while r.at < end:
        op = r.take("B")
        if op >= first:
            address, line = address + (op - first) // span * step, line + base + (op - first) % span
        elif op == 0:
            size, at = r.leb(), r.at
            kind = r.take("B")
            if kind == 2:
                function, address = places.get(r.at, ""), r.take("Q")
            r.at = at + size
            if kind == 1:
                address, file, line = 0, 1, 1
        elif op in (2, 3, 4, 8, 9):
            address += {
                2: lambda: r.leb() * step,
                8: lambda: (255 - first) // span * step,
                9: lambda: r.take("H"),
            }.get(op, lambda: 0)()
            line += r.leb(True) if op == 3 else 0
            file = r.leb() if op == 4 else file
        elif op != 1:
            for _ in range(lengths[op - 1]):
                r.leb()
        if op >= first or op == 1:
            rows.setdefault(function.removeprefix(".text."), []).append(
                Row(address, files[file], line)
            )


def main() -> None:
    for program in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as folder:
            parts = sections(toolkit.cubin(Path(program), Path(folder)).read_bytes())
        table = line_rows(parts)
        for section in parts.values():
            if not section.name.startswith(".text."):
                continue
            print(section.name.removeprefix(".text."))
            rows = table.get(section.name.removeprefix(".text."), [])
            for address in range(0, len(section.data), INSTRUCTION_BYTES):
                name = OPCODES.get(struct.unpack_from("<H", section.data, address)[0] & 0xFFF)
                last = max((row.address for row in rows if row.address <= address), default=None)
                lines = [f"{row.file}:{row.line}" for row in rows if row.address == last]
                if name:
                    print(
                        f"  {address:6x} {name:6} {lines[0] if lines else '?':24} {' '.join(lines)}"
                    )


if __name__ == "__main__":
    main()
