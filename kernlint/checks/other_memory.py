"""Family 5, constant and local memory: what only pays when all lanes agree. Goes in: facts of one kernel. Comes out: findings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf, prod

from kernlint.checks import context, words
from kernlint.checks.context import Executed, Group
from kernlint.checks.finding import Finding, Metrics
from kernlint.checks.rules import Rule
from kernlint.facts import Access, Example, Kernel
from kernlint.source.span import Span

Hit = tuple[Kernel, Access]
SURELY = 128  # elements of an array that nvcc never keeps in registers
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
    """KL502: arrays of a thread that cannot live in registers: indexed by no constant, and too large or too often for selects."""
    found: dict[tuple[object, ...], list[Hit]] = {}
    for kernel in group.kernels:
        for access in kernel.accesses:
            if access.space == "local" and access.requests != 0 and _dynamic(access) and _beyond_selects(access, kernel, group, rule):
                found.setdefault((access.object, access.object_span), []).append((kernel, access))
    first: dict[Span, list[list[Hit]]] = {}
    for hits in found.values():
        first.setdefault(hits[0][1].span, []).append(hits)
    for arrays in first.values():
        yield _array_finding(arrays[0], group, rule, tuple(hits[0][1].object for hits in arrays[1:]))


def _dynamic(access: Access) -> bool:
    """Certainly no constant: lanes of one request index differently, or only the run decides the index."""
    if access.decided or _by_lane(access):
        return True
    read = access.reason == "unknown-argument" or "[" in access.detail
    return access.status == "unknown" and access.reason in BY_VALUE and read


def _by_lane(access: Access) -> bool:
    return access.example is not None and len(set(_active(access.example))) > 1


def _beyond_selects(access: Access, kernel: Kernel, group: Group, rule: Rule) -> bool:
    """Whether nvcc gives up on registers: it selects among the elements of a small array, as long as it sees every store to it.

    Source: nvcc 13.0 for sm_90, spill-free stack frames of kernels with arrays of 2 to 64 floats: reads alone use selects up to 33
    elements, also in loops; stores do where they are few and their loops unrolled.
    """
    elements = prod(access.object_shape)
    if elements >= rule.threshold("elements"):
        return True
    if access.decided == "counter":
        return False  # nvcc takes the array's length for the most turns that the loop may have
    often = access.op == "store" and _stores(access, kernel, group) > rule.threshold("stores")
    return often and elements >= rule.threshold("stored_elements")


def _may_select(accesses: Sequence[Access], elements: int) -> bool:
    """Whether nvcc may still select: every access with such an index is a load outside of loops.

    Source: nvcc 13.0 for sm_80 and sm_90: of 48 and 64 floats read once or twice after a loop that fills them, most have no stack frame
    and some do, by what they are filled with; with 128 floats, or a load in a loop, all have one.
    """
    dynamic = [access for access in accesses if _dynamic(access)]
    return elements < SURELY and all(access.op == "load" and access.in_loop is None for access in dynamic)


def _stores(access: Access, kernel: Kernel, group: Group) -> float:
    """How often a thread executes the store; without end where its loop's count is not known."""
    if access.in_loop is None:
        return 1
    if access.requests is not None and kernel.launch.grid is not None:
        return access.requests / context.warps(kernel, group.device)
    return context.turns(access.in_loop, kernel, group.device) or inf


def _array_finding(hits: Sequence[Hit], group: Group, rule: Rule, others: tuple[str, ...]) -> Finding:
    kernel, access = hits[0]
    elements = prod(access.object_shape)
    size = elements * access.element_bytes
    every = [a for a in kernel.accesses if a.space == "local" and (a.object, a.object_span) == (access.object, access.object_span)]
    known = [a.requests for a in every if a.requests is not None]
    total = f", {words.plural(sum(known), 'request')} in all" if len(known) == len(every) else ""
    by = "differently in each lane" if _by_lane(access) else "by a value that only the run decides"
    if access.status == "unknown" and access.detail and access.detail in (access.index or access.detail):
        by = f"by `{access.detail}`"
    lie = "may lie" if _may_select(every, elements) else "lie"
    notes = [f"index = {access.index}"] if access.index else []
    through = words.plural(len(every), "access", "accesses")
    notes.append(f"nvcc selects among the elements of small arrays that are stored to seldom; {_too_much(access, rule)}")
    notes.append(f"cost: all of its {through} go through the first-level cache, also those with a constant index{total}")
    if others:
        notes.append(f"so is {', '.join(f'`{name}`' for name in others)}, indexed at the same place")
    notes.append(f"launch: {words.launch(kernel.launch)}")
    lane = "threadIdx.x" if group.file.language == "cuda" else "get_local_id(0)"
    return Finding(
        rule.code,
        rule.name,
        rule.severity,
        f"`{access.text}` indexes `{access.object}` {by}: "
        f"its {words.plural(size, 'byte')} per thread {lie} in local memory, not in registers",
        access.span,
        kernel=words.kernel(kernel),
        status="exact",
        labels=context.labels(access, group.file),
        notes=tuple(notes),
        help="give the loop around it a constant trip count and `#pragma unroll`, if that makes the index a constant, "
        f"or keep the array in shared memory, one column per thread: `{access.object}[index][{lane}]`",
        metrics=Metrics(requests=access.requests, active_lanes=access.active_lanes),
    )


def _too_much(access: Access, rule: Rule) -> str:
    elements = prod(access.object_shape)
    if elements >= rule.threshold("elements"):
        return f"this one has {elements:,} elements"
    return f"this one has {elements:,} elements and is stored to in a loop"
