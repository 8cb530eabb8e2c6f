"""Stores of which one thread makes each, or all make the same: no race."""

from __future__ import annotations

import pytest

from kernlint.model import facts
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files


def races(body: str, block: str = "128") -> tuple[facts.Race, ...]:
    source = (
        "__global__ void k(const float *x, int *o, int n) {\n"
        "    __shared__ int first, found; __shared__ float tile[8][129];\n"
        "    if (threadIdx.x == 0) first = x[n];\n"
        "    __syncthreads();\n"
        f"    {body}\n}}\n"
        f"void run(float *x, int *o, int n) {{ k<<<n, dim3({block})>>>(x, o, n); }}\n"
    )
    return kernel(source).races


def kernel(source: str) -> facts.Kernel:
    file = engine.analyse((), Settings(), stdin=files.from_bytes("k.cu", source.encode())).files[0]
    return file.kernels[0]


@pytest.mark.parametrize(
    ("condition", "raced"),
    [
        ("threadIdx.x == first", False),
        ("first == threadIdx.x + 3", False),
        ("blockIdx.x * blockDim.x + threadIdx.x == 0", False),
        ("threadIdx.x / 2 == first", True),
        ("x[threadIdx.x] == x[n]", True),
    ],
)
def test_one_thread_of_a_block_races_with_none(condition: str, raced: bool) -> None:
    assert bool(races(f"if ({condition}) found = x[threadIdx.x];")) is raced


@pytest.mark.parametrize(
    ("condition", "raced"),
    [
        ("4 * threadIdx.x <= first && 4 * (threadIdx.x + 1) > first", False),
        ("4 * threadIdx.x <= first && 4 * (threadIdx.x + 1) >= first", True),
        ("4 * threadIdx.x <= first && 5 * (threadIdx.x + 1) > first", True),
        ("first >= 0 && (int)threadIdx.x + first < 1", False),
        ("lid == 0", False),  # a macro for a thread's number
        ("MODE == 0", True),
    ],
)
def test_bounds_of_one_unknown_leave_one_thread(condition: str, raced: bool) -> None:
    assert bool(races(f"if ({condition}) found = x[threadIdx.x];")) is raced


@pytest.mark.parametrize(
    ("bounds", "raced"),
    [
        ("u <= v && v < u + 1u", False),
        ("u <= v - 1u && v - 1u < u + 1u", False),
        ("u <= v - 1u && v <= u + 1u", True),  # all threads, where v is 0
        ("u <= v && v + 1u <= u + 1u", True),  # all threads, where v is the largest number
    ],
)
def test_what_wraps_around_is_an_unknown_of_its_own(bounds: str, raced: bool) -> None:
    body = f"const unsigned u = threadIdx.x, v = first; if ({bounds}) found += u;"
    assert bool(races(body)) is raced


@pytest.mark.parametrize("elected", ["t == v", "t <= v && v < t + 1"])
@pytest.mark.parametrize("loop", ["i < n", "i < 8"])
@pytest.mark.parametrize(
    ("of_each", "store", "raced"),
    [
        ("o[i]", "found += t;", True),  # by another thread in each iteration
        ("o[i]", "found += t; __syncthreads();", False),
        ("o[i]", "tile[0][i] += t;", False),
        ("first", "found += t;", False),
    ],
)
def test_iterations_elect_threads_of_their_own(
    elected: str, loop: str, of_each: str, store: str, raced: bool
) -> None:
    named = store.replace("; __sync", "; } __sync") if "__sync" in store else f"{store} }}"
    body = f"for (int i = 0; {loop}; i++) {{ int v = {of_each}; if ({elected}) {{ {named} }}"
    found = races(f"const int t = threadIdx.x; {body}")
    assert bool([race for race in found if race.space == "shared"]) is raced


def test_a_loop_that_a_bound_around_lets_one_thread_run() -> None:
    loop = "for (int i = threadIdx.x; i + 1 < m; i += 128) tile[0][i] = tile[0][i + 1];"
    body = f"const int m = first; if (m {{}} 2) {loop}"
    assert races(body.format("<=")) == () and races(body.format(">=")) != ()


@pytest.mark.parametrize(("row", "raced"), [("threadIdx.x", False), ("threadIdx.y", True)])
def test_threads_of_one_column_store_one_value(row: str, raced: bool) -> None:
    body = (
        "tile[threadIdx.x][threadIdx.y] = x[threadIdx.x + 8 * threadIdx.y]; __syncthreads();"
        f" o[blockIdx.x * 8 + threadIdx.x] = tile[0][{row}];"
    )
    stored = [race for race in races(body, "8, 128") if race.object == "o"]
    assert bool(stored) is raced


def test_two_conditions_elect_one_thread() -> None:
    body = "if (threadIdx.x == first) found = n; if (threadIdx.x == first) o[n] = found;"
    assert races(body) == ()
    assert races(body.replace("if (threadIdx.x == first) o", "if (threadIdx.x == n) o")) != ()
    assert races(body.replace("; if", "; first = o[n]; if")) != ()


def test_data_chooses_within_one_array_of_a_structure() -> None:
    source = (
        "struct Store { int bin; int count; int places[64]; };\n"
        "__global__ void k(const float *x, int *o, int n) {\n"
        "    __shared__ Store s;\n"
        "    if (threadIdx.x == 0) { s.bin = n; s.count = 0; }\n"
        "    __syncthreads();\n"
        "    if (x[threadIdx.x] > s.bin) s.places[atomicAdd(&s.count, 1)] = threadIdx.x;\n}\n"
        "void run(float *x, int *o, int n) { k<<<n, 128>>>(x, o, n); }\n"
    )
    file = engine.analyse((), Settings(), stdin=files.from_bytes("k.cu", source.encode())).files[0]
    assert file.kernels[0].races == ()


@pytest.mark.parametrize(("most", "lanes"), [(4, 4), (64, 32)])
def test_a_bound_of_what_is_not_known_keeps_lanes_away(most: int, lanes: int) -> None:
    source = (
        "__global__ void k(float *o, int n) {\n"
        f"    int m = min(n - 7 * (int)blockIdx.x, {most}); if (threadIdx.x < m) o[32 * threadIdx.x] = 1;\n}}\n"
        "void run(float *o, int n) { k<<<n, 128>>>(o, n); }\n"
    )
    [access] = kernel(source).accesses
    assert access.sectors is not None and access.sectors.mean_high == lanes


def test_one_elected_lane_makes_one_wavefront() -> None:
    source = (
        "__global__ void k(float *o, const int *x) {\n"
        "    __shared__ float s[1024]; s[threadIdx.x] = x[1]; __syncthreads();\n"
        "    const int t = threadIdx.x, n = x[0];\n"
        "    if (8 * t <= n && 8 * (t + 1) > n) o[0] = s[8 * t];\n}\n"
        "void run(float *o, const int *x) { k<<<4, 128>>>(o, x); }\n"
    )
    reads = [a for a in kernel(source).accesses if a.space == "shared" and a.op == "load"]
    assert [a.wavefronts and a.wavefronts.mean_high for a in reads] == [1]
