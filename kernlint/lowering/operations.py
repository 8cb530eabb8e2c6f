"""Operations worth remembering with their place: divisions by what is no constant, floats that meet a double literal.

In: a binary operator as lowered. Out: an entry among the lowerer's operations. Never changes what is computed.
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
        if not isinstance(result.right, ir.Constant):
            _note(low, "integer-division", node, result, node.right)
    elif op in ARITHMETIC:
        for one, other, part in ((left, right, node.right), (right, left, node.left)):
            if _is(one, 32) and _is_double_literal(other, part):
                _note(low, "double-arithmetic", node, result, part)


def _note(low: Lowerer, kind: str, node: Node, result: ir.Expression, part: Node) -> None:
    low.operations.append(ir.Operation(kind, low.span(node), low.text(node), result, low.span(part), low.calls))


def _is(e: ir.Expression, bits: int) -> bool:
    return isinstance(e.type, Float) and e.type.bits == bits


def _is_double_literal(e: ir.Expression, node: Node) -> bool:
    """A literal without suffix that no float holds exactly. Where one does, the compiler computes in float with the same result."""
    if not (isinstance(node, c_ast.Constant) and isinstance(e, ir.Constant) and _is(e, 64)):
        return False
    try:
        return bool(struct.unpack("f", struct.pack("f", e.value))[0] != e.value)
    except OverflowError:
        return False
