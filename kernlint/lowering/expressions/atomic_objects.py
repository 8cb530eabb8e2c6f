"""Operators of atomic objects (`counter++`, `flag = 1`) and of references to them.

In: places of atomic types. Out: the place of what they hold, and Atomic statements.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.base.dataclass import replace
from kernlint.ir import nodes as ir
from kernlint.ir.types import Float, Integer, Pointer, Type
from kernlint.lowering.context import Lowerer
from kernlint.lowering.expressions.fold import arithmetic, convert, integer
from kernlint.lowering.expressions.values import MemoryPlace, Scalar, Value
from kernlint.lowering.sites import access_site
from kernlint.lowering.types import atomic_types
from kernlint.lowering.types.layout import complete
from kernlint.source.parser import tree

# libcu++, `cuda::atomic`: what an operator does, and the operator that gives the new value
OPERATIONS = {
    "++": ("add", "+"),
    "--": ("sub", "-"),
    "+=": ("add", "+"),
    "-=": ("sub", "-"),
    "&=": ("and", "&"),
    "|=": ("or", "|"),
    "^=": ("xor", "^"),
}
OF_BLOCK = "thread_scope_block"


def is_atomic(place: Value) -> bool:
    type_ = complete(place.type)
    return atomic_types.is_object(type_) or atomic_types.is_reference(type_)


def reference_to(type_: Type, value: Value) -> MemoryPlace | None:
    """A `cuda::atomic_ref` made of a place in memory, or of another one: the place, by the
    reference's type; None for other types."""
    if not atomic_types.is_reference(type_) or not isinstance(value, MemoryPlace):
        return None
    return MemoryPlace(type_, value.address, True)


def held(place: MemoryPlace) -> MemoryPlace:
    """What an atomic object or a reference holds, as memory of its own type; other places as they
    are."""
    type_ = complete(place.type)
    for_all = OF_BLOCK not in str(type_)
    if atomic_types.is_object(type_):
        element = atomic_types.element_of(type_)
        return replace(place, type=element, volatile=True, atomic=for_all, in_header=True)
    pointer = place.address.type
    if atomic_types.is_reference(type_) and isinstance(pointer, Pointer):
        element = atomic_types.element_of(complete(pointer.pointee))
        return MemoryPlace(element, place.address, True, atomic=for_all, in_header=True)
    return place


def assigned(place: Value, value: Value) -> Value | None:
    """What `object = value` gives: the value, not the object. None where no atomic object is
    assigned to."""
    if not isinstance(place, MemoryPlace) or not is_atomic(place) or not isinstance(value, Scalar):
        return None
    memory = held(place)
    if not isinstance(memory.type, (Integer, Float)):
        return None
    return Scalar(convert(value.expression, memory.type))


def operator(
    low: Lowerer, op: str, operands: Sequence[Value], node: tree.Node, postfix: bool
) -> Value | None:
    """None where the object is no atomic one in memory, or has no such operator."""
    place, *others = operands
    found = OPERATIONS.get(op)
    if found is None or not isinstance(place, MemoryPlace) or not is_atomic(place):
        return None
    name, new = found
    given = others[0] if others else Scalar(integer(1))
    memory = held(place)
    if not isinstance(given, Scalar) or not isinstance(memory.type, (Integer, Float)):
        return None
    by = convert(given.expression, memory.type)
    old = low.temporary(memory.type)
    site = access_site(
        low,
        node,
        memory.type,
        "atomic",
        hardware_op="atomic",
        used=not low.discarded(node),
        place=memory,
    )
    site = replace(site, of_block=OF_BLOCK in str(place.type))
    low.emit(ir.Atomic(old, name, memory.address, (by,), site))
    before = ir.Read(old.type, old)
    after = convert(arithmetic(low.language, new, before, by), memory.type)
    return Scalar(before if postfix else after)
