"""What the conditions of a path say of another condition: outer tests that imply inner ones.

In: paths, a condition. Out: whether it surely holds there, or never does; loads that are needed only
where no lane comes. `if (x < 16) { if (x < 20) … else … }`: nvcc drops the inner test, the arm that
nobody takes, and what is loaded for either alone (machine code of 60 kernels). Never: which ranges
nvcc does follow; what they decide here, it may know.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce
from math import gcd

from kernlint.base.dataclass import dataclass
from kernlint.base.relations import OPPOSITE
from kernlint.ir import nodes as ir
from kernlint.optimizer.address_knowledge import (
    ANY,
    OPERATIONS,
    Knowledge,
    between,
    constant,
    meet,
)
from kernlint.optimizer.compiler_facts import Risk
from kernlint.optimizer.compiler_forms import DEEPEST, Atoms, Form, evaluated
from kernlint.optimizer.compiler_implied import implied, key_of
from kernlint.optimizer.compiler_state import Path, Step, common
from kernlint.optimizer.compiler_uses import Uses, needed
from kernlint.optimizer.compiler_walk import Walker

TEXT = "only what a condition around it rules out needs it"
BUILTINS = {"tid": 1023, "laneid": 31, "warpid": 31}  # the most; of others none is below 0
# of `left - right`: bounds where a comparison holds
COMPARISONS: Mapping[object, tuple[int | None, int | None]] = {
    "<": (None, -1),
    "<=": (None, 0),
    ">": (1, None),
    ">=": (0, None),
    "==": (0, 0),
}


@dataclass(frozen=True, slots=True)
class Test:
    """Of a sum without its constant: what it is, or (`apart`) what it is not."""

    terms: Form
    range: Knowledge
    apart: bool


@dataclass(frozen=True, slots=True)
class Said:
    """What a path's conditions say of sums without their constants; None: no lane comes there."""

    ranges: Mapping[Form, Knowledge]
    apart: Mapping[Form, tuple[int, ...]]


class PathConditions:
    """`first_tests`: what a loop tests before its first iteration."""

    def __init__(self, atoms: Atoms, first_tests: Mapping[ir.Loop, Form]) -> None:
        self.atoms, self.first_tests = atoms, first_tests
        self._said: dict[Path, Said | None] = {(): Said({}, {})}
        # what is the same on every path: thousands of paths meet the same few conditions
        self._tests: dict[tuple[Form, bool], Test | None] = {}
        self._ranges: dict[Form, Knowledge] = {}
        self._everywhere: dict[Form, bool | None] = {}

    def is_dead(self, path: Path) -> bool:
        return self.said(path) is None

    def truth(self, path: Path, condition: Form) -> bool | None:
        """Whether a condition holds on a path; None where that is open, or no lane comes there."""
        said = self.said(path)
        if said is None:
            return None
        test = self._test(condition, False) or self._test(condition, True)
        if test is None:
            return None
        if test.terms in said.ranges:
            return self._decided(said, condition)
        if condition not in self._everywhere:
            self._everywhere[condition] = self._decided(said, condition)
        return self._everywhere[condition]

    def _decided(self, said: Said, condition: Form) -> bool | None:
        for side in (False, True):
            test = self._test(condition, side)
            if test is not None and self._left(said, test) is None:
                return not side
        return None

    def said(self, path: Path) -> Said | None:
        length = next(n for n in range(len(path), -1, -1) if path[:n] in self._said)
        found = self._said[path[:length]]
        for end in range(length, len(path)):
            step = path[end]
            for condition, side in self._known(step):
                found = self._with(found, condition, side)
            self._said[path[: end + 1]] = found
        return found

    def _known(self, step: Step) -> Iterator[tuple[Form, bool]]:
        if step.condition is not None:
            yield step.condition, step.side
            yield from step.implied
        elif isinstance(step.statement, ir.Loop) and step.statement in self.first_tests:
            test = self.first_tests[step.statement]
            yield test, True
            yield from implied(test, True, self.atoms)

    def _with(self, said: Said | None, condition: Form, side: bool) -> Said | None:
        if said is None or (test := self._test(condition, side)) is None:
            return said
        after = self._left(said, test)
        if after is None:
            return None
        apart = _excluded(said, test)
        return Said({**said.ranges, test.terms: after}, {**said.apart, test.terms: apart})

    def _left(self, said: Said, test: Test) -> Knowledge | None:
        """What a sum may still be where a test holds; None: nothing."""
        before = said.ranges.get(test.terms)
        if before is None:
            before = self._range_of_sum(test.terms)
        after = before if test.apart else meet(before, test.range)
        if after is None:
            return None
        return None if after.value in _excluded(said, test) else after

    def _range_of_sum(self, terms: Form) -> Knowledge:
        found = self._ranges.get(terms)
        if found is None:
            found = self._ranges[terms] = self._range(terms)
        return found

    def _test(self, condition: Form, side: bool) -> Test | None:
        key = condition, side
        if key not in self._tests:
            self._tests[key] = self._test_of(condition, side)
        return self._tests[key]

    def _test_of(self, condition: Form, side: bool) -> Test | None:
        key = key_of(condition, self.atoms)
        if key[:1] == ("convert",) and key[1] == "bool" and isinstance(key[2], Form):
            return self._test(key[2], side)
        op = key[0] if key else ""
        if op in OPPOSITE and isinstance(key[1], Form) and isinstance(key[2], Form):
            sum_ = key[1] - key[2]
            op = op if side else OPPOSITE[str(op)]
        else:
            sum_, op = condition, "!=" if side else "=="
        if not sum_.terms:
            return None
        factor = gcd(*(c for _, c in sum_.terms))
        factor = factor if sum_.terms[0][1] > 0 else -factor
        terms = Form(tuple((m, c // factor) for m, c in sum_.terms))
        if op == "!=":
            whole = sum_.constant % factor == 0
            return Test(terms, constant(-sum_.constant // factor), True) if whole else None
        low, high = (None if end is None else end - sum_.constant for end in COMPARISONS[op])
        low, high = (low, high) if factor > 0 else (high, low)
        if factor < 0:
            low, high = (None if end is None else -end for end in (low, high))
        low = None if low is None else -(-low // abs(factor))
        high = None if high is None else high // abs(factor)
        return Test(terms, between(low, high), False)

    def _range(self, form: Form, depth: int = 0) -> Knowledge:
        return evaluated(form, lambda a: self._range_of(a, depth))

    def _range_of(self, a: int, depth: int) -> Knowledge:
        key = self.atoms.keys[a]
        if key[0] == "builtin":
            return between(0, BUILTINS.get(str(key[1]).partition(".")[0]))
        parts = [part for part in key[1:3] if isinstance(part, Form)]
        operation = OPERATIONS.get(str(key[0]))
        if operation is None or len(parts) != 2 or depth > DEEPEST:
            return ANY
        return operation(*(self._range(part, depth + 1) for part in parts))


def _excluded(said: Said, test: Test) -> tuple[int, ...]:
    """What a sum is not, where a test holds."""
    before = said.apart.get(test.terms, ())
    return (*before, test.range.start) if test.apart else before


def ruled_out(
    walker: Walker, live: Uses, conditions: PathConditions
) -> Iterator[tuple[ir.AccessSite, Risk]]:
    """Loads that are needed otherwise where nothing is needed of what no lane comes to, nor of the
    tests that are decided."""
    paths = {path for some in walker.uses.values() for path in some}
    paths |= {i.entry.path for i in walker.instances}
    dead = {path for path in paths if conditions.is_dead(path)}
    if walker.blind or not dead:
        return
    lasting = {
        step.statement
        for i in walker.instances
        if i.entry.store and i.entry.path not in dead
        for step in i.entry.path
    }
    idle: dict[int, set[Path]] = {}
    for path in dead:
        for n, step in enumerate(path):
            ends = conditions.is_dead(path[: n + 1])
            if step.condition is not None and (ends or step.statement not in lasting):
                for a in walker.atoms.inside(step.condition):
                    idle.setdefault(a, set()).add(path[:n])
            if ends:
                break
    left = needed(walker, {a: some - dead - idle.get(a, set()) for a, some in walker.uses.items()})
    for site, executions in walker.loaded.items():
        numbers = [a for _, some in executions for a in some]
        before = {path for a in numbers for path in live.get(a, ())}
        after = {path for a in numbers for path in left.get(a, ())}
        if before and not after:
            yield site, Risk("eliminated", False, (0, 1), TEXT)
        elif before != after and len(reduce(common, after)) > len(reduce(common, before)):
            yield site, Risk("sunk", False, (0, 1), TEXT)
