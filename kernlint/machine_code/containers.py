"""The cubins in a file: a cubin itself, a fatbin, or a program, library or object with fatbins.

In: bytes. Out: the bytes of each cubin. Raises `MachineCodeError` where there is none, or where one
is compressed in a way that is not read here. Never: PTX, which such files may hold too.

The layout of fatbins is not documented; it was read off those of nvcc 12 and 13.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from kernlint.machine_code.elf import CUDA, MAGIC, MachineCodeError, sections

_FATBIN = struct.pack("<I", 0xBA55ED50)
_HOLDING = (".nv_fatbin", "__nv_relfatbin")  # sections of host files
_HEADER = 16  # bytes that a fatbin's header has at least
_ELF = 2  # kinds of entries: 1 PTX, 2 a cubin
_LZ4, _ZSTD = 0x2000, 0x8000  # flags of an entry
_MINIMUM = 4  # bytes that a repetition of LZ4 has at least


def is_machine_code(head: bytes) -> bool:
    """Whether a file that begins so may hold cubins."""
    return head.startswith((MAGIC, _FATBIN))


def cubins(data: bytes) -> list[bytes]:
    try:
        found = list(_cubins(data))
    except (struct.error, IndexError, ValueError, OverflowError) as error:
        raise MachineCodeError(f"this file is damaged ({error})") from error
    if not found:
        raise MachineCodeError(
            "it holds no CUDA machine code (PTX alone: `cuobjdump -ptx` shows it)"
            if _FATBIN in data
            else "it holds no CUDA machine code"
        )
    return found


def _cubins(data: bytes) -> Iterator[bytes]:
    if data.startswith(_FATBIN):
        yield from _entries(data)
    elif data.startswith(MAGIC):
        if struct.unpack_from("<H", data, 18)[0] == CUDA:
            yield data
        else:
            for section in sections(data):
                if section.name in _HOLDING:
                    yield from _entries(section.data)


def _entries(data: bytes) -> Iterator[bytes]:
    """The cubins of fatbins, which lie one behind the other, aligned."""
    at = data.find(_FATBIN)
    while at >= 0:
        header, size = struct.unpack_from("<HQ", data, at + 6)
        if header < _HEADER:
            raise ValueError("a fatbin without a header")
        at += header
        end = at + size
        while at < end:
            kind, _, length, held = struct.unpack_from("<HHIQ", data, at)
            if kind == _ELF:
                yield _unpacked(data, at, length, held)
            if not length:
                raise ValueError("an entry without a header")
            at += length + held
        at = data.find(_FATBIN, end)


def _unpacked(data: bytes, at: int, length: int, held: int) -> bytes:
    (packed,) = struct.unpack_from("<I", data, at + 16)
    (flags,) = struct.unpack_from("<Q", data, at + 40)
    body = data[at + length : at + length + (packed or held)]
    if not packed:
        return body
    if flags & _LZ4:
        return lz4(body)
    how = "zstd" if flags & _ZSTD else "a method that is not known"
    raise MachineCodeError(
        f"its machine code is compressed by {how}; `cuobjdump -xelf all` writes the cubins"
    )


def lz4(data: bytes) -> bytes:
    """A block of LZ4: literals, then a repetition of what came before, over and over."""
    made, at = bytearray(), 0
    while at < len(data):
        token = data[at]
        count, at = _count(data, at + 1, token >> 4)
        made += data[at : at + count]
        at += count
        if at >= len(data):
            break
        (distance,) = struct.unpack_from("<H", data, at)
        count, at = _count(data, at + 2, token & 15)
        start = len(made) - distance
        if not 0 <= start < len(made):
            raise ValueError("a repetition of what is not there")
        for index in range(count + _MINIMUM):
            made.append(made[start + index])
    return bytes(made)


def _count(data: bytes, at: int, first: int) -> tuple[int, int]:
    """(a number that goes on in further bytes where its first digit is 15, where it ends)."""
    total, more = first, first == 15
    while more:
        total += data[at]
        more = data[at] == 255
        at += 1
    return total, at
