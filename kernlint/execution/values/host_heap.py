"""The heap of host code: what `new` and malloc make, at addresses that are numbers, so that pointers
to it can be kept in memory like any integer.

In: sizes. Out: addresses, and the object that an address lies in. Nothing is ever freed.
"""

from __future__ import annotations

from kernlint.base.dataclass import dataclass, field
from kernlint.execution.values import sums
from kernlint.execution.values.sums import Sum
from kernlint.ir.nodes import Allocate, MemoryObject

START = 1 << 44  # above all that sizes and indices come to
APART = 1 << 32  # from one object to the next
MOST_BYTES = 1 << 16  # larger ones are data, which decide no launch
MALLOC_ALIGN = 16  # [basic.stc.dynamic.allocation] of the standard, on 64-bit systems


@dataclass(slots=True)
class HostHeap:
    objects: list[MemoryObject] = field(default_factory=list)
    _made_by: dict[MemoryObject, Allocate] = field(default_factory=dict)

    def allocate(self, s: Allocate, size: int) -> tuple[int, MemoryObject]:
        """A new object and its address."""
        made = MemoryObject(s.target.name, "local", s.target.type, size, MALLOC_ALIGN, s.span)
        self.objects.append(made)
        self._made_by[made] = s
        return START + (len(self.objects) - 1) * APART, made

    def checkpoint(self) -> int:
        """How many objects there are: none is ever changed or lost."""
        return len(self.objects)

    def restore(self, number: int) -> None:
        """Takes back what was made since."""
        for made in self.objects[number:]:
            del self._made_by[made]
        del self.objects[number:]

    def made_by(self, object_: MemoryObject) -> Allocate | None:
        return self._made_by.get(object_)

    def find(self, address: Sum) -> tuple[MemoryObject, Sum] | None:
        """The object that an address lies in for all lanes and iterations, and where in it."""
        low, high = address.low - START, address.high - START
        if low < 0 or low // APART != high // APART or high // APART >= len(self.objects):
            return None
        number = low // APART
        return self.objects[number], sums.add(address, sums.constant(-START - number * APART))

    def reached_from(self, number: int) -> MemoryObject | None:
        """The object whose address a number is, or lies in."""
        position = (number - START) // APART
        return self.objects[position] if 0 <= position < len(self.objects) else None
