"""Tallies to facts: totals to means, what is unknown to a status with its reason.

In: the record of all blocks. Out: `facts.Kernel`. This is the one place where a number is called exact, a range or unknown.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from kernlint import facts
from kernlint.execution.analysis import Analysis
from kernlint.execution.barriers import BarrierTally
from kernlint.execution.cases import conditions
from kernlint.execution.record import BranchTally
from kernlint.execution.tally import Metric, Tally
from kernlint.hardware import Device
from kernlint.lowering import ir
from kernlint.lowering.types import Array, Pointer, Type

if TYPE_CHECKING:
    from kernlint.execution.run import Execution


def kernel_facts(kernel: ir.Kernel, analysis: Analysis, launch: facts.Launch, device: Device, execution: Execution) -> facts.Kernel:
    from kernlint.symbolic.index import index_texts

    texts = index_texts(kernel, launch)
    assumptions = tuple(execution.assumptions)
    blocks = math.prod(launch.grid) if launch.grid is not None else None
    accesses = [
        _access(tally, texts.get(tally.site, ""), launch, device, blocks, assumptions)
        for tally in execution.record.accesses.values()
        if not (tally.space == "local" and _in_registers(tally, execution))
    ]
    accesses.sort(key=lambda a: (a.span.path, a.span.line, a.span.column, a.op))
    shared = [a for a in accesses if a.space == "shared" and a.wavefronts is not None and a.requests is not None]
    complete = blocks is not None and all(a.wavefronts is not None and a.requests is not None for a in accesses if a.space == "shared")
    total = sum(a.wavefronts.mean * a.requests for a in shared if a.wavefronts and a.requests)
    ideal = sum(a.wavefronts.ideal * a.requests for a in shared if a.wavefronts and a.requests)
    return facts.Kernel(
        kernel.name,
        kernel.qualified_name,
        kernel.template_arguments,
        kernel.span,
        launch,
        tuple(accesses),
        tuple(sorted((_branch(b, assumptions) for b in execution.record.branches.values()), key=lambda b: (b.span.line, b.span.column))),
        tuple(sorted((_barrier(b) for b in execution.record.barriers.values()), key=lambda b: (b.span.line, b.span.column))),
        kernel.static_shared_bytes,
        launch.dynamic_shared_bytes,
        _cycles(total / blocks, device) if complete and blocks and shared else None,
        _cycles(ideal / blocks, device) if complete and blocks and shared else None,
        assumptions,
    )


def _cycles(wavefronts: float, device: Device) -> float:
    """T(i, w, c) with i·w·c = the wavefronts of one block."""
    return round(device.c1 * wavefronts + device.c2, 3)


def _in_registers(tally: Tally, execution: Execution) -> bool:
    """A local array all of whose indices are constant once loops are unrolled lives in registers."""
    objects = set(tally.objects)
    return all(t.always_constant for (_, space), t in execution.record.accesses.items() if space == "local" and objects & set(t.objects))


def _access(
    tally: Tally, index: str, launch: facts.Launch, device: Device, blocks: int | None, assumptions: tuple[str, ...]
) -> facts.Access:
    site = tally.site
    objects = list(tally.objects)
    first = objects[0] if objects else None
    counted = tally.weight > 0 and not tally.uncounted and tally.space in ("shared", "global", "local")
    shared = tally.space == "shared"
    status, reason, detail = _status(tally, launch, counted, assumptions)
    requests = None if tally.open_count else tally.requests
    wavefronts = _counts(tally.wavefronts, tally, status) if counted and shared else None
    shape, element = _shape(first.type) if first is not None else ((), 0)
    return facts.Access(
        span=site.span,
        charged_line=site.charged_line,
        text=site.text,
        object="|".join(dict.fromkeys(o.name for o in objects)),
        space=tally.space,
        op=site.op,
        hardware_op=site.hardware_op,
        bytes=site.pieces[0][1],
        index=index,
        status=status,
        assumptions=(*tally.assumptions, *assumptions, *_launch_assumption(launch)),
        reason=reason,
        detail=detail,
        requests=requests,
        active_lanes=_lanes(tally),
        wavefronts=wavefronts,
        sectors=_counts(tally.sectors, tally, status) if counted and not shared else None,
        cache_lines=_counts(tally.lines, tally, status) if counted and tally.space == "global" else None,
        cycles=_cycles(wavefronts.mean * requests / blocks, device) if wavefronts is not None and requests is not None and blocks else None,
        cases=_cases(tally),
        example=_example(tally, launch),
        object_span=first.span if first is not None else None,
        calls=site.calls,
        notes=site.notes,
        conditional=tally.open_count,
        in_loop=tally.loops[-1].site.span if tally.loops else None,
        width_total=sum(width for _, width in site.pieces),
        object_shape=shape,
        element_bytes=element,
    )


def _launch_assumption(launch: facts.Launch) -> tuple[str, ...]:
    return () if launch.origin != "assumed" else (f"block {'x'.join(map(str, launch.block))} is assumed",)


def _lanes(tally: Tally) -> float | None:
    if tally.requests and not tally.open_count:
        return tally.lanes / tally.requests
    return tally.weight_lanes / tally.weight if tally.weight else None


def _status(tally: Tally, launch: facts.Launch, counted: bool, assumptions: tuple[str, ...]) -> tuple[str, str, str]:
    reasons = list(tally.reasons)
    if (
        tally.site.op == "atomic"
        and tally.space == "shared"
        and (tally.site.floating or tally.site.pieces[0][1] > 4)
        and tally.site.hardware_op == "atomic"
    ):
        return "range" if counted else "unknown", "compiler", "compiles to a loop of compare-and-swap"
    if not counted and tally.space in ("shared", "global", "local"):
        preferred = [r for r in reasons if r[0] not in ("unknown-trip-count", "unknown-launch")] or reasons or [("unsupported", "")]
        return "unknown", *preferred[0]
    if reasons:
        return "range", *reasons[0]
    if tally.assumptions or assumptions:
        return "range", "unknown-argument", ""
    if launch.origin == "assumed" or launch.grid is None:
        return "range", "unknown-launch", "the launch is assumed"
    return "exact", "", ""


def _counts(metric: Metric, tally: Tally, status: str) -> facts.Counts | None:
    if metric.minimum is None or metric.maximum is None or not tally.weight:
        return None
    mean = metric.total / tally.weight
    low, high = metric.low / tally.weight, metric.high / tally.weight
    if status != "exact" and tally.open_count:
        low, high = min(low, metric.minimum), max(high, metric.maximum)
    return facts.Counts(metric.minimum, mean, metric.maximum, metric.ideal / tally.weight, low, high)


def _cases(tally: Tally) -> tuple[facts.Case, ...]:
    found = []
    for (name, modulus), residues in tally.cases.items():
        shared = tally.space == "shared"
        counts = {r: (t.wavefronts if shared else t.sectors) / t.requests for r, t in residues.items()}
        found += [facts.Case(text, n if shared else None, None if shared else n) for text, n in conditions(name, modulus, counts)]
    return tuple(found)


def _example(tally: Tally, launch: facts.Launch) -> facts.Example | None:
    if tally.widest is None:
        return None
    x, y, _ = launch.grid or (1, 1, 1)
    block = tally.widest.block or 0
    return facts.Example((block % x, block // x % y, block // (x * y)), tally.widest.warp, tally.widest.lanes, tally.widest.count)


def _shape(type_: Type) -> tuple[tuple[int, ...], int]:
    extents: list[int] = []
    while isinstance(type_, Array):
        if type_.count is not None:
            extents.append(type_.count)
        type_ = type_.element
    if isinstance(type_, Pointer):
        return (), type_.pointee.size or 0
    return tuple(extents), type_.size or 0


def _branch(tally: BranchTally, assumptions: tuple[str, ...]) -> facts.Branch:
    site = tally.site
    reason, detail = next(iter(tally.reasons), ("", ""))
    status = "unknown" if tally.unknown else "range" if tally.open_count else "exact"
    if status == "exact" and assumptions:
        status, reason = "range", "unknown-argument"
    return facts.Branch(
        site.span,
        site.kind,
        site.condition,
        status,
        None if tally.open_count else tally.evaluations,
        None if tally.unknown or (tally.open_count and tally.divergent) else tally.divergent,
        reason,
        assumptions,
        site.calls,
        detail,
    )


def _barrier(tally: BarrierTally) -> facts.Barrier:
    return facts.Barrier(
        tally.site.span, tally.site.text, tally.site.scope, tally.uniform, tally.after_exit, tally.detail, tally.site.calls
    )
