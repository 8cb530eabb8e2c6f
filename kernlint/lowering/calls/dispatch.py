"""Macros of libraries that run a lambda for each of several types: `AT_DISPATCH_FLOATING_TYPES(t,
"name", [&] { k<scalar_t><<<…>>>(…); })`.

In: a call of such a macro in host code whose definition is not seen. Out: the lambda run for one of
the types that the macro's name is about, each in a branch of its own; launches inside carry that as
an assumption. Families: PyTorch's ATen/Dispatch.h.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kernlint.base.dataclass import replace
from kernlint.ir import nodes as ir
from kernlint.ir.types import BOOL, FLOAT, Type
from kernlint.lowering.calls.closures import call_closure
from kernlint.lowering.context import Lowerer
from kernlint.lowering.declared_names import function_name
from kernlint.lowering.expressions.places import void_value
from kernlint.lowering.expressions.values import Closure, Qualified, StaticPlace, Value
from kernlint.lowering.scopes import Scope, TypeEntity
from kernlint.lowering.templates import assumed_types
from kernlint.lowering.types.layout import known_type
from kernlint.lowering.types.torch_types import torch_type
from kernlint.source.parser import tree

_FAMILIES = (  # by the macro's name: what names the type in the lambda, and the type
    (re.compile(r"DISPATCH_INDEX_TYPES"), "index_t", ("int",)),
    (re.compile(r"DISPATCH_(ALL_)?INTEGRAL_TYPES"), "scalar_t", ("int",)),
    (re.compile(r"DISPATCH_(REDUCED_FLOATING_TYPES|HALF)"), "scalar_t", ()),
    (re.compile(r"DISPATCH"), "scalar_t", ("float",)),
)
_NAMED = (  # types that the macro's name adds
    (re.compile(r"(?<!B)HALF|REDUCED_FLOATING"), "c10::Half"),
    (re.compile(r"BFLOAT|REDUCED_FLOATING"), "c10::BFloat16"),
)
_ENUMERATED = {
    "Float": "float", "Double": "double", "Int": "int", "Long": "long", "Short": "short", "Char": "signed char", "Byte": "unsigned char",
    "Bool": "bool", "Half": "c10::Half", "BFloat16": "c10::BFloat16",
    "UInt16": "unsigned short", "UInt32": "unsigned int", "UInt64": "unsigned long",
} | {
    name: f"c10::{name}" for name in ("Float8_e4m3fn", "Float8_e5m2", "Float8_e4m3fnuz", "Float8_e5m2fnuz")
}  # fmt: skip


def dispatched(
    low: Lowerer, name: str, values: list[Value], nodes: Sequence[tree.Node], node: tree.Node
) -> Value | None:
    """The call of a dispatching macro; None for other calls."""
    if not low.host or low.constant or "DISPATCH" not in name:
        return None
    held = [v.value if isinstance(v, StaticPlace) else v for v in values]
    closure = next((v for v in reversed(held) if isinstance(v, Closure)), None)
    if closure is None:
        return None
    alias, types = _choices(name, nodes)
    one_of_them = ir.Unknown(BOOL, "unknown-argument", (), False, f"the type that `{name}` finds")
    branches = [_run(low, closure, alias, type_, node) for type_ in types]
    last, *others = reversed(branches)
    for body in others:
        last = (ir.If(one_of_them, body, last, low.branch_site(node, "if", None)),)
    for statement in last:
        low.emit(statement)
    return void_value()


def _run(low: Lowerer, closure: Closure, alias: str, type_: Type, node: tree.Node) -> ir.Body:
    """The lambda's statements for one type."""
    scope = Scope(
        closure.scope, "block", names={alias: TypeEntity(None, closure.scope, Qualified(type_))}
    )
    outer = low.assumed
    low.assumed = tuple(dict.fromkeys((*outer, assumed_types.note(alias, type_))))
    try:
        with low.block() as body:
            call_closure(low, replace(closure, scope=scope), [], [], node)
    finally:
        low.assumed = outer
    return tuple(body)


def _choices(name: str, nodes: Sequence[tree.Node]) -> tuple[str, list[Type]]:
    """What the type is called inside the lambda, and the types: that of the enumerator where one is
    given (AT_DISPATCH_CASE), else those that the macro's name and its enumerators (AND2) say."""
    given = [_ENUMERATED.get(_enumerator(one), "") for one in nodes]
    if "CASE" in name and given and given[0]:
        called = nodes[1].value.strip('"') if isinstance(nodes[1], tree.Constant) else "scalar_t"
        return called, [_type(given[0])]
    alias, words = next((alias, words) for family, alias, words in _FAMILIES if family.search(name))
    added = [word for pattern, word in _NAMED if pattern.search(name)]
    every = dict.fromkeys(word for word in (*words, *added, *given) if word)
    return alias, [_type(word) for word in every or ("float",)]


def _enumerator(node: tree.Node) -> str:
    """`Half` of `at::ScalarType::Half` and of `at::kHalf`."""
    is_name = isinstance(node, (tree.ID, tree.QualifiedName))
    return function_name(node).removeprefix("k") if is_name else ""


def _type(word: str) -> Type:
    return known_type(word, "cuda") or torch_type(word) or FLOAT
