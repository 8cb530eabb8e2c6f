"""Tables put back to what they were, in place, since others hold them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

K = TypeVar("K")
V = TypeVar("V")


def cut_back(table: dict[Any, Any], length: int) -> None:
    """A table that only grew is again what it was at `length`."""
    while len(table) > length:
        table.popitem()


def refill(table: dict[K, V], kept: Mapping[K, V]) -> None:
    table.clear()
    table.update(kept)
