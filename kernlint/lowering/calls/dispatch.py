"""Macros of libraries that run a lambda for each of several types: `AT_DISPATCH_FLOATING_TYPES(t,
"name", [&] { k<scalar_t><<<…>>>(…); })`.

In: a call of such a macro in host code whose definition is not seen. Out: the lambda run once, with
the type's name standing for the first type that the macro's family is taken to be about; launches
inside carry that as an assumption. Families: PyTorch's ATen/Dispatch.h.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from kernlint.ir.types import FLOAT, Type
from kernlint.lowering.calls.closures import call_closure
from kernlint.lowering.context import Lowerer
from kernlint.lowering.declared_names import function_name
from kernlint.lowering.expressions.values import Closure, Qualified, StaticPlace, Value
from kernlint.lowering.scopes import Scope, TypeEntity
from kernlint.lowering.templates import assumed_types
from kernlint.lowering.types.layout import known_type
from kernlint.lowering.types.torch_types import torch_type
from kernlint.source.parser import tree

_FAMILIES = (  # by the macro's name: what names the type in the lambda, and the type
    (re.compile(r"DISPATCH_INDEX_TYPES"), "index_t", "int"),
    (re.compile(r"DISPATCH_(ALL_)?INTEGRAL_TYPES"), "scalar_t", "int"),
    (re.compile(r"DISPATCH_REDUCED_FLOATING_TYPES"), "scalar_t", "__half"),
    (re.compile(r"DISPATCH"), "scalar_t", "float"),
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
    alias, type_ = _choice(low, name, nodes)
    scope = Scope(
        closure.scope, "block", names={alias: TypeEntity(None, closure.scope, Qualified(type_))}
    )
    outer = low.assumed
    low.assumed = tuple(dict.fromkeys((*outer, assumed_types.note(alias, type_))))
    try:
        return call_closure(low, replace(closure, scope=scope), [], [], node)
    finally:
        low.assumed = outer


def _choice(low: Lowerer, name: str, nodes: Sequence[tree.Node]) -> tuple[str, Type]:
    """What the type is called inside the lambda, and the type: that of the enumerator where one is
    given (AT_DISPATCH_CASE)."""
    word = (
        _ENUMERATED.get(function_name(nodes[0]).removeprefix("k"))
        if "CASE" in name and nodes
        else None
    )
    if word is not None:
        called = nodes[1].value.strip('"') if isinstance(nodes[1], tree.Constant) else "scalar_t"
        return called, known_type(word, "cuda") or torch_type(word) or FLOAT
    alias, word = next((alias, word) for pattern, alias, word in _FAMILIES if pattern.search(name))
    return alias, known_type(word, "cuda") or FLOAT
