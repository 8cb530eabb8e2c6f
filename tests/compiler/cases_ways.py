"""Cases of values and stores that control chooses between: overwritten loads, `else if` chains,
`switch`, early returns, conditions made of several; and of indices that some copies of an unrolled
loop know more about."""

from __future__ import annotations

import re

OPEN = "  const int t = threadIdx.x;\n"
SHARED = "  __shared__ float s[1024], q[256];\n  s[t] = a[t]; q[t ^ 3] = n;\n  __syncthreads();\n"
TAIL = "  __syncthreads();\n  o[t + 999] = s[t ^ 9] + q[t];\n"


def annotated(line: str, trips: int = 1) -> str:
    """A line with the accesses that it makes: arrays a, b and o are global, s and q shared."""
    stores = [m[1] for m in re.finditer(r"\b([aboqs])\[[^\]]*\] [-+*]?=[^=]", line)]
    updates = [m[1] for m in re.finditer(r"\b([aboqs])\[[^\]]*\] [-+*]=", line)]
    every = [m[1] for m in re.finditer(r"\b([aboqs])\[", line)]
    for name in stores:
        every.remove(name)
    tags = [
        f"{'s' if n in 'qs' else 'g'}.{kind}4"
        for kind, names in (("ld", every + updates), ("st", stores))
        for n in names
    ]
    return f"{line} //@ {' '.join(tags)}{f' x{trips}' if trips > 1 else ''}" if tags else line


def kernel(*lines: str, trips: int = 1) -> str:
    shared = any(re.search(r"\b[sq]\[", line) for line in lines)
    body = "".join(f"  {annotated(line, trips)}\n" for line in lines)
    return f"__global__ void k(float *a, float *b, float *o, int n, int m) {{\n{OPEN}{SHARED if shared else ''}{body}{TAIL if shared else ''}}}\n"


CONDITIONS = {"lane": "t < n", "uniform": "n > 3", "parity": "t & 1", "data": "v > 3"}
REPLACED = {
    "load": ("v = a[t];",), "other_array": ("v = b[t + m];",), "times": ("v = b[t] * 3;",), "constant": ("v = 0;",), "sum": ("v += b[t];",), "two": ("v = b[t];", "v *= b[t + 9];"),
    "store_too": ("v = b[t];", "o[t + 64] = 1;"), "math": ("v = t * 3.f + n;",), "shared": ("v = s[t ^ 5];",), "store_only": ("v = 0;", "o[t + 64] = 1;"),
}  # fmt: skip
AFTER = {
    "use": ("o[t] = v;",), "other": ("float w = t * 3.f + n;", "o[t + 1] = w;", "o[t] = v;"), "load": ("float w = b[t + 5];", "o[t + 1] = w;", "o[t] = v;"),
    "same_line": ("o[t] = v + b[t + 5];",), "barrier": ("__syncthreads();", "o[t] = v;"),
}  # fmt: skip
BEFORE = {
    "none": (),
    "store": ("o[t + 300] = 1;",),
    "barrier": ("__syncthreads();",),
    "load": ("float u = b[t + 7];", "o[t + 33] = u;"),
}
CHAINS = {
    "store_other": (
        "if (t < n) s[t] = 1;",
        "else if (t < m) s[t + 64] = 2;",
        "else s[t + 128] = 3;",
    ),
    "store_same_two": ("if (t < n) s[t] = 1;", "else if (t < m) s[t] = 2;"),
    "store_same_three": ("if (t < n) s[t] = 1;", "else if (t < m) s[t] = 2;", "else s[t] = 3;"),
    "load": (
        "float v;",
        "if (t < n) v = a[t];",
        "else if (t < m) v = a[t + 64];",
        "else v = a[t + 128];",
        "o[t] = v;",
    ),
    "load_open": ("float v = 0;", "if (t < n) v = a[t];", "else if (t < m) v = b[t];", "o[t] = v;"),
    "warps": (
        "int w = t / 32;",
        "if (w == 0) s[t] = a[t];",
        "else if (w == 1) s[t + 32] = a[t + 100];",
        "else if (w == 2) s[t + 64] = a[t * 2];",
    ),
    "warps_apart": (
        "int w = t / 32;",
        "if (w == 0) o[t] = 1;",
        "if (w == 1) o[t + 64] = 2;",
        "if (w == 2) o[t + 128] = 3;",
    ),
    "nested_same": (
        "if (t & 1) { if (t < n) o[t] = 1; else o[t] = 2; }",
        "else { if (t < m) o[t] = 3; else o[t] = 4; }",
    ),
    "nested_open": ("if (t & 1) { if (t < n) o[t] = 1; }", "else { if (t < m) o[t] = 3; }"),
    "borders": (
        "if (t == 0) o[t] = a[0];",
        "else if (t == n) o[t] = a[n - 1];",
        "else o[t] = a[t - 1] + a[t + 1];",
    ),
    "clamp": (
        "float v = a[t];",
        "if (v < 0) o[t] = 0;",
        "else if (v > 1) o[t] = 1;",
        "else o[t] = v;",
    ),
    "twice": (
        "float v = a[t + 64];",
        "if (t < n) v = b[t];",
        "if (t > m) v = a[t + 3];",
        "o[t] = v;",
    ),
    "twice_zero": ("float v = 0;", "if (t < n) v = b[t];", "if (t > m) v = a[t + 3];", "o[t] = v;"),
    "switch_same": (
        "switch (n) {",
        "case 0: o[t] = 1; break;",
        "case 1: o[t] = 2; break;",
        "default: o[t] = 4; }",
    ),
    "switch_lanes": (
        "switch (t & 3) {",
        "case 0: o[t] = a[t]; break;",
        "case 1: o[t] = a[t + 1]; break;",
        "case 2: o[t + 64] = a[t]; break;",
        "default: o[t] = 4; }",
    ),
    "switch_value": (
        "float v = 0;",
        "switch (n) {",
        "case 0: v = a[t]; break;",
        "case 1: v = b[t]; break;",
        "case 2: v = a[t + 5]; break;",
        "}",
        "o[t] = v;",
    ),
    "and": ("if (t < n && s[t + 64] > s[t]) {", "s[t] = s[t + 64];", "q[t] = q[t + 64];", "}"),
    "or": ("if (t < n || s[t + 64] > 3)", "q[t] = s[t + 64];"),
    "and_not": ("if (t < n && !(s[t + 64] > 3))", "q[t] = s[t + 64];"),
    "and_three": ("if (t < n && s[t + 64] > 3 && s[t + 32] > 4)", "q[t] = s[t + 64] * s[t + 32];"),
}
RETURNS = {
    "same": ("o[t] = a[t] * 2;", "o[t] = a[t] * 3;"), "constants": ("o[t] = 2;", "o[t] = 3;"), "apart": ("o[t] = 2;", "o[t + 4] = 3;"), "zero": ("o[t] = 0;", "o[t] = a[t];"),
    "loads": ("o[t] = a[t + 64];", "o[t] = a[t];"), "two_loads": ("o[t] = a[t] + a[t + 64];", "o[t] = a[t];"), "more": ("o[t] = 1;", "o[t + 4] = 3;", "o[t + 9] = a[t];"),
    "other_array": ("o[t] = 1;", "b[t] = 2;"), "load_only": ("o[t] = 1;", "float v = a[t];", "if (v > 3) o[t + 5] = v;"),
}  # fmt: skip


def _replaced() -> dict[str, str]:
    integers = kernel("int v = (int)a[t + 64];", "if (t < n)", "  v += (int)b[t];", "o[t] = v;")
    cases = {"replaced_integer_sum": integers}
    for name, arm in REPLACED.items():
        for where, condition in CONDITIONS.items():
            cases[f"replaced_{name}_{where}"] = kernel(
                "float v = a[t + 64];", f"if ({condition}) {{", *arm, "}", *AFTER["use"]
            )
        cases[f"replaced_{name}_else"] = kernel(
            "float v = a[t + 64];", "if (t < n) {", *arm, "}", "else v += 1;", *AFTER["use"]
        )
    for name in ("load", "other_array", "times", "constant"):
        for after, more in AFTER.items():
            for before, first in BEFORE.items():
                cases[f"replaced_{name}_before_{before}_after_{after}"] = kernel(
                    "float v = a[t + 64];", *first, "if (t < n) {", *REPLACED[name], "}", *more
                )
        cases[f"replaced_{name}_shared"] = kernel(
            "float v = s[t + 64];",
            "if (t < n) {",
            *(x.replace("a[", "s[").replace("b[", "q[") for x in REPLACED[name]),
            "}",
            "o[t] = v;",
        )
    return cases


def _returns() -> dict[str, str]:
    cases = {}
    for name, (arm, *rest) in RETURNS.items():
        for where in ("lane", "uniform", "parity"):
            cases[f"leave_{name}_{where}"] = kernel(
                f"if ({CONDITIONS[where]}) {{", arm, "return;", "}", *rest
            )
    return cases


def _copies() -> dict[str, str]:
    """Loops some of whose copies know the parity of the counter, or whose strides reach one."""
    cases = {}
    body = (
        "  float x = s[p], y = s[p + 1];",
        "  s[p] = y * 2;",
        "  s[p + 1] = x;",
        "  __syncthreads();",
        "}",
    )
    for trip in ("n", "8"):
        for name, index in (
            ("parity", "2 * t + (k & 1)"),
            ("remainder", "2 * t + k % 2"),
            ("lane", "2 * t + (t & 1)"),
            ("carried", "2 * t + (k & n)"),
        ):
            cases[f"copies_{name}_{trip}"] = kernel(
                f"for (int k = 0; k < {trip}; ++k) {{",
                f"  int p = {index};",
                *body,
                trips=8 if trip == "8" else 1,
            )
    for name, index in (
        ("bitonic", "2 * t - (t & (j - 1))"),
        ("butterfly", "(t / j) * 2 * j + t % j"),
        ("plain", "2 * t"),
    ):
        lines = (
            f"  int p = {index};",
            "  float x = s[p], y = s[p + j];",
            "  if (x > y) {",
            "    s[p] = y;",
            "    s[p + j] = x;",
            "  }",
            "  __syncthreads();",
            "}",
        )
        cases[f"strides_{name}"] = kernel("for (int j = 64; j > 0; j >>= 1) {", *lines, trips=7)
    return cases


def cases() -> dict[str, str]:
    return {
        **_replaced(),
        **{f"chain_{n}": kernel(*lines) for n, lines in CHAINS.items()},
        **_returns(),
        **_copies(),
    }
