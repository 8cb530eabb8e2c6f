"""A run that goes on from where a loop began comes to the same as one that begins again at the
kernel's start."""

from __future__ import annotations

from typing import Any

import pytest

from kernlint.execution import run
from kernlint.execution.loops.resuming import Checkpoint
from kernlint.execution.machine import Machine
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.render.report_json import to_json
from kernlint.source import files
from tests.oracle import generate
from tests.support import needs

pytestmark = pytest.mark.slow


BUDGET = 250_000  # units: 2,500 statements, so that most loops cost too much
SEEDS = (17, 27, 55, 72, 88, 93, 100, 105)  # of kernels with such loops
SETTLED = {
    "analysis",
    "device",
    "counter",
    "shape",
    "extents",
    "initial",
    "limits",
    "parameters",
    "stepped_loops",
}  # the same for the whole run
LEARNT = {"open_loops", "known_divergences", "learn"}
EMPTY = {"stepping", "deferred"}  # at every checkpoint
SET_ANEW = {"loaded_from"}  # read only behind the load that sets it
CUT = {"scopes", "looks_at_clock", "footprint"}  # under another name

OVERRUNS = """
__global__ void k(int *a, const int *x, int n) {
    __shared__ int s[64];
    int t = threadIdx.x, own[8], sum = t;
    for (int i = 0; i < 8; i++) own[i] = i;
    s[t % 64] = 2 * t;
    for (int i = 0; i < 2; i++) { a[t + own[i]] = s[(t + i) % 64]; own[i] = 3; }
    for (int m = blockIdx.x; m < n; m += gridDim.x) {
        a[m] = own[2];
        for (int v = 700 + t; v != 1; v = v % 2 ? 3 * v + 1 : v / 2) { a[v] = sum; own[3] = v & 7; }
        if (x[m] > 3) { sum += x[m]; own[4] = 5; }
        a[t * own[3] + own[4]] = s[t % 64];
    }
    for (int v = 27 + t; v != 1; v = v % 2 ? 3 * v + 1 : v / 2) { s[v % 64] = v; a[v] = own[0]; }
    a[t * own[1]] = s[t % 64] + sum;
}
"""
PARTINGS = """
__global__ void k(float *a, const float *p, const int *x, int n) {
    int t = threadIdx.x;
    for (int r = 1 + t; r < 40; r = 2 * r + 1) {
        const float *q = p, *w = p + t;
        a[r] = 0;
        for (int j = t; j < x[0]; j += 32) { a[j] = *q; if (j % 3 == t % 2) q += 4; w += 8; }
        a[t] = *w;
    }
    do { a[t] = 1; if (x[t] == t) break; t += 32; } while (t < n);
    a[t] = 2;
}
"""


def analysed(text: str, budget: int) -> tuple[Any, int]:
    """The report, and how often a machine began at a kernel's start."""
    machines: list[Machine] = []
    with pytest.MonkeyPatch.context() as patch:
        made = run.machine_for
        patch.setattr(
            run, "machine_for", lambda *words: machines.append(found := made(*words)) or found
        )
        settings = Settings(budget=budget, timeout=0)
        report = engine.analyse((), settings, stdin=files.Source("k.cu", "cuda", text))
    return to_json(report)["files"][0]["kernels"], len(machines)


def analysed_anew(text: str, budget: int) -> tuple[Any, int]:
    """The same, where each thing learnt makes the kernel begin again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run.Execution, "learn", lambda *words: False)
        return analysed(text, budget)


@needs.interpreted
@pytest.mark.parametrize(("text", "budget"), [(OVERRUNS, BUDGET), (PARTINGS, 10_000_000)])
def test_what_is_learnt_of_loops_costs_no_new_beginning(text: str, budget: int) -> None:
    (found, begun), (anew, begun_anew) = analysed(text, budget), analysed_anew(text, budget)
    assert found == anew and found
    assert begun == 1 and begun_anew >= 3


@needs.interpreted
@pytest.mark.parametrize("seed", SEEDS)
def test_random_kernels_come_to_the_same(seed: int) -> None:
    text = generate.from_seed(seed).source
    (found, begun), (anew, begun_anew) = analysed(text, BUDGET), analysed_anew(text, BUDGET)
    assert found == anew
    assert begun < begun_anew


@needs.interpreted
def test_everything_that_a_run_changes_is_kept() -> None:
    machines: list[Machine] = []
    with pytest.MonkeyPatch.context() as patch:
        made = run.machine_for
        patch.setattr(
            run, "machine_for", lambda *words: machines.append(found := made(*words)) or found
        )
        engine.analyse_source(files.Source("k.cu", "cuda", OVERRUNS), Settings())
    assert set(vars(machines[0])) - SETTLED - LEARNT - EMPTY - SET_ANEW - CUT == set(
        vars(Checkpoint(machines[0]))
    ) - {"spines", "seen"}
