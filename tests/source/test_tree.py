"""The syntax tree: its module is that of its list, and what the parser puts into the fields is what
the list says."""

from __future__ import annotations

import types
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest

from kernlint.base.span import SourceError, Span
from kernlint.source.parser import tree
from kernlint.source.parser.parser import parse
from kernlint.source.preprocessor.preprocess import Options, preprocess
from tests.places import DATA, SAMPLES
from tools import generate_tree

FILES = sorted(
    path
    for folder in (SAMPLES, DATA)
    for path in folder.rglob("*")
    if path.suffix in (".cu", ".cl", ".cuh")
)
HINTS = {
    kind: get_type_hints(kind.__init__)
    for kind in vars(tree).values()
    if isinstance(kind, type) and issubclass(kind, tree.Node)
}


def test_module_is_that_of_the_list() -> None:
    text = generate_tree.LIST.read_text(encoding="utf-8")
    made = generate_tree.formatted(generate_tree.module(text))
    assert generate_tree.MODULE.read_text(encoding="utf-8") == made


def test_a_line_that_declares_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="ID: name"):
        generate_tree.kinds("ID: name\n")


def test_children_stand_in_the_order_of_the_list() -> None:
    here = Span("x.cu", 1, 1, 1, 2)
    one, other = tree.ID("a", here), tree.ID("b", here)
    whole = tree.ExprList([one, other], here)
    call = tree.FuncCall(other, whole, here)
    assert call.children() == (("name", other), ("args", whole))
    assert whole.children() == (("exprs[0]", one), ("exprs[1]", other))
    assert tree.FuncCall(one, None, here).children() == (("name", one),)
    assert list(whole) == [one, other] and one.children() == ()


def fits(value: Any, hint: Any) -> bool:
    """Whether a value is of a type as annotated; a protocol is not looked into."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return any(fits(value, one) for one in inner)
    if origin is list:
        return isinstance(value, list) and all(fits(one, inner[0]) for one in value)
    if origin is tuple:
        return isinstance(value, tuple) and all(map(fits, value, inner))
    if hint is tree.Body:
        return hasattr(value, "parse")
    return isinstance(value, hint)


def misfits(node: tree.Node, found: set[str]) -> None:
    """Fields below a node that hold something else than the list says."""
    for name, hint in HINTS[type(node)].items():
        if name != "return" and not fits(value := getattr(node, name), hint):
            found.add(f"{type(node).__name__}.{name}: {type(value).__name__}, not {hint}")
    for _, child in node.children():
        misfits(child, found)
    if isinstance(node, tree.Function) and node.lazy_body is not None:
        try:
            misfits(node.lazy_body.parse(), found)
        except SourceError:
            return


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_fields_hold_what_the_list_says(path: Path) -> None:
    language = "opencl" if path.suffix == ".cl" else "cuda"
    text = path.read_text(encoding="utf-8", errors="replace")
    tokens = preprocess(str(path), text, Options({}, (), language, 900)).tokens
    found: set[str] = set()
    for node in parse(tokens, str(path), language).declarations:
        misfits(node, found)
    assert not found
