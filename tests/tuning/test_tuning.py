"""`kernlint tune`: every figure is an analysis of the changed text, what cannot be shown to be the
same is refused with its reason."""

from __future__ import annotations

import json
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernlint import hardware
from kernlint.base.usage import CHANGES
from kernlint.checks.shared_memory.padding import Solved, Swizzle
from kernlint.cli import main
from kernlint.model.settings import Settings
from kernlint.pipeline import engine, workers
from kernlint.source import files
from kernlint.source.edits import applied
from kernlint.tuning.arrays import TunedArray, arrays
from kernlint.tuning.figures import Figures, better, figures, ranked
from kernlint.tuning.layouts import layouts
from kernlint.tuning.search import Subject, Tuned, tune
from tests.places import ROOT

SCHEMA = json.loads((ROOT / "schemas" / "tune.schema.json").read_text(encoding="utf-8"))
TRANSPOSE = """\
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
SAXPY = """\
// kernlint: launch(grid=3907, block=256, n=1000000)
__global__ void saxpy(float *y, const float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
"""


def tuned(text: str, kinds: tuple[str, ...] = CHANGES, **settings: Any) -> Tuned:
    how = Settings(estimate=True, **settings)
    return tune(
        files.Source("k.cu", "cuda", text), how, kinds, lambda works: workers.run(works, 1, None)
    )


def array(text: str, name: str = "tile") -> Subject:
    (subject,) = [
        one for one in tuned(text, ("padding", "swizzle", "skew")).subjects if one.array == name
    ]
    return subject


def block(text: str, **settings: Any) -> Subject:
    (subject,) = tuned(text, ("block",), **settings).subjects
    return subject


# ------------------------------------------------------------------ figures


@pytest.mark.slow
def test_every_option_is_what_a_report_on_the_changed_text_says() -> None:
    subject = array(TRANSPOSE)
    assert {option.kind for option in subject.options} == {"padding", "swizzle"}
    for option in subject.options:
        text = applied(TRANSPOSE, option.edits)
        file = engine.analyse_source(files.Source("k.cu", "cuda", text), Settings(estimate=True))
        assert option.figures == figures(file.kernels[0]), option.title


@pytest.mark.slow
def test_layouts_are_ranked_and_the_best_are_free_of_conflicts() -> None:
    subject = array(TRANSPOSE)
    for before, after in pairwise(subject.options):
        assert not better(after.figures, before.figures), (before.title, after.title)
    assert subject.baseline.wavefronts == 32 * 32 * 8 * 4 * (1 + 32)
    best = {
        kind: next(o for o in subject.options if o.kind == kind) for kind in ("padding", "swizzle")
    }
    for option in best.values():
        assert option.figures.wavefronts == 2 * 32 * 32 * 8 * 4
        assert (option.figures.cycles or 0) < (subject.baseline.cycles or 0)
    assert (
        best["padding"].figures.shared_bytes == 4 * 32 * 33
        and best["swizzle"].figures.shared_bytes == 4 * 32 * 32
    )


SQUARE = (
    TRANSPOSE.replace("32", "16").replace("block=16x8", "block=16x16").replace("j += 8", "j += 16")
)


@pytest.mark.slow
def test_times_within_the_models_error_are_ties(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A swizzle that takes fewer wavefronts is neither hidden nor worse for a time that differs by
    less than a percent."""
    subject = array(SQUARE)
    first = subject.options[0]
    assert subject.best is first and first.kind == "swizzle"
    assert first.figures.ties(subject.baseline) and (first.figures.cycles or 0) > (
        subject.baseline.cycles or 0
    )
    assert first.figures.wavefronts == min(
        option.figures.wavefronts or 0 for option in subject.options
    )
    path = tmp_path / "k.cu"
    path.write_text(SQUARE, encoding="utf-8")
    _, out, _ = run(capsys, str(path), "--only", "padding,swizzle")
    (row,) = [line for line in out.splitlines() if line.strip().startswith("1 ")]
    assert (
        "swizzle: column c of row r at c ^ (r % 16)" in row
        and f"{first.figures.wavefronts:,.0f}" in row
    )
    assert (
        "times within 1 % are ties: fewer wavefronts first, then fewer requests, then fewer bytes"
        in out
    )


def of(cycles: int | None, wavefronts: float, shared_bytes: int = 0) -> Figures:
    return Figures(cycles, cycles, cycles, None, wavefronts, 0, 1, shared_bytes, 1, "exact")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (of(989, 9), of(1000, 8)),
        (of(1005, 8), of(1000, 9)),
        (of(1005, 8, 1), of(1000, 8, 2)),
        (of(1000, 9), of(None, 8)),
        (of(None, 8), of(None, 9)),
    ],
)
def test_what_is_better(one: Figures, other: Figures) -> None:
    assert better(one, other) and not better(other, one)


def test_what_ties_in_all_is_no_better() -> None:
    assert not better(of(1005, 8), of(1000, 8)) and not better(of(1000, 8), of(1005, 8))


@pytest.mark.slow
@given(
    st.lists(st.tuples(st.integers(950, 1100), st.integers(1, 3), st.integers(1, 2)), max_size=12),
    st.integers(950, 1100),
)
def test_ranking_puts_all_that_is_better_first(found: list[tuple[int, int, int]], now: int) -> None:
    """Ties do not chain: the order is of classes that start at the fastest left, and what beats the
    present form stands before them."""
    baseline, some = of(now, 2, 1), [of(*one) for one in found]
    order = ranked(some, lambda one: one, baseline)
    assert sorted(map(str, order)) == sorted(map(str, some))
    improves = [better(one, baseline) for one in order]
    assert improves == sorted(improves, reverse=True)
    for before, after in combinations(order, 2):
        if better(before, baseline) == better(after, baseline):
            assert before.time <= after.time or (
                before.ties(after) and before.counts <= after.counts
            )


@pytest.mark.slow
def test_forms_that_change_nothing_are_counted_and_not_listed() -> None:
    subject = array(TRANSPOSE.replace("tile[32][32]", "tile[32][34]"))
    assert subject.same > 0 and subject.best is not None
    assert all(option.figures.outcome != subject.baseline.outcome for option in subject.options)


def test_an_array_without_conflicts_is_not_searched() -> None:
    subject = array(TRANSPOSE.replace("tile[32][32]", "tile[32][33]"))
    assert (
        subject.kept == "all its accesses take the ideal number of wavefronts"
        and not subject.options
        and not subject.same
    )


def test_a_tile_that_is_as_large_as_the_block_is_named() -> None:
    assert (
        block(TRANSPOSE).kept
        == "`tile` matches the block: its extent 32 is blockDim.x, and both would have to change together"
    )


@pytest.mark.slow
def test_a_flat_array_gets_gaps_or_an_exclusive_or() -> None:
    subject = array(
        "// kernlint: launch(grid=64, block=32)\n"
        "__global__ void flat(float *out, const float *in)\n{\n    __shared__ float s[1024];\n"
        "    for (int j = 0; j < 32; ++j) s[threadIdx.x * 32 + j] = in[j * 32 + threadIdx.x];\n    __syncthreads();\n"
        "    for (int j = 0; j < 32; ++j) out[j * 32 + threadIdx.x] = s[threadIdx.x * 32 + j];\n}\n",
        "s",
    )
    found: dict[str, float] = {}
    for option in subject.options:
        found.setdefault(option.kind, option.figures.wavefronts or 0)
    assert found == {
        "padding": 64 * 64,
        "skew": 64 * 64,
        "swizzle": 64 * 64,
    }  # the compiler no longer merges four stores
    assert subject.baseline.wavefronts == 64 * 2 * 8 * 32  # as the compiler merges them


@pytest.mark.slow
def test_requests_of_an_array_are_not_averaged_with_those_of_others() -> None:
    text = TRANSPOSE.replace(
        "// kernlint: launch(grid=32x32, block=32x8, n=1024)\n", "__launch_bounds__(256) "
    ).replace("tile[32][32];", "tile[32][32], other[256];\n    other[threadIdx.x] = n;")
    subject = array(text)
    assert subject.baseline.wavefronts is None
    (kernel,) = subject.kernels
    own = [
        a.wavefronts.mean
        for a in kernel.accesses
        if a.object == "tile" and a.wavefronts is not None
    ]
    assert subject.baseline.per_request == sum(own) / len(own) != figures(kernel).per_request
    assert min(option.figures.per_request for option in subject.options) == 1


@pytest.mark.slow
def test_layouts_of_several_arrays_are_also_analysed_at_once() -> None:
    text = TRANSPOSE.replace("float tile[32][32];", "float tile[32][32], more[32][32];").replace(
        "tile[threadIdx.x][threadIdx.y + j];",
        "tile[threadIdx.x][threadIdx.y + j] + more[threadIdx.x][threadIdx.y + j];",
    )
    text = text.replace(
        "in[(y + j) * n + x];", "in[(y + j) * n + x], more[threadIdx.y + j][threadIdx.x] = 1.0f;", 1
    )
    found = tuned(text, ("padding",))
    assert found.together is not None and found.together_baseline is not None
    assert found.together.figures.wavefronts == 4 * 32 * 32 * 8 * 4
    assert all(better(found.together.figures, s.options[0].figures) for s in found.subjects)


BLUR = """\
// kernlint: launch(grid=64x64, block=16x16, width=1024)
__global__ void blur(float *out, const float *in, int width)
{
    __shared__ float t[16 + 6][16 + 6];
    for (int y = threadIdx.y; y < 22; y += 16)
        for (int x = threadIdx.x; x < 22; x += 16)
            t[y][x] = in[(blockIdx.y * 16 + y) * width + blockIdx.x * 16 + x];
    __syncthreads();
    float s = 0;
    for (int j = 0; j < 7; ++j)
        for (int i = 0; i < 7; ++i) s += t[threadIdx.y + j][threadIdx.x + i];
    out[(blockIdx.y * 16 + threadIdx.y) * width + blockIdx.x * 16 + threadIdx.x] = s;
}
"""


@pytest.mark.slow
def test_the_padding_that_check_offers_is_among_the_forms(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.cu"
    path.write_text(BLUR, encoding="utf-8")
    main.main(["check", str(path)])
    shown = " ".join(capsys.readouterr().out.split())
    assert (
        "pad the rows by 26 elements (2,288 bytes more: 4,224 instead of 1,936) to make this access conflict-free"
        in shown
    )
    assert "[(16 + 6) + 26];" in shown, "the fix as a diff"
    subject = array(BLUR, "t")
    assert subject.best is not None and subject.best.title == "pad the rows by 26 elements"
    assert [edit.content for edit in subject.best.edits] == ["(16 + 6) + 26"]


def test_a_swizzle_that_keeps_many_elements_together_is_among_the_forms_where_it_is_offered() -> (
    None
):
    text = TRANSPOSE.replace("float tile[32][32]", "short tile[32][32]")
    (found,) = arrays(engine.analyse_source(files.Source("k.cu", "cuda", text), Settings()))
    assert isinstance(found, TunedArray)
    device = hardware.device("h100")
    more = {one.title for one in layouts(found, device, [Solved(swizzle=Swizzle(8, 1))])} - {
        one.title for one in layouts(found, device)
    }
    assert more == {
        "swizzle: column c of row r at c ^ (r % 4 * 8)",
        "swizzle: column c of row r at c ^ (r / 2 % 4 * 8)",
    }


# ------------------------------------------------------------------ what is refused


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        (
            "    int x",
            "    for (int i = threadIdx.x; i < 1024; i += 32) tile[0][i] = 0;\n    int x",
            "the column on line 5 may reach element 1023 of a row",
        ),
        (
            "    int x",
            "    tile[0][(int)in[0]] = 0;\n    int x",
            "the column on line 5 cannot be shown to stay within its row of 32 elements",
        ),
        (
            "    int x",
            "    float *p = &tile[0][0]; p[x & 63] = 0;\n    int x",
            "the column on line 5 may reach element 63 of a row of 32",
        ),
        (
            "    int x",
            "    float (*rows)[32] = tile; rows[1][0] = 0;\n    int x",
            "`tile` is used without all its subscripts on line 5",
        ),
        (
            "    int x",
            "    float *row = tile[1]; row[32] = 0;\n    int x",
            "the column on line 5 may reach element 32 of a row of 32",
        ),
        (
            "    int x",
            "    { float tile[2][2]; tile[0][0] = 1; }\n    int x",
            "`tile` is declared again on line 5",
        ),
        (
            "// kernlint",
            "#define T(i) tile[i][0]\n// kernlint",
            "`tile` may be used by the macro on line 1",
        ),
        (
            "__shared__ float tile[32][32];",
            "extern __shared__ float tile[];\n#define C 32",
            "its size is given at the launch",
        ),
    ],
)
def test_an_array_stays_as_it_is_for_a_reason(before: str, after: str, reason: str) -> None:
    text = TRANSPOSE.replace(before, after, 1)
    if "extern" in after:
        text = text.replace("][threadIdx", " * 32 + threadIdx")
    subject = array(text)
    assert subject.kept.startswith(reason), subject.kept
    assert not subject.options


@pytest.mark.slow
def test_an_index_that_cannot_be_written_twice_only_gets_padding() -> None:
    text = TRANSPOSE.replace(
        "tile[threadIdx.x][threadIdx.y + j]", "tile[threadIdx.x][min(31, threadIdx.y + j)]"
    )
    subject = array(text)
    assert "its index on line 11 contains a call to `min`" in subject.kept
    assert {option.kind for option in subject.options} == {"padding"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("// kernlint", "#define T(tile, x) \\\n  ((tile) + (x))\n// kernlint"),
        ("tile[threadIdx.x][threadIdx.y + j]", "tile[int(threadIdx.x)][unsigned(threadIdx.y + j)]"),
        (
            "tile[threadIdx.x][threadIdx.y + j]",
            "tile[(int)threadIdx.x][static_cast<int>(threadIdx.y + j)]",
        ),
    ],
)
def test_parameters_of_macros_and_casts_are_no_reason(before: str, after: str) -> None:
    subject = array(TRANSPOSE.replace(before, after, 1))
    assert not subject.kept
    assert {option.kind for option in subject.options} == {"padding", "swizzle"}


@pytest.mark.parametrize(
    "macro",
    [
        "#define T(i, x) tile[i][0]",
        "#define T (tile)",
        "#define U(tile) (tile)\n#define T(i) tile[i][0]",
    ],
)
def test_a_macro_that_may_mean_the_array_is_a_reason(macro: str) -> None:
    assert (
        "may be used by the macro"
        in array(TRANSPOSE.replace("// kernlint", f"{macro}\n// kernlint", 1)).kept
    )


def test_contents_that_decide_addresses_keep_their_rows() -> None:
    text = (
        TRANSPOSE.replace("float tile", "int tile")
        .replace("= in[(y + j) * n + x]", "= threadIdx.x")
        .replace("= tile", "= in[tile")
    )
    subject = array(text.replace("threadIdx.y + j];\n}", "threadIdx.y + j]];\n}"))
    assert (
        subject.kept
        == "what is loaded from `tile` decides addresses: columns and rows cannot be distinguished"
    )


@pytest.mark.slow
def test_the_padding_fix_asks_the_same_question(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.cu"
    text = TRANSPOSE.replace(
        "    int x",
        "    for (int i = threadIdx.x; i < 1024; i += 32) tile[0][i] = 0;\n    __syncthreads();\n    int x",
        1,
    )
    path.write_text(text, encoding="utf-8")
    main.main([str(path), "--fix", "--unsafe-fixes"])
    assert path.read_text(encoding="utf-8") == text
    assert "the column on line 5 may reach element 1023 of a row of 32" in capsys.readouterr().err


# ------------------------------------------------------------------ blocks


@pytest.mark.slow
def test_blocks_keep_the_threads_and_what_they_do() -> None:
    subject = block(SAXPY)
    found = {option.block: option for option in subject.options}
    assert {b[0] for b in found if b} == {32, 64, 128, 512, 1024}
    for shape, option in found.items():
        assert shape is not None and option.grid is not None
        assert option.grid[0] == -(-3907 * 256 // shape[0])
        stated = SAXPY.replace("grid=3907, block=256", f"grid={option.grid[0]}, block={shape[0]}")
        file = engine.analyse_source(files.Source("k.cu", "cuda", stated), Settings(estimate=True))
        assert option.figures == figures(file.kernels[0])


@pytest.mark.slow
def test_threads_beyond_must_do_nothing() -> None:
    unguarded = SAXPY.replace("if (i < n) ", "")
    assert {option.block[0] for option in block(unguarded).options if option.block} == {32, 64, 128}


@pytest.mark.slow
def test_a_stride_of_the_whole_grid_wants_the_same_threads() -> None:
    text = SAXPY.replace("if (i < n)", "for (; i < n; i += gridDim.x * blockDim.x)").replace(
        "grid=3907", "grid=99"
    )
    subject = block(text)
    assert {option.block[0] for option in subject.options if option.block} | {256} <= {
        32,
        64,
        128,
        256,
    }
    assert subject.options


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        (
            "blockDim.x",
            "256",
            "it is written for blocks of 256 along x: blockIdx.x * 256 instead of blockDim.x",
        ),
        (
            "if (i < n)",
            "if (threadIdx.x < 7)",
            "it uses threadIdx.x and blockIdx.x other than as blockIdx.x * blockDim.x + threadIdx.x",
        ),
        ("if (i < n)", "if (i < blockDim.x)", "it reads blockDim.x on its own"),
        (
            "if (i < n)",
            "__syncthreads();\n    if (i < n)",
            "it contains a barrier: the block size is part of the algorithm",
        ),
        (
            "if (i < n)",
            "a = __shfl_down_sync(~0u, a, 1);\n    if (i < n)",
            "it contains a shuffle: the block size is part of the algorithm",
        ),
        (
            "if (i < n)",
            "__shared__ float s[1];\n    s[0] = a;\n    if (i < n)",
            "its threads share `s`: the block size is part of the algorithm",
        ),
        (
            "// kernlint: launch(grid=3907, block=256, n=1000000)\n",
            "",
            "its launch is unknown; give --grid and --block, or a launch directive",
        ),
    ],
)
def test_a_block_stays_as_it_is_for_a_reason(before: str, after: str, reason: str) -> None:
    subject = block(SAXPY.replace(before, after, 1))
    assert subject.kept == reason and not subject.options


@pytest.mark.slow
def test_an_index_in_another_function_or_order_is_followed() -> None:
    text = SAXPY.replace(
        "__global__",
        "__device__ unsigned at() { return threadIdx.x + blockDim.x * blockIdx.x; }\n__global__",
    ).replace("int i = blockIdx.x * blockDim.x + threadIdx.x", "int i = at()")
    assert block(text).options == block(text).options != ()


@pytest.mark.slow
def test_launch_bounds_limit_the_block() -> None:
    subject = block(SAXPY.replace("__global__ void", "__global__ void __launch_bounds__(256)"))
    assert max(option.block[0] for option in subject.options if option.block) == 128


# ------------------------------------------------------------------ the command


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main.main(["tune", "-j", "1", "--no-cache", *words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.mark.slow
def test_an_unknown_launch_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "k.cu"
    path.write_text(TRANSPOSE.split("\n", 1)[1], encoding="utf-8")
    code, out, _ = run(capsys, str(path), "--only", "padding")
    assert code == 0
    assert "no time: the launch is not known; ranked by wavefronts" in out
    assert "(assumed: the shape of `tile`)" in out
    assert "1: pad the rows by 1 element" in out


@pytest.mark.slow
def test_apply_writes_the_best_layout(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "k.cu"
    path.write_text(TRANSPOSE, encoding="utf-8")
    code, out, _ = run(capsys, str(path), "--diff", "--only", "swizzle")
    assert (
        code == 0
        and "+        tile[threadIdx.y + j][threadIdx.x ^ ((threadIdx.y + j) % 32)] = in[(y + j) * n + x];"
        in out
    )
    assert run(capsys, str(path), "--apply", "--diff", "--only", "swizzle")[:2] == (0, out)
    assert path.read_text(encoding="utf-8") == TRANSPOSE
    run(capsys, str(path), "--apply", "--only", "padding")
    assert path.read_text(encoding="utf-8") == TRANSPOSE.replace("tile[32][32]", "tile[32][33]")
    _, _, told = run(capsys, str(path), "--apply")
    assert "no layout that was tried is better than the present one" in told


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--only", "unrolling"], "--only unrolling: not one of padding, swizzle, skew, block"),
        (["--diff", "--output-format", "json"], "leave out --output-format"),
        ([], "no file given"),
    ],
)
def test_requests_that_make_no_sense(
    capsys: pytest.CaptureFixture[str], words: list[str], told: str
) -> None:
    code, _, err = run(capsys, *(["k.cu"] if words else []), *words)
    assert code == 2 and told in err


def test_files_that_cannot_be_tuned(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = tmp_path / "bad.cu"
    bad.write_text("__global__ void k( {{{", encoding="utf-8")
    code, out, _ = run(capsys, str(bad), str(tmp_path / "missing.cu"))
    assert code == 2 and out.count("nothing to tune: no kernel of this file was analysed") == 1
    assert run(capsys, str(bad))[0] == 1
    plain = tmp_path / "plain.cu"
    plain.write_text(SAXPY, encoding="utf-8")
    code, out, _ = run(capsys, str(plain), "--only", "padding")
    assert code == 0 and "nothing to tune: no shared array is accessed" in out


@pytest.mark.slow
def test_json_follows_its_schema_and_is_documented(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, str(ROOT / "samples" / "transpose.cu"), "--output-format", "json")
    found = json.loads(out)
    jsonschema.validate(found, SCHEMA)
    text = (ROOT / "docs" / "tune.md").read_text(encoding="utf-8")

    def keys(value: Any) -> set[str]:
        if isinstance(value, dict):
            return set(value) | {key for inner in value.values() for key in keys(inner)}
        return {key for inner in value for key in keys(inner)} if isinstance(value, list) else set()

    assert [key for key in keys(found) if f"`{key}`" not in text] == []
