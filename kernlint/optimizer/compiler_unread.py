"""Shared arrays that nobody reads: which of them nvcc surely drops, with what is stored to them,
and which it may.

In: a kernel, and loads that nobody needs. Out: sets of arrays. Read in nvcc 13's machine code for
sm_90 (120 kernels): an `extern` array stays whatever is done with it. What is stored through a
member of a union, or by functions of a class (`half2`), stays or goes; so does what is stored
through a pointer variable (`float *p = s + t; *p = x;` goes, with a `p` that a loop moves on it
stays).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set

from kernlint.ir import nodes as ir
from kernlint.ir.traversal import expressions, reads, sites, targets, walk, walk_expression
from kernlint.ir.types import Array, Pointer, Record, Type

Arrays = frozenset[ir.MemoryObject]


def never_read(kernel: ir.Kernel, needless: Set[ir.AccessSite]) -> Arrays:
    """Arrays whose address is only stored to and loaded from where nobody needs the value."""
    loads = (
        [s for s in walk(kernel.body) if isinstance(s, ir.Load) and s.site in needless]
        if needless
        else []
    )
    shared = set(_droppable(address for s in loads for address in (s.address,)))
    for s in walk(kernel.body) if shared else ():
        if not (isinstance(s, ir.Load) and s.site in needless):
            shared -= _inside(_taken(s))
    return frozenset(shared) - (stored_by_functions(kernel.body) if shared else frozenset())


def in_cycles(kernel: ir.Kernel, needless: Set[ir.AccessSite]) -> set[ir.AccessSite]:
    """Loads whose values a loop carries on or replaces, and all in loops with branches that do
    more: that a value which a loop carries on is needed by itself alone is found out after arrays
    that nobody reads are looked for (the stores of `s[t] = q[i]` stay where `w = 2 * w + s[t + k]`
    is all that reads `s` and nobody needs `w`)."""
    found: set[ir.AccessSite] = set()
    every = _sources(walk(kernel.body))
    loaded: dict[ir.Variable, list[ir.AccessSite]] = defaultdict(list)
    for load in (s for s in walk(kernel.body) if isinstance(s, ir.Load)):
        for v in targets(load):
            loaded[v].append(load.site)
    for s in walk(kernel.body):
        inside = list(walk((s,))) if isinstance(s, ir.Loop) else []
        own = {site for x in inside for site in sites(x)}
        if any(isinstance(x, ir.If) for x in inside) and not own <= needless:
            found |= own
        sources = _sources(inside)
        assigned = {x.variable for x in inside if isinstance(x, ir.Assign)} - _sums(s, inside)
        carried = {
            v
            for v in assigned
            if v in _reached(sources[v], sources) or len(every[v]) > len(sources[v])
        }
        taken = _reached(carried, every)
        found |= {site for v in (taken if carried else ()) for site in loaded.get(v, ())}
    return found


def _sums(loop: ir.Statement, inside: Sequence[ir.Statement]) -> set[ir.Variable]:
    """Variables that each turn of a loop only adds to, or the like, once and in every turn: nvcc
    finds early that nobody needs these."""
    uses = Counter(
        x.variable
        for s in inside
        for e in expressions(s)
        for x in walk_expression(e)
        if isinstance(x, ir.Read)
    )
    made = Counter(variable for s in inside for variable in targets(s))
    plain = [x for x in loop.body if isinstance(x, ir.Assign)] if isinstance(loop, ir.Loop) else []
    return {
        x.variable
        for x in plain
        if uses[x.variable] == made[x.variable] == 1 and _is_step(x.value, x.variable)
    }


def _is_step(value: ir.Expression, of: ir.Variable) -> bool:
    while isinstance(value, ir.Convert):
        value = value.operand
    sides = (value.left, value.right) if isinstance(value, ir.Binary) else ()
    return any(isinstance(side, ir.Read) and side.variable is of for side in sides)


def _sources(body: Iterable[ir.Statement]) -> dict[ir.Variable, set[ir.Variable]]:
    """What the values of variables are made of, directly."""
    found: dict[ir.Variable, set[ir.Variable]] = defaultdict(set)
    for s in body:
        for variable in targets(s):
            found[variable] |= {v for e in expressions(s) for v in reads(e)}
    return found


def hardly_read(kernel: ir.Kernel, needless: Set[ir.AccessSite]) -> Arrays:
    """Arrays that are only stored to, and loaded from where nobody needs the value, also through
    pointer variables, or by functions."""
    if all(o.space != "shared" or o.dynamic for o in kernel.objects):
        return frozenset()
    pointed: dict[ir.Variable, set[ir.MemoryObject]] = defaultdict(set)
    passed: dict[ir.Variable, set[ir.Variable]] = defaultdict(set)
    stored: set[ir.MemoryObject] = set()
    read: set[ir.MemoryObject] = set()
    taken: set[ir.Variable] = set()
    for s in walk(kernel.body):
        if isinstance(s, ir.Assign) and isinstance(s.variable.type, Pointer):
            pointed[s.variable] |= _inside((s.value,))
            passed[s.variable] |= reads(s.value)
        elif isinstance(s, ir.Load) and s.site in needless:
            continue
        else:
            given = tuple(_taken(s))
            read |= _inside(given)
            taken |= {v for e in given for v in reads(e)}
    for s in walk(kernel.body):
        stored |= set(_droppable((s.address,))) if isinstance(s, ir.Store) else set()
    for variable in _reached(taken, passed):
        read |= pointed.get(variable, set())
    held = {o for some in pointed.values() for o in some}
    return frozenset(o for o in (stored | held) - read if o.space == "shared" and not o.dynamic)


def stored_by_functions(body: ir.Body) -> Arrays:
    """Arrays that are stored to through a member of a union, or by functions of a class: nvcc does
    not see that nobody reads them."""
    stores = (s for s in walk(body) if isinstance(s, ir.Store))
    return frozenset(
        _droppable(
            s.address for s in stores if s.site.packed or s.site.by_member or _through_union(s)
        )
    )


def _through_union(s: ir.Store) -> bool:
    types = (x.type.pointee for x in walk_expression(s.address) if isinstance(x.type, Pointer))
    return (s.site.told is not None and s.site.told.in_union) or any(_holds_union(t) for t in types)


def _holds_union(type_: Type) -> bool:
    while isinstance(type_, Array):
        type_ = type_.element
    return isinstance(type_, Record) and (
        type_.kind == "union" or any(_holds_union(f.type) for f in type_.fields)
    )


def _reached(
    start: Set[ir.Variable], passed: dict[ir.Variable, set[ir.Variable]]
) -> set[ir.Variable]:
    """Variables, and all that they are assigned."""
    found, left = set(start), list(start)
    while left:
        new = passed.get(left.pop(), set()) - found
        found |= new
        left += new
    return found


def _droppable(
    addresses: Iterator[ir.Expression] | tuple[ir.Expression, ...],
) -> Iterator[ir.MemoryObject]:
    """The shared arrays in addresses that belong to the kernel alone."""
    for address in addresses:
        yield from (o for o in _inside((address,)) if o.space == "shared" and not o.dynamic)


def _taken(s: ir.Statement) -> Iterator[ir.Expression]:
    """What a statement needs of values: of a store that may be dropped only what it stores."""
    stored = [e for _, e in (*s.values, *s.untracked)] if isinstance(s, ir.Store) else []
    if not isinstance(s, ir.Store) or s.site.volatile:
        yield from expressions(s)
    yield from stored


def _inside(some: Iterator[ir.Expression] | tuple[ir.Expression, ...]) -> set[ir.MemoryObject]:
    return {x.object for e in some for x in walk_expression(e) if isinstance(x, ir.Address)}
