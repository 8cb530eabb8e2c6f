"""Random kernels whose every access can be worked out from the source and the launch.

Comes in: a source of choices (a seed, or hypothesis). Goes out: a kernel's source in CUDA or OpenCL
with a launch directive in it, and its launches for the oracle. Indices stay inside their arrays,
integer arithmetic stays defined, trip counts stay small, every access stands on a line of its own,
and no address or condition depends on what memory holds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tests.oracle import Buffer, Case
from tests.oracle.expressions import (
    Choices,
    Dice,
    Drawn,
    Helper,
    Scope,
    Value,
    chance,
    comparison,
    expression,
    pick,
    within,
)
from tests.oracle.generate_forms import form
from tests.oracle.generate_parts import (
    ELEMENTS,
    NUMBERS,
    Array,
    Kernel,
    Routine,
    access,
    bare,
    branch,
    changing,
    declare,
    index,
    loop,
    switch,
)  # fmt: skip

BLOCKS = (
    (32,), (64,), (128,), (256,), (33,), (50,), (100,), (7,), (31,), (1,), (16, 16), (32, 8), (8, 8), (32, 2), (5, 7), (17, 3), (16, 4),
    (4, 4, 4), (3, 5, 7), (8, 4, 2), (32, 1, 2), (10, 1, 3), (2, 2, 33),
)  # fmt: skip
NODE = {
    "cuda": "struct Node { int key; float weight; short part[3]; char flag; struct { float x; float y; } corner; };",
    "opencl": "typedef struct { int key; float weight; short part[3]; char flag; struct { float x; float y; } corner; } Node;",
}
GRIDS = ((1,), (2,), (3,), (5,), (2, 2), (1, 3), (2, 1, 2), (7,))


def call(k: Kernel, scope: Scope) -> bool:
    """A call of a routine, where one fits an array."""
    fitting = [(r, a) for r in k.routines for a in k.arrays
               if (r.element, r.space) == (a.element, a.space) and a.writable and len(a.dims) == 1 and a.dims[0] >= r.size]  # fmt: skip
    if not fitting:
        return False
    routine, array = pick(k.choices, fitting)
    room = array.dims[0] - routine.size
    at = within(k.choices, expression(k.choices, scope, 2), room + 1)
    pointer = (
        pick(k.choices, (f"{array.name} + {at.text}", f"&{array.name}[{bare(at)}]"))
        if room
        else array.name
    )
    argument = within(k.choices, expression(k.choices, scope, 2), 1024)
    k.put(f"{routine.name}({pointer}, {bare(argument)});")
    return True


def routine(k: Kernel, number: int) -> None:
    element, space, size = (
        pick(k.choices, ("float", "int", "double", "short")),
        pick(k.choices, ("global", "shared")),
        33,
    )
    name = f"work{number}"
    qualifier = (
        {"global": "__global ", "shared": "__local "}[space] if k.language == "opencl" else ""
    )
    start = "__device__ void" if k.language == "cuda" else "void"
    k.put(f"{start} {name}({qualifier}{k.spell(element)} *p, int a) {{")
    k.depth, arrays, k.arrays = 1, k.arrays, [Array("p", element, (size,), "global")]
    k.put("float sum = 0.0f;")
    scope = Scope(k.language, [Value("a", "int", 0, 1023)] * 2 + coordinates(k, (1024,), (7,))[:2])
    access(k, scope)
    branch(k, scope, lambda: access(k, scope))
    k.put(f"p[0] = ({k.spell(element)})sum;")
    k.depth, k.arrays = 0, arrays
    k.put("}")
    k.routines.append(Routine(name, element, space, size))


def statement(k: Kernel, scope: Scope) -> None:
    which = k.choices.integer(0, 14)
    if which == 0 and k.routines and call(k, scope):
        return None
    if which <= 3 or k.depth > 3:
        return access(k, scope)
    if which == 4:
        return declare(k, scope)
    if which == 5 and k.depth < 3:
        return changing(k, scope)
    inner = scope.inner()

    def body() -> None:
        for _ in range(k.choices.integer(1, 3)):
            statement(k, inner)
        if not any(line.strip() for line in k.lines[-1:]) or k.lines[-1].rstrip().endswith("{"):
            access(k, inner)

    if which >= 10:
        return form(k, scope, body)
    if chance(k.choices, 8):
        return switch(k, inner, body)
    (branch if which <= 7 else loop)(k, inner, body)
    return None


def pointer(k: Kernel, scope: Scope) -> None:
    """A pointer into the middle of a global array becomes an array of its own."""
    whole = pick(k.choices, [a for a in k.arrays if a.space == "global"])
    half = whole.dims[0] // 2
    at = within(k.choices, expression(k.choices, scope, 2), half)
    name = k.name("p")
    space = "__global " if k.language == "opencl" else ""
    const = "" if whole.writable else "const "
    start = pick(k.choices, (f"{whole.name} + {at.text}", f"&{whole.name}[{bare(at)}]"))
    k.put(f"{space}{const}{k.spell(whole.element)} *{name} = {start};")
    k.arrays.append(Array(name, whole.element, (half,), "global", whole.writable))


def helper_function(k: Kernel, number: int) -> Helper:
    kind = pick(k.choices, ("int", "unsigned"))
    scope = Scope(k.language, [Value("a", kind, 0, 1023), Value("b", kind, 0, 1023)])
    name = f"mix{number}"
    qualifier = "__device__ " if k.language == "cuda" else ""
    k.put(f"{qualifier}{k.spell(kind)} {name}({k.spell(kind)} a, {k.spell(kind)} b) {{")
    k.put("    a = a & 1023;")
    k.put("    b = b & 1023;")
    if chance(k.choices, 50):
        k.put(f"    if ({bare(comparison(k.choices, scope, 1))})")
        k.put(f"        return ({k.spell(kind)})({bare(expression(k.choices, scope, 2))});")
    k.put(f"    return ({k.spell(kind)})({bare(expression(k.choices, scope, 2))});")
    k.put("}")
    return Helper(name, kind)


def coordinates(k: Kernel, block: tuple[int, ...], grid: tuple[int, ...]) -> list[Value]:
    found = []
    for number, axis in enumerate("xyz"):
        b, g = (*block, 1, 1)[number], (*grid, 1, 1)[number]
        if number >= 2 and len(block) < 3 and len(grid) < 3 and not chance(k.choices, 20):
            continue
        if k.language == "cuda":
            names: tuple[str, ...] = (
                f"threadIdx.{axis}",
                f"blockIdx.{axis}",
                f"blockDim.{axis}",
                f"gridDim.{axis}",
            )
            found += [
                Value(n, "unsigned", low, high)
                for n, low, high in zip(names, (0, 0, b, g), (b - 1, g - 1, b, g), strict=True)
            ]
        else:
            names = tuple(
                f"(int)get_{n}({number})"
                for n in ("local_id", "group_id", "local_size", "num_groups", "global_id")
            )
            lows, highs = (0, 0, b, g, 0), (b - 1, g - 1, b, g, b * g - 1)
            found += [
                Value(f"({n})", "int", low, high)
                for n, low, high in zip(names, lows, highs, strict=True)
            ]
    return (
        found
        + [v for v in found if (".x" in v.text and "thread" in v.text) or "local_id(0)" in v.text]
        * 3
    )


def shared_arrays(k: Kernel) -> None:
    if k.structures and chance(k.choices, 60):
        size = pick(k.choices, (16, 33, 50))
        k.put(f"{'__shared__' if k.language == 'cuda' else '__local'} Node spots[{size}];")
        k.structures.append(("spots", size))
    for _ in range(k.choices.integer(0, 3)):
        dims = pick(
            k.choices,
            (
                (64,),
                (100,),
                (33,),
                (256,),
                (16, 16),
                (8, 33),
                (32, 32),
                (5, 7),
                (4, 8, 9),
                (32, 33),
            ),
        )
        element = pick(k.choices, tuple(ELEMENTS))
        name = k.name("tile")
        qualifier = "__shared__" if k.language == "cuda" else "__local"
        k.put(f"{qualifier} {k.spell(element)} {name}{''.join(f'[{d}]' for d in dims)};")
        k.arrays.append(Array(name, element, dims, "shared"))


def dynamic_shared(k: Kernel) -> int:
    """Bytes of a dynamic shared array, 0 for none."""
    if k.language != "cuda" or not chance(k.choices, 15):
        return 0
    element, size = pick(k.choices, NUMBERS), pick(k.choices, (50, 128, 300))
    name = k.name("dyn")
    k.put(f"extern __shared__ {element} {name}[];")
    k.arrays.append(Array(name, element, (size,), "shared"))
    return size * ELEMENTS[element]


def body(k: Kernel, scope: Scope) -> None:
    for _ in range(k.choices.integer(3, 8)):
        if chance(k.choices, 12) and not k.returned:
            k.put("__syncthreads();" if k.language == "cuda" else "barrier(CLK_LOCAL_MEM_FENCE);")
        elif chance(k.choices, 10):
            pointer(k, scope)
        elif chance(k.choices, 8):
            k.put(f"if ({bare(comparison(k.choices, scope, 2))})")
            k.put("    return;")
            k.returned = True
        else:
            statement(k, scope)
    while k.accesses < 2:
        access(k, scope)
    if not k.returned:
        target = pick(
            k.choices,
            [a for a in k.arrays if a.space == "global" and a.writable and a.element in NUMBERS]
            or k.arrays,
        )
        if target.writable and target.element in NUMBERS:
            k.put(f"{index(k, scope, target)} = ({k.spell(target.element)})sum;")


def parameters(k: Kernel, items: bool) -> tuple[list[str], dict[str, Any], list[Value]]:
    texts, arguments, values = [], dict[str, Any](), list[Value]()
    space = "__global " if k.language == "opencl" else ""
    for _ in range(k.choices.integer(1, 3)):
        element = "Item" if items and chance(k.choices, 50) else pick(k.choices, tuple(ELEMENTS))
        size = pick(k.choices, (64, 100, 256, 1000, 1024, 4096))
        name, writable = k.name("g"), chance(k.choices, 70)
        restrict = pick(k.choices, ("", "", "__restrict__ ")) if k.language == "cuda" else ""
        texts.append(f"{space}{'' if writable else 'const '}{k.spell(element)} *{restrict}{name}")
        arguments[name] = Buffer(k.spell(element), size)
        k.arrays.append(Array(name, element, (size,), "global", writable))
    if NODE[k.language] in k.lines:
        texts.append(f"{space}Node *nodes")
        arguments["nodes"] = Buffer("Node", 64)
        k.structures.append(("nodes", 64))
    for _ in range(k.choices.integer(0, 2)):
        name, kind = k.name("n"), pick(k.choices, ("int", "int", "unsigned"))
        value = k.choices.integer(0 if kind == "unsigned" else -3, 70)
        texts.append(f"{k.spell(kind)} {name}")
        arguments[name] = value
        values.append(Value(name, kind, min(value, 0), max(value, 70)))
    return texts, arguments, values


def directive(
    kernel: str,
    grid: tuple[int, ...],
    block: tuple[int, ...],
    arguments: dict[str, Any],
    dynamic: int,
) -> str:
    numbers = "".join(f", {n}={v}" for n, v in arguments.items() if isinstance(v, int))
    shown = [f"({', '.join(map(str, d))})" if len(d) > 1 else str(d[0]) for d in (grid, block)]
    numbers += f", dynamic_shared={dynamic}" if dynamic else ""
    return f"// kernlint: launch(kernel={kernel}, grid={shown[0]}, block={shown[1]}{numbers})"


def kernel(choices: Choices, language: str = "cuda") -> Case:
    """One random kernel with one launch."""
    k = Kernel(choices, language)
    launched_block, grid = pick(choices, BLOCKS), pick(choices, GRIDS)
    k.threads = math.prod(launched_block)
    helpers = [helper_function(k, i) for i in range(choices.integer(0, 2))]
    if chance(choices, 25):
        k.put(
            "struct Item { float x; float y; float z; };"
            if language == "cuda"
            else "typedef struct { float x; float y; float z; } Item;"
        )
    items = bool(k.lines) and "Item" in k.lines[-1]
    if chance(choices, 30):
        k.put(NODE[language])
    for i in range(choices.integer(0, 2)):
        routine(k, i)
    texts, arguments, values = parameters(k, items)
    template = language == "cuda" and chance(choices, 20)
    width = choices.integer(2, 40)
    launched = f"k<{width}>" if template else "k"
    head = len(k.lines)
    k.put("")
    if template:
        k.put("template <int W>")
        values.append(Value("W", "int", width, width))
    k.put(f"{'__global__' if language == 'cuda' else '__kernel'} void k({', '.join(texts)}) {{")
    k.depth = 1
    shared_arrays(k)
    dynamic = dynamic_shared(k)
    k.lines[head] = directive(launched, grid, launched_block, arguments, dynamic)
    scope = Scope(language, coordinates(k, launched_block, grid) + values, helpers)
    k.put("float sum = 0.0f;")
    for _ in range(choices.integer(1, 2)):
        declare(k, scope)
    body(k, scope)
    k.depth = 0
    k.put("}")
    launch = {
        "kernel": launched,
        "grid": grid,
        "block": launched_block,
        "arguments": arguments,
        "dynamic_shared_bytes": dynamic,
    }
    return Case("\n".join(k.lines) + "\n", [launch], language)


def from_seed(seed: int, language: str = "cuda") -> Case:
    return kernel(Dice(seed), language)


def strategy(language: str = "cuda") -> Any:
    """A hypothesis strategy of kernels."""
    from hypothesis import strategies as st

    @st.composite
    def kernels(draw: Callable[..., int]) -> Case:
        return kernel(Drawn(draw), language)

    return kernels()
