"""Whether an edit against a fault or a race removes it: its kernels analysed with the edit made.

Goes in: a source with its facts, findings with such edits. Comes out: for each whether its finding is
gone, nothing of warning or above is new, and all threads reach every barrier that they reached before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from kernlint.base.dataclass import dataclass
from kernlint.checks import words
from kernlint.checks.rules import rules
from kernlint.checks.run import check_kernels
from kernlint.fixing.trials import Trial, tried
from kernlint.model import facts
from kernlint.model.finding import Edit, Finding, Fix
from kernlint.model.settings import Settings
from kernlint.source import files
from kernlint.tuning.rows import AnalysedSource

FAMILY = "KL8"
LAUNCH = "KL803"  # whose edit is in host code
REPORTED = ("warning", "error")


@dataclass(frozen=True, slots=True)
class TrialFindings:
    """What is found in some kernels. `left`: codes and lines; `unmet`: barriers that some threads
    may not reach; `known`: the kernels that have facts."""

    codes: Counter[str]
    left: frozenset[tuple[str, int]]
    unmet: int
    problems: int
    known: frozenset[str]


class FaultTrials:
    """Of one text with its facts."""

    def __init__(self, source: files.Source, settings: Settings, file: facts.File) -> None:
        self._source, self._settings, self._file = source, settings, file
        self._before: dict[frozenset[str], TrialFindings] = {}
        self._made: dict[Fix, tuple[frozenset[str], AnalysedSource | None]] = {}

    def prepare(self, findings: Sequence[Finding]) -> None:
        """Analyse at once what these findings need."""
        asked: dict[Fix, Trial] = {}
        for finding in findings:
            if is_fault_fix(finding) and finding.fix and finding.fix not in self._made:
                asked.setdefault(finding.fix, self._trial(finding, finding.fix))
        made = tried(tuple(asked.values()), self._source, self._settings, ())
        for (fix, trial), after in zip(asked.items(), made, strict=True):
            self._made[fix] = trial.kernels, after

    def serves(self, finding: Finding) -> bool:
        """Whether its edit may be offered; true of edits against other things."""
        if not is_fault_fix(finding) or finding.fix is None:
            return True
        self.prepare([finding])
        names, made = self._made[finding.fix]
        if made is None or made.file.unfinished:
            return False
        if names not in self._before:
            self._before[names] = self._findings(self._file, names)
        before, after = self._before[names], self._findings(made.file, names)
        place = finding.code, _moved(finding.span.line, finding.fix.edits)
        is_fewer = after.codes[finding.code] < before.codes[finding.code]
        is_shown = finding.severity in REPORTED
        is_gone = is_fewer if is_shown else place not in after.left
        is_read = after.problems <= before.problems and after.known == before.known
        is_no_worse = after.codes <= before.codes and after.unmet <= before.unmet
        return is_gone and is_read and is_no_worse

    def _trial(self, finding: Finding, fix: Fix) -> Trial:
        """All kernels may use a function that is edited."""
        own = [one for one in self._file.kernels if words.kernel(one) == finding.kernel]
        found = Trial(fix.edits, _names(own), frozenset(kernel.span for kernel in own))
        if found.is_inside or finding.code == LAUNCH:
            return found
        return Trial(fix.edits, _names(self._file.kernels), found.definitions)

    def _findings(self, file: facts.File, names: frozenset[str]) -> TrialFindings:
        some = tuple(one for one in file.kernels if _name(one) in names)
        shown = replace(file, kernels=some)
        found = [
            finding
            for finding in check_kernels(shown, self._settings.device, dict(rules()))
            if finding.severity in REPORTED
        ]
        barriers = [barrier for kernel in some for barrier in kernel.barriers]
        return TrialFindings(
            Counter(finding.code for finding in found),
            frozenset((finding.code, finding.span.line) for finding in found),
            sum(barrier.uniform is not True for barrier in barriers),
            len(file.problems),
            _names(some),
        )


def is_fault_fix(finding: Finding) -> bool:
    return finding.fix is not None and finding.code.startswith(FAMILY)


def _moved(line: int, edits: Sequence[Edit]) -> int:
    """Where a line is once the edits are made."""
    return line + sum(edit.content.count("\n") for edit in edits if edit.span.line <= line)


def _names(kernels: Sequence[facts.Kernel]) -> frozenset[str]:
    return frozenset(map(_name, kernels))


def _name(kernel: facts.Kernel) -> str:
    return kernel.qualified_name or kernel.name
