"""Which classes are copied member by member: those with a member or base that says itself how it is
copied.

In: a type. Out: whether a copy of a value of it calls functions of its members' classes, each of
which nvcc puts in place on its own lines (measured: `struct alignas(16) W { C a, b; }` with
`C(const C &)` or `operator=` of the user's makes an access of 8 bytes for each `C`).
"""

from __future__ import annotations

from kernlint.ir.types import Array, Record, Type
from kernlint.lowering.context import ProgramContext
from kernlint.lowering.declare import is_defaulted, parameter_types
from kernlint.lowering.scopes import ClassInfo, FunctionEntity
from kernlint.lowering.types.classes import class_info, methods
from kernlint.lowering.types.layout import complete, is_packed
from kernlint.lowering.types.typenames import resolve


def has_copying_members(program: ProgramContext, type_: Type) -> bool:
    """Whether a member or base, or one of theirs, has a copy constructor or assignment that its
    class defines."""
    type_ = complete(type_)
    while isinstance(type_, Array):
        type_ = complete(type_.element)
    info = class_info(type_)
    if info is None or info.record is None:
        return False
    if info.copied_apart is None:
        info.copied_apart = False  # what a class that contains itself has until it is known
        parts = [*(f.type for f in info.record.fields), *(base for base, _ in info.bases)]
        info.copied_apart = any(
            _defines_copying(program, part) or has_copying_members(program, part) for part in parts
        )
    return info.copied_apart


def copied_by_call(program: ProgramContext, type_: Type) -> bool:
    """Whether the class itself defines its copy constructor."""
    info = class_info(type_)
    return info is not None and any(_copies(program, info, one) for one in info.constructors)


def _defines_copying(program: ProgramContext, type_: Type) -> bool:
    type_ = complete(type_)
    while isinstance(type_, Array):
        type_ = complete(type_.element)
    info = class_info(type_)
    functions = (*info.constructors, *methods(type_, "operator=")) if info is not None else ()
    return any(info is not None and _copies(program, info, one) for one in functions)


def _copies(program: ProgramContext, info: ClassInfo, function: FunctionEntity) -> bool:
    parameters = parameter_types(function.node)
    if function.parameters is not None or len(parameters) != 1 or is_defaulted(function.node):
        return False
    return class_info(resolve(program, parameters[0], function.scope).type) is info


def copied_whole(program: ProgramContext, type_: Type) -> bool:
    """Whether the load of a value of this type may be charged to the line of its only copy
    (`usage.copy_lines`)."""
    return _moves_whole(complete(type_)) and not copied_by_call(program, type_)


def _moves_whole(type_: Type) -> bool:
    """Whether a copy moves units larger than the fields: the class is aligned to more than any of
    them (float4, not float3)."""
    return (
        isinstance(type_, Record)
        and not is_packed(type_)
        and all(complete(f.type).align < type_.align for f in type_.fields)
    )
