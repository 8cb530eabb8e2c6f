"""One launch's counters summed as predictions are: by file, line, space and operation, or by space
and operation of the whole kernel.

Goes in: a `ProfiledLaunch`, and which of an instruction's places counts. Comes out: `ProfiledLine`s.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from kernlint.comparison import sass
from kernlint.comparison.columns import COUNTS, REQUESTS
from kernlint.comparison.profile import (
    LINES,
    TOTALS,
    Instruction,
    Place,
    ProfiledLaunch,
    ProfiledLine,
)

Choose = Callable[[tuple[Place, ...]], Place]


def lines(launch: ProfiledLaunch, choose: Choose) -> tuple[ProfiledLine, ...]:
    """In order of file, line, space and operation. Lines whose instructions never had an active
    lane are left out."""
    if launch.detail == TOTALS:
        return tuple(_totals(launch))
    sums: dict[tuple[str, int, str, str], ProfiledLine] = {}
    for instruction in launch.instructions:
        for line in _parts(
            instruction,
            choose(instruction.places)
            if launch.detail == LINES and instruction.places
            else ("", 0),
        ):
            key = (line.path, line.line, line.space, line.op)
            sums[key] = _sum(sums[key], line) if key in sums else line
    return tuple(line for _, line in sorted(sums.items()) if line.requests and line.threads != 0)


def _parts(instruction: Instruction, place: Place) -> Iterator[ProfiledLine]:
    """What one instruction adds: nothing, one line, or two for a copy from global to shared
    memory."""
    kind = sass.memory(instruction.sass)
    if kind is None or not instruction.requests:
        return
    for space in kind.spaces if kind.spaces != (sass.GENERIC,) else (_generic(instruction),):
        count, ideal = {
            "shared": (instruction.wavefronts, instruction.wavefronts_ideal),
            "global": (instruction.sectors, instruction.sectors_ideal),
            "local": (instruction.local_sectors, None),
        }[space]
        requests, threads = instruction.requests, instruction.threads
        yield ProfiledLine(
            *place, space, kind.op, requests, threads, count, ideal, (kind.bits,), kind.predicated
        )


def _generic(instruction: Instruction) -> str:
    """The space that an instruction through a generic address went to, by what it was counted
    for."""
    return (
        "shared" if instruction.wavefronts else "local" if instruction.local_sectors else "global"
    )


def _sum(one: ProfiledLine, other: ProfiledLine) -> ProfiledLine:
    def plus(a: int | None, b: int | None) -> int | None:
        return None if a is None or b is None else a + b

    return replace(
        one,
        requests=plus(one.requests, other.requests),
        threads=plus(one.threads, other.threads),
        count=plus(one.count, other.count),
        ideal=plus(one.ideal, other.ideal),
        bits=tuple(sorted({*one.bits, *other.bits})),
        predicated=one.predicated or other.predicated,
    )


def _totals(launch: ProfiledLaunch) -> Iterator[ProfiledLine]:
    """Counts by space, and requests by space and operation; zeros too, since they contradict an
    access called exact."""
    for space, (count, ideal) in COUNTS.items():
        if count in launch.totals:
            yield ProfiledLine(
                "", 0, space, "", None, None, launch.totals[count], launch.totals.get(ideal)
            )
    for name, (space, op) in REQUESTS.items():
        if name in launch.totals:
            yield ProfiledLine("", 0, space, op, launch.totals[name], None, None, None)
