"""What the compiler may know at a point: values of variables, and which accesses' results are still
in registers.

Data and their relations only: what survives a store, a load or a barrier is said by
`compiler_entries`.
"""

from __future__ import annotations

from kernlint.base.dataclass import dataclass
from kernlint.ir import nodes as ir
from kernlint.ir.types import Record, SourceAlignment
from kernlint.optimizer.compiler_forms import Form
from kernlint.optimizer.compiler_implied import Known


@dataclass(frozen=True, slots=True)
class Knowns:
    """The numbers of a step's condition with its side, and of what it implies; of what it makes
    possible."""

    sure: tuple[int, ...] = ()
    possible: tuple[int, ...] = ()


NOTHING_KNOWN = Knowns()


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One step of the way to a value: an arm of a branch or of an expression's choice, what lies
    behind a region that other ways pass by, or a loop's body (`condition` None). `implied`: what
    else holds there; `possible`: what holds on some of the ways there; `turns`: iterations of the
    unrolled loops around it, each of which has its own branch."""

    condition: Form | None
    side: bool
    statement: ir.If | ir.Loop | ir.Region | ir.Select | ir.Binary
    implied: tuple[tuple[Form, bool], ...] = ()
    possible: tuple[tuple[Form, bool], ...] = ()
    turns: tuple[tuple[ir.Loop, int], ...] = ()
    knowns: Knowns = NOTHING_KNOWN


class Steps:
    """Makes equal steps one object, and numbers what is known on them: paths, of which a long chain
    has long ones, are compared and hashed by their steps' identity and by numbers."""

    def __init__(self) -> None:
        self.known: dict[tuple[object, ...], Step] = {}
        self.numbers: dict[Known, int] = {}

    def step(
        self,
        condition: Form | None,
        side: bool,
        statement: ir.If | ir.Loop | ir.Region | ir.Select | ir.Binary,
        implied: tuple[tuple[Form, bool], ...] = (),
        possible: tuple[tuple[Form, bool], ...] = (),
        turns: tuple[tuple[ir.Loop, int], ...] = (),
    ) -> Step:
        key = condition, side, statement, turns
        if key not in self.known:
            own = () if condition is None else ((condition, side), *implied)
            knowns = Knowns(tuple(map(self._number, own)), tuple(map(self._number, possible)))
            self.known[key] = Step(condition, side, statement, implied, possible, turns, knowns)
        return self.known[key]

    def _number(self, known: Known) -> int:
        return self.numbers.setdefault(known, len(self.numbers))


Path = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Arms:
    """The two ways, through the arms of a branch, that a value may come from."""

    statement: ir.If
    paths: tuple[Path, Path]


@dataclass(frozen=True, slots=True)
class Tested:
    """The condition of a branch that only chooses what a thread's own arrays hold, where it is
    tested."""

    branch: ir.If
    condition: Form
    path: Path
    arrays: frozenset[ir.MemoryObject | None]


@dataclass(frozen=True, slots=True)
class Span:
    """A loop: accesses, by place in the log, and barriers and unknown calls, before it and at its
    iteration's end."""

    start: int
    fences: int
    end: int
    fenced: int


@dataclass(frozen=True, slots=True)
class Entry:
    """An access that a later one may reuse. `first`,
    `size`: bytes from `form`; `align`: what ptxas may rely on, `told`: what the source tells of it;
    `hint`: how it is cached (`hint_of`); `forward`: its value is still valid in a register;
    `pending`: a store that nothing may have read yet; `served`: a load came that its register may
    have served, or something that may keep a later store from replacing it; `back`: the counter (an
    atom) of the loop of whose earlier iterations it stems; `member`: see `compiler_alias`;
    `doubtful`: it is not known whether nvcc can tell that a store left it alone; `partial`: one of
    the ways from it has overwritten it, `lost`: of so many branches since; `near`: a later neighbour may still be joined with it, if
    what came in between (`since`) allows it; `again`: a load of what an earlier one may have left in a
    register; `group`: equal for neighbours that surely are not kept
    from that; `cut`: equal in one stretch of straight code; `number`, `line`, `family`,
    `row`: see `Registry.entered`; `placed`: where it stands in the order of what is live."""

    site: ir.AccessSite
    form: Form
    first: int
    size: int
    memory: ir.MemoryObject | None
    store: bool
    path: Path
    width: int
    align: int
    told: SourceAlignment
    hint: str = ""
    forward: bool = True
    pending: bool = False
    served: bool = False
    back: int | None = None
    member: tuple[Record | None, int] | None = None
    near: bool = True
    doubtful: bool = False
    partial: bool = False
    lost: int = 0
    again: bool = False
    since: tuple[Entry, ...] = ()
    group: int = 0
    cut: int = 0
    number: int = -1
    line: int = -1
    family: int = -1
    row: int = -1
    placed: int = 0


@dataclass(frozen=True, slots=True)
class Instance:
    """One copy of an access in unrolled code. `turns`: iterations of the unrolled loops around it;
    `block`: accesses with the same one lie in one stretch of straight code; `fences`: barriers and
    unknown calls before it."""

    entry: Entry
    turns: tuple[tuple[ir.Loop, int], ...]
    block: tuple[int, ...]
    fences: int
    forwarded: bool = False


def stayed(step: Step) -> bool:
    """Whether a step is what the other arm's early return leaves."""
    if not isinstance(step.statement, ir.If):
        return False
    return any(
        isinstance(s, ir.Leave)
        for s in (step.statement.otherwise if step.side else step.statement.then)
    )


def common(one: Path, other: Path) -> Path:
    """The steps that two paths begin with."""
    shorter, longer = (one, other) if len(one) <= len(other) else (other, one)
    if shorter == longer[: len(shorter)]:
        return shorter
    return one[: next(i for i, step in enumerate(shorter) if step is not longer[i])]


def relation(earlier: Path, later: Path) -> str:
    """How the ways to two accesses relate: "always" (the earlier one has run whenever the later
    runs), "same" (its conditions are among the later one's, or a loop around it may have no
    iteration), "part" (the later one's are among its), "" (unrelated)."""
    common, most = 0, min(len(earlier), len(later))
    while common < most and earlier[common] is later[common]:
        common += 1
    own = {s.knowns.sure[0] for s in earlier[common:] if s.knowns.sure}
    skipped = any(
        isinstance(s.statement, ir.Loop) and not s.statement.post_test for s in earlier[common:]
    )
    if not own:
        return "same" if skipped else "always"
    other = {number for s in later[common:] for number in s.knowns.sure}
    some = {number for s in later[common:] for number in s.knowns.possible}
    return "same" if own <= other else "part" if other <= own or own <= other | some else ""


def distance(a: Entry, b: Entry) -> int | None:
    """Bytes from the start of `a` to the start of `b`, where it is a constant."""
    apart = b.form.distance(a.form)
    return None if apart is None else apart + b.first - a.first


def overlaps(a: Entry, b: Entry, apart: int) -> bool:
    return -b.size < apart < a.size
