"""The object that a method of host code is run on where nothing calls it.

In: a method and the class around it. Out: an object that its only constructor made of arguments
that nobody knows; members that any function but the constructor may change are unknown: those that are
not private, and all of a class with friends or with methods that another file defines. Never for
templates.
"""

from __future__ import annotations

from kernlint.ir import nodes as ir
from kernlint.ir.types import Pointer
from kernlint.lowering import host_variables
from kernlint.lowering.calls.inlining import inline_body
from kernlint.lowering.context import Lowerer, ProgramContext
from kernlint.lowering.declare import parameter_list, parameter_type, type_spelling
from kernlint.lowering.expressions import construct
from kernlint.lowering.expressions.places import fresh, unknown_value
from kernlint.lowering.expressions.stores import assign
from kernlint.lowering.expressions.values import Place, SplitPlace, Value, VariablePlace
from kernlint.lowering.scopes import ClassInfo, FunctionEntity, TypeEntity
from kernlint.lowering.types.classes import class_info, class_type
from kernlint.lowering.types.layout import leaves
from kernlint.source.parser import tree


def class_around(program: ProgramContext, entity: FunctionEntity) -> ClassInfo | None:
    """The class of a method that is run as it stands; None for templates and free functions."""
    node = entity.class_node
    if node is None or entity.parameters or not isinstance(node.name, str):
        return None
    found = entity.scope.names.get(node.name)
    if not isinstance(found, TypeEntity) or found.node is not node:
        return None
    return class_info(class_type(program, found))


def made(low: Lowerer, entity: FunctionEntity, info: ClassInfo) -> Place | None:
    """The object, whose members are variables of the host code; None where the method has none."""
    record = info.record
    if record is None or entity.is_static or "static" in entity.node.specifiers:
        return None
    return fresh(low, record, "", id(info.node), info.node)


def lose_member(low: Lowerer, place: SplitPlace, offset: int, name: str, node: tree.Node) -> None:
    """A member may be anything; a pointer is taken to be the start of an allocation."""
    variable = place.leaves[offset]
    if isinstance(variable.type, Pointer):
        low.emit(ir.Allocate(variable, low.span(node)))
        return
    unknown = unknown_value(variable.type, "loaded-value", (), name)
    assign(low, VariablePlace(variable, 0), unknown, node, node)


def run_constructor(
    low: Lowerer, info: ClassInfo, place: Place, values: list[Value], nodes: list[tree.Node]
) -> None:
    """What the class's constructor sets, or the members' own initialisers; behind it members that
    are changed elsewhere are unknown again."""
    members = leaves(place.type) if isinstance(place, SplitPlace) else []
    for offset, _, suffix in members:
        assert isinstance(place, SplitPlace)
        lose_member(low, place, offset, suffix.lstrip("."), info.node)
    constructor = only_constructor(info)
    if constructor is not None:
        inline_body(low, constructor, info.scope, values, nodes, info.node, place, info)
    elif not info.constructors:
        construct.default_members(low, place, info, set())
    makers = {id(one.node) for one in info.constructors}
    kept = _kept_members(info.node)
    for offset, _, suffix in members:
        assert isinstance(place, SplitPlace)
        name = suffix.lstrip(".").split(".")[0]
        if name not in kept or host_variables.is_changed(low.program, name, makers):
            lose_member(low, place, offset, suffix.lstrip("."), info.node)


def _kept_members(node: tree.ClassDef) -> frozenset[str]:
    """The data members that no other file can change, nor who is handed a reference."""
    found, referred = set[str](), set[str]()
    access = "private" if node.kind == "class" else "public"
    for member in node.members:
        if isinstance(member, tree.AccessLabel):
            access = member.access
        inner = member.decl if isinstance(member, tree.TemplateDecl) else member
        if isinstance(inner, tree.Friend) or _is_open(inner):
            return frozenset()
        if isinstance(inner, tree.Function) and isinstance(inner.type.type, tree.RefDecl):
            referred |= inner.lazy_body.words() if inner.lazy_body is not None else set()
        if access == "private":
            group = inner.decls if isinstance(inner, tree.DeclGroup) else (inner,)
            found |= {one.name for one in group if isinstance(one, tree.Decl) and one.name}
    return frozenset(found - referred)


def _is_open(member: tree.Node) -> bool:
    """Whether it is a method that another file defines and that may change members."""
    if not isinstance(member, tree.Function) or member.lazy_body is not None:
        return False
    return not {"const", "default", "delete"} & set(member.quals)


def only_constructor(info: ClassInfo) -> FunctionEntity | None:
    """The constructor that makes every object but copies, if its body is there."""
    own = [one for one in info.constructors if not _copies(info, one)]
    [one] = own if len(own) == 1 else [None]
    is_followed = one is not None and one.parameters is None and one.node.lazy_body is not None
    return one if is_followed else None


def _copies(info: ClassInfo, constructor: FunctionEntity) -> bool:
    taken = [type_spelling(parameter_type(one)) for one in parameter_list(constructor.node)]
    return len(taken) == 1 and info.node_name() in str(taken[0])
