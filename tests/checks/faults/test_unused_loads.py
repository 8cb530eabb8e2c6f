"""What a thread loads and does not use: no race is about it, and nothing uninitialised."""

from __future__ import annotations

import pytest

from tests.support.found import found


def severities(code: str, body: str, block: int = 128) -> list[str]:
    kernel = f"__global__ void k(float *x, float *y, int n) {{ {body} }}\n"
    host = f"void f(float *x, float *y, int n) {{ k<<<16, {block}>>>(x, y, n); }}\n"
    return [finding.severity for finding in found(code, kernel + host)]


LOADED = "float v = x[blockIdx.x];"
BY_ONE = "if (threadIdx.x == 0) x[blockIdx.x] = v * 2;"


@pytest.mark.parametrize(
    "use",
    [
        "if (threadIdx.x < 32) y[blockIdx.x * 32 + threadIdx.x] = v;",
        "float w = v + 1; if (threadIdx.x < 8) { y[blockIdx.x * 8 + threadIdx.x] = w; }",
        "if (threadIdx.x < 16) { if (n > 3) y[blockIdx.x * 32 + threadIdx.x] = v; }",
        "if (threadIdx.x >= 32) return; y[blockIdx.x * 32 + threadIdx.x] = v;",
        "if (threadIdx.x > 31) n++; else y[blockIdx.x * 32 + threadIdx.x] = v + n;",
        "float w = 0; if (threadIdx.x < 8) w = v; y[blockIdx.x * 128 + threadIdx.x] = w;",
        "float w = 0; bool c = threadIdx.x < 8; if (c) w += v; y[blockIdx.x * 128 + threadIdx.x] = w;",
        "float w = 0; if (n > 3) { if (threadIdx.x < 8) w = v; } y[threadIdx.x + 128 * blockIdx.x] = w;",
        "",
    ],
)
def test_only_the_warp_that_changes_an_element_uses_what_it_was(use: str) -> None:
    assert severities("KL812", f"{LOADED} {use} {BY_ONE}") == []


@pytest.mark.parametrize(
    "use",
    [
        "if (threadIdx.x < 64) y[blockIdx.x * 64 + threadIdx.x] = v;",
        "y[blockIdx.x * 128 + threadIdx.x] = v;",
        "if (threadIdx.x >= 64) return; y[blockIdx.x * 64 + threadIdx.x] = v;",
        "float w = 0; if (threadIdx.x < 40) w = v; y[blockIdx.x * 128 + threadIdx.x] = w;",
        "float w = v; if (threadIdx.x < 8) w = 0; y[blockIdx.x * 128 + threadIdx.x] = w;",
    ],
)
def test_another_warp_uses_what_is_changed(use: str) -> None:
    assert severities("KL812", f"{LOADED} {use} {BY_ONE}") == ["error"]


def test_data_decides_whether_another_warp_uses_what_is_changed() -> None:
    use = "if (y[threadIdx.x] > 0) y[1024 + blockIdx.x * 128 + threadIdx.x] = v;"
    assert severities("KL812", f"{LOADED} {use} {BY_ONE}") == ["warning"]


def test_lanes_that_each_add_one_overwrite_each_other() -> None:
    assert severities("KL812", "float v = x[blockIdx.x]; x[blockIdx.x] = v + 1;", 32) == ["error"]


def test_a_lane_changes_what_others_load_in_the_next_iteration() -> None:
    use = "if (threadIdx.x < 32) y[(blockIdx.x * 8 + i) * 32 + threadIdx.x] = v;"
    one = "__syncthreads(); if (threadIdx.x == 0) x[blockIdx.x] = i;"
    loop = f"for (int i = 0; i < 8; i++) {{ {LOADED} {use} {one} }}"
    assert severities("KL812", loop) == ["error"]


@pytest.mark.parametrize(("used", "said"), [(64, []), (65, ["error"])])
def test_unwritten_elements_that_are_used(used: int, said: list[str]) -> None:
    fill = "__shared__ float s[128]; if (threadIdx.x < 64) s[threadIdx.x] = 1; __syncthreads();"
    use = f"if (threadIdx.x < {used}) y[blockIdx.x * 128 + threadIdx.x] = v;"
    assert severities("KL806", f"{fill} float v = s[threadIdx.x]; {use}") == said


FILLED = "__shared__ float s[128]; int t = threadIdx.x; if (t < 64) s[t] = x[t]; __syncthreads();"


@pytest.mark.parametrize(
    ("use", "said"),
    [
        ("y[t] = t < 64 ? v : 0.0f;", []),
        ("y[t] = t >= 64 ? 0.0f : v * 2;", []),
        ("float w = t < 64 ? v : 0.0f; y[t] = w + 1;", []),
        ("if (n > 3) y[t] = t < 64 ? v : 0.0f;", []),
        ("y[t] = t < 96 ? (t < 64 ? v : 1.0f) : 0.0f;", []),
        ("y[t] = t < 65 ? v : 0.0f;", ["error"]),
        ("y[t] = t < 64 ? 0.0f : v;", ["error"]),
        ("y[t] = v > 0 ? 1.0f : 0.0f;", ["error"]),
        ("y[t] = (t < 64 ? v : 0.0f) + v;", ["error"]),
        ("float w = t < 64 ? v : 0.0f; y[t] = w; y[t + 128] = v;", ["error"]),
    ],
)
def test_a_selection_uses_the_arm_that_it_takes(use: str, said: list[str]) -> None:
    assert severities("KL806", f"{FILLED} float v = s[t]; {use}") == said
