"""Instructions and latency of small kernels: against nvcc's machine code, and by hand."""

from __future__ import annotations

import json

import pytest

from kernlint import hardware
from kernlint.estimate.build import TimedProgram, build
from kernlint.estimate.graph import Cycle, Fork, Item, Op, walk
from kernlint.estimate.model import lacking
from kernlint.estimate.path import Pace, duration
from kernlint.execution.analysis import Analysis
from kernlint.ir import nodes as ir
from kernlint.lowering.program import Program
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files
from kernlint.source.parser.parser import parse
from kernlint.source.preprocessor.preprocess import Options, preprocess
from tests import places

DATA = places.DATA / "estimate"
SASS: dict[str, int] = json.loads((DATA / "operations.json").read_text())
BRANCHY = {
    "div_l",
    "div_f",
    "fdivide_f",
    "sqrt_f",
    "sin_f",
    "div_d",
    "sqrt_d",
    "fexp_f",
    "rowsum",
    "colsum",
    "sharedred",
    "mm",
    "empty",
}  # slow paths


def kernels(text: str) -> dict[str, ir.Kernel]:
    options = Options(defines={}, include_dirs=(), language="cuda", arch=900)
    prepared = preprocess("k.cu", text, options)
    lowered = Program(parse(prepared.tokens, "k.cu", "cuda"), options, {"k.cu": text})
    return {handle.name: lowered.instantiate(handle, None) for handle in lowered.kernels()}


def program(kernel: ir.Kernel, trips: int = 0) -> TimedProgram:
    from kernlint.ir.traversal import walk

    loops = {s: float(trips) for s in walk(kernel.body) if isinstance(s, ir.Loop)}
    memory = {}
    for s in walk(kernel.body):
        if isinstance(s, (ir.Load, ir.Store)):
            name = s.site.text.split("[")[0]
            objects = frozenset(o for o in kernel.objects if o.name == name)
            memory[s.site] = "shared" if name == "s" else "global", objects
    return build(kernel, Analysis(kernel.body, kernel.label), loops, memory)


def instructions(items: list[Item]) -> float:
    return sum(
        item.cost.count if isinstance(item, Op) else 1
        for item in walk(items)
        if not isinstance(item, (Fork, Cycle))
    )


@pytest.fixture(scope="module")
def operations() -> dict[str, ir.Kernel]:
    return kernels((DATA / "operations.cu").read_text())


@pytest.mark.parametrize("name", sorted(SASS.keys() - BRANCHY))
def test_instructions_as_nvcc_makes_them(name: str, operations: dict[str, ir.Kernel]) -> None:
    """Straight code: at most two instructions away, the three that every kernel has among them."""
    assert abs(instructions(program(operations[name]).items) + 3 - SASS[name]) <= 2


def test_fdividef_is_a_division(operations: dict[str, ir.Kernel]) -> None:
    """nvcc makes the same of `fdividef(x, y)` as of `x / y`; `__fdividef` saves the slow path."""
    slow, fast, own = (
        instructions(program(operations[name]).items)
        for name in ("fdivide_f", "fdividef_", "div_f")
    )
    assert slow == own == fast + 5


LOAD, SHARED, STEP = 500.0, 30.0, 4.0


def cycles(text: str, trips: int = 0, barrier: float = 0.0) -> float:
    (kernel,) = kernels(text).values()

    def latency(op: Op) -> float:
        if op.kind == "load":
            return SHARED if op.place is not None and op.place.space == "shared" else LOAD
        return 0.0

    items = program(kernel, trips).items
    latencies = {item: latency(item) for item in walk(items) if isinstance(item, Op)}
    return duration(
        items, Pace(latencies, lambda loop: float(trips), lambda branch: (1.0, 1.0), barrier)
    )


HEAD = "__global__ void k(int *out, const int *__restrict__ in, int n) { int t = threadIdx.x; "


def test_loads_side_by_side_and_one_after_another() -> None:
    together = cycles(HEAD + "out[t] = in[t] + in[t + 32] + in[t + 64]; }")
    chained = cycles(HEAD + "out[t] = in[in[in[t]]]; }")
    assert LOAD <= together < 1.1 * LOAD
    assert 3 * LOAD <= chained < 3.1 * LOAD


def test_a_load_behind_a_store_waits_for_what_is_stored() -> None:
    """Unless the two cannot meet: a pointer nobody else uses, or a neighbouring element of the same
    array."""
    plain = HEAD.replace("const int *__restrict__ in", "const int *in")
    copies = "out[t] = in[t]; out[t + 32] = in[t + 32]; }"
    assert 2 * LOAD <= cycles(plain + copies) < 2.1 * LOAD
    assert LOAD <= cycles(HEAD + copies) < 1.1 * LOAD
    assert (
        LOAD <= cycles(plain + "out[t] = out[t] + 1; out[t + 1] = out[t + 1] + 1; }") < 1.1 * LOAD
    )


@pytest.mark.parametrize("trips", [64, 256])
def test_chained_loads_of_a_loop_add_up(trips: int) -> None:
    text = (
        HEAD
        + "int at = t;\n#pragma unroll 1\nfor (int k = 0; k < n; ++k) at = in[at]; out[t] = at; }"
    )
    assert trips * LOAD <= cycles(text, trips) < 1.1 * trips * LOAD


def test_unrolled_loops_load_side_by_side() -> None:
    """A short body goes sixteen times side by side, with `unroll 1` each iteration waits for its
    own."""
    body = "for (int k = 0; k < n; ++k) sum += in[k * n + t]; out[t] = sum; }"
    unrolled, rolled = (
        cycles(HEAD + "int sum = 0; " + body, 64),
        cycles(HEAD + "int sum = 0;\n#pragma unroll 1\n" + body, 64),
    )
    assert 64 / 16 * LOAD <= unrolled < 1.2 * 64 / 16 * LOAD
    assert 64 * LOAD <= rolled < 1.2 * 64 * LOAD


def test_barriers_part_what_is_loaded() -> None:
    text = (
        HEAD
        + "__shared__ int s[64]; s[t] = in[t]; __syncthreads(); out[t] = s[t ^ 1] + in[t + 64]; }"
    )
    without = cycles(text)
    assert 2 * LOAD <= without < 2 * LOAD + 2 * SHARED
    assert cycles(text, barrier=100.0) == pytest.approx(without + 100.0)


def test_one_side_of_a_branch_is_enough() -> None:
    """Warps go one way or the other: the path holds the longer side."""
    sides = "if (n > 3) { for (int k = 0; k < n; ++k) out[k] = in[in[t]]; } else { for (int k = 0; k < n; ++k) out[k] = in[t]; } }"
    one = "if (n > 3) { for (int k = 0; k < n; ++k) out[k] = in[in[t]]; } }"
    assert cycles(HEAD + sides, 2) == pytest.approx(cycles(HEAD + one, 2), rel=0.1)


@pytest.mark.slow
def test_every_kernel_of_the_samples_has_an_estimate_or_a_reason() -> None:
    folder = places.SAMPLES
    report = engine.analyse([str(folder)], Settings(estimate=True))
    found = [kernel for file in report.files for kernel in file.kernels]
    assert found
    for kernel in found:
        assert kernel.estimate != ""
        if not isinstance(kernel.estimate, str):
            assert kernel.estimate.device == "h100"
            assert (
                kernel.estimate.cycles_low <= kernel.estimate.cycles <= kernel.estimate.cycles_high
            )
            assert all(0 <= s.share <= 1 for s in kernel.estimate.savings)


def test_a_kernel_can_run_on_every_device_or_the_profile_is_named() -> None:
    text = "// kernlint: launch(grid=64, block=128)\n__global__ void k(float *o) { o[blockIdx.x * 128 + threadIdx.x] = 1; }\n"
    for name in hardware.names():
        report = engine.analyse(
            (), Settings(device=name, estimate=True), stdin=files.from_bytes("k.cu", text.encode())
        )
        found = report.files[0].kernels[0].estimate
        missing = lacking(hardware.device(name))
        assert isinstance(found, str) == bool(missing)
        assert not isinstance(found, str) or missing in found
