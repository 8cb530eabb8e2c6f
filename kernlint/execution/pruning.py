"""Host code cut down to what launches depend on.

In: a host body. Out: the same without statements that neither launch nor feed a launch nor decide whether one is reached. Error exits
(`if (error) exit(1)`) are taken not to happen.
"""

from __future__ import annotations

from dataclasses import replace

from kernlint.execution.slicing import Slice, needed, targets, walk
from kernlint.lowering import ir


def pruned(body: ir.Body) -> ir.Body:
    body = _cut(body, None)
    while True:
        slice_ = needed(body)
        smaller = _cut(body, slice_)
        if _size(smaller) == _size(body):
            return smaller
        body = smaller


def _size(body: ir.Body) -> int:
    return sum(1 for _ in walk(body))


def _matters(s: ir.Statement, slice_: Slice | None) -> bool:
    """Whether running `s` can change which launches happen, or their values."""
    for inner in walk((s,)):
        if isinstance(inner, (ir.HostLaunch, ir.Allocate)):
            return True
        if isinstance(inner, ir.Store) and (slice_ is None or slice_.objects):
            return True
        if slice_ is None and targets(inner):
            return True
        if slice_ is not None and any(t in slice_.variables for t in targets(inner)):
            return True
    return False


def _leaves(s: ir.Statement) -> bool:
    inner = list(walk((s,)))
    own = {x.label for x in inner if isinstance(x, (ir.Region, ir.Loop))}
    return any(isinstance(x, ir.Leave) and x.label not in own for x in inner)


def _cut(body: ir.Body, slice_: Slice | None) -> ir.Body:
    kept: list[ir.Statement] = []
    for s in body:
        match s:
            case ir.If() | ir.Loop() | ir.Region():
                if not _matters(s, slice_) and not _leaves(s):
                    continue
                kept.append(_inside(s, slice_))
            case ir.Leave() | ir.HostLaunch() | ir.Allocate():
                kept.append(s)
            case ir.Trap() | ir.Assume() | ir.Barrier():
                continue
            case _:
                if _matters(s, slice_):
                    kept.append(s)
    return tuple(kept)


def _inside(s: ir.If | ir.Loop | ir.Region, slice_: Slice | None) -> ir.Statement:
    match s:
        case ir.If():
            return replace(s, then=_cut(s.then, slice_), otherwise=_cut(s.otherwise, slice_))
        case ir.Loop():
            return replace(s, header=_cut(s.header, slice_), body=_cut(s.body, slice_), step=_cut(s.step, slice_))
    return replace(s, body=_cut(s.body, slice_))
