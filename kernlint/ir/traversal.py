"""Walking the intermediate form: what an expression reads, what a statement evaluates and assigns,
what stands inside it.

In: expressions, statements, bodies. Out: their parts, in program order. The one place that knows
where the parts are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from kernlint.ir import nodes as ir

_OPERANDS: dict[type, Callable[[Any], tuple[ir.Expression, ...]]] = {
    ir.Unary: lambda e: (e.operand,),
    ir.Convert: lambda e: (e.operand,),
    ir.Binary: lambda e: (e.left, e.right),
    ir.Select: lambda e: (e.condition, e.then, e.otherwise),
    ir.Call: lambda e: e.arguments,
    ir.Unknown: lambda e: e.operands,
}


def operands(e: ir.Expression) -> tuple[ir.Expression, ...]:
    parts = _OPERANDS.get(type(e))
    return () if parts is None else parts(e)


def walk_expression(e: ir.Expression) -> Iterator[ir.Expression]:
    stack = [e]
    while stack:
        current = stack.pop()
        yield current
        parts = _OPERANDS.get(type(current))
        if parts is not None:
            stack.extend(parts(current))


def reads(e: ir.Expression) -> set[ir.Variable]:
    found: set[ir.Variable] = set()
    stack = [e]
    while stack:
        current = stack.pop()
        parts = _OPERANDS.get(type(current))
        if parts is not None:
            stack.extend(parts(current))
        elif isinstance(current, ir.Read):
            found.add(current.variable)
    return found


def unconverted(e: ir.Expression) -> ir.Expression:
    """The expression without the conversions around it."""
    while isinstance(e, ir.Convert):
        e = e.operand
    return e


def constant_value(e: ir.Expression) -> int | float | None:
    """The value of a constant, whatever it is converted to; None of other expressions."""
    e = unconverted(e)
    return e.value if isinstance(e, ir.Constant) else None


_BODIES: dict[type, Callable[[Any], tuple[ir.Body, ...]]] = {
    ir.If: lambda s: (s.then, s.otherwise),
    ir.Region: lambda s: (s.body,),
    ir.Loop: lambda s: (s.header, s.body, s.step),
}


def bodies(s: ir.Statement) -> tuple[ir.Body, ...]:
    parts = _BODIES.get(type(s))
    return () if parts is None else parts(s)


def ends_by_leaving(body: ir.Body) -> bool:
    """Whether what runs a body does not come to what follows it."""
    return bool(body) and isinstance(body[-1], ir.Leave)


def walk(body: ir.Body) -> Iterator[ir.Statement]:
    pending = list(reversed(body))
    while pending:
        statement = pending.pop()
        yield statement
        parts = _BODIES.get(type(statement))
        if parts is not None:
            for inner in reversed(parts(statement)):
                pending.extend(reversed(inner))


_EXPRESSIONS: dict[type, Callable[[Any], tuple[ir.Expression, ...]]] = {
    ir.Assign: lambda s: (s.value,),
    ir.Load: lambda s: (s.address,),
    ir.Matrix: lambda s: (s.address,),
    ir.Store: lambda s: (s.address, *(value for _, value in s.values)),
    ir.Atomic: lambda s: (s.address, *s.operands),
    ir.Copy: lambda s: (s.destination, s.source),
    ir.CopyGroup: lambda s: () if s.pending is None else (s.pending,),
    ir.Shuffle: lambda s: (s.value, s.lane, s.width),
    ir.Vote: lambda s: () if s.operand is None else (s.operand,),
    ir.Barrier: lambda s: tuple(e for e in (s.lanes, s.name, s.threads) if e is not None),
    ir.If: lambda s: (s.condition,),
    ir.Assume: lambda s: (s.condition,),
    ir.Loop: lambda s: () if s.condition is None else (s.condition,),
    ir.Clobber: lambda s: s.pointers or (),
    ir.Allocate: lambda s: () if s.bytes is None else (s.bytes,),
    ir.HostLaunch: lambda s: (
        *s.grid,
        *s.block,
        s.dynamic_shared,
        *(value for _, value in s.arguments),
        *(s.cluster or ()),
    ),
}


def expressions(s: ir.Statement) -> tuple[ir.Expression, ...]:
    """The expressions a statement evaluates itself (not those of its bodies)."""
    found = _EXPRESSIONS.get(type(s))
    return () if found is None else found(s)


def all_expressions(s: ir.Statement) -> tuple[ir.Expression, ...]:
    """As `expressions`, with the values that are not tracked."""
    match s:
        case ir.Store():
            return *expressions(s), *(value for _, value in s.untracked)
        case ir.Taken():
            return *expressions(s), *s.values
    return expressions(s)


def read_by(s: ir.Statement) -> set[ir.Variable]:
    """The variables that a statement itself reads, those of values that are not tracked too."""
    return set().union(*map(reads, all_expressions(s)))


_TARGETS: dict[type, Callable[[Any], tuple[ir.Variable, ...]]] = {
    ir.Assign: lambda s: (s.variable,),
    ir.Load: lambda s: tuple(variable for _, variable in s.targets),
    ir.Atomic: lambda s: () if s.target is None else (s.target,),
    ir.Matrix: lambda s: s.targets,
    ir.Shuffle: lambda s: (s.target,),
    ir.Vote: lambda s: (s.target,),
    ir.Allocate: lambda s: (s.target,),
}


def targets(s: ir.Statement) -> tuple[ir.Variable, ...]:
    """The variables a statement itself assigns."""
    found = _TARGETS.get(type(s))
    return () if found is None else found(s)


def sites(s: ir.Statement) -> tuple[ir.AccessSite, ...]:
    """The memory accesses that a statement makes itself."""
    match s:
        case ir.Load() | ir.Store() | ir.Atomic() | ir.Matrix():
            return (s.site,)
        case ir.Copy():
            return (s.source_site, s.destination_site)
    return ()


Left = Mapping[ir.Statement, frozenset[ir.Label | None]]


def left_to(body: ir.Body, around: tuple[type, ...]) -> Left:
    """Of each statement, the labels around it to which something in it leaves, and None where it
    ends the thread. `around`: the statements of which the labels count as inside."""
    found: dict[ir.Statement, frozenset[ir.Label | None]] = {}
    for s in reversed(tuple(walk(body))):  # what is inside a statement stands behind it
        own: set[ir.Label | None] = {x for b in bodies(s) for inner in b for x in found[inner]}
        if isinstance(s, (ir.Leave, ir.Trap)):
            own.add(s.label if isinstance(s, ir.Leave) else None)
        elif isinstance(s, (ir.Region, ir.Loop)) and isinstance(s, around):
            own.discard(s.label)
        found[s] = frozenset(own)
    return found
