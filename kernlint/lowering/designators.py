"""Where the items of a braced list go: in order, or where their designators say (`[2] = x`, `.y = x`; C 6.7.9, C++ [dcl.init.aggr]).

In: the items as written. Out: each with its place. Members of classes are `construct`'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pycparser import c_ast

from kernlint.lowering.layout import leaves
from kernlint.lowering.scopes import Scope
from kernlint.lowering.syntax import Node
from kernlint.lowering.templates import spread
from kernlint.lowering.types import Record

if TYPE_CHECKING:
    from kernlint.lowering.program import Program


def is_designated(items: Sequence[Node]) -> bool:
    return any(isinstance(item, c_ast.NamedInitializer) for item in items)


def elements(program: Program, items: Sequence[Node], scope: Scope) -> list[tuple[int, Node]] | None:
    """(index, value) of the items of an array's list; None where an index is no constant or designates part of an element."""
    found: list[tuple[int, Node]] = []
    index = -1
    for item in spread(items, scope):
        index += 1
        if isinstance(item, c_ast.NamedInitializer):
            known = program.constant(item.name[0], scope) if len(item.name) == 1 else None
            if known is None or known.value < 0:
                return None
            index, item = int(known.value), item.expr
        found.append((index, item))
    return found


def components(type_: Record, items: Sequence[Node]) -> list[tuple[int, Node]]:
    """(place among the leaves, value) of the items of a built-in vector's list; what names no component is left out."""
    names = [suffix for _, _, suffix in leaves(type_)]
    found = []
    for i, item in enumerate(items):
        if not isinstance(item, c_ast.NamedInitializer):
            found.append((i, item))
        elif isinstance(item.name[0], c_ast.ID) and f".{item.name[0].name}" in names:
            found.append((names.index(f".{item.name[0].name}"), item.expr))
    return found
