"""Laws against formulas by hand and against counted launches."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
import sympy

from kernlint.hardware import device
from kernlint.ir import nodes as ir
from kernlint.laws.branch_law import branch_laws
from kernlint.laws.check import SIZES, check, in_domain
from kernlint.laws.evaluation import value_at
from kernlint.laws.functions import symbol
from kernlint.laws.grammar import law_text
from kernlint.laws.law import AccessLaw, laws
from kernlint.laws.law_facts import SAME_PLACE
from kernlint.model.facts import ArgumentFact, Kernel, KernelLaw, Launch
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.render import derivation
from tests.laws.coverage import PROGRAMS, executed
from tests.laws.random_kernels import held
from tests.laws.small_kernels import ANY_BLOCK, CASES, SMALL, TWINS, Small
from tests.places import DATA
from tests.support.lowered import program

H100 = device("h100")
POINTS = 50


def lowered(text: str) -> ir.Kernel:
    found = program(text)
    return found.instantiate(found.kernels()[-1], None)


def law_of(small: Small) -> tuple[ir.Kernel, Launch, AccessLaw]:
    kernel = lowered(small.text)
    launch = Launch(None, small.block, None)
    found, _ = laws(kernel, launch, H100)
    sites = [site for site in found if site.text == small.access]
    return kernel, launch, found[sites[small.place]]


def points(
    kernel: ir.Kernel, law: AccessLaw, block: Mapping[str, int] | None = None
) -> Iterator[dict[str, int]]:
    """Points of the law's domain, 0, 1 and -1 among them where they lie in it."""
    chance = random.Random(3)
    names = [p.name for p in kernel.parameters if p.object is None]
    found = 0
    for number in range(40 * POINTS):
        point = {
            name: SIZES[number % len(SIZES)] if number < len(SIZES) else chance.choice(SIZES)
            for name in names
        }
        point |= {f"gd{axis}": chance.randint(1, 3) for axis in "xyz"}
        if in_domain(law.domain, numbers({**point, **(block or {})})):
            found += 1
            yield point
        if found == 4 * POINTS:
            return


def numbers(point: Mapping[str, int]) -> dict[sympy.Symbol, int]:
    return {symbol(name): n for name, n in point.items()}


@pytest.mark.parametrize(
    "small",
    [  # each fourth is for the fast tests
        pytest.param(one, marks=[pytest.mark.slow] * (i % 4 > 0), id=f"{one.kind}: {one.access}")
        for i, one in enumerate(SMALL)
    ],
)
def test_a_law_is_the_formula_that_a_person_wrote(small: Small) -> None:
    kernel, _, law = law_of(small)
    compared = 0
    for point in points(kernel, law):
        for part, formula in small.formulas.items():
            expression = getattr(law, part)
            assert expression is not None, (part, law.reason)
            assert value_at(expression, numbers(point)) == formula(**point), (part, point)
        compared += 1
    assert compared >= POINTS


@pytest.mark.parametrize(
    "small",
    [
        pytest.param(one, marks=[pytest.mark.slow] * (i % 4 != 1), id=f"{one.kind}: {one.access}")
        for i, one in enumerate(TWINS)
    ],
)
def test_other_idioms_of_these_kinds_have_laws(small: Small) -> None:
    test_a_law_is_the_formula_that_a_person_wrote(small)


@pytest.mark.slow
@pytest.mark.parametrize("small", CASES, ids=lambda one: f"{one.kind}: {one.access}")
def test_a_case_has_the_law_that_a_person_wrote(small: Small) -> None:
    test_a_law_is_the_formula_that_a_person_wrote(small)


@pytest.mark.parametrize(
    "small",
    [
        pytest.param(one, marks=[pytest.mark.slow] * (i != 3), id=f"{one.kind}: {one.access}")
        for i, one in enumerate(ANY_BLOCK)
    ],
)
def test_a_law_of_every_block_is_the_formula_that_a_person_wrote(small: Small) -> None:
    kernel = lowered(small.text)
    found, _ = laws(kernel, Launch(None, small.block, None), H100, any_block=True)
    law = next(law for site, law in found.items() if site.text == small.access)
    compared = 0
    for point, threads in itertools.islice(
        itertools.product(points(kernel, law, {"bdx": 256}), (32, 64, 96, 256, 1024)), 5 * POINTS
    ):
        at = point | {"bdx": threads}
        assert in_domain(law.domain, numbers(at))
        for part, formula in small.formulas.items():
            assert value_at(getattr(law, part), numbers(at)) == formula(**at), (part, at)
        compared += 1
    assert compared == 5 * POINTS


ASSUMED_BLOCK = """__global__ void k(float *o, int n) {{
    extern __shared__ float s[]; int t = threadIdx.x; {}
    if (t < n) o[blockIdx.x * blockDim.x + t] = s[t]; }}
"""


@pytest.mark.parametrize(
    ("more", "domain"),
    [
        ("s[t] = 1;", ["mod(bdx, 32) == 0"]),
        ("s[t ^ 1] = 1;", ["bdx == 256"]),
        ("if (t < blockDim.x / 4) s[4 * t] = 1;", ["mod(bdx, 32) == 0"]),
    ],
)
def test_blocks_that_nothing_says_are_symbols(tmp_path: Path, more: str, domain: list[str]) -> None:
    path = tmp_path / "a.cu"
    path.write_text(ASSUMED_BLOCK.format(more))
    (kernel,) = engine.analyse([str(path)], Settings(device="h100", laws=True)).files[0].kernels
    law = next(access.law for access in kernel.accesses if access.space == "shared")
    assert law is not None and law.total is not None and law.confirmed
    assert [text for text in law.domain if "bdx" in text] == domain


def test_a_bound_that_differs_between_lanes_of_a_warp_bounds_no_warps() -> None:
    kernel = lowered("""__global__ void k(float *o) {
        if (threadIdx.x * (threadIdx.x & 3) < 100) o[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
    """)
    found, walk = laws(kernel, Launch(None, (256, 1, 1), None), H100, any_block=True)
    assert [law.requests for law in found.values()] == [None]
    forks = branch_laws(walk, (256, 1, 1), any_block=True)
    assert [law.divergent for law in forks.values()] == [None]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 112))
def test_laws_of_every_block_are_what_launches_count(seed: int) -> None:
    one = held(seed, 6, any_block=True)
    assert not one.differences, one.text


@pytest.mark.slow
@pytest.mark.parametrize("small", [*SMALL, *TWINS], ids=lambda one: f"{one.kind}: {one.access}")
def test_a_law_is_what_launches_count(small: Small) -> None:
    kernel, launch, law = law_of(small)
    found, _ = laws(kernel, launch, H100)
    result = check(kernel, launch, H100, found, 12)
    assert not result.differences
    assert sum(result.compared.values()) > 0
    assert law.counted in ("wavefronts", "sectors")


def test_there_are_two_small_kernels_of_each_of_twelve_kinds() -> None:
    kinds = [one.kind for one in SMALL]
    assert len(kinds) == 24 and len({*kinds}) == 12
    assert {one.kind for one in CASES} == {path.stem for path in SIZES_CASES}


def law_in(text: str, access: str) -> AccessLaw:
    found, _ = laws(lowered(text), Launch(None, (128, 1, 1), None), H100)
    return next(law for site, law in found.items() if site.text == access)


def test_the_same_condition_twice_counts_once() -> None:
    """A loop that begins at the block's id, and two conditions that leave its first iterations."""
    kernel = lowered(
        "__global__ void k(float *y, int m) { for (int i = blockIdx.x; i < m; i++)"
        " if (i > 1) { y[threadIdx.x] = 1.f; if (i > 1) y[threadIdx.x + 8] = 2.f; } }\n"
    )
    launch = Launch(None, (128, 1, 1), None)
    found, _ = laws(kernel, launch, H100)
    result = check(kernel, launch, H100, found, 12)
    assert result.compared and not result.differences


BETWEEN = "void k(float *o) { int i = blockIdx.x * 256 + threadIdx.x; if (i >= 1 && i < 1000) o[i] = 1.0f; }"
WRAPS = {
    "void k(float *o, unsigned n, unsigned p) { for (unsigned i = 0; i - p < n; i++) o[i] = 1; }": {
        "n": 7,
        "p": 1,
    },
    "void k(float *o, int n) { size_t x = blockIdx.x * 128 + threadIdx.x; if (x > 0 && x < n) o[x] = 1; }": {
        "n": -1
    },
    "void k(float *o, size_t n) { size_t x = threadIdx.x; if (x < n - 1) o[x] = 1; }": {"n": 0},
}


def test_constant_bounds_on_both_sides_end_what_counts() -> None:
    kernel = lowered(f"__global__ {BETWEEN}\n")
    found, _ = laws(kernel, Launch(None, (256, 1, 1), None), H100)
    (law,) = found.values()
    assert law.requests is not None
    grid = {f"gd{axis}": 40 if axis == "x" else 1 for axis in "xyz"}
    assert value_at(law.requests, numbers(grid)) == 32


@pytest.mark.parametrize(("text", "point"), WRAPS.items())
def test_where_a_condition_wraps_lies_in_no_domain(text: str, point: dict[str, int]) -> None:
    law = law_in(f"__global__ {text}\n", "o[i]" if "o[i]" in text else "o[x]")
    grid = {f"gd{axis}": 1 for axis in "xyz"}
    assert law.requests is not None
    assert not in_domain(law.domain, numbers(point | grid))
    assert in_domain(law.domain, numbers(dict.fromkeys(point, 0) | {"n": 5} | grid))


def test_a_value_behind_a_condition_is_not_the_one_before_it() -> None:
    law = law_in(
        "__global__ void k(int n) { __shared__ float s[8192]; int q = 8; if (n > 3) { q = 2; goto L; }"
        " q = 4; L: s[threadIdx.x * q] = 0; }\n",
        "s[threadIdx.x * q]",
    )
    assert law_text(law.per_request) == "cases(n >= 4: 2, true: 4)"


def test_a_pitch_is_solved_for() -> None:
    text = "__global__ void k(int p) { extern __shared__ float s[]; s[threadIdx.x * p] = 0; }\n"
    least = law_in(text, "s[threadIdx.x * p]").least
    assert least is not None and law_text(least.condition) == "mod(p, 2) == 1"
    n = symbol("p")
    for value in range(40):
        found = least.from_on({}).xreplace({n: sympy.Integer(value)})
        assert found == value + (value % 2 == 0)
    stated = {n: ArgumentFact("p", multiple=32)}
    assert law_text(least.from_on(stated)) == "p + 1"


def kernel_of(
    tmp_path: Path, parameters: str, body: str, arguments: str, block: str = "64"
) -> Kernel:
    path = tmp_path / "a.cu"
    path.write_text(
        f"__device__ void elsewhere(float *p);\n__global__ void k({parameters}) {{ {body} }}\n"
        f"// kernlint: launch(kernel=k, grid=3, block={block}, {arguments})\n"
    )
    (kernel,) = engine.analyse([str(path)], Settings(device="h100", laws=True)).files[0].kernels
    return kernel


def kernel_law(tmp_path: Path, parameters: str, body: str, arguments: str) -> tuple[object, ...]:
    kernel = kernel_of(tmp_path, parameters, body, arguments)
    assert kernel.law is not None
    return kernel.law.wavefronts, kernel.law.sectors, kernel.law.divergent


@pytest.mark.parametrize(
    ("cycles", "text"),
    [
        ("493183/2500", "197.273 per block"),
        ("10023*cases(p == 0: 8, true: 8*gcd(p, 32))/10000 + 68683/1250",
         "1.0023*cases(p == 0: 8, true: 8*gcd(p, 32)) + 54.9464 per block"),
        ("5*n/2 + 3 - max(0, n - 1)/4", "-0.25*max(0, n - 1) + 2.5*n + 3 per block"),
    ],
)  # fmt: skip
def test_cycles_are_written_in_decimals(cycles: str, text: str) -> None:
    rows = dict(derivation.kernel_rows(KernelLaw(None, None, None, cycles, (), ())))
    assert rows == {"cycles": text}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("o[i] = 1; if (n > 0) o[i] = 2;", ("0", "cases(n >= 1", "0")),
        ("o[i] = 1; if (n > 100) o[i * 16] = 2;", ("0", None, "0")),
        ("for (int k = 100; k < n; k++) o[i * 8 + k] = 2; o[i] = 1;", ("0", None, "0")),
        ("o[i] = 1; if (n > 100) if (i < n) o[i] = 2;", ("0", None, None)),
        ("o[i] = 1; elsewhere(o);", (None, None, None)),
        ("__shared__ float s[64]; if (n > 100) s[i] = 1; o[i] = 1;", (None, "8", "0")),
    ],
)
def test_a_kernel_has_laws_where_each_access_in_its_source_has_one(
    tmp_path: Path, body: str, expected: tuple[str | None, ...]
) -> None:
    found = kernel_law(tmp_path, "float *o, int n", "int i = threadIdx.x; " + body, "n=7")
    assert [text is None for text in found] == [text is None for text in expected]
    for text, part in zip(found, expected, strict=True):
        assert part is None or part in str(text)


@pytest.mark.parametrize(
    ("loop", "expected"),
    [
        ("for (int i = 1; i < n; i *= 2) o[i * t] = 1;", "power(2, i)*tx"),
        ("for (int i = 5; i < n; i += 3) o[i * t] = 1;", "3*i*tx + 5*tx"),
        ("for (int i = 0; i < n; i++) o[i + t] = 1;", "i + tx"),
        ("int i = 0; for (; i < n; i++) if (o[9]) break; o[i * t] = 1;", "i'*tx"),
        ("int s = 1; for (int d = n; d > 0; d /= 2) s *= 2; s = 1;"
         " for (int d = n; d > 0; d /= 2) { o[s * t] = 1; s *= 4; }", "power(4, s')*tx"),
        ("for (int i = 0; i < n; i++) {} for (int i = 3; i < n; i++) o[i * t] = 1;",
         "3*tx + i'*tx"),
    ],
)  # fmt: skip
def test_an_index_is_in_iterations_as_its_formulas_are(loop: str, expected: str) -> None:
    text = f"__global__ void k(float *o, int n) {{ int t = threadIdx.x; {loop} }}\n"
    access = next(one for one in ("o[i + t]", "o[s * t]", "o[i * t]") if one in loop)
    index = law_in(text, access).index
    assert index is not None and law_text(index.expression) == expected


def test_an_index_is_that_of_every_launch(tmp_path: Path) -> None:
    body = "o[threadIdx.x * n] = 1; o[gridDim.x * 64 + threadIdx.x] = 2;"
    kernel = kernel_of(tmp_path, "float *o, int n", body, "n=7")
    indices = [access.law.index for access in kernel.accesses if access.law is not None]
    assert indices == ["n*tx", "64*gdx + tx"]


def test_powers_are_not_taken_to_be_0_or_less() -> None:
    text = (
        "__global__ void k(float *o, int n) {"
        " for (int i = 1; i < n; i *= 2) o[i * threadIdx.x] = 1; }\n"
    )
    assert law_text(law_in(text, "o[i * threadIdx.x]").per_request) == "min(32, 4*power(2, i))"


def test_branches_have_laws() -> None:
    kernel = lowered(
        "__global__ void k(float *y, int n) { int i = blockIdx.x * 128 + threadIdx.x;"
        " if (i < n) y[i] = 1.f; for (int j = 0; j < n; j++) if (threadIdx.x < 40) y[j] = 2.f; }\n"
    )
    launch = Launch(None, (128, 1, 1), None)
    found, walk = laws(kernel, launch, H100)
    forks = branch_laws(walk, launch.block)
    assert not check(kernel, launch, H100, found, 12, branches=forks).differences
    by_text = {site.condition: law for site, law in forks.items()}
    values = numbers({"n": 300, "gdx": 2, "gdy": 1, "gdz": 1})
    assert value_at(by_text["i < n"].divergent, values) == 0  # 300 lie beyond both blocks
    values = numbers({"n": 100, "gdx": 2, "gdy": 1, "gdz": 1})
    assert value_at(by_text["i < n"].divergent, values) == 1
    assert value_at(by_text["threadIdx.x < 40"].divergent, values) == 2 * 100


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(24))
def test_laws_of_random_kernels_are_what_launches_count(seed: int) -> None:
    one = held(seed, 4)
    assert not one.differences, (one.block, one.text)


def test_a_count_that_rises_does_so_until_its_table_ends() -> None:
    """Two addresses, n shorts apart: 1 sector below 16 of them and 2 from there on, in 4 warps."""
    kernel = lowered("__global__ void k(short *a, unsigned n) { a[threadIdx.x / 4 * n] = 0; }\n")
    found, _ = laws(kernel, Launch(None, (8, 8, 2), None), H100)
    (law,) = found.values()
    for n in (0, 1, 15, 16, 17, 64):
        at = numbers({"n": n, "gdx": 1, "gdy": 1, "gdz": 1})
        assert value_at(law.total, at) == (8 if n >= 16 else 4)


def test_a_wrong_law_is_noticed() -> None:
    kernel, launch, _ = law_of(SMALL[0])
    found, _ = laws(kernel, launch, H100)
    site = next(site for site in found if site.text == SMALL[0].access)
    wrong = {**found, site: replace(found[site], per_request=sympy.Integer(2))}
    assert check(kernel, launch, H100, wrong, 6).differences


def test_points_are_values_of_the_arguments_types() -> None:
    """-1 is no value of an unsigned n, which the execution would read as 2**32 - 1."""
    kernel = lowered(
        "__global__ void k(float *y, unsigned n) {"
        " unsigned i = blockIdx.x * 128 + threadIdx.x; if (i < n) y[i] = 1.f; }\n"
    )
    launch = Launch(None, (128, 1, 1), None)
    found, _ = laws(kernel, launch, H100)
    assert not check(kernel, launch, H100, found, 20).differences


# ------------------------------------------------------------------ programs


def held_against(
    paths: list[Path], count: int, monkeypatch: pytest.MonkeyPatch
) -> tuple[int, int, int]:
    """Accesses, those with a total, numbers compared; fails on any difference."""
    accesses = lawful = compared = 0
    for kernel, launch, on in executed(paths, monkeypatch):
        found, _ = laws(kernel, launch, on)
        result = check(kernel, launch, on, found, count)
        assert not result.differences, (kernel.name, result.differences[:3])
        accesses += len(found)
        lawful += sum(law.total is not None for law in found.values())
        compared += sum(result.compared.values())
    return accesses, lawful, compared


@pytest.mark.slow
def test_laws_of_the_samples_are_what_launches_count(monkeypatch: pytest.MonkeyPatch) -> None:
    accesses, lawful, compared = held_against(PROGRAMS["samples"], POINTS, monkeypatch)
    assert lawful >= 0.9 * accesses and compared > 300


@pytest.mark.slow
@pytest.mark.parametrize("path", PROGRAMS["measured programs"], ids=lambda p: p.stem)
def test_laws_of_the_truth_programs_hold(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With their arguments taken away: the law of every n, held at values of its own."""
    _, _, compared = held_against([path], POINTS, monkeypatch)
    assert compared > 0


SIZES_CASES = sorted((DATA / "cases" / "laws" / "sizes").glob("s*.cu"))


@pytest.mark.slow
def test_cases_of_unknown_sizes_have_laws(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(SIZES_CASES) == 13
    accesses, lawful, _ = held_against(SIZES_CASES, 6, monkeypatch)
    assert (accesses, lawful) >= (51, 47)


TO_N = "for (int i = 0; i < n; i++)"
LOOPS = """__global__ void k(float *a, int n, int m) {{
    {} {{ {} a[threadIdx.x + 32 * i] = 1; }}
}}"""


FAR = ((100, 800), (900, 100), (1500, 20), (100, 77), (5, 2), (77, 77), (10, 0), (2000, 1000))


def first(n: int, ends: Callable[[int], bool]) -> int:
    """Iterations before one that ends the loop."""
    return next((i for i in range(n) if ends(i)), n)


@pytest.mark.parametrize(
    ("head", "body", "trips"),
    [
        (TO_N, "if (i < m - 777) return;", lambda n, m: first(n, lambda i: i < m - 777)),
        (TO_N, "if (i == m + 777) return;", lambda n, m: first(n, lambda i: i == m + 777)),
        (TO_N, "if (i == m) break;", lambda n, m: first(n, lambda i: i == m)),
        ("for (int i = 0; i < n && m != 77; i++)", "", lambda n, m: n * (m != 77)),
        ("for (int i = 0; i < n && m > 3; i++)", "", lambda n, m: n * (m > 3)),
        ("for (int i = 0, w = 1024 / n; i < w; i++)", "", lambda n, m: 1024 // n),
    ],
)
def test_what_else_ends_a_loop_is_in_its_laws(
    head: str, body: str, trips: Callable[[int, int], int]
) -> None:
    """Also far from the points that are looked at while a law is made."""
    kernel = lowered(LOOPS.format(head, body))
    found, walk = laws(kernel, Launch(None, (32, 1, 1), None), H100)
    (law,) = (law for site, law in found.items() if site.op == "store")
    (fork,) = (law for site, law in branch_laws(walk, (32, 1, 1)).items() if site.kind == "for")
    for n, m in FAR:
        at = numbers({"n": n, "m": m, "gdx": 2, "gdy": 1, "gdz": 1})
        if law.requests is not None and in_domain(law.domain, at):
            assert value_at(law.requests, at) == 2 * trips(n, m)
        if fork.evaluations is not None and in_domain(fork.domain, at):
            ended = trips(n, m) < n and "n; i++" in head and body  # by a jump, without a test
            assert value_at(fork.evaluations, at) == 2 * (trips(n, m) + (not ended))


@pytest.mark.parametrize("more", ["m > 3", "m != 7"])
def test_a_loop_that_may_not_begin_leaves_no_count_behind(more: str) -> None:
    text = f"""__global__ void k(float *a, int n, int m) {{
        int i; for (i = 0; i < n && {more}; i++) {{}} a[threadIdx.x * i] = 1; }}"""
    found, _ = laws(lowered(text), Launch(None, (32, 1, 1), None), H100)
    (law,) = found.values()
    assert law.per_request is None


def test_a_constant_divided_by_an_unknown_is_no_lane_divided_by_more() -> None:
    kernel = lowered(LOOPS.format("for (int i = 0, w = 1024 / n; i < w; i++)", ""))
    found, _ = laws(kernel, Launch(None, (32, 1, 1), None), H100)
    (law,) = (law for site, law in found.items() if site.op == "store")
    assert in_domain(law.domain, numbers({"n": 10, "m": 0, "gdx": 2, "gdy": 1, "gdz": 1}))


def of_file(tmp_path: Path, body: str) -> Kernel:
    path = tmp_path / "a.cu"
    path.write_text(
        f"#define TWICE o[t] = 1; o[t] = 1;\n__global__ void k(float *o, int n) {{\n"
        f"int t = threadIdx.x;\n{body}\n}}\n// kernlint: launch(kernel=k, grid=3, block=64, n=7777)\n"
    )
    (kernel,) = engine.analyse([str(path)], Settings(device="h100", laws=True)).files[0].kernels
    return kernel


def test_a_law_says_whether_launches_confirmed_it(tmp_path: Path) -> None:
    kernel = of_file(tmp_path, "if (o[0] > 0) o[t] = 1; o[t * n] = 2;")
    _, far, near = (access.law for access in kernel.accesses)
    assert far is not None and not far.confirmed
    assert near is not None and near.requests is not None and near.confirmed
    (branch,) = kernel.branches
    assert branch.law is not None and branch.law.confirmed


def test_places_that_cannot_be_told_apart_say_so(tmp_path: Path) -> None:
    kernel = of_file(tmp_path, "TWICE")
    assert {access.law.reason for access in kernel.accesses if access.law} == {SAME_PLACE}


def test_an_atomic_that_adds_1_counts_as_the_machine_does() -> None:
    """Of shared memory, in one instruction that counts lanes by words; other operands serialise."""
    kernel = lowered(
        "__global__ void k(int *o, int n) { __shared__ int s[64]; atomicAdd(&s[threadIdx.x / 4], 1);"
        " atomicAdd(&s[threadIdx.x / 4], n); }\n"
    )
    launch = Launch(None, (128, 1, 1), None)
    found, _ = laws(kernel, launch, H100)
    assert [law.per_request for law in found.values()] == [1, 4]
    result = check(kernel, launch, H100, found, 4)
    assert all(result.compared[site] for site in found) and not result.differences


def test_the_single_value_that_is_cheapest_lies_in_the_domain() -> None:
    """Of a guarded matrix, whose law begins at rows of 9: not rows == 1, but what keeps rows of a
    warp together."""
    text = (
        "__global__ void k(float *c, int rows, int cols) { int r = blockIdx.y * 16 + threadIdx.y;"
        " int q = blockIdx.x * 16 + threadIdx.x; if (r < rows && q < cols) c[q * rows + r] = 1; }\n"
    )
    found, _ = laws(lowered(text), Launch(None, (16, 16, 1), None), H100)
    (law,) = found.values()
    assert law.least is not None and law_text(law.least.condition) == "mod(rows, 2) == 0"


@pytest.mark.parametrize(
    ("store", "cheapest"),
    [
        ("o[(blockIdx.x * 16 + threadIdx.y) * n + threadIdx.x]", "mod(n, 8) == 0"),
        ("o[blockIdx.x * n + threadIdx.x]", "mod(n, 8) == 0"),
        ("*(float *)((char *)o + threadIdx.y * n + threadIdx.x * 4)", "mod(n, 32) == 0"),
        ("*(float *)((char *)o + blockIdx.x * n + threadIdx.x * 4)", "mod(n, 32) == 0"),
        ("o[threadIdx.x * n]", "n == 1"),
    ],
)
def test_what_is_cheapest_is_a_pitch_that_keeps_rows_apart(store: str, cheapest: str) -> None:
    kernel = lowered(f"__global__ void k(float *o, int n) {{ {store} = 1; }}\n")
    [law] = laws(kernel, Launch(None, (16, 16, 1), None), H100)[0].values()
    assert law.least is not None and law_text(law.least.condition) == cheapest


def test_of_bounds_of_one_value_the_tightest_is_shown(tmp_path: Path) -> None:
    body = "double *row = (double *)(base + threadIdx.y * n + m); row[threadIdx.x] = 1;"
    kernel = kernel_of(tmp_path, "char *base, int n, int m", body, "n=256", block="16x16")
    [law] = [access.law for access in kernel.accesses]
    assert law is not None and kernel.law is not None
    small = [text for text in law.domain if "<=" not in text]
    assert small == ["mod(n, 8) == 0", "mod(m, 8) == 0", "n >= 152"]
    assert set(small) <= {*kernel.law.domain}


@pytest.mark.parametrize(
    ("parameters", "body", "law"),
    [
        ("float *o, int a, int b", "__shared__ float s[16384]; s[threadIdx.x * a * b] = 0;",
         ("a*b >= 0", "a*b <= 260")),
        ("float *o, int n", "for (int m = 0; m < n / 32; m++) o[m * 32 * n + threadIdx.x] = 0;",
         ("div(n, 32)*n - n <= 134217726",)),
        ("float *o, int p, int q", "__shared__ float s[8192]; s[threadIdx.x * p + 63 * q] = 0;",
         ("q >= 0", "q <= 130", "p + q >= 0", "p + q <= 130")),
    ],
)  # fmt: skip
def test_conditions_are_short(
    tmp_path: Path, parameters: str, body: str, law: tuple[str, ...]
) -> None:
    kernel = kernel_of(tmp_path, parameters, body, "n=64,a=1,b=2,p=1,q=1")
    assert kernel.law is not None and kernel.law.domain == law
    assert kernel.accesses[0].law is not None and kernel.accesses[0].law.domain == law


@pytest.mark.parametrize(
    ("element", "text"),
    [
        ("o[n * threadIdx.x]", "min(32, max(1, 4*n))"),
        ("s[threadIdx.y * n + threadIdx.x]", "cases(mod(n, 32) == 16 || n < 16: 1, true: 2)"),
        ("o[threadIdx.y * 8 * n + threadIdx.x]", "cases(n == 0: 2, n == 1: 3, true: 4)"),
    ],
)
def test_counts_are_written_as_people_do(element: str, text: str) -> None:
    kernel = lowered(
        "__global__ void k(float *o, unsigned n) { extern __shared__ float s[];"
        f" {element} = 0; }}\n"
    )
    block = (64, 1, 1) if "n * threadIdx.x" in element else (16, 16, 1)
    (law,) = laws(kernel, Launch(None, block, None), H100)[0].values()
    assert law_text(law.per_request) == text


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("if (blockIdx.x >= n || blockIdx.y >= m) return; o[t] = 0;",
         "4*gdz*min(gdx, max(0, n))*min(gdy, max(0, m))"),
        ("for (int s = 0; s < n; s += 128) { int i = s + t; if (i < n) o[i] = 0; }",
         "ceildiv(max(0, n), 32)*gdx*gdy*gdz"),
        ("for (int s = 0; s < n; s += 512) for (int i = 0; i < 2; i++)"
         " if (s + 4 * t + i < n) o[s + 4 * t + i] = 0;",
         "(ceildiv(max(0, ceildiv(n - 1, 4)), 32) + ceildiv(max(0, ceildiv(n, 4)), 32))*gdx*gdy*gdz"),
        ("for (int i = 0; i < n; i += 3) o[t] = 0;", "4*gdx*gdy*gdz*max(0, ceildiv(n, 3))"),
        ("if (n > m) o[t] = 0;", "cases(m < n: 4*gdx*gdy*gdz, true: 0)"),
    ],
)  # fmt: skip
def test_requests_are_written_as_people_do(body: str, text: str) -> None:
    (law,) = laws(
        lowered(f"__global__ void k(float *o, int n, int m) {{ int t = threadIdx.x; {body} }}\n"),
        Launch(None, (128, 1, 1), None),
        H100,
    )[0].values()
    assert law_text(law.requests) == text


def test_a_case_of_a_long_chain_names_its_value_alone() -> None:
    arms = " else ".join(f"if (n == {3 * i}) s[{i + 1} * threadIdx.x] = 0;" for i in range(4))
    law = law_in(
        f"__global__ void k(int n) {{ __shared__ int s[8192]; {arms} }}\n", "s[4 * threadIdx.x]"
    )
    assert law_text(law.total) == "cases(n == 9: 16*gdx*gdy*gdz, true: 0)"


@pytest.mark.parametrize(
    ("loop", "inside", "outside"),
    [
        ("for (int i = 0; i < n; i += 3) y[t] = i;", (2147483645,), (2147483646, 2147483647)),
        ("for (int i = 0; i <= n; i++) y[t] = i;", (2147483646,), (2147483647,)),
        ("for (int i = 0; i < n; i++) y[t] = i;", (2147483647,), ()),
        ("for (int i = n; i >= 0; i--) y[t] = i;", (2147483647, 5), ()),
        ("for (unsigned char i = 0; i < n; i += 4) y[t] = i;", (252,), (255, 256)),
        ("for (short i = 0; i < n; i++) y[t] = i;", (32767,), (32768,)),
        ("for (int i = 0; i + 3 < n; i += 4) y[t] = i;", (2147483644,), (2147483647,)),
        ("for (int i = 0; 2 * i < n; i++) y[t] = i;", (2147483646,), (2147483647,)),
        ("for (int i = t; i < n; i += 64) y[i] = i;", (1 << 30,), (2147483600,)),
        (
            "for (int i = blockIdx.x * 64 + t; i < n; i += gridDim.x * 64) y[i] = 1;",
            (9,),
            (2147483647,),
        ),
        ("int i = 0; do { y[t] = i; i += 3; } while (i < n);", (2147483645,), (2147483647,)),
        ("for (int i = 0; ; i += 3) { if (i >= n) break; y[t] = i; }", (5,), (2147483647,)),
    ],
)
def test_the_step_behind_the_last_iteration_stays_in_its_type(
    loop: str, inside: tuple[int, ...], outside: tuple[int, ...]
) -> None:
    found, _ = laws(
        lowered(f"__global__ void k(float *y, int n) {{ int t = threadIdx.x; {loop} }}"),
        Launch(None, (64, 1, 1), None), H100,
    )  # fmt: skip
    (law,) = found.values()
    assert law.requests is not None, law.reason
    for n in (*inside, *outside):
        at = numbers({"n": n, "gdx": 2, "gdy": 1, "gdz": 1})
        assert in_domain(law.domain, at) == (n in inside), (n, law.domain)


@pytest.mark.parametrize(
    "loop",
    [
        "for (unsigned i = n; i >= 0; i--) y[t] = i;",
        "for (unsigned i = n; i > 0; i -= 2) y[t] = i;",
        "for (unsigned char i = n; i > 0; i -= 3) y[t] = i;",
    ],
)
def test_a_loop_whose_counter_wraps_around_has_no_law(loop: str) -> None:
    found, _ = laws(
        lowered(f"__global__ void k(float *y, unsigned n) {{ int t = threadIdx.x; {loop} }}"),
        Launch(None, (64, 1, 1), None), H100,
    )  # fmt: skip
    (law,) = found.values()
    assert law.requests is None or not any(
        in_domain(law.domain, numbers({"n": n, "gdx": 1, "gdy": 1, "gdz": 1})) for n in range(9)
    )


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("y[i % w * 8 + i / w] = 1;", "quotient"),
        ("y[(i / w) * (w + 1) + i % w] = 1;", "quotient"),
        ("short r = i / w; y[(int)r * w + i % w] = 1;", "quotient"),
        ("y[i / w % 3] = 1;", "quotient"),
        ("if (i / w == 0) y[i] = 1;", "closed form"),
        ("for (int r = i / w; r < 9; r++) y[i] = 1;", "closed form"),
    ],
)
def test_a_quotient_of_lanes_that_does_not_cancel_out_has_no_law(body: str, why: str) -> None:
    head = "__global__ void k(float *y, int w) { int i = blockIdx.x * 64 + threadIdx.x; "
    found, _ = laws(lowered(head + body + " }"), Launch(None, (64, 1, 1), None), H100)
    (law,) = found.values()
    assert law.total is None and why in law.reason, law.reason


@pytest.mark.parametrize("index", ["t / 16 + t + q", "t / 16 + i", "2 * t / 32 + i", "t + i"])
def test_what_some_lanes_of_a_warp_count_may_hang_on_more_than_what_all_do(index: str) -> None:
    """33 elements are five sectors wherever they begin; eight of them are one or two."""
    kernel = lowered(f"""__global__ void k(int *a, int m, int q) {{
  int t = threadIdx.x;
  for (int i = t; i < m; i++) a[{index}] = 0;
}}""")
    launch = Launch(None, (32, 1, 1), None)
    found, _ = laws(kernel, launch, H100)
    assert check(kernel, launch, H100, found, 30).differences == ()
    [law] = found.values()
    assert (law.total is None) == ("/" in index)


def test_ends_of_domains_are_values_of_the_arguments_types() -> None:
    kernel = lowered("""__global__ void k(double *a, unsigned n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < n && x >= 1 && x < 201) a[x + n] = 0;
}""")
    launch = Launch(None, (128, 1, 1), None)
    found, _ = laws(kernel, launch, H100)
    held = check(kernel, launch, H100, found, 80, 3)
    assert held.differences == () and sum(held.compared.values()) > 100
