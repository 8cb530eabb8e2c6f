"""Functions that read the program's command line: getopt and NVIDIA's helper_string.h, atoi and
its kin.

In: a call of one. Out: for those that are handed `argc`, what they return in a run without
arguments (`argc` is 1) and unknown in any other; for those that are handed text, an unknown number.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.ir import nodes as ir
from kernlint.ir.types import BOOL, DOUBLE, FLOAT, INT, LONG, LONGLONG, ULONG, Float, Integer
from kernlint.lowering.calls.unknown_calls import forget
from kernlint.lowering.context import Lowerer
from kernlint.lowering.expressions.fold import binary, integer, select
from kernlint.lowering.expressions.places import operands_of, rvalue, scalar, unknown
from kernlint.lowering.expressions.values import PlacePointer, Scalar, Value
from kernlint.source.parser import tree

# the type of the result, and the result where there is nothing to read: getopt(3), and
# Common/helper_string.h of NVIDIA's CUDA samples
_READERS: dict[str, tuple[Integer, int]] = {
    "getopt": (INT, -1),
    "getopt_long": (INT, -1),
    "getopt_long_only": (INT, -1),
    "checkCmdLineFlag": (BOOL, 0),
    "getCmdLineArgumentInt": (INT, 0),
    "getCmdLineArgumentString": (BOOL, 0),
}

# <cstdlib> and <string>
_NUMBERS: dict[str, Integer | Float] = {
    "atoi": INT,
    "atol": LONG,
    "atoll": LONGLONG,
    "atof": DOUBLE,
    "strtol": LONG,
    "strtoul": ULONG,
    "strtod": DOUBLE,
    "strtof": FLOAT,
    "stoi": INT,
    "stol": LONG,
    "stoul": ULONG,
    "stod": DOUBLE,
    "stof": FLOAT,
}


def read(
    low: Lowerer, name: str, values: list[Value], nodes: Sequence[tree.Node], node: tree.Node
) -> Value | None:
    """The result of a function that reads the command line; None for other names."""
    if name not in _READERS | _NUMBERS or not values:
        return None
    for value, source in zip(values, nodes, strict=False):
        held = rvalue(low, value, source)
        if isinstance(held, PlacePointer):
            forget(low, held.place, name, node)
    if name in _NUMBERS:
        return unknown("unknown-function", _NUMBERS[name], operands_of(values[0]), False, name)
    type_, nothing = _READERS[name]
    count = scalar(low, values[0], nodes[0])
    anything = ir.Unknown(type_, "unknown-argument", (count,), False, f"{name}()")
    return Scalar(select(binary(">", count, integer(1)), anything, integer(nothing, type_)))
