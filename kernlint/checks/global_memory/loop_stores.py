"""Family 2, global memory: results that a loop stores in every iteration at one address. Goes in:
facts of one kernel. Comes out: findings.

nvcc keeps such a value in a register and stores it after the loop only if no load of the loop may
read it: loads through another pointer may, unless both are `__restrict__`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kernlint.base.span import Span
from kernlint.checks import context, words
from kernlint.checks.branch_paths import within
from kernlint.checks.context import Executed, Group
from kernlint.checks.global_memory.entries import global_entries
from kernlint.checks.global_memory.reloads import PROMISE
from kernlint.checks.rules import Rule
from kernlint.model.facts import LOOPS, Access, Kernel
from kernlint.model.finding import Finding
from kernlint.source_model import index_terms

OF_LAUNCH = re.compile(r"(thread|block)(Idx|Dim)\.[xyz]|gridDim\.[xyz]|get_\w+\(\d?\)")
NAME = re.compile(r"[A-Za-z_][\w.]*(?:\(\d?\))?")
OPEN = ("unknown-trip-count", "unknown-launch", "unknown-argument")  # how often it runs, or where


def store_in_loop(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL210: stores whose address stays the same in all iterations of the loop around them."""
    entries = global_entries(group)
    for cause in context.by_cause(e for e in entries if _stays(e, entries, group)):
        hits = [e for e in cause if _often(e, entries, group, rule)]
        if hits:
            yield _finding(max(hits, key=lambda e: e.requests or 0), hits, group, rule)


def _stays(entry: Executed, entries: Sequence[Executed], group: Group) -> bool:
    """Whether the store surely remains in the loop, and nothing of the loop needs it there."""
    access, kernel, loop = entry.access, entry.kernel, entry.access.in_loop
    if loop is None or access.op != "store" or entry.compiled:
        return False
    if _is_chosen(access, loop, kernel):
        return False
    if not _keeps_address(access, loop, kernel, group) or _is_seen(access, loop, kernel, group):
        return False
    return entry.status == "exact" or (
        access.reason in OPEN and _may_alias(access, loop, kernel, group)
    )


def _keeps_address(access: Access, loop: Span, kernel: Kernel, group: Group) -> bool:
    """Whether the index is made of the thread's number, arguments and counters of loops further
    out, and counts from the start of one array: pointers that are swapped, or that an array holds,
    may point elsewhere in each iteration."""
    if access.in_elements.origin != "object" or "|" in access.object:
        return False
    outer = [b.span for b in kernel.branches if b.kind in LOOPS and _encloses(b.span, loop)]
    heads = [head for span in outer if (head := group.source.loop_head(span)) is not None]
    counters = {name for head in heads for name, _ in head.steps}
    known = counters | {parameter.name for parameter in kernel.parameters}
    factors = [factor for term in access.index_terms for factor in term.factors]
    text = " ".join(symbol for factor in factors for symbol in factor.symbols)
    symbols = NAME.findall(text)
    own = index_terms.with_lane(access, index_terms.lane(kernel))
    return bool(own) and all(name in known or OF_LAUNCH.fullmatch(name) for name in symbols)


def _is_chosen(access: Access, loop: Span, kernel: Kernel) -> bool:
    """Whether a condition in the loop decides if it is executed."""
    inside = (b for b in kernel.branches if b.kind not in LOOPS and within(b.span, loop))
    return any(within(access.span, b.span) or access.calls for b in inside)


def _encloses(outer: Span, inner: Span) -> bool:
    return outer != inner and within(inner, outer)


def _is_seen(access: Access, loop: Span, kernel: Kernel, group: Group) -> bool:
    """Whether other threads may read it between two iterations, or the loop itself elsewhere."""
    if any(within(b.span, loop) or b.calls for b in kernel.barriers):
        return True
    if "volatile" in group.source.words(kernel.span):
        return True
    same = (a for a in kernel.accesses if a.object == access.object and within(a.span, loop))
    return any(a.index != access.index or a.op == "atomic" for a in same)


def _may_alias(access: Access, loop: Span, kernel: Kernel, group: Group) -> bool:
    """Whether the loop loads through another pointer that is no `__restrict__` either."""
    free = group.source.pointer_parameters(kernel)
    loaded = {
        a.object
        for a in kernel.accesses
        if a.op == "load" and a.space == "global" and within(a.span, loop)
    }
    return access.object in free and bool((loaded - {access.object}) & free.keys())


def _often(entry: Executed, entries: Sequence[Executed], group: Group, rule: Rule) -> bool:
    """Whether it costs a part of the kernel's global requests."""
    if entry.requests is None:
        return True
    turns, total = _turns(entry, group), sum(e.times for e in entries if e.kernel is entry.kernel)
    wasted = entry.requests * (1 - 1 / turns) if turns else 0
    return turns >= rule.threshold("turns") and wasted >= rule.threshold("share") * total


def _turns(entry: Executed, group: Group) -> float:
    loop = entry.access.in_loop
    runs = None if loop is None else context.turns(loop, entry.kernel, group.device)
    return runs or 0


def _finding(worst: Executed, hits: Sequence[Executed], group: Group, rule: Rule) -> Finding:
    access, turns = worst.access, _turns(worst, group)
    counted = ""
    if worst.requests is not None and turns:
        now, best = (words.count(round(n)) for n in (worst.requests, worst.requests / turns))
        counted = f": {now} requests instead of {best} ({worst.status})"
    word = PROMISE.get(group.language, PROMISE["cuda"])
    return Finding(
        rule.code,
        rule.name,
        rule.severity,
        f"`{access.text}` is stored in every iteration at the same address{counted}",
        access.span,
        kernel=words.kernel(worst.kernel),
        status=worst.status,
        labels=context.labels(access, group.file),
        notes=(
            *words.index(access),
            "loads of the loop may read it through another pointer, so nvcc does not move the store out of the loop",
            *context.launch_notes(hits, worst, group, "sectors"),
        ),
        help="compute in a variable and store it once after the loop; "
        f"or declare the kernel's pointers `{word}` if their data never overlap",
        assumptions=access.assumptions,
        metrics=context.sectors(worst),
    )
