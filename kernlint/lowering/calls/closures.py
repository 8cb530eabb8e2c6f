"""Lambdas: captures kept, calls lowered in place.

In: lambda nodes and calls of closures. Out: Closures, and the values that their calls return.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.ir import nodes as ir
from kernlint.ir.nodes import Label
from kernlint.ir.types import BOOL, Field
from kernlint.lowering.calls.frames import called, not_followed, run_body, scope_key
from kernlint.lowering.calls.inlining import bind_parameters, bind_value, unchanged
from kernlint.lowering.calls.unknown_calls import hand_over
from kernlint.lowering.context import Frame, Lowerer, expression
from kernlint.lowering.declared_names import name_parts
from kernlint.lowering.expressions.places import member, static_value, unknown
from kernlint.lowering.expressions.values import (
    AutoPlaceholder,
    Closure,
    FunctionRef,
    FunctionType,
    MemoryPlace,
    Qualified,
    SplitPlace,
    StaticPlace,
    Value,
    VariablePlace,
)
from kernlint.lowering.scopes import Binding, ClassInfo, FunctionEntity, Scope
from kernlint.lowering.templates import overloads
from kernlint.lowering.templates.template_arguments import names_in
from kernlint.lowering.types import typenames
from kernlint.lowering.types.classes import class_info
from kernlint.lowering.usage import copy_lines, walk
from kernlint.source.parser import tree


def make_closure(low: Lowerer, node: tree.Lambda) -> Value:
    """A lambda: captures by value are copied now, others keep the enclosing names."""
    scope = Scope(low.scope)
    for capture in node.captures:
        if capture.name in ("this", "*this"):
            continue
        source: Value = expression(
            low,
            capture.init if capture.init is not None else tree.ID(capture.name, coord=node.coord),
        )
        if capture.by_reference:
            scope.names[capture.name] = Binding(source)
        else:
            scope.names[capture.name] = Binding(
                bind_value(
                    low,
                    Qualified(AutoPlaceholder()),
                    source,
                    node,
                    capture.name,
                    capture,
                    unchanged(low),
                )
            )
    if node.default_capture == "=":
        _capture_copies(low, node, scope)
    copies = any(isinstance(b, Binding) and _is_variable(b.value) for b in scope.names.values())
    made = Closure(node, scope, low.this, is_one=not (copies and low.loop_depth))
    made.type = FunctionType(f"lambda at line {low.span(node).line}", made)
    return made


def _is_variable(value: Value) -> bool:
    return isinstance(value, (VariablePlace, SplitPlace, MemoryPlace))


def _capture_copies(low: Lowerer, node: tree.Lambda, scope: Scope) -> None:
    """`[=]` copies every local the body names as it is now."""
    for name in sorted(names_in(node.body)):
        found = None if name in scope.names else low.scope.find(name)
        if isinstance(found, Binding) and isinstance(found.value, (VariablePlace, SplitPlace)):
            scope.names[name] = Binding(
                bind_value(
                    low, Qualified(AutoPlaceholder()), found.value, node, name, node, unchanged(low)
                )
            )


# methods that keep a function for later, when what it refers to may be another
_KEEPING = frozenset(
    ["push_back", "emplace_back", "push", "emplace", "insert", "add", "append", "set", "connect"]
)


def run_handed(
    low: Lowerer, name: str, values: list[Value], nodes: Sequence[tree.Node], node: tree.Node
) -> None:
    """Lambdas that launch and are handed to a host function that is not followed (`std::thread`, a
    timer) may be called by it, with the values after them or with unknown ones."""
    if not low.host or low.constant or name.rpartition("::")[2].lower() in _KEEPING:
        return
    for position, value in enumerate(values):
        held = value.value if isinstance(value, StaticPlace) else value
        if not isinstance(held, Closure) or not launches(low, held.node):
            continue
        wanted = len(held.node.params.params) if held.node.params is not None else 0
        given, written = values[position + 1 :], list(nodes[position + 1 :])
        if len(given) != wanted:
            given, written = [unknown("unknown-argument")] * wanted, [node] * wanted
        with low.block() as then:
            call_closure(low, held, given, written, node)
        is_called = ir.Unknown(BOOL, "unknown-function", (), False, name)
        low.emit(ir.If(is_called, tuple(then), (), low.branch_site(node, "if", None)))


def takes(closure: Closure, values: list[Value]) -> bool:
    """Whether so many arguments may be handed to a lambda."""
    parameters = closure.node.params.params if closure.node.params is not None else []
    return len(parameters) == len(values)


def launches(low: Lowerer, node: tree.Lambda) -> bool:
    """Whether a lambda leads to a launch."""
    return any(
        isinstance(inner, tree.KernelLaunch)
        or (isinstance(inner, (tree.ID, tree.TemplateId)) and inner.name in low.program.launching)
        for inner in walk(node.body)
    )


def inherited(low: Lowerer, value: Value, node: tree.Node) -> list[Closure | None]:
    """The lambdas that an object's class derives from (`struct Overloaded : Fs...`); None for one
    that is not known. A call operator of the class's own hides them, unless `using` names them."""
    info = class_info(value.type)
    found: list[Closure | None] = []
    if info is None or (info.scope.names.get("operator()") is not None and not _draws_in(info)):
        return found
    for base, offset in info.bases:
        part = member(low, value, Field("operator()", base, offset), node)
        if isinstance(base, FunctionType):
            held = static_value(part)
            found.append(held if isinstance(held, Closure) else None)
        elif class_info(base) is not None:
            found += inherited(low, part, node)
    return found


def _draws_in(info: ClassInfo) -> bool:
    """Whether `using Base::operator();` stands in a class."""
    every = [
        one
        for m in info.node.members
        for one in (m.decls if isinstance(m, tree.DeclGroup) else [m])
    ]
    named = [one.name for one in every if isinstance(one, tree.Using) and one.name]
    return any(name_parts(name)[-1] == "operator()" for name in named)


def entity_of(closure: Closure) -> FunctionEntity:
    """A lambda's call operator."""
    node = closure.node
    parameters = node.params or tree.ParamList([], node.coord)
    signature = tree.FuncDecl(parameters, node.return_type, node.coord)
    function = tree.Function(
        tree.ID("lambda", node.coord), signature, [], [], [], None, [], node.coord
    )
    template = tuple(node.template) if node.template is not None else None
    return FunctionEntity("lambda", function, closure.scope, template)


def call_closure(
    low: Lowerer,
    callee: Closure,
    values: list[Value],
    nodes: Sequence[tree.Node],
    node: tree.Node,
    operator: FunctionRef | None = None,
) -> Value:
    """`operator`: as which it is called, where that is written (`f.template operator()<4>()`)."""
    lambda_node = callee.node
    entity = entity_of(callee)
    bound = overloads.bind_template(
        low,
        entity,
        overloads.parameters_of(entity.node),
        values,
        operator.arguments if operator is not None else None,
        operator.arguments_scope if operator is not None else None,
    )
    if bound is None:
        low.leave_uncounted(node, "overload", "lambda", name="a lambda")
        hand_over(low, "lambda", values)
        return unknown("unknown-function")
    inner = bound[1]
    key = (id(lambda_node), id(callee.scope), scope_key(inner))
    refusal = not_followed(low, key, "a lambda")
    if refusal:
        low.unsupported(node, refusal[0], **refusal[1])
        hand_over(low, "lambda", values)
        return unknown("unsupported")
    bind_parameters(low, entity, inner, values, nodes, unchanged(low))
    returned = typenames.resolve(low.program, lambda_node.return_type, inner)
    frame = Frame(entity, Label("return from lambda"), returned, low.depth, callee.this, key=key)
    frame.body = lambda_node.body
    frame.copied_once = copy_lines(lambda_node.body)
    with called(low, node, inner, frame):
        return run_body(low, frame, lambda_node.body)
