"""Which members and elements of aligned classes nvcc joins in global memory: the source must name
them with the class's alignment (nvcc 13's machine code for sm_90: instructions of one warp)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.execution.test_execution import run

CLASSES = """struct alignas(16) V { float d[4]; };
struct alignas(16) M { int k; float d[3]; };
struct alignas(16) N { float2 a; float b, c; };
struct alignas(16) U { union { float d[4]; int n; }; };
struct Ray { float4 from, to; };
template <class T> __device__ float get(const T &v, int i) { return v.d[i]; }
"""
# statements with `v`, a pointer to the class; loads of a warp, None where only bounds are told
LOADS = (
    ("V", "a = v[i].d[0] + v[i].d[1] + v[i].d[2] + v[i].d[3];", 1),
    ("V", "const V *z = v + i; a = z->d[0] + z->d[1] + z->d[2] + z->d[3];", 1),
    (
        "V",
        "const V &z = v[i]; const int j = 1; a = z.d[j - 1] + z.d[j] + z.d[j + 1] + z.d[j + 2];",
        1,
    ),
    ("V", "for (int k = 0; k < 4; k++) a += v[i].d[k];", 4),
    ("V", "for (int k = 0; k < 4; k++) a += get(v[i], k);", None),  # 4, by which line is open
    ("V", "a = get(v[i], 0) + get(v[i], 1);", None),  # 2
    ("V", "int j = 0; a += v[i].d[j++]; a += v[i].d[j++];", 2),
    ("V", "const float *z = v[i].d; a = z[0] + z[1] + z[2] + z[3];", 4),
    ("V", "a = ((const float *)&v[i])[0] + ((const float *)&v[i])[1];", 2),
    ("V", "for (int k = 0; k < 4; k++) a += ((const float *)&v[i])[k];", 4),
    ("float4", "const float4 *z = v + i; a = z->x + z->y;", 1),
    ("float4", "a = v[i].y + v[i].z + v[i].w;", None),  # 2
    ("M", "a = v[i].d[1] + v[i].d[2];", None),  # 2: the array begins at byte 4
    ("N", "a = v[i].a.x + v[i].b + v[i].c;", None),  # 2
    ("N", "a = v[i].a.x + v[i].a.y + v[i].b + v[i].c;", 1),
    ("U", "a = v[i].d[0] + v[i].d[1] + v[i].d[3];", None),  # 2
    ("Ray", "a = v[i].from.x + v[i].from.y + v[i].from.z;", 1),
)


@pytest.mark.parametrize(("name", "statements", "loads"), LOADS)
def test_loads_of_members(name: str, statements: str, loads: int | None, tmp_path: Path) -> None:
    kernel = run(
        tmp_path,
        f"""{CLASSES}
// kernlint: launch(grid=1, block=32)
__global__ void k(float *q, const {name} *v) {{ int i = threadIdx.x; float a = 0; {statements} q[i] = a; }}
""",
    )
    found = [a.as_compiled or a for a in kernel.accesses if a.op == "load"]
    exact = all(a.status == "exact" for a in found)
    assert (sum(a.requests or 0 for a in found) if exact else None) == loads


STORES = (
    ("V", "v[i].d[0] = 1; v[i].d[1] = 2; v[i].d[2] = 3; v[i].d[3] = 4;", 1),
    ("V", "for (int k = 0; k < 4; k++) v[i].d[k] = k;", 4),
    ("float4", "v[i].x = 1; v[i].y = 2; v[i].z = 3; v[i].w = 4;", 1),
)


@pytest.mark.parametrize(("name", "statements", "stores"), STORES)
def test_stores_of_members(name: str, statements: str, stores: int, tmp_path: Path) -> None:
    source = f"{CLASSES}\n// kernlint: launch(grid=1, block=32)\n__global__ void k({name} *v) {{ int i = threadIdx.x; {statements} }}\n"
    found = [a.as_compiled or a for a in run(tmp_path, source).accesses]
    assert {a.status for a in found} == {"exact"} and sum(a.requests or 0 for a in found) == stores
