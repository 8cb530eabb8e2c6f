"""What a profiler counted, as plain values. Reading fills these, matching and judging read them;
nothing here touches files.

Counters are those of Nsight Compute's source page: `requests` is `inst_executed` (warp
instructions, those with no lane active too), `threads` `thread_inst_executed_true` (lanes active,
summed), wavefronts `memory_l1_wavefronts_shared`, sectors `memory_l2_theoretical_sectors_global`
and `_local` (32 bytes each), and the ideals that the profiler gives beside them.
"""

from __future__ import annotations

from collections.abc import Mapping

from kernlint.base.dataclass import dataclass, field

Dim3 = tuple[int, int, int]
Place = tuple[str, int]  # file as the profile names it, line
LINES, INSTRUCTIONS, TOTALS = "lines", "instructions", "totals"


class ProfileError(Exception):
    """The file given as a profile cannot be used: what it is, and which command gives one that
    can."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """One machine instruction. `places`: the lines it is listed under; an inlined function's first
    has two, the call's and its own. A counter that the report does not hold is None."""

    address: int
    sass: str
    places: tuple[Place, ...]
    requests: int
    threads: int | None
    wavefronts: int | None = None
    wavefronts_ideal: int | None = None
    sectors: int | None = None
    sectors_ideal: int | None = None
    local_sectors: int | None = None


@dataclass(frozen=True, slots=True)
class ProfiledLaunch:
    """One profiled launch. `name`: as the report prints it, demangled or not. `totals`: the raw
    page's metrics that matter, by name.

    What the report does not say is None or empty. `identity`: its number in the report."""

    identity: int
    name: str
    grid: Dim3 | None = None
    block: Dim3 | None = None
    dynamic_shared_bytes: int | None = None
    instructions: tuple[Instruction, ...] = ()
    totals: Mapping[str, int] = field(default_factory=dict)
    capability: int | None = None  # 90 for sm_90

    @property
    def detail(self) -> str:
        """How fine its counters are: by line, by instruction without lines, or totals of the kernel
        ("" for none)."""
        if any(instruction.places for instruction in self.instructions):
            return LINES
        return INSTRUCTIONS if self.instructions else TOTALS if self.totals else ""


@dataclass(frozen=True, slots=True)
class Profile:
    """`page`: what was read ("source page, cuda,sass"); `notes`: what the reader should know about
    it."""

    path: str
    page: str
    launches: tuple[ProfiledLaunch, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProfiledLine:
    """What was counted on one line for one space and operation. `line` 0: the whole kernel; `op`
    "": all operations of the space.

    `count`: wavefronts (shared) or sectors (global, local). `requests` or `count` is None where the
    report does not hold it."""

    path: str
    line: int
    space: str
    op: str
    requests: int | None
    threads: int | None
    count: int | None
    ideal: int | None
    bits: tuple[int, ...] = ()  # widths of the machine instructions
    # some instruction carries a predicate: `requests` may count warps without an active lane
    predicated: bool = False
