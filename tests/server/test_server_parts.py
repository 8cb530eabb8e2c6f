"""Declarations beside functions concern the kernels that mention what they declare, and no
others."""

from __future__ import annotations

from typing import Any

import pytest

from kernlint.lowering.program import Program
from kernlint.memo import json_codec
from kernlint.server.analysis import Documents, FileAnalysis
from kernlint.server.declarations import Parts
from kernlint.server.sharing import Alone, Sharing
from kernlint.server.worker_pool import Crew
from kernlint.source.parser.parser import parse
from kernlint.source.preprocessor.preprocess import Options, preprocess

pytestmark = pytest.mark.slow


def parts_of(text: str) -> Parts:
    prepared = preprocess("k.cu", text, Options(language="cuda"))
    return Parts("k.cu", parse(prepared.tokens, "k.cu", "cuda", prepared.opening), text.split("\n"))


@pytest.mark.parametrize(
    "text, declares, not_declared",
    [
        ("struct A : B { int x; void f(int y); };", {"A"}, {"x", "y", "f"}),
        ("struct __align__(8) A { int x; };", {"A"}, {"y"}),
        ("typedef struct { int x; } A;", {"A", "x"}, set()),
        ("union { int x; float y; };", {"x", "y"}, set()),
        ("union __align__(8) { int x; struct In { int z; } y; };", {"x", "In", "y"}, set()),
        ("enum Kind { ONE = 1, TWO };", {"Kind", "ONE", "TWO"}, set()),
        ("enum { WIDTH = 8 };", {"WIDTH"}, set()),
        ("struct H { enum { IN }; } h = { value };", {"H", "h"}, {"value", "IN"}),
        ("typedef int (*Callback)(int code);", {"Callback"}, set()),
        ("int (A::*member)(int y);", {"member"}, set()),
        ("int (x);", {"x"}, set()),
        ("float cube(float x);", {"cube"}, {"x"}),
        ("template <typename T, int N> struct A { T x[N]; };", {"A"}, {"x"}),
        ("template <> struct A<float> { int y; };", {"A"}, {"y"}),
        ("using Number = float;", {"Number"}, set()),
        ("__constant__ float table[4] = { x };", {"table"}, {"x"}),
        ("A::A(int y) : z(y) { int w; }", {"A"}, {"w"}),
        (
            "__device__ inline float cube(float x,",
            set(),
            {"cube", "x"},
        ),  # what could not be read means nothing,
        ("__device__ inline float cube(float x) { return x * y", set(), {"cube", "x", "y"}),
        (
            "_struct A { float x; void f() { y = 1; } };",
            {"A"},
            {"_struct", "x", "f", "y"},
        ),  # but for what reading got as far as
        ("float a, x 5 y;", {"a", "x"}, {"y"}),
    ],
)
def test_what_a_declaration_may_declare(
    text: str, declares: set[str], not_declared: set[str]
) -> None:
    found = [part.declares for part in parts_of(text).found if not part.name]
    assert len(found) == 1 and declares <= found[0] and not not_declared & found[0]


@pytest.mark.parametrize(
    "text",
    [
        "struct A { friend int f(A a) { return 1; } };",
        "A operator+(A a, A b) { return a; }",
        "using namespace far;",
        "int begin(A a);",
    ],
)
def test_what_acts_without_its_name_is_everyones(text: str) -> None:
    assert any(part.is_everyones for part in parts_of(text).found)


def test_tokens_of_no_declaration_are_loose() -> None:
    parts = parts_of(
        "namespace n {\n#pragma unroll\nint f() { return 1; }\nstruct A { int x; };\n}\nint g(int x"
    )
    assert [part.name for part in parts.found] == ["f", "", ""]
    assert [part.before for part in parts.found] == [4, 4, 5] and [text for text in parts.loose if text] == [
        "namespace", "n", "{", "pragma unroll", "}",
    ]  # fmt: skip


EDITED = """\
struct Pair { float a; int b; };
typedef Pair Both;
// above
__global__ void plain(float *p) { p[threadIdx.x * 2] = 1; }
__global__ void paired(Both *p) { p[threadIdx.x].b = 1; }
template <typename T> __global__ void made(T *p) { p[threadIdx.x] = T(); }
void start(float *p, Both *q) {
    plain<<<1, 32>>>(p);
    paired<<<1, 32>>>(q);
    made<Both><<<1, 32>>>(q);
}
"""


def relowered(
    monkeypatch: pytest.MonkeyPatch, before: str, after: str
) -> tuple[FileAnalysis, FileAnalysis, set[str]]:
    """The analysis of a text after another one, that from nothing, and the kernels that the first
    lowered."""
    names: set[str] = set()
    real = Program.instantiate

    def instantiate(self: Program, handle: Any, *arguments: Any) -> Any:
        names.add(handle.name)
        return real(self, handle, *arguments)

    documents = Documents()
    documents.analyse("k.cu", before)
    monkeypatch.setattr(Program, "instantiate", instantiate)
    found = documents.analyse("k.cu", after)
    monkeypatch.undo()
    return found, Documents().analyse("k.cu", after), names


@pytest.mark.parametrize(
    "before, after, lowered",
    [
        ("float a;", "float a, c;", {"paired", "made"}),
        ("typedef Pair Both;", "typedef Pair Both;\nstruct More { float plain; };", set()),
        ("// above", "struct Begun { Pair x;", set()),
        ("// above", "__device__ inline flo", set()),
        ("// above", "__global__ void added(float *p) { p[0", set()),
        ("// above", "namespace { }", {"plain", "paired", "made"}),
        ("// above", "using namespace far;", {"plain", "paired", "made"}),
        (
            "struct Pair",
            "__device__ inli\nstruct Pair",
            set(),
        ),  # what is being typed above does not swallow it
        ("struct Pair", "struct Unlike", {"paired", "made"}),
        (
            "struct Pair { float a;",
            "_struct Pair { float x;",
            {"paired", "made"},
        ),  # all of them say threadIdx.x
    ],
)
def test_a_declaration_concerns_the_kernels_that_mention_it(
    monkeypatch: pytest.MonkeyPatch, before: str, after: str, lowered: set[str]
) -> None:
    found, anew, names = relowered(monkeypatch, EDITED, EDITED.replace(before, after))
    assert names == lowered
    assert (
        json_codec.encode(found.file) == json_codec.encode(anew.file)
        and found.findings == anew.findings
    )


@pytest.mark.parametrize(
    "first, second, lowered",
    [
        ("_struct Pair { float x;", "__struct Pair { float xy;", set()),
        ("_struct Pair { float x;", "_struct Paired { float x;", {"paired", "made"}),
        (
            "struct Pair { enum { plain }; float x y;",
            "struct Pair { enum { plain, more }; float x y;",
            {"paired", "made"},
        ),
    ],
)
def test_of_what_cannot_be_read_counts_what_its_names_mean(
    monkeypatch: pytest.MonkeyPatch, first: str, second: str, lowered: set[str]
) -> None:
    texts = [EDITED.replace("struct Pair { float a;", text) for text in (first, second)]
    found, anew, names = relowered(monkeypatch, *texts)
    assert names == lowered
    assert (
        json_codec.encode(found.file) == json_codec.encode(anew.file)
        and found.findings == anew.findings
    )


LAMBDA = """\
template <typename F> __global__ void k(float *p, F f) { p[f(threadIdx.x)] = 1; }
void start(float *p, int n) {
    int s = 4;
    k<<<1, 32>>>(p, [=] __device__ (int i) { return i * s; });
}
"""


@pytest.mark.parametrize(
    "before, after",
    [
        ("i * s", "i * 8 * s"),
        ("template", "\ntemplate"),
        ("p[f", "p[1 + f"),
        ("s = 4", "s = 5"),
        ("i * s", "i * s  "),
    ],
)
def test_a_lambda_that_a_kernel_is_given_is_followed_anew(before: str, after: str) -> None:
    """Its body stands in host code."""
    documents = Documents()
    documents.analyse("k.cu", LAMBDA)
    found = documents.analyse("k.cu", LAMBDA.replace(before, after, 1))
    assert json_codec.encode(found.file) == json_codec.encode(
        Documents().analyse("k.cu", LAMBDA.replace(before, after, 1)).file
    )


LITERAL = """\
template <typename T> __device__ T scaled(T a) { return a * (T)1 * 0.1; }
__device__ float damped(float a) { return a + 0.1; }
// kernlint: launch(grid=1, block=32)
__global__ void f(float *o) { o[threadIdx.x] = scaled(o[threadIdx.x]) + damped(o[threadIdx.x]); }
// kernlint: launch(grid=1, block=32)
__global__ void g(float *o, double v) { o[threadIdx.x] = scaled(o[threadIdx.x]) + damped(o[threadIdx.x]); }
"""


class Helped(Alone):
    """As if another process were at work: kernels are judged before the others are known."""

    hands = 2


class Helpers(Crew):
    def share(self, path: str, text: str, how: str) -> Sharing:
        return Helped()


@pytest.mark.parametrize("helpers", [None, Helpers(0)])
def test_what_is_said_of_a_literal_does_not_depend_on_other_kernels(helpers: Crew | None) -> None:
    """Neither on those that were there before an edit, nor on those that are still under way."""

    def told(documents: Documents, text: str) -> list[tuple[str, object, object]]:
        return [
            (one.kernel, one.fix, one.help)
            for one in documents.analyse("k.cu", text).findings
            if one.code == "KL701"
        ]

    documents = Documents(helpers)
    for text in (
        LITERAL,
        LITERAL.replace("g(float", "g(double"),
        LITERAL.replace("0.1", "0.3"),
        LITERAL,
    ):
        found = told(documents, text)
        assert [fix is not None for kernel, fix, _ in found if kernel == "f"] == [False, True]
        assert found == told(Documents(), text)
