"""Loops of PTX in the form that execution counts best: counters move on in the step, the test says
them directly.

In: a loop as `ptx_structure` writes it (`while (true)` with leaves). Out: the same loop with its
test as its condition (do-while where it stands last, while where it stands first) and its induction
updates in its step. Nothing is assumed: what does not fit stays as it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

from kernlint.base.dataclass import dataclass
from kernlint.base.relations import OPPOSITE
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import operands, reads, targets, walk
from kernlint.ir.types import LONGLONG, Integer, Pointer
from kernlint.lowering.calls.assembly_values import converted
from kernlint.lowering.ptx.structure import negated

MOST_PARTS = 64  # of an expression that a condition is replaced with


@dataclass(frozen=True, slots=True)
class _Update:
    """`variable` moves on by `step` (subtracted when `descending`), which the loop does not
    change."""

    variable: ir.Variable
    step: ir.Expression
    descending: bool

    def moved(self, back: bool = False) -> ir.Expression:
        own = ir.Read(self.variable.type, self.variable)
        step = converted(
            self.step, LONGLONG if isinstance(self.variable.type, Pointer) else self.variable.type
        )
        return ir.Binary(self.variable.type, "-" if self.descending != back else "+", own, step)


def shaped(loop: ir.Loop, unroll: int | None) -> ir.Loop:
    """The loop with its test and its counters in their places. `unroll` as in `ir.Loop`."""
    body = list(loop.body)
    last = _left_by(body[-1], loop.label) if body else None
    if last is not None:
        rest, updates = _sunk(body[:-1])
        condition = _at_end(last, body[:-1], rest, updates)
        return replace(
            loop,
            condition=condition,
            body=tuple(rest),
            step=_steps(updates),
            post_test=True,
            unroll=unroll,
        )
    first = next((i for i, s in enumerate(body) if not isinstance(s, ir.Assign)), len(body))
    test = _left_by(body[first], loop.label) if first < len(body) else None
    if test is not None:
        rest, updates = _sunk(body[first + 1 :])
        header = tuple(body[:first])
        condition = _settled(_inlined(test, still_valid(list(header))))
        return replace(
            loop,
            header=header,
            condition=condition,
            body=tuple(rest),
            step=_steps(updates),
            unroll=unroll,
        )
    return replace(loop, unroll=unroll)


def _left_by(s: ir.Statement, label: ir.Label) -> ir.Expression | None:
    """The condition under which `s` does not leave the loop, where leaving it is all that `s`
    does."""
    if (
        isinstance(s, ir.If)
        and not s.otherwise
        and len(s.then) == 1
        and isinstance(s.then[0], ir.Leave)
        and s.then[0].label is label
    ):
        return negated(s.condition)
    return None


def _steps(updates: list[_Update]) -> ir.Body:
    return tuple(ir.Assign(u.variable, u.moved()) for u in updates)


# ------------------------------------------------------------------ counters


def _stripped(e: ir.Expression) -> ir.Expression:
    while isinstance(e, ir.Convert) and e.type.size == e.operand.type.size:
        e = e.operand
    return e


def _sunk(body: list[ir.Statement]) -> tuple[list[ir.Statement], list[_Update]]:
    """The body without the updates of its counters, and these. What reads a counter after its
    update reads the moved value."""
    counts = Counter(v for s in walk(tuple(body)) for v in targets(s))
    rest = list(body)
    found: list[_Update] = []
    position = 0
    while position < len(rest):
        s = rest[position]
        update = (
            _update(s, rest[:position], counts)
            if isinstance(s, ir.Assign) and counts[s.variable] == 1
            else None
        )
        if update is not None and any(
            isinstance(x, (ir.Leave, ir.Trap)) for x in walk(tuple(rest[position + 1 :]))
        ):
            update = None  # whoever leaves in between takes the moved value along
        if update is None:
            position += 1
            continue
        moved = update.moved()
        rest[position:] = [
            replaced(later, {update.variable: moved}) for later in rest[position + 1 :]
        ]
        found.append(update)
    return rest, found


def _update(
    s: ir.Assign, before: list[ir.Statement], counts: Counter[ir.Variable]
) -> _Update | None:
    """`v = v ± c`, also by way of other variables: `a = v + c; b = a + c; v = b`."""
    values = {
        x.variable: x.value for x in before if isinstance(x, ir.Assign) and counts[x.variable] == 1
    }
    terms = list(_terms(_inlined(s.value, values), s.variable.type.size or 0))
    own = [positive for e, positive in terms if isinstance(e, ir.Read) and e.variable is s.variable]
    rest = [
        (e, positive)
        for e, positive in terms
        if not (isinstance(e, ir.Read) and e.variable is s.variable)
    ]
    if (
        own != [True]
        or not rest
        or any(counts[v] for e, _ in rest for v in reads(e))
        or not all(_pure(e) for e, _ in rest)
    ):
        return None
    type_ = LONGLONG if isinstance(s.variable.type, Pointer) else s.variable.type
    descending = not rest[0][1]
    step = converted(rest[0][0], type_)
    for e, positive in rest[1:]:
        step = ir.Binary(type_, "+" if positive != descending else "-", step, converted(e, type_))
    return _Update(s.variable, folded(step), descending)


def _terms(
    e: ir.Expression, size: int, positive: bool = True
) -> Iterator[tuple[ir.Expression, bool]]:
    """The terms of a sum of `size` bytes, with their signs; a negative constant is a positive one
    subtracted."""
    inner = _stripped(e)
    if isinstance(inner, ir.Binary) and inner.op in ("+", "-") and inner.type.size == size:
        yield from _terms(inner.left, size, positive)
        yield from _terms(inner.right, size, positive == (inner.op == "+"))
    else:
        yield inner, positive


def folded(e: ir.Expression) -> ir.Expression:
    """A sum of constants as one constant."""
    if isinstance(e, ir.Binary) and e.op in ("+", "-") and isinstance(e.type, Integer):
        left, right = folded(e.left), folded(e.right)
        if isinstance(left, ir.Constant) and isinstance(right, ir.Constant):
            value = int(left.value + right.value if e.op == "+" else left.value - right.value)
            return converted(ir.Constant(LONGLONG, value), e.type)
        return replace(e, left=left, right=right)
    return e


# ------------------------------------------------------------------ conditions


def _at_end(
    condition: ir.Expression,
    body: list[ir.Statement],
    rest: list[ir.Statement],
    updates: list[_Update],
) -> ir.Expression:
    """The test of a do-while, whose `body` became `rest` and the updates in the step. What was
    computed before an update is in terms of the counter as it was: as it is, moved back."""
    back = {u.variable: u.moved(back=True) for u in updates}
    before = {v: replaced(value, back) for v, value in still_valid(rest).items()}
    return _settled(_inlined(_inlined(condition, still_valid(body)), before))


def _inlined(condition: ir.Expression, values: dict[ir.Variable, ir.Expression]) -> ir.Expression:
    """The condition with the values of what it reads, as long as it stays small."""
    for _ in range(8):
        open_ = {v: values[v] for v in reads(condition) if v in values}
        if not open_:
            break
        larger = replaced(condition, open_)
        if _size(larger) > MOST_PARTS:
            break
        condition = larger
    return condition


def still_valid(body: list[ir.Statement]) -> dict[ir.Variable, ir.Expression]:
    """What the body's last unconditional assignments say at its end: variables and expressions that
    nothing changed since."""
    found: dict[ir.Variable, ir.Expression] = {}
    changed: set[ir.Variable] = set()
    for s in reversed(body):
        own = {v for x in walk((s,)) for v in targets(x)}
        if (
            isinstance(s, ir.Assign)
            and s.variable not in changed
            and not reads(s.value) & (changed | own)
            and _pure(s.value)
        ):
            found[s.variable] = s.value
        changed |= own
    return found


def _pure(e: ir.Expression) -> bool:
    return not (isinstance(e, ir.Unknown) and not e.pure) and all(_pure(x) for x in operands(e))


def _size(e: ir.Expression) -> int:
    return 1 + sum(_size(x) for x in operands(e))


def _settled(e: ir.Expression) -> ir.Expression:
    """(v - c) + c is v; the negation of a comparison is the other comparison."""
    if isinstance(e, ir.Binary):
        left = _stripped(e.left)
        if (
            e.op in ("+", "-")
            and isinstance(left, ir.Binary)
            and {left.op, e.op} == {"+", "-"}
            and _same(left.right, e.right)
        ):
            return _settled(
                left.left if left.left.type == e.type else ir.Convert(e.type, left.left)
            )
        return replace(e, left=_settled(e.left), right=_settled(e.right))
    if isinstance(e, ir.Unary) and e.op == "!":
        inner = e.operand
        while isinstance(inner, ir.Convert):
            inner = inner.operand
        if isinstance(inner, ir.Binary) and inner.op in OPPOSITE:
            return _settled(replace(inner, op=OPPOSITE[inner.op]))
        return replace(e, operand=_settled(e.operand))
    if isinstance(e, ir.Convert):
        return replace(e, operand=_settled(e.operand))
    return e


def _same(a: ir.Expression, b: ir.Expression) -> bool:
    a, b = _stripped(a), _stripped(b)
    if isinstance(a, ir.Constant) and isinstance(b, ir.Constant):
        return a.value == b.value
    return isinstance(a, ir.Read) and isinstance(b, ir.Read) and a.variable is b.variable


# ------------------------------------------------------------------ replacing


def replaced(node: Any, values: dict[ir.Variable, ir.Expression]) -> Any:
    """An expression or statement with reads of variables replaced. What it assigns stays."""
    if isinstance(node, ir.Read):
        return values.get(node.variable, node)
    if isinstance(node, (ir.Expression, ir.Statement)) and is_dataclass(node):
        changed = {}
        for f in fields(node):
            old = getattr(node, f.name)
            if isinstance(old, (ir.Expression, ir.Statement, tuple)):
                new = replaced(old, values)
                if new is not old:
                    changed[f.name] = new
        return replace(node, **changed) if changed else node
    if isinstance(node, tuple):
        made = tuple(replaced(x, values) for x in node)
        return made if any(a is not b for a, b in zip(made, node, strict=True)) else node
    return node
