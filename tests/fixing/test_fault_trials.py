"""Edits against faults and races: made where the text surely allows it, offered only where the
analysis of the edited file finds the fault gone."""

from __future__ import annotations

import pytest

from kernlint.checks.run import check
from kernlint.fixing.objections import held_back
from kernlint.model.finding import Finding
from kernlint.model.settings import Selection, Settings
from kernlint.pipeline import engine
from kernlint.source import files
from kernlint.source.edits import applied

HEAD = "// kernlint: launch(grid=64, block=256)\n__global__ void k(float *x)\n"
OPENING = "    __shared__ float s[256];\n    int t = threadIdx.x, i = blockIdx.x * 256 + t;\n"


def offered(text: str, name: str = "k.cu") -> list[Finding]:
    """The findings of the family with the edits that are offered."""
    source = files.from_bytes(name, text.encode())
    report = engine.analyse((), Settings(), stdin=source)
    findings = check(report, Selection(select=("KL8",)))
    assert findings, "there is something to fix"
    return list(held_back(findings, source, Settings(), report.files[0]))


def fixed(text: str, name: str = "k.cu") -> str | None:
    """The text with all edits that are offered; None where there are none."""
    edits = [edit for finding in offered(text, name) if finding.fix for edit in finding.fix.edits]
    return applied(text, edits) if edits else None


def kernel(*lines: str) -> str:
    return HEAD + "{\n" + OPENING + "".join(f"    {line}\n" for line in lines) + "}\n"


@pytest.mark.parametrize(
    ("lines", "at", "barrier"),
    [
        (["s[t] = x[i];", "x[i] = s[255 - t];"], 1, "__syncthreads();"),
        (["s[t] = x[i];", "// turned", "x[i] = s[255 - t];"], 1, "__syncthreads();"),
        (["s[t] = x[i];", "if (t < 200) x[i] = s[t + 50];"], 1, "__syncthreads();"),
        (
            [
                "s[t] = x[i];",
                "#pragma unroll",
                "for (int j = 0; j < 4; ++j)",
                "    x[i] += s[(t + j * 64) % 256];",
            ],
            1,
            "__syncthreads();",
        ),
        (["s[t] = x[i];", "x[i] = s[t ^ 1];"], 1, "__syncwarp();"),
    ],
)
def test_a_barrier_between_two_statements(lines: list[str], at: int, barrier: str) -> None:
    assert fixed(kernel(*lines)) == kernel(*lines[:at], barrier, *lines[at:])


@pytest.mark.slow
def test_a_barrier_at_the_end_of_a_loop() -> None:
    before = [
        "float sum = 0;",
        "for (int k = 0; k < 16; ++k) {",
        "    s[t] = x[k * 256 + t];",
        "    __syncthreads();",
        "    for (int j = 0; j < 4; ++j) sum += s[(t + 64 * j) % 256];",
        "}",
        "x[i + 4096] = sum;",
    ]
    (finding,) = offered(kernel(*before))
    assert (
        "`s[t]` writes an element of `s` that another thread reads on line 10 of the previous"
        in finding.message
    )
    assert "at the end of the body of the loop on line 7" in finding.help
    assert fixed(kernel(*before)) == kernel(*before[:5], "    __syncthreads();", *before[5:])


@pytest.mark.parametrize(
    ("statement", "value"),
    [
        ("s[t] = s[(t + 1) % 256] + 1.0f;", "s[(t + 1) % 256] + 1.0f"),
        ("s[t] += s[(t + 64) % 256] - 1.0f;", "s[t] + (s[(t + 64) % 256] - 1.0f)"),
    ],
)
def test_a_shift_in_place_reads_first(statement: str, value: str) -> None:
    before = ["s[t] = x[i];", "__syncthreads();", statement, "__syncthreads();", "x[i] = s[t];"]
    middle = [f"float next = {value};", "__syncthreads();", "s[t] = next;"]
    assert fixed(kernel(*before)) == kernel(*before[:2], *middle, *before[3:])


def test_opencl_gets_its_own_barrier() -> None:
    text = """\
// kernlint: launch(grid=64, block=256)
__kernel void k(__global float *x)
{
    __local float s[256];
    int t = get_local_id(0), i = get_global_id(0);
    s[t] = x[i];
    x[i] = s[255 - t];
}
"""
    last = "    x[i] = s[255 - t];\n"
    assert fixed(text, "k.cl") == text.replace(last, f"    barrier(CLK_LOCAL_MEM_FENCE);\n{last}")


@pytest.mark.parametrize(
    "lines",
    [
        # only some threads would reach it
        ["if (t < 128) {", "    s[t] = x[i];", "    x[i] = s[127 - t];", "}"],
        # within one statement that only some threads execute
        ["s[t] = x[i];", "__syncthreads();", "if (t < 255) s[t] = s[t + 1];"],
        # the loop has no braces
        ["for (int j = 0; j < 8; ++j)", "    if (t > j) s[t] = s[t - 1] + j; else s[t] = j;"],
        # what the preprocessor chooses
        ["#if 1", "s[t] = x[i];", "#endif", "x[i] = s[255 - t];"],
        # a label of a switch
        ["switch (blockIdx.x) {", "case 0: s[t] = x[i];", "default: x[i] = s[255 - t];", "}"],
    ],
)
def test_no_barrier_where_it_would_not_help(lines: list[str]) -> None:
    assert fixed(kernel(*lines)) is None


BYTES = """\
__global__ void k(float *x)
{{
    extern __shared__ float s[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = x[i];
    if (t == 0) s[blockDim.x] = 0.0f;
    __syncthreads();
    x[i] = s[t + 1];
}}

void run(float *x, int n)
{{
    {declared}
    k<<<{arguments}>>>(x);
}}
"""


@pytest.mark.parametrize(
    ("declared", "arguments", "expected"),
    [
        ("", "64, 256", "64, 256, 257 * sizeof(float)"),
        ("const int block = 256;", "64, block", "64, block, (block + 1) * sizeof(float)"),
        (
            "const int block = 256;",
            "64, block, block * sizeof(float), 0",
            "64, block, (block + 1) * sizeof(float), 0",
        ),
        (
            "const int block = 256;",
            "64, block, block + 1",
            "64, block, (block + 1) * sizeof(float)",
        ),
        ("dim3 block(256);", "64, block", "64, block, 257 * sizeof(float)"),
    ],
)
def test_the_bytes_of_a_launch(declared: str, arguments: str, expected: str) -> None:
    text = BYTES.format(declared=declared, arguments=arguments)
    assert fixed(text) == text.replace(f"<<<{arguments}>>>", f"<<<{expected}>>>")


ALLOCATED = """\
#include <cuda_runtime.h>

__global__ void k(float *y, const float *x, int n)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    {statement}
}}

int main()
{{
    float *x, *y;
    const int n = 1000;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    k<<<(n + 255) / 256, 256>>>(y, x, n);
}}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("y[i] = 2.0f * x[i];", "if (i < n) y[i] = 2.0f * x[i];"),
        ("if (i <= n) y[i] = 1.0f;", "if (i < n) y[i] = 1.0f;"),
        ("if (i < n || n > 3) y[i] = 1.0f;", "if ((i < n || n > 3) && i < n) y[i] = 1.0f;"),
        ("if (i > 3) y[i] = 1.0f;", "if (i > 3 && i < n) y[i] = 1.0f;"),
        ("if (i < n) y[i] = x[i - 1];", "if (i < n && i - 1 >= 0) y[i] = x[i - 1];"),
        ("atomicAdd(&y[i], 1.0f);", "if (i < n) atomicAdd(&y[i], 1.0f);"),
        # its value is used further on
        ("float v = x[i]; if (i < n) y[i] = v;", None),
        # an `else` would belong to the new `if`
        ("if (i > 3) y[i] = 1.0f; else y[i] = 2.0f;", None),
        # the index changes something
        ("y[i++] = 1.0f;", None),
    ],
)
def test_a_guard(statement: str, expected: str | None) -> None:
    text = ALLOCATED.format(statement=statement)
    wanted = None if expected is None else ALLOCATED.format(statement=expected)
    assert fixed(text) == wanted


def test_a_guard_for_an_array_of_known_extent() -> None:
    before = ["s[t] = x[i];", "__syncthreads();", "x[i] = s[t + 1];"]
    after = [*before[:2], "if (t + 1 < 256) x[i] = s[t + 1];"]
    assert fixed(kernel(*before)) == kernel(*after)


@pytest.mark.parametrize("index", ["N", "256", "N + 1", "t * 0 + N"])
def test_no_guard_where_all_threads_have_one_index(index: str) -> None:
    """`N < N` keeps out every thread."""
    text = ALLOCATED.format(
        statement=f"""const int N = 256, t = threadIdx.x;
    __shared__ float s[N];
    s[t] = 1.0f;
    __syncthreads();
    if (t == 0) y[blockIdx.x] = s[{index}];"""
    )
    (finding,) = [finding for finding in offered(text) if finding.code == "KL801"]
    assert finding.fix is None
    assert finding.help == "the index is the same in all threads: correct it, or enlarge `s`"
    assert not any("does not keep" in note for note in finding.notes)


@pytest.mark.parametrize("combined", ["", "+= "])
def test_no_guard_around_what_fills_shared_memory(combined: str) -> None:
    """The threads kept out would leave their elements without a value."""
    text = ALLOCATED.format(
        statement=f"""__shared__ float s[256];
    {"s[threadIdx.x] = 0.0f;" if combined else ""}
    s[threadIdx.x] {combined or "= "}x[i];
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {{
        if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }}
    if (threadIdx.x == 0) y[blockIdx.x] = s[0];"""
    )
    (finding,) = [finding for finding in offered(text) if finding.code == "KL804"]
    assert finding.fix is None


def test_an_edit_that_makes_another_fault_is_not_offered() -> None:
    """A guard around the store would leave elements that are read without a value."""
    text = ALLOCATED.format(
        statement="""__shared__ float s[256];
    s[threadIdx.x] = x[i];
    __syncthreads();
    if (i < n) y[i] = s[255 - threadIdx.x];"""
    )
    (finding,) = offered(text)
    assert finding.code == "KL804" and finding.fix is None


def test_kernels_in_strings_of_lines_are_left_alone() -> None:
    lines = kernel("s[t] = x[i];", "x[i] = s[255 - t];").splitlines()
    quoted = "\n".join(f'"{line}\\n"' for line in lines)
    assert fixed(f"const char *source =\n{quoted};\n") is None


def test_a_barrier_between_two_statements_of_one_line() -> None:
    before = kernel("s[t] = x[i]; x[i] = s[255 - t];")
    after = fixed(before)
    assert after is not None
    assert " ".join(after.split()) == " ".join(
        before.replace("x[i]; x", "x[i]; __syncthreads(); x").split()
    )


def test_an_edit_that_leaves_as_many_faults_is_not_offered() -> None:
    """It may move the line of what it leaves."""
    code = kernel("{ s[t] = x[i]; if (t < 200) x[i] = s[t + 50]; }")
    edit = fixed(code)
    assert edit is None or "__syncthreads" in edit
    if edit is not None:
        again = engine.analyse((), Settings(), stdin=files.from_bytes("k.cu", edit.encode()))
        assert check(again, Selection(select=("KL8",))) == []
