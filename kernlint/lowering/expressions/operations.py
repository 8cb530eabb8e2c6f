"""Operations worth remembering with their place: divisions by what is no constant, floats and
integers that meet a double literal.

In: a binary operator, or a call of a function of two types, as lowered. Out: an entry among the lowerer's operations.
Never changes what is computed.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence

from kernlint.ir import nodes as ir
from kernlint.ir.traversal import walk_expression
from kernlint.ir.types import Float, Integer, Type
from kernlint.lowering.context import Lowerer
from kernlint.lowering.declare import parameter_types
from kernlint.lowering.expressions.literals import floating
from kernlint.lowering.expressions.values import AutoPlaceholder
from kernlint.lowering.scopes import Binding, Scope
from kernlint.lowering.types import typenames
from kernlint.source.parser import tree

DOUBLE = re.compile(r"[\d']*(\d\.|\.\d|\d(?=e))[\d']*(e[+-]?\d+)?l?", re.IGNORECASE)
# Functions of two types that kernels may call; the others' templates of the host's <cmath> need
# --expt-relaxed-constexpr. Source: nvcc 13.0 for sm_90: pow(v, 2.0) makes 88 instructions of doubles,
# max(v, 0.0) 5 (conversions, a comparison, a choice); none with the suffix f.
MIXED = frozenset(("pow", "min", "max", "fmin", "fmax", "fmod", "atan2", "hypot"))
COMPARISONS = ("<", ">", "<=", ">=", "==", "!=")
ARITHMETIC = ("+", "-", "*", "/", *COMPARISONS)


def note_operation(
    low: Lowerer,
    op: str,
    left: ir.Expression,
    right: ir.Expression,
    result: ir.Expression,
    node: tree.Node,
) -> None:
    if isinstance(node, tree.Assignment):
        _note_doubles(low, op, left, right, result, node, (node.lvalue, node.rvalue))
    if not isinstance(node, tree.BinaryOp):
        return
    if op in ("/", "%") and isinstance(result, ir.Binary) and isinstance(result.type, Integer):
        if not _is_fixed(result.right):
            _note(low, "integer-division", node, result, node.right)
    else:
        _note_doubles(low, op, left, right, result, node, (node.left, node.right))


def _note_doubles(
    low: Lowerer,
    op: str,
    left: ir.Expression,
    right: ir.Expression,
    result: ir.Expression,
    node: tree.Node,
    sides: tuple[tree.Node, tree.Node],
) -> None:
    if op not in ARITHMETIC or isinstance(result, ir.Constant):
        return
    for one, other, part in ((left, right, sides[1]), (right, left, sides[0])):
        exact = _is(one, 32) and _is_exact(other)
        # those nvcc compares as integers
        whole = _is_integer(one) and not (op in COMPARISONS and one.type.size in (1, 2, 4))
        if not _is_double_literal(other, part):
            continue
        stays_float = exact and _is_trivial(op, other, other is right)
        if whole or (_is(one, 32) and not stays_float):
            _note(low, "double-arithmetic", node, result, part, exact, _shared(low, exact))


def note_choice(
    low: Lowerer, result: ir.Expression, first: Type, second: Type, node: tree.TernaryOp
) -> None:
    """`c ? x : 0.0` of a float: what is chosen is a double, which costs where it is computed with
    as one. Source: nvcc 13.0 for sm_90."""
    if not _is(result, 64):
        return
    for type_, part, other in (
        (second, node.iftrue, node.iffalse),
        (first, node.iffalse, node.iftrue),
    ):
        narrow = (isinstance(type_, Float) and type_.bits == 32) or _is_literal(other)
        if narrow and _is_literal(part):
            _note(
                low,
                "double-arithmetic",
                node,
                result,
                part,
                True,
                _shared(low, _fits(part) and not _is_literal(other)),
            )
            return


def note_mixed_call(
    low: Lowerer,
    operands: list[ir.Expression],
    result: ir.Expression,
    node: tree.Node,
    nodes: Sequence[tree.Node],
) -> None:
    """A function of `MIXED` of a float and a double literal: the call of two types is the one in
    double."""
    for one, other, part in zip(operands, reversed(operands), reversed(nodes), strict=True):
        if not _is_double_literal(other, part):
            continue
        if _is(one, 32) or _is_integer(one):
            _note(
                low,
                "double-arithmetic",
                node,
                result,
                part,
                shared=_shared(low, _is(one, 32) and _is_exact(other)),
            )


def _is_fixed(e: ir.Expression) -> bool:
    """Whether the compiler knows the value: a template argument may be one that kernlint does not
    know."""
    if isinstance(e, ir.Unknown):
        return e.reason == "unknown-argument" and e.pure and not e.operands
    if isinstance(e, ir.Binary):
        return _is_fixed(e.left) and _is_fixed(e.right)
    return isinstance(e, ir.Constant) or (
        isinstance(e, (ir.Unary, ir.Convert)) and _is_fixed(e.operand)
    )


def _note(
    low: Lowerer,
    kind: str,
    node: tree.Node,
    result: ir.Expression,
    part: tree.Node,
    exact: bool = False,
    shared: bool = False,
) -> None:
    low.operations.append(
        ir.Operation(
            kind, low.span(node), low.text(node), result, low.span(part), low.calls, exact, shared
        )
    )


def _shared(low: Lowerer, same: bool) -> bool:
    """Whether what else runs the text may compute with doubles where a suffix `f` would take digits
    from them. Of a template each instantiation has its types (`same`: doubles may meet the literal
    as a float without any change of the result), and whoever is given a double goes on with it. Any
    other text has the same types wherever it is run, so that no other kernel and no host code
    matters."""
    if not low.frames or low.frames[-1].entity is None:
        return False
    entity, given = low.frames[-1].entity, low.frames[-1].return_type
    if given is not None and (
        isinstance(given.type, AutoPlaceholder)
        or (isinstance(given.type, Float) and given.type.bits == 64)
    ):
        return True
    taken = (
        typenames.resolve(low.program, type_, entity.scope)
        for type_ in parameter_types(entity.node)
    )
    return not same and (
        _is_instantiated(low.scope) or any(isinstance(one.type, AutoPlaceholder) for one in taken)
    )


def _is_instantiated(scope: Scope | None) -> bool:
    """Whether a template around is given types, not just values."""
    while scope is not None:
        if scope.kind == "template" and not all(
            isinstance(entity, Binding) for entity in scope.names.values()
        ):
            return True
        scope = scope.parent
    return False


def _is_trivial(op: str, e: ir.Expression, second: bool) -> bool:
    """Comparisons with, and what leaves of the operand no more than its sign to change: nvcc 13.0
    needs no double for them. Not so a sum with 0, which makes 0 of -0, a product with 0, and `1.0 /
    x`."""
    keeps_value = op == "*" or (op == "/" and second)
    is_one = isinstance(e, ir.Constant) and abs(e.value) == 1
    return op in COMPARISONS or (keeps_value and is_one)


def _is(e: ir.Expression, bits: int) -> bool:
    return isinstance(e.type, Float) and e.type.bits == bits


def _is_integer(e: ir.Expression) -> bool:
    """An integer that the compiler does not know: with any double literal nvcc computes in double
    (13.0 for sm_90). A name that no analysed file defines may be a double."""
    if not isinstance(e.type, Integer) or isinstance(e, ir.Constant):
        return False
    return not any(isinstance(part, ir.Unknown) for part in walk_expression(e))


def _is_double_literal(e: ir.Expression, node: tree.Node) -> bool:
    return isinstance(e, ir.Constant) and _is(e, 64) and _is_literal(node)


def _is_literal(node: tree.Node) -> bool:
    """A literal of a double, with its sign or without, or what is computed of literals with one:
    `2.0f * 3.14`."""
    if isinstance(node, tree.UnaryOp) and node.op in ("-", "+"):
        return _is_literal(node.expr)
    if isinstance(node, tree.BinaryOp) and node.op in ("*", "/", "+", "-"):
        sides = node.left, node.right
        return any(map(_is_literal, sides)) and all(map(_is_number, sides))
    return isinstance(node, tree.Constant) and DOUBLE.fullmatch(node.value) is not None


def _is_number(node: tree.Node) -> bool:
    return isinstance(node, tree.Constant) or _is_literal(node)


def _fits(node: tree.Node) -> bool:
    """Whether a float holds a literal exactly."""
    if isinstance(node, tree.UnaryOp):
        return _fits(node.expr)
    return isinstance(node, tree.Constant) and _is_exact(floating(node.value))


def _is_exact(e: ir.Expression) -> bool:
    """Whether a float holds the constant exactly: with a float operand the compiler computes in
    float then, with the same result."""
    try:
        return not isinstance(e, ir.Constant) or bool(
            struct.unpack("f", struct.pack("f", e.value))[0] == e.value
        )
    except OverflowError:
        return True
