"""Which `__constant__` variables hold what the program gives them at its start.

In: a file's text, the variables of its cubin. Out: those that are declared with values in the file
and that nothing in it may change. nvcc makes them the file's own, unless code is linked
separately. Never: a variable of a header, or one that some call takes as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from kernlint.lowering.templates.demangling import demangled

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_DECLARED = re.compile(
    r"\b(?:__constant__|__device__|__managed__)\b[^;={}()]*?(\w+)\s*(?:\[[^;={}]*\]\s*)*[;={]"
)
_REACHED = re.compile(r"\w*(?:ToSymbol|SymbolAddress|GetGlobal)\w*(?:<[^;(]*>)?\s*\(([^;]*)")


def initial_constants(text: str, contents: Mapping[str, bytes]) -> frozenset[str]:
    """Of the symbols of `contents`, by their linked names."""
    text = _COMMENT.sub(" ", text)
    named = {symbol: demangled(symbol).name.rpartition("::")[2] for symbol in contents}
    declared = set(_DECLARED.findall(text))
    reached = [set(re.findall(r"\w+", call)) for call in _REACHED.findall(text)]
    if any(declared.isdisjoint(call) for call in reached):
        return frozenset()  # by a parameter or a text: it may be any
    changed: set[str] = set().union(*reached)
    return frozenset(
        symbol
        for symbol, name in named.items()
        if name in declared - changed and any(contents[symbol]) and not _passed(name, text)
    )


def _passed(name: str, text: str) -> bool:
    """Whether a call takes the variable as a whole."""
    return re.search(rf"[(,]\s*&?\s*(?:\w+::)*{name}\s*[,)]", text) is not None
