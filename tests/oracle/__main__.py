"""python -m tests.oracle FILE.cu … --json OUT: run programs under the oracle. --table: rewrite the
comparison with hardware.

A kernel without a main (FILE.cl, or a CUDA file) is run with --launches DESCRIPTION.json, a list of
what cases.from_description takes.
"""

from __future__ import annotations

import argparse
import collections
import json
from pathlib import Path

from tests.oracle import truth
from tests.oracle.cases import from_description, run_kernel
from tests.oracle.facts import Launch, analyse_program, to_json


def run(path: Path, launches: Path | None, perturb: bool) -> tuple[list[Launch], str]:
    if launches is None:
        return analyse_program(path, perturb)
    described = [from_description(launch) for launch in json.loads(launches.read_text())]
    return run_kernel(path.read_text(), described, "opencl" if path.suffix == ".cl" else "cuda"), ""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.oracle", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument(
        "--launches", type=Path, help="description of the launches, for a file without a main"
    )
    parser.add_argument("--json", type=Path, help="write the facts here")
    parser.add_argument("--perturb", action="store_true", help="shuffle the words of every upload")
    parser.add_argument(
        "--table",
        action="store_true",
        help="hold the truth programs against hardware, rewrite tests/data/oracle_*.json",
    )
    given = parser.parse_args()
    if given.table:
        print(dict(collections.Counter(r["verdict"] for r in truth.write())))
    programs = []
    for path in given.files:
        found, printed = run(path, given.launches, given.perturb)
        programs.append(
            {
                "path": str(path),
                "printed": printed,
                "launches": [to_json(launch) for launch in found],
            }
        )
        for launch in found:
            print(f"{path}:{launch.line}: {launch.kernel} grid {launch.grid} block {launch.block}")
            for f in launch.facts:
                spread = f"{f.min} {f.mean:.3f} {f.max}"
                print(
                    f"  {f.line:5} {f.space:8} {f.op:6} requests {f.requests:8} lanes {f.active_lanes:5.1f} per request {spread}"
                )
    if given.json:
        given.json.write_text(json.dumps(programs, indent=1))


main()
