"""Modern kernels whose right values stand in comments (`tests/support/written_values.py`): C++20,
packs, views, swizzles, asynchronous copies, fragments, clusters, named barriers."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.model import facts
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files
from tests.places import DATA
from tests.support.written_values import contradictions

MODERN = DATA / "cases" / "modern"
# nvcuda::wmma does not say which lane accesses what
NOT_COUNTED = ("c05_wmma.cu",)
VALUED = sorted(
    path.name
    for path in MODERN.glob("*.cu")
    if "//=" in path.read_text(encoding="utf-8") and path.name not in NOT_COUNTED
)


def analysed(path: Path) -> facts.File:
    return engine.analyse_source(
        files.from_bytes(path.name, path.read_bytes()), Settings(estimate=True)
    )


def complaints(name: str) -> list[str]:
    return [problem.message for problem in analysed(MODERN / name).problems]


@pytest.mark.parametrize("name", VALUED)
def test_values_written_in_the_source_hold(name: str) -> None:
    path = MODERN / name
    assert contradictions(path.read_text(encoding="utf-8"), analysed(path)) == []


@pytest.mark.parametrize(
    "name",
    [
        "m03_template_template.cu",
        "m10_using_own_name.cu",
        "m11_device_malloc_fault.cu",
        "m16_operator_of_unknown_type.cu",
        "own_template_lambdas.cu",
        "own_template_templates.cu",
        "own_missing_operands.cu",
    ],
)
def test_nothing_is_missing(name: str) -> None:
    assert complaints(name) == []


def test_only_the_bulk_copy_is_told_not_to_be_counted() -> None:
    assert [message.partition(" of ")[0] for message in complaints("own_library_copies.cu")] == [
        "cuda::memcpy_async"
    ]


def test_what_a_function_of_the_heap_does_is_no_estimate() -> None:
    file = analysed(MODERN / "own_device_allocations.cu")
    assert [kernel.estimate for kernel in file.kernels] == [
        f"what `{name}` does is not counted" for name in ("new", "malloc", "cudaMalloc")
    ]
