"""Suppressions: which lines each form reaches, what is said about wrong ones, and --add-ignore, which must silence all it marks."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernlint import cli
from kernlint.checks import rules
from kernlint.checks.finding import Finding
from kernlint.linting import suppressions
from kernlint.linting.ignoring import with_ignores
from kernlint.source.span import Span

RAN = frozenset(rules.rules())


def on(line: int, code: str = "KL101") -> Finding:
    rule = rules.find(code)
    return Finding(code, rule.name, rule.severity, "message", Span("k.cu", line, 1, line, 5))


def lines_left(text: str, code: str = "KL101") -> list[int]:
    """The lines on which a finding of `code` still shows, and the codes of what is said about the comments themselves."""
    found = [on(number, code) for number in range(1, text.count("\n") + 2)]
    left, _ = suppressions.apply(found, {"k.cu": suppressions.of(text, "k.cu")}, RAN, {})
    return [finding.span.line for finding in left if finding.code == code]


def about(text: str, findings: list[Finding] | None = None) -> list[tuple[int, str]]:
    left, _ = suppressions.apply(findings or [], {"k.cu": suppressions.of(text, "k.cu")}, RAN, {})
    return [(finding.span.line, finding.code) for finding in left if finding.code in suppressions.META]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a;\nb; // kernlint: ignore[KL101]\nc;", [1, 3]),
        ("a;\nb; // kernlint: ignore\nc;", [1, 3]),
        ("a;\nx =\n  y +\n  z; // kernlint: ignore[KL101]\nc;", [1, 5]),  # the whole statement
        ("a;\nx = /* kernlint: ignore[KL101] */ y;\nc;", [1, 3]),
        ("a;\n// kernlint: ignore[KL101]\nb;\nc;", [1, 4]),
        ("a;\n// kernlint: ignore[KL101]\n\nfor (int i = 0; i < 4; ++i)\n  b[i];\nc;", [1, 6]),
        ("a;\n// kernlint: ignore[KL101]\nif (x) {\n  b;\n} else {\n  c;\n}\nd;", [1, 8]),
        ("a;\n// kernlint: ignore[KL101]\ndo {\n  b;\n} while (x);\nd;", [1, 6]),
        ("// kernlint: ignore[shared-memory] why\n__global__ void k() {\n  a;\n}\nvoid g() { b; }", [5]),
        ("// kernlint: ignore[KL1]\nstruct S { int a; };\nint b;", [3]),
        ("// kernlint: ignore[KL101]\n__shared__ float s[2] = {1, 2};\nint b;", [3]),
        ("for (int i = 0; i < 4; i++) { // kernlint: ignore[KL101]\n  a;\n}", [2, 3]),
        ("for (int i = 0;\n     i < 4; i++) // kernlint: ignore[KL101]\n  a;", [3]),
        ("a;\n// kernlint: disable[KL101]\nb;\n// kernlint: enable[KL101]\nc;", [1, 5]),
        ("a;\n// kernlint: disable\nb;\n// kernlint: enable\nc;", [1, 5]),
        (
            "// kernlint: disable[KL101]\na;\n// kernlint: disable[KL201]\nb;\n// kernlint: enable[KL101]\nc; // kernlint: enable[KL201]",
            [6],
        ),
        ("a;\nb;\n// kernlint: file-ignore[KL101] generated", []),
        ("a;\nb; // NOLINT\nc;", [1, 3]),
        ("a;\nb; // NOLINT(kernlint-KL101)\nc;", [1, 3]),
        ("a;\nb; // NOLINT(kernlint-shared-bank-conflict, bugprone-foo)\nc;", [1, 3]),
        ("a;\nb; // NOLINT(kernlint-*)\nc;", [1, 3]),
        ("a;\nb; // NOLINT(*)\nc;", [1, 3]),
        ("a;\nb; // NOLINT(bugprone-*)\nc;", [1, 2, 3]),
        ("a;\n// NOLINTNEXTLINE(KL101)\nb;\nc;", [1, 2, 4]),
        ("a;\n// NOLINTBEGIN(kernlint-*)\nb;\n// NOLINTEND(kernlint-*)\nc;", [1, 5]),
        ('a;\nconst char *s = "// kernlint: ignore";\nc;', [1, 2, 3]),  # no comment
        ("a; // kernlint: ignore[KL201]\nb;", [1, 2]),
        ("a; // NOLINTER\nb; // noLint", [1, 2]),
        ("a; /* kernlint: ignore[KL201] */ /* kernlint: ignore[KL101] */", []),
        ("a; /* kernlint: ignore[KL201] kernlint: ignore[KL101] */", []),
    ],
)
def test_reach(text: str, left: list[int]) -> None:
    assert lines_left(text) == left


SPELLINGS = ["[{}]", " [{}]", "({})", " ({})", " {}", ": {}", ":{}", "={}", " = {}", ", {}"]


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("verb", ["ignore", "disable", "file-ignore"])
@pytest.mark.parametrize("words", ["KL101", "kl101", "KL101, KL102", "shared-bank-conflict", "shared-memory"])
@pytest.mark.parametrize("reason", ["", " one conflict per launch", " */"])
def test_a_rule_in_any_spelling_is_that_rule_alone(spelling: str, verb: str, words: str, reason: str) -> None:
    text = f"a; {'/*' if reason == ' */' else '//'} kernlint: {verb}{spelling.format(words)}{reason}"
    assert (lines_left(text), lines_left(text, "KL201")) == ([], [1])
    assert (1, "KL091") not in about(text)


@pytest.mark.parametrize(
    "text",
    ["ignore-next KL201", "ignore-next-line", "ignore: because", "ignore=", "ignore[]", "ignore( )", "ignore[KL101", "ignore(KL101",
     "ignore KL999", "ignore the KL101 here", "ignore[KL999]", "disable: why", "file-ignore(nothing)", "disable-line"],
)  # fmt: skip
def test_what_is_refused_silences_nothing(text: str) -> None:
    assert lines_left(f"a; // kernlint: {text}") == [1]
    assert [code for _, code in about(f"a; // kernlint: {text}")] == ["KL091"]


def test_a_range_ends_in_the_spelling_that_it_began_in() -> None:
    assert lines_left("// kernlint: disable=KL101\nb;\n// kernlint: enable=KL101\nc;") == [4]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a; // kernlint: ignore[KL101]", [(1, "KL090")]),
        ("a; // kernlint: ignore", [(1, "KL090")]),
        ("a; // NOLINT(KL101)", [(1, "KL090")]),
        ("a; // NOLINT", []),
        ("a; // NOLINT(bugprone-foo)", []),
        ("a; // kernlint: ignore[KL999]", [(1, "KL091")]),
        ("a; // kernlint: ignore[KL101", [(1, "KL091")]),
        ("a; // kernlint: ignroe[KL101]", [(1, "KL091")]),
        ("// kernlint: launch(grid=1, block=32)\n// kernlint: assume(n == 4)", []),
        ("// kernlint: enable[KL101]\na;", [(1, "KL092")]),
        ("// kernlint: disable[KL101]\na;", [(1, "KL092"), (1, "KL090")]),
        ("// NOLINTBEGIN(clang-*)\na;", []),
        ("// kernlint: file-ignore[meta]\na; // kernlint: ignore[KL101]", []),
    ],
)
def test_what_is_said_about_comments(text: str, said: list[tuple[int, str]]) -> None:
    assert about(text) == said


def test_a_needed_comment_is_not_called_unused_nor_one_whose_rule_did_not_run() -> None:
    text = "a; // kernlint: ignore[KL101]"
    assert about(text, [on(1)]) == []
    left, _ = suppressions.apply([], {"k.cu": suppressions.of(text, "k.cu")}, frozenset({"KL201", "KL090"}), {})
    assert left == []


@given(st.text(alphabet="ab;{}()[]/*\\\n\"' kernlint:ignore[KL101]NOLINTdisable", max_size=80))
def test_any_text_is_read(text: str) -> None:
    for entry in suppressions.of(text + " // kernlint: ignore[KL101]", "k.cu").entries:
        assert 1 <= entry.first <= entry.last


@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("x = s[t];", "x = s[t];  // kernlint: ignore[KL101] known"),
        ("x = s[t]; // kernlint: ignore[KL201] old", "x = s[t]; // kernlint: ignore[KL201, KL101] old"),
        ("  x = s[t]; \\", "  x = s[t]; /* kernlint: ignore[KL101] known */ \\"),
    ],
)
def test_added_comments(line: str, after: str) -> None:
    assert with_ignores([on(1)], {"k.cu": line + "\n"}, "known")["k.cu"] == after + "\n"


def test_added_comments_silence_every_sample(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for sample in (Path(__file__).parent.parent / "samples").iterdir():
        (tmp_path / sample.name).write_text(sample.read_text(encoding="utf-8"), encoding="utf-8")
    assert cli.main([str(tmp_path)]) == 1
    assert cli.main([str(tmp_path), "--add-ignore", "measured, fine"]) == 0
    assert cli.main([str(tmp_path)]) == 0, capsys.readouterr().out
    assert "suppressed" in capsys.readouterr().out
