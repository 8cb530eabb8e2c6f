"""The oracle held against hardware: every measured line of the truth programs sorted into as
written, compiler, or data.

Comes in: the programs and counters in tests/data/truth. Goes out: tests/data/oracle_truth.json (the
oracle's numbers) and tests/data/oracle_table.json (both sides and a verdict per line). A line
matches by the rule for profiler comparison: count per request or in total within 0.5 %, and the
requests too unless the hardware counted predicated instructions.
"""

from __future__ import annotations

import hashlib
import json
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from tests.oracle.facts import analyse_program, to_json
from tests.places import DATA

COUNT = {"shared": "wavefronts", "global": "sectors"}
NOTES = {
    (
        "matmulTiled",
        36,
        "load",
    ): "the unrolled loop's four neighbouring loads of a row merge into one of 16 bytes",
    (
        "matvecStaged",
        82,
        "load",
    ): "the unrolled loop's four neighbouring loads merge into one of 16 bytes",
    (
        "scanBlelloch",
        56,
        "store",
    ): "merged with the store on line 55 into one of 8 bytes; the counts coincide with line 56 alone",
    (
        "scanBlelloch",
        88,
        "load",
    ): "merged with the load on line 89 into one of 8 bytes; the counts coincide with line 88 alone",
    (
        "box3x3Shared",
        121,
        "load",
    ): "the sum is used under `x < width && y < height` only: the loads move under that guard",
}
COMBINED = "adds 1 and the result is unused: lanes on one address are combined, so wavefronts are the most distinct words in a bank"


def close(a: float, b: float) -> bool:
    return abs(a - b) <= 0.005 * max(abs(b), 1e-9)


def matches(fact: dict[str, Any], measured: dict[str, Any], count: str = "count") -> bool:
    total = measured[COUNT[measured["space"]]]
    hit = close(fact[count] / fact["requests"], total / measured["requests"]) or close(
        fact[count], total
    )
    return hit and (measured["predicated"] or close(fact["requests"], measured["requests"]))


def sources_hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def run_program(job: tuple[Path, bool]) -> list[dict[str, Any]]:
    path, perturb = job
    found, printed = analyse_program(path, perturb)
    if not perturb and printed.strip().splitlines()[-1] != "OK":
        raise RuntimeError(f"{path.name} failed its own check under the oracle")
    return [to_json(launch) for launch in found]


def measure(programs: list[Path]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Per program its launches, with the contents it uploads and with those perturbed."""
    jobs = [(path, perturb) for perturb in (False, True) for path in programs]
    with ProcessPoolExecutor(2) as pool:
        results = list(pool.map(run_program, jobs))
    plain = {
        p.name: {"sha256": sources_hash(p), "launches": r}
        for p, r in zip(programs, results, strict=False)
    }
    return plain, {p.name: r for p, r in zip(programs, results[len(programs) :], strict=True)}


def key(fact: dict[str, Any]) -> tuple[int, str, str]:
    return fact["line"], fact["space"], fact["op"]


def moved(
    measured: dict[str, Any], facts: dict[Any, Any], taken: set[Any]
) -> dict[str, Any] | None:
    """The fact of another line that hardware counted nothing for and that explains this one."""
    for k, fact in facts.items():
        if (
            k not in taken
            and k[1:] == (measured["space"], measured["op"])
            and matches(fact, measured)
        ):
            return dict(fact)
    return None


def judge(
    measured: dict[str, Any], fact: dict[str, Any], other: dict[str, Any] | None, kernel: str
) -> tuple[str, str]:
    fields = ("requests", "lanes", "count", "min", "max")
    data = other is None or any(fact[f] != other[f] for f in fields)
    note = NOTES.get((kernel, measured["line"], measured["op"]), "")
    if data:
        return "data", COMBINED if not matches(fact, measured) and matches(
            fact, measured, "combined"
        ) else note
    if note or not matches(fact, measured):
        return "compiler", note
    return "as written", ""


def row(
    launch: dict[str, Any],
    number: int,
    measured: dict[str, Any],
    facts: dict[Any, Any],
    others: dict[Any, Any],
    taken: set[Any],
) -> dict[str, Any]:
    fact = facts.get(key(measured)) or moved(measured, facts, taken)
    place = {"program": launch["program"], "kernel": launch["kernel"], "launch": number, "line": measured["line"],
             "space": measured["space"], "op": measured["op"]}  # fmt: skip
    hardware = {
        k: measured[k]
        for k in ("requests", "threads", COUNT[measured["space"]], "bits", "predicated")
    }
    if fact is None:
        return place | {"oracle": None, "hardware": hardware, "verdict": "missing", "note": ""}
    verdict, note = judge(measured, fact, others.get(key(fact)), launch["kernel"])
    if fact["line"] != measured["line"]:
        note = f"written on line {fact['line']}, charged to line {measured['line']}"
    return place | {"oracle": fact, "hardware": hardware, "verdict": verdict, "note": note}


def table(
    plain: dict[str, Any], perturbed: dict[str, Any], counters: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    rows, numbers = [], dict.fromkeys(plain, -1)
    for launch in counters:
        program = launch["program"]
        if program not in plain:
            continue
        number = numbers[program] = numbers[program] + 1
        ran = plain[program]["launches"][number]
        if [ran["kernel"], ran["grid"], ran["block"]] != [
            launch["kernel"],
            launch["grid"],
            launch["block"],
        ]:
            raise RuntimeError(f"{program}: launch {number} differs")
        facts = {key(f): f for f in ran["facts"]}
        others = {key(f): f for f in perturbed[program][number]["facts"]}
        lines = [line for line in launch["lines"] if line["space"] in COUNT and line["requests"]]
        taken = {key(line) for line in lines}
        rows += [row(launch, number, line, facts, others, taken) for line in lines]
    return rows


def dump(path: Path, rows: list[Any]) -> None:
    path.write_text("[\n" + ",\n".join(json.dumps(r) for r in rows) + "\n]\n")


def write(truth: Path = DATA / "truth") -> list[dict[str, Any]]:
    plain, perturbed = measure(sorted((truth / "kernels").glob("*.cu")))
    rows = table(plain, perturbed, json.loads((truth / "h100_kernels.json").read_text()))
    programs = [
        {"program": name, "sha256": v["sha256"], **launch}
        for name, v in plain.items()
        for launch in v["launches"]
    ]
    dump(DATA / "oracle_truth.json", programs)
    dump(DATA / "oracle_table.json", rows)
    return rows
