"""The intermediate form of whole programs, held as text. The `.ir` files were read line by line
against the sources before."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kernlint.ir.printer import show
from kernlint.ir.traversal import walk
from kernlint.model.settings import LaunchOverrides, Settings
from kernlint.pipeline import engine
from kernlint.source import files
from tests import places
from tests.support.lowered import body, program, shown

DATA = places.DATA / "lowering"


@pytest.mark.parametrize("path", sorted(DATA.glob("*.c*")), ids=lambda p: p.stem)
def test_programs_lower_to_the_form_kept(path: Path) -> None:
    read = program(path.read_text(), "opencl" if path.suffix == ".cl" else "cuda")
    found = "".join(show(read.instantiate(kernel, None)) + "\n" for kernel in read.kernels())
    assert found == path.with_suffix(".ir").read_text()


def lines(text: str) -> list[str]:
    """Accesses as (operation widths `text` @charged line)."""
    return [
        line.partition("# ")[2]
        for line in shown(text, accesses=True).split("\n")
        if "# load" in line or "# store" in line or "# atomic" in line
    ]


@pytest.mark.parametrize(
    ("type_", "between", "charged"),
    [
        ("float4", "", 4),
        ("float4", "t[threadIdx.x] = 1;", 4),
        ("float4", "__syncthreads();", 2),
        ("float4", "z[threadIdx.x] = 1;", 2),
        ("uchar4", "", 4),
        ("Aligned", "", 4),
        ("Plain", "", 2),
        ("float3", "", 2),
        ("float", "", 2),
    ],
)
def test_a_class_moved_in_larger_units_and_copied_once_is_charged_to_the_copy(
    type_: str, between: str, charged: int
) -> None:
    """As nvcc 13 has it: the load of `float4 v = mem; … x = v;` belongs to the copy unless memory
    may change between them."""
    source = (
        "struct Plain { float a, b; }; struct alignas(8) Aligned { float a, b; }; "
        "template <typename T> __global__ void k(T *p, T *q, int *z) {\n"
        f"  T v = p[threadIdx.x];\n  __shared__ int t[32]; {between}\n  q[threadIdx.x] = v;\n}}\n"
    )
    read = program(source)
    kernel = read.instantiate(read.kernels()[0], (type_,))
    sites = [s.site for s in kernel.body if hasattr(s, "site") and hasattr(s.site, "charged_line")]
    assert [s.charged_line for s in sites if s.text in ("p[threadIdx.x]", "q[threadIdx.x]")] == [
        charged,
        4,
    ]


@pytest.mark.parametrize(
    ("body", "charged"),
    [
        ("float4 v;\n v = p[i];\n q[i + 1] = v;", 4),
        ("float4 v;\n for (int j = i; j < 256; j += 32) { v = p[j];\n q[j + 1] = v; }", 4),
        ("float4 v = p[i + 7];\n v = p[i];\n q[i + 1] = v;", 4),
        ("float4 v;\n v = p[i]; __syncthreads();\n q[i + 1] = v;", 3),
        ("float4 v;\n v = p[i];\n q[i + 1] = v; q[i] = v;", 3),
        ("float4 v;\n if (i < 5) v = p[i];\n q[i + 1] = v;", 3),
        ("float4 v, w;\n v = p[i];\n w = v; w.x += 1; q[i] = w;", 3),
    ],
)
def test_a_class_assigned_once_and_copied_once_is_charged_to_the_copy(
    body: str, charged: int
) -> None:
    """As nvcc 13 has it (an H100 counted so for LightSeq's `vinput4 = input4[i]; … res4[j] =
    vinput4;`)."""
    read = program(
        f"__global__ void k(float4 *p, float4 *q) {{ int i = threadIdx.x;\n {body}\n}}\n"
    )
    kernel = read.instantiate(read.kernels()[0], ())
    sites = [
        s.site for s in walk(kernel.body) if hasattr(s, "site") and hasattr(s.site, "charged_line")
    ]
    assert [s.charged_line for s in sites if s.text.startswith("p[")][-1:] == [charged]


@pytest.mark.parametrize(
    ("to", "charged"),
    [
        ("float4 w;\n  w = v;", 2),
        ("float4 w[2];\n  w[1] = v;", 2),
        ("float w[8];\n  *(float4 *)&w[4] = v;", 2),
        ("float w[8];\n  reinterpret_cast<float4 *>(w)[1] = v;", 2),
        ("struct { float4 a, b; } w;\n  w.a = v;", 2),
        ("__shared__ float4 w[32];\n  w[threadIdx.x] = v;", 4),
        ("float *w = (float *)q;\n  *(float4 *)&w[4] = v;", 4),
        ("auto w = q + 1;\n  *w = v;", 4),
    ],
)
def test_a_class_copied_to_the_threads_own_is_charged_to_its_load(to: str, charged: int) -> None:
    """As nvcc 13 has it: only a copy to memory takes the load to its line."""
    read = program(
        f"__global__ void k(float4 *p, float4 *q) {{\n  float4 v = p[threadIdx.x];\n  {to}\n}}\n"
    )
    kernel = read.instantiate(read.kernels()[0], None)
    assert [
        s.site.charged_line
        for s in kernel.body
        if hasattr(s, "site") and s.site.text == "p[threadIdx.x]"
    ] == [charged]


def test_an_access_is_charged_to_the_last_token_of_its_index() -> None:
    source = (
        "__global__ void k(float *p, int n) {\n  p[n +\n    threadIdx.x\n  ] = p\n    [n];\n}\n"
    )
    assert lines(source) == ["load 4 `p [n]` @5", "store 4 `p[n + threadIdx.x ]` @3"]


@pytest.mark.parametrize(
    ("body", "charged"),
    [
        (
            "  x += 1;",
            [12, 12],
        ),  # the first instructions of an inlined body: nvcc's line table names the call there
        ("  x += v;", [5, 5]),  # fetching v from the kernel's parameters comes first
        ("  int t = v;\n  x += 7;", [12, 12]),
        ("  int t = threadIdx.x * 3 + v;\n  x += t;", [6, 6]),
        ("  p[0] = 1;\n  p[1] = 1;", [12, 6]),
        ("  nested(x);", [12, 12]),
        ("  int t = v;\n  nested(x);", [12, 12]),
    ],
)
def test_what_an_inlined_function_touches_first_is_charged_to_its_call(
    body: str, charged: list[int]
) -> None:
    """Held against the line tables of nvcc 13's machine code."""
    padded = body + "\n" * (5 - body.count("\n"))
    source = (
        "__device__ void nested(int &y) {\n  y += 7;\n}\n"
        f"__device__ void f(int &x, int *p, int v) {{\n{padded}}}\n"
        "__global__ void k(int *p, int *z, int v) {\n  f(p[threadIdx.x], z, v);\n}\n"
    )
    assert [int(line.partition("@")[2].split()[0]) for line in lines(source)] == charged


def test_a_macro_is_charged_to_its_use() -> None:
    source = "#define AT(i) \\\n  p[(i) * 2]\n__global__ void k(int *p) {\n  AT(3) = 1;\n}\n"
    assert lines(source) == ["store 4 `AT(3)` @4"]


@pytest.mark.parametrize(
    ("definition", "pieces"),
    [
        ("struct S { float a, b; };", "4+4"), ("struct S { double a; float b, c; };", "8+8"), ("struct S { char a, b, c; };", "1+1+1"),
        ("struct __align__(16) S { float a[4]; int b; };", "16+16"), ("struct S { short a, b, c; };", "2+2+2"), ("using S = float4;", "16"),
        ("using S = float3;", "4+4+4"), ("using S = double4;", "16+16"), ("struct alignas(8) S { float a, b, c; };", "8+8"),
    ],
)  # fmt: skip
def test_a_class_is_accessed_in_pieces_of_its_alignment(definition: str, pieces: str) -> None:
    found = lines(f"{definition}\n__global__ void k(S *p, S *q) {{\n  q[0] = p[1];\n}}\n")
    assert found == [f"load {pieces} `p[1]` @3", f"store {pieces} `q[0]` @3"]


def test_kernel_parameters_are_scalar_leaves() -> None:
    read = program(
        "struct A { float *x; int n; struct { int y; } in; };\n__global__ void k(A a, const int4 v, int (*rows)[4]) {}\n"
    )
    kernel = read.instantiate(read.kernels()[0], None)
    assert [p.name for p in kernel.parameters] == [
        "a.x",
        "a.n",
        "a.in.y",
        "v.x",
        "v.y",
        "v.z",
        "v.w",
        "rows",
    ]
    assert [p.object.name for p in kernel.parameters if p.object] == ["a.x", "rows"]


def test_all_dynamic_shared_arrays_are_one_object() -> None:
    arrays = "extern __shared__ float a[]; extern __shared__ char b[]; __shared__ int c[8];"
    source = f"__global__ void k() {{ {arrays} a[0] = 1; b[4] = 2; c[0] = 1; }}"
    read = program(source)
    kernel = read.instantiate(read.kernels()[0], None)
    assert [(o.name, o.dynamic, o.size) for o in kernel.objects if o.space == "shared"] == [
        ("a", True, None),
        ("c", False, 32),
    ]
    assert kernel.static_shared_bytes == 32


def test_constructs_not_understood_become_unknown() -> None:
    found = shown("__global__ void k(int *p) { int i = mystery(p, 3); p[i] = other.field; }")
    assert "clobber mystery(p)" in found and "unknown[unknown-function: mystery](p, 3)" in found


def test_a_loop_macro_of_a_missing_header_is_a_loop_of_unknown_length() -> None:
    """As a loop that asks an unknown function: counters that nobody else declared are unknown,
    names that are known stay themselves."""
    asked = "GRID_LOOP(n)"
    for written, counter in (
        ("GRID_LOOP(i, n) { p[i] = 1; }", "i"),
        ("GRID_LOOP(long, j, n) p[j] = 1;", "j"),
    ):
        found = re.sub(r"GRID_LOOP\((?:long, )?\w, n\)", asked, body(written))
        assert found == body(f"for (; {asked}; ) {{ int {counter} = {asked}; p[{counter}] = 1; }}")
    assert body("GUARD(n) { p[n] = 1; }") == body("for (; GUARD(n); ) { p[n] = 1; }")
    assert body("CHECK(n) p[n] = 1;") == body("CHECK(n); p[n] = 1;")


def test_a_loop_macro_of_a_missing_header_is_told() -> None:
    found = program("__global__ void k(int *p, int n) {\n GRID_LOOP(i, n) { p[i] = 1; } }")
    [kernel] = found.kernels()
    found.instantiate(kernel, None)
    [problem] = kernel.problems
    assert (
        problem.note
        and problem.subject == "GRID_LOOP"
        and (problem.span.line, problem.span.column) == (2, 2)
    )


def test_a_pack_whose_explicit_arguments_do_not_fit() -> None:
    """Such a function is no candidate, and the rest of the kernel is lowered."""
    functions = "template <class... T> __device__ int f(T... t) { return 5; } template <int... N> __device__ int g() { return 6; }\n"
    found = shown(
        functions
        + "__global__ void k(int *p) { p[f<3>(1)] = 1; p[g<int>()] = 2; p[threadIdx.x] = 3; }"
    )
    assert found.count("store") == 3 and found.count("unknown") >= 2


def test_a_function_named_from_the_global_scope() -> None:
    assert shown("__global__ void ::k(int *p) { p[threadIdx.x] = 3; }") == shown(
        "__global__ void k(int *p) { p[threadIdx.x] = 3; }"
    )


@pytest.mark.parametrize(
    ("value", "stride"),
    [
        (
            "select((int4)(1), (int4)(2), (int4)(1)).y",
            1,
        ),  # 6.13.6: a vector's component is chosen by its most significant bit
        ("select((int4)(1), (int4)(2), (int4)(INT_MIN)).y", 2),
        ("select(1, 2, 1)", 2),  # a scalar by whether it is not zero
        (
            "((uchar4)(1) << (uchar4)(9)).y",
            2,
        ),  # 6.3.j: counts are taken modulo the bits of a vector's component
        ("((uchar4)(64) >> (uchar4)(13)).y", 2),
        ("((uchar4)(1) << 9).y", 2),
        ("(((uchar)1 << 9) >> 8)", 2),  # and modulo those of a promoted scalar
    ],
)
def test_opencl_vectors_choose_and_shift_by_their_components(value: str, stride: int) -> None:
    """A load of 32 lanes at a constant stride of 4-byte elements touches four sectors for each unit
    of the stride."""
    text = f"__attribute__((reqd_work_group_size(32,1,1))) kernel void k(global int *p) {{ p[get_local_id(0) * {value}] = 1; }}"
    report = engine.analyse(
        (),
        Settings(launch=LaunchOverrides(grid=(1, 1, 1))),
        stdin=files.from_bytes("k.cl", text.encode()),
    )
    (access,) = report.files[0].kernels[0].accesses
    assert access.sectors is not None and (access.sectors.mean, access.status) == (
        4 * stride,
        "exact",
    )


def test_what_a_macro_use_over_several_lines_holds_is_charged_to_its_first() -> None:
    """nvcc 13's line table (sm_90): the arguments of a macro belong to the line on which its use
    begins, whatever line they are on."""
    text = """#define KERNEL(NAME, ...) __global__ void NAME(const float *p, float *o) { int t = threadIdx.x; __VA_ARGS__ }
#define BODY(x) x
KERNEL(one,
  float w = p[t];

  o[t] = w;)
__global__ void two(const float *p, float *o) {
    int t = threadIdx.x;
    BODY(float w = p[t];
         o[t] = w;
         o[t + 32] = w + 1;)
    o[t + 64] = p[t +
        64];
    o[t + 96] = BODY(
        p[t + 96]); o[t + 128] = w;
}
"""
    found = engine.analyse_source(files.Source("k.cu", "cuda", text), Settings())
    lines = {
        kernel.name: [(a.span.line, a.charged_line) for a in kernel.accesses]
        for kernel in found.kernels
    }
    assert lines == {
        "one": [(4, 3), (6, 3)],
        "two": [(9, 9), (10, 9), (11, 9), (12, 12), (12, 13), (14, 14), (15, 14), (15, 15)],
    }


def test_an_alias_may_have_the_name_of_what_it_is_made_of() -> None:
    """It is not declared yet within its own type ([basic.scope.pdecl])."""
    text = """template <class T, int N> struct Packed { T v[N]; };
typedef short scalar;
template <class T> __global__ void k(T *out) {
  using Packed = Packed<T, 4>;
  using scalar = scalar;
  out[sizeof(Packed) * threadIdx.x + sizeof(scalar)] = 0;
}
template __global__ void k<float>(float *);
"""
    read = program(text)
    found = show(read.instantiate(read.kernels()[0], None))
    assert not read.kernels()[0].problems
    assert "store (out + (long(((16 * ulong(tid.x)) + 2)) * 4))" in found
