"""Small kernels of unknown sizes, two of a kind, each with the formulas that a person wrote down
before kernlint saw it.

G stands for the number of blocks. A formula takes the arguments by name and the grid as gdx, gdy,
gdz; `access` is the text of the access that it is of, `part` one of "requests", "per_request" and
"total".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import gcd

from tests.places import DATA

Formula = Callable[..., int]


@dataclass(frozen=True)
class Small:
    kind: str
    text: str
    block: tuple[int, int, int]
    access: str
    formulas: dict[str, Formula]
    place: int = -1  # among the accesses of this text


def up(a: int, b: int) -> int:
    return -(-a // b)


def kernel(parameters: str, body: str) -> str:
    return f"__global__ void k({parameters}) {{ {body} }}\n"


def blocks(a: dict[str, int]) -> int:
    return a["gdx"] * a["gdy"] * a["gdz"]


def degree(p: int, banks: int = 32) -> int:
    return 1 if p == 0 else gcd(p, banks)


SHARED = "__shared__ float s[8192];"
LINE = (128, 1, 1)

SMALL = (
    Small(
        "unknown stride",
        kernel("float *o, int p", f"{SHARED} s[threadIdx.x * p] = o[threadIdx.x];"),
        LINE,
        "s[threadIdx.x * p]",
        {"per_request": lambda **a: degree(a["p"]), "requests": lambda **a: 4 * blocks(a)},
    ),
    Small(
        "unknown stride",
        kernel("double *o, int p", "__shared__ double s[4096]; s[threadIdx.x * p] = o[0];"),
        (64, 1, 1),
        "s[threadIdx.x * p]",
        {
            "per_request": lambda **a: 2 * degree(a["p"], 16),
            "total": lambda **a: 4 * degree(a["p"], 16) * blocks(a),
        },
    ),
    Small(
        "run-time pitch",
        kernel(
            "float *o, int pitch",
            "extern __shared__ float s[]; s[threadIdx.x * pitch + threadIdx.y] = o[0];",
        ),
        (32, 4, 1),
        "s[threadIdx.x * pitch + threadIdx.y]",
        {"per_request": lambda **a: degree(a["pitch"]), "requests": lambda **a: 4 * blocks(a)},
    ),
    Small(
        "run-time pitch",
        kernel(
            "float *o, int pitch",
            "extern __shared__ float s[]; s[threadIdx.y * pitch + threadIdx.x] = o[0];",
        ),
        (32, 4, 1),
        "s[threadIdx.y * pitch + threadIdx.x]",
        {"per_request": lambda **a: 1, "total": lambda **a: 4 * blocks(a)},
    ),
    Small(
        "global stride",
        kernel("float *y, int n", "y[n * threadIdx.x] = 1.0f;"),
        (64, 1, 1),
        "y[n * threadIdx.x]",
        {"per_request": lambda **a: 1 if a["n"] == 0 else min(4 * a["n"], 32)},
    ),
    Small(
        "global stride",
        kernel("double *y, int n", "int t = threadIdx.x; y[t * n] = 1.0;"),
        (64, 1, 1),
        "y[t * n]",
        {"per_request": lambda **a: 1 if a["n"] == 0 else min(8 * abs(a["n"]) + (a["n"] < 0), 32)},
    ),
    Small(
        "offset",
        kernel("float *y, int off", "y[blockIdx.x * 128 + threadIdx.x + off] = 1.0f;"),
        LINE,
        "y[blockIdx.x * 128 + threadIdx.x + off]",
        {
            "per_request": lambda **a: 4 + (a["off"] % 8 != 0),
            "total": lambda **a: 4 * (4 + (a["off"] % 8 != 0)) * blocks(a),
        },
    ),
    Small(
        "offset",
        kernel("char *y, int off", "y[blockIdx.x * 128 + threadIdx.x + off] = 1;"),
        LINE,
        "y[blockIdx.x * 128 + threadIdx.x + off]",
        {"per_request": lambda **a: 1 + (a["off"] % 32 != 0)},
    ),
    Small(
        "row length with a guard",
        kernel("float *y, int n", "int i = blockIdx.x * 128 + threadIdx.x; if (i < n) y[i] = 1.f;"),
        LINE,
        "y[i]",
        {
            "requests": lambda **a: (
                up(min(max(a["n"], 0), 128 * a["gdx"]), 32) * a["gdy"] * a["gdz"]
            ),
            "total": lambda **a: up(min(max(a["n"], 0), 128 * a["gdx"]), 8) * a["gdy"] * a["gdz"],
        },
    ),
    Small(
        "row length with a guard",
        kernel(
            "float *y, int rows, int cols",
            "int r = blockIdx.y * 16 + threadIdx.y, q = blockIdx.x * 16 + threadIdx.x;"
            " if (r < rows && q < cols) y[r * cols + q] = 1.f;",
        ),
        (16, 16, 1),
        "y[r * cols + q]",
        {
            "requests": lambda **a: (
                up(min(max(a["cols"], 0), 16 * a["gdx"]), 16)
                * up(min(max(a["rows"], 0), 16 * a["gdy"]), 2)
                * a["gdz"]
            )
        },
    ),
    Small(
        "loop of n",
        kernel("float *o, int n", f"{SHARED} for (int i = 0; i < n; i++) s[2 * threadIdx.x] = i;"),
        LINE,
        "s[2 * threadIdx.x]",
        {
            "requests": lambda **a: 4 * max(0, a["n"]) * blocks(a),
            "total": lambda **a: 8 * max(0, a["n"]) * blocks(a),
        },
    ),
    Small(
        "loop of n",
        kernel(
            "float *y, int n",
            "int t = threadIdx.x; for (int i = 0; i < n; i += 3) y[i * 32 + t] = 1.f;",
        ),
        LINE,
        "y[i * 32 + t]",
        {
            "requests": lambda **a: 4 * max(0, up(a["n"], 3)) * blocks(a),
            "total": lambda **a: 16 * max(0, up(a["n"], 3)) * blocks(a),
        },
    ),
    Small(
        "triangular nest",
        kernel(
            "float *y, int n",
            "int t = threadIdx.x;"
            " for (int i = 0; i < n; i++) for (int j = i; j < n; j++) y[j * 32 + t] = 1.f;",
        ),
        LINE,
        "y[j * 32 + t]",
        {"requests": lambda **a: 4 * (a["n"] * (a["n"] + 1) // 2 if a["n"] > 0 else 0) * blocks(a)},
    ),
    Small(
        "triangular nest",
        kernel(
            "float *y, int n",
            "int t = threadIdx.x;"
            " for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) y[j * 32 + t] = 1.f;",
        ),
        LINE,
        "y[j * 32 + t]",
        {"total": lambda **a: 16 * (a["n"] * (a["n"] - 1) // 2 if a["n"] > 0 else 0) * blocks(a)},
    ),
    Small(
        "tiled product",
        kernel(
            "float *c, int n",
            "__shared__ float s[16][16]; int x = threadIdx.x, y = threadIdx.y; float v = 0;"
            " for (int m = 0; m < n / 16; m++) for (int q = 0; q < 16; q++) v += s[y][q];"
            " c[x] = v;",
        ),
        (16, 16, 1),
        "s[y][q]",
        {
            "requests": lambda **a: 8 * 16 * max(0, int(a["n"] / 16)) * blocks(a),
            "per_request": lambda **a: 1,
        },
    ),
    Small(
        "tiled product",
        kernel(
            "float *c, int n",
            "__shared__ float s[32][32]; int x = threadIdx.x, y = threadIdx.y; float v = 0;"
            " for (int m = 0; m < n / 32; m++) for (int q = 0; q < 32; q++) v += s[x][q];"
            " c[y] = v;",
        ),
        (32, 8, 1),
        "s[x][q]",
        {
            "per_request": lambda **a: 32,
            "total": lambda **a: 32 * 8 * 32 * max(0, int(a["n"] / 32)) * blocks(a),
        },
    ),
    Small(
        "tree over blockDim",
        kernel(
            "float *o",
            "__shared__ float s[256]; unsigned t = threadIdx.x;"
            " for (unsigned d = 1; d < blockDim.x; d *= 2)"
            " { if (t % (2 * d) == 0) s[t] += s[t + d]; __syncthreads(); }",
        ),
        LINE,
        "s[t + d]",
        {"requests": lambda **a: (4 + 4 + 4 + 4 + 4 + 2 + 1) * blocks(a)},
    ),
    Small(
        "tree over blockDim",
        kernel(
            "float *o",
            "__shared__ float s[256]; unsigned t = threadIdx.x;"
            " for (unsigned d = blockDim.x / 2; d > 0; d >>= 1)"
            " { if (t < d) s[t] += s[t + d]; __syncthreads(); }",
        ),
        LINE,
        "s[t + d]",
        {
            "requests": lambda **a: (2 + 1 + 1 + 1 + 1 + 1 + 1) * blocks(a),
            "per_request": lambda **a: 1,
        },
    ),
    Small(
        "product of unknowns",
        kernel("float *o, int a, int b", f"{SHARED} s[threadIdx.x * a * b] = o[0];"),
        LINE,
        "s[threadIdx.x * a * b]",
        {"per_request": lambda **a: degree(a["a"] * a["b"])},
    ),
    Small(
        "product of unknowns",
        kernel("float *y, int a, int b", "y[threadIdx.x * a * b] = 1.f;"),
        LINE,
        "y[threadIdx.x * a * b]",
        {"per_request": lambda **a: max(1, min(4 * a["a"] * a["b"], 32))},
    ),
    Small(
        "uniform condition",
        kernel(
            "float *y, int n", "if (n < 4) y[threadIdx.x] = 1.f; else y[2 * threadIdx.x] = 1.f;"
        ),
        LINE,
        "y[2 * threadIdx.x]",
        {
            "requests": lambda **a: 4 * blocks(a) * (a["n"] >= 4),
            "total": lambda **a: 32 * blocks(a) * (a["n"] >= 4),
        },
    ),
    Small(
        "uniform condition",
        kernel("float *y, int n", "if (n == 7) y[threadIdx.x] = 1.f;"),
        LINE,
        "y[threadIdx.x]",
        {"total": lambda **a: 16 * blocks(a) * (a["n"] == 7)},
    ),
    Small(
        "two pitches",
        kernel(
            "float *o, int p, int q",
            "extern __shared__ float s[]; s[threadIdx.x * p + threadIdx.y * q] = o[0];",
        ),
        (32, 2, 1),
        "s[threadIdx.x * p + threadIdx.y * q]",
        {
            "per_request": lambda **a: degree(a["p"]),
            "total": lambda **a: 2 * degree(a["p"]) * blocks(a),
        },
    ),
    Small(
        "two pitches",
        kernel(
            "float *y, int p, int q",
            "int x = threadIdx.x, z = threadIdx.y; y[z * 8 * p + 8 * q + x] = 1.f;",
        ),
        (32, 4, 1),
        "y[z * 8 * p + 8 * q + x]",
        {"per_request": lambda **a: 4, "total": lambda **a: 16 * blocks(a)},
    ),
)


def log(n: int, base: int = 2) -> int:
    """How many times a loop divides n by the base until nothing is left."""
    count = 0
    while n > 0:
        n, count = n // base, count + 1
    return count


def rows(pitch: int, columns: int, count: int, width: int = 32) -> int:
    """Sectors of floats in so many rows of whole and partial warps."""
    total = 0
    for row in range(count):
        for first in range(0, columns, width):
            start = row * pitch + first
            last = row * pitch + min(columns, first + width) - 1
            total += last // 8 - start // 8 + 1
    return total


def inner(size: int, halo: int, threads: int) -> range:
    """Threads that are so far from both ends of a row."""
    return range(halo, max(halo, min(threads, size - halo)))


# further idioms of the same kinds
TWINS = (
    Small(
        "product of unknowns",
        kernel(
            "float *x, int w, int h, int n",
            "int i = blockIdx.x * 128 + threadIdx.x; if (i >= n) return;"
            " int c = i % w; i /= w; int r = i % h; i /= h; x[((size_t)i * h + r) * w + c] = 0;",
        ),
        LINE,
        "x[((size_t)i * h + r) * w + c]",
        {"total": lambda **a: up(min(max(a["n"], 0), 128 * a["gdx"]), 8) * a["gdy"] * a["gdz"]},
    ),
    Small(
        "product of unknowns",
        kernel(
            "float *x, int w, int h",
            "int id = blockIdx.x; int c = id % w; id /= w; int r = id % h; id /= h;"
            " x[(id * h + r) * 64 + c * 32 + threadIdx.x] = 1;",
        ),
        (32, 1, 1),
        "x[(id * h + r) * 64 + c * 32 + threadIdx.x]",
        {"per_request": lambda **a: 4, "total": lambda **a: 4 * blocks(a)},
    ),
    Small(
        "uniform condition",
        kernel(
            "float *x, int c",
            "int b = blockIdx.x; if (b % c == 0) x[b / c * 128 + threadIdx.x] = 0;",
        ),
        LINE,
        "x[b / c * 128 + threadIdx.x]",
        {"requests": lambda **a: 4 * up(a["gdx"], a["c"]) * a["gdy"] * a["gdz"]},
    ),
    Small(
        "loop of n",
        kernel(
            "const float *a, float *o, int n",
            "const float *p = a + threadIdx.x, *end = a + n; float s = 0;"
            " for (; p < end; p += 128) s += *p; o[threadIdx.x] = s;",
        ),
        LINE,
        "*p",
        {"requests": lambda **a: up(max(a["n"], 0), 32) * blocks(a)},
    ),
    Small(
        "loop of n",
        kernel(
            "double *a, int n",
            "double *p = a + 2 * n; while (p != a) { p -= 2; p[threadIdx.x] = 0; }",
        ),
        LINE,
        "p[threadIdx.x]",
        {"requests": lambda **a: 4 * a["n"] * blocks(a)},
    ),
    Small(
        "row length with a guard",
        kernel(
            "float *y, int w, int h, int pitch",
            "int x = blockIdx.x * 32 + threadIdx.x, z = blockIdx.y * 8 + threadIdx.y;"
            " if (x >= w) return; if (z >= h) return; y[z * pitch + x] = 0;",
        ),
        (32, 8, 1),
        "y[z * pitch + x]",
        {
            "total": lambda **a: (
                rows(a["pitch"], min(max(a["w"], 0), 32 * a["gdx"]),
                     min(max(a["h"], 0), 8 * a["gdy"])) * a["gdz"]
            )
        },
    ),
    Small(
        "offset",
        kernel("float *y, int ld", "y[blockIdx.x * ld + threadIdx.x] = 1.f;"),
        LINE,
        "y[blockIdx.x * ld + threadIdx.x]",
        {
            "total": lambda **a: (
                4 * sum(4 + (b * a["ld"] % 8 != 0) for b in range(a["gdx"])) * a["gdy"] * a["gdz"]
            )
        },
    ),
    Small(
        "loop of n",
        kernel("float *y, int n", "int i = 0; do { y[threadIdx.x] = 1.f; i++; } while (i < n);"),
        LINE,
        "y[threadIdx.x]",
        {"requests": lambda **a: 4 * max(1, a["n"]) * blocks(a)},
    ),
    Small(
        "loop of n",
        kernel(
            "float *y, int n",
            "int i = 0; for (; i + 3 < n; i += 4) y[threadIdx.x] = 1.f;"
            " for (; i < n; i++) y[2 * threadIdx.x] = 1.f;",
        ),
        LINE,
        "y[2 * threadIdx.x]",
        {"requests": lambda **a: 4 * (max(a["n"], 0) % 4) * blocks(a)},
    ),
    Small(
        "loop of n",
        kernel("float *y, int n", "for (int i = 0; i != n; ++i) y[threadIdx.x] = 1.f;"),
        LINE,
        "y[threadIdx.x]",
        {"requests": lambda **a: 4 * a["n"] * blocks(a)},
    ),
    Small(
        "triangular nest",
        kernel("float *y, int n", "for (int j = blockIdx.x; j < n; j++) y[threadIdx.x] = 1.f;"),
        LINE,
        "y[threadIdx.x]",
        {
            "requests": lambda **a: (
                4 * sum(max(0, a["n"] - b) for b in range(a["gdx"])) * a["gdy"] * a["gdz"]
            )
        },
    ),
    Small(
        "tree over blockDim",
        kernel("float *y, int n", "for (int s = 1; s < n; s *= 2) y[threadIdx.x] = s;"),
        LINE,
        "y[threadIdx.x]",
        {"requests": lambda **a: 4 * log(a["n"] - 1) * blocks(a)},
    ),
    Small(
        "tree over blockDim",
        kernel(
            "float *y, int n",
            f"{SHARED} int t = threadIdx.x; for (int d = n / 2; d > 0; d /= 2) if (t < d) s[t] = 0;",
        ),
        LINE,
        "s[t]",
        {
            "requests": lambda **a: (
                sum(up(min(a["n"] >> k, 128), 32) for k in range(1, log(a["n"]))) * blocks(a)
            )
        },
    ),
    Small(
        "uniform condition",
        kernel("float *y, int n", f"{SHARED} int q = 8; if (n & 1) q = 1; s[threadIdx.x * q] = 0;"),
        LINE,
        "s[threadIdx.x * q]",
        {
            "per_request": lambda **a: 1 if a["n"] % 2 else 8,
            "total": lambda **a: 4 * (1 if a["n"] % 2 else 8) * blocks(a),
        },
    ),
    Small(
        "uniform condition",
        kernel(
            "float *y, int n",
            f"{SHARED} switch (n) {{ case 0: s[threadIdx.x] = 0; case 1: s[2 * threadIdx.x] = 0;"
            " break; default: s[4 * threadIdx.x] = 0; }",
        ),
        LINE,
        "s[2 * threadIdx.x]",
        {"total": lambda **a: 8 * (a["n"] in (0, 1)) * blocks(a)},
    ),
    Small(
        "uniform condition",
        kernel(
            "float *y, int n, int m", "if (n < 2 || m < 3) y[threadIdx.x] = 1.f;"
        ),
        LINE,
        "y[threadIdx.x]",
        {"requests": lambda **a: 4 * (a["n"] < 2 or a["m"] < 3) * blocks(a)},
    ),
    Small(
        "global stride",
        kernel("float *y, int ld", "y[(long long)threadIdx.x * ld + blockIdx.x] = 1.f;"),
        (64, 1, 1),
        "y[(long long)threadIdx.x * ld + blockIdx.x]",
        {
            "total": lambda **a: (
                2 * sum(len({(t * a["ld"] + b) // 8 for t in range(32)}) for b in range(a["gdx"]))
                * a["gdy"] * a["gdz"]
            )
        },
    ),
    Small(
        "two pitches",
        kernel(
            "float *y, int nx, int ny",
            "int x = blockIdx.x * 32 + threadIdx.x, z = blockIdx.y;"
            " y[(z * ny + threadIdx.y) * nx + x] = 1.f;",
        ),
        (32, 8, 1),
        "y[(z * ny + threadIdx.y) * nx + x]",
        {
            "total": lambda **a: (
                sum(4 + ((z * a["ny"] + t) * a["nx"] % 8 != 0)
                    for z in range(a["gdy"]) for t in range(8)) * a["gdx"] * a["gdz"]
            )
        },
    ),
    Small(
        "row length with a guard",
        kernel(
            "float *o, const float *in, int n",
            "int i = blockIdx.x * 128 + threadIdx.x;"
            " if (i > 0 && i < n - 1) o[i] = in[i - 1] + in[i + 1];",
        ),
        LINE,
        "in[i - 1]",
        {
            "requests": lambda **a: (
                len({i // 32 for i in inner(a["n"], 1, 128 * a["gdx"])}) * a["gdy"] * a["gdz"]
            ),
            "total": lambda **a: (
                len({(i // 32, (i - 1) // 8) for i in inner(a["n"], 1, 128 * a["gdx"])})
                * a["gdy"] * a["gdz"]
            ),
        },
    ),
    Small(
        "row length with a guard",
        kernel(
            "float *u, unsigned w, unsigned h",
            "unsigned x = blockIdx.x * 16 + threadIdx.x, z = blockIdx.y * 16 + threadIdx.y;"
            " if (x >= 2 && x < w - 2 && z >= 3 && z + 3 < h) u[z * w + x] = 0;",
        ),
        (16, 16, 1),
        "u[z * w + x]",
        {
            "requests": lambda **a: (
                len({x // 16 for x in inner(a["w"], 2, 16 * a["gdx"])})
                * len({z // 2 for z in inner(a["h"], 3, 16 * a["gdy"])}) * a["gdz"]
            ),
            "total": lambda **a: (
                len({(x // 16, z // 2, (z * a["w"] + x) // 8)
                     for x in inner(a["w"], 2, 16 * a["gdx"])
                     for z in inner(a["h"], 3, 16 * a["gdy"])}) * a["gdz"]
            ),
        },
    ),
    Small(
        "loop of n",
        kernel(
            "float *o, int n, int m",
            "for (int i = 0; i < n; i++) { if (2 * i >= m) break; o[threadIdx.x + 128 * i] = 1; }",
        ),
        LINE,
        "o[threadIdx.x + 128 * i]",
        {"total": lambda **a: 16 * max(0, min(a["n"], up(a["m"], 2))) * blocks(a)},
    ),
    Small(
        "loop of n",
        kernel(
            "float *o, size_t n, size_t m",
            "size_t i = 0; while (true) { if (i >= n) break; o[i + threadIdx.x] = 1; i += 8; }",
        ),
        LINE,
        "o[i + threadIdx.x]",
        {"total": lambda **a: 16 * max(0, up(a["n"], 8)) * blocks(a)},
    ),
    Small(
        "loop of n",
        kernel(
            "float *o, int n, int m",
            "for (int i = 0; i < n && 3 * i <= m; i++) o[threadIdx.x] = 1;",
        ),
        LINE,
        "o[threadIdx.x]",
        {"requests": lambda **a: 4 * max(0, min(a["n"], a["m"] // 3 + 1)) * blocks(a)},
    ),
    Small(
        "run-time pitch",
        kernel(
            "float *o, int pitch",
            "extern __shared__ char raw[]; float *row = (float *)(raw + threadIdx.x * pitch);"
            " row[threadIdx.y] = o[threadIdx.x];",
        ),
        (32, 8, 1),
        "row[threadIdx.y]",
        {"per_request": lambda **a: degree(a["pitch"] // 4), "requests": lambda **a: 8 * blocks(a)},
    ),
    Small(
        "global stride",
        kernel(
            "char *base, size_t pitch",
            "float *row = (float *)(base + threadIdx.x * pitch); row[0] = 1;",
        ),
        (64, 1, 1),
        "row[0]",
        {
            "total": lambda **a: (
                sum(len({t * a["pitch"] // 32 for t in range(w, w + 32)}) for w in (0, 32))
                * blocks(a)
            )
        },
    ),
    Small(
        "two pitches",
        kernel(
            "double *o, int p, int q",
            "extern __shared__ double s[]; s[threadIdx.y * p + threadIdx.x * q] = o[threadIdx.x];",
        ),
        (16, 8, 1),
        "s[threadIdx.y * p + threadIdx.x * q]",
        {
            "per_request": lambda **a: 2 * degree(a["q"], 16),
            "total": lambda **a: 8 * degree(a["q"], 16) * blocks(a),
        },
    ),
    Small(
        "two pitches",
        kernel(
            "double *o, int p, int q",
            "extern __shared__ double s[]; o[threadIdx.x] = s[threadIdx.x * p + threadIdx.y * q];",
        ),
        (16, 8, 1),
        "s[threadIdx.x * p + threadIdx.y * q]",
        {"total": lambda **a: 8 * degree(a["p"], 16) * blocks(a)},
    ),
    Small(
        "row length with a guard",
        kernel(
            "float *o, const float *x",
            "int i = blockIdx.x * 128 + threadIdx.x; if (i > 0) o[i] = x[i - 1];",
        ),
        LINE,
        "x[i - 1]",
        {
            "requests": lambda **a: 4 * blocks(a),
            "total": lambda **a: (20 * a["gdx"] - 1) * a["gdy"] * a["gdz"],
        },
    ),
)  # fmt: skip


def case(
    name: str,
    block: tuple[int, int, int],
    access: str,
    formulas: dict[str, Formula],
    place: int = -1,
) -> Small:
    """An access of one of the cases of unknown sizes."""
    text = (DATA / "cases" / "laws" / "sizes" / f"{name}.cu").read_text()
    return Small(name, text, block, access, formulas, place)


def halving(first: int) -> list[int]:
    """first, first/2 … 1"""
    return [first >> k for k in range(first.bit_length())]


def runs(starts: list[int], count: int) -> int:
    """Sectors of runs of so many floats, no two of which share one."""
    return sum((start + count - 1) // 8 - start // 8 + 1 for start in starts)


def inside_of(a: dict[str, int]) -> tuple[int, int]:
    """Rows and columns that a grid of blocks of 16x16 and a matrix have in common."""
    return min(max(a["rows"], 0), 16 * a["gdy"]), min(max(a["cols"], 0), 16 * a["gdx"])


def transposed(a: dict[str, int]) -> int:
    """A warp has 2 rows; of each column these lie beside each other."""
    rows, columns = inside_of(a)
    pairs = ((q * a["rows"] + r, min(2, rows - r)) for q in range(columns)
             for r in range(0, rows, 2))  # fmt: skip
    return a["gdz"] * sum(runs([start], count) for start, count in pairs)


def row_major(a: dict[str, int]) -> int:
    """16 columns of a row lie beside each other."""
    rows, columns = inside_of(a)
    pieces = ((r * a["cols"] + q, min(16, columns - q)) for r in range(rows)
              for q in range(0, columns, 16))  # fmt: skip
    return a["gdz"] * sum(runs([start], count) for start, count in pieces)


def square_rows(a: dict[str, int]) -> int:
    """Sectors of 32 rows of 32 floats, n apart; the first begins with a sector."""
    return sum(4 + (row * a["n"] % 8 != 0) for row in range(32))


def triangle(n: int) -> int:
    return n * (n + 1) // 2 if n > 0 else 0


# of 256 threads, as many as a step of the tree leaves: 32 lanes whose addresses are 2s words apart
# share gcd(2s, 32) to a bank
TREE = [(256 // (2 * s), degree(2 * s)) for s in halving(128)]
LONG = (256, 1, 1)
SQUARE = (16, 16, 1)

CASES = (
    case("s01", LONG, "s[threadIdx.x * p]", {"total": lambda **a: 8 * degree(a["p"]) * blocks(a)}),
    case("s01", LONG, "s[threadIdx.x]", {"total": lambda **a: 8 * blocks(a)}),
    case("s02", (32, 8, 1), "tile[threadIdx.x * pitch + threadIdx.y]",
         {"total": lambda **a: 8 * degree(a["pitch"]) * blocks(a)}),
    case("s02", (32, 8, 1), "tile[threadIdx.y * pitch + threadIdx.x]",
         {"total": lambda **a: 8 * blocks(a)}),
    case("s02", SQUARE, "tile[threadIdx.y * pitch + threadIdx.x]",
         {"per_request": lambda **a: 1 if a["pitch"] < 16 or a["pitch"] % 32 == 16 else 2}),
    case("s03", LONG, "y[n * threadIdx.x]",
         {"total": lambda **a: 8 * min(32, max(1, 4 * a["n"])) * blocks(a)}),
    case("s04", LONG, "y[blockIdx.x * 256 + threadIdx.x + off]",
         {"total": lambda **a: 8 * (4 + (a["off"] % 8 != 0)) * blocks(a)}),
    case("s05", SQUARE, "c[q * rows + r]", {"total": lambda **a: transposed(a)}),
    case("s05", SQUARE, "a[r * cols + q]", {"total": lambda **a: row_major(a)}),
    case("s06", LONG, "s[2 * threadIdx.x]",
         {"total": lambda **a: 16 * max(0, a["n"]) * blocks(a)}, 0),
    case("s06", LONG, "x[i]", {"total": lambda **a: 8 * max(0, a["n"]) * blocks(a)}),
    case("s07", LONG, "x[j * 32 + threadIdx.x]",
         {"requests": lambda **a: 8 * triangle(a["n"]) * blocks(a),
          "total": lambda **a: 32 * triangle(a["n"]) * blocks(a)}),
    case("s08", (32, 32, 1), "A[(blockIdx.y * 32 + ty) * n + m * 32 + tx]",
         {"total": lambda **a: square_rows(a) * max(0, a["n"] // 32) * blocks(a)}),
    case("s08", (32, 32, 1), "B[(m * 32 + ty) * n + blockIdx.x * 32 + tx]",
         {"total": lambda **a: square_rows(a) * max(0, a["n"] // 32) * blocks(a)}),
    case("s08", (32, 32, 1), "As[ty][q]",
         {"total": lambda **a: 1024 * max(0, a["n"] // 32) * blocks(a)}),
    case("s08", (32, 32, 1), "C[(blockIdx.y * 32 + ty) * n + blockIdx.x * 32 + tx]",
         {"total": lambda **a: square_rows(a) * blocks(a)}),
    case("s09", LONG, "sm[i + s]",
         {"requests": lambda **a: sum(up(threads, 32) for threads, _ in TREE) * blocks(a),
          "total": lambda **a: sum(up(threads * to_a_bank, 32) for threads, to_a_bank in TREE)
          * blocks(a)}),
    case("s10", LONG, "s[threadIdx.x * a * b]",
         {"total": lambda **a: 8 * degree(a["a"] * a["b"]) * blocks(a)}),
    case("s11", LONG, "s[10 + 2 * threadIdx.x]",
         {"total": lambda **a: 16 * (a["n"] < 4) * blocks(a)}),
    case("s11", LONG, "s[4 * threadIdx.x]",
         {"total": lambda **a: 32 * (a["n"] >= 4) * blocks(a)}),
    case("s12", SQUARE, "s[threadIdx.x * p + threadIdx.y * q]",
         {"total": lambda **a: 16 * degree(a["p"], 16) * blocks(a)}),
    case("s12", SQUARE, "s[(threadIdx.x % p) * q]",
         {"total": lambda **a: 8 * (2 * gcd(a["q"], 16) if a["q"] else 1) * blocks(a)}),
    case("s13", LONG, "s[2 * t]", {"total": lambda **a: 16 * max(0, a["n"]) * blocks(a)}),
    case("s13", LONG, "s[(2 * t + 2) % 512]",
         {"total": lambda **a: 16 * max(0, a["n"]) * blocks(a)}),
    case("s13", LONG, "x[i * 256 + t]", {"total": lambda **a: 32 * max(0, a["n"]) * blocks(a)}),
)  # fmt: skip


def steps_of(a: dict[str, int]) -> list[int]:
    """1, 2, 4 … below the threads of a block"""
    return [1 << k for k in range((a["bdx"] - 1).bit_length())]


def warps(a: dict[str, int]) -> int:
    return a["bdx"] // 32 * blocks(a)


HALVING = (
    "extern __shared__ float s[]; unsigned t = threadIdx.x;"
    " for (unsigned d = blockDim.x / 2; d > 0; d >>= 1)"
    " { if (t < d) s[t] += s[t + d]; __syncthreads(); }"
)
ONE_OF_BLOCK = (
    "unsigned t = threadIdx.x; if (t < 32) o[blockDim.x * blockIdx.x + t] = 1;"
    " if (t == 0) o[blockIdx.x] = 2; if (t == blockDim.x - 1) o[t + 8] = 3;"
)

# for every block of whole warps, of bdx threads
ANY_BLOCK = (
    case("s09", LONG, "sm[i + s]",
         {"requests": lambda **a: sum(up(up(a["bdx"], 2 * s), 32) for s in steps_of(a)) * blocks(a),
          "total": lambda **a: sum(up(up(a["bdx"], 2 * s) * degree(2 * s), 32)
                                   for s in steps_of(a)) * blocks(a)}),
    case("s09", LONG, "x[blockIdx.x * blockDim.x + t]", {"total": lambda **a: 4 * warps(a)}),
    case("s09", LONG, "o[blockIdx.x]", {"total": lambda **a: blocks(a)}),
    Small("tree over blockDim", kernel("float *o", HALVING), LONG, "s[t + d]",
          {"requests": lambda **a: sum(up(d, 32) for d in halving(a["bdx"] // 2)) * blocks(a),
           "per_request": lambda **a: 1}),
    Small("row length with a guard",
          kernel("float *y, int n", "int i = blockIdx.x * blockDim.x + threadIdx.x;"
                 " if (i < n) y[i] = 1;"), LONG, "y[i]",
          {"total": lambda **a: up(min(max(a["n"], 0), a["bdx"] * a["gdx"]), 8)
           * a["gdy"] * a["gdz"]}),
    Small("loop of n",
          kernel("float *y, int n", "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;"
                 " i += blockDim.x * gridDim.x) y[i] = 1;"), LONG, "y[i]",
          {"requests": lambda **a: up(max(a["n"], 0), 32) * a["gdy"] * a["gdz"]}),
    Small("loop of n",
          kernel("float *y, int n", "for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = 1;"),
          LONG, "y[i]", {"total": lambda **a: up(max(a["n"], 0), 8) * blocks(a)}),
    Small("unknown stride",
          kernel("float *o", "extern __shared__ float s[]; s[threadIdx.x * blockDim.x] = 0;"), LONG,
          "s[threadIdx.x * blockDim.x]", {"total": lambda **a: 32 * warps(a)}),
    Small("uniform condition", kernel("float *o", ONE_OF_BLOCK), LONG,
          "o[blockDim.x * blockIdx.x + t]", {"total": lambda **a: 4 * blocks(a)}),
    Small("uniform condition", kernel("float *o", ONE_OF_BLOCK), LONG, "o[blockIdx.x]",
          {"total": lambda **a: blocks(a)}),
)  # fmt: skip
