"""The launch that a kernel's machine code is executed for: sizes, arguments, constant bank 0.

In: grid, block, dynamic shared bytes, an argument per parameter. Out: the special registers and the
constant bank. Never: a default that the caller did not choose.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from itertools import count

import numpy as np

from kernlint.base.dataclass import dataclass
from kernlint.machine_code.elf import MachineKernel
from kernlint.machine_code.values import KNOWN, UNKNOWN, Array

ALLOCATION = 1 << 40  # distance of the allocations that pointers are taken to point to
_BANK_BYTES = 0x8000
CONSTANTS_BANK = 3


@dataclass(frozen=True, slots=True)
class DevicePointer:
    """An argument that points `offset` bytes into an allocation of its own, which begins at a
    multiple of 256 bytes as cudaMalloc gives it."""

    offset: int = 0


@dataclass(frozen=True, slots=True)
class ArgumentMember:
    """A known member of a class passed by value, at an offset in it."""

    offset: int
    size: int
    value: int | DevicePointer


Argument = int | DevicePointer | tuple[ArgumentMember, ...] | None  # None: not known


@dataclass(frozen=True, slots=True)
class MachineLaunch:
    """Sizes in blocks and threads by axis; `arguments` by the parameter's ordinal; `initial`: symbols
    of `__constant__` variables that hold what the cubin gives them."""

    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    dynamic_shared_bytes: int = 0
    arguments: Mapping[int, Argument] | None = None
    initial: frozenset[str] = frozenset()

    @property
    def threads(self) -> int:
        return self.block[0] * self.block[1] * self.block[2]

    @property
    def blocks(self) -> int:
        return self.grid[0] * self.grid[1] * self.grid[2]


@dataclass(frozen=True, slots=True)
class Bank:
    """A constant bank: bytes, and the state of each."""

    data: Array
    state: Array


@dataclass(frozen=True, slots=True)
class _Places:
    """Byte offsets in constant bank 0 of what the driver writes there."""

    block: int
    grid: int
    stack: int


# sm_70 to sm_90; sm_100 and later
_BEFORE = _Places(0x0, 0xC, 0x28)
_FROM_100 = _Places(0x360, 0x370, 0x37C)


def constant_bank(
    kernel: MachineKernel, launch: MachineLaunch, architecture: int, stack: int
) -> Bank:
    """Bank 0 for the launch; `stack`: what the stack pointer begins with."""
    bank = Bank(np.zeros(_BANK_BYTES, np.uint8), np.full(_BANK_BYTES, UNKNOWN, np.uint8))
    places = _FROM_100 if architecture >= 100 else _BEFORE
    for axis in range(3):
        _write(bank, places.block + 4 * axis, launch.block[axis], 4)
        _write(bank, places.grid + 4 * axis, launch.grid[axis], 4)
    _write(bank, places.stack, stack, 4)
    allocations = count(1)
    for parameter in kernel.parameters:
        argument = (launch.arguments or {}).get(parameter.ordinal)
        if isinstance(argument, int | DevicePointer):
            argument = (ArgumentMember(0, min(parameter.size, 8), argument),)
        for member in argument or ():
            value = member.value
            if isinstance(value, DevicePointer):
                value = ALLOCATION * next(allocations) + value.offset
            at = kernel.parameter_base + parameter.offset + member.offset
            _write(bank, at, value, member.size)
    return bank


def constants_bank(kernel: MachineKernel, launch: MachineLaunch) -> Bank:
    """Bank 3: `__constant__` variables, of which the host may have changed all but the initial
    ones."""
    bank = literal_bank(kernel.banks.get(CONSTANTS_BANK, b""))
    state = np.full(len(bank.data), UNKNOWN, np.uint8)
    for name in launch.initial & kernel.constants.keys():
        place = kernel.constants[name]
        state[place.start : place.stop] = KNOWN
    return Bank(bank.data, state)


def literal_bank(data: bytes) -> Bank:
    """A bank that the cubin itself fills."""
    return Bank(np.frombuffer(data, np.uint8), np.full(len(data), KNOWN, np.uint8))


def _write(bank: Bank, offset: int, value: int, size: int) -> None:
    data = struct.pack("<Q", value & (1 << 64) - 1)[:size]
    bank.data[offset : offset + size] = np.frombuffer(data, np.uint8)
    bank.state[offset : offset + size] = KNOWN
