"""Which analysed launch each profiled launch is.

Goes in: profiled launches, analysed kernels. Comes out: for each profiled launch the kernels it may
be, with the evidence, or why none. Evidence in this order: the kernel's name, its template
arguments, the lines of its instructions, grid and block (without them the warps and threads that
executed the first instruction), dynamic shared memory. What is left differs in arguments, which
profiles do not hold.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from kernlint.base.dataclass import dataclass
from kernlint.checks import words
from kernlint.comparison.names import KernelName, canonical, parse
from kernlint.comparison.profile import LINES, Place, ProfiledLaunch
from kernlint.model import facts

WARP = 32


@dataclass(frozen=True, slots=True)
class AnalysedKernel:
    file: facts.File
    kernel: facts.Kernel


@dataclass(frozen=True, slots=True)
class Candidates:
    """`kernels` empty: `why` says what no analysed launch has; `nearest` are those that fit up to
    there. Else `why` is the evidence."""

    launch: ProfiledLaunch
    kernels: tuple[AnalysedKernel, ...]
    why: str
    nearest: tuple[AnalysedKernel, ...] = ()


def analysed(report: facts.Report) -> tuple[AnalysedKernel, ...]:
    return tuple(AnalysedKernel(file, kernel) for file in report.files for kernel in file.kernels)


def candidates(launch: ProfiledLaunch, known: Sequence[AnalysedKernel]) -> Candidates:
    """The analysed launches that a profiled launch may be."""
    if not launch.detail:
        return Candidates(launch, (), "its counters are not in the report")
    name = parse(launch.name)
    found = tuple(a for a in known if _named(a.kernel, name))
    if not found:
        return Candidates(launch, (), "no kernel of this name in the files")
    evidence = ["name"]
    if name.arguments is not None:
        same = tuple(
            a for a in found if tuple(map(canonical, a.kernel.template_arguments)) == name.arguments
        )
        if not same:
            return Candidates(
                launch,
                (),
                f"the instantiation <{', '.join(name.arguments)}> was not analysed",
                found,
            )
        found, evidence = same, [*evidence, *(["template arguments"] if name.arguments else [])]
    inside = tuple(a for a in found if _holds(a, launch))
    if inside:
        found, evidence = inside, [*evidence, "lines"]
    return _of_shape(launch, found, evidence)


def _of_shape(
    launch: ProfiledLaunch, found: tuple[AnalysedKernel, ...], evidence: list[str]
) -> Candidates:
    fits, word = _shape_test(launch)
    same = tuple(a for a in found if fits(a.kernel.launch))
    if not same:
        return Candidates(launch, (), f"no analysed launch has its {word}", found)
    shared = tuple(
        a for a in same if a.kernel.launch.dynamic_shared_bytes == launch.dynamic_shared_bytes
    )
    return Candidates(launch, shared or same, ", ".join([*evidence, word]))


def _shape_test(launch: ProfiledLaunch) -> tuple[Callable[[facts.Launch], bool], str]:
    """Whether an analysed launch has the profiled one's shape, and what of it the profile tells."""
    if launch.grid is not None and launch.block is not None:
        shape = f"grid {words.size(launch.grid)} and block {words.size(launch.block)}"
        return (lambda known: known.grid == launch.grid and known.block == launch.block), shape
    if not launch.instructions:
        return (lambda known: True), "kernel, its shape is not in the profile"
    first = launch.instructions[0]
    counted = f"{words.count(first.requests)} warps"
    if first.threads is None:
        return (lambda known: _warps(known) == first.requests), counted
    counted += f" and {words.count(first.threads)} threads"
    return (
        lambda known: (_warps(known), _threads(known)) == (first.requests, first.threads)
    ), counted


def _warps(launch: facts.Launch) -> int | None:
    return (
        None
        if launch.grid is None
        else math.prod(launch.grid) * -(-math.prod(launch.block) // WARP)
    )


def _threads(launch: facts.Launch) -> int | None:
    return None if launch.grid is None else math.prod(launch.grid) * math.prod(launch.block)


def _named(kernel: facts.Kernel, name: KernelName) -> bool:
    """Same last name, and no contradiction in the namespaces that both tell (anonymous ones are not
    printed)."""
    if kernel.name != name.plain:
        return False
    one, other = (kernel.qualified_name or kernel.name).split("::"), name.qualified.split("::")
    one, other = [
        [part for part in parts if part and "anonymous" not in part] for parts in (one, other)
    ]
    return all(a == b for a, b in zip(reversed(one), reversed(other), strict=False))


def _holds(candidate: AnalysedKernel, launch: ProfiledLaunch) -> bool:
    """Whether some of the launch's instructions lie within the kernel's lines: those of one launch
    lie in one kernel and what it calls."""
    if launch.detail != LINES:
        return False
    span = candidate.kernel.span
    places = {place for instruction in launch.instructions for place in instruction.places}
    return any(
        span.line <= line <= span.end_line and common(file, span.path) for file, line in places
    )


def common(one: str, other: str) -> int:
    """How many parts two paths have in common at their ends; 0 where the files' names differ."""
    parts = [path.replace("\\", "/").split("/") for path in (one, other)]
    number = 0
    for a, b in zip(reversed(parts[0]), reversed(parts[1]), strict=False):
        if a != b:
            break
        number += 1
    return number


def chooser(candidate: AnalysedKernel) -> Callable[[tuple[Place, ...]], Place]:
    """Of the lines that an instruction is listed under, the one it is charged to, its file named as
    in the analysis.

    Where an inlined function begins the line table names two: the call's, which profilers charge,
    and the function's own.
    """
    span = candidate.kernel.span
    charged = {
        (path, line) for access in candidate.kernel.accesses for path, line in _places(access)
    }
    paths = {
        span.path,
        *(path for path, _ in charged),
        *(access.span.path for access in candidate.kernel.accesses),
    }

    def choose(places: tuple[Place, ...]) -> Place:
        named = [(_resolve(file, paths), line) for file, line in places]
        own = [
            place
            for place in named
            if place[0] == span.path and span.line <= place[1] <= span.end_line
        ]
        return next(iter([*own, *(place for place in named if place in charged), *named]))

    return choose


def _places(access: facts.Access) -> Iterable[Place]:
    yield (
        access.charged_path or access.span.path,
        access.as_compiled.charged_line if access.as_compiled else access.charged_line,
    )


def _resolve(file: str, paths: set[str]) -> str:
    """The analysed file that a profile's path means: the one that shares most of its end."""
    best = max(sorted(paths), key=lambda path: common(file, path), default=file)
    return best if common(file, best) else file
