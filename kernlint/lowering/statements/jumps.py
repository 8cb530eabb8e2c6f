"""Statements in order, and `goto` as structured flow: jumps ahead leave a Region that ends at their
label, jumps back repeat a loop that begins at theirs.

A jump into a block or into the middle of what is repeated is refused with the whole kernel: no
number of it would hold.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.base.span import Problem, Span
from kernlint.ir import nodes as ir
from kernlint.lowering.context import Lowerer, StatementHandler, statement
from kernlint.lowering.expressions.expressions import condition
from kernlint.lowering.usage import walk
from kernlint.model.reasons import refused
from kernlint.source.parser import tree


class Repeated(tree.Stmt):
    """Statements from a label to the last jump back to it. `test`: the condition of that jump where
    it is the only one and comes last."""

    __slots__ = ("coord", "names", "statements", "test")
    attr_names = ()

    def __init__(
        self,
        names: frozenset[str],
        statements: list[tree.Stmt],
        test: tree.Expr | None,
        coord: Span,
    ) -> None:
        self.names, self.statements, self.test, self.coord = names, statements, test, coord

    def children(self) -> tuple[tuple[str, tree.Node], ...]:
        found: list[tuple[str, tree.Node]] = [
            (f"statements[{i}]", one) for i, one in enumerate(self.statements)
        ]
        return tuple(found if self.test is None else [*found, ("test", self.test)])


def sequence(low: Lowerer, items: Sequence[tree.Stmt]) -> None:
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
        if low.terminated and not isinstance(item, (tree.Label, tree.Case, tree.Default)):
            continue
        statement(low, item)


def _labels(node: tree.Node) -> set[str]:
    """Before the statement; those of a loop made of it are done with as far as jumps back go
    (`_repeating`)."""
    found: set[str] = set()
    while isinstance(node, tree.Label):
        found.add(node.name)
        node = node.stmt
    return found


def _targets(items: Sequence[tree.Stmt]) -> set[str]:
    return {node.name for one in items for node in walk(one) if isinstance(node, tree.Goto)}


# ------------------------------------------------------------------ back


def _repeating(items: list[tree.Stmt]) -> list[tree.Stmt]:
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
            whole: tree.Stmt = _loop_of(repeated, inner)
            for name in sorted(names):
                whole = tree.Label(name, whole, item.coord)
            return [*items[:first], whole, *items[last + 1 :]]
    return items


def _repeated_names(node: tree.Node) -> frozenset[str]:
    while isinstance(node, tree.Label):
        node = node.stmt
    return node.names if isinstance(node, Repeated) else frozenset()


def _loop_of(names: frozenset[str], items: list[tree.Stmt]) -> Repeated:
    head = items[0]
    while isinstance(head, tree.Label):
        head = head.stmt
    body = [head, *items[1:]]
    last = body[-1]
    jumps = [n for one in body for n in walk(one) if isinstance(n, tree.Goto)]
    only = sum(jump.name in names for jump in jumps) == 1
    if (
        only
        and isinstance(last, tree.If)
        and isinstance(last.cond, tree.Expr)
        and last.iffalse is None
        and isinstance(_alone(last.iftrue), tree.Goto)
    ):
        return Repeated(names, body[:-1], last.cond, last.coord)
    return Repeated(names, body, None, items[0].coord)


def _alone(node: tree.Stmt) -> tree.Stmt:
    """The statement, or the one that is all there is in its braces."""
    while isinstance(node, tree.Compound) and len(node.block_items) == 1:
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


def _region_before(low: Lowerer, items: Sequence[tree.Stmt], names: set[str]) -> None:
    label = ir.Label(min(names))
    for name in names:
        low.gotos[name] = label
    with low.block() as body:
        sequence(low, items)
    low.emit(ir.Region(label, tuple(body)))
    for name in names:
        low.gotos.pop(name, None)


def _label(low: Lowerer, node: tree.Label) -> None:
    low.terminated = False
    statement(low, node.stmt)


def _goto(low: Lowerer, node: tree.Goto) -> None:
    label = low.gotos.get(node.name)
    if node.name == "*":
        raise refused("computed-jump", low.span(node))
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
        {one.name for one in walk(body) if isinstance(one, tree.Label)}
        if body is not None
        else set()
    )


STATEMENTS: dict[type, StatementHandler] = {
    tree.Goto: _goto,
    tree.Label: _label,
    Repeated: _repeated,
}
