"""Which barriers all threads of a block come to together, decided by what conditions are made of.

In: a lowered body. Out: for each barrier, shuffle and vote the branch that lets some threads pass
and not others, and what differs between them there. Values are not computed: a condition is
uniform where it is made of constants, arguments, sizes and what a whole block reads or votes alike
(divergence analysis: Karrenberg and Hack, Whole-Function Vectorization, CGO 2011). Threads that
have returned come to no barrier.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping

from kernlint.base.dataclass import dataclass, field
from kernlint.execution.synchronisation.variable_flow import VariableFlow
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import (
    bodies,
    expressions,
    operands,
    read_by,
    targets,
    unconverted,
    walk_expression,
)
from kernlint.ir.types import Pointer

# what a value differs by between threads, as bits: their index, what they load, something that is
# not followed; BLOCK: between blocks alone, WARP: between the warps of a block alone
INDEX, DATA, OTHER, BLOCK, WARP = 1, 2, 4, 8, 16
WITHIN = INDEX | DATA | OTHER
WITHIN_BLOCK = WITHIN | WARP
APART = BLOCK | WARP
# beside these, by which axes of their index: threads that agree in them have one value
AXES = {"tid.x": 32, "tid.y": 64, "tid.z": 128}
EVERY_AXIS = sum(AXES.values())
# and whether it is read where a call that is not followed may have written: of values alone
CHANGED = 256
_OF_THREAD = ("tid.x", "tid.y", "tid.z", "laneid", "warpid")


@dataclass(frozen=True, slots=True)
class Cause:
    """A branch on which threads differ, and by what."""

    site: ir.BranchSite
    by: int


@dataclass(frozen=True, slots=True)
class EarlyReturn:
    """A branch under which threads return, and whether they may have waited at a barrier before."""

    cause: Cause
    waited: bool


@dataclass(frozen=True, slots=True)
class HeldTest:
    """A comparison that holds on one side of a branch, and what each of its sides differs by between
    threads."""

    operator: str
    sides: tuple[ir.Expression, ir.Expression]
    by: tuple[int, int]


@dataclass(slots=True)
class Reached:
    """How threads come to a barrier: the branches that part them, outermost first, those under
    which some have returned before, and what the arguments of a collective copy differ by."""

    causes: tuple[Cause, ...] = ()
    returned: tuple[EarlyReturn, ...] = ()
    arguments: int = 0

    def by(self, scope: int) -> int:
        found = 0
        for cause in self.causes:
            found |= cause.by & scope
        return found

    def first(self, scope: int) -> Cause | None:
        """The outermost branch that parts threads by their index or by data."""
        known = scope & ~OTHER
        return next((cause for cause in self.causes if cause.by & known), None)


def reached(
    kernel: ir.Kernel, flat: frozenset[str] = frozenset(), row_lanes: int = 0
) -> Mapping[ir.BarrierSite, Reached]:
    """By barrier, shuffle and vote. `flat`: built-in values that are 0 in every thread.
    `row_lanes`: lanes of a warp where tid.x alone numbers the threads of a block, else 0."""
    return _analysed(kernel, flat, row_lanes).found


def stored(kernel: ir.Kernel) -> Mapping[ir.AccessSite, int]:
    """By store, what the values that it writes differ by."""
    return _analysed(kernel, frozenset(), 0).stored


def compared(kernel: ir.Kernel) -> Mapping[ir.If, tuple[HeldTest, ...]]:
    """By branch that rests on what threads load, the comparisons that its condition joins by `&&`."""
    return _analysed(kernel, frozenset(), 0).compared


def common(kernel: ir.Kernel) -> Mapping[str, frozenset[ir.If]]:
    """The branches whose condition is the same for all threads of a "block" or of the "grid", as
    far as none of them writes what it reads."""
    analysis = _analysed(kernel, frozenset(), 0)
    made_of = analysis.branches
    of_block = frozenset(s for s, differs in made_of.items() if not differs & ~BLOCK)
    return {"block": of_block, "grid": frozenset(s for s in of_block if not made_of[s])}


def _analysed(kernel: ir.Kernel, flat: frozenset[str], row_lanes: int) -> _Analysis:
    analysis = _Analysis(kernel.label, flat, row_lanes, _homes(kernel.body))
    while analysis.changed:
        analysis.once(kernel.body)
    return analysis


def _homes(body: ir.Body) -> Mapping[ir.Variable, int]:
    """Of each variable, how many branches, loops and regions, one in another, hold all that reads and
    assigns it: threads that are not in them do not see what it is there."""
    found: dict[ir.Variable, tuple[int, ...]] = {}
    pending: list[tuple[ir.Body, tuple[int, ...]]] = [(body, ())]
    number = 0
    while pending:
        inside, path = pending.pop()
        for s in inside:
            own, parts = path, bodies(s)
            if isinstance(s, ir.Loop):  # one part, to which its condition belongs
                own, parts = (*path, number + 1), ((*s.header, *s.body, *s.step),)
            for part in parts:
                number += 1
                pending.append((part, (*path, number)))
            for variable in {*targets(s), *read_by(s)}:
                found[variable] = _common(found.get(variable, own), own)
    return {variable: len(path) for variable, path in found.items()}


def _common(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    """Where two paths have parted, no number behind is equal."""
    both = range(min(len(one), len(other)))
    return one[: bisect_left(both, True, key=lambda i: one[i] != other[i])]


@dataclass(slots=True)
class _Analysis:
    """Grows until nothing changes. `exits`: labels that some lanes, and not others, have left to
    so far; `waits`: barriers of the block so far; `back`: returns of a loop's earlier iterations;
    `branches`: what the conditions of branches differ by, `tests` those of loops;
    `numbers`: of each variable whether all that it is assigned is tid.x; `homes`: `_homes`;
    `depth`: of the branches, loops and regions around; `depths`: at which those of `around` are,
    `regions`: at which lanes leave to a label."""

    label: ir.Label
    flat: frozenset[str]
    row_lanes: int
    homes: Mapping[ir.Variable, int]
    depth: int = 0
    depths: list[int] = field(default_factory=list)
    regions: dict[ir.Label, int] = field(default_factory=dict)
    numbers: dict[ir.Variable, bool] = field(default_factory=dict)
    values: VariableFlow = field(default_factory=VariableFlow)
    branches: dict[ir.If, int] = field(default_factory=dict)
    tests: dict[ir.Label, int] = field(default_factory=dict)
    compared: dict[ir.If, tuple[HeldTest, ...]] = field(default_factory=dict)
    objects: dict[ir.MemoryObject, int] = field(default_factory=dict)
    pointing: set[ir.Variable] = field(default_factory=set)  # to shared memory
    rewritten: set[ir.MemoryObject | None] = field(default_factory=set)  # by calls; None: any
    shared: int = 0  # BLOCK, once what blocks put into their shared memory may differ
    left: dict[ir.Label, Cause] = field(default_factory=dict)  # of loops, by their lanes' breaks
    found: dict[ir.BarrierSite, Reached] = field(default_factory=dict)
    stored: dict[ir.AccessSite, int] = field(default_factory=dict)
    changed: bool = True
    around: list[Cause] = field(default_factory=list)
    exits: dict[ir.Label, Cause] = field(default_factory=dict)
    entered: dict[ir.Label, int] = field(default_factory=dict)
    back: dict[ir.Label, tuple[EarlyReturn, ...]] = field(default_factory=dict)
    returned: tuple[EarlyReturn, ...] = ()
    waits: int = 0

    def once(self, body: ir.Body) -> None:
        self.changed, self.returned, self.waits = False, (), 0
        self.values.begin()
        self._body(body)
        self.changed |= self.values.grown

    # ---------------------------------------------------------------- control

    def _body(self, body: ir.Body) -> None:
        for s in body:
            self._statement(s)

    def _statement(self, s: ir.Statement) -> None:
        if isinstance(s, ir.If):
            self._branch(s)
        elif isinstance(s, ir.Loop):
            self._loop(s)
        elif isinstance(s, ir.Region):
            self._scope(s.label, s.body)
        elif isinstance(s, ir.Leave):
            self._leave(s.label)
        else:
            self._plain(s)

    def _branch(self, s: ir.If) -> None:
        self.branches[s] = self.of(s.condition)
        by = self.branches[s] & ~CHANGED
        if by & (DATA | OTHER):
            self.compared[s] = tuple(self._comparisons(s.condition))
        self.values.fork()
        self._under(s.site, by, s.then)
        self.values.turn()
        self._under(s.site, by, s.otherwise)
        self.values.join()

    def _comparisons(self, condition: ir.Expression) -> Iterator[HeldTest]:
        e = unconverted(condition)
        if not isinstance(e, ir.Binary):
            return
        if e.op == "&&":
            yield from self._comparisons(e.left)
            yield from self._comparisons(e.right)
            return
        yield HeldTest(e.op, (e.left, e.right), (self.of(e.left), self.of(e.right)))

    def _under(self, site: ir.BranchSite, by: int, body: ir.Body) -> None:
        self.depth += 1
        if by:
            self.around.append(Cause(site, by))
            self.depths.append(self.depth)
        self._body(body)
        if by:
            self.around.pop()
            self.depths.pop()
        self.depth -= 1

    def _loop(self, s: ir.Loop) -> None:
        before = self.left.get(s.label)
        if before is not None:
            self.exits[s.label] = before
        self._enter(s.label)
        waits, returned = self.waits, self.returned
        self.returned = _joined(returned, self.back.get(s.label, ()))
        self.values.enter(s.label, True)
        self._iteration(s)
        self.values.leave_region(s.label, True)
        self._come_round(s, returned, self.waits > waits)
        after = self.exits.pop(s.label, None)
        if after is not None and before is None:
            self.left[s.label], self.changed = after, True

    def _iteration(self, s: ir.Loop) -> None:
        inside = (*s.body, *s.step)
        if s.post_test:
            self._under(s.site, self.tests.get(s.label, 0), (*inside, *s.header))
            self._test(s)
        else:
            self._under(s.site, self.tests.get(s.label, 0), s.header)
            self._test(s)
            self._under(s.site, self.tests[s.label], inside)

    def _test(self, s: ir.Loop) -> None:
        """The loop ends here for threads that its condition does not hold for."""
        by = 0 if s.condition is None else self.of(s.condition) & ~CHANGED
        before = self.tests.get(s.label, 0)
        self.tests[s.label] = before | by
        self.changed |= by | before != before
        if s.condition is not None:
            self.values.leave(s.label)

    def _come_round(self, s: ir.Loop, before: tuple[EarlyReturn, ...], waits: bool) -> None:
        """What has happened in a loop has happened before its next iteration."""
        outside = {x.cause.site for x in before}
        mine = tuple(
            EarlyReturn(x.cause, x.waited or (waits and x.cause.site not in outside))
            for x in self.returned
        )
        known = self.back.get(s.label, ())
        self.back[s.label] = self.returned = mine
        self.changed |= [(x.cause.site, x.waited) for x in known] != [
            (x.cause.site, x.waited) for x in mine
        ]

    def _scope(self, label: ir.Label, body: ir.Body) -> None:
        self._enter(label)
        self.values.enter(label, False)
        self.depth += 1
        self._body(body)
        self.depth -= 1
        self.values.leave_region(label, False)
        self.exits.pop(label, None)

    def _enter(self, label: ir.Label) -> None:
        self.entered[label], self.regions[label] = len(self.around), self.depth + 1

    def _leave(self, label: ir.Label) -> None:
        self._note_leaving(label)
        self.values.leave(label)
        self.values.dead = True

    def _note_leaving(self, label: ir.Label) -> None:
        if label is self.label:
            causes = (*reversed(self.around), *self.exits.values())
            cause = next((c for c in causes if c.by & WITHIN_BLOCK), None)
            if cause is not None:
                self.returned = _joined(self.returned, (EarlyReturn(cause, self.waits > 0),))
            return
        within = self.around[self.entered.get(label, 0) :]
        inner = [cause for at, cause in self.exits.items() if self._is_inside(at, label)]
        first = next(iter((*within, *inner)), None)
        if first is not None:
            self.exits.setdefault(label, first)

    def _is_inside(self, inner: ir.Label, outer: ir.Label) -> bool:
        return self.entered.get(inner, 0) > self.entered.get(outer, 0)

    def _causes(self) -> tuple[Cause, ...]:
        return (*self.around, *self.exits.values())

    def _control(self, home: int = 0) -> int:
        """What the threads that come here differ by from others; `home`: from those in the same
        branches and regions up to this depth."""
        found = 0
        for cause, depth in zip(self.around, self.depths, strict=True):
            found |= cause.by if depth > home else 0
        for label, cause in self.exits.items():
            found |= cause.by if self.regions[label] > home else 0
        return found

    # ---------------------------------------------------------------- statements

    def _plain(self, s: ir.Statement) -> None:
        if isinstance(s, ir.Barrier | ir.Shuffle | ir.Vote) and s.site is not None:
            given = s.operand if isinstance(s, ir.Vote) and s.kind == ir.BLOCK_COPY else None
            arguments = 0 if given is None else self.of(given) & ~CHANGED
            self.found[s.site] = Reached(self._causes(), self.returned, arguments)
            self.waits += s.site.scope in ("block", "grid")
        match s:
            case ir.Assign() if s.variable not in self.pointing:
                if self._reaches_shared(s.value):
                    self.pointing.add(s.variable)
                    self.changed = True
            case ir.Store():
                self._store(s)
            case ir.Atomic():
                self._share(s.address, self._of_all(s.operands))
            case ir.Copy():
                self._share(s.destination, self.of(s.source))
            case ir.Clobber() if s.pointers != ():
                self.changed |= not self.shared
                self.shared = BLOCK
                self._rewrite(s)
        assigned = targets(s)
        if assigned:
            made = self._made(s)
            number = isinstance(s, ir.Assign) and self._numbers_threads(s.value)
            for variable in assigned:
                self.values.assign(variable, made | self._control(self.homes[variable]))
                self._number(variable, number)

    def _rewrite(self, s: ir.Clobber) -> None:
        """Notes the objects that a call which is not followed may change."""
        for pointer in s.pointers or (None,):
            some = None if pointer is None else _named(pointer)
            if some not in self.rewritten:
                self.rewritten.add(some)
                self.changed = True

    def _rewritten(self, address: ir.Expression) -> int:
        some = _named(address)
        may_be = bool(self.rewritten) if some is None else {some, None} & self.rewritten
        return CHANGED if may_be else 0

    def _number(self, variable: ir.Variable, number: bool) -> None:
        before = self.numbers.get(variable)
        after = number and before is not False
        if after != before:
            self.numbers[variable], self.changed = after, True

    def _store(self, s: ir.Store) -> None:
        object_ = _local(s.address)
        written = 0
        for _, value in (*s.values, *s.untracked):
            written |= self.of(value)
        self.stored[s.site] = written
        if object_ is None:
            self._share(s.address, written)
            return
        by = self._control() | self.of(s.address) | written
        before = self.objects.get(object_, 0)
        if by | before != before:
            self.objects[object_], self.changed = by | before, True

    def _share(self, address: ir.Expression, written: int) -> None:
        """Notes what is written where shared memory may be."""
        if self.shared or not self._reaches_shared(address):
            return
        control = self._control()
        for left in self.returned:
            control |= left.cause.by
        if (control | self.of(address) | written) & (BLOCK | OTHER):
            self.shared, self.changed = BLOCK, True

    def _reaches_shared(self, address: ir.Expression) -> bool:
        """Whether an address, or a number that is made one, is made of a place in shared memory."""
        if isinstance(address.type, Pointer) and address.type.space == "shared":
            return True
        return any(
            (isinstance(e, ir.Address) and e.object.space == "shared")
            or (isinstance(e, ir.Read) and e.variable in self.pointing)
            for e in walk_expression(address)
        )

    def _made(self, s: ir.Statement) -> int:
        """What the values differ by that a statement assigns."""
        match s:
            case ir.Assign():
                return self.of(s.value)
            case ir.Load():
                by, object_ = self.of(s.address), _local(s.address)
                held = 0 if object_ is None else self.objects.get(object_, 0)
                # what only an unknown value places is as unknown
                own = self.shared if self._reaches_shared(s.address) else 0
                same = by & (OTHER | APART | EVERY_AXIS | CHANGED) | self._rewritten(s.address)
                return held | (DATA if by & (INDEX | DATA) else 0) | same | own
            case ir.Shuffle():
                by = self.of(s.value)
                return by | (EVERY_AXIS if by & WITHIN_BLOCK else 0)
            case ir.Vote():
                if s.kind.startswith("block_") or s.operand is None:
                    return BLOCK
                return self.of(s.operand) | OTHER | EVERY_AXIS
            case ir.Atomic() | ir.Matrix():
                return DATA | EVERY_AXIS
        found = OTHER | EVERY_AXIS
        for e in expressions(s):
            found |= self.of(e)
        return found

    # ---------------------------------------------------------------- values

    def _of_all(self, some: Iterable[ir.Expression]) -> int:
        found = 0
        for e in some:
            found |= self.of(e)
        return found

    def of(self, e: ir.Expression) -> int:
        """What a value differs by."""
        match e:
            case ir.Builtin():
                if e.name in _OF_THREAD:
                    own = WARP if e.name == "warpid" else INDEX
                    axes = AXES.get(e.name, EVERY_AXIS)
                    return 0 if e.name in self.flat else own | axes
                return BLOCK if e.name.startswith("ctaid") else 0
            case ir.Read():
                return self.values.of(e.variable)
            case ir.Binary(op="/" | ">>") if self._is_warp(e):
                return WARP | AXES["tid.x"]
        found = 0 if not isinstance(e, ir.Unknown) or e.pure else OTHER | EVERY_AXIS
        for part in operands(e):
            found |= self.of(part)
        return found

    def _is_warp(self, e: ir.Binary) -> bool:
        """Whether a quotient is the same for all lanes of a warp: `threadIdx.x / 32`."""
        if not isinstance(e.right, ir.Constant) or not self._numbers_threads(e.left):
            return False
        lanes = int(e.right.value) if e.op == "/" else 1 << int(e.right.value)
        return lanes > 0 and self.row_lanes > 0 and lanes % self.row_lanes == 0

    def _numbers_threads(self, e: ir.Expression) -> bool:
        e = unconverted(e)
        if isinstance(e, ir.Read):
            return self.numbers.get(e.variable, False)
        return isinstance(e, ir.Builtin) and e.name == "tid.x"


def _joined(
    some: tuple[EarlyReturn, ...], more: tuple[EarlyReturn, ...]
) -> tuple[EarlyReturn, ...]:
    """Each branch once, waited for where it is so in one of the two."""
    found: dict[ir.BranchSite, EarlyReturn] = {}
    for x in (*some, *more):
        known = found.get(x.cause.site)
        found[x.cause.site] = EarlyReturn(x.cause, x.waited or (known is not None and known.waited))
    return tuple(found.values())


def _local(address: ir.Expression) -> ir.MemoryObject | None:
    """The thread's own array that an address lies in."""
    for e in walk_expression(address):
        if isinstance(e, ir.Address) and e.object.space == "local":
            return e.object
    return None


def _named(address: ir.Expression) -> ir.MemoryObject | None:
    """The object that an address is made of; None where none is named, or several."""
    found = {e.object for e in walk_expression(address) if isinstance(e, ir.Address)}
    return found.pop() if len(found) == 1 else None
