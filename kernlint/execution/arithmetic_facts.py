"""Facts about arithmetic: which of a kernel's noted operations really happen, and in which loops.

In: a lowered kernel and its analysis. Out: `facts.Operation`s in the order of the source. One pure
walk; nothing is executed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kernlint.execution.analysis import Analysis
from kernlint.execution.compile_time import CompileTime
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import bodies, expressions, reads, targets, walk, walk_expression
from kernlint.ir.types import Float, Integer, Type
from kernlint.model import facts

UNSTATED = "?"  # a template argument that is not known
UNNAMED = "(value)"  # a variable of the lowering's own
LOOPED = 16  # iterations of a loop that is counted with what stands around it

Loops = tuple[ir.Loop, ...]


def operations(kernel: ir.Kernel, analysis: Analysis) -> tuple[facts.Operation, ...]:
    if not kernel.operations:
        return ()
    places = _places(
        kernel.body,
        {id(noted.expression) for noted in kernel.operations if noted.expression is not None},
    )
    constants, doubles = _constants(kernel.body), _uses_doubles(kernel.body)
    used = (
        _used_as_doubles(kernel.body)
        if not doubles and any(noted.exact for noted in kernel.operations)
        else frozenset()
    )
    varying: dict[ir.Loop, frozenset[ir.Variable]] = {}
    compiler = CompileTime(kernel.body)
    beside: dict[ir.Loop | None, int] = {}
    found = []
    for noted in kernel.operations:
        e = noted.expression
        if e is None:
            found.append(
                facts.Operation(noted.span, noted.kind, noted.text, 0, noted.part, (), noted.calls)
            )
            continue
        loops = places.get(id(e))
        if loops is None or _by_constant(e, constants):
            continue
        kind = noted.kind
        if kind == "double-arithmetic" and (doubles or analysis.is_folded(e)):
            continue
        if kind == "double-arithmetic" and noted.exact and id(e) not in used:
            kind = "narrowed-double"
        if UNSTATED in kernel.template_arguments and (
            noted.kind == "integer-division" or _of_integer(e)
        ):
            # divisor or factor may be a constant, a type double, of an instantiation that nobody
            # names here
            continue
        divides = noted.kind == "integer-division"
        if divides and compiler.may_know(e):
            continue
        around = tuple(loop for loop in loops if reads(e) & _varying(loop, varying))
        inside = tuple(loop.site.span for loop in around)
        bits = e.type.bits if isinstance(e.type, (Integer, Float)) else 64
        place = around[-1] if around else None
        if divides and place not in beside:
            beside[place] = _work(bodies(place) if place is not None else (kernel.body,))
        found.append(
            facts.Operation(
                noted.span,
                kind,
                noted.text,
                bits,
                noted.part,
                inside,
                noted.calls,
                noted.shared,
                beside[place] if divides else 0,
            )
        )
    return tuple(dict.fromkeys(found))


def _work(some: Iterable[ir.Body]) -> int:
    """Operations and accesses of bodies, about one instruction each, without divisions; those of a
    loop `LOOPED` times."""
    found = 0
    for s in (s for body in some for s in body):
        own = sum(_is_instruction(x) for e in _evaluated(s) for x in walk_expression(e))
        access = isinstance(s, (ir.Load, ir.Store, ir.Atomic, ir.Copy))
        inner = _work(bodies(s))
        found += own + access + inner * (LOOPED if isinstance(s, ir.Loop) else 1)
    return found


def _is_instruction(e: ir.Expression) -> bool:
    if isinstance(e, ir.Binary):
        return e.op not in ("/", "%") or not isinstance(e.type, Integer)
    return isinstance(e, (ir.Unary, ir.Select, ir.Call))


def _places(body: ir.Body, wanted: set[int]) -> dict[int, Loops]:
    """The loops around each wanted expression that some statement evaluates."""
    found: dict[int, Loops] = {}
    pending: list[tuple[ir.Statement, Loops]] = [(s, ()) for s in body]
    while pending:
        s, loops = pending.pop()
        inner = (*loops, s) if isinstance(s, ir.Loop) else loops
        for e in _evaluated(s):
            for x in walk_expression(e):
                if id(x) in wanted:
                    found[id(x)] = inner
        for nested in bodies(s):
            pending += [(one, inner) for one in nested]
    return found


def _used_as_doubles(body: ir.Body) -> frozenset[int]:
    """The operands of operations on doubles: what is not made a float at once. Source: PTX of nvcc
    13.0 for sm_90; `s + x * 0.5` of floats is an fma.rn.f64, `int i = x * 0.5` a mul.f64, `y = x *
    0.5` a mul.f32. Of a choice what is made a float is the choice, not its arms, other than beside
    a constant: `y = c ? x * 0.5 : s` is computed with doubles, `y = c ? x * 0.5 : 1.0` is not."""
    found = set[int]()
    chosen: dict[ir.Variable, list[ir.Expression]] = {}
    for s in walk(body):
        if isinstance(s, ir.Assign) and s.variable.name == UNNAMED:
            chosen.setdefault(s.variable, []).append(s.value)
        for e in _evaluated(s):
            for x in walk_expression(e):
                found.update(_doubles(_taken_as_doubles(x)))
    for values in chosen.values():
        found.update(_doubles(_arms(*values)))
    return frozenset(found)


def _doubles(operands: Iterable[ir.Expression]) -> Iterator[int]:
    return (id(_unsigned(e)) for e in operands if isinstance(e.type, Float) and e.type.bits == 64)


def _taken_as_doubles(e: ir.Expression) -> tuple[ir.Expression, ...]:
    match e:
        case ir.Binary():
            return e.left, e.right
        case ir.Call():
            return e.arguments
        case ir.Select():
            return _arms(e.then, e.otherwise)
        case ir.Convert() if _rounds_anew(e.type):
            return (e.operand,)
    return ()


def _arms(*values: ir.Expression) -> tuple[ir.Expression, ...]:
    return values if len(values) > 1 and not any(isinstance(e, ir.Constant) for e in values) else ()


def _rounds_anew(type_: Type) -> bool:
    """Whether a double that is made the type's goes there without being made a float: `__half h = x
    * 0.5` calls a constructor that takes a double."""
    return isinstance(type_, Integer) or (isinstance(type_, Float) and type_.bits == 16)


def _unsigned(e: ir.Expression) -> ir.Expression:
    return _unsigned(e.operand) if isinstance(e, ir.Unary) and e.op == "-" else e


def _evaluated(s: ir.Statement) -> Iterator[ir.Expression]:
    yield from expressions(s)
    if isinstance(s, ir.Store):
        yield from (value for _, value in s.untracked)


def _constants(body: ir.Body) -> frozenset[ir.Variable]:
    """Variables that are only ever assigned constants: the compiler knows them."""
    known: dict[ir.Variable, bool] = {}
    for s in walk(body):
        for variable in targets(s):
            fixed = isinstance(s, ir.Assign) and isinstance(s.value, ir.Constant)
            known[variable] = fixed and variable not in known
    return frozenset(variable for variable, fixed in known.items() if fixed)


def _by_constant(e: ir.Expression, constants: frozenset[ir.Variable]) -> bool:
    if not isinstance(e, ir.Binary) or e.op not in ("/", "%") or not isinstance(e.type, Integer):
        return False
    parts = [x for x in walk_expression(e.right) if not isinstance(x, (ir.Constant, ir.Convert))]
    return all(isinstance(x, ir.Read) and x.variable in constants for x in parts)


def _of_integer(e: ir.Expression) -> bool:
    """Whether an operand is an integer made a real number, or not known at all."""
    operands = (
        (e.left, e.right)
        if isinstance(e, ir.Binary)
        else e.arguments
        if isinstance(e, ir.Call)
        else ()
    )
    return any(
        isinstance(x, ir.Unknown)
        or (isinstance(x, ir.Convert) and isinstance(x.operand.type, Integer))
        for x in operands
    )


def _uses_doubles(body: ir.Body) -> bool:
    """Whether the kernel keeps doubles in variables of its own or in memory: then double arithmetic
    is meant."""
    return any(
        isinstance(type_, Float) and type_.bits == 64 for s in walk(body) for type_ in _kept(s)
    )


def _kept(s: ir.Statement) -> Iterator[Type]:
    """Types of what the statement gives a name, loads or stores."""
    if isinstance(s, ir.Store):
        yield from (value.type for _, value in (*s.values, *s.untracked))
    yield from (v.type for v in targets(s) if isinstance(s, ir.Load) or v.name != UNNAMED)


def _varying(loop: ir.Loop, known: dict[ir.Loop, frozenset[ir.Variable]]) -> frozenset[ir.Variable]:
    """Variables whose value may differ between iterations of the loop; what is computed from the
    others is taken out of it."""
    if loop in known:
        return known[loop]
    inside = [s for nested in bodies(loop) for s in walk(nested)]
    found: set[ir.Variable] = set()
    once: dict[ir.Variable, ir.Assign] = {}
    for s in inside:
        for variable in targets(s):
            if isinstance(s, ir.Assign) and variable not in once and variable not in found:
                once[variable] = s
            else:
                found.add(variable)
    changed = True
    while changed:
        fresh = {v for v, s in once.items() if v not in found and reads(s.value) & (found | {v})}
        changed = bool(fresh)
        found |= fresh
    known[loop] = frozenset(found)
    return known[loop]
