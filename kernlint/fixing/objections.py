"""What is known of a padding only from analyses: why it would change what the program computes,
which one is the best, what it does.

Goes in: a source, how it is analysed, findings with fixes. Comes out: findings whose padding is the
best and whose help says what the padded file's analysis says; without the fixes that would change
what is computed, with the reason. The fixer asks before each edit that it makes, `check` before it
promises one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kernlint import hardware
from kernlint.base.deadline import OutOfTime
from kernlint.checks import context, words
from kernlint.checks.shared_memory.shared_layouts import SKEW, TUNE
from kernlint.model import facts
from kernlint.model.finding import Finding
from kernlint.model.settings import Settings
from kernlint.source import files

if TYPE_CHECKING:
    from kernlint.fixing.paddings import AccessPair, Proved, Search
    from kernlint.tuning.arrays import TunedArray
    from kernlint.tuning.rows import AnalysedSource

PADDED = "KL101"  # the rule whose edits enlarge rows
MOST = 256  # elements that a row may be asked to grow by


class Objections:
    """Against the edits of one text, whose `file` of facts may be known already, or all of its
    analysis (`before`). The kernels that access an array that would get longer rows are analysed
    once more as they are (all of the text where nothing is known of it), once with its columns
    alone, and once for each padding that may be the best."""

    def __init__(
        self,
        source: files.Source,
        settings: Settings,
        file: facts.File | None = None,
        before: AnalysedSource | None = None,
    ) -> None:
        self._source, self._file = source, file
        self._settings = replace(settings, estimate=True)
        self._arrays: Sequence[TunedArray] | None = None
        self._analysed: dict[frozenset[str] | None, AnalysedSource] = (
            {} if before is None else {None: before}
        )
        self._leaves: dict[tuple[str, int], str] = {}
        self._best: dict[tuple[str, int], Search] = {}

    def against(self, finding: Finding) -> str:
        """Rows may get longer only where every column stays within its own."""
        found = self._padding(finding)
        if found is None:
            return ""
        return self._reason(*found)

    def settled(self, finding: Finding) -> Finding:
        """With the best padding, and its help by what the padded file's analysis says; without one
        where none is better. Where time ends before all are analysed, with what was found so far,
        which is said."""
        from kernlint.fixing.paddings import left_out
        from kernlint.tuning.rows import NO_TIME

        found = self._padding(finding)
        if found is None:
            return finding
        array, more = found
        if len(array.shape) == 1 and self._reason(array, more) not in ("", NO_TIME):
            return self._without_pitch(finding)
        key = (array.name, array.span.line)
        if key not in self._best:
            self._best[key] = self._proved(array)
        search = self._best[key]
        told = finding if search.found is None else self._told(finding, array, search.found)
        return replace(told, help=f"{told.help}; {left_out(search)}") if search.untried else told

    def moved(self, finding: Finding) -> Finding:
        """With the reason instead of the command where `kernlint tune` would not move the array's
        columns."""
        from kernlint.tuning.arrays import Kept, arrays

        own = {
            (a.object, a.object_span)
            for kernel in self._facts.kernels
            if words.kernel(kernel) == finding.kernel
            for a in kernel.accesses
            if a.span == finding.span and a.space == "shared"
        }
        for one in arrays(self._facts):
            if (one.name, one.span) in own:
                reason = one.reason if isinstance(one, Kept) else self._leaving(one)
                return (
                    replace(finding, help=finding.help.replace(TUNE, f"by hand, since {reason}"))
                    if reason
                    else finding
                )
        return finding

    def skewed(self, finding: Finding) -> Finding:
        """With the index of a skew only where the file, analysed with it, has no conflict at the
        access left and pays for it nowhere else."""
        from kernlint.tuning.arrays import TunedArray, arrays

        found = SKEW.search(finding.help)
        if found is None:
            return finding
        some = (one for one in arrays(self._facts, alike=False) if isinstance(one, TunedArray))
        array = next((one for one in some if _is_at(finding, one, self._facts)), None)
        if array is None or not self._skew_serves(array, finding):
            return replace(finding, help=finding.help.replace(found[0], ""))
        return replace(
            finding, help=finding.help.replace(found[0], f"{found[0]}, which removes this conflict")
        )

    def _skew_serves(self, array: TunedArray, finding: Finding) -> bool:
        from kernlint.fixing.paddings import conflicts, pairs
        from kernlint.source.edits import applied
        from kernlint.tuning.layouts import layouts
        from kernlint.tuning.rows import analysed

        before, device = self._accessing(array), hardware.device(self._settings.device)
        edits = next((one.edits for one in layouts(array, device) if one.kind == "skew"), None)
        text = None if edits is None else applied(self._source.text or "", edits)
        if text is None:
            return False
        source = replace(self._source, text=text)
        after = analysed(source, self._settings, before.kernels, before.hosted).file.kernels
        if not _are_alike(after, before.file.kernels) or _too_large(after, device):
            return False
        both = pairs(array, before.file.kernels, after)
        if both is None or any(pair.pays for pair in both):
            return False
        own = _of(finding, both)
        return own is not None and (own.after is None or not conflicts(own.after))

    def _without_pitch(self, finding: Finding) -> Finding:
        """Without the padding of a flat array some of whose indices run over its rows: another
        place of each element serves them all."""
        from kernlint.checks.shared_memory.shared_layouts import other_index
        from kernlint.tuning.suggestions import executed

        for group in context.groups(self._facts, hardware.device(self._settings.device)):
            own = [
                (k, a)
                for k in group.kernels
                if words.kernel(k) == finding.kernel
                for a in k.accesses
                if a.span == finding.span
            ]
            entries = [
                entry
                for k, a in own
                if a.space == "shared" and (entry := executed(k, a)) is not None
            ]
            if entries:
                worst = max(entries, key=lambda entry: (entry.excess, entry.counts.max))
                return replace(finding, fix=None, help=other_index(worst, group))
        return replace(finding, fix=None)

    def _padding(self, finding: Finding) -> tuple[TunedArray, int] | None:
        """The array that the finding's edit pads, and by how much."""
        from kernlint.source_model.declared_rows import Rows
        from kernlint.tuning.arrays import TunedArray, arrays

        if finding.code != PADDED or finding.fix is None:
            return None
        if self._arrays is None:
            self._arrays = [
                one for one in arrays(self._facts, alike=False) if isinstance(one, TunedArray)
            ]
        for one in self._arrays:
            more = one.rows.more_of(finding.fix.edits, MOST) if isinstance(one.rows, Rows) else 0
            if more:
                return one, more
        return None

    @property
    def _facts(self) -> facts.File:
        return self._before(None).file if self._file is None else self._file

    def _accessing(self, array: TunedArray) -> AnalysedSource:
        from kernlint.tuning.rows import only

        names = _accessing(array, self._facts)
        return only(self._before(None), names) if self._file is None else self._before(names)

    def _reason(self, array: TunedArray, more: int) -> str:
        from kernlint.source_model.declared_rows import Rows
        from kernlint.tuning.addresses import unaligned

        before = self._accessing(array)
        flat = (
            (array.rows.count, array.rows.length)
            if isinstance(array.rows, Rows) and len(array.shape) == 1
            else None
        )
        return self._leaving(array) or unaligned(
            array.name, array.span.line, more, before.measured.values(), flat
        )

    def _leaving(self, array: TunedArray) -> str:
        from kernlint.tuning.rows import NO_TIME, is_stopped, leaves_row

        key = (array.name, array.span.line)
        if key not in self._leaves:
            before, names = self._accessing(array), _accessing(array, self._facts)
            count = sum(
                (kernel.qualified_name or kernel.name) in names for kernel in self._facts.kernels
            )
            stopped = is_stopped(before, count)
            self._leaves[key] = (
                NO_TIME if stopped else leaves_row(array, before, self._source, self._settings)
            )
        return self._leaves[key]

    def _proved(self, array: TunedArray) -> Search:
        from kernlint.fixing.paddings import best
        from kernlint.source.edits import applied
        from kernlint.source_model.declared_rows import Rows
        from kernlint.tuning.rows import analysed, is_stopped

        before, device = self._accessing(array), hardware.device(self._settings.device)

        def analyse(more: int) -> Sequence[facts.Kernel] | None:
            assert isinstance(array.rows, Rows)
            text = applied(self._source.text or "", array.rows.longer(more))
            if text is None or self._reason(array, more):
                return None
            padded = analysed(
                replace(self._source, text=text), self._settings, before.kernels, before.hosted
            )
            if is_stopped(padded, len(before.file.kernels)):
                raise OutOfTime
            after = padded.file.kernels
            return (
                after
                if _are_alike(after, before.file.kernels) and not _too_large(after, device)
                else None
            )

        return best(array, before.file.kernels, device, analyse)

    def _told(self, finding: Finding, array: TunedArray, proved: Proved) -> Finding:
        from kernlint.checks.shared_memory.shared_layouts import lengthened, padded
        from kernlint.fixing.paddings import all_told, effect
        from kernlint.source_model.declared_rows import Rows

        pair = _of(finding, proved.pairs)
        if pair is None or pair.before is None or not isinstance(array.rows, Rows):
            return finding
        group = next(
            g
            for g in context.groups(self._facts, hardware.device(self._settings.device))
            if _is_of(finding, g)
        )
        said = f"{lengthened(pair.access, group, array.rows, proved.more)} {effect(pair, proved)}"
        said = "; ".join([said, *all_told(proved, array.name)])
        _, _, swizzle = finding.help.partition("; or swizzle: ")
        said += f"; or swizzle: {swizzle}" if swizzle else ""
        return replace(finding, fix=padded(array.name, array.rows, proved.more), help=said)

    def _before(self, names: frozenset[str] | None) -> AnalysedSource:
        from kernlint.tuning.rows import analysed

        if names not in self._analysed:
            self._analysed[names] = analysed(self._source, self._settings, names)
        return self._analysed[names]


def _are_alike(some: Sequence[facts.Kernel], others: Sequence[facts.Kernel]) -> bool:
    """Whether two analyses are of the same launches."""
    return len(some) == len(others) and all(
        a.launch.block == b.launch.block for a, b in zip(some, others, strict=True)
    )


def _too_large(kernels: Sequence[facts.Kernel], device: hardware.Device) -> bool:
    limit = device.limits.get("shared_per_block")
    return limit is not None and any(kernel.static_shared_bytes > limit for kernel in kernels)


def _is_of(finding: Finding, group: context.Group) -> bool:
    return any(words.kernel(kernel) == finding.kernel for kernel in group.kernels)


def _of(finding: Finding, pairs: Sequence[AccessPair]) -> AccessPair | None:
    """What becomes of the access that a finding is about, the worst of its executions."""
    own = [
        p
        for p in pairs
        if p.before
        and p.before.access.span == finding.span
        and words.kernel(p.before.kernel) == finding.kernel
    ]
    return max(
        own,
        key=lambda p: (p.before.excess, p.before.counts.max) if p.before else (0.0, 0),
        default=None,
    )


def _is_at(finding: Finding, array: TunedArray, file: facts.File) -> bool:
    """Whether a finding is about an access to the array."""
    own = (array.name, array.span)
    kernels = (kernel for kernel in file.kernels if words.kernel(kernel) == finding.kernel)
    accesses = (access for kernel in kernels for access in kernel.accesses)
    return any(a.span == finding.span and (a.object, a.object_span) == own for a in accesses)


def _accessing(array: TunedArray, file: facts.File) -> frozenset[str]:
    """The names of the kernels that access an array."""
    found = set()
    for kernel in file.kernels:
        for a in kernel.accesses:
            if (a.object, a.object_span) == (array.name, array.span) or (
                "|" in a.object and array.name in a.object.split("|")
            ):
                found.add(kernel.qualified_name or kernel.name)
    return frozenset(found)


def held_back(
    findings: Sequence[Finding],
    source: files.Source,
    settings: Settings,
    file: facts.File | None = None,
) -> tuple[Finding, ...]:
    """The findings, settled; where an edit would change what the program computes, with the reason
    in its place."""
    objections = Objections(source, settings, file)
    return tuple(_held_back(objections, finding) for finding in findings)


def _held_back(objections: Objections, finding: Finding) -> Finding:
    """An internal error becomes the reason and costs no other finding."""
    if finding.fix is None and TUNE not in finding.help:
        return _skewed(objections, finding)
    try:
        if finding.fix is None:
            return objections.moved(finding)
        settled = _skewed(objections, objections.settled(finding))
        reason = objections.against(settled)
    except Exception as error:
        settled = finding
        reason = (
            f"internal error while checking the uses of the array: {type(error).__name__}: {error}"
        )
    return _without(settled, reason)


def _skewed(objections: Objections, finding: Finding) -> Finding:
    """Where time ends before a skew is confirmed, without its index."""
    try:
        return objections.skewed(finding)
    except OutOfTime:
        return replace(finding, help=SKEW.sub("", finding.help))


def _without(finding: Finding, reason: str) -> Finding:
    from kernlint.tuning.rows import NO_TIME

    if not reason:
        return finding
    so = "no fix is offered" if reason == NO_TIME else "changing the declaration is not enough"
    return replace(finding, fix=None, withheld=reason, help=f"{finding.help}; {so}: {reason}")
