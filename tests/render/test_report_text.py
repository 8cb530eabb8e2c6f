"""What `report` prints of real sources: units of indices, constant memory, lines of headers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kernlint.checks import words
from kernlint.checks.run import check
from kernlint.model import facts
from kernlint.model.settings import Selection, Settings
from kernlint.pipeline.engine import analyse
from kernlint.render import derivation, report_json, report_text
from kernlint.render.page import data as page_data
from kernlint.render.style import Style
from kernlint.source.sources import Sources

PLAIN = Style()
MEMBERS = """\
struct Particle { float x, y, z, vx, vy, vz, m; };
struct Mixed { double d; char c; };
// kernlint: launch(grid=64, block=256)
__global__ void k(float *o, const float4 *p, Particle *q, Mixed *m, double *d, unsigned char *c)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    o[i] = p[i].y;
    q[i].z = 0;
    m[i].c = 1;
    d[i] = 2;
    ((float4 *)o)[i] = p[i];
    c[i] = 3;
}
"""


def report(tmp_path: Path, text: str, name: str = "k.cu") -> facts.Report:
    (tmp_path / name).write_text(text)
    return facts.Report("h100", tuple(analyse([str(tmp_path / name)], Settings()).files))


# line: how the index is told
UNITS = {
    7: [
        "4*threadIdx.x + 1024*blockIdx.x + 1  (in units of 4 bytes)",
        "threadIdx.x + 256*blockIdx.x  (in elements of 4 bytes)",
    ],
    8: ["7*threadIdx.x + 1792*blockIdx.x + 2  (in units of 4 bytes)"],
    9: ["16*threadIdx.x + 4096*blockIdx.x + 8  (in units of 1 byte)"],
    10: ["threadIdx.x + 256*blockIdx.x  (in elements of 8 bytes)"],
    12: ["threadIdx.x + 256*blockIdx.x  (in elements of 1 byte)"],
}


@pytest.mark.parametrize("line", UNITS)
def test_the_unit_of_an_index_is_what_it_counts(line: int, tmp_path: Path) -> None:
    """`p[i].y` of a float4 at 16*i + 4 bytes is 4*i + 1 in units of 4 bytes, not in elements of
    16."""
    text = derivation.render(report(tmp_path, MEMBERS), line, PLAIN)
    told = sorted(
        row.removeprefix("  index       ")
        for row in text.splitlines()
        if row.startswith("  index ")
    )
    assert told == sorted(UNITS[line])


def test_the_unit_is_the_same_on_the_page(tmp_path: Path) -> None:
    found = report(tmp_path, MEMBERS)
    page = page_data.page(found, None, Sources.of(found.files))
    told = [
        value
        for access in page["kernels"][0]["accesses"]
        for name, value in access["facts"]
        if name == "index"
    ]
    assert [text in told for texts in UNITS.values() for text in texts] == [True] * 6


# ------------------------------------------------------------------ constant memory


CONSTANT = """\
__constant__ float coef[64];
__constant__ double wide[64];
// kernlint: launch(grid=64, block=128)
__global__ void k(float *o, const int *d)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = coef[threadIdx.x & 63];
    o[i + 1] = coef[blockIdx.x];
    o[i + 2] = wide[threadIdx.x >> 3];
    o[i + 3] = coef[d[i]];
}
"""


def row(text: str, line: int, space: str) -> str:
    (found,) = (
        r for r in text.splitlines() if r.split()[:1] == [str(line)] and f"  {space}  " in r
    )
    return found


def test_the_tables_say_what_constant_memory_takes(tmp_path: Path) -> None:
    """64 words of 4 bytes: 32 lanes want 32 of them, or one; 8 lanes share each double."""
    text = report_text.render(report(tmp_path, CONSTANT), PLAIN)
    counts = {line: " ".join(row(text, line, "constant").split()[-4:]) for line in (7, 8, 9)}
    assert counts == {7: "32 passes 1 exact", 8: "1 pass 1 exact", 9: "4 passes 1 exact"}
    assert "? passes" in row(text, 10, "constant")


@pytest.mark.parametrize("drawn", [False, True])
def test_the_derivation_of_constant_memory_shows_lanes_and_words(
    drawn: bool, tmp_path: Path
) -> None:
    found = report(tmp_path, CONSTANT)
    text = derivation.render(found, 7, PLAIN, drawn)
    assert "  passes      32 per request, ideal 1  (exact)" in text
    assert "the lanes need 32 words of 4 bytes; the constant cache serves one at a time" in text
    lanes = ["31", "(31,", "0,", "0)", "124", "31"] in [r.split() for r in text.splitlines()]
    rows = [r.split() for r in text.splitlines() if r.startswith("  word ")]
    assert lanes != drawn and len(rows) == 32 * drawn
    assert not drawn or (rows[31][1], rows[31][-1][-2:]) == ("31", "██")
    assert "the lanes need 4 words of 8 bytes" in derivation.render(found, 9, PLAIN, drawn)


def test_the_page_draws_the_words_of_constant_memory(tmp_path: Path) -> None:
    found = report(tmp_path, CONSTANT)
    page = page_data.page(found, None, Sources.of(found.files))
    constant = [a for a in page["kernels"][0]["accesses"] if a["space"] == "constant"]
    maps = {a["place"][1]: None if a["map"] is None else page["maps"][a["map"]] for a in constant}
    assert maps[7]["kind"] == "words" and maps[7]["words"] == [[lane, [lane]] for lane in range(32)]
    assert (
        maps[8]["words"] == [[0, list(range(32))]]
        and maps[8]["alt"] == "1 word of constant memory: 1 pass of its cache"
    )
    assert (
        maps[9]["words"] == [[word, list(range(8 * word, 8 * word + 8))] for word in range(4)]
        and maps[10] is None
    )


def test_a_report_says_the_unit_of_an_index(tmp_path: Path) -> None:
    source = """struct P { float x, y; };
// kernlint: launch(grid=4, block=32)
__global__ void k(float4 *v, P *p, double *d, char *c, int n) {
    v[threadIdx.x].x = p[threadIdx.x].y + d[threadIdx.x];
    *(float *)(c + threadIdx.x * 3 + n) = 1;
}"""
    told = report_json.to_json(report(tmp_path, source))["files"][0]["kernels"][0]["accesses"]
    found = {a["text"]: (a["index"], a["index_bytes"]) for a in told}
    assert found["d[threadIdx.x]"] == ("threadIdx.x", 8) and found["p[threadIdx.x].y"][1] == 4
    assert found["*(float *)(c + threadIdx.x * 3 + n)"] == ("byte 3*threadIdx.x + n", 1)


# ------------------------------------------------------------------ headers


HEADER = """\
template <typename T> __device__ T halved(T v, T *s)
{
    s[threadIdx.x] = v;
    __syncthreads();
    if (threadIdx.x < 16) v += s[threadIdx.x + 16];
    return v;
}
"""
INCLUDER = """\
#include "vec.cuh"
// kernlint: launch(grid=64, block=32)
__global__ void k(float *o)
{
    __shared__ float s[32];
    o[threadIdx.x] = halved(1.f, s);
}
"""


def test_lines_of_headers_are_marked(tmp_path: Path) -> None:
    (tmp_path / "vec.cuh").write_text(HEADER)
    found = report(tmp_path, INCLUDER)
    text = report_text.render(found, PLAIN)
    firsts = [
        r.split()[0]
        for r in text.splitlines()
        if r.startswith("    ") and r.split()[0][-1:].isdigit()
    ]
    assert firsts == ["6", "vec.cuh:3", "vec.cuh:5", "vec.cuh:5", "vec.cuh:4"]
    assert "lines with facts: 6, vec.cuh:3, vec.cuh:5\n" in derivation.render(found, 1, PLAIN)


SHARED_REASONS = """\
// kernlint: launch(grid=4, block=64)
__global__ void k(float *o, const float *p, const int *ix, int n)
{
    o[threadIdx.x] = p[ix[threadIdx.x]];
    o[threadIdx.x + 64] = p[ix[threadIdx.x]];
    if (ix[threadIdx.x] > 3) o[threadIdx.x + 128] = 1;
    if (ix[threadIdx.x + 1] > 3) o[threadIdx.x + 192] = 1;
}
"""


def test_what_several_rows_rest_on_is_one_note_below_them(tmp_path: Path) -> None:
    """Each number in a row means a note, each note is told once, and nothing that a row said before
    is lost."""
    found = report(tmp_path, SHARED_REASONS)
    text = report_text.render(found, PLAIN)
    notes = dict(re.findall(r"^ +(\[\d+\]) (.*)$", text, re.MULTILINE))
    used = [
        number
        for row in re.findall(r"\[([\d, ]+)\]$", text, re.MULTILINE)
        for number in row.split(", ")
    ]
    assert {f"[{number}]" for number in used} == set(notes) and len(used) > len(notes) == len(
        set(notes.values())
    )
    (kernel,) = found.files[0].kernels
    for access in kernel.accesses:
        why = words.why(access)
        assert (
            not why
            or (text.count(why) == 1 and why in notes.values())
            or len(why) <= report_text.SHORT
        )
    unknown = [row for row in text.splitlines() if "  p[ix[threadIdx.x]]  " in row]
    assert len(unknown) == 2 and len({row.partition("unknown")[2] for row in unknown}) == 1


BROADCAST = """\
// kernlint: launch(grid=4, block=64)
__global__ void k(float *x)
{
    __shared__ float a[64];
    a[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = a[3];
    x[threadIdx.x + 64] = a[threadIdx.x / 8];
    x[threadIdx.x + 128] = a[threadIdx.x % 2];
}
"""


@pytest.mark.parametrize(
    ("line", "lanes"),
    [
        (7, {"0-31": [3]}),
        (8, {"0-7": [0], "8-15": [1], "16-23": [2], "24-31": [3]}),
        (9, {str(lane): [lane % 2] for lane in range(32)}),  # neighbours differ: nothing to fold
        (5, {str(lane): [lane] for lane in range(32)}),
    ],
)
def test_lanes_that_are_drawn_alike_have_one_row(
    line: int, lanes: dict[str, list[int]], tmp_path: Path
) -> None:
    text = derivation.render(report(tmp_path, BROADCAST), line, PLAIN, drawn=True)
    rows = [row for row in text.splitlines() if re.match(r" +\d+(-\d+)? [ ·█▒]{64}$", row)]
    drawn = {
        row.split()[0]: [
            bank for bank in range(32) if row[-64:][2 * bank : 2 * bank + 2] in ("██", "▒▒")
        ]
        for row in rows
    }
    assert drawn == lanes and len({len(row) for row in rows}) == 1


LOOPS = """\
__global__ void k(float *o, const int *f, int n)
{
    int i = 0;
    while (true) { if (f[i] == 0) break; i++; }
    for (;;) { if (i > n) break; i++; }
    for (int j = 0; j < 4; j++) o[threadIdx.x + j] = i;
}
"""


@pytest.mark.parametrize("launch", ["", "// kernlint: launch(grid=2, block=64, n=64)\n"])
def test_a_loop_without_a_condition_has_no_test(tmp_path: Path, launch: str) -> None:
    table = report_text.render(report(tmp_path, launch + LOOPS), PLAIN).split("divergent")[1]
    first = launch.count("\n")
    assert " 0 a block" not in table
    rows = {
        int(row.split()[0]) - first: row
        for row in table.splitlines()
        if re.match(r" +\d+  (while|for) ", row)
    }
    assert {line: "no test" in row for line, row in rows.items()} == {4: True, 5: True, 6: False}


@pytest.mark.parametrize(
    ("device", "whose"),
    [
        ("h100", "by T(i, w, c) of NVIDIA H100"),
        ("a100", "by T(i, w, c) of NVIDIA H100, assumed for NVIDIA A100"),
        (
            "mi300x",
            "by T(i, w, c) of NVIDIA GeForce GTX 780 Ti (GK110), assumed for AMD Instinct MI300X",
        ),
    ],
)
def test_whose_constants_a_figure_in_cycles_has_is_said_beside_it(
    tmp_path: Path, device: str, whose: str
) -> None:
    (tmp_path / "k.cu").write_text(
        "// kernlint: launch(grid=1, block=64)\n"
        "__global__ void k(float *o) { __shared__ float s[2048]; s[threadIdx.x * 32] = 1; o[threadIdx.x] = s[threadIdx.x]; }\n"
    )
    text = report_text.render(analyse([str(tmp_path / "k.cu")], Settings(device=device)), PLAIN)
    assert f" without bank conflicts, {whose}\n" in text


WITHOUT, WITH = (
    "__kernel void k(__global int *a) {",
    "__kernel void k(__global int *a, __local int *t) {",
)


@pytest.mark.parametrize(
    ("head", "told"),
    [(WITHOUT, "0 bytes static, 0 dynamic"), (WITH, "0 bytes static, unknown dynamic")],
)
def test_only_local_arguments_make_local_memory_dynamic_in_opencl(
    head: str, told: str, tmp_path: Path
) -> None:
    text = (
        f"{head} a[get_global_id(0)] = 1; {'t[get_local_id(0)] = 1; ' if head == WITH else ''}}}\n"
    )
    assert f"local memory: {told}\n" in report_text.render(report(tmp_path, text, "k.cl"), PLAIN)


PYTHON = """\
import pyopencl as cl
import cupy
first = cl.Program(context, "__kernel void one(__global float *a) { a[get_global_id(0) * 16] = 1.0f; }").build()
second = cupy.RawKernel(r'extern "C" __global__ void two(float *a) { a[threadIdx.x * 16] = 1; }', "two")
"""


def test_kernels_in_strings_are_told_in_their_own_language(tmp_path: Path) -> None:
    found = report(tmp_path, PYTHON, "k.py")
    helps = {finding.kernel: finding.help for finding in check(found, Selection(select=("KL201",)))}
    assert "neighbouring work-items" in helps["one"] and "(get_global_id(0))" in helps["one"]
    assert "neighbouring threads" in helps["two"] and "(threadIdx.x)" in helps["two"]
    one, _, two = report_text.render(found, PLAIN).partition("  two  ")
    assert "local memory:" in one and "shared memory:" in two
