"""Loops of unknown length whose stages come round: the counts of a request are those that the same
loop has when its length is known."""

from __future__ import annotations

import pytest

from kernlint.model import facts
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files
from tests.places import DATA

CASES = DATA / "cases" / "modern"
T = "threadIdx.x"
# by name: what is declared before the loop, its body; `o[…]` shared arrays, n iterations
BODIES = {
    "counter of stages": (
        "int st = 0;",
        f"a += s[st * 33 + {T} * (st + 1)]; if (++st == 3) st = 0;",
    ),
    "stage and phase": (
        "int st = 0; bool phase = false;",
        f"a += s[{T} * (phase ? 4 : 1) + st]; st++; if (st == 2) {{ st = 0; phase = !phase; }}",
    ),
    "toggle by exclusive or": ("int b = 0;", f"a += s[b * 40 + {T} * (1 + b)]; b ^= 1;"),
    "toggle by difference": ("int b = 1;", f"a += s[b * 40 + {T} * (2 + b)]; b = 1 - b;"),
    "pointers swapped": (
        "float *p = s, *q = u;",
        f"a += p[{T} * 2] + q[{T}]; float *x = p; p = q; q = x;",
    ),
    "three pointers in turn": (
        "float *p = s, *q = u, *r = s + 1024;",
        f"a += p[{T} * 4]; float *x = p; p = q; q = r; r = x;",
    ),
    "offset of each lane": (
        f"unsigned off = ({T} % 16) * 8 + (({T} / 16) ^ ({T} & 7));",
        "for (int k = 0; k < 4; k++) { a += v[off].x; off ^= 2 ^ (k % 2 * 4); }",
    ),
    "offset by the iteration": (
        f"unsigned off = {T} * 2;",
        "a += s[off]; off ^= (i & 1) ? 32 : 7;",
    ),
    "offset advanced and taken back": (
        f"int off = {T} * 3;",
        "for (int k = 0; k < 4; k++) { a += s[off]; off += 8; } off -= 32;",
    ),
    "stage before the cycle": (
        "int st = 5;",
        f"a += s[{T} * (1 + st)]; st = st == 5 ? 0 : (st + 1) % 2;",
    ),
    "stage by lane": (
        f"int st = {T} % 2;",
        f"a += s[{T} + st * 64]; st ^= 1;",
    ),
    "stage of half of the warps": (
        "int st = 0;",
        f"a += s[{T} * (1 + st)]; if ({T} < 32) st ^= 1;",
    ),
    "length that no variable is": (
        "int st = 0; int j = 0;",
        f"a += s[{T} * (1 + st)]; st = (st + 1) & 1; j = j * 3 + 1;",
    ),
    "a struct of stage and phase": (
        "struct { int index, phase, count; } p = {0, 1, 0};",
        f"a += s[{T} * (1 + p.index) + p.phase]; p.count++; if (++p.index == 3) {{ p.index = 0; p.phase ^= 1; }}",
    ),
    "offset taken back past the end": (
        "int off = 0;",
        f"a += s[off + {T} * (1 + off / 1024)]; off += 1024; if (off >= 3072) off -= 3072;",
    ),
    "pointer taken back past the end": (
        "float *p = s;",
        f"a += p[{T} * (p == s ? 2 : 4)]; p += 1024; if (p == s + 3072) p = s;",
    ),
    "a lane that data ends": (
        "int st = 0;",
        f"if (o[i] > 3) break; a += s[{T} * (1 + st)]; st ^= 1;",
    ),
    "an iteration that data cuts short": (
        "int st = 0;",
        f"st = (st + 1) % 3; a += s[{T} * (1 + st)]; if (o[i] > 3) continue; a *= 2;",
    ),
    "a loop within": (
        "int st = 0;",
        f"for (int j = 0; j < 5; j++) {{ a += s[{T} * (1 + st)]; st = (st + 1) % 3; }}",
    ),
    "a step that skips": (
        "int st = 0;",
        f"if (st == 1) {{ st = 2; continue; }} a += s[{T} * (1 + st)]; st = (st + 1) % 4;",
    ),
}
KERNEL = """\
__global__ void __launch_bounds__(64) k(float *o, int n)
{{
    __shared__ float s[4096];
    __shared__ float u[2048];
    __shared__ float4 v[256];
    s[threadIdx.x] = u[threadIdx.x] = v[threadIdx.x].x = o[threadIdx.x];
    __syncthreads();
    float a = 0;
    {before}
    for (int i = 0; i < n; i++) {{
        {body}
    }}
    o[threadIdx.x] = a;
}}
void go(float *o, int n) {{ k<<<1, 64>>>(o, {n}); }}
"""
LINE = 11


def kernel(text: str) -> facts.Kernel:
    [found] = engine.analyse_source(files.from_bytes("k.cu", text.encode()), Settings()).kernels
    return found


def per_request(name: str, length: str) -> list[tuple[float | None, float | None]]:
    before, body = BODIES[name]
    text = KERNEL.format(before=before, body=body, n=length)
    return [
        (access.wavefronts.min, access.wavefronts.max) if access.wavefronts else (None, None)
        for access in kernel(text).accesses
        if access.span.line == LINE and access.space == "shared"
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", BODIES)
def test_a_loop_of_unknown_length_counts_as_one_of_known_length(name: str) -> None:
    assert per_request(name, "n") == per_request(name, "96") != []


@pytest.mark.parametrize(
    "name", ["m06_ring_unknown_k.cu", "m07_stage_pingpong.cu", "m14_advance_and_restore.cu"]
)
def test_a_case_has_its_counts(name: str) -> None:
    for access in kernel((CASES / name).read_text()).accesses:
        counts = access.wavefronts or access.sectors
        assert counts is not None and counts.min == counts.max


@pytest.mark.parametrize(
    "body",
    [
        "st = (st + (o[i] > 0)) % 3;",  # data decides
        "st = st * 5 + 1;",  # never comes round
        "if (o[i] > 0) st = (st + 1) % 3;",
        "st = (st + n) % 3;",  # an argument decides
        "st = (st + i) % 7 + i;",
    ],
)
def test_what_does_not_come_round_by_itself_stays_open(body: str) -> None:
    text = KERNEL.format(before="int st = 0;", body=f"a += s[{T} * (1 + st)]; {body}", n="n")
    [access] = [a for a in kernel(text).accesses if a.span.line == LINE and a.space == "shared"]
    counts = access.wavefronts
    assert access.status == "unknown" or (counts is not None and counts.max != counts.min)


def test_what_the_loop_leaves_is_one_of_its_states() -> None:
    text = KERNEL.format(
        before="int b = 0; float *p = s, *q = s + 64;",
        body="float *x = p; p = q; q = x; b ^= 1;",
        n="n",
    ).replace(
        "o[threadIdx.x] = a;", "o[threadIdx.x] = p[threadIdx.x * 2] + s[b * 64 + threadIdx.x * 4];"
    )
    found = [a for a in kernel(text).accesses if a.span.line == 13 and a.space == "shared"]
    assert [a.wavefronts and a.wavefronts.mean for a in found] == [2.0, 4.0]
