"""Structured SIMT execution of a lowered body over all lanes of a set of blocks at once.

In: an `ir` body, the launch's builtins, a device. Out: `Record`: tallies of accesses, branches and
barriers, launches reached (host). Control flow narrows masks; lanes that leave a region wait at its
end. What is unknown stays an atom; nothing is sampled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kernlint.base import deadline
from kernlint.execution import accesses, branches, reconvergence, warp_collectives
from kernlint.execution.assignment import assign, is_needed
from kernlint.execution.counting.requests import executions
from kernlint.execution.loops import iteration
from kernlint.execution.record import LaunchReached
from kernlint.execution.state import MachineState
from kernlint.execution.values.host_heap import MOST_BYTES
from kernlint.execution.values.values import constant_of, integer, of_atom
from kernlint.ir import nodes as ir

BETWEEN_LOOKS = 32  # statements between looks at the clock, which ask the system
STEPS = 2  # of work, for a statement


class Machine(MachineState):
    """Runs one body for one set of blocks."""

    def run(self, body: ir.Body) -> None:
        for statement in body:
            if self.mask.empty:
                return
            self.statements += 1
            if self.statements >= self.looks_at_clock:
                deadline.check(STEPS * BETWEEN_LOOKS)
                self.looks_at_clock = self.statements + BETWEEN_LOOKS
            if self.statements > self.limits.statements:
                self.over_budget()
            if self.limits.measure:
                self._executed(statement)
            _STATEMENTS[type(statement)](self, statement)

    def _executed(self, statement: ir.Statement) -> None:
        """Tallies the warps that execute a statement (for all iterations of the axes in scope)."""
        counts = self.record.executions
        counts[statement] = counts.get(statement, 0) + executions(self.mask.may, self.shape)[0]
        if self.mask.conditional or self.repeats is not None:
            self.record.doubtful.add(statement)


def _assign(state: MachineState, s: ir.Assign) -> None:
    if state.order.copies and s in state.analysis.waits:
        state.order.mark("open")  # whose copies it tells to be complete is not followed
    if is_needed(state, s.variable) and s not in state.skipped:
        assign(state, s.variable, state.evaluator.value(s.value))


def _nothing(state: MachineState, s: ir.Assume | ir.Taken) -> None:
    pass


def _launch(state: MachineState, s: ir.HostLaunch) -> None:
    value = state.evaluator.number
    state.record.launches.append(
        LaunchReached(
            s,
            tuple(value(e) for e in s.grid),
            tuple(value(e) for e in s.block),
            value(s.dynamic_shared),
            tuple((name, accesses.placed(state, value(e))) for name, e in s.arguments),
            tuple(value(e) for e in s.cluster or ()),
            state.mask.is_known and not state.open_depth,
        )
    )


def _allocate(state: MachineState, s: ir.Allocate) -> None:
    size = None if s.bytes is None else constant_of(state.evaluator.number(s.bytes))
    is_followed = s.on_heap and s in state.analysis.slice.allocations
    if is_followed and size is not None and 0 < size <= MOST_BYTES:
        address, made = state.heap.allocate(s, size)
        state.memory.tracked |= {made}
        assign(state, s.target, integer(address))
        return
    object_ = ir.MemoryObject(s.target.name, "global", s.target.type, size, 256, s.span)
    assign(state, s.target, of_atom(state.evaluator.base(object_)))


_STATEMENTS: dict[type, Callable[[MachineState, Any], None]] = {
    ir.Assign: _assign,
    ir.Load: accesses.load,
    ir.Store: accesses.store,
    ir.Atomic: accesses.atomic,
    ir.Copy: accesses.copy,
    ir.CopyGroup: accesses.copy_group,
    ir.Matrix: accesses.matrix,
    ir.Shuffle: warp_collectives.shuffle,
    ir.Vote: warp_collectives.vote,
    ir.Barrier: warp_collectives.barrier,
    ir.If: branches.branch,
    ir.Region: reconvergence.region,
    ir.Leave: reconvergence.leave,
    ir.Loop: iteration.run_loop,
    ir.Clobber: accesses.clobber,
    ir.Trap: reconvergence.trap,
    ir.Assume: _nothing,
    ir.Taken: _nothing,
    ir.HostLaunch: _launch,
    ir.Allocate: _allocate,
}
