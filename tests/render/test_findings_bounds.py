"""What is known to a range has its bounds in the findings' JSON, as in the report, and no mean over
what the unknown may be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kernlint.cli import main

OPEN = "c[threadIdx.x * 3 + 2 * blockIdx.x * lda] = 1.f;"  # the row may begin off a sector
ELEMENTS = "struct P { float x, y, z, w, m; };"


def found(
    kernel: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], *options: str
) -> list[dict[str, Any]]:
    path = tmp_path / "k.cu"
    path.write_text(kernel)
    given = ("--block", "256", "--grid", "4", "--no-cache", "--isolated")
    main.run([str(path), *given, *options, "--output-format", "json"])
    findings: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["findings"]
    return findings


@pytest.mark.slow
def test_bounds_and_no_mean(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (finding,) = found(f"__global__ void k(float *c, int lda) {{ {OPEN} }}", tmp_path, capsys)
    metrics = finding["metrics"]
    assert "sectors" not in metrics
    assert (
        f"between {metrics['sectors_low']:g} and {metrics['sectors_high']:g}"
        in (finding["message"])
    )


def test_exact_numbers_have_no_bounds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kernel = "__global__ void k(float *c) { c[threadIdx.x * 8] = 1.f; }"
    (finding,) = found(kernel, tmp_path, capsys)
    assert finding["metrics"]["sectors"] == 32
    assert not [name for name in finding["metrics"] if name.endswith(("_low", "_high"))]


def test_what_may_leave_a_loop(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As written, with the bounds of what the compiler may leave; requests are at most as many."""
    body = "float a = 0; for (int j = 0; j < n; j++) a += q[j].x * q[threadIdx.x].x; o[0] = a;"
    kernel = f"{ELEMENTS} __global__ void k(float *o, const P *q, int n) {{ {body} }}"
    (finding,) = found(kernel, tmp_path, capsys, "--arg", "n=512", "--select", "KL206")
    assert any(note.endswith("; up to 16,384 requests") for note in finding["notes"])
    assert any(note.startswith("cost: at most ") for note in finding["notes"])
