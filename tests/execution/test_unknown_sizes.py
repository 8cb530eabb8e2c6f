"""Kernels whose sizes, grids and bases are not known: what the row of a warp still decides, and
what stays open, each with its reason."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kernlint.checks.run import check
from kernlint.model import facts
from kernlint.model.settings import LaunchOverrides, Selection, Settings
from kernlint.pipeline import engine
from kernlint.source import files
from tests.execution.test_execution import access, launch, run

pytestmark = pytest.mark.slow

GRID_STRIDE = """
__global__ void k(float *a, const float4 *v, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        a[i] = 1;
        a[i * 4] = v[i].x;
        a[i + 1] = 3;
    }
}"""


def sectors(a: facts.Access) -> tuple[float, float, float]:
    assert a.sectors is not None, (a.text, a.reason, a.detail)
    return a.sectors.mean_low, a.sectors.mean, a.sectors.mean_high


@pytest.mark.parametrize("head", ["", launch(block=128), launch(grid=7, block=128)])
def test_grid_stride_loop_of_any_length(head: str, tmp_path: Path) -> None:
    """The stride is a multiple of the block: every turn starts at the same place of a line."""
    kernel = run(tmp_path, head + GRID_STRIDE)
    store = access(kernel, "a[i]")
    assert sectors(store) == (4, 4, 4) and store.active_lanes == 32 and store.requests is None
    assert sectors(access(kernel, "a[i * 4]")) == (16, 16, 16)
    assert sectors(access(kernel, "a[i + 1]")) == (5, 5, 5)
    assert any("n exceeds every index compared with it" in text for text in store.assumptions)


def test_grid_stride_in_two_dimensions_with_a_pitch(tmp_path: Path) -> None:
    source = """
__global__ void k(float *a, int pitch, int w, int h) {
    for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < h; y += gridDim.y * blockDim.y)
        for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < w; x += gridDim.x * blockDim.x)
            a[y * pitch + x] = 1;
}"""
    store = access(run(tmp_path, launch(block="(32,8)") + source), "a[y * pitch + x]")
    assert sectors(store) == (4, pytest.approx(4.875), 5)
    assert store.reason == "unknown-argument" or any(c.sectors == 4 for c in store.cases)


def test_a_step_that_is_an_argument_shifts_every_turn(tmp_path: Path) -> None:
    source = "__global__ void k(float *a, int n, int step) { for (int i = threadIdx.x; i < n; i += step) a[i] = 1; }"
    assert sectors(access(run(tmp_path, launch(grid=2, block=128) + source), "a[i]")) == (
        4,
        pytest.approx(4.875),
        5,
    )


def test_a_step_that_differs_by_lane_spreads_the_lanes(tmp_path: Path) -> None:
    source = "__global__ void k(float *a, int n) { for (int i = threadIdx.x; i < n; i += threadIdx.x + 1) a[i] = 1; }"
    low, _, high = sectors(access(run(tmp_path, launch(grid=2, block=32) + source), "a[i]"))
    assert low <= 4 and high == 32  # in the first turn lanes lie together, later they are far apart


def test_barriers_under_a_guard_that_is_only_assumed(tmp_path: Path) -> None:
    """n is taken to be large, but where it cuts a block its lanes part ways."""
    loop = "for (int i = threadIdx.x; i < n; i += blockDim.x) { a[i] = 1; __syncthreads(); }"
    guard = "if (blockIdx.x * blockDim.x + threadIdx.x < n) { __syncthreads(); }"
    uniform = "for (int i = 0; i < n; i += 8) { a[i + threadIdx.x] = 1; __syncthreads(); }"
    for body, expected in ((loop, None), (guard, None), (uniform, True)):
        kernel = run(
            tmp_path, launch(grid=2, block=128) + f"__global__ void k(float *a, int n) {{ {body} }}"
        )
        assert [b.uniform for b in kernel.barriers] == [expected], body


def indexed(body: str) -> str:
    return (
        launch(grid=100, block=256)
        + f"__global__ void k(float *a, float *b, int n, int W, int H, int C) {{ int i = blockIdx.x * blockDim.x + threadIdx.x; {body} }}"
    )


def test_an_index_taken_apart_by_unknown_sizes_and_put_together_again(tmp_path: Path) -> None:
    body = """
    int w = i % W; int h = (i / W) % H; int c = (i / W / H) % C; int m = i / W / H / C;
    a[((m * C + c) * H + h) * W + w] = b[c * H * W + h * W + w];"""
    kernel = run(tmp_path, indexed(body))
    assert sectors(access(kernel, "a[((m * C + c) * H + h) * W + w]")) == (4, 4, 4)  # it is i again
    assert sectors(access(kernel, "b[c * H * W + h * W + w]")) == (4, pytest.approx(4.875), 5)
    assert any(text.startswith("W is large") for text in kernel.assumptions)


def test_lanes_that_walk_over_an_unknown_row_lie_together(tmp_path: Path) -> None:
    kernel = run(tmp_path, indexed("a[i % W] = b[(i % W) * H + i / W];"))
    assert sectors(access(kernel, "a[i % W]")) == (4, pytest.approx(4.875), 5)
    assert sectors(access(kernel, "b[(i % W) * H + i / W]")) == (32, 32, 32)


def test_a_remainder_keeps_its_limits(tmp_path: Path) -> None:
    kernel = run(
        tmp_path, indexed("int w = i % W; if (w >= 0 && w + 3 > 2) a[w] = 1; if (w < 0) b[w] = 1;")
    )
    assert [x.text for x in kernel.accesses] == ["a[w]"] and not kernel.accesses[0].conditional


def test_lanes_far_apart_are_in_rows_of_their_own(tmp_path: Path) -> None:
    """Nothing says how rows of W lie to lanes that are 5,000 elements apart."""
    found = access(
        run(tmp_path, indexed("a[(threadIdx.x * 5000) % W] = 1;")), "a[(threadIdx.x * 5000) % W]"
    )
    assert (found.status, found.reason) == ("unknown", "unknown-argument")


def test_what_is_known_stays_exact_beside_an_unknown_divisor(tmp_path: Path) -> None:
    kernel = run(
        tmp_path,
        launch(grid=100, block=256, W=20) + indexed("a[i % W] = b[i / W];").split("\n", 1)[1],
    )
    assert access(kernel, "b[i / W]").status in ("exact", "range") and not any(
        "W is large" in t for t in kernel.assumptions
    )


def test_offsets_that_advance_together_in_nested_loops_of_unknown_length(tmp_path: Path) -> None:
    """p is moved on by the inner loop and by the outer one: by how much is not known, but all lanes
    go together."""
    body = """
    int p = i; const float *q = b + i;
    for (int l = 0; l < n; l++) {
        for (int m = 0; m < H; m++) { a[p] = q[0]; p += 8; }
        p += W; q += 8 * C;
    }
    a[p] = 2;"""
    kernel = run(tmp_path, indexed(body))
    in_loop, after = [x for x in kernel.accesses if x.text == "a[p]"]
    assert sectors(in_loop) == sectors(after) == (4, pytest.approx(4.875), 5)
    assert sectors(access(kernel, "q[0]")) == (4, 4, 4)  # every step is a whole number of sectors


@pytest.mark.parametrize(
    "step",
    [
        "if (threadIdx.x & 1) p += 8;",
        "p += threadIdx.x;",
        "p += int(b[i]);",
        "if (b[i + l] > 0) p += 1;",
    ],
)
def test_offsets_that_lanes_advance_apart(step: str, tmp_path: Path) -> None:
    kernel = run(
        tmp_path,
        indexed(
            f"int p = i; for (int l = 0; l < n; l++) {{ for (int m = 0; m < H; m++) {{ {step} }} a[p] = 1; }}"
        ),
    )
    assert access(kernel, "a[p]").status == "unknown"


@pytest.mark.parametrize(
    "loop",
    [
        "for (int l = 0; l < n; l++) { p += 8; if (b[i + l] > 0) break; }",
        "for (int l = 0; l < int(b[i]); l++) p += 8;",
        "for (int l = i; l < n; l += 64) p += 8;",
        "for (int l = 0; l < 100000 * (int)threadIdx.x; l += 1 + (l & 3)) p += 8;",
        "int l = 0; do { p += 8; l++; } while (l < int(b[i]));",
        "for (int l = 0; l < n; l++) { if (b[i + l] > 0) continue; p += 8; }",
    ],
)
def test_lanes_that_leave_at_different_turns(loop: str, tmp_path: Path) -> None:
    assert (
        access(run(tmp_path, indexed(f"int p = i; {loop} a[p] = 1;")), "a[p]").status == "unknown"
    )


def test_offsets_that_a_warp_may_or_may_not_advance(tmp_path: Path) -> None:
    body = "int p = i; for (int l = 0; l < n; l++) { for (int m = 0; m < H; m++) { if (b[l] > 0) p += 8; } a[p] = 1; }"
    assert sectors(access(run(tmp_path, indexed(body)), "a[p]")) == (4, 4, 4)


GUARDED = "for (int l = 0; l < n; l++) {{ if (b[l] > 0) p += 8; {} }}"


@pytest.mark.parametrize("guard", ["b[i] > 0", "threadIdx.x % 32 < 16"])
def test_lanes_that_stay_out_of_a_loop_are_not_moved_on(guard: str, tmp_path: Path) -> None:
    """After it, p differs between the lanes that went in and those that did not; in it, all lanes
    that are there go together."""
    kernel = run(
        tmp_path, indexed(f"int p = i; if ({guard}) {{ {GUARDED.format('a[p] = 1;')} }} a[p] = 2;")
    )
    in_loop, after = [x for x in kernel.accesses if x.text == "a[p]"]
    assert (in_loop.status, after.status) == ("range", "unknown")
    assert in_loop.sectors is not None and in_loop.sectors.max == (
        4 if guard.startswith("b") else 2
    )


def test_lanes_that_part_in_a_loop_that_not_all_are_in(tmp_path: Path) -> None:
    for parting in (
        "if (b[i + l] > 0) p += 8;",
        "if (b[i + l] > 0) continue; p += 8;",
        "if (threadIdx.x & 1) p += 8;",
    ):
        kernel = run(
            tmp_path,
            indexed(
                f"int p = i; if (b[i] > 0) for (int l = 0; l < n; l++) {{ a[p] = 1; {parting} }}"
            ),
        )
        assert access(kernel, "a[p]").status == "unknown"


def test_lanes_that_part_over_one_variable_keep_the_others(tmp_path: Path) -> None:
    kernel = run(
        tmp_path,
        indexed(
            "int p = i, q = i; for (int l = 0; l < n; l++) { a[p] = 1; a[q] = 2; p += 8; if (b[i + l] > 0) q += 8; } a[p] = 3;"
        ),
    )
    assert [x.status for x in kernel.accesses if x.text == "a[p]"] == ["range", "range"]
    assert access(kernel, "a[q]").status == "unknown"


def test_loops_of_unknown_length_one_after_the_other(tmp_path: Path) -> None:
    """The second begins where the first ended, which is assumed to be below W for all lanes of a
    warp alike."""
    loop = (
        "for (; k < {0} && k < H; k += 8) {{ if (k == next) {{ p += 8; next += C; }} a[p] = {0}; }}"
    )
    kernel = run(
        tmp_path,
        indexed(
            f"int p = i, k = 8 * blockIdx.y, next = C; {loop.format('n')} {loop.format('W')} {loop.format('2 * W')}"
        ),
    )
    assert [sectors(x) for x in kernel.accesses if x.text == "a[p]"] == [(4, 4, 4)] * 3


@pytest.mark.parametrize(
    ("loop", "fewest"),
    [
        ("for (int l = 0; l < n; l++) {{ {0} if (b[i + l] > 0) break; }}", 1),
        ("for (int l = 0; l < n; l++) {{ {0} if (threadIdx.x % 32 < 31) break; }}", 1),
        ("for (int l = 0; l < n; l++) {{ {0} if (b[i + l] > 0) return; }}", 1),
        ("int l = 0; do {{ {0} }} while (b[i + l++] > 0);", 1),
        ("int l = 0; do {{ {0} }} while (l++ < n && threadIdx.x % 32 < 8);", 1),
        (
            "for (int l = 0; l < n; l++) for (int m = 0; m < n; m++) {{ {0} if (b[i + l] > 0) break; }}",
            1,
        ),
        ("for (int l = 0; l < n; l++) {{ {0} if (b[i + l] > 0) continue; }}", 4),
        ("for (int l = 0; l < n; l++) {{ {0} if (b[l] > 0) break; }}", 4),
        ("for (int l = 0; l < n; l++) {{ {0} if (threadIdx.x < 32) break; }}", 4),
        ("int l = 0; do {{ {0} l++; }} while (b[l] > 0);", 4),
    ],
)
def test_lanes_that_have_left_a_loop_are_missing_in_its_later_iterations(
    loop: str, fewest: int, tmp_path: Path
) -> None:
    """All lanes that run the first iteration were taken to run each."""
    kernel = run(tmp_path, indexed(loop.format("a[i] = 1;")))
    counts = access(kernel, "a[i]").sectors
    assert counts is not None and (counts.min, counts.max) == (fewest, 4)


@pytest.mark.parametrize("condition", ["n > 5", "b[i] > 0"])
def test_in_an_arm_a_variable_is_what_was_assigned_there(condition: str, tmp_path: Path) -> None:
    """Behind the branch it is one of two values, and in the other arm still what it was."""
    body = f"""
    float *p = a + i; int q = i;
    if ({condition}) {{ p += 7 * i; p[0] = 1; q = 2 * i; if (i & 1) q = 4 * i; }} else {{ p[0] = 2; p += i; a[q] = 3; p[0] = 4; }}
    p[0] = 5; a[q] = 6;"""
    kernel = run(tmp_path, indexed(body))
    first, other, moved, after = [x for x in kernel.accesses if x.text == "p[0]"]
    kept, behind = [x for x in kernel.accesses if x.text == "a[q]"]
    assert [sectors(x)[2] for x in (first, other, moved, kept)] == [32, 4, 8, 4]
    assert (after.status, behind.status) == ("unknown", "unknown")


def test_an_arm_inside_an_arm_and_lanes_that_leave_it(tmp_path: Path) -> None:
    inner = "p = 4 * i; a[p] = 1; if (threadIdx.x & 1) break; p = 8 * i;"
    body = f"do {{ if (b[i] > 0) {{ p = 2 * i; if (b[i + 1] > 0) {{ {inner} }} a[p] = 2; }} a[p] = 3; }} while (0);"
    kernel = run(tmp_path, indexed(f"int p = i; {body} a[p] = 4;"))
    found = [x for x in kernel.accesses if x.text == "a[p]"]
    assert [x.status for x in found] == ["range", "unknown", "unknown", "unknown"]
    assert sectors(found[0])[2] == 16


def test_what_was_loaded_is_named_before_what_was_passed(tmp_path: Path) -> None:
    found = access(run(tmp_path, indexed("a[W * int(b[i]) + n] = 1;")), "a[W * int(b[i]) + n]")
    assert (found.status, found.reason) == ("unknown", "loaded-value")


def touched(index: list[int], width: int = 4) -> int:
    return len({i * width // 32 for i in index})


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("i % 3 * 64", lambda i: i % 3 * 64),
        ("i / 7 * 8 + i % 7", lambda i: i // 7 * 8 + i % 7),
        ("(i % 6) * 6 + i % 6", lambda i: (i % 6) * 6 + i % 6),
        ("(i + 5) / 3", lambda i: (i + 5) // 3),
        ("(i >> 2) * 5 + (i & 3)", lambda i: (i >> 2) * 5 + (i & 3)),
        ("(i * 3 & 7) * 8", lambda i: (i * 3 & 7) * 8),
    ],
)
def test_constant_divisors_beside_an_unknown_grid(
    text: str, formula: Callable[[int], int], tmp_path: Path
) -> None:
    """Which block it is decides only the residue; the range over all residues is what all blocks
    together show."""
    source = (
        launch(block=224)
        + f"__global__ void k(float *a) {{ int i = blockIdx.x * blockDim.x + threadIdx.x; a[{text}] = 1; }}"
    )
    store = access(run(tmp_path, source), f"a[{text}]")
    blocks = [
        [
            touched([formula(block * 224 + warp * 32 + lane) for lane in range(32)])
            for warp in range(7)
        ]
        for block in range(3 * 7 * 8 * 4)
    ]
    mean = (
        sum(sum(block) for block in blocks) / len(blocks) / 7
    )  # how often each residue comes is the grid's business: a range
    assert store.sectors is not None, store.detail
    assert (store.sectors.min, store.sectors.max) == (min(map(min, blocks)), max(map(max, blocks)))
    assert store.sectors.mean_low <= mean <= store.sectors.mean_high and store.active_lanes == 32


def test_two_remainders_of_a_block_of_two_dimensions(tmp_path: Path) -> None:
    body = "int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y; b[y % 6 * 6 + x % 6] = 1;"
    kernel = run(
        tmp_path, launch(block="(16,16)") + f"__global__ void k(unsigned char *b) {{ {body} }}"
    )
    counts = [
        touched([(16 * r + 2 * w + lane // 16) % 6 * 6 + (16 * c + lane % 16) % 6 for lane in range(32)], 1)
        for r in range(3) for c in range(3) for w in range(8)
    ]  # fmt: skip
    found = access(kernel, "b[y % 6 * 6 + x % 6]").sectors
    assert found is not None and (found.min, found.max) == (min(counts), max(counts))


def test_a_sum_that_may_wrap_has_no_residue(tmp_path: Path) -> None:
    """s + lane may pass 2**32 in the middle of a warp: quotients by 3 then start again at zero,
    remainders by 4 go on."""
    body = "unsigned s = c[0]; a[(s + threadIdx.x) / 3] = 1; a[(s + threadIdx.x) % 4] = 1;"
    kernel = run(
        tmp_path,
        launch(grid=1, block=32) + f"__global__ void k(float *a, const unsigned *c) {{ {body} }}",
    )
    assert access(kernel, "a[(s + threadIdx.x) / 3]").status == "unknown"
    assert sectors(access(kernel, "a[(s + threadIdx.x) % 4]")) == (1, 1, 1)


def test_a_branch_on_data_names_the_data(tmp_path: Path) -> None:
    """Not the argument that guards it, nor the grid: neither would tell which lanes take it."""
    body = "int i = blockIdx.x * blockDim.x + threadIdx.x; if (flag) { if (in[i] > limit) a[2 * i] = 1; }"
    kernel = run(
        tmp_path,
        f"__global__ void k(float *a, const float *in, int flag, float limit) {{ {body} }}",
    )
    [branch] = [b for b in kernel.branches if b.condition == "in[i] > limit"]
    assert (branch.status, branch.reason, branch.detail) == ("unknown", "loaded-value", "in[i]")


def test_a_row_chosen_by_data_is_no_gather(tmp_path: Path) -> None:
    body = "int at = rows[blockIdx.x] * width + threadIdx.x; a[threadIdx.x] = x[at / group];"
    kernel = run(
        tmp_path,
        f"__global__ void k(float *a, const float *x, const int *rows, int width, int group) {{ {body} }}",
    )
    assert access(kernel, "x[at / group]").detail == "rows[blockIdx.x], the same for all lanes"


PER_WARP = """__kernel void k(__global float *p, ulong offset, int m)
{
    int i = get_global_id(0);
    if (get_local_id(1) == 0) {
        p = p + (offset >> 2);
        p[i] = 1;
    }
    int at = 0;
    if (get_local_id(1) == 1)
        at = m * 2;
    p[at + i] = 2;
}
"""


def test_what_whole_warps_add_keeps_its_size() -> None:
    """A variable that some warps change by an unknown is known apart from it; values in the range,
    and exact where they are given."""
    ranges: list[tuple[float, float]] = []
    for arguments in ({}, *({"offset": 4 * a, "m": b} for a in range(9) for b in range(9))):
        settings = Settings(launch=LaunchOverrides((4, 1, 1), (64, 2, 1), 0, dict(arguments)))
        (kernel,) = engine.analyse_source(
            files.Source("k.cl", "opencl", PER_WARP), settings
        ).kernels
        for number, one in enumerate(kernel.accesses):
            # where the second store may replace the first is not known
            assert one.sectors is not None
            assert (one.status == "exact") == bool(arguments and number)
            if not arguments:
                ranges.append((one.sectors.mean_low, one.sectors.mean_high))
            low, high = ranges[number]
            least = 4 if number else 0  # the second store may replace the first
            assert low <= one.sectors.mean <= high and low >= least and high <= 5


@pytest.mark.parametrize(
    ("index", "condition"),
    [
        ("n + threadIdx.x", "n % 8 == 0"),
        ("blockIdx.x * (n / 4) + threadIdx.x", "(n / 4) % 8 == 0"),
        ("(n + 3) / 4 * 7 + threadIdx.x", "((n + 3) / 4) % 8 == 0"),
        ("min(n, m) + threadIdx.x", "min(n, m) % 8 == 0"),
        ("(p[0] & 15) + threadIdx.x", "(p[0] & 15) in {0, 8}"),
        ("(n ? m : 3) * 9 + threadIdx.x", "(a value computed from m, n) % 8 == 0"),
    ],
)
def test_a_condition_is_about_the_value_that_it_names(
    index: str, condition: str, tmp_path: Path
) -> None:
    """What follows from n / 4 was said of n."""
    source = f"__global__ void k(float *a, int n, int m, const int *p) {{ a[{index}] = 1; }}"
    store = access(run(tmp_path, launch(grid=4, block=32) + source), f"a[{index}]")
    assert condition in [case.condition for case in store.cases]


ALIKE = """
__global__ void k(float *x, const float *y, int n) {
    int t = threadIdx.x;
    if (t % 2 == 0) x[t] = y[t + 3] * 2.0f;
    else x[t + 512] = y[t * 2 + 7];
    for (int i = 0; i < t; i++) x[i + t] += y[i];
    if (blockIdx.x < 3) x[t] += 1;
    if (x[t] > 0)
        if (t % 4 == 0) x[t] = 0;
}"""


def test_what_each_block_does_alike_is_known_without_the_grid(tmp_path: Path) -> None:
    """As many as in a launch of one block: its threads alone decide."""
    one, open_ = (run(tmp_path, launch(block=128, **grid) + ALIKE) for grid in ({"grid": 1}, {}))
    by_threads = [b for b in open_.branches if b.condition in ("t % 2 == 0", "i < t")]
    assert len(by_threads) == 2
    for branch in by_threads:
        alone = next(b for b in one.branches if b.span == branch.span)
        assert (
            branch.evaluations is None
            and branch.divergent is None
            and branch.turns is None
            and branch.reason == "unknown-launch"
        )
        assert (
            branch.per_block
            == facts.Evaluated(alone.evaluations or 0, alone.divergent, alone.turns)
            and alone.divergent
        )
    assert next(b for b in one.branches if b.condition == "i < t").per_block is None
    by_data = next(b for b in open_.branches if b.condition == "t % 4 == 0")
    assert by_data.per_block is None and by_data.reason == "loaded-value"
    for text in ("y[t + 3]", "y[t * 2 + 7]", "y[i]"):
        written, alone_access = access(open_, text), access(one, text)
        assert (written.requests, written.per_block) == (
            None,
            alone_access.requests,
        ) and not written.conditional
    some = [
        a
        for a in open_.accesses
        if a.text == "x[t]" and a.reason == "unknown-launch" and a.conditional
    ]
    assert some and all(a.per_block is None for a in some)  # only the first three blocks


SIDES = """
__global__ void k(float *x, const float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x % 2 == 0) x[i] = sinf(y[i]);
    else x[i] = cosf(y[i + 1]);
}"""


def test_divergence_is_found_without_a_launch() -> None:
    report = engine.analyse((), Settings(), stdin=files.from_bytes("k.cu", SIDES.encode()))
    [finding] = [f for f in check(report, Selection()) if f.code == "KL301"]
    assert (
        "`threadIdx.x % 2 == 0` splits the warp in 8 of 8 evaluations per block (100 %, range)"
        in finding.message
    )
    assert finding.metrics.evaluations is None and "block 256x1x1 is assumed" in finding.assumptions


TWO_SIZES = """
__global__ void k(float *a, const float *b, int n, int m) {
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    a[t + 1] = b[2 * t];
    if (t % 4 < 2) a[t + 64] = b[t];
    float s = 0;
    if (i < n) s = b[i + 3];
    if (i >= m) return;
    a[i + 5] = s;
}"""


def test_a_presumption_is_told_of_what_rests_on_it(tmp_path: Path) -> None:
    kernel = run(tmp_path, launch(grid=4, block=64) + TWO_SIZES)
    about_n, about_m = (f"{name} exceeds every index compared with it" for name in "nm")
    assert set(kernel.assumptions) == {about_n, about_m}
    for text in ("a[t + 1]", "b[2 * t]", "b[t]"):
        assert access(kernel, text).assumptions == () and access(kernel, text).status == "exact"
    assert (
        access(kernel, "b[i + 3]").assumptions == (about_n,)
        and access(kernel, "b[i + 3]").status == "range"
    )
    assert (
        access(kernel, "a[i + 5]").assumptions == (about_m,)
        and access(kernel, "a[i + 5]").status == "range"
    )
    rests = {b.condition: (b.status, b.assumptions) for b in kernel.branches}
    assert rests == {
        "t % 4 < 2": ("exact", ()),
        "i < n": ("range", (about_n,)),
        "i >= m": ("range", (about_m,)),
    }


def test_what_decides_an_address_is_named_and_not_what_decides_whether_it_runs(
    tmp_path: Path,
) -> None:
    source = "__global__ void k(float *x, const int *col, const int *flag) { if (flag[0]) x[col[threadIdx.x]] = 1; }"
    for head in (launch(grid=2, block=64), ""):
        store = access(run(tmp_path, head + source), "x[col[threadIdx.x]]")
        assert (store.status, store.reason, store.detail) == (
            "unknown",
            "loaded-value",
            "col[threadIdx.x]",
        )


def test_a_request_touches_no_more_than_its_lanes_can(tmp_path: Path) -> None:
    source = """
__global__ void k(float *a, int n) {
    __shared__ float s[4096];
    int t = threadIdx.x;
    float sum = 0;
    for (int i = 0; i < n; i++) sum += s[t * 16 + i];
    a[t] = sum;
}"""
    load = access(run(tmp_path, launch(grid=4, block=256) + source), "s[t * 16 + i]")
    assert load.wavefronts is not None and load.reason == "unknown-trip-count"
    assert (load.wavefronts.mean_low, load.wavefronts.mean_high) == (
        16,
        32,
    )  # one of four merged words, each lane in a bank of its own


@pytest.mark.parametrize(
    ("index", "said", "status"),
    [
        ("n * 6u % 3", "", "range"),
        ("n * 12u / 4", "", "range"),
        ("n * 6u % 4 * 8", "", "exact"),  # what is carried out is a multiple of 4
        ("n * 6u % 3", "n <= 1000", "exact"),
        ("m * 6 % 3", "", "exact"),  # signed arithmetic does not overflow
    ],
)
def test_unsigned_arithmetic_that_may_wrap_around_is_not_exact(
    index: str, said: str, status: str, tmp_path: Path
) -> None:
    head = launch(grid=4, block=256) + (f"// kernlint: assume({said})\n" if said else "")
    source = (
        f"__global__ void k(float *a, unsigned n, int m) {{ a[({index}) * 32 + threadIdx.x] = 1; }}"
    )
    store = access(run(tmp_path, head + source), f"a[({index}) * 32 + threadIdx.x]")
    assert (store.status, sectors(store)) == (status, (4, 4, 4))
    assert ("unsigned arithmetic with n does not wrap around" in store.assumptions) is (
        status == "range"
    )


PARTED_BY_AN_ARGUMENT = """// kernlint: launch(grid=1, block=64)
__global__ void k(float *a, int f) {
    int t = threadIdx.x, z = 8, x = 0;
    for (int i = 0; i < 2; i++) {
        x = z * 2;
        if ((t & 31) < 1) { if (f == 1) continue; }
        z = 40;
        a[t + 128] = 1;
    }
    a[x] = 7;
}
"""


def test_an_unknown_argument_may_take_some_lanes_out_of_a_warp(tmp_path: Path) -> None:
    """With f == 1 lane 0 keeps z and x is 16 for it and 80 for the others: two sectors, where one
    was called exact."""
    for value in (0, 1):
        stated = run(tmp_path, PARTED_BY_AN_ARGUMENT.replace("block=64", f"block=64, f={value}"))
        assert [a.sectors.mean for a in stated.accesses if a.text == "a[x]" and a.sectors] == [
            1 + value
        ]
    [load] = [a for a in run(tmp_path, PARTED_BY_AN_ARGUMENT).accesses if a.text == "a[x]"]
    assert load.status != "exact" and (load.sectors is None or load.sectors.mean_high >= 2)
