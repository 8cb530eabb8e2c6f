"""Names in expressions: variables, members, functions, enumerators, built-in variables, well-known
constants.

In: ID, QualifiedName, TemplateId and StructRef nodes. Out: values and places.
"""

from __future__ import annotations

from collections.abc import Sequence
from string import hexdigits

from kernlint.ir.nodes import Builtin, Constant
from kernlint.ir.types import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT,
    LONGLONG,
    UINT,
    ULONG,
    ULONGLONG,
    VOID,
    Field,
    Integer,
    Pointer,
    Record,
    Type,
)
from kernlint.lowering import global_variables
from kernlint.lowering.calls import intrinsics
from kernlint.lowering.context import ExpressionHandler, Lowerer, expression
from kernlint.lowering.declared_names import function_name, whole_parts
from kernlint.lowering.expressions.fold import constant, integer
from kernlint.lowering.expressions.operators import overloaded
from kernlint.lowering.expressions.places import (
    base_view,
    dereference,
    field_of,
    is_missing,
    member,
    missing_part,
    rvalue,
    static_value,
    unknown,
    unknown_value,
)
from kernlint.lowering.expressions.values import (
    Aggregate,
    Closure,
    FunctionRef,
    MemoryPlace,
    OpaquePlace,
    PlacePointer,
    Scalar,
    SplitPlace,
    SwizzlePlace,
    Value,
    VariablePlace,
)
from kernlint.lowering.scopes import (
    Binding,
    ClassTemplate,
    Entity,
    EnumEntity,
    FieldEntity,
    FunctionSet,
    GlobalVariable,
    NamespaceEntity,
    Scope,
    TypeEntity,
    VariableTemplate,
)  # fmt: skip
from kernlint.lowering.types import atomic_types, classes, declared_library, library, typenames
from kernlint.lowering.types.layout import (
    DIM3,
    LAUNCH_ATTRIBUTES,
    UINT3,
    complete,
    find_field,
    is_vector,
    leaves,
    opencl_vector,
)
from kernlint.source.parser import tree

_TRIPLES = {"threadIdx": UINT3, "blockIdx": UINT3, "blockDim": DIM3, "gridDim": DIM3}
_CONSTANTS: dict[str, tuple[Type, int | float]] = {
    "true": (BOOL, 1), "false": (BOOL, 0), "NULL": (Pointer(VOID), 0), "nullptr": (Pointer(VOID), 0), "EXIT_SUCCESS": (INT, 0),
    "EXIT_FAILURE": (INT, 1),
    "INT_MAX": (INT, 2**31 - 1), "INT_MIN": (INT, -(2**31)), "UINT_MAX": (UINT, 2**32 - 1), "INT32_MAX": (INT, 2**31 - 1),
    "INT32_MIN": (INT, -(2**31)),
    "UINT32_MAX": (UINT, 2**32 - 1), "LLONG_MAX": (LONGLONG, 2**63 - 1), "ULLONG_MAX": (ULONGLONG, 2**64 - 1), "CHAR_BIT": (INT, 8),
    "SHRT_MAX": (INT, 32767), "USHRT_MAX": (INT, 65535), "UCHAR_MAX": (INT, 255), "SCHAR_MAX": (INT, 127), "CHAR_MAX": (INT, 127),
    "FLT_MAX": (FLOAT, 3.4028234663852886e38), "FLT_MIN": (FLOAT, 1.1754943508222875e-38), "FLT_EPSILON": (FLOAT, 2.0**-23),
    "DBL_MAX": (DOUBLE, 1.7976931348623157e308), "DBL_EPSILON": (DOUBLE, 2.0**-52), "INFINITY": (FLOAT, float("inf")),
    "NAN": (FLOAT, float("nan")),
    "M_PI": (DOUBLE, 3.141592653589793), "M_PI_F": (FLOAT, 3.1415927410125732), "MAXFLOAT": (FLOAT, 3.4028234663852886e38),
    "CUDART_INF_F": (FLOAT, float("inf")), "CUDART_PI_F": (FLOAT, 3.1415927410125732), "CLK_LOCAL_MEM_FENCE": (UINT, 1),
    "CLK_GLOBAL_MEM_FENCE": (UINT, 2),
    "CLK_IMAGE_MEM_FENCE": (UINT, 4), "cudaSuccess": (INT, 0), "hipSuccess": (INT, 0), "CUDA_SUCCESS": (INT, 0),
    "RAND_MAX": (INT, 2**31 - 1),
    **{f"cudaLaunchAttribute{name}": (INT, i) for i, name in enumerate(LAUNCH_ATTRIBUTES)},
    "cudaMemcpyHostToHost": (INT, 0), "cudaMemcpyHostToDevice": (INT, 1), "cudaMemcpyDeviceToHost": (INT, 2),
    "cudaMemcpyDeviceToDevice": (INT, 3),
}  # fmt: skip
_PIPELINE_ROLES = {"producer": 0, "consumer": 1}  # cuda::pipeline_role (libcu++, <cuda/pipeline>)


def identifier(low: Lowerer, node: tree.ID) -> Value:
    """A plain name."""
    found = low.scope.find(node.name)
    if found is None:
        return _unknown_name(low, node.name, node)
    return entity_value(low, found, node.name, node)


def _unknown_name(low: Lowerer, name: str, node: tree.Node) -> Value:
    if name in _TRIPLES and low.language == "cuda":
        table = intrinsics.BUILTIN_VARIABLES
        return Aggregate(
            _TRIPLES[name],
            {4 * i: Builtin(UINT, table[f"{name}.{axis}"]) for i, axis in enumerate("xyz")},
        )
    if name in intrinsics.BUILTIN_VARIABLES and low.language == "cuda":
        return Scalar(
            Builtin(INT if name == "warpSize" else UINT, intrinsics.BUILTIN_VARIABLES[name])
        )
    if name in _CONSTANTS:
        type_, value = _CONSTANTS[name]
        return Scalar(
            constant(value, type_) if not isinstance(type_, Pointer) else Constant(type_, value)
        )
    if name in ("__func__", "__FUNCTION__", "__PRETTY_FUNCTION__"):
        return unknown("unknown-pointer", Pointer(INT), (), True)
    return FunctionRef((), name)


def entity_value(low: Lowerer, found: Entity, name: str, node: tree.Node) -> Value:
    """What an entity means in an expression."""
    if isinstance(found, Binding):
        known = found.constant if low.constant else None
        return found.value if known is None else Aggregate(known.type, {**known.leaves})
    if isinstance(found, FieldEntity):
        return _own_field(low, found, node)
    if isinstance(found, FunctionSet):
        owner = found.overloads[0].owner
        return FunctionRef(
            tuple(found.overloads), name, None, None, low.this if owner is not None else None
        )
    if isinstance(found, GlobalVariable):
        return global_variables.place(low, found)
    if isinstance(found, EnumEntity):
        return enumerator(low, found.node, found.scope, found.name)
    if isinstance(found, VariableTemplate):
        return FunctionRef((), name)
    if isinstance(found, (TypeEntity, ClassTemplate)):
        return FunctionRef((), name)
    return unknown("unsupported")


def _own_field(low: Lowerer, found: FieldEntity, node: tree.Node) -> Value:
    """A member named without `this->`; where there is no object, as in `-> decltype(p[0])`, only its
    type is known."""
    this = low.this
    if this is not None:
        return data_member(low, this, found.name, node)
    record = found.owner.record if found.owner is not None else None
    field = find_field(record, found.name) if record is not None else None
    return OpaquePlace(field.type, "unsupported") if field is not None else unknown("unsupported")


def data_member(low: Lowerer, base: Value, name: str, node: tree.Node) -> Value:
    found = field_of(base.type, name)
    if found is None:
        return unknown("unsupported")
    field, bits = found
    value = member(low, base, field, node, bits)
    info = classes.class_info(base.type)
    if (
        info is not None
        and name in info.references
        and not isinstance(value, (FunctionRef, Closure))
    ):
        held = static_value(value)
        if (
            held is None
            and isinstance(base, (SplitPlace, MemoryPlace))
            and isinstance(complete(field.type), Pointer)
        ):
            return (
                value
                if isinstance(base, SplitPlace) and base.base + field.offset in base.statics
                else dereference(low, rvalue(low, value, node), node)
            )
        return held if held is not None else value
    return value


def enumerator(low: Lowerer, node: tree.Enum, scope: Scope, name: str) -> Value:
    """An enumerator's value: its own expression, or one more than the one before."""
    type_ = typenames.enum_type(low.program, node, scope)
    key = (id(node), id(scope))
    known = low.program.enums.get(key)
    if known is None:
        known = low.program.enums[key] = {}
        following = 0
        inner = Scope(scope)
        for one in node.values.enumerators:
            if one.value is not None:
                found = low.program.constant(one.value, inner)
                following = int(found.value) if found is not None else following
            known[one.name] = following
            inner.names[one.name] = Binding(
                Scalar(integer(following, INT if -(2**31) <= following < 2**31 else LONGLONG))
            )
            following += 1
    value = known.get(name, 0)
    if not -(2 ** (type_.bits - 1)) <= value < 2**type_.bits:
        type_ = Integer(64, value < 0, type_.name)
    elif type_.signed and value >= 2 ** (type_.bits - 1):
        type_ = Integer(type_.bits, False, type_.name)
    return Scalar(integer(value, type_))


def qualified(low: Lowerer, node: tree.QualifiedName) -> Value:
    """`a::b`, `Class::member`, `Enum::value`, `std::max`."""
    parts = whole_parts(node, low.scope)
    found: Entity | None = None
    scope: Scope | None = None
    for i, part in enumerate(parts):
        name, last = function_name(part), i == len(parts) - 1
        found = (
            (low.scope.find(name) if not node.is_global else _global(low.scope).member(name))
            if scope is None
            else scope.member(name)
        )
        if last:
            break
        if isinstance(found, NamespaceEntity):
            scope = found.scope
            continue
        if found is None and i == 0 and not isinstance(part, tree.DecltypeType):
            return _library_name(low, parts, node)
        type_ = _type_of_part(low, part, found)
        if isinstance(found, TypeEntity) and isinstance(found.node, tree.Enum):
            return enumerator(low, found.node, found.scope, function_name(parts[i + 1]))
        if type_ is None:
            return unknown("unsupported")
        aliased = low.program.enumerations.get(type_.name) if isinstance(type_, Integer) else None
        if aliased is not None:
            return enumerator(low, *aliased, function_name(parts[i + 1]))
        if isinstance(type_.definition if isinstance(type_, Record) else None, tuple):
            return unknown("unsupported")
        scope = classes.member_scope(type_)
        if scope is None:
            return _library_name(low, parts, node)
    if found is None:
        return FunctionRef(
            (), "::".join(function_name(p) for p in parts), _explicit(parts[-1]), low.scope
        )
    return _with_arguments(low, entity_or_member(low, found, parts[-1], node), parts[-1])


def entity_or_member(low: Lowerer, found: Entity, part: tree.Node, node: tree.Node) -> Value:
    if isinstance(found, VariableTemplate) and isinstance(part, tree.TemplateId):
        return global_variables.template_place(low, found, tuple(part.args))
    return entity_value(low, found, function_name(part), node)


def _global(scope: Scope) -> Scope:
    while scope.parent is not None:
        scope = scope.parent
    return scope


def _explicit(part: tree.Node) -> tuple[tree.Operand, ...] | None:
    return tuple(part.args) if isinstance(part, tree.TemplateId) else None


def _type_of_part(low: Lowerer, part: tree.Node, found: Entity | None) -> Record | Type | None:
    if isinstance(part, tree.DecltypeType):
        return complete(typenames.resolve(low.program, part, low.scope).type)
    if found is None:
        return None
    made = typenames.part_type(low.program, part, found, low.scope)
    return complete(made.type) if made is not None else None


def _library_name(low: Lowerer, parts: Sequence[tree.Name], node: tree.Node) -> Value:
    """A name in `std::` or another namespace nobody defines here: traits, limits, functions."""
    names = [function_name(p) for p in parts]
    last = parts[-1]
    owner = (
        declared_library.declared_type(low.program, names[:-1], parts[-2], low.scope)
        if len(parts) > 2
        else None
    )
    inside = classes.member_scope(owner.type) if owner is not None else None
    found_member = inside.member(names[-1]) if inside is not None else None
    if found_member is not None:
        return entity_value(low, found_member, names[-1], node)
    known_entity = declared_library.declared_entity(low.program, names)
    if known_entity is not None:
        return _with_arguments(low, entity_value(low, known_entity, names[-1], node), last)
    if names[-1] == "dynamic_extent":
        return Scalar(constant(declared_library.DYNAMIC_EXTENT, ULONG))
    if isinstance(last, tree.TemplateId):
        known = library.trait(low.program, names[-1], last.args, low.scope)
        if known is not None and library.names_a_truth(names[-1]):
            return Scalar(integer(int(known), BOOL))
    if names[-1] == "value" and isinstance(parts[-2], tree.TemplateId):
        known = library.trait(low.program, names[-2], parts[-2].args, low.scope)
        return (
            Scalar(integer(int(known), BOOL))
            if known is not None
            else unknown("unknown-type", BOOL, (), True)
        )
    if names[-2] == "numeric_limits" and isinstance(parts[-2], tree.TemplateId):
        limited = typenames.resolve(low.program, parts[-2].args[0], low.scope).type
        found = library.numeric_limit(limited, names[-1])
        if found is not None:
            return library.constant_function(names[-1], Scalar(constant(found[1], found[0])))
    if names[-2] == "pipeline_role" and names[-1] in _PIPELINE_ROLES:
        return Scalar(integer(_PIPELINE_ROLES[names[-1]]))
    return FunctionRef((), "::".join(names), _explicit(last), low.scope)


def _with_arguments(low: Lowerer, value: Value, part: tree.Node) -> Value:
    if isinstance(value, FunctionRef) and isinstance(part, tree.TemplateId):
        return FunctionRef(value.overloads, value.name, tuple(part.args), low.scope, value.this)
    return value


def template_id(low: Lowerer, node: tree.TemplateId) -> Value:
    """`f<…>` as a function, or `v<…>` as a variable template."""
    found = low.scope.find(node.name)
    if found is None:
        known = (
            library.trait(low.program, node.name, node.args, low.scope)
            if library.names_a_truth(node.name)
            else None
        )
        if known is not None:
            return Scalar(integer(int(known), BOOL))
        return FunctionRef((), node.name, tuple(node.args), low.scope)
    return _with_arguments(low, entity_or_member(low, found, node, node), node)


# ------------------------------------------------------------------ members


def structure_reference(low: Lowerer, node: tree.StructRef) -> Value:
    """`x.f` and `p->f`: data member, method, static member, vector components."""
    base = expression(low, node.name)
    if node.type == "->":
        base = arrow(low, base, node)
    elif isinstance(base, (FunctionRef, PlacePointer)) and static_value(base) is None:
        base = rvalue(low, base, node)
    held = static_value(base)
    base = held if held is not None and not isinstance(held, PlacePointer) else base
    if isinstance(node.field, tree.QualifiedName):
        return _qualified_member(low, base, node.field, node)
    return named_member(low, base, function_name(node.field), node)


def arrow(low: Lowerer, base: Value, node: tree.StructRef) -> Value:
    found = overloaded(low, "->", [base], [node.name], node)
    if found is not None:
        base = found
    return dereference(low, rvalue(low, base, node.name), node)


def _qualified_member(
    low: Lowerer, base: Value, field: tree.QualifiedName, node: tree.StructRef
) -> Value:
    """`x.Base::f`: the class is looked up in that of the object, then where the expression stands
    ([basic.lookup.classref])."""
    path = tree.QualifiedName(field.parts[:-1], False, coord=node.coord)
    own = classes.member_scope(complete(base.type))
    owner = typenames.named(low.program, path, own) if own is not None else None
    owner = owner or typenames.named(low.program, path, low.scope)
    name = function_name(field.parts[-1])
    if owner is None:
        return named_member(low, base, name, node)
    return named_member(low, base_view(low, base, owner.type, node), name, node, owner.type)


def named_member(
    low: Lowerer, base: Value, name: str, node: tree.Node, of: Type | None = None
) -> Value:
    """`x.f`, and `x.B::f` with the class `of` that is named."""
    type_ = complete(base.type if of is None else of)
    if field_of(type_, name) is not None:
        return data_member(low, base, name, node)
    if is_vector(type_):
        return swizzle(low, base, name, node)
    overloads = classes.methods(type_, name)
    explicit = _explicit(node.field) if isinstance(node, tree.StructRef) else None
    if overloads:
        return FunctionRef(overloads, name, explicit, low.scope, base)
    scope = classes.member_scope(type_)
    found = scope.member(name) if scope is not None else None
    if found is not None:
        return entity_value(low, found, name, node)
    is_called = low.callee is node or atomic_types.is_reference(type_)
    if isinstance(base, MemoryPlace) and is_missing(type_) and not is_called:
        return missing_part(base)
    return FunctionRef((), name, explicit, low.scope, base)


def swizzle(low: Lowerer, base: Value, name: str, node: tree.Node) -> Value:
    """Vector components by letters or numbers (OpenCL 6.1.7)."""
    parts = leaves(base.type)
    positions = swizzle_positions(name, len(parts))
    if positions is None:
        return FunctionRef((), name, None, None, base)
    offsets = [parts[p][0] for p in positions]
    element = parts[0][1]
    if len(offsets) == 1:
        return _one_component(low, base, offsets[0], element, node)
    type_ = opencl_vector(element, len(offsets)) or base.type
    if isinstance(base, MemoryPlace) and offsets == list(
        range(offsets[0], offsets[0] + len(offsets) * (element.size or 1), element.size or 1)
    ):
        whole = member(low, base, Field(name, element, offsets[0]), node)
        if isinstance(whole, MemoryPlace) and len(offsets) != 3:
            return MemoryPlace(type_, whole.address, base.volatile)
    return SwizzlePlace(type_, base, tuple(offsets))


def _one_component(low: Lowerer, base: Value, offset: int, element: Type, node: tree.Node) -> Value:
    if isinstance(base, SplitPlace):
        return VariablePlace(base.leaves[base.base + offset], base.key)
    if isinstance(base, Aggregate):
        return Scalar(base.leaves[offset])
    if isinstance(base, MemoryPlace):
        return member(low, base, Field("", element, offset), node)
    return unknown_value(element, "unsupported")


def swizzle_positions(name: str, count: int) -> list[int] | None:
    if name in ("lo", "hi", "even", "odd"):
        half = (count + 1) // 2
        table = {
            "lo": range(half),
            "hi": range(half, 2 * half),
            "even": range(0, 2 * half, 2),
            "odd": range(1, 2 * half, 2),
        }
        return [min(p, count - 1) for p in table[name]]
    if name and all(c in "xyzw" for c in name):
        found = ["xyzw".index(c) for c in name]
    elif name and all(c in "rgba" for c in name):
        found = ["rgba".index(c) for c in name]
    elif name[:1] in ("s", "S") and name[1:] and all(c in hexdigits for c in name[1:]):
        found = [int(c, 16) for c in name[1:]]
    else:
        return None
    return found if all(p < count for p in found) else None


EXPRESSIONS: dict[type, ExpressionHandler] = {
    tree.ID: identifier,
    tree.QualifiedName: qualified,
    tree.TemplateId: template_id,
    tree.StructRef: structure_reference,
}
