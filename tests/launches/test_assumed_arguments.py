"""What `assume(…)` states of arguments: it decides numbers, holds for every value it allows, is
named where it does, and must be true."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest

from kernlint.base.span import Problem, Span
from kernlint.checks.run import check
from kernlint.launches.assumptions import combined, laid_over
from kernlint.model import facts
from kernlint.model.facts import ArgumentFact, Launch
from kernlint.model.settings import Selection, Settings
from kernlint.pipeline import engine
from kernlint.source import files
from kernlint.source.directives import Assumption, directives
from tests.execution.test_execution import access, run

LAUNCH = "// kernlint: launch(grid=4, block=256)\n"


def assume(text: str, launch: str = LAUNCH) -> str:
    return f"{launch}// kernlint: assume({text})\n"


def analyse(text: str, settings: Settings | None = None) -> facts.File:
    return engine.analyse(
        (), settings or Settings(), stdin=files.from_bytes("a.cu", text.encode())
    ).files[0]


# ------------------------------------------------------------------ what it decides

PITCHED = """__global__ void k(float *out, int pitch) {
    __shared__ float s[9000];
    s[threadIdx.x * pitch] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x * pitch];
}
"""


def wavefronts(kernel: facts.Kernel, op: str = "load") -> tuple[float, float, float]:
    [found] = [a for a in kernel.accesses if a.space == "shared" and a.op == op]
    assert found.wavefronts is not None
    return found.wavefronts.mean_low, found.wavefronts.mean, found.wavefronts.mean_high


def test_a_pitch_that_is_a_multiple_of_the_banks_is_an_exact_conflict(tmp_path: Path) -> None:
    open_ = run(tmp_path, LAUNCH + PITCHED)
    assert wavefronts(open_)[0] == 1 and wavefronts(open_)[2] == 32
    kernel = run(tmp_path, assume("pitch % 32 == 0, pitch >= 32") + PITCHED)
    [load] = [a for a in kernel.accesses if a.space == "shared" and a.op == "load"]
    assert wavefronts(kernel) == (32, 32, 32) and load.status == "exact" and not load.cases
    assert load.assumptions == ("pitch % 32 == 0 and pitch >= 32, as stated",)
    odd = run(tmp_path, assume("pitch % 2 == 1") + PITCHED)
    assert wavefronts(odd) == (1, 1, 1)


def test_a_pitch_that_may_be_0_is_said_not_to_be(tmp_path: Path) -> None:
    """All lanes on one word would be one wavefront: what is stated leaves that open."""
    kernel = run(tmp_path, assume("pitch % 32 == 0") + PITCHED)
    [load] = [a for a in kernel.accesses if a.space == "shared" and a.op == "load"]
    assert wavefronts(kernel) == (32, 32, 32) and load.status == "range"
    assert load.assumptions == ("pitch is not 0", "pitch % 32 == 0, as stated")


ROWS = """__global__ void k(float4 *v, float *out, int n) {
    out[blockIdx.x * n + threadIdx.x] = 1;
    v[blockIdx.x * (n / 4) + threadIdx.x].x = 2;
}
"""


def sectors(found: facts.Access) -> tuple[float, float, float]:
    assert found.sectors is not None
    return found.sectors.mean_low, found.sectors.mean, found.sectors.mean_high


def test_divisibility_settles_alignment(tmp_path: Path) -> None:
    def store(text: str) -> facts.Access:
        return access(
            run(tmp_path, (assume(text) if text else LAUNCH) + ROWS),
            "out[blockIdx.x * n + threadIdx.x]",
        )

    assert sectors(store("")) == (4, 4.625, 4.75) and sectors(store("n % 4 == 0")) == (4, 4.25, 4.5)
    halves = store("n % 8 == 0")  # whole sectors, though rows need not begin with a cache line
    assert (
        sectors(halves) == (4, 4, 4) and halves.cache_lines is not None and halves.status == "range"
    )
    aligned = store("n % 32 == 0")
    assert (
        aligned.status == "exact"
        and sectors(aligned) == (4, 4, 4)
        and aligned.assumptions == ("n % 32 == 0, as stated",)
    )
    shifted = store("n % 32 == 4")  # half a sector further with every row
    assert shifted.status == "exact" and shifted.sectors == store("n == 1028").sectors


def test_a_vector_index_of_a_multiple_is_aligned(tmp_path: Path) -> None:
    source = ROWS.replace(
        "v[blockIdx.x * (n / 4) + threadIdx.x].x = 2",
        "v[blockIdx.x * (n >> 2) + threadIdx.x] = make_float4(1, 1, 1, 1)",
    )
    kernel = run(tmp_path, assume("n % 32 == 0") + source)
    store = access(kernel, "v[blockIdx.x * (n >> 2) + threadIdx.x]")
    assert store.status == "exact" and store.sectors is not None and store.sectors.mean == 16


GUARDED = """__global__ void k(float *out, const int *p, int n, float x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i + 4096] = x;
    if (i < n) out[i] = x;
}
"""


def test_bounds_decide_guards(tmp_path: Path) -> None:
    presumed = access(run(tmp_path, LAUNCH + GUARDED), "out[i]")
    assert presumed.status == "range" and any("exceeds" in text for text in presumed.assumptions)
    kernel = run(tmp_path, assume("n >= 1024") + GUARDED)
    inside, before = access(kernel, "out[i]"), access(kernel, "out[i + 4096]")
    assert (
        inside.status == "exact"
        and inside.requests == 32
        and inside.assumptions == ("n >= 1024, as stated",)
    )
    assert before.status == "exact" and before.assumptions == ()  # nothing of it uses n
    [branch] = kernel.branches
    assert (branch.status, branch.divergent, branch.assumptions) == (
        "exact",
        0,
        ("n >= 1024, as stated",),
    )
    assert [a.text for a in run(tmp_path, assume("n <= 0") + GUARDED).accesses if a.requests] == [
        "out[i + 4096]"
    ]


def test_a_bound_below_the_indices_is_not_presumed_away(tmp_path: Path) -> None:
    """`n exceeds every index` cannot be where n is stated to be at most 800 and indices go to
    1023."""
    kernel = run(tmp_path, assume("n <= 800") + GUARDED)
    [branch] = kernel.branches
    assert branch.status == "range" and not any("exceeds" in text for text in branch.assumptions)
    assert (branch.divergent_low, branch.divergent_high) == (0, 1)
    assert access(kernel, "out[i]").requests is None


def test_a_multiple_of_the_warp_parts_no_warp(tmp_path: Path) -> None:
    [branch] = run(tmp_path, assume("n % 32 == 0, n <= 800") + GUARDED).branches
    assert (branch.status, branch.evaluations, branch.divergent) == ("exact", 32, 0)
    [branch] = run(tmp_path, assume("n % 16 == 0, n <= 800") + GUARDED).branches
    assert (branch.status, branch.divergent_low, branch.divergent_high) == ("range", 0, 1)


def test_what_leaves_early_is_said_of_all_that_follows(tmp_path: Path) -> None:
    source = """__global__ void k(float *out, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 1;
    for (int j = 0; j < 4; j++) { out[i + j] = 3; if (j > m) break; }
    if (i >= n) return;
    out[2 * i] = 2;
}"""
    kernel = run(tmp_path, assume("n > 2000, m > 8") + source)
    assert access(kernel, "out[i]").assumptions == ()
    assert access(kernel, "out[i + j]").assumptions == ("m > 8, as stated",)
    assert set(access(kernel, "out[2 * i]").assumptions) == {
        "n > 2000, as stated",
        "m > 8, as stated",
    }


# ------------------------------------------------------------------ it holds for every value

TERMS = (
    "threadIdx.x * n",
    "threadIdx.x + n",
    "blockIdx.x * n + threadIdx.x",
    "threadIdx.x * 4 + n",
    "(threadIdx.x % 8) * n + threadIdx.x / 8",
)
TERMS += (
    "threadIdx.x + (n / 4) * blockIdx.x",
    "(threadIdx.x * 2 + n) % 64",
    "threadIdx.x * (n + 1)",
    "(threadIdx.x & 3) * n * 2 + n / 8",
)
TERMS += (
    "threadIdx.x + (n + 31) / 32 * blockIdx.x",
    "threadIdx.y * n + threadIdx.x",
    "n - 1 - threadIdx.x % n",
    "threadIdx.x % 16 * (n >> 1)",
)
GUARDS = (
    "",
    "",
    "",
    "if (threadIdx.x < n)",
    "if (blockIdx.x * 64 + threadIdx.x < n)",
    "if (threadIdx.x * 2 >= n)",
    "if (threadIdx.x + n > 90)",
)
GUARDS += ("for (int j = threadIdx.x; j < n && j < 300; j += 64)",)


def made(seed: int) -> tuple[str, str, list[int]]:
    """A kernel, what is assumed of n, and values that meet it."""
    rng = random.Random(seed)
    modulus = rng.choice((1, 2, 3, 4, 8, 12, 16, 32, 64, 96))
    rest = rng.choice((0, 0, rng.randrange(modulus)))
    low = rng.choice((1, 2, 31, 64, 100, 257, 1024, 4096))
    high = rng.choice((None, None, low + 3 * modulus, low + 40 * modulus, 300 + low, 9000))
    parts = (
        [f"n >= {low}"]
        + ([f"n % {modulus} == {rest}"] if modulus > 1 else [])
        + ([f"n <= {high}"] if high else [])
    )
    most = min(high or low + 4000, low + 4000)
    values = [n for n in range(low, most + 1) if n % modulus == rest]
    rng.shuffle(values)
    lines = []
    for _ in range(3):
        array = rng.choice(("s", "g", "v"))
        term = rng.choice(TERMS)
        lines.append(
            f"{rng.choice(GUARDS)} {array}[{term}] = {'make_float4(1, 1, 1, 1)' if array == 'v' else '1'};"
        )
    rng.shuffle(parts)
    body = "\n    ".join(lines)
    return (
        f"__global__ void k(float *g, float4 *v, int n) {{\n    extern __shared__ float s[];\n    {body}\n}}\n",
        ", ".join(parts),
        values[:5],
    )


def holds(said: facts.Counts | None, status: str, true: facts.Counts | None) -> bool:
    if said is None or true is None:
        return True
    if status == "exact":
        return math.isclose(said.mean, true.mean) and (said.min, said.max) == (true.min, true.max)
    return said.mean_low - 1e-9 <= true.mean <= said.mean_high + 1e-9


def contradictions(said: facts.Kernel, true: facts.Kernel) -> list[str]:
    found = []
    run_ = {(a.span, a.op, a.space): a for a in true.accesses}
    for a in said.accesses:
        other = run_.get((a.span, a.op, a.space))
        presumed = any(not text.endswith(facts.AS_STATED) for text in a.assumptions)
        if presumed or a.status == "unknown":
            continue
        if other is None or not other.requests:
            if a.status == "exact" and a.requests:
                found.append(f"{a.text}: not executed")
            continue
        if a.requests is not None and a.requests != other.requests:
            found.append(f"{a.text}: {other.requests} requests, not {a.requests}")
        if a.requests is not None or a.status == "exact":
            for name in ("wavefronts", "sectors", "cache_lines"):
                if not holds(getattr(a, name), a.status, getattr(other, name)):
                    found.append(
                        f"{a.text}: {name} {getattr(other, name)}, not {getattr(a, name)} ({a.status})"
                    )
        if a.reason == "unknown-argument" and not any("n " in text for text in a.assumptions):
            found.append(f"{a.text}: n is not among {a.assumptions}")
    for b, c in zip(said.branches, true.branches, strict=True):
        if b.status == "exact" and (b.evaluations, b.divergent) != (c.evaluations, c.divergent):
            found.append(
                f"{b.condition}: {c.divergent} of {c.evaluations}, not {b.divergent} of {b.evaluations}"
            )
    return found


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
def test_what_is_said_under_an_assumption_holds_for_every_value_it_allows(seed: int) -> None:
    source, text, values = made(seed)
    launch = "// kernlint: launch(grid=3, block=(64, 2), dynamic_shared=1024{})\n"
    text = f"// kernlint: assume({text})\n{source}"
    lines = "\n" * (len(values) - 1)  # what is compared stands on the same lines
    [said] = analyse(lines + launch.format("") + text).kernels
    found = analyse("".join(launch.format(f", n={n}") for n in values) + text)
    assert not found.problems and len(found.kernels) == len(values)
    for kernel in found.kernels:
        assert not contradictions(said, kernel), (text, kernel.launch.arguments)


# ------------------------------------------------------------------ facts must agree

HERE = Span("a.cu", 3, 4, 3, 40)


def stated(text: str) -> tuple[Assumption, ...]:
    found = directives([(HERE, f"// kernlint: assume({text})")])
    assert not found.problems
    return found.assumptions


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("n % 4 == 3", ArgumentFact("n", (), 4, 3)),
        ("n % 4 == 1, n % 6 == 3", ArgumentFact("n", (), 12, 9)),
        ("n > 5, n % 8 == 0, n < 30", ArgumentFact("n", (), 8, 0, 8, 24)),
        ("32 <= n && n != 32", ArgumentFact("n", (), 1, 0, 33)),
        ("n != 0", ArgumentFact("n", (), 1, 0, 1)),
        ("n != 7", ArgumentFact("n")),
        ("n >= 9, n % 5 == 0, n <= 11", ArgumentFact("n", (), 5, 0, 10, 10)),
    ],
)
def test_facts_about_one_argument_become_one(text: str, fact: ArgumentFact) -> None:
    problems: list[Problem] = []
    found = combined(stated(text), "k", problems)["n"]
    assert not problems and (found.multiple, found.rest, found.low, found.high) == (
        fact.multiple,
        fact.rest,
        fact.low,
        fact.high,
    )


def test_a_fact_is_the_set_of_values_that_meet_it() -> None:
    for seed in range(40):
        rng = random.Random(seed)
        a, b = rng.randrange(1, 13), rng.randrange(1, 13)
        x, y, low, high = (
            rng.randrange(a),
            rng.randrange(b),
            rng.randrange(40),
            rng.randrange(20, 80),
        )
        text = f"n % {a} == {x}, n >= {low}, n % {b} == {y}, n < {high}"
        problems: list[Problem] = []
        fact = combined(stated(text), "k", problems).get("n", ArgumentFact("n"))
        true = [n for n in range(200) if n % a == x and n % b == y and low <= n < high]
        if problems:
            assert not true
        else:
            assert fact.low is not None and fact.high is not None
            assert [
                n for n in range(fact.low, fact.high + 1) if n % fact.multiple == fact.rest
            ] == true


def told(text: str, launch: Launch) -> list[str]:
    problems: list[Problem] = []
    laid_over([launch], stated(text), "k", problems)
    assert all((p.code, p.span.line, p.kernel) == ("KL093", 3, "k") for p in problems)
    return [problem.message for problem in problems]


def test_a_fact_that_the_launch_contradicts_is_told() -> None:
    launch = Launch((10, 1, 1), (128, 1, 1), 0, {"n": 1022}, "launch at line 88")
    assert told("n % 4 == 0, blockDim.x == 128", launch) == [
        "assumption `n % 4 == 0` contradicts the launch at line 88: n is 1022 there"
    ]
    assert told("n == 1022, gridDim.x <= 10, n < 2000", launch) == []
    assert told("blockDim.x == 64", launch) == [
        "assumption `blockDim.x == 64` contradicts the launch at line 88: blockDim.x is 128 there"
    ]
    assert told("gridDim.y > 1", launch) == [
        "assumption `gridDim.y > 1` contradicts the launch at line 88: gridDim.y is 1 there"
    ]
    assert told("n >= 8, n < 8", Launch(None, (256, 1, 1), None)) == [
        "assumption `n < 8` contradicts `n >= 8`: no value meets both"
    ]


def test_the_launch_keeps_its_values_and_takes_what_it_lacks() -> None:
    problems: list[Problem] = []
    launch = Launch(
        (10, 1, 1), (256, 1, 1), None, {"n": 1022}, "launch at line 88", block_assumed=True
    )
    [found] = laid_over(
        [launch],
        stated("n == 5, m == 7, p % 2 == 0, blockDim.x == 32, blockDim.y == 8"),
        "k",
        problems,
    )
    assert (found.block, found.block_assumed, found.arguments) == (
        (32, 8, 1),
        False,
        {"n": 1022, "m": 7},
    )
    assert [(fact.name, fact.texts) for fact in found.stated] == [
        ("m", ("m == 7",)),
        ("p", ("p % 2 == 0",)),
    ] and len(problems) == 1
    [sized] = laid_over([Launch(None, (64, 1, 1), None)], stated("gridDim.x == 4"), "k", [])
    assert (sized.grid, sized.origin, sized.dynamic_shared_bytes) == ((4, 1, 1), "directive", 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("m % 4 == 0", "has no effect: `k` has no argument `m`"),
        ("blokDim.x == 4", "has no argument `blokDim.x`, did you mean `blockDim.x`?"),
        ("p % 4 == 0", "the argument `p` is not an integer"),
        ("c > 300", "holds for no value of `c`, which is unsigned char"),
        ("blockDim.x % 32 == 0", "has no effect: the size is unknown"),
        ("n % 4 == 4", "the remainder must be from 0 to 3"),
        ("n >> 4", "is not an integer"),
    ],
)
def test_an_assumption_that_cannot_be_obeyed_is_an_error_with_its_place(
    text: str, message: str
) -> None:
    file = analyse(
        f"// kernlint: assume({text})\n__global__ void k(float *p, int n, unsigned char c) {{ p[n + c] = 1; }}\n"
    )
    [finding] = [f for f in check(facts.Report("h100", (file,)), Selection()) if f.code == "KL093"]
    assert message in finding.message and finding.severity == "error" and finding.span.line == 1
    assert not any("as stated" in text for kernel in file.kernels for text in kernel.assumptions)


def test_assumptions_that_apply_to_no_kernel_are_told() -> None:
    [problem] = analyse(
        "__global__ void k(float *p) { p[0] = 1; }\n// kernlint: assume(n % 4 == 0)\n"
    ).problems
    assert (problem.code, problem.message, problem.span.line) == (
        "KL093",
        "assumption matches no kernel: none follows it",
        2,
    )


def test_an_assumption_stands_beside_a_launch_directive_and_host_code() -> None:
    text = (
        "// kernlint: assume(n % 32 == 0)\n"
        + GUARDED
        + "int main() { k<<<4, 256>>>(nullptr, nullptr, SIZE, 1.0f); }\n"
    )
    [kernel] = analyse(text.replace("SIZE", "1024")).kernels
    assert (
        kernel.launch.arguments["n"] == 1024
        and kernel.launch.stated == ()
        and kernel.assumptions == ()
    )
    file = analyse(text.replace("SIZE", "1000"))
    assert [p.message for p in file.problems] == [
        "assumption `n % 32 == 0` contradicts the launch at line 7: n is 1000 there"
    ]
    assert file.kernels[0].launch.arguments["n"] == 1000


# ------------------------------------------------------------------ strides

STRIDED = """__global__ void k(float *a, double *d, char *c, int pitch) {
    extern __shared__ float s[];
    int t = threadIdx.x;
    a[t * pitch + 5] = 1;
    a[(t / 2) * pitch + t % 2] = 2;
    d[blockIdx.x * 4096 + t * pitch] = 3;
    c[t * pitch] = 4;
    s[(t % 32) * pitch + t / 32] = 5;
    s[t / 4 * pitch + t % 4] = 6;
}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("said", "decided"),
    [
        ("pitch >= 8", "a[t * pitch + 5]"),
        ("pitch >= 4", "d[blockIdx.x * 4096 + t * pitch]"),
        ("pitch >= 32", "c[t * pitch]"),
        ("pitch % 8 == 0, pitch >= 16", "a[(t / 2) * pitch + t % 2]"),
        ("pitch % 32 == 1", "s[(t % 32) * pitch + t / 32]"),
        ("pitch % 32 == 2", "s[(t % 32) * pitch + t / 32]"),
        ("pitch % 8 == 4", "s[(t % 32) * pitch + t / 32]"),
        ("pitch % 32 == 4", "s[t / 4 * pitch + t % 4]"),
        ("pitch % 32 == 1, pitch >= 33", "a[t * pitch + 5]"),
        ("pitch % 8 == 3, pitch >= 8", "a[t * pitch + 5]"),
    ],
)
def test_bounds_and_residues_of_a_stride_decide_what_they_can(
    said: str, decided: str, tmp_path: Path
) -> None:
    """And hold for the first values that meet them, each counted by itself."""
    kernel = run(
        tmp_path,
        assume(said, LAUNCH.replace("block=256", "block=256, dynamic_shared=40000")) + STRIDED,
    )
    [fact] = kernel.launch.stated
    known = [a for a in kernel.accesses if a.status == "exact"]
    assert decided in {a.text for a in known}
    least = fact.within(0)
    assert least is not None and least.low is not None
    pitches = range(least.low, least.low + 40 * fact.multiple, fact.multiple)
    launches = [
        LAUNCH.replace("block=256", f"block=256, dynamic_shared=40000, pitch={pitch}")
        for pitch in pitches
    ]
    alone = analyse("".join(launches) + STRIDED).kernels
    assert sorted(one.launch.arguments["pitch"] for one in alone) == list(pitches)
    for one in alone:
        for a in known:
            counted, at = access(one, a.text), (one.launch.arguments, a.text)
            assert (counted.sectors, counted.wavefronts) == (a.sectors, a.wavefronts), at
            assert a.cache_lines in (None, counted.cache_lines), at


NULLABLE = """__global__ void k(float *out, const float *bias) {
  int i = threadIdx.x;
  float v = 1;
  if (bias) v = bias[2 * i];
  out[i] = v;
}
"""


@pytest.mark.parametrize(
    ("call", "requests", "status", "assumptions"),
    [
        ("k<<<4, 256>>>(a, nullptr);", 0, "", ()),
        ("k<<<4, 256>>>(a, a);", 32, "exact", ()),
        ("", 32, "range", ("bias is not null",)),
    ],
)
def test_null_pointers_are_known_or_taken_not_to_be(
    call: str, requests: int, status: str, assumptions: tuple[str, ...]
) -> None:
    """What a launch hands in as null is null (it was read as if it were not); of a pointer that
    nobody tells it is said."""
    launch = "" if call else LAUNCH
    [kernel] = analyse(f"{launch}{NULLABLE}\nvoid go(float *a) {{ {call} }}").kernels
    loads = [a for a in kernel.accesses if a.op == "load"]
    assert [(a.requests, a.status, a.assumptions) for a in loads] == (
        [(requests, status, assumptions)] if requests else []
    )


def test_what_is_read_through_a_null_pointer_is_said_to_be() -> None:
    """A launch with null that only states sizes: the counts are those of an array, and that rests
    on an assumption."""
    [kernel] = analyse(
        "__global__ void k(float *a) { a[2 * threadIdx.x] = 1; }\nvoid go() { k<<<1, 64>>>(nullptr); }"
    ).kernels
    [store] = kernel.accesses
    assert store.status == "range" and store.sectors is not None and store.sectors.mean == 8
    assert store.assumptions == ("a points to memory, though the launch hands in null",)


def test_a_place_beside_null_is_not_null() -> None:
    text = "__global__ void k(float *a) { float *p = a + threadIdx.x; if (p) p[0] = 1; }\nvoid go() { k<<<1, 64>>>(nullptr); }"
    [store] = analyse(text).kernels[0].accesses
    assert store.requests == 2 and store.active_lanes == 31.5
