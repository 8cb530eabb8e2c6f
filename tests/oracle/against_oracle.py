"""kernlint's report of a generated kernel held against the oracle.

For many seeds: `python -m tests.oracle.against_oracle FIRST LAST [cuda|opencl] [--shrink]`.

A mismatch is one line of text: what differs, on which source line. Numbers as written must be the
oracle's wherever the report gives them without bounds (or with bounds for the compiler's sake), and
lie inside the bounds where it gives others.
"""

from __future__ import annotations

import collections
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tests.oracle import Case, Fact, Launch, OracleError, run_kernels
from tests.oracle.generate import from_seed

COUNT = {"shared": "wavefronts", "global": "sectors"}
BATCH = 50
# the reason of bounds that only tell what a compiler may do: the numbers as written are still exact
COMPILER = "compiler"


def report(case: Case) -> dict[str, Any]:
    """The file's entry of kernlint's JSON report."""
    from kernlint.model.settings import Settings
    from kernlint.pipeline import engine
    from kernlint.render.report_json import to_json
    from kernlint.source import files

    name = "case.cl" if case.language == "opencl" else "case.cu"
    source = files.Source(name, case.language, case.source)
    whole: dict[str, Any] = to_json(
        engine.analyse([], Settings(language=case.language), stdin=source)
    )
    found: dict[str, Any] = whole["files"][0]
    return found


def close(a: float, b: float) -> bool:
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1.0)


def line_mismatches(
    key: tuple[int, str, str],
    fact: Fact | None,
    entries: Sequence[dict[str, Any]],
    tally: collections.Counter[str],
) -> Iterator[str]:
    where = f"line {key[0]} {key[1]} {key[2]}"
    live = [e for e in entries if e["requests"] != 0]
    if fact is None:
        if any(e["status"] == "exact" for e in live):
            yield f"{where}: reported {live[0]['requests']} requests, never executed"
        return
    if not live:
        yield (
            f"{where}: executed {fact.requests} times, not reported"
            if not entries
            else f"{where}: executed {fact.requests} times, reported 0"
        )
        return
    counts = [e[COUNT[key[1]]] for e in live]
    if any(
        c is None or not isinstance(e["requests"], (int, float)) or e["active_lanes"] is None
        for e, c in zip(live, counts, strict=True)
    ):
        tally["unknown"] += 1
        tally["reason: " + str(next((e.get("reason") for e in live if e.get("reason")), ""))] += 1
        if all(e["status"] == "exact" for e in live):
            yield f"{where}: exact without numbers"
        return
    tally["exact" if all(e["status"] == "exact" for e in live) else "range"] += 1
    loose = [
        e
        for e, c in zip(live, counts, strict=True)
        if not close(c.get("mean_low", c["mean"]), c.get("mean_high", c["mean"]))
    ]
    if any(e["reason"] != COMPILER for e in loose):
        tally["reason: " + str(next(e["reason"] for e in loose if e["reason"] != COMPILER))] += 1
        low, high = (
            sum(e["requests"] * c.get(k, c["mean"]) for e, c in zip(live, counts, strict=True))
            for k in ("mean_low", "mean_high")
        )
        if not low * (1 - 1e-9) <= fact.count <= high * (1 + 1e-9):
            yield f"{where}: {fact.count} not within {low} to {high}"
        tally["bounded"] += 1
        return
    got = {
        "requests": sum(e["requests"] for e in live), "lanes": sum(e["requests"] * e["active_lanes"] for e in live),
        "count": sum(e["requests"] * c["mean"] for e, c in zip(live, counts, strict=True)),
        "min": min(c["min"] for c in counts), "max": max(c["max"] for c in counts),
    }  # fmt: skip
    wrong = [
        f"{name} {value:g} for {getattr(fact, name)}"
        for name, value in got.items()
        if not close(value, getattr(fact, name))
    ]
    if wrong:
        yield f"{where}: {', '.join(wrong)} ({live[0]['status']})"


def mismatches(case: Case, launch: Launch, tally: collections.Counter[str]) -> list[str]:
    """What kernlint gets wrong about one kernel."""
    found = report(case)
    trouble = [f"line {p['line']}: {p['code']} {p['message']}" for p in found["problems"]]
    if len(found["kernels"]) != 1:
        return [*trouble, f"{len(found['kernels'])} kernels reported"]
    facts = {(f.line, f.space, f.op): f for f in launch.facts if f.space in COUNT}
    entries: dict[tuple[int, str, str], list[dict[str, Any]]] = collections.defaultdict(list)
    for a in found["kernels"][0]["accesses"]:
        if a["space"] in COUNT:
            entries[a["line"], a["space"], a["op"]].append(a)
    for key in sorted(facts.keys() | entries.keys()):
        trouble += line_mismatches(key, facts.get(key), entries.get(key, []), tally)
    return trouble


def check(
    cases: Sequence[Case], tally: collections.Counter[str], timeout: float = 600
) -> list[tuple[int, list[str]]]:
    """Positions of the cases that kernlint gets wrong, with what is wrong."""
    launches = run_kernels(cases, timeout=timeout)
    results = [
        (i, mismatches(case, runs[0], tally))
        for i, (case, runs) in enumerate(zip(cases, launches, strict=True))
    ]
    return [(i, trouble) for i, trouble in results if trouble]


def regions(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Lines that can go together: a single one, or from an opening brace to its end; the longest
    first."""
    found = []
    for i, text in enumerate(lines):
        depth = 0
        for j in range(i, len(lines)):
            depth += lines[j].count("{") - lines[j].count("}")
            if depth < 0:
                break
            if depth == 0:
                found.append((i, j + 1))
                break
        if text.rstrip().endswith(")"):
            found.append((i, i + 2))
    yield from sorted(found, key=lambda r: r[0] - r[1])


def shrink(case: Case, fails: Callable[[Case], bool]) -> Case:
    """The case with every line taken out that is not needed for it to fail."""
    again = True
    while again:
        again = False
        lines = case.source.splitlines()
        for first, last in regions(lines):
            smaller = "\n".join(lines[:first] + lines[last:]) + "\n"
            candidate = Case(smaller, case.launches, case.language)
            if (
                "kernlint: launch" in smaller
                and re.search(r"void k\(", smaller)
                and fails(candidate)
            ):
                case, again = candidate, True
                break
    return case


def fails_alike(original: Sequence[str]) -> Callable[[Case], bool]:
    """Whether a case fails in the way the first one did, wherever it stands."""

    def kind(text: str) -> str:
        return re.sub(r"[\d.]+", "", text.split(": ", 1)[-1])[:30]

    kinds = {kind(t) for t in original}

    def fails(case: Case) -> bool:
        try:
            found = check([case], collections.Counter(), timeout=2)
        except OracleError:
            return False
        return bool(found) and bool({kind(t) for t in found[0][1]} & kinds)

    return fails


def main() -> None:
    first, last, language = int(sys.argv[1]), int(sys.argv[2]), (sys.argv[3:] or ["cuda"])[0]
    tally: collections.Counter[str] = collections.Counter()
    wrong = 0
    for start in range(first, last, BATCH):
        cases = [from_seed(seed, language) for seed in range(start, min(start + BATCH, last))]
        for i, trouble in check(cases, tally):
            wrong += 1
            print(f"seed {start + i}: " + "; ".join(trouble[:4]))
            if "--shrink" in sys.argv:
                small = shrink(cases[i], fails_alike(trouble))
                print(small.source, *check([small], collections.Counter())[0][1], sep="\n")
    print(f"{wrong} of {last - first} kernels wrong; lines: {dict(tally)}")


if __name__ == "__main__":
    main()
