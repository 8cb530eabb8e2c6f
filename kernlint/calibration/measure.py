"""Runs the benchmarks on a GPU. Goes in: a compiler, a GPU. Comes out: the benchmarks' lines.
Raises `UsageError`."""

from __future__ import annotations

import csv
import os
import shutil
import statistics
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from kernlint.base.dataclass import dataclass
from kernlint.base.usage import UsageError
from kernlint.calibration import toolkit

SOURCES = Path(__file__).parent / "cuda"
RUNS, REPEATS, MACHINE_REPEATS = 2, 11, 7
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Measurement:
    """`runs`: the lines of each run of shared_time; `machine`: those of machine."""

    runs: tuple[tuple[str, ...], ...]
    machine: tuple[str, ...]


def measure(compiler: str, gpu: toolkit.Gpu, folder: str, progress: Progress) -> Measurement:
    """Build and run everything; a minute or so, most of it the compiler."""
    progress("compiling the benchmarks", 0, 1)
    shared_time, machine = toolkit.compile_all(
        compiler, [SOURCES / "shared_time.cu", SOURCES / "machine.cu"], folder
    )
    runs = tuple(
        _watched([shared_time, str(REPEATS)], gpu, f"T(i, w, c), run {run} of {RUNS}", progress)
        for run in range(1, RUNS + 1)
    )
    lines = _watched(
        [machine, str(MACHINE_REPEATS)], gpu, "latencies, throughputs, overheads", progress
    )
    return Measurement(runs, (*lines, *_profiled(machine, gpu)))


def _watched(
    command: Sequence[str], gpu: toolkit.Gpu, what: str, progress: Progress
) -> tuple[str, ...]:
    """The program's lines; its line `total N` says how many measurements there will be."""
    found: list[str] = []
    total = done = 0
    progress(what, 0, 1)
    for line in toolkit.lines(command, gpu):
        found.append(line.rstrip("\n"))
        if line.startswith("total "):
            total = int(line.split()[1])
        elif not line.startswith(("clock ", "property ")):
            done += 1
        progress(what, done, max(total, 1))
    if not done or done < total:
        raise UsageError(
            f"the benchmark {os.path.basename(command[0])} ended early: {done} of {total} measurements"
        )
    return tuple(found)


def _profiled(machine: str, gpu: toolkit.Gpu) -> list[str]:
    """What Nsight Compute counts for an empty kernel, where it is installed and may read counters;
    else nothing."""
    if shutil.which("ncu") is None:
        return []
    metric = "gpc__cycles_elapsed.max"
    command = ["ncu", "--clock-control", "none", "--csv", "--metrics", metric, machine, "0"]
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": gpu.uuid}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=120, env=environment, errors="replace"
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    rows = [row for row in csv.reader(done.stdout.splitlines()) if metric in row]
    values = sorted(float(row[-1].replace(",", "")) for row in rows)
    if not values:
        return []
    return [
        f"profiled_launch_cycles {statistics.median(values):.9g} {values[0]:.9g} {values[-1]:.9g}"
    ]
