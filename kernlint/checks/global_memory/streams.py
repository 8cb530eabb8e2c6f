"""Family 2, global memory: contiguous accesses that could move better. Goes in: facts of one
kernel. Comes out: notes.

Contiguous means that neighbouring lanes touch neighbouring elements; what is scattered is the
business of KL201 and KL206.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from kernlint.checks import cases, context, dialect, words
from kernlint.checks.context import Executed, Group
from kernlint.checks.global_memory.entries import global_entries
from kernlint.checks.global_memory.strides import VECTORS
from kernlint.checks.rules import Rule
from kernlint.model.facts import Access, Counts
from kernlint.model.finding import Finding
from kernlint.source_model import index_terms

PADDED = {"cuda": "`cudaMallocPitch`, or padded columns", "opencl": "padded columns"}
# sectors more per request when all but the launch's edges straddle; with an odd row of bytes it is
# 31 of 32 rows
ALWAYS = 0.97

VECTOR = 4  # bytes of the smallest vector that is worth it: `uchar4`, `half2`

Told = Callable[
    [Executed, Group, str], tuple[str, str]
]  # message and help; of load or store, where both are there


def misaligned_global_access(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL202: arrays all of whose contiguous accesses straddle one sector more than they need."""
    entries = global_entries(group)
    all_costs = context.costs(entries)
    by_array: dict[tuple[object, ...], list[Executed]] = {}
    for entry in entries:
        if _contiguous(entry, group):
            by_array.setdefault((id(entry.kernel), entry.access.object), []).append(entry)
    arrays = [some for some in by_array.values() if all(_straddles(e, rule) for e in some)]
    astride = [entry for some in arrays for entry in some]
    share = rule.threshold("minimum_share")
    costly = {id(e) for e in context.mattering(astride, all_costs, share)}
    hits = [e for e in astride if id(e) in costly]
    for cause in _by_array(hits):
        yield _finding(cause, group, rule, _misaligned)
    for cause in _by_array([e for e in astride if id(e) not in costly]):
        yield from context.small(
            _finding(cause, group, rule, _misaligned), cause, all_costs, share, hits
        )
    shifted = [entry for some in by_array.values() for entry in some if _may_straddle(entry, rule)]
    for cause in _by_array([entry for entry in shifted if entry not in astride]):
        entry = context.costliest(cause)
        bad = [
            c for c in entry.access.cases if c.least >= rule.threshold("ratio") * entry.counts.ideal
        ]
        yield cases.possible(entry, bad, group, rule, context.which(cause, entry), cause)


def _may_straddle(entry: Executed, rule: Rule) -> bool:
    """Whether an argument decides if nearly all requests start off a sector."""
    access, ideal = entry.access, entry.counts.ideal
    bad = [case for case in access.cases if case.least >= rule.threshold("ratio") * ideal]
    return (
        bool(bad)
        and all(case.least >= ideal + ALWAYS for case in bad)
        and cases.free_condition(access.cases, ideal) != ""
        and access.in_loop is None
        and not cases.misaligned(access)
    )


def vectorizable_access(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL207: contiguous accesses so narrow that a request of the warp fills a fraction of a cache
    line."""
    entries = global_entries(group)
    every: dict[int, float] = {}
    for entry in entries:
        every[id(entry.kernel)] = every.get(id(entry.kernel), 0) + _requests(entry)
    hits = [
        e
        for e in entries
        if _contiguous(e, group)
        and not e.compiled
        and e.access.width_total == e.bytes <= rule.threshold("bytes")
        and _requests(e) >= rule.threshold("share") * every[id(e.kernel)]
    ]
    for cause in _by_array(hits):
        yield _finding(cause, group, rule, _narrow)


def _requests(entry: Executed) -> float:
    return 1 if entry.requests is None else entry.requests


def _contiguous(entry: Executed, group: Group) -> bool:
    """Neighbouring elements in neighbouring lanes, with at least half of the warp at work."""
    access, enough = entry.access, entry.lanes is None or entry.lanes >= group.device.warp_lanes / 2
    return (
        enough
        and entry.requests != 0
        and access.op in ("load", "store")
        and abs(context.lane_stride(access)) == access.bytes
    )


def _straddles(entry: Executed, rule: Rule) -> bool:
    """A window that slides along in a loop starts everywhere by its nature."""
    counts = entry.counts
    certain = (
        counts.mean if entry.access.reason == "compiler" else min(counts.mean, counts.mean_low)
    )
    slides = entry.access.in_loop is not None and not _by_offset(counts)
    return certain >= rule.threshold("ratio") * counts.ideal and not slides


def _by_offset(counts: Counts) -> bool:
    """Whether nearly all requests start off a sector, not only those of some rows."""
    return counts.mean >= counts.ideal + ALWAYS


def _by_array(hits: Sequence[Executed]) -> list[list[Executed]]:
    found: dict[tuple[object, ...], list[Executed]] = {}
    for hit in hits:
        found.setdefault((hit.access.object, hit.access.object_span), []).append(hit)
    return list(found.values())


def _finding(hits: Sequence[Executed], group: Group, rule: Rule, told: Told) -> Finding:
    return context.told_of(hits, partial(_described, group=group, rule=rule, told=told))


def _described(hits: Sequence[Executed], group: Group, rule: Rule, told: Told) -> Finding:
    first = context.costliest(hits)
    worst = max(hits, key=lambda e: (e.excess, _requests(e))) if first.excess == 0 else first
    access = worst.access
    message, advice = told(worst, group, context.which(hits, worst))
    notes = [*words.index(access), *context.others_note(hits, worst)]
    notes += context.launch_notes(hits, worst, group, "sectors")
    notes += words.not_exact(access, worst.kernel)
    return Finding(
        rule.code,
        rule.name,
        rule.severity,
        message,
        access.span,
        kernel=words.kernel(worst.kernel),
        status=worst.status,
        labels=context.labels(access, group.file),
        notes=tuple(notes),
        help=advice,
        assumptions=access.assumptions,
        metrics=context.sectors(worst),
    )


def _misaligned(entry: Executed, group: Group, which: str) -> tuple[str, str]:
    access, counts, sector = entry.access, entry.counts, group.device.sector_bytes
    message = (
        f"`{access.text}`: contiguous but misaligned to {sector}-byte sectors: {context.per_request(entry)} sectors per request{which} "
        f"instead of {words.mean(counts.ideal)} {context.certainty(entry)}"
    )
    apart = _apart(access, sector)
    if _by_offset(counts) and apart:
        return message, (
            f"parts of `{access.object}` start {apart} bytes apart, not a multiple of {sector}: make it a multiple, or move the data "
            "between them to another array"
        )
    if _by_offset(counts):
        start = _start(access)
        by = "" if start is None else f" (it now starts {start % sector} bytes after one)"
        return (
            message,
            f"start each warp's part of `{access.object}` at a multiple of {sector} bytes{by}",
        )
    how = dialect.own(PADDED, group.language)
    return (
        message,
        f"make the row pitch of `{access.object}` a multiple of {sector} bytes ({how})",
    )


def _start(access: Access) -> int | None:
    """Where the measured request begins, in bytes from the object's start."""
    return (
        None
        if access.example is None
        else min((offset for offset in access.example.lanes if offset is not None), default=None)
    )


def _active(access: Access) -> int:
    """Lanes of the measured request that take part."""
    lanes = access.example.lanes if access.example is not None else ()
    return sum(offset is not None for offset in lanes)


def _begin_at_sectors(entry: Executed, group: Group) -> bool:
    """Whether contiguous lanes, as many in every request, fill whole sectors and take as few as
    there can be."""
    counts, lanes = entry.counts, _active(entry.access)
    alike = entry.lanes is not None and entry.lanes >= lanes
    return (
        alike
        and lanes * entry.access.bytes % group.device.sector_bytes == 0
        and max(counts.max, counts.mean_high) <= counts.ideal
    )


def _apart(access: Access, sector: int) -> int:
    """By how many bytes what the warps work on is apart, where that keeps them off the sectors; 0
    where it does not."""
    moving = (term for term in access.index_terms if term.factors)
    sizes = (abs(term.coefficient) * access.index_bytes for term in moving)
    return next((size for size in sizes if size % sector and size > access.bytes), 0)


def _narrow(entry: Executed, group: Group, which: str) -> tuple[str, str]:
    access, device = entry.access, group.device
    moved, factor = access.bytes * _active(access), VECTOR // access.bytes
    size = words.plural(access.bytes, "byte")
    message = (
        f"`{access.text}`: each lane moves {size} per request{which}, the warp {moved} of the {device.line_bytes} bytes of a "
        f"cache line {context.certainty(entry)}"
    )
    vector = VECTORS[access.bytes, VECTOR]
    fewer = f"a {'quarter' if factor == 4 else 'half'} of the requests"
    deciding, start = index_terms.open_start(access, entry.kernel, VECTOR), _start(access)
    if deciding:
        return message, (
            f"if {deciding} {'is' if ' and ' not in deciding else 'are'} a multiple of {factor}, let each thread work on {factor} "
            f"neighbouring elements and move them as one 4-byte vector ({vector}) or wider: {fewer}"
        )
    if deciding is not None and not _begin_at_sectors(entry, group):
        return message, (
            f"vector accesses need aligned addresses, and not all rows of `{access.object}` start at a multiple of {VECTOR} bytes: pad "
            f"them and let each thread move {factor} neighbouring elements at once: {fewer}"
        )
    if start is not None and start % VECTOR:
        return message, (
            f"vector accesses need aligned addresses, and these elements start {words.plural(start % VECTOR, 'byte')} after a multiple "
            f"of {VECTOR}: keep them in their own array and let each thread move {factor} at once"
        )
    return message, (
        f"let each thread work on {factor} neighbouring elements and move them as one 4-byte vector ({vector}) or wider: {fewer}"
    )
