"""Predictions held against a profile: the whole of it in one place.

    profile → launches ─┐
                        ├─ match → sum by line → judge → explain → Comparison
    report  → kernels  ─┘

Goes in: a report, a profile, and how to analyse a kernel under a launch that only the profile
tells. Comes out: `Comparison`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace

from kernlint.base.dataclass import dataclass
from kernlint.comparison import counting, judging, matching
from kernlint.comparison.explaining import explain
from kernlint.comparison.judging import ORDER, PredictedAccess, Row, executed
from kernlint.comparison.matching import AnalysedKernel, Candidates
from kernlint.comparison.profile import LINES, TOTALS, Profile, ProfiledLaunch, ProfiledLine
from kernlint.model import facts

MOST_LAUNCHES = 32  # analysed anew for a shape that only the profile tells
# a kernel under a profiled launch with grid and block
Analyse = Callable[[AnalysedKernel, ProfiledLaunch], facts.Report]


@dataclass(frozen=True, slots=True)
class MatchedLaunches:
    """Profiled launches that counted the same, with the analysed launch they are. `how`: the
    evidence; `notes`: what weakens it."""

    launches: tuple[ProfiledLaunch, ...]
    file: facts.File
    kernel: facts.Kernel
    how: str
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()

    @property
    def contradicted(self) -> int:
        return sum(row.contradicted for row in self.rows)


@dataclass(frozen=True, slots=True)
class Comparison:
    """`only_measured`: profiled launches without a counterpart, with the reason; `only_predicted`:
    analysed ones not in the profile."""

    device: str
    profile: Profile
    pairs: tuple[MatchedLaunches, ...]
    only_measured: tuple[Candidates, ...]
    only_predicted: tuple[AnalysedKernel, ...]
    notes: tuple[str, ...]

    @property
    def contradicted(self) -> int:
        return sum(pair.contradicted for pair in self.pairs)

    def verdicts(self) -> Counter[str]:
        return Counter(row.verdict for pair in self.pairs for row in pair.rows)


def compare(
    report: facts.Report, profile: Profile, analyse: Analyse | None, capability: int | None
) -> Comparison:
    """Every profiled launch with the analysed launch that it is, worst first. `capability`: the
    analysed device's."""
    known = matching.analysed(report)
    found = [matching.candidates(launch, known) for launch in profile.launches]
    found = found if analyse is None else _with_profiled_launches(found, analyse)
    pairs = _merged([_pair(one, at) for one, at in _numbered(found)])
    used = {id(pair.kernel) for pair in pairs}
    return Comparison(
        report.device,
        profile,
        tuple(sorted(pairs, key=_worst)),
        tuple(one for one in found if not one.kernels),
        tuple(a for a in known if id(a.kernel) not in used and not _assumed(a, pairs)),
        (*profile.notes, *_device_notes(profile, capability, report.device)),
    )


def _assumed(candidate: AnalysedKernel, pairs: Sequence[MatchedLaunches]) -> bool:
    """An assumed launch that gave way to the profile's own."""
    return candidate.kernel.launch.grid is None and any(
        pair.kernel.span == candidate.kernel.span for pair in pairs
    )


def _device_notes(profile: Profile, capability: int | None, device: str) -> tuple[str, ...]:
    measured = {launch.capability for launch in profile.launches if launch.capability}
    if not capability or not measured or capability in measured:
        return ()
    seen = ", ".join(f"{c // 10}.{c % 10}" for c in sorted(measured))
    given = f"{capability // 10}.{capability % 10}"
    return (
        f"profiled on a device of compute capability {seen}, analysed for {device} ({given}): give the right one with --device",
    )


# ------------------------------------------------------------------ launches that only the profile
# tells


def _with_profiled_launches(found: list[Candidates], analyse: Analyse) -> list[Candidates]:
    """Where a kernel's launch is not in the source, it is analysed under the profile's."""
    shapes: dict[tuple[object, ...], tuple[AnalysedKernel, ...]] = {}
    results: list[Candidates] = []
    for one in found:
        launch = one.launch
        if (
            one.kernels
            or not one.nearest
            or launch.grid is None
            or launch.block is None
            or not _open(one.nearest)
        ):
            results.append(one)
            continue
        key = (launch.name, launch.grid, launch.block, launch.dynamic_shared_bytes)
        if key not in shapes and len(shapes) < MOST_LAUNCHES:
            shapes[key] = tuple(
                map(_from_profile, matching.analysed(analyse(one.nearest[0], launch)))
            )
        again = matching.candidates(launch, shapes.get(key, ()))
        results.append(again if again.kernels else one)
    return results


def _from_profile(a: AnalysedKernel) -> AnalysedKernel:
    return replace(a, kernel=replace(a.kernel, launch=replace(a.kernel.launch, origin="profile")))


def _open(nearest: Sequence[AnalysedKernel]) -> bool:
    """No number among the kernel's arguments is known: none can be wrong under another launch."""
    return all(
        isinstance(value, facts.PointerArgument)
        for a in nearest
        for value in a.kernel.launch.arguments.values()
    )


# ------------------------------------------------------------------ pairs


def _numbered(found: Sequence[Candidates]) -> list[tuple[Candidates, int]]:
    """With how many launches of the same candidates came before: the order of launch, where nothing
    else tells them apart."""
    seen: Counter[tuple[int, ...]] = Counter()
    numbered = []
    for one in found:
        if one.kernels:
            key = tuple(id(a.kernel) for a in one.kernels)
            numbered.append((one, seen[key]))
            seen[key] += 1
    return numbered


def _pair(one: Candidates, position: int) -> MatchedLaunches:
    """With the candidate that fits best; among equals, by the order of launch."""
    count = len(one.kernels)
    tried = [(_judged(one.launch, candidate), candidate) for candidate in one.kernels]
    at = min(range(count), key=lambda k: (*_score(tried[k][0]), (k - position) % count))
    rows, best = tried[at]
    how = f"by {one.why}"
    notes = _pair_notes(one.launch, best, count)
    return MatchedLaunches((one.launch,), best.file, best.kernel, how, rows, notes)


def _pair_notes(launch: ProfiledLaunch, best: AnalysedKernel, count: int) -> tuple[str, ...]:
    notes = []
    if count > 1:
        notes.append(
            f"the one that fits best of {count} analysed launches of this shape, which differ in arguments that the profile does not hold"
        )
    elif launch.detail == TOTALS and launch.grid is None:
        notes.append("the profile does not tell the launch's shape")
    if launch.detail != LINES:
        notes.append("compared over the whole kernel: the profile has no lines")
    return tuple(notes)


def _score(rows: Sequence[Row]) -> tuple[int, int, float]:
    """Contradicted claims, lines that do not agree, distance: the smaller the better."""
    return (
        sum(row.contradicted for row in rows),
        sum(row.verdict not in ("agrees", "unknown") for row in rows),
        sum(row.distance for row in rows),
    )


def _merged(pairs: Sequence[MatchedLaunches]) -> list[MatchedLaunches]:
    """Launches of one kernel that counted the same, as one pair."""
    by_key: dict[object, list[MatchedLaunches]] = defaultdict(list)
    for pair in pairs:
        by_key[id(pair.kernel), tuple(row.measured for row in pair.rows)].append(pair)
    return [
        replace(some[0], launches=tuple(launch for pair in some for launch in pair.launches))
        for some in by_key.values()
    ]


def _worst(pair: MatchedLaunches) -> tuple[int, int, float, int]:
    ranks = [ORDER.index(row.verdict) for row in pair.rows] or [len(ORDER)]
    return (
        -pair.contradicted,
        min(ranks),
        -max((row.distance for row in pair.rows), default=0.0),
        pair.launches[0].identity,
    )


# ------------------------------------------------------------------ rows


def _judged(launch: ProfiledLaunch, candidate: AnalysedKernel) -> tuple[Row, ...]:
    """Every line of one launch, worst first."""
    accesses = [executed(a) for a in candidate.kernel.accesses if a.space in judging.SPACES]
    lines = counting.lines(launch, matching.chooser(candidate))
    rows = (
        _by_line(lines, accesses)
        if launch.detail == LINES
        else _by_kernel(lines, accesses, whole=launch.detail != TOTALS)
    )
    return tuple(
        sorted(
            explain(rows, accesses, candidate.file.path),
            key=lambda row: (
                not row.contradicted,
                ORDER.index(row.verdict),
                -row.distance,
                row.line,
            ),
        )
    )


def _by_line(lines: Sequence[ProfiledLine], accesses: Sequence[PredictedAccess]) -> list[Row]:
    charged: dict[tuple[str, int, str, str], list[PredictedAccess]] = defaultdict(list)
    for one in accesses:
        charged[one.path, one.line, one.access.space, one.access.op].append(one)
    elsewhere = {(e.path, e.line, e.access.op, e.access.space) for e in accesses if not e.exact}
    rows = [
        judging.judge(line, charged.pop((line.path, line.line, line.space, line.op), []))
        for line in lines
    ]
    rows = [judging.weakened(row) if _may_hold_others(row, elsewhere) else row for row in rows]
    left = [judging.invented(path, number, some) for (path, number, _, _), some in charged.items()]
    return rows + [row for row in left if row is not None]


def _by_kernel(
    lines: Sequence[ProfiledLine], accesses: Sequence[PredictedAccess], whole: bool
) -> list[Row]:
    """`whole`: every instruction of the kernel is counted, so that an operation without a line was
    not executed."""
    rows, seen = [], set()
    for line in lines:
        some = [
            e for e in accesses if e.access.space == line.space and line.op in ("", e.access.op)
        ]
        seen.add((line.space, line.op))
        row = judging.judge(line, some)
        if row.accesses or line.requests or line.count:
            rows.append(row)
    for key in sorted({(e.access.space, e.access.op) for e in accesses} - seen) if whole else ():
        row_or_none = judging.invented(
            "", 0, [e for e in accesses if (e.access.space, e.access.op) == key]
        )
        rows += [row_or_none] if row_or_none else []
    return [judging.weakened(row) if _surplus(row, rows) else row for row in rows]


def _may_hold_others(row: Row, elsewhere: set[tuple[str, int, str, str]]) -> bool:
    """More requests than predicted, on a line with an access whose space kernlint is not sure of:
    they may be that one's."""
    others = any(
        (row.path, row.line, row.op, space) in elsewhere
        for space in judging.SPACES
        if space != row.space
    )
    return others and judging.exceeds(row.requests)


def _surplus(row: Row, rows: Sequence[Row]) -> bool:
    """More in all than predicted, where other instructions than those reported may be the
    reason."""
    if row.measured is None or row.measured.requests is not None or row.counts.measured is None:
        return judging.exceeds(row.requests)
    requests = [
        other.requests
        for other in rows
        if other.space == row.space and other.op and other.requests.measured is not None
    ]
    return judging.exceeds(row.counts) and (not requests or any(map(judging.exceeds, requests)))
