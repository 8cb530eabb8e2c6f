"""Edits against faults and races: a barrier where one is missing, the bytes of a launch, a guard.

Goes in: a race, or a fault, of a kernel in the file's own text. Comes out: an edit, or None where the
text does not surely say what it would do. Whether the edit helps is for `fixing/fault_trials.py`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from kernlint.base.span import Span
from kernlint.checks.context import Group
from kernlint.model.facts import Fault, Kernel, PointerArgument, Race
from kernlint.model.finding import Edit, Fix
from kernlint.source_model.model import SourceModel

UNSAFE = "unsafe"
COMPARE = "Compare by"  # begins what is said of a guard that is put right
# by scope and language; OpenCL's names the memory that it orders
BARRIERS = {
    ("cluster", "cuda"): "cluster.sync()",
    ("cluster", "opencl"): "cluster.sync()",
    ("block", "cuda"): "__syncthreads()",
    ("warp", "cuda"): "__syncwarp()",
    ("block", "opencl"): "barrier({flag})",
    ("warp", "opencl"): "sub_group_barrier({flag})",
}
OFFERED = {("block", "cuda"), ("block", "opencl"), ("warp", "cuda")}  # as an edit
SIZES = {"char": 1, "short": 2, "int": 4, "float": 4, "unsigned": 4, "double": 8}
SIZES |= {"int2": 8, "float2": 8, "int4": 16, "float4": 16}
# an index that changes nothing and needs no brackets in a comparison
PLAIN = re.compile(r"(?:[\w\s.*/%]|\+(?!\+)|-(?![->]))+")
LAUNCH_SIZES = 2  # of `<<<grid, block, bytes>>>`, before the bytes


def flag_of(race: Race) -> str:
    """What a barrier of OpenCL names to order the memory that threads race on."""
    return "CLK_LOCAL_MEM_FENCE" if race.space == "shared" else "CLK_GLOBAL_MEM_FENCE"


def barrier_call(race: Race, language: str) -> str:
    """That orders the accesses of a race within a block or warp."""
    return BARRIERS[race.scope, language].format(flag=flag_of(race))


def barrier(race: Race, group: Group) -> Fix | None:
    """Between the accesses; at the end of the loop in whose next iteration the later one is; in one
    statement, between what it reads and what it writes."""
    is_offered = (race.scope, group.language) in OFFERED
    in_warp_only = race.scope == "warp" and race.space != "shared"
    if not is_offered or in_warp_only or not _is_own(group, race.span, race.other):
        return None
    source, told = group.source, f"`{barrier_call(race, group.language)}`"
    call = f"{barrier_call(race, group.language)};"
    if is_of_next_iteration(race):
        edit = source.loop_end(race.span, race.loop, call)
        how = f"Put {told} at the end of the loop"
    elif edit := _in_order(race, source, call):
        is_within = race.other.line == race.span.line
        where = "between the statements of" if is_within else "before"
        how = f"Put {told} {where} line {edit.span.line}"
    elif race.other.line < race.span.line:
        return None
    else:
        edit = _split(race, group, call)
        how = f"Read into a variable, put {told}, then write"
    return None if edit is None else Fix(UNSAFE, how, (edit,))


def _in_order(race: Race, source: SourceModel, call: str) -> Edit | None:
    """Between two statements, of which the earlier access is in the first."""
    one, other = race.other, race.span
    is_earlier = (one.line, one.column) < (other.line, other.column)
    return source.statement_between(one, other, call) if is_earlier else None


def is_of_next_iteration(race: Race) -> bool:
    """Two names of one array in one statement are the buffers of two iterations."""
    if race.loop is not None or not race.in_loop:
        return race.loop is not None
    if race.span.line != race.other.line or race.space != "shared":
        return False
    names = {base_name(race.text), base_name(race.other_text)}
    return len(names) > 1 and not any("(" in name for name in names)


def base_name(text: str) -> str:
    """The name that an access begins with; of a call, all up to its first subscript."""
    return text.lstrip("*(&").partition("[")[0]


def _split(race: Race, group: Group, call: str) -> Edit | None:
    if {race.op, race.other_op} != {"read", "write"}:
        return None
    type_ = _element_type(race.object, race.object_span, group)
    if not type_ and group.language != "cuda":
        return None
    return group.source.split(race.span, call, type_ or "auto")


def launch_bytes(kernel: Kernel, fault: Fault, group: Group) -> Fix | None:
    """The third argument of `kernel<<<grid, block, bytes>>>`."""
    launch = kernel.launch.span
    if launch is None or not _is_own(group, launch):
        return None
    given = group.source.launch_arguments(launch)
    if len(given) < LAUNCH_SIZES:
        return None
    third = given[LAUNCH_SIZES].text if len(given) > LAUNCH_SIZES else ""
    content = _bytes(kernel, fault, group, given[1].text, third)
    if third:
        edit = Edit(given[LAUNCH_SIZES].span, content)
    else:
        end = given[1].span
        at = Span(end.path, end.end_line, end.end_column, end.end_line, end.end_column)
        edit = Edit(at, f", {content}")
    return Fix(UNSAFE, f"Give `{content}` as the launch's third argument", (edit,))


def _bytes(kernel: Kernel, fault: Fault, group: Group, block: str, third: str) -> str:
    """`(block + 2) * sizeof(float)` where the block is a name, else a number of elements, else of
    bytes."""
    needed, width = fault.high + 1, fault.element_bytes
    element = _element_type(fault.object, fault.object_span, group)
    if SIZES.get(element) != width or needed % width:
        return str(needed)
    count = needed // width
    size = f" * sizeof({element})"
    if third and fault.size == count:
        return f"{third if third.isidentifier() or third.isdecimal() else f'({third})'}{size}"
    x, y, z = kernel.launch.block
    if y * z > 1 or not _is_number(block, kernel, group):
        return f"{count}{size}"
    if count % x == 0:
        return f"{block}{size}" if count == x else f"{count // x} * {block}{size}"
    return f"({block} + {count - x}){size}" if x < count < 2 * x else f"{count}{size}"


def _element_type(name: str, declaration: Span | None, group: Group) -> str:
    """The word for it in the declaration of a plain array; "" for others than the usual ones."""
    declared = group.source.quoted(declaration)
    found = re.search(r"(\w*)\s*\b(\w+)\s+" + re.escape(name) + r"\s*\[", declared)
    if found is None or found[1] in ("unsigned", "signed", "long"):
        return ""
    return found[2] if found[2] in SIZES else ""


def _is_number(block: str, kernel: Kernel, group: Group) -> bool:
    """Whether a block is written as a name of an integer (not of a `dim3`)."""
    launch = kernel.launch.span
    return launch is not None and block.isidentifier() and group.source.is_integer(block, launch)


def guard(hits: Sequence[tuple[Kernel, Fault]], fault: Fault, group: Group) -> Fix | None:
    """`if (i < n)` around a plain statement, or in the `if` that it is the only branch of; a guard
    that is wrong by one, put right. `hits`: what the condition has to hold for."""
    if fault.calls or not _is_own(group, fault.span):
        return None
    index = _index(fault, group)
    bound = _bound(hits, fault, group) if index else ""
    if not bound:
        return None
    needs = [f"{index} >= 0"] if any(own.low < 0 for _, own in hits) else []
    needs += [f"{index} < {bound}"] if any(own.high >= own.size for _, own in hits) else []
    condition = " && ".join(needs)
    if condition == f"{index} < {bound}":
        around = {f"{index}<={bound}": condition, f"{bound}>={index}": f"{bound} > {index}"}
        before = {
            f"{index}>{bound}": f"{index} >= {bound}",
            f"{bound}<{index}": f"{bound} <= {index}",
        }
        found = group.source.corrected(fault.span, names(f"{index} {bound}"), around, before)
        if found is not None and all(_is_all_at_fault(k, found.over) for k, _ in hits):
            return Fix(UNSAFE, f"{COMPARE} `{found.edit.content}`", (found.edit,))
    added = group.source.guarded(fault.span, condition)
    if added is None or any(_fills_shared(kernel, added.over) for kernel, _ in hits):
        return None
    return Fix(UNSAFE, f"Guard the statement by `{condition}`", (added.edit,))


def comparison(fix: Fix | None) -> str:
    """What the edit makes of a guard that is wrong by one; "" where it adds a condition."""
    return fix.edits[0].content if fix is not None and fix.message.startswith(COMPARE) else ""


def names(text: str) -> set[str]:
    return set(re.findall(r"[A-Za-z_]\w*", text))


def _is_all_at_fault(kernel: Kernel, over: Span) -> bool:
    """Whether threads past the end may leave these statements out: all that they write there lies
    outside, and no thread waits for another there."""
    outside = {fault.span for fault in kernel.faults if fault.kind == "outside"}
    written = [a for a in kernel.accesses if a.op != "load" and _is_in(over, a.span, *a.calls)]
    waits = any(_is_in(over, barrier.span, *barrier.calls) for barrier in kernel.barriers)
    return not waits and all(a.span in outside for a in written)


def _fills_shared(kernel: Kernel, over: Span) -> bool:
    """Whether these statements give shared memory in bounds its values. Threads that leave them out
    would leave it without: it needs a neutral value there, which the text does not tell."""
    outside = {fault.span for fault in kernel.faults if fault.kind == "outside"}
    return any(
        access.space == "shared" and access.op != "load" and access.span not in outside
        for access in kernel.accesses
        if _is_in(over, access.span, *access.calls)
    )


def _is_in(over: Span, *places: Span) -> bool:
    begin, end = (over.line, over.column), (over.end_line, over.end_column)
    return any(over.path == one.path and begin <= (one.line, one.column) < end for one in places)


def _index(fault: Fault, group: Group) -> str:
    """The only subscript of an access to the object by its name; "" where it is not plain."""
    subscripts = re.findall(
        rf"\b{re.escape(fault.object)}\s*\[([^\[\]]+)\]", group.source.quoted(fault.span)
    )
    is_plain = len(subscripts) == 1 and PLAIN.fullmatch(subscripts[0])
    return subscripts[0].strip() if is_plain else ""


def _bound(hits: Sequence[tuple[Kernel, Fault]], fault: Fault, group: Group) -> str:
    """The extent in the array's declaration; the one argument that gives the number of elements of
    the allocation in all launches."""
    width = fault.element_bytes
    if not width or fault.size % width:
        return ""
    pointed = [kernel.launch.arguments.get(fault.object) for kernel, _ in hits]
    if fault.space != "global" or not all(isinstance(one, PointerArgument) for one in pointed):
        declared = group.source.quoted(fault.object_span)
        found = re.search(
            rf"\b{re.escape(fault.object)}" + r"\s*\[([^\[\]]+)\]\s*(?:$|[=;,])", declared
        )
        return found[1].strip() if found else ""
    names = [
        {
            name
            for name, value in _arguments(kernel, own).items()
            if isinstance(value, int) and value * width == own.size
        }
        for kernel, own in hits
    ]
    common = set[str].intersection(*names)
    return common.pop() if len(common) == 1 else ""


def _arguments(kernel: Kernel, fault: Fault) -> Mapping[str, int | float | PointerArgument]:
    """Those of the launch, or of the example of it that shows the fault."""
    made = [one for one in kernel.launch.examples if one.wording == fault.detail]
    return made[0].arguments if made else kernel.launch.arguments


def _is_own(group: Group, *places: Span) -> bool:
    """Whether the file's own text spells these places, and not a string in it."""
    if group.language not in ("cuda", "opencl"):
        return False
    source = group.source
    return all(source.spells(place) and not source.is_quoted(place) for place in places)
