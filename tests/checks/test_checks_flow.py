"""Checks on facts made by hand, families 3 to 9: what is reported, what is not, and what the
message says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from kernlint.base.span import Span
from kernlint.checks.run import check
from kernlint.model import facts
from kernlint.model.settings import Selection, Settings
from kernlint.pipeline import engine
from kernlint.source import files
from tests.checks.test_checks import EVERYTHING, found, kernel
from tests.support import handmade as made

# ------------------------------------------------------------------ KL301


def divergent(kind: str = "if", share: float = 1.0, **more: Any) -> facts.Branch:
    return replace(made.BRANCH, kind=kind, evaluations=100_000, divergent=100_000 * share, **more)


def test_a_branch_that_splits_every_warp() -> None:
    [finding] = found("KL301", made.KERNEL)
    assert (
        finding.message
        == "condition `threadIdx.x % 2 == 0` splits the warp in 262,144 of 262,144 evaluations (100 %, exact)"
    )
    assert finding.metrics.active_lanes == 16
    assert "the memory accesses inside run with 16 of 32 lanes on average" in finding.notes


@pytest.mark.parametrize(
    ("branch", "reported"),
    [
        (divergent(), True),
        (divergent(share=0.25), True),
        (divergent(share=0.1), False),  # a bounds check that splits few warps
        (divergent(kind="&&"), False),
        (divergent(kind="?:"), False),
        (divergent(kind="while"), False),  # a loop is KL302's
        (divergent(status="unknown"), False),
        (replace(made.BRANCH, divergent=None), False),
        (replace(made.BRANCH, evaluations=0, divergent=0), False),
    ],
)
def test_which_branches_are_reported(branch: facts.Branch, reported: bool) -> None:
    assert bool(found("KL301", kernel(made.ODD_STORE, branches=(branch,)))) is reported


def test_one_split_warp_of_a_block_is_an_edge() -> None:
    blocks = 64 * 64
    edge = replace(made.BRANCH, evaluations=2 * blocks, divergent=blocks)
    assert found("KL301", kernel(made.ODD_STORE, branches=(edge,))) == []
    assert found("KL301", kernel(made.ODD_STORE, branches=(replace(edge, divergent=2 * blocks),)))
    one_warp = replace(made.LAUNCH, block=(32, 1, 1))
    assert found("KL301", kernel(made.ODD_STORE, branches=(edge,), launch=one_warp))


TREE = """\
// kernlint: launch(grid=64, block=256)
__global__ void sum(const float *in, float *out)
{
    __shared__ float s[512];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int stride = 1; stride < 256; stride *= 2) {
        if (CONDITION) {
            WORK
        }
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
"""
HALVED = "halve the stride instead of doubling it, `for (stride = blockDim.x / 2; stride > 0; stride /= 2)` if blockDim.x is a power of"


def help_of(text: str) -> str:
    report = facts.Report(
        "h100", (engine.analyse_source(files.Source("k.cu", "cuda", text), Settings()),)
    )
    [finding] = [finding for finding in check(report, Selection()) if finding.code == "KL301"]
    return finding.help


@pytest.mark.slow
@pytest.mark.parametrize(
    ("condition", "work", "told"),
    [
        (
            "t % (2 * stride) == 0",
            "s[t] += s[t + stride];",
            "`if (t < stride) s[t] += s[t + stride];`",
        ),
        (
            "(t % (stride * 2)) == 0 && t < 256",
            "s[t] = max(s[t], s[t+stride]);",
            "`if (t < stride) s[t] = max(s[t], s[t+stride]);`",
        ),
        (
            "(t & (2 * stride - 1)) == 0",
            "s[t] += s[stride + t];",
            "`if (t < stride) s[t] += s[stride + t];`",
        ),
        (
            "!(t % (stride << 1))",
            "s[t] += s[t + stride];",
            "`if (t < stride) s[t] += s[t + stride];`",
        ),
        (
            "threadIdx.x % (2 * stride) == 0",
            "s[threadIdx.x] += s[threadIdx.x + stride];",
            "`if (threadIdx.x < stride) s[threadIdx.x] += ",
        ),
    ],
)
def test_a_tree_sum_is_told_the_form_without_conflicts(
    condition: str, work: str, told: str
) -> None:
    text = TREE.replace("CONDITION", condition).replace("WORK", work)
    said = help_of(text)
    assert said.startswith(HALVED) and told in said
    mended = text.replace(
        "int stride = 1; stride < 256; stride *= 2",
        "int stride = blockDim.x / 2; stride > 0; stride /= 2",
    )
    mended = mended.replace(condition, "t < stride")
    report = facts.Report(
        "h100", (engine.analyse_source(files.Source("k.cu", "cuda", mended), Settings()),)
    )
    assert not [
        finding for finding in check(report, Selection()) if finding.code in ("KL301", "KL101")
    ]


@pytest.mark.parametrize(
    ("condition", "work"),
    [
        ("t % (2 * stride) == 0", "s[t] += s[t + 2];"),
        ("t % 2 * stride == 0", "s[t] += s[t + stride];"),
    ],
)
def test_other_choices_by_remainder_are_warned_of_strides_in_shared_memory(
    condition: str, work: str
) -> None:
    said = help_of(TREE.replace("CONDITION", condition).replace("WORK", work))
    assert "renumber the threads" in said and said.endswith("since a stride causes bank conflicts")


def test_work_of_one_elected_lane_is_not_divergence() -> None:
    single = replace(made.ODD_STORE, active_lanes=1.0)
    assert found("KL301", kernel(single, branches=(divergent(),))) == []


def test_plain_arithmetic_is_predicated_but_calls_count() -> None:
    text = "if (threadIdx.x % 2) {\n    v = -v;\n}\n"
    branch = divergent(span=Span(made.PATH, 1, 1, 3, 2), condition="threadIdx.x % 2")
    assert found("KL301", kernel(branches=(branch,)), text=text) == []
    assert (
        found("KL301", kernel(branches=(branch,)), text=text.replace("-v", "fminf(v, (float)(n))"))
        == []
    )
    assert len(found("KL301", kernel(branches=(branch,)), text=text.replace("-v", "sinf(v)"))) == 1


def test_a_side_without_work_of_its_own_needs_no_branch() -> None:
    text = "if (t % 2) {\n    x[i] *= 0.5f;\n} else {\n    x[i] *= 0.25f;\n}\n"
    span = Span(made.PATH, 1, 1, 5, 2)
    places = [Span(made.PATH, line, 5, line, 9) for line in (2, 4)]
    sides = [
        replace(made.ODD_STORE, text="x[i]", op=op, span=place)
        for place in places
        for op in ("load", "store")
    ]
    branch = divergent(span=span, condition="t % 2")
    assert found("KL301", kernel(*sides, branches=(branch,)), text=text) == []
    other = [replace(side, text="y[i]") if side.span.line == 4 else side for side in sides]
    [finding] = found("KL301", kernel(*other, branches=(branch,)), text=text)
    assert any("the warp runs both paths one after the other" in note for note in finding.notes)


def test_a_halo_of_a_few_lanes_side_by_side_costs_little() -> None:
    halo = replace(made.ODD_STORE, active_lanes=3.0, example=made.lanes(0, 4, 8), requests=60_000)
    assert found("KL301", kernel(halo, made.ROW_STORE, branches=(divergent(),))) == []
    apart = replace(halo, example=made.lanes(0, None, None, 4, None, None, 8))
    assert len(found("KL301", kernel(apart, made.ROW_STORE, branches=(divergent(),)))) == 1
    assert len(found("KL301", kernel(halo, branches=(divergent(),)))) == 1


# ------------------------------------------------------------------ KL302, KL303


def idling(idle: float, kind: str = "while", share: float = 0.06) -> facts.Branch:
    """A loop of 19 turns per warp."""
    turns = facts.Turns(5_000, 95_000, 32 * (1 - idle), idle)
    return divergent(kind, share=share, turns=turns)


@pytest.mark.parametrize(("idle", "reported"), [(0.5, True), (0.2, True), (0.1, False)])
def test_a_loop_is_reported_where_lanes_are_idle_in_it(idle: float, reported: bool) -> None:
    loop = idling(idle)  # more than one split per warp
    for inside in (made.ODD_STORE,), ():
        assert bool(found("KL302", kernel(*inside, branches=(loop,)))) is reported
    assert found("KL301", kernel(made.ODD_STORE, branches=(loop,))) == []
    assert found("KL302", kernel(made.ODD_STORE, branches=(replace(loop, turns=None),))) == []


def test_a_loop_says_what_share_of_its_turns_is_idle() -> None:
    [finding] = found("KL302", kernel(branches=(idling(0.4684),)))
    assert finding.message.endswith(
        "evaluations (6 %, exact): lanes are idle for 46.8 % of the iterations"
    )
    assert finding.metrics.active_lanes == pytest.approx(32 * 0.5316)


def test_a_loop_with_a_partly_filled_last_turn_is_not_reported() -> None:
    last = divergent("for", share=0.34, turns=facts.Turns(34_000, 66_000, 24.0, 0.25))
    assert found("KL302", kernel(made.ODD_STORE, branches=(last,))) == []
    assert found("KL302", kernel(made.ODD_STORE, branches=(replace(last, divergent=35_000),)))
    assert found(
        "KL302", kernel(made.ODD_STORE, branches=(idling(0.5, share=0.05),))
    )  # one split each, but half of the lanes wait long


SWITCH = (
    "switch (c) {\ncase 0: v = a[i]; break;\ncase 1: v = b[i]; break;\ndefault: v = 0; break;\n}\n"
)


def test_a_switch_is_told_as_one() -> None:
    loads = [
        replace(
            made.ODD_STORE, op="load", text=f"{name}[i]", span=made.place(f"{name}[i]", 0, SWITCH)
        )
        for name in "ab"
    ]
    branch = divergent("switch", span=Span(made.PATH, 1, 1, 5, 2), condition="c")
    [finding] = found("KL303", kernel(*loads, branches=(branch,)), text=SWITCH)
    assert "switch on `c` splits the warp in 100,000 of 100,000 evaluations" in finding.message
    assert (
        found("KL303", kernel(loads[0], branches=(branch,)), text=SWITCH) == []
    )  # the other cases only compute


# ------------------------------------------------------------------ KL401


def test_a_barrier_that_live_threads_miss_is_an_error() -> None:
    [finding] = found("KL401", made.KERNEL)
    assert finding.severity == "error" and finding.span.line == 14
    assert [label.text for label in finding.labels] == ["threads disagree here"]
    assert finding.labels[0].span.line == 12


@pytest.mark.parametrize(
    "barrier",
    [
        made.GOOD_BARRIER,
        replace(made.GOOD_BARRIER, after_exit=True),
        replace(made.BAD_BARRIER, uniform=None),
        replace(made.BAD_BARRIER, scope="memory"),
        replace(made.BAD_BARRIER, scope="warp"),
    ],
)
def test_other_barriers_are_no_error(barrier: facts.Barrier) -> None:
    assert found("KL401", kernel(barriers=(barrier,))) == []


# ------------------------------------------------------------------ KL402


@pytest.mark.parametrize(
    ("device", "severity"), [("h100", "info"), ("gtx-780-ti", "warning"), ("intel-gen9", "warning")]
)
def test_a_barrier_after_some_have_returned(device: str, severity: str) -> None:
    barrier = replace(made.GOOD_BARRIER, after_exit=True)
    report = replace(made.report_of(kernel(barriers=(barrier,))), device=device)
    [finding] = [f for f in check(report, EVERYTHING) if f.code == "KL402"]
    assert finding.severity == severity and "have returned before this barrier" in finding.message
    assert found("KL402", kernel(barriers=(made.GOOD_BARRIER,))) == []


# ------------------------------------------------------------------ KL501, KL502, KL901


def test_lanes_that_read_different_constants() -> None:
    access = replace(made.ROW_LOAD, space="constant", sectors=None, wavefronts=made.counts(32))
    [finding] = found("KL501", kernel(access))
    assert "read 32 different words of constant memory per request" in finding.message
    assert (
        "cost: 4,194,304 passes of the constant cache over the launch instead of 131,072"
        in finding.notes
    )
    border = replace(access, wavefronts=made.counts(1.02, 1, 1, 8))
    assert found("KL501", kernel(border)) == []


def test_an_array_in_local_memory() -> None:
    lanes = made.lanes(*range(0, 128, 4))
    access = replace(
        made.COLUMN_LOAD,
        space="local",
        wavefronts=None,
        object_shape=(64,),
        example=lanes,
        decided="lane",
        place="local",
    )
    [finding] = found("KL502", kernel(access))
    assert (
        "indexes `tile` differently in each lane: its 256 bytes per thread lie in local memory"
        in finding.message
    )
    assert found("KL502", kernel(replace(access, example=made.lanes(*[8] * 32), decided=""))) == []
    assert found("KL502", kernel(replace(access, place="registers"))) == []
    by_data = replace(
        access,
        example=None,
        status="unknown",
        reason="loaded-value",
        detail="code[i]",
        element_index=made.index("code[i]"),
    )
    [finding] = found("KL502", kernel(by_data))
    assert "by `code[i]`" in finding.message


def test_only_what_is_certain_of_an_array_is_a_warning() -> None:
    lanes = made.lanes(*range(0, 128, 4))
    column = replace(
        made.COLUMN_LOAD,
        space="local",
        wavefronts=None,
        example=lanes,
        scalar=True,
        in_loop=None,
        decided="lane",
    )
    access = replace(column, object_shape=(48,), place="either")
    [finding] = found("KL502", kernel(access))
    assert (finding.severity, finding.status) == (
        "info",
        "range",
    ) and "192 bytes per thread may lie in local memory" in finding.message
    [finding] = found(
        "KL502", kernel(replace(column, object_shape=(4,), element_bytes=8, place="local"))
    )
    assert (finding.severity, finding.status) == (
        "warning",
        "exact",
    ) and "32 bytes per thread lie in local memory" in finding.message
    assert (
        "nvcc keeps only arrays of 4-byte elements in registers; these have 8 bytes"
        in finding.notes
    )
    [finding] = found("KL502", kernel(access), kernel(replace(access, place="registers")))
    assert finding.status == "range"  # instantiations differ


def test_cycles_are_told_only_when_asked_for() -> None:
    assert [
        f.code
        for f in check(made.report_of(made.KERNEL), Selection(severity="info"))
        if f.code == "KL901"
    ] == []
    assert (
        check(made.report_of(made.KERNEL), Selection(select=("KL901",))) == []
    )  # no estimate was made
    text = b"// kernlint: launch(grid=64, block=256)\n__global__ void scale(float *x) { x[blockIdx.x * 256 + threadIdx.x] *= 2.0f; }\n"
    report = engine.analyse((), Settings(estimate=True), stdin=files.from_bytes("scale.cu", text))
    assert [f.code for f in check(report, Selection(severity="info")) if f.code == "KL901"] == []
    [finding] = check(report, Selection(select=("KL901",)))
    assert (
        finding.span.line == 2
        and " cycles (" in finding.message
        and " on h100, by " in finding.message
    )


# ------------------------------------------------------------------ KL601, KL602


@pytest.mark.parametrize(
    ("block", "blocks", "reported"),
    [
        ((100, 1, 1), 64, True),
        ((100, 1, 1), 1, False),
        ((1000, 1, 1), 64, False),  # 2 % of the lanes
        ((96, 1, 1), 64, False),
        ((16, 3, 1), 64, True),
    ],
)
def test_blocks_that_leave_lanes_empty(
    block: tuple[int, int, int], blocks: int, reported: bool
) -> None:
    launch = replace(made.LAUNCH, block=block, grid=(blocks, 1, 1))
    assert bool(found("KL601", kernel(launch=launch))) is reported


def test_shared_memory_that_no_block_gets() -> None:
    [finding] = found("KL602", kernel(static_shared_bytes=50_000))
    assert (
        finding.severity == "error"
        and "does not compile" in finding.message
        and "dynamic shared memory" in finding.help
    )
    [finding] = found("KL602", kernel(dynamic_shared_bytes=240_000))
    assert "the launch fails" in finding.message and finding.severity == "error"
    [finding] = found(
        "KL602",
        kernel(dynamic_shared_bytes=60_000, launch=replace(made.LAUNCH, span=made.place("tile"))),
    )
    assert finding.severity == "warning" and "cudaFuncSetAttribute" in finding.help
    text = made.TEXT + "// cudaFuncAttributeMaxDynamicSharedMemorySize"
    assert (
        found(
            "KL602",
            kernel(
                dynamic_shared_bytes=60_000, launch=replace(made.LAUNCH, span=made.place("tile"))
            ),
            text=text,
        )
        == []
    )
    assert found("KL602", kernel(dynamic_shared_bytes=40_000)) == []


MARLIN = """
template <int M> __global__ void f(float *out, const float *in, int n) {
    extern __shared__ float4 sh[];
    struct Four { float v[4]; };
    float acc[M][4][2] = {};
    int iterations = n / gridDim.x;
    while (iterations) {
        iterations = in[iterations] > 3 ? 0 : iterations - 1;
        Four four = *reinterpret_cast<Four *>(&sh[threadIdx.x + 64 * (iterations % 4)]);
        out[threadIdx.x] = four.v[0] * four.v[1] + four.v[2] * four.v[3];
        if (iterations == 0) {
            int group = threadIdx.x / 32;
            #pragma unroll
            for (int m = 0; m < M; m++) {
                #pragma unroll
                for (int i = 4; i > 0; i /= 2) {
                    if (i <= group && group < 2 * i) {
                        #pragma unroll
                        for (int j = 0; j < 8; j++) reinterpret_cast<float *>(acc)[8 * m + j] += in[threadIdx.x + 32 * j];
                        sh[threadIdx.x] = reinterpret_cast<float4 *>(acc)[m];
                    }
                    __syncthreads();
                }
            }
        }
    }
    out[threadIdx.x] = acc[0][1][1] + acc[M - 1][3][0] + reinterpret_cast<float *>(sh)[threadIdx.x];
}
void run(float *o, const float *i, int n) { f<4><<<n, 128, 65536>>>(o, i, n); }
"""


def codes_of(text: str) -> list[str]:
    report = engine.analyse((), Settings(), stdin=files.from_bytes("k.cu", text.encode()))
    return [finding.code for finding in check(report, Selection(severity="warning"))]


def test_counters_of_unrolled_loops_keep_arrays_in_registers_whatever_runs_them() -> None:
    """nvcc 13.0: no stack frame, although a loop that nobody can count is around it; an index of
    the run's moves the array."""
    assert "KL502" not in codes_of(MARLIN)
    assert "KL502" in codes_of(MARLIN.replace("acc)[8 * m + j]", "acc)[8 * m + (j + n) % 8]"))


def test_a_struct_that_fills_an_aligned_vector_has_no_conflict() -> None:
    """nvcc 13.0: LDS.128, four wavefronts for the 512 bytes of a warp."""
    assert "KL101" not in codes_of(MARLIN)
    copy = "struct S { float v[N]; };\n// kernlint: launch(grid=4, block=256)\n__global__ void k(float *o) { extern __shared__ float4 sh[];"
    copy += " S s = *reinterpret_cast<S *>(&sh[threadIdx.x]); o[threadIdx.x] = s.v[0] * s.v[N - 1] + s.v[1] * s.v[N / 2]; }"
    assert ["KL101" in codes_of(copy.replace("N", str(n))) for n in (4, 2)] == [False, True]


FLAGGED = """
__global__ void k(float *out, const float *in, int flag, const int *p) {
    __shared__ float s[1024];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    if (CONDITION) out[t] = s[t * 32] + in[t * 32];
}
void run(float *o, const float *i, int f, const int *p) { k<<<4, 32>>>(o, i, f, p); }
"""


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        ("true", True),
        ("flag", True),
        ("p[blockIdx.x] > 0", True),
        ("p[t] > 0", True),
        ("t == p[0]", False),
    ],
)
def test_what_whole_warps_do_or_leave_out_costs_what_it_costs_where_they_do_it(
    condition: str, told: bool
) -> None:
    """Where data takes single lanes out, those that are left are as far apart; a request of one
    lane has no conflict. A fact more never takes a finding away."""
    assert ({"KL101", "KL201"} <= set(codes_of(FLAGGED.replace("CONDITION", condition)))) is told


def test_a_fact_more_takes_no_finding_away() -> None:
    """Beside requests that are counted, those of a loop that nobody can count looked like a share
    of nothing."""
    text = """__global__ void k(float *out, const float *y, int dim) {
    int t = blockIdx.x * 256 + threadIdx.x;
    float s = 0;
    for (int d = 0; d < dim; d++) s += y[t * dim + d];
    out[t] = s;
}
"""
    known = [
        "",
        "// kernlint: launch(block=256)\n",
        "// kernlint: launch(grid=64, block=256)\n",
        "// kernlint: launch(grid=64, block=256, dim=128)\n",
    ]
    assert [codes_of(fact + text) for fact in known] == [["KL201"]] * 4


HALF = """\
// kernlint: launch(grid=4, block=256)
__device__ void wait() { __syncthreads(); }
__global__ void k(float *x, int n)
{
    __shared__ float s[256];
    s[threadIdx.x] = x[threadIdx.x];
    if (threadIdx.x < 128) {
        wait();
        x[threadIdx.x] = s[255 - threadIdx.x];
    }
    LATER
}
"""


@pytest.mark.parametrize(
    ("later", "last"),
    [
        ("", True),
        ("x[300] = 1;", True),
        ("__syncthreads();", False),
        ("if (n) __syncthreads();", False),
    ],
)
def test_a_barrier_that_is_the_last_one_hangs_no_current_device(later: str, last: bool) -> None:
    report = engine.analyse(
        (), Settings(), stdin=files.from_bytes("k.cu", HALF.replace("LATER", later).encode())
    )
    finding = next(f for f in check(report, Selection()) if f.code == "KL401" and f.span.line == 2)
    assert ("the other threads exit without another barrier" in finding.notes[0]) is last
    assert ("may hang" in finding.notes[0]) is not last
    assert [(label.span.line, label.text) for label in finding.labels] == [
        (7, "threads disagree here"),
        (8, "called from here"),
    ]
