"""Copies of several bytes as nvcc makes them: memcpy, classes of half2, CUB's loads; and what an
early return hides from a branch.

Each count was read off an H100's counters or off nvcc 13's machine code for sm_90 (the instructions
are in the comments).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.model import facts
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files
from tests.execution.test_execution import run

LAUNCH = "// kernlint: launch(grid=2, block=64)\n"
SUM = "__device__ float sum(float4 v) { return v.x + v.y + v.z + v.w; }\n"


def accesses(source: str) -> list[facts.Access]:
    (kernel,) = engine.analyse_source(files.from_bytes("k.cu", source.encode()), Settings()).kernels
    return list(kernel.accesses)


def told(source: str, space: str = "global") -> set[tuple[str, int, object, str]]:
    return {(a.op, a.bytes, a.requests, a.status) for a in accesses(source) if a.space == space}


@pytest.mark.parametrize(
    ("parameters", "body", "expected"),
    [
        # 16 LDG.E.U8
        ("const float *p, float *o", "float4 v; memcpy(&v, p + 4 * threadIdx.x, 16); o[threadIdx.x] = sum(v);", ("load", 1, 64, "exact")),
        # 16 LDG.E.U8 again: what the pointer's type is aligned to is lost
        ("const float4 *p, float *o", "float4 v; memcpy(&v, p + threadIdx.x, 16); o[threadIdx.x] = sum(v);", ("load", 1, 64, "exact")),
        # 4 STG.E.U8
        ("float *p, float *o", "float v = threadIdx.x; memcpy(&p[threadIdx.x], &v, 4);", ("store", 1, 16, "exact")),
    ],
)  # fmt: skip
def test_memcpy_of_what_a_parameter_points_to_goes_byte_by_byte(
    parameters: str, body: str, expected: tuple[str, int, int, str]
) -> None:
    found = {
        (a.op, a.bytes, a.requests, a.status)
        for a in accesses(f"{LAUNCH}{SUM}__global__ void k({parameters}) {{ {body} }}")
        if "memcpy" in a.text
    }
    assert found == {expected}


def test_memcpy_of_a_shared_array_keeps_its_width() -> None:
    """LDS.128: a declared array is as aligned as it is declared."""
    body = "__shared__ float4 s[64]; s[threadIdx.x] = p[threadIdx.x]; __syncthreads(); float4 v; memcpy(&v, &s[63 - threadIdx.x], 16);"
    found = told(
        f"{LAUNCH}__global__ void k(const float4 *p, float *o) {{ {body} o[threadIdx.x] = v.x + v.y + v.z + v.w; }}",
        "shared",
    )
    assert ("load", 16, 4, "exact") in found


@pytest.mark.parametrize("pointer", ["q", "__builtin_assume_aligned(p + 4 * threadIdx.x, 16)"])
def test_memcpy_through_a_pointer_of_unknown_alignment_is_unknown(pointer: str) -> None:
    body = f"const float *q = p + 4 * threadIdx.x; float4 v; memcpy(&v, {pointer}, 16); o[threadIdx.x] = v.x;"
    (load,) = [
        a
        for a in accesses(f"{LAUNCH}__global__ void k(const float *p, float *o) {{ {body} }}")
        if a.op == "load"
    ]
    assert load.status == "unknown" and load.reason == "compiler" and "byte by byte" in load.detail


ARRAYS = """__device__ float all(float v) {{ return v; }}
__device__ float all(double v) {{ return v; }}
__device__ float all(float4 v) {{ return v.x + v.y + v.z + v.w; }}
__device__ float table[256];
__device__ short halves[256];
extern __shared__ float pool[];
__global__ void k(float *o, int n) {{
  __shared__ {0} s[1024];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  {1} v;
  memcpy(&v, {2}, sizeof v);
  o[threadIdx.x] = all(v);
}}
"""


@pytest.mark.parametrize(
    ("element", "type_", "source", "expected"),
    [
        ("float", "float4", "s + 4 * threadIdx.x", (16, 2, "exact")),  # LDS.128
        ("float", "float4", "s + threadIdx.x", (4, 8, "exact")),  # 4 LDS
        ("float", "double", "s + threadIdx.x", (4, 4, "exact")),  # 2 LDS
        ("double", "double", "s + threadIdx.x * n", (8, 2, "exact")),  # LDS.64
        ("short", "float", "s + 2 * threadIdx.x", (4, 2, "exact")),  # LDS: moved to a multiple of 4
        ("unsigned char", "float", "s + 4 * threadIdx.x", (1, 8, "range")),  # 4 LDS.U8
        ("__align__(16) unsigned char", "float", "s + 4 * threadIdx.x", (4, 2, "exact")),  # LDS
        (
            "__align__(16) unsigned char",
            "float",
            "s + n * threadIdx.x",
            (1, 8, "exact"),
        ),  # 4 LDS.U8
        ("float", "float4", "pool + 4 * threadIdx.x", (16, 2, "exact")),  # LDS.128
        ("float", "float4", "pool + threadIdx.x", (4, 8, "exact")),  # 4 LDS
        (
            "float",
            "float4",
            "table + 4 * threadIdx.x",
            (4, 8, "range"),
        ),  # 4 LDG.E; where the array begins in a sector is not known
        ("float", "float", "halves + threadIdx.x", (2, 4, "range")),  # 2 LDG.E.U16
    ],
)
def test_memcpy_of_a_declared_array_is_as_wide_as_its_alignment_and_index_allow(
    element: str, type_: str, source: str, expected: tuple[int, int, str]
) -> None:
    found = [
        a
        for a in accesses(
            LAUNCH.replace("grid=2", "grid=1, n=3") + ARRAYS.format(element, type_, source)
        )
        if "memcpy" in a.text
    ]
    assert [(a.bytes, a.requests, a.status) for a in found] == [expected]


@pytest.mark.parametrize("index", ["i", "i + 2 * threadIdx.x"])
def test_memcpy_at_an_index_that_a_variable_holds_is_unknown(index: str) -> None:
    """LDS.64 for `int i = 2 * threadIdx.x`, two LDS for `int i = threadIdx.x`."""
    source = ARRAYS.format("float", "double", f"s + {index}").replace(
        "double v", "int i = 2 * threadIdx.x; double v"
    )
    (load,) = [a for a in accesses(LAUNCH + source) if "memcpy" in a.text]
    assert load.status == "unknown" and load.reason == "compiler"


def test_memcpy_from_one_array_to_another_is_unknown() -> None:
    """LDS.128, three LDS.U8 and STS.128."""
    body = "__shared__ float4 a[64], b[64]; a[threadIdx.x] = p[threadIdx.x]; __syncthreads(); memcpy(&b[threadIdx.x], &a[threadIdx.x], 16);"
    found = [
        a
        for a in accesses(f"{LAUNCH}__global__ void k(const float4 *p) {{ {body} }}")
        if "memcpy" in a.text
    ]
    assert [(a.op, a.status, a.reason) for a in found] == [
        ("load", "unknown", "compiler"),
        ("store", "unknown", "compiler"),
    ]


COPY = (
    LAUNCH
    + "struct __align__({align}) S {{ {members} }};\n__global__ void k(const S *a, S *b) {{ S v = a[threadIdx.x]; b[threadIdx.x] = v; }}"
)


@pytest.mark.parametrize(
    ("align", "members", "size", "count", "status"),
    [
        (
            8,
            "half2 x; half2 y;",
            4,
            2,
            "range",
        ),  # 2 LDG.E, 2 STG.E, of which one each is charged to the class's line
        (16, "half2 x, y, z, w;", 4, 4, "range"),
        (8, "__nv_bfloat162 x[2];", 4, 2, "range"),
        (16, "half h[8];", 16, 1, "exact"),  # LDG.E.128: half is copied as its bytes
        (8, "float x; float y;", 8, 1, "exact"),  # LDG.E.64
    ],
)
def test_a_class_of_half2_is_copied_member_by_member(
    align: int, members: str, size: int, count: int, status: str
) -> None:
    found = told(COPY.format(align=align, members=members))
    assert found == {("load", size, 4 * count, status), ("store", size, 4 * count, status)}


def test_a_class_with_half2_and_others_is_unknown() -> None:
    """{half2; float; float2} is two LDG.E.64, {half2; float} two LDG.E."""
    found = told(COPY.format(align=16, members="half2 a; float b; float2 c;"))
    assert {status for *_, status in found} == {"unknown"}


VECTOR = """
template <int L, typename T> struct vec;
template <typename T> struct vec<2, T> { T x, y; __device__ T &operator[](int i); };
template <typename T> __device__ T &vec<2, T>::operator[](int i) { return i == 0 ? x : y; }
"""


def test_a_member_of_a_partial_specialisation_is_defined_outside_of_it() -> None:
    source = (
        LAUNCH
        + VECTOR
        + "__global__ void k(float *o) { vec<2, int> v = {1, 3}; o[threadIdx.x * v[1]] = 1; }"
    )
    assert [(a.op, a.status, a.sectors and a.sectors.mean) for a in accesses(source)] == [
        ("store", "exact", 12)
    ]


def test_an_operator_that_is_only_declared_stops_nothing() -> None:
    source = LAUNCH + "struct M { float x; __device__ float operator[](int i) const; };\n"
    source += "__global__ void k(float *o) { M m; m.x = 1; o[threadIdx.x] = m[1]; }"
    found = engine.analyse_source(files.from_bytes("k.cu", source.encode()), Settings())
    assert [(a.op, a.requests) for k in found.kernels for a in k.accesses] == [("store", 4)]
    assert ["operator[]" in p.message for p in found.problems] == [True]


def test_cub_loads_and_stores_are_known_without_its_headers() -> None:
    body = "cub::ThreadStore<cub::STORE_WT>(b + threadIdx.x, cub::ThreadLoad<cub::LOAD_LDG>(a + 2 * threadIdx.x));"
    found = {
        (a.op, a.requests, a.sectors and a.sectors.mean)
        for a in accesses(f"{LAUNCH}__global__ void k(const float *a, float *b) {{ {body} }}")
    }
    assert found == {("load", 4, 8), ("store", 4, 4)}


RETURNED = """// kernlint: launch(grid=10, block=96)
__device__ float sum(float val, float *shared) {
  shared[threadIdx.x] = val;
  __syncthreads();
  if (blockDim.x <= 32) return shared[1];
  return shared[0];
}
__global__ void k(const float *x, float *o) {
  __shared__ float shared[96];
  float v = sum(x[blockIdx.x * 96 + threadIdx.x], shared);
  USE
}"""


@pytest.mark.parametrize(
    ("use", "status"),
    [("if (threadIdx.x == 0) o[blockIdx.x] = v;", "range"), ("o[threadIdx.x] = v;", "range")],
)
def test_what_is_returned_behind_an_early_return_may_be_loaded_where_it_is_needed(
    use: str, status: str
) -> None:
    """On an H100, where one warp of three needs the value, one of three loads it; where all do, one
    LDS.64 serves both returns (sm_90)."""
    (load,) = [
        a
        for a in accesses(RETURNED.replace("USE", use))
        if a.space == "shared" and a.op == "load" and a.text == "shared[0]"
    ]
    assert load.status == status


SETS = (
    # 16 STG.E.U8, whatever the pointer's type
    ("float4 *p", "memset(p + threadIdx.x, 0, 16);", "global", ("store", 1, 64, "exact")),
    ("int *p", "int *q = p + threadIdx.x; memset(p + threadIdx.x, p[0], 4);", "global", ("store", 1, 16, "exact")),
    # STS.128, STS; 64 STS.128 that are charged to the line of `p[0] = …` where that is another one
    ("int *p", "__shared__ float s[256]; memset(s + 4 * threadIdx.x, 0, 16); __syncthreads(); p[0] = s[5];", "shared",
     ("store", 16, 4, "exact")),
    ("int *p", "__shared__ int s[256]; memset(s + threadIdx.x, 255, 4); __syncthreads(); p[0] = s[5];", "shared", ("store", 4, 4, "exact")),
    ("int *p", "__shared__ int s[256]; memset(s, 0, sizeof(s)); __syncthreads(); p[0] = s[5];", "shared", ("store", 16, 256, "range")),
)  # fmt: skip


@pytest.mark.parametrize(("parameters", "body", "space", "expected"), SETS)
def test_memset_of_a_constant_size_is_counted(
    parameters: str, body: str, space: str, expected: tuple[str, int, int, str]
) -> None:
    source = f"{LAUNCH}__global__ void k({parameters}) {{ {body} }}"
    found = {
        (a.op, a.bytes, a.requests, a.status)
        for a in accesses(source)
        if "memset" in a.text and a.space == space
    }
    assert found == {expected}


def test_memset_of_more_than_one_store_at_an_index_is_unknown() -> None:
    """20 STS.U8."""
    body = (
        "__shared__ int s[256]; memset(s + 4 * threadIdx.x, 0, 20); __syncthreads(); p[0] = s[5];"
    )
    (store,) = [
        a for a in accesses(f"{LAUNCH}__global__ void k(int *p) {{ {body} }}") if "memset" in a.text
    ]
    assert store.status == "unknown" and "byte by byte" in store.detail


CLASSES = """struct alignas(8) C {{ float x, y; C() = default; {0} }};
struct alignas(16) W {{ C a, b; }};
struct alignas(16) V : W {{ }};
__global__ void k({1} *d, const {1} *s) {{ d[threadIdx.x] = s[threadIdx.x]; }}
"""
OWN = "__device__ C(const C &o) : x(o.x), y(o.y) {} __device__ C &operator=(const C &o) { x = o.x; y = o.y; return *this; }"


@pytest.mark.parametrize("name", ["W", "V"])
def test_a_class_whose_members_say_how_they_are_copied_is_no_access_of_its_own(name: str) -> None:
    """LDG.E.64 and STG.E.64 for each member, on the lines of the classes."""
    found = accesses(LAUNCH + CLASSES.format(OWN, name))
    assert {(a.op, a.status, a.reason) for a in found} == {
        ("load", "unknown", "compiler"),
        ("store", "unknown", "compiler"),
    }


@pytest.mark.parametrize(
    "own",
    [
        "",
        "C(const C &) = default; C &operator=(const C &) = default;",
        "__device__ C(float v) : x(v), y(v) {}",
    ],
)
def test_a_class_whose_members_are_copied_as_bytes_is_one_access(own: str) -> None:
    """LDG.E.128 and STG.E.128."""
    assert told(LAUNCH + CLASSES.format(own, "W")) == {
        ("load", 16, 4, "exact"),
        ("store", 16, 4, "exact"),
    }


OWN_COPY = """// kernlint: launch(grid=1, block=128)
struct D2 {{
    float x, y;
    __device__ D2() {{}}
    {0}
}};
__device__ float product(D2 t) {{ return t.x * t.y; }}
__global__ void k(float *o, const D2 *s) {{
    int i = threadIdx.x;
    {1}
}}
"""


@pytest.mark.parametrize(
    "body",
    [
        "D2 t = s[i];\n    o[i] = t.x * t.y;",
        "D2 t(s[i]);\n    o[i] = t.x * t.y;",
        "o[i] = product(s[i]);",
    ],
)
def test_a_copy_constructor_is_called_wherever_an_object_is_initialised_with_another(
    body: str, tmp_path: Path
) -> None:
    """sm_90: both LDG are charged to the constructor's line (nvcc 13.0)."""
    made = run(tmp_path, OWN_COPY.format("__device__ D2(const D2 &o) : x(o.x), y(o.y) {}", body))
    loads = [a for a in made.accesses if a.object == "s"]
    assert [a.text for a in loads] == ["o.x", "o.y"] and {a.charged_line for a in loads} == {5}
    assert all(a.status == "range" for a in loads)


@pytest.mark.parametrize(
    "body", ["D2 t = s[i];\n    o[i] = t.x * t.y;", "D2 t(s[i]);\n    o[i] = t.x * t.y;"]
)
def test_a_defaulted_copy_constructor_copies(body: str, tmp_path: Path) -> None:
    made = run(tmp_path, OWN_COPY.format("D2(const D2 &) = default;", body))
    (load,) = [a for a in made.accesses if a.object == "s"]
    assert (load.text, load.status, load.requests, load.charged_line) == ("s[i]", "exact", 8, 10)


def test_the_loop_of_a_collective_copy_is_no_loop_of_the_users_line() -> None:
    """It stands in the toolkit's header; the loop around the call is the innermost one that the
    source says."""
    source = """#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
// kernlint: launch(grid=8, block=256, dynamic_shared=4096, tiles=64)
__global__ void k(const float *in, float *out, int tiles) {
    extern __shared__ float buffer[];
    auto block = cg::this_thread_block();
    for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
        cg::memcpy_async(block, buffer, in + t * 1024, sizeof(float) * 1024);
        cg::wait(block);
        out[t * 256 + threadIdx.x] = buffer[threadIdx.x];
        block.sync();
    }
}
"""
    (kernel,) = engine.analyse_source(files.from_bytes("k.cu", source.encode()), Settings()).kernels
    assert [(branch.kind, branch.span.line) for branch in kernel.branches] == [("for", 7)]
    copies = [access for access in kernel.accesses if access.op == "copy"]
    assert [(a.space, a.requests, a.in_loop and a.in_loop.line) for a in copies] == [
        ("global", 2048, 7),
        ("shared", 2048, 7),
    ]
