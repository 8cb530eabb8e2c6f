"""Families of kernels that vary one thing that nvcc's changes of accesses depend on: every claim on
them is held against machine code.

In: nothing. Out: a program for each family. `claimed.py` compiles them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import permutations, product

from tests.compiler.register_tiles import Product

PARAMETERS = "float *{0}o, float *{0}p, const float *{0}q, const float *{0}r, float4 *{0}o4, const float4 *{0}q4, const int *{0}f, float w, float v, int n, int m"
INDEX = "  int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;\n"
RESTRICT = ("", "__restrict__ ")
HEAD = """#include <cuda_bf16.h>
#include <cuda_fp16.h>
union U { float f[4]; int i[4]; };
struct S2 { float f; int i; };
struct L4 { int v[4]; };
struct alignas(16) A4 { float x, y, z, w; };
struct alignas(16) D4 { float v[4]; };
struct C3 { int a; char b; short c; };
"""


def program(bodies: Iterable[tuple[str, str]]) -> str:
    """`bodies`: how pointers are qualified, and the lines of a kernel, those of shared memory
    first."""
    text = HEAD
    for number, (restrict, body) in enumerate(bodies):
        lines = "".join(f"  {line}\n" for line in body.splitlines())
        text += f"__global__ void k{number}({PARAMETERS.format(restrict)}) {{\n{INDEX}{lines}}}\n"
    return text


VALUES = {
    "constant": "0",
    "load": "q[i]",
    "made": "q[i + 7] * 2",
    "given": "w * 2",
    "other": "r[i]",
}


def _early_returns() -> Iterable[tuple[str, str]]:
    """What the ways store, whether the index is at hand, and what lies between."""
    for restrict, before, test in product(
        RESTRICT, ("", "float x = r[i];\n"), ("i >= n", "f[i] > 3")
    ):
        sum_ = " + x" if before else ""
        for early, last in product(VALUES.values(), VALUES.values()):
            if early == last and not before:
                continue  # the branch goes, too
            yield (
                restrict,
                f"{before}if ({test}) {{\n  o[i] = {early};\n  return;\n}}\no[i] = {last}{sum_};",
            )
        for one, two in product(("0", "q[i]", "w"), ("q[i]", "q[i + 7] * 2")):
            second = f"if (f[i + 64] == 2) {{\n  o[i] = {two};\n  return;\n}}\n"
            yield (
                restrict,
                f"{before}if ({test}) {{\n  o[i] = {one};\n  return;\n}}\n{second}o[i] = v{sum_};",
            )
    between = (
        "float x = q[i];",
        "float x = 0;\nfor (int k = 0; k < n; k++)\n  x += q[i + k * 32];",
        "float x = expf(q[i]) / w;",
    )
    ends = (
        "o[i] = x;",
        "o[i] = x;\np[i] = x * 2;",
        "p[i] = x * 2;\no[i] = x;",
        "if (x > 9)\n  o[i] = x;",
        "o[i + 1] = x;",
        "o4[i] = make_float4(x, 1, 2, 3);",
    )
    arms = ("o[i] = 0;", "o[i] = 0;\n  p[i] = 0;", "o4[i] = make_float4(0, 0, 0, 0);")
    for restrict, test, arm, middle, end in product(
        RESTRICT, ("i >= n", "f[i] > 3"), arms, between, ends
    ):
        yield restrict, f"if ({test}) {{\n  {arm}\n  return;\n}}\n{middle}\n{end}"


def _lists() -> Iterable[tuple[str, str]]:
    """Which members of a vector or class are constants, and where it is stored."""
    for mask, place in product(range(16), ("0", "3", "i", "m")):
        members = [f"q[i + {32 * k}]" if mask >> k & 1 else str(k + 1) for k in range(4)]
        yield "", f"o4[{place}] = {{{', '.join(members)}}};"
        yield "", f"o4[{place}] = make_float4({', '.join(members)});"
        yield "", f"((A4 *)o)[{place}] = {{{', '.join(members)}}};"
    for place, listed in product(("0", "i"), ("1, 2, 3, q[i]", "q[i], 2, 3, 4", "q[i], w, 2, v")):
        yield "", f"((D4 *)o)[{place}] = {{{{{listed}}}}};"
        yield "", f"((D4 *)o)[{place}] = {{{listed}}};"
        yield "", f"float4 x = {{{listed}}};\no4[{place}] = x;"
        yield "", f"float x[4] = {{{listed}}};\no4[{place}] = *(float4 *)x;"
    for place in ("0", "i"):
        yield "", f"((C3 *)o)[{place}] = {{1, 2, (short)q[i]}};"
    for a, b, place in product(("3", "w", "q[i]"), ("4", "v * 2", "r[i]"), ("o[0]", "o[i]")):
        yield RESTRICT[1], f"if (n > 3)\n  {place} = {a};\nif (m > 2)\n  {place} = {b};"


WAIT = "__syncthreads();\n"


def _shared_variables() -> Iterable[tuple[str, str]]:
    """Scalars and arrays beside each other, of one constant, and that nobody reads."""
    beside = {
        "float a, b;": ("a = x;\nb = y;", "a * b"), "float a, b, c;": ("a = x;\nb = y;\nc = x + y;", "a * b + c"), "double a, b;": ("a = x;\nb = y;", "a * b"),
        "float a; __shared__ double b;": ("a = x;\nb = y;", "a * b"), "float a; __shared__ float s[32];": ("a = x;\ns[0] = y;", "a * s[0]"),
        "float s[32]; __shared__ float a;": ("a = x;\ns[t] = y;", "a * s[t ^ 1]"), "float a[2]; __shared__ float b[2];": ("a[1] = x;\nb[0] = y;", "a[1] * b[0]"),
        "float a, b; ": ("a = x;\n__syncthreads();\nb = y;", "a * b"), "volatile float a, b;": ("a = x;\nb = y;", "a * b"), "float a; __shared__ bool b;": ("a = x;\nb = y > 3;", "b * a"),
    }  # fmt: skip
    for (declared, (stores, read)), guard in product(beside.items(), ("", "if (t == 0) ")):
        yield (
            "",
            f"__shared__ {declared}\nfloat x = q[i], y = q[i + 32];\n{guard}{{\n{stores}\n}}\n{WAIT}o[i] = {read};",
        )
    once = {
        "int c;": ("if (t == 0) c = 3;", "c"), "int c; ": ("if (t == 0) c = n;", "c"), "float c;": ("if (t == 0) c = 0;\n__syncthreads();\nif (q[i] > 3) c = 1;", "c"),
        "int s[4];": ("if (t == 0) s[2] = 3;", "s[2]"), "int s[64];": ("s[t] = 3;", "s[t ^ 1]"), "int c;  ": ("if (t == 0) { c = 3; atomicAdd(&c, 1); }", "c"),
        "bool c;": ("if (n) c = true;", "c"), "volatile int c;": ("if (t == 0) c = 3;", "c"),
    }  # fmt: skip
    for declared, (stores, read) in once.items():
        yield "", f"__shared__ {declared}\n{stores}\n{WAIT}o[i] = {read};"
    unread = (
        "U s[64];|s[t].f[1] = x;", "U s[64];|s[t].f[n] = x;", "U s[64];|s[t].i[1] = n;", "U s;|s.f[1] = x;", "S2 s[64];|s[t].f = x;", "float s[64];|s[t] = x;", "char s[256];|((float *)s)[t] = x;",
        "half2 s[64];|s[t] = __float2half2_rn(x);", "__nv_bfloat162 s[64];|s[t] = __float2bfloat162_rn(x);", "float s[64];|float *z = s + t;\n*z = x;", "float s[64];|*(volatile float *)(s + t) = x;",
        "float s[99];|float y = 0;\ns[t] = x;\n__syncthreads();\nfor (int k = 0; k < n; k++)\n  y += s[k];", "float s[99];|float y = 1;\ns[t] = x;\n__syncthreads();\nfor (int k = 0; k < 8; k++)\n  y = y * y + s[t + k];",
    )  # fmt: skip
    for one in unread:
        declared, _, stores = one.partition("|")
        yield "", f"__shared__ {declared}\nfloat x = q[i];\n{stores}\no[i] = w;"
        if declared.startswith("float"):
            yield "", f"extern __shared__ float s[];\nfloat x = q[i];\n{stores}\no[i] = w;"


BETWEEN = (
    "y = sinf(w);", "y = v / w;", "y = sqrtf(w);", "y = expf(w);", "y = logf(w);", "y = n % m;", "y = fmodf(w, v);", "y = __shfl_xor_sync(~0u, w, 1);", "__syncthreads();", "__threadfence();", "p[i] = w;",
    "atomicAdd(p, w);", "for (int k = 0; k < n; k++)\n  y = y * w + 1;", "if (n > 3)\n  y = q[i + 5];", "__stcs(p + i, w);", "y = __ldcs(r + i);", "y = __ldg(q + i + 32);", "y = o[i + 64];", "",
)  # fmt: skip


def _again() -> Iterable[tuple[str, str]]:
    """What stands between two accesses of one address."""
    for restrict, between in product(RESTRICT, BETWEEN):
        yield (
            restrict,
            f"float y = w;\nfloat x = q[i];\n{between}\nfloat z = q[i];\no[i] = x + y * z;",
        )
        yield (
            restrict,
            f"float y = w;\nfloat x = __ldcs(q + i);\n{between}\nfloat z = __ldcs(q + i);\no[i] = x + y * z;",
        )
        yield (
            restrict,
            f"float y = w;\nfloat h = __ldcg(q + i + 9);\nfloat x = q[i];\n{between}\nfloat z = q[i];\no[i] = x + y * z + h;",
        )
        yield restrict, f"float y = w;\no[i] = w * 2;\n{between}\no[i] = v;\np[i + 200] = y;"
    for value in (
        "w",
        "w * 2",
        "x",
        "-x",
        "fabsf(x)",
        "fmaxf(x, w)",
        "x > 2 ? x : w",
        "1.f",
        "rsqrtf(x)",
    ):
        for store, guard in product(("__stcs", "__stcg"), ("", "if (n > 3)\n  ")):
            yield RESTRICT[1], f"float x = q[i];\n{guard}{store}(o + i, {value});\no[i + 128] = x;"


def _choices() -> Iterable[tuple[str, str]]:
    """Choices that a condition around them decides."""
    for test, choice in product(
        ("i < n", "n > 3", "w > 2.f", "f[i]"),
        (
            "{c} ? v : x",
            "{c} ? x : v",
            "!({c}) ? x : v",
            "{c} ? x : y",
            "n > 9 ? v : x",
            "{c} ? x + y : v",
        ),
    ):
        value, loads = choice.format(c=test), "float x = q[i + 64], y = r[i];\n"
        yield RESTRICT[1], f"{loads}if ({test}) {{\n  o[i] = {value};\n  o[i + 99] = 4;\n}}"
        yield RESTRICT[1], f"{loads}float z = {value};\nif ({test})\n  o[i] = z;"
        yield RESTRICT[1], f"{loads}if (!({test})) return;\no[i] = {value};"
        yield RESTRICT[1], f"if ({test}) {{\n  {loads}  o[i] = {value};\n}} else\n  o[i] = 7;"


def _own_arrays() -> Iterable[tuple[str, str]]:
    """Elements of the thread's own array that are stored and read at constant and at changing
    indices."""
    stores = (
        "s[n & 1] = q[i];",
        "s[2] = q[i];",
        "s[n & 3] = q[i];",
        "s[3] = q[i + 64];\ns[n & 1] = 5;",
        "s[2] = q[i];\ns[n & 1] = q[i + 32];",
        "for (int k = 0; k < 4; k++)\n  s[k] = q[i + k * 32];\ns[n & 1] = 7;",
    )
    reads = (
        "s[0]",
        "s[2]",
        "s[1] + s[2]",
        "s[n & 1]",
        "s[m & 3]",
        "w",
        "s[0] + s[1] + s[2] + s[3]",
    )
    for first, store, read in product(("", "1, 2, 3, w"), stores, reads):
        yield "", f"float s[4] = {{{first}}};\n{store}\no[i] = {read};"


def _orders() -> Iterable[tuple[str, str]]:
    """The order of members that are stored, or loaded with others between; strides that are steps
    of each other."""
    for some in [*permutations("xy"), *permutations("xyzw")]:
        yield (
            RESTRICT[1],
            "\n".join(f"((float{len(some)} *)o)[i].{c} = q[i + {k}];" for k, c in enumerate(some)),
        )
        array = f"__shared__ float{len(some)} s[128];\n"
        yield (
            RESTRICT[1],
            array
            + "\n".join(f"s[t].{c} = q[i + {k}];" for k, c in enumerate(some))
            + f"\n{WAIT}o[t] = ((float *)s)[t ^ n];",
        )
    for some, align in product(permutations("0123"), ("", "__align__(16) ")):
        stores = "\n".join(f"s[4 * t + {c}] = q[i + {k}];" for k, c in enumerate(some))
        yield RESTRICT[1], f"__shared__ {align}float s[512];\n{stores}\n{WAIT}o[t] = s[t ^ n];"
    for which, names, separator in product(
        product((0, 1), repeat=4), ("xyzw", "wzyx", "xzyw"), (", ", ",\n  ")
    ):
        members = (f"q4[i{' + 32' * far}].{c}" for far, c in zip(which, names, strict=True))
        yield "", f"o4[i] = make_float4({separator.join(members)});"
    for first, other, align, early in product(
        ("s[t]", "s[n]"),
        ("3 * t", "t", "4 * t", "t + n", "2 * t + n"),
        ("", "__align__(16) "),
        ("", "if (t >= n) return;\n"),
    ):
        yield (
            RESTRICT[1],
            f"__shared__ {align}float s[512];\n{first} = q[i];\n{WAIT}{early}float x = s[2 * t] *\n  s[2 * t + 1];\nfloat z = s[{other}];\no[t] = x - z;",
        )


def _functions() -> Iterable[tuple[str, str]]:
    """Values that are made in place by lambdas called twice, members handed over several lines,
    copies of vectors."""
    bodies = (
        "float a = q[j];\n  float b = q[j];\n  return a * b;",
        "return q[j] * q[j + 1];",
        "float a = q[j];\n  if (a > 3) return a;\n  return a * q[j];",
    )
    for body, other in product(bodies, ("i", "i + 1", "i + 32")):
        yield (
            RESTRICT[1],
            f"auto h = [&](int j) -> float {{\n  {body}\n}};\nfloat x = h(i);\nfloat y = h({other});\no[i] = x + y;",
        )
    for a, b, c in product("xyz", "yzw", "xw"):
        yield "", f"o[i] = fmaf(q4[i].{a},\n  q4[i].{b},\n  q4[i + 32].{c});"
    for first, last in product(("x", "make_float4(w, 1, 2, 3)"), ("y", "x")):
        yield (
            RESTRICT[1],
            f"float4 x = q4[i];\nfloat4 y = q4[i + 32];\no4[i] = {first};\no4[i] = {last};",
        )


JOINED = {
    "float": ("{}", "w / {}", "{} / 3", "sqrtf({})", "rsqrtf({})", "expf({})", "logf({})", "sinf({})", "powf({}, w)", "fmodf({}, w)", "tanhf({})", "erff({})",
              "hypotf({}, w)", "__sinf({})", "(int){} / n", "(long long){} / (long long)n"),
    "double": ("{}", "w / {}", "sqrt({})", "exp({})", "log({})", "tanh({})", "cbrt({})", "rsqrt({})", "floor({})"),
}  # fmt: skip
LOOPS = (
    "for (int k = 0; k < n; ++k)", "for (int k = 0; k < 64; ++k)",
    "#pragma unroll 4\nfor (int k = 0; k < n; ++k)", "#pragma unroll 4\nfor (int k = 0; k < 16; ++k)",
)  # fmt: skip


def _joined() -> Iterable[tuple[str, str]]:
    """What is made of words of which following iterations of a loop read following ones, where
    those lie, and how often the loop runs."""
    for type_, values in JOINED.items():
        name = f"{type_[0]}s"
        places = (f"extern __shared__ {type_} {name}[];", f"__shared__ {type_} {name}[1024];")
        for value, place, loop, first in product(values, places, LOOPS, ("t * 16 + ", "")):
            filled = (
                f"{place}\n{name}[t] = q[i];\n{name}[t + 512] = q[i + 512];\n__syncthreads();\n"
            )
            yield (
                "",
                f"{filled}{type_} y = 0;\n{loop}\n  y += {value.format(f'{name}[{first}k]')};\no[i] = y;",
            )


BODIES = {
    "stores": "o[(k * {m} + {j}) * n + t] = q[(k * {m} + {j}) * n + t] + w;",
    "loads": "x += q[(k * {m} + {j}) * n + t] * w;",
    "branches": "if (t + k < n - {j}) x += q[t + k * {m} + {j}];",
    "integers": "y = (y ^ (int)q[k * {m} + {j} + t]) + k;",
    "floats": "x = x * {j}.5f + w;",
    "shared": "y = (y ^ (int)s[k * {m} + {j} + t]) + k;",
    "turned": "x += s[((t ^ k) + {j} * 32) & 1023];",
}  # fmt: skip


def _bodies() -> Iterable[tuple[str, str]]:
    """How large a loop is that nvcc unrolls in full, by what else its body does."""
    for (body, m, count), pragma in product(
        product(BODIES.values(), (1, 2, 4, 8), (12, 20, 32, 48)),
        ("", "#pragma unroll\n", "#pragma unroll 4\n"),
    ):
        inner = "".join(f"\n  {body.format(m=m, j=j)}" for j in range(m))
        filled = f"__shared__ float s[128 * {count}];\nfor (int k = 0; k < {count}; ++k)\n  s[k * 128 + t] = q[k * 128 + t];\n__syncthreads();\n"
        yield (
            "__restrict__ ",
            f"{filled}float x = w;\nint y = 0;\n{pragma}for (int k = 0; k < {count}; ++k) {{\n  x += s[t * {count} + k];{inner}\n}}\no[t] = x + y;",
        )


def _tiles() -> Iterable[str]:
    """How far the loop over the depth of a product is unrolled."""
    sizes = ((2, 4), (4, 2), (4, 4), (3, 4))
    for number, ((rows, columns), depth, made, pragma) in enumerate(
        product(sizes, (8, 16), ("fma", "max"), ("", "unroll 2"))
    ):
        yield Product(rows, columns, depth, made, "float", pragma).source.replace(
            "product", f"product{number}"
        )


FAMILIES: Mapping[str, str] = {
    "early_returns": program(_early_returns()), "lists": program(_lists()), "shared_variables": program(_shared_variables()), "again": program(_again()),
    "choices": program(_choices()), "own_arrays": program(_own_arrays()), "orders": program(_orders()), "functions": program(_functions()),
    "joined": program(_joined()), "bodies": program(_bodies()),
    "tiles": "".join(_tiles()),
}  # fmt: skip
