"""Where nvcc keeps an array of a thread that is indexed by no constant: in registers, selecting
among its elements, or in local memory.

Goes in: the array's size and how often a thread's code accesses it with such an index. Comes out:
`REGISTERS`, `EITHER` or `LOCAL`.

Source: the stack frames that nvcc 13.0 for sm_90 gives 6,000 kernels (`tests/data/local_arrays`:
arrays of 2 to 128 elements, filled in three ways, loaded from, stored to and updated up to 16
times, in loops of each kind). Only words of 4 bytes are selected among, also those of vectors;
scalars of 1, 2 and 8 bytes lie in local memory whatever the array's size. What counts are machine
accesses with such an index: the more elements, the fewer nvcc puts up with. Between the bounds of a
bracket what else the kernel does decides.
"""

from __future__ import annotations

from math import inf

from kernlint.base.dataclass import dataclass
from kernlint.model.facts import EITHER, LOCAL, REGISTERS

WORD = 4  # bytes of the only scalars that nvcc selects among
WHOLE = 96  # words from which on an array lies in local memory with a single such index


@dataclass(frozen=True, slots=True)
class Bracket:
    """Arrays of `elements` and more, up to the next bracket: in registers with up to `few`
    accesses, in local memory from `many` on; of sizes that are no multiple of four from `odd`."""

    elements: int
    few: float
    many: float
    odd: float


STORED = (  # outside of loops and in loops unrolled whole; some of the accesses are stores
    Bracket(1, 16, inf, inf),
    Bracket(5, 15, inf, inf),
    Bracket(6, 11, inf, 18),
    Bracket(8, 7, 18, 18),
    Bracket(12, 5, 13, 13),
    Bracket(16, 5, 10, 11),
    Bracket(20, 3, 9, 11),
    Bracket(32, 3, 8, 10),
    Bracket(81, 0, 8, 10),
    Bracket(WHOLE, 0, 1, 1),
)
READ = (  # the same, loads alone
    Bracket(1, 16, inf, inf),
    Bracket(12, 8, 12, 12),
    Bracket(20, 3, 8, 12),
    Bracket(32, 0, 6, 7),
    Bracket(40, 0, 3, 7),
    Bracket(WHOLE, 0, 1, 1),
)


@dataclass(frozen=True, slots=True)
class Looped:
    """In loops that are not unrolled whole: in registers up to so many elements, in local memory
    from so many on, where the number of turns is a constant and where it is not."""

    few: int
    constant: int
    open: int


MOVED = Looped(5, 24, 24)  # loads or stores
UPDATED = Looped(3, 8, 10)  # both
COUNTED = Looped(
    2, 40, 40
)  # indexed by the counter of a loop that an argument ends: it runs at most once for each element
SHIFTED = 4  # elements that move along in a loop which data end: in local memory from so many on
# elements each and accesses in all up to which two arrays are in registers (84 kernels, compiled
# likewise)
TOGETHER = 6
EVEN = 8  # elements up to which all arrays of an even number of elements are in registers then


@dataclass(frozen=True, slots=True)
class Use:
    """The accesses of one array with an index that is no constant. `elements`, of `bytes` each;
    `scalar`: no vectors or structs. `most`: accesses outside of loops and in loops of known length,
    each as often as it runs; `fewest`: with equal indices taken for one. `stored`, `loaded`: some
    are stores, loads. `looped`: some are in loops of known length; `open`: in loops whose length
    nobody knows. `counters`: all indices are counters of loops that an argument ends. `shifted`:
    elements move along in a loop that data end. `beside`:
    such accesses to the kernel's other arrays: of several nvcc puts up with less."""

    elements: int
    bytes: int
    scalar: bool
    fewest: float
    most: float
    stored: bool
    loaded: bool
    looped: bool = False
    open: bool = False
    counters: bool = False
    shifted: bool = False
    beside: float = 0


def place(use: Use) -> str:
    """Where the array lies."""
    alone = _alone(use)
    few = use.elements <= UPDATED.few or (
        use.elements <= TOGETHER and use.most + use.beside <= TOGETHER
    )
    return EITHER if alone == REGISTERS and use.beside and use.elements > 1 and not few else alone


def _alone(use: Use) -> str:
    """Where it lies without the kernel's other arrays."""
    words = use.elements * -(-use.bytes // WORD)
    if use.elements < 2:
        return REGISTERS
    if words >= WHOLE or (use.scalar and use.bytes != WORD):
        return LOCAL
    if use.counters:
        return _counted(use)
    if use.shifted:
        return LOCAL if use.elements >= SHIFTED else EITHER
    looped = {_looped(use, constant=not use.open)} if use.open or use.looped else set()
    if use.open and looped == {LOCAL}:
        return LOCAL  # whatever stands outside of that loop
    outcomes = looped | {_straight(use)}
    return outcomes.pop() if len(outcomes) == 1 else EITHER


def _counted(use: Use) -> str:
    if use.elements >= COUNTED.open:
        return LOCAL
    return (
        REGISTERS
        if use.elements <= COUNTED.few or (use.elements <= EVEN and use.elements % 2 == 0)
        else EITHER
    )


def _straight(use: Use) -> str:
    bracket = next(
        b for b in reversed(STORED if use.stored else READ) if b.elements <= use.elements
    )
    if use.most <= bracket.few:
        return REGISTERS
    return (
        LOCAL
        if use.scalar and use.fewest >= (bracket.odd if use.elements % 4 else bracket.many)
        else EITHER
    )


def _looped(use: Use, constant: bool) -> str:
    limits = UPDATED if use.stored and use.loaded else MOVED
    if use.elements <= (limits.few if use.scalar else UPDATED.few):
        return REGISTERS
    return LOCAL if use.elements >= (limits.constant if constant else limits.open) else EITHER
