"""Rule pages and checks belong together one to one, and every page says what a page must say."""

from __future__ import annotations

import ast
import functools
import re
from pathlib import Path

import pytest

from kernlint import checks
from kernlint.base.usage import UsageError
from kernlint.checks import rules, run, selection
from tests.places import ROOT

PAGES = rules.rules()
FOLDER = ROOT / "rules"


def test_checks_and_pages_match() -> None:
    assert {code for code, _ in (*run.FILE_CHECKS, *run.KERNEL_CHECKS)} | selection.META == set(
        PAGES
    )


@pytest.mark.parametrize("code", PAGES)
def test_a_page_is_complete(code: str) -> None:
    rule = PAGES[code]
    assert re.fullmatch(r"KL\d{3}", code) and re.fullmatch(
        r"[a-z][a-z0-9]*(-[a-z0-9]+)*", rule.name
    )
    assert (FOLDER / f"{code}-{rule.name}.md").is_file()
    assert rule.page.startswith(f"# {rule.name} ({code})\n")
    headings = re.findall(r"^## (.+)$", rule.page, re.M)
    assert headings == ["What it finds", "Why it costs", "How to fix", "Examples"]
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", rule.page, re.M | re.S)
    assert {language for language, _ in blocks} <= {"cuda", "opencl"}
    assert any(f"expect: {code}" in text for _, text in blocks), "a bad example"
    assert any("expect:" not in text for _, text in blocks), "a good example"
    assert rule.summary.endswith(".") and len(rule.summary) < 120


@functools.cache
def texts_of_checks() -> set[str]:
    """Every constant text in the modules of checks."""
    text = "".join(
        path.read_text(encoding="utf-8") for path in Path(checks.__path__[0]).rglob("*.py")
    )
    return {
        node.value
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


@pytest.mark.slow
@pytest.mark.parametrize("code", PAGES)
def test_thresholds_are_used_and_explained(code: str) -> None:
    assert set(PAGES[code].thresholds) <= texts_of_checks()


def test_names_and_codes_are_unique() -> None:
    words = [word for rule in PAGES.values() for word in (rule.code, rule.name, *rule.aliases)]
    assert len(words) == len(set(words))


@pytest.mark.parametrize(
    ("word", "codes"),
    [
        ("KL101", {"KL101"}),
        ("kl101", {"KL101"}),
        ("shared-bank-conflict", {"KL101"}),
        ("KL00", {"KL001", "KL002", "KL003"}),
        ("meta", {"KL001", "KL002", "KL003", "KL090", "KL091", "KL092", "KL093"}),
        ("synchronization", {"KL401", "KL402", "KL403", "KL404"}),
        ("all", set(PAGES)),
        ("arithmetic", {"KL701", "KL702", "KL703", "KL704"}),
    ],
)
def test_selectors(word: str, codes: set[str]) -> None:
    assert rules.matching(word) == codes


NEAR = [
    ("KL4O1", "KL401"),
    ("kl110", "KL101"),
    ("KL1011", "KL101"),
    ("shared-bank-conflct", "shared-bank-conflict"),
    ("devergence", "divergence"),
]


@pytest.mark.parametrize(("word", "hint"), NEAR)
def test_unknown_selectors_suggest_the_nearest(word: str, hint: str) -> None:
    with pytest.raises(UsageError, match=f"did you mean '{hint}'"):
        rules.matching(word)


@pytest.mark.parametrize("word", ["KL999", "KL777", "KL", "foo", "bankrupt"])
def test_nothing_is_suggested_where_nothing_is_near(word: str) -> None:
    with pytest.raises(UsageError) as told:
        rules.find(word)
    assert str(told.value) == f"unknown rule '{word}'; `kernlint rules` lists them"


def test_front_matter_errors_name_the_page() -> None:
    with pytest.raises(ValueError, match=r"page\.md: no front matter"):
        rules.parse("# nothing", "page.md")
    with pytest.raises(ValueError, match=r"page\.md: severity 'bad'"):
        rules.parse(
            '+++\ncode = "KL101"\nname = "x"\nseverity = "bad"\ndefault = true\nsummary = ""\n+++\n',
            "page.md",
        )
