"""Fixes: edits land where they should, files keep their form, and nothing is changed that does not
make the numbers better."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernlint.base.span import Span
from kernlint.base.usage import UsageError
from kernlint.cli import main
from kernlint.fixing.fixer import fixed
from kernlint.model.finding import Edit, Finding, Fix, Metrics
from kernlint.source.edits import applied, difference, write
from kernlint.source_model.model import SourceModel
from tests.places import SAMPLES

CAST = " through a cast to another type"
TILE = """\
// kernlint: launch(grid=32x32, block=32x8, n=1024)
__global__ void transpose(float *out, const float *in, int n)
{
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
"""


def edit(first: int, last: int, content: str, line: int = 1) -> Edit:
    return Edit(Span("k.cu", line, first, line, last), content)


@given(st.text(alphabet="ab\né漢", max_size=40), st.data())
def test_edits_replace_exactly_their_stretch(text: str, data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(text)))
    last = data.draw(st.integers(first, len(text)))

    def at(position: int) -> tuple[int, int]:
        return text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)

    one = Edit(Span("k.cu", *at(first), *at(last)), "XY")
    assert applied(text, [one, one]) == text[:first] + "XY" + text[last:]


def test_edits_that_touch_are_refused() -> None:
    assert applied("abcdef", [edit(1, 3, "x"), edit(2, 4, "y")]) is None
    assert applied("abcdef", [edit(1, 1, "x"), edit(1, 1, "y")]) is None
    assert applied("abcdef", [edit(1, 3, "x"), edit(3, 4, "y")]) == "xydef"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a\r\nb\r\n", b"a\r\nc\r\n"),
        (b"a\nb\r\n", b"a\nc\r\n"),
        (b"\xef\xbb\xbfa\nb", b"\xef\xbb\xbfa\nc"),
        ("a\nb".encode("utf-16"), "a\nc".encode("utf-16")),
        (b"a\rb", b"a\rc"),
    ],
)
def test_files_keep_their_form(tmp_path: Path, before: bytes, after: bytes) -> None:
    path = tmp_path / "k.cu"
    path.write_bytes(before)
    path.chmod(0o751)
    write(str(path), "a\nc\n" if before.endswith(b"\n") else "a\nc")
    assert path.read_bytes() == after and path.stat().st_mode & 0o777 == 0o751
    assert [p.name for p in tmp_path.iterdir() if p.is_file()] == ["k.cu"]


def test_a_file_with_foreign_bytes_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_bytes(b"// caf\xe9\n")
    with pytest.raises(UsageError, match="not valid UTF-8 and was not changed"):
        write(str(path), "x\n")
    assert path.read_bytes() == b"// caf\xe9\n"


# ------------------------------------------------------------------ what is kept


def offer(text: str, message: str, wavefronts: float) -> Finding:
    fix = Fix("safe", message, (edit(1, 2, message),))
    metrics = Metrics(wavefronts=wavefronts, ideal_wavefronts=1, requests=10)
    return Finding(
        "KL101",
        "shared-bank-conflict",
        "warning",
        "m",
        Span("k.cu", 1, 1, 1, 2),
        fix=fix,
        metrics=metrics,
    )


def test_what_does_not_help_is_refused() -> None:
    costs = {"a": 8.0, "b": 8.0, "c": 9.0, "d": 2.0}

    def judge(text: str) -> list[Finding]:
        return (
            [] if text == "d" else [offer(text, better, costs[text]) for better in ("b", "c", "d")]
        )

    result = fixed("a", "k.cu", judge, unsafe=False)
    assert result.text == "d" and [f.fix.message for f in result.done if f.fix] == ["d"]
    told = [f"with this fix KL101 finds {how} before" for how in ("as much as", "more than")]
    assert [reason for _, reason in result.refused] == told


def test_a_fix_that_costs_another_rule_is_refused() -> None:
    def judge(text: str) -> list[Finding]:
        return (
            [offer(text, "b", 8)]
            if text == "a"
            else [replace(offer(text, "b", 1), code="KL201", fix=None)]
        )

    result = fixed("a", "k.cu", judge, unsafe=False)
    assert (
        result.text == "a" and result.refused[0][1] == "with this fix KL201 finds more than before"
    )


def test_of_fixes_with_counts_the_greatest_is_made_first() -> None:
    """`b` and `c` both help, and `c` makes `b` superfluous; `d` is in another kernel, `e` has no
    counts and comes last."""
    costs = {"b": 3.0, "c": 9.0, "d": 2.0, "e": 0.0}
    tried: list[str] = []

    def judge(text: str) -> list[Finding]:
        tried.append(text)
        left = [name for name in text if not ("C" in text and name == "b")]
        offers = [
            replace(offer(text, name.upper(), costs[name]), span=place(text, name))
            for name in left
            if name in costs
        ]
        return [
            replace(one, kernel=kernel_of(one), fix=at(one), metrics=counts(one)) for one in offers
        ]

    def place(text: str, name: str) -> Span:
        return edit(text.index(name) + 1, text.index(name) + 2, "").span

    def kernel_of(one: Finding) -> str:
        return "other" if one.fix and one.fix.message == "D" else "k<16>"

    def at(one: Finding) -> Fix:
        assert one.fix is not None
        return replace(one.fix, edits=(Edit(one.span, one.fix.message),))

    def counts(one: Finding) -> Metrics:
        return Metrics() if one.fix and one.fix.message == "E" else one.metrics

    result = fixed("bcde", "k.cu", judge, unsafe=False)
    assert result.text == "bCDE" and not result.refused
    assert tried == ["bcde", "bCDe", "bCDE"]


HIDDEN = """\
// kernlint: launch(grid=64, block=32x8)
__global__ void k(float *out, const float *in)
{
    __shared__ float tile[8][32];
    float s = 0;
    for (int i = 0; i < 4000; ++i)
        s += in[(i * 64 + blockIdx.x) * 256 + threadIdx.y * 32 + threadIdx.x];
    if (threadIdx.y == 0)
        for (int j = 0; j < 8; ++j) tile[j][threadIdx.x] = s;
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x % 8][threadIdx.y];
}
"""


@pytest.mark.slow
def test_a_layout_that_gains_nothing_is_not_made_and_the_reason_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The conflict is one request of a warp, behind 4,000 loads that the launch waits for."""
    file = tmp_path / "k.cu"
    file.write_text(HIDDEN)
    assert main.main([str(file), "--no-cache", "--fix", "--unsafe-fixes"]) == 1
    told = capsys.readouterr().err.splitlines()[0]
    assert "not fixed [KL101]: Pad the rows of `tile` by 1 element: no gain: an estimated " in told
    assert told.endswith("although KL101 finds less; --idle-fixes applies it anyway")
    assert file.read_text() == HIDDEN
    assert main.main([str(file), "--no-cache", "--fix", "--unsafe-fixes", "--idle-fixes"]) == 0
    assert file.read_text() == HIDDEN.replace("tile[8][32]", "tile[8][33]")
    assert (
        ": fixed [KL101]: Pad the rows of `tile` by 1 element: an estimated 358,846 cycles instead of 358,853 ("
        in capsys.readouterr().err
    )


SWAPPED = """\
__global__ void k(float *o, const float *p)
{
    int x = threadIdx.x, y = threadIdx.y;
    o[x * 8 + y] = p[x * 8 + y] * 2.f;
}
void h(float *o, const float *p) { k<<<1, dim3(8, 8)>>>(o, p); }
"""


@pytest.mark.slow
def test_what_is_said_to_make_a_fix_that_gains_nothing_makes_that_fix(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A swap of indices, which no layout is."""
    file = tmp_path / "k.cu"
    file.write_text(SWAPPED)
    assert main.main([str(file), "--no-cache", "--fix", "--unsafe-fixes"]) == 1
    assert (
        "no gain: an estimated 4,910 cycles" in capsys.readouterr().err
        and file.read_text() == SWAPPED
    )
    assert main.main([str(file), "--no-cache", "--fix", "--unsafe-fixes", "--idle-fixes"]) == 0
    assert "int x = threadIdx.y, y = threadIdx.x;" in file.read_text()


def test_what_makes_a_kernel_take_longer_is_not_made() -> None:
    cycles = {"a": 1000.0, "b": 1100.0}

    def judge(text: str) -> list[Finding]:
        return [offer(text, "b", 8)] if text == "a" else []

    result = fixed(
        "a", "k.cu", judge, unsafe=False, timed=lambda text: {"": cycles[text]}, idle=True
    )
    told = "the kernel would be slower: an estimated 1,100 cycles instead of 1,000, although KL101 finds less"
    assert result.text == "a" and result.refused[0][1] == told


@pytest.mark.slow
def test_without_an_estimate_a_layout_is_made_and_no_gain_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "k.cu"
    file.write_text(
        "\n".join(HIDDEN.splitlines()[1:]).replace("4000", "n").replace("*in)", "*in, int n)")
    )
    main.main(
        [str(file), "--no-cache", "--fix", "--unsafe-fixes", "--grid", "64", "--block", "32x8"]
    )
    told = capsys.readouterr().err.splitlines()[0]
    assert (
        told.endswith("fixed [KL101]: Pad the rows of `tile` by 1 element")
        and "tile[8][33]" in file.read_text()
    )


def test_what_was_refused_for_nothing_is_tried_again_on_a_new_text() -> None:
    """`b` changes the time only once `c` is made."""
    costs = {
        "a": (9.0, 9.0),
        "ab": (1.0, 9.0),
        "ac": (9.0, 1.0),
        "abc": (1.0, 1.0),
        "acb": (1.0, 1.0),
    }
    cycles = {"a": 1000.0, "ab": 1000.0, "ac": 500.0, "abc": 1000.0, "acb": 400.0}

    def judge(text: str) -> list[Finding]:
        at = edit(len(text) + 1, len(text) + 1, "").span
        offers = [(name, cost) for name, cost in zip("bc", costs[text], strict=True) if cost > 1]
        return [
            replace(
                offer(text, name, cost), code=f"KL{name}", fix=Fix("safe", name, (Edit(at, name),))
            )
            for name, cost in offers
        ]

    result = fixed("a", "k.cu", judge, unsafe=False, timed=lambda text: {"": cycles[text]})
    assert (
        result.text == "acb"
        and result.gains == ((1000.0, 500.0), (500.0, 400.0))
        and not result.refused
    )


GEMM = """\
// kernlint: launch(grid=64x64, block=16x16, M=1024, N=1024, K=1024)
__global__ void gemm(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float As[16][16];
    __shared__ float Bs[16][16];
    int row = blockIdx.x * 16 + threadIdx.x;
    int col = blockIdx.y * 16 + threadIdx.y;
    float acc = 0;
    for (int k0 = 0; k0 < K; k0 += 16) {
        As[threadIdx.x][threadIdx.y] = A[row * K + k0 + threadIdx.y];
        Bs[threadIdx.x][threadIdx.y] = B[(k0 + threadIdx.x) * N + col];
        __syncthreads();
        for (int k = 0; k < 16; ++k) acc += As[threadIdx.x][k] * Bs[k][threadIdx.y];
        __syncthreads();
    }
    C[row * N + col] = acc;
}
"""


@pytest.mark.slow
def test_a_swap_that_removes_the_conflicts_leaves_the_rows_as_they_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Padded too, the rows would no longer let the compiler merge four loads into one."""
    after = padded(GEMM, tmp_path)
    assert after == GEMM.replace("threadIdx.x", "#").replace("threadIdx.y", "threadIdx.x").replace(
        "#", "threadIdx.y"
    )
    assert "KL101" not in capsys.readouterr().err


# ------------------------------------------------------------------ padding


def padded(text: str, tmp_path: Path, *options: str) -> str:
    path = tmp_path / "k.cu"
    path.write_text(text, encoding="utf-8")
    main.main([str(path), "--fix", "--unsafe-fixes", *options])
    return path.read_text(encoding="utf-8")


@pytest.mark.slow
def test_padding_is_made_and_proved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert padded(TILE, tmp_path) == TILE.replace("tile[32][32]", "tile[32][33]")
    assert "k.cu:11: fixed [KL101]: Pad the rows of `tile` by 1 element" in capsys.readouterr().err
    assert main.main([str(tmp_path / "k.cu")]) == 0


@pytest.mark.slow
def test_unsafe_fixes_need_to_be_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.cu"
    path.write_text(TILE, encoding="utf-8")
    assert main.main([str(path), "--fix"]) == 1
    assert path.read_text(encoding="utf-8") == TILE
    assert (
        "not fixed [KL101]: Pad the rows of `tile` by 1 element: it changes a layout or needs review"
        in capsys.readouterr().err
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (
            "    float4 *wide = reinterpret_cast<float4 *>(tile); wide[0].x = 1;",
            f"is used without all its subscripts{CAST} on line 5",
        ),
        (
            "    float (*rows)[32] = tile; rows[1][x & 31] = 1;",
            "is used without all its subscripts on line 5",
        ),
        (
            "    float (*row)[32] = &tile[1]; (*row)[x & 31] = 1;",
            "is used without all its subscripts on line 5",
        ),
        (
            "    decltype(tile[1]) row = tile[1]; row[x & 31] = 1;",
            "is measured with decltype on line 5",
        ),
        ("    if (n == sizeof(tile)) return;", "is measured with sizeof on line 5"),
        ("    if (n == sizeof tile) return;", "is measured with sizeof on line 5"),
        ("    for (float &v : tile[0]) v = 0;", "is used without all its subscripts on line 5"),
    ],
)
def test_padding_is_refused_where_the_layout_shows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str, reason: str
) -> None:
    text = TILE.replace("    int x", f"{line}\n    int x").replace("int x = ", "int x = ", 1)
    declared = text.replace(line, "    int x0 = 0;\n" + line)
    assert layout_matters(text, Span("k.cu", 4, 1, 4, 2), "tile") == f"`tile` {reason}"
    assert "tile[32][33]" not in padded(declared, tmp_path)


def layout_matters(text: str, declaration: Span, name: str) -> str:
    """Why the rows of an array of two dimensions must stay as long as they are."""
    found = SourceModel("k.cu", text).uses(declaration, name, 2)
    return found if isinstance(found, str) else ""


@pytest.mark.parametrize(
    "use",
    [
        "n & tile[0][1]",
        "f(tile[0][1], 2)",
        "tile [ 0 ] [ g(1)[2] ]",
        "s.tile",
        "p->tile",
        "(&n)[tile[0][1]]",
    ],
)
def test_plain_subscripts_do_not_matter(use: str) -> None:
    text = f"void k() {{\n  __shared__ float tile[32][32];\n  x = {use};\n}}\nvoid other(float *tile) {{ f(tile); }}\n"
    assert layout_matters(text, Span("k.cu", 2, 3, 2, 9), "tile") == ""


@pytest.mark.parametrize(
    "line",
    [
        "#include <h.h>",
        '#include "h"',
        "#if defined(h) && h",
        "#define SQ(h) ((h) * (h))",
        "#define H(p) p->h + (p).h",
    ],
)
def test_words_of_directives_are_no_uses(line: str) -> None:
    text = f"{line}\n#endif\nvoid k() {{\n  __shared__ float h[32][32];\n#include <h.h>\n  x = h[0][1];\n}}\n"
    assert layout_matters(text, Span("k.cu", 4, 3, 4, 9), "h") == ""


@pytest.mark.parametrize(
    "line", ["#define AT(i) h[i][0]", "#define h other", "#define SQ (h)", "#define P(p) p->x + h"]
)
def test_macros_that_may_use_a_name(line: str) -> None:
    text = f"{line}\nvoid k() {{\n  __shared__ float h[32][32];\n  x = h[0][1];\n}}\n"
    assert (
        layout_matters(text, Span("k.cu", 3, 3, 3, 9), "h")
        == "`h` may be used by the macro on line 1"
    )


NEARLY_FULL = """\
__global__ void f(float *o, const float *a)
{
    __shared__ float t[2][112][32], big[5000];
    t[0][threadIdx.y][threadIdx.x] = a[threadIdx.y * 32 + threadIdx.x];
    big[threadIdx.x] = 0;
    __syncthreads();
    o[threadIdx.y * 32 + threadIdx.x] = t[0][threadIdx.x][threadIdx.y] + big[threadIdx.x];
}
void go(float *o, const float *a) { f<<<1, dim3(32, 32)>>>(o, a); }
"""


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--select", "KL101"],
        ["--ignore", "KL602"],
        ["--severity", "error", "--select", "KL101"],
    ],
)
def test_a_block_is_never_padded_over_the_memory_it_may_have(
    tmp_path: Path, options: list[str]
) -> None:
    assert padded(NEARLY_FULL, tmp_path, *options) == NEARLY_FULL
    silent = NEARLY_FULL.replace("__global__", "// kernlint: file-ignore[KL602] known\n__global__")
    assert padded(silent, tmp_path, *options) == silent


FLAT = """\
__global__ void f(float *o, const float *a)
{
    __shared__ float t[32][32];
    t[0][threadIdx.y * 32 + threadIdx.x] = a[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    o[threadIdx.y * 32 + threadIdx.x] = t[threadIdx.x][threadIdx.y];
}
void go(float *o, const float *a) { f<<<1, dim3(32, 32)>>>(o, a); }
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "caveat"),
    [
        (
            FLAT,
            "; changing the declaration is not enough: the column on line 4 may reach element 1023 of a row of 32",
        ),
        (
            NEARLY_FULL,
            ", but the kernel would not compile: 49,568 bytes of static arrays, the limit is 49,152",
        ),
    ],
)
@pytest.mark.parametrize("form", ["full", "html"])
def test_no_edit_is_promised_that_will_not_be_made(
    text: str, caveat: str, form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.cu"
    path.write_text(text, encoding="utf-8")
    assert main.main([str(path), "--output-format", form]) == 1
    told = " ".join(capsys.readouterr().out.split())
    assert caveat in told and "available (preview" not in told
    main.main([str(path), "--unsafe-fixes", "--diff"])
    assert capsys.readouterr().out == ""
    path.write_text(
        text.replace("t[0][threadIdx.y * 32 + threadIdx.x]", "t[threadIdx.y][threadIdx.x]").replace(
            "5000", "40"
        ),
        encoding="utf-8",
    )
    main.main([str(path)])
    told = capsys.readouterr().out
    assert (
        "1 fix available (preview with --unsafe-fixes --diff)" in told
        and "not enough" not in told
        and "would then" not in told
    )


@pytest.mark.slow
def test_samples_get_better_and_stay_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for sample in SAMPLES.glob("transpose.*"):
        (tmp_path / sample.name).write_bytes(sample.read_bytes())
    assert main.main([str(tmp_path), "--unsafe-fixes", "--diff"]) == 1
    shown = capsys.readouterr().out
    assert main.main([str(tmp_path), "--unsafe-fixes", "--fix", "--diff"]) == 1
    assert capsys.readouterr().out == shown
    assert all(
        (tmp_path / sample.name).read_bytes() == sample.read_bytes()
        for sample in SAMPLES.glob("transpose.*")
    )
    assert (
        shown.count("+    __shared__ float tile[TILE][TILE + 1];") == 1
        and shown.count("+    __local float tile[TILE][TILE + 1];") == 1
    )
    main.main([str(tmp_path), "--unsafe-fixes", "--fix"])
    capsys.readouterr()
    assert main.main([str(tmp_path), "--unsafe-fixes", "--diff"]) == 0
    assert capsys.readouterr().out == ""
    main.main([str(tmp_path), "--select", "KL101"])
    assert "transpose_tiled" not in capsys.readouterr().out


@pytest.mark.slow
def test_a_difference_says_how_much_of_the_findings_it_holds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    branches, transpose = str(SAMPLES / "branches.cu"), str(SAMPLES / "transpose.cu")
    assert main.main([branches, "--unsafe-fixes", "--diff"]) == 0
    shown = capsys.readouterr()
    assert shown.out == "" and shown.err == "kernlint: nothing to change: 2 findings have no edit\n"
    main.main([transpose, "--diff"])
    shown = capsys.readouterr()
    assert shown.out == "" and shown.err.endswith(
        "\nkernlint: nothing to change: 1 refused, 1 finding has no edit\n"
    )
    assert main.main([transpose, "--unsafe-fixes", "--diff"]) == 1
    shown = capsys.readouterr()
    assert shown.out.startswith("--- ") and shown.err.endswith(
        "\nkernlint: 1 edit, 1 finding has no edit\n"
    )
    clean = tmp_path / "clean.cu"
    clean.write_text("int nothing;\n", encoding="utf-8")
    assert main.main([str(clean), "--diff"]) == 0
    assert capsys.readouterr().err == "kernlint: nothing to change: no findings\n"


SWIZZLED = """\
// kernlint: launch(grid=64x64, block=16x16)
__global__ void k(float *out, const float *in, int n)
{
    __shared__ float tile[16][16];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}
"""


@pytest.mark.slow
def test_a_swizzle_is_told_with_the_command_that_makes_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.cu"
    path.write_text(SWIZZLED, encoding="utf-8")
    main.main([str(path), "--select", "KL101"])
    told = " ".join(capsys.readouterr().out.split())
    assert (
        "at column `c ^ (r % 16)`" in told
        and "`kernlint tune FILE` compares it with other layouts (`--diff` prints a patch)" in told
    )
    main.main(["tune", str(path), "--diff", "--only", "swizzle"])
    assert (
        "+    out[y * n + x] = tile[threadIdx.x][threadIdx.y ^ (threadIdx.x % 16)];"
        in capsys.readouterr().out
    )


# ------------------------------------------------------------------ the other fixes


def test_float_literals_and_shuffles(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = """\
// kernlint: launch(grid=64, block=256)
__global__ void k(float *a)
{
    float v = a[blockIdx.x * 256 + threadIdx.x] * 0.1 + 1.7;
    v += __shfl_down(v, 16);
    a[blockIdx.x * 256 + threadIdx.x] = v;
}
"""
    after = padded(text, tmp_path)
    assert "* 0.1f + 1.7f;" in after
    assert "__shfl_down_sync(0xffffffff, v, 16);" in after


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--unsafe-fixes"], "add --fix or --diff"),
        (["--idle-fixes"], "--idle-fixes selects fixes: add --fix or --diff"),
        (["--fix", "--watch"], "cannot be combined with"),
    ],
)
def test_contradictions(capsys: pytest.CaptureFixture[str], words: list[str], told: str) -> None:
    assert main.main(["k.cu", *words]) == 2
    assert told in capsys.readouterr().err


@pytest.mark.slow
def test_several_files_are_fixed_by_workers_as_by_one_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kernlint.pipeline import workers

    spread: list[int] = []
    real = workers.spread
    monkeypatch.setattr(
        workers,
        "spread",
        lambda task, works, left, *how: (spread.append(len(left)), real(task, works, left, *how))[
            1
        ],
    )
    literal = "// kernlint: launch(grid=4, block=64)\n__global__ void k(float *a) {{ a[64 * blockIdx.x + threadIdx.x] *= 0.1{}; }}\n"
    outcomes = []
    for jobs in ("1", "3"):
        folder = tmp_path / jobs
        folder.mkdir()
        for name, suffix in (("a", ""), ("b", "f"), ("c", ""), ("d", "")):
            (folder / f"{name}.cu").write_text(literal.format(suffix), encoding="utf-8")
        monkeypatch.chdir(folder)
        assert main.main([".", "--fix", "--unsafe-fixes", "-j", jobs]) == 0
        outcomes.append([path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.cu"))])
    assert outcomes[0] == outcomes[1] == [literal.format("f")] * 4
    assert spread == [3]  # three files offer an edit


def test_a_difference_is_one_that_patch_takes() -> None:
    """Only a line feed ends a line, and a last line without one is marked."""
    before = "a // \f\x85 one line\n{ b }"
    assert "".join(difference(before, before.replace("b", "c"), "k.cu")) == (
        "--- k.cu\n+++ k.cu\n@@ -1,2 +1,2 @@\n a // \f\x85 one line\n-{ b }\n\\ No newline at end of file\n"
        "+{ c }\n\\ No newline at end of file\n"
    )


@pytest.mark.slow
def test_what_was_fixed_and_what_is_left_is_summed_up(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was done or refused line by line, what is left in lines rather than in full, unless a
    format is asked for."""
    file = tmp_path / "transpose.cu"
    file.write_bytes((SAMPLES / "transpose.cu").read_bytes())
    assert main.main([str(file)]) == 1
    assert "); 1 fix available (preview with --unsafe-fixes --diff)\n" in capsys.readouterr().out
    assert main.main([str(file), "--fix"]) == 1
    shown = capsys.readouterr()
    assert [line.split(": ")[0] for line in shown.out.splitlines()] == [
        f"{file}:13:9",
        f"{file}:28:32",
    ]
    assert shown.err.startswith(
        f"{file}:28: not fixed [KL101]: Pad the rows of `tile` by 1 element: "
    )
    assert (
        "\n0 fixed, 1 not; left: 2 warnings in 2 of 3 kernels (1 file, " in shown.err
        and "available" not in shown.err
    )
    assert main.main([str(file), "--fix", "--unsafe-fixes", "--output-format", "full"]) == 1
    shown = capsys.readouterr()
    gained = "an estimated 13,857 cycles instead of 38,784 (64.3 % less)"
    assert shown.err == f"{file}:28: fixed [KL101]: Pad the rows of `tile` by 1 element: {gained}\n"
    assert (
        "= help: " in shown.out
        and "\n1 fixed; left: 1 warning in 1 of 3 kernels (1 file, " in shown.out
    )


def test_what_is_refused_counts_once_wherever_it_moves_to() -> None:
    """An edit before it on its line moves it, and it is refused there again."""

    def judge(text: str) -> list[Finding]:
        found = []
        for word, better in (("bb", "b"), ("aa", "aaa")):
            column = text.find(f" {word} ") + 2
            if column > 1:
                span = Span("k.cu", 1, column, 1, column + len(word))
                fix = Fix("safe", f"Write {better}", (Edit(span, better),))
                found.append(Finding("KL701", "x", "warning", word, span, fix=fix))
        return found

    done = fixed(
        " aa bb ",
        "k.cu",
        judge,
        False,
        lambda text, finding: "never" if finding.message == "bb" else "",
    )
    assert (done.text, len(done.done), [reason for _, reason in done.refused]) == (
        " aaa bb ",
        1,
        ["never"],
    )


@pytest.mark.slow
def test_a_difference_has_the_line_ends_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`patch` refuses another: "different line endings"."""
    monkeypatch.chdir(tmp_path)
    Path("k.cu").write_bytes(TILE.replace("\n", "\r\n").encode())
    assert main.main(["k.cu", "--unsafe-fixes", "--diff", "--no-cache", "--isolated"]) == 1
    told = capsys.readouterr().out.split("\n")
    changed = [line.rstrip() for line in told if line[:1] in ("+", "-") and line[1:2] == " "]
    assert changed == ["-    __shared__ float tile[32][32];", "+    __shared__ float tile[32][33];"]
    assert all(
        line.endswith("\r")
        for line in told
        if line[:1] in (" ", "+", "-") and line[:3] not in ("+++", "---")
    )


VOTES = """\
// kernlint: launch(grid=1, block=64)
__global__ void k(unsigned *y, const int *x)
{
    bool low = x[threadIdx.x] < 7;
    if (__any(low)) y[0] = __ballot(low);
    if (threadIdx.x % 2) {
        y[1] = __all(low);
    }
    y[threadIdx.x] += 1;
    __syncthreads();
}
"""


@pytest.mark.slow
def test_votes_get_a_mask_where_all_lanes_of_the_warp_come(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.cu"
    path.write_text(VOTES, encoding="utf-8")
    main.main([str(path), "--no-cache", "--select", "KL703", "--fix", "--unsafe-fixes"])
    after = path.read_text(encoding="utf-8")
    assert "if (__any_sync(0xffffffff, low)) y[0] = __ballot_sync(0xffffffff, low);" in after
    assert (
        "y[1] = __all(low);" in after and "KL403 finds more than before" in capsys.readouterr().err
    )


def test_devices_without_masks_are_asked_for_none(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text(VOTES, encoding="utf-8")
    assert main.main([str(path), "--no-cache", "--select", "KL703", "--device", "gtx-480"]) == 0
    assert main.main([str(path), "--no-cache", "--select", "KL703", "--device", "gtx-780-ti"]) == 1
