"""Shared memory that is read, or updated by an atomic operation, before anything has filled it."""

from __future__ import annotations

import pytest

from tests.support.found import found

KERNEL = """
// kernlint: launch(grid=4, block=128)
__global__ void k(const int *in, const unsigned char *bytes, int *out)
{{
    __shared__ int s[256], one;
    int t = threadIdx.x;
    {body}
}}
"""
COUNT = "if (in[t] > 5) atomicAdd(&one, 1); __syncthreads();"
RESULT = "if (t == 0) out[blockIdx.x] = one;"
BINS = "atomicAdd(&s[bytes[t]], 1); __syncthreads();"
ALL = "for (int i = t; i < 256; i += 128) out[i] = s[i];"


def texts(body: str) -> list[str]:
    return [f.message for f in found("KL806", KERNEL.format(body=body))]


@pytest.mark.parametrize(
    ("body", "read"),
    [
        (COUNT + RESULT, "`one` reads element 0"),
        ("atomicMax(&one, in[t]); __syncthreads();" + RESULT, "updates element 0 of `one`"),
        (BINS + ALL, "`s[i]` reads element 0"),
        ("s[t] = 0; __syncthreads();" + BINS + ALL, "`s[i]` reads element 128"),
    ],
)
def test_atomic_operations_fill_nothing(body: str, read: str) -> None:
    [message] = texts(body)
    assert read in message


@pytest.mark.parametrize(
    "body",
    [
        "if (t == 0) one = 0; __syncthreads();" + COUNT + RESULT,
        "if (t == 0) atomicExch(&one, 0); __syncthreads();" + COUNT + RESULT,
        "for (int i = t; i < 256; i += 128) s[i] = 0; __syncthreads();" + BINS + ALL,
        # what data chooses may have been filled
        "s[bytes[t]] = 0; __syncthreads();" + BINS + ALL,
    ],
)
def test_filled_before(body: str) -> None:
    assert texts(body) == []
