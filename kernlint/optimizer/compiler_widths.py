"""What nvcc reads of a vector or struct of which some members are needed.

In: the walk of a kernel and which values are needed. Out: the accesses that are left. Measured on
nvcc 13's machine code for sm_90: a vector is read whole from three quarters of its members on, else
its half, else member by member.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.optimizer.compiler_uses import Uses
from kernlint.optimizer.compiler_walk import Walker


def read_widths(needed: Sequence[int], first: int, count: int) -> list[int]:
    """In how many pieces, of how many members, a vector of `count` members from `first` on is read,
    of which `needed` are."""
    if len(needed) > count // 2 or count == 1:
        return [count]
    half = count // 2
    for start in (first, first + half):
        if all(start <= i < start + half for i in needed):
            return read_widths(needed, start, half)
    return [1] * len(needed)


def alone(walker: Walker, a: int, live: Uses) -> bool:
    """Whether a loaded value has an instruction of its own."""
    site = walker.log[walker.makers[a][0]].site
    numbers = next((some for _, some in walker.loaded.get(site, ()) if a in some), (a,))
    return len(site.pieces) > 1 or apart([bool(live.get(b)) for b in numbers])


def apart(needed: Sequence[bool]) -> bool:
    """Whether the needed members of a vector are read one by one."""
    places = [i for i, one in enumerate(needed) if one]
    return set(read_widths(places, 0, len(needed))) == {1} if places else True
