"""What a long kernel costs: several times the work is not many times the time. Bounds are wide, so
that a busy machine passes; what they guard against took minutes."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

import pytest

from kernlint.cli import main
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files

HEAD = (
    "__global__ void k(float *b, const float *a, int n) {\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;\n"
)
LAUNCH = "}\nvoid run(float *a, float *b) { k<<<4, 128>>>(b, a, 7); }\n"


@pytest.fixture(autouse=True)
def room() -> Iterator[None]:
    """To nest, as the command line makes it."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(main.PYTHON_CALLS)
    yield
    sys.setrecursionlimit(before)


def seconds(body: str) -> float:
    source = files.from_bytes("k.cu", f"{HEAD}{body}{LAUNCH}".encode())
    began = time.process_time()
    report = engine.analyse_source(source, Settings(timeout=0))
    assert report.kernels
    return time.process_time() - began


@pytest.mark.slow
def test_one_expression_of_many_loads() -> None:
    """1,000 loads of one sum took over a minute: each walked the sum for each of its parts."""
    assert seconds("    b[i] = " + " + ".join(f"a[i + {n * 8}]" for n in range(1000)) + ";\n") < 20


@pytest.mark.slow
def test_many_conditions_within_each_other() -> None:
    """Accesses of which no sample point satisfies the conditions were held against all others."""
    nest = "".join(f"if (a[i + {n % 7}] > {n}) {{ b[i + {n}] = t;\n" for n in range(40)) + "}" * 40
    once = seconds(nest)
    assert seconds(nest * 4) < 8 * once


@pytest.mark.slow
def test_a_chain_of_conditions_may_be_long() -> None:
    """A kernel with a `switch` of so many cases was nested too deeply to be analysed."""
    cases = "".join(f"case {n}: b[i + {n}] = 1; break;\n" for n in range(130))
    assert seconds(f"switch (n) {{\n{cases}}}\n") < 60


@pytest.mark.slow
def test_a_chain_four_times_as_long_takes_little_more_than_four_times() -> None:
    """It took ten times: paths were hashed and their points narrowed from the first step, each join
    took all that deeper branches had accessed, and races asked each two of them."""

    def chain(arms: int) -> str:
        return "if (n < 0) b[i] = 0;\n" + "".join(
            f"else if (n == {k}) b[i + {k}] = a[i * 2 + {k}];\n" for k in range(arms)
        )

    seconds(chain(4))
    assert seconds(chain(240)) < 7 * seconds(chain(60))
