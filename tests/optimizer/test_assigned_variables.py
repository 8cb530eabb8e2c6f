"""What a branch or loop assigns for what runs behind it."""

from __future__ import annotations

import pytest

from kernlint.ir import nodes as ir
from kernlint.ir.traversal import walk
from kernlint.optimizer.assigned_variables import AssignedVariables
from tests.lowering.test_compile_time import lowered

HEAD = "__global__ void k(const float *a, float *b, int n) { int i = threadIdx.x; "


def assigned(body: str) -> set[str]:
    """The names of what the outermost branches or loops assign for others."""
    kernel = lowered(f"{HEAD}{body} }}")
    changing = AssignedVariables(kernel.body)
    outer = [s for s in kernel.body if isinstance(s, (ir.If, ir.Loop))]
    outer = outer or [s for s in walk(kernel.body) if isinstance(s, ir.If)][:1]
    return {v.name.split(".")[0] for s in outer for v in changing.of(s)}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if (n) { int c = i + n; b[c] = a[c]; }", set()),
        ("int c = 0; if (n) { c = i; } b[c] = 1;", {"c"}),
        ("int c = 0; if (n) { if (i) c = i; b[c] = 1; }", {"c"}),
        ("int c = 0; for (int j = 0; j < n; j++) { if (n == j) { b[c] = 1; c = i; } }", {"c", "j"}),
    ],
)
def test_what_others_may_read(body: str, expected: set[str]) -> None:
    assert assigned(body) & {"c", "j"} == expected
