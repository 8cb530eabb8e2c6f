"""Operations worth remembering with their place: divisions by what is no constant, floats and integers that meet a double literal.

In: a binary operator, or a call of pow, as lowered. Out: an entry among the lowerer's operations. Never changes what is computed.
"""

from __future__ import annotations

import struct

from pycparser import c_ast

from kernlint.lowering import ir
from kernlint.lowering.context import Lowerer
from kernlint.lowering.syntax import Node
from kernlint.lowering.types import Float, Integer

ARITHMETIC = ("+", "-", "*", "/", "<", ">", "<=", ">=")


def note_operation(low: Lowerer, op: str, left: ir.Expression, right: ir.Expression, result: ir.Expression, node: Node) -> None:
    if not isinstance(node, c_ast.BinaryOp):
        return
    if op in ("/", "%") and isinstance(result, ir.Binary) and isinstance(result.type, Integer):
        if not _is_fixed(result.right):
            _note(low, "integer-division", node, result, node.right)
    elif op in ARITHMETIC:
        for one, other, part in ((left, right, node.right), (right, left, node.left)):
            exact = _is(one, 32) and _is_exact(other)
            if _is_double_literal(other, part) and (_is_integer(one) or (_is(one, 32) and not (exact and _is_trivial(op, other)))):
                _note(low, "double-arithmetic", node, result, part, exact)


def note_power(low: Lowerer, operands: list[ir.Expression], result: ir.Expression, node: Node, nodes: list[Node]) -> None:
    """`pow(v, 2.0)` of a float: the call of two types is the one in double. Source: nvcc 13.0 for sm_90, 88 instructions of doubles, none
    with `2.0f`. Of the other functions nvcc has no overload of two types for kernels."""
    for one, other, part in zip(operands, reversed(operands), reversed(nodes), strict=True):
        if (_is(one, 32) or _is_integer(one)) and _is_double_literal(other, part):
            _note(low, "double-arithmetic", node, result, part)


def _is_fixed(e: ir.Expression) -> bool:
    """Whether the compiler knows the value: a template argument may be one that kernlint does not know."""
    if isinstance(e, ir.Unknown):
        return e.reason == "unknown-argument" and e.pure and not e.operands
    if isinstance(e, ir.Binary):
        return _is_fixed(e.left) and _is_fixed(e.right)
    return isinstance(e, ir.Constant) or (isinstance(e, (ir.Unary, ir.Convert)) and _is_fixed(e.operand))


def _note(low: Lowerer, kind: str, node: Node, result: ir.Expression, part: Node, exact: bool = False) -> None:
    low.operations.append(ir.Operation(kind, low.span(node), low.text(node), result, low.span(part), low.calls, exact))


def _is_trivial(op: str, e: ir.Expression) -> bool:
    """Comparisons with, and what leaves of the operand no more than its sign to change: nvcc 13.0 needs no double for them."""
    return op not in ("+", "-", "*", "/") or (isinstance(e, ir.Constant) and abs(e.value) in (0, 1) and (op in ("*", "/") or e.value == 0))


def _is(e: ir.Expression, bits: int) -> bool:
    return isinstance(e.type, Float) and e.type.bits == bits


def _is_integer(e: ir.Expression) -> bool:
    """An integer that the compiler does not know: with any double literal nvcc computes in double (13.0 for sm_90)."""
    return isinstance(e.type, Integer) and not isinstance(e, ir.Constant)


def _is_double_literal(e: ir.Expression, node: Node) -> bool:
    return isinstance(node, c_ast.Constant) and isinstance(e, ir.Constant) and _is(e, 64)


def _is_exact(e: ir.Expression) -> bool:
    """Whether a float holds the constant exactly: with a float operand the compiler computes in float then, with the same result."""
    try:
        return not isinstance(e, ir.Constant) or bool(struct.unpack("f", struct.pack("f", e.value))[0] == e.value)
    except OverflowError:
        return True
