"""Questions of users, and kernels in their manner, each with what an expert answers: exactly the
findings at the default severity that the comments of the file expect.

`// expect: KL101 32 wavefronts` at the end of a line: a finding of that code on that line whose
message, notes or help hold the words. Several are separated by `;`, several parts of one by `|`;
`none`: nothing is expected. Files without such a comment belong to other tests, and so do faults
(KL8xx): many a question is about code that races besides.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kernlint.checks.run import check_file
from kernlint.checks.selection import selected_rules
from kernlint.model.finding import Finding
from kernlint.model.settings import Selection, Settings
from kernlint.pipeline import engine
from kernlint.source import files
from tests.checks.test_rule_pages import expected
from tests.places import DATA

pytestmark = pytest.mark.slow

CASES = DATA / "cases"


def paths(folder: str) -> list[str]:
    found = (CASES / folder).iterdir()
    return sorted(
        f"{folder}/{path.name}"
        for path in found
        if path.suffix in (".cu", ".cl") and "// expect:" in path.read_text(encoding="utf-8")
    )


def default_findings(path: Path) -> list[Finding]:
    source = files.from_bytes(path.name, path.read_bytes())
    report = engine.analyse((), Settings(), stdin=source)
    found = check_file(report.files[0], report.device, selected_rules(Selection()))
    return [f for f in found if f.severity != "info" and not f.code.startswith("KL8")]


def unanswered(path: Path) -> Iterator[str]:
    """What is expected and not said, and what is said and not expected."""
    got = default_findings(path)
    wanted = [one for one in expected(path.read_text(encoding="utf-8")) if one[1] != "none"]
    places, told = [(f.span.line, f.code) for f in got], [(line, code) for line, code, _ in wanted]
    yield from (f"{f.span.line}: {f.code} {f.message}" for f in got if place(f) not in told)
    for line, code, parts in wanted:
        texts = [
            " ".join((f.message, *f.notes, f.help or "")) for f in got if place(f) == (line, code)
        ]
        wanting = [part.strip() for part in parts.split("|")]
        if not any(all(part in text for part in wanting) for text in texts):
            yield f"not said: {line}: {code} {parts} ({texts or places})"


def place(finding: Finding) -> tuple[int, str]:
    return finding.span.line, finding.code


@pytest.mark.parametrize("name", paths("questions"))
def test_question(name: str) -> None:
    assert list(unanswered(CASES / name)) == []


@pytest.mark.parametrize("name", [*paths("variants"), *paths("forum"), *paths("user")])
def test_variant(name: str) -> None:
    assert list(unanswered(CASES / name)) == []
