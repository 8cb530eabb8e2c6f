"""Operations with a way of their own for rare operands: nvcc branches, or calls a function of its
own, in the middle of straight code.

In: a statement. Out: whether it computes such. Read in nvcc 13's machine code for sm_90 (120
kernels): IEEE divisions and square roots, remainders of floats, divisions of 64-bit integers,
`sin`, `cos`, `tan`, `atan2` and `hypot`. A load with a hint (`__ldcs`) is made again behind them.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import frexp

from kernlint.ir import nodes as ir
from kernlint.ir.functions import find, functions
from kernlint.ir.traversal import expressions, walk_expression
from kernlint.ir.types import Float, Integer


def reduces(name: str) -> bool:
    """Whether large arguments of a function take another way."""
    found = find(name) if not name.startswith("std::") else None
    return found is not None and found.rare == "reduced"


def _is_rare(name: str, way: str) -> bool:
    found = functions().get(name)
    return reduces(name) or (found is not None and found.rare == way)


def branches(s: ir.Statement) -> bool:
    return any(_branches(x) for x in _parts(s))


def calls(s: ir.Statement) -> bool:
    """Whether a statement computes a function behind which a store to an address may no longer
    replace one before it (`sinf`, `logf`)."""
    return any(isinstance(x, ir.Call) and _is_rare(x.name, "logarithm") for x in _parts(s))


def _parts(s: ir.Statement) -> Iterator[ir.Expression]:
    for e in (*expressions(s), *(e for _, e in getattr(s, "untracked", ()))):
        yield from walk_expression(e)


def _branches(x: ir.Expression) -> bool:
    if isinstance(x, ir.Binary) and x.op in ("/", "%"):
        divisor = x.right.value if isinstance(x.right, ir.Constant) else None
        exact = (
            isinstance(divisor, float) and abs(frexp(divisor)[0]) == 0.5
        )  # a power of two: a multiplication
        wide = isinstance(x.type, Integer) and x.type.size == 8
        return (isinstance(x.type, Float) and not exact) or (wide and divisor is None)
    return isinstance(x, ir.Call) and _is_rare(x.name, "branches")
