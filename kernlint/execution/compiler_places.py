"""Where accesses may end up: moved behind an early return, met again after a loop that lanes leave one by one, or charged to a call.

In: a kernel's body. Out: (site, risk) pairs. Looks at structure alone; the walk of `compiler_walk` knows values.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator

from kernlint.execution.compiler_facts import Risk
from kernlint.lowering import ir
from kernlint.lowering.traversal import bodies, expressions, reads, targets, walk
from kernlint.lowering.types import Pointer
from kernlint.records import dataclass
from kernlint.source.span import Span

ASSEMBLY = re.compile(r"(@!?%?\w+\s+)?[a-z]\w*\.\w")  # the text of a PTX instruction: its rule of charging is known
KEEPS_LOADS = (ir.Store, ir.Atomic, ir.Copy, ir.Barrier, ir.Clobber, ir.Matrix)  # a load does not move past these


def moved(body: ir.Body, kept: Collection[ir.Loop]) -> Iterator[tuple[ir.AccessSite, Risk]]:
    """`kept`: the loops that are not unrolled in full."""
    yield from _before_returns(body)
    yield from _on_leaving(body, frozenset())
    yield from _at_entries(body, kept)
    yield from _in_headers(body)


def _leaves(s: ir.Statement) -> bool:
    return isinstance(s, ir.If) and any(isinstance(x, (ir.Leave, ir.Trap)) for arm in (s.then, s.otherwise) for x in arm)


def _before_returns(body: ir.Body) -> Iterator[tuple[ir.AccessSite, Risk]]:
    """Loads before `if (…) return;` that the condition does not need may execute only for the lanes that stay."""
    for position, s in enumerate(body):
        if isinstance(s, ir.If) and _leaves(s):
            needed = reads(s.condition)
            for earlier in reversed(body[:position]):
                if isinstance(earlier, KEEPS_LOADS) or bodies(earlier):
                    break
                if needed & set(targets(earlier)):
                    needed |= {v for e in expressions(earlier) for v in reads(e)}
                elif isinstance(earlier, ir.Load):
                    yield earlier.site, Risk("sunk", False, (0, 1), "the load may move behind the early return that follows it")
        for inner in bodies(s):
            yield from _before_returns(inner)


def _on_leaving(body: ir.Body, loops: frozenset[ir.Label]) -> Iterator[tuple[ir.AccessSite, Risk]]:
    """Accesses in an arm that leaves a loop: lanes that leave it in different iterations may execute them together, after it."""
    for s in body:
        inside = loops | {s.label} if isinstance(s, ir.Loop) else loops
        for inner in bodies(s):
            if inside and isinstance(s, ir.If) and any(isinstance(x, ir.Leave) and _goes_out(x, s, inside) for x in inner):
                for x in walk(inner):
                    for site in sites(x):
                        yield site, Risk("drifted", False, (0, 1), "lanes that leave the loop in different iterations may meet after it")
            yield from _on_leaving(inner, inside)


def _goes_out(leave: ir.Leave, arm: ir.If, loops: frozenset[ir.Label]) -> bool:
    """Whether the jump ends the loop (a `continue` goes to a region inside it)."""
    return leave.label in loops or not leave.label.name.startswith("continue")


Calls = tuple[Span, ...]


@dataclass(slots=True)
class _Entry:
    """The beginning of one inlined call. `past`: an instruction of the function surely comes before what follows; `line`: of its first
    access that no later one passes, in whose row of the line table others of that line still are."""

    past: bool = False
    line: int | None = None


def _at_entries(body: ir.Body, kept: Collection[ir.Loop]) -> Iterator[tuple[ir.AccessSite, Risk]]:
    """The first instructions of an inlined function are charged to its call (nvcc's line table names both lines at the first one's
    address, profilers take the call's), up to the table's next row. Which access is the first is the scheduler's choice: any before which
    the function neither branches nor writes, and whose address needs none of its loads. Loops that are not `kept` leave no branch."""
    entries: defaultdict[Calls, _Entry] = defaultdict(_Entry)
    late: dict[ir.Variable, frozenset[Calls]] = {}  # the calls whose own loads a value needs
    values: dict[ir.Variable, ir.Expression] = {}
    for s, controls in _under(body, kept):
        if isinstance(s, ir.Assign):
            values[s.variable] = s.value
        needed = frozenset[Calls]().union(*(late.get(v, ()) for e in expressions(s)[:1] for v in reads(e)))
        for site in sites(s):
            entry = entries[site.calls]
            past = entry.past or site.calls in controls or site.calls in needed
            past |= not isinstance(s, ir.Load) and any(v in values and not _handed(values[v]) for e in expressions(s)[:1] for v in reads(e))
            if site.calls and not past and entry.line in (None, site.span.line) and not ASSEMBLY.match(site.text):
                yield site, Risk("recharged", False, (1, 1), "the first instructions of an inlined function may be charged to its call")
            if isinstance(s, ir.Load):
                needed |= {site.calls}
            elif entry.line is None:
                entry.line = site.span.line
        late |= {v: needed for v in targets(s)} if needed else {}
        if isinstance(s, (ir.If, ir.Barrier)) or (isinstance(s, ir.Loop) and s in kept):
            entries[s.site.calls].past = True


def _in_headers(body: ir.Body) -> Iterator[tuple[ir.AccessSite, Risk]]:
    """An atomic function stands in the toolkit's header. Its instruction is charged to the user's line only where it is the function's
    first: what fetches an operand (a constant, an argument of the kernel, what is loaded in the same statement, what a loop carries along)
    comes before it and may move away. An increment of shared memory has no operand to fetch."""
    assigned = Counter(variable for s in walk(body) for variable in targets(s))
    loads: list[ir.Load] = []
    for s, loop in _looped(body, None):
        if isinstance(s, ir.Load):
            loads.append(s)
        elif isinstance(s, ir.Atomic):
            inside = [load for load in loads if _within(load.site.span, s.site.span) and not reads(s.address) & set(targets(load))]
            loads = []
            again = Counter(variable for x in walk((loop,)) for variable in targets(x)) if loop else Counter()
            carried = {variable for variable in again if again[variable] < assigned[variable]}
            fetched = bool(inside) or any(_fetched(o, assigned.keys()) or reads(o) & carried for o in s.operands)
            if fetched and s.site.hardware_op != "increment":
                yield s.site, Risk("elsewhere", False, (1, 1), "its instruction may be charged to the toolkit's header")


def _looped(body: ir.Body, loop: ir.Loop | None) -> Iterator[tuple[ir.Statement, ir.Loop | None]]:
    """Every statement in program order, with the innermost loop around it."""
    for s in body:
        yield s, loop
        for inner in bodies(s):
            yield from _looped(inner, s if isinstance(s, ir.Loop) else loop)


def _fetched(operand: ir.Expression, computed: Collection[ir.Variable]) -> bool:
    """Whether an instruction brings the operand into a register: constants but zero, arguments of the kernel."""
    plain = _unconverted(operand)
    if isinstance(plain, ir.Constant):
        return plain.value != 0
    return isinstance(plain, ir.Read) and plain.variable not in computed


def _within(inner: Span, outer: Span) -> bool:
    first, last = (inner.line, inner.column), (inner.end_line, inner.end_column)
    return inner.path == outer.path and (outer.line, outer.column) <= first and last <= (outer.end_line, outer.end_column)


def unplaced(kernel: ir.Kernel) -> Iterator[tuple[ir.AccessSite, Risk]]:
    """In PTX: what was inlined, which ptxas charges to the call or to the function's own lines (measured: either happens), and what the
    compiler made itself, without a line, which is charged to some line of its neighbours."""
    if kernel.language != "ptx":
        return
    every = [(s, site) for s in walk(kernel.body) for site in sites(s)]
    in_source = any(site.span.path != kernel.span.path for _, site in every)
    lost = {_kind(s, site) for s, site in every if in_source and site.span.path == kernel.span.path}
    for s, site in every:
        if site.calls:
            yield site, Risk("recharged", False, (1, 1), "inlined code is charged to the call or to the function's own line")
        elif _kind(s, site) in lost:
            yield site, Risk("recharged", False, (0, 2), "an access without a line in the line table may be charged to this one's line")


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


def _under(body: ir.Body, kept: Collection[ir.Loop], controls: tuple[Calls, ...] = ()) -> Iterator[tuple[ir.Statement, tuple[Calls, ...]]]:
    """Every statement in program order, with the call chains of the branches and loops around it."""
    for s in body:
        inside = (*controls, s.site.calls) if isinstance(s, ir.If) or (isinstance(s, ir.Loop) and s in kept) else controls
        for inner in bodies(s):
            yield from _under(inner, kept, inside)
        yield s, controls


def sites(s: ir.Statement) -> tuple[ir.AccessSite, ...]:
    match s:
        case ir.Load() | ir.Store() | ir.Atomic() | ir.Matrix():
            return (s.site,)
        case ir.Copy():
            return (s.source_site, s.destination_site)
    return ()
