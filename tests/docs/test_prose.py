"""Words that users should not meet: the project's old dialect, each with what to write instead.

Scanned are the string literals of kernlint but its docstrings, which users do not see, the rule
pages, the documentation and the README.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.places import ROOT

pytestmark = pytest.mark.uncompiled

DIALECT = {
    "(?:is|are|was|were) told": "is reported",
    "way out": "how to fix it",
    "mend(?:s|ed|ing)?": "fix",
    "makes? no sense": "is not valid, usage error",
    "is no finding": "is not reported",
    "there (?:is|are) none": "kernlint found no …",
    "turns? of (?:a|the|its|their) loops?": "iterations",
    "arms": "branches, paths",
    "for ever": "forever",
    "a fault of kernlint": "an internal error",
    "person's eye": "needs review",
    "files seen": "analysed files",
    "nothing seen": "no analysed file",
    "takes? out of": "removes from",
    "taken out of": "removed from",
    r"where \d+ suffices?": "instead of …",
    "in the place of": "in place of",
}
WORDS = {word: re.compile(rf"(?<![\w-]){word}(?![\w-])") for word in DIALECT}
EXCEPTIONS = (  # texts that may use such a word, and why
    "`null` if there is none",  # of a key in JSON
    "(why there are none)",  # of figures in JSON
)
PAGES_APART = {
    "judged-findings.md",  # quotes the messages as they were when they were judged
}
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "rules").glob("*.md")),
    *(page for page in sorted((ROOT / "docs").glob("*.md")) if page.name not in PAGES_APART),
]
MODULES = sorted((ROOT / "kernlint").rglob("*.py"))


def literals(path: Path) -> Iterator[str]:
    """The string literals of a module but docstrings, each on one line."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    apart = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in apart:
            yield " ".join(node.value.split())


def dialect(text: str) -> list[str]:
    """The words of the dialect in a text."""
    for allowed in EXCEPTIONS:
        text = text.replace(allowed, "")
    return [match[0] for pattern in WORDS.values() if (match := pattern.search(text))]


def test_the_dialect_is_found() -> None:
    assert dialect("What is slow, and the way out") and dialect("KL101 is told twice")
    assert not dialect("a swarm's alarms are amended; `null` if there is none")


@pytest.mark.slow
def test_messages_and_help_are_free_of_dialect() -> None:
    found = [
        (path.relative_to(ROOT).as_posix(), text, words)
        for path in MODULES
        for text in literals(path)
        if (words := dialect(text))
    ]
    assert found == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_are_free_of_dialect(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    found = [(n, words) for n, line in enumerate(text.split("\n"), 1) if (words := dialect(line))]
    assert found == []
