"""What can be said of a loop before it runs: its induction variables and whether one evaluation of
its body serves all iterations.

In: an `ir.Loop` and the slice. Out: `Plan`. A loop is *regular* when every needed variable that it
assigns is either an induction variable (one unconditional `v = v ± invariant`) or a temporary
(assigned before it is read in each iteration, not read after the loop), nothing leaves it but its
condition, and it does not both read and write memory whose contents matter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import TypeGuard

from kernlint.base.dataclass import dataclass, replace
from kernlint.execution.loops.advances import StagePlace, advances, placements
from kernlint.execution.loops.uniform_recurrences import uniform_recurrences
from kernlint.execution.slicing import Slice
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import bodies, constant_value, reads, targets, walk, walk_expression
from kernlint.ir.types import Pointer
from kernlint.lowering.statements.steps import step


@dataclass(frozen=True, slots=True)
class Induction:
    variable: ir.Variable
    step: ir.Expression  # invariant; subtracted when `descending`
    descending: bool
    statement: ir.Assign
    in_body: bool  # assigned in the body (at its top level) rather than in the step
    reread: bool = False  # the rest of the iteration reads what it was set to


@dataclass(frozen=True, slots=True)
class Plan:
    inductions: tuple[Induction, ...]
    # needed variables assigned anywhere in the loop, in the order of the program
    assigned: tuple[ir.Variable, ...]
    regular: bool
    # what alone stands in the way: variables that an iteration reads as the one before left them
    turning: frozenset[ir.Variable]
    # else regular, but rewrites contents that matter, with no constants, in these memory spaces
    # ("": any)
    rewrites: frozenset[str]
    writes_memory: bool
    left_early: bool  # by more than its condition
    advances: Mapping[ir.Variable, int]  # what the loop only adds to, in multiples of a number
    placements: Mapping[ir.Variable, StagePlace]  # what it sets to places on a grid
    # what every iteration leaves in a variable, made of nothing that the loop assigns
    resets: Mapping[ir.Variable, ir.Expression]
    # what lanes may share, and what decides it
    uniform: Mapping[ir.Variable, frozenset[ir.Variable]]

    @property
    def ends(self) -> frozenset[ir.Statement]:
        """Updates that nothing reads before the iteration ends."""
        return frozenset(i.statement for i in self.inductions if not i.reread)


def _induction(s: ir.Assign, assigned: set[ir.Variable], in_body: bool) -> Induction | None:
    found = step(s)
    if found is None or not _is_fixed(found.amount, assigned):
        return None
    return Induction(s.variable, found.amount, found.descending, s, in_body)


def _top_level(body: ir.Body) -> list[ir.Statement]:
    """The statements that every iteration runs, regions looked into where no lane leaves them
    early."""
    found: list[ir.Statement] = []
    for s in body:
        if isinstance(s, ir.Region) and not any(
            isinstance(x, ir.Leave) and x.label is s.label for x in walk(s.body)
        ):
            found += _top_level(s.body)
        else:
            found.append(s)
    return found


ReadsBy = Callable[[ir.Statement], frozenset[ir.Variable]]


def plan(
    loop: ir.Loop, slice_: Slice, read_outside: Callable[[ir.Variable], bool], reads_by: ReadsBy
) -> Plan:
    """`read_outside`: whether statements outside the loop read a variable; `reads_by`: by a
    statement itself."""
    inner = [*walk(loop.header), *walk(loop.body), *walk(loop.step)]
    counts = Counter(t for s in inner for t in targets(s) if t in slice_.variables)
    assigned = set(counts)
    labels = {s.label for s in inner if isinstance(s, (ir.Region, ir.Loop))}
    leaves = any(
        isinstance(s, ir.Trap) or (isinstance(s, ir.Leave) and s.label not in labels) for s in inner
    )
    inductions = []
    for in_body, statements in ((False, _top_level(loop.step)), (True, _top_level(loop.body))):
        for s in statements:
            if isinstance(s, ir.Assign) and counts.get(s.variable) == 1:
                found = _induction(s, assigned, in_body)
                if found is not None:
                    inductions.append(found)
    own = {i.variable for i in inductions}
    temporaries = assigned - own
    carries = carried(loop, temporaries, reads_by)
    inductions = [_with_readers(i, loop, reads_by) for i in inductions]
    tested_alone = loop.condition is not None and not leaves
    only_assigns = all(isinstance(s, ir.Assign) for s in loop.header)
    header_first = only_assigns and not (loop.post_test and loop.header)
    straight = tested_alone and header_first
    kept = carries | frozenset(filter(read_outside, temporaries))
    plain = straight and not kept
    carried_by_memory = _memory_carried(inner, slice_)
    unknown = plain and carried_by_memory and not any(map(_stores_constant, inner))
    rewrites = (
        frozenset(map(_written_space, filter(_writes, inner))) if unknown else frozenset[str]()
    )
    regular = plain and not carried_by_memory
    return Plan(
        tuple(inductions),
        tuple(counts),
        regular,
        carries if straight and kept == carries and not carried_by_memory else frozenset(),
        rewrites,
        any(map(_writes, inner)),
        leaves,
        advances(inner),
        placements(inner, assigned),
        _resets(loop, assigned),
        uniform_recurrences(loop.header, loop.body, loop.step),
    )


def _resets(loop: ir.Loop, assigned: set[ir.Variable]) -> dict[ir.Variable, ir.Expression]:
    """The last assignments to variables that every iteration runs: `w = t;` behind all else that
    moves w on."""
    found: dict[ir.Variable, ir.Expression] = {}
    later: set[ir.Variable] = set()
    for s in reversed((*_top_level(loop.body), *_top_level(loop.step))):
        if isinstance(s, ir.Assign) and s.variable not in later and _is_fixed(s.value, assigned):
            found[s.variable] = s.value
        later |= {t for inner in walk((s,)) for t in targets(inner)}
    return found


def _is_fixed(e: ir.Expression, assigned: set[ir.Variable]) -> bool:
    """Whether the value is the same in all iterations of a loop that assigns these variables."""
    impure = any(isinstance(x, ir.Unknown) and not x.pure for x in walk_expression(e))
    return not impure and reads(e).isdisjoint(assigned)


def _writes(s: ir.Statement) -> TypeGuard[ir.Store | ir.Atomic | ir.Copy | ir.Clobber]:
    return isinstance(s, (ir.Store, ir.Atomic, ir.Copy, ir.Clobber))


def _stores_constant(s: ir.Statement) -> bool:
    values = [value for _, value in s.values] if isinstance(s, ir.Store) else []
    return any(isinstance(constant_value(value), int) for value in values)


def assigned_anew(body: ir.Body) -> Mapping[ir.Loop, frozenset[ir.Variable]]:
    """Of each loop within another: the variables that every iteration of the loop around it surely
    assigns before it. Any other variable comes to it with the value that the iteration before
    left."""
    found: dict[ir.Loop, frozenset[ir.Variable]] = {}
    _note_assigned(body, None, found)
    return found


def _note_assigned(
    body: ir.Body, fresh: set[ir.Variable] | None, found: dict[ir.Loop, frozenset[ir.Variable]]
) -> None:
    """`fresh`: what is assigned since the iteration of the loop around `body` began; None outside
    loops."""
    for s in body:
        if isinstance(s, ir.Loop) and fresh is not None:
            found[s] = frozenset(fresh)
        for inner in bodies(s):
            _note_assigned(
                inner,
                set() if isinstance(s, ir.Loop) else None if fresh is None else set(fresh),
                found,
            )
        if fresh is not None:
            fresh.update(targets(s))


def _memory_carried(inner: list[ir.Statement], slice_: Slice) -> bool:
    """Whether an iteration may read contents that matter and that the loop writes, or the loop
    writes them in several places, of which an axis would run each for all iterations before the
    next."""
    writes = list(filter(_writes, inner))
    if not slice_.objects or not writes:
        return False
    if any(
        isinstance(s, ir.Load) and any(t in slice_.variables for t in targets(s)) for s in inner
    ):
        return True
    spaces = {"", *(object_.space for object_ in slice_.objects)}
    return sum(_written_space(s) in spaces for s in writes) > 1


def _written_space(s: ir.Store | ir.Atomic | ir.Copy | ir.Clobber) -> str:
    """The memory space of what `s` writes, "" when it may be any."""
    if isinstance(s, ir.Clobber):
        return ""
    type_ = (s.destination if isinstance(s, ir.Copy) else s.address).type
    return type_.space if isinstance(type_, Pointer) else ""


def _with_readers(induction: Induction, loop: ir.Loop, reads_by: ReadsBy) -> Induction:
    """With whether it is read later in the iteration that updates it in its body."""
    if not induction.in_body:
        return induction
    flat = _top_level(loop.body)
    position = next(i for i, s in enumerate(flat) if s is induction.statement)
    later = walk((*flat[position + 1 :], *loop.step))
    return replace(induction, reread=any(induction.variable in reads_by(s) for s in later))


def carried(
    loop: ir.Loop, temporaries: Collection[ir.Variable], reads_by: ReadsBy
) -> frozenset[ir.Variable]:
    """The temporaries that may be read before they are assigned in an iteration."""
    left = frozenset(s.label for s in walk((loop,)) if isinstance(s, ir.Leave))
    finding = _Early(frozenset(temporaries), reads_by, left)
    defined: set[ir.Variable] = set()
    finding.run(loop.header, defined)
    if loop.condition is not None:
        finding.found |= (reads(loop.condition) & finding.temporaries) - defined
    finding.run(loop.body, defined)
    finding.run(loop.step, defined)
    return frozenset(finding.found)


class _Early:
    """`found`: those of the temporaries that are read where they are not surely assigned; `left`:
    labels that something leaves to."""

    def __init__(
        self,
        temporaries: frozenset[ir.Variable],
        reads_by: ReadsBy,
        left: frozenset[ir.Label],
    ) -> None:
        self.temporaries, self.reads_by, self.left = temporaries, reads_by, left
        self.found: set[ir.Variable] = set()

    def run(self, body: ir.Body, defined: set[ir.Variable]) -> None:
        """Adds to `defined` the temporaries that `body` surely assigns."""
        for s in body:
            self.found |= (self.reads_by(s) & self.temporaries) - defined
            if isinstance(s, ir.If):
                then, otherwise = set(defined), set(defined)
                self.run(s.then, then)
                self.run(s.otherwise, otherwise)
                # lanes that left a branch no longer run, so only branches that fall through must define
                defined |= (
                    then & otherwise
                    if not _always_leaves(s.then) and not _always_leaves(s.otherwise)
                    else otherwise
                    if _always_leaves(s.then)
                    else then
                )
            else:
                for inner in bodies(s):
                    scope = set(defined)
                    self.run(inner, scope)
                    if isinstance(s, ir.Region) and s.label not in self.left:
                        defined |= scope
                    elif isinstance(s, ir.Region):
                        defined |= _surely(s.body) & self.temporaries
            defined |= self.temporaries.intersection(targets(s))


def _surely(body: ir.Body) -> set[ir.Variable]:
    """Variables assigned before the first statement that may leave."""
    found: set[ir.Variable] = set()
    for s in body:
        if any(isinstance(x, (ir.Leave, ir.Trap)) for x in walk((s,))):
            return found
        found |= set(targets(s))
    return found


def _always_leaves(body: ir.Body) -> bool:
    return any(isinstance(s, (ir.Leave, ir.Trap)) for s in body)
