"""Operators, literals, casts, members, subscripts: one handler per expression node.

In: expression nodes. Out: values and places; loads, effects and branches of `&& || ?:` through the
Lowerer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kernlint.ir import nodes as ir
from kernlint.ir.types import (
    BOOL,
    INT,
    ULONG,
    VOID,
    Array,
    Float,
    Integer,
    OpaqueType,
    Pointer,
    Type,
)
from kernlint.lowering.context import ExpressionHandler, Lowerer, expression, statement
from kernlint.lowering.expressions import atomic_objects, literals
from kernlint.lowering.expressions.bits import reinterpret
from kernlint.lowering.expressions.branching import kept_arms
from kernlint.lowering.expressions.chosen_places import chosen_place
from kernlint.lowering.expressions.construct import construct_nodes
from kernlint.lowering.expressions.fold import (
    arithmetic,
    binary,
    convert,
    integer,
    pointer_add,
    promote,
    retype,
    select,
    truth,
    unary,
    usual,
)
from kernlint.lowering.expressions.member_pointers import (
    THROUGH_MEMBERS,
    member_pointer,
    pointed_member,
)
from kernlint.lowering.expressions.operations import note_choice, note_operation
from kernlint.lowering.expressions.operators import (
    extracted,
    overloaded,
    plain_value,
    vector_binary,
    vector_unary,
)
from kernlint.lowering.expressions.places import (
    address_of,
    dereference,
    discard,
    element,
    fresh,
    is_aggregate,
    is_missing,
    materialise,
    missing_part,
    operands_of,
    reduced,
    rvalue,
    scalar,
    subscript_of,
    unknown,
    unknown_value,
    void_value,
)
from kernlint.lowering.expressions.stores import assign, cast, coerce
from kernlint.lowering.expressions.values import (
    STATIC_VALUES,
    Aggregate,
    BracedList,
    FunctionRef,
    MemoryPlace,
    PlacePointer,
    Scalar,
    SplitPlace,
    StaticPlace,
    Value,
    VariablePlace,
)
from kernlint.lowering.scopes import Binding, PackEntity
from kernlint.lowering.templates.class_deduction import given_class
from kernlint.lowering.templates.template_arguments import names_in, plain_name
from kernlint.lowering.types.alignments import told_element
from kernlint.lowering.types.copying import copied_whole
from kernlint.lowering.types.layout import align_of, complete, is_vector, leaves, size_of
from kernlint.lowering.types.typenames import resolve
from kernlint.lowering.usage import walk
from kernlint.source.parser import tree


def condition(low: Lowerer, node: tree.Node) -> ir.Expression:
    """A condition as 0 or not 0."""
    return truth_value(low, expression(low, node), node)


def truth_value(low: Lowerer, value: Value, node: tree.Node) -> ir.Expression:
    if is_aggregate(value.type):
        return scalar(low, coerce(low, value, BOOL, node), node)
    found = rvalue(low, value, node)
    if _is_not_null(found):
        return integer(1, BOOL)
    return truth(scalar(low, found, node))


def _is_not_null(value: Value) -> bool:
    """Whether a value is a place, a lambda or a function. A name that nothing seen declares may as
    well be a constant of a missing header or of the command line that builds the program."""
    if isinstance(value, FunctionRef):
        return bool(value.overloads)
    return isinstance(value, STATIC_VALUES)


# ------------------------------------------------------------------ literals and names


def _constant(low: Lowerer, node: tree.Constant) -> Value:
    return literals.literal(low, node)


def _this(low: Lowerer, node: tree.This) -> Value:
    return (
        PlacePointer(Pointer(low.this.type), low.this)
        if low.this is not None
        else unknown("unsupported")
    )


def _braces(low: Lowerer, node: tree.InitList) -> Value:
    return BracedList(tuple(node.exprs), node)


def _comma(low: Lowerer, node: tree.ExprList) -> Value:
    for one in node.exprs[:-1]:
        statement(low, one)
    return expression(low, node.exprs[-1])


# ------------------------------------------------------------------ binary operators


def _binary(low: Lowerer, node: tree.BinaryOp) -> Value:
    if node.op in ("&&", "||"):
        return _logical(low, node)
    if node.op in THROUGH_MEMBERS:
        return pointed_member(low, node)
    left = expression(low, node.left)
    if not is_aggregate(left.type):
        left = rvalue(low, left, node.left)
    right = expression(low, node.right)
    found = overloaded(low, node.op, [left, right], [node.left, node.right], node)
    if node.op == ">>" and extracted(low, left, right, node):
        return left
    if found is not None:
        return found
    return operate(low, node.op, rvalue(low, left, node.left), rvalue(low, right, node.right), node)


def operate(low: Lowerer, op: str, left: Value, right: Value, node: tree.Node) -> Value:
    """A built-in binary operator on two values; classes with one conversion operator are converted
    first."""
    if op == "<=>":
        low.unsupported(node, "operator", operator=op)
        return unknown("unsupported", None, (*operands_of(left), *operands_of(right)))
    left, right = plain_value(low, left, node), plain_value(low, right, node)
    if isinstance(left, Aggregate) or isinstance(right, Aggregate):
        return vector_binary(low, op, left, right, node)
    if _is_not_null(left) and isinstance(right, Scalar) and op in ("==", "!="):
        return Scalar(integer(int(op == "!="), BOOL))
    if isinstance(left, PlacePointer) and isinstance(right, PlacePointer) and op in ("==", "!="):
        return Scalar(integer(int((left.place is right.place) == (op == "==")), BOOL))
    first, second = scalar(low, left, node), scalar(low, right, node)
    if is_missing(left.type) or is_missing(right.type):
        low.take((first, second), "open")  # the class's own operator may do anything with them
    found = arithmetic(low.language, op, first, second)
    note_operation(low, op, first, second, found, node)
    return Scalar(found)


def _logical(low: Lowerer, node: tree.BinaryOp) -> Value:
    """`&&` and `||`: pure right-hand sides stay expressions, others become a branch."""
    left = condition(low, node.left)
    if isinstance(left, ir.Constant) and bool(left.value) == (node.op == "||"):
        return Scalar(convert(left, BOOL))
    before = low.inlined
    with low.block() as body:
        right = condition(low, node.right)
    kept = kept_arms(low, (node.right,), (before, low.inlined))
    if not body:
        return Scalar(binary(node.op, left, right, kept=bool(kept)))
    if isinstance(left, ir.Constant):
        low.out.extend(body)
        return Scalar(right)
    result = low.temporary(BOOL)
    low.assign(result, left)
    body.append(ir.Assign(result, right))
    test: ir.Expression = ir.Read(BOOL, result)
    test = test if node.op == "&&" else unary("!", test)
    low.emit(ir.If(test, tuple(body), (), low.branch_site(node, node.op, node.left), kept))
    return Scalar(ir.Read(BOOL, result))


def _ternary(low: Lowerer, node: tree.TernaryOp) -> Value:
    held = None
    if node.iftrue is node.cond:  # GNU's `a ?: b`: evaluated once
        held = rvalue(low, expression(low, node.cond), node.cond)
    test = condition(low, node.cond) if held is None else truth_value(low, held, node.cond)
    if isinstance(test, ir.Constant):
        return _decided(low, node, bool(test.value))
    before = low.inlined
    with low.block() as then:
        first = held or rvalue(low, expression(low, node.iftrue), node.iftrue)
    between = low.inlined
    with low.block() as otherwise:
        second = rvalue(low, expression(low, node.iffalse), node.iffalse)
    kept = kept_arms(low, (node.iftrue, node.iffalse), (before, between, low.inlined))
    type_ = _common_type(first, second, low.host)
    if not then and not otherwise:
        chosen = _select(low, test, first, second, type_, node, kept)
        _note_choice(low, chosen, first, second, node)
        return chosen
    result = fresh(low, type_)
    for body, value, source in ((then, first, node.iftrue), (otherwise, second, node.iffalse)):
        outer, low.out = low.out, body
        assign(low, result, value, source, source, True)
        low.out = outer
    low.emit(
        ir.If(test, tuple(then), tuple(otherwise), low.branch_site(node, "?:", node.cond), kept)
    )
    chosen = rvalue(low, result, node)
    _note_choice(low, chosen, first, second, node)
    return chosen


def _note_choice(
    low: Lowerer, chosen: Value, first: Value, second: Value, node: tree.TernaryOp
) -> None:
    if isinstance(chosen, Scalar):
        note_choice(low, chosen.expression, complete(first.type), complete(second.type), node)


def _decided(low: Lowerer, node: tree.TernaryOp, taken: bool) -> Value:
    """A constant condition: the arm taken, in the type that both arms together have (calls are left
    alone: they may recurse)."""
    arm, other = (node.iftrue, node.iffalse) if taken else (node.iffalse, node.iftrue)
    value = expression(low, arm)
    if not isinstance(value.type, (Integer, Float)) or any(
        isinstance(n, (tree.FuncCall, tree.ThrowExpr)) for n in walk(other)
    ):
        return value
    type_ = complete(low.program.type_of(other, low.scope).type)
    if not isinstance(type_, (Integer, Float)) or type_ == value.type:
        return value
    return coerce(low, rvalue(low, value, arm), usual(value.type, type_), arm)


def _common_type(first: Value, second: Value, is_host: bool) -> Type:
    """`is_host`: a number beside what an unknown function returns stays that number."""
    one, other = complete(first.type), complete(second.type)
    if is_host and isinstance(one, OpaqueType) and isinstance(other, (Integer, Float)):
        return other
    if is_host and isinstance(other, OpaqueType) and isinstance(one, (Integer, Float)):
        return one
    if isinstance(first, BracedList):
        return other
    if one == other or isinstance(second, BracedList):
        return one
    if isinstance(one, Pointer) or isinstance(other, Pointer):
        return one if isinstance(one, Pointer) else other
    if is_aggregate(one) or is_aggregate(other):
        return one if is_aggregate(one) else other
    return usual(one, other)


def _select(
    low: Lowerer,
    test: ir.Expression,
    first: Value,
    second: Value,
    type_: Type,
    node: tree.TernaryOp,
    kept: int,
) -> Value:
    first, second = coerce(low, first, type_, node.iftrue), coerce(low, second, type_, node.iffalse)
    if isinstance(first, Aggregate) and isinstance(second, Aggregate):
        return Aggregate(
            type_,
            {
                o: select(test, e, second.leaves[o], kept)
                for o, e in first.leaves.items()
                if o in second.leaves
            },
        )
    return Scalar(
        select(test, scalar(low, first, node.iftrue), scalar(low, second, node.iffalse), kept)
    )


# ------------------------------------------------------------------ assignment


def _assignment(low: Lowerer, node: tree.Assignment) -> Value:
    source = expression(low, node.rvalue)
    if isinstance(source, (Scalar, Aggregate, *STATIC_VALUES, BracedList)):
        pass
    elif not is_aggregate(source.type):
        source = rvalue(low, source, node.rvalue)
    place = expression(low, chosen_place(low, node.lvalue))
    found = overloaded(low, node.op, [place, source], [node.lvalue, node.rvalue], node)
    if found is not None:
        return found
    if node.op == "=":
        with low.charging(
            low.copy_line(node)
            if isinstance(source, MemoryPlace) and copied_whole(low.program, source.type)
            else None
        ):
            assign(low, place, source, node.lvalue, node.rvalue)
        return atomic_objects.assigned(place, source) or place
    op = node.op[:-1]
    found = overloaded(low, op, [place, source], [node.lvalue, node.rvalue], node)
    if found is None:
        found = operate(
            low, op, rvalue(low, place, node.lvalue), rvalue(low, source, node.rvalue), node
        )
    assign(low, place, found, node.lvalue, node.rvalue if is_aggregate(place.type) else node.lvalue)
    return place


# ------------------------------------------------------------------ unary operators


def _unary(low: Lowerer, node: tree.UnaryOp) -> Value:
    op = node.op
    if op in ("sizeof", "alignof", "_Alignof"):
        return _size(low, low.program.type_of(node.expr, low.scope).type, op)
    if op == "&" and isinstance(node.expr, tree.QualifiedName):
        pointer = member_pointer(low, node.expr)
        return pointer or address_of(low, expression(low, node.expr), node)
    is_place = op in ("&", "++", "--", "p++", "p--")
    value = expression(low, chosen_place(low, node.expr) if is_place else node.expr)
    if is_place and op != "&":
        return _step(low, value, op, node)
    found = overloaded(low, op, [value], [node.expr], node)
    if found is not None:
        return found
    return _UNARY.get(op, _negated)(low, value, node)


def _address(low: Lowerer, value: Value, node: tree.UnaryOp) -> Value:
    return address_of(low, value, node)


def _dereferenced(low: Lowerer, value: Value, node: tree.UnaryOp) -> Value:
    return dereference(low, rvalue(low, value, node.expr), node)


def _not(low: Lowerer, value: Value, node: tree.UnaryOp) -> Value:
    test = truth_value(low, rvalue(low, value, node.expr), node.expr)
    return Scalar(unary("!", test, BOOL if low.language == "cuda" else INT))


def _negated(low: Lowerer, value: Value, node: tree.UnaryOp) -> Value:
    """`-`, `~`, `+`."""
    found = rvalue(low, value, node.expr)
    if isinstance(found, Aggregate):
        return vector_unary(low, node.op, found)
    operand = scalar(low, found, node.expr)
    operand = convert(operand, promote(operand.type))
    return Scalar(operand if node.op == "+" else unary(node.op, operand))


_UNARY: dict[str, Callable[[Lowerer, Value, Any], Value]] = {
    "&": _address,
    "*": _dereferenced,
    "!": _not,
}


def _size(low: Lowerer, type_: Type, op: str) -> Value:
    found = size_of(type_) if op == "sizeof" else align_of(type_)
    return (
        Scalar(integer(found, ULONG))
        if found is not None
        else unknown("unknown-type", ULONG, (), True)
    )


def _step(low: Lowerer, place: Value, op: str, node: tree.UnaryOp, used: bool = True) -> Value:
    """`++` and `--`: a load and a store on memory."""
    found = overloaded(
        low, op.removeprefix("p"), [place], [node.expr], node, postfix=op.startswith("p")
    )
    if found is not None:
        return found
    old = rvalue(low, place, node.expr)
    if isinstance(old, PlacePointer):
        old = Scalar(materialise(low, old, node))
        if isinstance(place, StaticPlace) and place.key:
            low.reassigned.add(place.key)
    if (
        isinstance(old, Scalar)
        and op.startswith("p")
        and used
        and not isinstance(old.expression, ir.Constant)
    ):
        held = low.temporary(old.type)
        low.assign(held, old.expression)
        old = Scalar(ir.Read(old.type, held))
    changed = operate(low, op[-1], old, Scalar(integer(1)), node)
    assign(low, place, changed, node.expr, node.expr)
    return old if op.startswith("p") else place


def discarded_step(low: Lowerer, node: tree.UnaryOp) -> None:
    """`i++;` as a statement: the old value is not kept."""
    if node.op in ("++", "--", "p++", "p--"):
        place = expression(low, chosen_place(low, node.expr))
        if not is_aggregate(place.type):
            _step(low, place, node.op.removeprefix("p"), node, False)
            return
    discard(low, expression(low, node), node)


# ------------------------------------------------------------------ casts and sizes


def _cast(low: Lowerer, node: tree.Cast) -> Value:
    target = resolve(low.program, node.to_type, low.scope)
    value = expression(low, node.expr)
    if target.type == VOID:
        discard(low, value, node.expr)
    return cast(low, value, target, node.expr)


def _named_cast(low: Lowerer, node: tree.NamedCast) -> Value:
    target = resolve(low.program, node.to_type, low.scope)
    value = expression(low, node.expr)
    if target.type == VOID:
        discard(low, value, node.expr)
    if node.kind == "bit":
        return reinterpret(rvalue(low, value, node.expr), target.type)
    if (
        target.reference
        and node.kind == "static"
        and not isinstance(complete(target.type), Array)
        and complete(value.type) != complete(target.type)
    ):
        return (
            coerce(low, value, target.type, node.expr)
            if not is_aggregate(value.type)
            else cast(low, value, target, node.expr)
        )
    return cast(low, value, target, node.expr)


def _sizeof_type(low: Lowerer, node: tree.SizeofType) -> Value:
    if node.op == "sizeof...":
        packs = [e for n in names_in(node.type) if isinstance(e := low.scope.find(n), PackEntity)]
        return Scalar(integer(len(packs[0].items) if packs else 0, ULONG))
    # `sizeof(x)`, where x is a variable that the parser could not know: a generic lambda's parameter
    name = plain_name(node.type)
    if isinstance(name, tree.ID) and isinstance(low.scope.find(name.name), Binding):
        return _size(low, low.program.type_of(name, low.scope).type, node.op)
    return _size(low, resolve(low.program, node.type, low.scope).type, node.op)


# ------------------------------------------------------------------ subscripts and members


def _subscript(low: Lowerer, node: tree.ArrayRef) -> Value:
    base = expression(low, node.name)
    index = expression(low, node.subscript)
    found = overloaded(low, "[]", [base, index], [node.name, node.subscript], node)
    if found is not None:
        return found
    if is_aggregate(index.type):
        index = coerce(low, index, INT, node.subscript)
    return subscript(low, base, scalar(low, index, node.subscript), node)


def subscript(low: Lowerer, base: Value, index: ir.Expression, node: tree.ArrayRef) -> Value:
    """`base[index]` for arrays, pointers and vectors held in variables."""
    if isinstance(base, (SplitPlace, Aggregate)) and is_vector(base.type):
        return _component(low, base, index, node)
    if isinstance(base, MemoryPlace) and is_missing(base.type):
        return missing_part(base, (index,))
    held = rvalue(low, base, node.name)
    if isinstance(held, PlacePointer):
        if isinstance(index, ir.Constant) and index.value == 0:
            return dereference(low, held, node)
        held = Scalar(materialise(low, held, node))
    if isinstance(held, Aggregate):
        array = complete(held.type)
        return (
            element(held, array, index)
            if isinstance(array, Array)
            else _component(low, held, index, node)
        )
    if not isinstance(held, Scalar):
        return unknown(
            "unknown-type" if isinstance(held, FunctionRef) else "unsupported",
            None,
            (index,),
            what=low.text(node),
        )
    pointer, offset = held.expression, index
    if isinstance(offset.type, Pointer):
        pointer, offset = offset, pointer
    if not isinstance(pointer.type, Pointer):
        return unknown_value(OpaqueType("?"), "unknown-type", (pointer, offset), low.text(node))
    pointee = complete(pointer.type.pointee)
    found = dereference(
        low,
        Scalar(retype(pointer_add(pointer, offset, size_of(pointee), pointer.type), pointer.type)),
        node,
    )
    if (
        isinstance(base, MemoryPlace)
        and isinstance(found, MemoryPlace)
        and isinstance(complete(base.type), Array)
    ):
        found.align = reduced(base.align, size_of(pointee) or 1, pointee) if base.align else 0
        found.told = told_element(base, index, pointee)
        found.subscripts = (*base.subscripts, *subscript_of(base, index))
    return found


def _component(low: Lowerer, base: Value, index: ir.Expression, node: tree.Node) -> Value:
    parts = leaves(base.type)
    if isinstance(index, ir.Constant) and 0 <= int(index.value) < len(parts):
        offset, type_, _ = parts[int(index.value)]
        if isinstance(base, SplitPlace):
            return VariablePlace(base.leaves[base.base + offset], base.key)
        return (
            Scalar(base.leaves[offset])
            if isinstance(base, Aggregate) and offset in base.leaves
            else unknown("unsupported", type_)
        )
    if isinstance(base, SplitPlace) and base.key:
        low.escaped.add(base.key)
    held = rvalue(low, base, node)
    return unknown("unsupported", parts[0][1] if parts else None, (index, *operands_of(held)), True)


# ------------------------------------------------------------------ others


def _statement_expression(low: Lowerer, node: tree.StatementExpr) -> Value:
    items = node.body.block_items
    with low.scoped():
        for item in items[:-1]:
            statement(low, item)
        if not items:
            return void_value()
        if type(items[-1]) in low.handlers.expressions:
            return rvalue(low, expression(low, items[-1]), items[-1])
        statement(low, items[-1])
    return void_value()


def _throw(low: Lowerer, node: tree.ThrowExpr) -> Value:
    low.emit(ir.Trap(low.span(node)))
    low.terminated = True
    return void_value()


def _construct(low: Lowerer, node: tree.Construct) -> Value:
    deduced = given_class(low, node.type, node.args)
    return construct_nodes(
        low,
        deduced if deduced is not None else resolve(low.program, node.type, low.scope).type,
        node.args,
        node,
        node.braces,
    )


def _constructor_init(low: Lowerer, node: tree.ConstructorInit) -> Value:
    return BracedList(tuple(node.args), node)


def _delete(low: Lowerer, node: tree.DeleteExpr) -> Value:
    low.take(operands_of(rvalue(low, expression(low, node.expr), node.expr)), "open")
    return void_value()


def _attributed(low: Lowerer, node: tree.Attributed) -> Value:
    return expression(low, node.stmt)


EXPRESSIONS: dict[type, ExpressionHandler] = {
        tree.Constant: _constant, tree.BinaryOp: _binary, tree.UnaryOp: _unary, tree.TernaryOp: _ternary, tree.Assignment: _assignment,
        tree.Cast: _cast, tree.ArrayRef: _subscript, tree.ExprList: _comma, tree.InitList: _braces,
        tree.This: _this, tree.NamedCast: _named_cast, tree.Construct: _construct, tree.SizeofType: _sizeof_type,
        tree.StatementExpr: _statement_expression, tree.ThrowExpr: _throw, tree.ConstructorInit: _constructor_init,
        tree.DeleteExpr: _delete,
        tree.Attributed: _attributed,
}  # fmt: skip
