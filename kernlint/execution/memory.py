"""Integers and pointers in shared, local and constant arrays, tracked while every store is known.

In: stores and loads at known byte offsets. Out: the values loaded, where all of them are known. An
unknown store forgets. Contents are held per block and, for local objects, per lane. A pointer is
held as the number of what it points into and the offset from there.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import numpy as np

from kernlint.base.dataclass import dataclass, field, replace
from kernlint.execution.values.booleans import Bool, dense_bool
from kernlint.execution.values.sums import (
    BLOCK,
    DENSE_LIMIT,
    LANE,
    Array,
    Key,
    Sum,
    dense,
    of_array,
    union,
    wrapped64,
)
from kernlint.execution.values.undo_log import refill
from kernlint.execution.values.values import Atom
from kernlint.ir import nodes as ir

MOST_ELEMENTS = 1 << 20
POINTER = -8  # the width by which elements that hold pointers are told from integers of 8 bytes
# bits of a pointer's offset; the others number what it points into, from 1 on
OFFSET_BITS = 44
FAR = 1 << (OFFSET_BITS - 1)


@dataclass(slots=True)
class Contents:
    """Elements of `width` bytes: `data` and `known`, [blocks or 1, lanes or 1, elements]."""

    width: int
    data: Array
    known: Array


Kept = tuple[ir.MemoryObject, int]  # an object, and the width of elements; 0: that it was forgotten
Terms = Mapping[Atom, Sum]
MemoryCheckpoint = tuple[dict[Kept, Contents], dict[object, int]]


@dataclass(frozen=True, slots=True, eq=False)
class KeptPointers:
    """What pointers point into, one place for all, and their offsets from there."""

    base: Terms
    offset: Sum


@dataclass(slots=True)
class TrackedMemory:
    """The contents of the objects in `tracked` (the others are never asked for), which may have
    elements of several widths, as arrays of structures do. `hidden`: objects that no pointer
    reaches, which what is done through one that is not known leaves alone."""

    tracked: frozenset[ir.MemoryObject]
    sizes: dict[int, int]  # axis sizes; changes as loops open and close
    dynamic_bytes: int | None
    hidden: frozenset[ir.MemoryObject] = frozenset()
    versions: dict[object, int] = field(default_factory=dict)
    _contents: dict[Kept, Contents] = field(default_factory=dict)
    # what pointers point into, by number, and the numbers
    _bases: list[Terms] = field(default_factory=list)
    _numbers: dict[Hashable, int] = field(default_factory=dict)

    def checkpoint(self) -> MemoryCheckpoint:
        """The contents as they are; the next store into any of them makes a copy first
        (`_widen`)."""
        found = {}
        for kept, contents in self._contents.items():
            contents.data.flags.writeable = contents.known.flags.writeable = False
            found[kept] = replace(contents)
        return found, dict(self.versions)

    def restore(self, checkpoint: MemoryCheckpoint) -> None:
        contents, versions = checkpoint
        refill(self._contents, {kept: replace(one) for kept, one in contents.items()})
        refill(self.versions, versions)

    def version(self, object_: ir.MemoryObject | None) -> tuple[object, int]:
        """Changes whenever the contents that a load from `object_` sees may have changed."""
        domain: object = "global" if object_ is None or object_.space == "global" else object_
        return domain, self.versions.get(domain, 0) + self.versions.get("all", 0)

    def touch(self, object_: ir.MemoryObject | None) -> None:
        domain = self.version(object_)[0] if object_ is not None else "all"
        self.versions[domain] = self.versions.get(domain, 0) + 1

    def forget(
        self,
        object_: ir.MemoryObject | None,
        kept: frozenset[ir.MemoryObject] = frozenset(),
    ) -> None:
        """An unknown store into `object_`, or anywhere but in those `kept`."""
        self.touch(object_)
        if object_ is None:
            for tracked in self.tracked - kept:
                if tracked.space != "constant" and tracked not in self.hidden:
                    self._empty(tracked)
        elif object_ in self.tracked:
            self._empty(object_)

    def numbers_in(self, object_: ir.MemoryObject) -> list[int]:
        """The known elements that are as wide as a pointer."""
        held = (c for (kept, _), c in self._contents.items() if kept is object_ and c.width == 8)
        return [int(number) for one in held for number in one.data[one.known]]

    def _empty(self, object_: ir.MemoryObject) -> None:
        for kept in [key for key in self._contents if key[0] is object_] + [(object_, 0)]:
            self._contents[kept] = _nothing()

    def knows(self, spaces: frozenset[str]) -> bool:
        """Whether any contents are known that stores into these memory spaces ("": any) may
        change."""
        reached = (
            o for o in self.tracked if o.space != "constant" and ("" in spaces or o.space in spaces)
        )
        held: dict[ir.MemoryObject, bool] = {}
        for (object_, _), contents in self._contents.items():
            held[object_] = held.get(object_, False) or bool(contents.known.any())
        return any(held.get(o, o.initial is not None) for o in reached)

    def _open(self, object_: ir.MemoryObject, kind: int) -> Contents | None:
        """`kind`: the width of the elements, or POINTER."""
        kept, width = (object_, kind), abs(kind)
        contents = self._contents.get(kept)
        if contents is None:
            is_forgotten = (object_, 0) in self._contents
            contents = _nothing() if is_forgotten else self._initial(object_, kind)
            self._contents[kept] = contents
        if contents.width == 0 and contents.data.shape[2] == 0:
            size = (
                object_.size
                if object_.size is not None
                else self.dynamic_bytes
                if object_.dynamic
                else None
            )
            if size is None or size // width > MOST_ELEMENTS:
                return None
            shape = (1, 1, size // width)
            contents = self._contents[kept] = Contents(
                width, np.zeros(shape, np.int64), np.zeros(shape, bool)
            )
        return contents

    def _initial(self, object_: ir.MemoryObject, width: int) -> Contents:
        if (
            object_.initial is None
            or object_.size is None
            or len(object_.initial) * width != object_.size
        ):
            return _nothing()
        data = np.asarray(
            [wrapped64(int(value)) for value in object_.initial], dtype=np.int64
        ).reshape(1, 1, -1)
        return Contents(width, data, np.ones_like(data, dtype=bool))

    def store(
        self,
        object_: ir.MemoryObject,
        offset: Sum,
        value: Sum | None,
        mask: Bool,
        certain: bool,
        kind: int,
        base: int = 0,
    ) -> None:
        """Stores `value` (None: unknown) at byte `offset` from the object's start by the lanes of
        `mask` (`certain`: exactly those). `base`: the number of what a pointer points into, where
        `value` is its offset."""
        width = abs(kind)
        if (
            object_.space == "global"
        ):  # other blocks store there too, in an order that is not defined
            self.forget(object_)
            return
        self.touch(object_)
        if object_ not in self.tracked:
            return
        if object_.initial is not None and object_.size is not None:
            self._open(object_, object_.size // max(len(object_.initial), 1))
        contents = self._open(object_, kind)
        axes = union(offset.key, mask.key, () if value is None else value.key, (LANE,))
        size = int(np.prod([self.sizes[a] for a in axes]))
        if contents is None or size > DENSE_LIMIT:
            self.forget(object_)
            return
        full = tuple(self.sizes[a] for a in axes)
        active = np.broadcast_to(dense_bool(mask, axes)[1], full)
        where = np.broadcast_to(dense(offset, axes)[1], full)
        chosen = where[active]
        if (
            (chosen % width).any()
            or (chosen < 0).any()
            or (chosen >= contents.data.shape[2] * width).any()
        ):
            self.forget(object_)
            return
        self._overwrite(object_, chosen, kind)
        self._widen(contents, object_, axes)
        index = self._index(contents, axes, full, active)
        position = (*index, chosen // width)
        if value is None or not certain:
            contents.known[position] = False
        else:
            values = np.broadcast_to(dense(value, axes)[1], full)[active]
            near = (abs(values) < FAR).all() if kind == POINTER else True
            values = values + (base << OFFSET_BITS)
            contents.data[position] = values
            contents.known[position] = near
            if set(axes) <= {BLOCK, LANE}:  # lanes that store different values at one address race
                kept = contents.data[position]
                raced = (kept != values).any(axis=0) if kept.ndim > 1 else kept != values
                contents.known[
                    (
                        *(i if isinstance(i, (int, slice)) else i[raced] for i in position[:2]),
                        position[2][raced],
                    )
                ] = False

    def _overwrite(self, object_: ir.MemoryObject, offsets: Array, kind: int) -> None:
        """Elements of other widths that a store changes are no longer known."""
        width = abs(kind)
        for (kept, other_kind), contents in self._contents.items():
            if kept is not object_ or other_kind == kind or not contents.data.shape[2]:
                continue
            other = abs(other_kind)
            contents.known = contents.known.copy()
            for byte in range(0, width, min(width, other)):
                inside = (offsets + byte) // other
                contents.known[:, :, inside[inside < contents.known.shape[2]]] = False

    def _widen(self, contents: Contents, object_: ir.MemoryObject, axes: Key) -> None:
        blocks = self.sizes[BLOCK] if BLOCK in axes else contents.data.shape[0]
        lanes = self.sizes[LANE] if object_.space == "local" else 1
        shape = (max(blocks, contents.data.shape[0]), lanes, contents.data.shape[2])
        if shape != contents.data.shape:
            contents.data = np.broadcast_to(contents.data, shape).copy()
            contents.known = np.broadcast_to(contents.known, shape).copy()
        elif not contents.data.flags.writeable:
            contents.data, contents.known = contents.data.copy(), contents.known.copy()

    def _index(
        self, contents: Contents, axes: Key, full: tuple[int, ...], active: Array
    ) -> tuple[Array | int | slice, Array | int]:
        def along(axis: int) -> Array:
            shape = tuple(n if a == axis else 1 for a, n in zip(axes, full, strict=True))
            return np.broadcast_to(np.arange(self.sizes[axis]).reshape(shape), full)[active]

        block: Array | int | slice = 0
        if contents.data.shape[0] > 1:
            block = along(BLOCK) if BLOCK in axes else slice(None)
        return block, along(LANE) if contents.data.shape[1] > 1 else 0

    def load(self, object_: ir.MemoryObject, offset: Sum, mask: Bool, width: int) -> Sum | None:
        """The values at byte `offset`, when all that active lanes read are known. Inactive lanes
        read anything."""
        found = self._read(object_, offset, mask, width)
        return None if found is None else of_array(found[0], found[1])

    def extremes(self, object_: ir.MemoryObject, width: int) -> tuple[int, int] | None:
        """The least and the greatest of an object's elements, when all are known."""
        if object_ not in self.tracked:
            return None
        contents = self._open(object_, width)
        if contents is None or not contents.data.size or not contents.known.all():
            return None
        return int(contents.data.min()), int(contents.data.max())

    def number_of(self, terms: Terms, identity: Hashable) -> int:
        """The number by which pointers into one place are told from others; 0 where it is a plain
        number."""
        if not terms:
            return 0
        known = self._numbers.get(identity)
        if known is None:
            self._bases.append(terms)
            known = self._numbers[identity] = len(self._bases)
        return known

    def load_pointer(
        self, object_: ir.MemoryObject, offset: Sum, mask: Bool
    ) -> KeptPointers | Key | None:
        """The pointers at byte `offset` that active lanes read; the axes along which they point into
        different places."""
        found = self._read(object_, offset, mask, POINTER)
        if found is None:
            return None
        axes, held, active = found
        numbers = (held + FAR) >> OFFSET_BITS
        chosen = numbers[active]
        number = int(chosen.flat[0]) if chosen.size else 0
        if (chosen != number).any():
            return tuple(a for i, a in enumerate(axes) if (numbers != numbers.take([0], i)).any())
        offsets = np.where(numbers == number, held - (number << OFFSET_BITS), 0)
        return KeptPointers(self._bases[number - 1] if number else {}, of_array(axes, offsets))

    def _read(
        self, object_: ir.MemoryObject, offset: Sum, mask: Bool, kind: int
    ) -> tuple[Key, Array, Array] | None:
        """Axes, contents along them, and where lanes are active."""
        width = abs(kind)
        if object_ not in self.tracked:
            return None
        contents = self._open(object_, kind)
        if contents is None:
            return None
        axes = union(offset.key, mask.key if not mask.is_true else ())
        if contents.data.shape[0] > 1:
            axes = union(axes, (BLOCK,))
        if contents.data.shape[1] > 1:
            axes = union(axes, (LANE,))
        if int(np.prod([self.sizes[a] for a in axes])) > DENSE_LIMIT:
            return None
        full = tuple(self.sizes[a] for a in axes)
        where = np.broadcast_to(dense(offset, axes)[1], full)
        active = np.broadcast_to(dense_bool(mask, axes)[1], full)
        element = where // width
        inside = (where >= 0) & (element < contents.data.shape[2]) & (where % width == 0)
        if (active & ~inside).any():
            return None
        everywhere = np.ones(full, bool)
        block, lane = self._index(contents, axes, full, everywhere)
        position = (block, lane, np.where(inside, element, 0).reshape(-1))
        if (active.reshape(-1) & ~contents.known[position]).any():
            return None
        return axes, contents.data[position].reshape(full), active


def _nothing() -> Contents:
    return Contents(0, np.zeros((1, 1, 0)), np.zeros((1, 1, 0)))
