"""The house rules that no linter holds: how many modules lie in a folder, how dense code is, how
far imports go in circles, that one name is of one class, and that every package has tests.

In: the texts of kernlint/ and tests/. `optimizer/` is free of the rules on size, density and
circles. `python -m tests.test_house` takes lines that are no longer crowded off their list.
"""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.places import DATA, ROOT

pytestmark = pytest.mark.uncompiled

PACKAGE = ROOT / "kernlint"
MOST_MODULES = 30  # of one folder, beside its __init__
MOST_LOOSE = 5  # modules beside the rooms
MOST_IN_A_CIRCLE = 3
MOST_DENSE = 4.5  # decisions per 10 lines of functions
MOST_ON_A_LINE = 3
CROWDED = (
    DATA / "house" / "crowded_lines.json"
)  # module: lines with more, left from before the rule


def is_free(path: Path) -> bool:
    return "optimizer" in path.parts


@dataclass(frozen=True)
class Module:
    """`imports`: statements anywhere in it, in functions and under TYPE_CHECKING too; `inside`: the
    lines of the bodies of its functions; `decisions`: how many each line makes."""

    path: Path
    imports: list[ast.Import | ast.ImportFrom]
    inside: set[int]
    decisions: Counter[int]
    classes: list[str]


def read(path: Path) -> Module:
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    inside = {
        line
        for node in nodes
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for line in range(node.body[0].lineno, (node.end_lineno or 0) + 1)
    }
    imports = [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
    classes = [node.name for node in nodes if isinstance(node, ast.ClassDef)]
    return Module(path, imports, inside, decisions(nodes), classes)


@cache
def modules() -> dict[str, Module]:
    """By dotted name; a package by its own."""
    paths = sorted(PACKAGE.rglob("*.py"))
    names = (".".join(path.relative_to(ROOT).with_suffix("").parts) for path in paths)
    return {
        name.removesuffix(".__init__"): read(path) for name, path in zip(names, paths, strict=True)
    }


def test_no_folder_is_flat() -> None:
    folders = Counter(
        path.parent
        for root in (PACKAGE, ROOT / "tests")
        for path in root.rglob("*.py")
        if path.name != "__init__.py" and not is_free(path.relative_to(ROOT).relative_to(root.name))
    )
    assert {str(folder): n for folder, n in folders.items() if n > MOST_MODULES} == {}


def test_few_modules_are_loose() -> None:
    assert len([path for path in PACKAGE.glob("*.py") if path.name != "__init__.py"]) <= MOST_LOOSE


def test_every_package_has_tests() -> None:
    rooms = [path.parent.name for path in PACKAGE.glob("*/__init__.py")]
    without = [room for room in rooms if not list((ROOT / "tests" / room).rglob("test_*.py"))]
    assert without == [] and len(rooms) > 20


# ------------------------------------------------------------------ imports


def imported(name: str) -> Iterator[str]:
    """What a module imports: of names from a package the modules among them, else the package."""
    module = modules()[name]
    package = name.split(".") if module.path.name == "__init__.py" else name.split(".")[:-1]
    for node in module.imports:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
            continue
        above = package[: len(package) - node.level + 1] if node.level else []
        base = ".".join([*above, *([node.module] if node.module else [])])
        for alias in node.names:
            whole = f"{base}.{alias.name}"
            yield whole if whole in modules() else base


def reached(start: str, edges: dict[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    pending = [start]
    while pending:
        for other in edges[pending.pop()] - seen:
            seen.add(other)
            pending.append(other)
    return seen


def circles(edges: dict[str, set[str]]) -> list[list[str]]:
    """Modules that reach themselves, together with those they reach that reach them."""
    found = {name: reached(name, edges) for name in edges}
    some = {
        tuple(sorted(other for other in others if name in found[other]))
        for name, others in found.items()
        if name in others
    }
    return sorted(map(list, some))


def test_circles_are_what_reaches_itself() -> None:
    edges = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set(), "e": {"a", "f"}, "f": {"e"}}
    assert circles(edges) == [["a", "b", "c"], ["e", "f"]]


@pytest.mark.slow
def test_imports_go_in_no_wide_circle() -> None:
    bound = {name for name, module in modules().items() if not is_free(module.path)}
    edges = {name: (set(imported(name)) & bound) - {name} for name in bound}
    assert sum(map(len, edges.values())) > 1000
    assert [circle for circle in circles(edges) if len(circle) > MOST_IN_A_CIRCLE] == []


# ------------------------------------------------------------------ names


# languages of nodes, whose users write `tree.If`, `ir.If`, `ptx.Group`, and the facts made of them
LANGUAGES = (
    "kernlint.ir.nodes",
    "kernlint.machine_code.instructions",
    "kernlint.model.facts",
    "kernlint.source.parser.tree",
    "kernlint.source.ptx.nodes",
)
SHARED = frozenset(  # left from before the rule; the list may only shrink
    [
        "Group",
        "Label",
        "Node",
    ]
)


def classes() -> dict[str, list[str]]:
    """By name of a public class: the modules that define one, the languages of nodes as one."""
    found: dict[str, set[str]] = {}
    for name, module in modules().items():
        home = "a language" if name in LANGUAGES else name
        for one in module.classes if not is_free(module.path) else ():
            found.setdefault(one, set()).add(home)
    return {name: sorted(homes) for name, homes in found.items() if name[0] != "_"}


@pytest.mark.slow
def test_one_name_is_of_one_class() -> None:
    assert len(classes()) > 500
    shared = {name: homes for name, homes in classes().items() if len(homes) > 1}
    assert {name: homes for name, homes in shared.items() if name not in SHARED} == {}


# ------------------------------------------------------------------ density


_DECISIONS: dict[type, Callable[[Any], list[int]]] = {
    ast.BoolOp: lambda node: [value.lineno for value in node.values[1:]],
    ast.comprehension: lambda node: [node.target.lineno, *(one.lineno for one in node.ifs)],
    ast.match_case: lambda node: [node.pattern.lineno],
    **dict.fromkeys((ast.If, ast.IfExp, ast.While, ast.Assert), lambda node: [node.test.lineno]),
    **dict.fromkeys((ast.For, ast.AsyncFor, ast.ExceptHandler), lambda node: [node.lineno]),
}


def decisions(nodes: Iterable[ast.AST]) -> Counter[int]:
    """By line, how many decisions are made there."""
    made = ((_DECISIONS[type(node)], node) for node in nodes if type(node) in _DECISIONS)
    return Counter(line for lines, node in made for line in lines(node))


def test_decisions_are_counted_where_they_stand() -> None:
    text = "x = [\n    a for a in b\n    if a or c\n]\nif x and y and z: pass\nwhile x: pass\n"
    assert decisions(ast.walk(ast.parse(text))) == {2: 1, 3: 2, 5: 3, 6: 1}


@pytest.mark.slow
def test_functions_are_not_dense() -> None:
    lines = made = 0
    for module in modules().values():
        if not is_free(module.path):
            lines += len(module.inside)
            made += sum(n for line, n in module.decisions.items() if line in module.inside)
    assert lines > 40_000 and 10 * made / lines <= MOST_DENSE


def crowded() -> dict[str, int]:
    """By module, how many of its lines make more decisions than a line may."""
    found = {
        module.path.relative_to(PACKAGE).as_posix(): sum(
            n > MOST_ON_A_LINE for n in module.decisions.values()
        )
        for module in modules().values()
        if not is_free(module.path)
    }
    return {path: lines for path, lines in found.items() if lines}


def excused() -> dict[str, int]:
    found: dict[str, int] = json.loads(CROWDED.read_text(encoding="utf-8"))
    return found


@pytest.mark.slow
def test_no_line_becomes_crowded() -> None:
    known = excused()
    assert {path: n for path, n in crowded().items() if n > known.get(path, 0)} == {}


def replaced_in_loops(tree: ast.AST) -> Iterator[int]:
    """Lines that give a new value to the name which the loop around them goes over."""
    for loop in ast.walk(tree):
        if not (isinstance(loop, ast.For) and isinstance(loop.iter, ast.Name)):
            continue
        for inner in (x for s in loop.body for x in ast.walk(s) if isinstance(x, ast.Assign)):
            names = {x.id for t in inner.targets for x in ast.walk(t) if isinstance(x, ast.Name)}
            if loop.iter.id in names:
                yield inner.lineno


@pytest.mark.slow
def test_no_loop_replaces_what_it_goes_over() -> None:
    """Compiled, each step reads the sequence under its name anew: beyond the end of a shorter one."""
    assert list(replaced_in_loops(ast.parse("for x in a:\n    a = f(x)\n"))) == [2]
    found = {
        path.relative_to(ROOT).as_posix(): lines
        for path in PACKAGE.rglob("*.py")
        if (lines := list(replaced_in_loops(ast.parse(path.read_text(encoding="utf-8")))))
    }
    assert found == {}


if __name__ == "__main__":
    now, before = crowded(), excused()
    left = {path: min(n, before[path]) for path, n in now.items() if path in before}
    CROWDED.write_text(json.dumps(left, indent=0) + "\n", encoding="utf-8")
