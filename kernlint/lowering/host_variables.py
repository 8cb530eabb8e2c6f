"""What host code knows of variables with static storage: whether one still has its initial value
where a launch is made, and what becomes of it in code that is not followed.

In: GlobalVariable entities, the functions of the file as written. Out: answers, and assignments of
unknown values through the Lowerer. A variable has its initial value at the start of `main`. At the
start of any other function it has it only where nothing can have changed it: it is not visible
outside of the file, and no function of the file assigns it or hands it out.
"""

from __future__ import annotations

from kernlint.base.span import SourceError
from kernlint.ir import nodes as ir
from kernlint.ir.types import Pointer
from kernlint.lowering.context import Lowerer, ProgramContext
from kernlint.lowering.declare import namespace_name, parameter_list
from kernlint.lowering.declared_names import function_name
from kernlint.lowering.expressions.places import unknown_value
from kernlint.lowering.expressions.stores import assign
from kernlint.lowering.expressions.values import MemoryPlace, SplitPlace, Value, VariablePlace
from kernlint.lowering.scopes import (
    FunctionEntity,
    FunctionSet,
    GlobalVariable,
    NamespaceEntity,
    Scope,
)
from kernlint.lowering.usage import assigned_names, walk
from kernlint.source.parser import tree

# Functions of the C library that take numbers by value.
_BY_VALUE = frozenset(
    [
        "printf",
        "fprintf",
        "sprintf",
        "snprintf",
        "malloc",
        "calloc",
        "memset",
        "memcpy",
        "exit",
        "assert",
        "sqrt",
        "pow",
        "abs",
        "min",
        "max",
        "ceil",
        "floor",
        "log",
        "log2",
        "rand",
        "srand",
        "free",
        "usleep",
        "sleep",
    ]
)


def has_initial_value(low: Lowerer, variable: GlobalVariable) -> bool:
    """Whether a variable that is not constant has its initial value where the host function being
    lowered begins."""
    if low.constant or is_defined_elsewhere(variable):
        return False
    if _is_kept(low.program, variable):
        return True
    if "all" in low.lost_variables or (
        "visible" in low.lost_variables and not _is_internal(variable)
    ):
        return False
    first = low.frames[0].entity if low.frames else None
    return first is not None and first.name == "main"


def is_defined_elsewhere(variable: GlobalVariable) -> bool:
    """Whether this is a declaration alone, whose initial value another file gives."""
    storage = variable.node.storage
    declares = "extern" in storage or (variable.scope.kind == "class" and "static" in storage)
    return declares and variable.node.init is None


def _is_kept(program: ProgramContext, variable: GlobalVariable) -> bool:
    """Whether nothing can change the variable: no function of the file does, and no other file
    names it."""
    return _is_internal(variable) and not _may_change(program, variable.node.name or "")


def _is_internal(variable: GlobalVariable) -> bool:
    """Whether no other file can name the variable ([basic.link] of the standard); a data member of
    a class is visible wherever the class is."""
    scope = variable.scope
    if scope.kind == "class":
        return False
    while scope.parent is not None:
        if scope.kind == "block" or (scope.kind == "namespace" and not scope.name):
            return True
        scope = scope.parent
    return "static" in variable.node.storage


def lose(low: Lowerer, every: bool) -> None:
    """A function that is not followed may change variables: those that it can name, which are
    `every` one where this file defines it."""
    if not low.host or low.constant:
        return
    low.lost_variables |= {"all" if every else "visible"}
    for variable, place in list(low.host_variables):
        if (every or not _is_internal(variable)) and not _is_kept(low.program, variable):
            make_unknown(low, place, variable.node)


def make_unknown(low: Lowerer, place: Value, node: tree.Decl) -> None:
    """Any value; a pointer is taken to be the start of an allocation, as those that a host function
    is handed."""
    name = node.name or ""
    if isinstance(place, VariablePlace) and isinstance(place.type, Pointer):
        low.emit(ir.Allocate(place.variable, low.span(node)))
    elif isinstance(place, SplitPlace):
        assign(low, place, unknown_value(place.type, "unknown-argument", (), name), node, node)
        for variable in place.leaves.values():
            if isinstance(variable.type, Pointer):
                low.emit(ir.Allocate(variable, low.span(node)))
    elif isinstance(place, VariablePlace):
        assign(low, place, unknown_value(place.type, "unknown-argument", (), name), node, node)
    elif isinstance(place, MemoryPlace):
        low.emit(ir.Clobber(name, (place.address,), low.span(node)))


# ------------------------------------------------------------------ the file as written


def _may_change(program: ProgramContext, name: str) -> bool:
    """Whether any function of the file assigns a variable of this name, or hands it to what may."""
    known = program.changing.get(name)
    if known is None:
        known = program.changing[name] = any(
            _changes(program, entity, name) for entity in program.functions + methods(program)
        )
    return known


def is_changed(program: ProgramContext, name: str, apart_from: set[int]) -> bool:
    """Whether any function of the file changes a variable or a member of this name; `apart_from`:
    identities of the functions that do not count."""
    known = program.changing_member.get(name)
    if known is None:
        known = program.changing_member[name] = frozenset(
            id(entity.node)
            for entity in program.functions + methods(program)
            if _changes(program, entity, name)
        )
    return not known <= apart_from


def _changes(program: ProgramContext, entity: FunctionEntity, name: str) -> bool:
    written = entity.node.lazy_body
    if written is None or name not in written.words():
        return False
    try:
        body = entity.body()
    except SourceError:
        return True
    return name in assigned_names(body) or any(
        _hands_out(program, node, name) for node in walk(body)
    )


def _hands_out(program: ProgramContext, node: tree.Node, name: str) -> bool:
    """Whether a node lets something else refer to the variable."""
    match node:
        case tree.FuncCall():
            if isinstance(node.name, tree.StructRef) and _is_named(node.name.name, name):
                return True
            given = node.args.exprs if node.args is not None else []
            return any(_is_named(e, name) for e in given) and _takes_references(program, node.name)
        case tree.BinaryOp():
            return node.op == ">>" and _is_named(node.right, name)
        case tree.Decl():
            return isinstance(node.type, tree.RefDecl) and _is_named(node.init, name)
    return False


def _is_named(node: tree.Node | None, name: str) -> bool:
    return isinstance(node, tree.ID) and node.name == name


def _takes_references(program: ProgramContext, callee: tree.Node) -> bool:
    name = function_name(callee)
    found = program.scope.find(name)
    if not isinstance(found, FunctionSet):
        return name not in _BY_VALUE
    return any(
        isinstance(getattr(parameter, "type", None), tree.RefDecl)
        for entity in found.overloads
        for parameter in parameter_list(entity.node)
    )


def methods(program: ProgramContext) -> list[FunctionEntity]:
    """Methods and constructors of classes as written (templates too), in the scopes of the
    namespaces around the classes."""
    found: list[FunctionEntity] = []
    templated: dict[int, tuple[tree.TemplateParam, ...]] = {}
    stack: list[tuple[tree.Declaration, Scope]] = [
        (node, program.scope) for node in program.unit.declarations
    ]
    while stack:
        node, scope = stack.pop()
        if isinstance(node, tree.TemplateDecl):
            stack.append((node.decl, scope))
            if isinstance(node.decl, tree.ClassDef):
                templated[id(node.decl)] = tuple(node.params)
        elif isinstance(node, tree.Namespace):
            inner_scope = _of_namespace(node, scope)
            stack += [(one, inner_scope) for one in node.decls]
        elif isinstance(node, (tree.ExternBlock, tree.DeclGroup)):
            stack += [(one, scope) for one in node.decls]
        elif isinstance(node, tree.ClassDef):
            for one in node.members:
                inner = one.decl if isinstance(one, tree.TemplateDecl) else one
                if isinstance(inner, tree.Function):
                    found.append(_method(scope, inner, node, templated.get(id(node), ())))
                elif isinstance(inner, tree.ClassDef):
                    stack.append((inner, scope))
    return found


def _of_namespace(node: tree.Namespace, scope: Scope) -> Scope:
    found = scope.names.get(namespace_name(node))
    return found.scope if isinstance(found, NamespaceEntity) else scope


def _method(
    scope: Scope,
    node: tree.Function,
    owner: tree.ClassDef,
    parameters: tuple[tree.TemplateParam, ...],
) -> FunctionEntity:
    name = function_name(node.name) or function_name(owner.name)
    return FunctionEntity(name, node, scope, parameters, None, [], ("method",), {}, owner)
