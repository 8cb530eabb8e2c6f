"""Loads for arms that store to a part of a thread's own struct or array: nvcc may make them in the
arm.

In: the walk of a kernel, which values are needed, and what reads them. Out: risks by access site.
LLVM computes a small arm without a branch, but not one that stores to memory, which a member or
element is until structs and arrays are taken apart; before that, what has one use moves to it.
Measured on nvcc 13's machine code for sm_90: with `float2 r = x[i]; float w = y[i];`, `if (c) r.x
*= w;` predicates the load of `w`, as `if (c) r.x *= w * 2 + v;` and `if (c) { s *= w; r.y = 5; }`
do, whatever `c` is; not `r.x *= w * w`, `r.y *= w;` beside it or `w` needed later (two uses), nor
`c ? r.x * w : r.x` or where anything is written between. A vector's load of several members that
are needed is one value of several uses.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.base.dataclass import dataclass
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import walk
from kernlint.optimizer.compiler_facts import Risk
from kernlint.optimizer.compiler_forms import Form
from kernlint.optimizer.compiler_state import Path
from kernlint.optimizer.compiler_uses import Readers, Uses
from kernlint.optimizer.compiler_walk import Walker
from kernlint.optimizer.compiler_widths import alone

TEXT = "one branch alone needs the value, for a part of a struct or array: the load may move there"
PHIS = (
    "join",
    "carried",
    "held",
    "stored",
)  # what LLVM does not move: a value of the place where control joins, or memory


@dataclass(frozen=True, slots=True)
class Ending:
    """A value that an arm stores or hands on. `place`: in the log, behind the branch's
    beginning."""

    branch: ir.If
    form: Form
    arm: Path
    place: int


def stored_in_arms(
    walker: Walker, live: Uses, readers: Readers
) -> Iterator[tuple[ir.AccessSite, Risk]]:
    """Loads of which the only use lies in such an arm of a branch that ends their straight code."""
    for end in (*_handed_on(walker, live), *_kept(walker)):
        for load in _only_for(walker, end, live, readers):
            place, fences = walker.makers[load]
            entry = walker.log[place]
            between = (
                e for e in walker.log[place + 1 : end.place] if e.path == entry.path and e.store
            )
            straight = entry.path == end.arm[:-1] and walker.fenced[end.branch] == {fences}
            if straight and all(
                e.memory is not None and e.memory.space == "local" for e in between
            ):
                yield entry.site, Risk("sunk", False, (0, 1), TEXT)


def _handed_on(walker: Walker, live: Uses) -> Iterator[Ending]:
    """What the arms leave in variables, where one stores to a member."""
    assigned: dict[ir.If, tuple[set[ir.Variable], ...]] = {}
    for a, arms in walker.arms.items():
        s, key = arms.statement, walker.atoms.keys[a]
        if not live.get(a) or a not in walker.selects:
            continue
        if s not in assigned:
            assigned[s] = tuple(
                {x.variable for x in walk(arm) if isinstance(x, ir.Assign)}
                for arm in (s.then, s.otherwise)
            )
        if not any("." in v.name for some in assigned[s] for v in some):
            continue
        for some, path, form in zip(assigned[s], arms.paths, key[3:5], strict=True):
            if key[2] in some and isinstance(form, Form) and path and path[-1].statement is s:
                yield Ending(s, form, path, walker.selects[a][0])


def _kept(walker: Walker) -> Iterator[Ending]:
    """What an arm stores to a thread's own array in registers."""
    some = [
        x
        for memory, every in walker.privates.stored.items()
        if memory in walker.privates.in_registers
        for x in every
    ]
    places = {id(e): place for place, e in enumerate(walker.log)} if some else {}
    for one in some:
        path = one.entry.path
        branch = path[-1].statement if path else None
        if isinstance(branch, ir.If) and id(one.entry) in places:
            for form in one.forms:
                yield Ending(branch, form, path, places[id(one.entry)])


def _only_for(walker: Walker, end: Ending, live: Uses, readers: Readers) -> list[int]:
    """The loaded values that only this value is made of."""
    found, pending = [], [(b, end.form) for b in walker.atoms.inside(end.form)]
    while pending:
        b, part = pending.pop()
        if len(readers.get(b, ())) != 1 or _times(b, part) != 1:
            continue
        if b in walker.makers:
            found += [b] if alone(walker, b, live) else []
        elif walker.atoms.keys[b][0] not in PHIS and not walker.feeds.get(b):
            pending += [
                (c, p)
                for p in walker.atoms.keys[b]
                if isinstance(p, Form)
                for c in walker.atoms.inside(p)
            ]
    return found


def _times(a: int, form: Form) -> int:
    """How often a value is a factor of a form: `(x + 1) * w` stands as `x * w + w` there."""
    return max((monomial.count(a) for monomial, _ in form.terms), default=0)
