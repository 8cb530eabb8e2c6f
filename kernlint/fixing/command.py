"""`check --fix` and `--diff`: every file fixed on its own, what was done told, what is left shown as usual.

Goes in: the works of a run. Comes out: works with new texts, and lines to tell. Writes files only where asked to.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from kernlint import running
from kernlint.checks.finding import Finding
from kernlint.fixing.edits import write
from kernlint.fixing.fixer import Fixed, fixed
from kernlint.linting.judged import Judged
from kernlint.linting.lint import lint
from kernlint.records import dataclass
from kernlint.render.sources import Sources
from kernlint.running import Work
from kernlint.settings import Selection


@dataclass(frozen=True, slots=True)
class FixedWork:
    """One file before and after."""

    before: Work
    after: Work
    result: Fixed


def fix(works: Sequence[Work], selection_of: Callable[[str], Selection], unsafe: bool) -> list[FixedWork]:
    """Only files whose text is sound are touched; a file that was not read, or with characters that are not, stays."""
    return [_fix(work, selection_of, unsafe) for work in works]


def _fix(work: Work, selection_of: Callable[[str], Selection], unsafe: bool) -> FixedWork:
    text, path = work.source.text or "", work.source.path

    def judge(new: str) -> Sequence[Finding]:
        result = running.compute(replace(work, source=replace(work.source, text=new)))
        assert isinstance(result, Judged)
        return lint([result], Sources({path: new}), selection_of).findings

    if work.source.text is None or "\ufffd" in text:
        return FixedWork(work, work, Fixed(text, (), ()))
    result = fixed(text, path, judge, unsafe, partial(_objection, work))
    return FixedWork(work, replace(work, source=replace(work.source, text=result.text)), result)


def _objection(work: Work, text: str, finding: Finding) -> str:
    """Rows may get longer only where every column stays within its own."""
    from kernlint.tuning.arrays import Array, arrays
    from kernlint.tuning.rows import analysed, leaves_row

    if finding.code != "KL101" or finding.fix is None:
        return ""
    source = replace(work.source, text=text)
    how = replace(work.settings, estimate=True)
    file, measured = analysed(source, how)
    lines = {edit.span.line for edit in finding.fix.edits}
    name = finding.fix.message
    padded = [one for one in arrays(file) if isinstance(one, Array) and one.extent.span.line in lines and f"`{one.name}`" in name]
    return next((reason for one in padded if (reason := leaves_row(one, file, source, how, measured))), "")


def store(some: Sequence[FixedWork]) -> None:
    for one in some:
        if one.result.done:
            write(one.before.source.path, one.result.text)


def diff(some: Sequence[FixedWork]) -> Iterator[str]:
    """Unified differences, as `patch -p0` takes them."""
    for one in some:
        path = one.before.source.path
        before, after = (work.source.text or "" for work in (one.before, one.after))
        yield from difflib.unified_diff(before.splitlines(keepends=True), after.splitlines(keepends=True), path, path)


def told(some: Sequence[FixedWork], made: bool) -> Iterator[str]:
    """A line for each fix that was made (or would be) or refused."""
    for one in some:
        path = one.before.source.path
        for finding in one.result.done:
            assert finding.fix is not None
            yield f"{path}:{finding.span.line}: {'fixed' if made else 'can be fixed'} [{finding.code}]: {finding.fix.message}"
        for finding, reason in one.result.refused:
            assert finding.fix is not None
            yield f"{path}:{finding.span.line}: not fixed [{finding.code}]: {finding.fix.message}: {reason}"
