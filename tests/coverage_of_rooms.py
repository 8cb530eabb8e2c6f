"""How much of every package the fast tests run: `python -m tests.coverage_of_rooms [pytest's words]`
runs them and prints a line for each; exits with 1 where one is below 80 %.

What runs in processes of its own (the command line, workers, the language server) is not counted.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.places import ROOT

LEAST = 80.0  # percent of the lines


def table(files: dict[str, dict[str, dict[str, int]]]) -> dict[str, tuple[int, int]]:
    """By package, how many lines of its modules can run and how many did. `files`: of coverage's
    JSON report."""
    lines, run = Counter[str](), Counter[str]()
    for name, file in files.items():
        room, *module = Path(name).parts[1:]
        if not module:
            continue
        lines[room] += file["summary"]["num_statements"]
        run[room] += file["summary"]["covered_lines"]
    return {room: (lines[room], run[room]) for room in sorted(lines) if lines[room]}


def main(words: list[str]) -> int:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "coverage.json"
        options = ["--cov=kernlint", f"--cov-report=json:{report}", "--cov-report="]
        done = subprocess.run([sys.executable, "-m", "pytest", *options, *words], cwd=ROOT)
        if not report.exists():
            return done.returncode or 1
        rooms = table(json.loads(report.read_text(encoding="utf-8"))["files"])
    shares = {room: 100 * run / lines for room, (lines, run) in rooms.items()}
    for room, share in shares.items():
        mark = "" if share >= LEAST else f"  below {LEAST:.0f} %"
        print(f"{room:14} {rooms[room][0]:6} lines {share:5.1f} %{mark}")
    return done.returncode or int(min(shares.values()) < LEAST)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
