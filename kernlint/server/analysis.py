"""A document's facts and findings under its own configuration, as often as it changes.

Goes in: path and text. Comes out: an `Analysis`. Knows nothing of the protocol.
"""

from __future__ import annotations

from dataclasses import replace

from kernlint import engine, facts, files
from kernlint.checks.finding import Finding
from kernlint.checks.run import check_file
from kernlint.checks.selection import selected_rules
from kernlint.configuration.project import Project, selection, settings
from kernlint.hardware import Device, resolve
from kernlint.linting.judged import Judged, answer
from kernlint.linting.lint import lint
from kernlint.records import dataclass
from kernlint.render.sources import Sources
from kernlint.server.memory import Memory
from kernlint.settings import LaunchOverrides, Settings
from kernlint.source.span import Problem, Span
from kernlint.usage import HIP_DEVICE, UsageError


@dataclass(frozen=True, slots=True)
class Analysis:
    """`trouble`: what is wrong with the configuration, "" where nothing is; the file is then analysed without one."""

    path: str
    text: str
    file: facts.File
    findings: tuple[Finding, ...]
    device: Device
    trouble: str = ""


class Documents:
    """Analyses documents, remembering each one's kernels between edits."""

    def __init__(self) -> None:
        self._memories: dict[str, tuple[Settings, Memory]] = {}

    def forget(self, path: str | None = None) -> None:
        """Drop what is remembered of a file; of all files where a header or a configuration may have changed."""
        if path is None:
            self._memories.clear()
        else:
            self._memories.pop(path, None)

    def analyse(self, path: str, text: str) -> Analysis:
        project, trouble = Project({}), ""
        try:
            values = project.values(path)
        except UsageError as error:
            project, trouble = Project({}, isolated=True), str(error)
            values = {}
        how, which = replace(settings(values, LaunchOverrides(), None), estimate=True), selection(values)
        if "device" not in values and path.lower().endswith(".hip"):
            how = replace(how, device=HIP_DEVICE)
        try:
            engine.require_device(how)
        except UsageError as error:
            trouble, how = str(error), replace(how, device=Settings().device)
        source = files.from_bytes(path, text.encode("utf-8", "surrogatepass"), how.language)
        file = engine.analyse_source(source, how, self._memory(path, how))
        if trouble:
            problem = Problem("KL001", Span(path, 1, 1, 1, 1), f"configuration: {trouble}")
            file = replace(file, problems=(*file.problems, problem))
        found = check_file(file, how.device, selected_rules(which))
        judged = Judged(path, (), tuple(found), answer(file), ())
        findings = lint([judged], Sources({path: source.text or ""}), lambda _: which).findings
        return Analysis(path, source.text or "", file, findings, resolve(how.device), trouble)

    def _memory(self, path: str, how: Settings) -> Memory:
        known = self._memories.get(path)
        if known is None or known[0] != how:
            known = self._memories[path] = (how, Memory())
        return known[1]
