"""The law of each access: its requests, and its wavefronts or sectors, per request and in all.

In: a lowered kernel, a launch of which the block counts, a device. Out: `AccessLaw` per access site, with
expressions where a closed form was found and the reason where none was. `check` holds them
against counted launches.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import sympy

from kernlint.base import deadline
from kernlint.base.dataclass import dataclass
from kernlint.hardware import Device
from kernlint.ir import nodes as ir
from kernlint.laws import domain as domains
from kernlint.laws import whole_warps
from kernlint.laws.byte_pitches import in_units
from kernlint.laws.fitting import fitted
from kernlint.laws.flags import by_flags
from kernlint.laws.functions import Ceiling, Floor, Residue, Table, Value, by_common_factors, symbol
from kernlint.laws.grammar import law_text
from kernlint.laws.index import IndexExpression, index_expressions
from kernlint.laws.lane_values import Array, LaneSum
from kernlint.laws.nonnegative import Nonnegative
from kernlint.laws.patterns import (
    LANES,
    SPACES,
    CountTable,
    NoLaw,
    are_apart,
    by_groups,
    pattern,
    shape_of,
    summed,
)
from kernlint.laws.records import AccessRecord, Obligation, SymbolicRun
from kernlint.laws.solving import Least, least
from kernlint.laws.spans import SpanLaw, span_law
from kernlint.laws.tiles import RECTANGLE, along_of, lanes_of, warps_of
from kernlint.laws.totals import Times, relation, times
from kernlint.laws.walk import walked
from kernlint.model.facts import ArgumentFact, Launch

STEPS = 4_000  # of work that the formulas of an access are worth
Ranges = Mapping[Value, tuple[int, int]]
BLOCKS = ("bx", "by", "bz", "gdx", "gdy", "gdz")
NOT_REACHED = "no path that could be followed reaches it"
MATRIX = "laws are not made of matrix operations and wide asynchronous copies"
NAMED = {"threads": "threads", "x": "columns of threads", "y": "rows of threads"}
UNEVEN = "its warps count differently under the condition on the thread"


@dataclass(frozen=True, slots=True)
class AccessLaw:
    """`counted`: "wavefronts" or "sectors". `requests` and `total` are over the launch; a part that
    has no closed form is None, and `reason` says why. `domain`: expressions that are at least 0
    where the law holds."""

    counted: str
    requests: Value | None
    per_request: Value | None
    total: Value | None
    domain: tuple[Value, ...]
    reason: str
    index: IndexExpression | None = None
    steps: tuple[str, ...] = ()  # how it comes about, in words
    least: Least | None = None
    guarded: bool = False  # `per_request` is that of a warp whose lanes all pass the condition


def laws(
    kernel: ir.Kernel, launch: Launch, device: Device, any_block: bool = False
) -> tuple[dict[ir.AccessSite, AccessLaw], SymbolicRun]:
    """By site, for every access that the walk reaches. `any_block`: for blocks of any number of
    whole warps, see `whole_warps`."""
    walk = walked(kernel, launch, any_block)
    indices = index_expressions(kernel, launch, walk)
    by_site: dict[ir.AccessSite, list[AccessRecord]] = {}
    for record in walk.records:
        by_site.setdefault(record.site, []).append(record)
    try:
        common, why = domains.relations(walk.obligations, walk.relations), ""
    except NoLaw as none:
        common, why = [], str(none)
    stated = {symbol(fact.name): fact for fact in launch.stated if symbol(fact.name) in walk.ranges}
    block = (whole_warps.LANES, 1, 1) if any_block else launch.block
    maker = _Maker(block, device, common, walk, stated)
    found = {}
    for site, records in by_site.items():
        deadline.check(STEPS)
        law = maker.law(records) if not why else _none(records, why)
        found[site] = replace(law, index=indices.get(site))
    if any_block:
        found = {site: _in_threads(law) for site, law in found.items()}
    return found, walk


def _in_threads(law: AccessLaw) -> AccessLaw:
    """In terms of the threads of a block, of which it holds for whole warps."""
    counts = (law.requests, law.per_request, law.total)
    requests, per_request, total = (e if e is None else whole_warps.in_threads(e) for e in counts)
    domain = (whole_warps.whole_warps(), *map(whole_warps.condition, law.domain))
    index = law.index
    if index is not None:
        index = replace(index, expression=whole_warps.in_threads(index.expression))
    of_block = law.least is not None and law.least.unknown.has(whole_warps.WARPS)
    return replace(
        law, requests=requests, per_request=per_request, total=total, domain=domain,
        index=index, least=None if of_block else law.least,
    )  # fmt: skip


def _none(records: Sequence[AccessRecord], why: str) -> AccessLaw:
    space = records[0].object.space if records[0].object is not None else ""
    return AccessLaw(SPACES.get(space, ""), None, None, None, (), why)


@dataclass(frozen=True, slots=True)
class _Group:
    """Records that run equally often."""

    times: Times
    records: list[AccessRecord]


class _Maker:
    def __init__(
        self,
        block: tuple[int, int, int],
        device: Device,
        common: list[Value],
        walk: SymbolicRun,
        stated: Mapping[Value, ArgumentFact],
    ) -> None:
        self._stated = stated
        self._block, self._device, self._common = block, device, common
        self._ranges, self._known = walk.ranges, walk.relations
        self._counters = frozenset(symbol(name) for name in (*BLOCKS, *walk.iterations))
        # of the access at hand, by what its requests are
        self._patterns: dict[object, CountTable] = {}
        self._shapes: dict[int, object] = {}

    def law(self, records: Sequence[AccessRecord]) -> AccessLaw:
        arguments = self._ranges.keys() - {whole_warps.WARPS}
        units = in_units(records, arguments)
        found = self._law(units.records, {**self._ranges, **units.ranges(self._ranges)})
        if found.least is not None:
            names = {*arguments, *units.names.values()}
            chosen = found.least.of_argument(names)
            free = chosen.unknown.free_symbols & names  # nobody chooses a block or an iteration
            found = replace(found, least=units.least(chosen) if free else None)
        if not units.steps or found.requests is None:
            return found
        parts = (found.requests, found.per_request, found.total)
        requests, per_request, total = (e if e is None else units.in_bytes(e) for e in parts)
        domain = (*units.domain, *map(units.condition, found.domain))
        return replace(
            found, requests=requests, per_request=per_request, total=total, domain=domain
        )

    def _pattern(self, record: AccessRecord) -> CountTable:
        key = self._shape(record)
        if key not in self._patterns:
            self._patterns[key] = pattern(record, self._device)
        return self._patterns[key]

    def _shape(self, record: AccessRecord) -> object:
        if id(record) not in self._shapes:
            self._shapes[id(record)] = shape_of(record, self._device)
        return self._shapes[id(record)]

    def _distinct(self, records: Sequence[AccessRecord]) -> list[AccessRecord]:
        return list({self._shape(one): one for one in records}.values())

    def _law(self, records: Sequence[AccessRecord], ranges: Ranges) -> AccessLaw:
        self._patterns.clear()
        self._shapes.clear()
        first = records[0]
        counted = SPACES.get(first.object.space if first.object is not None else "", "")
        reasons: list[str] = []
        if self._device.warp_lanes != LANES:
            return _none(records, f"formulas are made for warps of {LANES} lanes")
        if any(record.site.hardware_op in ("ldmatrix", "stmatrix") for record in records):
            return _none(records, MATRIX)
        if first.site.hardware_op == "copy" and counted == "sectors" and first.width >= 16:
            return _none(records, MATRIX)
        if any(record.width == 0 for record in records):
            return _none(records, "the size of the accessed type is not known")
        try:
            cases = [case for record in records for case in _by_flags(record)]
            records = [case.record for case in cases]
            domain = self._domain(records, ranges)
            groups = self._groups(records)
            requests = by_common_factors(sympy.Add(*(self._requests(group) for group in groups)))
        except NoLaw as none:
            return _none(records, str(none))
        per_request = total = None
        bounds = [frozenset(domains.running(record.state.loops)) for record in records]
        running = frozenset.intersection(*bounds)  # where the access is made at all
        nonnegative = Nonnegative.of(domain, ranges, self._counters | running)
        try:
            per_request = self._by_case(cases, nonnegative)
        except NoLaw as none:
            reasons.append(str(none))
        try:
            total = sympy.Add(*(self._total(group, nonnegative) for group in groups))
            total = by_common_factors(total)
        except NoLaw as none:
            reasons.append(str(none))
            alike, total, more = self._in_parts(groups, nonnegative)
            per_request = alike if per_request is None else per_request
            domain = list(dict.fromkeys([*domain, *more]))
        try:
            requests_of = [self._pattern(record) for record in self._distinct(records)]
            lowest = least(summed(requests_of), domain, partial(are_apart, records))
        except NoLaw:
            lowest = None
        return AccessLaw(
            counted, requests, per_request, total,
            tuple([*domain, *self._facts((requests, per_request, total, *domain))]),
            "" if total is not None else reasons[-1], None,
            tuple(self._steps(records, groups)), lowest,
            any(group.times.prefixes for group in groups),
        )  # fmt: skip

    def _facts(self, parts: Iterable[Value | None]) -> Iterator[Value]:
        """What the source or a directive states of the unknowns in a law."""
        names = set().union(*(part.free_symbols for part in parts if part is not None))
        for name in sorted(names.intersection(self._stated), key=str):
            fact = self._stated[name]
            if fact.low is not None:
                yield name - fact.low
            if fact.high is not None:
                yield fact.high - name
            if fact.multiple > 1:
                yield -Residue(name - fact.rest, fact.multiple)

    def _steps(self, records: Sequence[AccessRecord], groups: Sequence[_Group]) -> Iterator[str]:
        """Lanes, loops and conditions, and what the count depends on."""
        x, y, z = self._block
        if whole_warps.WARPS in self._ranges:
            yield "a block of bdx threads has bdx/32 warps"
        else:
            yield f"a block of {x}x{y}x{z} threads has {-(-x * y * z // LANES)} warps"
        loops = (loop for one in records for loop in one.state.loops if loop.line)
        for loop in dict.fromkeys(loops):
            ends = (
                "until its condition fails"
                if loop.trips is None
                else law_text(whole_warps.in_threads(loop.trips))
            )
            yield f"the loop on line {loop.line}, `{loop.text}`, runs {ends}" + (
                "" if loop.trips is None else " times"
            )
        prefixes = (prefix for group in groups for prefix in group.times.prefixes)
        for prefix in dict.fromkeys(prefixes):
            less = f" but {prefix.first}" if prefix.first else ""
            who = f"the first {law_text(whole_warps.in_threads(prefix.count))} {NAMED[prefix.dimension]}"
            yield f"{who}{less} pass its condition"
        try:
            one = self._pattern(records[0])
        except NoLaw as none:
            yield f"no formula for one request: {none}"
            return
        if one.unknown is None:
            yield "no unknown changes what a request counts"
            return
        what = law_text(whole_warps.in_threads(one.unknown))
        if one.bound:
            yield (
                f"for |{what}| >= {one.bound}, lanes at different multiples of {what} share no "
                f"word or sector, so only mod({what}, {one.period}) matters; smaller values are "
                "counted one by one"
            )
        else:
            yield f"only mod({what}, {one.period}) matters: it shifts all lanes alike"

    def _domain(self, records: Sequence[AccessRecord], ranges: Ranges) -> list[Value]:
        needs: dict[object, Obligation] = {}
        for record in records:
            needs |= {id(one): one for one in record.needs}
            needs |= {id(record.address): one for one in domains.inside(record)}
        own = dict.fromkeys([*self._common, *domains.relations(needs.values(), self._known)])
        return domains.needed(list(own), ranges)

    def _groups(self, records: Sequence[AccessRecord]) -> list[_Group]:
        groups: dict[object, _Group] = {}
        known: dict[object, Times] = {}
        for record in records:
            state = record.state
            key = (state.reason, state.loops, tuple(id(atom) for atom in state.atoms),
                   state.mask.tobytes() if state.atoms else b"")  # fmt: skip
            if key not in known:
                known[key] = times(record.state, self._block)
            found = known[key]
            group = groups.setdefault(found, _Group(found, []))
            group.records.append(record)
        return list(groups.values())

    # -------------------------------------------------------------- requests

    def _requests(self, group: _Group) -> Value:
        how = group.times
        warps = (warps_of(how.prefixes, one.state.mask, self._block) for one in group.records)
        return how.total(sympy.Add(*warps))

    def _spans(self, groups: Sequence[_Group], nonnegative: Nonnegative) -> list[SpanLaw]:
        return [
            span_law(record, group.times, self._block, self._device, nonnegative)
            for group in groups
            for record in group.records
        ]

    def _in_parts(
        self, groups: Sequence[_Group], nonnegative: Nonnegative
    ) -> tuple[Value | None, Value | None, list[Value]]:
        """Per request and in all, of requests that count by groups of lanes or by rows; and where
        they do. None without a closed form."""
        try:
            return self._by_groups(groups, nonnegative)
        except NoLaw:
            return self._by_rows(groups, nonnegative)

    def _by_rows(
        self, groups: Sequence[_Group], nonnegative: Nonnegative
    ) -> tuple[Value | None, Value | None, list[Value]]:
        """As above, of requests that count by rows."""
        try:
            spans = self._spans(groups, nonnegative)
        except NoLaw:
            return None, None, []
        each = {one.per_request for one in spans}
        alike = each.pop() if len(each) == 1 else None
        total = sympy.Add(*(one.total for one in spans)) if spans else None
        return alike, total, [e for one in spans for e in one.domain]

    def _by_groups(
        self, groups: Sequence[_Group], nonnegative: Nonnegative
    ) -> tuple[Value | None, Value, list[Value]]:
        """Per request and in all, of requests whose lanes go in groups that each depend on one
        unknown; and where they do."""
        if any(group.times.prefixes for group in groups):
            raise NoLaw(RECTANGLE)
        totals: list[Value] = []
        requests: list[Value] = []
        domain: list[Value] = []
        for group in groups:
            for record in group.records:
                tables, apart = by_groups(record, self._device)
                domain += apart
                fits = [fitted(summed([one]), one.unknown in nonnegative, self._stated)
                        for one in tables]  # fmt: skip
                totals.append(group.times.total(sympy.Add(*fits)))
                firsts = [fitted(_column(one, one), one.unknown in nonnegative, self._stated)
                          for one in tables]  # fmt: skip
                requests.append(sympy.Add(*firsts))
                if any(_differ(one) for one in tables):
                    requests.append(sympy.nan)
        return requests[0] if len({*requests}) == 1 else None, sympy.Add(*totals), domain

    # -------------------------------------------------------------- counts

    def _by_case(self, cases: Sequence[_Case], nonnegative: Nonnegative) -> Value:
        """What each request counts, by the conditions that choose its address."""
        by_condition: dict[Value, list[AccessRecord]] = {}
        for case in cases:
            by_condition.setdefault(case.condition, []).append(case.record)
        arms = [(self._per_request(some, nonnegative), condition)
                for condition, some in by_condition.items()]  # fmt: skip
        return sympy.Piecewise(*arms[:-1], (arms[-1][0], True))

    def _per_request(self, records: Sequence[AccessRecord], nonnegative: Nonnegative) -> Value:
        """What each request counts, where all count the same."""
        patterns = [self._pattern(record) for record in self._distinct(records)]
        unknowns = {one.unknown for one in patterns if one.unknown is not None}
        if len(unknowns) > 1:
            raise NoLaw("requests of it depend on different unknowns")
        whole = summed(patterns)
        points = _points(whole)
        columns = np.concatenate(
            [np.broadcast_to(one.at(points), (len(points), one.warps)) for one in patterns], axis=1
        )
        if (columns != columns[:, :1]).any():
            raise NoLaw("its requests count differently")
        return fitted(_column(whole, patterns[0]), whole.unknown in nonnegative, self._stated)

    def _total(self, group: _Group, nonnegative: Nonnegative) -> Value:
        if group.times.prefixes:
            return sympy.Add(
                *(self._guarded(group.times, record, nonnegative) for record in group.records)
            )
        whole = summed([self._pattern(record) for record in group.records])
        return group.times.total(fitted(whole, whole.unknown in nonnegative, self._stated))

    def _guarded(self, how: Times, record: AccessRecord, nonnegative: Nonnegative) -> Value:
        if any(prefix.first for prefix in how.prefixes):
            return self._of_ones(how, record)
        along = along_of(how.prefixes)
        if "threads" not in along:
            return how.total(self._of_tiles(along, record, nonnegative))
        if len(along) > 1:
            raise NoLaw(RECTANGLE)
        flags = (np.arange(LANES) < lanes for lanes in range(1, LANES + 1))
        parts = [pattern(record, self._device, some) for some in flags]
        # what decides only what some of a warp's lanes count is no unknown of all of them
        whole, full = summed(parts), parts[-1]
        points = _points(whole)
        table = np.array([_alike(np.asarray(part.at(points))) for part in parts])
        law = fitted(_column(whole, full), whole.unknown in nonnegative, self._stated)
        return how.total(_Full(law, table).line(along["threads"]))

    def _of_ones(self, how: Times, record: AccessRecord) -> Value:
        """Where a whole warp counts 1, so that any part of it does."""
        full = self._pattern(record)
        if (self._counts(record, _points(full), None) != 1).any():
            raise NoLaw(RECTANGLE)
        return how.total(warps_of(how.prefixes, record.state.mask, self._block))

    def _counts(self, record: AccessRecord, points: Array, flags: Array | None) -> Array:
        return np.asarray(pattern(record, self._device, flags).at(points))

    def _of_tiles(
        self, along: Mapping[str, Value], record: AccessRecord, nonnegative: Nonnegative
    ) -> Value:
        """Rows and columns of threads: what whole warps count, and those at the two edges."""
        across, down, columns, rows = lanes_of(along, self._block)
        full = self._pattern(record)
        points = _points(full)
        if rows == 1 and "x" not in along:
            counts = self._counts(record, points, None)
            by_row = counts.reshape(len(points), self._block[1], -1)
            if (by_row != by_row[:, :1]).any():
                raise NoLaw(UNEVEN)
            return (
                fitted(_first_row(full, self._block[1]), full.unknown in nonnegative, self._stated)
                * down
            )
        if not record.state.mask.all() or full.unknown is not None:
            raise NoLaw(RECTANGLE)
        lane = np.arange(LANES)
        table = np.zeros((columns + 1, rows + 1), np.int64)
        for c, r in itertools.product(range(1, columns + 1), range(1, rows + 1)):
            inside = (lane % columns < c) & (lane // columns < r)
            part = pattern(record, self._device, inside)
            if part.unknown is not None:
                raise NoLaw(RECTANGLE)
            table[c, r] = _alike(np.asarray(part.at(points)))[0]
        return _edges(table, across, down)


def _differ(table: CountTable) -> bool:
    """Whether its warps count differently."""
    counts = table.at(_points(table))
    return bool((counts != counts[:, :1]).any())


def _alike(counts: Array) -> Array:
    """By point, what all warps count."""
    if (counts != counts[:, :1]).any():
        raise NoLaw(UNEVEN)
    return counts[:, 0]


def _edges(table: Array, across: Value, down: Value) -> Value:
    """Of a rectangle of warps that count table[columns, rows] each."""
    columns, rows = (n - 1 for n in table.shape)
    if (table[1:, 1:] == table[-1, -1]).all():
        return int(table[-1, -1]) * Ceiling(across, columns) * Ceiling(down, rows)

    def along_columns(r: int) -> Value:
        values = [int(table[c, r]) for c in range(columns)]
        return int(table[-1, r]) * Floor(across, columns) + Table(Residue(across, columns), *values)

    last = [(along_columns(r), sympy.Eq(Residue(down, rows), r)) for r in range(1, rows)]
    edge = sympy.Piecewise(*last, (sympy.S.Zero, True)) if last else sympy.S.Zero
    return along_columns(rows) * Floor(down, rows) + edge


@dataclass(frozen=True, slots=True)
class _Full:
    """What a warp counts with its first lanes active: `law` with all, `table` [lanes - 1, points]
    of the unknown."""

    law: Value
    table: Array

    def line(self, threads: Value) -> Value:
        """Over so many consecutive threads."""
        lanes, full = np.arange(1, LANES + 1)[:, None], self.table[-1][None, :]
        if (self.table == -(-lanes * full // LANES)).all():
            number, rest = self.law.as_coeff_Mul()
            common = math.gcd(int(number), LANES)
            each = sympy.Integer(int(number) // common) * rest
            return each * threads if common == LANES else Ceiling(each * threads, LANES // common)
        if (self.table == self.table[:1]).all():
            return self.law * Ceiling(threads, LANES)
        if (self.table == self.table[:, :1]).all():
            return self._listed(threads)
        raise NoLaw("what its last warp counts depends on an unknown in no closed form")

    def _listed(self, threads: Value) -> Value:
        values = [0, *(int(row[0]) for row in self.table[:-1])]
        most = int(self.table[-1, 0])
        return Floor(threads, LANES) * most + Table(Residue(threads, LANES), *values)


@dataclass(frozen=True, slots=True)
class _Case:
    """A record where a condition holds that its address depends on."""

    record: AccessRecord
    condition: Value


def _by_flags(record: AccessRecord) -> Iterator[_Case]:
    if not isinstance(record.address, LaneSum):
        yield _Case(record, sympy.true)
        return
    for atoms, address in by_flags(record.address):
        state = replace(record.state, atoms=record.state.atoms + atoms)
        condition = sympy.And(*map(relation, atoms))
        yield _Case(replace(record, address=address, state=state) if atoms else record, condition)


def _points(found: CountTable) -> Array:
    """All points that decide a pattern: the small ones, and one period beyond."""
    if found.unknown is None:
        return np.zeros(1, np.int64)
    first = -(-max(found.bound, 1) // found.period) * found.period
    ends = np.arange(first, first + found.period)
    return np.concatenate([np.arange(1 - found.bound, found.bound), ends])


def _first_row(full: CountTable, rows: int) -> CountTable:
    """What the warps of the block's first row count together."""

    def at(points: Array) -> Array:
        counts = np.broadcast_to(full.at(points), (len(points), full.warps))
        by_row = counts.reshape(len(points), rows, -1)
        return np.asarray(by_row[:, 0].sum(axis=1)[:, None])

    return CountTable(full.unknown, full.period, full.bound, 1, at)


def _column(whole: CountTable, one: CountTable) -> CountTable:
    """The first warp of `one` as a pattern with the unknown, period and bound of `whole`."""
    return CountTable(
        whole.unknown, whole.period, whole.bound, 1,
        lambda points: np.broadcast_to(one.at(points), (len(points), one.warps))[:, :1],
    )  # fmt: skip
