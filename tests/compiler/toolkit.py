"""nvcc and nvdisasm: a program to its cubin, a cubin to its listing.

In: a `.cu` file, or a cubin. Out: the cubin's path, the listing's text. A tool that is not there,
or a program that nvcc refuses, ends the run with one line that says so (exit status 2).
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import NoReturn

FLAGS = ["-cubin", "-O3", "-std=c++17", "-arch=sm_90", "-lineinfo", "-w"]
SOURCES = {
    "nvcc": "install a CUDA toolkit (13.0)",
    "nvdisasm": "install a CUDA toolkit, or `pip install nvidia-cuda-nvdisasm` and put its bin folder there",
    "c++filt": "install binutils",
}


def run(tool: str, *words: str, given: str | None = None) -> str:
    """What the tool prints; `given`: its standard input."""
    try:
        done = subprocess.run(
            [tool, *words], input=given, capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        _stop(f"{tool} is not on PATH: {SOURCES[tool]}")
    if done.returncode:
        _stop(
            f"{tool} {' '.join(words)}: exit status {done.returncode}\n{done.stderr or done.stdout}".rstrip()
        )
    return done.stdout


def cubin(program: Path, folder: Path) -> Path:
    made = folder / "program.cubin"
    run("nvcc", *FLAGS, str(program), "-o", str(made))
    return made


def listing(cubin: Path) -> str:
    """The machine code with the source places of its instructions, inlined ones included."""
    return run("nvdisasm", "-c", "-gi", str(cubin))


def _stop(text: str) -> NoReturn:
    print(text, file=sys.stderr)
    raise SystemExit(2)
