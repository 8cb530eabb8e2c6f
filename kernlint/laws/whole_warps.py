"""Blocks of any number of whole warps, where no launch says how many.

Such a block is walked as one warp that is counted as iterations are: `WARP` of `WARPS`, from 0 on.
Thread `threadIdx.x` is lane + 32*WARP, `blockDim.x` is 32*WARPS. Laws that are made so hold for
each such block; texts say `bdx` for the threads of a block.
"""

from __future__ import annotations

import math

import numpy as np
import sympy

from kernlint.ir import nodes as ir
from kernlint.ir.traversal import all_expressions, walk, walk_expression
from kernlint.laws.functions import Residue, Value, symbol
from kernlint.laws.lane_values import ONE, LaneSum, number
from kernlint.model.facts import SHAPED, Launch

LANES = 32
MOST = 32  # warps of a block on every device (CUDA C++ Programming Guide, compute capabilities)
WARPS = sympy.Symbol("bdx/32", integer=True, positive=True)
WARP = symbol("warp")
MEANING = "warp in the block"
THREADS = symbol("bdx")
OTHER_AXES = frozenset(f"{stem}.{axis}" for stem in ("tid", "ntid") for axis in "yz")


def is_any_block(kernel: ir.Kernel, launch: Launch) -> bool:
    """Whether nothing but `blockDim.x` says how many threads a block has."""
    if not launch.block_assumed or launch.block[1:] != (1, 1) or SHAPED in launch.block_origin:
        return False
    read = {
        part.name
        for statement in walk(kernel.body)
        for e in all_expressions(statement)
        for part in walk_expression(e)
        if isinstance(part, ir.Builtin)
    }
    return "ntid.x" in read and not read & OTHER_AXES


def builtins() -> dict[str, LaneSum]:
    """What is built in, of a warp of such a block."""
    lane = np.arange(LANES, dtype=np.int64)
    return {
        "tid.x": LaneSum({ONE: lane, WARP: LANES}),
        "laneid": number(lane),
        "warpid": LaneSum({WARP: 1}),
        "ntid.x": LaneSum({WARPS: LANES}),
        **{name: number(int(name.startswith("n"))) for name in OTHER_AXES},
    }


def in_threads(e: Value) -> Value:
    """In terms of the threads of a block."""
    return e.xreplace({WARPS: THREADS / LANES})


def condition(low: Value) -> Value:
    """What is at least 0 where `low` is, in whole threads."""
    found = sympy.expand(in_threads(low))
    parts = (term.as_coeff_Mul()[0].q for term in sympy.Add.make_args(found))
    return sympy.expand(found * math.lcm(*parts))


def whole_warps() -> Value:
    """What is at least 0 where a block has only whole warps."""
    return -Residue(THREADS, LANES)


def one_block(launch: Launch) -> Value:
    """What is at least 0 for blocks of the size at hand alone."""
    return -sympy.Abs(THREADS - launch.block[0])
