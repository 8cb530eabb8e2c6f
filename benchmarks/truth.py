"""How long `kernlint report` takes over the measured programs: `python benchmarks/truth.py
[FOLDER]`.

One new process over all files, median of three, then each file alone. Limit, on an idle machine: 20
s on two cores.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

RUNS = 3
KERNELS = Path(__file__).parent.parent / "tests/data/truth/kernels"


def report(paths: Sequence[Path]) -> tuple[float, float]:
    """Seconds of wall-clock and of processor time of a new process."""
    command = [
        sys.executable,
        "-m",
        "kernlint",
        "report",
        "--output-format",
        "json",
        *map(str, paths),
    ]
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, capture_output=True, check=False)
    taken, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return taken, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else KERNELS
    paths = sorted(folder.glob("*.cu"))
    if not paths:
        print(f"skipped: no kernels in {folder}")
        return
    wall, processor = zip(*(report(paths) for _ in range(RUNS)), strict=True)
    print(
        f"{len(paths)} files: median {statistics.median(wall):.2f} s, processor {statistics.median(processor):.2f} s"
    )
    for path in paths:
        wall_one, processor_one = report([path])
        print(f"  {path.name:<24} {wall_one:6.2f} s   processor {processor_one:6.2f} s")


if __name__ == "__main__":
    main()
