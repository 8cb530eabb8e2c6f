"""Which object an access of PTX is to: the names that its address is made of.

In: the text of a module. Out: per line with a memory instruction the parameters (`k_param_0`, `k_param_1+8`) and
variables that its address may begin with. Never: a value, or what is loaded from memory: an address
that comes from there has no name.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from kernlint.base.dataclass import dataclass

_GUARD = r"(?:@!?%p\d+\s+)?"
_MEMORY = re.compile(
    _GUARD + r"(?:ld|st|atom|red)(?:\.\w+)*?\.(?:global|shared|local)\b[^\[]*\[([^\]+]+)"
)
_PARAMETER = re.compile(r"ld\.param\.[ub]64\s+(%\w+), \[(\w+(?:\+\d+)?)\]")
_DEFINITION = re.compile(_GUARD + r"(\w+)[\w.:]*\s+(%\w+), ([^;]*);")
_FUNCTION = re.compile(r"(?:\.visible\s+|\.weak\s+)*\.(?:entry|func)\b")
# the operands that a result may point into the same object as
_POINTERS = {
    "mov": slice(0, 1),
    "cvta": slice(0, 1),
    "cvt": slice(0, 1),
    "add": slice(0, 2),
    "sub": slice(0, 1),
    "mad": slice(2, 3),
    "selp": slice(0, 2),
    "max": slice(0, 2),
    "min": slice(0, 2),
}

Objects = frozenset[str]


@dataclass(frozen=True, slots=True)
class _Function:
    """By register: what it is copied or added up from."""

    sources: dict[str, list[str]]
    accesses: dict[int, str]


def accessed_objects(lines: Sequence[str]) -> dict[int, Objects]:
    """By the number of the line, the first being 1."""
    return {
        number: _roots(function, base)
        for function in _functions(lines)
        for number, base in function.accesses.items()
    }


def _functions(lines: Sequence[str]) -> Iterator[_Function]:
    function = _Function(defaultdict(list), {})
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if _FUNCTION.match(text):
            yield function
            function = _Function(defaultdict(list), {})
        if match := _MEMORY.match(text):
            function.accesses[number] = match[1].strip()
        elif match := _PARAMETER.match(text):
            function.sources[match[1]].append(match[2])
        elif (match := _DEFINITION.match(text)) and match[1] in _POINTERS:
            operands = [operand.strip() for operand in match[3].split(",")]
            function.sources[match[2]] += operands[_POINTERS[match[1]]]
    yield function


def _roots(function: _Function, base: str) -> Objects:
    found, seen, left = set(), set(), [base]
    while left:
        name = left.pop()
        if name in seen:
            continue
        seen.add(name)
        left += function.sources.get(name, ())
        if re.match(r"[A-Za-z_$]", name):
            found.add(name)
    return frozenset(found)
