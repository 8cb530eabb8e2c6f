"""Loops whose test holds again behind the iteration that should be the last, since a counter or a
side of the test wraps around.

In: the machine at a loop, the counters' starts and steps, the trips that a test without wrap-around
gives. Out: what the counters hold behind these, and the lanes that go on.
"""

from __future__ import annotations

from collections.abc import Mapping

from kernlint.base.dataclass import dataclass
from kernlint.execution.state import MachineState
from kernlint.execution.values import sums
from kernlint.execution.values.masks import Mask, narrowed
from kernlint.execution.values.sums import Sum
from kernlint.execution.values.values import Value
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import reads, unconverted, walk_expression
from kernlint.ir.types import Integer


@dataclass(frozen=True, slots=True)
class PastEnd:
    """`counters`: what they hold; `mask`: the lanes whose test holds."""

    counters: Mapping[ir.Variable, Value]
    mask: Mask


def past_end(
    state: MachineState,
    loop: ir.Loop,
    starts: Mapping[ir.Variable, Value],
    slopes: Mapping[ir.Variable, int],
    trips: Sum,
) -> PastEnd | None:
    """Behind so many trips of each lane; None where no lane goes on."""
    assert loop.condition is not None
    after = {v: moved(start, trips, slopes[v]) for v, start in starts.items()}
    wraps = any(_leaves_type(v, value) for v, value in after.items())
    if not wraps and not _computes(loop.condition, starts):
        return None
    environment = state.evaluator.environment
    counters = {v: typed(value, v) for v, value in after.items()}
    environment.update(counters)
    state.run(loop.header)
    again = state.evaluator.condition(loop.condition)
    mask = narrowed(state.mask, again, state.device.warp_lanes)
    environment.update(starts)
    state.run(loop.header)
    return PastEnd(counters, mask) if again.is_known and not mask.must.empty else None


def _computes(condition: ir.Expression, counters: Mapping[ir.Variable, Value]) -> bool:
    """Whether a side of the test is computed from counters, so that it may wrap around itself."""
    test = unconverted(condition)
    return isinstance(test, ir.Binary) and any(
        isinstance(part, ir.Binary) and not reads(part).isdisjoint(counters)
        for side in (test.left, test.right)
        for part in walk_expression(side)
    )


def moved(start: Value, trips: Sum, slope: int) -> Value:
    """A counter after so many trips, were there no end to its type."""
    return Value(sums.add(start.known, sums.scale(trips, slope)), start.terms)


def _leaves_type(variable: ir.Variable, value: Value) -> bool:
    return not value.terms and typed(value, variable).known is not value.known


def typed(value: Value, variable: ir.Variable) -> Value:
    """The value as the variable holds it."""
    if value.terms or not isinstance(variable.type, Integer):
        return value
    return Value(sums.wrap(value.known, variable.type.bits, variable.type.signed))
