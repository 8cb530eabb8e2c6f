"""What the pointers of host code may point to, whatever way it is run.

In: a host body. Out: the objects that a part of it may write. One pass collects what each variable
is made of, one fixpoint what it may point to (Andersen's analysis, without contents of memory:
a pointer that was loaded may point to anything).
"""

from __future__ import annotations

from collections import defaultdict

from kernlint.base.dataclass import dataclass
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import expressions, reads, targets, walk, walk_expression
from kernlint.ir.types import Float, Integer, Type

Target = ir.MemoryObject | ir.Allocate | None  # None: anything
Targets = frozenset[Target]


@dataclass(frozen=True, slots=True)
class Pointers:
    """`targets`: by variable; of one that nothing assigns, and may point, anything. What may point
    to anything names nothing else."""

    targets: dict[ir.Variable, set[Target]]

    def written(self, part: ir.Statement) -> Targets | None:
        """What a statement and those inside may write; None: anything."""
        found: set[Target] = set()
        for s in walk((part,)):
            match s:
                case ir.Store() | ir.Atomic():
                    found |= self._of(s.address)
                case ir.Clobber(pointers=None) | ir.Copy() | ir.Matrix():
                    return None
                case ir.Clobber(pointers=tuple(pointers)):
                    if pointers:
                        return None  # and what is kept there
        return None if None in found else frozenset(found)

    def _of(self, e: ir.Expression) -> set[Target]:
        found: set[Target] = set()
        for x in walk_expression(e):
            if isinstance(x, ir.Address):
                found.add(x.object)
            elif isinstance(x, ir.Unknown) and _may_point(x.type):
                found.add(None)
            elif isinstance(x, ir.Read):
                is_open = _may_point(x.variable.type)
                found |= self.targets.get(x.variable, {None} if is_open else set())
        return found


def _may_point(type_: Type) -> bool:
    """Whether a value of a type that nobody follows may be a pointer, or become one."""
    return not isinstance(type_, (Integer, Float))


def pointers(body: ir.Body) -> Pointers:
    made_of: dict[ir.Variable, set[ir.Variable]] = defaultdict(set)
    direct: dict[ir.Variable, set[Target]] = defaultdict(set)
    for s in walk(body):
        for target in targets(s):
            if isinstance(s, ir.Allocate):
                direct[target].add(s)
            elif not isinstance(s, ir.Assign):
                direct[target] |= {None} if _may_point(target.type) else set()
            else:
                made_of[target] |= reads(s.value)
                direct[target] |= {
                    x.object if isinstance(x, ir.Address) else None
                    for e in expressions(s)
                    for x in walk_expression(e)
                    if isinstance(x, ir.Address)
                    or (isinstance(x, ir.Unknown) and _may_point(x.type))
                }
    for source in {source for sources in made_of.values() for source in sources}:
        if source not in direct:
            direct[source] = {None} if _may_point(source.type) else set()
    direct.update([(v, {None}) for v, found in direct.items() if None in found])
    users: dict[ir.Variable, list[ir.Variable]] = defaultdict(list)
    for variable, sources in made_of.items():
        for source in sources:
            users[source].append(variable)
    pending = [variable for variable, found in direct.items() if found]
    while pending:
        found = direct[source := pending.pop()]
        for variable in users[source]:
            known = direct[variable]
            if None not in known and not found <= known:
                direct[variable] = {None} if None in found else known | found
                pending.append(variable)
    return Pointers(direct)
