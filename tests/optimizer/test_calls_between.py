"""Calls that touch nothing that is counted, but that nvcc does not look through: what it keeps,
joins and drops across them.

Every expectation was read in the machine code of these 63 kernels (nvcc 13.0, sm_90).
"""

from __future__ import annotations

import pytest

from kernlint.model import facts
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files

pytestmark = pytest.mark.slow

MEMORY = {  # for all nvcc knows they may write anywhere
    "printf": 'printf("h");',
    "assert": "assert(n > 2);",
    "nanosleep": "__nanosleep(100);",
    "wait_prior": "__pipeline_wait_prior(0);",
    "grid_dependency": "cudaGridDependencySynchronize();",
    "trigger": "cudaTriggerProgrammaticLaunchCompletion();",
}
APART = {
    "commit": "__pipeline_commit();",
    "trigger": "__prof_trigger(1);",
    "breakpoint": "__brkpt();",
}  # they only keep accesses apart
PAIRS = {
    "plain": ("const float *p, float *o", "float a = p[t]; CALL float b = p[t];"),
    "promised": (
        "const float *__restrict__ p, float *__restrict__ o",
        "float a = p[t]; CALL float b = p[t];",
    ),
    "shared": (
        "const float *p, float *o",
        "__shared__ float s[128]; s[t] = o[t]; __syncthreads(); float a = s[t ^ 1]; CALL float b = s[t ^ 1];",
    ),
    "vector": ("const float4 *p, float *o", "float a = p[t].x; CALL float b = p[t].y;"),
    "promised vector": (
        "const float4 *__restrict__ p, float *__restrict__ o",
        "float a = p[t].x; CALL float b = p[t].y;",
    ),
    "stores": (
        "const float *p, float *o",
        "float a = n, b = n; o[t + 128] = 1; CALL o[t + 128] = n;",
    ),
}


def changed(pair: str, call: str, before: str = "", **settings: object) -> bool:
    """Whether nvcc is said to do anything to the accesses on both sides of a call, be it perhaps.
    `before`: stands above the kernel."""
    parameters, body = PAIRS[pair]
    head = f"{before}\n// kernlint: launch(grid=2, block=128, n=7)\n"
    source = f"{head}__global__ void k({parameters}, int n) {{ int t = threadIdx.x; {body.replace('CALL', call)} o[t] = a + b; }}"
    (kernel,) = engine.analyse_source(
        files.from_bytes("k.cu", source.encode()), Settings(**settings)
    ).kernels  # type: ignore[arg-type]
    around = [
        a
        for a in kernel.accesses
        if a.text in ("p[t]", "s[t ^ 1]", "p[t].x", "p[t].y", "o[t + 128]")
    ]
    assert len(around) == 2
    return any(_is_changed(a) for a in around)


def _is_changed(access: facts.Access) -> bool:
    return access.as_compiled is not None or access.reason == "compiler"


@pytest.mark.parametrize("pair", PAIRS)
def test_without_a_call_between_them_two_accesses_become_one(pair: str) -> None:
    assert changed(pair, "")


@pytest.mark.parametrize("call", MEMORY)
@pytest.mark.parametrize("pair", PAIRS)
def test_nothing_is_kept_joined_or_dropped_across_a_call_that_may_write(
    pair: str, call: str
) -> None:
    assert changed(pair, MEMORY[call]) == (pair == "promised")


@pytest.mark.parametrize("call", APART)
def test_other_calls_keep_neighbours_apart_alone(call: str) -> None:
    found = {pair for pair in PAIRS if changed(pair, APART[call])}
    assert {"plain", "promised", "shared"} <= found and not found & {"vector", "promised vector"}


@pytest.mark.parametrize("pair", PAIRS)
def test_assertions_that_are_compiled_away_are_no_calls(pair: str) -> None:
    asserted = MEMORY["assert"]
    assert changed(pair, asserted, defines={"NDEBUG": "1"}) and changed(
        pair, asserted, "#define NDEBUG\n#include <cassert>"
    )
    assert changed(pair, asserted, "#define NDEBUG\n#undef NDEBUG\n#include <cassert>") == (
        pair == "promised"
    )
    assert changed(pair, "assert(0);", "#define NDEBUG\n#define assert(x)")  # the user's own
