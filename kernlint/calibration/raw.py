"""Raw measurements, as the benchmarks print them and as a compressed file keeps them.

Goes in: the benchmarks' lines. Comes out: `Raw`. The file is xz-compressed text: `# key: value`
lines of provenance, the lines of `machine`, and one line `T op width i w` per run, operation,
width, instructions and warps with the cycles at c = 1 and then the differences from one c to the
next.
"""

from __future__ import annotations

import lzma
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from kernlint.base.dataclass import dataclass

Cycles = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TimeGrid:
    """T of one operation and width: `cycles[i, w, c]` over `instructions`, `warps` and c = 1, 2,
    ...; the clock's cost is subtracted."""

    instructions: tuple[int, ...]
    warps: tuple[int, ...]
    cycles: Cycles


@dataclass(frozen=True, slots=True)
class Raw:
    """`runs`: one mapping from (operation, width) to its grid per run of the whole grid. `machine`:
    median, least and most by name."""

    about: Mapping[str, str]
    properties: Mapping[str, float]
    machine: Mapping[str, tuple[float, float, float]]
    clocks: tuple[int, ...]  # cost of two readings, per run
    runs: tuple[Mapping[tuple[str, int], TimeGrid], ...]


def read(path: str | Path) -> Raw:
    """ValueError where the file is not one that `write` made."""
    try:
        text = lzma.decompress(Path(path).read_bytes()).decode("utf-8")
    except lzma.LZMAError as error:
        raise ValueError(f"{path} holds no raw calibration data: {error}") from None
    about, machine, runs = {}, [], []
    for line in text.splitlines():
        if line.startswith("# "):
            key, _, value = line[2:].partition(": ")
            about[key] = value
        elif line.startswith("clock "):
            runs.append([line])
        elif line.startswith("T "):
            words = line.split()
            runs[-1].append(
                " ".join([*words[:5], *map(str, np.cumsum(np.array(words[5:], dtype=np.int64)))])
            )
        else:
            machine.append(line)
    return parse(about, machine, runs)


def write(
    path: str | Path,
    about: Mapping[str, str],
    machine: Iterable[str],
    runs: Iterable[Iterable[str]],
) -> None:
    """The benchmarks' own lines, compressed."""
    parts = [f"# {key}: {value}" for key, value in about.items()] + list(machine)
    for run in runs:
        parts += [_differences(line) for line in run]
    Path(path).write_bytes(
        lzma.compress(("\n".join(parts) + "\n").encode("utf-8"), preset=9 | lzma.PRESET_EXTREME)
    )


def parse(about: Mapping[str, str], machine: Iterable[str], runs: Iterable[Iterable[str]]) -> Raw:
    """The benchmarks' lines as values."""
    properties, measured = {}, {}
    for line in machine:
        words = line.split()
        if words[0] == "property":
            properties[words[1]] = float(words[2])
        elif words[0] != "total":
            measured[words[0]] = (float(words[1]), float(words[2]), float(words[3]))
    parsed = [_run(run) for run in runs]
    return Raw(
        dict(about),
        properties,
        measured,
        tuple(clock for clock, _ in parsed),
        tuple(grids for _, grids in parsed),
    )


def _run(run: Iterable[str]) -> tuple[int, dict[tuple[str, int], TimeGrid]]:
    clock, rows = 0, dict[tuple[str, int], dict[tuple[int, int], list[int]]]()
    for line in run:
        words = line.split()
        if words[0] == "clock":
            clock = int(words[1])
        elif words[0] == "T":
            width, i, w = map(int, words[2:5])
            rows.setdefault((words[1], width), {})[i, w] = [int(word) for word in words[5:]]
    return clock, {
        key: TimeGrid(*_axes(table), cycles=_cube(table) - clock) for key, table in rows.items()
    }


def _axes(table: Mapping[tuple[int, int], object]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return tuple(sorted({i for i, _ in table})), tuple(sorted({w for _, w in table}))


def _cube(table: Mapping[tuple[int, int], list[int]]) -> Cycles:
    instructions, warps = _axes(table)
    return np.array([[table[i, w] for w in warps] for i in instructions], dtype=np.float64)


def _differences(line: str) -> str:
    words = line.split()
    if words[0] != "T":
        return line
    times = [int(word) for word in words[5:]]
    return " ".join([*words[:5], *map(str, _steps(times))])


def _steps(times: list[int]) -> Iterator[int]:
    before = 0
    for time in times:
        yield time - before
        before = time
