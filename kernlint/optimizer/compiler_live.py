"""The accesses that are live at a point of the walk, and which of them another access may change.

In: entries as the walk makes and changes them. Out: those beside an address, those of one family
(equal addresses but for a constant), those that may still be joined. A straight walk changes one
`Live` in place; where ways part it is frozen, and each way changes its own copy. What a way has
touched is kept in its trail, so that joining ways costs what they touched, not what is live.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from kernlint.base.dataclass import dataclass, replace
from kernlint.ir import nodes as ir
from kernlint.ir.types import Record
from kernlint.optimizer.compiler_facts import WIDEST
from kernlint.optimizer.compiler_forms import Form
from kernlint.optimizer.compiler_state import Entry, Path

BLOCK = 16  # bytes of an address's constant that are looked up together
WIDE = 4096  # an access of more bytes is looked up for every constant
ANYWHERE = -(1 << 62)
Member = tuple[Record | None, int]  # see `compiler_alias`
Numbers = dict[int, None]  # a set that keeps its order
NONE: Numbers = {}
UNKNOWN = 0  # the space of an address that may lead anywhere


class Registry:
    """What of a walk's accesses never changes: their numbers, families and places."""

    def __init__(self) -> None:
        self.numbers: dict[tuple[ir.AccessSite, int, int, bool, int | None], int] = {}
        self.lines: dict[object, int] = {}
        self.families: dict[tuple[object, ...], int] = {}
        self.first: list[Entry] = []  # of each family
        self.cells: dict[tuple[int, int], list[int]] = {}  # numbers, by line and block
        self.inside: dict[ir.Loop, Numbers] = {}
        self.rows: dict[tuple[int, bool, int, int], int] = {}
        self.spaces: dict[str, int] = {}
        self.paths: dict[Path, int] = {}
        self.known: dict[int, tuple[Path, int]] = {}
        self.reach: dict[tuple[int, int, int], int] = {}  # see `compiler_entries`
        self.met: list[tuple[int, Path]] = []  # families and their paths, each once
        self.ways: set[tuple[int, int]] = set()
        self.placed_ways: set[tuple[int, int]] = set()  # numbers and their paths, each once
        self.entered_numbers = 0
        self.first_place, self.last = 0, 0

    def entered(self, e: Entry) -> Entry:
        """The access with its number (equal for those of one site, address and direction), its line
        (equal addresses but for a constant), its family (that, of one member and hint) and its row:
        neighbours of one width on one way, that may be joined."""
        way = self.way(e.path)
        place = self.placed(e.site, e.form, e.store, e.back, e.member, e.hint, e.width, way)
        number, line, family, row = place
        made = replace(e, number=number, line=line, family=family, row=row)
        self.enter(made, way)
        return made

    def placed(
        self,
        site: ir.AccessSite,
        form: Form,
        store: bool,
        back: int | None,
        member: Member | None,
        hint: str,
        width: int,
        way: int,
    ) -> tuple[int, int, int, int]:
        """Number, line, family and row of an access that is entered next."""
        line = self.lines.setdefault(form.terms, len(self.lines))
        return (
            self.numbers.setdefault((site, line, form.constant, store, back), len(self.numbers)),
            line,
            self.families.setdefault((line, member, hint), len(self.families)),
            self.rows.setdefault((line, store, width, way), len(self.rows)),
        )

    def enter(self, made: Entry, way: int) -> None:
        """Remembers an access that has its numbers. `way`: of its path."""
        number, family = made.number, made.family
        if family == len(self.first):
            self.first.append(made)
        if number == self.entered_numbers:
            self.entered_numbers += 1
            for block in _blocks(made, 0):
                self.cells.setdefault((made.line, block), []).append(number)
        if (family, way) not in self.ways:
            self.ways.add((family, way))
            self.met.append((family, made.path))
        if (number, way) not in self.placed_ways:
            self.placed_ways.add((number, way))
            for step in made.path:
                if isinstance(step.statement, ir.Loop):
                    self.inside.setdefault(step.statement, {})[number] = None

    def way(self, path: Path) -> int:
        """Equal for equal paths."""
        found = self.known.get(id(path))
        if found is None:
            number = self.paths.setdefault(path, len(self.paths))
            found = self.known[id(path)] = path, number
        return found[1]

    def space(self, name: str) -> int:
        return self.spaces.setdefault(name, UNKNOWN + 1 + len(self.spaces))

    def next(self) -> int:
        """A place behind all."""
        self.last += 1
        return self.last

    def before(self, number: int) -> int:
        """The first of so many places before all."""
        self.first_place -= number
        return self.first_place


def _blocks(e: Entry, around: int, shift: int = 0) -> Iterable[int]:
    if e.size > WIDE:
        return (ANYWHERE,)
    start = e.form.constant + e.first + shift
    return range((start - around) // BLOCK, (start + max(e.size, around) - 1) // BLOCK + 1)


def _spot(space: int, store: bool) -> int:
    """The key of what may be joined in a space: loads and stores apart, since a load is in the way
    of stores alone."""
    return 2 * space + store


class Trail:
    """What has been touched since the ways parted that `before` leads to."""

    def __init__(self, before: Trail | None) -> None:
        self.before = before
        self.touched: Numbers = {}


class Buckets:
    """Numbers by key. A copy shares them until one of the two changes."""

    def __init__(self, some: dict[int, Numbers] | None = None) -> None:
        self.by: dict[int, Numbers] = some if some is not None else {}
        self.own: set[int] = set()

    def copy(self) -> Buckets:
        self.own.clear()
        return Buckets(self.by.copy())

    def add(self, key: int, number: int) -> None:
        self._owned(key)[number] = None

    def discard(self, key: int, number: int) -> None:
        some = self._owned(key)
        del some[number]
        if not some:
            del self.by[key]
            self.own.discard(key)

    def get(self, key: int) -> Numbers:
        return self.by.get(key, NONE)

    def sort(self, key: int, place: Callable[[int], int]) -> None:
        self.by[key] = dict.fromkeys(sorted(self.by[key], key=place))

    def _owned(self, key: int) -> Numbers:
        some = self.by.get(key)
        if some is None or key not in self.own:
            some = self.by[key] = {} if some is None else some.copy()
            self.own.add(key)
        return some


class Live:
    """`members`: all, by family; `open`: those with a value that a store may overwrite, by family;
    `pending`: stores that nothing may have read, by family; `near`: those that a neighbour may be
    joined with, by space and direction; `rows`: all that differ in their constants alone, `joining`: of these,
    those that are near; `spent`: those that are of no use any more; `stores`: how many are stores."""

    def __init__(self, register: Registry, before: Trail | None = None) -> None:
        self.register = register
        self.all: dict[int, Entry] = {}
        self.members, self.open, self.pending = Buckets(), Buckets(), Buckets()
        self.near, self.spent = Buckets(), Buckets()
        self.rows, self.joining = Buckets(), Buckets()
        self.stores = 0
        self.frozen = False
        self.trail = Trail(before)

    def freeze(self) -> Live:
        """Where ways part: what changes from now on is a copy."""
        self.frozen = True
        return self

    def own(self) -> Live:
        """What may be changed."""
        if not self.frozen:
            return self
        made = Live(self.register, self.trail)
        made.all, made.stores = self.all.copy(), self.stores
        made.members, made.open = self.members.copy(), self.open.copy()
        made.pending, made.near = self.pending.copy(), self.near.copy()
        made.rows, made.joining = self.rows.copy(), self.joining.copy()
        made.spent = self.spent.copy()
        return made

    def values(self) -> Collection[Entry]:
        return self.all.values()

    def put(self, e: Entry) -> None:
        """An access, or a changed one, which keeps its place in the order."""
        old = self.all.get(e.number)
        placed = self.register.next() if old is None else old.placed
        self.set(e if e.placed == placed else replace(e, placed=placed))

    def set(self, e: Entry) -> None:
        """An access that says where in the order it stands."""
        number = e.number
        old = self.all.get(number)
        self.trail.touched[number] = None
        self.all[number] = e
        if old is None:
            self.stores += e.store
            self.members.add(e.family, number)
            for index, key in self._keys(e):
                index.add(key, number)
            return
        if (
            old.forward == e.forward
            and old.pending == e.pending
            and old.near == e.near
            and old.path is e.path
            and old.placed == e.placed
        ):
            return
        was, now = list(self._keys(old)), list(self._keys(e))
        for index, key in was:
            if (index, key) not in now:
                index.discard(key, number)
        for index, key in now:
            if (index, key) not in was:
                index.add(key, number)
                if index is self.rows:
                    index.sort(key, lambda n: self.all[n].placed)

    def drop(self, number: int) -> None:
        old = self.all.pop(number)
        self.trail.touched[number] = None
        self.stores -= old.store
        self.members.discard(old.family, number)
        for index, key in self._keys(old):
            index.discard(key, number)

    def become(self, e: Entry, left: Entry | None) -> None:
        """What ways that join leave of an access `e` that was there before they parted."""
        if left is not None:
            if left is not self.all.get(e.number):
                self.set(left if left.placed == e.placed else replace(left, placed=e.placed))
        elif e.number in self.all:
            self.drop(e.number)

    def insert(self, e: Entry, first: Entry) -> None:
        """An access before others that are there, where it stood `first`."""
        placed = min(e.placed, first.placed)
        self.set(e if e.placed == placed else replace(e, placed=placed))
        if e.back is None:
            self.rows.sort(e.row, lambda n: self.all[n].placed)

    def change(self, e: Entry, left: Entry | None) -> None:
        """What becomes of an access; None: it is no longer live."""
        if left is None:
            self.drop(e.number)
        elif left is not e:
            self.put(left)

    def _keys(self, e: Entry) -> Iterator[tuple[Buckets, int]]:
        if e.forward or not (e.pending or e.near):
            yield self.open, e.family
        if e.pending:
            yield self.pending, e.family
        if e.near:
            yield (
                self.near,
                _spot(
                    UNKNOWN if e.memory is None else self.register.space(e.memory.space), e.store
                ),
            )
            if e.back is None:
                yield self.joining, e.row
        if e.back is None:
            yield self.rows, e.row
        if not (e.forward or e.pending or e.near):
            yield self.spent, 0

    def beside(self, e: Entry, line: int = -1, shift: int = 0) -> list[Entry]:
        """The accesses whose bytes it meets, or which begin less than `WIDEST` bytes from it, in
        any order, and some others: of its own line, or of another that lies so many bytes
        before it."""
        live, cells = self.all, self.register.cells
        line = e.line if line < 0 else line
        if e.size > WIDE:
            return [x for x in live.values() if x.line == line]
        blocks = (*_blocks(e, WIDEST, shift), ANYWHERE)
        numbers = {n for b in blocks for n in cells.get((line, b), ()) if n in live}
        return [live[n] for n in numbers]

    def neighbours(
        self, space: str | None, directions: Iterable[bool] = (False, True)
    ) -> list[Entry]:
        """Accesses that may still be joined, in a space or in an unknown one; None: in any."""
        spaces = (
            range(UNKNOWN + 1 + len(self.register.spaces))
            if space is None
            else (UNKNOWN, self.register.space(space))
        )
        keys = [_spot(x, store) for x in spaces for store in directions]
        return [self.all[number] for key in keys for number in self.near.get(key)]

    def of(self, numbers: Iterable[int]) -> list[Entry]:
        return [self.all[number] for number in numbers]

    def since(self, before: Live) -> Numbers:
        """What has been touched since; all that either has where it does not stem from it."""
        touched: Numbers = {}
        trail: Trail | None = self.trail
        while trail is not None and trail is not before.trail:
            touched |= trail.touched
            trail = trail.before
        return touched if trail is not None else dict.fromkeys((*before.all, *self.all))


@dataclass(frozen=True, slots=True)
class State:
    """Values of variables, what is live, and the way here."""

    held: Mapping[ir.Variable, Form]
    entries: Live
    path: Path


def in_order(entries: Iterable[Entry]) -> list[Entry]:
    return sorted(entries, key=_placed)


def _placed(e: Entry) -> int:
    return e.placed
