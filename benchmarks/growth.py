"""Processor seconds for inputs that double: kernels alike, and one kernel with more and more
accesses.

`python -m benchmarks.growth`: each size in a process of its own, modules loaded before. Per
doubling the time should double.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable

from benchmarks.corpora_measure import warm
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
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


if __name__ == "__main__":
    warm()
    series("Kernels alike, each launched", kernels, [16, 32, 64, 128, 256])
    series("One kernel with so many loads and stores each", accesses, [250, 500, 1000, 2000, 4000])
