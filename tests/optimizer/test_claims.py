"""Exact claims against the memory instructions that nvcc 13.0 makes of the same kernels for sm_90
(`machine.txt`, by kernel and line): each width that is claimed is there, each that is there is
claimed, and a line without instructions is claimed to have none."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

import pytest

from kernlint.model import facts
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files
from tests.places import DATA

pytestmark = pytest.mark.slow

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


def kernels_of(path: Path) -> Sequence[facts.Kernel]:
    """Without the first line of a file, which says where it comes from and was not compiled."""
    source = path.read_bytes().split(b"\n", 1)[1]
    return engine.analyse_source(files.from_bytes("k.cu", source), Settings()).kernels


@pytest.mark.parametrize("name", sorted(MACHINE))
def test_exact_claims_are_the_machines(name: str) -> None:
    claimed: dict[Line, set[int]] = defaultdict(set)
    open_lines = set()
    for kernel in kernels_of(CASES / name):
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


TWINS = DATA / "cases" / "claims_twins"


@pytest.mark.parametrize("name", ["addresses.cu", "copies.cu"])
def test_exact_counts_are_the_machines(name: str) -> None:
    """65 kernels of the same kinds: requests by width, as nvcc 13.0's machine code for sm_90 executes
    them over all lanes (`machine.json`)."""
    machine = json.loads((TWINS / "machine.json").read_text(encoding="utf-8"))[name]
    exact = 0
    for kernel in kernels_of(TWINS / name):
        claimed: dict[str, Counter[str]] = defaultdict(Counter)
        open_lines = set()
        for a in kernel.accesses:
            said = a.as_compiled or a
            line = f"{said.charged_line} {a.op} {a.space}"
            claimed[line][str(said.bytes)] += int(said.requests or 0)
            open_lines |= {line} if said.status != "exact" or said.requests is None else set()
        for line in (claimed.keys() & machine[kernel.name].keys()) - open_lines:
            assert +claimed[line] == Counter(machine[kernel.name][line]), (kernel.name, line)
            exact += 1
    assert exact > {"addresses.cu": 100, "copies.cu": 65}[name]
