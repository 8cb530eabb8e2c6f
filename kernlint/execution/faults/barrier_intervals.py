"""Which accesses may be made between the same barriers at all.

In: events of one object, a scope. Out: groups of them that share no interval between barriers of that
scope with those of another group. Decided by the counts of barriers alone, without a look at single
lanes: a tile that is filled before a barrier and read behind it falls into two groups.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from kernlint.base.dataclass import replace
from kernlint.execution.faults.lanes import NumberedEvents
from kernlint.execution.faults.order import READ, Event
from kernlint.execution.values.sums import BLOCK, Sum, dense

MOST_COUNTS = 1 << 14  # of an event: lanes and iterations
OF_SCOPE = {"block": 0, "warp": 1, "grid": 2}  # in `Passed.of_memory`


def meeting(sets: Sequence[NumberedEvents], scope: str) -> Iterator[Sequence[NumberedEvents]]:
    """The groups in which something is written, each with its events by set."""
    events = [event for some in sets for _, event in some.numbered]
    groups = _groups([_counts(event, scope) for event in events])
    if groups is None:
        yield sets
        return
    writing = {group for group, event in zip(groups, events, strict=True) if event.kind != READ}
    for wanted in sorted(writing):
        group = iter(groups)
        chosen = [
            replace(some, numbered=[one for one in some.numbered if next(group) == wanted])
            for some in sets
        ]
        yield [some for some in chosen if some.numbered]


def _counts(event: Event, scope: str) -> frozenset[int] | None:
    """The numbers of barriers that threads have passed; None: not looked at."""
    passed = event.passed.of_memory(event.target.space)[OF_SCOPE[scope]]
    if passed.is_constant:
        return frozenset((passed.const,))
    return None if _is_long(passed) else frozenset(np.unique(dense(passed)[1]).tolist())


def _is_long(passed: Sum) -> bool:
    entries = 1
    for key, array in passed.parts.items():
        entries *= array.size
        if BLOCK in key:
            return True
    return entries > MOST_COUNTS


def _groups(counts: Sequence[frozenset[int] | None]) -> list[int] | None:
    """By event the number of its group; None where all are taken for one."""
    found: list[frozenset[int]] = []
    for own in counts:
        if not own:
            return None
        met = [group for group in found if group & own]
        found = [group for group in found if group not in met] + [own.union(*met)]
    return [_position(own, found) for own in counts if own is not None]


def _position(own: frozenset[int], groups: Sequence[frozenset[int]]) -> int:
    return next(i for i, group in enumerate(groups) if group & own)
