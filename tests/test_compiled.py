"""What nvcc makes of an access, in numbers: small kernels whose machine code is known, counted by hand."""

from __future__ import annotations

import pytest

from kernlint import facts, hardware
from kernlint.execution.run import execute
from tests.test_compiler_table import lowered

INDEX = "const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;"


def accesses(body: str, shared: int = 0, **arguments: int) -> list[facts.Access]:
    """Of two blocks of 64 threads; the body's lines count from 1."""
    kernel = lowered("k", f"__global__ void k(float *a, float *o, int n) {{ {INDEX} {body}\n}}\n")
    launch = facts.Launch((2, 1, 1), (64, 1, 1), shared, {**arguments}, "command line")
    return list(execute(kernel, launch, hardware.device("h100")).accesses)


def one(found: list[facts.Access], line: int, op: str = "load") -> facts.Access:
    """The shared access of a line."""
    (access,) = [a for a in found if (a.span.line, a.space, a.op) == (line, "shared", op)]
    return access


def compiled(access: facts.Access) -> facts.Compiled:
    assert access.as_compiled is not None and access.as_compiled.status == access.status == "exact"
    return access.as_compiled


PAIR = """__shared__ float s[256];
s[2 * t] = a[i];
s[2 * t + 1] = a[i + 7];
__syncthreads();
float x = s[2 * t];
float y = s[2 * t + 1];
o[i] = x * y;"""


def test_neighbours_become_one_access_on_one_line() -> None:
    found = accesses(PAIR)
    for op, leader, other, line in (("load", 5, 6, 5), ("store", 3, 2, 3)):
        wide, none = compiled(one(found, leader, op)), compiled(one(found, other, op))
        assert (wide.bytes, wide.requests, wide.active_lanes, wide.charged_line, wide.reason) == (8, 4, 32.0, line, "merged")
        assert wide.wavefronts is not None and wide.wavefronts.mean == 2  # 256 bytes: two passes
        assert (none.requests, none.charged_line) == (0, line)
        assert one(found, leader, op).requests == 4 and one(found, leader, op).wavefronts is not None


def test_numbers_as_written_stay() -> None:
    access = one(accesses(PAIR), 5)
    assert access.wavefronts is not None and (access.bytes, access.wavefronts.mean) == (4, 2)


ROW = """extern __shared__ float s[];
s[t] = a[i];
__syncthreads();
float x = 0;
for (int k = {head}; ++k) x += s[{index}];
o[i] = x;"""


@pytest.mark.parametrize(("count", "wide", "single"), [(16, 4, 0), (18, 4, 2), (3, 0, 3)])
def test_a_run_time_loop_merges_in_whole_fours_and_runs_the_rest_one_by_one(count: int, wide: int, single: int) -> None:
    access = one(accesses(ROW.format(head="0; k < n", index="k"), shared=4096, n=count), 5)
    if not wide:
        assert access.as_compiled is None and (access.status, access.requests) == ("exact", 4 * count)
        return
    machine = compiled(access)
    assert (machine.bytes, machine.requests, machine.reason) == (16, 4 * (wide + single), "merged")
    assert machine.wavefronts is not None
    assert machine.wavefronts.mean * (wide + single) == pytest.approx(2 * wide + single)  # a 16-byte broadcast takes two passes


def test_a_constant_loop_merges_by_the_alignment_of_its_rows() -> None:
    for pitch, width, requests in ((16, 16, 2), (18, 8, 4), (17, 4, 8)):
        body = ROW.format(head="0; k < 8", index=f"{pitch} * (t / 16) + k")
        access = one(accesses(body, shared=4096), 5)
        assert access.status == "exact" and access.requests == 4 * 8
        if width == 4:
            assert access.as_compiled is None
        else:
            assert (compiled(access).bytes, compiled(access).requests) == (width, 4 * requests)


def test_no_merge_without_unrolling_or_across_a_barrier() -> None:
    for loop in ("#pragma unroll 1\nfor (int k = 0; k < 8; ++k) x += s[k];", "for (int k = 0; k < 8; ++k) { x += s[k]; __syncthreads(); }"):
        body = ROW.format(head="0; k < 8", index="k").replace("for (int k = 0; k < 8; ++k) x += s[k];", loop)
        access = one(accesses(body, shared=4096), 5 + loop.startswith("#pragma"))
        assert (access.status, access.as_compiled) == ("exact", None)


def test_a_load_sinks_into_the_branch_that_stores_its_value() -> None:
    body = "__shared__ float s[64]; s[t] = a[i]; __syncthreads();\nfloat v = s[t ^ 1];\nif (i < n) o[i] = v;"
    access = one(accesses(body, n=72), 2)
    machine = compiled(access)
    assert access.requests == 4 and (machine.requests, machine.active_lanes, machine.reason) == (3, 24.0, "sunk")  # 32, 32 and 8 lanes
    kept = one(accesses(body.replace("\nif", "\n__syncthreads(); if"), n=72), 2)
    assert (kept.status, kept.as_compiled) == ("exact", None)


def test_values_that_are_there_or_that_nobody_needs_are_not_loaded() -> None:
    found = accesses("float x = a[i];\nfloat y = a[i + 64];\nfloat z = a[i];\no[i] = x * z;")
    loads = [a for a in found if a.op == "load"]
    assert [(a.as_compiled.requests, a.as_compiled.reason) if a.as_compiled else None for a in loads] == [
        None, (0, "eliminated"), (0, "forwarded")]  # fmt: skip
    assert {a.status for a in loads} == {"exact"}


def test_what_changes_across_calls_that_may_stay_is_not_certain() -> None:
    text = """__device__ ATTRIBUTE float get(const float *p, int i) { return p[i * 32]; }
__global__ void k(float *q, const float *in) { int i = threadIdx.x; q[i] = get(in, i) + get(in, i); }
"""
    from kernlint import engine, files
    from kernlint.settings import LaunchOverrides, Settings

    settings = Settings(launch=LaunchOverrides((4, 1, 1), (64, 1, 1)))
    for attribute, certain in (("__forceinline__", True), ("__noinline__", False)):
        file = engine.analyse_source(files.Source("k.cu", "cuda", text.replace("ATTRIBUTE", attribute)), settings)
        second = [access for access in file.kernels[0].accesses if access.op == "load"][1]
        assert (second.as_compiled is not None and second.as_compiled.requests == 0) == certain
        assert (second.status == "exact") == certain


WORDS = "struct W { int w[4]; __device__ int &operator[](int k) { return w[k]; } };"


def test_a_struct_of_words_moves_at_once_where_it_surely_lies_aligned() -> None:
    """nvcc 13.0 for sm_90: LDS.128 for a struct of four ints copied out of an array of int4."""
    body = f"""{WORDS} extern __shared__ int4 s[];
W q = *reinterpret_cast<W *>(&s[t + 64 * (i & 1)]);
o[i] = q[0] * q[1] + q[2] * q[3];"""
    copy = one(accesses(body, 4096), 2)
    made = compiled(copy)
    assert (made.bytes, made.requests, made.wavefronts and made.wavefronts.mean) == (16, 4, 4)
    moved = accesses(body.replace("&s[t + 64 * (i & 1)]", "reinterpret_cast<int *>(s) + 4 * t + n"), 4096, n=2)
    assert one(moved, 2).as_compiled is None
