"""Whether edits against faults and races remove them on a GPU: `python -m
tests.fixing.faults_on_gpu [FOLDER]` on a machine with nvcc, compute-sanitizer and a GPU.

Each program in `tests/data/fixed_faults` checks its own results. It is compiled before and after its
fix and run plain, under memcheck and under racecheck. `prepare FOLDER` needs no GPU, `run FOLDER` no
kernlint. What was measured is kept in `tests/data/fixed_faults/measured.json`.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[1] / "data" / "fixed_faults"
KEPT = DATA / "measured.json"
PROGRAMS = ("barrier", "refill", "warp", "bytes", "guard")
WORDS = ["check", "--fix", "--unsafe-fixes", "--select", "KL8"]
SIDES = ("before", "after")
TOOLS = ("memcheck", "racecheck")
RUNS = 20  # of the plain program: a race shows now and then
SUMMARY = re.compile(r"ERROR SUMMARY: (\d+) error|RACECHECK SUMMARY: (\d+) hazard")


def fixed(name: str, folder: Path) -> str:
    """The program after its fix."""
    from kernlint.cli import main

    path = folder / f"{name}.cu"
    shutil.copy(DATA / f"{name}.cu", path)
    shutil.copy(DATA / "harness.cuh", folder)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        main.main([WORDS[0], "-j", "1", "--no-cache", "--isolated", *WORDS[1:], str(path)])
    return path.read_text(encoding="utf-8")


def digest(name: str, text: str) -> str:
    """Of what was compiled on both sides."""
    before = (DATA / f"{name}.cu").read_text(encoding="utf-8")
    return hashlib.sha256(f"{before}\0{text}".encode()).hexdigest()[:16]


def prepare(folder: Path) -> None:
    work = folder / "work"
    work.mkdir(parents=True)
    for name in PROGRAMS:
        shutil.copy(DATA / f"{name}.cu", folder / f"{name}.before.cu")
        (folder / f"{name}.after.cu").write_text(fixed(name, work), encoding="utf-8")
    shutil.rmtree(work)
    shutil.copy(DATA / "harness.cuh", folder)


def run(folder: Path) -> dict[str, Any]:
    """Builds and runs everything that `prepare` left in the folder."""
    folder = folder.resolve()
    asked = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    gpu, driver = _said(asked).strip().split(", ")
    version = re.findall(r"ersion ([\d.]+)", _said(["compute-sanitizer", "--version"]))
    found: dict[str, Any] = {}
    for name in PROGRAMS:
        after = (folder / f"{name}.after.cu").read_text(encoding="utf-8")
        sides = {side: _one(folder / f"{name}.{side}") for side in SIDES}
        found[name] = {"digest": digest(name, after), **sides}
    return {"gpu": gpu, "driver": driver, "sanitizer": version[-1], "programs": found}


def _one(program: Path) -> dict[str, Any]:
    """`wrong`: of `RUNS` runs, those with wrong elements or an error; of each tool what it
    counts."""
    flags = ["-O3", "-std=c++17", "-arch=sm_90", "-lineinfo", "-o", str(program)]
    subprocess.run(["nvcc", *flags, f"{program}.cu"], check=True)
    codes = [subprocess.run([program], capture_output=True).returncode for _ in range(RUNS)]
    said = _said([str(program)]).strip()
    counted: dict[str, Any] = {"wrong": sum(map(bool, codes)), "said": said}
    for tool in TOOLS:
        report = _said(["compute-sanitizer", "--tool", tool, str(program)])
        numbers = [int(a or b) for a, b in SUMMARY.findall(report)]
        counted[tool] = numbers[-1] if numbers else None
    return counted


def _said(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    return done.stdout + done.stderr


def table(found: dict[str, Any]) -> str:
    """As `docs/fixes.md` shows it."""
    rows = [
        f"| program | wrong runs of {RUNS} | memcheck: errors | racecheck: hazards |",
        "|---|--:|--:|--:|",
    ]
    for name, one in found["programs"].items():
        before, after = (one[side] for side in SIDES)
        cells = [f"{before[what]:,} → {after[what]:,}" for what in ("wrong", *TOOLS)]
        rows.append(f"| `{name}` | {' | '.join(cells)} |")
    return "\n".join(rows)


def main(words: list[str]) -> None:
    step, folder = words if len(words) > 1 else ("all", words[0] if words else "fixed-faults")
    if step in ("all", "prepare"):
        prepare(Path(folder))
    if step in ("all", "run"):
        KEPT.write_text(json.dumps(run(Path(folder)), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
