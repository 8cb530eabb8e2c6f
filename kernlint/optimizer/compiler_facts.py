"""What the compile stage can say about an access: kinds of change, and what the executor knows of
loops."""

from __future__ import annotations

from collections.abc import Mapping

from kernlint.base.dataclass import dataclass
from kernlint.ir import nodes as ir

WIDEST = 16  # bytes: what one instruction of one lane moves at most
KINDS = {
    "merged": "several accesses become one wider one",
    "forwarded": "the value is already in a register",
    "hoisted": "moved out of a loop or above a branch",
    "eliminated": "removed: nobody needs it",
    "in-registers": "the thread's array is kept in registers",
    "aggregated": "one lane does the atomic for its warp",
    "drifted": "lanes leave an unrolled loop at different copies",
    "sunk": "moved into the branch that needs it",
    "promoted": "kept in a register across a loop",
    "speculated": "joined with the other arm of a branch",
    "narrowed": "fewer bytes are read than the type has",
    "expanded": "becomes a loop of compare-and-swap",
    "recharged": "counted on another source line",
    "undecided": "rests on what nvcc proves of addresses",
    "elsewhere": "counted on a line of the toolkit's headers",
}
CHARGED = (
    "recharged",
    "elsewhere",
)  # what is only counted elsewhere; also becomes of volatile accesses


@dataclass(frozen=True, slots=True)
class Risk:
    """One way in which nvcc may or will (`certain`) change an access. `factor` bounds machine
    requests per request as written; `charged_line` is where it moves, when known; `beside` are
    accesses that may be counted on its line with it; `text` is one sentence for people."""

    kind: str
    certain: bool
    factor: tuple[float, float]
    text: str
    charged_line: int | None = None
    beside: tuple[ir.AccessSite, ...] = ()


@dataclass(frozen=True, slots=True)
class LoopFacts:
    """What the executor knows: whether lanes of a warp run different counts, the most iterations
    that any lane runs (None: not known), what share of its iterations may belong to such warps,
    whether lanes may reach it that run no iteration, and whether lanes run one beside lanes of
    their warp that run more."""

    lane_varying: bool = False
    max_trip: int | None = None
    share: float = 1.0
    skipped: bool = False
    parted: bool = False


@dataclass(frozen=True, slots=True)
class Wider:
    """What an access is where `loop` is unrolled by a multiple of four, which is not sure; `fates`
    as of `Unrolled`."""

    loop: ir.Loop
    fates: Mapping[tuple[int, ...], tuple[int, int] | None]


@dataclass(frozen=True, slots=True)
class Unrolled:
    """A certain outcome, execution by execution. `loops`: the unrolled loops around the access,
    outermost first; `fates`: for their iteration numbers the machine access that this execution
    makes, as (offset from its own address, bytes), None for none."""

    loops: tuple[ir.Loop, ...]
    fates: Mapping[tuple[int, ...], tuple[int, int] | None]
    charged_line: int
    reason: str
    certain: bool = True  # False: the line that it is charged to is not
    wider: Wider | None = None


@dataclass(frozen=True, slots=True)
class Rolled:
    """A certain outcome in a loop that is unrolled by a part of its count: of each whole `unroll`
    iterations, `group` following ones make one access of `bytes`; of the rest, `rest` say how many
    bytes each makes, by its place (`rest[count][place]`, 0 for none)."""

    loop: ir.Loop
    unroll: int
    group: int
    bytes: int
    rest: tuple[tuple[int, ...], ...]
    charged_line: int
    count: int | None = None  # of iterations, where the source says it
    reason: str = "merged"
    certain: bool = True


@dataclass(frozen=True, slots=True)
class Sunk:
    """A load that executes in an arm of a later branch."""

    statement: ir.If
    side: bool
    charged_line: int
    reason: str = "sunk"
    certain: bool = True


Outcome = Unrolled | Rolled | Sunk
