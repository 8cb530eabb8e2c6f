"""How often a warp makes an access: sums over blocks and loops, with the conditions around it.

In: records, device. Out: expressions. Axes are the three of the grid and the loops, outermost
first; an axis runs from 0 to its extent. Sums of polynomials are Faulhaber's; a condition that
bounds one axis shortens it.
"""

from __future__ import annotations

import numpy as np
import sympy

from kernlint.base.dataclass import dataclass
from kernlint.laws.functions import Ceiling, Floor, Value, symbol
from kernlint.laws.lane_values import ONE, Array, Coefficient, LaneSum
from kernlint.laws.patterns import LANES, NoLaw
from kernlint.laws.values import Relation
from kernlint.laws.walk import AccessRecord, State

GUARD = "its condition on the thread has no closed form"
CONDITION = "its condition on blocks or iterations has no closed form"
TRIPS = "the trip count of a loop around it depends on blocks or loops in no closed form"


@dataclass(frozen=True, slots=True)
class Axis:
    """`extent` None: until a condition ends it."""

    counter: Value
    extent: Value | None
    consumed: bool = False  # by a condition on threads that counts along it


@dataclass(frozen=True, slots=True)
class Prefix:
    """Threads that a condition keeps: the first `count` of consecutive ones, over blocks and
    iterations; in rows of `row` threads along one dimension of the block, or of whole blocks."""

    count: Value
    dimension: str  # "threads", "x" or "y"


@dataclass(frozen=True, slots=True)
class Times:
    """How often the block's warps run the access: `times` each, and the conditions on threads that
    remain."""

    times: Value
    prefixes: tuple[Prefix, ...]
    counters: tuple[Value, ...]  # what the sums run over
    grid: tuple[Value, Value] = (sympy.S.One, sympy.S.One)


def axes_of(state: State) -> list[Axis]:
    grid = [Axis(symbol(f"b{axis}"), symbol(f"gd{axis}")) for axis in "zyx"]
    return [*grid, *(Axis(loop.counter, loop.trips) for loop in state.loops)]


def times(record: AccessRecord, block: tuple[int, int, int]) -> Times:
    """NoLaw where a condition or trip count has no closed form."""
    state = record.state
    if state.reason:
        raise NoLaw(state.reason)
    axes = axes_of(state)
    counters = tuple(axis.counter for axis in axes)
    prefixes: list[Prefix] = []
    for atom in state.atoms:
        if not atom.value.uniform:
            prefixes.append(_prefix(atom, axes, block, state.mask))
    conditions: list[Value] = []
    for atom in state.atoms:
        if atom.value.uniform:
            _shorten(atom, axes, conditions)
    total = _sum(axes)
    if conditions:
        total = sympy.Piecewise((total, sympy.And(*conditions)), (sympy.S.Zero, True))
    return Times(total, tuple(prefixes), counters)


def _on(value: LaneSum, axes: list[Axis]) -> list[tuple[Axis, Value, Coefficient]]:
    """The axes that a value depends on, with the monomial and its coefficient."""
    found: list[tuple[Axis, Value, Coefficient]] = []
    for monomial, n in value.terms.items():
        for axis in axes:
            if monomial.has(axis.counter):
                found.append((axis, monomial, n))
    return found


def _shorten(atom: Relation, axes: list[Axis], conditions: list[Value]) -> None:
    on = _on(atom.value, axes)
    if not on:
        conditions.append(_relation(atom))
        return
    if len(on) != 1:
        raise NoLaw(CONDITION)
    ((axis, monomial, n),) = on
    if axis.consumed:
        raise NoLaw(CONDITION)
    if monomial != axis.counter or not isinstance(n, int) or axis.extent is None:
        raise NoLaw(CONDITION)
    rest = LaneSum({m: c for m, c in atom.value.terms.items() if m != monomial}).expression
    if any(rest.has(other.counter) for other in axes):
        raise NoLaw(CONDITION)
    if not (atom.relation == ">=" and n < 0):
        _alone(axis, axes)
    axes[axes.index(axis)] = Axis(axis.counter, _shortened(atom.relation, rest, n, axis.extent))


def _alone(axis: Axis, axes: list[Axis]) -> None:
    """NoLaw where another axis is as long as this one's counter says: the counter must run from
    0."""
    if any(a.extent is not None and a.extent.has(axis.counter) for a in axes):
        raise NoLaw(CONDITION)


def _shortened(relation: str, rest: Value, n: int, extent: Value) -> Value:
    """How many k of 0 <= k < extent have rest + n*k `relation` 0. What is shortened from below does
    not start at 0, which only sums of constants allow: `_sum` is told by the extent alone."""
    if relation == ">=" and n < 0:
        return sympy.Min(extent, sympy.Max(0, Floor(rest, -n) + 1))
    if relation == ">=":
        return sympy.Max(0, extent - sympy.Max(0, Ceiling(-rest, n)))
    if abs(n) != 1:
        raise NoLaw(CONDITION)
    place = -rest * n
    inside = sympy.And(sympy.Ge(place, 0), sympy.Lt(place, extent))
    one = sympy.Piecewise((sympy.S.One, inside), (sympy.S.Zero, True))
    return one if relation == "==" else extent - one


def _relation(atom: Relation) -> Value:
    value = atom.value.expression
    kind = {">=": sympy.Ge, "==": sympy.Eq, "!=": sympy.Ne}[atom.relation]
    return kind(value, 0)


def _sum(axes: list[Axis]) -> Value:
    total: Value = sympy.S.One
    for place in range(len(axes) - 1, -1, -1):
        axis = axes[place]
        if axis.extent is None:
            raise NoLaw(TRIPS)
        extent = _open(axis.extent, axes[:place])
        if not total.has(axis.counter):
            total = total * extent
            continue
        total = _summed(total, axis.counter, extent)
    return total


def _summed(total: Value, counter: Value, extent: Value) -> Value:
    """A polynomial over 0 <= counter < extent, by Faulhaber's formulas."""
    if not total.is_polynomial(counter):
        raise NoLaw(TRIPS)
    end = sympy.Dummy("end", integer=True)
    found = sympy.factor(sympy.expand(sympy.summation(sympy.expand(total), (counter, 0, end - 1))))
    if not (isinstance(extent, sympy.Max) and sympy.S.Zero in extent.args):
        return found.xreplace({end: extent})
    inner = sympy.Max(*(part for part in extent.args if part != 0))
    some = sympy.factor(sympy.expand(found.xreplace({end: inner})))
    return sympy.Piecewise((some, sympy.Gt(inner, 0)), (sympy.S.Zero, True))


def _open(extent: Value, outer: list[Axis]) -> Value:
    """The extent; one that depends on outer counters without its max(0, …), where it is never
    negative."""
    inside = [axis for axis in outer if extent.has(axis.counter)]
    if not inside:
        return extent
    zero = isinstance(extent, sympy.Max) and sympy.S.Zero in extent.args
    if not zero:
        if extent.is_polynomial(*(axis.counter for axis in inside)):
            return extent
        raise NoLaw(TRIPS)
    body = sympy.Max(*(part for part in extent.args if part != 0))
    if not body.is_polynomial(*(axis.counter for axis in inside)):
        raise NoLaw(TRIPS)
    if not all(_never_negative(body, axis) for axis in inside) or len(inside) > 1:
        raise NoLaw(TRIPS)
    return body


def _never_negative(body: Value, axis: Axis) -> bool:
    """Whether a linear extent is at least 0 at both ends of the axis it depends on, whenever that
    has an iteration at all."""
    if axis.extent is None or sympy.degree(body, axis.counter) != 1:
        return False
    inner = axis.extent
    if isinstance(inner, sympy.Max):
        inner = sympy.Max(*(part for part in inner.args if part != 0))
    more = sympy.Dummy("more", integer=True)
    names = [one for one in inner.free_symbols if sympy.degree(inner, one) == 1]
    if len(names) == 1 and inner.coeff(names[0]) == 1:
        least = {names[0]: 1 + more - (inner - names[0])}  # inner = 1 + more
    else:
        least = {}
    ends = (body.xreplace({axis.counter: sympy.S.Zero}),
            body.xreplace({axis.counter: inner - 1}))  # fmt: skip
    return all(_all_nonnegative(sympy.expand(end.xreplace(least)), more) for end in ends)


def _all_nonnegative(e: Value, more: Value) -> bool:
    return not (e.free_symbols - {more}) and all(c >= 0 for c in sympy.Poly(e, more).all_coeffs())


# ------------------------------------------------------------------ conditions on threads


def _prefix(atom: Relation, axes: list[Axis], block: tuple[int, int, int], mask: Array) -> Prefix:
    """Consumes the axes that the condition counts along."""
    lanes = [m for m, n in atom.value.terms.items() if not isinstance(n, int)]
    if atom.relation != ">=" or lanes != [ONE] or not mask.all():
        raise NoLaw(GUARD)
    numbers = np.asarray(atom.value.number)
    dimension, size = _dimension(numbers - numbers[0], block)
    on = _on(atom.value, axes)
    rest = LaneSum(
        {m: (int(numbers[0]) if m == ONE else n)
         for m, n in atom.value.terms.items() if m not in [monomial for _, monomial, _ in on]}
    )  # fmt: skip
    count, extent = rest.expression + 1, sympy.Integer(size)
    if not on:
        return Prefix(sympy.Min(sympy.Max(0, count), extent), dimension)
    if (dimension == "threads") and size % LANES:
        raise NoLaw(GUARD)
    if any(isinstance(n, int) and n != -size for _, _, n in on):
        raise NoLaw(GUARD)
    if len(on) == 1 and on[0][1] == on[0][0].counter:
        axis = on[0][0]
        _consume(axis, axes)
        most = None if axis.extent is None else size * axis.extent
        whole = sympy.Max(0, count)
        return Prefix(whole if most is None else sympy.Min(whole, most), dimension)
    return _strided(on, axes, count, dimension)


def _consume(axis: Axis, axes: list[Axis]) -> None:
    if axis.consumed:
        raise NoLaw(GUARD)
    _alone(axis, axes)
    axes[axes.index(axis)] = Axis(axis.counter, sympy.S.One, True)


def _strided(
    on: list[tuple[Axis, Value, Coefficient]], axes: list[Axis], count: Value, dimension: str
) -> Prefix:
    """A loop that strides over the whole grid: b*size + k*size*grid."""
    by_axis = {axis.counter.name: (axis, monomial) for axis, monomial, _ in on}
    blocks = [name for name in by_axis if name in ("bx", "by", "bz")]
    loops = [name for name in by_axis if name not in blocks]
    if len(on) != 2 or len(blocks) != 1 or len(loops) != 1:
        raise NoLaw(GUARD)
    (block_axis, monomial), (loop_axis, step) = by_axis[blocks[0]], by_axis[loops[0]]
    if monomial != block_axis.counter or step != block_axis.extent * loop_axis.counter:
        raise NoLaw(GUARD)
    if loop_axis.extent is not None:
        raise NoLaw(GUARD)
    for axis in (block_axis, loop_axis):
        _consume(axis, axes)
    return Prefix(sympy.Max(0, count), dimension)


def _dimension(falls: Array, block: tuple[int, int, int]) -> tuple[str, int]:
    """Along what a condition falls by 1, and its size."""
    x, y, z = block
    linear = np.arange(x * y * z)
    falls = np.broadcast_to(falls, linear.shape)
    if (falls == -linear).all():
        return "threads", x * y * z
    if z == 1 and (falls == -(linear % x)).all():
        return "x", x
    if z == 1 and (falls == -(linear // x)).all():
        return "y", y
    raise NoLaw(GUARD)
