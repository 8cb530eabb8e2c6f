"""Functions of the mathematical library that read tables: nvcc counts these loads on the line that
calls them.

In: a kernel and its walk. Out: (site, risk) pairs. Read in nvcc 13's machine code for sm_90: `sin`,
`cos` and `tan` of floats and doubles, and the Bessel functions, reduce large arguments (of floats
beyond 105,615) with words of 2/π from global memory, kept in a local array; double `sin`, `cos`,
`sinpi`, `cospi`, `tgamma` and `lgamma` always load their coefficients. What several calls of one
kernel share, and the way for large doubles, is charged to its last line.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.ir import nodes as ir
from kernlint.ir.functions import functions
from kernlint.ir.traversal import expressions, reads, walk, walk_expression
from kernlint.ir.types import Float
from kernlint.optimizer.compiler_facts import Risk
from kernlint.optimizer.compiler_rare import reduces
from kernlint.optimizer.compiler_walk import Walker

MOST_LOADS = 8  # of one call: six vectors of coefficients, or a loop over six words
SECTORS = 32
TABLE = "{} reads a table, for large arguments or always: its loads are counted on this line"


def with_tables(kernel: ir.Kernel, walker: Walker) -> Iterator[tuple[ir.AccessSite, Risk]]:
    lines = dict(_calls(kernel))
    if lines:
        lines.setdefault((kernel.span.path, kernel.span.end_line), next(iter(lines.values())))
    for site, entry in walker.sites.items() if lines else ():
        name = lines.get((site.span.path, site.charged_line))
        own = entry.memory is not None and entry.memory.space == "local"
        if name is not None and (
            own or (site.op == "load" and (entry.memory is None or entry.memory.space == "global"))
        ):
            yield site, Risk("recharged", False, (1, 1 + MOST_LOADS * SECTORS), TABLE.format(name))


def _calls(kernel: ir.Kernel) -> Iterator[tuple[tuple[str, int], str]]:
    """Lines that surely hold such a call, with the function: of stores of what it is, and of loads
    that it takes or stands beside."""
    loaded = {
        v: s.site
        for s in walk(kernel.body)
        if isinstance(s, ir.Load)
        for _, v in s.targets
        if v.span is None
    }
    for s in walk(kernel.body):
        for e in (*expressions(s), *(e for _, e in getattr(s, "untracked", ()))):
            name = next((name for x in walk_expression(e) if (name := _table(x))), "")
            if name:
                own = [s.site] if isinstance(s, ir.Store) else []
                yield from (
                    ((site.span.path, site.charged_line), name)
                    for site in (*own, *(loaded[v] for v in reads(e) if v in loaded))
                )


def _table(x: ir.Expression) -> str:
    name = x.name if isinstance(x, ir.Call) else x.what if isinstance(x, ir.Unknown) else ""
    if not isinstance(x.type, Float):
        return ""
    found = functions().get(name)
    loads = x.type.bits == 64 and found is not None and found.coefficients
    return name if reduces(name) or loads else ""
