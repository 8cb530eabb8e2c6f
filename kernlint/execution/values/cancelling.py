"""Sums of very many unknowns, each of which is one unknown, held against each other where one is
taken from another.

In: a total that has such sums among its unknowns. Out: what is left of them when what they have in
common is gone. Costs as many steps as the sums have unknowns.
"""

from __future__ import annotations

from kernlint.execution.values.values import Atom, Value, add, subtract, times
from kernlint.ir.types import Type, type_bounds

MOST_UNFOLDED = 1_024  # unknowns
LARGEST = 1 << 20  # factor and constant: rounds of a hash shift what they have added before


def cancelled(total: Value, type_: Type, most: int) -> Value:
    """What is left of them where that is no more than `most` unknowns; else the total as it is."""
    signs = {
        c.low > 0
        for atom, c in total.terms.items()
        if _is_sum(atom, type_) and (c.low > 0 or c.high < 0)
    }
    if len(signs) < 2:
        return total
    rest, pending = total, [atom for atom in total.terms if _is_sum(atom, type_)]
    while pending and len(rest.terms) <= MOST_UNFOLDED:
        atom = pending.pop()
        factor = rest.terms.get(atom)
        if factor is None:
            continue
        assert atom.made is not None
        operator, (a, b) = atom.made
        if any(
            max(abs(x.low), abs(x.high)) > LARGEST
            for x in (factor, a.known, b.known, *a.terms.values(), *b.terms.values())
        ):
            return total
        terms = {x: c for x, c in rest.terms.items() if x is not atom}
        rest = add(
            Value(rest.known, terms),
            times(add(a, b) if operator == "+" else subtract(a, b), factor),
        )
        pending += [x for x in (*a.terms, *b.terms) if _is_sum(x, type_)]
    return (
        rest
        if len(rest.terms) <= most and not any(_is_sum(atom, type_) for atom in rest.terms)
        else total
    )


def _is_sum(atom: Atom, type_: Type) -> bool:
    return (
        atom.made is not None
        and atom.made[0] in ("+", "-")
        and (atom.low, atom.high) == type_bounds(type_)
    )
