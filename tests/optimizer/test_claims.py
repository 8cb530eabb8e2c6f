"""Exact claims against the memory instructions that nvcc 13.0 makes of the same kernels for sm_90
(`machine.txt`, by kernel and line): each width that is claimed is there, each that is there is
claimed, and a line without instructions is claimed to have none."""

from __future__ import annotations

import re
from collections import defaultdict

import pytest

from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files
from tests.places import DATA

CASES = DATA / "cases" / "claims"
OPCODE = re.compile(r"\d+ (LD|ST)(G|S)\b((?:\.\w+)*)")
BYTES = {"64": 8, "128": 16, "U8": 1, "S8": 1, "U16": 2, "S16": 2}
Line = tuple[str, int, str, str]  # kernel, line, operation and space


def machine() -> dict[str, dict[Line, set[int]]]:
    found: dict[str, dict[Line, set[int]]] = defaultdict(lambda: defaultdict(set))
    name = ""
    for row in (CASES / "machine.txt").read_text(encoding="utf-8").splitlines():
        if row.startswith("## "):
            name = row.removeprefix("## ")
        elif read := re.match(r"(\w+) (\d+): (.*)", row):
            for op, space, suffix in OPCODE.findall(read[3]):
                width = next((BYTES[x] for x in suffix.split(".") if x in BYTES), 4)
                where = ("load", "store")[op == "ST"], ("global", "shared")[space == "S"]
                found[name][read[1], int(read[2]), *where].add(width)
    return found


MACHINE = machine()


@pytest.mark.parametrize("name", sorted(MACHINE))
def test_exact_claims_are_the_machines(name: str) -> None:
    """The first line of a file, which says where it comes from, was not compiled."""
    claimed: dict[Line, set[int]] = defaultdict(set)
    open_lines = set()
    source = (CASES / name).read_bytes().split(b"\n", 1)[1]
    report = engine.analyse_source(files.from_bytes("k.cu", source), Settings())
    for kernel in report.kernels:
        for a in kernel.accesses:
            said = a.as_compiled or a
            line = kernel.name, said.charged_line, a.op, a.space
            if a.op in ("load", "store") and a.space in ("global", "shared") and not a.charged_path:
                claimed[line] |= {said.bytes} if said.requests else set()
                open_lines |= {line} if said.status != "exact" or said.requests is None else set()
    moving = {(kernel, op, space) for kernel, _, op, space in open_lines}  # to other lines, perhaps
    for line in {*claimed, *MACHINE[name]} - open_lines:
        kernel, _, op, space = line
        if line in claimed or (kernel, op, space) not in moving:
            assert claimed[line] == MACHINE[name].get(line, set()), line
