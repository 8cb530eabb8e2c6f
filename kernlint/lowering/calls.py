"""Function calls: what is called, arguments bound to parameters, the callee's body lowered in place.

In: call nodes. Out: the value returned; the callee's statements through the Lowerer. Unknown functions become Unknown values and a Clobber.
"""

from __future__ import annotations

from pycparser import c_ast

from kernlint.lowering import builtin_calls, construct, library_calls, overloads, typenames
from kernlint.lowering.classes import class_info, methods
from kernlint.lowering.context import EXPRESSIONS, MAX_CALL_DEPTH, MAX_STATEMENTS, Frame, Lowerer, expression, statement
from kernlint.lowering.declare import parameter_list
from kernlint.lowering.fold import retype
from kernlint.lowering.ir import Clobber, Constant, Expression, Label, Leave, Read, Region
from kernlint.lowering.layout import complete, known_type
from kernlint.lowering.places import (
    base_view,
    fresh,
    is_aggregate,
    materialise,
    operands_of,
    rvalue,
    scalar,
    static_value,
    unknown,
    unknown_value,
    void_value,
)  # fmt: skip
from kernlint.lowering.scopes import Binding, ClassInfo, ClassTemplate, FunctionEntity, PackEntity, Scope, TypeEntity
from kernlint.lowering.stores import assign, bound_reference, coerce
from kernlint.lowering.syntax import Node
from kernlint.lowering.templates import names_in
from kernlint.lowering.types import Array, OpaqueType, Pointer, Void
from kernlint.lowering.usage import assigned_names, copy_lines, first_statement, walk
from kernlint.lowering.values import (
    STATIC_VALUES,
    AutoPlaceholder,
    BracedList,
    Closure,
    ConstantPlace,
    FunctionRef,
    FunctionType,
    MemoryPlace,
    PlacePointer,
    Qualified,
    Scalar,
    SplitPlace,
    StaticPlace,
    Value,
    VariablePlace,
)  # fmt: skip
from kernlint.source import tree
from kernlint.source.span import Problem, SourceError


def call(low: Lowerer, node: Node) -> Value:
    """`callee(args)`."""
    constructed = _type_called(low, node)
    if constructed is not None:
        return constructed
    low.callee = node.name
    callee = expression(low, node.name)
    held = static_value(callee)
    callee = held if held is not None else callee
    nodes = list(node.args.exprs) if node.args is not None else []
    values, written = construct.argument_values(low, nodes)
    return call_value(low, callee, values, written, node)


def _type_called(low: Lowerer, node: Node) -> Value | None:
    """`T(args)` where the parser could not know that `T` is a type."""
    name = node.name
    if not isinstance(name, (c_ast.ID, tree.TemplateId, tree.QualifiedName)):
        return None
    nodes = list(node.args.exprs) if node.args is not None else []
    if isinstance(name, tree.QualifiedName):
        found = typenames.named(low.program, name, low.scope) if _names_type(low, name) else None
        return construct.construct_nodes(low, found.type, nodes, node, False) if found is not None else None
    entity = low.scope.find(name.name)
    if isinstance(entity, (TypeEntity, ClassTemplate)):
        found = typenames.named(low.program, name, low.scope)
        if found is not None and not isinstance(found.type, OpaqueType):
            return construct.construct_nodes(low, found.type, nodes, node, False)
    elif entity is None and isinstance(name, c_ast.ID):
        known = known_type(name.name, low.language)
        if known is not None:
            return construct.construct_nodes(low, known, nodes, node, False)
    return None


def _names_type(low: Lowerer, name: Node) -> bool:
    """Whether the last part of a qualified name is a type of this program (not a function of that name)."""
    first = low.scope.find(getattr(name.parts[0], "name", ""))
    if first is None:
        return False
    from kernlint.lowering.declare import function_name, lookup_path

    entity = lookup_path([function_name(p) for p in name.parts], low.scope)
    return isinstance(entity, (TypeEntity, ClassTemplate))


def call_value(low: Lowerer, callee: Value, values: list[Value], nodes: list[Node], node: Node) -> Value:
    """Call a function, closure or object with argument values."""
    if isinstance(callee, Closure):
        return call_closure(low, callee, values, nodes, node)
    if isinstance(callee, PlacePointer):
        callee = callee.place
    if isinstance(callee, FunctionRef):
        return call_function(low, callee, values, nodes, node)
    found = methods(callee.type, "operator()")
    if found:
        return call_function(low, FunctionRef(found, "operator()", this=callee), values, nodes, node)
    operands = tuple(o for v, n in zip(values, nodes, strict=False) for o in operands_of(rvalue(low, v, n)))
    return _unknown_call(low, low.text(node.name) if hasattr(node, "name") else "?", values, operands, node)


def call_function(low: Lowerer, callee: FunctionRef, values: list[Value], nodes: list[Node], node: Node) -> Value:
    """A call by name: the program's own functions, then the language's, then the library's, else unknown."""
    chosen = None
    if callee.overloads:
        chosen = overloads.choose(low, callee.overloads, values, callee.arguments, callee.arguments_scope)
    if chosen is not None:
        entity, scope = chosen
        if entity.node.lazy_body is not None:
            this = callee.this
            if entity.owner is not None and not entity.is_static and this is not None:
                this = _object(low, this, entity.owner, node)
            return inline(low, entity, scope, values, nodes, node, this)
        if "default" in (getattr(entity.node, "trailing", None) or ()):
            return void_value()
    if callee.this is not None:
        found = library_calls.method(low, callee, values, nodes, node)
        if found is not None:
            return found
    found = builtin_calls.call(low, callee, values, nodes, node)
    if found is None:
        found = library_calls.call(low, callee, values, nodes, node)
    if found is not None:
        return found
    operands = tuple(o for v, n in zip(values, nodes, strict=False) for o in _operands(low, v, n))
    if chosen is not None:
        type_ = typenames.resolve(low.program, chosen[0].node.type.type, chosen[1])
        return _unknown_call(low, callee.name, values, operands, node, type_)
    return _unknown_call(low, callee.name, values, operands, node)


def _operands(low: Lowerer, value: Value, node: Node) -> tuple[Expression, ...]:
    if isinstance(value, BracedList) or static_value(value) is not None:
        return ()
    if isinstance(complete(value.type), Array):
        return (scalar(low, value, node),)
    return operands_of(rvalue(low, value, node))


def _object(low: Lowerer, this: Value, owner: ClassInfo, node: Node) -> Value:
    """The place a method works on, as the class that declares it."""
    if not isinstance(this, (VariablePlace, SplitPlace, MemoryPlace, StaticPlace)) and is_aggregate(this.type):
        place = fresh(low, this.type, "(temporary)")
        assign(low, place, this, node, node, True)
        this = place
    if owner.record is not None and class_info(this.type) is not owner:
        return base_view(low, this, owner.record, node)
    return this


def _unknown_call(
    low: Lowerer, name: str, values: list[Value], operands: tuple[Expression, ...], node: Node, type_: Qualified | None = None
) -> Value:
    """A function nobody defines: its result is unknown, what its pointer and reference arguments reach changes."""
    pointers = [o for o in operands if isinstance(o.type, Pointer) and not o.type.const]
    for value in values:
        target = value.value if isinstance(value, StaticPlace) else value
        if isinstance(target, PlacePointer):
            forget(low, target.place, name, node)
    if not low.host or pointers:
        low.emit(Clobber(name, tuple(pointers), low.span(node)))
    result = type_.type if type_ is not None else OpaqueType("?")
    if isinstance(result, Void):
        return void_value()
    return unknown_value(result, "unknown-function", operands, name)


def forget(low: Lowerer, place: Value, what: str, node: Node) -> None:
    """A place that an unknown function may have written."""
    if isinstance(place, (VariablePlace, SplitPlace)):
        assign(low, place, unknown_value(place.type, "unknown-function", (), what), node, node)
    elif isinstance(place, MemoryPlace):
        low.emit(Clobber(what, (place.address,), low.span(node)))


# ------------------------------------------------------------------ inlining


def inline(
    low: Lowerer, entity: FunctionEntity, scope: Scope, values: list[Value], nodes: list[Node], node: Node, this: Value | None,
    constructing: ClassInfo | None = None,
) -> Value:  # fmt: skip
    """Lower the function's body in place of the call and give its value."""
    key = (id(entity.node), scope_key(scope))
    return_node = entity.node.trailing if isinstance(entity.node.trailing, c_ast.Node) else entity.node.type.type
    if (not low.constant and any(f.key == key for f in low.frames)) or len(low.frames) >= MAX_CALL_DEPTH or low.emitted > MAX_STATEMENTS:
        low.unsupported(node, f"recursive call of {entity.name} is not analysed")
        return _unknown_call(low, entity.name, values, (), node, typenames.resolve(low.program, return_node, scope))
    try:
        body = entity.node.lazy_body.parse()
    except SourceError as error:
        low.problems.append(Problem(error.code, error.span, f"{entity.name}: {error.message}"))
        return _unknown_call(low, entity.name, values, (), node, typenames.resolve(low.program, return_node, scope))
    inner = Scope(scope)
    bind_parameters(low, entity, inner, values, nodes, assigned_names(body) if low.constant else frozenset())
    returned = None if constructing is not None else typenames.resolve(low.program, return_node, inner)
    frame = Frame(entity, Label(f"return from {entity.name}"), returned, low.depth, this, key=key)
    frame.copied_once, frame.entry = copy_lines(body), _entry(low, entity, nodes, body)
    with _called(low, node, inner, frame):
        if constructing is not None and this is not None:
            construct.run_initialisers(low, entity, this, constructing)
        result = run_body(low, frame, body)
    return result


def _entry(low: Lowerer, entity: FunctionEntity, nodes: list[Node], body: Node) -> Node | None:
    """The first statement that needs instructions, None when they begin with fetching a parameter of the kernel."""
    entry = first_statement(body)
    kernel = low.frames[0].entity if low.frames else None
    fetched = {p.name for p in parameter_list(kernel.node)} if kernel is not None else set()
    pairs = zip(parameter_list(entity.node), nodes, strict=False)
    handed = {p.name for p, n in pairs if isinstance(n, c_ast.ID) and n.name in fetched and isinstance(p.type, c_ast.TypeDecl)}
    return None if entry is None or handed & {n.name for n in walk(entry) if isinstance(n, c_ast.ID)} else entry


def scope_key(scope: Scope) -> tuple[object, ...]:
    """What tells instances of one template apart: the template scopes' bindings."""
    found: list[object] = []
    where: Scope | None = scope
    while where is not None:
        if where.kind == "template" and where.names:
            for name, entity in where.names.items():
                value = entity.value if isinstance(entity, Binding) else entity.resolved if isinstance(entity, TypeEntity) else entity
                found.append((name, value.value.value if isinstance(value, ConstantPlace) else value))
        where = where.parent
    return tuple(found)


class _called:
    """Enter and leave an inlined call: the call chain, frame and names."""

    def __init__(self, low: Lowerer, node: Node, scope: Scope, frame: Frame) -> None:
        self.low, self.node, self.scope, self.frame = low, node, scope, frame

    def __enter__(self) -> None:
        low = self.low
        self.saved = (low.scope, low.calls, low.terminated, low.break_label, low.continue_label, low.gotos, low.charge)
        low.calls = (*low.calls, low.span(self.node)) if low.frames else low.calls
        low.scope, low.terminated, low.break_label, low.continue_label, low.gotos, low.charge = self.scope, False, None, None, {}, None
        low.frames.append(self.frame)

    def __exit__(self, *_: object) -> None:
        low = self.low
        low.frames.pop()
        low.scope, low.calls, low.terminated, low.break_label, low.continue_label, low.gotos, low.charge = self.saved


def run_body(low: Lowerer, frame: Frame, body: Node) -> Value:
    """Lower a body in its frame; a Region only where a return leaves early."""
    outer, low.out = low.out, []
    statement(low, body)
    inner, low.out = low.out, outer
    if frame.left:
        low.out.append(Region(frame.label, tuple(inner)))
    else:
        low.out.extend(inner)
    return frame_value(low, frame)


def frame_value(low: Lowerer, frame: Frame) -> Value:
    if frame.direct is not None:
        return frame.direct
    if frame.result is not None:
        if frame.result_is_reference and isinstance(frame.result, VariablePlace):
            type_ = frame.result.type
            assert isinstance(type_, Pointer)
            return MemoryPlace(complete(type_.pointee), Read(type_, frame.result.variable))
        return rvalue(low, frame.result, frame.entity.node if frame.entity is not None else None)
    return void_value()


def bind_parameters(
    low: Lowerer, entity: FunctionEntity, scope: Scope, values: list[Value], nodes: list[Node], assigned: frozenset[str]
) -> None:
    """Names of parameters to fresh variables, aliased places or followed values; defaults for the rest."""
    parameters = [p for p in parameter_list(entity.node) if not isinstance(p, c_ast.EllipsisParam)]
    remaining = list(zip(values, nodes, strict=False))
    for parameter in parameters:
        name = getattr(parameter, "name", None) or ""
        if overloads.is_pack(parameter):
            items = tuple(_pack_item(low, parameter, v, n, scope) for v, n in remaining)
            remaining = []
            scope.names[name] = PackEntity(items)
            continue
        if remaining:
            value, node = remaining.pop(0)
        elif getattr(parameter, "init", None) is not None:
            with low.scoped(scope):
                value, node = expression(low, parameter.init), parameter.init
        else:
            continue
        declared = typenames.resolve(low.program, parameter.type, scope)
        bound = bind_value(low, declared, value, node, name, parameter, assigned)
        if name:
            scope.names[name] = Binding(bound, low.span(parameter), parameter)


def _pack_item(low: Lowerer, parameter: Node, value: Value, node: Node, scope: Scope) -> Binding:
    from kernlint.lowering.declare import type_spelling

    reference = "RefDecl" in str(type_spelling(parameter.type))
    declared = Qualified(AutoPlaceholder(), reference="&" if reference else "")
    return Binding(bind_value(low, declared, value, node, parameter.name or "", parameter, frozenset()))


def bind_value(low: Lowerer, declared: Qualified, value: Value, node: Node, name: str, parameter: Node, assigned: frozenset[str]) -> Value:
    """What a parameter of type `declared` stands for when given `value`."""
    key = id(parameter)
    if declared.reference:
        bound = bound_reference(low, value, declared, node)
        return StaticPlace(bound, key) if isinstance(bound, STATIC_VALUES) else bound
    type_ = complete(declared.type)
    if isinstance(type_, Array):
        type_ = Pointer(type_.element, declared.space, declared.const)
    converted = coerce(low, value, type_, node)
    if isinstance(type_, AutoPlaceholder):
        type_ = complete(converted.type)
    if isinstance(converted, STATIC_VALUES):
        if key not in low.not_static:
            return StaticPlace(converted, key)
        converted = Scalar(materialise(low, converted, node)) if isinstance(converted, PlacePointer) else converted
    if low.constant and isinstance(converted, Scalar) and isinstance(converted.expression, Constant) and name not in assigned:
        return ConstantPlace(converted.expression)
    if isinstance(converted, Scalar) and isinstance(converted.type, Pointer) and isinstance(type_, Pointer):
        type_ = retype(converted.expression, type_).type
    place = fresh(low, type_, name, key, parameter)
    assign(low, place, converted, node, node, True)
    return place


# ------------------------------------------------------------------ lambdas


def make_closure(low: Lowerer, node: Node) -> Value:
    """A lambda: captures by value are copied now, others keep the enclosing names."""
    scope = Scope(low.scope)
    for capture in node.captures or []:
        if capture.name in ("this", "*this"):
            continue
        source: Value = expression(low, capture.init if capture.init is not None else c_ast.ID(capture.name, coord=node.coord))
        if capture.by_reference:
            scope.names[capture.name] = Binding(source)
        else:
            scope.names[capture.name] = Binding(
                bind_value(low, Qualified(AutoPlaceholder()), source, node, capture.name, capture, frozenset())
            )
    if node.default_capture == "=":
        _capture_copies(low, node, scope)
    made = Closure(node, scope, low.this)
    made.type = FunctionType(f"lambda at line {low.span(node).line}", made)
    return made


def _capture_copies(low: Lowerer, node: Node, scope: Scope) -> None:
    """`[=]` copies every local the body names as it is now."""
    for name in sorted(names_in(node.body)):
        found = None if name in scope.names else low.scope.find(name)
        if isinstance(found, Binding) and isinstance(found.value, (VariablePlace, SplitPlace)):
            scope.names[name] = Binding(bind_value(low, Qualified(AutoPlaceholder()), found.value, node, name, node, frozenset()))


def call_closure(low: Lowerer, callee: Closure, values: list[Value], nodes: list[Node], node: Node) -> Value:
    lambda_node = callee.node
    parameters = lambda_node.params
    function = tree.Function(
        name=c_ast.ID("lambda", coord=lambda_node.coord),
        type=c_ast.FuncDecl(parameters, None),
        specifiers=[],
        quals=[],
        coord=lambda_node.coord,
    )
    function.trailing = lambda_node.return_type
    entity = FunctionEntity("lambda", function, callee.scope)
    key = (id(lambda_node), id(callee.scope))
    if any(f.key == key for f in low.frames) or len(low.frames) >= MAX_CALL_DEPTH or low.emitted > MAX_STATEMENTS:
        low.unsupported(node, "recursive call of a lambda is not analysed")
        return unknown("unsupported")
    inner = Scope(callee.scope)
    bind_parameters(low, entity, inner, values, nodes, frozenset())
    returned = typenames.resolve(low.program, lambda_node.return_type, inner)
    frame = Frame(entity, Label("return from lambda"), returned, low.depth, callee.this, key=key)
    frame.copied_once = copy_lines(lambda_node.body)
    with _called(low, node, inner, frame):
        return run_body(low, frame, lambda_node.body)


# ------------------------------------------------------------------ return


def return_value(low: Lowerer, node: Node) -> None:
    """`return e;`: the value of the call when nothing else can follow, else an assignment and a leave."""
    frame = low.frame
    value = expression(low, node.expr) if node.expr is not None else None
    conditional = low.depth > frame.depth
    if value is not None and not (frame.return_type is not None and isinstance(frame.return_type.type, Void)):
        value = _converted_return(low, frame, value, node.expr)
        if not conditional and frame.result is None:
            frame.direct = value
        else:
            _keep_return(low, frame, value, node.expr)
    if conditional:
        low.emit(Leave(frame.label))
        frame.left = True
    low.terminated = True


def _converted_return(low: Lowerer, frame: Frame, value: Value, node: Node) -> Value:
    declared = frame.return_type
    if declared is None:
        return void_value()
    if declared.reference:
        return bound_reference(low, value, declared, node)
    return coerce(low, value, declared.type, node)


def _keep_return(low: Lowerer, frame: Frame, value: Value, node: Node) -> None:
    if frame.return_type is not None and frame.return_type.reference and isinstance(value, MemoryPlace):
        pointer = Pointer(value.type)
        if frame.result is None:
            frame.result, frame.result_is_reference = VariablePlace(low.temporary(pointer, "(returned)")), True
        if isinstance(frame.result, VariablePlace):
            low.assign(frame.result.variable, retype(value.address, pointer))
        return
    if isinstance(value, STATIC_VALUES) and not isinstance(value, PlacePointer):
        frame.direct = value
        return
    if frame.result is None:
        made = fresh(low, value.type, "(returned)")
        frame.result = made  # type: ignore[assignment]
    assert frame.result is not None
    assign(low, frame.result, value, node, node, True)


EXPRESSIONS.update({c_ast.FuncCall: call, tree.Lambda: make_closure})
