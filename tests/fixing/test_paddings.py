"""Paddings: `--fix`, the help and `kernlint tune` agree, and the help says what the padded file's
report says."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from kernlint.base.span import Span
from kernlint.checks.run import check
from kernlint.cli import main
from kernlint.fixing.objections import held_back
from kernlint.fixing.review import review
from kernlint.model import facts
from kernlint.model.finding import Finding
from kernlint.model.settings import Selection, Settings
from kernlint.model.verdict import Judged
from kernlint.pipeline import engine, workers
from kernlint.source import files
from kernlint.source.edits import applied
from kernlint.source_model.declared_rows import Rows
from kernlint.source_model.model import SourceModel
from kernlint.tuning.figures import better
from kernlint.tuning.search import tune
from tests.places import SAMPLES
from tests.support import handmade as made

pytestmark = pytest.mark.slow

BYTES = """\
// kernlint: launch(grid=64, block=64)
__global__ void k(int *out, const unsigned char *in)
{
    __shared__ unsigned char q[64][64];
    int t = threadIdx.x, s = 0;
    for (int r = 0; r < 64; ++r) q[r][t] = in[blockIdx.x * 4096 + r * 64 + t];
    __syncthreads();
    for (int b = 0; b < 64; ++b) s += q[t][b] * (b + 1);
    out[blockIdx.x * 64 + t] = s;
}
"""
GEMM = """\
#define TILE 32
// kernlint: launch(grid=32x32, block=32x8, n=1024)
__global__ void gemm(const float *A, const float *B, float *C, int n)
{
    __shared__ float As[TILE][TILE], Bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * TILE, col = blockIdx.x * TILE;
    float acc[4] = {};
    for (int k0 = 0; k0 < n; k0 += TILE) {
        for (int j = 0; j < TILE; j += 8) {
            As[tx][ty + j] = A[(row + ty + j) * n + k0 + tx];
            Bs[ty + j][tx] = B[(k0 + ty + j) * n + col + tx];
        }
        __syncthreads();
        for (int k = 0; k < TILE; ++k)
            for (int j = 0; j < 4; ++j) acc[j] += As[k][ty + 8 * j] * Bs[k][tx];
        __syncthreads();
    }
    for (int j = 0; j < 4; ++j) C[(row + ty + 8 * j) * n + col + tx] = acc[j];
}
"""
HALVES = """\
// kernlint: launch(grid=16x16, block=32x8)
__global__ void turn(unsigned short *out, const unsigned short *in)
{
    __shared__ unsigned short t[64][64];
    for (int r = threadIdx.y; r < 64; r += 8)
        for (int c = threadIdx.x; c < 64; c += 32) t[r][c] = in[(blockIdx.y * 64 + r) * 1024 + blockIdx.x * 64 + c];
    __syncthreads();
    for (int r = threadIdx.y; r < 64; r += 8)
        for (int c = threadIdx.x; c < 64; c += 32) out[(blockIdx.x * 64 + r) * 1024 + blockIdx.y * 64 + c] = t[c][r];
}
"""
VECTORS = """\
// kernlint: launch(grid=64, block=256)
__global__ void wide(float4 *out, const float4 *in)
{
    __shared__ float4 t[16][16];
    int x = threadIdx.x % 16, y = threadIdx.x / 16;
    t[y][x] = in[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = t[x][y];
}
"""
MERGED = """\
// kernlint: launch(grid=64, block=32)
__global__ void sums(float *out, const float *in)
{
    __shared__ float t[32][32];
    for (int r = 0; r < 32; ++r) t[threadIdx.x][r] = in[(blockIdx.x * 32 + r) * 32 + threadIdx.x];
    __syncthreads();
    float s = 0;
    for (int k = 0; k < 32; ++k) s += t[threadIdx.x][k] * t[k][threadIdx.x];
    out[blockIdx.x * 32 + threadIdx.x] = s;
}
"""
FLAT = """\
#define TILE 32
// kernlint: launch(grid=64x64, block=32x32, n=2048)
__global__ void flat(float *out, const float *in, int n)
{
    __shared__ float s[TILE * TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    s[(ty * TILE) + tx] = in[(blockIdx.y * TILE + ty) * n + blockIdx.x * TILE + tx];
    __syncthreads();
    out[(blockIdx.x * TILE + ty) * n + blockIdx.y * TILE + tx] = s[ty + TILE * tx];
}
"""
KERNELS = {
    "bytes": BYTES,
    "gemm": GEMM,
    "halves": HALVES,
    "vectors": VECTORS,
    "merged": MERGED,
    "flat": FLAT,
}


@cache
def told(text: str) -> list[Finding]:
    source = files.from_bytes("k.cu", text.encode())
    work = workers.Work(source, Settings(), Selection(select=("KL101",)), review)
    judged = workers.compute(work)
    assert isinstance(judged, Judged)
    return list(judged.findings)


@cache
def report(text: str) -> tuple[facts.Kernel, ...]:
    return engine.analyse_source(
        files.from_bytes("k.cu", text.encode()), Settings(estimate=True)
    ).kernels


def counts(access: facts.Access) -> facts.Counts:
    found = access.as_compiled.wavefronts if access.as_compiled is not None else access.wavefronts
    assert found is not None
    return found


@pytest.mark.parametrize("name", KERNELS)
def test_the_padding_is_as_good_as_the_best_that_tune_finds(name: str) -> None:
    text = KERNELS[name]
    offered = {finding.fix.edits for finding in told(text) if finding.fix is not None}
    source = files.from_bytes("k.cu", text.encode())
    found = tune(
        source, Settings(estimate=True), ("padding",), lambda works: workers.run(works, 1, None)
    )
    best = [subject.best for subject in found.subjects if subject.best is not None]
    assert len(offered) == len(best) == 1
    own = [
        option
        for subject in found.subjects
        for option in subject.options
        if option.edits in offered
    ]
    assert len(own) == 1 and not better(best[0].figures, own[0].figures), (
        own[0].title,
        best[0].title,
    )


@pytest.mark.parametrize("name", KERNELS)
def test_the_help_says_what_the_report_of_the_edited_file_says(name: str) -> None:
    text = KERNELS[name]
    for finding in told(text):
        if finding.fix is None:
            continue
        after = applied(text, finding.fix.edits)
        assert after is not None
        pairs = [
            (old, new)
            for a, b in zip(report(text), report(after), strict=True)
            for old, new in zip(a.accesses, b.accesses, strict=True)
        ]
        new = next(new for old, new in pairs if old.span == finding.span and old.space == "shared")
        free = max(counts(new).mean, counts(new).mean_high) <= counts(new).ideal
        assert ("to make this access conflict-free" in finding.help) == (
            free and "this access from" not in finding.help
        )
        declared = re.search(r"`([^`]*)`", finding.help)
        assert declared is not None and declared[1] in " ".join(after.split())


APART = """\
// kernlint: launch(grid=64, block=32)
__global__ void apart(float *out, const float *in)
{
    __shared__ float t[32][32];
    int x = threadIdx.x;
    for (int i = 0; i < 32; ++i) t[i][x] = in[i * 32 + x];
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < 4; ++i) t[x][i] = in[i * 32 + x];  // word by word: of paddings the odd ones alone serve it
    __syncthreads();
    float s = 0;
#pragma unroll
    for (int k = 0; k < 32; ++k) s += t[x][k];
#pragma unroll
    for (int k = 0; k < 32; ++k) s += t[7][k] * t[k][x];
    out[blockIdx.x * 32 + x] = s;
}
"""


def test_which_accesses_come_apart_is_what_the_padded_files_report_counts() -> None:
    finding = next(one for one in told(APART) if "`t[x][k]`" in one.message)
    assert finding.fix is not None
    after = applied(APART, finding.fix.edits)
    assert after is not None
    (old,), (new,) = report(APART), report(after)
    wide = {
        a.text: (a.as_compiled.bytes, a.as_compiled.requests)
        if a.as_compiled
        else (a.bytes, a.requests)
        for a in old.accesses
    }
    then = {
        a.text: (a.as_compiled.bytes, a.as_compiled.requests)
        if a.as_compiled
        else (a.bytes, a.requests)
        for a in new.accesses
    }
    for text in ("t[x][k]", "t[7][k]"):
        assert (then[text][1] or 0) > (wide[text][1] or 0) and wide[text][0] == 16
    own = f"to cut this access from 32 wavefronts in each of {wide['t[x][k]'][1]:,} requests to "
    assert own in finding.help and f"in each of {then['t[x][k]'][1]:,} requests (" in finding.help
    other = f"though `t[7][k]` on line 15 then takes {{}} in each of {then['t[7][k]'][1]:,} requests instead of "
    assert re.search(re.escape(other).replace(re.escape("{}"), "[^;]*"), finding.help)
    total = {
        name: sum(
            counts(a).mean * (a.as_compiled or a).requests
            for a in k.accesses
            if a.space == "shared"
        )
        for name, k in (("old", old), ("new", new))
    }
    assert finding.help.endswith(
        f"; {total['new']:,.0f} wavefronts of `t` in all instead of {total['old']:,.0f}"
    )


def test_of_paddings_with_as_many_wavefronts_the_one_that_keeps_wide_requests_is_offered() -> None:
    """Rows of 33 words take as many wavefronts as rows of 36, in four times the requests."""
    text = APART.replace("#pragma unroll 1\n", "").replace(
        "i < 4; ++i) t[x][i] =", "i < 4; ++i) t[i][x] ="
    )
    (finding,) = told(text)
    assert (
        finding.help
        == "pad the rows by 4 elements: `__shared__ float t[32][36];` (512 bytes more) to make this access conflict-free"
    )


def test_what_the_data_decides_is_said_to_lie_between() -> None:
    (finding,) = [
        f
        for f in told((SAMPLES / "histogram.cu").read_text(encoding="utf-8"))
        if f.severity == "warning"
    ]
    assert finding.fix is not None
    assert (
        ", although `atomicAdd(&local[8 * in[i] + threadIdx.x % 8], 1u)` on line 12 then takes between 1 and 8 wavefronts"
        in finding.help
    )


def test_bytes_that_a_loop_walks_keep_their_words_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.cu"
    path.write_text(BYTES, encoding="utf-8")
    main.main([str(path), "--no-cache", "--fix", "--unsafe-fixes", "--select", "KL101"])
    assert path.read_text(encoding="utf-8") == BYTES.replace("q[64][64]", "q[64][68]")


# ------------------------------------------------------------------ declarations


def declared(before: str, line: str, use: str = "t") -> str:
    """A transposing kernel of a tile that is declared by the line, and the lines before."""
    return f"""{before}// kernlint: launch(grid=64, block=32x32)
__global__ void k(float *out, const float *in)
{{
    {line}
    {use}[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = {use}[threadIdx.x][threadIdx.y];
}}
"""


@pytest.mark.parametrize(
    ("before", "line", "shown", "edited"),
    [
        (
            "typedef float Tile[32][32];\n",
            "__shared__ Tile t;",
            "typedef float Tile[32][33];",
            "typedef float Tile[32][33];",
        ),
        (
            "using Tile = float[32][32];\n",
            "__shared__ Tile t;",
            "using Tile = float[32][33];",
            "using Tile = float[32][33];",
        ),
        (
            "typedef float Row[32];\n",
            "__shared__ Row t[32];",
            "typedef float Row[33];",
            "typedef float Row[33];",
        ),
        (
            "",
            "__shared__ float\n        t[32]\n         [32];",
            "__shared__ float t[32][33];",
            "         [33];",
        ),
        (
            "",
            "alignas(16) __shared__ float t [32] /* rows */ [ 32 ] ;",
            "alignas(16) __shared__ float t[32][33];",
            "[33]",
        ),
        (
            "",
            "static __shared__ float t[32][32];",
            "static __shared__ float t[32][33];",
            "static __shared__ float t[32][33];",
        ),
        (
            "",
            "volatile __shared__ float t[32][32];",
            "volatile __shared__ float t[32][33];",
            "float t[32][33];",
        ),
        (
            "",
            "__shared__ float t[32][32] __attribute__((aligned(16)));",
            "float t[32][33] __attribute__((aligned(16)));",
            "t[32][33]",
        ),
        (
            "",
            "__shared__ float u[8], t[32][32]; u[0] = 0;",
            "__shared__ float u[8], t[32][33];",
            "t[32][33]; u[0] = 0;",
        ),
        (
            "// one; two\n#define N 32\n",
            "__shared__ float t[N][N];  // a; b",
            "__shared__ float t[N][N + 1];",
            "t[N][N + 1];  // a; b",
        ),
    ],
)
def test_the_help_shows_the_declaration_as_it_reads_after_the_edit(
    before: str, line: str, shown: str, edited: str
) -> None:
    text = declared(before, line)
    (finding,) = told(text)
    assert finding.fix is not None
    after = applied(text, finding.fix.edits)
    assert after is not None and edited in after and after.count("33") + after.count("N + 1") == 1
    assert shown in finding.help and "to make this access conflict-free" in finding.help
    assert (
        counts(
            next(
                a
                for k in report(after)
                for a in k.accesses
                if a.space == "shared" and a.op == "load"
            )
        ).mean
        == 1
    )


def test_a_kernel_on_one_line_shows_its_declaration_and_no_use() -> None:
    text = " ".join(declared("", "__shared__ float t[32][32];").split("\n", 1)[1].split())
    (finding,) = told(f"// kernlint: launch(grid=64, block=32x32)\n{text}\n")
    assert finding.fix is not None and "`__shared__ float t[32][33];`" in finding.help


@pytest.mark.parametrize(
    ("before", "line", "reason"),
    [
        ("#define T(n) __shared__ float n[32][32]\n", "T(t);", "it is declared by the macro `T`"),
        ("#define DIM [32][32]\n", "__shared__ float t DIM;", "it is declared by the macro `DIM`"),
        (
            "typedef float Tile[32][32];\n",
            "__shared__ Tile t, u; Tile *p = &u;",
            "its rows are as long as `Tile` on line 1 says, which line 5 uses too",
        ),
        (
            "typedef float Tile[32][32];\n",
            "__shared__ Tile t, u; u[0][0] = 1;",
            "its rows are as long as `Tile` on line 1 says, as those of what is declared beside it",
        ),
    ],
)
def test_what_cannot_be_edited_says_why(before: str, line: str, reason: str) -> None:
    (finding,) = [one for one in told(declared(before, line)) if "t[threadIdx" in one.message]
    assert (
        finding.fix is None
        and f"`t[32][33]` (128 bytes more) to make this access conflict-free; by hand, since {reason}"
        in finding.help
    )


# ------------------------------------------------------------------ flat arrays


def flat(extent: str, *uses: str) -> Rows | str:
    body = "".join(f"  x = {use};\n" for use in uses)
    text = f"#define P 32\nconstexpr int Q = 32;\nvoid k() {{\n  __shared__ float s[{extent}];\n{body}}}\n"
    return SourceModel("k.cu", text).rows(Span("k.cu", 4, 3, 4, 9), "s", (1024,))


@pytest.mark.parametrize(
    ("extent", "use", "grown", "column"),
    [
        ("P * P", "s[y * P + x]", "s[y * (P + 1) + x]", "s[x]"),
        ("32 * P", "s[x + P * (y + 1) - 1]", "s[x + (P + 1) * (y + 1) - 1]", "s[x - 1]"),
        ("1024", "s[(y * 32) + (x + i)]", "s[(y * 33) + (x + i)]", "s[x + i]"),
        ("1024", "s[(y * 2 * Q + x)]", "s[(y * 2 * (Q + 1) + x)]", "s[x]"),
        ("32u * 32u", "s[y * 32u]", "s[y * 33u]", "s[0]"),
        ("P * P", "s[t / 16 * P + t % 16]", "s[t / 16 * (P + 1) + t % 16]", "s[t % 16]"),
        ("P * 32", "s[y * P + (x ^ 3) % 8]", "s[y * (P + 1) + (x ^ 3) % 8]", "s[(x ^ 3) % 8]"),
    ],
)
def test_rows_of_flat_arrays_are_found_in_their_indices(
    extent: str, use: str, grown: str, column: str
) -> None:
    found = flat(extent, use, "s[3]")
    assert isinstance(found, Rows) and (found.count, found.length) == (32, 32)
    body = f"  x = {use};\n  x = s[3];\n"
    text = f"#define P 32\nconstexpr int Q = 32;\nvoid k() {{\n  __shared__ float s[{extent}];\n{body}}}\n"
    after, alone = applied(text, found.longer(1)), applied(text, found.alone)
    assert after is not None and alone is not None
    assert f"x = {grown};\n  x = s[3];" in after and f"x = {column};\n  x = s[3];" in alone
    assert (
        len(found.longer(1)) == 2
        and found.more_of(found.longer(5), 8) == 5
        and not found.more_of(found.longer(9), 8)
    )


@pytest.mark.parametrize(
    ("extent", "uses", "reason"),
    [
        ("P * P", ("s[y << 5 | x]",), "its index on line 5 is not written as row * pitch + column"),
        ("P * P", ("s[y * P + x]", "s[y * 16 + x]"), "its uses do not all name one pitch of rows"),
        ("P * P", ("s[y * w + x]",), "its uses do not all name one pitch of rows"),
        (
            "SIZE",
            ("s[y * P + x]",),
            "its extent `SIZE` is not rows times the pitch `P` of its uses",
        ),
        (
            "1024",
            ("s[y * 96 + x]",),
            "its extent `1024` is not rows times the pitch `96` of its uses",
        ),
        ("P * P", ("s[y * P + z * P + x]",), "its index holds the pitch `P` in two terms"),
        ("P * P", ("s[y * P / 2 + x]",), "its uses do not all name one pitch of rows"),
    ],
)
def test_flat_arrays_without_one_pitch_stay(
    extent: str, uses: tuple[str, ...], reason: str
) -> None:
    found = flat(extent, *uses)
    assert isinstance(found, str) and found.startswith(reason)


@pytest.mark.parametrize(
    "line", ["int Q = y;", "void f(int Q) {}", "#undef Q", "{ const int Q = 16; }"]
)
def test_a_constant_that_is_something_else_elsewhere_is_no_pitch(line: str) -> None:
    text = f"constexpr int Q = 32;\nvoid g() {{\n{line}\n}}\nvoid k() {{\n  __shared__ float s[Q * Q];\n  x = s[y * Q + x];\n}}\n"
    assert isinstance(SourceModel("k.cu", text).rows(Span("k.cu", 6, 3, 6, 9), "s", (1024,)), str)
    assert isinstance(
        SourceModel("k.cu", text.replace(line, "")).rows(Span("k.cu", 6, 3, 6, 9), "s", (1024,)),
        Rows,
    )


def test_a_flat_tile_is_padded_where_its_columns_stay_within_their_rows() -> None:
    (finding,) = told(FLAT)
    assert (
        "`__shared__ float s[TILE * (TILE + 1)];` and `(TILE + 1)` for `TILE` in 2 indices (128 bytes more)"
        in finding.help
    )
    wide = FLAT.replace("s[(ty * TILE) + tx]", "s[(ty / 2 * TILE) + tx + ty % 2 * 32]")
    (finding,) = told(wide)
    assert finding.fix is None and "store element i at `s[i + i / 32]`" in finding.help
    cast = FLAT.replace(
        "    __syncthreads();",
        "    reinterpret_cast<float4 *>(s)[tx] = float4();\n    __syncthreads();",
    )
    (finding,) = [one for one in told(cast) if "TILE" in one.message]
    assert (
        finding.fix is None
        and "no edit can lengthen the rows, since `s` is used without all its subscripts through a cast"
        in finding.help
    )


def test_a_flat_tile_whose_size_the_launch_gives_is_told_another_pitch() -> None:
    text = FLAT.replace("n=2048", "n=2048, dynamic_shared=4096").replace(
        "__shared__ float s[TILE * TILE]", "extern __shared__ float s[]"
    )
    (finding,) = told(text)
    assert finding.fix is None and finding.help == (
        "use a pitch of `(TILE + 1)` instead of `TILE` in 2 indices of `s` (4 bytes more per row, which the launch must provide) to "
        "make this access conflict-free; by hand, since its size is given at the launch"
    )


@pytest.mark.parametrize(
    "struct",
    [
        "struct S { int n; float t[32][32]; };",
        "struct A { float t[32][32]; }; struct S { double d; A a; };",
    ],
)
def test_a_tile_in_a_structure_is_told_its_rows(struct: str) -> None:
    name = "s.a.t" if "A a" in struct else "s.t"
    (finding,) = told(declared(f"{struct}\n", "__shared__ S s;", name))
    assert finding.fix is None and finding.help.startswith(
        f"pad the rows by 1 element: `{name}[32][33]` (128 bytes more) to make this access"
    )
    assert "by hand, since `" in finding.help and "is a member of a structure" in finding.help


# ------------------------------------------------------------------ what the compiler may do


def test_what_merging_would_free_of_conflicts_is_told_and_not_promised() -> None:
    """Sixteen lanes on a word each half of the warp, 256 bytes apart: two wavefronts of 4 bytes a
    lane, an ideal access of 16."""
    apart = made.lanes(*([0] * 16), *([256] * 16))
    open_ = {
        "status": "range",
        "reason": "compiler",
        "wavefronts": made.between(0, 2, 2),
        "example": apart,
    }
    (finding,) = check(
        made.report_of(replace(made.KERNEL, accesses=(replace(made.COLUMN_LOAD, **open_),))),
        Selection(select=("KL101",)),
    )
    assert finding.fix is None and finding.help.startswith(
        "if the compiler merges it into 16-byte accesses (check the machine code for `LDS.128` instead of `LDS`), there is no "
        "conflict and no layout is better; otherwise, "
    )
    assert any(note.startswith("cost: as written, ") for note in finding.notes)


def decided_by_unrolling(access: facts.Access) -> facts.Access:
    """Joined in pairs with a conflict, where more turns of its loop side by side would join four
    without one."""
    four = facts.Compiled(
        16,
        access.requests / 4,
        32.0,
        made.counts(2, 2),
        None,
        "range",
        access.charged_line,
        "merged",
        "shared",
    )
    two = replace(made.counts(2), mean_low=1.0)
    pairs = replace(
        four,
        bytes=8,
        requests=access.requests / 2,
        wavefronts=two,
        wider=four,
        unrolled=access.in_loop,
    )
    return replace(access, status="range", reason="compiler", as_compiled=pairs)


def test_what_the_unrolling_of_a_loop_decides_is_told_once_for_all_its_lines() -> None:
    first = decided_by_unrolling(made.COLUMN_LOAD)
    line = first.span.line + 1
    second = replace(first, span=replace(first.span, line=line, end_line=line))
    kernel = replace(made.KERNEL, accesses=(first, second))
    (finding,) = check(made.report_of(kernel), Selection(select=("KL101",), severity="info"))
    assert finding.severity == "info" and any(
        "also affects 1 more access" in note for note in finding.notes
    )


def test_what_the_unrolling_of_a_loop_decides_is_told_of_the_load_where_the_line_stores_too() -> (
    None
):
    load = decided_by_unrolling(made.COLUMN_LOAD)
    store = replace(
        load,
        op="store",
        hardware_op="store",
        wavefronts=made.counts(1),
        status="exact",
        reason="",
        as_compiled=None,
    )
    kernel = replace(made.KERNEL, accesses=(load, store))
    (finding,) = check(made.report_of(kernel), Selection(select=("KL101",), severity="info"))
    assert finding.message == (
        "`tile[threadIdx.x][threadIdx.y + j]`: 2-way bank conflict on load unless the loop is unrolled: "
        "2 wavefronts per request instead of 1 (range)"
    )


SCAN = """\
// kernlint: launch(grid=64, block=256)
__global__ void k(float *out, const float *in)
{
    __shared__ float temp[512];
    int t = threadIdx.x, offset = 1;
    temp[2 * t] = in[512 * blockIdx.x + 2 * t];
    temp[2 * t + 1] = in[512 * blockIdx.x + 2 * t + 1];
    for (int d = 256; d > 0; d /= 2) {
        __syncthreads();
        if (t < d) {
            int ai = offset * (2 * t + 1) - 1;
            int bi = offset * (2 * t + 2) - 1;
            temp[bi] += temp[ai];
        }
        offset *= 2;
    }
    __syncthreads();
    out[512 * blockIdx.x + 2 * t] = temp[2 * t];
    out[512 * blockIdx.x + 2 * t + 1] = temp[2 * t + 1];
}
"""


def test_no_pitch_is_named_where_other_indices_run_over_the_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`3 * t` for `2 * t` alone would leave `temp[ai]` where it was."""
    help_, _ = advised(SCAN, tmp_path, capsys, "k.cu")
    assert "no layout is better" in help_ and "pad the rows" not in help_


def test_no_pitch_is_named_where_an_index_without_it_reaches_the_same_elements() -> None:
    """The launch gives the size: `3 * t` for `2 * t` in what is computed for `ai` and `bi` would
    read other elements than were stored."""
    text = SCAN.replace("block=256)", "block=256, dynamic_shared=2048)")
    text = text.replace("__shared__ float temp[512]", "extern __shared__ float temp[]")
    assert text.count("extern") == 1
    helps = [one.help for one in told(text)]
    assert helps and not any("pitch" in help_ for help_ in helps)


def test_a_merge_that_would_conflict_too_is_no_way_out() -> None:
    (finding,) = told(BYTES)
    assert finding.fix is not None and "if the compiler" not in finding.help


# ------------------------------------------------------------------ what the help names

WORK_ITEMS = """\
// kernlint: launch(grid=64x64, block=16x16, n=1024)
__kernel void k(__global float *out, __global const float *in, int n)
{
    __local float tile[16][16];
    int x = get_global_id(0), y = get_global_id(1);
    tile[get_local_id(1)][get_local_id(0)] = in[y * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[y * n + x] = tile[get_local_id(0)][get_local_id(1)];
}
"""


def advised(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str = "k.cl"
) -> tuple[str, str]:
    """The help of KL101, and the patch that `kernlint tune --diff` prints."""
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    main.main([str(path), "--no-cache", "--select", "KL101", "--severity", "info"])
    help_ = " ".join(capsys.readouterr().out.split())
    main.main(["tune", str(path), "--no-cache", "--diff", "--only", "swizzle"])
    return help_, capsys.readouterr().out


def test_tune_moves_columns_that_work_items_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    help_, patch = advised(WORK_ITEMS, tmp_path, capsys)
    assert "`kernlint tune FILE` compares it with other layouts" in help_
    assert (
        "+    out[y * n + x] = tile[get_local_id(0)][get_local_id(1) ^ (get_local_id(0) % 16)];"
        in patch
    )


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        (
            "tile[get_local_id(0)]",
            "tile[clamp(get_local_id(0), 0ul, 15ul)]",
            "its index on line 8 contains a call to `clamp`",
        ),
        (
            "    barrier",
            "    tile[0][get_local_id(0) + 240] = 0;\n    barrier",
            "the column on line 7 may reach element 255 of a row of 16",
        ),
        (
            "    barrier",
            "    __local float *p = &tile[1][x & 3]; *p = 1;\n    barrier",
            "its address is taken on line 7",
        ),
    ],
)
def test_where_tune_does_not_move_columns_the_help_says_why(
    before: str, after: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    help_, patch = advised(WORK_ITEMS.replace(before, after, 1), tmp_path, capsys)
    assert (
        patch == ""
        and "kernlint tune" not in help_
        and f"by hand, since {reason}" in " ".join(help_.split())
    )


def test_findings_without_a_file_of_facts_are_held_back_too() -> None:
    source = files.from_bytes("k.cu", BYTES.encode())
    (finding,) = held_back(told(BYTES), source, Settings())
    assert finding.fix is not None and finding.fix.edits[0].content == "68"


# ------------------------------------------------------------------ rows that a pointer's type
# gives

POINTED = """#define T 32
// kernlint: launch(grid=32x32, block=32x32, n=1024, dynamic_shared=8192)
__global__ void turn(const float *in, float *out, int n)
{
    extern __shared__ float raw[];
    DECLARED
    int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    out[(blockIdx.x * T + threadIdx.y) * n + blockIdx.y * T + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
"""


@pytest.mark.parametrize(
    ("declared", "rows"),
    [
        (
            "float(*tile)[32] = reinterpret_cast<float(*)[32]>(raw);",
            "use rows of `33` instead of `32`",
        ),
        ("float (*tile)[T] = (float (*)[T])raw;", "use rows of `T + 1` instead of `T`"),
        ("auto tile = reinterpret_cast<float (*)[T]>(raw);", "use rows of `T + 1` instead of `T`"),
    ],
)
def test_rows_in_a_pointers_type_are_told_to_be_longer(declared: str, rows: str) -> None:
    (finding,) = told(POINTED.replace("DECLARED", declared))
    assert finding.fix is None and finding.help == (
        f"{rows} in the type of `tile` (4 bytes more per row, which the launch must provide) to make this access conflict-free; "
        "by hand, since its size is given at the launch"
    )


def test_of_memory_that_two_pointers_share_no_type_is_told_to_grow() -> None:
    declared = "float (*tile)[T] = (float (*)[T])raw, (*other)[T] = (float (*)[T])(raw + 1024); other[threadIdx.y][threadIdx.x] = 0;"
    (finding,) = told(POINTED.replace("DECLARED", declared))
    assert "in the type of" not in finding.help


def test_a_copy_of_one_stretch_cannot_follow_another_layout() -> None:
    source = """#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
// kernlint: launch(grid=64, block=256)
__global__ void k(const int *in, int *out) {
    __shared__ int s[2048];
    auto block = cooperative_groups::this_thread_block();
    cooperative_groups::memcpy_async(block, s, in + blockIdx.x * 2048, sizeof(int) * 2048);
    cooperative_groups::wait(block);
    out[blockIdx.x * 256 + threadIdx.x] = s[threadIdx.x * 8];
}"""
    (finding,) = told(source)
    assert finding.fix is None and finding.help.endswith(
        "no edit can lengthen the rows, since `s` is used without all its subscripts on line 7; "
        "the copy on line 7 fills a contiguous range: for another layout, let each thread copy its own elements"
    )


def test_copies_of_single_elements_can_follow_another_layout() -> None:
    source = """// kernlint: launch(grid=64, block=256)
__global__ void k(const int *in, int *out) {
    __shared__ int s[2048];
    __pipeline_memcpy_async(&s[threadIdx.x], in + blockIdx.x * 2048 + threadIdx.x, 4);
    __pipeline_wait_prior(0);
    __syncthreads();
    int *all = s;
    out[blockIdx.x * 256 + threadIdx.x] = s[threadIdx.x * 8] + all[5];
}"""
    (finding,) = told(source)
    assert (
        "no edit can lengthen the rows" in finding.help and "contiguous range" not in finding.help
    )
