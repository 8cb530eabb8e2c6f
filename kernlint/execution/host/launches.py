"""Host code run with one lane to find the launches it makes.

In: a lowered host function. Out: (kernel handle, `facts.Launch`) for every distinct launch reached.
Values that stay unknown are left out of the launch; one whose block is unknown has an assumed block
and no grid: only its template arguments and its arguments are known.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from kernlint import hardware
from kernlint.base.dataclass import replace
from kernlint.base.deadline import OutOfTime, share
from kernlint.base.span import Problem, Span
from kernlint.base.usage import DEFAULT_DEVICE
from kernlint.execution.analysis import Analysis
from kernlint.execution.assignment import assign
from kernlint.execution.host.choices import without_impossible
from kernlint.execution.host.conditions import demanded
from kernlint.execution.host.constants import (
    Definition,
    Pins,
    definitions,
    open_variables,
    pinned,
    pins,
    pins_of_names,
)
from kernlint.execution.host.device_properties import is_property, of_device
from kernlint.execution.host.examples import examples, with_ends
from kernlint.execution.host.exits import behind_open_exits
from kernlint.execution.machine import Machine
from kernlint.execution.pruning import pruned
from kernlint.execution.record import LaunchReached
from kernlint.execution.restarts import OverBudget
from kernlint.execution.state import Limits
from kernlint.execution.values.masks import Mask
from kernlint.execution.values.sums import BLOCK, LANE
from kernlint.execution.values.values import (
    Atom,
    Value,
    base_of,
    bounds,
    constant_of,
    granularity,
    identity,
    integer,
    object_at,
    of_atom,
)
from kernlint.hardware.launch_limits import excess
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import walk
from kernlint.ir.types import Integer, Pointer, type_bounds
from kernlint.launches.resolve import (
    ASSUMED_BLOCK,
    BLOCK_UNKNOWN,
    EMPTY,
    WITHOUT_ARGUMENTS,
)
from kernlint.model import facts
from kernlint.model.reasons import REASONS, gave_up

NEGATIVE = 1 << 31  # sizes are unsigned; what is beyond was negative in the source
# cudaMalloc aligns at least so (CUDA C++ Programming Guide, device memory accesses)
ALLOCATION = 256
HOST_LIMITS = Limits(steps=2_000, statements=100_000)
_Runs = dict[frozenset[tuple[Definition, int]], list[LaunchReached]]
# statements of all runs of a host function that are made for the sizes of single launches
RUN_STATEMENTS, FEWEST_RUNS = 30_000, 4
ANY_SHARE = 0.7  # of the time left for `main`, for its runs with any arguments


def launches(
    function: ir.HostFunction,
    problems: list[Problem] | None = None,
    given: Callable[[Any], Mapping[str, int]] = lambda kernel: {},
    found: list[tuple[Any, facts.Launch]] | None = None,
) -> list[tuple[Any, facts.Launch]]:
    """Every distinct launch that `function` reaches, in order, added to `found`; why others are
    left out goes to `problems`. `given`: values of a kernel's arguments from elsewhere; where the
    sizes of a launch are not known without them, they are what the host code hands in. Raises
    OutOfTime, with what was reached until then in `found`."""
    whole = without_impossible(function.body)
    body = pruned(whole)
    result = [] if found is None else found
    known: dict[str, int] = {}
    reasons: list[Problem] = [] if problems is None else problems
    behind = behind_open_exits(function)
    runs: _Runs = {}
    open_ones = _of_examples(function, whole)
    for reached, is_default in _with_default(function, body, given, reasons):
        launch = _launch(reached, is_default)
        if launch is not None and not function.is_reached:
            launch = replace(launch, grid=None, arguments={}, aliases=(), origin="assumed")
        if launch is None:
            continue
        if function.is_reached:
            launch = replace(
                launch, examples=tuple(_examples(function, whole, reached, open_ones, runs))
            )
        name = f"{reached.statement.kernel}{launch}"
        if not reached.is_certain or reached.statement in behind:
            launch = replace(launch, is_conditional=True)
        if name not in known:
            known[name] = len(result)
            result.append((reached.statement.kernel, launch))
        elif not launch.is_conditional:
            result[known[name]] = (reached.statement.kernel, launch)
    return result


def _of_examples(function: ir.HostFunction, body: ir.Body) -> dict[str, list[ir.Variable]]:
    """The variables that examples give values."""
    count = _argument_count(function)
    found = open_variables(body, [p.variable for p in function.parameters])
    return {name: some for name, some in found.items() if count is None or name != count.name}


def _examples(
    function: ir.HostFunction,
    body: ir.Body,
    reached: LaunchReached,
    open_ones: Mapping[str, Sequence[ir.Variable]],
    runs: _Runs,
) -> Iterator[facts.LaunchExample]:
    """The launch under example sizes, where it hands in memory whose size only a user knows.
    `body`: with all that may end the program."""

    def run(held: Pins) -> list[LaunchReached]:
        key = frozenset(held.items())
        if key not in runs:
            ended = with_ends(pinned(body, held), function.label)
            runs[key] = list(_launches_reached(function, ended, held))
        return runs[key]

    for values, one in examples(body, reached, open_ones, run):
        made = _launch(one, False)
        if made is not None and made.grid is not None:
            yield facts.LaunchExample(
                values,
                made.grid,
                made.block,
                made.dynamic_shared_bytes,
                made.arguments,
                made.one_memory,
                made.allocations,
            )


def settable(function: ir.HostFunction) -> dict[str, facts.ArgumentType]:
    """The variables of the host function whose values a user may give, by name."""
    parameters = [p.variable for p in function.parameters]
    found = open_variables(function.body, parameters)
    return {name: _settable(some[0]) for name, some in found.items()}


def _settable(variable: ir.Variable) -> facts.ArgumentType:
    low, high = type_bounds(variable.type)
    return facts.ArgumentType(variable.name, "integer", str(variable.type), low or 0, high or 0)


def _with_default(
    function: ir.HostFunction,
    body: ir.Body,
    given: Callable[[Any], Mapping[str, int]],
    problems: list[Problem],
) -> Iterator[tuple[LaunchReached, bool]]:
    """The launches of `main` whatever its arguments are; where those decide the sizes, of allocations
    too, the launches of a run without arguments, with True. Why sizes are not known goes to
    `problems`."""
    count = _argument_count(function)
    if count is None:
        for one in _with_usual_blocks(function, body, _with_given(function, body, given)):
            problems += _problems([one])
            yield one, False
        return
    found: list[LaunchReached] = []
    default: list[LaunchReached] = []
    is_late = False
    try:
        with share(ANY_SHARE):
            found.extend(_with_given(function, body, given))
    except OutOfTime:
        is_late = True
    try:
        if is_late or not all(map(_sizes_all, found)):
            reached = _launches_reached(function, body, {count: 1})
            # no run is meant that launches nothing: its arguments give the sizes
            default.extend(one for one in reached if not _is_empty(one))
    except OutOfTime:
        is_late = True
    if is_late and not found and not default:
        raise OutOfTime
    met = {one.statement for one in found}
    if is_late:
        problems += _cut_short(function, body, met | {one.statement for one in default})
    for one in found:
        instead = [other for other in default if other.statement is one.statement]
        problems += _problems([one] if _sized(one) or not instead else instead)
        if any(_is_better_sized(other, one) for other in instead):
            yield from ((other, True) for other in instead)
        else:
            yield one, False
    others = [other for other in default if is_late and other.statement not in met]
    problems += _problems(others)
    yield from ((other, True) for other in others)


def _cut_short(
    function: ir.HostFunction, body: ir.Body, reached: set[ir.HostLaunch]
) -> list[Problem]:
    """What is said where the time ended: nothing if every launch was reached."""
    if reached.issuperset(s for s in walk(body) if isinstance(s, ir.HostLaunch)):
        return []
    return [gave_up("time", function.span, what=f"analysis of `{function.name}`")]


def _argument_count(function: ir.HostFunction) -> ir.Variable | None:
    """`argc` of `main`."""
    first = function.parameters[0].variable if function.parameters else None
    is_count = first is not None and isinstance(first.type, Integer)
    return first if is_count and function.name == "main" else None


def _with_given(
    function: ir.HostFunction, body: ir.Body, given: Callable[[Any], Mapping[str, int]]
) -> Iterator[LaunchReached]:
    """The launches reached; one whose sizes are not known as it is where the host's variables are
    what its arguments are said to be, what they are said to be themselves, and what the way to it
    asks for."""
    known: dict[frozenset[tuple[Definition, int]], list[LaunchReached]] = {}
    asked, defined = demanded(body), definitions(body)
    most = max(FEWEST_RUNS, RUN_STATEMENTS // max(1, len(defined.placed)))
    parameters = {p.variable for p in function.parameters}
    open_ones = open_variables(body, parameters)
    any_value = {variable for some in open_ones.values() for variable in some}
    for reached in _launches_reached(function, body, {}):
        said = {} if _is_known(reached) else given(reached.statement.kernel)
        conditions = {} if _sized(reached) else asked.get(reached.statement, {})
        values = {
            name: said[name]
            for name, value in reached.arguments
            if name in said and constant_of(value) is None
        }
        own = {name for name, _ in reached.arguments}
        host_values = {name: value for name, value in said.items() if name not in own}
        held = {
            **pins(defined, reached.statement, values, parameters, conditions, any_value),
            **pins_of_names(defined, reached.statement, open_ones, host_values),
        }
        if not held:
            yield reached
            continue
        key = frozenset(held.items())
        if key not in known and len(known) >= most:
            yield reached
            continue
        if key not in known:
            known[key] = list(_launches_reached(function, pinned(body, held), held))
        yield from (other for other in known[key] if other.statement is reached.statement)


def _with_usual_blocks(
    function: ir.HostFunction, body: ir.Body, found: Iterable[LaunchReached]
) -> Iterator[LaunchReached]:
    """The launches; those of unknown block with the one that default values of parameters give."""
    defaults: dict[Definition, int] = {
        p.variable: p.default for p in function.parameters if p.default is not None
    }
    usual: dict[ir.HostLaunch, tuple[int, int, int] | None] | None = None
    for one in found:
        if defaults and None in map(constant_of, one.block):
            if usual is None:
                runs = _launches_reached(function, body, defaults)
                usual = {made.statement: _block_of(made) for made in runs}
            one = replace(one, usual_block=usual.get(one.statement))
        yield one


def _block_of(reached: LaunchReached) -> tuple[int, int, int] | None:
    x, y, z = (constant_of(value) or 0 for value in reached.block)
    return (x, y, z) if _is_possible((x, y, z)) else None


def _sized(reached: LaunchReached) -> bool:
    return None not in map(constant_of, (*reached.grid, *reached.block))


def _is_known(reached: LaunchReached) -> bool:
    """Whether it is sized and hands in numbers and allocations of which all is known."""
    return _sizes_all(reached) and all(map(_is_number_or_pointer, reached.arguments))


def _is_number_or_pointer(argument: tuple[str, Value]) -> bool:
    value = argument[1]
    if not value.is_integer or base_of(value) is not None:
        return True
    return constant_of(value) is not None


def _sizes_all(reached: LaunchReached) -> bool:
    """Whether grid and block are known, and the sizes of all allocations that it hands in."""
    memory = [object_at(value) for _, value in reached.arguments]
    open_ones = [one for one in memory if one is not None and one.size is None]
    return _sized(reached) and not open_ones


def _is_better_sized(one: LaunchReached, other: LaunchReached) -> bool:
    if _sizes_all(one) and not _sizes_all(other):
        return True
    return _sized(one) and not _sized(other)


def _launches_reached(
    function: ir.HostFunction, body: ir.Body, held: Pins
) -> Iterator[LaunchReached]:
    """The launches that a run of the function's body reaches; `held`: parameters of known value.
    Raises OutOfTime behind those that were reached until then."""
    analysis = Analysis(body, function.label, is_host=True)
    open_loops: frozenset[ir.Loop] = frozenset()
    while True:
        machine = Machine(
            analysis,
            {},
            {BLOCK: 1, LANE: 1},
            np.zeros(1, np.int64),
            _one_lane(),
            Mask(),
            None,
            HOST_LIMITS,
            open_loops,
        )
        for parameter in function.parameters:
            value = held.get(parameter.variable)
            assign(
                machine,
                parameter.variable,
                _handed_in(parameter, machine) if value is None else integer(value),
            )
        try:
            machine.run(body)
        except OverBudget as over:
            open_loops |= {over.loop}
            continue
        except OutOfTime:
            yield from machine.record.launches
            raise
        yield from machine.record.launches
        return


def _handed_in(parameter: ir.Parameter, machine: Machine) -> Value:
    """A parameter of a host function nobody calls: a pointer is taken to be the start of an
    allocation."""
    type_ = parameter.variable.type
    if isinstance(type_, Pointer):
        return of_atom(
            machine.evaluator.base(
                ir.MemoryObject(
                    parameter.name, "global", type_, None, ALLOCATION, parameter.variable.span
                )
            )
        )
    return of_atom(Atom(parameter.name, "unknown-argument", *type_bounds(type_)))


def _one_lane() -> hardware.Device:
    return replace(hardware.device(DEFAULT_DEVICE), warp_lanes=1)


def _problems(launches: Iterable[LaunchReached]) -> list[Problem]:
    return [problem for one in launches if (problem := _problem(one)) is not None]


def _is_empty(reached: LaunchReached) -> bool:
    problem = _problem(reached)
    return problem is not None and problem.reason == EMPTY


def _problem(reached: LaunchReached) -> Problem | None:
    """What is wrong with a launch's sizes, or why they are not known."""
    kernel, span = f"`{reached.statement.kernel}`", reached.statement.span
    for what, sizes in (("grid", reached.grid), ("block", reached.block)):
        known = [constant_of(v) for v in sizes]
        wrong = [n for n in known if n is not None and (n == 0 or n >= NEGATIVE)]
        if wrong:
            text = "x".join(
                "?" if n is None else str(n - (1 << 32) if n >= NEGATIVE else n) for n in known
            )
            return Problem(
                "KL001",
                span,
                f"launch of {kernel} with a {what} of {text}: every size must be at least 1",
                reason=EMPTY,
            )
    if _is_negative(dynamic := constant_of(reached.dynamic_shared)):
        text = f"launch of {kernel} with {dynamic} bytes of dynamic shared memory, which none has"
        return Problem("KL001", span, text, reason=EMPTY)
    unknown = next((v for v in reached.block if constant_of(v) is None), None)
    if unknown is None or _of_assumed_block(reached) is not None:
        return None
    why = _why(unknown)
    template = getattr(reached.statement.kernel, "template", None)
    name = template.qualified_name if template is not None else ""
    return gave_up(BLOCK_UNKNOWN, span, name, name=kernel, why=f": {why}" if why else "")


def _is_negative(size: int | None) -> bool:
    return size is not None and size < 0


def _why(value: Value) -> str:
    """Why a size is not known, in words; "" where it is."""
    culprit = next(iter(value.terms), None)
    if culprit is not None and is_property(culprit):
        return f"the device decides `{culprit.name}`"
    words = (
        []
        if culprit is None
        else [culprit.name]
        if culprit.reason == "unknown-launch"
        else [REASONS[culprit.reason], "" if culprit.name == "value" else culprit.name]
    )
    return ": ".join(word for word in words if word)


def _why_no_integer(value: Value) -> str:
    return "" if constant_of(value) is not None else _why(value) or "the host code decides it"


def _launch(reached: LaunchReached, is_default: bool) -> facts.Launch | None:
    """`is_default`: of a run of the program without arguments."""
    block = [constant_of(v) for v in reached.block]
    grid = [constant_of(v) for v in reached.grid]
    if any(n is not None and not 1 <= n < NEGATIVE for n in (*block, *grid)):
        return None
    if _is_negative(constant_of(reached.dynamic_shared)):
        return None
    if None in block:
        return _of_assumed_block(reached) or _of_unknown_size(reached)
    span = reached.statement.span
    known = not any(n is None or n < 1 for n in grid)
    how = f", {WITHOUT_ARGUMENTS}" if is_default else ""
    return replace(
        _of_unknown_size(reached),
        grid=(grid[0] or 1, grid[1] or 1, grid[2] or 1) if known else None,
        block=(block[0] or 1, block[1] or 1, block[2] or 1),
        origin=f"launch at line {span.line}{how}" if known else "assumed",
        span=span,
        block_assumed=False,
    )


def _of_assumed_block(reached: LaunchReached) -> facts.Launch | None:
    """The launch with the block that is assumed for it, with the reason; None where nothing of its
    own speaks for one."""
    line = reached.statement.span.line
    properties = ", ".join(sorted({atom.name for size in reached.block for atom in size.terms}))
    choices = (
        (reached.usual_block, f"default arguments at line {line}"),
        (_largest_block(reached), f"the largest that line {line} allows"),
        (_block_of_device(reached), f"line {line} takes {properties} of the device"),
    )
    for block, why in choices:
        if block is not None:
            origin = f"kernlint's assumption ({why})"
            return replace(_of_unknown_size(reached), block=block, block_origin=origin)
    return None


def _block_of_device(reached: LaunchReached) -> tuple[int, int, int] | None:
    x, y, z = (of_device(value) or 0 for value in reached.block)
    return (x, y, z) if _is_possible((x, y, z)) else None


def _largest_block(reached: LaunchReached) -> tuple[int, int, int] | None:
    """The most threads that `min(512, n)` allows: what large sizes give. None where the sizes have
    no bound that a block can have."""
    x, y, z = (bounds(value)[1] or 0 for value in reached.block)
    return (x, y, z) if _is_possible((x, y, z)) else None


def _is_possible(block: tuple[int, int, int]) -> bool:
    limits = hardware.device(DEFAULT_DEVICE).limits
    return min(block) >= 1 and excess(block, None, limits) is None


def _of_unknown_size(reached: LaunchReached) -> facts.Launch:
    """A launch that says which instance runs with which arguments, but not with how many
    threads."""
    return facts.Launch(
        grid=None,
        block=ASSUMED_BLOCK,
        dynamic_shared_bytes=constant_of(reached.dynamic_shared),
        dynamic_shared_reason=_why_no_integer(reached.dynamic_shared),
        arguments=_arguments(reached),
        aliases=_aliases(reached),
        one_memory=_in_one_memory(reached),
        allocations=_allocations(reached),
        template_arguments=getattr(reached.statement.kernel, "template_arguments", ()),
        block_assumed=True,
        assumptions=reached.statement.assumptions,
        cluster=_cluster(reached),
    )


def _cluster(reached: LaunchReached) -> tuple[int, int, int] | None:
    """The blocks of a cluster that the launch's attributes give."""
    sizes = [n for n in map(constant_of, reached.cluster) if n is not None and 0 < n < NEGATIVE]
    return (sizes[0], sizes[1], sizes[2]) if len(sizes) == 3 else None


def _arguments(reached: LaunchReached) -> dict[str, int | float | facts.PointerArgument]:
    found: dict[str, int | float | facts.PointerArgument] = {}
    for name, value in reached.arguments:
        number = constant_of(value)
        base = base_of(value)
        if isinstance(value.real, float):
            found[name] = value.real
        elif number is not None:
            found[name] = number
        elif base is not None and base.base is not None and value.known.is_constant:
            shifts = {atom: c for atom, c in value.terms.items() if atom is not base}
            align = math.gcd(base.multiple, granularity(Value(value.known, shifts)))
            found[name] = facts.PointerArgument(value.known.const, align, base.base.size)
    return found


def _aliases(reached: LaunchReached) -> tuple[tuple[str, str], ...]:
    """The parameters that are given the same pointer, in pairs."""
    pointers = [
        (name, identity(value)) for name, value in reached.arguments if base_of(value) is not None
    ]
    return tuple((one, other) for (one, a), (other, b) in combinations(pointers, 2) if a == b)


def _in_one_memory(reached: LaunchReached) -> tuple[tuple[str, str], ...]:
    """The parameters that are given pointers into one allocation, at known places, in pairs."""
    placed = [
        (name, base, value)
        for name, value in reached.arguments
        if value.known.is_constant and (base := object_at(value)) is not None
    ]
    return tuple(
        (one, other)
        for (one, a, first), (other, b, second) in combinations(placed, 2)
        if a is b and len(first.terms) == len(second.terms) == 1
    )


def _allocations(reached: LaunchReached) -> tuple[tuple[str, Span], ...]:
    """Where host code allocates what parameters are given, of those whose size is known."""
    objects = ((name, object_at(value)) for name, value in reached.arguments)
    return tuple(
        (name, found.span)
        for name, found in objects
        if found is not None and found.size is not None and found.span is not None
    )
