"""Kernels that Python libraries make around an expression: ElementwiseKernel and ReductionKernel of
CuPy, PyCUDA and PyOpenCL.

In: the words of the call as texts with places. Out: the text of the kernel that the library
compiles: its loop over the elements around the user's words, each at its place; what the library
adds stands for the call. CuPy's parameters are taken to be contiguous arrays (it looks at what it
is given when it runs), its type letters become template parameters. A reduction's own tree in
shared memory is left out. Sources: CuPy's `_kernel.pyx` and `_reduction.pyx`, PyCUDA's and
PyOpenCL's `elementwise.py` and `reduction.py`. Never raises.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kernlint.base.dataclass import dataclass
from kernlint.source.embedded.mapped_text import Mapped, filled, joined

NUMPY_TYPES = {
    **{
        "float16": "half",
        "float32": "float",
        "float64": "double",
        "bool": "bool",
        "bool_": "bool",
        "complex64": "float2",
    },
    **{
        "int8": "signed char",
        "int16": "short",
        "int32": "int",
        "int64": "long long",
        "complex128": "double2",
        "intp": "long long",
    },
    **{
        "uint8": "unsigned char",
        "uint16": "unsigned short",
        "uint32": "unsigned int",
        "uint64": "unsigned long long",
    },
    **{
        "intc": "int",
        "single": "float",
        "double": "double",
        "uintp": "unsigned long long",
        "float": "double",
        "int": "long long",
    },
}
CONTIGUOUS = "every parameter is a contiguous array"
_PARAMETER = re.compile(
    r"\s*(?P<raw>raw\s+)?(?:(?:const|_non_const)\s+)?(?P<type>\w+)\s+(?P<name>\w+)\s*"
)
_SIZE = re.compile(r"\b(\w+)\s*\.\s*size\s*\(\s*\)")
_GLOBAL = re.compile(r"\b(?:__)?global\b")


@dataclass(frozen=True, slots=True)
class ElementwiseCall:
    """What a call says. `inputs`: the parameters (CuPy: those that are read), `outputs`: CuPy's
    that are written; `body`: the operation of an element, or what is reduced; `reduce`, `after`: of
    a reduction. `place`: of the call, for what the library adds."""

    name: str
    inputs: Mapped
    outputs: Mapped
    body: Mapped
    preamble: Mapped
    before: Mapped
    after: Mapped
    reduce: Mapped
    is_reduction: bool
    place: tuple[int, int]

    def added(self, text: str) -> Mapped:
        return filled(text, *self.place)


@dataclass(frozen=True, slots=True)
class _Parameter:
    raw: bool
    type: str
    name: str
    place: Mapped

    @property
    def is_letter(self) -> bool:
        return len(self.type) == 1 and self.type.isupper()


def cupy(words: ElementwiseCall) -> Mapped:
    """CuPy's kernel: a grid-stride loop whose `i` counts elements; parameters that are not `raw`
    are element `i` of their array."""
    inputs, outputs = list(_parameters(words.inputs)), list(_parameters(words.outputs))
    every = [*inputs, *outputs]
    letters = dict.fromkeys(p.type for p in every if p.is_letter)
    sizes = dict.fromkeys(m[1] for m in _SIZE.finditer(words.body.text))
    head = (
        [f"template <{', '.join(f'typename {letter}' for letter in letters)}> "]
        if letters
        else ['extern "C" ']
    )
    signature = [f"{'const ' if p in inputs else ''}{_c_type(p)} *{_array(p)}" for p in every]
    signature += [*(f"ptrdiff_t {name}_size" for name in sizes), "ptrdiff_t n"]
    parts = [
        words.preamble,
        words.added(
            "\n" + "".join(head) + f"__global__ void {words.name}({', '.join(signature)}) {{ "
        ),
    ]
    parts += [
        words.before,
        words.added(
            "; for (ptrdiff_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) { "
        ),
    ]
    parts += [
        _element(p, p in inputs)
        for p in every
        if not p.raw and not (words.is_reduction and p in outputs)
    ]
    body = words.body.replaced(_SIZE, lambda match: f"{match[1]}_size")
    if not words.is_reduction:
        return joined([*parts, body, words.added("; } "), words.after, words.added("; }\n")])
    total = _c_type(outputs[0]) if outputs else "float"
    parts.insert(2, words.added(f"{total} kernlint_total = 0; "))
    parts += [
        *_reduced(words, body, total),
        words.added(f"}} if (threadIdx.x == 0) {{ {total} a = kernlint_total; "),
    ]
    parts += [
        words.added(f"{_c_type(p)} &{p.name} = {_array(p)}[blockIdx.x]; ")
        for p in outputs
        if not p.raw
    ]
    return joined([*parts, words.after, words.added("; } }\n")])


def _reduced(words: ElementwiseCall, body: Mapped, total: str) -> list[Mapped]:
    """One element joined to the total: `a` and `b` in the user's expression."""
    start = words.added(f"{total} kernlint_mapped = (")
    between = words.added(
        f"); {{ {total} a = kernlint_total, b = kernlint_mapped; kernlint_total = ("
    )
    return [start, body, between, words.reduce, words.added("); } ")]


def pycuda(words: ElementwiseCall) -> Mapped:
    """PyCUDA's kernel: parameters as the user wrote them, and `n`; `i` counts elements."""
    loop = "unsigned i; for (i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) { "
    return _written(words, "__global__ void", words.inputs, loop, "threadIdx.x", "blockIdx.x")


def pyopencl(words: ElementwiseCall) -> Mapped:
    """PyOpenCL's kernel: as PyCUDA's, pointers made `__global`."""
    made = [
        joined([words.added("__global "), part])
        if "*" in part.text and not _GLOBAL.search(part.text)
        else part
        for part in _split(words.inputs)
    ]
    separated = [
        part
        for index, one in enumerate(made)
        for part in ([words.added(", "), one] if index else [one])
    ]
    loop = "long i; for (i = get_local_size(0) * get_group_id(0) + get_local_id(0); i < n; i += get_global_size(0)) { "
    return _written(
        words, "__kernel void", joined(separated), loop, "get_local_id(0)", "get_group_id(0)"
    )


def _written(
    words: ElementwiseCall, start: str, parameters: Mapped, loop: str, lane: str, block: str
) -> Mapped:
    """A kernel of a library whose parameters are C."""
    space = "__global " if start.startswith("__kernel") else ""
    out = f"{space}float *kernlint_out, " if words.is_reduction else ""
    comma = ", " if parameters.text.strip() else ""
    head = [
        words.preamble,
        words.added(f"\n{start} {words.name}({out}"),
        parameters,
        words.added(f"{comma}long n) {{ "),
    ]
    if not words.is_reduction:
        return joined(
            [
                *head,
                words.before,
                words.added(f"; {loop}"),
                words.body,
                words.added("; } "),
                words.after,
                words.added("; }\n"),
            ]
        )
    tail = words.added(f"}} if ({lane} == 0) kernlint_out[{block}] = kernlint_total; }}\n")
    return joined(
        [
            *head,
            words.added(f"float kernlint_total = 0; {loop}"),
            *_reduced(words, words.body, "float"),
            tail,
        ]
    )


def _parameters(text: Mapped) -> Iterator[_Parameter]:
    """The parameters of a CuPy list; what is none becomes one that no compiler takes, so that it is
    told with its place."""
    for part in _split(text):
        found = _PARAMETER.fullmatch(part.text)
        if found is not None:
            yield _Parameter(found["raw"] is not None, found["type"], found["name"], part)
        else:
            yield _Parameter(False, "?", part.text, part)


def _split(text: Mapped) -> Iterator[Mapped]:
    start = 0
    for match in re.finditer(r",|\Z", text.text):
        words = text.text[start : match.start()]
        if words.strip():
            yield text.slice(start + len(words) - len(words.lstrip()), start + len(words.rstrip()))
        start = match.end()


def _c_type(p: _Parameter) -> str:
    return NUMPY_TYPES.get(p.type, p.type)


def _array(p: _Parameter) -> str:
    return p.name if p.raw else f"kernlint_array_{p.name}"


def _element(p: _Parameter, is_input: bool) -> Mapped:
    """`const float x = array[i];` or a reference: CuPy reads inputs once, at the loop's head."""
    return p.place.standing_for(
        f"{'const ' if is_input else ''}{_c_type(p)} {'' if is_input else '&'}{p.name} = {_array(p)}[i]; "
    )


LIBRARIES = {"pyopencl": (pyopencl, "opencl"), "pycuda": (pycuda, "cuda"), "cupy": (cupy, "cuda")}
AROUND = (("preamble", -1, "preamble"), ("before", -1, "loop_prep"), ("after", -1, "after_loop"))
# where a call says what, by library and kind: the part, its position (-1: by keyword alone), its
# keyword
POSITIONS: dict[tuple[str, str], Sequence[tuple[str, int, str]]] = {
    ("cupy", "ElementwiseKernel"): (
        *(
            ("inputs", 0, "in_params"),
            ("outputs", 1, "out_params"),
            ("body", 2, "operation"),
            ("name", 3, "name"),
        ),
        *(("preamble", 5, "preamble"), *AROUND[1:]),
    ),
    ("cupy", "ReductionKernel"): (
        *(
            ("inputs", 0, "in_params"),
            ("outputs", 1, "out_params"),
            ("body", 2, "map_expr"),
            ("reduce", 3, "reduce_expr"),
        ),
        *(("after", 4, "post_map_expr"), ("name", 6, "name"), ("preamble", 9, "preamble")),
    ),
    ("pycuda", "ElementwiseKernel"): (
        ("inputs", 0, "arguments"),
        ("body", 1, "operation"),
        ("name", 2, "name"),
        *AROUND,
    ),
    ("pycuda", "ReductionKernel"): (
        *(
            ("reduce", 2, "reduce_expr"),
            ("body", 3, "map_expr"),
            ("inputs", 4, "arguments"),
            ("name", 5, "name"),
        ),
        ("preamble", 8, "preamble"),
    ),
    ("pyopencl", "ElementwiseKernel"): (
        ("inputs", 1, "arguments"),
        ("body", 2, "operation"),
        ("name", 3, "name"),
        *AROUND,
    ),
    ("pyopencl", "ReductionKernel"): (
        *(
            ("reduce", 3, "reduce_expr"),
            ("body", 4, "map_expr"),
            ("inputs", 5, "arguments"),
            ("name", 6, "name"),
        ),
        ("preamble", 8, "preamble"),
    ),
}
