"""Mangled C++ names, as PTX and object files have them, in the words of the source (Itanium C++
ABI).

In: a symbol. Out: its qualified name and template arguments. What is no mangled name stays as it
is; never raises.
"""

from __future__ import annotations

import re
from typing import Any

from kernlint.base.dataclass import dataclass

_TAG = re.compile(r"\[abi:\w*\]")  # Numba's are longer than its names


@dataclass(frozen=True, slots=True)
class Demangled:
    """`name`: qualified, without arguments ("lecture::sumBlocked"); `template_arguments` as
    kernlint writes them."""

    name: str
    template_arguments: tuple[str, ...] = ()


def parameter_types(symbol: str) -> tuple[str, ...] | None:
    """The types of a function's parameters as C++ writes them ("float const*"); None where the
    symbol does not say them."""
    node = _parsed(symbol)
    types = getattr(node, "arg_tys", None)
    if types is None:
        return None
    found = tuple(str(each) for each in types)
    return () if found == ("void",) else found


def demangled(symbol: str) -> Demangled:
    """The name of a function. Symbols in C, or of other languages, are their own names."""
    node = _parsed(symbol)
    if node is None:
        return Demangled(symbol)
    while node.kind not in ("name", "qual_name") and hasattr(node, "name"):
        node = node.name
    if node.kind != "qual_name":
        return Demangled(_TAG.sub("", str(node)))
    parts = list(node.value)
    arguments: tuple[str, ...] = ()
    if parts and parts[-1].kind == "tpl_args":
        arguments = tuple(_argument(a) for a in parts.pop().value)
    return Demangled(
        "::".join(_TAG.sub("", str(p)) for p in parts if p.kind != "tpl_args"), arguments
    )


def _parsed(symbol: str) -> Any:
    """The symbol as a tree; None for one of C, or a newer or damaged mangling."""
    if not symbol.startswith("_Z"):
        return None
    import itanium_demangler

    try:
        return itanium_demangler.parse(symbol)
    except (
        NotImplementedError,
        IndexError,
        ValueError,
        AttributeError,
        TypeError,
        KeyError,
        AssertionError,
        RecursionError,
    ):
        return None


def _argument(node: Any) -> str:
    """`(int)16` → `16`; `(bool)1` → `true`; types as they are."""
    if getattr(node, "kind", "") == "literal":
        if str(node.ty) == "bool":
            return "true" if str(node.value) == "1" else "false"
        return re.sub(r"^n", "-", str(node.value))
    return str(node)
