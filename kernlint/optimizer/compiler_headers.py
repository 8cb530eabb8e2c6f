"""Accesses inside functions of the toolkit's half headers: nvcc's line table may have them on the
header's lines.

In: a kernel and its walk. Out: (site, risk) pairs. `half2` and `bfloat162` define how they are
copied, `half` and `bfloat16` how they are converted, and operators take references: the instruction
stands in the header, and is the user's only where nothing of the header's comes before it. Read in
nvcc 13's line tables: the LDG of `half2 v = s[i];` and the STG of `o[i] = v;` are on the user's
line; in a loop that nvcc unrolls some or all are not; nor is the STG of `o[i] = s[i];` (the load
comes first), of a word that is put together from halves (`v.x = a; o[i] = v;`; not
`__halves2half2(a, b)`), or of a `float` stored as `half`, nor are loads of `half` in `float x =
p[i];` and `p[i] * z`, nor an access at a fixed address (`*o = v;`), for which the user's line
computes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from kernlint.ir import nodes as ir
from kernlint.ir.traversal import expressions, walk, walk_expression
from kernlint.ir.types import Float
from kernlint.optimizer.compiler_facts import Risk
from kernlint.optimizer.compiler_forms import CHOSEN, LOOPED, Form
from kernlint.optimizer.compiler_walk import Walker

SCALARS = ("__half", "__nv_bfloat16")
_OF_PARTS = ("call", "+", "-", "*", "/", *CHOSEN, *LOOPED)
COPIED = "copies of half2 in an unrolled loop may be charged to the toolkit's header"
FIXED = (
    "its line computes no address: the header's function that copies half2 may be charged with it"
)
INSIDE = (
    "a conversion or operator of half makes the access: it may be charged to the toolkit's header"
)
JOINED = "the halves are put together, or loaded, by the header's operator=: its store may be charged to the header"


def in_half_headers(kernel: ir.Kernel, walker: Walker) -> Iterator[tuple[ir.AccessSite, Risk]]:
    if kernel.language != "cuda":
        return
    copies = Counter(i.entry.site for i in walker.instances)
    fixed = {
        site.span.line
        for site, entry in walker.sites.items()
        if site.packed and _is_fixed(walker, entry.form)
    }
    for site in walker.sites:
        if site.packed and site.span.line in fixed:
            yield site, _risk(FIXED)
        if site.packed and (copies[site] > 1 or _is_unrolled(walker, site)):
            yield site, _risk(COPIED)
    for place, forms in walker.stored.items():
        site = walker.log[place].site
        if site.packed and len(forms) == 2 and not _is_at_hand(walker, site, forms[0], forms[1]):
            yield site, _risk(JOINED)
    for site in _operands(kernel.body):
        yield site, _risk(INSIDE)


def _risk(text: str) -> Risk:
    return Risk("elsewhere", False, (1, 1), text)


def _is_fixed(walker: Walker, form: Form) -> bool:
    """Whether an address is that of an object, or so many bytes behind."""
    return all(walker.atoms.keys[a][0] == "object" for a in walker.atoms.inside(form))


def _is_unrolled(walker: Walker, site: ir.AccessSite) -> bool:
    """Whether the innermost loop around an access may be unrolled."""
    loops = [
        step.statement for step in walker.sites[site].path if isinstance(step.statement, ir.Loop)
    ]
    return (
        bool(loops)
        and loops[-1] not in walker.single
        and not any(x in walker.kept for x in walk(loops[-1].body))
    )


def _is_at_hand(walker: Walker, site: ir.AccessSite, low: Form, high: Form) -> bool:
    """Whether the word that is stored is there before `operator=` begins."""
    return _are_one_word(walker, low, high) and not _is_loaded_beside(walker, site, low)


def _is_loaded_beside(walker: Walker, site: ir.AccessSite, form: Form) -> bool:
    """Whether what is stored is loaded in the same line: one function does both."""
    loads = {
        walker.log[walker.makers[a][0]].site
        for a in walker.atoms.inside(form)
        if a in walker.makers
    }
    return any(load.packed and load.span.line == site.span.line for load in loads)


def _are_one_word(walker: Walker, low: Form, high: Form, depth: int = 8) -> bool:
    """Whether two halves come from one word: of one load, one packed instruction, or choices
    between such."""
    keys = [
        walker.atoms.keys[next(iter(inside))]
        if len(inside := walker.atoms.inside(form)) == 1
        else ("",)
        for form in (low, high)
    ]
    if keys[0][0] != keys[1][0] or not depth:
        return False
    (a,), (b,) = (walker.atoms.inside(form) or {-1} for form in (low, high))
    if a in walker.makers and b in walker.makers:
        return walker.makers[a] == walker.makers[b]
    if keys[0][0] == "variable":
        names = [key[1].name.rpartition(".")[0] for key in keys if isinstance(key[1], ir.Variable)]
        return bool(names[0]) and names[0] == names[-1]
    if keys[0][0] in ("unknown", "exchange"):
        return keys[0][1:-1] == keys[1][1:-1]
    if keys[0][0] not in _OF_PARTS:
        return False
    parts = [
        [*(p for p in key if isinstance(p, Form)), *walker.feeds.get(x, ())]
        for key, x in zip(keys, (a, b), strict=True)
    ]
    same = len(parts[0]) == len(parts[1]) and parts[0]
    return bool(same) and all(
        x == y or _are_one_word(walker, x, y, depth - 1) for x, y in zip(*parts, strict=True)
    )


def _operands(body: ir.Body) -> Iterator[ir.AccessSite]:
    """Loads of halves that an operator or conversion takes by reference, and stores of what the
    store converts."""
    loads: dict[ir.Variable, ir.AccessSite] = {}
    for s in walk(body):
        untracked = [e for _, e in s.untracked] if isinstance(s, ir.Store) else []
        for e in (*expressions(s), *untracked):
            for part in walk_expression(e):
                if isinstance(part, ir.Binary) or (
                    isinstance(part, ir.Convert) and not _is_half(part)
                ):
                    operands = (
                        (part.left, part.right) if isinstance(part, ir.Binary) else (part.operand,)
                    )
                    for x in operands:
                        if isinstance(x, ir.Read) and x.variable in loads and _is_half(x):
                            yield loads[x.variable]
        if isinstance(s, ir.Load):
            loads |= {v: s.site for _, v in s.targets}
        elif (
            isinstance(s, ir.Store)
            and len(untracked) == 1
            and _is_made_by_store(untracked[0], s.site, loads)
        ):
            yield s.site


def _is_made_by_store(
    e: ir.Expression, site: ir.AccessSite, loads: dict[ir.Variable, ir.AccessSite]
) -> bool:
    """Whether `operator=` of a half converts what it stores, or `operator+=` makes it."""
    if not _is_half(e):
        return False
    if isinstance(e, ir.Convert):
        return not _is_half(e.operand)
    left = e.left if isinstance(e, ir.Binary) else None
    return (
        isinstance(left, ir.Read)
        and left.variable in loads
        and loads[left.variable].span == site.span
    )


def _is_half(e: ir.Expression) -> bool:
    return isinstance(e.type, Float) and e.type.name in SCALARS
