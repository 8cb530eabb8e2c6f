"""What a register holds: 32 bits a lane, and how far they are known.

Arrays have the axes [blocks, threads]; an axis of length 1 stands for all of them, so that what
depends on the thread alone is computed once. `state` is None where every lane is known, else an
array of KNOWN, ASSUMED (computed as if a condition held that data decides) and UNKNOWN.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

KNOWN, ASSUMED, UNKNOWN = 0, 1, 2

Array = npt.NDArray[Any]
State = npt.NDArray[np.uint8] | None


class LaneValue:
    """Never changed after it was made, so one object may be kept as a key."""

    __slots__ = ("bits", "state")

    def __init__(self, bits: Array, state: State = None) -> None:
        self.bits = bits
        self.state = state


def scalar(value: int | bool, state: int = KNOWN) -> LaneValue:
    """One number for all lanes; a bool makes a predicate."""
    kind: Any = np.bool_ if isinstance(value, bool) else np.uint32
    number = value if isinstance(value, bool) else value & 0xFFFFFFFF
    return LaneValue(np.full((1, 1), number, kind), None if state == KNOWN else level(state))


def level(state: int) -> npt.NDArray[np.uint8]:
    return np.full((1, 1), state, np.uint8)


NOTHING = scalar(0, UNKNOWN)
NEITHER = scalar(False, UNKNOWN)
ZERO = scalar(0)
ALWAYS = scalar(True)


def worst(states: list[State]) -> State:
    """What is known of a result that depends on all of them."""
    present = [state for state in states if state is not None]
    if not present:
        return None
    result = present[0]
    for state in present[1:]:
        result = np.maximum(result, state)
    return settled(result)


def settled(state: State) -> State:
    """None instead of an array that says KNOWN everywhere."""
    return state if state is not None and state.any() else None


def merged(new: LaneValue, old: LaneValue, mask: Array) -> LaneValue:
    """`new` in the lanes of `mask`, `old` in the others."""
    bits = np.where(mask, new.bits, old.bits)
    if new.state is None and old.state is None:
        return LaneValue(bits)
    known = level(KNOWN)
    newer = known if new.state is None else new.state
    older = known if old.state is None else old.state
    return LaneValue(bits, settled(np.where(mask, newer, older)))


def weakened(value: LaneValue, mask: Array, state: int) -> LaneValue:
    """The value, of which the lanes of `mask` are at best `state`."""
    given = level(KNOWN) if value.state is None else value.state
    return LaneValue(value.bits, settled(np.where(mask, np.maximum(given, np.uint8(state)), given)))


def uncertain(value: LaneValue, mask: Array) -> Array | None:
    """The lanes of `mask` in which the value is not known, None for no lane."""
    if value.state is None:
        return None
    lanes = (value.state != KNOWN) & mask
    return lanes if lanes.any() else None
