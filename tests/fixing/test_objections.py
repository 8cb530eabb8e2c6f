"""Which kernels are analysed again to find out whether the rows of their arrays may grow."""

from __future__ import annotations

from typing import Any

import pytest

from kernlint.checks.run import check
from kernlint.execution import run
from kernlint.fixing.objections import Objections, held_back
from kernlint.ir import nodes as ir
from kernlint.model import facts
from kernlint.model.settings import Selection, Settings
from kernlint.pipeline import engine
from kernlint.source import files

KERNEL = """__global__ void k{0}(float *out) {{
  __shared__ float tile{0}[32][32];
  tile{0}[threadIdx.x][threadIdx.y] = threadIdx.x;
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile{0}[threadIdx.x][threadIdx.y];
}}
"""
COUNT = 3
LAUNCHES = "".join(f"k{i}<<<4, dim3(32, 32)>>>(p); " for i in range(COUNT))
TEXT = "".join(KERNEL.format(i) for i in range(COUNT)) + f"void run(float *p) {{ {LAUNCHES}}}\n"
SOURCE = files.from_bytes("k.cu", TEXT.encode())


@pytest.fixture
def executed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the kernels that are executed, as often as they are."""
    found: list[str] = []
    execute = run.execute

    def told(kernel: ir.Kernel, *others: Any) -> facts.Kernel:
        found.append(kernel.name)
        return execute(kernel, *others)

    monkeypatch.setattr(run, "execute", told)
    return found


@pytest.mark.slow
def test_those_that_access_the_array_as_they_are_with_its_columns_alone_and_padded(
    executed: list[str],
) -> None:
    report = engine.analyse((), Settings(), stdin=SOURCE)
    findings = check(report, Selection(select=("KL101",)))
    executed.clear()
    told = held_back(findings, SOURCE, Settings(), report.files[0])
    assert len({finding.fix for finding in told}) == COUNT and all(
        finding.fix is not None for finding in told
    )
    assert sorted(executed) == [f"k{i}" for i in range(COUNT) for _ in range(3)]


def test_of_a_text_of_which_nothing_is_known_all_once(executed: list[str]) -> None:
    findings = check(engine.analyse((), Settings(), stdin=SOURCE), Selection(select=("KL101",)))
    executed.clear()
    objections = Objections(SOURCE, Settings())
    assert not any(
        objections.against(finding)
        for finding in findings
        if finding.fix and "tile1" in finding.fix.message
    )
    assert sorted(set(executed)) == ["k0", "k1", "k2"] and executed.count(
        "k1"
    ) == 1 + executed.count("k0")


@pytest.mark.slow
def test_arrays_of_different_kernels_are_tried_in_one_analysis(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """How often a file is read does not grow with its kernels."""
    analyse, counts = engine.analyse_source, []
    for count in (2, 8):
        text = "".join(KERNEL.format(i) for i in range(count))
        source = files.from_bytes("k.cu", f"// kernlint: launch(block=32x32)\n{text}".encode())
        report = engine.analyse((), Settings(), stdin=source)
        findings = check(report, Selection(select=("KL101",)))
        calls: list[object] = []
        monkeypatch.setattr(
            engine, "analyse_source", lambda *a, calls=calls: calls.append(a) or analyse(*a)
        )
        told = held_back(findings, source, Settings(), report.files[0])
        monkeypatch.undo()
        assert len({finding.fix for finding in told}) == count
        counts.append(len(calls))
    assert counts[0] == counts[1] < 6
