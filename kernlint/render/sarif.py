"""Findings as SARIF 2.1.0, the format of GitHub code scanning, Azure DevOps and SARIF viewers.

Goes in: findings, sources. Comes out: one run as plain dictionaries. Paths are relative to
%SRCROOT%, the current folder; columns count code points.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from kernlint import __version__
from kernlint.base.span import Span
from kernlint.checks import rules as table
from kernlint.checks import words
from kernlint.checks.rule_addresses import address, home
from kernlint.checks.rules import Rule
from kernlint.hardware import resolve
from kernlint.linting.fingerprints import fingerprints
from kernlint.linting.suppressions import Silenced
from kernlint.model.finding import Finding, Fix
from kernlint.render import devices, findings_json, rule_pages
from kernlint.source.sources import Sources

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS = {"info": "note", "warning": "warning", "error": "error"}
CONTEXT = 2  # lines quoted before and after a finding
MOST = 25_000  # results that GitHub accepts in one run


def to_sarif(
    findings: Sequence[Finding],
    sources: Sources,
    device: str,
    levels: Mapping[str, str] | None = None,
    rules_url: str = "",
    others: Mapping[str, str] | None = None,
    suppressed: Sequence[Silenced] = (),
) -> dict[str, Any]:
    """Paths are relative to the current folder. `levels`: by rule, the severity that this run's
    configuration gives it; `rules_url`: where the rules' pages are served, "" for where the
    installed package says; `others`: devices by file, of those judged for another one than
    `device`; `suppressed`: what comments silence."""
    base = os.path.abspath(os.curdir)
    silenced = [one.finding for one in suppressed][: max(0, MOST - len(findings))]
    found = {finding.code for finding in (*findings[:MOST], *silenced)}
    # each page is kilobytes: those that results refer to
    known = [rule for rule in table.rules().values() if rule.code in found]
    index = {rule.code: number for number, rule in enumerate(known)}
    prints = fingerprints(findings, sources)
    results = [
        _result(f, index, mark, sources, base, device)
        for f, mark in zip(findings[:MOST], prints, strict=False)
    ]
    for one, mark in zip(suppressed, fingerprints(silenced, sources), strict=False):
        result = _result(one.finding, index, mark, sources, base, device)
        # 3.35 of the standard: the comment is the place and the reason
        result["suppressions"] = [{"kind": "inSource", "justification": one.comment}]
        results.append(result)
    driver = {
        "name": "kernlint",
        "fullName": "kernlint, static analysis of GPU kernels",
        "semanticVersion": __version__,
        "version": __version__,
        **({"informationUri": page} if (page := home()) else {}),
        "rules": [_rule(rule, rules_url) for rule in known],
    }
    run: dict[str, Any] = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {
            "%SRCROOT%": {
                "uri": Path(base).as_uri() + "/",
                "description": {"text": "The folder kernlint ran in."},
            }
        },
        "automationDetails": {"id": f"kernlint/{device}/"},
        "properties": {
            "device": device,
            "cyclesModel": words.model(resolve(device)),
            **_others(others or {}),
        },
        "invocations": [_invocation(known, levels or {}, len(findings))],
        "results": results,
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _others(others: Mapping[str, str]) -> dict[str, Any]:
    found = [
        {"device": name, "cyclesModel": words.model(resolve(name)), "files": paths}
        for name, paths in devices.by_device(others).items()
    ]
    return {"otherDevices": found} if found else {}


def _invocation(known: Sequence[Rule], levels: Mapping[str, str], found: int) -> dict[str, Any]:
    """What this run made of the rules' own levels, and what it left out."""
    invocation: dict[str, Any] = {"executionSuccessful": True}
    overrides = [
        {
            "descriptor": {"id": rule.code, "index": number},
            "configuration": {"level": LEVELS[level], "enabled": True},
        }
        for number, rule in enumerate(known)
        if (level := levels.get(rule.code, rule.severity)) in LEVELS
        and (level != rule.severity or not rule.default)
    ]
    if overrides:
        invocation["ruleConfigurationOverrides"] = overrides
    if found > MOST:
        text = f"{found - MOST} of {found} findings are left out: a SARIF run holds at most {MOST}."
        invocation["toolExecutionNotifications"] = [{"level": "warning", "message": {"text": text}}]
    return invocation


def _rule(rule: Rule, rules_url: str) -> dict[str, Any]:
    page, served = rule_pages.markdown(rule), address(rule, rules_url)
    return {
        "id": rule.code,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.summary},
        **({"helpUri": served} if served else {}),
        "help": {
            "text": f"{rule.summary}\n`kernlint explain {rule.code}` prints the page on it.",
            "markdown": page,
        },
        "defaultConfiguration": {"level": LEVELS[rule.severity], "enabled": rule.default},
        "properties": {"tags": ["gpu", "performance", rule.family], "precision": "high"},
    }


def _result(
    finding: Finding, index: dict[str, int], mark: str, sources: Sources, base: str, device: str
) -> dict[str, Any]:
    text = (
        ". ".join(
            part.rstrip(".") for part in (finding.message, *finding.notes, finding.help) if part
        )
        + "."
    )
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": index[finding.code],
        "level": LEVELS[finding.severity],
        "message": {"text": text},
        "locations": [
            {
                "physicalLocation": _physical(finding.span, sources, base, context=True),
                **_logical(finding),
            }
        ],
        "partialFingerprints": {"primaryLocationLineHash": f"{mark}:1"},
        "properties": {
            "status": finding.status,
            "assumptions": list(finding.assumptions),
            "metrics": findings_json.metrics(finding),
            "device": finding.device or device,
        },
    }
    if related := _related(finding):
        result["relatedLocations"] = [
            {
                "id": number,
                "physicalLocation": _physical(span, sources, base),
                "message": {"text": text},
            }
            for number, (span, text) in enumerate(related.items(), 1)
        ]
    if finding.fix is not None:
        result["fixes"] = [_fix(finding.fix, base)]
    return result


def _related(finding: Finding) -> dict[Span, str]:
    """The labels, and the finding's other lines with what there is to say of each."""
    others = {part.span: part.message for part in finding.parts if part.span != finding.span}
    return {label.span: label.text for label in finding.labels} | others


def _logical(finding: Finding) -> dict[str, Any]:
    return (
        {"logicalLocations": [{"fullyQualifiedName": finding.kernel, "kind": "function"}]}
        if finding.kernel
        else {}
    )


def _physical(span: Span, sources: Sources, base: str, context: bool = False) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": artifact(span.path, base), "region": _region(span)}
    line = sources.line(span.path, span.line)
    if line.strip():
        place["region"]["snippet"] = {"text": line}
    if context and line.strip():
        first = max(1, span.line - CONTEXT)
        lines = [
            sources.line(span.path, number) for number in range(first, span.end_line + CONTEXT + 1)
        ]
        while lines and not lines[-1]:
            lines.pop()
        if len(lines) > span.end_line - span.line + 1:
            place["contextRegion"] = {
                "startLine": first,
                "endLine": first + len(lines) - 1,
                "snippet": {"text": "\n".join(lines)},
            }
    return place


def _region(span: Span) -> dict[str, Any]:
    return {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }


def artifact(path: str, base: str) -> dict[str, str]:
    """A path below `base` relative to it, any other as an absolute file URI."""
    absolute = os.path.abspath(os.path.join(base, path))
    relative = os.path.relpath(absolute, base)
    if relative.split(os.sep)[0] == os.pardir:
        return {"uri": Path(absolute).as_uri()}
    return {"uri": quote(relative.replace(os.sep, "/")), "uriBaseId": "%SRCROOT%"}


def _fix(fix: Fix, base: str) -> dict[str, Any]:
    changes: dict[str, list[dict[str, Any]]] = {}
    for edit in fix.edits:
        replacement = {
            "deletedRegion": _region(edit.span),
            "insertedContent": {"text": edit.content},
        }
        changes.setdefault(edit.span.path, []).append(replacement)
    listed = [
        {"artifactLocation": artifact(path, base), "replacements": some}
        for path, some in changes.items()
    ]
    return {"description": {"text": fix.message}, "artifactChanges": listed}
