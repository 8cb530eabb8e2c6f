"""Edits without end: `python -m tests.server.edits FIRST LAST [crew]` types a random sequence per seed
into a program and holds what is remembered between edits, and with `crew` what a worker process
makes of it, against an analysis of each text from nothing.

Goes in: seeds. Comes out: the first text where facts, findings, lenses or hints differ, or where a
stage says something else than the end.
"""

from __future__ import annotations

import random
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from kernlint.memo import json_codec
from kernlint.server import features, stages, worker_pool
from kernlint.server.analysis import Documents, FileAnalysis
from kernlint.server.sharing import Task
from kernlint.server.worker_pool import Crew, Shared

HEADER = "__device__ inline int scaled(int i) { return i * 2; }\n"
PROGRAM = """\
#include <cstdio>
#include "scale.h"
#define WIDE 32
#define CHECK(call) do { if (call) printf("%d\\n", __LINE__); } while (0)
// A remark.
__host__ __device__ inline int at(int row, int column, int pitch) { return row * pitch + column; }
__device__ float halved(float x)
{
    return x * 0.5;
}
__constant__ float table[64];
__global__ void turned(float *out, const float *in, int n)
{
    __shared__ float tile[WIDE][WIDE];
    int x = blockIdx.x * WIDE + threadIdx.x, y = blockIdx.y * WIDE + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[at(y, x, n)];
    __syncthreads();
    // as it should not be
    out[at(y, x, n)] = tile[threadIdx.x][threadIdx.y];  // the conflict
}
template <typename T> __global__ void strided(T *out, const T *in, int n)
{
    int i = at(blockIdx.x, threadIdx.x, blockDim.x);
    if (i < n / 4 && threadIdx.x % 3)
        out[scaled(i)] = halved(in[i * 4 + // four apart
            1]);  // kernlint: ignore[KL201]
}
__global__ void unlaunched(int *p, int n) {
    for (int i = threadIdx.x; i < n; i += 7) { p[i * 2] = p[i] / n; }
    p[threadIdx.x * n] = table[threadIdx.x];
}
// kernlint: launch(grid=4, block=64, n=256)
__global__ void directed(float *p, int n) { p[threadIdx.x * 8] = n; /* kernlint: ignore */ }
__global__ void sized(float *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    p[i * 4] = p[i + n];
}
void asked(float *p, int n, int from_outside)
{
    sized<<<from_outside / 64, 64>>>(p, n);
}
static void both(float *a, float *b, int n)
{
    CHECK(n);
    strided<float><<<n / 256, 256>>>(a, b, n);
}
int main()
{
    float *a, *b;
    int n = 1024;
    turned<<<dim3(n / WIDE, n / WIDE), dim3(WIDE, WIDE)>>>(a, b, n);
    both(a, b, n * 64);
    CHECK(n);
    printf("done");
}
"""
INSERTED = """\


// another remark
    int extra = 1;
    extra += threadIdx.x;
/* two
   lines */
#define OTHER 3
#define WIDE 16
#define at(a, b, c) (a + b * c)
#define LONG 1 + \\
#undef WIDE
__device__ int more(int i) { return i + threadIdx.x; }
__device__ int unfinished(int i,
struct Pair { int a, b;
struct Whole { int a; float b; };
struct Op { __device__ int operator()(int i) const { return i * 3; } };
using namespace other;
using Number = float;
__constant__ float more_table[16];
enum { WIDTH = 8, HEIGHT };
namespace inner {
}
#pragma once
__device__ int at(int row, int column);
__device__ inli
__global__ void begun(int *q
struct Odd { int x; friend int halved(Odd o) { return o.x; } };
float x; int n;
    __shared__ int spare[32][33];
    n += __LINE__ % 3;
    if (n > 5) {
    }
#if 0
#endif
__global__ void added(int *q) { q[threadIdx.x * 3] = at(1, 2, 3); }
    a[0] = tile[0][1];
    // kernlint: ignore[KL101]
    printf("%d\\n", __LINE__); both(a, b, 128);
    if (n) printf("several" "texts", 3, n);
    n = (int) printf("counted");
// kernlint: launch(grid=8, block=128)
// kernlint: launch(grid=2, block=32, m=3)
// kernlint: assume(n % 4 == 0)
  // kernlint: assume(n > 99 && q == 1)
    both(a, b, 512);
int tile;
    line 5
"""
TOLD_ONCE = (
    "KL001",
    "KL002",
    "KL003",
)  # for all kernels that they hold for, at the first of them that is known
Edit = Callable[[list[str], random.Random], None]


def _insert(lines: list[str], choice: random.Random) -> None:
    lines.insert(choice.randrange(len(lines) + 1), choice.choice(INSERTED.split("\n")))


def _delete(lines: list[str], choice: random.Random) -> None:
    del lines[choice.randrange(len(lines))]


def _double(lines: list[str], choice: random.Random) -> None:
    place = choice.randrange(len(lines))
    lines.insert(place, lines[place])


def _swap(lines: list[str], choice: random.Random) -> None:
    place = choice.randrange(len(lines) - 1)
    lines[place : place + 2] = reversed(lines[place : place + 2])


def _number(lines: list[str], choice: random.Random) -> None:
    _replace(
        lines, choice, r"\b\d+\b", lambda: str(choice.choice((1, 2, 3, 4, 16, 31, 32, 33, 64, 100)))
    )


def _name(lines: list[str], choice: random.Random) -> None:
    names = ("x", "y", "i", "n", "tile", "threadIdx.x", "threadIdx.y", "WIDE", "OTHER", "more(1)")
    _replace(lines, choice, r"\b(?:threadIdx\.[xy]|WIDE|[xyin])\b", lambda: choice.choice(names))


def _operator(lines: list[str], choice: random.Random) -> None:
    _replace(
        lines,
        choice,
        r" [-+*/<] ",
        lambda: choice.choice((" + ", " * ", " - ", " / ", " % ", " /* a line 3 */ + ")),
    )


def _replace(lines: list[str], choice: random.Random, what: str, by: Callable[[], str]) -> None:
    found = [(i, match) for i, line in enumerate(lines) for match in re.finditer(what, line)]
    if found:
        place, match = choice.choice(found)
        line = lines[place]
        lines[place] = line[: match.start()] + by() + line[match.end() :]


def _behind(lines: list[str], choice: random.Random) -> None:
    lines[choice.randrange(len(lines))] += choice.choice(
        ("  // seen", " // kernlint: ignore[KL201]", " ;", " \\", " /* x */", " // see line 7")
    )


EDITS: tuple[Edit, ...] = (
    _insert,
    _insert,
    _insert,
    _delete,
    _double,
    _swap,
    _number,
    _number,
    _number,
    _name,
    _operator,
    _behind,
)


def told(analysis: FileAnalysis) -> dict[str, object]:
    """All that an editor could be sent of an analysis."""
    lines = analysis.text.count("\n") + 1
    return {
        "facts": json_codec.encode(analysis.file),
        "findings": analysis.findings,
        "lenses": list(features.lenses(analysis)),
        "hints": sorted(features.hints(analysis, 1, lines), key=repr),
        "actions": list(features.actions(analysis, 1, lines)),
    }


def sequence(seed: int, folder: Path, edits: int, helpers: Crew | None = None) -> Iterator[str]:
    """What differs, in words, after each of some random edits."""
    choice, header = random.Random(seed), folder / "scale.h"
    header.write_text(HEADER, encoding="utf-8")
    path, lines, whole = str(folder / "k.cu"), PROGRAM.split("\n"), [PROGRAM.split("\n")]
    documents = Documents(helpers)
    documents.analyse(path, PROGRAM)
    for number in range(edits):
        what = choice.random()
        if what < 0.06:
            header.write_text(HEADER.replace("2", str(number + 3)), encoding="utf-8")
        elif what < 0.3 and len(whole) > 1:
            whole.pop()  # undone
            lines = list(whole[-1])
        else:
            for _ in range(choice.choice((1, 1, 1, 2, 4))):
                choice.choice(EDITS)(lines, choice)
            whole.append(list(lines))
        yield from (
            f"seed {seed}, edit {number}: {found}"
            for found in differences(documents, path, "\n".join(lines))
        )


def differences(documents: Documents, path: str, text: str) -> Iterator[str]:
    """Between what is remembered and what is found anew, and between the stages and the end."""
    shown: list[FileAnalysis] = []
    end = documents.analyse(path, text, shown.append)
    now, anew = told(end), told(Documents().analyse(path, text))
    for part, value in anew.items():
        if now[part] != value:
            yield f"{part}\n--- remembered\n{now[part]}\n--- anew\n{value}\n--- text\n{text}"
    for stage in shown:
        missing = {(kernel.name, kernel.span) for kernel in stage.missing}
        if missing & {(kernel.name, kernel.span) for kernel in stage.file.kernels} or not missing:
            yield f"a stage shows a kernel that is under way: {missing}"
        if not set(map(repr, stage.file.kernels)) <= set(map(repr, end.file.kernels)):
            yield "a stage shows other facts than the end"
        kept = {(f.code, f.span, f.message) for f in end.findings}
        odd = [
            f
            for f in stage.findings
            if (f.code, f.span, f.message) not in kept and f.code not in TOLD_ONCE
        ]
        if odd:
            yield f"a stage says what the end does not: {odd}"
        if features.UNDER_WAY not in {note.text for note in features.lenses(stage)}:
            yield "a stage without a lens for what is under way"


def leave_to_workers(seconds: float = 20.0) -> None:
    """From here on this process takes a kernel only when no worker is about to: on a busy machine
    it would be done before they begin. `seconds`: how long it waits for them."""
    real = Shared._next

    def next_(self: Shared) -> Task | None:
        end = time.monotonic() + seconds
        while time.monotonic() < end and any(not one.gone for one in self._workers):
            if not any(self._away.values()) and (not self._left or self._ready):
                break
            time.sleep(0.001)
        return real(self)

    Shared._next = next_  # type: ignore[method-assign]


def main(first: int, last: int, *with_crew: str) -> int:
    stages.FIRST = stages.SOON = stages.BRIEF = stages.SHORT = stages.NEAREST = 0.0
    worker_pool.COLD = worker_pool.WARM = 0.0
    helpers = worker_pool.Crew(1) if with_crew else None
    leave_to_workers()
    for seed in range(first, last):
        with tempfile.TemporaryDirectory() as folder:
            for difference in sequence(seed, Path(folder), 25, helpers):
                print(difference)
                return 1
    print(f"{last - first} sequences of 25 edits: nothing differs")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:]))
