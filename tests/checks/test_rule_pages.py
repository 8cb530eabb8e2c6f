"""Every example of every rule page, run through the whole engine: exactly the findings its comments
expect.

`// expect: KL101 words` at the end of a line: a finding of that code on that line whose message
holds the words. Several are separated by `;`. An example's findings are all its warnings and
errors, and the page's own rule at any severity. A line `// device: mi300x` names another device than
the default.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import pytest

from kernlint.checks import rules
from kernlint.checks.run import check_file
from kernlint.checks.selection import selected_rules
from kernlint.linting.lint import lint
from kernlint.model.finding import Finding
from kernlint.model.settings import Selection, Settings
from kernlint.model.verdict import judged
from kernlint.pipeline import engine
from kernlint.source import files
from kernlint.source.sources import Sources

FENCE = re.compile(r"^```(?P<language>cuda|opencl)\n(?P<text>.*?)^```$", re.M | re.S)
DEVICE = re.compile(r"^// device: (\S+)$", re.M)
SUFFIX = {"cuda": ".cu", "opencl": ".cl"}


@dataclass(frozen=True)
class Example:
    code: str
    number: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.code}-{self.number}-{self.language}"


def examples() -> list[Example]:
    return [
        Example(rule.code, number, match["language"], match["text"])
        for rule in rules.rules().values()
        for number, match in enumerate(FENCE.finditer(rule.page), 1)
    ]


def expected(text: str) -> list[tuple[int, str, str]]:
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        _, marker, wanted = line.partition("// expect:")
        for part in wanted.split(";") if marker else []:
            code, _, words = part.strip().partition(" ")
            found.append((number, code, words.strip()))
    return found


def findings(example: Example) -> list[Finding]:
    source = files.from_bytes(f"{example.code}{SUFFIX[example.language]}", example.text.encode())
    named = DEVICE.search(example.text)
    settings = Settings(estimate=True)
    if named is not None:
        settings = replace(settings, device=named[1])
    report = engine.analyse((), settings, stdin=source)
    everything = Selection(select=("all",), severity="info")
    found = check_file(report.files[0], report.device, selected_rules(everything))
    outcome = lint(
        [judged(report.files[0], found)], Sources.of(report.files), lambda path: everything
    )
    return [
        finding
        for finding in outcome.findings
        if finding.severity != "info" or finding.code == example.code
    ]


@pytest.mark.parametrize("example", examples(), ids=str)
def test_example(example: Example) -> None:
    got = findings(example)
    wanted = expected(example.text)
    told = "\n".join(f"{f.span.line}: {f.code} {f.message}" for f in got)
    assert sorted((f.span.line, f.code) for f in got) == sorted(
        (line, code) for line, code, _ in wanted
    ), told
    for line, code, words in wanted:
        assert any(f.span.line == line and f.code == code and words in f.message for f in got), told
