"""Shared-memory time: the paper's two-constant T model, and the pipelined form.

In: instructions, warps, congestion, a device. Out: cycles of the SM's clock. Never: a count of
anything.

Source of `cycles`: S. Okamoto, Hiroshima University, least squares over all (i, w, c) in 1..32 on a
GTX 780 Ti; the constants of a calibrated profile are fitted the same way. Source of `elapsed`:
`kernlint calibrate`, docs/calibration.md.
"""

from __future__ import annotations

import math
from collections import Counter
from functools import cache

from kernlint.base.usage import DEFAULT_DEVICE
from kernlint.hardware.devices import Device, resolve
from kernlint.hardware.forms import PipelineForm

# share of a barrier that counts where nobody says how the clock behind it was read;
# docs/calibration.md
BARRIER = 0.6
# wavefronts that a compare-and-swap of a lane group takes for each lane left on its worst bank;
# measured on H100
SWAP = 2


def cycles(i: float, w: float, c: float, device: str | Device = DEFAULT_DEVICE) -> float:
    """T(i, w, c) = C1·i·w·c + C2: cycles in which `w` warps execute `i` shared-memory instructions
    each at congestion `c`.

    ValueError for a negative argument. Nothing executed takes no time.
    """
    profile = resolve(device)
    _check(i, w, c)
    product = i * w * c
    return profile.c1 * product + profile.c2 if product else 0.0


def elapsed(
    i: float,
    w: float,
    c: float,
    device: str | Device = DEFAULT_DEVICE,
    width: int = 4,
    op: str = "load",
    barrier: float = BARRIER,
) -> float:
    """Cycles from a barrier to the last arrival when `w` warps of a block then execute `i`
    instructions each, back to back.

    `c`: congestion in the paper's pattern, 32 rows of 32 elements of `width` bytes, lanes 0..c-1 on
    column 0 of their row and the others on the diagonal; between whole numbers it is interpolated.
    `op`: load, store or atomic (an addition whose result is used; at 16 bytes an exchange).
    `barrier`: the share of the barrier's own cost that counts. A clock read right behind the
    barrier, as the paper reads it, is read before the barrier has released the warp and measures
    all of it (1); a clock read once it has, none (0). The default keeps the error within 3 %
    (median) and 12 % (95th percentile) over every i, w and c in 1..32 either way. ValueError for a
    negative argument, or where the profile holds no calibrated form. Nothing executed takes no
    time.
    """
    profile = resolve(device)
    _check(i, w, c)
    low, high = (
        demand(max(1, math.floor(c)), width, op, profile),
        demand(max(1, math.ceil(c)), width, op, profile),
    )
    part = c - math.floor(c)
    needed, rounds = (a + part * (b - a) for a, b in zip(low, high, strict=True))
    return (
        elapsed_wavefronts(i, w, needed, profile, width, op, rounds, barrier) if i * w * c else 0.0
    )


def elapsed_wavefronts(
    i: float,
    w: float,
    wavefronts: float,
    device: str | Device = DEFAULT_DEVICE,
    width: int = 4,
    op: str = "load",
    rounds: float = 1,
    barrier: float = BARRIER,
) -> float:
    """The same for instructions that need `wavefronts` each (a mean may be given), and `rounds`
    where the operation is a loop."""
    _check(i, w, wavefronts)
    profile = resolve(device)
    form = _form(profile, op, width)
    if not i * w * wavefronts:
        return 0.0
    cost = (
        profile.overheads.get("barrier_cycles", 0.0)
        + profile.overheads.get("barrier_cycles_per_warp", 0.0) * w
    )
    return float(form.cycles(i, w, wavefronts, rounds)) + barrier * cost


def demand(c: int, width: int, op: str, device: Device) -> tuple[float, float]:
    """Wavefronts and rounds of one instruction on the paper's pattern at congestion `c`.

    Atomics go by the lane groups of stores. An atomic that is a loop of load and compare-and-swap
    lets one lane of each bank through per round; a group with k lanes on its worst bank then takes
    k + (k - 1) + ... + 1 wavefronts to load and 2 k to swap.
    """
    schedule = device.schedule("load" if op == "load" else "store", width)
    degrees = _degrees(c, width, schedule.lanes, device.warp_lanes, device.banks, device.bank_bytes)
    form = device.forms.get((op, width))
    if form is None or not form.round:
        return float(schedule.passes * sum(degrees)), 1.0
    return float(sum(k * (k + 1) // 2 + SWAP * k for k in degrees)), float(max(degrees))


@cache
def _degrees(
    c: int, width: int, group: int, lanes: int, banks: int, bank_bytes: int
) -> tuple[int, ...]:
    """Of each group of consecutive lanes, the most words of the paper's pattern that one bank must
    serve; no two lanes share a word."""
    unit = max(width, bank_bytes)
    starts = [width * (lanes * lane + (0 if lane < c else lane)) for lane in range(lanes)]
    served = [
        [word % banks for word in range(at // bank_bytes, (at + unit) // bank_bytes)]
        for at in starts
    ]
    return tuple(
        max(Counter(bank for lane in served[first : first + group] for bank in lane).values())
        for first in range(0, lanes, group)
    )


def _form(device: Device, op: str, width: int) -> PipelineForm:
    form: PipelineForm | None = device.forms.get((op, width))
    if form is None:
        known = ", ".join(f"{name} of {size}" for name, size in sorted(device.forms)) or "none"
        raise ValueError(
            f"{device.name} has no calibrated form for {op} of {width} bytes (it has: {known}); see `kernlint calibrate`"
        )
    return form


def _check(i: float, w: float, c: float) -> None:
    if min(i, w, c) < 0:
        raise ValueError(
            f"instructions, warps and congestion cannot be negative, got {i}, {w}, {c}"
        )
