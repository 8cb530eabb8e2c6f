"""Whether fixed programs compute the same, and faster: `python -m tests.fixing.fixing_on_gpu [FOLDER]` on
a machine with nvcc, ncu and a GPU.

Each program in `tests/data/fixing` is fixed by the command that its first line names (`prepare`),
compiled before and after, run on the same inputs, its results compared bit by bit, and profiled
(`run`). `prepare FOLDER` needs no GPU, `run FOLDER` no kernlint: they may happen on different
machines. What was measured is kept in `tests/data/fixing/measured.json`;
tests/fixing/test_fixing_measured.py holds the fixes of today against the texts that were measured.
"""

from __future__ import annotations

import array
import contextlib
import csv
import hashlib
import io
import json
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests import places

DATA = places.DATA / "fixing"
KEPT = DATA / "measured.json"
HOW = {  # by program: the words of kernlint, and how far results may differ
    "padding": (["check", "--fix", "--unsafe-fixes", "--select", "KL101"], 0.0),
    "flat_padding": (["check", "--fix", "--unsafe-fixes", "--select", "KL101"], 0.0),
    "byte_padding": (["check", "--fix", "--unsafe-fixes", "--select", "KL101"], 0.0),
    "typed_padding": (["check", "--fix", "--unsafe-fixes", "--select", "KL101"], 0.0),
    "atomic_padding": (["check", "--fix", "--unsafe-fixes", "--select", "KL101"], 0.0),
    "swizzle": (["tune", "--only", "swizzle", "--apply"], 0.0),
    "flat_swizzle": (["tune", "--only", "swizzle", "--apply"], 0.0),
    "skew": (["tune", "--only", "skew", "--apply"], 0.0),
    "axes": (["check", "--fix", "--unsafe-fixes", "--select", "KL201"], 0.0),
    "loop": (["check", "--fix", "--unsafe-fixes", "--select", "KL201"], 0.0),
    "promise": (["check", "--fix", "--unsafe-fixes", "--select", "KL209"], 0.0),
    "literal": (
        ["check", "--fix", "--unsafe-fixes", "--select", "KL701"],
        1e-5,
    ),  # of the largest value
    "shuffle": (["check", "--fix", "--unsafe-fixes", "--select", "KL703"], 0.0),
    "obsolete": (["check", "--fix", "--select", "KL603"], 0.0),
    "block": (["tune", "--only", "block", "--output-format", "json"], 0.0),
}
METRICS = {
    "wavefronts": ("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",),
    "sectors": (
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    ),
    "cycles": ("gpc__cycles_elapsed.max",),
    "nanoseconds": ("gpu__time_duration.sum",),
}
SIDES = ("before", "after")


def fixed(name: str, folder: Path) -> tuple[str, list[str]]:
    """The program after its fix, and what nvcc needs to be told to build it."""
    from kernlint.cli import main

    path = folder / f"{name}.cu"
    shutil.copy(DATA / f"{name}.cu", path)
    shutil.copy(DATA / "harness.cuh", folder)
    out = io.StringIO()
    words = HOW[name][0]
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        main.main([words[0], "-j", "1", "--no-cache", "--isolated", *words[1:], str(path)])
    flags: list[str] = []
    if name == "block":
        (subject,) = json.loads(out.getvalue())["files"][0]["subjects"]
        best = subject["options"][0]
        flags = [
            f"-D{what.upper()}_{axis}={best[what][i]}"
            for what in ("block", "grid")
            for i, axis in enumerate("XY")
        ]
    return path.read_text(encoding="utf-8"), flags


def digest(name: str, text: str, flags: list[str]) -> str:
    """Of what was compiled on both sides."""
    before = (DATA / f"{name}.cu").read_text(encoding="utf-8")
    return hashlib.sha256("\0".join((before, text, *flags)).encode()).hexdigest()[:16]


def prepare(folder: Path) -> None:
    """Writes each program before and after its fix, and what is to be done with them."""
    folder.mkdir(parents=True, exist_ok=True)
    work = folder / "work"
    work.mkdir(exist_ok=True)
    plan: dict[str, Any] = {}
    for name, (words, tolerance) in HOW.items():
        text, flags = fixed(name, work)
        (folder / f"{name}.before.cu").write_text(
            (DATA / f"{name}.cu").read_text(encoding="utf-8"), encoding="utf-8"
        )
        (folder / f"{name}.after.cu").write_text(text, encoding="utf-8")
        plan[name] = {
            "command": " ".join(("kernlint", *words)),
            "tolerance": tolerance,
            "flags": flags,
            "digest": digest(name, text, flags),
        }
    shutil.copy(DATA / "harness.cuh", folder)
    shutil.rmtree(work)
    (folder / "plan.json").write_text(json.dumps(plan, indent=1) + "\n", encoding="utf-8")


def build(folder: Path) -> None:
    """All programs, for the GPU of this machine or, without one, for compute capability 9.0."""
    plan = json.loads((folder / "plan.json").read_text(encoding="utf-8"))

    def one(job: tuple[str, str]) -> None:
        name, side = job
        flags = ["-DBEFORE"] if side == "before" else plan[name]["flags"]
        source, program = folder / f"{name}.{side}.cu", folder / f"{name}.{side}"
        subprocess.run(
            ["nvcc", "-O3", "-std=c++17", "-arch=sm_90", *flags, "-o", str(program), str(source)],
            check=True,
        )

    with ThreadPoolExecutor() as pool:
        list(pool.map(one, [(name, side) for name in plan for side in SIDES]))


def run(folder: Path) -> dict[str, Any]:
    """Builds, runs, compares and profiles everything that `prepare` left in the folder."""
    build(folder)
    plan = json.loads((folder / "plan.json").read_text(encoding="utf-8"))
    results = {name: _one(name, plan[name], folder) for name in plan}
    asked = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    gpu, driver = (
        word.strip()
        for word in subprocess.run(asked, check=True, capture_output=True, text=True)
        .stdout.splitlines()[0]
        .split(",")
    )
    found = {
        "gpu": gpu,
        "driver": driver,
        "nvcc": _version("nvcc"),
        "ncu": _version("ncu"),
        "programs": results,
    }
    (folder / "measured.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return found


def _one(name: str, plan: dict[str, Any], folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = {"command": plan["command"], "digest": plan["digest"]}
    for side in SIDES:
        program, result = folder / f"{name}.{side}", folder / f"{name}.{side}.bin"
        done = subprocess.run(
            [str(program), str(result)], check=True, capture_output=True, text=True
        )
        found[side] = {"microseconds": float(done.stdout), **_profiled(program, folder)}
    data = [(folder / f"{name}.{side}.bin").read_bytes() for side in SIDES]
    found["bytes"], found["same"] = len(data[0]), data[0] == data[1]
    if plan["tolerance"]:
        found["tolerance"], found["difference"] = plan["tolerance"], _difference(*data)
    return found


def _difference(before: bytes, after: bytes) -> float:
    """The largest difference of floats, relative to the largest value."""
    a, b = array.array("f", before), array.array("f", after)
    return max(abs(x - y) for x, y in zip(a, b, strict=True)) / max(abs(x) for x in a)


def _profiled(program: Path, folder: Path) -> dict[str, float]:
    """The profiler's counts of the program's last launch."""
    names = ",".join(name for some in METRICS.values() for name in some)
    command = [
        "ncu",
        "--csv",
        "--clock-control",
        "none",
        "--metrics",
        names,
        str(program),
        str(folder / "profiled.bin"),
        "once",
    ]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = list(csv.DictReader(line for line in printed.splitlines() if line.startswith('"')))
    last = rows[-1]["ID"]
    values = {
        row["Metric Name"]: float(row["Metric Value"].replace(",", ""))
        for row in rows
        if row["ID"] == last
    }
    units = {row["Metric Name"]: row["Metric Unit"] for row in rows if row["ID"] == last}
    scale = {"us": 1000, "usecond": 1000, "ms": 1e6, "msecond": 1e6}.get(
        units["gpu__time_duration.sum"], 1
    )
    found = {key: sum(values[name] for name in some) for key, some in METRICS.items()}
    return found | {"nanoseconds": found["nanoseconds"] * scale}


def _version(tool: str) -> str:
    lines = subprocess.run(
        [tool, "--version"], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    return next(
        (line for line in lines if "release" in line or "Version" in line), lines[-1]
    ).strip()


def table(found: dict[str, Any]) -> str:
    """What was measured, as a table of Markdown."""
    lines = [
        "| program | result | time in µs | cycles | wavefronts of shared memory | sectors of global memory |",
        "|---|---|---|---|---|---|",
    ]
    for name, one in found["programs"].items():
        same = (
            "the same bits"
            if one["same"]
            else f"within {one['difference']:.1e}"
            if "difference" in one
            else "DIFFERENT"
        )
        pairs = [
            f"{one['before'][key]:,.{digits}f} → {one['after'][key]:,.{digits}f}"
            for key, digits in (
                ("microseconds", 1),
                ("cycles", 0),
                ("wavefronts", 0),
                ("sectors", 0),
            )
        ]
        lines.append(f"| `{name}` | {same} | {' | '.join(pairs)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    words = sys.argv[1:]
    steps, where = (
        (words[:1], words[1:])
        if words[:1] in (["prepare"], ["build"], ["run"])
        else (["prepare", "run"], words)
    )
    place = Path(where[0] if where else "fixing-on-gpu")
    for step in steps:
        {"prepare": prepare, "build": build, "run": run}[step](place)
    if "run" in steps:
        print(table(json.loads((place / "measured.json").read_text(encoding="utf-8"))))
