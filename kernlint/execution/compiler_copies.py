"""Copies of many bytes, of which nvcc makes a loop of its own that has no line: its instructions are charged to others.

In: a kernel's body and its walk. Out: (site, risk) pairs. Read in nvcc 13's line tables for sm_90: `memcpy` and `memset` of more than 16
accesses (24 bytes through a `char *`), of 128 bytes and more, or of what is no whole number of accesses, and structs of 128 bytes and more
are charged to lines before and behind them, also past a barrier.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernlint.execution.compiler_facts import Risk
from kernlint.execution.compiler_pairs import space
from kernlint.execution.compiler_state import Entry
from kernlint.execution.compiler_walk import Walker
from kernlint.lowering import ir

CALLED = re.compile(r"(\w+::|::|__builtin_)*mem(cpy|set|move)\b")
MOST_ACCESSES, LOOPED = 16, 128
SECTORS = 32  # that one request touches at most, and wavefronts that it takes
UNLINED = "nvcc copies so many bytes in a loop that has no line: its instructions are charged to lines before and behind it"
BESIDE = "a copy of many bytes has no line: its instructions may be charged to this one"
DROPPED = "only some of the copied bytes may be needed: the others are not read"



def copied(walker: Walker) -> Iterator[tuple[ir.AccessSite, Risk]]:
    copies = {site: entry for site, entry in walker.sites.items() if _is_unlined(site)}
    for site in copies:
        yield site, Risk("recharged", False, (0, 1), UNLINED)
    for site, entry in walker.sites.items() if copies else ():
        beside = sum(max(1, len(copy.pieces)) for copy, other in copies.items() if _is_beside(entry, other))
        if beside and site not in copies:
            yield site, Risk("recharged", False, (1, 1 + SECTORS * beside), BESIDE)
    for site, executions in walker.loaded.items():
        if not any(numbers for _, numbers in executions) and _goes_to_own(walker, site):
            yield site, Risk("narrowed", False, (0, 1), DROPPED)


def _is_unlined(site: ir.AccessSite) -> bool:
    widths = [width for _, width in site.pieces]
    if sum(widths) >= LOOPED:
        return True
    return bool(CALLED.match(site.text)) and (len(set(widths)) != 1 or len(widths) > MOST_ACCESSES)


def _is_beside(a: Entry, b: Entry) -> bool:
    """Whether one of two accesses of the same kind stands on the way to the other."""
    common = min(len(a.path), len(b.path))
    return a.path[:common] == b.path[:common] and a.site.op == b.site.op and space(a) == space(b)


def _goes_to_own(walker: Walker, site: ir.AccessSite) -> bool:
    """Whether bytes that are not followed are copied to a thread's own array."""
    own = (e.memory for other, e in walker.sites.items() if e.store and other.span == site.span)
    return any(memory is not None and memory.space == "local" for memory in own)
