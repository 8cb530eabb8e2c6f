"""Counts per code address to facts per source line: the oracle's answers.

Comes in: what a run counted (build.py). Goes out: per launch one fact per (file, line, space, op),
summed over the textual accesses on the line, as structured execution of the source gives them: no
compiler transformation, real data.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from tests.oracle import rewrite
from tests.oracle.build import GUARD, Count, Output, execute, object_at

Place = tuple[str, int, str, str]  # file, line, space, op


@dataclass(frozen=True, slots=True)
class Fact:
    """`count` is wavefronts in shared space and 32-byte sectors in global space, over all requests;
    min and max are per request."""

    file: str
    line: int
    space: str  # shared | global | constant
    op: str  # load | store | atomic
    bytes: tuple[int, ...]  # widths of single accesses
    requests: int
    lanes: int
    count: int
    min: int
    max: int
    ideal: int
    cache_lines: int
    cache_lines_min: int
    cache_lines_max: int
    # of a shared atomic: wavefronts where lanes on one address go as one (adding 1, result unused);
    # else as `count`
    combined: int

    @property
    def mean(self) -> float:
        return self.count / self.requests

    @property
    def active_lanes(self) -> float:
        return self.lanes / self.requests


@dataclass(frozen=True, slots=True)
class Request:
    """One warp-level request: byte offsets per lane from the object's start, None for lanes that
    take no part."""

    file: str
    line: int
    op: str
    space: str
    object: str
    bytes: int
    block: tuple[int, ...]
    warp: int
    offsets: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Launch:
    kernel: str  # as written at the launch, template arguments included
    line: int
    grid: tuple[int, ...]
    block: tuple[int, ...]
    dynamic_shared_bytes: int
    facts: tuple[Fact, ...]
    requests: tuple[Request, ...] = ()

    @property
    def name(self) -> str:
        return self.kernel.split("<")[0].split("::")[-1].strip()

    def at(self, line: int, space: str, op: str) -> Fact:
        """The fact of a line; KeyError when the line makes no such access."""
        for fact in self.facts:
            if (fact.line, fact.space, fact.op) == (line, space, op):
                return fact
        raise KeyError((line, space, op))


def space_of(count_space: str, first: int, output: Output, source: rewrite.Rewritten) -> str:
    if count_space == "shared" and object_at(output.shared_symbols, first)[0] == GUARD:
        return ""
    if count_space != "static":
        return count_space
    name, _ = object_at(output.symbols, first)
    return (
        "constant"
        if name in source.constants
        else "global"
        if name in source.device_variables
        else ""
    )


def merge(place: Place, counts: list[Count]) -> Fact:
    return Fact(
        *place, tuple(sorted({c.bytes for c in counts})), sum(c.requests for c in counts), sum(c.lanes for c in counts),
        sum(c.sum for c in counts), min(c.low for c in counts), max(c.high for c in counts), sum(c.ideal for c in counts),
        sum(c.lines for c in counts), min(c.lines_low for c in counts), max(c.lines_high for c in counts), sum(c.combined for c in counts),
    )  # fmt: skip


def op_of(op: str) -> str:
    return "atomic" if op == "swap" else op


def launches(output: Output, source: rewrite.Rewritten) -> list[Launch]:
    found = []
    for run in output.runs:
        lines: dict[Place, list[Count]] = defaultdict(list)
        for c in run.counts:
            space = space_of(c.space, c.first, output, source)
            file, line = output.places.get(c.pc, ("", 0))
            if space and line:
                lines[file, line, space, op_of(c.op)].append(c)
        facts = tuple(merge(place, counts) for place, counts in sorted(lines.items()))
        requests = tuple(request(r, output) for r in run.raw if r.space != "static")
        found.append(
            Launch(
                run.kernel,
                run.line,
                run.grid,
                run.block,
                run.dynamic,
                facts,
                tuple(r for r in requests if r is not None),
            )
        )
    return found


def request(raw: Any, output: Output) -> Request | None:
    file, line = output.places.get(raw.pc, ("", 0))
    if not line:
        return None
    table = output.shared_symbols if raw.space == "shared" else output.allocations
    name, base = "", 0
    for address in raw.addresses:
        if address is not None:
            name, offset = object_at(table, address)
            base = address - offset
            break
    offsets = tuple(None if a is None else a - base for a in raw.addresses)
    return Request(
        file, line, op_of(raw.op), raw.space, name, raw.bytes, raw.block, raw.warp, offsets
    )


def analyse_program(path: Path, perturb: bool = False) -> tuple[list[Launch], str]:
    """Run a program's own main. Gives its launches in order and what it printed."""
    source = rewrite.cuda(path.read_text())
    marker = f"/oracle/{path.name}"
    output = execute(f'#line 1 "{marker}"\n{source.text}', perturb=perturb)
    found = [
        replace(
            launch,
            facts=tuple(replace(f, file=path.name) for f in launch.facts if f.file == marker),
        )
        for launch in launches(output, source)
    ]
    return found, output.text


def to_json(launch: Launch) -> dict[str, Any]:
    facts = [{k: v for k, v in asdict(f).items() if k != "file"} for f in launch.facts]
    return {"kernel": launch.name, "launched": launch.kernel, "line": launch.line, "grid": list(launch.grid), "block": list(launch.block),
            "dynamic_shared_bytes": launch.dynamic_shared_bytes, "facts": facts}  # fmt: skip
