"""Exchanges between lanes of a warp: shuffles and votes on known values.

In: known values over lanes. Out: known values, or None where they cannot be computed. Lanes that
are not active are taken to hold what they would compute: reading them is undefined in the source.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kernlint.execution.values.booleans import Bool, dense_bool
from kernlint.execution.values.sums import LANE, Array, Key, Sum, dense, of_array, union


def is_segment(width: int, warp: int) -> bool:
    """Whether a shuffle may take place in segments of `width` lanes: any other width is
    undefined."""
    return 0 < width <= warp and width & (width - 1) == 0


def shuffled(kind: str, value: Sum, lane: Sum, width: int, lanes: int, warp: int) -> Sum:
    """The value each of `lanes` lanes receives; kind idx | up | down | xor; width a power of two up
    to the warp's lanes."""
    key = union(value.key, lane.key, (LANE,))
    source = sources(kind, lane, width, lanes, warp, key)
    _, array = dense(value, key)
    full = np.broadcast_shapes(array.shape, source.shape, (1,) * (len(key) - 1) + (lanes,))
    result = np.take_along_axis(
        np.broadcast_to(array, full), np.broadcast_to(source, full), axis=-1
    )
    return of_array(key, np.ascontiguousarray(result))


def sources(kind: str, lane: Sum, width: int, lanes: int, warp: int, key: Key) -> Array:
    """The lane of the block that each lane reads, along the axes of `key`, which ends with lanes."""
    where = np.arange(lanes)
    own = where % warp
    segment = own // width * width
    _, operand = dense(lane, key)
    targets: dict[str, Callable[[Array], Array]] = {
        "idx": lambda o: segment + o % width,
        "up": lambda o: np.where(own - o < segment, own, own - o),
        "down": lambda o: np.where(own + o >= segment + width, own, own + o),
        "xor": lambda o: np.where((own ^ o) >= segment + width, own, own ^ o),
    }
    found: Array = np.clip(targets[kind](operand) + where - own, 0, lanes - 1)
    return found


def voted(kind: str, truth: Bool, mask: Bool, lanes: int, warp: int) -> Sum | None:
    """any | all | ballot | activemask over the active lanes of each warp; block_or | block_and |
    block_count over groups of `warp`."""
    key = union(truth.key, mask.key, (LANE,))
    _, active = dense_bool(mask, key)
    _, holds = dense_bool(truth, key)
    full = np.broadcast_shapes(active.shape, holds.shape, (1,) * (len(key) - 1) + (lanes,))
    active, holds = np.broadcast_to(active, full), np.broadcast_to(holds, full)
    shape = (*full[:-1], lanes // warp, warp)
    active, holds = active.reshape(shape), holds.reshape(shape)
    bits = np.left_shift(np.int64(1), np.arange(warp, dtype=np.int64) % 64)
    results: dict[str, Callable[[], Any]] = {
        "any": lambda: (active & holds).any(-1, keepdims=True).astype(np.int64),
        "all": lambda: (~active | holds).all(-1, keepdims=True).astype(np.int64),
        "ballot": lambda: np.where(active & holds, bits, 0).sum(-1, keepdims=True),
        "block_or": lambda: (active & holds).any(-1, keepdims=True).astype(np.int64),
        "block_and": lambda: (~active | holds).all(-1, keepdims=True).astype(np.int64),
        "block_count": lambda: (active & holds).sum(-1, keepdims=True).astype(np.int64),
        "activemask": lambda: np.where(active, bits, 0).sum(-1, keepdims=True),
    }
    if kind not in results:
        return None
    return of_array(
        key, np.ascontiguousarray(np.broadcast_to(results[kind](), shape)).reshape(full)
    )
