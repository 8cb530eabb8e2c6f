"""Which rules run, at which levels and limits, and which findings are shown. Light: a run from the
cache needs no check.

Goes in: a `Selection`. Comes out: rules, and yes or no for a finding.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import product

from kernlint.base.usage import SEVERITIES
from kernlint.checks import rules
from kernlint.checks.rules import Rule
from kernlint.model.finding import Finding
from kernlint.model.settings import Selection

ELEMENTS, REQUESTS = "KL206", "KL201"  # of what both say, the first says more
MEASURING = ("KL204", "KL205", "KL901")  # rules that read estimates of time
FURTHER = re.compile(r"more access(?:es)? to `([^`]+)`")
# what a message says of one kernel alone
OWN = re.compile(r" \([^()]*\)$|, about [\d,]+ times per [\w-]+")
META = frozenset(
    {"KL090", "KL091", "KL092"}
)  # about suppressions: only `file-ignore` silences them
ALWAYS = (
    META | {"KL001", "KL093"}
)  # what cannot be read or obeyed is reported whatever rules are asked for: without it silence says nothing


def needs_estimate(selection: Selection) -> bool:
    """Whether a rule that runs reads estimates of time."""
    return any(code in MEASURING for code in _running(selection))


def usual() -> frozenset[str]:
    """The rules that run where nobody chooses."""
    return frozenset(code for code, rule in rules.rules().items() if rule.default)


def selected_rules(selection: Selection) -> dict[str, Rule]:
    """The rules to run, by code, with the limits and levels that the configuration gives them."""
    return {code: _configured(rule, selection) for code, rule in _running(selection).items()}


def _running(selection: Selection) -> dict[str, Rule]:
    """The rules to run; `ignore` wins over `select` unless `select` names the rule itself and
    `ignore` only its group. Those of `ALWAYS` need no selecting."""
    known = rules.rules()
    wanted = (
        {code for word in selection.select for code in rules.matching(word)} | ALWAYS
        if selection.select
        else usual()
    )
    dropped = {code for word in selection.ignore for code in rules.matching(word)}
    kept = rules.named(selection.select) - rules.named(selection.ignore)
    on = {
        code: rule
        for code, rule in known.items()
        if code in wanted and (code not in dropped or code in kept)
    }
    return {code: rule for code, rule in on.items() if selection.severities.get(code) != "off"}


def _configured(rule: Rule, selection: Selection) -> Rule:
    """The rule with the limits and the level that the configuration gives it."""
    if rule.code not in selection.severities and rule.code not in selection.thresholds:
        return rule
    level = selection.severities.get(rule.code, rule.severity)
    limits = {**rule.thresholds, **selection.thresholds.get(rule.code, {})}
    return replace(rule, severity=level, thresholds=limits)


def shown(finding: Finding, selection: Selection) -> bool:
    """Whether severity and status let a finding through."""
    if selection.statuses and finding.status not in selection.statuses:
        return False
    if selection.severity is None and finding.code in rules.named(selection.select):
        return True
    return SEVERITIES.index(finding.severity) >= SEVERITIES.index(selection.severity or "warning")


def held_back(finding: Finding, chosen: Mapping[str, Rule], selection: Selection) -> bool:
    """Whether a finding is not shown for being less than its rule's usual ones: small, or open. It
    may be shown once others are fixed."""
    rule = chosen.get(finding.code)
    return (
        rule is not None
        and not shown(finding, selection)
        and shown(replace(finding, severity=rule.severity), selection)
    )


def once(findings: Iterable[Finding]) -> list[Finding]:
    """What is said of one place in the same words, for several kernels or by several files that
    include it, said once; of an access that some instances make by elements, as that."""
    alike: dict[tuple[object, ...], list[Finding]] = {}
    for finding in findings:
        alike.setdefault(
            (
                finding.code,
                finding.span.path,
                finding.span.line,
                finding.message,
                requests(finding),
                tuple(part.span for part in finding.parts),
            ),
            [],
        ).append(finding)
    told = [_for_all(first, others) for first, *others in _by_cause(alike.values())]
    walked = {place for finding in told if finding.code == ELEMENTS for place in _places(finding)}
    return [one for one in told if one.code != REQUESTS or walked.isdisjoint(_places(one))]


def _by_cause(groups: Iterable[list[Finding]]) -> Iterable[list[Finding]]:
    """Those of one place and cause in other kernels joined; they may differ in how often they run
    and in what makes the numbers sure."""
    found: dict[tuple[object, ...], list[Finding]] = {}
    for number, group in enumerate(groups):
        first = group[0]
        cause = first.code, first.severity, first.span, OWN.sub("", first.message)
        kernels = {finding.kernel for finding in found.get(cause, ())}
        apart = kernels.isdisjoint(finding.kernel for finding in group)
        found.setdefault(cause if apart else (*cause, number), []).extend(group)
    return found.values()


def _places(finding: Finding) -> Iterator[tuple[str, int, int | str]]:
    """Where a finding is: its line with its column, and its lines with each array that it counts
    further accesses to."""
    path, line = finding.span.path, finding.span.line
    yield path, line, finding.span.column
    others = {part.span.line for part in finding.parts} - {line}
    texts = " ".join((finding.message, *finding.notes))
    yield from product([path], [line, *others], FURTHER.findall(texts))


def requests(finding: Finding) -> str:
    """How many requests the finding is about, as its launch note says; "" for none. Findings that
    differ in nothing else are about different executions."""
    launch = next((note for note in finding.notes if note.startswith("launch: ")), "")
    return launch.partition("; ")[2]


def _for_all(first: Finding, others: list[Finding]) -> Finding:
    kernels = sorted(
        {f"`{other.kernel}`" for other in others if other.kernel and other.kernel != first.kernel}
    )
    if not kernels:
        return first
    named = ", ".join(kernels[:3]) + (f" and {len(kernels) - 3} more" if len(kernels) > 3 else "")
    return replace(first, notes=(*first.notes, f"same in {named}"))
