"""Findings as JSON: ruff's field names where they exist, plus what kernlint knows. Documented in
docs/findings.md.

Goes in: findings, sources. Comes out: plain dictionaries. Never text for people beyond the messages
themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from kernlint import __version__
from kernlint.base.span import Span
from kernlint.checks import rules, words
from kernlint.checks.rule_addresses import address
from kernlint.hardware import resolve
from kernlint.linting.fingerprints import fingerprints
from kernlint.linting.suppressions import Silenced
from kernlint.model.finding import Finding, Fix
from kernlint.render import devices
from kernlint.source.sources import Sources

FORMAT = 1  # of this layout


def to_json(
    findings: Sequence[Finding],
    sources: Sources,
    device: str,
    rules_url: str = "",
    others: Mapping[str, str] | None = None,
    suppressed: Sequence[Silenced] = (),
) -> dict[str, Any]:
    """`rules_url`: where the rules' pages are served, "" for where the installed package says;
    `others`: devices by file, of those judged for another one than `device`; `suppressed`: what
    comments silence."""
    silenced = listed([one.finding for one in suppressed], sources, device, rules_url)
    return {
        "version": FORMAT,
        "tool": {"name": "kernlint", "version": __version__},
        "device": device,
        "cycles_model": words.model(resolve(device)),
        "other_devices": [
            {"device": name, "cycles_model": words.model(resolve(name)), "filenames": paths}
            for name, paths in devices.by_device(others or {}).items()
        ],
        "findings": listed(findings, sources, device, rules_url),
        "suppressed": [
            {"comment": one.comment, "finding": finding}
            for finding, one in zip(silenced, suppressed, strict=True)
        ],
    }


def listed(
    findings: Sequence[Finding], sources: Sources, device: str, rules_url: str = ""
) -> list[dict[str, Any]]:
    """The findings alone, as `json-lines` prints them, one on a line."""
    return [
        _finding(finding, mark, device, rules_url)
        for finding, mark in zip(findings, fingerprints(findings, sources), strict=True)
    ]


def _finding(finding: Finding, fingerprint: str, device: str, rules_url: str) -> dict[str, Any]:
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity,
        "message": finding.message,
        "filename": finding.span.path,
        **place(finding.span),
        "kernel": finding.kernel or None,
        "device": finding.device or device,
        "reason": finding.reason or None,
        "status": finding.status,
        "assumptions": list(finding.assumptions),
        "metrics": metrics(finding),
        "notes": list(finding.notes),
        "help": finding.help or None,
        "labels": [
            {"filename": label.span.path, **place(label.span), "message": label.text}
            for label in finding.labels
        ],
        "lines": [
            {
                "filename": part.span.path,
                **place(part.span),
                "message": part.message,
                "status": part.status,
                "metrics": metrics(part),
            }
            for part in finding.parts
        ],
        "macro": finding.span.macro or None,
        "fix": _fix(finding.fix),
        "fingerprint": fingerprint,
        "url": address(rules.find(finding.code), rules_url),
    }


def metrics(finding: Finding) -> dict[str, Any]:
    """The numbers that apply."""
    return {name: value for name, value in asdict(finding.metrics).items() if value is not None}


def place(span: Span) -> dict[str, Any]:
    return {
        "location": {"row": span.line, "column": span.column},
        "end_location": {"row": span.end_line, "column": span.end_column},
    }


def _fix(fix: Fix | None) -> dict[str, Any] | None:
    if fix is None:
        return None
    edits = [
        {"filename": edit.span.path, **place(edit.span), "content": edit.content}
        for edit in fix.edits
    ]
    return {"applicability": fix.applicability, "message": fix.message, "edits": edits}
