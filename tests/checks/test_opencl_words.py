"""Helps for OpenCL: put into its words once, in which CUDA's local memory is private memory."""

from __future__ import annotations

import pytest

from tests.checks.test_messages import findings_of

KERNEL = """\
// kernlint: launch(grid=1024, block=256)
kernel void k(global const uchar *d, global int *bins)
{{
    size_t i = get_global_id(0);
    {update}
}}
"""


@pytest.mark.parametrize(
    "update", ["atomic_inc(&bins[d[i]]);", "atomic_xchg(&bins[get_group_id(0)], (int)i);"]
)
def test_local_memory_is_called_so(update: str) -> None:
    found = findings_of(KERNEL.format(update=update), "KL208", path="k.cl")
    assert found and all("in local memory" in f.help for f in found)
    assert not any("private memory" in f.help for f in found)
