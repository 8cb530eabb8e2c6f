"""What the executed memory instructions add up to.

In: one addition per executed instruction and group of blocks. Out: `Count`s by instruction. A count
is exact until something that decides it was not known.
"""

from __future__ import annotations

from kernlint.base.dataclass import dataclass

# why a count is not exact
BY_DATA = "loaded data or an unknown argument decides it"
STOPPED = "the machine code was not executed to its end"
UNMEASURED = "how the hardware counts it is not measured"
UNREAD = "its address is not understood"

MANY = 1 << 30  # more than any request costs


@dataclass(frozen=True, slots=True)
class Numbers:
    """What one execution of an instruction adds to a `Count`."""

    requests: int
    threads: int
    units: int = 0
    ideal: int = 0
    least: int = MANY
    most: int = 0
    performed: int = 0


@dataclass(slots=True)
class Count:
    """Requests (warps that executed the instruction), of these `performed` (a guard leaves a lane
    active), `threads` (active lanes), `units` (wavefronts
    of shared memory, sectors of global memory), `ideal` (what the same lanes need at least),
    `least` and `most`: units of the cheapest and the costliest request with an active lane.
    `doubt`: why it is not exact, "" where it is."""

    requests: int = 0
    threads: int = 0
    units: int = 0
    ideal: int = 0
    least: int = MANY
    most: int = 0
    performed: int = 0
    doubt: str = ""

    def add(self, numbers: Numbers) -> None:
        self.requests += numbers.requests
        self.threads += numbers.threads
        self.units += numbers.units
        self.ideal += numbers.ideal
        self.least = min(self.least, numbers.least)
        self.most = max(self.most, numbers.most)
        self.performed += numbers.performed
