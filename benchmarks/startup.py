"""How long the commands take from a cold start: medians of several runs of a new process each, wall-clock and processor time.

    python benchmarks/startup.py [FILE…]      the files are checked, each alone and cold; without files: one of about 200 lines

Limits, on an idle machine: `--version` and `explain` 0.15 s, a file of 200 lines 1.0 s.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

RUNS = 7
TYPICAL = Path(__file__).parent.parent / "tests/data/truth/kernels/scan.cu"  # 190 lines, kernels and host code


def once(words: Sequence[str]) -> tuple[float, float]:
    """Seconds of wall-clock and of processor time (user and system) of one new process."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, "-m", "kernlint", *words], capture_output=True, check=False)
    taken, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return taken, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(paths: Sequence[str]) -> None:
    files = paths or ([str(TYPICAL)] if TYPICAL.exists() else [])
    commands = [["--version"], ["rules"], ["explain", "KL101"], ["devices"], *(["check", path] for path in files)]
    for words in commands:
        wall, processor = zip(*(once(words) for _ in range(RUNS)), strict=True)
        print(f"{' '.join(words):<50.50} median {statistics.median(wall):6.3f} s   processor {statistics.median(processor):6.3f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
