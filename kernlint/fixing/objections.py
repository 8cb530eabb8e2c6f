"""What is known of a padding only from analyses: why it would change what the program computes,
which one is the best, what it does.

Goes in: a source, how it is analysed, findings with fixes. Comes out: findings whose padding is the
best and whose help says what the padded file's analysis says; without the fixes that would change
what is computed, with the reason. The fixer asks before each edit that it makes, `check` before it
promises one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from kernlint import hardware
from kernlint.base.deadline import OutOfTime
from kernlint.base.span import Span
from kernlint.checks import context, words
from kernlint.checks.shared_memory.shared_layouts import SKEW, TUNE
from kernlint.fixing.trials import Trial, kernels_of, trial, tried
from kernlint.model import facts
from kernlint.model.finding import Finding
from kernlint.model.settings import Settings
from kernlint.source import files

if TYPE_CHECKING:
    from kernlint.fixing.fault_trials import FaultTrials
    from kernlint.fixing.paddings import AccessPair, Proved, Search
    from kernlint.source_model.declared_rows import Rows
    from kernlint.tuning.arrays import Kept, TunedArray
    from kernlint.tuning.rows import AnalysedSource

PADDED = "KL101"  # the rule whose edits enlarge rows
MOST = 256  # elements that a row may be asked to grow by
Key = tuple[str, int]  # of an array: its name, the line of its declaration


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
        self._analysed: dict[frozenset[str] | None, AnalysedSource] = (
            {} if before is None else {None: before}
        )
        self._of: dict[Key, AnalysedSource] = {}  # of the kernels that access an array, as they are
        self._leaves: dict[Key, str] = {}
        self._best: dict[Key, Search] = {}
        self._skews: dict[Key, AnalysedSource | None] = {}

    def prepare(self, findings: Sequence[Finding]) -> None:
        """Make the analyses that these findings need, as many at once as possible."""
        padded = {_key(found[0]): found[0] for f in findings if (found := self._padding(f))}
        skewed = {_key(one): one for f in findings if (one := self._skewed_array(f)) is not None}
        self._look([*padded.values(), *skewed.values()])
        self._probe(list(padded.values()))
        self._search([one for one in padded.values() if not self._leaves[_key(one)]])
        self._skew(list(skewed.values()))
        self._faults.prepare(findings)

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

        if not self._faults.serves(finding):
            return replace(finding, fix=None)
        found = self._padding(finding)
        if found is None:
            return finding
        array, more = found
        if len(array.shape) == 1 and self._reason(array, more) not in ("", NO_TIME):
            return self._without_pitch(finding)
        self._search([array])
        search = self._best[_key(array)]
        told = finding if search.found is None else self._told(finding, array, search.found)
        return replace(told, help=f"{told.help}; {left_out(search)}") if search.untried else told

    def moved(self, finding: Finding) -> Finding:
        """With the reason instead of the command where `kernlint tune` would not move the array's
        columns."""
        from kernlint.tuning.arrays import Kept

        own = {
            (a.object, a.object_span)
            for kernel in self._kernels.get(finding.kernel, ())
            for a in kernel.accesses
            if a.span == finding.span and a.space == "shared"
        }
        for one in self._alike_arrays:
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
        found = SKEW.search(finding.help)
        if found is None:
            return finding
        array = self._skewed_array(finding)
        if array is None or not self._skew_serves(array, finding):
            return replace(finding, help=finding.help.replace(found[0], ""))
        return replace(
            finding, help=finding.help.replace(found[0], f"{found[0]}, which removes this conflict")
        )

    def _skewed_array(self, finding: Finding) -> TunedArray | None:
        if SKEW.search(finding.help) is None:
            return None
        own = {
            (access.object, access.object_span)
            for kernel in self._kernels.get(finding.kernel, ())
            for access in kernel.accesses
            if access.span == finding.span
        }
        return next((one for one in self._arrays if (one.name, one.span) in own), None)

    def _skew_serves(self, array: TunedArray, finding: Finding) -> bool:
        from kernlint.fixing.paddings import conflicts, pairs

        self._skew([array])
        made = self._skews[_key(array)]
        before, device = self._accessing(array), self._device
        if made is None:
            return False
        after = made.file.kernels
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

        for group in self._groups.get(finding.kernel, ()):
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
        if finding.code != PADDED or finding.fix is None or not finding.fix.edits:
            return None
        for one, rows in self._growing.get(finding.fix.edits[0].span, ()):
            if more := rows.more_of(finding.fix.edits, MOST):
                return one, more
        return None

    @cached_property
    def _faults(self) -> FaultTrials:
        from kernlint.fixing.fault_trials import FaultTrials

        return FaultTrials(self._source, self._settings, self._facts)

    @cached_property
    def _arrays(self) -> Sequence[TunedArray]:
        from kernlint.tuning.arrays import TunedArray, arrays

        return [one for one in arrays(self._facts, alike=False) if isinstance(one, TunedArray)]

    @cached_property
    def _alike_arrays(self) -> Sequence[TunedArray | Kept]:
        from kernlint.tuning.arrays import arrays

        return arrays(self._facts)

    @cached_property
    def _growing(self) -> Mapping[Span, Sequence[tuple[TunedArray, Rows]]]:
        """The arrays whose rows may grow, by the place that says first how long they are."""
        from kernlint.source_model.declared_rows import Rows

        found: dict[Span, list[tuple[TunedArray, Rows]]] = {}
        for one in self._arrays:
            if isinstance(one.rows, Rows):
                found.setdefault(one.rows.places[0].span, []).append((one, one.rows))
        return found

    @cached_property
    def _kernels(self) -> Mapping[str, Sequence[facts.Kernel]]:
        """By the name that findings have."""
        found: dict[str, list[facts.Kernel]] = {}
        for kernel in self._facts.kernels:
            found.setdefault(words.kernel(kernel), []).append(kernel)
        return found

    @cached_property
    def _groups(self) -> Mapping[str, Sequence[context.Group]]:
        """By the names of their kernels."""
        found: dict[str, list[context.Group]] = {}
        for group in context.groups(self._facts, self._device):
            for name in dict.fromkeys(map(words.kernel, group.kernels)):
                found.setdefault(name, []).append(group)
        return found

    @cached_property
    def _names(self) -> Mapping[tuple[str, Span | None], frozenset[str]]:
        return kernels_of(self._facts)

    @property
    def _device(self) -> hardware.Device:
        return hardware.device(self._settings.device)

    @property
    def _facts(self) -> facts.File:
        return self._before(None).file if self._file is None else self._file

    def _accessing(self, array: TunedArray) -> AnalysedSource:
        """The analysis, as they are, of the kernels that access an array."""
        self._look([array])
        return self._of[_key(array)]

    def _look(self, some: Sequence[TunedArray]) -> None:
        from kernlint.tuning.rows import only

        names = {_key(one): self._names_of(one) for one in some if _key(one) not in self._of}
        if not names:
            return
        every = frozenset[str]().union(*names.values())
        before = self._before(None if self._file is None else every)
        self._of |= {key: only(before, own) for key, own in names.items()}

    def _names_of(self, array: TunedArray) -> frozenset[str]:
        own = self._names.get((array.name, array.span), frozenset())
        others = (names for (name, _), names in self._shared_names if array.name in name.split("|"))
        return own.union(*others)

    @cached_property
    def _shared_names(self) -> Sequence[tuple[tuple[str, Span | None], frozenset[str]]]:
        """Those of `_names` that are of one of several arrays."""
        return [item for item in self._names.items() if "|" in item[0][0]]

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
        self._probe([array])
        return self._leaves[_key(array)]

    def _probe(self, some: Sequence[TunedArray]) -> None:
        """Whether the columns of each stay within its rows."""
        from kernlint.tuning.rows import NO_TIME, OVERLAPPING, indistinct, is_stopped, leaves

        left: list[tuple[TunedArray, Trial]] = []
        for one in some:
            if _key(one) in self._leaves:
                continue
            before = self._accessing(one)
            if is_stopped(before, self._count(before)):
                self._leaves[_key(one)] = NO_TIME
            elif (reason := indistinct(one, before)) or isinstance(one.rows, str):
                self._leaves[_key(one)] = reason
            else:
                left.append((one, trial(one.rows.alone, before)))
        for (one, _), probed in zip(left, self._tried(left), strict=True):
            before = self._accessing(one)
            self._leaves[_key(one)] = OVERLAPPING if probed is None else leaves(one, before, probed)

    def _count(self, before: AnalysedSource) -> int:
        """How many launches are known of the kernels that were to be analysed."""
        return sum(self._launched[name] for name in before.kernels or ())

    @cached_property
    def _launched(self) -> Counter[str]:
        """The number of launches of each kernel."""
        return Counter(kernel.qualified_name or kernel.name for kernel in self._facts.kernels)

    def _tried(self, some: Sequence[tuple[TunedArray, Trial]]) -> list[AnalysedSource | None]:
        from kernlint.tuning.rows import is_other

        if not some:
            return []
        trials = [one for _, one in some]
        hosted = self._accessing(some[0][0]).hosted
        found = tried(trials, self._source, self._settings, hosted)
        return [
            tried([own], self._source, self._settings, ())[0]
            if made is not None and is_other(made, self._accessing(array))
            else made
            for (array, own), made in zip(some, found, strict=True)
        ]

    def _search(self, some: Sequence[TunedArray]) -> None:
        """The best padding of each: one of each array after the other."""
        from kernlint.fixing.paddings import search
        from kernlint.source_model.declared_rows import Rows
        from kernlint.tuning.rows import is_stopped

        new = [array for array in some if _key(array) not in self._best]
        for array in new:
            kernels = self._accessing(array).file.kernels
            self._best[_key(array)] = search(array, kernels, self._device)
        searches = [self._best[_key(array)] for array in new]
        while left := [one for one in searches if one.next]:
            asked: list[tuple[Search, Trial]] = []
            for one in left:
                rows = one.array.rows
                if not isinstance(rows, Rows) or self._reason(one.array, one.next):
                    one.take(None)
                else:
                    edits = rows.longer(one.next)
                    asked.append((one, trial(edits, self._accessing(one.array))))
            made = self._tried([(one.array, own) for one, own in asked])
            for (one, _), padded in zip(asked, made, strict=True):
                before = self._accessing(one.array)
                if padded is not None and is_stopped(padded, len(before.file.kernels)):
                    one.stop()
                else:
                    one.take(None if padded is None else self._alike(padded, before))

    def _alike(
        self, padded: AnalysedSource, before: AnalysedSource
    ) -> Sequence[facts.Kernel] | None:
        after = padded.file.kernels
        if _are_alike(after, before.file.kernels) and not _too_large(after, self._device):
            return after
        return None

    def _skew(self, some: Sequence[TunedArray]) -> None:
        """What the skew of each makes of its kernels."""
        from kernlint.tuning.layouts import layouts

        asked: list[tuple[TunedArray, Trial]] = []
        for one in some:
            if _key(one) in self._skews:
                continue
            self._skews[_key(one)] = None
            forms = layouts(one, self._device)
            edits = next((form.edits for form in forms if form.kind == "skew"), None)
            if edits is not None:
                asked.append((one, trial(edits, self._accessing(one))))
        for (one, _), made in zip(asked, self._tried(asked), strict=True):
            self._skews[_key(one)] = made

    def _told(self, finding: Finding, array: TunedArray, proved: Proved) -> Finding:
        from kernlint.checks.shared_memory.shared_layouts import lengthened, padded
        from kernlint.fixing.paddings import all_told, effect
        from kernlint.source_model.declared_rows import Rows

        pair = _of(finding, proved.pairs)
        if pair is None or pair.before is None or not isinstance(array.rows, Rows):
            return finding
        group = self._groups[finding.kernel][0]
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


def _key(array: TunedArray) -> Key:
    return array.name, array.span.line


def held_back(
    findings: Sequence[Finding],
    source: files.Source,
    settings: Settings,
    file: facts.File | None = None,
) -> tuple[Finding, ...]:
    """The findings, settled; where an edit would change what the program computes, with the reason
    in its place."""
    objections = Objections(source, settings, file)
    with suppress(Exception):  # a fault is told by the finding that meets it
        objections.prepare(findings)
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
