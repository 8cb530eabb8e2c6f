"""Which calls are followed: recursion that ends at compile time, limits that are named, jumps."""

from __future__ import annotations

import pytest

from kernlint.ir import nodes as ir
from kernlint.ir.printer import show
from kernlint.lowering.context import MAX_CALL_DEPTH
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files
from tests.support.lowered import body, program, shown


def problems(text: str) -> list[str]:
    """What is said about the last kernel in `text`."""
    read = program(text)
    handle = read.kernels()[-1]
    read.instantiate(handle, None)
    return [f"{p.code} {p.message}" for p in handle.problems]


CHAIN = """
template <int N> struct Chain {{ static __device__ int run(int x) {{ return Chain<N - 1>::run(x) + 1; }} }};
template <> struct Chain<0> {{ static __device__ int run(int x) {{ return x; }} }};
__global__ void k(int *p) {{ p[Chain<{depth}>::run(0)] = 1; }}
"""


@pytest.mark.slow
def test_template_recursion_is_followed_to_its_end() -> None:
    read = program(CHAIN.format(depth=300))
    kernel = read.instantiate(read.kernels()[-1], None)
    assert [show(kernel, False).count("+ 1)"), problems(CHAIN.format(depth=300))] == [300, []]


def test_recursion_by_if_constexpr_is_followed() -> None:
    text = "template <int N> __device__ int f() { if constexpr (N <= 0) return 0; else return 1 + f<N - 1>(); }"
    assert problems(f"{text} __global__ void k(int *p) {{ p[f<90>()] = 1; }}") == []


def test_a_chain_that_is_too_long_is_not_called_recursion() -> None:
    found = problems(CHAIN.format(depth=MAX_CALL_DEPTH + 10))
    assert found == [
        f"KL003 call of run is not analysed: calls are nested more than {MAX_CALL_DEPTH} deep"
    ]


def test_recursion_is_called_recursion_and_its_result_has_that_reason() -> None:
    text = "__device__ int f(int n) { return n ? f(n - 1) : 0; } __global__ void k(int *p, int n) { p[f(n)] = 1; }"
    assert problems(text) == [
        "KL003 recursive call of f is not analysed: its depth and arguments are unknown"
    ]
    read = program(text)
    assert "unknown[unsupported: f]" in show(read.instantiate(read.kernels()[-1], None), False)


@pytest.mark.parametrize(
    "function",
    [
        "constexpr __device__ int lg(int n) { return n <= 1 ? 0 : 1 + lg(n / 2); }",
        "constexpr __device__ int lg(int n) { if (n <= 1) return 0; return 1 + lg(n / 2); }",
        "constexpr __device__ int lg(int n) { int k = 0; while (n > 1) { n /= 2; k++; } return k; }",
    ],
)
def test_constexpr_functions_of_constants_are_computed(function: str) -> None:
    assert "store (p + 24)" in shown(f"{function} __global__ void k(int *p) {{ p[lg(64)] = 1; }}")


def test_a_jump_to_a_label_that_is_not_there_is_broken_code() -> None:
    assert problems("__global__ void k(int *p) { if (p[0]) goto out; p[1] = 0; }") == [
        "KL001 goto out: this function has no label of that name"
    ]


def test_an_unread_body_does_not_hide_its_callers_accesses() -> None:
    read = program(
        "__device__ int f(int n) { return n ? f(n - 1) : 0; } __global__ void k(int *p) { f(3); p[1] = 0; }"
    )
    assert any(isinstance(s, ir.Store) for s in read.instantiate(read.kernels()[-1], None).body)


@pytest.mark.parametrize(("language", "word"), [("opencl", "KERNEL_FQ"), ("cuda", "MY_KERNEL_API")])
def test_a_macro_that_says_kernel_is_taken_to_declare_one(language: str, word: str) -> None:
    read = program(
        f"{word} void k(ATTRIBUTES()) {{ int a[4]; a[0] = 1; }} SPACE void helper(int x) {{}}",
        language,
    )
    handles = read.kernels()
    assert [
        (h.name, [p.message for p in h.problems], [p.note for p in h.problems]) for h in handles
    ] == [
        (
            "k",
            [f"`{word}` is not defined in the analysed files; assumed to declare a kernel"],
            [True],
        )
    ]


def test_an_operator_on_what_is_unknown_does_not_call_itself() -> None:
    text = (
        "__device__ Missing operator*(const Missing &a, float b) { return make(real(a) * b, imag(a) * b); }"
        "__global__ void k(Missing *p) { Missing v = p[0] * 2.0f; p[1] = v; }"
    )
    missing = "is called but its definition was not found: its accesses are not counted"
    assert problems(text) == [f"KL003 `{name}` {missing}" for name in ("real", "imag", "make")]


OWN_HALF = """
namespace at { struct Half; }
__device__ at::Half __shfl_up_sync(unsigned mask, at::Half v, unsigned d) { return __shfl_up_sync(mask, v.operator __half(), d); }
__device__ at::Half __ldg(const at::Half *p) { return __ldg(reinterpret_cast<const __half *>(p)); }
"""


def test_an_overload_for_a_type_of_its_own_calls_the_languages_function() -> None:
    """PyTorch's extensions give shuffles and cached loads overloads for a type whose header is not
    there."""
    text = (
        OWN_HALF
        + "__global__ void k(at::Half *p, at::Half h) { p[0] = __shfl_up_sync(1, h, 1); p[1] = __ldg(p); }"
    )
    assert not [problem for problem in problems(text) if "recursive" in problem]
    assert "shuffle" in shown(text)


def test_numbers_go_to_the_languages_function_beside_such_an_overload() -> None:
    text = (
        OWN_HALF
        + "__global__ void k(float *p, int i) { int j = __shfl_up_sync(-1, i, 1); p[j] = __ldg(p + j); }"
    )
    plain = "__global__ void k(float *p, int i) { int j = __shfl_up_sync(-1, i, 1); p[j] = __ldg(p + j); }"
    assert problems(text) == [] and shown(text) == shown(plain)


def test_what_is_unknown_is_not_copied_without_end() -> None:
    """What is no object of a class does not become one for its copy constructor (C++
    [over.best.ics]/4), which would ask for it again."""
    before = (
        "struct Y { int a; __device__ Y(const Y &o) : a(o.a) {} __device__ Y(Y &&o) : a(o.a) {} };\n"
        "__device__ int use(const Y &y) { return y.a; }\n"
    )
    made = body("p[n] = use(missing());", before=before)
    assert (
        "(temporary).a = unknown[unsupported](unknown[unknown-function: missing]())" in made
        and made.count("store") == 1
    )


def test_a_reference_to_another_class_is_bound_to_what_the_conversion_gives() -> None:
    """Not to the bytes of the object itself: `use(z)` would have read its second member."""
    classes = "struct Y { int a, b; }; struct Z { int q; operator Y() const{} int b; }; __device__ int use(const Y &y) {{ return y.b; }}"
    body = " __global__ void k(float *p, int n) { Z z; z.q = n; z.b = 5; p[use(z)] = 0; }"
    undefined, defined = (
        classes.replace("{}", b).replace("{{", "{").replace("}}", "}") + body
        for b in (";", " { return {q, q + 1}; }")
    )
    assert "unknown[" in shown(undefined) and problems(undefined) == []
    assert "(temporary).b = (z.q + 1)" in shown(defined)


def test_a_conversion_to_a_reference_gives_the_place() -> None:
    classes = "struct A { int x; }; struct W { A a; __device__ operator A &() { return a; } }; __device__ void put(A &a) { a.x = 3; }"
    assert "store (b + (long(tid.x) * 4)) <- 3" in shown(
        f"{classes} __global__ void k(W *b) {{ put(b[threadIdx.x]); }}"
    )


def test_a_function_of_a_namespace_hides_the_languages() -> None:
    own = "namespace fx { struct F { int v; __device__ F(int a) : v(a) {} }; __device__ int abs(F f) { return f.v * 32; }"
    inside = own + " __global__ void k(float *p) { p[abs((int)threadIdx.x)] = 1; } }"
    outside = own + " } __global__ void k(float *p) { p[fx::abs((int)threadIdx.x)] = 1; }"
    assert all("abs(" not in shown(text) for text in (inside, outside))


def test_what_a_constructor_that_is_not_there_leaves_is_unknown() -> None:
    text = "struct W { int v; __device__ W(int a); }; __global__ void k(float *p) { W w(threadIdx.x); p[w.v * 32] = 1; }"
    assert "unknown[unknown-function" in shown(text)


OUT_OF_CLASS = """
struct W { int v; __device__ W(int a); __device__ operator int() const; __device__ ~W(); };
__device__ W::W(int a) : v(a * 2) {}
__device__ W::operator int() const { return v; }
__device__ W::~W() {}
template <int N> struct V { int v; __device__ V(int a); };
template <int N> __device__ V<N>::V(int a) : v(a * N) {}
"""


@pytest.mark.parametrize(
    ("statements", "lowered"),
    [
        ("W w(tid); p[w.v] = 1;", "w.v = (a * 2)"),
        ("W w(tid); p[int(w) + 1] = 1;", "(w.v + 1)"),
        ("V<4> x(tid); p[x.v] = 1;", "x.v = (a * 4)"),
    ],
)
def test_constructors_and_conversions_defined_outside_of_their_class_are_followed(
    statements: str, lowered: str
) -> None:
    text = f"{OUT_OF_CLASS} __global__ void k(float *p) {{ int tid = threadIdx.x; {statements} }}"
    assert problems(text) == [] and "unknown[" not in shown(text)
    assert lowered in shown(text)


def test_a_defaulted_constructor_gives_members_what_they_say() -> None:
    text = (
        "struct D { int v = 3; D() = default; }; __global__ void k(float *p) { D d; p[d.v] = 1; }"
    )
    assert "d.v = 3" in shown(text) and "unknown[" not in shown(text)


DEFINED_OUTSIDE = """template <int L, typename T> struct vec;
template <typename T> struct vec<3, T> {{
    T x, y, z;
    vec() = default;
    __device__ vec<3, T> &operator=(vec<3, T> const &v) {0};
    template <typename U> __device__ vec<3, T> &operator=(vec<3, U> const &v);
}};
{1}
template <typename T> template <typename U> __device__ vec<3, T> &vec<3, T>::operator=(vec<3, U> const &v) {{
    this->x = v.x; this->y = v.y; this->z = v.z;
    return *this;
}}
// kernlint: launch(grid=2, block=64)
__global__ void k(vec<3, float> *o, const vec<3, {2}> *x) {{ o[threadIdx.x] = x[threadIdx.x]; }}
"""
PLAIN = "template <typename T> __device__ vec<3, T> &vec<3, T>::operator=(vec<3, T> const &v) { x = v.x; y = v.y; z = v.z; return *this; }"


@pytest.mark.parametrize(
    ("own", "outside", "other", "lines"),
    [
        ("= default", "", "float", {14}),
        ("= default", "", "int", {10}),
        ("", PLAIN, "float", {8}),
        ("", PLAIN, "int", {10}),
    ],
)
def test_a_definition_outside_its_class_is_of_the_overload_that_is_spelled_like_it(
    own: str, outside: str, other: str, lines: set[int]
) -> None:
    source = DEFINED_OUTSIDE.format(own, outside, other)
    found = engine.analyse_source(files.from_bytes("k.cu", source.encode()), Settings())
    assert not found.problems
    assert {a.span.line for a in found.kernels[0].accesses if a.op == "store"} == lines


@pytest.mark.parametrize(
    ("declared", "call", "known"),
    [
        ("__device__ void f(int x, int &y);", "f(3, v)", False),
        ("__device__ void f(int x, const int &y);", "f(3, v)", True),
        ("__device__ void f(int x, int y);", "f(3, v)", True),
        ("template <typename T> __device__ void f(T x, T &y);", "f(3, v)", False),
        ("template <typename... T> __device__ void f(T &...all);", "int u = 1; f(u, v)", False),
        (
            "template <typename... T> __device__ void f(const T &...all);",
            "int u = 1; f(u, v)",
            True,
        ),
        ("struct S { int n; __device__ void f(); };", "S s = {0}; s.f(); v = s.n", False),
        ("struct S { int n; __device__ void f() const; };", "S s = {0}; s.f(); v = s.n", True),
        (
            "struct S { int n; };\n__device__ S &operator+=(S &a, int b);",
            "S s = {0}; s += 3; v = s.n",
            False,
        ),
    ],
)
def test_what_an_undefined_function_is_handed_by_reference_may_change(
    declared: str, call: str, known: bool
) -> None:
    text = f"""{declared}
__global__ void k(float *a) {{ int v = 0; {call}; a[threadIdx.x + 32 * v] = 1; }}
void go(float *a) {{ k<<<4, 64>>>(a); }}
"""
    (access,) = (
        engine.analyse_source(files.Source("k.cu", "cuda", text), Settings()).kernels[0].accesses
    )
    assert access.status == ("exact" if known else "range")
    assert access.sectors is not None and (access.sectors.mean_high == 4) == known


CURIOUS = """
template <class T> struct B {
    float *h;
    __device__ void down() { static_cast<T *>(this)->h -= 1; }
    __device__ void by(int n) { h -= n * static_cast<T *>(this)->step(); }
};
template <int N> struct D : B<D<N>> {
    using P = B<D<N>>;
    __device__ int step() { return 2; }
    __device__ void own() { P::by(1); B<D<N>>::by(10); this->P::by(100); by(1000); P::down(); }
};
__global__ void k(float *p) { D<3> d; d.h = p; d.own(); d.P::by(10000); d.h[0] = 1; }
"""


def test_a_base_that_knows_its_class_changes_the_object_itself() -> None:
    read = program(CURIOUS)
    body = read.instantiate(read.kernels()[-1], None).body
    [store] = [s for s in body if isinstance(s, ir.Store)]
    changed = [s.value for s in body if isinstance(s, ir.Assign) and s.variable.name == "d.h"]
    assert len(changed) == 7 and "d.h" in str(store.address)


@pytest.mark.parametrize("test", ["ON_CPU", "!ON_CPU", "ON_CPU == 1", "ON_CPU != 0"])
def test_a_name_that_nothing_declares_decides_nothing(test: str) -> None:
    found = shown(f"__global__ void k(int *p) {{ int i = 1; if ({test}) i = 2; p[i] = 1; }}")
    assert f"# if `{test}`" in found and "ON_CPU" in found.partition("# if")[0]
