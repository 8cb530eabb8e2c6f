"""Values made of the same that are not the same: other parts, signs, widths or operations. Held
against nvcc 13's code for sm_90."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.execution.test_execution import access, run
from tests.optimizer.test_volatile import made

SOURCE = """// kernlint: launch(grid=1, block=32, kernel=k)
struct Truths {{ bool a, b, c, d; }};
__global__ void k(const int *p, const float *f, const __int128 *w, const float *q, float *o, int n, float r, __int128 m)
{{
    int t = threadIdx.x;
    {}
}}
"""
INTEGER, REAL, WIDE = "int a = n; ", "float a = r; ", "__int128 a = m; "
MADE = {
    INTEGER + "float x = q[a / 3];\nfloat y = q[(int)((unsigned)a / 3)]; o[t] = x + y;": "LDG LDG",
    INTEGER + "float x = q[max(a, 3)];\nfloat y = q[max((unsigned)a, 3u)]; o[t] = x + y;": "LDG LDG",
    INTEGER + "float x = q[__mulhi(a, 77777)];\nfloat y = q[(int)__umulhi(a, 77777)]; o[t] = x + y;": "LDG LDG",
    INTEGER + "float x = q[a < 5];\nfloat y = q[(unsigned)a < 5u]; o[t] = x + y;": "LDG LDG",
    INTEGER + "float x = q[a % 8];\nfloat y = q[(int)((unsigned)a % 8)]; o[t] = x + y;": "LDG LDG",
    INTEGER + "float x = q[(long long)a];\nfloat y = q[(long long)(unsigned)a]; o[t] = x + y;": "LDG LDG",
    INTEGER + "float x = q[a * a & 0xff];\nfloat y = q[(long long)a * a & 0xff]; o[t] = x + y;": "LDG LDG",
    INTEGER + "float x = q[(a * a) >> 7];\nfloat y = q[((long long)a * a) >> 7]; o[t] = x + y;": "LDG LDG",
    INTEGER + "Truths v = *(Truths *)&a; float x = q[v.a];\nfloat y = q[v.b];\nfloat z = q[v.c]; o[t] = x + y + z;": "LDG LDG LDG",
    INTEGER + 'float x = "abc"[a & 1];\nfloat y = "def"[a & 1]; o[t] = x + y;': "LDG LDG",
    INTEGER + "unsigned b = a; float x = q[b];\nfloat y = q[b]; o[t] = x + y;": "LDG",
    INTEGER + "int b = a; float x = q[a / 3];\nfloat y = q[b / 3]; o[t] = x + y;": "LDG",
    REAL + "float x = q[__float_as_int(a)];\nfloat y = q[__float_as_uint(a)]; o[t] = x + y;": "LDG LDG",
    REAL + "float x = q[__float_as_int(a)];\nfloat y = q[*(int *)&a]; o[t] = x + y;": "LDG",
    WIDE + "float x = q[(int)(a + 3)];\nfloat y = q[(int)(a * 5)];\nfloat z = q[(int)(a - 3)]; o[t] = x + y + z;": "LDG LDG LDG",
}  # fmt: skip
INDICES = {
    "float *g = o + t * 7; uint2 h = *(uint2 *)&g; s[(h.x - h.y) & 1023] = 1;": "s[(h.x - h.y) & 1023]",
    "float *g = o + t * 7; uint2 h; memcpy(&h, &g, 8); s[(h.x - h.y) & 1023] = 1;": "s[(h.x - h.y) & 1023]",
    "__int128 a = w[t]; ulonglong2 h = *(ulonglong2 *)&a; s[(h.x - h.y) & 1023] = 1;": "s[(h.x - h.y) & 1023]",
    "int a = p[t]; Truths v = *(Truths *)&a; s[((int)v.a - (int)v.b) * t + 32] = 1;": "s[((int)v.a - (int)v.b) * t + 32]",
    "s[((unsigned char)WIDTH - WIDTH + t) & 1023] = 1;": "s[((unsigned char)WIDTH - WIDTH + t) & 1023]",
    "s[(((int)(bool)WIDTH - WIDTH) * t) & 1023] = 1;": "s[(((int)(bool)WIDTH - WIDTH) * t) & 1023]",
    'int x, y; asm("slct.s32.f32 %0, 3, 4, %1;" : "=r"(x) : "f"(f[t])); asm("slct.s32.f32 %0, 3, 4, %1;" : "=r"(y) : "f"(f[t + 32])); '
    "s[(x - y) * t + 32] = 1;": "s[(x - y) * t + 32]",
}


@pytest.mark.parametrize("body", MADE)
def test_addresses_of_other_values_are_loaded_from_apart(body: str, tmp_path: Path) -> None:
    assert made(run(tmp_path, SOURCE.format(body))) == " ".join(
        sorted((*MADE[body].split(), "STG"))
    )


@pytest.mark.parametrize("body", INDICES)
def test_parts_of_one_value_are_not_equal(body: str, tmp_path: Path) -> None:
    kernel = run(tmp_path, SOURCE.format(f"__shared__ float s[1024]; {body}"))
    assert access(kernel, INDICES[body]).status != "exact"
