"""Where variables are read and assigned, held against a walk over every statement."""

from __future__ import annotations

from functools import cache

from kernlint.execution.extents import Extents
from kernlint.execution.loops.plan import carried
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import expressions, reads, targets, walk
from tests.support.lowered import program

TEXT = """
__device__ int deep(int x) { if (x > 3) return x; for (int i = 0; i < x; i++) { if (i == 7) return i; x += i; } return -x; }
__global__ void k(int *o, int n)
{
    int a = 0, b = n, c = 1;
    for (int i = 0; i < n; i++) {
        int t = deep(i) + deep(a);
        if (t > n) continue;
        while (b > t) { b -= c; if (b == 2) break; int u = b * t; o[u] = u; }
        a += t;
    }
    if (a) { int only = deep(c); o[only] = only; }
    switch (n) { case 1: c = 4; break; case 2: c = b; default: a = c; }
    o[threadIdx.x] = a + c;
}
"""


@cache
def _reads(s: ir.Statement) -> frozenset[ir.Variable]:
    return frozenset().union(*map(reads, expressions(s)))


def test_what_lies_inside_a_statement_is_what_a_walk_finds_there() -> None:
    read = program(TEXT)
    body = read.instantiate(read.kernels()[-1], None).body
    extents, every = Extents(body, _reads), list(walk(body))
    nested = [s for s in every if isinstance(s, (ir.If, ir.Region, ir.Loop))]
    variables = {v for s in every for v in (*targets(s), *_reads(s))}
    assert len(nested) > 12
    for statement in nested:
        inside = set(walk((statement,)))
        reading = {v: [s for s in every if v in _reads(s)] for v in variables}
        writing = {v: [s for s in every if v in targets(s)] for v in variables}
        alone = {v for v in variables if inside.issuperset(reading[v])}
        assert {v for v in variables if extents.reads_inside(statement, v)} == alone
        assert extents.within(statement) == {
            v for v in alone if writing[v] and inside.issuperset(writing[v])
        }


def test_what_is_carried_is_found_for_all_variables_as_for_each() -> None:
    read = program(TEXT)
    body = read.instantiate(read.kernels()[-1], None).body
    loops = [s for s in walk(body) if isinstance(s, ir.Loop)]
    assert len(loops) >= 3
    for loop in loops:
        assigned = {v for s in walk((loop,)) for v in targets(s)}
        together = carried(loop, assigned, _reads)
        assert together == {v for v in assigned if carried(loop, {v}, _reads)}
        assert 0 < len(together) < len(assigned)
