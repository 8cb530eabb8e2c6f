"""Nodes as text through sympy's canonical form: what `kernlint.algebra.display` writes must be the
same.

Never: sympy.Mod, floor or simplify (wrong for nested cases, or slow); C's operators are opaque
functions that fold integers only, and the rest is expand and coeff.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import sympy

from kernlint.algebra.display import BITWISE, PRECEDENCE
from kernlint.algebra.expression import (
    COMMUTATIVE,
    FLOATING,
    FOLD,
    KINDS,
    NEUTRAL,
    IndexNode,
    foldable,
)

NAMES = {"/": "CDiv", "%": "CMod", "&": "And", "|": "Or", "^": "Xor", "<<": "Shl", ">>": "Shr"}


class SympyDisplay:
    """Converts nodes of one table, remembering each.

    `joins`: (local id, group id, local size, global id) names, one per dimension: where a sum holds
    c·local + c·size·group it reads c·global. Size is an integer when known.
    """

    def __init__(self, joins: tuple[tuple[str, str, int | str, str], ...] = ()) -> None:
        self._memory: dict[IndexNode, Any] = {}
        self._raw: dict[IndexNode, Any] = {}
        self._printed: dict[Any, tuple[str, int]] = {}
        self._names: dict[Any, tuple[int, str]] = {}
        self._symbols: dict[str, Any] = {}
        self.joins = joins

    def text(self, node: IndexNode) -> str:
        return self.show(self.canonical(node))

    def canonical(self, node: IndexNode) -> Any:
        """The node as an expanded sympy expression."""
        if node not in self._memory:
            self._memory[node] = self._joined(_expanded(self._convert(node)))
        return self._memory[node]

    def show(self, expression: Any) -> str:
        return self._print(expression)[0]

    def _print(self, expression: Any) -> tuple[str, int]:
        """(text, binding strength)."""
        if expression not in self._printed:
            self._printed[expression] = self._written(expression)
        return self._printed[expression]

    def symbol(self, node: IndexNode) -> Any:
        """The sympy symbol that stands for a symbol node."""
        key = f"{node.name}#{node.kind}#{node.serial}"
        symbol = self._symbols.setdefault(key, sympy.Symbol(key, integer=True))
        self._names[symbol] = (
            KINDS.index(node.kind) if node.kind in KINDS else len(KINDS),
            node.name,
        )
        return symbol

    # -------------------------------------------------------------- node to sympy

    def _convert(self, node: IndexNode) -> Any:
        """The node as a sympy expression, sums and products as they are."""
        if node not in self._raw:
            self._raw[node] = self._made(node)
        return self._raw[node]

    def _made(self, node: IndexNode) -> Any:
        if node.op == "int":
            return sympy.Integer(node.value)
        if node.op in ("symbol", "base"):
            return self.symbol(node)
        if node.op == "+":
            return sympy.Add(*(self._convert(argument) for argument in _flat(node)))
        if node.op == "*":
            return sympy.Mul(*(self._convert(argument) for argument in node.arguments))
        return _function(node.op)(*(self.canonical(argument) for argument in node.arguments))

    def _joined(self, expression: Any) -> Any:
        for local, group, size, whole in self.joins:
            names = [self._known(name) for name in (local, group)]
            sizes = size if isinstance(size, int) else self._known(size)
            if any(symbol is None for symbol in (*names, sizes)):
                continue
            factor = expression.coeff(names[0], 1)
            if factor != 0 and _expanded(expression.coeff(names[1], 1) - factor * sizes) == 0:
                joined = self.symbol(IndexNode("symbol", name=whole, kind="thread"))
                expression = _expanded(
                    expression - factor * names[0] - factor * sizes * names[1] + factor * joined
                )
        return expression

    def _known(self, name: str) -> Any | None:
        return next((symbol for symbol, (_, shown) in self._names.items() if shown == name), None)

    # -------------------------------------------------------------- sympy to text

    def _written(self, expression: Any) -> tuple[str, int]:
        if expression.is_Integer:
            return str(expression), PRECEDENCE["atom" if expression >= 0 else "unary"]
        if expression.is_Symbol:
            return self._names[expression][1], PRECEDENCE["atom"]
        if expression.is_Add:
            return self._sum(expression), PRECEDENCE["+"]
        if expression.is_Mul:
            return self._product(expression)
        if expression.is_Pow:
            return "*".join(
                [self._inside(expression.base, PRECEDENCE["unary"])] * int(expression.exp)
            ), PRECEDENCE["*"]
        return self._operator(type(expression).c_operator, expression.args)

    def _sum(self, expression: Any) -> str:
        terms = sorted(expression.args, key=self._term_key)
        positive = [term for term in terms if not _negative(term)]
        if positive and _negative(terms[0]):
            terms.remove(positive[0])
            terms.insert(0, positive[0])
        text = self._inside(terms[0], PRECEDENCE["+"])
        for term in terms[1:]:
            sign, size = (" - ", -term) if _negative(term) else (" + ", term)
            text += sign + self._inside(size, PRECEDENCE["+"] + 1)
        return text

    def _product(self, expression: Any) -> tuple[str, int]:
        number, rest = expression.as_coeff_Mul()
        factors = [rest] if not rest.is_Mul else list(rest.args)
        if number < 0:
            body, strength = self._print(-expression)
            return "-" + (body if strength >= PRECEDENCE["*"] else f"({body})"), PRECEDENCE["*"]
        factors.sort(key=self._factor_key)
        parts = [] if number == 1 else [str(number)]
        powers = (factor.as_base_exp() for factor in factors)
        parts += [
            self._inside(base, PRECEDENCE["unary"])
            for base, exponent in powers
            for _ in range(int(exponent))
        ]
        return "*".join(parts), PRECEDENCE["*"]

    def _operator(self, op: str, arguments: tuple[Any, ...]) -> tuple[str, int]:
        if op == "mul":
            return "*".join(
                self._inside(argument, PRECEDENCE["unary"]) for argument in arguments
            ), PRECEDENCE["*"]
        if op == "?:":
            test, then, otherwise = (
                self._inside(argument, PRECEDENCE["?:"] + 1) for argument in arguments
            )
            return f"{test} ? {then} : {otherwise}", PRECEDENCE["?:"]
        if len(arguments) == 1 and (op in ("-", "~", "!") or op.startswith("(")):
            return op + self._inside(arguments[0], PRECEDENCE["unary"]), PRECEDENCE["unary"]
        op = op.removeprefix(FLOATING)
        if op not in PRECEDENCE:
            return f"{op}({', '.join(self.show(argument) for argument in arguments)})", PRECEDENCE[
                "atom"
            ]
        strength = PRECEDENCE[op]
        left, right = arguments
        if op in BITWISE:
            same = op in COMMUTATIVE and getattr(type(left), "c_operator", "") == op
            return (
                f"{self._inside(left, strength if same else PRECEDENCE['unary'])} {op} {self._bits(op, right)}",
                strength,
            )
        return f"{self._inside(left, strength)} {op} {self._inside(right, strength + 1)}", strength

    def _bits(self, op: str, right: Any) -> str:
        if op == "&" and right.is_Integer and right < 0:
            return f"~{-right - 1}"
        return self._inside(right, PRECEDENCE["unary"])

    def _inside(self, expression: Any, strength: int) -> str:
        text, own = self._print(expression)
        return text if own >= strength else f"({text})"

    def _ranks(self, expression: Any) -> list[tuple[int, str]]:
        return sorted(self._names[symbol] for symbol in expression.free_symbols)

    def _term_key(self, term: Any) -> tuple[Any, ...]:
        """Thread ids first, by axis; then terms in which they are inside an operator; then block
        ids, loops, parameters, numbers."""
        ranks = self._ranks(term)
        number, rest = term.as_coeff_Mul()
        plain = rest.is_Symbol or (rest.is_Mul and all(factor.is_Symbol for factor in rest.args))
        lowest = ranks[0][0] if ranks else len(KINDS) + 1
        return (lowest, not plain, ranks, -abs(int(number)), self.show(rest))

    def _factor_key(self, factor: Any) -> tuple[Any, ...]:
        """Sizes and parameters before ids: `n*threadIdx.y`."""
        ranks = self._ranks(factor)
        return (-(ranks[0][0] if ranks else 0), [name for _, name in ranks], self.show(factor))


def _flat(node: IndexNode) -> list[IndexNode]:
    """The summands of nested sums, without recursion: sums grow long in unrolled code."""
    found, work = [], [node]
    while work:
        here = work.pop()
        if here.op == "+":
            work.extend(here.arguments)
        else:
            found.append(here)
    return found


def _expanded(expression: Any) -> Any:
    """Products of sums multiplied out: the two kinds of expansion that index arithmetic needs, of
    sympy's nine."""
    return expression.expand(power_base=False, power_exp=False, log=False, basic=False)


def _negative(term: Any) -> bool:
    return bool(term.as_coeff_Mul()[0] < 0)


@cache
def _function(op: str) -> Any:
    """The opaque sympy function of an operator: folds integers, nothing else."""

    def fold(cls: Any, *arguments: Any) -> Any:
        if len(arguments) != 2 or op not in FOLD or not arguments[1].is_Integer:
            return None
        left, right = arguments
        if left.is_Integer and foldable(op, int(left), int(right)):
            return sympy.Integer(FOLD[op](int(left), int(right)))
        keeps = NEUTRAL.get((op, int(right)))
        return None if keeps is None else (left if keeps else sympy.Integer(0))

    members = {
        "eval": classmethod(fold),
        "c_operator": op,
        "is_integer": True,
        "is_commutative": True,
    }
    return type(NAMES.get(op, f"Op_{op}"), (sympy.Function,), members)
