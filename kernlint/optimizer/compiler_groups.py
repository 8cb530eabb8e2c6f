"""Which neighbouring accesses become one: the copies of unrolled code, and the iterations of loops
unrolled by a part of their count.

In: the walk of a kernel. Out: `Outcome`s of the accesses whose outcome is certain. The rules are
measured with nvcc 13.0 for sm_90 (tests/compiler/cases_merged.py): a vector has up to four elements
and 16 bytes; three of four shared words are loaded as four, stores never write what was not
written. Where a condition is not known to leave the outcome alone, there is none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from kernlint.ir import nodes as ir
from kernlint.ir.traversal import walk
from kernlint.ir.types import Integer
from kernlint.optimizer.compiler_chains import from_sums, in_steps, is_interrupted, is_shifted
from kernlint.optimizer.compiler_entries import is_fence
from kernlint.optimizer.compiler_facts import WIDEST, Outcome, Risk, Rolled, Unrolled, Wider
from kernlint.optimizer.compiler_forms import Form
from kernlint.optimizer.compiler_placement import placed_together
from kernlint.optimizer.compiler_size import instructions
from kernlint.optimizer.compiler_state import Entry, Instance
from kernlint.optimizer.compiler_unrolling import by_four, in_full, is_shared, may_split, multiple
from kernlint.optimizer.compiler_walk import Walker

VECTOR = 4  # elements
FIRST = (0,)  # block of a kernel: before any branch or loop
SHORT = (
    5  # instructions of a body that is unrolled at least sixteen times when its count is constant
)
Parts = tuple[tuple[int, int], ...]  # (first slot, number of slots)
Fates = dict[tuple[int, ...], tuple[int, int] | None]
Found = Mapping[ir.AccessSite, Mapping[str, Risk]]


def parts(slots: frozenset[int], count: int, store: bool, shared: bool) -> Parts | None:
    """The machine accesses for the `slots` used of a vector of `count`; None when not known."""
    if not shared and count == VECTOR and slots == {1, 2, 3} and store:
        return None
    whole = len(slots) == count or (
        count == VECTOR and len(slots) == 3 and not store and (shared or 0 in slots)
    )
    if whole:
        return ((0, count),)
    found: list[tuple[int, int]] = []
    for first in range(0, count, 2):
        pair = sorted(slots & {first, first + 1})
        found += [(first, 2)] if len(pair) == 2 else [(s, 1) for s in pair]
    return tuple(found)


def _held(
    walker: Walker, own: Fates, loops: tuple[ir.Loop, ...], store: bool
) -> tuple[Fates, Wider | None] | None:
    """The fates as far as they hold where a loop may be too large to be unrolled in full: in each
    of its turns alike, or in each round of the turns of which its copies are a multiple. Where that
    is two and four would be joined, those of pairs. None where none hold."""
    trips, wider = walker.counts, None
    for at, loop in enumerate(loops):
        if in_full(loop, trips):
            break
        count = trips.get(loop, 0)
        copies = multiple(loop, count, trips)
        if copies != count and not _repeat(own, at, copies, store):
            pairs = _paired(own, at) if copies == 2 and not store else {}
            if not pairs:
                return None
            own, wider = pairs, Wider(loop, own)
    return own, wider


def _repeat(own: Fates, at: int, copies: int, store: bool) -> bool:
    """Whether each round of `copies` turns of a loop fares as the first one does and joins nothing
    with the next one: its first load, or its last store, is made."""
    ends = copies - 1 if store else 0
    different: dict[tuple[int, ...], set[tuple[int, int] | None]] = defaultdict(set)
    for turns, fate in own.items():
        different[(*turns[:at], *turns[at + 1 :])].add(fate)
    for turns, fate in own.items():
        first, end = (
            (*turns[:at], turn, *turns[at + 1 :])
            for turn in (turns[at] % copies, turns[at] - turns[at] % copies + ends)
        )
        varies = len(different[(*turns[:at], *turns[at + 1 :])]) > 1
        if fate != own.get(first) or (fate is None and own.get(end) is None and varies):
            return False
    return True


def _paired(own: Fates, at: int) -> Fates:
    """Loads of four following turns as two of two turns each; none where they are anything else."""
    made: Fates = {}
    for turns, fate in own.items():
        first = own.get((*turns[:at], turns[at] - turns[at] % VECTOR, *turns[at + 1 :]))
        if first is None or first[1] != WIDEST or (fate is not None) != (turns[at] % VECTOR == 0):
            return {}
        made[turns] = (first[0], first[1] // 2) if turns[at] % 2 == 0 else None
    return made


# ------------------------------------------------------------ copies of unrolled code


def unrolled(
    walker: Walker, found: Found, moving: frozenset[ir.AccessSite]
) -> dict[ir.AccessSite, Outcome]:
    """Outcomes of accesses that merge with other copies or accesses in straight code, or are
    forwarded. `moving`: loads that may be made below those that follow them, and leave the line of
    what they are joined with open."""
    fates: dict[ir.AccessSite, Fates] = defaultdict(dict)
    lines: dict[ir.AccessSite, int] = {}
    doubtful = (
        {site for site, _ in placed_together(walker)}
        | in_steps(walker.instances)
        | from_sums(walker)
    )
    unplaced: set[ir.AccessSite] = set()
    spaces = {
        i.entry.memory.space if i.entry.memory is not None else "global" for i in walker.instances
    }
    for space in spaces:
        strict: dict[tuple[object, ...], list[Instance]] = defaultdict(list)
        loose: dict[tuple[object, ...], set[tuple[object, ...]]] = defaultdict(set)
        members: dict[tuple[object, ...], set[ir.AccessSite]] = defaultdict(set)
        for i in walker.instances:
            entry = i.entry
            own = entry.memory.space if entry.memory is not None else "global"
            if i.forwarded or entry.site.op in ("atomic", "copy") or own != space:
                continue
            order = (i.block, i.fences, entry.path, entry.group)
            block = _block(walker, i)
            plain, hopeful = (
                walker.atoms.alignment(Form(entry.form.terms), {}, entry.align or WIDEST, how)
                for how in (False, True)
            )
            if (
                plain != hopeful
                or _is_odd(entry)
                or (space not in ("shared", "local") and entry.told.unsure)
            ):
                doubtful.add(entry.site)
            wide = (i.entry.memory, i.entry.form.terms, i.entry.store, block, i.fences)
            strict[(*wide, i.entry.width, i.entry.hint, order)].append(i)
            loose[wide].add((i.entry.width, order))
            members[wide].add(i.entry.site)
        doubtful |= {
            site for wide, keys in loose.items() if len(keys) > 1 for site in members[wide]
        }
        for group in strict.values():
            doubtful |= _decide(walker, group, space == "shared", fates, lines)
            sites = {i.entry.site for i in group}
            reordered = _joined_late(walker, group) or any(
                i.entry.site in moving and not i.turns for i in group
            )
            if reordered and len({site.charged_line for site in sites}) > 1:
                unplaced |= sites
    for i in walker.instances:
        if i.forwarded:
            fates[i.entry.site][tuple(n for _, n in i.turns)] = None
    return _closed(walker, _settled(walker, found, fates, lines, doubtful, unplaced), found)


def _joined_late(walker: Walker, group: list[Instance]) -> bool:
    """Whether ptxas joins loads that LLVM left apart, since it knew no alignment that allows it:
    behind the first branch or loop they come in the order in which expressions read them (`a - b`
    reads b first; so in 79 of 360 kernels, read in machine code)."""
    size, _ = _block(walker, group[0])
    return not group[0].entry.store and group[0].block != FIRST and max(map(_told, group)) < size


def _settled(
    walker: Walker,
    found: Found,
    fates: Mapping[ir.AccessSite, Fates],
    lines: Mapping[ir.AccessSite, int],
    doubtful: set[ir.AccessSite],
    unplaced: set[ir.AccessSite],
) -> dict[ir.AccessSite, Outcome]:
    """The outcomes of sites whose every copy has a fate, and that nothing else may change."""
    result: dict[ir.AccessSite, Outcome] = {}
    copies: dict[ir.AccessSite, list[Instance]] = defaultdict(list)
    for i in walker.instances:
        copies[i.entry.site].append(i)
    for site, instances in copies.items():
        i, own = instances[0], fates.get(site, {})
        kinds = set(found.get(site, ()))
        if (
            site in doubtful
            or len(own) != len(instances)
            or any(_in_parts(i.entry) for i in instances)
        ):
            continue
        if len(kinds) != 1 or not kinds <= {"merged", "forwarded"} or _across_iterations(walker, i):
            continue
        if lines.get(site, site.charged_line) != site.charged_line and any(own.values()):
            continue  # some copies are joined with another line's access, others stay on their own
        if "forwarded" in kinds and any(own.values()):
            continue  # the one that is left may be charged to an earlier line
        loops = tuple(loop for loop, _ in i.turns)
        held = _held(walker, own, loops, i.entry.store)
        if held is not None and not (
            _is_wider(own, i.entry) and _loses_alignment(walker, instances)
        ):
            placed = site not in unplaced and not (site in lines and site.calls)
            result[site] = Unrolled(
                loops, held[0], lines.get(site, site.charged_line), kinds.pop(), placed, held[1]
            )
    return result


def _is_wider(own: Fates, entry: Entry) -> bool:
    return any(fate is not None and fate[1] > entry.width for fate in own.values())


def _loses_alignment(walker: Walker, copies: Sequence[Instance]) -> bool:
    """Whether a loop that may stay moves an access of a shared array, and not from the array's own
    start onwards: ptxas then has a pointer that it moves from anywhere, and knows no alignment of
    it (read in machine code: `B[k + 1][4 * t + j]`, `B[31 - k][4 * t + j]` and `B[k][4 * t + j]`
    from `k = 1` on are four loads, from 0 on one, but not behind `#pragma unroll 1`)."""
    first = copies[0].entry
    if first.memory is None or first.memory.space != "shared":
        return False
    begins = min(i.entry.form.constant + i.entry.first for i in copies)
    for loop in (step.statement for step in first.path if isinstance(step.statement, ir.Loop)):
        if _moved(walker, first, loop):
            return True
    for at, (loop, _) in enumerate(copies[0].turns):
        count, split = walker.counts.get(loop, 0), _is_split(walker, loop)
        if not split and (
            in_full(loop, walker.counts) or multiple(loop, count, walker.counts) == count
        ):
            continue
        places = [
            min(i.entry.form.constant for i in copies if i.turns[at][1] == turn)
            for turn in (0, 1)
            if turn < count
        ]
        if len(set(places)) > 1 and (split or begins or places[0] > places[1]):
            return True
    return False


def _is_split(walker: Walker, loop: ir.Loop) -> bool:
    """Whether something in a loop has a slow way behind a branch: where that is a call, no pointer
    keeps what is known of it."""
    return any(walker.splits(s) for s in walk(loop.body))


def _moved(walker: Walker, entry: Entry, loop: ir.Loop) -> int:
    """Bytes that each iteration of a loop that is not run out moves an address on; 0 where it does
    not, or not by a constant."""
    counter = walker.atoms.numbers.get((("iteration", loop), None), -1)
    return next(
        (coefficient for monomial, coefficient in entry.form.terms if monomial == (counter,)), 0
    )


def _is_odd(entry: Entry) -> bool:
    """Whether an array of a thread is of 8-byte elements that do not fill blocks of 16: then
    nothing aligns it (`double a[3]`)."""
    memory = entry.memory
    return (
        memory is not None
        and memory.space == "local"
        and entry.width == WIDEST // 2
        and (memory.size or 0) % WIDEST != 0
    )


def _told(i: Instance) -> int:
    """Alignment that the source tells: of the object, or of a struct that the address goes
    through."""
    return max(i.entry.memory.align if i.entry.memory is not None else 0, i.entry.told.align)


def _in_parts(entry: Entry) -> bool:
    """Whether a struct's members may move one by one."""
    return len(entry.site.pieces) != 1 and entry.width != entry.size


def _block(walker: Walker, i: Instance) -> tuple[int, int]:
    """(bytes that may be accessed at once around an access, number of the aligned block it lies
    in)."""
    entry = i.entry
    align = (
        walker.atoms.alignment(Form(entry.form.terms), {}, entry.align)
        if entry.align
        else entry.width
    )
    size = max(entry.width, min(align, VECTOR * entry.width, WIDEST))
    return size, (entry.form.constant + entry.first) // size


def _decide(
    walker: Walker,
    group: list[Instance],
    shared: bool,
    fates: dict[ir.AccessSite, Fates],
    lines: dict[ir.AccessSite, int],
) -> set[ir.AccessSite]:
    """Writes the fates of one group of neighbours; returns the sites whose fate it does not
    know."""
    size, block = _block(walker, group[0])
    width = group[0].entry.width
    places = [(i.entry.form.constant + i.entry.first - block * size) for i in group]
    sites = {i.entry.site for i in group}
    slots = [p // width for p in places]
    how = parts(frozenset(slots), size // width, group[0].entry.store, shared)
    if (
        how is None
        or len(set(slots)) != len(slots)
        or any(p % width for p in places)
        or any(s.volatile for s in sites)
    ):
        return sites
    if len(how) < len(slots) and is_shifted(walker, group[0].entry, size):
        return sites
    gaps = len(slots) != size // width
    if not shared and len(how) == 1 and gaps and is_interrupted(walker, group, slots):
        return sites
    if (
        not shared and gaps and len({i.entry.told.within for i in group}) > 1
    ):  # members of several classes or arrays (measured)
        return sites
    if (width == 1 and len(group) > 1) or len(sites) > 1 < len(
        how
    ):  # bytes merge only sometimes; several parts share a line (measured)
        return sites
    for first, count in how:
        taken = [n for n, slot in enumerate(slots) if first <= slot < first + count]
        leader = _leader(group, taken, slots, max(map(_told, group)) >= count * width)
        for n in taken:
            entry = group[n].entry
            own = None if n != leader else (entry.first + first * width - places[n], count * width)
            fates[entry.site][tuple(turn for _, turn in group[n].turns)] = own
            if count > 1 and len(sites) > 1:
                lines[entry.site] = group[leader].entry.site.charged_line
    return set()


def _leader(group: list[Instance], taken: list[int], slots: list[int], early: bool) -> int:
    """Whose line an access made of several is charged to: of loads the first one's; of stores that
    of the highest address where LLVM joins them (`early`: the source tells the alignment), else, by
    ptxas, the last one's (read in line tables, 680 kernels)."""
    if not group[0].entry.store:
        return taken[0]
    return max(taken, key=lambda n: slots[n]) if early else taken[-1]


def _across_iterations(walker: Walker, i: Instance) -> bool:
    """Whether iterations of a loop that is not run out could merge with each other, too."""
    for monomial, coefficient in i.entry.form.terms:
        if any(walker.atoms.keys[a][0] == "iteration" for a in monomial) and coefficient % WIDEST:
            loops = [s.statement for s in i.entry.path if isinstance(s.statement, ir.Loop)]
            return not all(loop in walker.single for loop in loops if loop in walker.kept)
    return False


def _closed(
    walker: Walker, result: dict[ir.AccessSite, Outcome], found: Found
) -> dict[ir.AccessSite, Outcome]:
    """Only outcomes all of whose partners are certain too."""
    partners: dict[tuple[object, ...], set[ir.AccessSite]] = defaultdict(set)
    for i in walker.instances:
        if "merged" in found.get(i.entry.site, ()):
            partners[(i.entry.memory, i.entry.form.terms, i.entry.store)].add(i.entry.site)
    uncertain = {
        site for group in partners.values() if any(s not in result for s in group) for site in group
    }
    return {site: outcome for site, outcome in result.items() if site not in uncertain}


def removed(walker: Walker, found: Found) -> dict[ir.AccessSite, Outcome]:
    """Accesses that surely never execute: nobody needs the value, or a store after it in the same
    straight code replaces it."""
    stores: dict[tuple[object, ...], list[ir.AccessSite]] = defaultdict(list)
    for i in walker.instances:
        if i.entry.store:
            stores[
                (i.entry.memory, i.entry.form, i.entry.first, i.entry.size, i.block, i.entry.path)
            ].append(i.entry.site)
    counts: dict[ir.AccessSite, int] = defaultdict(int)
    for i in walker.instances:
        counts[i.entry.site] += 1
    replaced = {site for sites in stores.values() for site in sites[:-1] if counts[site] == 1}
    result: dict[ir.AccessSite, Outcome] = {}
    for site, kinds in found.items():
        risk = kinds.get("eliminated")
        if risk is not None and risk.certain and (site in replaced or risk.factor[1] == 0):
            result[site] = Unrolled((), {(): None}, site.charged_line, "eliminated")
    return result


# ------------------------------------------------------------ loops unrolled by a part of their
# count


def rolled(walker: Walker, found: Found) -> dict[ir.AccessSite, Outcome]:
    """Outcomes of accesses that merge with the following iterations of a loop."""
    result: dict[ir.AccessSite, Outcome] = {}
    by_site: dict[ir.AccessSite, list[Instance]] = defaultdict(list)
    for i in walker.instances:
        by_site[i.entry.site].append(i)
    for site, instances in by_site.items():
        if (
            set(found.get(site, ())) != {"merged"}
            or len(site.pieces) != 1
            or not _are_copies(instances)
        ):
            continue
        outcomes = [_rolled(walker, i, len(instances) > 1) for i in instances]
        if outcomes[0] is not None and all(outcome == outcomes[0] for outcome in outcomes):
            result[site] = outcomes[0]
    return result


def _are_copies(instances: Sequence[Instance]) -> bool:
    """Whether an access stands once in its loop, or as copies of a loop in it whose addresses are
    whole blocks apart."""
    first = instances[0].entry
    apart = [i.entry.form.distance(first.form) for i in instances]
    return len(set(apart)) == len(apart) and all(d is not None and d % WIDEST == 0 for d in apart)


def _rolled(walker: Walker, i: Instance, several: bool) -> Rolled | None:
    entry, step = i.entry, i.entry.path[-1] if i.entry.path else None
    loop = step.statement if step is not None and isinstance(step.statement, ir.Loop) else None
    memory = entry.memory
    if (
        loop is None
        or memory is None
        or memory.space != "shared"
        or loop not in walker.steady
        or not _joins_turns(walker, loop, i)
    ):
        return None
    counter = walker.atoms.numbers.get((("iteration", loop), None), -1)
    moving = [(m, c) for m, c in entry.form.terms if counter in m]
    if moving != [((counter,), entry.width)] or (entry.form.constant + entry.first) % WIDEST:
        return None
    still = Form(tuple(t for t in entry.form.terms if t not in moving))
    limit = walker.constant_trips.get(loop)
    bytes_ = _widest(entry, loop, limit, len(still.terms) == 1 or several)
    if (
        bytes_ is None
        or bytes_ <= entry.width
        or walker.atoms.alignment(still, {}, entry.align) < bytes_
    ):
        return None
    if limit is not None and not _surely_split(
        walker, loop, limit, memory.dynamic or len(still.terms) == 1
    ):
        return None
    unroll = loop.unroll or VECTOR
    single = limit is None or loop.unroll is not None
    rest = tuple((entry.width,) * n if single else _rest(entry.width, n) for n in range(unroll))
    return Rolled(loop, unroll, bytes_ // entry.width, bytes_, rest, entry.site.charged_line, limit)


def _widest(entry: Entry, loop: ir.Loop, limit: int | None, uniform: bool) -> int | None:
    """Bytes per machine access in the unrolled part; None when not known. The machine's pointer
    into a statically placed array points half an unrolled body further (measured), which halves its
    alignment, unless the address is the array's own or the count constant, or the counter is in
    addresses elsewhere, too."""
    width, unroll = entry.width, loop.unroll or VECTOR
    whole = min(WIDEST, VECTOR * width, unroll * width)
    if unroll & (unroll - 1) or unroll == 1:
        return None
    if entry.memory is not None and entry.memory.dynamic:
        return whole
    if entry.store or width < 4:
        return None
    if uniform or (limit is not None and loop.unroll != VECTOR):
        return whole
    return min(whole, unroll * width // 2) if entry.form.constant == 0 and is_shared(loop) else None


def _surely_split(walker: Walker, loop: ir.Loop, limit: int, aligned: bool) -> bool:
    """Whether a loop with a constant count is surely unrolled in full or by many (measured up to
    1024 iterations of a short body), or by a multiple of four where that is enough (`aligned`)."""
    if loop.unroll:
        return limit % loop.unroll == 0
    short = instructions((*loop.header, *loop.body), walker.counts) <= SHORT
    by_fours = (short and limit % VECTOR == 0) or (
        aligned and limit % 16 == 0 and by_four(loop, walker.counts)
    )
    return by_fours or in_full(loop, walker.counts)


def _is_short(walker: Walker, loop: ir.Loop) -> bool:
    """Whether a loop is surely unrolled by four, or as its pragma says."""
    told = (
        bool(loop.unroll)
        and multiple(loop, walker.constant_trips.get(loop, 0), walker.counts) == loop.unroll
    )
    return told or by_four(loop, walker.counts)


def _rest(width: int, count: int) -> tuple[int, ...]:
    made = [0] * count
    for first, number in parts(frozenset(range(count)), VECTOR, False, True) or ():
        made[first] = number * width
    return tuple(made)


def _joins_turns(walker: Walker, loop: ir.Loop, i: Instance) -> bool:
    """Whether nothing in the loop keeps nvcc from unrolling it and from merging this access with
    the next iterations' ones."""
    inside = list(walk((*loop.header, *loop.body)))
    if any(
        map(may_split, inside)
    ):  # branches between copies, or calls behind which no pointer keeps what is known of it
        return False
    if any(
        isinstance(s, (ir.Leave, ir.Trap, ir.Clobber))
        or is_fence(s)
        or (isinstance(s, ir.Loop) and s in walker.kept)
        for s in inside
    ):
        return False
    condition = loop.condition
    while isinstance(condition, ir.Convert):
        condition = condition.operand
    if (
        loop.post_test
        or not isinstance(condition, ir.Binary)
        or condition.op not in ("<", "<=", "!=")
    ):
        return False
    if not isinstance(condition.left.type, Integer) or not _is_short(walker, loop):
        return False
    memory = i.entry.memory
    near = [
        x.entry
        for x in walker.instances
        if x.entry.site is not i.entry.site and any(s.statement is loop for s in x.entry.path)
    ]
    return not any(
        x.memory is memory or x.memory is None or (x.store and x.memory.space == "shared")
        for x in near
    )
