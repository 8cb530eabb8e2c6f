"""Every claim called exact against nvcc 13's machine code for sm_90: kernels that vary one thing,
and kernels in the styles that people write (tests/compiler/families.py, styles.py;
tests/data/claims holds what nvcc made of them).

Both numbers count: none may be wrong, and no fewer than so many are made and right.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests import places
from tests.compiler import claimed, claims, sass

pytestmark = pytest.mark.slow


DATA = places.DATA / "claims"
RIGHT = {
    "again": 583, "choices": 176, "early_returns": 1092, "functions": 65, "lists": 428, "orders": 1007, "own_arrays": 156,
    "shared_variables": 123, "joined": 2120, "bodies": 2240, "tiles": 208,
    "styles0": 189, "styles1": 170, "styles2": 171, "styles3": 226, "styles4": 217, "styles5": 202,
}  # fmt: skip


def verdicts(path: Path, folder: Path) -> Counter[str]:
    """How many lines of a family's kernels are claimed right, wrong or not exactly; wrong ones by
    their text."""
    source, machine = claimed.read(path)
    copy = folder / f"{path.name.partition('.')[0]}.cu"
    copy.write_text(source, encoding="utf-8")
    program, rows, found = claims.program_of(str(copy)), source.splitlines(), Counter[str]()
    for handle in program.kernels():
        for number, kind, verdict, text in claims.differences(
            program.instantiate(handle, None), machine[handle.name]
        ):
            wrong = f"{handle.name}: {kind} {rows[number - 1].strip()} | {text}"
            found[
                wrong if "WRONG" in verdict else "open" if "(" in verdict else verdict or "right"
            ] += 1
    return found


@pytest.mark.parametrize("family", RIGHT)
def test_no_exact_claim_is_wrong(family: str, tmp_path: Path) -> None:
    found = verdicts(DATA / f"{family}.json.xz", tmp_path)
    wrong = found.keys() - {"right", "open", "unclaimed"}
    assert not wrong, "\n".join(sorted(wrong))
    assert found["right"] >= RIGHT[family]


def test_every_family_is_held() -> None:
    assert (
        {path.name.partition(".")[0] for path in DATA.glob("*.json.xz")}
        == set(RIGHT)
        == {*claimed.FAMILIES, *claimed.RECORDED}
    )


HEADER = "\n\n\n\n__device__ inline float twice(const float *p) {\n  float x = p[0];\n  __syncthreads();\n  return x * p[32];\n}\n"
INCLUDING = """#include "own.cuh"
__global__ void k(float *out, const float *in, unsigned *words) {
  __shared__ __align__(16) unsigned char tile[512];
  unsigned a, at = __cvta_generic_to_shared(tile + 16 * (threadIdx.x % 32));
  out[threadIdx.x] = twice(in + threadIdx.x);
  __syncthreads();
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(a) : "r"(at));
  words[threadIdx.x] = a;
}
"""
OWN = {
    (5, "g.ld"),
    (5, "g.st"),
    (7, "s.lm"),
    (8, "g.st"),
}  # the first of a called function may be charged to its call


def test_lines_of_headers_are_no_lines_of_the_file_and_matrices_no_global_loads(
    tmp_path: Path,
) -> None:
    (tmp_path / "own.cuh").write_text(HEADER, encoding="utf-8")
    (tmp_path / "k.cu").write_text(INCLUDING, encoding="utf-8")
    program = claims.program_of(str(tmp_path / "k.cu"))
    (handle,) = program.kernels()
    kernel = program.instantiate(handle, None)
    found = claims.claims(kernel)
    assert {key for key in found if key[0] != claims.OF_HEADERS} == OWN and found.keys() - OWN == {
        (claims.OF_HEADERS, "g.ld")
    }
    made = [sass.Machine(claims.OF_HEADERS, "g.ld4", False, (), "LDG.E")] * 2 + [
        sass.Machine(7, "s.lm16", False, (), "LDSM.16.M88")
    ]
    assert {(line, kind) for line, kind, _, _ in claims.differences(kernel, made)} == OWN
