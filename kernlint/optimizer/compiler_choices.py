"""Choices inside expressions that nvcc makes branches of: what an arm computes is then computed
there, with the loads that only it needs.

In: an expression and the state it is evaluated in. Out: where the parts of its choices are needed.
A conditional expression is a branch before LLVM sees it, and stays one where an arm calls a
function, divides, or computes much; so does `a && b` (measured with nvcc 13 for sm_90: `n > 3 ?
expf(y) : x` loads `y` behind the branch, `z = expf(y); n > 3 ? z : x` does not, nor `x > 0 ? y * y
+ 1 : x`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from kernlint.ir import nodes as ir
from kernlint.ir.traversal import operands, walk, walk_expression
from kernlint.ir.types import Float, Integer, Type
from kernlint.lowering.types.layout import size_of
from kernlint.optimizer.compiler_forms import Atoms, Form, form_of
from kernlint.optimizer.compiler_live import State
from kernlint.optimizer.compiler_state import Path, Steps

CHOICES = ("select", "&&", "||")
ONE_ARM, EACH_ARM = 5, 3  # operations that LLVM computes without a branch
COSTLY = ("/", "%")
MEMBER, SHORT_MEMBER = (
    2,
    3,
)  # operations that a member of a struct counts for, where the struct is copied piece by piece
Ends = tuple[Path | None, ...]


def pieced(kernel: ir.Kernel) -> frozenset[ir.Variable]:
    """Members of a thread's own structs whose alignment does not allow to copy them at once
    (measured: `{float x, y;}`, not `float2`)."""
    found: set[ir.Variable] = set()
    for s in walk(kernel.body):
        if isinstance(s, ir.Load) and len(s.site.pieces) > 1:
            found.update(v for _, v in s.targets)
        elif (
            isinstance(s, ir.Assign)
            and "." in s.variable.name
            and isinstance(s.value, ir.Read)
            and s.value.variable in found
        ):
            found.add(s.variable)
    return frozenset(found)


def cost(values: Iterable[ir.Expression], members: Collection[ir.Variable]) -> int | None:
    """Operations; None where it does more than compute."""
    parts = [e for value in values for e in walk_expression(value)]
    if any(_calls(e) for e in parts):
        return None
    read = [e for e in parts if isinstance(e, ir.Read) and e.variable in members] if members else []
    moved = sum(SHORT_MEMBER if (size_of(e.type) or 4) < 4 else MEMBER for e in read)
    return sum(isinstance(e, (ir.Binary, ir.Unary, ir.Select)) for e in parts) + moved


def _calls(e: ir.Expression) -> bool:
    """Whether nvcc calls a function for it, which it puts in place late."""
    match e:
        case ir.Call() | ir.Unknown():
            return True
        case ir.Binary():
            return e.op in COSTLY or _is_short(e.left.type)
        case ir.Unary():
            return _is_short(e.operand.type)
        case ir.Convert():
            whole = (
                isinstance(e.operand.type, Float)
                and isinstance(e.type, Integer)
                and not e.type.is_bool
            )
            return whole or _is_short(e.type) != _is_short(e.operand.type)
    return False


def _is_short(type_: Type) -> bool:
    """Whether the toolkit's header defines the type's arithmetic: `__half`, `__nv_bfloat16`."""
    return isinstance(type_, Float) and type_.bits == 16


def cheap(costs: Sequence[int | None]) -> bool:
    """Whether LLVM computes both arms of a choice."""
    return None not in costs and max(c or 0 for c in costs) <= (EACH_ARM if all(costs) else ONE_ARM)


Choice = tuple[int, ir.Expression, Ends]


def choices(
    e: ir.Expression, state: State, atoms: Atoms, steps: Steps, members: Collection[ir.Variable]
) -> Iterator[Choice]:
    """The choices in an expression that become branches: their value's atom, themselves, and where
    each part is needed. `members`: see `pieced`."""
    return _choices(e, state, atoms, steps, members, state.path)


def _choices(
    e: ir.Expression,
    state: State,
    atoms: Atoms,
    steps: Steps,
    members: Collection[ir.Variable],
    path: Path,
) -> Iterator[Choice]:
    parts = operands(e)
    ends = _ends(e, state, atoms, steps, members, path)
    made = form_of(e, state.held, atoms) if ends else Form()
    inside = atoms.inside(made)
    if ends and len(inside) == 1 and atoms.keys[min(inside)][0] in CHOICES:
        yield min(inside), e, ends
    for part, end in zip(parts, ends or (None,) * len(parts), strict=True):
        yield from _choices(part, state, atoms, steps, members, path if end is None else end)


def _ends(
    e: ir.Expression,
    state: State,
    atoms: Atoms,
    steps: Steps,
    members: Collection[ir.Variable],
    path: Path,
) -> Ends:
    if isinstance(e, ir.Select):
        arms = e.then, e.otherwise
        if not e.kept and cheap([cost((arm,), members) for arm in arms]):
            return ()
        condition = form_of(e.condition, state.held, atoms)
        idle = idle_arms([is_bare(arm, members) for arm in arms], e.kept)
        sides = (
            None if one else (*path, steps.step(condition, side, e))
            for one, side in zip(idle, (True, False), strict=True)
        )
        return (None, *sides)
    if (
        isinstance(e, ir.Binary)
        and e.op in ("&&", "||")
        and (e.kept or not cheap([cost((e.right,), members), 0]))
    ):
        return (None, (*path, steps.step(form_of(e.left, state.held, atoms), e.op == "&&", e)))
    return ()


def idle_arms(bare: Sequence[bool], kept: int) -> list[bool]:
    """The arms that the branch has nothing to do for: they compute nothing (where neither does,
    what is left of a call chooses between two values: both are needed in the branch)."""
    return [not all(bare) and one and not kept >> j & 1 for j, one in enumerate(bare)]


def is_bare(arm: ir.Expression, members: Collection[ir.Variable]) -> bool:
    """Whether the arm computes nothing."""
    return not any(_computes(e, members) for e in walk_expression(arm))


def _computes(e: ir.Expression, members: Collection[ir.Variable]) -> bool:
    if isinstance(e, ir.Read):
        return e.variable in members
    if isinstance(e, ir.Convert):
        one, other = (t.bits if isinstance(t, Float) else 0 for t in (e.operand.type, e.type))
        return one != other
    if isinstance(e, ir.Unknown) and e.what == ir.SAME_BITS:
        return False
    return isinstance(e, (ir.Binary, ir.Unary, ir.Select, ir.Call, ir.Unknown))


def small(s: ir.If, members: Collection[ir.Variable]) -> bool:
    """Whether LLVM computes both arms and then chooses. `members`: see
    `compiler_choices.pieced`."""
    return not s.kept and cheap([_cost(arm, members) for arm in (s.then, s.otherwise)])


Costs = dict[ir.If, int | None]


def only_chooses(s: ir.If, members: Collection[ir.Variable], known: Costs) -> bool:
    """Whether it is `small` once the branches in its arms are none, and a thread's own arrays,
    which these may load from and store to, are in registers. `known`: what was found before."""
    return _cost_of_arms(s, members, known) is not None


def _cost_of_arms(s: ir.If, members: Collection[ir.Variable], known: Costs) -> int | None:
    """Operations of both arms; None where it does more than choose."""
    if s not in known:
        arms = [_cost_of_choosing(arm, members, known) for arm in (s.then, s.otherwise)]
        only = cheap(arms) and not s.kept
        known[s] = sum(arm or 0 for arm in arms) if only else None
    return known[s]


def _cost_of_choosing(arm: ir.Body, members: Collection[ir.Variable], known: Costs) -> int | None:
    if not all(isinstance(s, (ir.Assign, ir.Load, ir.Store, ir.If)) for s in arm):
        return None
    branches = [s for s in arm if isinstance(s, ir.If)]
    within = [_cost_of_arms(s, members, known) for s in branches]
    stored = [e for s in arm if isinstance(s, ir.Store) for _, e in (*s.values, *s.untracked)]
    values = [s.value for s in arm if isinstance(s, ir.Assign)]
    own = cost([*values, *stored, *(s.condition for s in branches)], members)
    return None if own is None or None in within else own + sum(one or 0 for one in within)


def _cost(arm: ir.Body, members: Collection[ir.Variable]) -> int | None:
    """Operations of straight code; None where it does more than compute."""
    if not all(isinstance(s, ir.Assign) and s.variable not in members for s in arm):
        return None
    return cost([s.value for s in arm if isinstance(s, ir.Assign)], members)
