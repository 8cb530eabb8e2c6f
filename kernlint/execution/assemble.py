"""Tallies to facts: totals to means, what is unknown to a status with its reason.

In: the record of all blocks. Out: `facts.Kernel`, with the input of its estimate. This is the one
place where a number is called exact, a range or unknown.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from kernlint.base.dataclass import dataclass, replace
from kernlint.execution.analysis import Analysis
from kernlint.execution.arithmetic_facts import operations
from kernlint.execution.counting import lane_patterns
from kernlint.execution.counting.array_places import (
    KEPT,
    Placement,
    Surroundings,
    indexed,
    placements,
    rolled,
)
from kernlint.execution.counting.assumption_dependence import Site, dependent_facts, undefined
from kernlint.execution.counting.cases import ALWAYS, conditions
from kernlint.execution.counting.compiled import Predictions, gone, predictions
from kernlint.execution.counting.extents import is_scalar, member_of, shape_of
from kernlint.execution.counting.number_status import (
    NumberStatus,
    counts_of,
    fewest_lanes_of,
    lanes_of,
    lines_of,
    sectors_of,
    wavefronts_of,
)
from kernlint.execution.counting.tally import Tally
from kernlint.execution.counting.total_bounds import TotalBounds, total_bounds
from kernlint.execution.faults.fault_facts import fault_facts, race_facts
from kernlint.execution.faults.tally import ROW
from kernlint.execution.measured import LaunchResult, Measured
from kernlint.execution.progress import Execution
from kernlint.execution.record import BranchTally
from kernlint.execution.synchronisation.barrier_facts import barrier_facts
from kernlint.hardware import Device
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import walk
from kernlint.model import facts
from kernlint.optimizer.compiler import View, risks
from kernlint.optimizer.compiler_facts import CHARGED, WIDEST, LoopFacts, Risk
from kernlint.optimizer.compiler_run_out import run_out

if TYPE_CHECKING:
    from kernlint.model.element_index import ElementIndex

ANY_GRID = ("unknown-launch", "the grid")  # the reason where nothing but the grid is unknown
# spaces whose requests the hardware model counts
COUNTED = (
    "shared",
    "global",
    "local",
    "constant",
)


def _narrowed(changes: Mapping[ir.AccessSite, tuple[Risk, ...]]) -> dict[ir.AccessSite, str]:
    """Accesses of which nvcc may leave parts out, with the reason."""
    risks = ((site, risk) for site, some in changes.items() for risk in some)
    return {site: risk.text for site, risk in risks if risk.kind == "narrowed"}


def kernel_facts(
    kernel: ir.Kernel,
    analysis: Analysis,
    launch: facts.Launch,
    device: Device,
    execution: Execution,
    view: View | None,
) -> LaunchResult:
    from kernlint.algebra.index import index_reader

    read = index_reader(kernel, launch)
    changes = risks(kernel, _loop_facts(analysis, execution), view) if view is not None else {}
    unseen = undefined(kernel.body)
    known_names = {parameter.name for parameter in kernel.parameters} | unseen
    presumed = {
        text: names for text, names in execution.assumptions.items() if names <= known_names
    }
    others = (text for text in execution.assumptions if text not in presumed)
    assumptions = tuple(dict.fromkeys((*launch.assumptions, *kernel.notes, *others)))
    blocks = math.prod(launch.grid) if launch.grid is not None else None
    known = predictions(view.outcomes if view is not None else {}, execution.record, blocks)
    stated = dependent_facts(
        kernel, {fact.wording: frozenset((fact.name,)) for fact in launch.stated}, analysis.reads_by
    )
    tallies: dict[ir.AccessSite, list[Tally]] = defaultdict(list)
    for (site, _), tally in execution.record.accesses.items():
        tallies[site].append(tally)
    situation = Situation(
        launch,
        device,
        blocks,
        assumptions,
        known,
        dependent_facts(kernel, presumed, analysis.reads_by),
        stated,
        tallies,
        frozenset(site for site, _, kind in execution.record.faults if kind != ROW),
        view is not None and view.walker is not None,
    )
    staying = rolled(execution.record)
    in_memory = indexed(execution.record, staying)
    counted = [
        t
        for t in execution.record.accesses.values()
        if t.space != "local" or not in_memory.isdisjoint(t.objects)
    ]
    tallied = [
        (tally, _access(tally, partial(read, tally.site), situation, changes.get(tally.site, ())))
        for tally in counted
    ]
    branches = list(_branches(kernel, execution, situation, view))
    warps = (blocks or 1) * -(-math.prod(launch.block) // device.warp_lanes)
    around = Surroundings(kernel, analysis, branches, staying, warps)
    places = placements(tallied, around)
    for i, where in places.items():
        tally = tallied[i][0]
        tallied[i] = (
            tally,
            _placed(
                tally, partial(read, tally.site), situation, changes.get(tally.site, ()), where
            ),
        )
    tallied = [(tally, _again(access, tally, view, tallies)) for tally, access in tallied]
    bounds = [_bounds_of(*found, known, changes, places.get(i)) for i, found in enumerate(tallied)]
    accesses = [access for _, access in tallied]
    accesses.sort(key=lambda a: (a.span.path, a.span.line, a.span.column, a.op))
    shared = [a for a in accesses if a.space == "shared"]
    complete = situation.block_known and all(
        a.wavefronts is not None and a.per_block is not None for a in shared
    )
    passes = _block_passes(tallied, bounds, blocks) if complete and shared else None
    cycles: Sequence[float | None] = (
        [None] * 4 if passes is None else [_cycles(wavefronts, device) for wavefronts in passes]
    )
    found = facts.Kernel(
        kernel.name,
        kernel.qualified_name,
        kernel.template_arguments,
        kernel.span,
        launch,
        (*assumptions, *presumed, *(fact.wording for fact in launch.stated)),
        tuple(accesses),
        tuple(
            sorted(
                (b for b in branches if b.kind != ir.LIBRARY),
                key=lambda b: (b.span.line, b.span.column),
            )
        ),
        barrier_facts(kernel, launch, device, execution.record.barriers),
        kernel.static_shared_bytes,
        _dynamic_shared(kernel, launch),
        cycles[0],
        cycles[1],
        faults=fault_facts(
            execution.record.faults,
            _narrowed(changes),
            execution.unwritten,
            execution.unwaited,
            execution.spin_locks,
            execution.overlaps,
            execution.ended,
            launch,
        ),
        races=race_facts(execution.races),
        not_counted=_not_counted(kernel),
        operations=operations(kernel, analysis),
        undefined=tuple(sorted(unseen)),
        parameters=tuple(
            facts.Parameter(p.name, p.variable.type.size, p.object is not None)
            for p in kernel.parameters
        ),
        shared_cycles_low=cycles[2],
        shared_cycles_high=cycles[3],
        language=kernel.language,
    )
    measured = _measured(kernel, analysis, launch, device, execution, tallied, bounds)
    return LaunchResult(found, measured if execution.measured else None)


def _dynamic_shared(kernel: ir.Kernel, launch: facts.Launch) -> int | None:
    """Bytes that the launch adds. In OpenCL they are those of `__local` arguments: none where there
    is no such argument."""
    if kernel.language == "opencl" and not any(target.dynamic for target in kernel.objects):
        return 0
    return launch.dynamic_shared_bytes


def _bounds_of(
    tally: Tally,
    access: facts.Access,
    known: Predictions,
    changes: Mapping[ir.AccessSite, tuple[Risk, ...]],
    where: Placement | None,
) -> TotalBounds:
    own = changes.get(tally.site, ())
    if known.sure(tally, own):
        return total_bounds(tally, access, ())
    return total_bounds(
        tally, access, own if where is None or where.change is None else (*own, where.change)
    )


def _block_passes(
    tallied: Sequence[tuple[Tally, facts.Access]], bounds: Sequence[TotalBounds], blocks: int | None
) -> tuple[float, float, float, float]:
    """Wavefronts of a block as the machine executes it, without conflicts, and at least and at
    most."""
    found = [0.0] * 4
    for (_, access), around in zip(tallied, bounds, strict=True):
        compiled = access.as_compiled
        requests, counts = access.per_block, access.wavefronts
        if compiled is not None:
            requests, counts = (
                0 if compiled.requests == 0 else compiled.per_block,
                compiled.wavefronts,
            )
        if access.space == "shared" and counts is not None and requests:
            total = counts.mean * requests
            each = (
                total,
                counts.ideal * requests,
                total * around.total[0],
                total * around.total[1],
            )
            found = [a + b for a, b in zip(found, each, strict=True)]
    return found[0], found[1], found[2], found[3]


def _measured(
    kernel: ir.Kernel,
    analysis: Analysis,
    launch: facts.Launch,
    device: Device,
    execution: Execution,
    tallied: list[tuple[Tally, facts.Access]],
    bounds: list[TotalBounds],
) -> Measured:
    record, warps = execution.record, -(-math.prod(launch.block) // device.warp_lanes)
    doubtful = frozenset(record.doubtful)
    executions, longest = record.executions, record.longest
    return Measured(
        kernel,
        analysis,
        tuple(tallied),
        executions,
        doubtful,
        longest,
        record.touched,
        warps,
        record.reached,
        tuple(bounds),
    )


def _cycles(wavefronts: float, device: Device) -> float:
    """T(i, w, c) with i·w·c = the wavefronts of one block."""
    return round(device.c1 * wavefronts + device.c2, 3)


def _access_cycles(
    wavefronts: facts.Counts | None, per_block: float | None, situation: Situation
) -> float | None:
    if wavefronts is None or per_block is None or not situation.block_known:
        return None
    return _cycles(wavefronts.mean * per_block, situation.device)


UNMEASURED = (0.25, 4.0)  # how far an assumed rule may be off


@dataclass(frozen=True, slots=True)
class Situation:
    """What all accesses of one execution share. `blocks`: how many, None when the grid is not
    known. `assumptions`: of the whole kernel; `presumed` and `stated`: those that single sites rest
    on. `tallies`: of each site. `faulty`: sites that cannot run right. `looked`: whether all that
    nvcc may do to accesses was looked for."""

    launch: facts.Launch
    device: Device
    blocks: int | None
    assumptions: tuple[str, ...]
    predictions: Predictions
    presumed: Mapping[Site, tuple[str, ...]]
    stated: Mapping[Site, tuple[str, ...]]
    tallies: Mapping[ir.AccessSite, list[Tally]]
    faulty: frozenset[ir.AccessSite]
    looked: bool

    def assumed(self, site: Site) -> tuple[str, ...]:
        """What keeps the figures of a site from being exact."""
        return *self.assumptions, *self.presumed.get(site, ())

    def assumptions_at(self, site: Site) -> tuple[str, ...]:
        """All that the figures of a site rest on."""
        return *self.assumed(site), *self.stated.get(site, ()), *_launch_assumption(self.launch)

    @property
    def block_known(self) -> bool:
        """Whether what a block does is worth telling where the launch is not known: not of a block
        that had to be assumed."""
        return self.blocks is not None or not self.launch.block_assumed


def _not_counted(kernel: ir.Kernel) -> tuple[str, ...]:
    """What the kernel's numbers lack, each with the lines where it stands."""
    lines: dict[str, list[int]] = defaultdict(list)
    for name, span in kernel.uncounted:
        lines[name].append(span.line)
    return tuple(f"{name} ({_lines(sorted(set(at)))})" for name, at in lines.items())


def _lines(numbers: Sequence[int]) -> str:
    return f"line{'' if len(numbers) == 1 else 's'} {', '.join(map(str, numbers))}"


def _access(
    tally: Tally, index: Callable[[], ElementIndex], situation: Situation, changes: tuple[Risk, ...]
) -> facts.Access:
    site, launch = tally.site, situation.launch
    objects = list(tally.objects)
    first = objects[0] if objects else None
    counted = tally.weight > 0 and not tally.uncounted and tally.space in COUNTED
    passes = tally.space in ("shared", "constant")
    sure = counted and situation.predictions.sure(tally, changes)
    standing = _standing(tally, situation, counted, () if sure else changes)
    if not sure and any(c.beside for c in changes):
        standing = replace(standing, beside=_beside(tally, situation, changes))
    if sure and standing.status == "exact" and not situation.predictions.exact(site):
        standing = NumberStatus(
            "range",
            "compiler",
            situation.predictions.open(site) or (changes[0].text if changes else ""),
        )
    each = standing
    if sure and situation.looked and (standing.reason, standing.detail) == ANY_GRID:
        each = _each_block(tally, situation, ())
    per_block = None if tally.open_count else tally.requests / (situation.blocks or 1)
    requests = None if situation.blocks is None or tally.open_count else tally.requests
    lanes = situation.device.warp_lanes
    wavefronts = counts_of(wavefronts_of, tally, standing, lanes) if counted and passes else None
    sectors = counts_of(sectors_of, tally, standing, lanes) if counted and not passes else None
    shape, element = shape_of(first.type) if first is not None else ((), 0)
    example = _example(tally, launch)
    return facts.Access(
        span=site.span,
        charged_line=site.charged_line,
        charged_path=site.charged_path,
        text=site.text,
        object="|".join(dict.fromkeys(o.name for o in objects)),
        space=tally.space,
        op=site.op,
        hardware_op=tally.hardware_op,
        bytes=site.pieces[0][1] if site.pieces else 0,
        element_index=index,
        status=standing.status,
        assumptions=(*tally.assumptions, *situation.assumptions_at(site)),
        reason=standing.reason,
        detail=standing.detail,
        requests=requests,
        per_block=per_block,
        active_lanes=lanes_of(tally),
        fewest_lanes=fewest_lanes_of(tally),
        wavefronts=wavefronts,
        sectors=sectors,
        cache_lines=counts_of(lines_of, tally, standing, lanes)
        if counted and tally.space == "global" and not tally.unlined
        else None,
        cycles=_access_cycles(wavefronts, per_block, situation)
        if tally.space == "shared"
        else None,
        as_compiled=situation.predictions.of(tally, each.status) if sure else None,
        cases=_cases(tally, wavefronts or sectors),
        example=example,
        object_span=first.span if first is not None else None,
        calls=site.calls,
        notes=site.notes,
        conditional=tally.open_count,
        parted=tally.parted,
        in_loop=next(
            (loop.site.span for loop in reversed(tally.loops) if loop.site.kind != ir.LIBRARY), None
        ),
        width_total=sum(width for _, width in site.pieces),
        object_shape=shape,
        element_bytes=element,
        decided=tally.decided,
        scalar=first is not None and is_scalar(first.type),
        floating=site.floating,
        reach=_reach(tally),
        member=member_of(first.type, example)
        if first is not None and example is not None
        else None,
    )


def _reach(tally: Tally) -> int | None:
    if tally.reach is None or None in tally.reach:
        return None
    low, high = tally.reach
    width = sum(width for _, width in tally.site.pieces)
    return None if low is None or high is None else high - low + width


def _again(
    access: facts.Access,
    tally: Tally,
    view: View | None,
    tallies: Mapping[ir.AccessSite, Sequence[Tally]],
) -> facts.Access:
    """With the store that makes nvcc load again."""
    store = view.reloaded.get(tally.site) if view is not None else None
    if store is None or not tallies.get(store):
        return access
    name = next(iter(tallies[store][0].objects)).name if tallies[store][0].objects else ""
    return replace(access, reloaded=facts.Reload(store.span, store.text, name)) if name else access


def _placed(
    tally: Tally,
    index: Callable[[], ElementIndex],
    situation: Situation,
    changes: tuple[Risk, ...],
    where: Placement,
) -> facts.Access:
    """An access to an array of a thread, as it is known where that lies."""
    change = None if any(c.certain and c.factor[1] == 0 for c in changes) else where.change
    certain = change is not None and change.certain
    every = (
        ()
        if certain
        else changes
        if change is None
        else (change, *changes)
        if tally.always_constant
        else (*changes, change)
    )
    access = _access(tally, index, situation, every)
    status = "range" if situation.launch.block_assumed else "exact"
    compiled = (
        gone(tally, status, tally.site.charged_line, KEPT.kind) if certain else access.as_compiled
    )
    return replace(access, decided=where.decided, place=where.place, as_compiled=compiled)


def _launch_assumption(launch: facts.Launch) -> tuple[str, ...]:
    return (
        ()
        if not launch.block_assumed
        else (f"block {'x'.join(map(str, launch.block))} is assumed",)
    )


def _beside(tally: Tally, situation: Situation, changes: tuple[Risk, ...]) -> tuple[Tally, ...]:
    """What else may be counted on the line of an access."""
    others = dict.fromkeys(site for c in changes for site in c.beside)
    return tuple(
        other
        for site in others
        for other in situation.tallies.get(site, ())
        if other.space == tally.space
    )


def _standing(
    tally: Tally, situation: Situation, counted: bool, changes: tuple[Risk, ...]
) -> NumberStatus:
    reasons = list(tally.reasons)
    if not counted and tally.space in COUNTED:
        return NumberStatus("unknown", *_deepest(tally.uncounted or reasons))
    factor = _factor(tally, changes)
    if reasons:
        return NumberStatus("range", *reasons[0], factor)
    each = _each_block(tally, situation, changes)
    if situation.blocks is None and each.reason != "compiler":
        return NumberStatus("range", *ANY_GRID, factor)
    return each


def _each_block(tally: Tally, situation: Situation, changes: tuple[Risk, ...]) -> NumberStatus:
    """How far the numbers of a block hold, of an access that nothing unknown decides: all blocks
    count the same, however many there are."""
    factor = _factor(tally, changes)
    if tally.assumptions or situation.assumed(tally.site):
        return NumberStatus("range", "unknown-argument", "", factor)
    if situation.launch.block_assumed:
        return NumberStatus("range", "unknown-launch", "the launch is assumed", factor)
    if tally.site in situation.faulty:
        return NumberStatus("range", "faulty", "", factor)
    sure = tally.space != "shared" or all(
        situation.device.schedule(tally.hardware_op, width).certain
        for _, width in tally.site.pieces
    )
    if tally.site.op == "copy":
        return _copied(tally, situation.device, sure, any(c.kind in CHARGED for c in changes))
    if not sure:
        return NumberStatus(
            "range",
            "hardware-model",
            "",
            (min(UNMEASURED[0], factor[0]), max(UNMEASURED[1], factor[1])),
        )
    if changes:
        scattered = bool(tally.loops) and any(c.kind in CHARGED for c in changes)
        return NumberStatus("range", "compiler", changes[0].text, factor, scattered=scattered)
    return NumberStatus("exact")


def _copied(tally: Tally, device: Device, sure: bool, moved: bool) -> NumberStatus:
    """What an asynchronous copy's counts are: what both of its addresses decide is bounded by its
    lanes. The wavefronts are as many as the lines that are read or more, down to one a lane, and a
    16-byte copy past L1 reads a sector again for each 32 bytes of shared memory that it reaches
    (682 patterns measured on an H100, tests/data/h100_copies.jsonl). `moved`: some of its requests
    may be counted on another line, and predicated ones without lanes here."""
    past = any(width == 16 for _, width in tally.site.pieces) and device.bypass_copy is not None
    if tally.space == "shared" or past:
        detail = "what an asynchronous copy writes in one wavefront depends on where its source lies: at most one lane each"
        least, most = (1.0, 1.0) if sure else UNMEASURED
        return NumberStatus(
            "range", "hardware-model", detail, (0.0 if moved else least, most), by_lanes=True
        )
    return NumberStatus(
        "range",
        "inlined-asm",
        "asynchronous copies of the toolkit's functions are charged to its header",
    )


def _factor(tally: Tally, changes: tuple[Risk, ...]) -> tuple[float, float]:
    """By what factors the machine's total may differ; where the number of requests is open, what
    one request counts: a wider one more."""
    if tally.open_count:
        merged = any(c.kind == "merged" for c in changes)
        return 1.0, WIDEST / max(width for _, width in tally.site.pieces) if merged else 1.0
    return min((c.factor[0] for c in changes), default=1.0), max(
        (c.factor[1] for c in changes), default=1.0
    )


def _deepest(reasons: Iterable[tuple[str, str]]) -> tuple[str, str]:
    """Of several reasons why something is unknown, one that would remain if it were known how often
    it runs."""
    known = list(reasons)
    return next(
        (r for r in known if r[0] not in ("unknown-trip-count", "unknown-launch")),
        known[0] if known else ("unsupported", ""),
    )


def _loop_facts(analysis: Analysis, execution: Execution) -> dict[ir.Loop, LoopFacts]:
    """Loops whose lanes run different numbers of iterations, as far as the execution saw."""
    found, record = {}, execution.record
    for s in walk(analysis.body):
        if isinstance(s, ir.Loop):
            branch = record.branches.get(s.site)
            leaving = any(_is_divergent(record.branches.get(x.site)) for x in _exits(s))
            longest = record.longest.get(s)
            share = 1.0
            if (
                branch is not None
                and branch.evaluations
                and not (branch.open_count or branch.open_divergence or leaving)
                and longest is not None
            ):
                share = min(1.0, branch.divergent * longest / max(1, branch.evaluations))
            found[s] = LoopFacts(
                _is_divergent(branch) or leaving,
                longest,
                share,
                s in record.skipped,
                s in record.parted or leaving,
            )
    return found


def _is_divergent(branch: BranchTally | None) -> bool:
    return branch is not None and (branch.divergent > 0 or branch.open_divergence)


def _exits(loop: ir.Loop) -> Iterator[ir.If]:
    """Branches by which lanes leave a loop before its own test does."""
    inside = [x for x in walk((loop,)) if x is not loop]
    own = {x.label for x in inside if isinstance(x, (ir.Loop, ir.Region))}
    for s in inside:
        if isinstance(s, ir.If) and any(
            isinstance(x, ir.Leave) and x.label not in own for x in walk((s,))
        ):
            yield s


def _cases(tally: Tally, counts: facts.Counts | None) -> tuple[facts.Case, ...]:
    """The outcomes of the one unknown that decides; none where several do, or none surely."""
    names = {name for name, _ in tally.cases}
    if counts is None or len(names) != 1:
        return ()
    name, passes = names.pop(), tally.space in ("shared", "constant")
    by_modulus = {
        modulus: {
            residue: _each(total.wavefronts if passes else total.sectors, total.requests)
            for residue, total in residues.items()
        }
        for (_, modulus), residues in tally.cases.items()
    }
    values, modulus = by_modulus.pop(0, {}), max(by_modulus, default=0)
    if len(by_modulus) > 1:
        return ()
    bounds = counts.mean_low, counts.mean_high
    found = conditions(name, modulus, by_modulus.get(modulus, {}), values, bounds)
    return tuple(
        _case(text, some, passes)
        for text, some in found
        if text != ALWAYS or bounds == (some[0], some[0])
    )


def _each(total: tuple[float, float], requests: int) -> tuple[float, float]:
    return total[0] / requests, total[1] / requests


def _case(text: str, counts: tuple[float, float], passes: bool) -> facts.Case:
    low, high = counts
    if low != high:
        return facts.Case(text, None, None, low, high)
    return facts.Case(text, low if passes else None, None if passes else low)


def _example(tally: Tally, launch: facts.Launch) -> facts.Example | None:
    if tally.widest is None:
        return None
    x, y, _ = launch.grid or (1, 1, 1)
    block = tally.widest.block or 0
    return facts.Example(
        (block % x, block // x % y, block // (x * y)),
        tally.widest.warp,
        tally.widest.lanes,
        tally.widest.count,
    )


def _branches(
    kernel: ir.Kernel, execution: Execution, situation: Situation, view: View | None
) -> Iterator[facts.Branch]:
    whole = (
        frozenset(run_out(kernel, view.walker))
        if view is not None and view.walker is not None
        else ()
    )
    return (
        replace(_branch(tally, situation), unrolled=tally.site in whole)
        for tally in execution.record.branches.values()
    )


def _branch(tally: BranchTally, situation: Situation) -> facts.Branch:
    """What is assumed keeps the figures from being exact, what is stated does not."""
    site = tally.site
    reason, detail = (
        _deepest(tally.reasons) if tally.unknown else next(iter(tally.reasons), ("", ""))
    )
    is_open = tally.least < tally.most  # unknowns decide whether lanes disagree
    bounds = _parted_between(tally) if is_open else None
    status = (
        "unknown"
        if tally.unknown and bounds is None
        else "range"
        if tally.open_count or tally.open_divergence or is_open
        else "exact"
    )
    if status == "exact" and situation.blocks is None:
        status, (reason, detail) = "range", ANY_GRID
    elif status == "exact" and situation.assumed(site):
        status, reason = "range", "unknown-argument"
    evaluations = None if tally.open_count else tally.evaluations
    is_open |= tally.open_divergence or (tally.open_count and tally.divergent > 0)
    divergent = None if is_open else tally.divergent
    low, high = bounds or (None, None)
    iterations, over_blocks = _iterations(tally), situation.blocks is not None
    alike = not over_blocks and evaluations is not None
    has_patterns = divergent is not None and evaluations is not None and not tally.open_lanes
    return facts.Branch(
        site.span,
        site.kind,
        site.condition,
        status,
        evaluations if over_blocks else None,
        divergent if over_blocks or not divergent else None,
        reason,
        detail,
        situation.assumptions_at(site),
        turns=iterations if over_blocks else None,
        per_block=facts.Evaluated(evaluations, divergent, iterations, low, high)
        if alike and evaluations is not None
        else None,
        patterns=lane_patterns.listed(tally.patterns) if has_patterns else (),
        cases=site.cases,
        calls=site.calls,
        divergent_low=low if over_blocks else None,
        divergent_high=high if over_blocks else None,
    )


def _parted_between(tally: BranchTally) -> tuple[int, int] | None:
    """In how many evaluations lanes disagree, at least and at most; None where data decides and
    that says no more than how many there are, and where these are not known."""
    says_nothing = tally.unknown and not tally.least and tally.most >= tally.evaluations
    return None if tally.open_count or says_nothing else (tally.least, tally.most)


def _iterations(tally: BranchTally) -> facts.Turns | None:
    """None of what is no loop, and where the body's executions are not known."""
    if tally.open_iterations or tally.unknown or not tally.entries:
        return None
    if not tally.iterations:
        return facts.Turns(tally.entries, 0, None, None)
    idle = tally.idle_lanes / (tally.iteration_lanes + tally.idle_lanes)
    return facts.Turns(
        tally.entries, tally.iterations, tally.iteration_lanes / tally.iterations, idle
    )
