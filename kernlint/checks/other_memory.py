"""Family 5, constant and local memory: what only pays when all lanes agree. Goes in: facts of one kernel. Comes out: findings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod

from kernlint.checks import context, local_arrays, words
from kernlint.checks.context import Executed, Group
from kernlint.checks.finding import Finding, Metrics
from kernlint.checks.rules import Rule
from kernlint.facts import Access, Example, Kernel
from kernlint.source.span import Span

Hit = tuple[Kernel, Access]
FEW = 16  # elements of an array of words that nvcc mostly selects among
BY_VALUE = ("loaded-value", "unknown-argument")  # reasons for which an index is no constant of the compiler's


def constant_memory_divergence(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL501: constant-memory loads whose lanes want different words, in the mean over all requests."""
    found: dict[tuple[object, ...], list[tuple[Executed, Access]]] = {}
    for kernel in group.kernels:
        for access in kernel.accesses:
            entry = context.executed(kernel, access, lambda some: some.wavefronts) if access.space == "constant" else None
            if entry is not None and entry.requests != 0 and min(entry.counts.mean, entry.counts.mean_low) >= rule.threshold("words"):
                found.setdefault((access.span.path, access.span.line, access.text), []).append((entry, access))
    for hits in found.values():
        yield _constant_finding([entry for entry, _ in hits], group, rule)


def _constant_finding(hits: Sequence[Executed], group: Group, rule: Rule) -> Finding:
    worst = max(hits, key=lambda e: e.excess)
    access, counts = worst.access, worst.counts
    notes = [f"index = {access.index}"] if access.index else []
    if worst.requests:
        passes = words.count(round(worst.requests * counts.mean))
        notes.append(f"cost: {passes} passes of the constant cache over the launch instead of {words.count(worst.requests)}")
    notes += context.launch_notes(hits, worst, group, "words")
    if words.why(access):
        notes.append(f"not exact: {words.why(access)}")
    return Finding(
        rule.code,
        rule.name,
        rule.severity,
        f"`{access.text}`: the lanes of a warp read {words.spread(counts)} different words of constant memory per request, one after the "
        f"other, where 1 is served to all {context.request_words(worst)}",
        access.span,
        kernel=words.kernel(worst.kernel),
        status=worst.status,
        labels=context.labels(access, group.file),
        notes=tuple(notes),
        help=f"keep what lanes index differently in shared memory or behind `const __restrict__` (`__ldg`), not in `{access.object}`"
        if group.file.language == "cuda"
        else f"keep what lanes index differently in `__local` memory or in a `__global const` buffer, not in `{access.object}`",
        assumptions=access.assumptions,
        metrics=Metrics(wavefronts=counts.mean, ideal_wavefronts=counts.ideal, requests=worst.requests, active_lanes=worst.lanes),
    )


def _active(example: Example) -> list[int]:
    return [offset for offset in example.lanes if offset is not None]


def local_memory_array(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL502: arrays of a thread that are indexed by no constant, and too large or too often for nvcc to select among registers."""
    found: dict[tuple[object, ...], list[Hit]] = {}
    for kernel in group.kernels:
        for access in kernel.accesses:
            if access.space == "local" and access.requests != 0 and _dynamic(access):
                found.setdefault((access.object, access.object_span), []).append((kernel, access))
    first: dict[tuple[Span, str], list[list[Hit]]] = {}
    for hits in found.values():
        place = _place(hits, [hit for others in found.values() if others is not hits for hit in others], group)
        if place != local_arrays.REGISTERS:
            first.setdefault((hits[0][1].span, place), []).append(hits)
    for (_, place), arrays in first.items():
        yield _array_finding(arrays[0], place, group, rule, tuple(hits[0][1].object for hits in arrays[1:]))


def _dynamic(access: Access) -> bool:
    """Certainly no constant: lanes of one request index differently, or only the run decides the index."""
    if access.decided or _by_lane(access):
        return True
    read = access.reason == "unknown-argument" or "[" in access.detail
    return access.status == "unknown" and access.reason in BY_VALUE and read


def _by_lane(access: Access) -> bool:
    return access.example is not None and len(set(_active(access.example))) > 1


def _place(hits: Sequence[Hit], others: Sequence[Hit], group: Group) -> str:
    """Where nvcc keeps the array under all launches; `EITHER` where instantiations differ. `others`: accesses to other arrays."""
    kernels = {id(kernel): kernel for kernel, _ in hits}.values()
    beside = {id(kernel): sum(k is kernel and a.element_bytes == local_arrays.WORD for k, a in others) for kernel in kernels}
    uses = (replace(_use([a for k, a in hits if k is kernel], kernel, group), beside=beside[id(kernel)]) for kernel in kernels)
    places = set(map(local_arrays.place, uses))
    return places.pop() if len(places) == 1 else local_arrays.EITHER


def _use(accesses: Sequence[Access], kernel: Kernel, group: Group) -> local_arrays.Use:
    """How one kernel accesses the array with indices that are no constants."""
    turns = [1.0 if a.in_loop is None else context.turns(a.in_loop, kernel, group.device) for a in accesses]
    known = [max(1.0, t) for t in turns if t is not None]
    distinct = {(a.index, a.op, a.in_loop): max(1.0, t) for a, t in zip(accesses, turns, strict=True) if t is not None}
    loops = [a.in_loop for a, t in zip(accesses, turns, strict=True) if a.in_loop is not None and t is not None]
    first = accesses[0]
    return local_arrays.Use(
        elements=prod(first.object_shape),
        bytes=first.element_bytes,
        scalar=first.scalar,
        fewest=sum(distinct.values()),
        most=sum(known),
        stored=any(a.op != "load" for a in accesses),
        loaded=any(a.op != "store" for a in accesses),
        looped=bool(loops),
        open=len(known) < len(accesses) or any(_ended_by_argument(loop, kernel) for loop in loops),
        counters=all(a.decided == "counter" for a in accesses),
    )


def _ended_by_argument(loop: Span, kernel: Kernel) -> bool:
    """Whether the loop's condition names an argument: its number of turns is no constant, though the launch tells it."""
    conditions = [b.condition for b in kernel.branches if b.span == loop]
    return any(re.search(rf"\b{re.escape(p.name)}\b", text) for p in kernel.parameters for text in conditions)


def _array_finding(hits: Sequence[Hit], place: str, group: Group, rule: Rule, others: tuple[str, ...]) -> Finding:
    kernel, access = hits[0]
    size = prod(access.object_shape) * access.element_bytes
    by = "differently in each lane" if _by_lane(access) else "by a value that only the run decides"
    if access.status == "unknown" and access.detail and access.detail in (access.index or access.detail):
        by = f"by `{access.detail}`"
    sure = place == local_arrays.LOCAL
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
        help=_array_advice(access, group),
        metrics=Metrics(requests=access.requests, active_lanes=access.active_lanes),
    )


def _array_notes(hits: Sequence[Hit], sure: bool, group: Group, others: tuple[str, ...]) -> Iterator[str]:
    kernel, access = hits[0]
    every = [a for a in kernel.accesses if a.space == "local" and (a.object, a.object_span) == (access.object, access.object_span)]
    known = [a.requests for a in every if a.requests is not None]
    total = f", {words.plural(sum(known), 'request')} in all" if len(known) == len(every) else ""
    if access.index:
        yield f"index = {access.index}"
    yield _why(access, sure)
    through = words.plural(len(every), "access", "accesses")
    yield f"cost{'' if sure else ' if so'}: all of its {through} go through the first-level cache, also those with a constant index{total}"
    if others:
        yield f"so is {', '.join(f'`{name}`' for name in others)}, indexed at the same place"
    yield f"launch: {words.launch(kernel.launch)}"


def _why(access: Access, sure: bool) -> str:
    elements, width = prod(access.object_shape), access.element_bytes
    if access.scalar and width != local_arrays.WORD:
        return f"nvcc selects among elements of 4 bytes only, these have {words.plural(width, 'byte')}"
    how = f"nvcc selects among the elements of small arrays that are accessed so seldom; this one has {elements:,} elements"
    return how if sure else f"{how}, and what else the kernel does decides"


def _array_advice(access: Access, group: Group) -> str:
    lane = "threadIdx.x" if group.file.language == "cuda" else "get_local_id(0)"
    advice = (
        "give the loop around it a constant trip count and `#pragma unroll`, if that makes the index a constant, "
        f"or keep the array in shared memory, one column per thread: `{access.object}[index][{lane}]`"
    )
    if not access.scalar or access.element_bytes >= local_arrays.WORD or prod(access.object_shape) > FEW:
        return advice
    return f"{advice}; or let its elements have 4 bytes, so that it can stay in registers"
