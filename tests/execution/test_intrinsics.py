"""The table of built-in functions: uniform vocabulary, families of names, and index formulas
evaluated against plain loops."""

from __future__ import annotations

import itertools
import tomllib
from importlib import resources

import pytest

from kernlint.execution.values.operations import OPERATIONS
from kernlint.ir import nodes as ir
from kernlint.lowering.calls.intrinsics import (
    BUILTIN_VARIABLES,
    KINDS,
    Intrinsic,
    index_expression,
    known,
    lookup,
    method,
    object_kind,
)
from kernlint.model import facts
from kernlint.model.reasons import REASONS
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files

DATA = tomllib.loads(
    resources.files("kernlint.lowering.calls").joinpath("intrinsics.toml").read_text("utf-8")
)
ROLES = {
    *(
        "value",
        "pointer",
        "destination",
        "source",
        "compare",
        "expected",
        "condition",
        "mask",
        "lane",
        "width",
        "bytes",
        "elements",
    ),
    *(
        "stride",
        "offset",
        "dimension",
        "size",
        "group",
        "alignment",
        "out",
        "place",
        "pending",
        "ignored",
    ),
}
ENTRIES = DATA["family"] + DATA["pattern"] + DATA["method"]


def find(name: str, language: str) -> Intrinsic:
    found = lookup(name, language)
    assert found is not None, name
    return found


@pytest.mark.parametrize(
    "entry", ENTRIES, ids=lambda e: str(e.get("match") or next(iter(e["names"])))
)
def test_vocabulary(entry: dict[str, object]) -> None:
    assert entry["kind"] in KINDS
    assert {str(role).rstrip("*") for role in entry.get("roles", ())} <= ROLES  # type: ignore[attr-defined]
    scopes = (
        ("used", "called")
        if entry["kind"] in ("ignored", "assume", "copy_group")
        else ("block", "warp", "tile", "grid", "memory", "group")
    )
    assert entry.get("scope", scopes[0]) in scopes
    assert entry.get("reason", "clock") in REASONS
    if entry["kind"] == "atomic":
        assert entry["hardware_op"] in ("atomic", "cas")
    if entry["kind"] in ("opaque",):
        assert "reason" in entry


def test_operations_of_ir_statements() -> None:
    atomics = {"add", "sub", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"}
    votes = {
        "any",
        "all",
        "ballot",
        "activemask",
        "match_any",
        *(f"reduce_{op}" for op in ("add", "min", "max", "and", "or", "xor")),
    }
    votes |= {"block_or", "block_and", "block_reduce"}
    allowed = {"atomic": atomics, "shuffle": {"idx", "up", "down", "xor"}, "vote": votes}
    for name, intrinsic in known().items():
        assert intrinsic.operation in allowed.get(intrinsic.kind, {intrinsic.operation}), name


def test_integer_operations_are_implemented() -> None:
    """Every operation on fixed integer types is computed, the packed and making ones excepted."""
    not_computed = {"packed", "to_float", "to_integer", "ilogb", "double_high", "double_low"}
    integers = {"int", "unsigned int", "long long", "unsigned long long", "unsigned long", "common"}
    for name, found in known().items():
        if (
            found.kind == "operation"
            and found.arguments in integers
            and found.operation not in not_computed
        ):
            assert found.operation in OPERATIONS, name
    for name in (
        "clz",
        "ctz",
        "popcount",
        "rotate",
        "mul_hi",
        "add_sat",
        "abs_diff",
        "upsample",
        "bitselect",
        "select",
        "mad_hi",
    ):
        assert find(name, "opencl").operation in OPERATIONS


@pytest.mark.parametrize(
    ("name", "language", "kind", "operation", "result"),
    [
        ("__popc", "cuda", "operation", "popcount", "int"),
        ("__umulhi", "cuda", "operation", "mul_hi", "unsigned int"),
        ("__funnelshift_rc", "cuda", "operation", "funnelshift_rc", "unsigned int"),
        ("std::min", "cuda", "operation", "min", "common"),
        ("::max", "cuda", "operation", "max", "common"),
        ("cuda::std::min", "cuda", "operation", "min", "common"),
        ("sqrtf", "cuda", "operation", "sqrt", "float"),
        ("__fmaf_rn", "cuda", "operation", "float", "float"),
        ("__float2int_rn", "cuda", "operation", "to_integer_rn", "int"),
        ("__float2uint_rd", "cuda", "operation", "to_integer_rd", "unsigned int"),
        ("__double2ll_rz", "cuda", "operation", "to_integer_rz", "long long"),
        ("__int2float_rn", "cuda", "operation", "to_float", "float"),
        ("__float2half_rn", "cuda", "operation", "to_float", "__half"),
        ("__float22half2_rn", "cuda", "operation", "to_float", "__half2"),
        ("__half22float2", "cuda", "operation", "to_float", "float2"),
        ("__bfloat1622float2", "cuda", "operation", "to_float", "float2"),
        ("__bfloat162float", "cuda", "operation", "to_float", "float"),
        ("__floats2bfloat162_rn", "cuda", "operation", "to_float", "__nv_bfloat162"),
        ("__hmul2", "cuda", "operation", "half", "arg0"),
        ("__hgt", "cuda", "operation", "half_compare", "bool"),
        ("__float_as_uint", "cuda", "reinterpret", "float_as_uint", "unsigned int"),
        ("__longlong_as_double", "cuda", "reinterpret", "longlong_as_double", "double"),
        ("make_uint4", "cuda", "operation", "make_vector", "uint4"),
        ("atomicAdd_block", "cuda", "atomic", "add", "pointee"),
        ("atomicCAS_system", "cuda", "atomic", "cas", "pointee"),
        ("atomicInc", "cuda", "atomic", "inc", "pointee"),
        ("__shfl_xor_sync", "cuda", "shuffle", "xor", "arg1"),
        ("__reduce_max_sync", "cuda", "vote", "reduce_max", "arg1"),
        ("__pipeline_memcpy_async", "cuda", "copy", "lane", "void"),
        ("cg::tiled_partition", "cuda", "group", "tile", "group"),
        ("this_thread_block", "cuda", "group", "block", "group"),
        ("__cvta_generic_to_shared", "cuda", "address", "shared", "unsigned long"),
        ("tex2D", "cuda", "opaque", "texture_read", "template0"),
        ("curand_uniform", "cuda", "opaque", "random", "float"),
        ("curand_normal2_double", "cuda", "opaque", "random", "double2"),
        ("convert_int4_sat_rte", "opencl", "convert", "rte_sat", "int4"),
        ("convert_uchar", "opencl", "convert", "", "unsigned char"),
        ("as_float4", "opencl", "reinterpret", "as_float4", "float4"),
        ("as_uint", "opencl", "reinterpret", "as_uint", "unsigned int"),
        ("native_sin", "opencl", "operation", "sin", "arg0"),
        ("half_recip", "opencl", "operation", "recip", "arg0"),
        ("atomic_add", "opencl", "atomic", "add", "pointee"),
        ("atom_xchg", "opencl", "atomic", "exch", "pointee"),
        ("atomic_fetch_max_explicit", "opencl", "atomic", "max", "pointee"),
        ("atomic_cmpxchg", "opencl", "atomic", "cas", "pointee"),
        ("sub_group_reduce_add", "opencl", "vote", "reduce_add", "arg0"),
        ("sub_group_scan_exclusive_add", "opencl", "opaque", "exchange", "arg0"),
        ("vload_half4", "opencl", "load", "half", "float4"),
        ("vload_half", "opencl", "load", "half", "float"),
        ("read_imagef", "opencl", "opaque", "texture_read", "float4"),
    ],
)
def test_names(name: str, language: str, kind: str, operation: str, result: str) -> None:
    found = find(name, language)
    assert (found.kind, found.operation, found.result) == (kind, operation, result)


def test_argument_order() -> None:
    cas = find("atomicCAS", "cuda")
    assert [cas.role(i) for i in range(3)] == ["pointer", "compare", "value"]
    assert (
        find("vstore4", "opencl").roles == ("value", "offset", "pointer")
        and find("vstore4", "opencl").lanes == 4
    )
    assert find("vload3", "opencl").roles == ("offset", "pointer")
    assert (
        find("__shfl_sync", "cuda").position("lane") == 2
        and find("__shfl", "cuda").position("lane") == 1
    )
    assert not find("__shfl", "cuda").synchronised and find("__shfl_sync", "cuda").synchronised
    fetch = find("atomic_fetch_add_explicit", "opencl")
    assert [fetch.role(i) for i in range(4)] == ["pointer", "value", "ignored", "ignored"]
    assert (
        find("atomic_inc", "opencl").implicit == 1
        and find("atomic_dec", "opencl").operation == "sub"
    )
    assert find("fmaf", "cuda").role(2) == "value"


def test_languages_stay_apart() -> None:
    assert lookup("__syncthreads", "opencl") is None
    assert lookup("get_global_id", "cuda") is None
    assert lookup("barrier", "cuda") is None
    assert lookup("my_function", "cuda") is None and lookup("make_foo", "cuda") is None
    assert find("abs", "opencl").result == "unsigned" and find("abs", "cuda").result == "promoted"


def test_groups() -> None:
    assert (
        object_kind("cg::thread_block_tile") == "tile"
        and object_kind("thread_block") == "block"
        and object_kind("float4") is None
    )
    for kind, name, expected in [
        ("block", "sync", "block"),
        ("grid", "sync", "grid"),
        ("tile", "sync", "tile"),
        ("coalesced", "sync", "tile"),
    ]:
        found = method(kind, name)
        assert found is not None and found.kind == "barrier" and found.scope == expected
    shuffle = method("tile", "shfl_down")
    assert (
        shuffle is not None and shuffle.roles == ("value", "lane") and shuffle.operation == "down"
    )
    assert method("tile", "no_such_method") is None


def evaluate(node: ir.Expression, builtins: dict[str, int]) -> int:
    match node:
        case ir.Constant(value=value):
            return int(value)
        case ir.Builtin(name=name):
            return builtins[name]
        case ir.Convert(operand=operand):
            return evaluate(operand, builtins)
        case ir.Binary(op=op, left=left, right=right):
            a, b = evaluate(left, builtins), evaluate(right, builtins)
            table = {"+": a + b, "-": a - b, "*": a * b, "min": min(a, b)}
            return table[op] if op in table else (a // b if op == "/" else a % b)
    raise AssertionError(node)


def launches() -> list[dict[str, int]]:
    """Every thread of a 3×2×2 grid of 5×7×2 blocks, in order of its linear position."""
    block, grid = (5, 7, 2), (3, 2, 2)
    sizes = {f"ntid.{a}": block[i] for i, a in enumerate("xyz")} | {
        f"nctaid.{a}": grid[i] for i, a in enumerate("xyz")
    }
    threads = []
    for bz, by, bx in itertools.product(*(range(n) for n in reversed(grid))):
        for tz, ty, tx in itertools.product(*(range(n) for n in reversed(block))):
            ids = {
                "tid.x": tx,
                "tid.y": ty,
                "tid.z": tz,
                "ctaid.x": bx,
                "ctaid.y": by,
                "ctaid.z": bz,
            }
            threads.append(
                {**sizes, **ids, "warpsize": 32, "goffset.x": 4, "goffset.y": 0, "goffset.z": 9}
            )
    return threads


@pytest.mark.slow
def test_index_formulas() -> None:
    block = 5 * 7 * 2
    rank, grid_rank = method("block", "thread_rank"), method("grid", "thread_rank")
    tile_rank, tile_number, tiles = (
        method("tile", n) for n in ("thread_rank", "meta_group_rank", "meta_group_size")
    )
    assert rank and grid_rank and tile_rank and tile_number and tiles
    for position, thread in enumerate(launches()):
        linear = position % block
        assert evaluate(index_expression(rank), thread) == linear
        assert evaluate(index_expression(grid_rank), thread) == position
        assert evaluate(index_expression(tile_rank, size=8), thread) == linear % 8
        assert evaluate(index_expression(tile_number, size=8), thread) == linear // 8
        assert evaluate(index_expression(tiles, size=8), thread) == 9
        assert evaluate(index_expression(find("get_local_linear_id", "opencl")), thread) == linear
        assert (
            evaluate(index_expression(find("get_sub_group_id", "opencl")), thread) == linear // 32
        )
        assert evaluate(index_expression(find("get_sub_group_size", "opencl")), thread) == (
            32 if linear < 64 else 6
        )
        assert (
            evaluate(index_expression(find("get_global_id", "opencl"), 2), thread)
            == 9 + thread["ctaid.z"] * 2 + thread["tid.z"]
        )
        wide = (
            (thread["ctaid.z"] * 2 + thread["tid.z"]) * 14 + thread["ctaid.y"] * 7 + thread["tid.y"]
        ) * 15
        assert (
            evaluate(index_expression(find("get_global_linear_id", "opencl")), thread)
            == wide + thread["ctaid.x"] * 5 + thread["tid.x"]
        )


def test_dimensions_beyond_the_third() -> None:
    assert evaluate(index_expression(find("get_global_id", "opencl"), 3), {}) == 0
    assert evaluate(index_expression(find("get_local_size", "opencl"), 3), {}) == 1


def test_every_index_formula_builds() -> None:
    found = [i for i in known().values() if i.kind == "index"]
    found += [
        m
        for e in DATA["method"]
        if e["kind"] == "index"
        for n in e["names"]
        if (m := method(e["object"], n))
    ]
    assert len(found) > 30
    for intrinsic in found:
        assert isinstance(index_expression(intrinsic, 1, 16), ir.Expression)


def test_builtin_variables() -> None:
    assert (
        BUILTIN_VARIABLES["threadIdx.x"] == "tid.x" and BUILTIN_VARIABLES["gridDim.z"] == "nctaid.z"
    )
    assert BUILTIN_VARIABLES["hipBlockIdx_y"] == "ctaid.y"
    assert (
        len(BUILTIN_VARIABLES) == 13 + 12
    )  # HIP has names of its own for the twelve sizes and positions


CLUSTER = """#include <cooperative_groups.h>
namespace cg = cooperative_groups;
// kernlint: launch(grid=64, block=128)
__global__ void {dims} k(const float *in, float *out) {{
    __shared__ float s[128];
    auto cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank();
    s[threadIdx.x] = in[blockIdx.x / 4 * 512 + 128 * rank + threadIdx.x];
    cluster.sync();
    if (rank == 0)
        for (int b = 0; b < cluster.num_blocks(); ++b)
            out[threadIdx.x * cluster.dim_blocks().x] = cluster.map_shared_rank(s, b)[threadIdx.x];
}}
"""


def cluster(dims: str) -> facts.Kernel:
    source = files.from_bytes("k.cu", CLUSTER.format(dims=dims).encode())
    (kernel,) = engine.analyse_source(source, Settings()).kernels
    return kernel


def test_the_attribute_says_where_a_block_is_in_its_cluster() -> None:
    kernel = cluster("__cluster_dims__(4)")
    assert [(b.kind, b.evaluations, b.divergent, b.status) for b in kernel.branches] == [
        ("if", 256, 0, "exact"),
        ("for", 320, 0, "exact"),
    ]
    load, store = (a for a in kernel.accesses if a.space == "global")
    assert (load.requests, load.sectors and load.sectors.mean, load.status) == (256, 4, "exact")
    assert (store.requests, store.sectors and store.sectors.mean) == (256, 16)
    assert "blockIdx.x % 4" in load.index


def test_without_it_the_block_has_one_place_and_the_reason_says_what_is_missing() -> None:
    kernel = cluster("")
    test, loop = kernel.branches
    assert (test.divergent, test.status) == (0, "exact") and (loop.divergent, loop.reason) == (
        0,
        "unknown-cluster",
    )
    (load,) = (a for a in kernel.accesses if a.space == "global" and a.op == "load")
    assert load.sectors is not None and load.sectors.mean == 4


def test_of_a_place_that_is_not_known_blocks_may_have_others() -> None:
    source = CLUSTER.replace("128 * rank", "3 * rank").format(dims="")
    (kernel,) = engine.analyse_source(files.from_bytes("k.cu", source.encode()), Settings()).kernels
    (load,) = (a for a in kernel.accesses if a.space == "global" and a.op == "load")
    assert (
        load.status == "range"
        and load.sectors is not None
        and (load.sectors.mean_low, load.sectors.mean_high) == (4, 5)
    )
    assert load.reason == "unknown-cluster"


@pytest.mark.parametrize("register", ["%cluster_ctarank", "%cluster_nctarank", "%clusterid.x"])
def test_registers_of_clusters_are_the_same_for_a_block(register: str) -> None:
    source = f"""// kernlint: launch(grid=64, block=128)
__global__ void k(int *out) {{
    unsigned rank;
    asm("mov.u32 %0, {register};" : "=r"(rank));
    if (rank / 32 < 1) out[threadIdx.x] = 0;
}}
"""
    (kernel,) = engine.analyse_source(files.from_bytes("k.cu", source.encode()), Settings()).kernels
    assert (kernel.branches[0].divergent, kernel.branches[0].status) == (0, "exact")


@pytest.mark.parametrize("dims", ["", "__cluster_dims__(4, 1, 1)"])
def test_another_blocks_shared_memory_is_said_not_to_be_counted(dims: str) -> None:
    (load,) = (a for a in cluster(dims).accesses if a.space == "shared" and a.op == "load")
    assert (load.status, load.reason) == ("unknown", "remote-shared")
