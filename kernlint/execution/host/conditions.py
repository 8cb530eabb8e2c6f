"""Host variables whose value is known where a launch is made, since the way there asks for it:
`if (threads == 256)`, `case 256:`.

In: a host body. Out: by launch, the variables and their values. Followed are variables of which no
more than one statement of the body decides the value. Never runs anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from kernlint.base.dataclass import dataclass, field
from kernlint.execution.host.constants import integer_variable
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import bodies, targets, unconverted, walk

Known = Mapping[ir.Variable, int]


def demanded(body: ir.Body) -> dict[ir.HostLaunch, Known]:
    """The launches that are only made where variables have known values."""
    paths = _Paths(Counter(v for s in walk(body) for v in targets(s)))
    paths.run(body, {})
    return paths.launches


@dataclass(slots=True)
class _Paths:
    """`ends`: what is known where a label is left to; None: nothing leaves to it."""

    written: Counter[ir.Variable]
    launches: dict[ir.HostLaunch, Known] = field(default_factory=dict)
    ends: dict[ir.Label, Known] = field(default_factory=dict)

    def run(self, body: ir.Body, known: Known | None) -> Known | None:
        """What is known behind a body, None where nothing comes there."""
        for s in body:
            if known is None:
                return None
            known = self.statement(s, known)
        return known

    def statement(self, s: ir.Statement, known: Known) -> Known | None:
        match s:
            case ir.HostLaunch():
                if known:
                    self.launches[s] = known
            case ir.Leave():
                self.ends[s.label] = _common(self.ends.get(s.label), known)
                return None
            case ir.If():
                then = self.run(s.then, {**known, **self.equal(s.condition, "==")})
                otherwise = self.run(s.otherwise, {**known, **self.equal(s.condition, "!=")})
                return otherwise if then is None else _common(otherwise, then)
            case ir.Region():
                behind = self.run(s.body, known)
                left = self.ends.pop(s.label, None)
                return behind if left is None else _common(behind, left)
            case _:
                for inner in bodies(s):
                    self.run(inner, known)
        return known

    def equal(self, e: ir.Expression, op: str) -> dict[ir.Variable, int]:
        """The values that variables have where a condition holds (`==`), or does not (`!=`)."""
        e = unconverted(e)
        if isinstance(e, ir.Unary) and e.op == "!":
            return self.equal(e.operand, "!=" if op == "==" else "==")
        if isinstance(e, ir.Binary) and e.op == "&&" and op == "==":
            return {**self.equal(e.left, op), **self.equal(e.right, op)}
        if not isinstance(e, ir.Binary) or e.op != op:
            return {}
        sides = [(e.left, e.right), (e.right, e.left)]
        found = [
            (variable, int(constant.value))
            for side, constant in sides
            if isinstance(constant, ir.Constant)
            and (variable := integer_variable(side)) is not None
            and self.written[variable] <= 1
        ]
        return dict(found)


def _common(one: Known | None, other: Known) -> Known:
    """What is known on both ways; of a way that nobody takes (None) everything."""
    if one is None:
        return other
    return {variable: value for variable, value in one.items() if other.get(variable) == value}
