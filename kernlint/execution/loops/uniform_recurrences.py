"""Variables of a loop that every assignment computes from what lanes share: `d *= 2`, `cur ^= 1`.

In: the statements of a loop. Out: by variable, what its assignments and the conditions around them
read. Whether all of that is the same for the lanes of a warp, the machine knows where the loop
begins.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kernlint.ir import nodes as ir
from kernlint.ir.traversal import bodies, reads, targets, walk_expression
from kernlint.ir.types import Integer

Reads = frozenset[ir.Variable]

_OWN = (ir.Builtin, ir.Unknown, ir.Address)  # may differ between lanes, or not be a number


def uniform_recurrences(*parts: ir.Body) -> Mapping[ir.Variable, Reads]:
    """The integer variables that the parts of a loop assign, by expressions of variables and
    constants alone."""
    found: dict[ir.Variable, Reads] = {}
    other: set[ir.Variable] = set()
    for part in parts:
        for s, around in _guarded(part, frozenset()):
            for variable in targets(s):
                read = _read(s.value) if isinstance(s, ir.Assign) else None
                if read is None or around is None or not isinstance(variable.type, Integer):
                    other.add(variable)
                else:
                    found[variable] = found.get(variable, frozenset()) | read | around
    return {variable: read for variable, read in found.items() if variable not in other}


def _read(e: ir.Expression) -> Reads | None:
    """The variables that an expression reads; None where it is made of other things too."""
    if any(isinstance(x, _OWN) for x in walk_expression(e)):
        return None
    return frozenset(reads(e))


def _guarded(body: ir.Body, around: Reads | None) -> Iterator[tuple[ir.Statement, Reads | None]]:
    """Each statement with what the conditions around it read."""
    for s in body:
        yield s, around
        condition = s.condition if isinstance(s, ir.If | ir.Loop) else None
        read = frozenset[ir.Variable]() if condition is None else _read(condition)
        inside = None if around is None or read is None else around | read
        for inner in bodies(s):
            yield from _guarded(inner, inside)
