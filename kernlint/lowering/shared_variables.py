"""Shared memory: the objects that `__shared__` and `__local` variables are.

In: declarations. Out: places in shared memory. Initialises nothing.
"""

from __future__ import annotations

from kernlint.ir import nodes as ir
from kernlint.ir.types import Pointer, Type
from kernlint.lowering.context import Lowerer
from kernlint.lowering.expressions.values import MemoryPlace, Qualified, Value
from kernlint.lowering.types.layout import complete, size_of
from kernlint.source.parser import tree


def alignment(low: Lowerer, node: tree.Decl, type_: Type) -> int:
    """The declared alignment, at least the type's own."""
    found = [low.program.constant(a, low.scope) for a in node.align]
    return max([complete(type_).align, *[int(a.value) for a in found if a is not None]])


def shared_object(low: Lowerer, node: tree.Decl, declared: Qualified) -> Value:
    """A `__shared__` / `__local` variable: one object per declaration, and one for all `extern`
    ones of a kernel."""
    type_ = complete(declared.type)
    if "extern" in node.storage:
        low.extern_arrays.setdefault(node.name or "", low.span(node))
        if low.dynamic_shared is None:
            low.dynamic_shared = ir.MemoryObject(
                node.name or "",
                "shared",
                type_,
                None,
                alignment(low, node, type_),
                low.span(node),
                True,
                volatile=declared.volatile,
            )
            low.objects[low.dynamic_shared] = low.dynamic_shared
        return MemoryPlace(
            type_, ir.Address(Pointer(type_, "shared"), low.dynamic_shared), declared.volatile
        )
    key = ("shared", id(node), low.frame.key if len(low.frames) > 1 else None)
    made = low.objects.get(key)
    if made is None:
        made = ir.MemoryObject(
            node.name or "",
            "shared",
            type_,
            size_of(type_),
            alignment(low, node, type_),
            low.span(node),
            volatile=declared.volatile,
        )
        low.objects[key] = made
    return MemoryPlace(type_, ir.Address(Pointer(type_, "shared"), made), declared.volatile)
