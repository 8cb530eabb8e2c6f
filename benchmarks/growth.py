"""Processor seconds for inputs that double: kernels alike, one kernel with more and more
accesses, and one kernel of more and more statements of a kind, with findings and fixes.

`python -m benchmarks.growth`: each size in a process of its own, modules loaded before. Per
doubling the time should double.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable
from functools import partial

from benchmarks.corpora_measure import warm
from kernlint.fixing.review import review
from kernlint.model.settings import Selection, Settings
from kernlint.pipeline import engine, workers
from kernlint.source import files
from kernlint.source.parser.parser import parse
from kernlint.source.preprocessor.preprocess import Options, preprocess

KERNEL = """
__global__ void smooth{n}(const float *in, float *out, int width, int height) {{
    __shared__ float tile[18][34];
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 16 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 3; i++) {{
        sum += tile[threadIdx.y + i][threadIdx.x] * {n};
    }}
    if (x < width && y < height) {{
        out[y * width + x] = sum;
    }}
}}
void launch{n}(const float *in, float *out, int width, int height) {{
    smooth{n}<<<dim3(64, 128), dim3(32, 16)>>>(in, out, width, height);
}}
"""


def kernels(number: int) -> str:
    """So many kernels alike, each launched."""
    return "".join(KERNEL.format(n=n) for n in range(number))


def accesses(number: int) -> str:
    """One kernel with so many loads and as many stores, none like the one before."""
    lines = "".join(f"    b[i * {n % 7 + 1} + {n}] = a[i + {n * 3}];\n" for n in range(number))
    head = "__global__ void many(const float *a, float *b) {\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    return f"{head}{lines}}}\nvoid run(const float *a, float *b) {{ many<<<64, 256>>>(a, b); }}\n"


# one statement of each kind, by its number; what stands before them
KINDS = {
    "column of a tile": (
        "tile[t % 32][{0} % 8 + t / 32] += a[i + {0}];",
        "__shared__ float tile[32][32];",
    ),
    "tile, barriers": (
        "tile[t % 32][t / 32] = a[i + {0}]; __syncthreads(); b[i + {0}] = tile[t / 32][t % 32];"
        " __syncthreads();",
        "__shared__ float tile[32][32];",
    ),
    "global accesses": ("b[i * 3 + {0}] = a[i + {0} * 3];", ""),
    "branch on lanes": ("if (t % ({0} % 13 + 2) == 0) b[i + {0}] = a[i];", ""),
    "branch on data": ("if (a[i + {0}] > {0}) b[i + {0}] = {0};", ""),
    "two paths": ("if (i < n - {0}) b[i + {0}] = a[i]; else b[i] = a[i + {0}];", ""),
    "helper call": ("b[i + {0}] = helper(a, i + {0});", ""),
    "short loop": ("for (int j = 0; j < {0} % 5 + 3; j++) b[i + j * {0}] += a[i + j];", ""),
    "sum": ("sum += a[i + {0}] * b[(t + {0}) % 256];", "float sum = 0;"),
    "atomic": ("atomicAdd(&b[(t + {0}) % 64], a[i]);", ""),
}


def statements(kind: str, number: int) -> str:
    """One kernel with so many statements of a kind."""
    statement, before = KINDS[kind]
    lines = "".join(f"    {statement.format(n)}\n" for n in range(number))
    return (
        "__device__ float helper(const float *p, int i) { return p[i] * p[i + 1]; }\n"
        "__global__ void large(const float *a, float *b, int n) {\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;\n"
        f"    {before}\n{lines}}}\n"
        "void run(const float *a, float *b, int n) { large<<<64, 256>>>(a, b, n); }\n"
    )


# of each shape: parameters, statements before, one statement by its number, and what ends it
SHAPES = {
    "loops": ("", "", "for (int j = 0; j < n; j++) b[i + {0}] += a[j * {0} + t];", ""),
    "shared arrays": (
        "",
        "",
        "__shared__ float s{0}[64]; s{0}[t % 64] = a[i + {0}]; __syncthreads();"
        " b[i + {0}] = s{0}[63 - t % 64];",
        "",
    ),
    "arrays of a kernel": (", float *p{0}", "", "p{0}[i] = a[i + {0}] + p{0}[i + 1];", ""),
    "cases of a switch": ("", "switch (n) {{", "case {0}: b[i + {0}] = a[i]; break;", "}"),
    "else if": ("", "if (n < 0) b[i] = 0;", "else if (n == {0}) b[i] = a[i + {0}];", ""),
    "nested conditions": ("", "", "if (a[i + {0} % 7] > {0}) {{ b[i + {0}] = t;", "}"),
    "locals": ("", "float v = a[i];", "float v{0} = a[i + {0}] * v; v += v{0}; b[i] = v;", ""),
    "shuffles": ("", "float v = a[i];", "v += __shfl_xor_sync(~0u, v, {0} % 32);", ""),
}
DEEPEST = 48  # conditions nested in each other


def shape(name: str, number: int) -> str:
    """One kernel of so many parts of a shape."""
    parameters, before, statement, end = SHAPES[name]
    lines = [f"    {statement.format(n)}\n" for n in range(number)]
    if name == "nested conditions":  # nests one after the other
        for place in range(DEEPEST - 1, number, DEEPEST):
            lines[place] += end * DEEPEST
        end *= number % DEEPEST
    more = "".join(parameters.format(n) for n in range(number))
    given = "".join(", b" for _ in range(number)) if parameters else ""
    return (
        f"__global__ void large(const float *a, float *b, int n{more}) {{\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;\n"
        f"    {before.format()}\n{''.join(lines)}{end}}}\n"
        f"void run(const float *a, float *b, int n) {{ large<<<64, 256>>>(a, b, n{given}); }}\n"
    )


def launches(number: int) -> str:
    """One kernel and so many launches."""
    lines = "".join(f"    scale<<<{n + 1}, 128>>>(a, {n});\n" for n in range(number))
    return (
        "__global__ void scale(float *a, int n) {\n"
        "    a[(blockIdx.x * blockDim.x + threadIdx.x) * 2] *= n;\n}\n"
        f"void run(float *a) {{\n{lines}}}\n"
    )


def functions(number: int) -> str:
    """A kernel that calls so many functions, each of which calls another."""
    made = "".join(
        f"__device__ float f{n}(const float *p, int i) {{ return p[i + {n}]; }}\n"
        f"__device__ float g{n}(const float *p, int i) {{ return f{n}(p, i) * f{n}(p, i + 1); }}\n"
        for n in range(number)
    )
    lines = "".join(f"    b[i + {n}] = g{n}(a, i);\n" for n in range(number))
    return (
        f"{made}__global__ void large(const float *a, float *b) {{\n"
        f"    int i = blockIdx.x * blockDim.x + threadIdx.x;\n{lines}}}\n"
        "void run(const float *a, float *b) { large<<<64, 256>>>(a, b); }\n"
    )


OTHERS = {"kernels": kernels, "launches": launches, "functions": functions}


def conflicts(number: int) -> str:
    """So many kernels, each with an array whose padding is searched for."""
    return "".join(
        f"__global__ void k{n}(float *o, const float *in, int n) {{ __shared__ float s[32][32];"
        f" int t = threadIdx.x; s[t][threadIdx.y] = in[t + {n}]; __syncthreads();"
        " o[t * n] = s[threadIdx.y][t]; }\n"
        for n in range(number)
    )


def checked(text: str) -> None:
    """As `check` does it: findings, and the fixes that may stand."""
    source = files.Source("growth.cu", "cuda", text)
    workers.compute(workers.Work(source, Settings(timeout=0), Selection(), review))


def parsed(text: str) -> None:
    """Preprocessing and all bodies, as `corpora` times them."""
    unit = parse(preprocess("growth.cu", text, Options()).tokens, "growth.cu", "cuda")
    for function in unit.declarations:
        if getattr(function, "lazy_body", None) is not None:
            function.lazy_body.parse()


def analysed(text: str) -> None:
    found = engine.analyse_source(files.Source("growth.cu", "cuda", text), Settings(timeout=0))
    assert found.kernels and not found.unfinished


def seconds(work: Callable[[str], None], text: str) -> float:
    """Processor seconds of `work` in a new process."""
    ours, theirs = multiprocessing.get_context("fork").Pipe(duplex=False)

    def run() -> None:
        began = time.process_time()
        work(text)
        theirs.send(time.process_time() - began)

    process = multiprocessing.get_context("fork").Process(target=run)
    process.start()
    taken: float = ours.recv()
    process.join()
    return taken


def series(title: str, make: Callable[[int], str], sizes: list[int]) -> None:
    print(
        f"\n{title}\n\n| size | lines | parsed, s | end to end, s | lines/s parsed | lines/s |\n| --: | --: | --: | --: | --: | --: |"
    )
    for size in sizes:
        text = make(size)
        lines, parse_time, whole = text.count("\n"), seconds(parsed, text), seconds(analysed, text)
        print(
            f"| {size:,} | {lines:,} | {parse_time:.2f} | {whole:.2f} | {lines / parse_time:,.0f} | {lines / whole:,.0f} |",
            flush=True,
        )


def by_kind(sizes: list[int]) -> None:
    """A row for each kind of statement."""
    sized = " | ".join(f"{size:,}, s" for size in sizes)
    print(f"\n| statements of one kernel | {sized} |\n| :-- |{' --: |' * len(sizes)}")
    for kind in KINDS:
        taken = [seconds(checked, statements(kind, size)) for size in sizes]
        print(f"| {kind} | {' | '.join(f'{one:.2f}' for one in taken)} |", flush=True)
    made: dict[str, Callable[[int], str]] = {name: partial(shape, name) for name in SHAPES}
    made |= {"kernels with a padding": conflicts, **OTHERS}
    for name, make in made.items():
        taken = [seconds(checked, make(size)) for size in sizes]
        print(f"| {name} | {' | '.join(f'{one:.2f}' for one in taken)} |", flush=True)


if __name__ == "__main__":
    warm()
    series("Kernels alike, each launched", kernels, [16, 32, 64, 128, 256])
    series("One kernel with so many loads and stores each", accesses, [250, 500, 1000, 2000, 4000])
    by_kind([40, 80, 160, 320, 640])
