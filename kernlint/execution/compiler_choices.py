"""Choices inside expressions that nvcc makes branches of: what an arm computes is then computed there, with the loads that only it needs.

In: an expression and the state it is evaluated in. Out: where the parts of its choices are needed. A conditional expression is a branch
before LLVM sees it, and stays one where an arm calls a function, divides, or computes much; so does `a && b` (measured with nvcc 13 for
sm_90: `n > 3 ? expf(y) : x` loads `y` behind the branch, `z = expf(y); n > 3 ? z : x` does not, nor `x > 0 ? y * y + 1 : x`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kernlint.execution.compiler_forms import Atoms, Form, form_of
from kernlint.execution.compiler_state import Path, State, Step
from kernlint.lowering import ir
from kernlint.lowering.traversal import operands, walk_expression

CHOICES = ("select", "&&", "||")
ONE_ARM, EACH_ARM = 5, 3  # operations that LLVM computes without a branch
COSTLY = ("/", "%")
Ends = tuple[Path | None, ...]


def cost(values: Iterable[ir.Expression]) -> int | None:
    """Operations; None where it does more than compute."""
    parts = [e for value in values for e in walk_expression(value)]
    if any(isinstance(e, (ir.Call, ir.Unknown)) or (isinstance(e, ir.Binary) and e.op in COSTLY) for e in parts):
        return None
    return sum(isinstance(e, (ir.Binary, ir.Unary, ir.Select)) for e in parts)


def cheap(costs: Sequence[int | None]) -> bool:
    """Whether LLVM computes both arms of a choice."""
    return None not in costs and max(c or 0 for c in costs) <= (EACH_ARM if all(costs) else ONE_ARM)


def choices(e: ir.Expression, state: State, atoms: Atoms) -> Iterator[tuple[int, ir.Expression, Ends]]:
    """The choices in an expression that become branches: their value's atom, themselves, and where each part is needed."""
    return _choices(e, state, atoms, state.path)


def _choices(e: ir.Expression, state: State, atoms: Atoms, path: Path) -> Iterator[tuple[int, ir.Expression, Ends]]:
    parts = operands(e)
    ends = _ends(e, state, atoms, path)
    made = form_of(e, state.held, atoms) if ends else Form()
    inside = atoms.inside(made)
    if ends and len(inside) == 1 and atoms.keys[min(inside)][0] in CHOICES:
        yield min(inside), e, ends
    for part, end in zip(parts, ends or (None,) * len(parts), strict=True):
        yield from _choices(part, state, atoms, path if end is None else end)


def _ends(e: ir.Expression, state: State, atoms: Atoms, path: Path) -> Ends:
    if isinstance(e, ir.Select):
        arms = e.then, e.otherwise
        if not e.kept and cheap([cost((arm,)) for arm in arms]):
            return ()
        bare = [is_bare(arm) for arm in arms]
        condition = form_of(e.condition, state.held, atoms)
        sides = (
            None if one and not all(bare) else (*path, Step(condition, side, e)) for one, side in zip(bare, (True, False), strict=True)
        )
        return (None, *sides)
    if isinstance(e, ir.Binary) and e.op in ("&&", "||") and not cheap([cost((e.right,)), 0]):
        return (None, (*path, Step(form_of(e.left, state.held, atoms), e.op == "&&", e)))
    return ()


def is_bare(arm: ir.Expression) -> bool:
    """Whether the arm computes nothing: the other arm's branch has nothing to do for it."""
    return all(not isinstance(x, (ir.Binary, ir.Unary, ir.Select, ir.Call, ir.Unknown)) for x in walk_expression(arm))
