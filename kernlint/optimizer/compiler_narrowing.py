"""Loaded values of which only some bits are needed: nvcc may read fewer bytes.

In: the walk of a kernel, and what reads its values. Out: whether a value's readers leave bits of it
unread. Measured on nvcc 13's machine code for sm_90: `uchar = v + 3`, `ushort = v << 2` and `uchar
= (v * 3) ^ 5` read a part of `v`, since carries run upwards only; so do `v % 256` and `v / 65536`
of an unsigned `v`, and `v << 24 >> 24`; of `half2` and `double`, what takes a part
(`__low2half(h)`, `__high2float(h)`, `__low2half(__hmul2(h, g))`, `__double2hiint(d)`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernlint.ir import nodes as ir
from kernlint.optimizer.compiler_forms import BITWISE, CHOSEN, FOLDS, Form, Key
from kernlint.optimizer.compiler_halves import HALVES, one_half
from kernlint.optimizer.compiler_uses import USE, Readers
from kernlint.optimizer.compiler_walk import Walker

DIRECT = (
    "&",
    ">>",
)  # what narrows a loaded value itself, not what is computed from it (measured: `(v + 3) & 255` reads all of it)
ALL = 64  # bits
BITS = {"char": 8, "short": 16, "int": 32}
UNPACKED = re.compile(r"__half22float2|__bfloat1622float2")
PACKED = re.compile(r"__h\w+2(_\w+)?|h2\w+")


def _readings(walker: Walker, a: int, readers: Readers) -> Iterator[tuple[int, Key, Form]]:
    """What reads a value, or the same bits as another type (`__float_as_uint`): the reader, its
    key, and the part the value is in."""
    for reader, part in readers.get(a, ()):
        key = walker.atoms.keys[reader] if reader != USE else ("",)
        if (
            key[0] == "unknown"
            and key[2] == ir.SAME_BITS
            and part not in walker.feeds.get(reader, ())
        ):
            yield from _readings(walker, reader, readers)
        else:
            yield reader, key, part


def _low_bits(walker: Walker, a: int, readers: Readers, direct: bool = True) -> int:
    """How many of its low bits a value's readers need at most, through sums, products and bitwise
    operations with constants, choices between it and a constant, and the sum that a narrow variable
    of a loop holds. `direct`: whether a mask counts, which it does where the value was not
    calculated with (measured: `(v + 3) & 255` reads all of it)."""
    needed = 0
    for reader, key, part in _readings(walker, a, readers):
        inside = walker.atoms.inside(part)
        carried = [b for b in inside if walker.atoms.keys[b][0] == "carried"]
        alone = len(part.terms) == 1 and len(inside) == 1
        if not alone and not (key[0] == "narrow" and carried and len(inside) == len(carried) + 1):
            return ALL
        needed = max(needed, _bits_for(walker, reader, key, part, readers, direct))
        if needed >= ALL:
            break
    return needed


def _bits_for(
    walker: Walker, reader: int, key: Key, part: Form, readers: Readers, direct: bool
) -> int:
    """How many low bits one reader needs of a value that it reads."""
    plain = direct and part.terms[0][1] == 1 and not part.constant
    forms = [p for p in key if isinstance(p, Form)]
    if key[0] == "narrow":
        return BITS.get(str(key[1]).split()[-1], ALL)
    if key[0] in BITWISE and sum(bool(p.terms) for p in forms) == 1:
        masks = (
            [p.constant for p in forms if not p.terms and p.constant > 0]
            if key[0] == "&" and plain
            else []
        )
        return min([_low_bits(walker, reader, readers, plain), *(m.bit_length() for m in masks)])
    if (
        key[0] in CHOSEN
        and any(not p.terms for p in _arms(key))
        and not (key[0] == "select" and _compares_integers(walker, forms[0]))
    ):
        return _low_bits(walker, reader, readers, plain)
    return ALL


def _arms(key: Key) -> list[Form]:
    return [p for p in (key[2:4] if key[0] == "select" else key[3:5]) if isinstance(p, Form)]


def _compares_integers(walker: Walker, condition: Form) -> bool:
    """Whether a condition holds a value against an integer constant: LLVM leaves choices by such as
    they are (measured: the byte stored of `n > 3 ? v : 1` reads all of an `int`, that of `x > 3.f ?
    v : 1` one byte)."""
    keys = [walker.atoms.keys[a] for a in walker.atoms.inside(condition)]
    return any(
        key[0] in FOLDS and any(isinstance(p, Form) and not p.terms for p in key) for key in keys
    )


def narrows(walker: Walker, a: int, readers: Readers, bits: int, loaded: int) -> bool:
    """Whether what the value, of so many `bits` among those `loaded` at once, goes into, through
    operations of these kinds or on packed values, takes some of them."""
    some, seen, joined = {a}, {a}, False
    needed = _low_bits(walker, a, readers)
    if 0 < needed <= BITS["int"] and needed < loaded:
        return True
    if bits == ALL and one_half(walker, a, readers):
        return True
    while True:
        reads = [(reader, part) for b in some for reader, _, part in _readings(walker, b, readers)]
        found = {reader for reader, _ in reads}
        if USE in found or not found or found & seen:
            return False
        keys = [walker.atoms.keys[reader] for reader in found]
        if len(found) == 1 and _keeps_all(keys[0], bits):
            return False
        if len(found) == 1 and _takes_part(walker, keys[0], reads[0][1], joined, len(seen) == 1):
            return not joined or _read_once(walker, reads[0][0], readers)
        if not all(_is_packed(key) and key[2] == keys[0][2] for key in keys):
            return False
        joined = keys[0][0] == "unknown" and not keys[0][2]
        seen |= found
        some = found


def _keeps_all(key: Key, bits: int) -> bool:
    """Whether it is a mask that leaves a value of so many bits as it is."""
    every = (1 << bits) - 1
    masks = [p.value for p in key if isinstance(p, Form) and p.value is not None]
    return key[0] == "&" and any(mask & every == every for mask in masks)


def _read_once(walker: Walker, a: int, readers: Readers) -> bool:
    """Whether one value, or the halves of one, is made of a value."""
    keys = [walker.atoms.keys[b] if b != USE else (b,) for b, _ in readers.get(a, ())]
    made = {key[:-1] if key[0] == "unknown" else key for key in keys}
    return (
        len(made) == 1
        and sum(isinstance(p, Form) and a in walker.atoms.inside(p) for p in made.pop()) <= 1
    )


def _takes_part(walker: Walker, key: Key, part: Form, joined: bool, direct: bool) -> bool:
    """`direct`: the value itself is read; `joined`: the value is both halves of a half2, and a
    scalar is made of them."""
    if key[0] == "call":
        return key[1] in HALVES or (joined and key[1] == "to_float")
    if key[0] == "unknown":
        return UNPACKED.match(str(key[2])) is not None
    alone = len(walker.atoms.inside(part)) == 1
    scale = part.terms[0][1] if len(part.terms) == 1 else 0
    whole = scale == 1 or (
        key[0] == ">>" and scale > 0 and not scale & (scale - 1)
    )  # `v << 24 >> 24` takes the low bits
    return alone and key[0] in DIRECT and whole and not part.constant and direct


def _is_packed(key: Key) -> bool:
    """Arithmetic on both halves of a half2, or both taken together."""
    return key[0] == "unknown" and (not key[2] or PACKED.fullmatch(str(key[2])) is not None)
