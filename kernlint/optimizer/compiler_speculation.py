"""Loads that nvcc takes out of a branch because nothing can go wrong with them: memory whose
address is known before the kernel runs.

In: a lowered body and its walk. Out: risks by access site. LLVM executes the only load of an
otherwise empty arm for all lanes where its address is that of a named object and a constant, also
as the branch's condition makes it (`if (t == 0) x += s[t + 1]`), and folds the branch into
a select or into the condition behind it (measured on nvcc 13's machine code: `if (t == 0 && s !=
0)`, `t == 0 ? s[3] : 0`, `if (t < 5) v += s[7]`; two loads, another index or a pointer of the
kernel stay inside).
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.ir import nodes as ir
from kernlint.ir.traversal import walk
from kernlint.optimizer.compiler_facts import Risk
from kernlint.optimizer.compiler_walk import Walker

LOADABLE = ("shared", "global", "constant")
TEXT = "the load is all that the branch around it executes: it may be made for all lanes, without the branch"


def speculated(body: ir.Body, walker: Walker) -> Iterator[tuple[ir.AccessSite, Risk]]:
    """Loads that may run where the branch around them does not let them; stores of one of several
    objects, of which each may have its own (measured: `o[i] = i < n ? q[i] : z` of vectors is two,
    with `make_float4(…)` in the place of `z` one)."""
    for s in walk(body):
        if isinstance(s, ir.Store) and s.site.chosen:
            yield (
                s.site,
                Risk(
                    "speculated",
                    False,
                    (1, s.site.chosen),
                    "each object that is chosen among may have a store of its own",
                ),
            )
        for arm in (s.then, s.otherwise) if isinstance(s, ir.If) else ():
            load = _only_load(arm)
            if load is not None and _is_fixed(load.site, walker):
                yield load.site, Risk("hoisted", False, (1, 1), TEXT)


def _only_load(arm: ir.Body) -> ir.Load | None:
    """The load of an arm that only loads once, computes, and perhaps asks for more with a branch at
    its end."""
    *rest, last = arm or (None,)
    straight = [
        s
        for s in (*rest, None if isinstance(last, ir.If) and not last.otherwise else last)
        if s is not None
    ]
    loads = [s for s in straight if isinstance(s, ir.Load)]
    return (
        loads[0]
        if len(loads) == 1 and all(isinstance(s, (ir.Load, ir.Assign)) for s in straight)
        else None
    )


def _is_fixed(site: ir.AccessSite, walker: Walker) -> bool:
    """Whether an address may be a named object's and a constant, where the branch is taken: memory
    that is there whatever the launch."""
    entry = walker.sites.get(site)
    memory = entry.memory if entry is not None else None
    if entry is None or memory is None or memory.space not in LOADABLE:
        return False
    if memory.dynamic or memory.size is None:
        return False
    view = walker.samples.view(entry.path)
    place = walker.atoms.atom(("object", memory))
    return view is None or view.distance(entry.form, place) is not None
