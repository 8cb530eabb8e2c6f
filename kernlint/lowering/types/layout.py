"""Sizes, alignments and field offsets (Itanium C++ ABI as nvcc and g++ use it on 64-bit Linux;
OpenCL C 6.1.5 for its vectors), the built-in vector types, scalar leaves of a type, and how an
access of a type is split into machine accesses.

In: types. Out: types, offsets, widths. Never looks at syntax.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cache

from kernlint.base.dataclass import replace
from kernlint.ir.types import (
    BOOL,
    CHAR,
    DOUBLE,
    FLOAT,
    HALF,
    INT,
    LONG,
    LONGLONG,
    SCHAR,
    SHORT,
    UCHAR,
    UINT,
    ULONG,
    ULONGLONG,
    USHORT,
    VOID,
    Array,
    Copying,
    Field,
    Float,
    OpaqueType,
    Pointer,
    Record,
    Type,
)
from kernlint.lowering.scopes import ClassInfo, IncompleteRecord

BFLOAT16 = Float(16, "__nv_bfloat16")
MAX_LEAVES = 256
WORD = 4  # bytes

_COMMON: dict[str, Type] = {
    "void": VOID, "bool": BOOL, "_Bool": BOOL, "char": CHAR, "signed char": SCHAR, "unsigned char": UCHAR, "short": SHORT,
    "unsigned short": USHORT, "int": INT, "unsigned int": UINT, "long": LONG, "unsigned long": ULONG, "long long": LONGLONG,
    "unsigned long long": ULONGLONG, "float": FLOAT, "double": DOUBLE, "long double": Float(128, "long double"),
    "int8_t": SCHAR, "uint8_t": UCHAR, "int16_t": SHORT, "uint16_t": USHORT, "int32_t": INT, "uint32_t": UINT, "int64_t": LONG,
    "uint64_t": ULONG, "size_t": ULONG, "ssize_t": LONG, "ptrdiff_t": LONG, "intptr_t": LONG, "uintptr_t": ULONG, "uint": UINT,
    "uchar": UCHAR, "ushort": USHORT, "ulong": ULONG, "intmax_t": LONG, "uintmax_t": ULONG, "half": HALF, "__half": HALF, "wchar_t": INT,
    "char16_t": USHORT, "char32_t": UINT, "char8_t": UCHAR, "__int8": SCHAR, "__int16": SHORT, "__int32": INT, "__int64": LONGLONG,
    "__int8_t": SCHAR, "__uint8_t": UCHAR, "__int16_t": SHORT, "__uint16_t": USHORT, "__int32_t": INT, "__uint32_t": UINT,
    "__int64_t": LONG, "__uint64_t": ULONG, "__int128_t": OpaqueType("__int128", 16), "__uint128_t": OpaqueType("unsigned __int128", 16),
    "__int128": OpaqueType("__int128", 16), "unsigned __int128": OpaqueType("unsigned __int128", 16), "nullptr_t": Pointer(VOID),
    "uint_fast32_t": ULONG, "int_fast32_t": LONG, "uint_least32_t": UINT, "u_int32_t": UINT, "longlong": LONGLONG, "ulonglong": ULONGLONG,
    "_Float16": Float(16, "_Float16"), "__fp16": HALF,
}  # fmt: skip
_CUDA: dict[str, Type] = {
    "__nv_bfloat16": BFLOAT16, "nv_bfloat16": BFLOAT16, "cudaError_t": INT, "cudaError": INT, "CUresult": INT, "cublasStatus_t": INT,
    "hipError_t": INT, "cudaStream_t": Pointer(OpaqueType("CUstream_st")), "cudaEvent_t": Pointer(OpaqueType("CUevent_st")),
    "hipStream_t": Pointer(OpaqueType("ihipStream_t")), "cudaTextureObject_t": ULONGLONG, "cudaSurfaceObject_t": ULONGLONG,
    "__bf16": Float(16, "__bf16"), "__hip_bfloat16": Float(16, "__hip_bfloat16"), "hip_bfloat16": Float(16, "hip_bfloat16"),
    "__nv_fp8_e4m3": OpaqueType("__nv_fp8_e4m3", 1), "__nv_fp8_e5m2": OpaqueType("__nv_fp8_e5m2", 1), "clock_t": LONG, "time_t": LONG,
    "__nv_fp8_storage_t": UCHAR, "__nv_fp8x2_storage_t": USHORT, "__nv_fp8x4_storage_t": UINT, "__nv_fp4_storage_t": UCHAR,
    "__nv_fp4x2_storage_t": UCHAR, "__nv_fp4x4_storage_t": USHORT,
    "CUdeviceptr": ULONGLONG, "FILE": OpaqueType("FILE"), "cudaMemcpyKind": INT, "hipDeviceptr_t": Pointer(VOID),
}  # fmt: skip
_CUDA_ELEMENTS = {"char": SCHAR, "uchar": UCHAR, "short": SHORT, "ushort": USHORT, "int": INT, "uint": UINT, "long": LONG, "ulong": ULONG,
                  "longlong": LONGLONG, "ulonglong": ULONGLONG, "float": FLOAT, "double": DOUBLE}  # fmt: skip
_OPENCL_ELEMENTS = {"char": CHAR, "uchar": UCHAR, "short": SHORT, "ushort": USHORT, "int": INT, "uint": UINT, "long": LONG, "ulong": ULONG,
                    "half": HALF, "float": FLOAT, "double": DOUBLE}  # fmt: skip
_VECTOR = re.compile(r"(u?char|u?short|u?int|u?longlong|u?long|float|double|half)(2|3|4|8|16|1)$")
# CUDA 13: vectors of four with their alignment in the name
_ALIGNED_VECTOR = re.compile(r"(double|u?long|u?longlong)4_(16|32)a$")
_OPENCL_OPAQUE = re.compile(
    r"(image(1d|2d|3d)\w*_t|sampler_t|event_t|queue_t|pipe_t|cl_\w+|reserve_id_t|clk_event_t|ndrange_t)$"
)


@cache
def vector(name: str, element: Type, count: int, opencl: bool) -> Record:
    """A built-in vector. CUDA (programming guide, table of alignments): aligned to its size up to
    16 bytes, three-vectors like their element. OpenCL: aligned to its size, three-vectors take the
    room of four."""
    width = element.size or 1
    names = "xyzw" if count <= 4 else None
    fields = tuple(
        Field(names[i] if names else f"s{i:x}", element, i * width) for i in range(count)
    )
    if opencl:
        total = width * (4 if count == 3 else count)
        return Record(name, "vector", fields, total, total)
    if count == 3:
        return Record(name, "vector", fields, 3 * width, width)
    return Record(name, "vector", fields, count * width, min(count * width, 16))


DIM3 = Record(
    "dim3", "dim3", (Field("x", UINT, 0), Field("y", UINT, 4), Field("z", UINT, 8)), 12, 4
)
UINT3 = vector("uint3", UINT, 3, False)


CLUSTER_SIZES = Record(
    "cudaLaunchAttributeValue::clusterDim", "struct",
    (Field("x", UINT, 0), Field("y", UINT, 4), Field("z", UINT, 8)), 12, 4,
)  # fmt: skip
# of the union, whose members are apart here, the one that decides what a kernel computes: its others
# are not found, and what is done to them changes nothing
_ATTRIBUTE_VALUE = Record("cudaLaunchAttributeValue", "struct", (Field("clusterDim", CLUSTER_SIZES, 0),), 64, 8)  # fmt: skip
LAUNCH_ATTRIBUTE = Record(
    "cudaLaunchAttribute", "struct", (Field("id", INT, 0), Field("val", _ATTRIBUTE_VALUE, 8)), 72, 8
)
# cudaLaunchAttributeID, in the order of driver_types.h of CUDA 13.0
LAUNCH_ATTRIBUTES = (
    "Ignore", "AccessPolicyWindow", "Cooperative", "SynchronizationPolicy", "ClusterDimension", "ClusterSchedulingPolicyPreference",
    "ProgrammaticStreamSerialization", "ProgrammaticEvent", "Priority", "MemSyncDomainMap", "MemSyncDomain",
    "PreferredClusterDimension", "LaunchCompletionEvent", "DeviceUpdatableKernelNode", "PreferredSharedMemoryCarveout",
)  # fmt: skip
CLUSTER_DIMENSION = LAUNCH_ATTRIBUTES.index("ClusterDimension")
LAUNCH_CONFIG = Record(
    "cudaLaunchConfig_t", "struct",
    (Field("gridDim", DIM3, 0), Field("blockDim", DIM3, 12), Field("dynamicSmemBytes", ULONG, 24), Field("stream", Pointer(VOID), 32),
     Field("attrs", Pointer(LAUNCH_ATTRIBUTE), 40), Field("numAttrs", UINT, 48)), 56, 8,
)  # fmt: skip
_LAUNCHING = {one.name: one for one in (DIM3, LAUNCH_ATTRIBUTE, LAUNCH_CONFIG)}


COMPLEX = {"cuComplex": "float2", "cuFloatComplex": "float2", "cuDoubleComplex": "double2", "cufftComplex": "float2",
           "cufftDoubleComplex": "double2"}  # fmt: skip


@cache
def known_type(name: str, language: str) -> Type | None:
    """A type every program of the language knows without a header being read; None for other
    names."""
    found = _COMMON.get(name)
    if found is not None:
        return found
    if language == "opencl":
        return _opencl_type(name)
    if name in ("half2", "__half2"):
        return vector("__half2", HALF, 2, False)
    if name in ("nv_bfloat162", "__nv_bfloat162"):
        return vector("__nv_bfloat162", BFLOAT16, 2, False)
    if name == "__hip_bfloat162":
        return vector(name, Float(16, "__hip_bfloat16"), 2, False)
    if name in _LAUNCHING:
        return _LAUNCHING[name]
    matched = _VECTOR.match(COMPLEX.get(name, name))
    if matched and matched[1] in _CUDA_ELEMENTS and int(matched[2]) <= 4:
        return vector(matched[0], _CUDA_ELEMENTS[matched[1]], int(matched[2]), False)
    matched = _ALIGNED_VECTOR.match(name)
    if matched:
        return replace(
            vector(name, _CUDA_ELEMENTS[matched[1]], 4, False), alignment=int(matched[2])
        )
    return _CUDA.get(name)


ATOMIC = "atomic_"


def _opencl_type(name: str) -> Type | None:
    if name.startswith(ATOMIC) and name not in _COMMON:  # OpenCL C, atomic types
        return known_type(name.removeprefix(ATOMIC), "opencl")
    matched = _VECTOR.match(name)
    if matched and matched[1] in _OPENCL_ELEMENTS and matched[2] != "1":
        return vector(name, _OPENCL_ELEMENTS[matched[1]], int(matched[2]), True)
    return OpaqueType(name, 8) if _OPENCL_OPAQUE.match(name) else None


def opencl_vector(element: Type, count: int) -> Type | None:
    """The OpenCL vector of `count` elements; the element itself for 1."""
    if count == 1:
        return element
    for name, known in _OPENCL_ELEMENTS.items():
        if known == element:
            return vector(f"{name}{count}", element, count, True)
    return None


def is_vector(type_: Type) -> bool:
    return isinstance(type_, Record) and type_.kind in ("vector", "dim3")


def complete(type_: Type) -> Type:
    """The finished record for a class that was named before its definition ended."""
    if (
        isinstance(type_, IncompleteRecord)
        and type_.definition is not None
        and type_.definition.record is not None
    ):
        return type_.definition.record
    return type_


def missing(type_: Type) -> str:
    """The class that nothing seen defines in a type without a size, quoted; "" where it has no
    name."""
    while isinstance(type_, Array):
        type_ = type_.element
    return (
        f"`{type_}`"
        if isinstance(type_, (OpaqueType, IncompleteRecord)) and type_.name != "?"
        else ""
    )


def size_of(type_: Type) -> int | None:
    type_ = complete(type_)
    if isinstance(type_, Array):
        inner = size_of(type_.element)
        return None if inner is None or type_.count is None else inner * type_.count
    return type_.size


def align_of(type_: Type) -> int:
    type_ = complete(type_)
    return align_of(type_.element) if isinstance(type_, Array) else type_.align


def round_up(value: int, to: int) -> int:
    return -(-value // to) * to


def find_field(type_: Type, name: str) -> Field | None:
    """A data member by name, own ones before inherited ones (which follow them in `fields` order by
    construction)."""
    type_ = complete(type_)
    if isinstance(type_, Record):
        for field in type_.fields:
            if field.name == name:
                return field
    return None


def has_union_or_array(type_: Type) -> bool:
    """Whether a local of this type must live in memory: overlapping members, or members that can be
    indexed."""
    type_ = complete(type_)
    if isinstance(type_, Array):
        return True
    return isinstance(type_, Record) and (
        type_.kind == "union"
        or any(has_union_or_array(f.type) for f in type_.fields)
        or overlaps(type_)
    )


def overlaps(type_: Record) -> bool:
    """Whether two data members share bytes (anonymous unions, bit-fields)."""
    end = 0
    for field in sorted(type_.fields, key=lambda f: f.offset):
        size = size_of(field.type)
        if field.offset < end:
            return True
        end = field.offset + (size if size is not None else 1)
    return False


def leaves(type_: Type) -> list[tuple[int, Type, str]]:
    """(byte offset, scalar type, path suffix) of every scalar in a value of the type; a union is
    one opaque leaf."""
    type_ = complete(type_)
    if isinstance(type_, Record):
        if type_.kind == "union" or overlaps(type_):
            return [(0, OpaqueType(type_.name, type_.byte_size), "")]
        return [
            (field.offset + offset, leaf, f".{field.name}{suffix}")
            for field in type_.fields
            for offset, leaf, suffix in leaves(field.type)
        ]
    if isinstance(type_, Array):
        return _array_leaves(type_)
    return [] if type_ == VOID else [(0, type_, "")]


def _array_leaves(type_: Array) -> list[tuple[int, Type, str]]:
    width = size_of(type_.element)
    inner = leaves(type_.element)
    if type_.count is None or width is None or type_.count * len(inner) > MAX_LEAVES:
        return [(0, OpaqueType(str(type_), size_of(type_)), "")]
    return [
        (i * width + offset, leaf, f"[{i}]{suffix}")
        for i in range(type_.count)
        for offset, leaf, suffix in inner
    ]


def pieces(type_: Type, align: int = 0) -> tuple[tuple[int, int], ...]:
    """(offset, width) of the machine accesses an access of this type takes: at most 16 bytes each,
    none wider than the alignment, which is the type's own or the lower `align` of a member of a
    packed class (nvcc 13 loads such members byte by byte). OpenCL's vectors of three move as four:
    they are aligned so, and clang, which OpenCL compilers are made of, loads and stores them so."""
    type_ = complete(type_)
    size = size_of(type_)
    if size is None:
        return ()
    if not isinstance(type_, (Record, Array, OpaqueType)) and not align:
        return ((0, size),)
    if copied_by_member(type_) and not align:
        return tuple((offset, 4) for offset in range(0, size, 4)) if _packed_only(type_) else ()
    if (
        isinstance(type_, Record)
        and not align
        and (how := copying(type_)) is not None
        and how.uneven
    ):
        return _uneven_pieces(type_)
    found: list[tuple[int, int]] = []
    width, offset = min(16, _power_below(align or align_of(type_))), 0
    while offset < size:
        while width > size - offset:
            width //= 2
        found.append((offset, width))
        offset += width
    return tuple(found)


def copying(type_: Type) -> Copying | None:
    """How nvcc 13 copies a class of its own (read in its PTX and machine code, 1,300 copies of 70
    classes). None: member by member of one size, or what is no such class."""
    type_ = complete(type_)
    if (
        not isinstance(type_, Record)
        or is_vector(type_)
        or is_packed(type_)
        or copied_by_member(type_)
        or not type_.fields
    ):
        return None
    sizes = [size_of(f.type) or 0 for f in type_.fields]
    whole = [complete(f.type) for f in type_.fields if isinstance(complete(f.type), Record | Array)]
    own = type_.align > max(align_of(f.type) for f in type_.fields)
    gaps = overlaps(type_) or sum(sizes) != max(
        f.offset + size for f, size in zip(type_.fields, sizes, strict=True)
    )
    uneven = any(len(set(widths.values())) > 1 for widths in _words(type_).values())
    mixed = len(set(sizes)) > 1 or sum(sizes) != type_.byte_size
    by_bytes = own or gaps or bool(whole)
    parts = () if len(whole) == len(type_.fields) == 1 and not _holds_class(whole[0]) else whole
    loose = by_bytes and (
        uneven or (own and mixed) or any(_is_loose(x, min(WORD, type_.align)) for x in parts)
    )
    # then the bytes at its end are not copied
    loose |= _makes_itself(type_) and sum(sizes) != type_.byte_size
    mixed = (mixed or loose) and not own and not gaps
    return Copying(by_bytes, uneven and not by_bytes, mixed, loose) if by_bytes or mixed else None


def _makes_itself(type_: Record) -> bool:
    """Whether a class has a base, a constructor or initialisers of members."""
    info = type_.definition
    return isinstance(info, ClassInfo) and bool(info.bases or info.constructors or info.defaults)


def _holds_class(type_: Type) -> bool:
    """Whether the elements of an array are of a class."""
    while isinstance(type_, Array):
        type_ = complete(type_.element)
    return isinstance(type_, Record)


def _is_loose(type_: Type, word: int) -> bool:
    """Whether a member may be copied as bytes or as its own members, which makes a difference: its
    elements do not fill words."""
    found = leaves(type_)
    return any((leaf.size or 0) < word for _, leaf, _ in found) or sum(
        leaf.size or 0 for _, leaf, _ in found
    ) != size_of(type_)


def _words(type_: Record) -> Mapping[int, Mapping[int, int]]:
    """The offsets and widths of what is copied as one, four bytes at most, by words, of no more
    than the alignment; of wider members the first word."""
    found: dict[int, dict[int, int]] = defaultdict(dict)
    end, word = 0, min(WORD, type_.align)
    for field in type_.fields:
        size, width = size_of(field.type) or 0, size_of(field.type) or 1
        if isinstance(complete(field.type), Record | Array):
            width = word if field.offset % word == size % word == 0 else align_of(field.type)
        for offset in range(field.offset, field.offset + size, width):
            found[offset // word][offset] = width
        end = max(end, field.offset + size)
    for offset in range(end, type_.byte_size or end):
        found[offset // word][offset] = 1
    return found


def _uneven_pieces(type_: Record) -> tuple[tuple[int, int], ...]:
    """Where members within a word differ in size, those side by side that are alike go together."""
    found: list[tuple[int, int]] = []
    for _, widths in sorted(_words(type_).items()):
        first = len(found)
        for offset, width in sorted(widths.items()):
            if len(found) > first and sum(found[-1]) == offset and widths[found[-1][0]] == width:
                found[-1] = (found[-1][0], found[-1][1] + width)
            else:
                found.append((offset, width))
    return tuple(found)


# cuda_fp16.h and cuda_bf16.h define their copy constructors
PACKED = frozenset({"__half2", "__nv_bfloat162"})


def copied_by_member(type_: Type) -> bool:
    """Whether a class has members of types that define how they are copied (`half2`, `bfloat162`):
    nvcc 13 copies such a class one member at a time, four bytes each where all are such (measured
    and read in its code: `struct __align__(8) { half2 x, y; }`)."""
    type_ = complete(type_)
    if isinstance(type_, Array):
        return _holds_packed(type_.element)
    return (
        isinstance(type_, Record)
        and not is_vector(type_)
        and type_.kind != "union"
        and any(_holds_packed(f.type) for f in type_.fields)
    )


def is_packed(type_: Type) -> bool:
    type_ = complete(type_)
    return isinstance(type_, Record) and type_.name in PACKED


def _holds_packed(type_: Type) -> bool:
    return is_packed(type_) or copied_by_member(type_)


def _packed_only(type_: Type) -> bool:
    """Whether a class holds nothing but such types, without gaps."""
    type_ = complete(type_)
    if isinstance(type_, Array):
        return _packed_only(type_.element)
    if not isinstance(type_, Record) or type_.name in PACKED:
        return isinstance(type_, Record)
    sizes = [size_of(f.type) or 0 for f in type_.fields]
    return sum(sizes) == type_.byte_size and all(
        _holds_packed(f.type) and _packed_only(f.type) for f in type_.fields
    )


def _power_below(value: int) -> int:
    return 1 << (max(value, 1).bit_length() - 1)


def is_floating(type_: Type) -> bool:
    """Whether the scalar elements of a type are floating point."""
    found = [leaf for _, leaf, _ in leaves(type_)]
    return bool(found) and all(isinstance(leaf, Float) for leaf in found)
