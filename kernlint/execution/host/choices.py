"""Host variables that are only ever given a few constants, such as a pointer to one of some kernels.

In: a host body. Out: the same without what is done only for other values of such variables. Never
runs anything.
"""

from __future__ import annotations

from kernlint.base.dataclass import replace
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import targets, walk

Values = frozenset[int]


def without_impossible(body: ir.Body) -> ir.Body:
    """The body without the branches that ask for a value which a variable never has."""
    asked = {
        s.condition.left.variable
        for s in walk(body)
        if isinstance(s, ir.If)
        and isinstance(s.condition, ir.Binary)
        and isinstance(s.condition.left, ir.Read)
    }
    return _cut(body, _values(body, asked)) if asked else body


def _values(body: ir.Body, asked: set[ir.Variable]) -> dict[ir.Variable, Values]:
    """What those variables are given, where that is nothing but constants."""
    found: dict[ir.Variable, Values] = {}
    open_: set[ir.Variable] = set()
    for s in walk(body):
        for variable in targets(s):
            if variable not in asked:
                continue
            given = _constants(s.value) if isinstance(s, ir.Assign) else None
            if given is None:
                open_.add(variable)
            else:
                found[variable] = found.get(variable, frozenset()) | given
    return {variable: values for variable, values in found.items() if variable not in open_}


def _constants(e: ir.Expression) -> Values | None:
    match e:
        case ir.Constant(value=int(value)):
            return frozenset({value})
        case ir.Select():
            then, otherwise = _constants(e.then), _constants(e.otherwise)
            return None if then is None or otherwise is None else then | otherwise
    return None


def _cut(body: ir.Body, values: dict[ir.Variable, Values]) -> ir.Body:
    kept: list[ir.Statement] = []
    for s in body:
        match s:
            case ir.If():
                then = () if _is_impossible(s.condition, values) else _cut(s.then, values)
                kept.append(replace(s, then=then, otherwise=_cut(s.otherwise, values)))
            case ir.Region():
                kept.append(replace(s, body=_cut(s.body, values)))
            case ir.Loop():
                kept.append(replace(s, body=_cut(s.body, values)))
            case _:
                kept.append(s)
    return tuple(kept)


def _is_impossible(e: ir.Expression, values: dict[ir.Variable, Values]) -> bool:
    match e:
        case ir.Binary(op="==", left=ir.Read(variable=variable), right=ir.Constant(value=wanted)):
            return variable in values and wanted not in values[variable]
    return False
