"""The preprocessor against GCC and pcpp, its places, its conditions and headers, and input made to
break it."""

from __future__ import annotations

import io
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kernlint.base.span import Span
from kernlint.source.lexer import tokenize
from kernlint.source.preprocessor.macros import parse_define
from kernlint.source.preprocessor.preprocess import Options, Preprocessed, preprocess
from tests.places import DATA, TRUTH
from tests.support import needs

KERNELS = sorted((TRUTH / "kernels").glob("*.cu"))


def run(source: str, path: str = "a.cu", **options: object) -> Preprocessed:
    return preprocess(path, source, Options(**options))  # type: ignore[arg-type]


def texts(source: str, **options: object) -> str:
    result = run(source, **options)
    assert not result.problems
    return " ".join(token.text for token in result.tokens)


def by_gcc(source: str) -> list[str] | None:
    """The token texts after `gcc -E`, None where it reports an error."""
    command = ["gcc", "-E", "-P", "-undef", "-nostdinc", "-w", "-x", "c++", "-std=gnu++17", "-"]
    done = subprocess.run(command, input=source, capture_output=True, text=True)
    return [token.text for token in tokenize(done.stdout, "")] if done.returncode == 0 else None


def ours(source: str) -> list[str] | None:
    result = run(source)
    if result.problems:
        return None
    return [
        piece.text
        for token in result.tokens
        for piece in (tokenize("#" + token.text, "") if token.kind == "pragma" else [token])
    ]


PROGRAMS = {path.stem: path.read_text() for path in sorted((DATA / "preprocess").glob("*.cpp"))}


@needs.gcc
@pytest.mark.parametrize("name", PROGRAMS)
def test_like_gcc(name: str) -> None:
    expected = by_gcc(PROGRAMS[name])
    assert expected is not None
    assert ours(PROGRAMS[name]) == expected


SIMPLE = [
    "standard_example",
    "placemarkers",
    "variadic",
    "self_reference",
    "x_macro",
    "undef_and_redefine",
]


@pytest.mark.parametrize("name", SIMPLE)
def test_like_pcpp(name: str) -> None:
    import pcpp

    oracle = pcpp.Preprocessor()
    oracle.line_directive = None
    oracle.parse(PROGRAMS[name], "a.cu")
    stream = io.StringIO()
    oracle.write(stream)
    assert ours(PROGRAMS[name]) == [token.text for token in tokenize(stream.getvalue(), "")]


ATOM = st.sampled_from(
    [
        "A",
        "B",
        "C",
        "1",
        "x",
        "+",
        ",",
        "(A)",
        "F(A)",
        "G(x, B)",
        "V()",
        "V(1, x)",
        "F",
        "G",
        "F(G(1, F(2)))",
        '"s"',
        "(",
        ")",
        "G(,)",
    ]
)
OPERAND = st.sampled_from(["p", "q", "p ## q", "p ## 1", "x ## p", "#p", "# q", "x ## A"])
REST = st.sampled_from(
    [
        "__VA_ARGS__",
        ", ## __VA_ARGS__",
        "__VA_OPT__(, p __VA_ARGS__)",
        "#__VA_ARGS__",
        "p",
        "__VA_OPT__(a) ## p",
    ]
)


def _body(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.lists(parts, max_size=5).map(" ".join)


@st.composite
def programs(draw: st.DrawFn) -> str:
    lines = [f"#define {name} {draw(_body(ATOM))}" for name in "ABC"]
    lines.append(
        f"#define F(p) {draw(_body(ATOM | st.sampled_from(['p', '#p', 'p ## 1', 'x ## p'])))}"
    )
    lines.append(f"#define G(p, q) {draw(_body(ATOM | OPERAND))}")
    lines.append(f"#define V(p, ...) {draw(_body(ATOM | REST))}")
    lines += draw(st.lists(_body(ATOM), min_size=1, max_size=4))
    return "\n".join(lines) + "\n"


@pytest.mark.slow
@needs.gcc
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(programs())
def test_programs_like_gcc(source: str) -> None:
    """The same tokens as GCC; what GCC refuses is a problem here too."""
    assert ours(source) == by_gcc(source)


VALUE = st.sampled_from(
    [
        "0",
        "1",
        "2u",
        "7",
        "-1",
        "9223372036854775807",
        "18446744073709551615u",
        "0x80000000",
        "'a'",
        "U",
        "defined U",
    ]
)
EXPRESSION = st.recursive(
    VALUE,
    lambda inner: st.one_of(
        st.tuples(
            inner,
            st.sampled_from(
                [
                    "+",
                    "-",
                    "*",
                    "/",
                    "%",
                    "<<",
                    ">>",
                    "<",
                    ">",
                    "<=",
                    ">=",
                    "==",
                    "!=",
                    "&",
                    "|",
                    "^",
                    "&&",
                    "||",
                ]
            ),
            inner,
        )
        .map(" ".join)
        .map("({})".format),
        st.tuples(
            inner, st.sampled_from(["+", "-", "*", "<", "==", "&", "|", "&&", "||"]), inner
        ).map(" ".join),
        st.tuples(inner, inner, inner).map(lambda three: "({} ? {} : {})".format(*three)),
        st.tuples(st.sampled_from("!~-"), inner).map(lambda two: "{}({})".format(*two)),
    ),
    max_leaves=8,
)


@pytest.mark.slow
@needs.gcc
@settings(max_examples=120, deadline=None)
@given(EXPRESSION)
def test_conditions_like_gcc(condition: str) -> None:
    source = f"#if {condition}\nyes\n#else\nno\n#endif\n"
    assert ours(source) == by_gcc(source)


@needs.gcc
@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.name)
def test_kernels_like_gcc(path: Path) -> None:
    source = "".join(
        line
        for line in path.read_text().splitlines(keepends=True)
        if not line.lstrip().startswith("#include")
    )
    source = '#define EXIT_FAILURE 1\n#define __FILE__ "k.cu"\n' + source
    assert ours(source) == by_gcc(source)


# -- places


def test_argument_points_at_the_users_text_and_body_at_the_use() -> None:
    result = run("#define AT(p, i) p[(i) * 2]\nint f() {\n  return AT(data, x +\n 1);\n}\n")
    place = {token.text: token for token in result.tokens}
    use = Span("a.cu", 3, 10, 4, 4, "AT")
    assert place["data"].use == place["data"].span == Span("a.cu", 3, 13, 3, 17, first=3)
    assert place["+"].use == Span("a.cu", 3, 21, 3, 22, first=3)
    assert (place["["].span, place["["].use) == (Span("a.cu", 1, 19, 1, 20), use)
    assert (place["2"].span, place["2"].use) == (Span("a.cu", 1, 26, 1, 27), use)


def test_nested_uses_show_the_outermost() -> None:
    result = run("#define IN(v) <v>\n#define OUT(v) IN(v) IN(k)\nOUT(a) OUT(IN(b))\n")
    outer = Span("a.cu", 3, 1, 3, 7, "OUT")
    assert [token.text for token in result.tokens] == [
        "<",
        "a",
        ">",
        "<",
        "k",
        ">",
        "<",
        "<",
        "b",
        ">",
        ">",
        "<",
        "k",
        ">",
    ]
    assert [token.use for token in result.tokens[:6]] == [
        outer,
        Span("a.cu", 3, 5, 3, 6),
        outer,
        outer,
        outer,
        outer,
    ]
    assert result.tokens[7].use == Span(
        "a.cu", 3, 12, 3, 17, "IN"
    )  # a use that the user wrote inside an argument
    assert result.tokens[8].use == Span("a.cu", 3, 15, 3, 16)


def test_x_macro_shows_the_list() -> None:
    result = run("#define LIST(X) X(1)\n#define D(n) v = n\nLIST(D)\n")
    assert [token.use.macro for token in result.tokens] == ["LIST", "LIST", "LIST"]
    assert result.tokens[2].span == Span("a.cu", 1, 19, 1, 20)


def test_tokens_are_never_shared() -> None:
    tokens = run("#define T(x) x x x\nT(a b) T(a)\n").tokens
    assert len({id(token) for token in tokens}) == len(tokens) == 9


@pytest.mark.slow
@given(programs())
@settings(max_examples=60, deadline=None)
def test_every_use_lies_in_the_users_text(source: str) -> None:
    lines = source.split("\n")
    for token in run(source).tokens:
        use = token.use
        assert use.line > 6, "a token is shown in a definition"
        shown = lines[use.line - 1][use.column - 1 :]
        assert shown.startswith(use.macro) if use.macro else shown.startswith(token.text)


# -- headers


def test_includes(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "dir").mkdir()
    (tmp_path / "one.h").write_text('#pragma once\n#include "sub/two.h"\nint one;\n')
    (tmp_path / "sub" / "two.h").write_text(
        '#ifndef TWO\n#define TWO 2\n#include "three.h"\n#endif\n'
    )
    (tmp_path / "sub" / "three.h").write_text(
        'int three;\n#ifdef __has_include\n#if __has_include("two.h") && !__has_include(<two.h>)\nyes\n#endif\n#endif'
    )
    (tmp_path / "dir" / "lib.h").write_text("int lib;")
    headers = ['"one.h"', '"one.h"', '"sub/two.h"', "L", "<cuda.h>", '"no.h"', "M(x/y.h)"]
    source = "#define L <lib.h>\n" + "".join(f"#include {header}\n" for header in headers) + "TWO"
    result = run(source, str(tmp_path / "a.cu"), include_dirs=(str(tmp_path / "dir"),))
    assert not result.problems
    assert (
        " ".join(token.text for token in result.tokens) == "int three ; yes int one ; int lib ; 2"
    )
    assert [Path(path).name for path in result.included] == ["one.h", "two.h", "three.h", "lib.h"]
    assert result.missing == ["cuda.h", "no.h", "M(x/y.h)"]
    assert result.tokens[0].span.path == str(tmp_path / "sub" / "three.h")


def test_include_cycles_end(tmp_path: Path) -> None:
    (tmp_path / "a.h").write_text('#include "b.h"\n#include "b.h"\nint a;\n')
    (tmp_path / "b.h").write_text('#include "a.h"\n#include "a.h"\nint b;\n')
    result = run('#include "a.h"\nint c;', str(tmp_path / "a.cu"))
    assert result.problems and "include itself" in result.problems[0].message
    assert [token.text for token in result.tokens[-3:]] == ["int", "c", ";"]


def test_header_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "b.h").write_bytes(b"\0\0")
    (tmp_path / "d.h").mkdir()
    result = run('#include "b.h"\n#include "d.h"\nx', str(tmp_path / "a.cu"))
    assert [problem.span.line for problem in result.problems] == [1]
    assert result.missing == ["d.h"]


# -- pragmas, predefined macros, defines


def test_lines_in_branches_that_are_not_taken() -> None:
    source = "#if 0\na\n\nb\n#define X\n#if 1\nc\n#endif\n#else\nd\n#endif\n#ifdef Y\n#define Z\n#endif\n#ifdef Y\ne \\\n f\n#endif\n"
    assert run(source).skipped == ((2, 2), (4, 4), (7, 7), (16, 17))


def test_pragmas() -> None:
    result = run(
        '#define N 4\n#pragma unroll (N)\n#define U(n) _Pragma("unroll 8") a\nU(1)\n#pragma once\n_Pragma("omp \\"x\\"")'
    )
    assert [(token.kind, token.text) for token in result.tokens] == [
        ("pragma", "pragma unroll (4)"),
        ("pragma", "pragma unroll 8"),
        ("identifier", "a"),
        ("pragma", 'pragma omp "x"'),
    ]
    assert result.tokens[0].span == Span("a.cu", 2, 2, 2, 19)
    assert result.tokens[1].use == Span("a.cu", 4, 1, 4, 5, "U")


def test_a_pragma_that_a_macro_spells_is_obeyed_as_nvcc_does() -> None:
    result = run(
        "#define N 4\n#define UNROLL #pragma unroll\n#define UNROLL_N #pragma unroll N\nUNROLL\nfor (;;) {}\nUNROLL_N x = 1;"
    )
    assert not result.problems
    assert [token.text for token in result.tokens] == [
        "pragma unroll",
        "for",
        "(",
        ";",
        ";",
        ")",
        "{",
        "}",
        "pragma unroll 4",
        "x",
        "=",
        "1",
        ";",
    ]
    assert result.tokens[0].kind == "pragma" and result.tokens[0].use == Span(
        "a.cu", 4, 1, 4, 7, "UNROLL"
    )


@pytest.mark.parametrize(
    ("language", "condition"),
    [
        (
            "cuda",
            "defined __CUDACC__ && __CUDA_ARCH__ >= 900 && __cplusplus >= 201703L && INT_MAX == 0x7fffffff && !defined NULL",
        ),
        (
            "cuda",
            "UINT32_MAX == ~0u % (1ull << 32) && SIZE_MAX > 0 && CHAR_BIT == 8 && !defined __OPENCL_VERSION__ && INT_MIN < 0",
        ),
        (
            "opencl",
            "__OPENCL_VERSION__ >= 200 && CLK_LOCAL_MEM_FENCE == 1 && CLK_GLOBAL_MEM_FENCE == 2 && defined __ENDIAN_LITTLE__",
        ),
        (
            "opencl",
            "CL_VERSION_3_0 == 300 && !defined __CUDACC__ && !defined __cplusplus && defined cl_khr_fp64",
        ),
    ],
)
def test_predefined(language: str, condition: str) -> None:
    assert texts(f"#if {condition}\nyes\n#endif", language=language) == "yes"


def test_the_users_definition_wins() -> None:
    assert texts("M_PI\n#define INT_MAX 5\nINT_MAX", defines={"M_PI": "3"}) == "3 5"
    result = run("#define A 1 +  2\n#define B\n#undef B")
    assert result.defines == {"A": "1 + 2"}


def test_command_line_defines() -> None:
    defines = dict(map(parse_define, ["A", "B=2 + 3", "F(x)=x##x", "E="]))
    assert texts("A B F(y) [E]", defines=defines) == "1 2 + 3 yy [ ]"
    assert run("x", defines={"1x": "3"}).problems[0].span.path == "<command line>"


def test_file_and_line() -> None:
    assert (
        texts("__LINE__\n#define L __LINE__\n L __FILE__ __func__ __COUNTER__ __COUNTER__")
        == '1 3 "a.cu" __func__ 0 1'
    )


# -- broken input


@pytest.mark.parametrize(
    ("source", "line", "column", "words"),
    [
        ("#if 1\nx", 1, 2, "no #endif"),
        ("x\n#endif\nx", 2, 2, "#endif without #if"),
        ("#else\nx", 1, 2, "#else without #if"),
        ("#if 0\n#else\n#else\n#endif\nx", 3, 2, "after #else"),
        ("#if 1 +\n#endif\nx", 1, 7, "ends too early"),
        ("#if\n#endif\nx", 1, 2, "empty"),
        ("#if (1\n#endif\nx", 1, 6, "')' is missing"),
        ("#if 1 2\n#endif\nx", 1, 7, "not expected"),
        ("#if 1.5\n#endif\nx", 1, 5, "no integer"),
        ("#if 1 / 0\n#endif\nx", 1, 9, "division by zero"),
        ("#error stop here\nx", 1, 2, "#error stop here"),
        ("#define\nx", 1, 2, "needs a macro name"),
        ("#define F(a,\nx", 1, 10, "not closed"),
        ("#define F(a) #b\nx", 1, 14, "not followed"),
        ("#define F ## b\nx", 1, 11, "either end"),
        ("#define F(a) a\nF(1, 2) x", 2, 1, "takes 1 argument"),
        ("#define F(a) a\nx F(1", 2, 3, "never closed"),
        ("#define F(a, b) a ## b\nF(+, x) x", 2, 1, "does not make one token"),
        ("x /* y", 1, 3, "comment is never closed"),
        ('x "y\nz', 1, 3, "literal is never closed"),
        ("#include\nx", 1, 2, "header name"),
        ("#ifdef\n#endif\nx", 1, 2, "needs a macro name"),
    ],
)
def test_problems_have_places(source: str, line: int, column: int, words: str) -> None:
    result = run(source)
    (problem,) = result.problems
    assert (problem.code, problem.span.line, problem.span.column) == ("KL001", line, column)
    assert words in problem.message
    assert "x" in [token.text for token in result.tokens]


BOMBS = {
    "doubling": "".join(f"#define A{i} A{i + 1} A{i + 1}\n" for i in range(60)) + "A0\nend",
    "arguments": "#define C(x) x x\n#define D(x) C(C(C(x)))\n#define E(x) D(D(D(x)))\n#define F(x) E(E(E(x)))\nF(F(1))\nend",
    "strings": "#define S(x) T(x)\n#define T(x) #x #x\n"
    + "S(" * 40
    + '"'
    + '"'
    + ")" * 40
    + "\nend",
    "pasting": "".join(f"#define P{i}(x) P{i + 1}(x ## x)\n" for i in range(60)) + "P0(a)\nend",
    "deep arguments": "#define I(x) x\n" + "I(" * 5_000 + "1" + ")" * 5_000 + "\nend",
    "deep condition": "#if " + "(" * 20_000 + "1" + ")" * 20_000 + "\n#endif\nend",
    "deep precedence": "#if "
    + "(1 || 0 && 1 | 1 ^ 1 & 1 == 1 < 1 << 1 + 1 * " * 1_000
    + "1"
    + ")" * 1_000
    + "\n#endif\nend",
    "condition bomb": "".join(f"#define A{i} A{i + 1} + A{i + 1}\n" for i in range(60))
    + "#if A0\n#endif\nend",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_bombs_end(name: str) -> None:
    started = time.perf_counter()
    result = run(BOMBS[name])
    assert time.perf_counter() - started < 20
    assert result.problems and result.tokens[-1].text == "end"
    assert all(problem.span.line >= 1 for problem in result.problems)


DIRECTIVES = [
    "#if 1",
    "#if 0",
    "#else",
    "#elif X",
    "#endif",
    "#define X X(",
    "#define F(a) a F(",
    "#undef X",
    "#ifdef F",
    "#if F(1",
]
OTHERS = [
    "F(",
    ")",
    "X",
    '"',
    "'",
    "/*",
    "*/",
    "#",
    "##",
    "#pragma x",
    "#define F(a,...) #a ## __VA_ARGS__",
    "#include F(X)",
    "\\",
]
LINES = st.sampled_from(DIRECTIVES + OTHERS)


@pytest.mark.slow
@given(st.lists(LINES, max_size=20).map("\n".join))
@settings(max_examples=200, deadline=None)
def test_never_raises(source: str) -> None:
    for token in run(source).tokens:
        assert token.use.line >= 1


@pytest.mark.parametrize(
    "name", ["M2S(FOLDER/inner.h)", "STRING(FOLDER/sub/inner.h)", "FOLDER/sub/inner.h"]
)
def test_headers_named_through_macros_of_the_build_are_looked_for_nearby(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / "inner.h").write_text("int found;\n")
    main = tmp_path / "main.cl"
    read = preprocess(str(main), f"#include {name}\n", Options(language="opencl"))
    assert [token.text for token in read.tokens] == ["int", "found", ";"]
    assert read.missing == []


def test_a_header_that_is_nowhere_stays_missing(tmp_path: Path) -> None:
    read = preprocess(
        str(tmp_path / "main.cl"), "#include M2S(FOLDER/none.h)\n", Options(language="opencl")
    )
    assert read.missing == ["M2S(FOLDER/none.h)"]


LAYOUTS = {
    "include of the root": ("include/sizes.h", "sizes.h"),
    "in the root itself": ("lib/sizes.h", "lib/sizes.h"),
    "below include": ("include/lib/sizes.h", "lib/sizes.h"),
    "include of a part": ("src/include/sizes.h", "sizes.h"),
}


@pytest.mark.parametrize(("place", "named"), LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("mark", [".git/", "Makefile", ""])
def test_a_header_is_found_where_its_project_keeps_them(
    tmp_path: Path, place: str, named: str, mark: str
) -> None:
    root = tmp_path / "project"
    for path in (root / place, root / "src" / "gpu" / "k.cu", root / (mark or "notes.txt")):
        path.parent.mkdir(parents=True, exist_ok=True)
    (root / place).write_text("#define SIZE 7\n", encoding="utf-8")
    if mark.endswith("/"):
        (root / mark).mkdir()
    elif mark:
        (root / mark).write_text("", encoding="utf-8")
    source = str(root / "src" / "gpu" / "k.cu")
    found = preprocess(source, f"#include <{named}>\nint n = SIZE;\n", Options())
    assert [token.text for token in found.tokens][3] == ("7" if mark else "SIZE")
    assert found.missing == ([] if mark else [named])


def test_what_lies_above_a_project_is_not_its_own(tmp_path: Path) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "sizes.h").write_text("#define SIZE 7\n", encoding="utf-8")
    (tmp_path / "project" / ".git").mkdir(parents=True)
    source = str(tmp_path / "project" / "k.cu")
    assert preprocess(source, '#include "sizes.h"\n', Options()).missing == ["sizes.h"]
