"""The law of each branch: how often warps evaluate it, and how often their lanes disagree.

In: the records of a walk. Out: `BranchFormulas` per site, or the reason why there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import sympy

from kernlint.base.dataclass import dataclass
from kernlint.ir import nodes as ir
from kernlint.laws import domain as domains
from kernlint.laws import whole_warps
from kernlint.laws.functions import Ceiling, Floor, Value
from kernlint.laws.lane_values import Array, NoValue
from kernlint.laws.patterns import LANES, NoLaw, by_warp
from kernlint.laws.records import BranchRecord, Obligation, SymbolicRun
from kernlint.laws.tiles import along_of, lanes_of, warps_of
from kernlint.laws.totals import Times, times
from kernlint.laws.values import Guard, Relation

NESTED = "it is nested in, or joined with, another condition on the thread"
LOOPS = ("for", "while", "do")


@dataclass(frozen=True, slots=True)
class BranchFormulas:
    """Over the launch; None without a closed form. `domain`: as of an access."""

    evaluations: Value | None
    divergent: Value | None
    domain: tuple[Value, ...]
    reason: str


def branch_laws(
    walk: SymbolicRun, block: tuple[int, int, int], any_block: bool = False
) -> dict[ir.BranchSite, BranchFormulas]:
    """By site, for every condition and loop that the walk reaches. `any_block`: as of accesses."""
    if any_block:
        found = branch_laws(walk, (LANES, 1, 1))
        return {site: _in_threads(law) for site, law in found.items()}
    try:
        common = domains.relations(walk.obligations, walk.relations)
    except NoLaw as none:
        return {one.site: BranchFormulas(None, None, (), str(none)) for one in walk.branches}
    by_site: dict[ir.BranchSite, list[BranchRecord]] = {}
    for record in walk.branches:
        by_site.setdefault(record.site, []).append(record)
    return {site: _law(records, walk, block, common) for site, records in by_site.items()}


def _in_threads(law: BranchFormulas) -> BranchFormulas:
    counts = (law.evaluations, law.divergent)
    evaluations, divergent = (e if e is None else whole_warps.in_threads(e) for e in counts)
    domain = (whole_warps.whole_warps(), *map(whole_warps.condition, law.domain))
    return BranchFormulas(evaluations, divergent, domain, law.reason)


def _law(
    records: Sequence[BranchRecord],
    walk: SymbolicRun,
    block: tuple[int, int, int],
    common: Sequence[Value],
) -> BranchFormulas:
    needs: dict[int, Obligation] = {id(one): one for r in records for one in r.state.needs}
    try:
        own = [*common, *domains.relations(needs.values(), walk.relations)]
        domain = tuple(domains.needed(list(dict.fromkeys(own)), walk.ranges))
        alike = _alike(records)
        evaluations = sympy.Add(*(n * _evaluations(record, block) for record, n in alike))
    except NoLaw as none:
        return BranchFormulas(None, None, (), str(none))
    try:
        divergent = sympy.Add(*(n * _divergent(record, block) for record, n in alike))
    except NoLaw as none:
        return BranchFormulas(evaluations, None, domain, str(none))
    return BranchFormulas(evaluations, divergent, domain, "")


def _of_known(guard: Guard) -> object:
    return guard.negated, None if guard.mask is None else guard.mask.tobytes()


def _alike(records: Sequence[BranchRecord]) -> list[tuple[BranchRecord, int]]:
    """Those that count the same once, with how many they are: iterations of a loop, mostly."""
    groups: dict[object, list[BranchRecord]] = {}
    for one in records:
        state, guard = one.state, one.guard
        who: object = _of_known(guard) if isinstance(guard, Guard) and guard.known else id(guard)
        atoms = tuple(id(atom) for atom in state.atoms)
        key = (state.reason, state.loops, atoms, state.mask.tobytes(), one.evaluations, who)
        groups.setdefault(key, []).append(one)
    return [(some[0], len(some)) for some in groups.values()]


def _evaluations(record: BranchRecord, block: tuple[int, int, int]) -> Value:
    if isinstance(record.guard, NoValue) and record.site.kind in LOOPS:
        raise NoLaw(record.guard.reason)
    how = times(record.state, block)
    warps = warps_of(how.prefixes, record.state.mask, block)
    return how.total(warps * record.evaluations)


def _divergent(record: BranchRecord, block: tuple[int, int, int]) -> Value:
    """Warps of whose active lanes some pass and some do not."""
    guard, state = record.guard, record.state
    if isinstance(guard, NoValue):
        raise NoLaw(guard.reason)
    if guard.known:
        how = times(state, block)
        split = _split(state.mask, guard.holds(len(state.mask)))
        if split and how.prefixes:
            raise NoLaw(NESTED)
        return how.total(sympy.Integer(split)) if split else sympy.S.Zero
    if guard.uniform:
        return sympy.S.Zero
    if guard.mask is not None and not _on_threads((*guard.atoms, *state.atoms)):
        # whether some pass is the same for all threads, who of them is known
        split = _split(state.mask, guard.mask)
        how = times(replace(state, atoms=state.atoms + guard.atoms), block)
        return how.total(sympy.Integer(split)) if split else sympy.S.Zero
    if guard.negated or guard.mask is not None:
        raise NoLaw(NESTED)
    if not state.mask.all() or _on_threads(state.atoms) or len(state.mask) % LANES:
        raise NoLaw(NESTED)
    how = times(replace(state, atoms=state.atoms + guard.atoms), block)
    return how.total(_touched_less_full(how, block))


def _on_threads(atoms: Sequence[Relation]) -> bool:
    return any(not atom.value.uniform for atom in atoms)


def _split(mask: Array, holds: Array) -> int:
    """Warps of a block in which some active lanes pass and some do not."""
    sides = [by_warp(one, len(mask)).any(axis=1) for one in (mask & holds, mask & ~holds)]
    return int((sides[0] & sides[1]).sum())


def _touched_less_full(how: Times, block: tuple[int, int, int]) -> Value:
    along = along_of(how.prefixes)
    if "threads" in along:
        if len(along) > 1:
            raise NoLaw(NESTED)
        return Ceiling(along["threads"], LANES) - Floor(along["threads"], LANES)
    across, down, columns, rows = lanes_of(along, block)
    touched = _quotient(Ceiling, across, columns) * _quotient(Ceiling, down, rows)
    return touched - _quotient(Floor, across, columns) * _quotient(Floor, down, rows)


def _quotient(of: type[Value], count: Value, by: int) -> Value:
    return count if by == 1 else of(count, by)
