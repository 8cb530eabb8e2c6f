"""The parser: each construct with the shape of its tree, spans, broken files, precedence against
Python."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from contextlib import nullcontext
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernlint.base.span import SourceError, Span
from kernlint.source.lexer import tokenize
from kernlint.source.parser import tree
from kernlint.source.parser.names import NameScope
from kernlint.source.parser.parser import Unit, parse
from kernlint.source.preprocessor.preprocess import Options, preprocess
from tests.support import needs

PLAIN = (str, int, bool, type(None))


def shape(node: Any) -> Any:
    """A node as nested text: `Class(attributes children)`, without places."""
    if isinstance(node, (list, tuple)):
        return "[" + " ".join(shape(item) for item in node) + "]"
    if not isinstance(node, tree.Node):
        return str(node)
    kind = type(node).__name__
    short = {
        "ID": lambda n: n.name,
        "Constant": lambda n: n.value,
        "IdentifierType": lambda n: "_".join(n.names),
    }
    if kind in short:
        return short[kind](node)
    if kind == "TypeDecl":
        return " ".join([*node.quals, shape(node.type)]) if node.type is not None else "notype"
    if kind == "Typename":
        return f"<{shape(node.type)}>"
    words = [
        str(getattr(node, name))
        for name in node.attr_names
        if getattr(node, name) not in (None, [], "", False)
    ]
    children = [shape(child) for _, child in node.children()]
    return f"{kind}({' '.join(words + children)})"


def read(text: str, language: str = "cuda") -> Unit:
    return parse(tokenize(text, "x.cu"), "x.cu", language)


def functions(nodes: list[Any]) -> list[Any]:
    found: list[Any] = []
    for node in nodes:
        if isinstance(node, tree.TemplateDecl):
            found += functions([node.decl])
        elif isinstance(node, (tree.Namespace, tree.ExternBlock)):
            found += functions(node.decls)
        elif isinstance(node, tree.ClassDef):
            found += functions(node.members)
        elif isinstance(node, tree.Function):
            found.append(node)
    return found


def statement(
    text: str,
    language: str = "cuda",
    before: str = "",
    parameters: str = "int a, int b, int c, float *p, int i, int n",
) -> Any:
    unit = read(f"{before}\nvoid f({parameters}) {{ {text} }}", language)
    assert unit.problems == [] and unit.skipped == [], unit
    return functions(unit.declarations)[-1].lazy_body.parse().block_items[0]


EXPRESSIONS = [
    ("a * b;", "BinaryOp(* a b)"),
    ("a + b * c;", "BinaryOp(+ a BinaryOp(* b c))"),
    ("a = b = c;", "Assignment(= a Assignment(= b c))"),
    ("a - b - c;", "BinaryOp(- BinaryOp(- a b) c)"),
    ("a ? b : c ? a : b;", "TernaryOp(a b TernaryOp(c a b))"),
    ("a = b ? c : a;", "Assignment(= a TernaryOp(b c a))"),
    ("a < b, c > (n);", "ExprList(BinaryOp(< a b) BinaryOp(> c n))"),
    ("a < b && c > (n);", "BinaryOp(&& BinaryOp(< a b) BinaryOp(> c n))"),
    ("(a) - b;", "BinaryOp(- a b)"),
    ("(float)a - b;", "BinaryOp(- Cast(<float> a) b)"),
    ("(float)-b;", "Cast(<float> UnaryOp(- b))"),
    ("(unknown *)p;", "Cast(<PtrDecl(unknown)> p)"),
    ("(unsigned long long)p;", "Cast(<unsigned_long_long> p)"),
    ("(T)a;", "Cast(<T> a)"),
    ("*p++;", "UnaryOp(* UnaryOp(p++ p))"),
    ("-p[i];", "UnaryOp(- ArrayRef(p i))"),
    ("&p[i];", "UnaryOp(& ArrayRef(p i))"),
    ("a >> 2;", "BinaryOp(>> a 2)"),
    ("sizeof(float);", "SizeofType(sizeof <float>)"),
    ("sizeof(a);", "UnaryOp(sizeof a)"),
    ("sizeof p[0];", "UnaryOp(sizeof ArrayRef(p 0))"),
    ("alignof(float4);", "SizeofType(alignof <float4>)"),
    ("float(a);", "Construct(<float> a)"),
    ("float4{1, 2};", "Construct(True <float4> 1 2)"),
    ("foo<int, 3>(a);", "FuncCall(TemplateId(foo <int> 3) ExprList(a))"),
    (
        "std::max<float>(a, b);",
        "FuncCall(QualifiedName(std TemplateId(max <float>)) ExprList(a b))",
    ),
    ("x.template get<3>();", "FuncCall(StructRef(. x TemplateId(get 3)))"),
    (
        "static_cast<vec<vec<int>>>(a);",
        "NamedCast(static <NameType(TemplateId(vec <NameType(TemplateId(vec <int>))>))> a)",
    ),
    ("k<<<n, 32>>>(p, a >> 1);", "KernelLaunch(k n 32 p BinaryOp(>> a 1))"),
    (
        "k<float, 4><<<dim3(n), 32, 0, s>>>(p);",
        "KernelLaunch(TemplateId(k <float> 4) Construct(<dim3> n) 32 0 s p)",
    ),
    ("new float[n];", "NewExpr(<float> n)"),
    ("delete[] p;", "DeleteExpr(True p)"),
    ("throw a;", "ThrowExpr(a)"),
    ("1'000'000 + 0x1.8p3f;", "BinaryOp(+ 1'000'000 0x1.8p3f)"),
    ('"a" "b";', '"ab"'),
    ('f("%" PRIu64 " of %" PRIu32, n);', 'FuncCall(f ExprList("% of %" n))'),
    ('PRIu64 "a" == b;', 'BinaryOp(== "a" b)'),
    ("true && nullptr;", "BinaryOp(&& true nullptr)"),
    ("p->x.y;", "StructRef(. StructRef(-> p x) y)"),
    ("f(bar());", "FuncCall(f ExprList(FuncCall(bar)))"),
    ("f({1, 2}, {});", "FuncCall(f ExprList(InitList(1 2) InitList()))"),
    ("::f(a);", "FuncCall(QualifiedName(True f) ExprList(a))"),
    ("noexcept(a);", "TypeTrait(noexcept a)"),
    ("({ a; b; });", "StatementExpr(Compound(a b))"),
    ("g<T&&>(a);", "FuncCall(TemplateId(g <RefDecl(True T)>) ExprList(a))"),
    (
        "decltype(a)::value * sizeof(b);",
        "BinaryOp(* QualifiedName(DecltypeType(a) value) UnaryOp(sizeof b))",
    ),
]


@pytest.mark.parametrize(("text", "expected"), EXPRESSIONS)
def test_expression(text: str, expected: str) -> None:
    assert shape(statement(text)) == expected


DECLARATIONS = [
    ("T x(a);", "Decl(x T ConstructorInit(a))"),
    ("T x{a};", "Decl(x T ConstructorInit(True a))"),
    ("T *x = p;", "Decl(x PtrDecl(T) p)"),
    ("const T &x = *p;", "Decl(x ['const'] RefDecl(const T) UnaryOp(* p))"),
    ("T x, *y;", "DeclGroup(Decl(x T) Decl(y PtrDecl(T)))"),
    ("auto &&x = a;", "Decl(x RefDecl(True AutoType()) a)"),
    ("int x[4][n];", "Decl(x ArrayDecl(ArrayDecl(int n) 4))"),
    ("int (*x)[4];", "Decl(x PtrDecl(ArrayDecl(int 4)))"),
    ("float (*x)(int) = g;", "Decl(x PtrDecl(FuncDecl(ParamList(<int>) float)) g)"),
    ("A<B<int>> x;", "Decl(x NameType(TemplateId(A <NameType(TemplateId(B <int>))>)))"),
    ("A<SIZE, 3>::type x;", "Decl(x NameType(QualifiedName(TemplateId(A SIZE 3) type)))"),
    ("typename A<int>::type x = a;", "Decl(x NameType(QualifiedName(TemplateId(A <int>) type)) a)"),
    ("__shared__ float x[32];", "Decl(x ['__shared__'] ArrayDecl(float 32))"),
    ("static constexpr int x = 1;", "Decl(x ['static', 'constexpr'] int 1)"),
    ("auto [x, y] = g();", "StructuredBinding(['x', 'y'] FuncCall(g))"),
    ("auto &[x, y] = g();", "StructuredBinding(['x', 'y'] & FuncCall(g))"),
    (
        "float4 v = {.x = 1, .y = 2};",
        "Decl(v float4 InitList(NamedInitializer(1 x) NamedInitializer(2 y)))",
    ),
    ("using T = int[2];", "Using(T <ArrayDecl(int 2)>)"),
    (
        "typedef float (*fn)(int);",
        "Typedef(fn ['typedef'] PtrDecl(FuncDecl(ParamList(<int>) float)))",
    ),
    ("struct S { int x : 3; } s;", "Decl(s ClassDef(struct S Decl(x int 3)))"),
    ("decltype(a + b) x = a;", "Decl(x DecltypeType(BinaryOp(+ a b)) a)"),
    ("UNKNOWN_SPACE float *x = p;", "Decl(x ['UNKNOWN_SPACE'] PtrDecl(float) p)"),
    (
        "dim3 grid((n + 31) / 32, 4);",
        "Decl(grid dim3 ConstructorInit(BinaryOp(/ BinaryOp(+ n 31) 32) 4))",
    ),
]


@pytest.mark.parametrize(("text", "expected"), DECLARATIONS)
def test_declaration(text: str, expected: str) -> None:
    assert shape(statement(text)) == expected


STATEMENTS = [
    ("if (a) b; else c;", "If(a b c)"),
    ("if (a) if (b) c; else n;", "If(a If(b c n))"),
    (
        "if (j < f(a) || j > g(b)) c;",
        "If(BinaryOp(|| BinaryOp(< j FuncCall(f ExprList(a))) BinaryOp(> j FuncCall(g ExprList(b)))) c)",
    ),
    ("if (V<a> x = b) x;", "Conditional(Decl(x NameType(TemplateId(V a)) b) x)"),
    ("if (int x = a) x;", "Conditional(Decl(x int a) x)"),
    ("if (int x = a; x < b) x;", "Conditional(Decl(x int a) BinaryOp(< x b) x)"),
    (
        "if constexpr (sizeof(int) == 4) a; else b;",
        "Conditional(True BinaryOp(== SizeofType(sizeof <int>) 4) a b)",
    ),
    (
        "for (int x = 0; x < n; ++x) a;",
        "For(DeclList(Decl(x int 0)) BinaryOp(< x n) UnaryOp(++ x) a)",
    ),
    ("for (;;) break;", "For(Break())"),
    ("for (auto x : p) a;", "RangeFor(Decl(x AutoType()) p a)"),
    ("for (const auto &[x, y] : p) a;", "RangeFor(StructuredBinding(['x', 'y'] ['const'] &) p a)"),
    ("while (a) { continue; }", "While(a Compound(Continue()))"),
    ("do a; while (b);", "DoWhile(b a)"),
    (
        "switch (a) { case 1: b; case 2: { c; } break; default: n; }",
        "Switch(a Compound(Case(1 b) Case(2 Compound(c) Break()) Default(n)))",
    ),
    ("goto end;", "Goto(end)"),
    ("end: a;", "Label(end a)"),
    ("return {a, b};", "Return(InitList(a b))"),
    ("try { a; } catch (...) { b; }", "Try(Compound(a) Compound(b))"),
    ("[[likely]] return;", "Attributed(['likely'] Return())"),
    (
        'static_assert(sizeof(int) == 4, "x");',
        'StaticAssert(BinaryOp(== SizeofType(sizeof <int>) 4) "x")',
    ),
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(Real)-2;", "Cast(<Real> UnaryOp(- 2))"),
        ("(Real)+2.5f;", "Cast(<Real> UnaryOp(+ 2.5f))"),
        ("(Real)-a;", "BinaryOp(- Real a)"),
        ("(SIZE)-2;", "BinaryOp(- SIZE 2)"),
    ],
)
def test_what_is_declared_with_a_name_makes_it_a_type(text: str, expected: str) -> None:
    assert shape(statement(text, before="void g(Real x);")) == expected


@pytest.mark.parametrize(("text", "expected"), STATEMENTS)
def test_statement(text: str, expected: str) -> None:
    assert shape(statement(text)) == expected


@pytest.mark.parametrize(
    ("text", "handlers"),
    [
        ("int f(int a) try { return a; } catch (...) { return 0; } int g;", 1),
        ("void f() noexcept(false) try { a; } catch (const E &e) { b; } catch (...) { } int g;", 2),
        ("struct S { S() try : a(2) { b; } catch (...) { c; } int a; }; int g;", 1),
        ("S::S() try : a{2} { b; } catch (...) { c; } int g;", 1),
        ("template <class T> auto f() -> int try { a; } catch (...) { c; } int g;", 1),
    ],
)
def test_a_function_may_be_a_try(text: str, handlers: int) -> None:
    unit = parse(preprocess("x.cu", text, Options({}, (), "cuda", 900)).tokens, "x.cu", "cuda")
    assert not unit.problems and shape(unit.declarations[-1]) == "Decl(g int)"
    [function] = functions(unit.declarations)
    [held] = function.lazy_body.parse().block_items
    assert isinstance(held, tree.Try) and len(held.handlers) == handlers


def test_pragmas_stand_before_their_loops() -> None:
    text = "void f(int a, int b) {\n#pragma unroll 4\nfor (;;) b;\nif (a)\n#pragma unroll\nfor (;;) b;\n}"
    unit = parse(preprocess("x.cu", text, Options({}, (), "cuda", 900)).tokens, "x.cu", "cuda")
    items = functions(unit.declarations)[0].lazy_body.parse().block_items
    assert [shape(item) for item in items] == [
        "Pragma(unroll 4)",
        "For(b)",
        "If(a Compound(Pragma(unroll) For(b)))",
    ]


def test_asm_forms() -> None:
    full = statement('asm volatile("x %0;\\n\\t" "y;" : "=r"(a) : "l"(p), [q] "n"(3) : "memory");')
    assert (full.template, full.volatile, full.clobbers, full.braces) == (
        "x %0;\n\ty;",
        True,
        ["memory"],
        False,
    )
    assert [(o.constraint, o.symbol, shape(o.expr)) for o in full.outputs + full.inputs] == [
        ("=r", "", "a"),
        ("l", "", "p"),
        ("n", "q", "3"),
    ]
    empty = statement('asm("membar.gl;" ::: "memory");')
    assert (empty.outputs, empty.inputs, empty.clobbers) == ([], [], ["memory"])
    assert statement('asm volatile { "bar.sync 0;" : "=r"(a) }').braces


def test_lambda() -> None:
    node = statement(
        "auto g = [=, &a, x = b] __device__ (int y) mutable -> float { return y; };"
    ).init
    assert (node.default_capture, node.specifiers) == ("=", ["__device__", "mutable"])
    assert [(c.name, c.by_reference, shape(c.init)) for c in node.captures] == [
        ("a", True, "None"),
        ("x", False, "b"),
    ]
    assert shape(node.return_type) == "<float>" and shape(node.body) == "Compound(Return(y))"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(args + ...);", "FoldExpr(+ args)"),
        ("(... && args);", "FoldExpr(&& args)"),
        ("(0 + ... + args);", "FoldExpr(+ 0 args)"),
        ("(g(args), ...);", "FoldExpr(, FuncCall(g ExprList(args)))"),
        ("g(args...);", "FuncCall(g ExprList(PackExpansion(args)))"),
        ("sizeof...(Args);", "SizeofType(sizeof... <Args>)"),
    ],
)
def test_packs(text: str, expected: str) -> None:
    unit = read(f"template <typename... Args> void f(Args... args) {{ {text} }}")
    assert shape(functions(unit.declarations)[0].lazy_body.parse().block_items[0]) == expected


def test_opencl() -> None:
    text = """__attribute__((reqd_work_group_size(16, 16, 1)))
    kernel void k(global const float4 *restrict in, local float *t, read_only image2d_t im) {
        int2 c = (int2)(get_global_id(0), 3); float4 v = (float4)(1.0f); float s = (float)(c.x); v.xy = in[0].zw; uint u = as_uint(s); }"""
    unit = read(text, "opencl")
    (kernel,) = unit.declarations
    assert kernel.specifiers == ["__kernel"]
    assert [(name, [shape(arg) for arg in args]) for name, args in kernel.attributes] == [
        ("reqd_work_group_size", ["16", "16", "1"])
    ]
    first, second, _ = kernel.type.args.params
    assert (
        first.type.type.quals == ["const", "__global"]
        and first.type.quals == ["restrict"]
        and first.funcspec == []
    )
    assert second.type.type.quals == ["__local"]
    items = kernel.lazy_body.parse().block_items
    assert shape(items[0].init) == "Construct(<int2> FuncCall(get_global_id ExprList(0)) 3)"
    assert shape(items[1].init) == "Construct(<float4> 1.0f)"
    assert shape(items[2].init) == "Cast(<float> StructRef(. c x))"
    assert shape(items[3]) == "Assignment(= StructRef(. v xy) StructRef(. ArrayRef(in 0) zw))"
    after = read(
        "__kernel void k(__global int *p) __attribute__((reqd_work_group_size(8, 1, 1))) { p[0] = 1; }",
        "opencl",
    ).declarations[0]
    assert after.attributes[0][0] == "reqd_work_group_size"


def test_class_members() -> None:
    unit = read(
        """template <typename T, int N = 4> struct __align__(16) Box : public Base<T>, Other {
             T data[N]; static constexpr int size = N; int a : 3, b : 5;
             __device__ Box() = default;
             __device__ explicit Box(const T &v) : Base<T>(v), data{v} { data[0] = v; }
             __device__ T &operator[](int i) { return data[i]; }
             __device__ operator float() const { return float(data[0]); }
             __device__ bool operator<(const Box &other) const noexcept { return data[0] < other.data[0]; }
             virtual void f() = 0; ~Box() {} enum class E : int { A, B = 3 }; using type = T; friend class X;
             template <typename U> __device__ U get() const { return U(data[0]); }
           };
           template <typename T> struct Box<T, 1> { T one; };
           template <> struct Box<int, 2> {};
           template <typename T, int N> __device__ void Box<T, N>::outside(int i) { data[i] = T(0); }
           template __global__ void k<int>(int *);"""
    )
    assert unit.problems == [] and unit.skipped == []
    box = unit.declarations[0].decl
    assert (box.kind, box.name, [shape(b) for b in box.bases]) == (
        "struct",
        "Box",
        ["NameType(TemplateId(Base <T>))", "Other"],
    )
    assert [shape(expr) for expr in box.align_exprs] == ["16"]
    names = [shape(member.name) for member in functions(unit.declarations)]
    assert names[:7] == [
        "Box", "Box", "OperatorName([])", "OperatorName(<float>)", "OperatorName(<)", "f", "DestructorName(Box)",
    ]  # fmt: skip
    constructor = functions(unit.declarations)[1]
    assert constructor.type.type is None and [shape(i) for i in constructor.initializers] == [
        "MemberInit(TemplateId(Base <T>) v)",
        "MemberInit(data v)",
    ]
    assert functions(unit.declarations)[3].quals == ["const"]
    enum = next(member for member in box.members if isinstance(member, tree.Enum))
    assert (enum.name, [e.name for e in enum.values.enumerators], enum.is_scoped) == (
        "E",
        ["A", "B"],
        True,
    )
    assert shape(unit.declarations[1].decl.name) == "TemplateId(Box <T> 1)"
    assert (
        unit.declarations[2].is_explicit_specialization
        and unit.declarations[4].is_explicit_instantiation
    )
    assert shape(unit.declarations[3].decl.name) == "QualifiedName(TemplateId(Box <T> N) outside)"
    for function in functions(unit.declarations):
        if function.lazy_body is not None:
            function.lazy_body.parse()


def test_kernel_head() -> None:
    text = "template <int B, typename T> __global__ void __launch_bounds__(B * 2, 2) k(const T *__restrict__ x, int n = 3) { x[n]; }"
    kernel = read(text).declarations[0].decl
    assert (kernel.name.name, kernel.specifiers) == ("k", ["__global__"])
    assert [(name, [shape(a) for a in args]) for name, args in kernel.attributes] == [
        ("launch_bounds", ["BinaryOp(* B 2)", "2"])
    ]
    assert shape(kernel.type.args.params[1]) == "Decl(n int 3)"
    assert kernel.lazy_body.parse() is kernel.lazy_body.parse()


def test_namespaces_and_extern() -> None:
    unit = read(
        'namespace a::b { int x; namespace { void f() {} } } extern "C" { __global__ void k(); } using namespace a; namespace c = a::b;'
    )
    outer = unit.declarations[0]
    assert (outer.name, outer.decls[0].name, outer.decls[0].decls[1].name) == ("a", "b", "")
    assert unit.declarations[1].language == "C" and unit.declarations[1].decls[0].lazy_body is None
    assert unit.declarations[2].is_namespace and unit.declarations[3].alias == "c"


def quote(span: Span, text: str) -> str:
    """The user's text of `span`; columns count characters from 1, `end_column` is exclusive. Empty
    when the span lies outside."""
    lines = text.split("\n")
    if span.line < 1 or span.line > len(lines):
        return ""
    last = min(span.end_line, len(lines))
    found = lines[span.line - 1 : last]
    if last == span.end_line:
        found[-1] = found[-1][: max(span.end_column - 1, 0)]
    found[0] = found[0][span.column - 1 :]
    return re.sub(r"(?:\\?\s)+", " ", "\n".join(found)).strip()


def test_spans_cover_the_source_exactly() -> None:
    text = "__global__ void k(float *p) {\n  p[(1 + 2) * 3] = (*p).x + f(p[0],\n    p [ 1 ]);\n}\n"
    body = read(text).declarations[0].lazy_body.parse()
    seen: dict[str, list[str]] = {}

    def visit(node: tree.Node) -> None:
        seen.setdefault(type(node).__name__, []).append(quote(node.coord, text))
        for _, child in node.children():
            visit(child)

    visit(body)
    assert seen["ArrayRef"] == ["p[(1 + 2) * 3]", "p[0]", "p [ 1 ]"]
    assert seen["UnaryOp"] == ["*p"] and seen["StructRef"] == ["(*p).x"]
    assert seen["FuncCall"] == ["f(p[0], p [ 1 ])"]
    assert "(1 + 2) * 3" in seen["BinaryOp"] and "1 + 2" in seen["BinaryOp"]


BROKEN = [
    (
        "a kernel with a wrong token",
        "__global__ void bad(int *p) { p[0] = = 1; }\n__global__ void good() {}",
        "good",
        "bad",
    ),
    (
        "an unclosed kernel",
        "__global__ void bad(int *p) { if (p) { p[0] = 1;\n\n__global__ void good() {}",
        "good",
        "bad",
    ),
    ("an unknown macro", "SOME_MACRO(foo)\n__global__ void good() {}", "good", ""),
    ("a stray brace", "}\n__global__ void good() {}", "good", ""),
    (
        "garbage in the head",
        "__global__ void bad(int int 3) {}\n__global__ void good() {}",
        "good",
        "bad",
    ),
    ("half a kernel", "__global__ void good() {}\n__global__ void bad(int", "good", "bad"),
    (
        "a macro amid words",
        "__global__ void bad(int n) { LOOP(i, n) + { f(i); } }\n__global__ void good() {}",
        "good",
        "bad",
    ),
]


@pytest.mark.parametrize(("what", "text", "good", "bad"), BROKEN, ids=[item[0] for item in BROKEN])
def test_one_bad_declaration_costs_only_itself(what: str, text: str, good: str, bad: str) -> None:
    unit = read(text)
    fine, messages = [], [problem.message for problem in unit.problems]
    for function in functions(unit.declarations):
        try:
            function.lazy_body.parse()
            fine.append(function.name.name)
        except SourceError as error:
            messages.append(error.message)
    assert good in fine, what
    if bad:
        assert bad not in fine and any(f"in function {bad}" in message for message in messages), (
            messages
        )


def test_deep_nesting_is_an_error_not_a_crash() -> None:
    unit = read("__global__ void k() { int x = " + "(" * 5000 + "1" + ")" * 5000 + "; }")
    with nullcontext() if needs.COMPILED else pytest.raises(SourceError, match="nested too deeply"):
        unit.declarations[0].lazy_body.parse()


@needs.interpreted
@pytest.mark.parametrize("what", ["a<", "a<b, ", "a.b<", "f(a < "])
def test_brackets_that_may_be_templates_are_looked_through_once(
    what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = [0]
    find = NameScope.find
    monkeypatch.setattr(
        NameScope,
        "find",
        lambda scope, name: (asked.__setitem__(0, asked[0] + 1), find(scope, name))[1],
    )

    def questions(count: int) -> int:
        asked[0] = 0
        unit = read(
            "__global__ void k() { x[0] = h("
            + what * count
            + "1"
            + ")" * (what.count("(") * count)
            + "); }"
        )
        unit.declarations[0].lazy_body.parse()
        return asked[0]

    assert questions(100) < 2.5 * questions(50)


def test_what_a_bracket_means_changes_with_what_is_declared() -> None:
    before = statement("T x = f(a0 < b, c > (n)), a0 = 1, y = f(a0 < b, c > (n));")
    assert [shape(declared.init) for declared in before.decls] == [
        "FuncCall(f ExprList(FuncCall(TemplateId(a0 b c) ExprList(n))))",
        "1",
        "FuncCall(f ExprList(BinaryOp(< a0 b) BinaryOp(> c n)))",
    ]


OPERATORS = ["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^"]
EXPRESSION = st.recursive(
    st.sampled_from(["a", "b", "c", "1", "23"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(OPERATORS), inner).map(lambda t: f"{t[0]} {t[1]} {t[2]}"),
        inner.map(lambda text: f"({text})"),
        inner.map(lambda text: f"-({text})"),
        st.tuples(inner, inner).map(lambda t: f"p[{t[0]}] + f({t[1]})"),
    ),
    max_leaves=12,
)
PYTHON = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Mod: "%", ast.LShift: "<<", ast.RShift: ">>",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
}  # fmt: skip


def python_shape(node: ast.AST) -> str:
    if isinstance(node, ast.BinOp):
        return f"BinaryOp({PYTHON[type(node.op)]} {python_shape(node.left)} {python_shape(node.right)})"
    if isinstance(node, ast.UnaryOp):
        return f"UnaryOp(- {python_shape(node.operand)})"
    if isinstance(node, ast.Subscript):
        return f"ArrayRef({python_shape(node.value)} {python_shape(node.slice)})"
    if isinstance(node, ast.Call):
        return f"FuncCall({python_shape(node.func)} ExprList({python_shape(node.args[0])}))"
    return node.id if isinstance(node, ast.Name) else str(node.value)  # type: ignore[attr-defined]


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(EXPRESSION)
def test_precedence_is_that_of_python(text: str) -> None:
    """For these operators Python and C agree on precedence and association."""
    assert shape(statement(text + ";")) == python_shape(ast.parse(text, mode="eval").body)


@pytest.mark.slow
def test_a_warm_start_does_not_import_lark() -> None:
    read("int x;")
    code = "import sys; from kernlint.source.lexer import tokenize; from kernlint.source.parser.parser import parse; "
    code += "u = parse(tokenize('int x;', 'x'), 'x', 'cuda'); print(len(u.declarations), 'lark' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "False"]


def test_a_macro_of_a_missing_header_that_is_a_statement_costs_nothing() -> None:
    text = "void f(int n) { k<<<n, 32>>>(n); CHECK_LAST_ERROR if (n) { k<<<n, 64>>>(n); CHECK_LAST_ERROR } CHECK_LAST_ERROR return; }"
    [function] = functions(read(text).declarations)
    first, check, second, *_ = function.lazy_body.parse().block_items
    assert isinstance(first, tree.KernelLaunch) and check.string == "CHECK_LAST_ERROR"
    assert isinstance(second.iftrue.block_items[0], tree.KernelLaunch)


@pytest.mark.parametrize(
    "rest", ["k<<<n, 64>>>(n);", "n = 2;", "p->x = 1;", "v.x = 8;", "T<int>::k<<<n, 64>>>(n);"]
)
def test_a_macro_of_a_missing_header_on_a_line_of_its_own(rest: str) -> None:
    [function] = functions(read(f"void f(int n) {{ CHECK_LAST_ERROR\n {rest} }}").declarations)
    check, statement = function.lazy_body.parse().block_items
    assert check.string == "CHECK_LAST_ERROR" and isinstance(
        statement, (tree.KernelLaunch, tree.Assignment)
    )


@pytest.mark.parametrize("text", ["TYPE\n x = 2;", "TYPE x = n;", "TYPE\n *x = 0;", "TYPE\n x(n);"])
def test_a_type_before_a_new_name_is_none(text: str) -> None:
    assert isinstance(statement(text), tree.Decl)


def test_statements_as_the_argument_of_a_macro() -> None:
    launch = "using U = A<T, true>; k<U, T><<<n, 32, 0, s>>>(p, n)"
    for text in (f"DISPATCH(type, 0, {launch});", f"DISPATCH(type, 0, {launch};);"):
        call = statement(text)
        *_, block = call.args.exprs
        using, launched = block.body.block_items
        assert (
            isinstance(using, tree.Using)
            and isinstance(launched, tree.KernelLaunch)
            and len(call.args.exprs) == 3
        )
    assert shape(statement("DISPATCH(type, k<<<n, 32>>>(p););")).count("KernelLaunch") == 1


def test_an_instantiation_that_another_file_makes() -> None:
    text = "template __global__ void k<float>(float *x);"
    unit = read(
        f"template <class T> __global__ void k(T *x) {{}}\nextern {text}\n{text}\nextern template struct S<int>;"
    )
    assert not unit.problems and not unit.skipped
    made = [
        (bool(one.is_explicit_instantiation), bool(one.is_instantiation_declaration))
        for one in unit.declarations
    ]
    assert made == [(False, False), (False, True), (True, False), (False, True)]


@pytest.mark.parametrize(
    "launch",
    [
        "k << <n, 32>> > (p);",
        "k<< < n, 32, 0, s >> >(p);",
        "k<T, 2> << <g(n, 1), 32 >> > (p);",
        "k<<<n, 32>> >(p);",
    ],
)
def test_launches_with_spaces_in_their_brackets(launch: str) -> None:
    found = statement(launch)
    assert isinstance(found, tree.KernelLaunch) and len(found.args) == 1
    assert shape(found) == shape(statement(launch.replace("<< <", "<<<").replace(">> >", ">>>")))


@pytest.mark.parametrize(
    "text",
    [
        'T operator""_x(long double v) { return v; }',
        'T operator "" _x(unsigned long long v) { return v; }',
        'template <char... c> constexpr int operator""_x() { return sizeof...(c); }',
        "template <auto a, auto b> B<R<a, b>::n * R<a, b>::d < R<b, a>::n * R<a, b>::d> f(R<a, b>) { return {}; }",
        "template <auto a, auto b> B<R<a, b>::n < b * R<a, b>::d> operator<(R<a, b>, C<b>) { return {}; }",
        "template <class T> void f(T a) { using V = typename decltype(a)::value_type; }",
        "template <class T> void f(T a) { typename decltype(a)::template q<3>::r x = 0; g(typename decltype(a)::value_type{}); }",
        "template <class T, int n> struct A {};  template <class T> void f(T a) { g(a, [&](auto &v) -> A<T, 4> { return {v, v}; }, a); }",
    ],
)
def test_forms_of_template_libraries(text: str) -> None:
    unit = read(text)
    assert not unit.problems and not unit.skipped
    [function] = functions(unit.declarations)
    assert function.lazy_body.parse().block_items


def test_members_of_dependent_templates_are_compared_or_templates() -> None:
    compared = (
        read("template <int a> B<R<a>::n < C<a>::d> f();").declarations[0].decl.type.type.type.name
    )
    assert (
        shape(compared)
        == "TemplateId(B BinaryOp(< QualifiedName(TemplateId(R a) n) QualifiedName(TemplateId(C a) d)))"
    )
    assert (
        shape(statement("A<R<a>::n<3>> x;"))
        == "Decl(x NameType(TemplateId(A <NameType(QualifiedName(TemplateId(R a) TemplateId(n 3)))>)))"
    )


@pytest.mark.parametrize(
    "head",
    [
        "__global__ void BOUNDS(256)",
        "__global__ void BOUNDS(SIZE, 2)",
        "template <int N> __global__ void BOUNDS(N)",
        "__global__ BOUNDS(256) void",
    ],
)
def test_a_macro_of_a_missing_header_stands_before_the_name(head: str) -> None:
    unit = read(f"{head}\nk(float *p) {{ p[0] = 1; }}\n{head} j(float *p) {{ p[0] = 2; }}\n")
    assert unit.problems == []
    assert [f.name.name for f in functions(unit.declarations)] == ["k", "j"]


def test_so_does_one_before_a_parameter_or_a_function() -> None:
    unit = read("float INLINE f(float3 maybe_unused a, const int odd n = 3) { return a.x; }\n")
    assert unit.problems == []
    [function] = functions(unit.declarations)
    assert function.name.name == "f"
    assert shape(statement("float3 maybe_unused a = b;")) == "Decl(a ['maybe_unused'] float3 b)"


def test_one_stands_behind_what_is_declared() -> None:
    unit = read(
        "struct M { int a GUARDED_BY(m); int get() const NOEXCEPT { return a; } };\n"
        "__global__ void k(float *o NOALIAS, int n UNUSED) BOUNDS(256) { o[0] = n; }\n"
        "void f(int a) EXCLUDES(b) CALLS(c) { k<<<1, 1>>>(0, 1); }\n"
    )
    assert unit.problems == []
    assert [one.name.name for one in functions(unit.declarations)] == ["get", "k", "f"]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("int x UNUSED;", "Decl(x int)"),
        ("float x ALIGN = 3;", "Decl(x float 3)"),
        ("Real x ALIGN(16) = 3;", "Decl(x Real 3)"),
        ("API Real x = 3;", "Decl(x ['API'] Real 3)"),
        ("float s[4] ALIGN16;", "Decl(s ArrayDecl(float 4))"),
    ],
)
def test_or_behind_a_variable(text: str, expected: str) -> None:
    assert shape(statement(text)) == expected
