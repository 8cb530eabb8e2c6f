"""The built-in functions and variables of CUDA C++ and OpenCL C, as data (`intrinsics.toml`).

In: the name of a called function that has no definition in the source. Out: an `Intrinsic` saying
what it does, or None. Never looks at arguments; never lowers anything (lowering switches over
`kind`, one branch each).

Kinds, with one example each:
  index        get_global_id(d), block.thread_rank(): pure formula over built-ins; `index_expression` builds it
  operation    __popc(x), sqrtf(x): `ir.Call(operation, arguments)`; integers are computed if operations.OPERATIONS has the name
  convert      convert_int4_sat_rte(v): elementwise conversion to `result`; operation: rounding and "_sat"
  reinterpret  as_float4(v), __float_as_int(x): same bits, type `result`
  load         __ldg(p), vload4(i, p): reads `lanes` elements (1 when 0); with an offset role: p + offset * lanes elements
  store        __stcs(p, v), vstore4(v, i, p)
  atomic       atomicAdd(p, v): operation is ir.Atomic's; `implicit` is the operand that is not written (OpenCL atomic_inc: 1)
  shuffle      __shfl_xor_sync(m, v, l, w): operation is ir.Shuffle's kind
  vote         __ballot_sync(m, c): operation is ir.Vote's kind
  barrier      __syncthreads(), mem_fence(f): `scope` as ir.BarrierSite ("group": that of the argument); a result is Unknown(`reason`)
  copy         __pipeline_memcpy_async(d, s, n): operation "lane" (each lane copies), or "collective" (lanes share the work)
  copy_group   __pipeline_commit(): operation as ir.CopyGroup's; "wait_prior": the groups that may still run are a template argument; `scope` as of ignored
  group        this_thread_block(): makes an object whose methods `method` knows; operation is the object's kind
  address      __cvta_generic_to_shared(p): pointer <-> integer of the space `operation` names; `ir.Convert` to `result`
  space_test   __isShared(p): 1 if the pointer is in space `operation`
  passthrough  __builtin_assume_aligned(p, n): the first argument unchanged
  assume       __builtin_assume(c)
  trap         __trap(): active lanes end
  ignored      printf(…): no effect on anything that is counted; arguments are still evaluated; `scope`: how nvcc takes it (`ir.Taken`)
  clobber      memcpy(d, s, n): changes memory behind the destination, one lane at a time
  opaque       clock(), tex2D(…): a value nobody can know, `reason` says why; `uniform`: the same on all lanes

Roles of arguments, by position (a trailing "*" repeats the last role; missing arguments are allowed):
  value, pointer, destination, source, compare, expected (pointer to the value to compare with; receives the old one),
  condition, mask (of lanes), lane, width (lanes of a shuffle), bytes, elements (of the pointee), stride (in elements),
  offset (in elements or vectors), pending (groups of copies that may still run), dimension, size (of a tile), group, alignment, out (pointer that receives an unknown value),
  place (an lvalue), ignored (evaluated, no meaning).
Argument rule `arguments`, applied to value and compare roles: "" or "each" (as they are, promoted), "common" (usual
  arithmetic conversions), "arg0"/"arg1" (the type of that argument), "pointee", "floating" (common, integers become double),
  or a type's name.
Result rule `result`: "void", "arg0"…"arg2", "last", "common", "promoted", "floating", "pointee", "vector" (`lanes` of the
  pointee), "unsigned" (unsigned type of arg0), "widened" (twice as wide as arg0, signedness of arg0), "relational" (int, or an
  integer vector as wide as arg0), "component" (of a vector arg0), "shuffled" (vector like arg0 with as many lanes as the mask),
  "pointer" (to the place), "template0" (first template argument, else unknown), "group", or a type's name (`float4`, `unsigned int`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any

from kernlint.base.dataclass import dataclass, replace
from kernlint.base.tables import parsed
from kernlint.ir import functions
from kernlint.ir import nodes as ir
from kernlint.ir.types import INT, UINT, Integer

_VALUE_KINDS = (
    "index",
    "operation",
    "convert",
    "reinterpret",
    "address",
    "space_test",
    "passthrough",
    "group",
    "opaque",
)
_EFFECT_KINDS = (
    "load",
    "store",
    "atomic",
    "shuffle",
    "vote",
    "barrier",
    "copy",
    "copy_group",
    "assume",
    "trap",
    "ignored",
    "clobber",
)
KINDS = frozenset(_VALUE_KINDS + _EFFECT_KINDS)


@dataclass(frozen=True, slots=True)
class Intrinsic:
    """One built-in function; the module's docstring explains the vocabulary. `name` is as called,
    without `std::` and the like."""

    name: str
    kind: str
    operation: str
    roles: tuple[str, ...] = ()
    arguments: str = ""
    result: str = "void"
    elementwise: bool = False
    # the operation on components of a vector, where it differs (select looks at the top bit)
    vector_operation: str = ""
    lanes: int = 0
    width: int = 0  # bytes per element in memory where the pointer's type does not say (vload_half)
    # the vector's alignment is required (vloada_half4); element alignment otherwise
    aligned: bool = False
    space: str = ""  # memory space the pointer must be in
    hardware_op: str = ""
    scope: str = ""
    reason: str = ""
    implicit: int | None = None
    beyond: int = 0  # value of an index function for a dimension above 2
    synchronised: bool = True
    uniform: bool = False
    volatile: bool = False
    group: bool = False  # a cooperative group may stand before the other arguments
    function: str = ""  # what an operation computes that stands for many

    def role(self, position: int) -> str:
        """The role of the argument at `position`; "ignored" past the end."""
        if position < len(self.roles):
            return self.roles[position].rstrip("*")
        last = self.roles[-1] if self.roles else ""
        return last.rstrip("*") if last.endswith("*") else "ignored"

    def position(self, role: str) -> int | None:
        """Where the first argument with `role` stands, or None."""
        return next((i for i, r in enumerate(self.roles) if r.rstrip("*") == role), None)


TYPE_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "uint": "unsigned int",
        "ll": "long long",
        "longlong": "long long",
        "ull": "unsigned long long",
        "ushort": "unsigned short",
        "uchar": "unsigned char",
        "ulong": "unsigned long",
        "size_t": "unsigned long",
        "uintptr_t": "unsigned long",
        "ptrdiff_t": "long",
        "intptr_t": "long",
        "half": "__half",
        "bfloat16": "__nv_bfloat16",
        "half2": "__half2",
        "bfloat162": "__nv_bfloat162",
    }
)
_OPERATION_NAMES = {"xchg": "exch"}
_QUALIFIERS = ("cuda::std::", "cuda::", "std::", "::")
_NAMESPACE_ALIASES = {"cg::": "cooperative_groups::", "nvcuda::experimental::pipeline::": "cuda::"}


@dataclass(frozen=True, slots=True)
class _Pattern:
    match: str  # a regular expression, compiled when a name is not in the table
    template: dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Tables:
    variables: Mapping[str, str]
    # language, name: operation and entry
    functions: Mapping[str, Mapping[str, tuple[str, dict[str, Any]]]]
    patterns: Mapping[str, tuple[_Pattern, ...]]  # language
    methods: Mapping[tuple[str, str], tuple[str, dict[str, Any]]]  # object kind, method
    object_types: Mapping[str, str]


def _make(name: str, operation: str, entry: dict[str, Any]) -> Intrinsic:
    known = {
        k: v
        for k, v in entry.items()
        if k not in ("languages", "names", "match", "functions", "object", "operation", "roles")
    }
    if known["kind"] not in KINDS:
        raise ValueError(f"intrinsics.toml: {name}: unknown kind {known['kind']}")
    return Intrinsic(name=name, operation=operation, roles=tuple(entry.get("roles", ())), **known)


def _names(entry: dict[str, Any]) -> list[tuple[str, str]]:
    names = entry["names"]
    if isinstance(names, dict):
        return list(names.items())
    every = (*names, *_functions(entry))
    return [(n, n.rsplit("::", 1)[-1]) for n in every]


def _functions(entry: dict[str, Any]) -> tuple[str, ...]:
    return functions.spelled(entry["functions"]) if "functions" in entry else ()


@cache
def _tables() -> _Tables:
    [data] = parsed(
        "intrinsics", [resources.files(__package__).joinpath("intrinsics.toml").read_text("utf-8")]
    )
    named: dict[str, dict[str, tuple[str, dict[str, Any]]]] = {"cuda": {}, "opencl": {}}
    patterns: dict[str, list[_Pattern]] = {"cuda": [], "opencl": []}
    for entry in data["family"]:
        for language in entry["languages"]:
            for name, operation in _names(entry):
                named[language][name] = operation, entry
    for entry in data["pattern"]:
        for language in entry["languages"]:
            match = entry["match"].replace("FUNCTIONS", "|".join(_functions(entry)))
            patterns[language].append(_Pattern(match, entry))
    methods = {
        (entry["object"], name): (operation, entry)
        for entry in data["method"]
        for name, operation in _names(entry)
    }
    return _Tables(
        data["variables"],
        named,
        {k: tuple(v) for k, v in patterns.items()},
        methods,
        data["object_types"],
    )


_compiled = cache(re.compile)


def _from_pattern(name: str, pattern: _Pattern) -> Intrinsic | None:
    match = _compiled(pattern.match).fullmatch(name)
    if match is None:
        return None
    groups = {key.rstrip("2"): value for key, value in match.groupdict().items() if value}
    filled = {key: groups.get(key, "") for key in (k.rstrip("2") for k in match.groupdict())}
    if "double" in filled:  # cuRAND: curand_normal2_double gives double2
        filled["double"] = "double" if filled["double"] else "float"
    entry = dict(pattern.template)
    operation = str(entry.get("operation", name)).format(**filled).lower().strip("_")
    entry["function"] = str(entry.get("function", "")).format(**filled).strip("_")
    for rule in ("arguments", "result"):
        named = str(entry.get(rule, "")).format(**filled)
        entry[rule] = TYPE_NAMES.get(named, named)
    made = _make(name, _OPERATION_NAMES.get(operation, operation), entry)
    lanes = filled.get("lanes", "")
    return (
        replace(made, lanes=int(lanes))
        if lanes.isdigit() and made.kind in ("load", "store")
        else made
    )


def canonical_name(name: str) -> str:
    """`cg::sync` → `cooperative_groups::sync`; other qualified names unchanged."""
    name = name.removeprefix("::")
    for short, full in _NAMESPACE_ALIASES.items():
        if name.startswith(short):
            return full + name[len(short) :]
    return name


def lookup(name: str, language: str) -> Intrinsic | None:
    """The built-in function `name` (possibly qualified: `std::min`, `cg::this_grid`) of `language`
    ("cuda" | "opencl").

    Names inside namespace cooperative_groups and cuda stand in the table with their namespace;
    `lookup` also finds them by their last part when `using namespace` hides it, as long as nothing
    else has that name.
    """
    return _lookup(canonical_name(name), language)


@cache
def _lookup(name: str, language: str) -> Intrinsic | None:
    tables = _tables()
    named = tables.functions[language]
    candidates = [name] + [name.removeprefix(q) for q in _QUALIFIERS if name.startswith(q)]
    if "::" not in name:
        candidates.append(f"cooperative_groups::{name}")
    for candidate in candidates:
        if candidate in named:
            return _make(candidate, *named[candidate])
        for pattern in tables.patterns[language]:
            if (found := _from_pattern(candidate, pattern)) is not None:
                return found
    return None


def known() -> dict[str, Intrinsic]:
    """Every function that the table names, by name; where both languages have one, CUDA's."""
    return {
        name: _make(name, *found)
        for language in ("opencl", "cuda")
        for name, found in _tables().functions[language].items()
    }


@cache
def method(object_kind: str, name: str) -> Intrinsic | None:
    """A method of a group ("block" "grid" "tile" "cluster" "coalesced" "thread") or of an
    "atomic_ref"."""
    found = _tables().methods.get((object_kind, name))
    return None if found is None else _make(name, *found)


def object_kind(type_name: str) -> str | None:
    """The kind of object a type names: `cooperative_groups::thread_block_tile` → "tile";
    unqualified names are found too."""
    types = _tables().object_types
    name = canonical_name(type_name)
    return types.get(name) or types.get(f"cooperative_groups::{name}") or types.get(f"cuda::{name}")


BUILTIN_VARIABLES: Mapping[str, str] = MappingProxyType(dict(_tables().variables))

# ------------------------------------------------------------------ index formulas

_DERIVED = {
    # a block's place in its cluster, whose blocks `cluster.x` and the like count, and their number
    # (PTX ISA, %cluster_ctarank)
    "cluster_rank": "(ctaid.z % cluster.z * cluster.y + ctaid.y % cluster.y) * cluster.x + ctaid.x % cluster.x",
    "cluster_blocks": "cluster.x * cluster.y * cluster.z",
    "thread_rank": "(tid.z * ntid.y + tid.y) * ntid.x + tid.x",
    "threads": "ntid.x * ntid.y * ntid.z",
    "blocks": "nctaid.x * nctaid.y * nctaid.z",
    "block_rank": "(ctaid.z * nctaid.y + ctaid.y) * nctaid.x + ctaid.x",
}
# what they are called where the size is not known
_OF_CLUSTER = {"cluster_rank": "block_rank", "cluster_blocks": "num_blocks"}
_PLAIN_BUILTINS = frozenset({"laneid", "warpid", "warpsize", "dynamic_smem_size"})
_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Mod: "%",
}


def index_expression(
    intrinsic: Intrinsic,
    dimension: int = 0,
    size: int = 0,
    type: Integer | None = None,
    cluster: tuple[int, int, int] | None = None,
) -> ir.Expression:
    """The value of an `index` function. `dimension`: 0, 1, 2 for formulas over `.d`; `size`: lanes
    of a tile; `type`: of the result (unsigned int when the rule names no integer type of its own);
    `cluster`: its blocks, where they are known."""
    result = type or _RESULT_TYPES.get(intrinsic.result, UINT)
    if not 0 <= dimension <= 2:
        return ir.Constant(result, intrinsic.beyond)
    names = (
        {"size": size}
        if cluster is None
        else {
            "size": size,
            **{f"cluster.{axis}": n for axis, n in zip("xyz", cluster, strict=True)},
        }
    )
    return _build(ast.parse(intrinsic.operation, mode="eval").body, "xyz"[dimension], names, result)


def _build(node: ast.expr, axis: str, names: Mapping[str, int], result: Integer) -> ir.Expression:
    """`names`: those that are numbers here."""
    match node:
        case ast.Constant(value=int(value)):
            return ir.Constant(result, value)
        case ast.Name(id="size"):
            return ir.Constant(result, names["size"])
        case ast.Name(id=name) if name in _PLAIN_BUILTINS:
            return _builtin(name, result)
        case ast.Name(id=name) if name in _OF_CLUSTER and "cluster.x" not in names:
            of = (
                tuple(ir.Builtin(UINT, f"ctaid.{at}") for at in "xyz")
                if name == "cluster_rank"
                else ()
            )
            return ir.Unknown(result, "unknown-cluster", of, True, _OF_CLUSTER[name])
        case ast.Name(id=name):
            return _build(ast.parse(_DERIVED[name], mode="eval").body, axis, names, result)
        case ast.Attribute(value=ast.Name(id="cluster"), attr=part):
            name = f"cluster.{axis if part == 'd' else part}"
            return (
                ir.Constant(result, names[name])
                if name in names
                else ir.Unknown(result, "unknown-cluster", (), True, name)
            )
        case ast.Attribute(value=ast.Name(id=name), attr=part):
            return _builtin(f"{name}.{axis if part == 'd' else part}", result)
        case ast.BinOp(left=left, op=operator, right=right):
            first, second = (_build(side, axis, names, result) for side in (left, right))
            return ir.Binary(result, _OPERATORS[operator.__class__], first, second)
        case ast.Call(func=ast.Name(id="min"), args=[left, right]):
            return ir.Binary(
                result, "min", _build(left, axis, names, result), _build(right, axis, names, result)
            )
    raise ValueError(f"intrinsics.toml: bad formula {ast.dump(node)}")


def _builtin(name: str, result: Integer) -> ir.Expression:
    value = ir.Builtin(INT if name == "warpsize" else UINT, name)
    return value if value.type == result else ir.Convert(result, value)


def is_rank(e: ir.Expression, of: str, size: str) -> bool:
    """Whether it is what `_DERIVED` says of a thread in its block ("tid" of "ntid") or of a block
    in its grid ("ctaid" of "nctaid")."""
    row = _first(_first(e, "+", f"{of}.x"), "*", f"{size}.x")
    plane = _first(_first(row, "+", f"{of}.y"), "*", f"{size}.y")
    return plane is not None and _is_builtin(plane, f"{of}.z")


def _first(e: ir.Expression | None, operator: str, second: str) -> ir.Expression | None:
    """The first operand of an operation whose second one is a builtin."""
    e = _bare(e)
    return (
        e.left
        if isinstance(e, ir.Binary) and e.op == operator and _is_builtin(e.right, second)
        else None
    )


def _is_builtin(e: ir.Expression, name: str) -> bool:
    bare = _bare(e)
    return isinstance(bare, ir.Builtin) and bare.name == name


def _bare(e: ir.Expression | None) -> ir.Expression | None:
    while isinstance(e, ir.Convert):
        e = e.operand
    return e


_RESULT_TYPES: Mapping[str, Integer] = MappingProxyType(
    {
        "unsigned int": UINT,
        "int": INT,
        "bool": Integer(8, False, "bool"),
        "unsigned long": Integer(64, False, "unsigned long"),
        "unsigned long long": Integer(64, False, "unsigned long long"),
    }
)
