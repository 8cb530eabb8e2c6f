"""The estimate against 65 measured launches: ranks, errors, and the table that the documentation
prints."""

from __future__ import annotations

import re

import pytest

from tests.estimate.estimate_table import Row, rows, summary
from tests.places import DOCS

pytestmark = pytest.mark.slow


PAGE = DOCS / "estimate.md"


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
    """Each row to two percent, and the figures over all; `python -m tests.estimate.estimate_table` writes
    them anew."""
    page = PAGE.read_text(encoding="utf-8")
    printed = [
        [cell.strip() for cell in line.strip("| ").split("|")]
        for line in page.splitlines()
        if re.match(r"\| \w+ \| `", line)
    ]
    assert [row[:2] for row in printed] == [
        [r.measured["program"].removesuffix(".cu"), f"`{r.name}`"] for r in found
    ]
    for row, now in zip(printed, found, strict=True):
        assert float(row[2].replace(",", "")) == now.measured["cycles"]
        assert float(row[3].replace(",", "")) == pytest.approx(now.estimate.cycles, rel=0.02)
        assert row[5] == now.estimate.limiter
    of = summary(found)
    told = re.search(
        r"\*\*rank correlation (?P<rank>[\d.]+), median error (?P<error>[\d.]+) %\*\*", page
    )
    assert told is not None
    assert float(told["rank"]) == pytest.approx(of["rank_cycles"], abs=0.005)
    assert float(told["error"]) == pytest.approx(100 * of["median_cycles"], abs=0.5)
