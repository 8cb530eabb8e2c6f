"""Loads that a choice without a branch takes one of: nvcc may make the one under the choice's
condition, into the other's register.

In: the walk of a kernel, and which values are needed. Out: risks by access site. Measured on nvcc
13's machine code for sm_90: with `x = a[i]; y = b[i];` the load of `b` is predicated in `o[i] = c ?
y : x`, `(c ? y : x) * w`, `c ? y + 1 : x + 1` and `if (x > 0) x = y`, whatever `c` is; also where
the other value was computed before the load (`s = 3 * x; y = b[i]; if (c) s = y`, what a loop
carries); not where it is computed after it, a constant or an argument that nothing else reads, is
needed later, or where the load's memory may be written in between. A computed value or an argument
that several choices of one condition take, and nothing else, has a register that the last may have:
`if (c) x = y = w * 2` predicates the load of `y`, `if (c) { x = w; y = w + 1; }` both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from kernlint.ir import nodes as ir
from kernlint.optimizer.compiler_choices import small
from kernlint.optimizer.compiler_facts import Risk
from kernlint.optimizer.compiler_forms import Form, Key, atoms_apart, parts_apart
from kernlint.optimizer.compiler_narrowing import DIRECT
from kernlint.optimizer.compiler_uses import USE, Readers, Uses
from kernlint.optimizer.compiler_walk import Walker

NARROWED = ("narrow", *DIRECT)
BEFORE = "a condition chooses between the value and one that was there before it: the load may be made only where it is chosen"
SHARED = "a condition chooses between the value and one that it takes elsewhere too: the load may be made only where it is chosen"
TEXT = "the value is one of two loads that a condition chooses from: the load may be made only where it is chosen"
MET = "both ways of a branch store the value of a load to one place: one load of the selected address may serve both, on a later line"
Reading = Mapping[int, set[int]]  # of each atom: what reads it


def met(walker: Walker) -> Iterator[tuple[ir.AccessSite, Risk]]:
    """Loads whose values two ways store, where one store may serve both."""
    for places in walker.meets:
        for one, other in zip(*(walker.stored.get(place, ()) for place in places), strict=False):
            pair = atoms_apart(one, other)
            if pair and all(a in walker.makers for a in pair):
                for a in pair:
                    yield (
                        walker.log[walker.makers[a][0]].site,
                        Risk("speculated", False, (0, 1), MET),
                    )


def selected(walker: Walker, live: Uses, readers: Readers) -> Iterator[tuple[ir.AccessSite, Risk]]:
    if not walker.selects:
        return
    reading = {a: {reader for reader, _ in some} for a, some in readers.items()}
    for a in walker.selects:
        for load in _movable(walker, a, reading) if live.get(a) else ():
            yield walker.log[walker.makers[load][0]].site, Risk("sunk", False, (0, 1), TEXT)
        for load in _beside_shared(walker, a, reading) if live.get(a) else ():
            yield walker.log[walker.makers[load][0]].site, Risk("sunk", False, (0, 1), SHARED)
        for load in _over_earlier(walker, a, reading) if live.get(a) else ():
            yield walker.log[walker.makers[load][0]].site, Risk("sunk", False, (0, 1), BEFORE)


def _over_earlier(walker: Walker, a: int, reading: Reading) -> set[int]:
    """The load of a choice between it and a value that has a register, which nothing needs after
    the choice."""
    parts = _choice(walker, a)
    for load, other in (parts[1:], parts[:0:-1]) if parts is not None else ():
        chosen = _only(walker, load)
        if (
            parts is None
            or chosen is None
            or load.terms != (((chosen,), 1),)
            or load.constant
            or reading.get(chosen) != {a}
        ):
            continue
        before, loads = _leading(walker, parts[:1]), _loads(walker, chosen)
        if (
            loads
            and chosen not in before
            and _in_register(walker, other, a, chosen, before, reading)
        ):
            return _reaching(walker, loads, a)
    return set()


def _in_register(
    walker: Walker, other: Form, a: int, chosen: int, before: set[int], reading: Reading
) -> bool:
    """Whether the value beside a load has a register that the choice may take over. An argument has
    one where anything else reads it, or where the choice is made more than once; a loop's counter
    in each copy but the last; what the condition reads; and what no other value is made of after
    the choice. What integers are computed of may be there before they are: such a value is taken to
    be."""
    inside = walker.atoms.inside(other)
    kinds = {walker.atoms.keys[b][0] for b in inside}
    if kinds <= {"variable", "float"}:
        looped = any(isinstance(step.statement, ir.Loop) for step in walker.selects[a][2])
        again = looped or any(reading.get(b, set()) - {a} for b in inside)
        return "variable" in kinds and (
            again or any(_is_short(walker.atoms.keys[b]) for b in inside)
        )
    if "iteration" in kinds:
        return any(loop.unroll != 1 for loop in walker.atoms.varies(other))
    made = [p for b in inside for p in walker.atoms.keys[b] if isinstance(p, Form)]
    if inside <= before or (kinds == {"unknown"} and not any(map(walker.atoms.by_lane, made))):
        return True
    alone = len(other.terms) == 1 and len(inside) == 1 and not other.constant
    later = (
        alone
        and kinds != {"builtin"}
        and any(reader > a or reader == USE for b in inside for reader in reading.get(b, ()))
    )
    return max(inside) < chosen and not later


def _is_short(key: Key) -> bool:
    """Whether an argument has fewer than four bytes: it is brought into a register before it is
    used."""
    return isinstance(key[1], ir.Variable) and (key[1].type.size or 4) < 4


def _beside_shared(walker: Walker, a: int, reading: Reading) -> set[int]:
    """The load of a choice between it and a value that only choices of the same condition read."""
    parts = _choice(walker, a)
    for load, other in (parts[1:], parts[:0:-1]) if parts is not None else ():
        chosen, value = _only(walker, load), _only(walker, other)
        if (
            chosen is None
            or value is None
            or value in walker.makers
            or load.terms != (((chosen,), 1),)
            or reading.get(chosen) != {a}
        ):
            continue
        choices = reading.get(value, set())
        conditions = [
            found[0]
            for b in choices
            if b in walker.selects and (found := _choice(walker, b)) is not None
        ]
        if len(choices) > 1 and parts is not None and conditions == [parts[0]] * len(choices):
            return _reaching(walker, _loads(walker, chosen), a)
    return set()


def _only(walker: Walker, form: Form) -> int | None:
    """The value that a form is made of, where it is one and no constant."""
    inside = walker.atoms.inside(form)
    return (
        next((a for a in inside if walker.atoms.keys[a][0] != "float"), None)
        if len(inside) == 1
        else None
    )


def _choice(walker: Walker, a: int) -> tuple[Form, Form, Form] | None:
    """As `_parts`, also of a branch that does no more than assign."""
    key = walker.atoms.keys[a]
    if (
        key[0] == "select"
        or not isinstance(key[1], ir.If)
        or not all(isinstance(s, ir.Assign) for s in (*key[1].then, *key[1].otherwise))
    ):
        return _parts(walker, a)
    forms = [p for p in key if isinstance(p, Form)]
    return (forms[2], forms[0], forms[1]) if len(forms) == 3 else None


def _movable(walker: Walker, a: int, reading: Reading) -> list[int]:
    """The loads of a choice that nothing else needs, where the others have no use after it."""
    parts = _parts(walker, a)
    if parts is None:
        return []
    condition, *sides = parts
    chain = [(a, a)]
    while (
        (pair := atoms_apart(*sides))
        and not _is_choice_or_load(walker, pair)
        and (inner := parts_apart(walker.atoms, pair))
    ):
        chain.append(pair)
        sides = list(inner)
    if not pair:
        return []
    if any(b in walker.makers for b in pair):
        chain.append(pair)
        pair = _narrowed(walker, pair[0]), _narrowed(walker, pair[1])
    loads = [_loads(walker, b) for b in pair]
    if not all(loads) or loads[0] & loads[1]:
        return []
    before = _leading(walker, [condition, *_conditions(walker, pair)])
    above = {x for link in chain for x in link}
    if any(
        reading.get(b, set()) - above - before - walker.selects.keys()
        for some in loads
        for b in some
    ):
        return []
    return [
        b
        for some in loads
        for b in _reaching(walker, some, a)
        if len(reading.get(b, ())) == 1 and not reading[b] & before
    ]


def _parts(walker: Walker, a: int) -> tuple[Form, Form, Form] | None:
    """Condition and the two values."""
    key = walker.atoms.keys[a]
    forms = [p for p in key if isinstance(p, Form)]
    if len(forms) != 3:
        return None
    if key[0] == "select":
        return forms[0], forms[1], forms[2]
    return (
        (forms[2], forms[0], forms[1])
        if isinstance(key[1], ir.If) and small(key[1], walker.members)
        else None
    )


def _narrowed(walker: Walker, b: int) -> int:
    """The load of which a value is a part that nvcc reads alone; else the value."""
    key = walker.atoms.keys[b]
    parts = [p for p in key if isinstance(p, Form) and p.terms] if key[0] in NARROWED else []
    inside = walker.atoms.inside(parts[0]) if len(parts) == 1 else set[int]()
    return next((a for a in inside if len(inside) == 1 and a in walker.makers), b)


def _is_choice_or_load(walker: Walker, pair: tuple[int, int]) -> bool:
    return any(a in walker.makers or a in walker.selects for a in pair)


def _loads(walker: Walker, b: int) -> set[int]:
    """The loads that a value is one of; nothing where it may be something else."""
    if b in walker.makers:
        return {b}
    parts = _parts(walker, b) if b in walker.selects else None
    pair = atoms_apart(*parts[1:]) if parts else None
    found = [_loads(walker, x) for x in pair] if pair else []
    return found[0] | found[1] if all(found) and found else set()


def _reaching(walker: Walker, loads: set[int], choice: int) -> set[int]:
    """Of loads, those in the choice's straight code with nothing before it that may write what they
    read."""
    end, until, path = walker.selects[choice]
    found = set()
    for b in loads:
        place, fences = walker.makers[b]
        load = walker.log[place]
        waits = fences != until and not walker.memory.may_pass_barriers(load.memory)
        stores = [e.memory for e in walker.log[place + 1 : end] if e.store and e.path == path]
        if (
            load.path == path
            and not waits
            and not any(walker.memory.surely_meet(load.memory, memory) for memory in stores)
        ):
            found.add(b)
    return found


def _conditions(walker: Walker, values: Iterable[int]) -> Iterator[Form]:
    """The conditions of values that are choices, and of the choices in these."""
    pending = list(values)
    seen = set(pending)
    while pending:
        parts = _parts(walker, b) if (b := pending.pop()) in walker.selects else None
        if parts is not None:
            yield parts[0]
            new = {x for form in parts[1:] for x in walker.atoms.inside(form)} - seen
            seen |= new
            pending.extend(new)


def _leading(walker: Walker, conditions: Iterable[Form]) -> set[int]:
    """All values that conditions are made of."""
    found = {x for condition in conditions for x in walker.atoms.inside(condition)}
    pending = list(found)
    while pending:
        for part in (p for p in walker.atoms.keys[pending.pop()] if isinstance(p, Form)):
            new = walker.atoms.inside(part) - found
            found |= new
            pending.extend(new)
    return found
