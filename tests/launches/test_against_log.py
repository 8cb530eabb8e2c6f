"""The launches that kernlint finds in host code, held against those that the programs log when they
run (`logged`): 49 programs in the manner of benchmarks."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from kernlint.model.facts import Kernel
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files
from tests.launches import logged
from tests.places import DATA

PROGRAMS = sorted((DATA / "host_programs").glob("*.cu"))
LEAST_EQUAL = 0.85  # of the launches that are logged

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++"),
]


@dataclass(frozen=True, slots=True)
class Comparison:
    """`missed`: logged and not found; `invented`: found, with all sizes, and not logged."""

    logged: int
    missed: list[logged.Logged]
    invented: list[str]


def compared(program: Path, folder: Path) -> Comparison:
    made = logged.launches(program, folder)
    file = engine.analyse_source(files.read(str(program)), Settings(max_launches=64))
    found = [kernel for kernel in file.kernels if kernel.launch.grid is not None]
    return Comparison(
        len(made),
        [one for one in made if not any(_is_equal(kernel, one) for kernel in found)],
        [
            f"{kernel.name} {kernel.launch}"
            for kernel in found
            if not any(_is_equal(kernel, one) for one in made)
        ],
    )


def _is_equal(kernel: Kernel, made: logged.Logged) -> bool:
    """Whether the sizes are the same, and every integer argument that kernlint says."""
    launch, arguments = kernel.launch, dict(made.arguments)
    return (
        kernel.name.rpartition("::")[2] == made.kernel
        and launch.grid == made.grid
        and launch.block == made.block
        and launch.dynamic_shared_bytes == made.dynamic
        and not launch.block_assumed
        and all(
            arguments.get(name, value) == value
            for name, value in launch.arguments.items()
            if isinstance(value, int)
        )
    )


def test_found_launches_are_those_that_programs_make(tmp_path: Path) -> None:
    assert len(PROGRAMS) == 49
    results = {program.stem: compared(program, tmp_path) for program in PROGRAMS}
    invented = {name: one.invented for name, one in results.items() if one.invented}
    missed = {name: one.missed for name, one in results.items() if one.missed}
    total = sum(one.logged for one in results.values())
    equal = total - sum(len(one) for one in missed.values())
    print(f"{equal} of {total} launches equal; missed: {missed}")
    assert not invented
    assert equal >= LEAST_EQUAL * total, missed
