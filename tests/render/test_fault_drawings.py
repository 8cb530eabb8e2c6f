"""Races and faults as `report --line` draws them."""

from __future__ import annotations

import json

import pytest

from kernlint.model import facts
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.render import derivation, fault_drawings, fault_maps
from kernlint.render.fault_maps import ReachedRange
from kernlint.render.style import Style
from kernlint.source import files
from tests.places import SCHEMAS

REFILLED = """\
// kernlint: launch(grid=64, block=256, n=16)
__global__ void sums(float *out, const float *x, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; ++k) {
        s[t] = x[k * 256 + t];
        __syncthreads();
        for (int j = 0; j < 4; ++j)
            sum += s[(t + 64 * j) % 256];
    }
    out[blockIdx.x * 256 + t] = sum + s[t + 1];
}
"""


def report(text: str, name: str = "k.cu") -> facts.Report:
    return engine.analyse((), Settings(), stdin=files.from_bytes(name, text.encode()))


def drawn(text: str, line: int, name: str = "k.cu", style: Style | None = None) -> list[str]:
    """The first race or fault of a line, up to what else there is."""
    lines = derivation.render(report(text, name), line, style or Style()).splitlines()
    first = next(i for i, one in enumerate(lines) if " race on " in one or " leaves " in one)
    last = (i for i, one in enumerate(lines) if i > first and one.startswith(f"{name}:"))
    return lines[first : next(last, len(lines))]


def test_a_race_across_iterations_shows_two_threads_and_the_missing_barrier() -> None:
    text = REFILLED.replace(" + s[t + 1]", "")
    for line in (8, 11):
        lines = drawn(text, line)
        assert lines[0].endswith(": race on element 0 of `s`"), "on the lines of both accesses"
    assert lines[3:-1] == [
        "",
        "             thread (192, 0, 0)               │ thread (0, 0, 0)",
        "             block (0, 0, 0)                  │ block (0, 0, 0)",
        "             ───────────────────── line 9: __syncthreads() ─────────────────────",
        "  phase 1    ▶ line 11 reads                  │",
        "               s[(t + 64 * j) % 256]          │",
        "             ┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄ no barrier at the end of the loop ┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄",
        "                                              │ next iteration",
        "                                              │ ▶ line 8 writes",
        "                                              │   s[t]",
        "             ───────────────────── line 9: __syncthreads() ─────────────────────",
    ]


def test_a_race_in_one_phase() -> None:
    text = REFILLED.replace("        __syncthreads();\n", "").replace(" + s[t + 1]", "")
    lines = drawn(text, 10)
    rows = [line[13:] for line in lines[6:]]
    assert [row.split("│")[0].strip() for row in rows[:2]] == ["▶ line 8 writes", "s[t]"]
    assert "no barrier between" in rows[2] and "▶ line 10 reads" in rows[3].split("│")[1]


def test_opencl_speaks_its_language() -> None:
    text = """\
// kernlint: launch(grid=4, block=64)
__kernel void k(__global float *x)
{
    __local float s[64];
    int t = get_local_id(0);
    s[t] = x[get_global_id(0)];
    x[get_global_id(0)] = s[63 - t];
}
"""
    lines = drawn(text, 7, "block.cl")
    assert lines[0].startswith("block.cl:7:")  # a path and source text stay as they are
    assert lines[1] == "  local memory, in k"
    assert any("work-item (0, 0, 0)" in line for line in lines)
    bars = {line.index("│") for line in lines if "│" in line}
    assert len(bars) == 1


def test_an_index_that_leaves_its_array_stands_beside_its_range() -> None:
    lines = drawn(REFILLED, 13)
    assert lines[0].endswith(":13:39: s[t + 1] leaves `s`")
    assert lines[3:6] == [
        "  has         256 elements: 0 to 255",
        "  reached     1 to 256",
        "  first       thread (255, 0, 0) of block (0, 0, 0)",
    ]
    assert lines[7:11] == [
        "  range      0                                        255",
        "             ├──────────────────────────────────────────┤",
        "  reached    ████████████████████████████████████████████▓▓▓▓▓▓▓▓",
        "             1                                                256",
    ]


@pytest.mark.parametrize(
    ("low", "high", "size", "reached"),
    [
        (0, 7, 8, "#" * 44),
        (4, 7, 8, " " * 22 + "#" * 22),
        (-1, 3, 8, "!" * 8 + "#" * 22),
        (-5, 20, 8, "!" * 8 + "#" * 44 + "!" * 8),
        (8, 9, 8, " " * 44 + "!" * 8),
        (-9, -2, 8, "!" * 8),
        (0, 127, 0, " " * 44 + "!" * 8),
        (0, 4_294_967_295, 1000, "#" * 44 + "!" * 8),
    ],
)
def test_what_is_reached(low: int, high: int, size: int, reached: str) -> None:
    lines = list(
        fault_drawings.ruler(ReachedRange("element", low, high, size), Style(unicode=False))
    )
    (row,) = [line for line in lines if line.startswith("  reached")]
    assert row == f"  reached    {reached}"
    assert lines[-1].split() == [f"{low:,}", f"{high:,}"] and all(one.isascii() for one in lines)


def test_drawings_keep_to_the_width() -> None:
    lines = drawn(REFILLED, 8, style=Style(width=60))
    assert max(map(len, lines[3:])) <= 60


def test_every_kind_of_fault_has_a_title() -> None:
    schema = json.loads((SCHEMAS / "report.schema.json").read_text(encoding="utf-8"))
    kinds = schema["$defs"]["Fault"]["properties"]["kind"]["enum"]
    assert "wrap" in kinds and set(fault_maps.TITLES) == set(kinds)
