"""Arms of a choice that nvcc keeps a branch for until it puts functions in place: what is computed
in them is computed there.

In: the syntax of an arm. Out: whether it calls a function (operators, conversions and constructors
of classes too), or computes with what it reads from memory (a captured variable, a member of
`this`, what a reference or pointer parameter refers to: all in memory before the call is put in
place). Measured with nvcc 13 for sm_90: the load of `x` is predicated in `auto f = [&](float y) {
return y > 0 ? y * x : 0.f; }` and not in the same written out; that of `y` in `n > 3 ? fmaxf(y, 0)
: x`. An arm that is a captured variable and no more does not keep its branch.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from kernlint.base.dataclass import dataclass
from kernlint.base.per_object import PerObject
from kernlint.lowering.context import Frame, Lowerer
from kernlint.lowering.declare import parameter_list, parameter_name, parameter_type
from kernlint.lowering.expressions.values import SplitPlace, VariablePlace
from kernlint.lowering.scopes import Binding, Scope
from kernlint.source.parser import tree

CASTS = (tree.Cast, tree.NamedCast)
COMPUTING = (tree.BinaryOp, tree.UnaryOp, tree.TernaryOp, tree.Assignment)


def kept_arms(low: Lowerer, arms: Sequence[tree.Node | None], inlined: Sequence[int]) -> int:
    """`ir.Select.kept`, given how many functions had been put in place before the arms, between
    them and after."""
    calls = (before < after for before, after in pairwise(inlined))
    return sum(
        1 << j
        for j, (arm, called) in enumerate(zip(arms, calls, strict=True))
        if called or keeps_branch(low, arm)
    )


def keeps_branch(low: Lowerer, arm: tree.Node | None) -> bool:
    if arm is None:
        return False
    evaluated = _evaluated(arm)
    if evaluated.calls:
        return True
    frame = low.frames[-1] if low.frames and low.calls else None
    if frame is None or not evaluated.computes:
        return False
    return evaluated.memory or any(_in_memory(low, frame, name) for name in evaluated.names)


def returns_keep_branch(low: Lowerer) -> bool:
    """The same for an arm that returns from a function put in place: the code after it is the other
    arm."""
    frame = low.frames[-1] if low.frames and low.calls else None
    if frame is None or frame.entity is None:
        return False
    lazy = frame.entity.node.lazy_body
    return keeps_branch(low, lazy.parse() if lazy is not None else frame.body)


@dataclass(frozen=True, slots=True)
class _Evaluated:
    """What an arm evaluates: a call, a computation, memory by its syntax; the names that it
    reads."""

    calls: bool
    computes: bool
    memory: bool
    names: frozenset[str]


def _evaluate(arm: tree.Node) -> _Evaluated:
    """Arms within the arm are known before it, and taken over: a choice may be nested thousands
    deep."""
    calls = computes = memory = False
    names: set[str] = set()
    pending = [arm]
    while pending:
        node = pending.pop()
        known = _evaluated.known(node)
        if known is not None:
            calls, computes, memory = (
                calls or known.calls,
                computes or known.computes,
                memory or known.memory,
            )
            names |= known.names
            continue
        calls = calls or isinstance(node, tree.FuncCall)
        computes = computes or isinstance(node, COMPUTING)
        memory = memory or _reads_memory(node)
        if isinstance(node, tree.ID):
            names.add(node.name)
        pending += _parts(node)
    return _Evaluated(calls, computes, memory, frozenset(names))


def _parts(node: tree.Node) -> list[tree.Node]:
    """What of a node is evaluated: names of members and types are not."""
    if isinstance(node, tree.StructRef):
        return [node.name]
    if isinstance(node, CASTS):
        return [node.expr]
    return [child for _, child in node.children()]


# an arm is asked about for each instance of its template, and for each arm around it
_evaluated = PerObject(_evaluate)


def _reads_memory(node: tree.Node) -> bool:
    if isinstance(node, tree.StructRef):
        return node.type == "->"
    return isinstance(node, tree.ArrayRef) or (isinstance(node, tree.UnaryOp) and node.op == "*")


def _in_memory(low: Lowerer, frame: Frame, name: str) -> bool:
    """Whether a name is that of something in memory before the call is put in place."""
    if frame.entity is None:
        return False
    parameters = {parameter_name(p): p for p in parameter_list(frame.entity.node)}
    found = _own(low.scope, frame.scope, name)
    if found is not None:
        parameter = parameters.get(name)
        return (
            parameter is not None
            and frame.scope is not None
            and frame.scope.names.get(name) is found
            and isinstance(parameter_type(parameter), tree.RefDecl)
        )
    outer = low.scope.find(name)
    if isinstance(outer, Binding):
        return isinstance(outer.value, (VariablePlace, SplitPlace))
    return frame.this is not None and any(
        f.name == name for f in getattr(frame.this.type, "fields", ())
    )


def _own(scope: Scope | None, outermost: Scope | None, name: str) -> object:
    """What a name means among the function's own parameters and variables."""
    while scope is not None:
        if name in scope.names:
            return scope.names[name]
        if scope is outermost:
            return None
        scope = scope.parent
    return None
