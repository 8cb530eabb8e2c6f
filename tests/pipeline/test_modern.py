"""Kernels of today's kinds (tensor cores, asynchronous copies, clusters, persistent loops) whose
counts were worked out by hand: `//=` comments say them by line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from kernlint.base.dataclass import dataclass
from kernlint.model import facts
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files
from tests.places import DATA

FOLDER = DATA / "cases" / "modern"
EXPECTED = re.compile(
    r"(?:(?P<key>.*?):\s+)?(?P<space>shared|global)\s+(?P<op>load|store|copy|atomic)\s+"
    r"(?:(?P<unit>[ws])=(?P<value>[\d.]+)|unknown)$"
)
SLACK = 0.011
# which lane loads which element of a matrix is not specified: named, not counted
UNCOUNTED = {"c05_wmma.cu": {28, 29, 34}}


@dataclass(frozen=True, slots=True)
class Expected:
    """What a comment says of an access: for kernels with the template arguments `key`."""

    line: int
    key: str
    space: str
    op: str
    unit: str
    value: float | None


def expectations(text: str) -> Iterator[Expected]:
    for number, line in enumerate(text.splitlines(), 1):
        _, told, comment = line.partition("//=")
        key = "all"
        for part in comment.split("|") if told else ():
            found = EXPECTED.match(part.strip())
            assert found is not None, (number, part)
            key = found["key"] or key
            value = float(found["value"]) if found["value"] else None
            yield Expected(number, key, found["space"], found["op"], found["unit"] or "", value)


def fits(access: facts.Access, expected: Expected) -> bool:
    """Whether what is said of an access holds: the value itself, bounds around it, or that it is
    unknown."""
    counts = access.wavefronts if expected.unit == "w" else access.sectors
    if expected.value is None or counts is None:
        return access.status == "unknown" and expected.value is None
    low = counts.mean if counts.mean_low is None else counts.mean_low
    high = counts.mean if counts.mean_high is None else counts.mean_high
    if access.status == "exact":
        low = high = counts.mean
    if low is None or high is None:
        return False
    return low - SLACK <= expected.value <= high + SLACK


def concerned(kernel: facts.Kernel, expected: Expected) -> list[facts.Access]:
    arguments = ",".join(kernel.template_arguments)
    if expected.key not in ("all", arguments) and not arguments.startswith(f"{expected.key},"):
        return []
    return [
        access
        for access in kernel.accesses
        if (access.space, access.op) == (expected.space, expected.op)
        and expected.line in (access.span.line, *(call.line for call in access.calls))
    ]


def check(path: Path) -> None:
    source = files.read(str(path))
    file = engine.analyse_source(source, Settings())
    text = source.text or ""
    missing = set()
    for expected in expectations(text):
        found = [access for kernel in file.kernels for access in concerned(kernel, expected)]
        if not found:
            missing.add(expected.line)
        own = [a for a in found if a.span.line == expected.line] or found
        assert not own or any(fits(access, expected) for access in own), expected
    assert missing <= UNCOUNTED.get(path.name, set())


@pytest.mark.parametrize("name", ["c02_mma_frag.cu", "c21_zfill_x2.cu", "m06_ring_unknown_k.cu"])
def test_counts_are_those_worked_out_by_hand(name: str) -> None:
    check(FOLDER / name)


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(FOLDER.glob("c*.cu")), ids=lambda path: str(path.name))
def test_all_counts_are_those_worked_out_by_hand(path: Path) -> None:
    check(path)
