"""The 65 measured launches beside their estimates.

    python -m tests.estimate.estimate_table          prints the table of docs/estimate.md

In: tests/data/truth. Out: a row for each launch, with the profiler's cycles and time, and rank
correlation and errors over all.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

from kernlint.model import facts
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from tests.places import TRUTH

DATA = TRUTH


@dataclass(frozen=True)
class Row:
    measured: dict[str, Any]
    estimate: facts.Estimate

    @property
    def name(self) -> str:
        arguments = template_arguments(self.measured)
        return str(self.measured["kernel"]) + (f"<{', '.join(arguments)}>" if arguments else "")

    @property
    def error(self) -> float:
        return float(self.estimate.cycles / self.measured["cycles"] - 1)


def template_arguments(launch: dict[str, Any]) -> tuple[str, ...]:
    """As the demangled signature has them, without casts."""
    found = re.match(r"(?:void )?[\w:]+<(?P<list>.*)>\(", launch["signature"])
    return (
        tuple(re.sub(r"\(\w+( \w+)*\)", "", a).strip() for a in found["list"].split(", "))
        if found
        else ()
    )


def rows() -> list[Row]:
    """One for each measured launch, in their order."""
    launches: list[dict[str, Any]] = json.loads((DATA / "h100_kernels.json").read_text())
    found: list[Row] = []
    for program in dict.fromkeys(launch["program"] for launch in launches):
        own = [launch for launch in launches if launch["program"] == program]
        registers = {Row(launch, None).name: launch["registers"] for launch in own}  # type: ignore[arg-type]
        report = engine.analyse(
            [str(DATA / "kernels" / program)], Settings(estimate=True, registers=registers)
        )
        kernels = list(report.files[0].kernels)
        for launch in own:
            kernel = next(k for k in kernels if _same(k, launch))
            kernels.remove(kernel)
            assert not isinstance(kernel.estimate, str), kernel.estimate
            found.append(Row(launch, kernel.estimate))
    return found


def _same(kernel: facts.Kernel, launch: dict[str, Any]) -> bool:
    known = {
        name: value for name, value in kernel.launch.arguments.items() if isinstance(value, int)
    }
    given = {name: value for name, value in launch["arguments"].items() if name in known}
    where = kernel.launch.grid == tuple(launch["grid"]) and kernel.launch.block == tuple(
        launch["block"]
    )
    return (
        kernel.name == launch["kernel"]
        and kernel.template_arguments == template_arguments(launch)
        and where
        and known == known | given
    )


def rank_correlation(left: list[float], right: list[float]) -> float:
    """Spearman's: Pearson's of the ranks, equal values sharing theirs."""

    def ranks(values: list[float]) -> np.ndarray[Any, Any]:
        array = np.asarray(values)
        return np.asarray([(np.sum(array < v) + np.sum(array <= v) - 1) / 2 for v in array])

    return float(np.corrcoef(ranks(left), ranks(right))[0, 1])


def summary(found: list[Row]) -> dict[str, float]:
    errors = [abs(row.error) for row in found]
    times = [abs(row.estimate.microseconds * 1000 / row.measured["time_ns"] - 1) for row in found]
    return {
        "rank_cycles": rank_correlation(
            [r.estimate.cycles for r in found], [r.measured["cycles"] for r in found]
        ),
        "rank_time": rank_correlation(
            [r.estimate.microseconds for r in found], [r.measured["time_ns"] for r in found]
        ),
        "median_cycles": median(errors),
        "median_time": median(times),
        "worst": max(errors),
        "instructions": median(
            abs(r.estimate.instructions / r.measured["instructions"] - 1) for r in found
        ),
    }


COLUMNS = (
    "program",
    "kernel",
    "measured cycles",
    "estimated",
    "off by",
    "limited by",
    "measured µs",
    "estimated µs",
)


def table(found: list[Row]) -> str:
    return "".join(
        _line(cells)
        for cells in (
            COLUMNS,
            ("---",) * 2 + ("--:",) * 3 + ("---",) + ("--:",) * 2,
            *map(_cells, found),
        )
    )


def _cells(row: Row) -> tuple[str, ...]:
    measured, estimate = row.measured, row.estimate
    cycles = f"{measured['cycles']:,.0f}", f"{estimate.cycles:,}", f"{100 * row.error:+.0f} %"
    times = f"{measured['time_ns'] / 1000:.2f}", f"{estimate.microseconds:.2f}"
    return (
        measured["program"].removesuffix(".cu"),
        f"`{row.name}`",
        *cycles,
        estimate.limiter,
        *times,
    )


def _line(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |\n"


if __name__ == "__main__":
    every = rows()
    print(table(every))
    print(summary(every))
