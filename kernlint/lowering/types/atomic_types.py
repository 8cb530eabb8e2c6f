"""`cuda::atomic<T, scope>` and `std::atomic<T>`: numbers under a name of their own, by which every
use of an object is known to be atomic.

In: types. Out: types. The layout is the number's.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeGuard

from kernlint.ir.types import Float, Integer, OpaqueType, Type

OBJECT = "cuda::atomic<"
REFERENCE = "atomic_ref"
DEFAULT_SCOPE = "thread_scope_system"


def atomic(element: Type, scope: str) -> Type:
    """The type of an atomic object; the element's where that is no number."""
    if not isinstance(element, (Integer, Float)):
        return element
    return replace(element, name=f"{OBJECT}{element.name}{', ' if scope else ''}{scope}>")


def element_of(type_: Type) -> Type:
    """What an atomic object holds; other types as they are."""
    if not is_object(type_):
        return type_
    return replace(type_, name=type_.name.removeprefix(OBJECT).rstrip(">").split(", ")[0])


def is_object(type_: Type) -> TypeGuard[Integer | Float]:
    return isinstance(type_, (Integer, Float)) and type_.name.startswith(OBJECT)


def is_reference(type_: Type) -> bool:
    name = type_.name if isinstance(type_, OpaqueType) else ""
    return name.split("<")[0].rsplit("::", 1)[-1] == REFERENCE
