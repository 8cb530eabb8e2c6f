"""Kernels of a header are analysed once for all files that begin with it and only instantiate, and
every file tells what it tells alone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest

from kernlint.memo import header_kernels, json_codec, protocol
from kernlint.model import facts
from kernlint.model.settings import LaunchOverrides, Settings
from kernlint.pipeline import engine
from kernlint.source import files
from kernlint.source.preprocessor import include_prefix

pytestmark = pytest.mark.slow

LONG = "".join(
    f"struct T{i} {{ int a, b; }};\n" for i in range(80)
)  # more tokens than carried.LEAST
HEADER = f"""{LONG}
template <int N> struct Width {{ static constexpr int of = N; }};
template <int N> __device__ int at(int i) {{ return i * Width<N>::of; }}
template <int N> __global__ void strided(float *x) {{ x[at<N>(threadIdx.x)] = 1; }}
template <int N> __global__ void alone(float *x) {{
#pragma unroll STEPS
    for (int i = 0; i < 4; i++) x[N * threadIdx.x + i] = 1;
}}
__global__ void plain(float *x) {{ x[3 * threadIdx.x] = missing(x); }}
template <int N> void go(float *x) {{ strided<N><<<4, 64>>>(x); plain<<<2, 64>>>(x); }}
extern template void go<1>(float *);
extern template void go<2>(float *);
extern template __global__ void alone<5>(float *);
"""
FILES = {
    "one.cu": '#include "kernels.cuh"\ntemplate void go<1>(float *);\n',
    "two.cu": '// another\n#include "kernels.cuh"\n\ntemplate void go<2>(float *);\n',
    "same.cu": '#include "kernels.cuh"\n;template void go<1>(float *);\ntemplate struct Width<3>;\n',
    "kernel.cu": '#include "kernels.cuh"\ntemplate __global__ void alone<7>(float *);\n',
    "steps.cu": '#include "kernels.cuh"\n#define STEPS 2\ntemplate void go<1>(float *);\n',
    "said.cu": '#include "kernels.cuh"\n// kernlint: assume plain(x % 4 == 0)\ntemplate void go<1>(float *);\n',
    "more.cu": '#include "kernels.cuh"\ntemplate <> struct Width<1> { static constexpr int of = 9; };\ntemplate void go<1>(float *);\n',
    "define.cu": '#include "kernels.cuh"\n__device__ float missing(float *x) { return x[8]; }\ntemplate void go<1>(float *);\n',
    "nothing.cu": '#include "kernels.cuh"\n',
}


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "kernels.cuh").write_text(HEADER)
    os.utime(tmp_path / "kernels.cuh", (1_000_000, 1_000_000))
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    forget()
    yield tmp_path
    forget()


def forget() -> None:
    include_prefix.forget()
    header_kernels.forget()


def analysed(path: Path, settings: Settings | None = None) -> facts.File:
    return engine.analyse_source(files.read(str(path)), settings or Settings())


def test_every_file_tells_what_it_tells_alone_in_whatever_order(folder: Path) -> None:
    alone, seen = {}, {}
    for name in FILES:
        forget()
        alone[name] = json_codec.encode(analysed(folder / name))
        seen[name] = repr(
            [
                (k.name, k.launch.block, a.sectors)
                for k in json_codec.decode(alone[name]).kernels
                for a in k.accesses
            ]
        )
    assert len(set(seen.values())) >= 4 and seen["one.cu"] == seen["same.cu"]
    for order in list(permutations(FILES))[:: 40_321 * 2]:
        forget()
        for name in order:
            assert json_codec.encode(analysed(folder / name)) == alone[name], (name, order)


@pytest.mark.parametrize(
    ("first", "second", "worked"),
    [
        ("one.cu", "same.cu", 0),  # everything is known
        ("one.cu", "two.cu", 1),  # another instance of the launched kernel
        (
            "one.cu",
            "kernel.cu",
            3,
        ),  # its own instance, and the two that are said to be made elsewhere
        ("one.cu", "nothing.cu", 4),  # no instantiation: nothing is carried over
        ("one.cu", "more.cu", 3),  # a specialisation
        ("one.cu", "define.cu", 3),  # a function that the header calls
        ("one.cu", "steps.cu", 3),  # a macro that a pragma of the header may name
        ("more.cu", "one.cu", 3),
    ],
)
def test_what_is_known_is_not_worked_out_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch, first: str, second: str, worked: int
) -> None:
    from kernlint.execution import run

    analysed(folder / first)
    header_kernels.forget()
    execute, calls = run.execute, []

    def counted(*arguments: object) -> object:
        calls.append(arguments)
        return execute(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(run, "execute", counted)
    analysed(folder / second)
    assert len(calls) == worked


def test_other_settings_are_another_analysis(folder: Path) -> None:
    analysed(folder / "one.cu")
    wide = replace(Settings(), launch=LaunchOverrides(block=(96, 1, 1)))
    assert {kernel.launch.block for kernel in analysed(folder / "one.cu", wide).kernels} == {
        (96, 1, 1)
    }


def test_what_the_clock_stopped_is_tried_again_with_more_time_only(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every analysis of a kernel is as if it took the steps of three seconds."""
    from kernlint.base import deadline

    began: list[str] = []

    def slow(*arguments: object) -> protocol.Outcome:
        kernel = arguments[3]
        began.append(kernel.name)  # type: ignore[attr-defined]
        if deadline.left() < 3 * deadline.STEPS:
            deadline.stopped()
            problem = engine.attempt(stop, kernel.span, kernel.name, found := [])  # type: ignore[attr-defined]
            return protocol.Outcome((), (*found, *filter(None, [problem])), ())
        return protocol.Outcome((), (), ())

    def stop() -> None:
        raise deadline.OutOfTime

    monkeypatch.setattr(engine, "_executed", slow)
    short, longer = replace(Settings(), timeout=2.0), replace(Settings(), timeout=60.0)
    stopped = analysed(folder / "one.cu", short)
    assert stopped.unfinished and len(began) == 6  # each in the first round and in the second
    again = analysed(folder / "same.cu", short)
    assert (
        again.unfinished
        and len(began) == 6
        and [p.message for p in again.problems] == [p.message for p in stopped.problems]
    )
    assert not analysed(folder / "one.cu", longer).unfinished and len(began) == 9


BESIDE = {
    "kernels.cuh": "template <int N> __global__ void wide(int *x, int n) { STEP if (threadIdx.x < n) x[N * threadIdx.x] = 1; }\n",
    "one.cu": '#define STEP\n#include "kernels.cuh"\nvoid f(int *x, int n) { wide<2><<<4, 64>>>(x, n); }\n',
    "later.cu": '#define STEP\n\n#include "kernels.cuh"\n__device__ int y;\n\nvoid g(int *x, int n) { wide<2><<<4, 64>>>(x, n); }\n',
    "other.cu": '#define STEP\n#include "kernels.cuh"\nvoid f(int *x, int n) { wide<2><<<4, 96>>>(x, n); wide<3><<<4, 64>>>(x, n); }\n',
    "step.cu": '#define STEP x += n;\n#include "kernels.cuh"\nvoid f(int *x, int n) { wide<2><<<4, 64>>>(x, n); }\n',
}


def test_a_kernel_of_a_header_is_executed_once_for_all_files_that_lower_it_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kernlint.execution import run

    forget()
    for name, text in BESIDE.items():
        (tmp_path / name).write_text(text)
    execute, calls = run.execute, []
    monkeypatch.setattr(run, "execute", lambda *words: calls.append(words) or execute(*words))
    alone = {}
    for name in BESIDE:
        forget()
        alone[name] = json_codec.encode(analysed(tmp_path / name))
    for order in permutations(BESIDE):
        forget()
        calls.clear()
        for name in order:
            assert json_codec.encode(analysed(tmp_path / name)) == alone[name], (name, order)
        assert (
            len(calls) == 5
        )  # the header alone, one.cu and later.cu together, two of other.cu, step.cu
    forget()


def test_an_execution_that_the_clock_stopped_is_tried_again_with_more_time_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kernlint.base import deadline
    from kernlint.execution import run

    forget()
    for name, text in BESIDE.items():
        (tmp_path / name).write_text(text)
    execute, calls = run.execute, []

    def slow(*words: object) -> facts.Kernel:
        calls.append(words)
        if deadline.left() < 3 * deadline.STEPS:
            deadline.stopped()
            raise deadline.OutOfTime
        return execute(*words)  # type: ignore[arg-type]

    monkeypatch.setattr(run, "execute", slow)
    short, longer = replace(Settings(), timeout=2.0), replace(Settings(), timeout=60.0)
    for count, name, settings in (
        (1, "one.cu", short),
        (1, "later.cu", short),
        (2, "later.cu", longer),
        (2, "one.cu", longer),
    ):
        found = analysed(tmp_path / name, settings)
        assert (
            len(calls) == count
            and found.unfinished == (settings is short)
            and bool(found.kernels) == (settings is longer)
        )
    forget()


def test_a_lambda_is_named_by_the_line_that_it_is_on_in_each_file(tmp_path: Path) -> None:
    """The kernel of the header is lowered to the same but for a type's name, which holds the line
    of the lambda."""
    (tmp_path / "kernel.cuh").write_text(
        "__global__ void k(Missing<decltype(twice)> *x, const int *y) { x[threadIdx.x] = y[threadIdx.x]; }\n"
        "void go() { k<<<1, 32>>>(nullptr, nullptr); }\n"
    )
    told = []
    for name, above in (("one.cu", ""), ("two.cu", "\n\n")):
        text = f'{above}auto twice = [] __device__ (int i) {{ return 2 * i; }};\n#include "kernel.cuh"\n'
        (tmp_path / name).write_text(text)
        told.append(
            next(
                access.detail
                for kernel in analysed(tmp_path / name).kernels
                for access in kernel.accesses
            )
        )
    assert told == ["`Missing<lambda at line 1>`", "`Missing<lambda at line 3>`"]
