"""What a fault or a race looks like: two threads beside each other between barriers, or the stretch
that an access reaches beside that of its array.

Goes in: facts. Comes out: rows and stretches, which the terminal and the page draw. Never decides what
is at fault.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.base.dataclass import dataclass
from kernlint.checks import words
from kernlint.checks.fault_fixes import is_of_next_iteration
from kernlint.checks.faults import OPEN, undecided
from kernlint.checks.races import SCOPES, VERBS
from kernlint.model import facts

# scopes of barriers that order the accesses of a race
ORDERING = {
    "warp": ("warp", "block", "grid"),
    "block": ("block", "grid"),
    "cluster": ("grid",),
    "grid": ("grid",),
}
MISSING = {
    "grid": "nothing orders blocks",
    "cluster": "no barrier of the cluster between",
    "block": "no barrier between",
    "warp": "no barrier of the warp between",
}
# in the margin of the page
SHORT = {"row": "outside row", "alignment": "misaligned"}
TITLES = {
    "outside": "leaves `{}`",
    "row": "leaves its row of `{}`",
    "alignment": "is not aligned",
    "unwritten": "reads what nothing has written in `{}`",
    "spin": "waits for a lock that other lanes of its warp wait for",
    "unwaited": "reads `{}` before its copy is known to be complete",
    "wrap": "takes an index of `{}` that has left 32 bits",
    "ended": "reaches for `{}` of a block that may have ended",
    "overlap": "writes what another name of `{}` holds",
}
OTHERS = {"unwaited": "copied", "overlap": "written"}


@dataclass(frozen=True, slots=True)
class TimelineRow:
    """`kind`: "barrier" and "missing" go over both threads, "access" and "iteration" stand under
    the one of `side`. `phase`: barriers of the kernel before it, in the order of the source."""

    kind: str
    text: str
    side: int = 0
    line: int = 0
    does: str = ""
    phase: int | None = None


@dataclass(frozen=True, slots=True)
class Timeline:
    """`heads`: the two threads, each with its block."""

    heads: tuple[tuple[str, str], tuple[str, str]]
    rows: tuple[TimelineRow, ...]
    alt: str


@dataclass(frozen=True, slots=True)
class ReachedRange:
    """Elements (or bytes) `low` to `high` are reached of `size`, counted from 0."""

    unit: str
    low: int
    high: int
    size: int


def shown(kernel: facts.Kernel, line: int | None = None) -> list[facts.Race]:
    """Of each array the races of the widest scope, each pair of accesses once; those that an access
    on a line takes part in."""
    races = [race for race in kernel.races if line in (None, race.span.line, race.other.line)]
    widest: dict[str, str] = {}
    found: dict[tuple[str, frozenset[object]], facts.Race] = {}
    for race in sorted(races, key=lambda one: (SCOPES.index(one.scope), not one.certain)):
        if widest.setdefault(race.object, race.scope) == race.scope:
            pair = frozenset(((race.span, race.op), (race.other, race.other_op)))
            found.setdefault((race.object, pair), race)
    return list(found.values())


def timeline(race: facts.Race, kernel: facts.Kernel) -> Timeline:
    """`race`: one of those `shown`."""
    heads = tuple(_head(race, kernel, side) for side in (0, 1))
    barriers = sorted(
        {
            (barrier.span.line, barrier.text)
            for barrier in kernel.barriers
            if barrier.scope in ORDERING[race.scope] and barrier.span.path == race.span.path
        }
    )
    does = (
        f"line {race.other.line} {VERBS[race.other_op]}",
        f"line {race.span.line} {VERBS[race.op]}",
    )
    (one, of_one), (other, of_other) = heads
    alt = (
        f"{one} of {of_one}: {does[0]} {race.other_text}; {other} of {of_other}: {does[1]} "
        f"{race.text}; {MISSING[race.scope]}"
    )
    return Timeline((heads[0], heads[1]), tuple(_rows(race, barriers)), alt)


def _rows(race: facts.Race, barriers: list[tuple[int, str]]) -> Iterator[TimelineRow]:
    first, second = race.other.line, race.span.line
    before = [one for one in barriers if one[0] < first]
    behind = [one for one in barriers if one[0] > second]
    in_loop = is_of_next_iteration(race)
    phase = len(before)
    if before:
        yield TimelineRow("barrier", before[-1][1], line=before[-1][0])
    yield TimelineRow(
        "access", race.other_text, 0, first, VERBS[race.other_op], phase if barriers else None
    )
    at = " at the end of the loop" if in_loop and race.scope != "grid" else ""
    yield TimelineRow(
        "missing", f"{MISSING[race.scope].removesuffix(' between' if at else '')}{at}"
    )
    if in_loop:
        yield TimelineRow("iteration", "next iteration", 1)
    yield TimelineRow("access", race.text, 1, second, VERBS[race.op])
    if behind:
        yield TimelineRow("barrier", behind[0][1], line=behind[0][0])


def _head(race: facts.Race, kernel: facts.Kernel, side: int) -> tuple[str, str]:
    thread = numbered(race.threads[side], kernel.launch.block)
    grid = kernel.launch.grid
    block = race.blocks[side]
    return f"thread {thread}", f"block {numbered(block, grid)}" if grid else f"block {block}"


def numbered(linear: int, sizes: tuple[int, int, int]) -> str:
    """(1, 7, 0): the place of a number along three axes."""
    x, y, _ = sizes
    return f"({linear % x}, {linear // x % y}, {linear // (x * y)})"


def race_title(race: facts.Race) -> str:
    is_ = "race" if race.certain else "possible race"
    where = f"element {words.count(race.element)} of " if race.element >= 0 else ""
    return f"{is_} on {where}`{race.object}`"


def race_facts(race: facts.Race) -> Iterator[tuple[str, str]]:
    """Names and texts."""
    if not race.certain:
        yield "open", OPEN


def fault_title(fault: facts.Fault) -> str:
    """What is wrong with the access."""
    return TITLES[fault.kind].format(fault.object)


def fault_facts(fault: facts.Fault) -> Iterator[tuple[str, str]]:
    """Names and texts."""
    found = stretch(fault)
    if found is not None:
        several = words.plural(found.size, found.unit)
        yield "has", f"{several}: 0 to {words.count(found.size - 1)}" if found.size else several
        yield (
            "reached",
            words.count(found.low)
            + (f" to {words.count(found.high)}" if found.high > found.low else ""),
        )
    elif fault.kind == "alignment":
        yield "needs", f"a multiple of {fault.size} bytes"
    elif fault.kind == "unwritten":
        yield "element", words.count(fault.low // (fault.element_bytes or 1))
    if fault.other is not None:
        yield OTHERS[fault.kind], f"on line {fault.other.line}"
    thread, block = (", ".join(map(str, place)) for place in (fault.thread, fault.block))
    yield "first", f"thread ({thread}) of block ({block})"
    if undecided(fault):
        yield "open", undecided(fault)


def stretch(fault: facts.Fault) -> ReachedRange | None:
    """None where no index leaves its range."""
    if fault.kind not in ("outside", "row"):
        return None
    width = 1 if fault.kind == "row" else fault.element_bytes or 1
    unit = "byte" if fault.kind == "outside" and not fault.element_bytes else "element"
    return ReachedRange(unit, fault.low // width, fault.high // width, fault.size // width)
