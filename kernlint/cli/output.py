"""What the commands share: the analysis with a progress bar, and where the result goes.

Goes in: a request, the project. Comes out: reports, open streams. Raises `UsageError` only.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TextIO

from kernlint.base.usage import DEFAULT_DEVICE, HIP_DEVICE, UsageError, beside
from kernlint.cli.requests import STANDARD_INPUT, AnalysisRequest
from kernlint.configuration import device_of_file
from kernlint.render.style import Style, style_for

if TYPE_CHECKING:
    from kernlint.base.span import Problem
    from kernlint.configuration.project import Project
    from kernlint.memo.disk import Cache
    from kernlint.model import facts
    from kernlint.model.verdict import Judged
    from kernlint.pipeline.workers import Result, Work

    Runner = Callable[[Sequence[Work]], list[Result]]


def analysed(request: AnalysisRequest, project: Project) -> facts.Report:
    """The facts of every path on the command line, each file under its own configuration."""
    from kernlint.model import facts

    works = works_of(request, project, with_findings=False)
    found = tuple(
        result for result in _run(request, project, works) if isinstance(result, facts.File)
    )
    return facts.Report(device_of_file.of_run(work.settings.device for work in works), found)


def judged(
    request: AnalysisRequest, project: Project, works: list[Work], with_facts: bool
) -> tuple[list[Judged], facts.Report]:
    """The findings of every file, and a report on the run's device: of the facts that they were
    found in, or of no files."""
    from kernlint.model import facts
    from kernlint.model.settings import Selection
    from kernlint.model.verdict import Judged
    from kernlint.pipeline import workers

    device = device_of_file.of_run(work.settings.device for work in works)
    if not with_facts:
        results = _run(request, project, works)
        return [result for result in results if isinstance(result, Judged)], facts.Report(
            device, ()
        )
    bare = [
        replace(work, selection=None, settings=replace(work.settings, estimate=True))
        for work in works
    ]
    files = [result for result in _run(request, project, bare) if isinstance(result, facts.File)]
    both = zip(files, works, strict=True)
    found = [
        workers.reviewed(
            workers.judge(file, work.settings, work.selection or Selection()), work, file
        )
        for file, work in both
    ]
    return found, facts.Report(device, tuple(files))


def works_of(request: AnalysisRequest, project: Project, with_findings: bool) -> list[Work]:
    from kernlint.checks.selection import needs_estimate
    from kernlint.cli import options
    from kernlint.configuration.project import selection, settings
    from kernlint.fixing.review import review
    from kernlint.pipeline.workers import Work
    from kernlint.source import files

    launch, registers, usual = (
        options.launch(request),
        options.registers(request),
        _device(request, project),
    )
    required(request.paths)
    found: list[tuple[str, files.Source | None]] = []
    if request.reads_stdin:
        name = request.stdin_name
        found.append(
            (
                name,
                files.from_bytes(
                    name, sys.stdin.buffer.read(), project.values(name).get("language")
                ),
            )
        )
    else:
        found += [
            (path, None if trouble is None else files.Source(path, "cuda", None, (trouble,)))
            for path, trouble in collected(request.paths, project)
        ]
    works: list[Work] = []
    for path, source in found:
        values = project.values(path)
        chosen = selection(values) if with_findings else None
        how = replace(
            settings(values, launch, request.kernel),
            # whoever gives registers has them counted (KL605)
            estimate=request.estimates
            or bool(registers)
            or (chosen is not None and needs_estimate(chosen)),
            compile_stage=request.compile_stage,
            laws=request.derives_laws,
            registers=registers,
        )
        source = source or files.read(path, how.language)
        works.append(
            Work(
                source,
                replace(how, device=device_of_file.device(source, values, usual)),
                chosen,
                review,
            )
        )
    _agree(project, works)
    return works


def _agree(project: Project, works: Sequence[Work]) -> None:
    """UsageError where configuration files name several devices; HIP whose device nobody names has
    its own."""
    some = [work for work in works if not _is_silent_hip(work, project)]
    for work in some:
        if work.settings.device != some[0].settings.device:
            both = (
                f"{work.settings.device}, that of {some[0].source.path} {some[0].settings.device}"
            )
            raise UsageError(
                f"device: that of {work.source.path} is {both}: run them apart, or give --device"
            )


@contextmanager
def runner(request: AnalysisRequest) -> Iterator[Runner]:
    """What analyses many texts: with workers, the cache and one progress bar as the request says."""
    from kernlint.base.progress import Progress
    from kernlint.pipeline import workers

    cache = _cache(request)
    with Progress(sys.stderr) as progress:
        yield lambda works: workers.run(
            works, workers.workers(request.jobs), cache, progress.update
        )


def _cache(request: AnalysisRequest) -> Cache | None:
    from kernlint.memo.disk import FOLDER, Cache

    folder = request.cache_dir or os.environ.get("KERNLINT_CACHE_DIR") or FOLDER
    return None if request.no_cache or request.reads_stdin else Cache(folder)


def _run(request: AnalysisRequest, project: Project, works: list[Work]) -> list[Result]:
    from kernlint.cli import compiler_hint
    from kernlint.linting import repeated_kernels
    from kernlint.model.verdict import Judged, answer
    from kernlint.pipeline import engine

    require_devices(works)
    _tell_device(project, works)
    with runner(request) as run:
        results = repeated_kernels.once(run(works))
    if works:
        answers = [
            result.answer if isinstance(result, Judged) else answer(result, request.kernel)
            for result in results
        ]
        engine.require_answer(answers, works[0].settings)
    compiler_hint.show(works, project, _cache(request), sys.stderr)
    return results


def require_devices(works: Sequence[Work]) -> None:
    """UsageError where a device is not known, or does not take the block that is stated."""
    from kernlint.pipeline import engine

    for settings in {work.settings.device: work.settings for work in works}.values():
        engine.require_device(settings)


def _device(request: AnalysisRequest, project: Project) -> str:
    """The device of files for which none is configured: that of the first path's configuration; HIP
    has another where there is none."""
    return str(project.values(request.first_path).get("device", DEFAULT_DEVICE))


def _tell_device(project: Project, works: Sequence[Work]) -> None:
    """HIP whose device nobody names: which one the numbers are of."""
    silent = [
        work.source.path
        for work in works
        if work.source.text is not None and _is_silent_hip(work, project)
    ]
    if not silent:
        return
    from kernlint.hardware import resolve

    device = resolve(HIP_DEVICE)
    what = silent[0] if len(silent) == 1 else f"{len(silent)} files"
    says = f"{what}: HIP, and no device is given: the numbers are for {device.title}, {device.warp_lanes} lanes a warp"
    print(f"kernlint: {says} (--device NAME, `kernlint devices`)", file=sys.stderr)


def _is_silent_hip(work: Work, project: Project) -> bool:
    return "device" not in project.values(work.source.path) and device_of_file.is_hip(
        work.source, work.settings.language
    )


def collected(paths: Sequence[str], project: Project) -> list[tuple[str, Problem | None]]:
    """Every file below the paths that are there; `ended` tells the others."""
    from kernlint.source import files

    return list(files.collect([path for path in paths if os.path.lexists(path)], project.excluded))


def required(paths: Sequence[str]) -> None:
    """UsageError where nothing that was named is there: no result can be given."""
    gone = _gone(paths)
    if gone and len(gone) == len(set(paths)):
        raise UsageError("\nkernlint: ".join(gone.values()))


def complete(paths: Sequence[str]) -> None:
    """UsageError where anything that was named is not there: a baseline of the rest would be taken
    for one of all."""
    if gone := _gone(paths):
        raise UsageError("\nkernlint: ".join([*gone.values(), "no baseline is written"]))


def ended(paths: Sequence[str], code: int) -> int:
    """A command's exit code: that of a wrong request where a path that was named is not there,
    whatever the others hold."""
    gone = _gone(paths)
    for message in gone.values():
        sys.stdout.flush()
        print(f"kernlint: {message}", file=sys.stderr)
    return 2 if gone else code


def _gone(paths: Sequence[str]) -> dict[str, str]:
    """The paths that are not there, with what is said of each."""
    if tuple(paths) == STANDARD_INPUT:
        return {}
    return {
        path: f"{path}: no such file or folder{beside(path)}"
        for path in paths
        if not os.path.lexists(path)
    }


def show(request: AnalysisRequest, project: Project) -> int:
    """--show-files and --show-settings."""
    required(request.paths)
    with opened(request.output_file, request.color) as (stream, _):
        for path, problem in (
            [(request.stdin_name, None)]
            if request.reads_stdin
            else collected(request.paths, project)
        ):
            if request.show_files and problem is None:
                stream.write(f"{path}\n")
            if request.show_settings:
                stream.write(f"{path}\n")
                stream.write(
                    "".join(f"  from {os.path.relpath(name)}\n" for name in project.files(path))
                )
                stream.write("".join(f"  {line}\n" for line in _settings(request, project, path)))
    return ended(request.paths, 0)


def _settings(request: AnalysisRequest, project: Project, path: str) -> Iterator[str]:
    """What is set for a path, then the defaults in force."""
    from kernlint.configuration.keys import KEYS
    from kernlint.source import files

    given = project.values(path)
    language = given.get("language")
    source = (
        files.Source(path, language or "cuda", None)
        if request.reads_stdin
        else files.read(path, language)
    )
    defaults = {name: key.default for name, key in KEYS.items() if key.default is not None}
    defaults["device"] = device_of_file.device(source, given, _device(request, project))
    yield from (f"{name} = {_shown(value)}" for name, value in sorted(given.items()))
    yield from (
        f"{name} = {_shown(value)}  (default)"
        for name, value in sorted(defaults.items())
        if name not in given
    )
    yield "no other key is set (`kernlint config` lists them)"


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{name} = {_shown(item)}" for name, item in value.items()) + " }"
    if isinstance(value, tuple | list):
        return "[" + ", ".join(_shown(item) for item in value) + "]"
    if hasattr(value, "kernel"):  # a launch directive
        facts_ = {
            "grid": value.grid,
            "block": value.block,
            "dynamic-shared": value.dynamic_shared_bytes,
            "args": value.arguments or None,
        }
        return f"{value.kernel} " + _shown(
            {name: item for name, item in facts_.items() if item is not None}
        )
    if hasattr(value, "offset_bytes"):  # a pointer
        return json.dumps(f"+{value.offset_bytes}")
    return json.dumps(value)


@contextmanager
def opened(path: str | None, color: str | None) -> Iterator[tuple[TextIO, Style]]:
    """The stream for a result, standard output when no file is named or `-` is, and how text may
    look there."""
    choice = color or "auto"
    if not path or path == "-":
        yield sys.stdout, style_for(sys.stdout, choice)
        return
    try:
        with open(path, "w", encoding="utf-8") as file:
            yield file, Style(choice == "always")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from None


def as_json(value: object) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False, default=dict) + "\n"
