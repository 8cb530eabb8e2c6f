"""The words of messages: widths, bounds, launches, instances, and the words of each language."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from kernlint.checks import words
from kernlint.checks.run import check
from kernlint.model import facts
from kernlint.model.facts import Counts
from kernlint.model.settings import LaunchOverrides, Selection, Settings
from kernlint.pipeline import engine
from kernlint.render import concise, derivation, report_text
from kernlint.render.style import Style
from kernlint.source import files
from tests.checks.test_messages import findings_of


def test_a_merged_access_is_told_by_the_width_that_the_machine_moves() -> None:
    """16 bytes of each lane, served eight lanes at a time: two words of one bank, not the eight of
    4-byte accesses."""
    loads = " + ".join(f"tile[t * 8 + {k}]" for k in range(4))
    text = (
        "__global__ void k(float *out, const float *in) {\n    __shared__ __align__(16) float tile[2048];\n    int t = threadIdx.x;\n"
        "    for (int k = 0; k < 8; ++k) tile[k * 256 + t] = in[k * 256 + t];\n    __syncthreads();\n"
        f"    out[t] = {loads};\n}}\nvoid go(float *o, float *i) {{ k<<<64, 256>>>(o, i); }}\n"
    )
    (finding,) = findings_of(text, "KL101")
    assert "2-way bank conflict: 8 wavefronts per request instead of 4" in finding.message
    assert finding.notes[1:3] == (
        "as written: 8-way (4 bytes per lane, 8 wavefronts instead of 1); as compiled: merged into 16-byte accesses, 2-way (8 "
        "instead of 4), as a profiler counts it",
        "as compiled, block (0, 0, 0), warp 0: lanes 0, 4 need 2 different words of one bank",
    )


def test_bounds_that_are_shown_alike_are_told_once() -> None:
    assert words.spread(Counts(4, 4.001, 4, 4.0, 3.999, 4.002), written=True) == "4"
    assert words.spread(Counts(4, 4.5, 8, 4.0, 4.0, 8.0), written=True) == "4.5 (between 4 and 8)"


def test_where_only_the_number_of_blocks_is_open_it_is_said() -> None:
    text = "__global__ void k(float *a) {\n    a[threadIdx.x * 32] = 1;\n}\nvoid go(float *a, int n) { k<<<n, 256>>>(a); }\n"
    (finding,) = findings_of(text, "KL201")
    assert finding.message.endswith("(range: grid unknown)")
    assert any(note.endswith("; 8 requests per block") for note in finding.notes)


def test_a_launch_in_a_header_names_the_header(tmp_path: Path) -> None:
    header = "__global__ void k(float *a) { a[threadIdx.x * 32] = 1; }\n\ninline void go(float *a) { k<<<64, 256>>>(a); }\n"
    (tmp_path / "scale.cuh").write_text(header)
    (tmp_path / "use.cu").write_text(
        '#include "scale.cuh"\nint main() { float *a; cudaMalloc(&a, 1 << 20); go(a); }\n'
    )
    report = engine.analyse([str(tmp_path / "use.cu")], Settings())
    (finding,) = [f for f in check(report, Selection(severity="info")) if f.code == "KL201"]
    assert any(
        note.endswith("grid 64, block 256 (launch at line 3 of scale.cuh); 512 requests")
        for note in finding.notes
    )


def test_findings_of_opencl_speak_of_work_items() -> None:
    text = (
        "// kernlint: launch(grid=64, block=256)\n__kernel void k(__global float *o, __global const float *in, __constant float *c) {\n"
        "    __local float s[32][32];\n    int l = get_local_id(0);\n    s[l % 32][l / 32] = in[l];\n"
        "    if (l % 2 == 0) barrier(CLK_LOCAL_MEM_FENCE);\n    o[l] = s[l / 32][l % 32] + c[3 * l];\n}\n"
    )
    source = files.Source("k.cl", "opencl", text)
    report = facts.Report("h100", (engine.analyse_source(source, Settings()),))
    told = check(report, Selection(severity="info"))
    assert {"KL101", "KL401", "KL501"} <= {f.code for f in told}
    for finding in told:
        plain = " ".join(
            re.sub(r"`[^`]*`", "", text)
            for text in (finding.message, finding.help, *finding.notes)
            if not text.startswith("launch: ")
        )
        assert not re.search(r"\b(warps?|threads?|blocks?|shared|threadIdx)\b", plain), plain
    assert any(
        "work-group (0, 0, 0), sub-group 0: lanes 0-31" in note for f in told for note in f.notes
    )


def test_ptx_with_contended_atomics_is_linted() -> None:
    text = (
        "__global__ void k(int *o, const int *in) {\n    __shared__ int s[8];\n    s[threadIdx.x % 8] = 0;\n    __syncthreads();\n"
        "    atomicMax(&s[threadIdx.x / 32], in[threadIdx.x]);\n    __syncthreads();\n    o[threadIdx.x] = s[threadIdx.x % 8];\n}\n"
    )
    report = engine.analyse_source(
        files.Source("k.cu", "cuda", text),
        Settings(launch=LaunchOverrides((64, 1, 1), (256, 1, 1))),
    )
    told = check(
        facts.Report("h100", (replace(report, language="ptx"),)), Selection(severity="info")
    )
    assert "KL102" in {f.code for f in told} and not any(
        "internal error" in f.message for f in told
    )


def test_a_kernel_without_a_name_is_not_quoted() -> None:
    text = (
        "import pyopencl\nfrom pyopencl.reduction import ReductionKernel\nsource = open(path).read()\n"
        'kernel = ReductionKernel(c, float, neutral="0", reduce_expr="a+b", map_expr="x[i]", arguments="int *x", preamble=source)\n'
    )
    problems = engine.analyse_source(files.from_bytes("k.py", text.encode()), Settings()).problems
    assert [problem.message.partition(" is not analysed")[0] for problem in problems] == [
        "this kernel"
    ]


def test_concise_names_the_instance_where_several_say_the_same() -> None:
    (finding,) = findings_of(
        "__global__ void k(float *a) {\n    a[threadIdx.x * 32] = 1;\n}\n", "KL201"
    )
    alike = [replace(finding, kernel="k<float>"), replace(finding, kernel="k<int>")]
    lines = concise.render(alike, Style(False)).splitlines()
    assert lines[0].endswith("in `k<float>` [KL201]") and lines[1].endswith("in `k<int>` [KL201]")
    assert "in `k" not in concise.render([finding], Style(False))


def test_one_lane_that_writes_what_its_row_found_is_no_finding() -> None:
    """16 lanes a row add up with shuffles; two lanes of a warp then store two sums each, which no
    renumbering could share out."""
    text = """\
__global__ void rows(float *g, float *b, const float *in, int n)
{
    float s = in[(blockIdx.x * 16 + threadIdx.y) * n + threadIdx.x], r = s * s;
    for (int i = 1; i < 16; i <<= 1) { s += __shfl_down_sync(0xffffffff, s, i, 16); r += __shfl_down_sync(0xffffffff, r, i, 16); }
    if (threadIdx.x == 0) {
        g[blockIdx.x * 16 + threadIdx.y] = s;
        b[blockIdx.x * 16 + threadIdx.y] = r;
    }
}
void go(float *g, float *b, const float *in) { rows<<<64, dim3(16, 16)>>>(g, b, in, 16); }
"""
    assert findings_of(text, "KL301") == []
    loads = text.replace("= s;", "= s + in[threadIdx.y];").replace(
        "= r;", "= r + in[threadIdx.y + 16];"
    )
    assert [f.code for f in findings_of(loads, "KL301")] == ["KL301"]


def test_a_constant_that_lanes_index_differently_is_told_where_the_compiler_may_take_it_out_of_the_loop() -> (
    None
):
    text = """\
__constant__ float c_coef[64];
// kernlint: launch(grid=64, block=256)
__global__ void k(float *o, const float *in) {
    int t = blockIdx.x * 256 + threadIdx.x;
    float s = 0;
    for (int j = 0; j < 32; ++j)
        s += in[j * 16384 + t] * c_coef[threadIdx.x % 5];
    o[t] = s;
}
"""
    (finding,) = findings_of(text, "KL501")
    assert (
        "read 5 different words of constant memory per request" in finding.message
        and finding.message.endswith("(as written)")
    )
    assert any(note.endswith("; up to 16,384 requests") for note in finding.notes)
    assert (
        "cost: at most 81,920 passes of the constant cache over the launch instead of 16,384"
        in finding.notes
    )
    assert findings_of(text.replace("threadIdx.x % 5", "j % 5"), "KL501") == []


@pytest.mark.slow
def test_reports_of_opencl_speak_of_work_items() -> None:
    text = (
        "__kernel void k(__global float *o, __global const float *in, __constant float *c, int n) {\n"
        "    __local float s[32][32];\n    float mine[64];\n    int l = get_local_id(0), block = get_group_id(0);\n"
        "    for (int i = 0; i < 64; ++i) mine[i] = in[i * n + l];\n    s[l % 32][l / 32] = in[block * n + l] + mine[n & 63];\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n    if (l < n) o[get_group_id(0) * 64 + l] = s[l / 32][l % 32] + c[3 * l];\n}\n"
    )
    for head in ("", "// kernlint: launch(grid=64, block=256)\n"):
        source = files.Source("k.cl", "opencl", head + text)
        report = facts.Report("h100", (engine.analyse_source(source, Settings(estimate=True)),))
        told = report_text.render(report, Style())
        lines = [line for line in told.splitlines() if "launch: " not in line]
        derived = [
            line
            for n in range(1, 11)
            for line in derivation.render(report, n, Style()).splitlines()
        ]
        lines += [line for line in derived if not line.startswith(("  launch ", "  in k, "))]
        for line in lines:
            plain = re.sub(
                r"`[^`]*`|in\[block \* n \+ l\]|estimated time.*|  cycles, overlapping.*|k.cl:.*",
                "",
                line,
            )
            assert not re.search(
                r"\b(warps?|threads?|blocks?|shared|threadIdx|blockIdx|blockDim|nvcc)\b", plain
            ), line
        assert "work-items arrive" in told and re.search(
            r" s\[l % 32\]\[l / 32\] +local +store", told
        )
        assert (
            re.search(r" mine\[\w+( & 63)?\] +private ", told)
            and "local memory: 4,096 bytes static" in told
        )


BARRIERS = """\
// kernlint: launch(grid=64, block=256)
__global__ void k(float *o) {
    int t = threadIdx.x;
    for (int i = START; i < 1000; i += 256) {
        SKIP
        __syncthreads();
        o[t] += i;
        __syncthreads();
    }
    if (t < 100) {
        __syncthreads();
    }
}
"""


def test_a_barrier_that_part_of_a_block_reaches_names_the_condition_and_the_way_out() -> None:
    loop, branch = findings_of(BARRIERS.replace("START", "t").replace("SKIP", ""), "KL401")
    assert loop.message.startswith(
        "`__syncthreads()` in a loop while `i < 1000` (line 4): not reached by all running threads of the block"
    )
    assert [part.span.line for part in loop.parts] == [
        6,
        8,
    ] and "the same number of iterations" in loop.help
    assert branch.message.startswith(
        "`__syncthreads()` under `t < 100` (line 10): not reached by all running threads"
    )
    assert branch.help.startswith("end the conditional code before the barrier")
    left, _ = findings_of(
        BARRIERS.replace("START", "0").replace("SKIP", "if (t < 64) continue;"), "KL401"
    )
    assert left.message.startswith(
        "`__syncthreads()` in a loop iteration left early under `t < 64` (line 5): not"
    )
    assert [label.text for label in left.labels] == [
        "threads disagree here",
        "and here",
    ] and left.labels[0].span.line == 5


def test_an_operation_rests_on_types_alone() -> None:
    text = """\
template <typename T> __global__ void k(T *o, const T *in, int n, const int *flag) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    T v = in[i] * 0.99;
    if (i < n && flag != nullptr) o[i] = __shfl_xor(v, 1);
}
"""
    literal, shuffle = findings_of(text, "KL701", "KL703")
    assert set(shuffle.assumptions) == set(literal.assumptions) == {"T is float"}
    (store,) = [
        a
        for k in engine.analyse_source(files.from_bytes("k.cu", text.encode()), Settings()).kernels
        for a in k.accesses
        if a.op == "store"
    ]
    assert len(store.assumptions) > 1


def test_elements_that_are_moved_by_the_widest_accesses_are_not_told_to_be() -> None:
    text = """\
// kernlint: launch(grid=64, block=256)
__global__ void k(float4 *o, const float4 *in) {
    int t = blockIdx.x * 256 + threadIdx.x;
    float4 a = in[2 * t], b = in[2 * t + 1];
    a.x += b.x;
    o[t] = a;
}
"""
    (finding,) = findings_of(text, "KL201", "KL206")
    assert "by 16-byte vectors" not in finding.help and "neighbouring 16-byte parts" in finding.help


def test_lanes_that_update_one_word_are_told_so() -> None:
    text = """\
// kernlint: launch(grid=64, block=256)
__global__ void k(float *o, const float *in) {
    __shared__ float most;
    if (threadIdx.x == 0) most = 0;
    __syncthreads();
    atomicAdd(&most, in[blockIdx.x * 256 + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) o[blockIdx.x] = most;
}
"""
    (finding,) = findings_of(text, "KL102")
    assert any(
        note.endswith("lanes 0-31 update one word, one after the other") for note in finding.notes
    )


def test_a_constant_whose_index_is_chosen_by_an_assumed_condition_is_a_note() -> None:
    """Beyond the size, all lanes may read one word."""
    text = """\
__kernel void k(__constant float *h, __global float *o, const int m, const int n) {
    int i = get_global_id(0);
    const int at = i < m ? i : n;
    o[i] = h[at];
}
"""
    (told,) = findings_of(text, "KL501", path="k.cl")
    assert told.severity == "info" and " ? " in told.notes[0]
    by_lane = text.replace("h[at]", "h[i % 5]")
    assert [finding.severity for finding in findings_of(by_lane, "KL501", path="k.cl")] == [
        "warning"
    ]
