"""The fits: the paper's straight line, and the pipelined form.

Goes in: a grid of measured cycles. Comes out: constants, and how far they are from data they were
not fitted to.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from kernlint.calibration.raw import TimeGrid
from kernlint.hardware import Device, PipelineForm
from kernlint.hardware.timing import demand

Values = npt.NDArray[np.float64]
# relative errors well above this weigh less than by their square, so that a few odd points do not
# bend the rest
SCALE = 0.02
STEPS = 200
DIGITS = 4  # of a fitted constant


@dataclass(frozen=True, slots=True)
class Quality:
    """Relative errors |model - measured| / measured over `points` points, and R² of the cycles
    themselves."""

    median: float
    p95: float
    worst: float
    points: int
    r2: float


@dataclass(frozen=True, slots=True)
class FittedLine:
    """T = c1·i·w·c + c2 by least squares over a whole grid."""

    c1: float
    c2: float
    quality: Quality


@dataclass(frozen=True, slots=True)
class Points:
    """A grid as columns: instructions, warps, congestion, wavefronts, rounds, measured cycles;
    `half` is the half to fit to."""

    i: Values
    w: Values
    c: Values
    wavefronts: Values
    rounds: Values
    measured: Values
    half: npt.NDArray[np.bool_]

    def chosen(self, where: npt.NDArray[np.bool_]) -> Points:
        return Points(*(getattr(self, name)[where] for name in self.__slots__))


def points(grid: TimeGrid, op: str, width: int, device: Device) -> Points:
    """Every second point of the grid, as the squares of a chessboard, is the half to fit to."""
    congestions = range(1, grid.cycles.shape[2] + 1)
    needed = np.array([demand(c, width, op, device) for c in congestions])
    places = np.indices(grid.cycles.shape)
    i, w = np.array(grid.instructions, float)[places[0]], np.array(grid.warps, float)[places[1]]
    columns = (i, w, places[2] + 1.0, needed[places[2], 0], needed[places[2], 1], grid.cycles)
    i, w, c, waves, rounds, cycles = (np.ravel(column) for column in columns)
    return Points(i, w, c, waves, rounds, cycles, np.ravel(places.sum(axis=0) % 2 == 0))


def line(given: Points) -> FittedLine:
    """The paper's fit."""
    product = given.i * given.w * given.c
    c1, c2 = np.linalg.lstsq(
        np.stack([product, np.ones_like(product)], axis=1), given.measured, rcond=None
    )[0]
    return FittedLine(float(c1), float(c2), quality(c1 * product + c2, given.measured))


def form(given: Points, loop: bool, schedulers: int) -> PipelineForm:
    """The pipelined form, fitted to `given` by its relative errors; the best of several starts."""
    least = float(given.measured.min())
    if loop:
        start = PipelineForm(
            0.1 * least, 1.0, 1.5, warp=1.0, schedulers=schedulers, round=0.9 * least, blend=2.5
        )
        free, starts = ("latency", "wavefront", "scheduler", "warp", "round", "blend"), [start]
    else:
        free = ("latency", "wavefront", "scheduler", "interval", "warp", "spread")
        starts = [
            PipelineForm(0.9 * least, 1.0, 2.0, interval, 0.5, 3.0, schedulers)
            for interval in (4.0, 6.0, 10.0)
        ]
    fitted = [_descend(given, start, free) for start in starts]
    best = min(fitted, key=lambda one: one[1])[0]
    return _with(best, free, np.array([_rounded(getattr(best, name)) for name in free]))


def judged(model: PipelineForm, given: Points) -> Quality:
    return quality(model.cycles(given.i, given.w, given.wavefronts, given.rounds), given.measured)


def quality(estimate: Values, measured: Values) -> Quality:
    error = np.abs(estimate - measured) / measured
    left = np.sum((measured - estimate) ** 2) / np.sum((measured - measured.mean()) ** 2)
    return Quality(
        float(np.median(error)),
        float(np.percentile(error, 95)),
        float(error.max()),
        len(error),
        1 - float(left),
    )


def _descend(
    given: Points, start: PipelineForm, free: tuple[str, ...]
) -> tuple[PipelineForm, float]:
    """Levenberg-Marquardt on the logarithms, with a robust weight; the form and what is left."""
    target = np.log(given.measured)

    def residual(values: Values) -> Values:
        model = _with(start, free, values)
        return np.asarray(
            np.log(model.cycles(given.i, given.w, given.wavefronts, given.rounds)) - target
        )

    values = np.array([getattr(start, name) for name in free])
    rest = residual(values)
    cost, damping = _cost(rest), 1e-3
    for _ in range(STEPS):
        slopes = np.stack([_slope(residual, values, rest, k) for k in range(len(free))], axis=1)
        weight = 1 / np.sqrt(1 + (rest / SCALE) ** 2)
        normal = slopes.T @ (slopes * weight[:, None])
        step = np.linalg.solve(
            normal + damping * np.diag(np.diag(normal) + 1e-12), -slopes.T @ (rest * weight)
        )
        tried = np.maximum(values + step, 1e-6)
        new = residual(tried)
        if (gain := cost - _cost(new)) > 0:
            values, rest, cost, damping = tried, new, cost - gain, max(damping / 5, 1e-9)
            if gain < 1e-8 * cost:
                break
        elif (damping := damping * 5) > 1e9:
            break
    return _with(start, free, values), cost


def _with(form: PipelineForm, names: tuple[str, ...], values: Values) -> PipelineForm:
    changed: dict[str, Any] = dict(zip(names, values.tolist(), strict=True))
    return replace(form, **changed)


def _slope(residual: Callable[[Values], Values], values: Values, rest: Values, k: int) -> Values:
    step = 1e-4 * max(abs(float(values[k])), 0.1)
    moved = values.copy()
    moved[k] += step
    return np.asarray((residual(moved) - rest) / step)


def _cost(rest: Values) -> float:
    return float(np.sum(np.sqrt(1 + (rest / SCALE) ** 2) - 1))


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}") if value > 1e-3 else 0.0
