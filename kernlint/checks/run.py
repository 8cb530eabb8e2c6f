"""Facts to findings: every selected rule over every file, in the order of the source.

The table below is the whole registry; each code in it has a page in `rules/` and the other way
round (a test holds them together).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial

from kernlint.base import deadline
from kernlint.base.deadline import OutOfTime
from kernlint.base.span import Span
from kernlint.base.timings import phase
from kernlint.checks import (
    arithmetic,
    dialect,
    divergence,
    faults,
    meta,
    metrics,
    obsolete,
    occupancy_edges,
    other_memory,
    races,
    resources,
    rules,
    synchronisation,
    warp_widths,
)
from kernlint.checks.context import Group, groups
from kernlint.checks.global_memory import (
    caches,
    coalescing,
    contention,
    elements,
    gathers,
    loop_stores,
    reloads,
    streams,
)
from kernlint.checks.rules import Rule
from kernlint.checks.selection import once, requests, selected_rules, shown
from kernlint.checks.shared_memory import bank_conflicts, broadcasts
from kernlint.hardware import resolve
from kernlint.model import facts
from kernlint.model.finding import Finding
from kernlint.model.reasons import GAVE_UP, sentence
from kernlint.model.settings import Selection

Recall = Callable[[Group, Callable[[], list[Finding]]], list[Finding]]
FileCheck = Callable[[facts.File, Rule], Iterator[Finding]]
KernelCheck = Callable[[Group, Rule], Iterator[Finding]]

FILE_CHECKS: tuple[tuple[str, FileCheck], ...] = (
    ("KL001", meta.problems),
    ("KL002", meta.launch_assumed),
    ("KL003", meta.problems),
    ("KL003", meta.headers_not_found),
    ("KL093", meta.problems),
    ("KL602", resources.launch_over_capacity),
    ("KL603", obsolete.obsolete_api_name),
)
KERNEL_CHECKS: tuple[tuple[str, KernelCheck], ...] = (
    ("KL003", meta.analysis_gave_up),
    ("KL101", bank_conflicts.shared_bank_conflict),
    ("KL102", bank_conflicts.shared_atomic_contention),
    ("KL103", broadcasts.shared_broadcast_missed),
    ("KL201", coalescing.uncoalesced_global_access),
    ("KL202", streams.misaligned_global_access),
    ("KL203", gathers.unpredictable_global_access),
    ("KL204", caches.cache_thrash_across_warps),
    ("KL205", caches.l1_pressure),
    ("KL206", elements.array_of_structs_access),
    ("KL207", streams.vectorizable_access),
    ("KL208", contention.global_atomic_contention),
    ("KL209", reloads.reloaded_global_value),
    ("KL210", loop_stores.store_in_loop),
    ("KL301", divergence.divergent_branch),
    ("KL302", divergence.divergent_loop),
    ("KL303", divergence.divergent_switch),
    ("KL401", synchronisation.barrier_in_divergent_flow),
    ("KL402", synchronisation.barrier_after_divergent_exit),
    ("KL403", synchronisation.warp_call_in_divergent_flow),
    ("KL404", synchronisation.shuffle_from_vacant_lane),
    ("KL501", other_memory.constant_memory_divergence),
    ("KL502", other_memory.local_memory_array),
    ("KL601", resources.block_not_multiple_of_warp),
    ("KL602", resources.shared_memory_over_capacity),
    ("KL604", caches.shared_carveout),
    ("KL605", occupancy_edges.occupancy_edge),
    ("KL701", arithmetic.double_in_float_code),
    ("KL702", arithmetic.slow_integer_division),
    ("KL703", arithmetic.unsynchronised_shuffle),
    ("KL704", warp_widths.warp_of_32_lanes),
    ("KL801", faults.array_out_of_bounds),
    ("KL802", faults.row_out_of_bounds),
    ("KL803", faults.too_little_dynamic_memory),
    ("KL804", faults.allocation_out_of_bounds),
    ("KL805", faults.misaligned_access),
    ("KL806", faults.uninitialised_shared_memory),
    ("KL807", faults.overlapping_parts),
    ("KL808", faults.index_overflow),
    ("KL810", races.shared_memory_race),
    ("KL811", races.warp_race),
    ("KL812", races.global_memory_race),
    ("KL813", faults.unawaited_copy),
    ("KL814", faults.spin_lock),
    ("KL901", metrics.estimated_cycles),
)


OF_NVIDIA = (
    "KL403",
    "KL404",
    "KL602",
    "KL604",
    "KL703",
)  # of masks, limits and calls of CUDA's: not said of HIP


def check(report: facts.Report, selection: Selection) -> list[Finding]:
    """Every finding that the selection asks for, by file in the report's order, then by place."""
    chosen = selected_rules(selection)
    found = [
        finding
        for file in report.files
        for finding in check_file(file, report.device_of(file), chosen)
    ]
    return [finding for finding in once(found) if shown(finding, selection)]


def read_beside(file: facts.File) -> tuple[object, ...]:
    """What the checks of a kernel read of its file, beside its own functions, declarations,
    directives and the names in other functions."""
    return (
        file.language,
        file.missing_headers,
        _words_of(file.text),
        file.is_hip,
        file.device_assumed,
    )


@lru_cache(maxsize=2)
def _words_of(text: str) -> tuple[bool, ...]:
    """Which words a text holds that rules ask for: of more shared memory than usual, per SM and per
    block, of arrays whose size the launch gives, of literals that are floats."""
    asked = caches.CARVEOUT, resources.OPT_IN, occupancy_edges.DYNAMIC, arithmetic.SINGLE
    return tuple(word in text for word in asked)


def check_file(
    file: facts.File, device: str, chosen: dict[str, Rule], recall: Recall | None = None
) -> list[Finding]:
    """Every finding of the chosen rules in one file, of every severity, by place; those in headers
    last. `recall` may know those of a kernel from before an edit elsewhere."""
    raw = _check_file(file, device, chosen, recall)
    some = _deduplicated(
        replace(_possible(finding, file.altered), device=device) for finding in raw
    )
    return once(
        sorted(
            some,
            key=lambda f: (
                f.span.path != file.path,
                f.span.path,
                f.span.line,
                f.span.column,
                f.code,
                f.kernel,
            ),
        )
    )


def _check_file(
    file: facts.File, device: str, chosen: dict[str, Rule], recall: Recall | None
) -> Iterator[Finding]:
    for code, file_check in FILE_CHECKS:
        if code in chosen:
            with phase(f"rule {code}"):
                found = [
                    dialect.spoken(finding, file.language)
                    for finding in file_check(file, chosen[code])
                ]
            yield from found
    yield from check_kernels(file, device, chosen, recall)


def check_kernels(
    file: facts.File, device: str, chosen: dict[str, Rule], recall: Recall | None = None
) -> Iterator[Finding]:
    """Findings of the chosen rules in the kernels of a file, as `recall` knows them, else as they
    are found."""
    for group in groups(file, resolve(device)):
        work = partial(_check_group, group, chosen)
        try:
            yield from recall(group, work) if recall else work()
        except OutOfTime:
            what = f"the search for findings in `{group.name}`"
            yield _given_up(group, "time", what=what)


def _check_group(group: Group, chosen: dict[str, Rule]) -> list[Finding]:
    off = OF_NVIDIA if group.device.capability is not None and group.file.is_hip else ()
    wanted = (
        (code, kernel_check)
        for code, kernel_check in KERNEL_CHECKS
        if code in chosen and code not in off
    )
    found = (
        finding
        for code, kernel_check in wanted
        for finding in _guarded(kernel_check, group, chosen[code])
    )
    return [dialect.spoken(finding, group.language) for finding in found]


def _guarded(kernel_check: KernelCheck, group: Group, rule: Rule) -> Iterator[Finding]:
    """A rule that fails on one kernel is reported at that kernel and costs nothing else."""
    try:
        deadline.look()
        with phase(f"rule {rule.code}"):
            found = list(kernel_check(group, rule))
        yield from found
    except OutOfTime:
        raise
    except Exception as error:
        told = f"{type(error).__name__}: {error}"
        yield _given_up(group, "rule-fault", rule=rule.code, name=group.name, error=told)


def _given_up(group: Group, reason: str, **words: str) -> Finding:
    gave_up = rules.rules()["KL003"]
    span = group.source.name(group.kernels[0].span, group.kernels[0].name)
    told = Finding(
        gave_up.code,
        gave_up.name,
        gave_up.severity,
        sentence(reason, **words),
        span,
        kernel=group.name,
        status="unknown",
    )
    return replace(told, help=GAVE_UP[reason].remedy, reason=reason)


def _possible(finding: Finding, altered: Sequence[Span]) -> Finding:
    """Without a fix whose edits reach where the file does not hold the analysed text character by
    character."""
    if finding.fix is None or not any(
        _meet(edit.span, stretch) for edit in finding.fix.edits for stretch in altered
    ):
        return finding
    return replace(finding, fix=None)


def _meet(edit: Span, stretch: Span) -> bool:
    begins, ends = (edit.line, edit.column), (edit.end_line, edit.end_column)
    return begins < (stretch.end_line, stretch.end_column) and (stretch.line, stretch.column) < ends


def _deduplicated(findings: Iterable[Finding]) -> list[Finding]:
    own = {
        (f.code, f.span, f.message, requests(f), f.kernel, tuple(p.span for p in f.parts)): f
        for f in findings
    }
    return list(own.values())
