"""What a run of the machine learns of a loop too late: the exceptions that ask to run it again
otherwise.

Nothing is decided here: `loops.resuming` goes on from where the loop began, `run` begins again.
"""

from __future__ import annotations

from kernlint.ir import nodes as ir

# lanes move it on by different amounts in a loop, or leave that; None: any may be
Divergence = tuple[ir.Loop, ir.Variable | ir.Label | None]


class OverBudget(Exception):
    """A loop takes more steps than the budget allows: run its body once, for any iteration."""

    def __init__(self, loop: ir.Loop) -> None:
        super().__init__()
        self.loop = loop


class LanesDiverged(Exception):
    """Lanes of a warp moved these variables on by different amounts in these loops, or left them
    (their labels) one by one."""

    def __init__(self, divergences: frozenset[Divergence]) -> None:
        super().__init__()
        self.divergences = divergences


class IterationsDiffer(Exception):
    """Iterations run as one must be told apart: they store known contents, or each moves a whole
    request by another unknown."""


class PointersDiffer(Exception):
    """Iterations run as one load pointers into different objects."""
