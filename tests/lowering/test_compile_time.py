"""Calls that the compiler decides: constexpr functions of constants, tables of configurations,
template arguments that nobody gives."""

from __future__ import annotations

import pytest

from kernlint.ir import nodes as ir
from kernlint.ir.traversal import walk
from kernlint.lowering.calls import inlining
from kernlint.lowering.context import MAX_CALL_DEPTH
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files
from tests.support import needs
from tests.support.lowered import program as program_of

CONFIG = """
struct Config {
    int threads; int rows; bool swizzled;
    constexpr __host__ __device__ Config(int t, int r, bool s) : threads(t), rows(r), swizzled(s) {}
};
#define CASE(d, n, t, r, s) if (D == (d) && N == (n)) { static_assert((t) % 32 == 0, ""); return Config{(t), (r), (s)}; }
static constexpr __host__ __device__ Config config_a(const int D, const int N) {
    CASE(64, 8, 128, 4, true) CASE(64, 16, 256, 8, true) CASE(80, 8, 64, 2, false)
    return Config(32, 1, false);
}
static constexpr __device__ Config config(const int D, const int N) { return config_a(D, N); }
static constexpr __device__ int rows(const int D, const int N) { return config(D, N).rows; }
"""


def long_table(cases: int) -> str:
    """`pick(type, n)`: one of `cases` constants."""
    lines = "\n".join(
        f"    if (type == {i} && n == {i % 7}) return {32 * (i + 1)};" for i in range(cases)
    )
    return f"static constexpr __device__ int pick(const int type, const int n) {{\n{lines}\n    return 1;\n}}\n"


def lowered(text: str, arguments: tuple[str, ...] | None = None) -> ir.Kernel:
    program = program_of(text)
    return program.instantiate(program.kernels()[0], arguments)


def stored(kernel: ir.Kernel) -> list[ir.Expression]:
    return [value for s in walk(kernel.body) if isinstance(s, ir.Store) for _, value in s.values]


def test_a_member_of_a_returned_configuration_is_a_constant() -> None:
    kernel = lowered(
        CONFIG
        + "__global__ void k(int *p) { p[0] = rows(64, 16); p[1] = config(80, 8).threads; p[2] = config(7, 7).threads; }"
    )
    values = stored(kernel)
    assert [v.value for v in values if isinstance(v, ir.Constant)] == [8, 64, 32]
    assert not any(isinstance(s, (ir.If, ir.Assign)) for s in walk(kernel.body))


def test_an_arm_that_a_configuration_rules_out_is_not_lowered() -> None:
    text = (
        CONFIG
        + "template <int D> __global__ void k(int *p) { if (config(D, 8).swizzled) p[0] = missing(D); else p[1] = 5; }"
    )
    program = program_of(text)
    handle = program.kernels()[0]
    kernel = program.instantiate(handle, program.canonical(handle, ("80",)))
    assert [v.value for v in stored(kernel) if isinstance(v, ir.Constant)] == [5]
    assert not handle.problems


def test_a_table_is_read_once_for_equal_arguments() -> None:
    program = program_of(
        long_table(300)
        + "__global__ void k(int *p) { p[0] = pick(299, 5); p[1] = pick(299, 5) + pick(3, 3); }"
    )
    kernel = program.instantiate(program.kernels()[0], None)
    assert [v.value for v in stored(kernel) if isinstance(v, ir.Constant)] == [9600, 9728]
    assert len(program.returned) == 2


def test_a_long_table_for_an_argument_that_nobody_gives_is_one_unknown() -> None:
    """The same unknown for each call with that argument, also where it is handed on to another
    template."""
    text = (
        long_table(300)
        + """
template <int type> __device__ int again() { return pick(type, 3); }
template <int type> __global__ void k(float *p) { p[int(threadIdx.x) + pick(type, 3) - again<type>()] = 0; }
"""
    )
    kernel = lowered(text)
    assert not any(isinstance(s, ir.If) for s in walk(kernel.body))
    file = engine.analyse_source(files.Source("k.cu", "cuda", text, ()), Settings())
    (access,) = file.kernels[0].accesses
    assert access.sectors is not None and (access.sectors.mean_low, access.sectors.mean_high) == (
        4,
        4,
    )


def test_a_short_table_for_an_argument_that_nobody_gives_is_followed() -> None:
    kernel = lowered(
        long_table(5) + "template <int type> __global__ void k(float *p) { p[pick(type, 3)] = 0; }"
    )
    assert sum(isinstance(s, ir.If) for s in walk(kernel.body)) == 5


def test_a_function_that_calls_itself_without_end_is_refused() -> None:
    text = "constexpr int f(int n) { return f(n + 1) + 1; }\n__global__ void k(int *p) { p[0] = f(1); p[1] = 7; }"
    program = program_of(text)
    handle = program.kernels()[0]
    kernel = program.instantiate(handle, None)
    assert isinstance(stored(kernel)[1], ir.Constant)
    assert any(
        "nested more than" in problem.message or "recursive" in problem.message
        for problem in handle.problems
    )


@pytest.mark.slow
def test_a_constant_without_end_is_followed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of its calls followed all calls below it again: four hundred calls came to eighty
    thousand."""
    followed = []
    inline_body = inlining.inline_body
    monkeypatch.setattr(
        inlining,
        "inline_body",
        lambda low, *rest: (followed.append(rest[0].name), inline_body(low, *rest))[1],
    )
    program = program_of(
        "constexpr int f(int n) { return f(n + 1); }\nconstexpr int N = f(0);\n__global__ void k(int *p) { p[N] = 1; }"
    )
    program.instantiate(program.kernels()[0], None)
    assert len(followed) < 10 * MAX_CALL_DEPTH


def test_a_deep_call_is_a_value_wherever_it_was_met_first() -> None:
    text = "constexpr int f(int n) { return n == 0 ? 7 : f(n - 1); }\nconstexpr int N = f(500), M = f(300);\n"
    kernel = lowered(text + "__global__ void k(int *p) { p[0] = M; p[1] = f(200); }")
    assert [v.value for v in stored(kernel) if isinstance(v, ir.Constant)] == [7, 7]


def test_what_reads_memory_is_lowered_in_place() -> None:
    before = "__constant__ int table[4];\nconstexpr __device__ int f(int n) { return table[n]; }\n"
    kernel = lowered(before + "__global__ void k(int *p) { p[0] = f(1) + f(1); }")
    assert sum(isinstance(s, ir.Load) for s in walk(kernel.body)) == 2


@needs.interpreted
def test_a_static_method_is_evaluated_once_for_equal_arguments(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    followed = []
    inline_body = inlining.inline_body
    monkeypatch.setattr(
        inlining,
        "inline_body",
        lambda low, *rest: (followed.append(rest[0].name), inline_body(low, *rest))[1],
    )
    before = """struct Format {
    int bits; bool sign;
    constexpr Format(int bits, bool sign) : bits(bits), sign(sign) {}
    static constexpr Format whole(int bits) { return Format(bits, true); }
    static constexpr int twice(int n) { return 2 * n; }
};
"""
    uses = " ".join(
        f"p[{i}] = Format::whole(4).bits + Format::twice({i % 2 + 1});" for i in range(6)
    )
    kernel = lowered(f"{before}__global__ void k(int *p) {{ {uses} }}")
    assert [v.value for v in stored(kernel) if isinstance(v, ir.Constant)] == [6, 8] * 3
    assert (followed.count("whole"), followed.count("twice"), followed.count("Format")) == (1, 2, 1)


@pytest.mark.parametrize(
    ("body", "sectors"),
    [
        ("const Shape *p = &c; o[t * p->steps[1]] = 1;", 24),
        ("const int *p = c.steps; o[t * p[2]] = 1;", 28),
        ("for (int i = 0; i < 3; i++) o[t * c.steps[i]] = 1;", 24),
        ("for (int step : c.steps) o[t * step] = 1;", 24),
        ("const Shape &r = c; o[t * r.rows] = 1;", 8),
    ],
)
def test_a_constant_object_has_an_address_and_elements(body: str, sectors: int) -> None:
    text = (
        "struct Shape { int rows, steps[3]; }; constexpr Shape shapes[] = {{1, {}}, {2, {5, 6, 7}}};\n"
        "template <int N> __device__ int times(int i) { return N * i; }\n"
        "__global__ void k(float *o) {\n"
        f"    constexpr Shape c = shapes[1]; const int t = times<c.rows>(threadIdx.x) / 2;\n    {body}\n}}\n"
        "void run(float *o) { k<<<1, 32>>>(o); }\n"
    )
    file = engine.analyse((), Settings(), stdin=files.from_bytes("k.cu", text.encode())).files[0]
    counted = [a.sectors for a in file.kernels[0].accesses if a.space == "global"]
    assert [one and one.mean for one in counted] == [sectors]
