"""The smallest padding, a swizzle or a skew that takes the bank conflicts out of a measured
request.

Goes in: byte offsets of lanes in an array, its row length, the device. Comes out: a new layout,
checked with the hardware model against every measured request on the array as the compiler leaves
it, or None. Never a rule of thumb that was not counted.

A layout can undo what the compiler does: rows that are no multiple of 8 or 16 bytes any more keep
it from merging neighbouring words into one access, and the narrow accesses come back. That is
counted too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

from kernlint import hardware
from kernlint.base.dataclass import dataclass, field
from kernlint.checks.context import times
from kernlint.hardware import Device
from kernlint.model.facts import Access, Kernel

MATRICES = (
    "ldmatrix",
    "stmatrix",
)  # tiles of tensor cores are large, and what else reads and writes them goes by their rows
MERGED = ("load", "store")  # the operations whose neighbours the compiler merges
WIDE = (8, 16)  # bytes of a merged access
KEPT = 256  # arrays whose paddings are remembered
Offsets = tuple[int | None, ...]
Move = Callable[[int], int]


@dataclass(frozen=True, slots=True)
class Request:
    """One warp request on the array: byte offsets from its start, width and operation as the
    hardware model names them.

    `weight`: how often the like of it is executed. `merged`: the width that the compiler makes of
    several such requests; 0: none.
    """

    offsets: Offsets
    width: int
    op: str
    weight: float = 1.0
    merged: int = 0


@dataclass(frozen=True, slots=True)
class Padding:
    """`elements` to add to each row; wavefronts of the request it is for, now and with it (of all
    its parts where it comes apart); whether others get worse. `comes_apart`: bytes that the
    compiler merges now and can merge then, of the request left the narrowest where one comes apart.
    `total`: wavefronts of all requests by weight."""

    elements: int
    before: float
    after: float
    ideal: int
    others_pay: bool
    comes_apart: tuple[int, int] | None = None
    total: float = field(default=0.0, compare=False)


def of_member(access: Access, kernel: Kernel) -> tuple[Access, Kernel]:
    """The access and its kernel with the array in a structure as if it were declared alone; as they
    are where there is none."""
    if access.member is None or access.object_shape:
        return access, kernel
    own = {
        id(a): _alone(a)
        for a in kernel.accesses
        if (a.object, a.object_span, a.member) == (access.object, access.object_span, access.member)
    }
    return own[id(access)], replace(
        kernel, accesses=tuple(own.get(id(a), a) for a in kernel.accesses)
    )


def _alone(access: Access) -> Access:
    member, example = access.member, access.example
    assert member is not None and example is not None
    lanes = tuple(None if offset is None else offset - member.offset for offset in example.lanes)
    name = f"{access.object}{member.name}"
    return replace(
        access,
        object=name,
        object_shape=member.shape,
        element_bytes=member.element_bytes,
        example=replace(example, lanes=lanes),
    )


def requests_on(access: Access, kernel: Kernel) -> list[Request]:
    """The measured requests of all accesses of the kernel to the array of `access`, that one's
    first."""
    same = [
        a
        for a in kernel.accesses
        if a.object == access.object and a.object_span == access.object_span and a is not access
    ]
    found = [request_of(a) for a in (access, *same)]
    return [request for request in found if request is not None]


def request_of(access: Access) -> Request | None:
    """The measured request of an access, as compiled; None where nothing was measured or nothing is
    left of it."""
    compiled = access.as_compiled
    if access.example is None or (
        compiled is not None
        and (compiled.requests == 0 or compiled.reason in ("eliminated", "forwarded"))
    ):
        return None
    if compiled is not None and compiled.bytes > access.bytes:
        weight = float(compiled.requests or compiled.per_block or 1)
        return Request(
            access.example.lanes, access.bytes, access.hardware_op, weight, compiled.bytes
        )
    return Request(access.example.lanes, access.bytes, access.hardware_op, float(times(access)))


@dataclass(frozen=True, slots=True)
class Swizzle:
    """Column c of row r at c ^ (r / `down` % units * `together`), in rows of units of `together`
    elements. `total`: as `Padding`'s."""

    together: int
    down: int
    total: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class Solved:
    """The layouts of rows that serve an access: a padding, or a swizzle; both for tiles that whole
    matrices are read from."""

    padding: Padding | None = None
    swizzle: Swizzle | None = None


def solved(access: Access, kernel: Kernel, device: Device, row: int = 0) -> Solved:
    """The better of the smallest padding and a swizzle, by all measured requests on the array;
    neither where it has no rows. `row`: elements of a row of a flat array, which gets no swizzle
    here."""
    length = _row_length(access, row)
    if not length or request_of(access) is None:
        return Solved()
    target, *others = requests_on(access, kernel)
    row_bytes, element = length * access.element_bytes, access.element_bytes
    pad = smallest_padding(target, others, row_bytes, element, device)
    moved = (
        swizzle(target, others, row_bytes, element, device)
        if len(access.object_shape) > 1
        else None
    )
    if moved and (pad is None or _is_worth(moved, pad)):
        return Solved(swizzle=moved)
    return Solved(pad, moved if access.hardware_op in MATRICES else None)


def _is_worth(moved: Swizzle, pad: Padding) -> bool:
    """Whether a swizzle is better than a padding that leaves something to pay."""
    return moved.total < pad.total and (pad.others_pay or pad.after > pad.ideal)


def _row_length(access: Access, row: int) -> int:
    return (
        (access.object_shape[-1] if len(access.object_shape) > 1 else row)
        if access.element_bytes
        else 0
    )


def smallest_padding(
    target: Request, others: Sequence[Request], row_bytes: int, element_bytes: int, device: Device
) -> Padding | None:
    """The padding of the innermost dimension with the fewest wavefronts over all requests, the
    smallest of several equal ones.

    None where none at least halves the target's wavefronts, or the other requests lose more than it
    gains.
    """
    found = paddings(target, others, row_bytes, element_bytes, device)
    return min(found, key=lambda one: (one.total, one.elements), default=None)


def candidates(access: Access, kernel: Kernel, device: Device, row: int = 0) -> list[int]:
    """The paddings worth an analysis, the best by the measured requests first: the best of all, and
    the best of those whose rows are whole words, or whole 8 or 16 bytes, which keep neighbours
    apart or together that no request tells of."""
    length = _row_length(access, row)
    if not length or request_of(access) is None:
        return []
    target, *others = requests_on(access, kernel)
    row_bytes, element = length * access.element_bytes, access.element_bytes
    found = sorted(
        paddings(target, others, row_bytes, element, device),
        key=lambda one: (one.total, one.elements),
    )
    units = (1, device.bank_bytes, *WIDE)
    best = [
        next((one.elements for one in found if (row_bytes + one.elements * element) % unit == 0), 0)
        for unit in units
    ]
    return [pad for pad in dict.fromkeys(best) if pad]


def paddings(
    target: Request, others: Sequence[Request], row_bytes: int, element_bytes: int, device: Device
) -> Sequence[Padding]:
    """Those that cost fewer wavefronts over all requests and at least halve the target's, the
    smallest first."""
    if row_bytes <= 0 or element_bytes <= 0 or row_bytes % element_bytes:
        return ()
    return _paddings((target, *others), row_bytes, element_bytes, device)


@lru_cache(KEPT)
def _paddings(
    everything: tuple[Request, ...], row_bytes: int, element_bytes: int, device: Device
) -> tuple[Padding, ...]:
    """Of the first request: in an editor the same ones are asked for after each key."""
    target = everything[0]
    step = _step(everything, element_bytes)
    span = device.banks * max(device.bank_bytes, element_bytes) // element_bytes
    before = costs(everything, device)
    whole = _total(everything, before)
    ideal = hardware.ideal_wavefronts(target.offsets, target.width, target.op, device)
    pads = range(step, span + 1, step)
    padded = [
        [repitched(r, row_bytes, row_bytes + pad * element_bytes) for r in everything]
        for pad in pads
    ]
    counted = iter(costs([request for moved in padded for request in moved], device))
    found = []
    for pad, moved in zip(pads, padded, strict=True):
        after = [next(counted) for _ in moved]
        total = _total(moved, after)
        if total < whole and 2 * after[0] * moved[0].weight <= before[0] * target.weight:
            pay = any(new > old for new, old in zip(after[1:], before[1:], strict=True))
            left = [
                (r.merged, m.merged or m.width)
                for r, m in zip(everything, moved, strict=True)
                if m.merged != r.merged
            ]
            apart = min(left, key=lambda one: one[1], default=None)
            each = (
                after[0] * moved[0].weight / target.weight
            )  # a request that comes apart is several
            found.append(Padding(pad, before[0], each, ideal, pay, apart, total))
    return tuple(found)


def swizzle(
    target: Request, others: Sequence[Request], row_bytes: int, element_bytes: int, device: Device
) -> Swizzle | None:
    """The exclusive or of the row's number into the column, or of the number of the turn over the
    banks that the row lies in, that makes the target ideal and no other request worse. None where
    neither does."""
    everything = (target, *others)
    unit = max(element_bytes, *(max(request.width, request.merged) for request in everything))
    units = row_bytes // unit if unit else 0
    if units < 2 or units & (units - 1):
        return None
    if row_bytes % unit or unit % element_bytes:
        return None

    for down in sorted({1, max(1, device.banks * device.bank_bytes // row_bytes)}):

        def moved(offset: int, down: int = down) -> int:
            row, rest = divmod(offset, row_bytes)
            return row * row_bytes + ((rest // unit) ^ (row // down % units)) * unit + rest % unit

        if _helps(target, others, moved, device):
            total = _total(
                everything, [cost(_moved(request, moved), device) for request in everything]
            )
            return Swizzle(unit // element_bytes, down, total)
    return None


def skew(
    target: Request, others: Sequence[Request], element_bytes: int, device: Device
) -> int | None:
    """Elements per inserted gap: storing element i at i + i / gap makes `target` ideal and no other
    request worse; None otherwise."""
    if element_bytes <= 0 or any(
        max(request.width, request.merged) > element_bytes for request in (target, *others)
    ):
        return None
    gap = max(1, device.banks * device.bank_bytes // element_bytes)

    def skewed(offset: int) -> int:
        return offset + offset // element_bytes // gap * element_bytes

    return gap if _helps(target, others, skewed, device) else None


def cost(request: Request, device: Device) -> float:
    """Wavefronts of the request as compiled; where lanes take a part of a word each, the mean over
    where in it a loop may bring them."""
    return costs([request], device)[0]


def costs(requests: Sequence[Request], device: Device) -> list[float]:
    """Of each request what `cost` gives, those of one width and operation counted together."""
    rows: dict[tuple[int, str], list[Offsets]] = {}
    places: list[
        tuple[tuple[int, str], int, int]
    ] = []  # of each request: its table, its first row there, how many
    for request in requests:
        phases = _phases(request, device)
        kind = request.merged or request.width, request.op
        table = rows.setdefault(kind, [])
        places.append((kind, len(table), len(phases)))
        table += phases
    counted = {kind: _wavefronts(table, *kind, device) for kind, table in rows.items()}
    return [sum(counted[kind][first : first + count]) / count for kind, first, count in places]


def _phases(request: Request, device: Device) -> list[Offsets]:
    """The offsets that are counted for a request, each as likely as the others."""
    if request.merged:
        return [
            tuple(
                None if offset is None else offset // request.merged * request.merged
                for offset in request.offsets
            )
        ]
    steps = (
        range(0, device.bank_bytes, request.width)
        if 0 < request.width < device.bank_bytes
        else (0,)
    )
    return [
        tuple(None if offset is None else offset + step for offset in request.offsets)
        for step in steps
    ]


def _wavefronts(table: Sequence[Offsets], width: int, op: str, device: Device) -> list[int]:
    lanes = device.warp_lanes
    whole = [[*offsets, *[None] * (lanes - len(offsets))] for offsets in table]
    offsets = [[offset or 0 for offset in row] for row in whole]
    active = [[offset is not None for offset in row] for row in whole]
    return [int(count) for count in hardware.wavefront_rows(offsets, active, width, op, device)]


def free_when_merged(request: Request, device: Device) -> int:
    """The narrowest access without a conflict, in bytes, that the compiler could merge the like of
    a request into; 0 for none, as for atomics and copies, which it never merges."""
    if request.op not in MERGED:
        return 0
    for width in (2 * request.width << step for step in range(4)):
        starts = {offset % width for offset in request.offsets if offset is not None}
        if request.merged or width > WIDE[-1] or len(starts) != 1:
            return 0
        wide = replace(request, merged=width)
        if cost(wide, device) <= hardware.ideal_wavefronts(
            request.offsets, width, request.op, device
        ):
            return width
    return 0


def repitched(request: Request, row_bytes: int, pitch: int) -> Request:
    """The request on rows of `pitch` bytes instead of `row_bytes`. Rows that lose their alignment
    undo a merge, or leave one of half."""
    moved = _moved(request, lambda offset: offset // row_bytes * pitch + offset % row_bytes)
    if not request.merged or pitch % request.merged == 0:
        return moved
    left = max(request.width, pitch & -pitch)  # a power of two, as what is merged
    return replace(
        moved,
        merged=left if left > request.width else 0,
        weight=request.weight * request.merged / left,
    )


def _total(requests: Sequence[Request], costs: Sequence[float]) -> float:
    return sum(each * request.weight for request, each in zip(requests, costs, strict=True))


def _step(requests: Sequence[Request], element_bytes: int) -> int:
    """Rows must stay aligned for the widest access as written."""
    widest = max(request.width for request in requests)
    return max(1, -(-widest // element_bytes))


def _helps(target: Request, others: Sequence[Request], move: Move, device: Device) -> bool:
    after = _moved(target, move)
    if cost(after, device) > hardware.ideal_wavefronts(
        after.offsets, after.merged or after.width, after.op, device
    ):
        return False
    return all(cost(_moved(other, move), device) <= cost(other, device) for other in others)


def _moved(request: Request, move: Move) -> Request:
    offsets = tuple(None if offset is None else move(offset) for offset in request.offsets)
    return replace(request, offsets=offsets)
