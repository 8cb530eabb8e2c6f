"""What shared and local memory hold: bytes, and how far each is known.

Rows are blocks (shared memory) or lanes (local memory), columns bytes. What no store has written,
and what an unknown store may have overwritten, is UNKNOWN.
"""

from __future__ import annotations

import numpy as np

from kernlint.machine_code.values import KNOWN, UNKNOWN, Array, LaneValue, State, level, settled


class MemoryContents:
    """`size` bytes in each of `rows` rows."""

    def __init__(self, rows: int, size: int) -> None:
        self.size = size + 16
        self.bytes = np.zeros((rows, self.size), np.uint8)
        self.state = np.full((rows, self.size), UNKNOWN, np.uint8)

    def spoil(self, rows: Array | slice = slice(None)) -> None:
        self.state[rows] = UNKNOWN

    def load(
        self, rows: Array, addresses: Array, width: int, signed: bool, active: Array
    ) -> list[LaneValue]:
        """The words that the lanes of `active` read, [blocks, threads] each; others get UNKNOWN.
        `rows`: the row of each lane."""
        words = []
        inside = active & (addresses >= 0) & (addresses + width <= self.size)
        at = np.where(inside, addresses, 0)
        for start in range(0, width, 4):
            size = min(4, width)
            bits = np.zeros(active.shape, np.uint32)
            state = np.zeros(active.shape, np.uint8)
            for byte in range(size):
                bits |= self.bytes[rows, at + start + byte].astype(np.uint32) << np.uint32(8 * byte)
                state = np.maximum(state, self.state[rows, at + start + byte])
            if signed and size < 4:
                kept = np.int32(32 - 8 * size)
                bits = (bits.view(np.int32) << kept >> kept).view(np.uint32)
            words.append(LaneValue(bits, settled(np.where(inside, state, np.uint8(UNKNOWN)))))
        return words

    def store(
        self,
        rows: Array,
        addresses: Array,
        width: int,
        words: list[LaneValue],
        active: Array,
        doubt: State,
    ) -> None:
        """Write the lanes of `active`; what `doubt` marks becomes no better known than it says."""
        inside = active & (addresses >= 0) & (addresses + width <= self.size)
        row, at = np.broadcast_to(rows, active.shape)[inside], addresses[inside]
        least = level(KNOWN) if doubt is None else doubt
        for start in range(0, width, 4):
            word = words[start // 4]
            bits = np.broadcast_to(word.bits, active.shape)[inside]
            given = least if word.state is None else np.maximum(word.state, least)
            state = np.broadcast_to(given, active.shape)[inside]
            for byte in range(min(4, width)):
                self.bytes[row, at + start + byte] = (bits >> np.uint32(8 * byte)).astype(np.uint8)
                self.state[row, at + start + byte] = state
