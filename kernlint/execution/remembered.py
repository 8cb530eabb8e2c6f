"""What was worked out of an array before: arrays are never written to once they are part of a value, and many values share them.

In: a function of an array. Out: the same function, which runs once for each array as long as that lives.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import partial
from typing import Generic, TypeVar

from kernlint.execution.sums import Array

T = TypeVar("T")


class PerArray(Generic[T]):
    """`function` of an array (and of further arguments that tell results apart), remembered by the array's identity."""

    def __init__(self, function: Callable[..., T]) -> None:
        self._function = function
        self._known: dict[tuple[object, ...], tuple[weakref.ref[Array], T]] = {}

    def __call__(self, array: Array, *arguments: object) -> T:
        key = (id(array), *arguments)
        found = self._known.get(key)
        if found is not None and found[0]() is array:
            return found[1]
        result = self._function(array, *arguments)
        self._known[key] = weakref.ref(array, partial(self._forget, key)), result
        return result

    def _forget(self, key: tuple[object, ...], gone: object) -> None:
        self._known.pop(key, None)
