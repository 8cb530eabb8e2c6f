"""Host variables whose value is known because a kernel's argument is.

`run(…, rows, …)` that launches `k<<<rows / 32, 256>>>(…, rows, …)` has a known grid once the value
of k's argument is: the variable that is handed in has that value, and what it was copied from.
Followed are variables that nothing else assigns, and those whose value a user gives. In: a host
body, a launch in it, arguments by name. Out: the values of definitions, and the body with them.
Never runs anything.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from kernlint.base.dataclass import dataclass, replace
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import bodies, read_by, targets, unconverted, walk
from kernlint.ir.types import Integer

Definition = ir.Assign | ir.Variable  # a variable stands for the parameter as it is handed in
Pins = Mapping[Definition, int]
Known = Mapping[ir.Variable, int]
Place = tuple[tuple[ir.Statement, int], ...]  # the branches and loops around, with the part of each


@dataclass(frozen=True, slots=True)
class Definitions:
    """What assigns variables in a body. `written`: how many statements; `copied`: the last one;
    `placed`: every statement in program order; `index`: where among them; `met`: by variable, where
    among them are those that assign or read it, ascending."""

    written: Counter[ir.Variable]
    copied: Mapping[ir.Variable, ir.Assign]
    placed: Sequence[tuple[ir.Statement, Place]]
    index: Mapping[ir.Statement, int]
    met: Mapping[ir.Variable, Sequence[int]]


def definitions(body: ir.Body) -> Definitions:
    placed = list(_placed(body))
    met: dict[ir.Variable, list[int]] = {}
    for number, (s, _) in enumerate(placed):
        for variable in {*targets(s), *read_by(s)}:
            met.setdefault(variable, []).append(number)
    return Definitions(
        Counter(variable for s, _ in placed for variable in targets(s)),
        {s.variable: s for s, _ in placed if isinstance(s, ir.Assign)},
        placed,
        {s: number for number, (s, _) in enumerate(placed)},
        met,
    )


def pins(
    known: Definitions,
    launch: ir.HostLaunch,
    arguments: Mapping[str, int],
    parameters: Container[ir.Variable] = (),
    demanded: Known = MappingProxyType({}),
    open_ones: Container[ir.Variable] = (),
) -> Pins:
    """What defines the variables that are handed to `launch` as one of `arguments` and those of
    `demanded`, with those that they were copied from. `parameters`: of the host function, which
    have a value before anything is assigned to them; `open_ones`: see `open_variables`."""
    written, copied = known.written, known.copied
    found: dict[Definition, int] = {}
    seen: set[ir.Variable] = set()
    handed = [
        (integer_variable(given), arguments[name])
        for name, given in launch.arguments
        if name in arguments
    ]
    for variable, value in [*handed, *demanded.items()]:
        at: ir.Statement = launch
        while variable is not None and variable not in seen:
            once = written[variable] <= (variable not in parameters) or variable in open_ones
            if not once or not _holds(variable, value):
                break
            seen.add(variable)
            found |= dict.fromkeys(_reaching(known, at, variable), value)
            at = copied.get(variable, at)
            variable = integer_variable(copied[variable].value) if variable in copied else None
    return found


def _placed(body: ir.Body, around: Place = ()) -> Iterator[tuple[ir.Statement, Place]]:
    """The statements in program order. Regions decide nothing: they are no part of a place."""
    for s in body:
        yield s, around
        for part, inner in enumerate(bodies(s)):
            yield from _placed(inner, around if isinstance(s, ir.Region) else (*around, (s, part)))


def _reaching(known: Definitions, at: ir.Statement, variable: ir.Variable) -> Iterator[Definition]:
    """The last definition of a variable before `at`, and earlier ones as long as the variable is
    not used between them: a use may see a value that never reaches `at`. What decides whether a
    later definition happens is no such use."""
    placed, index = known.placed, known.index[at]
    here = dict(placed[index][1])
    deciding: set[ir.Statement] = set()
    is_last, is_used = True, False
    met = known.met.get(variable, ())
    for number in reversed(met[: bisect_left(met, index)]):
        s, place = placed[number]
        if variable in targets(s) and all(here.get(one, part) == part for one, part in place):
            if is_used:
                return
            if isinstance(s, ir.Assign):
                yield s
            if all(one in here for one, _ in place):
                return
            is_last = False
            deciding |= {one for one, _ in place}
        elif s not in deciding and variable in read_by(s):
            is_used = not is_last
    if not is_used:
        yield variable


def open_variables(
    body: ir.Body, parameters: Iterable[ir.Variable]
) -> dict[str, list[ir.Variable]]:
    """By name, the integer variables whose value only a user can say: `parameters` that nothing
    assigns, and variables that get unknown values beside their first one."""
    assigned: dict[ir.Variable, list[ir.Expression | None]] = {v: [] for v in parameters}
    for statement in walk(body):
        for variable in targets(statement):
            value = statement.value if isinstance(statement, ir.Assign) else None
            assigned.setdefault(variable, []).append(value)
    found: dict[str, list[ir.Variable]] = {}
    for variable, values in assigned.items():
        kinds = {type(None) if made is None else type(unconverted(made)) for made in values}
        is_named = variable.name.isidentifier()  # not what a `?:` is put into
        if is_named and isinstance(variable.type, Integer) and kinds in _OPEN:
            found.setdefault(variable.name, []).append(variable)
    return found


def pins_of_names(
    known: Definitions,
    launch: ir.HostLaunch,
    variables: Mapping[str, Sequence[ir.Variable]],
    values: Mapping[str, int],
) -> Pins:
    """What defines, where `launch` is made, the variables that have the names of `values` and can
    hold them."""
    named = [
        (variable, value)
        for name, value in values.items()
        for variable in variables.get(name, ())
        if _holds(variable, value)
    ]
    return {
        definition: value
        for variable, value in named
        for definition in _reaching(known, launch, variable)
    }


_OPEN: tuple[set[type], ...] = (set(), {ir.Unknown}, {ir.Unknown, ir.Constant})


def integer_variable(e: ir.Expression) -> ir.Variable | None:
    """The integer variable that an expression hands on as it is."""
    while isinstance(e, ir.Convert) and isinstance(e.type, Integer) and not e.type.is_bool:
        e = e.operand
    return e.variable if isinstance(e, ir.Read) and isinstance(e.variable.type, Integer) else None


def _holds(variable: ir.Variable, value: int) -> bool:
    type_ = variable.type
    assert isinstance(type_, Integer)
    low = -(1 << (type_.bits - 1)) if type_.signed else 0
    return low <= value < low + (1 << type_.bits)


def pinned(body: ir.Body, values: Pins) -> ir.Body:
    """The body with what these definitions assign replaced by their values."""
    return tuple(_pinned(statement, values) for statement in body)


def _pinned(s: ir.Statement, values: Pins) -> ir.Statement:
    match s:
        case ir.Assign() if s in values:
            return replace(s, value=ir.Constant(s.variable.type, values[s]))
        case ir.If():
            return replace(s, then=pinned(s.then, values), otherwise=pinned(s.otherwise, values))
        case ir.Region():
            return replace(s, body=pinned(s.body, values))
        case ir.Loop():
            return replace(
                s,
                header=pinned(s.header, values),
                body=pinned(s.body, values),
                step=pinned(s.step, values),
            )
    return s
