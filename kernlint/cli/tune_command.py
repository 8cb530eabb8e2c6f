"""The `tune` command: files in, ranked forms out, the best layouts written where that is asked for.

Goes in: a request. Comes out: text or JSON, changed files, an exit code. Raises `UsageError`
only.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace

from kernlint.base.usage import CHANGES, UsageError
from kernlint.cli import options, output
from kernlint.cli.requests import TuneRequest
from kernlint.pipeline.workers import Result, Work
from kernlint.render import tuning_json, tuning_text
from kernlint.source.edits import applied, difference, write
from kernlint.tuning.figures import better
from kernlint.tuning.search import Option, Tuned, tune


def command(request: TuneRequest) -> int:
    project = options.project(request)
    if request.shows:
        return output.show(request, project)
    kinds = _kinds(request)
    found: list[Tuned] = []
    with output.runner(request) as run:
        for work in output.works_of(request, project, with_findings=False):
            found.append(_tuned(work, kinds, run))
    if request.apply:
        for one in found:
            _apply(one)
    with output.opened(request.output_file, request.color) as (stream, style):
        if request.diff:
            stream.writelines(line for one in found for line in _diff(one))
        elif request.output_format == "json":
            stream.write(output.as_json(tuning_json.to_json(found)))
        elif not request.apply:
            stream.write(tuning_text.render(found, style))
    if request.diff or request.apply or request.output_format == "json":
        _print_problems(found)
    return output.ended(
        request.paths, int(not all(problem.note for one in found for problem in one.problems))
    )


def _tuned(work: Work, kinds: Sequence[str], run: output.Runner) -> Tuned:
    settings = replace(work.settings, estimate=True)
    if work.source.text is None:
        return Tuned(work.source.path, "", settings.device, (), work.source.problems)
    if work.source.language == "ptx":
        raise UsageError(
            f"{work.source.path}: PTX cannot be tuned: name the source that it was made of"
        )

    def every(works: Sequence[Work]) -> Sequence[Result]:
        return run(works)

    return tune(work.source, settings, kinds, every)


def _kinds(request: TuneRequest) -> tuple[str, ...]:
    named = [word.strip() for text in request.only for word in text.split(",") if word.strip()]
    for word in named:
        if word not in CHANGES:
            raise UsageError(f"--only {word}: not one of {', '.join(CHANGES)}")
    return tuple(named) or CHANGES


def chosen(tuned: Tuned) -> list[tuple[str, Option]]:
    """The best layout of each array that has a better one; all of them, where together they cost no
    more than before."""
    best = [(subject.array, subject.best) for subject in tuned.subjects if subject.array]
    found = [(name, option) for name, option in best if option is not None]
    if len(found) < 2:
        return found
    before, after = tuned.together_baseline, tuned.together
    if before is not None and after is not None and better(after.figures, before):
        return found
    return found[:1]


def changed(tuned: Tuned) -> str:
    """The text with the best layouts."""
    edits = [edit for _, option in chosen(tuned) for edit in option.edits]
    new = applied(tuned.text, edits)
    return tuned.text if new is None else new


def _apply(tuned: Tuned) -> None:
    some = chosen(tuned)
    if some:
        write(tuned.path, changed(tuned))
    for name, option in some:
        print(f"{tuned.path}: `{name}`: {option.title}", file=sys.stderr)
    if not some:
        print(
            f"{tuned.path}: no layout that was tried is better than the present one",
            file=sys.stderr,
        )


def _diff(tuned: Tuned) -> Iterator[str]:
    yield from difference(tuned.text, changed(tuned), tuned.path)


def _print_problems(found: Sequence[Tuned]) -> None:
    for one in found:
        for problem in one.problems:
            place = f"{problem.span.path}:{problem.span.line}:{problem.span.column}"
            print(
                f"{place}: {'info' if problem.note else 'warning'}: {problem.message} [{problem.code}]",
                file=sys.stderr,
            )
