"""Family 2, global memory: elements of several members, of which the lanes touch one member at a
time.

Goes in: the global accesses of one kernel. Comes out: which of them walk one array by elements, and
the findings about it. An element is a structure, or a fixed number of neighbouring words of a plain
array (`box[5 * i]`, `box[5 * i + 1]`, …).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from kernlint.base.dataclass import dataclass
from kernlint.base.span import Span
from kernlint.checks import context, partial_warps, words
from kernlint.checks.by_line import in_parts
from kernlint.checks.context import Executed, Group
from kernlint.checks.global_memory.entries import global_entries
from kernlint.checks.rules import Rule
from kernlint.model.facts import Access
from kernlint.model.finding import Finding, Label, Metrics
from kernlint.source_model import index_terms

Kind = tuple[str, Span | None]  # of accesses: what they do, and the innermost loop around them

WIDEST = 16  # bytes that one access of a lane can move
LONGEST = (
    128  # bytes of an element of a plain array; neighbours further apart are rows, not elements
)
MEMBERS = 4  # of an element that may be a vector of one kind (double3)
MAY_VANISH = (
    "info only: the compiler may take these loads out of the loop or keep their values in registers"
)
ALIGNED = (8, 16)  # bytes of a vector that one access moves
VECTORS = {
    2: "uchar2",
    4: "uchar4",
    8: "float2",
    16: "float4",
}  # a type of so many bytes that one access of a lane can move


@dataclass(frozen=True, slots=True)
class Walk:
    """The accesses of one kernel under one launch to the elements of one array, `stride` bytes
    apart in neighbouring lanes. `entries`: those whose cost is told; `every`: with those under a
    condition on data, which touch the elements too. `used`: how many bytes of an element are
    touched by some access, `by_kind`: by those of an operation in one loop; `start`: the least
    constant of an index, in bytes; `flat`: whether the elements are words of a plain array, a fixed
    number for each thread."""

    stride: int
    entries: tuple[Executed, ...]
    every: tuple[Executed, ...]
    used: int
    by_kind: Mapping[Kind, int]
    start: int
    flat: bool

    def sectors(self) -> tuple[float, float]:
        """Sectors of all accesses together over what `times` counts, now and ideal. The least where
        an unknown decides how many they are now."""
        pairs = [
            (_least(entry) * entry.times, entry.counts.ideal * entry.times)
            for entry in self.entries
        ]
        return sum(now for now, _ in pairs), sum(best for _, best in pairs)


def walks(entries: Iterable[Executed]) -> list[Walk]:
    """Every array that is walked by elements of several words."""
    found: dict[tuple[object, ...], list[Executed]] = {}
    for entry in entries:
        stride = abs(context.lane_stride(entry.access))
        if (
            stride > entry.access.bytes
            and entry.access.op in ("load", "store", "atomic")
            and not entry.compiled
        ):
            found.setdefault(
                (id(entry.kernel), entry.access.object, entry.access.object_span, stride), []
            ).append(entry)
    every = (
        (stride, tuple(some))
        for (*_, stride), some in found.items()
        if isinstance(stride, int) and _by_elements(stride, some)
    )
    return [_walk(stride, some) for stride, some in every]


def _walk(stride: int, entries: tuple[Executed, ...]) -> Walk:
    kinds: dict[Kind, list[Executed]] = {}
    for entry in entries:
        kinds.setdefault(_kind(entry.access), []).append(entry)
    return Walk(
        stride,
        entries,
        entries,
        _bytes_touched(entries, stride),
        {kind: _bytes_touched(some, stride) for kind, some in kinds.items()},
        min(index_terms.constant(entry.access) for entry in entries),
        all(e.access.scalar and e.access.element_bytes == e.access.bytes for e in entries),
    )


def _kind(access: Access) -> Kind:
    return access.op, access.in_loop


def _bytes_touched(entries: Sequence[Executed], stride: int) -> int:
    return len(set().union(*_touched(entries, stride)))


def _by_elements(stride: int, entries: Sequence[Executed]) -> bool:
    if any(entry.access.element_bytes == stride for entry in entries):
        return True
    members = {
        (entry.access.text, touched)
        for entry, touched in zip(entries, _touched(entries, stride), strict=True)
    }
    return (
        stride <= LONGEST
        and len({place for _, place in members}) > 1
        and len({text for text, _ in members}) > 1
    )


def _touched(entries: Sequence[Executed], stride: int) -> list[frozenset[int]]:
    """Which bytes of its element each access touches: by the constants of the indices, else by the
    first active lane of the measured request."""
    accesses = [entry.access for entry in entries]
    starts = index_terms.starts(accesses) or [_begins(access) for access in accesses]
    return [
        frozenset(
            byte % stride for byte in range(start, start + max(access.bytes, access.width_total))
        )
        for access, start in zip(accesses, starts, strict=True)
    ]


def _begins(access: Access) -> int:
    offsets = (
        []
        if access.example is None
        else [offset for offset in access.example.lanes if offset is not None]
    )
    return offsets[0] if offsets else 0


def _least(entry: Executed) -> float:
    return entry.counts.mean_low if context.is_between(entry) else entry.counts.mean


def array_of_structs_access(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL206: arrays of structures whose members are touched one at a time, told once per array."""
    entries = [partial_warps.whole(entry) for entry in global_entries(group)]
    all_costs = context.costs(entries)
    found: dict[tuple[object, ...], list[Walk]] = {}
    for walk in (replace(walk, entries=_certain(walk, rule)) for walk in walks(entries)):
        if walk.entries and _wasteful(walk, all_costs, rule):
            access = walk.entries[0].access
            found.setdefault((access.object, access.object_span), []).append(_of_one_size(walk))
    for hits in found.values():
        yield _in_parts(hits, group, rule)


def _in_parts(hits: Sequence[Walk], group: Group, rule: Rule) -> Finding:
    walked = [(walk, entry) for walk in hits for entry in walk.entries]

    def build(some: Sequence[tuple[Walk, Executed]]) -> Finding:
        own = [(walk, tuple(e for w, e in some if w is walk)) for walk in hits]
        return _finding([replace(walk, entries=e) for walk, e in own if e], group, rule)

    return in_parts(
        walked, lambda hit: hit[1].access.span, build, lambda some: sum(e.excess for _, e in some)
    )


def _certain(walk: Walk, rule: Rule) -> tuple[Executed, ...]:
    """The accesses that surely waste; where there are none, those of which data decides which
    lanes take part. Not those that move elements whole by the widest accesses there are, nor those
    that the compiler may make such."""
    least = rule.threshold("minimum_lanes")
    run = (e for e in walk.entries if e.requests != 0)
    run = (e for e in run if e.lanes is None or e.lanes > least)
    run = (e for e in run if not _whole(e, walk) and not _may_become_whole(e, walk))
    ratio, extra = rule.threshold("ratio"), rule.threshold("minimum_extra")
    found = tuple(
        e
        for e in run
        if e.access.reason == "compiler"
        or e.counts.mean_low
        >= min(e.counts.mean, max(ratio * e.counts.ideal, e.counts.ideal + extra))
    )
    return tuple(e for e in found if not e.partial) or found


def _whole(entry: Executed, walk: Walk) -> bool:
    return entry.access.bytes >= WIDEST and entry.access.width_total >= walk.stride


def _may_become_whole(entry: Executed, walk: Walk) -> bool:
    """Whether all members of an aligned element, a vector, are accessed alike and the compiler may
    move each element at once: nvcc 13.0 does where nothing between them may write there."""
    access = entry.access
    counts = entry.counts
    open_ = access.reason == "compiler" or entry.partial or counts.mean_low < counts.mean_high
    if (
        not open_
        or access.element_bytes != walk.stride
        or walk.stride not in ALIGNED
        or access.op not in ("load", "store")
    ):
        return False
    return walk.by_kind[_kind(access)] == walk.stride


def _of_one_size(walk: Walk) -> Walk:
    """Of accesses of different sizes those of the size that wastes most: what is told is true of
    each of them then."""
    sizes = {entry.access.bytes for entry in walk.entries}
    parts = [
        replace(walk, entries=tuple(e for e in walk.entries if e.access.bytes == size))
        for size in sorted(sizes)
    ]
    return max(parts, key=_waste)


def _waste(walk: Walk) -> float:
    now, best = walk.sectors()
    return now - best


def _sure_waste_first(walk: Walk) -> tuple[float, float]:
    """What is surely wasted, then what is as written."""
    sure = tuple(e for e in walk.entries if not context.may_vanish(e))
    return _waste(replace(walk, entries=sure)), _waste(walk)


def _wasteful(walk: Walk, all_costs: context.Costs, rule: Rule) -> bool:
    now, best = walk.sectors()
    total = all_costs.total[id(walk.entries[0].kernel)]
    requests = sum(e.times for e in walk.entries)
    if (
        now < rule.threshold("ratio") * best
        or now - best < rule.threshold("minimum_extra") * requests
    ):
        return False
    if any(context.runs_unknown_times(e, all_costs) for e in walk.entries):
        return True
    return total <= 0 or now - best >= rule.threshold("minimum_share") * total


def _finding(hits: Sequence[Walk], group: Group, rule: Rule) -> Finding:
    worst = max(hits, key=_sure_waste_first)
    own = [entry for entry in worst.entries if entry.access.span.path == group.file.path]
    first = context.costliest(own or worst.entries)
    access = first.access
    now, best = worst.sectors()
    requests = sum(e.times for e in worst.entries)
    others = len({(e.access.span, e.access.text) for e in worst.entries}) - 1
    most = any(e.partial for e in worst.entries)
    least = "at least " if any(context.is_between(e) for e in worst.entries) else ""
    bound = "up to " if most else least
    high = sum(e.counts.mean_high * e.times for e in worst.entries)
    low: float = sum(e.counts.min * e.times for e in worst.entries) if most else now
    more = (
        f" and {words.plural(others, 'more access', 'more accesses')} to `{access.object}`"
        if others
        else ""
    )
    open_ = all(context.may_vanish(e) for e in worst.entries)
    return Finding(
        rule.code,
        rule.name,
        "info" if open_ else rule.severity,
        f"`{access.text}`{more}: {worst.stride}-byte stride between lanes: "
        f"{bound}{words.mean((high if most else now) / requests)} sectors per request instead of {words.mean(best / requests)} {context.certainty(first)}",
        access.span,
        kernel=words.kernel(first.kernel),
        status=first.status,
        labels=(*context.labels(access, group.file), *_labels(worst, access)),
        notes=(*_notes(hits, worst, first, group), *((MAY_VANISH,) if open_ else ())),
        help=_advice(worst, access),
        assumptions=access.assumptions,
        metrics=Metrics(
            sectors=None if bound else now / requests,
            sectors_low=low / requests if bound else None,
            sectors_high=high / requests if bound else None,
            ideal_sectors=best / requests,
            requests=first.requests,
            active_lanes=first.lanes,
        ),
    )


def _labels(walk: Walk, first: Access) -> Iterator[Label]:
    lines = {
        e.access.span.line: e.access.span
        for e in walk.entries
        if e.access.span.path == first.span.path
    }
    for line in sorted(line for line in lines if line != first.span.line)[:3]:
        yield Label(lines[line], "and here")


def _notes(hits: Sequence[Walk], worst: Walk, first: Executed, group: Group) -> Iterator[str]:
    yield from words.index(first.access)
    size = words.plural(first.access.bytes, "byte")
    yield f"neighbouring lanes are {worst.stride} bytes apart and access {size} each"
    if worst.used == worst.stride or all(
        entry.access.in_loop is None for entry in worst.entries
    ):  # a loop may walk the element
        yield f"the kernel accesses {worst.used} of each element's {worst.stride} bytes"
    now, best = worst.sectors()
    if all(entry.requests is not None for entry in worst.entries):
        moved = words.instead(*(sectors * group.device.sector_bytes for sectors in (now, best)))
        bound = _bound(worst.entries)
        yield f"cost: {bound}{moved} through L1 over the launch; the rest of a sector may hit the cache later"
    every = [entry for walk in hits for entry in walk.entries]
    yield from context.launch_notes(every, first, group, "sectors")
    yield from words.not_exact(first.access, first.kernel)


def _bound(entries: Sequence[Executed]) -> str:
    """Which bound of the cost the sum over the entries is."""
    if any(context.may_vanish(entry) for entry in entries):
        return "" if any(context.is_between(entry) for entry in entries) else "at most "
    return "at least " if any(context.is_between(entry) for entry in entries) else ""


def _advice(walk: Walk, access: Access) -> str:
    if access.bytes >= WIDEST:
        return (
            f"each access already moves {access.bytes} bytes: let neighbouring lanes move neighbouring {access.bytes}-byte parts, so that "
            "several lanes move one element in one request"
        )
    atomic = any(entry.access.op == "atomic" for entry in walk.every)
    movable = walk.used == walk.stride and not atomic
    by_vector = movable and walk.stride in VECTORS
    off = walk.start % walk.stride
    if by_vector and off and access.scalar:
        return (
            f"each thread's data start {words.plural(off, 'byte')} after a multiple of {walk.stride}, which rules out vector accesses: "
            "align the start, or copy the elements to shared memory in storage order"
        )
    if by_vector:
        pair = (
            access.scalar or access.element_bytes != access.bytes
        )  # else of vectors: two `float2` are one `float4`
        others = {(8, 16): "double2", (2, 4): "half2"} if pair else {}
        name = others.get((access.bytes, walk.stride), VECTORS[walk.stride])
        vector = (
            f"vector of {walk.stride} bytes (`{name}`, or a structure aligned to {walk.stride})"
        )
        moved = f"move each element as one {vector}: one request of {walk.stride} bytes per lane instead of several"
        return f"{moved}; or {_swapped(walk, access)}" if walk.flat else moved
    if movable and walk.stride % 16 == 0:
        return "copy whole elements with 16-byte vectors (structure aligned to 16), or keep one array per member (structure of arrays)"
    staged = "or copy whole elements to shared memory in storage order"
    if walk.flat:
        return f"{_swapped(walk, access)}; {staged}"
    apart = "keep one array per member (structure of arrays), so that neighbouring lanes access neighbouring words"
    if movable and walk.stride <= MEMBERS * access.bytes:
        alike = "if all members are computed alike, index the array as plain words, one per thread"
        return f"{alike}; else {apart}, {staged}"
    return f"{apart}; {staged}"


def _swapped(walk: Walk, access: Access) -> str:
    """The index that lays the words of neighbouring lanes side by side: by another thread where all
    words are taken, by another layout where some are left out."""
    count = walk.stride // access.bytes
    index = f"word j * {{}} + t instead of {count} * t + j"
    if walk.used == walk.stride:
        return f"swap the stride ({index.format('threads')}), so that neighbouring threads access neighbouring words"
    return f"store the words by kind ({index.format('elements')}), so that neighbouring threads access neighbouring words"
