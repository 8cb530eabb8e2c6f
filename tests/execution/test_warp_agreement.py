"""What lanes surely agree on: results of votes and broadcasts, and barriers that concern some lanes
of a warp only."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.model import facts
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files
from tests.execution.test_execution import access, launch, run
from tests.support.found import found

KERNEL = (
    launch(grid=4, block=64)
    + "__global__ void k(float *a, const int *c) {{\n    int v = c[threadIdx.x];\n    {}\n}}\n"
)
EVERY = "0xffffffff"


def branch(kernel: facts.Kernel) -> facts.Branch:
    (found,) = [b for b in kernel.branches if b.kind in ("if", "while")]
    return found


@pytest.mark.parametrize(
    "condition",
    [
        f"__any_sync({EVERY}, v > 3)",
        f"__all_sync({EVERY}, v > 3)",
        f"__ballot_sync({EVERY}, v > 3) != 7",
        f"__popc(__ballot_sync({EVERY}, v > 3)) & 1",
        f"__shfl_sync({EVERY}, v, 0) > 2",
        f"__shfl_sync({EVERY}, v, threadIdx.x / 32) > 2",
        f"__shfl_sync({EVERY}, a[threadIdx.x], 3) > 2.0f",
        f"__reduce_add_sync({EVERY}, v) > 5",
        "__syncthreads_or(v > 3)",
        "__syncthreads_and(v > 3)",
        "__syncthreads_count(v > 3) > 9",
    ],
)
def test_lanes_of_a_warp_agree_on_votes(condition: str, tmp_path: Path) -> None:
    kernel = run(tmp_path, KERNEL.format(f"if ({condition}) a[threadIdx.x] = 1;"))
    assert branch(kernel).divergent == 0
    assert access(kernel, "a[threadIdx.x]", "store").active_lanes == 32


@pytest.mark.parametrize(
    "condition",
    [
        "v > 3",
        f"__match_any_sync({EVERY}, v) == 1",
        f"__shfl_xor_sync({EVERY}, v, 1) > 2",
        f"__shfl_sync({EVERY}, v, v & 31) > 2",
        f"__shfl_sync({EVERY}, v, 0, 8) > 2",
    ],
)
def test_lanes_may_disagree_on_what_differs_by_lane(condition: str, tmp_path: Path) -> None:
    assert (
        branch(run(tmp_path, KERNEL.format(f"if ({condition}) a[threadIdx.x] = 1;"))).divergent
        is None
    )


@pytest.mark.parametrize(
    "vote", ["__syncthreads_or(v > 3)", "__syncthreads_count(v) > 5", "__syncthreads_and(v)"]
)
def test_a_block_agrees_on_its_votes(vote: str, tmp_path: Path) -> None:
    kernel = run(tmp_path, KERNEL.format(f"if ({vote}) {{ a[threadIdx.x] = 1; __syncthreads(); }}"))
    assert [b.uniform for b in kernel.barriers] == [True, True]


def test_a_warp_s_vote_is_not_the_block_s(tmp_path: Path) -> None:
    kernel = run(tmp_path, KERNEL.format(f"if (__any_sync({EVERY}, v > 3)) __syncthreads();"))
    assert [b.uniform for b in kernel.barriers] == [None]


@pytest.mark.parametrize(
    ("statement", "uniform"),
    [
        ("if (threadIdx.x % 32 < 16) __syncwarp(0xffff);", True),  # just the lanes named
        (
            "if (threadIdx.x % 32 < 8) __syncwarp(0xffff);",
            False,
        ),  # lanes 8 to 15 are named and do not come
        ("if (threadIdx.x < 32) __syncwarp();", True),  # another warp is no concern of this one's
        ("if (threadIdx.x % 2) __syncwarp();", False),
        ("if (threadIdx.x % 2) __syncwarp(0xaaaaaaaa);", True),
        (
            "if (threadIdx.x % 2) __syncwarp(1u << (threadIdx.x % 32));",
            True,
        ),  # each lane waits for itself alone
        ("if (v > 3) __syncwarp();", None),
        ("if (threadIdx.x % 2) __syncwarp(v);", None),
        (
            "if (threadIdx.x % 32 >= 16) return; __syncwarp();",
            True,
        ),  # lanes that have exited are not waited for
        ("auto g = cooperative_groups::coalesced_threads(); if (threadIdx.x % 2) g.sync();", None),
    ],
)
def test_a_warp_barrier_concerns_the_lanes_it_names(
    statement: str, uniform: bool | None, tmp_path: Path
) -> None:
    assert [b.uniform for b in run(tmp_path, KERNEL.format(statement)).barriers] == [uniform]


def test_block_votes_on_known_values_are_computed(tmp_path: Path) -> None:
    source = KERNEL.format(
        "int n = __syncthreads_count(threadIdx.x % 4 == 0); if (threadIdx.x < n) a[threadIdx.x * n] = 1;"
    )
    store = access(run(tmp_path, source), "a[threadIdx.x * n]")
    assert (store.requests, store.active_lanes) == (4, 16)


@pytest.mark.parametrize(
    "statements",
    [
        "int x = 0; if (v > 3) x = 1;",
        "int x = 1; if (v > 3) { if (v < 9) return; x = 0; }",
        "int x = threadIdx.x < 16 && c[0] > 3;",
        "int x = 0; if (threadIdx.x < 16 && c[0] > 3) x = 1;",
        "int x = 0; if (c[0] > 3) x = threadIdx.x & 1;",
        "float f = 0; if (v > 3) f = 1; int x = f;",
        "int x = 0, y = 0; if (v > 3) x = 1; if (v < 9) y = 1; x -= y;",
    ],
)
def test_lanes_may_disagree_on_a_value_that_data_chose(statements: str, tmp_path: Path) -> None:
    found = access(
        run(tmp_path, KERNEL.format(f"{statements} a[x * 64 + threadIdx.x] = 1;")),
        "a[x * 64 + threadIdx.x]",
        "store",
    )
    assert (found.status, found.reason) == ("range", "loaded-value")
    # the four sectors of one row, as many of another, or half of each
    assert found.sectors is not None
    assert found.sectors.mean_low <= 4 <= found.sectors.mean_high


def test_lanes_may_disagree_on_a_branch_over_a_value_that_data_chose(tmp_path: Path) -> None:
    kernel = run(
        tmp_path, KERNEL.format("int x = 0; if (v > 3) x = 1;\n    if (x) a[threadIdx.x] = 1;")
    )
    assert [b.divergent for b in kernel.branches if b.kind == "if"] == [None, None]


@pytest.mark.parametrize(
    "statements",
    ["int x = 0; if (c[0] > 3) x = 1;", "float f = 0; if (c[0] > 3) f = 1; int x = f;"],
)
def test_lanes_agree_on_a_value_that_data_all_share_chose(statements: str, tmp_path: Path) -> None:
    found = access(
        run(tmp_path, KERNEL.format(f"{statements} a[x * 64 + threadIdx.x] = 1;")),
        "a[x * 64 + threadIdx.x]",
        "store",
    )
    assert found.sectors is not None and found.sectors.mean == 4


def test_what_a_vote_on_data_decides_is_told_in_the_words_of_the_call() -> None:
    source = """// kernlint: launch(grid=4, block=64)
__global__ void k(const int *in, int *out) {
    int keep = in[threadIdx.x] > 0;
    unsigned votes = __ballot_sync(0xffffffff, keep);
    out[__popc(votes & ((1u << threadIdx.x % 32) - 1))] = 1;
}
"""
    (kernel,) = engine.analyse_source(files.from_bytes("k.cu", source.encode()), Settings()).kernels
    (store,) = (access for access in kernel.accesses if access.op == "store")
    assert (store.reason, store.detail) == ("loaded-value", "__ballot_sync(0xffffffff, keep)")


def test_lanes_may_disagree_on_an_unsigned_bound_that_data_gives(tmp_path: Path) -> None:
    """The bound is one for the warp, but not which of its lanes lie below: `c` is loaded as int and
    compared as unsigned, where it may wrap."""
    kernel = run(tmp_path, KERNEL.format("if (threadIdx.x < c[0]) a[threadIdx.x] = 1;"))
    (branch,) = kernel.branches
    store = access(kernel, "a[threadIdx.x]", "store")
    assert (branch.divergent, branch.status, branch.reason) == (None, "range", "loaded-value")
    assert (branch.divergent_low, branch.divergent_high) == (0, 4)  # a warp of each block
    assert store.parted and store.sectors is not None
    assert (store.sectors.mean_low, store.sectors.mean_high) != (4, 4)


TILES = """#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
// kernlint: launch(grid=1, block=64)
__global__ void k(const int *v, float *out) {{
    auto w = cg::tiled_partition<{size}>(cg::this_thread_block());
    int t = threadIdx.x;
    {body}
}}
"""


@pytest.mark.parametrize(
    ("size", "body", "sectors"),
    [
        (32, "if (w.any(t % 32 == 3)) out[t] = 1;", 4),
        (8, "if (w.any(t % 32 == 3)) out[t] = 1;", 1),
        (8, "if (w.all(t % 32 < 12)) out[t] = 1;", 1),
        (4, "out[w.ballot(t % 32 == 9) * 8] = 1;", 2),  # the bits of the tile: 0 or 2
        (16, "out[w.ballot(t % 16 < 1) * 8] = 1;", 1),
    ],
)
def test_a_vote_of_a_tile_is_of_its_own_lanes(size: int, body: str, sectors: int) -> None:
    file = files.from_bytes("k.cu", TILES.format(size=size, body=body).encode())
    [kernel] = engine.analyse((), Settings(), stdin=file).files[0].kernels
    [store] = [access for access in kernel.accesses if access.op == "store"]
    assert store.sectors is not None
    assert (store.status, store.requests, store.sectors.mean) == ("exact", 2, sectors)


@pytest.mark.parametrize(
    ("size", "test", "uniform"),
    [
        (32, "w.any(v[t] > 3)", True),
        (8, "w.any(v[t] > 3)", False),
        (32, "cg::reduce(w, v[t], cg::plus<int>()) > 3", True),
        (16, "cg::reduce(w, v[t], cg::plus<int>()) > 3", False),
    ],
)
def test_what_all_lanes_of_a_tile_agree_on(size: int, test: str, uniform: bool) -> None:
    source = TILES.format(size=size, body=f"if ({test}) {{ __syncwarp(); out[t] = 1; }}")
    file = files.from_bytes("k.cu", source.encode())
    result = engine.analyse((), Settings(), stdin=file).files[0]
    [branch] = result.kernels[0].branches
    assert (branch.divergent == 0) is uniform


def test_what_a_tile_reduces_is_loaded() -> None:
    """The group is what the call is given first, and not what it reduces."""
    body = "if (cg::reduce(w, v[t], cg::plus<int>()) > 3) __syncthreads();"
    source = TILES.format(size=32, body=body)
    file = files.from_bytes("k.cu", source.encode())
    [kernel] = engine.analyse((), Settings(), stdin=file).files[0].kernels
    [load] = kernel.accesses
    assert load.as_compiled is None or load.as_compiled.reason != "eliminated"
    [finding] = found("KL401", source)
    assert "under `cg::reduce" in finding.message
