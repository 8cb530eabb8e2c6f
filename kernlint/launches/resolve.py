"""Which launches of a kernel are analysed: facts from several places, the strongest winning.

Order: command line, directive in the source, required work-group size, launches in host code,
launch bounds, assumption. Goes in: what each place says about one kernel. Comes out: distinct
`facts.Launch` values. Never looks at source text.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from kernlint.base.dataclass import dataclass, replace
from kernlint.base.span import Problem, Span
from kernlint.model.facts import Launch, PointerArgument
from kernlint.model.settings import LaunchDirective, LaunchOverrides
from kernlint.source.directives import Assumption

ASSUMED_BLOCK = (256, 1, 1)
EMPTY, BLOCK_UNKNOWN = (
    "empty-launch",
    "block-unknown",
)  # what is wrong with a launch in host code, as keys of `reasons.GAVE_UP`
# how the program runs whose launch it is, where its arguments decide the sizes
WITHOUT_ARGUMENTS = "run without arguments"
MOST_EXAMPLES = 8  # launches of a kernel under example sizes
MOST_GUESSED = 4  # instances of a kernel whose launches do not say how many threads they have


@dataclass(frozen=True, slots=True)
class Known:
    """What a kernel's own declaration says."""

    name: str
    qualified_name: str
    span: Span
    required_block: tuple[int, int, int] | None = None
    launch_bounds: tuple[int, ...] = ()
    instantiations: tuple[
        tuple[str, ...], ...
    ] = ()  # explicit ones, for templates that nobody launches


def known(handle: Any) -> Known:
    """Of a kernel as the lowering knows it."""
    attributes = handle.attributes
    instantiations = tuple(handle.explicit_instantiations)
    return Known(
        handle.name,
        handle.qualified_name,
        handle.span,
        attributes.required_block,
        attributes.launch_bounds,
        instantiations,
    )


def directives_of(
    kernels: Sequence[Known], directives: Sequence[LaunchDirective]
) -> dict[int, list[LaunchDirective]]:
    """Directives by the kernel's position in `kernels`: named ones by name, others to the kernel
    around or next below them."""
    found: dict[int, list[LaunchDirective]] = {}
    for directive in directives:
        named = [i for i, k in enumerate(kernels) if names(k, directive.kernel)]
        for owner in named if directive.kernel else _below(kernels, directive.span):
            found.setdefault(owner, []).append(directive)
    return found


def configured(
    kernels: Sequence[Known], facts: Sequence[LaunchDirective], decided: Container[int]
) -> dict[int, list[LaunchDirective]]:
    """Launch facts of a configuration file by the kernel's position, for kernels that no directive
    of their own decides.

    The name of such a fact may be a glob; the first that fits a kernel is taken.
    """
    fitting = {
        i: [d for d in facts if fnmatchcase(k.name, d.kernel) or names(k, d.kernel)][:1]
        for i, k in enumerate(kernels)
    }
    return {
        position: found for position, found in fitting.items() if found and position not in decided
    }


def assumptions_of(
    kernels: Sequence[Known], assumptions: Sequence[Assumption]
) -> dict[int, list[Assumption]]:
    """Assumptions by the kernel around or next below them."""
    found: dict[int, list[Assumption]] = {}
    for assumption in assumptions:
        for owner in _below(kernels, assumption.span):
            found.setdefault(owner, []).append(assumption)
    return found


def given_arguments(
    count: int,
    directives: Mapping[int, Sequence[LaunchDirective]],
    assumptions: Mapping[int, Sequence[Assumption]],
    overrides: LaunchOverrides,
) -> tuple[Mapping[str, int], ...]:
    """By kernel, the integer arguments whose one value the command line or the kernel's directives
    say."""
    found: list[Mapping[str, int]] = []
    for position in range(count):
        values: dict[str, set[object]] = {}
        for directive in directives.get(position, ()):
            for name, value in directive.arguments.items():
                values.setdefault(name, set()).add(value)
        for assumption in assumptions.get(position, ()):
            if assumption.relation == "==" and assumption.modulus is None:
                values.setdefault(assumption.name, set()).add(assumption.value)
        values |= {name: {value} for name, value in overrides.arguments.items()}
        single = {name: next(iter(some)) for name, some in values.items() if len(some) == 1}
        found.append({name: value for name, value in single.items() if isinstance(value, int)})
    return tuple(found)


def _below(kernels: Sequence[Known], span: Span) -> list[int]:
    after = [
        (k.span.line, i)
        for i, k in enumerate(kernels)
        if k.span.path == span.path and k.span.end_line >= span.line
    ]
    return [min(after)[1]] if after else []


def names(kernel: Known, name: str) -> bool:
    """Whether `name` means this kernel: its plain name, or a tail of its qualified one."""
    return name == kernel.name or is_named(kernel.qualified_name, name)


def is_named(qualified_name: str, name: str) -> bool:
    return qualified_name == name or qualified_name.endswith(f"::{name}")


def resolve(
    kernel: Known,
    host: Sequence[Launch],
    directives: Sequence[LaunchDirective],
    overrides: LaunchOverrides,
) -> tuple[Launch, ...]:
    """The distinct launches to analyse, at least one. `grid` stays None where no place gives it;
    then the origin is "assumed"."""
    sure = tuple(launch for launch in host if not launch.block_assumed)
    declared = tuple(_declared(kernel, arguments) for arguments in kernel.instantiations)
    base = (
        sure
        or declared
        or tuple(_sized(launch, kernel) for launch in host)
        or (_declared(kernel, ()),)
    )
    stated = tuple(launch for d in directives for launch in _directed(d, base, kernel)) or base
    return tuple(distinct([_overridden(launch, overrides) for launch in stated]))


def concerns(problem: Problem, overrides: LaunchOverrides) -> bool:
    """Whether what is wrong with a launch in host code concerns what is analysed: not where the
    command line replaces its sizes."""
    if problem.reason == BLOCK_UNKNOWN:
        return overrides.block is None
    return problem.reason != EMPTY or overrides.grid is None or overrides.block is None


def lost(
    problems: Sequence[Problem], launches: Sequence[tuple[Known, Sequence[Launch]]]
) -> list[Problem]:
    """The problems; an unknown block is more than a note where no launch of its kernel has another
    one."""
    assumed = {
        kernel.qualified_name
        for kernel, some in launches
        if all(launch.block_assumed for launch in some)
    }
    return [
        replace(problem, note=False)
        if problem.reason == BLOCK_UNKNOWN and problem.kernel in assumed
        else problem
        for problem in problems
    ]


def instances(host: Sequence[Launch]) -> tuple[list[Launch], int]:
    """The launches to consider, and how many were left out: of those that do not say how many
    threads they have, one for each of the first few instances of a template."""
    if any(not launch.block_assumed for launch in host):
        return [launch for launch in host if not launch.block_assumed], 0
    first = {launch.template_arguments: launch for launch in reversed(host)}
    kept = [launch for launch in host if first[launch.template_arguments] is launch]
    return kept[:MOST_GUESSED], max(0, len(kept) - MOST_GUESSED)


def _sized(launch: Launch, kernel: Known) -> Launch:
    """A launch that does not say how many threads it has, with as many as the kernel's declaration
    says."""
    if launch.block_origin:
        return launch
    declared = _declared(kernel, launch.template_arguments)
    return replace(launch, block=declared.block, block_assumed=declared.block_assumed)


def of_instance(
    launches: Sequence[Launch],
    template_arguments: tuple[str, ...],
    kernel: Known,
    overrides: LaunchOverrides,
) -> tuple[Launch, ...]:
    """The launches of one instance of a template; where nothing launches it, one as for kernels
    that nothing launches."""
    own = tuple(launch for launch in launches if launch.template_arguments == template_arguments)
    if own:
        return own
    return resolve(replace(kernel, instantiations=(template_arguments,)), (), (), overrides)


def _declared(kernel: Known, template_arguments: tuple[str, ...]) -> Launch:
    if kernel.required_block:
        block = kernel.required_block
    elif kernel.launch_bounds:
        block = (kernel.launch_bounds[0], 1, 1)
    else:
        block = ASSUMED_BLOCK
    return Launch(
        None, block, None, {}, "assumed", None, template_arguments, kernel.required_block is None
    )


def placed(launch: Launch, path: str) -> Launch:
    """A launch of the file's, or one in a header of it, which its words then name."""
    if launch.span is None or launch.span.path == path:
        return launch
    header = launch.span.path.replace("\\", "/").rpartition("/")[2]
    if launch.in_host_code:
        place, comma, how = launch.origin.partition(",")
        return replace(launch, origin=f"{place} of {header}{comma}{how}")
    told = launch.origin == "assumed" and not launch.block_assumed
    return (
        replace(launch, block_origin=f"the launch at line {launch.span.line} of {header}")
        if told
        else launch
    )


def block_source(kernel: Known, launch: Launch, overrides: LaunchOverrides) -> str:
    """Where an assumed launch's block size is from, in words."""
    if launch.block == overrides.block:
        return "the command line"
    if launch.block == kernel.required_block:
        return "the required work-group size"
    if launch.block_origin:
        return launch.block_origin
    if launch.span is not None:
        return f"the launch at line {launch.span.line}"
    return (
        "__launch_bounds__"
        if kernel.launch_bounds and launch.block[0] == kernel.launch_bounds[0]
        else "kernlint's assumption"
    )


def _directed(directive: LaunchDirective, base: Sequence[Launch], kernel: Known) -> list[Launch]:
    """The directive laid over each kind of launch that it does not itself decide."""
    result = []
    for launch in base:
        grid = directive.grid or launch.grid
        shared = (
            launch.dynamic_shared_bytes
            if directive.dynamic_shared_bytes is None
            else directive.dynamic_shared_bytes
        )
        made = replace(
            launch,
            grid=grid,
            block=directive.block or kernel.required_block or launch.block,
            dynamic_shared_bytes=shared,
            dynamic_shared_reason=launch.dynamic_shared_reason if shared is None else "",
            arguments={**launch.arguments, **directive.arguments},
            origin="directive" if grid else "assumed",
            span=directive.span,
            block_assumed=launch.block_assumed and directive.block is None,
        )
        if directive.template_arguments is not None:
            made = replace(made, template_arguments=directive.template_arguments, assumptions=())
        result.append(made)
    return result


def _overridden(launch: Launch, overrides: LaunchOverrides) -> Launch:
    if not overrides.given():
        return _settled(launch)
    grid = overrides.grid or launch.grid
    shared = (
        launch.dynamic_shared_bytes
        if overrides.dynamic_shared_bytes is None
        else overrides.dynamic_shared_bytes
    )
    is_sized = overrides.grid or overrides.block or overrides.dynamic_shared_bytes is not None
    made = replace(
        launch,
        grid=grid,
        block=overrides.block or launch.block,
        dynamic_shared_bytes=shared,
        dynamic_shared_reason=launch.dynamic_shared_reason if shared is None else "",
        arguments={**launch.arguments, **overrides.arguments},
        origin="assumed" if grid is None else "command line" if is_sized else launch.origin,
        block_assumed=launch.block_assumed and overrides.block is None,
    )
    return _settled(made)


def _settled(launch: Launch) -> Launch:
    """Without a word about dynamic shared memory a launch has none, as `<<<grid, block>>>` says;
    with a word that cannot be followed it is not known."""
    if (
        launch.dynamic_shared_bytes is None
        and launch.origin != "assumed"
        and not launch.dynamic_shared_reason
    ):
        return replace(launch, dynamic_shared_bytes=0)
    return launch


def distinct(launches: Sequence[Launch]) -> list[Launch]:
    """Each launch once, but for its place; the aliases of equal ones together. It is conditional
    where all equal ones are."""
    seen: dict[tuple[object, ...], Launch] = {}
    for launch in launches:
        arguments = tuple(sorted((name, _plain(value)) for name, value in launch.arguments.items()))
        key = (
            launch.grid,
            launch.block,
            launch.dynamic_shared_bytes,
            launch.template_arguments,
            arguments,
            launch.stated,
            launch.one_memory,
            launch.cluster,
        )
        known = seen.setdefault(key, launch)
        aliases = tuple(dict.fromkeys((*known.aliases, *launch.aliases)))
        is_conditional = known.is_conditional and launch.is_conditional
        best = min((known, launch), key=lambda one: (bool(one.assumptions), one.is_conditional))
        examples = known.examples + tuple(e for e in launch.examples if e not in known.examples)
        seen[key] = replace(
            best,
            aliases=aliases,
            is_conditional=is_conditional,
            examples=examples[:MOST_EXAMPLES],
        )
    return list(seen.values())


def _plain(value: int | float | PointerArgument) -> str:
    return repr(value)
