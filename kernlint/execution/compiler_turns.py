"""Loops of which nvcc knows how often they can run at most, though lanes run them differently often.

In: a loop, the values as forms when it begins, the steps of its counters. Out: whether its counters start within known bounds and are
tested against constants. Measured on an H100 (tests/data/few_turns): `for (i = threadIdx.x % 32; i < 50; i += 32)` runs
as a pair of copies for lanes with two iterations and one copy for the others, three requests where two are written; with a start of
`threadIdx.x`, or `n + threadIdx.x % 32`, or a bound of `n`, iterations run one by one.
"""

from __future__ import annotations

from collections.abc import Mapping

from kernlint.execution.compiler_forms import Atoms, Form
from kernlint.lowering import ir
from kernlint.lowering.traversal import reads

MASKED = frozenset({"&", "%"})
WHOLE = frozenset({"convert", "narrow"})


def counts_few(s: ir.Loop, held: Mapping[ir.Variable, Form], counters: Mapping[ir.Variable, Form], atoms: Atoms) -> bool:
    if s.condition is None:
        return False
    tested = reads(s.condition)
    moving = [v for v in tested if v in counters and counters[v] != Form()]
    if not moving or any(held[v].value is None if v in held else True for v in tested - set(moving)):
        return False
    return all(counters[v].value is not None and v in held and _bounded(held[v], atoms) for v in moving)


def _bounded(form: Form, atoms: Atoms) -> bool:
    """Whether all parts of a value are remainders of constants."""
    return all(_is_remainder(a, atoms) for a in atoms.inside(form))


def _is_remainder(a: int, atoms: Atoms) -> bool:
    key = atoms.keys[a]
    parts = [part for part in key if isinstance(part, Form)]
    if key[0] in MASKED:
        return any(part.value is not None for part in parts)
    return (key[0] in WHOLE and all(_bounded(part, atoms) for part in parts)) or key == ("builtin", "laneid")
