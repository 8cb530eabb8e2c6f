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

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from kernlint import hardware
from kernlint.base.dataclass import dataclass, field
from kernlint.base.latest import Latest
from kernlint.base.span import Span
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
class BankRequest:
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


def requests_on(access: Access, kernel: Kernel) -> frozenset[BankRequest]:
    """The distinct measured requests of all accesses of the kernel to the array of `access`; the
    weights of equal ones added up."""
    return _on_arrays(kernel)[access.object, access.object_span]


def _distinct_requests(kernel: Kernel) -> dict[tuple[str, Span | None], frozenset[BankRequest]]:
    """On each array, by the array's name and place."""
    found: dict[tuple[str, Span | None], list[BankRequest]] = {}
    for access in kernel.accesses:
        some = found.setdefault((access.object, access.object_span), [])
        some += [one for one in (request_of(access),) if one is not None]
    return {key: _distinct(some) for key, some in found.items()}


_on_arrays = Latest(_distinct_requests)  # each access asks for the requests of all others


def _distinct(requests: Iterable[BankRequest]) -> frozenset[BankRequest]:
    """Weights of equal ones added up."""
    weights: dict[BankRequest, float] = {}
    for one in requests:
        shape = replace(one, weight=1.0)
        weights[shape] = weights.get(shape, 0.0) + one.weight
    return frozenset(replace(shape, weight=weight) for shape, weight in weights.items())


def request_of(access: Access) -> BankRequest | None:
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
        return BankRequest(
            access.example.lanes, access.bytes, access.hardware_op, weight, compiled.bytes
        )
    return BankRequest(access.example.lanes, access.bytes, access.hardware_op, float(times(access)))


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
    target = request_of(access)
    if not length or target is None:
        return Solved()
    everything = requests_on(access, kernel)
    row_bytes, element = length * access.element_bytes, access.element_bytes
    pad = _smallest(paddings(target, everything, row_bytes, element, device))
    moved = (
        _swizzle(target, everything, row_bytes, element, device)
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
    target: BankRequest,
    others: Sequence[BankRequest],
    row_bytes: int,
    element_bytes: int,
    device: Device,
) -> Padding | None:
    """The padding of the innermost dimension with the fewest wavefronts over all requests, the
    smallest of several equal ones.

    None where none at least halves the target's wavefronts, or the other requests lose more than it
    gains.
    """
    everything = _distinct((target, *others))
    return _smallest(paddings(target, everything, row_bytes, element_bytes, device))


def _smallest(some: Iterable[Padding]) -> Padding | None:
    return min(some, key=lambda one: (one.total, one.elements), default=None)


def candidates(access: Access, kernel: Kernel, device: Device, row: int = 0) -> list[int]:
    """The paddings worth an analysis, the best by the measured requests first: the best of all, and
    the best of those whose rows are whole words, or whole 8 or 16 bytes, which keep neighbours
    apart or together that no request tells of."""
    length = _row_length(access, row)
    target = request_of(access)
    if not length or target is None:
        return []
    everything = requests_on(access, kernel)
    row_bytes, element = length * access.element_bytes, access.element_bytes
    found = sorted(
        paddings(target, everything, row_bytes, element, device),
        key=lambda one: (one.total, one.elements),
    )
    units = (1, device.bank_bytes, *WIDE)
    best = [
        next((one.elements for one in found if (row_bytes + one.elements * element) % unit == 0), 0)
        for unit in units
    ]
    return [pad for pad in dict.fromkeys(best) if pad]


def paddings(
    target: BankRequest,
    everything: frozenset[BankRequest],
    row_bytes: int,
    element_bytes: int,
    device: Device,
) -> Iterator[Padding]:
    """Those that cost fewer wavefronts over all requests (`everything`, which has the target) and at
    least halve the target's, the smallest first."""
    if row_bytes <= 0 or element_bytes <= 0 or row_bytes % element_bytes:
        return
    own = replace(target, weight=1.0)
    ideal = hardware.ideal_wavefronts(target.offsets, target.width, target.op, device)
    for elements, moved in _padded(everything, row_bytes, element_bytes, device):
        before, after = moved.before[own], moved.after[own]
        if 2 * after <= before:
            yield Padding(elements, before, after, ideal, moved.worse, moved.apart, moved.total)


@dataclass(frozen=True, slots=True)
class _Moved:
    """All requests on an array in another layout, by each as it is but for its weight. `before`,
    `after`: wavefronts, of all its parts where it comes apart; `worse`: whether some request takes
    more; `apart`: as `Padding.comes_apart`; `total`: as `Padding.total`."""

    requests: Mapping[BankRequest, BankRequest]
    before: Mapping[BankRequest, float]
    after: Mapping[BankRequest, float]
    worse: bool
    apart: tuple[int, int] | None
    total: float


def _compared(
    old: Sequence[BankRequest],
    before: Sequence[float],
    new: Sequence[BankRequest],
    after: Sequence[float],
) -> _Moved:
    shapes = [replace(one, weight=1.0) for one in old]
    each = [  # a request that comes apart is several
        cost * moved.weight / one.weight for cost, moved, one in zip(after, new, old, strict=True)
    ]
    left = [
        (r.merged, m.merged or m.width)
        for r, m in zip(old, new, strict=True)
        if m.merged != r.merged
    ]
    return _Moved(
        dict(zip(shapes, new, strict=True)),
        dict(zip(shapes, before, strict=True)),
        dict(zip(shapes, each, strict=True)),
        any(b > a for a, b in zip(before, after, strict=True)),
        min(left, key=lambda one: (one[1], -one[0]), default=None),
        _total(new, after),
    )


@lru_cache(KEPT)
def _padded(
    everything: frozenset[BankRequest], row_bytes: int, element_bytes: int, device: Device
) -> tuple[tuple[int, _Moved], ...]:
    """By elements, the paddings that cost fewer wavefronts over all requests: for each of the
    requests, and in an editor after each key, the same ones are asked for."""
    old = tuple(everything)
    step = _step(old, element_bytes)
    span = device.banks * max(device.bank_bytes, element_bytes) // element_bytes
    before = costs(old, device)
    pads = range(step, span + 1, step)
    padded = [
        [repitched(r, row_bytes, row_bytes + pad * element_bytes) for r in old] for pad in pads
    ]
    counted = iter(costs([request for moved in padded for request in moved], device))
    found = (
        (pad, _compared(old, before, new, [next(counted) for _ in new]))
        for pad, new in zip(pads, padded, strict=True)
    )
    whole = _total(old, before)
    return tuple((pad, moved) for pad, moved in found if moved.total < whole)


def swizzle(
    target: BankRequest,
    others: Sequence[BankRequest],
    row_bytes: int,
    element_bytes: int,
    device: Device,
) -> Swizzle | None:
    """The exclusive or of the row's number into the column, or of the number of the turn over the
    banks that the row lies in, that makes the target ideal and no other request worse. None where
    neither does."""
    return _swizzle(target, _distinct((target, *others)), row_bytes, element_bytes, device)


def _swizzle(
    target: BankRequest,
    everything: frozenset[BankRequest],
    row_bytes: int,
    element_bytes: int,
    device: Device,
) -> Swizzle | None:
    unit = max(element_bytes, *(max(request.width, request.merged) for request in everything))
    units = row_bytes // unit if unit else 0
    if units < 2 or units & (units - 1):
        return None
    if row_bytes % unit or unit % element_bytes:
        return None
    for down in sorted({1, max(1, device.banks * device.bank_bytes // row_bytes)}):
        moved = _swizzled(everything, row_bytes, unit, down, device)
        if _helps(target, moved, device):
            return Swizzle(unit // element_bytes, down, moved.total)
    return None


@lru_cache(KEPT)
def _swizzled(
    everything: frozenset[BankRequest], row_bytes: int, unit: int, down: int, device: Device
) -> _Moved:
    units = row_bytes // unit

    def moved(offset: int) -> int:
        row, rest = divmod(offset, row_bytes)
        return row * row_bytes + ((rest // unit) ^ (row // down % units)) * unit + rest % unit

    return _all_moved(everything, moved, device)


def _all_moved(everything: frozenset[BankRequest], move: Move, device: Device) -> _Moved:
    old = tuple(everything)
    new = [_moved(request, move) for request in old]
    return _compared(old, costs(old, device), new, costs(new, device))


def skew(access: Access, kernel: Kernel, device: Device) -> int | None:
    """Elements per inserted gap: storing element i at i + i / gap makes the access ideal and no
    other request on the array worse; None otherwise."""
    target, element_bytes = request_of(access), access.element_bytes
    if target is None:
        return None
    everything = requests_on(access, kernel)
    if element_bytes <= 0 or any(
        max(request.width, request.merged) > element_bytes for request in everything
    ):
        return None
    gap = max(1, device.banks * device.bank_bytes // element_bytes)
    moved = _skewed(everything, element_bytes, gap, device)
    return gap if _helps(target, moved, device) else None


@lru_cache(KEPT)
def _skewed(
    everything: frozenset[BankRequest], element_bytes: int, gap: int, device: Device
) -> _Moved:
    return _all_moved(
        everything, lambda offset: offset + offset // element_bytes // gap * element_bytes, device
    )


def cost(request: BankRequest, device: Device) -> float:
    """Wavefronts of the request as compiled; where lanes take a part of a word each, the mean over
    where in it a loop may bring them."""
    return costs([request], device)[0]


def costs(requests: Sequence[BankRequest], device: Device) -> list[float]:
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


def _phases(request: BankRequest, device: Device) -> list[Offsets]:
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


def free_when_merged(request: BankRequest, device: Device) -> int:
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


def repitched(request: BankRequest, row_bytes: int, pitch: int) -> BankRequest:
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


def _total(requests: Sequence[BankRequest], costs: Sequence[float]) -> float:
    return sum(each * request.weight for request, each in zip(requests, costs, strict=True))


def _step(requests: Sequence[BankRequest], element_bytes: int) -> int:
    """Rows must stay aligned for the widest access as written."""
    widest = max(request.width for request in requests)
    return max(1, -(-widest // element_bytes))


def _helps(target: BankRequest, moved: _Moved, device: Device) -> bool:
    """Whether the target becomes ideal and no request worse."""
    shape = replace(target, weight=1.0)
    new = moved.requests[shape]
    ideal = hardware.ideal_wavefronts(new.offsets, new.merged or new.width, new.op, device)
    return moved.after[shape] <= ideal and not moved.worse


def _moved(request: BankRequest, move: Move) -> BankRequest:
    offsets = tuple(None if offset is None else move(offset) for offset in request.offsets)
    return replace(request, offsets=offsets)
