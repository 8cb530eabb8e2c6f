"""Host code run with one lane to find the launches it makes.

In: a lowered host function. Out: (kernel handle, `facts.Launch`) for every distinct launch reached. Values that stay unknown are left out
of the launch; a launch whose block is unknown is left out altogether.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from kernlint import facts, hardware
from kernlint.execution.analysis import Analysis
from kernlint.execution.machine import Machine
from kernlint.execution.masks import Mask
from kernlint.execution.pruning import pruned
from kernlint.execution.record import LaunchReached, Limits, OverBudget
from kernlint.execution.sums import BLOCK, LANE
from kernlint.execution.values import Atom, Value, base_of, granularity, of_atom, type_bounds
from kernlint.lowering import ir
from kernlint.lowering.types import Pointer

ALLOCATION = 256  # cudaMalloc aligns at least so (CUDA C++ Programming Guide, device memory accesses)
HOST_LIMITS = Limits(steps=2_000, statements=100_000)


def launches(function: ir.HostFunction) -> list[tuple[Any, facts.Launch]]:
    """Every distinct launch that `function` reaches, in order."""
    body = pruned(function.body)
    analysis = Analysis(body, function.label, is_host=True)
    open_loops: frozenset[ir.Loop] = frozenset()
    while True:
        machine = Machine(analysis, {}, {BLOCK: 1, LANE: 1}, np.zeros(1, np.int64), _one_lane(), Mask(), None, HOST_LIMITS, open_loops)
        for parameter in function.parameters:
            machine.assign(parameter.variable, _handed_in(parameter, machine))
        try:
            machine.run(body)
        except OverBudget as over:
            open_loops |= {over.loop}
            continue
        break
    found: dict[str, tuple[Any, facts.Launch]] = {}
    for reached in machine.record.launches:
        launch = _launch(reached)
        if launch is not None:
            found.setdefault(f"{reached.statement.kernel}{launch}", (reached.statement.kernel, launch))
    return list(found.values())


def _handed_in(parameter: ir.Parameter, machine: Machine) -> Value:
    """A parameter of a host function nobody calls: a pointer is taken to be the start of an allocation."""
    type_ = parameter.variable.type
    if isinstance(type_, Pointer):
        return of_atom(machine.evaluator.base(ir.MemoryObject(parameter.name, "global", type_, None, ALLOCATION, parameter.variable.span)))
    return of_atom(Atom(parameter.name, "unknown-argument", *type_bounds(type_)))


def _one_lane() -> hardware.Device:
    return replace(hardware.device("h100"), warp_lanes=1)


def _integer(value: Value) -> int | None:
    if value.is_known and value.known.is_constant and value.condition is None:
        return value.known.const
    return None


def _launch(reached: LaunchReached) -> facts.Launch | None:
    block = [_integer(v) for v in reached.block]
    grid = [_integer(v) for v in reached.grid]
    if any(n is None or n < 1 for n in block):
        return None
    span = reached.statement.span
    known = not any(n is None or n < 1 for n in grid)
    return facts.Launch(
        grid=(grid[0] or 1, grid[1] or 1, grid[2] or 1) if known else None,
        block=(block[0] or 1, block[1] or 1, block[2] or 1),
        dynamic_shared_bytes=_integer(reached.dynamic_shared),
        arguments=_arguments(reached),
        origin=f"launch at line {span.line}" if known else "assumed",
        span=span,
        template_arguments=getattr(reached.statement.kernel, "template_arguments", ()),
    )


def _arguments(reached: LaunchReached) -> dict[str, int | float | facts.PointerArgument]:
    found: dict[str, int | float | facts.PointerArgument] = {}
    for name, value in reached.arguments:
        number = _integer(value)
        base = base_of(value)
        if value.real is not None:
            found[name] = value.real
        elif number is not None:
            found[name] = number
        elif base is not None and base.base is not None and value.known.is_constant:
            shifts = {atom: c for atom, c in value.terms.items() if atom is not base}
            align = math.gcd(base.multiple, granularity(Value(value.known, shifts)))
            found[name] = facts.PointerArgument(value.known.const, base.name, align)
    return found
