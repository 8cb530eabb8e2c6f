"""A document's facts and findings under its own configuration, as often as it changes.

Goes in: path and text. Comes out: an `FileAnalysis`. Knows nothing of the protocol.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace

from kernlint.base import deadline
from kernlint.base.dataclass import dataclass
from kernlint.base.span import Problem, Span
from kernlint.base.usage import UsageError
from kernlint.checks.run import check_file, check_kernels
from kernlint.checks.selection import selected_rules
from kernlint.configuration import device_of_file
from kernlint.configuration.project import Project, selection, settings
from kernlint.fixing.objections import held_back
from kernlint.hardware import Device, resolve
from kernlint.launches.resolve import Known
from kernlint.linting.lint import lint
from kernlint.model import facts
from kernlint.model.finding import Finding
from kernlint.model.settings import LaunchOverrides, Selection, Settings
from kernlint.model.verdict import judged
from kernlint.pipeline import engine
from kernlint.server.incremental import OutcomeMemory, Session, Stamp
from kernlint.server.sharing import Sharing
from kernlint.server.stages import Stages
from kernlint.server.worker_pool import Crew
from kernlint.source import files
from kernlint.source.sources import Sources

UNUSED = "KL090"  # a suppression that silences nothing: not known before all kernels are


@dataclass(frozen=True, slots=True)
class FileAnalysis:
    """`trouble`: what is wrong with the configuration, "" where nothing is; the file is then
    analysed without one. `missing`: the kernels that are still under way; facts and findings are
    those of the others. `is_promised`: the fixer has no objection to any edit that the findings
    offer; before that it may have some to longer rows."""

    path: str
    text: str
    file: facts.File
    findings: tuple[Finding, ...]
    device: Device
    trouble: str = ""
    missing: tuple[Known, ...] = ()
    is_promised: bool = False
    rules_url: str = ""  # where its configuration says that the rules' pages are served


@dataclass(frozen=True, slots=True)
class _How:
    """The configuration of one document."""

    settings: Settings
    selection: Selection
    trouble: str
    rules_url: str = ""


class Documents:
    """Analyses documents, remembering each one's kernels between edits."""

    def __init__(self, crew: Crew | None = None) -> None:
        self._crew = crew or Crew(0)
        self._memories: dict[str, tuple[_How, OutcomeMemory]] = {}

    def forget(self, path: str) -> None:
        """Drop what is remembered of a file."""
        self._memories.pop(path, None)

    def analyse(
        self, path: str, text: str, show: Callable[[FileAnalysis], None] | None = None
    ) -> FileAnalysis:
        """The whole analysis; `show` gets what is known so far, every now and then before that.
        Raises `deadline.Superseded`."""
        how = _configured(path, text)
        sharing = self._crew.share(path, text, repr(how))
        try:
            return self._analyse(path, text, how, sharing, show)
        finally:
            sharing.end()

    def promised(self, analysis: FileAnalysis) -> FileAnalysis:
        """With the reason in the place of each edit that the fixer would refuse. Raises
        `deadline.Superseded`."""
        how = _configured(analysis.path, analysis.text).settings
        source = _source(analysis.path, analysis.text, how.language)
        with deadline.running(deadline.seconds_for(source.text, how.timeout)):
            findings = held_back(analysis.findings, source, how, analysis.file)
        return replace(analysis, findings=findings, is_promised=True)

    def help(self, path: str, text: str, how: str, sharing: Sharing) -> None:
        """Do what is asked for of a text that another process analyses as `how` says. Raises
        `deadline.Superseded` at its end."""
        own = _configured(path, text)
        if repr(own) == how:
            self._analyse(path, text, own, sharing, None, is_judged=False)

    def _analyse(
        self,
        path: str,
        text: str,
        how: _How,
        sharing: Sharing,
        show: Callable[[FileAnalysis], None] | None,
        is_judged: bool = True,
    ) -> FileAnalysis:
        known, memory = self._memories.get(path), OutcomeMemory()
        headers = {} if known is None else {place: _stamp(place) for place in known[1].headers}

        def stamp(place: str) -> Stamp:
            return headers[place] if place in headers else _stamp(place)

        if known is not None and known[0] == how and headers == known[1].headers:
            memory = known[1]
        self._memories[path] = (how, memory)
        source = _source(path, text, how.settings.language)

        def show_so_far(file: facts.File, missing: Sequence[Known]) -> None:
            if show is not None:
                show(_judged(file, how, session, tuple(missing)))

        def judge(some: facts.File) -> None:
            deque(
                check_kernels(
                    some, how.settings.device, selected_rules(how.selection), session.findings
                ),
                maxlen=0,
            )

        session = Session(
            memory,
            Stages(show and show_so_far, nothing_shown=known is None),
            sharing,
            stamp,
            judge if is_judged else None,
        )
        file = engine.analyse_source(source, how.settings, session)
        return _judged(file, how, session, ())


def _stamp(path: str) -> Stamp:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _source(path: str, text: str, language: str | None) -> files.Source:
    """A document in which nothing is written yet is no mistake."""
    source = files.from_bytes(path, text.encode("utf-8", "surrogatepass"), language)
    return source if text.strip() else replace(source, problems=())


def _configured(path: str, text: str) -> _How:
    project, trouble = Project({}), ""
    try:
        values = project.values(path)
    except UsageError as error:
        trouble = str(error)
        values = {}
    # a compiler is too slow for every pause in typing
    predicted = {**values, "compile": False}
    how = replace(settings(predicted, LaunchOverrides(), None), estimate=True)
    how = replace(how, device=device_of_file.device(_source(path, text, how.language), values))
    try:
        engine.require_device(how)
    except UsageError as error:
        trouble, how = str(error), replace(how, device=Settings().device)
    return _How(how, selection(values), trouble, values.get("rules-url", ""))


def _judged(
    file: facts.File, how: _How, session: Session, missing: tuple[Known, ...]
) -> FileAnalysis:
    path, device, chosen = file.path, how.settings.device, selected_rules(how.selection)
    if how.trouble:
        problem = Problem("KL001", Span(path, 1, 1, 1, 1), f"configuration: {how.trouble}")
        file = replace(file, problems=(*file.problems, problem))
    found = check_file(file, device, chosen, session.findings)
    findings = lint(
        [judged(file, found)], Sources({path: file.text}), lambda _: how.selection
    ).findings
    if missing:
        findings = tuple(finding for finding in findings if finding.code != UNUSED)
    return FileAnalysis(
        path,
        file.text,
        file,
        findings,
        resolve(device),
        how.trouble,
        missing,
        rules_url=how.rules_url,
    )
