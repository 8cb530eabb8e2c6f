"""The compile stage's certain outcomes against the machine code of the generated kernels
(tests/compiler, tests/data/compiler)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from kernlint.ir import nodes as ir
from kernlint.ir.traversal import walk
from kernlint.optimizer.compiler import View, look
from kernlint.optimizer.compiler_facts import Rolled, Sunk, Unrolled
from kernlint.optimizer.compiler_groups import parts
from tests.optimizer.table.test_compiler_table import (
    Case,
    access_lines,
    cases,
    flagged,
    lowered,
)

pytestmark = pytest.mark.slow


INSTRUCTION = re.compile(r"(@?)(LDG|STG|LDS|STS)((?:\.\w+)*)(?:/([\d.]+))?(?: x(\d+))?$")
KIND = {
    ("global", "load"): "LDG",
    ("global", "store"): "STG",
    ("shared", "load"): "LDS",
    ("shared", "store"): "STS",
}
Copies = Counter[tuple[str, int, str]]  # (instruction, bytes, machine loop)


def copies(machine: str) -> Copies:
    found: Copies = Counter()
    for text in re.findall(r"@?[A-Z][\w.]*(?:/[\d.]+)?(?: x\d+)?", machine):
        match = INSTRUCTION.match(text)
        if match:
            flags = match[3].split(".")
            width = next(
                (
                    w
                    for flag, w in (
                        ("128", 16),
                        ("64", 8),
                        ("U16", 2),
                        ("U8", 1),
                        ("S16", 2),
                        ("S8", 1),
                    )
                    if flag in flags
                ),
                4,
            )
            found[match[2], width, match[4] or ""] += int(match[5] or 1)
    return found


@dataclass(frozen=True, slots=True)
class Line:
    """A line all of whose accesses of one kind have a certain outcome or none at all."""

    name: str
    text: str
    kind: str
    sites: list[ir.AccessSite]
    view: View
    machine: Copies


def spaces(kernel: ir.Kernel, view: View) -> dict[ir.AccessSite, str]:
    assert view.walker is not None
    return {
        site: entry.memory.space if entry.memory is not None else "global"
        for site, entry in view.walker.sites.items()
    }


def lines(case: Case, kernel: ir.Kernel, view: View) -> Iterator[Line]:
    rows = [*case.source.splitlines(), ""]
    if view.walker is None or "asm" in case.name:
        return
    space = spaces(kernel, view)
    sites = [
        s.site for s in walk(kernel.body) if isinstance(s, (ir.Load, ir.Store)) and s.site in space
    ]
    charged = {
        site: view.outcomes[site].charged_line if site in view.outcomes else site.charged_line
        for site in sites
    }
    for number, machine in case.machine.items():
        for kind in ("LDS", "STS", "LDG", "STG"):
            own = [s for s in sites if charged[s] == number and KIND.get((space[s], s.op)) == kind]
            if any(s in view.outcomes for s in own) and all(
                s in view.outcomes or s not in view.found for s in own
            ):
                text = rows[number - 1].strip()
                yield Line(case.name, text, kind, own, view, copies(machine))


def instances(line: Line, site: ir.AccessSite) -> int:
    assert line.view.walker is not None
    return sum(i.entry.site is site for i in line.view.walker.instances)


def unrolled_as_predicted(line: Line) -> bool:
    """Straight code has just the predicted instructions; where a loop was kept, its instructions
    have the predicted widths. What depends on how far a loop is unrolled is as in one of the two
    cases."""
    return any(_as_predicted(line, further) for further in (False, True))


def _as_predicted(line: Line, further: bool) -> bool:
    expected: Counter[int] = Counter()
    for site in line.sites:
        outcome = line.view.outcomes.get(site)
        if outcome is None or isinstance(outcome, Sunk):
            expected[site.pieces[0][1]] += len(site.pieces) * instances(line, site)
        else:
            assert isinstance(outcome, Unrolled)
            fates = outcome.wider.fates if further and outcome.wider is not None else outcome.fates
            expected.update(piece[1] for piece in fates.values() if piece is not None)
    found = Counter({w: 0 for w in expected})
    looped = False
    for (kind, width, loop), count in line.machine.items():
        if kind == line.kind:
            found[width] += count
            looped |= bool(loop)
    if looped:
        return {w for w, n in found.items() if n} == {w for w, n in expected.items() if n}
    return +found == +expected


def rolled_as_predicted(line: Line) -> bool:
    """Each machine loop holds whole groups of the predicted width, or single accesses of the rest;
    no width is another."""
    (site,) = line.sites
    outcome = line.view.outcomes[site]
    assert isinstance(outcome, Rolled) and line.view.walker is not None
    own = Counter(
        {(w, loop): n for (kind, w, loop), n in line.machine.items() if kind == line.kind}
    )
    constant = line.view.walker.constant_trips.get(outcome.loop)
    if constant is not None and not any(loop for _, loop in own):
        rest = Counter(w for w in outcome.rest[constant % outcome.unroll] if w)
        whole = Counter(
            {outcome.bytes: constant // outcome.unroll * outcome.unroll // outcome.group}
        )
        return Counter({w: n for (w, _), n in own.items()}) == +(rest + whole)
    allowed = {outcome.bytes, *(w for rest in outcome.rest for w in rest if w)}
    if {w for w, _ in own} - allowed or not any(w == outcome.bytes and loop for w, loop in own):
        return False
    single = [n for (w, loop), n in own.items() if w != outcome.bytes and loop]
    return all(n == 1 for n in single)


@dataclass(frozen=True, slots=True)
class Outcome:
    missed: list[str]  # lines that deviate and carry no risk
    needless: list[str]  # lines as written that carry one
    plain: list[str]  # lines as written


# What a listing cannot show: a predicated load counts fewer requests, one lane of an atomic is
# active, an atomic's instruction is charged to the header where its function stands
# (tests/data/compiler/measured).
INVISIBLE = {"sunk", "aggregated", "expanded", "elsewhere"}


@dataclass(frozen=True, slots=True)
class Looked:
    outcome: Outcome
    lines: list[Line]


@pytest.fixture(scope="module")
def looked() -> Looked:
    outcome, known = Outcome([], [], []), list[Line]()
    for case in cases():
        kernel = lowered(case.name, case.source)
        view = look(kernel)
        known += lines(case, kernel, view)
        _judge(case, kernel, view, outcome)
    return Looked(outcome, known)


def _judge(case: Case, kernel: ir.Kernel, view: View, outcome: Outcome) -> None:
    found, own, rows = flagged(kernel, view), access_lines(kernel), case.source.splitlines()
    for line, verdict in case.verdicts.items():
        text = rows[line - 1].strip() if line <= len(rows) else ""
        if verdict == "unexpected" or line not in own or "//@" not in text:
            continue
        kinds = found.get(line, set())
        told = f"{case.name}:{line}: {text}"
        if verdict and not kinds:
            outcome.missed.append(f"{told} [{verdict}]")
        elif not verdict:
            outcome.plain.append(told)
            outcome.needless.extend([f"{told} {sorted(kinds)}"] if kinds - INVISIBLE else [])


def test_copies_of_unrolled_code(looked: Looked) -> None:
    chosen = [
        x
        for x in looked.lines
        if not any(isinstance(x.view.outcomes.get(s), Rolled) for s in x.sites)
    ]
    wrong = [
        f"{x.name}: {x.text} | {dict(x.machine)}" for x in chosen if not unrolled_as_predicted(x)
    ]
    assert not wrong, f"{len(wrong)} of {len(chosen)}\n" + "\n".join(wrong)
    assert len(chosen) > 250


def test_loops_unrolled_by_a_part(looked: Looked) -> None:
    chosen = [
        x for x in looked.lines if any(isinstance(x.view.outcomes.get(s), Rolled) for s in x.sites)
    ]
    wrong = [
        f"{x.name}: {x.text} | {dict(x.machine)}"
        for x in chosen
        if len(x.sites) > 1 or not rolled_as_predicted(x)
    ]
    assert not wrong, f"{len(wrong)} of {len(chosen)}\n" + "\n".join(wrong)
    assert len(chosen) > 60


def test_parts_of_a_vector() -> None:
    """Three of four shared words are loaded as four; stores never write what was not written."""
    table = {
        (0, 1): ((0, 2),),
        (1, 2): ((1, 1), (2, 1)),
        (2, 3): ((2, 2),),
        (0, 2): ((0, 1), (2, 1)),
        (0, 1, 2, 3): ((0, 4),),
    }
    for slots, expected in table.items():
        for store in (False, True):
            assert parts(frozenset(slots), 4, store, True) == expected
    assert parts(frozenset((1, 2, 3)), 4, False, True) == ((0, 4),)
    assert parts(frozenset((1, 2, 3)), 4, False, False) == ((1, 1), (2, 2))
    assert parts(frozenset((1, 2, 3)), 4, True, True) == ((1, 1), (2, 2))
    assert parts(frozenset((0,)), 2, False, True) == ((0, 1),)


def test_every_deviation_is_flagged(looked: Looked) -> None:
    assert not looked.outcome.missed, "\n".join(looked.outcome.missed)


def test_few_lines_that_run_as_written_are_flagged(looked: Looked) -> None:
    assert len(looked.outcome.plain) > 3000
    assert len(looked.outcome.needless) < 0.05 * len(looked.outcome.plain), "\n".join(
        looked.outcome.needless
    )
