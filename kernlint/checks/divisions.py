"""KL702's fixes: what replaces an integer division, by its divisor.

In: the divisor as the user wrote it, the heads of the loops around it. Out: one sentence.
"""

from __future__ import annotations

import re
from collections.abc import Set

from kernlint.checks import dialect
from kernlint.model.facts import Kernel

CONSTANT = {
    "cuda": "a template argument or a constant",
    "opencl": "a constant (`-D` when building the program)",
}
HIGH = {"cuda": "`__umulhi`", "opencl": "`mul_hi`"}
WORD = 32  # bits that one multiplication instruction takes


def advice(divisor: str, scaled: Set[str], bits: int, kernel: Kernel, language: str) -> str:
    """`divisor`: "" where it cannot be quoted; `scaled`: variables that the heads of the loops
    around the division halve or double."""
    parts = [_instead(divisor, scaled, kernel, language)]
    if bits > WORD:
        parts.append(
            f"if both operands fit in {WORD} bits, convert them first: a third of the instructions"
        )
    return "; ".join(parts)


def _instead(divisor: str, scaled: Set[str], kernel: Kernel, language: str) -> str:
    named = f"`{divisor}`" if divisor else "the divisor"
    high = dialect.own(HIGH, language)
    if divisor in scaled:
        return (
            f"{named} is halved or doubled in each iteration: if it is a power of two, track its logarithm and shift "
            f"(`x >> log`), and compute remainders as `x & ({divisor} - 1)`"
        )
    repeated = f"if {named} stays the same for many divisions, multiply by a precomputed reciprocal ({high} and a shift)"
    if divisor and not re.fullmatch(r"[\w.:>\[\]-]+", divisor):
        return repeated
    along = "increment row and column instead of dividing"
    if not divisor or _given(divisor, kernel):
        return (
            f"make {named} {dialect.own(CONSTANT, language)}, {along}, or multiply by a reciprocal precomputed for the launch "
            f"({high} and a shift, like CUTLASS's FastDivmod)"
        )
    return f"{along}, or, {repeated}"


def _given(divisor: str, kernel: Kernel) -> bool:
    """Whether it is an argument of the kernel, a member of one or of its object."""
    root = re.match(r"[A-Za-z_]\w*", divisor)
    plain = re.fullmatch(r"[\w.:]+|[\w.:]+(?:->\w+)+", divisor) is not None
    return (
        plain
        and root is not None
        and any(parameter.name == root[0] for parameter in kernel.parameters)
    )
