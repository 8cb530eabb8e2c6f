"""The lexer: token texts and kinds, spans that point at the text as written, comments, broken
input, speed of bad cases."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kernlint.base import deadline
from kernlint.base.span import Span
from kernlint.source.lexer import problems, scan, tokenize
from kernlint.source.preprocessor.preprocess import Options, preprocess
from kernlint.source.text import decode, language_of, read


def texts(source: str) -> list[str]:
    return [token.text for token in tokenize(source, "a.cu")]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a<<<g,b>>>(x)", "a <<< g , b >>> ( x )"),
        ("a>>=b>>c>=d<=>e", "a >>= b >> c >= d <=> e"),
        ("vector<vector<int>>", "vector < vector < int >>"),
        ("a...b::c->d->*e.*f", "a ... b :: c -> d ->* e .* f"),
        (
            "1'000'000 0b1010'1u 0x1.8p-3f .5e+10L 1.f 0xFFull",
            "1'000'000 0b1010'1u 0x1.8p-3f .5e+10L 1.f 0xFFull",
        ),
        ("x++ +y", "x ++ + y"),
        ("a## b#c", "a ## b # c"),
        ("'\\'' '\"' L'x' u8'y'", "'\\'' '\"' L'x' u8'y'"),
        ('"a\\"b" u8"c" L"d" "e"_k "f"sv', '"a\\"b" u8"c" L"d" "e"_k "f"sv'),
        ('"x"__FILE__', '"x" __FILE__'),
        ('R"(a"b)" + R"q()")q"', 'R"(a"b)" + R"q()")q"'),
        ("a/*b*/c//d\ne", "a c e"),
        ("a/b /c/= d", "a / b / c /= d"),
        ("größe + $x", "größe + $x"),
        ("fo\\\no = 1\\\n2", "foo = 12"),
        ("fo\\ \t\r\no", "foo"),
        ("// comment \\\n still\nx", "x"),
        ("@ ` \\ a", "@ ` \\ a"),
    ],
)
def test_tokens(source: str, expected: str) -> None:
    assert " ".join(texts(source)) == expected


def test_kinds() -> None:
    kinds = [token.kind for token in tokenize('if x1 42 .5f \'c\' "s" R"(r)" <<= #', "a.cu")]
    assert kinds == [
        "identifier",
        "identifier",
        "number",
        "number",
        "character",
        "string",
        "string",
        "punctuator",
        "punctuator",
    ]


def test_raw_string_keeps_splices_and_directives() -> None:
    source = 'x = R"(\n#define A 1\\\n)"; y\\\nz'
    assert texts(source) == ["x", "=", 'R"(\n#define A 1\\\n)"', ";", "yz"]


def test_spans_over_splices() -> None:
    tokens = tokenize("int ab\\\ncd = 1;\n  e", "a.cu")
    assert [token.span for token in tokens] == [
        Span("a.cu", 1, 1, 1, 4),
        Span("a.cu", 1, 5, 2, 3),
        Span("a.cu", 2, 4, 2, 5),
        Span("a.cu", 2, 6, 2, 7),
        Span("a.cu", 2, 7, 2, 8),
        Span("a.cu", 3, 3, 3, 4),
    ]
    assert [token.space_before for token in tokens] == [False, True, True, True, False, True]
    assert all(token.use == token.span for token in tokens)


def test_comments_with_places() -> None:
    source = 'a // kernlint: ignore\n"// no" /* two\nlines */ b'
    assert preprocess("a.cu", source, Options()).comments == [
        (Span("a.cu", 1, 3, 1, 22), "// kernlint: ignore"),
        (Span("a.cu", 2, 9, 3, 9), "/* two\nlines */"),
    ]


def test_unterminated_literals_and_comments() -> None:
    scanned = scan("a = \"b;\nc = 'd;\ne /* f", "a.cu")
    assert [token.text for token in tokenize('x R"a(b)b" c\nd', "a.cu")] == ["x", 'R"a(b)b" c\nd']
    assert [(problem.span.line, problem.span.column) for problem in problems(scanned)] == [
        (1, 5),
        (2, 5),
        (3, 3),
    ]
    assert [token.text for token in scanned.tokens][-1] == "e"


@pytest.mark.slow
@pytest.mark.parametrize(
    "hard",
    [
        "/*" * 50_000,
        'a\\\nR"' + "/*" * 50_000,
        'R"x(' * 50_000,
        "a\\\n" + 'R"x(' * 50_000,
        '"' * 100_001,
        'R"x(' * 2_000,
        "'" * 99_999,
        "\\\n" * 50_000,
        "((((" * 50_000,
        'R"(' + "\\\n" * 20_000,
    ],
)
def test_hard_input_is_fast(hard: str) -> None:
    started = time.perf_counter()
    tokenize(hard, "a.cu")
    assert time.perf_counter() - started < 5


PIECES = [
    "a",
    'R"(x\ny)"',
    '"s\\"t"',
    "'c'",
    "<<<",
    ">>",
    "1'0",
    "0x1p+3",
    "/*c\n*/",
    "//d\n",
    "\n",
    " ",
    "\\\n",
    "#",
    "...",
    "é",
    "\t",
    '"',
    "'",
    "u8",
    "R",
]


@example('\'\\\nR"(x\ny)"')
@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_spans_hold_the_text(source: str) -> None:
    """Each span, cut out of the source and freed of splices, is the token's text; spans ascend and
    never overlap."""
    lines = source.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    end = 0
    for token in tokenize(source, "a.cu"):
        span = token.span
        first, last = (
            starts[span.line - 1] + span.column - 1,
            starts[span.end_line - 1] + span.end_column - 1,
        )
        assert end <= first < last
        end = last
        written = source[first:last]
        raw = re.match(r'(u8|[uUL])?R"', written)  # splices stay only in raw strings
        assert token.text == (written if raw else written.replace("\\\n", ""))


@pytest.mark.slow
@given(st.text(max_size=60))
def test_never_raises(source: str) -> None:
    for token in tokenize(source, "a.cu"):
        assert token.text and token.span.line >= 1


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"a\r\nb\rc", "a\nb\nc"),
        (b"\xef\xbb\xbfint", "int"),
        ("int é".encode("utf-16"), "int é"),
        (b"\xfe\xff\x00i", "i"),
        (b"a\xffb", "a�b"),
        (b"", ""),
        (b"\x7fELF\0\0", None),
    ],
)
def test_decode(data: bytes, expected: str | None) -> None:
    assert decode(data) == expected


def test_read(tmp_path) -> None:  # type: ignore[no-untyped-def]
    good, binary = tmp_path / "a.cl", tmp_path / "b.cu"
    good.write_text("kernel void k() {}")
    binary.write_bytes(b"\0\1")
    file, problem = read(str(good))
    assert (
        problem is None
        and file is not None
        and (file.text, file.language) == ("kernel void k() {}", "opencl")
    )
    for path, words in (
        (binary, "binary"),
        (tmp_path, "directory"),
        (tmp_path / "no.cu", "no such file"),
        ("a\0b", "null"),
    ):
        file, problem = read(str(path))
        assert (
            file is None
            and problem is not None
            and problem.code == "KL001"
            and words in problem.message
        )


@pytest.mark.parametrize(
    ("path", "text", "language"),
    [
        ("a.cu", "__kernel", "cuda"),
        ("a.CL", "", "opencl"),
        ("a.h", "__device__ int f();", "cuda"),
        ("a.h", "__kernel void f();", "opencl"),
        ("a.txt", "__kernel void f();", "opencl"),
        ("a.txt", "__global__ void f(); // __kernel", "cuda"),
        ("-", "int x;", "cuda"),
    ],
)
def test_language(path: str, text: str, language: str) -> None:
    assert language_of(path, text) == language


def test_a_file_of_one_line_keeps_to_its_time() -> None:
    text = "1," * 500_000
    with deadline.running(0.02), pytest.raises(deadline.OutOfTime):
        scan(text, "table.cu")
