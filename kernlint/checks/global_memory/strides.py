"""Why the lanes of a request lie apart in global memory, and the remedy of that cause, with the
numbers that decide.

Goes in: an uncoalesced access as it is executed, under one launch. Comes out: one sentence. A claim
about what else a thread touches is made only where the accesses that touch it are known.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

from kernlint.base.dataclass import dataclass
from kernlint.checks import cases, context, words
from kernlint.checks.context import Executed, Group
from kernlint.model.element_index import IndexTerm
from kernlint.model.facts import LOOPS, Access, Kernel
from kernlint.source_model import index_terms

WIDEST = 16  # bytes that one access of a lane can move
RUN = 128  # bytes that a thread may take as a run of its own; what is longer is a row
MOST = 4096  # bytes of a stride whose touched bytes are listed
USUAL = 0.75  # share of neighbouring lanes whose distance is that of a request with rows
# of CUDA and OpenCL, by bytes of an access and of all that a thread takes
VECTORS = {
    (1, 2): "`uchar2`",
    (1, 4): "`uchar4`",
    (2, 4): "`half2`, `ushort2`",
    (4, 8): "`float2`, `int2`",
    (4, 16): "`float4`, `int4`",
    (8, 16): "`double2`",
}
ORDINALS = {2: "second", 3: "third"}
SIZES = (2, 4, 8, 16)  # bytes that one access of a lane can move together
WHOLE = {
    8: "`uint2`",
    16: "`uint4`",
}  # a vector of so many bytes where the elements are narrower than a word
DIAGONAL = (
    "as on a diagonal, or down a column of rows of that length: if these elements are used often, "
    "keep them in an array of their own"
)
ID = re.compile(r"(?:threadIdx|blockIdx)\.[xyz]|get_(?:local|global|group)_id\(\d\)")
THREAD = re.compile(r"threadIdx\.[xyz]|get_(?:local|global)_id\(\d\)")


@dataclass(frozen=True, slots=True)
class Apart:
    """How the lanes of a request lie. `stride`: bytes between neighbours, 0 where they follow none;
    `own`: bytes that a thread takes with the access as written; `step`: bytes that it moves on by
    in each iteration of its loop, 0 where that is not known."""

    entry: Executed
    group: Group
    stride: int
    own: int
    step: int

    @property
    def lane(self) -> index_terms.Names:
        return index_terms.lane(self.entry.kernel)

    @property
    def thread(self) -> str:
        """That index as the source spells it."""
        factors = [f for term in self.entry.access.index_terms for f in term.factors]
        found = (name for f in factors for name in self.lane if index_terms.holds(f, (name,)))
        return next(found, "threadIdx.x" if self.group.language == "cuda" else "get_local_id(0)")

    @property
    def pitch(self) -> str:
        """The names that the lanes' distance is a multiple of, where it is no number: `n`, `4 *
        n`."""
        presumed = context.presumed_strides(self.entry)
        if self.stride and not presumed:
            return ""
        access, kernel = self.entry.access, self.entry.kernel
        named = index_terms.spacing(access, kernel) or index_terms.row_spacing(access, kernel)
        return named or (presumed[0] if presumed and not self.stride else "")

    @property
    def distance(self) -> str:
        """`n` elements, or 128 bytes."""
        return f"`{self.pitch}` elements" if self.pitch else words.plural(self.stride, "byte")

    @property
    def gain(self) -> str:
        """4 sectors per request instead of 32"""
        counts = self.entry.counts
        least = context.is_between(self.entry)
        now = f"at least {words.mean(counts.mean_low)}" if least else words.mean(counts.mean)
        return f"{words.counted(counts.ideal, 'sector')} per request instead of {now}"


def fixed(entry: Executed) -> bool:
    """Whether the index says by a number how far neighbouring lanes are apart, whatever the values
    of its names."""
    return _by_index(entry.access, entry.kernel) > 0


def diagonal(entry: Executed) -> bool:
    """Whether the lanes walk a row and a column alike: `i * n + i`. Where another index runs along
    the row, it is a row of `n + 1` elements."""
    access, kernel = entry.access, entry.kernel
    if not index_terms.spacing(access, kernel).startswith("1 + "):
        return False
    own = _axis(index_terms.lane(kernel)[0])
    alone = (term.names[0] for term in access.index_terms if len(term.factors) == 1)
    return all(_axis(name) == own for name in alone if ID.fullmatch(name))


def _axis(id_: str) -> int:
    return "xyz".index(id_[-1]) if id_[-1] in "xyz" else int(id_[-2])


def narrow(entry: Executed, group: Group) -> bool:
    """Whether the block's shape alone is to blame: its rows of threads are too short for a sector,
    or several of them, each without gaps, make up a warp."""
    at = _apart(entry, group)
    is_in_rows = entry.kernel.launch.block[0] < group.device.warp_lanes
    return bool(_narrow(at)) or (is_in_rows and at.stride == entry.bytes and not at.pitch)


def _apart(entry: Executed, group: Group) -> Apart:
    access = entry.access
    return Apart(
        entry,
        group,
        distance(access, entry.kernel),
        max(access.bytes, access.width_total),
        _step(access, group),
    )


def remedy(entry: Executed, group: Group) -> str:
    """What to change, for the cause that the facts show."""
    at = _apart(entry, group)
    narrow = _narrow(at)
    if narrow:
        return narrow
    if diagonal(entry):
        return f"neighbouring threads are {at.distance} apart, {DIAGONAL}: {at.gain}"
    if at.stride <= entry.bytes and not at.pitch:
        return _broken(at)
    if at.own > entry.bytes and at.own == at.stride and at.stride > WIDEST:
        return _in_pieces(at)
    if at.stride <= RUN and not at.pitch and _covered(at):
        return _run(at)
    if (
        at.step
        and at.step == at.own
        and (at.pitch or (at.stride > RUN and _reach(at) >= at.stride))
    ):
        return _rows(at)
    return _gaps(at)


def _reach(at: Apart) -> int:
    """Bytes that a thread walks in its loop; without end where the number of turns is not known."""
    turns = _turns(at.entry.access, at.entry.kernel, at.group)
    return at.own * turns if turns else MOST * at.stride


def distance(access: Access, kernel: Kernel) -> int:
    """Bytes between neighbouring lanes, of most of them where rows interrupt it: of the measured
    request, or by the index where no request could be measured; 0 where there is no such
    distance."""
    stride = abs(context.lane_stride(access))
    if stride:
        return stride
    if access.example is None:
        return _by_index(access, kernel) or index_terms.row_step(access, kernel)
    steps = Counter(
        abs(b - a) for a, b in pairwise(access.example.lanes) if a is not None and b is not None
    )
    usual, count = steps.most_common(1)[0] if steps else (0, 0)
    return usual if count >= USUAL * steps.total() else 0


def _by_index(access: Access, kernel: Kernel) -> int:
    """By the lanes' own term, where it is the only one that they are in and has a number for its
    factor."""
    lane = index_terms.lane(kernel)
    terms = index_terms.with_lane(access, lane)
    if len(terms) != 1 or index_terms.beside_lane(terms[0], lane) != []:
        return 0
    return abs(terms[0].coefficient) * access.index_bytes


def _narrow(at: Apart) -> str:
    """A warp spans several rows of a block, each too short for a sector."""
    access, device, width = at.entry.access, at.group.device, at.entry.kernel.launch.block[0]
    lanes = access.example.lanes if access.example is not None else ()
    steps = {
        b - a
        for lane, (a, b) in enumerate(pairwise(lanes), 1)
        if lane % width and a is not None and b is not None
    }
    if (
        width >= device.warp_lanes
        or width * access.bytes >= device.sector_bytes
        or steps - {access.bytes}
        or at.stride != access.bytes
    ):
        return ""
    if context.lane_stride(access):
        return ""
    rows = words.plural(device.warp_lanes // width, "row")
    least = device.sector_bytes // access.bytes
    return (
        f"a warp spans {rows} of {words.plural(width, 'thread')}, {width * access.bytes} bytes each: "
        f"make the block at least {least} threads wide to fill {device.sector_bytes}-byte sectors: {at.gain}"
    )


def _broken(at: Apart) -> str:
    """No distance, or neighbours side by side but in short rows."""
    entry, sector = at.entry, at.group.device.sector_bytes
    masked = "" if at.stride else _masked(entry.access)
    if masked:
        return (
            f"{masked} and access {words.plural(entry.bytes, 'byte')} each: let the active threads access neighbouring elements, or "
            f"store their elements contiguously: {at.gain}"
        )
    if at.stride != entry.bytes:
        return (
            "the lanes of a warp have no constant stride: let them access elements that lie together (sort or group the indices), "
            f"or stage the data in shared memory: {at.gain}"
        )
    starts = list(_starts(entry.access))
    if not starts:
        return f"the lanes are contiguous in rows shorter than a warp: let a warp span fewer, longer rows: {at.gain}"
    off = sum(1 for start in starts if start % sector)
    if off:
        return (
            f"the lanes are contiguous in {words.plural(len(starts), 'row')}, of which {off} {'starts' if off == 1 else 'start'} off a "
            f"{sector}-byte boundary and cost a sector more: align the rows to {sector} bytes (pad their pitch), or make them longer: {at.gain}"
        )
    return f"the lanes are contiguous in {words.plural(len(starts), 'row')}: let a warp span fewer, longer rows: {at.gain}"


def _masked(access: Access) -> str:
    """How the active lanes of a request lie, where they do so regularly and others between them are
    idle."""
    lanes = access.example.lanes if access.example is not None else ()
    active = [(lane, offset) for lane, offset in enumerate(lanes) if offset is not None]
    gaps = {b[0] - a[0] for a, b in pairwise(active)}
    steps = {abs(b[1] - a[1]) for a, b in pairwise(active)}
    rates = {abs(Fraction(b[1] - a[1], b[0] - a[0])) for a, b in pairwise(active)}
    if gaps <= {1} or 0 in steps:
        return ""
    if len(steps) == 1:
        gap = gaps.pop()
        which = "" if gaps else f", every {ORDINALS.get(gap, f'{gap}th')} one,"
        return f"the active lanes{which} are {words.plural(steps.pop(), 'byte')} apart"
    rate = rates.pop()
    if rates or rate.denominator != 1:
        return ""
    return f"the active lanes have a stride of {words.plural(int(rate), 'byte')} per lane"


def _starts(access: Access) -> Iterator[int]:
    """Where runs of neighbouring lanes begin, in bytes from the object's start."""
    before: int | None = None
    for offset in access.example.lanes if access.example is not None else ():
        if offset is not None and (before is None or offset - before != access.bytes):
            yield offset
        before = offset


def _in_pieces(at: Apart) -> str:
    entry = at.entry
    count = at.own // entry.bytes
    return (
        f"each thread moves its {at.own} bytes in {count} accesses of {entry.bytes} to the same sectors: let neighbouring "
        f"threads access neighbouring {entry.bytes}-byte parts (in step j, lane t moves part j * {at.group.device.warp_lanes} + t of the "
        f"warp's data): {at.gain}"
    )


def _run(at: Apart) -> str:
    """Each thread takes all bytes up to its neighbour's."""
    entry, device = at.entry, at.group.device
    requests = at.stride // entry.bytes
    taken = f"each thread accesses {at.stride} consecutive bytes, {entry.bytes} at a time"
    turns = f"or interleave the threads (element j * threads + t instead of {requests} * t + j): {at.gain}"
    if (
        entry.access.op == "atomic"
        or entry.bytes >= WIDEST
        or (at.stride not in SIZES and at.stride % WIDEST)
    ):
        return f"{taken}: {turns.removeprefix('or ')}"
    off = _begin(at) % min(at.stride, WIDEST)
    if off:
        return (
            f"{taken}, starting {words.plural(off, 'byte')} after a multiple of {min(at.stride, WIDEST)}, which rules out vector accesses: "
            f"align the start, or load the aligned words around it and combine them by shifts; {turns}"
        )
    if at.stride <= WIDEST:
        whole = f" of {device.warp_lanes * at.stride // device.sector_bytes} sectors"
        one = f"one request{whole if context.lane_stride(entry.access) else ''}"
        return (
            f"{taken}: use one vector access ({_vector(at)}, aligned to {at.stride} bytes): {one} instead of {requests} requests to the "
            f"same sectors; {turns}"
        )
    fewer = words.plural(at.stride // WIDEST, "request")
    return f"{taken}: use 16-byte vectors ({_vector(at)}): {fewer} of {device.warp_lanes} sectors instead of {requests}; {turns}"


def _vector(at: Apart) -> str:
    total = min(at.stride, WIDEST)
    return VECTORS.get((at.entry.bytes, total)) or WHOLE[total]


def _rows(at: Apart) -> str:
    """Each thread walks memory of its own, far from its neighbour's."""
    counter = _counter(at.entry.access, at.group)
    return (
        f"each thread walks its own row, {at.distance} from its neighbour's: let neighbouring threads access neighbouring "
        f"elements of one row (`{at.thread}` in place of `{counter}`): {at.gain}; if each thread needs its own row, load tiles of the "
        "rows into shared memory with coalesced accesses and walk them there"
    )


def _gaps(at: Apart) -> str:
    access, entry = at.entry.access, at.entry
    request = f"neighbouring threads are {at.distance} apart and access {words.plural(entry.bytes, 'byte')} each{_piecewise(at)}"
    if (
        access.element_bytes > at.own
        and at.stride % access.element_bytes == 0
        and at.stride <= MOST
    ):
        return (
            f"{request}, of {access.element_bytes}-byte elements: keep the members that the kernel reads in their own arrays (structure "
            f"of arrays), or copy whole elements to shared memory in storage order: {at.gain}"
        )
    across = _across(access, at.lane)
    accesses = at.entry.kernel.accesses
    if (
        across
        and _is_free(accesses, across)
        and index_terms.serves_better(accesses, across, at.thread)
    ):
        return f"{request}: {_swapped(at, across)}: {at.gain}"
    if across:  # other accesses would then stride
        return (
            f"{request}, like a column of a row-major array: load the tile by rows into shared memory and read columns there: "
            f"{at.gain}{_at_best(access)}"
        )
    if at.pitch or at.stride > RUN:
        return (
            f"{request}, like a column of a row-major array: let `{at.thread}` index along the row, or load the tile by "
            f"rows into shared memory and read columns there: {at.gain}{_at_best(access)}"
        )
    return f"{request}: let neighbouring threads ({at.thread}) access neighbouring elements, or store their elements contiguously: {at.gain}"


def _at_best(access: Access) -> str:
    """Under which condition on an argument the access costs least as it is."""
    least = min((case.most for case in access.cases), default=0)
    condition = cases.free_condition(access.cases, least)
    if not condition:
        return ""
    return f"; as it is, {words.mean(least)} if {condition}"


def _is_free(accesses: Sequence[Access], across: str) -> bool:
    """Whether no threads share memory that all of them, whatever their index `across`, have in
    common: a block that works on one column together cannot swap its ids."""
    axis = across[-3:] if across.endswith(")") else across[-2:]  # (1), .y
    return all(
        any(name.endswith(axis) for term in access.index_terms for name in term.names)
        for access in accesses
        if access.space == "shared" and access.index_terms
    )


def _swapped(at: Apart, across: str) -> str:
    """The swap of the ids of a mapping whose `threadIdx.x` counts rows."""
    source, kernel = at.group.source, at.entry.kernel
    names = [source.made_of(id_, kernel.span) for id_ in (across, at.thread)]
    column, row = (f"`{name}`" if name else "" for name in names)
    if not (column and row) or column == row:
        column, row = "the column", "the row"
    first, second = (f"`{id_}`{_of_block(at, id_)}" for id_ in (at.thread, across))
    launch = "the grid" if at.group.language == "cuda" else "the range"
    return f"swap the ids: compute {column} from {first} and {row} from {second}, and size {launch} to match"


def _of_block(at: Apart, thread: str) -> str:
    """` and `blockIdx.x`` where the block's index stands beside the thread's."""
    block = thread.replace("threadIdx", "blockIdx").replace("local", "group")
    is_there = any(block in term.names for term in at.entry.access.index_terms)
    return f" and `{block}`" if is_there and block != thread else ""


def _piecewise(at: Apart) -> str:
    """How much of its distance a thread takes with several requests, where they are known."""
    taken = len(_taken(at)) if at.stride <= RUN and not at.pitch else 0
    if taken > at.own:
        return f" per request, {taken} in all"
    return f" per iteration of `{_counter(at.entry.access, at.group)}`" if at.step == at.own else ""


def _covered(at: Apart) -> bool:
    """Whether the thread's accesses at this place, with the iterations of their loop, touch all
    bytes up to its neighbour's, as many at a time as this one."""
    alike = all(other.bytes == at.entry.bytes for other in _here(at))
    return alike and len(_taken(at)) == at.stride


def _taken(at: Apart) -> set[int]:
    """The bytes, by their place up to the neighbour's, that a thread's accesses at this place touch
    in one run of their loop."""
    kernel, here = at.entry.kernel, _here(at)
    known = index_terms.starts(here) or [_begins(other) for other in here]
    pairs = zip(here, known, strict=True)
    return {
        byte
        for other, start in pairs
        for byte in _touched(other, start, at.stride, kernel, at.group)
    }


def _here(at: Apart) -> list[Access]:
    """The thread's accesses at this place, in the same loop and at the same distance from its
    neighbour's."""
    access, kernel = at.entry.access, at.entry.kernel
    return [
        other
        for other in kernel.accesses
        if (other.object, other.object_span, other.op, other.in_loop)
        == (access.object, access.object_span, access.op, access.in_loop)
        and distance(other, kernel) == at.stride
        and (access.example is not None or _rest(other, at.group) == _rest(access, at.group))
    ]


def _begin(at: Apart) -> int:
    """Where what the first lane takes begins, in bytes, as far as the index says by a number; 0
    where lanes walk down."""
    if context.lane_stride(at.entry.access) < 0:
        return 0
    return min((index_terms.constant(other) for other in _here(at)), default=0)


def _begins(access: Access) -> int:
    if access.example is None:
        return index_terms.constant(access)
    return next((offset for offset in access.example.lanes if offset is not None), 0)


def _touched(
    access: Access, start: int, stride: int, kernel: Kernel, group: Group
) -> Iterator[int]:
    own, step = max(access.bytes, access.width_total), _step(access, group)
    for turn in range(min(_turns(access, kernel, group), stride) or 1 if step else 1):
        yield from ((start + turn * step + byte) % stride for byte in range(own))


def _rest(access: Access, group: Group) -> frozenset[IndexTerm]:
    """The terms of the index that are neither constant nor the loop's counter: accesses that differ
    in none lie a known distance apart."""
    counter = _counter(access, group)
    return frozenset(t for t in access.index_terms if t.factors and counter not in t.names)


def _turns(access: Access, kernel: Kernel, group: Group) -> int:
    """How often the innermost loop runs each time it is entered, by what was counted or by its
    head; 0 where that is not known."""
    for branch in kernel.branches:
        if (
            branch.span == access.in_loop
            and branch.kind in LOOPS
            and branch.counted is not None
            and branch.counted.turns is not None
        ):
            turns = branch.counted.turns
            return int(turns.count // turns.entries) if turns.entries else 0
    head = group.source.loop_head(access.in_loop)
    return head.iterations if head is not None else 0


def _step(access: Access, group: Group) -> int:
    """Bytes from one iteration of the innermost loop to the next, where its counter stands in the
    index as a term of its own."""
    header = _header(access, group)
    if header is None:
        return 0
    counter, by = header
    moving = next((term for term in access.index_terms if counter in term.names), None)
    if moving is None or {*moving.names} != {counter}:
        return 0
    return abs(moving.coefficient) * by * access.index_bytes


def _counter(access: Access, group: Group) -> str:
    header = _header(access, group)
    return header[0] if header is not None else ""


def _header(access: Access, group: Group) -> tuple[str, int] | None:
    """The counter of the innermost loop and what is added to it."""
    head = group.source.loop_head(access.in_loop)
    return head.steps[-1] if head is not None and head.steps else None


def _across(access: Access, lane: index_terms.Names) -> str:
    """The index that runs along a row of which the thread's own walks down the column: what stands
    in the index without a factor."""
    own = [term for term in access.index_terms if not {*lane}.isdisjoint(term.names)]
    scaled = any(abs(term.coefficient) != 1 or len(term.factors) > 1 for term in own)
    alone = [t.names[0] for t in access.index_terms if abs(t.coefficient) == len(t.factors) == 1]
    return next((name for name in alone if THREAD.fullmatch(name)), "") if scaled else ""
