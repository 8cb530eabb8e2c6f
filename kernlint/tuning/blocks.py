"""Other blocks for a launch, where the kernel provably computes the same with them.

Goes in: a lowered kernel, its launch, a device. Comes out: blocks with their grids, or the reason
why the block must stay.

The proof: each thread's work depends on its place in the grid alone. Every sum of the kernel holds
threadIdx.a as often as blockIdx.a * blockDim.a, so that it changes with their sum only; gridDim.a
stands only in gridDim.a * blockDim.a; and nothing else looks at the block: no shared memory,
barrier, vote, shuffle, lane number. Where the number of threads does not divide by the new block,
the grid is rounded up, and the caller has to see that the threads beyond execute no access.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from kernlint.base.dataclass import dataclass
from kernlint.checks.words import size
from kernlint.hardware import Device
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import expressions, operands, walk
from kernlint.ir.types import Array
from kernlint.model.facts import Launch

Dim3 = tuple[int, int, int]
AXES = ("x", "y", "z")
WIDTHS = (32, 64, 128, 256, 512, 1024)
HEIGHTS = (1, 2, 4, 8, 16, 32)
TOGETHER = {  # statements by which the threads of a block or of a warp act together
    ir.Barrier: "a barrier",
    ir.Shuffle: "a shuffle",
    ir.Vote: "a vote of the warp",
    ir.Matrix: "a matrix of the whole warp",
    ir.Copy: "an asynchronous copy",
    ir.Clobber: "a call to an unknown function",
}
MOST_THREADS = 1 << 31


@dataclass(frozen=True, slots=True)
class Blocks:
    """Other blocks with their grids. `reason`: why there are none. `whole`: only grids that hold
    exactly as many threads will do."""

    choices: tuple[tuple[Dim3, Dim3], ...] = ()
    reason: str = ""


def blocks(kernel: ir.Kernel, launch: Launch, device: Device) -> Blocks:
    if launch.grid is None or launch.block_assumed:
        return Blocks(
            reason="its launch is unknown; give --grid and --block, or a launch directive"
        )
    if kernel.required_block:
        return Blocks(reason=f"it requires blocks of {size(kernel.required_block)}")
    totals = _times(launch.grid, launch.block)
    if prod(totals) >= MOST_THREADS:
        return Blocks(reason="the launch has more threads than a 32-bit index holds")
    reason, strides = _bound(kernel, launch.block)
    if reason:
        return Blocks(reason=reason)
    most = device.limits.get("threads_per_block", 1024)
    if kernel.launch_bounds:
        most = min(most, kernel.launch_bounds[0])
    return Blocks(tuple(_choices(launch, totals, most, strides)))


def _times(a: Dim3, b: Dim3) -> Dim3:
    return a[0] * b[0], a[1] * b[1], a[2] * b[2]


def _choices(
    launch: Launch, totals: Dim3, most: int, strides: frozenset[str]
) -> Iterator[tuple[Dim3, Dim3]]:
    flat = totals[1] == 1
    for width in WIDTHS if flat else (8, 16, *WIDTHS):
        for height in (1,) if flat else HEIGHTS:
            block = (width, height, launch.block[2])
            if not 32 <= prod(block) <= most or block == launch.block:
                continue
            grid = (
                -(-totals[0] // width),
                -(-totals[1] // height),
                launch.grid[2] if launch.grid else 1,
            )
            rounded = [
                axis
                for axis, now, then in zip(AXES, totals, _times(grid, block), strict=True)
                if now != then
            ]
            if not strides & set(rounded):
                yield block, grid


def _bound(kernel: ir.Kernel, block: Dim3) -> tuple[str, frozenset[str]]:
    """Why the work of a thread depends on its block; and the axes whose number of threads the
    kernel reads."""
    strides: set[str] = set()
    shared = [object_ for object_ in kernel.objects if object_.space == "shared"]
    if shared:
        return _tile(shared, block), frozenset()
    for statement in walk(kernel.body):
        if type(statement) in TOGETHER:
            return (
                f"it contains {TOGETHER[type(statement)]}: the block size is part of the algorithm",
                frozenset(),
            )
        for expression in (
            *expressions(statement),
            *(e for _, e in getattr(statement, "untracked", ())),
        ):
            reason = _looks_at_block(expression, block, strides)
            if reason:
                return reason, frozenset()
    return "", frozenset(strides)


def _tile(shared: Sequence[ir.MemoryObject], block: Dim3) -> str:
    """The array that binds the threads together, and what of the block stands in its shape."""
    for object_ in shared:
        extents, type_ = [], object_.type
        while isinstance(type_, Array):
            extents.append(type_.count)
            type_ = type_.element
        for extent, name in zip(block, ("x", "y", "z"), strict=True):
            if extent > 1 and extent in extents:
                return f"`{object_.name}` matches the block: its extent {extent} is blockDim.{name}, and both would have to change together"
    return f"its threads share `{shared[0].name}`: the block size is part of the algorithm"


def _looks_at_block(expression: ir.Expression, block: Dim3, strides: set[str]) -> str:
    """Why an expression is not a function of the thread's place in the grid; "" where it is."""
    pending = [expression]
    while pending:
        terms = list(_terms(pending.pop()))
        threads, starts = {a: 0 for a in AXES}, {a: 0 for a in AXES}
        for term, sign in terms:
            match _builtin(term), _product(term):
                case ("tid", axis), _:
                    threads[axis] += sign
                case _, ("ctaid", axis):
                    starts[axis] += sign
                case _, ("nctaid", axis):
                    strides.add(axis)
                case (str() as name, axis), _:
                    return (
                        f"it reads {SPELLED.get(name, name)}{'.' + axis if axis else ''} on its own"
                    )
                case _:
                    constant = _written_out(term, block)
                    if constant:
                        return constant
                    pending += operands(term)
        for axis in AXES:
            if threads[axis] != starts[axis]:
                return f"it uses threadIdx.{axis} and blockIdx.{axis} other than as blockIdx.{axis} * blockDim.{axis} + threadIdx.{axis}"
    return ""


SPELLED = {
    "tid": "threadIdx",
    "ctaid": "blockIdx",
    "ntid": "blockDim",
    "nctaid": "gridDim",
    "laneid": "the lane's number",
    "warpid": "the warp's number",
}


def _terms(expression: ir.Expression, sign: int = 1) -> Iterator[tuple[ir.Expression, int]]:
    """The terms of a sum; conversions within it do not matter to numbers below 2**31."""
    while isinstance(expression, ir.Convert):
        expression = expression.operand
    if isinstance(expression, ir.Binary) and expression.op in ("+", "-"):
        yield from _terms(expression.left, sign)
        yield from _terms(expression.right, sign if expression.op == "+" else -sign)
    else:
        yield expression, sign


def _plain(expression: ir.Expression) -> ir.Expression:
    while isinstance(expression, ir.Convert):
        expression = expression.operand
    return expression


def _builtin(expression: ir.Expression) -> tuple[str, str] | None:
    plain = _plain(expression)
    if not isinstance(plain, ir.Builtin) or plain.name.startswith("goffset"):
        return None
    name, _, axis = plain.name.partition(".")
    return name, axis


def _product(expression: ir.Expression) -> tuple[str, str] | None:
    """("ctaid", a) of blockIdx.a * blockDim.a, ("nctaid", a) of gridDim.a * blockDim.a."""
    plain = _plain(expression)
    if not isinstance(plain, ir.Binary) or plain.op != "*":
        return None
    found = {_builtin(plain.left), _builtin(plain.right)}
    for axis in AXES:
        for name in ("ctaid", "nctaid"):
            if found == {(name, axis), ("ntid", axis)}:
                return name, axis
    return None


def _written_out(term: ir.Expression, block: Dim3) -> str:
    """Where blockIdx.a is multiplied by the block's size as a number."""
    plain = _plain(term)
    if not isinstance(plain, ir.Binary) or plain.op != "*":
        return ""
    for one, other in ((plain.left, plain.right), (plain.right, plain.left)):
        found, number = _builtin(one), _plain(other)
        if (
            found
            and found[0] == "ctaid"
            and isinstance(number, ir.Constant)
            and number.value == block[AXES.index(found[1])]
        ):
            axis = found[1]
            return f"it is written for blocks of {number.value} along {axis}: blockIdx.{axis} * {number.value} instead of blockDim.{axis}"
    return ""
