"""Structured code from a control-flow graph: branches become `If`, jumps back `Loop`, everything
else `Leave` of a `Region`.

In: a `Flow` and what lowers the straight code and the condition of one block. Out: an IR body. The
way is Ramsey's ("Beyond Relooper", ICFP 2022): blocks are written along the dominator tree, a block
with several ways in stands behind the region that jumps to it leave. Where a jump goes to what
follows anyway nothing is written, so that ordinary code comes out as `If` with two arms.
"""

from __future__ import annotations

from typing import Protocol

from kernlint.base.dataclass import dataclass, field
from kernlint.ir import nodes as ir
from kernlint.lowering.ptx.flow import RETURN, Flow, PtxBlock


class BlockLowering(Protocol):
    """What turns one block into statements."""

    def statements(self, block: PtxBlock) -> tuple[ir.Statement, ...]: ...

    def condition(self, block: PtxBlock) -> ir.Expression: ...

    def site(self, block: PtxBlock, kind: str) -> ir.BranchSite: ...

    def loop(self, made: ir.Loop, head: int) -> ir.Loop:
        """The loop in a better form."""
        ...


def structured(found: Flow, blocks: BlockLowering, end: ir.Label) -> ir.Body:
    """The body of a function; `end` is the label that `ret` leaves."""
    if not found.blocks:
        return ()
    writer = _Writer(found, blocks, {RETURN: end})
    return tuple(writer.sequence(0, RETURN))


def negated(condition: ir.Expression) -> ir.Expression:
    if isinstance(condition, ir.Unary) and condition.op == "!":
        return condition.operand
    return ir.Unary(condition.type, "!", condition)


@dataclass(slots=True)
class _Writer:
    flow: Flow
    blocks: BlockLowering
    labels: dict[int, ir.Label]  # where a jump to a block leaves to
    used: set[ir.Label] = field(default_factory=set)
    opened: set[int] = field(default_factory=set)  # loops being written

    def sequence(self, block: int, following: int) -> list[ir.Statement]:
        """Everything from `block` on that stands in its place; falls through to `following`."""
        out: list[ir.Statement] = []
        current: int | None = block
        while current is not None:
            kids = self._standing_after(current)
            after = kids[0] if kids else following
            for kid in kids:
                self.labels[kid] = ir.Label(f"block {kid}")
            part, current = self._one(current, after, not kids)
            for kid, behind in zip(kids, [*kids[1:], None], strict=False):
                label = self.labels.pop(kid)
                part = [ir.Region(label, tuple(part))] if label in self.used else part
                if behind is None:
                    current = kid
                else:
                    part += self.sequence(kid, behind)
            out += part
        return out

    def _standing_after(self, block: int) -> list[int]:
        """The blocks that stand behind `block`: met again by several ways, or behind the loop that
        it heads."""
        children = self.flow.children[block]
        if block not in self.flow.loops:
            return [c for c in children if c in self.flow.merges]
        inside = self.flow.loops[block]
        if block in self.opened:
            return [c for c in children if c in inside and c in self.flow.merges]
        return [c for c in children if c not in inside]

    def _one(
        self, block: int, after: int, may_go_on: bool
    ) -> tuple[list[ir.Statement], int | None]:
        """The code of one block, and the block that goes on at the same level, if any."""
        if block in self.flow.loops and block not in self.opened:
            return [self._loop(block, after)], None
        node = self.flow.blocks[block]
        out = list(self.blocks.statements(node))
        if node.predicate is None:
            return self._ended(out, block, node.next, after, may_go_on)
        condition = self.blocks.condition(node)
        site = self.blocks.site(node, "if")
        then, otherwise = (self._jump(block, target, after) for target in (node.taken, node.next))
        if (
            may_go_on and after == RETURN and (then is None) != (otherwise is None)
        ):  # what returns leaves, the rest goes on
            leave: list[ir.Statement] = [ir.Leave(self.labels[RETURN])]
            then, otherwise = (leave if j == [] else j for j in (then, otherwise))
        if then is not None and otherwise is not None:
            if then or otherwise:
                out.append(
                    ir.If(condition, tuple(then), tuple(otherwise), site)
                    if then
                    else _unless(condition, otherwise, site)
                )
            return out, None
        if then:  # leaves; the rest goes on
            return self._ended(
                [*out, ir.If(condition, tuple(then), (), site)], block, node.next, after, may_go_on
            )
        if otherwise:
            return self._ended(
                [*out, _unless(condition, otherwise, site)], block, node.taken, after, may_go_on
            )
        arms = [
            self.sequence(t, after) if j is None else j
            for t, j in ((node.taken, then), (node.next, otherwise))
        ]
        out.append(
            ir.If(condition, tuple(arms[0]), tuple(arms[1]), site)
            if arms[0]
            else _unless(condition, arms[1], site)
        )
        return out, None

    def _ended(
        self, out: list[ir.Statement], block: int, target: int, after: int, may_go_on: bool
    ) -> tuple[list[ir.Statement], int | None]:
        jump = self._jump(block, target, after)
        if jump is not None:
            return out + jump, None
        if may_go_on:
            return out, target
        return out + self.sequence(target, after), None

    def _jump(self, block: int, target: int, after: int) -> list[ir.Statement] | None:
        """What gets from `block` to `target`: nothing where it follows anyway, None where `target`
        is written right here."""
        if target == after:
            return []
        if target in self.labels:
            label = self.labels[target]
            self.used.add(label)
            return [ir.Leave(label)]
        return None

    def _loop(self, head: int, after: int) -> ir.Statement:
        end, again = ir.Label(f"loop {head}"), ir.Label(f"continue {head}")
        outer = dict(self.labels)
        self.labels[after], self.labels[head] = end, again
        self.opened.add(head)
        body = tuple(self.sequence(head, head))
        self.opened.discard(head)
        self.labels = outer
        if again in self.used:
            body = (ir.Region(again, body),)
        return self.blocks.loop(
            ir.Loop(end, (), None, body, (), self.blocks.site(self._latch(head), "do")), head
        )

    def _latch(self, head: int) -> PtxBlock:
        """The block whose branch jumps back, for the loop's place; its head where there are
        several."""
        inside = self.flow.loops[head]
        back = [b for b in inside if head in self.flow.blocks[b].successors]
        return self.flow.blocks[back[0] if len(back) == 1 else head]


def _unless(
    condition: ir.Expression, body: list[ir.Statement], site: ir.BranchSite
) -> ir.Statement:
    return ir.If(negated(condition), tuple(body), (), site)
