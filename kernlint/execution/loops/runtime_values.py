"""Variables whose values only a run decides, so that an index made of them is a constant in no copy
of an unrolled loop.

In: a body and the plans of its loops. Out: by variable, how a run decides: by `value` (threads,
arguments, memory), or as the `counter` of a loop that such a value ends, or a `remainder` of one,
or by the `shift` of an array (`shifts`).
On the safe side: what is not listed may still be decided at run time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from kernlint.execution.loops.plan import Plan, ReadsBy
from kernlint.execution.loops.shifts import shifted_by
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import reads, targets, unconverted, walk, walk_expression

VALUE, COUNTER, REMAINDER, SHIFT = "value", "counter", "remainder", "shift"
RECURRING = ("%", "&", "/", ">>")  # what is made of a counter so recurs
THREADS = ("tid.", "ctaid.", "laneid", "warpid")
FOLDABLE = ("local", "constant")  # what is loaded from there may be known to the compiler
_ENDS = (ir.Read, ir.Convert, ir.Unary, ir.Binary, ir.Constant, ir.Builtin)

Kinds = Mapping[ir.Variable, str]


def runtime_values(body: ir.Body, plan_of: Callable[[ir.Loop], Plan], reads_by: ReadsBy) -> Kinds:
    """A variable that is assigned several times counts only where every assignment is of that kind.

    Found in rounds: what a round finds may decide, in the next one, the variables made of it."""
    given: dict[ir.Variable, list[ir.Statement]] = {}
    used: set[ir.Variable] = set()
    loops = []
    for s in walk(body):
        loops += [s] if isinstance(s, ir.Loop) else []
        for variable in targets(s):
            given.setdefault(variable, []).append(s)
        used |= reads_by(s)
    found: dict[ir.Variable, str] = dict.fromkeys(used - given.keys(), VALUE)  # parameters
    waiting = {
        v: deciders
        for v, some in given.items()
        if (deciders := _deciders(v, some, reads_by)) is not None
    }
    counting = [_counters(loop, plan_of(loop), given) for loop in loops]
    made_of: dict[ir.Variable, list[ir.Variable]] = {}
    for v, deciders in waiting.items():
        for source in frozenset().union(*deciders):
            made_of.setdefault(source, []).append(v)
    candidates: Iterable[ir.Variable] = waiting
    grew = True
    while grew:
        fresh = {
            v: VALUE
            for v in candidates
            if v not in found and all(_is_value(deciders, found) for deciders in waiting[v])
        }
        ended = [counters for counters, ends in counting if _is_value(ends, found)]
        fresh |= {v: COUNTER for counters in ended for v in counters if v not in found | fresh}
        grew = bool(fresh)
        found |= fresh
        candidates = dict.fromkeys(v for source in fresh for v in made_of.get(source, ()))
    open_ = {
        loop
        for loop, (counters, ends) in zip(loops, counting, strict=True)
        if counters and _is_value(ends, found)
    }
    return {**dict.fromkeys(shifted_by(body, open_.__contains__), SHIFT), **found}


def decided_at_run(e: ir.Expression, known: Kinds) -> str:
    """How a run decides an expression; "" where it may be a constant."""
    kinds = {known.get(v, "") for v in reads(e)}
    if VALUE in kinds or _reads_thread(e):
        return VALUE
    if SHIFT in kinds:
        return SHIFT
    if COUNTER not in kinds:
        return ""
    return (
        REMAINDER
        if any(isinstance(x, ir.Binary) and x.op in RECURRING for x in walk_expression(e))
        else COUNTER
    )


def _reads_thread(e: ir.Expression) -> bool:
    return any(isinstance(x, ir.Builtin) and x.name.startswith(THREADS) for x in walk_expression(e))


def _is_value(variables: Iterable[ir.Variable], known: Kinds) -> bool:
    return any(known.get(v) == VALUE for v in variables)


def _deciders(
    variable: ir.Variable, given: list[ir.Statement], reads_by: ReadsBy
) -> list[frozenset[ir.Variable]] | None:
    """For each assignment that a run does not decide by itself: variables of which one must be a
    value for it to be one. None where it never is."""
    found = []
    own = [s for s in given if not (isinstance(s, ir.Assign) and variable in reads_by(s))]
    for s in own:
        source = _source(s)
        if source is None:
            return None
        found += [] if _reads_thread(source) else [reads_by(s)]
    return found if own else None


def _source(s: ir.Statement) -> ir.Expression | None:
    """What decides the value that a statement assigns."""
    if isinstance(s, ir.Assign):
        return s.value
    if isinstance(s, ir.Load):
        objects = [x.object for x in walk_expression(s.address) if isinstance(x, ir.Address)]
        return s.address if all(o.space not in FOLDABLE for o in objects) else None
    return None


def _counters(
    loop: ir.Loop, plan: Plan, given: Mapping[ir.Variable, list[ir.Statement]]
) -> tuple[list[ir.Variable], set[ir.Variable]]:
    """Counters of a loop whose test compares them with nothing that may bound it by a constant, and
    what the test compares them with."""
    test = None if loop.condition is None else unconverted(loop.condition)
    if not isinstance(test, ir.Binary) or test.op not in ("<", "<=", ">", ">=", "!="):
        return [], set()
    if not all(isinstance(x, _ENDS) for x in walk_expression(test)):
        return [], set()
    counters = {i.variable for i in plan.inductions if len(given[i.variable]) == 2}
    tested = reads(test)
    return sorted(counters & tested, key=lambda v: v.name), tested - counters
