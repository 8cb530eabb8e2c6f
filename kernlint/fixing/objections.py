"""Why an edit that a finding offers would change what the program computes, or "".

Goes in: a source, how it is analysed, a finding with a fix. Comes out: a reason, or findings without the fixes that have one. The fixer
asks before each edit that it makes, `check` before it promises one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kernlint import files
from kernlint.checks.finding import Finding, Fix
from kernlint.settings import Settings

PADDED = "KL101"  # the rule whose edits enlarge rows


def objection(source: files.Source, settings: Settings, finding: Finding) -> str:
    """Rows may get longer only where every column stays within its own."""
    from kernlint.tuning.arrays import Array, arrays
    from kernlint.tuning.rows import analysed, leaves_row

    if finding.code != PADDED or finding.fix is None:
        return ""
    how = replace(settings, estimate=True)
    file, measured = analysed(source, how)
    lines = {edit.span.line for edit in finding.fix.edits}
    name = finding.fix.message
    padded = [one for one in arrays(file) if isinstance(one, Array) and one.extent.span.line in lines and f"`{one.name}`" in name]
    return next((reason for one in padded if (reason := leaves_row(one, file, source, how, measured))), "")


def held_back(findings: Sequence[Finding], source: files.Source, settings: Settings) -> tuple[Finding, ...]:
    """The findings; where an edit would change what the program computes, with the reason in its place."""
    reasons: dict[Fix, str] = {}
    for finding in findings:
        if finding.fix is not None and finding.fix not in reasons:
            reasons[finding.fix] = _reason(source, settings, finding)
    return tuple(_without(finding, reasons.get(finding.fix, "") if finding.fix else "") for finding in findings)


def _reason(source: files.Source, settings: Settings, finding: Finding) -> str:
    """A fault here is told as a reason and costs no other finding."""
    try:
        return objection(source, settings, finding)
    except Exception as error:
        return f"whether the uses of the array allow it was not found out, a fault of kernlint: {type(error).__name__}: {error}"


def _without(finding: Finding, reason: str) -> Finding:
    if not reason:
        return finding
    return replace(finding, fix=None, withheld=reason, help=f"{finding.help}; it is not enough to change the declaration: {reason}")
