"""Loads that only give a loop's variable its first value.

In: a kernel's body. Out: the sites of such loads. Where the loop is unrolled whole, nvcc 13 makes
the load beside its first use, below loads that follow it in the text (`w = c[0]; h = c[1]; for (…)
{ w += c[2 * t]; h += c[2 * t + 1]; }`: one load of four on the line of `h`, or on one of the loop;
in straight code on the line of `w`; measured on the machine code for sm_90 and on an H100).
"""

from __future__ import annotations

from collections import defaultdict

from kernlint.ir import nodes as ir
from kernlint.ir.traversal import expressions, reads, walk


def initial(body: ir.Body) -> frozenset[ir.AccessSite]:
    """Loads whose value is copied to a variable that a later loop assigns, with no other use before
    it."""
    loads: dict[ir.Variable, ir.AccessSite] = {}
    uses: dict[ir.Variable, int] = defaultdict(int)
    copies: dict[ir.Variable, ir.Variable] = {}
    found: set[ir.AccessSite] = set()
    for s in walk(body):
        if isinstance(s, ir.Load):
            loads.update((variable, s.site) for _, variable in s.targets)
        elif isinstance(s, ir.Assign):
            copied = (
                reads(s.value)
                if not isinstance(s.value, (ir.Binary, ir.Call, ir.Select))
                else set()
            )
            copies.update((s.variable, one) for one in copied)
        elif isinstance(s, ir.Loop):
            for assigned in {one.variable for one in walk((s,)) if isinstance(one, ir.Assign)}:
                source = copies.get(assigned, assigned)
                if source in loads and uses[assigned] == 0 and uses[source] <= 1:
                    found.add(loads[source])
        for e in expressions(s):
            for variable in reads(e):
                uses[variable] += 1
    return frozenset(found)
