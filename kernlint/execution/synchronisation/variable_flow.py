"""Facts about variables along the control flow of a body: bits of which paths bring some each.

In: assignments, branches, loops, regions and leaves, in the order of the program, pass after pass
until nothing grows. Out: what holds of a variable at the statement that is looked at.
"""

from __future__ import annotations

from kernlint.base.dataclass import dataclass, field
from kernlint.ir import nodes as ir


@dataclass(slots=True)
class VariableFlow:
    """What variables differ by at the statement that is looked at: an assignment replaces what was
    there before, and where paths meet they hold what either brings. `journals`: by branch, loop and
    region around, what variables were before it; `scopes`: the journal of a label; `gone`: what was
    assigned since then, of each leave; `rounds`: what a loop's iterations leave to the next;
    `paths`: the branch's other side; `dead`: no thread comes here; `grown`: another pass may find
    more."""

    now: dict[ir.Variable, int] = field(default_factory=dict)
    journals: list[dict[ir.Variable, int]] = field(default_factory=list)
    scopes: dict[ir.Label, int] = field(default_factory=dict)
    gone: dict[ir.Label, list[dict[ir.Variable, int]]] = field(default_factory=dict)
    rounds: dict[ir.Label, dict[ir.Variable, int]] = field(default_factory=dict)
    paths: list[tuple[dict[ir.Variable, int], bool, bool]] = field(default_factory=list)
    dead: bool = False
    grown: bool = False

    def begin(self) -> None:
        """Another pass over the body."""
        self.now, self.journals, self.gone = {}, [{}], {}
        self.dead = self.grown = False

    def of(self, variable: ir.Variable) -> int:
        return self.now.get(variable, 0)

    def assign(self, variable: ir.Variable, by: int) -> None:
        self.journals[-1].setdefault(variable, self.of(variable))
        self.now[variable] = by

    def _close(self) -> dict[ir.Variable, int]:
        journal = self.journals.pop()
        for variable, before in journal.items():
            self.journals[-1].setdefault(variable, before)
        return journal

    # ---------------------------------------------------------------- branches

    def fork(self) -> None:
        self.journals.append({})
        self.paths.append(({}, self.dead, False))

    def turn(self) -> None:
        """From the end of one side to the start of the other."""
        _, began, _ = self.paths.pop()
        before = self.journals.pop()
        self.paths.append(({v: self.now[v] for v in before}, began, self.dead))
        self.now.update(before)
        self.journals.append({})
        self.dead = began

    def join(self) -> None:
        first, _, ended = self.paths.pop()
        before = self._close()
        for variable in {**first, **before}:
            own = 0 if self.dead else self.of(variable)
            old = before.get(variable, self.of(variable))
            self.assign(variable, own | (0 if ended else first.get(variable, old)))
        self.dead = self.dead and ended

    # ---------------------------------------------------------------- labels

    def enter(self, label: ir.Label, is_loop: bool) -> None:
        self.scopes[label], self.gone[label] = len(self.journals), []
        self.journals.append({})
        if is_loop:
            for variable, by in self.rounds.get(label, {}).items():
                self.assign(variable, self.of(variable) | by)

    def leave(self, label: ir.Label) -> None:
        if self.dead or label not in self.scopes:
            return
        since = self.journals[self.scopes[label] :]
        self.gone[label].append({v: self.now[v] for journal in since for v in journal})

    def leave_region(self, label: ir.Label, is_loop: bool) -> None:
        """Where those that left are again with those that come to the end, which in a loop go
        round."""
        journal, gone = self._close(), self.gone.pop(label)
        if is_loop and not self.dead:
            self._go_round(label, journal)
        ended = self.dead or is_loop
        for variable, before in journal.items():
            own = 0 if ended else self.of(variable)
            for left in gone:
                own |= left.get(variable, before)
            self.assign(variable, own)
        self.dead = ended and not gone
        del self.scopes[label]

    def _go_round(self, label: ir.Label, journal: dict[ir.Variable, int]) -> None:
        known = self.rounds.setdefault(label, {})
        for variable in journal:
            before = known.get(variable, 0)
            known[variable] = before | self.of(variable)
            self.grown |= known[variable] != before
