"""Index texts against sympy: the same canonical form, made by an independent algebra."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernlint.algebra.display import Display
from kernlint.algebra.expression import FLOATING, IndexNode, Nodes
from kernlint.algebra.index import indices
from kernlint.lowering.program import Program
from kernlint.model.facts import Launch
from kernlint.source.parser.parser import parse
from kernlint.source.preprocessor.preprocess import Options, preprocess
from tests.places import DATA

pytestmark = pytest.mark.slow


def by_sympy(*arguments: Any) -> Any:
    """Imports sympy, a second's work, where a test runs and not where it is collected."""
    from tests.algebra.sympy_display import SympyDisplay

    return SympyDisplay(*arguments)


FOLDERS = [DATA / name for name in ("truth/kernels", "measured/kernels")]
PROGRAMS = sorted(path for folder in FOLDERS for path in folder.glob("*.cu"))
THREADS = [("threadIdx.x", "thread"), ("threadIdx.y", "thread")]
NAMES = [
    *THREADS,
    ("blockIdx.x", "block"),
    ("k", "loop"),
    ("n", "parameter"),
    ("m", "parameter"),
    ("gridDim.x", "size"),
]
NODES = Nodes()
LEAVES = [NODES.symbol(name, kind) for name, kind in NAMES]
BINARY = [
    "/",
    "%",
    "&",
    "|",
    "^",
    "<<",
    ">>",
    "min",
    "max",
    "<",
    "==",
    "!=",
    "&&",
    "||",
    f"{FLOATING}+",
    f"{FLOATING}/",
    "umulhi",
]
JOINS = (
    ("threadIdx.x", "blockIdx.x", 256, "get_global_id(0)"),
    ("threadIdx.y", "gridDim.x", "n", "get_global_id(1)"),
)


def wider(inner: st.SearchStrategy[IndexNode]) -> st.SearchStrategy[IndexNode]:
    """Sums and products most of all, any operator, negations, conversions and choices."""
    return st.one_of(
        st.builds(NODES.add, inner, inner),
        st.builds(NODES.multiply, inner, inner),
        st.builds(NODES.negate, inner),
        st.builds(
            lambda op, left, right: NODES.apply(op, left, right),
            st.sampled_from(BINARY),
            inner,
            inner,
        ),
        st.builds(
            lambda op, operand: NODES.apply(op, operand),
            st.sampled_from(["~", "!", "(short)", "__clz"]),
            inner,
        ),
        st.builds(lambda *parts: NODES.apply("?:", *parts), inner, inner, inner),
    )


EXPRESSIONS = st.recursive(
    st.one_of(st.sampled_from(LEAVES), st.integers(-40, 40).map(NODES.integer)),
    wider,
    max_leaves=12,
)


@settings(max_examples=400, deadline=None)
@given(EXPRESSIONS, st.sampled_from([(), JOINS]))
def test_any_text_is_that_of_sympy(
    node: IndexNode, joins: tuple[tuple[str, str, int | str, str], ...]
) -> None:
    assert Display(joins).text(node) == by_sympy(joins).text(node)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_texts_of_real_kernels_are_those_of_sympy(path: Path) -> None:
    options = Options(language="cuda")
    prepared = preprocess(path.name, path.read_text(), options)
    program = Program(
        parse(prepared.tokens, path.name, "cuda"), options, {path.name: path.read_text()}
    )
    launch, compared = Launch(None, (256, 1, 1), None), 0
    for handle in program.kernels():
        ours, theirs = Display(JOINS), by_sympy(JOINS)
        for index in indices(program.instantiate(handle, None), launch).values():
            assert ours.text(index.address) == theirs.text(index.address)
            compared += 1
    assert compared > 0
