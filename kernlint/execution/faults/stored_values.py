"""What a store writes, as a number of each thread that tells its values apart.

In: the state, a load or a store. Out: the value itself where it is followed; where it is computed
from loaded elements, a number made of the places that these come from: threads that read the same
elements write the same (`tile[min(y, last)][x] = in[min(y, last) * n + x]`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kernlint.base.dataclass import dataclass
from kernlint.execution.faults.stored_numbers import Stored, number_of
from kernlint.execution.state import LoadedFrom, MachineState
from kernlint.execution.values import sums
from kernlint.execution.values.sums import Sum
from kernlint.execution.values.values import REMOTE, object_at
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import reads
from kernlint.ir.types import Float

DEEPEST = 24  # operations and assignments, one in another, that are looked into
MOST_PARTS = 16


@dataclass(frozen=True, slots=True)
class _Made:
    """How a value is computed, as one number, and of what."""

    how: int
    parts: tuple[Sum, ...] = ()


def stored(state: MachineState, s: ir.Store) -> Stored | None:
    """What a store writes; None where nobody knows what that depends on."""
    written = [*s.values, *s.untracked]
    if len(written) == 1:
        found = _value(state, written[0][1])
        if found is not None:
            return Stored(0, (found,), True)
    made = _Sources(state).together("", [value for _, value in written], DEEPEST)
    if made is None or not made.parts:
        return None
    return Stored(made.how, made.parts, False)


def _value(state: MachineState, e: ir.Expression) -> Sum | None:
    """The value itself, of constants and of integers that are followed."""
    if isinstance(e, ir.Constant):
        return sums.constant(_bits(e.value))
    if isinstance(e.type, Float) or not reads(e) <= state.evaluator.environment.keys():
        return None
    value = state.evaluator.number(e)
    return value.known if value.is_known else None


class _Sources:
    """What expressions are made of; each variable is looked into once. `is_now`: what is looked at
    is computed by the store itself, not by an assignment before it."""

    def __init__(self, state: MachineState) -> None:
        self.state = state
        self.is_now = True
        self.known: dict[ir.Variable, _Made | None] = {}

    def of(self, e: ir.Expression, depth: int) -> _Made | None:
        known = _value(self.state, e) if self.is_now or self._is_lasting(e) else None
        if known is not None:
            return _Made(known.const) if known.is_constant else _Made(0, (known,))
        match e:
            case ir.Read():
                if e.variable not in self.known:
                    self.known[e.variable] = self._of_variable(e.variable, depth)
                return self.known[e.variable]
            case ir.Unary():
                return self.together(e.op, (e.operand,), depth)
            case ir.Binary():
                return self.together(e.op, (e.left, e.right), depth)
            case ir.Select():
                return self.together("?", (e.condition, e.then, e.otherwise), depth)
            case ir.Call():
                return self.together(f"{e.function}{e.name}", e.arguments, depth)
            case ir.Convert():
                return self.together(str(e.type), (e.operand,), depth)
        return None

    def _is_lasting(self, e: ir.Expression) -> bool:
        """Whether an expression is still what it was where a value was made of it."""
        definitions = self.state.analysis.definitions
        return all(len(definitions.get(variable, ())) <= 1 for variable in reads(e))

    def together(self, name: str, operands: Sequence[ir.Expression], depth: int) -> _Made | None:
        """What an operation makes of its operands."""
        made = [self.of(operand, depth - 1) for operand in operands] if depth else [None]
        known = [one for one in made if one is not None]
        parts = tuple(part for one in known for part in one.parts)
        if len(known) < len(made) or len(parts) > MOST_PARTS:
            return None
        return _Made(number_of(name, *(one.how for one in known)), parts)

    def _of_variable(self, variable: ir.Variable, depth: int) -> _Made | None:
        definitions = self.state.analysis.definitions.get(variable, ())
        if not definitions:  # a parameter
            return _Made(number_of(variable.name))
        if len(definitions) > 1:
            return None
        definition = definitions[0]
        if isinstance(definition, ir.Assign):
            return self._assigned(definition.value, depth - 1) if depth else None
        place = self.state.loaded_from.get(variable)
        if not isinstance(definition, ir.Load) or place is None:
            return None
        if place.loops != tuple(self.state.loops[: len(place.loops)]):
            return None
        return self._element(place)

    def _assigned(self, e: ir.Expression, depth: int) -> _Made | None:
        before, self.is_now = self.is_now, False
        made = self.of(e, depth)
        self.is_now = before
        return made

    def _element(self, place: LoadedFrom) -> _Made | None:
        if any(atom.reason == REMOTE for atom in place.address.terms):
            return None  # which block's element it is
        owners = self.state.evaluator.owners(object_at(place.address))
        parts, names = [place.address.known, *(one.known for one in owners)], list[str]()
        for atom, times in sorted(place.address.terms.items(), key=lambda item: item[0].name):
            parts += [times, *atom.determiners]
            names.append(atom.name)
        return _Made(number_of(place.offset, place.changes, *names), tuple(parts))


def _bits(value: int | float) -> int:
    """What tells a constant apart from others: an integer itself, a real number by its bits."""
    return (
        int(np.float64(value).view(np.int64)) if isinstance(value, float) else sums.wrapped64(value)
    )
