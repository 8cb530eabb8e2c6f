"""Family 4, synchronisation: barriers that part of a block never reaches. Goes in: facts of one kernel. Comes out: findings."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.checks import context, words
from kernlint.checks.context import Group
from kernlint.checks.finding import Finding, Label
from kernlint.checks.rules import Rule
from kernlint.facts import Barrier, Branch, File, Kernel
from kernlint.source.span import Span

IN_BETWEEN = "a barrier that not all live threads reach is undefined behaviour: the kernel may hang or go on with half-written data"
AT_THE_END = (
    "a barrier that not all live threads reach is undefined behaviour; the others leave the kernel without another barrier, so that "
    "devices which wait only for threads that still run (NVIDIA's from compute capability 7.0 on) do not hang here"
)
SCOPES = {"block": "block", "grid": "grid"}


def barrier_in_divergent_flow(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL401: barriers where live lanes of a block provably disagree on whether they arrive. Lanes that have returned do not count."""
    found: dict[tuple[object, ...], list[tuple[Kernel, Barrier]]] = {}
    for kernel in group.kernels:
        for barrier in kernel.barriers:
            if barrier.uniform is False and barrier.scope in SCOPES:
                found.setdefault((barrier.span.path, barrier.span.line, barrier.text), []).append((kernel, barrier))
    for hits in found.values():
        kernel, barrier = hits[0]
        around = _cause(barrier, kernel)
        yield Finding(
            rule.code,
            rule.name,
            rule.severity,
            f"`{barrier.text}`: some threads of the {SCOPES[barrier.scope]} reach this barrier and others, still running, do not",
            barrier.span,
            kernel=words.kernel(kernel),
            status="exact",
            labels=_labels(barrier, around, group.file),
            notes=tuple(_notes(hits, barrier, kernel, group)),
            help="take the barrier out of the conditional code: let every thread reach it, and guard only the work before and after it",
        )


def barrier_after_divergent_exit(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL402: barriers that only the threads reach that have not returned before; a warning where the device counts those too."""
    found: dict[tuple[object, ...], list[tuple[Kernel, Barrier]]] = {}
    for kernel in group.kernels:
        for barrier in kernel.barriers:
            if barrier.after_exit and barrier.uniform is not False and barrier.scope in SCOPES:
                found.setdefault((barrier.span.path, barrier.span.line, barrier.text), []).append((kernel, barrier))
    capability, title = group.device.capability, group.device.title
    tolerant = capability is not None and capability >= rule.threshold("independent_threads")
    for hits in found.values():
        kernel, barrier = hits[0]
        leniency = f"{title} waits only for threads that still run" if tolerant else f"{title} may wait for them for ever"
        notes = [leniency, f"launch: {words.launch(kernel.launch)}"]
        if len(group.kernels) > 1:
            notes.append(f"in {len({id(k) for k, _ in hits})} of {len(group.kernels)} launches")
        yield Finding(
            rule.code,
            rule.name,
            rule.severity if tolerant else "warning",
            f"`{barrier.text}`: some threads of the {SCOPES[barrier.scope]} have returned before this barrier",
            barrier.span,
            kernel=words.kernel(kernel),
            status="exact",
            labels=(Label(barrier.calls[0], "called from here"),) if barrier.calls else (),
            notes=tuple(notes),
            help="let every thread reach the barrier: guard the work (`if (i < n) { … }`) instead of returning",
        )


def _cause(barrier: Barrier, kernel: Kernel) -> Branch | None:
    """The innermost branch around the barrier, or around a call that leads to it, on which lanes of a warp may disagree; one on which only
    warps do, where there is no other."""
    for place in (barrier.span, *reversed(barrier.calls)):
        around = [b for b in kernel.branches if _holds(b.span, place)]
        parting = [b for b in around if b.divergent != 0] or (around if len(around) == 1 else [])
        if parting:
            return max(parting, key=lambda b: (b.span.line, b.span.column))
    return None


def _holds(outer: Span, inner: Span) -> bool:
    start, end = (outer.line, outer.column), (outer.end_line, outer.end_column)
    return outer.path == inner.path and start <= (inner.line, inner.column) and (inner.end_line, inner.end_column) <= end


def _labels(barrier: Barrier, around: Branch | None, file: File) -> tuple[Label, ...]:
    labels = []
    if around is not None and around.span.line != barrier.span.line:
        labels.append(Label(context.head(around.span, file), "threads disagree here"))
    if barrier.calls:
        labels.append(Label(barrier.calls[0], "called from here"))
    return tuple(labels)


def _notes(hits: list[tuple[Kernel, Barrier]], barrier: Barrier, kernel: Kernel, group: Group) -> Iterator[str]:
    yield AT_THE_END if barrier.last else IN_BETWEEN
    if barrier.detail:
        yield barrier.detail
    yield f"launch: {words.launch(kernel.launch)}"
    if len(group.kernels) > 1:
        yield f"in {len({id(k) for k, _ in hits})} of {len(group.kernels)} launches"
