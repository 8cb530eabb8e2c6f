"""How long the commands take from a cold start: medians of several runs of a new process each,
wall-clock and processor time.

    python benchmarks/startup.py [FILE…]      the files are checked, each alone and cold; without files: several of about 200 lines

Compiled modules are kept and warm, as they are after an installation's first run, and no result of
an earlier run is used.

Limits, on an idle machine: `--version` and `explain` 0.15 s, a file of 200 lines 1.0 s.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

RUNS = 7
ENVIRONMENT = {
    name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
}
KERNELS = Path(__file__).parent.parent / "tests/data/truth/kernels"
TYPICAL = (
    "stencils",
    "scan",
    "particles",
    "transpose",
    "access_widths",
)  # 180 to 234 lines, kernels and host code


def once(words: Sequence[str]) -> tuple[float, float]:
    """Seconds of wall-clock and of processor time (user and system) of one new process."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "kernlint", *words],
        capture_output=True,
        check=False,
        env=ENVIRONMENT,
    )
    taken, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return taken, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(paths: Sequence[str]) -> None:
    files = paths or [
        str(path) for path in (KERNELS / f"{name}.cu" for name in TYPICAL) if path.exists()
    ]
    commands = [
        ["--version"],
        ["rules"],
        ["explain", "KL101"],
        ["devices"],
        *(["check", "--no-cache", path] for path in files),
    ]
    for words in commands:
        once(words)
        wall, processor = zip(*(once(words) for _ in range(RUNS)), strict=True)
        print(
            f"{' '.join(words)[-50:]:<50} median {statistics.median(wall):6.3f} s   processor {statistics.median(processor):6.3f} s"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
