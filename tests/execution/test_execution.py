"""Whole kernels through the engine: loop tiers, masks, lanes together, memory contents, barriers;
every number counted by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kernlint.execution.analysis import Analysis
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import walk
from kernlint.lowering.program import Program
from kernlint.model import facts
from kernlint.model.settings import Settings
from kernlint.pipeline.engine import analyse
from kernlint.source.parser.parser import parse
from kernlint.source.preprocessor.preprocess import Options, preprocess


def run(tmp_path: Path, source: str, **settings: object) -> facts.Kernel:
    path = tmp_path / "k.cu"
    path.write_text(source)
    report = analyse([str(path)], Settings(**settings))  # type: ignore[arg-type]
    assert not [p for p in report.files[0].problems if p.code != "KL002"], report.files[0].problems
    (kernel,) = report.files[0].kernels
    return kernel


def access(kernel: facts.Kernel, text: str, op: str | None = None) -> facts.Access:
    found = [a for a in kernel.accesses if a.text == text and op in (None, a.op)]
    assert len(found) == 1, [(a.text, a.op) for a in kernel.accesses]
    return found[0]


def mean(a: facts.Access) -> float:
    counts = a.wavefronts or a.sectors
    assert counts is not None
    return counts.mean


def launch(**values: object) -> str:
    return "// kernlint: launch(" + ", ".join(f"{k}={v}" for k, v in values.items()) + ")\n"


def test_a_regular_loop_is_counted_as_one_axis(tmp_path: Path) -> None:
    source = (
        launch(grid=1000, block=256, n=100_000_001)
        + """
__global__ void k(float *a, unsigned n) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) a[i] = 1;
}"""
    )
    store = access(run(tmp_path, source), "a[i]")
    assert store.requests == 3_125_001  # ceil(n / 32): one warp holds the last element alone
    assert store.active_lanes == pytest.approx(100_000_001 / 3_125_001)


def test_a_doubling_loop_is_stepped_under_its_mask(tmp_path: Path) -> None:
    source = (
        launch(grid=10, block=256)
        + """
__global__ void k(int *a) {
    __shared__ int s[256];
    for (int d = 128; d > 0; d >>= 1) {
        if (threadIdx.x < d) s[threadIdx.x] = d;
        __syncthreads();
    }
}"""
    )
    kernel = run(tmp_path, source)
    assert access(kernel, "s[threadIdx.x]").requests == 10 * (4 + 2 + 1 + 1 + 1 + 1 + 1 + 1)
    branch = next(b for b in kernel.branches if b.kind == "if")
    assert (branch.evaluations, branch.divergent) == (10 * 8 * 8, 10 * 5)
    assert [b.uniform for b in kernel.barriers] == [True]


@pytest.mark.parametrize("turns", ["3", "(threadIdx.x & 3)"])
def test_what_an_inner_loop_adds_to_is_carried_to_the_next_turn_of_the_outer(
    tmp_path: Path, turns: str
) -> None:
    source = (
        launch(grid=1, block=32, n=32)
        + f"""
__global__ void k(int n, float *a) {{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {{
        float *p = a + i;
        for (int u = 0; u < 3; u++)
            for (int v = 0; v < {turns}; v++) {{
                *p = 1;
                p += 33;
            }}
    }}
}}"""
    )
    at, rows = list(range(32)), []
    for _ in range(3):
        for v in range(3):
            running = [lane for lane in range(32) if turns == "3" or v < lane & 3]
            rows.append({at[lane] // 8 for lane in running})
            for lane in running:
                at[lane] += 33
    store = access(run(tmp_path, source), "*p")
    assert store.requests == len(rows)
    assert mean(store) == pytest.approx(sum(map(len, rows)) / len(rows))


def test_break_and_continue(tmp_path: Path) -> None:
    source = (
        launch(grid=1, block=32)
        + """
__global__ void k(int *a) {
    for (int i = 0; i < 10; i++) {
        if (i % 2) continue;
        if (i > (int)threadIdx.x) break;
        a[i * 32 + threadIdx.x] = i;
    }
}"""
    )
    store = access(run(tmp_path, source), "a[i * 32 + threadIdx.x]")
    assert store.requests == 5  # i = 0, 2, 4, 6, 8
    assert store.active_lanes == (32 + 30 + 28 + 26 + 24) / 5


def test_lanes_that_return_early_are_gone(tmp_path: Path) -> None:
    source = (
        launch(grid=3, block=96, n=200)
        + """
__device__ int twice(int x) { if (x & 1) return 2 * x; return x; }
__global__ void k(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    a[twice(i)] = i;
    __syncthreads();
}"""
    )
    kernel = run(tmp_path, source)
    store = access(kernel, "a[twice(i)]")
    assert store.requests == 7  # warps of 32 up to 200
    assert store.active_lanes == pytest.approx(200 / 7)
    assert [(b.uniform, b.after_exit) for b in kernel.barriers] == [(True, True)]


def test_a_barrier_that_live_lanes_miss(tmp_path: Path) -> None:
    source = (
        launch(grid=1, block=64)
        + """
__global__ void k(float *a) { if (threadIdx.x < 48) { a[threadIdx.x] = 1; __syncthreads(); } }"""
    )
    assert [b.uniform for b in run(tmp_path, source).barriers] == [False]


def test_contents_of_shared_arrays_are_followed(tmp_path: Path) -> None:
    source = (
        launch(grid=4, block=64)
        + """
__global__ void k(float *out) {
    __shared__ int next[64];
    __shared__ float data[64 * 32];
    next[threadIdx.x] = (threadIdx.x * 5) % 64;
    __syncthreads();
    int at = threadIdx.x;
    for (int i = 0; i < 3; i++) at = next[at];
    data[at * 32] = 1;
    out[data[0] > 0 ? threadIdx.x : 0] = 1;
}"""
    )
    kernel = run(tmp_path, source)
    assert mean(access(kernel, "data[at * 32]")) == 32
    assert mean(access(kernel, "next[at]")) == 1  # an odd factor permutes the banks


def test_an_unknown_store_makes_contents_unknown(tmp_path: Path) -> None:
    source = (
        launch(grid=4, block=64)
        + """
__global__ void k(const int *in, float *out) {
    __shared__ int next[64];
    next[threadIdx.x] = threadIdx.x;
    next[in[threadIdx.x] & 63] = 7;
    __syncthreads();
    out[next[threadIdx.x]] = 1;
}"""
    )
    store = access(run(tmp_path, source), "out[next[threadIdx.x]]")
    assert (store.status, store.reason, store.sectors) == ("unknown", "loaded-value", None)


def test_values_exchanged_between_lanes(tmp_path: Path) -> None:
    source = (
        launch(grid=1, block=64)
        + """
__global__ void k(float *a) {
    int other = __shfl_xor_sync(~0u, threadIdx.x, 1);
    a[other * 8] = 1;
    int rank = __popc(__ballot_sync(~0u, threadIdx.x % 4 == 0) & ((1u << (threadIdx.x & 31)) - 1));
    a[rank * 8] = 2;
}"""
    )
    kernel = run(tmp_path, source)
    assert mean(access(kernel, "a[other * 8]")) == 32
    assert (
        mean(access(kernel, "a[rank * 8]")) == 9
    )  # 0 for lane 0, then the number of lanes 0, 4, … below


def test_rows_of_a_sparse_matrix_start_anywhere(tmp_path: Path) -> None:
    source = (
        launch(grid=64, block=128, n=256)
        + """
__global__ void k(const int *row, const float *v, const int *col, const float *x, float *y, int n) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (r >= n) return;
    float s = 0;
    for (int j = row[r] + (threadIdx.x & 31); j < row[r + 1]; j += 32) s += v[j] * x[col[j]];
    y[r] = s;
}"""
    )
    kernel = run(tmp_path, source)
    assert access(kernel, "row[r]").status == "exact"
    values = access(kernel, "v[j]")
    assert values.requests is None and values.status == "range"
    assert values.sectors is not None and (values.sectors.min, values.sectors.max) == (
        1,
        5,
    )  # a row starts at any word
    assert access(kernel, "x[col[j]]").status == "unknown"


def test_an_unknown_pitch_gives_its_cases(tmp_path: Path) -> None:
    source = (
        launch(grid=1, block=32)
        + """
__global__ void k(float *a, int pitch) {
    extern __shared__ float s[];
    s[threadIdx.x * pitch] = a[threadIdx.x];
}"""
    )
    store = access(run(tmp_path, source), "s[threadIdx.x * pitch]")
    cases = {c.condition: c.wavefronts for c in store.cases}
    assert cases["pitch % 32 == 0"] == 32
    assert cases["pitch % 4 == 2"] == 2
    assert cases["otherwise"] == 1
    assert store.status == "range"


def test_an_unknown_size_passes_guards_and_says_so(tmp_path: Path) -> None:
    kernel = run(
        tmp_path,
        launch(grid=8, block=128)
        + "__global__ void k(float *a, int n) { int i = blockIdx.x * 128 + threadIdx.x; if (i < n) a[i] = 1; }",
    )
    store = access(kernel, "a[i]")
    assert (store.status, store.requests, mean(store)) == ("range", 32, 4)
    assert any("n exceeds" in text for text in store.assumptions)


@pytest.mark.parametrize(
    ("guard", "requests"), [("x > 0 && x < w - 1 && y < h", 64 * 63), ("x < w && y < h", 64 * 64)]
)
def test_guards_in_two_dimensions_over_many_blocks(
    tmp_path: Path, guard: str, requests: int
) -> None:
    """Blocks on the border are counted apart; the others are one set."""
    source = (
        launch(grid="4x16", block="32x4", w=100, h=63)
        + f"""
__global__ void k(float *a, int w, int h) {{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    if ({guard}) a[y * w + x] = 1;
}}"""
    )
    store = access(run(tmp_path, source), "a[y * w + x]")
    rows = 63
    assert store.requests == rows * 4  # 100 columns are 4 warps wide
    lanes = {64 * 63: rows * 98, 64 * 64: rows * 100}[requests]
    assert store.active_lanes == pytest.approx(lanes / (rows * 4))


def test_an_index_clamped_in_some_blocks_of_a_large_grid(tmp_path: Path) -> None:
    source = (
        launch(grid=(60, 135), block=(32, 8), width=1920, height=1080)
        + """
__device__ int clamped(int i, int n) { return i < 0 ? 0 : i >= n ? n - 1 : i; }
__global__ void k(float *out, const float *in, int width, int height) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    out[y * width + x] = in[clamped(y + 8, height) * width + clamped(x + 32, width)] + in[y * width + clamped(x - 3, width)];
}"""
    )
    x, y = np.arange(1920), np.arange(1080)
    right, below, left = np.clip(x + 32, 0, 1919), np.clip(y + 8, 0, 1079), np.clip(x - 3, 0, 1919)
    kernel = run(tmp_path, source)
    for text, rows, columns in (("clamped(x + 32", below, right), ("clamped(x - 3", y, left)):
        sectors = ((rows[:, None] * 1920 + columns) // 8).reshape(1080, 60, 32)
        distinct = (np.diff(np.sort(sectors), axis=2) > 0).sum(axis=2) + 1
        load = next(a for a in kernel.accesses if text in a.text)
        assert load.requests == distinct.size and mean(load) == distinct.mean()


@pytest.mark.slow
def test_large_grids_collapse(tmp_path: Path) -> None:
    source = (
        launch(grid="65535x16", block=256, n=268431359)
        + """
__global__ void k(float *a, int n) { int i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x; if (i < n) a[i] = 1; }"""
    )
    store = access(run(tmp_path, source), "a[i]")
    assert store.requests == -(-268431359 // 32) and store.status == "exact"


def test_a_shared_increment_counts_lanes_on_one_word_once(tmp_path: Path) -> None:
    """ATOMS.POPC.INC, as the histograms measured on an H100 show; any other integer addend
    serialises lanes on one bank."""
    source = (
        launch(grid=1, block=32)
        + """
__global__ void k(int *d) {
    __shared__ int s[64];
    atomicAdd(&s[threadIdx.x / 8], 1);
    atomicAdd(&s[threadIdx.x / 4], 2);
}"""
    )
    kernel = run(tmp_path, source)
    assert [a.wavefronts.mean for a in kernel.accesses if a.op == "atomic" and a.wavefronts] == [
        1,
        4,
    ]


def test_unsigned_wrap_and_signed_shift(tmp_path: Path) -> None:
    source = (
        launch(grid=1, block=32)
        + """
__global__ void k(int *a) {
    unsigned u = threadIdx.x - 1u;
    a[u >> 27] = 1;
    int s = (int)threadIdx.x - 16;
    a[(s >> 2) + 4] = 2;
    a[s / 4 + 4] = 3;
    a[(s % 4) + 3] = 4;
}"""
    )
    kernel = run(tmp_path, source)
    assert mean(access(kernel, "a[u >> 27]")) == 2  # word 31 for lane 0, word 0 for the others
    first = access(kernel, "a[(s >> 2) + 4]")
    assert first.sectors is not None and first.example is not None
    assert [o // 4 for o in first.example.lanes if o is not None] == [
        (t - 16 >> 2) + 4 for t in range(32)
    ]
    divided = access(kernel, "a[s / 4 + 4]").example
    assert divided is not None and [o // 4 for o in divided.lanes if o is not None] == [
        int((t - 16) / 4) + 4 for t in range(32)
    ]
    rest = access(kernel, "a[(s % 4) + 3]").example
    assert rest is not None and [o // 4 for o in rest.lanes if o is not None] == [
        (t - 16) - int((t - 16) / 4) * 4 + 3 for t in range(32)
    ]


def test_a_switch_is_one_branch(tmp_path: Path) -> None:
    """Each warp evaluates it once and diverges at most once, however many cases its lanes take."""
    source = (
        launch(grid=2, block=96)
        + """
__global__ void k(int *a) {
    int t = threadIdx.x;
    switch (t < 64 ? t & 3 : 2) {
        case 0: a[t] = 0;
        case 1: a[t + 1] = 1; break;
        case 2: a[t + 2] = 2; break;
        default: a[t + 3] = 3;
    }
}"""
    )
    kernel = run(tmp_path, source)
    (branch,) = [b for b in kernel.branches if b.kind == "switch"]
    assert (branch.evaluations, branch.divergent) == (6, 4)
    lanes = {a.text: (a.requests, a.active_lanes) for a in kernel.accesses}
    assert lanes == {
        "a[t]": (4, 8),
        "a[t + 1]": (4, 16),
        "a[t + 2]": (6, (4 * 8 + 2 * 32) / 6),
        "a[t + 3]": (4, 8),
    }


def test_local_arrays_with_constant_indices_live_in_registers(tmp_path: Path) -> None:
    source = (
        launch(grid=1, block=32)
        + """
__global__ void k(float *a, const int *p) {
    float kept[4], spilled[4];
    for (int i = 0; i < 4; i++) { kept[i] = a[i * 32 + threadIdx.x]; spilled[i] = a[i]; }
    float s = 0;
    for (int i = 0; i < 4; i++) s += kept[i] * spilled[p[i] & 3];
    a[threadIdx.x] = s;
}"""
    )
    kernel = run(tmp_path, source)
    assert {a.object for a in kernel.accesses if a.space == "local"} == {"spilled"}


def test_an_unknown_factor_may_be_small(tmp_path: Path) -> None:
    source = (
        launch(grid=1, block=32)
        + """
__global__ void k(float *a, const int *p) { a[threadIdx.x * (p[0] ? 2 : 1)] = 1; a[threadIdx.x * p[1]] = 2; }"""
    )
    kernel = run(tmp_path, source)
    bounds = [
        (a.sectors.mean_low, a.sectors.mean_high)
        for a in kernel.accesses
        if a.op == "store" and a.sectors
    ]
    assert bounds == [(4, 8), (1, 32)]


def test_64_bit_unsigned_values_near_the_ends_of_their_range(tmp_path: Path) -> None:
    """A constant beyond 2**63 beside a part by lane, and shifts by 63: the bits are those of
    modular arithmetic."""
    source = (
        launch(grid=1, block=32)
        + """
__global__ void k(int *a, int *b, long long *c) {
    unsigned long long h = (unsigned long long)threadIdx.x + 0xFFFFFFFFFFFFFFF0ull;
    a[h >> 63] = 1;
    unsigned long long g = (unsigned long long)(threadIdx.x * 2) * (1ull << 61);
    b[(g >> 63) * 8] = 1;
    long long s = (long long)threadIdx.x - 16;
    c[1 + (s >> 63)] = 1;
    a[threadIdx.x + ((unsigned long long)blockIdx.x >> 63)] = 2;
}"""
    )
    kernel = run(tmp_path, source)
    lanes = {a.text: a.example.lanes for a in kernel.accesses if a.example is not None}
    assert lanes["a[h >> 63]"] == (4,) * 16 + (0,) * 16
    assert lanes["b[(g >> 63) * 8]"] == tuple(
        32 * ((lane * 2 << 61) % (1 << 64) >> 63) for lane in range(32)
    )
    assert lanes["c[1 + (s >> 63)]"] == (0,) * 16 + (8,) * 16
    assert lanes["a[threadIdx.x + ((unsigned long long)blockIdx.x >> 63)]"] == tuple(
        range(0, 128, 4)
    )


def test_what_a_loop_assigns_is_known_in_the_order_of_the_program() -> None:
    names = [f"v{n}" for n in range(40)]
    moves = " ".join(f"{name} = {name} * 3 + a[i];" for name in names)
    uses = " + ".join(names)
    body = (
        f"int {' = 0, '.join(names)} = 0; for (int i = 0; i < n; i++) {{ {moves} }} a[{uses}] = 1;"
    )
    source = f"__global__ void k(int *a, int n) {{ {body} }}"
    options = Options(defines={}, include_dirs=(), language="cuda", arch=900)
    program = Program(
        parse(preprocess("k.cu", source, options).tokens, "k.cu", "cuda"), options, {"k.cu": source}
    )
    kernel = program.instantiate(program.kernels()[0], None)
    analysis = Analysis(kernel.body, kernel.label)
    (loop,) = (s for s in walk(kernel.body) if isinstance(s, ir.Loop))
    assigned = [
        variable.name
        for variable in analysis.plan_of(loop).assigned
        if variable.name.startswith("v")
    ]
    assert assigned == names


def test_of_two_templates_that_fit_the_more_specialised_is_called(tmp_path: Path) -> None:
    source = (
        launch(grid=1, block=32)
        + """
template <typename T, typename U> __device__ void take(const T *v, U &m) { m = v[threadIdx.x]; }
template <typename U> __device__ void take(const short *v, U &m) { m = v[2 * threadIdx.x]; }
template <typename T> __device__ void put(T *v, T m) { v[threadIdx.x] = m; }
template <typename T> __device__ void put(T *v, int m) { v[3 * threadIdx.x] = m; }
__global__ void k(const short *x, float *y) {
    int m;
    take(x, m);
    put(y, m);
}"""
    )
    assert {a.text for a in run(tmp_path, source).accesses} == {
        "v[2 * threadIdx.x]",
        "v[3 * threadIdx.x]",
    }


def test_a_function_template_with_its_arguments_is_a_template_argument(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text("""
typedef void (*copy_t)(const char *, char *);
template <typename A, typename B> static __device__ void one(const char *x, char *y) { *(B *)y = *(const A *)x; }
template <copy_t C, int N> static __device__ void many(const char *x, char *y) { for (int j = 0; j < N; j++) C(x + 256 * j, y + 256 * j); }
template <copy_t C> __global__ void k(const char *x, char *y, int n) {
    int i = threadIdx.x;
    if (i < n) C(x + 8 * i, y + 8 * i);
}
template <copy_t C> void over(char *a, char *b) { k<C><<<1, 64>>>(a, b, 50); }
int main() {
    char *a, *b;
    over<one<float, double>>(a, b);
    over<one<double, float>>(a, b);
    over<many<one<double, double>, 3>>(a, b);
}
""")
    (file,) = analyse([str(path)], Settings()).files
    assert not file.problems
    found = {
        k.template_arguments: [(a.op, a.bytes, a.requests) for a in k.accesses]
        for k in file.kernels
    }
    assert found == {
        ("&one<float, double>",): [("store", 8, 2), ("load", 4, 2)],
        ("&one<double, float>",): [("store", 4, 2), ("load", 8, 2)],
        ("&many<&one<double, double>, 3>",): [("store", 8, 6), ("load", 8, 6)],
    }


def test_a_specialisation_without_written_arguments_is_for_the_types_that_its_parameters_have(
    tmp_path: Path,
) -> None:
    path = tmp_path / "k.cu"
    path.write_text("""
template <typename T> __global__ void k(const T *x, float *y) { y[threadIdx.x] = x[threadIdx.x]; }
template <> __global__ void k(const short *x, float *y) { y[2 * threadIdx.x] = x[2 * threadIdx.x]; }
template <> __global__ void k(const double *x, float *y) { y[4 * threadIdx.x] = x[4 * threadIdx.x]; }
int main() {
    float *y; short *h; double *d;
    k<float><<<1, 64>>>(y, y);
    k<short><<<1, 64>>>(h, y);
    k<<<1, 64>>>(d, y);
}
""")
    (file,) = analyse([str(path)], Settings()).files
    stores = [next(a for a in k.accesses if a.op == "store") for k in file.kernels]
    assert [(a.span.line, mean(a)) for a in stores] == [(2, 4), (3, 8), (4, 16)]


def test_specialisations_are_found_in_the_namespace_that_they_name(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text("""
namespace lib {
constexpr int NARROW = 4;
template <typename T> struct Pitch { static const int value = 1; };
template <typename T> constexpr int wide = 1;
}
template <> struct lib::Pitch<float> { static const int value = NARROW; };
template <> constexpr int lib::wide<float> = 2;
template <> struct unknown::Pitch<float> { static const int value = 8; };
template <typename T> __global__ void k(T *y) {
    y[lib::Pitch<T>::value * threadIdx.x] = 0;
    y[lib::wide<T> * threadIdx.x] = 0;
}
int main() {
    float *y; int *z;
    k<<<1, 64>>>(y);
    k<<<1, 64>>>(z);
}
""")
    (file,) = analyse([str(path)], Settings()).files
    assert {k.template_arguments: [mean(a) for a in k.accesses] for k in file.kernels} == {
        ("float",): [16, 8],
        ("int",): [4, 4],
    }


def test_calls_of_one_atomic_function_beside_each_other_may_be_charged_to_one_of_them(
    tmp_path: Path,
) -> None:
    # an H100 counts four such calls on two of their lines: the first's on its own, the three others
    # on the second's
    source = (
        launch(grid=1, block=32)
        + """
__global__ void k(const float *x, float *a, float *b, int *c) {
    float v = x[threadIdx.x], w = x[threadIdx.x + 32];
    atomicAdd(&a[threadIdx.x], v * w);
    atomicAdd(&b[threadIdx.x], v - w);
    atomicMax(&c[threadIdx.x], (int)(v + w));
}"""
    )
    kernel = run(tmp_path, source)
    assert [
        access(kernel, f"atomicAdd(&{name}[threadIdx.x], v {op} w)").status
        for name, op in ("a*", "b-")
    ] == ["range", "range"]
    assert access(kernel, "atomicMax(&c[threadIdx.x], (int)(v + w))").status == "exact"


def test_a_declaration_and_a_definition_may_differ_in_the_const_of_a_parameter(
    tmp_path: Path,
) -> None:
    source = """
__global__ void k(float *a) { a[threadIdx.x] = 1; }
void start(float *a, int blocks);
void start(float *a, const int blocks) { k<<<blocks, 64>>>(a); }
int main() { float *a; start(a, 3); }
"""
    assert access(run(tmp_path, source), "a[threadIdx.x]").requests == 6


def test_a_case_that_is_not_the_value_is_not_reached_through_one_that_may_be(
    tmp_path: Path,
) -> None:
    """`case 16` was counted as perhaps executed, since nobody knows whether the value is 4."""
    stores = "\n".join(f"case {n}: a[threadIdx.x + {n}] = {n}; break;" for n in (16, 8, 4))
    source = "// kernlint: launch(grid=1, block=64)\n__global__ void k(float *a, int n) {{ switch (min(n, 4)) {{\n{0}\n}} }}\n"
    found = run(tmp_path, source.format(stores))
    assert [(a.text, a.requests) for a in found.accesses] == [("a[threadIdx.x + 4]", None)]


@pytest.mark.parametrize(
    ("body", "low", "high"),
    [
        ("int at = x[blockIdx.x]; out[(at & 7) + 4 * (blockIdx.x & 1) + threadIdx.x] = 2;", 4, 5),
        (
            "int at = x[blockIdx.x]; out[(at & 1) * 4 + 4 * (blockIdx.x & 1) + threadIdx.x] = 2;",
            4,
            5,
        ),
        ("for (int i = 0; i < 8; i++) out[(x[i] & 1) * 4 + 4 * (i & 1) + threadIdx.x] = 2;", 4, 5),
        ("out[(x[0] & 1) * 4 + 4 * (blockIdx.x & 1) + threadIdx.x] = 2;", 4.5, 4.5),
    ],
)
def test_what_each_block_or_turn_loads_for_itself_may_be_other_each_time(
    body: str, low: float, high: float, tmp_path: Path
) -> None:
    """The bounds were those of one value for all of them: 4.5 to 5 sectors, or exactly 4.5."""
    found = run(
        tmp_path,
        f"// kernlint: launch(grid=6, block=64)\n__global__ void k(const int *x, float *out) {{ {body} }}\n",
    )
    (store,) = [a for a in found.accesses if a.op == "store"]
    assert store.sectors is not None and (store.sectors.mean_low, store.sectors.mean_high) == (
        low,
        high,
    )


def test_elements_of_a_constant_array_of_unsigned_64_bit_numbers_may_have_their_highest_bit_set(
    tmp_path: Path,
) -> None:
    """hashcat's rounds of SHA-512: `Python int too large to convert to C long` ended the
    analysis."""
    source = """// kernlint: launch(grid=1, block=32)
__global__ void k(float *out) {
  const unsigned long long round[3] = {0x428a2f98d728ae22ull, 0xb5c0fbcfec4d3b2full, 0xe9b5dba58189dbbcull};
  for (int i = 0; i < 3 && round[i] > 7; i++) out[(round[i] >> 60) * 4 + threadIdx.x] = 1;
}
"""
    (store,) = [a for a in run(tmp_path, source).accesses if a.op == "store"]
    assert store.sectors is not None and (store.requests, store.sectors.mean) == (
        3,
        (4 + 5 + 4) / 3,
    )  # begins at floats 16, 44 and 56


@pytest.mark.parametrize(
    ("test", "assumed"),
    [
        ("i < n", True),
        ("n - i > 0", True),
        ("i + 3 < n * 4", True),
        (
            "i + n < 4096",
            False,
        ),  # a distance, as a filter's half width: not larger than what it is compared with
        ("i - n < 0", False),
        ("i + n / 2 >= 4096", False),
    ],
)
def test_a_size_is_taken_to_be_large_where_it_bounds_an_index_only(
    test: str, assumed: bool, tmp_path: Path
) -> None:
    """gputools' convolutions: `i + Nhx / 2 >= Nx` sent every lane to the edge of the image."""
    body = f"int i = blockIdx.x * 64 + threadIdx.x; if ({test}) out[i] = 1;"
    (store,) = run(
        tmp_path,
        f"// kernlint: launch(grid=6, block=64)\n__global__ void k(float *out, int n) {{ {body} }}\n",
    ).accesses
    assert (store.requests, store.assumptions) == (
        (12, ("n exceeds every index compared with it",)) if assumed else (None, ())
    )


@pytest.mark.parametrize(
    ("declaration", "index", "wavefronts"),
    [
        ("float t[16]", "w & 15", (1, 1)),
        ("float t[40]", "8 + (w & 31)", (1, 1)),
        ("unsigned char t[128]", "w & 127", (1, 1)),
        ("float t[64]", "w & 63", (1, 2)),
        ("float t[64]", "(w & 15) * 4", (1, 2)),  # 16 words in 8 banks
        ("double t[16]", "w & 15", (1, 2)),  # lanes that agree may pair up
    ],
)
def test_words_in_banks_of_their_own_are_one_wavefront_whichever_are_read(
    declaration: str, index: str, wavefronts: tuple[int, int], tmp_path: Path
) -> None:
    """Tables of 4-bit dequantisers: 16 words lie in 16 banks. Measured on an H100: 1 wavefront for
    the first three, 2 for `w & 63`."""
    body = f"__shared__ {declaration}; t[threadIdx.x & 15] = 1; __syncthreads(); unsigned w = q[threadIdx.x]; o[threadIdx.x] = t[{index}];"
    found = run(
        tmp_path,
        f"// kernlint: launch(grid=1, block=64)\n__global__ void k(const unsigned *q, float *o) {{ {body} }}\n",
    )
    (load,) = [a for a in found.accesses if a.object == "t" and a.op == "load"]
    found_counts = load.wavefronts
    assert wavefronts == (found_counts and (found_counts.min, found_counts.max))
    statuses = {(1, 1): "exact", (1, 2): "range"}
    assert load.status == statuses[wavefronts]


def test_parts_of_a_word_that_is_read_as_another_type_are_numbers(tmp_path: Path) -> None:
    source = """// kernlint: launch(grid=1, block=256)
    __global__ void k(float *o, const float *a) {
        unsigned t = threadIdx.x * 0x10001;
        uchar4 c = *(uchar4 *)&t;
        ushort2 h = *(ushort2 *)&t;
        o[threadIdx.x] = a[c.y] + a[h.y + 1000];
    }
    """
    program = run(tmp_path, source)
    first, second = access(program, "a[c.y]"), access(program, "a[h.y + 1000]")
    assert first.sectors is not None and second.sectors is not None
    assert (first.sectors.mean, second.sectors.mean) == (1, 4)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["int", "unsigned"])
@pytest.mark.parametrize("count", [40, 100])
def test_long_sums_cancel(kind: str, count: int, tmp_path: Path) -> None:
    """Both orders of the sum are more unknowns than are kept apart."""
    loads = " ".join(f"{kind} x{i} = p[threadIdx.x + {32 * i}];" for i in range(count))
    sums = (("a", range(count)), ("b", range(count)[::-1]))
    first, second = (" ".join(f"{name} += 3 * x{i};" for i in numbers) for name, numbers in sums)
    source = f"""// kernlint: launch(grid=1, block=32)
    __global__ void k(const {kind} *p) {{
        __shared__ float s[2048];
        {kind} a = 0, b = 0, t = threadIdx.x; {loads} {first} {second}
        s[a - b + 2 * t] = 1;
        s[(a + p[4096]) - b + 4 * t] = 1;
        s[(a + t) & 1023] = 1;
    }}"""
    kernel = run(tmp_path, source)
    assert (
        access(kernel, "s[a - b + 2 * t]").status == "exact"
        and mean(access(kernel, "s[a - b + 2 * t]")) == 2
    )
    assert mean(access(kernel, "s[(a + p[4096]) - b + 4 * t]")) == 4
    anywhere = access(kernel, "s[(a + t) & 1023]").wavefronts
    assert anywhere is not None and (anywhere.min, anywhere.max) == (1, 32)


@pytest.mark.parametrize(
    ("statement", "text", "requests", "counts"),
    [
        ("if (t == 5) out[idx[t]] = v;", "out[idx[t]]", 8, 1),
        ("if (t % 32 == 3) s[idx[t]] = v;", "s[idx[t]]", 32, 1),
        ("if (t == 5) out[t * 9] = expf(in[idx[t] * 3 + t]);", "in[idx[t] * 3 + t]", 8, 1),
        ("if (t == 5) ((float4 *)out)[idx[t]] = f;", "((float4 *)out)[idx[t]]", 8, 1),
        ("if (t < 2) out[idx[t]] = v;", "out[idx[t]]", 8, None),
        ("if (t % 32 < 1 + idx[0]) out[idx[t]] = v;", "out[idx[t]]", None, None),
    ],
)
def test_one_lane_touches_one_sector(
    statement: str, text: str, requests: int | None, counts: int | None, tmp_path: Path
) -> None:
    source = f"""// kernlint: launch(grid=8, block=128)
__global__ void k(const int *idx, const float *in, float *out) {{
    __shared__ float s[32];
    int t = threadIdx.x;
    float v = in[t];
    float4 f = ((const float4 *)in)[t];
    {statement}
    out[blockIdx.x * 128 + t] = v + s[t % 32];
}}
"""
    found = access(run(tmp_path, source), text)
    assert found.requests == requests or requests is None
    assert (mean(found) if found.status == "exact" else None) == counts


@pytest.mark.slow
def test_choices_by_many_bits_of_the_block_are_not_refused(tmp_path: Path) -> None:
    """A thousand sets of blocks, each of which could have a run of its own: after some, choices are
    made within a run."""
    text = """// kernlint: launch(grid=262144, block=256)
__global__ void k(float *o) {
    int i = threadIdx.x;
    if (blockIdx.x * 256 + threadIdx.x >= 67108787) return;
    for (int b = 0; b < 10; b++) i = (blockIdx.x >> b) & 1 ? i + (256 << b) : i;
    o[i] = 1;
}
"""
    (stored,) = run(tmp_path, text).accesses
    assert (stored.status, stored.requests) == ("exact", 262144 * 8 - 2)
    assert stored.sectors is not None and (stored.sectors.min, stored.sectors.max) == (3, 4)
