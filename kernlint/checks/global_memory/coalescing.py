"""Family 2, global memory: warp requests spread over more sectors than their bytes need. Goes in:
facts. Comes out: findings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise

from kernlint import hardware
from kernlint.checks import cases, context, own_headers, partial_warps, words
from kernlint.checks.context import Executed, Group
from kernlint.checks.global_memory import elements, strides
from kernlint.checks.global_memory.entries import global_entries
from kernlint.checks.rules import Rule
from kernlint.hardware import Device
from kernlint.model.facts import Access
from kernlint.model.finding import Finding, Fix
from kernlint.source_model import index_terms

SERIAL = ("atomic", "cas")
CONTIGUOUS = "with a stride of 1 the access is contiguous"
GUESSED = "info only: the block width is assumed; rows of a wider block may fill their sectors"


def uncoalesced_global_access(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL201: requests that touch several times the sectors that hold their bytes."""
    entries = [partial_warps.whole(entry) for entry in global_entries(group)]
    all_costs = context.costs(entries)
    told = {id(entry) for walk in elements.walks(entries) for entry in walk.entries}  # KL206's
    own = [entry for entry in entries if id(entry) not in told]
    share, scattered = (
        rule.threshold("minimum_share"),
        [e for e in own if _scattered(e, rule, group.device)],
    )
    costly = {id(e) for e in context.mattering(scattered, all_costs, share)}
    hits = [e for e in scattered if id(e) in costly]
    for alike in context.told_together(hits):
        yield _finding(alike, group, rule)
    for alike in context.told_together([e for e in scattered if id(e) not in costly]):
        yield from context.small(_finding(alike, group, rule), alike, all_costs, share, hits)
    places = {(hit.access.span, hit.access.text) for hit in hits}
    yield from _possible(
        [entry for entry in own if (entry.access.span, entry.access.text) not in places],
        group,
        rule,
    )


def _scattered(entry: Executed, rule: Rule, device: Device) -> bool:
    """Certain, more than a handful of sectors, and from more than one lane."""
    counts = entry.counts
    if entry.requests == 0 or (
        entry.lanes is not None and entry.lanes <= rule.threshold("minimum_lanes")
    ):
        return False
    certain = (
        counts.mean if entry.access.reason == "compiler" else min(counts.mean, counts.mean_low)
    )
    if certain < rule.threshold("ratio") * counts.ideal or certain - counts.ideal < rule.threshold(
        "minimum_extra"
    ):
        return False
    if _dense_but_masked(entry.access):
        return False
    return entry.access.hardware_op not in SERIAL or _spread_apart(entry.access, rule, device)


def _dense_but_masked(access: Access) -> bool:
    """Whether the lanes lie side by side and only a divergent branch takes some out between: the
    layout is not to blame."""
    if access.example is None:
        return False
    active = [
        (lane, offset) for lane, offset in enumerate(access.example.lanes) if offset is not None
    ]
    holes = any(b[0] - a[0] > 1 for a, b in pairwise(active))
    return holes and len({offset - lane * access.bytes for lane, offset in active}) == 1


def _spread_apart(access: Access, rule: Rule, device: Device) -> bool:
    """An atomic's sectors also grow when lanes meet on one address, which is contention, not
    scatter: look at the addresses."""
    example = access.example
    if example is None:
        return False
    touched = hardware.sectors(example.lanes, access.bytes, device)
    return touched >= rule.threshold("ratio") * hardware.ideal_sectors(
        example.lanes, access.bytes, device
    )


def _swap(worst: Executed, group: Group) -> tuple[Fix | None, str]:
    if group.language != "cuda":
        return None, ""
    is_whole = not group.file.missing_headers
    return group.source.swap(worst.access, worst.kernel, group.kernels, is_whole)


def _finding(hits: Sequence[Executed], group: Group, rule: Rule) -> Finding:
    return context.told_of(hits, partial(_described, group=group, rule=rule))


def _described(hits: Sequence[Executed], group: Group, rule: Rule) -> Finding:
    worst = context.costliest(hits)
    access, counts = worst.access, worst.counts
    names = context.presumed_strides(worst)
    condition = (
        f" if {' and '.join(f'`{name}`' for name in names)} {'is' if len(names) == 1 else 'are'} large"
        if names
        else ""
    )
    own = context.beside(access, (hit.access for hit in hits))
    fix, swapped = _swap(worst, group)
    rows = index_terms.row_lengths(names, worst.kernel)
    open_ = context.may_be_one(
        [name for name in names if name not in rows], worst.kernel
    ) and not strides.fixed(worst)
    spacing = index_terms.spacing(access, worst.kernel)
    best = f"{spacing} == 1" if spacing in names else ""
    given = words.giving(worst.kernel, names, own_headers.not_found(group.file), best)
    advice = (
        f"{given}: {CONTIGUOUS}"
        if open_ and not strides.diagonal(worst)
        else strides.remedy(worst, group)
    )
    constants = context.open_constants(worst)
    guessed = strides.narrow(worst, group) and context.guessed(worst.kernel.launch)
    return Finding(
        rule.code,
        rule.name,
        "info" if open_ or guessed or constants else rule.severity,
        f"`{access.text}`: uncoalesced global {context.operations(own)}: {context.per_request(worst)} sectors per request instead of "
        f"{words.mean(counts.ideal)}{condition} {context.certainty(worst)}",
        access.span,
        kernel=words.kernel(worst.kernel),
        status=worst.status,
        labels=(*context.labels(access, group.file), *context.same_places(hits, worst)),
        notes=(
            *_notes(hits, worst, group),
            *((GUESSED,) if guessed else ()),
            *((context.constants_note(constants),) if constants else ()),
        ),
        help=f"{swapped[0].lower()}{swapped[1:]}" if swapped else advice,
        assumptions=access.assumptions,
        metrics=context.sectors(worst),
        fix=fix,
    )


def _notes(hits: Sequence[Executed], worst: Executed, group: Group) -> Iterator[str]:
    access, counts, device = worst.access, worst.counts, group.device
    yield from words.index(access)
    stride = context.lane_stride(access)
    if stride and access.status == "exact":
        yield f"neighbouring lanes are {words.plural(abs(stride), 'byte')} apart and access {words.plural(access.bytes, 'byte')} each"
    if worst.compiled:
        yield from _both(worst)
    now, most, least = (
        (counts.mean_low, "at most ", "at least ")
        if context.is_between(worst)
        else (counts.mean, "", "at most " if context.may_vanish(worst) else "")
    )
    if now:
        used = f"{most}{words.share(counts.ideal, now)} of the bytes moved are used, before caching"
        if worst.requests:
            total, best = (worst.requests * c * device.sector_bytes for c in (now, counts.ideal))
            used += f": {least}{words.instead(total, best)} over the launch"
        yield f"cost: {used}"
    yield from context.others_note(hits, worst)
    yield from context.launch_notes(hits, worst, group, "sectors")
    yield from words.not_exact(access, worst.kernel)
    yield from access.notes


def _both(entry: Executed) -> Iterator[str]:
    """The access as written beside the compiled one, which the headline reports."""
    written, access = entry.access.sectors, entry.access
    if written is not None:
        before = f"{words.plural(access.bytes, 'byte')} per lane, {words.per(written, 'sector')} instead of {words.mean(written.ideal)}"
        merges = words.changed(entry.compiled, entry.bytes, access.bytes)
        yield f"as written: {before}; as compiled: {merges}, {words.spread(entry.counts)} instead of {words.mean(entry.counts.ideal)}"


def _possible(entries: Sequence[Executed], group: Group, rule: Rule) -> Iterator[Finding]:
    told: set[tuple[object, ...]] = set()
    for entry in entries:
        limit = max(
            rule.threshold("ratio") * entry.counts.ideal,
            entry.counts.ideal + rule.threshold("minimum_extra"),
        )
        bad = [c for c in entry.access.cases if c.least >= limit]
        key = (entry.access.object, entry.access.object_span, tuple(c.condition for c in bad))
        outcomes = [c for c in entry.access.cases if c.condition != "always"]
        if (
            bad
            and len(bad) < len(outcomes)
            and key not in told
            and not cases.misaligned(entry.access)
        ):
            told.add(key)
            yield cases.possible(entry, bad, group, rule, context.which(entries, entry))
