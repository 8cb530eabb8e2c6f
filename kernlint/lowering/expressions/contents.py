"""What containers of host code hold: elements on the heap, to which the container keeps a pointer.

In: container values. Out: room for elements, and copies that own theirs. Contents of containers in
kernels and of those that hold only floating-point numbers are not followed: they decide no launch.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.base.dataclass import replace
from kernlint.ir import nodes as ir
from kernlint.ir.types import ULONG, Float, Pointer, Record, Type
from kernlint.lowering.context import Lowerer
from kernlint.lowering.expressions.fold import binary, integer, pointer_add, retype
from kernlint.lowering.expressions.places import load, on_heap
from kernlint.lowering.expressions.values import Aggregate, MemoryPlace
from kernlint.lowering.types.layout import complete, size_of
from kernlint.source.parser import tree

ROOM = 32  # elements that may be appended
MOST_COPIED = 64  # elements of a copy whose contents are followed
_OWNERS = ("std::vector", "std::deque")
_REFERRING = ("std::initializer_list",)


def element_of(type_: Record) -> Type | None:
    """The type of a container's elements; None of other classes."""
    is_one = type_.kind == "container" and isinstance(type_.definition, tuple)
    return complete(type_.definition[1]) if is_one else None


def followed(low: Lowerer, type_: Record) -> bool:
    """Whether the contents of containers of a type are."""
    element = element_of(type_)
    if element is None or not low.host or low.constant:
        return False
    is_data = isinstance(element, Float) or not size_of(element)
    return not is_data and type_.name.startswith(_OWNERS + _REFERRING)


def make_room(low: Lowerer, type_: Record, size: ir.Expression, node: tree.Node) -> ir.Expression:
    """A pointer to fresh memory for `size` elements and some more."""
    element = element_of(type_)
    assert element is not None
    count = binary("+", size, integer(ROOM, ULONG))
    width = integer(size_of(element) or 1, ULONG)
    return on_heap(low, Pointer(element), "new", binary("*", count, width), node).expression


def _owned(type_: Record, base: int = 0) -> Iterator[tuple[int, Record]]:
    """The containers that an object of a type is or has as members, each with its offset."""
    if type_.kind == "container":
        if type_.name.startswith(_OWNERS):
            yield base, type_
        return
    for field in type_.fields:
        inner = complete(field.type)
        if isinstance(inner, Record):
            yield from _owned(inner, base + field.offset)


def own_contents(
    low: Lowerer, value: Aggregate, node: tree.Node, room: ir.Expression | None = None
) -> Aggregate:
    """A copy of an object whose containers hold elements of their own; `room`: for how many there
    is place, beside what may be appended, if not for those that there are."""
    type_ = complete(value.type)
    if not low.host or low.constant or not isinstance(type_, Record):
        return value
    made = dict(value.leaves)
    for base, container in _owned(type_):
        if followed(low, container) and {base, base + 8} <= made.keys():
            size, data = made[base], made[base + 8]
            target = make_room(low, container, size if room is None else room, node)
            _copy(low, container, data, target, size, node)
            made[base + 8] = target
    return replace(value, leaves=made)


def _copy(
    low: Lowerer,
    type_: Record,
    source: ir.Expression,
    target: ir.Expression,
    size: ir.Expression,
    node: tree.Node,
) -> None:
    """Copy the first elements, one after another."""
    element = element_of(type_)
    assert element is not None
    index = ir.Variable("(index)", ULONG)
    low.assign(index, integer(0, ULONG))
    read = ir.Read(ULONG, index)

    def at(data: ir.Expression) -> MemoryPlace:
        pointer = Pointer(element)
        return MemoryPlace(
            element, pointer_add(retype(data, pointer), read, size_of(element), pointer)
        )

    with low.block() as body:
        low.handlers.assign(low, at(target), load(low, at(source), node), node, node, True)
    last = binary("min", size, integer(MOST_COPIED, ULONG))
    step = (ir.Assign(index, binary("+", read, integer(1, ULONG))),)
    site = low.branch_site(node, "for", None)
    low.emit(ir.Loop(ir.Label("copy"), (), binary("<", read, last), tuple(body), step, site))
