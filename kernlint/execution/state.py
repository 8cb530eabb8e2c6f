"""The state of the machine: what the handlers of statements share while a body runs.

In: a body's analysis, the launch's builtins, a device. Nothing runs and nothing is counted here:
handlers read and change the state, `machine` runs bodies through them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from kernlint.base.dataclass import dataclass, field
from kernlint.execution.analysis import Analysis
from kernlint.execution.counting.footprint import Footprint
from kernlint.execution.counting.requests import Shape
from kernlint.execution.counting.tally import Counter, Tally
from kernlint.execution.evaluate import Evaluator
from kernlint.execution.faults.order import Order
from kernlint.execution.loops.plan import Plan
from kernlint.execution.memory import TrackedMemory
from kernlint.execution.record import RunRecord
from kernlint.execution.restarts import Divergence, LanesDiverged, OverBudget
from kernlint.execution.values import sums
from kernlint.execution.values.booleans import Bool, Condition
from kernlint.execution.values.host_heap import HostHeap
from kernlint.execution.values.masks import Mask
from kernlint.execution.values.sums import LANE
from kernlint.execution.values.values import Atom, Atoms, Value
from kernlint.hardware import Device
from kernlint.ir import nodes as ir
from kernlint.optimizer.compiler_facts import Sunk

# axes of loops that rewrite unknown contents, and the memory spaces that these write
Rewriting = tuple[tuple[int, frozenset[str]], ...]


@dataclass(frozen=True, slots=True)
class Limits:
    """The work budget: loop iterations stepped one by one, and statements run, per set of blocks.
    `measure`: whether to note what an estimate of time needs."""

    steps: int = 4096
    statements: int = 150_000
    axis: int = 1 << 20
    measure: bool = False


@dataclass(frozen=True, slots=True)
class LoadedFrom:
    """Where a load reads a variable. `changes`: how often the memory may have changed before."""

    address: Value
    offset: int
    changes: int
    loops: tuple[ir.Loop, ...]


@dataclass(slots=True)
class LiveScope:
    """A region or loop being run. `spine`: the mask of all its lanes still live; a variable local
    to it may be overwritten whole there."""

    label: ir.Label | None
    spine: Mask
    locals: frozenset[ir.Variable] | None  # None: every variable


@dataclass(slots=True, eq=False)
class SteppedLoop:
    """A loop being stepped. `begun`: how many statements the machine had run when each
    iteration began."""

    loop: ir.Loop
    plan: Plan
    begun: list[int] = field(default_factory=list)


@dataclass(slots=True)
class UndecidedPath:
    """A branch that nobody can decide, being run: one side of `condition`. `before`: the values that variables had, and the
    masks that these were assigned under, of those assigned in the branch."""

    mask: Mask
    condition: Condition
    holds: bool
    before: dict[ir.Variable, tuple[Value, Mask | None]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DeferredLoad:
    """A load that executes later."""

    outcome: Sunk
    tally: Tally
    address: Value
    mask: Mask
    shape: Shape


class MachineState:
    """One body being run for one set of blocks. `open_loops` are run for one symbolic iteration,
    `stepped_loops` never as an axis; the lanes of a warp move what `known_divergences` names on by
    different amounts."""

    def __init__(
        self,
        analysis: Analysis,
        builtins: Mapping[str, Value],
        sizes: dict[int, int],
        blocks: sums.Array,
        device: Device,
        initial: Mask,
        dynamic_bytes: int | None,
        limits: Limits,
        open_loops: frozenset[ir.Loop] = frozenset(),
        stepped_loops: frozenset[ir.Loop] = frozenset(),
        known_divergences: frozenset[Divergence] = frozenset(),
    ) -> None:
        self.analysis = analysis
        self.evaluator = Evaluator(builtins, Atoms(device.warp_lanes), device.warp_lanes)
        self.sizes = sizes
        self.shape = Shape(sizes, device.warp_lanes, blocks)
        self.device = device
        self.counter = Counter(device)
        objects = analysis.slice.objects
        hidden = frozenset(o for o in objects if analysis.is_host and not analysis.escapes(o))
        self.memory = TrackedMemory(objects, sizes, dynamic_bytes, hidden)
        self.heap = HostHeap()
        self.record = RunRecord()
        self.order = Order()
        # bytes of objects whose size the launch decides
        self.extents: Mapping[ir.MemoryObject, int] = {}
        # scalars of the kernel's parameters with arrays, by where they lie
        self.parameters: dict[ir.MemoryObject, dict[int, ir.Variable]] = {}
        self.mask = initial
        self.initial = initial
        self.scopes: list[LiveScope] = [LiveScope(None, initial, None)]
        self.leaves: list[tuple[ir.Label, Mask]] = []
        self.exited: list[Mask] = []
        self.owners: dict[ir.Variable, Mask | None] = {}
        self.limits = limits
        self.open_loops, self.stepped_loops, self.known_divergences = (
            open_loops,
            stepped_loops,
            known_divergences,
        )
        # takes in what turns out of a loop; None: the caller does, and begins again
        self.learn: Learn | None = None
        self.open_depth = 0  # loops around whose number of iterations is unknown
        self.open_reason = ("unknown-trip-count", "")
        self.axis_loops: list[tuple[int, ir.Loop]] = []
        self.rewriting_axes: Rewriting = ()
        self.loops: list[ir.Loop] = []
        # of branches being run: who came, who takes each path
        self.dispatches: dict[ir.BranchSite, tuple[Mask, list[Bool]]] = {}
        # conditions around that hold only by assumption, and on which lanes may part
        self.presumed = 0
        self.presumed_in_warp = 0  # of these, those on which lanes of one warp may part
        # by loops that move them on, by multiples of that
        self.carried: dict[ir.Variable, list[tuple[ir.Loop, Mask, int]]] = {}
        self.divergences: set[Divergence] = set()
        self.undecided: list[UndecidedPath] = []  # of branches around that nobody can decide
        self.loaded_from: dict[ir.Variable, LoadedFrom] = {}  # by the last load of each
        # results of counting up one counter: how many threads may, and under which mask
        self.tickets: dict[Atom, tuple[int, Mask]] = {}
        # masks that lanes vote for by values that are not known, as they are written
        self.ballots: dict[Atom, str] = {}
        self.statements = 0
        self.looks_at_clock = 0  # from this many statements on
        self.deferred: dict[ir.If, list[DeferredLoad]] = {}
        self.stepping: list[SteppedLoop] = []  # loops stepped
        # axis loops that lanes leave at different iterations
        self.uneven_loops: set[ir.Loop] = set()
        self.footprint = Footprint(self.record.touched, self.record.reached)
        # updates of induction variables that an axis stands for
        self.skipped: frozenset[ir.Statement] = frozenset()

    def run(self, body: ir.Body) -> None:
        """Runs statements under the mask; `machine` does."""
        raise NotImplementedError

    def over_budget(self) -> None:
        """Raises OverBudget for the outermost loop that is stepped, if there is one."""
        if self.stepping:
            raise OverBudget(self.stepping[0].loop)

    @property
    def repeats(self) -> tuple[str, str] | None:
        """Why it is not known how often what a block executes now runs (reason, detail); None where
        it is known."""
        return self.open_reason if self.open_depth else None

    def every_lane(self) -> tuple[sums.Sum, ...]:
        return self.evaluator.every_lane()

    def every_warp(self) -> tuple[sums.Sum, ...]:
        return self.every_group(self.device.warp_lanes)

    def every_group(self, lanes: int) -> tuple[sums.Sum, ...]:
        """For values that are one for so many lanes, one beside the other."""
        own = sums.along(LANE, np.arange(self.sizes[LANE]) // lanes)
        return (*((own,) if own.parts else ()), *self.every_block())

    def every_block(self) -> tuple[sums.Sum, ...]:
        return tuple(d for d in self.every_lane() if LANE not in d.key)


# takes in what was learnt of a loop; False: that concerns others as well
Learn = Callable[[MachineState, OverBudget | LanesDiverged], bool]
