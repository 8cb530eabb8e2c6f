"""Which lanes of which warps go which way at a branch: against enumeration by hand, and against
what is counted beside it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernlint.cli import main
from kernlint.model import facts
from kernlint.model.settings import Settings
from kernlint.pipeline.engine import analyse_source
from kernlint.render import branch_map
from kernlint.render.style import Style
from kernlint.source.files import Source, read
from tests.places import ROOT
from tests.support import handmade as made

pytestmark = pytest.mark.slow

SAMPLES = sorted((ROOT / "samples").glob("*.c[ul]"))


def branches(
    body: str, launch: str, parameters: str = "float *x, const int *d, int n"
) -> tuple[facts.Branch, ...]:
    text = f"// kernlint: launch({launch})\n__global__ void k({parameters}) {{\n    int t = threadIdx.x;\n{body}\n}}\n"
    (kernel,) = analyse_source(Source("k.cu", "cuda", text), Settings()).kernels
    return kernel.branches


def told(branch: facts.Branch) -> dict[str, tuple[int | float, tuple[int, ...]]]:
    return {one.lanes: (one.evaluations, one.warps) for one in branch.patterns}


def test_each_warp_of_a_block_has_its_pattern() -> None:
    (branch,) = branches("    if (t % 3 == 0) x[t] = 1;", "grid=4, block=80")
    rows = {
        0: "10010010010010010010010010010010",
        1: "01001001001001001001001001001001",
        2: "0010010010010010................",
    }
    assert told(branch) == {lanes: (4, (warp,)) for warp, lanes in rows.items()}


def test_a_tree_of_a_reduction_halves_its_lanes() -> None:
    body = "    for (int s = 1; s < 256; s *= 2) if (t % (2 * s) == 0) x[t] += x[t + s];"
    (branch,) = (one for one in branches(body, "grid=2, block=256") if one.kind == "if")
    every = {
        step: "".join("1" if lane % step == 0 else "0" for lane in range(32))
        for step in (2, 4, 8, 16, 32)
    }
    whole = tuple(range(8))
    assert [one.lanes for one in branch.patterns] == [
        every[2],
        every[4],
        every[8],
        every[16],
        every[32],
        "0" * 32,
    ]
    assert told(branch)[every[2]] == (16, whole)
    assert told(branch)[every[32]] == (2 * (8 + 4 + 2 + 1), whole), (
        "lane 0 of all warps, of every second, every fourth, of the first"
    )
    assert told(branch)["0" * 32] == (2 * (4 + 6 + 7), (1, 2, 3, 4, 5, 6, 7))


def test_a_switch_tells_its_cases_apart() -> None:
    body = "    switch (t % 4) { case 0: x[t] = 2; break; case 2: x[t] = 3; break; case 3: x[t] = 5; break; default: x[t] = 4; }"
    (branch,) = branches(body, "grid=4, block=96")
    assert branch.cases == ("0", "2", "3")
    assert told(branch) == {"1023" * 8: (12, (0, 1, 2))} and branch.divergent == 12


def test_lanes_that_have_left_a_loop_do_not_evaluate_its_condition() -> None:
    loop, *_ = branches("    for (int i = 0; i < t; i++) x[i] = 3;", "grid=1, block=4")
    away = "." * 28
    assert told(loop) == {row + away: (1, (0,)) for row in ("0111", ".011", "..01", "...0")}
    (stepped,) = branches("    for (int i = t; i > 0; i /= 2) x[i] = 3;", "grid=1, block=4")
    assert told(stepped) == {row + away: (1, (0,)) for row in ("0111", ".011", "..00")}


def test_only_lanes_that_come_to_a_branch_evaluate_it() -> None:
    inner = branches("    if (t % 2) if (t < 8) x[t] = 1;", "grid=3, block=32")[1]
    assert told(inner) == {".1.1.1.1" + ".0" * 12: (3, (0,))}


def test_blocks_at_the_edge_have_patterns_of_their_own() -> None:
    (branch,) = branches(
        "    if (blockIdx.x * blockDim.x + t < n) x[t] = 1;", "grid=4, block=64, n=200"
    )
    assert told(branch) == {
        "1" * 32: (6, (0, 1)),
        "1" * 8 + "0" * 24: (1, (0,)),
        "0" * 32: (1, (1,)),
    }


@pytest.mark.parametrize(
    "body",
    [
        "    if (d[t]) x[t] = 1;",
        "    if (d[0]) { if (t & 1) x[t] = 2; }",
        "    while (d[t] > n) x[t] += 1;",
    ],
)
def test_nothing_is_told_where_data_decides(body: str) -> None:
    branch = branches(body, "grid=4, block=64")[-1]
    assert branch.patterns == () and branch.divergent is None
    assert branch_map.rest(branch).startswith(
        "which path each lane takes is unknown: depends on a value loaded from memory"
    )


def test_without_a_grid_patterns_are_of_each_block() -> None:
    text = "// kernlint: launch(block=64)\n__global__ void k(float *x) {\n    if (threadIdx.x % 2) x[threadIdx.x] = 1;\n}\n"
    (kernel,) = analyse_source(Source("k.cu", "cuda", text), Settings()).kernels
    (branch,) = kernel.branches
    assert branch.evaluations is None and told(branch) == {"01" * 16: (2, (0, 1))}
    assert "over each block" in "\n".join(branch_map.render(branch, Style(), True))


CONDITIONS = st.sampled_from(
    [
        "t % {a} == {b}",
        "t < {c}",
        "(t & {a}) > 0",
        "t * {a} % {c} < {b}",
        "t / {a} % 2 == 0",
        "t + 32 * b < {c}",
    ]
)


@settings(max_examples=40, deadline=None)
@given(
    CONDITIONS,
    st.integers(1, 9),
    st.integers(0, 5),
    st.integers(1, 100),
    st.integers(1, 100),
    st.integers(1, 3),
)
def test_patterns_are_those_of_an_enumeration(
    condition: str, a: int, b: int, c: int, block: int, grid: int
) -> None:
    written = condition.format(a=a, b=b, c=c)
    found = branches(
        f"    int b = blockIdx.x;\n    if ({written}) x[t] = 1;", f"grid={grid}, block={block}"
    )
    expected: Counter[tuple[str, int]] = Counter()
    for each in range(grid):
        for warp in range(-(-block // 32)):
            ways = [
                str(int(eval(written.replace("/", "//"), {"t": t, "b": each})))
                for t in range(32 * warp, min(block, 32 * warp + 32))
            ]
            expected["".join(ways).ljust(32, "."), warp] += 1
    for branch in found:
        if branch.patterns:
            assert {
                (one.lanes, warp) for one in branch.patterns for warp in one.warps
            } == expected.keys()
            times = Counter[str]()
            for (lanes, _), often in expected.items():
                times[lanes] += often
            assert {one.lanes: one.evaluations for one in branch.patterns} == times
        else:  # the same for every lane of every block, or of each
            assert branch.divergent == 0 and all(
                len({*lanes} - {"."}) == 1 for lanes, _ in expected
            )


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_patterns_add_up_to_what_was_counted(path: Path) -> None:

    seen = 0
    for kernel in analyse_source(read(str(path), None), Settings()).kernels:
        x, y, z = kernel.launch.block
        for branch in kernel.branches:
            counted = branch.counted
            if not branch.patterns or counted is None:
                continue
            assert sum(one.evaluations for one in branch.patterns if one.parts) == counted.divergent
            assert sum(one.evaluations for one in branch.patterns) <= counted.evaluations
            assert {warp for one in branch.patterns for warp in one.warps} <= set(
                range(-(-x * y * z // 32))
            )
            seen += 1
    assert seen or path.name not in ("reduction.cu", "branches.cu")


def test_wide_warps_have_several_lines() -> None:
    lanes = "1" * 40 + "0" * 20 + "." * 4
    branch = facts.Branch(
        made.BRANCH.span,
        "if",
        "t < 40",
        "exact",
        8,
        8,
        patterns=(facts.LanePattern(lanes, 8, (0, 2, 4, 6)),),
    )
    assert [
        line.rstrip() for line in branch_map.render(branch, Style(width=60, unicode=False), True)
    ][2:] == [
        "      warps  evaluations  lane 0        8        16",
        "  0, 2, … 6            8       ######## ######## ########",
        "                            24 ######## ######## ........",
        "                            48 ........ ....",
        "  # the condition holds, . it does not, blank the lane does",
        "  not evaluate it",
    ]


def test_more_patterns_than_are_told_are_said_to_be_more() -> None:
    (branch,) = branches(
        "    if (t * t * t * (blockIdx.x + 3) % 31 < 9) x[t] = 1;", "grid=80, block=128"
    )
    assert len(branch.patterns) == 64 and branch.divergent == 312
    told_of = sum(one.evaluations for one in branch.patterns)
    assert branch_map.rest(branch).startswith(f"{320 - told_of} further evaluations not listed")


def test_the_documentation_shows_what_is_printed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    text = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")
    (shown,) = (block for block in text.split("```console\n")[1:] if "--map" in block)
    command, _, printed = shown.partition("```")[0].partition("\n")
    assert main.main([*command.split()[2:], "--color", "never"]) == 0
    assert capsys.readouterr().out.rstrip() == printed.rstrip()
