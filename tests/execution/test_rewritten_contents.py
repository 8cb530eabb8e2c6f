"""Loops that rewrite local arrays whose contents nobody knows: an axis of all turns must give what
turn after turn gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.execution.counting.tally import Counter
from kernlint.execution.loops import iteration
from kernlint.model import facts
from kernlint.model.settings import Settings
from kernlint.pipeline.engine import analyse
from kernlint.render.report_json import to_json
from tests.execution.test_execution import access, launch, run

HISTOGRAM = """
__global__ void k(const unsigned *x, const float *t, float *out) {
    __shared__ float h[2048];
    int offsets[8];
    float stats[8];
    for (int j = 0; j < 8; j++) {
        unsigned c = x[(blockIdx.x * 8 + j) * blockDim.x + threadIdx.x];
        offsets[j] = 4 * (c & 255) + (threadIdx.x & 3);
        stats[j] = (c >> 8) == 0 ? t[j] : 0.0f;
    }
    for (int j = 0; j < 8; j++) {
        if ((offsets[j] & 1) == 0) h[offsets[j]] += stats[j];
        offsets[j] = offsets[j] ^ 1;
        h[j * 32 + threadIdx.x] += stats[j];
    }
    out[threadIdx.x] = h[threadIdx.x];
}"""

ONE_PLACE = """
__global__ void k(const int *x, float *out) {
    __shared__ float h[4096];
    int last[1];
    for (int i = 0; i < 6; i++) {
        float before = h[(last[0] & 7) * 4 + threadIdx.x];
        last[0] = x[i];
        h[(last[0] & 7) * 32 + threadIdx.x * (i + 1)] = before;
    }
    out[threadIdx.x] = h[threadIdx.x];
}"""

BETWEEN = """
__global__ void k(int *x, float *out) {
    __shared__ float h[4096];
    int seen[4];
    for (int i = 0; i < 4; i++) {
        int at = x[blockIdx.x];
        x[blockIdx.x] = at + 1;
        if (seen[i] > 3) h[threadIdx.x] = 1.0f;
        seen[i] = at & 31;
        h[seen[i] + 32 * threadIdx.x] = 1.0f;
        out[(at & 7) + 4 * (i & 1) + threadIdx.x] = 2.0f;
    }
    out[threadIdx.x] = h[threadIdx.x];
}"""

UNEVEN = """
__global__ void k(const int *x, float *out) {
    __shared__ float h[4096];
    int b[8];
    for (int i = 0; i < 8 - (int)(threadIdx.x & 3); i++) {
        b[i] = x[threadIdx.x * 8 + i];
        if (b[i] > 3) h[b[i] & 1023] = 1.0f;
        h[i * 32 + 2 * threadIdx.x] = 2.0f;
    }
    out[threadIdx.x] = h[threadIdx.x];
}"""

BECOMES_KNOWN = """
__global__ void k(const int *x, float *out) {
    __shared__ float h[4096];
    int b[4];
    for (int i = 0; i < 4; i++) b[i] = x[i];
    for (int i = 0; i < 4; i++) {
        h[b[i] & 31] = 1.0f;
        b[i] = 2 * i;
    }
    for (int i = 0; i < 4; i++) out[threadIdx.x * b[i]] = h[threadIdx.x];
}"""

ALL = {
    "histogram": HISTOGRAM,
    "one-place": ONE_PLACE,
    "between": BETWEEN,
    "uneven": UNEVEN,
    "becomes-known": BECOMES_KNOWN,
}


def numbers(tmp_path: Path, source: str) -> object:
    path = tmp_path / "k.cu"
    path.write_text(source)
    found = to_json(analyse([str(path)], Settings()))
    for file in found["files"]:
        for kernel in file["kernels"]:
            kernel.pop("races", None)  # of all pairs that race some are named
    return found


def turn_after_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(iteration, "rewrites_unknowns", lambda *_: False)


@pytest.mark.slow
@pytest.mark.parametrize("stated", [True, False], ids=["launched", "not-launched"])
@pytest.mark.parametrize("name", ALL)
def test_an_axis_gives_what_turn_after_turn_gives(
    name: str, stated: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = (launch(grid=6, block=64) if stated else "") + ALL[name]
    at_once = numbers(tmp_path, source)
    turn_after_turn(monkeypatch)
    assert numbers(tmp_path, source) == at_once


def executions(source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    counted: list[object] = []
    record = Counter.record

    def noted(counter: Counter, *arguments: object) -> None:
        counted.append(arguments[0])
        record(counter, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Counter, "record", noted)
    run(tmp_path, source)
    return len(counted)


@pytest.mark.slow
def test_the_body_of_such_a_loop_runs_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = launch(grid=6, block=64) + HISTOGRAM
    fewer = source.replace("j < 8", "j < 2")
    assert executions(source, tmp_path, monkeypatch) == executions(fewer, tmp_path, monkeypatch)


def test_contents_that_become_known_in_the_loop_are_known_behind_it(tmp_path: Path) -> None:
    store = access(
        run(tmp_path, launch(grid=1, block=32) + BECOMES_KNOWN), "out[threadIdx.x * b[i]]"
    )
    assert (store.status, store.requests) == ("exact", 4)
    assert store.sectors is not None
    assert store.sectors.mean == (1 + 8 + 16 + 24) / 4  # strides of 0, 2, 4 and 6 floats


WITHIN_A_BRANCH = """
__global__ void k(const unsigned *x, float *hist, int n) {
    int offset[4];
    for (int turn = 0; turn < n; turn++) {
        if (x[turn] != 0)
            for (int i = 0; i < 4; i++) {
                for (int j = 0; j < 4; j++) offset[j] = x[threadIdx.x * 4 + j] >> i;
                if (threadIdx.x & 8)
                    for (int j = 0; j < 4; j++) { hist[offset[j]] += 1.0f; offset[j] += 1; }
            }
    }
}"""


@pytest.mark.slow
def test_a_counter_begins_anew_in_every_turn_around(tmp_path: Path) -> None:
    """Stepped turn by turn, what `j` was in the turn before was thought to be in the lanes that
    nobody knows."""
    kernel = run(tmp_path, launch(grid=1, block=64) + WITHIN_A_BRANCH)
    inner: list[facts.Branch] = [b for b in kernel.branches if b.condition == "j < 4"]
    assert [b.divergent for b in inner] == [0, 0]
