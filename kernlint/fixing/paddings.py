"""The best padding of an array by analyses of the padded file, and what they say of its accesses.

Goes in: facts of a file before and after. Comes out: which padding is the best, by what `kernlint
tune` ranks forms by, and words for the help. Never counts anything: the numbers are the engine's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.base.dataclass import dataclass
from kernlint.base.deadline import MORE
from kernlint.checks import context, words
from kernlint.checks.context import Executed
from kernlint.hardware import Device
from kernlint.model import facts
from kernlint.tuning.arrays import TunedArray
from kernlint.tuning.figures import Figures, better, figures, summed
from kernlint.tuning.suggestions import executed, is_of, suggested

SAME = 1e-6  # of wavefronts: no difference


@dataclass(frozen=True, slots=True)
class AccessPair:
    """One access as the machine executes it, before and after; None where nothing is left of it or
    its counts are not known."""

    access: facts.Access
    padded: facts.Access
    before: Executed | None
    after: Executed | None

    @property
    def wavefronts(self) -> tuple[float, float] | None:
        """Over what is counted, before and after; None where either is not known."""
        old, new = _total(self.access, self.before), _total(self.padded, self.after)
        return None if old is None or new is None else (old, new)

    @property
    def has_more_requests(self) -> bool:
        """Whether the machine executes more, be it the access that was part of another's."""
        if self.before is None:
            return self.after is not None and _is_gone(self.access)
        return self.after is not None and self.after.times > self.before.times

    @property
    def pays(self) -> bool:
        """Whether it takes more wavefronts, or as many in more requests."""
        known = self.wavefronts
        if known is None:
            return False
        return known[1] > known[0] * (1 + SAME) or (self.has_more_requests and known[1] >= known[0])


def _is_gone(access: facts.Access) -> bool:
    compiled = access.as_compiled
    return compiled is not None and (
        compiled.requests == 0 or compiled.reason in ("eliminated", "forwarded")
    )


def _total(access: facts.Access, entry: Executed | None) -> float | None:
    if entry is None:
        return 0.0 if _is_gone(access) else None
    return entry.counts.mean * entry.times


@dataclass(frozen=True, slots=True)
class Proved:
    """A padding whose file was analysed: `figures` of the kernels that access the array, `pairs` of
    the accesses to it."""

    more: int
    figures: Figures
    pairs: tuple[AccessPair, ...]

    @property
    def is_done(self) -> bool:
        """Whether no other padding can be better: every access takes what its bytes need, in no
        more requests than before."""
        return all(
            (p.after is None or not conflicts(p.after)) and not p.has_more_requests
            for p in self.pairs
        )


@dataclass(slots=True)
class Search:
    """For the best of the paddings that the requests of an array suggest. `kernels`: those that
    access it, as they are; `choices`: elements more a row, in the order in which they are tried;
    `found`: the best so far, None where none is better than the array as it is; `untried`: how many
    there was no time for."""

    array: TunedArray
    kernels: Sequence[facts.Kernel]
    choices: Sequence[int]
    found: Proved | None = None
    tried: int = 0
    untried: int = 0

    @property
    def next(self) -> int:
        """The padding to try; 0 where the search is over."""
        is_over = self.untried or (
            # the last one tried is the best, and can stay so
            self.found is not None
            and self.found.more == self.choices[self.tried - 1]
            and self.found.is_done
        )
        return 0 if is_over or self.tried == len(self.choices) else self.choices[self.tried]

    def take(self, after: Sequence[facts.Kernel] | None) -> None:
        """`after`: the same kernels with the next padding, None where they are not the same any
        more."""
        more = self.next
        self.tried += 1
        both = None if after is None else pairs(self.array, self.kernels, after)
        if after is None or both is None:
            return
        one = Proved(more, self._figures(after), both)
        best = self._figures(self.kernels) if self.found is None else self.found.figures
        if better(one.figures, best):
            self.found = one

    def _figures(self, kernels: Sequence[facts.Kernel]) -> Figures:
        return summed([figures(kernel, self.array.name) for kernel in kernels])

    def stop(self) -> None:
        """There is no time for the rest."""
        self.untried = len(self.choices) - self.tried


def search(array: TunedArray, kernels: Sequence[facts.Kernel], device: Device) -> Search:
    """A search that has tried nothing yet."""
    return Search(array, kernels, suggested(array, kernels, device))


def pairs(
    array: TunedArray, before: Sequence[facts.Kernel], after: Sequence[facts.Kernel]
) -> tuple[AccessPair, ...] | None:
    """None where the accesses are not the same ones."""
    found: list[AccessPair] = []
    for old, new in zip(before, after, strict=True):
        if [(a.op, a.object, a.bytes) for a in old.accesses] != [
            (a.op, a.object, a.bytes) for a in new.accesses
        ]:
            return None
        both = zip(old.accesses, new.accesses, strict=True)
        found += [
            AccessPair(a, b, executed(old, a), executed(new, b)) for a, b in both if is_of(a, array)
        ]
    return tuple(found)


def _high(entry: Executed) -> float:
    return max(entry.counts.mean, entry.counts.mean_high)


def conflicts(entry: Executed) -> bool:
    return _high(entry) > entry.counts.ideal + SAME


# ------------------------------------------------------------------ in words


def effect(pair: AccessPair, proved: Proved) -> str:
    """What the padding does to one access, and what others pay for it."""
    paying = [p for p in proved.pairs if p.access is not pair.access and p.pays]
    costs = ""
    if paying:
        worst = max(paying, key=_loss)
        more = len({(p.access.span, p.access.text) for p in paying}) - 1
        others = f" (and {words.plural(more, 'other access', 'other accesses')})" if more else ""
        costs = f", although {_cost(worst)}{others}"
    return f"{_gain(pair)}{costs}"


def _loss(pair: AccessPair) -> float:
    known = pair.wavefronts
    return 0.0 if known is None else known[1] - known[0]


def _gain(pair: AccessPair) -> str:
    old, new = pair.before, pair.after
    assert old is not None
    if new is None:
        return "to remove this access"
    if pair.has_more_requests:
        return f"to cut this access from {_in_requests(old)} to {_in_requests(new)} ({_merging(old, new)})"
    if not conflicts(new):
        return "to make this access conflict-free"
    if new.counts.mean >= old.counts.mean - SAME:
        return f"to speed up other accesses to the array; this one stays at {_each(new)}"
    return f"to cut this request from {context.per_request(old)} to {_each(new)}"


def _each(entry: Executed) -> str:
    text = context.per_request(entry)
    as_written = " as written" if entry.access.reason == "compiler" and not entry.compiled else ""
    return f"{text} wavefront{'' if text == '1' else 's'}{as_written}"


def _in_requests(entry: Executed) -> str:
    return f"{_each(entry)} in each of {words.plural(entry.times, 'request')}"


def _merging(old: Executed, new: Executed) -> str:
    """What the compiler does otherwise with an access that comes apart."""
    if new.bytes == old.bytes:
        return f"the compiler then merges fewer of them into {new.bytes} bytes"
    if new.bytes > new.access.bytes:
        return f"the compiler then merges it into {new.bytes} bytes instead of {old.bytes}"
    return f"the compiler then no longer merges it into {old.bytes} bytes"


def _cost(pair: AccessPair) -> str:
    old, new = pair.before, pair.after
    assert new is not None
    where = f"`{pair.access.text}` on line {pair.access.span.line} then takes"
    if old is None:
        return f"{where} {_in_requests(new)} of its own instead of sharing a neighbour's"
    if not pair.has_more_requests:
        return f"{where} {_each(new)} instead of {context.per_request(old)}"
    return f"{where} {_in_requests(new)} instead of {_in_requests(old)} ({_merging(old, new)})"


def left_out(search: Search) -> str:
    """What was not searched, for want of time."""
    if search.found is None:
        return f"the time limit ended before the padded file was analysed ({MORE})"
    others = (
        "another padding was" if search.untried == 1 else f"{search.untried} other paddings were"
    )
    return f"{others} not tried within the time limit ({MORE})"


def all_told(proved: Proved, name: str) -> Iterator[str]:
    """The sum over the array, where some access pays for another and all are known; of which it is
    not known what it takes."""
    open_ = [p.access for p in proved.pairs if p.wavefronts is None]
    known = [p.wavefronts for p in proved.pairs if p.wavefronts is not None]
    if any(p.pays for p in proved.pairs) and not open_:
        before, after = (sum(one[which] for one in known) for which in (0, 1))
        yield f"{words.count(round(after))} wavefronts of `{name}` in all instead of {words.count(round(before))}"
    if open_:
        more = len({(access.span, access.text) for access in open_}) - 1
        others = (
            f" and {words.plural(more, 'other access', 'other accesses')} to the array"
            if more
            else ""
        )
        yield f"its effect on `{open_[0].text}` on line {open_[0].span.line}{others} is unknown"
