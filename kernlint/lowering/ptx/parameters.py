"""The parameters of a PTX kernel: which values they hold, and which of them are pointers.

In: an `.entry` and its instructions. Out: for each parameter the values that are read of it, by
byte offset (members of a struct each have their own), and those that are addresses. Never looks at
values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from kernlint.lowering.ptx.registers import Place, named, read_parameter, written
from kernlint.model.facts import Parameter
from kernlint.source.ptx import nodes as ptx
from kernlint.source.ptx.module import PtxFunction, PtxVariable

# what makes an address of an address
CARRIES = frozenset({"mov", "cvta", "add", "sub", "mad", "selp", "cvt"})


def parameter_name(name: str, position: int) -> str:
    """`_Z3fooPfi_param_1` → `param_1`; names that say something stay."""
    return f"param_{position}" if name.endswith(f"param_{position}") else name


def source_names(function: PtxFunction, source: Sequence[Parameter]) -> dict[Place, str]:
    """What the source calls each value: its parameters in order, members at their natural
    alignment. Nothing where they do not fit."""
    groups: dict[str, list[Parameter]] = {}
    for leaf in source:
        groups.setdefault(re.split(r"[.\[]", leaf.name)[0], []).append(leaf)
    if len(groups) != len(function.parameters):
        return {}
    found: dict[Place, str] = {}
    for p, leaves in zip(function.parameters, groups.values(), strict=True):
        offset = 0
        for leaf in leaves:
            if not leaf.bytes:
                break
            offset = -(-offset // leaf.bytes) * leaf.bytes
            found[p.name, offset] = leaf.name
            offset += leaf.bytes
        if p.bytes is None or offset > p.bytes:
            return {}
    return found


def parts(p: PtxVariable, instructions: tuple[ptx.PtxInstruction, ...]) -> list[tuple[int, str]]:
    """(offset, type) of each value of a parameter: the whole of a plain one, what is read of a
    struct."""
    found = {0: p.type} if p.bytes in (1, 2, 4, 8) and p.type != "b8" else {}
    for i in instructions:
        place = read_parameter(i)
        if place is None or place[0] != p.name:
            continue
        count = len(i.operands[0].items) if isinstance(i.operands[0], ptx.Vector) else 1
        width = ptx.TYPE_BITS.get(i.modifiers[-1], 32) // 8
        for n in range(count):
            found.setdefault(place[1] + n * width, i.modifiers[-1])
    return sorted(found.items())


def _loaded(instructions: tuple[ptx.PtxInstruction, ...]) -> Iterator[tuple[str, Place]]:
    """Registers that hold a parameter's value."""
    for i in instructions:
        place = read_parameter(i)
        if place is not None:
            items = (
                i.operands[0].items if isinstance(i.operands[0], ptx.Vector) else (i.operands[0],)
            )
            width = ptx.TYPE_BITS.get(i.modifiers[-1], 32) // 8
            for n, item in enumerate(items):
                for name in named(item):
                    yield name, (place[0], place[1] + n * width)


def pointer_parameters(
    function: PtxFunction, instructions: tuple[ptx.PtxInstruction, ...]
) -> dict[Place, str]:
    """Parameters that are pointers: said so (`.ptr`), converted to an address (`cvta`), or the base
    of an access; with the space."""
    loaded = _held(instructions)
    found = {(p.name, 0): "global" for p in function.parameters if p.pointer}
    for i in instructions:
        sources = (
            [i.operands[1]]
            if i.opcode == "cvta" and len(i.operands) == 2
            else [o for o in i.operands if isinstance(o, ptx.Address)]
        )
        found |= {place: "global" for o in sources for n in named(o) for place in loaded.get(n, ())}
    return found


def _held(instructions: tuple[ptx.PtxInstruction, ...]) -> dict[str, set[Place]]:
    """Registers → the parameters that they hold, or that with an offset: moves and sums of 64 bits
    with one such operand are followed."""
    found: dict[str, set[Place]] = {}
    for name, place in _loaded(instructions):
        found.setdefault(name, set()).add(place)
    steps = []
    for instruction in filter(_carries, instructions):
        target = instruction.operands[0]
        assert isinstance(target, ptx.Register)
        steps.append((target.name, [n for o in instruction.operands[1:] for n in named(o)]))
    size, before = len(found), -1
    while size != before:
        for carrier, sources in steps:
            held = [name for name in sources if name in found]
            if len(held) == 1:
                found.setdefault(carrier, set()).update(found[held[0]])
        size, before = sum(map(len, found.values())), size
    return found


def _carries(i: ptx.PtxInstruction) -> bool:
    is_sum = i.opcode == "add" and any(ptx.TYPE_BITS.get(word) == 64 for word in i.modifiers[-1:])
    return (i.opcode == "mov" or is_sum) and isinstance(next(iter(i.operands), None), ptx.Register)


def never_written(
    pointers: Mapping[Place, str], instructions: tuple[ptx.PtxInstruction, ...]
) -> frozenset[Place]:
    """Pointer parameters through which all accesses are `ld.global.nc`: nothing writes there while
    the kernel runs."""
    roots: dict[str, set[Place]] = {}
    for name, place in _loaded(instructions):
        if place in pointers:
            roots.setdefault(name, set()).add(place)
    size, before = len(roots), -1
    while size != before:
        for i in instructions:
            carried = {
                r
                for o in i.operands[1:]
                if not isinstance(o, ptx.Address)
                for n in named(o)
                for r in roots.get(n, ())
            }
            for name in written(i) if carried and i.opcode in CARRIES else ():
                roots.setdefault(name, set()).update(carried)
        size, before = sum(map(len, roots.values())), size
    used: dict[Place, bool] = {}
    for i in instructions:
        if "param" not in i.modifiers:
            for root in (
                r
                for o in i.operands
                if isinstance(o, ptx.Address)
                for n in named(o)
                for r in roots.get(n, ())
            ):
                used[root] = used.get(root, True) and "nc" in i.modifiers
    return frozenset(place for place, only in used.items() if only)
