"""Which lanes meet where, for the costliest request of an access: in banks of shared memory, in
sectors and lines of global memory, at words of constant memory.

Goes in: an access, the device. Comes out: rows of a map. Counts nothing that the hardware model
does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kernlint.base.dataclass import dataclass
from kernlint.hardware import Device, constant_word, lane_groups
from kernlint.model.facts import Access

LOCAL_WORD = 4  # bytes of a lane that lie together in local memory


@dataclass(frozen=True, slots=True)
class Demand:
    """One bank with the words that lanes want of it, or one sector: `words` maps a word (or the
    sector itself) to its lanes."""

    number: int
    words: tuple[tuple[int, tuple[int, ...]], ...]

    @property
    def load(self) -> int:
        """Different words of the bank: the wavefronts that it alone would need."""
        return len(self.words)

    @property
    def lanes(self) -> tuple[int, ...]:
        return tuple(sorted({lane for _, some in self.words for lane in some}))


@dataclass(frozen=True, slots=True)
class Turn:
    """Lanes of a shared request that go together, the banks that they use, and the wavefronts that
    this takes.

    `serial`: lanes on one word wait for each other too, as those of an atomic do.
    """

    lanes: tuple[int, ...]
    banks: tuple[Demand, ...]
    wavefronts: int
    serial: bool

    def load(self, place: Demand) -> int:
        """The wavefronts that one bank alone would need."""
        return sum(len(some) for _, some in place.words) if self.serial else place.load


@dataclass(frozen=True, slots=True)
class ByteRange:
    """Bytes of memory that some lanes want."""

    start: int
    bytes: int
    lanes: tuple[int, ...]


def turns(access: Access, device: Device) -> list[Turn]:
    """The groups of lanes that a shared request goes in, as the device's schedule says; those
    without an active lane are left out where they take no time. Their wavefronts add up to the
    example's."""
    if access.example is None:
        return []
    schedule = device.schedule(access.hardware_op, access.bytes)
    found = []
    for lanes in lane_groups(access.example.lanes, access.bytes, access.hardware_op, device):
        used = tuple(place for place in _banks(access, device, lanes) if place.words)
        turn = Turn(lanes, used, 0, schedule.mode == "lanes")
        worst = 1 if schedule.mode == "groups" else max(map(turn.load, used), default=0)
        if used or worst:
            found.append(Turn(lanes, used, worst * schedule.passes, turn.serial))
    return found


def banks(
    access: Access, device: Device, first_lane: int = 0, lanes: int | None = None
) -> list[Demand]:
    """Every bank, used or not; of the lanes that go together when `lanes` of them do."""
    return _banks(
        access,
        device,
        range(first_lane, first_lane + (device.warp_lanes if lanes is None else lanes)),
    )


def _banks(access: Access, device: Device, lanes: Iterable[int]) -> list[Demand]:
    found: dict[int, dict[int, list[int]]] = {bank: {} for bank in range(device.banks)}
    for lane, offset in _active(access, lanes):
        for word in range(
            offset // device.bank_bytes, (offset + access.bytes - 1) // device.bank_bytes + 1
        ):
            found[word % device.banks].setdefault(word, []).append(lane)
    return [
        Demand(bank, tuple((word, tuple(some)) for word, some in sorted(words.items())))
        for bank, words in found.items()
    ]


def sectors(access: Access, device: Device) -> list[Demand]:
    """The sectors touched, in order."""
    found: dict[int, list[int]] = {}
    for piece in pieces(access, device):
        for sector in range(
            piece.start // device.sector_bytes,
            (piece.start + piece.bytes - 1) // device.sector_bytes + 1,
        ):
            lanes = found.setdefault(sector, [])
            lanes += [lane for lane in piece.lanes if lane not in lanes]
    return [
        Demand(sector, ((sector, tuple(sorted(some))),)) for sector, some in sorted(found.items())
    ]


def pieces(access: Access, device: Device) -> list[ByteRange]:
    """The stretches of global or local memory that lanes want, each with all its lanes, in
    order."""
    found: dict[tuple[int, int], list[int]] = {}
    for lane, offset in _active(access, range(device.warp_lanes)):
        if access.space == "local":
            for at in range(offset, offset + access.bytes, LOCAL_WORD):
                found.setdefault(
                    (local_start(at, lane, device), min(access.bytes, LOCAL_WORD)), []
                ).append(lane)
        else:
            found.setdefault((offset, access.bytes), []).append(lane)
    return [ByteRange(start, size, tuple(lanes)) for (start, size), lanes in sorted(found.items())]


def local_start(offset: int, lane: int, device: Device) -> int:
    """Where a byte of a lane lies in local memory, in which the words of the lanes lie side by
    side: byte b of lane l at (b div 4)·128 + 4·l + b mod 4 for a warp of 32 (measured on sm_90, and
    so the sectors are counted)."""
    return (
        offset // LOCAL_WORD * LOCAL_WORD * device.warp_lanes
        + LOCAL_WORD * lane
        + offset % LOCAL_WORD
    )


def apart(access: Access, device: Device) -> list[ByteRange]:
    """The pieces without what an earlier one holds already."""
    found: list[ByteRange] = []
    end = 0
    for piece in pieces(access, device):
        start = max(piece.start, end)
        if start < piece.start + piece.bytes:
            found.append(ByteRange(start, piece.start + piece.bytes - start, piece.lanes))
        end = max(end, piece.start + piece.bytes)
    return found


def words(access: Access) -> list[Demand]:
    """The words of constant memory that lanes want, in order: the constant cache serves one at a
    time."""
    found: dict[int, list[int]] = {}
    lanes = access.example.lanes if access.example is not None else ()
    for lane, offset in _active(access, range(len(lanes))):
        found.setdefault(offset // constant_word(access.bytes), []).append(lane)
    return [Demand(word, ((word, tuple(some)),)) for word, some in sorted(found.items())]


def _active(access: Access, chosen: Iterable[int]) -> Iterator[tuple[int, int]]:
    lanes = access.example.lanes if access.example is not None else ()
    return (
        (lane, offset)
        for lane in chosen
        if lane < len(lanes) and (offset := lanes[lane]) is not None
    )


def together(access: Access, device: Device) -> int:
    """How many lanes go in one pass: all of them, or half or a quarter warp of wide accesses."""
    return min(device.warp_lanes, device.schedule(access.hardware_op, access.bytes).lanes)
