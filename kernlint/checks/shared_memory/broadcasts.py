"""Family 1, shared memory: words that a warp fetches one by one, each for all of its lanes. Goes
in: facts. Comes out: findings.

A broadcast is free of conflicts, but takes a wavefront for one word, where a wavefront can bring
32. In a loop that is the price of a product of tiles: `As[threadIdx.y][k]` costs as much of the
pipe as `Bs[k][threadIdx.x]`. Wide loads or registers halve it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kernlint import hardware
from kernlint.checks import context, words
from kernlint.checks.context import Executed, Group
from kernlint.checks.rules import Rule
from kernlint.checks.shared_memory import padding, repeated_vectors
from kernlint.checks.shared_memory.bank_conflicts import shared_entries
from kernlint.model.facts import Access, Kernel
from kernlint.model.finding import Finding
from kernlint.source_model import index_terms

COUNTER = re.compile(r"\s*(\w+)\s*(?:<=?|>=?|!=)")
WIDE = 16  # bytes of the widest load of a lane


def shared_broadcast_missed(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL103: loads in loops whose requests fetch a word or two for the whole warp, and take a good
    part of the kernel's wavefronts; wide loads whose equal lanes are no neighbours."""
    entries = shared_entries(group)
    yield from repeated_vectors.findings(entries, group, rule)
    all_costs = context.costs(entries)
    for cause in context.by_cause(e for e in entries if _fetches_little(e, rule)):
        hits = [
            e
            for e in cause
            if _matters(e, all_costs, group, rule) and step(e.access, e.kernel, group) is not None
        ]
        if hits:
            yield _finding(max(hits, key=lambda e: e.requests or 0), hits, all_costs, group, rule)


def _fetches_little(entry: Executed, rule: Rule) -> bool:
    """Surely executed as written: nothing merged or hoisted by the compiler, one wavefront for a
    few words, by nearly the whole warp."""
    access = entry.access
    if (
        access.op != "load"
        or access.hardware_op != "load"
        or entry.status != "exact"
        or entry.compiled
        or access.in_loop is None
    ):
        return False
    plain = access.bytes == access.element_bytes == access.width_total or access.width_total in (
        0,
        access.bytes,
    )
    return (
        plain
        and access.bytes <= rule.threshold("bytes")
        and 0 < _distinct(access) <= rule.threshold("words")
        and _full(access, rule)
    )


def _distinct(access: Access) -> int:
    return len(
        {
            offset
            for offset in (access.example.lanes if access.example else ())
            if offset is not None
        }
    )


def _full(access: Access, rule: Rule) -> bool:
    return access.active_lanes is None or access.active_lanes >= rule.threshold("lanes")


def _matters(entry: Executed, all_costs: context.Costs, group: Group, rule: Rule) -> bool:
    warps = context.warps(entry.kernel, group.device)
    if entry.requests is None or entry.requests < rule.threshold("turns") * warps:
        return False
    return _share(entry, all_costs) >= rule.threshold("share")


def _share(entry: Executed, all_costs: context.Costs) -> float:
    """Of the kernel's shared-memory wavefronts."""
    return entry.counts.mean * (entry.requests or 0) / (all_costs.total[id(entry.kernel)] or 1)


def step(access: Access, kernel: Kernel, group: Group) -> int | None:
    """By how many elements the address moves from one iteration to the next; None where the source
    does not say so plainly.

    0 only where nothing in the loop stores to the array, so that the word stays what it is.
    """
    loop = access.in_loop
    heads = [b.condition for b in kernel.branches if b.span == loop and b.kind == "for"]
    counter = COUNTER.match(heads[0]) if heads else None
    if loop is None or counter is None:
        return None
    name = counter[1]
    uses = [term for term in access.index_terms if index_terms.mentions(term, name)]
    if not uses:
        return None if _stored_in(access, kernel) else 0
    head = group.source.loop_head(loop)
    stride = dict(head.steps).get(name, 0) if head is not None else 0
    plain = len(uses) == 1 and uses[0].names == (name,)
    return abs(uses[0].coefficient) * stride if stride and plain else None


def _stored_in(access: Access, kernel: Kernel) -> bool:
    loop = access.in_loop
    same = [
        a
        for a in kernel.accesses
        if a.object == access.object and a.object_span == access.object_span and a.op != "load"
    ]
    return loop is None or any(loop.line <= a.span.line <= loop.end_line for a in same)


def _finding(
    worst: Executed, hits: Sequence[Executed], all_costs: context.Costs, group: Group, rule: Rule
) -> Finding:
    access, moved = worst.access, step(worst.access, worst.kernel, group) or 0
    few = "one word" if _distinct(access) == 1 else f"{_distinct(access)} words"
    how = "the same in every iteration" if not moved else "different in each iteration"
    return Finding(
        rule.code,
        rule.name,
        rule.severity,
        f"`{access.text}`: all lanes of a warp read only {few}, {how}: {words.mean(worst.counts.mean)} wavefront "
        f"for {_distinct(access) * access.bytes} bytes {context.certainty(worst)}",
        access.span,
        kernel=words.kernel(worst.kernel),
        status=worst.status,
        labels=context.labels(access, group.file),
        notes=tuple(_notes(worst, hits, moved, all_costs, group)),
        help=_advice(worst, moved, group),
        assumptions=access.assumptions,
        metrics=context.wavefronts(worst),
    )


def _notes(
    worst: Executed, hits: Sequence[Executed], moved: int, all_costs: context.Costs, group: Group
) -> Iterator[str]:
    access = worst.access
    yield from words.index(access)
    now = (worst.requests or 0) * worst.counts.mean
    part = f"cost: {words.count(round(now))} wavefronts over the launch, {words.share(_share(worst, all_costs), 1)} of the kernel's"
    if moved:
        words_each = WIDE // access.bytes
        best = now / words_each * _wide(access, group)
        yield f"{part}; {words_each} words at a time would take {words.count(round(best))}"
    else:
        yield f"{part}; a register would take none"
    yield from context.launch_notes(hits, worst, group, "wavefronts")


def _wide(access: Access, group: Group) -> int:
    """Wavefronts of the same request with the widest load."""
    lanes = access.example.lanes if access.example else ()
    return hardware.wavefronts(
        tuple(None if o is None else o // WIDE * WIDE for o in lanes), WIDE, "load", group.device
    )


def _advice(worst: Executed, moved: int, group: Group) -> str:
    access = worst.access
    tiling = (
        "let each thread compute several results and reuse each word it reads (register tiling)"
    )
    if not moved:
        return f"read `{access.text}` into a variable before the loop"
    count = WIDE // access.bytes
    if moved > 1:
        order = f"transpose `{access.object}` so that successive iterations read adjacent words"
        return f"{order}, and read {count} at a time; or {tiling}"
    row = access.object_shape[-1] * access.bytes if len(access.object_shape) > 1 else 0
    if row % WIDE == 0:
        return f"read {count} words at a time (`float4`, or `#pragma unroll` with a constant trip count lets nvcc do it); or {tiling}"
    shape = aligned_rows(worst, group)
    rows = f" (`{access.object}{shape}`, which causes no conflict)" if shape else ""
    return f"rows of {row} bytes keep nvcc from reading {count} words at a time; make them a multiple of {WIDE} bytes{rows}; or {tiling}"


def aligned_rows(worst: Executed, group: Group) -> str:
    """The smallest extents near the present ones whose rows are whole 16-byte words and make no
    access worse; "" where there are none."""
    access, device = worst.access, group.device
    *outer, row = access.object_shape
    count, bytes_now = WIDE // access.bytes, row * access.bytes
    requests = padding.requests_on(access, worst.kernel)
    used = max(
        (
            offset % bytes_now // access.bytes + 1
            for r in requests
            for offset in r.offsets
            if offset is not None
        ),
        default=0,
    )
    for extent in (row - row % count, row - row % count + count):
        moved = [
            padding.repitched(request, bytes_now, extent * access.bytes) for request in requests
        ]
        same = all(
            padding.cost(new, device) <= padding.cost(old, device)
            for new, old in zip(moved, requests, strict=True)
        )
        if same and extent >= used:
            return "".join(f"[{n}]" for n in (*outer, extent))
    return ""
