"""Choices that an arm decides: in `if (i < n) { … i < n ? v : x … }` nobody needs `x`.

In: the walk of a kernel and where each value is needed. Out: (site, risk) pairs for loads of which
nothing else is needed. Read in nvcc 13's machine code for sm_90 (350 kernels): such loads are
dropped, also where the choice stands before the branch whose arm alone needs it, and where the
arm's value goes on behind the branch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kernlint.base.dataclass import dataclass
from kernlint.ir import nodes as ir
from kernlint.optimizer.compiler_facts import Risk
from kernlint.optimizer.compiler_forms import Form
from kernlint.optimizer.compiler_state import Path
from kernlint.optimizer.compiler_uses import Uses
from kernlint.optimizer.compiler_walk import Walker
from kernlint.optimizer.path_conditions import PathConditions

TEXT = "only a choice needs it that a condition around it decides the other way"
SOME = "some members are needed only by a choice that a condition around it decides the other way"


@dataclass(frozen=True, slots=True)
class Choice:
    """`ends`: the ways that the two values come from, where a branch chooses."""

    condition: Form
    then: Form
    otherwise: Form
    ends: tuple[Path, Path] | None


def decided(
    walker: Walker, live: Uses, conditions: PathConditions
) -> Iterator[tuple[ir.AccessSite, Risk]]:
    choices = {
        a: choice
        for a, paths in live.items()
        if paths and (choice := _choice(a, walker)) is not None
    }
    tests = [
        (_plain(c.condition, walker)[0], {*live[a], *(c.ends or ())}) for a, c in choices.items()
    ]
    if walker.blind or not any(
        conditions.truth(path, test) is not None for test, paths in tests for path in paths
    ):
        return
    left = _needed(walker, choices, conditions)
    for site, executions in walker.loaded.items():
        before, after = (
            sum(bool(uses.get(a)) for _, numbers in executions for a in numbers)
            for uses in (live, left)
        )
        if before and not after:
            yield site, Risk("eliminated", False, (0, 1), TEXT)
        elif after < before:
            yield site, Risk("narrowed", False, (0, before), SOME)


def _choice(a: int, walker: Walker) -> Choice | None:
    key = walker.atoms.keys[a]
    parts = [p for p in key if isinstance(p, Form)]
    if key[0] not in ("select", "join") or len(parts) != 3:
        return None
    if key[0] == "select":
        return Choice(parts[0], parts[1], parts[2], None)
    arms = walker.arms.get(a)
    return Choice(parts[2], parts[0], parts[1], arms.paths if arms is not None else None)


def _plain(condition: Form, walker: Walker) -> tuple[Form, bool]:
    """A condition without its negations, and whether their number is even."""
    even = True
    while condition.constant == 0 and len(condition.terms) == 1 and len(condition.terms[0][0]) == 1:
        key = walker.atoms.keys[condition.terms[0][0][0]]
        if key[0] != "!" or not isinstance(key[1], Form):
            break
        condition, even = key[1], not even
    return condition, even


def _needed(walker: Walker, choices: Mapping[int, Choice], conditions: PathConditions) -> Uses:
    """Where values are needed if a choice needs, on each way, what the way decides."""
    found = {a: set(paths) for a, paths in walker.uses.items()}
    pending = list(found)
    while pending:
        a = pending.pop()
        choice = choices.get(a)
        for part in [p for p in walker.atoms.keys[a] if isinstance(p, Form)] + walker.feeds.get(
            a, []
        ):
            new = found[a] if choice is None else _of(choice, part, found[a], conditions, walker)
            for b in walker.atoms.inside(part):
                before = found.setdefault(b, set())
                if not new <= before:
                    before |= new
                    pending.append(b)
    return found


def _of(
    choice: Choice,
    part: Form,
    paths: set[Path],
    conditions: PathConditions,
    walker: Walker,
) -> set[Path]:
    """The ways on which a part of a choice is needed."""
    condition, even = _plain(choice.condition, walker)
    sides = {
        path: truth == even if (truth := conditions.truth(path, condition)) is not None else None
        for path in paths
    }
    if part not in (choice.then, choice.otherwise):
        return {path for path, side in sides.items() if side is None}
    wanted = part == choice.then
    left = {
        path
        for path, side in sides.items()
        if side in (None, wanted) or choice.then == choice.otherwise
    }
    return left if choice.ends is None or not left else {choice.ends[0 if wanted else 1]}
