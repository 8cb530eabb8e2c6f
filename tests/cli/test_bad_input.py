"""Input that is broken, hostile or odd, through the real command line: a message with its place, an
honest exit code, no traceback.

Each bad file is checked together with a good one, which must be analysed all the same.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

from kernlint import lowering
from kernlint.cli import main
from kernlint.ir.functions import spelled
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files
from tests.support import needs

pytestmark = pytest.mark.slow


LAUNCH = "// kernlint: launch(grid=4, block=64)\n"
GOOD = LAUNCH + "__global__ void good(float *a) { a[32 * threadIdx.x] = 1; }\n"


def kernel(
    body: str, before: str = "", parameters: str = "float *a, int n", launch: str = LAUNCH
) -> str:
    """A kernel whose body stands alone on the third line below `before`."""
    return f"{before}{launch}__global__ void k({parameters})\n{{\n{body}\n}}\n"


@dataclass(frozen=True, slots=True)
class Outcome:
    code: int
    output: str
    error: str

    @property
    def said(self) -> str:
        return self.output + self.error


def run(capfd: pytest.CaptureFixture[str], *arguments: object) -> Outcome:
    code = main.main([str(argument) for argument in arguments])
    captured = capfd.readouterr()
    outcome = Outcome(code, captured.out, captured.err)
    for word in ("Traceback", "internal error", "internal fault", "RuntimeWarning"):
        assert word not in outcome.said, outcome.said[:2000]
    return outcome


def checked(
    capfd: pytest.CaptureFixture[str], folder: Path, contents: str | bytes, name: str = "bad.cu"
) -> Outcome:
    """The bad file's messages; the good file beside it was analysed."""
    bad, good = folder / name, folder / "good.cu"
    bad.write_bytes(contents if isinstance(contents, bytes) else contents.encode())
    good.write_text(GOOD)
    outcome = run(capfd, "--severity", "info", "--output-format", "concise", bad, good)
    assert f"{good}:2:" in outcome.output and "[KL201]" in outcome.output
    assert outcome.code == 1
    lines = [
        line.removeprefix(f"{folder}/")
        for line in outcome.output.splitlines()
        if not line.startswith(str(good))
    ]
    return Outcome(1, "\n".join(lines), outcome.error)


# ------------------------------------------------------------------ text that is no kernel, or half
# of one

BROKEN: dict[str, tuple[str | bytes, str]] = {
    "empty": (b"", "bad.cu:1:1: warning: the file is empty"),
    "blank": (b"\r\n \t\n", "bad.cu:1:1: warning: the file is empty"),
    "binary": (bytes(range(256)) * 4, "bad.cu:1:1: warning: cannot read: it is a binary file"),
    "NUL byte": (kernel("a[0] = 1; \0"), "bad.cu:1:1: warning: cannot read: it is a binary file"),
    "invalid UTF-8": (
        kernel("a[0] = 1; // \xe9").encode("latin-1"),
        "bad.cu:4:14: info: not valid UTF-8 from here",
    ),
    "open brace": (
        kernel("if (n) { a[0] = 1;"),
        "bad.cu:3:1: warning: '{' is never closed in function k",
    ),
    "closing brace": (kernel("a[0] = 1; }"), "bad.cu:5:1: warning: unexpected '}'"),
    "open parenthesis": (
        kernel("a[(threadIdx.x] = 1;"),
        "bad.cu:4:3: warning: '(' is never closed in function k",
    ),
    "half a kernel": (
        kernel("for (int i = 0; i < n; i++) a[i")[:-3],
        "bad.cu:3:1: warning: '{' is never closed in function k",
    ),
    "half a head": (
        LAUNCH + "__global__ void k(float *a, int",
        "bad.cu:2:18: warning: '(' is never closed in function k",
    ),
    "half a string": (
        kernel('printf("abc);'),
        'bad.cu:4:8: warning: this literal is never closed: "abc);',
    ),
    "half a raw string": (
        kernel("a[0] = 1;", 'const char *s = R"x(abc";\n'),
        "bad.cu:1:17: warning: this literal is never closed",
    ),
    "half a comment": (
        kernel("a[0] = 1; /* never"),
        "bad.cu:4:11: warning: this comment is never closed",
    ),
    "half a condition": (
        "#if 1\n" + kernel("a[0] = 1;"),
        "bad.cu:1:2: warning: this condition has no #endif",
    ),
    "else alone": ("#else\n" + kernel("a[0] = 1;"), "bad.cu:1:2: warning: #else without #if"),
    "prose": (
        "Dear Sir,\nit's a kernel's life: __global__ warming ain't nice (is it?\n",
        "bad.cu:2:45: warning: this literal is never closed",
    ),
    "stray character": (
        kernel("a[threadIdx.x] = 1 @ 2;"),
        "bad.cu:4:20: warning: unexpected '@' in function k",
    ),
    "no semicolon after an element": (
        kernel("a[0] = a[n]\nint t = 1;"),
        "bad.cu:4:11: warning: ';' is missing after ']' in function k",
    ),
    "no semicolon after a name": (
        kernel("int i = n\nfor (;;) a[i] = 1;"),
        "bad.cu:4:9: warning: ';' is missing after 'n' in function k",
    ),
    "no semicolon at the end": (
        kernel("a[0] = 1"),
        "bad.cu:4:8: warning: ';' is missing after '1' in function k",
    ),
    "no comma between arguments": (
        kernel("a[0] = f(n\nn);"),
        "bad.cu:5:1: warning: unexpected 'n' in function k",
    ),
    "no comma between values": (
        kernel("int s[] = {1\nn};"),
        "bad.cu:5:1: warning: unexpected 'n' in function k",
    ),
    "dots for an operand": (
        kernel("a[n] = f(...);"),
        "bad.cu:4:10: warning: unexpected '...' in function k",
    ),
    "dots twice": (
        kernel("a[n] = (... + n + ...);"),
        "bad.cu:4:19: warning: unexpected '...' in function k",
    ),
    "number out of range": (
        kernel(f"a[{'9' * 5000}] = 1;"),
        "bad.cu:4:3: warning: the number 9999",
    ),
    "number in no base": (
        kernel("a[08] = 1;"),
        "bad.cu:4:3: warning: the number 08 cannot be read",
    ),
    "negative array": (
        kernel("int s[-1]; s[threadIdx.x] = 1; a[0] = s[n];"),
        "bad.cu:4:6: warning: the size of an array is negative: -1",
    ),
    "case outside a switch": (kernel("case 1: a[0] = 1;"), "bad.cu:4:1: warning:"),
    "pointers to members": (
        kernel("int S::*m = 0; a[threadIdx.x] = a[0].*m; a[n->*m] = 1; a[n <=> 3] = 1;"),
        "bad.cu:4:33: warning: operator .* is not analysed",
    ),
    "assembly": (
        kernel('asm volatile("ld.??? %0;" : "=f"(a[0]));'),
        "4:1: warning: this asm statement is not analysed: inline assembly, line 1",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_text_is_told_with_its_place(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    contents, message = BROKEN[name]
    assert message in checked(capfd, tmp_path, contents).output


# ------------------------------------------------------------------ preprocessor

MACROS = {
    "recursive": (
        "#define f(x) f(f(x))\n#define A B\n#define B A\n" + kernel("a[threadIdx.x] = f(f(A));"),
        "",
    ),
    "explosive": (
        "".join(f"#define M{i + 1} M{i} M{i}\n" for i in range(40))
        + "#define M0 +1\n"
        + kernel("a[threadIdx.x] = 0 M40;"),
        "was stopped at 300,000 tokens",
    ),
    "wrong number of arguments": (
        "#define f(x,y) x+y\n" + kernel("a[0] = f(1);"),
        "bad.cu:5:8: warning: macro f takes 2 arguments, but 1 are given",
    ),
    "never closed": (
        "#define f(x) x\n" + kernel("a[0] = f(1;"),
        "the arguments of macro f are never closed",
    ),
    "division by zero": (
        "#if 1/0\n#endif\n" + kernel("a[0] = 1;"),
        "bad.cu:1:7: warning: division by zero in this condition",
    ),
    "nonsense": (
        "#define\n#ifdef\n#endif\n#if (1\n#endif\n#define 1 2\n" + kernel("a[0] = 1;"),
        "bad.cu:1:2: warning: #define needs a macro name",
    ),
    "includes itself": (
        '#include "bad.cu"\n' + kernel("a[0] = 1;"),
        "bad.cu:1:2: warning: headers are nested more than 64 deep",
    ),
    "includes a device": (
        '#include "."\n#include "/dev/zero"\n#include "none.h"\n' + kernel("a[0] = 1;"),
        "",
    ),
}


@pytest.mark.parametrize("name", MACROS)
def test_preprocessor(name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    contents, message = MACROS[name]
    assert message in checked(capfd, tmp_path, contents).output


def test_headers_that_include_each_other(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.h").write_text('#include "b.h"\n')
    (tmp_path / "b.h").write_text('#include "a.h"\n')
    assert (
        "nested more than 64 deep"
        in checked(capfd, tmp_path, '#include "a.h"\n' + kernel("a[0] = 1;")).output
    )


# ------------------------------------------------------------------ depth and size

DEPTH = 20_000  # deeper than any stage follows; much less of each is analysed
DEEP = {
    "parentheses": kernel("a[threadIdx.x] = " + "(" * DEPTH + "1" + ")" * DEPTH + ";"),
    "blocks": kernel("{" * DEPTH + "a[threadIdx.x] = 1;" + "}" * DEPTH),
    "templates": kernel("T" + "<T" * DEPTH + ">" * DEPTH + " x; a[threadIdx.x] = x;"),
    "ifs": kernel("if (n) " * DEPTH + "a[threadIdx.x] = 1;"),
    "else ifs": kernel(
        "if (n == 1) a[0] = 1; " + " ".join(f"else if (n == {i}) a[{i}] = 1;" for i in range(DEPTH))
    ),
    "indices": kernel("a[" * DEPTH + "0" + "]" * DEPTH + " = 1;"),
    "calls": kernel("a[threadIdx.x] = " + "f(" * DEPTH + "1" + ")" * DEPTH + ";"),
    "signs": kernel("a[threadIdx.x] = " + "- " * DEPTH + "1;"),
    "conditionals": kernel("a[threadIdx.x] = " + "n ? 1 : " * DEPTH + "1;"),
    "pointers": kernel("int " + "*" * DEPTH + "p; a[threadIdx.x] = 1;"),
    "initialisers": kernel(
        "int x[] = " + "{" * DEPTH + "1" + "}" * DEPTH + "; a[threadIdx.x] = 1;"
    ),
    "namespaces": "namespace n { " * DEPTH + kernel("a[threadIdx.x] = 1;") + "}" * DEPTH,
    "sums": kernel("a[threadIdx.x] = " + "+".join(f"a[{i}]" for i in range(DEPTH)) + ";"),
    "products": kernel("a[" + "*".join(["threadIdx.x"] * DEPTH) + "] = 1;"),
}


@pytest.mark.parametrize("name", DEEP)
def test_nesting_too_deep_to_follow_is_said(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Compiled modules nest deeper: some of these they can follow."""
    outcome = checked(capfd, tmp_path, DEEP[name])
    assert "nested too deeply" in outcome.output or needs.COMPILED


LARGE = {
    "conditions of the preprocessor": "#if 1\n" * 5000
    + kernel("a[threadIdx.x] = 1;")
    + "#endif\n" * 5000,
    "structs": "struct n { " * 2000 + "int x;" + "};" * 2000 + kernel("a[threadIdx.x] = 1;"),
    "too many structs": "struct n { " * 20_000
    + "int x;"
    + "};" * 20_000
    + kernel("a[threadIdx.x] = 1;"),
    "arguments": kernel(
        'printf("…", ' + ",".join("1" for i in range(10000)) + "); a[threadIdx.x] = 1;"
    ),
    "parameters": kernel(
        "a[threadIdx.x] = 1;", parameters="float *a, " + ",".join(f"int p{i}" for i in range(5000))
    ),
    "a name": kernel("float " + "x" * 100000 + " = 1; a[threadIdx.x] = " + "x" * 100000 + ";"),
    "a line": kernel("a[threadIdx.x] = 1;" + " " * 1_000_000 + "//" + "x" * 1_000_000),
    "arrays": kernel(
        "__shared__ float s[1<<30][1<<30]; s[threadIdx.x][0] = 1; a[threadIdx.x] = s[0][threadIdx.x];"
    ),
}


@pytest.mark.parametrize("name", LARGE)
def test_large_things_are_analysed(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    outcome = checked(capfd, tmp_path, LARGE[name])
    assert "[KL001]" not in outcome.output and "[KL003]" not in outcome.output
    report = run(capfd, "report", tmp_path / "bad.cu")
    assert "a[threadIdx.x]" in report.output


def test_a_kernel_of_10_000_lines(tmp_path: Path) -> None:
    """Every access is counted, and the compile stage says that it did not follow them."""
    lines = "int x = n;\n" + "\n".join(
        f"a[threadIdx.x * {i % 33} + {i}] = x;" if i % 3 else f"x = x * {i} + 1;"
        for i in range(9_999)
    )
    path = tmp_path / "long.cu"
    path.write_text(kernel(lines))
    command = [sys.executable, "-m", "kernlint", "report", "--output-format", "json", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    accesses = json.loads(done.stdout)["files"][0]["kernels"][0]["accesses"]
    assert len(accesses) == 6_666
    assert {(access["status"], access["reason"], access["requests"]) for access in accesses} == {
        ("range", "compiler", 8)
    }


# ------------------------------------------------------------------ odd but legal, or nearly


ODD: dict[str, str | bytes] = {
    "only comments": "// nothing\n/* at\nall */\n",
    "only a declaration": "__global__ void k(float *a);\n",
    "only host code": "int main() { return 0; }\n",
    "CRLF": kernel("a[threadIdx.x] = 1; \\\n a[threadIdx.x] = 2;").replace("\n", "\r\n"),
    "CR": kernel("a[threadIdx.x] = 1;").replace("\n", "\r"),
    "byte order mark": b"\xef\xbb\xbf" + kernel("a[threadIdx.x] = 1;").encode(),
    "UTF-16": kernel("a[threadIdx.x] = 1;").encode("utf-16"),
    "non-ASCII names": kernel(
        'float größe = 1; int 幅 = 1; a[threadIdx.x * 幅] = größe; // コメント\n /* ’“” */ printf("日本");'
    ),
    "unknown types": LAUNCH
    + "template <class Q> __global__ void k(Foo<Q> *a, Bar b, ns::Baz<3> c, const typename Q::T &d)\n{ Foo<Q> x = a[threadIdx.x];"
    " auto y = b.get(x)->z(); c[y] = d; x.q[threadIdx.x] = y; ns::Baz<3>::type t(x); a[t] = x; *c.begin() = 1; for (auto v : c) v = 1; }\n",
    "function pointers": "__device__ float f(float x) { return x; } __device__ float g(float x) { return -x; }\n"
    + kernel(
        "float (*p)(float) = n ? f : g; a[threadIdx.x] = p(1); float (*t[2])(float) = {f, g}; a[threadIdx.x] = t[n](1); p = 0; p(1);"
    ),
    "assignments to constants": kernel(
        "const int c = 1; c = 2; 1 = 2; threadIdx.x = 3; a = 0; a[threadIdx.x] = c; &a = 1; k = 1;"
    ),
    "statements out of place": kernel(
        "void x; void y[3]; a[threadIdx.x] = x; *(void*)a = 1; break; continue; return 5;"
    ),
    "odd indices": kernel(
        'a[1.5] = 1; a[a] = 1; 3[a] = 1; a["abc"[threadIdx.x]] = 1; a[nullptr] = 1; a[-1u] = 1; a[threadIdx] = 2; a[n, 2] = 1;'
    ),
    "odd vectors": kernel(
        "float4 v = {1,2,3,4,5,6}; a[threadIdx.x] = v.q + v.xyzw.z + v[7]; float3 w(1); int4 z = make_int4(1); a[z.x] = w.w;"
    ),
    "extreme integers": kernel(
        "int m = -2147483647-1; a[-m] = 1; a[abs(m)] = 1; a[m*m] = 1; long l = m; a[l*l*l*l] = 1; a[__umulhi(-1,-1)] = 1;"
    ),
    "shifts by 100": kernel(
        "a[1 << 100] = 1; a[threadIdx.x << 100] = 1; a[threadIdx.x >> -1] = 1; a[1 << -n] = 1; a[1u << 4000000000] = 1;"
    ),
    "division by zero": kernel(
        "const int z = 0; a[threadIdx.x / z] = 1; a[threadIdx.x % 0] = 1; a[1/0] = 1; a[n/z] = 1; a[1.0/0] = 1; a[m % (n-n)] = 1;"
    ),
    "calls with too few arguments": kernel(
        "a[min(n)] = 1; a[max()] = 1; a[__clz()] = 1; a[__shfl_sync()] = 1; __syncthreads(1, 2);"
    ),
    "shuffles over odd widths": kernel(
        "a[__shfl_sync(0, threadIdx.x, 99, 0)] = 1; a[__shfl_down_sync(n, threadIdx.x, -1, 33)] = 1;"
    ),
    "a template of nothing": "template <int N> float;\n" + kernel("a[threadIdx.x] = 1;"),
    "a loop over elements without a name": kernel(
        "float f[3]; for (float : f) a[threadIdx.x] = 1;"
    ),
    "folds over nothing": LAUNCH + "template <class... T> __global__ void k(float *a, T... t) { "
    "a[sizeof...(t)] = (0 + ... + t); ((a[t] = 1), ...); }\n",
    "launch bounds": LAUNCH + "__global__ void __launch_bounds__(0) k(float *a) { a[0] = 1;"
    " }\n__global__ void __launch_bounds__(1/0) l(float *a) { a[0] = 1; }\n",
    "template arguments": LAUNCH.replace("launch(", "launch(kernel=k<1,2,3,4,5>, ")
    + "template <int N, bool B = N/0> __global__ void k(float *a) { a[N] = B; }\n",
    "two of one name": kernel("a[threadIdx.x] = 1;")
    + kernel("a[threadIdx.x * 2] = 1;")
    + kernel("int x = 1; int x = 2; float n; a[x] = n;"),
    "launches": "__global__ void k(int *a) { a[threadIdx.x] = 1; }\nint main() { k<<<0, 0>>>(0); k<<<1>>>(0); k<<<>>>(0);"
    " k<<<1, 32>>>(1,2,3); k<<<n, m>>>(x); }\n",
    "launches for ever": "__global__ void k(int *a, int n) { a[threadIdx.x*n] = 1; }\nint main() { for (int i = 0;;"
    " i++) k<<<1, 32>>>(0, i); }\n",
}


@pytest.mark.parametrize("name", ODD)
def test_odd_input_is_survived(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    checked(capfd, tmp_path, ODD[name])
    for arguments in (["--output-format", "json"], [], ["--line", "4"]):
        outcome = run(capfd, "report", *arguments, tmp_path / "bad.cu")
        assert outcome.code in (0, 1) or (
            arguments[:1] == ["--line"] and "bad.cu ends at line" in outcome.error
        )


@pytest.mark.parametrize("language", ["cuda", "opencl"])
def test_built_in_functions_with_too_few_arguments_are_survived(language: str) -> None:
    table = tomllib.loads(
        (Path(lowering.__file__).parent / "calls" / "intrinsics.toml").read_text(encoding="utf-8")
    )
    listed = (entry["names"] for entry in table["family"] if language in entry["languages"])
    names = sorted({*(name for names in listed for name in names), *spelled(language)})
    head = "__global__ void k{}(int *a)" if language == "cuda" else "kernel void k{}(global int *a)"
    for arguments in ("", "a", "a, a + 1"):
        text = "\n".join(
            f"{head.format(i)} {{ {name}({arguments}); a[0] = 1; }}" for i, name in enumerate(names)
        )
        file = engine.analyse_source(files.Source("k", language, text), Settings(timeout=0))
        assert [p.message for p in file.problems if "internal error" in p.message] == []


RECURSIVE = {
    "function": (
        "__device__ int f(int n) { return n < 2 ? 1 : f(n-1) + f(n-2); }\n"
        + kernel("a[f(n)] = 1;"),
        "recursive call of f is not analysed",
    ),
    "two functions": (
        "__device__ int g(int); __device__ int f(int n) { return g(n); }\n__device__ int g(int n) { return f(n); }\n"
        + kernel("a[f(n)] = 1;"),
        "recursive call of f is not analysed",
    ),
    "function template": (
        "template <int N> __device__ int f() { return f<N+1>(); }\n" + kernel("a[f<0>()] = 1;"),
        "calls are nested more than 400 deep",
    ),
    "lambda": (
        kernel("auto f = [](auto self, int i) -> int { return self(self, i+1); }; a[f(f, 0)] = 1;"),
        "recursive call of a lambda",
    ),
    "struct": (
        "struct A { A a; int x; };\n" + kernel("A q; a[q.x] = 1;"),
        "`A`, which contains itself, is nested too deeply",
    ),
    "structs": (
        "struct A { struct B { A a[2]; } b; };\n" + kernel("A q; a[0] = 1;"),
        "`A`, which contains itself, is nested too deeply",
    ),
    "class template": (
        "template <class T> struct S { S<S<T>> next; int x; };\n"
        + kernel("S<int> s; a[s.next.next.x] = 1;"),
        "nested too deeply",
    ),
    "typedef": ("typedef T U; typedef U T;\n" + kernel("T x; a[x] = 1;"), "nested too deeply"),
    "constant": (
        "constexpr int f(int x) { return f(x+1); } constexpr int N = f(0);\n" + kernel("a[N] = 1;"),
        "bad.cu:1:33: warning: recursive call of f",
    ),
    "goto": (
        kernel("int i = 0; { again: a[threadIdx.x + i] = 1; } if (++i < n) goto again;"),
        "bad.cu:4:60: warning: goto again",
    ),
}


@pytest.mark.parametrize("name", RECURSIVE)
def test_recursion_is_said(name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    contents, message = RECURSIVE[name]
    assert message in checked(capfd, tmp_path, contents).output


@pytest.mark.parametrize("loop", ["while (1)", "do", "for (unsigned i = 1; i != 0; i += 2)"])
def test_endless_loops_have_no_count(
    loop: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    end = " while (true);" if loop == "do" else ""
    path = tmp_path / "loop.cu"
    path.write_text(kernel(f"{loop} {{ a[threadIdx.x] = 1; }}{end}"))
    outcome = run(capfd, "report", "--output-format", "json", path)
    [access] = json.loads(outcome.output)["files"][0]["kernels"][0]["accesses"]
    assert access["requests"] is None and access["status"] != "exact" and access["reason"]


# ------------------------------------------------------------------ launches that cannot be


LAUNCHES = {
    "grid=2147483648, block=256": "directive: the grid has 2,147,483,648 blocks along x, more than NVIDIA H100 allows (2,147,483,647)",
    "grid=99999999999999999999999, block=1": "the grid has 99,999,999,999,999,999,999,999 blocks along x, more than NVIDIA H100 allows",
    "grid=1, block=2000": "bad.cu:1:4: error: launch directive: a block has 2,000 threads, more than NVIDIA H100 allows (1,024) [KL093]",
    "block=1x1x65": "bad.cu:1:4: error: launch directive: a block has 65 threads along z, more than NVIDIA H100 allows (64) [KL093]",
    "grid=1, block=0": "bad.cu:1:4: error: kernlint directive not understood: '0': every size must be at least 1",
    "grid=-1, block=32": "bad.cu:1:4: error: kernlint directive not understood: '-1': every size must be at least 1",
    "grid=1/0, block=32": "bad.cu:1:4: error: kernlint directive not understood: '1/0' is not an integer",
    "grid=, block=32": "bad.cu:1:4: error: kernlint directive not understood: 'grid=' is not NAME=VALUE",
    "grid=1": "",
}


@pytest.mark.parametrize("launch", LAUNCHES)
def test_launches_that_cannot_be(
    launch: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    outcome = checked(
        capfd, tmp_path, kernel("a[threadIdx.x] = 1;", launch=f"// kernlint: launch({launch})\n")
    )
    assert LAUNCHES[launch] in outcome.output


@pytest.mark.parametrize(
    ("sizes", "what", "most"),
    [
        ("1, dim3(4, 4, 65)", "a block has 1,040 threads", "1,024"),
        ("1, dim3(1, 1, 65)", "a block has 65 threads along z", "64"),
        ("dim3(1, n * 64), 32", "the grid has 65,536 blocks along y", "65,535"),
        ("dim3(1, 1, 70000), 32", "the grid has 70,000 blocks along z", "65,535"),
    ],
)
def test_a_launch_beyond_a_limit_of_one_dimension_is_an_error_where_it_stands(
    sizes: str, what: str, most: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    host = f"\nint main() {{\n  float *a; const int n = 1024;\n  k<<<dim3(9, 65535, 1), dim3(1, 1, 64)>>>(a);\n  k<<<{sizes}>>>(a);\n}}\n"
    outcome = checked(capfd, tmp_path, "__global__ void k(float *a) { a[threadIdx.x] = 1; }" + host)
    told = f"bad.cu:5:3: error: this launch of `k` fails when the program runs: {what}, and NVIDIA H100 allows at most {most} [KL602]"
    assert told in outcome.output and "bad.cu:4" not in outcome.output


@pytest.mark.parametrize(
    ("block", "threads"), [("2048", "2,048"), ("dim3(64, 32)", "2,048"), ("n + 1", "1,025")]
)
def test_a_launch_of_too_many_threads_is_an_error_where_it_stands(
    block: str, threads: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    host = f"\nint main() {{\n  float *a; const int n = 1024;\n  k<<<1, n>>>(a);\n  k<<<1, {block}>>>(a);\n}}\n"
    outcome = checked(capfd, tmp_path, "__global__ void k(float *a) { a[threadIdx.x] = 1; }" + host)
    assert (
        f"bad.cu:5:3: error: this launch of `k` fails when the program runs: a block has {threads} threads, "
        in outcome.output
    )
    assert (
        "threads, and NVIDIA H100 allows at most 1,024 [KL602]" in outcome.output
        and "KL003" not in outcome.output
    )
    assert "bad.cu:4" not in outcome.output


def test_a_directive_that_is_never_closed(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    outcome = checked(
        capfd, tmp_path, kernel("a[threadIdx.x] = 1;", launch="// kernlint: launch(grid=1\n")
    )
    assert (
        "bad.cu:1:4: error: kernlint directive not understood: expected 'launch(…)' with a closing parenthesis"
        in outcome.output
    )


def test_no_launch(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    outcome = checked(capfd, tmp_path, kernel("a[threadIdx.x] = 1;", launch=""))
    assert "bad.cu:1:17: info: `k`: grid unknown" in outcome.output and "[KL002]" in outcome.output


# ------------------------------------------------------------------ paths and options


def test_paths_that_give_no_text(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").mkdir()
    good = tmp_path / "good.cu"
    good.write_text(GOOD)
    outcome = run(
        capfd, "--output-format", "concise", tmp_path / "none.cu", tmp_path / "empty", good
    )
    assert outcome.code == 2
    assert (
        "none.cu" not in outcome.output
        and f"kernlint: {tmp_path}/none.cu: no such file or folder\n" in outcome.error
    )
    assert f"{tmp_path}/empty:1:1: warning: no kernel files in this folder" in outcome.output
    assert f"{good}:2:" in outcome.output


def test_a_folder_of_host_code_alone_is_told_how_its_kernels_are_analysed(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "src").mkdir()
    path = tmp_path / "src" / "k.cpp"
    path.write_text(GOOD)
    outcome = run(capfd, "--output-format", "concise", tmp_path)
    assert (
        f"*.ptx): name files of another ending themselves, `kernlint {tmp_path}/src/*.cpp`"
        in outcome.output
    )
    assert f"{path}:2:" in run(capfd, "--output-format", "concise", path).output
    path.rename(path.with_suffix(".py"))
    assert "name files" not in run(capfd, "--output-format", "concise", tmp_path).output


def test_an_unreadable_file(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "secret.cu"
    path.symlink_to(
        path
    )  # a link to itself: nobody can read it, not even the superuser, whom permissions do not stop
    outcome = run(capfd, "--output-format", "concise", path)
    assert outcome.code == 1 and f"{path}:1:1: warning: cannot read: " in outcome.output


def test_a_file_that_is_none(capfd: pytest.CaptureFixture[str]) -> None:
    outcome = run(capfd, "--output-format", "concise", "/dev/null")
    assert outcome.code == 1 and "/dev/null:1:1: warning: " in outcome.output


REQUESTS: dict[str, tuple[list[str], str]] = {
    "two blocks": (["--block", "32", "--block", "64"], "--block is given twice"),
    "block of 2000": (["--block", "2000"], "2,000 threads"),
    "block of 0": (["--block", "0"], "--block"),
    "grid of nothing": (["--grid", ""], "--grid"),
    "grid of four axes": (["--grid", "1x1x1x1"], "--grid"),
    "negative shared memory": (["--dynamic-shared", "-5"], "--dynamic-shared"),
    "argument without a value": (["--arg", "n"], "--arg"),
    "argument of nonsense": (["--arg", "n=abc"], "--arg"),
    "define of nonsense": (["-D", "1x=3"], "-D"),
    "define of nothing": (["-D", ""], "-D"),
    "no such device": (["--device", "h1000"], "h1000"),
    "no such kernel": (["--kernel", "goood"], "did you mean `good`?"),
    "no such kernel, and no word of the language instead": (
        ["--kernel", "void"],
        "no such kernel in the files given\n",
    ),
    "a file taken for a reason": (["--add-ignore"], "as its reason; name the files first"),
    "no such rule": (["--select", "KL999"], "KL999"),
    "no such format": (["--output-format", "xml"], "xml"),
    "no such option": (["--blocks", "32"], "--blocks"),
    "nowhere to write": (["-o", "/nonexistent/x"], "cannot write /nonexistent/x"),
}


@pytest.mark.parametrize("name", REQUESTS)
def test_requests_that_make_no_sense(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "good.cu"
    path.write_text(GOOD)
    arguments, message = REQUESTS[name]
    outcome = run(capfd, "check", *arguments, path)
    assert outcome.code == 2 and message in outcome.error and outcome.error.startswith("kernlint: ")


def test_launches_beyond_the_launch_bounds_fail(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """CUDA C++ Programming Guide, launch bounds: a kernel fails to launch with more threads per
    block than they say."""
    bounded = "__global__ void __launch_bounds__(64) k(float *a) { a[threadIdx.x] = 0; }\n"
    (tmp_path / "bad.cu").write_text(
        bounded + "void f(float *a) { k<<<2, 96>>>(a); k<<<2, 64>>>(a); }\n"
    )
    outcome = run(capfd, "check", tmp_path / "bad.cu", "--output-format", "concise")
    assert (
        "a block has 96 threads, and its `__launch_bounds__` allows at most 64 [KL602]"
        in outcome.output
    )
    assert outcome.output.count("KL602") == 1
    agent = run(capfd, "check", tmp_path / "bad.cu", "--output-format", "agent")
    assert (
        "help: launch smaller blocks, or raise the first number of the kernel's `__launch_bounds__`"
        in agent.output
    )
    stated = run(
        capfd,
        "check",
        tmp_path / "bad.cu",
        "--block",
        "128",
        "--grid",
        "2",
        "--output-format",
        "concise",
    )
    assert (
        "more than the kernel's `__launch_bounds__` allow (64): the launch fails at run time [KL003]"
        in stated.output
    )
    directed = checked(capfd, tmp_path, "// kernlint: launch(block=96)\n" + bounded)
    assert (
        "bad.cu:1:4: error: launch directive: a block has 96 threads, more than the kernel's `__launch_bounds__`"
        in directed.output
    )
    assert "KL003" not in directed.output


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes")
def test_a_named_pipe_is_not_waited_for(tmp_path: Path) -> None:
    """Nobody writes to it: reading it would wait for ever."""
    pipe, includes = tmp_path / "k.cu", tmp_path / "user.cu"
    os.mkfifo(pipe)
    os.mkfifo(tmp_path / "k.cuh")
    includes.write_text('#include "k.cuh"\n' + GOOD)
    for arguments in ([pipe], [tmp_path], [includes]):
        words = [
            sys.executable,
            "-m",
            "kernlint",
            "--no-cache",
            "--output-format",
            "concise",
            *map(str, arguments),
        ]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 1, done.stderr
        assert ("it is a named pipe, no file; `kernlint - < " in done.stdout) == (
            arguments != [includes]
        )


@pytest.mark.skipif(not os.path.isdir("/dev/fd"), reason="files of the shell's own")
def test_a_pipe_that_the_shell_has_opened_is_read(tmp_path: Path) -> None:
    (tmp_path / "good.cu").write_text(GOOD)
    command = f"{sys.executable} -m kernlint --no-cache --output-format concise --language cuda <(cat {tmp_path}/good.cu)"
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, timeout=60, check=False
    )
    assert "[KL201]" in done.stdout, done.stderr
