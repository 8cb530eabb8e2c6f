"""Walking the intermediate form: what an expression reads, what a statement evaluates and assigns, what stands inside it.

In: expressions, statements, bodies. Out: their parts, in program order. The one place that knows where the parts are.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.lowering import ir


def operands(e: ir.Expression) -> tuple[ir.Expression, ...]:
    match e:
        case ir.Unary() | ir.Convert():
            return (e.operand,)
        case ir.Binary():
            return (e.left, e.right)
        case ir.Select():
            return (e.condition, e.then, e.otherwise)
        case ir.Call():
            return e.arguments
        case ir.Unknown():
            return e.operands
    return ()


def walk_expression(e: ir.Expression) -> Iterator[ir.Expression]:
    stack = [e]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(operands(current))


def reads(e: ir.Expression) -> set[ir.Variable]:
    return {x.variable for x in walk_expression(e) if isinstance(x, ir.Read)}


def bodies(s: ir.Statement) -> tuple[ir.Body, ...]:
    match s:
        case ir.If():
            return (s.then, s.otherwise)
        case ir.Region():
            return (s.body,)
        case ir.Loop():
            return (s.header, s.body, s.step)
    return ()


def walk(body: ir.Body) -> Iterator[ir.Statement]:
    pending = [iter(body)]
    while pending:
        statement = next(pending[-1], None)
        if statement is None:
            pending.pop()
            continue
        yield statement
        pending += [iter(inner) for inner in reversed(bodies(statement))]


def expressions(s: ir.Statement) -> tuple[ir.Expression, ...]:
    """The expressions a statement evaluates itself (not those of its bodies)."""
    match s:
        case ir.Assign():
            return (s.value,)
        case ir.Load() | ir.Matrix():
            return (s.address,)
        case ir.Store():
            return (s.address, *(value for _, value in s.values))
        case ir.Atomic():
            return (s.address, *s.operands)
        case ir.Copy():
            return (s.destination, s.source)
        case ir.Shuffle():
            return (s.value, s.lane, s.width)
        case ir.Vote():
            return () if s.operand is None else (s.operand,)
        case ir.Barrier():
            return () if s.lanes is None else (s.lanes,)
        case ir.If() | ir.Assume():
            return (s.condition,)
        case ir.Loop():
            return () if s.condition is None else (s.condition,)
        case ir.Clobber():
            return s.pointers or ()
        case ir.HostLaunch():
            return (*s.grid, *s.block, s.dynamic_shared, *(value for _, value in s.arguments))
    return ()


def targets(s: ir.Statement) -> tuple[ir.Variable, ...]:
    """The variables a statement itself assigns."""
    match s:
        case ir.Assign():
            return (s.variable,)
        case ir.Load():
            return tuple(variable for _, variable in s.targets)
        case ir.Atomic():
            return () if s.target is None else (s.target,)
        case ir.Matrix():
            return s.targets
        case ir.Shuffle() | ir.Vote():
            return (s.target,)
        case ir.Allocate():
            return (s.target,)
    return ()
