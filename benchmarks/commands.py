"""How long the commands take from a cold start: the median and the best of several runs of a new process each.

    python benchmarks/commands.py [FILE…]     the files are checked too, each alone and cold

Limits, on an idle machine: `--version` and `explain` 0.15 s, a file of 200 lines 1.0 s.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Sequence

RUNS = 7


def seconds(words: Sequence[str]) -> list[float]:
    taken = []
    for _ in range(RUNS):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-m", "kernlint", *words], capture_output=True, check=False)
        taken.append(time.perf_counter() - began)
    return taken


def main(paths: Sequence[str]) -> None:
    commands = [["--version"], ["rules"], ["explain", "KL101"], ["devices"], *(["check", path] for path in paths)]
    for words in commands:
        taken = seconds(words)
        print(f"{' '.join(words):<50} median {statistics.median(taken):6.3f} s   best {min(taken):6.3f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
