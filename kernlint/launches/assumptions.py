"""What `assume(…)` states, laid over the launches of a kernel.

Goes in: assumptions with their places, launches as all other places give them. Comes out: launches
that hold each fact once, with the equalities among their sizes and arguments, and a problem (KL093)
for each fact that contradicts the launch, another fact or the type of its argument. A value that a
launch has stays: an assumption adds to it and never changes it. Never raises.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from kernlint.base.dataclass import replace
from kernlint.base.span import Problem
from kernlint.base.usage import meant
from kernlint.launches import argument_types
from kernlint.model.facts import ArgumentFact, ArgumentType, Launch
from kernlint.model.settings import LaunchDirective
from kernlint.source.directives import DIRECTIVE_KEYS, Assumption, Directives

INVALID = "KL093"  # a directive that cannot be obeyed
TOO_LARGE = ("launch-size", "launch-bounds")  # reasons why a launch is refused
SIZES = {
    f"{what}.{axis}": (what, place)
    for what in ("blockDim", "gridDim")
    for place, axis in enumerate("xyz")
}


Parameters = Mapping[str, ArgumentType]  # by name


def laid_over(
    launches: Sequence[Launch],
    assumptions: Sequence[Assumption],
    kernel: str,
    problems: list[Problem],
) -> tuple[Launch, ...]:
    """The launches with what is assumed of them."""
    if not assumptions:
        return tuple(launches)
    facts = combined([a for a in assumptions if a.name not in SIZES], kernel, problems)
    told: dict[Assumption, Problem] = {}
    found = [
        _launch(_sized(launch, assumptions, told), facts, assumptions, told) for launch in launches
    ]
    problems += [replace(problem, kernel=kernel) for problem in told.values()]
    return tuple(found)


def combined(
    assumptions: Sequence[Assumption], kernel: str, problems: list[Problem]
) -> dict[str, ArgumentFact]:
    """One fact for each argument; an assumption that no value meets together with those before it
    is told and left out."""
    found: dict[str, ArgumentFact] = {}
    for assumption in assumptions:
        before = found.get(assumption.name, ArgumentFact(assumption.name))
        after = narrowed(before, assumption)
        if after is None:
            others = " and ".join(f"`{text}`" for text in before.texts)
            problems.append(
                _problem(
                    assumption,
                    f"contradicts {others}: no value meets both"
                    if others
                    else "holds for no value",
                    kernel,
                )
            )
        else:
            found[assumption.name] = after
    return found


def narrowed(fact: ArgumentFact, assumption: Assumption) -> ArgumentFact | None:
    """The fact with one more assumption; None where no integer meets both."""
    value, texts = assumption.value, (*fact.texts, assumption.text)
    if assumption.modulus is not None:
        joined = _both(fact.multiple, fact.rest, assumption.modulus, value)
        return (
            None
            if joined is None
            else replace(fact, multiple=joined[0], rest=joined[1], texts=texts).within()
        )
    low, high = {
        "==": (value, value),
        "<=": (None, value),
        "<": (None, value - 1),
        ">=": (value, None),
        ">": (value + 1, None),
        "!=": (None, None),
    }[assumption.relation]
    if assumption.relation == "!=":
        low = (
            value + 1 if fact.low == value or (fact.low is None and value == 0) else None
        )  # arguments are taken not to be negative
        high = value - 1 if fact.high == value else None
    low = max((end for end in (fact.low, low) if end is not None), default=None)
    high = min((end for end in (fact.high, high) if end is not None), default=None)
    return replace(fact, low=low, high=high, texts=texts).within()


def _both(a: int, x: int, b: int, y: int) -> tuple[int, int] | None:
    """The one congruence that means n % a == x and n % b == y (the Chinese remainder theorem); None
    where nothing meets both."""
    common = math.gcd(a, b)
    if (y - x) % common:
        return None
    modulus = a // common * b
    return modulus, (
        x + a * ((y - x) // common * pow(a // common, -1, b // common) % (b // common))
    ) % modulus


# ------------------------------------------------------------ held against launches


def holds(assumption: Assumption, value: int) -> bool:
    if assumption.modulus is not None:
        return value % assumption.modulus == assumption.value
    return {
        "==": value == assumption.value,
        "!=": value != assumption.value,
        "<=": value <= assumption.value,
        "<": value < assumption.value,
        ">=": value >= assumption.value,
        ">": value > assumption.value,
    }[assumption.relation]


def _sized(
    launch: Launch, assumptions: Sequence[Assumption], told: dict[Assumption, Problem]
) -> Launch:
    """The launch with the block and grid that are assumed, where it does not know its own."""
    for what in ("blockDim", "gridDim"):
        own = [a for a in assumptions if a.name in SIZES and SIZES[a.name][0] == what]
        sizes = (
            (None if launch.block_assumed else launch.block) if what == "blockDim" else launch.grid
        )
        equal = {
            SIZES[a.name][1]: a for a in reversed(own) if a.relation == "==" and a.modulus is None
        }
        if sizes is None and equal:
            x, y, z = (equal[axis].value if axis in equal else 1 for axis in range(3))
            sizes, first = (x, y, z), next(a for a in own if a in equal.values())
            if min(sizes) < 1:
                told.setdefault(
                    first, _problem(first, "holds for no launch: every size is at least 1")
                )
                continue
            launch = (
                _with_block(launch, sizes, first)
                if what == "blockDim"
                else _with_grid(launch, sizes, first)
            )
        for assumption in own:
            if sizes is None:
                text = f"has no effect: the size is unknown; give it as a number (`{assumption.name} == 256`)"
                told.setdefault(assumption, _problem(assumption, text))
            elif not holds(assumption, sizes[SIZES[assumption.name][1]]):
                value = sizes[SIZES[assumption.name][1]]
                told.setdefault(
                    assumption,
                    _problem(
                        assumption,
                        f"contradicts {_where(launch)}: {assumption.name} is {value} there",
                    ),
                )
    return launch


def _with_block(launch: Launch, block: tuple[int, int, int], by: Assumption) -> Launch:
    return replace(
        launch,
        block=block,
        block_assumed=False,
        span=launch.span or by.span,
        block_origin="the assumption above the kernel",
    )


def _with_grid(launch: Launch, grid: tuple[int, int, int], by: Assumption) -> Launch:
    shared = None if launch.dynamic_shared_reason else launch.dynamic_shared_bytes or 0
    return replace(
        launch,
        grid=grid,
        origin="directive",
        span=launch.span or by.span,
        dynamic_shared_bytes=shared,
    )


def _launch(
    launch: Launch,
    facts: Mapping[str, ArgumentFact],
    assumptions: Sequence[Assumption],
    told: dict[Assumption, Problem],
) -> Launch:
    """The launch with the facts about arguments whose values it does not have."""
    for assumption in assumptions:
        value = launch.arguments.get(assumption.name)
        if isinstance(value, int | float) and not holds(assumption, value):  # type: ignore[arg-type]
            told.setdefault(
                assumption,
                _problem(
                    assumption, f"contradicts {_where(launch)}: {assumption.name} is {value} there"
                ),
            )
    left = {name: fact for name, fact in facts.items() if name not in launch.arguments}
    equal = {
        name: fact.low
        for name, fact in left.items()
        if fact.low is not None and fact.low == fact.high
    }
    return replace(launch, arguments={**launch.arguments, **equal}, stated=tuple(left.values()))


def _where(launch: Launch) -> str:
    if launch.origin == "directive" and launch.span is not None:
        return f"the directive at line {launch.span.line}"
    if launch.origin == "assumed":
        return (
            "how the kernel is launched"
            if launch.span is None
            else f"the launch at line {launch.span.line}"
        )
    return "the command line" if launch.origin == "command line" else f"the {launch.origin}"


def _problem(assumption: Assumption, message: str, kernel: str = "") -> Problem:
    return Problem(INVALID, assumption.span, f"assumption `{assumption.text}` {message}", kernel)


# ------------------------------------------------------------ held against the kernel


def unclaimed(
    stated: Directives, *claimed: Mapping[int, Sequence[LaunchDirective | Assumption]]
) -> list[Problem]:
    """Directives that are for no kernel."""
    used = {
        id(directive) for by_kernel in claimed for some in by_kernel.values() for directive in some
    }

    def message(directive: LaunchDirective | Assumption) -> str:
        what, name = (
            ("assumption", "")
            if isinstance(directive, Assumption)
            else ("launch directive", directive.kernel)
        )
        return f"{what} matches no kernel: " + (
            f"there is no kernel `{name}`" if name else "none follows it"
        )

    directives: list[LaunchDirective | Assumption] = [*stated.launches, *stated.assumptions]
    return [Problem(INVALID, d.span, message(d)) for d in directives if id(d) not in used]


def fitting(launch: Launch, parameters: Parameters) -> Launch:
    """The launch without values and facts that are for no argument of the kernel or that the
    argument's type cannot have."""
    types = {name: type_ for name, type_ in parameters.items() if type_.kind == "integer"}
    kept = tuple(
        f
        for f in launch.stated
        if f.name in types and f.within(types[f.name].low, types[f.name].high) is not None
    )
    return replace(
        launch, arguments=argument_types.taken(launch.arguments, parameters), stated=kept
    )


def misfits(
    said: Sequence[LaunchDirective | Assumption], kernel: str, parameters: Parameters
) -> list[Problem]:
    """What directives say of arguments that the kernel does not have or whose types do not allow
    it."""
    if not parameters:
        return []
    found = [
        _mistaken(d, kernel, parameters)
        if isinstance(d, LaunchDirective)
        else _unfit(d, kernel, parameters)
        for d in said
    ]
    return [problem for problem in found if problem is not None]


def _mistaken(directive: LaunchDirective, kernel: str, parameters: Parameters) -> Problem | None:
    wrong = sorted(set(directive.arguments) - parameters.keys())
    if wrong:
        message = f"launch directive: `{kernel}` has no argument `{wrong[0]}`{meant(wrong[0], (*parameters, *DIRECTIVE_KEYS))}"
        return Problem(INVALID, directive.span, message, kernel)
    refused = argument_types.refused(directive.arguments, parameters.values())
    return (
        Problem(INVALID, directive.span, f"launch directive: {refused}", kernel)
        if refused
        else None
    )


def blamed(
    problem: Problem, launch: Launch, said: Sequence[LaunchDirective | Assumption]
) -> Problem:
    """A launch that the device or the kernel's bounds do not take is the mistake of the directive
    that gives it, and told there."""
    by = next((directive for directive in said if directive.span == launch.span), None)
    if by is None or problem.reason not in TOO_LARGE:
        return problem
    what = "launch directive" if isinstance(by, LaunchDirective) else "assumption"
    return Problem(INVALID, by.span, f"{what}: {problem.message}", problem.kernel)


def _unfit(assumption: Assumption, kernel: str, parameters: Parameters) -> Problem | None:
    name = assumption.name
    if name in SIZES:
        return None
    if name not in parameters:
        guess = meant(name, (*parameters, *SIZES))
        return _problem(
            assumption, f"has no effect: `{kernel}` has no argument `{name}`{guess}", kernel
        )
    type_ = parameters[name]
    if type_.kind != "integer":
        valued = assumption.relation == "==" and assumption.modulus is None
        return (
            None
            if valued
            else _problem(
                assumption, f"has no effect: the argument `{name}` is not an integer", kernel
            )
        )
    fact = narrowed(ArgumentFact(name), assumption)
    if fact is None or fact.within(type_.low, type_.high) is None:
        return _problem(
            assumption, f"holds for no value of `{name}`, which is {type_.type}", kernel
        )
    return None
