"""The index of every access in elements, as a sympy expression.

In: a kernel and its launch, of which the grid and the values of arguments are not used. Out: by
access site, an expression over the symbols of `SYMBOLS`, loop counters, arguments and loaded values
in the words of the source. Sums and products are mathematical; C's other operators and its
narrowing conversions are the functions of `functions`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import sympy

from kernlint.algebra.expression import FLOATING, IndexNode
from kernlint.algebra.index import Carried, Index, indices_in_loops
from kernlint.algebra.values import AXES, builtin_name
from kernlint.base.dataclass import dataclass
from kernlint.ir import nodes as ir
from kernlint.ir.types import Array, Record
from kernlint.laws import functions as own
from kernlint.laws.functions import Value, symbol
from kernlint.model.facts import Launch

if TYPE_CHECKING:
    from kernlint.laws.records import SymbolicRun

# what is built in, by the names of the intermediate form
BUILTINS = {
    f"{stem}.{axis}": f"{letter}{axis}"
    for stem, letter in (("tid", "t"), ("ctaid", "b"), ("ntid", "bd"), ("nctaid", "gd"))
    for axis in AXES
}
MEANINGS = {
    "t": "thread in the block",
    "b": "block in the grid",
    "bd": "block size",
    "gd": "grid size",
}
SYMBOLS = {name: f"{MEANINGS[name[:-1]]}, {name[-1]}" for name in BUILTINS.values()}

OPERATORS: dict[str, Callable[..., Value]] = {
    "+": lambda a, b: a + b,
    "*": lambda a, b: a * b,
    "mul": lambda a, b: a * b,
    "/": own.Div, "%": own.Rem, "<<": own.Shl, ">>": own.Shr,
    "&": own.And, "|": own.Or, "^": own.Xor, "~": own.Not,
    "?:": own.Choice, "&&": own.Both, "||": own.Either, "!": own.Negated,
    "min": own.Min, "max": own.Max, **own.RELATIONS,
}  # fmt: skip
NARROWED = {
    "(char)": (8, True), "(signed char)": (8, True), "(unsigned char)": (8, False),
    "(short)": (16, True), "(unsigned short)": (16, False),
    "(int)": (32, True), "(unsigned int)": (32, False),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class IndexExpression:
    """`expression`: in units of `unit` bytes from the object's start."""

    expression: Value
    unit: int


def index_expressions(
    kernel: ir.Kernel, launch: Launch, run: SymbolicRun
) -> dict[ir.AccessSite, IndexExpression]:
    """The index of each access site that some path reaches; those are left out whose pointer is
    not known, or which hold an operation of no integers. What a loop carries is in terms of the
    iterations of `run`, where it knows them."""
    every_size = replace(launch, grid=None, arguments={})
    found_in_loops, carried = indices_in_loops(kernel, every_size)
    writer = _Writer(kernel.language, carried, run)
    found = {}
    for site, index in found_in_loops.items():
        made = writer.index(index)
        if made is not None:
            found[site] = made
    return found


class _NoIndex(Exception):
    """Something that is no integer."""


class _Writer:
    def __init__(
        self,
        language: str,
        carried: Mapping[IndexNode, Carried],
        run: SymbolicRun,
    ) -> None:
        self._carried, self._run = carried, run
        self._names = {builtin_name(name, language): short for name, short in BUILTINS.items()}
        self._known: dict[IndexNode, Value] = {}
        self._taken: dict[str, IndexNode] = {}

    def index(self, index: Index) -> IndexExpression | None:
        try:
            address = sympy.expand(self._made(index.address))
        except _NoIndex:
            return None
        bases = [one for one in address.free_symbols if one.name.startswith("&")]
        if len(bases) != 1 or sympy.expand(address - bases[0]).has(bases[0]):
            return None
        offset = sympy.expand(address - bases[0])
        content = [int(term.as_coeff_Mul()[0]) for term in sympy.Add.make_args(offset)]
        for unit in (_element(index), index.width):
            if unit and not any(n % unit for n in content):
                return IndexExpression(sympy.expand(offset / unit), unit)
        return IndexExpression(offset, 1)

    def _made(self, node: IndexNode) -> Value:
        if node not in self._known:
            self._known[node] = self._make(node)
        return self._known[node]

    def _make(self, node: IndexNode) -> Value:
        if node.op == "int":
            return sympy.Integer(node.value)
        if node.op == "base":
            return symbol(f"&{node.name}")
        if node.op == "symbol":
            known = self._run.carried.get(self._carried[node]) if node in self._carried else None
            return known if known is not None else symbol(self._name(node))
        arguments = [self._made(argument) for argument in node.arguments]
        if node.op in NARROWED:
            return own.WRAPS[NARROWED[node.op]](*arguments)
        if node.op.startswith(FLOATING) or node.op not in OPERATORS:
            raise _NoIndex
        return OPERATORS[node.op](*arguments)

    def _name(self, node: IndexNode) -> str:
        """Two values of one name are told apart by a prime, and so is an argument that is called
        as something built in, and what is called as an iteration but is none."""
        builtin = node.kind in ("thread", "block", "size")
        name = self._names.get(node.name, node.name) if builtin else node.name
        if not builtin and name in SYMBOLS:
            name += "'"
        while name in self._run.iterations or self._taken.setdefault(name, node) is not node:
            name += "'"
        return name


def _element(index: Index) -> int:
    element = index.object.type if index.object is not None else None
    while isinstance(element, Array):
        element = element.element
    return 0 if element is None or isinstance(element, Record) else element.size or 0
