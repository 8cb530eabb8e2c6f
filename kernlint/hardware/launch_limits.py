"""The sizes that a launch may have on a device: threads of a block, in all and along z, and blocks
along each axis of the grid.

Goes in: a launch's sizes, a profile's limits. Comes out: what is too large, in words. Source: the
profile; CUDA C++ Programming Guide, technical specifications per compute capability ("maximum
z-dimension of a block", "maximum y- or z-dimension of a grid of thread blocks").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from kernlint.base.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Excess:
    """`what` a launch has, in words, and the `most` that the device takes."""

    what: str
    most: int


def excess(
    block: Sequence[int], grid: Sequence[int] | None, limits: Mapping[str, int]
) -> Excess | None:
    """The first size beyond the limits that the profile tells. `grid` None: not known, or another
    language's."""
    sizes = [("threads_per_block", prod(block), "a block has {:,} threads")]
    sizes += [
        (f"threads_per_block_{axis}", n, f"a block has {{:,}} threads along {axis}")
        for axis, n in zip("xyz", block, strict=True)
    ]
    if grid is not None:
        sizes += [
            (f"blocks_per_grid_{axis}", n, f"the grid has {{:,}} blocks along {axis}")
            for axis, n in zip("xyz", grid, strict=True)
        ]
    found = ((limits.get(name), n, text) for name, n, text in sizes)
    return next(
        (Excess(text.format(n), most) for most, n, text in found if most is not None and n > most),
        None,
    )
