"""ElementwiseKernel and ReductionKernel: the library's loop around the user's words, every access
at its place in the host file."""

from __future__ import annotations

import textwrap

import pytest

from kernlint.model import facts
from tests.launches.test_embedded import access, analysed, kernels, quoted

CUPY = """import cupy as cp
gather = cp.ElementwiseKernel(
    'float64 s, raw T x, int32 k', 'T y, raw int8 flags',
    '''
    y = x[i * 32] + x[x.size() - 1] * s;
    flags[i] = k;
    ''', 'gather')
"""


def sectors(file: facts.File, text: str) -> float:
    found = access(file, text)
    assert found.sectors is not None and found.status == "range"  # the grid is not known
    return found.sectors.mean


def test_cupy_elementwise() -> None:
    file = analysed(CUPY)
    (kernel,) = file.kernels
    assert (kernel.name, kernel.launch.block, kernel.launch.grid) == (
        "gather",
        (128, 1, 1),
        None,
    ) and not file.problems
    for text, bytes_, count in (
        ("float64 s", 8, 8),
        ("int32 k", 4, 4),
        ("x[i * 32]", 4, 32),
        ("flags[i]", 1, 1),
        ("y", 4, 4),
    ):
        assert (access(file, text).element_bytes, sectors(file, text)) == (bytes_, count)
        assert quoted(CUPY, access(file, text).span) == text
    assert (
        access(file, "x[x.size() - 1]").sectors is not None
        and sectors(file, "x[x.size() - 1]") == 1
    )
    assert {"T is float", "every parameter is a contiguous array"} <= {
        a.removeprefix("assuming ") for a in kernel.assumptions
    }


def test_cupy_parts_around_the_loop() -> None:
    file = analysed(
        textwrap.dedent("""
        from cupy import ElementwiseKernel as E
        k = E(in_params='raw float32 x', out_params='raw float32 y', operation='total += twice(x[i * 2])', name='k',
              preamble='__device__ float twice(float v) { return 2 * v; }', loop_prep='float total = 0',
              after_loop='y[threadIdx.x * 4] = total')
        """)
    )
    assert (
        not file.problems
        and sectors(file, "x[i * 2]") == 8
        and sectors(file, "y[threadIdx.x * 4]") == 16
    )


@pytest.mark.parametrize("name", ["T x, raw T a", "T a, raw T b"])
def test_cupy_reduction(name: str) -> None:
    raw = name[-1]
    text = f"import cupy\nr = cupy.ReductionKernel('{name}', 'T y', '{name[2]} * {raw}[i * 2]', 'a + b', 'y = sqrt(a)', '0', 'norm')\n"
    file = analysed(text)
    assert (
        kernels(file) == ["norm"]
        and not file.problems
        and file.kernels[0].launch.block == (512, 1, 1)
    )
    assert sectors(file, f"{raw}[i * 2]") == 8 and sectors(file, f"T {name[2]}") == 4


def test_pycuda_and_pyopencl() -> None:
    pycuda = """import numpy as np
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
lin = ElementwiseKernel("float a, float *x, float *z", "z[i] = a*x[i*2]", "linear_combination")
dot = ReductionKernel(np.float32, neutral="0", reduce_expr="a+b", map_expr="p[i]*q[i*4]", arguments="float *p, float *q")
"""
    file = analysed(pycuda)
    assert kernels(file) == ["linear_combination", "kernel"] and not file.problems
    assert [sectors(file, t) for t in ("x[i*2]", "z[i]", "p[i]", "q[i*4]")] == [8, 4, 4, 16]
    assert quoted(pycuda, access(file, "q[i*4]").span) == "q[i*4]"
    opencl = """import pyopencl as cl
from pyopencl.elementwise import ElementwiseKernel
k = ElementwiseKernel(ctx, "float a, double *x, __global const float *y, float *z", "z[i] = a*x[i*2] + y[i]", "k")
"""
    file = analysed(opencl)
    assert kernels(file) == ["k"] and not file.problems
    assert [(sectors(file, t), access(file, t).space) for t in ("x[i*2]", "y[i]", "z[i]")] == [
        (16, "global"),
        (4, "global"),
        (4, "global"),
    ]


@pytest.mark.parametrize(
    "words",
    [
        "types, 'T y', 'y = x', 'k'",
        "'T x', 'T y', f'y = x * {scale}', 'k'",
        "'T', 'T y', 'y = 1', 'k'",
        "'T x', 'T y', 'y = (x', 'k'",
    ],
)
def test_what_cannot_be_read_is_told(words: str) -> None:
    file = analysed(f"import cupy\nk = cupy.ElementwiseKernel({words})\n")
    assert (
        not file.kernels
        and file.problems
        and all(problem.span.path == "host.py" for problem in file.problems)
    )


@pytest.mark.parametrize(
    "words",
    [
        "",
        "'T x'",
        "*a",
        "'', '', ''",
        "1, 2, 3",
        "'T x', 'T y', 'y = x', name",
        "'T x', '', 'x', '', 'a'",
    ],
)
def test_odd_calls_never_raise(words: str) -> None:
    for library in ("cupy", "pycuda", "pyopencl", "other"):
        for kind in ("ElementwiseKernel", "ReductionKernel"):
            file = analysed(f"import {library}\nk = {library}.{kind}({words})\n")
            assert not any("internal error" in problem.message for problem in file.problems)
