"""What reading the findings on real code showed to be wrong or missing, each on a kernel written
for it: docs/judged-findings.md."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.checks.run import check
from kernlint.checks.selection import Selection
from kernlint.model.finding import Finding
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.render import full
from kernlint.render.style import Style
from kernlint.source import files
from kernlint.source.sources import Sources

pytestmark = pytest.mark.slow


def found(code: str, source: str, name: str = "k.cu") -> list[Finding]:
    report = engine.analyse((), Settings(), stdin=files.from_bytes(name, source.encode()))
    return [finding for finding in check(report, Selection(select=(code,)))]


# ------------------------------------------------------------ strides that are lengths of rows


def test_what_another_index_runs_within_is_the_length_of_a_row() -> None:
    """`width` is compared with nothing, but `blockIdx.y` runs within it: it is no stride that may
    be 1."""
    [finding] = found(
        "KL201",
        "__global__ void k(float *g, int width) {\n"
        "    int t = blockIdx.x * blockDim.x + threadIdx.x, u = blockIdx.y;\n"
        "    g[t * width + u] = 1.0f;\n}\n",
    )
    assert finding.severity == "warning" and finding.help.startswith(
        "neighbouring threads are `width` elements apart"
    )


def test_a_stride_that_no_index_runs_within_may_still_be_one() -> None:
    for index in ("t * stride", "t * stride + u * pitch", "(blockIdx.z * rows + t) * stride"):
        [finding] = found(
            "KL201",
            "__global__ void k(float *g, int stride, int pitch, int rows) {\n"
            "    int t = blockIdx.x * blockDim.x + threadIdx.x, u = blockIdx.y;\n"
            f"    g[{index}] = 1.0f;\n}}\n",
        )
        assert (
            finding.severity == "info"
            and "with a stride of 1 the access is contiguous" in finding.help
        )


def test_the_diagonal_of_a_matrix_is_not_contiguous_with_rows_of_one() -> None:
    [finding] = found(
        "KL201",
        "__global__ void k(float *a, int n) { a[threadIdx.x * n + threadIdx.x] += 1.0f; }\n",
    )
    assert (
        finding.severity == "info"
        and "contiguous" not in finding.help
        and "diagonal" in finding.help
    )


def test_a_distance_that_data_give_is_named() -> None:
    [finding] = found(
        "KL201",
        "__global__ void k(float *g, const int *from, const int *length) {\n"
        "    int width = length[blockIdx.z] + 1;\n"
        "    g[2 * (from[blockIdx.z] + threadIdx.x * width + blockIdx.y)] = 0.0f;\n}\n",
    )
    assert "`2 + 2 * length[blockIdx.z]` elements apart" in finding.help


def test_sizes_of_the_launch_are_a_distance() -> None:
    [finding] = found(
        "KL201",
        "__kernel void k(__global float *g) {\n"
        "    int at = get_global_id(0) * get_local_size(1) * get_num_groups(1) * 8 + get_global_id(1) * 8;\n"
        "    g[at] = 0.0f;\n}\n",
        "k.cl",
    )
    assert "get_num_groups(1)` elements apart" in finding.help


# ------------------------------------------------------------ what matters together


def test_accesses_that_waste_much_together_are_no_note() -> None:
    """Each line wastes less than `minimum_share`, all lines of one pattern most of it."""
    lines = "".join(f"    s += a[t * n + {2 * k}];\n" for k in range(26))
    [finding] = found(
        "KL201",
        "__global__ void k(float *out, const float *a, int n) {\n    int t = blockIdx.x * blockDim.x + threadIdx.x;\n"
        f"    float s = 0;\n    if (t >= n) return;\n{lines}    out[t] = s;\n}}\n",
    )
    assert finding.severity == "warning" and not any(
        "a note, since" in note for note in finding.notes
    )


def test_instances_of_other_element_sizes_are_told_together() -> None:
    source = (
        "template <typename T>\n__global__ void transposed(T *out, const T *in, int n) {\n"
        "    int x = blockIdx.x * 32 + threadIdx.x;\n    if (x < n) out[x * n + blockIdx.y] = in[blockIdx.y * n + x];\n}\n"
        "template __global__ void transposed<float>(float *, const float *, int);\n"
        "template __global__ void transposed<double>(double *, const double *, int);\n"
    )
    assert len(found("KL201", source)) == 1


# ------------------------------------------------------------ elements of several members


XYZ = """__global__ void k(float *out, const float *p, int n) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= n) return;
    const float *q = p + (blockIdx.y * n + j) * 3;
    out[j] = q[0] + q[1] + q[2];
}
"""


def test_members_of_rows_that_begin_anywhere_are_told() -> None:
    """How many sectors a request takes is only known to a range, 12 or 13, but 12 are three times
    what suffices."""
    [finding] = found("KL206", XYZ)
    assert "at least 12 sectors per request instead of 4" in finding.message
    assert "the kernel accesses 12 of each element's 12 bytes" in finding.notes


def test_pairs_of_rows_that_begin_anywhere_are_one_vector() -> None:
    [finding] = found(
        "KL206",
        "__global__ void k(float *out, const float *s, int n, int group) {\n"
        "    int x = blockIdx.x * blockDim.x + threadIdx.x;\n    if (x >= n) return;\n"
        "    const float *p = s + blockIdx.y / group * n + 2 * x;\n    out[x] = p[0] + p[1];\n}\n",
    )
    assert (
        "the kernel accesses 8 of each element's 8 bytes" in finding.notes
        and "one vector of 8 bytes" in finding.help
    )


# ------------------------------------------------------------ guesses


def test_short_rows_of_an_assumed_block_are_a_note() -> None:
    source = (
        "__kernel void k(__global short *out, int width, int height) {\n"
        "    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n    out[x + width * (y + height * z)] = 1;\n}\n"
    )
    [finding] = found("KL201", source, "k.cl")
    assert finding.severity == "info" and any(
        "work-group width is assumed" in note for note in finding.notes
    )
    [finding] = found(
        "KL201",
        source.replace("__kernel", "__attribute__((reqd_work_group_size(8, 8, 4))) __kernel"),
        "k.cl",
    )
    assert finding.severity == "warning"


def test_what_an_unknown_function_may_write_is_no_value_of_all_lanes() -> None:
    """`clip` may take its second argument by reference: that it is not initialised before says
    nothing of what the lanes have then."""
    source = (
        "__global__ void k(float *g) {\n    __shared__ float sum;\n    float part;\n    clip(g[threadIdx.x], part);\n"
        "    if (threadIdx.x == 0) sum = 0;\n    __syncthreads();\n    if (part != 0) atomicAdd(&sum, part);\n"
        "    __syncthreads();\n    if (threadIdx.x == 0) g[blockIdx.x] = sum;\n}\n"
    )
    report = engine.analyse((), Settings(), stdin=files.from_bytes("k.cu", source.encode()))
    branch = next(b for b in report.files[0].kernels[0].branches if b.condition == "part != 0")
    assert branch.status == "unknown"
    [finding] = found("KL102", source)
    assert "up to 32-way atomic contention" in finding.message


# ------------------------------------------------------------ advice


def test_vectors_are_advised_where_the_rows_allow_them() -> None:
    source = (
        "#include <cuda_fp16.h>\n__global__ void k(half *out, const half *in, int n) {\n"
        "    int x = blockIdx.x * blockDim.x + threadIdx.x;\n    if (x < n) out[blockIdx.y * n + x] = in[ROWS * n + x];\n}\n"
    )
    helps = {finding.help for finding in found("KL207", source.replace("ROWS", "blockIdx.y"))}
    assert len(helps) == 1 and "if `n` is a multiple of 2, let each thread work on 2" in helps.pop()
    padded = source.replace("ROWS * n", "blockIdx.y * 33").replace(
        "blockIdx.y * n", "blockIdx.y * 34"
    )
    assert {"not all rows of" in finding.help for finding in found("KL207", padded)} == {
        True,
        False,
    }


def division(body: str, arguments: str = "int n, int width") -> str:
    [finding] = found(
        "KL702", f"__global__ void k(int *out, const int *in, {arguments}) {{\n{body}}}\n"
    )
    return finding.help


def test_what_stands_in_the_place_of_a_division_follows_its_divisor() -> None:
    loops = "    for (int i = 0; i < n; ++i)\n        for (int j = 0; j < n; ++j) s += (i + j) % DIVISOR;\n"
    sums = f"    int s = 0;\n{loops}    out[threadIdx.x] = s;\n"
    assert "a template argument or a constant" in division(sums.replace("DIVISOR", "width"))
    data = division(
        "    int from = in[threadIdx.x], to = in[threadIdx.x + 1];\n"
        + sums.replace("DIVISOR", "(to - from)")
    )
    assert "template" not in data and "`to - from` stays the same" in data
    wide = division(sums.replace("DIVISOR", "width"), "long long n, long long width")
    assert "if both operands fit in 32 bits, convert them first" in wide
    halved = division(
        "    int s = 0;\n    for (int size = 2; size < n; size <<= 1)\n"
        "        for (int stride = size; stride > 1; stride >>= 1) s += (threadIdx.x + s) / stride;\n    out[threadIdx.x] = s;\n"
    )
    assert "power of two" in halved and "`x & (stride - 1)`" in halved


def test_scalars_read_through_an_array_of_vectors_are_not_its_members() -> None:
    """The lanes lie eight words apart, not one element of `pairs`: to split that would mend
    nothing."""
    [finding] = found(
        "KL101",
        "// kernlint: launch(grid=4, block=256)\n__global__ void k(float *out) {\n    __shared__ float2 pairs[1024];\n"
        "    float *words = (float *)pairs;\n    for (int i = threadIdx.x; i < 2048; i += 256) words[i] = i;\n    __syncthreads();\n"
        "    out[blockIdx.x * 256 + threadIdx.x] = words[8 * threadIdx.x];\n}\n",
    )
    assert "8-way" in finding.message and "one array per member" not in finding.help


def test_one_word_for_all_lanes_is_combined_in_the_warp() -> None:
    source = (
        "// kernlint: launch(grid=4, block=256)\n__global__ void k(int *out, const int *in) {\n    __shared__ int best[8];\n"
        "    if (threadIdx.x < 8) best[threadIdx.x] = 0;\n    __syncthreads();\n"
        "    atomicMax(&best[INDEX], in[blockIdx.x * 256 + threadIdx.x]);\n    __syncthreads();\n    out[blockIdx.x] = best[0];\n}\n"
    )
    [finding] = found("KL102", source.replace("INDEX", "threadIdx.x / 32"))
    assert finding.help.startswith("reduce within the warp first (shuffles")
    [finding] = found("KL102", source.replace("INDEX", "threadIdx.x % 8"))
    assert "own copy of the array" in finding.help


def test_conflicts_of_one_array_under_one_condition_are_one_note() -> None:
    [finding] = found(
        "KL101",
        "__global__ void k(float *out, const float *in, int width) {\n    extern __shared__ float s[];\n"
        "    float *own = s + threadIdx.x * width;\n    for (int i = 0; i < width; ++i) own[i] = in[i * 256 + threadIdx.x];\n"
        "    float sum = 0;\n    for (int i = 1; i < width; ++i) sum += own[i] * own[i - 1];\n    out[threadIdx.x] = sum;\n}\n",
    )
    assert any("also affects 2 more accesses" in note for note in finding.notes)
    assert "`--arg width=…`" in finding.help


def test_a_conflict_in_a_row_of_threads_needs_no_shape_of_the_block() -> None:
    [finding] = found(
        "KL101",
        "__kernel void k(__global float4 *out, __local float4 *pairs) {\n    int t = get_local_id(0);\n"
        "    pairs[2 * t] = out[2 * t];\n    barrier(CLK_LOCAL_MEM_FENCE);\n    out[t] = pairs[t];\n}\n",
        "k.cl",
    )
    assert finding.severity == "warning" and "2-way" in finding.message


def test_a_loop_in_a_header_is_underlined_as_far_as_its_head(tmp_path: Path) -> None:
    (tmp_path / "sum.cuh").write_text(
        "__device__ float column(const float *a, int n) {\n    float s = 0;\n    for (int k = 0; k < n; ++k) {\n"
        "        int at = threadIdx.x * n + k;\n        s += a[at];\n    }\n    return s;\n}\n"
    )
    kernel = (
        "__global__ void k(float *out, const float *a, int n) { out[threadIdx.x] = column(a, n); }"
    )
    (tmp_path / "k.cu").write_text(f'#include "sum.cuh"\n{kernel}\n')
    report = engine.analyse((str(tmp_path / "k.cu"),), Settings())
    findings = check(report, Selection(select=("KL201",)))
    shown = full.render(findings, Sources.of(report.files), Style())
    assert f" {'-' * len('for (int k = 0; k < n; ++k)')} in this loop" in shown


def test_an_element_of_an_unknown_type_s_member_is_called_what_it_is() -> None:
    found_ = found(
        "KL003",
        "#include <missing.h>\n__global__ void k(float *out, const float *in, Info info, int n) {\n"
        "    int token = info.tokens[blockIdx.x];\n    out[threadIdx.x] = in[threadIdx.x * n + token];\n}\n",
    )
    [finding] = [finding for finding in found_ if finding.message.startswith("`in[")]
    assert (
        "depends on a type that no analysed file defines: info.tokens[blockIdx.x]" in finding.notes
    )
    assert "-I DIR" in finding.help


def test_a_constant_that_no_file_gives_is_not_taken_to_be_large_for_sure() -> None:
    """With `WIDE` of 1 the lanes touch neighbouring words."""
    source = (
        "template <int WIDE>\n__global__ void k(float *out, const float *in) {\n    __shared__ float s[4096];\n"
        "    int t = threadIdx.x;\n    s[t % WIDE * 32 + t / WIDE] = in[t];\n    __syncthreads();\n    out[t] = s[t];\n}\n"
    )
    [finding] = found("KL101", source)
    assert finding.severity == "info" and any(
        "`WIDE`" in note and note.startswith("info only: no analysed file defines")
        for note in finding.notes
    )
    [finding] = found("KL101", f"{source}template __global__ void k<32>(float *, const float *);\n")
    assert finding.severity == "warning"


def test_an_element_of_each_lanes_own_row_is_no_gather_that_an_order_mends() -> None:
    [finding] = found(
        "KL203",
        "__global__ void k(float *out, const float *p, const int *label, int classes) {\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    out[i] = p[i * classes + label[i]];\n}\n",
    )
    assert (
        "one element of each lane's own row, chosen by `label[i]`: 32 sectors per request"
        in finding.message
    )
    assert "sort" not in finding.help


def test_all_doubles_of_a_line_are_named() -> None:
    [finding] = found(
        "KL701",
        "__global__ void k(float *x) {\n    int i = threadIdx.x;\n    x[i] = 0.3 * x[i] + tanhf(0.7 * x[i] * (x[i] - 0.1));\n}\n",
    )
    assert (
        "the double literal `0.3` promotes the expression to 64-bit arithmetic" in finding.message
        and "on this line also `0.7`, `0.1`" in finding.notes
    )


def test_vectors_of_three_of_opencl_move_as_four() -> None:
    """clang loads and stores `float3` as `float4` in memory that is aligned for it; vload3 reads
    three words side by side."""
    source = "__kernel void k(__global float3 *o, __global const float3 *a) { int i = get_global_id(0); o[i] = a[i]; }\n"
    report = engine.analyse((), Settings(), stdin=files.from_bytes("k.cl", source.encode()))
    assert {access.bytes for access in report.files[0].kernels[0].accesses} == {16}
    assert found("KL206", source, "k.cl") == []


def test_members_of_what_a_cast_makes_of_a_raw_buffer_may_be_moved_at_once() -> None:
    """nvcc 13.0 makes an STS.64 and an LDS.64 of these pairs for sm_90."""
    source = (
        "extern __shared__ char raw[];\n__global__ void k(float2 *out, const int *w, int n, int m) {\n    auto s = (float2 *)raw;\n"
        "    for (int i = threadIdx.x; i < n; i += blockDim.x) { s[i].x = i; s[i].y = w[i]; }\n    __syncthreads();\n"
        "    for (int i = threadIdx.x; i < n; i += blockDim.x) {\n        atomicAdd(&out[i % m].x, s[i].x);\n"
        "        atomicAdd(&out[i % m].y, s[i].y);\n    }\n}\n"
    )
    assert found("KL101", source) == []


def test_members_of_vectors_that_the_compiler_may_move_at_once_are_no_finding() -> None:
    """nvcc 13.0 makes LDG.E.128 and STG.E.128 of the double2, and two accesses each of the plain
    structure."""
    source = (
        "struct Pair { double x, y; };\n__global__ void k(int n, TYPE *to, const TYPE *from) {\n"
        "    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {\n"
        "        to[i].x = from[i].x / 3;\n        to[i].y = from[i].y / 3;\n    }\n}\n"
    )
    assert found("KL206", source.replace("TYPE", "double2")) == []
    assert len(found("KL206", source.replace("TYPE", "Pair"))) == 2
    [half] = found(
        "KL206",
        source.replace("TYPE", "double2").replace(
            "        to[i].y = from[i].y / 3;\n", "        to[i].y = 0;\n"
        ),
    )
    assert "`from[i].x`" in half.message


def test_rows_that_a_loop_walks_by_whole_sectors_are_not_said_to_lie_off_them() -> None:
    """The step of `k0` is no part of the index; that every request takes as few sectors as it can
    is counted."""
    text = """// kernlint: launch(grid=16, block=128, n={n})
__global__ void k(const unsigned short *a, float *o, int n) {{
    float s = 0;
    for (int k0 = 0; k0 < n; k0 += {step})
        for (int i = threadIdx.x; i < 2048; i += 128) s += a[(blockIdx.x * 64 + i / 32) * n + k0 + i % 32];
    o[threadIdx.x] = s;
}}
"""
    (finding,) = [
        one for one in found("KL207", text.format(n=1024, step=32)) if one.code == "KL207"
    ]
    assert finding.help.startswith("let each thread work on 2 neighbouring elements")
    (finding,) = [
        one for one in found("KL207", text.format(n=1024, step=33)) if one.code == "KL207"
    ]
    assert "not all rows of" in finding.help


# ---------------------------------------------------------------- vLLM, darktable, mmcv


def test_a_vector_access_lies_in_no_more_sectors_than_its_alignment_lets_it() -> None:
    """Wherever rows begin, 16 aligned bytes lie in one sector of 32."""
    (finding,) = found(
        "KL201",
        "__global__ void k(const float *x, int stride, int *out) {\n"
        "    const float *row = &x[blockIdx.x * stride + 8 * threadIdx.x];\n"
        "    const int4 v = *reinterpret_cast<const int4 *>(row);\n"
        "    out[threadIdx.x] = v.x;\n}\n"
        "void run(float *x, int n, int *o) { k<<<n, 256>>>(x, n, o); }\n",
    )
    assert "32 sectors per request instead of 16" in finding.message
    assert "between" not in finding.message


def test_a_guard_leaves_open_what_an_unknown_pitch_decides() -> None:
    """Who takes part is unknown, and the pitch that decides the conflict is unknown too."""
    text = (
        "kernel void t(global float *out, local float *tile, int width, int height, int size) {\n"
        "    int x = get_group_id(1) * size + get_local_id(0);\n"
        "    int y = get_group_id(0) * size + get_local_id(1);\n"
        "    if (x < height && y < width)\n"
        "        out[y * height + x] = tile[get_local_id(0) * PITCH + get_local_id(1)];\n}\n"
    )
    assert [
        f
        for f in found("KL101", text.replace("PITCH", "(size + 1)"), "k.cl")
        if f.severity != "info"
    ] == []
    (finding,) = found("KL101", text.replace("PITCH", "32"), "k.cl")
    assert finding.severity == "warning"


def test_what_differs_between_warps_parts_no_lanes_of_one() -> None:
    text = (
        "__global__ void k(float *x, int n, int m) {\n"
        "    int t = threadIdx.x, warp = t / 32, lane = t % 32;\n"
        "    int own = n - warp;\n"
        "    for (int i = 0; i < own; i++) {\n"
        "        float v = x[(warp + i) * 32 + lane];\n"
        "        CALL\n"
        "        x[(warp + i) * 32 + lane] = v;\n"
        "    }\n}\n"
        "void run(float *x, int n, int m) { k<<<n, 256>>>(x, n, m); }\n"
    )
    assert found("KL403", text.replace("CALL", "v += __shfl_xor_sync(~0u, v, 1);")) == []
    (finding,) = found("KL403", text.replace("CALL", "if (lane < m) __syncwarp();"))
    assert "under `lane < m`" in finding.message
    (finding,) = found("KL401", text.replace("CALL", "__syncthreads();"))
    assert "in a loop while `i < own`" in finding.message


def test_a_chain_of_conditions_is_one_finding() -> None:
    (finding,) = found(
        "KL301",
        "__global__ void k(const unsigned *d, int *o) {\n"
        "    int c = blockIdx.x * 128 + threadIdx.x, shift = c % 32 * 3;\n"
        "    const unsigned *p = d + c * 3 / 32;\n"
        "    if (shift <= 4) o[c] = p[0] >> shift;\n"
        "    else if (shift == 8) o[c] = p[0] << 3 | p[1];\n"
        "    else if (shift <= 16) o[c] = p[1] >> 3;\n"
        "    else o[c] = p[2];\n}\n"
        "void run(unsigned *d, int *o) { k<<<100, 128>>>(d, o); }\n",
    )
    assert "`shift <= 4`" in finding.message
    assert [part.span.line for part in finding.parts] == [4, 6]


def test_cases_that_fill_shared_memory_are_no_finding() -> None:
    text = (
        "__global__ void k(const float *a, const float *b, float *o) {\n"
        "    __shared__ float s[16], t[16];\n"
        "    switch (threadIdx.y) {\n"
        "        case 0: s[threadIdx.x] = a[threadIdx.x]; break;\n"
        "        case 1: t[threadIdx.x] = b[threadIdx.x]; break;\n"
        "    }\n"
        "    __syncthreads();\n"
        "    o[threadIdx.y * 16 + threadIdx.x] = s[threadIdx.y] * t[threadIdx.x];\n}\n"
        "void run(float *a, float *o) { k<<<8, dim3(16, 2)>>>(a, a, o); }\n"
    )
    assert found("KL303", text) == []
    assert found("KL303", text.replace("t[threadIdx.x] = b", "o[threadIdx.x + 64] = b")) != []


def test_one_access_is_reported_once_for_all_instances() -> None:
    report = engine.analyse(
        (),
        Settings(),
        stdin=files.from_bytes(
            "k.cu",
            b"template <int B> __global__ void k(const float *p, float *o, int n, int m) {\n"
            b"    for (int i = threadIdx.x; i < m; i += B) {\n"
            b"        float a = p[(blockIdx.x * n + i) * 3];\n"
            b"        float b = p[(blockIdx.x * n + i) * 3 + 1];\n"
            b"        float c = p[(blockIdx.x * n + i) * 3 + 2];\n"
            b"        o[blockIdx.x * m + i] = a + b + c;\n    }\n}\n"
            b"void run(float *d, float *o, int w, int m) {\n"
            b"    k<1024><<<100, 1024>>>(d, o, w, m);\n    k<16><<<100, 16>>>(d, o, w, m);\n}\n",
        ),
    )
    codes = [finding.code for finding in check(report, Selection()) if finding.code[:3] == "KL2"]
    assert codes == ["KL206"]


def test_elements_at_several_distances_show_that_rows_are_longer_than_one() -> None:
    text = (
        "__global__ void k(const float *p, int *c, int width) {\n"
        "    int i = threadIdx.x + blockIdx.x * blockDim.x;\n"
        "    const float *q = p + i * width;\n"
        "    c[i] = (int)(q[0] * 3 + q[1] * 5);\n}\n"
    )
    (finding,) = found("KL201", text)
    assert finding.severity == "warning"
    (finding,) = found("KL201", text.replace(" + q[1] * 5", ""))
    assert finding.severity == "info"


def test_a_loaded_index_runs_within_a_row_too() -> None:
    (finding,) = found(
        "KL201",
        "__device__ int at(int x, int y, int n) { return x * n + y; }\n"
        "__global__ void k(const float *e, const int *tok, float *o, int vocab, int dim, int b) {\n"
        "    int d = threadIdx.x + blockIdx.x * blockDim.x, t = tok[at(b, 0, 4)];\n"
        "    if (d < dim) o[d] = e[at(d, t, vocab)];\n}\n",
    )
    assert finding.severity == "warning" and "`vocab` elements apart" in finding.help


def test_rows_of_a_remainder_are_named_by_their_distance() -> None:
    (finding,) = found(
        "KL201",
        "__global__ void k(const float *e, float *o, int n, int width) {\n"
        "    int t = threadIdx.x + blockIdx.x * blockDim.x;\n"
        "    float s = 0;\n"
        "    for (int j = 0; j < width; j++) s += e[t % n * width + j];\n"
        "    o[t] = s;\n}\n",
    )
    assert "`width` elements" in finding.help and "no constant stride" not in finding.help


def test_lanes_that_an_unknown_constant_counts_read_no_number_of_words() -> None:
    text = (
        "struct S { int *at[16]; };\n"
        "template <int N> __global__ void k(S s) { if (threadIdx.x < N) s.at[threadIdx.x][0] = 1; }\n"
    )
    (finding,) = found("KL501", text)
    assert finding.severity == "info"
    (finding,) = found("KL501", text.replace("template <int N> ", "").replace("< N", "< 16"))
    assert finding.severity == "warning"


def test_a_quotient_of_sizes_is_the_length_of_a_row() -> None:
    """Who takes part is unknown; how far lanes are apart is a quotient that blocks run within."""
    (finding,) = found(
        "KL201",
        "__global__ void k(unsigned long long *mask, const float *b, int n) {\n"
        "    int i = blockIdx.y * 64 + threadIdx.x, cols = (n + 63) / 64;\n"
        "    if (b[i] > 0) mask[i * cols + blockIdx.x] = 3;\n}\n"
        "void run(unsigned long long *m, float *b, int n) { k<<<dim3(n, n), 64>>>(m, b, n); }\n",
    )
    assert finding.severity == "warning"
    assert "up to 32 sectors per request instead of 8" in finding.message


def test_a_place_is_reported_once_for_kernels_that_share_it() -> None:
    (finding,) = found(
        "KL702",
        "__device__ int at(int t, int n, int m) {\n"
        "    int s = 0;\n"
        "    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) s += (t + i * j) / m;\n"
        "    return s;\n}\n"
        "__global__ void a(int *o, int m) { o[threadIdx.x] = at(threadIdx.x, 4, m); }\n"
        "__global__ void b(int *o, int m) { o[threadIdx.x] = at(threadIdx.x, 8, m); }\n",
    )
    assert finding.notes[-1] == "same in `b`"


def test_up_to_is_a_bound_whatever_the_row_length() -> None:
    """Two rows of 16 float2, from the element before: 5 sectors each where rows begin at sectors;
    the mean over all row lengths is less."""
    (finding,) = found(
        "KL201",
        "kernel void k(global float2 *a, global float *o, int w, int h) {\n"
        "    int x = get_global_id(0), y = get_global_id(1);\n"
        "    if (x < w && y < h)\n"
        "        o[y * w + x] = x == 0 ? a[y * w + x].y : a[y * w + x].y - a[y * w + x - 1].y;\n}\n",
        "k.cl",
    )
    assert "up to 10 sectors per request instead of 4" in finding.message


def test_a_vector_in_short_rows_of_a_block_is_promised_no_sectors() -> None:
    """Four rows of 8 threads: their 16 bytes lie in four sectors, not in two."""
    (finding,) = found(
        "KL201",
        "__global__ void k(const unsigned char *m, int *o, int w, int h) {\n"
        "    int i = threadIdx.y * w + blockIdx.x * 8 + threadIdx.x, s = 0;\n"
        "    for (int r = threadIdx.y; r < h; r += 128) {\n"
        "        s += m[2 * i] + m[2 * i + 1];\n"
        "        i += w * 128;\n    }\n"
        "    o[threadIdx.y * 8 + threadIdx.x] = s;\n}\n"
        "void run(unsigned char *m, int *o, int w) { k<<<w / 8, dim3(8, 128)>>>(m, o, w, w); }\n",
    )
    assert "one request instead of 2 requests to the same sectors" in finding.help


def test_barriers_behind_one_return_are_one_finding() -> None:
    (finding,) = found(
        "KL402",
        "kernel void k(global float *a, local float *s, int n) {\n"
        "    int t = get_local_id(0);\n"
        "    if (t >= n) return;\n"
        "    s[t] = a[t];\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    a[t] = s[n - 1 - t];\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    s[t] = a[t] * 2;\n}\n",
        "k.cl",
    )
    assert [part.span.line for part in finding.parts] == [5, 7]


def test_a_break_of_an_inner_loop_leaves_no_iteration_of_the_outer_one() -> None:
    text = (
        "__device__ float both(float v) { return v + __shfl_xor_sync(0xffffffffu, v, 1); }\n"
        "__global__ void k(const float *x, const int *off, float *o, int n, int m) {\n"
        "    for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) {\n"
        "        int e = 0;\n"
        "        for (int j = 0; j < m; j++) {\n"
        "            if (i >= off[j] && i < off[j + 1]) { e = j; break; }\n"
        "        }\n"
        "        LEAVE\n"
        "        o[i] = both(x[i] * e);\n    }\n}\n"
        "void run(float *x, int *f, float *o, int n) { k<<<n, 128>>>(x, f, o, n, n); }\n"
    )
    (finding,) = found("KL403", text.replace("LEAVE", ""))
    assert "in a loop while `i < n`" in finding.message
    (finding,) = found("KL403", text.replace("LEAVE", "if (off[i] > 3) continue;"))
    assert "left early under `off[i] > 3`" in finding.message


@pytest.mark.parametrize(
    ("index", "is_diagonal"),
    [
        ("t * (n + 1) + u", False),
        ("t * n + t + u", False),
        ("(b * n + t) * n + t", True),
        ("t * (n + 1)", True),
    ],
)
def test_rows_of_one_more_element_are_no_diagonal(index: str, is_diagonal: bool) -> None:
    """warp-rnnt: rows of `yn[n] + 1` elements, along which `blockIdx.y` runs."""
    [finding] = found(
        "KL201",
        "__global__ void k(float *g, int n) {\n"
        "    int t = blockIdx.x * blockDim.x + threadIdx.x, u = blockIdx.y, b = blockIdx.z;\n"
        f"    g[{index}] = 1.0f;\n}}\n"
        "void f(float *g, int n) { k<<<dim3(4, 8, 2), 256>>>(g, n); }\n",
    )
    assert ("diagonal" in finding.help) is is_diagonal


# ------------------------------------------------------------ launches that are lost


PICKED = """\
struct Plan {{ int method, major; float *x; }};
__global__ void k(float *x, int n) {{ x[threadIdx.x] = n; }}
unsigned best(int major) {{
    if (major < 7) return 64;
    if (major < 8) return 128;
    return major * 32;
}}
int driven(const Plan &p, int n) {{
    k<<<n, best({major})>>>(p.x, n);
    return 0;
}}
int run(const Plan &p, int n, int major) {{
    switch (p.method) {{
    case 1: return driven(p, n);
    default: return 1;
    }}
}}
"""


def test_a_lost_launch_names_what_its_size_depends_on_and_not_what_leads_to_it() -> None:
    """cufinufft: the block was said to depend on the method, which decides whether it launches."""
    [lost] = found("KL003", PICKED.format(major="p.major"))
    assert lost.message.endswith("whose value is unknown: p.major")


def test_a_member_of_a_class_that_no_file_defines_is_no_argument() -> None:
    [lost] = found(
        "KL003",
        "__global__ void k(float *x) { x[threadIdx.x] = 1; }\n"
        "void f(float *x) {\n    cudaDeviceProp prop; cudaGetDeviceProperties(&prop, 0);\n"
        "    k<<<4, prop.major>>>(x);\n}\n",
    )
    assert lost.message.endswith("depends on a type that no analysed file defines: major")


# ------------------------------------------------------------ work-groups that share a column


COLUMNS = """\
__kernel void sort(__global float *g, __local float *l, int width)
{
    int row = get_global_id(0), column = get_global_id(1), t = get_local_id(0);
    l[SHARED] = g[row * width + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    g[row * width + column] = l[OTHER];
}
"""


def test_ids_are_not_swapped_where_a_work_group_works_on_one_column() -> None:
    """silx, `bsort_vertical`: one column is sorted in local memory by its work-group."""
    by_column = COLUMNS.replace("SHARED", "t").replace("OTHER", "t ^ 1")
    tile = "t + get_local_size(0) * get_local_id(1)"
    for source, swapped in (
        (by_column, False),
        (COLUMNS.replace("SHARED", tile).replace("OTHER", tile), True),
    ):
        helps = [finding.help for finding in found("KL201", source, "k.cl")]
        assert helps and all(("swap the ids" in help_) is swapped for help_ in helps), helps


# ------------------------------------------------------------ one value, whoever writes it


@pytest.mark.parametrize(
    ("value", "codes"),
    [
        ("float v = in[n * blockIdx.y]; g[blockIdx.y] = v + 1;", []),
        ("float v = in[threadIdx.x]; g[blockIdx.y] = v + 1;", ["KL812"]),
        ("float v = 1; if (threadIdx.x > 3) v = 2; g[blockIdx.y] = v;", ["KL812"]),
        ("float v = 1; if (n > 3) v = in[n]; g[blockIdx.y] = v;", []),
    ],
)
def test_threads_that_are_left_write_what_all_of_them_computed_alike(
    value: str, codes: list[str]
) -> None:
    """warp-rnnt: behind `if (t > length) return;` all lanes write one sum to the row's first element."""
    source = (
        "__device__ void rest(float *g, const float *in, const int *len, int n) {\n"
        f"    if (threadIdx.x >= len[blockIdx.y]) return;\n    {value}\n}}\n"
        "__global__ void k(float *g, const float *in, const int *len, int n) {\n"
        "    rest(g, in, len, n);\n}\n"
        "void f(float *g, float *in, int *len, int n) { k<<<dim3(1, 8), 32>>>(g, in, len, n); }\n"
    )
    assert [finding.code for finding in found("KL8", source)] == codes


# ------------------------------------------------------------ pointers that loops move on


def test_an_index_is_not_told_from_where_a_loop_has_moved_its_pointer() -> None:
    """warp-rnnt: `*g` of `for (…) for (v = 0; v < V; ++v, ++g)` was said to be element v of the
    array."""
    walk = "for (int j = 0; j < n; ++j) for (int v = 0; v < m; ++v, ++p) *p = 0;"
    [finding] = found(
        "KL201",
        "__global__ void k(float *g, int n, int m) {\n"
        f"    float *p = g + threadIdx.x * n * m;\n    {walk}\n}}\n"
        "void f(float *g, int n, int m) { k<<<4, 256>>>(g, n, m); }\n",
    )
    assert not any("index" in note for note in finding.notes)


# ------------------------------------------------------------ counters that a loop looks at


@pytest.mark.parametrize(("polled", "said"), [("(volatile unsigned *)", []), ("", ["KL812"])])
def test_a_volatile_load_of_what_others_update_atomically_is_no_race(
    polled: str, said: list[str]
) -> None:
    """vLLM: one thread waits until all blocks have added one."""
    kernel = (
        "__global__ void k(unsigned *count, float *y) {\n"
        "    y[blockIdx.x * blockDim.x + threadIdx.x] = 1;\n"
        "    if (threadIdx.x == 0) atomicAdd(count, 1);\n"
        "    if (blockIdx.x == 0 && threadIdx.x == 0)\n"
        f"        while (*{polled}count < gridDim.x);\n}}\n"
    )
    host = "void f(unsigned *c, float *y) { k<<<64, 128>>>(c, y); }\n"
    assert [finding.code for finding in found("KL8", kernel + host)] == said


LAST_BLOCK = """\
__device__ unsigned done;
__global__ void k(const float *in, float *part, float *total) {
    __shared__ float s[128];
    __shared__ bool last;
    s[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        part[blockIdx.x] = s[0] + s[1];
        __threadfence();
        last = atomicInc(&done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        s[threadIdx.x] = ((volatile float *)part)[threadIdx.x];
        __syncthreads();
        if (threadIdx.x == 0) *total = s[0] + s[1];
    }
}
void f(float *in, float *part, float *total) { k<<<128, 128>>>(in, part, total); }
"""


def test_one_block_writes_the_sum_of_all() -> None:
    """A measured program: "threads of several blocks may write different values"."""
    assert found("KL8", LAST_BLOCK) == []
    several = LAST_BLOCK.replace("if (last) {", "{")
    assert [finding.code for finding in found("KL812", several)] == ["KL812"]


def test_the_notes_of_contended_atomics_count_updates_not_sectors() -> None:
    """Said was "0 to 1 serial updates per request", which are the sectors, below "up to 32"."""
    [finding] = found(
        "KL208",
        "__global__ void add(float *total, const float *x, int n) {\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (x[i] > 0) atomicAdd(&total[n], x[i]);\n}\n"
        "void run(float *t, float *x) { add<<<64, 256>>>(t, x, 1); add<<<64, 16>>>(t, x, 2); }\n",
    )
    assert "up to 32 serial updates" in finding.message
    assert any("(0 to 32 serial updates per request)" in note for note in finding.notes)


def test_a_name_that_nobody_defines_may_be_a_double() -> None:
    source = """
__global__ void k(float *p, int n)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = {value};
}}
"""
    assert found("KL701", source.format(value="i * 0.7"))
    assert found("KL701", source.format(value="SCALE * 0.7")) == []
    assert found("KL701", source.format(value="0.7 - (SCALE + i)")) == []
