"""docs/compile-stage.md against the table of compiled kernels and the stage itself."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

import pytest

from kernlint.execution.slicing import walk
from kernlint.ir import nodes as ir
from kernlint.optimizer.compiler import look, risks
from kernlint.optimizer.compiler_facts import KINDS, LoopFacts
from tests.optimizer.table.test_compiler_table import Case, arrays, cases, lowered
from tests.places import DOCS

PAGE = DOCS / "compile-stage.md"


@dataclass(frozen=True, slots=True)
class Rule:
    kind: str
    outcome: str
    count: int
    names: tuple[str, ...]


def rules() -> list[Rule]:
    rows = [
        [cell.strip() for cell in row.split("|")[1:-1]]
        for row in PAGE.read_text().splitlines()
        if row.startswith("| `")
    ]
    counts = [(row, *row[4].split(":")) for row in rows]
    return [
        Rule(row[0].strip("`"), row[3], int(count), tuple(re.findall(r"`(\w+)`", names)))
        for row, count, names in counts
    ]


TABLE: dict[str, list[Case]] = {}
for case in cases():
    TABLE.setdefault(case.name.split("_")[0], []).append(case)


def kinds(case: Case) -> tuple[set[str], set[str]]:
    """What the stage says may and what it says will happen in a case; lanes may leave its loops one
    by one."""
    kernel = lowered(case.name, case.source)
    view = look(kernel)
    loops = {s: LoopFacts(lane_varying=True) for s in walk(kernel.body) if isinstance(s, ir.Loop)}
    found = arrays(kernel)
    placed = {"in-registers" for a in found if a.place in ("registers", "either")}
    gone = {a.as_compiled.reason for a in found if a.as_compiled is not None}
    may = {r.kind for some in risks(kernel, loops, view).values() for r in some}
    return placed | may, gone | {o.reason for o in view.outcomes.values()}


def test_every_kind_has_a_rule() -> None:
    assert {rule.kind for rule in rules()} == set(KINDS)


@pytest.mark.slow
@pytest.mark.parametrize("rule", rules(), ids=lambda r: f"{r.kind}-{r.names[0]}")
def test_rule_has_its_cases(rule: Rule) -> None:
    counted = Counter({name: len(TABLE.get(name, ())) for name in rule.names})
    assert sum(counted.values()) == rule.count and all(counted.values()), counted
    may, will = set[str](), set[str]()
    for name in rule.names:
        for case in TABLE[name]:
            some, sure = kinds(case)
            may, will = may | some, will | sure
            if rule.kind in may and ("as compiled" not in rule.outcome or rule.kind in will):
                return
    pytest.fail(f"no case shows {rule.kind} as {rule.outcome}")
