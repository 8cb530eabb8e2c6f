"""Statements in order, and `goto` as structured flow: jumps ahead leave a Region that ends at their
label, jumps back repeat a loop that begins at theirs.

A jump into a block or into the middle of what is repeated is refused with the whole kernel: no
number of it would hold.
"""

from __future__ import annotations

from collections.abc import Sequence

from pycparser import c_ast

from kernlint.base.span import Problem
from kernlint.ir import nodes as ir
from kernlint.lowering.context import Lowerer, StatementHandler, statement
from kernlint.lowering.expressions.expressions import condition
from kernlint.lowering.syntax import Node
from kernlint.lowering.usage import walk
from kernlint.model.reasons import refused


class Repeated(c_ast.Node):
    """Statements from a label to the last jump back to it. `test`: the condition of that jump where
    it is the only one and comes last."""

    __slots__ = ("coord", "names", "statements", "test")
    attr_names = ()

    def __init__(
        self, names: frozenset[str], statements: list[Node], test: Node | None, coord: object
    ) -> None:
        self.names, self.statements, self.test, self.coord = names, statements, test, coord

    def children(self) -> tuple[tuple[str, Node], ...]:
        found = [(f"statements[{i}]", one) for i, one in enumerate(self.statements)]
        return tuple(found if self.test is None else [*found, ("test", self.test)])


def sequence(low: Lowerer, items: Sequence[Node]) -> None:
    """Statements in order."""
    items = _repeating(list(items))
    for i in range(len(items) - 1, 0, -1):
        names = _labels(items[i])
        jumps = _targets(items[:i]) if names else set()
        if names & jumps:
            _region_before(low, items[:i], names & jumps)
            low.terminated = False
            sequence(low, items[i:])
            return
    for item in items:
        if low.terminated and not isinstance(item, (c_ast.Label, c_ast.Case, c_ast.Default)):
            continue
        statement(low, item)


def _labels(node: Node) -> set[str]:
    """Before the statement; those of a loop made of it are done with as far as jumps back go
    (`_repeating`)."""
    found: set[str] = set()
    while isinstance(node, c_ast.Label):
        found.add(node.name)
        node = node.stmt
    return found


def _targets(items: Sequence[Node]) -> set[str]:
    return {node.name for one in items for node in walk(one) if isinstance(node, c_ast.Goto)}


# ------------------------------------------------------------------ back


def _repeating(items: list[Node]) -> list[Node]:
    """The statements, those between a label and the last jump back to it put together."""
    for first, item in enumerate(items):
        names = _labels(item) - _repeated_names(item)
        last = (
            max(
                (i for i in range(first, len(items)) if names & _targets(items[i : i + 1])),
                default=None,
            )
            if names
            else None
        )
        if last is not None:
            inner = items[first : last + 1]
            inside = set().union(*map(_labels, inner[1:]))
            if inside & _targets(items[:first]):  # a jump from before into the middle
                continue
            repeated = frozenset(names & _targets(inner))
            whole: Node = _loop_of(repeated, inner)
            for name in sorted(names):
                whole = c_ast.Label(name, whole, item.coord)
            return [*items[:first], whole, *items[last + 1 :]]
    return items


def _repeated_names(node: Node) -> frozenset[str]:
    while isinstance(node, c_ast.Label):
        node = node.stmt
    return node.names if isinstance(node, Repeated) else frozenset()


def _loop_of(names: frozenset[str], items: list[Node]) -> Repeated:
    head = items[0]
    while isinstance(head, c_ast.Label):
        head = head.stmt
    body = [*([head] if head is not None else []), *items[1:]]
    last = body[-1]
    only = (
        len([n for one in body for n in walk(one) if isinstance(n, c_ast.Goto) and n.name in names])
        == 1
    )
    is_test = (
        isinstance(last, c_ast.If)
        and last.iffalse is None
        and not isinstance(last.cond, c_ast.Decl)
    )
    if only and is_test and isinstance(_alone(last.iftrue), c_ast.Goto):
        return Repeated(names, body[:-1], last.cond, last.coord)
    return Repeated(names, body, None, items[0].coord)


def _alone(node: Node) -> Node:
    """The statement, or the one that is all there is in its braces."""
    while isinstance(node, c_ast.Compound) and len(node.block_items or []) == 1:
        node = node.block_items[0]
    return node


def _repeated(low: Lowerer, node: Repeated) -> None:
    label, again = ir.Label("goto loop"), ir.Label(min(node.names))
    before = dict(low.gotos)
    low.gotos |= dict.fromkeys(node.names, again)
    with low.block() as body:
        sequence(low, node.statements)
        falls_out = not low.terminated
        if node.test is None and falls_out:
            low.emit(ir.Leave(label))
    low.gotos = before
    with low.block() as header:
        decided = condition(low, node.test) if node.test is not None and falls_out else None
    if isinstance(decided, ir.Constant) and not header and not decided.value:
        low.out.extend(body)
        return
    inner = tuple(body) if node.test is not None else (ir.Region(again, tuple(body)),)
    decided = None if isinstance(decided, ir.Constant) and not header else decided
    site = low.branch_site(node, "do", node.test)
    low.emit(ir.Loop(label, tuple(header), decided, inner, (), site, node.test is not None))
    low.terminated = node.test is None and not falls_out


# ------------------------------------------------------------------ ahead


def _region_before(low: Lowerer, items: Sequence[Node], names: set[str]) -> None:
    label = ir.Label(min(names))
    for name in names:
        low.gotos[name] = label
    with low.block() as body:
        sequence(low, items)
    low.emit(ir.Region(label, tuple(body)))
    for name in names:
        low.gotos.pop(name, None)


def _label(low: Lowerer, node: Node) -> None:
    low.terminated = False
    if node.stmt is not None:
        statement(low, node.stmt)


def _goto(low: Lowerer, node: Node) -> None:
    label = low.gotos.get(node.name)
    if label is None:
        if node.name in _all_labels(low):
            raise refused("backward-jump", low.span(node), label=node.name)
        low.report(
            Problem(
                "KL001",
                low.span(node),
                f"goto {node.name}: this function has no label of that name",
            )
        )
        low.emit(ir.Clobber(f"goto {node.name}", None, low.span(node)))
        return
    low.emit(ir.Leave(label))
    low.terminated = True


def _all_labels(low: Lowerer) -> set[str]:
    """The labels of the function being lowered."""
    entity = low.frame.entity
    body = (
        entity.node.lazy_body.parse()
        if entity is not None and entity.node.lazy_body is not None
        else low.frame.body
    )
    return (
        {one.name for one in walk(body) if isinstance(one, c_ast.Label)}
        if body is not None
        else set()
    )


STATEMENTS: dict[type, StatementHandler] = {
    c_ast.Goto: _goto,
    c_ast.Label: _label,
    Repeated: _repeated,
}
