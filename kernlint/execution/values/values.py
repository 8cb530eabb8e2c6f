"""Values of integer and pointer expressions: a known `Sum` plus unknown atoms with known
coefficients.

`row*n + c` with n unknown is {n: row} + c; a pointer is {its object's base: 1} + byte offset. What
is not linear in an unknown becomes a new atom keyed by operation and operands, so equal
computations on equal unknowns stay equal. Never looks at memory or control flow.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping

import numpy as np

from kernlint.base.dataclass import dataclass, field, referable
from kernlint.base.per_object import PerObject
from kernlint.execution.values import sums
from kernlint.execution.values.booleans import Condition
from kernlint.execution.values.sums import LANE, ZERO, Array, Key, Sum, sum_identity
from kernlint.execution.values.undo_log import cut_back, refill
from kernlint.ir import nodes as ir
from kernlint.ir.types import Type, type_bounds


@dataclass(frozen=True, slots=True)
class Selector:
    """An unknown that is one for the lanes of a warp, by its residues modulo a constant. Equal ones
    have equal residues."""

    name: str
    modulus: int
    residues: tuple[int, ...]
    key: Hashable


@referable
@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Atom:
    """An unknown integer. `determiners`: lanes (blocks, iterations) that agree on all of them hold
    the same value; none: one value for the whole launch. `multiple`: it is a multiple of that.
    `low`, `high`: bounds or None. `base`: the object whose address it is. `is_size`: an argument
    such as n, taken to be large and positive where a guard compares with it. `choices`: the values
    that it may have, one for each residue of what `selector` names. `shifts`: `name` is the same
    for all lanes, which differ by what is known. `beyond`: by how much the unknown called `name` is
    more than this atom. `made`: the operation and operands that it is the result of. `is_undeclared`:
    a name that nothing seen declares: a constant, or a macro for a thread's number. `of_iteration`:
    it may be another number in another iteration of a loop whose iterations are run as one."""

    name: str
    reason: str
    low: int | None = None
    high: int | None = None
    multiple: int = 1
    determiners: tuple[Sum, ...] = ()
    base: ir.MemoryObject | None = None
    is_size: bool = False
    sources: frozenset[str] = frozenset()
    choices: tuple[Sum, ...] = ()
    selector: Selector | None = None
    shifts: bool = False
    beyond: int = 0
    made: tuple[str, tuple[Value, ...]] | None = None
    is_undeclared: bool = False
    of_iteration: bool = False

    @property
    def varies_by_lane(self) -> bool:
        return any(LANE in key for d in self.determiners for key in d.parts)


# Which of several unknowns is named: data before sizes, and the launch last, which alone would not
# decide.
ITERATIONS = "unknown-trip-count"  # the reason of what counts those of a loop without a known end
REMOTE = "remote-shared"  # the reason of an address in another block of the cluster
BLAME = {"loaded-value": 0, "unknown-argument": 2, "unknown-launch": 3}
Limits = tuple[int | None, int | None]
UNLIMITED: Limits = (None, None)


def varies_by_iteration(atom: Atom) -> bool:
    return atom.of_iteration or atom.reason == ITERATIONS


@dataclass(frozen=True, slots=True, eq=False)
class RealLanes:
    """Known floating-point numbers over lanes, blocks and iterations, as doubles. `inexact`: they are
    a product that was rounded."""

    key: Key
    array: Array
    inexact: bool = False

    @property
    def pattern(self) -> Sum:
        """Their bits as integers: equal ones for equal numbers."""
        return sums.of_array(self.key, self.array.view(np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """known + Σ coefficient · atom. `condition`: the truth this value stands for, when it is a bool
    that need not be a dense array. `limits`: bounds that are known beside those of the atoms."""

    known: Sum
    terms: Mapping[Atom, Sum] = field(default_factory=dict)
    condition: Condition | None = None
    # a floating-point value: one for all lanes, or one each
    real: float | RealLanes | None = None
    limits: Limits = UNLIMITED

    @property
    def is_integer(self) -> bool:
        """Whether it is neither a real number nor a truth."""
        return self.real is None and self.condition is None

    @property
    def is_known(self) -> bool:
        return (
            not self.terms
            and self.real is None
            and (self.condition is None or self.condition.is_known)
        )


def integer(value: int) -> Value:
    return Value(sums.constant(value))


def constant_of(value: Value) -> int | None:
    """The one integer that the value is for all lanes; None where it is not known or they differ."""
    if value.is_known and value.known.is_constant and value.condition is None:
        return value.known.const
    return None


def of_atom(atom: Atom) -> Value:
    return Value(ZERO, {atom: sums.ONE})


def base_of(value: Value) -> Atom | None:
    """The base atom of a pointer value, if it has exactly one with coefficient 1."""
    bases = [a for a, c in value.terms.items() if a.base is not None]
    if len(bases) == 1 and value.terms[bases[0]].is_constant and value.terms[bases[0]].const == 1:
        return bases[0]
    return None


def object_at(address: Value) -> ir.MemoryObject | None:
    """The object that an address lies in, where that is known."""
    base = base_of(address)
    return base.base if base is not None else None


def bounds(value: Value) -> tuple[int | None, int | None]:
    low: int | None = value.known.low
    high: int | None = value.known.high
    for atom, coefficient in value.terms.items():
        factors = (
            (coefficient.low,)
            if coefficient.low == coefficient.high
            else (coefficient.low, coefficient.high)
        )
        low = (
            None
            if low is None
            else _plus(low, [_scaled(c, atom.low if c >= 0 else atom.high) for c in factors], min)
        )
        high = (
            None
            if high is None
            else _plus(high, [_scaled(c, atom.high if c >= 0 else atom.low) for c in factors], max)
        )
    least, most = value.limits
    return (low if least is None or (low is not None and low > least) else least), (
        high if most is None or (high is not None and high < most) else most
    )


def _scaled(factor: int, end: int | None) -> int | None:
    return None if end is None else factor * end


def _plus(end: int, corners: list[int | None], farthest: Callable[[list[int]], int]) -> int | None:
    known = [corner for corner in corners if corner is not None]
    return end + farthest(known) if len(known) == len(corners) else None


def identity(value: Value) -> Hashable:
    """Equal identities mean equal values. They keep the atoms alive: the number of one that is gone
    may soon be that of another."""
    if value.real is not None:
        real = value.real
        return ("real", sum_identity(real.pattern) if isinstance(real, RealLanes) else real)
    return sum_identity(value.known), frozenset(
        (atom, sum_identity(c)) for atom, c in value.terms.items()
    )


def determiners(*values: Value) -> tuple[Sum, ...]:
    return sums.distinct(
        part
        for value in values
        for part in (
            value.real.pattern if isinstance(value.real, RealLanes) else value.known,
            *value.terms.values(),
            *(d for atom in value.terms for d in atom.determiners),
        )
    )


def add(a: Value, b: Value) -> Value:
    if not a.terms and not b.terms:
        return Value(sums.add(a.known, b.known))
    if not b.terms and a.limits == UNLIMITED == b.limits:
        return Value(sums.add(a.known, b.known), a.terms)
    terms = dict(a.terms)
    for atom, coefficient in b.terms.items():
        total = sums.add(terms[atom], coefficient) if atom in terms else coefficient
        if total.is_constant and total.const == 0:
            terms.pop(atom, None)
        else:
            terms[atom] = total
    limited = a.limits != UNLIMITED or b.limits != UNLIMITED
    return Value(
        sums.add(a.known, b.known),
        terms,
        limits=_added(bounds(a), bounds(b)) if limited else UNLIMITED,
    )


def _added(a: Limits, b: Limits) -> Limits:
    return _end_plus(a[0], b[0]), _end_plus(a[1], b[1])


def _end_plus(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a + b


def times(a: Value, factor: Sum) -> Value:
    if factor.is_constant and factor.const == 0:
        return integer(0)
    limits = UNLIMITED
    if a.limits != UNLIMITED and factor.is_constant:
        low, high = (None if end is None else end * factor.const for end in a.limits)
        limits = (low, high) if factor.const > 0 else (high, low)
    products = ((atom, sums.multiply(c, factor)) for atom, c in a.terms.items())
    terms = {atom: c for atom, c in products if not (c.is_constant and c.const == 0)}
    return Value(sums.multiply(a.known, factor), terms, limits=limits)


def negate(a: Value) -> Value:
    return times(a, sums.constant(-1))


def subtract(a: Value, b: Value) -> Value:
    return add(a, negate(b))


AtomsCheckpoint = tuple[int, int, int, dict[str, frozenset[str]]]


class Atoms:
    """The atoms of one execution, one per key: the same key always gives the same atom.
    `assumptions`: what had to be taken for granted to give some of them, in words, and the unknowns
    that it is about; `splitting`: whether a choice by block may ask for other runs."""

    def __init__(self, warp_lanes: int = 1) -> None:
        self.warp_lanes = warp_lanes
        self.splitting = True
        self.assumptions: dict[str, frozenset[str]] = {}
        self._known: dict[Hashable, Atom] = {}
        self._fresh = 0
        self._ranks: dict[Atom, int] = {}

    def checkpoint(self) -> AtomsCheckpoint:
        return len(self._known), self._fresh, len(self._ranks), dict(self.assumptions)

    def restore(self, checkpoint: AtomsCheckpoint) -> None:
        known, self._fresh, ranks, assumptions = checkpoint
        cut_back(self._known, known)
        cut_back(self._ranks, ranks)
        refill(self.assumptions, assumptions)

    def rank(self, atom: Atom) -> int:
        """Atoms in the order in which they were first asked about here."""
        return self._ranks.setdefault(atom, len(self._ranks))

    def intern(self, key: Hashable, make: Atom) -> Atom:
        return self._known.setdefault(key, make)

    def fresh(self, name: str, reason: str, type_: Type, by: tuple[Sum, ...] = ()) -> Value:
        self._fresh += 1
        low, high = type_bounds(type_)
        return of_atom(
            self.intern(("fresh", self._fresh), Atom(name, reason, low, high, determiners=by))
        )

    def derived(
        self,
        operation: str,
        type_: Type,
        operands: tuple[Value, ...],
        limits: tuple[int | None, int | None] | None = None,
        multiple: int = 1,
    ) -> Value:
        """The unknown result of a deterministic operation on `operands`."""
        sources = [atom for operand in operands for atom in operand.terms]
        low, high = limits if limits is not None else type_bounds(type_)
        varying = [atom for atom in sources if atom.varies_by_lane]
        blamed = min(varying or sources, key=lambda a: BLAME.get(a.reason, 1), default=None)
        by = determiners(*operands)
        apart = any(LANE in key for d in by for key in d.parts)
        atom = Atom(
            blamed.name if blamed is not None else operation,
            (blamed.reason if blamed is not None else "") or "unsupported",
            low,
            high,
            multiple,
            by,
            is_size=bool(sources)
            and all(a.is_size for a in sources)
            and operation in ("*", "/", ">>", "+", "convert", "min"),
            sources=frozenset().union(*(a.sources or {a.name} for a in sources))
            if sources
            else frozenset(),
            shifts=blamed is not None and (blamed.shifts or (apart and not varying)),
            made=(operation, operands),
            of_iteration=any(map(varies_by_iteration, sources)),
        )
        return of_atom(self.intern((operation, str(type_), *(identity(o) for o in operands)), atom))


SPELLED = ("*", "/", "%", "&", "|", "^", "<<", ">>")
_IN_WORDS = (*SPELLED, "convert", "min", "max")
# characters of an unknown as an expression: nobody reads longer ones, and operands that share
# unknowns double it each time
LONGEST = 400


def _spelling(atom: Atom) -> str:
    text = _as_made(atom)
    return text if len(text) <= LONGEST else _computed(atom)


spelling = PerObject(_spelling)
spelling.__doc__ = "The unknown as an expression in the user's names: `n`, `(n / 4)`. Unknowns share operands: each is put into words once."


def _computed(atom: Atom) -> str:
    return f"(a value computed from {', '.join(sorted(atom.sources)) or atom.name})"


def _as_made(atom: Atom) -> str:
    """An unknown by the operation that it is the result of."""
    if atom.made is None:
        return atom.name
    operation, operands = atom.made
    texts = [_spelled(operand) for operand in operands] if operation in _IN_WORDS else [""]
    if operation == "convert" and texts[0]:
        return texts[0]
    if not all(texts) or operation == "convert":
        return _computed(atom)
    if operation in ("min", "max"):
        return f"{operation}({', '.join(texts)})"
    return f"({f' {operation} '.join(texts)})"


def _spelled(value: Value) -> str:
    """An operand that is a constant or one unknown; "" for all else."""
    if not value.terms:
        return str(value.known.const) if value.known.is_constant and value.real is None else ""
    ((atom, coefficient), *others) = value.terms.items()
    if others or not value.known.is_constant or not coefficient.is_constant:
        return ""
    rest = value.known.const - coefficient.const * atom.beyond
    text = spelling(atom) if coefficient.const == 1 else f"{coefficient.const} * {spelling(atom)}"
    return (
        text
        if not rest and coefficient.const == 1
        else f"({text} {'-' if rest < 0 else '+'} {abs(rest)})"
        if rest
        else f"({text})"
    )


def granularity(value: Value) -> int:
    """The greatest g such that the unknown part is always a multiple of g (0 when nothing is
    unknown)."""
    return (
        math.gcd(*(_coefficient_gcd(c) * a.multiple for a, c in value.terms.items()))
        if value.terms
        else 0
    )


def divisor(value: Value) -> int:
    """A number that divides the value, known and unknown part (0 for zero)."""
    return math.gcd(granularity(value), _coefficient_gcd(value.known))


def _coefficient_gcd(coefficient: Sum) -> int:
    result = abs(coefficient.const)
    for array in coefficient.parts.values():
        flat = array.ravel()
        result = (
            math.gcd(result, int(abs(flat[0])), *(int(x) for x in set(abs(flat[:1024]).tolist())))
            if flat.size <= 1024
            else 1
        )
    return result


def _varies(array: Array, warp_lanes: int) -> bool:
    rows = (
        array.reshape(-1, warp_lanes)
        if array.shape[-1] % warp_lanes == 0
        else array.reshape(-1, array.shape[-1])
    )
    return bool((rows != rows[:, :1]).any())


_varies_of = PerObject(_varies)


def varies_in_warp(by: tuple[Sum, ...], warp_lanes: int) -> bool:
    """Whether lanes of one warp may differ in any of the determiners."""
    return any(
        LANE in key and _varies_of(array, warp_lanes)
        for determiner in by
        for key, array in determiner.parts.items()
    )
