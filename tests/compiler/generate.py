"""Compile the generated kernels with nvcc and write what became of every access.

usage: python -m tests.compiler.generate [FOLDER] [--only PREFIX] [--print]

FOLDER receives one file per module of cases, one case a line: its source, per line what was
written, the machine's memory instructions (`@`: predicated; `/0.1`: inside machine loops 0 and 1;
`x4`: four copies) and the verdict, "" for as written.

Needs nvcc (CUDA 13.0) and nvdisasm on PATH. See README.md.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.compiler import (
    cases_alias,
    cases_arms,
    cases_flow,
    cases_found,
    cases_loops,
    cases_merged,
    cases_more,
    cases_straight,
    cases_ways,
    sass,
    toolkit,
)

MODULES = {
    "loops": cases_loops,
    "straight": cases_straight,
    "flow": cases_flow,
    "more": cases_more,
    "merged": cases_merged,
    "alias": cases_alias,
    "ways": cases_ways,
    "arms": cases_arms,
    "found": cases_found,
}


def sources() -> dict[str, str]:
    return {name: source for module in MODULES.values() for name, source in module.cases().items()}


def compile_all(cases: dict[str, str]) -> dict[str, list[sass.Machine]]:
    """Each case lies in a namespace of its own in one file; lines are counted from the case's
    first."""
    text, first = "", {}
    for name, source in cases.items():
        first[name] = text.count("\n") + 1
        text += f"namespace {name} {{\n{source}}}\n"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "cases.cu"
        file.write_text(text)
        listing = toolkit.listing(toolkit.cubin(file, Path(folder)))
    found = {}
    for mangled, machines in sass.kernels(listing).items():
        length = int(re.match(r"_ZN(\d+)", mangled)[1])
        name = mangled[3 + len(str(length)) :][:length]
        found[name] = [
            sass.Machine(m.line - first[name], m.operation, m.predicated, m.loops, m.opcode)
            for m in machines
        ]
    return found


def judge(source: str, machines: list[sass.Machine]) -> dict[str, dict[str, object]]:
    """Per line: what was written, what the machine has, and the verdict ("" when it runs as
    written)."""
    lines, references = {}, None
    rows = source.splitlines()
    for number, row in enumerate(rows, 1):
        if "//@" in row:
            words = row.split("//@")[1].split()
            lines[number] = words
            if "ref" in words:
                references = Counter(
                    m.loops for m in machines if m.line == number and m.operation.startswith("g.st")
                )
    result = {}
    for number, words in lines.items():
        wanted = Counter(w for w in words if w[0] in "gsl" and "." in w)
        if not wanted:
            continue
        trip = next((int(w[1:]) for w in words if re.fullmatch(r"x\d+", w)), None)
        here = [m for m in machines if m.line == number]
        copies = {kind: Counter(m.loops for m in here if m.operation == kind) for kind in wanted}
        verdict = [
            v
            for kind, count in wanted.items()
            if (
                v := _verdict(
                    copies[kind], count, trip, kind, here, references, in_loop(rows, number)
                )
            )
        ]
        if (
            len(wanted) > 1
            and not verdict
            and trip is None
            and references is None
            and in_loop(rows, number)
        ):
            shares = {
                tuple(sorted((where, n / count) for where, n in copies[kind].items() if where))
                for kind, count in wanted.items()
            }
            verdict += ["copies differ"] if len(shares) > 1 else []
        strange = {m.operation for m in here} - set(wanted)
        if strange:
            verdict.append("other " + " ".join(sorted(strange)))
        result[str(number)] = {
            "written": words,
            "machine": machine_text(here),
            "verdict": "; ".join(verdict),
        }
    for m in machines:
        if m.line not in lines:
            result.setdefault(
                str(m.line),
                {
                    "written": [],
                    "machine": machine_text([x for x in machines if x.line == m.line]),
                    "verdict": "unexpected",
                },
            )
    return result


def machine_text(machines: list[sass.Machine]) -> str:
    counts = Counter(
        f"{'@' if m.predicated else ''}{m.opcode}{'/' if m.loops else ''}{'.'.join(map(str, m.loops))}"
        for m in machines
    )
    return " ".join(
        f"{what}{f' x{count}' if count > 1 else ''}" for what, count in sorted(counts.items())
    )


def in_loop(rows: list[str], number: int) -> bool:
    """Whether a line lies in a source loop, by indentation."""
    indent = len(rows[number - 1]) - len(rows[number - 1].lstrip())
    for row in reversed(rows[: number - 1]):
        own = len(row) - len(row.lstrip())
        if row.strip() and own < indent and not row.startswith("#"):
            if re.match(r"\s*(for|while|do)\b", row):
                return True
            indent = own
    return False


def _verdict(
    copies: Counter,
    count: int,
    trip: int | None,
    kind: str,
    here: list[sass.Machine],
    references: Counter | None,
    looped: bool,
) -> str:
    if not copies:
        return f"no {kind}"
    total, outside = sum(copies.values()), copies[()]
    if not looped:
        return "" if total == count else f"{kind} {total} for {count}"
    if trip is not None and outside == total:
        return "" if total == count * trip else f"{kind} {total} for {count * trip}"
    if references is not None:
        return (
            ""
            if copies == Counter({k: v * count for k, v in references.items()})
            else f"{kind} {dict(copies)} against {dict(references)}"
        )
    return f"{kind} out of the loop" if outside == total else ""


def thinned(case: dict[str, object]) -> dict[str, object]:
    """Without what the source itself says."""
    return {
        "source": case["source"],
        "lines": {
            n: {k: v for k, v in line.items() if k != "written"}
            for n, line in case["lines"].items()
        },
    }


def main(arguments: list[str]) -> None:
    cases = sources()
    if "--only" in arguments:
        prefix = arguments[arguments.index("--only") + 1]
        cases = {n: s for n, s in cases.items() if n.startswith(prefix)}
    found = compile_all(cases)
    table = {
        name: {"source": source, "lines": judge(source, found[name])}
        for name, source in cases.items()
    }
    if "--print" in arguments:
        for name, case in table.items():
            print("==", name)
            for number, line in case["lines"].items():
                text = case["source"].splitlines()[int(number) - 1].strip()[:90]
                print(
                    "  ",
                    "*" if line["verdict"] else " ",
                    text,
                    "|",
                    line["machine"],
                    "|",
                    line["verdict"],
                )
    if arguments and not arguments[0].startswith("-"):
        for module, holder in MODULES.items():
            rows = [
                json.dumps({"name": name, **thinned(table[name])})
                for name in holder.cases()
                if name in table
            ]
            (Path(arguments[0]) / f"{module}.jsonl").write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
