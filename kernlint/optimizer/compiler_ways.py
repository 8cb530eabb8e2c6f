"""Ways through branches and jumps: where they part, which meet at the end of a region, and what is
known there.

In: the ways and states at the ends of arms and jumps. Out: the way that goes on, and the entries
that every way leaves. Pure functions.
"""

from __future__ import annotations

from kernlint.ir import nodes as ir
from kernlint.optimizer.compiler_entries import completed
from kernlint.optimizer.compiler_live import Live, State
from kernlint.optimizer.compiler_state import Entry, Path, Step


def rest(ways: list[Path], behind: Step) -> Path:
    """The way from the end of a region that others pass by: what those that reach it have in
    common, then `behind` it if they are not all that there are."""
    common = 0
    while all(len(way) > common and way[common] == ways[0][common] for way in ways):
        common += 1
    return ways[0][:common] if _covered(ways, common) else (*ways[0][:common], behind)


def parting(a: Path, b: Path) -> ir.If | None:
    """The branch that surely stays one, of whose two arms the ways are."""
    one, other = next(((x, y) for x, y in zip(a, b, strict=False) if x != y), (None, None))
    s = (
        one.statement
        if one is not None and other is not None and one.statement is other.statement
        else None
    )
    return s if isinstance(s, ir.If) and s.kept else None


def written(one: State, ends: list[State], before: Live) -> Live:
    """What is known at the end of a way, with what another way to the same place makes, too, but
    may overwrite."""
    others = [x for x in ends if x is not one]
    touched = dict.fromkeys(number for x in ends for number in x.entries.since(before))
    known = (one.entries.all[number] for number in touched if number in one.entries.all)
    lost = [e for e in known if any(_overwrites(x, e) for x in others)]
    entries = one.entries.freeze().own() if lost else one.entries
    for e in lost:
        entries.change(e, completed(e))
    return entries


def _overwrites(end: State, e: Entry) -> bool:
    return e.number not in end.entries.all and end.path[: len(e.path)] == e.path


def _covered(ways: list[Path], depth: int) -> bool:
    """Whether every way from some place on is one of these, of which that many steps lie before
    it."""
    if any(len(way) == depth for way in ways):
        return True
    s = ways[0][depth].statement
    arms = [
        [way for way in ways if way[depth].statement is s and way[depth].side == side]
        for side in (True, False)
    ]
    return isinstance(s, ir.If) and all(arm and _covered(arm, depth + 1) for arm in arms)


def leaves(s: ir.If) -> bool:
    return any(arm and isinstance(arm[-1], ir.Leave) for arm in (s.then, s.otherwise))
