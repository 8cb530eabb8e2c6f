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
    from kernlint.tuning.arrays import Array, Kept
    from kernlint.tuning.rows import Analysed

PADDED = "KL101"  # the rule whose edits enlarge rows


class Objections:
    """Against the edits of one text, whose `file` of facts may be known already. The kernels that access an array that would get longer
    rows are analysed once more as they are (all of the text where nothing is known of it), and once with its columns alone."""

    def __init__(self, source: files.Source, settings: Settings, file: facts.File | None = None) -> None:
        self._source, self._file = source, file
        self._settings = replace(settings, estimate=True)
        self._arrays: Sequence[Array | Kept] | None = None
        self._analysed: dict[frozenset[str] | None, Analysed] = {}

    def against(self, finding: Finding) -> str:
        """Rows may get longer only where every column stays within its own."""
        from kernlint.tuning.addresses import unaligned
        from kernlint.tuning.arrays import Kept, arrays, growth
        from kernlint.tuning.rows import leaves_row, only

        if finding.code != PADDED or finding.fix is None:
            return ""
        file = self._before(None).file if self._file is None else self._file
        if self._arrays is None:
            self._arrays = arrays(file, alike=False)
        edits = {edit.span.line: edit for edit in finding.fix.edits}
        for one in [one for one in self._arrays if f"`{one.name}`" in finding.fix.message]:
            if isinstance(one, Kept) or one.extent.span.line not in edits:
                continue
            names = _accessing(one, file)
            before = only(self._before(None), names) if self._file is None else self._before(names)
            more = growth(one.extent, edits[one.extent.span.line].content)
            reason = leaves_row(one, before, self._source, self._settings)
            reason = reason or unaligned(one.name, one.span.line, more, before.measured.values())
            if reason:
                return reason
        return ""

    def _before(self, names: frozenset[str] | None) -> Analysed:
        from kernlint.tuning.rows import analysed

        if names not in self._analysed:
            self._analysed[names] = analysed(self._source, self._settings, names)
        return self._analysed[names]


def _accessing(array: Array, file: facts.File) -> frozenset[str]:
    """The names of the kernels that access an array."""
    found = set()
    for kernel in file.kernels:
        for a in kernel.accesses:
            if (a.object, a.object_span) == (array.name, array.span) or ("|" in a.object and array.name in a.object.split("|")):
                found.add(kernel.qualified_name or kernel.name)
    return frozenset(found)


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
