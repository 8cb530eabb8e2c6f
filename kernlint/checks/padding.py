"""The smallest padding, or a skew, that takes the bank conflicts out of a measured request.

Goes in: byte offsets of lanes in an array, its row length, the device. Comes out: how many elements to add, checked with the
hardware model against every known request on the array, or None. Never a rule of thumb that was not counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from kernlint import hardware
from kernlint.hardware import Device

Offsets = tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Request:
    """One warp request on the array: byte offsets from its start, width and operation as the hardware model names them.
    `weight`: how often the like of it is executed."""

    offsets: Offsets
    width: int
    op: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Padding:
    """`elements` to add to each row; wavefronts of the request it is for, now and with it, and whether others get worse."""

    elements: int
    before: int
    after: int
    ideal: int
    others_pay: bool


def smallest_padding(target: Request, others: Sequence[Request], row_bytes: int, element_bytes: int, device: Device) -> Padding | None:
    """The padding of the innermost dimension with the fewest wavefronts over all requests, the smallest of several equal ones.

    None where none at least halves the target's wavefronts, or the other requests lose more than it gains.
    """
    if row_bytes <= 0 or element_bytes <= 0 or row_bytes % element_bytes:
        return None
    everything = (target, *others)
    step = _step(everything, element_bytes)
    span = device.banks * max(device.bank_bytes, element_bytes) // element_bytes
    before = {request: _cost(request, device) for request in everything}
    best: tuple[float, Padding] = (sum(before[request] * request.weight for request in everything), Padding(0, 0, 0, 0, False))
    for pad in range(step, span + 1, step):
        after = {request: _cost(_moved(request, _padded(row_bytes, pad * element_bytes)), device) for request in everything}
        total = sum(after[request] * request.weight for request in everything)
        if total < best[0] and 2 * after[target] <= before[target]:
            ideal = hardware.ideal_wavefronts(target.offsets, target.width, target.op, device)
            pay = any(after[request] > before[request] for request in others)
            best = (total, Padding(pad, before[target], after[target], ideal, pay))
    return best[1] if best[1].elements else None


def _padded(row_bytes: int, extra: int) -> Callable[[int], int]:
    return lambda offset: offset // row_bytes * (row_bytes + extra) + offset % row_bytes


def skew(target: Request, others: Sequence[Request], element_bytes: int, device: Device) -> int | None:
    """Elements per inserted gap: storing element i at i + i / gap makes `target` ideal and no other request worse; None otherwise."""
    if element_bytes <= 0 or any(request.width > element_bytes for request in (target, *others)):
        return None
    gap = max(1, device.banks * device.bank_bytes // element_bytes)

    def skewed(offset: int) -> int:
        return offset + offset // element_bytes // gap * element_bytes

    return gap if _helps(target, others, skewed, device) else None


def _step(requests: Sequence[Request], element_bytes: int) -> int:
    """Rows must stay aligned for the widest access."""
    widest = max(request.width for request in requests)
    return max(1, -(-widest // element_bytes))


def _helps(target: Request, others: Sequence[Request], move: Callable[[int], int], device: Device) -> bool:
    after = _moved(target, move)
    if _cost(after, device) > hardware.ideal_wavefronts(after.offsets, after.width, after.op, device):
        return False
    return all(_cost(_moved(other, move), device) <= _cost(other, device) for other in others)


def _moved(request: Request, move: Callable[[int], int]) -> Request:
    offsets = tuple(None if offset is None else move(offset) for offset in request.offsets)
    return replace(request, offsets=offsets)


def _cost(request: Request, device: Device) -> int:
    return hardware.wavefronts(request.offsets, request.width, request.op, device)
