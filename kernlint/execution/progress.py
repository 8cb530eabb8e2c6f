"""What the runs of all sets of blocks give together, and what they learn of loops for those to
come.

In: records of single runs, the exceptions that end them. Out: `Execution`, which grows run by run.
"""

from __future__ import annotations

from kernlint.base.dataclass import dataclass, field
from kernlint.execution.faults.copies import Unwaited
from kernlint.execution.faults.lanes import EventSet
from kernlint.execution.faults.locks import SpinLock
from kernlint.execution.faults.order import ByteReach
from kernlint.execution.faults.overlaps import Overlap
from kernlint.execution.faults.races import RacingPair
from kernlint.execution.faults.remote_shared import Ended
from kernlint.execution.faults.unwritten import Unwritten
from kernlint.execution.record import RunRecord
from kernlint.execution.restarts import Divergence, LanesDiverged, OverBudget
from kernlint.execution.state import MachineState
from kernlint.ir import nodes as ir

# loops found too long one at a time; after that, no loop of the kernel is run out
MOST_OVERRUNS = 6
# runs that each learn of variables whose lanes part; after that, those of every loop are taken to
MOST_DIVERGENT_RUNS = 6


@dataclass(slots=True)
class Execution:
    """What all sets of blocks together gave."""

    record: RunRecord = field(default_factory=RunRecord)
    # with the unknowns that each is about
    assumptions: dict[str, frozenset[str]] = field(default_factory=dict)
    open_loops: frozenset[ir.Loop] = frozenset()
    known_divergences: frozenset[Divergence] = frozenset()
    divergent_runs: int = 0  # in which lanes of a warp were seen to diverge
    rewriting_runs: int = 0  # in which iterations that rewrite contents were found to differ
    runs: int = 0
    measured: bool = False
    events: list[EventSet] = field(default_factory=list)
    set_up: list[EventSet] = field(default_factory=list)  # of barriers in memory
    remote: dict[ir.AccessSite, ByteReach] = field(default_factory=dict)
    races: list[RacingPair] = field(default_factory=list)
    unwritten: list[Unwritten] = field(default_factory=list)
    unwaited: list[Unwaited] = field(default_factory=list)
    spin_locks: list[SpinLock] = field(default_factory=list)
    overlaps: list[Overlap] = field(default_factory=list)
    ended: list[Ended] = field(default_factory=list)

    def begin_again(self) -> None:
        """What was learnt stays."""
        self.record, self.assumptions, self.events = RunRecord(), {}, []
        self.set_up, self.remote = [], {}

    def learn(self, state: MachineState, learnt: OverBudget | LanesDiverged) -> bool:
        """Takes in what a run of all blocks learns of one loop, for that run to go on; False where
        it concerns every loop."""
        if isinstance(learnt, OverBudget):
            if len(self.open_loops) >= MOST_OVERRUNS:
                return False
            self.open_loops |= {learnt.loop}
        else:
            if self.divergent_runs + 1 >= MOST_DIVERGENT_RUNS:
                return False
            self.divergent_runs += 1
            self.known_divergences |= learnt.divergences
        state.open_loops, state.known_divergences = self.open_loops, self.known_divergences
        return True
