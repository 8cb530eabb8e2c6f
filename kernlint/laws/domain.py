"""Where laws hold: no index arithmetic wraps around, and accesses stay in their arrays.

In: obligations of a walk. Out: relations, as short as they can be without knowing more of the
arguments. A value is linear in each block id and loop counter, so its extremes are at the ends of
their ranges.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
import sympy

from kernlint.laws.evaluation import value_at
from kernlint.laws.flags import by_flags
from kernlint.laws.functions import (
    Ceiling,
    Digits,
    Div,
    Floor,
    Max,
    Min,
    Power,
    Rem,
    Residue,
    Value,
    is_clipped,
    symbol,
    unclipped,
)
from kernlint.laws.lane_values import ONE, LaneSum, add, number
from kernlint.laws.patterns import NoLaw
from kernlint.laws.records import AccessRecord, LoopAxis, Obligation, State
from kernlint.laws.totals import Axis, axes_of
from kernlint.laws.whole_warps import WARPS

MOST = 64  # corners of one value
Coefficients = Mapping[Value, int]
SIZES = {**{symbol(f"gd{axis}"): 1 for axis in "xyz"}, WARPS: 1}
MANY = 300  # relations that are compared with each other
HARD = "whether its index arithmetic wraps around has no closed form"


Known = dict[object, tuple[Value, ...]]


def relations(obligations: Iterable[Obligation], known: Known) -> list[Value]:
    """`e >= 0` for each end of each value; those without unknowns are left out. NoLaw where a value
    is not linear in a counter."""
    found: dict[Value, None] = {}
    for key, one in _merged(obligations):
        if key not in known:
            known[key] = _lows(one)
        found.update(dict.fromkeys(known[key]))
    return list(found)


def _lows(one: Obligation) -> tuple[Value, ...]:
    corners: list[Value] = []
    for _, value in by_flags(one.value):
        corners += _corners(value, State(one.mask, loops=one.loops)) or ()
    lows = [e - one.low for e in corners] if one.low is not None else []
    lows += [one.high - e for e in corners] if one.high is not None else []
    least = running(one.loops)
    found = [e for e in _tightest(lows) if not _implied(e, least)]
    if any(e.is_Integer and e < 0 for e in found):
        raise NoLaw(HARD)
    return tuple(e for e in found if not e.is_Integer)


def running(loops: Sequence[LoopAxis]) -> dict[Value, int]:
    """Unknowns that are trip counts are at least 1 where a loop's body runs."""
    found = {**SIZES}
    for loop in loops:
        if is_clipped(loop.trips):
            _note_least(unclipped(loop.trips), 1, found)
    return found


def _note_least(e: Value, low: int, found: dict[Value, int]) -> None:
    """What is known of names and functions where an expression is at least `low`, at least 1."""
    if e.is_Symbol or e.is_Function:
        found[e] = max(low, found.get(e, low))
    if isinstance(e, Min):
        for part in e.args:
            _note_least(part, low, found)
    elif isinstance(e, (Div, Floor, Ceiling)) and e.args[1].is_Integer and e.args[1] > 0:
        by = int(e.args[1])
        inner = (low - 1) * by + 1 if isinstance(e, Ceiling) else low * by
        _note_least(e.args[0], inner, found)
    elif e.is_Add and (line := _linear(e)) is not None and line[1] > 0:
        name, slope, rest = line
        if (inner := -((rest - low) // slope)) >= 1:
            _note_least(name, inner, found)


def _merged(obligations: Iterable[Obligation]) -> Iterator[tuple[object, Obligation]]:
    """Values that differ by what is known of them only, as the steps of a loop make them, as their
    least and their greatest; with what tells one from another."""
    groups: dict[object, list[Obligation]] = {}
    for one in obligations:
        rest = [(m, np.asarray(n).tobytes()) for m, n in one.value.terms.items() if m != ONE]
        key = (frozenset(rest), one.low, one.high, one.loops, one.mask.tobytes())
        groups.setdefault(key, []).append(one)
    for shape_of, group in groups.items():
        first = group[0]
        shape = first.mask.shape
        known = [np.broadcast_to(np.asarray(one.value.number), shape) for one in group]
        rest_of = LaneSum({m: n for m, n in first.value.terms.items() if m != ONE})
        for end in (np.min(known, axis=0), np.max(known, axis=0)):
            value = add(rest_of, number(end))
            yield (shape_of, np.asarray(value.number).tobytes()), replace(first, value=value)


def inside(record: AccessRecord) -> list[Obligation]:
    """What keeps an access without conditions within its object."""
    if record.object is None or record.object.size is None or record.state.atoms:
        return []
    if not isinstance(record.address, LaneSum) or record.address.known:
        return []
    state = record.state
    last = record.object.size - record.width
    return [Obligation(record.address, 0, last, state.mask, state.loops)]


def _corners(value: LaneSum, state: State) -> list[Value] | None:
    """The value at the ends of all ranges; None where a condition ends a loop that it counts."""
    axes: list[Axis] = []
    for axis in reversed(axes_of(state)):
        told = [*value.terms, *(one.extent for one in axes if one.extent is not None)]
        axes = [axis, *axes] if any(part.has(axis.counter) for part in told) else axes
    if any(axis.extent is None for axis in axes):
        return None
    rows = _rows(value, state)
    monomials = list(value.terms)
    found: dict[Value, None] = {}
    for row in rows:
        e = sympy.Add(*(m * n for m, n in zip(monomials, row, strict=True)))
        found.update(dict.fromkeys(_ends(e, axes)))
    return list(found)


def _rows(value: LaneSum, state: State) -> list[tuple[int, ...]]:
    """The different coefficients of the threads, only the extreme ones where one differs."""
    columns = [np.broadcast_to(np.asarray(n), state.mask.shape)[state.mask]
               for n in value.terms.values()]  # fmt: skip
    varying = [c for c in columns if np.ptp(c)]
    if len(varying) == 1:
        picked = [int(varying[0].argmin()), int(varying[0].argmax())]
        ends_of = (tuple(int(column[at]) for column in columns) for at in picked)
        return list(dict.fromkeys(ends_of))
    ends = [dict.fromkeys((int(c.min()), int(c.max()))) for c in columns]
    if np.prod([len(e) for e in ends]) > MOST:
        raise NoLaw(HARD)
    return list(itertools.product(*ends))


def _ends(e: Value, axes: Sequence[Axis]) -> list[Value]:
    found = [e]
    for axis in reversed(axes):
        found = [end for one in found for end in _scaled_ends(one, axis)]
        lines = [_line(one, axis.counter) for one in found]
        ends = (sympy.Integer(_first(axis, axes)), _last(axis, axes))
        found = [rest + sympy.expand(slope * end) for slope, rest in lines for end in ends]
        if len(found) > MOST:
            raise NoLaw(HARD)
    return found


def _scaled_ends(e: Value, axis: Axis) -> list[Value]:
    """With the least and the greatest of what the loop multiplies or divides, or is divided: C's
    quotients and remainders lie between 0 and their dividend."""
    found = [e]
    for one in sorted(e.atoms(Div, Floor, Power, Rem), key=sympy.count_ops, reverse=True):
        ends = _ends_of(one, axis)
        if ends:
            found = [sympy.expand(part.xreplace({one: end})) for part in found for end in ends]
    return found


def _ends_of(scaled: Value, axis: Axis) -> tuple[Value, ...]:
    if isinstance(scaled, (Div, Rem)):
        return (scaled.args[0], sympy.S.Zero) if scaled.has(axis.counter) else ()
    power = scaled if isinstance(scaled, Power) else scaled.args[1]
    if not isinstance(power, Power) or power.args[1] != axis.counter:
        return ()
    if scaled is not power:
        return (scaled.args[0], sympy.S.Zero)
    if not isinstance(axis.extent, Digits) or axis.extent.args[1] != power.args[0]:
        raise NoLaw(HARD)
    return (sympy.S.One, axis.extent.args[0])


def _line(e: Value, name: Value) -> tuple[Value, Value]:
    """a and b of a*name + b, of an expression that is multiplied out."""
    slope, rest = [], []
    for term in sympy.Add.make_args(e):
        if not term.has(name):
            rest.append(term)
            continue
        factors = sympy.Mul.make_args(term)
        if any(f != name and f.has(name) for f in factors):
            raise NoLaw(HARD)
        slope.append(sympy.Mul(*(f for f in factors if f != name)))
    return sympy.Add(*slope), sympy.Add(*rest)


def _extent(axis: Axis) -> Value:
    """Without its max(0, …): the ends of an axis matter only where it has any iteration. Of a
    min(…) one part, which is at least as much."""
    if not isinstance(axis.extent, Max):
        return axis.extent
    inner = unclipped(axis.extent)
    minima = [one for one in inner.atoms(Min) if inner.coeff(one, 1) == 1]
    if len(minima) == 1 and inner.is_Add:
        parts = [sympy.expand(inner - minima[0] + part) for part in minima[0].args]
        return min(parts, key=lambda part: len(part.free_symbols))
    return inner


def _first(axis: Axis, axes: Sequence[Axis]) -> int:
    """The first iteration in which loops inside that count up to its counter run at all."""
    first = 0
    for inner, slope, rest in _inside(axis, axes):
        needed_there = _first(inner, axes) + 1
        if slope > 0 and rest.is_Integer:
            first = max(first, -(-(needed_there - int(rest)) // slope))
    return first


def _last(axis: Axis, axes: Sequence[Axis]) -> Value:
    """The last iteration in which loops inside that its counter shortens run at all."""
    last, least = _extent(axis) - 1, 0
    for inner, slope, rest in _inside(axis, axes):
        there = sympy.expand(rest + slope * last)
        if slope < 0 and there.is_Integer:
            least = max(least, -(-(_first(inner, axes) + 1 - int(there)) // -slope))
    return last - least


def _inside(axis: Axis, axes: Sequence[Axis]) -> Iterator[tuple[Axis, int, Value]]:
    """Loops whose extent is slope*counter + rest."""
    for one in axes:
        extent = sympy.expand(_extent(one))
        slope = extent.coeff(axis.counter, 1)
        rest = sympy.expand(extent - slope * axis.counter)
        if one is axis or rest.has(axis.counter):
            continue
        if slope.is_Integer and slope != 0:
            yield one, int(slope), rest


def _tightest(lows: Iterable[Value]) -> list[Value]:
    """Of those that differ by a number the least."""
    found: dict[Value, Value] = {}
    for e in lows:
        constant, rest = e.as_coeff_Add()
        found[rest] = min(constant, found.get(rest, constant))
    return [rest + low for rest, low in found.items()]


def needed(lows: list[Value], ranges: Mapping[Value, tuple[int, int]]) -> list[Value]:
    """Without those that others or the arguments' types imply. Grid sizes are at least 1."""
    lows = [e for e in _tightest(lows) if not _of_type(e, ranges)]
    signs = {**SIZES}
    for e in lows:
        bound = bound_of(e)
        if bound is not None and bound[1] >= 0:
            name, low = bound
            signs[name] = max(signs.get(name, 0), low)
    kept: list[Value] = []
    tightest: set[Value] = set()  # what `signs` rests on
    for e in sorted(dict.fromkeys(lows), key=sympy.count_ops):
        bound = bound_of(e)
        plain = bound is not None and signs.get(bound[0]) == bound[1] and bound[0].name[:2] != "gd"
        if plain:
            tightest.add(e)
        if plain or not _implied(e, signs):
            kept.append(e)
    if len(kept) > MANY:
        raise NoLaw(HARD)
    shifted = {e: _coefficients(e, signs) for e in kept}
    return [e for e in kept if e in tightest or not _is_implied_by_another(e, shifted, signs)]


def _is_implied_by_another(
    e: Value, shifted: Mapping[Value, Coefficients], signs: Mapping[Value, int]
) -> bool:
    others = (shifted[other] for other in shifted if other != e)
    return any(_follows(shifted[e], other, signs) for other in others)


def _coefficients(e: Value, signs: Mapping[Value, int]) -> Coefficients:
    """By monomial, with each name counted from the least that it may be."""
    found: dict[Value, int] = {}
    positive = [(name, low) for name, low in signs.items() if low]
    for n, monomial in (term.as_coeff_Mul() for term in sympy.Add.make_args(e)):
        lows = tuple(one for one in positive if monomial.has(one[0]))
        for part, m in _from_least(monomial, lows):
            found[part] = found.get(part, 0) + int(n) * m
    return {monomial: n for monomial, n in found.items() if n}


@lru_cache(maxsize=4096)
def _from_least(
    monomial: Value, lows: tuple[tuple[Value, int], ...]
) -> tuple[tuple[Value, int], ...]:
    """Monomials with their coefficients of a product whose names are counted from `lows`."""
    shifted = sympy.expand(monomial.xreplace({name: name + low for name, low in lows}))
    parts = (term.as_coeff_Mul() for term in sympy.Add.make_args(shifted))
    return tuple((part, int(n)) for n, part in parts)


def _follows(e: Coefficients, other: Coefficients, signs: Mapping[Value, int]) -> bool:
    """Whether e >= 0 wherever other >= 0, since their difference is not negative."""
    return all(
        (more := e.get(m, 0) - other.get(m, 0)) == 0 or (more > 0 and _known(m, signs))
        for m in {**e, **other}
    )


def _of_type(e: Value, ranges: Mapping[Value, tuple[int, int]]) -> bool:
    """Whether the type of its one unknown makes sure that e >= 0."""
    if len(e.free_symbols) != 1:
        return False
    (name,) = e.free_symbols
    if name == WARPS:
        low, high = ranges.get(name, (1, 0))
        counts = (value_at(e, {name: n}) for n in range(low, high + 1))
        return high > low and all(n is not None and n >= 0 for n in counts)
    if name not in ranges or not e.is_polynomial(name) or sympy.degree(e, name) != 1:
        return False
    return all(e.xreplace({name: sympy.Integer(end)}) >= 0 for end in ranges[name])


def _linear(e: Value) -> tuple[Value, int, int] | None:
    """(x, a, b) of a*x + b with integers a and b."""
    if len(e.free_symbols) != 1:
        return None
    (name,) = e.free_symbols
    a, b = e.coeff(name, 1), e.coeff(name, 0)
    whole = a.is_Integer and b.is_Integer and a != 0
    return (name, int(a), int(b)) if whole and sympy.expand(e - a * name - b) == 0 else None


def end_of(low: Value) -> tuple[Value, int] | None:
    """(x, the last integer x) of a relation a*x + b >= 0."""
    found = _linear(low)
    if found is None:
        return None
    name, a, b = found
    return name, -(b // a) if a > 0 else b // -a


def bound_of(e: Value) -> tuple[Value, int] | None:
    """(x, low) of a relation a*x + b >= 0 with a positive a."""
    found = _linear(e)
    return None if found is None or found[1] < 0 else (found[0], -(found[2] // found[1]))


def _implied(e: Value, signs: dict[Value, int]) -> bool:
    """Whether an expression is at least 0 wherever its names are at least what is known."""
    return _follows(_coefficients(e, signs), {}, signs)


def is_positive_multiple(e: Value) -> bool:
    """Whether `e >= 0` says that a product of unknowns is not negative."""
    return not e.is_Add and bool(e.as_coeff_Mul()[0] > 0)


def _known(term: Value, signs: Mapping[Value, int]) -> bool:
    """Whether all factors are among what is not negative."""
    factors = sympy.Mul.make_args(term.as_coeff_Mul()[1])
    return all(_is_counted(f.base if f.is_Pow else f, signs) for f in factors)


def _is_counted(factor: Value, signs: Mapping[Value, int]) -> bool:
    counted = isinstance(factor, (Digits, Power, Residue)) or is_clipped(factor)
    return factor == 1 or factor in signs or counted


def shown(low: Value) -> Value:
    """`low >= 0` with one unknown alone on its side; as it is, since sympy takes long to find out
    whether it always holds."""
    if low.could_extract_minus_sign() and isinstance(-low, Residue):
        what, modulus = (-low).args
        rest = -what.as_coeff_Add()[0]
        return sympy.Eq(Residue(what + rest, modulus), rest, evaluate=False)
    if isinstance(-low, sympy.Abs):
        constant, what = (-low).args[0].as_coeff_Add()
        return sympy.Eq(what, -constant, evaluate=False)
    line, end = _linear(low), end_of(low)
    if line is not None and end is not None:
        kind = sympy.Ge if line[1] > 0 else sympy.Le
        return kind(end[0], sympy.Integer(end[1]), evaluate=False)
    constant, rest = low.as_coeff_Add()
    content, rest = rest.as_content_primitive()
    if content.is_Integer and constant.is_Integer:
        constant = sympy.Integer(int(constant) // int(content))
    else:
        rest = content * rest
    if constant > 0 or rest.could_extract_minus_sign():
        return sympy.Le(sympy.expand(-rest), constant, evaluate=False)
    return sympy.Ge(rest, -constant, evaluate=False)
