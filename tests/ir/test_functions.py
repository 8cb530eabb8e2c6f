"""The table of functions (`kernlint/ir/functions.toml`): each row can be read by all readers, and a
new row is all that a new function needs."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import kernlint
from kernlint.checks import branch_paths
from kernlint.estimate import costs
from kernlint.execution.values import reals
from kernlint.ir.functions import FunctionRow, find, functions
from kernlint.lowering.calls.intrinsics import lookup

PACKAGE = Path(kernlint.__file__).parent
ROWS = functions().values()
SPELLINGS = {
    "cuda": ("cuda", "{}"),
    "f": ("cuda", "{}f"),
    "__f": ("cuda", "__{}f"),
    "opencl": ("opencl", "{}"),
    "native_": ("opencl", "native_{}"),
}
PIPES = (costs.ALU, costs.IMAD, costs.FMA, costs.FP64, costs.XU, costs.SEQUENCE)
NEW = """
frobnicate = { names = ["cuda", "f", "__f", "opencl", "native_"], value = "cbrt", cost = [31, "sequence"], size = 7, double_size = 9, slow = true, cheap = true, rare = "branches" }
"""
KERNEL = """\
__global__ void k(float *a) {
    __shared__ float s[1024];
    int stride = (int)frobnicatef(8.5f) * 16;
    s[threadIdx.x * stride % 1024] = frobnicatef(a[threadIdx.x]);
}
int main() { k<<<1, 32>>>(0); }
"""
ASKED = """\
import json, sys
from kernlint.checks import branch_paths
from kernlint.estimate import costs
from kernlint.ir import nodes as ir
from kernlint.ir.types import DOUBLE, FLOAT
from kernlint.optimizer import compiler_rare, compiler_size, compiler_unrolling
single, double = (ir.Call(kind, "frobnicate", ()) for kind in (FLOAT, DOUBLE))
print(json.dumps({
    "sizes": [compiler_size.weight(single), compiler_size.weight(double)],
    "slow": compiler_unrolling._has_slow_way(single),
    "branches": compiler_rare._branches(single),
    "cost": costs.CALLS["frobnicate"].count,
    "cheap": branch_paths.is_cheap("frobnicatef"),
}))
"""


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_a_row_is_complete(row: FunctionRow) -> None:
    """Every key says something that its reader understands."""
    assert row != FunctionRow(row.name), "says nothing"
    assert set(row.names) <= set(SPELLINGS)
    assert not row.value or math.isfinite(reals.FUNCTIONS[row.name](*[0.75] * _arity(row.name)))
    assert not row.cost or (len(row.cost) == 2 and row.cost[0] > 0 and row.cost[1] in PIPES)
    assert (row.name in costs.CALLS) == bool(row.cost)
    assert all(size is None or size > 0 for size in (row.size, row.double_size))
    assert row.rare in ("", "reduced", "logarithm", "branches")
    assert not (row.direct and row.slow), "neither one instruction nor a branch"
    assert not row.direct or row.double_size is not None, "its size in double precision is known"
    assert not row.cheap or row.name in ("isfinite",) or branch_paths.is_cheap(row.name)


def _arity(name: str) -> int:
    return 2 if name in ("pow", "fmin", "fmax") else 1


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_a_row_is_found_under_its_spellings(row: FunctionRow) -> None:
    assert find(row.name) is find(f"std::{row.name}") is row
    for kind in row.names:
        language, spelling = SPELLINGS[kind]
        found = lookup(spelling.format(row.name), language)
        assert found is not None and found.kind == "operation"
        assert found.operation == ("float" if kind == "__f" else row.name)


def test_a_name_of_single_precision_is_found() -> None:
    assert find("sinf") is find("sin") is functions()["sin"]
    assert find("erf") is functions()["erf"] and find("user") is None


def test_a_key_that_no_reader_knows_is_refused(tmp_path: Path) -> None:
    installed(tmp_path, "frob = { sise = 7 }\n")
    done = asked(tmp_path, "-c", "from kernlint.ir.functions import functions; functions()")
    assert done.returncode and "sise" in done.stderr


@pytest.mark.slow
def test_a_new_row_is_all_that_a_new_function_needs(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text(KERNEL, encoding="utf-8")
    command = ("-m", "kernlint", "report", str(path), "--no-cache", "--isolated")
    installed(tmp_path, "")
    before = report(asked(tmp_path, *command, "--output-format", "json"))
    installed(tmp_path, NEW)
    after = report(asked(tmp_path, *command, "--output-format", "json"))
    assert store(before)["status"] == "range"
    # a stride of 32 elements: every lane wants another word of one bank
    assert store(after)["status"] == "exact" and store(after)["wavefronts"]["mean"] == 32
    told = json.loads(asked(tmp_path, "-c", ASKED).stdout)
    assert told == {"sizes": [7, 9], "slow": True, "branches": True, "cost": 31, "cheap": True}
    for name, language in (("frobnicate", "opencl"), ("native_frobnicate", "opencl")):
        text = f"from kernlint.lowering.calls.intrinsics import lookup; print(lookup({name!r}, {language!r}).operation)"
        assert asked(tmp_path, "-c", text).stdout == "frobnicate\n"
    installed(tmp_path, NEW.replace("cost = [31", "cost = [131"))
    # of two calls
    dear = report(asked(tmp_path, *command, "--output-format", "json"))
    assert dear["estimate"]["instructions"] == after["estimate"]["instructions"] + 200


def installed(folder: Path, row: str) -> None:
    """A copy of the package with a further row."""
    copy = folder / "kernlint"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for data in ("rules", "grammars", "schemas"):
        beside = PACKAGE.parent / data
        if beside.is_dir() and not (copy / data).is_dir():
            shutil.copytree(beside, copy / data)
    table = copy / "ir" / "functions.toml"
    table.write_text(f"{table.read_text(encoding='utf-8')}{row}", encoding="utf-8")


def asked(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    # behind the copy what compiled modules have beside the package
    known = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (folder, PACKAGE.parent)))}
    return subprocess.run(
        [sys.executable, *words], cwd=folder, env=known, capture_output=True, text=True
    )


def report(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.stdout, done.stderr
    kernel: dict[str, Any] = json.loads(done.stdout)["files"][0]["kernels"][0]
    return kernel


def store(kernel: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = next(a for a in kernel["accesses"] if a["space"] == "shared")
    return found
