"""Family 2, global memory: values that are loaded again because pointers may overlap. Goes in:
facts of one kernel. Comes out: notes.

As an edit where the kernel is defined in the file: `__restrict__` at its pointers. That is a
promise which only a person can make.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from functools import partial

from kernlint.base.span import Span
from kernlint.checks import context, words
from kernlint.checks.context import Executed, Group
from kernlint.checks.global_memory.entries import global_entries
from kernlint.checks.rules import Rule
from kernlint.model.facts import Reload
from kernlint.model.finding import Edit, Finding, Fix, Label

PROMISE = {"cuda": "__restrict__", "opencl": "restrict"}


def reloaded_global_value(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL209: loads of what a register holds, since a store through another pointer lies between."""
    entries, clashing = global_entries(group), _clashing(group)
    for kernel in group.kernels:
        own = [e for e in entries if e.kernel is kernel]
        exact = [e for e in own if e.status == "exact" and e.requests]
        hits = [e for e in exact if e.access.reloaded is not None]
        if any(e.access.object in clashing for e in hits):
            return  # a launch of the file would break the promise
        if hits and sum(e.times for e in hits) >= rule.threshold("share") * sum(
            e.times for e in own
        ):
            build = partial(_finding, group=group, rule=rule, clashing=clashing)
            yield context.told_of(hits, build)
            return  # the same in its other launches


def _clashing(group: Group) -> frozenset[str]:
    """Parameters that a launch gives the same pointer as another, where the kernel writes through
    one of the two."""
    written = {
        access.object
        for kernel in group.kernels
        for access in kernel.accesses
        if access.op != "load"
    }
    return frozenset(
        name
        for kernel in group.kernels
        for pair in kernel.launch.aliases
        if written & set(pair)
        for name in pair
    )


def _finding(hits: Sequence[Executed], group: Group, rule: Rule, clashing: Set[str]) -> Finding:
    first, *others = hits
    access, store = first.access, first.access.reloaded
    assert store is not None
    requests, sectors = sum(e.times for e in hits), sum(e.times * e.counts.mean for e in hits)
    more = f" and {words.plural(len(others), 'more value', 'more values')}" if others else ""
    are = "are" if others else "is"
    word = PROMISE.get(group.language, PROMISE["cuda"])
    names = {
        name
        for e in hits
        if e.access.reloaded
        for name in (e.access.object, e.access.reloaded.object)
    }
    edits = _edits(group, word, names, clashing)
    cost = f"{words.plural(requests, 'request')}, {words.plural(round(sectors), 'sector')}"
    return Finding(
        rule.code,
        rule.name,
        rule.severity,
        f"`{access.text}`{more} {are} loaded again because {_why(store, others)} ({cost}, exact)",
        access.span,
        kernel=words.kernel(first.kernel),
        status="exact",
        labels=(*_stores(hits), *(Label(e.access.span, "and this") for e in others)),
        help=f"declare the kernel's pointers `{word}` if their data never overlap; the values then stay in registers",
        assumptions=access.assumptions,
        fix=Fix("unsafe", f"Declare the pointers of `{first.kernel.name}` `{word}`", edits)
        if edits
        else None,
    )


def _why(store: Reload, others: Sequence[Executed]) -> str:
    if others:
        return f"stores through other pointers (`{store.text}` on line {store.span.line}) may alias them"
    return f"the store to `{store.text}` on line {store.span.line} may alias it"


def _stores(hits: Sequence[Executed]) -> Iterator[Label]:
    found: dict[Span, Reload] = {
        e.access.reloaded.span: e.access.reloaded for e in hits if e.access.reloaded is not None
    }
    lines = {e.access.span.line for e in hits}
    for span in found:
        if span.line not in lines:
            yield Label(span, "this store may alias it")


def _edits(group: Group, word: str, names: Set[str], clashing: Set[str]) -> tuple[Edit, ...]:
    """The word before the name of each pointer that has none and of which it may hold; nothing
    where some of `names` is no such parameter in this file. The word at the pointer that is loaded
    is enough."""
    kernel, file = group.kernels[0], group.file
    if kernel.span.path != file.path or kernel.span.macro:
        return ()
    pointers = group.source.pointer_parameters(kernel)
    free = {name: span for name, span in pointers.items() if name not in clashing}
    return (
        tuple(Edit(span, f"{word} {name}") for name, span in free.items())
        if names <= pointers.keys()
        else ()
    )
