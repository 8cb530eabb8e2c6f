"""Facts made by hand for the tests of checks and output: one transpose, with the numbers an H100
gives for it."""

from __future__ import annotations

import re
from dataclasses import replace
from math import prod
from typing import Any

from kernlint.base.span import Problem, Span
from kernlint.model import facts
from kernlint.model.element_index import ElementIndex, IndexFactor, IndexTerm

PATH = "transpose.cu"
TEXT = """\
// transpose
__global__ void transpose(float *out, const float *in, int n)
{
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    for (int j = 0; j < 32; j += 8)
        out[(x * n) + y + j] = tile[threadIdx.x][threadIdx.y + j];
    if (threadIdx.x % 2 == 0) {
        tile[0][threadIdx.x] = 0;
        __syncthreads();
    }
}
"""
GRID, BLOCK = (64, 64, 1), (32, 8, 1)
LAUNCH = facts.Launch(
    GRID, BLOCK, 0, {"n": 2048, "out": facts.PointerArgument(4)}, "launch at line 88"
)
REQUESTS = 64 * 64 * 8 * 4
ODD = 8 * 64 * 64 * 8  # as with a loop of eight turns around the if


def place(text: str, occurrence: int = 0, source: str = TEXT, path: str = PATH) -> Span:
    """Where `text` stands in the source, the n-th time."""
    start = -1
    for _ in range(occurrence + 1):
        start = source.index(text, start + 1)
    end = start + len(text)

    def at(position: int) -> tuple[int, int]:
        return source.count("\n", 0, position) + 1, position - source.rfind("\n", 0, position)

    return Span(path, *at(start), *at(end))


def counts(
    mean: float, ideal: float = 1.0, low: int | None = None, high: int | None = None
) -> facts.Counts:
    first, last = int(mean) if low is None else low, int(mean) if high is None else high
    return facts.Counts(first, float(mean), last, float(ideal), float(mean), float(mean))


def between(low: float, mean: float, high: float, ideal: float = 1.0) -> facts.Counts:
    return facts.Counts(int(low), float(mean), int(high), float(ideal), float(low), float(high))


def lanes(*offsets: int | None) -> facts.Example:
    padded = (*offsets, *(None,) * (32 - len(offsets)))
    return facts.Example((0, 0, 0), 0, padded, 0)


def index(text: str, unit: int = 4) -> ElementIndex:
    """The structure of a sum of products as it is printed, without minus signs."""
    return ElementIndex(text, unit, tuple(_term(term) for term in _split(text, " + ")))


def _term(text: str) -> IndexTerm:
    numbers, names = [], []
    for factor in _split(text, "*"):
        (numbers if factor.isdigit() else names).append(factor)
    factors = (IndexFactor(name, tuple(re.findall(r"[A-Za-z_][\w.]*", name))) for name in names)
    return IndexTerm(prod(map(int, numbers)), tuple(factors))


def _split(text: str, mark: str) -> list[str]:
    """Between the marks that stand in no parentheses."""
    parts, depth = [""], 0
    for piece in re.split(rf"({re.escape(mark)})", text):
        if piece == mark and depth == 0:
            parts.append("")
            continue
        parts[-1] += piece
        depth += piece.count("(") + piece.count("[") - piece.count(")") - piece.count("]")
    return parts


def shared(text: str, op: str = "load", occurrence: int = 0, **more: Any) -> facts.Access:
    span = place(text, occurrence)
    values: dict[str, Any] = {
        "element_index": ElementIndex("", 4),
        "status": "exact",
        "requests": REQUESTS,
        "active_lanes": 32.0,
        "object_span": place("tile[32][32]"),
        "object_shape": (32, 32),
        "element_bytes": 4,
        "in_loop": place("for", 1 if span.line == 11 else 0) if span.line in (8, 11) else None,
    }
    return facts.Access(span, span.line, text, "tile", "shared", op, op, 4, **(values | more))


def in_global(text: str, name: str, op: str = "load", **more: Any) -> facts.Access:
    span = place(text)
    values: dict[str, Any] = {
        "element_index": ElementIndex("", 4),
        "status": "exact",
        "requests": REQUESTS,
        "active_lanes": 32.0,
    }
    values |= {"element_bytes": 4}
    return facts.Access(span, span.line, text, name, "global", op, op, 4, **(values | more))


ROW_STORE = shared(
    "tile[threadIdx.y + j][threadIdx.x]",
    "store",
    element_index=index("32*threadIdx.y + 32*j + threadIdx.x"),
    wavefronts=counts(1),
    example=lanes(*range(0, 128, 4)),
    cycles=1.0,
)
COLUMN_LOAD = shared(
    "tile[threadIdx.x][threadIdx.y + j]",
    element_index=index("32*threadIdx.x + threadIdx.y + j"),
    wavefronts=counts(32),
    example=replace(lanes(*range(0, 4096, 128)), count=32),
    cycles=1409.8,
)
ROW_LOAD = in_global(
    "in[(y + j) * n + x]",
    "in",
    element_index=index("2048*(32*blockIdx.y + threadIdx.y + j) + 32*blockIdx.x + threadIdx.x"),
    sectors=counts(4, 4),
    cache_lines=counts(1),
    example=replace(lanes(*range(0, 128, 4)), count=4),
)
COLUMN_STORE = in_global(
    "out[(x * n) + y + j]",
    "out",
    "store",
    element_index=index("2048*(32*blockIdx.x + threadIdx.x) + 32*blockIdx.y + threadIdx.y + j"),
    sectors=counts(32, 4),
    cache_lines=counts(32, 1),
    example=replace(lanes(*range(4, 32 * 8192, 8192)), count=32),
    assumptions=("`out` is aligned to 256 bytes plus the launch's offset of 4",),
)
ODD_STORE = shared(
    "tile[0][threadIdx.x]", "store", wavefronts=counts(1), active_lanes=16.0, requests=ODD
)
EVEN_LANES = facts.LanePattern("10" * 16, ODD, tuple(range(8)))
BRANCH = facts.Branch(
    Span(PATH, 12, 5, 15, 6),
    "if",
    "threadIdx.x % 2 == 0",
    "exact",
    ODD,
    ODD,
    assumptions=(),
    patterns=(EVEN_LANES,),
)
LOOP = facts.Branch(Span(PATH, 7, 5, 8, 66), "for", "j < 32", "exact", 64 * 64 * 8 * 5, 0)
GOOD_BARRIER = facts.Barrier(place("__syncthreads()"), "__syncthreads()", True, "block")
BAD_BARRIER = facts.Barrier(place("__syncthreads()", 1), "__syncthreads()", False, "block")

KERNEL = facts.Kernel(
    name="transpose",
    qualified_name="transpose",
    template_arguments=(),
    span=Span(PATH, 2, 1, 16, 2),
    launch=LAUNCH,
    assumptions=(),
    accesses=(ROW_LOAD, ROW_STORE, COLUMN_LOAD, COLUMN_STORE, ODD_STORE),
    branches=(LOOP, BRANCH),
    barriers=(GOOD_BARRIER, BAD_BARRIER),
    static_shared_bytes=4096,
    dynamic_shared_bytes=0,
    shared_cycles=1800.25,
    shared_cycles_ideal=405.5,
)
PROBLEM = Problem("KL001", Span(PATH, 1, 4, 1, 13), "expected `;` before `transpose`")


def file_of(
    *kernels: facts.Kernel, text: str = TEXT, problems: tuple[Problem, ...] = (), path: str = PATH
) -> facts.File:
    return facts.File(path, "cuda", problems, kernels, text.count("\n") + 1, text)


def report_of(
    *kernels: facts.Kernel, text: str = TEXT, problems: tuple[Problem, ...] = ()
) -> facts.Report:
    return facts.Report("h100", (file_of(*kernels, text=text, problems=problems),))


REPORT = report_of(KERNEL, problems=(PROBLEM,))
