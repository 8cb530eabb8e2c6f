"""What a decided condition says about the conditions that it was made of: `a && b` is true only
where both are.

In: a condition's form and how it is decided. Out: other conditions that are then decided, too;
values that are then constants. Lowering turns `a && b` into a branch on a that assigns b; the value
where the arms join tells which arm was taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kernlint.optimizer.compiler_forms import Atoms, Form

Known = tuple[Form, bool]


def implied(condition: Form, side: bool, atoms: Atoms) -> tuple[Known, ...]:
    found: dict[Known, None] = {}
    pending: list[Known] = [(condition, side)]
    while pending:
        form, truth = pending.pop()
        key = key_of(form, atoms)
        if key[:1] == ("!",) and isinstance(key[1], Form):
            new: tuple[Known, ...] = ((key[1], not truth),)
        elif (key[:1] == ("&&",) and truth) or (key[:1] == ("||",) and not truth):
            new = tuple((part, truth) for part in key[1:] if isinstance(part, Form))
        else:
            new = _taken(key, truth, atoms)
        pending += [known for known in new if known not in found]
        found |= dict.fromkeys(new)
    return tuple(found)


def possible(condition: Form, side: bool, atoms: Atoms) -> tuple[Known, ...]:
    """What may hold there: the ways on which a value joined after a branch can be decided so (`a ||
    b` is true on two)."""
    key = key_of(condition, atoms)
    parts = [p for p in key if isinstance(p, Form)]
    if key[:1] != ("join",) or len(parts) != 3 or _taken(key, side, atoms):
        return ()
    then, otherwise, chosen = parts
    return ((chosen, True), (chosen, False), (then, side), (otherwise, side))


def key_of(form: Form, atoms: Atoms) -> tuple[object, ...]:
    """The operation that a form is, () where it is a sum."""
    alone = (
        form.constant == 0
        and len(form.terms) == 1
        and form.terms[0][1] == 1
        and len(form.terms[0][0]) == 1
    )
    return atoms.keys[form.terms[0][0][0]] if alone else ()


def _taken(key: tuple[object, ...], truth: bool, atoms: Atoms) -> tuple[Known, ...]:
    """The arm of a branch that a value joined after it must stem from."""
    parts = [p for p in key if isinstance(p, Form)]
    if key[:1] != ("join",) or len(parts) != 3:
        return ()
    then, otherwise, condition = parts
    for arm, other, side in ((then, otherwise, True), (otherwise, then, False)):
        if truth_of(other, condition, not side, atoms) == (not truth):
            return ((condition, side), (arm, truth))
    return ()


def truth_of(value: Form, condition: Form, side: bool, atoms: Atoms) -> bool | None:
    """The truth of a value where `condition` is decided as `side`."""
    if value.value is not None:
        return bool(value.value)
    if value == condition:
        return side
    if key_of(value, atoms) == ("!", condition) or key_of(condition, atoms) == ("!", value):
        return not side
    return None


EQUAL = {("==", True), ("!=", False)}


def constants(known: Iterable[Known], atoms: Atoms) -> Iterator[Form]:
    """Values that conditions decided so make constants: nvcc puts the constant in their place (`if
    (t == 0) … s[t]` is `s[0]`)."""
    for form, truth in known:
        key = key_of(form, atoms)
        if key[:1] == ("convert",) and isinstance(key[2], Form) and not truth:
            yield key[2]
        elif (
            key
            and (key[0], truth) in EQUAL
            and isinstance(key[1], Form)
            and isinstance(key[2], Form)
        ):
            if key[2].value is not None or key[1].value is not None:
                yield key[1] if key[2].value is not None else key[2]
        elif not truth and (
            not key or key[0] not in ("==", "!=", "<", "<=", ">", ">=", "&&", "||", "!")
        ):
            yield form


def differences(known: Iterable[Known], atoms: Atoms) -> Iterator[Form]:
    """What is zero where conditions are decided so: `a - b` under `a == b`."""
    for form, truth in known:
        key = key_of(form, atoms)
        if (
            key
            and (key[0], truth) in EQUAL
            and isinstance(key[1], Form)
            and isinstance(key[2], Form)
            and (key[1] - key[2]).terms
        ):
            yield key[1] - key[2]


def without(form: Form, zero: Form) -> Form:
    """The form less the multiple of `zero` that its first term calls for."""
    factor = dict(form.terms).get(zero.terms[0][0], 0)
    return form if factor % zero.terms[0][1] else form - zero.scaled(factor // zero.terms[0][1])


def made_of(form: Form, parts: set[int], atoms: Atoms) -> bool:
    """Whether all of `parts` occur in what a value is made of."""
    pending, met = list(atoms.inside(form)), set[int]()
    while pending:
        a = pending.pop()
        if a not in met:
            met.add(a)
            pending.extend(
                b for part in atoms.keys[a] if isinstance(part, Form) for b in atoms.inside(part)
            )
    return bool(parts) and parts <= met
