"""Fixes one file: makes the edits that findings offer, analyses again, and keeps what makes the
numbers better.

A fix counts as better when what its rule finds costs less than before, and no rule finds more than
before. Fixes of layouts and indices (their findings are counted in wavefronts or sectors) bear on
one another: of each kernel the one that leaves the least beyond the ideal is made first, and the
others only where they are still offered then. Fixes without counts are tried together, then one by
one where together they are not better. One with counts that leaves its kernel's estimated time as
it is, is made only where that is asked for: it hides behind what the launch waits for. Goes in: a
text, a judge. Comes out: the new text, what was done, what was refused.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from kernlint.base.dataclass import dataclass
from kernlint.model.finding import Edit, Finding, Fix
from kernlint.source.edits import applied

# the findings of a text, those that suppressions silence left out
Judge = Callable[[str], Sequence[Finding]]
# the estimated cycles of a text's kernels, of those that have an estimate
Timed = Callable[[str], Mapping[str, float]]
# why a finding's fix would change what this text computes; "" where it would not
Objection = Callable[[str, Finding], str]
# a text's findings with the best of the fixes that they may offer
Settled = Callable[[str, Sequence[Finding]], Sequence[Finding]]
UNSAFE = "it changes a layout or needs review; --unsafe-fixes applies it"
IDLE = "--idle-fixes applies it anyway"
NOTHING = 0.0005  # of a kernel's estimated time: less is told as 0 %
ROUNDS = 20  # a fix may uncover the next one on its line


Gain = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a fix is not made. `hidden`: other costs hide what it gains, which edits elsewhere may
    take away."""

    reason: str
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Fixed:
    """`done` and `refused` are findings with their fix; `refused` with the reason. `gains`: for
    each that was done the estimated cycles of its kernel before and after; None where there is no
    estimate, or it has no counts."""

    text: str
    done: tuple[Finding, ...]
    refused: tuple[tuple[Finding, str], ...]
    gains: tuple[Gain | None, ...] = ()


def fixed(
    text: str,
    path: str,
    judge: Judge,
    unsafe: bool,
    objection: Objection = lambda text, finding: "",
    timed: Timed = lambda text: {},
    idle: bool = False,
    settled: Settled = lambda text, findings: findings,
) -> Fixed:
    """`unsafe`: also make fixes that change layout or meaning in a way that a person should look
    at; `idle`: also those that leave the estimated time as it is."""
    done: list[Finding] = []
    gains: list[Gain | None] = []
    refused: dict[Fix, tuple[Finding, Refusal]] = {}
    findings = settled(text, judge(text))
    rounds = 0
    while rounds < ROUNDS and (offered := _offered(findings, path, unsafe, refused)):
        made: Sequence[Finding] = _first(text, offered, findings, judge)
        outcome = _tried(text, made, findings, judge, objection, timed, idle)
        for finding in made if isinstance(outcome, Refusal) else ():
            made = [finding]
            outcome = _tried(text, made, findings, judge, objection, timed, idle)
            if not isinstance(outcome, Refusal):
                break
            assert finding.fix is not None
            refused[finding.fix] = (finding, outcome)
        if not isinstance(outcome, Refusal):
            done += made
            gains += [_gain(finding, timed(text), timed(outcome[0])) for finding in made]
            text = outcome[0]
            findings = settled(text, outcome[1])
            rounds += 1
            refused = {fix: why for fix, why in refused.items() if not why[1].hidden}
    held = _offered(findings, path, True, refused) if not unsafe else []
    unasked = [
        finding
        for finding in held
        if finding.fix is not None and finding.fix.applicability != "safe"
    ]
    refused.update(
        (finding.fix, (finding, Refusal(UNSAFE))) for finding in unasked if finding.fix is not None
    )
    told = {_what(finding): (finding, refusal.reason) for finding, refusal in refused.values()}
    return Fixed(text, tuple(done), tuple(told.values()), tuple(gains))


def _what(finding: Finding) -> tuple[object, ...]:
    """What a fix is, wherever other edits on its line have moved it."""
    contents = tuple(edit.content for edit in finding.fix.edits) if finding.fix else ()
    return (
        finding.code,
        finding.span.line,
        finding.message,
        finding.fix and finding.fix.message,
        contents,
    )


def _offered(
    findings: Iterable[Finding],
    path: str,
    unsafe: bool,
    refused: Mapping[Fix, tuple[Finding, Refusal]],
) -> list[Finding]:
    """One finding per fix, with all its edits in this file."""
    by_fix: dict[Fix, Finding] = {}
    for finding in findings:
        fix = finding.fix
        if fix is None or fix in refused:
            continue
        if fix.applicability != "safe" and not unsafe:
            continue
        if all(edit.span.path == path and not edit.span.macro for edit in fix.edits):
            by_fix.setdefault(fix, finding)
    return list(by_fix.values())


def _first(
    text: str, offered: Sequence[Finding], findings: Iterable[Finding], judge: Judge
) -> Sequence[Finding]:
    """What to try next: of each kernel the fix of layouts or indices after which the least is left
    beyond the ideal; else all that have no counts. Alike fixes (paddings of several arrays) do not
    bear on one another: of those it is the one with the most to gain."""
    choices = _greatest(offered, findings)
    kernels = [_kernel(finding) for some in choices for finding in some]
    if len(set(kernels)) == len(kernels):
        return [finding for some in choices for finding in some] or offered
    best: dict[str, tuple[float, Finding]] = {}
    for some in choices:
        new = applied(text, _edits(some))
        left: defaultdict[str, float] = defaultdict(float)
        for finding in judge(new) if new is not None else ():
            left[_kernel(finding)] += _beyond(finding)
        for finding in some:
            rest = left[_kernel(finding)] if new is not None else float("inf")
            if _kernel(finding) not in best or rest < best[_kernel(finding)][0]:
                best[_kernel(finding)] = (rest, finding)
    return [finding for _, finding in best.values()]


def _greatest(offered: Iterable[Finding], findings: Iterable[Finding]) -> list[list[Finding]]:
    """Of each rule whose findings are counted: for each kernel the fix of what is the most beyond
    the ideal."""
    beyond: defaultdict[Fix | None, float] = defaultdict(float)
    for finding in findings:
        beyond[finding.fix] += _beyond(finding)
    first: defaultdict[str, dict[str, Finding]] = defaultdict(dict)
    for finding in sorted(filter(_counted, offered), key=lambda one: beyond[one.fix], reverse=True):
        first[finding.code].setdefault(_kernel(finding), finding)
    return [list(some.values()) for some in first.values()]


def _kernel(finding: Finding) -> str:
    """Its name: the instances of a template share its text."""
    return finding.kernel.partition("<")[0]


def _edits(some: Iterable[Finding]) -> list[Edit]:
    return [edit for finding in some if finding.fix for edit in finding.fix.edits]


def _tried(
    text: str,
    some: Sequence[Finding],
    before: Sequence[Finding],
    judge: Judge,
    objection: Objection,
    timed: Timed,
    idle: bool,
) -> tuple[str, Sequence[Finding]] | Refusal:
    """The new text with its findings, or why it is not better, or not the same."""
    for finding in some:
        reason = objection(text, finding)
        if reason:
            return Refusal(reason)
    new = applied(text, _edits(some))
    if new is None:
        return Refusal("its edits overlap with another fix")
    after = judge(new)
    worse = _worse(some, before, after)
    return (Refusal(worse) if worse else _hidden(some, timed(text), timed(new), idle)) or (
        new,
        after,
    )


def _gain(finding: Finding, before: Mapping[str, float], after: Mapping[str, float]) -> Gain | None:
    name = _kernel(finding)
    return (
        (before[name], after[name])
        if _counted(finding) and name in before and name in after
        else None
    )


def _hidden(
    some: Iterable[Finding], before: Mapping[str, float], after: Mapping[str, float], idle: bool
) -> Refusal | None:
    """What says that a fix with counts makes its kernel's time longer, or (unless `idle` ones are
    wanted) leaves it as it is."""
    for finding in some:
        gain = _gain(finding, before, after)
        if gain is None or gain[0] - gain[1] >= NOTHING * gain[0]:
            continue
        how = f"an estimated {gain[1]:,.0f} cycles instead of {gain[0]:,.0f}, although {finding.code} finds less"
        if gain[1] - gain[0] >= NOTHING * gain[0]:
            return Refusal(f"the kernel would be slower: {how}", hidden=True)
        if round(gain[0]) == round(gain[1]):
            how = f"an estimated {gain[0]:,.0f} cycles with and without it, although {finding.code} finds less"
        if not idle:
            return Refusal(f"no gain: {how}; {IDLE}", hidden=True)
    return None


def _worse(some: Sequence[Finding], before: Sequence[Finding], after: Sequence[Finding]) -> str:
    """Empty where what is fixed costs less than before and no other rule costs more; else what
    does.

    A finding without counts is better when it is gone from its place, though another of its rule
    may then show on its line.
    """
    old, new = _costs(before), _costs(after)
    left = {(finding.code, finding.message, finding.span) for finding in after}
    codes = {
        finding.code
        for finding in some
        if _counted(finding) or (finding.code, finding.message, finding.span) in left
    }
    for code in sorted(old.keys() | new.keys()):
        if new[code] > old[code]:
            return f"with this fix {code} finds more than before"
        if code in codes and new[code] == old[code]:
            return f"with this fix {code} finds as much as before"
    return ""


def _counted(finding: Finding) -> bool:
    m = finding.metrics
    return m.ideal_wavefronts is not None or m.ideal_sectors is not None


def _costs(findings: Iterable[Finding]) -> defaultdict[str, float]:
    """By code: wavefronts and sectors beyond the ideal, and one for each finding."""
    found: defaultdict[str, float] = defaultdict(float)
    for finding in findings:
        found[finding.code] += 1 + _beyond(finding)
    return found


def _middle(known: float | None, low: float | None, high: float | None) -> float:
    return known if known is not None else ((low or 0) + (high or 0)) / 2


def _beyond(finding: Finding) -> float:
    """Wavefronts and sectors beyond the ideal over the launch, where they are known; the middle of
    their bounds where nothing else is."""
    m = finding.metrics
    wavefronts = _middle(m.wavefronts, m.wavefronts_low, m.wavefronts_high)
    sectors = _middle(m.sectors, m.sectors_low, m.sectors_high)
    beyond = (wavefronts - (m.ideal_wavefronts or 0)) + (sectors - (m.ideal_sectors or 0))
    return max(0.0, beyond) * (m.requests or 1)
