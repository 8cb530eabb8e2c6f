"""Pieces of random kernels: one access, one declaration, one branch or loop around a given body.
See generate.py."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tests.oracle.expressions import (
    SPELLED,
    Choices,
    Scope,
    Value,
    chance,
    comparison,
    expression,
    literal,
    pick,
    within,
)

ELEMENTS = {
    "float": 4,
    "int": 4,
    "unsigned": 4,
    "char": 1,
    "short": 2,
    "double": 8,
    "float2": 8,
    "float4": 16,
}
NUMBERS = ("float", "int", "unsigned", "char", "short", "double")
VECTORS = {"float2": "xy", "float4": "xyzw"}
MEMBERS = {"float2": "xy", "float4": "xyzw", "Item": "xyz"}
OPENCL_NAMES = {"unsigned": "uint"}
MAX_TRIPS = 9


@dataclass(frozen=True, slots=True)
class Array:
    name: str
    element: str
    dims: tuple[int, ...]
    space: str  # shared | global
    writable: bool = True
    base: str = ""  # text in front of an index that starts elsewhere


@dataclass(frozen=True, slots=True)
class Routine:
    """A function that accesses memory through a pointer to at least `size` elements."""

    name: str
    element: str
    space: str
    size: int


@dataclass(slots=True)
class Kernel:
    choices: Choices
    language: str
    lines: list[str] = field(default_factory=list)
    arrays: list[Array] = field(default_factory=list)
    routines: list[Routine] = field(default_factory=list)
    fresh: int = 0
    depth: int = 0
    accesses: int = 0
    leaves: list[tuple[str, ...]] = field(
        default_factory=list
    )  # how a lane may leave each loop around
    returned: bool = False  # some lanes may have returned
    threads: int = 0  # of a block
    structures: list[tuple[str, int]] = field(default_factory=list)  # arrays of `Node`: name, size

    @property
    def linear(self) -> str:
        """The thread's number in its block, an int."""
        if self.language == "cuda":
            return "(int)(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z))"
        return "(int)(get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2)))"

    def name(self, prefix: str) -> str:
        self.fresh += 1
        return f"{prefix}{self.fresh}"

    def put(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def spell(self, kind: str) -> str:
        return SPELLED[self.language].get(
            kind, OPENCL_NAMES.get(kind, kind) if self.language == "opencl" else kind
        )


def index(k: Kernel, scope: Scope, array: Array) -> str:
    depth = pick(k.choices, (1, 2, 2, 3))
    if array.space == "shared":
        return array.name + "".join(
            f"[{bare(within(k.choices, expression(k.choices, scope, depth), d))}]"
            for d in array.dims
        )
    at = within(k.choices, expression(k.choices, scope, depth), array.dims[0])
    if chance(k.choices, 10):
        return f"*({array.name} + {at.text})"
    return f"{array.name}[{bare(at)}]"


def bare(v: Value) -> str:
    """Without the outermost parentheses."""
    text = v.text
    if not text.startswith("("):
        return text
    depth = 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth == 0:
            return text[1:-1] if i == len(text) - 1 else text
    return text


def stored(k: Kernel, element: str) -> str:
    if element in VECTORS:
        numbers = ", ".join(f"{i}.0f" for i in range(1, len(VECTORS[element]) + 1))
        return f"({element})({numbers})" if k.language == "opencl" else f"make_{element}({numbers})"
    return f"({k.spell(element)})({k.choices.integer(1, 9)})"


def access(k: Kernel, scope: Scope) -> None:
    array = pick(k.choices, k.arrays)
    k.accesses += 1
    place = index(k, scope, array)
    whole = array.element not in MEMBERS or (array.element != "Item" and not chance(k.choices, 25))
    component = "" if whole else pick(k.choices, MEMBERS[array.element])
    element = "float" if component else array.element
    place = (
        f"{place}.{component}"
        if component and not place.startswith("*")
        else f"({place}).{component}"
        if component
        else place
    )
    if not array.writable or chance(k.choices, 50):
        loaded(k, element, place)
    elif element in ("float", "int", "unsigned", "double") and chance(k.choices, 15):
        k.put(f"{place} {pick(k.choices, ('+=', '-='))} 3;")
    elif element in ("int", "unsigned") and chance(k.choices, 15):
        add = "atomicAdd" if k.language == "cuda" else "atomic_add"
        k.put(f"{add}(&{place}, {k.choices.integer(2, 5)});")
    else:
        k.put(f"{place} = {stored(k, element)};")


def loaded(k: Kernel, element: str, place: str) -> None:
    if element not in VECTORS and chance(k.choices, 50):
        k.put(f"sum += (float)({place});" if place.startswith("*") else f"sum += (float){place};")
        return
    name = k.name("v")
    k.put(f"{k.spell(element)} {name} = {place};")
    k.put(f"sum += {name}{'.x' if element in VECTORS else ''};")


def declare(k: Kernel, scope: Scope) -> None:
    v = expression(k.choices, scope, 3)
    name = k.name("x")
    if chance(k.choices, 12):
        kind = pick(k.choices, ("char", "short", "unsigned char", "unsigned short"))
        low, high = {
            "char": (-128, 127),
            "short": (-32768, 32767),
            "unsigned char": (0, 255),
            "unsigned short": (0, 65535),
        }[kind]
        k.put(
            f"{'signed ' if kind == 'char' and k.language == 'cuda' else ''}{kind} {name} = {bare(v)};"
        )
        inside = low <= v.low and v.high <= high
        scope.values.append(
            Value(name, "int", v.low if inside else low, v.high if inside else high)
        )
        return
    const = pick(k.choices, ("", "const "))
    k.put(f"{const}{k.spell(v.type)} {name} = {bare(v)};")
    scope.values.append(Value(name, v.type, v.low, v.high))


def changing(k: Kernel, scope: Scope) -> None:
    """A variable that is reassigned in a loop or under a condition: every value is masked, so its
    interval holds throughout."""
    name = k.name("m")
    mask = pick(k.choices, (63, 127, 255, 1023))
    k.put(f"int {name} = (int)({bare(expression(k.choices, scope, 2))}) & {mask};")
    scope.values.append(Value(name, "int", 0, mask))
    inner = scope.inner()
    pick(k.choices, (branch, loop))(k, inner, lambda: reassign(k, inner, name, mask))


def reassign(k: Kernel, scope: Scope, name: str, mask: int) -> None:
    k.put(f"{name} = (int)({bare(expression(k.choices, scope, 2))}) & {mask};")
    access(k, scope)


def branch(k: Kernel, scope: Scope, body: Callable[[], None]) -> None:
    outside = scope.inner()
    k.put(f"if ({bare(comparison(k.choices, scope, 2))}) {{")
    k.depth += 1
    body()
    k.depth -= 1
    if chance(k.choices, 40):
        k.put("} else {")
        k.depth += 1
        access(k, outside)
        k.depth -= 1
    k.put("}")


def switch(k: Kernel, scope: Scope, body: Callable[[], None]) -> None:
    outside = scope.inner()
    k.put(f"switch ({bare(within(k.choices, expression(k.choices, scope, 2), 4))}) {{")
    for label in ("case 0:", "case 2:", "default:")[: k.choices.integer(1, 3)]:
        k.put(f"{label} {{")
        k.depth += 1
        access(k, outside)
        if label == "default:" or not chance(k.choices, 25):
            k.put("break;")
        k.depth -= 1
        k.put("}")
    k.put("}")


def loop(k: Kernel, scope: Scope, body: Callable[[], None]) -> None:
    pick(k.choices, (counted, counted, counted, strided, doubling, while_loop, do_loop))(
        k, scope, body
    )


def small(k: Kernel, scope: Scope, top: int) -> Value:
    """A trip count or bound in [0, top]: constant, uniform or by lane."""
    if chance(k.choices, 40):
        return literal(k.choices.integer(1, top), "int", k.language)
    v = expression(k.choices, scope, 2)
    v = within(k.choices, v, top + 1)
    return Value(f"(int)({bare(v)})", "int", v.low, v.high)


def counted(k: Kernel, scope: Scope, body: Callable[[], None]) -> None:
    name, bound, step = k.name("i"), small(k, scope, MAX_TRIPS), pick(k.choices, (1, 1, 1, 2, 3))
    start = k.choices.integer(0, 2)
    if chance(k.choices, 20):
        k.put(f"for (int {name} = {bound.text}; {name} > {start}; {name} -= {step}) {{")
        interval = Value(name, "int", start, max(bound.high, start))
    else:
        relation, top = pick(k.choices, (("<", bound.high - 1), ("<=", bound.high)))
        advance = f"{pick(k.choices, ('++', ''))}{name}" if step == 1 else f"{name} += {step}"
        advance = f"{name}++" if advance == name else advance
        k.put(f"for (int {name} = {start}; {name} {relation} {bound.text}; {advance}) {{")
        interval = Value(name, "int", start, max(top, start))
    looped(k, scope, interval, body)


def strided(k: Kernel, scope: Scope, body: Callable[[], None]) -> None:
    """The block's threads walk over a range together."""
    name = k.name("i")
    width = "(int)blockDim.x" if k.language == "cuda" else "(int)get_local_size(0)"
    first = "(int)threadIdx.x" if k.language == "cuda" else "(int)get_local_id(0)"
    top = pick(k.choices, (16, 40, 64, 100))
    if chance(k.choices, 50):
        width = str(pick(k.choices, (32, 50, 64)))
    k.put(f"for (int {name} = {first}; {name} < {top}; {name} += {width}) {{")
    looped(k, scope, Value(name, "int", 0, top - 1), body)


def doubling(k: Kernel, scope: Scope, body: Callable[[], None]) -> None:
    name, top = k.name("s"), pick(k.choices, (8, 16, 32, 64))
    forward = (
        f"{name} = 1; {name} < {top}; {name} *= 2",
        f"{name} = 1; {name} <= {top}; {name} <<= 1",
    )
    backward = (
        f"{name} = {top}; {name} > 0; {name} >>= 1",
        f"{name} = {top}; {name} >= 1; {name} /= 2",
    )
    k.put(f"for (int {pick(k.choices, forward + backward)}) {{")
    looped(k, scope, Value(name, "int", 1, top), body)


def while_loop(k: Kernel, scope: Scope, body: Callable[[], None]) -> None:
    name, bound = k.name("w"), small(k, scope, 60)
    k.put(f"int {name} = {bound.text};")
    k.put(f"while ({name} > 0) {{")
    k.depth += 1
    inner = scope.inner()
    inner.values.append(Value(name, "int", 1, max(bound.high, 1)))
    access(k, inner)
    k.put(f"{name} {pick(k.choices, ('>>= 1', '/= 2', '/= 3', '-= 9'))};")
    k.depth -= 1
    k.put("}")


def do_loop(k: Kernel, scope: Scope, body: Callable[[], None]) -> None:
    name, bound = k.name("d"), small(k, scope, MAX_TRIPS)
    k.put(f"int {name} = 0;")
    k.put("do {")
    k.depth += 1
    inner = scope.inner()
    inner.values.append(Value(name, "int", 0, max(bound.high, 1)))
    access(k, inner)
    k.put(f"{name}++;")
    k.depth -= 1
    k.put(f"}} while ({name} < {bound.text});")


def looped(k: Kernel, scope: Scope, variable: Value, body: Callable[[], None]) -> None:
    k.depth += 1
    scope.values.append(variable)
    leaving = chance(k.choices, 20)
    if leaving:
        k.put(f"if ({bare(comparison(k.choices, scope, 1))})")
        k.put(f"    {pick(k.choices, ('break', 'continue'))};")
    k.leaves.append(("break", "continue"))
    body()
    k.leaves.pop()
    scope.values.remove(variable)
    k.depth -= 1
    k.put("}")
