"""The parts of a cubin: kernels with their code, parameters and resources.

In: the bytes of a 64-bit little-endian ELF file as ptxas writes it. Out: a `Cubin`. Raises
`MachineCodeError` for other files. Never: the meaning of an instruction.

The attributes of `.nv.info` are not documented; the ones read here (numbers as `readelf` of the
CUDA binary utilities names them) were compared with the counters of 150 launches.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import field

from kernlint.base.dataclass import dataclass

MAGIC = b"\x7fELF"
CUDA = 190  # e_machine of NVIDIA's code
_NOBITS = 8
CONSTANTS = ".nv.constant3"  # the section of `__constant__` variables

# attributes of .nv.info
_PARAMETER_BANK = 0x0A
_FRAME_SIZE = 0x11
_MIN_STACK_SIZE = 0x12
_PARAMETER = 0x17
_JUMP_TARGETS = 0x34
_REGISTERS = 0x2F
_BLOCKS_OF_CLUSTER = 0x3D
_FORM_VALUE = 0x04  # forms: 1 none, 2 a byte, 3 two bytes, 4 a size and as many bytes

LEAST_REGISTERS = 16  # a thread is given 16 at least (150 of 150 launches)


class MachineCodeError(Exception):
    """A file that is not machine code as read here, or a tool that failed. The text says why."""


class ToolTimeout(MachineCodeError):
    """A program of the toolkit took too long, as another time it may not."""


@dataclass(frozen=True, slots=True)
class ElfSection:
    """One section: `link` and `info` are indices of other sections; `data` is empty for NOBITS."""

    name: str
    kind: int
    data: bytes
    size: int
    link: int
    info: int


@dataclass(frozen=True, slots=True)
class ElfSymbol:
    """A symbol at `value` of section number `section`."""

    name: str
    value: int
    size: int
    section: int


@dataclass(frozen=True, slots=True)
class KernelParameter:
    """A kernel's parameter number `ordinal`: `size` bytes at `offset` of the parameter block."""

    ordinal: int
    offset: int
    size: int


@dataclass(frozen=True, slots=True)
class MachineKernel:
    """A kernel of a cubin, under its mangled name. Sizes in bytes; `parameter_base` is where the
    parameter block begins in constant bank 0; `static_shared_bytes` leaves out what the system
    reserves; `banks` are the contents of constant banks other than 0; `symbols` are functions in
    the kernel's own section, by name; `in_clusters`: it is always launched in clusters;
    `jump_targets`: where an indirect branch may go, by its address; `constants`: the bytes of bank 3 that
    each `__constant__` variable takes."""

    name: str
    parameters: tuple[KernelParameter, ...]
    parameter_base: int
    registers: int
    static_shared_bytes: int
    frame_bytes: int
    stack_bytes: int
    banks: Mapping[int, bytes]
    symbols: Mapping[str, int]
    in_clusters: bool = False
    jump_targets: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    constants: Mapping[str, range] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Cubin:
    """A cubin's kernels and its sections by name; `architecture` is 90 for sm_90."""

    architecture: int
    kernels: tuple[MachineKernel, ...]
    sections: Mapping[str, ElfSection]
    relocations: Mapping[str, tuple[tuple[int, str], ...]]  # section: (offset, symbol)


def read(data: bytes) -> Cubin:
    """The cubin in `data`; MachineCodeError where it is none."""
    if data[:4] != MAGIC or len(data) < 64 or data[4:6] != b"\x02\x01":
        raise MachineCodeError("this is not a 64-bit ELF file")
    try:
        return _read(data)
    except (struct.error, IndexError, ValueError, OverflowError) as error:
        raise MachineCodeError(f"this ELF file is damaged ({error})") from error


def _read(data: bytes) -> Cubin:
    machine = struct.unpack_from("<H", data, 18)[0]
    if machine != CUDA:
        raise MachineCodeError(f"this ELF file holds no CUDA machine code (machine {machine})")
    found = tuple(sections(data))
    symbols = _symbols(found)
    by_name = {section.name: section for section in found}
    common = _common_attributes(by_name, symbols)
    constants = _constants(found, symbols)
    kernels = tuple(
        _kernel(section.name.removeprefix(".text."), index, by_name, symbols, common, constants)
        for index, section in enumerate(found)
        if section.name.startswith(".text.") and ".nv.info." + section.name[6:] in by_name
    )
    return Cubin(_architecture(data, by_name), kernels, by_name, _relocations(found, symbols))


def _architecture(data: bytes, sections: Mapping[str, ElfSection]) -> int:
    """The compute capability: from the note where there is one, else the low byte of the flags (up
    to CUDA 12)."""
    note = sections.get(".note.nv.cuinfo")
    if note is not None and len(note.data) >= 24:
        names, _, _ = struct.unpack_from("<III", note.data)
        virtual: int = struct.unpack_from("<HH", note.data, 12 + (names + 3 & -4))[1]
        if virtual:
            return virtual
    flags: int = struct.unpack_from("<I", data, 48)[0]
    return flags & 0xFF


def sections(data: bytes) -> Iterator[ElfSection]:
    """The sections of an ELF file of 64 bits, whatever machine it is for."""
    start = struct.unpack_from("<Q", data, 40)[0]
    size, count, names = struct.unpack_from("<HHH", data, 58)
    rows = [struct.unpack_from("<IIQQQQIIQQ", data, start + size * i) for i in range(count)]
    strings = rows[names][4]
    for name, kind, _, _, offset, length, link, info, _, _ in rows:
        held = b"" if kind == _NOBITS else data[offset : offset + length]
        yield ElfSection(_string(data, strings + name), kind, held, length, link, info)


def _string(data: bytes, start: int) -> str:
    return data[start : data.index(b"\0", start)].decode()


def _symbols(sections: tuple[ElfSection, ...]) -> tuple[ElfSymbol, ...]:
    table = next((section for section in sections if section.name == ".symtab"), None)
    if table is None:
        return ()
    strings = sections[table.link].data
    return tuple(
        ElfSymbol(_string(strings, name), value, size, section)
        for name, _, _, section, value, size in struct.iter_unpack("<IBBHQQ", table.data)
    )


def _relocations(
    sections: tuple[ElfSection, ...], symbols: tuple[ElfSymbol, ...]
) -> dict[str, tuple[tuple[int, str], ...]]:
    """What each section's relocations (with addend 0, as ptxas writes them) point at."""
    found: dict[str, list[tuple[int, str]]] = {}
    for section in sections:
        for prefix, form in ((".rela.", "<QQq"), (".rel.", "<QQ")):
            if section.name.startswith(prefix):
                rows = found.setdefault("." + section.name.removeprefix(prefix), [])
                for offset, which, *_ in struct.iter_unpack(form, section.data):
                    symbol = symbols[which >> 32]
                    name = symbol.name or sections[symbol.section].name
                    rows.append((offset, name.removeprefix(".text.")))
    return {name: tuple(rows) for name, rows in found.items()}


def _attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    """(attribute, its bytes)."""
    at = 0
    while at + 4 <= len(data):
        form, attribute, value = struct.unpack_from("<BBH", data, at)
        at += 4
        if form == _FORM_VALUE:
            yield attribute, data[at : at + value]
            at += value
        else:
            yield attribute, struct.pack("<H", value)


def _common_attributes(
    sections: Mapping[str, ElfSection], symbols: tuple[ElfSymbol, ...]
) -> dict[tuple[int, str], int]:
    """The attributes that the file states per kernel in one place: (attribute, kernel): value."""
    info = sections.get(".nv.info")
    result = {}
    for attribute, data in _attributes(info.data if info else b""):
        if attribute in (_REGISTERS, _FRAME_SIZE, _MIN_STACK_SIZE) and len(data) == 8:
            which, value = struct.unpack("<II", data)
            result[attribute, symbols[which].name] = value
    return result


def _kernel(
    name: str,
    index: int,
    sections: Mapping[str, ElfSection],
    symbols: tuple[ElfSymbol, ...],
    common: Mapping[tuple[int, str], int],
    constants: Mapping[str, range],
) -> MachineKernel:
    parameters = []
    base, in_clusters = 0, False
    jumps: dict[int, tuple[int, ...]] = {}
    for attribute, data in _attributes(sections[".nv.info." + name].data):
        if attribute == _PARAMETER:
            _, ordinal, offset, flags = struct.unpack("<IHHI", data)
            parameters.append(KernelParameter(ordinal, offset, flags >> 18))
        elif attribute == _PARAMETER_BANK:
            base = struct.unpack_from("<IH", data)[1]
        elif attribute == _BLOCKS_OF_CLUSTER:
            in_clusters = True
        elif attribute == _JUMP_TARGETS:
            jumps.update(_jump_targets(data))
    shared = sections.get(".nv.shared." + name)
    reserved = 1024 if ".nv.reservedSmem.offset0" in {symbol.name for symbol in symbols} else 0
    return MachineKernel(
        name,
        tuple(sorted(parameters, key=lambda parameter: parameter.ordinal)),
        base,
        max(LEAST_REGISTERS, common.get((_REGISTERS, name), 0)),
        max(0, shared.size - reserved) if shared is not None else 0,
        common.get((_FRAME_SIZE, name), 0),
        common.get((_MIN_STACK_SIZE, name), 0),
        _constant_banks(name, sections),
        {symbol.name: symbol.value for symbol in symbols if symbol.section == index},
        in_clusters,
        jumps,
        constants,
    )


def _constants(
    sections: tuple[ElfSection, ...], symbols: tuple[ElfSymbol, ...]
) -> dict[str, range]:
    """The bytes that each `__constant__` variable takes."""
    return {
        symbol.name: range(symbol.value, symbol.value + symbol.size)
        for symbol in symbols
        if symbol.section < len(sections) and symbol.size
        if sections[symbol.section].name == CONSTANTS
    }


def _jump_targets(data: bytes) -> Iterator[tuple[int, tuple[int, ...]]]:
    """(address of an indirect branch, where it may go)."""
    at = 0
    while at < len(data):
        branch, _, count = struct.unpack_from("<III", data, at)
        yield branch, struct.unpack_from(f"<{count}I", data, at + 12)
        at += 12 + 4 * count


def _constant_banks(name: str, sections: Mapping[str, ElfSection]) -> dict[int, bytes]:
    """Banks 2 (jump tables and literals of one kernel), 3 (`__constant__`) and 4 where present."""
    banks = {}
    for number in range(1, 18):
        for section in (f".nv.constant{number}", f".nv.constant{number}.{name}"):
            if section in sections:
                banks[number] = sections[section].data
    return banks
