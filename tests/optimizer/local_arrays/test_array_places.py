"""Counts of accesses to a thread's own arrays: what is executed depends on where nvcc keeps the
array (tests/data/local_arrays)."""

from __future__ import annotations

import pytest

from kernlint.model import facts
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files
from tests.checks.test_messages import findings_of
from tests.optimizer.local_arrays import shifts
from tests.optimizer.local_arrays.frames import frames, kernel

BATCH = 40
LARGE = 8  # elements
LAUNCH = "// kernlint: launch(grid=64, block=128, n=24)\n"
SELECTED = """
__global__ void k(float *o, const float *a, const int *ix) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    TYPE r[SIZE];
    for (int k = 0; k < SIZE; k++) r[k] = a[i * SIZE + k];
    o[i] = r[ix[i] & (SIZE - 1)];
}"""


def analysed(source: str, **settings: object) -> facts.File:
    return engine.analyse_source(files.from_bytes("k.cu", source.encode()), Settings(**settings))  # type: ignore[arg-type]


def local(source: str) -> dict[str, facts.Access]:
    (only,) = analysed(source).kernels
    return {a.text: a for a in only.accesses if a.space == "local"}


def of(size: int, element: str = "float") -> str:
    return LAUNCH + SELECTED.replace("SIZE", str(size)).replace("TYPE", element)


def vanishes(access: facts.Access) -> bool:
    return (
        access.as_compiled is not None
        and access.as_compiled.requests == 0
        and access.as_compiled.status == "exact"
    )


def executes(access: facts.Access) -> bool:
    """Whether requests are said to be exact, and more than none."""
    compiled = access.as_compiled
    status, requests = (
        (access.status, access.requests)
        if compiled is None
        else (compiled.status, compiled.requests)
    )
    return status == "exact" and bool(requests)


def test_an_array_that_nvcc_selects_among_makes_no_requests() -> None:
    """On an H100: no local load or store, no stack frame."""
    found = local(of(16))
    assert {text: (a.place, vanishes(a)) for text, a in found.items()} == {
        "r[k]": ("registers", True),
        "r[ix[i] & (16 - 1)]": ("registers", True),
    }
    compiled = found["r[k]"].as_compiled
    assert compiled is not None
    assert (compiled.reason, compiled.sectors) == ("in-registers", None)


def test_nobody_asks_for_the_addresses_of_what_is_in_registers() -> None:
    asked = {size: findings_of(of(size), "KL003") for size in (16, 128)}
    assert not asked[16]
    assert [f.span.line for f in asked[128]] == [6 + 1]


def test_a_large_array_lies_in_memory() -> None:
    found = local(of(128))
    assert {a.place for a in found.values()} == {"local"}
    store = found["r[k]"]
    assert (store.status, store.as_compiled) == (
        "range",
        None,
    )  # the copies of the unrolled loop may be joined
    assert "registers" not in store.detail
    assert not any(map(vanishes, found.values()))


def test_an_array_of_eight_bytes_an_element_lies_in_memory_however_small() -> None:
    assert executes(local(of(4, "double"))["r[k]"])


@pytest.mark.parametrize("size", [32, 64])
def test_between_the_bounds_the_requests_are_a_range(size: int) -> None:
    store = local(of(size))["r[k]"]
    assert (store.place, store.status, store.reason, store.as_compiled) == (
        "either",
        "range",
        "compiler",
        None,
    )
    assert store.sectors is not None
    assert store.sectors.mean_low == 0


@pytest.mark.parametrize(
    ("index", "place"), [("ix[i] & 15", "either"), ("(ix[i] + COPY * ix[i + 1]) & 15", "local")]
)
def test_equal_indices_count_once_towards_memory(index: str, place: str) -> None:
    """nvcc 13.0 for sm_90: no stack frame for twenty loads with one index, 64 bytes for twenty with
    as many."""
    loads = "".join(
        f"o[i * 20 + {copy}] = r[{index.replace('COPY', str(copy))}]; " for copy in range(20)
    )
    source = (
        of(16)
        .replace("o[i] = r[ix[i] & (16 - 1)];", loads)
        .replace("const int *ix", "const int *__restrict__ ix")
    )
    found = local(source)
    assert len(found) > 1
    assert {a.place for a in found.values()} == {place}


def test_constant_indices_make_no_accesses() -> None:
    assert not local(
        LAUNCH
        + SELECTED.replace("SIZE", "16")
        .replace("TYPE", "float")
        .replace("r[ix[i] & (16 - 1)]", "r[3] + r[7]")
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("float r[16]", "struct { float r[16]; } s; float *r = s.r"),
        ("float r[16]", 'float r[16], *p = r; asm volatile("" :: "l"(p) : "memory")'),
        ("float r[16]", 'float r[16]; asm volatile("" :: "l"(r) : "memory")'),
        (
            "float r[16]",
            'float r[16]; asm volatile("st.local.f32 [%0], %1;" :: "l"(r), "f"(1.0f) : "memory")',
        ),
        ("o[i] =", "float *p = ix[0] ? r : r + 1; o[i] = p[1] +"),
        ("for (int k", "#pragma unroll 1\n    for (int k"),
        ("r[ix[i] & (16 - 1)]", "((double *)r)[ix[i] & 7]"),
    ],
)
def test_what_the_table_was_not_measured_for_is_not_said_to_be_in_registers(
    before: str, after: str
) -> None:
    source = of(16)
    assert before in source
    found = local(source.replace(before, after))
    assert found
    assert not any(vanishes(a) or executes(a) for a in found.values())


def test_a_volatile_array_lies_in_memory() -> None:
    assert executes(local(of(16, "volatile float"))["r[k]"])


def test_an_estimate_counts_no_traffic_of_registers() -> None:
    (kept,), (spilled,) = (analysed(of(size), estimate=True).kernels for size in (16, 128))
    assert isinstance(kept.estimate, facts.Estimate)
    assert isinstance(spilled.estimate, facts.Estimate)
    assert not any("r[ix" in text for text in kept.estimate.assumptions)
    assert any("r[ix" in text for text in spilled.estimate.assumptions)


@pytest.mark.slow
def test_no_count_contradicts_the_stack_frames() -> None:
    measured, wrong = frames(), []
    names = sorted(measured)[7::60]
    said = 0
    for at in range(0, len(names), BATCH):
        some = names[at : at + BATCH]
        source = "\n".join(LAUNCH + kernel(name) for name in some).replace("-", "_")
        told = {
            k.name: [a for a in k.accesses if a.space == "local"] for k in analysed(source).kernels
        }
        for name in some:
            own = told[f"k_{name.replace('-', '_')}"]
            said += any(vanishes(a) or executes(a) for a in own)
            if any(vanishes(a) if measured[name] else executes(a) for a in own):
                wrong.append(name)
    assert not wrong
    assert said > 0.3 * len(names)


# iterations and a loop over a thread's array; in nvcc's machine code (13.0, sm_90) the array is in
# local memory
ROLLED = {
    "sines": (32, "v[i] = sinf(v[i]);"),
    "stores": (
        144,
        "q[i * 32] = v[i]; q[(i + 144) * 32] = v[i] * a; q[(i + 288) * 32] = v[i] * b;",
    ),
    "exponentials": (176, "v[i] = expf(v[i]);"),
    "sums": (64, "for (int c = 0; c < 4; ++c) v[i] += p[(i * 4 + c) * 32] * s[c];"),
    "guarded": (208, "if (i < n) v[i] -= p[i * 32];"),
    "polynomials": (
        160,
        "v[i] = ((((v[i] * a + b) * v[i] + a) * v[i] + b) * v[i] * v[i] + a) * (v[i] - b) + v[i] * a;",
    ),
}
UNROLLED = {  # and here it is in registers
    "sines": (16, "v[i] = sinf(v[i]);"),
    "stores": (48, "q[i * 32] = v[i]; q[(i + 144) * 32] = v[i] * a; q[(i + 288) * 32] = v[i] * b;"),
    "exponentials": (96, "v[i] = expf(v[i]);"),
    "sums": (16, "for (int c = 0; c < 4; ++c) v[i] += p[(i * 4 + c) * 32] * s[c];"),
    "guarded": (96, "if (i < n) v[i] -= p[i * 32];"),
    "told": (40, "for (int c = 0; c < 4; ++c) v[i] += p[(i * 4 + c) * 32] * s[c];"),
}


def looped(count: int, body: str, pragma: str = "") -> str:
    return f"""// kernlint: launch(grid=4, block=64, n=9)
__global__ void k(const float *p, float *q, const float *s, float a, float b, int n) {{
    float v[{count}];
    p += threadIdx.x; q += threadIdx.x;
    #pragma unroll
    for (int i = 0; i < {count}; ++i) v[i] = p[i * 32];
    {pragma}
    for (int i = 0; i < {count}; ++i) {{ {body} }}
    #pragma unroll
    for (int i = 0; i < {count}; ++i) q[i * 32] = v[i] + b;
}}"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ROLLED)
def test_an_array_of_a_loop_that_is_too_large_to_be_unrolled_is_told(name: str) -> None:
    found = local(looped(*ROLLED[name]))
    assert found and {(a.status, a.reason) for a in found.values()} == {("range", "compiler")}
    assert {a.detail for a in found.values()} == {
        "nvcc keeps this array in registers where it unrolls the loop of line 8 in full"
    }
    assert all(
        a.sectors is not None and a.sectors.mean_low == 0 and a.sectors.mean > 0
        for a in found.values()
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", UNROLLED)
def test_an_array_of_a_loop_that_is_surely_unrolled_makes_no_requests(name: str) -> None:
    assert local(looped(*UNROLLED[name], "#pragma unroll" if name == "told" else "")) == {}


@pytest.mark.slow
def test_insertion_into_a_sorted_array_keeps_it_in_local_memory() -> None:
    """As nvcc places it: with a loop around that an argument ends from 4 elements on, by
    compare-exchange never. A sure finding is never wrong. (Every other size; of the large arrays,
    whose kernels take longest, one with such a loop.)"""
    place, wanted = {}, shifts.frames()
    sizes = {str(size) for size in shifts.SIZES[::2] if size < LARGE} | {"12"}
    tried = [
        name
        for name in shifts.names()
        if name.split("_")[1] in sizes and (name.endswith("open") or "_12_" not in name)
    ]
    for batch in batched(tried):
        source = "".join(LAUNCH + shifts.kernel(name) for name in batch)
        found = findings_of(source, "KL502")
        sure = {f.kernel for f in found if f.severity == "warning"}
        place |= {name: f"k_{name}" in sure for name in batch}
    assert [name for name, local_ in place.items() if local_ and not wanted[name]] == []
    moved = [name for name in place if name.endswith("open") and "exchange" not in name]
    missed = [name for name in moved if wanted[name] and not place[name]]
    assert {name.split("_")[1] for name in missed} <= {"2", "3"}


def batched(names: list[str]) -> list[list[str]]:
    return [names[i : i + BATCH] for i in range(0, len(names), BATCH)]
