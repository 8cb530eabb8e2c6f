"""Writes the classes of the syntax tree from their list: `python tools/generate_tree.py`.

In: grammars/tree.cfg, which says how it is written. Out: kernlint/source/parser/tree.py, formatted
as `ruff format` leaves it.
"""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import wrap

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "grammars" / "tree.cfg"
MODULE = ROOT / "kernlint" / "source" / "parser" / "tree.py"
WIDTH = 96  # of docstrings
HEAD = re.compile(r"(\w+)\(([\w, ]+)\)")
FIELD = re.compile(r"    (\w+)(\*{0,2}): (.+?)(?: = (.+))?")

OPENING = '''\
"""The syntax tree: pycparser's `c_ast.Node` and its walks, with typed classes for C, C++, CUDA and
OpenCL.

Written by tools/generate_tree.py from grammars/tree.cfg; change those. Every node has a place,
`coord`; the children that are None are left out of `children()`.
"""

# ruff: noqa: RUF023 (the order of slots is that in which pycparser's `__repr__` shows them)

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from kernlint.base.span import Span
from kernlint.source.parser import pycparser_nodes

Children = tuple[tuple[str, "Node"], ...]


class Body(Protocol):
    """The body of a function, parsed when first asked for."""

    name: str

    @property
    def coord(self) -> Span: ...
    @property
    def opens(self) -> int: ...
    def words(self) -> frozenset[str]: ...
    def mentions_launch(self) -> bool: ...
    def parse(self) -> Compound: ...


class Node(pycparser_nodes.Node):
    """Any node; as pycparser's, with a place that is always known."""

    __slots__ = ()
    coord: Span

    def children(self) -> Children:
        """The children that are there, with the names of their fields."""
        return ()

    def __iter__(self) -> Iterator[Node]:
        return iter([child for _, child in self.children()])


class Stmt(Node):
    """What may stand in a block."""

    __slots__ = ()


class Expr(Stmt):
    """An expression, or what stands for one in braces and arguments."""

    __slots__ = ()


class Name(Expr):
    """What names something; an expression where it names a value."""

    __slots__ = ()


class Declaration(Stmt):
    """What may stand in a file, a namespace or a class."""

    __slots__ = ()


class TypeNode(Node):
    """What spells a type."""

    __slots__ = ()
'''
CLOSING = """\
Operand = Expr | TypeNode  # what templates, calls and `sizeof` take
Parameter = Decl | Typename | EllipsisParam
"""


@dataclass(frozen=True)
class Field:
    """`stars`: '' for an attribute, '*' for a child, '**' for a list of children."""

    name: str
    stars: str
    type: str
    default: str | None

    @property
    def is_optional(self) -> bool:
        return self.type.endswith("| None")

    def parameter(self) -> str:
        return f"{self.name}: {self.type}" + (f" = {self.default}" if self.default else "")


@dataclass
class Kind:
    """One class of nodes."""

    name: str
    bases: str
    doc: str
    fields: list[Field] = field(default_factory=list)

    def source(self) -> str:
        slots = [*(one.name for one in self.fields), "coord", "__weakref__"]
        plain = [one.name for one in self.fields if not one.stars]
        return "\n".join(
            [
                f"class {self.name}({self.bases}):",
                _docstring(self.doc),
                "",
                f"    __slots__ = ({', '.join(map(repr, slots))})",
                *([f"    attr_names = ({', '.join(map(repr, plain))},)"] if plain else []),
                "",
                *self._constructor(),
                *self._children(),
                "",
            ]
        )

    def _constructor(self) -> list[str]:
        given = [one.parameter() for one in self.fields if one.default is None]
        named = [one.parameter() for one in self.fields if one.default is not None]
        parameters = ["self", *given, "coord: Span", *(["*", *named] if named else [])]
        return [
            f"    def __init__({', '.join(parameters)}) -> None:",
            *(f"        self.{one.name} = {one.name}" for one in self.fields),
            "        self.coord = coord",
        ]

    def _children(self) -> list[str]:
        children = [one for one in self.fields if one.stars]
        if not children:
            return []
        head = ["", "    def children(self) -> Children:"]
        if all(one.stars == "*" and not one.is_optional for one in children):
            pairs = "".join(f"('{one.name}', self.{one.name}), " for one in children)
            return [*head, f"        return ({pairs})"]
        lines = ["        found: list[tuple[str, Node]] = []"]
        for one in children:
            lines += _collected(one)
        return [*head, *lines, "        return tuple(found)"]


def _collected(child: Field) -> list[str]:
    """The lines that append a child, or the children of a list, to `found`."""
    name = child.name
    if child.stars == "**":
        held = f"self.{name} or ()" if child.is_optional else f"self.{name}"
        return [f"        found += [(f'{name}[{{i}}]', one) for i, one in enumerate({held})]"]
    added = f"found.append(('{name}', self.{name}))"
    if not child.is_optional:
        return [f"        {added}"]
    return [f"        if self.{name} is not None:", f"            {added}"]


def _docstring(text: str) -> str:
    lines = wrap(text, WIDTH - 7 if len(text) <= WIDTH - 10 else WIDTH)
    closed = '"""' if len(lines) == 1 else '\n    """'
    return '    """' + "\n    ".join(lines) + closed


def kinds(text: str) -> list[Kind]:
    """The classes that a list declares, in its order; ValueError for a line that is none of it."""
    found: list[Kind] = []
    comment: list[str] = []
    for line in text.splitlines():
        if line.startswith("#"):
            comment.append(line.lstrip("# "))
        elif not line:
            comment = []
        elif head := HEAD.fullmatch(line):
            found.append(Kind(head[1], head[2], " ".join(comment)))
        elif one := FIELD.fullmatch(line):
            found[-1].fields.append(Field(*one.groups()))
        else:
            raise ValueError(f"{LIST.name}: {line}")
    return found


def module(text: str) -> str:
    """The module for a list, unformatted."""
    return "\n\n".join([OPENING, *(kind.source() for kind in kinds(text)), CLOSING])


def formatted(code: str) -> str:
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(MODULE), "-"]
    return subprocess.run(command, input=code, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    MODULE.write_text(formatted(module(LIST.read_text(encoding="utf-8"))), encoding="utf-8")
