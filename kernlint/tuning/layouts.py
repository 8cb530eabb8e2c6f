"""Other layouts of one shared array: longer rows, columns moved by an exclusive or, gaps in a flat
array.

Goes in: an `TunedArray`. Comes out: `Layout`s with the edits that make them. What each of them costs is
for the engine to say. All keep every element apart from every other as long as columns stay within
their row, which the caller has made sure of.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from kernlint.base.dataclass import dataclass
from kernlint.checks.shared_memory.padding import Solved
from kernlint.hardware import Device
from kernlint.model.finding import Edit
from kernlint.source_model.declared_rows import RowLength
from kernlint.source_model.rewritable import cannot_move
from kernlint.tuning.arrays import TunedArray, changed, factor

# elements, up to half of what all banks hold once; beside them what checks offer
PADS = (
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    12,
    16,
)
VECTORS = (1, 2, 4)  # neighbouring elements that one access may hold


@dataclass(frozen=True, slots=True)
class Layout:
    """`kind`: padding | swizzle | skew. `columns_must_stay`: it is the same only where each column
    stays within its row; `together`: so many elements that an access may hold stay side by side and
    aligned (0: where rows stay aligned, all of a row); `more`: elements of a row that is longer."""

    kind: str
    title: str
    edits: tuple[Edit, ...]
    shape: tuple[int, ...]
    columns_must_stay: bool = True
    together: int = 0
    more: int = 0


def layouts(
    array: TunedArray, device: Device, offered: Sequence[Solved] = (), pads: Sequence[int] = ()
) -> Iterator[Layout]:
    """`offered`, `pads`: what checks offer for the array's accesses, which is among the forms."""
    yield from _paddings(
        array, device, {*pads, *(one.padding.elements for one in offered if one.padding)}
    )
    if len(array.shape) == 1:
        yield from _flat(array, device)
        return
    yield from _swizzles(array, device, {one.swizzle.together for one in offered if one.swizzle})


def _paddings(array: TunedArray, device: Device, offered: set[int]) -> Iterator[Layout]:
    if isinstance(array.rows, str):
        return
    most = max(1, device.banks * device.bank_bytes // array.element_bytes // 2)
    for pad in sorted({pad for pad in PADS if pad <= most} | offered):
        title = f"pad the rows by {pad} element{'s' if pad > 1 else ''}"
        yield Layout("padding", title, array.rows.longer(pad), array.padded(pad), more=pad)


def _swizzles(array: TunedArray, device: Device, offered: set[int]) -> Iterator[Layout]:
    """Column c of row r goes to c ^ (r / down % units * together): `together` elements stay side by
    side, `down` rows are moved alike."""
    if cannot_move(array.uses, array.language):
        return
    # elements that all banks hold once
    line = max(1, device.banks * device.bank_bytes // array.element_bytes)
    seen = set()
    for together in sorted({*VECTORS, *offered}):
        width = _power(
            array.row // together if array.row % together == 0 else 0, max(1, line // together)
        )
        for down in sorted({1, max(1, line // array.row)}):
            if width < 2 or (width, together, down) in seen:
                continue
            seen.add((width, together, down))
            yield _swizzle(array, width, together, down)


def _power(row: int, most: int) -> int:
    """The largest power of two up to `most` that divides `row`."""
    return min(row & -row, 1 << (most.bit_length() - 1)) if row else 0


def _swizzle(array: TunedArray, width: int, together: int, down: int) -> Layout:
    modulus = (
        array.extent.text if width == array.row and array.extent.text.isidentifier() else str(width)
    )

    def move(row: str) -> str:
        term = f"{row} / {down} % {modulus}" if down > 1 else f"{row} % {modulus}"
        return f"({term} * {together})" if together > 1 else f"({term})"

    edits = tuple(
        changed(
            use.subscripts[-1], f"{factor(use.subscripts[-1])} ^ {move(factor(use.subscripts[-2]))}"
        )
        for use in array.uses
    )
    return Layout(
        "swizzle",
        f"swizzle: column c of row r at c ^ {move('r')}",
        edits,
        array.shape,
        together=together,
    )


def _flat(array: TunedArray, device: Device) -> Iterator[Layout]:
    """A flat array: a gap after each turn over the banks, or an exclusive or with the number of the
    turn."""
    if cannot_move(array.uses, array.language):
        return
    line = max(1, device.banks * device.bank_bytes // array.element_bytes)
    if prod(array.shape) <= line:
        return
    gap = tuple(
        changed(
            use.subscripts[-1],
            f"{factor(use.subscripts[-1])} + {factor(use.subscripts[-1])} / {line}",
        )
        for use in array.uses
    )
    more = (array.row - 1) // line
    edits = (
        changed(array.extent, RowLength(array.extent.span, array.extent.text).grown(more)),
        *gap,
    )
    yield Layout("skew", f"skew: element i at i + i / {line}", edits, (array.row + more,), False, 1)
    if array.row % line == 0 and line & (line - 1) == 0:
        moved = tuple(
            changed(
                use.subscripts[-1],
                f"{factor(use.subscripts[-1])} ^ ({factor(use.subscripts[-1])} / {line} % {line})",
            )
            for use in array.uses
        )
        yield Layout(
            "swizzle",
            f"swizzle: element i at i ^ (i / {line} % {line})",
            moved,
            array.shape,
            False,
            1,
        )
