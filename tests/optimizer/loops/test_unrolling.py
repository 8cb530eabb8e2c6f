"""What is said of the column of a shared tile that a loop over its depth reads, against nvcc's
machine code (tests/data/unrolled)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kernlint.checks.rules import rules
from kernlint.checks.run import check_file
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import walk
from kernlint.lowering.program import Program
from kernlint.optimizer.compiler import look
from kernlint.optimizer.compiler_facts import Rolled, Unrolled
from kernlint.source.parser import parser
from kernlint.source.preprocessor import preprocess
from tests.compiler.register_tiles import LINE, Product, read
from tests.pipeline.test_engine import analyse
from tests.places import DATA

pytestmark = pytest.mark.slow


TABLE = DATA / "unrolled" / "register_tiles.tsv"
OPEN = frozenset({4, 8, 16})
FEW = ("unroll 2", "unroll 8")
SMALL = 48  # turns of the innermost statement


def kernel_of(source: str) -> ir.Kernel:
    options = preprocess.Options({}, (), "cuda", 900)
    prepared = preprocess.preprocess("product.cu", source, options)
    program = Program(parser.parse(prepared.tokens, "product.cu", "cuda"), options)
    (handle,) = program.kernels()
    return program.instantiate(handle, None)


def said(product: Product) -> frozenset[int]:
    """The widths that the loads may have."""
    kernel = kernel_of(product.source)
    view = look(kernel)
    (site,) = {
        s.site for s in walk(kernel.body) if isinstance(s, ir.Load) and s.site.span.line == LINE
    }
    outcome = view.outcomes.get(site)
    if isinstance(outcome, Rolled):
        return frozenset({outcome.bytes})
    if not isinstance(outcome, Unrolled):
        return OPEN if site in view.found else frozenset({4})
    every = (outcome.fates, outcome.wider.fates if outcome.wider is not None else {})
    return frozenset(fate[1] for fates in every for fate in fates.values() if fate is not None)


@pytest.fixture(scope="module")
def claims() -> list[tuple[Product, frozenset[int]]]:
    """Of products that are read in a moment: small ones, and those with two pragmas. All of the
    table take some minutes."""
    return [
        (p, said(p))
        for p in read(TABLE)
        if p.rows * p.columns * p.depth <= SMALL or p.pragma in FEW
    ]


def test_widths_are_those_of_the_machine(claims: list[tuple[Product, frozenset[int]]]) -> None:
    assert not [(p, claim) for p, claim in claims if not {w for w, _ in p.widths} <= claim]


def test_few_are_left_open(claims: list[tuple[Product, frozenset[int]]]) -> None:
    assert sum(len(claim) == 1 for _, claim in claims) >= 0.8 * len(claims)


def test_a_pragma_decides_how_many_are_loaded_at_once() -> None:
    """A body of 40 instructions sixteen times: two or four elements; with a pragma what it says."""
    product = Product(4, 4, 16, "fma", "float", "")
    assert said(product) == {8, 16}
    told = {
        pragma: said(replace(product, pragma=pragma))
        for pragma in ("unroll", "unroll 2", "unroll 4", "unroll 8", "unroll 1")
    }
    assert told == {
        "unroll": {16},
        "unroll 2": {8},
        "unroll 4": {16},
        "unroll 8": {16},
        "unroll 1": {4},
    }


def test_facts_tell_both_where_the_unrolling_decides() -> None:
    text = (
        "// kernlint: launch(grid=16x16, block=16x16, n=256)\n"
        + Product(4, 4, 16, "fma", "float", "").source
    )
    (kernel,) = analyse(text).kernels
    (column,) = (a for a in kernel.accesses if a.text == "As[ty * 4 + i][k]")
    compiled = column.as_compiled
    assert column.status == compiled.status == "range"
    assert (compiled.bytes, compiled.requests, compiled.wavefronts.mean) == (
        8,
        column.requests / 2,
        2,
    )
    assert (compiled.wider.bytes, compiled.wider.requests, compiled.wider.wavefronts.mean) == (
        16,
        column.requests / 4,
        2,
    )
    assert (compiled.wavefronts.mean_low, compiled.wavefronts.mean_high) == (1, 2)


def test_what_a_pragma_settles_is_a_note_that_says_so() -> None:
    text = (
        "// kernlint: launch(grid=16x16, block=16x16, n=256)\n"
        + Product(4, 4, 16, "fma", "float", "").source
    )
    (found,) = (f for f in check_file(analyse(text), "h100", dict(rules())) if f.code == "KL101")
    assert found.severity == "info" and " unless the loop is unrolled" in found.message
    assert (
        "`#pragma unroll` above the loop on line 15 makes nvcc access 16 bytes at once in 2 wavefronts, the ideal"
        in found.help
    )
    told = text.replace(
        "        for (int k = 0; k < 16", "#pragma unroll\n        for (int k = 0; k < 16"
    )
    assert not [f for f in check_file(analyse(told), "h100", dict(rules())) if f.code == "KL101"]


def test_what_a_pragma_settles_is_told_once_for_all_launches() -> None:
    source, launch = (
        Product(4, 4, 16, "fma", "float", "").source,
        "// kernlint: launch(grid={0}x{0}, block=16x16, n={1})\n",
    )
    text = launch.format(16, 256) + launch.format(32, 512) + source
    (found,) = (f for f in check_file(analyse(text), "h100", dict(rules())) if f.code == "KL101")
    assert (
        "2 of 2 launches are affected; this is the worst (2 wavefronts per request)" in found.notes
    )
