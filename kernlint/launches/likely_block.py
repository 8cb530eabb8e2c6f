"""The block that a kernel is likely launched with, where nothing says so: read off what its threads
do.

In: a lowered kernel and the bound on its threads. Out: a block with the reason in words. A kernel
that uses `threadIdx.y` has blocks of two dimensions; one that stores
`tile[threadIdx.y][threadIdx.x]` has no more threads than the array has elements, and as many as it
has is the best guess. An assumption, to be stated as such; nothing is executed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from kernlint.base.dataclass import dataclass
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import (
    bodies,
    expressions,
    operands,
    reads,
    targets,
    walk,
    walk_expression,
)
from kernlint.ir.types import Array
from kernlint.lowering.calls.intrinsics import is_rank
from kernlint.model.facts import SHAPED

THREADS = ("tid.x", "tid.y", "tid.z")
_LANES = (*THREADS, "laneid", "warpid")
USUAL = 256  # threads of a block where nothing bounds them
# threads of a block on every device since Fermi (CUDA C++ Programming Guide, compute capabilities)
MOST = 1024
USUAL_SHAPES = {1: (256, 1, 1), 2: (16, 16, 1), 3: (8, 8, 4)}
WARP = 32
ROWS_OF_WARPS = {2: (WARP, 8, 1), 3: (WARP, 4, 2)}  # where lanes of a warp exchange values

# what a thread does without others
ALONE = (ir.Assign, ir.Load, ir.Store, ir.If, ir.Loop, ir.Region, ir.Leave, ir.Assume, ir.Trap)

Block = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Reach:
    """How far an access lets one axis of the block go. `whole`: the access covers that extent of
    `name` by threads alone."""

    axis: int
    threads: int
    whole: bool
    name: str


@dataclass(frozen=True, slots=True)
class Linear:
    """Bytes that each axis of the thread's index adds to an address; `moving`: what divides
    everything else that adds to it and is no constant (0: there is nothing else)."""

    by_axis: dict[int, int]
    constant: int = 0
    moving: int = 0


def likely_block(kernel: ir.Kernel, bound: int | None) -> tuple[Block, str]:
    """The block, and why (empty where it is just the usual one)."""
    apart = _rows_apart(kernel)
    if THREADS[0] in apart:
        return (1, min(bound or USUAL, USUAL), 1), ""
    every = builtins_used(kernel)
    if not every and _is_of_one_thread(kernel):
        return (1, 1, 1), "no thread index is used"
    used = every - apart
    dimensions = 3 if THREADS[2] in used else 2 if THREADS[1] in used else 1
    most = min(bound or MOST, MOST)
    reaches = [r for r in _reaches(kernel) if r.threads <= most]
    exact = {
        axis: fit(min(r.threads for r in reaches if r.axis == axis))
        for axis in range(3)
        if _all_whole(reaches, axis)
    }
    loose = {r.axis: min(o.threads for o in reaches if o.axis == r.axis) for r in reaches}
    by_warps = any(isinstance(s, (ir.Shuffle, ir.Vote)) for s in walk(kernel.body))
    shape = (ROWS_OF_WARPS if by_warps else USUAL_SHAPES).get(dimensions, USUAL_SHAPES[1])
    block = _filled(exact, {axis: fit(n) for axis, n in loose.items()}, dimensions, bound, shape)
    names = list(dict.fromkeys(r.name for r in reaches if r.axis in exact))
    if names:
        return _bounded(block, most), f"{SHAPED} `{names[0]}`"
    axis = (
        f"get_local_id({dimensions - 1})"
        if kernel.language == "opencl"
        else f"threadIdx.{'xyz'[dimensions - 1]}"
    )
    why = f"{axis} is used, lanes of a warp exchange values" if by_warps else f"{axis} is used"
    return _bounded(block, most), why if dimensions > 1 else ""


def _is_of_one_thread(kernel: ir.Kernel) -> bool:
    """Whether all that a kernel without a thread index does is done once: several threads would
    write one element. Calls and names that are not known may stand for an index."""
    statements = list(walk(kernel.body))
    every = [x for s in statements for e in expressions(s) for x in walk_expression(e)]
    return (
        all(isinstance(s, ALONE) for s in statements)
        and any(isinstance(s, ir.Store) for s in statements)
        and not any(isinstance(e, ir.Unknown) for e in every)
    )


def _all_whole(reaches: list[Reach], axis: int) -> bool:
    own = [r for r in reaches if r.axis == axis]
    least = min((r.threads for r in own), default=0)
    return any(r.whole and r.threads == least for r in own)


def fit(extent: int) -> int:
    """The threads that an extent is made for: padding and halos left out."""
    return extent if extent % WARP == 0 else 1 << (extent.bit_length() - 1)


def _filled(
    exact: dict[int, int], loose: dict[int, int], dimensions: int, bound: int | None, shape: Block
) -> Block:
    if dimensions == 1:
        return exact.get(0, min(bound or USUAL, loose.get(0, MOST))), 1, 1
    if not exact:
        return (
            min(shape[0], loose.get(0, MOST)),
            min(shape[1], loose.get(1, MOST)),
            min(shape[2], loose.get(2, MOST)),
        )
    sizes = dict(exact)
    for axis in range(dimensions):
        if axis not in sizes:
            taken = 1
            for n in sizes.values():
                taken *= n
            open_axes = sum(other not in sizes for other in range(dimensions))
            share = max(1, USUAL // taken)
            size = fit(round(share ** (1 / open_axes)))
            sizes[axis] = min(size, loose.get(axis, MOST))
    return sizes[0], sizes[1], sizes.get(2, 1)


def _bounded(block: Block, most: int) -> Block:
    """Halved, rows first, until the block holds no more than `most` threads."""
    x, y, z = block
    while x * y * z > most:
        if y > 1:
            y //= 2
        elif z > 1:
            z //= 2
        else:
            x = most
    return x, y, z


def builtins_used(kernel: ir.Kernel) -> frozenset[str]:
    """Those used. A thread's rank in its block (`thread_rank()`, `get_sub_group_id()`) is made of
    all three axes and asks for none."""
    found: set[str] = set()
    for statement in walk(kernel.body):
        stack = list(expressions(statement))
        while stack:
            e = stack.pop()
            if isinstance(e, ir.Builtin):
                found.add(e.name)
            elif isinstance(e, ir.Binary) and is_rank(e, "tid", "ntid"):
                found.add(THREADS[0])
            else:
                stack.extend(operands(e))
    return frozenset(found)


def _rows_apart(kernel: ir.Kernel) -> frozenset[str]:
    """The axes of threads that only choose a row of the whole grid, in a kernel whose blocks work
    on one row: several rows would write the same shared elements, which another axis alone indexes:
    x, or y where x chooses the row. What nothing reads (`int lx = threadIdx.x;`) does not count."""
    found, by_grid = set[str](), set[str]()
    has_barrier = False
    read = {v for s in walk(kernel.body) for e in expressions(s) for v in reads(e)}
    for statement in walk(kernel.body):
        if isinstance(statement, ir.Assign) and statement.variable not in read:
            continue
        has_barrier |= isinstance(statement, ir.Barrier)
        stack = list(expressions(statement))
        while stack:
            e = stack.pop()
            axis = _of_grid(e)
            by_grid |= {axis}
            if not axis:
                found |= {e.name} if isinstance(e, ir.Builtin) else set()
                stack.extend(operands(e))
    own = [axis for axis in THREADS[:2] if axis in found]
    if not has_barrier or not own:
        return frozenset()
    return frozenset(axis for axis in by_grid if axis in THREADS and axis not in found)


def _of_grid(e: ir.Expression) -> str:
    """`tid.y` of `blockIdx.y * blockDim.y + threadIdx.y`; "" of anything else."""
    names = sorted(x.name for x in walk_expression(e) if isinstance(x, ir.Builtin))
    axis = next((name for name in THREADS if name in names), "")
    number = axis.removeprefix("tid")
    whole = [f"ctaid{number}", f"ntid{number}", axis]
    own = [name for name in names if not name.startswith("goffset")]
    linear = all(
        isinstance(x, ir.Builtin | ir.Convert) or (isinstance(x, ir.Binary) and x.op in ("+", "*"))
        for x in walk_expression(e)
    )
    return axis if axis and linear and own == sorted(whole) else ""


class _Reader:
    """What variables are made of: threads, something else, or both."""

    def __init__(self, body: ir.Body) -> None:
        self.made: dict[ir.Variable, list[ir.Expression | None]] = {}
        for s in walk(body):
            for variable in targets(s):
                self.made.setdefault(variable, []).append(
                    s.value if isinstance(s, ir.Assign) else None
                )
        self._sources: dict[ir.Variable, frozenset[str]] = {}

    def sources(self, e: ir.Expression) -> frozenset[str]:
        """A subset of {"thread", "other"}: what the value depends on beside constants and the
        block's size."""
        found: set[str] = set()
        for x in walk_expression(e):
            if isinstance(x, ir.Builtin):
                found |= (
                    {"thread"}
                    if x.name in _LANES
                    else set()
                    if x.name.startswith("ntid")
                    else {"other"}
                )
            elif isinstance(x, ir.Read):
                found |= self._of(x.variable)
            elif isinstance(x, (ir.Unknown, ir.Address)):
                found.add("other")
        return frozenset(found)

    def _of(self, variable: ir.Variable) -> frozenset[str]:
        if variable not in self._sources:
            self._sources[variable] = (
                frozenset()
            )  # while it is looked up: a variable that is made of itself adds nothing
            found: set[str] = set() if variable in self.made else {"other"}
            for e in self.made.get(variable, ()):
                found |= {"thread", "other"} if e is None else self.sources(e)
            self._sources[variable] = frozenset(found)
        return self._sources[variable]

    def linear(self, e: ir.Expression) -> Linear | None:
        """None where threads enter in another way than times a constant."""
        match e:
            case ir.Constant():
                return Linear({}, int(e.value))
            case ir.Builtin() if e.name in THREADS:
                return Linear({THREADS.index(e.name): 1})
            case ir.Convert():
                return self.linear(e.operand)
            case ir.Read() if (
                len(self.made.get(e.variable, ())) == 1 and self.made[e.variable][0] is not None
            ):
                (value,) = self.made[e.variable]
                return None if value is None else self.linear(value)
            case ir.Binary() if e.op in ("+", "-", "*"):
                a, b = self.linear(e.left), self.linear(e.right)
                return None if a is None or b is None else _combined(e.op, a, b)
        return None if "thread" in self.sources(e) else Linear({}, 0, 1)


def _combined(op: str, a: Linear, b: Linear) -> Linear | None:
    if op == "*":
        if a.by_axis and b.by_axis:
            return None
        factor, other = (a, b) if not a.by_axis else (b, a)
        if factor.moving:
            return (
                None
                if other.by_axis
                else Linear({}, 0, max(1, factor.moving * (other.moving or abs(other.constant))))
            )
        scaled = {axis: n * factor.constant for axis, n in other.by_axis.items()}
        return Linear(scaled, other.constant * factor.constant, other.moving * abs(factor.constant))
    sign = 1 if op == "+" else -1
    axes = {
        axis: a.by_axis.get(axis, 0) + sign * b.by_axis.get(axis, 0)
        for axis in a.by_axis.keys() | b.by_axis.keys()
    }
    return Linear(axes, a.constant + sign * b.constant, math.gcd(a.moving, b.moving))


def _reaches(kernel: ir.Kernel) -> Iterator[Reach]:
    """From every access to a shared array of known size that its threads make unless some size or
    block stops them."""
    reader = _Reader(kernel.body)
    pending: list[ir.Statement] = list(kernel.body)
    while pending:
        s = pending.pop()
        if isinstance(s, (ir.Load, ir.Store, ir.Atomic)):
            found = _shared(s.address)
            offset = reader.linear(found[1]) if found is not None else None
            if found is not None and offset is not None:
                yield from _of_access(found[0], offset)
        test = s.condition if isinstance(s, (ir.If, ir.Loop)) else None
        if test is None or reader.sources(test) != {
            "thread"
        }:  # else only some of the threads, by their number, come here
            pending += [inner for part in bodies(s) for inner in part]


def _shared(address: ir.Expression) -> tuple[ir.MemoryObject, ir.Expression] | None:
    """The array and the byte offset of `array + offset + …`."""
    offset: ir.Expression | None = None
    e = address
    while True:
        if isinstance(e, ir.Convert):
            e = e.operand
        elif isinstance(e, ir.Binary) and e.op == "+":
            offset = e.right if offset is None else ir.Binary(e.right.type, "+", offset, e.right)
            e = e.left
        else:
            break
    if (
        not isinstance(e, ir.Address)
        or e.object.space != "shared"
        or e.object.size is None
        or e.object.dynamic
        or offset is None
    ):
        return None
    return e.object, offset


def _of_access(array: ir.MemoryObject, offset: Linear) -> Iterator[Reach]:
    dimensions: list[tuple[int, int]] = []  # (stride, end) in bytes, outermost first
    type_ = array.type
    while isinstance(type_, Array) and type_.size and type_.element.size:
        dimensions.append((type_.element.size, type_.size))
        type_ = type_.element
    axes = sorted((n, axis) for axis, n in offset.by_axis.items() if n > 0)
    if not dimensions or len(axes) < sum(n != 0 for n in offset.by_axis.values()):
        return
    for position, (n, axis) in enumerate(axes):
        end = next((end for stride, end in dimensions if stride <= n), 0)
        following = axes[position + 1][0] if position + 1 < len(axes) else end
        threads = min(end, following) // n
        if threads > 1:
            yield Reach(axis, threads, end > 0 and offset.moving % end == 0, array.name)
