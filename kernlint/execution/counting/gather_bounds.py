"""One request whose lanes choose their addresses themselves: between which bounds its wavefronts,
sectors and lines lie.

In: what is known of the lanes' offsets, a number that divides what is not, how many values that may
have, how far it reaches. Out: the least and the greatest count. Lanes of one group choose together:
what they differ by is known. Never sums requests.
"""

from __future__ import annotations

import math

import numpy as np

from kernlint.base.dataclass import dataclass
from kernlint.execution.values.sums import Array
from kernlint.hardware.devices import Schedule

Bounds = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Choices:
    """What the lanes of a warp choose: each group of lanes a multiple of `step` bytes, added to its
    offsets. `low`, `high`: the least and the greatest, None where not known. `size`: bytes of the
    object that all of it lies in, `multiple`: of what its address is one; None: not known."""

    step: int
    low: int | None
    high: int | None
    size: int | None = None
    multiple: int = 1

    @property
    def values(self) -> float:
        """How many values an unknown has."""
        if self.low is None or self.high is None:
            return math.inf
        return (self.high - self.low) // self.step + 1


@dataclass(frozen=True, slots=True, eq=False)
class GatherRequest:
    """The active lanes of a request, `width` bytes each at multiples of that: their numbers, what is
    known of their offsets, the number of the group that each chooses with."""

    width: int
    lanes: Array
    offsets: Array
    groups: Array

    def among(self, chosen: Array) -> GatherRequest:
        """The request of some of the lanes."""
        return GatherRequest(
            self.width, self.lanes[chosen], self.offsets[chosen], self.groups[chosen]
        )

    def moved(self, by: int) -> GatherRequest:
        """The request with all lanes moved by so many bytes."""
        return GatherRequest(self.width, self.lanes, self.offsets + by, self.groups)

    def window(self, chosen: Choices, unit: int) -> float:
        """How many units of so many bytes lie between the least and the greatest address."""
        found = math.inf
        if chosen.low is not None and chosen.high is not None:
            first = int(self.offsets.min()) + chosen.low
            last = int(self.offsets.max()) + chosen.high + self.width - 1
            found = float(last // unit - first // unit + 1)
        if chosen.size is not None:
            found = min(found, float(-(-chosen.size // unit) + (chosen.multiple % unit > 0)))
        return found

    def addresses(self, chosen: Choices, unit: int) -> float:
        """How many units of so many bytes the lanes have between them to choose from, at most."""
        starts = self.offsets if chosen.step % unit else self.offsets // unit
        return len(np.unique(starts)) * chosen.values


def units(request: GatherRequest, chosen: Choices, unit: int) -> Bounds:
    """Blocks of `unit` bytes that the request touches: sectors, cache lines, words."""
    step = math.gcd(chosen.step, unit)
    least, most = _units_of_groups(request, step, unit)
    if step == unit:  # what lies apart in a step never meets
        least = max(least, len(np.unique(request.offsets % chosen.step // unit)))
    reach = min(request.window(chosen, unit), request.addresses(chosen, unit))
    return least, int(min(most, reach))


def _units_of_groups(request: GatherRequest, step: int, unit: int) -> Bounds:
    """What one group touches at least, and all together at most, wherever they go."""
    order = np.lexsort((request.offsets, request.groups))
    groups, offsets = request.groups[order], request.offsets[order]
    begins = np.concatenate([[True], groups[1:] != groups[:-1]])
    if begins.all():  # an aligned access of one lane lies in one unit
        return 1, len(groups)
    places = (offsets + np.arange(0, unit, step)[:, None]) // unit  # by shift and offset
    is_new = np.repeat(begins[None], len(places), axis=0)
    is_new[:, 1:] |= places[:, 1:] != places[:, :-1]
    counts = np.add.reduceat(is_new, np.flatnonzero(begins), axis=1, dtype=np.int64)
    return int(counts.min(axis=0).max()), int(counts.max(axis=0).sum())


def _each_group(request: GatherRequest) -> list[Array]:
    return [request.groups == number for number in np.unique(request.groups)]


def wavefronts(
    request: GatherRequest, chosen: Choices, schedule: Schedule, banks: int, bank_bytes: int
) -> Bounds:
    """Either way where it is not known whether lanes pair up, which the schedule of wide loads
    asks."""
    sizes = {schedule.lanes}
    if schedule.paired_lanes:
        paired = _paired(request, chosen, schedule.partners)
        kept = sizes if paired is not True else set()
        sizes = kept | ({schedule.paired_lanes} if paired is not False else set())
    found = [_wavefronts(request, chosen, schedule, size, banks, bank_bytes) for size in sizes]
    return min(low for low, _ in found), max(high for _, high in found)


def _wavefronts(
    request: GatherRequest,
    chosen: Choices,
    schedule: Schedule,
    size: int,
    banks: int,
    bank_bytes: int,
) -> Bounds:
    """Where so many lanes take their turn together."""
    places = (
        np.argsort(np.array(schedule.order))[request.lanes] if schedule.order else request.lanes
    )
    unit = max(request.width, bank_bytes)
    per_unit = banks * bank_bytes // unit
    low = high = 0
    for turn in np.unique(places // size):
        part = request.among(places // size == turn)
        least, most = _worst_bank(part, chosen, unit, per_unit, schedule.mode == "words")
        low, high = low + least, high + most
    return schedule.passes * low, schedule.passes * high


def _paired(request: GatherRequest, chosen: Choices, partners: tuple[int, ...]) -> bool | None:
    """Whether, for one x of `partners`, each active lane whose partner l^x is active has the
    partner's address; None where the lanes' choices decide."""
    place = {int(lane): i for i, lane in enumerate(request.lanes)}
    sure = [True] * len(partners)
    possible = [True] * len(partners)
    for number, partner in enumerate(partners):
        for lane, i in place.items():
            j = place.get(lane ^ partner)
            if j is None:
                continue
            apart = int(request.offsets[i] - request.offsets[j])
            together = request.groups[i] == request.groups[j]
            sure[number] &= bool(together) and not apart
            possible[number] &= not (apart if together else apart % chosen.step)
    return True if any(sure) else None if any(possible) else False


def _worst_bank(
    request: GatherRequest, chosen: Choices, unit: int, banks: int, shared: bool
) -> Bounds:
    """The worst bank of lanes that take their turn together, each bank `unit` bytes wide. `shared`:
    lanes on one word of a bank are served together."""
    period = unit * banks
    step = max(math.gcd(chosen.step, period), unit)
    classes = request.offsets // unit % (step // unit)  # of banks that a lane may be in
    together = period // step  # banks of a class
    whole_words = chosen.step % unit == 0
    words = min(-(-request.window(chosen, unit) // banks), request.addresses(chosen, unit))
    low, demand = _worst_of_groups(request, chosen, unit, banks, shared)
    high = 0
    for one in np.unique(classes):
        part = request.among(classes == one)
        apart = most = len(part.lanes)
        if shared:
            pairs = np.stack([part.groups, part.offsets // unit])
            most = int(min(np.unique(pairs, axis=1).shape[1], words))
            residues = part.offsets % chosen.step // unit
            apart = len(np.unique(residues)) if whole_words else 1
        low, high = max(low, -(-apart // together)), max(high, most)
    return low, min(high, demand)


def _worst_of_groups(
    request: GatherRequest, chosen: Choices, unit: int, banks: int, shared: bool
) -> Bounds:
    """The worst bank of one group at least, and of all together at most, wherever they go."""
    groups = _each_group(request)
    if len(groups) == len(request.lanes):
        return 1, len(groups)
    alone = [_worst_of_group(request.among(g), chosen, unit, banks, shared) for g in groups]
    return max(low for low, _ in alone), sum(high for _, high in alone)


def _worst_of_group(
    request: GatherRequest, chosen: Choices, unit: int, banks: int, shared: bool
) -> Bounds:
    """The worst bank of lanes that choose together: where they go makes no difference, but for the
    part of a word."""
    if len(request.offsets) == 1:
        return 1, 1
    counts = []
    for shift in range(0, unit, math.gcd(chosen.step, unit)):
        words = (request.offsets + shift) // unit
        counts.append(int(np.bincount((np.unique(words) if shared else words) % banks).max()))
    return min(counts), max(counts)
