"""The compile stage's rules against what nvcc made of the generated kernels (tests/compiler,
tests/data/compiler)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from kernlint import hardware
from kernlint.execution.run import execute
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import walk
from kernlint.lowering.program import Program
from kernlint.model import facts
from kernlint.optimizer.compiler import View, risks
from kernlint.source.parser import parser
from kernlint.source.preprocessor import preprocess
from tests import places

pytestmark = pytest.mark.slow


DATA = places.DATA / "compiler"
LAUNCH = facts.Launch((8, 1, 1), (128, 1, 1), 0, origin="stated")


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    source: str
    verdicts: dict[int, str]
    machine: dict[int, str]  # the machine's instructions, by line


def cases() -> Iterator[Case]:
    for file in sorted(DATA.glob("*.jsonl")):
        for row in file.read_text().splitlines():
            case = json.loads(row)
            rows = [*case["source"].splitlines(), ""]
            verdicts = {
                int(n): own_verdict(line["verdict"], rows[int(n) - 1])
                for n, line in case["lines"].items()
            }
            yield Case(
                case["name"],
                case["source"],
                verdicts,
                {int(n): line["machine"] for n, line in case["lines"].items()},
            )


def own_verdict(verdict: str, text: str) -> str:
    """Without what other lines' accesses left on this one: kinds of access that the line does not
    have."""
    own = set(re.findall(r"[gsl]\.(?:ld|st|at)", text.partition("//@")[2]))
    parts = verdict.split("; ")
    return (
        ""
        if all(
            p.startswith("other") and not own & set(re.findall(r"[gsl]\.(?:ld|st|at)", p))
            for p in parts
        )
        else verdict
    )


def lowered(name: str, source: str) -> ir.Kernel:
    options = preprocess.Options({}, (), "cuda", 900)
    prepared = preprocess.preprocess(f"{name}.cu", source, options)
    unit = parser.parse(prepared.tokens, f"{name}.cu", "cuda")
    program = Program(unit, options)
    (handle,) = program.kernels()
    return program.instantiate(handle, None)


def flagged(kernel: ir.Kernel, view: View | None = None) -> dict[int, set[str]]:
    found: dict[int, set[str]] = {}
    for site, some in risks(kernel, view=view).items():
        found.setdefault(site.charged_line, set()).update(r.kind for r in some)
    for access in arrays(kernel):
        if access.place in ("registers", "either"):
            found.setdefault(access.charged_line, set()).add("in-registers")
    return found


def arrays(kernel: ir.Kernel) -> list[facts.Access]:
    """The accesses to arrays of a thread that are indexed by no constant."""
    if all(o.space != "local" for o in kernel.objects):
        return []
    return [
        a
        for a in execute(kernel, LAUNCH, hardware.device("h100")).kernel.accesses
        if a.space == "local"
    ]


def access_lines(kernel: ir.Kernel) -> set[int]:
    sites = [s.site for s in walk(kernel.body) if isinstance(s, (ir.Load, ir.Store, ir.Atomic))]
    return {site.charged_line for site in sites if site.op in ("load", "store", "atomic")}


def measured() -> Iterator[tuple[str, str, str, list[dict[str, object]]]]:
    for launch in json.loads((places.TRUTH / "h100_kernels.json").read_text()):
        yield launch["program"], launch["kernel"], launch["signature"], launch["lines"]


def arguments_of(signature: str) -> tuple[str, ...]:
    """Template arguments as the profiler prints them: `void k<float, (int)16>(…)`."""
    found = re.match(r"[\w:\s*&]*?\b\w+<(.*?)>\(", signature)
    return (
        tuple(re.sub(r"\(\w+\)", "", part).strip() for part in found[1].split(",")) if found else ()
    )


def test_measured_programs() -> None:
    """Lines that the hardware executed wider than written are flagged; of the others hardly any."""
    flagged_lines, lines, wider = 0, 0, 0
    programs: dict[str, Program] = {}
    for program, name, signature, rows in measured():
        if program not in programs:
            path, options = (
                places.TRUTH / "kernels" / program,
                preprocess.Options({}, (), "cuda", 900),
            )
            prepared = preprocess.preprocess(str(path), path.read_text(), options)
            programs[program] = Program(parser.parse(prepared.tokens, str(path), "cuda"), options)
        (handle,) = [h for h in programs[program].kernels() if h.name == name]
        kernel = programs[program].instantiate(handle, arguments_of(signature) or None)
        found = flagged(kernel)
        widths: dict[tuple[int, str], int] = {}
        for s in walk(kernel.body):
            if isinstance(s, (ir.Load, ir.Store)):
                key = (s.site.charged_line, s.site.op)
                widths[key] = max(widths.get(key, 0), *(w for _, w in s.site.pieces))
        for row in rows:
            line, op, bits = int(str(row["line"])), str(row["op"]), row["bits"]
            assert isinstance(bits, list)
            lines += 1
            flagged_lines += bool(
                found.get(line, set()) - {"elsewhere"}
            )  # which says nothing of widths
            if (line, op) in widths and max(bits) > 8 * widths[line, op]:
                wider += 1
                assert "merged" in found.get(line, set()), f"{program}:{line}"
    assert wider >= 5
    assert flagged_lines <= 0.03 * lines
