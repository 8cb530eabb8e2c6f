"""WaitingLanes that wait: at convergence barriers, at barriers of the block, for their warp.

In: groups of lanes that arrive. Out: groups that may go on. WaitingLanes are released when no other group
can run, which changes no count.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from kernlint.machine_code.values import Array

Key = tuple[str, int, int]  # kind, number, lanes that it needs (0: all of the block)


class WaitingLanes(Protocol):
    """What waiting needs of a machine."""

    live: Array
    shape: tuple[int, int]
    warp_shape: tuple[int, int, int]
    runnable: dict[int, Array]

    def resume(self, index: int, mask: Array) -> None: ...

    def give_up(self) -> None: ...


class Waiting:
    """`registered`: by convergence barrier the lanes that BSSY entered."""

    def __init__(self, machine: WaitingLanes) -> None:
        self.machine = machine
        self.registered: dict[int, Array] = {}
        self.groups: dict[Key, dict[int, Array]] = {}
        self.arrived: dict[Key, Array] = {}  # threads a block that arrived without waiting

    def clear(self) -> None:
        self.groups.clear()

    def register(self, barrier: int, mask: Array) -> None:
        present = self.registered.get(barrier)
        self.registered[barrier] = mask if present is None else present | mask

    def leave(self, barrier: int, mask: Array) -> None:
        present = self.registered.get(barrier)
        if present is not None:
            self.registered[barrier] = present & ~mask

    def missing(self, barrier: int, mask: Array) -> Array:
        """WaitingLanes that a convergence barrier still waits for."""
        present = self.registered.get(barrier)
        if present is None:
            return np.zeros_like(mask)
        return present & self.machine.live & ~mask

    def hold(self, key: Key, index: int, mask: Array) -> None:
        """Keep lanes; `index` is where they go on."""
        groups = self.groups.setdefault(key, {})
        present = groups.get(index)
        groups[index] = mask if present is None else present | mask

    def arrive(self, key: Key, mask: Array) -> None:
        count = mask.sum(axis=1)
        self.arrived[key] = self.arrived.get(key, np.zeros(len(mask), np.int64)) + count

    def release(self) -> bool:
        """Let go whom nothing holds any more; False where nobody waits. WaitingLanes that wait for ever
        end, and nothing of the launch is exact."""
        if not self.groups:
            return False
        for key in list(self.groups):
            self._release(key)
        if not self.machine.runnable:
            self.machine.give_up()
        return bool(self.machine.runnable)

    def _release(self, key: Key) -> None:
        groups = self.groups.pop(key)
        waiting = np.logical_or.reduce(list(groups.values()))
        free = waiting & self._free(key, waiting)
        for index, mask in groups.items():
            self.machine.resume(index, mask & free)
            if (mask & ~free).any():
                self.hold(key, index, mask & ~free)
        if key[0] == "convergence":
            self.leave(key[1], free)

    def _free(self, key: Key, waiting: Array) -> Array:
        """Which lanes are not held, by block or by warp."""
        kind, number, needed = key
        machine = self.machine
        if kind == "block":
            if not needed:
                return np.asarray(~(machine.live & ~waiting).any(axis=1, keepdims=True))
            arrived = self.arrived.get(key, np.zeros(len(waiting), np.int64))
            enough = waiting.sum(axis=1) + arrived >= needed
            self.arrived[key] = np.where(enough, 0, arrived)
            return np.asarray(enough[:, None])
        missing = machine.live & ~waiting if kind == "warp" else self.missing(number, waiting)
        held = missing.reshape(machine.warp_shape).any(axis=2, keepdims=True)
        return np.asarray(np.broadcast_to(~held, machine.warp_shape).reshape(machine.shape))
