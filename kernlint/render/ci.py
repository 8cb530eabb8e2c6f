"""Findings in the formats of CI services: GitHub's workflow commands, GitLab's code quality,
JUnit's XML.

Goes in: findings, sources. Comes out: text. Sources for the formats: GitHub Docs, "Workflow
commands"; GitLab Docs, "Code Quality, implement a custom tool"; the JUnit XML schema of the Apache
Ant task, as Jenkins and GitLab read it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from xml.etree import ElementTree

from kernlint.linting.fingerprints import fingerprints
from kernlint.model.finding import Finding
from kernlint.source.sources import Sources

ANNOTATIONS = {"info": "notice", "warning": "warning", "error": "error"}
GITLAB = {"info": "info", "warning": "major", "error": "critical"}
NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def github(findings: Iterable[Finding]) -> str:
    """One workflow command per finding: `::warning file=…,line=…::message`."""
    return "".join(_command(finding) + "\n" for finding in findings)


def _command(finding: Finding) -> str:
    span = finding.span
    places = {"file": span.path, "line": span.line, "endLine": span.end_line}
    if span.line == span.end_line:  # columns count only within one line
        places |= {"col": span.column, "endColumn": span.end_column}
    places |= {"title": f"{finding.code} {finding.name}"}
    properties = ",".join(f"{name}={_property(str(value))}" for name, value in places.items())
    text = "\n".join(
        part
        for part in (
            finding.message,
            *finding.notes,
            f"help: {finding.help}" if finding.help else "",
        )
        if part
    )
    return f"::{ANNOTATIONS[finding.severity]} {properties}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def gitlab(findings: Sequence[Finding], sources: Sources) -> str:
    """A code quality report: a JSON list."""
    issues = [
        {
            "type": "issue",
            "check_name": f"{finding.code} {finding.name}",
            "description": finding.message + (f". Help: {finding.help}" if finding.help else ""),
            "categories": ["Performance"],
            "severity": GITLAB[finding.severity],
            "fingerprint": mark,
            "location": {
                "path": finding.span.path,
                "lines": {"begin": finding.span.line, "end": finding.span.end_line},
            },
        }
        for finding, mark in zip(findings, fingerprints(findings, sources), strict=True)
    ]
    return json.dumps(issues, indent=1, ensure_ascii=False) + "\n"


def junit(findings: Sequence[Finding], paths: Iterable[str]) -> str:
    """A test suite per file of `paths` (and per header with findings): a failure per finding, one
    passed test where there is none."""
    by_path: dict[str, list[Finding]] = {path: [] for path in paths}
    for finding in findings:
        by_path.setdefault(finding.span.path, []).append(finding)
    root = ElementTree.Element(
        "testsuites", name="kernlint", tests=str(sum(max(1, len(f)) for f in by_path.values()))
    )
    root.set("failures", str(len(findings)))
    for path, own in by_path.items():
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=_xml(path),
            tests=str(max(1, len(own))),
            failures=str(len(own)),
            errors="0",
        )
        if not own:
            ElementTree.SubElement(suite, "testcase", name="kernlint", classname=_xml(path))
        for finding in own:
            name = f"{finding.code} {finding.name}, line {finding.span.line}"
            case = ElementTree.SubElement(
                suite,
                "testcase",
                name=name,
                classname=_xml(path),
                file=_xml(path),
                line=str(finding.span.line),
            )
            failure = ElementTree.SubElement(
                case, "failure", type=finding.severity, message=_xml(finding.message)
            )
            place = f"{finding.span.path}:{finding.span.line}:{finding.span.column}"
            failure.text = _xml(
                "\n".join(
                    part for part in (place, finding.message, *finding.notes, finding.help) if part
                )
            )
    ElementTree.indent(root)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        + ElementTree.tostring(root, encoding="unicode")
        + "\n"
    )


def _xml(text: str) -> str:
    return NOT_XML.sub("\ufffd", text)
