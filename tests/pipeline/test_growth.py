"""Work of shapes that grew faster than their text did: how often functions are called when the text
is twice as long."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType, ModuleType

import pytest

from kernlint.lowering.expressions import branching
from kernlint.model.settings import Settings
from kernlint.optimizer import compiler_implied, compiler_pairs, compiler_uses, compiler_walk
from kernlint.pipeline import engine
from kernlint.source import files
from tests.support import needs

pytestmark = pytest.mark.slow


FEW, MOST = 100, 2.4  # pieces of the shorter text; how many times the work of twice as many


def _kernel(body: str, before: str = "") -> str:
    return f"{before}__global__ void k(int *p, int n) {{\n{body}\n}}\nint main() {{ int *a; k<<<1, 256>>>(a, 3); }}\n"


SHAPES: dict[str, Callable[[int], str]] = {
    "rounds of a hash": lambda count: _kernel(
        "unsigned a = p[threadIdx.x], b = p[threadIdx.x + 256], c = 3, d = 4, t;\n"
        + "\n".join(
            f"a = b + ((a + (b & c | ~b & d) + {i}u) << {i % 31 + 1} | a >> {31 - i % 31}); t = d; d = c; c = b; b = a; a = t;"
            for i in range(count)
        )
        + "if (a == n) p[threadIdx.x] = b;"
    ),
    "random numbers that index": lambda count: _kernel(
        "__shared__ int s[1024];\nunsigned x = p[threadIdx.x], a = 0;\ns[threadIdx.x] = x;\n__syncthreads();\n"
        + "x ^= x << 13; x ^= x >> 17; x ^= x << 5; a += s[(x & 255) * 4]; a += s[(x & 255) * 4 + 1];\n"
        * count
        + "p[threadIdx.x] = a;"
    ),
}


def _calls(text: str, module: ModuleType | None = None) -> int:
    """How often functions are called while a text is analysed, by anybody or by one module."""
    count = 0

    def called(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        caller = frame.f_back if event == "call" else frame if event == "c_call" else None
        count += caller is not None and (
            module is None or caller.f_code.co_filename == module.__file__
        )

    before = sys.getprofile()
    sys.setprofile(called)
    try:
        found = engine.analyse_source(files.Source("k.cu", "cuda", text), Settings(timeout=0))
    finally:
        sys.setprofile(before)
    assert found.kernels
    return count


@pytest.mark.parametrize("shape", SHAPES)
def test_twice_the_text_is_twice_the_work(shape: str) -> None:
    _calls(SHAPES[shape](2))  # modules are loaded
    assert _calls(SHAPES[shape](2 * FEW)) < MOST * _calls(SHAPES[shape](FEW))


CHOICES = {
    "to the right": lambda count: _kernel("p[" + "threadIdx.x > 3 ? 1 : " * count + "0] = 1;"),
    "in the middle": lambda count: _kernel(
        "p[" + "threadIdx.x > 3 ? " * count + "1" + " : 2" * count + "] = 1;"
    ),
}


@pytest.mark.parametrize("shape", CHOICES)
def test_arms_of_nested_choices_are_looked_at_once(shape: str) -> None:
    assert _calls(CHOICES[shape](80), branching) <= 2.2 * _calls(CHOICES[shape](40), branching)


def test_what_conditions_imply_is_not_compared_with_each_other() -> None:
    """Of a chain of alternatives each is a branch inside the one before it and implies all the
    others: that is the square of them."""

    def calls(count: int) -> int:
        alternatives = " || ".join(f"p[{i}] > 3" for i in range(count))
        return _calls(_kernel(f"if ({alternatives}) p[threadIdx.x] = 1;"), compiler_implied)

    assert calls(80) <= 4.2 * calls(40)


def test_what_is_known_where_a_kernel_ends_early_is_not_gathered() -> None:
    def calls(count: int) -> int:
        returns = "\n".join(f"if (p[{i}] == 3) return;" for i in range(count))
        return _calls(_kernel(f"{returns}p[threadIdx.x] = 1;"), compiler_walk)

    assert calls(80) <= 2.2 * calls(40)


def test_where_values_are_needed_is_handed_on_together() -> None:
    """Of values that conditions change one after the other, each is needed wherever a later one
    is."""

    def calls(count: int) -> int:
        steps = "\n".join(
            f"if (t < {i}) {{ s[x & 63] = {i}; x = x * 3 + {i}; }} __syncthreads();"
            for i in range(count)
        )
        declared = "__shared__ int s[64]; int t = threadIdx.x, x = t;\n"
        return _calls(_kernel(f"{declared}{steps}\np[t] = x;"), compiler_uses)

    assert calls(80) <= MOST * calls(40)


def test_loops_that_surely_turn_too_often_are_not_run_out_first() -> None:
    def calls(turns: int) -> int:
        return _calls(
            _kernel(f"for (int i = 0; i < {turns}; ++i) p[threadIdx.x] += p[i + 7] * p[i * 3];"),
            compiler_walk,
        )

    assert calls(1000) <= 0.5 * calls(40)


def test_loops_that_may_end_early_are_run_out() -> None:
    def calls(leaving: str) -> int:
        return _calls(
            _kernel(f"for (int i = 0; i < 1000; ++i) {{ {leaving} p[threadIdx.x] += p[i + 7]; }}"),
            compiler_walk,
        )

    assert calls("if (i == 20) break;") >= 2 * calls("")


DOUBLE_BUFFER = """\
__global__ void k(const float *q, float *o, int n) {
    __shared__ float s[2][32][128];
    int t = threadIdx.x, b = 0;
    float a = 0;
    s[0][0][t] = q[t];
    for (int i = 1; i <= n; i++) {
        for (int j = 0; j < 32; j++) a += s[b][j][t];
        if (i < n) {
            b ^= 1;
            s[b][0][t] = q[t + i * 128];
            __syncthreads();
        }
    }
    o[t] = a;
}
int main() { k<<<1, 128>>>(nullptr, nullptr, 64); }
"""


@needs.interpreted
def test_tiles_of_a_double_buffer_are_not_held_against_those_of_earlier_iterations(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    met: list[int] = []
    against = compiler_pairs.against
    monkeypatch.setattr(
        compiler_pairs,
        "against",
        lambda entry, entries, *more: (
            met.append(len(entries.all)) or against(entry, entries, *more)
        ),
    )
    assert engine.analyse_source(
        files.Source("k.cu", "cuda", DOUBLE_BUFFER), Settings(timeout=0)
    ).kernels
    assert max(met) < 2 * 32  # not 16 iterations of 32 loads
