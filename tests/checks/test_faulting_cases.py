"""Ordinary code that once stopped the analysis or a rule: it has numbers and no fault."""

from __future__ import annotations

import pytest

from kernlint.checks.run import check
from kernlint.model.settings import Selection, Settings
from kernlint.pipeline import engine
from tests.places import DATA

CASES = DATA / "cases" / "advice"


@pytest.mark.parametrize("name", ["fault_array_too_big", "fault_kl101_increment8"])
def test_no_fault(name: str) -> None:
    report = engine.analyse((str(CASES / f"{name}.cu"),), Settings())
    assert len(report.files[0].kernels) == 1
    assert not [f for f in check(report, Selection(severity="info")) if "fault" in f.message]


def test_a_template_argument_asks_for_an_instance() -> None:
    report = engine.analyse((str(CASES / "fault_array_too_big.cu"),), Settings())
    found = check(report, Selection(select=("KL003",), severity="info"))
    finding = next(f for f in found if "shared store" in f.message)
    assert finding.notes == ("depends on the template argument `BM`",)
    assert "instantiate it" in finding.help and "--arg" not in finding.help
