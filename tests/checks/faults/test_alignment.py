"""Vectors and classes that do not lie where their type asks for."""

from __future__ import annotations

import pytest

from tests.support.found import found

KERNEL = """
struct __align__(16) P {{ float x, y, z; int id; }};
// kernlint: launch(grid=4, block=64)
__global__ void k(const float *in, float *out)
{{
    int i = blockIdx.x * 64 + threadIdx.x;
    {body}
}}
"""
WHOLE = "float4 v = *(const float4 *)(in + 4 * i + {at});"


@pytest.mark.parametrize(
    ("body", "severities"),
    [
        # all of it is read: one access of 16 bytes
        (WHOLE.format(at=1) + "out[i] = v.x + v.y + v.z + v.w;", ["error"]),
        # nvcc reads one member alone, which needs 4 bytes (compute-sanitizer: no error)
        (WHOLE.format(at=1) + "out[i] = v.y;", ["warning"]),
        # four members beside each other become one access of 16 bytes (compute-sanitizer: misaligned)
        ("const float4 *p = (const float4 *)(in + 2); out[i] = p[i].x + p[i].y;", ["warning"]),
        ("const P *p = (const P *)(in + 1); out[i] = p[i].x + p[i].y;", ["warning"]),
        (WHOLE.format(at=4) + "out[i] = v.y;", []),
        ("const float2 *p = (const float2 *)(in + 2); out[i] = p[i].x + p[i].y;", []),
        ("const P *p = (const P *)(in + 8); out[i] = p[i].y + p[i].z;", []),
    ],
)
def test_whole_vectors_and_members(body: str, severities: list[str]) -> None:
    findings = found("KL805", KERNEL.format(body=body))
    assert [f.severity for f in findings] == severities
    for finding in findings:
        needs = "needs" if finding.severity == "error" else "may need"
        assert needs in finding.message


def test_a_copy_of_bytes_asks_for_no_alignment() -> None:
    text = """// kernlint: launch(grid=1, block=64)
__global__ void k(float4 *o) {
    __shared__ float s[256];
    for (int i = threadIdx.x; i < 256; i += 64) s[i] = i;
    __syncthreads();
    float4 v;
    memcpy(&v, s + threadIdx.x, sizeof(v));
    o[threadIdx.x] = v;
}
"""
    assert not found("KL8", text)
