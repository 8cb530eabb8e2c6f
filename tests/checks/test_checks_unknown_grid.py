"""Findings where the grid is not known: what nvcc makes of an access does not depend on it (each as
its machine code for sm_90 has it)."""

from __future__ import annotations

import pytest

from kernlint.checks.run import check
from kernlint.model.settings import Selection, Settings
from kernlint.pipeline import engine
from kernlint.source import files
from tests.checks.test_checks_flow import codes_of

HEAD = "__global__ void k(%s) {\n    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n"
JOINED = (  # one LDS.128; one LDG.128; one STG.128; a reduction over the warp and one lane's atomic
    (
        "float *o",
        "__shared__ float s[1024]; s[t] = *o; __syncthreads(); for (int k = 0; k < 4; k++) o[i] += s[t * 4 + k];",
    ),
    ("const float4 *in, float *o", "o[i] = in[i].x + in[i].y + in[i].z;"),
    ("float4 *o", "o[i].x = 1; o[i].y = 2; o[i].z = 3; o[i].w = 4;"),
    (
        "const int *in, int *o",
        "__shared__ int c; if (t == 0) c = 0; __syncthreads(); atomicAdd(&c, in[i]); __syncthreads(); *o = c;",
    ),
)
APART = (  # LDS and LDG of a word each
    (
        "float *o",
        "__shared__ float s[1024]; s[t] = o[i]; __syncthreads(); o[i] = s[t * 4];",
        {"KL101"},
    ),
    ("const float4 *in, float *o", "o[i] = ((const float *)&in[i])[1];", {"KL206"}),
)


@pytest.mark.parametrize(("parameters", "body"), JOINED)
def test_what_the_compiler_joins_is_no_finding(parameters: str, body: str) -> None:
    assert not {"KL101", "KL102", "KL206"} & set(codes_of(f"{HEAD % parameters}    {body}\n}}\n"))


@pytest.mark.parametrize(("parameters", "body", "codes"), APART)
def test_what_it_leaves_apart_is_one(parameters: str, body: str, codes: set[str]) -> None:
    assert codes & set(codes_of(f"{HEAD % parameters}    {body}\n}}\n"))


SERVED = (  # the second load of each: no LDS and no LDG for it, the value is in a register
    ("float *o", "__shared__ float s[4096]; s[t * 32] = *o;\n    o[i] = s[t * 32];", "KL101", 3),
    ("float *o, const float *q", "float x = q[i * 32];\n    o[i] = q[i * 32] * x;", "KL201", 3),
)


@pytest.mark.parametrize(("parameters", "body", "code", "line"), SERVED)
def test_what_a_register_serves_is_no_access(
    parameters: str, body: str, code: str, line: int
) -> None:
    text = f"{HEAD % parameters}    {body}\n}}\n"
    report = engine.analyse((), Settings(), stdin=files.from_bytes("k.cu", text.encode()))
    [finding] = [f for f in check(report, Selection(severity="warning")) if f.code == code]
    assert (
        finding.span.line,
        [label.span.line for label in finding.labels if label.text == "and here"],
    ) == (line, [])
