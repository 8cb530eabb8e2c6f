"""Launches found by running host code: every spelling, wrapped in templates, classes, lambdas and loops."""

from __future__ import annotations

from pathlib import Path

from kernlint.execution.host import launches
from kernlint.lowering.show import show
from tests.lowering import program

SOURCE = (Path(__file__).parent / "data" / "lowering_host.cu").read_text()


def reached() -> list[tuple[str, tuple[int, ...] | None, tuple[int, ...], int | None, dict[str, int]]]:
    read = program(SOURCE)
    found = []
    for function in read.host_functions():
        for kernel, launch in launches(function):
            integers = {name: value for name, value in launch.arguments.items() if isinstance(value, int) and name != "b"}
            found.append((str(kernel), launch.grid, launch.block, launch.dynamic_shared_bytes, integers))
    return found


def test_launches_of_every_spelling() -> None:
    assert reached() == [
        ("kern<float, 64, Twice>", (5, 1, 1), (64, 1, 1), 0, {"n": 300}),  # template wrapper, method, functor
        ("kern<float, 128, Twice>", (3, 1, 1), (128, 1, 1), 0, {"n": 300}),
        ("plain", (8, 1, 1), (128, 1, 1), 64, {}),  # struct returned by a helper; n depends on argv
        ("plain", (1, 1, 1), (1, 1, 1), 0, {"n": 5}),  # overload by pointer type
        ("plain", (2, 2, 1), (32, 2, 1), 0, {"n": 64}),  # class with a constructor and a braced dim3
        ("plain", (64, 1, 1), (128, 1, 1), 0, {"n": 64}),  # range for over a constant array
        ("plain", (128, 1, 1), (256, 1, 1), 0, {"n": 128}),
        ("plain", (1, 1, 1), (32, 1, 1), 0, {"n": 1}),
        ("plain", (2, 1, 1), (32, 2, 1), 0, {"n": 2}),
        ("plain", (4, 1, 1), (32, 4, 1), 0, {"n": 4}),
        ("plain", (3, 1, 1), (32, 1, 1), 128, {}),  # cudaLaunchKernel with void *args[]
        ("plain", (4, 1, 1), (64, 1, 1), 0, {"n": 7}),  # hipLaunchKernelGGL
        ("plain", (1, 1, 1), (32, 1, 1), 0, {"n": 1}),  # switch
        ("plain", (2, 1, 1), (64, 1, 1), 0, {"n": 2}),
        ("apply<lambda at line 29>", (1, 1, 1), (256, 1, 1), 0, {"f.k": 5, "f.m.rows": 10, "f.m.cols": 30}),  # device lambda
        ("kern<float, 7, Twice>", (11, 1, 1), (32, 1, 1), 0, {"n": 9}),  # kernel passed to a generic lambda
        ("plain", (9, 1, 1), (9, 1, 1), 0, {}),
    ]


def test_overloaded_kernels_keep_their_definition() -> None:
    read = program(SOURCE)
    lines = [launch.span for f in read.host_functions() for k, launch in launches(f) if k.template.span.line == 7]
    assert sorted(span.line for span in lines if span is not None) == [21, 27, 32]


def test_captures_of_a_device_lambda_are_parameters() -> None:
    read = program(SOURCE)
    kernel = next(k for f in read.host_functions() for k, _ in launches(f) if k.template.name == "apply")
    assert "store (f.m.data + (long((i.1 * f.k)) * 4))" in show(read.instantiate(kernel.template, kernel.template_arguments), False)


def test_without_main_every_uncalled_function_is_a_root() -> None:
    text = (
        "__global__ void k(int n) {}\n"
        "void inner(int n) { k<<<n, 64>>>(n); }\nvoid outer() { inner(3); }\nvoid other(int n) { k<<<2, n>>>(n); }\n"
    )
    found = program(text).host_functions()
    assert sorted(f.name for f in found) == ["other", "outer"]
    assert [str(k) + str(launch.grid) for f in found for k, launch in launches(f)] == ["k(3, 1, 1)"]


def test_template_arguments_are_spelt_as_the_demangler_spells_them() -> None:
    """An enumerator is a cast: nvcc's symbol demangles to `k<(Layout)1, (ns::Mode)5, 7ul, true>`; numbers stay plain."""
    read = program(
        "enum Layout { A, B }; namespace ns { enum class Mode : unsigned char { X, Y = 5 }; }\n"
        "template <Layout L, ns::Mode M, unsigned long N, bool T> __global__ void k(int *p) { p[0] = N; }\n"
        "int main() { k<B, ns::Mode::Y, 7, true><<<1, 32>>>(nullptr); }\n"
    )
    found = [launch.template_arguments for function in read.host_functions() for _, launch in launches(function)]
    assert found == [("(Layout)1", "(ns::Mode)5", "7", "1")]
