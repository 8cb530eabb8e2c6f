"""Synchronisation that is not modelled and may still order accesses: barriers of a cluster, acquiring
loads, unknown functions, loops that poll.

In: a lowered body, the events of all sets of blocks. Out: `PossibleWaits`, asked whether two accesses
by threads of different blocks or warps may be in an order. Who waits acquires before its access, and
the other thread releases after its own; both are looked for where they stand in the program. A loop
around both comes to the one after the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from kernlint.base.dataclass import dataclass
from kernlint.execution.faults.order import READ, Event, positions
from kernlint.execution.faults.waiting_calls import BLOCK_BARRIER, goes_on, tests_a_wait
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import bodies, read_by, reads, targets, walk

# accesses that acquire or release by their words, in assembly or as arguments
_ACQUIRES = re.compile(r"\.(acquire|acq_rel)\b|order(_|::)(acquire|acq_rel|seq_cst)\b|__nv_atomic_")
_RELEASES = re.compile(
    r"\.(release|acq_rel)\b|order(_|::)(release|acq_rel|seq_cst)\b|__nv_atomic_|__st(cg|wt)\b"
)
# methods of `cuda::atomic`, whose loads and stores are volatile here: those of others are not
_ACQUIRING_METHODS = re.compile(r"\.(load|wait|test|exchange|compare_exchange\w*|fetch_\w+)\s*\(")
_GIVES_BACK = re.compile(r"compare_exchange")  # what it found, in the expected value
_PAST_L1 = re.compile(r"__ldc[gv]\b")  # loads that see what other blocks write
# functions that nobody defines, and that are there to wait or to signal by their names
_SIGNALS = re.compile(
    r"atomic|fence|sync|wait|acquire|release|arrive|(?<!b)lock|notify|signal|barrier"
    r"|^(load|store|test|exchange|compare_exchange_\w+|fetch_\w+)$"
)
NOT_AT_ALL, PERHAPS, LIKELY = 0, 1, 2  # in an order
_Place = tuple[int, frozenset[ir.Loop]]  # in the program, inside which loops


@dataclass(frozen=True, slots=True, eq=False)
class _Wait:
    """`at`: where it stands in the program; `site`: what it reads, where that is followed;
    `ordering`: how likely it orders others."""

    at: int
    loops: frozenset[ir.Loop]
    ordering: int
    site: ir.AccessSite | None = None
    of_block: bool = False  # a barrier that all threads of a block reach

    @property
    def is_plain(self) -> bool:
        """Whether it is a load like any other, so that any store may be what it waits for."""
        return self.ordering == PERHAPS and self.site is not None


@dataclass(frozen=True, slots=True, eq=False)
class _Text:
    """A program's statements with the loops around each, and where its accesses stand. `always`: those
    that no branch keeps a thread from."""

    statements: Sequence[tuple[ir.Statement, frozenset[ir.Loop]]]
    at: dict[ir.AccessSite, int]
    always: set[ir.Statement]


class PossibleWaits:
    def __init__(self, body: ir.Body, events: Sequence[Event]) -> None:
        self.body, self.events = body, events

    @cached_property
    def text(self) -> _Text:
        return _text(self.body)

    @cached_property
    def waits(self) -> Sequence[_Wait]:
        waits = list(_waits(self.text))
        if not any(wait.is_plain for wait in waits):
            return waits
        written = {event.target for event in self.events if event.kind != READ}
        changed = {event.site for event in self.events if event.target in written}
        return [wait for wait in waits if not wait.is_plain or wait.site in changed]

    @cached_property
    def polled(self) -> frozenset[ir.AccessSite]:
        likely = (wait.site for wait in self.waits if wait.ordering == LIKELY)
        return frozenset(site for site in likely if site is not None)

    @cached_property
    def releases(self) -> Sequence[_Place]:
        return list(_releases(self.text))

    @cached_property
    def stores(self) -> Sequence[_Place]:
        return [
            (number, loops)
            for number, (s, loops) in enumerate(self.text.statements)
            if isinstance(s, ir.Store)
        ]

    def between(self, one: Event, other: Event) -> int:
        """How likely two accesses of threads of different blocks or warps are in an order."""
        if not self.waits:
            return NOT_AT_ALL
        if one.site in self.polled or other.site in self.polled:
            return LIKELY
        return max(self._reaches(one, other), self._reaches(other, one))

    def _reaches(self, first: Event, second: Event) -> int:
        released = self._is_followed(first, self.releases)
        stored = released or self._is_followed(first, self.stores)
        place = self.text.at[second.site]
        before = (
            wait.ordering
            for wait in self._waits_for(second)
            if (stored if wait.is_plain else released)
            and (wait.at < place or not wait.loops.isdisjoint(second.loops))
        )
        return max(before, default=NOT_AT_ALL)

    def _waits_for(self, event: Event) -> Iterator[_Wait]:
        """A barrier of the block is counted among those (`order`), and tells nothing of its memory."""
        shared = event.target.space == "shared"
        return (wait for wait in self.waits if not (shared and wait.of_block))

    def _is_followed(self, event: Event, by: Sequence[_Place]) -> bool:
        place = self.text.at[event.site]
        return any(at > place or not loops.isdisjoint(event.loops) for at, loops in by)


def _text(body: ir.Body) -> _Text:
    statements: list[tuple[ir.Statement, frozenset[ir.Loop]]] = []
    pending = [(s, frozenset[ir.Loop]()) for s in reversed(body)]
    while pending:
        s, loops = pending.pop()
        statements.append((s, loops))
        around = loops | {s} if isinstance(s, ir.Loop) else loops
        for inner in reversed(bodies(s)):
            pending += [(one, around) for one in reversed(inner)]
    return _Text(statements, positions(body), set(_reached_by_all(body)))


def _reached_by_all(body: ir.Body) -> Iterator[ir.Statement]:
    for s in body:
        yield s
        if isinstance(s, ir.Loop | ir.Region):
            for inner in bodies(s):
                yield from _reached_by_all(inner)


def _waits(text: _Text) -> Iterator[_Wait]:
    polls: dict[ir.AccessSite, int] = {}
    for s, _ in text.statements:
        if isinstance(s, ir.Loop):
            polls |= _polls(s)
    for number, (s, loops) in enumerate(text.statements):
        if isinstance(s, ir.Barrier) and is_of_cluster(s):
            yield _Wait(number, loops, LIKELY)
        if isinstance(s, ir.Clobber) and _is_function(s) and not goes_on(s):
            of_block = s.what == BLOCK_BARRIER and s in text.always
            ordering = LIKELY if _SIGNALS.search(s.what) else PERHAPS
            yield _Wait(number, loops, ordering, of_block=of_block)
        if isinstance(s, ir.Assign) and tests_a_wait(s):
            yield _Wait(number, loops, LIKELY)
        if isinstance(s, ir.Load | ir.Atomic):
            ordering = LIKELY if _acquires(s) else polls.get(s.site, NOT_AT_ALL)
            if ordering:
                yield _Wait(number, loops, ordering, s.site)


def _acquires(s: ir.Load | ir.Atomic) -> bool:
    if isinstance(s, ir.Atomic) and not s.site.result_used and not _GIVES_BACK.search(s.site.text):
        return False  # nobody sees whether it was somebody's turn
    is_of_library = isinstance(s, ir.Atomic) or s.site.volatile
    words = (_ACQUIRES, _ACQUIRING_METHODS) if is_of_library else (_ACQUIRES,)
    return any(word.search(s.site.text) for word in words)


def _polls(loop: ir.Loop) -> Iterator[tuple[ir.AccessSite, int]]:
    """What decides whether a loop goes on. Volatile loads and atomic operations in a loop that stores
    nothing are followed (`handovers`)."""
    inside = list(walk((loop,)))
    stores = any(isinstance(s, ir.Store) for s in inside)
    ending = deciding(loop, inside)
    for s in inside:
        if not isinstance(s, ir.Load | ir.Atomic) or ending.isdisjoint(targets(s)):
            continue
        if isinstance(s, ir.Load) and _PAST_L1.search(s.site.text):
            yield s.site, LIKELY
        elif isinstance(s, ir.Atomic) or s.site.volatile:
            yield s.site, LIKELY if stores else NOT_AT_ALL
        else:
            yield s.site, PERHAPS


def deciding(loop: ir.Loop, inside: Sequence[ir.Statement]) -> set[ir.Variable]:
    """The variables that the conditions are made of under which a loop ends. `inside`: its
    statements, with those inside of them."""
    found = set[ir.Variable]() if loop.condition is None else reads(loop.condition)
    for s in inside:
        if isinstance(s, ir.If) and any(isinstance(one, ir.Leave) for one in walk((s,))):
            found |= reads(s.condition)
    makers = [(set(targets(s)), read_by(s)) for s in inside]
    size = -1
    while len(found) > size:
        size = len(found)
        for made, used in makers:
            if not made.isdisjoint(found):
                found |= used
    return found


def _releases(text: _Text) -> Iterator[_Place]:
    """What may tell others to go on."""
    for number, (s, loops) in enumerate(text.statements):
        match s:
            case ir.Barrier():
                releases = is_of_cluster(s)
            case ir.Clobber():
                releases = _is_function(s)
            case ir.Store():
                releases = s.site.volatile or _RELEASES.search(s.site.text) is not None
            case _:
                releases = isinstance(s, ir.Atomic)
        if releases:
            yield number, loops


def is_of_cluster(s: ir.Barrier) -> bool:
    return s.site.cluster or "barrier.cluster" in s.site.text


def _is_function(s: ir.Clobber) -> bool:
    """Not what assigns a value that is not followed (`{…}`), nor a copy of bytes."""
    return s.what[:1].isalpha() or s.what.startswith("_")
