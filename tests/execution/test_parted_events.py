"""Cases of a `switch` are told apart once for all accesses, not again for each two threads."""

from __future__ import annotations

import pytest

from kernlint.execution.faults import races
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source.files import Source

CASES = 12


@pytest.mark.uncompiled  # compiled callers do not look the function up
@pytest.mark.parametrize("end", ["break;", ""])
def test_cases_of_a_switch(end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, int]] = []
    look = races._unordered

    def counted(of: races._ObjectEvents, one: int, other: int, scope: str) -> bool:
        asked.append((one, other))
        return look(of, one, other, scope)

    monkeypatch.setattr(races, "_unordered", counted)
    lines = "".join(f"    case {n}: b[i + {n}] = a[i]; {end}\n" for n in range(CASES))
    text = (
        "__global__ void large(const float *a, float *b, int n) {\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        f"    switch (n) {{\n{lines}    }}\n}}\n"
        "void run(const float *a, float *b, int n) { large<<<4, 64>>>(a, b, n); }\n"
    )
    (kernel,) = engine.analyse_source(Source("cases.cu", "cuda", text), Settings()).kernels
    assert bool(kernel.races) == (not end)  # without `break` a thread goes on to the next case
    assert bool(asked) == (not end)
