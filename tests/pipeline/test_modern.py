"""Kernels of today's kinds (C++20, packs, views, tensor cores, asynchronous copies, clusters,
persistent loops) whose counts were worked out by hand: `//=` comments say them by line
(`tests/support/written_values.py`)."""

from __future__ import annotations

import pytest

from kernlint.model import facts
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files
from tests.places import DATA
from tests.support.written_values import contradictions

pytestmark = pytest.mark.slow

FOLDER = DATA / "cases" / "modern"
# which lane loads which element of a matrix is not specified: named, not counted
UNCOUNTED = {"c05_wmma.cu": (28, 29, 34)}
VALUED = sorted(
    path.name for path in FOLDER.glob("*.cu") if "//=" in path.read_text(encoding="utf-8")
)


def analysed(name: str) -> facts.File:
    return engine.analyse_source(files.read(str(FOLDER / name)), Settings(estimate=True))


def complaints(name: str) -> list[str]:
    return [problem.message for problem in analysed(name).problems]


@pytest.mark.parametrize("name", VALUED)
def test_counts_are_those_worked_out_by_hand(name: str) -> None:
    text = (FOLDER / name).read_text(encoding="utf-8")
    lines = UNCOUNTED.get(name, ())
    found = contradictions(text, analysed(name))
    assert [one for one in found if not one.startswith(tuple(f"line {n} " for n in lines))] == []


@pytest.mark.parametrize(
    "name",
    [
        "m03_template_template.cu",
        "m08_requires_expr.cu",
        "m10_using_own_name.cu",
        "m11_device_malloc_fault.cu",
        "m16_operator_of_unknown_type.cu",
        "own_argument_arrays.cu",
        "own_class_arguments.cu",
        "own_cluster_attributes.cu",
        "own_constraints.cu",
        "own_deduced_classes.cu",
        "own_friends_and_bases.cu",
        "own_kernel_packs.cu",
        "own_member_pointers.cu",
        "own_overload_choices.cu",
        "own_overload_sets.cu",
        "own_pairs_and_tuples.cu",
        "own_template_lambdas.cu",
        "own_template_templates.cu",
        "own_tile_parameters.cu",
        "own_using_declarations.cu",
        "own_value_categories.cu",
    ],
)
def test_nothing_is_missing(name: str) -> None:
    assert complaints(name) == []


def test_only_the_bulk_copy_is_told_not_to_be_counted() -> None:
    [message] = complaints("own_library_copies.cu")
    assert message.startswith("`cuda::memcpy_async`: what it moves")


def test_a_label_that_no_file_defines_may_be_meant() -> None:
    [kernel] = [k for k in analysed("own_enumerators.cu").kernels if k.name == "open"]
    assert [access.status for access in kernel.accesses] == ["range", "range"]


def test_what_a_function_of_the_heap_does_is_no_estimate() -> None:
    file = analysed("own_device_allocations.cu")
    assert [kernel.estimate for kernel in file.kernels] == [
        f"what `{name}` does is not counted" for name in ("new", "malloc", "cudaMalloc")
    ]
