"""Forms in which constant low bits stand outside masks and shifts: `(2 * t + 1) & 255` as `(2 * t &
254) + 1`.

In: forms. Out: forms that are equal, or a constant apart, where nvcc may see it. It sees it for
some operands and not for others (`2 * t`, but not `2 * t + 2 * b`; read in the machine code of 189
kernels): what rests on it alone is never certain.
"""

from __future__ import annotations

from kernlint.optimizer.compiler_forms import BY_BITS, FOLDS, Atoms, Form, Key, same_bits

DEEPEST = 4  # operations within each other: hashes have thousands
SHIFTS = {"/": ">>", ">>": ">>"}
MASKS = {"%": "&"}


def loosened(form: Form, atoms: Atoms, deep: int = 0) -> Form:
    """The form with constant low bits taken out of its atoms; itself where there are none. `deep`:
    operations that it stands within."""
    result: Form | None = None
    for monomial, coefficient in form.terms if deep < DEEPEST else ():
        if len(monomial) == 1 and (outside := _loosened_atom(monomial[0], atoms, deep)) is not None:
            own = Form(((monomial, coefficient),))
            result = (result or form) - own + outside.scaled(coefficient)
    return form if result is None else result


def _loosened_atom(a: int, atoms: Atoms, deep: int) -> Form | None:
    if (a, deep) not in atoms.loosened:
        atoms.loosened[a, deep] = _operation(atoms.keys[a], atoms, deep + 1)
    return atoms.loosened[a, deep]


def _operation(key: Key, atoms: Atoms, deep: int) -> Form | None:
    if (inner := same_bits(key)) is not None:
        return loosened(inner, atoms, deep)
    if len(key) != 3 or not isinstance(key[1], Form) or not isinstance(key[2], Form):
        return None
    op, left, right = key[0], loosened(key[1], atoms, deep), loosened(key[2], atoms, deep)
    known = right.value
    if (
        op in SHIFTS
        and known is not None
        and 0 < known < 64
        and (op == ">>" or known & (known - 1) == 0)
    ):
        by = known if op == ">>" else known.bit_length() - 1
        low = left.constant % atoms.alignment(left, {}, 1)
        high = left + Form((), -low)
        if all(c % (1 << by) == 0 for _, c in high.terms) and high.constant % (1 << by) == 0:
            return Form(
                tuple((m, c >> by) for m, c in high.terms), (high.constant >> by) + (low >> by)
            )
        return atoms.atom((">>", high, Form((), by))) + Form((), low >> by)
    if op in MASKS and known is not None and known > 0 and known & (known - 1) == 0:
        op, right = "&", Form((), known - 1)
    if op not in BY_BITS:
        return None
    free = min(atoms.alignment(left, {}, 1), atoms.alignment(right, {}, 1))
    mine, theirs = left.constant % free, right.constant % free
    high, other = left + Form((), -mine), right + Form((), -theirs)
    rest = (
        Form()
        if op == "&" and other == Form()
        else high
        if other == Form()
        else atoms.atom((op, high, other))
    )
    return rest + Form((), FOLDS[str(op)](mine, theirs))
