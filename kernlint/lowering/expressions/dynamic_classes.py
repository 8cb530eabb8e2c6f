"""The classes of host code's objects with virtual functions: which one an object is of, as far as
its construction was followed.

In: objects when they are constructed, and when a virtual function is called on them. Out: a class
that is known now, or the number in memory that tells it. An object in memory holds the number where
a compiler would keep the address of the table of virtual functions.
"""

from __future__ import annotations

from kernlint.ir import nodes as ir
from kernlint.ir.types import ULONG, Field, Record, Type
from kernlint.lowering.context import Lowerer
from kernlint.lowering.expressions.fold import integer
from kernlint.lowering.expressions.places import member, scalar
from kernlint.lowering.expressions.stores import store
from kernlint.lowering.expressions.values import MemoryPlace, Scalar, SplitPlace, Value
from kernlint.lowering.types.classes import class_info
from kernlint.lowering.types.layout import complete
from kernlint.source.parser import tree


def note(low: Lowerer, place: Value, type_: Record, node: tree.Node) -> None:
    """Host code has constructed an object of a class."""
    info = class_info(type_)
    if not low.host or low.constant:
        return
    if info is None or not info.has_table:
        return
    known = low.program.virtual_classes
    number, _ = known.setdefault(type_.name, (len(known) + 1, type_))
    if isinstance(place, SplitPlace):
        low.dynamic_classes[(id(place.leaves), place.base)] = (place.leaves, type_)
    elif isinstance(place, MemoryPlace):
        at = _table(low, place, node)
        if isinstance(at, MemoryPlace):
            store(low, at, Scalar(integer(number, ULONG)), node, node)


def of_variable(low: Lowerer, place: SplitPlace) -> Record | None:
    """The class of an object in variables."""
    found = low.dynamic_classes.get((id(place.leaves), place.base))
    return None if found is None else found[1]


def number_of(low: Lowerer, place: MemoryPlace, node: tree.Node) -> ir.Expression:
    """The number of the class of an object in memory."""
    return scalar(low, _table(low, place, node), node)


def candidates(low: Lowerer) -> list[tuple[int, Record]]:
    """Every class of which host code has constructed an object, with its number."""
    return list(low.program.virtual_classes.values())


def _table(low: Lowerer, place: MemoryPlace, node: tree.Node) -> Value:
    return member(low, place, Field("", ULONG, _offset(place.type)), node)


def _offset(type_: Type) -> int:
    """Where a class keeps its table: at its start, or where the first base that has one does."""
    info = class_info(complete(type_))
    for base, offset in info.bases if info is not None else ():
        inner = class_info(complete(base))
        if inner is not None and inner.has_table:
            return offset + _offset(base)
    return 0
