"""Where accesses may end up: moved behind an early return, met again after a loop that lanes leave
one by one, or charged to a call.

In: a kernel's body and its walk. Out: (site, risk) pairs. Looks at structure; the walk tells the
loops that stay and what may overlap.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping

from kernlint.base.span import Span
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import bodies, expressions, operands, reads, sites, targets, walk
from kernlint.ir.types import Float, Pointer
from kernlint.optimizer.compiler_entries import is_fence
from kernlint.optimizer.compiler_facts import Risk
from kernlint.optimizer.compiler_memory import HINTED
from kernlint.optimizer.compiler_pairs import space
from kernlint.optimizer.compiler_walk import Walker

ASSEMBLY = re.compile(
    r"(@!?%?\w+\s+)?[a-z]\w*(\.\w+|::\w+)+\s"
)  # the text of a PTX instruction: its rule of charging is known
UNROLLED = "of its copies in an unrolled loop only the first may be charged to the call, the others to the function's own line"
MADE_FIRST = "of a function put in place, it shows on the call's line, or on its own where an instruction makes its address first"
AT_CALL = "the first instructions of the function that is called may be charged to this line, too"
BESIDE = "its instruction may be charged to the call of the same function beside it"
CALLED = re.compile(r"\w+(?=\s*\()")  # the function that a call names
WRITES = (ir.Store, ir.Atomic, ir.Copy, ir.Clobber, ir.Matrix)


def moved(body: ir.Body, walker: Walker) -> Iterator[tuple[ir.AccessSite, Risk]]:
    yield from _before_returns(body)
    yield from _on_leaving(body, frozenset())
    yield from _at_entries(body, walker)
    yield from _in_headers(body, walker.kept)
    yield from _beside_each_other(body, walker)


def _leaves(s: ir.Statement) -> bool:
    return isinstance(s, ir.If) and any(
        isinstance(x, (ir.Leave, ir.Trap)) for arm in (s.then, s.otherwise) for x in arm
    )


def _before_returns(body: ir.Body) -> Iterator[tuple[ir.AccessSite, Risk]]:
    """Loads before `if (…) return;` that the condition does not need may execute only for the lanes
    that stay."""
    for position, s in enumerate(body):
        if isinstance(s, ir.If) and _leaves(s):
            needed = reads(s.condition)
            for earlier in reversed(body[:position]):
                if _keeps_loads(earlier) or bodies(earlier):
                    break
                if needed & set(targets(earlier)):
                    needed |= {v for e in expressions(earlier) for v in reads(e)}
                elif isinstance(earlier, ir.Load):
                    yield (
                        earlier.site,
                        Risk(
                            "sunk",
                            False,
                            (0, 1),
                            "the load may move behind the early return that follows it",
                        ),
                    )
        for inner in bodies(s):
            yield from _before_returns(inner)


def _on_leaving(body: ir.Body, loops: frozenset[ir.Label]) -> Iterator[tuple[ir.AccessSite, Risk]]:
    """Accesses in an arm that leaves a loop: lanes that leave it in different iterations may
    execute them together, after it."""
    for s in body:
        inside = loops | {s.label} if isinstance(s, ir.Loop) else loops
        for inner in bodies(s):
            if (
                inside
                and isinstance(s, ir.If)
                and any(isinstance(x, ir.Leave) and _goes_out(x, s, inside) for x in inner)
            ):
                for x in walk(inner):
                    for site in sites(x):
                        yield (
                            site,
                            Risk(
                                "drifted",
                                False,
                                (0, 1),
                                "lanes that leave the loop in different iterations may meet after it",
                            ),
                        )
            yield from _on_leaving(inner, inside)


def _goes_out(leave: ir.Leave, arm: ir.If, loops: frozenset[ir.Label]) -> bool:
    """Whether the jump ends the loop (a `continue` goes to a region inside it)."""
    return leave.label in loops or not leave.label.name.startswith("continue")


Calls = tuple[Span, ...]
Mark = tuple[Calls, int]  # an inlined call, and a line of its function


def _at_entries(body: ir.Body, walker: Walker) -> Iterator[tuple[ir.AccessSite, Risk]]:
    """The first instruction of an inlined function is charged to its call (nvcc's line table names
    both lines at its address, profilers take the call's), and so is what follows it up to the next
    instruction of another line. Which one is the first is the scheduler's choice. An access keeps
    its line only behind something of the same call on another line, and where no other call in the
    same straight code has instructions of that line: one of these may be the other call's first."""
    inside = list(_behind(body, walker))
    calls: defaultdict[tuple[str, int, Controls], set[Calls]] = defaultdict(set)
    for site, control, _ in inside:
        calls[site.span.path, site.span.line, control].add(site.calls)
    copies = Counter(instance.entry.site for instance in walker.instances)
    for s in walk(body):
        for site in sites(s):
            if site.converted:
                yield site, Risk("recharged", False, (1, 1), MADE_FIRST)
            elif site.calls and copies[site] > 1 and ASSEMBLY.match(site.text):
                yield site, Risk("recharged", False, (1, 1), UNROLLED)
    leaving: list[ir.AccessSite] = []
    for site, control, lines in inside:
        if lines <= {site.span.line} or len(calls[site.span.path, site.span.line, control]) > 1:
            leaving.append(site)
            yield (
                site,
                Risk(
                    "recharged",
                    False,
                    (1, 1),
                    "the first instructions of an inlined function may be charged to its call",
                ),
            )
    yield from _at_calls(body, walker, leaving)


def _at_calls(
    body: ir.Body, walker: Walker, leaving: Iterable[ir.AccessSite]
) -> Iterator[tuple[ir.AccessSite, Risk]]:
    """Accesses on the line of a call that accesses of its function may be charged to."""
    arriving: defaultdict[tuple[object, ...], list[ir.AccessSite]] = defaultdict(list)
    for site in leaving:
        for depth, call in enumerate(site.calls):
            if (site.charged_path or site.span.path, site.charged_line) != (
                call.path,
                call.first_charged,
            ):
                arriving[
                    site.calls[:depth], call.path, call.first_charged, site.op, _space(site, walker)
                ].append(site)
    for s in walk(body) if arriving else ():
        for site in sites(s):
            place = site.charged_path or site.span.path, site.charged_line
            if some := arriving.get((site.calls, *place, site.op, _space(site, walker))):
                yield site, Risk("recharged", False, (1, 1), AT_CALL, beside=tuple(some))


def _space(site: ir.AccessSite, walker: Walker) -> str:
    return space(walker.sites[site]) if site in walker.sites else ""


def _behind(body: ir.Body, walker: Walker) -> Iterator[tuple[ir.AccessSite, Controls, set[int]]]:
    """Every access of an inlined function, the innermost branch or loop around it, and the
    function's lines that it surely comes after: of branches and barriers, of accesses that it must
    not overtake, of loads and choices that its address or value needs, and for stores of the local
    variables in its address."""
    needs: dict[ir.Variable, frozenset[Mark]] = {}  # what a value waits for
    values: dict[ir.Variable, ir.Expression] = {}
    passed: defaultdict[Calls, set[int]] = defaultdict(set)
    accesses: defaultdict[Calls, list[ir.AccessSite]] = defaultdict(list)
    for s, controls in _under(body, walker.kept):
        if isinstance(s, ir.Assign):
            values[s.variable] = s.value
        needed = frozenset[Mark]().union(
            *(needs.get(v, ()) for e in expressions(s) for v in reads(e))
        )
        for site in sites(s):
            if not site.calls or ASSEMBLY.match(site.text):
                continue
            lines = passed[site.calls] | {
                line for calls, line in (*needed, *map(_mark, controls)) if calls == site.calls
            }
            lines |= {x.span.line for x in accesses[site.calls] if _in_order(x, site, walker)}
            if not isinstance(s, ir.Load):
                own = {
                    v
                    for v in reads(expressions(s)[0])
                    if v.calls == site.calls and v in values and not _handed(values[v])
                }
                lines |= {v.span.line for v in own if v.span is not None}
            yield site, controls[-1:], lines
            accesses[site.calls].append(site)
        if isinstance(s, (ir.Load, ir.Atomic)):
            needed |= {_mark(s.site)}
        needs |= {v: needed | set(map(_mark, controls)) for v in targets(s)}
        if (
            isinstance(s, ir.Barrier)
            or (isinstance(s, ir.Loop) and s in walker.kept)
            or (isinstance(s, ir.If) and _stays(s))
        ):
            passed[s.site.calls].add(s.site.span.line)


def _mark(site: ir.AccessSite | ir.BranchSite) -> Mark:
    return site.calls, site.span.line


def _stays(s: ir.If) -> bool:
    """Whether a branch surely leaves instructions that what follows cannot overtake: an arm writes,
    waits or leaves."""
    return any(_keeps_loads(x) or isinstance(x, (ir.Leave, ir.Trap)) for x in walk((s,)))


def _keeps_loads(s: ir.Statement) -> bool:
    """Whether a load does not move past a statement."""
    return isinstance(s, WRITES) or is_fence(s)


def _in_order(first: ir.AccessSite, then: ir.AccessSite, walker: Walker) -> bool:
    """Whether an access stays behind an earlier one: one of them writes where the other may be."""
    a, b = (walker.sites[x].memory if x in walker.sites else None for x in (first, then))
    return (first.op != "load" or then.op != "load") and walker.memory.overlap(a, b)


IN_HEADER = Risk(
    "elsewhere", False, (1, 1), "its instruction may be charged to the toolkit's header"
)


def _in_headers(body: ir.Body, kept: Collection[ir.Loop]) -> Iterator[tuple[ir.AccessSite, Risk]]:
    """An atomic function, or an access with a hint, stands in the toolkit's header. Its instruction
    is the user's line's only where it is the function's first: what fetches an operand (a constant,
    an argument of the kernel, also as the whole address, what is loaded in the same statement, what
    a loop carries along) comes before it and may move away; of a store, constants and arguments do
    (read in nvcc 13's line tables). An increment of shared memory has no operand to fetch. In a
    loop that is not run out whole some copies of an access with a hint are the header's, and where
    it is run out those of a store of what such a function loads beside it."""
    assigned = Counter(variable for s in walk(body) for variable in targets(s))
    loads: list[ir.Load] = []
    for s, loop, known in _looped(body, {}):
        if isinstance(s, (ir.Load, ir.Store, ir.Atomic)) and s.site.in_header:
            yield s.site, IN_HEADER
        if isinstance(s, (ir.Load, ir.Store)) and HINTED.match(s.site.text):
            values = (*s.values, *s.untracked) if isinstance(s, ir.Store) else ()
            beside = loop is not None and any(
                HINTED.match(x.site.text) and _within(x.site.span, s.site.span) for x in loads
            )
            if (
                loop in kept
                or beside
                or any(_fetched(e, assigned.keys()) or _sign(e) for _, e in values)
            ):
                yield s.site, IN_HEADER
        if isinstance(s, ir.Load):
            loads.append(s)
        elif isinstance(s, ir.Atomic):
            inside = [
                load
                for load in loads
                if _within(load.site.span, s.site.span)
                and not reads(s.address) & set(targets(load))
            ]
            loads = []
            again = (
                Counter(variable for x in walk((loop,)) for variable in targets(x))
                if loop
                else Counter()
            )
            carried = {variable for variable in again if again[variable] < assigned[variable]}
            fetched = bool(inside) or any(
                _fetched(o, assigned.keys()) or reads(o) & carried for o in s.operands
            )
            fetched |= _fetched(_base(s.address), assigned.keys())
            fetched |= any(
                reads(o) & known and reads(o) - assigned.keys() for o in (s.address, *s.operands)
            )
            if fetched and s.site.hardware_op != "increment":
                yield s.site, IN_HEADER


def in_classes(body: ir.Body) -> Iterator[tuple[ir.AccessSite, Risk]]:
    """What the functions that copy a class move, one member at a time, is charged to the class's
    line, the header's, or the user's (read in nvcc's line table: of `o[i] = p[i]` with `struct {
    half2 x, y; }` one load and one store of four are charged to it)."""
    for s in walk(body):
        for site in sites(s):
            if site.by_member:
                yield (
                    site,
                    Risk(
                        "elsewhere",
                        False,
                        (1, 1),
                        "what the class's own functions copy may be charged to its line",
                    ),
                )


def _beside_each_other(body: ir.Body, walker: Walker) -> Iterator[tuple[ir.AccessSite, Risk]]:
    """Calls of one atomic function on several lines of the same straight code: the line table has
    one line of the header for all, and where no instruction of another line comes between two,
    profilers charge both to one of the calls."""
    calls: defaultdict[tuple[str, Controls], list[ir.AccessSite]] = defaultdict(list)
    for s, controls in _under(body, walker.kept):
        if (
            isinstance(s, ir.Atomic)
            and s.site.hardware_op != "increment"
            and (name := CALLED.match(s.site.text))
        ):
            calls[name[0], controls[-1:]].append(s.site)
    for some in calls.values():
        if len({site.charged_line for site in some}) > 1:
            for site in some:
                others = tuple(x for x in some if x is not site)
                yield site, Risk("elsewhere", False, (1, 1), BESIDE, beside=others)


def _looped(
    body: ir.Body,
    values: dict[ir.Variable, ir.Expression],
) -> Iterator[InLoop]:
    """Every statement in program order, with the innermost loop around it, and what branches around
    it hold against a constant: nvcc computes with that there (`if (t == 0) atomicAdd(p, t + n)`
    adds n)."""
    none: frozenset[ir.Variable] = frozenset()
    pending: list[InLoop] = [(s, None, none) for s in reversed(body)]
    while pending:
        s, loop, known = pending.pop()
        yield s, loop, known
        if isinstance(s, ir.Assign):
            values[s.variable] = s.value
        told = known | _compared(s.condition, values) if isinstance(s, ir.If) else known
        around = s if isinstance(s, ir.Loop) else loop
        for inner in reversed(bodies(s)):
            pending += [(x, around, told) for x in reversed(inner)]


def _compared(test: ir.Expression, values: Mapping[ir.Variable, ir.Expression]) -> set[ir.Variable]:
    """Variables of which a condition tells whether they are some constant."""
    plain = _unconverted(test)
    if isinstance(plain, ir.Read) and plain.variable in values:
        plain = _unconverted(values[plain.variable])
    sides = [_unconverted(x) for x in operands(plain)]
    if isinstance(plain, ir.Binary) and plain.op in ("&&", "||"):
        return {v for side in sides for v in _compared(side, values)}
    equal = isinstance(plain, ir.Unary) or (
        isinstance(plain, ir.Binary) and plain.op in ("==", "!=")
    )
    return {x.variable for x in sides if equal and isinstance(x, ir.Read)}


def _base(address: ir.Expression) -> ir.Expression:
    """An address without constants that are added: instructions hold these."""
    plain = _unconverted(address)
    while (
        isinstance(plain, ir.Binary)
        and plain.op in "+-"
        and isinstance(_unconverted(plain.right), ir.Constant)
    ):
        plain = _unconverted(plain.left)
    return plain


def _fetched(operand: ir.Expression, computed: Collection[ir.Variable]) -> bool:
    """Whether an instruction brings it into a register: constants but zero, the kernel's arguments,
    addresses of variables."""
    plain = _unconverted(operand)
    if isinstance(plain, ir.Constant):
        return plain.value != 0
    if isinstance(plain, ir.Address):
        return plain.object.space in ("global", "shared")
    return isinstance(plain, ir.Read) and plain.variable not in computed


def _sign(value: ir.Expression) -> bool:
    """Whether a store's value is another one's negative or absolute value, which the header's line
    computes."""
    plain = _unconverted(value)
    negative = isinstance(plain, ir.Unary) and plain.op == "-"
    return isinstance(plain.type, Float) and (
        negative or (isinstance(plain, ir.Call) and plain.name in ("abs", "fabs"))
    )


def _within(inner: Span, outer: Span) -> bool:
    first, last = (inner.line, inner.column), (inner.end_line, inner.end_column)
    return (
        inner.path == outer.path
        and (outer.line, outer.column) <= first
        and last <= (outer.end_line, outer.end_column)
    )


def unplaced(kernel: ir.Kernel) -> Iterator[tuple[ir.AccessSite, Risk]]:
    """In PTX: what was inlined, which ptxas charges to the call or to the function's own lines
    (measured: either happens), and what the compiler made itself, without a line, which is charged
    to some line of its neighbours."""
    if kernel.language != "ptx":
        return
    every = [(s, site) for s in walk(kernel.body) for site in sites(s)]
    in_source = any(site.span.path != kernel.span.path for _, site in every)
    lost = {_kind(s, site) for s, site in every if in_source and site.span.path == kernel.span.path}
    for s, site in every:
        if site.calls:
            yield (
                site,
                Risk(
                    "recharged",
                    False,
                    (1, 1),
                    "inlined code is charged to the call or to the function's own line",
                ),
            )
        elif _kind(s, site) in lost:
            yield (
                site,
                Risk(
                    "recharged",
                    False,
                    (0, 2),
                    "an access without a line in the line table may be charged to this one's line",
                ),
            )


def _kind(s: ir.Statement, site: ir.AccessSite) -> tuple[str, str]:
    """Operation and memory space."""
    type_ = expressions(s)[0].type
    return site.op, type_.space if isinstance(type_, Pointer) else ""


def _handed(value: ir.Expression) -> bool:
    """Whether a variable merely takes over another value, as parameters do."""
    return isinstance(_unconverted(value), (ir.Read, ir.Constant, ir.Address))


def _unconverted(value: ir.Expression) -> ir.Expression:
    while isinstance(value, ir.Convert):
        value = value.operand
    return value


Controls = tuple[ir.BranchSite, ...]
InLoop = tuple[ir.Statement, ir.Loop | None, frozenset[ir.Variable]]


def _under(body: ir.Body, kept: Collection[ir.Loop]) -> Iterator[tuple[ir.Statement, Controls]]:
    """Every statement in program order, behind what is inside it, with the branches and loops
    around it."""
    pending: list[tuple[ir.Statement, Controls, bool]] = [(s, (), False) for s in reversed(body)]
    while pending:
        s, controls, is_behind = pending.pop()
        parts = bodies(s)
        if is_behind or not parts:
            yield s, controls
            continue
        pending.append((s, controls, True))
        inside = controls
        if isinstance(s, ir.If) or (isinstance(s, ir.Loop) and s in kept):
            inside = (*controls, s.site)
        for inner in reversed(parts):
            pending += [(x, inside, False) for x in reversed(inner)]
