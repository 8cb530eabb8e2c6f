"""Family 1, shared memory: accesses whose lanes meet in one bank. Goes in: facts of one kernel.
Comes out: findings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from kernlint import hardware
from kernlint.base.span import Span
from kernlint.checks import cases, context, dialect, partial_warps, words
from kernlint.checks.context import Executed, Group
from kernlint.checks.rules import Rule
from kernlint.checks.shared_memory.merge_relief import relief
from kernlint.checks.shared_memory.shared_layouts import VECTORS, advice
from kernlint.hardware import Device
from kernlint.model.facts import Access, Case, Counts
from kernlint.model.finding import Finding, Fix

SERIAL = ("atomic", "cas")
ROWS_ASSUMED = re.compile(r"block \d+x(?!1x1 )\d+x\d+ is assumed")

PRIVATE_COPIES = {
    "cuda": "give each warp its own copy of the array, or combine equal targets within the warp first (`__match_any_sync`, warp reduction)",
    "opencl": "give each sub-group its own copy of the array, or let each work-item accumulate several values of one target before the atomic",
}
COMBINED = {
    "cuda": "reduce within the warp first (shuffles, or `__reduce_add_sync` for 32-bit integers) and let one lane update the word",
    "opencl": "reduce within the sub-group first (`sub_group_reduce_add` and the like, or a tree in shared memory) and let one "
    "work-item update the word",
}


def shared_bank_conflict(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL101: accesses that need several times the wavefronts of a conflict-free one."""
    entries = [partial_warps.whole(entry) for entry in shared_entries(group)]
    all_costs = context.costs(entries)
    own = [
        e
        for e in entries
        if not _contended(e.access) and not _may_merge(e, entries) and not _at_once(e, group.device)
    ]
    share, sure = (
        rule.threshold("minimum_share"),
        [e for e in own if _conflicts(e, rule, group.device)],
    )
    costly = {id(e) for e in context.mattering(sure, all_costs, share)}
    sure = [
        e for e in sure if not (_slight(e, rule) and context.lane_stride(e.access) == 0)
    ]  # of rows whose length is a guess
    hits = [e for e in sure if id(e) in costly]
    for alike in context.told_together(hits):
        yield _finding(alike, group, rule)
    for alike in context.told_together([e for e in sure if id(e) not in costly]):
        yield from context.small(_finding(alike, group, rule), alike, all_costs, share, hits)
    places = {(hit.access.span, hit.access.text) for hit in hits}
    yield from _unrolled(
        [e for e in own if (e.access.span, e.access.text) not in places], group, rule
    )
    yield from _possible(
        [e for e in own if (e.access.span, e.access.text) not in places], group, rule
    )


def _may_merge(entry: Executed, entries: Sequence[Executed]) -> bool:
    """Whether all members of 8- or 16-byte elements are accessed side by side, so that the compiler
    may move each element at once; of what is exact the compile stage has said already what
    happens."""
    access, size = entry.access, abs(context.lane_stride(entry.access))
    member = access.element_bytes != size  # of what a cast makes the elements of a raw buffer
    if (
        entry.status == "exact"
        or entry.compiled
        or size not in VECTORS
        or (member and "." not in access.text)
    ):
        return False

    def where(some: Access) -> tuple[object, ...]:
        return (
            some.object,
            some.object_span,
            some.op,
            some.in_loop,
            some.text.rpartition(".")[0] if member else "",
        )

    near = [
        e.access
        for e in entries
        if e.kernel is entry.kernel and abs(e.access.span.line - access.span.line) < size
    ]
    alike = [some for some in near if where(some) == where(access)]
    starts = {
        a.example.lanes[0]
        for a in alike
        if a.example is not None and abs(context.lane_stride(a)) == size
    }
    return len(starts) * access.bytes >= size


def _at_once(entry: Executed, device: Device) -> bool:
    """Whether a struct is copied that the compiler may move in one aligned access of 8 or 16 bytes,
    without a conflict then."""
    access, size = entry.access, entry.access.width_total
    if entry.status == "exact" or entry.compiled:
        return False
    if size not in VECTORS or size == access.bytes:
        return False
    if access.example is None:
        return access.reason == "loaded-value"  # data decides where its lanes are
    lanes = access.example.lanes
    if any(offset is not None and offset % size for offset in lanes):
        return False
    return hardware.wavefronts(lanes, size, access.op, device) <= hardware.ideal_wavefronts(
        lanes, size, access.op, device
    )


def shared_atomic_contention(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL102: atomics whose lanes update the same words. What the compiler may combine in the warp
    is not reported."""
    entries = [
        partial_warps.crowded(entry) if _contended(entry.access) else entry
        for entry in shared_entries(group)
    ]
    all_costs = context.costs(entries)
    for cause in context.by_cause(e for e in entries if _contended(e.access)):
        least = rule.threshold("ratio")
        certain = [
            e
            for e in cause
            if e.requests != 0 and min(e.counts.mean, e.counts.mean_low) >= least * e.counts.ideal
        ]
        share = rule.threshold("minimum_share")
        hits = [e for e in certain if context.matters(e, all_costs, share)]
        if hits:
            yield _finding(hits, group, rule)
        elif certain:
            yield from context.small(_finding(certain, group, rule), certain, all_costs, share, ())


def shared_entries(group: Group) -> list[Executed]:
    """The shared-memory accesses whose wavefronts are known, under every launch."""
    return [
        entry
        for kernel in group.kernels
        for access in kernel.accesses
        if access.space == "shared"
        and (entry := context.executed(kernel, access, _wavefronts)) is not None
    ]


def _wavefronts(access: Access) -> Counts | None:
    return access.wavefronts


def _conflicts(entry: Executed, rule: Rule, device: Device) -> bool:
    """Certain: the lower bound of a range must reach the threshold too."""
    counts = entry.counts
    certain = (
        counts.mean
        if entry.access.reason == "compiler" and not _unrolling(entry, device)
        else min(counts.mean, counts.mean_low)
    )
    return certain >= rule.threshold("ratio") * counts.ideal and entry.requests != 0


def _unrolling(entry: Executed, device: Device) -> Span | None:
    """The loop whose unrolling decides whether there is a conflict."""
    free = relief(entry, device)
    return free.loop if free is not None else None


def _unrolled(entries: Sequence[Executed], group: Group, rule: Rule) -> Iterator[Finding]:
    """Where how far a loop is unrolled decides whether there is a conflict, as a note below the
    warnings; what is small is one anyway."""
    least = rule.threshold("ratio")
    found = [
        e
        for e in entries
        if e.counts.mean >= least * e.counts.ideal
        and e.requests != 0
        and _unrolling(e, group.device)
    ]
    for alike in context.told_together(found):
        yield _finding(alike, group, rule)


def _slight(entry: Executed, rule: Rule, wavefronts: float | None = None) -> bool:
    """Whether it is a small conflict (of so many wavefronts, by default those of the worst request)
    of a block whose shape is a guess."""
    worst = entry.counts.max if wavefronts is None else wavefronts
    guessed = any(ROWS_ASSUMED.fullmatch(text) for text in entry.access.assumptions)
    return guessed and worst < rule.thresholds.get("assumed_ratio", 0) * entry.counts.ideal


def _finding(hits: Sequence[Executed], group: Group, rule: Rule) -> Finding:
    told, fix = _advice(context.costliest(hits), group)
    found = context.told_of(hits, partial(_described, group=group, rule=rule))
    return replace(found, help=told, fix=fix)


def _described(hits: Sequence[Executed], group: Group, rule: Rule) -> Finding:
    """The finding without its remedy."""
    worst = context.costliest(hits)
    access, counts = worst.access, worst.counts
    together = [e for e in hits if e.kernel is worst.kernel and context.beside(access, [e.access])]
    cycles, constants, loop = (
        _cycles(together, group.device),
        context.open_constants(worst),
        _unrolling(worst, group.device),
    )
    what = f"{_headline(worst, group.device)}{context.which(hits, worst)}"
    what += " unless the loop is unrolled" if loop else ""
    return Finding(
        rule.code,
        rule.name,
        "info" if _slight(worst, rule) or constants or loop else rule.severity,
        f"`{access.text}`: {what}: {_per_request(worst)} wavefronts per request "
        f"instead of {words.mean(counts.ideal)} {context.certainty(worst, open_atomic=_open_rounds(worst))}",
        access.span,
        kernel=words.kernel(worst.kernel),
        status=worst.status,
        labels=(*context.labels(access, group.file), *context.same_places(hits, worst)),
        notes=(
            *((_unless_unrolled(loop),) if loop else ()),
            *_notes(hits, worst, cycles, group),
            *((context.constants_note(constants),) if constants else ()),
        ),
        assumptions=access.assumptions,
        metrics=context.wavefronts(
            worst, _degree(worst, group.device), cycles and cycles[0], _open_rounds(worst)
        ),
    )


def _unless_unrolled(loop: Span) -> str:
    return f"nvcc avoids the conflict if it unrolls the loop on line {loop.line} by 4 or more"


def _degree(entry: Executed, device: Device) -> float:
    """n-way: wavefronts of the worst request over those of an ideal one of as many lanes."""
    counts, access = entry.counts, entry.access
    ideal = counts.ideal
    if access.example is not None and access.example.count == counts.max and not entry.compiled:
        ideal = hardware.ideal_wavefronts(
            access.example.lanes, access.bytes, access.hardware_op, device
        )
    # requests of which no lane is active take no wavefront; the worst one has some
    return counts.max / max(1, ideal)


def _headline(entry: Executed, device: Device) -> str:
    counts = entry.counts
    kind = "atomic contention" if _contended(entry.access) else "bank conflict"
    up_to = "up to " if entry.partial or counts.min != counts.max else ""
    return f"{up_to}{words.mean(round(_degree(entry, device), 1))}-way {kind}"


def _open_rounds(entry: Executed) -> bool:
    """Whether the atomic may take further rounds than those as written: it compiles to a loop,
    whose rounds are known to a range."""
    return _contended(entry.access) and entry.counts.mean_low != entry.counts.mean_high


def _per_request(entry: Executed) -> str:
    """Of an atomic in rounds the bounds: the count as written is only the lower one."""
    return words.spread(entry.counts) if _open_rounds(entry) else context.per_request(entry)


def _contended(access: Access) -> bool:
    """Whether lanes of an atomic meet on one address, rather than on different words of one
    bank."""
    return access.hardware_op in SERIAL and (
        access.example is None or context.crowd(access.example) > 1
    )


def _notes(
    hits: Sequence[Executed], worst: Executed, cycles: tuple[float, float] | None, group: Group
) -> Iterator[str]:
    access = worst.access
    yield from words.index(access)
    crowd = crowded_bank(access, group.device, worst.bytes)
    changed = list(_both(worst, group.device)) if worst.compiled else []
    yield from changed
    if crowd:
        yield f"as compiled, {crowd}" if changed else crowd
    if cycles:
        now, best = (words.count(round(some)) for some in cycles)
        as_written = (
            "as written, " if worst.access.reason == "compiler" and not worst.compiled else ""
        )
        least = "at least " if context.is_between(worst) or _open_rounds(worst) else as_written
        both = context.which(hits, worst).replace(" on ", " of the ")
        yield f"cost{both}: {least}{now} cycles of the shared-memory pipe per block instead of {best}, {words.by_model(group.device)}"
    yield from context.others_note(hits, worst)
    yield from context.launch_notes(hits, worst, group, "wavefronts")
    yield from words.not_exact(access, worst.kernel)
    yield from access.notes


def _both(entry: Executed, device: Device) -> Iterator[str]:
    """The access as written beside the compiled one, which the headline reports; nothing where
    both conflict alike."""
    written, access = entry.access.wavefronts, entry.access
    alike = written is not None and (entry.counts.mean, entry.counts.ideal) == (
        written.mean,
        written.ideal,
    )
    if written is None or (
        alike and (entry.bytes, entry.requests) == (access.bytes, access.requests)
    ):
        return
    as_written = replace(entry, counts=written, bytes=access.bytes, compiled="")
    before, after = (
        f"{words.mean(round(_degree(some, device), 1))}-way" for some in (as_written, entry)
    )
    how = f"{words.plural(access.bytes, 'byte')} per lane, {words.mean(written.mean)} wavefronts instead of {words.mean(written.ideal)}"
    merges = words.changed(entry.compiled, entry.bytes, access.bytes)
    result = (
        f"{after} ({words.mean(entry.counts.mean)} instead of {words.mean(entry.counts.ideal)})"
    )
    wider = access.as_compiled.wider if access.as_compiled is not None else None
    told = (
        f", or {words.compiled(wider, access.space)}"
        if wider is not None
        else ", as a profiler counts it"
    )
    yield f"as written: {before} ({how}); as compiled: {merges}, {result}{told}"


def crowded_bank(access: Access, device: Device, width: int) -> str:
    """Which lanes of the measured request share a bank, and how many different words they want.
    `width`: bytes of each lane's access as the machine makes it; one merged of several starts at a
    multiple of that."""
    example = access.example
    if example is None:
        return ""
    schedule = device.schedule(access.hardware_op, width)
    merged = width > access.bytes
    lanes = tuple(
        offset if offset is None or not merged else offset - offset % width
        for offset in example.lanes
    )
    best: tuple[int, int, list[int]] = (0, 0, [])  # how many, of how many words, which lanes
    for together in hardware.lane_groups(lanes, width, access.hardware_op, device):
        banks: dict[int, dict[int, list[int]]] = {}
        for lane in together:
            offset = lanes[lane]
            if offset is None:
                continue
            for word in range(
                offset // device.bank_bytes, (offset + width - 1) // device.bank_bytes + 1
            ):
                banks.setdefault(word % device.banks, {}).setdefault(word, []).append(lane)
        for found in banks.values():
            members = sorted({lane for some in found.values() for lane in some})
            load = len(found) if schedule.mode == "words" else len(members)
            if load > best[0]:
                best = (
                    load,
                    len(found),
                    members if schedule.mode == "lanes" else [some[0] for some in found.values()],
                )
    load, wanted, members = best
    if load < 2:
        return ""
    where = f"block {example.block}, warp {example.warp}: {words.lanes(members)}"
    if schedule.mode == "lanes":
        return f"{where} update {'one word' if wanted == 1 else 'words of one bank'}, one after the other"
    return f"{where} need {load} different words of one bank"


def _cycles(entries: Sequence[Executed], device: Device) -> tuple[float, float] | None:
    """T of the mean block over the accesses that are told together, now and without conflicts."""
    now = best = 0.0
    for entry in entries:
        requests = context.per_block(entry)
        if not requests:
            return None
        now += requests * (
            entry.counts.mean_low if context.is_between(entry) else entry.counts.mean
        )
        best += requests * entry.counts.ideal
    return hardware.cycles(1, 1, now, device), hardware.cycles(1, 1, best, device)


def _advice(worst: Executed, group: Group) -> tuple[str, Fix | None]:
    access = worst.access
    if _contended(access):
        alone = (
            access.example is None
            or len({offset for offset in access.example.lanes if offset is not None}) == 1
        )
        return dialect.own(COMBINED if alone else PRIVATE_COPIES, group.language), None
    return advice(worst, group)


def _possible(entries: Sequence[Executed], group: Group, rule: Rule) -> Iterator[Finding]:
    """Where an unknown decides: the cases that conflict, as a note below the warnings; one for each
    array and condition."""
    told: dict[tuple[object, ...], tuple[Executed, list[Case], list[Executed]]] = {}
    for entry in entries:
        bad = [
            c for c in entry.access.cases if c.least >= rule.threshold("ratio") * entry.counts.ideal
        ]
        outcomes = [c for c in entry.access.cases if c.condition != "always"]
        worst = max((c.least for c in bad), default=0)
        if (
            bad
            and len(bad) < len(outcomes)
            and not cases.misaligned(entry.access)
            and not _slight(entry, rule, worst)
        ):
            key = (
                entry.access.object,
                entry.access.object_span,
                tuple((case.condition, case.least, case.most) for case in bad),
            )
            told.setdefault(key, (entry, bad, []))[2].append(entry)
    for entry, bad, alike in told.values():
        yield cases.possible(entry, bad, group, rule, context.which(alike, entry), alike)
