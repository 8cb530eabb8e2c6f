"""What nvcc may do with two accesses of one object: merge neighbours, reuse a value, drop a store;
and with one atomic.

In: an access and the entries still valid before it. Out: risks per site. Every rule rests on the
generated kernels in tests/compiler (counts there); where a condition is not known to prevent a
change, it is taken not to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise

from kernlint.ir import nodes as ir
from kernlint.ir.types import SourceAlignment
from kernlint.optimizer.compiler_alias import Aliases
from kernlint.optimizer.compiler_facts import WIDEST, Risk
from kernlint.optimizer.compiler_forms import Atoms, Form
from kernlint.optimizer.compiler_implied import constants, made_of
from kernlint.optimizer.compiler_live import Live, in_order
from kernlint.optimizer.compiler_memory import HINTED
from kernlint.optimizer.compiler_state import Entry, Path, common, relation
from kernlint.optimizer.sample_index import SampleIndex
from kernlint.optimizer.samples import Samples

AGGREGATED = ("add", "sub", "min", "max", "and", "or", "xor")
NEEDLESS = (
    "min",
    "max",
    "and",
    "or",
)  # of which lanes that would change nothing make no compare-and-swap
Risks = dict[ir.AccessSite, Risk]
PROVED = "what nvcc proves of its address decides whether it becomes one with another access"
UNDECIDED = Risk("undecided", False, (0, 1), PROVED)
MAY_BE_EQUAL = {False: UNDECIDED, True: Risk("eliminated", False, (0, 1), PROVED)}
ONE_FOR_ALL = "iterations store to one address under conditions of their own: one store behind the loop may serve all"
CONDITIONAL = Risk("promoted", False, (0, 1), ONE_FOR_ALL)
SERVES_BOTH = "both ways store here: one store may serve both, and one load before them"
BOTH_WAYS = "both ways read the same address: one load above the branch may serve both"
BOTH_ARMS = "both paths of the branch access this memory: one access may serve both"
UNCHANGED = "what keeps the value loaded from there is not written"
REPLACED = "a later store to the same address makes this one unnecessary"
MOST_WAYS = 32  # that meet, held each against each other
WORDS = 4  # of a vector, that may be stored one by one
IN_WORDS = (
    "an earlier vector at the same address may be left in part: this one may be stored in pieces"
)
# both stay (measured)
PASSED_BY = (
    "a later store to the same address, on the other ways too, may make this one unnecessary"
)
EARLIER = "may become one store with an earlier one to the same address"


def base_alignment(known: SourceAlignment, memory: ir.MemoryObject | None) -> int:
    """Alignment of its base on which nvcc may rely to widen an access: 16 for a thread's own arrays,
    a struct's own for global memory (plain scalars there are never merged: 0). That of shared
    arrays is their place's (`Samples.aligned`)."""
    return WIDEST if memory is not None and memory.space == "local" else known.align


def hint_of(text: str) -> str:
    """The function by which an access tells how it is to be cached: only accesses by the same one
    become one."""
    found = HINTED.match(text)
    return found[0] if found is not None else ""


def widens(s: ir.Load | ir.Store) -> bool:
    """Whether the source tells an alignment to more than the access is wide: it may be joined with
    neighbours in global memory."""
    return s.site.told is not None and s.site.told.align > max(
        (width for _, width in s.site.pieces), default=WIDEST
    )


def space(entry: Entry) -> str:
    return entry.memory.space if entry.memory is not None else "global"


def joinable(other: Entry, entry: Entry, aliases: Aliases) -> str:
    """What keeps an access from being joined with an earlier one: loads move up to the first,
    stores down to the last."""
    if not other.near:
        return "may"
    moving = other if entry.store else entry
    ways = {
        aliases.keeps_apart(between, moving)
        for between in other.since
        if between.group != other.group
    }
    return next((way for way in ("some", "may", "perhaps none") if way in ways), "none")


def against(
    entry: Entry,
    entries: Live,
    aliases: Aliases,
    index: SampleIndex,
    unrolled: Mapping[int, int],
) -> Risks:
    found: Risks = {}
    samples = index.samples
    if entry.site.volatile:
        return found
    start = entry.form.constant + entry.first
    beside: list[tuple[Entry, int]] = []  # neighbours, and the block that both may lie in
    for other in _comparable(entry, entries, index):
        if other.line != entry.line:
            beside += _by_samples(found, other, entry, aliases, samples)
            continue
        apart = start - other.form.constant - other.first
        if -entry.size < apart < other.size:
            # a load takes a value that is still at hand, a store replaces one that nothing has read
            known = other.store and other.pending if entry.store else other.forward
            if known and (how := relation(other.path, entry.path)):
                once = other.back is not None and unrolled.get(other.back) == 1
                _same_bytes(found, other, entry, apart, how, aliases.atoms, once)
            elif known and entry.store and other.site is entry.site:
                found[entry.site] = CONDITIONAL
            elif known and samples.coincide(other.path, entry.path):
                found[(other if entry.store else entry).site] = MAY_BE_EQUAL[entry.store]
        elif other.store == entry.store and abs(apart) < WIDEST:
            if _mergeable(other, entry, apart, aliases, unrolled):
                _merge(found, other, entry)
            elif size := _common_block(other, entry, apart, aliases, samples):
                beside.append((other, size))
    # three words may take four, two that lie in no block of two stay two (`parts`)
    if len(beside) > 1 or any(size <= 2 * entry.width for _, size in beside):
        found |= {e.site: UNDECIDED for e in (entry, *(other for other, _ in beside))}
    return found


def _comparable(entry: Entry, entries: Live, index: SampleIndex) -> list[Entry]:
    """What an access may have to do with: what lies beside it, also where its address is written
    otherwise, as far as the sample points tell."""
    met = {e.number: e for e in entries.beside(entry)}
    for first, apart in index.matches(entry):
        members = entries.members.get(first.family)
        if not members:
            continue
        if apart is None:
            met |= {number: entries.all[number] for number in members}
        else:
            shift = apart + first.form.constant
            met |= {e.number: e for e in entries.beside(entry, first.line, shift)}
    return in_order(e for e in met.values() if e.hint == entry.hint)


def _by_samples(
    found: Risks, other: Entry, entry: Entry, aliases: Aliases, samples: Samples
) -> list[tuple[Entry, int]]:
    """What nvcc may make of two accesses whose addresses are written otherwise: nothing where they
    differ, or are not as far apart, at some sample point. Returns the neighbour."""
    apart = _apart(other, entry, samples, entry.path)
    same = other.path is entry.path
    under = apart if same else _apart(other, entry, samples, other.path)
    if apart is None and under is None:
        return []
    if any(x is not None and -entry.size < x < other.size for x in (apart, under)):
        kept = other.pending and other.store if entry.store else other.forward
        if kept and relation(other.path, entry.path):
            found[(other if entry.store else entry).site] = MAY_BE_EQUAL[entry.store]
            if not (entry.store or other.store):
                found[other.site] = UNDECIDED  # one load, on either's line, may serve both
        return []
    if apart is None:
        return []
    near = other.store == entry.store and abs(apart) < WIDEST
    steady = near and _apart(other, entry, samples, common(other.path, entry.path)) is not None
    size = _common_block(other, entry, apart, aliases, samples) if steady else 0
    return [(other, size)] if size else []


def _apart(other: Entry, entry: Entry, samples: Samples, path: Path) -> int | None:
    """Bytes from the start of one access to the other's, where they are the same at all points."""
    view = samples.view(path)
    apart = view.distance(entry.form, other.form) if view is not None else 0
    return None if apart is None else apart + entry.first - other.first


def _common_block(
    other: Entry, entry: Entry, apart: int, aliases: Aliases, samples: Samples
) -> int:
    """Bytes of the aligned block in which two neighbours lie at all points where an access of both
    would be made: what one of them alone is executed under does not count. 0 where there is none.
    Stores become one only in the same straight code."""
    base, width = min(other.align, entry.align), max(other.width, entry.width)
    own, path = space(entry), common(other.path, entry.path)
    if not base or other.back is not None or own in ("constant", "texture") or width >= WIDEST:
        return 0
    straight = len(path) == len(other.path) == len(entry.path) and other.cut == entry.cut
    if (entry.store and not straight) or joinable(other, entry, aliases) in ("some", "may"):
        return 0
    most = WIDEST if own in ("shared", "local") else base
    start, view = entry.form + Form((), entry.first), samples.view(path)
    sizes = [size for size in (2, 4, 8, 16) if width < size <= most and abs(apart) < size]
    return next((s for s in sizes if view is None or view.in_one_block(start, -apart, s)), 0)


def _replaced(other: Entry, entry: Entry, atoms: Atoms) -> bool:
    """Whether a condition on the way from one access to the other makes a part of its address a
    constant: then nvcc compares another address than written, and loads again (measured: `x = a[t];
    if (t == 0) s = a[t];`)."""
    shared = {step for step, own in zip(entry.path, other.path, strict=False) if step == own}
    known = [
        k
        for s in entry.path
        if s not in shared and s.condition is not None
        for k in ((s.condition, s.side), *s.implied)
    ]
    return any(made_of(entry.form, atoms.inside(value), atoms) for value in constants(known, atoms))


def _same_bytes(
    found: Risks, other: Entry, entry: Entry, apart: int, how: str, atoms: Atoms, once: bool
) -> None:
    """`once`: whether the two are of iterations of a loop that is not unrolled."""
    back = other.back is not None
    # unrolled copies of one access may meet in iterations that each move on
    moving = other.back is not None and (
        other.form != entry.form
        or other.site is not entry.site
        or other.back in atoms.inside(entry.form)
    )
    if entry.store:
        if other.store and other.pending and apart <= 0 and apart + entry.size >= other.size:
            kind = "promoted" if back else "eliminated"
            kept = back or other.doubtful or other.served or bool(other.hint)
            whole = other.site.vector and len(other.site.pieces) == 1 and space(other) == "global"
            certain = (
                how == "always" and not kept and not whole and not entry.path[len(other.path) :]
            )
            found[other.site] = Risk(
                kind, certain, (0, WORDS if whole else 1), PASSED_BY if how == "part" else REPLACED
            )
            if whole and not back and other.site is not entry.site:
                found[entry.site] = Risk("narrowed", False, (1, WORDS), IN_WORDS)
            if other.site is not entry.site and (
                back or (how == "always" and entry.path[len(other.path) :])
            ):
                found[entry.site] = Risk("speculated", False, (0, 2), EARLIER)
        return
    if not other.forward or (moving and not other.store and once):
        return
    text = "its value is still in a register from an earlier access to the same address"
    if back and not moving:
        found[entry.site] = Risk(
            "hoisted",
            False,
            (0, 1),
            "every iteration reads the same address: one load before the loop may serve all",
        )
    elif how == "part":
        risk = Risk(
            "hoisted",
            False,
            (0, 2),
            "read again under a weaker condition: one load above the branch may serve both",
        )
        found[entry.site] = risk
        if not other.store:
            found[other.site] = risk
    elif other.partial:
        text = "its value is still in a register on some of the ways to it: the load may be made at the end of the others"
        found.setdefault(entry.site, Risk("sunk", False, (0, 1), text))
    else:
        certain = (
            how == "always"
            and not back
            and not other.doubtful
            and not _replaced(other, entry, atoms)
        )
        found[entry.site] = Risk("forwarded", certain, (0, 1), text)


def _mergeable(
    other: Entry, entry: Entry, apart: int, aliases: Aliases, unrolled: Mapping[int, int]
) -> bool:
    atoms = aliases.atoms
    if joinable(other, entry, aliases) in ("some", "may"):
        return False
    if (entry.memory is not None and entry.memory.space in ("constant", "texture")) or max(
        other.width, entry.width
    ) >= WIDEST:
        return False
    base = min(other.align, entry.align)
    if not base:
        return False
    align = atoms.alignment(
        Form(entry.form.terms),
        {other.back: unrolled.get(other.back, 1)} if other.back is not None else {},
        base,
        True,
    )
    if align <= max(other.width, entry.width) or abs(apart) >= align:
        return False
    if other.back is not None:
        return unrolled.get(other.back) != 1
    start = entry.form.constant + entry.first
    return (start - apart) // align == start // align


def _merge(found: Risks, other: Entry, entry: Entry) -> None:
    wider = next(w for w in (2, 4, 8, 16) if w > max(other.width, entry.width))
    text = f"neighbouring elements may be accessed together, {wider} or more bytes at once"
    for site in (other.site, entry.site):
        found[site] = Risk("merged", False, (0, 1), text)


def unchanged(
    entry: Entry, stored: list[Form], atoms: Atoms, epoch: int, log: Sequence[Entry]
) -> Risks:
    """Members that are stored with the value just loaded from there need no store, nor the load
    unless something else reads them."""
    same, whence = 0, set()
    for form in stored:
        a = form.terms[0][0][0] if form.terms else 0
        key = atoms.keys[a] if form == Form((((a,), 1),)) else ()
        if (
            len(key) == 5
            and key[0] == "load"
            and key[1] is entry.memory
            and key[3] == epoch
            and isinstance(key[2], Form)
        ):
            apart = key[2].distance(entry.form)
            same += apart is not None and entry.first <= apart < entry.first + entry.size
            whence.add(key[2])
    left = 1 - same / max(1, len(stored))
    kind = "narrowed" if left else "eliminated"
    found = {entry.site: Risk(kind, False, (left, 1), UNCHANGED)} if same else {}
    for load in log if same else ():
        if (
            not load.store
            and load.memory is entry.memory
            and any(_within(load, form) for form in whence)
        ):
            found[load.site] = Risk(
                kind,
                False,
                (left, 1),
                "what is only written back to where it came from need not be loaded",
            )
    return found


def written_back(source: Entry, destination: Entry, log: Sequence[Entry]) -> Risks:
    """A thread's own struct that is copied to where it came from: members that are as they were
    need no store, and those that nobody else reads no load."""
    if space(source) != "local":
        return {}
    apart = ((e, e.form.distance(destination.form)) for e in log if not e.store)
    loads = [e for e, by in apart if e.memory is destination.memory and by == 0]
    sites = [e.site for e in (*loads, destination)] if loads else []
    return dict.fromkeys(sites, Risk("narrowed", False, (0, 1), UNCHANGED))


def _within(load: Entry, form: Form) -> bool:
    apart = form.distance(load.form)
    return apart is not None and load.first <= apart < load.first + load.size


def whole(site: ir.AccessSite, memory: ir.MemoryObject | None, align: int) -> bool:
    """Whether nvcc surely moves a struct at once: members of 4 or 8 bytes without gaps that fill an
    aligned block of 8 or 16 bytes of shared memory, copied as one (measured; of smaller members
    only some are joined, three words take four)."""
    if not site.pieces:
        return False
    first, end = min(o for o, _ in site.pieces), max(o + w for o, w in site.pieces)
    widths, size = {w for _, w in site.pieces}, end - first
    filled = len(widths) == 1 and widths <= {4, 8} and len(site.pieces) * min(widths) == size
    mixed = site.copying is not None and site.copying.mixed
    shared = memory is not None and memory.space == "shared" and not site.volatile and not mixed
    return (
        shared
        and filled
        and len(site.pieces) > 1
        and size in (8, WIDEST)
        and align % size == 0
        and first % size == 0
    )


def pieces(entry: Entry, atoms: Atoms) -> Risks:
    """A struct in shared or local memory: its members may be accessed together."""
    count = len(entry.site.pieces)
    if count < 2 or entry.site.volatile or space(entry) not in ("shared", "local"):
        return {}
    align = atoms.alignment(entry.form, {}, WIDEST)
    width = max(w for _, w in entry.site.pieces)
    if not any(width < w <= align for w in (2, 4, 8, 16)):
        return {}
    return {
        entry.site: Risk(
            "merged", False, (1 / count, 1), "members of the struct may be accessed together"
        )
    }


def arms(then: Sequence[Entry], otherwise: Sequence[Entry]) -> Risks:
    """Both arms of a branch access the same kind of memory: nvcc may select the address and access
    once. Stores only where the arms end in them, or in what is alike behind them, and to different
    objects only vectors': whose words may then be stored one by one, since of a selected address
    the alignment is not known (measured: lightseq's bias_add_transform_20314_new, four stores of 4
    bytes in the place of three of 16)."""
    found: Risks = {}
    last = {id(a): id(b) for a, b in _endings(then, otherwise)}
    for a in then:
        for b in otherwise:
            if not _alike(a, b) or (a.store and last.get(id(a)) != id(b)):
                continue
            if not a.store or a.memory is b.memory:
                risk = Risk("speculated", False, (0, 2), BOTH_ARMS)
            elif a.site.vector and b.site.vector:
                risk = Risk(
                    "speculated",
                    False,
                    (0, 4),
                    "both paths end in such a store: one may serve both, word by word",
                )
            else:
                continue
            found[a.site] = found[b.site] = risk
    return found


def nested_ends(then: Sequence[Entry], otherwise: Sequence[Entry], depth: int) -> Risks:
    """Two arms of which one ends in branches whose own arms end in stores: all of them meet at one
    place, and become one there as those of plain arms do (`if … else if … else`). `depth`: of
    what stands in the arms themselves."""
    found: Risks = {}
    one, other = ({id(e.path): e for e in arm}.values() for arm in (then, otherwise))
    for a in one:
        for b in other:
            nested = len(a.path) > depth or len(b.path) > depth
            if nested and a.store and _alike(a, b) and a.memory is b.memory:
                risk = Risk("speculated", False, (0, 2), BOTH_ARMS)
                found[a.site] = found[b.site] = risk
    return found


def _endings(then: Sequence[Entry], otherwise: Sequence[Entry]) -> Iterator[tuple[Entry, Entry]]:
    """What two arms end in, as long as it is alike, the last first."""
    for a, b in zip(reversed(then), reversed(otherwise), strict=False):
        if not _alike(a, b):
            return
        yield a, b


def tails(arm: Sequence[Entry], rest: Sequence[Entry], fresh: bool) -> Risks:
    """An arm that leaves ends in a store, and the code after it stores to the same object: they may
    become one store, and so may their loads (measured: only where both load something before, or
    neither does; or where both end in it, at different addresses, it is the only store, and nothing
    was loaded before: `fresh`)."""
    found: Risks = {}
    risk = Risk("speculated", False, (0, 2), SERVES_BOTH)
    loads = [e for e in arm if not e.store]
    for at, b in enumerate(rest):
        if not arm or not arm[-1].store or not _alike(arm[-1], b) or arm[-1].memory is not b.memory:
            continue
        before = [e for e in rest[:at] if not e.store]
        alone = (
            fresh
            and at == len(rest) - 1
            and arm[-1].form != b.form
            and not any(e.store and space(e) == "global" for e in rest[:at])
        )
        if bool(loads) == bool(before) or alone:
            found |= {
                e.site: risk
                for pair in ((arm[-1], b), *((x, y) for x in loads for y in before if _alike(x, y)))
                for e in pair
            }
    return {site: risk for site, risk in found.items() if site.op in ("load", "store")}


def raised(arm: Sequence[Entry], rest: Sequence[Entry]) -> list[Entry]:
    """Loads of the same place in an arm that leaves and in what follows it: one load before the
    branch may serve both."""
    same = [
        (a, b)
        for a in arm
        for b in rest
        if not a.store and a.form == b.form and a.memory is b.memory and _alike(a, b)
    ]
    return [e for pair in same for e in pair]


def meeting(ways: Sequence[Sequence[Entry]]) -> list[tuple[Sequence[Entry], Sequence[Entry]]]:
    """Each two ways; of a large `switch` those whose ends are most alike: by what they end in, the
    last first, none is more like a way than the next one."""
    if len(ways) <= MOST_WAYS:
        return list(combinations(ways, 2))
    ordered = sorted(ways, key=lambda way: [_kind(e) for e in reversed(way)])
    return list(pairwise(ordered))


def _kind(e: Entry) -> tuple[str, bool, int, str, bool, int, int]:
    """What `_alike` and `joins` compare."""
    kind = e.site.op, e.store, e.width, space(e), e.site.volatile
    return *kind, e.line, e.form.constant


def ends(one: Sequence[Entry], other: Sequence[Entry]) -> list[tuple[Entry, Entry]]:
    """Stores to the same address that two ways to the same place end in, pair by pair from the
    end."""
    return [
        pair
        for pair in _endings(one, other)
        if pair[0].store and pair[0].site.op == "store" and joins(*pair)
    ]


def joins(a: Entry, b: Entry) -> bool:
    """Whether stores of two ways may become one: of what they store, nvcc then selects."""
    return _alike(a, b) and a.memory is b.memory and a.form == b.form


def _alike(a: Entry, b: Entry) -> bool:
    same = (
        a.site.op == b.site.op
        and a.store == b.store
        and a.width == b.width
        and space(a) == space(b)
    )
    return same and not a.site.volatile | b.site.volatile


def atomic(s: ir.Atomic, entry: Entry, atoms: Atoms) -> Risks:
    site = s.site
    if s.operation not in AGGREGATED:
        return {}
    shared = entry.memory is not None and entry.memory.space == "shared"
    if shared and (site.floating or entry.width == 8):
        text = "compiles to a loop of load and compare-and-swap: its rounds grow with the lanes per address"
        return {site: Risk("expanded", True, (0 if s.operation in NEEDLESS else 1, 33), text)}
    if site.floating:
        return {}
    if atoms.by_lane(entry.form):
        return {}
    certain = not site.result_used and entry.width == 4
    return {
        site: Risk(
            "aggregated",
            certain,
            (0, 2),
            "all lanes use one address: one lane may add for the whole warp",
        )
    }
