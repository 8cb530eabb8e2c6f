"""The control-flow graph of a PTX function: basic blocks, dominators, natural loops, and the tree
in which structured code is written.

In: the statements of a body. Out: `Flow`. Raises SourceError (KL003) for computed branches and for
graphs that are no nest of loops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kernlint.base.dataclass import dataclass, field, replace
from kernlint.base.span import Span
from kernlint.model.reasons import refused
from kernlint.source.ptx.nodes import (
    Predicate,
    PtxDeclaration,
    PtxInstruction,
    PtxLabel,
    PtxStatement,
    Symbol,
)

RETURN = -1  # the successor of what ends the function
ENDS = ("ret", "exit", "trap")
_LEAVES = ("bra", "brx", *ENDS)


@dataclass(frozen=True, slots=True, eq=False)
class PtxBlock:
    """Straight code. `predicate`: of the branch that ends it; then `taken` is followed where it
    holds and `next` elsewhere. Without one, `next` alone. RETURN is the function's end."""

    number: int
    instructions: tuple[PtxInstruction, ...]
    predicate: Predicate | None
    taken: int
    next: int
    branch: PtxInstruction | None
    offset: int

    @property
    def successors(self) -> tuple[int, ...]:
        return (self.taken, self.next) if self.predicate is not None else (self.next,)


@dataclass(slots=True, eq=False)
class Flow:
    """`order`: reachable blocks, each before those it dominates; `loops`: header → the blocks of
    its loop; `children`: what is written inside or after each block, in order; `merges`: blocks
    with several ways in that are no jumps back."""

    blocks: list[PtxBlock]
    order: list[int] = field(default_factory=list)
    parent: dict[int, int] = field(default_factory=dict)
    loops: dict[int, set[int]] = field(default_factory=dict)
    children: dict[int, list[int]] = field(default_factory=dict)
    merges: set[int] = field(default_factory=set)


def flow(statements: tuple[PtxStatement, ...], place: Callable[[int], Span]) -> Flow:
    """The graph of a body. `place`: an offset in the body as a place in the file."""
    found = Flow(_blocks(statements, place))
    if not found.blocks:
        return found
    found.order = _order(found.blocks)
    position = {b: i for i, b in enumerate(found.order)}
    dominators = _dominators(found, position)
    _loops(found, position, dominators, place)
    _tree(found, position, dominators)
    return found


# ------------------------------------------------------------------ blocks


def _blocks(statements: tuple[PtxStatement, ...], place: Callable[[int], Span]) -> list[PtxBlock]:
    parts = [p for p in statements if not isinstance(p, PtxDeclaration)]
    starts: list[int] = []  # positions in `parts` at which a block begins
    for i, part in enumerate(parts):
        labelled = isinstance(part, PtxLabel) and not (i and isinstance(parts[i - 1], PtxLabel))
        if i == 0 or labelled or _ends(parts[i - 1]):
            starts.append(i)
    labels: dict[str, int] = {}
    for number, (start, end) in enumerate(_ranges(starts, len(parts))):
        labels.update({p.name: number for p in parts[start:end] if isinstance(p, PtxLabel)})
    made = []
    for number, (start, end) in enumerate(_ranges(starts, len(parts))):
        body = [p for p in parts[start:end] if isinstance(p, PtxInstruction)]
        following = number + 1 if number + 1 < len(starts) else RETURN
        made.append(_block(number, body, following, labels, place, parts[start].offset))
    return [replace(b, taken=_final(b.taken, made), next=_final(b.next, made)) for b in made]


def _final(number: int, blocks: list[PtxBlock]) -> int:
    """Where a jump ends up that meets empty blocks first; RETURN for a block that only returns."""
    for _ in blocks:
        if number == RETURN or blocks[number].instructions or blocks[number].predicate is not None:
            break
        number = blocks[number].next
    return number


def _ranges(starts: list[int], end: int) -> Iterator[tuple[int, int]]:
    yield from zip(starts, [*starts[1:], end], strict=True)


def _ends(part: PtxStatement) -> bool:
    return isinstance(part, PtxInstruction) and part.opcode in _LEAVES


def _block(
    number: int,
    body: list[PtxInstruction],
    following: int,
    labels: dict[str, int],
    place: Callable[[int], Span],
    offset: int,
) -> PtxBlock:
    last = body[-1] if body and _ends(body[-1]) else None
    if last is None:
        return PtxBlock(number, tuple(body), None, RETURN, following, None, offset)
    rest = tuple(body[:-1])
    if last.opcode in ENDS:
        target = RETURN
    else:
        name = (
            last.operands[0].name
            if len(last.operands) == 1 and isinstance(last.operands[0], Symbol)
            else ""
        )
        if last.opcode != "bra" or name not in labels:
            raise refused("ptx-target", place(last.offset), branch=last.text)
        target = labels[name]
    if last.predicate is None:
        return PtxBlock(number, rest, None, RETURN, target, last, offset)
    return PtxBlock(number, rest, last.predicate, target, following, last, offset)


# ------------------------------------------------------------------ dominators and loops


def _order(blocks: list[PtxBlock]) -> list[int]:
    """Reverse post-order from block 0."""
    seen, found = {0}, list[int]()
    stack: list[tuple[int, Iterator[int]]] = [(0, iter(blocks[0].successors))]
    while stack:
        block, rest = stack[-1]
        successor = next((s for s in rest if s != RETURN and s not in seen), None)
        if successor is None:
            found.append(block)
            stack.pop()
        else:
            seen.add(successor)
            stack.append((successor, iter(blocks[successor].successors)))
    return found[::-1]


def _predecessors(found: Flow) -> dict[int, list[int]]:
    before: dict[int, list[int]] = {b: [] for b in found.order}
    for b in found.order:
        for s in dict.fromkeys(found.blocks[b].successors):
            if s != RETURN:
                before[s].append(b)
    return before


def _dominators(found: Flow, position: dict[int, int]) -> dict[int, int]:
    """Immediate dominators (Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm, 2001)."""
    before = _predecessors(found)
    closest = {0: 0}
    changed = True
    while changed:
        changed = False
        for b in found.order[1:]:
            known = [p for p in before[b] if p in closest]
            new = known[0]
            for p in known[1:]:
                while p != new:
                    if position[p] > position[new]:
                        p = closest[p]
                    else:
                        new = closest[new]
            if closest.get(b) != new:
                closest[b], changed = new, True
    return closest


def _dominates(a: int, b: int, closest: dict[int, int]) -> bool:
    while b != a and b != 0:
        b = closest[b]
    return a == b


def _loops(
    found: Flow, position: dict[int, int], closest: dict[int, int], place: Callable[[int], Span]
) -> None:
    before = _predecessors(found)
    for b in found.order:
        for s in found.blocks[b].successors:
            if s == RETURN or position[s] > position[b]:
                continue
            if not _dominates(s, b, closest):
                at = found.blocks[b].branch
                where = place(at.offset if at is not None else found.blocks[b].offset)
                raise refused("ptx-loop", where)
            inside = found.loops.setdefault(s, {s})
            pending = [b]
            while pending:
                one = pending.pop()
                if one not in inside:
                    inside.add(one)
                    pending += before[one]
    for b, sources in before.items():
        if sum(position[p] < position[b] for p in sources) > 1:
            found.merges.add(b)


def _tree(found: Flow, position: dict[int, int], closest: dict[int, int]) -> None:
    """A block stands below its dominator; what a loop is left to stands below the loop's head,
    after the loop."""
    found.children = {b: [] for b in found.order}
    for b in found.order[1:]:
        parent = closest[b]
        left = [h for h, inside in found.loops.items() if parent in inside and b not in inside]
        if left:
            parent = min(left, key=lambda h: position[h])
        found.parent[b] = parent
        found.children[parent].append(b)
