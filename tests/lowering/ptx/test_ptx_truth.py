"""PTX of the measured programs, under the launches of their host code, against what an H100 counted
(tests/data/truth/README.md)."""

from __future__ import annotations

import collections
import functools
import gzip
import json
from typing import Any

import pytest

from kernlint.comparison import ptx_against_source
from kernlint.model import facts
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.render.report_json import to_json
from kernlint.source import files
from tests.pipeline import test_measured
from tests.places import DATA

pytestmark = pytest.mark.slow


AGREE = 317


@functools.cache
def both(program: str) -> tuple[facts.File, facts.File]:
    """The facts of a program from its source and from its PTX."""
    path = DATA / "truth" / "kernels" / program
    source = engine.analyse([str(path)], Settings()).files[0]
    text = gzip.decompress((DATA / "ptx" / "truth" / f"{path.stem}.ptx.gz").read_bytes()).decode()
    return source, engine.analyse_source(
        files.Source(f"{path.stem}.ptx", "ptx", text), Settings(), source_kernels=source.kernels
    )


def reported(program: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = to_json(facts.Report("h100", (both(program)[1],)))["files"][0][
        "kernels"
    ]
    return found


def entry(kernels: list[dict[str, Any]], launch: dict[str, Any]) -> dict[str, Any]:
    """The reported launch: by name, shape and template arguments; the integer arguments that are
    known must fit."""
    shape = (launch["kernel"], launch["grid"], launch["block"], launch["dynamic_shared"])
    wanted = test_measured.arguments_of(launch["signature"])
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
        and [a.replace(" ", "") for a in k["template_arguments"]] == wanted
    ]
    given = {n: v for n, v in launch.get("arguments", {}).items() if isinstance(v, int)}
    exact = [
        k for k in fitting if all(k["launch"]["arguments"].get(n, v) == v for n, v in given.items())
    ]
    assert exact, f"{launch['signature']} {shape}: not reported, of {[k['name'] for k in kernels]}"
    return exact[0]


@functools.cache
def results() -> dict[str, list[str]]:
    found: dict[str, list[str]] = collections.defaultdict(list)
    for launch in json.loads((DATA / "truth" / "h100_kernels.json").read_text()):
        kernel = entry(reported(launch["program"]), launch)
        counted = {
            **launch,
            "lines": [
                line
                for line in launch["lines"]
                if line["space"] in test_measured.COUNT and line["requests"]
            ],
        }
        for verdict, line in test_measured.verdicts(kernel, counted):
            found[verdict].append(f"{launch['signature']} {line}")
    return found


def test_no_problem_in_any_module() -> None:
    for path in sorted((DATA / "ptx" / "truth").glob("*.ptx.gz")):
        assert not both(path.name.replace(".ptx.gz", ".cu"))[1].problems


def test_lines_that_agree() -> None:
    assert len(results()["agrees"]) >= AGREE, {
        v: some for v, some in results().items() if v != "agrees"
    }


def test_nothing_is_contradicted_invented_or_missing() -> None:
    assert not results()["contradicted"] + results()["invented"] + results()["missing"]


def test_differences_say_what_the_compiler_did() -> None:
    found = ptx_against_source.compared(*both("matvec.cu"))
    staged = next(pair for pair in found.pairs if pair.source.name == "matvecStaged")
    assert [
        (d.line, d.reason, d.source.bytes, d.ptx.bytes)
        for d in staged.differences
        if d.source and d.ptx
    ] == [
        (81, "unrolled", (4,), (4,)),
        (82, "merged", (4,), (16,)),
    ]
    assert not found.alone


def test_every_kernel_of_the_source_is_found() -> None:
    for program in ("matmul_tiled.cu", "access_widths.cu", "reduce_thread8.cu"):
        assert not ptx_against_source.compared(*both(program)).alone
