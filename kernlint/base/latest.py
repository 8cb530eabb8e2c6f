"""What was worked out of the object that was asked for last.

In: a function of a large object that is never written to. Out: the same function, which remembers
its last result, and holds on to that one object. For what each part of a whole asks of the whole.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Latest(Generic[T]):
    """`function` of an object, remembered by the object's identity."""

    def __init__(self, function: Callable[[Any], T]) -> None:
        self._function = function
        self._known: tuple[object, T] | None = None

    def __call__(self, one: object) -> T:
        if self._known is None or self._known[0] is not one:
            self._known = one, self._function(one)
        return self._known[1]
