"""Where the members of a class lie (Itanium C++ ABI 2.4, GCC's packed classes, `#pragma pack` and
bit-fields).

In: types of bases and members in order, with the alignments that the source asks for. Out: offsets;
size and alignment of the whole.
"""

from __future__ import annotations

from kernlint.base.dataclass import dataclass
from kernlint.ir.types import Type
from kernlint.lowering.types.layout import align_of, round_up, size_of

# distinct offsets for members after one of unknown size; the record's own size is then unknown
_UNKNOWN_ROOM = 64


@dataclass(slots=True, eq=False)
class Placer:
    """Places data members one after another, or all at 0 for a union. `packed`:
    `__attribute__((packed))`; `pack`: `#pragma pack(n)`, 0 without one. `end` is the first byte
    (for bit-fields: rounded up) behind what was placed."""

    union: bool
    packed: bool = False
    pack: int = 0
    end: int = 0
    align: int = 1
    known: bool = True
    bit_position: int | None = None

    def place(
        self, type_: Type, asked: int = 0, packed: bool = False, size: int | None = None
    ) -> int:
        """The offset of a member that asks for the alignment `asked` (0: none); `size` where it
        takes less room than the type."""
        size, natural = size_of(type_) if size is None else size, align_of(type_)
        align = (asked or 1) if packed else max(asked, natural)
        align = min(align, self.pack) if self.pack else align
        self.bit_position = None
        self.align = max(self.align, align)
        offset = 0 if self.union else round_up(self.end, align)
        if size is None:
            self.known, size = False, _UNKNOWN_ROOM
        self.end = max(self.end, offset + size)
        return offset

    def place_bits(
        self, type_: Type, width: int, named: bool, asked: int = 0, packed: bool = False
    ) -> tuple[int, int]:
        """(offset of the storage unit, first bit in it) of a bit-field. One that would span more
        units of its alignment than its type does starts at the next such unit (GCC's
        `excess_unit_span`); a width of 0 only ends the unit."""
        unit = (size_of(type_) or 4) * 8
        align = (asked or 1) * 8 if packed else max(asked * 8, align_of(type_) * 8)
        align = min(align, self.pack * 8) if self.pack else align
        bit = (
            0
            if self.union
            else self.bit_position
            if self.bit_position is not None
            else self.end * 8
        )
        if width == 0:
            self.bit_position = round_up(bit, align_of(type_) * 8)
            self.end = max(self.end, self.bit_position // 8)
            return 0, 0
        if asked or (
            not packed and not self.pack and -(-(bit % align + width) // align) > unit // align
        ):
            bit = round_up(bit, align)
        self.bit_position = bit + width
        if named:  # GCC forgets `packed` here where a `#pragma pack` is in force
            usual = min(align_of(type_), self.pack) if self.pack else align // 8
            self.align = max(self.align, usual)
        self.end = max(self.end, -(-(bit + width) // 8))
        step = unit if not packed and align >= unit else 8
        return bit // step * (step // 8), bit % step
