"""What the executed memory instructions add up to.

In: one addition per executed instruction and group of blocks. Out: `Count`s by instruction. A count
is exact until something that decides it was not known.
"""

from __future__ import annotations

from kernlint.base.dataclass import dataclass

# why a count is not exact
BY_DATA = "loaded data or an unknown argument decides it"
STOPPED = "the machine code was not executed to its end"


@dataclass(slots=True)
class Count:
    """Requests (warps that executed the instruction), `threads` (active lanes), `units` (wavefronts
    of shared memory, sectors of global memory), `ideal` (what the same lanes need at least).
    `doubt`: why it is not exact, "" where it is."""

    requests: int = 0
    threads: int = 0
    units: int = 0
    ideal: int = 0
    doubt: str = ""

    def add(self, requests: int, threads: int, units: int, ideal: int) -> None:
        self.requests += requests
        self.threads += threads
        self.units += units
        self.ideal += ideal
