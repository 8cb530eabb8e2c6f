"""What a check looks at: one kernel of one file under all its launches, and the causes found in it.

Goes in: a file's facts. Comes out: groups that belong together in one finding. Never compares with
a threshold.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING

from kernlint.base.dataclass import dataclass
from kernlint.base.span import Span
from kernlint.checks import dialect, words
from kernlint.checks.by_line import as_info, in_parts
from kernlint.model.facts import (
    AS_STATED,
    EXCEEDS,
    IN_ONE_ROW,
    SHAPED,
    Access,
    Counts,
    Example,
    File,
    Kernel,
    Launch,
    Number,
    body_runs,
)
from kernlint.model.finding import Finding, Label, Metrics
from kernlint.source_model.model import SourceModel, source_of

if TYPE_CHECKING:
    from kernlint.checks.rules import Rule
    from kernlint.hardware import Device


TAKEN_TYPE = re.compile(
    r"\w+ is (?!not )[^=]+"
)  # `T is float`, as a template without a launch is read


@dataclass(frozen=True, slots=True)
class Group:
    """The instantiations and launches of one kernel definition."""

    file: File
    kernels: tuple[Kernel, ...]
    device: Device

    @property
    def name(self) -> str:
        return self.kernels[0].qualified_name or self.kernels[0].name

    @property
    def language(self) -> str:
        return dialect.of(self.kernels[0], self.file)

    @property
    def source(self) -> SourceModel:
        return source_of(self.file)


@dataclass(frozen=True, slots=True)
class Executed:
    """An access as the machine executes it: as compiled where that is known, as written
    otherwise."""

    kernel: Kernel
    access: Access
    counts: Counts
    requests: Number | None
    lanes: float | None
    status: str
    bytes: int
    compiled: str = ""  # how the compiler changed it
    in_block: Number | None = None  # requests of a block, as compiled
    # an unknown decides which lanes take part; the counts are those of all that may
    partial: bool = False

    @property
    def excess(self) -> float:
        """Wavefronts or sectors that an ideal access would not need, over what `times` counts."""
        return (self.counts.mean - self.counts.ideal) * self.times

    @property
    def times(self) -> Number:
        """As of its access, as compiled."""
        return next(
            (some for some in (self.requests, self.in_block) if some is not None),
            times(self.access),
        )


def times(access: Access) -> Number:
    """Requests over the launch; of a block where the number of blocks is not known, 1 where nothing
    is."""
    return next((some for some in (access.requests, access.per_block) if some is not None), 1)


def groups(file: File, device: Device) -> list[Group]:
    """The file's kernels by definition, in order."""
    found: dict[tuple[str, Span], list[Kernel]] = {}
    for kernel in file.kernels:
        found.setdefault((kernel.qualified_name or kernel.name, kernel.span), []).append(kernel)
    return [Group(file, tuple(kernels), device) for kernels in found.values()]


def executed(
    kernel: Kernel, access: Access, which: Callable[[Access], Counts | None]
) -> Executed | None:
    """None where the counts are not known, and where the compiler leaves nothing of the access."""
    counts = which(access)
    compiled = access.as_compiled
    if compiled is not None:
        if compiled.requests == 0 or compiled.reason in ("eliminated", "forwarded"):
            return None
        after = compiled.wavefronts if access.space in ("shared", "constant") else compiled.sectors
        if after is not None:
            lanes = compiled.active_lanes
            how = compiled.status, compiled.bytes, compiled.reason
            return Executed(
                kernel, access, after, compiled.requests, lanes, *how, compiled.per_block
            )
    if counts is None:
        return None
    if access.conditional and not access.parted and counts.mean_low < counts.min:
        counts = replace(
            counts, mean_low=float(counts.min)
        )  # nvcc may run it predicated, with no lane; where it executes it costs this
    return Executed(
        kernel, access, counts, access.requests, access.active_lanes, access.status, access.bytes
    )


def by_cause(entries: Iterable[Executed]) -> list[list[Executed]]:
    """One list per line and cause: the same textual access to the same object, in every launch,
    loaded or stored."""
    found: dict[tuple[object, ...], list[Executed]] = {}
    for entry in entries:
        access = entry.access
        found.setdefault(
            (access.span.path, access.span.line, access.text, access.object), []
        ).append(entry)
    return list(found.values())


def presumed_strides(entry: Executed) -> list[str]:
    """Arguments that the numbers take to be large although no guard of the kernel bounds an index
    by them."""
    large = [
        text.removesuffix(" is large")
        for text in entry.access.assumptions
        if text.endswith(" is large")
    ]
    guards = [
        text.removesuffix(EXCEEDS) for text in entry.access.assumptions if text.endswith(EXCEEDS)
    ]
    return [name for name in large if name not in guards]


def open_constants(entry: Executed, guards: tuple[str, ...] = ()) -> list[str]:
    """Constants of the compiler's (template arguments, macros of headers) that no file seen gives
    and that the numbers take to be large. `guards`: how what else is taken for granted of them
    ends."""
    rows = [
        text.removesuffix(ending)
        for text in entry.access.assumptions
        for ending in (IN_ONE_ROW, *guards)
        if text.endswith(ending)
    ]
    arguments = {parameter.name for parameter in entry.kernel.parameters}
    return [
        name
        for some in rows
        for name in some.split(", ")
        if name.isidentifier() and name not in arguments
    ]


def constants_note(names: Sequence[str]) -> str:
    named = " or ".join(f"`{name}`" for name in names)
    return f"info only: no analysed file defines {named}; a small value may change the number"


def may_be_one(strides: Iterable[str], kernel: Kernel) -> bool:
    """Whether one of them is compared with nothing, not even as a loop's end: then it may be a
    stride of 1 as well as a row's length."""
    conditions = [branch.condition for branch in kernel.branches]
    return any(
        not any(re.search(rf"\b{re.escape(name)}\b", condition) for condition in conditions)
        for name in strides
    )


def by_pattern(hits: Iterable[Executed]) -> list[list[Executed]]:
    """One list per array and way of walking it: what one change of the layout or of the index
    mends. Accesses of one loop are alike where they cost the same, those of several where their
    lanes are the same constant distance apart or they have the same index."""
    loops: dict[tuple[object, ...], list[Executed]] = {}
    for hit in hits:
        access, ratio = hit.access, round(hit.counts.mean / (hit.counts.ideal or 1))
        where = (access.object, access.object_span) if access.object else (access.span, access.text)
        loops.setdefault(
            (where, access.bytes, lane_stride(access) or f"{ratio}-fold", access.in_loop), []
        ).append(hit)
    found: dict[tuple[object, ...], list[Executed]] = {}
    for (array, size, how, loop), some in loops.items():
        pattern = how if isinstance(how, int) else (how, some[0].access.index or loop)
        found.setdefault((array, size, pattern), []).extend(some)
    return list(found.values())


def told_together(hits: Iterable[Executed]) -> list[list[Executed]]:
    """One list per finding: by pattern, where instances of a template that walk an array otherwise
    at the same places are one."""
    found: list[tuple[set[tuple[object, ...]], list[Executed]]] = []
    for alike in by_pattern(hits):
        places: set[tuple[object, ...]] = {
            (e.access.span, e.access.text, e.access.object) for e in alike
        }
        same = next(
            (
                known
                for known in found
                if (places <= known[0] or places >= known[0]) and _of_others(alike, known[1])
            ),
            None,
        )
        if same is None:
            found.append((places, alike))
        else:
            same[0].update(places)
            same[1].extend(alike)
    return [some for _, some in found]


def _of_others(some: Sequence[Executed], known: Sequence[Executed]) -> bool:
    return {id(e.kernel) for e in some}.isdisjoint(id(e.kernel) for e in known)


def others_note(hits: Sequence[Executed], worst: Executed) -> Iterator[str]:
    """On which other lines the same pattern is found."""
    first = worst.access
    others = {(e.access.span.line, e.access.text) for e in hits} - {(first.span.line, first.text)}
    lines = sorted({line for line, _ in others})
    if lines:
        more = words.plural(len(others), "more access", "more accesses")
        yield f"also affects {more} to `{first.object}` ({words.lines(lines)})"


@dataclass(frozen=True, slots=True)
class Costs:
    """What the accesses of one space cost: in each launch, and beyond the ideal on each line of
    each launch. `counted`: launches of which the number of some requests is known."""

    total: Mapping[int, float]
    excess: Mapping[tuple[int, str, int], float]
    counted: frozenset[int]


def costs(entries: Iterable[Executed]) -> Costs:
    total: dict[int, float] = defaultdict(float)
    excess: dict[tuple[int, str, int], float] = defaultdict(float)
    counted: set[int] = set()
    for entry in entries:
        # what may leave a loop is no yardstick for the others
        least = entry.counts.mean_low if may_vanish(entry) else entry.counts.mean
        total[id(entry.kernel)] += least * entry.times
        excess[_line(entry)] += entry.excess
        counted |= {id(entry.kernel)} if _timed(entry) else set()
    return Costs(total, excess, frozenset(counted))


def _timed(entry: Executed) -> bool:
    return entry.requests is not None or entry.access.per_block is not None


def runs_unknown_times(entry: Executed, all_costs: Costs) -> bool:
    """Whether nobody knows how often an access runs, of a kernel whose other costs are counted."""
    return not _timed(entry) and id(entry.kernel) in all_costs.counted


def _line(entry: Executed) -> tuple[int, str, int]:
    return id(entry.kernel), entry.access.span.path, entry.access.span.line


def matters(entry: Executed, all_costs: Costs, minimum_share: float) -> bool:
    """Whether the excess of its line is a noticeable share of what the kernel's accesses of this
    space cost in the same launch; what runs nobody knows how often may be most of it."""
    if runs_unknown_times(entry, all_costs):
        return True
    total = all_costs.total[id(entry.kernel)]
    return total <= 0 or all_costs.excess[_line(entry)] >= minimum_share * total


def mattering(
    entries: Sequence[Executed], all_costs: Costs, minimum_share: float
) -> list[Executed]:
    """Those that matter by their line, or with the others of their pattern: a vector that is
    scattered word by word wastes on each line a part of what one change fixes."""
    together: set[int] = set()
    for alike in by_pattern(entries):
        wasted: dict[int, float] = defaultdict(float)
        for line in {_line(entry) for entry in alike}:
            wasted[line[0]] += all_costs.excess[line]
        together |= {
            id(e)
            for e in alike
            if wasted[id(e.kernel)] >= minimum_share * all_costs.total[id(e.kernel)]
        }
    return [e for e in entries if id(e) in together or matters(e, all_costs, minimum_share)]


def small(
    finding: Finding,
    hits: Sequence[Executed],
    all_costs: Costs,
    minimum_share: float,
    others: Iterable[Executed],
) -> Iterator[Finding]:
    """The finding about accesses that do not matter beside the kernel's others, as a note; none
    where `others`, which matter, are the same accesses in other launches. Once the others are
    mended it may come up as what it is."""
    told = {(entry.access.span, entry.access.text) for entry in others}
    if any((entry.access.span, entry.access.text) in told for entry in hits):
        return
    total = all_costs.total[id(hits[0].kernel)]
    wasted = sum(
        all_costs.excess[line]
        for line in {_line(entry) for entry in hits if entry.kernel is hits[0].kernel}
    )
    share, least = (
        words.share(part, 1) for part in (wasted / total if total > 0 else 0.0, minimum_share)
    )
    why = f"info only: wastes {share} of the cost of the kernel's accesses to this memory; the threshold is {least} (`minimum_share`)"
    yield as_info(finding, why)


def crowd(example: Example) -> int:
    """The most lanes of the measured request that use one address."""
    return max(
        Counter(offset for offset in example.lanes if offset is not None).values(), default=0
    )


def lane_stride(access: Access) -> int:
    """The constant distance in bytes between neighbouring active lanes of the measured request; 0
    when there is none."""
    if access.example is None:
        return 0
    active = [
        (lane, offset) for lane, offset in enumerate(access.example.lanes) if offset is not None
    ]
    pairs = list(pairwise(active))
    if not pairs or any(b[0] - a[0] != 1 for a, b in pairs):
        return 0
    steps = {b[1] - a[1] for a, b in pairs}
    return steps.pop() if len(steps) == 1 else 0


def per_block(entry: Executed) -> float | None:
    """Requests per block; None where the block had to be assumed or what it does is not known."""
    launch = entry.kernel.launch
    if launch.grid is None:
        return (
            None
            if launch.block_assumed
            else entry.in_block
            if entry.in_block is not None
            else entry.access.per_block
        )
    return None if entry.requests is None else entry.requests / prod(launch.grid)


def guessed(launch: Launch) -> bool:
    """Whether a guess says how many threads stand side by side in a block, so that another block
    may split no warp there."""
    return launch.block_assumed and prod(launch.block[1:]) > 1 and SHAPED not in launch.block_origin


def taken_types(kernel: Kernel) -> tuple[str, ...]:
    """The types that nobody gives and kernlint takes, in words."""
    types = (text for text in kernel.assumptions if TAKEN_TYPE.fullmatch(text))
    return tuple(dict.fromkeys((*kernel.launch.assumptions, *types)))


def assumed(kernel: Kernel) -> tuple[str, ...]:
    """The block and types that nobody gives, in words: what rests on them is never sure."""
    launch = kernel.launch
    block = (f"block {words.size(launch.block)} is assumed",) if launch.block_assumed else ()
    return *block, *taken_types(kernel)


def severity(rule: Rule, assumptions: tuple[str, ...]) -> str:
    """The rule's; at most a warning where the finding rests on assumptions."""
    return "warning" if rule.severity == "error" and assumptions else rule.severity


def warps(kernel: Kernel, device: Device) -> int:
    """Warps of the launch; of one block where the grid is not known."""
    return prod(kernel.launch.grid or (1,)) * -(-prod(kernel.launch.block) // device.warp_lanes)


def turns(loop: Span, kernel: Kernel, device: Device) -> float | None:
    """How often a warp runs a loop's body, on average; None where that is not known."""
    runs = body_runs(loop, kernel.branches)
    return None if runs is None else runs / warps(kernel, device)


def costliest(hits: Iterable[Executed]) -> Executed:
    """The costliest access on the line that wastes most in some launch; a line that runs nobody
    knows how often may be that one."""
    some = list(hits)
    wasted: dict[tuple[int, str, int], float] = defaultdict(float)
    for hit in some:
        wasted[_line(hit)] += hit.excess
    return max(some, key=lambda e: (not _timed(e), wasted[_line(e)], e.excess, e.counts.max))


def told_of(hits: Sequence[Executed], build: Callable[[Sequence[Executed]], Finding]) -> Finding:
    """One finding about accesses on several lines, the costliest line first."""
    return in_parts(hits, lambda hit: hit.access.span, build, lambda some: costliest(some).excess)


def same_places(hits: Sequence[Executed], worst: Executed) -> tuple[Label, ...]:
    """The other lines of a pattern, as far as they are listed."""
    first = worst.access.span
    found: dict[int, Label] = {}
    for hit in sorted(hits, key=lambda hit: (hit.access.span.line, hit.access.span.column)):
        span = hit.access.span
        if span.path == first.path and span.line != first.line and not hit.access.calls:
            found.setdefault(span.line, Label(span, "and here"))
    return tuple(found.values())[: words.LINES]


def labels(access: Access, file: File) -> tuple[Label, ...]:
    """The array's declaration and the innermost loop, where they are on other lines than the
    access."""
    found = []
    if access.object_span and access.object_shape and access.object_span.line != access.span.line:
        found.append(Label(access.object_span, f"`{access.object}` is declared here"))
    if access.in_loop and access.in_loop.line != access.span.line:
        found.append(Label(source_of(file).head(access.in_loop), "in this loop"))
    if access.calls:
        found.append(Label(access.calls[0], "called from here"))
    return tuple(found)


def _counted(entry: Executed) -> tuple[float, float]:
    """The least and the greatest mean per request."""
    between = is_between(entry)
    mean = entry.counts.mean
    return (entry.counts.mean_low, _most(entry)) if between else (mean, mean)


def launch_notes(
    hits: Sequence[Executed],
    worst: Executed,
    group: Group,
    unit: str,
    bounds: Callable[[Executed], tuple[float, float]] = _counted,
) -> Iterator[str]:
    """Which launch the numbers are of, with its requests, and how the others fare: `bounds` of
    their units per request."""
    instance = f"`{words.kernel(worst.kernel)}`, " if worst.kernel.template_arguments else ""
    yield f"launch: {instance}{words.launch(worst.kernel.launch)}{requests_made(worst)}"
    affected = {id(hit.kernel) for hit in hits}
    if len(group.kernels) > 1:
        lows, highs = zip(*map(bounds, hits), strict=True)
        low, high = min(lows), max(highs)
        how = f"{words.mean(low)} to {words.mean(high)}" if low != high else words.mean(low)
        yield f"{words.worst(len(affected), len(group.kernels))} ({how} {unit} per request)"


def _most(entry: Executed) -> float:
    """At most so many per request, on average: no more than the worst has."""
    return min(entry.counts.mean_high, float(entry.counts.max))


def requests_made(entry: Executed) -> str:
    """`; 65,536 requests`, `; up to 65,536 requests` where the compiler may leave fewer, `; 8
    requests per block` where the grid is not known, "" where nothing is."""
    most = "up to " if may_vanish(entry) else ""
    if entry.requests is not None:
        return f"; {most}{words.plural(entry.requests, 'request')}"
    own = per_block(entry)
    return "" if own is None else f"; {most}{words.plural(own, 'request')} per block"


def may_vanish(entry: Executed) -> bool:
    """Whether the compiler may leave fewer requests than are written, or none: one load before a
    loop may serve all its iterations."""
    as_written = entry.access.reason == "compiler" and not entry.compiled
    return as_written and entry.counts.mean_low == 0


def is_between(entry: Executed) -> bool:
    """Whether an unknown decides the count, so that only its bounds are told; not where it decides
    who takes part."""
    return (
        not entry.partial
        and entry.counts.mean_low != entry.counts.mean_high
        and entry.access.reason != "compiler"
    )


def per_request(entry: Executed) -> str:
    """The mean count in words, or its bounds; an access that only the compiler may change is told
    as written."""
    if entry.partial:
        return f"up to {words.mean(entry.counts.mean_high)}"
    return words.spread(entry.counts, bounds=entry.access.reason != "compiler")


def wavefronts(
    entry: Executed,
    degree: float | None = None,
    cycles: float | None = None,
    only_bounds: bool = False,
) -> Metrics:
    """The numbers of a finding about wavefronts. `only_bounds`: the mean is not one that the
    message names."""
    mean, low, high = _bounds(entry, only_bounds)
    return Metrics(
        degree=degree,
        wavefronts=mean,
        wavefronts_low=low,
        wavefronts_high=high,
        ideal_wavefronts=entry.counts.ideal,
        requests=entry.requests,
        active_lanes=entry.lanes,
        cycles=cycles,
    )


def sectors(entry: Executed) -> Metrics:
    """The numbers of a finding about sectors."""
    mean, low, high = _bounds(entry, False)
    return Metrics(
        sectors=mean,
        sectors_low=low,
        sectors_high=high,
        ideal_sectors=entry.counts.ideal,
        requests=entry.requests,
        active_lanes=entry.lanes,
    )


def _bounds(entry: Executed, only_bounds: bool) -> tuple[float | None, float | None, float | None]:
    """(the mean where the message names it, the bounds where they differ)."""
    counts = entry.counts
    if entry.partial:  # at least one lane takes part
        return None, float(counts.min), counts.mean_high
    if counts.mean_low == counts.mean_high:
        return counts.mean, None, None
    mean = None if only_bounds or is_between(entry) else counts.mean
    return mean, counts.mean_low, counts.mean_high


def certainty(entry: Executed, open_atomic: bool = False) -> str:
    """(exact). What only the compiler may change is shown as written, an atomic in rounds
    (`open_atomic`) as compiled."""
    written = entry.access.reason == "compiler" or entry.kernel.as_written
    return (
        f"({'as written' if written and not entry.compiled and not open_atomic else _open(entry)})"
    )


def _open(entry: Executed) -> str:
    """The status, and what is open where it is a range although the count per request has no bounds
    beside it."""
    if entry.status != "range" or entry.counts.mean_low != entry.counts.mean_high:
        return entry.status
    if any(
        not text.startswith("block ") and not text.endswith(AS_STATED)
        for text in entry.access.assumptions
    ):
        return "range: under assumptions"
    if entry.requests is not None:
        return entry.status
    return (
        "range: grid unknown"
        if per_block(entry) is not None
        else "range: number of requests unknown"
    )


def operations(accesses: Iterable[Access]) -> str:
    """load, store, or load and store."""
    found = {access.op for access in accesses}
    return " and ".join(op for op in ("load", "store", "atomic", "copy") if op in found)


def beside(access: Access, accesses: Iterable[Access]) -> list[Access]:
    """Those that stand on the same line in the same words: the load and the store of `a[i] +=
    x`."""
    return [
        a
        for a in accesses
        if (a.span.path, a.span.line, a.text) == (access.span.path, access.span.line, access.text)
    ]


def which(hits: Sequence[Executed], worst: Executed) -> str:
    """` on load`, ` on load and store`, where the line loads and stores there; "" where it does
    only one of them."""
    if len({a.op for a in beside(worst.access, worst.kernel.accesses)}) < 2:
        return ""
    return f" on {operations(beside(worst.access, (hit.access for hit in hits)))}"
