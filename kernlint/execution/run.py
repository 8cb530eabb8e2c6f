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
from dataclasses import replace
from itertools import pairwise

import numpy as np

from kernlint.base.dataclass import dataclass, field
from kernlint.base.span import SourceError
from kernlint.execution.analysis import Analysis
from kernlint.execution.assemble import kernel_facts
from kernlint.execution.counting.merging import merge
from kernlint.execution.loops.rewriting import Turning
from kernlint.execution.loops.warp_uniform_carry import Apart, Parting
from kernlint.execution.machine import Machine
from kernlint.execution.measured import LaunchResult
from kernlint.execution.record import Limits, OverBudget, Record
from kernlint.execution.values import sums
from kernlint.execution.values.booleans import Split, of_factor
from kernlint.execution.values.masks import Mask
from kernlint.execution.values.sums import BLOCK, LANE, Array, TooDense
from kernlint.execution.values.values import Atom, Value, add, integer, of_atom
from kernlint.hardware import Device, Excess, excess
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import walk
from kernlint.ir.types import Float, Integer, Pointer, Type, type_bounds
from kernlint.model import facts
from kernlint.model.reasons import refused
from kernlint.optimizer.compiler import View, glance, look
from kernlint.optimizer.compiler_facts import WIDEST
from kernlint.optimizer.compiler_pairs import widens

UNITS = 100  # of the budget for one statement
MOST_RUNS = 256
MOST_SPLITTING = (
    16  # runs that choices by block may split: ten bits of the block's number are a thousand sets
)
MOST_OVERRUNS = (
    6  # loops found too long one at a time; after that, no loop of the kernel is run out
)
SHARED_START = 128  # the shared window starts at a multiple of this
# runs that each learn of variables whose lanes part; after that, those of every loop are taken to
MOST_PARTINGS = 6
MOST_TURNINGS = 4  # the same for loops that rewrite what is not known
MOST_BLOCKS = 1 << 24
AXES = ("x", "y", "z")


@dataclass(slots=True)
class Execution:
    """What all sets of blocks together gave."""

    record: Record = field(default_factory=Record)
    assumptions: dict[str, frozenset[str]] = field(
        default_factory=dict
    )  # with the unknowns that each is about
    open_loops: frozenset[ir.Loop] = frozenset()
    apart: frozenset[Parting] = frozenset()
    partings: int = 0  # how often lanes were seen to part
    turnings: int = 0  # how often turns of loops had to be told apart after all
    runs: int = 0
    measured: bool = False

    def learn(self, machine: Machine, learnt: OverBudget | Apart) -> bool:
        """Takes in what a run of all blocks learns of one loop, for that run to go on; False where
        it concerns every loop."""
        if isinstance(learnt, OverBudget):
            if len(self.open_loops) >= MOST_OVERRUNS:
                return False
            self.open_loops |= {learnt.loop}
        else:
            if self.partings + 1 >= MOST_PARTINGS:
                return False
            self.partings += 1
            self.apart |= learnt.partings
        machine.open_loops, machine.apart = self.open_loops, self.apart
        return True


def execute(
    kernel: ir.Kernel,
    launch: facts.Launch,
    device: Device,
    budget: int = 20_000_000,
    measure: bool = False,
    views: dict[bool, View] | None = None,
) -> LaunchResult:
    """The facts of `kernel` under `launch`; `budget` in units of work. `measure`: with what an
    estimate of time needs. `views`: what nvcc makes of this kernel, which depends on no launch:
    looked at for the first, kept for the others."""
    _check(kernel, launch, device)
    stated = (
        launch.origin != "assumed" and launch.grid is not None
    )  # else nothing is exact in the first place
    if device.capability is None:
        kernel = replace(kernel, keeps_calls=True)  # what nvcc surely does, another compiler may
    limits = Limits(statements=max(2_000, budget // UNITS), measure=measure)
    views = {} if views is None else views
    if stated and kernel.keeps_calls not in views:
        views[kernel.keeps_calls] = look(kernel)
    found = _facts(kernel, launch, device, limits, views[kernel.keeps_calls] if stated else None)
    if stated or not _may_cost_less(kernel, found.kernel):
        return found
    view = glance(kernel)
    if view is None:
        return replace(found, kernel=replace(found.kernel, as_written=True))
    return _facts(kernel, launch, device, limits, view)


def _facts(
    kernel: ir.Kernel, launch: facts.Launch, device: Device, limits: Limits, view: View | None
) -> LaunchResult:
    analysis = Analysis(
        kernel.body, kernel.label, outcomes=view.outcomes if view is not None else None
    )
    execution = run_blocks(kernel, analysis, launch, device, limits)
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
    could move, too."""
    offsets = (
        sorted({offset for offset in access.example.lanes if offset is not None})
        if access.example is not None
        else []
    )
    nearest = min((b - a for a, b in pairwise(offsets)), default=0)
    return access.bytes < nearest <= WIDEST


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
        if launch.span is not None and launch.origin.startswith("launch at"):
            raise SourceError(_fails(kernel, over, by), launch.span, "KL602")
        if by != device.title:
            raise refused("launch-bounds", kernel.span, what=over.what, most=over.most)
        raise refused("launch-size", kernel.span, what=over.what, device=by, most=over.most)
    if launch.grid is not None and math.prod(launch.grid) > MOST_BLOCKS:
        raise refused("grid-size", kernel.span, blocks=math.prod(launch.grid), most=MOST_BLOCKS)


def _fails(kernel: ir.Kernel, over: Excess, by: str) -> str:
    most = f"{by} allows at most {over.most:,}"
    return f"this launch of `{kernel.name}` fails when the program runs: {over.what}, and {most}"


def run_blocks(
    kernel: ir.Kernel, analysis: Analysis, launch: facts.Launch, device: Device, limits: Limits
) -> Execution:
    execution = Execution(measured=limits.measure)
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
        except Turning:
            execution.turnings += 1
            around = (
                {loop for _, loop in machine.axis_loops}
                if execution.turnings < MOST_TURNINGS
                else every_loop(kernel.body)
            )
            stepped |= {loop for loop in around if analysis.plan_of(loop).rewrites}
            pending.append(blocks)
        except OverBudget as over:
            execution.open_loops |= (
                {over.loop}
                if len(execution.open_loops) < MOST_OVERRUNS
                else every_loop(kernel.body)
            )
            execution.record, execution.assumptions = Record(), {}
            pending = [np.arange(total, dtype=np.int64)]
        except Apart as apart:
            execution.partings += 1
            known = execution.partings < MOST_PARTINGS
            execution.apart |= (
                apart.partings if known else {(loop, None) for loop in every_loop(kernel.body)}
            )
            execution.record, execution.assumptions = Record(), {}
            pending = [np.arange(total, dtype=np.int64)]
        else:
            merge(execution.record, machine.record)
            execution.assumptions.update(machine.evaluator.assumptions)
    return execution


def every_loop(body: ir.Body) -> frozenset[ir.Loop]:
    return frozenset(s for s in walk(body) if isinstance(s, ir.Loop))


def machine_for(
    kernel: ir.Kernel,
    analysis: Analysis,
    launch: facts.Launch,
    device: Device,
    limits: Limits,
    blocks: Array,
    execution: Execution,
    stepped: frozenset[ir.Loop],
) -> Machine:
    threads = math.prod(launch.block)
    padded = -(-threads // device.warp_lanes) * device.warp_lanes
    lanes = np.minimum(np.arange(padded), threads - 1)
    sizes = {BLOCK: len(blocks), LANE: padded}
    inside = of_factor((LANE,), np.arange(padded) < threads)
    initial = Mask(inside, inside)
    builtins = {**_thread_builtins(lanes, launch, device), **_block_builtins(blocks, launch)}
    dynamic, loops, apart = launch.dynamic_shared_bytes, execution.open_loops, execution.apart
    machine = Machine(
        analysis, builtins, sizes, blocks, device, initial, dynamic, limits, loops, stepped, apart
    )
    machine.evaluator.atoms.splitting = execution.runs <= MOST_SPLITTING
    for object_, multiple in shared_multiples(kernel.objects).items():
        machine.evaluator.place(object_, multiple)
    for parameter in kernel.parameters:
        machine.assign(parameter.variable, _argument(parameter, launch, machine))
    return machine


def shared_multiples(objects: tuple[ir.MemoryObject, ...]) -> dict[ir.MemoryObject, int]:
    """What each shared object's base is a multiple of, whichever order the assembler lays them out
    in: its alignment, or what divides the sizes of all that may lie before it (static objects start
    at the window's start, dynamic memory follows them)."""
    static = [o for o in objects if o.space == "shared" and not o.dynamic]
    several = (
        sum(o.space == "shared" and o.dynamic for o in objects) > 1
    )  # OpenCL's local arguments follow one another
    found = {}
    for object_ in objects:
        if object_.space == "shared" and not (object_.dynamic and several):
            before = [o.size or 1 for o in static if o is not object_]
            found[object_] = max(object_.align, math.gcd(SHARED_START, *before))
    return found


MOST_THREADS = (
    (1 << 31) - 1
)  # of a grid that is not known: `int i = blockIdx.x * blockDim.x + threadIdx.x` is what kernels count them by


def _thread_builtins(lanes: Array, launch: facts.Launch, device: Device) -> dict[str, Value]:
    x, y, _ = launch.block
    index = {"x": lanes % x, "y": lanes // x % y, "z": lanes // (x * y)}
    found = {f"tid.{axis}": Value(sums.along(LANE, index[axis])) for axis in AXES}
    found |= {f"ntid.{axis}": integer(n) for axis, n in zip(AXES, launch.block, strict=True)}
    found |= {f"goffset.{axis}": integer(0) for axis in AXES}
    positions = np.arange(len(lanes))
    found["laneid"] = Value(sums.along(LANE, positions % device.warp_lanes))
    found["warpid"] = Value(sums.along(LANE, positions // device.warp_lanes))
    found["warpsize"] = integer(device.warp_lanes)
    found["unique.lane"] = Value(sums.along(LANE, positions))
    if launch.dynamic_shared_bytes is not None:
        found["dynamic_smem_size"] = integer(launch.dynamic_shared_bytes)
    return found


def _block_builtins(blocks: Array, launch: facts.Launch) -> dict[str, Value]:
    found: dict[str, Value] = {}
    if launch.grid is None:
        most = MOST_THREADS // math.prod(launch.block)
        for axis in AXES:
            found[f"ctaid.{axis}"] = of_atom(
                Atom(f"blockIdx.{axis}", "unknown-launch", 0, most - 1)
            )
            found[f"nctaid.{axis}"] = of_atom(Atom(f"gridDim.{axis}", "unknown-launch", 1, most))
        return found
    x, y, _ = launch.grid
    index = {"x": blocks % x, "y": blocks // x % y, "z": blocks // (x * y)}
    found = {f"ctaid.{axis}": Value(sums.along(BLOCK, index[axis])) for axis in AXES}
    found |= {f"nctaid.{axis}": integer(n) for axis, n in zip(AXES, launch.grid, strict=True)}
    found["unique.block"] = Value(sums.along(BLOCK, blocks))
    return found


def _argument(parameter: ir.Parameter, launch: facts.Launch, machine: Machine) -> Value:
    given = launch.arguments.get(parameter.name)
    type_ = parameter.variable.type
    if isinstance(type_, Pointer):
        if parameter.object is None:
            return of_atom(Atom(parameter.name, "unknown-pointer"))
        if isinstance(given, int) and given == 0:
            return of_atom(machine.evaluator.nullify(parameter.object))
        if given is None:
            machine.evaluator.unstated.add(parameter.object)
        if isinstance(given, facts.PointerArgument) and given.align < parameter.object.align:
            machine.evaluator.place(parameter.object, given.align)
        base = of_atom(machine.evaluator.base(parameter.object))
        return (
            add(base, integer(given.offset_bytes))
            if isinstance(given, facts.PointerArgument)
            else base
        )
    if isinstance(given, (int, float)) and not isinstance(given, facts.PointerArgument):
        if isinstance(type_, Float):
            return Value(sums.ZERO, real=float(given))
        if isinstance(type_, Integer):
            return Value(sums.wrap(sums.constant(int(given)), type_.bits, type_.signed))
    stated = next((fact for fact in launch.stated if fact.name == parameter.name), None)
    return _unknown_argument(parameter.name, type_, stated if isinstance(type_, Integer) else None)


def _unknown_argument(name: str, type_: Type, stated: facts.ArgumentFact | None) -> Value:
    """An argument whose value is not known, taken not to be negative unless that is stated."""
    low, high = type_bounds(type_)
    size = isinstance(type_, Integer) and not type_.is_bool
    if stated is not None:
        negative = stated.low is not None or (stated.high is not None and stated.high < 0)
        held = stated.within(low if negative else 0, high)
        if held is not None and held.low is not None and held.high is not None:
            if held.low == held.high:
                return integer(held.low)
            rest = held.rest
            low, high = held.low - rest, held.high - rest
            atom = Atom(
                name,
                "unknown-argument",
                low,
                high,
                held.multiple,
                is_size=size and held.low >= 0,
                beyond=rest,
            )
            return add(integer(rest), of_atom(atom))
    return of_atom(Atom(name, "unknown-argument", 0, high, is_size=size))
