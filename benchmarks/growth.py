"""Processor seconds for inputs that double: kernels alike, one kernel with more and more
accesses, and one kernel of more and more statements of a kind, with findings and fixes.

`python -m benchmarks.growth`: each size in a process of its own, modules loaded before. Per
doubling the time should double.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable

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
    taken = [seconds(checked, conflicts(size)) for size in sizes]
    print(f"| kernels with a padding | {' | '.join(f'{one:.2f}' for one in taken)} |", flush=True)


if __name__ == "__main__":
    warm()
    series("Kernels alike, each launched", kernels, [16, 32, 64, 128, 256])
    series("One kernel with so many loads and stores each", accesses, [250, 500, 1000, 2000, 4000])
    by_kind([40, 80, 160, 320, 640])
