"""Family 4, synchronisation: barriers that part of a block never reaches. Goes in: facts of one
kernel. Comes out: findings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import prod

from kernlint.base.span import Span
from kernlint.checks import context, dialect, words
from kernlint.checks.by_line import in_parts
from kernlint.checks.context import Group
from kernlint.checks.rules import Rule
from kernlint.model.facts import AWAY, LOOPS, Barrier, Branch, File, Kernel
from kernlint.model.finding import Finding, Label
from kernlint.source_model.model import SourceModel, source_of

ALL_OR_NONE = {  # what the language says
    "cuda": "CUDA allows a barrier in conditional code only if the condition is the same for all threads of the block",
    "opencl": "OpenCL requires that all work-items of the work-group reach a barrier in conditional code, or none",
}
IN_BETWEEN = (
    "otherwise the kernel may hang, or threads may read data that others have not written yet"
)
AT_THE_END = (
    "here the other threads exit without another barrier, so devices that wait only for running threads (NVIDIA, compute capability "
    "7.0 and later) do not hang"
)
WHOLE_GRID = (
    "a barrier of the grid waits for all threads of all blocks, also for those that have exited; otherwise the kernel hangs "
    "(CUDA C++ Programming Guide, Grid Synchronization)"
)
OUT_OF_IF = "end the conditional code before the barrier and reopen it after, so that all threads reach the barrier"
OUT_OF_LOOP = (
    "give all threads of the block the same number of iterations (for example the number of elements rounded up to a multiple of the "
    "block) and guard the work inside, not the barrier"
)
OUT_OF_CODE = "move the call out of the conditional code: let every thread reach it and guard only the work around it"
NAMED = (
    "its mask must name every calling thread, and all running threads that the mask names must execute the same call with the "
    "same mask; otherwise the result is undefined (CUDA C++ Programming Guide)"
)
MAY_DIFFER = "its arguments may differ between threads of the block"
SAME_ARGUMENTS = (
    "all threads of the block must execute the copy with the same arguments; otherwise the result is undefined "
    "(OpenCL C Specification)"
)
OF_TILE = (
    "all lanes of a tile that still run must make its calls together (CUDA C++ Programming Guide)"
)
NO_THREAD = (
    "a shuffle that reads such a lane gets an undefined value (CUDA C++ Programming Guide), and the call may wait for lanes that "
    "never come"
)
OF_SUB_GROUP = (
    "all work-items of a sub-group must make the call, or none; otherwise the result is undefined "
    "(OpenCL C Specification, sub-group functions)"
)
UNDEFINED = (
    "what a lane that does not take part gives is undefined (CUDA C++ Programming Guide, Warp Shuffle "
    "Functions)"
)
TAKE_PART = (
    "let all lanes that are read execute the call (`float v = i < n ? in[i] : 0.0f;` instead of an "
    "early return or a guard around it), or read only lanes that the mask names"
)
OUT_OF_CONDITION = (
    "move the call out of the conditional code so that all lanes it names execute it, and guard only the use of its result; or name in "
    "the mask only the lanes that reach it (`unsigned mask = __ballot_sync(…, condition)` before the branch, or `__activemask()` where "
    "it does not matter which lanes take part)"
)
NAME_THEM = "name all lanes that reach the call in the mask, or let only the named lanes reach it"
LEAVING = ("break", "continue")
DECIDES = {  # by what conditions are made of
    "index": "the index of a thread or block and values that kernlint does not know decide which threads arrive",
    "data": "the values that each thread loads decide which threads arrive",
}
SCOPES = {"block": "block", "grid": "grid"}


Hit = tuple[Kernel, Barrier]
Hits = list[Hit]


def barrier_in_divergent_flow(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL401: barriers where live lanes of a block disagree on whether they arrive; a warning where
    what threads load or a size that is not known decides. Lanes that have returned do not count."""
    yield from _with_other_arguments(group, rule)
    found: dict[tuple[object, ...], Hits] = {}
    for kernel in group.kernels:
        for barrier in kernel.barriers:
            if (barrier.uniform is False or barrier.differs_by) and barrier.scope in SCOPES:
                around = _cause(barrier, kernel)
                cause = (
                    around.span
                    if around is not None
                    else (barrier.span.path, barrier.span.line, barrier.text)
                )
                found.setdefault((cause, barrier.scope), []).append((kernel, barrier))
    for hits in found.values():
        yield in_parts(hits, _span, partial(_not_by_all, group=group, rule=rule))


def _span(hit: Hit) -> Span:
    return hit[1].span


def _not_by_all(hits: Sequence[Hit], group: Group, rule: Rule) -> Finding:
    kernel, barrier = _surest(hits)
    around = _cause(barrier, kernel)
    leaving = _leaving(around, barrier, kernel, group.source)
    what = f"`{barrier.text}`{_under(around, leaving, barrier)}"
    return Finding(
        rule.code,
        rule.name,
        context.severity(rule, _assumed(kernel, barrier)),
        f"{what}: {_not_reached(kernel, barrier)} by all running threads of the {SCOPES[barrier.scope]}",
        barrier.span,
        kernel=words.kernel(kernel),
        status="exact",
        labels=(*_labels(barrier, leaving or around, group.file), *_others(hits)),
        notes=tuple(_notes(hits, barrier, kernel, group)),
        help=_remedy(around),
    )


def _with_other_arguments(group: Group, rule: Rule) -> Iterator[Finding]:
    """Copies by a whole block that its threads may give different arguments."""
    for kernel in group.kernels[:1]:
        for barrier in kernel.barriers:
            if barrier.arguments and barrier.uniform is not False:
                yield Finding(
                    rule.code,
                    rule.name,
                    context.severity(rule, (MAY_DIFFER,)),
                    f"`{barrier.text}`: {MAY_DIFFER}",
                    barrier.span,
                    kernel=words.kernel(kernel),
                    labels=_labels(barrier, None, group.file),
                    notes=(SAME_ARGUMENTS, *_launch(kernel)),
                    help="give all threads of the block the same pointers and the same size: those of the whole copy",
                )


def warp_call_in_divergent_flow(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL403: shuffles, votes and `__syncwarp` whose mask names running lanes of the warp that do
    not execute them, or does not name some that do. One finding for the calls that one condition
    parts alike."""
    if group.device.capability is None:  # masks are NVIDIA's
        return
    found: dict[tuple[object, ...], Hits] = {}
    for kernel in group.kernels:
        for barrier in kernel.barriers:
            wrong = _missed(barrier) or barrier.unnamed or barrier.voted
            if barrier.scope in ("warp", "tile") and wrong:
                around = _cause(barrier, kernel) if _missed(barrier) else None
                cause = (
                    around.span
                    if around is not None
                    else (barrier.span.path, barrier.span.line, barrier.text)
                )
                found.setdefault((cause, _missed(barrier)), []).append((kernel, barrier))
    yield from _beyond_threads(group, rule)
    for hits in found.values():
        yield in_parts(hits, _span, partial(_by_other_lanes, group=group, rule=rule))


def _by_other_lanes(hits: Sequence[Hit], group: Group, rule: Rule) -> Finding:
    kernel, barrier = _surest(hits)
    around = _cause(barrier, kernel) if _missed(barrier) else None
    leaving = _leaving(around, barrier, kernel, group.source)
    what = f"`{barrier.text}`{_under(around, leaving, barrier)}"
    wrong = _wrong(kernel, barrier, group.language)
    many = (
        [f"in {len({id(k) for k, _ in hits})} of {len(group.kernels)} launches"]
        if len(group.kernels) > 1
        else []
    )
    return Finding(
        rule.code,
        rule.name,
        context.severity(rule, _assumed(kernel, barrier)),
        f"{what}: {wrong}",
        barrier.span,
        kernel=words.kernel(kernel),
        status="exact",
        labels=(*_labels(barrier, leaving or around, group.file), *_others(hits)),
        notes=(
            _who(barrier),
            _together(barrier, group.language),
            *_launch(kernel),
            *many,
        ),
        help=_way_in(barrier, group.language),
    )


def _beyond_threads(group: Group, rule: Rule) -> Iterator[Finding]:
    """Shuffles and votes that name lanes which a block's last warp does not have. One finding for
    all of a kernel."""
    hits = [(k, b) for k in group.kernels for b in k.barriers if b.beyond and not _missed(b)]
    if not hits or group.language == "opencl":  # whose sub-groups have as many lanes as work-items
        return
    yield in_parts(hits, _span, partial(_with_no_thread, group=group, rule=rule))


def _with_no_thread(hits: Sequence[Hit], group: Group, rule: Rule) -> Finding:
    kernel, barrier = hits[0]
    lanes, threads = group.device.warp_lanes, prod(kernel.launch.block)
    come, others = (words.lanes(numbers) for numbers in barrier.beyond)
    named = "its tile has" if barrier.scope == "tile" else "its mask names"
    whole = -(-threads // lanes) * lanes
    block = f"{'an assumed' if kernel.launch.block_assumed else 'a'} block of {words.size(kernel.launch.block)}"
    return Finding(
        rule.code,
        rule.name,
        "warning",
        f"`{barrier.text}`: {named} lanes that have no thread in {block}",
        barrier.span,
        kernel=words.kernel(kernel),
        status="exact",
        labels=(*_labels(barrier, None, group.file), *_others(hits)),
        notes=(
            f"the block's last warp has {come} only; named without a thread: {others}",
            NO_THREAD,
            *_launch(kernel),
        ),
        help=f"launch whole warps ({words.count(whole)} threads) and bounds-check the extra threads; or let the last warp name and "
        "read only the lanes that it has",
    )


def shuffle_from_vacant_lane(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL404: shuffles that read lanes which have left or do not come. Calls that KL403 reports for
    the same reason are left to it."""
    if group.device.capability is None:
        return
    by_line: dict[tuple[str, int], Hits] = {}
    for kernel in group.kernels:
        for barrier in kernel.barriers:
            if barrier.vacant and not _missed(barrier):
                place = barrier.span.path, barrier.span.line
                by_line.setdefault(place, []).append((kernel, barrier))
    for hits in by_line.values():
        yield in_parts(hits, _span, partial(_from_vacant_lane, group=group, rule=rule))


def _from_vacant_lane(hits: Sequence[Hit], group: Group, rule: Rule) -> Finding:
    kernel, barrier = _surest(hits)
    readers, sources = (words.lanes(numbers) for numbers in barrier.vacant)
    assumed = context.assumed(kernel)
    return Finding(
        rule.code,
        rule.name,
        context.severity(rule, assumed),
        f"`{barrier.text}` {'may read' if assumed else 'reads'} lanes that do not execute it",
        barrier.span,
        kernel=words.kernel(kernel),
        status="range" if assumed else "exact",
        labels=(
            *_return(barrier, kernel, group.file),
            *_labels(barrier, _cause(barrier, kernel), group.file),
        ),
        notes=(f"in one warp: {readers} read {sources}", UNDEFINED, *_launch(kernel)),
        help=TAKE_PART,
    )


def _surest(hits: Sequence[Hit]) -> tuple[Kernel, Barrier]:
    """The first that is sure, under a launch that somebody gives; else the first."""
    return next((hit for hit in hits if not _assumed(*hit)), hits[0])


def _assumed(kernel: Kernel, barrier: Barrier) -> tuple[str, ...]:
    """What keeps a finding from being sure, in words."""
    by_data = (DECIDES["data"],) if _is_voted(barrier) else ()
    return (
        *context.assumed(kernel),
        *((DECIDES[barrier.differs_by],) if _open(barrier) else by_data),
    )


def _open(barrier: Barrier) -> bool:
    """Whether nobody knows if all threads come."""
    return bool(barrier.differs_by) and barrier.uniform is None


def _is_voted(barrier: Barrier) -> bool:
    """Whether all that is wrong is that a vote, which data decides, makes the mask."""
    return bool(barrier.voted) and not (barrier.absent or barrier.unnamed)


def _missed(barrier: Barrier) -> bool:
    """Whether lanes that a call of the warp names do not come to it, or may not."""
    return bool(barrier.absent) or _open(barrier)


def _not_reached(kernel: Kernel, barrier: Barrier) -> str:
    return "may not be reached" if _assumed(kernel, barrier) else "not reached"


def _wrong(kernel: Kernel, barrier: Barrier, language: str) -> str:
    sure = not _assumed(kernel, barrier)
    if _missed(barrier):
        named = (
            "running lanes of its tile"
            if barrier.scope == "tile"
            else "running threads of its warp"
            if language == "opencl"
            else "running lanes that its mask names"
        )
        return f"{named} {'do' if sure else 'may'} not execute it"
    return f"lanes that its mask does not name {'' if sure else 'may '}execute it"


def _together(barrier: Barrier, language: str) -> str:
    """What the language says of calls that lanes make together."""
    if barrier.scope == "tile":
        return OF_TILE
    return OF_SUB_GROUP if language == "opencl" else NAMED


def _way_in(barrier: Barrier, language: str) -> str:
    if barrier.scope == "tile" or language == "opencl":
        return OUT_OF_CODE
    return OUT_OF_CONDITION if _missed(barrier) else NAME_THEM


def _who(barrier: Barrier) -> str:
    if _is_voted(barrier) and not _missed(barrier):
        return f"all running lanes execute it; `{barrier.voted}` names those whose condition holds"
    if not barrier.absent and not barrier.unnamed:
        return DECIDES[barrier.differs_by]
    come, others = (words.lanes(numbers) for numbers in barrier.absent or barrier.unnamed)
    return (
        f"in one warp: executed by {come}, {'missing' if barrier.absent else 'not named'}: {others}"
    )


def _under(around: Branch | None, leaving: Branch | None, barrier: Barrier) -> str:
    """The condition that splits the threads: that of the branch or the loop around, or the one under
    which some leave the iteration."""
    branch = leaving or around
    if branch is None or not branch.condition:
        return ""
    how = (
        "in a loop iteration left early under"
        if leaving is not None
        else "in a loop while"
        if branch.kind in LOOPS
        else "under"
    )
    line = f" (line {branch.span.line})" if branch.span.line != barrier.span.line else ""
    return f" {how} `{' '.join(branch.condition.split())}`{line}"


def _leaving(
    loop: Branch | None, barrier: Barrier, kernel: Kernel, source: SourceModel
) -> Branch | None:
    """The branch between a loop's head and the barrier in it, or the call that leads to it, whose
    text leaves the iteration; of several one on which lanes disagree. None where it is no loop that
    parts the threads."""
    if loop is None or loop.kind not in LOOPS:
        return None
    places = (p for p in (barrier.span, *barrier.calls) if _holds(loop.span, p))
    place = next(places, barrier.span)
    begin = (place.line, place.column)
    before = [b for b in kernel.branches if (b.span.end_line, b.span.end_column) <= begin]
    inside = [b for b in before if _holds(loop.span, b.span) and b.span.path == source.path]
    inner = [b for b in inside if b.kind in LOOPS]
    others = [b for b in inside if b.kind not in LOOPS and not b.calls]
    own = [b for b in others if not any(_holds(other.span, b.span) for other in inner)]
    found = [b for b in own if not source.words(b.span).isdisjoint(LEAVING)]
    parting = [b for b in found if b.divergent != 0]
    if not parting and len(found) == 1:
        return found[0]
    return parting[0] if parting else None


def _remedy(around: Branch | None) -> str:
    if around is None:
        return OUT_OF_CODE
    return OUT_OF_LOOP if around.kind in LOOPS else OUT_OF_IF


def _others(hits: Sequence[Hit]) -> Iterator[Label]:
    """The other barriers that the same condition parts."""
    first = _surest(hits)[1]
    lines = {
        b.span.line: b.span
        for _, b in hits
        if b.span.path == first.span.path and b.span.line != first.span.line and not b.calls
    }
    for line in sorted(lines):
        yield Label(lines[line], "and here")


def barrier_after_divergent_exit(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL402: barriers that only the threads reach that have not returned before; a warning where
    the device or the language counts those too, or where they have waited with the others
    before. One finding for the barriers behind one return."""
    found: dict[tuple[object, ...], Hits] = {}
    opencl = group.language == "opencl"
    for kernel in group.kernels:
        for barrier in kernel.barriers:
            if barrier.uniform is False or barrier.scope not in SCOPES:
                continue
            open_ = _may_have_returned(barrier, kernel) and (opencl or _dropped(barrier, kernel))
            if barrier.after_exit or open_:
                place = barrier.span.path, barrier.span.line, barrier.text
                cause = barrier.returned_at or place
                found.setdefault((cause, barrier.scope), []).append((kernel, barrier))
    for hits in found.values():
        yield in_parts(hits, _span, partial(_after_exit, group=group, rule=rule))


def _after_exit(hits: Sequence[Hit], group: Group, rule: Rule) -> Finding:
    kernel, barrier = next((hit for hit in hits if hit[1].after_exit), hits[0])
    opencl, title = group.language == "opencl", group.device.title
    recent = (group.device.capability or 0) >= rule.threshold("independent_threads")
    dropped = _dropped(barrier, kernel)
    allowed = recent and not (opencl or dropped)
    leniency = f"{title} may wait for them forever"
    if recent:
        older = ", devices before compute capability 7.0 also for those" if dropped else ""
        leniency = (
            dialect.own(ALL_OR_NONE, "opencl")
            if opencl
            else f"{title} waits only for running threads{older}"
        )
    notes = [leniency, f"launch: {words.launch(kernel.launch)}"]
    if len(group.kernels) > 1:
        notes.append(f"in {len({id(k) for k, _ in hits})} of {len(group.kernels)} launches")
    when = "between this barrier and an earlier one" if dropped else "before this barrier"
    return Finding(
        rule.code,
        rule.name,
        rule.severity if allowed else "warning",
        f"`{barrier.text}`: some threads of the {SCOPES[barrier.scope]} {_have(barrier)} returned {when}",
        barrier.span,
        kernel=words.kernel(kernel),
        status="exact",
        labels=(
            *_return(barrier, kernel, group.file),
            *_labels(barrier, None, group.file),
            *_others(hits),
        ),
        notes=tuple(notes),
        help="let every thread reach the barrier: guard the work (`if (i < n) { … }`) instead of returning",
    )


def _returns(barrier: Barrier, kernel: Kernel) -> list[Branch]:
    """The branches under which threads of a block return before, or may for all that is known."""
    under = (b for b in kernel.branches if b.span in barrier.returned_at)
    return [b for b in under if _is_open(b) or _parts_block(b)]


def _is_open(branch: Branch) -> bool:
    return branch.status != "exact"


def _parts_block(branch: Branch) -> bool:
    """Whether threads go both ways."""
    return len(set("".join(p.lanes for p in branch.patterns)) - {AWAY}) > 1


def _may_have_returned(barrier: Barrier, kernel: Kernel) -> bool:
    known = {b.span for b in kernel.branches}
    return any(map(_is_open, _returns(barrier, kernel))) or not known >= set(barrier.returned_at)


def _dropped(barrier: Barrier, kernel: Kernel) -> bool:
    """Whether threads return that have waited at a barrier before."""
    return any(b.span in barrier.dropped_at for b in _returns(barrier, kernel))


def _have(barrier: Barrier) -> str:
    return "have" if barrier.after_exit else "may have"


def _return(barrier: Barrier, kernel: Kernel, file: File) -> Iterator[Label]:
    """Where threads (may) have returned."""
    for span in dict.fromkeys(b.span for b in _returns(barrier, kernel)):
        yield Label(source_of(file).head(span), "returns here")


def _cause(barrier: Barrier, kernel: Kernel) -> Branch | None:
    """The branch that parts the threads where it is known; else the innermost branch around the
    barrier, or around a call that leads to it, on which threads may disagree; the only one around,
    where it is not known that they do."""
    for branch in kernel.branches if _open(barrier) else ():
        if branch.span == barrier.parted_at:
            return branch
    for place in (barrier.span, *reversed(barrier.calls)):
        around = [b for b in kernel.branches if _holds(b.span, place)]
        parting = [b for b in around if b.divergent != 0 or _parts_block(b)]
        if not parting and len(around) == 1:
            parting = around
        if parting:
            return max(parting, key=lambda b: (b.span.line, b.span.column))
    return None


def _holds(outer: Span, inner: Span) -> bool:
    start, end = (outer.line, outer.column), (outer.end_line, outer.end_column)
    return (
        outer.path == inner.path
        and start <= (inner.line, inner.column)
        and (inner.end_line, inner.end_column) <= end
    )


def _labels(barrier: Barrier, around: Branch | None, file: File) -> tuple[Label, ...]:
    labels = []
    if around is not None and around.span.line != barrier.span.line:
        labels.append(Label(source_of(file).head(around.span), "threads disagree here"))
    if barrier.calls:
        labels.append(Label(barrier.calls[0], "called from here"))
    return tuple(labels)


def _launch(kernel: Kernel) -> Iterator[str]:
    """The launch; where it is assumed, what of it the finding rests on."""
    another = ": another block may behave differently" if kernel.launch.block_assumed else ""
    yield f"launch: {words.launch(kernel.launch)}{another}"
    if types := context.taken_types(kernel):
        yield f"assuming {'; '.join(types)}"


def _notes(hits: Sequence[Hit], barrier: Barrier, kernel: Kernel, group: Group) -> Iterator[str]:
    rule = dialect.own(ALL_OR_NONE, group.language)
    at_the_end = AT_THE_END if all(b.last for _, b in hits) else IN_BETWEEN
    yield WHOLE_GRID if barrier.scope == "grid" else f"{rule}; {at_the_end}"
    if _open(barrier):
        yield DECIDES[barrier.differs_by]
    elif barrier.detail:
        yield barrier.detail
    yield from _launch(kernel)
    if len(group.kernels) > 1:
        yield f"in {len({id(k) for k, _ in hits})} of {len(group.kernels)} launches"
