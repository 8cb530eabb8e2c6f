"""Outer tests that imply inner ones: nvcc 13's machine code for sm_90."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.base.span import Span
from kernlint.ir import nodes as ir
from kernlint.ir.types import Integer
from kernlint.optimizer.compiler_forms import Atoms, form_of
from kernlint.optimizer.compiler_state import Steps
from kernlint.optimizer.path_conditions import PathConditions
from tests.execution.test_execution import run

INT = Integer(32, True, "int")
X, Y = (ir.Read(INT, ir.Variable(name, INT)) for name in "xy")
THREAD = ir.Builtin(INT, "tid.x")


def op(name: str, left: ir.Expression, right: ir.Expression | int) -> ir.Binary:
    value = ir.Constant(INT, right) if isinstance(right, int) else right
    return ir.Binary(INT, name, left, value)


@pytest.mark.parametrize(
    ("outer", "inner", "truth"),
    [
        (op("<", X, 16), op("<", X, 20), True),
        (op("<", X, 16), op(">=", X, 16), False),
        (op("<", X, 16), op("<", X, 12), None),
        (op("<", X, Y), op("<", X, op("+", Y, 1)), True),
        (op("<", X, Y), op(">", Y, X), True),
        (op("<", op("*", X, 2), 10), op(">", X, 4), False),
        (op("==", X, 5), op("!=", X, 5), False),
        (op("!=", X, 5), op("==", X, 5), False),
        (op(">", op("&", X, 7), 2), op("==", op("&", X, 7), 1), False),
        (op(">", Y, 2), op("<", op("&", X, 7), 8), True),
        (op(">", Y, 2), op("<", THREAD, 0), False),
        (op(">", Y, 2), op(">", X, 2), None),
    ],
)
def test_ranges_decide_what_an_outer_test_implies(
    outer: ir.Expression, inner: ir.Expression, truth: bool | None
) -> None:
    atoms, steps = Atoms(), Steps()
    known, asked = (form_of(e, {}, atoms) for e in (outer, inner))
    branch = ir.If(outer, (), (), ir.BranchSite(Span("k.cu", 1, 1, 1, 1), "if", ""))
    path = (steps.step(known, True, branch),)
    conditions = PathConditions(atoms, {})
    assert conditions.truth(path, asked) is truth
    inside = (*path, steps.step(asked, False, branch))
    assert conditions.is_dead(inside) == (truth is True)


SOURCE = """// kernlint: launch(grid=1, block=32, n=48)
__global__ void k(float *o, const int *c, const float *q, int n) {{
    int t = threadIdx.x;
    int x = c[t];
    int y = c[t + 100];
    {}
}}
"""


@pytest.mark.parametrize(
    "body",
    [
        "if (x < 16) { if (!(x < 20)) o[t] = q[t]; }",
        "if (x > 16 && t < n) { if (!x) o[t] = q[y]; }",
        "if (x == y) { while (x != y) { o[t] = 1; x++; } }",
        "if (x < y) { if (y > 5) { if (x > y) o[t] = 1; } }",
    ],
)
def test_what_only_a_path_without_lanes_needs_is_not_called_exact(
    body: str, tmp_path: Path
) -> None:
    """The machine loads nothing here."""
    kernel = run(tmp_path, SOURCE.format(body))
    loads = [a for a in kernel.accesses if a.text == "c[t]"]
    assert [(a.as_compiled or a).status for a in loads] == ["range"]


@pytest.mark.parametrize("body", ["if (x < 16) { if (x < 20) o[t] = 1; else o[t] = q[t]; }"])
def test_a_test_that_stays_needs_its_load(body: str, tmp_path: Path) -> None:
    kernel = run(tmp_path, SOURCE.format(body))
    assert next(a for a in kernel.accesses if a.text == "c[t]").status == "exact"
