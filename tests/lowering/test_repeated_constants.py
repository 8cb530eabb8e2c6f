"""Constants that many calls and instances ask for are worked out once."""

from __future__ import annotations

from collections import Counter

import pytest

from kernlint.lowering.program import Program
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source.files import Source
from kernlint.source.parser import tree
from tests.support import needs

TEXT = """
struct Kind { static constexpr int four = 1 + 3, eight = four + four; };
template <int K> __device__ int scaled(int i) { return i * K; }
template <> __device__ int scaled<Kind::four>(int i) { return i + 4; }
template <> __device__ int scaled<Kind::eight>(int i) { return i + 8; }
template <int N> __global__ void k(int *p) {
    p[scaled<1>(threadIdx.x)] = 0; p[scaled<2>(threadIdx.x)] = 0; p[scaled<4>(threadIdx.x)] = 0;
    p[scaled<8>(threadIdx.x) + N] = Kind::eight;
}
template __global__ void k<0>(int *);
template __global__ void k<1>(int *);
template __global__ void k<2>(int *);
"""


@needs.interpreted
def test_a_constant_is_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Counter[int]()
    original = Program.static_value

    def counted(self: Program, node: object, *given: object) -> object:
        if isinstance(node, (tree.BinaryOp, tree.QualifiedName)):
            asked[id(node)] += 1
        return original(self, node, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(Program, "static_value", counted)
    file = engine.analyse_source(Source("t.cu", "cuda", TEXT), Settings())
    sectors = [access.sectors for access in file.kernels[0].accesses]
    assert len(file.kernels) == 3 and None not in sectors
    assert set(asked.values()) == {1}  # two initialisers, two patterns
