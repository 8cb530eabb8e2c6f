"""KL702's fixes: what replaces an integer division, by its divisor.

In: the divisor as the user wrote it, the heads of the loops around it. Out: one sentence.
"""

from __future__ import annotations

import re
from collections.abc import Set

from kernlint.checks import dialect
from kernlint.model.facts import Kernel, Operation

CONSTANT = {
    "cuda": "a template argument or a constant",
    "opencl": "a constant (`-D` when building the program)",
}
HIGH = {"cuda": "`__umulhi`", "opencl": "`mul_hi`"}
# a sum of two plain terms in brackets
SUM = re.compile(r"\(\s*[\w.\[\]]+\s*[+-]\s*[\w.\[\]]+\s*\)")
WRAPPED = (
    "if the sum stays below 2 * `{0}`, subtract `{0}` once it is reached (`x >= {0} ? x - {0} : x`)"
)
IN_LOOP = "increment row and column instead of dividing"
PER_THREAD = {
    "cuda": "launch a grid of two dimensions and take row and column from `blockIdx`",
    "opencl": "launch a range of two dimensions and take row and column from `get_global_id`",
}
WORD = 32  # bits that one multiplication instruction takes


def advice(
    operation: Operation, divisor: str, scaled: Set[str], kernel: Kernel, language: str
) -> str:
    """`divisor`: "" where it cannot be quoted; `scaled`: variables that the heads of the loops
    around the division halve or double."""
    along = IN_LOOP if operation.loops else dialect.own(PER_THREAD, language)
    parts = [_instead(divisor, scaled, along, kernel, language)]
    if _wraps(operation, divisor):
        parts = [WRAPPED.format(divisor), f"otherwise, {parts[0]}"]
    if operation.bits > WORD:
        parts.append(
            f"if both operands fit in {WORD} bits, convert them first: a third of the instructions"
        )
    return "; ".join(parts)


def _wraps(operation: Operation, divisor: str) -> bool:
    """Whether a remainder brings a sum back into a range: `(i + k) % n`."""
    dividend, _, rest = operation.text.rpartition("%")
    return bool(divisor) and rest.strip() == divisor and SUM.fullmatch(dividend.strip()) is not None


def _instead(divisor: str, scaled: Set[str], along: str, kernel: Kernel, language: str) -> str:
    named = f"`{divisor}`" if divisor else "the divisor"
    high = dialect.own(HIGH, language)
    if divisor in scaled:
        return (
            f"{named} is halved or doubled in each iteration: if it is a power of two, track its logarithm and shift "
            f"(`x >> log`), and compute remainders as `x & ({divisor} - 1)`"
        )
    repeated = f"if {named} stays the same for many divisions, multiply by a precomputed reciprocal ({high} and a shift)"
    if not divisor or is_given(divisor, kernel):
        return (
            f"make {named} {dialect.own(CONSTANT, language)}, {along}, or multiply by a reciprocal precomputed for the launch "
            f"({high} and a shift, like CUTLASS's FastDivmod)"
        )
    if not re.fullmatch(r"[\w.:>\[\]-]+", divisor):
        return repeated
    return f"{along}, or, {repeated}"


def is_given(divisor: str, kernel: Kernel) -> bool:
    """Whether it is made of arguments of the kernel, members of them or of its object: `w`, `(w * h)`."""
    return all(_is_argument(factor.strip(" ()"), kernel) for factor in divisor.split("*"))


def _is_argument(text: str, kernel: Kernel) -> bool:
    root = re.match(r"[A-Za-z_]\w*", text)
    plain = re.fullmatch(r"[\w.:]+|[\w.:]+(?:->\w+)+", text) is not None
    return (
        plain
        and root is not None
        and any(parameter.name == root[0] for parameter in kernel.parameters)
    )
