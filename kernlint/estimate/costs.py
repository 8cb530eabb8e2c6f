"""What operations cost in machine instructions, as tables.

In: an operation of the intermediate form. Out: how many instructions nvcc makes of it, which pipe
executes them, and after how many cycles a dependent instruction may follow. Never: addresses, loops
or memory.

Counts: nvcc 13.0 -O3 for sm_90, one small kernel per operation, its instructions counted less those
of the same kernel without the operation (tests/data/estimate/operations.cu; a test holds the table
against the counts). Latencies in SM cycles: Jia et al., Dissecting the NVIDIA Volta GPU
Architecture via Microbenchmarking (arXiv 1804.06826), dependent-issue latencies, assumed for later
devices; a sequence takes its first instruction's latency once and four cycles for each further one.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from kernlint.base.dataclass import dataclass
from kernlint.ir.functions import functions

ALU, IMAD, FMA, FP64, XU, LSU, NONE = "alu", "imad", "fma", "fp64", "xu", "lsu", ""

STEP = 4.0  # cycles to a dependent instruction of the arithmetic pipes
LATENCY: Mapping[str, float] = MappingProxyType(
    {ALU: 4.0, IMAD: 5.0, FMA: 4.0, FP64: 8.0, XU: 14.0, NONE: 0.0, LSU: 0.0}
)


@dataclass(frozen=True, slots=True)
class Cost:
    """`count` instructions for `pipe`; the result is ready `latency` cycles after the first is
    issued."""

    count: float
    pipe: str
    latency: float


def cost(count: float, pipe: str) -> Cost:
    return Cost(count, pipe, LATENCY[pipe] + STEP * max(0.0, count - 1))


FREE = Cost(0, NONE, 0.0)
SPECIAL = cost(1, XU)  # S2R: a thread's or block's index
CONSTANT_BANK = Cost(1, LSU, 20.0)  # LDC of a parameter that the constant cache holds; assumed

INTEGER: Mapping[str, Cost] = MappingProxyType(
    {
        **{
            op: cost(1, ALU)
            for op in (
                "+",
                "-",
                "&",
                "|",
                "^",
                "<<",
                ">>",
                "min",
                "max",
                "<",
                "<=",
                ">",
                ">=",
                "==",
                "!=",
            )
        },
        "*": cost(1, IMAD),
        "/": cost(24, ALU),
        "%": cost(22, ALU),
        "u/": cost(18, ALU),
        "u%": cost(17, ALU),
    }
)
BY_CONSTANT: Mapping[str, Cost] = MappingProxyType(
    {"/": cost(3, IMAD), "%": cost(4, IMAD), "u/": cost(2, IMAD), "u%": cost(3, IMAD)}
)
BY_POWER_OF_TWO: Mapping[str, Cost] = MappingProxyType(
    {"/": cost(3, ALU), "%": cost(4, ALU), "u/": cost(1, ALU), "u%": cost(1, ALU)}
)
LONG: Mapping[str, Cost] = MappingProxyType(
    {
        **{
            op: cost(2, ALU)
            for op in ("+", "-", "&", "|", "^", "min", "max", "<", "<=", ">", ">=", "==", "!=")
        },
        **{op: cost(3, ALU) for op in ("<<", ">>")},
        "*": cost(4, IMAD),
        **{op: cost(80, ALU) for op in ("/", "%", "u/", "u%")},
    }
)
LONG_BY_CONSTANT = cost(14, IMAD)
FLOAT: Mapping[str, Cost] = MappingProxyType(
    {
        **{op: cost(1, FMA) for op in ("+", "-", "*")},
        **{op: cost(1, ALU) for op in ("min", "max", "<", "<=", ">", ">=", "==", "!=")},
        "/": Cost(10, FMA, LATENCY[XU] + 9 * STEP),
    }
)
DOUBLE: Mapping[str, Cost] = MappingProxyType(
    {
        **{op: cost(1, FP64) for op in ("+", "-", "*", "<", "<=", ">", ">=", "==", "!=")},
        **{op: cost(4, FP64) for op in ("min", "max")},
        "/": Cost(14, FP64, LATENCY[XU] + 13 * LATENCY[FP64]),
    }
)
CONVERSION = cost(1, XU)
SELECT = cost(1, ALU)


SEQUENCE = "sequence"  # of ir/functions.toml


def _sequence(count: int, pipe: str = FMA) -> Cost:
    """A function that looks something up in the transcendental pipe first."""
    return Cost(count, pipe, LATENCY[XU] + STEP * (count - 1))


CALLS: Mapping[str, Cost] = MappingProxyType(
    {
        row.name: _sequence(count) if pipe == SEQUENCE else cost(count, pipe)
        for row in functions().values()
        if row.cost
        for count, pipe in [row.cost]
    }
)
FEW = cost(1, ALU)  # an operation that no table knows
SOFTWARE_DOUBLE = 7  # a function of doubles makes so many times the instructions (exp: 63 for 9)
