"""More shapes of random kernels: variables that outlive their loops, contents of arrays that decide
addresses, narrow counters, pointers into tables, structs, exchanges between lanes, lanes that leave
in the middle. See generate.py.

Every function comes in with the kernel and the scope and puts down statements. A mutable variable
keeps its interval at all times: each change of it is brought back into [0, mask].
"""

from __future__ import annotations

from collections.abc import Callable

from tests.oracle.expressions import (
    Scope,
    Value,
    binary,
    chance,
    comparison,
    expression,
    literal,
    pick,
    within,
)
from tests.oracle.generate_parts import MAX_TRIPS, Array, Kernel, access, bare, looped, small

Body = Callable[[], None]
NARROW_SPELLED = {
    "cuda": {"uchar": "unsigned char", "ushort": "unsigned short"},
    "opencl": {"uchar": "uchar", "ushort": "ushort"},
}
NARROW_LIMITS = {
    "char": (-128, 127),
    "short": (-32768, 32767),
    "uchar": (0, 255),
    "ushort": (0, 65535),
}
COMPOUND = ("+=", "-=", "*=", "^=", "|=", "&=", "<<=", ">>=", "%=", "/=")


def bounded(k: Kernel, scope: Scope, top: int, depth: int = 2) -> str:
    """An int in [0, top)."""
    return f"(int)({bare(within(k.choices, expression(k.choices, scope, depth), top))})"


def mutable(k: Kernel, scope: Scope) -> tuple[str, int]:
    """A variable that may be changed: one in scope, or a new one."""
    if scope.mutable and chance(k.choices, 60):
        return pick(k.choices, scope.mutable)
    name, mask = k.name("m"), pick(k.choices, (31, 63, 127, 1023))
    k.put(f"int {name} = {bounded(k, scope, mask + 1)};")
    scope.values.append(Value(name, "int", 0, mask))
    scope.mutable.append((name, mask))
    return name, mask


def change(k: Kernel, scope: Scope) -> None:
    """Compound assignment, increment, comma."""
    name, mask = mutable(k, scope)
    which = k.choices.integer(0, 4)
    if which == 0:
        other = k.name("x")
        k.put(
            f"int {other} = {pick(k.choices, (f'{name}++', f'++{name}', f'{name}--', f'--{name}'))};"
        )
        k.put(f"{name} &= {mask};")
        scope.values.append(Value(other, "int", -1, mask + 1))
    elif which == 1:
        k.put(
            f"{name} = ({name} ^= {bounded(k, scope, 64)}, {name} + {bounded(k, scope, 32)}) & {mask};"
        )
    elif which == 2:
        k.put(
            f"{name} = {bare(comparison(k.choices, scope, 1))} ? {bounded(k, scope, mask + 1)} : {name};"
        )
    else:
        op = pick(k.choices, COMPOUND)
        top = {"<<=": 8, ">>=": 8, "*=": 1000}.get(op, mask + 1)
        right = f"{bounded(k, scope, top)} + 1" if op in ("%=", "/=") else bounded(k, scope, top)
        k.put(f"{name} {op} {right};")
        k.put(f"{name} &= {mask};")
    access(k, scope)


def outlived(k: Kernel, scope: Scope, body: Body) -> None:
    """A counter declared outside its loop and read after it, perhaps in a loop that not all lanes
    reach."""
    name, bound, step = k.name("i"), small(k, scope, MAX_TRIPS), pick(k.choices, (1, 1, 2, 3))
    start, guarded = k.choices.integer(0, 3), chance(k.choices, 40)
    k.put(f"int {name} = {start};" if guarded or chance(k.choices, 50) else f"int {name};")
    top = max(bound.high + step, start)
    if guarded:
        k.put(f"if ({bare(comparison(k.choices, scope, 1))}) {{")
        k.depth += 1
    k.put(f"for ({name} = {start}; {name} < {bound.text}; {name} += {step}) {{")
    inner = scope.inner()
    if chance(k.choices, 50):
        access(k, inner.having(Value(name, "int", start, top)))
    looped(k, inner, Value(name, "int", start, top), body)
    if guarded:
        k.depth -= 1
        k.put("}")
    scope.values += [Value(name, "int", start, top)] * 2
    access(k, scope)


def two_counters(k: Kernel, scope: Scope, body: Body) -> None:
    up, down, top = k.name("i"), k.name("j"), k.choices.integer(3, 12)
    if chance(k.choices, 50):
        k.put(f"for (int {up} = 0, {down} = {top}; {up} < {down}; {up}++, {down}--) {{")
    else:
        k.put(
            f"for (int {up} = {bounded(k, scope, 4)}, {down} = {top}; {up} < {down}; {up} += 2, --{down}) {{"
        )
    inner = scope.having(Value(up, "int", 0, top), Value(down, "int", 0, top))
    looped(k, inner, Value(up, "int", 0, top), body)


def narrow_loop(k: Kernel, scope: Scope, body: Body) -> None:
    """A counter of fewer than 32 bits, which may wrap."""
    kind, name = pick(k.choices, tuple(NARROW_LIMITS)), k.name("c")
    low, high = NARROW_LIMITS[kind]
    spelled = NARROW_SPELLED[k.language].get(
        kind, "signed char" if kind == "char" and k.language == "cuda" else kind
    )
    which = k.choices.integer(0, 2)
    if which == 0:
        start, trips, step = (
            high - k.choices.integer(0, 5),
            k.choices.integer(1, 9),
            k.choices.integer(1, 3),
        )
        end = (start + trips * step - low) % (high - low + 1) + low
        k.put(f"for ({spelled} {name} = {start}; {name} != {end}; {name} += {step}) {{")
    elif which == 1 and low < 0:
        step = pick(k.choices, (3, 5, 20)) if kind == "char" else 9000
        k.put(
            f"for ({spelled} {name} = {high - k.choices.integer(0, 3) * step}; {name} > 0; {name} += {step}) {{"
        )
    else:
        bound = small(k, scope, MAX_TRIPS)
        k.put(
            f"for ({spelled} {name} = {k.choices.integer(0, 2)}; {name} < ({spelled})({bare(bound)}); {name}++) {{"
        )
    looped(k, scope.inner(), Value(name, "int", low, high), body)


def narrow(k: Kernel, scope: Scope) -> None:
    kind, name = pick(k.choices, tuple(NARROW_LIMITS)), k.name("t")
    low, high = NARROW_LIMITS[kind]
    spelled = NARROW_SPELLED[k.language].get(
        kind, "signed char" if kind == "char" and k.language == "cuda" else kind
    )
    k.put(f"{spelled} {name} = {bare(expression(k.choices, scope, 3))};")
    if chance(k.choices, 50):
        k.put(f"{name} {pick(k.choices, ('+=', '-=', '^='))} {bounded(k, scope, 300)};")
    if chance(k.choices, 30):
        k.put(f"{name}{pick(k.choices, ('++', '--'))};")
    scope.values += [Value(name, "int", low, high)] * 2
    access(k, scope)


def private(k: Kernel, scope: Scope) -> None:
    """A thread's own array, filled and rewritten in loops, whose contents are indices."""
    name, size = k.name("own"), pick(k.choices, (2, 3, 4, 8))
    mask = pick(k.choices, (31, 63, 255))
    element = pick(k.choices, ("int", "int", "short", "unsigned"))
    i = k.name("i")
    k.put(f"{k.spell(element)} {name}[{size}];")
    k.put(f"for (int {i} = 0; {i} < {size}; {i}++)")
    k.put(f"    {name}[{i}] = {bounded(k, scope.having(Value(i, 'int', 0, size - 1)), mask + 1)};")
    inner = scope.having(*[Value(i, "int", 0, size - 1)] * 2)
    k.put(f"for (int {i} = 0; {i} < {size}; {i}++) {{")
    k.depth += 1
    _rewrite(k, inner, name, size, mask)
    if chance(k.choices, 60):
        read = Value(f"(int){name}[{bare_index(k, inner, size)}]", "int", 0, mask)
        x = k.name("x")
        k.put(f"int {x} = {read.text};")
        access(k, inner.having(*[Value(x, "int", 0, mask)] * 4))
    if chance(k.choices, 60):
        _rewrite(k, inner, name, size, mask)
    k.depth -= 1
    k.put("}")
    x = k.name("x")
    k.put(f"int {x} = (int){name}[{bare_index(k, scope, size)}];")
    scope.values += [Value(x, "int", 0, mask)] * 2
    access(k, scope)


def bare_index(k: Kernel, scope: Scope, size: int) -> str:
    return bare(within(k.choices, expression(k.choices, scope, 1), size))


def _rewrite(k: Kernel, scope: Scope, name: str, size: int, mask: int) -> None:
    target = f"{name}[{bare_index(k, scope, size)}]"
    guard = f"if ({bare(comparison(k.choices, scope, 1))}) " if chance(k.choices, 25) else ""
    if chance(k.choices, 30):
        k.put(f"{guard}{target} = ({target} + {bounded(k, scope, 32)}) & {mask};")
    else:
        k.put(f"{guard}{target} = {bounded(k, scope, mask + 1)};")


def exchanged(k: Kernel, scope: Scope) -> None:
    """Contents of a shared array that other lanes wrote, barriers between. Only where all lanes of
    a block are."""
    if k.depth != 1 or k.returned:
        return access(k, scope)
    name, mask = k.name("ex"), pick(k.choices, (63, 255))
    barrier = "__syncthreads();" if k.language == "cuda" else "barrier(CLK_LOCAL_MEM_FENCE);"
    threads = k.threads
    k.put(f"{'__shared__' if k.language == 'cuda' else '__local'} int {name}[{threads}];")
    k.put(f"{name}[{k.linear}] = {bounded(k, scope, mask + 1)};")
    k.put(barrier)
    for _ in range(k.choices.integer(1, 2)):
        x = k.name("x")
        k.put(f"int {x} = {name}[{bare_index(k, scope, threads)}];")
        scope.values += [Value(x, "int", 0, mask)] * 2
        access(k, scope)
    k.put(barrier)
    if chance(k.choices, 50):
        i, trips = k.name("i"), k.choices.integer(2, 4)
        k.put(f"for (int {i} = 1; {i} <= {trips}; {i} *= 2) {{")
        k.depth += 1
        x = k.name("x")
        k.put(f"int {x} = {name}[({k.linear} + {i}) % {threads}];")
        inner = scope.having(*[Value(x, "int", 0, mask)] * 3)
        access(k, inner)
        k.put(barrier)
        k.put(f"{name}[{k.linear}] = ({x} * 3 + {i}) & {mask};")
        k.put(barrier)
        k.depth -= 1
        k.put("}")
    return None


def lanes_exchange(k: Kernel, scope: Scope) -> None:
    """Shuffles and votes with sources that can be computed, where whole warps take part."""
    if k.language != "cuda" or k.depth != 1 or k.returned or k.threads % 32:
        return change(k, scope)
    name, x = (
        k.name("x"),
        f"(int)({bare(within(k.choices, expression(k.choices, scope, 2), 1024))})",
    )
    test = comparison(k.choices, scope, 1).text
    width = pick(k.choices, ("", "", ", 16", ", 8"))
    lane = bounded(k, scope, 32, 1)
    everyone = "0xffffffffu"
    amount = pick(k.choices, ("1", "2", "4", "8", "16"))
    forms = (
        f"__shfl_sync({everyone}, {x}, {lane}{width})", f"__shfl_xor_sync({everyone}, {x}, {amount}{width})",
        f"__shfl_down_sync({everyone}, {x}, {amount}{width})", f"__shfl_up_sync({everyone}, {x}, {amount}{width})",
        f"__popc(__ballot_sync({everyone}, {test}))", f"__any_sync({everyone}, {test})", f"__all_sync({everyone}, {test})",
        f"(int)(__ballot_sync({everyone}, {test}) & 1023u)", f"__syncthreads_count({test})",
        f"__syncthreads_or({test}) != 0", f"__syncthreads_and({test}) != 0",
    )  # fmt: skip
    k.put(f"int {name} = {pick(k.choices, forms)};")
    scope.values += [Value(name, "int", 0, 1024)] * 2
    access(k, scope)


def chosen_pointer(k: Kernel, scope: Scope) -> None:
    """`?:` between two places of one array, or between two arrays."""
    if k.depth != 1:
        return access(k, scope)
    plain = [a for a in k.arrays if a.space == "global"]
    first = pick(k.choices, plain)
    others = [a for a in plain if a.element == first.element]
    second = pick(k.choices, others) if chance(k.choices, 30) else first
    size = min(first.dims[0], second.dims[0]) // 2
    name = k.name("p")
    writable = first.writable and second.writable
    qualifier = ("__global " if k.language == "opencl" else "") + ("" if writable else "const ")
    one, two = (
        f"{a.name} + {within(k.choices, expression(k.choices, scope, 1), size).text}"
        for a in (first, second)
    )
    k.put(
        f"{qualifier}{k.spell(first.element)} *{name} = {bare(comparison(k.choices, scope, 1))} ? {one} : {two};"
    )
    k.arrays.append(Array(name, first.element, (size,), "global", writable))
    return access(k, scope)


def table_pointer(k: Kernel, scope: Scope) -> None:
    """A pointer to a row of a shared array of several dimensions, or to its first element."""
    tables = [a for a in k.arrays if a.space == "shared" and len(a.dims) > 1]
    if not tables or k.depth != 1:
        return access(k, scope)
    table, name = pick(k.choices, tables), k.name("q")
    qualifier = "__local " if k.language == "opencl" else ""
    total = 1
    for d in table.dims:
        total *= d
    inner = total // table.dims[0]
    row = bare(within(k.choices, expression(k.choices, scope, 2), table.dims[0]))
    zeros = "[0]" * (len(table.dims) - 1)
    which = k.choices.integer(0, 2)
    if which == 0:
        k.put(f"{qualifier}{k.spell(table.element)} *{name} = &{table.name}[{row}]{zeros};")
        size = inner
    elif which == 1 and len(table.dims) == 2:
        k.put(
            f"{qualifier}{k.spell(table.element)} *{name} = {pick(k.choices, (f'{table.name}[{row}]', f'*({table.name} + ({row}))'))};"
        )
        size = inner
    else:
        at = within(k.choices, expression(k.choices, scope, 1), total // 2)
        k.put(
            f"{qualifier}{k.spell(table.element)} *{name} = &{table.name}{'[0]' * len(table.dims)} + {at.text};"
        )
        size = total - total // 2
    k.arrays.append(Array(name, table.element, (size,), "shared"))
    access(k, scope)
    return None


def walking_pointer(k: Kernel, scope: Scope, body: Body) -> None:
    """A pointer that moves on in a loop."""
    array = pick(k.choices, [a for a in k.arrays if a.space == "global"])
    name, i, trips = k.name("p"), k.name("i"), k.choices.integer(2, 8)
    step = pick(k.choices, (1, 2, 7))
    room = array.dims[0] - trips * step
    if room < 2 or array.element == "Item":
        return access(k, scope)
    qualifier = ("__global " if k.language == "opencl" else "") + (
        "" if array.writable else "const "
    )
    at = within(k.choices, expression(k.choices, scope, 2), room)
    k.put(f"{qualifier}{k.spell(array.element)} *{name} = {array.name} + {at.text};")
    k.put(f"for (int {i} = 0; {i} < {trips}; {i}++, {name} += {step}) {{")
    k.depth += 1
    k.accesses += 1
    component = ".x" if array.element.startswith("float") and array.element != "float" else ""
    k.put(f"sum += (float)(*{name}).x;" if component else f"sum += (float)*{name};")
    k.depth -= 1
    k.put("}")
    return None


def leaving(k: Kernel, scope: Scope) -> None:
    """break or continue in the middle of a loop; a return where it stands alone."""
    words = list(k.leaves[-1]) if k.leaves else []
    if chance(k.choices, 20):
        words.append("return")
    if not words:
        return access(k, scope)
    word = pick(k.choices, words)
    k.returned |= word == "return"
    k.put(f"if ({bare(comparison(k.choices, scope, 2))})")
    k.put(f"    {word};")
    access(k, scope)
    return None


def dispatch(k: Kernel, scope: Scope, body: Body) -> None:
    """A switch with fallthrough, several labels, and the default anywhere."""
    labels = ["case 0:", "case 1: case 5:", "case 2:", "case -1:", "default:", "case 7:"]
    wanted = [
        labels.pop(k.choices.integer(0, len(labels) - 1)) for _ in range(k.choices.integer(2, 4))
    ]
    k.put(
        f"switch ({bare(within(k.choices, expression(k.choices, scope, 2), 9))}{pick(k.choices, ('', '', ' - 1'))}) {{"
    )
    k.leaves.append(
        tuple(
            {*(k.leaves[-1] if k.leaves else ()), "break"}
            - ({"continue"} if not k.leaves else set())
        )
    )
    for number, label in enumerate(wanted):
        k.put(f"{label} {{")
        k.depth += 1
        access(k, scope.inner())
        if number == 0:
            body()
        k.depth -= 1
        k.put("}")
        if chance(k.choices, 60):
            k.put("break;")
    k.leaves.pop()
    k.put("}")


def late_test(k: Kernel, scope: Scope, body: Body) -> None:
    """do … while whose counter moves first, so that `continue` is safe."""
    name, bound = k.name("d"), small(k, scope, MAX_TRIPS)
    kind = pick(k.choices, ("int", "unsigned", "short"))
    k.put(f"{k.spell(kind)} {name} = 0;")
    k.put("do {")
    k.depth += 1
    k.put(f"{name}{pick(k.choices, ('++', ' += 2'))};")
    k.leaves.append(("break", "continue"))
    inner = scope.having(*[Value(name, "int" if kind == "short" else kind, 0, MAX_TRIPS + 2)] * 2)
    body_scope = inner
    access(k, body_scope)
    leaving(k, body_scope)
    body()
    k.leaves.pop()
    k.depth -= 1
    k.put(f"}} while ({name} < {bound.text});")


def countdown(k: Kernel, scope: Scope, body: Body) -> None:
    """while (n-- > 0), with the counter used after."""
    name = k.name("n")
    k.put(f"int {name} = {small(k, scope, MAX_TRIPS).text};")
    k.put(f"while ({name}-- > {pick(k.choices, ('0', '1'))}) {{")
    k.depth += 1
    k.leaves.append(("break", "continue"))
    inner = scope.having(*[Value(name, "int", 0, MAX_TRIPS)] * 2)
    access(k, inner)
    leaving(k, inner)
    body()
    k.leaves.pop()
    k.depth -= 1
    k.put("}")
    scope.values.append(Value(name, "int", -1, MAX_TRIPS))
    access(k, scope)


def wide(k: Kernel, scope: Scope) -> None:
    """64-bit unsigned arithmetic that wraps: hashes and the like."""
    name, kind = k.name("h"), "ulong"
    full = (1 << 64) - 1
    x = expression(k.choices, scope, 2)
    factor = pick(
        k.choices,
        (0x9E3779B97F4A7C15, 6364136223846793005, 0xFFFFFFFFFFFFFFFF, 1 << 63, 0x100000001B3),
    )
    op, other = pick(k.choices, ("*", "+", "-", "^")), literal(factor, kind, k.language).text
    k.put(f"{k.spell(kind)} {name} = ({k.spell(kind)})({bare(x)}) {op} {other};")
    value = Value(name, kind, 0, full)
    for _ in range(k.choices.integer(0, 2)):
        change_ = pick(
            k.choices,
            (
                "^= {0} >> 29",
                "*= 0xBF58476D1CE4E5B9ul",
                "+= {0} << 7",
                "/= 3",
                "%= 1000003ul",
                ">>= 1",
                "-= 1",
            ),
        )
        k.put(f"{name} {change_.format(name)};")
    shifted = binary(
        k.choices,
        pick(k.choices, ("/", "%")),
        value,
        literal(pick(k.choices, (3, 1000, 77)), kind, k.language),
        k.language,
    )
    y = k.name("x")
    last = shifted.text if shifted else name
    text = pick(
        k.choices,
        (f"{name} >> {k.choices.integer(50, 63)}", f"{name} % 97", f"({name} >> 33) & 63", last),
    )
    k.put(f"int {y} = (int)(({text}) & 255);")
    if chance(k.choices, 40):
        test = f"{name} {pick(k.choices, ('<', '>', '>='))} {literal(pick(k.choices, (1 << 63, full, 1 << 40, 5)), kind, k.language).text}"
        k.put(f"if ({test})")
        k.put(f"    {y} = {y} / 2;")
    scope.values += [Value(y, "int", 0, 255)] * 2
    access(k, scope)


def any_shift(k: Kernel, scope: Scope) -> None:
    """OpenCL takes a shift count modulo the width; C leaves it undefined, so there it stays below
    it."""
    name = k.name("x")
    top = 200 if k.language == "opencl" else 31
    count = f"(({k.linear}) * {k.choices.integer(1, 3)} + {k.choices.integer(0, 40)}) % {top}"
    left = (
        f"({k.spell('unsigned')})({bare(expression(k.choices, scope, 1))})"
        if chance(k.choices, 60)
        else f"({bounded(k, scope, 1024)})"
    )
    op = "<<" if left.startswith(f"({k.spell('unsigned')})") and chance(k.choices, 50) else ">>"
    k.put(f"int {name} = (int)(({left} {op} ({count})) & 127);")
    scope.values += [Value(name, "int", 0, 127)] * 2
    access(k, scope)


def structure(k: Kernel, scope: Scope) -> None:
    """An element of an array of structs, member by member."""
    if not k.structures:
        return access(k, scope)
    name, size = pick(k.choices, k.structures)
    k.accesses += 1
    place = f"{name}[{bare(within(k.choices, expression(k.choices, scope, 2), size))}]"
    member = pick(k.choices, ("key", "weight", "part[{0}]", "flag", "corner.x", "corner.y"))
    member = member.format(bare(within(k.choices, expression(k.choices, scope, 1), 3)))
    if chance(k.choices, 50):
        k.put(f"sum += (float){place}.{member};")
    else:
        k.put(f"{place}.{member} = {k.choices.integer(1, 9)};")
    return None


SIMPLE = (
    change, change, narrow, private, exchanged, lanes_exchange, lanes_exchange, chosen_pointer, table_pointer, table_pointer, leaving,
    leaving, wide, any_shift, structure, structure,
)  # fmt: skip
AROUND = (
    outlived,
    outlived,
    two_counters,
    narrow_loop,
    narrow_loop,
    dispatch,
    dispatch,
    late_test,
    countdown,
    walking_pointer,
)


def form(k: Kernel, scope: Scope, body: Body) -> None:
    if k.depth > 3 or chance(k.choices, 60):
        pick(k.choices, SIMPLE)(k, scope)
    else:
        pick(k.choices, AROUND)(k, scope, body)
