"""Host variables whose value is known because a kernel's argument is.

`run(…, rows, …)` that launches `k<<<rows / 32, 256>>>(…, rows, …)` has a known grid once the value
of k's argument is: the variable that is handed in has that value, and what it was copied from.
Followed are variables that nothing else assigns. In: a host body, a launch in it, arguments by
name. Out: the values of variables, and the body with them. Never runs anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from types import MappingProxyType

from kernlint.base.dataclass import replace
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import targets, unconverted, walk
from kernlint.ir.types import Integer

Pins = Mapping[ir.Variable, int]


def pins(
    body: ir.Body,
    launch: ir.HostLaunch,
    arguments: Mapping[str, int],
    parameters: Container[ir.Variable] = (),
    demanded: Pins = MappingProxyType({}),
    open_ones: Container[ir.Variable] = (),
) -> Pins:
    """The variables that are handed to `launch` as one of `arguments` and those of `demanded`, with
    those that they were copied from. `parameters`: of the host function, which have a value before
    anything is assigned to them; `open_ones`: see `open_variables`."""
    written = Counter(variable for statement in walk(body) for variable in targets(statement))
    copied = {s.variable: s.value for s in walk(body) if isinstance(s, ir.Assign)}
    found: dict[ir.Variable, int] = {}
    handed = [
        (integer_variable(given), arguments[name])
        for name, given in launch.arguments
        if name in arguments
    ]
    for variable, value in [*handed, *demanded.items()]:
        while variable is not None and variable not in found:
            once = written[variable] <= (variable not in parameters) or variable in open_ones
            if not once or not _holds(variable, value):
                break
            found[variable] = value
            variable = integer_variable(copied[variable]) if variable in copied else None
    return found


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
        if isinstance(variable.type, Integer) and kinds in _OPEN:
            found.setdefault(variable.name, []).append(variable)
    return found


def pins_of_names(
    variables: Mapping[str, Sequence[ir.Variable]], values: Mapping[str, int]
) -> Pins:
    """The variables that have the names of `values` and can hold them."""
    return {
        variable: value
        for name, value in values.items()
        for variable in variables.get(name, ())
        if _holds(variable, value)
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
    """The body with what is assigned to the variables replaced by their values."""
    return tuple(_pinned(statement, values) for statement in body)


def _pinned(s: ir.Statement, values: Pins) -> ir.Statement:
    match s:
        case ir.Assign(variable=variable) if variable in values:
            return replace(s, value=ir.Constant(variable.type, values[variable]))
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
