"""Loaded values of which only some bits are needed: nvcc may read fewer bytes.

In: the walk of a kernel, and what reads its values. Out: whether a value's readers leave bits of it unread. Measured on nvcc 13's
machine code for sm_90: `uchar = v + 3` and `ushort = v << 2` read a part of `v`, since carries run upwards only;
of `half2` and `double`, what takes a part (`__low2half(h)`, `__high2float(h)`, `__low2half(__hmul2(h, g))`, `__double2hiint(d)`).
"""

from __future__ import annotations

import re

from kernlint.execution.compiler_forms import Form, Key
from kernlint.execution.compiler_uses import USE, Readers
from kernlint.execution.compiler_walk import Walker

DIRECT = ("&", ">>")  # what narrows a loaded value itself, not what is computed from it (measured: `(v + 3) & 255` reads all of it)
BITWISE = ("&", "|", "^")
HALVES = ("double_high", "double_low")
UNPACKED = re.compile(r"__half22float2|__bfloat1622float2")
PACKED = re.compile(r"__h\w+2(_\w+)?|h2\w+")


def narrows(walker: Walker, a: int, readers: Readers) -> bool:
    """Whether what the value goes into, through sums, bitwise and packed operations, takes some of its bits."""
    some, seen, joined = {a}, {a}, False
    while True:
        reads = [read for b in some for read in readers.get(b, [])]
        found = {reader for reader, _ in reads}
        if USE in found or not found or found & seen:
            return False
        keys = [walker.atoms.keys[reader] for reader in found]
        if len(found) == 1 and _takes_part(walker, keys[0], reads[0][1], joined, len(seen) == 1):
            return not joined or len(readers.get(reads[0][0], [])) == 1
        if not (len(found) == 1 and keys[0][0] in BITWISE) and not all(_is_packed(key) and key[2] == keys[0][2] for key in keys):
            return False
        joined = keys[0][0] == "unknown" and not keys[0][2]
        seen |= found
        some = found


def _takes_part(walker: Walker, key: Key, part: Form, joined: bool, direct: bool) -> bool:
    """`direct`: the value itself is read; `joined`: the value is both halves of a half2, and a scalar is made of them."""
    if key[0] == "call":
        return key[1] in HALVES or (joined and key[1] == "to_float")
    if key[0] == "unknown":
        return UNPACKED.match(str(key[2])) is not None
    alone = len(walker.atoms.inside(part)) == 1
    return alone and (key[0] == "narrow" or (key[0] in DIRECT and part.terms[0][1] == 1 and not part.constant and direct))


def _is_packed(key: Key) -> bool:
    """Arithmetic on both halves of a half2, or both taken together."""
    return key[0] == "unknown" and (not key[2] or PACKED.fullmatch(str(key[2])) is not None)
