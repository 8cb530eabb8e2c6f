"""The smallest padding, or a skew, that takes the bank conflicts out of a measured request.

Goes in: byte offsets of lanes in an array, its row length, the device. Comes out: how many elements to add, checked with the
hardware model against every known request on the array, or None. Never a rule of thumb that was not counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kernlint import hardware
from kernlint.hardware import Device

Offsets = tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Request:
    """One warp request on the array: byte offsets from its start, width and operation as the hardware model names them."""

    offsets: Offsets
    width: int
    op: str


def smallest_padding(target: Request, others: Sequence[Request], row_bytes: int, element_bytes: int, device: Device) -> int | None:
    """Elements to add to the innermost dimension so that `target` is ideal and no other request gets worse; None when none will do."""
    if row_bytes <= 0 or element_bytes <= 0 or row_bytes % element_bytes:
        return None

    def padded(pad: int) -> Callable[[int], int]:
        return lambda offset: offset // row_bytes * (row_bytes + pad * element_bytes) + offset % row_bytes

    step = _step([target, *others], element_bytes)
    span = device.banks * max(device.bank_bytes, element_bytes) // element_bytes
    return next((pad for pad in range(step, span + 1, step) if _helps(target, others, padded(pad), device)), None)


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
    return Request(offsets, request.width, request.op)


def _cost(request: Request, device: Device) -> int:
    return hardware.wavefronts(request.offsets, request.width, request.op, device)
