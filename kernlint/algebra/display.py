"""Nodes as text: multiplied out, equal terms together, printed as C.

In: nodes. Out: text in the order people read an index: thread ids, block ids, loop variables,
parameters. C's operators are opaque and fold integers only: nothing is simplified that could be
wrong where it wraps or truncates.
"""

from __future__ import annotations

from collections import Counter

from kernlint.algebra.expression import (
    COMMUTATIVE,
    FLOATING,
    FOLD,
    KINDS,
    NEUTRAL,
    IndexNode,
    foldable,
)
from kernlint.algebra.polynomial import (
    Factor,
    Factors,
    Monomial,
    Polynomial,
    Rank,
    coefficient,
    constant,
    number,
    product,
    scaled,
    total,
)
from kernlint.model.element_index import IndexFactor, IndexTerm

# Binding strength of C's operators; larger binds tighter.
PRECEDENCE = {
    "?:": 1, "||": 2, "&&": 3, "|": 4, "^": 5, "&": 6, "==": 7, "!=": 7, "<": 8, "<=": 8, ">": 8, ">=": 8, "<<": 9, ">>": 9,
    "+": 10, "-": 10, "*": 11, "/": 11, "%": 11, "unary": 12, "atom": 13,
}  # fmt: skip
# their operands get parentheses wherever they are compound: few know the precedence by heart
BITWISE = (
    "|",
    "^",
    "&",
    "<<",
    ">>",
)

Text = tuple[str, int]  # and its binding strength


class Display:
    """Converts nodes of one table, remembering each.

    `joins`: (local id, group id, local size, global id) names, one per dimension: where a sum holds
    c·local + c·size·group it reads c·global. Size is an integer when known.
    """

    def __init__(self, joins: tuple[tuple[str, str, int | str, str], ...] = ()) -> None:
        self._factors = Factors()
        self._memory: dict[IndexNode, Polynomial] = {}
        self._canonical: dict[IndexNode, Polynomial] = {}
        self._printed: dict[Factor, Text] = {}
        self._joins = joins

    def text(self, node: IndexNode) -> str:
        return self.show(self.canonical(node))

    def canonical(self, node: IndexNode) -> Polynomial:
        """The node multiplied out."""
        if node not in self._canonical:
            self._canonical[node] = self._joined(self._convert(node))
        return self._canonical[node]

    def show(self, terms: Polynomial) -> str:
        return self._print(terms)[0]

    def index_terms(self, terms: Polynomial) -> tuple[IndexTerm, ...]:
        """The structure of what `show` prints, in its order."""
        return tuple(
            IndexTerm(n, tuple(self._index_factor(factor) for factor in self._ordered(monomial)))
            for monomial, n in self._ordered_terms(terms)
        )

    def symbol(self, node: IndexNode) -> Factor:
        """The factor that stands for a symbol node."""
        rank = KINDS.index(node.kind) if node.kind in KINDS else len(KINDS)
        return self._factors.symbol((node.name, node.kind, node.serial), (rank, node.name))

    # -------------------------------------------------------------- nodes to polynomials

    def _convert(self, node: IndexNode) -> Polynomial:
        if node not in self._memory:
            self._memory[node] = self._made(node)
        return self._memory[node]

    def _made(self, node: IndexNode) -> Polynomial:
        if node.op == "int":
            return constant(node.value)
        if node.op in ("symbol", "base"):
            return {(self.symbol(node),): 1}
        if node.op == "+":
            return total(self._convert(part) for part in _flat(node))
        if node.op == "*":
            left, right = node.arguments
            return product(self._convert(left), self._convert(right))
        arguments = tuple(self.canonical(argument) for argument in node.arguments)
        folded = _folded(node.op, arguments)
        return {(self._factors.applied(node.op, arguments),): 1} if folded is None else folded

    def _joined(self, terms: Polynomial) -> Polynomial:
        for local, group, size, whole in self._joins:
            own, outer, factor = self._factors.named(local), self._factors.named(group), None
            sizes = constant(size) if isinstance(size, int) else self._named(size)
            if own is None or outer is None or sizes is None:
                continue
            factor = coefficient(terms, own)
            if factor and coefficient(terms, outer) == product(factor, sizes):
                joined = self.symbol(IndexNode("symbol", name=whole, kind="thread"))
                parts = total(
                    [{(joined,): 1}, {(own,): -1}, scaled(product({(outer,): 1}, sizes), -1)]
                )
                terms = total([terms, product(factor, parts)])
        return terms

    def _named(self, name: str) -> Polynomial | None:
        found = self._factors.named(name)
        return None if found is None else {(found,): 1}

    # -------------------------------------------------------------- polynomials to text

    def _print(self, terms: Polynomial) -> Text:
        if len(terms) > 1:
            return self._sum(terms), PRECEDENCE["+"]
        return self._term(*next(iter(terms.items()), ((), 0)))

    def _ordered_terms(self, terms: Polynomial) -> list[tuple[Monomial, int]]:
        """A sum does not begin with a minus where it need not."""
        ordered = sorted(terms.items(), key=self._term_key)
        if ordered and ordered[0][1] < 0:
            first = next((i for i, (_, n) in enumerate(ordered) if n > 0), 0)
            ordered.insert(0, ordered.pop(first))
        return ordered

    def _sum(self, terms: Polynomial) -> str:
        ordered = self._ordered_terms(terms)
        text = _inside(self._term(*ordered[0]), PRECEDENCE["+"])
        for monomial, n in ordered[1:]:
            text += (" - " if n < 0 else " + ") + _inside(
                self._term(monomial, abs(n)), PRECEDENCE["+"] + 1
            )
        return text

    def _term(self, monomial: Monomial, n: int) -> Text:
        if not monomial:
            return str(n), PRECEDENCE["atom" if n >= 0 else "unary"]
        if n < 0:
            return "-" + _inside(self._term(monomial, -n), PRECEDENCE["*"]), PRECEDENCE["*"]
        if n == len(monomial) == 1:
            return self._factor(monomial[0])
        parts = [self._in_product(factor) for factor in self._ordered(monomial)]
        return "*".join([str(n)] * (n != 1) + parts), PRECEDENCE["*"]

    def _ordered(self, monomial: Monomial) -> list[Factor]:
        """A product's factors, powers as often as they occur."""
        powers = sorted(Counter(monomial).items(), key=lambda power: self._factor_key(*power))
        return [factor for factor, times in powers for _ in range(times)]

    def _in_product(self, factor: Factor) -> str:
        return _inside(self._factor(factor), PRECEDENCE["unary"])

    def _index_factor(self, factor: Factor) -> IndexFactor:
        symbols = tuple(name for _, name in factor.ranks)
        return IndexFactor(self._in_product(factor), symbols, tuple(sorted(_operators(factor))))

    def _factor(self, factor: Factor) -> Text:
        if factor not in self._printed:
            self._printed[factor] = (
                self._operator(factor.op, factor.arguments)
                if factor.op
                else (factor.name, PRECEDENCE["atom"])
            )
        return self._printed[factor]

    def _operator(self, op: str, arguments: tuple[Polynomial, ...]) -> Text:
        parts = [self._print(argument) for argument in arguments]
        if op == "mul":
            return "*".join(_inside(part, PRECEDENCE["unary"]) for part in parts), PRECEDENCE["*"]
        if op == "?:":
            test, then, otherwise = (_inside(part, PRECEDENCE["?:"] + 1) for part in parts)
            return f"{test} ? {then} : {otherwise}", PRECEDENCE["?:"]
        if len(parts) == 1 and (op in ("-", "~", "!") or op.startswith("(")):
            return op + _inside(parts[0], PRECEDENCE["unary"]), PRECEDENCE["unary"]
        op = op.removeprefix(FLOATING)
        if op not in PRECEDENCE:
            return f"{op}({', '.join(text for text, _ in parts)})", PRECEDENCE["atom"]
        strength, (left, right) = PRECEDENCE[op], parts
        if op not in BITWISE:
            return f"{_inside(left, strength)} {op} {_inside(right, strength + 1)}", strength
        same = op in COMMUTATIVE and _operator_of(arguments[0]) == op
        mask = number(arguments[1]) if op == "&" else None
        bits = (
            f"~{-mask - 1}"
            if mask is not None and mask < 0
            else _inside(right, PRECEDENCE["unary"])
        )
        return f"{_inside(left, strength if same else PRECEDENCE['unary'])} {op} {bits}", strength

    def _term_key(self, term: tuple[Monomial, int]) -> tuple[int, bool, list[Rank], int, str]:
        """Thread ids first, by axis; then terms in which they are inside an operator; then block
        ids, loops, parameters, numbers."""
        monomial, n = term
        ranks = self._factors.ranks_of(monomial)
        plain = (
            bool(monomial)
            and len(set(monomial)) == len(monomial)
            and not any(factor.op for factor in monomial)
        )
        return (
            ranks[0][0] if ranks else len(KINDS) + 1,
            not plain,
            ranks,
            -abs(n),
            self._term(monomial, 1)[0],
        )

    def _factor_key(self, factor: Factor, times: int) -> tuple[int, list[str], str]:
        """Sizes and parameters before ids: `n*threadIdx.y`."""
        ranks, (text, own) = factor.ranks, self._factor(factor)
        shown = (
            text if times == 1 else "*".join([_inside((text, own), PRECEDENCE["unary"])] * times)
        )
        return (-(ranks[0][0] if ranks else 0), [name for _, name in ranks], shown)


def _inside(part: Text, strength: int) -> str:
    text, own = part
    return text if own >= strength else f"({text})"


def _operators(factor: Factor) -> set[str]:
    """All operators that a factor is made with."""
    inner = (f for terms in factor.arguments for monomial in terms for f in monomial)
    return {factor.op}.union(*map(_operators, inner)) if factor.op else set()


def _operator_of(terms: Polynomial) -> str:
    """The operator that a polynomial of one factor is."""
    return next((m[0].op for m, n in terms.items() if len(terms) == len(m) == n == 1), "")


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


def _folded(op: str, arguments: tuple[Polynomial, ...]) -> Polynomial | None:
    """The value of an operator on integers, or beside an integer that leaves the other side or
    nothing of it."""
    if len(arguments) != 2 or op not in FOLD:
        return None
    left, right = number(arguments[0]), number(arguments[1])
    if right is None:
        return None
    if left is not None and foldable(op, left, right):
        return constant(FOLD[op](left, right))
    keeps = NEUTRAL.get((op, right))
    return None if keeps is None else (arguments[0] if keeps else {})
