"""Variables whose values only a run decides, so that an index made of them is a constant in no copy of an unrolled loop.

In: a body and the plans of its loops. Out: by variable, how a run decides: by `value` (threads, arguments, memory), or as the `counter`
of a loop that such a value ends. On the safe side: what is not listed may still be decided at run time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kernlint.execution.loops import Plan
from kernlint.lowering import ir
from kernlint.lowering.traversal import expressions, reads, targets, walk, walk_expression

VALUE, COUNTER = "value", "counter"
THREADS = ("tid.", "ctaid.", "laneid", "warpid")
FOLDABLE = ("local", "constant")  # what is loaded from there may be known to the compiler
_ENDS = (ir.Read, ir.Convert, ir.Unary, ir.Binary, ir.Constant, ir.Builtin)

Kinds = Mapping[ir.Variable, str]


def runtime_values(body: ir.Body, plan_of: Callable[[ir.Loop], Plan]) -> Kinds:
    """A variable that is assigned several times counts only where every assignment is of that kind."""
    given: dict[ir.Variable, list[ir.Statement]] = {}
    loops = []
    for s in walk(body):
        loops += [s] if isinstance(s, ir.Loop) else []
        for variable in targets(s):
            given.setdefault(variable, []).append(s)
    used = {v for s in walk(body) for e in expressions(s) for v in reads(e)}
    found: dict[ir.Variable, str] = dict.fromkeys(used - given.keys(), VALUE)  # parameters
    grew = True
    while grew:
        fresh = {v: VALUE for v, some in given.items() if v not in found and _all_decided(v, some, found)}
        fresh |= {v: COUNTER for loop in loops for v in _counters(loop, plan_of(loop), given, found) if v not in found | fresh}
        grew = bool(fresh)
        found |= fresh
    return found


def decided_at_run(e: ir.Expression, known: Kinds) -> str:
    """How a run decides an expression; "" where it may be a constant."""
    kinds = {known.get(v, "") for v in reads(e)}
    threads = any(isinstance(x, ir.Builtin) and x.name.startswith(THREADS) for x in walk_expression(e))
    return VALUE if threads or VALUE in kinds else COUNTER if COUNTER in kinds else ""


def _all_decided(variable: ir.Variable, given: list[ir.Statement], known: Kinds) -> bool:
    own = [s for s in given if not (isinstance(s, ir.Assign) and variable in reads(s.value))]
    return bool(own) and all(_decided(s, known) for s in own)


def _decided(s: ir.Statement, known: Kinds) -> bool:
    if isinstance(s, ir.Assign):
        return decided_at_run(s.value, known) == VALUE
    if isinstance(s, ir.Load):
        objects = [x.object for x in walk_expression(s.address) if isinstance(x, ir.Address)]
        return all(o.space not in FOLDABLE for o in objects) and decided_at_run(s.address, known) == VALUE
    return False


def _counters(loop: ir.Loop, plan: Plan, given: Mapping[ir.Variable, list[ir.Statement]], known: Kinds) -> list[ir.Variable]:
    """Counters of a loop whose test compares them with a value of the run, and with nothing that may bound it by a constant."""
    test = loop.condition
    while isinstance(test, ir.Convert):
        test = test.operand
    if not isinstance(test, ir.Binary) or test.op not in ("<", "<=", ">", ">=", "!="):
        return []
    if not all(isinstance(x, _ENDS) for x in walk_expression(test)):
        return []
    counters = {i.variable for i in plan.inductions if len(given[i.variable]) == 2}
    ends = reads(test) - counters
    return sorted(counters & reads(test), key=lambda v: v.name) if any(known.get(v) == VALUE for v in ends) else []
