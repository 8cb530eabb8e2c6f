"""Compile the families of kernels and styles, and write what nvcc made of each.

usage: python -m tests.compiler.claimed FOLDER [SEED COUNT]

FOLDER receives a file for each family: its source, and per kernel the machine's memory instructions
with the lines that profilers charge them to. With a seed and a count, programs of so many kernels
in the styles of `styles.py` are written instead, for `claims.py` to hold. Needs nvcc (CUDA 13.0),
nvdisasm and c++filt on PATH; no GPU.
"""

from __future__ import annotations

import json
import lzma
import sys
import tempfile
from dataclasses import astuple
from pathlib import Path

from tests.compiler import claims, sass
from tests.compiler.families import FAMILIES
from tests.compiler.styles import styled

RECORDED = {f"styles{seed}": styled(seed, 60) for seed in range(6)}


def write(name: str, source: str, folder: Path) -> None:
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / f"{name}.cu"
        path.write_text(source, encoding="utf-8")
        found = claims.compiled(str(path))
        machine = {
            kernel.name: [astuple(m) for m in found[mangled]]
            for mangled, kernel in claims.matched(str(path), list(found))
        }
    with lzma.open(folder / f"{name}.json.xz", "wt", encoding="utf-8") as file:
        json.dump({"source": source, "machine": machine}, file)


def read(path: Path) -> tuple[str, dict[str, list[sass.Machine]]]:
    """The source of a family, and the memory instructions of each kernel."""
    with lzma.open(path, "rt", encoding="utf-8") as file:
        recorded = json.load(file)
    return recorded["source"], {
        name: list(map(_machine, rows)) for name, rows in recorded["machine"].items()
    }


def _machine(row: tuple[int, str, bool, list[int], str, int]) -> sass.Machine:
    line, operation, predicated, loops, opcode, address = row
    return sass.Machine(line, operation, predicated, tuple(loops), opcode, address)


def main(arguments: list[str]) -> None:
    if len(arguments) not in (1, 3):
        raise SystemExit(__doc__)
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    if len(arguments) == 3:
        (folder / f"styles{arguments[1]}.cu").write_text(
            styled(int(arguments[1]), int(arguments[2])), encoding="utf-8"
        )
        return
    for name, source in {**FAMILIES, **RECORDED}.items():
        write(name, source, folder)


if __name__ == "__main__":
    main(sys.argv[1:])
