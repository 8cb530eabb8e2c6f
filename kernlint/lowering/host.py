"""Host code that launches kernels: which functions to run.

In: the Program. Out: `ir.HostFunction`s with HostLaunch statements. Never raises: what cannot be
lowered becomes a problem.
"""

from __future__ import annotations

from kernlint.base.dataclass import dataclass, replace
from kernlint.base.deadline import OutOfTime, share
from kernlint.base.span import Problem, SourceError
from kernlint.ir import nodes as ir
from kernlint.ir.types import Array, Pointer
from kernlint.lowering import host_objects, kernels
from kernlint.lowering.context import (
    Frame,
    Learnt,
    Lowerer,
    ProgramContext,
    deep_recursion,
    statement,
)
from kernlint.lowering.declare import (
    default_argument,
    parameter_list,
    parameter_name,
    parameter_type,
)
from kernlint.lowering.expressions.places import fresh, void_value
from kernlint.lowering.expressions.values import Qualified, SplitPlace, Value, VariablePlace
from kernlint.lowering.host_variables import methods
from kernlint.lowering.scopes import Binding, ClassInfo, FunctionEntity, GlobalVariable, Scope
from kernlint.lowering.templates import assumed_types, template_arguments
from kernlint.lowering.types import typenames
from kernlint.lowering.types.layout import complete, leaves
from kernlint.lowering.usage import walk
from kernlint.model.reasons import UNSEEN, gave_up
from kernlint.source.parser import tree
from kernlint.source.parser.parser import mentions_launch

_LAUNCH_CALLS = frozenset(
    {
        "cudaLaunchKernel",
        "hipLaunchKernelGGL",
        "hipLaunchKernel",
        "cudaLaunchKernelEx",
        "cudaLaunchCooperativeKernel",
        "cudaLaunchKernelExC",
        "hipLaunchKernelExC",
    }
)
_DEVICE_WORDS = frozenset({"__global__", "__kernel"})
MAX_ROOTS = 64
MAX_INSTANCES = 16  # of one root function
ROOT_SHARE = 0.2  # of what the limit is worth in steps of work, for each root


# ------------------------------------------------------------------ which functions


@dataclass(slots=True, eq=False)
class _HostBody:
    """A host function with the names its body mentions."""

    entity: FunctionEntity
    names: frozenset[str]
    launches: bool


def functions(program: ProgramContext) -> list[ir.HostFunction]:
    """The functions to run: main, or those that reach a launch and are called by no other such
    function."""
    bodies = _bodies(program)
    tables = _tables(program)
    reaching = {b.entity.name for b in bodies if b.launches}
    while True:
        more = {b.entity.name for b in bodies if b.names & reaching} | reaching
        more |= {name for name, words in tables.items() if words & more}
        if more == reaching:
            break
        reaching = more
    program.launching = frozenset(reaching)
    leading = [b for b in bodies if b.launches or b.names & reaching]
    candidates = [b for b in leading if b.entity.name in reaching]
    roots = [b for b in candidates if b.entity.name == "main"]
    if not roots:
        called = {name for b in candidates for name in b.names - {b.entity.name}}
        roots = _instantiated(
            program,
            [b for b in candidates if b.entity.name not in called] or candidates,
            candidates,
        )
        roots = _made_here(program, roots)
    found = _lowered(program, roots)
    if any(root.entity.name == "main" for root in roots):
        rest = [b for b in candidates if b not in roots and _is_missed(program, b)]
        found += [replace(one, is_reached=False) for one in _lowered(program, rest)]
    return found


def _is_missed(program: ProgramContext, body: _HostBody) -> bool:
    """Whether a function launches and no call that is followed leads to its launches."""
    nodes = [node for node in walk(body.entity.body()) if isinstance(node, tree.KernelLaunch)]
    return bool(nodes) and not any(id(node) in program.lowered_launches for node in nodes)


def _lowered(program: ProgramContext, roots: list[_HostBody]) -> list[ir.HostFunction]:
    """The functions with each list of template arguments that they are run with."""
    found: list[ir.HostFunction] = []
    for root in roots[:MAX_ROOTS]:
        try:
            with share(ROOT_SHARE):
                for arguments in _argument_sets(program, root.entity):
                    found.append(
                        _lower(program, root.entity, arguments)
                    )  # the time may end at a later one
        except SourceError as error:
            program.problems.append(
                gave_up("host-function", error.span, function=root.entity.name, why=error.message)
            )
        except OutOfTime:
            program.problems.append(
                gave_up(
                    "time",
                    root.entity.node.coord,
                    what=f"`{root.entity.name}`: looking for its launches",
                )
            )
        except RecursionError:
            program.problems.append(
                gave_up("nesting", root.entity.node.coord, what=f"`{root.entity.name}`")
            )
    return found


def _made_here(program: ProgramContext, roots: list[_HostBody]) -> list[_HostBody]:
    """The roots without the templates of headers whose instances another file makes (`extern
    template`), where this file has functions of its own that launch."""
    own = [root for root in roots if root.entity.node.coord.path == program.unit.path]
    return [
        root
        for root in roots
        if not own or root in own or not kernels.is_made_elsewhere(program, root.entity)
    ]


def _instantiated(
    program: ProgramContext, roots: list[_HostBody], candidates: list[_HostBody]
) -> list[_HostBody]:
    """The roots; in the place of a template that nobody instantiates, the explicitly instantiated
    ones that it would call: this file makes those and not that ([temp.inst] of the standard)."""
    explicit = [
        b
        for b in candidates
        if b.entity.parameters and kernels.explicit_arguments(program, b.entity)
    ]
    if not explicit:
        return roots
    kept = [
        root
        for root in roots
        if root in explicit
        or not (root.entity.parameters and _reached(root, candidates) & set(explicit))
    ]
    return list(
        dict.fromkeys(
            [
                *kept,
                *(
                    b
                    for root in roots
                    if root not in kept
                    for b in explicit
                    if b in _reached(root, candidates)
                ),
            ]
        )
    )


def _reached(root: _HostBody, candidates: list[_HostBody]) -> set[_HostBody]:
    """What calls lead to, the root itself not counted."""
    found: set[_HostBody] = set()
    pending = [root]
    while pending:
        names = pending.pop().names
        known = {root, *found}
        more = [b for b in candidates if b.entity.name in names and b not in known]
        found.update(more)
        pending += more
    return found


def _bodies(program: ProgramContext) -> list[_HostBody]:
    """The functions that launch, or whose words name one that does: no other body is read."""
    if not _mentions_launch(program):
        return []
    host = [entity for entity in program.functions + methods(program) if _is_host(entity)]
    words = {entity: body.words() for entity in host if (body := entity.node.lazy_body) is not None}
    found: dict[FunctionEntity, _HostBody | None] = {
        entity: _body(program, entity) for entity in host if mentions_launch(words[entity])
    }
    tables = _tables(program)
    while True:
        reached = {body.entity.name for body in found.values() if body is not None}
        reached |= {name for name, names in tables.items() if names & reached}
        more = [entity for entity in host if entity not in found and words[entity] & reached]
        if not more:
            break
        found |= {entity: _body(program, entity) for entity in more}
    return [known for entity in host if (known := found.get(entity)) is not None]


def _tables(program: ProgramContext) -> dict[str, frozenset[str]]:
    """The names that the initialisers of variables outside functions mention, by variable."""
    return {
        name: _mentioned(entity.node.init)[0]
        for name, entity in program.scope.names.items()
        if isinstance(entity, GlobalVariable) and entity.node.init is not None
    }


def _is_host(entity: FunctionEntity) -> bool:
    specifiers = set(entity.node.specifiers)
    device = specifiers & _DEVICE_WORDS or (
        "__device__" in specifiers and "__host__" not in specifiers
    )
    return entity.node.lazy_body is not None and not device


def _body(program: ProgramContext, entity: FunctionEntity) -> _HostBody | None:
    """None where it cannot be read."""
    try:
        body = entity.body()
    except SourceError as error:
        written = entity.node.lazy_body
        mentions = written is not None and written.mentions_launch()
        if mentions and error.span.path == program.unit.path:
            program.problems.append(Problem(error.code, error.span, f"{error.message}: {UNSEEN}"))
        return None
    names, launches = _mentioned(body)
    return _HostBody(entity, names - _own_names(entity, body), launches)


def _own_names(entity: FunctionEntity, body: tree.Node) -> frozenset[str]:
    """What parameters and local variables are called, which is no function meant."""
    given = map(parameter_name, parameter_list(entity.node))
    made = (node.name for node in walk(body) if isinstance(node, tree.Decl))
    return frozenset(name for name in (*given, *made) if name)


def _mentions_launch(program: ProgramContext) -> bool:
    """A cheap look at the words first, headers' among them: most files launch nothing."""
    stream = program.unit.stream
    return stream is None or mentions_launch(set(stream.texts))


def _mentioned(body: tree.Node) -> tuple[frozenset[str], bool]:
    """Names in a body, types included (constructors run), and whether it launches something
    itself."""
    names: set[str] = set()
    launches = False
    for node in walk(body):
        if isinstance(node, (tree.ID, tree.TemplateId)):
            names.add(node.name)
        elif isinstance(node, tree.IdentifierType):
            names.update(node.names)
        elif isinstance(node, tree.KernelLaunch):
            launches = True
    return frozenset(names), launches or bool(names & _LAUNCH_CALLS)


def _argument_sets(
    program: ProgramContext, entity: FunctionEntity
) -> list[tuple[template_arguments.Argument, ...]]:
    """Template arguments to run a root function with: those of its explicit instantiations, else
    stand-ins; empty ones for no template."""
    if not entity.parameters:
        return [()]
    explicit = kernels.explicit_arguments(program, entity)[:MAX_INSTANCES]
    return explicit or [
        tuple(assumed_types.stand_in(program, p, entity.scope) for p in entity.parameters)
    ]


def _lower(
    program: ProgramContext,
    entity: FunctionEntity,
    arguments: tuple[template_arguments.Argument, ...],
) -> ir.HostFunction:
    """One root function, its parameters unknown; types that nobody gives are those that `assumed`
    says."""
    body = entity.body()
    taken = {
        p.name: type_
        for p, a in zip(entity.parameters or (), arguments, strict=False)
        if assumed_types.stands_in(a)
        and (type_ := assumed_types.type_of(program, entity.node, p)) is not None
    }
    arguments = tuple(
        Qualified(taken[p.name]) if p.name in taken else a
        for p, a in zip(entity.parameters or (), arguments, strict=True)
    )
    scope = (
        template_arguments.bind(entity.parameters, arguments, entity.scope)
        if entity.parameters
        else entity.scope
    )
    info = host_objects.class_around(program, entity)
    scope = scope if info is None else info.scope
    found: list[ir.Parameter] = []

    def make(learnt: Learnt) -> Lowerer:
        low = Lowerer(program, Scope(scope), host=True)
        low.learnt = learnt
        low.assumed = tuple(assumed_types.note(name, type_) for name, type_ in taken.items())
        frame = Frame(
            entity,
            ir.Label("return"),
            typenames.resolve(program, entity.node.type.type, scope),
            0,
            key=("host", id(entity.node)),
        )
        low.frames.append(frame)
        found.clear()
        if info is not None:
            found.extend(_own_object(low, info))
        for parameter in parameter_list(entity.node):
            found.extend(_unknown_parameter(low, parameter, scope))
        statement(low, body)
        return low

    with deep_recursion():
        try:
            low = program.run_again(make)
        except SourceError:
            if info is None:
                raise
            info = None  # its object cannot be made: nothing of it is known
            low = program.run_again(make)
    program.problems += [p for p in low.problems if p not in program.problems]
    return ir.HostFunction(
        entity.name,
        (*low.global_inits, *low.out),
        low.frames[0].label,
        entity.node.coord,
        tuple(found),
    )


def _own_object(low: Lowerer, info: ClassInfo) -> list[ir.Parameter]:
    """Makes the object that a method is run on."""
    entity = low.frames[0].entity
    place = host_objects.made(low, entity, info) if entity is not None else None
    if place is None:
        return []
    low.frames[0].this = place
    found, values = list[ir.Parameter](), list[Value]()
    constructor = host_objects.only_constructor(info)
    parameters = [] if constructor is None else list(parameter_list(constructor.node))
    with low.scoped(Scope(info.scope)):
        for parameter in parameters:
            found.extend(_unknown_parameter(low, parameter, info.scope))
            held = low.scope.names.get(parameter_name(parameter))
            values.append(held.value if isinstance(held, Binding) else void_value())
        host_objects.run_constructor(low, info, place, values, list(parameters))
    return found


def _unknown_parameter(low: Lowerer, parameter: tree.Parameter, scope: Scope) -> list[ir.Parameter]:
    """A parameter of a root function: its scalar leaves are the host function's parameters."""
    name = parameter_name(parameter)
    if not name:
        return []
    declared = typenames.resolve(low.program, parameter_type(parameter), scope)
    type_ = complete(declared.type)
    if isinstance(type_, Array):
        type_ = Pointer(type_.element)
    place = fresh(low, type_, name, id(parameter), parameter)
    low.scope.names[name] = Binding(place, low.span(parameter), parameter)
    if isinstance(place, VariablePlace):
        return [ir.Parameter(name, place.variable, default=_default(low, parameter, scope))]
    if isinstance(place, SplitPlace):
        return [ir.Parameter(f"{name}{suffix}", place.leaves[o]) for o, _, suffix in leaves(type_)]
    return []


def _default(low: Lowerer, parameter: tree.Parameter, scope: Scope) -> int | None:
    """The integer that a parameter has by default."""
    written = default_argument(parameter)
    found = None if written is None else low.program.constant(written, scope)
    return found.value if found is not None and isinstance(found.value, int) else None
