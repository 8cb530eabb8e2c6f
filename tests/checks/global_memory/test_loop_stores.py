"""Results that a loop stores at one address in every iteration, and those that only look so."""

from __future__ import annotations

import pytest

from tests.support.found import found

RING = """struct Ring {
  float *slot[3]; int at;
  __device__ float *next() { at = (at + 1) % 3; return slot[at]; }
};
"""
HOST = "void go(float *a, float *b, float *c, const float *in) { k<<<1, 64>>>(a, b, c, in); }\n"


def stored(body: str) -> list[str]:
    head = "__global__ void k(float *a, float *b, float *c, const float *in)"
    return [one.message for one in found("KL210", f"{RING}{head} {{ {body} }}\n{HOST}")]


@pytest.mark.slow
@pytest.mark.parametrize(
    "body",
    [
        "float *dst[4] = {a, b, c, a}; for (int s = 0; s < 4; s++) dst[s][threadIdx.x] = in[s];",
        "float *dst[2] = {a, a + 64}; for (int s = 0; s < 8; s++) dst[s & 1][threadIdx.x] = in[s];",
        "Ring r{{a, b, c}, 0}; for (int s = 0; s < 9; s++) r.next()[threadIdx.x] = in[s];",
        "for (int s = 0; s < 8; s++) { a[threadIdx.x] = b[threadIdx.x] + in[s];"
        " float *t = a; a = b; b = t; }",
        "float *p = a, *q = a + 128; for (int s = 0; s < 8; s++) { q[threadIdx.x] = in[s];"
        " float *t = p; p = q; q = t; }",
    ],
    ids=["array", "halves", "ring", "swap", "swapped-halves"],
)
def test_stores_that_go_elsewhere_each_time_stay(body: str) -> None:
    assert stored(body) == []


@pytest.mark.parametrize(
    "body",
    [
        "for (int s = 0; s < 8; s++) a[threadIdx.x] = in[threadIdx.x] * s;",
        "float *p = a + 64; for (int s = 0; s < 8; s++) p[threadIdx.x] = in[threadIdx.x] * s;",
        "float *p = a; for (int q = 0; q < 4; q++) {"
        " for (int s = 0; s < 8; s++) p[threadIdx.x] = in[s] * s; p += 64; }",
    ],
    ids=["plain", "offset", "outer-loop"],
)
def test_stores_at_one_address_are_told(body: str) -> None:
    [message] = stored(body)
    assert "is stored in every iteration at the same address" in message
