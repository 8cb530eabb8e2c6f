"""KL201's help: the remedy of the cause that the facts show, with the bytes and sectors that
decide."""

from __future__ import annotations

import pytest

from kernlint import hardware
from kernlint.checks import context
from kernlint.checks.global_memory import entries, strides
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files
from tests.checks.test_barriers import case
from tests.checks.test_messages import findings_of

HEAD = """\
// kernlint: launch(grid=64, block={block})
__global__ void k({type} *o, const {type} *in, int n) {{
    int t = blockIdx.x * 256 + threadIdx.x;
"""


def remedy(body: str, type_: str = "float", block: str = "256", before: str = "") -> str:
    text = before + HEAD.format(block=block, type=type_) + f"    {body}\n}}\n"
    return findings_of(text, "KL201")[0].help


def test_a_thread_that_takes_its_neighbours_distance_is_told_the_vector_and_its_sectors() -> None:
    told = remedy(
        "float s = 0; for (int j = 0; j < 4; ++j)\n        s += in[4 * t + j];\n    o[t] = s;"
    )
    assert told == (
        "each thread accesses 16 consecutive bytes, 4 at a time: use one vector access (`float4`, `int4`, aligned to "
        "16 bytes): one request of 16 sectors instead of 4 requests to the same sectors; or interleave the threads "
        "(element j * threads + t instead of 4 * t + j): "
        "4 sectors per request instead of 16"
    )
    some = remedy(
        "int s = 0; for (int j = 0; j < 16; j++)\n        s += in[16 * t + j];\n    o[t] = s;",
        "unsigned char",
    )
    assert (
        "1 at a time: use one vector access (`uint4`, aligned to 16 bytes): one request of 16 sectors instead of 16 "
        in some
    )
    long = remedy(
        "float s = 0; for (int j = 0; j < 8; ++j)\n        s += in[8 * t + j];\n    o[t] = s;"
    )
    assert (
        "use 16-byte vectors (`float4`, `int4`): 2 requests of 32 sectors instead of 8; or interleave the threads (element j * threads"
        in long
    )


@pytest.mark.parametrize(
    "loop",
    [
        "for (int j = 0; j < 3; ++j) s += in[4 * t + j];",
        "for (int j = 0; j < n; ++j) s += in[4 * t + 2 * j];",
        "s = in[4 * t + 1];",
        "float4 v = ((const float4 *)in)[t + 1]; s = in[4 * t] + v.x + v.w;",
    ],
)
def test_a_vector_is_advised_only_where_all_its_bytes_are_taken(loop: str) -> None:
    told = remedy(f"float s = 0;\n    {loop}\n    o[t] = s;")
    assert "vector" not in told and "float4" not in told and "up to its neighbour's" not in told
    assert (
        "neighbouring threads are 16 bytes apart and access 4 bytes each" in told
        or "a row of its own" in told
    )


PIXELS = """\
// kernlint: launch(grid=4x4, block=16x16)
__kernel void k(__global int *o, __global const int *p, int w)
{
    int i = get_global_id(1) * w + get_global_id(0);
    BODY
}
"""


def test_part_of_the_distance_is_no_row() -> None:
    """Three of four components of a pixel, two rows of the block in a warp: the second index of the
    block has nothing to do with it."""
    body = "for (int c = 0; c < 3; c++)\n        o[4 * i + c] = 0;"
    (finding,) = findings_of(PIXELS.replace("BODY", body), "KL201", path="k.cl")
    assert finding.severity == "warning" and finding.help.startswith(
        "neighbouring work-items are 16 bytes apart and access 4 bytes each per request, 12 in all: let neighbouring work-items "
        "(get_global_id(0)) access neighbouring elements"
    )


def test_both_halves_of_a_pair_are_a_vector() -> None:
    told = findings_of(
        PIXELS.replace("BODY", "o[i] = p[2 * i] + p[2 * i + 1];"), "KL201", "KL206", path="k.cl"
    )
    assert told and all("one vector" in finding.help for finding in told)


def test_atomics_are_no_vectors() -> None:
    told = remedy("for (int j = 0; j < 4; ++j)\n        atomicAdd(&o[4 * t + j], 1.0f);")
    assert told.startswith(
        "each thread accesses 16 consecutive bytes, 4 at a time: interleave the threads"
    )


def test_a_row_for_each_thread_names_the_rows_and_what_to_exchange() -> None:
    body = (
        "float s = 0; for (int j = 0; j < {n}; ++j)\n        s += in[t * {n} + j];\n    o[t] = s;"
    )
    for n, away in (("1024", "4,096 bytes"), ("n", "`n` elements")):
        told = remedy(body.format(n=n))
        assert (
            f"each thread walks its own row, {away} from its neighbour's: let neighbouring threads access"
            in told
        )
        assert "(`threadIdx.x` in place of `j`): 4 sectors per request instead of 32;" in told


def test_a_transpose_goes_through_shared_memory() -> None:
    """Its load would stride with the ids swapped."""
    told = remedy(
        "o[threadIdx.x * 2048 + threadIdx.y] = in[threadIdx.y * 32 + threadIdx.x];", block="32x8"
    )
    assert told == (
        "neighbouring threads are 8,192 bytes apart and access 4 bytes each, like a column of a row-major array: load the tile by "
        "rows into shared memory and read columns there: 4 sectors per request instead of 32"
    )


def test_a_mapping_with_swapped_ids_is_swapped() -> None:
    text = """\
// kernlint: launch(grid=64x256, block=32x8)
__global__ void k(float *o, const float *in)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x, c = blockIdx.y * blockDim.y + threadIdx.y;
    o[r * 2048 + c] = in[r * 2048 + c];
}
"""
    told = findings_of(text, "KL201")[0].help
    assert told == (
        "neighbouring threads are 8,192 bytes apart and access 4 bytes each: swap the ids: compute `c` from `threadIdx.x` and "
        "`blockIdx.x` and `r` from `threadIdx.y` and `blockIdx.y`, and size the grid to match: 4 sectors per request instead of 32"
    )
    told = remedy(
        "o[threadIdx.x * 2048 + threadIdx.y] = in[threadIdx.x * 2048 + threadIdx.y];", block="32x8"
    )
    assert "compute the column from `threadIdx.x` and the row from `threadIdx.y`" in told


@pytest.mark.parametrize("guarded", range(4))
def test_guards_do_not_hide_that_the_ids_are_swapped(guarded: int) -> None:
    """No edit: other blocks than square ones need another grid."""
    findings = case("user/guard.cu", "KL201")
    assert len(findings) == 8
    for finding in findings[2 * guarded : 2 * guarded + 2]:
        assert "swap the ids: compute `j` from `threadIdx.x` and `blockIdx.x`" in finding.help
        assert finding.severity == "warning" and finding.fix is None


def test_a_member_of_a_structure_names_the_structures_size() -> None:
    told = remedy(
        "o[t].m = in[2 * t].m;", "P", before="struct P { float x, y, z, w, m, a, b, c; };\n"
    )
    assert (
        "64 bytes apart and access 4 bytes each, of 32-byte elements: keep the members that the kernel reads in their own arrays"
        in told
    )


def test_gaps_and_lanes_without_a_distance() -> None:
    assert remedy("o[t] = in[8 * t];") == (
        "neighbouring threads are 32 bytes apart and access 4 bytes each: let neighbouring threads (threadIdx.x) access neighbouring "
        "elements, or store their elements contiguously: 4 sectors per request instead of 32"
    )
    told = remedy("o[t] = in[(threadIdx.x * threadIdx.x * 37) % 4096];")
    assert "have no constant stride" in told and "4 sectors per request instead of 31.5" in told


def test_rows_narrower_than_a_sector_name_the_width_that_fills_one() -> None:
    told = remedy(
        "o[t] = in[(blockIdx.x * 64 + threadIdx.y) * 1025 + threadIdx.x];",
        "unsigned short",
        block="4x64",
    )
    assert (
        "a warp spans 8 rows of 4 threads, 8 bytes each: make the block at least 16 threads wide"
        in told
    )
    assert "2 sectors per request instead of 9.5" in told


@pytest.mark.parametrize(
    ("condition", "index", "said"),
    [
        (
            "t & 1",
            "t * 8",
            "the active lanes, every second one, are 64 bytes apart and access 4 bytes each: ",
        ),
        (
            "t % 3 == 0",
            "t / 3 * 16",
            "the active lanes, every third one, are 64 bytes apart and access 4 bytes each: ",
        ),
        (
            "t % 8 == 3",
            "n - t * 4",
            "the active lanes, every 8th one, are 128 bytes apart and access 4 bytes each: ",
        ),
        (
            "t % 5 == 0 || t % 5 == 2",
            "t * 8",
            "the active lanes have a stride of 32 bytes per lane and access 4 bytes each: ",
        ),
    ],
)
def test_idle_lanes_between_active_ones_are_no_irregular_distance(
    condition: str, index: str, said: str
) -> None:
    told = remedy(f"if ({condition}) o[{index}] = 1;")
    assert told.startswith(said)


@pytest.mark.parametrize(
    ("index", "stated"), [("t * inc", "inc == 1"), ("inc * t + 3", "inc == 1"), ("t * 2 * inc", "")]
)
def test_an_unknown_stride_is_told_the_fact_that_makes_it_contiguous(
    index: str, stated: str
) -> None:
    text = (
        "// kernlint: launch(grid=64, block=256)\n"
        "__global__ void k(float *o, int inc) {\n"
        f"    int t = blockIdx.x * 256 + threadIdx.x;\n    o[{index}] = 1;\n}}\n"
    )
    told = findings_of(text, "KL201")[0].help
    assert ("== 1" in told) == bool(stated) and stated in told


def test_a_column_of_unknown_pitch_says_when_it_costs_least() -> None:
    told = findings_of(
        "__global__ void k(float *c, const float *a, int rows, int cols) {\n"
        "  int r = blockIdx.y * 16 + threadIdx.y, q = blockIdx.x * 16 + threadIdx.x;\n"
        "  if (r < rows && q < cols) c[q * rows + r] = a[r * cols + q];\n}\n",
        "KL201",
    )[0].help
    assert told.endswith("instead of at least 16; as it is, 16 if rows % 2 == 0")


def test_rows_that_a_remainder_walks_along_are_told_by_their_elements() -> None:
    told = remedy("o[n * (t / 8) + 4 * (t % 8)] = in[4 * n * (t / 16) + 4 * (t % 16)];")
    assert "`n`" not in told and "`4 * n`" not in told and "16 bytes apart" in told


@pytest.mark.parametrize(
    ("block", "index", "narrow"),
    [
        ("16x16", "row * n + threadIdx.x", True),
        ("16x16", "row * n + 2 * threadIdx.x", False),
        ("16x16", "row + n * threadIdx.x", False),
        ("32x8", "row * n + threadIdx.x", False),
    ],
)
def test_rows_shorter_than_a_warp_are_the_blocks_doing(
    block: str, index: str, narrow: bool
) -> None:
    text = f"""// kernlint: launch(grid=64, block={block}, n=1001)
__global__ void k(float *o, int n) {{ int row = blockIdx.x * 8 + threadIdx.y; o[{index}] = 1; }}
"""
    file = engine.analyse_source(files.Source("k.cu", "cuda", text), Settings())
    [group] = context.groups(file, hardware.device("h100"))
    [entry] = entries.global_entries(group)
    assert strides.narrow(entry, group) == narrow
