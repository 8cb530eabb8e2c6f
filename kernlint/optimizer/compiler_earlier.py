"""Accesses of earlier iterations, as a loop's next iteration sees them.

In: the walk of a kernel, a loop, the accesses of one of its iterations. Out: those of up to
`WINDOW` iterations before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernlint.base.dataclass import replace
from kernlint.ir import nodes as ir
from kernlint.optimizer.compiler_forms import Form
from kernlint.optimizer.compiler_live import Live, in_order
from kernlint.optimizer.compiler_state import Entry

if TYPE_CHECKING:
    from kernlint.optimizer.compiler_walk import Walker

WINDOW = 16  # nvcc 13 unrolls run-time loops by 4 or 16
UNLIKE = ("carried", "exchange", "atomic")  # kinds of values that are others in each iteration


def earlier(walker: Walker, s: ir.Loop, entries: Live) -> list[Entry]:
    """Those at what a variable was before (`s[buffer][i]`, with `buffer ^= 1`) are left out: no
    access has such an address, and a tile of them would be held against each of its accesses."""
    atoms, result = walker.atoms, dict[int, Entry]()
    inside = walker.register.inside.get(s, {})
    known = in_order(entries.all[number] for number in inside if number in entries.all)
    counter = next(iter(atoms.inside(atoms.atom(("iteration", s)))))
    most = walker.constant_trips.get(s, walker.most_trips.get(s, WINDOW + 1))
    for j in range(1, min(WINDOW, most - 1) + 1):
        memory: dict[int, Form] = {}
        former: set[int] = set()  # what variables were in that iteration

        def swap(a: int, j: int = j, former: set[int] = former) -> Form | None:
            if a == counter:
                return Form((((a,), 1),), -j)
            if atoms.keys[a][0] not in UNLIKE:
                return None
            made = atoms.atom(("previous", a, j), atoms.loops[a], True)
            former |= atoms.inside(made)
            return made

        for e in known:
            if not any(step.statement is s for step in e.path):
                continue
            form = atoms.replaced(e.form, s, swap, memory)
            made = replace(e, form=form, back=counter)
            if former & atoms.inside(form):
                continue
            if j == 1 or form != e.form:
                made = walker.register.entered(made)
                result[made.number] = made
    return list(result.values())
