"""Kernels that insert into a thread's sorted array, and where nvcc keeps it
(tests/data/local_arrays/README.md).

`python -m tests.optimizer.local_arrays.shifts` writes all of them to standard output, for nvcc.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from tests.places import DATA

FRAMES = DATA / "local_arrays" / "shifts.tsv"
SIZES = (2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32)
BODIES = {
    "while": "int k = N - 1; while (k > 0 && b[k - 1] > v) { b[k] = b[k - 1]; k--; } b[k] = v;",
    "break": "int k; for (k = N - 1; k > 0; k--) { if (b[k - 1] <= v) break; b[k] = b[k - 1]; } b[k] = v;",
    "up": "int k = 0; while (k < N - 1 && b[k + 1] < v) { b[k] = b[k + 1]; k++; } b[k] = v;",
    "pair": "if (v >= b[N - 1]) continue; int k = N - 1; for (; k > 0 && b[k - 1] > v; k--) { b[k] = b[k - 1]; q[k] = q[k - 1]; } "
    "b[k] = v; q[k] = i;",
    "exchange": "for (int k = 0; k < N; k++) if (v < b[k]) { float x = b[k]; b[k] = v; v = x; }",
}
LOOPS = {"open": "n", "long": "100", "short": "4"}  # the end of the loop around


def names() -> Iterator[str]:
    return ("_".join(map(str, parts)) for parts in product(BODIES, SIZES, LOOPS))


def kernel(name: str) -> str:
    body, size, loop = name.split("_")
    return f"""\
__global__ void k_{name}(const float *d, float *o, int n)
{{
    float b[{size}]; int q[{size}];
    for (int k = 0; k < {size}; k++) {{ b[k] = 1e30f; q[k] = 0; }}
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < {LOOPS[loop]}; i++) {{ float v = d[i * 1024 + t]; {BODIES[body].replace("N", size)} }}
    for (int k = 0; k < {size}; k++) o[k * 1024 + t] = b[k] + q[k];
}}
"""


def frames() -> dict[str, int]:
    """Bytes of stack frame by the case's name."""
    lines = FRAMES.read_text(encoding="utf-8").splitlines()
    return {name: int(frame) for name, frame in (line.split("\t") for line in lines)}


if __name__ == "__main__":
    print("\n".join(map(kernel, names())))
