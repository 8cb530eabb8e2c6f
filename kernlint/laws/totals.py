"""How often a warp makes an access: sums over blocks and loops, with the conditions around it.

In: records, device. Out: expressions. Axes are the three of the grid and the loops, outermost
first; an axis runs from 0 to its extent. A condition on blocks or iterations shortens an axis or is
a factor of 0 or 1; a condition on threads becomes a `Prefix`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import sympy
from sympy.logic.boolalg import to_nnf

from kernlint.base.dataclass import dataclass
from kernlint.laws.flags import condition_of
from kernlint.laws.functions import (
    FLAGS,
    Ceiling,
    Floor,
    Max,
    Min,
    Power,
    Residue,
    Value,
    count_of,
    is_clipped,
    symbol,
    unclipped,
)
from kernlint.laws.lane_values import ONE, Array, Coefficient, LaneSum, add, number, scaled, uniform
from kernlint.laws.patterns import LANES, NoLaw
from kernlint.laws.records import State
from kernlint.laws.summation import summed
from kernlint.laws.values import Relation

GUARD = "its condition on the thread has no closed form"
MOVING = "the alignment changes between blocks or iterations"
TRIPS = "the trip count of a loop around it depends on blocks or loops in no closed form"


@dataclass(frozen=True, slots=True)
class Axis:
    """`extent` None: until a condition ends it."""

    counter: Value
    extent: Value | None
    consumed: bool = False  # by a condition on threads that counts along it
    displaced: bool = False  # so many iterations, but not those from 0 on


@dataclass(frozen=True, slots=True)
class Prefix:
    """Threads that a condition keeps: the first `count` of consecutive ones, over blocks and
    iterations; in rows of `row` threads along one dimension of the block, or of whole blocks.
    `along`: the counters that it counts along, each with how many threads a step of it is; `first`:
    how many of the first ones another condition leaves out."""

    count: Value
    dimension: str  # "threads", "x" or "y"
    along: tuple[tuple[Value, Value], ...] = ()
    first: int = 0


@dataclass(frozen=True, slots=True)
class Times:
    """How often the block's warps run the access: over `axes`, where `conditions` hold, and those
    threads that `prefixes` keep."""

    axes: tuple[Axis, ...]
    conditions: tuple[Value, ...]
    prefixes: tuple[Prefix, ...]

    def total(self, term: Value) -> Value:
        """The sum of a term over the launch."""
        counters = [axis.counter for axis in self.axes]
        fixed = [c for c in self.conditions if not any(c.has(k) for k in counters)]
        for condition in self.conditions:
            if condition not in fixed:
                term = sympy.Piecewise((term, condition), (sympy.S.Zero, True))
        for axis in reversed(self.axes):
            if (axis.consumed or axis.displaced) and term.has(axis.counter):
                raise NoLaw(MOVING)
            term = summed(term, axis.counter, self._extent(axis))
        if not fixed:
            return term
        return sympy.Piecewise((term, sympy.And(*fixed)), (sympy.S.Zero, True))

    def _extent(self, axis: Axis) -> Value:
        """Without its max(0, …) where the loops around make sure that it is never negative."""
        if axis.extent is None:
            raise NoLaw(TRIPS)
        outer = self.axes[: self.axes.index(axis)]
        inside = [one for one in outer if axis.extent.has(one.counter)]
        if len(inside) != 1 or not is_clipped(axis.extent):
            return axis.extent
        body = unclipped(axis.extent)
        return body if _never_negative(body, inside[0]) else axis.extent


def _never_negative(body: Value, axis: Axis) -> bool:
    """Whether a linear extent is at least 0 at both ends of the axis it depends on, whenever that
    has an iteration at all."""
    if axis.extent is None or axis.displaced or not body.is_polynomial(axis.counter):
        return False
    if sympy.degree(body, axis.counter) != 1:
        return False
    inner = unclipped(axis.extent)
    if not all(e.is_polynomial(*e.free_symbols) for e in (body, inner)):
        return False
    more = sympy.Dummy("more", integer=True)
    names = [one for one in inner.free_symbols if inner.is_polynomial(one)]
    least = {}
    if len(names) == 1 and inner.coeff(names[0]) == 1:
        least = {names[0]: 1 + more - (inner - names[0])}  # inner = 1 + more
    ends = (body.xreplace({axis.counter: sympy.S.Zero}),
            body.xreplace({axis.counter: inner - 1}))  # fmt: skip
    return all(_all_nonnegative(sympy.expand(end.xreplace(least)), more) for end in ends)


def _all_nonnegative(e: Value, more: Value) -> bool:
    return not (e.free_symbols - {more}) and all(c >= 0 for c in sympy.Poly(e, more).all_coeffs())


GRID = tuple(Axis(symbol(f"b{axis}"), symbol(f"gd{axis}")) for axis in "zyx")


def axes_of(state: State) -> list[Axis]:
    return [*GRID, *(Axis(loop.counter, loop.trips) for loop in state.loops)]


def times(state: State, block: tuple[int, int, int]) -> Times:
    """NoLaw where a condition or trip count has no closed form."""
    if state.reason:
        raise NoLaw(state.reason)
    axes = axes_of(state)
    atoms = _merged([_unscaled(atom) for atom in _without_implied(state.atoms)], axes)
    prefixes = _prefixes([one for one in atoms if not one.value.uniform], axes, block, state.mask)
    conditions: list[Value] = []
    for atom in atoms:
        if atom.value.uniform and not _shortens(atom, axes):
            condition = relation(atom)
            if any(axis.consumed and condition.has(axis.counter) for axis in axes):
                raise NoLaw(GUARD)
            conditions.append(condition)
    return Times(tuple(axes), tuple(conditions), tuple(prefixes))


HOLDS: dict[str, Callable[[int, int], bool]] = {
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def _without_implied(atoms: Sequence[Relation]) -> list[Relation]:
    """Without what holds wherever another condition says that `n == 3`: each case of a long chain
    of them excludes all cases before."""
    equal: dict[Value, tuple[Relation, int]] = {}
    for atom in atoms:
        line = _line(atom.value) if atom.relation == "==" else None
        if line is not None and abs(line[1]) == 1:
            name, n, rest = line
            equal.setdefault(name, (atom, -rest * n))
    return [atom for atom in atoms if not _implied(atom, equal)]


def _implied(atom: Relation, equal: Mapping[Value, tuple[Relation, int]]) -> bool:
    line = _line(atom.value)
    if line is None or line[0] not in equal or equal[line[0]][0] is atom:
        return False
    name, n, rest = line
    return HOLDS[atom.relation](n * equal[name][1] + rest, 0)


def _unscaled(atom: Relation) -> Relation:
    """A bound on a power times the thread as one on the thread: b**k * t <= e as t <= floor(e /
    b**k)."""
    terms = atom.value.terms
    lanes = [m for m, n in terms.items() if not isinstance(n, int)]
    if atom.relation != ">=" or len(lanes) != 1 or not isinstance(lanes[0], Power):
        return atom
    (power,) = lanes
    scaled_terms: dict[Value, Coefficient] = {ONE: terms[power]}
    rest: dict[Value, Coefficient] = {}
    for monomial, n in terms.items():
        factors = sympy.Mul.make_args(monomial)
        if monomial != power and power in factors:
            scaled_terms[sympy.Mul(*(f for f in factors if f != power))] = n
        elif monomial != power:
            rest[monomial] = n
    quotient = uniform(Floor(LaneSum(rest).expression, power))
    return Relation(">=", add(LaneSum(scaled_terms), quotient))


def _line(value: LaneSum) -> tuple[Value, int, int] | None:
    """(x, n, rest) of n*x + rest that all threads share, x an unknown."""
    names = [monomial for monomial in value.terms if monomial != ONE]
    if len(names) != 1 or not value.uniform:
        return None
    n, rest = value.terms[names[0]], value.number
    if not isinstance(n, int) or not isinstance(rest, int):
        return None
    return names[0], n, rest


def _merged(atoms: Sequence[Relation], axes: Sequence[Axis]) -> list[Relation]:
    """Bounds of the same threads as one, the least of them."""
    counters = [axis.counter for axis in axes]
    found: dict[object, Relation] = {}
    for atom in atoms:
        moving = {m: n for m, n in atom.value.terms.items() if any(m.has(c) for c in counters)}
        lanes = np.asarray(atom.value.number)
        first = int(lanes.flat[0])
        terms = atom.value.terms
        key: object = (atom.relation, *((m, np.asarray(terms[m]).tobytes()) for m in terms))
        bounds = lanes.ndim and atom.relation == ">="
        bounds = bounds and all(isinstance(n, int) for m, n in terms.items() if m != ONE)
        if bounds:
            shape = (lanes - first).tobytes()
            key = (shape, *((m, np.asarray(n).tobytes()) for m, n in moving.items()))
        if key in found and bounds:
            rests = [_rest(one.value, moving) for one in (found[key], atom)]
            least = uniform(Min(*rests))
            atom = Relation(">=", add(add(LaneSum(moving), number(lanes - first)), least))
        found[key] = atom
    return list(found.values())


def _rest(value: LaneSum, moving: Mapping[Value, Coefficient]) -> Value:
    """What is uniform and fixed of a bound, at the first thread."""
    terms = {m: n for m, n in value.terms.items() if m not in moving}
    return LaneSum({m: int(np.asarray(n).flat[0]) for m, n in terms.items()}).expression


def _on(value: LaneSum, axes: Sequence[Axis]) -> list[tuple[Axis, Value, Coefficient]]:
    """The axes that a value depends on, with the monomial and its coefficient."""
    found: list[tuple[Axis, Value, Coefficient]] = []
    for monomial, n in value.terms.items():
        for axis in axes:
            if monomial.has(axis.counter):
                found.append((axis, monomial, n))
    return found


def _shortens(atom: Relation, axes: list[Axis]) -> bool:
    """Whether a condition bounds one axis that nothing else depends on: then it is shorter. Of
    several axes that it depends on that is the innermost."""
    on = _on(atom.value, axes)
    if not on:
        return False
    axis, monomial, n = max(on, key=lambda one: axes.index(one[0]))
    if axis.consumed or axis.displaced or axis.extent is None:
        return False
    if monomial != axis.counter or not isinstance(n, int):
        return False
    rest = LaneSum({m: c for m, c in atom.value.terms.items() if m != monomial}).expression
    from_0 = atom.relation == ">=" and n < 0
    if rest.has(axis.counter):
        return False
    if atom.relation != ">=" and (abs(n) != 1 or len(on) > 1):
        return False
    if not from_0 and _is_counted(axis, axes):
        return False
    counters = [one.counter for one in axes]
    extent = _shortened(atom.relation, rest, n, axis.extent, counters)
    axes[axes.index(axis)] = Axis(axis.counter, extent, displaced=not from_0)
    return True


def _is_counted(axis: Axis, axes: Sequence[Axis]) -> bool:
    """Whether another axis is as long as this one's counter says: then it must run from 0."""
    return any(a.extent is not None and a.extent.has(axis.counter) for a in axes)


def _shortened(
    relation: str, rest: Value, n: int, extent: Value, counters: Sequence[Value]
) -> Value:
    """How many k of 0 <= k < extent have rest + n*k `relation` 0. What is shortened from below does
    not start at 0, which only sums of constants allow."""
    if relation == ">=" and n < 0:
        end = count_of(rest, -n)
        whole = unclipped(extent)
        if _only_adds(whole - end, counters):
            return Max(0, end)
        return Min(extent, Max(0, end))
    if relation == ">=":
        first = -rest if n == 1 else Ceiling(-rest, n)
        first = first if _only_adds(first, counters) else Max(0, first)
        return Max(0, extent - first)
    place = -rest * n
    inside = sympy.And(sympy.Ge(place, 0), sympy.Lt(place, extent))
    one = sympy.Piecewise((sympy.S.One, inside), (sympy.S.Zero, True))
    return one if relation == "==" else extent - one


def _only_adds(e: Value, counters: Sequence[Value]) -> bool:
    """Whether it is a sum of counters and a number that is not negative."""
    parts = [part.as_coeff_Mul() for part in sympy.Add.make_args(sympy.expand(e))]
    return all(n >= 0 and (rest == 1 or rest in counters) for n, rest in parts)


def relation(atom: Relation) -> Value:
    """A condition that all threads of a block share."""
    value = atom.value.expression
    if atom.relation != ">=" and isinstance(value, FLAGS):
        holds = condition_of(value)
        return holds if atom.relation == "!=" else to_nnf(sympy.Not(holds))
    kind = {">=": sympy.Ge, "==": sympy.Eq, "!=": sympy.Ne}[atom.relation]
    more, less = _sides(value)
    if more.is_Integer or less.is_Integer:
        return kind(value, 0)
    if (
        atom.relation == ">="
        and (one := more.as_coeff_Add())[0] == 0
        and less.as_coeff_Add()[0] == 1
    ):
        return sympy.Gt(one[1], less - 1)
    return kind(more, less)


def _sides(value: Value) -> tuple[Value, Value]:
    """What is added and what is taken away."""
    terms = sympy.Add.make_args(value)
    less = [term for term in terms if term.as_coeff_Mul()[0] < 0]
    return sympy.Add(*(term for term in terms if term not in less)), -sympy.Add(*less)


# ------------------------------------------------------------------ conditions on threads


def _prefixes(
    atoms: Sequence[Relation], axes: list[Axis], block: tuple[int, int, int], mask: Array
) -> list[Prefix]:
    """Of conditions that keep the first threads. A constant lower bound on the same threads becomes
    `first` of the upper one, or of all threads where nothing bounds them from above."""
    ends = {_shape(atom, axes, -1): atom for atom in atoms}
    least: dict[int, int] = {}
    kept: list[Relation] = []
    for atom in atoms:
        end = ends.get(_shape(atom, axes, 1))
        if not _rises(atom) or not _only_moves(atom, axes):
            kept.append(atom)
            continue
        if end is None:
            end = _all_threads(atom, axes, block)
            kept.append(end)
        least[id(end)] = max(least.get(id(end), 0), -int(np.asarray(atom.value.number).flat[0]))
    return [_prefix(atom, axes, block, mask, least.get(id(atom), 0)) for atom in kept]


def _all_threads(atom: Relation, axes: Sequence[Axis], block: tuple[int, int, int]) -> Relation:
    """What every thread passes, as a bound from above that moves as the atom does from below."""
    numbers = np.asarray(atom.value.number)
    _, size, step = _dimension(numbers[0] - numbers, block)
    on = _on(atom.value, axes)
    total: Value = sympy.Integer(size)
    if on:
        (axis, monomial, n), *others = on
        if others or monomial != axis.counter or axis.extent is None:
            raise NoLaw(GUARD)
        if not isinstance(n, int) or n != size * step:
            raise NoLaw(GUARD)
        total = size * axis.extent
    end = uniform(step * (total - 1) + int(numbers[0]))
    return Relation(">=", add(scaled(atom.value, -1), end))


def _rises(atom: Relation) -> bool:
    """Whether a bound holds from some thread on: what is at least 0 grows with the threads."""
    numbers = np.asarray(atom.value.number)
    return bool((numbers > numbers.flat[0]).any())


def _shape(atom: Relation, axes: Sequence[Axis], sign: int) -> object:
    """How a bound moves with threads, blocks and iterations, times a sign."""
    numbers = np.asarray(atom.value.number)
    moving = frozenset(
        (monomial, (sign * np.asarray(n)).tobytes()) for _, monomial, n in _on(atom.value, axes)
    )
    return atom.relation, (sign * (numbers - numbers.flat[0])).tobytes(), moving


def _only_moves(atom: Relation, axes: Sequence[Axis]) -> bool:
    """Whether nothing unknown is added to a bound."""
    moving = {monomial for _, monomial, _ in _on(atom.value, axes)}
    return all(monomial == ONE or monomial in moving for monomial in atom.value.terms)


def _prefix(
    atom: Relation, axes: list[Axis], block: tuple[int, int, int], mask: Array, least: int
) -> Prefix:
    """Consumes the axes that the condition counts along. `least`: what falls must have fallen by."""
    lanes = [m for m, n in atom.value.terms.items() if not isinstance(n, int)]
    if atom.relation != ">=" or lanes != [ONE]:
        raise NoLaw(GUARD)
    numbers = np.asarray(atom.value.number)
    dimension, size, step = _dimension(numbers - numbers[0], block)
    by_row = mask.reshape(-1, block[0])
    if not (mask.all() or (dimension == "y" and (by_row == by_row[:1]).all())):
        raise NoLaw(GUARD)
    on = _on(atom.value, axes)
    first = max(0, -(-least // step))
    if not on:
        count = _count_without([], atom.value, step)
        return Prefix(Min(count, sympy.Integer(size)), dimension, first=first)
    how = (dimension, size, step)
    found = _strided(on, axes, atom.value, how)
    found = found or _counted_along(on, axes, _count_without(on, atom.value, step), how)
    found = found or _varying(atom, axes, numbers, how)
    if first and not found.along:
        raise NoLaw(GUARD)
    return replace(found, first=first)


def _count_without(
    on: Sequence[tuple[Axis, Value, Coefficient]], value: LaneSum, step: int
) -> Value:
    """How many threads pass, as far as what blocks and iterations add goes."""
    moving = [monomial for _, monomial, _ in on]
    first = int(np.asarray(value.number).flat[0])
    rest = {m: first if m == ONE else n for m, n in value.terms.items() if m not in moving}
    return Max(0, count_of(LaneSum(rest).expression, step))


def _counted_along(
    on: Sequence[tuple[Axis, Value, Coefficient]],
    axes: list[Axis],
    count: Value,
    how: tuple[str, int, int],
) -> Prefix | None:
    """Along one axis, each step of which is so many threads. Where that is more than the block has,
    the threads between do not exist."""
    (axis, monomial, n), (dimension, size, step) = on[0], how
    if len(on) != 1 or monomial != axis.counter or not isinstance(n, int):
        return None
    if n > -size * step or n % step or not _consumes((axis,), axes, how):
        return None
    stride = -n // step
    if axis.extent is not None:
        whole = stride * axis.extent
        if not _is_within(unclipped(count), stride, unclipped(axis.extent)):
            count = whole if unclipped(count) == whole else Min(count, whole)
    if stride > size:
        count = Floor(count, stride) * size + Min(Residue(count, stride), size)
    along = ((axis.counter, sympy.Integer(size)),) if stride == size else ()
    return Prefix(count, dimension, along)


def _is_within(count: Value, stride: int, extent: Value) -> bool:
    """Whether so many iterations of `stride` threads are made for at least that many threads:
    ceil(x / (s*stride)) of them for ceil(x / s), or less."""
    if not isinstance(extent, Ceiling):
        return False
    x, size = extent.args
    parts = count.args if isinstance(count, (Ceiling, Floor)) else (count, sympy.S.One)
    less = parts[0] - x
    return bool(less.is_Integer and less <= 0 and parts[1] * stride == size)


def _varying(atom: Relation, axes: list[Axis], numbers: Array, how: tuple[str, int, int]) -> Prefix:
    """The first threads of each block, as many as the block and the iteration say. A loop that
    nothing else ends runs as long as there is a first thread."""
    dimension, size, step = how
    terms = {m: (int(numbers[0]) if m == ONE else n) for m, n in atom.value.terms.items()}
    for place, axis in enumerate(axes):
        fall = terms.get(axis.counter, 0)
        if axis.extent is None and isinstance(fall, int) and fall < 0:
            rest = LaneSum({m: n for m, n in terms.items() if m != axis.counter}).expression
            extent = Max(0, count_of(rest, -fall))
            axes[place] = Axis(axis.counter, extent)
    whole = count_of(LaneSum(terms).expression, step)
    return Prefix(Min(Max(0, whole), sympy.Integer(size)), dimension)


def _consumes(some: Sequence[Axis], axes: list[Axis], how: tuple[str, int, int]) -> bool:
    """Whether the axes can be counted along; then they are consumed."""
    dimension, size, _ = how
    if dimension == "threads" and size % LANES:
        return False
    if any(axis.consumed or axis.displaced for axis in some):
        return False
    if any(_is_counted(axis, axes) for axis in some):
        return False
    for axis in some:
        axes[axes.index(axis)] = Axis(axis.counter, sympy.S.One, True)
    return True


def _strided(
    on: list[tuple[Axis, Value, Coefficient]],
    axes: list[Axis],
    value: LaneSum,
    how: tuple[str, int, int],
) -> Prefix | None:
    """Threads of the whole grid, one block after the other, and loops that stride over it:
    b*size + k*size*grid. What else moves changes their number. None for anything else."""
    dimension, size, step = how
    moving = [one for one in on if isinstance(one[2], int) and one[2] == -size * step]
    chain = _chain(moving)
    counters = [axis.counter for axis, _ in chain]
    others = [monomial for _, monomial, _ in on if monomial not in [m for _, m, _ in moving]]
    if len(chain) < len(moving) or len(on) == 1 or not chain:
        return None
    if any(monomial.has(counter) for monomial in others for counter in counters):
        return None
    if not _consumes([axis for axis, _ in chain], axes, how):
        return None
    count, whole = _count_without(moving, value, step), sympy.Integer(size)
    extents = [axis.extent for axis, _ in chain]
    if None not in extents:
        most = whole * sympy.Mul(*extents)
        is_part = isinstance(count, Ceiling) and count.args[0] == most
        count = count if is_part else Min(count, most)
    return Prefix(count, dimension, tuple((monomial, whole) for _, monomial in chain))


def _chain(moving: Sequence[tuple[Axis, Value, Coefficient]]) -> list[tuple[Axis, Value]]:
    """Axes each of which moves on by all of those before it."""
    chain: list[tuple[Axis, Value]] = []
    left, scale = list(moving), sympy.S.One
    while left and scale is not None:
        found = [one for one in left if one[1] == scale * one[0].counter]
        if not found:
            break
        axis, monomial, _ = found[0]
        left.remove(found[0])
        chain.append((axis, monomial))
        scale = None if axis.extent is None else scale * axis.extent
    return chain


def _dimension(falls: Array, block: tuple[int, int, int]) -> tuple[str, int, int]:
    """Along what a condition falls, its size, and by how much."""
    x, y, z = block
    linear = np.arange(x * y * z)
    falls = np.broadcast_to(falls, linear.shape)
    step = -int(max(falls[falls != 0], default=-1))
    if step <= 0:
        raise NoLaw(GUARD)
    if (falls == -step * linear).all():
        return "threads", x * y * z, step
    if z == 1 and (falls == -step * (linear % x)).all():
        return "x", x, step
    if z == 1 and (falls == -step * (linear // x)).all():
        return "y", y, step
    raise NoLaw(GUARD)
