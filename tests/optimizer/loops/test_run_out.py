"""Loops of which the machine has no branch: each claim and each silence was read in nvcc's machine
code (nvcc 13.0, sm_90)."""

from __future__ import annotations

import json

import jsonschema
import pytest

from kernlint.model import facts
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.render.report_json import to_json
from kernlint.render.report_text import render
from kernlint.render.style import Style
from kernlint.source import files
from tests.places import SCHEMAS

SCHEMA = json.loads((SCHEMAS / "report.schema.json").read_text(encoding="utf-8"))


def report(body: str) -> facts.Report:
    head = "__global__ void k(float *a, const float *b, int n, float x) { int t = blockIdx.x * 256 + threadIdx.x; float s = b[t];"
    source = f"// kernlint: launch(grid=2, block=256)\n{head}\n{body}\na[t] = s + x; }}\n"
    found = engine.analyse((), Settings(), stdin=files.from_bytes("k.cu", source.encode()))
    assert not found.files[0].problems, found.files[0].problems
    return found


def unrolled(body: str) -> list[bool]:
    """Of each loop, in order."""
    return [
        branch.unrolled
        for branch in report(body).files[0].kernels[0].branches
        if branch.kind in facts.LOOPS
    ]


IN_FULL = [
    "for (int i = 0; i < 8; i++) s += b[t * 8 + i];",
    "for (int i = 16; i > 0; i >>= 1) s += __shfl_down_sync(~0u, s, i);",
    "#pragma unroll\nfor (int i = 0; i < 40; i++) s += b[t * 8 + i];",
    "int i = 0; do { s += b[t + i]; } while (++i < 4);",
    "for (int i = 0; i < 4; i++) if (b[t + i] > 0) s += 1;",
    "for (int i = 0; i < 8; i++) { if (b[t + i] > x) break; s += b[t + 4096 * i]; }",
    "for (int i = 0; i < 20; i++) s += expf(b[i * 32 + t]);",
    "for (int i = 0; i < 32; i++) s += __expf(b[i * 32 + t]);",
    "for (int i = 0; i < 8; i++) { s += b[t + i]; if (s > x) { a[t + n] = s; break; } }",
    "for (int i = 0; i < 8; i++) { if (b[t + i] > x) continue; s += b[t + 4096 * i]; }",
    "#pragma unroll\nfor (int i = 0; i < 2; i++) { s += b[t + i]; if (t & 1) break; }",
]
KEPT = [
    "#pragma unroll 1\nfor (int i = 0; i < 8; i++) s += b[t * 8 + i];",
    "for (int i = 0; i < n; i++) s += b[t * 8 + i];",
    "for (int i = 0; i < 1000; i++) s += b[t * 8 + i];",
    "for (int i = 0; i < 2; i++) { s += b[t + i]; if (t & 1) break; }",
    "for (int i = 0; i < 4; i++) { s += b[t + i]; if (i + t >= n) break; }",
    "for (int i = 0; i < 4; i++) { s += b[t + i]; if (t < n) { if (t == 0) break; } }",
    "for (int i = 0; i < 5; i++) { float v = b[t]; if (i == n) break; a[t + i + 9] = v; }",
    "for (int i = 0; i < 24; i++) {"
    + "".join(f" a[(i * 4 + {j}) * n + t] = b[(i * 4 + {j}) * n + t] + x;" for j in range(4))
    + " }",
    "for (int i = 0; i < 40; i++) s += expf(b[i * 32 + t]);",
    "for (int i = 0; i < 16; i++) s += logf(b[i * 32 + t]);",
    "for (int i = 0; i < 24; i++) s += tanhf(b[i * 32 + t]);",
    "for (int i = 0; i < 64; i++) s += b[i * 32 + t] / x;",
    "for (int i = 0; i < 6; i++) s += powf(b[i * 32 + t], x);",
    "for (int i = 0; i < 30; i++) { int w = 0; while (b[w + i] > s) { w++; s += 0.5f; } s = s * b[t + i] + x; }",
    "for (unsigned i = 0; i < 96; i += 2) { if (s > 7) { a[t] = s; x += b[i]; } else { s -= 3; a[t + i] = x; } }",
]


@pytest.mark.slow
@pytest.mark.parametrize("body", IN_FULL)
def test_loops_that_nvcc_unrolls_in_full(body: str) -> None:
    assert unrolled(body) == [True]


@pytest.mark.slow
@pytest.mark.parametrize("body", KEPT)
def test_loops_that_stay_or_may(body: str) -> None:
    assert not any(unrolled(body))


def test_a_loop_within_one_that_stays() -> None:
    assert unrolled(
        "for (int q = 0; q < n; q++) for (int i = 0; i < 4; i++) s += b[t + i * q];"
    ) == [False, True]


def test_the_report_says_that_the_machine_has_no_such_branch() -> None:
    found = report(IN_FULL[0])
    written = to_json(found)
    jsonschema.validate(written, SCHEMA)
    (branch,) = written["files"][0]["kernels"][0]["branches"]
    assert (branch["status"], branch["evaluations"]) == ("exact", 9 * 16)
    assert branch["as_compiled"] == {
        "evaluations": 0,
        "divergent": 0,
        "status": "exact",
        "reason": "unrolled",
    }
    shown = render(found, Style())
    assert (
        "exact as written" in shown
        and "no such branch in the machine code: nvcc unrolls the loop fully" in shown
    )
