"""Loops of which nvcc knows how often they can run at most, though lanes run them differently
often.

In: a loop, the values as forms when it begins, the steps of its counters. Out: whether its counters
start within known bounds and are tested against constants; the fewest and most iterations that
follow from such bounds; how many copies nvcc may make of such a loop inside another one. Measured
on an H100 (tests/data/few_turns): `for (i = threadIdx.x % 32; i < 50; i += 32)` runs as a pair of
copies for lanes with two iterations and one copy for the others, three requests where two are
written; with a start of `threadIdx.x`, or `n + threadIdx.x % 32`, or a bound of `n`, iterations run
one by one.
"""

from __future__ import annotations

from collections.abc import Mapping, Set

from kernlint.base.dataclass import replace
from kernlint.base.relations import OPPOSITE
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import reads, targets, walk
from kernlint.ir.types import Integer
from kernlint.lowering.statements.steps import step
from kernlint.optimizer.address_knowledge import ANY, OPERATIONS, Knowledge, constant
from kernlint.optimizer.compiler_forms import Atoms, Form, evaluated, form_of

MASKED = frozenset({"&", "%"})
WHOLE = frozenset({"convert", "narrow"})
Trips = tuple[int, int]  # the fewest and the most iterations of any lane
ALL = 5  # iterations, the same for all lanes, of which nvcc makes as many copies
# where lanes run differently often, loops of so many iterations at most stay loops but those in
# COPIED
OPEN = 4
COPIED = ((0, 1), (1, 2))
MOST_COPIES = 8  # that are walked
UNROLL = 4


def counts_few(
    s: ir.Loop, held: Mapping[ir.Variable, Form], counters: Mapping[ir.Variable, Form], atoms: Atoms
) -> bool:
    if s.condition is None:
        return False
    tested = reads(s.condition)
    moving = [v for v in tested if v in counters and counters[v] != Form()]
    if not moving or any(
        held[v].value is None if v in held else True for v in tested - set(moving)
    ):
        return False
    return all(
        counters[v].value is not None and v in held and _bounded(held[v], atoms) for v in moving
    )


def wraps(
    s: ir.Loop, held: Mapping[ir.Variable, Form], counters: Mapping[ir.Variable, Form], atoms: Atoms
) -> bool:
    """Whether a counter may wrap around for all that nvcc knows: it is tested as an unsigned that
    steps by more than one or may equal its bound, may equal a bound without limits in steps of more
    than one (`c <= n`, `c < n + 1`; not `c <= n - 1`, which is `c < n`), or starts one step behind
    an unsigned. Such loops run as four copies, then two, then one (read in machine code, 6,600
    loops)."""
    test = _comparison(s.condition)
    moving = {
        v: moved.value for v, moved in counters.items() if test is not None and v in reads(test)
    }
    steps = {v: abs(amount) for v, amount in moving.items() if amount}
    if any(
        v in held and held[v].terms and held[v].constant == moving[v]
        for v, amount in steps.items()
        if amount > 1
    ):
        return True
    if not isinstance(test, ir.Binary) or test.op not in ("<", "<=", ">", ">=", "!="):
        return False
    tested = steps.keys() & reads(test)
    if isinstance(test.left.type, Integer) and not test.left.type.signed:
        return any(steps[v] > 1 or len(test.op) > 1 for v in tested)
    return any(
        steps[v] > 1 and v in held and not _bounded(held[v], atoms) for v in tested
    ) and _may_equal(test, held, tested, atoms)


def _comparison(test: ir.Expression | None) -> ir.Expression | None:
    """What a loop tests, `!(a > b)` as `a <= b`."""
    while isinstance(test, ir.Convert):
        test = test.operand
    if isinstance(test, ir.Unary) and test.op == "!":
        inner = _comparison(test.operand)
        if isinstance(inner, ir.Binary) and inner.op in OPPOSITE:
            return replace(inner, op=OPPOSITE[inner.op])
    return test


def _may_equal(
    test: ir.Binary, held: Mapping[ir.Variable, Form], moving: Set[ir.Variable], atoms: Atoms
) -> bool:
    """Whether a counter is tested for less than or equal to a bound of which nvcc knows no limit,
    or for more."""
    known = {**held, **{v: atoms.atom(("counter", v)) for v in moving}}
    sides = [
        (form_of(side, known, atoms), bool(reads(side) & moving))
        for side in (test.left, test.right)
    ]
    if test.op == "!=" or [moves for _, moves in sides].count(True) != 1:
        return False
    (counter, _), (bound, _) = sides if sides[0][1] else reversed(sides)
    if not bound.terms or all(_is_limited(a, atoms) for a in atoms.inside(bound)):
        return False
    less = (test.op[0] == "<") == sides[0][1]
    beyond = (bound.constant - counter.constant) * (1 if less else -1)
    return beyond != -1 if len(test.op) > 1 else beyond == 1 or counter.constant != 0


def _is_limited(a: int, atoms: Atoms) -> bool:
    """Whether a value is surely less than the greatest of its type: a remainder, a quotient, the
    lesser of it and a constant."""
    key = atoms.keys[a]
    return _is_remainder(a, atoms) or (
        key[0] in ("/", ">>", "min") and isinstance(key[2], Form) and key[2].value is not None
    )


def stays(s: ir.Loop, counters: Mapping[ir.Variable, Form]) -> bool:
    """Whether nvcc surely leaves a loop as it is: what it tests moves on by an amount that is no
    constant, in unsigned arithmetic (`c += blockDim.x`). Of 1,500 such loops none was unrolled, of
    those with a signed amount most (read in machine code)."""
    moving = {
        v
        for v in counters
        if s.condition is not None and v in reads(s.condition) and counters[v] != Form()
    }
    if s.unroll is not None or not moving or any(counters[v].value is not None for v in moving):
        return False
    steps = [x for x in walk((s,)) if isinstance(x, ir.Assign) and x.variable in moving]
    return all(_is_unsigned_step(x) for x in steps)


def _is_unsigned_step(s: ir.Assign) -> bool:
    value = s.value
    while isinstance(value, ir.Convert):
        value = value.operand
    return (
        step(s) is not None
        and isinstance(value, ir.Binary)
        and isinstance(value.type, Integer)
        and not value.type.signed
    )


def _bounded(form: Form, atoms: Atoms) -> bool:
    """Whether all parts of a value are remainders of constants."""
    return all(_is_remainder(a, atoms) for a in atoms.inside(form))


def _is_remainder(a: int, atoms: Atoms) -> bool:
    key = atoms.keys[a]
    parts = [part for part in key if isinstance(part, Form)]
    if key[0] in MASKED:
        return any(part.value is not None for part in parts)
    return (key[0] in WHOLE and all(_bounded(part, atoms) for part in parts)) or key == (
        "builtin",
        "laneid",
    )


def trips_between(
    s: ir.Loop, held: Mapping[ir.Variable, Form], counters: Mapping[ir.Variable, Form], atoms: Atoms
) -> Trips | None:
    """The bounds of a loop's count where it tests a counter that starts within known bounds against
    a constant."""
    test = s.condition
    while isinstance(test, ir.Convert):
        test = test.operand
    if not isinstance(test, ir.Binary) or test.op not in ("<", "<=", ">", ">="):
        return None
    counted = {v: atoms.atom(("counter", v)) for v in counters if v in held}
    first, any_time = (
        form_of(test.left, known, atoms) - form_of(test.right, known, atoms)
        for known in (held, {**held, **counted})
    )
    factors = {v: _factor(any_time, form) for v, form in counted.items()}
    rest, start = any_time, first
    for v, factor in factors.items():
        rest, start = rest - counted[v].scaled(factor), start - held[v].scaled(factor)
    if rest != start:  # a counter goes into more than a sum: `1 << i < n`
        return None
    moved = Form()
    for v, factor in factors.items():
        moved += counters[v].scaled(factor)
    down = -1 if test.op[0] == ">" else 1
    amount, bounds = moved.scaled(down).value, _bounds(first.scaled(down), atoms)
    if bounds is None or amount is None or amount <= 0:
        return None
    most, least = (
        max(int(s.post_test), -((start - (len(test.op) > 1)) // amount)) for start in bounds
    )
    return least, most


def exceeds(s: ir.Loop, held: Mapping[ir.Variable, Form], atoms: Atoms, most: int) -> bool:
    """Whether a loop `for (i = constant; i < constant; i += constant)` surely runs more often than
    so many times."""
    trips = _trips_as_written(s, held, atoms)
    return trips is not None and trips[0] > most


def _trips_as_written(s: ir.Loop, held: Mapping[ir.Variable, Form], atoms: Atoms) -> Trips | None:
    counter = next(iter(targets(s.step[0])), None) if len(s.step) == 1 else None
    if counter is None or any(
        counter in targets(inner) or isinstance(inner, ir.Leave)
        for inner in walk((*s.header, *s.body))
    ):
        return None
    step, before = s.step[0], atoms.atom(("variable", counter))
    moved = (
        form_of(step.value, {counter: before}, atoms) - before
        if isinstance(step, ir.Assign)
        else Form()
    )
    return trips_between(s, held, {counter: moved}, atoms) if counter in held else None


def most_trips(test: Form, iteration: Form, inclusive: bool, atoms: Atoms) -> int | None:
    """The greatest count of a loop that goes on while `test` is below 0, or 0 too: each iteration
    adds a constant, and what else is in it is a constant, ids and counts, which are never negative."""
    amount = _factor(test, iteration)
    rest = test - iteration.scaled(amount)
    ids = all(
        factor > 0 and all(atoms.keys[a][0] in ("builtin", "iteration") for a in monomial)
        for monomial, factor in rest.terms
    )
    return max(0, -((rest.constant - inclusive) // amount)) if amount > 0 and ids else None


def _factor(form: Form, variable: Form) -> int:
    """Of a variable in a sum."""
    return next((factor for monomial, factor in form.terms if monomial == variable.terms[0][0]), 0)


def _bounds(form: Form, atoms: Atoms) -> Trips | None:
    """The least and the greatest value of a form that is made of remainders of constants."""
    known = evaluated(form, lambda a: _remainder(a, atoms))
    return None if known.low is None or known.high is None else (known.low, known.high)


def _remainder(a: int, atoms: Atoms) -> Knowledge:
    key = atoms.keys[a]
    parts = [part for part in key if isinstance(part, Form)]
    if key[0] in WHOLE:
        return evaluated(parts[0], lambda b: _remainder(b, atoms))
    by = parts[-1].value if key[0] in MASKED else None
    return OPERATIONS[str(key[0])](ANY, constant(by)) if by is not None else ANY


def copies_of(trips: Trips) -> int:
    """How many copies of a loop within another one may stand one behind the other; 0 where it
    surely stays a loop. (Where all lanes run equally many iterations, up to five are, and of more
    the remainder of four, before the loop; else those of loops of up to two.)"""
    least, most = trips
    whole = most <= ALL or most % UNROLL if least == most else most > OPEN or trips in COPIED
    return min(most, MOST_COPIES) if whole else 0
