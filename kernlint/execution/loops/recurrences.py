"""The part of a loop that moves small states on: stage numbers, toggles, offsets that are advanced
and restored, pointers that are swapped.

In: an `ir.Loop` and the variables that it moves by a fixed step. Out: `Recurrence`: the variables
that an iteration leaves to the next and that nothing but they themselves and what the loop does not
change decides, with the statements that make them. Nothing is run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping

from kernlint.base import deadline
from kernlint.base.dataclass import dataclass
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import bodies, reads, targets, unconverted, walk, walk_expression

Variables = frozenset[ir.Variable]
NONE: Variables = frozenset()
# the variables of the conditions under which lanes leave from a statement of a body to its end
_Jumps = dict[tuple[ir.Label, ir.Statement], Variables]
NO_LABELS: frozenset[ir.Label] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Recurrence:
    """`body`: an iteration, without its test, as far as it makes the `carried` variables. `period`:
    they use counters only through remainders that repeat after so many iterations."""

    carried: tuple[ir.Variable, ...]
    body: ir.Body
    period: int


def recurrence(
    loop: ir.Loop,
    counters: Collection[ir.Variable],
    carried_of: Callable[[Collection[ir.Variable]], Variables],
    excluded: Variables = NONE,
) -> Recurrence | None:
    """`counters`: what the loop moves by a fixed step; `carried_of`: of which variables an iteration
    may read what the one before left; `excluded`: variables that are not to be followed."""
    parts = (loop.body, loop.step, loop.header) if loop.post_test else (
        loop.header, loop.body, loop.step
    )  # fmt: skip
    whole = tuple(s for part in parts for s in part)
    deciders: dict[ir.Variable, set[ir.Variable]] = {}
    opaque = set(excluded)
    deadline.look()
    _note(whole, NONE, deciders, opaque, _jumps(whole))
    closed = _closed(deciders, opaque)
    candidates = [v for v in deciders if v in closed and v not in counters]
    kept = carried_of(candidates)
    carried = [v for v in candidates if v in kept]
    if not carried:
        return None
    needed = _made_of(carried, deciders)
    periods: list[int] = []
    for s in walk(whole):
        made = targets_in(s) & needed
        for e in _decided_by(s, counters) if made else ():
            period = _period(e, counters)
            if period is None:
                return recurrence(loop, counters, carried_of, excluded | made)
            periods.append(period)
    body = _kept(whole, needed | frozenset(counters), NO_LABELS)
    return Recurrence(tuple(carried), body, math.lcm(*periods))


def targets_in(s: ir.Statement) -> Variables:
    """The variables that a statement or anything within it assigns."""
    return frozenset(t for inner in walk((s,)) for t in targets(inner))


def _note(
    body: ir.Body,
    control: Variables,
    deciders: dict[ir.Variable, set[ir.Variable]],
    opaque: set[ir.Variable],
    jumps: _Jumps,
) -> None:
    """Enters what decides each variable that is assigned: what it is made of, and the conditions
    (`control`) under which that is done. `opaque`: what is made of more than variables."""
    for s in body:
        if isinstance(s, ir.Assign):
            impure = any(isinstance(x, ir.Unknown) and not x.pure for x in walk_expression(s.value))
            opaque |= {s.variable} if impure else set()
            deciders.setdefault(s.variable, set()).update(reads(s.value) | control)
            continue
        opaque.update(targets(s))
        inner = control
        if isinstance(s, ir.If):
            inner |= reads(s.condition)
        elif isinstance(s, ir.Loop):
            inner |= reads(s.condition) if s.condition is not None else NONE
            inner |= _union(jumps.get((s.label, one), NONE) for one in s.body)
        elif isinstance(s, ir.Region):
            _note_region(s, control, deciders, opaque, jumps)
            continue
        for part in bodies(s):
            _note(part, inner, deciders, opaque, jumps)


def _note_region(
    region: ir.Region,
    control: Variables,
    deciders: dict[ir.Variable, set[ir.Variable]],
    opaque: set[ir.Variable],
    jumps: _Jumps,
) -> None:
    """What stands behind a jump to the region's end, or around it, is decided by its condition."""
    for s in region.body:
        control |= jumps.get((region.label, s), NONE)
        _note((s,), control, deciders, opaque, jumps)


def _jumps(body: ir.Body) -> _Jumps:
    """The conditions under which lanes leave for the end of each region and loop."""
    found: _Jumps = {}
    _find_jumps(body, (), {}, found)
    return found


def _find_jumps(
    body: ir.Body,
    conditions: tuple[ir.Expression, ...],
    around: dict[ir.Label, tuple[ir.Statement, int]],
    found: _Jumps,
) -> None:
    """`conditions`: of the branches around; `around`: for each label, the statement of its body that
    this lies in, and how many conditions stand outside."""
    for s in body:
        if isinstance(s, ir.Leave) and s.label in around:
            top, depth = around[s.label]
            decided = _union(map(reads, conditions[depth:]))
            found[s.label, top] = found.get((s.label, top), NONE) | decided
        elif isinstance(s, ir.If):
            for part in bodies(s):
                _find_jumps(part, (*conditions, s.condition), around, found)
        elif isinstance(s, (ir.Region, ir.Loop)):
            for one in s.body:
                inside = {**around, s.label: (one, len(conditions))}
                _find_jumps((one,), conditions, inside, found)
            for part in (s.header, s.step) if isinstance(s, ir.Loop) else ():
                _find_jumps(part, conditions, around, found)


def _union(sets: Iterable[Collection[ir.Variable]]) -> Variables:
    return frozenset[ir.Variable]().union(*sets)


def _closed(
    deciders: Mapping[ir.Variable, set[ir.Variable]], opaque: set[ir.Variable]
) -> Variables:
    """The variables that nothing opaque decides."""
    open_ = set(opaque)
    grew = True
    while grew:
        fresh = {v for v, by in deciders.items() if v not in open_ and not by.isdisjoint(open_)}
        open_ |= fresh
        grew = bool(fresh)
    return frozenset(deciders.keys() - open_)


def _made_of(
    wanted: Collection[ir.Variable], deciders: Mapping[ir.Variable, set[ir.Variable]]
) -> Variables:
    found, pending = set[ir.Variable](), set(wanted)
    while pending:
        found |= pending
        pending = set().union(*(deciders.get(v, set()) for v in pending)) - found
    return frozenset(found & deciders.keys())


def _kept(body: ir.Body, needed: Variables, labels: frozenset[ir.Label]) -> ir.Body:
    """The statements that assign what is needed, with those around them and the jumps to the end of
    one of these. Lanes that leave the loop take no part in what follows."""
    found: list[ir.Statement] = []
    for s in body:
        if isinstance(s, ir.Assign):
            found += [s] if s.variable in needed else []
        elif isinstance(s, ir.Leave):
            found += [s] if s.label in labels else []
        elif isinstance(s, ir.If):
            then, otherwise = (_kept(part, needed, labels) for part in (s.then, s.otherwise))
            if then or otherwise:
                found.append(ir.If(s.condition, then, otherwise, s.site, s.kept))
        elif needed.isdisjoint(targets_in(s)):
            continue
        elif isinstance(s, ir.Region):
            last = max(i for i, x in enumerate(s.body) if not needed.isdisjoint(targets_in(x)))
            before = _kept(s.body[: last + 1], needed, labels | {s.label})
            found.append(ir.Region(s.label, before))
        elif isinstance(s, ir.Loop):
            header, inner, step = (
                _kept(part, needed, labels | {s.label}) for part in (s.header, s.body, s.step)
            )
            found.append(
                ir.Loop(s.label, header, s.condition, inner, step, s.site, s.post_test, s.unroll)
            )
    return tuple(found)


def _decided_by(s: ir.Statement, counters: Collection[ir.Variable]) -> list[ir.Expression]:
    """The expressions of a statement that decide what is carried; a counter's own step does not."""
    if isinstance(s, ir.Assign):
        return [] if s.variable in counters else [s.value]
    if isinstance(s, ir.If):
        return [s.condition]
    return [s.condition] if isinstance(s, ir.Loop) and s.condition is not None else []


def _period(e: ir.Expression, counters: Collection[ir.Variable]) -> int | None:
    """After how many steps of the counters the value repeats; None where it need not. A counter is
    taken to rise from zero or more (the caller sees to that)."""
    if reads(e).isdisjoint(counters):
        return 1
    if isinstance(e, ir.Binary) and e.op in ("%", "&") and isinstance(e.right, ir.Constant):
        value, part = e.right.value, _divisor(e.left)
        if part is not None and isinstance(value, int) and value > 0:
            return part * (value if e.op == "%" else 1 << value.bit_length())
    parts = _operands(e)
    periods = [p for x in parts if (p := _period(x, counters)) is not None]
    return math.lcm(*periods) if parts and len(periods) == len(parts) else None


def _divisor(e: ir.Expression) -> int | None:
    """What a linear combination of counters is divided by; None for other expressions."""
    e = unconverted(e)
    if isinstance(e, (ir.Read, ir.Constant, ir.Builtin)):
        return 1
    if not isinstance(e, ir.Binary):
        return None
    value = e.right.value if isinstance(e.right, ir.Constant) else None
    if e.op in ("/", ">>") and isinstance(value, int) and 0 < value < 32 * 32:
        below = _divisor(e.left)
        return None if below is None else below * (value if e.op == "/" else 1 << value)
    if e.op in ("+", "*") and _divisor(e.left) == _divisor(e.right) == 1:
        return 1
    return None


def _operands(e: ir.Expression) -> list[ir.Expression]:
    if isinstance(e, ir.Binary):
        return [e.left, e.right]
    if isinstance(e, (ir.Convert, ir.Unary)):
        return [e.operand]
    return [e.condition, e.then, e.otherwise] if isinstance(e, ir.Select) else []
