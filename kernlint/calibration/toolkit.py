"""The user's CUDA toolkit and GPU: where nvcc is, what the GPU is and whether it is free.

Goes in: the environment. Comes out: a compiler's path, a `Gpu`, a process's output line by line.
Raises `UsageError` with the remedy.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from kernlint.base import cuda_toolkit
from kernlint.base.dataclass import dataclass
from kernlint.base.usage import UsageError

QUERY = "index,uuid,name,driver_version,utilization.gpu,clocks.mem"
BUSY = 10  # per cent: a desktop's picture costs less, anybody's kernels more
TIMEOUT = 600  # seconds, for one compilation or benchmark


@dataclass(frozen=True, slots=True)
class Gpu:
    """One line of nvidia-smi. `memory_mhz` is None where it does not say."""

    index: str
    uuid: str
    name: str
    driver: str
    memory_mhz: float | None


def nvcc() -> str:
    """The path of nvcc."""
    found = cuda_toolkit.program("nvcc")
    if found:
        return found
    raise UsageError(
        "calibrate compiles its benchmarks with nvcc, which was not found: install the CUDA toolkit, or set CUDA_HOME or PATH"
    )


def gpu(index: str) -> Gpu:
    """The GPU with that index, free to be measured. Waits a little for one that has just finished
    something else."""
    for patience in (2.0, 2.0, 0.0):
        row = _row(index)
        load = _number(row[4])
        users = _users(row[1])
        if not users and (load is None or load <= BUSY):
            return Gpu(row[0], row[1], row[2], row[3], _number(row[5]))
        time.sleep(patience)
    what = f"{load:g} % busy" if load is not None and load > BUSY else "in use"
    by = f" by {', '.join(users)}" if users else ""
    raise UsageError(
        f"GPU {index} ({row[2]}) is {what}{by}: measurements would be wrong; wait until it is free, or choose another with --gpu"
    )


def compile_all(compiler: str, sources: Sequence[Path], folder: str) -> list[str]:
    """Build every source for the GPU of this machine, side by side; paths of the programs."""
    programs = [os.path.join(folder, source.stem) for source in sources]
    started = [
        subprocess.Popen(
            [compiler, "-O3", "-std=c++17", "-arch=native", "-o", program, str(source)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        for source, program in zip(sources, programs, strict=True)
    ]
    for source, process in zip(sources, started, strict=True):
        try:
            output, _ = process.communicate(timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            process.kill()
            raise UsageError(
                f"{compiler} did not finish {source.name} within {TIMEOUT} seconds"
            ) from None
        if process.returncode:
            lines = [line for line in output.splitlines() if line.strip()]
            raise UsageError(
                f"{compiler} could not build {source.name}: {' / '.join(lines[-3:]) or f'exit code {process.returncode}'}"
            )
    return programs


def lines(command: Sequence[str], which: Gpu) -> Iterator[str]:
    """The output of a program that runs on `which`, as it comes; its error becomes a UsageError."""
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": which.uuid}
    with _running(command, environment) as process:
        assert process.stdout is not None and process.stderr is not None
        yield from process.stdout
        error = "".join(process.stderr.read().strip().splitlines()[-1:])
        if process.wait(TIMEOUT):
            raise UsageError(
                f"the benchmark {os.path.basename(command[0])} failed on GPU {which.index}: {error or 'no message'}"
            )


def version(compiler: str) -> str:
    """`release 13.0, V13.0.88` out of what nvcc says of itself."""
    said = _output([compiler, "--version"], lambda error: f"{compiler} cannot be run: {error}")
    return next(
        (line.split(", ", 1)[1] for line in said.splitlines() if ", release " in line),
        said.strip().splitlines()[-1],
    )


@contextmanager
def _running(
    command: Sequence[str], environment: dict[str, str]
) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            yield process
        except BaseException:
            process.kill()
            raise


def _row(index: str) -> list[str]:
    said = _output(["nvidia-smi", f"--query-gpu={QUERY}", "--format=csv,noheader,nounits"], _no_gpu)
    rows = [
        [field.strip() for field in line.split(",")]
        for line in said.splitlines()
        if line.count(",") == QUERY.count(",")
    ]
    if not rows:
        raise UsageError(_no_gpu(said.strip() or "it lists none"))
    for row in rows:
        if row[0] == index:
            return row
    raise UsageError(
        f"--gpu {index}: no such GPU; there is {', '.join(f'{row[0]} ({row[2]})' for row in rows)}"
    )


def _users(uuid: str) -> list[str]:
    """Processes that compute on the GPU: `python (pid 12)`."""
    said = _output(
        ["nvidia-smi", "--query-compute-apps=gpu_uuid,pid,process_name", "--format=csv,noheader"],
        _no_gpu,
    )
    rows = [
        [field.strip() for field in line.split(",", 2)]
        for line in said.splitlines()
        if line.count(",") >= 2
    ]
    return [f"{os.path.basename(name)} (pid {pid})" for owner, pid, name in rows if owner == uuid]


def _no_gpu(error: str) -> str:
    return f"calibrate measures an NVIDIA GPU and found none: {error}"


def _output(command: Sequence[str], explain: Callable[[str], str]) -> str:
    if shutil.which(command[0]) is None:
        raise UsageError(explain(f"{command[0]} was not found; is the driver installed?"))
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, errors="replace")
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(explain(getattr(error, "strerror", None) or str(error))) from None
    if done.returncode:
        text = (
            done.stderr.strip() or done.stdout.strip() or f"exit code {done.returncode}"
        ).splitlines()[0]
        raise UsageError(explain(text))
    return done.stdout


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
