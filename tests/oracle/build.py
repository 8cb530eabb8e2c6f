"""Compile a rewritten program with the oracle's runtime, run it and read what it counted.

Comes in: C++ text (rewrite.py). Goes out: per launch its shape and per code address the counts,
with source lines resolved. Needs g++, addr2line and nm (GNU binutils). The compiled runtime is kept
in the user's cache folder, keyed by its sources.
"""

from __future__ import annotations

import bisect
import hashlib
import os
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import platformdirs

from tests.support.kept import kept

HERE = Path(__file__).resolve().parent
INCLUDE = HERE / "include"
FLAGS = (
    *(
        "-x",
        "c++",
        "-std=c++17",
        "-O0",
        "-g1",
        "-w",
        "-fpermissive",
        "-fwrapv",
        "-fno-strict-aliasing",
        "-fno-pie",
        "-ftls-model=local-exec",
    ),
    *(
        "-fsanitize=thread",
        "--param",
        "tsan-instrument-func-entry-exit=0",
        "-fsanitize-coverage=trace-pc",
    ),
)
GUARD = "(guard)"  # what the compiler keeps beside a shared array of class type
LANGUAGES = {"cuda": "kl_cuda.h", "opencl": "kl_opencl.h"}


class OracleError(Exception):
    """The program does not compile or does not run to its end."""


@dataclass(frozen=True, slots=True)
class Count:
    """What one instruction of the unoptimised program did in one launch."""

    pc: int
    space: str  # shared | global | static
    op: str  # load | store | atomic | swap
    bytes: int
    requests: int
    lanes: int
    sum: int
    low: int
    high: int
    ideal: int
    lines: int
    lines_ideal: int
    lines_low: int
    lines_high: int
    first: int
    combined: int  # of a shared atomic: wavefronts when the lanes on one address go as one


@dataclass(frozen=True, slots=True)
class Raw:
    """One warp-level request: byte addresses from the start of the space, None for lanes that take
    no part."""

    pc: int
    space: str
    op: str
    bytes: int
    block: tuple[int, ...]
    warp: int
    addresses: tuple[int | None, ...]


@dataclass(slots=True)
class Run:
    """One launch."""

    kernel: str
    line: int
    grid: tuple[int, ...]
    block: tuple[int, ...]
    dynamic: int
    counts: list[Count] = field(default_factory=list)
    raw: list[Raw] = field(default_factory=list)


@dataclass(slots=True)
class Output:
    runs: list[Run]
    places: dict[int, tuple[str, int]]  # code address to (file, line)
    symbols: list[tuple[int, int, str]]  # address, size, name in the program's image
    shared_symbols: list[tuple[int, int, str]]  # offset, size, name in shared memory
    allocations: list[tuple[int, int, str]]  # offset, size, name in global memory
    text: str  # what the program printed
    returncode: int


def call(
    command: list[str],
    stdin: str | None = None,
    env: dict[str, str] | None = None,
    timeout: float = 600,
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        input=stdin,
        env=env,
        timeout=timeout,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )


def runtime() -> Path:
    source = (HERE / "runtime.cpp").read_bytes() + (HERE / "runtime.h").read_bytes()
    target = (
        Path(platformdirs.user_cache_dir("kernlint-oracle"))
        / f"runtime-{hashlib.sha256(source).hexdigest()[:16]}.o"
    )
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = target.with_suffix(f".{os.getpid()}")
        done = call(
            [
                "g++",
                "-std=c++17",
                "-O2",
                "-fno-pie",
                "-c",
                str(HERE / "runtime.cpp"),
                "-o",
                str(partial),
            ]
        )
        if done.returncode:
            raise OracleError(done.stderr[:4000])
        partial.replace(target)
    return target


def resolve(program: Path, addresses: Iterable[int]) -> dict[int, tuple[str, int]]:
    """Innermost frame outside the oracle's own headers, for each return address."""
    wanted = sorted(set(addresses))
    done = call(
        ["addr2line", "-a", "-i", "-e", str(program)],
        stdin="".join(f"{a - 1:#x}\n" for a in wanted),
    )
    places: dict[int, tuple[str, int]] = {}
    current = 0
    for text in done.stdout.splitlines():
        if text.startswith("0x"):
            current = int(text, 16) + 1
            continue
        path, _, line = text.split(" (")[0].rpartition(":")
        if current not in places and not path.startswith(str(INCLUDE)) and line.isdigit():
            places[current] = (path, int(line))
    return places


def symbols(program: Path) -> tuple[list[tuple[int, int, str]], list[tuple[int, int, str]]]:
    """Objects of the image and those of shared memory (thread-local storage), each sorted by
    address."""
    image, shared = [], []
    for text in call(["nm", "-SC", "--defined-only", str(program)]).stdout.splitlines():
        parts = text.split(None, 3)
        if len(parts) < 4:
            continue
        name = GUARD if parts[3].startswith("guard variable") else parts[3].split("::")[-1]
        entry = (int(parts[0], 16), int(parts[1], 16), name)
        if int(parts[0], 16) < 0x400000:
            shared.append(entry)
        elif parts[2] in "bBdDrRvVuU":
            image.append(entry)
    return sorted(image), sorted(shared)


def object_at(table: list[tuple[int, int, str]], address: int) -> tuple[str, int]:
    """Name of the object that holds the address, and the offset in it; ("", address) when none
    does."""
    i = bisect.bisect(table, (address, 1 << 62, "")) - 1
    if i >= 0 and table[i][0] <= address < table[i][0] + max(table[i][1], 1):
        return table[i][2], address - table[i][0]
    return "", address


def parse(lines: Iterable[str]) -> tuple[list[Run], list[tuple[int, int, str]]]:
    runs: list[Run] = []
    raw: list[Raw] = []
    allocations: dict[int, tuple[int, str]] = {}
    for text in lines:
        kind, *rest = text.split()
        if kind == "C":
            numbers = [int(v) for v in rest[3:]]
            runs[-1].counts.append(Count(int(rest[0]), rest[1], rest[2], *numbers))
        elif kind == "R":
            lanes = tuple(None if v == "-" else int(v) for v in rest[6:])
            raw.append(
                Raw(
                    int(rest[0]),
                    rest[1],
                    rest[2],
                    int(rest[3]),
                    tuple(map(int, rest[4].split(","))),
                    int(rest[5]),
                    lanes,
                )
            )
        elif kind == "E":
            grid, block = (tuple(map(int, v.split(","))) for v in rest[1:3])
            runs.append(
                Run(
                    text.split(None, 5)[5].rstrip("\n"),
                    int(rest[0]),
                    grid,
                    block,
                    int(rest[3]),
                    [],
                    raw,
                )
            )
            raw = []
        elif kind == "A":
            allocations[int(rest[0])] = (int(rest[1]), "")
        elif kind == "N":
            allocations[int(rest[0])] = (allocations[int(rest[0])][0], rest[1])
    return runs, [(at, size, name) for at, (size, name) in sorted(allocations.items())]


def execute(
    text: str,
    language: str = "cuda",
    raw: bool = False,
    perturb: bool = False,
    options: tuple[str, ...] = (),
    timeout: float = 600,
) -> Output:
    """Compile, link and run; OracleError when it does not compile, crashes, or runs too long."""
    return kept(
        ("oracle", text, language, raw, perturb, options),
        lambda: _executed(text, language, raw, perturb, options, timeout),
    )


def _executed(
    text: str, language: str, raw: bool, perturb: bool, options: tuple[str, ...], timeout: float
) -> Output:
    with tempfile.TemporaryDirectory(prefix="oracle-") as folder:
        source, unit, program, out = (
            Path(folder) / n for n in ("program.cpp", "program.o", "program", "out.txt")
        )
        source.write_text(text)
        done = call(
            [
                "g++",
                *FLAGS,
                *options,
                "-I",
                str(INCLUDE),
                "-include",
                LANGUAGES[language],
                "-c",
                str(source),
                "-o",
                str(unit),
            ]
        )
        if done.returncode:
            raise OracleError(done.stderr[:4000])
        done = call(["g++", "-no-pie", str(unit), str(runtime()), "-o", str(program)])
        if done.returncode:
            raise OracleError(done.stderr[:4000])
        wishes = {"KL_ORACLE_RAW": raw, "KL_ORACLE_PERTURB": perturb}
        env = {**os.environ, "KL_ORACLE_OUT": str(out)} | {
            name: "1" for name, wish in wishes.items() if wish
        }
        try:
            ran = call([str(program)], env=env, timeout=timeout)
        except subprocess.TimeoutExpired:
            raise OracleError(f"still running after {timeout} s") from None
        if ran.returncode < 0 or ran.returncode == 86 or not out.exists():
            raise OracleError(f"exit {ran.returncode}: {ran.stdout[-500:]} {ran.stderr[-500:]}")
        with out.open() as lines:
            runs, allocations = parse(lines)
        places = resolve(program, (c.pc for run in runs for c in run.counts))
        image, shared = symbols(program)
    return Output(runs, places, image, shared, allocations, ran.stdout, ran.returncode)
