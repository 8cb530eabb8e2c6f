"""What an execution leaves for the estimate of time: how often statements ran, what memory was
touched, beside the facts.

Plain data: made by `execution.assemble` when asked to measure, read by `estimate.model`.
"""

from __future__ import annotations

from collections.abc import Mapping

from kernlint.base.dataclass import dataclass
from kernlint.execution.analysis import Analysis
from kernlint.execution.counting.footprint import Reach, Touched
from kernlint.execution.counting.tally import Tally
from kernlint.execution.counting.total_bounds import TotalBounds
from kernlint.ir import nodes as ir
from kernlint.model import facts


@dataclass(frozen=True, slots=True)
class Measured:
    """`executions`: of each statement by warps over the launch; `doubtful`: statements of which
    that is only the most, since data decides; `longest`: most iterations of any lane, None where
    not known; `reached`: of shared arrays, with None where it is not known which; `total_bounds`:
    of each of the accesses."""

    kernel: ir.Kernel
    analysis: Analysis
    accesses: tuple[tuple[Tally, facts.Access], ...]
    executions: Mapping[ir.Statement, int]
    doubtful: frozenset[ir.Statement]
    longest: Mapping[ir.Loop, int | None]
    touched: Mapping[tuple[ir.AccessSite, ir.MemoryObject], Touched]
    warps_per_block: int
    reached: Mapping[tuple[ir.AccessSite, ir.MemoryObject | None], Reach]
    total_bounds: tuple[TotalBounds, ...]


@dataclass(frozen=True, slots=True)
class LaunchResult:
    """What a kernel under one launch comes to. `measured`: None unless an estimate is wanted."""

    kernel: facts.Kernel
    measured: Measured | None
