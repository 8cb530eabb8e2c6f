"""Types that nobody gives: what is taken, that it is told, and that no number that rests on it is
exact."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.cli import main
from kernlint.execution.host.launches import launches
from kernlint.ir.types import DOUBLE, FLOAT, HALF, INT, LONG
from kernlint.lowering.types import torch_types
from kernlint.model.facts import Kernel
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source.files import Source
from tests.support.lowered import program


def kernels(text: str) -> list[Kernel]:
    file = engine.analyse_source(Source("test.cu", "cuda", text), Settings())
    return list(file.kernels)


def taken(text: str) -> tuple[str, ...]:
    read = program(text)
    return read.instantiate(read.kernels()[-1], None).notes


@pytest.mark.parametrize(
    ("body", "notes"),
    [
        ("T v = p[threadIdx.x]; p[threadIdx.x] = v * v;", ("T is float",)),
        ("p[threadIdx.x] = q[p[0]];", ("T is int",)),
        ("T i = threadIdx.x; q[0] = i;", ("T is int",)),
        ("for (T i = 0; i < 4; i++) q[i] = 0;", ("T is int",)),
        ("T v = p[0]; q[0] = v % 3;", ("T is int",)),
        ("T v = p[0]; if (v != -1) q[0] = 1;", ("T is int",)),
        ("T v = p[0]; if (v != 0) q[int(v * 2)] = 1;", ("T is float",)),
        ("q[0] = p[0].x;", ()),
        ("typename T::value_type v; q[0] = 1;", ()),
        ("T op; q[0] = op(1);", ()),
    ],
)
def test_what_a_type_nobody_gives_is_taken_to_be_follows_from_its_use(
    body: str, notes: tuple[str, ...]
) -> None:
    assert taken(f"template <typename T> __global__ void k(T *p, int *q) {{ {body} }}") == notes


def test_a_type_handed_to_a_template_is_taken_as_that_template_uses_it() -> None:
    text = """
    template <typename I, typename V> __global__ void k(const I *at, V *out) { out[at[threadIdx.x]] = 0; }
    template <typename A, typename B> void go(const A *at, B *out) { k<A, B><<<1, 32>>>(at, out); }
    """
    ((kernel, launch),) = [one for f in program(text).host_functions() for one in launches(f)]
    assert (str(kernel), launch.assumptions) == ("k<int, float>", ("A is int", "B is float"))


def test_what_rests_on_a_taken_type_is_told_and_never_exact() -> None:
    text = """
    template <typename T> __global__ void k(T *out) { out[threadIdx.x] = 0; }
    template <typename T> void go(T *out) { k<T><<<1, 32>>>(out); }
    """
    (found,) = kernels(text)
    assert found.assumptions == ("T is float",)
    assert [(a.bytes, a.status, a.sectors.mean) for a in found.accesses if a.sectors] == [
        (4, "range", 4.0)
    ]
    (given,) = kernels("// kernlint: launch(kernel=k<double>, grid=1, block=32)\n" + text)
    assert [(a.bytes, a.status, a.sectors.mean) for a in given.accesses if a.sectors] == [
        (8, "exact", 8.0)
    ]
    assert given.assumptions == ()


DISPATCHED = """
template <typename scalar_t> __global__ void k(scalar_t *out) {{ out[threadIdx.x] = 0; }}
void go(at::Tensor t) {{ {} }}
"""


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        (
            'AT_DISPATCH_FLOATING_TYPES(t.type(), "k", [&] { k<scalar_t><<<8, 64>>>(t.data_ptr<scalar_t>()); });',
            "k<float>",
        ),
        (
            'AT_DISPATCH_INDEX_TYPES(t.type(), "k", [&] { k<index_t><<<8, 64>>>(t.data_ptr<index_t>()); });',
            "k<int>",
        ),
        (
            'THO_DISPATCH_SWITCH(t.type(), "k", THO_DISPATCH_CASE(at::ScalarType::BFloat16, [&] { k<scalar_t><<<8, 64>>>(t.p()); })'
            " THO_DISPATCH_CASE(at::ScalarType::Float, [&] { k<scalar_t><<<8, 64>>>(t.p()); }));",
            "k<c10::BFloat16>",
        ),
        (
            'THO_DISPATCH_SWITCH(t.type(), "k", THO_PRIVATE_CASE_TYPE_USING_HINT(at::ScalarType::Float8_e4m3fn, fp8_t, '
            "[&] { k<fp8_t><<<8, 64>>>(t.p()); }));",
            "k<c10::Float8_e4m3fn>",
        ),
    ],
)
def test_a_dispatching_macro_runs_its_lambda_for_one_type(statement: str, name: str) -> None:
    ((kernel, launch),) = [
        one for f in program(DISPATCHED.format(statement)).host_functions() for one in launches(f)
    ]
    assert (str(kernel), launch.grid, launch.block) == (name, (8, 1, 1), (64, 1, 1))
    assert [note.partition(" is ")[2] for note in launch.assumptions] == [name[2:-1]]


BOTH = ["float", "c10::Half", "c10::BFloat16"]


@pytest.mark.parametrize(
    ("macro", "types"),
    [
        ("AT_DISPATCH_FLOATING_TYPES_AND_HALF(t.type(), ", BOTH[:2]),
        ("AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::kBFloat16, t.type(), ", BOTH),
        ("AT_DISPATCH_FLOATING_TYPES_AND(at::kBFloat16, t.type(), ", [BOTH[0], BOTH[2]]),
        ("AT_DISPATCH_ALL_TYPES_AND2(at::kHalf, at::kBFloat16, t.type(), ", BOTH),
        ("AT_DISPATCH_REDUCED_FLOATING_TYPES(t.type(), ", BOTH[1:]),
        ("DISPATCH_FLOAT_HALF_AND_BFLOAT(t.type(), ", BOTH),
        ("DISPATCH_HALF_AND_BFLOAT(t.type(), ", BOTH[1:]),
        ("AT_DISPATCH_INTEGRAL_TYPES(t.type(), ", ["int"]),
    ],
)
def test_a_dispatching_macro_runs_its_lambda_for_the_types_it_names(
    macro: str, types: list[str]
) -> None:
    statement = f'{macro}"k", [&] {{ k<scalar_t><<<8, 64>>>(t.p()); }});'
    found = [
        (str(kernel), launch.assumptions)
        for f in program(DISPATCHED.format(statement)).host_functions()
        for kernel, launch in launches(f)
    ]
    assert found == [(f"k<{t}>", (f"scalar_t is {t}",)) for t in types]


@pytest.mark.slow
def test_instances_that_differ_in_the_type_alone_are_shown_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    macro = "AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, t.type(), "
    statement = f'{macro}"k", [&] {{ k<scalar_t><<<8, 64>>>(t.p()); }});'
    (tmp_path / "k.cu").write_text(DISPATCHED.format(statement))
    main.main(["report", str(tmp_path / "k.cu"), "--no-cache"])
    text = capsys.readouterr().out
    assert "k<c10::Half> or k<c10::BFloat16>  lines 2-2" in text
    assert "assuming scalar_t is c10::Half or c10::BFloat16" in text
    assert text.count("out[threadIdx.x]") == 2


def test_a_launch_without_dispatch_beside_one_assumes_nothing() -> None:
    statement = 'k<double><<<1, 32>>>(0); AT_DISPATCH_FLOATING_TYPES(t.type(), "k", [&] { k<scalar_t><<<8, 64>>>(0); });'
    found = [
        (str(k), one.assumptions)
        for f in program(DISPATCHED.format(statement)).host_functions()
        for k, one in launches(f)
    ]
    assert found == [("k<double>", ()), ("k<float>", ("scalar_t is float",))]


def test_a_launch_with_an_argument_of_a_class_nobody_defines_is_followed() -> None:
    text = """
    template <int N, typename S, typename T> __global__ void k(const at::Accessor<S, 2> a, T *out) { out[threadIdx.x * N] = 0; }
    void go(at::Tensor t, double *out) { k<4><<<3, 96>>>(t.accessor<int, 2>(), out); }
    """
    ((kernel, launch),) = [one for f in program(text).host_functions() for one in launches(f)]
    assert (str(kernel), launch.grid, launch.block) == ("k<4, S, double>", (3, 1, 1), (96, 1, 1))


def test_specialisations_of_a_class_template_that_is_only_declared() -> None:
    text = """
    template <typename T> struct Three;
    template <> struct Three<float> { using type = float3; };
    template <typename T> __global__ void k(typename Three<T>::type *out) { out[threadIdx.x].x = 0; }
    void go(float3 *out) { k<float><<<1, 32>>>(out); }
    """
    (found,) = kernels(text)
    assert [(a.bytes, a.status, a.sectors.mean) for a in found.accesses if a.sectors] == [
        (4, "exact", 12.0)
    ]


def test_types_of_headers_that_are_never_seen_have_their_sizes() -> None:
    sizes = {
        name: found.size
        for name in ("c10::Half", "at::BFloat16", "torch::Half")
        if (found := torch_types.torch_type(name))
    }
    assert sizes == {"c10::Half": 2, "at::BFloat16": 2, "torch::Half": 2}
    assert torch_types.torch_type("Half") is None and torch_types.torch_type("other::Half") is None
    assert [torch_types.accumulated(t) for t in (HALF, FLOAT, DOUBLE, INT)] == [
        FLOAT,
        FLOAT,
        DOUBLE,
        LONG,
    ]
    three, square = torch_types.glm_type("vec", (3, FLOAT)), torch_types.glm_type("dmat3")
    assert three is not None and (three.size, three.align) == (12, 4)
    assert square is not None and (square.size, square.align) == (72, 8)


MANY = "template <typename T, int V> __global__ void k(T *p) {{ p[V * threadIdx.x] = 1; }}\nvoid go(float *p, int n, int v) {{ {} }}"


def test_a_launch_of_unknown_size_still_says_which_instance_runs() -> None:
    found = kernels(
        MANY.format(
            "switch (v) { case 4: k<float, 4><<<64, n>>>(p); break; case 8: k<double, 8><<<64, n>>>((double *)p); }"
        )
    )
    assert [(k.template_arguments, k.launch.grid, k.launch.block_assumed) for k in found] == [
        (("float", "4"), None, True),
        (("double", "8"), None, True),
    ]
    assert {a.status for k in found for a in k.accesses} == {"range"}


def test_a_case_of_a_switch_says_what_its_value_is() -> None:
    (found,) = kernels(MANY.format("switch (n) { case 4: k<float, 4><<<64, n>>>(p); }"))
    assert (found.launch.grid, found.launch.block) == ((64, 1, 1), (4, 1, 1))
    assert not found.launch.block_assumed


def test_a_launch_of_known_size_comes_before_those_of_unknown_size() -> None:
    (found,) = kernels(MANY.format("k<float, 4><<<64, n>>>(p); k<float, 2><<<64, 32>>>(p);"))
    assert (found.template_arguments, found.launch.grid) == (("float", "2"), (64, 1, 1))


def test_many_instances_of_unknown_size_are_not_dropped_silently() -> None:
    text = MANY.format(" ".join(f"k<float, {v}><<<64, n>>>(p);" for v in range(1, 8)))
    file = engine.analyse_source(Source("test.cu", "cuda", text), Settings())
    assert [k.template_arguments[1] for k in file.kernels] == ["1", "2", "3", "4"]
    assert "3 more instances of `k` not analysed" in "".join(p.message for p in file.problems)


def test_a_name_that_stands_for_several_variables_says_nothing_of_their_types() -> None:
    text = """
    struct Pair { float a, b; };
    template <typename T> __global__ void k(T *p, Pair *q) {
        if (p) { Pair x = q[0]; q[1].a = x.a; } else { T x = p[0]; p[1] = x; }
    }
    """
    assert taken(text) == ("T is float",)


def test_the_bfloat16_of_amd_headers_has_two_bytes() -> None:
    body = "p[threadIdx.x] = p[0]; q[2 * threadIdx.x] = q[0];"
    (found,) = kernels(
        f"// kernlint: launch(grid=1, block=32)\n__global__ void k(__hip_bfloat16 *p, __bf16 *q) {{ {body} }}"
    )
    assert [
        (a.text, a.bytes, a.sectors.mean) for a in found.accesses if a.op == "store" and a.sectors
    ] == [
        ("p[threadIdx.x]", 2, 2.0),
        ("q[2 * threadIdx.x]", 2, 4.0),
    ]
