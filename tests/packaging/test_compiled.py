"""What mypyc cannot take, or takes in another sense, does not stand in the modules that
hatch_build.py compiles (CI compiles them)."""

from __future__ import annotations

import ast
import gc
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from hatch_build import TOGETHER, all_visited_once, together, visited_once
from kernlint.ir import nodes as ir
from kernlint.ir.types import OpaqueType
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files
from tests.places import DATA, ROOT

pytestmark = pytest.mark.slow


def modules() -> list[str]:
    hook = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"][
        "targets"
    ]["wheel"]["hooks"]["custom"]
    found, left = (
        {path for glob in hook[key] for path in ROOT.glob(glob)} for key in ("compile", "leave")
    )
    return sorted(str(path.relative_to(ROOT)) for path in found - left)


def _parts(node: ast.AST) -> list[Any]:
    """What of an expression is evaluated one after the other."""
    match node:
        case ast.BinOp():
            return [node.left, node.right]
        case ast.Compare():
            return [node.left, *node.comparators]
        case ast.Call():
            return [*node.args, *(k.value for k in node.keywords)]
        case ast.Tuple() | ast.List() | ast.Set():
            return list(node.elts)
        case ast.Subscript():
            return [node.value, node.slice]
        case _:
            return []


def _read_before_assigned(node: ast.AST) -> bool:
    """`size != (size := …)`: compiled, the old value is read when the new one is there."""
    parts = _parts(node)
    for i, part in enumerate(parts):
        reads = {
            n.id for n in ast.walk(part) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
        }
        later = (n for other in parts[i + 1 :] for n in ast.walk(other))
        if any(isinstance(n, ast.NamedExpr) and n.target.id in reads for n in later):
            return True
    return False


def _found_in_unpacked(node: ast.AST) -> bool:
    """`x in (*A, "b")`: mypyc stops."""
    if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], (ast.In, ast.NotIn)):
        return False
    (among,) = node.comparators[:1]
    return isinstance(among, (ast.Tuple, ast.List, ast.Set)) and any(
        isinstance(e, ast.Starred) for e in among.elts
    )


def _found_in_generator(node: ast.AST, generators: frozenset[str]) -> bool:
    """`x in walk(…)` where `walk` yields: compiled, a generator has no `__contains__`."""
    if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], (ast.In, ast.NotIn)):
        return False
    among = node.comparators[0]
    return (
        isinstance(among, ast.Call)
        and isinstance(among.func, ast.Name)
        and among.func.id in generators
    )


@cache
def _generators() -> frozenset[str]:
    trees = [ast.parse((ROOT / path).read_text(encoding="utf-8")) for path in modules()]
    functions = [f for tree in trees for f in ast.walk(tree) if isinstance(f, ast.FunctionDef)]
    return frozenset(
        f.name
        for f in functions
        if any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in ast.walk(f))
    )


def _is_plain_object(node: ast.AST) -> bool:
    """A field of type `object`: importing the compiled class fails."""
    return (
        isinstance(node, ast.AnnAssign)
        and isinstance(node.annotation, ast.Name)
        and node.annotation.id == "object"
    )


def _problems(tree: ast.AST) -> list[ast.AST]:
    fields = [
        s
        for c in ast.walk(tree)
        if isinstance(c, ast.ClassDef)
        for s in c.body
        if _is_plain_object(s)
    ]
    generators = _generators()
    found = (
        _read_before_assigned,
        _found_in_unpacked,
        lambda n: _found_in_generator(n, generators),
    )
    return [*fields, *(n for n in ast.walk(tree) if any(is_one(n) for is_one in found))]


@pytest.mark.uncompiled
def test_these_are_found() -> None:
    text = "class A:\n    a: object\nwhile n != (n := f()):\n    x in (*B, 1)\n    n == 1 and (n := 2)\n    x in walk(y)\n"
    assert len(_problems(ast.parse(text))) == 4


@pytest.mark.uncompiled
@pytest.mark.parametrize("path", modules())
def test_modules_can_be_compiled(path: str) -> None:
    found = _problems(ast.parse((ROOT / path).read_text(encoding="utf-8")))
    assert not found, [
        f"{path}:{getattr(node, 'lineno', 0)}: {ast.unparse(node)}" for node in found
    ]


@pytest.mark.parametrize("name", ["cnn.cu", "cooperative.cu", "graphs.cu"])
def test_counts_are_of_the_kind_that_they_are_said_to_be(name: str) -> None:
    """Compiled, a field of type `float` makes one of an int: reports would differ by `10` and
    `10.0`."""
    file = engine.analyse_source(
        files.read(str(DATA / "measured/kernels" / name)), Settings(timeout=0)
    )
    counts = [
        c
        for kernel in file.kernels
        for a in kernel.accesses
        for c in (a.wavefronts, a.sectors, a.cache_lines)
        if c is not None
    ]
    assert counts and all(
        type(x) is float for c in counts for x in (c.mean, c.ideal, c.mean_low, c.mean_high)
    )


def test_the_garbage_collector_is_told_of_each_member_once() -> None:
    """Of members that a frozen data class inherits mypyc tells it twice: what only they hold in
    young objects was cleared while in use."""
    kind = OpaqueType("image1d_buffer_t")
    read = ir.Read(kind, ir.Variable("x", kind))
    assert sum(held is kind for held in gc.get_referents(read)) == 1


TRAVERSE = """static int
Read_traverse(Read *self, visitproc visit, void *arg)
{
    Py_VISIT(self->_type);
    Py_VISIT(self->_variable);
    Py_VISIT(self->_type);
    return 0;
}
static void f(void) {
    Py_VISIT(self->_type);
    Py_VISIT(self->_type);
}
"""


def test_in_c_code_each_member_is_told_once(tmp_path: Path) -> None:
    assert (
        visited_once(TRAVERSE).count("Py_VISIT(self->_type);") == 3
        and visited_once(TRAVERSE).count("_variable") == 1
    )
    path = tmp_path / "inner" / "a.c"
    path.parent.mkdir()
    path.write_text(TRAVERSE)
    all_visited_once(tmp_path)
    assert path.read_text() == visited_once(TRAVERSE)
    with pytest.raises(RuntimeError, match="mypyc"):
        all_visited_once(tmp_path)


def test_c_files_of_modules_are_compiled_together(tmp_path: Path) -> None:
    made = [str(tmp_path / f"__native_kernlint___m{i}.c") for i in range(TOGETHER + 1)]
    assert together([f"{tmp_path}/init.c"]) == [f"{tmp_path}/init.c"]
    kept, *joint = together([f"{tmp_path}/init.c", *made])
    included = [re.findall(r'#include "(.*)"', Path(path).read_text()) for path in joint]
    assert kept == f"{tmp_path}/init.c" and included == [made[:TOGETHER], made[TOGETHER:]]
