"""What was worked out of an object before: a function that runs once for each object, as long as
that lives.

In: a function of an object that is never written to. Out: the same function, which remembers. For
arrays that many values share, and for nodes of syntax that are lowered many times.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import partial
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class PerObject(Generic[T]):
    """`function` of an object (and of further arguments that tell results apart), remembered by the
    object's identity."""

    def __init__(self, function: Callable[..., T]) -> None:
        self._function = function
        self._known: dict[tuple[object, ...], tuple[weakref.ref[Any], T]] = {}

    def __call__(self, one: object, *arguments: object) -> T:
        key = (id(one), *arguments)
        found = self._known.get(key)
        if found is not None and found[0]() is one:
            return found[1]
        result = self._function(one, *arguments)
        self._known[key] = weakref.ref(one, partial(self._forget, key)), result
        return result

    def known(self, one: object, *arguments: object) -> T | None:
        """The result where it was worked out before."""
        found = self._known.get((id(one), *arguments))
        return found[1] if found is not None and found[0]() is one else None

    def _forget(self, key: tuple[object, ...], gone: object) -> None:
        self._known.pop(key, None)
