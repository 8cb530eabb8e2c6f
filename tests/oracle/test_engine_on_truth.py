"""The measured programs, host code and all: kernlint's numbers as written against what the oracle
counted for the same launches.

Where contents of memory decide an access kernlint may say so; numbers that it gives without bounds
must be the oracle's.
"""

from __future__ import annotations

import collections
import json
from pathlib import Path
from typing import Any

import pytest

from tests.oracle.against_oracle import COUNT, line_mismatches
from tests.oracle.facts import Fact
from tests.places import DATA

pytestmark = pytest.mark.slow


PROGRAMS = sorted((DATA / "truth" / "kernels").glob("*.cu"))


def launches(program: str) -> list[dict[str, Any]]:
    return [
        e for e in json.loads((DATA / "oracle_truth.json").read_text()) if e["program"] == program
    ]


def fits(given: list[str], launched: str) -> bool:
    """Whether template arguments are those of the launch's text, as far as that spells numbers and
    types."""
    parts = [p.strip() for p in launched.partition("<")[2].rstrip("> ").split(",") if p.strip()]
    return len(parts) <= len(given) and all(
        p == g or p.isupper() for p, g in zip(parts, given, strict=False)
    )


def pick(kernels: list[dict[str, Any]], launch: dict[str, Any]) -> dict[str, Any]:
    shape = (launch["kernel"], launch["grid"], launch["block"], launch["dynamic_shared_bytes"])
    found = [
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
    narrowed = [k for k in found if fits(k["template_arguments"], launch["launched"])]
    assert len(narrowed) == 1, f"{launch['launched']}: {len(narrowed)} reported for {shape}"
    return narrowed[0]


def mismatches(kernel: dict[str, Any], launch: dict[str, Any]) -> list[str]:
    facts = {
        (f["line"], f["space"], f["op"]): Fact(file="", **{**f, "bytes": tuple(f["bytes"])})
        for f in launch["facts"]
    }
    entries: dict[tuple[int, str, str], list[dict[str, Any]]] = collections.defaultdict(list)
    for a in kernel["accesses"]:
        if a["space"] in COUNT:
            entries[a["line"], a["space"], a["op"]].append(a)
    keys = sorted(entries.keys() | {k for k in facts if k[1] in COUNT})
    tally: collections.Counter[str] = collections.Counter()
    return [m for k in keys for m in line_mismatches(k, facts.get(k), entries.get(k, []), tally)]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_program(path: Path) -> None:
    from kernlint.model.settings import Settings
    from kernlint.pipeline import engine
    from kernlint.render.report_json import to_json

    found = to_json(engine.analyse([str(path)], Settings()))["files"][0]
    assert not [p for p in found["problems"] if p["code"] in ("KL001", "KL003")]
    wrong = {
        launch["launched"]: mismatches(pick(found["kernels"], launch), launch)
        for launch in launches(path.name)
    }
    assert not {name: trouble for name, trouble in wrong.items() if trouble}
