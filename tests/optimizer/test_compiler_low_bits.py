"""What addresses behind masks, shifts and swizzles are to each other, and what stores that are
replaced leave: nvcc 13's machine code."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.execution.test_execution import run

SOURCE = """// kernlint: launch(grid=1, block=64, b=5, n=5)
__global__ void k(float *o, const float *q, const float *r, int b, int n) {{
    __shared__ float s[1024];
    int t = threadIdx.x;
    {}
    __syncthreads();
    o[t] = s[t];
}}
"""


def statuses(body: str, tmp_path: Path, op: str, space: str) -> list[str]:
    kernel = run(tmp_path, SOURCE.format(body))
    return [a.status for a in kernel.accesses if a.op == op and a.space == space]


PAIRS = (
    "({x} + {c}) & 255",
    "({x} + {c}) % 256u",
    "({x} + {c}) % 256",
    "({x} + {c}) ^ (8 * (t & 3))",
    "({x} | {c}) & 255",
)
SAME = ("({x} + {c}) & ~3", "({x} + {c}) >> 1", "(({x} + {c}) >> 1) & 255", "({x} + {c}) / 2u")


@pytest.mark.slow
@pytest.mark.parametrize("form", PAIRS)
@pytest.mark.parametrize("x", ["2 * t", "4 * b", "8 * t + 4 * b"])
def test_neighbours_by_their_low_bits_may_be_one_access(form: str, x: str, tmp_path: Path) -> None:
    """`s[(2 * t) & 255]` and `s[(2 * t + 1) & 255]` are one LDS.64 or STS.64, those of `8 * t + 4 *
    b` two: 63 of 189 kernels."""
    one, other = (form.format(x=x, c=c) for c in (0, 1))
    assert (
        statuses(f"s[{one}] = q[t]; s[{other}] = r[t];", tmp_path, "store", "shared")
        == ["range"] * 2
    )
    assert (
        statuses(
            f"s[t] = 1; __syncthreads(); o[t] = s[{one}] * 3 + s[{other}];",
            tmp_path,
            "load",
            "shared",
        )[:2]
        == ["range"] * 2
    )


@pytest.mark.parametrize("form", SAME)
def test_an_address_equal_by_its_low_bits_may_be_the_earlier_one(form: str, tmp_path: Path) -> None:
    """One load is none (which line the other has is open); of two stores the first is none, nor
    what is loaded for it."""
    one, other = (form.format(x="4 * b", c=c) for c in (0, 1))
    assert statuses(
        f"s[t] = 1; __syncthreads(); o[t] = s[{one}] * 3 + s[{other}];", tmp_path, "load", "shared"
    )[:2] == ["range", "range"]
    assert statuses(f"s[{one}] = q[t]; s[{other}] = r[t];", tmp_path, "store", "shared") == [
        "range",
        "exact",
    ]
    assert statuses(f"s[{one}] = q[t]; s[{other}] = r[t];", tmp_path, "load", "global") == [
        "range",
        "exact",
    ]


@pytest.mark.parametrize(
    "pair",
    ["s[t & 255] + s[(t + 1) & 255]", "s[b & 127] + s[(b + 1) & 127]", "s[(t + 1) ^ 3] + s[t ^ 3]"],
)
def test_addresses_that_a_carry_reaches_stay_two(pair: str, tmp_path: Path) -> None:
    assert (
        statuses(f"s[t] = 1; __syncthreads(); o[t] = {pair};", tmp_path, "load", "shared")[:2]
        == ["exact"] * 2
    )


@pytest.mark.parametrize("mask", ["255", "127"])
def test_pairs_behind_a_mask_in_a_loop_are_not_sure(mask: str, tmp_path: Path) -> None:
    """The last turns of `s[(2 * t & 255) + 4 * i] + s[(2 * t & 255) + 4 * i + 1]` load twice what
    the others load at once."""
    index = f"(2 * t & {mask}) + 4 * i"
    body = f"s[t] = 1; __syncthreads(); float sum = 0; for (int i = 0; i < n; i++) sum += s[{index}] * s[{index} + 1]; o[t] = sum;"
    assert statuses(body, tmp_path, "load", "shared")[:2] == ["range"] * 2


@pytest.mark.parametrize(("body", "loads"), [
    ("s[b] = q[t]; s[b] = r[t];", ["range", "exact"]),
    ("float x = q[t]; s[b] = x; s[t] = 3; s[b] = r[t];", ["range", "exact"]),
    ("if (b == n) { s[b] = q[t]; s[n] = r[t]; }", ["range", "exact"]),
    ("float x = q[t]; s[b] = x; o[t + 64] = x; s[b] = r[t];", ["exact", "exact"]),
])  # fmt: skip
def test_what_only_a_replaced_store_needs_may_not_be_loaded(
    body: str, loads: list[str], tmp_path: Path
) -> None:
    assert statuses(body, tmp_path, "load", "global") == loads


CHOSEN = """// kernlint: launch(grid=1, block=64, b=5, n=3)
__global__ void k(int *o, const int *q, const int *r, int b, int n) {{
    int t = threadIdx.x;
    {}
}}
"""


@pytest.mark.parametrize("compared", ["n < q[t{}]", "q[t{}] == 3", "q[t{}] >= r[t]"])
@pytest.mark.parametrize("type_", ["int", "bool"])
def test_one_comparison_of_one_of_two_loads_is_made_of_one_load(
    compared: str, type_: str, tmp_path: Path
) -> None:
    """One load of the selected address, on the line where control joins: 420 of 1,110 claims about
    300 kernels were wrong."""
    body = f"{type_} w = {compared.format('')}; if (b) w = {compared.format(' + 1')}; o[t] = w;"
    kernel = run(tmp_path, CHOSEN.format(body))
    assert [a.status for a in kernel.accesses if a.op == "load" and a.text.startswith("q")] == [
        "range"
    ] * 2


@pytest.mark.parametrize("body", ["if (q[t] > n && q[t + 1] > n) o[t] = 3;", "if (q[t] > n || q[t + 1] > n) o[t] = 3;",
                                  "bool w = q[t] > n; w = w && q[t + 1] > n; o[t] = w;"])  # fmt: skip
def test_conditions_of_two_loads_load_both(body: str, tmp_path: Path) -> None:
    """The second one's lanes are the data's to choose."""
    kernel = run(tmp_path, CHOSEN.format(body))
    assert next(a.status for a in kernel.accesses if a.op == "load") == "exact"
