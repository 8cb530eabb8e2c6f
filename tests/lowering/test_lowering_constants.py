"""Constant folding against g++: random expressions over every integer type, and constexpr
functions."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from kernlint.lowering.scopes import GlobalVariable
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files
from tests.support import needs
from tests.support.lowered import program

LITERALS = ["0", "1", "7", "-3", "42u", "255", "65535", "0x7fffffff", "0xffffffffu", "1000000007L", "3UL", "5LL", "0x123456789ULL", "'a'",
            "true", "017", "0b1011", "1'000'000", "2.5", "0.5f", "1e3", "-7.75"]  # fmt: skip
TYPES = [
    "int",
    "unsigned",
    "short",
    "unsigned char",
    "signed char",
    "long",
    "unsigned long",
    "long long",
    "unsigned short",
    "bool",
    "char",
    "float",
    "double",
]
BINARY = [
    "+",
    "-",
    "*",
    "/",
    "%",
    "&",
    "|",
    "^",
    "<<",
    ">>",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "&&",
    "||",
]


def expression(draw: random.Random, depth: int, integral: bool = True) -> str:
    """A random expression; operands of integer-only operators are cast to an integer type first."""
    kind = draw.random()
    if depth == 0 or kind < 0.15:
        return f"({draw.choice(LITERALS)})"
    inner = lambda: expression(draw, depth - 1)  # noqa: E731
    if kind < 0.25:
        return f"(({draw.choice(TYPES)}){inner()})"
    if kind < 0.3:
        return f"static_cast<{draw.choice(TYPES)}>({inner()})"
    if kind < 0.37:
        return f"({draw.choice(['-', '+', '!'])}{inner()})"
    if kind < 0.4:
        return f"(~(int){inner()})"
    if kind < 0.5:
        return f"({inner()} ? {inner()} : {inner()})"
    op = draw.choice(BINARY)
    if op in ("<<", ">>"):
        return f"((unsigned long){inner()} {op} ((int){inner()} & 31))"
    if op in ("%", "&", "|", "^"):
        return (
            f"((long){inner()} {op} (unsigned){inner()})"
            if draw.random() < 0.5
            else f"((int){inner()} {op} (short){inner()})"
        )
    return f"({inner()} {op} {inner()})"


def gcc_values(tmp_path: Path, declarations: str, expressions: list[str]) -> list[str | None]:
    """What g++ computes; None where it is not a constant expression (overflow, division by
    zero)."""
    kept: list[str | None] = []
    show = 'template <class T> void show(T v) { printf("%%.17g %%zu %%d\\n", (double)v, sizeof v, (int)(T(-1) < T(0))); }'
    template = f"#include <cstdio>\n%s\n{show}\nint main() {{\n%s}}\n"
    lines = [f"  {{ constexpr auto v{i} = {e}; show(v{i}); }}" for i, e in enumerate(expressions)]
    remaining = dict(enumerate(lines))
    while True:
        text = template % (declarations, "\n".join(remaining.values()))
        (tmp_path / "probe.cpp").write_text(text)
        done = subprocess.run(
            ["g++", "-w", "-std=c++17", "-fmax-errors=0", "probe.cpp", "-o", "probe"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        if done.returncode == 0:
            break
        first = text.split("\n").index("int main() {") + 2
        ordered = list(remaining)
        bad = {
            int(line.split(":")[1]) - first
            for line in done.stderr.split("\n")
            if line.startswith("probe.cpp:") and " error:" in line
        }
        for position in bad:
            if 0 <= position < len(ordered):
                remaining.pop(ordered[position], None)
    printed = subprocess.run(
        [tmp_path / "probe"], capture_output=True, text=True, check=True
    ).stdout.split("\n")
    values = dict(zip(remaining, printed, strict=False))
    kept = [values.get(i) for i in range(len(expressions))]
    return kept


def folded(read: object, i: int) -> str | None:
    found = read.scope.names[f"v{i}"]  # type: ignore[attr-defined]
    assert isinstance(found, GlobalVariable)
    constant = read.constant(found.node.init, read.scope)  # type: ignore[attr-defined]
    if constant is None:
        return None
    signed = getattr(constant.type, "signed", True)
    return f"{float(constant.value):.17g} {constant.type.size} {int(signed)}"


@pytest.mark.slow
@needs.gpp
def test_expressions_fold_as_gcc_computes_them(tmp_path: Path) -> None:
    draw = random.Random(11)
    expressions = [expression(draw, draw.randint(1, 4)) for _ in range(400)]
    wanted = gcc_values(tmp_path, "", expressions)
    assert sum(w is not None for w in wanted) > 250
    read = program("\n".join(f"constexpr auto v{i} = {e};" for i, e in enumerate(expressions)))
    for i, (text, value) in enumerate(zip(expressions, wanted, strict=True)):
        found = folded(read, i)
        out_of_range = (
            found is None and "." in text
        )  # g++ folds conversions of floats that do not fit, which are undefined
        if value is not None and not out_of_range:
            assert found == value, text


FUNCTIONS = """
constexpr int log2i(int n) { int r = 0; while (n >>= 1) ++r; return r; }
constexpr unsigned gcd(unsigned a, unsigned b) { return b == 0 ? a : gcd(b, a % b); }
constexpr int fib(int n) { if (n < 2) return n; return fib(n - 1) + fib(n - 2); }
constexpr int sum(int n) { int s = 0; for (int i = 0; i < n; i++) { if (i % 3 == 0) continue; if (i > 20) break; s += i; } return s; }
constexpr int pick(int k) { switch (k) { case 1: return 10; case 2: k += 5; case 3: k *= 2; break; default: k = -1; } return k; }
template <int N> struct Power { static constexpr int value = 2 * Power<N - 1>::value; };
template <> struct Power<0> { static constexpr int value = 1; };
template <typename T, int N> constexpr int count(const T (&)[N]) { return N; }
constexpr int table[5] = {3, 1, 4, 1, 5};
constexpr int find(int x) { for (int i = 0; i < 5; ++i) if (table[i] == x) return i; return -1; }
template <typename T> constexpr bool is_float = false;
template <> constexpr bool is_float<float> = true;
struct Shape { int m, n; constexpr int area() const { return m * n; } };
constexpr Shape shape{6, 7};
enum Kind { A, B = 5, C }; enum class Mode : unsigned char { X = 3, Y };
namespace deep { inline namespace v1 { constexpr int hidden = 9; } }
constexpr auto twice = [](int x) { return 2 * x; };
template <int... Ns> constexpr int total() { return (Ns + ... + 0); }
template <typename T> constexpr int width() {
    if constexpr (sizeof(T) == 1) return 16; else if constexpr (sizeof(T) == 2) return 8; else return 4;
}
"""


@needs.gpp
def test_constexpr_functions(tmp_path: Path) -> None:
    expressions = [
        "log2i(1024)", "gcd(48, 36)", "fib(12)", "sum(100)", "pick(1) + pick(2) * 100 + pick(3) * 10000 + pick(9)", "Power<10>::value",
        "count(table)", "find(4)", "find(9)", "is_float<float> + 2 * is_float<int>", "shape.area()", "Shape{2, 3}.area()", "B + C",
        "(int)Mode::Y", "deep::hidden", "twice(21)", "total<1, 2, 3>()", "width<char>() * 100 + width<short>() * 10 + width<double>()",
        "sizeof(Shape) * alignof(double)", "table[2] + sizeof(table)", "sizeof(Mode)", "(A, C)",
    ]  # fmt: skip
    wanted = gcc_values(tmp_path, FUNCTIONS, expressions)
    read = program(
        FUNCTIONS + "\n".join(f"constexpr auto v{i} = {e};" for i, e in enumerate(expressions))
    )
    for i, (text, value) in enumerate(zip(expressions, wanted, strict=True)):
        assert value is not None, text
        assert folded(read, i) == value, text


def test_template_arguments_mean_what_they_mean_where_they_stand() -> None:
    """Values of arguments are worked out once for each spelling in a namespace, not across
    namespaces or for what reads alike."""
    space = (
        "namespace {name} {{ struct T {{ int v; constexpr int id(int k) const {{ return v * k; }} }}; constexpr T t{{{value}}};\n"
        "template <int N> __global__ void k_{name}(float *x) {{ x[N] = 1.0f; }}\n"
        "template __global__ void k_{name}<t.id(3)>(float *); template __global__ void k_{name}<t.id(3)>(float *);\n"
        "template __global__ void k_{name}<t.id(5)>(float *); template __global__ void k_{name}<t.id(3) + 1>(float *);\n"
        "template __global__ void k_{name}<t.id(3) - 1>(float *); template __global__ void k_{name}<(int)sizeof(short)>(float *);\n"
        "template __global__ void k_{name}<(int)sizeof(double)>(float *); }}\n"
    )
    found = program(space.format(name="a", value=2) + space.format(name="b", value=10))
    instances = {
        kernel.name: [texts[0] for texts in kernel.explicit_instantiations]
        for kernel in found.kernels()
    }
    assert instances == {
        "k_a": ["6", "6", "10", "7", "5", "2", "8"],
        "k_b": ["30", "30", "50", "31", "29", "2", "8"],
    }


@pytest.mark.parametrize(
    ("index", "stride"),
    [
        ("threadIdx.x * 3_k", 3 * 1024),
        ("threadIdx.x * int(1.5_half)", 3),
        ("threadIdx.x * 1'23_digits", 3),
        ("threadIdx.x * 0x1F_k", 31 * 1024),
    ],
)
def test_literals_with_suffixes_of_the_program(index: str, stride: int) -> None:
    source = f"""
        constexpr int operator""_k(unsigned long long x) {{ return int(x) * 1024; }}
        constexpr double operator"" _half(long double x) {{ return 2 * x; }}
        template <char... c> constexpr int operator""_digits() {{ return sizeof...(c); }}
        __global__ void f(char *a) {{ a[{index}] = 1; }}
        int main() {{ f<<<1, 32>>>(0); }}
    """
    [kernel] = engine.analyse_source(files.from_bytes("x.cu", source.encode()), Settings()).kernels
    assert kernel.accesses[0].index == f"{stride}*threadIdx.x"
