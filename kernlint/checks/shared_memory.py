"""Family 1, shared memory: accesses whose lanes meet in one bank. Goes in: facts of one kernel. Comes out: findings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod

from kernlint import hardware
from kernlint.checks import cases, context, dialect, padding, words
from kernlint.checks.context import Executed, Group
from kernlint.checks.finding import Edit, Finding, Fix, Metrics
from kernlint.checks.rules import Rule
from kernlint.checks.uses import layout_matters
from kernlint.facts import Access, Case, Counts
from kernlint.hardware import Device
from kernlint.source.span import Span

SERIAL = ("atomic", "cas")
ROWS_ASSUMED = re.compile(r"block \d+x(?!1x1 )\d+x\d+ is assumed")
FEW = 4  # elements of a padding that asks for no explanation
VECTORS = (8, 16)  # bytes that one access of a lane can move, beyond a word

PRIVATE_COPIES = {
    "cuda": "give each warp its own copy of the array, or combine equal targets in the warp first (`__match_any_sync`, warp reduction)",
    "opencl": "give each sub-group its own copy of the array, or let each work-item add up several values of one target before the atomic",
}
COMBINED = {
    "cuda": "combine in the warp first (shuffles; sums of 32-bit integers also by `__reduce_add_sync`) and let one lane update the word",
    "opencl": "combine in the sub-group first (`sub_group_reduce_add` and its like, or a tree in local memory) and let one work-item "
    "update the word",
}
ROWS_APART = "let neighbouring lanes touch neighbouring words, or pad the rows of the array so that rows start in different banks"
TUNE = "`kernlint tune FILE` holds it against other layouts, with `--diff` as a patch"
TUNE_MAY = "`kernlint tune FILE` says whether another layout is better as a whole"
OTHER_INDEX = (
    "rearrange the index so that the lanes of a warp touch words of different banks (unit or odd stride, or XOR the row into the column)"
)


def shared_bank_conflict(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL101: accesses that need several times the wavefronts of a conflict-free one."""
    entries = shared_entries(group)
    all_costs = context.costs(entries)
    own = [e for e in entries if not _contended(e.access) and not _may_merge(e, entries) and not _at_once(e, group.device)]
    share, sure = rule.threshold("minimum_share"), [e for e in own if _conflicts(e, rule)]
    costly = {id(e) for e in context.mattering(sure, all_costs, share)}
    sure = [e for e in sure if not (_slight(e, rule) and context.lane_stride(e.access) == 0)]  # of rows whose length is a guess
    hits = [e for e in sure if id(e) in costly]
    for alike in context.told_together(hits):
        yield _finding(alike, group, rule)
    for alike in context.told_together([e for e in sure if id(e) not in costly]):
        yield from context.small(_finding(alike, group, rule), alike, all_costs, share, hits)
    places = {(hit.access.span, hit.access.text) for hit in hits}
    yield from _possible([e for e in own if (e.access.span, e.access.text) not in places], group, rule)


def _may_merge(entry: Executed, entries: Sequence[Executed]) -> bool:
    """Whether all members of 8- or 16-byte elements are accessed side by side, so that the compiler may move each element at once; of
    what is exact the compile stage has said already what happens."""
    access, size = entry.access, abs(context.lane_stride(entry.access))
    member = access.element_bytes != size  # of what a cast makes the elements of a raw buffer
    if entry.status == "exact" or entry.compiled or size not in VECTORS or (member and "." not in access.text):
        return False

    def where(some: Access) -> tuple[object, ...]:
        return some.object, some.object_span, some.op, some.in_loop, some.text.rpartition(".")[0] if member else ""

    near = [e.access for e in entries if e.kernel is entry.kernel and abs(e.access.span.line - access.span.line) < size]
    alike = [some for some in near if where(some) == where(access)]
    starts = {a.example.lanes[0] for a in alike if a.example is not None and abs(context.lane_stride(a)) == size}
    return len(starts) * access.bytes >= size


def _at_once(entry: Executed, device: Device) -> bool:
    """Whether a struct is copied that the compiler may move in one aligned access of 8 or 16 bytes, without a conflict then."""
    access, size = entry.access, entry.access.width_total
    if entry.status == "exact" or entry.compiled or size not in VECTORS or size == access.bytes or access.example is None:
        return False
    lanes = access.example.lanes
    if any(offset is not None and offset % size for offset in lanes):
        return False
    return hardware.wavefronts(lanes, size, access.op, device) <= hardware.ideal_wavefronts(lanes, size, access.op, device)


def shared_atomic_contention(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL102: atomics whose lanes update the same words. What the compiler may combine in the warp is not reported."""
    entries = shared_entries(group)
    all_costs = context.costs(entries)
    for cause in context.by_cause(e for e in entries if _contended(e.access)):
        least = rule.threshold("ratio")
        certain = [e for e in cause if e.requests != 0 and min(e.counts.mean, e.counts.mean_low) >= least * e.counts.ideal]
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
        if access.space == "shared" and (entry := context.executed(kernel, access, _wavefronts)) is not None
    ]


def _wavefronts(access: Access) -> Counts | None:
    return access.wavefronts


def _conflicts(entry: Executed, rule: Rule) -> bool:
    """Certain: the lower bound of a range must reach the threshold too."""
    counts = entry.counts
    certain = counts.mean if entry.access.reason == "compiler" else min(counts.mean, counts.mean_low)
    return certain >= rule.threshold("ratio") * counts.ideal and entry.requests != 0


def _slight(entry: Executed, rule: Rule, wavefronts: float | None = None) -> bool:
    """Whether it is a small conflict (of so many wavefronts, by default those of the worst request) of a block whose shape is a guess."""
    worst = entry.counts.max if wavefronts is None else wavefronts
    guessed = any(ROWS_ASSUMED.fullmatch(text) for text in entry.access.assumptions)
    return guessed and worst < rule.thresholds.get("assumed_ratio", 0) * entry.counts.ideal


def _finding(hits: Sequence[Executed], group: Group, rule: Rule) -> Finding:
    worst = max(hits, key=lambda e: (e.excess, e.counts.max))
    access, counts = worst.access, worst.counts
    advice, fix = _advice(worst, group)
    together = [e for e in hits if e.kernel is worst.kernel and context.beside(access, [e.access])]
    cycles, constants = _cycles(together, group.device), context.open_constants(worst)
    return Finding(
        rule.code,
        rule.name,
        "info" if _slight(worst, rule) or constants else rule.severity,
        f"`{access.text}`: {_headline(worst, group.device)}{context.which(hits, worst)}: {_per_request(worst)} wavefronts per request "
        f"where {words.suffice(counts.ideal)} {context.request_words(worst, open_atomic=_open_rounds(worst))}",
        access.span,
        kernel=words.kernel(worst.kernel),
        status=worst.status,
        labels=(*context.labels(access, group.file), *context.same_places(hits, worst)),
        notes=(*_notes(hits, worst, cycles, group), *((context.constants_note(constants),) if constants else ())),
        help=advice,
        assumptions=access.assumptions,
        metrics=Metrics(
            degree=_degree(worst, group.device),
            wavefronts=counts.mean,
            ideal_wavefronts=counts.ideal,
            requests=worst.requests,
            active_lanes=worst.lanes,
            cycles=cycles and cycles[0],
        ),
        fix=fix,
    )


def _degree(entry: Executed, device: Device) -> float:
    """n-way: wavefronts of the worst request over those of an ideal one of as many lanes."""
    counts, access = entry.counts, entry.access
    ideal = counts.ideal
    if access.example is not None and access.example.count == counts.max and not entry.compiled:
        ideal = hardware.ideal_wavefronts(access.example.lanes, access.bytes, access.hardware_op, device)
    return counts.max / ideal if ideal else float(counts.max)


def _headline(entry: Executed, device: Device) -> str:
    counts = entry.counts
    kind = "atomic contention" if _contended(entry.access) else "bank conflict"
    up_to = "" if counts.min == counts.max else "up to "
    return f"{up_to}{words.mean(round(_degree(entry, device), 1))}-way {kind}"


def _open_rounds(entry: Executed) -> bool:
    """Whether the atomic may take further rounds than those as written: it compiles to a loop, whose rounds are known to a range."""
    return _contended(entry.access) and entry.counts.mean_low != entry.counts.mean_high


def _per_request(entry: Executed) -> str:
    """Of an atomic in rounds the bounds: the count as written is only the lower one."""
    return words.spread(entry.counts) if _open_rounds(entry) else context.per_request(entry)


def _contended(access: Access) -> bool:
    """Whether lanes of an atomic meet on one address, rather than on different words of one bank."""
    return access.hardware_op in SERIAL and (access.example is None or context.crowd(access.example) > 1)


def _notes(hits: Sequence[Executed], worst: Executed, cycles: tuple[float, float] | None, group: Group) -> Iterator[str]:
    access = worst.access
    yield from words.index(access)
    crowd = crowded_bank(access, group.device, worst.bytes)
    if worst.compiled:
        yield from _both(worst, group.device)
    if crowd:
        yield f"as compiled, {crowd}" if worst.compiled else crowd
    if cycles:
        now, best = (words.count(round(some)) for some in cycles)
        least = "at least " if context.is_between(worst) or _open_rounds(worst) else ""
        both = context.which(hits, worst)
        yield f"cost{both}: {least}{now} cycles of the shared-memory pipe per block instead of {best}, {words.by_model(group.device)}"
    yield from context.others_note(hits, worst)
    yield from context.launch_notes(hits, worst, group, "wavefronts")
    if words.why(access):
        yield f"not exact: {words.why(access)}"
    yield from access.notes


def _both(entry: Executed, device: Device) -> Iterator[str]:
    """The access as written beside what the compiler makes of it, which the headline tells."""
    written, access = entry.access.wavefronts, entry.access
    if written is None:
        return
    as_written = replace(entry, counts=written, bytes=access.bytes, compiled="")
    before, after = (f"{words.mean(round(_degree(some, device), 1))}-way" for some in (as_written, entry))
    how = f"{words.plural(access.bytes, 'byte')} per lane, {words.mean(written.mean)} wavefronts where {words.suffice(written.ideal)}"
    merges = f"{entry.compiled} into accesses of {entry.bytes} bytes" if entry.bytes != access.bytes else entry.compiled
    result = f"{after} ({words.mean(entry.counts.mean)} where {words.suffice(entry.counts.ideal)})"
    yield f"as written {before} ({how}); as compiled {merges}: {result}, which is what a profiler counts"


def crowded_bank(access: Access, device: Device, width: int) -> str:
    """Which lanes of the measured request share a bank, and how many different words they want. `width`: bytes of each lane's access as
    the machine makes it; one merged of several starts at a multiple of that."""
    example = access.example
    if example is None:
        return ""
    schedule = device.schedule(access.hardware_op, width)
    merged = width > access.bytes
    lanes = tuple(offset if offset is None or not merged else offset - offset % width for offset in example.lanes)
    best: tuple[int, int, list[int]] = (0, 0, [])  # how many, of how many words, which lanes
    for together in hardware.lane_groups(lanes, width, access.hardware_op, device):
        banks: dict[int, dict[int, list[int]]] = {}
        for lane in together:
            offset = lanes[lane]
            if offset is None:
                continue
            for word in range(offset // device.bank_bytes, (offset + width - 1) // device.bank_bytes + 1):
                banks.setdefault(word % device.banks, {}).setdefault(word, []).append(lane)
        for found in banks.values():
            members = sorted({lane for some in found.values() for lane in some})
            load = len(found) if schedule.mode == "words" else len(members)
            if load > best[0]:
                best = (load, len(found), members if schedule.mode == "lanes" else [some[0] for some in found.values()])
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
        now += requests * (entry.counts.mean_low if context.is_between(entry) else entry.counts.mean)
        best += requests * entry.counts.ideal
    return hardware.cycles(1, 1, now, device), hardware.cycles(1, 1, best, device)


def _advice(worst: Executed, group: Group) -> tuple[str, Fix | None]:
    """What to do, and as an edit where a padded declaration does it. Every layout proposed was counted on all accesses to the array."""
    access = worst.access
    if _contended(access):
        alone = access.example is None or len({offset for offset in access.example.lanes if offset is not None}) == 1
        return dialect.own(COMBINED if alone else PRIVATE_COPIES, group.language), None
    if padding.request_of(access) is None:
        return ROWS_APART, None
    found = padding.solved(access, worst.kernel, group.device)
    if found.padding:
        advice, fix = _padded(access, group, found.padding)
        return (f"{advice}; or {_swizzled(access, found.swizzle)}" if found.swizzle else advice), fix
    if found.swizzle:
        return f"{_swizzled(access, found.swizzle)}; {TUNE}", None
    element = access.element_bytes
    if access.width_total > access.bytes and access.width_total in VECTORS:
        how = f"let `{access.object}` be an array of {access.width_total}-byte vectors (`float{access.width_total // 4}`)"
        return f"{how} instead of scalars: each lane then moves its vector in one aligned access, with no conflict", None
    if element > access.bytes and abs(context.lane_stride(access)) == element:
        split = f"split the {element}-byte elements of `{access.object}` into one array per member"
        return f"{split}, so that neighbouring lanes touch neighbouring words", None
    target, *others = padding.requests_on(access, worst.kernel)
    gap = padding.skew(target, others, element, group.device) if element else None
    if gap:
        what = f"or store element i at `{access.object}[i + i / {gap}]` (one unused element after every {gap}), which removes this conflict"
        return f"let lane t touch element t + constant instead of a multiple of t, {what}", None
    return _in_parts(access, target) or OTHER_INDEX, None


def _in_parts(access: Access, request: padding.Request) -> str:
    """The advice for lanes whose merged accesses lie apart: an index rearranged word by word would undo the merge."""
    stride = abs(context.lane_stride(access))
    if not request.merged or stride <= request.merged or stride % request.merged:
        return ""
    return (
        f"each lane's merged access of {request.merged} bytes lies {stride} bytes from its neighbour's: let neighbouring lanes take "
        f"neighbouring parts of {request.merged} bytes (part p of lane t at place p * threads + t instead of "
        f"{stride // request.merged} * t + p), and let the array's other accesses follow; an index that changes within a part would "
        f"undo the merge; {TUNE_MAY}"
    )


def _swizzled(access: Access, found: padding.Swizzle) -> str:
    """The advice of an XOR of the row's number into the column."""
    unit, units = found.together, access.object_shape[-1] // found.together
    turn = "r" if found.down == 1 else f"r / {found.down}"
    row = f"({turn} % {units})" if unit == 1 else f"({turn} % {units} * {unit})"
    return (
        f"swizzle: keep column c of row r of `{access.object}` at column `c ^ {row}`, in loads and stores alike: it makes this access "
        "conflict-free, takes no memory, and costs no other access to the array anything"
    )


def _padded(access: Access, group: Group, found: padding.Padding) -> tuple[str, Fix | None]:
    pad = found.elements
    shape = (*access.object_shape[:-1], access.object_shape[-1] + pad)
    before, after = (prod(extents) * access.element_bytes for extents in (access.object_shape, shape))
    more = f"{words.count(after - before)} bytes more"
    if 2 * (after - before) > before:
        more += f": {words.count(after)} instead of {words.count(before)}"
    declaration, edit = padded_declaration(access, group, pad)
    effect = "makes this access conflict-free"
    if found.after > found.ideal or found.others_pay:
        effect = f"takes this request from {words.mean(found.before)} to {words.counted(found.after, 'wavefront')}"
    if pad > FEW:
        effect += " and is, of the paddings that help it, the one with the fewest wavefronts over all accesses to the array"
    if found.comes_apart:
        effect += f", though the compiler can then {_merging(*found.comes_apart, access)} (counted)"
    elif found.others_pay:
        effect += ", though another access to the array then conflicts a little"
    text = declaration or f"{access.object}{''.join(f'[{extent}]' for extent in shape)}"
    advice = f"pad the rows by {words.plural(pad, 'element')}: `{text}` ({more}) {effect}"
    too_much = _over_limit(group, after - before)
    if too_much:
        return f"{advice}, but {too_much}", None
    if edit is None:
        return advice, None
    reason = layout_matters(group.file.text, group.file.path, edit.span, access.object, len(access.object_shape))
    if reason:
        return f"{advice}; by hand, since {reason}", None
    return advice, Fix("unsafe", f"Pad the rows of `{access.object}` by {words.plural(pad, 'element')}", (edit,))


def _merging(now: int, then: int, access: Access) -> str:
    if then <= access.bytes:
        return "no longer merge neighbouring words of a row"
    return f"merge neighbouring words of a row into no more than {then} bytes, now {now}"


def _over_limit(group: Group, more: int) -> str:
    """What arrays of fixed size would take with so many bytes more, where that is over the device's limit; else ""."""
    limit = group.device.limits.get("shared_per_block")
    total = max(kernel.static_shared_bytes for kernel in group.kernels) + more
    if limit is None or total <= limit:
        return ""
    return f"the kernel would then not compile: {words.count(total)} bytes of arrays of fixed size where {words.count(limit)} are the most"


def padded_declaration(access: Access, group: Group, pad: int) -> tuple[str, Edit | None]:
    """The user's own declaration with its last extent enlarged, and the edit; "" and None where it cannot be quoted."""
    span = access.object_span
    if span is None or span.macro or span.path != group.file.path:
        return "", None
    lines = group.file.text.split("\n")
    if not 0 < span.line <= len(lines):
        return "", None
    line = lines[span.line - 1]
    match = re.search(rf"\b{re.escape(access.object.split('.')[-1])}\s*((?:\[[^\[\]]*\]\s*)+)", line)
    if not match or match[1].count("[") != len(access.object_shape):
        return "", None
    start, end = line.rindex("[", 0, match.end()) + 1, line.rindex("]", 0, match.end())
    extent = line[start:end].strip()
    sum_of = extent if re.fullmatch(r"[\w:.]+", extent) else f"({extent})"
    grown = str(int(extent) + pad) if extent.isdecimal() else f"{sum_of} + {pad}"
    head = line[:start].strip()
    alone = head.count(",") == 0 and "{" not in head and ";" not in head
    text = f"{head if alone else line[match.start() : start]}{grown}]{';' if alone else ''}"
    return text, Edit(Span(span.path, span.line, start + 1, span.line, end + 1), grown)


def _possible(entries: Sequence[Executed], group: Group, rule: Rule) -> Iterator[Finding]:
    """Where an unknown decides: the cases that conflict, as a note below the warnings; one for each array and condition."""
    told: dict[tuple[object, ...], tuple[Executed, list[Case], list[Executed]]] = {}
    for entry in entries:
        bad = [c for c in entry.access.cases if (c.wavefronts or 0) >= rule.threshold("ratio") * entry.counts.ideal]
        outcomes = [c for c in entry.access.cases if c.wavefronts is not None and c.condition != "always"]
        worst = max((c.wavefronts or 0 for c in bad), default=0)
        if bad and len(bad) < len(outcomes) and not cases.misaligned(entry.access) and not _slight(entry, rule, worst):
            key = (entry.access.object, entry.access.object_span, tuple((case.condition, case.wavefronts) for case in bad))
            told.setdefault(key, (entry, bad, []))[2].append(entry)
    for entry, bad, alike in told.values():
        yield cases.possible(entry, bad, group, rule, "wavefronts", context.which(alike, entry), alike)
