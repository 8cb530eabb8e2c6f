"""KL203 of loops in which each lane walks a run of its own; the numbers against addresses of real
rows."""

from __future__ import annotations

import itertools

import pytest

from kernlint.checks.run import check_file
from kernlint.checks.selection import selected_rules
from kernlint.model.finding import Finding
from kernlint.model.settings import Selection, Settings
from kernlint.pipeline import engine
from kernlint.source import files

SCALAR = """\
// kernlint: launch(grid=256, block=256)
__global__ void spmv(const int *row, const int *col, const float *val, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int j = row[i]; j < row[i + 1]; j++) sum += val[j] * x[col[j]];
    y[i] = sum;
}
"""
LOOP = "for (int j = row[i]; j < row[i + 1]; j++) sum += val[j] * x[col[j]];"
NAMED = """const int first = row[i];
    const int last = row[i+1];
    for (int j = first; j < last; ++j) {
        const int c = col[j];
        sum += val[j] * x[c];
    }"""


def told(text: str) -> list[Finding]:
    file = engine.analyse_source(files.from_bytes("k.cu", text.encode()), Settings())
    assert [kernel.name for kernel in file.kernels] == ["spmv"]
    return list(check_file(file, "h100", selected_rules(Selection(severity="info"))))


RUN = "each lane walks its own run"


def runs(text: str) -> list[str]:
    return [finding.message for finding in told(text) if RUN in finding.message]


@pytest.mark.parametrize(
    ("loop", "first"),
    [(LOOP, "val[j]"), (NAMED, "col[j]"), (LOOP.replace("j++", "j += 1"), "val[j]")],
)
def test_scalar_csr_is_told_once_with_what_decides(loop: str, first: str) -> None:
    text = SCALAR.replace(LOOP, loop)
    (message,) = runs(text)
    end = "row[i+1]" if loop == NAMED else "row[i + 1]"
    assert message == (
        f"`{first}`: each lane walks its own run, from `row[i]` to `{end}`: "
        "up to 32 sectors per request instead of 4 or 5 (unknown)"
    )
    found = told(text)
    (run,) = [finding for finding in found if finding.message == message]
    assert run.notes[0].startswith(
        "a sector per lane and request if runs have 8 or more elements, 4 or 5 sectors for 32 lanes if each has one"
    )
    other = ({"val[j]", "col[j]"} - {first}).pop()
    assert (
        run.severity == "warning"
        and f"also affects `{other}`" in run.notes
        and "vector CSR" in run.help
    )
    assert not [
        finding for finding in found if finding.code == "KL003" and "sectors" in finding.message
    ]


def test_elements_of_eight_bytes_need_shorter_runs() -> None:
    text = SCALAR.replace("const float *val", "const double *val").replace(" * x[col[j]]", "")
    (run,) = [finding for finding in told(text) if RUN in finding.message]
    assert run.notes[0].startswith(
        "a sector per lane and request if runs have 4 or more elements, 8 or 9 sectors for 32 lanes if each has one"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("j++", "j += 2"),  # another step
        ("j < row[i + 1]", "j < row[i + 2]"),  # runs that overlap
        ("row[i + 1]", "ends[i]"),  # ends of another array: the next run may begin anywhere
        ("int j = row[i]", "int j = 2 * row[i]"),
        ("val[j] * x[col[j]]", "val[j / 2]"),
        ("sum +=", "j += sum > 3, sum +="),  # lanes that go on at their own pace
        (
            "int j = row[i]; j < row[i + 1]",
            "int j = row[i * 2]; j < row[i * 2 + 1]",
        ),  # offsets that are not neighbours
    ],
)
def test_other_loops_are_not_said_to_be_such_runs(old: str, new: str) -> None:
    text = SCALAR.replace(old, new).replace("const int *row,", "const int *row, const int *ends,")
    assert text != SCALAR and runs(text) == []


@pytest.mark.parametrize("lengths", [[8] * 32, [9, 30, 8, 100] * 8, [1] * 32, list(range(8, 40))])
def test_the_numbers_hold_for_rows_of_such_lengths(lengths: list[int]) -> None:
    """Sectors of each turn's request, from the definition: lane k reads element offset[k] + turn
    while its run lasts."""
    offsets = [0, *itertools.accumulate(lengths)]
    for base in range(8):  # where the warp's first run begins
        for turn in range(max(lengths)):
            active = [
                offsets[lane] + base + turn for lane, length in enumerate(lengths) if turn < length
            ]
            sectors = len({4 * element // 32 for element in active})
            assert sectors == len(active) if min(lengths) >= 8 else sectors in (4, 5)
