"""`c ? a : b` where it stands for the object chosen, not for its value ([expr.cond]/4).

In: the syntax of what is written to, or bound to a reference. Out: the same, or `*(c ? &a : &b)`.
"""

from __future__ import annotations

from kernlint.ir.types import Array
from kernlint.lowering.context import Lowerer
from kernlint.lowering.types.layout import complete
from kernlint.source.parser import tree

_NAMED = (tree.ID, tree.ArrayRef, tree.StructRef, tree.QualifiedName)


def chosen_place(low: Lowerer, node: tree.Operand) -> tree.Operand:
    if not isinstance(node, tree.TernaryOp) or not _is_place(low, node):
        return node
    made = tree.UnaryOp("*", _addresses(node), node.coord)
    low.program.kept.append(made)  # what is known of nodes is known by their identity
    return made


def _addresses(node: tree.Expr) -> tree.Expr:
    if not isinstance(node, tree.TernaryOp):
        return tree.UnaryOp("&", node, node.coord)
    first, second = _addresses(node.iftrue), _addresses(node.iffalse)
    return tree.TernaryOp(node.cond, first, second, node.coord)


def _is_place(low: Lowerer, node: tree.Expr) -> bool:
    if isinstance(node, tree.TernaryOp):
        return all(_is_place(low, one) for one in (node.iftrue, node.iffalse)) and _are_alike(
            low, node
        )
    return isinstance(node, _NAMED) or (isinstance(node, tree.UnaryOp) and node.op == "*")


def _are_alike(low: Lowerer, node: tree.TernaryOp) -> bool:
    """Whether both are objects of one type; arrays give their address anyway."""
    first, second = (
        complete(low.program.type_of(one, low.scope).type) for one in (node.iftrue, node.iffalse)
    )
    return first == second and not isinstance(first, Array)
