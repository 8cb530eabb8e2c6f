"""Which loads a value may be one of, and what a branch chooses between.

In: the accesses of a walk, what variables hold at the ends of two arms. Out: `Origins`, which
collects the loads that are chosen between.
"""

from __future__ import annotations

from kernlint.ir import nodes as ir
from kernlint.optimizer import compiler_pairs as pairs
from kernlint.optimizer.compiler_accesses import Accesses, Unread
from kernlint.optimizer.compiler_dead import Dead
from kernlint.optimizer.compiler_forms import Form, atoms_apart, parts_apart, same_bits
from kernlint.optimizer.compiler_implied import truth_of
from kernlint.optimizer.compiler_live import State
from kernlint.optimizer.compiler_state import Entry

MOST_ORIGINS = 16  # loads that a value may be one of


class Origins(Accesses):
    """`origin`: the loads that a value is one of, where they are known."""

    def __init__(
        self, kernel: ir.Kernel, unread: Unread, gone: Dead, filled: Unread = frozenset()
    ) -> None:
        super().__init__(kernel, unread, gone, filled)
        self.origin: dict[int, set[int]] = {}

    def choose(
        self,
        s: ir.If,
        condition: Form,
        before: State,
        then: State,
        otherwise: State,
        places: tuple[int, int, int],
        changed: tuple[ir.Variable, ...],
    ) -> None:
        """Variables of which an arm replaces a loaded value: by another load (one load of the
        selected address serves both), or by something else (the load is needed on the other way
        only)."""
        start, middle, end = places
        both = [v for v in changed if v in then.held and v in otherwise.held]
        for v in both if self.recording else ():
            values = then.held[v], otherwise.held[v]
            if values[0] == values[1]:
                continue
            decided = any(
                truth_of(x, condition, True, self.atoms) is not None for x in values
            )  # `a && b`: on one way it is a constant
            origins = [self.origins(x) for x in values]
            apart = (
                origins
                if s.kept or decided or all(origins)
                else [self.origins(x) for x in self.apart(values)]
            )
            arms = [self.log[start:middle], self.log[middle:end]]
            if all(apart) and not any(
                self.kept_apart(a, arm) for some, arm in zip(apart, arms, strict=True) for a in some
            ):
                every = apart[0] | apart[1]
                if (
                    len(
                        {
                            (pairs.space(e), e.width)
                            for e in (self.log[self.makers[a][0]] for a in every)
                        }
                    )
                    == 1
                ):
                    self.chosen.append(("speculated", every))
                    self.meeting = True
            for some, value, instead, other in zip(
                origins, values, reversed(values), reversed(arms), strict=True
            ):
                kept = any(
                    self.makers[a][1] != self.fences for a in some
                ) or some & self.atoms.inside(instead)
                if (
                    some
                    and not kept
                    and value == before.held.get(v)
                    and other
                    and not any(e.store for e in other)
                ):
                    self.chosen.append(("sunk", some))

    def apart(self, values: tuple[Form, Form]) -> tuple[Form, Form]:
        """What two values are made of by the same operations."""
        while (pair := atoms_apart(*values)) is not None:
            whole = all(a in self.makers for a in pair)
            inner = None if whole else parts_apart(self.atoms, pair)
            if inner is None:
                return Form((((pair[0],), 1),)), Form((((pair[1],), 1),))
            values = inner
        return values

    def origins(self, form: Form) -> set[int]:
        """The loads that a value is one of; nothing where it may be something else."""
        atoms = self.atoms.inside(form)
        if len(atoms) != 1 or form.constant or form.terms[0] != (tuple(atoms), 1):
            return set()
        (a,) = atoms
        if a not in self.origin:
            key = self.atoms.keys[a]
            parts = (
                [self.origins(p) for p in key[3:5] if isinstance(p, Form)]
                if key[0] == "join"
                else [{a} & self.makers.keys()]
            )
            parts = parts if (same := same_bits(key)) is None else [self.origins(same)]
            every = set[int]().union(*parts) if all(parts) else set()
            self.origin[a] = every if len(every) <= MOST_ORIGINS else set()
        return self.origin[a]

    def kept_apart(self, a: int, arm: list[Entry]) -> bool:
        """Whether something is written, or waits, between a load and the end of the way that it
        lies on."""
        place, fences = self.makers[a]
        load = self.log[place]
        later = arm[arm.index(load) + 1 :] if any(e is load for e in arm) else self.log[place + 1 :]
        return fences != self.fences or any(
            e.store and pairs.space(e) != "local" for e in later if e.path == load.path
        )
