"""Loads of which a loop only hands on the last one, or that it carries to its next iteration as it
does the one before it.

In: the walk of a kernel, which values are needed, and what reads them. Out: risks by access site.
LLVM makes what only the code behind a loop needs behind it, and one load of the selected address of
two that are all that a value may be. Measured on nvcc 13's machine code for sm_90: `for (…) v = x[i
+ k]; o[i] = v;` loads once, behind the loop, or in one copy of each unrolled turn where the loop
writes; `p = x[i]; for (…) { s += p; p = x[i + k]; }` has no load on the first line, nor with `x[i]
* 2` and `x[i + k] * 2`. Loads stay where the value has another use or is a vector of several needed
members, where something is written or waits between a load and the end of its straight code, or a
branch in the loop decides. The iterations that a loop unrolled by two, or of a known count, leaves
over are straight code: in `for (…) { s += x[i + k]; if (k % 4 == 3) o[k] = s; }` the last load is
made behind the last test, or not at all where the test is known to fail. Of others, which leave a
loop, only what the next iteration alone needs is not made in the last one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from kernlint.ir import nodes as ir
from kernlint.optimizer.compiler_facts import Risk
from kernlint.optimizer.compiler_forms import atoms_apart, parts_apart
from kernlint.optimizer.compiler_state import Path, stayed
from kernlint.optimizer.compiler_uses import USE, Readers, Uses
from kernlint.optimizer.compiler_walk import Walker
from kernlint.optimizer.compiler_widths import alone

LAST = "only what the last iteration loads is needed: the load may be made once, behind the loop, or in one copy of several"
CARRIED = "a loop carries a load to its next iteration, and one before the loop to its first: one load of the selected address may serve both"
LEFT_OVER = "in the last iterations, which the unrolled loop leaves over, a condition alone needs the value: the load may move behind it"
MOST_LEFT = 15  # iterations: nvcc unrolls by 16 at most
PHIS = ("carried", "after")
STAYING = ("join", "carried", "held", "stored", "exchange", "atomic")


def carried(walker: Walker, live: Uses, readers: Readers) -> Iterator[tuple[ir.AccessSite, Risk]]:
    """Loads of run-time loops that may be made elsewhere."""
    recorded = (
        {a for executions in walker.loaded.values() for _, numbers in executions for a in numbers}
        if walker.spans
        else ()
    )
    behind: dict[ir.Loop, Reached] = {}
    leaving: dict[tuple[ir.Loop, ir.MemoryObject | None], bool] = {}
    waiting: dict[Path, Reached] = {}
    for a, (place, _) in walker.makers.items() if walker.spans else ():
        entry = walker.log[place]
        loop = entry.path[-1].statement if entry.path else None
        if not isinstance(loop, ir.Loop) or loop not in walker.spans or not live.get(a):
            continue
        if loop not in behind:
            behind[loop] = Reached(partial(_needed_behind, walker, loop, readers))
        if (loop, entry.memory) not in leaving:
            leaving[loop, entry.memory] = _leaves(walker, loop, entry.memory)
        if entry.path not in waiting:
            waiting[entry.path] = Reached(partial(_waiting, walker, loop, entry.path, readers))
        if leaving[loop, entry.memory] and behind[loop].all_of(a):
            yield entry.site, Risk("sunk", False, (0, 1), LAST)
        elif a in recorded and loop.unroll != 1 and waiting[entry.path].all_of(a):
            trips = walker.constant_trips.get(loop, MOST_LEFT)
            yield (
                entry.site,
                Risk("sunk", False, (max(0, 1 - MOST_LEFT / max(trips, 1)), 1), LEFT_OVER),
            )
    for a, key in enumerate(walker.atoms.keys):
        if (
            key[0] in PHIS
            and isinstance(key[1], ir.Loop)
            and live.get(a)
            and key[1] in walker.spans
        ):
            for load in _one_of(walker, a, key[1], live, readers):
                yield (
                    walker.log[walker.makers[load][0]].site,
                    Risk("speculated", False, (0, 2), CARRIED),
                )


class Reached:
    """Whether something holds of a value and of all that is made of it. `step`: what is made of a
    value directly; None where it does not hold. What one value's look has found is kept for the
    next, so that each is looked at once."""

    def __init__(self, step: Callable[[int], list[int] | None]) -> None:
        self.step = step
        self.holds: set[int] = set()
        self.fails: set[int] = set()

    def all_of(self, a: int) -> bool:
        way: list[tuple[int, Iterator[int]]] = []  # to the value that is looked at
        seen: set[int] = set()
        pending: Iterator[int] | None = iter((a,))
        while pending is not None:
            b = next(pending, None)
            if b is None:
                pending = way.pop()[1] if way else None
            elif b not in seen and b not in self.holds:
                seen.add(b)
                made = None if b in self.fails else self.step(b)
                if made is None:
                    self.fails |= {b, *(value for value, _ in way)}
                    return False
                way.append((b, pending))
                pending = iter(made)
        self.holds |= seen
        return True


def _leaves(walker: Walker, loop: ir.Loop, memory: ir.MemoryObject | None) -> bool:
    """Whether a load of an object may leave its loop: it is unrolled, or writes nothing there."""
    span = walker.spans[loop]
    if loop.unroll != 1:
        return True
    written = {e.memory for e in walker.log[span.start : span.end] if e.store}
    return span.fences == span.fenced and not any(
        walker.memory.surely_meet(one, memory) for one in written
    )


def _needed_behind(walker: Walker, loop: ir.Loop, readers: Readers, a: int) -> list[int] | None:
    """What is made of a value within a loop, where nothing else needs it there."""
    made: list[int] = []
    for reader, _ in readers.get(a, ()):
        key = walker.atoms.keys[reader] if reader != USE else ()
        if not key or key[0] in STAYING:
            return None
        if key[:2] != ("after", loop):
            made.append(reader)
    return made


def _is_left_straight(walker: Walker, loop: ir.Loop) -> bool:
    """Whether what is left over of an unrolled loop is no loop."""
    return loop.unroll == 2 or loop in walker.few or loop in walker.constant_trips


def _waiting(
    walker: Walker, loop: ir.Loop, path: Path, readers: Readers, a: int
) -> list[int] | None:
    """What is made of a value of the last iteration that is needed under conditions of this
    iteration alone; in what is left over as a loop, which makes its loads before a condition, by
    the next one alone. None where it is needed otherwise."""
    straight = _is_left_straight(walker, loop)
    if a in walker.standing or any(
        not straight or len(use) <= len(path) or use[len(path)].condition is None
        for use in walker.uses.get(a, ())
    ):
        return None
    made: list[int] = []
    for reader, _ in readers.get(a, ()):
        key = walker.atoms.keys[reader] if reader != USE else ()
        if key[:2] == ("after", loop):
            return None
        if key and key[:2] != ("carried", loop):
            made.append(reader)
    return made


def _one_of(walker: Walker, a: int, loop: ir.Loop, live: Uses, readers: Readers) -> tuple[int, ...]:
    """The two loads, before the loop and in it, that a value of it is one of, or is made of in the
    same way; nothing else reads them."""
    forms = tuple(dict.fromkeys(walker.feeds.get(a, ())))
    pair = atoms_apart(*forms) if len(forms) == 2 else None
    above: set[int] | None = None
    while pair:
        reading = {reader for b in pair for reader, _ in readers.get(b, ())}
        if not (
            reading <= above
            if above is not None
            else all(_is_value_of(walker, b, a) for b in reading)
        ):
            return ()
        if all(b in walker.makers for b in pair):
            return (
                pair
                if all(alone(walker, b, live) and _ends_code(walker, b, loop) for b in pair)
                else ()
            )
        inner = parts_apart(walker.atoms, pair)
        above, pair = set(pair), atoms_apart(*inner) if inner else None
    return ()


def _is_value_of(walker: Walker, b: int, a: int) -> bool:
    """Whether `b` is what the same loop carries or leaves in the variable of `a`."""
    one, other = walker.atoms.keys[b] if b != USE else (), walker.atoms.keys[a]
    return bool(one) and one[0] in PHIS and one[1:3] == other[1:3]


def _ends_code(walker: Walker, load: int, loop: ir.Loop) -> bool:
    """Whether nothing is written, nor waits, between a load and the loop's beginning, or its
    iteration's end."""
    place, fences = walker.makers[load]
    path, span = walker.log[place].path, walker.spans[loop]
    steps = [i for i, step in enumerate(path) if step.statement is loop]
    until, fenced = (span.end, span.fenced) if steps else (span.start, span.fences)
    decided = bool(steps) and not all(map(stayed, path[steps[0] + 1 :]))
    return (
        not decided and fences == fenced and not any(e.store for e in walker.log[place + 1 : until])
    )
