"""Recorded machine code, executed, against the counters of an H100: what is exact is equal."""

from __future__ import annotations

import shutil

import pytest

from tests.machine_code.counters import (
    PROGRAMS,
    VARIED,
    VARIED_PROGRAMS,
    Verdict,
    compiled,
    hold,
    kernel_of,
    launches,
    recorded,
)
from tests.places import TRUTH

pytestmark = pytest.mark.slow

# lines that are exact; the rest depends on loaded data or on members of a class passed by value
EXACT = {
    "divergence": (12, 12),
    "histogram": (12, 17),
    "particles": (28, 39),
    "reduce_block": (22, 22),
    "scan": (37, 37),
    "transpose": (16, 16),
}

# varied kernels: recursion, contents of __constant__ that the host fills, classes by value, 16-byte
# copies and loaded data decide the rest
VARIED_EXACT = {"flow": (29, 33), "loops": (45, 53), "memory": (56, 56), "warps": (31, 34)}
# lines where the profiler's source view states 3 wavefronts for 16-byte loads of some lanes, and the
# hardware's own counter (l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld) 2, as is counted here
SOURCE_VIEW = {("lag_loop", 104), ("half_warp_rows", 114)}

nvcc = pytest.mark.skipif(
    not (shutil.which("nvcc") and shutil.which("nvdisasm")),
    reason="compiles here: install nvcc and nvdisasm",
)


def verdicts(program: str) -> list[Verdict]:
    module = recorded(program)
    source = (TRUTH / "kernels" / f"{program}.cu").read_text(encoding="utf-8")
    entries = [entry for entry in launches(TRUTH) if entry["program"] == f"{program}.cu"]
    return [verdict for entry in entries for verdict in hold(module, source, entry)]


@pytest.mark.parametrize("program", PROGRAMS)
def test_what_is_exact_equals_the_counters(program: str) -> None:
    found = verdicts(program)
    assert [v for v in found if v.exact and not v.equal] == []
    assert (sum(v.exact for v in found), len(found)) == EXACT[program]


@pytest.mark.parametrize("program", PROGRAMS)
def test_resources_equal_what_the_driver_reports(program: str) -> None:
    module = recorded(program)
    for entry in launches(TRUTH):
        if entry["program"] == f"{program}.cu":
            kernel = module.kernels[kernel_of(module, entry)]
            stated = (entry["registers"], entry["static_shared"])
            assert (kernel.registers, kernel.static_shared_bytes) == stated


@pytest.mark.parametrize("program", VARIED_PROGRAMS)
def test_what_is_exact_of_varied_kernels_equals_the_counters(program: str) -> None:
    module = recorded(f"varied/{program}")
    source = (VARIED / f"{program}.cu").read_text(encoding="utf-8")
    entries = [entry for entry in launches(VARIED) if entry["program"] == f"{program}.cu"]
    found = [verdict for entry in entries for verdict in hold(module, source, entry)]
    wrong = {(v.kernel, v.line[1]) for v in found if v.exact and not v.equal}
    assert wrong == {place for place in SOURCE_VIEW if place[0] in source}
    assert (sum(v.exact for v in found), len(found)) == VARIED_EXACT[program]


@nvcc
def test_the_compiler_at_hand_gives_code_that_is_understood() -> None:
    module = compiled(TRUTH / "kernels" / "transpose.cu")
    source = (TRUTH / "kernels" / "transpose.cu").read_text(encoding="utf-8")
    entries = [entry for entry in launches(TRUTH) if entry["program"] == "transpose.cu"]
    found = [verdict for entry in entries for verdict in hold(module, source, entry)]
    assert found and all(verdict.exact for verdict in found)
