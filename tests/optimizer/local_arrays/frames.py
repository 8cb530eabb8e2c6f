"""Kernels with an array of a thread that is indexed by no constant, and where nvcc keeps it
(tests/data/local_arrays/README.md).

Goes in: a case's name, `elements_loads_stores_updates_form_fill_type`. Comes out: its source.
`python -m tests.optimizer.local_arrays.frames` writes all of them to standard output, for nvcc.
"""

from __future__ import annotations

import gzip

from tests.places import DATA

FRAMES = DATA / "local_arrays" / "frames.tsv.gz"
FILLS = {"load": "b[k]", "zero": "0", "lane": "b[t + k * n]"}
PRAGMAS = {
    "unrolled": "#pragma unroll\n    ",
    "rolled": "#pragma unroll 1\n    ",
    "arg1": "#pragma unroll 1\n    ",
}
ACCESSES = (
    "s += loc[{0}] * b[{1}];",
    "loc[{0}] = b[{1}];",
    "loc[{0}] += b[{1}];",
)  # loads, stores, updates
VECTORS = ("s += loc[{0}].x * loc[{0}].y;", "loc[{0}] = b[{1}];", "")


def frames() -> dict[str, int]:
    """Bytes of stack frame by the case's name; no kernel spills."""
    lines = gzip.decompress(FRAMES.read_bytes()).decode().splitlines()
    return {name: int(frame) for name, frame in (line.split("\t") for line in lines)}


def kernel(name: str) -> str:
    elements, loads, stores, updates, form, fill, kind = name.split("_")
    texts = VECTORS if kind in ("float2", "float4") else ACCESSES
    often = [
        (text, int(count))
        for text, count in zip(texts, (loads, stores, updates), strict=True)
        if int(count)
    ]
    body = "\n    ".join(_body(text, count, form) for text, count in often)
    element = "float" if kind not in ("float2", "float4") else kind
    keep = (
        ""
        if form.endswith("pick")
        else f"\n    for (int k = 0; k < {elements}; k++) a[t + (k + 1) * 1024] = loc[k];"
    )
    return f"""\
extern "C" __global__ void k_{name}({element} *a, const {element} *b, const int *h, float *o, int n)
{{
    {kind.replace("-", " ")} loc[{elements}];
    float s = 0;
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < {elements}; k++) loc[k] = {FILLS[fill]};
    {body}
    o[t] = s;{keep}
}}
"""


def _body(text: str, count: int, form: str) -> str:
    """`straight`; a loop of `count` turns (`plain`, `unrolled`, `rolled`); of n turns (`arg`,
    `arg1`), with `count` accesses in the body; with its counter for the index (`counter`)."""
    at = "h[t + {0} * 1024]".format
    form = form.removesuffix("pick")
    if form == "straight":
        return "\n    ".join(text.format(at(turn), f"t + {turn} * 1024") for turn in range(count))
    if form == "counter":
        return f"for (int k = 0; k < n; k++) {text.format('k', 't + k * 1024')}"
    if form in ("arg", "arg1"):
        inner = " ".join(
            text.format(at(f"(k * 4 + {one})"), f"t + (k + {one}) * 1024") for one in range(count)
        )
        return f"{PRAGMAS.get(form, '')}for (int k = 0; k < n; k++) {{ {inner} }}"
    return f"{PRAGMAS.get(form, '')}for (int k = 0; k < {count}; k++) {text.format(at('k'), 't + k * 1024')}"


if __name__ == "__main__":
    print("\n".join(map(kernel, frames())))
