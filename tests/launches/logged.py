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
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.oracle.rewrite import blank, closing, split
from tests.support.kept import kept

STUB = Path(__file__).resolve().parent / "stub"
PAIRS = {")": "(", "]": "[", ">": "<"}
RUN = re.compile(r"^// run:(.*)$", re.M)  # arguments of one run of the program
SUFFIXES = {".cu", ".cuh", ".h", ".hpp", ".cpp", ".inl", ".hip"}
FUNCTION = r"{specifier}(?:[^;{{}}()]|\((?:[^;{{}}()]|\([^()]*\))*\)(?=\s+\w))*?\b(\w+)\s*\("
KERNEL = re.compile(FUNCTION.format(specifier=r"\b__global__\b"))
DEVICE = re.compile(FUNCTION.format(specifier=r"\b__device__\b"))
UNTYPED = re.compile(
    r"(\bcudaLaunch\w*Kernel(?:ExC)?\s*\((?:\s*&?\w+\s*,)?\s*)\(\s*(?:const\s+)?void\s*\*\s*\)"
)


@dataclass(frozen=True, slots=True)
class Logged:
    """`arguments`: the integers among them, by the names of the kernel's parameters."""

    kernel: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    dynamic: int
    arguments: tuple[tuple[str, int], ...]


def launches(
    program: Path, folder: Path, flags: tuple[str, ...] = (), runs: tuple[str, ...] = ()
) -> list[Logged]:
    """What the runs make, in order: those that are given, or that the program's head names, or one
    without arguments. `flags`: for the compiler."""
    runs = runs or tuple(RUN.findall(program.read_text(encoding="utf-8"))) or ("",)
    sources = folder / f"{program.stem}.sources"
    source = _rewritten_beside(program, sources)
    paths = sorted(path for path in sources.rglob("*") if path.is_file())
    texts = [(str(path.relative_to(sources)), path.read_bytes()) for path in paths]
    return kept(("launches", texts, flags, runs), lambda: _logged(source, folder, flags, runs))


def _logged(
    source: Path, folder: Path, flags: tuple[str, ...], runs: tuple[str, ...]
) -> list[Logged]:
    binary, log = folder / source.stem, folder / "log"
    command = ["g++", "-std=c++17", "-O0", "-w", "-fpermissive", "-I", str(STUB), *flags]
    prefix = _prefix(folder / "prefix.h", command)
    subprocess.run(
        [*command, "-include", str(prefix), "-x", "c++", "-o", str(binary), str(source)],
        check=True,
    )
    found: dict[Logged, None] = {}
    for arguments in runs:
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


def _prefix(header: Path, command: list[str]) -> Path:
    """What all programs begin with, compiled once: most of a program's time goes into it. g++ takes
    the compiled one where the flags are the same."""
    if not header.exists():
        header.write_text("#include <iostream>\n#include <vector>\n#include <cuda_runtime.h>\n")
        made = header.with_suffix(".h.gch")
        subprocess.run([*command, "-x", "c++-header", "-o", str(made), str(header)], check=True)
    return header


def _rewritten_beside(program: Path, folder: Path) -> Path:
    """The program as C++ that logs, with the sources that its own includes name."""
    folder.mkdir()
    pending, seen = [program], {program}
    while pending:
        path = pending.pop()
        text = path.read_text(encoding="utf-8", errors="replace")
        target = folder / os.path.relpath(path, program.parent).replace("..", "up")
        target.parent.mkdir(parents=True, exist_ok=True)
        for name in re.findall(r'^\s*#\s*include\s*"([^"]+)"', text, re.M):
            other = path.parent / name
            if other.is_file() and other not in seen:
                seen.add(other)
                pending.append(other)
        target.write_text(rewritten(text).replace('"../', '"up/'), encoding="utf-8")
    return folder / program.name


def rewritten(text: str) -> str:
    """The program as C++ that logs."""
    text = re.sub(
        r"__(?:launch_bounds|cluster_dims|block_size)__\s*\([^()]*(?:\([^()]*\)[^()]*)*\)", "", text
    )
    return _launches(UNTYPED.sub(r"\1", _device_functions(_kernels(text))))


def _kernels(text: str) -> str:
    """Bodies of kernels that log their launch instead."""

    def body(name: str, parameters: str) -> str:
        names = [
            re.findall(r"\w+", parameter.partition("=")[0].partition("[")[0])[-1]
            for parameter in split(parameters, re.sub(r"<[^<>]*>", _spaces, parameters), ",")
            if parameter.strip() and parameter.strip() != "void"
        ]
        logged = "".join(f' launch_log::argument("{one}", {one});' for one in names)
        return f'{logged} launch_log::launched("{name}"); '

    return _with_bodies(text, KERNEL, body)


def _device_functions(text: str) -> str:
    """Functions of the device do nothing: they may use what only a device has."""
    return _with_bodies(text, DEVICE, lambda name, parameters: " abort(); ")


def _spaces(found: re.Match[str]) -> str:
    return " " * len(found.group())


def _with_bodies(text: str, function: re.Pattern[str], body: Callable[[str, str], str]) -> str:
    """The text with other bodies; `body`: one for a function's name and parameters."""
    masked, made, end = blank(text), [], 0
    for found in function.finditer(masked):
        specifiers = masked[max(masked.rfind(c, 0, found.start()) for c in ";}") + 1 : found.end()]
        opening = found.end() - 1
        if opening < end or re.search(r"\b(__host__|constexpr|operator)\b", specifiers):
            continue
        close = closing(masked, opening)
        brace = re.match(r"\s*(?:const\s*)?\{", masked[close + 1 :])
        if brace is None:
            continue
        start = close + brace.end()
        made.append(text[end : start + 1] + body(found[1], masked[opening + 1 : close]))
        end = closing(masked, start)
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
        elif before.isspace() and at == end:
            at = end = at - 1
        else:
            break
    return at
