"""`dataclass` as in the standard library, made in a fifth of the time: its methods are shared by
all classes instead of compiled for each.

kernlint has more than two hundred of them, and compiling their methods took an eighth of what a
small file may take altogether. Type checkers see the standard one; `fields`, `replace`, `asdict`
and `match` work as with it. What differs: there is no `init`, `repr`, `order`, `kw_only`, `InitVar`
or `__post_init__`, instances are pickled (for worker processes) by their fields, and bases are made
by this decorator too.

Modules may be compiled to machine code (`hatch_build.py`). The classes of such a module bring
storage and descriptors of their own: they get the methods alone, and that nobody writes to a frozen
one is checked by mypy, not again at run time.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, field, fields
from inspect import get_annotations
from operator import attrgetter
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any, TypeVar

T = TypeVar("T")


def _quick(
    *, frozen: bool = False, slots: bool = False, eq: bool = True, weakref_slot: bool = False
) -> Callable[[type], type]:
    """Class decorator; the meaning of the words is the standard library's."""

    def make(cls: type) -> type:
        if cls.__doc__ is None:
            # without one the standard decorator derives and prints a signature
            cls.__doc__ = f"See {cls.__module__}."
        compiled = "__mypyc_attrs__" in cls.__dict__
        own = slots and not compiled
        made: Any = _with_types_unread(
            cls,
            lambda: dataclasses.dataclass(
                cls, init=False, repr=False, eq=False, slots=own, weakref_slot=weakref_slot and own
            ),
        )
        guarded = frozen and not compiled
        made.__init__, made.__repr__, made.__reduce__ = _init(made, guarded), _repr, _reduce
        made._printed_fields = tuple(f.name for f in fields(made) if f.repr)
        if eq:
            made._compared = staticmethod(_getter([f.name for f in fields(made) if f.compare]))
            made.__eq__, made.__hash__ = _eq, _hash if frozen else None
        if guarded:
            made.__setattr__, made.__delattr__ = _no_change, _no_change
        return made  # type: ignore[no-any-return]

    return make


def _with_types_unread(cls: type, make: Callable[[], Any]) -> Any:
    """What `make` makes of a class while its fields' types are not there to be read: the standard
    decorator looks at each three times, for `ClassVar` and the like, which no such class has."""
    types = get_annotations(cls)
    cls.__annotations__ = dict.fromkeys(types, object)
    made = make()
    cls.__annotations__ = made.__annotations__ = types
    for name in types:
        made.__dataclass_fields__[name].type = types[name]
    return made


def referable(cls: type[T]) -> type[T]:
    """Class decorator: instances are referred to weakly, which those of a compiled class cannot be.
    mypyc leaves a class with a decorator that it does not know as it is."""
    return cls


def _init(cls: type, guarded: bool) -> Any:
    """`__init__` with the fields' names, order and defaults as its signature."""
    scope: dict[str, Any] = {"_set": object.__setattr__, "_missing": MISSING}
    parameters, body = ["self"], []
    for f in fields(cls):
        name = value = f.name
        if f.default_factory is not MISSING:
            scope[f"_make_{name}"] = f.default_factory
            parameters.append(f"{name}=_missing")
            value = f"_make_{name}() if {name} is _missing else {name}"
        elif f.default is not MISSING:
            scope[f"_default_{name}"] = f.default
            parameters.append(f"{name}=_default_{name}")
        else:
            parameters.append(name)
        slot = getattr(cls, name, None)
        if not guarded:
            body.append(f"    self.{name} = {value}")
        elif isinstance(
            slot, MemberDescriptorType
        ):  # a quarter faster than to look the slot up by its name each time
            scope[f"_set_{name}"] = slot.__set__
            body.append(f"    _set_{name}(self, {value})")
        else:
            body.append(f"    _set(self, {name!r}, {value})")
    exec("\n".join([f"def __init__({', '.join(parameters)}):", *body, "    return"]), scope)
    scope["__init__"].__qualname__ = f"{cls.__qualname__}.__init__"
    return scope["__init__"]


def _getter(names: list[str]) -> Callable[[Any], Any]:
    return attrgetter(*names) if names else lambda record: ()


def _repr(self: Any) -> str:
    shown = ", ".join([f"{name}={getattr(self, name)!r}" for name in self._printed_fields])
    return f"{type(self).__qualname__}({shown})"


def _reduce(self: Any) -> Any:
    return type(self), tuple(getattr(self, f.name) for f in fields(self))


def _eq(self: Any, other: Any) -> Any:
    if self is other:
        return True
    return (
        self._compared(self) == self._compared(other)
        if other.__class__ is self.__class__
        else NotImplemented
    )


def _hash(self: Any) -> int:
    return hash(self._compared(self))


def _no_change(self: Any, name: str, *value: object) -> None:
    raise FrozenInstanceError(f"cannot change field {name!r}")


if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    dataclass = _quick

__all__ = ["dataclass", "field", "referable"]
