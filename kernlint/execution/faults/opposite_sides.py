"""Which accesses lie on opposite sides of a branch.

In: the undecided branches around each access, and the side of each that it is on. Out: a table of
pairs, made by one product of matrices: a kernel of hundreds of branches has a hundred thousand
pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from kernlint.execution.faults.order import Path
from kernlint.execution.values.booleans import Condition

MOST_CELLS = 1 << 24  # of a table; more accesses are looked at pair by pair alone


def opposite_sides(
    paths: Sequence[Path], is_common: Callable[[Condition], bool]
) -> NDArray[np.bool_] | None:
    """For each two paths whether a condition that `is_common` parts them; None where no two are
    parted, or there are too many."""
    numbers = {condition: 0 for path in paths for condition, _ in path}
    numbers = {c: i for i, c in enumerate(c for c in numbers if is_common(c))}
    if not numbers or len(paths) * max(len(paths), len(numbers)) > MOST_CELLS:
        return None
    sides = np.zeros((len(paths), len(numbers)), np.float32)
    for row, path in enumerate(paths):
        for condition, holds in path:
            column = numbers.get(condition)
            if column is not None:
                sides[row, column] = 1 if holds else -1
    parted = np.maximum(sides, 0) @ np.maximum(-sides, 0).T > 0
    return parted | parted.T
