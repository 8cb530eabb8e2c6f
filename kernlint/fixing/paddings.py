"""The best padding of an array by analyses of the padded file, and what they say of its accesses.

Goes in: facts of a file before and after. Comes out: which padding is the best, by what `kernlint tune` ranks forms by, and words for the
help. Never counts anything: the numbers are the engine's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from kernlint import facts
from kernlint.checks import context, words
from kernlint.checks.context import Executed
from kernlint.hardware import Device
from kernlint.records import dataclass
from kernlint.tuning.arrays import Array
from kernlint.tuning.figures import Figures, better, figures, summed
from kernlint.tuning.suggestions import executed, is_of, suggested

SAME = 1e-6  # of wavefronts: no difference


@dataclass(frozen=True, slots=True)
class Pair:
    """One access as the machine executes it, before and after; None where nothing is left of it or its counts are not known."""

    before: Executed | None
    after: Executed | None

    @property
    def access(self) -> facts.Access | None:
        return self.before.access if self.before is not None else None


@dataclass(frozen=True, slots=True)
class Proved:
    """A padding whose file was analysed: `figures` of the kernels that access the array, `pairs` of the accesses to it."""

    more: int
    figures: Figures
    pairs: tuple[Pair, ...]

    @property
    def is_done(self) -> bool:
        """Whether no other padding can be better: every access takes what its bytes need, in no more requests than before."""
        return all(p.before is None or (p.after is not None and not _conflicts(p.after) and not _more_requests(p)) for p in self.pairs)


def best(
    array: Array, kernels: Sequence[facts.Kernel], device: Device, analyse: Callable[[int], Sequence[facts.Kernel] | None]
) -> Proved | None:
    """The best of the paddings that the requests suggest; None where none is better than the array as it is. `analyse`: the same kernels
    with so many elements more a row, None where they are not the same any more."""
    baseline = summed([figures(kernel, array.name) for kernel in kernels])
    found: Proved | None = None
    for more in suggested(array, kernels, device):
        after = analyse(more)
        pairs = None if after is None else _pairs(array, kernels, after)
        if after is None or pairs is None:
            continue
        one = Proved(more, summed([figures(kernel, array.name) for kernel in after]), pairs)
        if better(one.figures, baseline if found is None else found.figures):
            found = one
        if found is one and one.is_done:
            break
    return found


def _pairs(array: Array, before: Sequence[facts.Kernel], after: Sequence[facts.Kernel]) -> tuple[Pair, ...] | None:
    """None where the accesses are not the same ones."""
    found: list[Pair] = []
    for old, new in zip(before, after, strict=True):
        if [(a.op, a.object, a.bytes) for a in old.accesses] != [(a.op, a.object, a.bytes) for a in new.accesses]:
            return None
        both = zip(old.accesses, new.accesses, strict=True)
        found += [Pair(executed(old, a), executed(new, b)) for a, b in both if is_of(a, array)]
    return tuple(found)


def _high(entry: Executed) -> float:
    return max(entry.counts.mean, entry.counts.mean_high)


def _conflicts(entry: Executed) -> bool:
    return _high(entry) > entry.counts.ideal + SAME


def _more_requests(pair: Pair) -> bool:
    return pair.before is not None and pair.after is not None and pair.after.times > pair.before.times


def _wavefronts(entry: Executed) -> float:
    return entry.counts.mean * entry.times


# ------------------------------------------------------------------ in words


def effect(pair: Pair, proved: Proved) -> str:
    """What the padding does to one access, and what others pay for it."""
    paying = [p for p in proved.pairs if p.access is not None and p.access is not pair.access and _pays(p)]
    costs = ""
    if paying:
        worst = max(paying, key=lambda p: _wavefronts(p.after) - _wavefronts(p.before) if p.after and p.before else 0.0)
        more = len({(p.access.span, p.access.text) for p in paying if p.access}) - 1
        others = f" (and {words.plural(more, 'other access', 'other accesses')})" if more else ""
        costs = f", though {_cost(worst)}{others}"
    return f"{_gain(pair)}{costs}"


def _gain(pair: Pair) -> str:
    old, new = pair.before, pair.after
    assert old is not None
    if new is None:
        return "leaves nothing of this access that is counted"
    if _more_requests(pair):
        return f"takes this access from {_in_requests(old)} to {_in_requests(new)}, which the compiler then no longer {_merges(pair)}"
    if not _conflicts(new):
        return "makes this access conflict-free"
    if new.counts.mean >= old.counts.mean - SAME:
        return f"leaves this access at {_each(new)} and serves the array's others"
    return f"takes this request from {context.per_request(old)} to {_each(new)}"


def _each(entry: Executed) -> str:
    text = context.per_request(entry)
    as_written = " as written" if entry.access.reason == "compiler" and not entry.compiled else ""
    return f"{text} wavefront{'' if text == '1' else 's'}{as_written}"


def _in_requests(entry: Executed) -> str:
    return f"{_each(entry)} in {words.plural(entry.times, 'request')}"


def _merges(pair: Pair) -> str:
    assert pair.before is not None and pair.after is not None
    before, after = pair.before.bytes, pair.after.bytes
    return f"merges into {before} bytes" + (f", but into {after}" if pair.after.compiled and after > pair.after.access.bytes else "")


def _pays(pair: Pair) -> bool:
    return bool(pair.before and pair.after) and (_more_requests(pair) or _more_wavefronts(pair))


def _more_wavefronts(pair: Pair) -> bool:
    return pair.before is not None and pair.after is not None and _wavefronts(pair.after) > _wavefronts(pair.before) * (1 + SAME)


def _cost(pair: Pair) -> str:
    old, new = pair.before, pair.after
    assert old is not None and new is not None
    where = f"`{old.access.text}` on line {old.access.span.line}"
    if not _more_requests(pair):
        return f"{where} then takes {_each(new)} instead of {context.per_request(old)}"
    return f"the compiler then no longer {_merges(pair)} at {where}: {_in_requests(new)} instead of {_in_requests(old)}"


def all_told(proved: Proved, name: str) -> Iterator[str]:
    """The sum over the array, where some access pays for another."""
    known = [(p.before, p.after) for p in proved.pairs if p.before is not None and p.after is not None]
    if any(_pays(p) for p in proved.pairs):
        before, after = sum(_wavefronts(old) for old, _ in known), sum(_wavefronts(new) for _, new in known)
        yield f"{words.count(round(after))} wavefronts of `{name}` instead of {words.count(round(before))} in all"
