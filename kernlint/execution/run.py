"""Execution of one kernel under one launch: all blocks, in as few sets as their guards need.

In: a lowered kernel, a launch, a device, a budget. Out: `LaunchResult`. Raises SourceError only
when no set of blocks can be run at all. Blocks start in one set. Where a guard decides some of them
and not others the set is split, where arrays grow too large it is halved; each time the set is run
again from its start. A loop that costs too much is run once for any iteration: the one set of all
blocks goes on from where the loop began (`resuming`), of several all begin again.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from kernlint.base.dataclass import replace
from kernlint.base.span import SourceError, Span
from kernlint.execution.analysis import Analysis
from kernlint.execution.assemble import kernel_facts
from kernlint.execution.counting.merging import merge
from kernlint.execution.faults.aliases import in_one_memory
from kernlint.execution.faults.copies import copies_asynchronously, unwaited
from kernlint.execution.faults.handovers import (
    Handovers,
    hands_over,
    hands_over_by_arrival,
    hands_over_by_flag,
)
from kernlint.execution.faults.lanes import EventSet
from kernlint.execution.faults.locks import guards_by_lock, spin_locks
from kernlint.execution.faults.order import READ, WRITE, exchanges, ordered_alone, positions
from kernlint.execution.faults.overlaps import overlaps
from kernlint.execution.faults.possible_waits import PossibleWaits
from kernlint.execution.faults.races import RacingPair, races
from kernlint.execution.faults.remote_shared import ended, remote_races
from kernlint.execution.faults.same_values import SameValues
from kernlint.execution.faults.unwritten import unwritten
from kernlint.execution.initial_state import machine_for
from kernlint.execution.machine import Machine
from kernlint.execution.measured import LaunchResult
from kernlint.execution.progress import MOST_DIVERGENT_RUNS, MOST_OVERRUNS, Execution
from kernlint.execution.restarts import IterationsDiffer, LanesDiverged, OverBudget, PointersDiffer
from kernlint.execution.state import Limits
from kernlint.execution.values.booleans import Split
from kernlint.execution.values.sums import Array, TooDense
from kernlint.hardware import Device, Excess, excess
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import walk
from kernlint.model import facts
from kernlint.model.reasons import refused
from kernlint.optimizer.compiler import View, glance, look
from kernlint.optimizer.compiler_facts import WIDEST
from kernlint.optimizer.compiler_pairs import widens

UNITS = 100  # of the budget for one statement
MOST_RUNS = 256
MOST_REWRITING_RUNS = 4  # runs that learn of loops whose rewritten contents are known after all
MOST_BLOCKS = 1 << 24


def execute(
    kernel: ir.Kernel,
    launch: facts.Launch,
    device: Device,
    budget: int = 20_000_000,
    measure: bool = False,
    views: dict[bool, View] | None = None,
    compile_stage: bool = False,
) -> LaunchResult:
    """The facts of `kernel` under `launch`; `budget` in units of work. `measure`: with what an
    estimate of time needs. `views`: what nvcc makes of this kernel, which depends on no launch:
    looked at for the first, kept for the others. `compile_stage`: as much of that as can be told
    where no grid is known, not just what findings need."""
    _check(kernel, launch, device)
    if device.capability is None:
        kernel = replace(kernel, keeps_calls=True)  # what nvcc surely does, another compiler may
    limits = Limits(statements=max(2_000, budget // UNITS), measure=measure)
    if launch.grid is not None or (compile_stage and not launch.block_assumed):
        views = {} if views is None else views
        if kernel.keeps_calls not in views:
            views[kernel.keeps_calls] = look(kernel)
        return _facts(kernel, launch, device, limits, views[kernel.keeps_calls])
    return _without_grid(kernel, launch, device, limits, compile_stage)


def count(kernel: ir.Kernel, launch: facts.Launch, device: Device, budget: int) -> facts.Kernel:
    """What `execute` counts of the accesses and branches as they are written: nothing of what nvcc
    makes of them, and no faults."""
    _check(kernel, launch, device)
    limits = Limits(statements=max(2_000, budget // UNITS))
    analysis = Analysis(kernel.body, kernel.label)
    execution = run_blocks(kernel, analysis, launch, device, limits)
    return kernel_facts(kernel, analysis, launch, device, execution, None).kernel


def example_faults(
    kernel: ir.Kernel, launch: facts.Launch, device: Device, budget: int
) -> tuple[facts.Fault, ...]:
    """Accesses outside of what host code allocates, under the launch's example sizes: of each access
    to an object, the first."""
    limits = Limits(statements=max(2_000, budget // UNITS))
    analysis = Analysis(kernel.body, kernel.label)
    found: dict[tuple[Span, str], facts.Fault] = {}
    for example in launch.examples:
        sized = _under(launch, example)
        if _exceeds(kernel, sized, device):
            continue
        execution = run_blocks(kernel, analysis, sized, device, limits)
        made = kernel_facts(kernel, analysis, sized, device, execution, None).kernel
        for fault in made.faults:
            if fault.certain and fault.kind == "outside" and fault.space == "global":
                place = dict(example.allocations).get(fault.object)
                shown = replace(fault, certain=False, reason="sizes", detail=example.wording)
                found.setdefault((fault.span, fault.object), replace(shown, object_span=place))
    return tuple(found.values())


def _under(launch: facts.Launch, example: facts.LaunchExample) -> facts.Launch:
    return replace(
        launch,
        grid=example.grid,
        block=example.block,
        dynamic_shared_bytes=example.dynamic_shared_bytes,
        arguments=example.arguments,
        one_memory=example.one_memory,
        allocations=example.allocations,
        block_assumed=False,
    )


def _without_grid(
    kernel: ir.Kernel, launch: facts.Launch, device: Device, limits: Limits, compile_stage: bool
) -> LaunchResult:
    """The facts of a kernel of which no total is known. What nvcc makes of it is looked for where
    that may change a finding, and for `compile_stage`."""
    found = None if compile_stage else _facts(kernel, launch, device, limits, None)
    if found is not None and not _may_cost_less(kernel, found.kernel):
        return found
    view = glance(kernel)
    if view is not None:
        return _facts(kernel, launch, device, limits, view)
    found = found or _facts(kernel, launch, device, limits, None)
    open_ = _may_cost_less(kernel, found.kernel)
    return replace(found, kernel=replace(found.kernel, as_written=open_))


def _facts(
    kernel: ir.Kernel, launch: facts.Launch, device: Device, limits: Limits, view: View | None
) -> LaunchResult:
    analysis = Analysis(
        kernel.body, kernel.label, outcomes=view.outcomes if view is not None else None
    )
    execution = run_blocks(kernel, analysis, launch, device, limits)
    _find_faults(execution, kernel, launch, device)
    return kernel_facts(kernel, analysis, launch, device, execution, view)


def _may_cost_less(kernel: ir.Kernel, found: facts.Kernel) -> bool:
    """Whether some access costs more than it must as written and nvcc might join it with others, or
    take its value from a register, so that it is no finding."""
    vectors = {
        s.site.span for s in walk(kernel.body) if isinstance(s, ir.Load | ir.Store) and widens(s)
    }
    costly = [a for a in found.accesses if _costs_more(a)]
    if any(
        a.op == "atomic" or _leaves_room(a) if a.space == "shared" else a.span in vectors
        for a in costly
    ):
        return True
    touched = Counter((a.object, a.example.lanes) for a in found.accesses if a.example is not None)
    return any(
        a.op == "load" and a.example is not None and touched[a.object, a.example.lanes] > 1
        for a in costly
    )


def _costs_more(access: facts.Access) -> bool:
    counts = access.wavefronts if access.space == "shared" else access.sectors
    return counts is not None and counts.mean > counts.ideal


def _leaves_room(access: facts.Access) -> bool:
    """Whether the lanes of a request leave room between them for neighbours that one wider access
    of each could move, too."""
    offsets = (
        sorted({offset for offset in access.example.lanes if offset is not None})
        if access.example is not None
        else []
    )
    nearest = min((b - a for a, b in pairwise(offsets)), default=0)
    return access.bytes < min(nearest, WIDEST)


def _check(kernel: ir.Kernel, launch: facts.Launch, device: Device) -> None:
    if min(launch.block) < 1 or (launch.grid is not None and min(launch.grid) < 1):
        raise refused("empty-launch", kernel.span, name=kernel.name)
    over = excess(launch.block, launch.grid if kernel.language == "cuda" else None, device.limits)
    by = device.title
    if over is None and kernel.launch_bounds and math.prod(launch.block) > kernel.launch_bounds[0]:
        by, over = (
            "its `__launch_bounds__`",
            Excess(f"a block has {math.prod(launch.block):,} threads", kernel.launch_bounds[0]),
        )
    if over is not None:
        if launch.span is not None and launch.in_host_code:
            raise SourceError(_fails(kernel, launch, over, by), launch.span, "KL602")
        if by != device.title:
            raise refused("launch-bounds", kernel.span, what=over.what, most=over.most)
        raise refused("launch-size", kernel.span, what=over.what, device=by, most=over.most)
    if launch.grid is not None and math.prod(launch.grid) > MOST_BLOCKS:
        raise refused("grid-size", kernel.span, blocks=math.prod(launch.grid), most=MOST_BLOCKS)


def _exceeds(kernel: ir.Kernel, launch: facts.Launch, device: Device) -> bool:
    try:
        _check(kernel, launch, device)
    except SourceError:
        return True
    return False


def _fails(kernel: ir.Kernel, launch: facts.Launch, over: Excess, by: str) -> str:
    fails = "may fail" if launch.is_conditional else "fails"
    most = f"{by} allows at most {over.most:,}"
    return f"this launch of `{kernel.name}` {fails} when the program runs: {over.what}, and {most}"


def _told_apart(
    kernel: ir.Kernel,
    analysis: Analysis,
    execution: Execution,
    axis_loops: Sequence[tuple[int, ir.Loop]],
    differ: IterationsDiffer | PointersDiffer,
) -> set[ir.Loop]:
    """The loops whose iterations are to be run one by one."""
    around = {loop for _, loop in axis_loops}
    if isinstance(differ, PointersDiffer):
        return around
    execution.rewriting_runs += 1
    if execution.rewriting_runs >= MOST_REWRITING_RUNS:
        around = set(every_loop(kernel.body))
    return {loop for loop in around if analysis.plan_of(loop).rewrites}


def run_blocks(
    kernel: ir.Kernel, analysis: Analysis, launch: facts.Launch, device: Device, limits: Limits
) -> Execution:
    execution = Execution(measured=limits.measure)
    copies = copies_asynchronously(kernel.body)
    stepped: frozenset[ir.Loop] = frozenset()
    total = math.prod(launch.grid) if launch.grid is not None else 1
    pending: list[Array] = [np.arange(total, dtype=np.int64)]
    while pending:
        blocks = pending.pop()
        execution.runs += 1
        if execution.runs > MOST_RUNS:
            raise refused("splits", kernel.span)
        machine = machine_for(kernel, analysis, launch, device, limits, blocks, execution, stepped)
        if len(blocks) == total:  # else what is learnt holds for the sets that were run before, too
            machine.learn = execution.learn
        machine.order.copies = copies
        try:
            machine.run(kernel.body)
        except Split as split:
            pending += [blocks[split.undecided], blocks[~split.undecided]]
        except TooDense:
            if machine.axis_loops:
                stepped |= {machine.axis_loops[-1][1]}
                pending.append(blocks)
            elif len(blocks) > 1:
                half = len(blocks) // 2
                pending += [blocks[half:], blocks[:half]]
            else:
                raise refused("memory", kernel.span) from None
        except (IterationsDiffer, PointersDiffer) as differ:
            stepped |= _told_apart(kernel, analysis, execution, machine.axis_loops, differ)
            pending.append(blocks)
        except OverBudget as over:
            execution.open_loops |= (
                {over.loop}
                if len(execution.open_loops) < MOST_OVERRUNS
                else every_loop(kernel.body)
            )
            execution.begin_again()
            pending = [np.arange(total, dtype=np.int64)]
        except LanesDiverged as known_divergences:
            execution.divergent_runs += 1
            known = execution.divergent_runs < MOST_DIVERGENT_RUNS
            execution.known_divergences |= (
                known_divergences.divergences
                if known
                else {(loop, None) for loop in every_loop(kernel.body)}
            )
            execution.begin_again()
            pending = [np.arange(total, dtype=np.int64)]
        else:
            _keep_events(execution, machine)
            merge(execution.record, machine.record)
            execution.assumptions.update(machine.evaluator.assumptions)
    return execution


def _keep_events(execution: Execution, machine: Machine) -> None:
    order, shape = machine.order, machine.shape
    for site, reach in order.remote.items():
        known = execution.remote.get(site)
        execution.remote[site] = reach if known is None else known.joined(reach)
    if order.set_up:
        execution.set_up.append(EventSet(order.set_up, shape, order.complete))
    execution.events.append(
        EventSet(
            order.events,
            shape,
            order.complete,
            order.marks,
            order.apart(),
            order.iterations,
        )
    )


def _find_faults(
    execution: Execution, kernel: ir.Kernel, launch: facts.Launch, device: Device
) -> None:
    """Fills in what the events of all runs show."""
    across = launch.grid[0] if launch.grid is not None else 0
    events = in_one_memory(kernel, launch, execution.events)
    every_event = [event for one in events for event in one.events]
    handovers = Handovers(kernel.body, every_event) if hands_over(kernel.body) else None
    execution.races = races(
        events,
        _looked_for(kernel, device),
        handovers,
        PossibleWaits(kernel.body, every_event),
        across,
        SameValues(kernel, launch.block),
        exchanges(kernel.body),
        ordered_alone(kernel.body),
        positions(kernel.body),
    )
    blocks = math.prod(launch.grid or (0,))
    execution.races += remote_races(kernel.body, every_event, execution.remote, blocks)
    if execution.set_up:
        execution.races += _set_up_late(execution, kernel, launch)
    execution.unwritten = unwritten(kernel.body, execution.events, execution.remote)
    execution.ended = ended(kernel.body, execution.remote, blocks)
    if copies_asynchronously(kernel.body):
        execution.unwaited = unwaited(execution.events)
    execution.overlaps = overlaps(execution.events, dict(kernel.extern_arrays))
    execution.spin_locks = spin_locks(kernel.body, execution.events)


def _set_up_late(execution: Execution, kernel: ir.Kernel, launch: facts.Launch) -> list[RacingPair]:
    """Uses of barriers in memory that nothing orders behind what sets them up."""
    sites = dict.fromkeys(event.site for one in execution.set_up for event in one.events)
    found = races(
        execution.set_up,
        ("block",),
        None,
        PossibleWaits((), ()),
        0,
        SameValues(kernel, launch.block),
        False,
        frozenset(),
        {site: number for number, site in enumerate(sites)},
    )
    return [race for race in found if race.kinds == (WRITE, READ)]


def _looked_for(kernel: ir.Kernel, device: Device) -> tuple[str, ...]:
    """The scopes of barriers that races are looked for between. Lanes of a warp run apart since
    compute capability 7.0 (CUDA C++ Programming Guide, independent thread scheduling)."""
    if hands_over_by_arrival(kernel.body):
        return ("warp",)
    locked = guards_by_lock(kernel.body)
    scopes = ["grid"] if locked or hands_over_by_flag(kernel.body) else ["grid", "block"]
    if not locked and device.capability is not None and device.capability >= 70:
        scopes.append("warp")
    return tuple(scopes)


def every_loop(body: ir.Body) -> frozenset[ir.Loop]:
    return frozenset(s for s in walk(body) if isinstance(s, ir.Loop))
