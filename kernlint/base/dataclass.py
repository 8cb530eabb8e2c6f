"""`dataclass` as in the standard library, made in a fifth of the time: its methods are shared by
all classes instead of compiled for each.

kernlint has more than two hundred of them, and compiling their methods took an eighth of what a
small file may take altogether. Type checkers see the standard one; `fields`, `asdict` and `match`
work as with it; `replace` is the same for all dataclasses and quicker. What differs: there is no
`init`, `repr`, `order`, `kw_only`, `InitVar` or `__post_init__`, instances are pickled (for worker
processes) by their fields, and bases are made by this decorator too.

Modules may be compiled to machine code (`hatch_build.py`). The classes of such a module bring
storage and descriptors of their own: they get the methods alone, and that nobody writes to a frozen
one is checked by mypy, not again at run time.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, field, fields
from functools import cache
from inspect import get_annotations
from operator import attrgetter
from types import CodeType, FunctionType, MemberDescriptorType
from typing import TYPE_CHECKING, Any, TypeVar

T = TypeVar("T")

SETTING = {
    "open": "self.{name} = {value}",
    "slot": "set_{number}(self, {value})",
    "named": "set_named(self, name_{number}, {value})",
}  # how an `__init__` sets a field: of an open class, of a frozen one with and without slots


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
    """An `__init__` that is written when it is first called: a run makes instances of half of the
    classes."""

    def __init__(self: Any, *values: Any, **named: Any) -> None:
        made.__init__ = written = _written_init(cls, guarded)
        written(self, *values, **named)

    made: Any = cls
    __init__.__qualname__ = f"{cls.__qualname__}.__init__"
    return __init__


def _written_init(cls: type, guarded: bool) -> Any:
    """`__init__` with the fields' names, order and defaults as its signature. The code is that of
    all classes whose fields are set in the same ways, under this class's names."""
    kinds, defaults = [], []
    scope: dict[str, Any] = {"set_named": object.__setattr__, "missing": MISSING}
    for number, f in enumerate(fields(cls)):
        slot = getattr(cls, f.name, None)
        if not guarded:
            kind = "open"
        elif isinstance(slot, MemberDescriptorType):
            # a quarter faster than to look the slot up by its name each time
            kind = "slot"
            scope[f"set_{number}"] = slot.__set__
        else:
            kind = "named"
            scope[f"name_{number}"] = f.name
        if f.default_factory is not MISSING:
            scope[f"make_{number}"] = f.default_factory
            defaults.append(MISSING)
        elif f.default is not MISSING:
            defaults.append(f.default)
        kinds.append((kind, f.default_factory is not MISSING))
    code = _init_code(tuple(kinds))
    names = tuple(f.name for f in fields(cls))
    # the field's number stands for its name, as a parameter and as an attribute
    own = {f"value_{number}": name for number, name in enumerate(names)}
    code = code.replace(
        co_varnames=("self", *names),
        co_names=tuple(own.get(name, name) for name in code.co_names),
        co_qualname=f"{cls.__qualname__}.__init__",
    )
    return FunctionType(code, scope, "__init__", tuple(defaults))


@cache
def _init_code(kinds: tuple[tuple[str, bool], ...]) -> CodeType:
    """Of an `__init__` of fields `value_0`, `value_1`, … of these kinds, each with
    whether its default is made anew for each instance."""
    body = []
    for number, (kind, factory) in enumerate(kinds):
        name = value = f"value_{number}"
        if factory:
            value = f"make_{number}() if {name} is missing else {name}"
        body.append("    " + SETTING[kind].format(name=name, number=number, value=value))
    parameters = ["self", *(f"value_{number}" for number in range(len(kinds)))]
    text = "\n".join([f"def __init__({', '.join(parameters)}):", *body, "    return"])
    scope: dict[str, Any] = {}
    exec(text, scope)
    return scope["__init__"].__code__  # type: ignore[no-any-return]


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


def _replaced(record: Any, /, **changes: Any) -> Any:
    """As the standard `replace`, in a third of its time."""
    read, place = _values(record.__class__)
    values = list(read(record))
    for name, value in changes.items():
        values[place[name]] = value
    return record.__class__(*values)


@cache
def _values(cls: type) -> tuple[Callable[[Any], tuple[Any, ...]], dict[str, int]]:
    """What reads the values of all fields, and each field's place among them."""
    names = [f.name for f in fields(cls)]
    read = _getter(names)
    several = read if len(names) != 1 else lambda record: (read(record),)
    return several, {name: number for number, name in enumerate(names)}


if TYPE_CHECKING:
    from dataclasses import dataclass, replace
else:
    dataclass = _quick
    replace = _replaced

__all__ = ["dataclass", "field", "referable", "replace"]
