"""Branches in branches: each is looked at once, however deep it stands."""

import pytest

from kernlint.optimizer import compiler_choices
from kernlint.optimizer.compiler import look
from tests.support import needs
from tests.support.lowered import program

DEPTH = 12


@needs.interpreted
def test_what_a_nest_costs_is_counted_once_a_branch(monkeypatch: pytest.MonkeyPatch) -> None:
    """It doubled with each level: 25 levels took 40 s."""
    counted: list[int] = []
    cost = compiler_choices.cost

    def noted(*arguments: object) -> object:
        counted.append(1)
        return cost(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(compiler_choices, "cost", noted)
    made = program(f"__global__ void k(float *a, int n) {{ {'if (n) ' * DEPTH} a[0] = 1; }}\n")
    look(made.instantiate(made.kernels()[-1], None))
    assert 0 < len(counted) < 10 * DEPTH
