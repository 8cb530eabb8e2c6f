"""What is known of accesses where the ways of a switch, of early returns and breaks meet: nvcc 13's
machine code for sm_90."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.execution.test_execution import run

SOURCE = """// kernlint: launch(grid=1, block=32, n=5)
__device__ float put(float *o, int i, int n) {{
    if (n > 2) return 1;
    o[i] = 4;
    return 2;
}}
__device__ float pick(const float *q, int i, int n) {{
    if (n > 2) return q[i + 1];
    if (n > 1) return q[i + 2];
    return q[i + 3];
}}
__global__ void k(float *{0} o, const float *{0} q, int n, float c) {{
    __shared__ float s[32];
    int i = threadIdx.x;
    float d = 1;
    {1}
}}
"""


def last(body: str, tmp_path: Path, restrict: str = "__restrict__") -> tuple[str, float | None]:
    """What becomes of the last load: whether that is sure, and its requests."""
    kernel = run(tmp_path, SOURCE.format(restrict, body))
    a = [a for a in kernel.accesses if a.op == "load"][-1]
    return a.status, a.as_compiled.requests if a.as_compiled is not None else a.requests


SWITCHES = (
    "switch (n) { case 5: c = q[i + 2]; break; case 1: c = q[i + 1]; break; } o[i] = c + q[i + 2];",
    "switch (n) { case 5: c = q[i + 2]; break; case 1: c = 3; break; default: c = 4; break; } o[i] = c + q[i + 2];",
    "switch (n) { case 5: c = q[i + 2]; break; case 1: c = q[i + 1]; case 2: d = q[i + 3] * c; } o[i] = c + d + q[i + 1];",
    "switch (n) { case 1: c = q[i + 1]; case 5: c += q[i + 2]; case 2: c += q[i + 1]; } o[i] = c;",
)


@pytest.mark.parametrize("body", SWITCHES)
def test_what_one_case_loads_is_not_known_behind_the_switch(body: str, tmp_path: Path) -> None:
    """sm_90: the last load is made."""
    assert last(body, tmp_path) != ("exact", 0)


def test_what_every_way_loads_is_known_behind_the_switch(tmp_path: Path) -> None:
    body = "c = q[i + 2]; switch (n) { case 5: d = q[i + 1]; break; case 1: d = c; case 2: d += 2; } o[i] = c + d; o[i + 32] = q[i + 2];"
    assert last(body, tmp_path) == ("exact", 0)


STORING = (
    "c = q[i]; do { if (n) break; o[i] = 1; } while (0); o[i + 64] = c + q[i];",
    "c = q[i]; switch (n) { case 0: o[i] = 1; break; case 1: o[i + 1] = 2; } o[i + 64] = c + q[i];",
    "c = q[i]; c += put(o, i, n); o[i + 64] = c + q[i];",
    "c = q[i]; for (int k = 0; k < n; k++) { if (k & 3) continue; o[i + k] = 1; } o[i + 64] = c + q[i];",
    "s[i] = c; do { if (n) break; __syncthreads(); } while (0); o[i] = s[i];",
)


@pytest.mark.parametrize("body", STORING)
def test_what_a_way_may_have_written_is_loaded_again(body: str, tmp_path: Path) -> None:
    """sm_90: the last load is made (the one of shared memory where the barrier was)."""
    assert last(body, tmp_path, "") != ("exact", 0)


ALIKE = (
    "switch (n) { case 5: c = q[i + 2]; break; case 1: c = q[i + 1]; break; default: c = q[i + 3]; } o[i] = c;",
    "switch (n) { case 5: c = q[i + 2] * 2; break; case 1: c = q[i + 1] * 2; break; default: c = q[i + 3] * 2; } o[i] = c;",
    "do { if (n > 2) { c = q[i + 1]; break; } if (n > 1) { c = q[i + 2]; break; } c = q[i + 3]; } while (0); o[i] = c;",
    "o[i] = pick(q, i, n);",
)


@pytest.mark.parametrize("body", ALIKE)
def test_loads_of_all_ways_may_be_one(body: str, tmp_path: Path) -> None:
    """sm_90: one load of the selected address, on the line of the last one or of the next."""
    assert {
        a.status
        for a in run(tmp_path, SOURCE.format("__restrict__", body)).accesses
        if a.op == "load"
    } == {"range"}


APART = (
    "switch (n) { case 5: c = q[i + 2]; break; case 1: c = q[i + 1]; break; case 2: c = q[i + 4]; break; } o[i] = c;",
    "switch (n) { case 5: c = q[i + 2]; break; case 1: c = q[i + 1]; break; default: c = 3; } o[i] = c;",
)


@pytest.mark.parametrize("body", APART)
def test_loads_of_some_ways_are_made_where_they_stand(body: str, tmp_path: Path) -> None:
    kernel = run(tmp_path, SOURCE.format("__restrict__", body))
    assert next(a.requests for a in kernel.accesses if a.op == "load" and a.status == "exact") == 1


AGAIN = (
    # @LDG in the arm, LDG of the selected address
    "c = q[i + 2]; if (n > 3) { c = q[i]; d = 3 + q[i + 2]; } o[i] = c + d;",
    "float few[3]; c = q[i + 2]; if (n > 3) { c = q[i]; few[0] = q[i + 1]; } o[i] = c + d;",
)


@pytest.mark.parametrize("body", AGAIN)
def test_one_load_of_a_selected_address_stands_beside_what_is_loaded_again_or_stored_for_nobody(
    body: str, tmp_path: Path
) -> None:
    found = {
        (a.text, a.status)
        for a in run(tmp_path, SOURCE.format("", body)).accesses
        if a.op == "load"
    }
    assert {("q[i + 2]", "range"), ("q[i]", "range")} <= found and (
        "q[i + 2]",
        "exact",
    ) not in found


BOTH = "if (c > 3) c += o[i + 1]; else c = o[i + 1] * 2; {} o[i] = c + d +\n q[i + 7];"


@pytest.mark.parametrize("between", ["", "s[i] = c; __syncthreads(); d = s[i ^ 1];"])
def test_what_both_arms_load_may_be_counted_where_a_pointer_is_used_first(
    between: str, tmp_path: Path
) -> None:
    """sm_90: two LDG on the line of `q[i + 7]`."""
    (found,) = [
        a
        for a in run(tmp_path, SOURCE.format("", BOTH.format(between))).accesses
        if a.text == "q[i + 7]"
    ]
    assert found.status == "range"


def test_a_pointer_that_was_used_before_has_its_line(tmp_path: Path) -> None:
    body = "d = q[i];\n" + BOTH.format("")
    (found,) = [a for a in run(tmp_path, SOURCE.format("", body)).accesses if a.text == "q[i + 7]"]
    assert found.status == "exact"


PARTLY = (
    "c = q[i]; if (n > 3) o[i] = 1; o[i + 64] = c + q[i];",
    "c = q[i]; do { if (n) break; o[i] = 1; } while (0); o[i + 64] = c + q[i];",
    "if (q[i] <= 7) { o[i + 64] = q[i]; d = q[i + 1]; } o[i] = d + q[i];",
    "do { if (q[i] > 7) break; o[i + 64] = q[i]; d = q[i + 1]; } while (0); o[i] = d + q[i];",
    "s[i] = c; if (n > 3) __syncthreads(); o[i] = s[i];",
)


@pytest.mark.parametrize("body", PARTLY)
def test_what_one_way_overwrites_is_loaded_at_its_end_alone(body: str, tmp_path: Path) -> None:
    """sm_90: `@P0 LDG`, or an LDG in the arm, for the lanes of the way that writes."""
    assert last(body, tmp_path, "")[0] == "range"


@pytest.mark.parametrize(
    "body",
    [
        "if (n > 3) o[i] = 1; else o[i + 1] = 2;",
        "for (int k = 0; k < n; k++) o[i + k] = 1;",
        "o[i] = 1;",
    ],
)
def test_what_all_ways_overwrite_is_loaded_again(body: str, tmp_path: Path) -> None:
    assert last("c = q[i]; " + body + " o[i + 64] = c + q[i];", tmp_path, "") == ("exact", 1)


APPLIED = (
    "d = c * q[i + 1]; if (n > 3) d = c * q[i + 2]; o[i] = d;",
    "d = c + q[i + 1]; if (n > 3) d = q[i + 2] + c; o[i] = d;",
    "int w = n * 2 + (int)q[i + 1]; if (c > 3) w = n * 2 + (int)q[i + 2]; o[i] = w;",
    "float x = q[i]; if (c > 3) d += x; else d += q[i + 1]; o[i] = d;",
)


@pytest.mark.parametrize("body", APPLIED)
def test_one_operation_on_one_of_two_loads_is_made_of_one_load(body: str, tmp_path: Path) -> None:
    """sm_90: one LDG of the selected address, on the line of the next instruction, or (behind a
    conversion) @LDG for the second."""
    assert {
        a.status for a in run(tmp_path, SOURCE.format("", body)).accesses if a.op == "load"
    } == {"range"}


@pytest.mark.parametrize(
    "body",
    [
        "d = c * q[i + 1]; if (n > 3) d = d * 5; o[i] = d;",
        "d = c - q[i + 1]; if (n > 3) d = n * q[i + 2]; o[i] = d;",
    ],
)
def test_other_operations_stay(body: str, tmp_path: Path) -> None:
    """sm_90: LDG, and @LDG."""
    kernel = run(tmp_path, SOURCE.format("", body))
    assert next(a for a in kernel.accesses if a.text == "q[i + 1]").status == "exact"


def test_a_turn_that_every_way_leaves(tmp_path: Path) -> None:
    """Random kernels (seeds 910150 and 910413 of the oracle): nothing comes to the end of the turn."""
    leaves = "if (i < n) for (int j = 0; j < 1; j++) { int left = (i & n) % 10; while (left-- > 1) return; }"
    kernel = run(tmp_path, SOURCE.format("", f"{leaves}\n    o[i] = c;"))
    [store] = kernel.accesses
    assert (store.op, store.requests, store.active_lanes) == ("store", 1, 31.0)
