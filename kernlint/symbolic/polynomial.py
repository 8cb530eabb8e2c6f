"""Index texts of plain sums and products, without the heavy library that everything else needs.

In: a node made of integers, symbols, `+` and `*` alone. Out: the text that `Display` gives for it (tested against it), or None.
"""

from __future__ import annotations

from collections import Counter

from kernlint.symbolic.expression import KINDS, Node

Monomial = tuple[Node, ...]  # symbols, in a fixed order
Polynomial = dict[Monomial, int]
MOST_TERMS = 64


def polynomial(node: Node) -> Polynomial | None:
    """The node multiplied out; None where it holds another operator or a power, or grows too long."""
    if node.op == "int":
        return {(): int(node.value)} if node.value else {}
    if node.op in ("symbol", "base"):
        return {(node,): 1}
    if node.op not in ("+", "*"):
        return None
    parts = [polynomial(argument) for argument in node.arguments]
    total: Polynomial = {} if node.op == "+" else {(): 1}
    for part in parts:
        if part is None or len(total) * max(1, len(part)) > MOST_TERMS:
            return None
        total = _sum(total, part) if node.op == "+" else _product(total, part)
    return total if all(len(set(monomial)) == len(monomial) for monomial in total) else None


def _sum(a: Polynomial, b: Polynomial) -> Polynomial:
    found = Counter(a)
    found.update(b)
    return {monomial: n for monomial, n in found.items() if n}


def _product(a: Polynomial, b: Polynomial) -> Polynomial:
    found: Counter[Monomial] = Counter()
    for x, n in a.items():
        for y, m in b.items():
            found[tuple(sorted((*x, *y), key=id))] += n * m
    return {monomial: n for monomial, n in found.items() if n}


def written(terms: Polynomial) -> str:
    """`32*threadIdx.x + threadIdx.y - 1`: thread ids first, then block ids, loop variables, parameters, the number."""
    if not terms:
        return "0"
    ordered = sorted(terms.items(), key=_key)
    if ordered[0][1] < 0:
        first = next((i for i, (_, n) in enumerate(ordered) if n > 0), 0)
        ordered.insert(0, ordered.pop(first))
    text = _term(*ordered[0])
    for monomial, n in ordered[1:]:
        text += (" - " if n < 0 else " + ") + _term(monomial, abs(n))
    return text


def _rank(symbol: Node) -> tuple[int, str]:
    return (KINDS.index(symbol.kind) if symbol.kind in KINDS else len(KINDS), symbol.name)


def _key(term: tuple[Monomial, int]) -> tuple[int, bool, list[tuple[int, str]], int, str]:
    monomial, n = term
    ranks = sorted({_rank(symbol) for symbol in monomial})
    return (ranks[0][0] if ranks else len(KINDS) + 1, False, ranks, -abs(n), _factors(monomial))


def _factors(monomial: Monomial) -> str:
    ordered = sorted(monomial, key=lambda symbol: (-_rank(symbol)[0], symbol.name))
    return "*".join(symbol.name for symbol in ordered)


def _term(monomial: Monomial, n: int) -> str:
    if not monomial:
        return str(n)
    return ("-" if n < 0 else "") + (f"{abs(n)}*" if abs(n) != 1 else "") + _factors(monomial)
