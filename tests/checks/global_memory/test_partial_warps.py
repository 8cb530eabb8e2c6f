"""Accesses of which data or an unknown decides which lanes take part."""

from __future__ import annotations

import pytest

from tests.support.found import found, of_case

LAUNCH = "// kernlint: launch(grid=64, block=256)\n"
KERNEL = (
    "__global__ void k(float *a, float *g, int *c, const int *flag, int n) {\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    BODY\n}\n"
)


def body(text: str) -> str:
    return KERNEL.replace("BODY", text)


def test_an_unknown_guard_does_not_silence_a_stride() -> None:
    lines = [(one.span.line, one.severity) for one in of_case("KL201", "advice/ua.cu")]
    assert lines == [(line, "warning") for line in (6, 12, 17, 22)]


@pytest.mark.parametrize("name", ["user/fl.cu", "user/fl2.cu"])
def test_bounds_on_both_sides_are_judged_as_one(name: str) -> None:
    findings = of_case("KL201", name)
    assert len(findings) == 2 and all(one.severity == "warning" for one in findings)
    assert all("32 sectors per request instead of 4" in one.message for one in findings)


def test_the_number_is_a_bound() -> None:
    (finding,) = found("KL201", body("if (flag[i]) a[91 * i] = 0;"))
    assert "up to 32 sectors per request instead of 4" in finding.message


def test_members_under_a_guard() -> None:
    text = "struct P { float x, y, z; int alive; };\n" + KERNEL.replace("float *a", "P *a")
    (finding,) = found("KL206", text.replace("BODY", "if (flag[i]) a[i].x += a[i].y;"))
    assert "up to 16 sectors per request instead of 4" in finding.message


@pytest.mark.parametrize(
    "text",
    [
        "if (i == n - 1) a[91 * i] = 0;",  # one lane
        "if (i != n) return;\n    a[91 * i] = 0;",
        "if (i % n == 0) a[91 * i] = 0;",
        "if (flag[i]) a[i] = 0;",  # side by side
        "if (flag[i]) a[flag[i]] = 0;",  # no distance is known
        "if (atomicCAS(c, 0, 1) == 0) a[91 * i] = 0;",  # one lane wins
    ],
)
def test_what_one_lane_does_or_lies_together_is_silent(text: str) -> None:
    assert found("KL201", body(text)) == []


@pytest.mark.slow
def test_contention_under_a_guard() -> None:
    (plain,), (guarded,) = of_case("KL208", "advice/a1.cu"), of_case("KL208", "advice/a2.cu")
    assert "32 lanes of a warp update one address: 32 serial updates" in plain.message
    assert "may update one address: up to 32 serial updates" in guarded.message
    assert guarded.severity == plain.severity == "warning" and guarded.help == plain.help


def test_a_lock_is_taken_by_one_thread() -> None:
    loop = "while (atomicCAS(c, 0, 1) != 0) ;\n    *a += g[i];\n    atomicExch(c, 0);"
    helps = {one.help for one in found("KL208", LAUNCH + body(loop))}
    assert len(helps) == 1 and "let one thread of the block take the lock" in helps.pop()
    winner = "bool done = false;\n    while (!done) if (atomicCAS(c, 0, 1) == 0) { *a += g[i]; atomicExch(c, 0); done = true; }"
    (finding,) = found("KL208", body(winner))
    assert "`atomicCAS(c, 0, 1)`" in finding.message and "take the lock" in finding.help


def test_an_update_by_compare_and_swap_is_no_lock() -> None:
    loop = "int seen = *c, old;\n    do { old = seen; seen = atomicCAS(c, old, max(old, flag[i])); } while (old != seen);"
    assert all("take the lock" not in one.help for one in found("KL208", body(loop)))


@pytest.mark.parametrize(
    "text",
    [
        "if (flag[i]) atomicAdd(c, 1);",  # one lane adds for all
        "if (i == n) atomicAdd(g, a[i]);",
        "if (flag[i]) atomicAdd(&g[flag[i]], a[i]);",  # addresses by data
    ],
)
def test_what_does_not_contend_is_silent(text: str) -> None:
    assert found("KL208", LAUNCH + body(text)) == []


ELEMENTS = """// kernlint: launch(grid=64, block=256)
__global__ void k(const float *m, const float *g, float *out, float *extra) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    BODY
    out[i] = s;
}
"""


@pytest.mark.parametrize(
    "statements",
    [
        "if (g[i] != 0) s = m[9 * i + 6] / m[9 * i + 7];",
        "if (g[i] > 0) s = m[9 * i + 6] / m[9 * i + 7]; if (extra != nullptr) extra[i] = s;",
        "if (g[i] > 0) { s = m[9 * i + 6] / m[9 * i + 7]; if (extra != nullptr) extra[i] = s; }",
        "if (g[i] > 0 && extra != NULL) s = m[9 * i + 6] / m[9 * i + 7];",
        "if (g[i] > 0) s = m[9 * i + 6] / m[9 * i + 7]; if (i != s) out[0] = s;",
    ],
)
def test_elements_under_a_condition_on_data_are_not_weighed_against_counted_accesses(
    statements: str,
) -> None:
    """What runs nobody knows how often may be most of the cost; a pointer that is compared with
    none elects no lane, nor does what stands behind."""
    [finding] = found("KL206", ELEMENTS.replace("BODY", statements))
    assert finding.message.startswith("`m[9 * i + 6]` and 1 more access to `m`: 36-byte stride")
