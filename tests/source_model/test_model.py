"""What the source model tells of a file: loop heads, sides of branches, names."""

from __future__ import annotations

import pytest

from kernlint.base.span import Span
from kernlint.source_model.loop_heads import LoopHead
from kernlint.source_model.model import SourceModel
from tests.places import ROOT
from tests.support import handmade as made

PATH = "k.cu"


def place(text: str, part: str) -> Span:
    """Where a part of a text stands."""

    def at(position: int) -> tuple[int, int]:
        return text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)

    start = text.index(part)
    return Span(PATH, *at(start), *at(start + len(part)))


def head(statement: str) -> LoopHead | None:
    text = f"__global__ void f(int n) {{\n  {statement}\n}}\n"
    return SourceModel(PATH, text).loop_head(place(text, statement))


@pytest.mark.parametrize(
    ("statement", "begin", "steps", "iterations"),
    [
        ("for (int i = 0; i < 16; ++i) x += i;", ("i", "0"), (("i", 1),), 16),
        ("for (int i = 0; i < 16; i++) x += i;", ("i", "0"), (("i", 1),), 16),
        ("for (int i = 0; i < 16; i += 4) x += i;", ("i", "0"), (("i", 4),), 0),
        ("for (int i = 1; i < 16; ++i) x += i;", ("i", "1"), (("i", 1),), 0),
        ("for (int i = 0; i <= 16; ++i) x += i;", ("i", "0"), (("i", 1),), 0),
        ("for (int i = 0; i < n; ++i) x += i;", ("i", "0"), (("i", 1),), 0),
        ("for (int k = row[i + 1];\n  k < n; k++) x += k;", ("k", "row[i+1]"), (("k", 1),), 0),
        ("for (int i = 0, j = f(1, 2); i < 9; ++i, j += 2) x += j;", ("j", "f(1,2)"), (("i", 1), ("j", 2)), 0),
        ("for (; n > 0; n = next(n)) x += n;", ("", ""), (), 0),
    ],
)  # fmt: skip
def test_loop_heads(
    statement: str, begin: tuple[str, str], steps: tuple[tuple[str, int], ...], iterations: int
) -> None:
    found = head(statement)
    assert found is not None
    assert (found.begin, found.steps, found.iterations) == (begin, steps, iterations)


@pytest.mark.parametrize("step", ["s >>= 1", "s <<= 1", "s *= 2", "s /= 2", "s = s / 2", "s=s<<1"])
def test_variables_that_are_halved_or_doubled(step: str) -> None:
    found = head(f"for (int s = n; s > 0; {step}) x += s;")
    assert found is not None and found.scaled == ("s",)


@pytest.mark.parametrize("step", ["s >>= 2", "s *= 3", "s = n / 2", "--s"])
def test_variables_that_are_not(step: str) -> None:
    found = head(f"for (int s = n; s > 0; {step}) x += s;")
    assert found is not None and found.scaled == ()


@pytest.mark.parametrize("statement", ["while (n--) x += n;", "for (int v : w) x += v;"])
def test_other_loops_have_no_head(statement: str) -> None:
    assert head(statement) is None


def test_places_of_macros_and_other_files_have_no_head() -> None:
    text = "void f() { for (int i = 0; i < 4; ++i) g(); }"
    span = place(text, "for (int i = 0; i < 4; ++i) g();")
    model = SourceModel(PATH, text)
    assert model.loop_head(span) is not None
    assert model.loop_head(Span(PATH, span.line, span.column, 1, 9, "REPEAT")) is None
    assert model.loop_head(Span("h.cuh", span.line, span.column, 1, 9)) is None
    assert model.loop_head(None) is None


CHOICE = """\
__global__ void f(float *x, int n) {
  if (g(n)) { x[0] = sinf(1); if (n) { h(); } else { i(); } }
  else x[0] = p->member(2); // else j();
  switch (n) {
    case 1: a(); break;
    case 2: case 3: b(); break;
    default: { c(); }
  }
}
"""


def test_sides_of_a_condition() -> None:
    statement = CHOICE[CHOICE.index("if (g") : CHOICE.index(" // else")]
    then, otherwise = SourceModel(PATH, CHOICE).sides(place(CHOICE, statement), "if")
    assert then.calls == {"sinf", "if", "h", "i"}
    assert otherwise.calls == frozenset()
    assert (then.span.line, then.span.end_line) == (2, 3)
    assert (otherwise.span.line, otherwise.span.end_column) == (3, 28)


def test_sides_of_a_switch() -> None:
    statement = CHOICE[CHOICE.index("switch") : CHOICE.rindex("\n}")]
    found = SourceModel(PATH, CHOICE).sides(place(CHOICE, statement), "switch")
    calls = [set(side.calls) for side in found]
    assert [one for one in calls if one] == [{"a"}, {"b"}, {"c"}]


def test_what_a_variable_was_given() -> None:
    text = "void f() {\n  int a = row[ i ], b;\n  b = a == 1;\n  a = 2;\n  g(a);\n  a = 3;\n}\n"
    model = SourceModel(PATH, text)
    assert model.given("a", place(text, "b = a")) == "row[i]"
    assert model.given("a", place(text, "g(a)")) == "2"
    assert model.given("c", place(text, "g(a)")) == ""
    assert model.changes("a", place(text, text.strip())) == 3


def test_names_without_a_declaration() -> None:
    text = "void f() { old(); other(); }\n#define other new\n"
    found = list(SourceModel(PATH, text).undeclared(("old", "other")))
    assert found == [("old", Span(PATH, 1, 12, 1, 15))]


def test_pointers_among_parameters() -> None:
    model = SourceModel(made.PATH, made.TEXT)
    assert set(model.pointer_parameters(made.KERNEL)) == {"out", "in"}


def test_checks_see_no_tokens() -> None:
    """What the source says reaches them as values."""
    tokens = ("kernlint.source.tokens", "kernlint.source.lexer", "source_tokens")
    for path in (ROOT / "kernlint" / "checks").rglob("*.py"):
        assert not any(name in path.read_text() for name in tokens), path
    for path in (ROOT / "kernlint" / "source_model").rglob("*.py"):
        assert "from kernlint.checks" not in path.read_text(), path
