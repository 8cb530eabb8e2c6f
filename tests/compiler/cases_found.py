"""Cases of stores at fixed addresses, shared scalars beside each other or of one constant, arrays
that nobody reads, choices that a condition decides, and the order of members that are stored."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import permutations, product

HEAD = "union U { float f[4]; int i[4]; };\n"
PARAMETERS = "const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ o, float4 *__restrict__ v, int n, float w"
INDEX = "  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;\n"
WIDTHS: Mapping[str, str] = {
    "lanes": "g.{}4",
    "member": "g.{}4",
    "vector": "g.{}16",
    "shared": "s.{}4",
    "scalar": "s.{}4",
}
ACCESS = re.compile(
    r"(?P<lanes>\b[abo]\[[^\]]*\])|(?P<member>\bv\)?\[[^\]]*\]\.[xyzw])|(?P<vector>\bv\[[^\]]*\])|(?P<shared>\b[szu]\[[^\]]*\])|(?P<scalar>\b[cd]\b)"
)
START = re.compile(r"\s*(?:if \([^)]*\) )?(?:\(\(float2 \*\))?")


def annotated(line: str, scalars: bool) -> str:
    """A line with the accesses that it makes, told by the letters of arrays and shared scalars."""
    start = START.match(line)
    found = [m for m in ACCESS.finditer(line) if scalars or m.lastgroup != "scalar"]
    stored = [
        m
        for m in found
        if start is not None
        and m.start() == start.end()
        and re.match(r" = ", line[m.end() :].lstrip(".f[0123]"))
    ]
    tags = [WIDTHS[str(m.lastgroup)].format("st" if m in stored else "ld") for m in found]
    return f"{line} //@ {' '.join(tags)}" if tags else line


def kernel(*lines: str, shared: str = "") -> str:
    declared = f"  __shared__ {shared};\n" if shared else ""
    scalars = re.search(r"\b[cd]\b", shared) is not None
    body = "".join(f"  {annotated(line, scalars)}\n" for line in lines)
    return f"{HEAD}__global__ void k({PARAMETERS}) {{\n{INDEX}{declared}{body}}}\n"


def _fixed() -> dict[str, str]:
    """What begins with a constant, at addresses that are fixed or computed."""
    lists = {
        "first": "{1, 2, w, a[i]}",
        "last": "{w, a[i], 1, 2}",
        "made": "make_float4(1, 2, w, a[i])",
        "all": "{1, 2, 3, 4}",
        "none": "{w, a[i], w, w}",
    }
    places = {"start": "v[0]", "behind": "v[3]", "lane": "v[i]", "given": "v[n]"}
    cases = {
        f"fixed_{name}_{where}": kernel(f"{place} = {value};")
        for (name, value), (where, place) in product(lists.items(), places.items())
    }
    return cases


def _shared() -> dict[str, str]:
    """Scalars beside each other, of one constant; arrays that nobody reads."""
    wait = "__syncthreads();"
    cases = {
        "beside_two": kernel("c = a[i];", "d = b[i];", wait, "o[i] = c + d;", shared="float c, d"),
        "beside_one": kernel("c = a[i];", wait, "o[i] = c + w;", shared="float c"),
        "beside_apart": kernel(
            "c = a[i];",
            wait,
            "d = b[i];",
            wait,
            "o[i] = c;",
            wait,
            "o[i + 9] = d;",
            shared="float c, d",
        ),
        "beside_widths": kernel(
            "c = a[i];", "z[t] = b[i];", wait, "o[i] = z[t ^ 1] + c;", shared="float c, z[64]"
        ),
        "beside_end": kernel(
            "c = a[i];", "z[63] = b[i];", wait, "o[i] = z[63] + c;", shared="float z[64], c"
        ),
        "beside_indexed": kernel(
            "c = a[i];",
            "z[30] = b[i];",
            "z[t ^ 1] = w;",
            wait,
            "o[i] = z[30] + c + z[t];",
            shared="float z[64], c",
        ),
        "beside_middle": kernel(
            "c = a[i];", "z[30] = b[i];", wait, "o[i] = z[30] + c;", shared="float z[64], c"
        ),
        "once_constant": kernel("if (t == 0) c = 3;", wait, "o[i] = c;", shared="float c"),
        "once_two": kernel(
            "if (t == 0) c = 3;", wait, "if (a[i] > w) c = 4;", wait, "o[i] = c;", shared="float c"
        ),
        "once_given": kernel("if (t == 0) c = w;", wait, "o[i] = c;", shared="float c"),
        "once_element": kernel("if (t == 0) z[2] = 3;", wait, "o[i] = z[2];", shared="float z[4]"),
        "once_lanes": kernel("z[t] = 3;", wait, "o[i] = z[t ^ 1];", shared="float z[64]"),
        "filled_plain": kernel("z[t] = a[i];", "o[i] = w;", shared="float z[64]"),
        "filled_union": kernel("u[t].f[1] = a[i];", "o[i] = w;", shared="U u[64]"),
        "filled_union_read": kernel(
            "u[t].f[1] = a[i];", wait, "o[i] = u[t ^ 1].f[1];", shared="U u[64]"
        ),
        "filled_sum": kernel(
            "z[t] = a[i];",
            wait,
            "float x = 0;",
            "for (int k = 0; k < n; ++k)",
            "  x += z[k];",
            "o[i] = w;",
            shared="float z[64]",
        ),
    }
    dynamic = "  extern __shared__ float s[];\n"
    cases["filled_extern"] = kernel("s[t] = a[i];", "o[i] = w;", shared="float s").replace(
        "  __shared__ float s;\n", dynamic
    )
    return cases


def _again() -> dict[str, str]:
    """What stands between two accesses of one address."""
    between = {
        "nothing": "float y = w;",
        "division": "float y = w / n;",
        "exponential": "float y = expf(w);",
        "barrier": "float y = w; __syncthreads();",
    }
    cases = {}
    for name, line in between.items():
        cases[f"again_plain_{name}"] = kernel(
            "float x = a[i];", line, "float z = a[i];", "o[i] = x * y + z;"
        )
        cases[f"again_store_{name}"] = kernel("float x = b[i];", "o[i] = x;", line, "o[i] = y;")
    return cases


def _decided() -> dict[str, str]:
    cases = {}
    for name, choice in {
        "other": "n > 3 ? w : x",
        "own": "n > 3 ? x : w",
        "both": "n > 3 ? x : y",
        "apart": "n > 5 ? w : x",
    }.items():
        loads = ("float x = a[i];", "float y = b[i];")
        cases[f"decided_{name}_inside"] = kernel(
            *loads, "if (n > 3) {", f"  o[i] = {choice};", "  o[i + 64] = 4;", "}", "o[i + 99] = y;"
        )
        cases[f"decided_{name}_before"] = kernel(
            *loads, f"float z = {choice};", "if (n > 3)", "  o[i] = z;", "o[i + 99] = y;"
        )
    return cases


def _order() -> dict[str, str]:
    """Members stored in another order than they lie in, and loaded with others between."""
    cases = {}
    for some in [*permutations("xy"), *list(permutations("xyzw"))[::3]]:
        cases[f"order_store_{''.join(some)}"] = kernel(
            *(
                f"((float2 *)v)[i].{c} = a[i + {k}];"
                if len(some) == 2
                else f"v[i].{c} = a[i + {k}];"
                for k, c in enumerate(some)
            )
        )
    for some in list(permutations("0123"))[::5]:
        lines = (f"s[4 * t + {c}] = a[i + {k}];" for k, c in enumerate(some))
        cases[f"order_shared_{''.join(some)}"] = kernel(
            *lines, "__syncthreads();", "o[i] = s[t ^ 1];", shared="float s[512]"
        )
        lines = (f"s[4 * t + {c}] = a[i + {k}];" for k, c in enumerate(some))
        cases[f"order_aligned_{''.join(some)}"] = kernel(
            *lines, "__syncthreads();", "o[i] = s[t ^ 1];", shared="float s[512]"
        ).replace("float s[512]", "__align__(16) float s[512]")
    for other in ("5 * t", "t + n"):
        lines = (
            "s[t] = a[i];",
            "__syncthreads();",
            "float x = s[2 * t];",
            "float y = s[2 * t + 1];",
            f"float z = s[{other}];",
            "o[i] = x * y - z;",
        )
        cases[f"order_steps_{other.replace(' ', '').replace('*', 'x').replace('+', 'p')}"] = kernel(
            *lines, shared="float s[512]"
        )
    return cases


def cases() -> dict[str, str]:
    return {**_fixed(), **_shared(), **_again(), **_decided(), **_order()}
