"""The facts of the four texts kernlint is built from, from source text to the numbers of the
report.

A: S. Okamoto, Hiroshima University, shared memory of a GTX 780 Ti. C: T. Aoki, Tokyo Institute of
Technology, lecture 10. D: M. Komatsu, memory stride and banks in OpenCL. (B, the article on GF100,
gives figures of devices: see test_hardware_papers.py.)
"""

from __future__ import annotations

from fractions import Fraction

import pytest

from kernlint.model import facts
from kernlint.model.settings import LaunchOverrides, Settings
from kernlint.pipeline import engine
from kernlint.source import files

pytestmark = pytest.mark.slow

C1, C2 = 1.047, 337.698


def analysed(
    text: str,
    device: str,
    name: str = "k.cu",
    arguments: dict[str, int | float | facts.PointerArgument] | None = None,
) -> facts.File:
    settings = Settings(device=device, launch=LaunchOverrides(arguments=arguments or {}))
    report = engine.analyse((), settings, stdin=files.from_bytes(name, text.encode()))
    return report.files[0]


def kernel_of(
    text: str,
    device: str,
    name: str = "k.cu",
    arguments: dict[str, int | float | facts.PointerArgument] | None = None,
) -> facts.Kernel:
    file = analysed(text, device, name, arguments)
    assert not file.problems
    [kernel] = file.kernels
    return kernel


def access(kernel: facts.Kernel, text: str, op: str = "load") -> facts.Access:
    [found] = [one for one in kernel.accesses if one.text == text and one.op == op]
    return found


def branch(kernel: facts.Kernel, condition: str) -> facts.Branch:
    [found] = [one for one in kernel.branches if one.condition == condition]
    return found


def steady(counts: facts.Counts | None) -> int:
    """The count per request where every request has the same."""
    assert (
        counts is not None
        and counts.min == counts.mean == counts.max == counts.mean_low == counts.mean_high
    )
    return counts.max


# ------------------------------------------------------------------ A: GTX 780 Ti

# The statement as printed; `%a0` is operand 0 as an address.
LISTING = r"""
// kernlint: launch(grid=15, block=32)
__global__ void latency(unsigned *begins, unsigned *ends)
{
    __shared__ double data[1024];
    unsigned begin, end;
    unsigned long long reg;
    asm volatile OPEN "bar.sync 0;\n\t"
                      "mov.u32 %0, %%clock;\n\t"
                      "ld.volatile.shared.f64 %2, [%a0];\n\t"
                      "mov.u32 %1, %%clock;\n\t"
                      : "=r"(begin), "=r"(end), "=l"(reg) CLOSE;
    begins[threadIdx.x] = begin;
    ends[threadIdx.x] = end;
}
"""


@pytest.mark.parametrize(("opening", "closing", "notes"), [("(", ")", 0), ("{", "}", 1)])
def test_a_printed_listing(opening: str, closing: str, notes: int) -> None:
    file = analysed(LISTING.replace("OPEN", opening).replace("CLOSE", closing), "gtx-780-ti")
    assert [(problem.code, problem.span.line, problem.note) for problem in file.problems] == [
        ("KL001", 8, True)
    ] * notes
    [kernel] = file.kernels
    load = access(kernel, "ld.volatile.shared.f64 %2, [%a0]")
    assert (load.space, load.op, load.bytes, load.requests, load.active_lanes) == (
        "shared",
        "load",
        8,
        15,
        32,
    )
    assert (load.status, load.reason) == (
        "unknown",
        "clock",
    )  # the address printed is the clock that was read before
    assert [barrier.uniform for barrier in kernel.barriers] == [True]
    assert {
        access(kernel, f"{name}[threadIdx.x]", "store").status for name in ("begins", "ends")
    } == {"exact"}


@pytest.mark.parametrize("instruction", ["ld.shared.f64 reg, [addr];", "mov.u32 reg, %clock;"])
def test_a_single_instructions_of_the_text(instruction: str) -> None:
    text = f'// kernlint: launch(grid=1, block=32)\n__global__ void k() {{ asm volatile("{instruction}"); }}\n'
    file = analysed(text, "gtx-780-ti")
    assert not file.problems
    found = [(one.space, one.op, one.bytes, one.requests) for one in file.kernels[0].accesses]
    assert found == ([("shared", "load", 8, 1)] if instruction.startswith("ld") else [])


# Figure 6: 1,024 doubles drawn as 32 rows of 32; c lanes read column 0 of rows 0..c-1, the others
# the diagonal.
FIGURE_6 = """
// kernlint: launch(grid=15, block=32)
__global__ void figure6(double *out, int c)
{
    __shared__ double data[32][32];
    int lane = threadIdx.x;
    out[lane] = data[lane][lane < c ? 0 : lane];
}
"""
FIGURE_6_FLAT = """
// kernlint: launch(grid=15, block=32)
__global__ void figure6(double *out, int c)
{
    __shared__ double data[1024];
    double reg;
    double *place = &data[32 * threadIdx.x];
    if (threadIdx.x >= c) place += threadIdx.x;
    asm volatile("ld.shared.f64 %0, [%1];" : "=d"(reg) : "r"((unsigned)__cvta_generic_to_shared(place)));
    out[threadIdx.x] = reg;
}
"""


@pytest.mark.parametrize("text", [FIGURE_6, FIGURE_6_FLAT], ids=["array", "asm"])
@pytest.mark.parametrize("c", [1, 5, 17, 32])
def test_a_congestion_of_figure_6(text: str, c: int) -> None:
    kernel = kernel_of(text, "gtx-780-ti", arguments={"c": c})
    [load] = [one for one in kernel.accesses if one.space == "shared"]
    assert (load.bytes, load.requests, load.active_lanes, load.status) == (8, 15, 32, "exact")
    assert steady(load.wavefronts) == c
    assert kernel.static_shared_bytes == 8192


LOOP = """
// kernlint: launch(grid=1, block={block})
__global__ void measured(double *out, int c)
{{
    __shared__ double data[32][32];
    int lane = threadIdx.x % 32;
    unsigned place = __cvta_generic_to_shared(&data[lane][lane < c ? 0 : lane]);
    double reg = 0;
    #pragma unroll 1
    for (int i = 0; i < {instructions}; i++)
        asm volatile("ld.volatile.shared.f64 %0, [%1];" : "=d"(reg) : "r"(place));
    out[threadIdx.x] = reg;
}}
"""


@pytest.mark.parametrize(
    ("i", "w", "c", "cycles"),
    [(1, 1, 1, 338.745), (32, 32, 32, 34645.794), (32, 1, 5, 32 * 5 * C1 + C2)],
)
def test_a_fitted_model(i: int, w: int, c: int, cycles: float) -> None:
    kernel = kernel_of(LOOP.format(block=32 * w, instructions=i), "gtx-780-ti", arguments={"c": c})
    assert (
        kernel.shared_cycles
        == pytest.approx(cycles, abs=1e-6)
        == pytest.approx(C1 * i * w * c + C2, abs=1e-6)
    )
    [load] = [one for one in kernel.accesses if one.space == "shared"]
    assert load.requests == i * w and steady(load.wavefronts) == c


# ------------------------------------------------------------------ C: the sum of n doubles

N = 16 * 1024**2
SUM_1 = """
// kernlint: launch(grid=8192, block=256)
__global__ void sum(double *B, const double *A)
{
    __shared__ double fs[2048];
    int t = threadIdx.x;
    #pragma unroll 1
    for (int i = 0; i < 8; i++) { int js = 2048/256*threadIdx.x + i; fs[js] = A[2048*blockIdx.x + js]; }
    __syncthreads();
    #pragma unroll 1
    for (int i = 1; i < 8; i++) fs[8*t] += fs[8*t+i];
    for (int stride = 1; stride < blockDim.x; stride *= 2) {
        __syncthreads();
        if (t % (2*stride) == 0) fs[8*t] += fs[8*t + 8*stride];
    }
    if (t == 0) B[blockIdx.x] = fs[0];
}
"""
SUM_2 = """
// kernlint: launch(grid=8192, block=256)
__global__ void sum(double *B, const double *A)
{
    __shared__ double fs[2048];
    int t = threadIdx.x;
    #pragma unroll 1
    for (int i = 0; i < 8; i++) { int js = 256*i + threadIdx.x; fs[js] = A[2048*blockIdx.x + js]; }
    __syncthreads();
    #pragma unroll 1
    for (int i = 1; i < 8; i++) fs[t] += fs[t + 256*i];
    for (int stride = blockDim.x; stride > 1; stride /= 2) {
        __syncthreads();
        if (t < stride/2) fs[t] += fs[t + stride];
    }
    if (t == 0) B[blockIdx.x] = fs[0] + fs[1];
}
"""
STEP = """
// kernlint: launch(grid=8192, block=256)
__global__ void step(double *B, int stride)
{
    __shared__ double fs[2048];
    int t = threadIdx.x;
    BODY
    B[256*blockIdx.x + t] = fs[t];
}
"""
STEP_1 = STEP.replace("BODY", "if (t % (2*stride) == 0) fs[8*t] += fs[8*t + 8*stride];")
STEP_2 = STEP.replace("BODY", "if (t < stride/2) fs[t] += fs[t + stride];")

# One step of version 1: warps of the block's 8 with an active thread, active threads in all, passes
# on 4- and on 8-byte banks.
STRIDES_1 = {
    1: (8, 128, 16, 8), 2: (8, 64, 8, 8), 4: (8, 32, 4, 4), 8: (8, 16, 2, 2),
    16: (8, 8, 1, 1), 32: (4, 4, 1, 1), 64: (2, 2, 1, 1), 128: (1, 1, 1, 1),
}  # fmt: skip
# One step of version 2: warps with an active thread, active threads, whether a warp diverges.
STRIDES_2 = {
    256: (4, 128, False), 128: (2, 64, False), 64: (1, 32, False), 32: (1, 16, True),
    16: (1, 8, True), 8: (1, 4, True), 4: (1, 2, True), 2: (1, 1, True),
}  # fmt: skip


def test_c_sizes_of_the_sum() -> None:
    kernel = kernel_of(SUM_1, "h100")
    load = access(kernel, "A[2048*blockIdx.x + js]")
    assert load.requests is not None and load.active_lanes is not None
    assert load.requests * load.active_lanes == N and N * 8 == 134_217_728
    assert kernel.static_shared_bytes == 2048 * 8


@pytest.mark.parametrize("device", ["h100", "gtx-780-ti"])
@pytest.mark.parametrize(
    ("text", "sectors"), [(SUM_1, 32), (SUM_2, 8)], ids=["version 1", "version 2"]
)
def test_c_coalescing(text: str, sectors: int, device: str) -> None:
    load = access(kernel_of(text, device), "A[2048*blockIdx.x + js]")
    assert load.sectors is not None
    assert (
        load.requests,
        load.active_lanes,
        steady(load.sectors),
        load.sectors.ideal,
        load.status,
    ) == (65536 * 8, 32, sectors, 8, "exact")


@pytest.mark.parametrize(("device", "passes", "ideal"), [("h100", 16, 2), ("gtx-780-ti", 8, 1)])
def test_c_version_1_conflicts_in_the_first_accumulation(
    device: str, passes: int, ideal: int
) -> None:
    kernel = kernel_of(SUM_1, device)
    for text, op in (
        ("fs[js]", "store"),
        ("fs[8*t]", "load"),
        ("fs[8*t]", "store"),
        ("fs[8*t+i]", "load"),
    ):
        first = next(one for one in kernel.accesses if (one.text, one.op) == (text, op))
        assert first.wavefronts is not None
        assert (
            first.wavefronts.min,
            first.wavefronts.mean,
            first.wavefronts.max,
            first.wavefronts.ideal,
        ) == (
            passes,
            passes,
            passes,
            ideal,
        )


@pytest.mark.parametrize(("device", "passes"), [("h100", 2), ("gtx-780-ti", 1)])
def test_c_version_2_is_free_of_conflicts(device: str, passes: int) -> None:
    kernel = kernel_of(SUM_2, device)
    shared = [one for one in kernel.accesses if one.space == "shared"]
    assert len(shared) == 9
    for one in shared:
        assert (
            one.wavefronts is not None
            and one.wavefronts.mean == one.wavefronts.ideal
            and one.wavefronts.max <= passes
        )
    assert kernel.shared_cycles == kernel.shared_cycles_ideal


@pytest.mark.parametrize("stride", STRIDES_1)
@pytest.mark.parametrize("device", ["h100", "gtx-780-ti"])
def test_c_version_1_at_each_stride(stride: int, device: str) -> None:
    warps, lanes, narrow, wide = STRIDES_1[stride]
    kernel = kernel_of(STEP_1, device, arguments={"stride": stride})
    for text, op in (("fs[8*t]", "load"), ("fs[8*t]", "store"), ("fs[8*t + 8*stride]", "load")):
        one = access(kernel, text, op)
        assert (one.requests, one.active_lanes) == (8192 * warps, lanes / warps)
        assert steady(one.wavefronts) == (narrow if device == "h100" else wide)
    test = branch(kernel, "t % (2*stride) == 0")
    assert (test.evaluations, test.divergent, test.status) == (8192 * 8, 8192 * warps, "exact")


@pytest.mark.parametrize("stride", STRIDES_2)
@pytest.mark.parametrize("device", ["h100", "gtx-780-ti"])
def test_c_version_2_at_each_stride(stride: int, device: str) -> None:
    """Neither divergence nor conflicts while stride/2 is a multiple of the warp."""
    warps, lanes, divergent = STRIDES_2[stride]
    assert divergent == bool(stride // 2 % 32)
    kernel = kernel_of(STEP_2, device, arguments={"stride": stride})
    for text, op in (("fs[t]", "store"), ("fs[t + stride]", "load")):
        one = access(kernel, text, op)
        assert (one.requests, one.active_lanes) == (8192 * warps, lanes / warps)
        assert one.wavefronts is not None and steady(one.wavefronts) == one.wavefronts.ideal
    test = branch(kernel, "t < stride/2")
    assert (test.evaluations, test.divergent, test.status) == (8192 * 8, 8192 * divergent, "exact")


@pytest.mark.parametrize(
    ("text", "condition", "last", "steps"),
    [
        (SUM_1, "t % (2*stride) == 0", "fs[8*t + 8*stride]", STRIDES_1),
        (SUM_2, "t < stride/2", "fs[t + stride]", STRIDES_2),
    ],
    ids=["version 1", "version 2"],
)
def test_c_the_loop_is_the_sum_of_its_steps(
    text: str, condition: str, last: str, steps: dict[int, tuple[int, ...]]
) -> None:
    kernel = kernel_of(text, "h100")
    test, load = branch(kernel, condition), access(kernel, last)
    warps = sum(step[0] for step in steps.values())
    assert (load.requests, test.evaluations) == (8192 * warps, 8192 * 8 * len(steps))
    assert load.active_lanes == pytest.approx(sum(step[1] for step in steps.values()) / warps)
    if steps is STRIDES_1:
        assert test.divergent == 8192 * warps
        assert load.wavefronts is not None and (load.wavefronts.min, load.wavefronts.max) == (1, 16)
        assert load.wavefronts.mean == pytest.approx(
            sum(warps * passes for warps, _, passes, _ in STRIDES_1.values()) / warps
        )
    else:
        assert test.divergent == 8192 * sum(step[2] for step in steps.values())
    assert [barrier.uniform for barrier in kernel.barriers] == [True, True]


def test_c_static_and_dynamic_shared_memory() -> None:
    body = "{ fs[threadIdx.x] = a[threadIdx.x]; __syncthreads(); a[threadIdx.x] = fs[threadIdx.x ^ 1]; }\n"
    static = kernel_of(
        "// kernlint: launch(grid=1, block=128)\n__global__ void k(double *a) { __shared__ double fs[1024]; "
        + body
        + "}",
        "h100",
    )
    assert (static.static_shared_bytes, static.dynamic_shared_bytes) == (8192, 0)
    kernel = "__global__ void k(double *a) { extern __shared__ double fs[]; " + body + "}\n"
    launch = "int main() { dim3 Dg(4), Db(128); double *a; cudaMalloc(&a, 1024); k<<<Dg, Db, 1024, 0>>>(a); return 0; }\n"
    for text in (
        "// kernlint: launch(grid=4, block=128, dynamic_shared=1024)\n" + kernel,
        kernel + launch,
    ):
        dynamic = kernel_of(text, "h100")
        assert (dynamic.static_shared_bytes, dynamic.dynamic_shared_bytes) == (0, 1024)
        assert (dynamic.launch.grid, dynamic.launch.block) == ((4, 1, 1), (128, 1, 1))
        assert steady(access(dynamic, "fs[threadIdx.x ^ 1]").wavefronts) == 2


PATTERNS = {
    "threadIdx.x": 1,
    "(7 * threadIdx.x + 3) % 32": 1,
    "31 - threadIdx.x": 1,
    "12": 1,
    "2 * threadIdx.x": 2,
    "4 * threadIdx.x": 4,
    "32 * threadIdx.x": 32,
}


@pytest.mark.parametrize("index", PATTERNS)
def test_c_patterns_with_and_without_conflict(index: str) -> None:
    """Linear, permuted, one address for all: no conflict; by stride: 2-way and more."""
    body = f"{{ __shared__ float fs[1024]; a[threadIdx.x] = fs[{index}]; }}"
    text = f"// kernlint: launch(grid=1, block=32)\n__global__ void k(float *a) {body}\n"
    assert steady(access(kernel_of(text, "h100"), f"fs[{index}]").wavefronts) == PATTERNS[index]


# ------------------------------------------------------------------ D: stride and banks, OpenCL

GLOBAL_CL = """
// kernlint: launch(grid=64, block=16)
__kernel void k(__global int *out, __global const int *in)
{{
    int gid = get_global_id(0);
    out[gid] = in[{index}];
}}
"""
ROWS_CL = """
// kernlint: launch(grid=16x16, block=4x2, gsize=64)
__kernel void k(__global int *out, __global const int *in, int gsize)
{
    int gid_1 = get_global_id(0), gid_2 = get_global_id(1);
    out[gid_1 + gid_2 * gsize] = in[gid_1 + gid_2 * gsize];
}
"""
LOCAL_CL = """
// kernlint: launch(grid=64, block=16)
__kernel void k(__global int *out)
{{
    __local int s[512];
    int gid = get_local_id(0);
    out[get_global_id(0)] = s[{index}];
}}
"""
LINES = {  # index: (cache lines for 16 work-items, share of full bandwidth)
    "gid": (1, Fraction(1)),
    "gid + 1": (2, Fraction(1, 2)),
    "gid * 16": (16, Fraction(1, 16)),
    "gid * 32": (16, Fraction(1, 16)),
    "gid * 8": (8, Fraction(1, 8)),
}
BANKS = {  # index: (banks used, share of full bandwidth)
    "gid": (16, Fraction(1)),
    "gid + 1": (16, Fraction(1)),
    "gid & ~1": (8, Fraction(1)),
    "gid * 2": (8, Fraction(1, 2)),
    "gid * 16": (1, Fraction(1, 16)),
    "gid * 17": (16, Fraction(1)),
}


def useful(one: facts.Access) -> Fraction:
    """Bytes used of the bytes of all lines of 64 bytes that are moved."""
    assert one.active_lanes is not None
    return Fraction(int(one.active_lanes) * one.bytes, 64 * steady(one.cache_lines))


@pytest.mark.parametrize("index", LINES)
def test_d_cache_lines(index: str) -> None:
    load = access(kernel_of(GLOBAL_CL.format(index=index), "intel-gen9", "k.cl"), f"in[{index}]")
    assert (load.requests, load.active_lanes, load.status) == (64, 16, "exact")
    assert (steady(load.cache_lines), useful(load)) == LINES[index]


def test_d_cache_lines_of_a_work_group_4_2_1() -> None:
    """One line per row of the group: drawn as 4 for two groups, 32 useful of 128 bytes per
    group."""
    load = access(kernel_of(ROWS_CL, "intel-gen9", "k.cl"), "in[gid_1 + gid_2 * gsize]")
    assert (load.requests, load.active_lanes, load.status) == (256, 8, "exact")
    assert (steady(load.cache_lines), useful(load)) == (2, Fraction(1, 4))


@pytest.mark.parametrize("index", BANKS)
def test_d_banks(index: str) -> None:
    load = access(kernel_of(LOCAL_CL.format(index=index), "intel-gen9", "k.cl"), f"s[{index}]")
    assert (load.space, load.requests, load.active_lanes, load.status) == (
        "shared",
        64,
        16,
        "exact",
    )
    assert load.example is not None
    banks = {offset // 4 % 16 for offset in load.example.lanes if offset is not None}
    assert (len(banks), Fraction(1, steady(load.wavefronts))) == BANKS[index]


# The same indices over a CUDA warp of 32: sectors of 32 bytes, lines of 128 bytes, passes over 32
# banks.
TWINS = {
    "gid": (4, 1, 1), "gid + 1": (5, 2, 1), "gid * 16": (32, 16, 16), "gid * 32": (32, 32, 32), "gid * 8": (32, 8, 8),
    "gid & ~1": (4, 1, 1), "gid * 2": (8, 2, 2), "gid * 17": (32, 17, 1),
}  # fmt: skip


@pytest.mark.parametrize("device", ["h100", "gtx-480"])
@pytest.mark.parametrize("index", TWINS)
def test_d_cuda_twins(index: str, device: str) -> None:
    text = f"""
// kernlint: launch(grid=64, block=32)
__global__ void k(int *out, const int *in)
{{
    __shared__ int s[1024];
    int gid = blockIdx.x * blockDim.x + threadIdx.x;
    out[gid] = in[{index}];
    gid = threadIdx.x;
    out[gid] = s[{index}];
}}
"""
    kernel = kernel_of(text, device)
    load, shared = access(kernel, f"in[{index}]"), access(kernel, f"s[{index}]")
    sectors, lines, passes = TWINS[index]
    assert steady(shared.wavefronts) == passes
    if device == "h100":
        assert (steady(load.sectors), steady(load.cache_lines)) == (sectors, lines)
    else:
        assert steady(load.cache_lines) == lines


def test_d_cuda_twin_of_the_work_group_4_2_1() -> None:
    text = """
// kernlint: launch(grid=16x16, block=4x2, gsize=64)
__global__ void k(int *out, const int *in, int gsize)
{
    int gid_1 = blockIdx.x * blockDim.x + threadIdx.x, gid_2 = blockIdx.y * blockDim.y + threadIdx.y;
    out[gid_1 + gid_2 * gsize] = in[gid_1 + gid_2 * gsize];
}
"""
    load = access(kernel_of(text, "h100"), "in[gid_1 + gid_2 * gsize]")
    assert (load.requests, load.active_lanes, steady(load.sectors), steady(load.cache_lines)) == (
        256,
        8,
        2,
        2,
    )
