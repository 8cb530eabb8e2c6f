"""Loaded values of which only some bits are needed: nvcc may read fewer bytes.

In: the walk of a kernel, and what reads its values. Out: whether a value's readers leave bits of it unread. Measured on nvcc 13's
machine code for sm_90: `uchar = v + 3`, `ushort = v << 2` and `uchar = (v * 3) ^ 5` read a part of `v`, since carries run upwards only;
of `half2` and `double`, what takes a part (`__low2half(h)`, `__high2float(h)`, `__low2half(__hmul2(h, g))`, `__double2hiint(d)`).
"""

from __future__ import annotations

import re

from kernlint.execution.compiler_forms import BITWISE, HALVED, Form, Key
from kernlint.execution.compiler_uses import USE, Readers
from kernlint.execution.compiler_walk import Walker

DIRECT = ("&", ">>")  # what narrows a loaded value itself, not what is computed from it (measured: `(v + 3) & 255` reads all of it)
ALL = 64  # bits
BITS = {"char": 8, "short": 16, "int": 32}
HALVES = ("double_high", "double_low")
UNPACKED = re.compile(r"__half22float2|__bfloat1622float2")
PACKED = re.compile(r"__h\w+2(_\w+)?|h2\w+")


def low_half(walker: Walker, a: int, readers: Readers, seen: set[int]) -> bool:
    """Whether nothing needs more than the low half of 64 bits: nvcc calculates with halves (measured: `int = v * v + n` reads 4 bytes)."""
    if a in seen:
        return True
    seen.add(a)
    for reader, part in readers.get(a, ()):
        key = walker.atoms.keys[reader] if reader != USE else ()
        if not key or key[0] not in ("narrow", *BITWISE, *HALVED):
            return False
        decides = key[1:2] if key[0] == "select" else key[5:] if key[0] == "join" else key[2:] if key[0] == "<<" else ()
        if part in decides or (key[0] != "narrow" and not low_half(walker, reader, readers, seen)):
            return False
    return True


def low_bits(walker: Walker, a: int, readers: Readers, direct: bool = True) -> int:
    """How many of its low bits a value's readers need at most, through sums, products and bitwise operations with constants. `direct`:
    whether a mask counts, which it does where the value was not calculated with (measured: `(v + 3) & 255` reads all of it)."""
    needed = 0
    for reader, part in readers.get(a, ()):
        if reader == USE or len(part.terms) != 1 or part.terms[0][0] != (a,):
            return ALL
        plain = direct and part.terms[0] == ((a,), 1) and not part.constant
        key = walker.atoms.keys[reader]
        if key[0] == "narrow":
            needed = max(needed, BITS.get(str(key[1]).split()[-1], ALL))
        elif key[0] in BITWISE and sum(bool(p.terms) for p in key if isinstance(p, Form)) == 1:
            masks = [p.constant for p in key if isinstance(p, Form) and not p.terms and p.constant > 0] if key[0] == "&" and plain else []
            needed = max(needed, min([low_bits(walker, reader, readers, plain), *(m.bit_length() for m in masks)]))
        else:
            return ALL
    return needed


def narrows(walker: Walker, a: int, readers: Readers) -> bool:
    """Whether what the value goes into, through operations of these kinds or on packed values, takes some of its bits."""
    some, seen, joined = {a}, {a}, False
    wide = walker.log[walker.makers[a][0]].width == 8
    if 0 < low_bits(walker, a, readers) <= BITS["int"] or (wide and readers.get(a) and low_half(walker, a, readers, set())):
        return True
    while True:
        reads = [read for b in some for read in readers.get(b, [])]
        found = {reader for reader, _ in reads}
        if USE in found or not found or found & seen:
            return False
        keys = [walker.atoms.keys[reader] for reader in found]
        if len(found) == 1 and _takes_part(walker, keys[0], reads[0][1], joined, len(seen) == 1):
            return not joined or len(readers.get(reads[0][0], [])) == 1
        if not all(_is_packed(key) and key[2] == keys[0][2] for key in keys):
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
    return alone and key[0] in DIRECT and part.terms[0][1] == 1 and not part.constant and direct


def _is_packed(key: Key) -> bool:
    """Arithmetic on both halves of a half2, or both taken together."""
    return key[0] == "unknown" and (not key[2] or PACKED.fullmatch(str(key[2])) is not None)
