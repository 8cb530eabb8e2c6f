"""Launches under example sizes, where only a user knows the sizes: `n = atoi(argv[1])`.

In: a host body, a launch in it whose grid or allocations are not known. Out: the launch as made with
a few values of what is open. What a kernel does wrong under one of them it does wrong in a run that
may happen. Nothing is said of other sizes.

All open values are equal, so that nothing that is asked of their order (a pitch of at least a width)
is broken. They are powers of two, as many kernels ask for. The small one fills no block: the last
threads of blocks meet their guards. Where the launch is also given memory of a size of its own, as
for one result of each of so many blocks, one length is so long that there are thousands of blocks.
Of matrices, of which nothing but extents is open, each extent
may be the largest.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from kernlint.base.dataclass import replace
from kernlint.execution.host.constants import Pins, definitions, pins_of_names
from kernlint.execution.record import LaunchReached
from kernlint.execution.values.values import object_at
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import (
    expressions,
    read_by,
    reads,
    targets,
    unconverted,
    walk,
    walk_expression,
)

LARGE, WIDE, SMALL = 1024, 24, 8
MANY = 1 << 21  # more blocks of any size than a block has threads
MOST_EXTENTS = 3
MOST_REACHED = 2  # launches of one statement, under one choice of sizes
Values = tuple[tuple[str, int], ...]
Run = Callable[[Pins], Sequence[LaunchReached]]


def examples(
    body: ir.Body,
    reached: LaunchReached,
    variables: Mapping[str, Sequence[ir.Variable]],
    run: Run,
) -> Iterator[tuple[Values, LaunchReached]]:
    """The launch of `reached` under each choice of values for those `variables` that decide a size,
    with what was chosen. Others stay open: an offset or the number of an element has a range of its
    own. `body`: whole, since what ends the program for some sizes rules these out."""
    memory = [object_at(value) for _, value in reached.arguments]
    open_ones = {one.span for one in memory if one is not None and one.size is None}
    allocations = [s for s in walk(body) if isinstance(s, ir.Allocate) and s.span in open_ones]
    if all(s.bytes is None for s in allocations):
        return
    known = definitions(body)
    deciding = _deciding(body, (*allocations, *_sizes(reached.statement)))
    names = [name for name, some in variables.items() if not deciding.isdisjoint(some)]
    kept = any(one is not None and one.size is not None for one in memory)
    for values in _choices(body, names, kept) if names else ():
        held = pins_of_names(known, reached.statement, variables, dict(values))
        made = [one for one in run(held) if one.statement is reached.statement]
        yield from ((values, one) for one in made[:MOST_REACHED])


def with_ends(body: ir.Body, program: ir.Label) -> ir.Body:
    """The body that leaves `program` where it aborts and where an assertion does not hold."""
    return tuple(_with_ends(s, program) for s in body)


def _with_ends(s: ir.Statement, program: ir.Label) -> ir.Statement:
    match s:
        case ir.Trap():
            return ir.Leave(program)
        case ir.Assume():
            site = ir.BranchSite(s.span, "if", "")
            return ir.If(s.condition, (), (ir.Leave(program),), site)
        case ir.If():
            then, otherwise = with_ends(s.then, program), with_ends(s.otherwise, program)
            return replace(s, then=then, otherwise=otherwise)
        case ir.Region() | ir.Loop():
            return replace(s, body=with_ends(s.body, program))
    return s


def _sizes(launch: ir.HostLaunch) -> Iterator[ir.Expression]:
    yield from (*launch.grid, *launch.block, launch.dynamic_shared)


def _deciding(body: ir.Body, users: Iterable[ir.Statement | ir.Expression]) -> set[ir.Variable]:
    """The variables that these read, and those that they are made of."""
    made_of: dict[ir.Variable, set[ir.Variable]] = defaultdict(set)
    for s in walk(body):
        for target in targets(s):
            made_of[target] |= read_by(s)
    found: set[ir.Variable] = set()
    pending = [
        variable
        for user in users
        for variable in (reads(user) if isinstance(user, ir.Expression) else read_by(user))
    ]
    while pending:
        variable = pending.pop()
        if variable not in found:
            found.add(variable)
            pending += made_of[variable]
    return found


def _choices(body: ir.Body, names: Sequence[str], kept: bool) -> Iterator[Values]:
    """`kept`: whether the launch is given memory of a size that none of them decides."""
    yield tuple((name, LARGE) for name in names)
    yield tuple((name, SMALL) for name in names)
    if kept and len(names) == 1:
        yield tuple((name, MANY) for name in names)
    if 1 < len(names) <= MOST_EXTENTS and _multiplied(body, set(names)).issuperset(names):
        for wide in names:
            yield tuple((name, WIDE if name == wide else SMALL) for name in names)


def _multiplied(body: ir.Body, names: set[str]) -> set[str]:
    """Those that host code multiplies with one another, as extents of a matrix."""
    found: set[str] = set()
    for s in walk(body):
        for e in expressions(s) if isinstance(s, (ir.Assign, ir.Allocate)) else ():
            factors = [_factors(x) & names for x in walk_expression(e)]
            found = found.union(*(some for some in factors if len(some) > 1))
    return found


def _factors(e: ir.Expression) -> set[str]:
    """The variables that a product is made of."""
    e = unconverted(e)
    if isinstance(e, ir.Binary) and e.op == "*":
        return _factors(e.left) | _factors(e.right)
    return {e.variable.name} if isinstance(e, ir.Read) else set()
