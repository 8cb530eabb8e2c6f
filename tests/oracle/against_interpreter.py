"""What kernlint says of kernels with unknown arguments and data, held against runs with drawn
values.

For many seeds: `python -m tests.oracle.against_interpreter FIRST LAST`.

A mismatch is one line of text. Every run's counts must lie within the bounds that the report gives,
and be what it calls exact.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from tests.oracle.unknowns import Kernel, Request, kernel, run, world

WORLDS = 25
CLOSE = 1e-9


def report(kernel: Kernel) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The stores and the `if`s of kernlint's JSON report."""
    from kernlint.model.settings import Settings
    from kernlint.pipeline import engine
    from kernlint.render.report_json import to_json
    from kernlint.source import files

    whole: dict[str, Any] = to_json(
        engine.analyse(
            [], Settings(language="cuda"), stdin=files.Source("k.cu", "cuda", kernel.source)
        )
    )
    (file,) = whole["files"]
    assert not [p for p in file["problems"] if p["code"] != "KL002"], file["problems"]
    (found,) = file["kernels"]
    return [a for a in found["accesses"] if a["op"] == "store"], [
        b for b in found["branches"] if b["kind"] == "if"
    ]


def mismatches(entry: dict[str, Any], requests: Sequence[Request]) -> Iterator[str]:
    """What one run's requests of a store contradict in its entry of the report."""
    said = f"({entry['status']}, {entry.get('reason')})"
    if (
        entry["requests"] is not None
        and entry["requests"] != len(requests)
        and entry.get("reason") != "compiler"
    ):
        yield f"requests {entry['requests']} {said}, {len(requests)} were made"
    counts = entry["sectors"]
    if counts is None or not requests:
        return
    low, high = min(r.sectors for r in requests), max(r.sectors for r in requests)
    mean = sum(r.sectors for r in requests) / len(requests)
    if high > counts["max"] + CLOSE or (entry["status"] == "exact" and low < counts["min"] - CLOSE):
        yield f"sectors {counts['min']} to {counts['max']} {said}, {low} to {high} were touched"
    if (
        not counts.get("mean_low", counts["mean"]) - CLOSE
        <= mean
        <= counts.get("mean_high", counts["mean"]) + CLOSE
    ):
        yield f"sectors per request {counts['mean']} {said}, {mean:.3f} were touched"
    lanes = sum(r.lanes for r in requests) / len(requests)
    if (
        "fewest_lanes" in entry
        and not entry["fewest_lanes"] - CLOSE <= lanes <= entry["active_lanes"] + CLOSE
    ):
        yield f"{entry['fewest_lanes']} to {entry['active_lanes']} lanes {said}, {lanes} were active"
    if entry["status"] == "exact" and abs(lanes - entry["active_lanes"]) > CLOSE:
        yield f"{entry['active_lanes']} lanes {said}, {lanes} were active"


def parting_mismatches(entry: dict[str, Any], evaluations: Sequence[bool]) -> Iterator[str]:
    """What one run's evaluations of an `if` contradict in its entry of the report. `evaluations`:
    whether lanes disagreed in each."""
    for name, made in (("evaluations", len(evaluations)), ("divergent", sum(evaluations))):
        if entry[name] is not None and entry[name] != made:
            yield f"{name} {entry[name]} ({entry['status']}, {entry.get('reason')}), {made} were made"
    if entry["status"] == "exact" and None in (entry["evaluations"], entry["divergent"]):
        yield "exact without a number"


def check(seed: int, tally: Counter[str], worlds: int = WORLDS) -> set[str]:
    """The contradictions between the report on one kernel and its runs; counts statuses."""
    made, draw, found = kernel(seed), random.Random(seed), set[str]()
    stored, tested = report(made)
    entries = {line: [e for e in stored if e["line"] == line] for line in made.lines.values()}
    branches = {line: [e for e in tested if e["line"] == line] for line in made.tests.values()}
    tally.update(e["status"] for some in entries.values() for e in some)
    tally.update(f"{e['status']} branch" for some in branches.values() for e in some)
    tally["few lanes"] += sum("fewest_lanes" in e for some in entries.values() for e in some)
    for _ in range(worlds):
        ran = run(made, world(draw))
        for number, line in made.lines.items():
            requests = ran.requests.get(number, [])
            if not entries[line] and requests:
                found.add(f"line {line}: not reported, executed {len(requests)} times")
            if len(entries[line]) == 1:
                found |= {f"line {line}: {text}" for text in mismatches(entries[line][0], requests)}
        for number, line in made.tests.items():
            if len(branches[line]) == 1:
                evaluations = ran.evaluations.get(number, [])
                found |= {
                    f"line {line}: {text}"
                    for text in parting_mismatches(branches[line][0], evaluations)
                }
    return found


def main(first: int, last: int) -> int:
    wrong, tally = 0, Counter[str]()
    for seed in range(first, last):
        if found := check(seed, tally):
            wrong += 1
            print(f"seed {seed}", *sorted(found), kernel(seed).source, sep="\n")
    print(f"{wrong} of {last - first} kernels wrong: {dict(tally)}")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
