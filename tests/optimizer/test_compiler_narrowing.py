"""Loads of which nvcc reads fewer bytes than the type has, since some bits of the value are never
needed (machine code for sm_90)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.execution.test_execution import access, run

SOURCE = """#include <cuda_fp16.h>
#include <cuda_bf16.h>
// kernlint: launch(grid=4, block=128, n=5)
__global__ void k({1} *o, const {0} *b, const {0} *c, {0} *c_, int n) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    {0} v = b[i];
    {2}
}}
"""
PARTS = (
    ("unsigned", "unsigned char", "o[i] = v + 3;"),
    ("unsigned", "unsigned short", "o[i] = v << 2;"),
    ("unsigned long long", "unsigned", "o[i] = v + 5;"),
    ("int", "unsigned char", "o[i] = ((v * 3) ^ 5) & 0xff;"),
    ("long long", "int", "o[i] = v - n;"),
    ("long long", "int", "o[i] = (v + n) * 3 ^ n;"),
    ("unsigned long long", "unsigned char", "o[i] = n > 3 ? v : 1;"),
    ("int", "unsigned char", "o[i] = ~v;"),
    ("int", "unsigned char", "o[i] = v * 3; o[i + 999] = v * 5;"),
    ("unsigned", "unsigned", "o[i] = (v ^ 5) & 0xff;"),
    ("unsigned", "unsigned", "o[i] = (unsigned char)(v ^ 3);"),
    ("unsigned", "unsigned", "o[i] = v % 256;"),
    ("unsigned", "unsigned", "o[i] = v / 65536;"),
    ("unsigned", "unsigned", "o[i] = v % 65536 + n;"),
    ("unsigned long long", "unsigned long long", "o[i] = v % 256;"),
    ("unsigned long long", "unsigned", "o[i] = v / 4294967296ull;"),
    ("int", "int", "o[i] = (v << 24) >> 24;"),
    ("unsigned", "unsigned", "o[i] = (v << 16) >> 24;"),
    ("long long", "int", "o[i] = v >= 0;"),
    ("double", "bool", "o[i] = signbit(v);"),
    ("unsigned long long", "unsigned long long", "o[i] = v << 40;"),
    ("unsigned long long", "unsigned long long", "o[i] = (v << 32) | n;"),
    ("float", "unsigned", "o[i] = __float_as_uint(v) >> 24;"),
    ("double", "int", "o[i] = __double_as_longlong(v) >> 52;"),
    ("double", "int", "o[i] = __double_as_longlong(v) < 0;"),
    ("int", "unsigned char", "float x = n; o[i] = x > 3.f ? v : 1;"),
    ("__half2", "__half", "o[i] = __low2half(v);"),
    ("__half2", "float", "o[i] = __high2float(v);"),
    ("__half2", "__half", "o[i] = __low2half(__hmul2(v, c[i]));"),
    ("__half2", "float", "float2 f = __half22float2(v); o[i] = f.x;"),
    ("__nv_bfloat162", "float", "o[i] = __bfloat1622float2(v).y;"),
    ("double", "int", "o[i] = __double2hiint(v);"),
    ("long long", "int", "o[i] = (int)__shfl_sync(~0u, v, 3);"),
    ("long long", "int", "o[i] = (int)(__shfl_xor_sync(~0u, v, 1) >> 32);"),
    ("long long", "int", "o[i] = (int)(__shfl_xor_sync(~0u, v, 1) & 255);"),
    ("unsigned long long", "int", "for (int d = 16; d; d >>= 1) v += __shfl_down_sync(~0u, v, d); o[i] = (int)v;"),
    ("long long", "long long", "o[i] = (int)__shfl_sync(~0u, v, 3);"),
    ("double", "int", "o[i] = __double2loint(__shfl_sync(~0u, v, 3));"),
    ("double", "unsigned", "v = __shfl_sync(~0u, v, 3); o[i] = (unsigned)(__double_as_longlong(v) >> 32);"),
    ("long long", "int", "for (int k = 0; k < n; k++) v = v * 3 + 1; o[i] = (int)v;"),
    ("long long", "int", "for (int k = 0; k < n; k++) v ^= b[i + k * 512]; o[i] = (int)v;"),
    ("long long", "int", "long long w = b[i + 99]; for (int k = 0; k < n; k++) { if ((int)v > 5) break; v += w; } o[i] = (int)v;"),
    ("unsigned long long", "int", "for (int k = 0; k < n; k++) { v ^= v << 13; v ^= v << 7; } o[i] = (int)v;"),
    ("longlong2", "int", "for (int k = 0; k < n; k++) { v.x += 3; v.y *= v.x; } o[i] = (int)v.x + (int)v.y;"),
    ("double", "int", "o[i] = (int)__double_as_longlong(v);"),
    ("double", "int", "long long w; memcpy(&w, &v, 8); o[i] = (int)w;"),
    ("unsigned long long", "unsigned long long", "o[i] = v | 0xffffffff;"),
    ("unsigned long long", "unsigned long long", "o[i] = v | 0xffffffff00000000;"),
    ("double", "double", "o[i] = copysign(1.0, v);"),
    ("float", "int", "unsigned short z = *(unsigned short *)&v; o[i] = z;"),
    ("long long", "int", "int2 z = *(int2 *)&v; o[i] = z.x;"),
    ("double", "float", "float2 z = *(float2 *)&v; o[i] = z.y;"),
    ("uint2", "int", "long long z = *(long long *)&v; o[i] = z;"),
    ("unsigned", "int", "union { unsigned u; unsigned short c[2]; } z; z.u = v; o[i] = z.c[0];"),
)  # fmt: skip
WHOLE = (
    ("unsigned", "unsigned", "o[i] = (v + 3) & 0xff;"),
    ("unsigned", "unsigned", "o[i] = v + 3;"),
    ("unsigned", "unsigned", "o[i] = ((v * 3) ^ 5) & 0xff;"),
    ("int", "unsigned char", "o[i] = (v << 3) ^ v;"),
    ("long long", "int", "o[i] = v / n;"),
    ("long long", "int", "o[i] = v < 0 ? v + n : v;"),
    ("int", "unsigned char", "o[i] = v * 3; c_[i] = v * 5;"),
    ("int", "unsigned char", "o[i] = n > 3 ? v : 1;"),
    ("unsigned", "unsigned char", "o[i] = v + c[i];"),
    ("unsigned", "unsigned", "o[i] = (v ^ 5) * 3;"),
    ("unsigned", "unsigned", "o[i] = v % 7;"),
    ("int", "int", "o[i] = v % 256;"),
    ("unsigned", "unsigned", "o[i] = v << 24;"),
    ("long long", "int", "o[i] = v > 0;"),
    ("long long", "int", "o[i] = v + n < 0;"),
    ("double", "bool", "o[i] = v < 0;"),
    ("double", "long long", "o[i] = __double_as_longlong(v);"),
    ("__half2", "float", "o[i] = __low2float(v) + __high2float(v);"),
    ("__half2", "float", "float2 f = __half22float2(v); o[i] = f.x * f.y;"),
    ("double", "float", "o[i] = v;"),
    ("long long", "int", "o[i] = (int)(__shfl_sync(~0u, v, 3) >> 20);"),
    ("long long", "int", "v = __shfl_sync(~0u, v, 3); o[i] = (int)v + (int)(v >> 32);"),
    ("long long", "int", "for (int k = 0; k < n; k++) v >>= 1; o[i] = (int)v;"),
    ("long long", "int", "for (int k = 0; k < n; k++) v = v / 3; o[i] = (int)v;"),
    ("long long", "int", "while (v != 7 && n--) v ^= n; o[i] = (int)v;"),
    ("double", "int", "for (int k = 0; k < n; k++) v += b[i + k * 512]; o[i] = (int)v;"),
    ("int", "unsigned char", "o[i] = (unsigned char)__shfl_sync(~0u, v, 3);"),
    ("int", "short", "for (int k = 0; k < n; k++) v = v * 3 + k; o[i] = (short)v;"),
    ("long long", "int", "int2 z = *(int2 *)&v; o[i] = z.x + z.y;"),
    ("double", "float", "float2 z = *(float2 *)&v; o[i] = z.x * z.y;"),
    ("unsigned", "int", "uchar4 z = *(uchar4 *)&v; o[i] = z.x + z.w;"),
    ("unsigned long long", "unsigned long long", "o[i] = v | 0xfffffff;"),
)  # fmt: skip


@pytest.mark.parametrize(("type_", "result", "body"), PARTS)
def test_a_load_of_which_a_part_is_needed_may_be_narrower(
    type_: str, result: str, body: str, tmp_path: Path
) -> None:
    assert access(run(tmp_path, SOURCE.format(type_, result, body)), "b[i]").status == "range"


@pytest.mark.parametrize(("type_", "result", "body"), WHOLE)
def test_a_load_of_which_all_is_needed_stays(
    type_: str, result: str, body: str, tmp_path: Path
) -> None:
    assert access(run(tmp_path, SOURCE.format(type_, result, body)), "b[i]").status == "exact"


@pytest.mark.parametrize(
    ("type_", "result", "body", "status"),
    [
        ("int", "unsigned char", "int s = 0; if (n > 3) s = c[i] * 3; o[i] = s;", "range"),
        ("int", "unsigned char", "int s = n; if (n > 3) s = c[i] * 3; o[i] = s;", "exact"),
        (
            "long long",
            "int",
            "long long s = 0; for (int j = 0; j < n; j++) s += c[i + 32 * j]; o[i] = s;",
            "range",
        ),
        (
            "int",
            "unsigned char",
            "unsigned char s = 0; for (int j = 0; j < n; j++) s += c[i + 32 * j]; o[i] = s;",
            "range",
        ),
        (
            "int",
            "unsigned char",
            "int s = 0; for (int j = 0; j < n; j++) s += c[i + 32 * j]; o[i] = s;",
            "exact",
        ),
    ],
)
def test_what_a_branch_or_a_loop_leaves_is_narrowed_with_it(
    type_: str, result: str, body: str, status: str, tmp_path: Path
) -> None:
    (load,) = [
        a
        for a in run(tmp_path, SOURCE.format(type_, result, body)).accesses
        if a.text.startswith("c[")
    ]
    assert load.status == status
