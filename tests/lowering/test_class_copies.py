"""Copies of classes whose members differ in size, as nvcc 13 compiles them for sm_90
(`shared_structs` in tests/data/measured/kernels/memory.cu is measured)."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.ir import nodes as ir
from tests.execution.test_execution import access, run
from tests.support.lowered import program

MEMBERS = (  # offsets and widths of the loads of `out[i] = in[i]`
    ("float a; short b; char c, d;", ((0, 4), (4, 2), (6, 2))),
    ("long long a; short b; char c, d;", ((0, 8), (8, 2), (10, 2), (12, 4))),
    ("unsigned short a, b, c; char d, e;", ((0, 2), (2, 2), (4, 2), (6, 2))),
    ("float a; short b, c;", ((0, 4), (4, 4))),
    ("float a; char b;", ((0, 4), (4, 4))),
    ("float a; int b, c;", ((0, 4), (4, 4), (8, 4))),
    ("double a; int b;", ((0, 8), (8, 8))),
    ("char a; int b;", ((0, 4), (4, 4))),
    ("struct { float a; int b; } u; int c;", ((0, 4), (4, 4), (8, 4))),
)


@pytest.mark.parametrize(("members", "split"), MEMBERS)
def test_members_decide_how_a_class_is_loaded(
    members: str, split: tuple[tuple[int, int], ...]
) -> None:
    read = program(
        f"struct T {{ {members} }};\n__global__ void k(const T *in, T *out) {{ out[threadIdx.x] = in[threadIdx.x + 1]; }}"
    )
    body = read.instantiate(read.kernels()[-1], None).body
    assert [s.site.pieces for s in body if isinstance(s, ir.Load)] == [split]


# members and statements; the requests of four warps, None where only bounds are told (behind: what
# nvcc's code takes)
COPIES = (
    ("float a; short b; char c, d;", "out[i] = in[i];", "in[i]", 12),
    (
        "float a; short b; char c, d;",
        "out[i] = in[i];",
        "out[i]",
        None,
    ),  # 8: the halves of the second word are stored together
    (
        "float a, b;",
        "__shared__ __align__(8) T s[64]; s[t] = in[i]; __syncthreads(); out[i] = s[63 - t];",
        "s[t]",
        4,
    ),
    (
        "double a; int b, c;",
        "__shared__ __align__(16) T s[64]; s[t] = in[i]; __syncthreads(); out[i] = s[63 - t];",
        "s[t]",
        None,
    ),  # 8
    (
        "double a; double b;",
        "__shared__ __align__(16) T s[64]; s[t] = in[i]; __syncthreads(); out[i] = s[63 - t];",
        "s[t]",
        4,
    ),
    (
        "char a; int b;",
        "T v = in[i];\nout[i] = v;",
        "in[i]",
        None,
    ),  # 0: it goes to memory at once, on the later line
    ("int a; int b;", "T v = in[i];\nout[i] = v;", "in[i]", 8),
    ("short a[4];", "T v = in[i];\nout[i] = v;", "in[i]", None),  # 0
    ("char a; int b;", "out[i] = in[i];", "in[i]", 8),
    ("float a; short b; unsigned char c[2];", "out[i] = in[i];", "in[i]", None),  # 12
    ("struct { float a; short b; } x[2];", "out[i] = in[i];", "in[i]", None),  # 24
    ("float a; char b;", "out[i] = in[i];", "in[i]", 8),
    ("float a = 1; char b = 2;", "out[i] = in[i];", "in[i]", None),  # 8, of 4 bytes and 1
    (
        "char a; int b;",
        "T s[2]; s[0] = in[i];\ns[1] = in[i + 1];\nout[i] = s[1];\nout[i + 64] = s[0];",
        "in[i + 1]",
        None,
    ),  # 0
)


@pytest.mark.parametrize(("members", "statements", "text", "requests"), COPIES)
def test_members_that_may_go_together_give_bounds(
    members: str, statements: str, text: str, requests: int | None, tmp_path: Path
) -> None:
    kernel = run(
        tmp_path,
        f"""struct T {{ {members} }};
// kernlint: launch(grid=2, block=64)
__global__ void k(const T *in, T *out) {{
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    {statements}
}}
""",
    )
    written = access(kernel, text)
    compiled = written.as_compiled or written
    assert compiled.status == ("range" if requests is None else "exact")
    assert requests is None or compiled.requests == requests
