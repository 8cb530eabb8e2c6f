"""Whether a value that a user gives fits the argument it is for.

Goes in: values as stated (`--arg`, `launch(…)`, a configuration file) and what the arguments' types
hold. Comes out: the values as the kernel gets them, or why it cannot. Never looks at launches or
code.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from kernlint.model.facts import ArgumentType, PointerArgument

if TYPE_CHECKING:
    from kernlint.ir import nodes as ir

Value = int | float | PointerArgument
NULL = 0  # the one plain number that a pointer may be


def types(instances: Iterable[ir.Kernel]) -> dict[str, ArgumentType]:
    """The scalar parameters of all instances by name, with what their types hold: the first integer
    type where instances differ."""
    found: dict[str, ArgumentType] = {}
    for parameter in (parameter for instance in instances for parameter in instance.parameters):
        known = _type(parameter)
        if parameter.name not in found or (known.kind == "integer" != found[parameter.name].kind):
            found[parameter.name] = known
    return found


def _type(parameter: ir.Parameter) -> ArgumentType:
    from kernlint.ir.types import Float, Integer, Pointer, type_bounds

    type_ = parameter.variable.type
    kinds = (("integer", Integer), ("real", Float), ("pointer", Pointer))
    kind = next((kind for kind, class_ in kinds if isinstance(type_, class_)), "other")
    low, high = type_bounds(type_)
    return ArgumentType(parameter.name, kind, str(type_), low or 0, high or 0)


def converted(value: Value, type_: ArgumentType) -> Value | None:
    """The value that the kernel gets; None where the argument cannot have it. `+N` is N for a
    number, and 1e6 an integer."""
    if type_.kind == "other":
        return value
    if type_.kind == "pointer":
        return value if isinstance(value, PointerArgument) or value == NULL else None
    number = value.offset_bytes if isinstance(value, PointerArgument) else value
    if type_.kind == "real":
        return number
    if isinstance(number, float) and not number.is_integer():
        return None
    return int(number) if _least(type_) <= number <= type_.high else None


def _least(type_: ArgumentType) -> int:
    """C makes an unsigned value of a negative one: `-1` is all ones. A bool has two values."""
    return type_.low if type_.high == 1 else min(type_.low, -(type_.high // 2) - 1)


def refusal(value: Value, type_: ArgumentType) -> str:
    """Why the argument cannot have this value, and how one is given to it; "" where it can."""
    if converted(value, type_) is not None:
        return ""
    if type_.kind == "pointer":
        return f"a pointer ({type_.type}) is given as bytes from the start of its allocation, `{type_.name}=+4`, or as 0 for none"
    if isinstance(value, float) and not value.is_integer():
        return f"`{type_.name}` is {type_.type}, which takes integers"
    return f"`{type_.name}` is {type_.type}, which holds {type_.low:,} to {type_.high:,}"


def refused(values: Mapping[str, Value], known: Iterable[ArgumentType]) -> str:
    """The first value that none of the arguments of its name can have, and why; "" where there is
    none."""
    by_name: dict[str, list[ArgumentType]] = {}
    for type_ in known:
        by_name.setdefault(type_.name, []).append(type_)
    for name, value in values.items():
        why = [refusal(value, type_) for type_ in by_name.get(name, ())]
        if why and all(why):
            return f"{name}={written(value)}: {why[0]}"
    return ""


def written(value: Value) -> str:
    """As a user writes it: `4`, `7.5`, `+4`."""
    if isinstance(value, PointerArgument):
        return f"+{value.offset_bytes}"
    return f"{value:.7g}" if isinstance(value, float) else str(value)


def taken(values: Mapping[str, Value], known: Mapping[str, ArgumentType]) -> dict[str, Value]:
    """The values as a kernel gets them, without those that are for none of its arguments or that
    these cannot have."""
    own = {name: converted(value, known[name]) for name, value in values.items() if name in known}
    return {name: value for name, value in own.items() if value is not None}
