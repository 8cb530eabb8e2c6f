"""What is wrong with an access, over the executions of a launch.

In: nothing. Out: plain records that grow by those of other sets of blocks.
"""

from __future__ import annotations

from kernlint.base.dataclass import dataclass, field
from kernlint.execution.counting.merge_rules import either, kept, merged
from kernlint.ir import nodes as ir

OUTSIDE, ROW, ALIGNMENT, WRAP = "outside", "row", "alignment", "wrap"
UNWRITTEN, UNWAITED, SPIN, OVERLAP = "unwritten", "unwaited", "spin", "overlap"
ENDED = "ended"


def _earlier(mine: FaultTally, other: FaultTally, name: str) -> None:
    mine.where = min(mine.where, other.where)


def _wider(mine: FaultTally, other: FaultTally, name: str) -> None:
    mine.low, mine.high = min(mine.low, other.low), max(mine.high, other.high)


@dataclass(slots=True)
class FaultTally:
    """What is wrong with an access to an object. `limit`: bytes of the object, elements of the row,
    or what an address must be a multiple of. `low`, `high`: the first and the last byte or element
    that executions reach, of an address the rest. `where`: the first execution at fault, as (block
    of the grid, thread of the block). `by_thread`: whether the thread or the block decides.
    `sure`: some execution is at fault whatever the data; `reason`, `detail`: what decides, where none is."""

    kind: str = field(metadata=merged(kept))
    object: ir.MemoryObject = field(metadata=merged(kept))
    limit: int = field(metadata=merged(kept))
    low: int = field(metadata=merged(_wider))
    high: int = field(metadata=merged(kept))  # grows with `low`
    where: tuple[int, int] = field(metadata=merged(_earlier))
    by_thread: bool = field(metadata=merged(either))
    sure: bool = field(metadata=merged(either))
    reason: str = field(default="", metadata=merged(kept))
    detail: str = field(default="", metadata=merged(kept))
