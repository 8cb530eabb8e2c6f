"""What a variable holds where paths meet: one value where a mask holds, another elsewhere.

In: the mask and both values, of one type. Out: a Value; `Split` where another run of the kernel for
each set of blocks is quicker.
"""

from __future__ import annotations

import math

import numpy as np

from kernlint.execution.values import sums
from kernlint.execution.values.booleans import Bool, Split, dense_bool
from kernlint.execution.values.sums import BLOCK, LANE, Array, Sum, elementwise, same
from kernlint.execution.values.values import Atom, Atoms, Value, bounds, varies_in_warp
from kernlint.ir.types import Type

# elements of a choice by block, and of all that comes of it: from here on another run of the kernel
# is quicker
SPLIT_ABOVE = 1 << 19


def _choose(selector: Array, a: Array, b: Array) -> Array:
    return np.where(selector != 0, a, b)


def _bases(value: Value) -> set[int]:
    return {id(atom) for atom in value.terms if atom.base is not None}


def _by_warp(selector: Sum, a: Value, b: Value) -> Value:
    """a where the selector, which all lanes of a warp share, is 1, and b elsewhere: unknowns with
    the coefficients of each warp."""
    terms: dict[Atom, Sum] = {}
    for atom in (*a.terms, *(atom for atom in b.terms if atom not in a.terms)):
        one, other = a.terms.get(atom, sums.ZERO), b.terms.get(atom, sums.ZERO)
        terms[atom] = one if same(one, other) else elementwise(_choose, selector, one, other)
    return Value(elementwise(_choose, selector, a.known, b.known), terms)


def _split(mask: Bool, a: Value, b: Value, atoms: Atoms) -> None:
    """Raises Split where one value is chosen in some blocks and another in others, and either
    differs among lanes in many blocks."""
    if mask.key != (BLOCK,) or not atoms.splitting:
        return
    parts = [part for known in (a.known, b.known) for part in known.parts.items()]
    sizes = {axis: n for key, array in parts for axis, n in zip(key, array.shape, strict=True)}
    _, truth = dense_bool(mask)
    if (
        LANE in sizes
        and truth.size * math.prod(n for axis, n in sizes.items() if axis != BLOCK) > SPLIT_ABOVE
    ):
        raise Split(truth)


def merged(mask: Bool, a: Value, b: Value, type_: Type, atoms: Atoms) -> Value:
    """a where `mask` holds, b elsewhere."""
    if a is b or mask.is_true:
        return a
    if mask.empty:
        return b
    if a.terms.keys() == b.terms.keys() and all(
        same(c, b.terms[atom]) for atom, c in a.terms.items()
    ):
        if same(a.known, b.known):
            return a
        _split(mask, a, b, atoms)
        key, truth = dense_bool(mask)
        selector = Sum(0, {key: truth.astype(np.int64)}, 0, 1)
        return Value(elementwise(_choose, selector, a.known, b.known), a.terms)
    key, truth = dense_bool(mask)
    selector = sums.of_array(key, truth.astype(np.int64))
    if not varies_in_warp((selector,), atoms.warp_lanes) and _bases(a) == _bases(b):
        return _by_warp(selector, a, b)
    chosen = Value(selector)
    (la, ha), (lb, hb) = bounds(a), bounds(b)
    limits = (
        None if la is None or lb is None else min(la, lb),
        None if ha is None or hb is None else max(ha, hb),
    )
    return atoms.derived("select", type_, (chosen, a, b), limits)
