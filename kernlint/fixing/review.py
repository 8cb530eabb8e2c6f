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
    from kernlint.checks.shared_memory.shared_layouts import TUNE

    is_offered = any(finding.fix or TUNE in finding.help for finding in findings)
    if source.text is None or not is_offered:
        return findings
    from kernlint.fixing.objections import held_back

    return held_back(findings, source, settings, file)
