"""The machine at a kernel's start: the lanes of a set of blocks, the launch's builtins, arguments.

In: a kernel, a launch, a device, blocks. Out: a `Machine` that has run nothing. What the launch
does not give is an unknown.
"""

from __future__ import annotations

import math

import numpy as np

from kernlint.execution.analysis import Analysis
from kernlint.execution.assignment import assign
from kernlint.execution.machine import Machine
from kernlint.execution.progress import Execution
from kernlint.execution.state import Limits
from kernlint.execution.values import sums
from kernlint.execution.values.booleans import of_factor
from kernlint.execution.values.masks import Mask
from kernlint.execution.values.sums import BLOCK, LANE, Array
from kernlint.execution.values.values import Atom, Value, add, integer, of_atom
from kernlint.hardware import Device
from kernlint.ir import nodes as ir
from kernlint.ir.types import Float, Integer, Pointer, Type, type_bounds
from kernlint.model import facts

# runs that choices by block may split: ten bits of the block's number are a thousand sets
MOST_SPLITTING = 16
SHARED_START = 128  # the shared window starts at a multiple of this
AXES = ("x", "y", "z")


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
    dynamic, loops, known_divergences = (
        launch.dynamic_shared_bytes,
        execution.open_loops,
        execution.known_divergences,
    )
    machine = Machine(
        analysis,
        builtins,
        sizes,
        blocks,
        device,
        initial,
        dynamic,
        limits,
        loops,
        stepped,
        known_divergences,
    )
    machine.evaluator.opencl = kernel.language == "opencl"
    machine.evaluator.atoms.splitting = execution.runs <= MOST_SPLITTING
    machine.extents = _extents(kernel, launch)
    own = {parameter.variable: parameter.name for parameter in kernel.parameters}
    machine.evaluator.lower_bounds = frozenset(own[v] for v in analysis.lower_bounds_of(own))
    for object_, multiple in shared_multiples(kernel.objects).items():
        machine.evaluator.place(object_, multiple)
    for parameter in kernel.parameters:
        assign(machine, parameter.variable, _argument(parameter, launch, machine))
        if parameter.place is not None:
            object_, offset = parameter.place
            machine.parameters.setdefault(object_, {})[offset] = parameter.variable
    return machine


def _extents(kernel: ir.Kernel, launch: facts.Launch) -> dict[ir.MemoryObject, int]:
    """The bytes of what the launch gives: dynamic shared memory, allocations that arguments point
    to. OpenCL's local arguments each have a size of their own, which is not known."""
    found: dict[ir.MemoryObject, int] = {}
    shared = launch.dynamic_shared_bytes
    if not shared and not launch.in_host_code:
        shared = None  # nobody may have thought of the bytes
    if shared is not None and kernel.language == "cuda":
        dynamic = (o for o in kernel.objects if o.space == "shared" and o.dynamic)
        found.update(dict.fromkeys(dynamic, shared))
    for parameter in kernel.parameters:
        given = launch.arguments.get(parameter.name)
        size = given.allocated_bytes if isinstance(given, facts.PointerArgument) else None
        if parameter.object is not None and size is not None:
            found[parameter.object] = size
    return found


def shared_multiples(objects: tuple[ir.MemoryObject, ...]) -> dict[ir.MemoryObject, int]:
    """What each shared object's base is a multiple of, whichever order the assembler lays them out
    in: its alignment, or what divides the sizes of all that may lie before it (static objects start
    at the window's start, dynamic memory follows them)."""
    static = [o for o in objects if o.space == "shared" and not o.dynamic]
    # OpenCL's local arguments follow one another
    several = sum(o.space == "shared" and o.dynamic for o in objects) > 1
    found = {}
    for object_ in objects:
        if object_.space == "shared" and not (object_.dynamic and several):
            before = [o.size or 1 for o in static if o is not object_]
            found[object_] = max(object_.align, math.gcd(SHARED_START, *before))
    return found


# of a grid that is not known: `int i = blockIdx.x * blockDim.x + threadIdx.x` is what kernels count
# them by
MOST_THREADS = (1 << 31) - 1


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
    before = 1
    for axis, size in zip(AXES, launch.grid, strict=True):
        if size == 1:
            found[f"ctaid.{axis}"] = integer(0)
        else:
            index = blocks if before == 1 else blocks // before
            rest = size * before < math.prod(launch.grid)
            found[f"ctaid.{axis}"] = Value(sums.along(BLOCK, index % size if rest else index))
        before *= size
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
