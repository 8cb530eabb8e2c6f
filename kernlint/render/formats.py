"""Every output format of `check` by name; each is loaded when it is asked for.

Goes in: a document (findings and what they are about) and a style. Comes out: text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from kernlint.base.dataclass import dataclass, field
from kernlint.linting.suppressions import Silenced
from kernlint.model import facts
from kernlint.model.finding import Finding
from kernlint.render.style import Style
from kernlint.source.sources import Sources


@dataclass(frozen=True, slots=True)
class Document:
    """The findings of a run; `paths` are all files analysed, also those without findings. `levels`:
    by rule, the severity that the run's configuration gives it, where that is another than the
    rule's own; `rules_url`: where the rules' pages are served, "" where the configuration does not
    say; `others`: files judged for another device than the run's, with that device; `suppressed`:
    what comments silence."""

    findings: tuple[Finding, ...]
    sources: Sources
    device: str
    paths: tuple[str, ...]
    report: facts.Report  # empty where no format asked for wants more than findings
    levels: Mapping[str, str] = field(default_factory=dict)
    rules_url: str = ""
    others: Mapping[str, str] = field(default_factory=dict)
    suppressed: tuple[Silenced, ...] = ()


def as_json(value: object) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False, default=dict) + "\n"


def _full(document: Document, style: Style) -> str:
    from kernlint.render import full

    told = full.closing(document.findings, document.device, style, document.others)
    return full.render(document.findings, document.sources, style) + told


def _concise(document: Document, style: Style) -> str:
    from kernlint.render import concise

    return concise.render(document.findings, style)


def _agent(document: Document, style: Style) -> str:
    from kernlint.render import concise

    return concise.render(document.findings, style, remedies=True)


def _json(document: Document, style: Style) -> str:
    from kernlint.render import findings_json

    found = findings_json.to_json(
        document.findings,
        document.sources,
        document.device,
        document.rules_url,
        document.others,
        document.suppressed,
    )
    return as_json(found)


def _lines(document: Document, style: Style) -> str:
    from kernlint.render import findings_json

    found = findings_json.listed(
        document.findings, document.sources, document.device, document.rules_url
    )
    return "".join(
        json.dumps(finding, ensure_ascii=False, default=dict) + "\n" for finding in found
    )


def _sarif(document: Document, style: Style) -> str:
    from kernlint.render import sarif

    how = document.levels, document.rules_url, document.others, document.suppressed
    return as_json(sarif.to_sarif(document.findings, document.sources, document.device, *how))


def _github(document: Document, style: Style) -> str:
    from kernlint.render import ci

    return ci.github(document.findings)


def _gitlab(document: Document, style: Style) -> str:
    from kernlint.render import ci

    return ci.gitlab(document.findings, document.sources)


def _html(document: Document, style: Style) -> str:
    from kernlint.render import html

    return html.render(document.report, document.findings, document.sources)


def _junit(document: Document, style: Style) -> str:
    from kernlint.render import ci

    return ci.junit(document.findings, document.paths)


FORMATS: Mapping[str, Callable[[Document, Style], str]] = {
    "full": _full,
    "concise": _concise,
    "agent": _agent,
    "json": _json,
    "json-lines": _lines,
    "sarif": _sarif,
    "github": _github,
    "gitlab": _gitlab,
    "junit": _junit,
    "html": _html,
}
# for people: a header that many files miss is one line
TOLD_ONCE = frozenset({"full", "concise", "agent", "github"})
WITH_FACTS = frozenset({"html"})  # these show what findings were found in
