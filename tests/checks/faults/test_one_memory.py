"""Two pointers of a launch into one allocation; accesses of one line that one guard keeps inside."""

from __future__ import annotations

import pytest

from tests.support.found import found

SOURCE = """
#include <cuda_runtime.h>
__global__ void k(const float *x, float *y, int n)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    {body}
}}
int main()
{{
    const int n = {n};
    float *a, *b;
    cudaMalloc(&a, 1024 * sizeof(float));
    cudaMalloc(&b, 1024 * sizeof(float));
    k<<<4, 256>>>({x}, {y}, n);
}}
"""
NEIGHBOURS = "if (i > 0 && i < n - 1) y[i] = x[i - 1] + x[i + 1];"
OWN = "if (i < n) y[i] = 2 * x[i];"


@pytest.mark.parametrize(
    ("body", "x", "y", "n", "many"),
    [
        (NEIGHBOURS, "a", "b", 1024, 0),
        (NEIGHBOURS, "a", "a", 1024, 1),
        (OWN, "a", "a", 1024, 0),
        (OWN, "a", "a + 1", 1023, 1),
        (OWN, "a", "a + 512", 512, 0),
        (OWN, "a", "a + 512", 1024, 1),
        ("if (i < n) y[i] = 2 * x[i + n];", "a", "a", 512, 0),
    ],
)
def test_pointers_into_one_allocation(body: str, x: str, y: str, n: int, many: int) -> None:
    findings = found("KL812", SOURCE.format(body=body, x=x, y=y, n=n))
    assert [f.severity for f in findings] == ["error"] * many
    for finding in findings:
        assert "this launch points `x` and `y` into one allocation" in finding.notes


def test_launches_that_differ_in_their_pointers_alone_stay_apart() -> None:
    source = SOURCE.format(body=NEIGHBOURS, x="a", y="b", n=1024)
    both = source.replace(
        "    k<<<4, 256>>>(a, b, n);", "    k<<<4, 256>>>(a, b, n);\n    k<<<4, 256>>>(b, b, n);"
    )
    [finding] = found("KL812", both)
    assert any("launch at line 15" in note for note in finding.notes)


def test_one_finding_for_what_one_guard_mends() -> None:
    [finding] = found(
        "KL804",
        SOURCE.format(body="y[i] = 2 * x[i];", x="a", y="b", n=1000).replace("1024 *", "n *"),
    )
    assert finding.fix is not None
    assert "also: `x[i]` reads elements up to 1,023 of `x`, which has 1,000" in finding.notes
