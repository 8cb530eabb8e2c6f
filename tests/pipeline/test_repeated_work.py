"""What is alike is worked out once: counts of how often, never times."""

from __future__ import annotations

import numpy as np
import pytest

from kernlint.base.per_object import PerObject
from kernlint.execution.counting import measures, patterns
from kernlint.execution.values import booleans, sums
from kernlint.execution.values.booleans import Condition
from kernlint.lowering.handlers import EXPRESSIONS
from kernlint.model.settings import Settings
from kernlint.optimizer import compiler_forms
from kernlint.pipeline import engine
from kernlint.source import files
from kernlint.source.parser import tree
from tests.support import needs


def _kernel(accesses: int) -> str:
    lines = "".join(f"    b[i + {number}] = a[i + {number}];\n" for number in range(accesses))
    head = "__global__ void k(float *a, float *b) {\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    return f"{head}{lines}}}\nvoid f(float *a, float *b) {{ k<<<8, 128>>>(a, b); }}\n"


def _countings(accesses: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """How often rows of lanes are counted for a kernel with so many loads and stores, from
    nothing."""
    calls: list[int] = []

    def counted(measure: measures.Measure, *others: object) -> object:
        calls.append(1)
        return measures.count_moved(measure, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(patterns, "count_moved", counted)
    monkeypatch.setattr(patterns, "_kept", type(patterns._kept)())
    monkeypatch.setattr("kernlint.execution.counting.residue_counts._kept", type(patterns._kept)())
    found = engine.analyse_source(files.Source("k.cu", "cuda", _kernel(accesses)), Settings())
    assert len(found.kernels[0].accesses) == 2 * accesses
    for access in found.kernels[0].accesses:
        shift = (
            int(access.text.split("+")[1].rstrip("] ")) % 8
        )  # of a row of 32 floats, 8 to a sector
        assert access.sectors is not None and access.sectors.mean == (4 if shift == 0 else 5)
    return len(calls)


@pytest.mark.slow
def test_accesses_that_differ_by_a_constant_share_their_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert _countings(256, monkeypatch) == _countings(64, monkeypatch)


@needs.interpreted
def test_the_residues_of_an_unknown_stride_are_counted_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[int] = []
    count = measures._count_pieces
    monkeypatch.setattr(
        measures, "_count_pieces", lambda *others: (calls.append(1), count(*others))
    )
    monkeypatch.setattr(patterns, "_kept", type(patterns._kept)())
    monkeypatch.setattr("kernlint.execution.counting.residue_counts._kept", type(patterns._kept)())
    text = (
        "__global__ void k(short *a, int n, int m) { int t = threadIdx.x; a[t % 8 * n + t / 8 + m] = 0; }\n"
        "void f(short *a, int n, int m) { k<<<8, 128>>>(a, n, m); }\n"
    )
    found = engine.analyse_source(files.Source("k.cu", "cuda", text), Settings())
    (access,) = found.kernels[0].accesses
    assert access.cases and access.status == "range"
    assert 0 < len(calls) < 40  # 64 residues of n, two counters of each


def test_what_a_condition_hangs_on_is_told_once() -> None:
    lanes = sums.along(sums.LANE, np.arange(32))
    same = sums.along(sums.LANE, np.arange(32))
    joined = Condition(booleans.FALSE, booleans.TRUE, False, "loaded-value", "x", (lanes,))
    for _ in range(40):  # concatenated, they would be 2**40
        joined = booleans.conjunction(
            joined,
            Condition(
                booleans.FALSE,
                booleans.TRUE,
                False,
                "loaded-value",
                "x",
                (same, *joined.determiners),
            ),
        )
        joined = booleans.conjunction(joined, joined)
    assert len(joined.determiners) == 1


def test_what_differs_by_a_constant_tells_lanes_apart_once() -> None:
    lanes = sums.along(sums.LANE, np.arange(32))
    steps = [
        sums.add(lanes, sums.constant(4 * turn)) for turn in range(500)
    ]  # what the turns of a loop load from
    assert len(sums.distinct(steps)) == 1
    assert (
        len(sums.distinct([*steps, sums.scale(lanes, 2), sums.along(sums.BLOCK, np.arange(32))]))
        == 3
    )


def test_what_is_remembered_of_an_object_goes_with_it() -> None:
    calls: list[int] = []
    total = PerObject(lambda array: calls.append(1) or int(array.sum()))
    for size in (3, 4):
        array = np.arange(size)
        assert total(array) == total(array) == size * (size - 1) // 2
        del array
    assert len(calls) == 2 and not total._known


def test_locals_that_read_variables_are_lowered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each `const` local in a function was tried as a constant first, and those in the functions it
    calls with it: twice at each level."""
    calls: list[int] = []
    literal = EXPRESSIONS[tree.Constant]
    monkeypatch.setitem(
        EXPRESSIONS, tree.Constant, lambda low, node: (calls.append(1), literal(low, node))[1]
    )
    levels = "".join(
        f"__device__ int f{n}(int x) {{ const int y = f{n - 1}(x + {n}); const int z = sizeof(x) + 4; return y * z; }}\n"
        for n in range(1, 9)
    )
    text = f"""__device__ int f0(int x) {{ return x; }}
{levels}__global__ void k(float *a, int n) {{ const int i = f8(n); a[threadIdx.x + 0 * i] = 0; }}
void f(float *a, int n) {{ k<<<8, 128>>>(a, n); }}
"""
    found = engine.analyse_source(files.Source("k.cu", "cuda", text), Settings())
    assert [access.status for access in found.kernels[0].accesses] == ["exact"]
    assert (
        len(calls) < 60
    )  # 8 levels of 2 literals, some read for texts; 1,500 where each level is lowered twice


@needs.interpreted
def test_conditions_of_nested_choices_are_gathered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def looks(turns: int) -> int:
        calls: list[int] = []
        inside = compiler_forms.Atoms.inside
        monkeypatch.setattr(
            compiler_forms.Atoms,
            "inside",
            lambda self, form: (calls.append(1), inside(self, form))[1],
        )
        text = f"""__global__ void k(const float *a, float *b) {{
    float least = 1e30f;
    for (int j = 0; j < {turns}; j++) {{ const float d = a[j] - 1.0f; if (d < least) least = d; }}
    b[threadIdx.x] = least;
}}
void f(float *a, float *b) {{ k<<<8, 128>>>(a, b); }}
"""
        engine.analyse_source(files.Source("k.cu", "cuda", text), Settings())
        monkeypatch.undo()
        return len(calls)

    assert looks(64) < 3 * looks(32)
