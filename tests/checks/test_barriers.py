"""KL401 to KL403 and KL602 on whole kernels: an error only where the launch is given, "may" where
an assumption or data decides, and every call that a whole block has to make."""

from __future__ import annotations

import pytest

from kernlint.model.finding import Finding
from tests.checks.test_messages import findings_of
from tests.places import DATA

CASES = DATA / "cases"
BARRIERS = ("KL401", "KL402", "KL403")


def case(name: str, *codes: str) -> list[Finding]:
    path = CASES / name
    return findings_of(path.read_text(encoding="utf-8"), *(codes or BARRIERS), path=path.name)


def brief(findings: list[Finding]) -> list[tuple[str, str, int]]:
    return [(f.code, f.severity, f.span.line) for f in findings]


# ------------------------------------------------------------------ assumed launches and types


DIVERGENT = """\
{launch}
__global__ void k(float *x)
{{
    __shared__ float s[512];
    s[threadIdx.x] = x[threadIdx.x];
    if (threadIdx.x < 60) __syncthreads();
    x[threadIdx.x] = s[511 - threadIdx.x];
}}
"""


@pytest.mark.parametrize(
    ("launch", "severity"),
    [
        ("", "warning"),
        ("// kernlint: launch(grid=4, block=64)", "error"),
        ("// kernlint: launch(block=64)", "error"),
        ("// kernlint: launch(grid=4)", "warning"),
    ],
)
def test_a_barrier_is_an_error_only_where_the_block_is_given(launch: str, severity: str) -> None:
    [finding] = findings_of(DIVERGENT.format(launch=launch), *BARRIERS)
    assert finding.severity == severity
    assert ("may not be reached" in finding.message) is (severity == "warning")
    assert any("(assumed" in note for note in finding.notes) is (severity == "warning")


def test_one_launch_that_is_given_is_enough() -> None:
    text = DIVERGENT.format(launch="") + "void go(float *x) { k<<<2, 64>>>(x); }\n"
    [finding] = findings_of(text, *BARRIERS)
    assert finding.severity == "error"
    assert " may " not in finding.message


def test_the_case_of_the_issue() -> None:
    found = case("launches/fp_error_under_assumed_launch.cu")
    assert brief(found) == [("KL403", "warning", 8), ("KL401", "warning", 15)]


def test_types_that_are_taken_make_no_error() -> None:
    [finding] = case("modern/m22_error_on_assumed_types.cu", "KL602")
    assert finding.severity == "info"
    assert finding.message.endswith("it may not compile")
    assert "assuming IType is int; OType is float" in finding.notes


LARGE = """\
template <int N> __global__ void k(float *o) {{ extern __shared__ float s[]; s[threadIdx.x] = 1; o[threadIdx.x] = s[0]; }}
void go(float *o, int n, cudaDeviceProp p)
{{
    const bool big = p.major >= 9 && n < 4;
    {host}
}}
"""
LAUNCH = "k<4><<<4, 64, 300 * 1024>>>(o);"
THREADS = "k<4><<<4, 2048, 1024>>>(o);"


@pytest.mark.parametrize(
    ("host", "severity"),
    [
        (LAUNCH, "error"),
        (f"const int mode = 1; if (mode == 1) {LAUNCH}", "error"),
        (f"if (cudaMalloc(&o, 4) != cudaSuccess) return; {LAUNCH}", "error"),
        (f"if (big) {LAUNCH}", "warning"),
        (f"if (big) return; const int s = big ? 4 : 1; if (s == 4) {{ {LAUNCH} }}", "warning"),
        (f"if (big) return; {LAUNCH}", "warning"),
        (f"int m = 8; if (m < 4) return; auto h = new float[n]; if (!h) return; {LAUNCH}", "error"),
        (f"{LAUNCH} if (big) return;", "error"),
        (f"if (n) {{ if (p.major < 9) return; o++; }} {LAUNCH}", "warning"),
        (f"for (int i = 0; i < 2; i++) {{ if (p.major < 9 + i) continue; {LAUNCH} }}", "warning"),
        (f"for (int i = 0; i < 2; i++) {{ {LAUNCH} }}", "error"),
        (f"do {{ if (big) break; return; }} while (0); {LAUNCH}", "warning"),
        (f"switch (p.major) {{ case 10: {LAUNCH} break; default: break; }}", "warning"),
        (f"try {{ o = nullptr; }} catch (...) {{ {LAUNCH} }}", "warning"),
        (f"if (big) {LAUNCH} {LAUNCH}", "error"),
        (f"{LAUNCH} if (big) {LAUNCH}", "error"),
    ],
)
@pytest.mark.parametrize("launch", [LAUNCH, THREADS])
def test_a_launch_that_host_code_may_not_reach_is_no_error(
    host: str, severity: str, launch: str
) -> None:
    text = LARGE.format(host=host.replace(LAUNCH, launch))
    finding = min(findings_of(text, "KL602"), key=lambda one: one.severity)
    assert finding.severity == severity
    assert ("may fail" in finding.message) == (severity == "warning")
    assert ("assuming host code reaches the launch" in finding.notes) == (severity == "warning")


@pytest.mark.parametrize(
    ("check", "severity"),
    [
        ("if (argc < 2) return 1;", "error"),
        ('if (most < 2048) { printf("waived"); return 0; }', "warning"),
        ("bool small = most < 2048; if (small) return 0;", "warning"),
    ],
)
def test_a_program_that_ends_before_a_launch_on_small_devices(check: str, severity: str) -> None:
    asked = "cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerBlock, 0);"
    host = f"int main(int argc, char **argv) {{ int most = 0; {asked} {check} k<<<1, 2048>>>(); }}"
    [finding] = findings_of(f"__global__ void k() {{}}\n{host}", "KL602")
    assert finding.severity == severity


# ------------------------------------------------------------------ groups


def test_a_tile_that_is_handed_to_a_function_is_no_block() -> None:
    assert case("advice/fp_kl401_tile_parameter.cu") == []


GROUPS = """\
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ void all(float *s, cg::thread_group g) {{ s[g.thread_rank()] += 1; {sync} }}
// kernlint: launch(grid=4, block=64)
__global__ void k(float *x) {{
    cg::thread_block b = cg::this_thread_block();
    cg::thread_group t = cg::tiled_partition(b, 8);
    if (threadIdx.x < 16) all(x, {group});
}}
"""


@pytest.mark.parametrize("sync", ["g.sync();", "cg::sync(g);"])
@pytest.mark.parametrize(
    ("group", "codes"),
    [
        ("b", ["KL401"]),
        ("cg::this_thread_block()", ["KL401"]),
        ("t", []),
        ("cg::tiled_partition(t, 4)", []),
        ("cg::coalesced_threads()", []),
    ],
)
def test_a_group_of_any_kind_is_the_one_given(sync: str, group: str, codes: list[str]) -> None:
    found = findings_of(GROUPS.format(sync=sync, group=group), *BARRIERS)
    assert [f.code for f in found] == codes


# ------------------------------------------------------------------ what decides who arrives


def test_data_decides_who_comes_to_a_call_of_the_warp() -> None:
    [finding] = case("questions/27-ballot-by-data.cu")
    assert brief([finding]) == [("KL403", "warning", 6)]
    assert "under `i < n && v[i] > lim`" in finding.message
    assert "may not execute it" in finding.message
    assert finding.notes[0] == "the values that each thread loads decide which threads arrive"


def test_data_decides_who_leaves_a_loop_before_a_barrier() -> None:
    [finding] = case("questions/76-break-before-barrier.cl")
    assert brief([finding]) == [("KL401", "warning", 13)]
    assert "p.x < 0 || p.y < 0" in finding.message
    assert "may not be reached by all running work-items of the work-group" in finding.message


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("advice/unknown_barrier_uniform_bound.cu", []),
        ("questions/22-even-lanes-barrier.cu", [("KL401", "error", 10)]),
        ("questions/24-tail-barrier.cl", [("KL401", "error", 16)]),
        ("questions/47-exact-mask.cu", []),
    ],
)
def test_cases(name: str, expected: list[tuple[str, str, int]]) -> None:
    assert brief(case(name)) == expected


OPEN = """\
__device__ bool all(float v) {{ return __syncthreads_and(v > 0); }}
// kernlint: launch(grid=4, block=64)
__global__ void k(float *x, const int *p, int n, int m)
{{
    __shared__ float s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t] = x[i];
    {body}
    x[i] = s[63 - t];
}}
"""


@pytest.mark.parametrize(
    "body",
    [
        "for (int d = 1; d < n; d *= 2) __syncthreads();",
        "for (int d = p[blockIdx.x]; d > 0; d >>= 1) { if (t < d) s[t] += 1; __syncthreads(); }",
        "if (p[n] > m && n % 3 == 1) { __syncthreads(); }",
        "for (int j = 0; j < p[blockIdx.x + 1]; ++j) { if (j == m) break; __syncthreads(); }",
        "while (!all(s[t])) s[t] += 1;",
        "int c[2]; c[0] = n; c[1] = m; for (int j = 0; j < c[p[0] & 1]; ++j) __syncthreads();",
        "if (i >= n) return; for (int j = 0; j < m; ++j) __syncthreads();",
        "do { __syncthreads(); } while (--n > m);",
        "for (int j = 0; j < m; ++j) { if (p[flat(blockIdx.x, j, n)] == 1) break; __syncthreads(); }",
        "int c = p[i]; s[t] = c; __syncthreads(); c = s[0]; if (c > m) __syncthreads();",
        "int c = 0; while (true) { if (t == 0) { c = p[n]; s[0] = c; } __syncthreads(); c = s[0];"
        " if (c > m) return; __syncthreads(); }",
        "int c; if (n) c = p[m]; else c = m; do { if (c) __syncthreads(); c = p[--n]; } while (c);",
    ],
)
def test_what_a_whole_block_reads_is_uniform(body: str) -> None:
    found = findings_of(OPEN.format(body=body), *BARRIERS)
    assert [f for f in found if f.code == "KL401"] == []


@pytest.mark.parametrize(
    ("body", "decides"),
    [
        ("if (p[i] > m) __syncthreads();", "loads"),
        ("if (i < n) __syncthreads();", "index"),
        ("for (int j = 0; j < p[i]; ++j) __syncthreads();", "loads"),
        ("for (int j = t; j < n; j += 64) __syncthreads();", "index"),
        ("for (int j = 0; j < n; ++j) { if (p[j * 64 + t] < 0) break; __syncthreads(); }", "loads"),
        ("for (int j = 0; j < n; ++j) { __syncthreads(); if (p[j * 64 + t]) break; }", "loads"),
        ("int c = n; if (p[i]) c = m; while (c-- > 0) __syncthreads();", "loads"),
        ("int c[2]; c[0] = n; c[1] = p[i]; for (; c[m & 1] > 0; --c[m & 1]) __syncthreads();", "loads"),
        ("int c = atomicAdd((int *)p, 1); if (c == 3) __syncthreads();", "loads"),
        ("int c = m; if (n) c = p[i]; else c = p[n]; if (c) __syncthreads();", "loads"),
        ("int c = m; for (int j = 0; j < n; ++j) { if (c) __syncthreads(); c = p[i]; }", "loads"),
        ("int c = p[i]; do { if (p[n] > m) break; c = m; } while (--n); if (c) __syncthreads();", "loads"),
    ],
)  # fmt: skip
def test_what_threads_have_of_their_own_decides(body: str, decides: str) -> None:
    [finding] = findings_of(OPEN.format(body=body), "KL401")
    assert finding.severity == "warning"
    assert "may not be reached" in finding.message
    assert decides in " ".join(finding.notes)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("if (p[i] > m) s[t] += __shfl_down_sync(~0u, s[t], 1);", True),
        ("if (p[i] > m) __syncwarp();", True),
        ("if (i < n) s[t] += __shfl_down_sync(~0u, s[t], 1);", True),
        ("for (int j = t; j < n; j += 64) s[t] += __shfl_xor_sync(~0u, s[t], 1);", True),
        ("if (p[i] > m) s[t] += __shfl_down_sync(__activemask(), s[t], 1);", False),
        ("if (p[i / 32] > m) s[t] += __shfl_down_sync(~0u, s[t], 1);", False),
        ("if (i / 32 < n) s[t] += __shfl_down_sync(~0u, s[t], 1);", False),
        ("for (int j = t / 32; j < n; j += 2) s[t] += __shfl_xor_sync(~0u, s[t], 1);", False),
        ("unsigned b = __ballot_sync(~0u, p[i] > m); if (p[i] > m) __syncwarp(b);", False),
        ("if (p[i] > m) s[t] += __shfl_sync(~0u, s[t], 1); else s[t] -= __shfl_sync(~0u, s[t], 2);", False),
    ],
)  # fmt: skip
def test_calls_of_a_warp_under_data(body: str, told: bool) -> None:
    found = findings_of(OPEN.format(body=body), "KL403")
    assert [f.severity for f in found] == ["warning"] * told


# ------------------------------------------------------------------ what is a barrier


def test_groups_of_every_size_have_barriers() -> None:
    found = case("advice/fn_kl401_grid_and_tile.cu")
    tile = ("KL403", "error", 15)
    lines = (5, 7, 9, 11, 13, 17, 19, 21, 25, 27)  # that of bar.sync 1, 32 names whole warps
    assert brief(found) == sorted(
        [*(("KL401", "error", line) for line in lines), tile], key=lambda x: x[2]
    )


TILES = """\
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
// kernlint: launch(grid=4, block=64)
__global__ void k(float *x, const int *p) {{
    auto t = cg::tiled_partition<{size}>(cg::this_thread_block());
    int i = threadIdx.x;
    {body}
    x[i] = 1;
}}
"""


@pytest.mark.parametrize(
    ("size", "body", "severity"),
    [
        (32, "if (i < 32) t.sync();", ""),
        (32, "if (i < 16) t.sync();", "error"),
        (16, "if (i < 16) t.sync();", ""),
        (8, "if (i % 16 < 8) cg::sync(t);", ""),
        (8, "if (i % 16 < 9) cg::sync(t);", "error"),
        (16, "if (t.thread_rank() == 0) t.sync();", "error"),
        (16, "if (t.meta_group_rank() == 0) t.sync();", ""),
        (1, "if (i == 3) t.sync();", ""),
        (32, "if (p[i] > 3) t.sync();", "warning"),
        (8, "if (p[i] > 3) t.sync();", "warning"),
        (8, "if (p[i] > 3) x[0] = t.shfl(x[i], 0);", "warning"),
        (8, "if (p[i / 4] > 3) t.sync();", "warning"),
        (8, "if (p[i / 8] > 3) t.sync();", ""),
        (8, "for (int n = p[i / 16]; n > 0; n--) t.sync();", ""),
    ],
)
def test_tiles(size: int, body: str, severity: str) -> None:
    found = findings_of(TILES.format(size=size, body=body), *BARRIERS)
    assert [(f.code, f.severity) for f in found] == [("KL403", severity)] * bool(severity)


GRID = """\
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
// kernlint: launch(grid=4, block=64)
__global__ void k(float *x, const int *p, int n) {{
    auto g = cg::this_grid();
    {body}
    x[threadIdx.x] = 1;
}}
"""


@pytest.mark.parametrize(
    ("body", "severity"),
    [
        ("g.sync();", ""),
        ("if (blockIdx.x == 0) g.sync();", "error"),
        ("if (blockIdx.x < gridDim.x) g.sync();", ""),
        ("if (blockIdx.x >= gridDim.x) g.sync();", ""),
        ("if (p[blockIdx.x]) g.sync();", "warning"),
        ("if (p[0] > n) g.sync();", ""),
        ("for (int i = blockIdx.x; i < n; i += 4) g.sync();", "warning"),
        ("if (blockIdx.x == 3) return; g.sync();", ""),
    ],
)
def test_a_barrier_of_the_grid_is_for_all_blocks(body: str, severity: str) -> None:
    found = findings_of(GRID.format(body=body), "KL401")
    assert [f.severity for f in found] == [severity] * bool(severity)


def test_what_a_work_group_does_together() -> None:
    found = case("advice/fn_kl401_async_copy.cl")
    assert brief(found) == [
        ("KL401", "error", 6),
        ("KL401", "error", 11),
        ("KL401", "error", 16),
        ("KL403", "error", 16),
    ]
    assert "`async_work_group_copy(my, p, 64, 0)`" in found[0].message


OPENCL = """\
// kernlint: launch(grid=4, block=64{more})
kernel void k(global float *x, global const int *p, int n)
{{
    local float s[64];
    int t = get_local_id(0), i = get_global_id(0);
    event_t e;
    {body}
    x[i] = s[63 - t];
}}
"""


def opencl(body: str, more: str = "") -> list[tuple[str, str]]:
    text = OPENCL.format(body=body, more=more)
    return [(f.code, f.severity) for f in findings_of(text, *BARRIERS, path="k.cl")]


@pytest.mark.parametrize(
    ("body", "severity"),
    [
        ("e = async_work_group_copy(s, x, 64, 0);", ""),
        ("e = async_work_group_copy(s, x + 64 * get_group_id(0), n, 0);", ""),
        ("e = async_work_group_copy(s + t, x, 64, 0);", "warning"),
        ("e = async_work_group_copy(s, x, p[i], 0);", "warning"),
        ("if (p[i]) e = async_work_group_copy(s, x, 64, 0);", "warning"),
        ("if (p[0]) e = async_work_group_copy(s, x, 64, 0);", ""),
        ("if (work_group_any(p[i])) barrier(CLK_LOCAL_MEM_FENCE);", ""),
        ("if (p[i]) n = work_group_any(t > 3); s[t] = n;", "warning"),
    ],
)
def test_collective_calls_of_opencl(body: str, severity: str) -> None:
    assert opencl(body) == [("KL401", severity)] * bool(severity)


@pytest.mark.parametrize(
    ("body", "more", "told"),
    [
        ("if (i >= n) return; barrier(CLK_LOCAL_MEM_FENCE);", "", True),
        ("if (i >= n) return; barrier(CLK_LOCAL_MEM_FENCE);", ", n=200", True),
        ("if (i >= n) return; barrier(CLK_LOCAL_MEM_FENCE);", ", n=256", False),
        ("if (p[i] < 0) return; barrier(CLK_LOCAL_MEM_FENCE);", "", True),
        ("if (n < 0) return; barrier(CLK_LOCAL_MEM_FENCE);", "", False),
        ("barrier(CLK_LOCAL_MEM_FENCE); if (i >= n) return;", "", False),
    ],
)
def test_a_return_before_a_barrier_of_opencl_is_a_warning(body: str, more: str, told: bool) -> None:
    assert opencl(body, more) == [("KL402", "warning")] * told


def test_an_axis_that_the_assumed_work_group_lacks_parts_no_work_items() -> None:
    text = """kernel void k(global const int *total, global float *o)
{{
    local float s[64];
    const uint t = get_local_id(0);
    if (get_global_id({axis}) >= total[0]) return;
    s[t] = o[t];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[t] = s[63 - t];
}}
"""
    told = [bool(findings_of(text.format(axis=axis), "KL402", path="k.cl")) for axis in (0, 2)]
    assert told == [True, False]
