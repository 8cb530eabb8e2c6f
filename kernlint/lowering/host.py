"""Host code that launches kernels: which functions to run, launches of every spelling, the runtime's calls that matter.

In: the Program. Out: `ir.HostFunction`s with HostLaunch statements. Never raises: what cannot be lowered becomes a problem.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pycparser import c_ast

from kernlint.lowering import ir, kernels, overloads, templates, typenames
from kernlint.lowering.context import EXPRESSIONS, Frame, Lowerer, deep_recursion, expression, statement
from kernlint.lowering.declare import function_name, parameter_list
from kernlint.lowering.fold import convert, integer
from kernlint.lowering.layout import DIM3, complete, find_field, has_union_or_array, leaves
from kernlint.lowering.places import fresh, member, rvalue, scalar, static_value, unknown, void_value
from kernlint.lowering.scopes import Binding, FunctionEntity, PackEntity, Scope, TypeEntity
from kernlint.lowering.stores import assign, coerce
from kernlint.lowering.syntax import Node
from kernlint.lowering.types import UINT, ULONG, Array, Pointer, Record, Void
from kernlint.lowering.usage import walk
from kernlint.lowering.values import (
    Aggregate,
    Closure,
    ConstantPlace,
    FunctionRef,
    FunctionType,
    PlacePointer,
    Qualified,
    Scalar,
    SplitPlace,
    StaticPlace,
    Value,
    VariablePlace,
)  # fmt: skip
from kernlint.records import dataclass
from kernlint.source import tree
from kernlint.source.span import Problem, SourceError

if TYPE_CHECKING:
    from kernlint.lowering.program import KernelTemplate, Program

_LAUNCH_CALLS = frozenset(
    {
        "cudaLaunchKernel",
        "hipLaunchKernelGGL",
        "hipLaunchKernel",
        "cudaLaunchKernelEx",
        "cudaLaunchCooperativeKernel",
        "cudaLaunchKernelExC",
    }
)
_DEVICE_WORDS = frozenset({"__global__", "__kernel"})
MAX_ROOTS = 64


@dataclass(frozen=True, slots=True)
class LaunchedKernel:
    """The instantiation a launch reaches; `Program.instantiate(template, template_arguments)` lowers it."""

    template: KernelTemplate
    template_arguments: tuple[str, ...]

    def __str__(self) -> str:
        given = f"<{', '.join(self.template_arguments)}>" if self.template_arguments else ""
        return f"{self.template.qualified_name}{given}"


# ------------------------------------------------------------------ which functions


@dataclass(slots=True, eq=False)
class _HostBody:
    """A host function with the names its body mentions."""

    entity: FunctionEntity
    names: frozenset[str]
    launches: bool


def functions(program: Program) -> list[ir.HostFunction]:
    """The functions to run: main, or those that reach a launch and are called by no other such function."""
    bodies = _bodies(program)
    reaching = {b.entity.name for b in bodies if b.launches}
    while True:
        more = {b.entity.name for b in bodies if b.names & reaching} | reaching
        if more == reaching:
            break
        reaching = more
    candidates = [b for b in bodies if b.entity.name in reaching and (b.launches or b.names & reaching)]
    roots = [b for b in candidates if b.entity.name == "main"]
    if not roots:
        called = {name for b in candidates for name in b.names - {b.entity.name}}
        roots = [b for b in candidates if b.entity.name not in called] or candidates
    found: list[ir.HostFunction] = []
    for root in roots[:MAX_ROOTS]:
        try:
            found.append(_lower(program, root.entity))
        except SourceError as error:
            program.problems.append(Problem("KL003", error.span, f"{root.entity.name}: {error.message}"))
        except RecursionError:
            program.problems.append(Problem("KL003", root.entity.node.coord, f"{root.entity.name} is nested too deeply to analyse"))
    return found


def _bodies(program: Program) -> list[_HostBody]:
    found: list[_HostBody] = []
    if not _mentions_launch(program):
        return found
    for entity in program.functions + _methods(program):
        specifiers = set(entity.node.specifiers or [])
        if entity.node.lazy_body is None or specifiers & _DEVICE_WORDS or ("__device__" in specifiers and "__host__" not in specifiers):
            continue
        try:
            body = entity.node.lazy_body.parse()
        except SourceError:
            continue  # the parser's own problems name it where it matters
        names, launches = _mentioned(body)
        found.append(_HostBody(entity, names, launches))
    return found


def _mentions_launch(program: Program) -> bool:
    """A cheap look at the text first: most headers launch nothing."""
    lines = program.texts.get(program.unit.path)
    if lines is None:
        from kernlint.source.text import read

        held, _ = read(program.unit.path)
        lines = held.text.split("\n") if held is not None else ["<<<"]
    return any("<<<" in line or "aunchKernel" in line for line in lines)


def _methods(program: Program) -> list[FunctionEntity]:
    """Methods and constructors of classes as written (templates too), for the call graph only."""
    found: list[FunctionEntity] = []
    stack: list[Node] = list(program.unit.declarations)
    while stack:
        node = stack.pop()
        if isinstance(node, tree.TemplateDecl):
            stack.append(node.decl)
        elif isinstance(node, (tree.Namespace, tree.ExternBlock, tree.DeclGroup)):
            stack += node.decls or []
        elif isinstance(node, tree.ClassDef):
            for one in node.members or []:
                inner = one.decl if isinstance(one, tree.TemplateDecl) else one
                if isinstance(inner, tree.Function):
                    found.append(FunctionEntity(_method_name(inner, node), inner, program.scope, (), None, [], ("method",)))
                elif isinstance(inner, tree.ClassDef):
                    stack.append(inner)
    return found


def _method_name(node: Node, owner: Node) -> str:
    name = function_name(node.name)
    return name if name else str(owner.name)


def _mentioned(body: Node) -> tuple[frozenset[str], bool]:
    """Names in a body, types included (constructors run), and whether it launches something itself."""
    names: set[str] = set()
    launches = False
    for node in walk(body):
        if isinstance(node, (c_ast.ID, tree.TemplateId)):
            names.add(node.name)
        elif isinstance(node, c_ast.IdentifierType):
            names.update(node.names)
        elif isinstance(node, tree.KernelLaunch):
            launches = True
    return frozenset(names), launches or bool(names & _LAUNCH_CALLS)


def _lower(program: Program, entity: FunctionEntity) -> ir.HostFunction:
    """One root function, its parameters unknown."""
    body = entity.node.lazy_body.parse()
    scope = entity.scope
    if entity.parameters:
        arguments = [kernels.stand_in(program, p, entity.scope) for p in entity.parameters]
        scope = templates.bind(entity.parameters, arguments, entity.scope)

    found: list[ir.Parameter] = []

    def make(in_memory: set[int], not_static: set[int]) -> Lowerer:
        low = Lowerer(program, Scope(scope), host=True)
        low.in_memory, low.not_static = in_memory, not_static
        frame = Frame(
            entity, ir.Label("return"), typenames.resolve(program, entity.node.type.type, scope), 0, key=("host", id(entity.node))
        )
        low.frames.append(frame)
        found.clear()
        for parameter in parameter_list(entity.node):
            found.extend(_unknown_parameter(low, parameter, scope))
        statement(low, body)
        return low

    with deep_recursion():
        low = program.run_again(make)
    program.problems += [p for p in low.problems if p not in program.problems]
    return ir.HostFunction(entity.name, (*low.global_inits, *low.out), low.frames[0].label, tuple(found))


def _unknown_parameter(low: Lowerer, parameter: Node, scope: Scope) -> list[ir.Parameter]:
    """A parameter of a root function: its scalar leaves are the host function's parameters."""
    name = getattr(parameter, "name", None)
    if not name:
        return []
    declared = typenames.resolve(low.program, parameter.type, scope)
    type_ = complete(declared.type)
    if isinstance(type_, Array):
        type_ = Pointer(type_.element)
    place = fresh(low, type_, name, id(parameter), parameter)
    low.scope.names[name] = Binding(place, low.span(parameter), parameter)
    if isinstance(place, VariablePlace):
        return [ir.Parameter(name, place.variable)]
    if isinstance(place, SplitPlace):
        return [ir.Parameter(f"{name}{suffix}", place.leaves[o]) for o, _, suffix in leaves(type_)]
    return []


# ------------------------------------------------------------------ launches


def launch(low: Lowerer, node: Node) -> Value:
    """`kernel<<<grid, block, shared, stream>>>(args)`."""
    config = [(expression(low, c), c) for c in node.config or []]
    callee = expression(low, node.callee)
    values = [(expression(low, a), a) for a in _exprs(node.args)]
    _launch(low, callee, config[:3], values, node)
    return void_value()


def _exprs(arguments: Any) -> list[Node]:
    if arguments is None:
        return []
    found: list[Node] = list(getattr(arguments, "exprs", arguments) or [])
    return found


def _launch(low: Lowerer, callee: Value, config: list[tuple[Value, Node]], values: list[tuple[Value, Node]], node: Node) -> None:
    held = static_value(callee)
    callee = held if held is not None else callee
    if not low.host or low.constant:
        low.emit(ir.Clobber("kernel launch", None, low.span(node)))
        return
    resolved = _resolve(low, callee, values) if isinstance(callee, FunctionRef) else None
    if resolved is None:
        name = low.text(getattr(node, "callee", node)).partition("<<<")[0].strip()
        low.unsupported(node, f"launches `{name}`, whose definition was not found", name, note=True)
        return
    handle, entity, scope = resolved
    grid, block = (_dimensions(low, config[i] if i < len(config) else None, node) for i in (0, 1))
    shared = scalar(low, coerce(low, config[2][0], ULONG, config[2][1]), config[2][1]) if len(config) > 2 else integer(0, ULONG)
    arguments: list[tuple[str, ir.Expression]] = []
    for parameter, (value, source) in zip(parameter_list(entity.node), values, strict=False):
        arguments += _argument(low, parameter, value, source, scope)
    low.emit(ir.HostLaunch(handle, grid, block, shared, tuple(arguments), low.span(node)))


def _resolve(low: Lowerer, callee: FunctionRef, values: list[tuple[Value, Node]]) -> tuple[LaunchedKernel, FunctionEntity, Scope] | None:
    """The kernel definition and its template arguments, explicit and deduced."""
    candidates = tuple(e for e in callee.overloads if kernels.is_kernel(e))
    chosen = overloads.choose(low, candidates, [v for v, _ in values], callee.arguments, callee.arguments_scope)
    if chosen is None and len(candidates) == 1:
        bound = overloads.bind_template(low, candidates[0], [], [], callee.arguments, callee.arguments_scope)
        chosen = bound
    if chosen is None:
        return None
    entity, scope = chosen
    by_node = {id(k.entity.node): k for k in low.program.kernels()}
    template = by_node.get(id(entity.node))
    owner = entity
    if template is None:  # an explicit specialisation stands for its template
        owner = next((e for e in candidates if e.name == entity.name and e.parameters is not None), entity)
        template = by_node.get(id(entity.node)) or by_node.get(id(owner.node))
    if template is None:
        return None
    arguments = tuple(_bound(scope, p.name) for p in template.entity.parameters or ())
    texts = kernels.register(low.program, template.entity, arguments) if arguments else ()
    return LaunchedKernel(template, texts), entity, scope


def _bound(scope: Scope, name: str) -> templates.Argument:
    """The template argument a parameter's name stands for in an instance's scope."""
    found = scope.find(name)
    if isinstance(found, PackEntity):
        return tuple(_of_entity(item) for item in found.items)
    return _of_entity(found)


def _of_entity(found: object) -> templates.Argument:
    if isinstance(found, TypeEntity) and found.resolved is not None:
        return found.resolved
    if isinstance(found, Binding):
        value = found.value
        if isinstance(value, ConstantPlace):
            return templates.TemplateValue(value.type, value.value.value)
        if isinstance(value, StaticPlace) and isinstance(value.value, FunctionRef):
            return templates.TemplateFunction(value.value.overloads, value.value.name)
        return templates.TemplateValue(value.type, None)
    return found if found is not None else Qualified(FunctionType("?"))


def _dimensions(low: Lowerer, given: tuple[Value, Node] | None, node: Node) -> tuple[ir.Expression, ir.Expression, ir.Expression]:
    if given is None:
        one = integer(1, UINT)
        return one, one, one
    value, source = given
    found = coerce(low, value, DIM3, source)
    if isinstance(found, Aggregate):
        x, y, z = (convert(found.leaves[o], UINT) if o in found.leaves else ir.Unknown(UINT, "unsupported") for o in (0, 4, 8))
        return x, y, z
    x = ir.Unknown(UINT, "unknown-launch")
    return x, x, x


def _argument(low: Lowerer, parameter: Node, value: Value, source: Node, scope: Scope) -> list[tuple[str, ir.Expression]]:
    """The scalar leaves of one kernel argument, named like the kernel's parameters."""
    name = getattr(parameter, "name", None) or ""
    type_ = complete(typenames.resolve(low.program, parameter.type, scope).type)
    if isinstance(type_, Array):
        type_ = Pointer(type_.element)
    held = static_value(value)
    if isinstance(held, Closure):
        captured = [(c, b.value) for c, b in held.scope.names.items() if isinstance(b, Binding)]
        return [(f"{name}.{c}{suffix}", ir.Read(v.type, v)) for c, place in captured for suffix, v in kernels.place_leaves(place)]
    if isinstance(type_, FunctionType) or not name:
        return []
    found = coerce(low, value, type_, source)
    if isinstance(found, PlacePointer):
        return [(name, ir.Unknown(type_, "unknown-pointer"))]
    if isinstance(found, Scalar):
        return [(name, found.expression)]
    if isinstance(found, Aggregate) and isinstance(type_, Record) and not has_union_or_array(type_):
        return [(f"{name}{suffix}", found.leaves[o]) for o, _, suffix in leaves(type_) if o in found.leaves]
    return []


EXPRESSIONS[tree.KernelLaunch] = launch


# ------------------------------------------------------------------ runtime calls


def runtime_call(low: Lowerer, name: str, callee: FunctionRef, values: list[Value], nodes: list[Node], node: Node) -> Value | None:
    """Calls of the CUDA and HIP runtimes that launch, allocate or report; None for others."""
    pairs = list(zip(values, nodes, strict=False))
    if name == "hipLaunchKernelGGL" and len(pairs) >= 5:
        _launch(low, pairs[0][0], pairs[1:4], pairs[5:], node)
        return void_value()
    if name in ("cudaLaunchKernel", "hipLaunchKernel", "cudaLaunchCooperativeKernel") and len(pairs) >= 4:
        shared = pairs[4:5]
        _launch(low, pairs[0][0], [*pairs[1:3], *shared], _argument_array(low, pairs[3]), node)
        return Scalar(integer(0))
    if name in ("cudaLaunchKernelEx", "cudaLaunchKernelExC") and len(pairs) >= 2:
        _launch(low, pairs[1][0], _configuration(low, pairs[0]), pairs[2:], node)
        return Scalar(integer(0))
    if name == "cudaMallocPitch" and len(pairs) >= 2:
        from kernlint.lowering.library_calls import allocate

        allocate(low, values[:1], nodes[:1], node)
        held = rvalue(low, values[1], nodes[1])
        if isinstance(held, PlacePointer):
            assign(low, held.place, unknown("unknown-argument", ULONG, (), True, "pitch"), nodes[1], nodes[1])
        return Scalar(integer(0))
    if name in ("cudaGetErrorString", "cudaGetErrorName", "hipGetErrorString"):
        return unknown("unknown-pointer", Pointer(Void()), (), True, name)
    return None


def _argument_array(low: Lowerer, given: tuple[Value, Node]) -> list[tuple[Value, Node]]:
    """`void *args[] = {&a, &b};` as the values a and b."""
    node = given[1]
    found = low.scope.find(node.name) if isinstance(node, c_ast.ID) else None
    init = found.declaration.init if isinstance(found, Binding) and found.declaration is not None else None
    values: list[tuple[Value, Node]] = []
    for item in getattr(init, "exprs", None) or []:
        while isinstance(item, (c_ast.Cast, tree.NamedCast)):
            item = item.expr
        if isinstance(item, c_ast.UnaryOp) and item.op == "&":
            values.append((expression(low, item.expr), item.expr))
        else:
            values.append((unknown("unsupported"), item))
    return values


def _configuration(low: Lowerer, given: tuple[Value, Node]) -> list[tuple[Value, Node]]:
    """The grid, block and shared bytes of a cudaLaunchConfig_t."""
    value, node = given
    held = rvalue(low, value, node)
    place = held.place if isinstance(held, PlacePointer) else value
    found: list[tuple[Value, Node]] = []
    for name in ("gridDim", "blockDim", "dynamicSmemBytes"):
        field = find_field(place.type, name)
        found.append((member(low, place, field, node) if field is not None else unknown("unknown-launch"), node))
    return found
