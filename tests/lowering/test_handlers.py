"""The tables of handlers: each handler takes the class of nodes that it stands under, which mypy does
not see."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args, get_type_hints

import pytest

from kernlint.lowering import declare, handlers, sites
from kernlint.lowering.templates import assumed_types, deduction
from kernlint.lowering.types import typenames
from kernlint.source.parser import tree
from tests.support import needs

TABLES: dict[str, dict[type, Callable[..., Any]]] = {
    "expressions": {**handlers.EXPRESSIONS},
    "statements": {**handlers.STATEMENTS},
    "types": {**typenames._HANDLERS},
    "deduction": {**deduction._HANDLERS},
    "declarations": {**declare._DECLARED_BY},
    "charged lines": {**sites._CHARGED},
    "counted names": {**assumed_types._COUNTED},
}


def taken(handler: Callable[..., Any]) -> tuple[type, ...]:
    """The classes of nodes that a function takes; none for a lambda, which says nothing."""
    for hint in get_type_hints(handler).values():
        kinds = [one for one in get_args(hint) or (hint,) if isinstance(one, type)]
        if kinds and all(issubclass(kind, tree.Node) for kind in kinds):
            return tuple(kinds)
    return ()


@needs.interpreted
@pytest.mark.parametrize("name", TABLES)
def test_handlers_take_what_they_stand_under(name: str) -> None:
    named = {kind: taken(handler) for kind, handler in TABLES[name].items()}
    assert any(named.values())
    assert [kind for kind, kinds in named.items() if kinds and not issubclass(kind, kinds)] == []
