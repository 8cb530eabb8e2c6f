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
            assert finding.help == f"name `CLK_{flag}_MEM_FENCE` in the barrier on line 8"
            assert finding.fix is None


def test_a_barrier_of_the_memory_at_hand_leaves_a_race_sure() -> None:
    write = "s[l] = y[i]; barrier(CLK_LOCAL_MEM_FENCE);"
    source = KERNEL.format(write=write, barrier="s[l] += 1;", read=LOCAL[1])
    assert [f.severity for f in found("KL81", source, "k.cl")] == ["error"]


def test_a_barrier_of_other_memory_elsewhere_leaves_a_race_sure() -> None:
    barrier = "s[l] = l; barrier(CLK_LOCAL_MEM_FENCE); y[i] = s[63 - l];"
    source = KERNEL.format(write=barrier, barrier="x[i] = l;", read="x[63 - l] = l + i + 1;")
    findings = found("KL812", source, "k.cl")
    assert findings and {f.severity for f in findings} == {"error"}


def test_a_flag_behind_a_macro_is_named_as_a_plain_one() -> None:
    source = "#define BOTH 1\n" + KERNEL.format(
        write=GLOBAL[0], barrier="barrier(BOTH);", read=GLOBAL[1]
    )
    (finding,) = found("KL81", source, "k.cl")
    assert finding.help == "name `CLK_GLOBAL_MEM_FENCE` in the barrier on line 9"


def test_help_and_edit_name_the_memory_at_hand() -> None:
    source = KERNEL.format(write=GLOBAL[0], barrier="", read=GLOBAL[1])
    (finding,) = found("KL81", source, "k.cl")
    assert "put `barrier(CLK_GLOBAL_MEM_FENCE)`" in finding.help
    assert finding.fix is not None
    assert [e.content.strip() for e in finding.fix.edits] == ["barrier(CLK_GLOBAL_MEM_FENCE);"]
