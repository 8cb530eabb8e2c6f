"""Cases of loaded values that only one arm of a branch needs: how much an arm must compute before
the load moves into it, and the same through a thread's own arrays."""

from __future__ import annotations

from itertools import cycle, islice

INDEX = "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"


def kernel(body: str, element: str = "float") -> str:
    return f"__global__ void k({element} *o, const {element} *a, const {element} *b, int f) {{\n{INDEX}{body}}}\n"


def _two(arm: str, otherwise: str = "", condition: str = "f", element: str = "float") -> str:
    other = f" else {{ {otherwise} }}" if otherwise else ""
    width = 16 if element == "float4" else 4
    return kernel(
        f"  {element} x = a[i]; //@ g.ld{width}\n  {element} y = b[i]; //@ g.ld{width}\n  if ({condition}) {{ {arm} }}{other}\n  o[i] = x; //@ g.st{width}\n",
        element,
    )


def _chain(count: int, operand: str = "y") -> str:
    return " ".join(f"x = x {op} {operand};" for op in islice(cycle("+*"), count))


def _joined(count: int) -> str:
    loads = "".join(f"  float x{j} = a[i + {1024 * j}]; //@ g.ld4\n" for j in range(count))
    sums = " ".join(f"x{j} += y;" for j in range(count))
    stores = "".join(f"  o[i + {1024 * j}] = x{j}; //@ g.st4\n" for j in range(count))
    return kernel(f"{loads}  float y = b[i]; //@ g.ld4\n  if (f) {{ {sums} }}\n{stores}")


def cases() -> dict[str, str]:
    found = {f"arm_chain_{n}": _two(_chain(n)) for n in range(1, 13)}
    found |= {f"arm_lanes_{n}": _two(_chain(n), condition="threadIdx.x < 16") for n in range(1, 8)}
    found |= {f"arm_data_{n}": _two(_chain(n), condition="x > 0") for n in range(1, 8)}
    found |= {f"arm_both_{n}": _two(_chain(n), _chain(n, "3.0f")) for n in range(1, 8)}
    found |= {f"arm_values_{n}": _joined(n) for n in range(1, 7)}
    for n in range(1, 10):
        found[f"arm_integer_{n}"] = _two(
            " ".join(
                f"x = (x {op} y) + {j};" for j, op in zip(range(n), cycle("^*|"), strict=False)
            ),
            element="int",
        )
    calls = {
        "divide": "x = x / y;",
        "fast_divide": "x = __fdividef(x, y);",
        "exp": "x += __expf(y);",
        "root": "x = sqrtf(y);",
        "max": "x = fmaxf(y, x);",
    }
    found |= {f"arm_{name}": _two(arm) for name, arm in calls.items()}
    found["arm_vector"] = _two("x.x += y.x; x.y += y.y; x.z += y.z; x.w += y.w;", element="float4")
    halves = (
        "  const float2 *p = reinterpret_cast<const float2 *>(&y);\n  float2 u = p[0], v = p[1];\n"
    )
    found["arm_cast_vector"] = kernel(
        f"  float4 x = a[i]; //@ g.ld16\n  float4 y = b[i]; //@ g.ld16\n{halves}  if (f) {{ x.x += u.x; x.y += u.y; x.z += v.x; x.w += v.y; }}\n  o[i] = x; //@ g.st16\n",
        "float4",
    )
    found["arm_cast_part"] = kernel(
        f"  float4 x = a[i]; //@ g.ld16\n  float4 y = b[i]; //@ g.ld16\n{halves}  if (f) {{ x.x += u.x * u.y; x.y *= u.x + x.z; x.z += u.y; x.w += u.x; }}\n  o[i] = x; //@ g.st16\n",
        "float4",
    )
    found["arm_own_array"] = kernel(
        "  float x = a[i]; //@ g.ld4\n  float y[4];\n#pragma unroll\n  for (int j = 0; j < 4; j++) y[j] = b[i + 1024 * j]; //@ g.ld4 x4\n"
        "  if (f) { for (int j = 0; j < 4; j++) x = x * y[j] + y[3 - j]; }\n  o[i] = x; //@ g.st4\n"
    )
    return found
