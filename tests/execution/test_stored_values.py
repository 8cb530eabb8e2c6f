"""Stores of several threads to one element: a race where the values differ, none where they are one."""

from __future__ import annotations

import pytest

from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files

KERNEL = """// kernlint: launch(grid=1, block=64)
__global__ void k({type} *out)
{{
    __shared__ {type} s;
    if (threadIdx.x < 32) s = {first};
    else s = {second};
    __syncthreads();
    out[threadIdx.x] = s;
}}
"""


@pytest.mark.parametrize(
    ("type_", "first", "second", "races"),
    [
        ("int", "-1", "-2", True),  # Python's hashes of the two are equal
        ("int", "7", "7", False),
        ("float", "1.0f", "2.0f", True),
        ("float", "-1.0f", "-2.0f", True),
        ("float", "0.5f", "0.5f", False),
    ],
)
def test_two_warps_store(type_: str, first: str, second: str, races: bool) -> None:
    text = KERNEL.format(type=type_, first=first, second=second)
    file = engine.analyse_source(files.Source("k.cu", "cuda", text), Settings())
    [kernel] = file.kernels
    assert [race.certain for race in kernel.races] == [True] * races
