"""Findings about what an unknown decides: which outcome under which condition. Goes in: an access
with its cases. Comes out: a note."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from kernlint.checks import context, own_headers, words
from kernlint.checks.context import Executed, Group
from kernlint.checks.rules import Rule
from kernlint.model.facts import Access, Case
from kernlint.model.finding import Finding, Metrics
from kernlint.model.reasons import REMEDIES

REMAINING = ("otherwise", "always")  # conditions of what no other case says
OTHERWISE = "otherwise"
RESIDUE = re.compile(r"([A-Za-z_]\w*) % (\d+) == (\d+)(?: and \1 != 0)?")
SINGLE = re.compile(r"[A-Za-z_]\w* == -?\d+")
LONGEST = 256  # of a period that residues are tried of


def misaligned(access: Access) -> bool:
    """Whether the cases only tell an access at a multiple of its own size from one that is not,
    which the machine refuses."""
    moduli = [re.search(r" in bytes % (\d+) == 0$", case.condition) for case in access.cases]
    return any(found is not None and int(found[1]) <= access.bytes for found in moduli)


def free_condition(cases: Sequence[Case], ideal: float) -> str:
    """A condition `n % m == r` on an argument under which a request counts no more than the ideal,
    with the least m; "" where the cases have none in this form, or it always holds."""
    said = [(_residues(case.condition), case.most <= ideal) for case in cases]
    moduli = [found for found, _ in said if found is not None]
    names = {name for name, _, _ in moduli}
    known = all(
        found is not None or case.condition == OTHERWISE or SINGLE.fullmatch(case.condition)
        for case, (found, _) in zip(cases, said, strict=True)
    )
    if len(names) != 1 or not known:
        return ""
    period = math.lcm(*(modulus for _, modulus, _ in moduli))
    good = [_counts_least(residue, cases) <= ideal for residue in range(min(period, LONGEST))]
    if all(good) or period > LONGEST:
        return ""
    for modulus in (m for m in range(2, period + 1) if period % m == 0):
        for residue in range(modulus):
            if all(good[residue::modulus]):
                return f"{names.pop()} % {modulus} == {residue}"
    return ""


def _counts_least(residue: int, cases: Sequence[Case]) -> float:
    """What the first case that holds of a residue counts at most, single values left out."""
    for case in cases:
        found = _residues(case.condition)
        if case.condition == OTHERWISE or (found and residue % found[1] == found[2]):
            return case.most
    return math.inf


def _residues(condition: str) -> tuple[str, int, int] | None:
    found = RESIDUE.fullmatch(condition)
    return None if found is None else (found[1], int(found[2]), int(found[3]))


def _settling(entry: Executed, worst: Case, group: Group) -> str:
    """What would decide which case applies; "" where the data does."""
    access = entry.access
    arguments = {parameter.name for parameter in entry.kernel.parameters}
    named = [
        name
        for name in re.findall(r"[A-Za-z_](?:[\w.]|->)*", worst.condition)  # `q->n` is loaded
        if name in arguments and "[" not in worst.condition and access.reason != "loaded-value"
    ]
    if named or access.reason == "unknown-argument":
        free = free_condition(access.cases, entry.counts.ideal)
        given = words.giving(
            entry.kernel,
            named or [access.detail.partition(",")[0]],
            own_headers.not_found(group.file),
            free,
        )
        if f"({free})" in given:
            return f"{words.mean(entry.counts.ideal)} per request if {free}: {given} to decide"
        return f"{given} to decide which case applies"
    return REMEDIES.get(access.reason, "")


def possible(
    entry: Executed,
    bad: Sequence[Case],
    group: Group,
    rule: Rule,
    which: str,
    alike: Sequence[Executed] = (),
) -> Finding:
    """An info finding: what it costs under which condition on an unknown. `which`: of load and
    store, if both are there; `alike`: accesses that it holds for as well."""

    def build(some: Sequence[Executed]) -> Finding:
        first = entry if entry in some else some[0]
        return _possible(first, bad, group, rule, which, some)

    return context.told_of(alike or (entry,), build)


def _possible(
    entry: Executed,
    bad: Sequence[Case],
    group: Group,
    rule: Rule,
    which: str,
    alike: Sequence[Executed],
) -> Finding:
    worst = max(bad, key=lambda c: (c.least, c.most))
    value = words.in_case(worst, entry.access.space)
    if worst.condition in REMAINING and len({(c.least, c.most) for c in bad}) > 1:
        value = f"up to {value}"
    known = [c for c in entry.access.cases if c.condition != "always"]
    access, ideal = entry.access, words.mean(entry.counts.ideal)
    notes = words.index(access)
    for one in known:
        case = one.condition if one.condition == "otherwise" else f"when {one.condition}"
        notes.append(f"{case}: {words.in_case(one, entry.access.space)} per request")
    notes += [*context.others_note(alike, entry), f"launch: {words.launch(entry.kernel.launch)}"]
    return Finding(
        rule.code,
        rule.name,
        "info",
        f"`{access.text}`: {value} per request{which} instead of {ideal} {_when(worst, bad, known)} ({entry.status})",
        access.span,
        kernel=words.kernel(entry.kernel),
        status=entry.status,
        labels=context.labels(access, group.file),
        notes=tuple(notes),
        help=_settling(entry, worst, group),
        assumptions=access.assumptions,
        metrics=Metrics(requests=entry.requests, active_lanes=entry.lanes),
    )


def _when(worst: Case, bad: Sequence[Case], known: Sequence[Case]) -> str:
    """The condition of the worst case; where that is the remaining one, the conditions that escape
    it."""
    if worst.condition not in REMAINING:
        return f"if {worst.condition}"
    harmful = {case.condition for case in bad}
    better = [case.condition for case in known if case.condition not in harmful]
    return f"unless {' or '.join(better[:3])}" if better else "in most cases"
