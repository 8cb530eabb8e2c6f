"""Polynomials with integer coefficients over factors: symbols, and C's operators applied to
polynomials, which stay as they are.

In: integers and factors. Out: polynomials multiplied out, so that equal sums of products are equal
polynomials. Never: text. A power is a factor that occurs more than once in a monomial.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from kernlint.base.dataclass import dataclass, field

# of a symbol: the place of its kind in the order in which people read, its name
Rank = tuple[int, str]


@dataclass(frozen=True, slots=True, eq=False)
class Factor:
    """A symbol (`op` is "") or an operator applied to `arguments`; one object for each within a
    table.

    `ranks`: of the symbols in it, sorted. `serial`: its place in the table, the order of factors in
    a monomial.
    """

    op: str
    arguments: tuple[Polynomial, ...]
    symbols: frozenset[Factor]
    ranks: tuple[Rank, ...]
    serial: int

    @property
    def name(self) -> str:
        return self.ranks[0][1]


Monomial = tuple[Factor, ...]  # by serial
Polynomial = dict[Monomial, int]  # coefficients, none of them 0


@dataclass(frozen=True, slots=True)
class Factors:
    """The table in which factors are unique."""

    _table: dict[Hashable, Factor] = field(default_factory=dict)
    _symbols: dict[str, Factor] = field(default_factory=dict)
    _ranks: dict[Factor, Rank] = field(default_factory=dict)

    def symbol(self, key: Hashable, rank: Rank) -> Factor:
        """The symbol of this key, new with this rank."""
        found = self._table.get(key)
        if found is None:
            own: set[Factor] = set()
            found = self._table[key] = Factor("", (), frozenset(own), (rank,), len(self._table))
            self._ranks[found] = rank
            self._symbols.setdefault(rank[1], found)
        return found

    def named(self, name: str) -> Factor | None:
        """The first symbol made that is shown as `name`."""
        return self._symbols.get(name)

    def applied(self, op: str, arguments: tuple[Polynomial, ...]) -> Factor:
        """The operator applied to the arguments."""
        key = (op, *(frozenset(argument.items()) for argument in arguments))
        found = self._table.get(key)
        if found is None:
            symbols = frozenset(
                s
                for argument in arguments
                for monomial in argument
                for s in self.symbols_of(monomial)
            )
            ranks = tuple(sorted(self._ranks[symbol] for symbol in symbols))
            found = self._table[key] = Factor(op, arguments, symbols, ranks, len(self._table))
        return found

    def symbols_of(self, monomial: Monomial) -> set[Factor]:
        """The symbols of a monomial, those inside operators too."""
        return {
            symbol for factor in monomial for symbol in (factor.symbols if factor.op else (factor,))
        }

    def ranks_of(self, monomial: Monomial) -> list[Rank]:
        return sorted(self._ranks[symbol] for symbol in self.symbols_of(monomial))


def constant(value: int) -> Polynomial:
    return {(): value} if value else {}


def number(terms: Polynomial) -> int | None:
    """The integer that the polynomial is; None where it holds a factor."""
    return None if any(terms) else terms.get((), 0)


def total(parts: Iterable[Polynomial]) -> Polynomial:
    found: Polynomial = {}
    for part in parts:
        for monomial, n in part.items():
            found[monomial] = found.get(monomial, 0) + n
    return {monomial: n for monomial, n in found.items() if n}


def product(a: Polynomial, b: Polynomial) -> Polynomial:
    found: Polynomial = {}
    for x, n in a.items():
        for y, m in b.items():
            monomial = (
                tuple(sorted((*x, *y), key=lambda factor: factor.serial)) if x and y else x or y
            )
            found[monomial] = found.get(monomial, 0) + n * m
    return {monomial: n for monomial, n in found.items() if n}


def scaled(terms: Polynomial, by: int) -> Polynomial:
    return {monomial: n * by for monomial, n in terms.items()} if by else {}


def coefficient(terms: Polynomial, factor: Factor) -> Polynomial:
    """What is multiplied by the factor's first power."""
    return {
        tuple(f for f in m if f is not factor): n for m, n in terms.items() if m.count(factor) == 1
    }
