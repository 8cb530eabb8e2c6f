"""Kernels whose arguments, data and trip counts kernlint is not told, and an interpreter that runs
them for drawn values.

In: a seed. Out: `Kernel`, its source with one store of known place per number; `run` gives, for one
`World` of values, the requests of each store as the hardware would make them: lanes of a warp leave
loops one by one and meet again after them. Shares no code with kernlint.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

BLOCKS, WARPS, LANES = 2, 2, 32
BLOCK = WARPS * LANES
VARIABLES = ("x", "y", "z")
HEADER = (
    f"// kernlint: launch(grid={BLOCKS}, block={BLOCK})",
    "__global__ void k(float *a, const float *b, const int *h, int n0, int n1, int f0, int f1, int f2) {",
    "    int t = threadIdx.x, x = t, y = 2 * t, z = 8;",
)
CONDITIONS = {
    "argument": "f{0} == 1",
    "data": "b[{0} * 4096 + t + 64 * blockIdx.x] > 0",
    "lane": "(t & 31) < {0}",
    "warp": "t < 32",
    "block": "blockIdx.x == 0",
}
JOINED = {"&&": frozenset.intersection, "||": frozenset.union}
COUNTS = {"n0": "n0", "n1": "n1", "lane": "(t & 3)", "three": "3", "two": "2", "data": "h[t]"}


@dataclass(frozen=True, slots=True)
class Condition:
    """`joined`: an operator and the conditions that it joins, in the place of one of
    `CONDITIONS`."""

    kind: str
    which: int = 0
    joined: tuple[Condition, ...] = ()

    @property
    def text(self) -> str:
        return (
            f" {self.kind} ".join(f"({c.text})" for c in self.joined)
            if self.joined
            else CONDITIONS[self.kind].format(self.which)
        )


@dataclass(frozen=True, slots=True)
class Store:
    number: int
    variable: str


@dataclass(frozen=True, slots=True)
class Assign:
    """target = variable * factor + t * stride + constant."""

    target: str
    variable: str
    factor: int
    stride: int
    constant: int


@dataclass(frozen=True, slots=True)
class If:
    number: int
    condition: Condition
    then: tuple[Node, ...]
    otherwise: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Loop:
    number: int
    count: str
    body: tuple[Node, ...]
    post_test: bool


@dataclass(frozen=True, slots=True)
class Jump:
    """`word`: break, continue or return."""

    number: int
    word: str
    condition: Condition


Node = Store | Assign | If | Loop | Jump


@dataclass(frozen=True, slots=True)
class Kernel:
    source: str
    body: tuple[Node, ...]
    lines: dict[int, int]  # number of a store → its line
    tests: dict[int, int]  # number of an `if` → its line


@dataclass(frozen=True, slots=True)
class World:
    """Values that kernlint does not know: arguments f0 to f2, n0, n1; what is loaded from b (by
    thread of the grid) and h (by thread)."""

    flags: tuple[bool, ...]
    data: tuple[tuple[bool, ...], ...]
    trips: dict[str, int]
    loaded: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Request:
    lanes: int
    sectors: int


@dataclass(frozen=True, slots=True)
class Ran:
    """`requests` by the number of their store; `evaluations` by that of their `if`: whether the
    lanes of the warp disagreed."""

    requests: dict[int, list[Request]]
    evaluations: dict[int, list[bool]]


class _Writer:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.stores = self.loops = self.tests = 0

    def body(self, depth: int, count: int, inside: bool) -> tuple[Node, ...]:
        return tuple(self.node(depth, inside) for _ in range(count))

    def store(self, variable: str) -> Store:
        self.stores += 1
        return Store(self.stores, variable)

    def node(self, depth: int, inside: bool) -> Node:
        draw = self.random
        kind = draw.random()
        if depth <= 0 or kind < 0.3:
            return self.store(draw.choice(VARIABLES)) if draw.random() < 0.5 else self.assign()
        if kind < 0.6:
            number, condition = self.test(), self.condition()
            then = self.body(depth - 1, draw.randint(1, 3), inside)
            return If(number, condition, then, self.body(depth - 1, draw.randint(0, 2), inside))
        if kind < 0.9 and self.loops < 3:
            self.loops += 1
            number = self.loops
            return Loop(
                number,
                draw.choice(list(COUNTS)),
                self.body(depth - 1, draw.randint(1, 4), True),
                draw.random() < 0.5,
            )
        words = ("break", "continue") if inside else ("return",)
        if not inside and draw.random() >= 0.2:
            return self.store(draw.choice(VARIABLES))
        return Jump(self.test(), draw.choice(words), self.condition())

    def test(self) -> int:
        self.tests += 1
        return self.tests

    def condition(self) -> Condition:
        if self.random.random() < 0.3:
            return Condition(
                self.random.choice(list(JOINED)),
                joined=tuple(self.one() for _ in range(self.random.choice((2, 2, 3)))),
            )
        return self.one()

    def one(self) -> Condition:
        draw = self.random
        kind = draw.choices(list(CONDITIONS), (8, 4, 3, 3, 2))[0]
        return Condition(kind, draw.choice((1, 2, 16, 31)) if kind == "lane" else draw.randrange(3))

    def assign(self) -> Assign:
        draw = self.random
        target = draw.choice(VARIABLES)
        source = target if draw.random() < 0.7 else draw.choice(VARIABLES)
        return draw.choices(
            (
                Assign(target, target, 0, draw.choice((1, 2, 3, 4, 8)), draw.choice((0, 1, 8, 32))),
                Assign(target, source, 1, 0, draw.choice((8, 1, 16, 32, -8, 4))),
                Assign(target, source, 1, draw.choice((1, 2, -1)), 0),
                Assign(target, draw.choice(VARIABLES), 1, 0, 0),
                Assign(target, draw.choice(VARIABLES), draw.choice((2, 3, 4)), 0, 0),
                Assign(target, target, 0, 0, draw.choice((0, 8, 40))),
            ),
            (25, 35, 10, 10, 10, 10),
        )[0]


def kernel(seed: int) -> Kernel:
    """A kernel of branches, loops and jumps under known and unknown conditions."""
    writer = _Writer(seed)
    body = (
        *writer.body(3, writer.random.randint(3, 6), False),
        *(writer.store(v) for v in VARIABLES),
    )
    lines, places, tests = list(HEADER), dict[int, int](), dict[int, int]()
    for text, node in _texts(body, 1):
        lines.append(text)
        if isinstance(node, Store):
            places[node.number] = len(lines)
        elif isinstance(node, If | Jump):
            tests[node.number] = len(lines)
    return Kernel("\n".join([*lines, "}", ""]), body, places, tests)


def _texts(body: Sequence[Node], depth: int) -> Iterator[tuple[str, Node | None]]:
    pad = "    " * depth
    for s in body:
        match s:
            case Store(number, variable):
                yield f"{pad}a[{variable}] = {number};", s
            case Assign(target, variable, factor, stride, constant):
                yield f"{pad}{target} = {variable} * {factor} + t * {stride} + {constant};", s
            case If(_, condition, then, otherwise):
                yield f"{pad}if ({condition.text}) {{", s
                yield from _texts(then, depth + 1)
                yield f"{pad}}} else {{", None
                yield from _texts(otherwise, depth + 1)
                yield f"{pad}}}", None
            case Loop(number, count, inner, post_test):
                i, end = f"i{number}", COUNTS[count]
                yield (
                    f"{pad}int {i} = 0; do {{"
                    if post_test
                    else f"{pad}for (int {i} = 0; {i} < {end}; {i}++) {{",
                    None,
                )
                yield from _texts(inner, depth + 1)
                yield f"{pad}}} while (++{i} < {end});" if post_test else f"{pad}}}", None
            case Jump(_, word, condition):
                yield f"{pad}if ({condition.text}) {word};", s


def world(draw: random.Random) -> World:
    """Values for one run; data is often the same for all threads, or nearly."""
    likely = draw.choice((0.0, 0.05, 0.5, 0.95, 1.0))
    data = tuple(
        tuple(draw.random() < draw.choice((likely, likely, 0.5)) for _ in range(BLOCKS * BLOCK))
        for _ in range(3)
    )
    trips = {
        "n0": draw.choice((0, 1, 2, 3, 5)),
        "n1": draw.choice((0, 1, 2, 3)),
        "three": 3,
        "two": 2,
    }
    loaded = tuple(draw.randrange(4) if likely < 0.9 else 2 for _ in range(BLOCK))
    return World(tuple(draw.random() < 0.5 for _ in range(3)), data, trips, loaded)


def run(kernel: Kernel, world: World) -> Ran:
    """The requests of each store and the evaluations of each `if`, of all warps of all blocks."""
    found = Ran(defaultdict(list), defaultdict(list))
    for block in range(BLOCKS):
        for warp in range(WARPS):
            _Warp(world, block, warp, found).body(kernel.body, frozenset(range(LANES)))
    return found


Lanes = frozenset[int]
NONE: Lanes = frozenset()


class _Warp:
    def __init__(self, world: World, block: int, warp: int, found: Ran) -> None:
        self.world, self.block, self.first, self.found = world, block, warp * LANES, found
        threads = range(self.first, self.first + LANES)
        self.values = {"x": list(threads), "y": [2 * t for t in threads], "z": [8] * LANES}

    def body(self, body: Sequence[Node], lanes: Lanes) -> tuple[Lanes, Lanes, Lanes]:
        """Runs `lanes`; returns those that reach its end, that break and that continue."""
        left, again = NONE, NONE
        for s in body:
            if not lanes:
                break
            match s:
                case Store(number, variable):
                    sectors = {self.values[variable][lane] * 4 // 32 for lane in lanes}
                    self.found.requests[number].append(Request(len(lanes), len(sectors)))
                case Assign(target, variable, factor, stride, constant):
                    for lane in lanes:
                        self.values[target][lane] = (
                            self.values[variable][lane] * factor
                            + (self.first + lane) * stride
                            + constant
                        )
                case If(number, condition, then, otherwise):
                    taken = self.tested(number, condition, lanes)
                    ends = [
                        self.body(arm, some)
                        for arm, some in ((then, taken), (otherwise, lanes - taken))
                    ]
                    lanes, left, again = (
                        ends[0][0] | ends[1][0],
                        left | ends[0][1] | ends[1][1],
                        again | ends[0][2] | ends[1][2],
                    )
                case Loop():
                    lanes = self.loop(s, lanes)
                case Jump(number, word, condition):
                    taken = self.tested(number, condition, lanes)
                    lanes -= taken
                    left, again = (
                        left | (taken if word == "break" else NONE),
                        again | (taken if word == "continue" else NONE),
                    )
        return lanes, left, again

    def loop(self, s: Loop, lanes: Lanes) -> Lanes:
        done, turn = NONE, 0
        while True:
            staying = frozenset(
                lane for lane in lanes if turn < self.trips(s, lane) or (s.post_test and turn == 0)
            )
            done |= lanes - staying
            if not staying:
                return done
            ended, left, again = self.body(s.body, staying)
            done, lanes, turn = done | left, ended | again, turn + 1

    def trips(self, s: Loop, lane: int) -> int:
        thread = self.first + lane
        return (
            thread & 3
            if s.count == "lane"
            else self.world.loaded[thread]
            if s.count == "data"
            else self.world.trips[s.count]
        )

    def tested(self, number: int, condition: Condition, lanes: Lanes) -> Lanes:
        taken = self.true(condition, lanes)
        self.found.evaluations[number].append(bool(taken) and taken != lanes)
        return taken

    def true(self, condition: Condition, lanes: Lanes) -> Lanes:
        if condition.joined:
            return JOINED[condition.kind](*(self.true(one, lanes) for one in condition.joined))
        of_grid = self.block * BLOCK + self.first
        match condition.kind:
            case "argument":
                return lanes if self.world.flags[condition.which] else NONE
            case "data":
                return frozenset(
                    lane for lane in lanes if self.world.data[condition.which][of_grid + lane]
                )
            case "lane":
                return frozenset(lane for lane in lanes if lane < condition.which)
            case "warp":
                return lanes if self.first == 0 else NONE
        return lanes if self.block == 0 else NONE
