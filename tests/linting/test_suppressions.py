"""Suppressions: which lines each form reaches, what is said about wrong ones, and --add-ignore,
which must silence all it marks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernlint.base.span import Span
from kernlint.checks import rules
from kernlint.checks.selection import META
from kernlint.cli import main
from kernlint.linting import suppressions
from kernlint.linting.ignoring import with_ignores
from kernlint.model.finding import Finding
from tests.places import SAMPLES

RAN = frozenset(rules.rules())


def on(line: int, code: str = "KL101") -> Finding:
    rule = rules.find(code)
    return Finding(code, rule.name, rule.severity, "message", Span("k.cu", line, 1, line, 5))


def lines_left(text: str, code: str = "KL101") -> list[int]:
    """The lines on which a finding of `code` still shows, and the codes of what is said about the
    comments themselves."""
    found = [on(number, code) for number in range(1, text.count("\n") + 2)]
    left, _ = suppressions.apply(found, {"k.cu": suppressions.of(text, "k.cu")})
    return [finding.span.line for finding in left if finding.code == code]


def said(
    text: str, findings: Sequence[Finding] = (), ran: frozenset[str] = RAN, all_ran: bool = True
) -> list[Finding]:
    """What is said of the comments of a text, all of which was looked at."""
    found = suppressions.of(text, "k.cu")
    _, used = suppressions.apply(findings, {"k.cu": found})
    known = {code: rule for code, rule in rules.rules().items() if code in ran | META}
    return suppressions.about(
        found, used, suppressions.Judge(ran, all_ran, lambda first, last: True), known
    )


def about(text: str, findings: Sequence[Finding] = ()) -> list[tuple[int, str]]:
    return [(finding.span.line, finding.code) for finding in said(text, findings)]


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
        (
            "// kernlint: ignore[shared-memory] why\n__global__ void k() {\n  a;\n}\nvoid g() { b; }",
            [5],
        ),
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


@pytest.mark.slow
@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("verb", ["ignore", "disable", "file-ignore"])
@pytest.mark.parametrize(
    "words", ["KL101", "kl101", "KL101, KL102", "shared-bank-conflict", "shared-memory"]
)
@pytest.mark.parametrize("reason", ["", " one conflict per launch", " */"])
def test_a_rule_in_any_spelling_is_that_rule_alone(
    spelling: str, verb: str, words: str, reason: str
) -> None:
    text = (
        f"a; {'/*' if reason == ' */' else '//'} kernlint: {verb}{spelling.format(words)}{reason}"
    )
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
    ("text", "expected"),
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
        ("a; // kernlint: ignore[KL091]", [(1, "KL090")]),
        ("// kernlint: file-ignore[KL091]\na;", []),
        ("a; // NOLINT(kernlint-KL999)", [(1, "KL091")]),
        ("a; // NOLINT(KL999, bugprone-foo)", [(1, "KL091")]),
        ("// NOLINTNEXTLINE(kernlint-foo)\na;", [(1, "KL091")]),
        ("// NOLINTNEXTLINE(kernlint-x*)\na;", [(1, "KL091")]),
        ("a; // NOLINT(cert-err58-cpp, *)", []),
        ("// NOLINTBEGIN(clang-*)\na;", []),
        ("// kernlint: file-ignore[meta]\na; // kernlint: ignore[KL101]", []),
        ("a; // noqa", []),
        ("a; // noqa: E501", []),
        ("a; // noqa: E501 as KL is no rule, but 5 kl1", []),
        ("a; // kernlint: noqa: KL101", [(1, "KL091")]),
        ("a; // noqa: KL999", [(1, "KL091")]),
    ],
)
def test_what_is_said_about_comments(text: str, expected: list[tuple[int, str]]) -> None:
    assert about(text) == expected


def pointed(text: str, finding: Finding) -> str:
    return text.split("\n")[finding.span.line - 1][
        finding.span.column - 1 : finding.span.end_column - 1
    ]


@pytest.mark.parametrize(
    ("text", "unused"),
    [
        ("a; // kernlint: ignore[KL101, KL201] one conflict", ["KL201"]),
        ("a; // kernlint: ignore KL201, KL101, KL301", ["KL201", "KL301"]),
        ("a; // kernlint: ignore[KL101, shared-memory, KL1]", []),
        ("a; // kernlint: ignore[ shared-memory ,divergence]", ["divergence"]),
        ("a; // kernlint: ignore[KL101, KL201, KL999]", ["KL201"]),
        ("a; // NOLINT(bugprone-foo, kernlint-KL201, kernlint-KL101)", ["kernlint-KL201"]),
        ("a; // NOLINT(bugprone-foo, kernlint-KL201)", ["kernlint-KL201"]),
        ("a; // NOLINT(*, kernlint-KL201)", ["kernlint-KL201"]),
        ("// kernlint: file-ignore[KL101, KL3]\na;", ["KL3"]),
        ("// kernlint: disable[KL101, KL3]\na;\n// kernlint: enable[KL101, KL3]", ["KL3"]),
    ],
)
def test_the_words_of_a_comment_that_silence_nothing_are_told_each_at_its_place(
    text: str, unused: list[str]
) -> None:
    found = [finding for finding in said(text, [on(1), on(2)]) if finding.code == "KL090"]
    assert [pointed(text, finding) for finding in found] == unused
    assert all(
        f"`{word}` in `" in finding.message for word, finding in zip(unused, found, strict=True)
    )


@pytest.mark.parametrize(
    ("comment", "form", "right"),
    [
        ("noqa: KL101", "noqa", "ignore[KL101]"),
        ("NOQA:KL101", "NOQA", "ignore[KL101]"),
        ("noqa: E501, KL101, KL201", "noqa", "ignore[KL101, KL201]"),
        ("noqa: shared-bank-conflict", "noqa", "ignore[shared-bank-conflict]"),
        ("ruff: noqa: KL101", "ruff: noqa", "file-ignore[KL101]"),
        ("type: ignore[KL101]", "type: ignore", "ignore[KL101]"),
        ("pylint: disable=KL101", "pylint: disable", "ignore[KL101]"),
        ("cppcheck-suppress KL101", "cppcheck-suppress", "ignore[KL101]"),
        ("cppcheck-suppress [nullPointer, KL101]", "cppcheck-suppress", "ignore[KL101]"),
    ],
)
def test_a_rule_in_another_tools_comment_is_told_the_right_form(
    comment: str, form: str, right: str
) -> None:
    text = f"a; // {comment} for a reason"
    assert lines_left(text) == [1]
    (found,) = [finding for finding in said(text, [on(1)])]
    assert found.code == "KL091" and pointed(text, found).startswith(form)
    assert (
        found.message
        == f"`{form}` is another tool's comment; kernlint ignores it: write `kernlint: {right}`"
    )


def test_an_unknown_rule_is_told_at_its_place() -> None:
    for text, word in (
        ("a; // kernlint: ignore[KL101, KL999]", "KL999"),
        ("a; // NOLINT(x-y, kernlint-foo)", "kernlint-foo"),
    ):
        (found,) = [finding for finding in said(text, [on(1)]) if finding.code == "KL091"]
        assert pointed(text, found) == word


def test_a_family_in_a_nolint_list_is_that_family() -> None:
    text = "a; // NOLINT(kernlint-shared-memory)"
    assert (lines_left(text), lines_left(text, "KL201")) == ([], [1])


@pytest.mark.parametrize(
    ("words", "ran", "all_ran", "unused"),
    [
        ("[KL101]", {"KL101"}, False, True),
        ("[KL101]", {"KL201"}, False, False),
        ("[shared-memory]", {"KL101"}, False, False),
        ("", {"KL101"}, False, False),
        ("", {"KL101"}, True, True),
        ("[all]", {"KL101"}, False, False),
    ],
)
def test_only_words_all_of_whose_rules_ran_are_called_unused(
    words: str, ran: set[str], all_ran: bool, unused: bool
) -> None:
    found = said(f"a; // kernlint: ignore{words}", (), frozenset(ran), all_ran)
    assert [finding.code for finding in found] == ["KL090"] * unused


def test_a_needed_comment_is_not_called_unused() -> None:
    assert about("a; // kernlint: ignore[KL101]", [on(1)]) == []


@pytest.mark.slow
@given(st.text(alphabet="ab;{}()[]/*\\\n\"' kernlint:ignore[KL101]NOLINTdisable", max_size=80))
def test_any_text_is_read(text: str) -> None:
    for entry in suppressions.of(text + " // kernlint: ignore[KL101]", "k.cu").entries:
        assert 1 <= entry.first <= entry.last


@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("x = s[t];", "x = s[t];  // kernlint: ignore[KL101] known"),
        (
            "x = s[t]; // kernlint: ignore[KL201] old",
            "x = s[t]; // kernlint: ignore[KL201, KL101] old",
        ),
        ("  x = s[t]; \\", "  x = s[t]; /* kernlint: ignore[KL101] known */ \\"),
    ],
)
def test_added_comments(line: str, after: str) -> None:
    assert with_ignores([on(1)], {"k.cu": line + "\n"}, "known")["k.cu"] == after + "\n"


@pytest.mark.slow
def test_added_comments_silence_every_sample(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for sample in (SAMPLES).iterdir():
        (tmp_path / sample.name).write_text(sample.read_text(encoding="utf-8"), encoding="utf-8")
    assert main.main([str(tmp_path)]) == 1
    assert main.main([str(tmp_path), "--add-ignore", "measured, fine"]) == 0
    assert main.main([str(tmp_path)]) == 0, capsys.readouterr().out
    assert "suppressed" in capsys.readouterr().out


COMMENTS = """\
// kernlint: launch(grid=64, block=256)
__global__ void column(float *a)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    a[i * 64] = 0;  // kernlint: ignore[KL999]
    a[i * 64 + 1] = 0;  // kernlint: ignore[KL101, KL201]
    a[i] = 0;  // kernlint: ignore
    // kernlint: disable[KL101]
}
"""


def codes_told(capsys: pytest.CaptureFixture[str], *words: str) -> list[tuple[int, str]]:
    main.main([*words, "--output-format", "concise", "--no-cache"])
    lines = [line for line in capsys.readouterr().out.splitlines() if line.endswith("]")]
    return [(int(line.split(":")[1]), line[-6:-1]) for line in lines]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), [(5, "KL201"), (5, "KL091"), (6, "KL090"), (7, "KL090"), (8, "KL090"), (8, "KL092")]),
        (("--select", "KL101"), [(5, "KL091"), (6, "KL090"), (8, "KL090"), (8, "KL092")]),
        (("--select", "KL201"), [(5, "KL201"), (5, "KL091"), (8, "KL092")]),
        (("--select", "KL201", "--ignore", "KL091"), [(5, "KL201"), (8, "KL092")]),
        (("--ignore", "meta"), [(5, "KL201")]),
        (("--config", 'severities={meta="off"}', "--select", "KL101"), []),
    ],
)
def test_suppressions_are_judged_whatever_is_selected(
    words: tuple[str, ...],
    told: list[tuple[int, str]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "k.cu").write_text(COMMENTS, encoding="utf-8")
    assert codes_told(capsys, str(tmp_path / "k.cu"), *words) == told


def test_rules_that_the_project_leaves_out_leave_a_comment_for_all_rules_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "k.cu").write_text(COMMENTS, encoding="utf-8")
    (tmp_path / "kernlint.toml").write_text('ignore = ["divergence"]\n', encoding="utf-8")
    assert (7, "KL090") in codes_told(capsys, str(tmp_path / "k.cu"))
    assert (7, "KL090") not in codes_told(capsys, str(tmp_path / "k.cu"), "--ignore", "KL201")


def test_what_cannot_be_read_or_obeyed_is_told_whatever_is_selected(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "// kernlint: launch(grid=none)\n__global__ void k(float *a)\n{\n    int x = = 4;\n}\n"
    (tmp_path / "k.cu").write_text(text, encoding="utf-8")
    assert codes_told(capsys, str(tmp_path / "k.cu"), "--select", "KL101") == [
        (1, "KL093"),
        (4, "KL001"),
    ]


REASONS = """\
// kernlint: file-ignore[KL102]
// kernlint: launch(grid=64, block=256)
__global__ void column(float *a)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    a[i] = 0;  // kernlint: ignore[KL201]
    a[i * 64 + 1] = 0;
    a[i + 4] = 0;  // kernlint: ignore
    // kernlint: ignore[KL201, KL3]
    if (i >= 0)
        a[i + 64] = 0;
    // kernlint: disable[KL101]
}
"""


def test_an_unused_comment_is_told_with_where_its_rules_find_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "k.cu").write_text(REASONS, encoding="utf-8")
    main.main([str(tmp_path / "k.cu"), "--output-format", "json", "--no-cache", "--isolated"])
    told = [
        finding
        for finding in json.loads(capsys.readouterr().out)["findings"]
        if finding["code"] == "KL090"
    ]
    assert [
        (finding["location"]["row"], finding["message"].partition(" suppresses nothing: ")[2])
        for finding in told
    ] == [
        (1, "KL102 finds nothing in this file"),
        (6, "KL201 finds nothing on line 6; the nearest is on line 7"),
        (8, "no rule finds anything on line 8"),
        (9, "none of its rules finds anything on lines 9 to 11; the nearest is on line 7 [KL201]"),
        (12, "KL101 finds nothing from line 12 on"),
    ]


UNREAD = """\
// kernlint: launch(grid=64, block=256)
__global__ void read(float *a)
{
    a[blockIdx.x * 256 + threadIdx.x] = 0;  // kernlint: ignore[KL201]
}
__global__ void unread(float *a)
{
    a[threadIdx.x * 64] = 0;  // kernlint: ignore[KL201]
    int x = = 4;
}
"""


def test_comments_in_code_that_was_not_analysed_are_not_called_unused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.cu"
    path.write_text(UNREAD, encoding="utf-8")
    assert codes_told(capsys, str(path)) == [(4, "KL090"), (9, "KL001")]
    path.write_text(UNREAD.replace("= = 4", "= 4"), encoding="utf-8")
    assert codes_told(capsys, str(path), "--kernel", "unread") == []
    assert codes_told(capsys, str(path), "--kernel", "read") == [(4, "KL090")]


CONDITIONAL = """\
// kernlint: launch(grid=64, block=256)
__global__ void k(float *a, float *b)
{
    int i = blockIdx.x * 256 + threadIdx.x;
#ifdef SLOW
    a[i * 64] = 0;  // kernlint: ignore[KL201]
    // kernlint: ignore[KL201]
    a[i * 64 + 9] = 1;
#else
    a[i] = 0;  // kernlint: ignore[KL201]
#endif
    b[i] = 2;  // kernlint: ignore[KL201]
}
"""


def test_comments_in_branches_that_are_not_taken_are_not_called_unused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.cu"
    path.write_text(CONDITIONAL, encoding="utf-8")
    assert codes_told(capsys, str(path)) == [(10, "KL090"), (12, "KL090")]
    assert codes_told(capsys, str(path), "-D", "SLOW") == [(12, "KL090")]
    path.write_text(
        "// kernlint: file-ignore[KL201]\n" + CONDITIONAL.replace("// kernlint: ignore[KL201]", ""),
        encoding="utf-8",
    )
    assert codes_told(capsys, str(path)) == []


def test_a_definition_that_is_not_needed_leaves_the_comments_around_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.cu"
    path.write_text(
        "// kernlint: file-ignore[KL101]\n#ifdef SLOW\n#define N 4\n#endif\n" + COMMENTS,
        encoding="utf-8",
    )
    assert (1, "KL090") in codes_told(capsys, str(path))


def test_a_comment_in_a_header_is_judged_by_all_files_of_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put = "__device__ void {}(float *a, int i) {{ a[i * 64] = 0; }}  // kernlint: ignore[KL201]\n"
    (tmp_path / "put.cuh").write_text(
        "#pragma once\n" + put.format("one") + put.format("two") + put.format("three"),
        encoding="utf-8",
    )
    kernel = '#include "put.cuh"\n// kernlint: launch(grid=64, block=256)\n__global__ void k(float *a) {{ {}(a, threadIdx.x); }}\n'
    for name in ("one", "two"):
        (tmp_path / f"{name}.cu").write_text(kernel.format(name), encoding="utf-8")
    assert codes_told(capsys, str(tmp_path / "put.cuh")) == []
    assert codes_told(capsys, str(tmp_path / "one.cu")) == []
    assert codes_told(capsys, str(tmp_path)) == []


def test_what_is_said_of_comments_is_not_marked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "k.cu").write_text(COMMENTS, encoding="utf-8")
    assert main.main([str(tmp_path), "--add-ignore", "seen"]) == 0
    assert (
        "1 line marked in 1 file; findings about comments (5) cannot be suppressed: fix them"
        in capsys.readouterr().out
    )
    changed = (tmp_path / "k.cu").read_text(encoding="utf-8")
    assert changed == COMMENTS.replace("[KL999]", "[KL999, KL201]")
    assert codes_told(capsys, str(tmp_path / "k.cu")) == [
        (5, "KL091"),
        (6, "KL090"),
        (7, "KL090"),
        (8, "KL090"),
        (8, "KL092"),
    ]


@pytest.mark.parametrize(
    ("verb", "meant"),
    [("lauch", ", did you mean `launch`?"), ("ignroe", ", did you mean `ignore`?"), ("xyz", "")],
)
def test_a_directive_with_a_slip_in_it_is_told_which_was_meant(verb: str, meant: str) -> None:
    [finding] = said(f"a; // kernlint: {verb}(block=32)")
    assert finding.message.startswith(
        f"unknown directive `kernlint: {verb}`{meant} (known: ignore, "
    )
