"""Tallies of several sets of blocks grow by the rules that their fields declare."""

from __future__ import annotations

from typing import Any

import pytest

from kernlint.base.dataclass import dataclass, field
from kernlint.base.span import Span
from kernlint.execution.counting import merge_rules
from kernlint.execution.counting.merge_rules import (
    added,
    both,
    either,
    first,
    kept,
    merged,
    updated,
)
from kernlint.execution.counting.residue_counts import Metric
from kernlint.execution.counting.tally import Tally
from kernlint.execution.record import BranchTally
from kernlint.execution.synchronisation.barriers import BarrierTally
from kernlint.ir import nodes as ir

SITE = ir.BarrierSite(Span("k.cu", 1, 1, 1, 9), "__syncthreads()", "block")


@dataclass(slots=True)
class Seen:
    site: str = field(metadata=merged(kept))
    count: int = field(default=0, metadata=merged(added))
    open: bool = field(default=False, metadata=merged(either))
    closed: bool = field(default=True, metadata=merged(both))
    loops: frozenset[int] = field(default=frozenset(), metadata=merged(either))
    lanes: tuple[int, ...] = field(default=(), metadata=merged(first))
    reasons: dict[str, None] = field(default_factory=dict, metadata=merged(updated))


@dataclass(slots=True)
class Forgotten:
    count: int = 0


def test_each_field_grows_by_its_rule() -> None:
    mine = Seen("here", 2, False, True, frozenset((1,)), (), {"a": None})
    other = Seen("there", 3, True, False, frozenset((2,)), (4,), {"b": None})
    merge_rules.grow(mine, other)
    assert mine == Seen("here", 5, True, False, frozenset((1, 2)), (4,), {"a": None, "b": None})
    assert other == Seen("there", 3, True, False, frozenset((2,)), (4,), {"b": None})


def test_a_field_without_a_rule_is_refused() -> None:
    with pytest.raises(KeyError):
        merge_rules.grow(Forgotten(1), Forgotten(2))


@pytest.mark.parametrize("kind", [Tally, BranchTally, BarrierTally])
def test_every_field_of_a_tally_says_how_it_grows(kind: type) -> None:
    assert merge_rules.rules_of(kind)


@pytest.mark.parametrize(
    ("mine", "other", "uniform", "detail"),
    [
        ((True, ""), (None, "n"), None, "n"),
        ((None, "m"), (None, "n"), None, "m"),
        ((None, "m"), (False, ""), False, "m"),
        ((False, ""), (None, "n"), False, ""),
        ((None, "m"), (True, ""), None, "m"),
    ],
)
def test_a_barrier_is_as_uniform_as_its_least_uniform_set(
    mine: Any, other: Any, uniform: bool | None, detail: str
) -> None:
    one = BarrierTally(SITE, uniform=mine[0], detail=mine[1])
    merge_rules.grow(one, BarrierTally(SITE, uniform=other[0], detail=other[1]))
    assert (one.uniform, one.detail) == (uniform, detail)


def test_metrics_of_no_requests_change_no_extreme() -> None:
    some = Metric(6.0, 6.0, 8.0, 2.0, 1, 4)
    assert some + Metric() == Metric() + some == some
    assert some + Metric(1.0, 1.0, 1.0, 1.0, 0, 9) == Metric(7.0, 7.0, 9.0, 3.0, 0, 9)
