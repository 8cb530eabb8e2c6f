"""Which lanes meet where: banks of shared memory, sectors and lines of global memory, for the costliest request of an access.

Goes in: an access, the device. Comes out: rows of a map. Counts nothing that the hardware model does not.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.facts import Access
from kernlint.hardware import Device
from kernlint.records import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """One bank with the words that lanes want of it, or one sector: `words` maps a word (or the sector itself) to its lanes."""

    number: int
    words: tuple[tuple[int, tuple[int, ...]], ...]

    @property
    def load(self) -> int:
        """Different words of the bank: the wavefronts that it alone would need."""
        return len(self.words)

    @property
    def lanes(self) -> tuple[int, ...]:
        return tuple(sorted({lane for _, some in self.words for lane in some}))


def banks(access: Access, device: Device, first_lane: int = 0, lanes: int | None = None) -> list[Place]:
    """Every bank, used or not; of the lanes that go together when `lanes` of them do."""
    found: dict[int, dict[int, list[int]]] = {bank: {} for bank in range(device.banks)}
    for lane, offset in _active(access, first_lane, lanes):
        for word in range(offset // device.bank_bytes, (offset + access.bytes - 1) // device.bank_bytes + 1):
            found[word % device.banks].setdefault(word, []).append(lane)
    return [Place(bank, tuple((word, tuple(some)) for word, some in sorted(words.items()))) for bank, words in found.items()]


def sectors(access: Access, device: Device) -> list[Place]:
    """The sectors touched, in order."""
    found: dict[int, list[int]] = {}
    for lane, offset in _active(access, 0, None):
        for sector in range(offset // device.sector_bytes, (offset + access.bytes - 1) // device.sector_bytes + 1):
            found.setdefault(sector, []).append(lane)
    return [Place(sector, ((sector, tuple(some)),)) for sector, some in sorted(found.items())]


def _active(access: Access, first: int, count: int | None) -> Iterator[tuple[int, int]]:
    lanes = access.example.lanes if access.example is not None else ()
    last = len(lanes) if count is None else first + count
    return ((lane, offset) for lane, offset in enumerate(lanes) if offset is not None and first <= lane < last)


def together(access: Access, device: Device) -> int:
    """How many lanes go in one pass: all of them, or half or a quarter warp of wide accesses."""
    return min(device.warp_lanes, device.schedule(access.hardware_op, access.bytes).lanes)
