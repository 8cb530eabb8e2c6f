"""The tables of `kernlint.ir.traversal` against the fields of the nodes: what a node holds is
found, once and in order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from kernlint.ir import nodes as ir
from kernlint.ir.traversal import bodies, expressions, operands, reads, walk, walk_expression
from kernlint.ir.types import INT
from tests.places import DATA
from tests.support.lowered import body, program

# Fields that no result of the statement rests on: who needs them asks for them by name.
BESIDE = {
    (ir.Store, "untracked"),
    (ir.Taken, "values"),
    (ir.Shuffle, "lanes"),
    (ir.Vote, "lanes"),
}


def _flat(value: object) -> Iterator[object]:
    if isinstance(value, tuple):
        for part in value:
            yield from _flat(part)
    else:
        yield value


def held(node: ir.Statement | ir.Expression, kind: type) -> list[object]:
    """Nodes of a kind that stand in the fields of a node itself."""
    names = (one.name for one in fields(node) if (type(node), one.name) not in BESIDE)
    values = (getattr(node, name) for name in names)
    return [part for value in values for part in _flat(value) if isinstance(part, kind)]


@pytest.mark.parametrize("path", sorted((DATA / "lowering").glob("*.c[ul]")), ids=lambda p: p.name)
def test_every_part_of_a_program_is_found(path: Path) -> None:
    language = "opencl" if path.suffix == ".cl" else "cuda"
    lowered = program(path.read_text(encoding="utf-8"), language)
    seen = 0
    for one in lowered.kernels():
        for statement in walk(lowered.instantiate(one, None).body):
            seen += 1
            found = expressions(statement)
            assert sorted(map(id, found)) == sorted(map(id, held(statement, ir.Expression)))
            inner = [part for part in bodies(statement) for part in part]
            assert inner == held(statement, ir.Statement)
            for expression in (part for e in found for part in walk_expression(e)):
                assert list(operands(expression)) == held(expression, ir.Expression)
    assert seen > 10


def test_reads_are_of_the_whole_expression() -> None:
    a, b = ir.Variable("a", INT), ir.Variable("b", INT)
    both = ir.Binary(INT, "+", ir.Read(INT, a), ir.Unary(INT, "-", ir.Read(INT, b)))
    assert reads(both) == {a, b} and reads(both.left) == {a}


def test_later_variables_of_one_name_are_numbered() -> None:
    text = body("int i = p[0]; { int i = p[1]; p[i] = 0; } p[i] = 1;")
    assert "i = " in text and "i.1 = " in text
