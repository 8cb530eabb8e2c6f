"""Random kernels of unknown sizes: strides, pitches and offsets that are arguments, guards, loops of
every form that has a law, joined paths, rows, and some that have none.

Run as a module, `python -m tests.laws.random_kernels FIRST LAST [POINTS] [any]`, it holds the laws of the
seeds from FIRST to before LAST against launches counted at so many points (50) and prints what differs; with
`any` as laws for every block.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from kernlint.base.span import SourceError
from kernlint.hardware import device
from kernlint.laws.branch_law import branch_laws
from kernlint.laws.check import Contradiction, check
from kernlint.laws.law import laws
from kernlint.model.facts import Launch
from tests.support.lowered import program

H100 = device("h100")
BLOCKS = ((128, 1, 1), (256, 1, 1), (64, 1, 1), (32, 8, 1), (16, 16, 1), (32, 4, 1), (8, 8, 2), (48, 1, 1), (8, 16, 1))  # fmt: skip
ARGUMENTS = ("n", "m", "p", "q")
POINTS = 50
TYPES = ("float", "double", "char", "short", "int", "float2", "float4")


@dataclass(frozen=True)
class Held:
    text: str
    block: tuple[int, int, int]
    accesses: int
    lawful: int
    compared: int
    differences: tuple[Contradiction, ...]


class Generator:
    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.block = self.dice.choice(BLOCKS)
        self.lines: list[str] = []
        self.names = 0
        self.accesses = 0

    def pick(self, *choices: str) -> str:
        return self.dice.choice(choices)

    def name(self, stem: str) -> str:
        self.names += 1
        return f"{stem}{self.names}"

    def kernel(self) -> str:
        kinds = [self.dice.choice(TYPES) for _ in range(3)]
        types = {name: self.pick("int", "int", "unsigned", "size_t") for name in ARGUMENTS}
        parameters = ", ".join([f"{kinds[0]} *a", f"{kinds[1]} *b"]
                               + [f"{kind} {name}" for name, kind in types.items()])  # fmt: skip
        self.kinds = dict(zip("abs", kinds, strict=True))
        self.body(self.dice.randint(1, 4), [], 0)
        while not self.accesses:
            self.access([])
        text = "\n  ".join(self.lines)
        return (
            f"__global__ void k({parameters}) {{\n"
            f"  extern __shared__ {kinds[2]} s[];\n"
            "  int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "  int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
            f"  int t = threadIdx.x;\n  int v = {self.uniform()};\n  {text}\n}}\n"
        )

    def uniform(self) -> str:
        a, b = self.pick(*ARGUMENTS), self.pick(*ARGUMENTS)
        return self.pick(
            a, f"{a} + 1", f"{a} * {b}", f"2 * {a}", f"{a} / 4", f"{a} % 8", "3", "8", f"{a} * 4",
            f"{a} >> 1", f"({a} > 3 ? 2 : 4)", f"min({a}, 40)", f"{a} & 7",
        )  # fmt: skip

    def index(self, counters: list[str]) -> str:
        stride, offset = self.uniform(), self.uniform()
        lane = self.pick("t", "x", "threadIdx.y", "t % 32", "t / 32", "t % 8", "y", "(31 - t % 32)")
        other = self.pick("0", "threadIdx.y", "t / 4", "y", *counters, offset, "blockIdx.x", "v")
        forms = [
            f"{lane} * ({stride}) + {other}", f"{lane} + {other} * ({stride})",
            f"{lane} + {offset}", f"y * ({self.pick(*ARGUMENTS)}) + x", f"{lane} + {other}",
            f"x * ({self.pick(*ARGUMENTS)}) + y", f"2 * {lane} + {other}", f"{lane} * v + {other}",
            self.taken_apart(self.pick("x", "y", "t", "blockIdx.x")),
        ]  # fmt: skip
        return self.dice.choice(forms)

    def taken_apart(self, value: str) -> str:
        """As a row and a column of a table as wide as an argument says."""
        width = self.pick(*ARGUMENTS)
        return f"{value} / {width} * {self.pick(width, '64')} + {value} % {width}"

    def access(self, counters: list[str]) -> None:
        self.accesses += 1
        array = self.pick("a", "b", "s")
        element = f"{array}[{self.index(counters)}]"
        zero = {"float2": "make_float2(0, 0)", "float4": "make_float4(0, 0, 0, 0)"}
        self.lines.append(f"{element} = {zero.get(self.kinds[array], '0')};")

    def condition(self, counters: list[str]) -> str:
        a, b = self.pick(*ARGUMENTS), self.pick(*ARGUMENTS)
        return self.pick(
            f"x < {a}", f"x < {a} && y < {b}", f"y < {a}", f"t < {a}", f"{a} > 3", f"{a} == 7",
            f"{a} % 2 == 0", f"{a} > 0 && {b} > 2", f"{a} < 2 || {b} < 9", "t < 40", "t == 0",
            f"4 * x + 3 < {a}", "blockIdx.x == 0", "blockIdx.x % 2", f"blockIdx.x < {a}",
            f"x < {a} && x < {b}", "t < 16", f"t == 0 && y < {a}", f"x >= 1 && x < {self.dice.randint(2, 400)}",
            f"t > {self.dice.randint(0, 40)} && t < {self.dice.randint(1, 64)}", f"x > 0 && x < {a} - 1",
            f"x >= {a}", "x > 0",
            *(f"{c} % 2 == 0" for c in counters), *(f"{c} > 1" for c in counters),
        )  # fmt: skip

    def loop(self, counters: list[str]) -> str:
        i, a = self.name("i"), self.pick(*ARGUMENTS, *counters)
        heads = [
            f"for (int {i} = 0; {i} < {a}; {i}++)", f"for (int {i} = 0; {i} < 5; {i}++)",
            f"for (int {i} = {a}; {i} > 0; {i}--)", f"for (int {i} = 0; {i} <= {a}; {i} += 3)",
            f"for (int {i} = 1; {i} < {a}; {i} *= 2)", f"for (int {i} = {a}; {i} > 0; {i} /= 2)",
            f"for (int {i} = t; {i} < {a}; {i} += blockDim.x)", f"for (int {i} = t; {i} < {a}; {i}++)",
            f"for (int {i} = x; {i} < {a}; {i} += gridDim.x * blockDim.x)",
            f"for (int {i} = {a}; {i} < {self.pick(*ARGUMENTS)}; {i}++)",
            f"for (int {i} = blockIdx.x; {i} < {a}; {i}++)",
        ]  # fmt: skip
        return self.dice.choice(heads)

    def body(self, statements: int, counters: list[str], depth: int) -> None:
        for _ in range(statements):
            kind = self.dice.random()
            if depth >= 3 or kind < 0.45:
                self.access(counters)
            elif kind < 0.65:
                self.lines.append(f"if ({self.condition(counters)}) {{")
                self.body(self.dice.randint(1, 2), counters, depth + 1)
                self.lines.append(self.pick("}", "} else {"))
                if self.lines[-1] != "}":
                    self.body(1, counters, depth + 1)
                    self.lines.append("}")
            elif kind < 0.85:
                head = self.loop(counters)
                self.lines.append(head + " {")
                inner = [*counters, head.split()[2]]
                if self.dice.random() < 0.15:
                    self.lines.append(f"if ({self.condition(inner)}) break;")
                self.body(self.dice.randint(1, 2), inner, depth + 1)
                if self.dice.random() < 0.1:
                    self.lines.append(f"if ({self.condition(inner)}) break;")
                    self.access(inner)
                self.lines.append("}")
            elif kind < 0.9:
                self.lines.append(f"if ({self.condition([])}) return;" if depth == 0 else "v += 2;")
            else:
                self.lines.append(f"if ({self.condition([])}) v = {self.uniform()};")


def held(seed: int, points: int, any_block: bool = False) -> Held:
    """`any_block`: without second dimensions, as laws for every block of whole warps."""
    made = Generator(seed)
    text = made.kernel()
    if any_block:
        made.block = (256, 1, 1)
        text = text.replace("blockIdx.y * blockDim.y + threadIdx.y", "blockIdx.y")
        text = text.replace("threadIdx.y", "(t & 3)")
    parsed = program(text)
    kernel = parsed.instantiate(parsed.kernels()[0], None)
    launch = Launch(None, made.block, None)
    found, walk = laws(kernel, launch, H100, any_block)
    forks = branch_laws(walk, launch.block, any_block)
    result = check(kernel, launch, H100, found, points, seed, branches=forks)
    lawful = sum(law.total is not None for law in found.values())
    compared = sum(result.compared.values())
    return Held(text, made.block, len(found), lawful, compared, result.differences)


def failing(first: int, last: int, points: int, any_block: bool) -> Iterator[tuple[int, str]]:
    """Seeds with a difference or a fault, and a line now and then of how far it is."""
    accesses = lawful = compared = 0
    for seed in range(first, last):
        try:
            one = held(seed, points, any_block)
        except SourceError:
            raise
        except Exception as error:  # every fault of a seed is told, and the next one tried
            yield seed, f"{type(error).__name__}: {error}\n{Generator(seed).kernel()}"
            continue
        accesses, lawful = accesses + one.accesses, lawful + one.lawful
        compared += one.compared
        if one.differences:
            yield seed, f"{one.block}\n{one.text}\n{one.differences[:3]}"
        if seed % 20 == 19:
            print(seed, accesses, lawful, compared, flush=True)
    print("done", first, last, accesses, lawful, compared, flush=True)


if __name__ == "__main__":
    first, last, points = (*map(int, filter(str.isdigit, sys.argv[1:])), POINTS)[:3]
    for seed, why in failing(first, last, points, "any" in sys.argv):
        print("SEED", seed, why, flush=True)
