"""Laws against the numbers: each law's value at points of its domain equals what the execution of
the whole launch counts there.

In: laws, the kernel, its launch. Out: what differs. A law that differs at any point is not given.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import sympy

from kernlint.algebra.values import wrap
from kernlint.base.dataclass import dataclass
from kernlint.base.span import SourceError, Span
from kernlint.execution import run
from kernlint.hardware import Device
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import walk
from kernlint.ir.types import Integer, Type
from kernlint.laws import whole_warps
from kernlint.laws.branch_law import BranchFormulas
from kernlint.laws.domain import end_of
from kernlint.laws.evaluation import Point, value_at
from kernlint.laws.functions import Summation, Value, symbol
from kernlint.laws.law import AccessLaw
from kernlint.model import facts
from kernlint.model.facts import Access, Launch

# sizes that people use, edges of warps and sectors, and what is no size at all
SIZES = (1, 33, 64, 7, 0, 32, 31, -1, 100, 2, 3, 256, 16, 17, 257, 5, 8, 300, 128, 6, 96, 12, 63,
         65, 4, 10, 250, -3)  # fmt: skip
LARGE = (1000, 1 << 20, 1 << 30, (1 << 31) - 1, -(1 << 31))  # where no loop counts to them
GRIDS = ((2, 1, 1), (1, 1, 1), (3, 2, 1), (2, 3, 2))
# of one dimension, where a law holds for every number of warps
BLOCKS = (64, 256, 32, 96, 512, 160, 1024)
BUDGET = 2_000_000  # units of work of one point
FIRST_ENDS = 3  # the point from which on ends of domains are tried
TRIES = 40  # random points for one that lies in the domain
Size = tuple[int, int, int]
S = TypeVar("S")
K = TypeVar("K")
BranchKey = tuple[Span, str, str, tuple[Span, ...]]
Key = tuple[Span, str, str, tuple[Span, ...], str]


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Where a law and the numbers disagree."""

    site: ir.AccessSite | ir.BranchSite
    what: str
    law: int | None
    counted: float
    point: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Held:
    """What a check compared: `compared` numbers at so many points, and those that differ."""

    compared: Mapping[ir.AccessSite | ir.BranchSite, int]
    differences: tuple[Contradiction, ...]

    def confirms(self, site: ir.AccessSite | ir.BranchSite | None) -> bool:
        """Whether some number of a site's law was compared and none differs."""
        wrong = any(one.site is site for one in self.differences)
        return site is not None and bool(self.compared.get(site)) and not wrong


def check(
    kernel: ir.Kernel,
    launch: Launch,
    device: Device,
    laws: Mapping[ir.AccessSite, AccessLaw],
    points: int,
    seed: int = 0,
    branches: Mapping[ir.BranchSite, BranchFormulas] | None = None,
    own: facts.Kernel | None = None,
    enough: int | None = None,
) -> Held:
    """The laws at so many points, and under the launch at hand (`own`: what it counts); what the
    execution calls no sure number is not compared. `enough`: points after which to stop once each
    access's law was compared, or the last point compared none that those before did not."""
    compared: dict[ir.AccessSite | ir.BranchSite, int] = {}
    differences: list[Contradiction] = []
    sites, forks = by_key(laws, key_of), by_key(branches or {}, branch_key_of)
    chance = random.Random(seed)
    lawful = {site for site in sites.values() if laws[site].requests is not None}
    at = _each_once(_points(kernel, laws, launch.block, points, chance))
    chosen = _counted_points(kernel, launch, device, at)
    counts = itertools.chain(_own_point(own), chosen)
    for run_number, (point, grid, counted) in enumerate(counts, 1):
        known = len(compared)
        values = _values(point, grid, counted.launch.block)
        pairs: list[tuple[ir.AccessSite | ir.BranchSite, str, Value, float]] = []
        for access in counted.accesses:
            site = sites.get(key_of(access))
            if site is not None and in_domain(laws[site].domain, values):
                pairs += [(site, *pair) for pair in _pairs(laws[site], access)]
        for site in _idle(sites, counted):
            if in_domain(laws[site].domain, values):
                pairs += [(site, *pair) for pair in _zeros(laws[site])]
        for branch in counted.branches:
            fork = forks.get(branch_key_of(branch))
            if branches and fork is not None and in_domain(branches[fork].domain, values):
                pairs += [(fork, *pair) for pair in _branch_pairs(branches[fork], branch)]
        for of, what, law, number in pairs:
            found = value_at(law, values)
            if found is None and (law.has(Summation) or not _complete(law, values)):
                continue  # it depends on a block or an iteration, or adds up too many
            compared[of] = compared.get(of, 0) + 1
            if found != number:
                differences.append(Contradiction(of, what, found, number, point))
        settled = lawful <= compared.keys() or (compared and len(compared) == known)
        if enough is not None and run_number >= enough and settled:
            break
    return Held(compared, tuple(differences))


CountedPoint = tuple[Mapping[str, int], Size, facts.Kernel]


def _own_point(own: facts.Kernel | None) -> Iterator[CountedPoint]:
    """The values that the launch at hand gives."""
    if own is not None and own.launch.grid is not None:
        given = own.launch.arguments.items()
        yield {name: n for name, n in given if isinstance(n, int)}, own.launch.grid, own


def _counted_points(
    kernel: ir.Kernel,
    launch: Launch,
    device: Device,
    points: Iterable[tuple[Mapping[str, int], Size, Size]],
) -> Iterator[CountedPoint]:
    for point, block, grid in points:
        counted = _counted(kernel, replace(launch, block=block), device, point, grid)
        if counted is not None:
            yield point, grid, counted


def by_key(sites: Iterable[S], key: Callable[[S], K]) -> dict[K, S]:
    """Sites that one access or branch of the facts answers to."""
    found: dict[K, list[S]] = {}
    for site in sites:
        found.setdefault(key(site), []).append(site)
    return {of: some[0] for of, some in found.items() if len(some) == 1}


def key_of(access: Access | ir.AccessSite) -> Key:
    op = "atomic" if access.hardware_op == "increment" else access.hardware_op
    return (access.span, access.op, access.text, access.calls, op)


def _complete(law: Value, point: Point) -> bool:
    return all(name in point for name in law.free_symbols)


def in_domain(domain: Sequence[Value], point: Point) -> bool:
    """Whether a point lies in the domain of a law."""
    lows = (value_at(low, point) for low in domain)
    return all(low is not None and low >= 0 for low in lows)


def _pairs(law: AccessLaw, access: Access) -> Iterator[tuple[str, Value, float]]:
    """A law's parts beside the counted numbers that are sure."""
    requests = access.requests
    if requests is None or access.conditional or access.fewest_lanes is not None:
        return
    if law.requests is not None and access.status != "unknown":
        yield "requests", law.requests, requests
    counts = access.wavefronts if law.counted == "wavefronts" else access.sectors
    if counts is None or not _sure(counts):
        return
    if law.total is not None:
        yield law.counted, law.total, round(counts.mean * requests, 3)
    if law.per_request is not None and requests and not law.guarded:
        yield f"{law.counted} per request", law.per_request, counts.mean


def _idle(sites: Mapping[Key, ir.AccessSite], counted: facts.Kernel) -> Iterator[ir.AccessSite]:
    """Sites that the launch does not reach, which its facts leave out."""
    if not counted.not_counted:
        reached = {key_of(access) for access in counted.accesses}
        yield from (site for key, site in sites.items() if key not in reached)


def _zeros(law: AccessLaw) -> Iterator[tuple[str, Value, float]]:
    """What a law must be where no warp makes the access."""
    parts = (("requests", law.requests), (law.counted, law.total))
    yield from ((what, part, 0) for what, part in parts if part is not None)


def branch_key_of(branch: facts.Branch | ir.BranchSite) -> BranchKey:
    return (branch.span, branch.kind, branch.condition, branch.calls)


def _branch_pairs(law: BranchFormulas, branch: facts.Branch) -> Iterator[tuple[str, Value, float]]:
    if branch.status != "exact" or branch.unrolled:
        return
    if law.evaluations is not None and branch.evaluations is not None:
        yield "evaluations", law.evaluations, branch.evaluations
    if law.divergent is not None and branch.divergent is not None:
        yield "divergent", law.divergent, branch.divergent


def _sure(counts: facts.Counts) -> bool:
    return counts.mean_low == counts.mean == counts.mean_high


def _counted(
    kernel: ir.Kernel,
    launch: Launch,
    device: Device,
    point: Mapping[str, int],
    grid: tuple[int, int, int],
) -> facts.Kernel | None:
    """What the execution counts at a point; None where it cannot be run."""
    pointers = {k: v for k, v in launch.arguments.items() if not isinstance(v, int | float)}
    here = replace(
        launch,
        grid=grid,
        arguments={**pointers, **point},
        block_assumed=False,
        origin="command line",
        stated=(),
    )
    try:
        return run.count(kernel, here, device, BUDGET)
    except SourceError:
        return None


def _points(
    kernel: ir.Kernel,
    laws: Mapping[ir.AccessSite, AccessLaw],
    block: Size,
    count: int,
    chance: random.Random,
) -> Iterator[tuple[dict[str, int], Size, Size]]:
    """Values of the integer arguments with a block and a grid: the usual ones in turn, then by chance and at the
    ends of domains; those that lie in no law's domain are few."""
    some = [law for law in laws.values() if law.requests is not None]
    loops = any(isinstance(statement, ir.Loop) for statement in walk(kernel.body))
    usual = SIZES if loops else (*SIZES[:9], *LARGE, *SIZES[9:])
    of_type = {p.name: _held(usual, p.variable.type) for p in kernel.parameters}
    choices = {name: held for name, held in of_type.items() if held}
    any_block = any(low.has(whole_warps.THREADS) for law in some for low in law.domain)
    blocks = [(n, 1, 1) for n in (block[0], *BLOCKS)] if any_block else [block]
    for number in range(count):
        here = blocks[number % len(blocks)]
        if number == FIRST_ENDS:
            most = max(SIZES) if loops else max(LARGE)
            types = {p.name: p.variable.type for p in kernel.parameters}
            for name, at in _ends(some):
                if name in choices and abs(at) <= most:
                    choices[name] = [*choices[name], *_held([at], types[name])]
        best: tuple[int, dict[str, int]] = (-1, {})
        for attempt in range(TRIES if choices else 1):
            in_turn = number < len(usual) and not attempt
            point = {
                name: held[(number + 3 * i) % len(held)] if in_turn else chance.choice(held)
                for i, (name, held) in enumerate(choices.items())
            }
            values = _values(point, GRIDS[number % len(GRIDS)], here)
            fitting = sum(in_domain(law.domain, values) for law in some)
            best = max(best, (fitting, point), key=lambda one: one[0])
            if fitting == len(some):
                break
        yield best[1], here, GRIDS[number % len(GRIDS)]


def _each_once(
    points: Iterable[tuple[dict[str, int], Size, Size]],
) -> Iterator[tuple[dict[str, int], Size, Size]]:
    """The points without those that were there before: with few unknowns they come back."""
    seen = set()
    for point, block, grid in points:
        key = (tuple(point.items()), block, grid)
        if key not in seen:
            seen.add(key)
            yield point, block, grid


def _ends(laws: Iterable[AccessLaw]) -> set[tuple[str, int]]:
    """The last values of single unknowns at which domains hold, in the first grid."""
    grid = {symbol(f"gd{axis}"): sympy.Integer(n) for axis, n in zip("xyz", GRIDS[0], strict=True)}
    lows = dict.fromkeys(low for law in laws for low in law.domain)
    ends = (end_of(low.xreplace(grid)) for low in lows)
    return {(end[0].name, end[1]) for end in ends if end is not None}


def _values(point: Mapping[str, int], grid: Size, block: Size) -> Point:
    sizes = {f"gd{axis}": n for axis, n in zip("xyz", grid, strict=True)}
    sizes |= {f"bd{axis}": n for axis, n in zip("xyz", block, strict=True)}
    return {symbol(name): n for name, n in {**point, **sizes}.items()}


def _held(values: Sequence[int], type_: Type) -> list[int]:
    """Those that an argument of the type may have; none for what is no integer."""
    if not isinstance(type_, Integer):
        return []
    return [n for n in values if wrap(n, type_) == n]
