"""Values that stand in a source's own comments, held against the facts of a file.

`//= 32,64: shared load w=2 | all: global store s=4` says what requests on its line need: for the
kernel with these template arguments, or for all, w wavefronts or s sectors; `unknown` where it must
not be a number. Further clauses without a head belong to the head before them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernlint.base.dataclass import dataclass
from kernlint.model import facts

_CLAUSE = re.compile(
    r"(?:(?P<key>.*?):\s+)?(?P<space>shared|global|local)\s+(?P<op>load|store|copy|atomic)\s+"
    r"(?:(?P<unit>[ws])=(?P<value>[\d.]+)|unknown)"
)
TOLERANCE = 0.011


@dataclass(frozen=True, slots=True)
class Written:
    line: int
    arguments: str  # of the template, or "all"
    space: str
    op: str
    wavefronts: bool
    value: float | None

    def is_for(self, kernel: facts.Kernel) -> bool:
        given = ",".join(a.replace(" ", "") for a in kernel.template_arguments)
        return self.arguments in ("all", given) or given.startswith(f"{self.arguments},")


def written(text: str) -> Iterator[Written]:
    for number, line in enumerate(text.splitlines(), 1):
        key = "all"
        for clause in line.partition("//=")[2].split("|") if "//=" in line else ():
            found = _CLAUSE.fullmatch(clause.strip())
            assert found is not None, clause
            key = found["key"] or key
            value = float(found["value"]) if found["value"] else None
            yield Written(
                number,
                key.replace(" ", ""),
                found["space"],
                found["op"],
                found["unit"] == "w",
                value,
            )


def contradictions(text: str, file: facts.File) -> list[str]:
    """What is said otherwise or not at all, a line each."""
    expected = list(written(text))
    assert expected, "no value is written in this file"
    return [
        f"line {one.line} in {kernel.name}<{', '.join(kernel.template_arguments)}>: {one.space} "
        f"{one.op} is {one.value}, not {', '.join(map(str, told)) or 'there'}"
        for kernel in file.kernels
        for one in expected
        if one.is_for(kernel)
        and _is_in(one.line, kernel)
        and not any(_agrees(a, one) for a in _at(kernel, one))
        for told in [[_told(a, one) for a in _at(kernel, one)]]
    ]


def _is_in(line: int, kernel: facts.Kernel) -> bool:
    inside = kernel.span.line <= line <= kernel.span.end_line
    return inside or any(
        line in (access.span.line, *(call.line for call in access.calls))
        for access in kernel.accesses
    )


def _at(kernel: facts.Kernel, one: Written) -> list[facts.Access]:
    return [
        access
        for access in kernel.accesses
        if (access.space, access.op) == (one.space, one.op)
        and one.line in (access.span.line, *(call.line for call in access.calls))
    ]


def _counts(access: facts.Access, one: Written) -> facts.Counts | None:
    return access.wavefronts if one.wavefronts else access.sectors


def _agrees(access: facts.Access, one: Written) -> bool:
    counts = _counts(access, one)
    if one.value is None or access.status == "unknown" or counts is None:
        return one.value is None and access.status == "unknown"
    if access.status == "exact":
        return abs(counts.mean - one.value) < TOLERANCE
    return counts.mean_low - TOLERANCE <= one.value <= counts.mean_high + TOLERANCE


def _told(access: facts.Access, one: Written) -> str:
    counts = _counts(access, one)
    return f"{access.status} {counts.mean if counts is not None else access.reason}"
