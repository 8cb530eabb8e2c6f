"""Random kernels that share memory, and what goes wrong in them by plain enumeration.

Every address, condition and value is known. A kernel is a tree of tuples; `text` writes it in CUDA
or OpenCL, `Run` makes each thread's accesses one by one and holds every pair of them against each
other. Knows nothing of kernlint.

For many seeds: `python -m tests.oracle.fault_kernels FIRST LAST`.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

WARP = 32
Node = tuple[Any, ...]

# ------------------------------------------------------------------ making kernels


def index(rng: random.Random, loops: Sequence[str]) -> Node:
    """An index expression over the thread and the loops' counters."""
    kinds: list[Node] = [
        ("t",),
        ("+", ("t",), ("c", rng.randrange(0, 5))),
        ("-", ("c", rng.choice([31, 63, 64])), ("t",)),
        ("%", ("+", ("t",), ("c", rng.randrange(1, 40))), ("c", rng.choice([16, 32, 64]))),
        ("/", ("t",), ("c", rng.choice([2, 4, 32]))),
        ("^", ("t",), ("c", rng.choice([1, 2, 16, 32]))),
        ("*", ("t",), ("c", 2)),
        ("c", rng.randrange(0, 70)),
    ]
    made = rng.choice(kinds)
    if loops and rng.random() < 0.5:
        step = ("*", ("v", rng.choice(loops)), ("c", rng.choice([1, 2, 32, 64])))
        made = ("+", made, step)
    return made


def condition(rng: random.Random, loops: Sequence[str]) -> Node:
    kinds: list[Node] = [
        ("<", ("t",), ("c", rng.choice([1, 16, 31, 32, 48, 63]))),
        (">=", ("t",), ("c", rng.choice([1, 32, 33]))),
        ("==", ("t",), ("c", rng.choice([0, 5, 63]))),
        ("==", ("%", ("t",), ("c", 2)), ("c", rng.randrange(2))),
    ]
    if loops:
        kinds.append(("==", ("&", ("v", rng.choice(loops)), ("c", 1)), ("c", rng.randrange(2))))
    return rng.choice(kinds)


def statement(rng: random.Random, loops: Sequence[str], depth: int) -> Node:
    array = rng.choice("ab")
    roll = rng.random()
    if roll < 0.30:
        value = rng.choice([index(rng, loops), ("c", rng.randrange(3))])
        return ("store", array, index(rng, loops), value)
    if roll < 0.55:
        return ("load", array, index(rng, loops))
    if roll < 0.60:
        return ("atomic", array, index(rng, loops))
    if roll < 0.75:
        return ("barrier",)
    if roll < 0.80:
        return ("syncwarp",)
    if roll < 0.92 or depth > 1:
        inner = [s for s in body(rng, loops, depth + 1, 2) if s[0] not in ("barrier", "syncwarp")]
        plain = [s for s in inner if s[0] != "for"]
        return ("if", condition(rng, loops), plain or [("load", array, ("t",))])
    name = f"k{len(loops)}"
    return ("for", name, rng.randrange(1, 4), body(rng, [*loops, name], depth + 1, 4))


def body(rng: random.Random, loops: Sequence[str], depth: int, most: int) -> list[Node]:
    return [statement(rng, loops, depth) for _ in range(rng.randrange(1, most + 1))]


@dataclass(frozen=True)
class FaultKernel:
    sizes: dict[str, int]  # elements of the shared arrays
    statements: list[Node]
    threads: int


def kernel(seed: int) -> FaultKernel:
    rng = random.Random(seed)
    sizes = {name: rng.choice([64, 66, 68, 128, 192]) for name in "ab"}
    fill = [("store", name, ("t",), ("t",)) for name in "ab" if rng.random() < 0.7]
    return FaultKernel(sizes, [*fill, *body(rng, [], 0, 6)], 64)


# ------------------------------------------------------------------ as text


def expression(node: Node) -> str:
    match node:
        case ("t",):
            return "t"
        case ("c", value):
            return str(value)
        case ("v", name):
            return str(name)
        case (op, left, right):
            return f"({expression(left)} {op} {expression(right)})"
    raise ValueError(node)


@dataclass
class Text:
    """`lines` grow statement by statement, one in each line."""

    opencl: bool
    lines: list[str] = field(default_factory=list)

    def put(self, statements: Sequence[Node], pad: str) -> None:
        for node in statements:
            self.statement(node, pad)

    def statement(self, node: Node, pad: str) -> None:
        match node:
            case ("store", array, at, value):
                self.lines.append(f"{pad}{array}[{expression(at)}] = {expression(value)};")
            case ("load", array, at):
                self.lines.append(f"{pad}sum += {array}[{expression(at)}];")
            case ("atomic", array, at):
                add = "atomic_add" if self.opencl else "atomicAdd"
                self.lines.append(f"{pad}{add}(&{array}[{expression(at)}], 1);")
            case ("barrier",):
                call = "barrier(CLK_LOCAL_MEM_FENCE)" if self.opencl else "__syncthreads()"
                self.lines.append(f"{pad}{call};")
            case ("syncwarp",):
                call = "sub_group_barrier(CLK_LOCAL_MEM_FENCE)" if self.opencl else "__syncwarp()"
                self.lines.append(f"{pad}{call};")
            case ("if", test, inner):
                self.lines.append(f"{pad}if ({expression(test)}) {{")
                self.put(inner, pad + "    ")
                self.lines.append(f"{pad}}}")
            case ("for", name, count, inner):
                self.lines.append(f"{pad}for (int {name} = 0; {name} < {count}; {name}++) {{")
                self.put(inner, pad + "    ")
                self.lines.append(f"{pad}}}")


def text(made: FaultKernel, opencl: bool) -> str:
    out = Text(opencl)
    if opencl:
        head = ["__kernel void k(__global int *out)", "{"]
        thread = "    int t = get_local_id(0), sum = 0;"
        arrays = [f"    __local int {name}[{size}];" for name, size in made.sizes.items()]
        last = "    out[get_global_id(0)] = sum;"
    else:
        head = ["__global__ void k(int *out)", "{"]
        thread = "    int t = threadIdx.x, sum = 0;"
        arrays = [f"    __shared__ int {name}[{size}];" for name, size in made.sizes.items()]
        last = "    out[blockIdx.x * blockDim.x + t] = sum;"
    out.put(made.statements, "    ")
    launch = f"// kernlint: launch(grid=2, block={made.threads})"
    return "\n".join([launch, *head, *arrays, thread, *out.lines, last, "}", ""])


# ------------------------------------------------------------------ what goes wrong


def value(node: Node, thread: int, counters: dict[str, int]) -> int:
    match node:
        case ("t",):
            return thread
        case ("c", number):
            return int(number)
        case ("v", name):
            return counters[name]
    op, left, right = node[0], value(node[1], thread, counters), value(node[2], thread, counters)
    return int(OPERATIONS[op](left, right))


OPERATIONS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "%": lambda a, b: a % b,
    "/": lambda a, b: a // b,
    "^": lambda a, b: a ^ b,
    "&": lambda a, b: a & b,
    "<": lambda a, b: a < b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
}


@dataclass(frozen=True)
class Touch:
    """One access of one thread; `block`, `warp`: barriers that it has passed."""

    array: str
    element: int
    kind: str
    written: int
    thread: int
    block: int
    warp: int


@dataclass
class Run:
    """All accesses of one block."""

    kernel: FaultKernel
    touches: list[Touch] = field(default_factory=list)

    def __post_init__(self) -> None:
        for thread in range(self.kernel.threads):
            self.block = self.warp = 0
            self.thread(self.kernel.statements, thread, {})

    def thread(self, statements: Sequence[Node], thread: int, counters: dict[str, int]) -> None:
        for node in statements:
            match node:
                case ("barrier",):
                    self.block += 1
                    self.warp += 1
                case ("syncwarp",):
                    self.warp += 1
                case ("if", test, inner):
                    if value(test, thread, counters):
                        self.thread(inner, thread, counters)
                case ("for", name, count, inner):
                    for i in range(count):
                        self.thread(inner, thread, {**counters, name: i})
                case (kind, array, at, *rest):
                    written = value(rest[0], thread, counters) if rest else 0
                    place = value(at, thread, counters)
                    passed = (self.block, self.warp)
                    self.touches.append(Touch(array, place, kind, written, thread, *passed))

    def races(self, apart: bool) -> set[tuple[str, str]]:
        """(array, scope) of every pair of accesses that nothing orders. `apart`: whether lanes of a
        warp may run apart."""
        found = set()
        by_place: dict[tuple[str, int], list[Touch]] = {}
        for touch in self.touches:
            by_place.setdefault((touch.array, touch.element), []).append(touch)
        for (array, _), touches in by_place.items():
            for one, other in combinations(touches, 2):
                if not clash(one, other):
                    continue
                same_warp = one.thread // WARP == other.thread // WARP
                if not same_warp and one.block == other.block:
                    found.add((array, "block"))
                if same_warp and apart and one.warp == other.warp:
                    found.add((array, "warp"))
        return found

    def outside(self) -> set[str]:
        sizes = self.kernel.sizes
        return {t.array for t in self.touches if not 0 <= t.element < sizes[t.array]}

    def unwritten(self) -> set[str]:
        """Arrays of which some element is read, by a load or an update, before any store: of the
        intervals between barriers before it, of the thread's own program, and of other threads
        between the same barriers (which is a race)."""
        stores: dict[tuple[str, int], list[tuple[int, Touch]]] = {}
        for at, touch in enumerate(self.touches):  # of one thread in the order of its program
            if touch.kind == "store":
                stores.setdefault((touch.array, touch.element), []).append((at, touch))
        return {
            touch.array
            for at, touch in enumerate(self.touches)
            if touch.kind != "store"
            and not any(
                store.block < touch.block
                or (store.block == touch.block and (store.thread != touch.thread or when < at))
                for when, store in stores.get((touch.array, touch.element), ())
            )
        }


def clash(one: Touch, other: Touch) -> bool:
    """Whether two accesses to one place conflict."""
    kinds = {one.kind, other.kind}
    if one.thread == other.thread or kinds in ({"load"}, {"atomic"}):
        return False
    return kinds != {"store"} or one.written != other.written


# ------------------------------------------------------------------ against kernlint


def mismatches(seed: int, opencl: bool) -> Iterator[str]:
    from kernlint.model.settings import Settings
    from kernlint.pipeline import engine
    from kernlint.source import files

    made = kernel(seed)
    language = "opencl" if opencl else "cuda"
    source = files.Source("k.cl" if opencl else "k.cu", language, text(made, opencl))
    report = engine.analyse([], Settings(language=language), stdin=source)
    [facts] = report.files[0].kernels
    run = Run(made)
    names = f"seed {seed} ({language})"
    told = {(race.object, race.scope) for race in facts.races if race.certain}
    for array, scope in run.races(apart=True) ^ told:
        what = "missed" if (array, scope) not in told else "invented"
        yield f"{names}: {what} race of a {scope} on {array}"
    if any(not race.certain for race in facts.races):
        yield f"{names}: a race that data decides"
    for kind, wanted in (("outside", run.outside()), ("unwritten", run.unwritten())):
        found = {fault.object for fault in facts.faults if fault.kind == kind}
        for array in wanted ^ found:
            yield f"{names}: {'missed' if array in wanted else 'invented'} {kind} of {array}"


def main() -> None:
    first, last = map(int, sys.argv[1:3])
    wrong, counted = 0, {"races": 0, "outside": 0, "unwritten": 0, "clean": 0}
    for seed in range(first, last):
        run = Run(kernel(seed))
        found = run.races(True), run.outside(), run.unwritten()
        for name, some in zip(counted, found, strict=False):
            counted[name] += bool(some)
        counted["clean"] += not any(found)
        for opencl in (False, True):
            for line in mismatches(seed, opencl):
                wrong += 1
                print(line)
    print(f"{last - first} kernels, twice each: {counted}, {wrong} mismatches")


if __name__ == "__main__":
    main()
