"""The launches that a program really makes: its host code compiled with a stub of the CUDA runtime.

In: a CUDA program whose kernels have no need to run. Out: each distinct launch that it makes, with
the integer arguments. Kernels become functions that log their launch, `k<<<…>>>(…)` a call of them.
Needs g++.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.oracle.rewrite import blank, closing, split

STUB = Path(__file__).resolve().parent / "stub"
PAIRS = {")": "(", "]": "[", ">": "<"}
RUN = re.compile(r"^// run:(.*)$", re.M)  # arguments of one run of the program


@dataclass(frozen=True, slots=True)
class Logged:
    """`arguments`: the integers among them, by the names of the kernel's parameters."""

    kernel: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    dynamic: int
    arguments: tuple[tuple[str, int], ...]


def launches(program: Path, folder: Path) -> list[Logged]:
    """What the runs that the program's head names make, in order; without any, one without
    arguments."""
    text = program.read_text(encoding="utf-8")
    source, binary, log = folder / f"{program.stem}.cpp", folder / program.stem, folder / "log"
    source.write_text(rewritten(text), encoding="utf-8")
    command = ["g++", "-std=c++17", "-O0", "-w", "-fpermissive", "-I", str(STUB)]
    subprocess.run(
        [*command, "-include", "cuda_runtime.h", "-o", str(binary), str(source)], check=True
    )
    found: dict[Logged, None] = {}
    for arguments in RUN.findall(text) or [""]:
        log.write_text("")
        subprocess.run(
            [str(binary), *shlex.split(arguments)],
            env={**os.environ, "LAUNCH_LOG": str(log)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=60,
            check=False,  # some end with exit(1)
        )
        for line in log.read_text().splitlines():
            one = json.loads(line)
            sizes = (tuple(one["grid"]), tuple(one["block"]), one["dynamic"])
            found[Logged(one["kernel"], *sizes, tuple(sorted(one["arguments"].items())))] = None
    return list(found)


def rewritten(text: str) -> str:
    """The program as C++ that logs."""
    return _launches(_kernels(text))


def _kernels(text: str) -> str:
    """Bodies of kernels that log their launch instead."""
    masked, made, end = blank(text), [], 0
    for found in re.finditer(r"__global__[^;{}]*?\b(\w+)\s*\(", masked):
        opening = found.end() - 1
        close = closing(masked, opening)
        brace = re.match(r"\s*\{", masked[close + 1 :])
        if brace is None:
            continue
        body = close + brace.end()
        names = [
            re.findall(r"\w+", parameter)[-1]
            for parameter in split(
                masked[opening + 1 : close], masked[opening + 1 : close].replace(">", " "), ","
            )
            if parameter.strip()
        ]
        logged = "".join(f' launch_log::argument("{name}", {name});' for name in names)
        made.append(text[end : body + 1] + logged + f' launch_log::launched("{found[1]}"); ')
        end = closing(masked, body)
    return "".join([*made, text[end:]])


def _launches(text: str) -> str:
    while (at := blank(text).find("<<<")) >= 0:
        masked = blank(text)
        start = _callee(masked, at)
        close = masked.index(">>>", at)
        opening = masked.index("(", close)
        end = closing(masked, opening)
        shape = f"launch_log::shape({text[at + 3 : close]})"
        call = f"({shape}, {text[start:at]}{text[opening : end + 1]})"
        text = text[:start] + call + text[end + 1 :]
    return text


def _callee(masked: str, end: int) -> int:
    """Where the expression that ends before `<<<` begins."""
    at = end
    while at > 0:
        before = masked[at - 1]
        if before in PAIRS and not masked.endswith("->", 0, at):
            depth, at = 1, at - 1
            while depth:
                at -= 1
                depth += (masked[at] == before) - (masked[at] == PAIRS[before])
        elif re.match(r"[\w.:]", before):
            at -= 1
        elif masked.endswith("->", 0, at):
            at -= 2
        elif before == " " and at == end:
            at = end = at - 1
        else:
            break
    return at
