"""Copies of classes, as members or as bytes, and of many bytes, of which nvcc makes a loop of its
own that has no line: its instructions are charged to others.

In: a kernel's body and its walk. Out: (site, risk) pairs. `types.Copying` says how a class is
copied; what is copied as bytes to a variable and from there to memory may go there at once, on the
later line. Read in nvcc 13's line tables for sm_90: `memcpy` and `memset` of more than 16 accesses
(24 bytes through a `char *`), of 128 bytes and more, or of what is no whole number of accesses, and
structs of 128 bytes and more are charged to lines before and behind them, also past a barrier.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from itertools import pairwise

from kernlint.ir import nodes as ir
from kernlint.ir.traversal import walk, walk_expression
from kernlint.optimizer.compiler_facts import Risk
from kernlint.optimizer.compiler_pairs import space
from kernlint.optimizer.compiler_state import Entry
from kernlint.optimizer.compiler_walk import Walker

CALLED = re.compile(r"(\w+::|::|__builtin_)*mem(cpy|set|move)\b")
MOST_ACCESSES, LOOPED = 16, 128
SECTORS = 32  # that one request touches at most, and wavefronts that it takes
UNLINED = "nvcc copies so many bytes in a loop that has no line: its instructions are charged to lines before and behind it"
BESIDE = "a copy of many bytes has no line: its instructions may be charged to this one"
DROPPED = "only some of the copied bytes may be needed: the others are not read"

AT_ONCE = "the struct is copied as bytes to a variable and on: it may be copied at once, on the later line"
AT_COPY = "only unnecessary stores lie between it and the store of its value: it may be charged to that line"
MEMBERS = "the struct may be copied as bytes, or one member at a time"
JOINED = "members that share a word may be stored together"
MOST_PARTS = 4  # of a word
EIGHT = 8  # bytes, which a register pair holds: on the first line, or at once on the later
Place = tuple[ir.MemoryObject, int]


def copied_classes(body: ir.Body) -> Iterator[tuple[ir.AccessSite, Risk]]:
    every = [s for s in walk(body) if isinstance(s, ir.Load | ir.Assign | ir.Store)]
    addresses = [s.address for s in every if not isinstance(s, ir.Assign)]
    accessed = Counter(map(_place, addresses))
    indexed = {
        x.object
        for a in addresses
        if _place(a) is None
        for x in walk_expression(a)
        if isinstance(x, ir.Address)
    }
    held: dict[ir.Variable | Place, ir.Load] = {}  # what named variables were loaded by
    made: dict[ir.Variable, ir.Load] = {}
    for before, s in pairwise((None, *every)):
        if isinstance(s, ir.Assign):
            source = s.value.variable if isinstance(s.value, ir.Read) else None
            load = (
                held.pop(s.variable, None)
                if source is None
                else held.get(source) or made.get(source)
            )
            if source is not None and load is not None:
                held[s.variable] = load
                if load.site.copying is not None and load.site.copying.loose:
                    yield load.site, Risk("narrowed", False, (0, MOST_PARTS), MEMBERS)
        elif not isinstance(s, ir.Load | ir.Store) or (how := s.site.copying) is None:
            continue
        elif isinstance(s, ir.Load):
            made |= dict.fromkeys((v for _, v in s.targets), s)
            if how.loose and how.mixed:
                yield s.site, Risk("narrowed", False, (0, MOST_PARTS), MEMBERS)
        else:
            read = {e.variable for _, e in (*s.values, *s.untracked) if isinstance(e, ir.Read)}
            named = [held[v] for v in read if v in held]
            whole = named if len(named) == len(read) else []
            if (
                not named and isinstance(before, ir.Load) and before.site.copying == how
            ):  # with an array, it is in memory in between
                origin, own = _place(before.address), _place(s.address)
                whole = (
                    [held[origin]]
                    if origin in held and accessed[origin] == 2 and origin[0] not in indexed
                    else []
                )
                held |= {own: before} if own is not None and own[0].space == "local" else {}
            if how.uneven:
                yield s.site, Risk("merged", False, (1 / len(s.site.pieces), 1), JOINED)
            if how.loose and (how.mixed or named or whole or not read):
                yield s.site, Risk("narrowed", False, (1, MOST_PARTS), MEMBERS)
            for load in dict.fromkeys(whole):
                yield from _at_once(load, s, every)


def past_replaced(
    walker: Walker, replaced: Set[ir.AccessSite]
) -> Iterator[tuple[ir.AccessSite, Risk]]:
    """Vectors that a variable holds until they are stored, where the only stores between are
    unnecessary: these are gone when nvcc moves the load to the line of its copy."""
    for place, forms in walker.stored.items() if replaced else ():
        makers = {
            walker.makers.get(form.terms[0][0][0], (-1, 0))[0] if len(form.terms) == 1 else -1
            for form in forms
        }
        start = makers.pop() if len(makers) == 1 else -1
        if start < 0 or not any(e.site in replaced for e in walker.log[start + 1 : place]):
            continue
        load, store = walker.log[start].site, walker.log[place].site
        if load.vector and load.charged_line != store.charged_line:
            yield load, Risk("recharged", False, (0, 1), AT_COPY)


def _place(address: ir.Expression) -> Place | None:
    """An object and how many bytes behind its start, where that is constant."""
    if (
        isinstance(address, ir.Binary)
        and address.op == "+"
        and isinstance(address.right, ir.Constant)
    ):
        inner = _place(address.left)
        return None if inner is None else (inner[0], inner[1] + int(address.right.value))
    return (address.object, 0) if isinstance(address, ir.Address) else None


def _at_once(
    load: ir.Load, store: ir.Store, every: Sequence[ir.Statement]
) -> Iterator[tuple[ir.AccessSite, Risk]]:
    """A class that a variable holds in between."""
    line, how = store.site.charged_line, load.site.copying
    if how is not None and how.loose:
        yield load.site, Risk("narrowed", False, (0, MOST_PARTS), MEMBERS)
    at_hand = (
        load.site.span.first_charged == line or sum(width for _, width in load.site.pieces) != EIGHT
    )
    if how is None or not how.by_bytes or (load.site.charged_line == line and at_hand):
        return
    yield load.site, Risk("recharged", False, (0, 1), AT_ONCE)
    for other in every:
        if isinstance(other, ir.Load) and other is not load and other.site.charged_line == line:
            yield (
                other.site,
                Risk("recharged", False, (1, 1 + MOST_PARTS * len(load.site.pieces)), BESIDE),
            )


def copied(walker: Walker) -> Iterator[tuple[ir.AccessSite, Risk]]:
    copies = {site: entry for site, entry in walker.sites.items() if _is_unlined(site)}
    for site in copies:
        yield site, Risk("recharged", False, (0, 1), UNLINED)
    for site, entry in walker.sites.items() if copies else ():
        beside = sum(
            max(1, len(copy.pieces)) for copy, other in copies.items() if _is_beside(entry, other)
        )
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
