"""Loads that a rotated loop shares with the code behind it.

A loop's test sits at its end in machine code. When the next iteration and the code after the loop
both begin with a load of the same place, nvcc loads once before the test and charges it to an
earlier line (measured: the barrier's that ends the body). In: a kernel. Out: the sites of such
loads. Looks at expressions only, not at values.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.ir import nodes as ir
from kernlint.ir.traversal import bodies, operands, targets, walk

Key = tuple[object, ...]


def _key(e: ir.Expression) -> Key:
    match e:
        case ir.Constant():
            return ("constant", e.value)
        case ir.Read():
            return ("read", e.variable)
        case ir.Builtin():
            return ("builtin", e.name)
        case ir.Address():
            return ("address", e.object)
        case ir.Convert():
            return _key(e.operand)
        case ir.Unary() | ir.Binary():
            return (e.op, *map(_key, operands(e)))
        case ir.Call():
            return (e.name, *map(_key, operands(e)))
    return ("other", e)


def _first_loads(body: ir.Body) -> Iterator[tuple[Key, ir.AccessSite]]:
    """Loads that a body begins with: nothing before them waits, writes or branches, and their
    address uses nothing assigned there."""
    assigned: set[ir.Variable] = set()
    for s in body:
        if isinstance(s, ir.Region):
            yield from _first_loads(s.body)
            return
        if isinstance(s, ir.Load) and not s.site.volatile:
            if not any(
                isinstance(x, ir.Read) and x.variable in assigned for x in _parts(s.address)
            ):
                yield _key(s.address), s.site
        elif not isinstance(s, (ir.Assign, ir.Load)):
            return
        assigned.update(targets(s))


def _parts(e: ir.Expression) -> Iterator[ir.Expression]:
    yield e
    for part in operands(e):
        yield from _parts(part)


def shared_with_exit(kernel: ir.Kernel) -> dict[ir.AccessSite, bool]:
    """With each whether barriers end the body and stand in front of the loop, which it is surely
    charged to."""
    found: dict[ir.AccessSite, bool] = {}
    for body in (kernel.body, *(b for s in walk(kernel.body) for b in bodies(s))):
        for at, s in enumerate(body):
            if (
                isinstance(s, ir.Loop)
                and not s.post_test
                and not any(isinstance(x, ir.Load) for x in s.header)
            ):
                after: dict[Key, list[ir.AccessSite]] = {}
                for key, site in _first_loads(body[at + 1 :]):
                    after.setdefault(key, []).append(site)
                is_at_barriers = _ends_in_barrier(body[:at]) and _ends_in_barrier(s.body)
                for key, site in _first_loads(s.body):
                    if key in after:
                        found.update(dict.fromkeys((site, *after[key]), is_at_barriers))
    return found


def _ends_in_barrier(body: ir.Body) -> bool:
    """But for what is computed in registers."""
    others = (s for s in reversed(body) if not isinstance(s, ir.Assign))
    return isinstance(next(others, None), ir.Barrier)
