"""Facts and findings as JSON and back, for the cache and for worker processes. Nothing is ever
unpickled.

A dataclass is {"Name": [its fields]}, a mapping {"": [[key, value], …]}, a tuple a list; texts that
are made on demand are made. Goes in: values of the classes below. Comes out: text, or equal values.
Raises `ValueError` for text that is none.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from kernlint.base.span import Problem, Span
from kernlint.memo import protocol
from kernlint.model import element_index, facts, finding, verdict

MODULES = (element_index, facts, finding, verdict, protocol)


@cache
def _classes() -> dict[str, type[Any]]:
    own = {
        value
        for module in MODULES
        for value in vars(module).values()
        if isinstance(value, type) and is_dataclass(value)
    }
    return {one.__name__: one for one in own | {Span, Problem}}


@cache
def _names(name: str) -> tuple[str, ...]:
    return tuple(field.name for field in fields(_classes()[name]))


def encode(value: Any) -> str:
    return json.dumps(_plain(value), ensure_ascii=False, separators=(",", ":"))


def decode(text: str) -> Any:
    try:
        return _value(json.loads(text))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"not what was written: {type(error).__name__}: {error}") from None


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {"": [[_plain(key), _plain(item)] for key, item in value.items()]}
    name = type(value).__name__
    if name in _classes():
        return {name: [_plain(getattr(value, field)) for field in _names(name)]}
    if isinstance(value, Callable):  # type: ignore[arg-type]  # an index that is made when asked for
        return _plain(value())
    raise TypeError(f"{name} cannot be written")


def _value(plain: Any) -> Any:
    if isinstance(plain, list):
        return tuple([_value(item) for item in plain])
    if isinstance(plain, dict):
        ((name, parts),) = plain.items()
        if not name:
            return {_value(key): _value(item) for key, item in parts}
        return _classes()[name](*[_value(item) for item in parts])
    return plain
