"""The T model of shared-memory time.

In: instructions, warps, congestion, a device. Out: cycles. Never: a count of anything.

Source: S. Okamoto, Hiroshima University, least squares over all (i, w, c) in 1..32 on a GTX 780 Ti.
"""

from __future__ import annotations

from kernlint.hardware.devices import Device, resolve
from kernlint.usage import DEFAULT_DEVICE


def cycles(i: float, w: float, c: float, device: str | Device = DEFAULT_DEVICE) -> float:
    """T(i, w, c) = C1·i·w·c + C2: cycles in which `w` warps execute `i` shared-memory instructions each at congestion `c`.

    ValueError for a negative argument. Nothing executed takes no time.
    """
    profile = resolve(device)
    if min(i, w, c) < 0:
        raise ValueError(f"instructions, warps and congestion cannot be negative, got {i}, {w}, {c}")
    product = i * w * c
    return profile.c1 * product + profile.c2 if product else 0.0
