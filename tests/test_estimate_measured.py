"""The estimate against 65 measured launches: ranks, errors, and the table that the documentation prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.estimate_table import Row, rows, summary, table

PAGE = Path(__file__).parent.parent / "docs" / "estimate.md"


@pytest.fixture(scope="module")
def found() -> list[Row]:
    return rows()


def test_every_launch_has_an_estimate(found: list[Row]) -> None:
    assert len(found) == 65
    for row in found:
        assert row.estimate.cycles_low <= row.estimate.cycles <= row.estimate.cycles_high
        assert row.estimate.occupancy == row.measured["occupancy_pct"] / 100
        assert row.estimate.device == "h100"
        assert row.estimate.model


def test_ranks_and_errors(found: list[Row]) -> None:
    of = summary(found)
    assert min(of["rank_cycles"], of["rank_time"]) >= 0.9
    assert max(of["median_cycles"], of["median_time"]) <= 0.30
    assert of["instructions"] <= 0.15


def test_the_page_prints_these_estimates(found: list[Row]) -> None:
    """`python -m tests.estimate_table` writes the table anew."""
    assert table(found) in PAGE.read_text(encoding="utf-8")
    of = summary(found)
    for figure in (f"rank correlation {of['rank_cycles']:.3f}", f"median error {100 * of['median_cycles']:.1f} %"):
        assert figure in PAGE.read_text(encoding="utf-8")
