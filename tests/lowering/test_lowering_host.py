"""Launches found by running host code: every spelling, wrapped in templates, classes, lambdas and
loops."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.base.span import Problem
from kernlint.execution.host.launches import launches
from kernlint.ir.printer import show
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files
from kernlint.source.parser.parser import parse
from kernlint.source.preprocessor.preprocess import Options, preprocess
from tests.pipeline.test_engine import analyse
from tests.places import DATA
from tests.support.lowered import program

SOURCE = (DATA / "lowering_host.cu").read_text()


def reached() -> list[
    tuple[str, tuple[int, ...] | None, tuple[int, ...], int | None, dict[str, int]]
]:
    read = program(SOURCE)
    found = []
    for function in read.host_functions():
        for kernel, launch in launches(function):
            integers = {
                name: value
                for name, value in launch.arguments.items()
                if isinstance(value, int) and name != "b"
            }
            found.append(
                (str(kernel), launch.grid, launch.block, launch.dynamic_shared_bytes, integers)
            )
    return found


def test_launches_of_every_spelling() -> None:
    assert reached() == [
        (
            "kern<float, 64, Twice>",
            (5, 1, 1),
            (64, 1, 1),
            0,
            {"n": 300},
        ),  # template wrapper, method, functor
        ("kern<float, 128, Twice>", (3, 1, 1), (128, 1, 1), 0, {"n": 300}),
        ("plain", (8, 1, 1), (128, 1, 1), 64, {}),  # struct returned by a helper; n depends on argv
        ("plain", (1, 1, 1), (1, 1, 1), 0, {"n": 5}),  # overload by pointer type
        (
            "plain",
            (2, 2, 1),
            (32, 2, 1),
            0,
            {"n": 64},
        ),  # class with a constructor and a braced dim3
        ("plain", (64, 1, 1), (128, 1, 1), 0, {"n": 64}),  # range for over a constant array
        ("plain", (128, 1, 1), (256, 1, 1), 0, {"n": 128}),
        ("plain", (1, 1, 1), (32, 1, 1), 0, {"n": 1}),
        ("plain", (2, 1, 1), (32, 2, 1), 0, {"n": 2}),
        ("plain", (4, 1, 1), (32, 4, 1), 0, {"n": 4}),
        ("plain", (3, 1, 1), (32, 1, 1), 128, {}),  # cudaLaunchKernel with void *args[]
        ("plain", (4, 1, 1), (64, 1, 1), 0, {"n": 7}),  # hipLaunchKernelGGL
        ("plain", (1, 1, 1), (32, 1, 1), 0, {"n": 1}),  # switch
        ("plain", (2, 1, 1), (64, 1, 1), 0, {"n": 2}),
        (
            "apply<lambda at line 29>",
            (1, 1, 1),
            (256, 1, 1),
            0,
            {"f.k": 5, "f.m.rows": 10, "f.m.cols": 30},
        ),  # device lambda
        (
            "kern<float, 7, Twice>",
            (11, 1, 1),
            (32, 1, 1),
            0,
            {"n": 9},
        ),  # kernel passed to a generic lambda
        ("plain", (9, 1, 1), (9, 1, 1), 0, {}),
    ]


def test_overloaded_kernels_keep_their_definition() -> None:
    read = program(SOURCE)
    lines = [
        launch.span
        for f in read.host_functions()
        for k, launch in launches(f)
        if k.template.span.line == 7
    ]
    assert sorted(span.line for span in lines if span is not None) == [21, 27, 32]


def test_captures_of_a_device_lambda_are_parameters() -> None:
    read = program(SOURCE)
    kernel = next(
        k for f in read.host_functions() for k, _ in launches(f) if k.template.name == "apply"
    )
    assert "store (f.m.data + (long((i.1 * f.k)) * 4))" in show(
        read.instantiate(kernel.template, kernel.template_arguments), False
    )


def test_without_main_every_uncalled_function_is_a_root() -> None:
    text = (
        "__global__ void k(int n) {}\n"
        "void inner(int n) { k<<<n, 64>>>(n); }\nvoid outer() { inner(3); }\nvoid other(int n) { k<<<2, n>>>(n); }\n"
    )
    found = program(text).host_functions()
    assert sorted(f.name for f in found) == ["other", "outer"]
    assert [
        str(k) + str(launch.grid)
        for f in found
        for k, launch in launches(f)
        if not launch.block_assumed
    ] == ["k(3, 1, 1)"]


def test_template_arguments_are_spelt_as_the_demangler_spells_them() -> None:
    """An enumerator is a cast: nvcc's symbol demangles to `k<(Layout)1, (ns::Mode)5, 7ul, true>`;
    numbers stay plain."""
    read = program(
        "enum Layout { A, B }; namespace ns { enum class Mode : unsigned char { X, Y = 5 }; }\n"
        "template <Layout L, ns::Mode M, unsigned long N, bool T> __global__ void k(int *p) { p[0] = N; }\n"
        "int main() { k<B, ns::Mode::Y, 7, true><<<1, 32>>>(nullptr); }\n"
    )
    found = [
        launch.template_arguments
        for function in read.host_functions()
        for _, launch in launches(function)
    ]
    assert found == [("(Layout)1", "(ns::Mode)5", "7", "1")]


KERNEL = "__global__ void k(int *p, int n) {} struct Plan { dim3 grid, block; int shared; };"


def launched(
    body: str, before: str = ""
) -> tuple[list[tuple[tuple[int, ...] | None, tuple[int, ...]]], list[str]]:
    """(grid, block) of every launch that a host function makes, and what is said about it."""
    read = program(f"{KERNEL} {before} void host(int *p, int n) {{ {body} }}")
    problems: list[Problem] = []
    some = [launch for f in read.host_functions() for _, launch in launches(f, problems)]
    found = [(launch.grid, launch.block) for launch in some if not launch.block_assumed]
    return found, [f"{p.code} {p.message}" for p in (*read.problems, *problems)]


@pytest.mark.parametrize("end", ["", "return;"])
def test_handlers_of_exceptions_launch_what_their_body_leaves_known(end: str) -> None:
    handlers = (
        "catch (const E &e) { e.what(); k<<<4, 64>>>(p, n); } catch (...) { k<<<m, 96>>>(p, n); }"
    )
    body = f"int m = 2; try {{ m = 5; k<<<m, 32>>>(p, n); {end} }} {handlers} k<<<m, 128>>>(p, n);"
    expected = [((4, 1, 1), (64, 1, 1)), (None, (96, 1, 1)), ((5, 1, 1), (32, 1, 1))]
    behind = [] if end else [((5, 1, 1), (128, 1, 1))]
    assert launched(body) == (expected + behind, [])


def test_packs_are_expanded_in_the_arguments_of_new() -> None:
    made = (
        "struct S { S(int, int); };\n"
        "template <class T, class... A> T *make(void *at, A &&...a) { return ::new (at) T(std::forward<A>(a)...); }"
    )
    assert launched("char at[16]; make<S>(at, 3, 4); k<<<4, 32>>>(p, n);", made) == (
        [((4, 1, 1), (32, 1, 1))],
        [],
    )


@pytest.mark.parametrize(
    "body",
    [
        "dim3 b; b.x = 32; b.y = 8; dim3 g; g.x = 4; k<<<g, b>>>(p, 3);",
        "dim3 b = {32, 8}; dim3 g{4}; k<<<g, b>>>(p, 3);",
        "Plan l; l.grid.x = 4; l.block = dim3(32, 8); k<<<l.grid, l.block>>>(p, 3);",
        "Plan l = plan(256); k<<<l.grid, l.block, l.shared>>>(p, 3);",
        "k<<<four(), square(32, 8)>>>(p, 3);",
        "const int m = 1000; k<<<m > 500 ? 4 : 2, m > 2000 ? dim3(1) : dim3(32, 8)>>>(p, 3);",
        "int m = 3; void *a[] = {&p, &m}; cudaLaunchKernel((void *)k, dim3(4), dim3(32, 8), a, 0, 0);",
        "int m = 3; void *a[] = {&p, &m}; cudaLaunchCooperativeKernel((const void *)&k, dim3(4), dim3(32, 8), a);",
        "cudaLaunchConfig_t c; c.gridDim.x = 4; c.blockDim = dim3(32, 8); cudaLaunchKernelEx(&c, k, p, 3);",
        "cudaLaunchConfig_t c{.gridDim = dim3(4), .blockDim = dim3(32, 8), .stream = 0}; cudaLaunchKernelEx(&c, k, p, 3);",
        "cudaLaunchConfig_t c = {}; c.gridDim = 4; c.blockDim.x = 32; c.blockDim.y = 8; cudaLaunchKernelEx(&c, k, p, 3);",
    ],
)
def test_sizes_filled_by_member_and_returned_by_helpers(body: str) -> None:
    helpers = (
        "dim3 square(int x, int y) { dim3 d; d.x = x; d.y = y; return d; } dim3 four() { return dim3(4); }"
        "Plan plan(int n) { Plan l; l.grid = dim3(n / 64); l.block.x = 32; l.block.y = 8; l.shared = 0; return l; }"
    )
    assert launched(body, helpers) == ([((4, 1, 1), (32, 8, 1))], [])


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            "k<<<0, 32>>>(p, n);",
            "KL001 launch of `k` with a grid of 0x1x1: every size must be at least 1",
        ),
        (
            "k<<<1, 0>>>(p, n);",
            "KL001 launch of `k` with a block of 0x1x1: every size must be at least 1",
        ),
        (
            "k<<<1, -32>>>(p, n);",
            "KL001 launch of `k` with a block of -32x1x1: every size must be at least 1",
        ),
        ("k<<<1, 32>>>(p);", "KL001 launch of `k` with 1 argument: it takes 2"),
        ("k<<<1, 32>>>(p, n, 4);", "KL001 launch of `k` with 3 arguments: it takes 2"),
        ("none<<<1, 32>>>(p);", "KL003 launches `none`, whose definition was not found"),
        (
            "void *which = p; void *args[] = {&p}; cudaLaunchKernel(which, dim3(1), dim3(32), args, 0, 0);",
            "KL003 launches `which`, whose definition was not found",
        ),
        ("other<<<1, 32>>>();", "KL003 launch of `other`, which is not a kernel"),
        ("t<1, 2><<<1, 32>>>(p);", "KL001 launch of `t` with 2 template arguments: it takes 1"),
        (
            "u<<<1, 32>>>(missing(p));",
            "KL003 launches `u`, whose template arguments cannot be deduced",
        ),
        (
            "k<<<1, n>>>(p, n);",
            "KL003 the block size of this launch of `k` is unknown: depends on an argument whose value is unknown: n",
        ),
        (
            "int g, b; cudaOccupancyMaxPotentialBlockSize(&g, &b, k, 0, 0); k<<<g, b>>>(p, n);",
            "KL003 the block size of this launch of `k` is unknown: cudaOccupancyMaxPotentialBlockSize decides it at run time",
        ),
        (
            "k<<<1, 32>>>(p, 0",
            "KL001 ';' is missing after '0' in function host: its launches are not seen",
        ),
    ],
)
def test_launches_that_cannot_be_followed_are_not_silent(body: str, said: str) -> None:
    before = "void other() {} template <int N> __global__ void t(int *p) {} template <int N> __global__ void u(Box<N> b) {}"
    assert launched(body, before) == ([], [said])


@pytest.mark.parametrize("element", ["devices[1].cc", "devices[n].cc", "sizes[1]", "sizes[n]"])
def test_an_element_of_what_an_undefined_function_gives_is_unknown_for_that_function(
    element: str,
) -> None:
    """`devices[1]` was the second scalar of all: what it went into was then told to be no defined
    function."""
    before = "struct Info { int count; struct Device { int cc, warp; } devices[4]; int sizes[4]; }; const Info &info();"
    body = f"int cc = info().{element}; k<<<1, chosen(cc)>>>(p, n);"
    assert launched(body, before + " static int chosen(int cc) { return cc > 3 ? cc : 64; }") == (
        [],
        [
            "KL003 the block size of this launch of `k` is unknown: depends on a function that no analysed file defines: info"
        ],
    )


def test_host_code_cut_off_is_not_silent() -> None:
    text = f"{KERNEL} int main() {{ k<<<1, 32>>>(0"
    unit = parse(preprocess("test.cu", text, Options()).tokens, "test.cu", "cuda")
    assert [p.message for p in unit.problems] == ["'{' is never closed in function main"]


LAUNCHER = """
template <typename T, int N> __global__ void kern(T *out) { out[threadIdx.x * N] = 0; }
template <typename T> void launcher(T *out) { kern<T, 2><<<4, 64>>>(out); }
"""


def test_a_launch_in_a_template_nobody_calls_leaves_the_element_type_float() -> None:
    read = program(LAUNCHER)
    ((kernel, launch),) = [one for f in read.host_functions() for one in launches(f)]
    assert (str(kernel), launch.grid, launch.block) == ("kern<float, 2>", (4, 1, 1), (64, 1, 1))
    lowered = read.instantiate(kernel.template, kernel.template_arguments)
    assert lowered.template_arguments == launch.template_arguments and launch.assumptions == (
        "T is float",
    )
    assert "store (out + (long((tid.x * 2)) * 4))" in show(lowered, False)


def test_a_type_that_is_not_defined_is_not_taken_to_be_float() -> None:
    read = program(LAUNCHER + "void go(elsewhere::Half *out) { launcher<elsewhere::Half>(out); }")
    ((kernel, _),) = [one for f in read.host_functions() for one in launches(f)]
    lowered = read.instantiate(kernel.template, kernel.template_arguments)
    assert str(kernel) == "kern<elsewhere::Half, 2>" and lowered.notes == ()


def test_a_template_nobody_calls_runs_with_its_explicit_instantiations() -> None:
    read = program(
        LAUNCHER + "template void launcher<double>(double *);\ntemplate void launcher(short *);"
    )
    assert [str(kernel) for f in read.host_functions() for kernel, _ in launches(f)] == [
        "kern<double, 2>",
        "kern<short, 2>",
    ]


def test_instantiations_of_another_file_are_run_where_the_file_has_none() -> None:
    """A header says which there are (`extern template`); the file that has one of them makes that
    one alone."""
    elsewhere = (
        LAUNCHER
        + "extern template void launcher<double>(double *);\nextern template void launcher(short *);\n"
    )
    for text, expected in (
        (elsewhere, ["kern<double, 2>", "kern<short, 2>"]),
        (elsewhere + "template void launcher<short>(short *);", ["kern<short, 2>"]),
        (elsewhere + "template void launcher<long>(long *);", ["kern<long, 2>"]),
    ):
        assert [
            str(kernel) for f in program(text).host_functions() for kernel, _ in launches(f)
        ] == expected


def test_explicit_instantiations_are_run_in_the_place_of_a_template_that_nobody_instantiates() -> (
    None
):
    """`pick` alone was run, with a stand-in for its type: three launches, and none of them sure."""
    text = """template <int N> __global__ void k(float *a) { a[threadIdx.x * N] = 1; }
template <int N> void start(float *a) { k<N><<<4, 64>>>(a); }
template <class T> void between(T *a, int n) { if (n == 1) start<1>(a); else start<8>(a); }
template <class T> void pick(T *a, int n) { between(a, n); }
void plain(float *a) { start<4>(a); }
"""
    for more, expected in (
        ("", ["k<1>", "k<8>", "k<4>"]),
        ("template void start<2>(float *a);", ["k<4>", "k<2>"]),
    ):
        assert [
            str(kernel) for f in program(text + more).host_functions() for kernel, _ in launches(f)
        ] == expected


def test_a_kernel_is_that_of_the_instantiations_in_its_own_file() -> None:
    kernel = "template <int N> __global__ void k(float *x) { x[N * threadIdx.x] = 1; }\n"
    elsewhere = "extern template __global__ void k<2>(float *);\nextern template __global__ void k<4>(float *);\n"
    found = {
        text: program(kernel + text).kernels()[0].explicit_instantiations
        for text in (elsewhere, elsewhere + "template __global__ void k<4>(float *);")
    }
    assert list(found.values()) == [[("2",), ("4",)], [("4",)]]


def test_a_template_of_a_namespace_may_be_called_as_the_function_that_launches_it() -> None:
    text = """namespace v {
template <typename T> __device__ T act(T a) { return a; }
template <typename T, T (*F)(T)> __global__ void k(T *p) { p[threadIdx.x] = F(p[threadIdx.x]); }
}
void act(float *p, double alpha) { v::k<float, v::act<float>><<<4, 128>>>(p); }
"""
    read = program(text)
    assert [
        (launch.grid, launch.block)
        for function in read.host_functions()
        for _, launch in launches(function)
    ] == [((4, 1, 1), (128, 1, 1))]


def test_arguments_of_a_launch_may_be_a_pack() -> None:
    """A wrapper that forwards what it is given (as ggml's) is no launch with too few arguments."""
    text = (
        "#include <utility>\n__global__ void k(float *p, int n, int m) { p[n * threadIdx.x + m] = 1; }\n"
        "template <typename K, typename... A> void go(K f, dim3 b, A &&...a) { f<<<1, b>>>(std::forward<A>(a)...); }\n"
        "int main() { float *p; go(k, dim3(64), p, 3, 5); }\n"
    )
    read = program(text)
    [(_, launch)] = [found for function in read.host_functions() for found in launches(function)]
    assert (launch.block, launch.arguments["n"], launch.arguments["m"], read.problems) == (
        (64, 1, 1),
        3,
        5,
        [],
    )


def test_a_specialisation_that_spells_no_arguments_stands_for_those_of_its_parameters() -> None:
    """`template <> void go(double *, const double *)`: called with two plain pointers it is meant,
    too."""
    text = (
        "template <typename T> __global__ void k(T *a, const T *b) { a[0] = 1; }\n"
        "template <> __global__ void k(double *a, const double *b) { a[0] = 2; }\n"
        "template <typename T> void go(T *a, const T *b, int n) { k<<<n, 128>>>(a, b); }\n"
        "template <> void go(double *a, const double *b, int n) { n /= 2; k<<<n, 128>>>(a, b); }\n"
        "void host(float *a, double *b) { go(a, a, 8); go(b, b, 8); }\n"
    )
    found = program(text).host_functions()
    assert sorted(
        (k.template.span.line, launch.grid) for f in found for k, launch in launches(f)
    ) == [(1, (8, 1, 1)), (2, (4, 1, 1))]


def test_a_specialisation_that_spells_some_arguments_is_for_those_of_its_own_type() -> None:
    """C++ [temp.deduct.decl]: the others follow from the parameters and from what it gives
    (DeepSpeed's reductions)."""
    text = (
        "namespace r { enum class Op { Add = 2, Max };\n"
        "template <Op O, typename T> __device__ T element(const T a, const T b);\n"
        "template <Op O, typename T = float> __device__ T init();\n"
        "template <> __device__ float element<Op::Add>(const float a, const float b) { return a + b; }\n"
        "template <> __device__ int element<Op::Add>(const int a, const int b) { return a + b; }\n"
        "template <> __device__ float init<Op::Max>() { return 5; }\n"
        "template <> __device__ int init<Op::Max>() { return 3; } }\n"
        "namespace q { using rop = r::Op; typedef r::Op other;\n"
        "__global__ void k(int *o) { o[threadIdx.x * r::init<rop::Max, int>()] = 1; }\n"
        "__global__ void m(int *o) { o[threadIdx.x * (int)r::init<rop::Max>()] = 1; }\n"
        "__global__ void n(int *o) { o[threadIdx.x * r::element<other::Add>(2, 5)] = 1; }\n"
        "__global__ void p(int *o) { o[threadIdx.x * (int)other::Max] = 1; } }\n"
        "void host(int *o) { q::k<<<1, 32>>>(o); q::m<<<1, 32>>>(o); q::n<<<1, 32>>>(o); q::p<<<1, 32>>>(o); }\n"
    )
    found = analyse(text)
    assert not found.problems
    factors = zip("kmnp", (3, 5, 7, 3), strict=True)
    assert {k.name: k.accesses[0].index for k in found.kernels} == {
        name: f"{n}*threadIdx.x" for name, n in factors
    }


def test_an_explicit_specialisation_is_reported_with_the_arguments_that_it_is_for() -> None:
    """Else a profile's counters of `k<int, 2>` are held against those of another instance, or of
    none."""
    text = (
        "template <typename T, int N> __global__ void k(T *a) { a[threadIdx.x] = N; }\n"
        "template <> __global__ void k<int, 2>(int *a) { a[threadIdx.x * 4] = 1; }\n"
        "template <typename T> __global__ void q(T *a) { a[threadIdx.x] = 1; }\n"
        "template <> __global__ void q(double *a) { a[threadIdx.x * 8] = 1; }\n"
        "__global__ void p(double *a) { a[threadIdx.x * 8] = 1; }\n"
        "void host(int *i, float *f, double *d) { k<int, 2><<<1, 32>>>(i); k<float, 3><<<1, 32>>>(f); q<<<1, 32>>>(d);"
        " q<<<1, 32>>>(f); p<<<1, 32>>>(d); }\n"
    )
    found = {(k.name, k.span.line): k.template_arguments for k in analyse(text).kernels}
    assert found == {
        ("k", 1): ("float", "3"),
        ("k", 2): ("int", "2"),
        ("q", 3): ("float",),
        ("q", 4): ("double",),
        ("p", 5): (),
    }


ENABLED = """template <typename T> struct Wide { static constexpr bool exists = false; };
template <> struct Wide<short> { static constexpr bool exists = true; };
template <typename T, int W> __global__ std::enable_if_t<(W > 0) && Wide<T>::exists> k(T *a) { a[W] = 1; }
template <typename T, int W, typename = std::enable_if_t<!Wide<T>::exists>> __global__ void k(T *a) { a[0] = 1; }
template <typename T> void go(T *a) { k<T, 8><<<2, 128>>>(a); }
"""


@pytest.mark.parametrize(("element", "line"), [("float", 4), ("short", 3)])
def test_an_overload_that_enable_if_takes_away_is_not_launched(element: str, line: int) -> None:
    found = program(ENABLED + f"void host({element} *a) {{ go(a); }}\n").host_functions()
    assert [k.template.span.line for f in found for k, _ in launches(f)] == [line]


def test_a_type_that_nobody_gives_is_not_one_for_which_there_is_no_kernel() -> None:
    """It was taken to be float, for which the first template does not exist."""
    kernels = {k.span.line: k for k in analyse(ENABLED).kernels}
    assert "T is float" not in kernels[3].assumptions
    assert [a.status for a in kernels[3].accesses] == ["unknown"]


@pytest.mark.parametrize(
    ("size", "widths"), [("4", ["1", "4"]), ("2", ["1"]), ("16", ["1", "16", "4", "8"])]
)
def test_a_greatest_common_divisor_is_no_more_than_its_known_side(
    size: str, widths: list[str]
) -> None:
    """vLLM's kernels are launched with `std::gcd(16 / sizeof(T), n)` elements at a time: 16 of them
    are none of float's."""
    cases = "".join(f"case {n}: k<{n}><<<1, 64>>>(p); break; " for n in (16, 8, 4))
    text = f"template <int N> __global__ void k(int *p) {{ p[0] = N; }} void host(int *p, int n) {{ int v = std::gcd({size}, n); "
    found = program(
        f"{text} switch (v) {{ {cases} default: k<1><<<1, 64>>>(p); }} }}"
    ).host_functions()
    assert sorted(k.template_arguments[0] for f in found for k, _ in launches(f)) == widths


def test_a_class_with_a_conversion_to_a_pointer_is_one_in_arithmetic() -> None:
    """C++ [over.built]: `SharedMemory<float>() + n` (DeepSpeed, CUDA's samples) had lost its
    `n`."""
    text = (
        "struct Shared { __device__ operator float *() { extern __shared__ float s[]; return s; } };\n"
        "__global__ void k(float *o) { float *a = Shared(); float *b = Shared() + blockDim.x;\n"
        "a[threadIdx.x] = 1;\nb[threadIdx.x] = 2;\n__syncthreads();\n"
        "o[threadIdx.x] = a[threadIdx.x ^ 1];\no[threadIdx.x] = *(Shared() + 5); }\n"
        "void host(float *o) { k<<<1, 64, 512>>>(o); }\n"
    )
    (kernel,) = analyse(text).kernels
    found = {a.span.line: (a.index, a.as_compiled) for a in kernel.accesses if a.space == "shared"}
    assert found == {
        3: ("threadIdx.x", None),
        4: ("threadIdx.x + 64", None),
        6: ("threadIdx.x ^ 1", None),
        7: ("5", None),
    }


@pytest.mark.slow
def test_a_table_of_configurations_is_read_with_the_arguments_of_the_call() -> None:
    """As real code has them: one function with a case per type and width, asked through others for
    each of many launches."""
    cases = "\n".join(
        f"if (type == {t} && width == {w}) return Config({t * 32 + 32}, {w});"
        for t in range(30)
        for w in range(8)
    )
    calls = "\n".join(f"run<{t}>({w});" for t in range(30) for w in range(8))
    code = f"""
    __global__ void plain(int n) {{ }}
    struct Config {{
        int threads, width;
        constexpr Config(int threads, int width) : threads(threads), width(width) {{ }}
    }};
    constexpr Config table(int type, int width) {{ {cases} return Config(32, 1); }}
    static Config configuration(const int type, const int width) {{ return table(type, width); }}
    template <int type> void run(const int width) {{
        const Config found = configuration(type, width);
        plain<<<width + 1, found.threads>>>(found.width);
    }}
    int main() {{ {calls} }}"""
    read = program(code)
    (function,) = read.host_functions()
    found = [(launch.grid, launch.block, launch.arguments["n"]) for _, launch in launches(function)]
    assert found == [((w + 1, 1, 1), (t * 32 + 32, 1, 1), w) for t in range(30) for w in range(8)]
    assert not read.problems


@pytest.mark.parametrize(
    "change",
    [
        *(
            "n = 7;",
            "n += 2;",
            "n = 6, n++;",
            "int *p = &n; *p = 7;",
            "grow(n);",
            "int &m = n; m = 7;",
            "in >> n;",
            "[&] { n = 7; }();",
        ),
        "Keeps{n}.set();",
    ],
)
def test_a_parameter_that_changes_is_no_constant(change: str) -> None:
    code = f"""
    struct Stream {{ Stream &operator>>(int &x) {{ x = 7; return *this; }} }};
    struct Keeps {{ int &kept; void set() {{ kept = 7; }} }};
    void grow(int &x) {{ x = 7; }}
    __global__ void plain() {{ }}
    void run(int n) {{
        Stream in;
        {change}
        plain<<<n, 32>>>();
    }}
    int main() {{ run(5); }}"""
    (function,) = program(code).host_functions()
    ((_, launch),) = launches(function)
    assert launch.grid == (7, 1, 1)


def test_instances_that_another_file_makes_are_left_to_it(tmp_path: Path) -> None:
    header = """
template <int N> __global__ void shared_by_many(float *x) { x[threadIdx.x * N] = 1; }
template <int N> void run(float *x) { shared_by_many<N><<<1, 64>>>(x); }
extern template void run<2>(float *);
"""
    (tmp_path / "many.cuh").write_text(header)
    (tmp_path / "user.cu").write_text(
        '#include "many.cuh"\n__global__ void own(float *x) { x[threadIdx.x] = 1; }\n'
        "void go(float *x) { own<<<1, 32>>>(x); }\n"
    )
    (tmp_path / "maker.cu").write_text('#include "many.cuh"\ntemplate void run<2>(float *);\n')
    (tmp_path / "nothing.cu").write_text('#include "many.cuh"\n')

    def launched(name: str) -> set[tuple[str, tuple[str, ...]]]:
        kernels = engine.analyse_source(files.read(str(tmp_path / name)), Settings()).kernels
        return {(k.name, k.template_arguments) for k in kernels if k.launch.in_host_code}

    assert launched("user.cu") == {("own", ())}
    assert launched("maker.cu") == {("shared_by_many", ("2",))}
    assert launched("nothing.cu") == launched("maker.cu")
