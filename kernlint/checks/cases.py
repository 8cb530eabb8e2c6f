"""Findings about what an unknown decides: which outcome under which condition. Goes in: an access
with its cases. Comes out: a note."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kernlint.checks import context, own_headers, words
from kernlint.checks.context import Executed, Group
from kernlint.checks.rules import Rule
from kernlint.model.facts import Access, Case
from kernlint.model.finding import Finding, Metrics
from kernlint.model.reasons import REMEDIES

REMAINING = ("otherwise", "always")  # conditions of what no other case says


def misaligned(access: Access) -> bool:
    """Whether the cases only tell an access at a multiple of its own size from one that is not,
    which the machine refuses."""
    moduli = [re.search(r" in bytes % (\d+) == 0$", case.condition) for case in access.cases]
    return any(found is not None and int(found[1]) <= access.bytes for found in moduli)


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
        given = words.giving(
            entry.kernel,
            named or [access.detail.partition(",")[0]],
            own_headers.not_found(group.file),
        )
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
