"""Family 2, global memory: atomics whose lanes meet on one address. Goes in: facts of one kernel.
Comes out: findings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from kernlint.checks import context, dialect, partial_warps, words
from kernlint.checks.context import Executed, Group
from kernlint.checks.global_memory import few_addresses
from kernlint.checks.global_memory.entries import global_entries
from kernlint.checks.rules import Rule
from kernlint.model.facts import Access
from kernlint.model.finding import Finding

SERIAL = ("atomic", "cas")
SECTOR = 32  # bytes, the unit in which the L2 cache does atomics
COMBINED = {
    "cuda": "reduce within the warp first (shuffles, or `__reduce_add_sync` for 32-bit integers) and let one lane update the "
    "address; combine a block's results in shared memory, with one atomic per block",
    "opencl": "reduce within the work-group first (in shared memory, or `sub_group_reduce_add` and the like where sub-groups exist) "
    "and let one work-item update the address",
}
LOCKED = {
    "cuda": "let one thread of the block take the lock (`if (threadIdx.x == 0)`, with `__syncthreads()` around the block's work), "
    "or replace the lock by an atomic on the data",
    "opencl": "let one work-item of the group take the lock (`if (get_local_id(0) == 0)`, with a barrier around the group's work), "
    "or replace the lock by an atomic on the data",
}
_STATE = r"\s*(?:\d+[uU]?|[A-Z][A-Z_\d]*)\s*"  # of a lock: a number or a named constant
LOCKS = re.compile(
    rf"\s*(?:(?:atomicCAS|atom(?:ic)?_cmpxchg)\w*\s*\(.*,{_STATE},{_STATE}\)"
    rf"|(?:atomicExch|atom(?:ic)?_xchg)\w*\s*\(.*,{_STATE}\))\s*"
)
ONLY_READS = {
    "cuda": "an atomic that changes nothing is a load: let one lane read the address (`volatile`, or an acquire load by "
    "`cuda::atomic_ref`) and the others wait at `__syncwarp()` or `__syncthreads()`",
    "opencl": "an atomic that changes nothing is a load: let one work-item read the address (`volatile`, or `atomic_load_explicit`) and "
    "the others wait at a barrier",
}
CHANGES_NOTHING = re.compile(
    r"\b(atomic(Add|Sub|Or|Xor)(_system|_block)?|atom(ic)?_(add|sub|or|xor))\s*\(.*,\s*0[uUlL]*\s*\)"
)


def global_atomic_contention(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL208: atomics of which many lanes of a warp update one address, or all of the launch few
    ones. What the compiler may combine in the warp is not reported."""
    entries = global_entries(group)
    least = rule.threshold("minimum_share") * sum(e.requests or 0 for e in entries)
    reported = [e.access for e in entries if _is_reported(e, rule, least)]
    yield from few_addresses.findings(group, rule, reported)
    for cause in context.by_cause(entries):
        contended = [e for e in cause if _contended(e, rule)]
        hits = [e for e in contended if _is_reported(e, rule, least)]
        if hits:
            yield _finding(hits, group, rule)
        elif contended:
            few = "info only: a small part of the kernel's global requests (`minimum_share`)"
            found = _finding(contended, group, rule)
            yield replace(found, severity="info", notes=(*found.notes, few))


def _is_reported(entry: Executed, rule: Rule, least: float) -> bool:
    often = entry.requests is None or entry.requests >= least
    return often and _contended(entry, rule)


def _contended(entry: Executed, rule: Rule) -> bool:
    access, counts, least = entry.access, entry.counts, rule.threshold("lanes")
    if access.hardware_op not in SERIAL or access.example is None or entry.requests == 0:
        return False
    if (
        access.reason == "compiler" and counts.mean_low < counts.mean_high
    ):  # the warp may do it with one lane
        return False
    # whether the measured request stands for all
    alike = counts.min == counts.max and (counts.mean_low > 0 or _may_contend(entry))
    return (
        alike and context.crowd(access.example) >= least and _turns(access) >= least * counts.ideal
    )


def _may_contend(entry: Executed) -> bool:
    """Whether an unknown decides which lanes take part, and the compiler does not let one lane
    update for all of them, as it may for integers at one address."""
    access = entry.access
    if not partial_warps.is_open(access, entry.kernel):
        return False
    return partial_warps.updates_one_by_one(access) or _takes_lock(access)


def _takes_lock(access: Access) -> bool:
    """Whether it takes or frees a lock: it swaps in one constant for another."""
    return LOCKS.fullmatch(access.text) is not None


def _turns(access: Access) -> int:
    """Serial updates of the measured request: per sector, the most lanes on one of its
    addresses (measured on H100)."""
    by_address = Counter(
        offset for offset in (access.example.lanes if access.example else ()) if offset is not None
    )
    sectors: dict[int, int] = {}
    for offset, lanes in by_address.items():
        sectors[offset // SECTOR] = max(sectors.get(offset // SECTOR, 0), lanes)
    return sum(sectors.values())


def _updates(entry: Executed) -> tuple[float, float]:
    turns = float(_turns(entry.access))
    return (0.0 if _may_contend(entry) else turns), turns


def _finding(hits: Sequence[Executed], group: Group, rule: Rule) -> Finding:
    worst = max(hits, key=lambda e: (e.excess, e.counts.max))
    access, counts = worst.access, worst.counts
    crowd = context.crowd(access.example) if access.example else 0
    open_ = _may_contend(worst)
    update, most = ("may update", "up to ") if open_ else ("update", "")
    return Finding(
        rule.code,
        rule.name,
        rule.severity,
        f"`{access.text}`: up to {crowd} lanes of a warp {update} one address: {most}{_turns(access)} serial updates per request "
        f"instead of {words.mean(counts.ideal)} {context.certainty(worst)}",
        access.span,
        kernel=words.kernel(worst.kernel),
        status=worst.status,
        labels=context.labels(access, group.file),
        notes=tuple(_notes(hits, worst, group)),
        help=dialect.own(_advice(access), group.language),
        assumptions=access.assumptions,
        metrics=replace(
            context.sectors(worst),
            serial_updates=None if open_ else float(_turns(access)),
            serial_updates_high=float(_turns(access)) if open_ else None,
        ),
    )


def _advice(access: Access) -> dict[str, str]:
    if _takes_lock(access):
        return LOCKED
    return ONLY_READS if _only_reads(access) else COMBINED


def _only_reads(access: Access) -> bool:
    """Whether the operand is written as a zero that leaves the value as it is."""
    return CHANGES_NOTHING.fullmatch(access.text.strip()) is not None


def _notes(hits: Sequence[Executed], worst: Executed, group: Group) -> Iterator[str]:
    access, counts = worst.access, worst.counts
    yield from words.index(access)
    if worst.requests:
        now, best = (words.count(round(worst.requests * c)) for c in (_turns(access), counts.ideal))
        yield f"cost: {now} serial updates over the launch instead of {best}; lanes that share an address are serialized"
    yield from context.launch_notes(hits, worst, group, "serial updates", _updates)
    yield from words.not_exact(access, worst.kernel)
    yield from access.notes
