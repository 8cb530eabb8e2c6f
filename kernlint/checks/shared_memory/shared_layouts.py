"""What to do about a bank conflict: another layout of the array, counted on all its accesses, or
another index.

Goes in: an access as the machine executes it, its kernel. Comes out: advice in words, and as an
edit where longer rows do it. What the padded file's own analysis says of the edit takes the place
of what is counted here (`fixing/paddings.py`).
"""

from __future__ import annotations

import re
from dataclasses import replace
from math import prod

from kernlint.checks import context, words
from kernlint.checks.context import Executed, Group
from kernlint.checks.occupancy_edges import lost
from kernlint.checks.shared_memory import padding
from kernlint.checks.shared_memory.merge_relief import relief
from kernlint.lowering.calls.intrinsics import lookup
from kernlint.model.facts import Access, Kernel
from kernlint.model.finding import Fix
from kernlint.source_model.declared_rows import RowLength, Rows
from kernlint.source_model.rewritable import cannot_move

SHORTEST = 16  # elements of a row of a flat array; what is shorter is an element of several words
FEW = 4  # elements of a padding that asks for no explanation
VECTORS = (8, 16)  # bytes that one access of a lane can move, beyond a word

ROWS_APART = "let neighbouring lanes access neighbouring words, or pad the rows of the array so that they start in different banks"
TUNE = "`kernlint tune FILE` compares it with other layouts (`--diff` prints a patch)"
TUNE_MAY = "`kernlint tune FILE` checks whether another layout is better overall"
MULTIPLE = "let lane t access element t + constant instead of a multiple of t"
OTHER_INDEX = "rearrange the index so that the lanes of a warp access different banks (unit or odd stride, or XOR the row into the column)"


def advice(worst: Executed, group: Group) -> tuple[str, Fix | None]:
    """What to do, and as an edit where longer rows do it. Every layout proposed was counted on all
    accesses to the array."""
    free = relief(worst, group.device)
    if free is None:
        return _advice(worst, group)
    if free.loop is not None:
        sure = f"{free.bytes} bytes at once in {words.counted(free.wavefronts, 'wavefront')}, the ideal"
        return (
            f"`#pragma unroll` above the loop on line {free.loop.line} makes nvcc access {sure}; no layout is better",
            None,
        )
    flat = (
        len(worst.access.object_shape) == 1
    )  # whether its uses stay in the rows they name is found out for edits alone
    told = other_index(worst, group) if flat else _advice(worst, group)[0]
    merged = f"if the compiler merges it into {free.bytes}-byte accesses (check the machine code for {_loads(worst.access, free.bytes)})"
    return f"{merged}, there is no conflict and no layout is better; otherwise, {told}", None


def _loads(access: Access, width: int) -> str:
    """`LDS.64` instead of `LDS`: the names of the machine's instructions."""
    name = "STS" if access.op == "store" else "LDS"
    size = {1: ".U8", 2: ".U16", 4: "", 8: ".64", 16: ".128"}
    return f"`{name}{size[width]}` instead of `{name}{size.get(access.bytes, '')}`"


def _advice(worst: Executed, group: Group) -> tuple[str, Fix | None]:
    access, kernel = padding.of_member(worst.access, worst.kernel)
    worst = replace(worst, access=access, kernel=kernel)
    if padding.request_of(access) is None:
        return ROWS_APART, None
    own = rows_of(access, kernel, group)
    if not access.object_shape:
        dynamic = _dynamic(access, worst, group)
        if dynamic:
            return dynamic, None
    found = padding.solved(
        access, worst.kernel, group.device, own.length if isinstance(own, Rows) else 0
    )
    if found.padding:
        told, fix = _padded(access, group, found.padding, own)
        return (f"{told}; or {_swizzled(access, found.swizzle)}" if found.swizzle else told), fix
    if found.swizzle:
        reason = own if isinstance(own, str) else cannot_move(own.uses.others, group.language)
        return (
            f"{_swizzled(access, found.swizzle)}; {f'by hand, since {reason}' if reason else TUNE}",
            None,
        )
    told = other_index(worst, group)
    if not isinstance(own, str) or not _is_bound(access, group):
        return told, None
    copies = (
        a
        for a in worst.kernel.accesses
        if a.op == "copy" and a.space == "shared" and a.object == access.object
    )
    copy = next((a for a in copies if _is_whole(a, group)), None)
    kept = f"{told}; no edit can lengthen the rows, since {own}"
    if copy is None:
        return kept, None
    return (
        f"{kept}; the copy on line {copy.span.line} fills a contiguous range: for another layout, let each thread copy its own elements",
        None,
    )


def _is_whole(copy: Access, group: Group) -> bool:
    """Whether the threads share one copy of a stretch, instead of each copying its own elements."""
    called = lookup(copy.text.partition("(")[0].strip(), group.language)
    return called is not None and called.operation == "collective"


def _is_bound(access: Access, group: Group) -> bool:
    """Whether other uses of a flat array than its indices keep it as it is."""
    span = access.object_span
    if len(access.object_shape) != 1 or not group.source.spells(span):
        return False
    return isinstance(group.source.uses(span, access.object, 1), str)


def rows_of(access: Access, kernel: Kernel, group: Group) -> Rows | str:
    """The rows of the accessed array in the source, or why no edit makes them longer."""
    span = access.object_span
    if span is None or "|" in access.object:
        return "the accessed array depends on the path taken"
    if span.path != group.file.path:
        return f"it is declared in {span.path}"
    if access.member is not None:
        return f"`{access.member.name[1:]}` is a member of a structure, which may be copied or sized elsewhere"
    if span.macro:
        return f"it is declared by the macro `{span.macro}`"
    if not access.object_shape:
        return "its size is given at the launch"
    return group.source.rows(span, access.object, access.object_shape, kernel)


def _dynamic(access: Access, worst: Executed, group: Group) -> str:
    """The advice of another pitch, or of longer rows in a pointer's type, for an array whose size
    the launch gives; "" where neither is named."""
    span = access.object_span
    if "|" in access.object or not group.source.spells(span):
        return ""
    typed = group.source.pointed_rows(span, access, worst.kernel)
    found = group.source.uses(span, access.object, 1)
    own = found if isinstance(found, str) else group.source.pitch(found)
    if typed is not None:
        text, number, where = typed.text, typed.number, f"the type of `{typed.pointer}`"
    elif isinstance(own, str) or own.count < len(
        own.sums
    ):  # what the others reach would have to move too, and how nobody said
        return ""
    else:
        text, number, where = (
            own.text,
            own.number,
            f"{words.plural(own.count, 'index', 'indices')} of `{access.object}`",
        )
    pad = padding.solved(access, worst.kernel, group.device, number).padding
    if pad is None:
        return ""
    grown = RowLength(span, text, is_factor=typed is None).grown(pad.elements)
    effect = "to make this access conflict-free"
    if pad.after > pad.ideal:
        effect = f"to cut this request from {words.mean(pad.before)} to {words.counted(pad.after, 'wavefront')}"
    more = f"{words.count(pad.elements * access.element_bytes)} bytes more per row, which the launch must provide"
    what = f"use {'a pitch' if typed is None else 'rows'} of `{grown}` instead of `{text}` in {where} ({more})"
    return f"{what} {effect}; by hand, since its size is given at the launch"


def other_index(worst: Executed, group: Group) -> str:
    """The advice for an array that has no rows to be made longer."""
    access = worst.access
    element = access.element_bytes
    if access.width_total > access.bytes and access.width_total in VECTORS:
        how = f"let `{access.object}` be an array of {access.width_total}-byte vectors (`float{access.width_total // 4}`)"
        return f"{how} instead of scalars, so that each lane moves its vector in one aligned access without conflict"
    if (
        element > access.bytes
        and access.object_shape
        and abs(context.lane_stride(access)) == element
    ):
        split = f"split the {element}-byte elements of `{access.object}` into one array per member"
        return f"{split}, so that neighbouring lanes access neighbouring words"
    gap = padding.skew(access, worst.kernel, group.device)
    pitch = _pitched(worst, group)
    if gap:
        how = pitch or (MULTIPLE if context.lane_stride(access) else OTHER_INDEX)
        return f"{how}{skewed(access.object, gap)}"
    if pitch:
        return pitch
    request = padding.request_of(access)
    return (_in_parts(access, request) if request is not None else "") or OTHER_INDEX


def _pitched(worst: Executed, group: Group) -> str:
    """The advice of another pitch where lanes lie in rows that only the index arithmetic knows, and
    every index of the array has that pitch; "" elsewhere, and where none frees this access."""
    access, element = worst.access, worst.access.element_bytes
    stride = abs(context.lane_stride(access))
    target = padding.request_of(access)
    if target is None or not element or stride % element or stride // element < SHORTEST:
        return ""
    alike = (a for a in worst.kernel.accesses if a.object_span == access.object_span)
    if not all(_has_pitch(a, stride) for a in alike):
        return ""
    row = stride // element
    everything = tuple(padding.requests_on(access, worst.kernel))
    pad = padding.smallest_padding(target, everything, stride, element, group.device)
    if pad is None or pad.after > pad.ideal:
        return ""
    return (
        f"lanes are {row} elements apart: give rows of {row} elements a pitch of {row + pad.elements} in the size and every index of "
        f"`{access.object}`, which frees this access"
    )


def skewed(name: str, gap: int) -> str:
    """The index of a skew. It serves the measured requests; whether it serves all of them is known
    once the file is analysed with it (`fixing/objections.py`)."""
    return f", or store element i at `{name}[i + i / {gap}]` (one unused element after every {gap})"


def _has_pitch(access: Access, stride: int) -> bool:
    """Whether the index is a row of so many bytes and a column."""
    sizes = [abs(t.coefficient) * access.index_bytes for t in access.index_terms if t.factors]
    return stride in sizes and all(size % stride == 0 or size < stride for size in sizes)


SKEW = re.compile(re.escape(skewed("NAME", 0)).replace("NAME", r"[^`\[]+").replace("0", r"\d+"))


def _repeating(access: Access) -> tuple[int, int]:
    """The distance in bytes between neighbouring lanes that begin anew after so many (`threadIdx.x
    % 16`); zeros where they do not."""
    lanes = access.example.lanes if access.example is not None else ()
    known = [offset for offset in lanes if offset is not None]
    if len(known) != len(lanes) or len(known) < 2:
        return 0, 0
    count = next((i for i in range(1, len(known)) if known[i] <= known[i - 1]), len(known))
    stride = known[1] - known[0]
    same = all(offset == known[0] + stride * (lane % count) for lane, offset in enumerate(known))
    return (stride, count) if same and stride > 0 and count < len(known) else (0, 0)


def _in_parts(access: Access, request: padding.BankRequest) -> str:
    """The advice for lanes whose merged accesses lie apart: an index rearranged word by word would
    undo the merge."""
    if access.as_compiled is not None and access.as_compiled.reason == words.FROM_MACHINE_CODE:
        return ""  # the accesses of a line may share its instructions
    stride, lanes = abs(context.lane_stride(access)), "threads"
    if not stride:
        stride, count = _repeating(access)
        lanes = str(count)
    if not request.merged or stride <= request.merged or stride % request.merged:
        return ""
    return (
        f"merged {request.merged}-byte accesses of neighbouring lanes are {stride} bytes apart: let neighbouring lanes access "
        f"neighbouring {request.merged}-byte parts (part p of lane t at p * {lanes} + t instead of "
        f"{stride // request.merged} * t + p) and adapt the array's other accesses; an index that changes within a part would "
        f"undo the merge; {TUNE_MAY}"
    )


def _swizzled(access: Access, found: padding.Swizzle) -> str:
    """The advice of an XOR of the row's number into the column."""
    unit, units = found.together, access.object_shape[-1] // found.together
    turn = "r" if found.down == 1 else f"r / {found.down}"
    row = f"({turn} % {units})" if unit == 1 else f"({turn} % {units} * {unit})"
    return (
        f"swizzle: store column c of row r of `{access.object}` at column `c ^ {row}`, in loads and stores alike, to make this "
        "access conflict-free without extra memory or cost to other accesses"
    )


def _padded(
    access: Access, group: Group, found: padding.Padding, own: Rows | str
) -> tuple[str, Fix | None]:
    effect = "to make this access conflict-free"
    if found.after > found.ideal or found.others_pay:
        effect = f"to cut this request from {words.mean(found.before)} to {words.counted(found.after, 'wavefront')}"
    if found.elements > FEW:
        effect += " (of the paddings that help, the one with the fewest wavefronts over all accesses to the array)"
    if found.comes_apart:
        effect += (
            f", although the compiler can then {_merging(*found.comes_apart, access)} (counted)"
        )
    elif found.others_pay:
        effect += ", although another access to the array then conflicts slightly"
    told = f"{lengthened(access, group, own, found.elements)} {effect}"
    too_much = _over_limit(group, _more_bytes(access, own, found.elements))
    if too_much:
        return f"{told}, but {too_much}", None
    if isinstance(own, str):
        return f"{told}; by hand, since {own}", None
    return told, padded(access.object, own, found.elements)


def padded(name: str, own: Rows, more: int) -> Fix:
    return Fix(
        "unsafe", f"Pad the rows of `{name}` by {words.plural(more, 'element')}", own.longer(more)
    )


def lengthened(access: Access, group: Group, own: Rows | str, more: int) -> str:
    """pad the rows by 1 element: `__shared__ float tile[32][33];` (128 bytes more): the declaration
    as it would read."""
    before = prod(access.object_shape) * access.element_bytes
    added = _more_bytes(access, own, more)
    size = f"{words.count(added)} bytes more"
    if 2 * added > before:
        size += f": {words.count(before + added)} instead of {words.count(before)}"
    places = lost(group, added)
    if places is not None:
        size += f", which leaves {words.plural(places[1], 'block')} per multiprocessor instead of {places[0]}"
    if isinstance(own, str):
        text = f"{access.object}{''.join(f'[{extent}]' for extent in (*access.object_shape[:-1], access.object_shape[-1] + more))}"
    else:
        text = own.declaration(more)
    uses = ""
    if isinstance(own, Rows) and own.named and len(own.places) > 1:
        now, then = own.places[1].text, own.places[1].grown(more)
        uses = (
            f" and `{then}` for `{now}` in {words.plural(len(own.places) - 1, 'index', 'indices')}"
        )
    return f"pad the rows by {words.plural(more, 'element')}: `{text}`{uses} ({size})"


def _more_bytes(access: Access, own: Rows | str, more: int) -> int:
    count = own.count if isinstance(own, Rows) else prod(access.object_shape[:-1])
    return count * more * access.element_bytes


def _merging(now: int, then: int, access: Access) -> str:
    if then <= access.bytes:
        return "no longer merge neighbouring words of a row"
    return f"merge neighbouring words of a row into at most {then} bytes instead of {now}"


def _over_limit(group: Group, more: int) -> str:
    """What arrays of fixed size would take with so many bytes more, where that is over the device's
    limit; else ""."""
    limit = group.device.limits.get("shared_per_block")
    total = max(kernel.static_shared_bytes for kernel in group.kernels) + more
    if limit is None or total <= limit:
        return ""
    return f"the kernel would not compile: {words.count(total)} bytes of static arrays, the limit is {words.count(limit)}"
