"""Questions about a function body's syntax that lowering asks before it starts: which names are assigned, which are copied once.

In: body nodes. Out: names and lines. Memoised on the node's identity by the callers' frames; never resolves names.
"""

from __future__ import annotations

from pycparser import c_ast

from kernlint.lowering.syntax import Node
from kernlint.source import tree


def assigned_names(body: Node) -> frozenset[str]:
    """Names assigned, stepped or addressed somewhere in `body`."""
    found: set[str] = set()
    for node in walk(body):
        target = None
        if isinstance(node, c_ast.Assignment):
            target = node.lvalue
        elif isinstance(node, c_ast.UnaryOp) and node.op in ("++", "--", "p++", "p--", "&"):
            target = node.expr
        while isinstance(target, (c_ast.StructRef, c_ast.ArrayRef)):
            target = target.name
        if isinstance(target, c_ast.ID):
            found.add(target.name)
        if isinstance(node, tree.Asm):
            found |= {o.expr.name for o in node.outputs or [] if isinstance(o.expr, c_ast.ID)}
    return frozenset(found)


def walk(node: Node) -> list[Node]:
    """Every node of a subtree, in no particular order."""
    found, stack = [], [node]
    while stack:
        one = stack.pop()
        found.append(one)
        stack += [child for _, child in one.children() if child is not None]
    return found


def copy_lines(body: Node) -> dict[int, int]:
    """For locals that are named exactly once after their declaration, as a whole right-hand side: declaration id → line of that copy.

    nvcc charges the load of `float4 v = mem; … x = v;` to the line of the copy.
    """
    uses: dict[str, int] = {}
    copies: dict[str, Node] = {}
    declared: dict[str, list[Node]] = {}
    for node in walk(body):
        if isinstance(node, c_ast.ID):
            uses[node.name] = uses.get(node.name, 0) + 1
        elif isinstance(node, c_ast.Assignment) and node.op == "=" and isinstance(node.rvalue, c_ast.ID):
            copies[node.rvalue.name] = node.rvalue
        elif isinstance(node, c_ast.Decl) and isinstance(node.name, str):
            declared.setdefault(node.name, []).append(node)
    found: dict[int, int] = {}
    for name, copy in copies.items():
        nodes = declared.get(name, [])
        if uses.get(name) == 1 and len(nodes) == 1 and nodes[0].init is not None and copy.coord is not None:
            found[id(nodes[0])] = copy.coord.end_line
    return found
