"""Launches of every spelling: `<<<…>>>`, cudaLaunchKernel and its kin, and the other runtime calls
that decide a launch.

In: their syntax in host code. Out: HostLaunch statements, or a problem that says why a launch is
not followed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kernlint.base.dataclass import dataclass
from kernlint.base.span import Problem
from kernlint.ir import nodes as ir
from kernlint.ir.types import BOOL, LONG, UINT, ULONG, Array, Integer, Pointer, Record, Void
from kernlint.lowering import kernels
from kernlint.lowering.calls.library_calls import allocate_bytes
from kernlint.lowering.context import Lowerer, ProgramContext, expression
from kernlint.lowering.declare import (
    parameter_list,
    parameter_type,
    parameter_types,
)
from kernlint.lowering.expressions.construct import argument_values
from kernlint.lowering.expressions.fold import binary, convert, integer, retype
from kernlint.lowering.expressions.places import (
    dereference,
    member,
    rvalue,
    scalar,
    static_value,
    unknown,
    void_value,
)
from kernlint.lowering.expressions.stores import assign, coerce
from kernlint.lowering.expressions.values import (
    Aggregate,
    BracedList,
    Closure,
    ConstantPlace,
    FunctionRef,
    FunctionType,
    MemoryPlace,
    PlacePointer,
    Qualified,
    Scalar,
    StaticPlace,
    Value,
    VariablePlace,
)
from kernlint.lowering.scopes import Binding, FunctionEntity, PackEntity, Scope, TypeEntity
from kernlint.lowering.templates import assumed_types, deduction, overloads
from kernlint.lowering.templates import template_arguments as templates
from kernlint.lowering.types import typenames
from kernlint.lowering.types.layout import (
    CLUSTER_DIMENSION,
    DIM3,
    LAUNCH_ATTRIBUTE,
    complete,
    find_field,
)
from kernlint.source.parser import tree

_Sizes = tuple[ir.Expression, ir.Expression, ir.Expression]


@dataclass(frozen=True, slots=True)
class LaunchedKernel:
    """The instantiation a launch reaches; `Program.instantiate(template, template_arguments)`
    lowers it."""

    template: Any  # a KernelTemplate of the program
    template_arguments: tuple[str, ...]

    def __str__(self) -> str:
        given = f"<{', '.join(self.template_arguments)}>" if self.template_arguments else ""
        return f"{self.template.qualified_name}{given}"


def launch(low: Lowerer, node: tree.KernelLaunch) -> Value:
    """`kernel<<<grid, block, shared, stream>>>(args)`."""
    low.program.lowered_launches.add(id(node))
    config: list[tuple[Value, tree.Node]] = [(expression(low, c), c) for c in node.config]
    callee = _callee(low, node.callee)
    values: list[tuple[Value, tree.Node]] = list(zip(*argument_values(low, node.args), strict=True))
    _launch(low, callee, config[:3], values, node)
    return void_value()


def _callee(low: Lowerer, node: tree.Node) -> Value:
    """What is launched: `*f` is what f points to, as f itself is ([expr.call] of the standard)."""
    if not isinstance(node, tree.UnaryOp) or node.op != "*":
        return expression(low, node)
    pointer = _callee(low, node.expr)
    is_function = isinstance(complete(pointer.type), (FunctionType, Integer))
    return pointer if is_function else dereference(low, rvalue(low, pointer, node.expr), node)


def _launch(
    low: Lowerer,
    callee: Value,
    config: list[tuple[Value, tree.Node]],
    values: list[tuple[Value, tree.Node]],
    node: tree.Node,
    cluster: _Sizes | None = None,
) -> None:
    held = static_value(callee)
    callee = held if held is not None else callee
    if not low.host or low.constant:
        low.emit(ir.Clobber("kernel launch", None, low.span(node)))
        return
    if isinstance(callee, (Scalar, VariablePlace, MemoryPlace)):
        candidates = _candidates(low, values)
        if candidates:
            pointer = scalar(low, callee, node)
            _launch_any(low, pointer, candidates, config, values, node, cluster)
            return
    resolved = _resolve(low, callee, values) if isinstance(callee, FunctionRef) else None
    if resolved is None or not _fits(resolved[1], values):
        _not_followed(low, callee, values, node)
        return
    handle, entity, scope = resolved
    grid, block = (_dimensions(low, config[i] if i < len(config) else None, node) for i in (0, 1))
    shared = (
        scalar(low, coerce(low, config[2][0], ULONG, config[2][1]), config[2][1])
        if len(config) > 2
        else integer(0, ULONG)
    )
    arguments: list[tuple[str, ir.Expression]] = []
    spread = kernels.spread_parameters(entity.node, scope)
    for (parameter, name, where), (value, source) in zip(spread, values, strict=False):
        arguments += _argument(low, parameter, name, value, source, where)
    low.emit(
        ir.HostLaunch(
            handle,
            grid,
            block,
            shared,
            tuple(arguments),
            low.span(node),
            low.assumed,
            cluster,
        )
    )


def _candidates(
    low: Lowerer, values: list[tuple[Value, tree.Node]]
) -> list[tuple[int, FunctionRef]]:
    """The kernels that host code keeps pointers to and that take such arguments."""
    return [
        (number, kernel)
        for number, kernel in low.program.kept_functions.values()
        if isinstance(kernel, FunctionRef)
        and (resolved := _resolve(low, kernel, values)) is not None
        and _fits(resolved[1], values)
    ]


def _launch_any(
    low: Lowerer,
    pointer: ir.Expression,
    candidates: list[tuple[int, FunctionRef]],
    config: list[tuple[Value, tree.Node]],
    values: list[tuple[Value, tree.Node]],
    node: tree.Node,
    cluster: _Sizes | None,
) -> None:
    """A launch through a pointer: of the one that it holds, of every candidate where that is not
    known."""
    for number, kernel in candidates:
        with low.block() as then:
            _launch(low, kernel, config, values, node, cluster)
        low.emit(if_it_is(low, pointer, number, then, node))


def if_it_is(
    low: Lowerer,
    pointer: ir.Expression,
    number: int,
    then: list[ir.Statement],
    node: tree.Node,
    otherwise: Sequence[ir.Statement] = (),
) -> ir.Statement:
    """What is done where a pointer holds the function that a number stands for, and where not."""
    if isinstance(pointer, ir.Read):
        pointer = ir.Read(ULONG, pointer.variable)
    is_it = ir.Binary(BOOL, "==", pointer, integer(number, ULONG))
    return ir.If(is_it, tuple(then), tuple(otherwise), low.branch_site(node, "if", None))


def _fits(kernel: FunctionEntity, values: list[tuple[Value, tree.Node]]) -> bool:
    fewest, most = overloads.arity(kernel.node)
    return fewest <= len(values) <= (len(values) if most is None else most)


def _not_followed(
    low: Lowerer, callee: Value, values: list[tuple[Value, tree.Node]], node: tree.Node
) -> None:
    """Say why the kernel of a launch is not known."""
    if not isinstance(callee, FunctionRef):
        name = _launched(low, node)
        low.unsupported(node, "launched-definition", name, name=name)
        return
    name, candidates = callee.name, [e for e in callee.overloads if kernels.is_kernel(e)]
    if not candidates:
        if callee.overloads:
            low.unsupported(node, "no-kernel", name=name)
        else:
            low.unsupported(node, "launched-definition", name, name=name)
    elif not any(_fits(e, values) for e in candidates):
        fewest, most = overloads.arity(candidates[0].node)
        takes = (
            f"{fewest}"
            if most == fewest
            else f"{fewest} or more"
            if most is None
            else f"{fewest} to {most}"
        )
        message = f"launch of `{name}` with {len(values)} argument{'s' * (len(values) != 1)}: it takes {takes}"
        low.report(Problem("KL001", low.span(node), message))
    elif all(e.node.lazy_body is None for e in candidates):
        low.unsupported(node, "launched-definition", name, name=name)
    elif callee.arguments and not any(_takes(e, len(callee.arguments)) for e in candidates):
        most_given, given = len(candidates[0].parameters or ()), len(callee.arguments)
        low.report(
            Problem(
                "KL001",
                low.span(node),
                f"launch of `{name}` with {given} template arguments: it takes {most_given}",
            )
        )
    else:
        low.unsupported(node, "launched-types", name, name=name)


def _launched(low: Lowerer, node: tree.Node) -> str:
    """What is launched, as the source has it: before `<<<`, or what is handed to the runtime."""
    given = node.args.exprs if isinstance(node, tree.FuncCall) and node.args is not None else []
    position = int(low.text(node).startswith("cudaLaunchKernelEx"))
    if position < len(given):
        return low.text(given[position])
    named = node.callee if isinstance(node, tree.KernelLaunch) else node
    return low.text(named).partition("<<<")[0].strip()


def _takes(kernel: FunctionEntity, count: int) -> bool:
    """Whether a template can take so many explicit arguments."""
    parameters = kernel.parameters or ()
    return count <= len(parameters) or any(p.is_pack for p in parameters)


def _resolve(
    low: Lowerer, callee: FunctionRef, values: list[tuple[Value, tree.Node]]
) -> tuple[LaunchedKernel, FunctionEntity, Scope] | None:
    """The kernel definition and its template arguments, explicit and deduced."""
    candidates = tuple(e for e in callee.overloads if kernels.is_kernel(e))
    chosen = overloads.choose(
        low, candidates, [v for v, _ in values], callee.arguments, callee.arguments_scope
    )
    if chosen is None and len(candidates) == 1:
        chosen = overloads.bind_template(
            low, candidates[0], [], [], callee.arguments, callee.arguments_scope
        )
        chosen = chosen or _partly_bound(low, candidates[0], callee, values)
    if chosen is None:
        return None
    entity, scope = chosen
    by_node = {id(k.entity.node): k for k in low.program.kernels()}
    template = by_node.get(id(entity.node))
    owner = entity
    if template is None:  # an explicit specialisation stands for its template
        owner = next(
            (e for e in candidates if e.name == entity.name and e.parameters is not None), entity
        )
        template = by_node.get(id(entity.node)) or by_node.get(id(owner.node))
    if template is None:
        return None
    arguments = tuple(_bound(low.program, scope, p.name) for p in template.entity.parameters or ())
    texts = kernels.register(low.program, template.entity, arguments) if arguments else ()
    return LaunchedKernel(template, texts), entity, scope


def _partly_bound(
    low: Lowerer, entity: FunctionEntity, callee: FunctionRef, values: list[tuple[Value, tree.Node]]
) -> tuple[FunctionEntity, Scope] | None:
    """A template some of whose type arguments hang on values of classes that no file defines: those
    become stand-ins."""
    if entity.parameters is None:
        return None
    found: dict[str, templates.Argument] = {}
    names = {p.name for p in entity.parameters if p.name}
    explicit = callee.arguments or ()
    fixed = {p.name for p, _ in zip(entity.parameters, explicit, strict=False)}
    for type_, (value, _) in zip(parameter_types(entity.node), values, strict=False):
        more = dict(found)
        if not isinstance(value, (BracedList, FunctionRef, Closure)):
            actual = Qualified(overloads.type_of_value(value))
            if deduction.deduce(low.program, type_, actual, names - fixed, more, entity.scope):
                found = more
    for parameter in entity.parameters:
        if parameter.kind == "type" and parameter.default is None and parameter.name not in fixed:
            found.setdefault(
                parameter.name, assumed_types.stand_in(low.program, parameter, entity.scope)
            )
    where = callee.arguments_scope or low.scope
    arguments = templates.complete(
        low.program, entity.parameters, tuple(explicit), where, found, entity.scope
    )
    return (
        None
        if arguments is None
        else (entity, templates.bind(entity.parameters, arguments, entity.scope))
    )


def _bound(program: ProgramContext, scope: Scope, name: str) -> templates.Argument:
    """The template argument a parameter's name stands for in an instance's scope."""
    found = scope.find(name)
    if isinstance(found, PackEntity):
        return tuple(_of_entity(program, item) for item in found.items)
    return _of_entity(program, found)


def _of_entity(program: ProgramContext, found: object) -> templates.Argument:
    if isinstance(found, TypeEntity) and found.resolved is not None:
        return found.resolved
    if isinstance(found, Binding):
        value = found.value
        if isinstance(value, ConstantPlace):
            return templates.TemplateValue(value.type, value.value.value)
        if isinstance(value, StaticPlace) and isinstance(value.value, FunctionRef):
            return templates.of_function(program, value.value)
        made = templates.object_argument(value.type, value)
        if made is not None:
            return made
        return templates.TemplateValue(value.type, None)
    return found if found is not None else Qualified(FunctionType("?"))


def _dimensions(
    low: Lowerer, given: tuple[Value, tree.Node] | None, node: tree.Node
) -> tuple[ir.Expression, ir.Expression, ir.Expression]:
    if given is None:
        one = integer(1, UINT)
        return one, one, one
    value, source = given
    if isinstance(value, FunctionRef) and not value.overloads:
        value = Scalar(
            scalar(low, value, source)
        )  # a name of a missing header, which is named then
    found = coerce(low, value, DIM3, source)
    if isinstance(found, Aggregate):
        x, y, z = (
            convert(found.leaves[o], UINT) if o in found.leaves else ir.Unknown(UINT, "unsupported")
            for o in (0, 4, 8)
        )
        return x, y, z
    x = ir.Unknown(UINT, "unknown-launch")
    return x, x, x


def _argument(
    low: Lowerer,
    parameter: tree.Parameter,
    name: str,
    value: Value,
    source: tree.Node,
    scope: Scope,
) -> list[tuple[str, ir.Expression]]:
    """The scalar leaves of one kernel argument, named like the kernel's parameters."""
    type_ = complete(typenames.resolve(low.program, parameter_type(parameter), scope).type)
    if isinstance(type_, Array):
        type_ = Pointer(type_.element)
    held = static_value(value)
    if isinstance(held, Closure):
        captured = [(c, b.value) for c, b in held.scope.names.items() if isinstance(b, Binding)]
        return [
            (f"{name}.{c}{suffix}", ir.Read(v.type, v))
            for c, place in captured
            for suffix, v in kernels.place_leaves(place)
        ]
    if isinstance(type_, FunctionType) or not name:
        return []
    found = coerce(low, value, type_, source)
    if isinstance(found, PlacePointer):
        return [(name, ir.Unknown(type_, "unknown-pointer"))]
    if isinstance(found, Scalar):
        return [(name, found.expression)]
    if isinstance(found, Aggregate) and isinstance(type_, Record):
        return [
            (f"{name}{suffix}", found.leaves[o])
            for o, _, suffix in kernels.handed_leaves(type_)
            if o in found.leaves
        ]
    return []


# ------------------------------------------------------------------ runtime calls


MOST_ATTRIBUTES = 4  # of a launch that are looked at
# bytes that cudaMallocPitch pads rows to: of 1,065 sizes on an H100 all (2026-11-27)
PITCH = 512
_Pairs = list[tuple[Value, tree.Node]]  # arguments: what they are, how they are written


def runtime_call(
    low: Lowerer, name: str, values: list[Value], nodes: Sequence[tree.Node], node: tree.Node
) -> Value | None:
    """Calls of the CUDA and HIP runtimes that launch, allocate or report; None for others."""
    pairs = list(zip(values, nodes, strict=False))
    fewest, handler = _RUNTIME_CALLS.get(name, (0, None))
    if handler is not None and len(pairs) >= fewest:
        return handler(low, name, pairs, node)
    if name.startswith(("cudaOccupancy", "hipOccupancy")):
        return _decided_at_run_time(low, name, values, nodes)
    return None


def _launch_macro(low: Lowerer, name: str, pairs: _Pairs, node: tree.Node) -> Value:
    """`hipLaunchKernelGGL(kernel, grid, block, shared, stream, arguments…)`."""
    _launch(low, pairs[0][0], pairs[1:4], pairs[5:], node)
    return void_value()


def _launch_with_array(low: Lowerer, name: str, pairs: _Pairs, node: tree.Node) -> Value:
    """`cudaLaunchKernel(kernel, grid, block, arguments, shared, stream)`."""
    shared = pairs[4:5]
    values = _argument_array(low, pairs[3]) or _unknown_arguments(pairs[0][0], node)
    _launch(low, pairs[0][0], [*pairs[1:3], *shared], values, node)
    return Scalar(integer(0))


def _launch_configured(low: Lowerer, name: str, pairs: _Pairs, node: tree.Node) -> Value:
    """`cudaLaunchKernelEx(configuration, kernel, arguments…)`."""
    configuration, cluster = _configuration(low, pairs[0])
    _launch(low, pairs[1][0], configuration, pairs[2:], node, cluster)
    return Scalar(integer(0))


def _launch_configured_with_array(low: Lowerer, name: str, pairs: _Pairs, node: tree.Node) -> Value:
    """`cudaLaunchKernelExC(configuration, kernel, arguments)`."""
    values = _argument_array(low, pairs[2]) or _unknown_arguments(pairs[1][0], node)
    configuration, cluster = _configuration(low, pairs[0])
    _launch(low, pairs[1][0], configuration, values, node, cluster)
    return Scalar(integer(0))


def _allocate_pitched(low: Lowerer, name: str, pairs: _Pairs, node: tree.Node) -> Value:
    """`cudaMallocPitch(&pointer, &pitch, width, height)`."""
    pointer, (pitch, pitch_node) = pairs[:2]
    width, height = (convert(scalar(low, *pair), ULONG) for pair in pairs[2:4])
    rows = binary("/", binary("+", width, integer(PITCH - 1, ULONG)), integer(PITCH, ULONG))
    held = low.temporary(ULONG, "pitch")
    low.assign(held, binary("*", rows, integer(PITCH, ULONG)))
    told = rvalue(low, pitch, pitch_node)
    if isinstance(told, PlacePointer):
        assign(low, told.place, Scalar(ir.Read(ULONG, held)), pitch_node, pitch_node)
    size = binary("*", ir.Read(ULONG, held), height)
    allocate_bytes(low, *pointer, size, node)
    return Scalar(integer(0))


def _error_text(low: Lowerer, name: str, pairs: _Pairs, node: tree.Node) -> Value:
    return unknown("unknown-pointer", Pointer(Void()), (), True, name)


_RuntimeCall = Callable[[Lowerer, str, _Pairs, Any], Value]
_RUNTIME_CALLS: dict[str, tuple[int, _RuntimeCall | None]] = {  # with the fewest arguments
    "hipLaunchKernelGGL": (5, _launch_macro),
    "cudaLaunchKernel": (4, _launch_with_array),
    "hipLaunchKernel": (4, _launch_with_array),
    "cudaLaunchCooperativeKernel": (4, _launch_with_array),
    "cudaLaunchKernelEx": (2, _launch_configured),
    "cudaLaunchKernelExC": (3, _launch_configured_with_array),
    "hipLaunchKernelExC": (3, _launch_configured_with_array),
    "cudaMallocPitch": (4, _allocate_pitched),
    "cudaGetErrorString": (0, _error_text),
    "cudaGetErrorName": (0, _error_text),
    "hipGetErrorString": (0, _error_text),
}


def _decided_at_run_time(
    low: Lowerer, name: str, values: list[Value], nodes: Sequence[tree.Node]
) -> Value:
    """The runtime chooses sizes for a kernel and writes them where pointers say: registers and the
    device decide them."""
    for value, node in zip(values, nodes, strict=False):
        held = rvalue(low, value, node) if not isinstance(value, (FunctionRef, Closure)) else None
        if isinstance(held, PlacePointer):
            what, apart = (
                f"{name} decides it at run time",
                f"{low.text(node)} of {' '.join(map(low.text, nodes))}",
            )
            assign(
                low,
                held.place,
                Scalar(ir.Unknown(held.place.type, "unknown-launch", (), True, what, apart=apart)),
                node,
                node,
            )
    return Scalar(integer(0))


def _argument_array(low: Lowerer, given: tuple[Value, tree.Node]) -> list[tuple[Value, tree.Node]]:
    """The values a and b of `void *args[] = {&a, &b};`, and a alone of `&p` after `p = &a`."""
    node = _without_casts(given[1])
    if isinstance(node, tree.UnaryOp) and node.op == "&":
        first = node.expr
        if not isinstance(first, tree.ArrayRef):  # `&args[0]` is the array
            return [_pointed(low, first)]
        node = first.name
    found = low.scope.find(node.name) if isinstance(node, tree.ID) else None
    declared = found.declaration if isinstance(found, Binding) else None
    init = declared.init if isinstance(declared, tree.Decl) else None
    return [_pointed(low, item) for item in (init.exprs if isinstance(init, tree.InitList) else [])]


def _unknown_arguments(callee: Value, node: tree.Node) -> list[tuple[Value, tree.Node]]:
    """Values for a kernel whose array of arguments is not followed."""
    held = static_value(callee)
    callee = held if held is not None else callee
    candidates = callee.overloads if isinstance(callee, FunctionRef) else ()
    kernel = next((e for e in candidates if kernels.is_kernel(e)), None)
    count = 0 if kernel is None else len(parameter_list(kernel.node))
    return [(unknown("unsupported"), node)] * count


def _pointed(low: Lowerer, node: tree.Node) -> tuple[Value, tree.Node]:
    """What an expression points to."""
    node = _without_casts(node)
    if isinstance(node, tree.UnaryOp) and node.op == "&":
        return expression(low, node.expr), node.expr
    held = rvalue(low, expression(low, node), node)
    return held.place if isinstance(held, PlacePointer) else unknown("unsupported"), node


def _without_casts(node: tree.Node) -> tree.Node:
    while isinstance(node, (tree.Cast, tree.NamedCast)):
        node = node.expr
    return node


def _configuration(
    low: Lowerer, given: tuple[Value, tree.Node]
) -> tuple[list[tuple[Value, tree.Node]], _Sizes | None]:
    """The grid, block and shared bytes of a cudaLaunchConfig_t, and the cluster of its
    attributes."""
    value, node = given
    held = rvalue(low, value, node)
    place = held.place if isinstance(held, PlacePointer) else value
    found = {
        name: unknown("unknown-launch")
        if (field := find_field(place.type, name)) is None
        else member(low, place, field, node)
        for name in ("gridDim", "blockDim", "dynamicSmemBytes", "attrs", "numAttrs")
    }
    sizes = [(found[name], node) for name in ("gridDim", "blockDim", "dynamicSmemBytes")]
    return sizes, _cluster(low, found["attrs"], found["numAttrs"], node)


def _cluster(low: Lowerer, attributes: Value, count: Value, node: tree.Node) -> _Sizes | None:
    """The blocks of a cluster as the first of some attributes gives them, 0 where none does."""
    if low.constant or complete(attributes.type) != Pointer(LAUNCH_ATTRIBUTE):
        return None
    first, many = scalar(low, attributes, node), scalar(low, count, node)
    zero: ir.Expression = integer(0, UINT)
    x, y, z = zero, zero, zero
    for i in reversed(range(MOST_ATTRIBUTES)):
        at = binary("+", first, integer(i * (LAUNCH_ATTRIBUTE.byte_size or 0), LONG))
        one = dereference(low, Scalar(retype(at, Pointer(LAUNCH_ATTRIBUTE))), node)
        kind = scalar(low, _member(low, one, "id", node), node)
        dims = _member(low, _member(low, one, "val", node), "clusterDim", node)
        sizes = [scalar(low, _member(low, dims, axis, node), node) for axis in "xyz"]
        is_there = ir.Binary(BOOL, "<", integer(i, UINT), convert(many, UINT))
        is_cluster = ir.Binary(BOOL, "==", kind, integer(CLUSTER_DIMENSION))
        both = ir.Binary(BOOL, "&&", is_there, is_cluster)
        x, y, z = (
            ir.Select(UINT, both, size, rest) for size, rest in zip(sizes, (x, y, z), strict=True)
        )
    return x, y, z


def _member(low: Lowerer, place: Value, name: str, node: tree.Node) -> Value:
    field = find_field(place.type, name)
    assert field is not None
    return member(low, place, field, node)
