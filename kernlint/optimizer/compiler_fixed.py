"""Stores at fixed addresses, and of vectors and classes that begin with a constant: nvcc makes one
of several, or several of one.

In: a kernel and its walk. Out: (site, risk) pairs. Read in nvcc 13's machine code for sm_90 (983
kernels): at a fixed address `*o = {1, 2, q[i], r[i]}` takes two stores of 8 bytes, `*o = {1, n, m,
q[i]}` four of 4. It is one store where the address is computed (`o[i]`, `o[n]`), where the pointer
is a variable of the file, where the first member is no constant or all are, and where a function
such as `make_int4` takes the constant. A class that is copied as bytes is stored at any address
with what begins with a constant once more, or in pieces: `o[i] = {1, 2, 3, q[i]}` with `struct
alignas(16) { int v[4]; }` takes one store of 16 bytes and one of 4.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from kernlint.ir import nodes as ir
from kernlint.ir.traversal import walk
from kernlint.lowering.types.layout import size_of
from kernlint.optimizer.compiler_facts import Risk
from kernlint.optimizer.compiler_forms import Form
from kernlint.optimizer.compiler_implied import constants, made_of
from kernlint.optimizer.compiler_state import Entry
from kernlint.optimizer.compiler_walk import Walker

FIXED = "its first member is a constant, and its address is fixed: it may be stored in pieces"
AS_BYTES = "a part of the class begins with a constant, or is not filled by its members: it may be stored in pieces"
EITHER = "a store to the same address under another condition follows or precedes: one store may serve both"
Sources = dict[ir.Variable, list[ir.Expression]]
Member = tuple[int, ir.Expression, Form]  # its offset, what is stored, and the value's form


def in_pieces(kernel: ir.Kernel, walker: Walker) -> Iterator[tuple[ir.AccessSite, Risk]]:
    if kernel.language != "cuda":
        return
    stores = {s.site: s for s in walk(kernel.body) if isinstance(s, ir.Store) and _shares_words(s)}
    sources = _sources(kernel) if stores else {}
    for place, forms in walker.stored.items() if stores else ():
        entry = walker.log[place]
        s = stores.get(entry.site)
        if s is None or entry.memory is None or entry.memory.space != "global":
            continue
        members = [
            (o or 0, e, form) for (o, e), form in zip((*s.values, *s.untracked), forms, strict=True)
        ]
        how = s.site.copying
        by_bytes = how is not None and (
            how.loose
            or (how.by_bytes and any(_own(form, walker) is not None for _, _, form in members))
        )
        if not (by_bytes or _fixed(entry, walker)):
            continue
        parts = list(_parts(s.site.pieces, members))
        filled = all(
            sum(size_of(e.type) or 0 for _, e, _ in part) >= width
            for part, (_, width) in zip(parts, s.site.pieces, strict=True)
        )
        if any(_begins(part, walker, sources) for part in parts) or (by_bytes and not filled):
            yield (
                entry.site,
                Risk("narrowed", False, (1, len(members)), AS_BYTES if by_bytes else FIXED),
            )


def under_conditions(walker: Walker) -> Iterator[tuple[ir.AccessSite, Risk]]:
    """Stores to one fixed address under two conditions, one after the other: nvcc may make one
    store under either of them (read in machine code: of `if (n > 3) v = 1; if (m > 2) v = 2;` one
    STS is left; both stay where the address is computed, or an arm loads)."""
    alone = Counter(entry.path for entry in walker.log)
    last: dict[ir.MemoryObject | None, tuple[Entry, int]] = {}
    for entry, fences in zip(walker.log, walker.passed, strict=True):
        before, passed = last.get(entry.memory, (None, -1))
        met = (
            before is not None
            and passed == fences
            and _follow(before, entry)
            and _is_place(entry, walker)
        )
        if before is not None and met and alone[entry.path] == alone[before.path] == 1:
            yield from (
                (e.site, Risk("speculated", False, (0, 2), EITHER)) for e in (before, entry)
            )
        last[entry.memory] = entry, fences


def _follow(one: Entry, other: Entry) -> bool:
    """Whether they are stores to the same place in the arms of two branches that stand side by
    side."""
    plain = all(
        e.store and e.site.op == "store" and e.path and isinstance(e.path[-1].statement, ir.If)
        for e in (one, other)
    )
    beside = (
        plain
        and one.path[:-1] == other.path[:-1]
        and one.path[-1].statement is not other.path[-1].statement
    )
    return beside and one.form == other.form and one.width == other.width


def _shares_words(s: ir.Store) -> bool:
    """Whether several members are stored at once."""
    return 0 < len(s.site.pieces) < len(s.values) + len(s.untracked)


def _sources(kernel: ir.Kernel) -> Sources:
    found: Sources = defaultdict(list)
    for s in walk(kernel.body):
        if isinstance(s, ir.Assign):
            found[s.variable].append(s.value)
    return found


def _fixed(entry: Entry, walker: Walker) -> bool:
    """Whether an address is a pointer that the kernel is given and a constant, or a condition makes
    it one."""
    atoms = walker.atoms
    if entry.memory is None or not entry.memory.parameter:
        return False
    if _is_place(entry, walker):
        return True
    known = [
        k
        for s in entry.path
        if s.condition is not None
        for k in ((s.condition, s.side), *s.implied)
    ]
    return any(made_of(entry.form, atoms.inside(value), atoms) for value in constants(known, atoms))


def _is_place(entry: Entry, walker: Walker) -> bool:
    """Whether an address is that of an object, or so many bytes behind."""
    return (
        entry.memory is not None
        and entry.form.terms == walker.atoms.atom(("object", entry.memory)).terms
    )


def _parts(pieces: Sequence[tuple[int, int]], members: Sequence[Member]) -> Iterator[list[Member]]:
    """The members that are stored at once, in the order of their places."""
    for first, width in pieces:
        yield sorted((m for m in members if first <= m[0] < first + width), key=lambda m: m[0])


def _begins(part: Sequence[Member], walker: Walker, sources: Sources) -> bool:
    """Whether the first member is a constant, of several that are not all constants."""
    known = [is_constant(form, walker) for _, _, form in part]
    return len(part) > 1 and known[0] and not all(known) and not _handed(part[0][1], sources, set())


def is_constant(form: Form, walker: Walker) -> bool:
    """Whether a value is a constant, or may be one that was stored to the thread's own object which
    it is loaded from."""
    if (own := _own(form, walker)) is not None:
        return any(value != form and is_constant(value, walker) for value in _held(*own, walker))
    alone = form.constant == 0 and len(form.terms) == 1 and form.terms[0][1] == 1
    return form.value is not None or (
        alone and walker.atoms.keys[form.terms[0][0][0]][0] == "float"
    )


def _own(form: Form, walker: Walker) -> tuple[ir.MemoryObject, Form] | None:
    """The thread's own object that a value is loaded from, and the place in it."""
    if form.constant or len(form.terms) != 1 or form.terms[0][1] != 1:
        return None
    key = walker.atoms.keys[form.terms[0][0][0]]
    if (
        key[0] != "load"
        or not isinstance(key[1], ir.MemoryObject)
        or key[1].space != "local"
        or not isinstance(key[2], Form)
    ):
        return None
    return key[1], key[2]


def _held(memory: ir.MemoryObject, place: Form, walker: Walker) -> Iterator[Form]:
    """What is stored to a place in the thread's own object."""
    for one in walker.privates.stored.get(memory, ()):
        for (offset, _), value in zip(one.places, one.forms, strict=True):
            if one.entry.form + Form((), offset or 0) == place:
                yield value


def _handed(e: ir.Expression, sources: Sources, met: set[ir.Variable]) -> bool:
    """Whether all constants that a value may be are arguments of a function that makes a vector."""
    if isinstance(e, ir.Constant):
        return e.handed
    if isinstance(e, ir.Convert):
        return _handed(e.operand, sources, met)
    if not isinstance(e, ir.Read) or not sources.get(e.variable):
        return False  # what is loaded from the thread's own object
    return e.variable in met or all(
        _handed(x, sources, {*met, e.variable}) for x in sources[e.variable]
    )
