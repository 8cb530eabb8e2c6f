"""Random integer expressions in C with types and intervals, so that generated kernels never run
into undefined behaviour.

Comes in: a source of choices and the names in scope. Goes out: C text with its type and an interval
that holds its value. Signed arithmetic stays inside its type by construction, divisors are not
zero, shift counts are small; unsigned arithmetic may wrap.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar

T = TypeVar("T")

BITS = {"int": 32, "unsigned": 32, "long": 64, "ulong": 64}
SIGNED = {"int": True, "unsigned": False, "long": True, "ulong": False}
RANK = {"int": 0, "unsigned": 1, "long": 2, "ulong": 3}
SPELLED = {
    "cuda": {"int": "int", "unsigned": "unsigned", "long": "long long", "ulong": "size_t"},
    "opencl": {"int": "int", "unsigned": "uint", "long": "long", "ulong": "ulong"},
}
SUFFIX = {
    "cuda": {"int": "", "unsigned": "u", "long": "ll", "ulong": "ull"},
    "opencl": {"int": "", "unsigned": "u", "long": "l", "ulong": "ul"},
}
NARROW = {
    "char": (-128, 127),
    "short": (-32768, 32767),
    "unsigned char": (0, 255),
    "unsigned short": (0, 65535),
}


class Choices(Protocol):
    def integer(self, low: int, high: int) -> int: ...


class Dice:
    """Choices from a seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def integer(self, low: int, high: int) -> int:
        return self._random.randint(low, high)


class Drawn:
    """Choices from hypothesis, which can then shrink them."""

    def __init__(self, draw: Callable[..., int]) -> None:
        self._draw = draw

    def integer(self, low: int, high: int) -> int:
        from hypothesis import strategies as st

        return self._draw(st.integers(low, high))


def pick(choices: Choices, options: Sequence[T]) -> T:
    return options[choices.integer(0, len(options) - 1)]


def chance(choices: Choices, percent: int) -> bool:
    return choices.integer(0, 99) >= 100 - percent


@dataclass(frozen=True, slots=True)
class Value:
    """An expression. `text` binds tightly enough to stand as an operand."""

    text: str
    type: str
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Helper:
    """A function `int name(int, int)` or of unsigned, whose result the caller masks."""

    name: str
    type: str


@dataclass(slots=True)
class Scope:
    language: str
    values: list[Value]  # coordinates, arguments and locals that can be read here
    helpers: Sequence[Helper] = ()
    mutable: list[tuple[str, int]] = field(
        default_factory=list
    )  # variables that may be changed: name, and the mask that keeps them

    def inner(self) -> Scope:
        return replace(self, values=list(self.values), mutable=list(self.mutable))

    def having(self, *values: Value) -> Scope:
        """An inner scope with more names."""
        return replace(self, values=[*self.values, *values], mutable=list(self.mutable))


def limits(kind: str) -> tuple[int, int]:
    bits = BITS[kind]
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if SIGNED[kind] else (0, (1 << bits) - 1)


def fits(kind: str, low: int, high: int) -> bool:
    least, most = limits(kind)
    return least <= low and high <= most


def literal(value: int, kind: str, language: str) -> Value:
    text = f"{value}{SUFFIX[language][kind]}"
    return Value(text if value >= 0 else f"({text})", kind, value, value)


def converted(v: Value, kind: str) -> Value:
    """The value after an implicit conversion: the text stays, the interval may wrap."""
    low, high = (v.low, v.high) if fits(kind, v.low, v.high) else limits(kind)
    return Value(v.text, kind, low, high)


def cast(v: Value, kind: str, language: str) -> Value:
    name = SPELLED[language][kind]
    text = (
        f"({name}){v.text}"
        if language == "opencl"
        else f"static_cast<{name}>({v.text})"
        if len(v.text) % 3 == 0
        else f"({name}){v.text}"
    )
    return replace(converted(v, kind), text=f"({text})")


def narrowed(v: Value, kind: str, language: str) -> Value:
    """A conversion to fewer than 32 bits, modulo their number; the result is promoted to int."""
    low, high = NARROW[kind]
    inside = low <= v.low and v.high <= high
    name = kind.replace("unsigned ", "u") if language == "opencl" else kind
    return Value(f"(({name}){v.text})", "int", v.low if inside else low, v.high if inside else high)


def common(a: str, b: str) -> str:
    return a if RANK[a] >= RANK[b] else b


def result(text: str, kind: str, low: int, high: int) -> Value | None:
    """None where signed arithmetic could overflow; unsigned arithmetic wraps."""
    if not fits(kind, low, high):
        if SIGNED[kind]:
            return None
        low, high = limits(kind)
    return Value(f"({text})", kind, low, high)


def corners(a: Value, b: Value, f: Callable[[int, int], int]) -> tuple[int, int]:
    values = [f(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    return min(values), max(values)


def power_above(v: int) -> int:
    return 1 << v.bit_length()


def binary(choices: Choices, op: str, a: Value, b: Value, language: str) -> Value | None:
    if op in "/%":
        return division(choices, op, a, b, language)
    if op in ("<<", ">>"):
        return shift(choices, op, a, b, language)
    kind = common(a.type, b.type)
    text = f"{a.text} {op} {b.text}"
    x, y = converted(a, kind), converted(b, kind)
    if op in "&|^":
        if x.low >= 0 and y.low >= 0:
            top = min(x.high, y.high) if op == "&" else power_above(max(x.high, y.high)) - 1
            return Value(f"({text})", kind, 0, top)
        if op == "&" and (x.low >= 0 or y.low >= 0):
            return Value(f"({text})", kind, 0, x.high if x.low >= 0 else y.high)
        reach = power_above(max(abs(v) for v in (x.low, x.high, y.low, y.high)))
        return result(text, kind, max(-reach, limits(kind)[0]), min(reach - 1, limits(kind)[1]))
    apply: dict[str, Callable[[int, int], int]] = {
        "+": int.__add__,
        "-": int.__sub__,
        "*": int.__mul__,
    }
    return result(text, kind, *corners(x, y, apply[op]))


def division(choices: Choices, op: str, a: Value, b: Value, language: str) -> Value | None:
    if b.low <= 0 <= b.high:
        if chance(choices, 40):
            mask = pick(choices, (1, 3, 7))
            b = Value(f"(({b.text} & {mask}) + 1)", b.type, 1, mask + 1)
        else:
            b = literal(
                pick(choices, (1, 2, 3, 4, 5, 7, 8, 12, 16, 31, 32, 33, 64, 100, -1, -3, -8)),
                "int",
                language,
            )
    kind = common(a.type, b.type)
    x, y = converted(a, kind), converted(b, kind)
    if y.low <= 0 <= y.high:
        return None
    text = f"({a.text} {op} {b.text})"
    if SIGNED[kind] and y.low <= -1 <= y.high and x.low == limits(kind)[0]:
        return None
    if op == "/" and x.low >= 0 and y.low > 0:
        return Value(text, kind, x.low // y.high, x.high // y.low)
    if op == "/":
        reach = max(-x.low, x.high)
        return (
            Value(text, kind, min(x.low, 0), max(x.high, 0))
            if y.low > 0
            else Value(text, kind, -reach, reach)
        )
    top = max(abs(y.low), abs(y.high)) - 1
    return Value(
        text, kind, -min(top, -x.low) if x.low < 0 else 0, min(top, x.high) if x.high > 0 else 0
    )


def shift(choices: Choices, op: str, a: Value, b: Value, language: str) -> Value | None:
    if b.low == b.high or chance(choices, 60):
        b = literal(choices.integer(0, 6), "int", language)
    elif b.low < 0 or b.high > 7:
        b = Value(f"({b.text} & {pick(choices, (1, 3, 7))})", b.type, 0, 7)
    text = f"{a.text} {op} {b.text}"
    if op == ">>":
        return Value(
            f"({text})",
            a.type,
            min(a.low >> b.low, a.low >> b.high),
            max(a.high >> b.low, a.high >> b.high),
        )
    if a.low < 0:
        return None
    return result(text, a.type, a.low << b.low, a.high << b.high)


def comparison(choices: Choices, scope: Scope, depth: int) -> Value:
    """A condition: a comparison, a bit test, or a combination."""
    if depth > 0 and chance(choices, 30):
        a, b = comparison(choices, scope, depth - 1), comparison(choices, scope, depth - 1)
        return Value(f"({a.text} {pick(choices, ('&&', '||'))} {b.text})", "int", 0, 1)
    if chance(choices, 10):
        return Value(f"(!{comparison(choices, scope, depth - 1).text})", "int", 0, 1)
    a = expression(choices, scope, depth)
    if chance(choices, 25):
        return Value(
            f"({a.text} % {pick(choices, (2, 3, 4, 5, 8))} == {choices.integer(0, 2)})", "int", 0, 1
        )
    if chance(choices, 20):
        return Value(f"(({a.text} & {choices.integer(1, 9)}) != 0)", "int", 0, 1)
    if chance(choices, 50) and a.low >= 0 and a.high < 1 << 30:
        b = literal(
            choices.integer(a.low, a.high),
            a.type if a.type in ("int", "unsigned") else "int",
            scope.language,
        )
    else:
        b = expression(choices, scope, 0)
    return Value(
        f"({a.text} {pick(choices, ('<', '<=', '>', '>=', '==', '!='))} {b.text})", "int", 0, 1
    )


def leaf(choices: Choices, scope: Scope) -> Value:
    if chance(choices, 20):
        value = pick(
            choices,
            (0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 100, 128, 255, -1, -2, -7),
        )
        kind = pick(choices, ("int", "int", "int", "unsigned", "long")) if value >= 0 else "int"
        return literal(value, kind, scope.language)
    return pick(choices, scope.values)


def special(choices: Choices, scope: Scope, depth: int) -> Value | None:
    """Everything that is not a binary operator."""
    which = choices.integer(0, 5)
    a = expression(choices, scope, depth - 1)
    if which == 0:
        return result(f"-{a.text}", a.type, -a.high, -a.low)
    if which == 1:
        return (
            result(f"~{a.text}", a.type, ~a.high, ~a.low)
            if SIGNED[a.type]
            else Value(f"(~{a.text})", a.type, *limits(a.type))
        )
    if which == 2 and chance(choices, 25):
        return narrowed(a, pick(choices, tuple(NARROW)), scope.language)
    if which == 2:
        return cast(a, pick(choices, ("int", "unsigned", "long", "ulong")), scope.language)
    if which == 3:
        return comparison(choices, scope, depth - 1)
    b = expression(choices, scope, depth - 1)
    kind = common(a.type, b.type)
    x, y = converted(a, kind), converted(b, kind)
    low, high = min(x.low, y.low), max(x.high, y.high)
    if which == 4:
        return Value(
            f"({comparison(choices, scope, depth - 1).text} ? {a.text} : {b.text})", kind, low, high
        )
    if scope.helpers and chance(choices, 40):
        helper = pick(choices, scope.helpers)
        return (
            Value(f"({helper.name}({a.text}, {b.text}) & 1023)", helper.type, 0, 1023)
            if a.type == b.type == helper.type
            else None
        )
    if a.type != b.type:
        return None
    return Value(f"{pick(choices, ('min', 'max'))}({a.text}, {b.text})", kind, low, high)


def expression(choices: Choices, scope: Scope, depth: int) -> Value:
    if depth <= 0 or chance(choices, 12):
        return leaf(choices, scope)
    for _ in range(3):
        if chance(choices, 22):
            found = special(choices, scope, depth)
        else:
            op = pick(
                choices,
                ("+", "+", "+", "*", "*", "-", "/", "%", "%", "&", "|", "^", "^", "<<", ">>"),
            )
            found = binary(
                choices,
                op,
                expression(choices, scope, depth - 1),
                expression(choices, scope, depth - 1),
                scope.language,
            )
        if found is not None and len(found.text) < 160:
            return found
    return leaf(choices, scope)


def within(choices: Choices, v: Value, size: int) -> Value:
    """The value brought into [0, size)."""
    if v.low >= 0 and v.high < size:
        return v
    if size & (size - 1) == 0 and chance(choices, 50):
        return Value(f"({v.text} & {size - 1})", v.type, 0, size - 1)
    if v.low >= 0:
        return Value(f"({v.text} % {size})", v.type, 0, size - 1)
    return Value(f"(({v.text} % {size} + {size}) % {size})", v.type, 0, size - 1)
