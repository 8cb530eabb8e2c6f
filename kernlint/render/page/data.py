"""What the page of a run shows, as plain values: kernels by cost, annotated lines, accesses with
their figures, findings.

Goes in: facts, findings, sources. Comes out: one dictionary that becomes JSON. All words and
numbers are those of the text report; the page's script lays them out and counts nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kernlint import __version__
from kernlint.base.span import Problem, Span
from kernlint.checks import context, dialect, words
from kernlint.hardware import Device, resolve
from kernlint.model import facts
from kernlint.model.finding import Finding
from kernlint.model.reasons import REASONS
from kernlint.render import branch_map, derivation, estimates, fault_maps
from kernlint.render.page import drawings, formulas
from kernlint.render.page.sources import Excerpts
from kernlint.source.sources import Sources

# multiples of the ideal from which an access is drawn as costly and as very costly
TWICE, EIGHTFOLD = (
    2.0,
    8.0,
)
SPLIT = 0.25  # share of the warps from which on a branch is drawn as costly: the threshold of KL301
SHORT = {"load": "ld", "store": "st", "atomic": "at", "copy": "cp"}
UNITS = {"shared": "wavefronts", "constant": "wavefronts", "global": "sectors", "local": "sectors"}


def page(
    report: facts.Report, findings: Sequence[Finding] | None, sources: Sources
) -> dict[str, Any]:
    """`findings` None: no rules were run. `maps` are shared between accesses that look alike; a
    kernel's accesses name theirs by number, a kernel its device."""
    names = list(
        dict.fromkeys(report.device_of(file) for file in report.files if file.kernels)
    ) or [report.device]
    devices = {name: resolve(name) for name in names}
    excerpts, maps = Excerpts(sources, {file.path for file in report.files}), _Maps()
    kernels = [
        {**_kernel(kernel, file, devices[name], excerpts, maps), "device": names.index(name)}
        for file in report.files
        for name in [report.device_of(file)]
        for kernel in file.kernels
    ]
    kernels.sort(key=_rank)
    problems = [_problem(problem) for file in report.files for problem in file.problems]
    shown = [_finding(finding, excerpts) for finding in findings or ()]
    return {
        "version": __version__,
        "checked": findings is not None,
        "devices": [_device(device) for device in devices.values()],
        "files": [file.path for file in report.files],
        "kernels": kernels,
        "problems": problems,
        "findings": shown,
        "maps": maps.all,
        "sources": excerpts.sources(),
    }


class _Maps:
    """Figures, each kept once."""

    def __init__(self) -> None:
        self.all: list[dict[str, Any]] = []
        self._known: dict[str, int] = {}

    def number(self, figure: dict[str, Any] | None) -> int | None:
        if figure is None:
            return None
        key = repr(figure)
        if key not in self._known:
            self._known[key] = len(self.all)
            self.all.append(figure)
        return self._known[key]


def _device(device: Device) -> dict[str, Any]:
    sizes = {
        "banks": device.banks,
        "bank": device.bank_bytes,
        "sector": device.sector_bytes,
        "line": device.line_bytes,
    }
    return {
        "name": device.name,
        "title": device.title,
        "lanes": device.warp_lanes,
        "model": words.model(device),
        **sizes,
    }


def _rank(kernel: dict[str, Any]) -> tuple[bool, float, float]:
    """Estimated times first, the longest on top; the others by wavefronts and sectors."""
    return (
        kernel["time"] is None,
        -(kernel["time"] or 0.0),
        -(kernel["wavefronts"]["total"] + kernel["sectors"]["total"]),
    )


def _kernel(
    kernel: facts.Kernel, file: facts.File, device: Device, excerpts: Excerpts, maps: _Maps
) -> dict[str, Any]:
    estimate, say = kernel.estimate, dialect.speaker(dialect.of(kernel, file))
    excerpts.keep(kernel.span)
    accesses = [
        _access(access, kernel, dialect.of(kernel, file), device, excerpts, maps)
        for access in kernel.accesses
    ]
    barriers = [barrier for barrier in kernel.barriers if barrier.scope != "memory"]
    return {
        "name": words.kernel(kernel),
        "path": file.path,
        "span": excerpts.place(kernel.span),
        "launch": words.launch(kernel.launch),
        "language": dialect.of(kernel, file),
        "time": None if isinstance(estimate, str) else estimate.microseconds,
        "estimate": [say(line) for line in estimates.lines(kernel)],
        "shared": say(f"{words.count(kernel.static_shared_bytes)} bytes of static shared memory"),
        "assumptions": [say(text) for text in words.assuming(kernel.assumptions)],
        "laws": formulas.of_kernel(kernel),
        "wavefronts": _total(kernel, ("shared",), say),
        "sectors": _total(kernel, ("global", "local"), say),
        "accesses": accesses,
        "branches": [_branch(branch, kernel, say, excerpts, maps) for branch in kernel.branches],
        "barriers": [_barrier(barrier, excerpts) for barrier in barriers],
        "faults": [
            *(_fault(fault, say, excerpts, maps) for fault in kernel.faults),
            *(_race(race, kernel, say, excerpts, maps) for race in fault_maps.shown(kernel)),
        ],
    }


def _total(
    kernel: facts.Kernel, spaces: tuple[str, ...], say: Callable[[str], str]
) -> dict[str, Any]:
    """Over the launch, or in a block where the number of blocks is not known, as the machine
    executes it; `≥` where some access has no number. `worst`: of the accesses, what it takes over
    its ideal."""
    total = ideal = worst = 0.0
    partly, seen, whole = False, False, kernel.launch.grid is not None
    for access in kernel.accesses:
        if access.space not in spaces:
            continue
        seen = True
        entry = context.executed(kernel, access, _counts)
        times = None if entry is None else entry.requests if whole else _in_block(entry)
        if entry is None or times is None:
            partly = partly or entry is not None or not _gone(access)
        else:
            total += times * entry.counts.mean
            ideal += times * entry.counts.ideal
        worst = max(worst, _ratio(entry) or 0.0)
    each = "" if whole else say(" per block")
    text = (
        ""
        if not seen
        else "?"
        if partly and not total
        else ("≥ " if partly else "") + words.count(round(total)) + each
    )
    return {
        "total": total,
        "text": text,
        "ideal": words.count(round(ideal)),
        "worst": worst,
        "level": level(worst) if worst else None,
    }


def _in_block(entry: context.Executed) -> facts.Number | None:
    return entry.access.per_block if entry.in_block is None else entry.in_block


def _counts(access: facts.Access) -> facts.Counts | None:
    if access.status == "unknown":
        return None
    return access.wavefronts if access.space in ("shared", "constant") else access.sectors


def _gone(access: facts.Access) -> bool:
    compiled = access.as_compiled
    return compiled is not None and (
        compiled.requests == 0 or compiled.reason in ("eliminated", "forwarded")
    )


def _ratio(entry: context.Executed | None) -> float | None:
    return (
        None if entry is None or not entry.counts.ideal else entry.counts.mean / entry.counts.ideal
    )


def level(ratio: float | None) -> int | None:
    """How an access is coloured: 0 as good as can be, 1 a little more, 2 twice and more, 3 eight
    times and more; None unknown."""
    if ratio is None:
        return None
    return 0 if ratio <= 1 else 1 if ratio < TWICE else 2 if ratio < EIGHTFOLD else 3


def _access(
    access: facts.Access,
    kernel: facts.Kernel,
    language: str,
    device: Device,
    excerpts: Excerpts,
    maps: _Maps,
) -> dict[str, Any]:
    entry = context.executed(kernel, access, _counts)
    excerpts.keep(access.span)
    return {
        "place": excerpts.place(access.span),
        "text": access.text,
        "space": access.space or "unknown",
        "op": access.op,
        "status": access.status,
        "chip": _chip(access, entry),
        "times": _multiple(entry),
        "level": 0 if _gone(access) else level(_ratio(entry)),
        "what": derivation.what(access, language),
        "facts": [list(pair) for pair in derivation.numbers(access, language)]
        + [["called from", _at(call)] for call in access.calls],
        "map": maps.number(drawings.figure(access, language, device)),
        "law": formulas.of_access(access, kernel, device),
    }


def _chip(access: facts.Access, entry: context.Executed | None) -> list[str]:
    """Operation, number per request, the ideal one: what the margin shows. Numbers are those of
    what the machine executes."""
    short = SHORT.get(access.op, access.op)
    if _gone(access):
        return [short, "gone", ""]
    if entry is None:
        return [short, "?" if access.space in UNITS else access.space, ""]
    counts = entry.counts
    exact = counts.mean_low == counts.mean_high
    text = (
        words.mean(counts.mean)
        if exact
        else f"{words.mean(counts.mean_low)}–{words.mean(counts.mean_high)}"
    )
    return [short, text, words.mean(counts.ideal)]


def _multiple(entry: context.Executed | None) -> str:
    """32x, ≤ 8x: what it takes over the ideal one, where that is twice as much or more."""
    ratio = _ratio(entry)
    if entry is None or ratio is None or ratio < TWICE:
        return ""
    counts = entry.counts
    exact = counts.mean_low == counts.mean_high
    return f"{'' if exact else '≤ '}{words.mean(counts.mean_high / counts.ideal)}x"


def _branch(
    branch: facts.Branch,
    kernel: facts.Kernel,
    say: Callable[[str], str],
    excerpts: Excerpts,
    maps: _Maps,
) -> dict[str, Any]:
    excerpts.keep(branch.span)
    found = branch.counted
    share = (
        (found.divergent or 0) / found.evaluations
        if found is not None and found.divergent is not None and found.evaluations
        else None
    )
    if found is None or (found.divergent is None and found.divergent_high is None):
        text = f"unknown how many warps split: {REASONS.get(branch.reason, branch.reason) or branch.status}"
    else:
        of = (
            "evaluations by warps"
            if branch.per_block is None
            else "evaluations by the warps of each block"
        )
        times = words.parted(found) if found.divergent is None else words.count(found.divergent)
        text = (
            f"lanes disagree in {times} of {words.count(found.evaluations)} {of} ({branch.status})"
        )
    return {
        "place": excerpts.place(branch.span),
        "branch": branch.kind,
        "condition": branch.condition,
        "status": branch.status,
        "share": share,
        "level": None if share is None else 0 if not share else 1 if share < SPLIT else 3,
        "percent": "?" if share is None else words.share(share, 1),
        "text": say(text),
        "remarks": [
            *([words.UNROLLED] if branch.unrolled else []),
            *([say(rest)] if not branch.patterns and (rest := branch_map.rest(branch)) else []),
        ],
        "map": maps.number(drawings.ways(branch, say)),
        "law": formulas.of_branch(branch, kernel),
    }


def _barrier(barrier: facts.Barrier, excerpts: Excerpts) -> dict[str, Any]:
    excerpts.keep(barrier.span)
    return {
        "place": excerpts.place(barrier.span),
        "text": barrier.text,
        "uniform": barrier.uniform,
        "said": words.reached(barrier),
    }


def _fault(
    fault: facts.Fault, say: Callable[[str], str], excerpts: Excerpts, maps: _Maps
) -> dict[str, Any]:
    excerpts.keep(fault.span)
    return {
        "place": excerpts.place(fault.span),
        "text": f"{fault.text} {say(fault_maps.fault_title(fault))}",
        "space": fault.space or "unknown",
        "short": fault_maps.SHORT.get(fault.kind, fault.kind),
        "certain": fault.certain,
        "facts": [[name, say(text)] for name, text in fault_maps.fault_facts(fault)]
        + [["called from", _at(call)] for call in fault.calls],
        "map": maps.number(drawings.reached(fault)),
    }


def _race(
    race: facts.Race,
    kernel: facts.Kernel,
    say: Callable[[str], str],
    excerpts: Excerpts,
    maps: _Maps,
) -> dict[str, Any]:
    excerpts.keep(race.span)
    excerpts.keep(race.other)
    return {
        "place": excerpts.place(race.span),
        "text": say(fault_maps.race_title(race)),
        "space": race.space or "unknown",
        "short": "race",
        "certain": race.certain,
        "facts": [[name, say(text)] for name, text in fault_maps.race_facts(race)],
        "map": maps.number(drawings.timeline(race, kernel, say)),
    }


def _problem(problem: Problem) -> dict[str, Any]:
    return {
        "at": _at(problem.span),
        "code": problem.code,
        "message": problem.message,
        "note": problem.note,
    }


def _finding(finding: Finding, excerpts: Excerpts) -> dict[str, Any]:
    excerpts.keep(finding.span)
    return {
        "place": excerpts.place(finding.span),
        "at": _at(finding.span),
        "path": finding.span.path,
        "code": finding.code,
        "severity": finding.severity,
        "message": finding.message,
        "kernel": finding.kernel,
        "status": finding.status,
        "notes": list(finding.notes),
        "assumptions": [rests]
        if (rests := words.resting(finding.assumptions, finding.notes))
        else [],
        "help": finding.help,
    }


def _at(span: Span) -> str:
    return f"{span.path}:{span.line}:{span.column}"
