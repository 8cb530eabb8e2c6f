"""Kernels: finding them, binding their template arguments, making their parameters and lowering
their bodies.

In: the Program. Out: KernelTemplates and `ir.Kernel`s. Raises SourceError for a kernel that cannot
be lowered at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kernlint.base.dataclass import replace
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import expressions, walk, walk_expression
from kernlint.ir.types import Array, OpaqueType, Pointer, Record, Type
from kernlint.lowering import kernel_tables
from kernlint.lowering.context import (
    NOWHERE,
    Frame,
    Learnt,
    Lowerer,
    ProgramContext,
    deep_recursion,
    statement,
)
from kernlint.lowering.declare import (
    parameter_list,
    parameter_name,
    parameter_type,
    parameter_types,
)
from kernlint.lowering.declared_names import function_name, last_part
from kernlint.lowering.expressions.places import fresh
from kernlint.lowering.expressions.stores import store
from kernlint.lowering.expressions.values import (
    Closure,
    ConstantPlace,
    FunctionRef,
    FunctionType,
    MemoryPlace,
    Qualified,
    Scalar,
    SplitPlace,
    StaticPlace,
    Value,
    VariablePlace,
)
from kernlint.lowering.kernel_template import Attributes, KernelTemplate
from kernlint.lowering.scopes import (
    Binding,
    FunctionEntity,
    IncompleteRecord,
    PackEntity,
    Scope,
)
from kernlint.lowering.templates import (
    assumed_types,
    deduction,
    requested_instances,
    template_arguments,
)
from kernlint.lowering.templates.enabling import exists
from kernlint.lowering.templates.overloads import is_pack
from kernlint.lowering.templates.specialisations import arguments_of, specialisation
from kernlint.lowering.templates.template_arguments import pack_scopes
from kernlint.lowering.types import typenames
from kernlint.lowering.types.layout import complete, has_union_or_array, leaves
from kernlint.lowering.usage import copy_lines
from kernlint.model.reasons import gave_up, refused
from kernlint.source.parser import tree
from kernlint.source.parser.islands import ENTRY_WORDS
from kernlint.source.parser.names import ASSUMED_KERNEL, KERNEL_MACRO, SPECIFIERS

MOST_LEAVES = 128  # of a parameter with arrays
_TERM = re.compile(r"\s*(\d+[uUlL]*|[A-Za-z_]\w*)\s*")


def is_kernel(entity: FunctionEntity) -> bool:
    return bool(ENTRY_WORDS & set(entity.node.specifiers))


def find(program: ProgramContext) -> list[KernelTemplate]:
    """Every kernel definition, in source order, each once."""
    found: list[KernelTemplate] = []
    held = kernel_tables.named(program.scope)
    for entity in program.functions:
        if not is_kernel(entity) or entity.node.lazy_body is None:
            continue
        made = KernelTemplate(
            entity.name,
            entity.scope.qualifier() + entity.name,
            entity.node.coord,
            entity.parameters is not None,
            entity,
            attributes(program, entity, entity.scope),
        )
        macro = _assumed_by(entity.node.specifiers)
        if macro:
            made.problems.append(
                gave_up("kernel-macro", made.span, made.qualified_name, macro, name=macro)
            )
        made.explicit_instantiations = _explicit(program, entity, held.get(entity.name, ()))
        found.append(made)
    return found


def _assumed_by(specifiers: list[str]) -> str:
    """The macro that is taken to declare a kernel; "" where none is."""
    if ASSUMED_KERNEL not in specifiers:
        return ""
    macros = [word for word in specifiers if word not in SPECIFIERS and word != ASSUMED_KERNEL]
    return next(filter(KERNEL_MACRO.search, macros), macros[0] if macros else "")


def attributes(program: ProgramContext, entity: FunctionEntity, scope: Scope) -> Attributes:
    """What attributes of the kernel say, where the names in them mean what they do in `scope`. Those
    that name parameters of the template say nothing but of an instance."""
    parameters = (entity.parameters or ()) if scope is entity.scope else ()
    open_names = {parameter.name for parameter in parameters}
    bounds: tuple[int, ...] = ()
    required: tuple[int, int, int] | None = None
    cluster: tuple[int, int, int] | None = None
    for name, arguments in entity.node.attributes:
        is_open = any(open_names & template_arguments.names_in(a) for a in arguments)
        values = [None if is_open else program.constant(a, scope) for a in arguments]
        known = tuple(int(v.value) for v in values if v is not None)
        if name.strip("_") == "launch_bounds" and len(known) == len(values):
            bounds = known
        elif name.strip("_") == "reqd_work_group_size" and len(known) == 3:
            required = (known[0], known[1], known[2])
        elif (
            name.strip("_") == "cluster_dims"
            and 0 < len(known) == len(values) <= 3
            and all(n > 0 for n in known)
        ):
            x, y, z = (*known, 1, 1)[:3]
            cluster = (x, y, z)
    return Attributes(bounds, required, cluster)


def _explicit(
    program: ProgramContext, entity: FunctionEntity, held: Sequence[kernel_tables.Named]
) -> list[tuple[str, ...]]:
    """Canonical texts of the arguments of a kernel's explicit instantiations in the file, else of
    those that tables hold."""
    stated = explicit_arguments(program, entity) or _held(program, entity, held)
    return [register(program, entity, arguments) for arguments in stated]


def _held(
    program: ProgramContext, entity: FunctionEntity, held: Sequence[kernel_tables.Named]
) -> list[tuple[template_arguments.Argument, ...]]:
    if entity.parameters is None:
        return []
    given = (
        template_arguments.complete(
            program, entity.parameters, tuple(item.args), scope, {}, entity.scope
        )
        for item, scope in held
    )
    return list(dict.fromkeys(one for one in given if one is not None))


def explicit_arguments(
    program: ProgramContext, entity: FunctionEntity
) -> list[tuple[template_arguments.Argument, ...]]:
    """Template arguments of `template void f<float>(…);` in the file, for a kernel or a host
    function. Where there are none, those that `extern template void f<float>(…);` says another file
    has: they exist, and are known only there ([temp.explicit] of the standard)."""
    known = program.declarations
    return _stated(program, entity, known.explicit_instantiations) or _stated(
        program, entity, known.instantiated_elsewhere
    )


def is_made_elsewhere(program: ProgramContext, entity: FunctionEntity) -> bool:
    """Whether the file says of every instance of a template that another file has it."""
    known = program.declarations
    return not _stated(program, entity, known.explicit_instantiations) and bool(
        _stated(program, entity, known.instantiated_elsewhere)
    )


def _stated(
    program: ProgramContext, entity: FunctionEntity, stated: list[tuple[tree.Declaration, Scope]]
) -> list[tuple[template_arguments.Argument, ...]]:
    found: list[tuple[template_arguments.Argument, ...]] = []
    if entity.parameters is None:
        return found
    for node, scope in stated:
        if not isinstance(node, tree.Function) or function_name(node.name) != entity.name:
            continue
        name = last_part(node.name)
        given = tuple(name.args) if isinstance(name, tree.TemplateId) else ()
        deduced: dict[str, template_arguments.Argument] = {}
        for mine, theirs in zip(parameter_types(entity.node), parameter_types(node), strict=False):
            actual = typenames.resolve(program, theirs, scope)
            deduction.deduce(
                program,
                mine,
                actual,
                {p.name for p in entity.parameters},
                deduced,
                entity.scope,
            )
        arguments = template_arguments.complete(
            program, entity.parameters, given, scope, deduced, entity.scope
        )
        if arguments is not None:
            found.append(arguments)
    return found


def canonical(
    program: ProgramContext, handle: KernelTemplate, texts: tuple[str, ...]
) -> tuple[str, ...]:
    """The texts under which the kernel with the stated template arguments is known. Raises
    SourceError where it takes no such ones."""
    if (id(handle.entity), texts) in program.kernel_arguments:
        return texts
    return register(program, handle.entity, requested_instances.arguments(program, handle, texts))


def register(
    program: ProgramContext,
    entity: FunctionEntity,
    arguments: tuple[template_arguments.Argument, ...],
) -> tuple[str, ...]:
    """Remember the arguments behind their canonical texts; gives the texts."""
    texts = template_arguments.flatten(arguments)
    program.kernel_arguments.setdefault((id(entity), texts), arguments)
    return texts


def bound_arguments(
    program: ProgramContext, handle: KernelTemplate, texts: tuple[str, ...] | None
) -> tuple[template_arguments.Argument, ...]:
    """The arguments for canonical texts; stand-ins for None. A launch in a host template that
    nobody calls gives stand-ins too (`k<T><<<…>>>`): those of scalar types are taken to be what
    `assumed` says, as where nobody launches the kernel."""
    entity = handle.entity
    parameters = entity.parameters or ()
    if texts is None and handle.explicit_instantiations:
        texts = handle.explicit_instantiations[0]
    if texts is None:
        known: tuple[template_arguments.Argument, ...] = tuple(
            assumed_types.stand_in(program, p, entity.scope) for p in parameters
        )
    else:
        held = program.kernel_arguments.get((id(entity), texts))
        known = held if held is not None else requested_instances.arguments(program, handle, texts)
    taken = _taken(program, entity, known)
    return tuple(
        Qualified(taken[p.name]) if p.name in taken else a
        for p, a in zip(parameters, known, strict=True)
    )


def _taken(
    program: ProgramContext,
    entity: FunctionEntity,
    arguments: tuple[template_arguments.Argument, ...],
) -> dict[str, Type]:
    """By the parameters' names: what those that stand for a type nobody gives are taken to be;
    nothing where there is no such kernel."""
    parameters = entity.parameters or ()
    open_ones = [
        p
        for p, a in zip(parameters, arguments, strict=True)
        if p.name and assumed_types.stands_in(a)
    ]
    taken = {
        p.name: type_
        for p in open_ones
        if (type_ := assumed_types.type_of(program, entity.node, p)) is not None
    }
    whole = tuple(
        Qualified(taken[p.name]) if p.name in taken else a
        for p, a in zip(parameters, arguments, strict=True)
    )
    return (
        taken
        if not taken
        or exists(program, entity, template_arguments.bind(parameters, whole, entity.scope))
        else {}
    )


# ------------------------------------------------------------------ lowering


def instantiate(
    program: ProgramContext,
    handle: KernelTemplate,
    texts: tuple[str, ...] | None,
    cluster: tuple[int, int, int] | None = None,
) -> ir.Kernel:
    """The kernel for these template arguments. `cluster`: its blocks as a launch gives them."""
    arguments = bound_arguments(program, handle, texts)
    body = handle.entity.body()
    entity, node = handle.entity, handle.entity.node
    special = specialisation(
        program,
        entity,
        arguments,
        template_arguments.bind(entity.parameters or (), arguments, entity.scope),
    )
    if special is not None:
        entity, node = special, special.node
        body = entity.body()
    scope = template_arguments.bind(entity.parameters or (), arguments, entity.scope)
    parameters: list[ir.Parameter] = []

    def make(learnt: Learnt) -> Lowerer:
        low = Lowerer(program, Scope(scope))
        low.cluster = handle.attributes.cluster or cluster
        low.learnt = learnt
        frame = Frame(
            entity,
            ir.Label("return"),
            typenames.resolve(program, node.type.type, scope),
            0,
            key=("kernel", id(node)),
        )
        frame.copied_once = copy_lines(body)
        frame.fetched = frozenset(filter(None, map(parameter_name, parameter_list(node))))
        low.frames.append(frame)
        parameters.clear()
        for parameter, name, where in spread_parameters(node, scope):
            parameters.extend(_parameter(low, parameter, name, where))
        _bind_packs(low, node, scope)
        low.handed = frozenset(p.variable for p in parameters)
        statement(low, body)
        low.escaped |= _changed(low, parameters)
        return low

    try:
        with deep_recursion():
            low = program.run_again(make)
    except RecursionError:
        raise refused("nesting", handle.span, what=f"kernel `{handle.name}`") from None
    low.notes += _notes(program, handle, texts)
    if texts is None and not handle.explicit_instantiations:
        _note_packs(low, entity)
    named = (
        texts
        if texts is not None
        else template_arguments.flatten(arguments)
        if entity.parameters or arguments
        else ()
    )
    if handle.entity.parameters is None:
        named = template_arguments.flatten(arguments_of(program, handle.entity))
    return _kernel(handle, low, tuple(parameters), named, attributes(program, entity, scope))


def _changed(low: Lowerer, parameters: list[ir.Parameter]) -> set[int]:
    """The parameters with arrays, by their identities, that a statement may write to: whatever has
    an address in one and is neither read there nor kept in a pointer to const."""
    reached = {
        one.object
        for s in walk(tuple(low.out) if low.parameter_leaves else ())
        if not isinstance(s, ir.Load)
        and not (
            isinstance(s, ir.Assign)
            and isinstance(s.variable.type, Pointer)
            and s.variable.type.const
        )
        for e in expressions(s)
        for one in walk_expression(e)
        if isinstance(one, ir.Address)
    }
    return {key for key, object_ in low.parameter_memory.items() if object_ in reached}


def _note_packs(low: Lowerer, entity: FunctionEntity) -> None:
    """The parameter packs that nobody gives."""
    for parameter in entity.parameters or ():
        if parameter.is_pack:
            name = parameter.name or "..."
            low.leave_uncounted(parameter, "pack", name, name=name)


def _notes(
    program: ProgramContext, handle: KernelTemplate, texts: tuple[str, ...] | None
) -> list[str]:
    """What the types that nobody gives are taken to be."""
    entity = handle.entity
    parameters = entity.parameters or ()
    if texts is None and handle.explicit_instantiations:
        return []
    given: tuple[template_arguments.Argument, ...] | None
    if texts is None:
        given = tuple(assumed_types.stand_in(program, p, entity.scope) for p in parameters)
    else:
        given = program.kernel_arguments.get((id(entity), texts))
    taken = _taken(program, entity, given) if given is not None else {}
    return [assumed_types.note(name, type_) for name, type_ in taken.items()]


def _kernel(
    handle: KernelTemplate,
    low: Lowerer,
    parameters: tuple[ir.Parameter, ...],
    arguments: tuple[str, ...],
    own: Attributes,
) -> ir.Kernel:
    """`own`: what the attributes of this instance say."""
    objects = tuple(dict.fromkeys(low.objects.values()))
    static = 0
    for one in objects:
        if one.space == "shared" and not one.dynamic and one.size is not None:
            static = -(-static // max(one.align, 1)) * max(one.align, 1) + one.size
    for problem in low.problems:
        if problem not in handle.problems:
            handle.problems.append(problem)
    return ir.Kernel(
        handle.name, handle.qualified_name, arguments, handle.span, parameters, (*low.global_inits, *low.out), objects,
        low.frames[0].label, low.language,
        static, own.launch_bounds, own.required_block, tuple(low.notes),
        tuple(low.operations), low.keeps_calls, tuple(low.unfollowed),
        tuple(low.uncounted), extern_arrays=tuple(low.extern_arrays.items()),
    )  # fmt: skip


def spread_parameters(
    node: tree.Function, scope: Scope
) -> Iterator[tuple[tree.Parameter, str, Scope]]:
    """The parameters of a kernel, those of a pack `a` one by one as `a[0]`, `a[1]` …, with the scope
    in which their types have one meaning."""
    for parameter in parameter_list(node):
        name = parameter_name(parameter)
        type_ = parameter_type(parameter)
        if type_ is None or not is_pack(parameter):
            yield parameter, name, scope
            continue
        for i, where in enumerate(pack_scopes(type_, scope)):
            yield parameter, f"{name}[{i}]", where


def _bind_packs(low: Lowerer, node: tree.Function, scope: Scope) -> None:
    """The name of each parameter that is a pack, once its elements are bound."""
    for pack in filter(is_pack, parameter_list(node)):
        names = [name for one, name, _ in spread_parameters(node, scope) if one is pack]
        low.scope.names[parameter_name(pack)] = PackEntity(
            tuple(low.scope.names[name] for name in names)
        )


def _parameter(
    low: Lowerer, parameter: tree.Parameter, name: str, scope: Scope
) -> list[ir.Parameter]:
    """The scalar leaves of one kernel parameter; its name is bound in the body's scope."""
    declared = typenames.resolve(low.program, parameter_type(parameter), scope)
    type_ = complete(declared.type)
    if isinstance(type_, Array):
        type_ = Pointer(type_.element, declared.space, declared.const, volatile=declared.volatile)
    if isinstance(type_, IncompleteRecord):
        type_ = OpaqueType(type_.name)
    found: list[ir.Parameter] = []
    place: Value
    if isinstance(type_, FunctionType) and isinstance(type_.definition, (Closure, FunctionRef)):
        low.scope.names[name] = Binding(
            StaticPlace(_function_parameter(low, name, type_.definition, parameter, found))
        )
        return found
    if isinstance(type_, Record) and has_union_or_array(type_):
        place = _in_parameter_memory(low, parameter, type_, name, found)
    else:
        place = fresh(low, type_, name, id(parameter), parameter)
    if isinstance(place, VariablePlace):
        found.append(_leaf(low, name, place.variable, declared, parameter))
    elif isinstance(place, SplitPlace):
        for offset, _, suffix in leaves(type_):
            found.append(_leaf(low, f"{name}{suffix}", place.leaves[offset], declared, parameter))
    elif isinstance(place, MemoryPlace) and not isinstance(type_, Record):
        found.append(_moved(low, name, place, declared, parameter))
    if name:
        low.scope.names[name] = Binding(place, low.span(parameter), parameter)
    return found


def _function_parameter(
    low: Lowerer,
    name: str,
    value: Closure | FunctionRef,
    parameter: tree.Parameter,
    found: list[ir.Parameter],
) -> Value:
    """A function or lambda passed to the kernel: what it captures by copy are parameters, named
    `f.captured`."""
    if isinstance(value, FunctionRef):
        return value
    scope = Scope(value.scope.parent)
    for captured, binding in value.scope.names.items():
        scope.names[captured] = binding
        type_ = complete(binding.value.type) if isinstance(binding, Binding) else None
        if (
            type_ is None
            or isinstance(binding.value, (StaticPlace, ConstantPlace))
            or has_union_or_array(type_)
        ):
            continue
        place = fresh(low, type_, f"{name}.{captured}", 0, parameter)
        for suffix, variable in place_leaves(place):
            found.append(
                _leaf(
                    low, f"{name}.{captured}{suffix}", variable, Qualified(variable.type), parameter
                )
            )
        scope.names[captured] = Binding(place)
    return Closure(value.node, scope, None, value.type)


def place_leaves(place: Value) -> list[tuple[str, ir.Variable]]:
    """The scalar variables of a place with their path suffixes."""
    if isinstance(place, VariablePlace):
        return [("", place.variable)]
    if isinstance(place, SplitPlace):
        return [(suffix, place.leaves[place.base + o]) for o, _, suffix in leaves(place.type)]
    return []


def _in_parameter_memory(
    low: Lowerer, parameter: tree.Parameter, type_: Record, name: str, found: list[ir.Parameter]
) -> MemoryPlace:
    """A parameter with arrays or unions inside: read-only memory, as the hardware keeps it. Its
    scalars are parameters as well, unless the kernel writes to it."""
    made = ir.MemoryObject(
        name, "constant", type_, type_.size, type_.align, low.span(parameter), parameter=name
    )
    low.objects[made] = made
    if id(parameter) not in low.learnt.in_memory:
        low.parameter_memory[id(parameter)] = made
        held = low.parameter_leaves[made] = dict[int, ir.Variable]()
        for offset, leaf, suffix in handed_leaves(type_):
            variable = ir.Variable(f"{name}{suffix}", leaf, low.span(parameter))
            one = _leaf(low, variable.name, variable, Qualified(leaf), parameter)
            held[offset] = variable
            found.append(replace(one, place=(made, offset)))
    return MemoryPlace(type_, ir.Address(Pointer(type_), made))


def handed_leaves(type_: Type) -> list[tuple[int, Type, str]]:
    """The scalars of a kernel's argument that a launch gives, but for unions; of a structure with
    very many of them, none."""
    every = [one for one in leaves(type_) if not isinstance(one[1], (OpaqueType, FunctionType))]
    return every if len(every) <= MOST_LEAVES or not has_union_or_array(type_) else []


def _moved(
    low: Lowerer, name: str, place: MemoryPlace, declared: Qualified, parameter: tree.Parameter
) -> ir.Parameter:
    """A scalar parameter whose address is taken: copied to local memory first."""
    variable = ir.Variable(name, place.type, low.span(parameter))
    leaf = _leaf(low, name, variable, declared, parameter)
    store(low, place, Scalar(ir.Read(place.type, variable)), parameter, parameter)
    return leaf


def _leaf(
    low: Lowerer,
    name: str,
    variable: ir.Variable,
    declared: Qualified,
    parameter: tree.Parameter,
) -> ir.Parameter:
    type_ = variable.type
    if not isinstance(type_, Pointer):
        return ir.Parameter(name, variable)
    space = type_.space or "global"
    element = complete(type_.pointee)
    made = ir.MemoryObject(
        name,
        space,
        element,
        None,
        16 if space == "shared" else 256,
        low.span(parameter),
        space == "shared",
        name,
        type_.volatile,
    )
    low.objects[made] = made
    return ir.Parameter(name, variable, made)


# ------------------------------------------------------------------ pragma arguments


def pragma_count(program: ProgramContext, text: str, scope: Scope) -> int | None:
    """`8`, `UNROLL`, `N / 2`, `A * B`: integers and names joined by operators of one rank, left to
    right."""
    total: int | None = None
    op = ""
    rest = text.strip().strip("()")
    while rest:
        matched = _TERM.match(rest)
        if matched is None:
            return None
        value = _term(program, matched[1], scope)
        if value is None:
            return None
        total = value if total is None else _apply(op, total, value)
        rest = rest[matched.end() :]
        if rest:
            op, rest = rest[0], rest[1:]
    return total


def _term(program: ProgramContext, text: str, scope: Scope) -> int | None:
    if text[0].isdigit():
        return int(text.rstrip("uUlL"), 0)
    found = program.constant(tree.ID(text, NOWHERE), scope)
    return int(found.value) if found is not None else None


def _apply(op: str, left: int, right: int) -> int | None:
    if op == "/" and right == 0:
        return None
    table = {"*": left * right, "/": left // max(right, 1), "+": left + right, "-": left - right}
    return table.get(op)
