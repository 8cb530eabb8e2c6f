"""The generated cases as programs that run, so that a GPU can count what became of each line.

usage: python tests/compiler/programs.py FOLDER [EVERY]

In: the cases of tests/data/compiler. Out: programs of some forty kernels each, every EVERY-th case
(4), launched from `main` with two blocks of 64 threads, n = 2, m = 1 and pointers into the middle
of large allocations. tests/measured/measure.py counts them.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

DATA = Path(__file__).parent.parent / "data" / "compiler"
KERNELS = 40  # of one program
MIDDLE = 1 << 23  # bytes
HEAD = """\
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
"""
VALUES = {"n": "2", "m": "1", "k": "1"}


def cases(every: int) -> list[tuple[str, str]]:
    found = []
    for file in sorted(DATA.glob("*.jsonl")):
        rows = [json.loads(row) for row in file.read_text(encoding="utf-8").splitlines()]
        found += [(row["name"], row["source"]) for row in rows[::every]]
    return found


def parameters(source: str) -> list[str] | None:
    """The declarations of the kernel's parameters; None for a template, which no plain launch
    names."""
    head = re.search(r"__global__ void (?:__launch_bounds__\([^)]*\) )?k\(([^)]*)\)", source)
    return (
        None
        if head is None or "template" in source[: head.start()]
        else [part.strip() for part in head[1].split(",")]
    )


def argument(declaration: str, name: str, position: int) -> str:
    """A value for one parameter: a pointer into a buffer of its own, or a small integer."""
    own = re.sub(r"\b(__restrict__|restrict)\b", "", declaration)
    if "*" in own:
        type_ = own[: own.rindex("*")].replace("const", "").strip()
        words = r"(unsigned|signed|volatile|char|short|int|long|float|double|bool)\b ?"
        plain = re.fullmatch(rf"({words}|u?(char|short|int|long)\d|(float|double)\d)+", type_)
        return f"({type_ if plain else f'{name}::{type_}'} *)(buffer[{position}] + {MIDDLE})"
    return VALUES.get(own.split()[-1], "1")


def program(some: list[tuple[str, str]]) -> str:
    text, calls, most = HEAD, "", 1
    for name, source in some:
        declarations = parameters(source)
        if declarations is None:
            continue
        most = max(most, len(declarations))
        given = ", ".join(
            argument(declaration, name, number) for number, declaration in enumerate(declarations)
        )
        text += f"namespace {name} {{\n{source}}}\n"
        calls += f"    {name}::k<<<2, 64, 8192>>>({given});\n"
    return (
        f"{text}int main()\n{{\n    char *buffer[{most}];\n    for (int i = 0; i < {most}; ++i) {{\n"
        f"        cudaMalloc(&buffer[i], {2 * MIDDLE});\n        cudaMemset(buffer[i], 0, {2 * MIDDLE});\n    }}\n{calls}"
        '    cudaDeviceSynchronize();\n    printf("%s\\n", cudaGetErrorString(cudaGetLastError()));\n    return 0;\n}\n'
    )


def programs(every: int) -> Iterator[tuple[str, str]]:
    chosen = cases(every)
    for number, first in enumerate(range(0, len(chosen), KERNELS)):
        yield f"cases{number:02}.cu", program(chosen[first : first + KERNELS])


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in programs(int(sys.argv[2]) if len(sys.argv) > 2 else 4):
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
