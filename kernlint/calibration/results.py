"""All fits of one calibration. Goes in: raw data, a device's rules. Comes out: lines, forms and how
good they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from kernlint.calibration import fit
from kernlint.calibration.fit import FittedLine, Points, Quality
from kernlint.calibration.raw import Raw
from kernlint.hardware import Device, PipelineForm

# no native instruction: the compiler makes a loop of load and compare-and-swap
LOOPS = (("atomic", 8),)
FIRST = ("load", 4)  # what C1, C2 and figure 7 are about
RUNS_NOTE = "fitted to half of the points; median error {1:.2f} %, 95th percentile {2:.2f} % over the other {0}"

Key = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Fitted:
    """One operation and width: the paper's line, the form fitted to one half of the first run, its
    errors on what it was not fitted to: the other half, and the whole grid of the last run."""

    points: Points
    line: FittedLine
    form: PipelineForm
    held: Quality
    again: Quality


@dataclass(frozen=True, slots=True)
class BarrierCost:
    """A barrier of w warps costs base + each·w cycles."""

    base: float
    each: float


def fits(raw: Raw, device: Device) -> Mapping[Key, Fitted]:
    """Everything that was measured, fitted; `device` says how wide the pipe's lane groups are and
    how many schedulers feed it."""
    rules = replace(
        device, forms=MappingProxyType({key: PipelineForm(0, 1, 1, round=1) for key in LOOPS})
    )
    result = {}
    for key, grid in raw.runs[0].items():
        points, again = fit.points(grid, *key, rules), fit.points(raw.runs[-1][key], *key, rules)
        form = fit.form(points.chosen(points.half), key in LOOPS, int(device.limits["schedulers"]))
        held = fit.judged(form, points.chosen(~points.half))
        result[key] = Fitted(points, fit.line(points), form, held, fit.judged(form, again))
    return result


def barrier(raw: Raw) -> BarrierCost:
    """Least squares over the measured numbers of warps."""
    names = {f"barrier_{warps}_cycles": warps for warps in range(1, 33)}
    warps = np.array([names[name] for name in raw.machine if name in names], float)
    cycles = np.array([raw.machine[name][0] for name in raw.machine if name in names])
    each, base = np.polyfit(warps, cycles, 1)
    return BarrierCost(float(base), float(each))
