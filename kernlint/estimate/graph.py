"""A kernel as the instructions one warp executes: operations that wait for each other, in branches
and loops.

Plain data, made by `build`, timed by `path`, counted by `model`. Identity is the object's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kernlint.base.dataclass import dataclass, field
from kernlint.estimate.costs import FREE, Cost
from kernlint.ir import nodes as ir

# How a value changes from one iteration to the next: a constant in each copy of an unrolled loop;
# by a constant; by a loop invariant.
COPY, CONSTANT, STEADY, ANY = "copy", "constant", "steady", ""


@dataclass(slots=True, eq=False)
class Node:
    """Something computed. `level`: the loops around what it depends on (0: none); `moves`: how it
    changes in the innermost of them."""

    level: int
    deps: tuple[Node, ...] = ()
    moves: str = ANY


@dataclass(slots=True, eq=False)
class Phi(Node):
    """A value carried from one iteration to the next: `deps` holds the one at entry, `back` the one
    at the iteration's end."""

    back: Node | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where an access goes: the objects it may touch (none: any), whether through a pointer that
    nothing else aliases, and its address as what varies and a constant."""

    space: str
    objects: frozenset[ir.MemoryObject]
    alone: bool
    node: Node | None
    constant: float

    def meets(self, other: Place) -> bool:
        """Whether the compiler must take the two to touch the same bytes."""
        if self.space != other.space:
            return False
        if self.objects and other.objects and not self.objects & other.objects:
            return self.space == "global" and not (self.alone or other.alone)
        return self.node is not other.node or (
            self.constant == other.constant and (self.node is None or self.node.moves == ANY)
        )


@dataclass(slots=True, eq=False)
class Op(Node):
    """Instructions of one kind. `owner`: the statement that executes as often; `site`: the access
    of a memory operation."""

    cost: Cost = FREE
    owner: ir.Statement | None = None
    site: ir.AccessSite | None = None
    place: Place | None = None
    kind: str = "arithmetic"  # | load | store | atomic | copy | shuffle | merge
    product: bool = False  # a product that a following sum may take in (IMAD, FFMA)


@dataclass(slots=True, eq=False)
class Sync:
    """A barrier of the block (or of more)."""

    statement: ir.Barrier


@dataclass(slots=True, eq=False)
class Fork:
    """A branch. `predicated`: too short to jump over. Instructions of a jump are counted with
    `statement`."""

    statement: ir.If
    condition: Node | None
    then: list[Item] = field(default_factory=list)
    otherwise: list[Item] = field(default_factory=list)
    predicated: bool = False


@dataclass(slots=True, eq=False)
class Cycle:
    """A loop. `before`: what is computed once, outside; `unroll`: iterations side by side, 0 for
    all of them."""

    statement: ir.Loop
    before: list[Item] = field(default_factory=list)
    body: list[Item] = field(default_factory=list)
    phis: list[Phi] = field(default_factory=list)
    unroll: int = 1


Item = Op | Sync | Fork | Cycle


def walk(items: Iterable[Item]) -> Iterator[Item]:
    """Every item, with those of branches and loops."""
    for item in items:
        yield item
        if isinstance(item, Fork):
            yield from walk((*item.then, *item.otherwise))
        elif isinstance(item, Cycle):
            yield from walk((*item.before, *item.body))
