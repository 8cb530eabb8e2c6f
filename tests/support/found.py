"""Findings of a text or of a case, as a user gets them."""

from __future__ import annotations

from kernlint.checks.run import check
from kernlint.model.finding import Finding
from kernlint.model.settings import Selection, Settings
from kernlint.pipeline import engine
from kernlint.source import files
from tests.places import DATA

CASES = DATA / "cases"


def found(code: str, source: str, name: str = "k.cu") -> list[Finding]:
    report = engine.analyse((), Settings(), stdin=files.from_bytes(name, source.encode()))
    return list(check(report, Selection(select=(code,))))


def of_case(code: str, name: str) -> list[Finding]:
    """Of a file of `tests/data/cases`."""
    return found(code, (CASES / name).read_text(encoding="utf-8"))
