"""Types taken for template parameters that nobody gives: a kernel that no launch names, a host
template that nobody calls.

In: a function's syntax and its type parameters. Out: the type a parameter is taken to be, or None
where it stands for a class or nothing says that it is a scalar. What is taken is told as an
assumption of the kernel, so that no number that rests on it is called exact; a launch directive
(`kernel=name<double>`) or `--kernel` gives the arguments instead.

The rule: a type whose variables are used as an index, as a loop counter or in operations on bits is
`int`; one that the source treats as a scalar otherwise is `float`; one whose members are named or
whose objects are called is a class and stays unknown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from kernlint.base.dataclass import dataclass
from kernlint.base.per_object import PerObject
from kernlint.ir.types import FLOAT, INT, Integer, OpaqueType, Type
from kernlint.lowering.context import ProgramContext
from kernlint.lowering.declare import parameter_list, parameter_types
from kernlint.lowering.declared_names import function_name
from kernlint.lowering.expressions.values import AutoPlaceholder, Qualified
from kernlint.lowering.scopes import Scope
from kernlint.lowering.templates import template_arguments
from kernlint.lowering.usage import walk
from kernlint.source.parser import tree

_BIT_OPERATORS = frozenset({"%", "&", "|", "^", "<<", ">>", "%=", "&=", "|=", "^=", "<<=", ">>="})
_THREAD_WORDS = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim"})
_INDEX_NAME = re.compile(
    r"(?i)(^|_)(idx|index|itype|size|offset|int|integer)(_?t(ype)?)?$|^(Index|Idx|Int|Itype)"
)
_SCALAR_NAME = re.compile(r"(?i)^[TU]$|scalar|dtype|float|acc|elem|value|data|real")
MAX_DEPTH = 4  # of templates that hand a parameter on to another


@dataclass(frozen=True, slots=True)
class Usage:
    """What one function does with names of types: which are classes, which count or index, which it
    treats as scalars otherwise."""

    classes: frozenset[str]
    integers: frozenset[str]
    scalars: frozenset[str]
    handed_on: tuple[tuple[str, str, int], ...]  # (type, template, position): `other<T>(…)`


def type_of(
    program: ProgramContext, function: tree.Function, parameter: tree.TemplateParam, depth: int = 0
) -> Type | None:
    """What a type parameter without a default is taken to be; None for a class, a pack, or where
    nothing says."""
    name = parameter.name
    is_open = parameter.default is None and not parameter.is_pack
    if parameter.kind != "type" or not is_open or not name:
        return None
    used = _usage(function)
    if name in used.classes:
        return None
    found = INT if name in used.integers or _INDEX_NAME.search(name) else None
    if found is None and depth < MAX_DEPTH:
        kinds = [
            _handed_on(program, template, position, depth)
            for given, template, position in used.handed_on
            if given == name
        ]
        if None in kinds:
            return None
        found = next((kind for kind in kinds if kind == INT), None)
    if found is not None:
        return found
    return (
        FLOAT
        if name in used.scalars or (_by_value(function, name) and _SCALAR_NAME.search(name))
        else None
    )


def stands_in(argument: object) -> bool:
    """Whether a template argument is a stand-in for a type that nobody gives."""
    return (
        isinstance(argument, Qualified)
        and isinstance(argument.type, OpaqueType)
        and argument.type.stands_in
    )


def stand_in(
    program: ProgramContext, parameter: tree.TemplateParam, scope: Scope
) -> template_arguments.Argument:
    """What stands for an argument nobody gives: a default, an unknown value, an opaque type."""
    if parameter.is_pack:
        return ()
    if parameter.default is not None:
        found = template_arguments.evaluate(program, parameter, parameter.default, scope, scope)
        if found is not None:
            return found
    if parameter.kind == "value":
        type_ = program.resolve(parameter.type, scope).type
        plain = type_ if not isinstance(type_, AutoPlaceholder) else Integer(32, True, "int")
        return template_arguments.TemplateValue(plain, None, parameter.name or "")
    return Qualified(OpaqueType(parameter.name or "T", None, True))


def note(name: str, type_: Type) -> str:
    return f"{name} is {type_}"


def _handed_on(program: ProgramContext, template: str, position: int, depth: int) -> Type | None:
    """What another function template takes its parameter at `position` to be: FLOAT where it does
    not say; None for a class."""
    for overload in (function for function in program.functions if function.name == template):
        parameters = overload.parameters or ()
        if (
            position < len(parameters)
            and overload.node.lazy_body is not None
            and parameters[position].kind == "type"
        ):
            name = parameters[position].name
            if name and name in _usage(overload.node).classes:
                return None
            return type_of(program, overload.node, parameters[position], depth + 1) or FLOAT
    return FLOAT


def _used(function: tree.Function) -> Usage:
    nodes = [n for p in parameter_list(function) for n in walk(p)]
    if function.lazy_body is not None:
        nodes += walk(function.lazy_body.parse())
    parameters = {id(p) for p in parameter_list(function)}
    bases: dict[str, set[str]] = {}
    classes, integers, scalars = set[str](), set[str](), set[str]()
    handed: dict[tuple[str, str, int], None] = {}
    for node in nodes:
        if isinstance(node, tree.Decl) and node.name is not None:
            base = _base(node.type)
            bases.setdefault(node.name, set()).add(base)
            if id(node) not in parameters or isinstance(node.type, (tree.PtrDecl, tree.ArrayDecl)):
                scalars.add(base)
    # others are several variables of one name
    declared = {name: next(iter(some)) for name, some in bases.items() if len(some) == 1}
    for node in nodes:
        integers |= {declared[n] for n in _counted(node) if n in declared}
        classes |= {declared[n] for n in _as_object(node) if n in declared}
        if isinstance(node, tree.QualifiedName) and len(node.parts) > 1:
            classes.add(function_name(node.parts[0]) if isinstance(node.parts[0], tree.ID) else "")
        elif isinstance(node, (tree.Cast, tree.NamedCast)) and (
            base := _base(node.to_type.type) if isinstance(node.to_type, tree.Typename) else ""
        ):
            scalars.add(base)
        elif isinstance(node, tree.TemplateId):
            handed |= {
                (given, node.name, i): None for i, a in enumerate(node.args) if (given := _plain(a))
            }
            scalars |= {given for a in node.args if (given := _plain(a))}
    return Usage(frozenset(classes), frozenset(integers), frozenset(scalars), tuple(handed))


_usage = PerObject(_used)


def _counted(node: tree.Node) -> Iterable[str]:
    """Names shown to be integers: in a subscript, operands of bit operators and remainders, loop
    counters, numbers of threads."""
    handler = _COUNTED.get(type(node))
    return handler(node) if handler is not None else ()


def _counted_subscript(node: tree.ArrayRef) -> Iterable[str]:
    return _operands(node.subscript)


def _counted_binary(node: tree.BinaryOp) -> Iterable[str]:
    if node.op in _BIT_OPERATORS:
        return _operands(node)
    if node.op not in ("==", "!="):
        return ()
    left, right = node.left, node.right
    return (
        *(_operands(left) if _is_code(right) else ()),
        *(_operands(right) if _is_code(left) else ()),
    )


def _counted_assignment(node: tree.Assignment) -> Iterable[str]:
    if node.op not in _BIT_OPERATORS:
        return ()
    return (*_operands(node.lvalue), *_operands(node.rvalue))


def _counted_for(node: tree.For) -> Iterable[str]:
    declared = node.init.decls if isinstance(node.init, tree.DeclList) else ()
    return [d.name for d in declared if isinstance(d, tree.Decl) and d.name and _is_plain(d)]


def _counted_declaration(node: tree.Decl) -> Iterable[str]:
    if node.name is None or node.init is None or not _is_plain(node):
        return ()
    return () if _THREAD_WORDS.isdisjoint(_operands(node.init)) else (node.name,)


def _is_plain(declaration: tree.Decl) -> bool:
    """Whether it declares a variable that is neither a pointer nor an array."""
    return isinstance(declaration.type, tree.TypeDecl)


_COUNTED: dict[type, Callable[[Any], Iterable[str]]] = {
    tree.ArrayRef: _counted_subscript,
    tree.BinaryOp: _counted_binary,
    tree.Assignment: _counted_assignment,
    tree.For: _counted_for,
    tree.Decl: _counted_declaration,
}


def _is_code(node: tree.Node) -> bool:
    """Whether this is an integer other than 0 and 1: a real number is hardly compared with one."""
    if isinstance(node, tree.UnaryOp) and node.op == "-":
        return isinstance(node.expr, tree.Constant) and str(node.expr.value).isdigit()
    return isinstance(node, tree.Constant) and str(node.value).isdigit() and int(node.value) > 1


_NOT_ARITHMETIC = frozenset({"<", ">", "<=", ">=", "==", "!=", "&&", "||"})


def _operands(node: tree.Node) -> Iterator[str]:
    """Names that an integer expression is made of; not those inside casts and calls, which may be
    of another type."""
    if isinstance(node, tree.ID):
        yield node.name
    elif isinstance(node, (tree.ArrayRef, tree.StructRef)):
        base = node.name
        while isinstance(base, tree.ArrayRef):
            base = base.name
        if isinstance(base, tree.ID):
            yield base.name
    else:
        for part in _parts(node):
            yield from _operands(part)


def _parts(node: tree.Node) -> list[tree.Node]:
    """The operands that are of the type of what an expression gives."""
    if isinstance(node, tree.BinaryOp):
        return [] if node.op in _NOT_ARITHMETIC else [node.left, node.right]
    if isinstance(node, tree.UnaryOp):
        return [node.expr]
    return [node.iftrue, node.iffalse] if isinstance(node, tree.TernaryOp) else []


def _as_object(node: tree.Node) -> Iterator[str]:
    """Names whose members are named or which are called."""
    base = node.name if isinstance(node, (tree.StructRef, tree.FuncCall)) else None
    if isinstance(node, tree.StructRef):
        while isinstance(base, (tree.ArrayRef, tree.UnaryOp, tree.Cast)):
            base = base.name if isinstance(base, tree.ArrayRef) else base.expr
    if isinstance(base, tree.ID):
        yield base.name


def _base(declarator: tree.Node | None) -> str:
    """The one name of the type at the end of pointers, arrays and references; "" for others."""
    while isinstance(declarator, (tree.PtrDecl, tree.ArrayDecl, tree.TypeDecl, tree.RefDecl)):
        declarator = declarator.type
    if isinstance(declarator, tree.IdentifierType) and len(declarator.names) == 1:
        return str(declarator.names[0])
    return ""


def _plain(argument: tree.Node) -> str:
    """The name of a template argument that is a name alone."""
    if isinstance(argument, tree.ID):
        return str(argument.name)
    return _base(argument.type) if isinstance(argument, tree.Typename) else ""


def _by_value(function: tree.Function, name: str) -> bool:
    return any(_base(type_) == name for type_ in parameter_types(function))
