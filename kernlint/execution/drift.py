"""Variables that a loop of unknown length moves on: by how much is not known, but the lanes of a warp go together.

`p += 8` in a loop nobody can count leaves p at its start plus an unknown that is one for the warp, as long as all its lanes run the
statement and add the same. That is taken for granted first and watched while the body runs; where it fails, `Apart` asks the caller to
run again with the loop's variables unknown lane by lane.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from kernlint.execution.masks import Mask
from kernlint.execution.values import Atom, Value, add, determiners, of_atom, subtract, varies_in_warp
from kernlint.lowering import ir
from kernlint.lowering.steps import step
from kernlint.lowering.traversal import reads, targets
from kernlint.lowering.types import Integer, Pointer

if TYPE_CHECKING:
    from kernlint.execution.machine import Machine

NARROWEST = 32  # bits; what wraps earlier does not only advance


class Apart(Exception):
    """Lanes of a warp moved a variable of these loops on by different amounts."""

    def __init__(self, loops: frozenset[ir.Loop]) -> None:
        super().__init__()
        self.loops = loops


def advances(inner: Iterable[ir.Statement]) -> dict[ir.Variable, int]:
    """Variables that every assignment in `inner` only adds to or subtracts from, with a number that divides each amount."""
    found: dict[ir.Variable, int] = {}
    other: set[ir.Variable] = set()
    for s in inner:
        for variable in targets(s):
            amount = _amount(s, variable) if isinstance(s, ir.Assign) else None
            if amount is None:
                other.add(variable)
            else:
                found[variable] = math.gcd(found.get(variable, 0), _divisor(amount))
    return {v: n or 1 for v, n in found.items() if v not in other}


def _amount(s: ir.Assign, variable: ir.Variable) -> ir.Expression | None:
    found = step(s)
    wide = isinstance(variable.type, Pointer) or (isinstance(variable.type, Integer) and variable.type.bits >= NARROWEST)
    return found.amount if found is not None and wide and variable not in reads(found.amount) else None


def _wide(e: ir.Expression) -> ir.Expression:
    while isinstance(e, ir.Convert) and isinstance(e.type, (Integer, Pointer)) and e.type.size >= NARROWEST // 8:
        e = e.operand
    return e


def _divisor(e: ir.Expression) -> int:
    """A number that divides every value of the expression (0: it is zero)."""
    e = _wide(e)
    if isinstance(e, ir.Constant) and isinstance(e.value, int):
        return abs(e.value)
    if isinstance(e, ir.Unary) and e.op == "-":
        return _divisor(e.operand)
    if isinstance(e, ir.Binary) and e.op == "*":
        return _divisor(e.left) * _divisor(e.right)
    if isinstance(e, ir.Binary) and e.op in ("+", "-"):
        return math.gcd(_divisor(e.left), _divisor(e.right))
    return 1


def moved(machine: Machine, variable: ir.Variable, start: Value, multiple: int) -> Value:
    """`start` moved on by an unknown number of steps, the same for the lanes of a warp."""
    by = machine.every_warp()
    atom = Atom(variable.name, "unknown-trip-count", None, None, multiple, determiners=by)
    return add(start, of_atom(atom))


def watch(machine: Machine, variable: ir.Variable, value: Value, mask: Mask) -> None:
    """Raises Apart when `value`, assigned under `mask`, does not move a watched variable on for all lanes of a warp alike."""
    watching = machine.drifting.get(variable)
    old = machine.evaluator.environment.get(variable)
    if not watching or old is None:
        return
    together = mask.must is mask.may and all(mask.may is whole.may for _, whole in watching)
    plain = all(v.real is None and v.condition is None for v in (old, value))
    if not together or not plain or varies_in_warp(determiners(subtract(value, old)), machine.device.warp_lanes):
        raise Apart(frozenset(loop for loop, _ in watching))
