"""Parameter packs in lists: `{is...}` has one element for each of the pack's, for arrays, classes
and arrays without a bound."""

from __future__ import annotations

import pytest

from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files

FUNCTIONS = """\
struct Pair { int a, b; };
__device__ int add(int a, int b, int c) { return a + b * c; }
template <class... I> __device__ int array(I... is) { int v[sizeof...(I)] = {is...}; return v[0] * 32 + v[1]; }
template <class... I> __device__ int open(I... is) { int w[] = {2 * is..., 7}; return w[sizeof...(I)] + w[1]; }
template <class... I> __device__ int braced(I... is) { int w[]{-is..., 7}; return w[sizeof...(I)] - w[1]; }
template <class... I> __device__ int pair(I... is) { Pair p{is...}; return p.a * 64 + p.b; }
template <class... I> __device__ int given(I... is) { Pair p = {is...}; return p.a * 64 + p.b; }
template <class... I> __device__ int called(I... is) { return add(2 * is..., 7); }
template <class... I> __device__ int chosen(I... is) { return add(is > 3 ? 0 : is..., 7); }
template <class... I> __device__ int nothing(I... is) { int w[] = {is..., 7}; return w[0]; }
"""


@pytest.mark.parametrize(
    ("call", "sectors"),
    [
        ("array(threadIdx.x, 3)", 32),
        ("array(3, threadIdx.x)", 4),
        ("open(1, 32 * threadIdx.x)", 32),
        ("open(32 * threadIdx.x, 1)", 1),
        ("braced(1, 4 * threadIdx.x + 1)", 16),
        ("pair(threadIdx.x, 5)", 32),
        ("given(5, threadIdx.x)", 4),
        ("called(threadIdx.x, 4)", 8),
        ("chosen(4 * threadIdx.x + 4, 3)", 1),
        ("nothing()", 1),
    ],
)
def test_elements_of_a_pack_in_a_list(call: str, sectors: int) -> None:
    text = (
        FUNCTIONS
        + f"// kernlint: launch(grid=1, block=64)\n__global__ void k(float *o) {{ o[{call} & 8191] = 1; }}\n"
    )
    file = engine.analyse_source(files.from_bytes("k.cu", text.encode()), Settings())
    (store,) = [access for access in file.kernels[0].accesses if access.space == "global"]
    assert [problem.message for problem in file.problems] == []
    assert store.status == "exact" and store.sectors is not None and store.sectors.mean == sectors


def test_what_is_not_analysed_is_quoted() -> None:
    text = "// kernlint: launch(grid=1, block=64)\n__global__ void k(int *o) { int v[] = {gone(4)..., 3}; o[threadIdx.x] = v[0]; }\n"
    file = engine.analyse_source(files.from_bytes("k.cu", text.encode()), Settings())
    assert [p.message for p in file.problems] == [
        "`gone(4)...` is a parameter pack whose elements are not known"
    ]


HOST = """
__global__ void k(float *a, int n, int m) { a[blockIdx.x * 64 + threadIdx.x] = m; }
template <typename... A> void go(float *a, int n, A... more)
{
    void *args[] = {&a, &n, &more...};
    cudaLaunchKernel((void *)k, dim3(4), dim3(64), args, 0, 0);
}
"""


def test_a_pack_that_nobody_gives_to_host_code_is_an_unknown_argument() -> None:
    file = engine.analyse_source(files.from_bytes("k.cu", HOST.encode()), Settings())
    assert file.problems == () and file.kernels[0].launch.grid == (4, 1, 1)


def test_an_array_of_a_pack_that_no_launch_gives_has_no_bounds() -> None:
    text = """template <typename... A> __global__ void k(float *o, A... a)
    { int v[] = {(int)a...}; __shared__ int w[sizeof...(A)]; w[0] = v[0]; o[threadIdx.x] = w[0]; }"""
    file = engine.analyse_source(files.from_bytes("k.cu", text.encode()), Settings())
    assert [f.kind for f in file.kernels[0].faults] == []
    given = text + "\nvoid f(float *o) { k<<<1, 32>>>(o, 1, 2); }"
    file = engine.analyse_source(files.from_bytes("k.cu", given.encode()), Settings())
    assert file.kernels[0].launch.block == (32, 1, 1) and file.kernels[0].faults == ()
