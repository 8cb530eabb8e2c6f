"""Accesses that meet others in further iterations of a loop around them, where nvcc takes
iterations together.

In: the walk of a kernel. Out: (site, risk) pairs. Measured on nvcc 13's machine code for sm_90: of
`for (p…) for (d = lane; d < 64; d += 32)` with `lane = threadIdx.x & 31` the inner loop becomes two
copies, or as many as the few that it has, and is straight code of the outer one: what only `d`
chooses is loaded once, before the outer loop, sums stay in registers. `table[k / 16]` is read once
for the copies of an unrolled loop over `k`, `table[k % 4]` once before it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import takewhile

from kernlint.base.dataclass import replace
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import walk
from kernlint.optimizer.address_knowledge import multiple, plus
from kernlint.optimizer.compiler_earlier import WINDOW
from kernlint.optimizer.compiler_facts import Risk
from kernlint.optimizer.compiler_forms import FOLDS, Atoms, Form, evaluated
from kernlint.optimizer.compiler_pairs import space
from kernlint.optimizer.compiler_state import Entry, Instance
from kernlint.optimizer.compiler_turns import copies_of
from kernlint.optimizer.compiler_walk import Walker

QUOTIENTS, REMAINDERS = ("/", ">>"), ("%", "&")
PURE = (*FOLDS, "load", "narrow", "convert", "select")
AGAIN = (
    "several iterations read the same address: the copies of an unrolled loop may share one load"
)
TOGETHER = "the loop around it may be unrolled whole: "


def repeated(kernel: ir.Kernel, walker: Walker) -> Iterator[tuple[ir.AccessSite, Risk]]:
    yield from _together(kernel, walker)
    yield from _beside_raised(walker)
    known: dict[tuple[ir.AccessSite, Form], Form] = {}
    for entry in (i.entry for i in walker.instances if i.turns and not i.entry.store):
        if (
            known.setdefault((entry.site, _without_low_bits(entry.form, walker.atoms)), entry.form)
            != entry.form
        ):
            yield entry.site, Risk("forwarded", False, (0, 1), AGAIN)
    for entry in (i.entry for i in walker.instances):
        loop = next(
            (
                step.statement
                for step in reversed(entry.path)
                if isinstance(step.statement, ir.Loop)
            ),
            None,
        )
        if loop is None or loop in walker.single or any(x in walker.kept for x in walk(loop.body)):
            continue
        if _is_shared(walker, entry, loop) and _unchanged(walker, entry, loop):
            yield (
                entry.site,
                Risk("eliminated" if entry.store else "forwarded", False, (0, 1), AGAIN),
            )


def _together(kernel: ir.Kernel, walker: Walker) -> Iterator[tuple[ir.AccessSite, Risk]]:
    """What may become of accesses where loops within loops whose iterations are few stand as
    straight code."""
    nested = {x for s in walk(kernel.body) if isinstance(s, ir.Loop) for x in walk(s.body)}
    copies = {
        s: copies_of(trips) for s, trips in walker.trips.items() if s in nested and s.unroll != 1
    }
    copies = {s: count for s, count in copies.items() if count}
    if copies:
        for site, risks in Walker(kernel, copies, walker.unread, walker.gone).found.items():
            for risk in risks.values():
                low, high = risk.factor
                yield (
                    site,
                    replace(
                        risk,
                        certain=False,
                        factor=(min(low, 1), max(high, 1)),
                        charged_line=None,
                        text=TOGETHER + risk.text,
                    ),
                )


def _beside_raised(walker: Walker) -> Iterator[tuple[ir.AccessSite, Risk]]:
    """Loads on whose lines others may be counted that an unrolled loop does not change: these are
    moved before it first, and are counted with a load before or behind it, or with one of the loop
    (measured: `x = a[i]; for (k = 0; k < 3; k++) s += a[k * n] * b[t];`)."""
    inside: dict[ir.Loop, list[int]] = defaultdict(list)
    for place, instance in enumerate(walker.instances):
        for loop, _ in instance.turns:
            inside[loop].append(place)
    raised: dict[ir.AccessSite, int] = defaultdict(int)
    for loop, places in inside.items():
        members = [walker.instances[p] for p in places]
        for site in dict.fromkeys(
            m.entry.site for m in members if not m.entry.store and not m.entry.site.volatile
        ):
            own = [m for m in members if m.entry.site is site]
            written = any(
                m.entry.store and walker.memory.surely_meet(m.entry.memory, own[0].entry.memory)
                for m in members
            )
            if written or not _is_raised(
                walker, own, loop, min(len(m.entry.path) for m in members)
            ):
                continue
            before = _loads_before(walker, places[0]) or _on_last_line(walker, places[0])
            after = [
                i
                for i in walker.instances[places[-1] + 1 :]
                if i.fences == members[-1].fences and not i.entry.store
            ]
            for other in dict.fromkeys(i.entry.site for i in (*before[-2:], *members, *after[:2])):
                if (
                    other is not site
                    and other.op == "load"
                    and space(walker.sites[other]) == space(own[0].entry)
                ):
                    raised[other] += 1
    for site, count in raised.items():
        yield (
            site,
            Risk(
                "recharged",
                False,
                (1, 1 + count),
                "a load that moves out of an unrolled loop may be counted on this line",
            ),
        )


def _is_raised(walker: Walker, own: list[Instance], loop: ir.Loop, outer: int) -> bool:
    """Whether the copies of a load in an unrolled loop are one that each iteration makes."""
    forms = {
        i.entry.form
        for i in own
        if all(turn == own[0].turns[at][1] for at, (x, turn) in enumerate(i.turns) if x is not loop)
    }
    turns = {turn for i in own for x, turn in i.turns if x is loop}
    return (
        len(turns) > 1
        and len(forms) == 1
        and "forwarded" in walker.found.get(own[0].entry.site, ())
        and len(own[0].entry.path) == outer
    )


def _since_barrier(walker: Walker, place: int) -> Iterator[Instance]:
    """What is accessed before an access, the last one first, with no barrier between."""
    for at in range(place - 1, -1, -1):
        if walker.instances[at].fences != walker.instances[place].fences:
            return
        yield walker.instances[at]


def _loads_before(walker: Walker, place: int) -> list[Instance]:
    """The loads since the last store before an access, with no barrier between."""
    return [*takewhile(lambda i: not i.entry.store, _since_barrier(walker, place))][::-1]


def _on_last_line(walker: Walker, place: int) -> list[Instance]:
    """Loads on the line of the last store before an access, with no barrier between."""
    near = [*_since_barrier(walker, place)][::-1]
    line = near[-1].entry.site.charged_line if near and near[-1].entry.store else None
    return [i for i in near if not i.entry.store and i.entry.site.charged_line == line]


def _is_shared(walker: Walker, entry: Entry, loop: ir.Loop) -> bool:
    """Whether several copies of an unrolled loop, or all its turns, have an address in common: it
    changes only as quotients by powers of two of a counter that starts at a constant do, or as
    remainders."""
    moving = [a for a in walker.atoms.inside(entry.form) if _varies(walker, a, loop)]
    return bool(moving) and all(_recurs(walker, a, loop, entry.store) for a in moving)


def _without_low_bits(form: Form, atoms: Atoms) -> Form:
    """A form whose quotients by powers of two have lost the constants that do not count: `(16 * t +
    5) / 32` is `16 * t / 32`."""
    result = Form((), form.constant)
    for monomial, coefficient in form.terms:
        product = Form((), coefficient)
        for a in monomial:
            key = atoms.keys[a]
            if (
                key[0] in QUOTIENTS
                and isinstance(key[1], Form)
                and isinstance(key[2], Form)
                and key[2].value
                and key[1].terms
            ):
                whole = multiple(_size(str(key[0]), key[2].value))
                low = key[1].constant % plus(evaluated(Form(key[1].terms)), whole).alignment
                product = product * atoms.atom((key[0], key[1] - Form((), low), key[2]))
            else:
                product = product * Form((((a,), 1),))
        result = result + product
    return result


def _size(op: str, by: int) -> int:
    """What a quotient divides by, or a mask leaves multiples of."""
    return {"/": by, ">>": 1 << (by & 63), "&": by & -by}[op]


def _varies(walker: Walker, a: int, loop: ir.Loop) -> bool:
    key = walker.atoms.keys[a]
    return loop in walker.atoms.loops[a] and (key[0] != "iteration" or key[1] is loop)


def _recurs(walker: Walker, a: int, loop: ir.Loop, store: bool) -> bool:
    """Whether a value is the same in several of the copies of an unrolled loop, or (no matter to
    stores) in each turn of them."""
    key = walker.atoms.keys[a]
    parts = [part for part in key if isinstance(part, Form)]
    moving = [b for part in parts for b in walker.atoms.inside(part) if _varies(walker, b, loop)]
    if key[0] in PURE and moving and all(_recurs(walker, b, loop, store) for b in moving):
        return True
    step = (
        next(
            (
                abs(c)
                for m, c in parts[0].terms
                if [walker.atoms.keys[b] for b in m] == [("iteration", loop)]
            ),
            0,
        )
        if parts
        else 0
    )
    if len(moving) != 1 or len(parts) != 2 or not step or (by := parts[1].value) is None:
        return False
    if key[0] in QUOTIENTS or (key[0] == "&" and by < 0):
        size = _size(str(key[0]), by)
        return len(parts[0].terms) == 1 and size & (size - 1) == 0 and step < size
    return (
        key[0] in REMAINDERS
        and by > 0
        and not store
        and step * WINDOW % (by if key[0] == "%" else 1 << by.bit_length()) == 0
    )


def _unchanged(walker: Walker, entry: Entry, loop: ir.Loop) -> bool:
    """Whether nothing in a loop may write what a load reads."""
    span = walker.spans.get(loop)
    if span is None or (
        span.fences != span.fenced and not walker.memory.may_pass_barriers(entry.memory)
    ):
        return False
    between = (e for e in walker.log[span.start : span.end] if e.site is not entry.site)
    return not any(e.store and walker.memory.surely_meet(entry.memory, e.memory) for e in between)
