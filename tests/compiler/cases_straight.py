"""Cases without loops, or with loops that only carry the structure of real kernels: neighbours,
forwarding, predicates, atomics."""

from __future__ import annotations

INDEX = "  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;\n"
TYPES = "struct P3 { float x, y, z; }; struct P4 { float x, y, z, w; }; struct alignas(16) A4 { float x, y, z, w; }; struct alignas(8) A2 { int x, y; };\n"


def kernel(
    body: str, parameters: str = "float *a, float *b, float *o, int n, int m", before: str = ""
) -> str:
    return f"{before}__global__ void k({parameters}) {{\n{INDEX}{body}}}\n"


RESTRICT = (
    "const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ o, int n, int m"
)


def _neighbours() -> dict[str, str]:
    cases = {}
    for base, name in (
        ("2 * t", "2t"),
        ("4 * t", "4t"),
        ("t", "t"),
        ("3 * t", "3t"),
        ("2 * t + 1", "2t1"),
        ("m", "m"),
        ("2 * m", "2m"),
        ("t & ~1", "tmask"),
        ("0", "zero"),
        ("t * n", "tn"),
        ("t * 2 * n", "t2n"),
        ("6", "six"),
    ):
        for array, decl in (
            ("static", "__shared__ float s[1024];"),
            ("dynamic", "extern __shared__ float s[];"),
            ("aligned", "__shared__ __align__(16) float s[1024];"),
        ):
            if array == "aligned" and name not in ("2t", "4t", "zero"):
                continue
            cases[f"pair_{array}_{name}"] = kernel(f"""  {decl}
  s[{base}] = a[i]; //@ g.ld4 s.st4
  s[{base} + 1] = b[i]; //@ g.ld4 s.st4
  __syncthreads();
  float x = s[{base}]; //@ s.ld4
  float y = s[{base} + 1]; //@ s.ld4
  o[i] = x * y; //@ g.st4
  o[i + n] = s[t ^ 5]; //@ s.ld4 g.st4
""")
    for count in (3, 4, 5, 8):
        lines = "".join(f"  float x{j} = s[4 * t + {j}]; //@ s.ld4\n" for j in range(count))
        cases[f"run_{count}"] = kernel(
            f"  __shared__ float s[2048];\n  s[t * 3] = a[i]; //@ g.ld4 s.st4\n  __syncthreads();\n{lines}  o[i] = "
            + " * ".join(f"x{j}" for j in range(count))
            + "; //@ g.st4\n"
        )
    for gap, mid in {
        "store_other_shared": "q[t] = x; //@ s.st4",
        "store_same_shared": "s[t + 7] = x; //@ s.st4",
        "store_global": "o[i + n] = x; //@ g.st4",
        "barrier": "__syncthreads();",
        "syncwarp": "__syncwarp();",
        "shuffle": "x = __shfl_xor_sync(~0u, x, 1);",
        "if": "if (x > 3.f) x = x * x + 1.f;",
        "ifstore": "if (x > 3.f) o[i + n] = x; //@ g.st4",
        "atomic": "atomicAdd(&o[5 + t], x); //@ g.at4",
        "volatile": "*(volatile float *)(o + i + n) = x; //@ g.st4",
        "load_between": "x *= s[t ^ 9]; //@ s.ld4",
        "fence": "__threadfence_block();",
    }.items():
        cases[f"gap_{gap}"] = kernel(f"""  __shared__ float s[1024], q[256];
  s[t ^ 1] = a[i]; //@ g.ld4 s.st4
  q[t] = 1; //@ s.st4
  __syncthreads();
  float x = s[2 * t]; //@ s.ld4
  {mid}
  float y = s[2 * t + 1]; //@ s.ld4
  o[i] = x * y + q[t ^ 1]; //@ s.ld4 g.st4
""")
    cases["pair_guarded_both"] = kernel("""  __shared__ float s[1024];
  s[t ^ 1] = a[i]; //@ g.ld4 s.st4
  __syncthreads();
  float x = 0, y = 0;
  if (t < n) {
    x = s[2 * t]; //@ s.ld4
    y = s[2 * t + 1]; //@ s.ld4
  }
  o[i] = x * y; //@ g.st4
""")
    cases["pair_guarded_apart"] = kernel("""  __shared__ float s[1024];
  s[t ^ 1] = a[i]; //@ g.ld4 s.st4
  __syncthreads();
  float x = 0, y = 0;
  if (t < n)
    x = s[2 * t]; //@ s.ld4
  if (t < n)
    y = s[2 * t + 1]; //@ s.ld4
  o[i] = x * y; //@ g.st4
""")
    cases["pair_guarded_second"] = kernel("""  __shared__ float s[1024];
  s[t ^ 1] = a[i]; //@ g.ld4 s.st4
  __syncthreads();
  float x = s[2 * t], y = 0; //@ s.ld4
  if (t < n)
    y = s[2 * t + 1]; //@ s.ld4
  o[i] = x * y; //@ g.st4
""")
    for name, decl, base in (
        ("chars", "char", "4 * t"),
        ("shorts", "short", "4 * t"),
        ("ints", "int", "4 * t"),
        ("doubles", "double", "2 * t"),
        ("uchars", "unsigned char", "t * 8"),
    ):
        width = {"chars": 1, "uchars": 1, "shorts": 2, "ints": 4, "doubles": 8}[name]
        cases[f"pair_{name}"] = kernel(f"""  __shared__ __align__(16) {decl} s[4096];
  s[{base}] = ({decl})a[i]; //@ g.ld4 s.st{width}
  s[{base} + 1] = ({decl})b[i]; //@ g.ld4 s.st{width}
  __syncthreads();
  int x = s[{base}]; //@ s.ld{width}
  int y = s[{base} + 1]; //@ s.ld{width}
  o[i] = x * y; //@ g.st4
  o[i + n] = s[t ^ 5]; //@ s.ld{width} g.st4
""")
    for order in ("reverse", "column"):
        second = "s[2 * t]" if order == "reverse" else "s[2 * t + 32]"
        cases[f"pair_{order}"] = kernel(f"""  __shared__ float s[2048];
  s[t * 5] = a[i]; //@ g.ld4 s.st4
  __syncthreads();
  float x = s[2 * t + 1]; //@ s.ld4
  float y = {second}; //@ s.ld4
  o[i] = x * y; //@ g.st4
""")
    cases["two_arrays_adjacent"] = kernel("""  __shared__ float s[256], q[256];
  s[t] = a[i]; //@ g.ld4 s.st4
  q[t] = b[i]; //@ g.ld4 s.st4
  __syncthreads();
  o[i] = s[255] * q[0]; //@ s.ld4 s.ld4 g.st4
""")
    cases["matrix_2d_rows"] = kernel("""  __shared__ float s[16][16];
  s[t / 16][t % 16] = a[i]; //@ g.ld4 s.st4
  __syncthreads();
  o[i] = s[t / 16][0] * s[t / 16][1] * s[t / 16][2]; //@ s.ld4 s.ld4 s.ld4 g.st4
""")
    return cases


def _global_neighbours() -> dict[str, str]:
    cases = {}
    for head, parameters in (
        ("plain", "float *a, float *b, float *o, int n, int m"),
        ("restrict", RESTRICT),
    ):
        for count, base in ((2, "2 * i"), (4, "4 * i"), (8, "8 * i"), (4, "4")):
            loads = "".join(f"  float x{j} = a[{base} + {j}]; //@ g.ld4\n" for j in range(count))
            stores = "".join(f"  o[{base} + {j}] = x{j} * 2.f; //@ g.st4\n" for j in range(count))
            cases[f"gpair_{head}_{count}{'' if 'i' in base else '_uniform'}"] = kernel(
                loads + stores, parameters
            )
    for name, text in {
        "p3_members": (
            "P3 *p",
            "  float x = p[i].x; //@ g.ld4\n  float y = p[i].y; //@ g.ld4\n  o[i] = x * y; //@ g.st4\n",
        ),
        "p4_members": (
            "P4 *p",
            "  float x = p[i].x; //@ g.ld4\n  float y = p[i].y; //@ g.ld4\n  float z = p[i].z; //@ g.ld4\n  o[i] = x * y * z * p[i].w; //@ g.ld4 g.st4\n",
        ),
        "a4_members": (
            "A4 *p",
            "  float x = p[i].x; //@ g.ld4\n  float y = p[i].y; //@ g.ld4\n  float z = p[i].z; //@ g.ld4\n  o[i] = x * y * z * p[i].w; //@ g.ld4 g.st4\n",
        ),
        "a4_two": (
            "A4 *p",
            "  float x = p[i].x; //@ g.ld4\n  float z = p[i].z; //@ g.ld4\n  o[i] = x * z; //@ g.st4\n",
        ),
        "a4_copy": (
            "A4 *p",
            "  A4 v = p[i]; //@ g.ld16\n  o[i] = v.x * v.y * v.z * v.w; //@ g.st4\n",
        ),
        "a4_copy_some": ("A4 *p", "  A4 v = p[i]; //@ g.ld16\n  o[i] = v.x * v.y; //@ g.st4\n"),
        "f4_copy_some": ("float4 *p", "  float4 v = p[i]; //@ g.ld16\n  o[i] = v.x; //@ g.st4\n"),
        "f4_copy_two": (
            "float4 *p",
            "  float4 v = p[i]; //@ g.ld16\n  o[i] = v.x * v.w; //@ g.st4\n",
        ),
        "f4_copy_three": (
            "float4 *p",
            "  float4 v = p[i]; //@ g.ld16\n  o[i] = v.x * v.y * v.z; //@ g.st4\n",
        ),
        "f4_member": ("float4 *p", "  o[i] = p[i].x; //@ g.ld4 g.st4\n"),
        "f4_members": (
            "float4 *p",
            "  float x = p[i].x; //@ g.ld4\n  float y = p[i].y; //@ g.ld4\n  o[i] = x * y; //@ g.st4\n",
        ),
        "f4_members_all": (
            "float4 *p",
            "  o[i] = p[i].x * p[i].y * p[i].z * p[i].w; //@ g.ld4 g.ld4 g.ld4 g.ld4 g.st4\n",
        ),
        "f4_whole": ("float4 *p", "  p[i + n] = p[i]; //@ g.ld16 g.st16\n"),
        "f4_store_members": (
            "float4 *p",
            "  p[i].x = 1; //@ g.st4\n  p[i].y = n; //@ g.st4\n  p[i].z = 3; //@ g.st4\n  p[i].w = m; //@ g.st4\n",
        ),
        "f2_copy_one": ("float2 *p", "  float2 v = p[i]; //@ g.ld8\n  o[i] = v.y; //@ g.st4\n"),
        "a2_members": (
            "A2 *p",
            "  int x = p[i].x; //@ g.ld4\n  int y = p[i].y; //@ g.ld4\n  o[i] = x * y; //@ g.st4\n",
        ),
        "f2_store_members": ("float2 *p", "  p[i].x = 1; //@ g.st4\n  p[i].y = n; //@ g.st4\n"),
        "p3_copy": (
            "P3 *p",
            "  P3 v = p[i]; //@ g.ld4 g.ld4 g.ld4\n  o[i] = v.x * v.y * v.z; //@ g.st4\n",
        ),
        "p3_copy_some": (
            "P3 *p",
            "  P3 v = p[i]; //@ g.ld4 g.ld4 g.ld4\n  o[i] = v.x; //@ g.st4\n",
        ),
        "p3_whole": ("P3 *p", "  p[i + n] = p[i]; //@ g.ld4 g.ld4 g.ld4 g.st4 g.st4 g.st4\n"),
        "float4_cast": (
            "float *p",
            "  float4 v = *(float4 *)&p[4 * i]; //@ g.ld16\n  o[i] = v.x * v.y * v.z * v.w; //@ g.st4\n",
        ),
        "float4_reinterpret_const": (
            "const float *__restrict__ p",
            "  float4 v = reinterpret_cast<const float4 *>(p)[i]; //@ g.ld16\n  o[i] = v.x * v.y * v.z * v.w; //@ g.st4\n",
        ),
        "char_pairs": (
            "unsigned char *p",
            "  int x = p[4 * i]; //@ g.ld1\n  int y = p[4 * i + 1]; //@ g.ld1\n  o[i] = x * y; //@ g.st4\n",
        ),
        "uchar4_copy": (
            "uchar4 *p",
            "  uchar4 v = p[i]; //@ g.ld4\n  o[i] = v.x * v.y + v.z * v.w; //@ g.st4\n",
        ),
        "uchar4_some": ("uchar4 *p", "  uchar4 v = p[i]; //@ g.ld4\n  o[i] = v.x; //@ g.st4\n"),
        "uchar4_members": (
            "uchar4 *p",
            "  int x = p[i].x; //@ g.ld1\n  int y = p[i].y; //@ g.ld1\n  o[i] = x * y; //@ g.st4\n",
        ),
        "short_array": (
            "short *p",
            "  int x = p[2 * i]; //@ g.ld2\n  int y = p[2 * i + 1]; //@ g.ld2\n  o[i] = x * y; //@ g.st4\n",
        ),
        "double2_some": ("double2 *p", "  double2 v = p[i]; //@ g.ld16\n  o[i] = v.y; //@ g.st4\n"),
        "low_byte": ("int *p", "  o[i] = (unsigned char)p[i]; //@ g.ld4 g.st4\n"),
        "low_half": ("long long *p", "  o[i] = (int)p[i]; //@ g.ld8 g.st4\n"),
        "high_half": ("long long *p", "  o[i] = (int)(p[i] >> 32); //@ g.ld8 g.st4\n"),
        "mask_byte": ("unsigned *p", "  o[i] = (p[i] >> 8) & 255; //@ g.ld4 g.st4\n"),
        "bit_test": ("unsigned *p", "  if (p[i] & 1) //@ g.ld4\n    o[i] = 1; //@ g.st4\n"),
    }.items():
        cases[f"shape_{name}"] = kernel(text[1], f"{text[0]}, float *o, int n, int m", TYPES)
        cases[f"shape_{name}_restrict"] = kernel(
            text[1],
            f"{text[0].replace('*', '*__restrict__ ').replace('*__restrict__ __restrict__', '*__restrict__')}, float *__restrict__ o, int n, int m",
            TYPES,
        )
    for name, type_, text in (
        ("f4_shared", "float4", "v.x * v.w"),
        ("f2_shared", "float2", "v.x"),
        ("a4_shared", "A4", "v.x * v.y"),
        ("p3_shared", "P3", "v.x * v.y * v.z"),
        ("p4_shared", "P4", "v.x * v.y * v.z * v.w"),
        ("p4_some_shared", "P4", "v.x"),
        ("f4_all_shared", "float4", "v.x * v.y * v.z * v.w"),
    ):
        width = {
            "float4": "s.ld16",
            "float2": "s.ld8",
            "A4": "s.ld16",
            "P3": "s.ld4 s.ld4 s.ld4",
            "P4": "s.ld4 s.ld4 s.ld4 s.ld4",
        }[type_]
        cases[f"shape_{name}"] = kernel(
            f"""  __shared__ {type_} s[256];
  s[t] = p[i]; //@
  __syncthreads();
  {type_} v = s[t ^ 1]; //@ {width}
  o[i] = {text}; //@ g.st4
""",
            f"{type_} *p, float *o, int n, int m",
            TYPES,
        )
    return cases


def cases() -> dict[str, str]:
    return {**_neighbours(), **_global_neighbours()}
