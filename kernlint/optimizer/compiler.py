"""The compile stage's questions: could nvcc change what the machine executes on an access, and how?

In: a kernel of the intermediate form and what the executor knows of its loops. Out: risks per
access; an access without one runs as written (nvcc 13.0, -O3, sm_90). The rules are measured:
tests/compiler generates the kernels, tests/data/compiler holds what nvcc made of them. Never looks
at launches or values.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from kernlint.base import deadline
from kernlint.base.dataclass import dataclass, field, replace
from kernlint.base.deadline import OutOfTime
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import bodies, sites, walk
from kernlint.optimizer.carried_whole import carried_whole
from kernlint.optimizer.compiler_bits import taken_as_integers
from kernlint.optimizer.compiler_carried import carried
from kernlint.optimizer.compiler_constants import of_one_constant
from kernlint.optimizer.compiler_copies import copied, copied_classes, past_replaced
from kernlint.optimizer.compiler_dead import Dead, dead, for_exchanges
from kernlint.optimizer.compiler_decided import decided
from kernlint.optimizer.compiler_facts import CHARGED, LoopFacts, Outcome, Risk, Sunk
from kernlint.optimizer.compiler_fixed import in_pieces, under_conditions
from kernlint.optimizer.compiler_forms import Form
from kernlint.optimizer.compiler_groups import removed, rolled, unrolled
from kernlint.optimizer.compiler_headers import in_half_headers
from kernlint.optimizer.compiler_initial import initial
from kernlint.optimizer.compiler_library import with_tables
from kernlint.optimizer.compiler_members import stored_in_arms
from kernlint.optimizer.compiler_narrowing import narrows
from kernlint.optimizer.compiler_pairs import BOTH_ARMS, CONDITIONAL, EARLIER, PASSED_BY, space
from kernlint.optimizer.compiler_placement import placed_together
from kernlint.optimizer.compiler_places import in_classes, moved, unplaced
from kernlint.optimizer.compiler_reloads import reloaded
from kernlint.optimizer.compiler_repeats import repeated
from kernlint.optimizer.compiler_rotation import shared_with_exit
from kernlint.optimizer.compiler_selects import met, selected
from kernlint.optimizer.compiler_skipped import skipped
from kernlint.optimizer.compiler_speculation import speculated
from kernlint.optimizer.compiler_state import Path, Step, stayed
from kernlint.optimizer.compiler_unread import hardly_read, in_cycles, never_read
from kernlint.optimizer.compiler_unrolling import counts_places, in_full
from kernlint.optimizer.compiler_uses import (
    Needs,
    Readers,
    Uses,
    made_of,
    needed_without,
    needs_of,
    readers_of,
)
from kernlint.optimizer.compiler_walk import Walker
from kernlint.optimizer.compiler_widths import apart, read_widths
from kernlint.optimizer.masked_bytes import masked_bytes
from kernlint.optimizer.path_conditions import PathConditions, ruled_out
from kernlint.optimizer.revisited import revisited
from kernlint.optimizer.unread_elements import unread_elements

LANES = 32
UNROLL = 4  # run-time loops: count % 4 iterations first, then blocks of 16, 8 and 4
JOINING = ("merged", "aggregated")
MOST_SITES = 3_000  # the walk compares each access with those before it
MOST_GLANCED = 64
LOOK_SHARE = 0.5  # of what is left of the limit: the counts must be made as well
LATE = "the time limit ended before what stays in registers was followed"
SHARED_WITH_EXIT = (
    "the next iteration and the code after the loop load it: it may be counted on an earlier line"
)
WITHOUT_LINE = "what a loop shares with the code behind it may be counted on this line"
UNREAD = "it belongs to an array from which only what nobody needs is loaded: it may be dropped"


@dataclass(frozen=True, slots=True)
class View:
    """A kernel as nvcc sees it: ways in which accesses may change, and what surely becomes of
    some."""

    kernel: ir.Kernel
    walker: Walker | None
    found: Mapping[ir.AccessSite, Mapping[str, Risk]]
    outcomes: Mapping[ir.AccessSite, Outcome]
    reloaded: Mapping[ir.AccessSite, ir.AccessSite] = field(
        default_factory=dict
    )  # see `compiler_reloads`


def look(kernel: ir.Kernel) -> View:
    """What nvcc makes of a kernel; where that takes too long, that anything may become of it."""
    every = [site for s in walk(kernel.body) for site in sites(s)]
    if len(every) > MOST_SITES:
        return _unfollowed(
            kernel, every, f"with {len(every):,} accesses, what stays in registers is not followed"
        )
    try:
        with deadline.optional(LOOK_SHARE):
            return _followed(kernel)
    except OutOfTime:
        deadline.check(0)  # ends all the same where nothing is left
        return _unfollowed(kernel, every, LATE)


def _unfollowed(kernel: ir.Kernel, every: Sequence[ir.AccessSite], text: str) -> View:
    risk = Risk("unfollowed", False, (0, 2), text)
    return View(kernel, None, {site: {risk.kind: risk} for site in every}, {})


def _followed(kernel: ir.Kernel) -> View:
    walker, needs, doubtful = _walked(kernel)
    found = {site: dict(kinds) for site, kinds in walker.found.items()}
    found |= {
        site: {"eliminated": Risk("eliminated", True, (0, 0), "its value is never needed")}
        for site in walker.gone.loads
    }
    shared = _shared_with_exit(kernel, walker)
    readers = readers_of(walker, needs.plain)
    placed = (unplaced(kernel), in_classes(kernel.body), in_half_headers(kernel, walker), shared)
    values = (
        _unused(kernel, walker, needs, readers),
        _unread(walker),
        _chosen(walker, needs),
        selected(walker, needs.plain, readers),
    )
    moved_on = (
        met(walker),
        stored_in_arms(walker, needs.plain, readers),
        carried(walker, needs.plain, readers),
        carried_whole(kernel.body, walker),
        unread_elements(walker),
        repeated(kernel, walker),
    )
    dropped = ((site, Risk("eliminated", False, (0, 1), UNREAD)) for site in doubtful)
    beside = (
        copied(walker),
        copied_classes(kernel.body),
        with_tables(kernel, walker),
        taken_as_integers(kernel.body, walker),
        dropped,
    )
    fixed = (in_pieces(kernel, walker), under_conditions(walker), placed_together(walker))
    conditions = PathConditions(walker.atoms, walker.first_tests)
    known = (
        of_one_constant(walker),
        decided(walker, needs.plain, conditions),
        ruled_out(walker, needs.plain, conditions),
    )
    wide = (revisited(walker), masked_bytes(walker))
    joined = (
        _for_replaced(walker, needs, found),
        _in_joined_arms(walker, needs, found),
        _beside_joined(walker, kernel.body, found),
        _beside_promoted(walker, found),
    )
    for source in (
        *values,
        *moved_on,
        *joined,
        *placed,
        *beside,
        speculated(kernel.body, walker),
        *fixed,
        *known,
        *wide,
    ):
        for site, risk in source:
            if not site.volatile or risk.kind in CHARGED:
                found.setdefault(site, {}).setdefault(risk.kind, risk)
    if kernel.keeps_calls:
        return View(
            kernel,
            walker,
            {
                site: {kind: _doubted(risk) for kind, risk in kinds.items()}
                for site, kinds in found.items()
            },
            {},
        )
    together = unrolled(walker, found, initial(kernel.body))
    outcomes = {
        **together,
        **rolled(walker, found),
        **removed(walker, found),
        **_sunk(walker, needs, found),
    }
    return View(kernel, walker, found, outcomes, reloaded(kernel, walker))


def glance(kernel: ir.Kernel) -> View | None:
    """What nvcc joins, and what it surely takes from a register, in one walk: what findings need
    where the launch is not known, so that no count is exact. None for a kernel of many accesses, in
    which that takes longer than all else, and where it takes too long."""
    if sum(1 for s in walk(kernel.body) for _ in sites(s)) > MOST_GLANCED:
        return None
    try:
        with deadline.optional(LOOK_SHARE):
            return _glance(kernel)
    except OutOfTime:
        deadline.check(0)  # ends all the same where nothing is left
        return None


def _glance(kernel: ir.Kernel) -> View:
    walker = Walker(kernel)
    joined = (
        {}
        if kernel.keeps_calls
        else {
            **unrolled(walker, walker.found, initial(kernel.body)),
            **rolled(walker, walker.found),
        }
    )
    said = _doubted if kernel.keeps_calls else lambda risk: risk
    found = {
        site: {kind: said(risk) for kind, risk in kinds.items() if _glanced(risk)}
        for site, kinds in walker.found.items()
    }
    outcomes = {
        site: outcome
        for site, outcome in joined.items()
        if {"merged", "forwarded"} & found.get(site, {}).keys()
    }
    return View(kernel, None, {site: kinds for site, kinds in found.items() if kinds}, outcomes)


def _glanced(risk: Risk) -> bool:
    return risk.kind in JOINING or (risk.kind == "forwarded" and risk.certain)


def _walked(kernel: ir.Kernel) -> tuple[Walker, Needs, frozenset[ir.AccessSite]]:
    """The walk of a kernel, and the accesses that may be dropped besides. Of a shared array from
    which only what nobody needs is loaded nothing is left, nor of what is stored to it; of one
    whose loads are found needless only then something may be (measured: the stores of `s[i] = q[i]`
    stay where `t[i] = s[j]` goes since nobody needs what is loaded from `t`)."""
    walker = Walker(kernel)
    needs = needs_of(walker)
    gone = Dead() if walker.blind or not walker.loaded else dead(kernel)
    idle = frozenset(
        o for o in kernel.objects if o.space == "shared" and not walker.memory.needed(o)
    )
    filled = (
        Walker(kernel, filled=idle) if idle else walker
    )  # nvcc looks once what nobody reads: what fills these counts
    needless = _needless(filled, needs_of(filled).plain if idle else needs.plain) | gone.early
    unread = never_read(kernel, needless - in_cycles(kernel, needless))
    idle |= unread
    gone = dead(kernel, idle) if idle and not walker.blind and walker.loaded else gone
    if gone != Dead() or unread:
        walker = Walker(kernel, unread=unread, gone=gone)
        needs = needs_of(walker)
    most, last, left = unread, walker, needs
    while arrays := hardly_read(kernel, _needless(last, left.plain) | gone.loads) - most - idle:
        most |= arrays
        last = Walker(kernel, unread=most, gone=gone)
        left = needs_of(last)
    most |= hardly_read(kernel, _needless(last, left.plain) | _served(last) | gone.loads)
    stored = {
        site
        for site, entry in walker.sites.items()
        if entry.store and entry.memory in most - unread
    }
    return (
        walker,
        needs,
        frozenset(stored | (_needless(last, left.plain) - _needless(walker, needs.plain))),
    )


def _for_replaced(
    walker: Walker, needs: Needs, found: Mapping[ir.AccessSite, Mapping[str, Risk]]
) -> Iterator[tuple[ir.AccessSite, Risk]]:
    """Loads that only stores need which later ones replace (`s[a] = q[t]; s[a] = r[t];` loads from
    `q` no more)."""
    risks_of = (
        (site, kinds["eliminated"])
        for site, kinds in found.items()
        if site.op == "store" and "eliminated" in kinds
    )
    replaced = {site for site, risk in risks_of if risk.text != PASSED_BY}
    yield from past_replaced(walker, replaced)
    yield from _again_after_replaced(walker, replaced)
    left = needed_without(walker, replaced) if replaced else needs.plain
    for site in _needless(walker, left) - _needless(walker, needs.plain):
        yield site, Risk("eliminated", False, (0, 1), UNNECESSARY)
    for site, executions in walker.loaded.items() if replaced else ():
        kept = {
            bool(left.get(a)) for _, numbers in executions for a in numbers if needs.plain.get(a)
        }
        if len(kept) > 1:
            yield site, Risk("narrowed", False, (0, max(1, len(executions[0][1]))), UNNECESSARY)


def _again_after_replaced(
    walker: Walker, replaced: Set[ir.AccessSite]
) -> Iterator[tuple[ir.AccessSite, Risk]]:
    """Loads of one value that a replaced store takes, too: which of them is made depends on whether
    the store is removed first (measured: `s[t] = q[i]; s[t] = r; r += q[i];` loads on the last
    line)."""
    taken = {a for a, takers in walker.takers.items() if takers & replaced}
    loading: dict[int, set[ir.AccessSite]] = defaultdict(set)
    for site, executions in walker.loaded.items() if taken else ():
        for a in (a for _, numbers in executions for a in numbers):
            loading[a].add(site)
    for a in made_of(walker, taken):
        for site in loading[a] if len(loading[a]) > 1 else ():
            yield site, Risk("undecided", False, (0, 1), AGAIN)


def _needless(walker: Walker, needs: Uses) -> set[ir.AccessSite]:
    """Loads whose values nobody needs."""
    if walker.blind:
        return set()
    plain = {site: executions for site, executions in walker.loaded.items() if not site.volatile}
    seen = made_of(walker, walker.seen | walker.open)
    return {
        site
        for site, made in plain.items()
        if not any(needs.get(a) or a in seen for _, numbers in made for a in numbers)
    }


def _served(walker: Walker) -> set[ir.AccessSite]:
    """Loads whose values are in registers: what is stored only for them may be gone (`s[t] = x; y =
    s[t];`)."""
    read = {i.entry.site for i in walker.instances if not i.forwarded}
    return {i.entry.site for i in walker.instances if i.forwarded} - read


def _doubted(risk: Risk) -> Risk:
    """A change that needs functions to be put in place, where the compiler may call them."""
    low, high = risk.factor
    return (
        replace(risk, certain=False, factor=(min(low, 1), max(high, 1)), charged_line=None)
        if risk.certain
        else risk
    )


def risks(
    kernel: ir.Kernel,
    facts_of_loops: Mapping[ir.Loop, LoopFacts] | None = None,
    view: View | None = None,
) -> dict[ir.AccessSite, tuple[Risk, ...]]:
    """Every access that nvcc may execute otherwise than written, with the ways in which it may."""
    view = view or look(kernel)
    found = {site: dict(kinds) for site, kinds in view.found.items()}
    if view.walker is not None:
        for site, risk in _drifting(kernel, facts_of_loops or {}, view.walker):
            if not site.volatile:
                found.setdefault(site, {}).setdefault(risk.kind, risk)
        for site, risk in skipped(view.walker, facts_of_loops or {}):
            if not site.volatile:
                found.setdefault(site, {}).setdefault(risk.kind, risk)
        for site, risk in moved(kernel.body, view.walker):
            if not site.volatile or risk.kind in CHARGED:
                found.setdefault(site, {}).setdefault(risk.kind, risk)
    return {site: tuple(kinds.values()) for site, kinds in found.items()}


def _unused(
    kernel: ir.Kernel, walker: Walker, needs: Needs, readers: Readers
) -> Iterator[tuple[ir.AccessSite, Risk]]:
    if walker.blind:
        return
    places = (needs.plain, needs.staying, needs.arms, needs.chosen)
    counts = Counter(i.entry.site for i in walker.instances)
    makers: dict[int, set[ir.AccessSite]] = defaultdict(set)
    again = Counter(
        a for executions in walker.loaded.values() for _, numbers in executions for a in numbers
    )
    for i in walker.instances:
        if not i.forwarded:
            for _, numbers in walker.loaded.get(i.entry.site, ()):
                for a in numbers:
                    makers[a].add(i.entry.site)
    taken, kept, exchanged = (
        made_of(walker, walker.open),
        made_of(walker, walker.overwritten),
        for_exchanges(kernel),
    )
    unread = walker.privates.never_read()
    in_part = walker.privates.in_part({a for a, uses in needs.plain.items() if uses})
    for site, executions in walker.loaded.items():
        atoms = [a for _, numbers in executions for a in numbers]
        needed = [a for a in atoms if needs.plain.get(a)]
        if not needed:
            gone = taken.isdisjoint(atoms) and kept.isdisjoint(atoms) and site not in exchanged
            text = NEEDED[gone, not kept.isdisjoint(atoms)]
            yield site, Risk("eliminated", gone, (0, 0 if gone else 1), text)
            continue
        if counts[site] == len(executions) and any(
            x and (not any(needs.plain.get(a) for a in x) or unread.issuperset(x))
            for _, x in executions
        ):
            yield (
                site,
                Risk(
                    "eliminated", False, (0, 1), "of some of its executions nobody needs the value"
                ),
            )
        partly = _partly(
            walker, site, [[bool(needs.plain.get(a)) for a in numbers] for _, numbers in executions]
        )
        if partly is not None:
            yield site, partly
        elif (
            any(len(x) > 1 and any(makers[a] - {site} for a in x) for _, x in executions)
            and site in makers[needed[0]]
        ):
            yield site, Risk("narrowed", False, (0, len(needed)), OTHERS)
        elif len(site.pieces) > 1 and any(again[a] > len(executions) for a in atoms):
            yield site, Risk("narrowed", False, (0, 1), OTHERS)
        elif not in_part.isdisjoint(atoms):
            yield (
                site,
                Risk(
                    "narrowed",
                    False,
                    (0, 1),
                    "only some of its bytes may be needed: a narrower load may read them",
                ),
            )
        bytes_alone = all(walker.sites[site].size <= len(numbers) for _, numbers in executions)
        for a in needed if not bytes_alone else ():
            each = len(executions[0][1]) if len(site.pieces) == 1 else 1
            loaded = 8 * walker.sites[site].size
            if narrows(walker, a, readers, loaded // len(executions[0][1]), loaded):
                yield (
                    site,
                    Risk(
                        "narrowed",
                        False,
                        (1, each),
                        "only some bits of the value are needed: a narrower load may read them",
                    ),
                )
        pieces = len(site.pieces) > 1 or all(
            apart([bool(needs.plain.get(a)) for a in numbers]) for _, numbers in executions
        )
        if any(
            _sinks_into(walker, site, path, uses)
            for by in places
            for path, numbers in executions
            for uses in (
                [[x] for x in _of(numbers, by)] if pieces else [_of(numbers, by)]
            )  # each piece goes its own way
        ):
            yield (
                site,
                Risk(
                    "sunk",
                    False,
                    (0, 1),
                    "the value is needed in one branch only: the load may move there",
                ),
            )
        elif any(
            _needed_under_one(walker, site, path, numbers, needs.plain)
            or _needed_later(walker, path, numbers, needs.plain)
            for path, numbers in executions
        ):
            yield (
                site,
                Risk(
                    "sunk",
                    False,
                    (0, 1),
                    "the value is needed in one later branch only: the load may move there",
                ),
            )


OTHERS = "another load of the same words may need others of them"
AGAIN = "a store that is replaced needs the value, too: which of its loads is made is open"
UNNECESSARY = "only a store needs it that may be unnecessary"
NEEDED = {
    (True, False): "its value is never needed",
    (False, False): "only what kernlint does not follow takes its value",
    (
        False,
        True,
    ): "it is stored to an element of the thread's own array that nobody reads any more",
}


def _needed_under_one(
    walker: Walker, site: ir.AccessSite, path: Path, numbers: tuple[int, ...], uses: Uses
) -> bool:
    """Whether all uses lie behind the load's straight code where one condition holds, which several
    branches may test (`if (i < n) o[i] = x; if (i < n) p[i] = x;`): nvcc makes one of these."""
    needed = {use for a in numbers for use in uses.get(a, ())}
    if any(use[: len(path)] != path or len(use) == len(path) for use in needed):
        return False
    if not any(site in walker.alive.get(use[len(path)].statement, ()) for use in needed):
        return False
    known = [{(s.condition, s.side) for s in use[len(path) :]} for use in needed]
    shared = set[tuple[Form | None, bool]]().union(*known[:1]).intersection(*known[1:])
    return any(condition is not None for condition, _ in shared)


def _needed_later(walker: Walker, path: Path, numbers: tuple[int, ...], uses: Uses) -> bool:
    """Whether all uses lie in one arm of a branch after the early returns that the load lies
    behind, with no barrier between: what an inlined function returns behind an early return, needed
    under `if (threadIdx.x == 0)` only, is loaded there (measured)."""
    needed = {use for a in numbers for use in uses.get(a, ())}
    level = next(
        (i for i, step in enumerate(path) if any(use[i : i + 1] != (step,) for use in needed)), None
    )
    if level is None or not all(map(stayed, path[level:])):
        return False
    steps = {
        use[level] if len(use) > level and use[:level] == path[:level] else None for use in needed
    }
    step = steps.pop()
    if steps or step is None or step.condition is None or not isinstance(step.statement, ir.If):
        return False
    return all(
        walker.makers[a][1] in walker.fenced[step.statement] for a in numbers if a in walker.makers
    )


CHOSEN = {
    "speculated": "the value is one of several loads: one load of the selected address may serve all, counted on a later line",
    "sunk": "the value is replaced on one way: the load may execute on the other only",
}


def _chosen(walker: Walker, needs: Needs) -> Iterator[tuple[ir.AccessSite, Risk]]:
    """Loads whose values control chooses between, where nothing else needs them but what loads them
    again (measured: of `a = q[i]; if (c) { b = q[i]; a = r[i]; }` the first and the last are one
    load, and the one of the arm is made, too)."""
    if not walker.chosen:
        return
    live, readers = needs.plain, dict.fromkeys(walker.uses, 1)
    for a, key in enumerate(walker.atoms.keys):
        parts = (
            [
                *(p for p in key if isinstance(p, Form)),
                *(walker.feeds[a] if a in walker.standing else ()),
            ]
            if live.get(a)
            else []
        )
        for b in {b for part in parts for b in walker.atoms.inside(part)}:
            readers[b] = readers.get(b, 0) + 1
    loading: dict[int, set[ir.AccessSite]] = defaultdict(set)
    for site, executions in walker.loaded.items():
        for a in (a for _, numbers in executions for a in numbers):
            loading[a].add(site)
    for kind, atoms in walker.chosen:
        if all(
            readers.get(a, 0) == 1 or (len(loading[a]) > 1 and readers.get(a, 0) <= len(loading[a]))
            for a in atoms
        ):
            for site in {
                site for a in atoms for site in (walker.log[walker.makers[a][0]].site, *loading[a])
            }:
                yield site, Risk(kind, False, (0, 1), CHOSEN[kind])


def _partly(walker: Walker, site: ir.AccessSite, executions: list[list[bool]]) -> Risk | None:
    """A vector or struct of which only some members are needed (the same ones in every execution,
    else uncertain)."""
    needed = executions[0]
    if len(needed) < 2 or all(all(e) for e in executions):
        return None
    text = "only some members of the value are needed: the others are not read"
    size, certain = walker.sites[site].size, all(e == needed for e in executions)
    leaf = size // len(needed)
    if len(site.pieces) == len(needed):
        share = sum(needed) / len(needed)
        return Risk("narrowed", certain, (share, share) if certain else (0, 1), text)
    widths = read_widths([i for i, n in enumerate(needed) if n], 0, len(needed))
    if certain and widths == [len(needed)]:
        return None
    exact = certain and leaf >= 4 and size in (8, 16)
    return Risk("narrowed", exact, (len(widths), len(widths)) if exact else (1, len(needed)), text)


def _unread(walker: Walker) -> Iterator[tuple[ir.AccessSite, Risk]]:
    """Stores to arrays that are never read."""
    for site, entry in walker.sites.items():
        if entry.store and not walker.memory.needed(entry.memory):
            yield site, Risk("eliminated", True, (0, 0), "nothing reads this array")


def _sunk(
    walker: Walker, needs: Needs, found: Mapping[ir.AccessSite, Mapping[str, Risk]]
) -> dict[ir.AccessSite, Outcome]:
    """Loads that surely move into an arm of a later branch: the arm writes (else it may be computed
    without a branch), the load's straight code ends in the branch, and no inner branch could take
    the load further (measured: box3x3Shared in tests/data/truth). Where the counter of an unrolled
    loop is in more than addresses it is open (of four halos with weights two stay in front)."""
    if _may_stay_rolled(walker):
        return {}
    joined = _joined_branches(walker, found)
    blocks: dict[ir.AccessSite, set[tuple[int, ...]]] = defaultdict(set)
    open_late = set[ir.AccessSite]()  # what counters make of them is known when loops are unrolled
    for i in walker.instances:
        blocks[i.entry.site].add(i.block)
        open_late |= {i.entry.site} if not all(counts_places(x) for x, _ in i.turns) else set()
    result: dict[ir.AccessSite, Outcome] = {}
    for site, kinds in found.items():
        if set(kinds) != {"sunk"} or site in open_late:
            continue
        ways, further = (
            [(path, _of(numbers, by)) for path, numbers in walker.loaded[site]]
            for by in (needs.plain, needs.arms)
        )
        steps = {_sinks_into(walker, site, path, needed) for path, needed in ways}
        step = steps.pop()
        if (
            steps
            or step is None
            or not isinstance(step.statement, ir.If)
            or blocks[site] != set(walker.reached[step.statement])
        ):
            continue
        arm = step.statement.then if step.side else step.statement.otherwise
        if step.statement in joined:
            continue
        inner = any(
            _sinks_into(walker, site, (*path, step), needed) for path, needed in (*ways, *further)
        )
        if (
            not inner
            and len(walker.reached[step.statement]) == 1
            and any(isinstance(s, (ir.Store, ir.Atomic)) for s in walk(arm))
        ):
            result[site] = Sunk(step.statement, step.side, site.charged_line)
    return result


def _may_stay_rolled(walker: Walker) -> bool:
    """Whether a loop over an array that is taken to be in registers may be too large to be
    unrolled: then the array is in memory."""
    kept = walker.privates.in_registers
    loops = (
        {loop for i in walker.instances if i.entry.memory in kept for loop, _ in i.turns}
        if kept
        else set()
    )
    trips = walker.counts if loops else {}
    return not all(in_full(loop, trips) for loop in loops)


def _in_joined_arms(
    walker: Walker, needs: Needs, found: Mapping[ir.AccessSite, Mapping[str, Risk]]
) -> Iterator[tuple[ir.AccessSite, Risk]]:
    """Loads for an arm whose store may become one with that before the branch: what is stored is
    then chosen, also by predicating its load (measured: `o[i] = x; if (n > 3) o[i] = y;`, not `if
    (n > 3) { o[i] = y; o[i + 5] = 3; }`, but neither is sure); and for arms that end in stores that
    may become one, where they store several values or load from one object (`if (c) o[i] = a[i];
    else o[j] = a[j];`)."""
    text = "the store of the value may join another one: the load may be made only for it"
    earlier, ending = (_joined_branches(walker, found, reason) for reason in (EARLIER, BOTH_ARMS))
    loads: dict[ir.Statement | ir.Expression | None, dict[ir.AccessSite, bool]] = defaultdict(
        dict
    )  # whether they stand in an arm
    for site, executions in walker.loaded.items() if earlier or ending else ():
        steps = {
            _step_of(path, uses)
            for path, numbers in executions
            for uses in _of(numbers, needs.plain)
        }
        if steps & earlier.keys():
            yield site, Risk("sunk", False, (0, 1), text)
        for step in steps & ending.keys():
            loads[step][site] = False
        if (path := walker.sites[site].path) and path[-1].statement in ending:
            loads[path[-1].statement][site] = True
    for step, some in loads.items():
        objects = Counter(walker.sites[site].memory for site in some)
        for site in some if not all(some.values()) else ():
            if ending[step] > 2 or objects[walker.sites[site].memory] > 1:
                yield site, Risk("speculated", False, (0, 2), BOTH_ARMS)


JOINED_HERE = "a store that both paths of a branch end in has no line: it may be counted here"


def _beside_joined(
    walker: Walker, body: ir.Body, found: Mapping[ir.AccessSite, Mapping[str, Risk]]
) -> Iterator[tuple[ir.AccessSite, Risk]]:
    """Stores on whose lines others of their space and loop may be counted, which two branches end
    in: what becomes one of two has no line, and is charged to what precedes it (measured: copies of
    `if (c) a[i] = x; else a[i] = 0; b[i] = y;` in an unrolled loop on the line of `b` and three
    others)."""
    joined = {site for site, kinds in found.items() if _ends_both_arms(site, kinds)}
    loops = [s for s in walk(body) if isinstance(s, ir.Loop)] if joined else []
    for loop in loops:
        stores = [s.site for s in walk(loop.body) if isinstance(s, ir.Store)]
        spaces = {site: space(walker.sites[site]) for site in stores if site in walker.sites}
        for site in spaces.keys() - joined:
            some = tuple(x for x in joined if spaces.get(x) == spaces[site])
            if some:
                yield site, Risk("recharged", False, (1, 1), JOINED_HERE, beside=some)


def _shared_with_exit(kernel: ir.Kernel, walker: Walker) -> Iterator[tuple[ir.AccessSite, Risk]]:
    """Loads that a loop shares with the code behind it: what is loaded before the loop's test has
    no line (measured: `float w = q[i];` in front of `for (…) { h[k] = p[i]; i += n; } c = p[i];`
    counts three loads of four)."""
    moved = shared_with_exit(kernel)
    for site in moved:
        yield site, Risk("recharged", False, (0, 1), SHARED_WITH_EXIT)
    beside = {site for site, is_at_barriers in moved.items() if not is_at_barriers}
    yield from _beside(walker, beside, "load")


def _beside_promoted(
    walker: Walker, found: Mapping[ir.AccessSite, Mapping[str, Risk]]
) -> Iterator[tuple[ir.AccessSite, Risk]]:
    """Stores on whose lines that may be counted which serves all iterations (measured: `for (…) if
    (…) c = x; m[t] = x;` counts both stores on the last line)."""
    served = (site for site, kinds in found.items() if kinds.get("promoted") == CONDITIONAL)
    yield from _beside(walker, set(served), "store")


def _beside(
    walker: Walker, moved: Set[ir.AccessSite], op: str
) -> Iterator[tuple[ir.AccessSite, Risk]]:
    """All others of a kind and space, with which what has no line may be counted: it is charged to
    what stands beside it, in front of the loop, behind it, and behind the next barrier."""
    some = [(site, space(e)) for site, e in walker.sites.items() if moved and site.op == op]
    for own in {own for site, own in some if site in moved}:
        beside = tuple(site for site, other in some if site in moved and other == own)
        for site in (site for site, other in some if site not in moved and other == own):
            yield site, Risk("recharged", False, (1, 1), WITHOUT_LINE, beside=beside)


def _ends_both_arms(site: ir.AccessSite, kinds: Mapping[str, Risk]) -> bool:
    return site.op == "store" and "speculated" in kinds and kinds["speculated"].text == BOTH_ARMS


def _joined_branches(
    walker: Walker, found: Mapping[ir.AccessSite, Mapping[str, Risk]], text: str = EARLIER
) -> Counter[ir.Statement | ir.Expression | None]:
    """Branches in the arms of which stores may become one with others, as `text` says, and how
    many."""
    joined = (
        site
        for site, kinds in found.items()
        if "speculated" in kinds and kinds["speculated"].text == text and site.op == "store"
    )
    paths = (walker.sites[site].path for site in joined if site in walker.sites)
    return Counter(path[-1].statement for path in paths if path)


def _step_of(path: Path, uses: set[Path]) -> ir.Statement | ir.Expression | None:
    """The branch or loop behind a load that all its uses lie in."""
    inner = {
        use[len(path)].statement if len(use) > len(path) and use[: len(path)] == path else None
        for use in uses
    }
    return inner.pop() if len(inner) == 1 else None


def _of(numbers: Iterable[int], uses: Uses) -> list[set[Path]]:
    return [uses[a] for a in numbers if uses.get(a)]


def _sinks_into(
    walker: Walker, site: ir.AccessSite, path: Path, uses: list[set[Path]]
) -> Step | None:
    """The arm of a branch that all uses lie in, where the branch comes after the load with nothing
    in between."""
    steps = {
        use[len(path)] if len(use) > len(path) and use[: len(path)] == path else None
        for some in uses
        for use in some
    }
    if len(steps) != 1:
        return None
    step = steps.pop()
    return (
        step
        if step is not None
        and step.condition is not None
        and site in walker.alive.get(step.statement, ())
        else None
    )


def _drifting(
    kernel: ir.Kernel, facts: Mapping[ir.Loop, LoopFacts], walker: Walker
) -> Iterator[tuple[ir.AccessSite, Risk]]:
    """Accesses in loops that nvcc unrolls while lanes of a warp run different counts. What each
    lane executes in every iteration takes no fewer requests than the lane with the most iterations
    makes; in a loop in a loop (lanes may be an iteration of the outer one ahead) and under
    conditions lanes of different iterations may meet, at best all of a warp."""
    again = {
        x
        for s in walk(kernel.body)
        if isinstance(s, ir.Loop) and s in walker.kept and _repeats(facts.get(s))
        for x in walk(s.body)
    }
    for s in walk(kernel.body):
        known = facts.get(s) if isinstance(s, ir.Loop) else None
        if (
            not isinstance(s, ir.Loop)
            or known is None
            or not known.lane_varying
            or s in walker.single
        ):
            continue
        if s not in walker.steady:
            continue
        short = known.max_trip is not None and known.max_trip < UNROLL
        if short and not (
            known.parted and (s in walker.few or s in walker.wrapping) and s.unroll in (None, 2)
        ):
            # remainders run first, one by one; where two copies come first, lanes that run two or
            # three take them together
            continue
        if any(isinstance(x, ir.Loop) and x in walker.kept for x in walk(s.body)):
            continue  # only innermost loops are unrolled by a part of their run-time count
        certain = set(_in_every(s.body)) if s not in again else set[ir.Statement]()
        for inner in walk(s.body):
            least = 1.0 if inner in certain else 1 - known.share * (1 - 1 / LANES)
            if short:  # no less than any one iteration takes: its lanes may meet those of another
                least = 1 / (known.max_trip or 1)
            for site in sites(inner):
                text = (
                    f"lanes leave the unrolled loop at different copies of this access: up to {1 + known.share:.2f} times these requests, "
                    "with fewer lanes each; the bounds are of all of them over the requests written"
                )
                yield site, Risk("drifted", False, (least, 1 + known.share), text)


def _in_every(body: ir.Body) -> Iterator[ir.Statement]:
    """What each lane executes in every iteration, up to the first condition that may leave it."""
    for s in body:
        if isinstance(s, ir.If):
            if any(isinstance(x, ir.Leave) for x in walk((s,))):
                return
        else:
            yield s
            for inner in bodies(s):
                yield from _in_every(inner)


def _repeats(known: LoopFacts | None) -> bool:
    return known is None or known.max_trip is None or known.max_trip > 1
