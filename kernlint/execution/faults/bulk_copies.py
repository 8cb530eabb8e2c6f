"""Reads of what a bulk copy (TMA, `cuda::memcpy_async`) brings, with nothing before them that waits.

In: a lowered body. Out: `Unwaited`s. A copy runs beside its thread until a wait on its mbarrier, its
`cuda::barrier` or its group says that it is complete; a barrier of the block does not (PTX ISA,
cp.async.bulk). Whatever may wait ends the search, so what is found has no wait at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kernlint.execution.faults.copies import Unwaited
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import expressions, targets, walk, walk_expression

_COPIES = re.compile(
    r"^cp\.async\.bulk\.(tensor\.\w+\.)?shared::\w+\.global|^cuda::(device::)?memcpy_async(_tx)?$"
    r"|(^|::)cp_async_bulk(_tensor(_\dd)?(_global_to_shared)?|_global_to_shared)?$"
)
# what sets up or signals such barriers; none of it lets a thread wait
_GOES_ON = re.compile(
    r"^(mbarrier\.(init|inval|arrive|expect_tx|complete_tx)|cp\.async\.bulk\.(?!wait)|fence\.)"
    r"|(^|::)(init|arrive|arrive_tx|expect_tx|barrier_(arrive|expect)_tx|mbarrier_(init|inval)"
    r"|mbarrier_arrive\w*|mbarrier_expect_tx|fence_\w+|cde_fence|cp_async_bulk(?!_wait)\w*"
    r"|(device::)?memcpy_async(_tx)?)$"
)


def goes_on(s: ir.Clobber) -> bool:
    """Whether a function that is not followed lets no thread wait for others."""
    return _GOES_ON.search(s.what) is not None


def unwaited_bulk_copies(body: ir.Body) -> list[Unwaited]:
    statements = list(walk(body))
    copies = [s for s in statements if isinstance(s, ir.Clobber) and _COPIES.search(s.what)]
    if not copies:
        return []
    made = _values(statements)
    always = set(body)
    pending: dict[ir.MemoryObject, ir.Clobber] = {}
    found: dict[ir.AccessSite, Unwaited] = {}
    for s in statements:
        if _may_wait(s):
            pending.clear()
        elif isinstance(s, ir.Clobber) and s in copies and s.pointers:
            reached = set(_objects(s.pointers[0], made))
            if len(reached) == 1 and (memory := reached.pop()).space == "shared":
                pending[memory] = s
        elif isinstance(s, ir.Store):
            for memory in _objects(s.address, made):
                pending.pop(memory, None)
        elif isinstance(s, ir.Load):
            for memory in set(_objects(s.address, made)) & pending.keys():
                where = memory, s.site, _site(pending[memory])
                found.setdefault(s.site, Unwaited(*where, 0, 0, 0, s in always))
    return list(found.values())


def _values(statements: Sequence[ir.Statement]) -> dict[ir.Variable, list[ir.Expression]]:
    """What variables are assigned."""
    found: dict[ir.Variable, list[ir.Expression]] = {}
    for s in statements:
        if isinstance(s, ir.Assign):
            found.setdefault(s.variable, []).append(s.value)
        else:
            for variable in targets(s):
                found.setdefault(variable, [])
    return found


def _objects(
    e: ir.Expression, made: dict[ir.Variable, list[ir.Expression]]
) -> Iterator[ir.MemoryObject]:
    """The objects whose addresses an expression is made of."""
    pending, seen = [e], set[ir.Variable]()
    while pending:
        for part in walk_expression(pending.pop()):
            if isinstance(part, ir.Address):
                yield part.object
            elif isinstance(part, ir.Read) and part.variable not in seen:
                seen.add(part.variable)
                pending += made.get(part.variable, [])


def _may_wait(s: ir.Statement) -> bool:
    if isinstance(s, ir.Clobber):
        return not goes_on(s)
    if isinstance(s, ir.CopyGroup):
        return s.operation.startswith("wait")
    return tests_a_wait(s)


def tests_a_wait(s: ir.Statement) -> bool:
    """Whether a statement asks whether something is complete: `mbarrier.try_wait`."""
    parts = (part for e in expressions(s) for part in walk_expression(e))
    return any(isinstance(part, ir.Unknown) and "wait" in part.what for part in parts)


def _site(copy: ir.Clobber) -> ir.AccessSite:
    return ir.AccessSite(copy.span, copy.what, "copy", "copy", (), copy.span.line)
