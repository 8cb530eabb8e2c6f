"""Where the values of a kernel are needed in the end: what decides whether a load stays, narrows,
or moves into a branch.

In: the walk of a kernel. Out: the ways to all uses of each value, through everything that is
computed from it. What a branch decides needs its parts in the arms, where the branch stays one;
LLVM computes small arms without it (measured with nvcc 13 for sm_90: up to five operations in one
arm or three in each, and three values, none of them a call or a division).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Set
from heapq import heapify, heappop, heappush

from kernlint.base.dataclass import dataclass
from kernlint.ir import nodes as ir
from kernlint.optimizer.compiler_choices import idle_arms, is_bare, small
from kernlint.optimizer.compiler_forms import HALF, Form
from kernlint.optimizer.compiler_state import Arms, Path
from kernlint.optimizer.compiler_walk import Walker

Uses = Mapping[int, set[Path]]  # by atom
Readers = Mapping[
    int, list[tuple[int, Form]]
]  # of each atom: the values that are made of it, and the part of them that it is in
USE = -1  # a reader that is no value
JOINED = 3


@dataclass(frozen=True, slots=True)
class Needs:
    """Where each value is needed. `staying`: taking the loads that it leads to where they stand;
    `arms`: taking what a branch decides to be needed in its arms, where it stays a branch;
    `chosen`: taking the conditions of what only chooses among the values of a thread's own arrays
    to be needed where these are."""

    plain: Uses
    staying: Uses
    arms: Uses
    chosen: Uses


def needs_of(walker: Walker) -> Needs:
    made = _Made(walker)
    plain = _uses(walker, made, {}, {})
    edges = _edges(walker, plain)
    arms = _uses(walker, made, {}, edges) if edges else plain
    return Needs(
        plain,
        _uses(walker, made, _stands(walker), {}),
        arms,
        _chosen(walker) if walker.tested else plain,
    )


def _chosen(walker: Walker) -> Uses:
    more: dict[int, list[Form]] = defaultdict(list)
    for a, condition in walker.privates.choosing({one.branch for one in walker.tested}):
        more[a].append(condition)
    return _uses(walker, _Made(walker, more), {}, {}, used=walker.without)


class _Made:
    """What each atom is made of: forms, and the atoms inside each. `more`: what else."""

    def __init__(self, walker: Walker, more: Mapping[int, list[Form]] | None = None) -> None:
        self._walker, self._more = walker, more or {}
        self._known: dict[int, list[tuple[Form, frozenset[int]]]] = {}

    def of(self, a: int) -> list[tuple[Form, frozenset[int]]]:
        found = self._known.get(a)
        if found is None:
            atoms = self._walker.atoms
            parts = (
                [p for p in atoms.keys[a] if isinstance(p, Form)]
                + self._walker.feeds.get(a, [])
                + self._more.get(a, [])
            )
            found = self._known[a] = [(part, frozenset(atoms.inside(part))) for part in parts]
        return found


def made_of(walker: Walker, taken: Iterable[int]) -> set[int]:
    """Values, and all that they are made of."""
    found, pending = set(taken), list(taken)
    while pending:
        a = pending.pop()
        for part in [p for p in walker.atoms.keys[a] if isinstance(p, Form)] + walker.feeds.get(
            a, []
        ):
            new = walker.atoms.inside(part) - found
            found |= new
            pending += new
    return found


def needed_without(walker: Walker, stores: Set[ir.AccessSite]) -> Uses:
    """Where each value is needed if what these stores write is not."""
    return needed(
        walker, {a: paths for a, paths in walker.uses.items() if not walker.takers[a] <= stores}
    )


def needed(walker: Walker, used: Uses) -> Uses:
    """Where each value is needed for these uses alone."""
    return _uses(walker, _Made(walker), {}, {}, used=used)


def turning(walker: Walker) -> Uses:
    """Where each value is needed, taking what a loop leaves in its variables to be needed in the
    loop."""
    return _uses(walker, _Made(walker), {}, {}, walker.turned)


def readers_of(walker: Walker, live: Uses) -> Readers:
    """What reads each atom directly, of what is needed."""
    found: dict[int, list[tuple[int, Form]]] = {}
    atoms = walker.atoms
    for a, key in enumerate(atoms.keys):
        for part in (
            [p for p in key if isinstance(p, Form)] + walker.feeds.get(a, []) if live.get(a) else ()
        ):
            for b in atoms.inside(part):
                found.setdefault(b, []).append((a, part))
    for a in walker.uses:
        found.setdefault(a, []).append((USE, Form((((a,), 1 if a in walker.whole else HALF),))))
    return found


def _uses(
    walker: Walker, made: _Made, stands: Uses, edges: Mapping[int, tuple[Path | None, ...]],
    turned: Mapping[tuple[int, Form], Path] | None = None, used: Uses | None = None,
) -> Uses:  # fmt: skip
    found = {a: set(paths) for a, paths in (walker.uses if used is None else used).items()}
    for a, paths in walker.tests.items() if turned is not None else ():
        found.setdefault(a, set()).update(paths)
    added = {a: set(paths) for a, paths in found.items()}  # and not yet handed on
    pending = [-a for a in added]  # the last first: what is made of others mostly comes behind them
    heapify(pending)
    while pending:
        a = -heappop(pending)
        paths = added.pop(a)
        own = stands.get(a) or walker.standing.get(a) or paths
        ends = edges.get(a, ())  # the arms' values come first
        for i, (part, parts) in enumerate(made.of(a)):
            end = ends[i] if i < len(ends) else None
            inside = turned.get((a, part)) if turned else None
            new = {end} if end is not None else {inside} if inside is not None else own
            for b in parts:
                known = found.setdefault(b, set())
                more = new - known
                if more:
                    known |= more
                    if b not in added:
                        added[b] = set()
                        heappush(pending, -b)
                    added[b] |= more
    return found


def _stands(walker: Walker) -> dict[int, set[Path]]:
    """Where the loads of memory stand, by what they load."""
    found: dict[int, set[Path]] = defaultdict(set)
    for site, executions in walker.loaded.items():
        if walker.sites[site].memory not in walker.privates.in_registers:
            for path, numbers in executions:
                for a in numbers:
                    found[a].add(path)
    return found


def _edges(walker: Walker, live: Uses) -> dict[int, tuple[Path | None, ...]]:
    """The arms that a value's parts come from, for values of branches that stay (None: the part is
    needed where the value is)."""
    joined = Counter(arms.statement for a, arms in walker.arms.items() if live.get(a))
    kept = {s for s, count in joined.items() if count > JOINED or not small(s, walker.members)}
    return {
        **walker.ends,
        **{
            a: _ends(arms, walker.members)
            for a, arms in walker.arms.items()
            if arms.statement in kept
        },
    }


def _ends(arms: Arms, members: Collection[ir.Variable]) -> tuple[Path | None, ...]:
    """Where the two values are needed: what an arm hands on without computing anything has no part
    in the other's branch."""
    s = arms.statement
    if any(isinstance(x, ir.Leave) for x in (*s.then, *s.otherwise)):
        return arms.paths
    bare = [
        all(isinstance(x, ir.Assign) and is_bare(x.value, members) for x in arm)
        for arm in (s.then, s.otherwise)
    ]
    return tuple(
        None if one else path for one, path in zip(idle_arms(bare, s.kept), arms.paths, strict=True)
    )
