"""Template arguments: evaluating, binding, expanding packs, printing. `deduction.py` finds them.

In: parameter and argument syntax, argument types. Out: argument tuples (`Qualified` for types,
`TemplateValue`, `TemplateFunction`, class templates, tuples for packs) and the scopes that bind
them. None wherever arguments do not fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy

from kernlint.base.dataclass import dataclass
from kernlint.ir import nodes as ir
from kernlint.ir.types import Integer, Record, Type
from kernlint.lowering.context import ProgramContext
from kernlint.lowering.declared_names import function_name, lookup_path, name_parts
from kernlint.lowering.expressions.fold import convert
from kernlint.lowering.expressions.values import (
    Aggregate,
    AutoPlaceholder,
    ConstantPlace,
    FunctionRef,
    FunctionType,
    Qualified,
    Scalar,
    StaticPlace,
    Value,
)
from kernlint.lowering.scopes import (
    AliasTemplate,
    Binding,
    ClassInfo,
    ClassTemplate,
    Entity,
    PackEntity,
    Scope,
    TypeEntity,
)
from kernlint.lowering.types.layout import complete as complete_type
from kernlint.source.parser import tree


@dataclass(frozen=True, slots=True)
class TemplateValue:
    """A value argument; `value` None when only its type is known (a kernel template nobody
    instantiates)."""

    type: Type
    value: int | float | None
    name: str = ""  # the parameter's whose value is not known: one name, one value


@dataclass(frozen=True, slots=True)
class TemplateObject:
    """An argument of class type (C++20): the values of its scalar parts by byte offset."""

    type: Type
    parts: tuple[tuple[int, Type, int | float], ...]


@dataclass(frozen=True, slots=True)
class TemplateFunction:
    """A function (or one of its overloads) given as an argument, or a name that nothing seen
    defines; `own`: the text of its own template arguments."""

    function: FunctionRef
    own: str = ""


LONGEST = 40  # characters of an argument that is shown as it is written
BUILT_IN_WORDS = frozenset(
    (
        "unsigned",
        "signed",
        "int",
        "long",
        "short",
        "char",
        "bool",
        "wchar_t",
        "char8_t",
        "char16_t",
        "char32_t",
        "float",
        "double",
    )
)

# Qualified | TemplateValue | TemplateObject | TemplateFunction | ClassTemplate | AliasTemplate | tuple of these for
# a pack
Argument = object


def canonical(argument: Argument) -> str:
    """As nvcc's demangler prints it: canonical type names, decimal integers, 0/1 for bool,
    `(Layout)2` for an enumerator."""
    if isinstance(argument, Qualified):
        return f"{'const ' if argument.const else ''}{argument.type}{argument.reference}"
    if isinstance(argument, TemplateValue):
        if argument.value is None:
            return "?"
        value = str(int(argument.value) if isinstance(argument.value, bool) else argument.value)
        return (
            value
            if BUILT_IN_WORDS.issuperset(str(argument.type).split())
            else f"({argument.type}){value}"
        )
    if isinstance(argument, TemplateObject):
        return f"{argument.type}{{{', '.join(_number(value) for _, _, value in argument.parts)}}}"
    if isinstance(argument, TemplateFunction):
        return _function_name(argument)
    if isinstance(argument, (ClassTemplate, AliasTemplate)):
        return argument.name
    return str(argument)


def _function_name(argument: TemplateFunction) -> str:
    """A function's with `&`, a member's with its class too; what nothing seen defines is shown as
    written."""
    function = argument.function
    if not function.overloads:
        type_ = function.type
        is_member = isinstance(type_, FunctionType) and isinstance(type_.definition, tuple)
        return f"&{function.name}" if is_member else function.name
    owner = function.overloads[0].owner
    of_class = f"{owner.name}::" if owner is not None else ""
    return f"&{of_class}{function.name}{argument.own}"


def _number(value: int | float) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)


def flatten(arguments: Iterable[Argument]) -> tuple[str, ...]:
    """Canonical texts of all arguments, packs spread out."""
    texts: list[str] = []
    for argument in arguments:
        texts += (
            [canonical(a) for a in argument]
            if isinstance(argument, tuple)
            else [canonical(argument)]
        )
    return tuple(texts)


def evaluate(
    program: ProgramContext,
    parameter: tree.TemplateParam,
    node: tree.Node,
    scope: Scope,
    home: Scope,
) -> Argument | None:
    """One argument as written, for `parameter`; `home` is where the parameter's own type is looked
    up."""
    if parameter.kind == "type":
        if isinstance(node, tree.ID):
            found = scope.find(node.name)
            if isinstance(found, Binding):
                return None
        elif not isinstance(
            node,
            (
                tree.Typename,
                tree.TemplateId,
                tree.QualifiedName,
                tree.NameType,
                tree.PackExpansion,
            ),
        ):
            return None
        return program.resolve(node, scope)
    if parameter.kind == "template":
        name = plain_name(node)
        return _named_template(program, name, scope) if name is not None else None
    return _value(program, parameter, node, scope, home)


def _named_template(
    program: ProgramContext, name: tree.Node, scope: Scope
) -> ClassTemplate | AliasTemplate | None:
    """The template of classes that is named, in a namespace or, as in `P::template Pack`, a
    class."""
    found = lookup_path(name_parts(name), scope)
    if found is None and isinstance(name, tree.QualifiedName):
        path = tree.QualifiedName(name.parts[:-1], name.is_global, coord=name.coord)
        owner = complete_type(program.resolve(tree.NameType(path, name.coord), scope).type)
        inside = owner.definition if isinstance(owner, Record) else None
        found = (
            inside.scope.member(function_name(name.parts[-1]))
            if isinstance(inside, ClassInfo)
            else None
        )
    return found if isinstance(found, (ClassTemplate, AliasTemplate)) else None


def plain_name(node: tree.Node) -> tree.Node | None:
    """The name inside `Typename(TypeDecl(IdentifierType([name])))`, as an expression; None for
    anything else."""
    if isinstance(node, (tree.ID, tree.TemplateId, tree.QualifiedName)):
        return node
    if isinstance(node, tree.Typename):
        inner = node.type.type if isinstance(node.type, tree.TypeDecl) else node.type
        if isinstance(inner, tree.IdentifierType) and len(inner.names) == 1:
            return tree.ID(inner.names[0], coord=node.coord)
        if isinstance(inner, tree.NameType):
            return inner.name
    return None


def _value(
    program: ProgramContext,
    parameter: tree.TemplateParam,
    node: tree.Node,
    scope: Scope,
    home: Scope,
) -> Argument | None:
    node = plain_name(node) or node
    if isinstance(node, tree.Typename):
        return None
    target = program.resolve(parameter.type, home).type
    value = _written_value(program, node, scope)
    if isinstance(value, FunctionRef) and isinstance(target, Integer) and not value.overloads:
        # no number is a function: one that is not known
        return TemplateValue(target, None, parameter.name or "")
    if isinstance(value, FunctionRef):
        return of_function(
            program, value if value.name else FunctionRef((), _written(program, node))
        )
    if isinstance(target, Record):
        return object_argument(target, value)
    if not isinstance(value, Scalar):
        return None
    wanted = value.type if isinstance(target, AutoPlaceholder) else target
    folded = convert(value.expression, wanted)
    if isinstance(folded, ir.Constant):
        return TemplateValue(wanted, folded.value)
    if not isinstance(folded, ir.Unknown) or not folded.pure or folded.operands:
        return TemplateValue(wanted, None)
    return TemplateValue(wanted, None, folded.what)


def object_argument(target: Type, value: Value) -> TemplateObject | None:
    """A constant of class type, `Config{.pad = 1}`."""
    if not isinstance(value, Aggregate):
        return None
    parts = sorted(value.leaves.items())
    if not all(isinstance(e, ir.Constant) for _, e in parts):
        return None
    return TemplateObject(
        target, tuple((o, e.type, e.value) for o, e in parts if isinstance(e, ir.Constant))
    )


def _written(program: ProgramContext, node: tree.Node) -> str:
    """An argument whose value is not known, as the user wrote it; what is long or comes of a macro
    is left out."""
    if isinstance(node, (tree.ID, tree.QualifiedName)):
        return "::".join(name_parts(node))
    text = program.text(node.coord) if not node.coord.macro else ""
    return text if 0 < len(text) <= LONGEST else "…"


def of_function(program: ProgramContext, value: FunctionRef) -> TemplateFunction:
    """The function as an argument. Where its own arguments are written, it is told apart from
    others of its template by them."""
    if value.arguments is not None and value.arguments_scope is not None:
        for entity in value.overloads:
            own = complete(
                program,
                entity.parameters or (),
                value.arguments,
                value.arguments_scope,
                {},
                entity.scope,
            )
            if own is not None:
                return TemplateFunction(value, f"<{', '.join(flatten(own))}>")
    return TemplateFunction(value)


def _written_value(program: ProgramContext, node: tree.Node, scope: Scope) -> Value:
    """The value of an argument. In a namespace one spelling has one value: lists of explicit
    instantiations repeat a few many times."""
    where: Scope | None = scope
    while where is not None and where.kind == "namespace":
        where = where.parent
    if where is not None or isinstance(node, (tree.ID, tree.Constant)):
        return program.static_value(node, scope)
    key = (id(scope), _spelling(node))
    if key not in program.spelt:
        program.spelt[key] = program.static_value(node, scope)
    return program.spelt[key]


def _spelling(part: object) -> object:
    """What tells two expressions apart wherever they stand."""
    if isinstance(part, (list, tuple)):
        return tuple(_spelling(one) for one in part)
    if isinstance(part, tree.Node):
        slots = [name for cls in type(part).__mro__ for name in getattr(cls, "__slots__", ())]
        return type(part), *(
            _spelling(getattr(part, name)) for name in slots if name not in ("coord", "__weakref__")
        )
    return part if isinstance(part, str) else repr(part)


def entity_of(argument: Argument, scope: Scope) -> Entity:
    """What a template parameter's name stands for inside the template."""
    if isinstance(argument, Qualified):
        return TypeEntity(None, scope, argument)
    if isinstance(argument, TemplateValue):
        if argument.value is None:
            return Binding(
                Scalar(ir.Unknown(argument.type, "unknown-argument", (), True, argument.name))
            )
        return Binding(ConstantPlace(ir.Constant(argument.type, argument.value)))
    if isinstance(argument, TemplateObject):
        leaves = {offset: ir.Constant(type_, value) for offset, type_, value in argument.parts}
        return Binding(Aggregate(argument.type, {**leaves}))
    if isinstance(argument, TemplateFunction):
        return Binding(StaticPlace(argument.function))
    if isinstance(argument, (ClassTemplate, AliasTemplate)):
        return argument
    assert isinstance(argument, tuple)
    return PackEntity(tuple(entity_of(a, scope) for a in argument))


def bind(
    parameters: tuple[tree.TemplateParam, ...], arguments: Iterable[Argument], parent: Scope
) -> Scope:
    """A scope in which the parameters' names stand for the arguments."""
    scope = Scope(parent, "template")
    for parameter, argument in zip(parameters, arguments, strict=False):
        if parameter.name:
            scope.names[parameter.name] = entity_of(argument, scope)
    return scope


def complete(
    program: ProgramContext,
    parameters: tuple[tree.TemplateParam, ...],
    explicit: tuple[tree.Operand, ...],
    scope: Scope,
    deduced: dict[str, Argument],
    parent: Scope,
) -> tuple[Argument, ...] | None:
    """All arguments: explicit ones first, then deduced ones, then defaults. None when one is
    missing or of the wrong kind."""
    made: list[Argument] = []
    given = expand_packs(explicit, scope)
    position = 0
    for parameter in parameters:
        home = bind(parameters, made, parent)
        if parameter.is_pack:
            pack = [
                evaluate(program, parameter, node, where, home) for node, where in given[position:]
            ]
            if any(argument is None for argument in pack):
                return None
            position = len(given)
            made.append(tuple(pack) if pack else deduced.get(parameter.name, ()))
            continue
        if position < len(given):
            node, where = given[position]
            argument = evaluate(program, parameter, node, where, home)
            position += 1
        elif parameter.name in deduced:
            argument = deduced[parameter.name]
            if (
                isinstance(argument, TemplateValue)
                and argument.value is not None
                and parameter.kind == "value"
            ):
                target = program.resolve(parameter.type, home).type
                argument = (
                    argument
                    if isinstance(target, AutoPlaceholder)
                    else TemplateValue(target, argument.value)
                )
        elif parameter.default is not None:
            argument = evaluate(program, parameter, parameter.default, home, home)
        else:
            return None
        if argument is None:
            return None
        made.append(argument)
    return tuple(made) if position == len(given) else None


def expand_packs(nodes: Iterable[tree.Operand], scope: Scope) -> list[tuple[tree.Operand, Scope]]:
    """Argument nodes with `pattern...` spread over the packs it names, each with the scope in which
    its names have one meaning."""
    found: list[tuple[tree.Operand, Scope]] = []
    for node in nodes:
        pattern = pack_pattern(node)
        if pattern is None:
            found.append((node, scope))
            continue
        found += [(pattern, where) for where in pack_scopes(pattern, scope)]
    return found


class Expanded(tree.Expr):
    """One element of `pattern...` in a list: the pattern, and the scope in which its names have one
    meaning."""

    __slots__ = ("__weakref__", "coord", "pattern", "scope")

    def __init__(self, pattern: tree.Operand, scope: Scope) -> None:
        self.pattern, self.scope, self.coord = pattern, scope, pattern.coord

    def children(self) -> tuple[tuple[str, tree.Node], ...]:
        return (("pattern", self.pattern),)


def spread(items: Sequence[tree.Operand], scope: Scope) -> Sequence[tree.Operand]:
    """The items of a list with packs expanded, as far as their elements are known."""
    found: list[tree.Operand] = []
    for item in items:
        pattern = pack_pattern(item)
        known = pattern is not None and any(
            isinstance(scope.find(name), PackEntity) for name in names_in(pattern)
        )
        found += (
            [Expanded(pattern, where) for where in pack_scopes(pattern, scope)]
            if pattern is not None and known
            else [item]
        )
    return found


def pack_pattern(node: tree.Operand) -> tree.Operand | None:
    """What is repeated; the grammar binds `...` to the last operand (`2 * x...`), C++ to all of the
    expression."""
    if isinstance(node, tree.PackExpansion):
        return node.pattern
    inner = node.type if isinstance(node, tree.Typename) else None
    if isinstance(inner, tree.PackExpansion):
        return inner.pattern
    last = _LAST_OPERAND.get(type(node))
    pattern = pack_pattern(getattr(node, last)) if last is not None else None
    if last is None or pattern is None:
        return None
    whole = copy(node)
    setattr(whole, last, pattern)
    return whole


_LAST_OPERAND = {
    tree.UnaryOp: "expr",
    tree.BinaryOp: "right",
    tree.Cast: "expr",
    tree.TernaryOp: "iffalse",
    tree.Assignment: "rvalue",
}


def pack_scopes(pattern: tree.Node, scope: Scope) -> list[Scope]:
    """One scope per element of the packs that `pattern` names."""
    packs = {
        name: entity
        for name in names_in(pattern)
        if isinstance(entity := scope.find(name), PackEntity)
    }
    if not packs:
        return []
    scopes: list[Scope] = []
    for i in range(min(len(p.items) for p in packs.values())):
        scopes.append(
            Scope(scope, "block", names={name: pack.items[i] for name, pack in packs.items()})
        )
    return scopes


def names_in(node: tree.Node) -> set[str]:
    """Every identifier spelled in a piece of syntax."""
    found: set[str] = set()
    stack = [node]
    while stack:
        one = stack.pop()
        if isinstance(one, tree.ID):
            found.add(one.name)
        elif isinstance(one, tree.IdentifierType):
            found.update(one.names)
        elif isinstance(one, tree.TemplateId):
            found.add(one.name)
        stack += [child for _, child in one.children()]
    return found
