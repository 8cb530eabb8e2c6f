"""Every output format of `check` by name.

Goes in: a document (findings and what they are about) and a style. Comes out: text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from kernlint.checks.finding import Finding
from kernlint.records import dataclass
from kernlint.render import ci, concise, findings_json, full, sarif
from kernlint.render.sources import Sources
from kernlint.render.style import Style


@dataclass(frozen=True, slots=True)
class Document:
    """The findings of a run; `paths` are all files analysed, also those without findings."""

    findings: tuple[Finding, ...]
    sources: Sources
    device: str
    paths: tuple[str, ...]


def _lines(document: Document) -> str:
    found = findings_json.listed(document.findings, document.sources)
    return "".join(json.dumps(finding, ensure_ascii=False, default=dict) + "\n" for finding in found)


def as_json(value: object) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False, default=dict) + "\n"


FORMATS: Mapping[str, Callable[[Document, Style], str]] = {
    "full": lambda d, style: full.render(d.findings, d.sources, style),
    "concise": lambda d, style: concise.render(d.findings, style),
    "agent": lambda d, style: concise.render(d.findings, style, remedies=True),
    "json": lambda d, _: as_json(findings_json.to_json(d.findings, d.sources, d.device)),
    "json-lines": lambda d, _: _lines(d),
    "sarif": lambda d, _: as_json(sarif.to_sarif(d.findings, d.sources, d.device)),
    "github": lambda d, _: ci.github(d.findings),
    "gitlab": lambda d, _: ci.gitlab(d.findings, d.sources),
    "junit": lambda d, _: ci.junit(d.findings, d.paths),
}
