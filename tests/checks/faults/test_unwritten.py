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


def test_reads_of_one_array_that_nothing_fills_are_one_finding() -> None:
    text = """\
// kernlint: launch(grid=4, block=32)
__global__ void k(float *out, const float *in)
{
    __shared__ float s[64], u[33];
    int t = threadIdx.x;
    s[t] = u[t] = in[t];
    float a = s[t + 16];
    a += s[t + 8];
    a += u[t + 1];
    out[t] = a + s[t + 4];
}
"""
    told = found("KL806", text)
    lines = [(f.span.line, [p.span.line for p in f.parts], f.severity) for f in told]
    assert lines == [(7, [7, 8, 10], "error"), (9, [], "error")]
    first = told[0]
    assert "the same for `s[t + 8]` on line 8 and `s[t + 4]` on line 10" in first.notes


@pytest.mark.parametrize(
    ("body", "read"),
    [
        ("s[t] += in[t]; out[t] = s[t];", "`s[t]` reads element 0"),
        # of double buffers, the half that is filled next
        (
            "s[t] = in[t]; __syncthreads(); int h = 0;"
            "for (int d = 1; d < 128; d *= 2) { h = 1 - h;"
            " if (t >= d) s[h * 128 + t] += s[(1 - h) * 128 + t - d];"
            " else s[h * 128 + t] = s[(1 - h) * 128 + t]; __syncthreads(); }"
            "out[t] = s[h * 128 + t];",
            "`s[h * 128 + t]` reads element 129",
        ),
        ("for (int i = 0; i < 2; i++) s[t + 128 * i] += in[t];" + ALL, "reads element 0"),
        (
            "for (int i = 0; i < 8; i++) { int v = s[t]; s[t] = v + in[i]; } out[t] = s[t];",
            "`s[t]` reads element 0",
        ),
        # other blocks fill their own
        (
            "if (blockIdx.x == 0) s[t] = in[t]; __syncthreads(); out[t] = s[127 - t];",
            "`s[127 - t]` reads element 127",
        ),
    ],
)
def test_read_before_written_by_the_same_thread(body: str, read: str) -> None:
    message = texts(body)[0]
    assert read in message


@pytest.mark.parametrize(
    "body",
    [
        "s[t] = 0; s[t] += in[t]; out[t] = s[t];",
        "for (int i = 0; i < 8; i++) { if (i > 0) out[t] = s[t]; s[t] = in[i]; }",
        "for (int i = 0; i < 8; i++) s[t + 16 * (i % 2)] = in[i]; out[t] = s[t];",
        "for (int i = 0; i < 2; i++) s[t + 128 * i] = 0;"
        "for (int i = 0; i < 2; i++) s[t + 128 * i] += in[t];" + ALL,
        # two loops at one depth, and one loop run twice
        "for (int i = 0; i < 2; i++) s[t + 128 * i] = 0;"
        "for (int i = 0; i < 4; i++) out[t] += s[t + 64 * i % 128];",
        "for (int d = 1; d < 9; d *= 2) {"
        " if (d > 1) for (int i = 0; i < 2; i++) out[t] += s[t + 128 * i];"
        " for (int i = 0; i < 2; i++) s[t + 128 * i] = d; }",
        # a race, and told as one
        "out[t] = s[(t + 1) % 128]; s[t] = in[t];",
        "if (blockIdx.x == 0) { s[t] = in[t]; __syncthreads(); out[t] = s[127 - t]; }",
    ],
)
def test_written_before_by_the_same_thread(body: str) -> None:
    assert texts(body) == []


WITHOUT_LAUNCH = """
__global__ void k(const float *in, float *out)
{{
    __shared__ float s[1024], other[16][16];
    int t = threadIdx.x, u = threadIdx.y;
    {body}
}}
"""


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("s[t] += in[t]; __syncthreads(); out[t] = s[1023 - t];", True),
        ("other[u][t % 16] = in[t]; __syncthreads(); out[t] = s[t] + other[u][t % 16];", True),
        # a block of one row, which is assumed, fills the first row alone
        ("other[u][t % 16] = in[t]; __syncthreads(); out[t] = other[u + 1][t % 16];", False),
        ("float *p = s; p[t] = in[t]; __syncthreads(); out[t] = s[1023 - t];", False),
    ],
)
def test_what_nothing_fills_is_told_without_a_launch(body: str, told: bool) -> None:
    findings = found("KL806", WITHOUT_LAUNCH.format(body=body))
    assert [f.severity for f in findings] == ["warning"] * told
