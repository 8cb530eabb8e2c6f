"""Calls that the compiler decides: a constexpr function or static method of what is known at
compile time is a value; nothing of its body is lowered.

In: a function with its template bound, and argument values. Out: what it returns, made of constants
and of template arguments that nobody gives; None where it has no such value, and is lowered in
place. The body runs in a scratch `Lowerer`, where constant conditions leave their other arm alone,
once for each function, template binding and list of arguments in a program.

A function that picks one of very many constants (a table of configurations, written as a chain of
`if`) for a template argument that nobody gives depends on that argument, and that is all that is
said of it: to follow hundreds of cases that are all possible tells nobody more.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from kernlint.ir.nodes import Constant, Convert, Expression, Select, Unknown
from kernlint.ir.traversal import operands
from kernlint.ir.types import Array, Record, Type, Void
from kernlint.lowering.calls import inlining
from kernlint.lowering.calls.frames import scope_key
from kernlint.lowering.calls.unknown_calls import handed_over, unknown_call
from kernlint.lowering.context import MAX_CALL_DEPTH, Endless, Lowerer, Undecided
from kernlint.lowering.declare import return_node, signature
from kernlint.lowering.expressions import interpret
from kernlint.lowering.expressions.compile_time import arguments, at_compile_time, known_expression
from kernlint.lowering.expressions.places import rvalue
from kernlint.lowering.expressions.values import (
    Aggregate,
    AutoPlaceholder,
    Scalar,
    Value,
)
from kernlint.lowering.scopes import Binding, ClassInfo, FunctionEntity, Scope
from kernlint.lowering.types import typenames
from kernlint.lowering.types.layout import complete, leaves
from kernlint.source.parser import tree

MOST_UNDECIDED = 64  # branches of one call that follow from nothing known


def inline(
    low: Lowerer,
    entity: FunctionEntity,
    scope: Scope,
    values: list[Value],
    nodes: Sequence[tree.Node],
    node: tree.Node,
    this: Value | None,
    constructing: ClassInfo | None = None,
) -> Value:
    """The value of a call: what it is at compile time, else what its body gives, lowered in place
    of the call; unknown where no file seen defines it."""
    if entity.node.lazy_body is None:
        return _undefined(low, entity, scope, values, node, this)
    if constructing is None:
        known = returned(low, entity, scope, values, nodes, node)
        if known is not None:
            return known
    return inlining.inline_body(low, entity, scope, values, nodes, node, this, constructing)


def _undefined(
    low: Lowerer,
    entity: FunctionEntity,
    scope: Scope,
    values: list[Value],
    node: tree.Node,
    this: Value | None,
) -> Value:
    low.unsupported(node, "definition", entity.name, name=entity.name)
    type_ = typenames.resolve(low.program, return_node(entity), scope)
    changed = handed_over(low, entity, scope, this, values)
    return unknown_call(low, entity.name, values, (), node, type_, changed=changed)


def returned(
    low: Lowerer,
    entity: FunctionEntity,
    scope: Scope,
    values: list[Value],
    nodes: Sequence[tree.Node],
    node: tree.Node,
) -> Value | None:
    """The value of a call at compile time."""
    given = arguments(entity, values)
    if given is None:
        return None
    key = (id(entity.node), _bound(scope), tuple(map(_identity, given)))
    known = low.program.returned
    if key not in known:
        # while it is worked out: a call of itself with the same arguments has no end
        known[key] = None
        try:
            known[key] = _run(low, entity, scope, values, nodes, node, given)
        except Endless:  # nor have the calls that led to it a value: each is asked once
            if low.undecided is not None:
                raise
        except BaseException:
            del known[key]  # it was not worked out
            raise
    found = known[key]
    return Aggregate(found.type, {**found.leaves}) if isinstance(found, Aggregate) else found


def _identity(expression: Expression) -> Hashable:
    """Equal identities mean equal values."""
    if isinstance(expression, Constant):
        return expression.type, repr(expression.value)
    inner = tuple(map(_identity, operands(expression)))
    if isinstance(expression, Unknown):
        return expression.type, expression.what or expression, inner
    said = (
        ""
        if isinstance(expression, (Convert, Select))
        else getattr(expression, "op", None) or getattr(expression, "name", expression)
    )
    return type(expression).__name__, expression.type, said, inner


def _bound(scope: Scope) -> Hashable:
    """What the parameters of the templates around stand for."""
    found: list[Hashable] = []
    where: Scope | None = scope
    while where is not None:
        if where.kind == "template":
            found += [(name, _entity_identity(entity)) for name, entity in where.names.items()]
        where = where.parent
    return tuple(found)


def _entity_identity(entity: object) -> Hashable:
    value = entity.value if isinstance(entity, Binding) else None
    expression = known_expression(value) if value is not None else None
    return (
        _identity(expression)
        if expression is not None
        else getattr(entity, "resolved", None) or entity
    )


def _run(
    low: Lowerer,
    entity: FunctionEntity,
    scope: Scope,
    values: list[Value],
    nodes: Sequence[tree.Node],
    node: tree.Node,
    given: tuple[Expression, ...],
) -> Value | None:
    """The call in a place of its own. Calls at compile time that are under way count for how deep
    they may be nested."""
    inner = low.program.scratch(low.scope)
    inner.frames = [*low.frames] if low.constant else []
    if len(inner.frames) >= MAX_CALL_DEPTH:
        raise Endless
    inner.undecided = MOST_UNDECIDED
    try:
        found = rvalue(
            inner, inlining.inline_body(inner, entity, scope, values, nodes, node, None), node
        )
    except Undecided:
        return _any(low, entity, scope, given)
    if inner.problems:
        return None
    if isinstance(found, Scalar):
        known = _known(inner, {0: found.expression})
        return Scalar(known[0]) if known is not None else None
    if not isinstance(found, Aggregate) or found.statics:
        return None
    parts = _known(inner, found.leaves)
    return Aggregate(found.type, parts) if parts is not None else None


def _known(inner: Lowerer, parts: dict[int, Expression]) -> dict[int, Expression] | None:
    """The parts of what is returned, known at compile time; None where one is not."""
    statements = [*inner.global_inits, *inner.out]
    if not statements and all(map(at_compile_time, parts.values())):
        return parts
    found = interpret.evaluate(statements, parts)
    return {**found} if found is not None else None


def _any(
    low: Lowerer, entity: FunctionEntity, scope: Scope, given: tuple[Expression, ...]
) -> Value | None:
    """Whatever a function returns for these arguments, of which some are not known; the same for
    each call with them."""
    type_ = complete(typenames.resolve(low.program, return_node(entity), scope).type)
    if isinstance(type_, (AutoPlaceholder, Array, Void)):
        return None
    bound = [str(value) for value in scope_key(scope)]
    # overloads and instances of one name
    apart = f"{entity.scope.qualifier()} {signature(entity)} {bound}"

    def part(leaf: Type, suffix: str) -> Unknown:
        return Unknown(leaf, "unknown-argument", given, True, f"{entity.name}{suffix}", apart=apart)

    if isinstance(type_, Record):
        return Aggregate(
            type_, {offset: part(leaf, suffix) for offset, leaf, suffix in leaves(type_)}
        )
    return Scalar(part(type_, ""))
