"""Whether the address of an array says nothing but where accesses lie, and whether these stay
aligned in longer rows.

Goes in: lowered kernels, an array. Comes out: "" or the reason. An address may be moved by sums,
kept in variables and chosen among; what else it goes into (other arithmetic, comparisons, memory,
calls that are not followed) may depend on how long rows are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from kernlint.base.dataclass import dataclass
from kernlint.execution.measured import Measured
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import expressions, sites, walk, walk_expression
from kernlint.ir.types import Array, Integer, Pointer

HELD = 4  # bytes of the shortest integer that holds an address in shared memory
ACCESSED: dict[type, Callable[[Any], tuple[ir.Expression, ...]]] = {
    ir.Load: lambda s: (s.address,),
    ir.Store: lambda s: (s.address,),
    ir.Atomic: lambda s: (s.address,),
    ir.Matrix: lambda s: (s.address,),
    ir.Copy: lambda s: (s.destination, s.source),
}


def other_use(kernel: ir.Kernel, object_: ir.MemoryObject) -> str:
    """What the address of an object goes into beside accesses; "" where nothing."""
    body = list(walk(kernel.body))
    address = _address(body, object_)
    for what, given in kernel.unfollowed:
        if address.is_in(given):
            return f"its address is given to {what}"
    for s in body:
        lies = (
            ACCESSED[type(s)](s)
            if type(s) in ACCESSED
            else (s.value,)
            if isinstance(s, ir.Assign)
            else ()
        )
        others = (
            (*expressions(s), *(e for _, e in s.untracked))
            if isinstance(s, ir.Store)
            else expressions(s)
        )
        known = {id(e) for e in lies}
        if any(address.is_in(e) for e in others if id(e) not in known):
            return "its address is stored, compared or passed on"
        if not all(address.only_moves(e) for e in lies if address.is_in(e)):
            return "its address is used in arithmetic other than sums"
    return ""


def lost(some: Measured, object_: ir.MemoryObject) -> int | None:
    """The line of an access at the array's address of which it is not known where it lies; None
    where there is none."""
    body = list(walk(some.kernel.body))
    address = _address(body, object_)
    at = {
        site
        for s in body
        if type(s) in ACCESSED and any(map(address.is_in, ACCESSED[type(s)](s)))
        for site in sites(s)
    }
    return next(
        (site.span.line for site, found in some.reached if found is None and site in at), None
    )


def _address(body: Sequence[ir.Statement], object_: ir.MemoryObject) -> _Address:
    address = _Address(object_, frozenset())
    while True:
        held = frozenset(
            s.variable for s in body if isinstance(s, ir.Assign) and address.is_in(s.value)
        )
        if held == address.held:
            return address
        address = _Address(object_, held)


@dataclass(frozen=True, slots=True)
class _Address:
    """`held`: the variables that hold it, moved or not."""

    object: ir.MemoryObject
    held: frozenset[ir.Variable]

    def is_in(self, e: ir.Expression) -> bool:
        return any(self._is(x) for x in walk_expression(e))

    def _is(self, e: ir.Expression) -> bool:
        return (isinstance(e, ir.Address) and e.object is self.object) or (
            isinstance(e, ir.Read) and e.variable in self.held
        )

    def only_moves(self, e: ir.Expression) -> bool:
        """Whether an expression that holds the address is it plus something, or a choice of such
        sums."""
        pending = [e]
        while pending:
            x = pending.pop()
            match x:
                case ir.Convert() if isinstance(x.type, Pointer) or (
                    isinstance(x.type, Integer) and (x.type.size or 0) >= HELD
                ):
                    pending.append(x.operand)
                case ir.Binary(op="+") if not (self.is_in(x.left) and self.is_in(x.right)):
                    pending.append(x.left if self.is_in(x.left) else x.right)
                case ir.Binary(op="-") if not self.is_in(x.right):
                    pending.append(x.left)
                case ir.Select() if not self.is_in(x.condition):
                    pending += [arm for arm in (x.then, x.otherwise) if self.is_in(arm)]
                case _ if not self._is(x):
                    return False
        return True


def unaligned(
    name: str,
    line: int,
    more: int,
    measured: Iterable[Measured],
    rows: tuple[int, int] | None = None,
) -> str:
    """What `more` elements per row of the array declared on that line would put off its alignment;
    "" where nothing. `rows`: how many it has of how many elements, where it is flat."""
    for some in measured:
        for own in (o for o in some.kernel.objects if is_declared(o, name, line)):
            count, row, element = _rows(own, rows)
            for site, object_, width in _widths(some):
                if object_ is own and (row + more * element) % width:
                    what = f"the {width}-byte access on line {site.span.line}"
                    return f"rows of {row + more * element} bytes would misalign {what}"
                if object_ is not own and width > object_.align and count * more * element % width:
                    what = f"`{object_.name}` is accessed by {width} bytes on line {site.span.line} but declared with an alignment of {object_.align}"
                    return f"{what}: {count * more * element} more bytes before it may misalign it"
    return ""


def widest(name: str, line: int, measured: Iterable[Measured]) -> int:
    """Bytes of the widest access to the array declared on that line."""
    found = (
        width
        for some in measured
        for _, object_, width in _widths(some)
        if is_declared(object_, name, line)
    )
    return max(found, default=1)


def is_declared(object_: ir.MemoryObject, name: str, line: int) -> bool:
    return object_.name == name and object_.span is not None and object_.span.line == line


def _widths(some: Measured) -> Iterator[tuple[ir.AccessSite, ir.MemoryObject, int]]:
    for site, object_ in some.reached:
        if object_ is not None and not object_.dynamic:
            yield site, object_, max((size for _, size in site.pieces), default=1)


def _rows(object_: ir.MemoryObject, flat: tuple[int, int] | None) -> tuple[int, int, int]:
    """How many rows an array has, their bytes, and the bytes of an element."""
    rows, type_ = 1, object_.type
    while isinstance(type_, Array) and isinstance(type_.element, Array):
        rows, type_ = rows * (type_.count or 1), type_.element
    element = (type_.element.size if isinstance(type_, Array) else type_.size) or 1
    return (flat[0], flat[1] * element, element) if flat else (rows, type_.size or 1, element)
