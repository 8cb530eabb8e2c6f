"""The formulas of a kernel: for every block of whole warps where nothing says how large blocks are,
else for the block at hand.

In: a lowered kernel, its launch, a device. Out: laws of accesses and branches. What has no formula
for every block gets the one of the assumed block, which says so in its domain.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kernlint.base.dataclass import dataclass
from kernlint.hardware import Device
from kernlint.ir import nodes as ir
from kernlint.laws.branch_law import BranchFormulas, branch_laws
from kernlint.laws.evaluation import value_at
from kernlint.laws.functions import Value
from kernlint.laws.index import SYMBOLS
from kernlint.laws.law import AccessLaw, laws
from kernlint.laws.whole_warps import THREADS, is_any_block, one_block
from kernlint.model.facts import Launch


@dataclass(frozen=True, slots=True)
class Formulas:
    """`meanings`: of the symbols of each access's law; `ranges`: of arguments."""

    accesses: Mapping[ir.AccessSite, AccessLaw]
    branches: Mapping[ir.BranchSite, BranchFormulas]
    meanings: Mapping[ir.AccessSite, Mapping[str, str]]
    ranges: Mapping[Value, tuple[int, int]]


def formulas(kernel: ir.Kernel, launch: Launch, device: Device) -> Formulas:
    any_block = is_any_block(kernel, launch)
    found = _formulas(kernel, launch, device, any_block)
    lacking = [law.total for law in found.accesses.values()]
    lacking += [law.divergent for law in found.branches.values()]
    if not any_block or None not in lacking:
        return found
    known = _formulas(kernel, launch, device, False)
    accesses, meanings = dict(found.accesses), dict(found.meanings)
    branches = dict(found.branches)
    here = one_block(launch)
    if not _allows(found, launch):
        return found
    for site, law in known.accesses.items():
        if site not in accesses or (accesses[site].total is None and law.total is not None):
            accesses[site] = replace(law, domain=(here, *law.domain))
            meanings[site] = known.meanings[site]
    for fork, of_branch in known.branches.items():
        if _says_more(of_branch, branches.get(fork)):
            branches[fork] = replace(of_branch, domain=(here, *of_branch.domain))
    return Formulas(accesses, branches, meanings, known.ranges)


def _says_more(known: BranchFormulas, found: BranchFormulas | None) -> bool:
    if found is None or found.evaluations is None:
        return known.evaluations is not None
    return found.divergent is None and known.divergent is not None


def _allows(found: Formulas, launch: Launch) -> bool:
    """Whether the conditions on the block alone hold for the one at hand."""
    lows = (low for law in found.accesses.values() for low in law.domain)
    alone = (low for low in lows if low.free_symbols == {THREADS})
    values = (value_at(low, {THREADS: launch.block[0]}) for low in alone)
    return all(value is None or value >= 0 for value in values)


def _formulas(kernel: ir.Kernel, launch: Launch, device: Device, any_block: bool) -> Formulas:
    found, walk = laws(kernel, launch, device, any_block)
    forks = branch_laws(walk, launch.block, any_block)
    meanings = {**SYMBOLS, **walk.symbols}
    return Formulas(found, forks, dict.fromkeys(found, meanings), walk.ranges)
