"""Counting: warp requests of one access to wavefronts, sectors and lines, summed over the launch.

In: a byte-offset value with its mask. Out: a `Tally` per (site, space) with totals, extremes and
what keeps the number from being exact. Unknown shifts and strides are counted for every residue
that they may have, so their numbers are ranges with cases, not guesses.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from kernlint.base.dataclass import dataclass, field, replace
from kernlint.execution.counting import gathers
from kernlint.execution.counting.merge_rules import added, both, either, kept, merged, updated
from kernlint.execution.counting.requests import Shape, executions
from kernlint.execution.counting.residue_counts import (
    COUNTERS,
    AccessExecution,
    Metric,
    Outcomes,
    Range,
    Selections,
    Widest,
    capped,
    outcomes,
    worse,
)
from kernlint.execution.counting.unknowns import Unknowns, beyond, bounded, classify, moved, spelled
from kernlint.execution.values import sums
from kernlint.execution.values.masks import Mask
from kernlint.execution.values.selection import selected
from kernlint.execution.values.sums import Sum
from kernlint.execution.values.values import Atom, Value, base_of
from kernlint.hardware import Device
from kernlint.ir import nodes as ir

# bytes: no host or device has longer virtual addresses (x86-64: 57 bits with five levels of pages)
FARTHEST = 1 << 57


@dataclass(slots=True)
class CaseTotal:
    """What one residue of an unknown would give, summed over requests."""

    requests: int = 0
    wavefronts: Range = (0.0, 0.0)
    sectors: Range = (0.0, 0.0)

    def add(self, requests: int, wavefronts: Range, sectors: Range) -> None:
        self.requests += requests
        self.wavefronts = _both(self.wavefronts, wavefronts)
        self.sectors = _both(self.sectors, sectors)


def _both(one: Range, other: Range) -> Range:
    return one[0] + other[0], one[1] + other[1]


def _cases_of_both(mine: Any, other: Any, name: str) -> None:
    for unknown, residues in other.cases.items():
        known = mine.cases.setdefault(unknown, {})
        for residue, total in residues.items():
            case = known.setdefault(residue, CaseTotal())
            case.add(total.requests, total.wavefronts, total.sectors)


def _widest_of_both(mine: Any, other: Any, name: str) -> None:
    if other.widest is not None and worse(other.widest, mine.widest, mine.space, mine.hardware_op):
        mine.widest = other.widest


def _reach_of_both(mine: Any, other: Any, name: str) -> None:
    mine.reach_to(other.reach)


def _farther(one: int | None, other: int | None, end: Callable[[int, int], int]) -> int | None:
    return None if one is None or other is None else end(one, other)


Reach = tuple[int | None, int | None]  # bytes from an object's start: the lowest, the highest


@dataclass(slots=True)
class Tally:
    """What was seen of one access in one memory space. `weight`: requests counted in the metrics
    (symbolic iterations count once)."""

    site: ir.AccessSite = field(metadata=merged(kept))
    space: str = field(metadata=merged(kept))
    hardware_op: str = field(metadata=merged(kept))
    objects: dict[ir.MemoryObject, None] = field(default_factory=dict, metadata=merged(updated))
    requests: int = field(default=0, metadata=merged(added))
    lanes: int = field(default=0, metadata=merged(added))
    # of `lanes`, those that no data takes out
    sure_lanes: int = field(default=0, metadata=merged(added))
    weight: float = field(default=0.0, metadata=merged(added))
    weight_lanes: float = field(default=0.0, metadata=merged(added))
    # some execution's number of repetitions in a block is unknown, and so how many requests are of
    # which kind
    open_count: bool = field(default=False, metadata=merged(either))
    # data may take single lanes out of its requests
    parted: bool = field(default=False, metadata=merged(either))
    # whether a warp executes it depends on data: the machine may run it predicated, with no lane
    # active
    guarded: bool = field(default=False, metadata=merged(either))
    # why some request's addresses are unknown (reason, detail)
    uncounted: dict[tuple[str, str], None] = field(default_factory=dict, metadata=merged(updated))
    wavefronts: Metric = field(default_factory=Metric, metadata=merged(added))
    sectors: Metric = field(default_factory=Metric, metadata=merged(added))
    lines: Metric = field(default_factory=Metric, metadata=merged(added))
    # (reason, detail) that keep it from being exact
    reasons: dict[tuple[str, str], None] = field(default_factory=dict, metadata=merged(updated))
    assumptions: dict[str, None] = field(default_factory=dict, metadata=merged(updated))
    # by (unknown, modulus) and residue
    cases: dict[tuple[str, int], dict[int, CaseTotal]] = field(
        default_factory=dict, metadata=merged(_cases_of_both)
    )
    widest: Widest | None = field(default=None, metadata=merged(_widest_of_both))
    # strides may be so short that lanes share lines, though no sectors: how many is not counted
    unlined: bool = field(default=False, metadata=merged(either))
    # every address was a compile-time constant
    always_constant: bool = field(default=True, metadata=merged(both))
    # how only a run decides the index of a local array: by a value, as a counter
    decided: str = field(default="", metadata=merged(kept))
    loops: tuple[ir.Loop, ...] = field(default=(), metadata=merged(kept))
    # of a local array: those of them whose counters are in the index
    indexing: frozenset[ir.Loop] = field(default=frozenset(), metadata=merged(either))
    # of an atomic: where its addresses lie; None before the first
    reach: Reach | None = field(default=None, metadata=merged(_reach_of_both))

    def reach_to(self, other: Reach | None) -> None:
        """Takes in where other addresses lie."""
        if self.reach is None or other is None:
            self.reach = self.reach or other
            return
        self.reach = (
            _farther(self.reach[0], other[0], min),
            _farther(self.reach[1], other[1], max),
        )


@dataclass(frozen=True, slots=True)
class Counter:
    """Counts accesses for one device; `shape` gives the axes in scope."""

    device: Device

    @property
    def period(self) -> int:
        return math.lcm(self.device.banks * self.device.bank_bytes, self.device.line_bytes)

    def _countable(self, tally: Tally) -> bool:
        if tally.space == "shared":
            return all(
                (tally.hardware_op, width) in self.device.schedules
                for _, width in tally.site.pieces
            )
        return all(width in self.device.widths for _, width in tally.site.pieces)

    def has(self, operation: str, site: ir.AccessSite) -> bool:
        """Whether the device has `operation` for an access of the site's width."""
        return len(site.pieces) == 1 and (operation, site.pieces[0][1]) in self.device.schedules

    def record(
        self,
        tally: Tally,
        address: Value,
        mask: Mask,
        shape: Shape,
        open_reason: tuple[str, str] | None,
    ) -> None:
        """Adds all requests of one execution of an access at `address` (pointing at piece 0) under
        `mask`.

        `open_reason`: why it is not known how often this execution repeats in a block (reason,
        detail); None when it is known."""
        pieces = tally.site.pieces
        requests, lanes = executions(mask.may, shape)
        if requests == 0:
            return
        tally.requests += requests * max(1, len(pieces))
        tally.lanes += lanes * max(1, len(pieces))
        sure = lanes if mask.must is mask.may else executions(mask.must, shape)[1]
        tally.sure_lanes += sure * max(1, len(pieces))
        if not pieces:
            tally.uncounted.setdefault(tally.site.unsized)
            return
        if not self._countable(tally):
            tally.uncounted.setdefault(
                (
                    "hardware-model",
                    f"{self.device.title} has no rule for a {tally.hardware_op} of this width",
                )
            )
            return
        _note_mask(tally, mask, open_reason)
        base = base_of(address)
        if base is None or base.base is None:
            tally.uncounted.setdefault(_why_unplaced(address))
            return
        if max(-address.known.low, address.known.high) >= FARTHEST:
            tally.uncounted.setdefault(("unsupported", "an offset beyond any memory"))
            return
        terms = {atom: c for atom, c in address.terms.items() if atom is not base}
        apart = any(by.parts for atom in terms for by in atom.determiners)
        choices, rest = selected(terms)
        selections, terms = (
            Selections(
                choices, next(((a.reason, a.name) for a in terms if a not in rest), ("", ""))
            ),
            rest,
        )
        self._alignment(tally, base, terms)
        unknown = classify(terms, shape, self.period)
        if unknown.strides:
            offsets, widest = (
                [sums.add(address.known, added) for _, _, added in choices],
                max(width for _, width in pieces),
            )
            fine, coarse = self._units(tally.space)
            lines = bounded(unknown, terms, offsets, max(widest, coarse), shape)
            unknown = bounded(unknown, terms, offsets, max(widest, fine), shape)
            tally.unlined |= lines.kind == "gather" or lines.presumes != unknown.presumes
        if unknown.kind == "gather" and lanes == requests:
            # as if they touched the first word
            address, terms, unknown = Value(sums.ZERO), {}, Unknowns("none", strides=True)
        # of a stride between lanes of shared memory: it cannot leave its object either
        capping = unknown.strides and unknown.kind == "single" and tally.space == "shared"
        within = gathers.gather(terms, base, shape) if capping and base.base.size else None
        chosen = gathers.gather(terms, base, shape) if unknown.kind == "gather" else None
        if not mask.is_known and mask.must is not mask.may:
            tally.reasons.setdefault((mask.reason, mask.detail))
        for offset, width in pieces:
            at = sums.add(address.known, sums.constant(offset))
            execution = AccessExecution(
                tally.space,
                tally.hardware_op,
                width,
                at,
                terms,
                unknown,
                selections,
                mask,
                shape,
                apart,
            )
            self._count(tally, execution, chosen, within)

    def _count(
        self,
        tally: Tally,
        execution: AccessExecution,
        chosen: gathers.ChosenOffsets | None,
        within: gathers.ChosenOffsets | None,
    ) -> None:
        if chosen is not None:
            self._add_gather(tally, gathers.outcomes(execution, chosen, self.device), execution)
            return
        counted = outcomes(execution, self.device, self.period)
        if counted is not None and within is not None:
            counted = capped(counted, gathers.outcomes(execution, within, self.device))
        if counted is not None:
            self._add(tally, counted, execution)

    def _add_gather(
        self, tally: Tally, counted: Outcomes | None, execution: AccessExecution
    ) -> None:
        why = _why_gathered(execution.unknown)
        if counted is None:
            tally.uncounted.setdefault(why)
            return
        if any(metric.low != metric.high for metric in counted.metrics.values()):
            tally.reasons = {why: None, **tally.reasons}  # before why it executes at all
        self._add(tally, counted, replace(execution, unknown=Unknowns("none")))

    def _units(self, space: str) -> tuple[int, int]:
        """Bytes that the first counter of a memory space counts by, and the last."""
        device = self.device
        units = {
            "shared": (device.bank_bytes, device.bank_bytes),
            "global": (device.sector_bytes, device.line_bytes),
        }
        return units.get(space, (device.line_bytes, device.line_bytes))

    def _alignment(self, tally: Tally, base: Atom, terms: dict[Atom, Sum]) -> None:
        """An object's base may lie anywhere its alignment allows; that matters where it is finer
        than the device's units."""
        needed = self.device.line_bytes if tally.space in ("global", "constant") else 4
        if base.multiple % needed:
            atom = Atom(f"the base of {base.name}", "unknown-alignment", 0, None, base.multiple)
            terms[atom] = sums.ONE

    def _add(self, tally: Tally, counted: Outcomes, execution: AccessExecution) -> None:
        unknown, selections = execution.unknown, execution.selections
        if counted.residues:
            tally.reasons.setdefault(
                (unknown.atom.reason, unknown.atom.name)
                if unknown.atom is not None
                else selections.reason
            )
            selector = selections.choices[0][0]
            name = (
                selector.name
                if selector is not None
                else spelled(execution.terms, unknown, self.period)
            )
            by = 0 if selector is not None else beyond(execution.terms, unknown, self.period)
            for found in counted.residues:
                residue = moved(found.residue, by)
                known = tally.cases.setdefault((name, residue.modulus), {})
                case = known.get(residue.value)
                if case is None:
                    case = known[residue.value] = CaseTotal()
                case.add(found.requests, found.wavefronts, found.sectors)
        if unknown.presumes:
            tally.assumptions.setdefault(unknown.presumes)
        tally.weight += counted.requests
        tally.weight_lanes += counted.lanes
        if counted.widest is not None and worse(
            counted.widest, tally.widest, tally.space, tally.hardware_op
        ):
            tally.widest = counted.widest
        for name in COUNTERS:
            if name in counted.metrics:
                getattr(tally, name).add(counted.metrics[name])


def _note_mask(tally: Tally, mask: Mask, open_reason: tuple[str, str] | None) -> None:
    """What is not known of the lanes that make an access and of how often they do."""
    tally.parted |= mask.must is not mask.may
    if mask.conditional or open_reason is not None:
        tally.open_count = True
        tally.guarded |= mask.conditional
        tally.reasons.setdefault((mask.reason, mask.detail) if open_reason is None else open_reason)


def _why_unplaced(address: Value) -> tuple[str, str]:
    """Why it is not known which object an address lies in: reason and detail."""
    culprit = next(iter(address.terms), None)
    reason = culprit.reason if culprit and culprit.base is None else "unknown-pointer"
    return reason, culprit.name if culprit else ""


def _why_gathered(unknown: Unknowns) -> tuple[str, str]:
    """Why the lanes of a request may lie anywhere: reason and detail."""
    assert unknown.atom is not None
    how = ""
    if unknown.strides:
        how = ", a stride between lanes"
    elif unknown.atom.shifts:
        how = ", the same for all lanes"
    return unknown.atom.reason, f"{unknown.atom.name}{how}"
