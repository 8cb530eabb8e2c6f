"""What a run of the machine leaves behind.

In: nothing. Out: plain records: tallies of accesses, branches and barriers, launches reached.
"""

from __future__ import annotations

from typing import Any

from kernlint.base.dataclass import dataclass, field
from kernlint.execution.counting.footprint import Reach, Touched
from kernlint.execution.counting.lane_patterns import LanePatterns
from kernlint.execution.counting.merge_rules import added, either, kept, merged, updated
from kernlint.execution.counting.tally import Tally
from kernlint.execution.faults.tally import FaultTally
from kernlint.execution.synchronisation.barriers import BarrierTally
from kernlint.execution.values.undo_log import cut_back
from kernlint.execution.values.values import Value
from kernlint.ir import nodes as ir


def _patterns_of_both(mine: Any, other: Any, name: str) -> None:
    mine.patterns.merge(other.patterns)


@dataclass(slots=True)
class BranchTally:
    site: ir.BranchSite = field(metadata=merged(kept))
    evaluations: int = field(default=0, metadata=merged(added))
    divergent: int = field(default=0, metadata=merged(added))
    # evaluations in which lanes of a warp disagree, whatever unknowns are
    least: int = field(default=0, metadata=merged(added))
    most: int = field(default=0, metadata=merged(added))
    open_count: bool = field(default=False, metadata=merged(either))
    # data decides whether lanes of a warp disagree
    unknown: bool = field(default=False, metadata=merged(either))
    # it is not known of some evaluation whether they do
    open_divergence: bool = field(default=False, metadata=merged(either))
    # it is not known of some evaluation which lanes make it, or take which path
    open_lanes: bool = field(default=False, metadata=merged(either))
    entries: int = field(default=0, metadata=merged(added))  # of a loop, by warps
    iterations: int = field(default=0, metadata=merged(added))  # executions of its body, by warps
    iteration_lanes: int = field(default=0, metadata=merged(added))  # active in them, summed
    # that entered, and had left while others of their warp ran an iteration, summed
    idle_lanes: int = field(default=0, metadata=merged(added))
    open_iterations: bool = field(default=False, metadata=merged(either))
    reasons: dict[tuple[str, str], None] = field(default_factory=dict, metadata=merged(updated))
    patterns: LanePatterns = field(default_factory=LanePatterns, metadata=merged(_patterns_of_both))


@dataclass(frozen=True, slots=True)
class LaunchReached:
    """`is_certain`: host code certainly reaches it. `usual_block`: that with the default values of
    the host function's parameters, where the block is not known without them."""

    statement: ir.HostLaunch
    grid: tuple[Value, ...]
    block: tuple[Value, ...]
    dynamic_shared: Value
    arguments: tuple[tuple[str, Value], ...]
    cluster: tuple[Value, ...] = ()
    is_certain: bool = True
    usual_block: tuple[int, int, int] | None = None


RecordCheckpoint = tuple[list[int], int, list[set[Any]]]


@dataclass(slots=True)
class RunRecord:
    accesses: dict[tuple[ir.AccessSite, str], Tally] = field(default_factory=dict)
    branches: dict[ir.BranchSite, BranchTally] = field(default_factory=dict)
    barriers: dict[ir.BarrierSite, BarrierTally] = field(default_factory=dict)
    launches: list[LaunchReached] = field(default_factory=list)
    # most iterations of any lane, None where not known
    longest: dict[ir.Loop, int | None] = field(default_factory=dict)
    # some lane that reaches them may run no iteration
    skipped: set[ir.Loop] = field(default_factory=set)
    # lanes of a warp run one iteration of them beside lanes that run more
    parted: set[ir.Loop] = field(default_factory=set)
    # by (offset, bytes) of the machine's
    compiled: dict[tuple[ir.AccessSite, str, tuple[int, int]], Tally] = field(default_factory=dict)
    # where loops are unrolled further
    wider: dict[tuple[ir.AccessSite, str, tuple[int, int]], Tally] = field(default_factory=dict)
    # some execution's fate is not known after all
    unpredicted: set[ir.AccessSite] = field(default_factory=set)
    executions: dict[ir.Statement, int] = field(default_factory=dict)  # by warps, at most
    # whether warps execute it depends on data
    doubtful: set[ir.Statement] = field(default_factory=set)
    touched: dict[tuple[ir.AccessSite, ir.MemoryObject], Touched] = field(default_factory=dict)
    reached: dict[tuple[ir.AccessSite, ir.MemoryObject | None], Reach] = field(default_factory=dict)
    # by kind
    faults: dict[tuple[ir.AccessSite, ir.MemoryObject, str], FaultTally] = field(
        default_factory=dict
    )

    def checkpoint(self) -> RecordCheckpoint:
        return (
            [len(table) for table in self._tables()],
            len(self.launches),
            [set(some) for some in self._sets()],
        )

    def restore(self, checkpoint: RecordCheckpoint) -> None:
        """To what it was before statements ran that had not run before: what it says of others is
        as it was."""
        lengths, launches, sets = checkpoint
        for table, length in zip(self._tables(), lengths, strict=True):
            cut_back(table, length)
        del self.launches[launches:]
        for some, before in zip(self._sets(), sets, strict=True):
            some.intersection_update(before)

    def _tables(self) -> list[dict[Any, Any]]:
        return [
            self.accesses,
            self.branches,
            self.barriers,
            self.longest,
            self.compiled,
            self.wider,
            self.executions,
            self.touched,
            self.reached,
            self.faults,
        ]

    def _sets(self) -> list[set[Any]]:
        return [self.skipped, self.parted, self.unpredicted, self.doubtful]

    def ran(self, loop: ir.Loop, count: int | None, by_all: bool = True) -> None:
        self.began(loop, by_all and bool(count))
        most = self.longest.get(loop, 0)
        self.longest[loop] = None if count is None or most is None else max(count, most)

    def began(self, loop: ir.Loop, by_all: bool) -> None:
        """`by_all`: whether all lanes that reach the loop surely run its first iteration."""
        if not by_all and not loop.post_test:
            self.skipped.add(loop)
