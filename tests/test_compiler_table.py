"""The compile stage's rules against what nvcc made of the generated kernels (tests/compiler, tests/data/compiler)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip("kernlint.lowering.program")

from kernlint.lowering.program import Program

from kernlint.execution.compiler import risks
from kernlint.execution.slicing import walk
from kernlint.lowering import ir
from kernlint.source import parser, preprocess

DATA = Path(__file__).parent / "data" / "compiler"


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    source: str
    verdicts: dict[int, str]


def cases() -> Iterator[Case]:
    for file in sorted(DATA.glob("*.jsonl")):
        for row in file.read_text().splitlines():
            case = json.loads(row)
            rows = [*case["source"].splitlines(), ""]
            yield Case(case["name"], case["source"], {int(n): own_verdict(v["verdict"], rows[int(n) - 1]) for n, v in case["lines"].items()})


def own_verdict(verdict: str, text: str) -> str:
    """Without what other lines' accesses left on this one: kinds of access that the line does not have."""
    own = set(re.findall(r"[gsl]\.(?:ld|st|at)", text.partition("//@")[2]))
    parts = verdict.split("; ")
    return "" if all(p.startswith("other") and not own & set(re.findall(r"[gsl]\.(?:ld|st|at)", p)) for p in parts) else verdict


def lowered(name: str, source: str) -> ir.Kernel:
    options = preprocess.Options({}, (), "cuda", 900)
    prepared = preprocess.preprocess(f"{name}.cu", source, options)
    unit = parser.parse(prepared.tokens, f"{name}.cu", "cuda")
    program = Program(unit, options)
    (handle,) = program.kernels()
    return program.instantiate(handle, None)


def flagged(kernel: ir.Kernel) -> dict[int, set[str]]:
    found: dict[int, set[str]] = {}
    for site, some in risks(kernel).items():
        found.setdefault(site.charged_line, set()).update(r.kind for r in some)
    return found


def access_lines(kernel: ir.Kernel) -> set[int]:
    sites = [s.site for s in walk(kernel.body) if isinstance(s, (ir.Load, ir.Store, ir.Atomic))]
    return {site.charged_line for site in sites if site.op in ("load", "store", "atomic")}


def held_against_machine() -> tuple[list[str], list[str], int]:
    """(deviating lines without a risk, lines as written with one, lines as written)."""
    missed, needless, plain = [], [], 0
    for case in cases():
        kernel = lowered(case.name, case.source)
        found, lines = flagged(kernel), access_lines(kernel)
        for line, verdict in case.verdicts.items():
            text = case.source.splitlines()[line - 1].strip() if line <= len(case.source.splitlines()) else ""
            if verdict in ("unexpected",) or line not in lines or not re.search("//@", text):
                continue
            if verdict and line not in found:
                missed.append(f"{case.name}:{line}: {text} [{verdict}]")
            if not verdict:
                plain += 1
                if line in found:
                    needless.append(f"{case.name}:{line}: {text} {sorted(found[line])}")
    return missed, needless, plain


def test_every_deviation_is_flagged() -> None:
    missed, _, _ = held_against_machine()
    assert not missed, "\n".join(missed)
