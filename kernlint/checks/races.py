"""Family 8, faults: accesses of different threads to one place that nothing orders. Goes in: facts
of one kernel. Comes out: findings.

An error where the race is sure under a launch that somebody gives; else a warning that says "may".
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

from kernlint.base.dataclass import dataclass
from kernlint.checks import context, dialect, fault_fixes, words
from kernlint.checks.context import Group
from kernlint.checks.faults import ASSUMED, OPEN, ended_block, is_given
from kernlint.checks.rules import Rule
from kernlint.model.facts import Barrier, Kernel, Race
from kernlint.model.finding import Finding, Fix, Label

VERBS = {"read": "reads", "write": "writes", "atomic": "updates"}
TOO_LARGE = ("outside", "row", "overlap")  # what a block that is too large is at fault in
SEVERAL = {
    "grid": "threads of several blocks",
    "cluster": "threads of several blocks",
    "block": "several threads",
    "warp": "several lanes of a warp",
}
ANOTHER = {
    "grid": "a thread of another block",
    "cluster": "a thread of another block of the cluster",
    "block": "another thread",
    "warp": "another lane",
}
SCOPES = ("grid", "cluster", "block", "warp")  # of barriers, from the widest
BETWEEN_BLOCKS = (
    "blocks of one launch run in no order: write to another array than is read, use atomic "
    "operations, or split the kernel in two launches (or a cooperative launch with `grid.sync()`)"
)
ONE_WRITER = {
    "grid": "let each block write elements of its own, or combine the values with atomic operations",
    "cluster": "let one block write, or combine the values with atomic operations",
    "block": "let one thread write, or combine the values with an atomic operation or a reduction",
    "warp": "let one lane write, or combine the values with an atomic operation or a reduction",
}
ORDERS_OTHERS = "`{}` orders other memory (OpenCL C, barrier), though many devices order all"
ATOMIC = {"cuda": "`atomicAdd`", "opencl": "`atomic_add`"}
OF_ONE_BLOCK = re.compile(r"\b(atomic\w+)_block\b")
WIDER = (
    "an update that is atomic for its own block alone loses those of other blocks: use {}, which is "
    "atomic for all threads of the device"
)
WITHIN_LINE = (
    "where threads add to one element, use an atomic operation or a reduction; where one reads what "
    "another writes, write to another array than is read"
)


@dataclass(frozen=True, slots=True)
class RaceCase:
    """A race of a kernel under one launch."""

    kernel: Kernel
    race: Race

    @property
    def sure(self) -> bool:
        return self.race.certain and not self.assumptions

    @property
    def assumptions(self) -> tuple[str, ...]:
        given = is_given(self.kernel)
        return *context.assumed(self.kernel), *(() if given else (ASSUMED,))


def shared_memory_race(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL810: shared memory that warps of a block access in no order."""
    of_blocks = _shared(group, "block")
    _, beside = _of_warps(group, of_blocks)
    yield from _findings(group, rule, _shared(group, "cluster"))
    yield from ended_block(group, rule)
    yield from _findings(group, rule, [*of_blocks, *beside])


def warp_race(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL811: shared memory that lanes of one warp access in no order. Where warps race as well, one
    barrier of the block orders both."""
    alone, _ = _of_warps(group, _shared(group, "block"))
    yield from _findings(group, rule, alone)


def _of_warps(group: Group, of_blocks: Sequence[RaceCase]) -> tuple[list[RaceCase], list[RaceCase]]:
    """Races within warps that no barrier orders which races between warps ask for; and those of other
    lines or arrays that one of these barriers orders."""
    lines = {line for hit in of_blocks for line in _lines(hit.race)}
    arrays = {hit.race.object for hit in of_blocks}
    loops = {hit.race.loop for hit in of_blocks if hit.sure} - {None}
    of_warps = _shared(group, "warp")
    others = [hit for hit in of_warps if lines.isdisjoint(_lines(hit.race))]
    return (
        [hit for hit in others if hit.race.loop not in loops],
        [
            hit
            for hit in of_warps
            if hit.race.loop in loops and (hit in others or hit.race.object not in arrays)
        ],
    )


def global_memory_race(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL812: global memory that threads access in no order: those of different blocks, where they
    do; else those of one block."""
    hits = [hit for hit in _hits(group) if hit.race.space != "shared"]
    widest: list[RaceCase] = []
    lines: set[tuple[str, int]] = set()
    for scope in SCOPES:
        own = [
            hit for hit in hits if hit.race.scope == scope and lines.isdisjoint(_lines(hit.race))
        ]
        widest += own
        lines |= {line for hit in own for line in _lines(hit.race)}
    yield from _findings(group, rule, widest)


def _shared(group: Group, scope: str) -> list[RaceCase]:
    return [hit for hit in _hits(group) if (hit.race.space, hit.race.scope) == ("shared", scope)]


def _hits(group: Group) -> list[RaceCase]:
    """Not of arrays that an assumed block is too large for."""
    found, warp = [], group.device.warp_lanes
    for kernel in group.kernels:
        large = (fault for fault in kernel.faults if fault.kind in TOO_LARGE)
        left = {fault.object for fault in large if kernel.launch.block_assumed}
        found += [
            RaceCase(kernel, race)
            for race in kernel.races
            if race.object not in left
            and not _at_parted_barrier(kernel, race)
            and not (kernel.launch.block_assumed and _is_parted_by_less(race, warp))
        ]
    return found


def _at_parted_barrier(kernel: Kernel, race: Race) -> bool:
    """Whether a barrier that only some threads reach stands between the accesses: KL401 tells."""
    first, last = sorted((race.other.line, race.span.line))
    return any(
        barrier.uniform is False and first <= barrier.span.line <= last
        for barrier in kernel.barriers
        if barrier.scope != "memory"
    )


def _is_parted_by_less(race: Race, warp: int) -> bool:
    """Whether a smaller block might keep the accesses apart: two stores, or parts of one array that
    have pointers of their own, each as long as a block of whole warps."""
    pointers = {re.split(r"\W", text, maxsplit=1)[0] for text in (race.text, race.other_text)}
    names = {race.object.rpartition("::")[2], *pointers}
    first, second = race.threads
    are_parts = len(pointers) == 2 and len(names) == 3 and (first - second) % warp == 0
    return race.op == "write" == race.other_op or are_parts


def _lines(race: Race) -> set[tuple[str, int]]:
    return {(race.span.path, race.span.line), (race.other.path, race.other.line)}


def _findings(group: Group, rule: Rule, hits: Sequence[RaceCase]) -> Iterator[Finding]:
    """One finding for the races that end in one line, or that one barrier orders; for those of lanes
    of a warp on one array, which come line after line."""
    found: dict[tuple[str, object], list[RaceCase]] = {}
    for hit in hits:
        race = hit.race
        place = race.object if race.scope == "warp" else race.span.line
        found.setdefault((race.span.path, place), []).append(hit)
    for alike in _by_barrier([*found.values()]):
        worst = max(alike, key=lambda hit: (hit.sure, -SCOPES.index(hit.race.scope)))
        yield Finding(
            rule.code,
            rule.name,
            context.severity(rule, () if worst.sure else (OPEN,)),
            _message(worst),
            worst.race.span,
            kernel=words.kernel(worst.kernel),
            status="exact" if worst.sure else "range",
            labels=tuple(_labels(worst, alike)),
            notes=tuple(_notes(worst, alike, group)),
            help=_remedy(worst, alike, group),
            fix=_edit(worst, group),
        )


def _by_barrier(found: Sequence[list[RaceCase]]) -> list[list[RaceCase]]:
    """Races on shared memory that one barrier orders, together: at the end of a loop, those with its
    next iteration; before a line, those of what stands before it with what stands there or behind."""
    made: dict[object, list[RaceCase]] = {}
    before: dict[str, int] = {}
    for alike in sorted(found, key=lambda some: some[0].race.span.line):
        race, key = alike[0].race, object()
        if race.space == "shared" and fault_fixes.is_of_next_iteration(race) and race.loop:
            key = race.loop
        elif race.space == "shared" and race.other.line < race.span.line:
            line = before.get(race.span.path, 0)
            if not race.other.line < line <= race.span.line:
                line = before[race.span.path] = race.span.line
            key = race.span.path, line
        made.setdefault(key, []).extend(alike)
    return [*made.values()]


def _edit(hit: RaceCase, group: Group) -> Fix | None:
    return None if _barrier_of_other_memory(hit) else fault_fixes.barrier(hit.race, group)


def _message(hit: RaceCase) -> str:
    race = hit.race
    may = "" if hit.sure else "may "
    if _is_one_store(race):
        several = SEVERAL[race.scope]
        return f"`{race.text}`: {several} {may}write different values to {_place(race)}"
    who = ANOTHER[race.scope]
    verb = VERBS[race.op] if hit.sure else f"may {race.op.replace('atomic', 'update')}"
    does = VERBS[race.other_op]
    same = race.other.line == race.span.line and race.other.path == race.span.path
    where = "this line" if same else _line_of_other(race)
    where += " of the previous iteration" if fault_fixes.is_of_next_iteration(race) else ""
    what = f"{_place(race)} that" if _has_elements(race) else f"{_place(race)}, which"
    subject = f"`{race.text}`" if _has_elements(race) else "this line"
    return f"{subject} {verb} {what} {who} {does} on {where}{_unordered(race)}"


def _line_of_other(race: Race) -> str:
    """The line of the other access; with its file if that is another."""
    elsewhere = race.other.path != race.span.path
    file = f" of {os.path.basename(race.other.path)}" if elsewhere else ""
    return f"line {race.other.line}{file}"


def _is_one_store(race: Race) -> bool:
    """Whether different threads race by one store."""
    return race.other == race.span and race.op == "write" == race.other_op


def _is_update(race: Race) -> bool:
    """Whether different threads race by one `x += y`: one reads, another writes."""
    return race.other == race.span and race.op != race.other_op


def _has_elements(race: Race) -> bool:
    """Whether the object is not one variable of its own name."""
    return race.text.lstrip("*") != race.object


def _place(race: Race) -> str:
    return f"an element of `{race.object}`" if _has_elements(race) else f"`{race.object}`"


def _unordered(race: Race) -> str:
    if race.scope == "cluster":
        return ", with no barrier of the cluster between"
    return ", in no order" if race.scope == "grid" else ", with no barrier between"


def _labels(worst: RaceCase, alike: Sequence[RaceCase]) -> Iterator[Label]:
    race = worst.race
    seen = {race.span.line}
    for hit in (worst, *alike):
        for span, op in ((hit.race.other, hit.race.other_op), (hit.race.span, hit.race.op)):
            if span.path == race.span.path and span.line not in seen and len(seen) < words.LINES:
                seen.add(span.line)
                it = "it" if hit.race.object == race.object else f"`{hit.race.object}`"
                yield Label(span, f"{VERBS[op]} {it} in another thread")
    if race.object_span is not None and race.object_span.line not in seen:
        yield Label(race.object_span, f"`{race.object}` is declared here")
    launched = worst.kernel.launch.span
    if launched is not None and worst.kernel.launch.in_host_code:
        yield Label(launched, "launched here")


def _notes(hit: RaceCase, alike: Sequence[RaceCase], group: Group) -> Iterator[str]:
    barrier = _barrier_of_other_memory(hit)
    yield _example(hit.race, OPEN if barrier is None else ORDERS_OTHERS.format(barrier.text))
    yield from _of_two_names(hit)
    yield from _ordered_as_well(hit, alike)
    affected = {id(one.kernel) for one in alike}
    several = len(group.kernels) > 1 and len(affected) > 1
    share = f"; {words.worst(len(affected), len(group.kernels))}" if several else ""
    yield f"launch: {words.launch(hit.kernel.launch)}{share}"


def _ordered_as_well(hit: RaceCase, alike: Sequence[RaceCase]) -> Iterator[str]:
    lines = {one.race.span.line: one.race for one in alike} | {hit.race.span.line: hit.race}
    others = [f"`{race.text}` on line {line}" for line, race in sorted(lines.items())]
    others.remove(f"`{hit.race.text}` on line {hit.race.span.line}")
    if others and hit.race.space == "shared":
        yield f"the same barrier is missing for {words.listed(others)}"


def _of_two_names(hit: RaceCase) -> Iterator[str]:
    names = {fault_fixes.base_name(text) for text in (hit.race.other_text, hit.race.text)}
    if any(names == set(pair) for pair in hit.kernel.launch.one_memory):
        one, other = sorted(names)
        yield f"this launch points `{one}` and `{other}` into one allocation"


def _barrier_of_other_memory(hit: RaceCase) -> Barrier | None:
    """The barrier between two accesses that does not name their memory."""
    race = hit.race
    first, last = sorted((race.other.line, race.span.line))
    own = "shared" if race.space == "shared" else "global"
    return next(
        (
            barrier
            for barrier in hit.kernel.barriers
            if first <= barrier.span.line <= last
            and barrier.scope == "block"
            and barrier.memory not in ("", own)
        ),
        None,
    )


def _example(race: Race, open_: str = OPEN) -> str:
    """for example thread 0 writes and thread 32 reads element 7"""
    if race.scope == "cluster":
        open_ = "" if race.certain else f"; {OPEN}"
        return f"`__syncthreads()` orders threads of one block alone{open_}"
    if race.element < 0:
        return f"{_where_not_known(race)}; {OPEN}"
    one, other = (f"thread {thread}" for thread in race.threads)
    if race.scope == "grid":
        one, other = (
            f"{who} of block {block}" for who, block in zip((one, other), race.blocks, strict=True)
        )
    does = VERBS[race.other_op], VERBS[race.op]
    what = f"element {words.count(race.element)}" if _has_elements(race) else f"`{race.object}`"
    both = f"{one} {does[0]} and {other} {does[1]} {what}"
    if does[0] == does[1]:
        both = f"{one} and {other} {race.op.replace('atomic', 'update')} {what}"
    return f"for example {both}{'' if race.certain else f'; {open_}'}"


def _where_not_known(race: Race) -> str:
    if race.scope == "grid":
        return "where two blocks meet is not known"
    one, other = race.threads
    return f"for example threads {one} and {other}; which element they meet in is not known"


def _remedy(hit: RaceCase, alike: Sequence[RaceCase], group: Group) -> str:
    race = hit.race
    if (of_other_memory := _barrier_of_other_memory(hit)) is not None:
        return (
            f"name `{fault_fixes.flag_of(race)}` in the barrier on line {of_other_memory.span.line}"
        )
    if _is_one_store(race):
        return ONE_WRITER[race.scope]
    if race.scope == "grid" and race.op == "atomic" == race.other_op:
        named = OF_ONE_BLOCK.search(race.text)
        return WIDER.format(f"`{named.group(1)}`" if named else "the scope of the device")
    if _is_update(race):
        return f"update it with an atomic operation ({dialect.own(ATOMIC, group.language)})"
    if race.scope == "grid":
        return BETWEEN_BLOCKS
    if race.space != "shared" and race.span.line == race.other.line and race.loop is None:
        return WITHIN_LINE
    calls = {own: f"`{fault_fixes.barrier_call(race, own)}`" for own in ("cuda", "opencl")}
    barrier = dialect.own(calls, group.language)
    if fault_fixes.is_of_next_iteration(race):
        where = "" if race.loop is None else f" on line {race.loop.line}"
        return f"put {barrier} at the end of the body of the loop{where}, where every thread reaches it"
    if race.span.line == race.other.line:
        if any(one.race.span.line != one.race.other.line for one in alike):
            return f"in each of these lines, read into a variable first, put {barrier} behind that, write, and put {barrier} behind the write too"
        return f"read into a variable first, put {barrier} behind that, then write"
    if race.other.path != race.span.path:
        return f"put {barrier} between {_line_of_other(race)} and this line, where every thread reaches it"
    return f"put {barrier} between lines {race.other.line} and {race.span.line}, where every thread reaches it"
