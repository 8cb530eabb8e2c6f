"""Pointers that a launch points into one allocation: one object for whoever looks for races.

In: a kernel, its launch, the events of all sets of blocks. Out: the events, those of such parameters at
one object. Offsets count from the allocation's start already.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.base.dataclass import replace
from kernlint.execution.faults.lanes import EventSet
from kernlint.ir import nodes as ir
from kernlint.model import facts


def in_one_memory(
    kernel: ir.Kernel, launch: facts.Launch, sets: Sequence[EventSet]
) -> Sequence[EventSet]:
    if not launch.one_memory:
        return sets
    objects = {p.name: p.object for p in kernel.parameters if p.object is not None}
    first: dict[ir.MemoryObject, ir.MemoryObject] = {}
    for one, other in launch.one_memory:
        if one in objects and other in objects:
            first.setdefault(objects[other], first.get(objects[one], objects[one]))
    return [
        replace(
            some,
            events=[
                replace(event, target=first.get(event.target, event.target))
                for event in some.events
            ],
        )
        for some in sets
    ]
