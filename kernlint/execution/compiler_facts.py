"""What the compile stage can say about an access: kinds of change, and what the executor knows of loops."""

from __future__ import annotations

from dataclasses import dataclass

KINDS = {
    "merged": "several accesses become one wider one",
    "forwarded": "the value is already in a register",
    "hoisted": "moved out of a loop or above a branch",
    "eliminated": "removed: nobody needs it",
    "aggregated": "one lane does the atomic for its warp",
    "drifted": "lanes leave an unrolled loop at different copies",
    "sunk": "moved into the branch that needs it",
    "promoted": "kept in a register across a loop",
    "speculated": "joined with the other arm of a branch",
    "narrowed": "fewer bytes are read than the type has",
    "expanded": "becomes a loop of compare-and-swap",
    "recharged": "counted on another source line",
}


@dataclass(frozen=True, slots=True)
class Risk:
    """One way in which nvcc may or will (`certain`) change an access. `factor` bounds machine requests per request as written;
    `merged_bytes` lists the possible widths; `charged_line` is where it moves, when known; `text` is one sentence for people."""

    kind: str
    certain: bool
    factor: tuple[float, float]
    text: str
    merged_bytes: tuple[int, ...] = ()
    charged_line: int | None = None


@dataclass(frozen=True, slots=True)
class LoopFacts:
    """What the executor knows: the constant trip count (None: not constant), whether lanes of a warp run different counts,
    and an upper bound of the count that follows from the source alone."""

    trip: int | None = None
    lane_varying: bool = False
    max_trip: int | None = None
