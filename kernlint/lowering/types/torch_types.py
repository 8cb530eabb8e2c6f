"""Types of PyTorch's and GLM's headers, which kernels name and kernlint never sees, as data.

In: qualified names with resolved template arguments. Out: types of the same size, alignment and
kind, or None for other names. Sources: c10/util/{Half,BFloat16,Float8_*,complex}.h,
ATen/AccumulateType.h, ATen/OpMathType.h of PyTorch 2; glm/detail/type_{vec,mat}*.hpp of GLM 0.9.9
without GLM_FORCE_DEFAULT_ALIGNED_GENTYPES: components one after the other, aligned like one of
them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kernlint.ir.types import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    UINT,
    Array,
    Field,
    Float,
    Integer,
    OpaqueType,
    Pointer,
    Record,
    Type,
)

_TORCH_NAMESPACES = frozenset({"at", "c10", "torch"})
_SCALARS: dict[str, Type] = {
    "Half": Float(16, "c10::Half"), "BFloat16": Float(16, "c10::BFloat16"),
    "Float8_e4m3fn": OpaqueType("c10::Float8_e4m3fn", 1), "Float8_e5m2": OpaqueType("c10::Float8_e5m2", 1),
    "Float8_e4m3fnuz": OpaqueType("c10::Float8_e4m3fnuz", 1), "Float8_e5m2fnuz": OpaqueType("c10::Float8_e5m2fnuz", 1),
}  # fmt: skip
_GLM_ELEMENTS = {"": FLOAT, "f": FLOAT, "d": DOUBLE, "i": INT, "u": UINT, "b": BOOL}
_GLM_NAME = re.compile(r"(highp_|mediump_|lowp_)?([fdiub]?)(vec([1234])|mat([234])(?:x([234]))?)$")

ACCESSOR = "accessor"  # the kind of the records
DATA = "data_"
ACCESSORS: dict[str, Type] = {
    "PackedTensorAccessor32": INT, "PackedTensorAccessor64": LONG, "PackedTensorAccessor": LONG, "TensorAccessor": LONG,
    "GenericPackedTensorAccessor": LONG,
}  # fmt: skip


def torch_type(name: str) -> Type | None:
    """`c10::Half` and the like, under any of the namespaces that export it."""
    space, _, last = name.rpartition("::")
    return _SCALARS.get(last) if space.split("::")[0] in _TORCH_NAMESPACES else None


def accumulated(type_: Type) -> Type | None:
    """`at::acc_type<T, true>` and `at::opmath_type<T>` on a GPU: halves are added as float,
    integers as 64-bit ones."""
    if isinstance(type_, Float):
        return FLOAT if type_.bits == 16 else type_
    return LONG if isinstance(type_, Integer) and not type_.is_bool else None


def glm_type(name: str, arguments: Sequence[Type | int | None] = ()) -> Record | None:
    """`vec3`, `mat4x3` and, with their arguments, `vec<3, float>`, `mat<4, 3, float>`."""
    if name in ("vec", "mat"):
        numbers = [a for a in arguments if isinstance(a, int)]
        element = next((a for a in arguments if isinstance(a, Type)), None)
        if element is None or len(numbers) < (1 if name == "vec" else 2):
            return None
        return (
            _vector(numbers[0], element)
            if name == "vec"
            else _matrix(numbers[0], numbers[1], element)
        )
    matched = _GLM_NAME.match(name)
    if matched is None:
        return None
    scalar = _GLM_ELEMENTS[matched[2]]
    if matched[4]:
        return _vector(int(matched[4]), scalar)
    return _matrix(int(matched[5]), int(matched[6] or matched[5]), scalar)


def _vector(count: int, element: Type) -> Record:
    width = element.size or 1
    fields = tuple(Field("xyzw"[i], element, i * width) for i in range(count))
    return Record(f"glm::vec<{count}, {element}>", "struct", fields, count * width, element.align)


def _matrix(columns: int, rows: int, element: Type) -> Record:
    column = _vector(rows, element)
    held = Array(column, columns)
    name = f"glm::mat<{columns}, {rows}, {element}>"
    return Record(
        name, "struct", (Field("_M_elems", held, 0),), held.size, element.align, ("array", column)
    )


def accessor(element: Type, rank: int, index: Type) -> Record:
    """A tensor accessor with `rank` dimensions left: a pointer, the sizes, the strides
    (ATen/core/TensorAccessor.h)."""
    width = index.size or 8
    names = [f"{what}{d}" for what in ("size", "stride") for d in range(rank)]
    fields = (
        Field(DATA, Pointer(element), 0),
        *(Field(name, index, 8 + i * width) for i, name in enumerate(names)),
    )
    size = 8 + -(-len(names) * width // 8) * 8
    return Record(
        f"at::TensorAccessor<{element}, {rank}, {index}>",
        ACCESSOR,
        fields,
        size,
        8,
        (ACCESSOR, element),
    )
