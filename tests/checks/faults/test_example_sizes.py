"""Allocations and guards where only a user knows the sizes: KL804 by examples of them."""

from __future__ import annotations

import pytest

from tests.support.found import found

LINE = """
#include <cstdlib>
#include <cuda_runtime.h>
__global__ void k(const float *x, float *y, int n)
{{
    {body}
}}
int main(int argc, char **argv)
{{
    int n = atoi(argv[1]), pitch = atoi(argv[2]);
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, sizeof(float) * (n + 1));
    k<<<{grid}, 256>>>(x, y, n);
}}
"""
OWN = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
UP, DOWN = "(n + 255) / 256", "n / 256"
STRIDE = "int i = blockIdx.x * blockDim.x + threadIdx.x; i {} n; i += gridDim.x * blockDim.x"


@pytest.mark.parametrize(
    ("body", "grid", "says"),
    [
        (f"{OWN} if (i <= n) y[i] = x[i];", UP, ["has 8 when n = 8"]),
        (f"{OWN} if (i < n) y[i] = x[i];", UP, []),
        (f"{OWN} if (i > n) return; y[i] = x[i];", UP, ["has 8 when n = 8"]),
        (f"{OWN} if (i >= n) return; y[i] = x[i];", UP, []),
        (f"{OWN} if (i < n) y[i] = x[i + 1];", UP, ["has 1,024 when n = 1024"]),
        (f"{OWN} if (i < n - 1) y[i] = x[i + 1];", UP, []),
        (f"{OWN} if (i < n) y[i + 1] = x[i];", UP, []),
        (f"{OWN} if (i < n) y[i] = i > 0 ? x[i - 1] : 0;", UP, []),
        (f"{OWN} y[i] = x[i];", UP, ["when n = 8", "when n = 8"]),
        (f"{OWN} y[i] = x[i];", DOWN, []),
        (f"for ({STRIDE.format('<=')}) y[i] = x[i];", "128", ["has 1,024 when n = 1024"]),
        (f"for ({STRIDE.format('<')}) y[i] = x[i];", "128", []),
        ("y[threadIdx.x * n] = 0;", UP, ["when n = 1024"]),
    ],
)
def test_what_leaves_an_allocation_of_any_size(body: str, grid: str, says: list[str]) -> None:
    findings = found("KL804", LINE.format(body=body, grid=grid))
    assert [f.severity for f in findings] == ["warning"] * len(says)
    for finding, words in zip(findings, says, strict=True):
        assert words in finding.message


PLANE = """
#include <iostream>
#include <cuda_runtime.h>
__global__ void k(const float *in, float *out, int h, int w)
{{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if ({guard}) out[{index}] = 0;
}}
void run(int h, int w)
{{
    float *in, *out;
    cudaMalloc(&in, {size} * sizeof(float));
    cudaMalloc(&out, {size} * sizeof(float));
    k<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(in, out, h, w);
}}
int main()
{{
    int h, w;
    std::cin >> h >> w;
    run(h, w);
}}
"""
RIGHT, SWAPPED = "x < w && y < h", "x < h && y < w"


@pytest.mark.parametrize(
    ("guard", "index", "size", "many"),
    [
        (RIGHT, "y * w + x", "h * w", 0),
        (SWAPPED, "y * w + x", "h * w", 1),
        (RIGHT, "y * h + x", "h * w", 1),
        (RIGHT, "x * h + y", "h * w", 0),
        (RIGHT, "y * w + x", "(h + 2) * w", 0),
        # a pitch that may have to be at least as large as the other
        ("x < h && y < 4", "y * w + x", "4 * w", 0),
    ],
)
def test_extents_of_which_either_may_be_larger(
    guard: str, index: str, size: str, many: int
) -> None:
    assert len(found("KL804", PLANE.format(guard=guard, index=index, size=size))) == many


def test_a_run_without_arguments_decides_alone() -> None:
    source = LINE.format(body=f"{OWN} if (i <= n) y[i] = x[i];", grid=UP)
    default = source.replace("n = atoi(argv[1])", "n = argc > 1 ? atoi(argv[1]) : 1024")
    assert found("KL804", default) == []


def test_a_guard_is_put_right() -> None:
    source = LINE.format(body=f"{OWN} if (i <= n) y[i] = x[i];", grid=UP)
    [finding] = found("KL804", source.replace("(n + 1)", "n"))
    assert finding.fix is not None and finding.fix.edits[0].content == "i < n"


@pytest.mark.parametrize(
    ("demand", "many"),
    [
        ("", 1),
        ("if (n % 256) return 1;", 0),
        ("if (n % 256) { std::cerr << n; exit(1); }", 0),
        ("if (n % 256) throw 1;", 0),
        ("assert(n % 256 == 0);", 0),
        ("if (n < 0) return 1;", 1),
    ],
)
def test_sizes_that_end_the_program_show_nothing(demand: str, many: int) -> None:
    source = LINE.format(body=f"{OWN} x = 0; y[i] = 0;", grid="n / 256 + (n % 256 > 0)")
    findings = found("KL804", source.replace("float *x, *y;", f"{demand} float *x, *y;"))
    assert len(findings) == many


@pytest.mark.parametrize(
    ("body", "many"), [("if (k == 0) y[first] = 0;", 0), ("if (k <= n) y[k + first] = x[k];", 1)]
)
def test_what_sizes_nothing_has_a_range_of_its_own(body: str, many: int) -> None:
    source = LINE.replace("int n)", "int n, int first)").replace("x, y, n)", "x, y, n, pitch)")
    own = OWN.replace("int i", "int k")
    assert len(found("KL804", source.format(body=f"{own} {body}", grid=UP))) == many
