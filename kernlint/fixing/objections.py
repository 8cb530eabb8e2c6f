"""Why an edit that a finding offers would change what the program computes, or "".

Goes in: a source, how it is analysed, a finding with a fix. Comes out: a reason, or findings without the fixes that have one. The fixer
asks before each edit that it makes, `check` before it promises one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kernlint import facts, files
from kernlint.checks.finding import Finding, Fix
from kernlint.settings import Settings

if TYPE_CHECKING:
    from kernlint.tuning.rows import Analysed

PADDED = "KL101"  # the rule whose edits enlarge rows


class Objections:
    """Against the edits of one text, whose `file` of facts may be known already. The text is analysed once for all of them, and once more
    for each array that would get longer rows; only kernels that access one."""

    def __init__(self, source: files.Source, settings: Settings, file: facts.File | None = None) -> None:
        self._source, self._file = source, file
        self._settings = replace(settings, estimate=True)
        self._analysed: Analysed | None = None

    def against(self, finding: Finding) -> str:
        """Rows may get longer only where every column stays within its own."""
        from kernlint.tuning.arrays import Array, arrays
        from kernlint.tuning.rows import leaves_row

        if finding.code != PADDED or finding.fix is None:
            return ""
        before = self._before()
        lines = {edit.span.line for edit in finding.fix.edits}
        some = [one for one in arrays(before.file) if isinstance(one, Array) and one.extent.span.line in lines]
        padded = [one for one in some if f"`{one.name}`" in finding.fix.message]
        return next((reason for one in padded if (reason := leaves_row(one, before, self._source, self._settings))), "")

    def _before(self) -> Analysed:
        from kernlint.tuning.rows import analysed

        if self._analysed is None:
            names = None if self._file is None else frozenset(filter(None, map(_sharing, self._file.kernels)))
            self._analysed = analysed(self._source, self._settings, names)
        return self._analysed


def _sharing(kernel: facts.Kernel) -> str:
    """Its name where it accesses shared memory, else ""."""
    return kernel.qualified_name or kernel.name if any(access.space == "shared" for access in kernel.accesses) else ""


def held_back(findings: Sequence[Finding], source: files.Source, settings: Settings, file: facts.File | None = None) -> tuple[Finding, ...]:
    """The findings; where an edit would change what the program computes, with the reason in its place."""
    reasons: dict[Fix, str] = {}
    objections = Objections(source, settings, file)
    for finding in findings:
        if finding.fix is not None and finding.fix not in reasons:
            reasons[finding.fix] = _reason(objections, finding)
    return tuple(_without(finding, reasons.get(finding.fix, "") if finding.fix else "") for finding in findings)


def _reason(objections: Objections, finding: Finding) -> str:
    """A fault here is told as a reason and costs no other finding."""
    try:
        return objections.against(finding)
    except Exception as error:
        return f"whether the uses of the array allow it was not found out, a fault of kernlint: {type(error).__name__}: {error}"


def _without(finding: Finding, reason: str) -> Finding:
    if not reason:
        return finding
    return replace(finding, fix=None, withheld=reason, help=f"{finding.help}; it is not enough to change the declaration: {reason}")
