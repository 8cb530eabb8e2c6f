"""The whole pipeline: paths in, facts out.

    files → preprocess → parse → lower → launches → execute → facts

Never raises for what a file contains: whatever goes wrong in one file, function or kernel becomes a
problem with a place, and everything else is analysed all the same. Raises only `UsageError`, when
the request itself cannot be met.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from kernlint.base import deadline
from kernlint.base.dataclass import dataclass, field
from kernlint.base.deadline import OutOfTime
from kernlint.base.span import Problem, SourceError, Span
from kernlint.base.timings import phase
from kernlint.base.usage import UsageError, listed, meant
from kernlint.launches import argument_types, assumptions, embedded_programs, resolve
from kernlint.launches.lost_kernels import without_lost
from kernlint.memo.protocol import (
    Asked,
    Hosted,
    Nothing,
    OfLaunch,
    Outcome,
    ReachedLaunch,
    Recall,
    Remembering,
)
from kernlint.model import facts
from kernlint.model.reasons import gave_up
from kernlint.model.settings import LaunchDirective, LaunchOverrides, Settings
from kernlint.model.verdict import Answer, answer
from kernlint.pipeline.file_result import Gathered
from kernlint.source import files, hip
from kernlint.source.directives import (
    Assumption,
    Directives,
    directives,
    integer_names,
    kernel_name,
)
from kernlint.source.embedded import programs
from kernlint.source.text import MACHINE_CODE

if TYPE_CHECKING:
    from kernlint.execution.measured import Measured
    from kernlint.hardware import Device
    from kernlint.ir import nodes as ir
    from kernlint.lowering.program import Program
    from kernlint.lowering.ptx.program import PtxProgram
    from kernlint.optimizer.compiler import View
    from kernlint.pipeline.machine_module import CodeProgram
    from kernlint.pipeline.witness import Witness

    AnyProgram = Program | PtxProgram | CodeProgram
    Code = Witness | CodeProgram

# of what a file's limit is worth in steps of work: for all host code, for each function of it that
# is run, for each kernel. One that is too long leaves time for the others; what the others took does
# not matter to it
HOST_SHARE, ROOT_SHARE, KERNEL_SHARE = 0.3, 0.2, 0.5
# for all host code, of the time that is left: however slow its steps are, kernels have the rest
HOST_AHEAD = 0.7
# for the first launch of each kernel, before any is analysed whole; of the time that is left
FIRST_SHARE, FIRST_AHEAD = 0.1, 0.3
# launches of a kernel by host code, and the first few instances of a template that nothing
# launches, until the steps of this share are used up; further instances until those of that
LAUNCHES_SHARE, FEW_INSTANCES, INSTANCES_SHARE = 0.5, 4, 0.25
T = TypeVar("T")
# what a kernel is lowered for: template arguments, and the blocks of a cluster that a launch gives
_Specialization = tuple[tuple[str, ...], tuple[int, int, int] | None]
Progress = Callable[[str, int, int], None]  # path, files done, files in all


def analyse(
    paths: Iterable[str],
    settings: Settings,
    progress: Progress | None = None,
    stdin: files.Source | None = None,
) -> facts.Report:
    """Analyse every file and folder of `paths` (or the text given as `stdin`), one after the
    other."""
    found = list(files.collect(paths))
    results: list[facts.File] = []
    for path, trouble in found:
        if progress:
            progress(path, len(results), len(found))
        source = (
            files.read(path, settings.language)
            if trouble is None
            else files.Source(path, "cuda", None, (trouble,))
        )
        results.append(analyse_source(source, settings))
    if stdin is not None:
        results.append(analyse_source(stdin, settings))
    require_answer([answer(file, settings.kernel) for file in results], settings)
    return facts.Report(settings.device, tuple(results))


def analyse_source(
    source: files.Source,
    settings: Settings,
    memory: Remembering | None = None,
    source_kernels: Sequence[facts.Kernel] = (),
) -> facts.File:
    """One file: from text to the facts of each kernel under each launch. `memory` may know them
    from before an edit elsewhere; `source_kernels`: of what a PTX module was made of."""
    device = require_device(settings)
    is_hip = (
        hip.dialect(source.path, source.language, settings.language, source.text or "") == "hip"
    )
    gathered = Gathered(
        source,
        list(source.problems),
        memory,
        device=settings.device,
        is_hip=is_hip,
        device_assumed=settings.device_assumed,
    )
    if source.text is None or not source.text.strip():
        return replace(gathered.file(), lines=0)
    start = Span(source.path, 1, 1, 1, 1)
    with deadline.running(deadline.seconds_for(source.text, settings.timeout)) as clock:
        attempt(
            lambda: _analyse_text(source, settings, device, gathered, source_kernels),
            start,
            "",
            gathered.problems,
        )
    return gathered.file((), clock.ran_out)


def _analyse_text(
    source: files.Source,
    settings: Settings,
    device: Device,
    gathered: Gathered,
    source_kernels: Sequence[facts.Kernel],
) -> None:
    """The file as code where it is any, then each program in its strings."""
    if source.language == MACHINE_CODE:
        _analyse_machine_code(source, settings, device, gathered)
        return
    if source.language == "ptx":
        _analyse_module(source, settings, device, gathered, source_kernels)
        return
    host = programs.host(source.path, source.text or "", settings.defines.items())
    gathered.problems += embedded_programs.problems(host)
    gathered.altered += programs.altered(host)
    if host.is_code:
        _analyse_code(source, settings, device, gathered, None)
    for program in host.programs:
        own, before, kernels = (
            embedded_programs.Part(host, program),
            len(gathered.problems),
            len(gathered.kernels),
        )
        how = replace(settings, defines={**program.defines, **settings.defines})
        step = partial(
            _analyse_code,
            replace(source, language=program.language or source.language),
            how,
            device,
            gathered,
            own,
        )
        attempt(step, own.start, "", gathered.problems)
        gathered.problems[before:] = map(own.worded, gathered.problems[before:])
        gathered.kernels[kernels:] = map(own.resting, gathered.kernels[kernels:])
    gathered.kernels[:] = embedded_programs.once(gathered.kernels)


def _analyse_code(
    source: files.Source,
    settings: Settings,
    device: Device,
    gathered: Gathered,
    part: embedded_programs.Part | None,
) -> None:
    """A whole file, or the `part` of it that is a program in a string."""
    from kernlint.lowering.program import Program
    from kernlint.source.parser.parser import parse
    from kernlint.source.preprocessor.preprocess import Options, preprocess

    arch = (device.capability or 90) * 10
    dialect = hip.dialect(source.path, source.language, settings.language, source.text or "")
    options = Options(
        defines=settings.defines, include_dirs=settings.include_dirs, language=dialect, arch=arch
    )
    with phase("preprocess"):
        prepared = preprocess(
            source.path, source.text or "", options, part.program.text if part else None
        )
    gathered.missing += prepared.missing
    gathered.sought |= prepared.sought
    gathered.skipped += prepared.skipped
    constants = integer_names(prepared.defines)
    stated = directives(prepared.comments, constants)
    with phase("parse"):
        unit = parse(prepared.tokens, source.path, source.language, prepared.opening)
    gathered.problems += [*prepared.problems, *stated.problems, *unit.problems]
    named = replace(options, defines={name: str(value) for name, value in constants.items()})
    program = Program(unit, named, {source.path: source.text or ""})
    if stated.launches or stated.assumptions:
        read = [resolve.known(handle).span for handle in program.kernels()]
        stated = without_lost(stated, unit, read)
    recall: Recall = Nothing()
    if gathered.memory is not None:
        recall = gathered.memory.at(source.path, source.text or "", prepared, unit, constants)
    elif part is None:
        from kernlint.memo import header_kernels

        recall = header_kernels.recall(source.path, prepared, source.language, settings, constants)
    with deadline.share(HOST_SHARE), deadline.ahead(HOST_AHEAD), phase("host code"):
        given = _given(program, stated, settings)
        host = [
            *(part.launches(program) if part else ()),
            *_host_launches(program, given, gathered, recall, settings.launch),
        ]
    unfinished = part.unfinished(prepared.tokens, program.kernels()) if part else {}
    gathered.problems += part.unread(program.kernels()) if part else []
    code = _witness(source, settings, device, gathered.problems) if part is None else None
    if code is not None:
        settings = replace(settings, registers=code.registers(settings.registers))
    _execute_all(program, stated, settings, device, gathered, host, unfinished, recall, code)
    gathered.problems += _cute(source, gathered)


def _is_whole(kernel: facts.Kernel) -> bool:
    known = all(access.status != "unknown" for access in kernel.accesses)
    return known and not kernel.not_counted


# layouts of CuTe are types: nvcc folds them away, and PTX has the addresses
_CUTE = re.compile(r"\bcute::|\bnamespace\s+cute\b|#\s*include\s*[<\"]cute/")


def _cute(source: files.Source, gathered: Gathered) -> Iterator[Problem]:
    """What shows kernels that use CuTe whole, at the first place that names it, where some are not
    whole."""
    found = _CUTE.search(source.text or "")
    missing = any(name.startswith("cute/") for name in gathered.missing)
    lacking = [k for k in gathered.kernels if missing or not _is_whole(k)]
    if found is not None and lacking:
        before = (source.text or "")[: found.start()]
        line, column = before.count("\n") + 1, found.start() - before.rfind("\n")
        span = Span(source.path, line, column, line, column + len(found[0]))
        yield gave_up("cute", span, "", "CuTe", file=os.path.basename(source.path))


def _witness(
    source: files.Source, settings: Settings, device: Device, problems: list[Problem]
) -> Witness | None:
    """The file's machine code, where the user asks for it."""
    if settings.compiler is None or source.language != "cuda":
        return None
    from kernlint.pipeline.witness import witness

    with phase("compile"), deadline.paused():
        return witness(source, settings, device, problems)


def _analyse_module(
    source: files.Source,
    settings: Settings,
    device: Device,
    gathered: Gathered,
    source_kernels: Sequence[facts.Kernel] = (),
) -> None:
    """A PTX module: its kernels under the launches that its directives, its comments, the
    configuration and the command line give, or those of the kernels of the source that it was made
    of."""
    from kernlint.lowering.ptx.program import PtxProgram
    from kernlint.source.ptx.module import parse_module

    module = parse_module(source.text or "", source.path)
    stated = directives(module.comments, {})
    gathered.problems += [*module.problems, *stated.problems]
    program = PtxProgram(module, source.text or "", settings.line_table, source_kernels)
    _execute_all(program, stated, settings, device, gathered, program.reached(), {}, Nothing())


def _analyse_machine_code(
    source: files.Source, settings: Settings, device: Device, gathered: Gathered
) -> None:
    """A cubin, or a file that holds some: its kernels under the launches that the command line, the
    configuration or a file of comments beside it gives."""
    from kernlint.machine_code.elf import MachineCodeError
    from kernlint.machine_code.toolkit import MissingToolError
    from kernlint.pipeline.machine_module import CodeProgram, launch_comments

    beside = f"{source.path}.kernlint"
    gathered.sought[beside] = os.path.isfile(beside)
    with phase("disassemble"), deadline.paused():
        try:
            program = CodeProgram(source.path, Path(source.path).read_bytes(), device)
        except MissingToolError as error:
            raise UsageError(f"{source.path}: {error}") from None
        except (MachineCodeError, OSError) as error:
            start = Span(source.path, 1, 1, 1, 1)
            gathered.problems.append(Problem("KL001", start, f"cannot read machine code: {error}"))
            return
    stated = directives(launch_comments(beside), {})
    gathered.problems += stated.problems
    how = replace(settings, estimate=False)
    _execute_all(program, stated, how, device, gathered, (), {}, Nothing(), program)


def _execute_all(
    program: AnyProgram,
    stated: Directives,
    settings: Settings,
    device: Device,
    gathered: Gathered,
    host: Sequence[tuple[Any, facts.Launch]],
    unfinished: Mapping[int, Problem],
    recall: Recall,
    code: Code | None = None,
) -> None:
    """Every launch of every kernel of one program, in the order of the source. `unfinished`:
    kernels whose text is not whole."""
    wanted, stated_arguments = kernel_name(settings.kernel) if settings.kernel else ("", None)
    problems = gathered.problems
    handles = list(program.kernels())
    known = [resolve.known(handle) for handle in handles]
    by_directive = resolve.directives_of(known, stated.launches)
    assumed = resolve.assumptions_of(known, stated.assumptions)
    problems += assumptions.unclaimed(stated, by_directive, assumed)
    by_directive |= resolve.configured(known, (*stated.header, *settings.stated), by_directive)
    tasks: list[tuple[Asked, Callable[[int], Outcome]]] = []
    for position, (handle, kernel) in enumerate(zip(handles, known, strict=True)):
        if wanted and not resolve.names(kernel, wanted):
            continue
        if position in unfinished:
            problems.append(unfinished[position])
            continue
        own, left_out = resolve.instances([launch for h, launch in host if h is handle])
        if left_out:
            problems.append(
                gave_up("instances", kernel.span, kernel.name, left=left_out, name=kernel.name)
            )
        directed = _canonical(program, handle, by_directive.get(position, []), problems)
        launches = resolve.resolve(kernel, own, directed, settings.launch)
        if stated_arguments is not None:
            launches = resolve.of_instance(
                launches, _requested(program, handle, stated_arguments), kernel, settings.launch
            )
        own_assumptions = assumed.get(position, [])
        launches = tuple(
            resolve.distinct(
                assumptions.laid_over(launches, own_assumptions, kernel.name, problems)
            )
        )
        said: list[LaunchDirective | Assumption] = [*directed, *own_assumptions]
        work = partial(
            _executed,
            _Begun(),
            program,
            handle,
            kernel,
            launches,
            said,
            settings,
            device,
            recall,
            code,
        )
        tasks.append((Asked(kernel, launches, said), work))
    problems[:] = resolve.lost(problems, [(asked.kernel, asked.launches) for asked, _ in tasks])
    _run(tasks, gathered, recall, settings.max_launches)
    problems += program.problems


def _run(
    tasks: Sequence[tuple[Asked, Callable[[int], Outcome]]],
    gathered: Gathered,
    recall: Recall,
    most: int,
) -> None:
    """Every kernel, gathered in the order of the source, whatever the order of the work: where the
    time for the file ends, those of the file itself come before those of its headers, and each has
    had its first launch, if that is short, before any has its second. `most`: launches of one
    kernel."""
    found: dict[int, Outcome] = {}

    def is_of_header(index: int) -> bool:
        return tasks[index][0].kernel.span.path != gathered.source.path

    def in_order() -> list[Outcome]:
        return [found[index] for index in sorted(found)]

    try:
        for index in sorted(range(len(tasks)), key=is_of_header):
            asked, work = tasks[index]
            if len(tasks) > 1 and recall.begins(asked):
                with deadline.trial(FIRST_SHARE), deadline.ahead(FIRST_AHEAD):
                    found[index] = work(1)
        for index in recall.order([asked for asked, _ in tasks]):
            asked, work = tasks[index]
            recall.working(asked, lambda: gathered.file(in_order()))
            with deadline.share(KERNEL_SHARE if len(tasks) > 1 else math.inf):
                found[index] = recall.kernel(asked, partial(work, most))
    finally:
        gathered.add(in_order())


@dataclass(slots=True)
class _Begun:
    """What was made of a kernel's launches so far. `position`: of the next launch; `begun`: launches
    that were lowered; `steps`: of work that they took; `left_out`: instances that nothing launches
    and that were not analysed; `passed_over`: launches that were not."""

    position: int = 0
    begun: int = 0
    steps: float = 0.0
    left_out: int = 0
    passed_over: int = 0
    lowering: list[Problem] = field(default_factory=list)
    running: list[Problem] = field(default_factory=list)
    instances: dict[_Specialization, ir.Kernel | None] = field(default_factory=dict)
    views: dict[_Specialization, dict[bool, View]] = field(default_factory=dict)
    results: list[OfLaunch] = field(default_factory=list)

    def restart(self) -> None:
        """From the first launch; what was lowered stays."""
        self.position, self.begun, self.steps = 0, 0, 0
        self.left_out, self.passed_over = 0, 0
        self.lowering, self.running = [], []
        self.instances = {key: one for key, one in self.instances.items() if one is not None}

    def passes_over(self, launch: facts.Launch) -> bool:
        """Whether a launch is one more of host code, or that of a further instance which nothing
        launches, and those before took long; it is counted."""
        assumed = launch.origin == "assumed"
        if not self.begun or not (assumed or launch.in_host_code):
            return False
        guessed = assumed and launch.block_assumed and launch.span is None
        few = self.begun < FEW_INSTANCES or not guessed
        if self.steps <= (LAUNCHES_SHARE if few else INSTANCES_SHARE) * deadline.whole():
            return False
        self.left_out += guessed
        self.passed_over += not guessed
        return True


def _executed(
    state: _Begun,
    program: AnyProgram,
    handle: Any,
    kernel: resolve.Known,
    launches: Sequence[facts.Launch],
    said: Sequence[LaunchDirective | Assumption],
    settings: Settings,
    device: Device,
    recall: Recall,
    code: Code | None,
    most: int,
) -> Outcome:
    """The launches of one kernel, up to `most` of them, from where `state` has got to. `said`: its
    directives. What had no result is begun anew: it may have been stopped for its length."""
    if not state.results:
        state.restart()
    for launch in launches[state.position :]:
        if state.begun == most:
            break
        position = state.position
        state.position += 1
        if state.passes_over(launch):
            continue
        with deadline.measured() as work:
            found = _launched(
                state, program, handle, kernel, launch, said, settings, device, recall, code
            )
        state.steps += work.steps
        state.results += [replace(result, position=position) for result in found]
    parameters = argument_types.types(
        instance for instance in state.instances.values() if instance is not None
    )
    misfits = assumptions.misfits(said, kernel.name, parameters)
    failed = {wanted for wanted, instance in state.instances.items() if instance is None}
    count = sum((launch.template_arguments, launch.cluster) not in failed for launch in launches)
    problems = (
        *state.lowering,
        *handle.problems,
        *misfits,
        *_beyond(count - state.left_out - state.passed_over, settings, kernel),
        *_left_out("further-instances", state.left_out, kernel),
        *_left_out("further-launches", state.passed_over, kernel),
        *state.running,
    )
    return Outcome(tuple(state.results), problems, tuple(parameters.values()))


def _launched(
    state: _Begun,
    program: AnyProgram,
    handle: Any,
    kernel: resolve.Known,
    launch: facts.Launch,
    said: Sequence[LaunchDirective | Assumption],
    settings: Settings,
    device: Device,
    recall: Recall,
    code: Code | None,
) -> Sequence[OfLaunch]:
    """The next launch of a kernel, which is lowered for it where no launch before was like it."""
    wanted = launch.template_arguments, launch.cluster
    instance = _instance(program, handle, wanted, state.instances, kernel, state.lowering)
    if instance is None:
        return ()
    state.begun += 1
    types = argument_types.types([instance])
    launch, why = _shaped(assumptions.fitting(launch, types), instance, kernel)
    views = state.views.setdefault(wanted, {})
    work = partial(_ran, kernel, instance, launch, why, settings, device, recall, views, code)
    ran = recall.launch(kernel, instance, launch, why, work)
    # by the command line, whatever directives say
    sized = settings.launch.grid or settings.launch.block
    state.running += (
        ran.problems
        if sized
        else [assumptions.blamed(problem, launch, said) for problem in ran.problems]
    )
    return ran.results


def _ran(
    kernel: resolve.Known,
    instance: ir.Kernel,
    launch: facts.Launch,
    why: str,
    settings: Settings,
    device: Device,
    recall: Recall,
    views: dict[bool, View],
    code: Code | None,
) -> Outcome:
    """One launch of a lowered kernel. `why`: what suggests its block, in words. `views`: of this
    kernel, for all its launches."""
    from kernlint.execution.run import execute

    problems: list[Problem] = []
    with phase("execute and count"):
        how = (settings.budget, settings.estimate, views, settings.compile_stage)
        step = partial(execute, instance, launch, device, *how)
        result = attempt(
            lambda: recall.executed(instance, launch, step), kernel.span, kernel.name, problems
        )
    if result is None:
        return Outcome((), tuple(problems), ())
    found = result.kernel
    if code is not None:
        with phase("read machine code"), deadline.paused():
            step_of_code = partial(code.heard, found, instance)
            found = attempt(step_of_code, kernel.span, kernel.name, problems) or found
    if launch.examples and (launch.grid is None or launch.in_host_code):
        found = _with_examples(found, instance, launch, settings, device, kernel, problems)
    annotated = _annotated(found, kernel, settings, why)
    if settings.laws:
        annotated = _lawful(annotated, instance, device, kernel, problems)
    timed = _timed(annotated, result.measured, kernel, settings, device, problems)
    return Outcome((OfLaunch(0, timed, result.measured),), tuple(problems), ())


def _with_examples(
    result: facts.Kernel,
    instance: ir.Kernel,
    launch: facts.Launch,
    settings: Settings,
    device: Device,
    kernel: resolve.Known,
    problems: list[Problem],
) -> facts.Kernel:
    """With the faults that show under example sizes."""
    from kernlint.execution.run import example_faults

    with phase("execute and count"):
        step = partial(example_faults, instance, launch, device, settings.budget)
        found = attempt(step, kernel.span, kernel.name, problems) or ()
    return replace(result, faults=(*result.faults, *found)) if found else result


def _lawful(
    result: facts.Kernel,
    instance: ir.Kernel,
    device: Device,
    kernel: resolve.Known,
    problems: list[Problem],
) -> facts.Kernel:
    """With a law for each access."""
    from kernlint.laws.law_facts import with_laws

    step = partial(with_laws, result, instance, device)
    return attempt(step, kernel.span, kernel.name, problems) or result


def _canonical(
    program: AnyProgram, handle: Any, stated: Sequence[LaunchDirective], problems: list[Problem]
) -> list[LaunchDirective]:
    """The directives with their template arguments as the kernel's instances name them; those that
    cannot be met become problems."""
    found: list[LaunchDirective] = []
    for directive in stated:
        try:
            given = directive.template_arguments
            found.append(
                directive
                if given is None
                else replace(directive, template_arguments=program.canonical(handle, given))
            )
        except SourceError as error:
            problems.append(
                Problem(
                    assumptions.INVALID,
                    directive.span,
                    f"launch directive: {error.message}",
                    handle.qualified_name,
                )
            )
    return found


def _requested(program: AnyProgram, handle: Any, given: tuple[str, ...]) -> tuple[str, ...]:
    """The template arguments of --kernel as the kernel's instances name them."""
    try:
        return program.canonical(handle, given)
    except SourceError as error:
        raise UsageError(f"--kernel: {error.message}") from None


def _instance(
    program: AnyProgram,
    handle: Any,
    wanted: _Specialization,
    known: dict[_Specialization, ir.Kernel | None],
    kernel: resolve.Known,
    problems: list[Problem],
) -> ir.Kernel | None:
    """The kernel lowered once for each list of template arguments and each size of cluster, when
    the first launch with it comes; None where it cannot be."""
    if wanted not in known:
        arguments, cluster = wanted
        with phase("lower kernels"):
            known[wanted] = attempt(
                partial(program.instantiate, handle, arguments or None, cluster),
                kernel.span,
                kernel.name,
                problems,
            )
    return known[wanted]


def _given(
    program: Program, stated: Directives, settings: Settings
) -> tuple[Mapping[str, int], ...]:
    """By kernel, what is said of its arguments' values elsewhere than in host code."""
    known = [resolve.known(handle) for handle in program.kernels()]
    by_directive = resolve.directives_of(known, stated.launches)
    by_directive |= resolve.configured(known, (*stated.header, *settings.stated), by_directive)
    return resolve.given_arguments(
        len(known), by_directive, resolve.assumptions_of(known, stated.assumptions), settings.launch
    )


def _host_launches(
    program: Program,
    given: tuple[Mapping[str, int], ...],
    gathered: Gathered,
    recall: Recall,
    overrides: LaunchOverrides,
) -> list[tuple[Any, facts.Launch]]:
    handles = program.kernels()
    hosted = recall.host(repr(given), partial(_hosted, program, given))
    gathered.parameters.update(hosted.settable)
    gathered.problems += [
        problem for problem in hosted.problems if resolve.concerns(problem, overrides)
    ]
    return [(handles[reached.position], reached.launch) for reached in hosted.launches]


def _hosted(program: Program, given: tuple[Mapping[str, int], ...]) -> Hosted:
    """Host code is followed for the launches it makes; what the program says of it goes with
    them."""
    from kernlint.execution.host.launches import launches, settable

    problems: list[Problem] = []
    open_names: dict[str, facts.ArgumentType] = {}
    found: list[tuple[Any, facts.Launch]] = []
    start, before = Span(program.unit.path, 1, 1, 1, 1), len(program.problems)
    positions = {id(handle): position for position, handle in enumerate(program.kernels())}

    def said(kernel: Any) -> Mapping[str, int]:
        position = positions.get(id(kernel.template))
        return given[position] if position is not None else {}

    functions = attempt(program.host_functions, start, "", problems) or []
    for function in functions:
        made: list[tuple[Any, facts.Launch]] = []
        open_names |= settable(function)
        with deadline.share(ROOT_SHARE if len(functions) > 1 else 1):
            step = partial(launches, function, problems, said, made)
            attempt(step, function.span, function.name, problems)
        if not function.is_reached:  # for kernels that nothing else launches
            launched = {id(handle.template) for handle, _ in found}
            made = [one for one in made if id(one[0].template) not in launched]
        found += made
    problems += program.problems[before:]
    del program.problems[before:]
    known = [
        (positions.get(id(handle.template)), resolve.placed(launch, program.unit.path))
        for handle, launch in found
    ]
    return Hosted(
        tuple(
            ReachedLaunch(position, launch) for position, launch in known if position is not None
        ),
        tuple(problems),
        tuple(open_names.values()),
    )


def _shaped(
    launch: facts.Launch, instance: ir.Kernel, kernel: resolve.Known
) -> tuple[facts.Launch, str]:
    """The launch with the block that the kernel itself suggests where none is known, and what
    suggests it, in words; the rest as the kernel's own conditions want it."""
    from kernlint.launches import preconditions
    from kernlint.launches.likely_block import likely_block

    why = ""
    bounds = instance.launch_bounds or kernel.launch_bounds
    bound = bounds[0] if bounds else None
    is_beyond = bound is not None and math.prod(launch.block) > bound
    if launch.block_assumed and (is_beyond or not launch.block_origin):
        block, why = likely_block(instance, bound)
        launch = replace(launch, block=block, block_origin="")
    narrowed, told = preconditions.met(launch, instance)
    fitting = assumptions.fitting(narrowed, argument_types.types([instance]))
    return fitting, told or (why if narrowed.block_assumed else "")


def _annotated(
    result: facts.Kernel, kernel: resolve.Known, settings: Settings, why: str
) -> facts.Kernel:
    launch = result.launch
    if launch.grid is not None and not launch.block_assumed:
        return result
    x, y, z = launch.block
    source = (
        f"kernlint's assumption ({why})"
        if why
        else resolve.block_source(kernel, launch, settings.launch)
    )
    text = f"block {x}x{y}x{z} from {source}" + (
        "" if launch.grid is not None else ", grid unknown"
    )
    told = replace(result, launch=replace(launch, block_origin=source))
    return (
        told if text in told.assumptions else replace(told, assumptions=(*told.assumptions, text))
    )


def _timed(
    result: facts.Kernel,
    measured: Measured | None,
    kernel: resolve.Known,
    settings: Settings,
    device: Device,
    problems: list[Problem],
) -> facts.Kernel:
    """With an estimate of its time, where that was asked for."""
    if measured is None:
        return result
    from kernlint.estimate.model import assessed

    full = (
        f"{kernel.name}<{', '.join(result.template_arguments)}>"
        if result.template_arguments
        else kernel.name
    )
    registers = next(
        (
            settings.registers[name]
            for name in (full, kernel.name, "")
            if name in settings.registers
        ),
        None,
    )
    found = attempt(
        partial(assessed, result, measured, device, registers),
        kernel.span,
        kernel.name,
        problems,
    )
    return found or replace(result, estimate="its estimate failed")


def _beyond(count: int, settings: Settings, kernel: resolve.Known) -> list[Problem]:
    """What is said of the launches over the limit."""
    left = count - settings.max_launches
    if left <= 0:
        return []
    words = {"left": left, "all": count, "name": kernel.name, "limit": settings.max_launches}
    return [gave_up("launches", kernel.span, kernel.name, **words)]


def _left_out(reason: str, count: int, kernel: resolve.Known) -> list[Problem]:
    """What is said of instances or launches for which others left no time."""
    if not count:
        return []
    return [gave_up(reason, kernel.span, kernel.name, left=count, name=kernel.name)]


def attempt(step: Callable[[], T], where: Span, kernel: str, problems: list[Problem]) -> T | None:
    """Run one step of the pipeline; None and a problem when it fails. The one place where failures
    of kernlint itself are caught."""
    what = f"`{kernel}`" if kernel else "this file"
    try:
        return step()
    except SourceError as error:
        problems.append(Problem(error.code, error.span, error.message, kernel, reason=error.reason))
    except UsageError:
        raise
    except OutOfTime:
        problems.append(gave_up("time", where, kernel, what=f"analysis of {what}"))
    except RecursionError:
        problems.append(gave_up("nesting", where, kernel, what=what))
    except Exception as error:
        problems.append(
            gave_up("fault", where, kernel, what=f"analysis of {what}", error=_fault(error))
        )
    return None


def _fault(error: Exception) -> str:
    """The exception in words, with the innermost line of kernlint it passed through, for a bug
    report."""
    place, trace = "", error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if f"{os.sep}kernlint{os.sep}" in name:
            place = f" ({os.path.basename(os.path.dirname(name))}/{os.path.basename(name)}:{trace.tb_lineno})"
        trace = trace.tb_next
    text = str(error).splitlines()[0] if str(error) else ""
    return f"{type(error).__name__}{': ' + text if text else ''}{place}"


def require_device(settings: Settings) -> Device:
    """The device profile; UsageError where there is none of that name, or where a block as stated
    cannot run on it."""
    from kernlint import hardware

    try:
        profile = hardware.device(settings.device)
    except ValueError as error:
        raise UsageError(f"{error}; see `kernlint devices`") from None
    block = settings.launch.block
    over = block and hardware.excess(block, None, profile.limits)
    if block and over:
        raise UsageError(
            f"--block {'x'.join(map(str, block))}: {over.what}; {profile.title} allows at most {over.most:,}"
        )
    return profile


def require_answer(answers: Sequence[Answer], settings: Settings) -> None:
    """A --kernel or --arg that names nothing is a mistake in the request, not a clean result."""
    types = [type_ for found in answers for type_ in found.parameters]
    parameters = {type_.name for type_ in types}
    wrong = sorted(set(settings.launch.arguments) - parameters)
    if parameters and wrong:
        close = meant(wrong[0], parameters) or f"; they have {listed(sorted(parameters))}"
        raise UsageError(
            f"--arg {wrong[0]}: no kernel or launch analysed has an argument of this name{close}"
        )
    if refused := argument_types.refused(settings.launch.arguments, types):
        raise UsageError(f"--arg {refused}")
    wanted = kernel_name(settings.kernel)[0] if settings.kernel else ""
    if not wanted or any(
        resolve.is_named(name, wanted) for found in answers for name in found.kernels
    ):
        return
    known = sorted({name for found in answers for name in found.words})
    raise UsageError(
        f"--kernel {settings.kernel}: no such kernel in the files given{meant(wanted, known)}"
    )
