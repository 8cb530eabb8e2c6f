"""What nobody needs is gone before accesses are held against each other: nvcc 13's machine code for
sm_90."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.model import facts
from tests.execution.test_execution import access, run

SOURCE = """// kernlint: launch(grid=1, block=32, n=48)
__device__ float pick(const int *p, const float *q, int i) {{
    if (p[i] > 3) return q[i];
    if (p[i] > 2) return q[i + 1];
    return 0;
}}
__global__ void k(float *__restrict__ o, const int *__restrict__ p, const float *__restrict__ q, int n) {{
    __shared__ float s[128], t[128];
    int i = threadIdx.x, best = 0;
    float x = 0, y = 0, few[4];
    {}
}}
"""


def made(a: facts.Access) -> int | float | None:
    """How many requests a warp makes; nothing where data decide."""
    return (
        a.as_compiled.requests
        if a.as_compiled is not None
        else a.requests
        if a.status == "exact"
        else None
    )


IDLE = (
    "if (p[i] > 3) x = q[i];",
    "if (p[i] > 3) { x = q[i]; if (x > 2) y = q[i + 1]; }",
    "if (n > 3) x = q[i]; else x = p[i];",
    "if (i < n && p[i] > 3 && q[i] < 2) x = q[i + 1];",
    "x = p[i] > 3 ? q[i] : q[i + 1];",
    "if (p[i] > 3) { few[0] = q[i]; few[1] = q[i + 1]; }",
    "few[0] = q[i]; few[1] = q[i + 1]; if (p[i] > 3) x = few[p[i + 1] & 3];",
    "x = pick(p, q, i);",
    "do { if (p[i] > 2) break; x = q[i]; } while (0);",
    "switch (p[i]) { case 0: x = q[i]; break; case 1: if (n > 2) break; x = q[i + 1]; break; case 2: x = q[i]; default: x = q[i + 2]; }",
)


@pytest.mark.parametrize("body", IDLE)
def test_what_only_needless_branches_load_is_loaded_where_it_is_needed(
    body: str, tmp_path: Path
) -> None:
    kernel = run(tmp_path, SOURCE.format(body + "\n" + "o[i] = \n" + "p[i] +\n" + "q[i];"))
    needed = {a.span.line for a in kernel.accesses if a.op == "load"}
    last = max(needed)
    assert {made(a) for a in kernel.accesses if a.op == "load" and a.span.line < last - 1} <= {
        0,
        None,
    }
    assert [a.status for a in kernel.accesses if a.op == "load" and a.span.line >= last - 1] == [
        "exact",
        "exact",
    ]


ELEMENTS = (
    "few[0] = n; few[1] = n; if (p[i] > 3) few[1] = 2; x = few[0];",
    "few[0] = n; if (p[i] > 3) few[0] = 2; few[0] = i; x = few[0];",
    "few[0] = q[i + 1]; few[0] = n; x = few[0];",
)


@pytest.mark.parametrize("body", ELEMENTS)
def test_an_element_that_nobody_needs_is_a_variable_that_nobody_needs(
    body: str, tmp_path: Path
) -> None:
    kernel = run(tmp_path, SOURCE.format(body + "\no[i] = x +\nq[i] + p[i];"))
    loads = [a for a in kernel.accesses if a.op == "load" and a.space == "global"]
    assert [made(a) for a in loads] == [0, 1, 1] and {a.status for a in loads} == {"exact"}


LATE = (
    "o[i] = n; if (p[i] > 2) { if (q[i] > 3) return; }",
    "for (int k = 0; k < n; k++) { o[i + k] = k; if (p[i] > 2) continue; y += q[i]; }",
)


@pytest.mark.parametrize("body", LATE)
def test_a_jump_that_skips_nothing_decides_nothing(body: str, tmp_path: Path) -> None:
    assert {made(a) for a in run(tmp_path, SOURCE.format(body)).accesses if a.op == "load"} <= {
        0,
        None,
    }


@pytest.mark.parametrize(
    "body", ["if (p[i] > 2) return; o[i] = n;", "do { if (p[i] > 2) break; o[i] = n; } while (0);"]
)
def test_a_jump_that_skips_a_store_is_made(body: str, tmp_path: Path) -> None:
    assert made(access(run(tmp_path, SOURCE.format(body)), "p[i]")) == 1


FILLED = "s[i] = q[i]; __syncthreads(); {} o[i] = p[i];"


@pytest.mark.parametrize(
    "body",
    [
        "if (p[i] > 3) x = s[i ^ 1];",
        "x = s[i ^ 1]; if (x > 3) y = 2;",
        "if (n > 3) y = s[i ^ 1] + q[i]; if (y > 2) x = 1;",
    ],
)
def test_a_shared_array_that_nobody_needs_is_not_filled(body: str, tmp_path: Path) -> None:
    kernel = run(tmp_path, SOURCE.format(FILLED.format(body)))
    assert made(access(kernel, "s[i]")) == 0


@pytest.mark.parametrize(
    "body",
    [
        "if (s[i ^ 1] > 3) x = q[i];",  # STS stays
        "if (p[i] > 3) if (s[i ^ 1] > 3) x = q[i];",  # it goes
        "x = s[i ^ 1] > 3 ? q[i + 1] : 0;",  # it stays
        "t[i] = s[i ^ 1]; __syncthreads(); x = t[i ^ 1];",  # it stays, that to t goes
    ],
)
def test_a_shared_array_that_only_needless_branches_read_may_be_filled(
    body: str, tmp_path: Path
) -> None:
    kernel = run(tmp_path, SOURCE.format(FILLED.format(body)))
    assert access(kernel, "s[i]").status == "range"
    assert next(a.status for a in kernel.accesses if a.text == "q[i]") == "range"
    assert made(access(kernel, "s[i ^ 1]")) in (0, None)
    assert [made(a) for a in kernel.accesses if a.text == "t[i]"] in ([], [0])


FOR_NOBODY = (
    "s[i] = q[i]; __syncthreads(); o[i] =\nq[i];",
    "s[i] = q[i]; __syncthreads(); x = s[i ^ 1]; o[i] =\nq[i];",
    "s[i] = q[i]; __syncthreads(); for (int k = 0; k < 2; k++) { x += s[k]; y += 3; } o[i] = y +\nq[i];",
)


@pytest.mark.parametrize("body", FOR_NOBODY)
def test_what_is_loaded_for_a_shared_array_that_nobody_needs_is_loaded_later(
    body: str, tmp_path: Path
) -> None:
    """sm_90: one LDG, on the second line."""
    assert [made(a) for a in run(tmp_path, SOURCE.format(body)).accesses if a.text == "q[i]"] == [
        0,
        1,
    ]


def test_a_shared_array_that_a_loop_with_branches_reads_for_nobody_may_be_filled(
    tmp_path: Path,
) -> None:
    """sm_90: LDG and STS."""
    loop = "for (int k = 0; k < 4; k++) { y += p[i + k]; x += s[k]; if (y > 3) continue; x += 2; } o[i] = y;"
    kernel = run(tmp_path, SOURCE.format("s[i] = q[i]; __syncthreads(); " + loop))
    assert access(kernel, "s[i]").status == "range" and access(kernel, "q[i]").status == "range"


def test_a_shared_array_read_only_by_what_was_just_stored_may_be_gone(tmp_path: Path) -> None:
    """nvcc 13's machine code has no STS: the value that is loaded is at hand, and nobody else reads
    the array."""
    text = """// kernlint: launch(grid=4, block=64)
__global__ void k(const float *a, float *o) {
    __shared__ float s[64];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = a[i];
    float v = s[t];
    o[i] = v;
}
"""
    kernel = run(tmp_path, text)
    assert (
        access(kernel, "s[t]", "store").status == "range"
        and access(kernel, "a[i]").status == "exact"
    )
    assert (
        access(
            run(tmp_path, text.replace("float v = s[t];", "__syncthreads(); float v = s[t ^ 1];")),
            "s[t]",
            "store",
        ).status
        == "exact"
    )
