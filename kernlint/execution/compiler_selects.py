"""Loads that a choice without a branch takes one of: nvcc may make the one under the choice's condition, into the other's register.

In: the walk of a kernel, and which values are needed. Out: risks by access site. Measured on nvcc 13's machine code for sm_90: with
`x = a[i]; y = b[i];` the load of `b` is predicated in `o[i] = c ? y : x`, `(c ? y : x) * w`, `c ? y + 1 : x + 1` and `if (x > 0) x = y`,
whatever `c` is; also where the other value was computed before the load (`s = 3 * x; y = b[i]; if (c) s = y`, what a loop carries);
not where it is computed after it, a constant or an argument, is needed later, or something is written or waits in between. A
computed value or an argument that several choices of one condition take, and nothing else, has a register that the last may have:
`if (c) x = y = w * 2` predicates the load of `y`, `if (c) { x = w; y = w + 1; }` both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from kernlint.execution.compiler_facts import Risk
from kernlint.execution.compiler_forms import Form
from kernlint.execution.compiler_narrowing import DIRECT
from kernlint.execution.compiler_uses import USE, Readers, Uses, small
from kernlint.execution.compiler_walk import Walker
from kernlint.lowering import ir

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
                    yield walker.log[walker.makers[a][0]].site, Risk("speculated", False, (0, 1), MET)


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
    """The load of a choice between it and a value that has a register by then, which nothing needs after the choice. What integers are
    computed of may be there before they are: such a value is taken to be."""
    parts = _choice(walker, a)
    for load, other in (parts[1:], parts[:0:-1]) if parts is not None else ():
        chosen, inside = _only(walker, load), walker.atoms.inside(other)
        if parts is None or chosen is None or load.terms != (((chosen,), 1),) or load.constant or reading.get(chosen) != {a}:
            continue
        before = _leading(walker, parts[:1])
        if inside and max(inside) < chosen and chosen not in before and _in_register(walker, other, a, before, reading):
            return _loads(walker, chosen, a)
    return set()


def _in_register(walker: Walker, other: Form, a: int, before: set[int], reading: Reading) -> bool:
    """Whether a value is no constant or mere argument, and no other is made of it after the choice."""
    value = next(iter(walker.atoms.inside(other))) if len(other.terms) == 1 else None
    if value is None or other.terms[0] != ((value,), 1) or other.constant:
        return True
    kind = walker.atoms.keys[value][0]
    if kind == "variable":
        return value in before
    return kind == "builtin" or (kind != "float" and all(reader <= a and reader != USE for reader in reading.get(value, ())))


def _beside_shared(walker: Walker, a: int, reading: Reading) -> set[int]:
    """The load of a choice between it and a value that only choices of the same condition read."""
    parts = _choice(walker, a)
    for load, other in (parts[1:], parts[:0:-1]) if parts is not None else ():
        chosen, value = _only(walker, load), _only(walker, other)
        if chosen is None or value is None or value in walker.makers or load.terms != (((chosen,), 1),) or reading.get(chosen) != {a}:
            continue
        choices = reading.get(value, set())
        conditions = [found[0] for b in choices if b in walker.selects and (found := _choice(walker, b)) is not None]
        if len(choices) > 1 and parts is not None and conditions == [parts[0]] * len(choices):
            return _loads(walker, chosen, a)
    return set()


def _only(walker: Walker, form: Form) -> int | None:
    """The value that a form is made of, where it is one and no constant."""
    inside = walker.atoms.inside(form)
    return next((a for a in inside if walker.atoms.keys[a][0] != "float"), None) if len(inside) == 1 else None


def _choice(walker: Walker, a: int) -> tuple[Form, Form, Form] | None:
    """As `_parts`, also of a branch that does no more than assign."""
    key = walker.atoms.keys[a]
    if key[0] == "select" or not isinstance(key[1], ir.If) or not all(isinstance(s, ir.Assign) for s in (*key[1].then, *key[1].otherwise)):
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
    while (pair := atoms_apart(*sides)) and not _is_choice_or_load(walker, pair) and (inner := parts_apart(walker, pair)):
        chain.append(pair)
        sides = list(inner)
    if not pair:
        return []
    if any(b in walker.makers for b in pair):
        chain.append(pair)
        pair = _narrowed(walker, pair[0]), _narrowed(walker, pair[1])
    loads = [_loads(walker, b, a) for b in pair]
    if not all(loads) or loads[0] & loads[1]:
        return []
    before = _leading(walker, [condition, *_conditions(walker, pair)])
    above = {x for link in chain for x in link}
    if any(reading.get(b, set()) - above - before - walker.selects.keys() for some in loads for b in some):
        return []
    return [b for some in loads for b in some if len(reading.get(b, ())) == 1 and not reading[b] & before]


def _parts(walker: Walker, a: int) -> tuple[Form, Form, Form] | None:
    """Condition and the two values."""
    key = walker.atoms.keys[a]
    forms = [p for p in key if isinstance(p, Form)]
    if len(forms) != 3:
        return None
    if key[0] == "select":
        return forms[0], forms[1], forms[2]
    return (forms[2], forms[0], forms[1]) if isinstance(key[1], ir.If) and small(key[1], walker.members) else None


def atoms_apart(one: Form, other: Form) -> tuple[int, int] | None:
    """The two atoms that forms differ in."""
    mine, theirs = set(one.terms) - set(other.terms), set(other.terms) - set(one.terms)
    if len(mine) != 1 or len(theirs) != 1 or one.constant != other.constant:
        return None
    (m, c), (n, d) = mine.pop(), theirs.pop()
    return (m[0], n[0]) if len(m) == len(n) == 1 and c == d else None


def _narrowed(walker: Walker, b: int) -> int:
    """The load of which a value is a part that nvcc reads alone; else the value."""
    key = walker.atoms.keys[b]
    parts = [p for p in key if isinstance(p, Form) and p.terms] if key[0] in ("narrow", *DIRECT) else []
    inside = walker.atoms.inside(parts[0]) if len(parts) == 1 else set[int]()
    return next((a for a in inside if len(inside) == 1 and a in walker.makers), b)


def _is_choice_or_load(walker: Walker, pair: tuple[int, int]) -> bool:
    return any(a in walker.makers or a in walker.selects for a in pair)


def parts_apart(walker: Walker, pair: tuple[int, int]) -> tuple[Form, Form] | None:
    """The operands in which two equal operations differ."""
    one, other = (walker.atoms.keys[a] for a in pair)
    if one[0] != other[0] or len(one) != len(other):
        return None
    differing = [(x, y) for x, y in zip(one, other, strict=True) if x != y]
    if len(differing) != 1:
        return None
    x, y = differing[0]
    return (x, y) if isinstance(x, Form) and isinstance(y, Form) else None


def _loads(walker: Walker, b: int, choice: int) -> set[int]:
    """The loads that a value is one of, all in the choice's straight code; nothing where it may be something else."""
    if b in walker.makers:
        place, fences = walker.makers[b]
        end, until, path = walker.selects[choice]
        load = walker.log[place]
        stays = fences == until and load.path == path and not any(e.store for e in walker.log[place + 1 : end] if e.path == path)
        return {b} if stays else set()
    parts = _parts(walker, b) if b in walker.selects else None
    pair = atoms_apart(*parts[1:]) if parts else None
    found = [_loads(walker, x, choice) for x in pair] if pair else []
    return found[0] | found[1] if all(found) and found else set()


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
