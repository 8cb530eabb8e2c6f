"""A finding about several lines stands on the one that costs most, all accesses of a line taken
together."""

from __future__ import annotations

import pytest

from tests.checks.test_messages import findings_of

HEAD = "// kernlint: launch(grid=4, block=64, n={n})\n"
SHARED = "__shared__ float s[64][32]; __shared__ float r[64][32];\n"
STRUCT = "struct body { float x, y, z, w, vx, vy, vz, m; };\n"

# by rule, a kernel whose costliest line is marked
KERNELS = [
    (
        "KL101",
        f"__global__ void k(float *o, int n) {{ {SHARED}"
        "  s[threadIdx.x][1] = 1;\n"
        "  for (int i = 0; i < 8; ++i)\n"
        "    s[threadIdx.x][i] = i; //@\n"
        "  __syncthreads();\n"
        "  o[threadIdx.x] = s[threadIdx.x][2];\n}\n",
    ),
    (  # two accesses of one line cost more than one of each of the others
        "KL101",
        f"__global__ void k(float *o, int n) {{ {SHARED}"
        "  s[threadIdx.x][1] = 1;\n"
        "  __syncthreads();\n"
        "  o[threadIdx.x] = s[threadIdx.x][2] * s[threadIdx.x][9]; //@\n}\n",
    ),
    (  # a loop whose length nobody knows
        "KL101",
        f"__global__ void k(float *o, int m) {{ {SHARED}"
        "  s[threadIdx.x][1] = 1;\n"
        "  for (int i = 0; i < m; ++i)\n"
        "    s[threadIdx.x][4] += i; //@\n"
        "  __syncthreads();\n"
        "  o[threadIdx.x] = s[threadIdx.x][2];\n}\n",
    ),
    (
        "KL201",
        "__global__ void k(float *o, const float *in, int n) {\n"
        "  float a = in[threadIdx.x * n];\n"
        "  for (int i = 1; i < 9; ++i)\n"
        "    a += in[threadIdx.x * n + i]; //@\n"
        "  o[threadIdx.x] = a;\n}\n",
    ),
    (
        "KL201",
        "__global__ void k(float *o, const float *in, int n) {\n"
        "  float a = in[threadIdx.x * n];\n"
        "  if (threadIdx.x < 32) a += in[threadIdx.x * n + 64];\n"
        "  a += in[threadIdx.x * n + 128] * in[threadIdx.x * n + 192]; //@\n"
        "  o[threadIdx.x] = a;\n}\n",
    ),
    (
        "KL206",
        f"{STRUCT}__global__ void k(float *o, const body *in, int n) {{\n"
        "  float a = in[threadIdx.x].x;\n"
        "  for (int i = 0; i < n; ++i)\n"
        "    a += in[threadIdx.x + 64 * i].vy; //@\n"
        "  o[threadIdx.x] = a;\n}\n",
    ),
    (
        "KL206",
        f"{STRUCT}__global__ void k(float *o, const body *in, int n) {{\n"
        "  float a = in[threadIdx.x].x;\n"
        "  a += in[threadIdx.x].vy * in[threadIdx.x].m; //@\n"
        "  o[threadIdx.x] = a;\n}\n",
    ),
    (
        "KL501",
        "__constant__ float c[4096];\n__global__ void k(float *o, int n) {\n"
        "  float a = c[threadIdx.x];\n"
        "  for (int i = 1; i < n; ++i)\n"
        "    a += c[threadIdx.x + 64 * i]; //@\n"
        "  o[threadIdx.x] = a;\n}\n",
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize("code, kernel", KERNELS)
def test_the_finding_stands_on_the_costliest_line(code: str, kernel: str) -> None:
    text = HEAD.format(n=32 if code == "KL501" else 64) + kernel
    (line,) = (n for n, row in enumerate(text.split("\n"), 1) if "//@" in row)
    finding, *others = [f for f in findings_of(text, code) if f.severity != "info"]
    assert finding.span.line == line and others == []
    assert finding.parts[0].span.line == line


@pytest.mark.parametrize(
    "code, accesses",
    [
        (
            "KL102",
            (
                "atomicAdd(&s[threadIdx.x % 2], (int)threadIdx.x)",
                "atomicAdd(&s[threadIdx.x % 4 + 8], (int)threadIdx.x)",
            ),
        ),
        ("KL208", ("atomicAdd((float *)&o[0], 1.5f)", "atomicAdd((float *)&o[64], 2.5f)")),
    ],
)
def test_atomics_of_each_line_are_findings_of_their_own(
    code: str, accesses: tuple[str, str]
) -> None:
    """What one update costs follows from its own address."""
    body = "\n  ".join(f"{access};" for access in accesses)
    text = f"__global__ void k(int *o, int n) {{ __shared__ int s[64];\n  {body}\n  __syncthreads(); o[threadIdx.x + 99] = s[threadIdx.x];\n}}\n"
    assert [
        f.span.line
        for f in findings_of(HEAD.format(n=1).replace("grid=4", "grid=4096") + text, code)
    ] == [3, 4]
