"""A number of each thread that tells apart what a store writes.

In: what the value is made of. Out: `Stored`, which is combined to one number only when somebody asks:
most stores write to places of each thread's own, where nothing depends on it.
"""

from __future__ import annotations

from functools import reduce
from zlib import crc32

from kernlint.base.dataclass import dataclass
from kernlint.execution.values import sums
from kernlint.execution.values.sums import Sum, TooDense

FACTORS = 1 << 16


@dataclass(slots=True, eq=False)
class Stored:
    """`how`: it is computed of `parts`, as a number. `is_value`: the one part is the value itself;
    else the number stands for it."""

    how: int
    parts: tuple[Sum, ...]
    is_value: bool
    combined: bool = False
    kept: Sum | None = None

    @property
    def number(self) -> Sum | None:
        """None where there is too much to look at."""
        if not self.combined:
            self.combined = True
            self.kept = self.parts[0] if self.is_value else _combined(self.how, self.parts)
        return self.kept


def _combined(how: int, parts: tuple[Sum, ...]) -> Sum | None:
    """One number that is equal where all parts are and, but for chance, nowhere else."""
    try:
        scaled = [sums.scale(part, number_of(i) % FACTORS | 1) for i, part in enumerate(parts)]
        total = reduce(sums.add, scaled, sums.constant(how))
    except TooDense:
        return None
    return Sum(sums.wrapped64(total.const), total.parts, total.low, total.high)


def number_of(*names: object) -> int:
    return crc32(repr(names).encode())
