"""The accesses of a walk: held against what is still known, then remembered.

In: an access and the state before it. Out: the state after it; risks, uses of loaded values and
copies of accesses are collected in `Accesses`. Control flow is `compiler_walk`'s business.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from kernlint.base.dataclass import dataclass, replace
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import expressions, targets
from kernlint.ir.types import Record, SourceAlignment
from kernlint.lowering.types.layout import size_of
from kernlint.optimizer import compiler_pairs as pairs
from kernlint.optimizer.compiler_alias import Aliases, member_of
from kernlint.optimizer.compiler_choices import CHOICES, choices, pieced
from kernlint.optimizer.compiler_dead import Dead
from kernlint.optimizer.compiler_entries import after_call, after_load, after_store
from kernlint.optimizer.compiler_facts import WIDEST, Risk
from kernlint.optimizer.compiler_forms import HALF, Atoms, Form, form_of
from kernlint.optimizer.compiler_live import Live, Registry, State, in_order
from kernlint.optimizer.compiler_memory import memory_of
from kernlint.optimizer.compiler_private import Privates
from kernlint.optimizer.compiler_state import (
    Entry,
    Instance,
    Path,
    Steps,
    Tested,
    common,
    relation,
)
from kernlint.optimizer.sample_index import SampleIndex
from kernlint.optimizer.samples import Samples, block_of
from kernlint.optimizer.shared_layout import layouts

Unread = frozenset[ir.MemoryObject]
NOTHING = SourceAlignment(0, 0)
MOST_ALIKE = 16  # live loads of the same bytes on other ways than an access


@dataclass(frozen=True, slots=True)
class Told:
    """What the source tells of an access: `first`, `size`: its bytes from the address; `width`: of
    its widest piece; `several`: whether it has more than one; the rest as in `Entry`."""

    address: ir.Expression
    first: int
    size: int
    width: int
    several: bool
    known: SourceAlignment
    member: tuple[Record | None, int] | None
    hint: str


class Accesses:
    """The walk's memory. `unread`: arrays of which no loaded value is needed; `filled`: others of
    which nothing is loaded, taken to be needed; `gone`: loads and branches that are dropped before
    others are held against them; `found` collects risks, `uses` where a value is needed, `loaded`
    the sites that made a value; `alive`: loads still valid at each branch and choice; `ends`: where
    the parts of an expression's choices are needed, where nvcc makes them branches."""

    def __init__(
        self, kernel: ir.Kernel, unread: Unread, gone: Dead, filled: Unread = frozenset()
    ) -> None:
        self.unread, self.gone = unread, gone
        self.atoms, self.memory = Atoms(), memory_of(kernel, unread, filled)
        self.steps, self.members = Steps(), pieced(kernel)
        self.aliases = Aliases(self.memory, self.atoms)
        kept = [o for o in kernel.objects if o.space == "shared" and self.memory.needed(o)]
        placed = layouts(kernel, [o for o in kept if o not in unread])
        self.samples = Samples(self.atoms, placed, self.most_trips_of, block_of(kernel))
        self.privates = Privates(self.atoms, self.memory)
        self.parameters = frozenset(p.variable for p in kernel.parameters)
        self.found: dict[ir.AccessSite, dict[str, Risk]] = defaultdict(dict)
        self.uses: dict[int, set[Path]] = defaultdict(set)
        self.takers: dict[int, set[ir.AccessSite | None]] = defaultdict(
            set
        )  # the stores that use a value; None: something else
        self.tested: list[Tested] = []  # in branches that are none where arrays are in registers
        self.without: dict[
            int, set[Path]
        ] = {}  # as `uses`, where what is `tested` is needed where its choice is
        self.whole: set[int] = (
            set()
        )  # values of which a use needs more than the low half of 64 bits
        self.standing: dict[int, set[Path]] = defaultdict(
            set
        )  # what stays where it is, if it is needed at all: what shuffles return
        self.seen: set[int] = (
            set()
        )  # taken by assembly and exchanges, which nvcc drops later than stores that nothing reads
        self.overwritten: set[int] = (
            set()
        )  # stored to a thread's own object, where no load reads it any more
        self.open: set[int] = set()  # taken by functions whose definitions were not found
        self.feeds: dict[int, list[Form]] = defaultdict(
            list
        )  # merged and carried values → what they may be
        self.loaded: dict[ir.AccessSite, list[tuple[Path, tuple[int, ...]]]] = defaultdict(list)
        self.makers: dict[
            int, tuple[int, int]
        ] = {}  # loaded value → the load's place in the log, and the fences before it
        self.chosen: list[
            tuple[str, set[int]]
        ] = []  # loaded values of which one is taken where control joins, or that an arm replaces
        # control has joined, and a load of a selected address may be counted on the next line
        self.meeting = False
        self.sites: dict[ir.AccessSite, Entry] = {}
        self.told: dict[ir.AccessSite, Told] = {}
        self.register = Registry()
        self.index = SampleIndex(self.samples, self.register)
        self.contents: dict[int, Mapping[int, Form]] = {}  # of stores, by number
        self.unrolled: dict[int, int] = {}
        self.epochs: dict[ir.MemoryObject | None, int] = defaultdict(int)
        self.inside: tuple[ir.Loop, ...] = ()
        self.begun: dict[ir.Loop, int] = {}  # the accesses before each loop
        self.log: list[Entry] = []
        self.passed: list[int] = []  # the fences before each access of the log
        self.recording, self.fresh = True, 0
        self.counting = False
        self.selects: dict[
            int, tuple[int, int, Path]
        ] = {}  # choice → accesses and fences before it, and where
        self.turned: dict[tuple[int, Form], Path] = {}
        self.alive: dict[ir.Statement | ir.Expression, set[ir.AccessSite]] = defaultdict(set)
        self.fenced: dict[ir.Statement, set[int]] = defaultdict(
            set
        )  # the fences before each branch
        self.stored: dict[int, list[Form]] = {}  # by place in the log
        self.meets: list[
            tuple[int, int]
        ] = []  # stores, by place, of two ways that one store may serve
        self.ends: dict[int, tuple[Path | None, ...]] = {}
        self.blind = False
        # whether both arms of a branch have made a load: it has no line but that of a pointer's
        # first use
        self.raised = False
        self.firsts: dict[ir.MemoryObject | None, ir.AccessSite] = {}
        self.instances: list[Instance] = []
        self.turns: tuple[tuple[ir.Loop, int], ...] = ()
        self.block: tuple[int, ...] = ()
        self.cuts, self.fences = 0, 0
        self.hinted = False  # whether a load has said how it is to be cached

    # -------------------------------------------------------------- helpers

    def most_trips_of(self, s: ir.Loop) -> int | None:
        """The most iterations of a loop, where they are known."""
        return None

    def form(self, e: ir.Expression, state: State) -> Form:
        known = len(self.atoms.keys)
        made = form_of(e, state.held, self.atoms)
        for a in range(known, len(self.atoms.keys)):
            if self.atoms.keys[a][0] == "select":
                self.selects[a] = len(self.log), self.fences, state.path
        if any(self.atoms.keys[a][0] in CHOICES for a in range(known, len(self.atoms.keys))):
            for a, choice, ends in choices(e, state, self.atoms, self.steps, self.members):
                self.ends[a] = ends
                self.alive[choice] |= {
                    x.site for x in state.entries.values() if x.forward and not x.store
                }
        return made

    def new(self, *key: object, lanes: bool = True, parts: tuple[Form, ...] = ()) -> Form:
        self.fresh += 1
        made = self.atoms.atom((*key, self.fresh), frozenset(self.inside), lanes)
        self.feeds[next(iter(self.atoms.inside(made)))].extend(parts)
        return made

    def use(self, form: Form, state: State, by: ir.AccessSite | None = None) -> None:
        self.use_on(form, state.path, by)

    def use_on(self, form: Form, path: Path, by: ir.AccessSite | None = None) -> None:
        for a in self.atoms.inside(form):
            self.uses[a].add(path)
            self.takers[a].add(by)
        self.whole |= {a for monomial, factor in form.terms if factor % HALF for a in monomial}

    def bump(self, written: ir.MemoryObject | None) -> None:
        for known in list(self.epochs):
            if self.memory.overlap(known, written):
                self.epochs[known] += 1

    def note(self, risks: Mapping[ir.AccessSite, Risk]) -> None:
        if self.recording:
            for site, risk in risks.items():
                if not site.volatile:
                    self.found[site].setdefault(risk.kind, risk)

    def before(self, end: int, entry: Entry) -> int:
        """From which place on accesses may lend their line to a load that moves up to a place: what
        stands on the line of the last store, or later; nothing before a barrier, unless nothing
        writes what the load reads."""
        fences = self.passed[end] if end < len(self.passed) else self.fences
        unwritten = self.memory.immutable(entry.memory) or self.memory.promises.about(entry.memory)
        behind = (
            0
            if unwritten
            else max((i + 1 for i in range(end) if self.passed[i] != fences), default=0)
        )
        last = max((i for i in range(behind, end) if self.log[i].store), default=behind)
        on_line = (
            i
            for i in range(behind, last)
            if self.log[i].site.charged_line == self.log[last].site.charged_line
        )
        return min(on_line, default=last)

    def recharge(self, end: int, moved: list[Entry], start: int = 0) -> None:
        """A load moved above a branch or loop is counted on the line of an earlier instruction,
        often of a load. Where it stands on that line itself nothing changes."""
        spaces, lines = (
            {pairs.space(e) for e in moved},
            {(e.site.charged_path, e.site.charged_line) for e in moved},
        )
        earlier = [e.site for e in self.log[start:end] if not e.store and pairs.space(e) in spaces]
        for site in earlier[-2:] if self.recording else ():
            most = self.found[site]["recharged"].factor[1] if "recharged" in self.found[site] else 1
            if not site.volatile and lines != {(site.charged_path, site.charged_line)}:
                self.found[site]["recharged"] = Risk(
                    "recharged",
                    False,
                    (1, most + 1),
                    "a load that moves up may be counted on this line",
                )

    # -------------------------------------------------------------- accesses

    def access(
        self, s: ir.Load | ir.Store | ir.Atomic | ir.Copy | ir.Matrix, state: State
    ) -> State:
        if isinstance(s, ir.Copy):
            ends: list[Entry] = []
            for address, site in ((s.source, s.source_site), (s.destination, s.destination_site)):
                self.use(self.form(address, state), state)
                ends.append(self.entry(site, address, state, True))
                self.privates.touch(ends[-1])
                state = self.written(ends[-1], state)
            self.note(pairs.written_back(ends[0], ends[1], self.log))
            return state
        if isinstance(s, ir.Load):
            dropped = (
                {v: self.new("dropped", s, v) for _, v in s.targets}
                if s.site in self.gone.loads
                else {}
            )
            return (
                self.load(s, state)
                if not dropped
                else replace(state, held={**state.held, **dropped})
            )
        stored = (
            [self.form(e, state) for _, e in (*s.values, *s.untracked)]
            if isinstance(s, ir.Store)
            else []
        )
        for e in expressions(s) if isinstance(s, ir.Atomic) else ():
            self.form(e, state)  # what is chosen for it is chosen before it
        entry = self.entry(
            s.site,
            s.address,
            state,
            not (isinstance(s, ir.Matrix) and s.site.hardware_op == "ldmatrix"),
        )
        if isinstance(s, ir.Store):
            self.stored[len(self.log) - 1] = stored
            self.blind |= not s.values and not s.untracked
            if self.privates.holds(entry):
                self.put_by(s, entry, stored)
            elif self.memory.needed(entry.memory):
                for form in (self.form(s.address, state), *stored):
                    self.use(form, state, s.site)
            self.note(
                pairs.unchanged(
                    entry,
                    [self.samples.origin(x) for x in stored],
                    self.atoms,
                    self.epochs.get(entry.memory, 0),
                    self.log,
                )
            )
            offsets = (offset for offset, _ in (*s.values, *s.untracked))
            kept = {o: form for o, form in zip(offsets, stored, strict=True) if o is not None}
            return self.store(entry, kept, state)
        self.privates.touch(entry)
        for e in expressions(s):
            self.use(self.form(e, state), state)
        if isinstance(s, ir.Atomic):
            self.note(pairs.atomic(s, entry, self.atoms))
            if s.site.floating and s.operation == "add":
                state = replace(state, entries=after_call(state.entries, self.memory))
        made = {v: self.new("atomic", s, v) for v in targets(s)}
        state = replace(state, held={**state.held, **made})
        return (
            self.written(entry, state)
            if entry.store
            else replace(state, entries=after_load(state.entries, entry, self.aliases))
        )

    def put_by(self, s: ir.Store, entry: Entry, stored: list[Form]) -> None:
        """A store to a thread's own object: `settle` says where its values are needed."""
        if not self.counting:
            places = [(o, size_of(e.type) or entry.size) for o, e in (*s.values, *s.untracked)]
            self.privates.store(entry, places, stored)

    def settle(self) -> None:
        """Values of a thread's own objects: in registers they lead to what is loaded again, else
        the store needs them."""
        self.without = {a: set(paths) for a, paths in self.uses.items()} if self.tested else {}
        for one in self.tested:
            self.use_on(one.condition, one.path)
        for atom, copy in tuple(self.privates.flows(self.uses, self.feeds)):
            self.feeds[atom].append(copy)
        self.turned |= {stored: path for stored, path in self.privates.copied.items() if path}
        for stored in self.privates.kept_in_memory():
            read = dict(zip(stored.forms, self.privates.read_later(stored), strict=True))
            self.overwritten.update(
                *(self.atoms.inside(form) for form, needed in read.items() if not needed)
            )
            for form in (stored.entry.form, *(form for form in stored.forms if read[form])):
                self.use_on(form, stored.entry.path)
                for a in self.atoms.inside(form) if self.tested else ():
                    self.without.setdefault(a, set()).add(stored.entry.path)
        for one in self.tested:
            for a in (
                self.atoms.inside(one.condition)
                if not one.arrays <= self.privates.in_registers
                else ()
            ):
                self.without.setdefault(a, set()).add(one.path)

    def entry(
        self, site: ir.AccessSite, address: ir.Expression, state: State, store: bool
    ) -> Entry:
        form, register = self.form(address, state), self.register
        told = self.told.get(site)
        if told is None or told.address is not address:
            told = self.told[site] = self.tell(site, address)
        base = self.atoms.base(form)
        shared = base is not None and base.space == "shared"
        place = self.samples.aligned(base) if base is not None and shared else WIDEST
        wide = told.several and pairs.whole(site, base, self.atoms.alignment(form, {}, place))
        width = told.size if wide else told.width
        align = place if shared else pairs.base_alignment(told.known, base)
        way = register.way(state.path)
        number, line, family, row = register.placed(
            site, form, store, None, told.member, told.hint, width, way
        )
        made = Entry(
            site,
            form,
            told.first,
            told.size,
            base,
            store,
            state.path,
            width,
            align,
            told.known,
            told.hint,
            member=told.member,
            cut=self.cuts,
            group=self.fresh + 1,
            number=number,
            line=line,
            family=family,
            row=row,
        )
        register.enter(made, way)
        group = self.group(made, state.entries)
        if group is None:
            self.fresh += 1
        else:
            made = replace(made, group=group)
        self.sites.setdefault(site, made)
        self.hinted |= bool(told.hint) and not store
        self.log.append(made)
        self.passed.append(self.fences)
        if self.recording:
            self.instances.append(Instance(made, self.turns, (self.cuts, *self.block), self.fences))
        if told.several:
            self.note(pairs.pieces(made, self.atoms))
        return made

    def tell(self, site: ir.AccessSite, address: ir.Expression) -> Told:
        pieces = site.pieces or ((0, 4),)
        first, end = min(o for o, _ in pieces), max(o + w for o, w in pieces)
        plain = site.op in ("load", "store")
        return Told(
            address,
            first,
            end - first,
            max(w for _, w in pieces),
            len(site.pieces) > 1,
            site.told or NOTHING,
            member_of(address, self.parameters) if plain else None,
            pairs.hint_of(site.text),
        )

    def group(self, entry: Entry, entries: Live) -> int | None:
        """The group of neighbours all of which nvcc surely may join it with, where there is one."""
        barred, row = set[int](), entry.row
        for number in reversed(entries.rows.get(row if entries.joining.get(row) else -1)):
            other = entries.all[number]
            if other.group in barred:
                continue
            if self.joins(other, entry) and all(
                self.joins(one, entry) for one in self.alike(other.group, entry, entries)
            ):
                return other.group
            barred.add(other.group)
        return None

    def joins(self, other: Entry, entry: Entry) -> bool:
        return pairs.joinable(other, entry, self.aliases) == "none"

    def alike(self, group: int, entry: Entry, entries: Live) -> Iterator[Entry]:
        """Those of a group that an access may become one with."""
        start = entry.form.constant + entry.first
        for e in entries.beside(entry):
            near = abs(e.form.constant + e.first - start) < WIDEST
            if e.group == group and near and e.back is None and e.row == entry.row:
                yield e

    def written(self, entry: Entry, state: State) -> State:
        """An atomic or a copy: reads and writes."""
        self.bump(entry.memory)
        return replace(
            state,
            entries=after_store(
                after_load(state.entries, entry, self.aliases), entry, self.aliases
            ),
        )

    def store(self, entry: Entry, contents: Mapping[int, Form], state: State) -> State:
        """`contents`: what is stored, by its offset."""
        self.meeting = False
        if self.recording:
            self.note(pairs.against(entry, state.entries, self.aliases, self.index, self.unrolled))
        self.bump(entry.memory)
        left = self._left_beside(entry, state.entries)
        before = after_load(state.entries, entry, self.aliases) if entry.hint else state.entries
        entries = after_store(before, entry, self.aliases)
        if not entry.site.volatile:
            entries.put(replace(entry, pending=True))
            self.contents[entry.number] = {**left, **contents}
        return replace(state, entries=entries)

    def _left_beside(self, entry: Entry, entries: Live) -> dict[int, Form]:
        """What of an earlier store a later one of a part of its bytes leaves, by offset from the
        later one's address."""
        left: dict[int, Form] = {}
        if not entry.size or pairs.space(entry) != "local":
            return left
        for e in in_order(entries.beside(entry)):
            apart = e.form.distance(entry.form) if e.store else None
            sure = not (e.partial or e.doubtful) and relation(e.path, entry.path) == "always"
            if apart is not None and sure:
                contents = self.contents.get(e.number, {})
                left |= {o + apart: form for o, form in contents.items()}
        return left

    def content(self, entry: Entry, offset: int, stores: Sequence[Entry]) -> Form | None:
        """What a store, of those beside it in their order, left where a load reads, where that is
        sure."""
        for e in stores:
            apart = entry.form.distance(e.form)
            sure = e.forward and not (e.partial or e.doubtful or e.back)
            held = (
                None
                if apart is None or not sure
                else self.contents.get(e.number, {}).get(apart + offset)
            )
            if held is not None and relation(e.path, entry.path) == "always":
                return held
        return None

    def supersede(self, entry: Entry, entries: Live, beside: Sequence[Entry]) -> None:
        """Of loads of the same bytes on one way only the first and the last say anything to a later
        access: what lies between may be forwarded, and is no nearer than the last. Of those on
        other ways the last few do. `beside`: what lay beside it before it was made."""
        start, live = entry.form.constant + entry.first, entries.all
        alike = [
            live[e.number]
            for e in beside
            if not e.store
            and e.family == entry.family
            and e.form.constant + e.first == start
            and e.number in live
        ]
        for e in alike if entry.again else ():
            if e.again and e.row == entry.row and e.size == entry.size:
                entries.drop(e.number)
        if len(alike) > MOST_ALIKE:
            left = in_order(e for e in alike if e.number in entries.all)
            others = [e for e in left if common(e.path, entry.path) != e.path]
            for e in others[:-MOST_ALIKE]:
                entries.drop(e.number)

    def load(self, s: ir.Load, state: State) -> State:
        entry, place = self.entry(s.site, s.address, state, False), len(self.log) - 1
        if self.meeting:
            self.note(
                {
                    s.site: Risk(
                        "recharged", False, (1, 2), "a load before may be counted on this line"
                    )
                }
            )
            self.meeting = False
        if (
            self.firsts.setdefault(entry.memory, s.site) is s.site
            and self.raised
            and pairs.space(entry) == "global"
        ):
            self.note(
                {
                    s.site: Risk(
                        "recharged",
                        False,
                        (1, 2),
                        "a load on both paths of a branch may be counted on this line",
                    )
                }
            )
        found = (
            pairs.against(entry, state.entries, self.aliases, self.index, self.unrolled)
            if self.recording
            else {}
        )
        self.note(found)
        own = found.get(s.site)
        if own is not None and own.kind == "forwarded" and own.certain:
            self.instances[-1] = replace(self.instances[-1], forwarded=True)
        if own is not None and own.kind == "hoisted":
            raised = [
                i
                for i, e in enumerate(self.log)
                if e.site is not s.site and found.get(e.site) is own
            ]
            left = [self.begun[x] for x in self.inside if x not in self.atoms.varies(entry.form)]
            if raised or not left:
                self.recharge(min(raised, default=0), [entry])
                for e in self.log[min(raised, default=place) + 1 : place]:
                    if not e.store and pairs.space(e) == pairs.space(entry):
                        self.note(
                            {
                                e.site: Risk(
                                    "recharged",
                                    False,
                                    (1, 2),
                                    "a load that moves up may be counted on this line",
                                )
                            }
                        )
            else:
                self.recharge(min(left), [entry], self.before(min(left), entry))
        self.epochs.setdefault(entry.memory, 0)
        reads = own is None or own.kind != "forwarded" or not own.certain  # else memory is not read
        beside = state.entries.beside(entry)
        stores = in_order(e for e in beside if e.store)
        contents = [self.content(entry, offset, stores) for offset, _ in s.targets]
        entries = after_load(state.entries, entry, self.aliases, beside) if reads else state.entries
        if not s.site.volatile:
            entries = entries.own()
            if own is not None and own.kind == "forwarded":
                entry = replace(entry, again=True)
            self.supersede(entry, entries, beside)
            entries.put(entry)
        else:
            self.use(entry.form, state)
        made, numbers = {}, []
        for (offset, variable), content in zip(s.targets, contents, strict=True):
            key = (
                "load",
                entry.memory,
                entry.form + Form((), offset),
                self.epochs[entry.memory],
                s.site if s.site.volatile else None,
            )
            value = self.atoms.atom(key, frozenset(self.inside), self.atoms.by_lane(entry.form))
            numbers.append(next(iter(self.atoms.inside(value))))
            if content is not None:
                self.samples.known[numbers[-1]] = content
            self.makers[numbers[-1]] = place, self.fences
            made[variable] = value
        if self.recording:
            self.loaded[s.site].append((state.path, tuple(numbers)))
        if self.privates.holds(entry) and not self.counting:
            self.privates.load(
                entry, [(o, size_of(v.type) or entry.size) for o, v in s.targets], numbers
            )
        return State({**state.held, **made}, entries, state.path)
