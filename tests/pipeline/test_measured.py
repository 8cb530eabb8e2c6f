"""Programs that the engine was not made for, against what an H100 counted for them
(tests/data/measured/README.md).

Every measured line is compared with the sum of what kernlint reports to be executed there. Numbers
without bounds that the hardware contradicts are what must not happen; those known to be
contradicted are counted, so that the count can only fall. verdicts.json has of each program how
many lines agree at least and how many are contradicted at most.
"""

from __future__ import annotations

import collections
import functools
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kernlint.comparison.names import canonical
from tests import places

pytestmark = pytest.mark.slow


DATA = places.DATA / "measured"
COUNT = {"shared": "wavefronts", "global": "sectors"}
VERDICTS = json.loads((DATA / "verdicts.json").read_text())
PROGRAMS = sorted((DATA / "kernels").glob("*.cu"))

Line = tuple[str, int, str, str]


@dataclass(frozen=True, slots=True)
class Executed:
    """What the report says the machine executes for one access: requests and transactions, each
    with its bounds."""

    exact: bool
    requests: float | None
    mean: float | None
    low: float | None
    high: float | None


def executed(access: dict[str, Any]) -> tuple[int, Executed]:
    compiled = access["as_compiled"] or {}
    which = COUNT[access["space"]]
    counts = compiled.get(which) or access[which] or {}
    requests = compiled.get("requests", access["requests"])
    mean = counts.get("mean")
    line = compiled.get("charged_line") or access["charged_line"]
    status = compiled.get("status", access["status"])
    number = requests if isinstance(requests, int | float) else None
    return line, Executed(
        status == "exact", number, mean, counts.get("mean_low", mean), counts.get("mean_high", mean)
    )


def near(value: float, measured: float) -> bool:
    return abs(value - measured) <= 0.005 * max(measured, 1e-9)


def judge(line: dict[str, Any], some: list[Executed]) -> str:
    """agrees, bounded (a range that holds the measurement), contradicted, open (no number) or
    missing."""
    live = [e for e in some if e.requests != 0]
    if not live:
        return "missing"
    total, rate = line[COUNT[line["space"]]], line[COUNT[line["space"]]] / line["requests"]
    if any(e.mean is None for e in live):
        return "open"
    counted = [e.requests for e in live]
    if None in counted:
        low, mean, high = (
            min(e.low for e in live),
            sum(e.mean for e in live) / len(live),
            max(e.high for e in live),
        )  # of any mixture
        requests = None
    else:
        requests = sum(counted)
        low, mean, high = (
            sum(e.requests * getattr(e, key) for e in live) / requests
            for key in ("low", "mean", "high")
        )
    exact = all(e.exact for e in live)
    agrees = near(mean, rate) or (requests is not None and near(mean * requests, total))
    if agrees and exact and not line["predicated"]:
        agrees = near(requests, line["requests"])
    if agrees or exact:
        return "agrees" if agrees else "contradicted"
    held = low * 0.995 <= rate <= high * 1.005 or (
        requests is not None and low * requests * 0.995 <= total <= high * requests * 1.005
    )
    return "bounded" if held else "contradicted"


def arguments_of(signature: str) -> list[str]:
    """The template arguments of a demangled name, casts to built-in types dropped."""
    found = re.match(r"(?:[\w:<> ]*? )?[\w:<> ]*?\w+<(.*)>\(", signature)
    depth, parts = 0, [""]
    for c in found[1] if found else "":
        depth += (c in "<(") - (c in ">)")
        parts = [*parts, ""] if c == "," and not depth else [*parts[:-1], parts[-1] + c]
    return [canonical(p) for p in parts if p.strip()]


def entry(kernels: list[dict[str, Any]], launch: dict[str, Any]) -> dict[str, Any]:
    shape = (launch["kernel"], launch["grid"], launch["block"], launch["dynamic_shared"])
    fitting = [
        k
        for k in kernels
        if (
            k["name"],
            k["launch"]["grid"],
            k["launch"]["block"],
            k["launch"]["dynamic_shared_bytes"],
        )
        == shape
    ]
    wanted = arguments_of(launch["signature"])
    named = [k for k in fitting if list(map(canonical, k["template_arguments"])) == wanted]

    def same(k: dict[str, Any]) -> bool:
        given = k["launch"]["arguments"]
        return all(given.get(name, value) == value for name, value in launch["arguments"].items())

    def holds(k: dict[str, Any]) -> bool:
        """Of overloads and specialisations: the one in whose lines some of its instructions lie."""
        own = (line["line"] for line in launch["lines"] if line["source"] == launch["program"])
        return any(k["line"] <= line <= k["end_line"] for line in own)

    exact = sorted((k for k in named if same(k)), key=holds, reverse=True)
    assert exact, (
        f"{launch['signature']} {shape} {launch['arguments']}: not reported, of {len(kernels)}"
    )
    return exact[0]


def verdicts(kernel: dict[str, Any], launch: dict[str, Any]) -> list[tuple[str, Line]]:
    reported: dict[Line, list[Executed]] = collections.defaultdict(list)
    for access in kernel["accesses"]:
        if access["space"] in COUNT:
            line, counts = executed(access)
            reported[
                access.get("path") or launch["program"], line, access["space"], access["op"]
            ].append(counts)
    found = []
    for line in launch["lines"]:
        key = (line["source"], line["line"], line["space"], line["op"])
        some = reported.pop(key, [])
        if line["threads"]:
            found.append((judge(line, some), key))
    return found + [
        ("invented", key)
        for key, some in reported.items()
        if any(e.exact and e.requests for e in some)
    ]


@functools.cache
def measured(program: str) -> list[dict[str, Any]]:
    return [launch for launch in _all_measured() if launch["program"] == program]


@functools.cache
def _all_measured() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((DATA / "h100.json").read_text())
    return found


def results(path: Path) -> dict[str, list[str]]:
    """Each verdict's lines of a program."""
    from kernlint.model.settings import Settings
    from kernlint.pipeline import engine
    from kernlint.render.report_json import to_json

    found: dict[str, list[str]] = collections.defaultdict(list)
    kernels = to_json(engine.analyse([str(path)], Settings()))["files"][0]["kernels"]
    for launch in measured(path.name):
        for verdict, line in verdicts(entry(kernels, launch), launch):
            found[verdict].append(f"{launch['signature']} {line}")
    return found


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_measured_launches_are_complete(path: Path) -> None:
    launches = measured(path.name)
    assert launches and all(
        m["lines"] and m["arguments"].keys() <= set(re.findall(r"\w+", path.read_text()))
        for m in launches
    )


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_lines_agree_and_none_is_contradicted(path: Path) -> None:
    known, found = VERDICTS[path.name], results(path)
    assert len(found["agrees"]) >= known["agrees"], {
        verdict: lines for verdict, lines in found.items() if verdict != "agrees"
    }
    assert len(found["contradicted"]) <= known.get("contradicted", 0), found["contradicted"]
    assert not found["invented"]  # no exact access where the hardware saw none
