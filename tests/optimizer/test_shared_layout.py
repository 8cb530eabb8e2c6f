"""Layouts of static shared memory, as read in machine code for sm_90."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from kernlint.base.span import Span
from kernlint.ir import nodes as ir
from kernlint.ir.types import Array, Float
from kernlint.optimizer.shared_layout import layouts

FLOAT = Float(32, "float")


def array(name: str, elements: int, line: int, align: int = 4) -> ir.MemoryObject:
    size = 4 * elements
    return ir.MemoryObject(
        name, "shared", Array(FLOAT, elements), size, align, Span("k.cu", line, 1, line, 9)
    )


def offsets(*objects: ir.MemoryObject) -> Sequence[dict[str, int]]:
    kernel = ir.Kernel(
        "k", "k", (), Span("k.cu", 10, 1, 19, 1), (), (), objects, ir.Label("return"), "cuda"
    )
    return [{o.name: place for o, place in way.items()} for way in layouts(kernel, objects)]


def test_arrays_of_a_kernel_follow_each_other_as_declared() -> None:
    y, x = array("y", 64, 12), array("x", 3, 11)
    assert offsets(y, x) == [{"x": 0, "y": 12}]


def test_a_declared_alignment_leaves_a_gap() -> None:
    assert offsets(array("x", 3, 11), array("y", 64, 12, 16)) == [{"x": 0, "y": 16}]


@pytest.mark.parametrize("line", [1, 30])
def test_an_array_of_a_function_may_come_before_or_behind(line: int) -> None:
    found = offsets(array("own", 3, 11), array("part", 5, line))
    assert sorted(x["part"] for x in found) == [0, 12]


def test_dynamic_arrays_come_last_at_a_multiple_of_16() -> None:
    flag = array("flag", 1, 12)
    dynamic = ir.MemoryObject("s", "shared", FLOAT, None, 4, flag.span, dynamic=True)
    assert offsets(dynamic, flag) == [{"flag": 0, "s": 16}]


def test_many_arrays_of_functions_have_no_known_order() -> None:
    assert offsets(array("own", 3, 11), *(array(str(n), 5, 1 + n) for n in range(3))) == []
