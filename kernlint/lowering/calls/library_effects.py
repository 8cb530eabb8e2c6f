"""What functions of CUDA's libraries do to memory that no file seen tells, as far as it is said of
them that their accesses are not counted.

In: a called function without a definition. Out: a reason of `model.reasons`; "" for one that only
waits, signals or touches registers. Lowers nothing: what such a function may write is forgotten
(`unknown_calls`), and it may wait for other threads.
"""

from __future__ import annotations

from kernlint.ir.nodes import Constant
from kernlint.ir.types import Pointer, Type
from kernlint.lowering.calls import intrinsics
from kernlint.lowering.expressions.places import operands_of
from kernlint.lowering.expressions.values import FunctionRef, PlacePointer, Value
from kernlint.lowering.types.layout import complete

UNDEFINED, HARDWARE = "definition", "hardware-access"

# CUDA C++ Programming Guide, warp matrix functions: which lane holds what is not specified
_WARP_MATRIX = {
    **dict.fromkeys(("wmma::load_matrix_sync", "wmma::store_matrix_sync"), "matrix"),
    **dict.fromkeys(("wmma::fill_fragment", "wmma::mma_sync", "wmma::bmma_sync"), ""),
}
# libcu++: objects that threads wait at, and their methods
_WAITING = {
    "cuda::barrier": """arrive arrive_and_wait arrive_and_drop wait wait_parity try_wait
        try_wait_parity try_wait_for try_wait_until""",
    "cuda::pipeline": """producer_acquire producer_commit consumer_wait consumer_wait_for
        consumer_wait_until consumer_release quit""",
    "cooperative_groups::block_pipeline": "consumer_wait_for consumer_wait_until",
    "cuda::std::latch": "count_down wait try_wait arrive_and_wait",
}
_METHODS = {kind: frozenset(names.split()) for kind, names in _WAITING.items()}
_FUNCTIONS = frozenset(
    (
        "cuda::pipeline_consumer_wait_prior",
        "cuda::pipeline_producer_commit",
        "cuda::device::barrier_arrive_tx",
        "cuda::device::barrier_expect_tx",
        "cuda::device::barrier_native_handle",
        "cuda::device::experimental::barrier_arrive_tx",
        "cuda::device::experimental::fence_proxy_async_shared_cta",
        "cuda::device::experimental::cp_async_bulk_commit_group",
        "cuda::device::experimental::cp_async_bulk_wait_group_read",
    )
)
# cuda::ptx has a function for each instruction, named like it (libcu++, <cuda/ptx>)
_PTX = "cuda::ptx::"
_PTX_QUIET = (
    "barrier_cluster_",
    "clusterlaunchcontrol_",
    "cp_async_bulk_commit_group",
    "cp_async_bulk_wait_group",
    "cp_async_mbarrier_",
    "elect_sync",
    "fence",
    "get_sreg_",
    "griddepcontrol_",
    "mbarrier_",
    "prefetch",
    "setmaxnreg_",
    "tcgen05_alloc",
    "tcgen05_commit",
    "tcgen05_dealloc",
    "tcgen05_fence",
    "tcgen05_relinquish_alloc_permit",
    "tcgen05_wait",
    "tensormap_",
    "wgmma_fence",
    "wgmma_commit_group",
    "wgmma_wait_group",
)
_PTX_HARDWARE = ("cp_async_bulk", "cp_reduce_async_bulk", "multimem_", "tcgen05_", "wgmma_")

# functions that start a bulk copy, and which argument says how many bytes it has
_BYTES_OF = {
    "cuda::device::memcpy_async_tx": 2,
    "cuda::device::experimental::cp_async_bulk_global_to_shared": 2,
    "cuda::ptx::cp_async_bulk": 4,
}


def not_counted(callee: FunctionRef, values: list[Value]) -> str:
    """Why the accesses of a function that nobody defines are not counted."""
    if callee.this is not None:
        return "" if callee.name in _METHODS.get(_kind(callee.this.type), ()) else UNDEFINED
    name = intrinsics.canonical_name(callee.name)
    if name.startswith(_PTX):
        short = name.removeprefix(_PTX)
        if short.startswith(_PTX_QUIET):
            return ""
        return HARDWARE if short.startswith(_PTX_HARDWARE) else UNDEFINED
    if name in _FUNCTIONS or _initialises(name, values):
        return ""
    return _WARP_MATRIX.get(name.removeprefix("nvcuda::"), UNDEFINED)


def full_name(callee: FunctionRef, values: list[Value]) -> str:
    """A function's name with the namespace or the class of CUDA's libraries that it is known to be
    of: `cuda::barrier::arrive`; of others the name as it is."""
    if callee.this is not None:
        kind = _kind(callee.this.type)
        return f"{kind}::{callee.name}" if callee.name in _METHODS.get(kind, ()) else callee.name
    name = intrinsics.canonical_name(callee.name)
    return f"{_initialised(values)}::init" if _initialises(name, values) else name


def copied(name: str, values: list[Value]) -> int | None:
    """How many bytes a bulk copy writes, where that is a constant."""
    at = _BYTES_OF.get(name)
    if at is None or at >= len(values):
        return None
    parts = operands_of(values[at])
    return int(parts[0].value) if len(parts) == 1 and isinstance(parts[0], Constant) else None


def _kind(type_: Type) -> str:
    return intrinsics.canonical_name(str(complete(type_)).split("<")[0])


def _initialises(name: str, values: list[Value]) -> bool:
    """`init(&bar, n)`, found by the type of its argument."""
    return name.rpartition("::")[2] == "init" and _initialised(values) in _WAITING


def _initialised(values: list[Value]) -> str:
    """The kind of object that the first argument points to; "" for none."""
    pointer = values[0] if values else None
    if isinstance(pointer, PlacePointer):
        return _kind(pointer.place.type)
    type_ = complete(pointer.type) if pointer is not None else None
    return _kind(type_.pointee) if isinstance(type_, Pointer) else ""
