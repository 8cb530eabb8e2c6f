"""What nvcc can prove of two accesses: that they never touch the same bytes, that they do, or
neither.

In: entries of one walk. Out: an `Alias`. The rules are measured (tests/compiler/cases_alias.py):
objects by `Memory`; constant distances; members of one struct at other offsets, whatever the
pointers and indices; strides that leave room between the two. Where ranges of values may decide it,
kernlint does not know what nvcc proves.
"""

from __future__ import annotations

from collections.abc import Container
from math import gcd
from typing import Literal

from kernlint.base.dataclass import dataclass
from kernlint.ir import nodes as ir
from kernlint.ir.types import Array, Pointer, Record
from kernlint.optimizer.compiler_forms import Atoms, Form
from kernlint.optimizer.compiler_memory import Memory
from kernlint.optimizer.compiler_state import Entry, distance, overlaps

Alias = Literal["none", "perhaps none", "may", "some"]
BOUNDED = {
    "&",
    "%",
    ">>",
    "min",
    "narrow",
    "select",
}  # operations whose results nvcc may know a range of


Member = tuple[Record | None, int]
HIDDEN: Member = (None, 0)  # perhaps a member: nvcc may know more


def member_of(address: ir.Expression, parameters: Container[ir.Variable]) -> Member | None:
    """The struct and byte offset of `p[i].member`; None for what is none, or is deeper (nested
    structs, arrays in structs: measured to alias); `HIDDEN` where a pointer variable or a base
    class hides it."""
    offset = 0
    e = address
    while (
        isinstance(e, ir.Binary)
        and e.op == "+"
        and isinstance(e.right, ir.Constant)
        and isinstance(e.right.value, int)
    ):
        if offset:
            return None
        offset, e = e.right.value, e.left
        if isinstance(e.type, Pointer) and isinstance(e.type.pointee, Record):
            return _direct(e.type.pointee, offset, address)
    if offset:
        return None
    if isinstance(e, ir.Read):
        held = e.variable.type
        if isinstance(held, Pointer) and not isinstance(held.pointee, Record):
            return None if e.variable in parameters else HIDDEN
    else:
        held = e.left.type if isinstance(e, ir.Binary) else e.type
    return (
        _direct(held.pointee, 0, address)
        if isinstance(held, Pointer) and isinstance(held.pointee, Record)
        else None
    )


def _disguised(e: ir.Expression) -> bool:
    """Whether the address stems from a pointer to another struct: nvcc may see through the cast."""
    while isinstance(e, ir.Binary):
        e = e.left
    shown, held = e.type, e.variable.type if isinstance(e, ir.Read) else e.type
    records = [
        t.pointee for t in (shown, held) if isinstance(t, Pointer) and isinstance(t.pointee, Record)
    ]
    return len(records) == 2 and records[0] != records[1]


def _direct(record: Record, offset: int, address: ir.Expression) -> Member | None:
    target = address.type.pointee if isinstance(address.type, Pointer) else None
    if record.kind == "union" or isinstance(target, Record):
        return None
    if getattr(record.definition, "bases", ()) or _disguised(address):
        return HIDDEN
    return (
        (record, offset)
        if any(
            f.offset == offset and not isinstance(f.type, (Record, Array)) for f in record.fields
        )
        else None
    )


def _other_members(a: Entry, b: Entry) -> bool:
    return (
        a.member is not None
        and b.member is not None
        and a.member[0] == b.member[0]
        and a.member[1] != b.member[1]
    )


def _hidden(a: Entry, b: Entry) -> bool:
    return (
        a.member is not None
        and b.member is not None
        and (a.member[0] is None or b.member[0] is None)
    )


@dataclass(frozen=True, slots=True)
class Aliases:
    memory: Memory
    atoms: Atoms

    def between(self, a: Entry, b: Entry) -> Alias:
        if not self.memory.overlap(a.memory, b.memory):
            return "none"
        apart = distance(a, b)
        if apart is not None and a.memory is b.memory:
            return "some" if overlaps(a, b, apart) else "none"
        if self.memory.promises.doubt(a.memory, b.memory):
            return "perhaps none"
        if _other_members(a, b):
            return "none"
        if _hidden(a, b):
            return "perhaps none"
        if a.memory is None or a.memory is not b.memory:
            return "may"
        return self._strided(a, b)

    def apart(self, a: Entry, b: Entry) -> Alias:
        """What can be proven of two accesses, wherever `a` has its constant: addresses differ in
        more than that."""
        if not self.memory.overlap(a.memory, b.memory):
            return "none"
        if self.memory.promises.doubt(a.memory, b.memory):
            return "perhaps none"
        if _other_members(a, b):
            return "none"
        if _hidden(a, b):
            return "perhaps none"
        if a.memory is None or a.memory is not b.memory:
            return "may"
        stride, bounded = self._stride(a.form, b.form)
        return "perhaps none" if bounded or stride > b.size else "may"

    def keeps_apart(self, a: Entry, b: Entry) -> Alias:
        """What nvcc proves where it joins neighbours: less than where it keeps values (measured: a
        store to another shared array, or at a constant distance in a plain one, is in the way of
        neither or of both; members of structs never are)."""
        how = self.between(a, b)
        if how != "none" or _other_members(a, b):
            return how
        same_space = a.memory is None or b.memory is None or a.memory.space == b.memory.space
        return (
            "perhaps none"
            if a.memory is b.memory
            or (same_space and a.memory is not None and a.memory.space != "global")
            else "none"
        )

    def _strided(self, a: Entry, b: Entry) -> Alias:
        """One object, another index: what is left of the distance when the strides of all indices
        are taken out of it."""
        stride, bounded = self._stride(a.form, b.form)
        if bounded:
            return "perhaps none"
        start = (b.form.constant - a.form.constant + b.first - a.first) % stride
        roomy = start >= a.size and start + b.size <= stride
        return "perhaps none" if roomy else "may"

    def _stride(self, a: Form, b: Form) -> tuple[int, bool]:
        """What divides the distance of two addresses, but for its constant, and whether it is made
        of values that nvcc knows ranges of, or of which some may cancel. Asked for each pair of a
        store and what is known before it, so no form is made."""
        apart = dict(b.terms)
        for monomial, coefficient in a.terms:
            left = apart.get(monomial, 0) - coefficient
            if left:
                apart[monomial] = left
            else:
                del apart[monomial]
        return gcd(*apart.values()), all(map(self._has_range, apart))

    def _has_range(self, monomial: tuple[int, ...]) -> bool:
        keys = self.atoms.keys
        return any(keys[atom][0] in BOUNDED for atom in monomial)
