"""How fields of tallies grow by what another set of blocks gave: declared with each field.

Goes in: two records of one class. Comes out: the first one, grown by the second. Every field
declares its rule, `kept` too: one that is forgotten is an error, not a number of the first set.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import fields
from functools import cache
from typing import Any

RULE = "merge"
Rule = Callable[[Any, Any, str], None]  # grows the first record's field by the second's


def merged(rule: Rule) -> dict[str, Rule]:
    """The metadata of a field."""
    return {RULE: rule}


def grow(mine: Any, other: Any) -> None:
    """Grows a record by another one of its class, which stays as it is."""
    for name, rule in rules_of(mine.__class__):
        rule(mine, other, name)


@cache
def rules_of(kind: Hashable) -> tuple[tuple[str, Rule], ...]:
    """The fields of a class that grow; KeyError where one does not say how."""
    found = [(one.name, one.metadata[RULE]) for one in fields(kind)]  # type: ignore[arg-type]
    return tuple((name, rule) for name, rule in found if rule is not kept)


def kept(mine: Any, other: Any, name: str) -> None:
    """Of one place: the same in both, or decided with another field."""


def added(mine: Any, other: Any, name: str) -> None:
    setattr(mine, name, getattr(mine, name) + getattr(other, name))


def either(mine: Any, other: Any, name: str) -> None:
    """True where one is; of sets what is in one."""
    setattr(mine, name, getattr(mine, name) | getattr(other, name))


def both(mine: Any, other: Any, name: str) -> None:
    setattr(mine, name, getattr(mine, name) & getattr(other, name))


def first(mine: Any, other: Any, name: str) -> None:
    """The first that says something."""
    setattr(mine, name, getattr(mine, name) or getattr(other, name))


def updated(mine: Any, other: Any, name: str) -> None:
    """Entries of both."""
    getattr(mine, name).update(getattr(other, name))
