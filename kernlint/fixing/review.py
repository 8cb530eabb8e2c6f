"""Which of the edits that rules offer may stand: those that the fixer would make.

Goes in: the findings of a file, its source and facts. Comes out: the findings without the edits that
would change what the program computes. Light: the analyses behind it are loaded when an edit is offered.
"""

from __future__ import annotations

from kernlint.model import facts
from kernlint.model.finding import Finding
from kernlint.model.settings import Settings
from kernlint.source import files


def review(
    findings: tuple[Finding, ...], source: files.Source, settings: Settings, file: facts.File
) -> tuple[Finding, ...]:
    """Also without the commands in a help that would refuse to make an edit."""
    if source.text is None or not any(_promises(finding) for finding in findings):
        return findings
    from kernlint.fixing.objections import held_back

    return held_back(findings, source, settings, file)


def _promises(finding: Finding) -> bool:
    """Whether it offers an edit, a command or an index that an analysis may refuse."""
    from kernlint.checks.shared_memory.shared_layouts import SKEW, TUNE

    return bool(finding.fix or TUNE in finding.help or SKEW.search(finding.help))
