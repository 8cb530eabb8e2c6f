"""Cases of stores between two accesses: which ones nvcc knows to leave the bytes of a member or
element alone, when it keeps a value and when it joins neighbours."""

from __future__ import annotations

TYPES = """struct P3 { float x, y, z; }; struct alignas(16) Body { float x, y, z, m; }; struct alignas(8) Half { float a, b; };
struct alignas(8) Mixed { int a; float b; }; struct V { float v[4]; }; struct N { float4 pos; float4 vel; }; struct D : P3 { float w; };
struct A { float x, y, z; float *d; }; struct M { P3 p; float m; };
"""
HEAD = "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
SHARED = """  __shared__ float4 sh[256]; __shared__ float s2[64][2], s3[1024], s4[256]; __shared__ Half sp[256];
  sh[threadIdx.x ^ 3] = make_float4(1, n, 3, k); s2[threadIdx.x ^ 3][k] = n; s3[threadIdx.x ^ 7] = n; s4[threadIdx.x ^ 7] = n; sp[threadIdx.x ^ 7].a = n;
  __syncthreads();
"""
TAIL = """  __syncthreads();
  o[i + n] = sh[threadIdx.x ^ 1].y + sh[threadIdx.x ^ 1].x + s2[threadIdx.x ^ 9][1] + s3[threadIdx.x ^ 9] + s4[threadIdx.x ^ 9] + sp[threadIdx.x ^ 9].b;
"""


def kernel(parameters: str, *lines: tuple[str, str]) -> str:
    """`lines`: statements with the accesses as written."""
    text = "".join(f"  {statement}; //@ {tags}\n" for statement, tags in lines)
    shared = any(tag.startswith("s.") for _, tags in lines for tag in tags.split())
    head, tail = (SHARED, TAIL) if shared else ("", "")
    return f"{TYPES}__global__ void k({parameters}, float *o, int k, int n) {{\n{HEAD}{head}{text}{tail}}}\n"


KEPT = {  # parameters, load, store, width of load, of store
    "array": ("V *p, V *q", "q[i].v[0]", "p[i].v[1] = 1", 4, 4),
    "array_variable": ("V *p, V *q", "q[i].v[0]", "p[i].v[k] = 1", 4, 4),
    "nested": ("N *p, N *q", "q[i].pos.x", "p[i].vel.x = 1", 4, 4),
    "nested_whole": ("N *p, N *q", "q[i].pos.x", "p[i].vel = make_float4(1, 2, 3, 4)", 4, 16),
    "inner_other": ("float4 *p, N *q", "q[i].pos.x", "p[i].y = 1", 4, 4),
    "inner_same": ("float4 *p, N *q", "q[i].pos.x", "p[i].x = 1", 4, 4),
    "base_class": ("P3 *p, D *q", "q[i].x", "p[i].y = 1", 4, 4),
    "derived": ("D *p, D *q", "q[i].x", "p[i].w = 1", 4, 4),
    "inside": ("M *p, M *q", "q[i].p.x", "p[i].m = 1", 4, 4),
    "arrow": ("P3 *p, P3 *q", "q->x", "p->y = 1", 4, 4),
    "arrow_index": ("P3 *p, P3 *q", "q->x", "(p + i)->y = 1", 4, 4),
    "cast": ("float *p, float4 *q", "q[i].x", "((float4 *)p)[i].y = 1", 4, 4),
    "cast_away": ("float *p, float4 *q", "q[i].x", "((float *)&p[i])[1] = 1", 4, 4),
    "pointer": ("float4 *p, float4 *q", "q[i].x", "float *r = &p[i].y; *r = 1", 4, 4),
    "reference": ("float4 *p, float4 *q", "q[i].x", "float4 &r = p[i]; r.y = 1", 4, 4),
    "reference_member": ("float4 *p, float4 *q", "q[i].x", "float &r = p[i].y; r = 1", 4, 4),
    "beside_pointer": ("A *p, A *q", "q[i].x", "p[i].d = 0", 4, 8),
    "whole": ("P3 *p, Half *q", "q[i].a", "Half v = {1, 2}; q[i + k] = v", 4, 8),
    "other_struct": ("P3 *q, Half *p", "q[i].x", "p[i].b = 1", 4, 4),
    "same_member": ("float4 *p, float4 *q", "q[i].x", "p[i].x = 1", 4, 4),
    "other_member": ("float4 *p, float4 *q", "q[i].x", "p[i].y = 1", 4, 4),
    "other_index": ("float4 *p, float4 *q", "q[i].x", "q[i + k].y = 1", 4, 4),
    "int_store": ("int *p, float *q", "q[i]", "p[i] = 1", 4, 4),
    "even_odd": ("float *p, float *q", "q[2 * i]", "q[2 * k + 1] = 1", 4, 4),
    "shared_members": ("float *p", "sh[i].x", "sh[i + k].y = 1", 4, 4),
    "shared_columns": ("float *p", "s2[i][0]", "s2[k][1] = 1", 4, 4),
    "shared_neighbour": ("float *p", "s3[i]", "s3[i ^ 1] = 1", 4, 4),
    "shared_even_odd": ("float *p", "s3[2 * i]", "s3[2 * k + 1] = 1", 4, 4),
    "shared_other_array": ("float *p", "s3[i]", "s4[i ^ 1] = 1", 4, 4),
    "shared_far": ("float *p", "s3[i]", "s3[i + 4 * n + 1] = 1", 4, 4),
    "shared_ranges": ("float *p", "s3[i & 63]", "s3[(k & 63) + 64] = 1", 4, 4),
    "shared_range": ("float *p", "s3[i & 63]", "s3[64] = 1", 4, 4),
    "shared_constant": ("float *p", "s3[3]", "s3[i + 4] = 1", 4, 4),
    "shared_first": ("float *p", "s3[0]", "s3[threadIdx.x + 1] = 1", 4, 4),
    "shared_row": ("float *p", "s2[0][i]", "s2[1][k] = 1", 4, 4),
    "shared_rows": ("float *p", "s2[n][threadIdx.x]", "s2[n + 1][threadIdx.x] = 1", 4, 4),
    "shared_flipped": ("float *p", "s2[n][threadIdx.x]", "s2[n ^ 1][threadIdx.x] = 1", 4, 4),
    "shared_strides": ("float *p", "s3[2 * threadIdx.x]", "s3[4 * threadIdx.x + 1] = 1", 4, 4),
    "shared_halved": ("float *p", "s3[threadIdx.x]", "s3[2 * threadIdx.x + 1] = 1", 4, 4),
    "shared_padded": (
        "float *p",
        "s3[2 * i + (2 * i >> 5)]",
        "s3[2 * i + 1 + ((2 * i + 1) >> 5)] = 1",
        4,
        4,
    ),
    "shared_padded_far": ("float *p", "s3[i + (i >> 5)]", "s3[i + 32 + ((i + 32) >> 5)] = 1", 4, 4),
    "shared_wrapped": ("float *p", "s3[i % 32]", "s3[(i + 1) % 32] = 1", 4, 4),
}
OTHERS = {
    "none": "", "scalar": "o[i] = 3; //@ g.st4", "same": "q[i + k].x = 1; //@ g.st4", "other": "q[i + k].y = 1; //@ g.st4", "third": "q[i + k].z = 1; //@ g.st4",
    "vector": "p[i] = make_float4(1, 2, 3, 4); //@ g.st16", "load": "float l = o[i]; o[i + 7] = l; //@ g.ld4 g.st4", "atomic": "atomicAdd(&o[k], 1.f); //@ g.at4",
    "barrier": "__syncthreads();", "struct": "((Body *)p)[i].y = 1; //@ g.st4", "pointer_same": "p[i].x = 1; //@ g.st4", "pointer_other": "p[i].y = 1; //@ g.st4",
}  # fmt: skip
UPDATES = {
    "float4_two": ("float4 *p", "p[i].x += k", "p[i].y += 2 * k"),
    "float4_three": ("float4 *p", "p[i].x += k", "p[i].y += 2 * k", "p[i].z += 3 * k"),
    "float4_four": (
        "float4 *p",
        "p[i].x += k",
        "p[i].y += 2 * k",
        "p[i].z += 3 * k",
        "p[i].w *= 2",
    ),
    "float4_far": ("float4 *p", "p[i].x += k", "p[i].w += 2 * k"),
    "float2": ("float2 *p", "p[i].x += k", "p[i].y += 2 * k"),
    "int2": ("int2 *p", "p[i].x += k", "p[i].y ^= n"),
    "double2": ("double2 *p", "p[i].x *= k", "p[i].y *= k"),
    "body": ("Body *p", "p[i].x += k", "p[i].y += k", "p[i].z += k"),
    "half": ("Half *p", "p[i].a += k", "p[i].b += k"),
    "mixed": ("Mixed *p", "p[i].a += k", "p[i].b += k"),
    "plain": ("P3 *p", "p[i].x += k", "p[i].y += k", "p[i].z += k"),
    "uchar4": (
        "uchar4 *p",
        "p[i].x = 255 - p[i].x",
        "p[i].y = 255 - p[i].y",
        "p[i].z = 255 - p[i].z",
    ),
    "short4": ("short4 *p", "p[i].x += k", "p[i].y += k", "p[i].z += k", "p[i].w += k"),
    "floats": ("float *p", "p[2 * i] += k", "p[2 * i + 1] += k"),
    "shared_half": ("float *p", "sp[threadIdx.x].a += k", "sp[threadIdx.x].b += k"),
    "shared_float4": (
        "float *p",
        "sh[threadIdx.x].x += k",
        "sh[threadIdx.x].y += k",
        "sh[threadIdx.x].w += k",
    ),
    "shared_floats": ("float *p", "s3[2 * threadIdx.x] += k", "s3[2 * threadIdx.x + 1] += k"),
    "shared_columns": ("float *p", "s2[threadIdx.x / 2][0] += k", "s2[threadIdx.x / 2][1] += k"),
}
WIDTHS = {"double2": 8, "uchar4": 1, "short4": 2}


def _kept() -> dict[str, str]:
    cases = {}
    for name, (parameters, load, store, read, written) in KEPT.items():
        space = "s" if "shared" in name else "g"
        loaded, stored = f"{space}.ld{read}", f"{space}.st{written}"
        cases[f"keep_{name}"] = kernel(
            parameters,
            (f"float x = {load}", loaded),
            (store, stored),
            (f"float y = {load}", loaded),
            ("o[i] = x * x + y", "g.st4"),
        )
    return cases


def _joined() -> dict[str, str]:
    cases = {}
    for name, (parameters, *updates) in UPDATES.items():
        space, width = "s" if "shared" in name else "g", WIDTHS.get(name, 4)
        cases[f"update_{name}"] = kernel(
            parameters, *((u, f"{space}.ld{width} {space}.st{width}") for u in updates)
        )
        if "shared" not in name:
            restrict = parameters.replace("*", "*__restrict__ ")
            cases[f"update_{name}_restrict"] = kernel(
                restrict, *((u, f"g.ld{width} g.st{width}") for u in updates)
            )
    for kind, body in {
        "load": (
            "float x = q[i].x; //@ g.ld4",
            "float y = q[i].y; //@ g.ld4",
            "o[i + 100] = x * y; //@ g.st4",
        ),
        "store": ("q[i].x = k; //@ g.st4", "q[i].y = n; //@ g.st4", ""),
    }.items():
        for between, text in OTHERS.items():
            cases[f"join_{kind}_{between}"] = (
                f"{TYPES}__global__ void k(float4 *p, float4 *q, float *o, int k, int n) {{\n{HEAD}  {body[0]}\n  {text}\n  {body[1]}\n  {body[2]}\n}}\n"
            )
    cases["join_axpy"] = kernel(
        "float4 *p, float4 *q", *((f"p[i].{m} += q[i].{m} * k", "g.ld4 g.ld4 g.st4") for m in "xyz")
    )
    cases["join_bytes"] = kernel(
        "uchar4 *p, uchar4 *q",
        *((f"p[i].{m} = q[i].{m} / 2", "g.ld1 g.st1") for m in "xyz"),
        ("p[i].w = 255", "g.st1"),
    )
    cases["join_swap"] = kernel(
        "int2 *p",
        ("int t = p[i].x", "g.ld4"),
        ("p[i].x = p[i].y", "g.ld4 g.st4"),
        ("p[i].y = t", "g.st4"),
    )
    cases["join_clamp"] = kernel(
        "float4 *p",
        ("if (p[i].x > k) p[i].x = k", "g.ld4 g.st4"),
        ("if (p[i].y > k) p[i].y = k", "g.ld4 g.st4"),
    )
    cases["join_forwarded"] = kernel(
        "float4 *q",
        ("float x = q[i].x", "g.ld4"),
        ("q[i].x = 1", "g.st4"),
        ("float y = q[i].x", "g.ld4"),
        ("o[i] = x * y * q[i].y", "g.ld4 g.st4"),
    )
    return cases


def cases() -> dict[str, str]:
    return {**_kept(), **_joined()}
