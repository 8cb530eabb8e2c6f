"""`check --fix` and `--diff`: every file fixed on its own, what was done reported, what is left shown
as usual.

Goes in: the works of a run. Comes out: works with new texts, and lines to tell. Writes files only
where asked to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from kernlint.base.dataclass import dataclass
from kernlint.checks import words
from kernlint.fixing.fixer import Fixed, Gain, fixed
from kernlint.fixing.objections import Objections
from kernlint.linting.lint import lint
from kernlint.memo import json_codec
from kernlint.model import facts
from kernlint.model.finding import Finding
from kernlint.model.settings import Selection
from kernlint.model.verdict import Judged
from kernlint.pipeline import workers
from kernlint.pipeline.workers import Result, Work
from kernlint.source.edits import difference, write
from kernlint.source.sources import Sources
from kernlint.tuning.rows import AnalysedSource, analysed

# rules of what does not compile, is not read, or hangs: they hold whatever the user selects
BROKEN = ("KL001", "KL401", "KL402", "KL403", "KL602")
GUARDS = Selection(select=BROKEN)
KEPT = 3  # analyses of texts, which hold on to their programs


@dataclass(frozen=True, slots=True)
class FixedWork:
    """One file before and after."""

    before: Work
    after: Work
    result: Fixed
    without: int = 0  # findings that offer no edit


def fix(
    works: Sequence[Work],
    results: Sequence[Result],
    unsafe: bool,
    idle: bool,
    jobs: int,
    progress: workers.Progress = lambda path, done, total: None,
) -> list[FixedWork]:
    """Every file, in order; `results`: what each was judged to hold. Those whose findings offer
    edits are fixed, by `jobs` processes. Only files whose text is sound are touched; a file that
    was not read, or with characters that are not, stays."""

    def working(number: int) -> None:
        progress(f"fixing {works[number].source.path}", len(fixed), len(numbers))

    numbers = [
        n
        for n, (work, result) in enumerate(zip(works, results, strict=True))
        if _sound(work) and _offers(work, result)
    ]
    fixed: dict[int, Fixed] = {}
    if jobs > 1 and len(numbers) > 1:
        for number, body in workers.spread(
            partial(_encoded, unsafe=unsafe, idle=idle), works, numbers, jobs, working
        ):
            if body is not None:
                fixed[number] = Fixed(*json_codec.decode(body))
    else:
        for number in numbers:
            working(number)
            fixed[number] = _fixed(works[number], unsafe, idle)
    return [
        _fixed_work(work, fixed.get(number), _without(work, results[number]))
        for number, work in enumerate(works)
    ]


def _fixed_work(work: Work, result: Fixed | None, without: int) -> FixedWork:
    if result is None:
        return FixedWork(work, work, Fixed(work.source.text or "", (), (), ()), without)
    return FixedWork(
        work, replace(work, source=replace(work.source, text=result.text)), result, without
    )


def _sound(work: Work) -> bool:
    return work.source.text is not None and "\ufffd" not in work.source.text


def _offers(work: Work, result: Result) -> bool:
    """Whether a finding that is reported, and not silenced, has edits, be it to be refused with its
    reason."""
    return any(
        finding.fix is not None or finding.withheld
        for finding in _reported(work, result, work.source.text or "")
    )


def _without(work: Work, result: Result) -> int:
    return sum(finding.fix is None for finding in _reported(work, result, work.source.text or ""))


def _reported(work: Work, result: Result, text: str) -> Sequence[Finding]:
    selection = work.selection
    assert isinstance(result, Judged) and selection is not None
    return lint([result], Sources({work.source.path: text}), lambda path: selection).findings


def _encoded(work: Work, unsafe: bool, idle: bool) -> str:
    """What a worker does."""
    result = _fixed(work, unsafe, idle)
    return json_codec.encode((result.text, result.done, result.refused, result.gains))


def _fixed(work: Work, unsafe: bool, idle: bool) -> Fixed:
    selection = work.selection
    assert selection is not None

    cycles: dict[str, Mapping[str, float]] = {}
    analyses: dict[str, AnalysedSource] = {}  # of the last texts

    def judge(new: str) -> Sequence[Finding]:
        changed = replace(work, source=replace(work.source, text=new))
        analyses[new] = analysed(changed.source, replace(work.settings, estimate=True))
        while len(analyses) > KEPT:
            analyses.pop(next(iter(analyses)))
        file = analyses[new].file
        cycles[new] = _cycles(file)
        reported = _reported(changed, workers.judge(file, work.settings, selection), new)
        return [
            *(finding for finding in reported if finding.code not in BROKEN),
            *workers.judge(file, work.settings, GUARDS).findings,
        ]

    known: dict[str, Objections] = {}  # of the last text

    def objections(new: str) -> Objections:
        if new not in known:
            known.clear()
            known[new] = Objections(
                replace(work.source, text=new), work.settings, before=analyses.get(new)
            )
        return known[new]

    def settled(new: str, findings: Sequence[Finding]) -> Sequence[Finding]:
        return [
            objections(new).settled(finding) if finding.fix is not None else finding
            for finding in findings
        ]

    def objection(new: str, finding: Finding) -> str:
        return objections(new).against(finding)

    def timed(new: str) -> Mapping[str, float]:
        return cycles.get(new, {})

    return fixed(
        work.source.text or "", work.source.path, judge, unsafe, objection, timed, idle, settled
    )


def _cycles(file: facts.File) -> dict[str, float]:
    """The estimated time of each kernel's launches together, of those that all have one."""
    found: dict[str, float] = {}
    unknown: set[str] = set()
    for kernel in file.kernels:
        name = kernel.qualified_name or kernel.name
        if isinstance(kernel.estimate, facts.Estimate):
            found[name] = found.get(name, 0.0) + kernel.estimate.cycles
        else:
            unknown.add(name)
    return {name: number for name, number in found.items() if name not in unknown}


def store(some: Sequence[FixedWork]) -> None:
    for one in some:
        if one.result.done:
            write(one.before.source.path, one.result.text)


def diff(some: Sequence[FixedWork]) -> Iterator[str]:
    """Unified differences, as `patch -p0` takes them."""
    for one in some:
        yield from difference(
            one.before.source.text or "", one.after.source.text or "", one.before.source.path
        )


def summary(some: Sequence[FixedWork], made: bool) -> Iterator[str]:
    """A line for each fix that was made (or would be) or refused."""
    for one in some:
        path = one.before.source.path
        for finding, gain in zip(one.result.done, one.result.gains, strict=True):
            assert finding.fix is not None
            done = f"{path}:{finding.span.line}: {'fixed' if made else 'can be fixed'} [{finding.code}]: {finding.fix.message}"
            yield done + (_gained(gain) if gain is not None else "")
        for finding, reason in one.result.refused:
            assert finding.fix is not None
            yield f"{path}:{finding.span.line}: not fixed [{finding.code}]: {finding.fix.message}: {reason}"


def _gained(gain: Gain) -> str:
    """: an estimated 29,190 cycles instead of 63,240 (54 % less)"""
    before, after = gain
    if round(before) == round(after):
        return f": an estimated {after:,.0f} cycles with it and without"
    less = words.share(before - after, before)
    return f": an estimated {after:,.0f} cycles instead of {before:,.0f} ({less} less)"


def balance(some: Sequence[FixedWork]) -> str:
    """What a difference holds and what it does not: 1 edit, 2 refused, 3 findings have no edit"""
    done, refused = (
        sum(len(one.result.done) for one in some),
        sum(len(one.result.refused) for one in some),
    )
    without = sum(one.without for one in some)
    parts = [f"{done} edit{'' if done == 1 else 's'}"] if done else []
    parts += [f"{refused} refused"] if refused else []
    parts += [f"{without} finding{' has' if without == 1 else 's have'} no edit"] if without else []
    return ("" if done else "nothing to change: ") + (", ".join(parts) or "no findings")
