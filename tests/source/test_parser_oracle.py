"""The parser against tree-sitter-cuda: functions, subscripts, calls and launches of real programs
at the very same places."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
import tree_sitter_cuda
from tree_sitter import Language, Parser

from kernlint.base.span import SourceError
from kernlint.source.lexer import tokenize
from kernlint.source.parser import tree
from kernlint.source.parser.parser import parse
from tests.places import TRUTH

pytestmark = pytest.mark.slow


PROGRAMS = sorted((TRUTH / "kernels").glob("*.cu"))
PLAIN = [
    path for path in PROGRAMS if path.stem != "gridstride"
]  # which makes its loops by a macro, so needs a preprocessor
DIRECTIVE = re.compile(r"/\*(?s:.*?)\*/|//[^\n]*|^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", re.MULTILINE)


def without_directives(text: str) -> str:
    """The text with preprocessor lines and comments blanked, so that both parsers see the very same
    code."""
    return DIRECTIVE.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)


def place(node: tree.Node) -> tuple[int, int, int, int]:
    span = node.coord
    return span.line, span.column, span.end_line, span.end_column


def ours(text: str) -> dict[str, set[tuple[int, int, int, int]]]:
    found: dict[str, set[tuple[int, int, int, int]]] = {
        "function": set(),
        "subscript": set(),
        "call": set(),
        "launch": set(),
    }
    kinds = {
        tree.Function: "function",
        tree.ArrayRef: "subscript",
        tree.FuncCall: "call",
        tree.KernelLaunch: "launch",
    }

    def visit(node: tree.Node) -> None:
        kind = kinds.get(type(node))
        if kind is not None and not (kind == "function" and node.lazy_body is None):
            found[kind].add(place(node))
        if isinstance(node, tree.Function) and node.lazy_body is not None:
            visit(node.lazy_body.parse())
        for _, child in node.children():
            visit(child)

    unit = parse(tokenize(text, "program.cu"), "program.cu", "cuda")
    assert unit.problems == [] and unit.skipped == []
    for node in unit.declarations:
        visit(node)
    return found


def theirs(text: str) -> dict[str, set[tuple[int, int, int, int]]]:
    root = Parser(Language(tree_sitter_cuda.language())).parse(text.encode()).root_node
    found: dict[str, set[tuple[int, int, int, int]]] = {
        "function": set(),
        "subscript": set(),
        "call": set(),
        "launch": set(),
    }
    stack = [root]
    while stack:
        node = stack.pop()
        stack += node.children
        where = (
            node.start_point[0] + 1,
            node.start_point[1] + 1,
            node.end_point[0] + 1,
            node.end_point[1] + 1,
        )
        if node.type == "function_definition":
            found["function"].add(where)
        elif node.type == "subscript_expression":
            found["subscript"].add(where)
        elif node.type == "call_expression":
            is_launch = any(child.type == "kernel_call_syntax" for child in node.children)
            name = node.child_by_field_name("function")
            is_construct = name is not None and name.text.decode() in (
                "dim3",
                "float4",
                "int",
                "float",
                "double",
                "double2",
                "float2",
                "size_t",
            )
            is_cast = name is not None and name.text.decode().startswith(
                ("static_cast<", "reinterpret_cast<", "const_cast<")
            )
            if (
                not is_construct
                and not is_cast
                and name is not None
                and name.type != "primitive_type"
            ):
                found["launch" if is_launch else "call"].add(where)
    return found


@pytest.mark.parametrize("path", PLAIN, ids=lambda path: path.stem)
@pytest.mark.parametrize("kind", ["function", "subscript", "call", "launch"])
def test_same_places_as_tree_sitter(path: Path, kind: str) -> None:
    text = without_directives(path.read_text(encoding="utf-8"))
    assert ours(text)[kind] == theirs(text)[kind]


@pytest.mark.parametrize("seed", range(40))
def test_broken_programs_cost_problems_never_exceptions(seed: int) -> None:
    """Tokens deleted, swapped, doubled, cut off: everything but SourceError from a body would be a
    crash."""
    choice = random.Random(seed)
    tokens = tokenize(
        without_directives(choice.choice(PROGRAMS).read_text(encoding="utf-8")), "program.cu"
    )
    for _ in range(choice.randint(1, 6)):
        at = choice.randrange(len(tokens))
        change = choice.randrange(4)
        if change == 0:
            del tokens[at : at + choice.randint(1, 3)]
        elif change == 1:
            other = choice.randrange(len(tokens))
            tokens[at], tokens[other] = tokens[other], tokens[at]
        elif change == 2:
            tokens.insert(at, choice.choice(tokens))
        elif at > 10:
            del tokens[at:]
    unit = parse(tokens, "program.cu", "cuda")

    def visit(node: tree.Node) -> None:
        if isinstance(node, tree.Function) and node.lazy_body is not None:
            try:
                node.lazy_body.parse()
            except SourceError as error:
                assert error.message and error.span.line >= 1
        for _, child in node.children():
            visit(child)

    for declared in unit.declarations:
        visit(declared)
