"""What a symbolic run of a kernel notes: accesses, branches, and values that must lie in a range.

In: nothing; these are values. Out: what `walk` fills and the others read.
"""

from __future__ import annotations

import sympy

from kernlint.algebra.index import Carried
from kernlint.base.dataclass import dataclass, field
from kernlint.ir import nodes as ir
from kernlint.laws.functions import Value
from kernlint.laws.lane_values import Array, LaneSum, NoValue
from kernlint.laws.values import Guard, Relation

Scalar = LaneSum | NoValue


@dataclass(frozen=True, slots=True)
class LoopAxis:
    """A loop that runs as often for each thread. `trips` None: until a condition among the
    record's atoms ends it."""

    counter: Value
    trips: Value | None
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Obligation:
    """A value that must lie in a range wherever the loops take it."""

    value: LaneSum
    low: int | None
    high: int | None
    mask: Array
    loops: tuple[LoopAxis, ...]


@dataclass(frozen=True, slots=True)
class State:
    """Where control is: the threads, the conditions that are not decided, the loops around, and
    why nothing can be said of who arrives."""

    mask: Array
    atoms: tuple[Relation, ...] = ()
    loops: tuple[LoopAxis, ...] = ()
    reason: str = ""
    needs: tuple[Obligation, ...] = ()  # of the conditions and trip counts around


@dataclass(frozen=True, slots=True)
class AccessRecord:
    """One access as one path executes it. `address`: from the object's start, in bytes."""

    site: ir.AccessSite
    object: ir.MemoryObject | None
    width: int
    address: LaneSum | NoValue
    state: State
    needs: tuple[Obligation, ...] = ()
    increments: bool = False  # an atomic operation that adds 1 and nothing uses the old value


@dataclass(frozen=True, slots=True)
class BranchRecord:
    """One condition as one path evaluates it, `evaluations` times: by the warps of `state`, of
    which `guard` says what threads pass."""

    site: ir.BranchSite
    state: State
    guard: Guard | NoValue
    evaluations: Value = sympy.S.One


@dataclass(slots=True)
class SymbolicRun:
    records: list[AccessRecord] = field(default_factory=list)
    branches: list[BranchRecord] = field(default_factory=list)
    obligations: list[Obligation] = field(default_factory=list)
    symbols: dict[str, str] = field(default_factory=dict)
    ranges: dict[Value, tuple[int, int]] = field(default_factory=dict)  # of arguments
    # what variables hold as an iteration begins, and the numbers of iterations themselves, by loop,
    # where these are one expression
    carried: dict[Carried, Value | None] = field(default_factory=dict)
    iterations: set[str] = field(default_factory=set)
    # relations that keep values in their ranges, by what tells these values apart: see `domain`
    relations: dict[object, tuple[Value, ...]] = field(default_factory=dict)
