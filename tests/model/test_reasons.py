"""The closed lists of reasons: every KL003 says one of the table's sentences, with its key and its
remedy; nothing else can make one."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

from kernlint.base.span import Problem, Span
from kernlint.checks.run import check
from kernlint.cli import main
from kernlint.model import facts, reasons
from kernlint.model.reasons import GAVE_UP, REASONS, REMEDIES, gave_up
from kernlint.model.settings import Selection, Settings
from tests.pipeline.test_engine import analyse

PACKAGE = Path(reasons.__file__).parents[1]
HERE = Span("a.cu", 1, 1, 1, 2)


@pytest.mark.slow
def test_no_other_module_makes_a_kl003() -> None:
    """The code is spelled as a constant in `reasons.py` alone, and in tables and comparisons of the
    checks."""
    makers = []
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and any(
                isinstance(a, ast.Constant) and a.value == "KL003" for a in node.args
            ):
                makers.append(f"{path.name}:{node.lineno}")
    assert makers == []


def test_a_reason_that_is_not_in_the_table_cannot_be_given() -> None:
    with pytest.raises(KeyError):
        gave_up("tired", HERE)
    with pytest.raises(KeyError):
        gave_up("no-kernel", HERE)  # a sentence lacks its words
    problem = gave_up("grid-size", HERE, "k", blocks=1 << 30, most=1 << 24)
    assert problem == Problem(
        "KL003",
        HERE,
        "a grid of 1,073,741,824 blocks is more than kernlint enumerates (16,777,216)",
        "k",
        reason="grid-size",
    )


def test_keys_are_of_one_kind_and_apart() -> None:
    assert not GAVE_UP.keys() & REASONS.keys() and REMEDIES.keys() <= REASONS.keys()
    assert all(key == key.lower() and " " not in key for key in (*GAVE_UP, *REASONS))


KERNELS = """\
__device__ int f(int n) { return n ? f(n - 1) : 0; }
__device__ int missing(int n);
// kernlint: launch(grid=4, block=64)
__global__ void k(float *a, const int *p, int n) {
    __shared__ float s[64];
    a[f(n)] = missing(n);
    asm("add.u32 %0, [;" : "=r"(n));
    s[p[threadIdx.x]] = 1;
    if (p[threadIdx.x]) __syncthreads();
    while (1) { if (a[threadIdx.x] > s[3]) break; }
}
// kernlint: launch(grid=4, block=64)
__global__ void jumps(float *a, int n) { { again: a[0] = 1; } if (a[1] > n) goto again; }
// kernlint: launch(grid=99999999, block=64)
__global__ void large(float *a) { a[0] = 1; }
void host(float *a, int n) { none<<<1, n>>>(a); k<<<1, n>>>(a, nullptr, n); host<<<1, 2>>>(); }
"""


def says(reason: str, message: str) -> bool:
    """Whether a message is what the table has for a reason, with whatever words."""
    parts = re.split(r"\{\w+\}", GAVE_UP[reason].text)
    return re.fullmatch(".*".join(map(re.escape, parts)), message, re.DOTALL) is not None


def test_every_finding_has_its_reason_and_says_what_the_table_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = analyse(KERNELS, Settings())
    found = [
        f
        for f in check(facts.Report("h100", (file,)), Selection(("KL003",), severity="info"))
        if f.code == "KL003"
    ]
    seen = {f.reason for f in found}
    assert {
        "recursion",
        "definition",
        "assembly",
        "backward-jump",
        "grid-size",
        "loaded-value",
        "no-kernel",
        "launched-definition",
    } <= seen
    for finding in found:
        if finding.reason in GAVE_UP:
            assert says(finding.reason, finding.message) and (
                GAVE_UP[finding.reason].remedy in (finding.help, "") or finding.help
            )
        else:
            assert finding.reason in REASONS and any(
                says(one, finding.message) for one in ("access", "branch")
            )
            assert finding.help == REMEDIES.get(finding.reason, "")
    path = tmp_path / "k.cu"
    path.write_text(KERNELS, encoding="utf-8")
    main.main(
        [
            str(path),
            "--select",
            "KL003,KL101",
            "--severity",
            "info",
            "--output-format",
            "json",
            "--no-cache",
        ]
    )
    told = json.loads(capsys.readouterr().out)["findings"]
    assert {f["reason"] for f in told if f["code"] == "KL003"} == seen
    assert all(f["reason"] is None for f in told if f["code"] != "KL003")


def test_explain_lists_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["explain", "KL003"]) == 0
    page = capsys.readouterr().out
    assert (
        all(f"| `{key}` |" in page for key in (*GAVE_UP, *REASONS))
        and "| a grid of … blocks is more than" in page
    )
    assert main.main(["explain", "KL003", "--output-format", "json"]) == 0
    assert "`backward-jump`" in json.loads(capsys.readouterr().out)[0]["page"]
