"""OpenCL's barriers that name one kind of memory, around accesses to the other."""

from __future__ import annotations

import pytest

from tests.support.found import found

KERNEL = """
// kernlint: launch(grid=4, block=64)
__kernel void k(__global float *x, __global float *y)
{{
    __local float s[64];
    int l = get_local_id(0), i = get_global_id(0);
    {write}
    {barrier}
    {read}
}}
"""
LOCAL = "s[l] = y[i];", "y[i] = s[63 - l];"
GLOBAL = "x[i] = y[i];", "y[i] = x[i - l + 63 - l];"


@pytest.mark.parametrize(
    ("flags", "local", "other"),
    [
        ("CLK_LOCAL_MEM_FENCE", 0, 1),
        ("CLK_GLOBAL_MEM_FENCE", 1, 0),
        ("CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE", 0, 0),
    ],
)
def test_a_barrier_orders_the_memory_that_it_names(flags: str, local: int, other: int) -> None:
    for (write, read), many, flag in ((LOCAL, local, "LOCAL"), (GLOBAL, other, "GLOBAL")):
        source = KERNEL.format(write=write, barrier=f"barrier({flags});", read=read)
        findings = found("KL81", source, "k.cl")
        assert [f.severity for f in findings] == ["warning"] * many
        for finding in findings:
            assert finding.help == f"name `CLK_{flag}_MEM_FENCE` in the barrier in line 8"
            assert finding.fix is None


def test_a_barrier_of_the_memory_at_hand_leaves_a_race_sure() -> None:
    write = "s[l] = y[i]; barrier(CLK_LOCAL_MEM_FENCE);"
    source = KERNEL.format(write=write, barrier="s[l] += 1;", read=LOCAL[1])
    assert [f.severity for f in found("KL81", source, "k.cl")] == ["error"]
