"""Loaded values of 64 bits of which one half is needed: nvcc calculates, shuffles and carries
through loops by halves.

In: the walk of a kernel, and what reads its values. Out: whether one half of a value is all that
its readers need. Measured on nvcc 13's machine code for sm_90: `int = v * v + n`, `v << 40`, `v |
0xffffffff`, `v >= 0`, `copysign(1., d)`, `int = __shfl_sync(m, v, 3) >> 32` and `for (…) v = v * 3
+ 1; int = v` read 4 bytes of 8; `v >> 20`, `v / 3` and `d += …` read all.
"""

from __future__ import annotations

from kernlint.ir import nodes as ir
from kernlint.optimizer.compiler_forms import BITWISE, HALF, HALVED, Form, Key
from kernlint.optimizer.compiler_uses import USE, Readers
from kernlint.optimizer.compiler_walk import Walker

COUNTED = ("load", "iteration")
HALVES = ("double_high", "double_low")
_OF_HALVES = (*HALVES, "signbit")
_IN_HALVES = (*BITWISE, *HALVED)
SIGN = {
    ("<", 0),
    (">=", 0),
    (">", -1),
    ("<=", -1),
}  # comparisons with a constant that the highest bit decides
WORD = 32  # bits


def one_half(walker: Walker, a: int, readers: Readers) -> bool:
    """Whether all that needs a value of 64 bits needs its low half, or its high half."""
    needed: set[str] = set()
    pending, seen = [(a, True)], set[tuple[int, bool]]()
    while pending:
        b, plain = pending.pop()
        if (b, plain) in seen:
            continue
        seen.add((b, plain))
        for reader, part in readers.get(b, ()):
            key = walker.atoms.keys[reader] if reader != USE else ("",)
            same = plain and part == Form((((b,), 1),))
            if key[0] in COUNTED and part in walker.feeds.get(reader, ()):
                continue  # a counter's next value, which what reads the counter has as a sum
            shifted = not any(factor % HALF for monomial, factor in part.terms if b in monomial)
            half = "low" if shifted else _half(key, part)
            if half is None or (
                half == "high" and not same
            ):  # what is carried into the high half comes from the low one
                return False
            if half:
                needed.add(half)
            else:
                pending.append((reader, same and key[0] != "<<"))
    return len(needed) == 1


def _half(key: Key, part: Form) -> str | None:
    """The half of a part that is needed for a value; "" where it is the same one as of the value,
    None where it may be both."""
    constants = [p.constant for p in key if isinstance(p, Form) and not p.terms]
    last = key[-1].value if isinstance(key[-1], Form) else None
    match key[0]:
        case "narrow":
            return "low"
        case "unknown" if key[2] == ir.SAME_BITS:
            return ""
        case "call" if key[1] in _OF_HALVES:
            return "low" if key[1] == "double_low" else "high"
        case "<" | ">=" | ">" | "<=" if key[1] == part and (key[0], last) in SIGN:
            return "high"
        case ">>" if key[1] == part and last is not None and last >= WORD:
            return "high"
        case "&" if any(0 <= c >> WORD == 0 for c in constants):
            return "low"
        case "|" if any(c % HALF == HALF - 1 for c in constants):
            return "high"
        case "|" if any((c >> WORD) % HALF == HALF - 1 for c in constants):
            return "low"
        case "call" if key[1] == "copysign" and key[2] != part:
            return "high"
    decides = (
        key[1:2]
        if key[0] == "select"
        else key[5:]
        if key[0] == "join"
        else key[2:]
        if key[0] == "<<"
        else ()
    )
    return "" if key[0] in _IN_HALVES and part not in decides else None
