"""Host code cut down to what launches depend on.

In: a host body. Out: the same without statements that neither launch nor feed a launch nor decide
whether one is reached. Error exits (`if (error) exit(1)`) are taken not to happen.
"""

from __future__ import annotations

from dataclasses import replace

from kernlint.base.dataclass import dataclass, field
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import bodies, expressions, reads, targets, walk


@dataclass(slots=True)
class Relevance:
    """What launches depend on: variables, memory (once any is read), and the labels that relevant
    code lies under."""

    variables: set[ir.Variable] = field(default_factory=set)
    labels: set[ir.Label] = field(default_factory=set)
    memory: bool = False

    def size(self) -> tuple[int, int, bool]:
        return len(self.variables), len(self.labels), self.memory


def pruned(body: ir.Body) -> ir.Body:
    relevance = Relevance()
    before = None
    while before != relevance.size():
        before = relevance.size()
        for s in reversed(body):  # what is read was assigned before
            _grow(s, relevance)
    return _cut(body, relevance)


def _own(s: ir.Statement, relevance: Relevance) -> bool:
    """Whether the statement itself, not what it contains, bears on a launch."""
    match s:
        case ir.HostLaunch():
            return True
        case ir.Store() | ir.Atomic() | ir.Clobber():
            return relevance.memory
        case ir.Leave():
            return s.label in relevance.labels
    return any(t in relevance.variables for t in targets(s))


def _grow(s: ir.Statement, relevance: Relevance) -> bool:
    """Adds what `s` needs if it bears on a launch; says whether it does."""
    inner = [_grow(x, relevance) for body in reversed(tuple(bodies(s))) for x in reversed(body)]
    relevant = any(inner) or _own(s, relevance)
    if not relevant:
        return False
    for e in expressions(s):
        relevance.variables |= reads(e)
    if isinstance(s, (ir.Load, ir.Atomic)):
        relevance.memory = True
    if isinstance(s, (ir.Region, ir.Loop)) and any(
        _launches_or_feeds(x, relevance) for body in bodies(s) for x in walk(body)
    ):
        relevance.labels.add(s.label)
    return True


def _launches_or_feeds(s: ir.Statement, relevance: Relevance) -> bool:
    return not isinstance(s, ir.Leave) and _own(s, relevance)


def _cut(body: ir.Body, relevance: Relevance) -> ir.Body:
    kept: list[ir.Statement] = []
    for s in body:
        match s:
            case ir.If():
                inner = replace(
                    s, then=_cut(s.then, relevance), otherwise=_cut(s.otherwise, relevance)
                )
                kept += [inner] if inner.then or inner.otherwise else []
            case ir.Loop():
                loop = replace(
                    s,
                    header=_cut(s.header, relevance),
                    body=_cut(s.body, relevance),
                    step=_cut(s.step, relevance),
                )
                kept += (
                    [loop]
                    if any(
                        _launches_or_feeds(x, relevance)
                        for part in (loop.body, loop.step)
                        for x in walk(part)
                    )
                    else []
                )
            case ir.Region():
                region = replace(s, body=_cut(s.body, relevance))
                kept += [region] if region.body else []
            case _ if _own(s, relevance):
                kept.append(s)
    return tuple(kept)
