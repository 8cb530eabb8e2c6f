"""Races where barriers order some threads only, loops carry them on, or nobody knows the grid; and
what is said to do about them."""

from __future__ import annotations

import pytest

from kernlint.model.finding import Finding
from tests.support.found import found

KERNEL = """
// kernlint: launch(grid=4, block=64)
__global__ void k(int *out, const int *in, int *all, int n)
{{
    __shared__ int s[64], u[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t, v = 0;
    {body}
    out[i] = v;
}}
"""
IN_OPENCL = """
// kernlint: launch(grid=4, block=64)
__kernel void k(__global int *out, __global const int *in, int n)
{{
    __local int s[64], u[64];
    int t = get_local_id(0), i = get_global_id(0), v = 0;
    {body}
    out[i] = v;
}}
"""


def races(code: str, body: str) -> list[Finding]:
    return found(code, KERNEL.format(body=body))


CARRIED = {
    "for": "for (int k = 0; k < 8; k++) { s[t] = in[k * 64 + t]; __syncthreads(); v += s[63 - t]; }",
    "while": "int k = 0; while (k < 8) { s[t] = in[k * 64 + t]; __syncthreads(); v += s[63 - t]; k++; }",
    "do": "int k = 0; do { s[t] = in[k * 64 + t]; __syncthreads(); v += s[63 - t]; } while (++k < 8);",
    "unknown end": "for (int k = 0; k < n; k++) { s[t] = in[k * 64 + t]; __syncthreads(); v += s[63 - t]; }",
    "halving": "for (int k = 8; k > 0; k /= 2) { s[t] = in[k * 64 + t]; __syncthreads(); v += s[63 - t]; }",
    "inner loop reads": "for (int k = 0; k < 8; k++) { s[t] = in[k * 64 + t]; __syncthreads(); "
    "for (int j = 0; j < 8; j++) v += s[j]; }",
}


@pytest.mark.slow
@pytest.mark.parametrize("body", CARRIED.values(), ids=CARRIED)
def test_a_race_with_the_next_iteration_asks_for_a_barrier_at_the_end(body: str) -> None:
    [race] = races("KL810", body)
    assert "at the end of the body of the loop on line 7" in race.help
    inside = body.replace("v += s[63 - t];", "v += s[63 - t]; __syncthreads();")
    inside = inside.replace("v += s[j];", "v += s[j]; __syncthreads();")
    assert races("KL810", inside) == []


def test_so_it_does_in_opencl() -> None:
    body = (
        "for (int k = 0; k < n; k++) { s[t] = in[k * 64 + t]; barrier(CLK_LOCAL_MEM_FENCE); "
        "v += s[63 - t]; }"
    )
    [race] = found("KL810", IN_OPENCL.format(body=body), "k.cl")
    assert race.help.startswith("put `barrier(CLK_LOCAL_MEM_FENCE)` at the end of the body")


def test_the_iterations_of_an_outer_loop_are_told_apart() -> None:
    body = (
        "for (int m = 0; m < 3; m++)\n for (int k = 0; k < 4; k++) {\n s[t] = in[k * 64 + t];"
        " __syncthreads();\n v += s[63 - t]; }"
    )
    [race] = races("KL810", body)
    assert "of the loop on line 8" in race.help


def test_a_tree_without_a_barrier_races_with_its_next_iteration() -> None:
    body = "s[t] = in[i]; __syncthreads();\nfor (int k = 32; k > 0; k /= 2) if (t < k) s[t] += s[t + k];"
    [race] = races("KL811", body)
    assert "at the end of the body of the loop on line 8" in race.help


def test_the_tail_of_a_reduction_asks_for_two_barriers_a_line() -> None:
    steps = "\n".join(f"s[t] += s[t + {step}];" for step in (32, 16, 8, 4, 2, 1))
    [race] = races("KL811", f"s[t] = in[i];\n__syncthreads();\nif (t < 32) {{\n{steps}\n}}")
    said = " ".join((race.message, *race.notes))
    assert race.span.line == 11 and all(f"`s[t + {step}]` on line" in said for step in (8, 4, 2, 1))
    assert "in each of these lines" in str(race.help)
    assert str(race.help).count("`__syncwarp()`") == 2


def test_each_pair_of_lines_is_told() -> None:
    """The last store is as wrong as the tree before, though both meet in one element."""
    body = (
        "s[t] = in[i]; __syncthreads();\nfor (int k = 32; k > 0; k /= 2) if (t < k) s[t] += s[t + k];"
        "\nv = s[0];\ns[t] = v + t;"
    )
    assert [race.span.line for race in races("KL810", body)] == [9, 10]


NAMED = 'asm volatile("bar.sync %0, {threads};" :: "r"({number}) : "memory");'


@pytest.mark.parametrize(
    ("threads", "number", "read", "many"),
    [
        (32, "1 + t / 32", "s[(t / 32) * 32 + 31 - t % 32]", 0),
        (32, "1 + t / 32", "s[63 - t]", 1),
        (64, "1", "s[63 - t]", 0),
        (64, "in[0]", "s[63 - t]", 0),
    ],
    ids=["own half", "other half", "whole block", "unknown number"],
)
def test_a_named_barrier_orders_those_who_come_to_it(
    threads: int, number: str, read: str, many: int
) -> None:
    barrier = NAMED.format(threads=threads, number=number)
    assert len(races("KL810", f"s[t] = in[i];\n{barrier}\nv = {read};")) == many


def test_threads_that_come_to_several_named_barriers_are_taken_to_be_ordered() -> None:
    one, other = (NAMED.format(threads=32, number=n) for n in ("1 + t / 32", "2 - t / 32"))
    assert races("KL810", f"s[t] = in[i];\n{one}\n{other}\nv = s[63 - t];") == []


@pytest.mark.parametrize(("read", "many"), [("t ^ 15", 0), ("t ^ 16", 1)])
def test_a_tile_orders_its_own_lanes(read: str, many: int) -> None:
    tile = "cooperative_groups::tiled_partition<16>(cooperative_groups::this_thread_block())"
    text = f"auto tile = {tile}; s[t] = in[i];\ntile.sync();\nv = s[{read}];"
    assert len(races("KL811", text)) == many


@pytest.mark.parametrize(
    ("stored", "many"), [("in[t]", 0), ("in[i]", 1), ("in[t] + blockIdx.x", 1)]
)
def test_what_all_blocks_store_alike_does_not_race(stored: str, many: int) -> None:
    body = f"s[t] = {stored}; __syncthreads();\nall[t] = s[63 - t];"
    assert len(races("KL812", body)) == many


BODIES = """
struct Body {{ float x, y, mass, pad; }};
__global__ void step(Body *b, Body *c, int n)
{{
    __shared__ Body tile[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < n; t += 64) {{
        tile[threadIdx.x] = b[t + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 64; k++) sum += tile[k].x * tile[k].mass;
        __syncthreads();
    }}
    {to}[i].x += sum;
}}
void go(Body *b, Body *c, int n) {{ step<<<n / 64, 64>>>(b, c, n); }}
"""


def test_what_all_blocks_read_on_and_each_writes_in_part_may_race() -> None:
    [race] = found("KL812", BODIES.format(to="b"))
    assert (race.severity, race.span.line) == ("warning", 14)
    assert (
        "may write an element of `b` that a thread of another block reads on line 9" in race.message
    )
    assert found("KL812", BODIES.format(to="c")) == []


@pytest.mark.parametrize(
    ("statement", "many"),
    [
        ("*all += 1;", 1),
        ("all[0]++;", 1),
        ("--all[2];", 1),
        ("all[0] = all[0] + 1;", 1),
        ("all[0] = 1;", 0),  # a mark: the same whoever sets it
        ("*all |= 1;", 0),
        ("if (all[0] == 0) all[0] = 1;", 0),
    ],
)
def test_threads_that_data_chooses_may_count_at_once(statement: str, many: int) -> None:
    findings = races("KL812", f"if (in[i] == 7) {{ {statement} }}")
    assert [finding.severity for finding in findings] == ["warning"] * many


def test_a_block_that_goes_through_its_own_row_does_not_race() -> None:
    source = """
__global__ void scale(float *x, int cols)
{
    for (int c = threadIdx.x; c < cols; c += 64) x[blockIdx.x * cols + c] *= 2.0f;
}
void go(float *x, int rows, int cols) { scale<<<rows, 64>>>(x, cols); }
"""
    assert found("KL812", source) == []


def test_without_a_loop_there_is_no_previous_iteration() -> None:
    """Blocks are in no order, on whichever side of a barrier they stand."""
    source = """
__global__ void floyd(int *dist, int n, int k)
{
    __shared__ int via[16];
    int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
    if (threadIdx.x == 0 && i < n) via[threadIdx.y] = dist[i * n + k];
    __syncthreads();
    if (i < n && j < n) {
        int d = via[threadIdx.y] + dist[k * n + j];
        if (d < dist[i * n + j]) dist[i * n + j] = d;
    }
}
void go(int *d) { floyd<<<dim3(3, 3), dim3(16, 16)>>>(d, 42, 5); }
"""
    races = found("KL812", source)
    assert races and not any("iteration" in race.message for race in races)


LAST_BLOCK = """
__device__ unsigned ticket = 0;
__global__ void reduce(const float *x, float *partial, float *result, unsigned n)
{{
    __shared__ bool last;
    float v = 0;
    for (unsigned i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) v += x[i];
    if (threadIdx.x == 0) {{
        partial[blockIdx.x] = v;
        {fence}
        last = atomicInc(&ticket, gridDim.x) == gridDim.x - 1;
    }}
    __syncthreads();
    if (last && threadIdx.x == 0) {{
        v = 0;
        for (unsigned i = 0; i < gridDim.x; i++) v += ((volatile float *)partial)[i];
        *result = v;
    }}
}}
void run(const float *x, float *p, float *r, unsigned n, int blocks) {{ reduce<<<blocks, 256>>>(x, p, r, n); }}
"""


@pytest.mark.parametrize(
    ("fence", "count"), [("__threadfence();", 0), ("__threadfence_block();", 1), ("", 1)]
)
def test_the_last_block_of_an_unknown_grid(fence: str, count: int) -> None:
    found_ = [f for f in found("KL812", LAST_BLOCK.format(fence=fence)) if "partial" in f.message]
    assert len(found_) == count


SIDES = "{around} {{ if ({test}) {{ if (t == 0) s[0] = 1; }} else {{ if (t == 40) s[0] = 3; }} }}"


@pytest.mark.parametrize(
    ("test", "around", "many"),
    [
        ("num[n] < num[n + 1]", "", 0),
        ("n > 0", "", 0),
        ("s[8] < s[9]", "", 0),  # what no thread writes
        ("s[0] < s[9]", "", 1),  # one side may write what decides
        ("num[blockIdx.x] < 3", "", 1),
        ("num[t] < 3", "", 1),
        ("num[j] < 3", "for (int j = 0; j < n; j++)", 1),
    ],
)
def test_all_threads_take_one_side_of_a_common_branch(test: str, around: str, many: int) -> None:
    code = f"""// kernlint: launch(grid=4, block=32)
    __global__ void k(const int *num, float *s, int n) {{
        int t = blockIdx.x * blockDim.x + threadIdx.x;
        {SIDES.format(around=around, test=test)}
    }}"""
    assert len(found("KL812", code)) == many


@pytest.mark.parametrize(
    ("body", "many"),
    [
        ("if (n < 4) { s[t] = 1; return; } s[t + 32] = 3;", 0),
        ("if (num[n] < 4) return; else s[t] = 1; s[t] = 3;", 0),
        ("if (n < 4) { s[t] = 1; } s[t + 32] = 3;", 1),
        ("if (num[t] < 4) { s[t] = 1; return; } s[t + 32] = 3;", 1),
    ],
)
def test_what_stands_behind_a_return_is_on_the_other_side(body: str, many: int) -> None:
    code = f"""// kernlint: launch(grid=4, block=32)
    __global__ void k(const int *num, float *s, int n) {{
        int t = blockIdx.x * blockDim.x + threadIdx.x;
        {body}
    }}"""
    assert len(found("KL812", code)) == many


@pytest.mark.parametrize(
    ("before", "test", "many"),
    [
        ("if (t == 0) flag = num[blockIdx.x]; __syncthreads();", "flag", 0),
        ("", "num[blockIdx.x] > 3", 0),
        ("if (t == 0) flag = num[0];", "flag", 1),  # some may read it before
        ("int own = num[t];", "own > 3", 1),
        ("", "num[2 * t] < num[2 * t + 1]", 1),
    ],
)
def test_all_threads_of_a_block_take_one_side(before: str, test: str, many: int) -> None:
    code = f"""// kernlint: launch(grid=4, block=128)
    __global__ void k(const int *num, int *out) {{
        __shared__ int flag, s[130];
        int t = threadIdx.x;
        {before}
        if ({test}) {{ s[t] = 1; return; }}
        s[t + 1] = 2;
        out[blockIdx.x * 128 + t] = s[t + 1];
    }}"""
    assert len([f for f in found("KL810", code) if "s[t" in f.message]) == many


@pytest.mark.parametrize(
    ("test", "many"),
    [
        ("num[t] < 3", 1),
        ("num[t] < num[t + 128]", 1),
        ("t < num[0]", 0),  # who is below the bound writes nothing that the others do
        ("num[blockIdx.x] < 3", 0),
    ],
)
def test_threads_take_sides_by_data_of_their_own(test: str, many: int) -> None:
    code = f"""// kernlint: launch(grid=4, block=128)
    __global__ void k(const int *num, int *out) {{
        __shared__ int s[130];
        int t = threadIdx.x;
        if ({test}) s[t] = 1; else s[t + 1] = 2;
        __syncthreads();
        out[blockIdx.x * 128 + t] = s[127 - t];
    }}"""
    found_ = [f for f in found("KL810", code) if "several" in f.message or "writes" in f.message]
    assert len(found_) == many


ASSUMED = """
__global__ void k(float *out, const float *in, int n)
{{
    extern __shared__ float buffer[];
    __shared__ float tile[257];
    float *sum = &buffer[0], *other = &buffer[{apart}];
    int t = threadIdx.x;
    {body}
}}
"""


@pytest.mark.parametrize(
    ("apart", "body", "races"),
    [
        (64, "sum[t] = in[t]; other[t] = in[n + t]; out[t] = sum[t] + other[t];", False),
        (1, "buffer[t] = in[t]; out[t] = buffer[t + 1];", True),
        (0, "sum[t] = in[t]; out[t] = other[255 - t];", True),
        (1, "tile[t] = in[t]; out[t] = tile[t] + tile[t + 1];", True),
        (1, "tile[t] = in[t]; __syncthreads(); out[t] = tile[t] + tile[t + 1];", False),
    ],
)
def test_a_smaller_block_than_the_assumed_one_may_keep_parts_apart(
    apart: int, body: str, races: bool
) -> None:
    found_ = found("KL810", ASSUMED.format(apart=apart, body=body))
    assert [f.severity for f in found_] == ["warning"] * races


VOLUME = """__global__ void k(float *u, int w, int h, int d)
{{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < 1 || x >= w || y >= h || z >= d) return;
    {body}
}}
"""


@pytest.mark.parametrize(
    "at", ["z * w * h + y * w + x", "(z * h + y) * w + x", "x + w * (y + h * z)"]
)
@pytest.mark.parametrize(("read", "many"), [("{at}", 0), ("{at} - 1", 1)])
def test_rows_of_a_volume_are_told_apart(at: str, read: str, many: int) -> None:
    body = f"u[{at}] = 2 * u[{read.format(at=at)}];"
    assert len(found("KL812", VOLUME.format(body=body))) == many


HEADS = """
__global__ void k(float *q, size_t row, size_t head, unsigned heads, unsigned rows)
{{
    unsigned i = blockIdx.x * 8 + threadIdx.y;
    if (i >= rows) return;
    for (unsigned h = blockIdx.y; h < heads; h += 2 * gridDim.y) {{
        float *one = q + (i * row + h * head), *other = q + (i * row + (h + gridDim.y) * head);
        float v = one[threadIdx.x], w = other[threadIdx.x];
        {body}
    }}
}}
void f(float *q, size_t row, size_t head, unsigned heads, unsigned rows)
{{
    k<<<dim3((rows + 7) / 8, 4), dim3(16, 8)>>>(q, row, head, heads, rows);
}}
"""


def test_heads_of_rows_of_unknown_length_are_told_apart() -> None:
    writes = "one[threadIdx.x] = w; other[threadIdx.x] = v;"
    assert found("KL812", HEADS.format(body=writes)) == []
    assert found("KL812", HEADS.format(body="one[threadIdx.x + 1] = v;")) != []


def test_rows_that_three_numbers_choose() -> None:
    body = "for (int c = 0; c < 4; c++) u[((c * d + z) * h + y) * w + x] *= 2;"
    assert found("KL812", VOLUME.format(body=body)) == []


COLOURS = """__global__ void k(float *u, int n, int colour, const int *data)
{{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, t = threadIdx.x + 1;
    __shared__ float s[258];
    {body}
}}
void f(float *u, int n, int c, const int *d) {{ k<<<64, 256>>>(u, n, c, d); }}
"""
RELAXED = "u[x] = u[x - 1] + u[x + 1];"
SHARED = "s[t] = s[t - 1] + s[t + 1];"


@pytest.mark.parametrize(
    ("body", "many"),
    [
        (f"if (x < n - 1 && (x & 1) == colour) {RELAXED}", 0),
        (f"if (x >= n - 1) return; if (x % 2 != colour) return; {RELAXED}", 0),
        (f"if ((t & 1) == colour) {SHARED}", 0),
        (f"if ((t & 1) == data[blockIdx.x]) {SHARED}", 0),
        (f"if (t % 3 == colour) {SHARED}", 0),
        (f"if ((x & 1) != colour) {RELAXED}", 1),  # of three values two may pass
        (f"if ((x & 1) == data[blockIdx.x]) {RELAXED}", 1),  # blocks take different colours
        (f"if ((x & 1) == data[x]) {RELAXED}", 1),
        (f"if ((t & 1) == data[t]) {SHARED}", 1),
        (f"if ((t >> 1 & 1) == colour) {SHARED}", 1),
        (f"for (int i = 0; i < n; i++) {{ if ((t & 1) == colour) {SHARED} colour ^= 1; }}", 1),
    ],
)
def test_threads_of_one_colour(body: str, many: int) -> None:
    source = COLOURS.format(
        body=f"s[t] = u[x]; __syncthreads();\n{body}\n__syncthreads(); u[0] = s[t];"
    )
    hits = [hit for code in ("KL810", "KL811", "KL812") for hit in found(code, source)]
    lines = {hit.span.line for hit in hits if hit.span.line == 6}
    assert len(lines) == many


RING = (
    "for (int k = 0; k < n; k++) {{ __syncthreads(); s[(k + 1) % 2 * 32 + t % 32] = in[k];"
    " v += s[{read} % 2 * 32 + (t + 1) % 32]; }}"
)


@pytest.mark.parametrize(("read", "raced"), [("k", False), ("(k + 1)", True)])
def test_halves_that_a_counter_of_unknown_end_chooses(read: str, raced: bool) -> None:
    told = races("KL810", "s[t] = 0; " + RING.format(read=read))
    assert [f.severity for f in told] == ["warning"] * raced


@pytest.mark.parametrize(
    ("update", "told"),
    [
        ("atomicAdd_block(&all[in[i]], 1);", ["warning"]),
        ("atomicAdd(&all[in[i]], 1);", []),
        ("atomicAdd_block(&all[blockIdx.x * 64 + (in[i] & 63)], 1);", []),
        ("atomicAdd_block(&all[in[blockIdx.x] + (in[i] & 63)], 1);", []),  # a block's own part
    ],
)
def test_atomic_for_a_block_where_data_chooses(update: str, told: list[str]) -> None:
    assert [f.severity for f in races("KL812", update)] == told
