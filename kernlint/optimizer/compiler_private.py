"""Values that pass through a thread's own arrays and structs: nvcc keeps them in registers where
every index is a constant.

In: the stores and loads of local objects that a walk meets. Out: what feeds what. A value stored to
an object in registers is needed where its bytes are needed in the end, not where the store stands
(measured: with `float4 y = b[i]` read through a `float2 *`, or with `y[j] = b[i + j]` in an
unrolled loop, the load of `b` moves into the branch that alone uses the values, and is as narrow as
these). With an index that is not constant, the store itself needs the value.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from kernlint.base.dataclass import dataclass
from kernlint.ir import nodes as ir
from kernlint.optimizer.compiler_forms import Atoms, Form
from kernlint.optimizer.compiler_memory import Memory
from kernlint.optimizer.compiler_reach import Loops, loops, may_follow, reach
from kernlint.optimizer.compiler_state import Entry, Path

Stretch = tuple[int, int]  # the first byte of a value in its object, and the first behind it


@dataclass(frozen=True, slots=True)
class Stored:
    """`places`: offset (None: not told) and size of each value, in bytes."""

    entry: Entry
    places: Sequence[tuple[int | None, int]]
    forms: Sequence[Form]
    order: int


@dataclass(frozen=True, slots=True)
class Loaded:
    """`places`: offset and size of each value that is read, in bytes."""

    entry: Entry
    places: Sequence[tuple[int, int]]
    atoms: Sequence[int]
    order: int


class Privates:
    """The local objects of a kernel. `in_registers`: those that nvcc keeps there; `read`, `put`:
    what is loaded from and stored to each of these, by place; `copied`: the atom that stands for
    each stored value in an object in registers, with the value → the way to the loop that stores
    it."""

    def __init__(self, atoms: Atoms, memory: Memory) -> None:
        self.atoms, self.memory = atoms, memory
        self.stored: dict[ir.MemoryObject, list[Stored]] = defaultdict(list)
        self.loaded: dict[ir.MemoryObject, list[Loaded]] = defaultdict(list)
        self.touched: set[ir.MemoryObject | None] = set()
        self.in_registers: set[ir.MemoryObject | None] = set()
        self.read: dict[ir.MemoryObject, set[tuple[Stretch, int]]] = {}
        self.put: dict[ir.MemoryObject, dict[Stretch, set[int]]] = {}
        self.reads: dict[ir.MemoryObject, dict[tuple[int, int, Loops], int]] = {}
        self.copied: dict[tuple[int, Form], Path] = {}

    def holds(self, entry: Entry) -> bool:
        """Whether an access is one to a local object."""
        return (
            entry.memory is not None and entry.memory.space == "local" and not entry.site.volatile
        )

    def touch(self, entry: Entry) -> None:
        """Something else than a load or store reads or writes an object."""
        self.touched.add(entry.memory)

    def store(
        self, entry: Entry, places: Sequence[tuple[int | None, int]], forms: Sequence[Form]
    ) -> None:
        if entry.memory is not None:
            self.stored[entry.memory].append(
                Stored(
                    entry,
                    places,
                    forms,
                    len(self.stored[entry.memory]) + len(self.loaded[entry.memory]),
                )
            )

    def load(self, entry: Entry, places: Sequence[tuple[int, int]], atoms: Sequence[int]) -> None:
        if entry.memory is not None:
            self.loaded[entry.memory].append(
                Loaded(
                    entry,
                    places,
                    atoms,
                    len(self.stored[entry.memory]) + len(self.loaded[entry.memory]),
                )
            )

    def flows(
        self, used: Iterable[int], feeds: Mapping[int, Sequence[Form]]
    ) -> Iterator[tuple[int, Form]]:
        """What leads from what is stored to what is loaded: (an atom, what it may be). `used`:
        atoms that are needed elsewhere; `feeds`: what more they may be."""
        escaped = self._escaped(used, feeds) | self.touched
        for memory, stored in self.stored.items():
            loaded = self.loaded[memory]
            indices = {
                e.form.terms
                for e in (*(one.entry for one in stored), *(one.entry for one in loaded))
            }
            if len(indices) == 1 and memory not in escaped and not self.memory.clobbered:
                self.in_registers.add(memory)
                yield from self._read_again(memory, stored, loaded)

    def kept_in_memory(self) -> Iterator[Stored]:
        """The stores that happen where they stand."""
        for memory, stored in self.stored.items():
            if memory not in self.in_registers and self.memory.needed(memory):
                yield from stored

    def never_read(self) -> set[int]:
        """Of arrays in registers the values that no load follows which may read them."""
        found = set[int]()
        for stored in (one for memory in self.put for one in self.stored[memory]):
            for form, later in zip(stored.forms, self.read_later(stored), strict=True):
                found |= set() if later else self.atoms.inside(form)
        return found

    def read_later(self, stored: Stored) -> Iterator[bool]:
        """Of each value of a store whether a load may still read it."""
        memory, around = stored.entry.memory, loops(stored.entry.path)
        for place, size in stored.places:
            first, end = reach(stored.entry, place, size, self.atoms)
            yield memory is None or any(
                first < last
                and start < end
                and may_follow((stored.order, around), (latest, inside))
                for (start, last, inside), latest in self._reads(memory).items()
            )

    def _reads(self, memory: ir.MemoryObject) -> dict[tuple[int, int, Loops], int]:
        """The stretches of an object that loads reach within the same loops, each with the place in
        order of the last."""
        if memory not in self.reads:
            found = self.reads[memory] = {}
            for one in self.loaded[memory]:
                inside = loops(one.entry.path)
                for place, size in one.places:
                    stretch = (*reach(one.entry, place, size, self.atoms), inside)
                    found[stretch] = max(one.order, found.get(stretch, 0))
        return self.reads[memory]

    def _read_again(
        self, memory: ir.MemoryObject, stored: Sequence[Stored], loaded: Sequence[Loaded]
    ) -> Iterator[tuple[int, Form]]:
        """Each stretch of bytes that a value was stored to is an atom, which all of these values
        feed."""
        stretches: dict[Stretch, dict[tuple[Form, Path], None]] = defaultdict(dict)
        for one in stored:
            for (place, size), form in zip(one.places, one.forms, strict=True):
                stretches[_stretch(one.entry, place, size)].setdefault(
                    (form, _loop(one.entry.path))
                )
        reads = {
            (_stretch(one.entry, place, size), a)
            for one in loaded
            for (place, size), a in zip(one.places, one.atoms, strict=True)
        }
        for (start, end), values in stretches.items():
            held = self.atoms.atom(("held", memory, start, end))
            for form, path in values:
                copy = self.atoms.atom(
                    ("stored", memory, start, end, path[-1].statement if path else None, form)
                )
                self.copied[next(iter(self.atoms.inside(copy))), form] = path
                yield next(iter(self.atoms.inside(held))), copy
            yield from ((a, held) for (first, last), a in reads if first < end and start < last)
        self.read[memory] = reads
        self.put[memory] = {
            stretch: {a for form, _ in values for a in self.atoms.inside(form)}
            for stretch, values in stretches.items()
        }

    def choosing(
        self, branches: Container[ir.Statement | ir.Expression]
    ) -> Iterator[tuple[int, Form]]:
        """What else values in registers are made of, where these branches only choose: the
        conditions that they are stored under."""
        for memory in self.put:
            for one in self.stored[memory]:
                conditions = [
                    step.condition
                    for step in one.entry.path
                    if step.statement in branches and step.condition is not None
                ]
                for place, size in one.places if conditions else ():
                    held = self.atoms.atom(("held", memory, *_stretch(one.entry, place, size)))
                    yield from (
                        (next(iter(self.atoms.inside(held))), condition) for condition in conditions
                    )

    def in_part(self, live: Container[int]) -> set[int]:
        """Stored values of which only a part is read by what is needed, or some bytes are replaced
        before."""
        found = set[int]().union(*map(self._replaced, self.put))
        for memory, values in self.put.items():
            read = {
                byte
                for (start, end), a in self.read[memory]
                if a in live
                for byte in range(start, end)
            }
            for (start, end), atoms in values.items():
                found |= atoms if not read.issuperset(range(start, end)) else set()
        return found

    def _replaced(self, memory: ir.MemoryObject) -> set[int]:
        """Values of which a later store replaces bytes that nothing has read in between."""
        unread: dict[int, list[tuple[Entry, Form]]] = defaultdict(list)
        found = set[int]()
        events: list[Stored | Loaded] = [*self.stored[memory], *self.loaded[memory]]
        for one in sorted(events, key=lambda one: one.order):
            values = one.forms if isinstance(one, Stored) else [Form()] * len(one.places)
            for (place, size), form in zip(one.places, values, strict=True):
                for byte in range(*_stretch(one.entry, place, size)):
                    before = unread.pop(byte, [])
                    if isinstance(one, Stored):
                        beside = [
                            x
                            for x in before
                            if x[0].site is one.entry.site or _exclusive(x[0].path, one.entry.path)
                        ]
                        found |= {
                            a for x in before if x not in beside for a in self.atoms.inside(x[1])
                        }
                        unread[byte] = [*beside, (one.entry, form)]
        return found

    def _escaped(
        self, used: Iterable[int], feeds: Mapping[int, Sequence[Form]]
    ) -> set[ir.MemoryObject | None]:
        """Objects whose address is part of a value that matters, and not only of accesses to them:
        somebody else may read them."""
        atoms = self.atoms
        pending = [
            *used,
            *(
                a
                for some in self.stored.values()
                for one in some
                for form in one.forms
                for a in atoms.inside(form)
            ),
        ]
        met = set(pending)
        while pending:
            a = pending.pop()
            key = atoms.keys[a]
            for part in (*(p for p in key if isinstance(p, Form)), *feeds.get(a, ())):
                own = {
                    b
                    for b in atoms.inside(part)
                    if key[0] == "load" and atoms.keys[b] == ("object", key[1])
                }
                new = atoms.inside(part) - own - met
                met |= new
                pending.extend(new)
        return {
            key[1]
            for key in map(atoms.keys.__getitem__, met)
            if key[0] == "object" and isinstance(key[1], ir.MemoryObject)
        }


def _stretch(entry: Entry, place: int | None, size: int) -> Stretch:
    start = entry.form.constant + (entry.first if place is None else place)
    return start, start + (entry.size if place is None else size)


def _exclusive(a: Path, b: Path) -> bool:
    """Whether two ways lie in the two arms of a branch."""
    one, other = next(((x, y) for x, y in zip(a, b, strict=False) if x != y), (None, None))
    return (
        one is not None
        and other is not None
        and one.statement is other.statement
        and one.side != other.side
    )


def _loop(path: Path) -> Path:
    """The way to the innermost loop of a way."""
    while path and not isinstance(path[-1].statement, ir.Loop):
        path = path[:-1]
    return path
