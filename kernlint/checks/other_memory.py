"""Family 5, constant and local memory: what only pays when all lanes agree. Goes in: facts of one
kernel. Comes out: findings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import prod

from kernlint.base.span import Span
from kernlint.checks import context, words
from kernlint.checks.by_line import in_parts
from kernlint.checks.context import Executed, Group
from kernlint.checks.rules import Rule
from kernlint.model.facts import EITHER, EXCEEDS, LOCAL, REGISTERS, Access, Example, Kernel
from kernlint.model.finding import Finding, Metrics
from kernlint.optimizer.local_arrays import WORD
from kernlint.source_model import index_terms

Hit = tuple[Kernel, Access]
FEW = 16  # elements of an array of words that nvcc mostly selects among


def constant_memory_divergence(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL501: constant-memory loads whose lanes want different words, in the mean over all
    requests; or may, where data of each lane choose."""
    found: dict[tuple[object, ...], list[tuple[Executed, Access]]] = {}
    for kernel in group.kernels:
        for access in kernel.accesses:
            entry = (
                context.executed(kernel, access, lambda some: some.wavefronts)
                if access.space == "constant"
                else None
            )
            if (
                entry is not None
                and entry.requests != 0
                and _different(entry) >= rule.threshold("words")
            ):
                found.setdefault(_array(access), []).append((entry, access))
    for hits in found.values():
        build = partial(_constant_finding, group=group, rule=rule)
        yield context.told_of([entry for entry, _ in hits], build)
    chosen: dict[tuple[object, ...], list[Hit]] = {}
    for kernel in group.kernels:
        for access in kernel.accesses:
            if _chosen_by_data(access, group, rule) and _array(access) not in found:
                chosen.setdefault(_array(access), []).append((kernel, access))
    for some in chosen.values():
        build = partial(_chosen_finding, group=group, rule=rule)
        yield in_parts(some, lambda hit: hit[1].span, build)


def _array(access: Access) -> tuple[object, ...]:
    return (access.object, access.object_span) if access.object else (access.span, access.text)


def _chosen_by_data(access: Access, group: Group, rule: Rule) -> bool:
    """Whether each lane loads the index it reads at: of one that is the same for a warp the count
    is known."""
    return (
        access.space == "constant"
        and (access.status != "exact" and access.reason == "loaded-value")
        and access.requests != 0
        and _most_words(access, group) >= rule.threshold("words")
    )


def _most_words(access: Access, group: Group) -> float:
    """Different elements that a request may read."""
    if access.wavefronts is not None:
        return access.wavefronts.max
    lanes = group.device.warp_lanes if access.active_lanes is None else access.active_lanes
    return min(lanes, prod(access.object_shape)) if access.object_shape else lanes


def _chosen_finding(hits: Sequence[Hit], group: Group, rule: Rule) -> Finding:
    kernel, access = hits[0]
    most = words.mean(_most_words(access, group))
    others = sorted({a.span.line for _, a in hits} - {access.span.line})
    notes = words.index(access)
    if others:
        notes.append(f"also on {words.lines(others)}")
    notes.append(f"launch: {words.launch(kernel.launch)}")
    return Finding(
        rule.code,
        rule.name,
        rule.severity,
        f"`{access.text}`: `{access.detail}` chooses in each lane: up to {most} different words of constant memory per request, "
        f"served one by one ({access.status})",
        access.span,
        kernel=words.kernel(kernel),
        status=access.status,
        labels=context.labels(access, group.file),
        notes=tuple(notes),
        help=_elsewhere(access, group),
        metrics=Metrics(requests=access.requests, active_lanes=access.active_lanes),
    )


def _elsewhere(access: Access, group: Group) -> str:
    data = f"move data that lanes index differently from `{access.object}`"
    if group.language == "cuda":
        return f"{data} to shared memory or behind `const __restrict__` (`__ldg`)"
    return f"{data} to `__local` memory or a `__global const` buffer"


def _different(entry: Executed) -> float:
    """How many words a request surely reads; where only the compiler may drop requests, those that
    are left read as many as written."""
    counts = entry.counts
    return counts.mean if entry.access.reason == "compiler" else min(counts.mean, counts.mean_low)


def _constant_finding(hits: Sequence[Executed], group: Group, rule: Rule) -> Finding:
    worst = context.costliest(hits)
    access, counts = worst.access, worst.counts
    chosen = access.status != "exact" and index_terms.chooses(
        access
    )  # which index applies hangs on what had to be assumed of sizes
    notes = words.index(access)
    if worst.requests:
        passes = words.count(round(worst.requests * counts.mean))
        most = "at most " if access.reason == "compiler" and not worst.compiled else ""
        notes.append(
            f"cost: {most}{passes} passes of the constant cache over the launch instead of {words.count(worst.requests)}"
        )
    notes += context.others_note(hits, worst)
    notes += context.launch_notes(hits, worst, group, "words")
    notes += words.not_exact(access, worst.kernel)
    lanes = context.open_constants(worst, (EXCEEDS,))
    notes += [context.constants_note(lanes)] if lanes else []
    return Finding(
        rule.code,
        rule.name,
        "info" if chosen or lanes else rule.severity,
        f"`{access.text}`: lanes read {context.per_request(worst)} different words of constant memory per request, served one by one "
        f"{context.certainty(worst)}",
        access.span,
        kernel=words.kernel(worst.kernel),
        status=worst.status,
        labels=(*context.labels(access, group.file), *context.same_places(hits, worst)),
        notes=tuple(notes),
        help=_elsewhere(access, group),
        assumptions=access.assumptions,
        metrics=context.wavefronts(worst),
    )


def _active(example: Example) -> list[int]:
    return [offset for offset in example.lanes if offset is not None]


def local_memory_array(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL502: arrays of a thread that are indexed by no constant, and too large or too often for
    nvcc to select among registers."""
    found: dict[tuple[object, ...], list[Hit]] = {}
    for kernel in group.kernels:
        for access in kernel.accesses:
            if access.space == "local" and access.requests != 0 and access.decided:
                found.setdefault((access.object, access.object_span), []).append((kernel, access))
    first: dict[tuple[Span, str], list[list[Hit]]] = {}
    for hits in found.values():
        place = _place(hits)
        if place != REGISTERS:
            first.setdefault((hits[0][1].span, place), []).append(hits)
    for (_, place), arrays in first.items():
        yield _array_finding(
            arrays[0], place, group, rule, tuple(hits[0][1].object for hits in arrays[1:])
        )


def _by_lane(access: Access) -> bool:
    return access.example is not None and len(set(_active(access.example))) > 1


def _place(hits: Sequence[Hit]) -> str:
    """Where nvcc keeps the array under all launches; `EITHER` where instantiations differ."""
    places = {access.place for _, access in hits}
    return places.pop() if len(places) == 1 else EITHER


def _array_finding(
    hits: Sequence[Hit], place: str, group: Group, rule: Rule, others: tuple[str, ...]
) -> Finding:
    kernel, access = hits[0]
    size = prod(access.object_shape) * access.element_bytes
    by = "differently in each lane" if _by_lane(access) else "by a runtime value"
    if (
        access.status == "unknown"
        and access.detail
        and access.detail in (access.index or access.detail)
    ):
        by = f"by `{access.detail}`"
    sure = place == LOCAL
    return Finding(
        rule.code,
        rule.name,
        rule.severity if sure else "info",
        f"`{access.text}` indexes `{access.object}` {by}: "
        f"its {words.plural(size, 'byte')} per thread {'lie' if sure else 'may lie'} in local memory, not in registers",
        access.span,
        kernel=words.kernel(kernel),
        status="exact" if sure else "range",
        labels=context.labels(access, group.file),
        notes=tuple(_array_notes(hits, sure, group, others)),
        help=_array_advice(kernel, access, group),
        metrics=Metrics(requests=access.requests, active_lanes=access.active_lanes),
    )


def _array_notes(
    hits: Sequence[Hit], sure: bool, group: Group, others: tuple[str, ...]
) -> Iterator[str]:
    kernel, access = hits[0]
    every = [
        a
        for a in kernel.accesses
        if a.space == "local" and (a.object, a.object_span) == (access.object, access.object_span)
    ]
    known = [a.requests for a in every if a.requests is not None]
    total = (
        f" ({words.plural(sum(known), 'request')} as written)" if len(known) == len(every) else ""
    )
    yield from words.index(access)
    yield _why(access, sure)
    through = words.plural(len(every), "access", "accesses")
    yield f"cost{'' if sure else ' if so'}: all its {through} go through L1, even those with a constant index{total}"
    if others:
        yield f"same for {', '.join(f'`{name}`' for name in others)}, indexed at the same place"
    yield f"launch: {words.launch(kernel.launch)}"


def _why(access: Access, sure: bool) -> str:
    elements, width = prod(access.object_shape), access.element_bytes
    if access.scalar and width != WORD:
        return f"nvcc keeps only arrays of 4-byte elements in registers; these have {words.plural(width, 'byte')}"
    how = f"nvcc keeps only small, rarely indexed arrays in registers; this one has {words.plural(elements, 'element')}"
    return how if sure else f"{how}, and the rest of the kernel decides"


def _array_advice(kernel: Kernel, access: Access, group: Group) -> str:
    unroll = "give the loop around it a constant trip count and `#pragma unroll`, if that makes the index a constant"
    exchange = "insert by compare and exchange in an unrolled loop over all elements, which keeps the array in registers"
    ways = {"counter": [unroll], "remainder": [unroll], "shift": [exchange]}.get(access.decided, [])
    advice = ", or ".join([*ways, _in_shared_memory(kernel, access, group)])
    if not access.scalar or access.element_bytes >= WORD or prod(access.object_shape) > FEW:
        return advice
    return f"{advice}; or use 4-byte elements, so that it can stay in registers"


def _in_shared_memory(kernel: Kernel, access: Access, group: Group) -> str:
    """Whether a block's threads have room for it there, and how it is indexed then: by a number
    that each thread has alone."""
    limits, threads = group.device.limits, prod(kernel.launch.block)
    most = limits.get("shared_per_block_optin", limits.get("shared_per_block"))
    needed = prod(access.object_shape) * access.element_bytes * threads
    if most is not None and needed > most:
        room = f"in shared memory, {words.count(threads)} threads would need {words.count(needed)} of {words.count(most)} bytes"
        return f"make it smaller, or index it by constants ({room})"
    lane = "threadIdx.x" if group.language == "cuda" else "get_local_id(0)"
    if sum(extent > 1 for extent in kernel.launch.block) > 1:
        lane = "thread number"
    return (
        f"keep the array in shared memory, one column per thread: `{access.object}[index][{lane}]`"
    )
