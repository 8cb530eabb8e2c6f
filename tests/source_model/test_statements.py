"""What stands in what, and where a statement goes between two."""

from __future__ import annotations

import pytest

from kernlint.base.span import Span
from kernlint.source_model import statements
from kernlint.source_model.source_tokens import programs

PATH = "k.cu"


def kinds(text: str, word: str) -> list[str] | None:
    """The statements around the first use of a word, from the body inwards."""
    program = programs(PATH, text)[0]
    index = next(i for i, token in enumerate(program.tokens) if token.text == word)
    found = statements.around(program, program.tokens[index].span)
    return None if found is None else [one.kind for one in found]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("X = 1;", ["{", ""]),
        ("a = 1; if (a) { b = 2; X = 1; }", ["{", "if", "{", ""]),
        ("if (a) b = 1; else X = 1;", ["{", "if", ""]),
        ("for (int i = 0; i < 4; ++i) while (a) X = 1;", ["{", "for", "while", ""]),
        ("do { X = 1; } while (a);", ["{", "do", "{", ""]),
        ("do X = 1; while (a); b = 1;", ["{", "do", ""]),
        ("#pragma unroll\n for (;;) { X = 1; }", ["{", "for", "{", ""]),
        (
            "#pragma unroll\n#pragma nounroll\n for (;;) { X = 1; }\n#pragma end\n",
            ["{", "for", "{", ""],
        ),
        ("auto f = [&] { X = 1; };", ["{", ""]),
        ("if constexpr (a) X = 1;", ["{", "if", ""]),
        ("if (X) b = 1;", ["{", "if"]),
        ("{ int s[2] = {1, 2}; X = 1; }", ["{", "{", ""]),
        ("#if A\n X = 1;\n#endif\n", None),
        ("X = 1", None),
        ("if a X = 1;", None),
    ],
)
def test_the_statements_around_a_place(body: str, expected: list[str] | None) -> None:
    assert kinds(f"__global__ void k()\n{{\n {body}\n}}\n", "X") == expected


def test_statements_in_one_another_without_end_are_not_read() -> None:
    assert kinds(f"void k() {{ {'if (a) ' * 4000} X = 1; }}", "X") is None


def test_a_place_in_no_function() -> None:
    assert kinds("int X = 1;", "X") is None


@pytest.mark.parametrize(
    ("text", "line", "column", "content"),
    [
        ("void k()\n{\n    a = 1;\n    X = 1;\n}\n", 4, 1, "    W;\n"),
        ("void k()\n{\n    a = 1; X = 1;\n}\n", 3, 12, "W; "),
        ("void k()\n{\n\ta = 1; // one\n\n\t// two\n\t// three\n\tX = 1;\n}\n", 5, 1, "\tW;\n"),
    ],
)
def test_where_a_line_is_written(text: str, line: int, column: int, content: str) -> None:
    program = programs(PATH, text)[0]
    index = next(i for i, token in enumerate(program.tokens) if token.text == "X")
    at = Span(PATH, line, column, line, column)
    assert statements.new_line(program, index, index, "W;") == (at, content)
