"""How large nvcc takes a body to be when it decides whether to unroll a loop.

In: a body whose inner loops are run out, and their counts. Out: instructions of LLVM's, at most.
Functions of the mathematical library are put in place before that: what each adds was read from the
greatest number of iterations with which a loop that loads, calls it and adds up was unrolled in
full (150 functions of single and double precision and of half types, nvcc 13.0 for sm_90;
tests/optimizer/loops/test_run_out.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from kernlint.ir import nodes as ir
from kernlint.ir.functions import find
from kernlint.ir.traversal import expressions, targets, walk, walk_expression
from kernlint.ir.types import Float, Type

MADE = (ir.Binary, ir.Unary, ir.Call, ir.Select)
FREE = ("+", "-", "*")  # of indices: constant offsets of an address, once unrolled
OTHER = 80  # a function that stands in no table
DIVISION = 5


def instructions(body: ir.Body, trips: Mapping[ir.Loop, int]) -> int:
    """What LLVM counts of a body at most, once its inner loops are run out: loads, stores, what is
    computed, and what of an index is more than a sum."""
    data = _data(body)
    return sum(_own(s, data) * times for s, times in _executed(body, trips, 1))


def requests(body: ir.Body, trips: Mapping[ir.Loop, int]) -> int:
    """How often a body loads and stores what does not lie in arrays of the thread."""
    executed = (
        (s, times) for s, times in _executed(body, trips, 1) if isinstance(s, (ir.Load, ir.Store))
    )
    return sum(times for s, times in executed if not in_registers(s.address))


def _executed(
    body: ir.Body, trips: Mapping[ir.Loop, int], times: int
) -> Iterator[tuple[ir.Statement, int]]:
    for s in body:
        yield s, times
        match s:
            case ir.If():
                yield from _executed((*s.then, *s.otherwise), trips, times)
            case ir.Region():
                yield from _executed(s.body, trips, times)
            case ir.Loop():  # its counter is none any more
                yield from _executed((*s.header, *s.body), trips, times * trips.get(s, 1))


def _data(body: ir.Body) -> set[ir.Variable]:
    """The variables that hold what is loaded, or what is made of it."""
    statements = list(walk(body))
    found = {v for s in statements if not isinstance(s, ir.Assign) for v in targets(s)}
    assigned = [s for s in statements if isinstance(s, ir.Assign)]
    while more := {
        s.variable for s in assigned if s.variable not in found and _is_data(s.value, found)
    }:
        found |= more
    return found


def _is_data(e: ir.Expression, data: set[ir.Variable]) -> bool:
    return any(
        isinstance(x.type, Float) or (isinstance(x, ir.Read) and x.variable in data)
        for x in walk_expression(e)
    )


def _own(s: ir.Statement, data: set[ir.Variable]) -> int:
    match s:
        case ir.Load() | ir.Store():
            values = [e for _, e in (*s.values, *s.untracked)] if isinstance(s, ir.Store) else []
            return (
                (not in_registers(s.address))
                + _index(s.address)
                + sum(_made(e, data) for e in values)
            )
        case ir.If():
            return 1 + _made(s.condition, data)
        case ir.Loop() | ir.Region():
            return 0
        case ir.Assign():
            return sum(map(weight, walk_expression(s.value)))
    return 1 + sum(_made(e, data) for e in expressions(s))


def _made(e: ir.Expression, data: set[ir.Variable]) -> int:
    """Operations of a value; of an index only what is more than a sum."""
    every: Iterable[ir.Expression] = walk_expression(e)
    return sum(weight(x) for x in every if _is_data(x, data) or _is_involved(x))


def _index(e: ir.Expression) -> int:
    return sum(1 for x in walk_expression(e) if _is_involved(x))


def _is_involved(x: ir.Expression) -> bool:
    return isinstance(x, MADE) and not (isinstance(x, ir.Binary) and x.op in FREE)


def weight(x: ir.Expression) -> int:
    """Instructions of one node."""
    match x:
        case ir.Unknown(what=name, type=type_):
            return _function(name, type_, 1)
        case ir.Call(name=name, type=type_):
            return _function(name, type_, OTHER if isinstance(type_, Float) else 1)
        case ir.Binary(op="/" | "%", right=right) if not isinstance(
            right, ir.Constant
        ) or isinstance(x.type, Float):
            return DIVISION
        case ir.Convert():
            return int(isinstance(x.type, Float) != isinstance(x.operand.type, Float))
    return int(isinstance(x, MADE))


@cache
def _function(name: str, type_: Type, other: int) -> int:
    """Instructions of a function with a result of that type; the last figure where it stands in no
    table."""
    found = find(name)
    if found is None:
        return other
    size = found.double_size if isinstance(type_, Float) and type_.bits > 32 else found.size
    return other if size is None else size


def in_registers(address: ir.Expression) -> bool:
    """Whether an address lies in an array of the thread: its elements are variables once loops are
    run out."""
    return any(
        isinstance(x, ir.Address) and x.object.space == "local" for x in walk_expression(address)
    )
