"""Which families of accesses may lie a constant number of bytes from an address, on its own path or
on one of theirs.

In: the families and paths of a walk's accesses. Out: for an access, families and the distance. One
comparison of arrays asks all families at once about the first points of their paths; paths with
points of their own, where an equality makes an atom another value, are looked up by the conditions
that relate them to the access. So a long kernel costs each access little more than a short one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from kernlint.optimizer.compiler_live import Registry
from kernlint.optimizer.compiler_state import Entry, Path
from kernlint.optimizer.samples import POINTS, Column, Samples, View

NONE = -1  # the number of no condition
FIRST = 16  # points of a path that are compared before all
Match = tuple[int, int | None]  # a family, and its bytes from the access; None: anywhere
Solved = tuple[int, View | None]  # a family, and what is known on a path of it


class Columns:
    """Rows of numbers, to which more are added."""

    def __init__(self, width: int) -> None:
        self.table = np.empty((16, width), dtype=np.int64)
        self.count = 0

    def add(self, row: Column | list[int]) -> None:
        if self.count == len(self.table):
            self.table = np.concatenate((self.table, np.empty_like(self.table)))
        self.table[self.count] = row
        self.count += 1

    def filled(self) -> Column:
        return self.table[: self.count]


class Comparable:
    """Accesses of one space and hint. `firsts`: of each family; `values`: of their addresses, at
    all points; `points` and `shapes`: of each family on a path, the first points and its values
    there less the first of them; `made_of`: families, by an atom that their addresses are made of;
    `lines`: see `Registry.entered`; `last`, `holding`: families on
    paths with points of their own, by the last condition of the path and by each of them."""

    def __init__(self) -> None:
        self.firsts: dict[int, Entry] = {}
        self.values = Columns(POINTS)
        self.made_of: dict[int, list[int]] = defaultdict(list)
        self.pairs: list[tuple[int, View]] = []
        self.points, self.shapes, self.lines = Columns(FIRST), Columns(FIRST), Columns(1)
        self.last: dict[int, list[Solved]] = defaultdict(list)
        self.holding: dict[int, list[Solved]] = defaultdict(list)

    def related(self, path: Path) -> list[Solved]:
        """Families on paths whose conditions all hold on this one, or that hold all of its."""
        own = _last(path)
        known = {k for s in path for k in s.knowns.sure}
        known |= {k for s in path for k in s.knowns.possible}
        known &= self.last.keys()
        return [x for key in (NONE, *known) for x in self.last.get(key, ())] + self.holding.get(
            own, []
        )


class SampleIndex:
    def __init__(self, samples: Samples, register: Registry) -> None:
        self.samples, self.register = samples, register
        self.promises, self.read = -1, 0
        self.groups: dict[tuple[str, str], Comparable] = {}
        self.found: dict[tuple[int, int, str], tuple[int, list[tuple[Entry, int | None]]]] = {}

    def matches(self, entry: Entry) -> list[tuple[Entry, int | None]]:
        """The first accesses of families, of the same space and hint and with addresses written
        otherwise, that may lie a constant number of bytes from what an access's address is without
        its constant; None: anywhere. Until the walk meets another family, or a family on another
        path, accesses of one line and path have the same answer."""
        self._catch_up()
        key = entry.line, self.register.way(entry.path), entry.hint
        known = self.found.get(key)
        if known is None or known[0] != self.read:
            constant = entry.form.constant
            found = [
                (first, None if apart is None else apart - constant)
                for first, apart in self._matches(entry)
            ]
            known = self.found[key] = self.read, found
        return known[1]

    def _matches(self, entry: Entry) -> Iterator[tuple[Entry, int | None]]:
        group, own = self.groups[_group(entry)], self.samples.view(entry.path)
        found: set[Match] = set()
        if own is None:
            found |= {(family, None) for family in group.firsts}
        else:
            found |= {*self._on_own_path(entry, own, group), *self._on_theirs(entry, own, group)}
        for family, apart in found:
            if group.firsts[family].line != entry.line:
                yield group.firsts[family], apart

    def _on_own_path(self, entry: Entry, own: View, group: Comparable) -> Iterator[Match]:
        families = list(group.firsts)
        solved = {family for a in own.solved for family in group.made_of.get(a, ())}
        yield from _apart(entry, [(family, own) for family in families if family in solved], group)
        start = self.samples.values(entry.form, own)
        table, points = group.values.filled(), _first(own)
        rows = np.flatnonzero(_alike(_shape(table[:, points]), _shape(start[points])))
        apart = start[own.chosen] - table[rows][:, own.chosen]
        for row in np.flatnonzero(_alike(apart, apart[:, :1])):
            if families[rows[row]] not in solved:
                yield families[rows[row]], int(apart[row, 0])

    def _on_theirs(self, entry: Entry, own: View, group: Comparable) -> Iterator[Match]:
        values = self.samples.everywhere.values(entry.form)[group.points.filled()]
        same = _alike(_shape(values), group.shapes.filled())
        same &= group.lines.filled()[:, 0] != entry.line
        plain = [group.pairs[row] for row in np.flatnonzero(same)]
        others: list[Solved] = [pair for pair in plain if pair[1] is not own]
        return _apart(entry, [*others, *group.related(entry.path)], group)

    def _catch_up(self) -> None:
        """Adds what the walk has met since. A promise of the source changes the points."""
        if self.promises != len(self.samples.assumed):
            self.promises, self.read = len(self.samples.assumed), 0
            self.groups.clear()
            self.found.clear()
        met = self.register.met
        while self.read < len(met):
            self._add(*met[self.read])
            self.read += 1

    def _add(self, family: int, path: Path) -> None:
        first = self.register.first[family]
        group = self.groups.setdefault(_group(first), Comparable())
        plain = self.samples.everywhere
        if family not in group.firsts:
            group.firsts[family] = first
            group.values.add(plain.values(first.form))
            for a in self.samples.parts(first.form):
                group.made_of[a].append(family)
        view = self.samples.view(path)
        if view is None or view.solved:
            conditions = {s.knowns.sure[0] for s in path if s.knowns.sure}
            group.last[_last(path)].append((family, view))
            for key in (NONE, *conditions):
                group.holding[key].append((family, view))
            return
        group.pairs.append((family, view))
        group.lines.add([first.line])
        group.points.add(_first(view))
        group.shapes.add(_shape(plain.values(first.form)[_first(view)]))


def _apart(entry: Entry, known: list[Solved], group: Comparable) -> Iterator[Match]:
    for family, view in known:
        first = group.firsts[family]
        if view is None:
            yield family, None
        elif first.line != entry.line:
            apart = view.distance(entry.form, first.form)
            if apart is not None:
                yield family, apart


def _group(e: Entry) -> tuple[str, str]:
    return e.hint, "global" if e.memory is None else e.memory.space


def _first(view: View) -> Column:
    """Some points, spread over all that a view has."""
    chosen = view.chosen
    return chosen[np.arange(FIRST) * len(chosen) // FIRST]


def _shape(values: Column) -> Column:
    return values - values[..., :1]


def _alike(one: Column, other: Column) -> NDArray[np.bool_]:
    same: NDArray[np.bool_] = (one == other).all(axis=-1)
    return same


def _last(path: Path) -> int:
    """The number of a path's last condition."""
    return next((s.knowns.sure[0] for s in reversed(path) if s.knowns.sure), NONE)
