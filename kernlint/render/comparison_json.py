"""A comparison with a profile as JSON; docs/compare.md says what each key means; names and meanings
are stable.

Goes in: `Comparison`. Comes out: plain dictionaries. Never computes a number.
"""

from __future__ import annotations

from typing import Any

from kernlint import __version__
from kernlint.comparison.compare import Comparison, MatchedLaunches
from kernlint.comparison.explaining import UNITS, hint
from kernlint.comparison.judging import AGREEMENTS, Number, Row, Within
from kernlint.comparison.profile import ProfiledLaunch
from kernlint.model import facts

SCHEMA = 1


def to_json(comparison: Comparison) -> dict[str, Any]:
    rows = [row for pair in comparison.pairs for row in pair.rows]
    return {
        "schema": SCHEMA,
        "version": __version__,
        "device": comparison.device,
        "profile": {"path": comparison.profile.path, "page": comparison.profile.page},
        "notes": list(comparison.notes),
        "launches": [_pair(pair) for pair in comparison.pairs],
        "only_measured": [
            {**_profiled(one.launch), "why": one.why, "help": hint(one) or None}
            for one in comparison.only_measured
        ],
        "only_predicted": [
            {"path": one.file.path, **_kernel(one.kernel)} for one in comparison.only_predicted
        ],
        "verdicts": dict(comparison.verdicts()),
        "agreements": {
            name: sum(row.agreement == name for row in rows) for name in reversed(AGREEMENTS)
        },
        "exact": sum(row.exact and row.verdict == "agrees" for row in rows),
        "contradicted": comparison.contradicted,
    }


def _pair(pair: MatchedLaunches) -> dict[str, Any]:
    return {
        "path": pair.file.path,
        **_kernel(pair.kernel),
        "device": pair.file.device,
        "profiled": [_profiled(launch) for launch in pair.launches],
        "matched": pair.how,
        "notes": list(pair.notes),
        "lines": [_row(row, pair.file.path) for row in pair.rows],
    }


def _kernel(kernel: facts.Kernel) -> dict[str, Any]:
    launch = kernel.launch
    return {
        "kernel": kernel.qualified_name or kernel.name,
        "template_arguments": list(kernel.template_arguments),
        "line": kernel.span.line,
        "grid": None if launch.grid is None else list(launch.grid),
        "block": list(launch.block),
        "arguments": {
            name: value for name, value in launch.arguments.items() if isinstance(value, int)
        },
        "origin": launch.origin,
    }


def _profiled(launch: ProfiledLaunch) -> dict[str, Any]:
    return {
        "id": launch.identity,
        "name": launch.name,
        "grid": None if launch.grid is None else list(launch.grid),
        "block": None if launch.block is None else list(launch.block),
    }


def _row(row: Row, path: str) -> dict[str, Any]:
    place = {"path": row.path} if row.path and row.path != path else {}
    return {
        **place,
        "line": row.line or None,
        "space": row.space,
        "op": row.op or None,
        "verdict": row.verdict,
        "agreement": row.agreement,
        "within": _within(row.within),
        "exact": row.exact,
        "contradicted": row.contradicted,
        "unit": UNITS[row.space],
        "requests": _number(row.requests),
        "active_lanes": _number(row.lanes),
        "per_request" if row.requests.measured is not None else "total": _number(row.counts),
        "ideal": _number(row.ideal),
        "measured_bits": list(row.measured.bits) if row.measured else [],
        "predicated": bool(row.measured and row.measured.predicated),
        "why": list(row.why),
        "accesses": [
            {"line": e.access.span.line, "column": e.access.span.column, "text": e.access.text}
            for e in row.accesses
        ],
    }


def _within(within: Within | None) -> dict[str, float | bool] | None:
    if within is None:
        return None
    return {
        "low": within.low,
        "high": within.high,
        "measured": within.measured,
        "in_all": within.in_all,
    }


def _number(number: Number) -> dict[str, float | None]:
    entry = {"predicted": number.predicted, "measured": number.measured}
    if number.low != number.high:
        entry |= {"low": number.low, "high": number.high}
    return entry
