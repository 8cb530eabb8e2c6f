"""Backward `goto`, recursion, virtual calls and function pointers: counted where they can be
followed, otherwise said not to be."""

from __future__ import annotations

import pytest

from kernlint.model import facts
from tests.pipeline.test_engine import analyse

LAUNCH = "// kernlint: launch(grid=1, block=32)\n"


def kernel(code: str) -> facts.Kernel:
    (found,) = analyse(LAUNCH + code).kernels
    return found


def told(code: str) -> list[str]:
    return [problem.reason for problem in analyse(LAUNCH + code).problems]


def counted(code: str) -> list[tuple[str, str, int | None]]:
    return [
        (access.index or "", access.status, access.requests) for access in kernel(code).accesses
    ]


LOOPS = {  # body: (index, requests) of what it stores, the evaluations of its conditions
    "int i = 0; again: o[threadIdx.x * 2 + i] = 1; if (++i < 5) goto again;": ([5], [5]),
    "int i = 0; again: o[threadIdx.x * 2 + i] = 1; if (++i < 5) { goto again; } o[0] = i;": (
        [5, 1],
        [5],
    ),
    "int i = 0; again: i++; if (i == 2) goto again; if (i > 5) goto out; o[threadIdx.x * 2 + i] = 1; goto again; out: o[0] = i;": (
        [4, 1],
        [6, 5],
    ),
    "int i = 0; outer: { int j = 0; inner: o[threadIdx.x + i * 32 + j * 256] = 1; if (++j < 4) goto inner; } if (++i < 3) goto outer;": (
        [12],
        [12, 3],
    ),
    "for (int k = 0; k < 3; k++) { int i = 0; top: if (i == 2) continue; o[k * 64 + threadIdx.x + i] = 1; i++; goto top; }": (
        [6],
        [4, 9],
    ),
    "int i = 0; top: switch (i) { case 3: goto out; default: o[threadIdx.x + i * 32] = 1; } i++; goto top; out: ;": (
        [3],
        [4],
    ),
}


@pytest.mark.parametrize("body", LOOPS)
def test_jumps_back_are_loops(body: str) -> None:
    found = kernel(f"__global__ void k(int *o) {{ {body} }}")
    requests, evaluations = LOOPS[body]
    assert [access.requests for access in found.accesses if access.op == "store"] == requests
    assert [branch.evaluations for branch in found.branches if branch.condition] == evaluations


@pytest.mark.parametrize(
    "body",
    [
        "int i = 0; { again: o[threadIdx.x * 8] = i; } if (++i < 3) goto again;",
        "int i = 0; if (c) goto middle; top: o[threadIdx.x] = 1; middle: o[threadIdx.x + 32] = 1; if (++i < 3) goto top;",
    ],
)
def test_jumps_into_what_is_repeated_give_no_numbers(body: str) -> None:
    code = f"__global__ void k(int *o, int c) {{ {body} }}"
    assert not analyse(LAUNCH + code).kernels
    assert told(code) == ["backward-jump"]


def test_computed_jumps_give_no_numbers() -> None:
    code = """
__global__ void k(int *o, int c) {
    static void *const table[] = {&&one, &&two};
    goto *table[c];
one:
    o[threadIdx.x * 8] = 1;
two:
    o[threadIdx.x] = 2;
}
"""
    assert not analyse(LAUNCH + code).kernels
    assert told(code) == ["computed-jump"]


def test_what_a_function_that_calls_itself_does_is_not_counted_as_done_once() -> None:
    code = """
    __device__ int f(int *p, int n) { p[n * 8] = n; if (n < 2) return 1; return n * f(p, n - 1); }
    __global__ void k(int *o) { o[threadIdx.x] = f(o + 100, threadIdx.x); }"""
    inner, outer = kernel(code).accesses
    assert (inner.status, inner.requests) == ("unknown", None) and (
        outer.status,
        outer.requests,
    ) == ("exact", 1)
    assert [(b.status, b.evaluations) for b in kernel(code).branches] == [("unknown", None)] * 2
    assert told(code) == ["recursion"]


def test_functions_that_call_each_other_are_not_counted_as_done_once() -> None:
    code = """
    __device__ void g(int *p, int n);
    __device__ void h(int *p, int n) { p[n] = 1; if (n > 0) g(p, n - 1); }
    __device__ void g(int *p, int n) { p[n * 2] = 2; if (n > 0) h(p, n - 1); }
    __global__ void k(int *o) {
        h(o, threadIdx.x & 7);
        o[threadIdx.x] = 3;
    }"""
    assert [(a.status, a.requests) for a in kernel(code).accesses] == [
        ("unknown", None),
        ("unknown", None),
        ("exact", 1),
    ]


def test_recursion_of_templates_ends_at_compile_time() -> None:
    code = """
    template <int N> __device__ int f(int *p) { p[threadIdx.x * N] = N; if constexpr (N > 1) return f<N / 2>(p + 512) + 1; return 0; }
    __global__ void k(int *o) { o[0] = f<8>(o + 1); }"""
    assert [a.requests for a in kernel(code).accesses] == [1] * 5
    assert told(code) == []


POINTERS = """
typedef void (*F)(int *, int);
__device__ void one(int *p, int n) { p[n * 2] = 1; }
__device__ void two(int *p, int n) { p[n] = 2; }
"""


@pytest.mark.parametrize(
    "code",
    [
        "__global__ void k(int *o, F f) { f(o, threadIdx.x); }",
        "__device__ F table[2] = {one, two}; __global__ void k(int *o) { table[threadIdx.x & 1](o, threadIdx.x); }",
        "__global__ void k(int *o) { F f = threadIdx.x & 1 ? one : two; f(o, threadIdx.x); }",
    ],
)
def test_calls_of_whatever_function_are_told(code: str) -> None:
    assert told(f"{POINTERS} {code}") == ["pointer-call"]


CLASSES = """
struct B { __device__ virtual void go(int *p) { p[threadIdx.x] = 1; } };
struct D : B { __device__ void go(int *p) override { p[threadIdx.x * 8] = 1; } };
"""


@pytest.mark.parametrize("call", ["D d; B *b = &d; b->go(o);", "D d; B &b = d; b.go(o);"])
def test_a_virtual_call_is_not_taken_for_that_of_the_base(call: str) -> None:
    code = f"{CLASSES} __global__ void k(int *o) {{ {call} }}"
    assert told(code) == ["virtual-call"] and kernel(code).accesses == ()


def test_a_virtual_method_of_an_object_is_its_own() -> None:
    code = f"{CLASSES} __global__ void k(int *o) {{ D d; d.go(o); B b; b.go(o + 512); d.B::go(o + 1024); }}"
    assert [a.sectors.max for a in kernel(code).accesses if a.sectors is not None] == [4, 4, 32]
    assert told(code) == []


NAMED = """
namespace n { template <int S> struct B { int x; __device__ void go(int *p) { p[threadIdx.x * S] = 1; } }; }
struct D : n::B<2> { int x; __device__ void go(int *p) { n::B<2>::go(p); } __device__ void two(int *p) { this->n::B<2>::go(p); } };
"""


@pytest.mark.parametrize(
    ("call", "sectors"),
    [
        ("D d; d.n::B<2>::go(o);", 8),
        ("D d; D *e = &d; e->n::B<2>::go(o);", 8),
        ("D d; d.two(o);", 8),
        ("D d; d.B::x = 8; d.x = 4; o[threadIdx.x * d.x] = 1;", 16),
    ],
)
def test_a_member_may_name_its_class(call: str, sectors: int) -> None:
    (access,) = kernel(f"{NAMED} __global__ void k(int *o) {{ {call} }}").accesses
    assert access.sectors is not None and access.sectors.max == sectors


def test_an_assembly_statement_may_jump_to_each_of_its_labels() -> None:
    code = """__global__ void k(int *o, int n) {
        asm goto("@p bra %l1;" : : "r"(n) : "memory" : once, twice);
        o[threadIdx.x] = 1;
    once:
        o[threadIdx.x * 2] = 1;
        return;
    twice:
        o[threadIdx.x * 4] = 1;
    }"""
    found = [(a.status, a.sectors.max) for a in kernel(code).accesses if a.sectors is not None]
    assert found == [("range", 4), ("range", 8), ("range", 16)]


def test_a_jump_of_assembly_in_host_code_loses_no_launch() -> None:
    code = """__global__ void k(int *o) { o[threadIdx.x] = 1; }
    static bool taken(long *p) {
    again:
        asm volatile goto("jc %l[set]; jz %l[again]" :: "m"(*p) : "memory", "cc" : set, again);
        return false;
    set:
        return true;
    }
    int main() { int *o; long f = 0; cudaMalloc(&o, 256); taken(&f); k<<<2, 64>>>(o); }"""
    (found,) = analyse(code).kernels
    assert (found.launch.grid, found.launch.block) == ((2, 1, 1), (64, 1, 1))
