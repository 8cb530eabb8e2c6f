"""Where the items of a braced list go: in order, or where their designators say (`[2] = x`, `.y =
x`; C 6.7.9, C++ [dcl.init.aggr]).

In: the items as written. Out: each with its place. Members of classes are `construct`'s.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.ir.types import Array, Float, Integer, Pointer, Record, Type
from kernlint.lowering.context import ProgramContext
from kernlint.lowering.scopes import Scope
from kernlint.lowering.templates.template_arguments import spread
from kernlint.lowering.types.classes import class_info
from kernlint.lowering.types.layout import complete, is_vector, leaves
from kernlint.source.parser import tree


def is_designated(items: Sequence[tree.Operand]) -> bool:
    return any(isinstance(item, tree.NamedInitializer) for item in items)


def elements(
    program: ProgramContext, items: Sequence[tree.Operand], scope: Scope
) -> list[tuple[int, tree.Operand]] | None:
    """(index, value) of the items of an array's list; None where an index is no constant or
    designates part of an element."""
    found: list[tuple[int, tree.Operand]] = []
    index = -1
    for item in spread(items, scope):
        index += 1
        if not isinstance(item, tree.NamedInitializer):
            found.append((index, item))
            continue
        places = _designated(program, item, scope)
        if not places:
            return None
        found += [(place, item.expr) for place in places]
        index = places[-1]
    return found


MOST_DESIGNATED = 4096  # elements that one range names


def _designated(
    program: ProgramContext, item: tree.NamedInitializer, scope: Scope
) -> Sequence[int]:
    """The indices that `[i]` or GNU's `[first ... last]` names; none where they are not known."""
    if len(item.name) != 1:
        return ()
    name = item.name[0]
    is_range = isinstance(name, tree.BinaryOp) and name.op == "..."
    ends = [name.left, name.right] if isinstance(name, tree.BinaryOp) and is_range else [name]
    known = [program.constant(end, scope) for end in ends]
    numbers = [int(one.value) for one in known if one is not None]
    if len(numbers) < len(known) or not 0 <= numbers[0] <= numbers[-1]:
        return ()
    found = range(numbers[0], numbers[-1] + 1)
    return found if len(found) <= MOST_DESIGNATED else ()


def components(type_: Record, items: Sequence[tree.Operand]) -> list[tuple[int, tree.Operand]]:
    """(place among the leaves, value) of the items of a built-in vector's list; what names no
    component is left out."""
    names = [suffix for _, _, suffix in leaves(type_)]
    found = []
    for i, item in enumerate(items):
        if not isinstance(item, tree.NamedInitializer):
            found.append((i, item))
        elif isinstance(item.name[0], tree.ID) and f".{item.name[0].name}" in names:
            found.append((names.index(f".{item.name[0].name}"), item.expr))
    return found


def braced(
    program: ProgramContext, items: Sequence[tree.Operand], element: Type, scope: Scope
) -> list[tree.Operand]:
    """The items of an array's list, with the braces that were left out around those of arrays and
    vectors among its elements (C++ [dcl.init.aggr]/15)."""
    rest, found = list(items), list[tree.Operand]()
    while rest:
        found.append(next_item(program, rest, element, scope))
    return found


def next_item(
    program: ProgramContext, rest: list[tree.Operand], type_: Type, scope: Scope
) -> tree.Operand:
    """Takes from `rest` what initialises one object of a type: an item, or a list of as many as its
    parts take."""
    parts = _elided(program, rest[0], complete(type_), scope)
    if not parts:
        return rest.pop(0)
    first, taken = rest[0], list[tree.Operand]()
    for part in parts:
        if not rest or isinstance(rest[0], tree.NamedInitializer):
            break
        taken.append(next_item(program, rest, part, scope))
    return tree.InitList(taken, first.coord)


def _elided(program: ProgramContext, item: tree.Node, type_: Type, scope: Scope) -> list[Type]:
    """The types of the parts of an array or vector, where an item initialises the first of these
    rather than the whole."""
    string = isinstance(item, tree.Constant) and item.type == "string"
    if (
        isinstance(item, (tree.InitList, tree.NamedInitializer))
        or string
        or not (isinstance(type_, Array) or _is_aggregate(type_))
    ):
        return []
    given = complete(program.type_of(item, scope).type)
    if not isinstance(given, (Integer, Float, Pointer)) and not (
        isinstance(type_, Array) and given == _innermost(type_)
    ):
        return []
    if isinstance(type_, Array):
        return [type_.element] * (type_.count or 0)
    return (
        [f.type for f in type_.fields]
        if isinstance(type_, Record) and not is_vector(type_)
        else [t for _, t, _ in leaves(type_)]
    )


def _is_aggregate(type_: Type) -> bool:
    """Whether it is a built-in vector, or a class without constructors and bases. `dim3` has
    constructors."""
    if not isinstance(type_, Record) or type_.kind in ("union", "dim3"):
        return False
    info = class_info(type_)
    plain = info is not None and not info.constructors and not info.bases
    return is_vector(type_) or plain


def _innermost(type_: Type) -> Type:
    while isinstance(type_, Array):
        type_ = complete(type_.element)
    return type_
