"""What messages say: one finding for one cause, which figure of a range is open, the device's own
numbers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kernlint import hardware
from kernlint.checks import words
from kernlint.checks.run import check, check_file
from kernlint.checks.selection import selected_rules
from kernlint.checks.shared_memory import padding
from kernlint.linting import suppressions
from kernlint.model.finding import Finding
from kernlint.model.settings import Selection, Settings
from kernlint.pipeline import engine
from kernlint.source import files


def findings_of(text: str, *codes: str, path: str = "k.cu", device: str = "h100") -> list[Finding]:
    how = Settings(device=device)
    file = engine.analyse_source(files.from_bytes(path, text.encode()), how)
    return [
        f
        for f in check_file(file, device, selected_rules(Selection(severity="info")))
        if f.code in codes
    ]


ROWS = """\
__global__ void softmax_row(float *out, const float *in, int n)
{
    float m = -1e30f, s = 0;
    for (int j = 0; j < n; ++j) m = fmaxf(m, in[threadIdx.x * n + j]);
    for (int j = 0; j < n; ++j) s += expf(in[threadIdx.x * n + j] - m);
    for (int j = 0; j < n; ++j) out[threadIdx.x * n + j] = expf(in[threadIdx.x * n + j] - m) / s;
}
"""


def test_one_way_of_walking_an_array_in_several_loops_is_one_finding() -> None:
    into, out_of = findings_of(ROWS, "KL201")
    assert [part.span.line for part in into.parts] == [4, 5, 6] and into.span.line == 4
    assert (out_of.span.line, out_of.parts) == (6, ())
    assert "also affects 2 more accesses to `in` (lines 5, 6)" in into.notes


LANES = """\
template <int N> __global__ void k(float *out, const float *in)
{
    float sum = 0;
    for (int i = 0; i < N; i++) {
        int at = threadIdx.x * N + i;
        sum += in[at] * i;
    }
    out[threadIdx.x] = sum;
}
void go(float *a, float *b) { k<4><<<1, 64>>>(a, b); k<8><<<1, 64>>>(a, b); k<16><<<1, 64>>>(a, b); }
"""


def test_one_line_in_instances_of_a_template_is_one_finding() -> None:
    (finding,) = findings_of(
        LANES.replace("i * ", "").replace("N; i++", "min(N, int(in[0])); i++"), "KL201"
    )
    assert "16 sectors" not in finding.message and "32 sectors per request" in finding.message
    assert (
        "3 of 3 launches are affected; this is the worst (16 to 32 sectors per request)"
        in finding.notes
    )


def test_an_argument_that_nothing_seen_defines_is_shown_as_it_is_written() -> None:
    text = (
        '#include "kinds.h"\nnamespace kinds { enum class Kind; }\n'
        "template <typename T, kinds::Kind K> __global__ void k(T *o) { o[threadIdx.x * 8] = 0; }\n"
        "void go(float *o) { k<float, kinds::Kind::plain><<<1, 64>>>(o); }\n"
    )
    (finding,) = findings_of(text, "KL201")
    assert finding.kernel == "k<float, kinds::Kind::plain>"


def test_an_index_that_is_not_known_is_no_remark() -> None:
    text = (
        "// kernlint: launch(grid=8, block=64)\n__global__ void k(float *a)\n{\n    float *p = a + threadIdx.x * 8;\n"
        "    if (blockIdx.x > 2) p = a + threadIdx.x * 8 + 64;\n    *p = 1;\n}\n"
    )
    file = engine.analyse_source(files.from_bytes("k.cu", text.encode()), Settings())
    assert "unknown" in [access.index for access in file.kernels[0].accesses]
    (finding,) = findings_of(text, "KL201")
    assert not any("index = " in note for note in finding.notes)


def test_a_suppression_at_another_place_of_a_finding_is_not_unused() -> None:
    text = ROWS.replace("- m);\n", "- m);  // kernlint: ignore[KL201] known\n")
    kept, used = suppressions.apply(
        findings_of(text, "KL201"), {"k.cu": suppressions.of(text, "k.cu")}
    )
    assert [f.code for f in kept] == ["KL201", "KL201"] and [part.text for part in used] == [
        "KL201"
    ]
    first = text.replace("+ j]);\n", "+ j]);  // kernlint: ignore[KL201] known\n", 1)
    kept, used = suppressions.apply(
        findings_of(first, "KL201"), {"k.cu": suppressions.of(first, "k.cu")}
    )
    assert [f.span.line for f in kept] == [6, 6] and [part.text for part in used] == ["KL201"] * 2


def test_what_is_open_of_a_range_is_said() -> None:
    text = "__global__ void k(float *a) {\n    a[threadIdx.x * 32] = 1;\n}\n"
    (finding,) = findings_of(text, "KL201")
    assert finding.status == "range" and finding.message.endswith(
        "(range: number of requests unknown)"
    )
    (rows, _) = findings_of(ROWS, "KL201")
    assert rows.message.endswith("(range: under assumptions)") and any(
        "n is large" in text for text in rows.assumptions
    )


@pytest.mark.parametrize("device, lanes", [("h100", 32), ("mi300x", 64)])
def test_advice_speaks_of_the_devices_warps(device: str, lanes: int) -> None:
    text = (
        "// kernlint: launch(grid=64, block=256)\n__global__ void k(float *a, float *b) {\n    if (threadIdx.x / 3 * 3 == threadIdx.x)\n"
        "        for (int i = 0; i < 9; ++i) a[i * 256 + threadIdx.x] = sinf(b[i]);\n"
        "    else\n        for (int i = 0; i < 9; ++i) b[i * 256 + threadIdx.x + 99] = cosf(a[i]);\n}\n"
    )
    (finding,) = findings_of(text, "KL301", device=device)
    assert f"`threadIdx.x / {lanes}`" in finding.help


def test_a_padding_that_undoes_merges_is_counted_whole() -> None:
    """A request of 16 bytes becomes four of 4 bytes: what is compared are all of them."""
    lanes = tuple(32 * 4 * lane for lane in range(32))
    request = padding.BankRequest(lanes, 4, "load", 1.0, 16)
    found = padding.smallest_padding(request, [], 128, 4, hardware.device("h100"))
    assert found is not None and (found.comes_apart or found.after >= 4)
    apart = padding.repitched(request, 128, 132)
    assert apart.weight == 4 and not apart.merged
    if found.comes_apart:
        assert (
            found.after
            == padding.cost(
                padding.repitched(request, 128, 128 + 4 * found.elements), hardware.device("h100")
            )
            * 4
        )


@pytest.mark.slow
@pytest.mark.parametrize(
    "columns, told",
    [(1, "into at most 8 bytes instead of 16 (counted)"), (64, "can then no longer merge")],
)
def test_what_a_padding_leaves_of_a_merge_is_said(columns: int, told: str) -> None:
    """nvcc 13.0 for sm_90, rows of 32, 33 and 34 floats read four at a time: LDS.128, LDS and
    LDS.64."""
    text = (
        "// kernlint: launch(grid=4, block=32)\n__global__ void k(float *o, const float *in)\n{\n    __shared__ float s[32][32];\n"
        "    int t = threadIdx.x;\n    for (int i = 0; i < 32; i++) s[i][t] = in[i * 32 + t];\n    __syncthreads();\n    float a = 0;\n"
        "    for (int r = 0; r < 8; r++)\n        for (int c = 0; c < 32; c += 4)\n"
        "            a += s[r][c] * s[r][c + 1] + s[r][c + 2] * s[r][c + 3];\n"
        f"    for (int j = 0; j < {columns} * 32; j++) a += s[t][(j + (in[j] > 3)) % 32];\n    o[t] = a;\n}}\n"
    )
    (finding,) = findings_of(text, "KL101")
    assert told in finding.help


def test_what_would_settle_an_unknown_is_something_that_can_be_given(tmp_path: Path) -> None:
    """An argument, a macro of a missing header, or nothing where the data decides."""
    source = """#include "common.h"
// kernlint: launch(grid=4, block=64)
__global__ void k(float *a, const int *p, int pitch) {
    __shared__ float s[4096];
    a[threadIdx.x * STRIDE] = 1;
    s[threadIdx.x * pitch] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[threadIdx.x * pitch] + s[(p[0] & 7) * threadIdx.x] + s[threadIdx.x * WIDTH];
}
void f(float *a, int n) { k<<<n, MAX_THREADS>>>(a, nullptr, n); }
"""
    path = tmp_path / "k.cu"
    path.write_text(source, encoding="utf-8")
    report = engine.analyse([str(path)], Settings())
    helps = {
        f.message.partition("`: ")[0].strip("`"): f.help
        for f in check(report, Selection(("KL1", "KL2"), severity="info"))
    }
    assert helps["a[threadIdx.x * STRIDE]"].startswith("define `STRIDE` (`-D STRIDE=…`")
    assert (
        "`--arg pitch=…`" in helps["s[threadIdx.x * pitch]"]
        and "assume(pitch % 2 == 1)" in helps["s[threadIdx.x * pitch]"]
    )
    assert (
        helps["s[threadIdx.x * WIDTH]"].startswith("define `WIDTH`")
        and helps["s[(p[0] & 7) * threadIdx.x]"] == ""
    )
    assert any(
        problem.message.endswith("no analysed file defines: MAX_THREADS")
        for problem in report.files[0].problems
    )


UPDATES = """\
// kernlint: launch(grid=64, block=256)
__global__ void k(float *a, float *b, const int *col, int n)
{
    __shared__ float s[32][32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x % 32][threadIdx.x / 32] += 1;
    a[i * 8] = a[i * 8] + 1;
    b[col[i]] += 1;
    b[i * i % n] *= 2;
}
"""


def test_a_load_and_a_store_of_one_place_are_one_finding_that_names_both() -> None:
    assert [
        (f.span.line, f.code, f.message.split(": ")[1])
        for f in findings_of(UPDATES, "KL101", "KL201", "KL203", "KL003")
    ] == [
        (6, "KL101", "32-way bank conflict on load and store"),
        (7, "KL201", "uncoalesced global load and store"),
        (8, "KL203", "gather and scatter through `col[i]`"),
        (9, "KL003", "sectors of this global load and store unknown"),
    ]


GATHERS = """\
// kernlint: launch(grid=64, block=256)
__global__ void k(float *a, const float *b, const float4 *c, const int *col, const int *row)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = b[row[i]] + b[row[i] + 1];
    for (int j = 0; j < 4; j++)
        a[i] += c[col[i] + j].x;
    atomicAdd(&a[col[i]], 1.0f);
}
__global__ void other(float *a, const float *b, const int *row)
{
    a[threadIdx.x] = b[row[threadIdx.x]];
}
"""


def test_gathers_and_scatters_are_one_finding_of_each_kernel() -> None:
    first, second = findings_of(GATHERS, "KL203")
    assert (first.span.line, second.span.line) == (7, 12)
    assert first.message.startswith(
        "`c[col[i] + j].x`: gather through `col[i]`: between 1 and 32 sectors"
    )
    assert [note for note in first.notes if note.startswith("also ")] == [
        "also `b[row[i]]` (line 5, and 1 more access): gather through `row[i]`: between 1 and 32 sectors per request",
        "also `atomicAdd(&a[col[i]], 1.0f)` (line 8): scatter through `col[i]`: between 4 and 32 serial updates per request",
    ]
    assert not any(note.startswith("also ") for note in second.notes)


def test_a_conversion_that_is_not_found_is_named_by_its_type() -> None:
    text = "struct B { __device__ operator float() const; };\n__global__ void k(float *x, const B *b) { x[0] = b[0].operator float(); }\n"
    assert [f.message for f in findings_of(text, "KL003")] == [
        "`operator float` is called but its definition was not found: its accesses are not counted"
    ]


WIDE_PADDING = """\
// kernlint: launch(grid=16, block=256)
__global__ void acc(float *a, const float *b) {
    __shared__ float s[32][64];
    int t = threadIdx.x;
    s[t % 32][t / 32] = b[t];
    s[t % 16][t / 16] = b[t];
    __syncthreads();
    a[t] = s[t / 32][(t % 32) * 2] + s[(t % 8) * 4][t / 8 ] + s[t / 16][t%16];
}
"""


def test_a_padding_that_surprises_is_explained() -> None:
    helps = {f.message.split("`")[1]: f.help for f in findings_of(WIDE_PADDING, "KL101")}
    why = "of the paddings that help, the one with the fewest wavefronts over all accesses to the array"
    assert (
        "pad the rows by 1 element" in helps["s[t % 32][t / 32]"]
        and why not in helps["s[t % 32][t / 32]"]
    )
    assert (
        "pad the rows by 16 elements" in helps["s[t / 16][t%16]"]
        and why in helps["s[t / 16][t%16]"]
    )


def test_a_rate_that_no_source_tells_is_said_to_be_assumed() -> None:
    text = b"// kernlint: launch(grid=16, block=256)\n__global__ void k(float *a) { a[blockIdx.x * 256 + threadIdx.x] = 1; }\n"
    told = {}
    for device in ("a100", "h100"):
        (kernel,) = engine.analyse_source(
            files.from_bytes("k.cu", text), Settings(device=device, estimate=True)
        ).kernels
        assert not isinstance(kernel.estimate, str)
        told[device] = any(
            "how fast L2 of a100 takes stores is not known" in text
            for text in kernel.estimate.assumptions
        )
    assert told == {"a100": True, "h100": False}


ANY_PITCH = """\
// kernlint: launch(grid=16, block=32x8)
__global__ void k(float *a, int pitch)
{
    __shared__ float s[2048];
    int t = threadIdx.x;
    s[t * pitch] = a[(blockIdx.x * 8 + threadIdx.y) * pitch + 8 * t];
}
"""


def test_a_mean_over_what_an_unknown_may_be_is_not_shown() -> None:
    file = engine.analyse_source(files.from_bytes("k.cu", ANY_PITCH.encode()), Settings())
    (store,) = [a for a in file.kernels[0].accesses if a.space == "shared"]
    assert store.wavefronts is not None and store.wavefronts.mean not in (1, 32)
    assert words.as_known(store, store.wavefronts) == "between 1 and 32 wavefronts"
    written = replace(store, reason="compiler")
    assert (
        words.as_known(written, replace(store.wavefronts, mean=4.0))
        == "4 (between 1 and 32) wavefronts"
    )


@pytest.mark.slow
def test_a_vector_stored_word_by_word_is_told_by_what_its_lines_waste_together() -> None:
    """The usual load of a transposed tile: each line wastes less than 5 % of the kernel's
    wavefronts, all four more."""
    stores = "".join(f"    tile[c + {n}][r] = v.{name};\n" for n, name in enumerate("xyzw"))
    reads = "".join(f"    s += tile[{n}][threadIdx.x % 64];\n" for n in range(16)) * 6
    text = f"""__global__ void k(const float4 *a, float *b) {{
    __shared__ float tile[16][64];
    int r = threadIdx.x / 4, c = threadIdx.x % 4 * 4;
    float4 v = a[threadIdx.x];
{stores}    __syncthreads();
    float s = 0;
{reads}    b[threadIdx.x] = s;
}}
void f(float4 *a, float *b) {{ k<<<1, 256>>>(a, b); }}
"""
    (finding,) = findings_of(text, "KL101")
    assert finding.message.startswith(
        "`tile[c + 0][r]`: 4-way bank conflict: 4 wavefronts per request"
    )
    assert "also affects 3 more accesses to `tile` (lines 6, 7, 8)" in finding.notes


def test_merged_accesses_that_lie_apart_are_not_told_to_rearrange_words() -> None:
    text = """// kernlint: launch(grid=1, block=256)
__global__ void k(float *o)
{
    __shared__ float s[2048];
    for (int j = 0; j < 8; j++) s[threadIdx.x * 8 + j] = j;
    __syncthreads();
    float a = 0;
    for (int j = 0; j < 8; j++) a += s[j * 256 + threadIdx.x];
    o[threadIdx.x] = a;
}
"""
    (found,) = findings_of(text, "KL101")
    assert found.help.startswith(
        "merged 16-byte accesses of neighbouring lanes are 32 bytes apart: let neighbouring lanes access neighbouring 16-byte parts "
        "(part p of lane t at p * threads + t instead of 2 * t + p)"
    )
    assert "odd stride" not in found.help and "`kernlint tune FILE`" in found.help
    mended = text.replace("s[threadIdx.x * 8 + j]", "s[(j / 4 * 256 + threadIdx.x) * 4 + j % 4]")
    assert findings_of(mended, "KL101") == []


def test_one_affected_launch_and_one_more_argument_are_counted_as_one() -> None:
    text = (
        "__global__ void k(float *o, int a, int b, int c, int d, int e) { o[threadIdx.x * a] = b + c + d + e; }\n"
        "void go(float *o) { k<<<1, 64>>>(o, 8, 1, 2, 3, 4); k<<<1, 64>>>(o, 1, 1, 2, 3, 4); }\n"
    )
    (finding,) = findings_of(text, "KL201")
    assert "1 of 2 launches is affected (32 sectors per request)" in finding.notes
    assert any(
        note.startswith("launch: grid 1, block 64, a = 8, b = 1, c = 2, d = 3, … 1 more argument (")
        for note in finding.notes
    )


def test_two_vectors_side_by_side_are_one_wider_vector() -> None:
    body = "{ int i = threadIdx.x; o[2 * i] = o[2 * i + 128]; o[2 * i + 1] = %s; }"
    text = f"// kernlint: launch(grid=4, block=64)\n__global__ void k(%s *o) {body}\n"
    (pair,) = findings_of(text % ("float2", "make_float2(1, 2)"), "KL206")
    assert "as one vector of 16 bytes (`float4`, or" in pair.help
    (pair,) = findings_of(text % ("double", "1"), "KL206")
    assert "as one vector of 16 bytes (`double2`, or" in pair.help


ASKEW = """\
// kernlint: launch(grid=4, block=64)
__global__ void k(const %s *x, int *o) { int i = blockIdx.x * 64 + threadIdx.x; %s o[i] = v; }
"""
ASKEW_START = "start{} {} after a multiple of {}, which rules out vector accesses"


@pytest.mark.parametrize(
    ("element", "body", "code", "off", "whole"),
    [
        ("char", "int v; memcpy(&v, x + 4 * i + 1, 4);", "KL201", "1 byte", 4),
        (
            "int",
            "int v = 0; for (int j = 0; j < 4; j++) v += x[4 * i + j + 1];",
            "KL201",
            "4 bytes",
            16,
        ),
        ("int", "int v = x[2 * i + 1] + x[2 * i + 2];", "KL206", "4 bytes", 8),
    ],
)
def test_what_starts_askew_is_not_told_to_become_a_vector(
    element: str, body: str, code: str, off: str, whole: int
) -> None:
    (finding,) = findings_of(ASKEW % (element, body), code)
    ending = "" if code == "KL206" else "ing"
    assert ASKEW_START.format(ending, off, whole) in finding.help
    straight = body.replace(" + 1, 4)", ", 4)").replace("j + 1", "j").replace("2 * i + 2", "2 * i")
    (finding,) = findings_of(ASKEW % (element, straight), code)
    assert "vector" in finding.help and "after a multiple" not in finding.help


def test_of_accesses_that_waste_alike_the_one_with_most_requests_is_told() -> None:
    text = """\
struct P { float x, y, z, w; };
// kernlint: launch(grid=4, block=64)
__global__ void k(const P *p, float *o, int n) {
    float a = p[threadIdx.x].x;
    for (int t = 0; t < 640; t += 64) a += p[t + threadIdx.x].x;
    o[threadIdx.x] = a;
}
"""
    (finding,) = findings_of(text, "KL206")
    assert (
        finding.message.startswith("`p[t + threadIdx.x].x` and 1 more access to `p`")
        and "block 64 (directive); up to 80 requests" in finding.notes[-2]
    )
    assert finding.span.line == 5 and [
        label.span.line for label in finding.labels if label.text == "and here"
    ] == [4]


def test_a_load_that_moves_to_another_place_and_conflicts_as_before_is_told_once() -> None:
    """Of a load in an arm that alone needs it the machine makes what is written."""
    source = """// kernlint: launch(grid=32, block=16x16, w=512)
__global__ void k(const float *in, float *out, int w) {
    __shared__ float t[22][22];
    int x = blockIdx.x * 16 + threadIdx.x, lane = threadIdx.y * 16 + threadIdx.x;
    if (lane < 484) t[lane / 22][lane % 22] = in[lane];
    __syncthreads();
    float a = t[threadIdx.y][threadIdx.x] + t[threadIdx.y + 3][threadIdx.x + 2];
    if (x < w) out[x * 16 + threadIdx.y] = a;
}
"""
    report = engine.analyse((), Settings(), stdin=files.from_bytes("k.cu", source.encode()))
    loads = [
        a for a in report.files[0].kernels[0].accesses if a.space == "shared" and a.op == "load"
    ]
    assert {a.as_compiled and a.as_compiled.reason for a in loads} == {"sunk"}
    (finding,) = check(report, Selection(select=("KL101",)))
    assert not any("as compiled" in note for note in finding.notes)
    moved = loads[0].as_compiled
    assert moved is not None and words.compiled(moved, "shared").startswith(
        "sunk into the branch that needs its value: 4 bytes"
    )


def test_merged_accesses_of_lanes_that_begin_anew_are_told_to_take_neighbouring_parts() -> None:
    """The columns of a tile of a matrix product: 16 lanes take 8 words each, and the next 16 the
    same."""
    source = """// kernlint: launch(grid=8, block=256)
__global__ void k(const float *in, float *out) {
    __shared__ float b[8][128];
    for (int i = threadIdx.x; i < 1024; i += 256) b[i / 128][i % 128] = in[i];
    __syncthreads();
    int tx = threadIdx.x % 16;
    float s = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k)
#pragma unroll
        for (int n = 0; n < 8; ++n) s += b[k][tx * 8 + n];
    out[blockIdx.x * 256 + threadIdx.x] = s;
}
"""
    (finding,) = check(
        engine.analyse((), Settings(), stdin=files.from_bytes("k.cu", source.encode())),
        Selection(select=("KL101",)),
    )
    assert "part p of lane t at p * 16 + t instead of 2 * t + p" in finding.help


def test_the_argument_that_decides_is_named_with_the_option_that_gives_it() -> None:
    text = (
        "__global__ void k(float *p, int n, int m) {\n  int i = blockIdx.x * 64 + threadIdx.x;\n"
        "  if (i < n) p[i * m] = 1;\n  if (n > 0) p[i * 32] = 2;\n}\n"
        "extern int a, b;\nvoid go(float *p) { k<<<4, 64>>>(p, a, b); }\n"
    )
    notes = {f.span.line: f.notes for f in findings_of(text, "KL201")}
    both = "depends on `m` and `n`, whose values are unknown (`--arg m=…`, `--arg n=…`)"
    assert f"not exact: {both}" in notes[3]
    assert "not exact: depends on `n`, whose value is unknown (`--arg n=…`)" in notes[4]


def test_what_the_note_about_the_launch_says_is_not_said_again() -> None:
    text = "__global__ void k(float *p) {\n  p[threadIdx.x * 32] = 1;\n}\n"
    (finding,) = findings_of(text, "KL201")
    assert [note for note in finding.notes if "unknown" in note or "assum" in note] == [
        "launch: block 256 (assumed), grid unknown"
    ]
    assert words.resting(finding.assumptions, finding.notes) == ""


@pytest.mark.parametrize(
    "text, says",
    [
        ("__global__ void k(float *p) { p[threadIdx.x] = 1; }\n", "its block is assumed"),
        (
            "__global__ void k(float *p) { p[threadIdx.y] = 1; }\n",
            "its block is assumed: threadIdx.y is used",
        ),
        (
            "__global__ void __launch_bounds__(128) k(float *p) { p[threadIdx.x] = 1; }\n",
            "its block is assumed: __launch_bounds__",
        ),
    ],
)
def test_a_kernel_without_a_launch_says_where_its_block_is_from(text: str, says: str) -> None:
    (finding,) = findings_of(text, "KL002")
    assert f"no launch of it was found; {says}" in finding.notes


def test_a_launch_whose_grid_is_not_known() -> None:
    text = "__global__ void k(float *p) { p[threadIdx.x] = 1; }\nvoid go(float *p, int n) { k<<<n, 64>>>(p); }\n"
    (finding,) = findings_of(text, "KL002")
    says = "its block is from the launch at line 2, whose grid depends on values that are not known"
    assert says in finding.notes


def test_host_code_that_cannot_be_read_says_what_to_do() -> None:
    text = "__global__ void k(float *p) { p[threadIdx.x] = 1; }\nvoid go(float *p) { k<<<1, 64>>>(p) ) ; }\n"
    (finding,) = findings_of(text, "KL001")
    assert finding.message.endswith("its launches are not seen")
    assert finding.help.startswith("give them: `// kernlint: launch(grid=…, block=…)`")


LOST = """\
__global__ void b(float *p, int n) { p[threadIdx.x] = n; }
int pick(int);
void one(float *p, int n) { int t = pick(n); b<<<4, t>>>(p, n); }
void two(float *p, int n) { int t = pick(n); b<<<8, t>>>(p, n); }
"""


def test_launches_that_are_lost_are_reported_once_with_the_remedy_that_works() -> None:
    launch, lost = findings_of(LOST, "KL002", "KL003")
    assert launch.notes[0] == "the block of its launch on line 3 is not known and is assumed"
    assert (lost.span.line, lost.notes) == (3, ("same for `b` (line 4)",))
    assert lost.help == "give its launch: `// kernlint: launch(grid=…, block=…)`"
    given = LOST.replace("int t = pick(n); ", "").replace(", t>>>", ", n>>>")
    (lost,) = findings_of(given, "KL003")
    assert lost.help.endswith(", or the value that decides it (`--arg n=…`)")
    of_struct = given.replace(", n>>>", ", s.b>>>").replace(
        "int pick(int);", "struct S { dim3 b; } s;"
    )
    (lost,) = findings_of(of_struct, "KL003")
    assert lost.help == "give its launch: `// kernlint: launch(grid=…, block=…)`"


def test_host_functions_that_cannot_be_read_are_reported_once() -> None:
    text = "__global__ void k(float *p) { p[threadIdx.x] = 1; }\n" + "".join(
        f"void {name}(float *p) {{ k<<<1, 64>>>(p) ) ; }}\n" for name in ("one", "two", "three")
    )
    (finding,) = findings_of(text, "KL001")
    assert finding.notes == ("same for `two` (line 3), `three` (line 4)",)


@pytest.mark.parametrize(
    ("parameter", "argument"),
    [("int block", "WIDTH"), ("size_t block", "ns::WIDTH"), ("dim3 block", "WIDTH")],
)
def test_a_launch_by_a_constant_of_a_missing_header_is_not_lost(
    parameter: str, argument: str
) -> None:
    source = f"""
__global__ void k(float *p) {{ p[threadIdx.x] = 2; }}
void launch(float *p, {parameter}) {{ k<<<4, block>>>(p); }}
void run(float *p) {{ launch(p, {argument}); }}
"""
    [finding] = findings_of(source, "KL003")
    assert "the block size of this launch of `k` is unknown" in finding.message
