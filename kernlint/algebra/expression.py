"""Hash-consed expression nodes with the meaning of C's operators.

In: operators, integers and symbols. Out: nodes; within one `Nodes` table equal expressions are one
object. Never: sympy, lanes, or the source.

Sums and products are mathematical (index arithmetic that wraps is not index arithmetic); `/`
truncates, `%` has the dividend's sign, `>>` is arithmetic. Only integers are folded.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

from kernlint.base.dataclass import dataclass

# Kinds of symbols, in the order in which people read an index.
KINDS = ("thread", "lane", "block", "loop", "value", "size", "parameter")
FLOATING = "float "  # before an operator on floating-point values, which obeys no algebra
MOST_TERMS = 64  # of a product multiplied out; a larger one stays a product


@dataclass(frozen=True, slots=True, eq=False)
class IndexNode:
    """`op`: "int", "symbol", "base" (a pointer's origin), "+", "*", or an operator applied to
    `arguments`.

    `size` counts nodes as printed (shared ones every time), `terms` the summands when multiplied
    out.
    """

    op: str
    arguments: tuple[IndexNode, ...] = ()
    value: int = 0
    name: str = ""
    kind: str = ""
    serial: int = 0
    size: int = 1
    terms: int = 1


def quotient(left: int, right: int) -> int:
    """C's `/`: truncated toward zero."""
    result = abs(left) // abs(right)
    return result if (left < 0) == (right < 0) else -result


def remainder(left: int, right: int) -> int:
    """C's `%`: the sign of the dividend."""
    return left - right * quotient(left, right)


FOLD: dict[str, Callable[[int, int], int]] = {
    "/": quotient,
    "%": remainder,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "==": lambda left, right: int(left == right),
    "!=": lambda left, right: int(left != right),
    "<": lambda left, right: int(left < right),
    "<=": lambda left, right: int(left <= right),
    ">": lambda left, right: int(left > right),
    ">=": lambda left, right: int(left >= right),
    "&&": lambda left, right: int(bool(left) and bool(right)),
    "||": lambda left, right: int(bool(left) or bool(right)),
    "min": min,
    "max": max,
}
# `x op n` is x (True) or 0 (False): (operator, n) -> which
NEUTRAL = {
    ("/", 1): True, ("%", 1): False, ("&", 0): False, ("&", -1): True, ("|", 0): True, ("^", 0): True, ("<<", 0): True, (">>", 0): True,
}  # fmt: skip
COMMUTATIVE = ("&", "|", "^")


def foldable(op: str, left: int, right: int) -> bool:
    """Whether C defines `left op right` (and it is worth computing)."""
    if op in ("/", "%"):
        return right != 0
    return not (op in ("<<", ">>") and not 0 <= right < 64)


class Nodes:
    """The table in which nodes are unique."""

    def __init__(self) -> None:
        self._table: dict[object, IndexNode] = {}
        self._serial = 0

    def integer(self, value: int) -> IndexNode:
        return self._node(IndexNode("int", value=value))

    def symbol(self, name: str, kind: str) -> IndexNode:
        """The one symbol of this name and kind."""
        return self._node(IndexNode("symbol", name=name, kind=kind))

    def fresh(self, name: str, kind: str) -> IndexNode:
        """A symbol that equals no other, whatever its name."""
        self._serial += 1
        return self._node(IndexNode("symbol", name=name, kind=kind, serial=self._serial))

    def base(self, name: str, kind: str, serial: int = 0) -> IndexNode:
        """A pointer's origin: an object, or a pointer whose target is not known."""
        return self._node(IndexNode("base", name=name, kind=kind, serial=serial))

    def fresh_base(self, name: str, kind: str = "pointer") -> IndexNode:
        self._serial += 1
        return self.base(name, kind, self._serial)

    def add(self, left: IndexNode, right: IndexNode) -> IndexNode:
        if left.op == right.op == "int":
            return self.integer(left.value + right.value)
        for one, other in ((left, right), (right, left)):
            if one.op == "int" and one.value == 0:
                return other
        if (
            right.op == "int" and left.op == "+" and left.arguments[1].op == "int"
        ):  # a pointer that walks by constants stays short
            return self.add(left.arguments[0], self.integer(left.arguments[1].value + right.value))
        return self._node(
            IndexNode(
                "+", (left, right), size=left.size + right.size + 1, terms=left.terms + right.terms
            )
        )

    def multiply(self, left: IndexNode, right: IndexNode) -> IndexNode:
        if left.op == right.op == "int":
            return self.integer(left.value * right.value)
        for one, other in ((left, right), (right, left)):
            if one.op == "int" and one.value in (0, 1):
                return other if one.value else one
        if left.terms * right.terms > MOST_TERMS:
            return self._applied("mul", (left, right))
        return self._node(
            IndexNode(
                "*", (left, right), size=left.size + right.size + 1, terms=left.terms * right.terms
            )
        )

    def negate(self, node: IndexNode) -> IndexNode:
        return self.multiply(self.integer(-1), node)

    def apply(self, op: str, *arguments: IndexNode) -> IndexNode:
        """`op` is a binary operator of C, "~", "!", "?:", "min", "max", "(type)", a function's
        name, or FLOATING and an operator."""
        if len(arguments) == 2 and op in FOLD:
            return self._binary(op, *arguments)
        if op == "?:" and arguments[0].op == "int":
            return arguments[1 if arguments[0].value else 2]
        if op == "?:" and arguments[1] is arguments[2]:
            return arguments[1]
        if arguments and arguments[0].op == "int" and op in ("~", "!"):
            return self.integer(~arguments[0].value if op == "~" else int(not arguments[0].value))
        return self._applied(op, arguments)

    def _binary(self, op: str, left: IndexNode, right: IndexNode) -> IndexNode:
        if op in COMMUTATIVE and left.op == "int":
            left, right = right, left
        if right.op == "int":
            if left.op == "int" and foldable(op, left.value, right.value):
                return self.integer(FOLD[op](left.value, right.value))
            keeps = NEUTRAL.get((op, right.value))
            if keeps is not None:
                return left if keeps else self.integer(0)
            if op == "<<" and 0 < right.value < 64:
                return self.multiply(self.integer(1 << right.value), left)
        if op in ("min", "max") and left is right:
            return left
        return self._applied(op, (left, right))

    def _applied(self, op: str, arguments: tuple[IndexNode, ...]) -> IndexNode:
        return self._node(
            IndexNode(op, arguments, size=1 + sum(argument.size for argument in arguments))
        )

    def _node(self, node: IndexNode) -> IndexNode:
        key = (
            node.op,
            tuple(map(id, node.arguments)),
            node.value,
            node.name,
            node.kind,
            node.serial,
        )
        return self._table.setdefault(key, node)


def symbols(node: IndexNode) -> set[IndexNode]:
    """Every symbol and base under `node`."""
    found: set[IndexNode] = set()
    seen: set[IndexNode] = set()
    work = [node]
    while work:
        here = work.pop()
        if here not in seen:
            seen.add(here)
            work.extend(here.arguments)
            if here.op in ("symbol", "base"):
                found.add(here)
    return found
