"""Loaded numbers that are converted to another sign: C++ wraps them around."""

from __future__ import annotations

import pytest

from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files


@pytest.mark.parametrize(
    ("element", "type_", "condition", "status"),
    [
        ("unsigned", "int", "x < 0", "unknown"),
        ("unsigned", "int", "x >= 0", "unknown"),
        ("int", "unsigned", "x > 0x7fffffffu", "unknown"),
        ("unsigned long long", "long long", "x < 0", "unknown"),
        ("unsigned", "unsigned", "x < 0", "exact"),
        ("unsigned char", "int", "x < 0", "exact"),
        ("unsigned", "long long", "x < 0", "exact"),
    ],
)
def test_a_sign_that_a_conversion_may_give_decides_a_branch(
    element: str, type_: str, condition: str, status: str
) -> None:
    text = f"""// kernlint: launch(grid=4, block=128)
__global__ void k(const {element} *a, float *o, const float *p)
{{
    int i = blockIdx.x * 128 + threadIdx.x;
    {type_} x = a[i];
    if ({condition}) o[i] = p[i];
}}
"""
    file = engine.analyse_source(files.Source("k.cu", "cuda", text), Settings())
    [kernel] = file.kernels
    [branch] = kernel.branches
    assert branch.status == status
    stored = [access.requests for access in kernel.accesses if access.op == "store"]
    assert stored == ([None] if status == "unknown" else [])
