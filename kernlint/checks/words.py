"""Numbers, launches and lanes in words, the same in every message. Goes in: facts. Comes out: text.
Never decides anything."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from kernlint.launches.argument_types import written
from kernlint.model.facts import (
    AS_STATED,
    EXCEEDS,
    IN_ONE_ROW,
    NOT_NULL,
    UNWRITTEN,
    Access,
    Barrier,
    Case,
    Compiled,
    Counts,
    Evaluated,
    Kernel,
    Launch,
    MachineCode,
    Number,
    PointerArgument,
)
from kernlint.model.reasons import REASONS

if TYPE_CHECKING:
    from kernlint.hardware import Device

_BLOCK = re.compile(r"(?:block|work-group) \S+ is assumed")
_FROM = re.compile(r"(?:block|work-group) \S+ from .*")
# assumptions about the values of arguments
_TAKEN = re.compile(
    rf"(.+?)(?:{re.escape(EXCEEDS)}|{re.escape(IN_ONE_ROW)}| is large| is not 0|{NOT_NULL})"
)
_ARGUMENT = re.compile(r"[A-Za-z_]\w*(?:\.\w+)*")  # as `--arg` takes it
LINES = 8  # line numbers of a list that are spelled out


def count(value: Number) -> str:
    """65,536; a fraction with two digits; whole numbers without a point."""
    return f"{int(value):,}" if float(value).is_integer() else f"{value:,.2f}"


def mean(value: float) -> str:
    """32, 4.25, 1.03: as few digits as say what matters."""
    rounded = f"{value:,.2f}".rstrip("0").rstrip(".")
    return rounded if rounded != "1" or value == 1 else f"{value:,.4f}".rstrip("0").rstrip(".")


def plural(number: Number, word: str, words: str = "") -> str:
    return f"{count(number)} {word if number == 1 else words or word + 's'}"


def machine_code(code: MachineCode) -> str:
    """32 registers, 96 bytes of stack, 410 instructions (nvcc 13.0.88, sm_90)"""
    mix = code.instructions
    total = sum(getattr(mix, each.name) for each in fields(mix))
    parts = [plural(code.registers, "register")]
    parts += [f"{plural(code.stack_bytes, 'byte')} of stack"] if code.stack_bytes else []
    parts += [f"{plural(code.spilled_bytes, 'byte')} spilled"] if code.spilled_bytes else []
    parts += [plural(total, "instruction")]
    return f"{', '.join(parts)} ({code.read_from})"


def counted(value: float, unit: str) -> str:
    """1 wavefront, 4.25 wavefronts: a mean with its unit."""
    return f"{mean(value)} {unit}{'' if value == 1 else 's'}"


def in_case(case: Case, space: str) -> str:
    """4 sectors; between 4 and 6 sectors: what an access of a memory space counts."""
    one, several = UNITS[space]
    if case.least == case.most:
        return f"{mean(case.least)} {one if case.least == 1 else several}"
    return f"between {mean(case.least)} and {mean(case.most)} {several}"


def spread(counts: Counts, bounds: bool = True, written: bool = False) -> str:
    """The mean, with the extremes where requests differ. Where it is only known to a range (and
    `bounds`), the bounds alone: a mean over what the unknown may be says nothing of what it is.
    `written`: the mean is of the access as written, which the compiler may change."""
    text, low, high = mean(counts.mean), mean(counts.mean_low), mean(counts.mean_high)
    if bounds and low != high:
        between = f"between {low} and {high}"
        return f"{text} ({between})" if written else between
    return text if counts.min == counts.max else f"{text} ({counts.min} to {counts.max})"


def per(counts: Counts, unit: str, bounds: bool = True) -> str:
    """1 wavefront, 4.25 (1 to 8) wavefronts."""
    text = spread(counts, bounds)
    return f"{text} {unit}{'' if text == '1' else 's'}"


def share(part: float, whole: float) -> str:
    """A percentage; never 0 % or 100 % unless it is exactly that."""
    value = 100 * part / whole
    shown = f"{value:.3g}"
    return f"{value:.5g} %" if shown == "100" and part != whole else f"{shown} %"


def parted(found: Evaluated | None) -> str:
    """0 to 1: in how many evaluations lanes disagree, where an unknown decides; ? where nothing is
    known."""
    if found is None or found.divergent_low is None or found.divergent_high is None:
        return "?"
    return f"{count(found.divergent_low)} to {count(found.divergent_high)}"


def size(dims: Sequence[int]) -> str:
    """64x64, 256, 4x4x4: trailing ones dropped."""
    parts = list(dims)
    while len(parts) > 1 and parts[-1] == 1:
        parts.pop()
    return "x".join(map(str, parts))


def bytes_of(value: float) -> str:
    """1,024 bytes, 12.5 KiB, 64 MiB."""
    for unit, scale in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        is_whole = value % scale == 0 and scale > 2**10
        if value >= scale * (1 if is_whole else 10):
            return f"{mean(round(value / scale, 1))} {unit}"
    return f"{count(round(value))} bytes"


def instead(now: float, best: float) -> str:
    """17.8 MiB instead of 5.93 MiB: bytes, both in the unit that the smaller one is told in."""
    return " instead of ".join(alike(now, best))


def alike(*values: float) -> list[str]:
    """Bytes in one unit, that of the smallest."""
    for unit, scale in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if min(values) >= scale * (1 if scale > 2**10 else 10):
            return [f"{mean(value / scale)} {unit}" for value in values]
    return [f"{count(round(value))} bytes" for value in values]


def not_counted(entry: Kernel) -> str:
    """what `wait` accesses (line 11), what `wgmma.mma_async` accesses (lines 30, 42); 6 other
    accesses listed"""
    parts = [text.rpartition(" (")[::2] for text in entry.not_counted]
    told = ", ".join(f"what `{name}` accesses ({lines}" for name, lines in parts)
    listed = len(entry.accesses)
    return f"{told}; {listed} other access{'' if listed == 1 else 'es'} listed"


def undefined(entry: Kernel, names: Sequence[str]) -> list[str]:
    """Those of the names that no file seen defines: no arguments, and no variables that depend on
    some."""
    return [name for name in names if name in entry.undefined]


def giving(entry: Kernel, names: Sequence[str], headers: str = "", best: str = "") -> str:
    """How to give the value of an argument, or of a name that no analysed file defines (a macro of
    a header). `headers`: those not found. `best`: a condition that is worth stating."""
    unseen = undefined(entry, names)
    if unseen:
        return f"define `{unseen[0]}` (`-D {unseen[0]}=…`, or `-I DIR` for its header{headers})"
    arguments = {parameter.name for parameter in entry.parameters}
    name = next((name for name in names if name in arguments), "NAME")
    best = best if best.startswith(f"{name} ") else f"{name} % 32 == 0"
    return f"pass its value (`--arg {name}=…`), or state a property above the kernel (`// kernlint: assume({best})`)"


def kernel(entry: Kernel) -> str:
    """The kernel as the user would call it: qualified name and template arguments."""
    arguments = f"<{', '.join(entry.template_arguments)}>" if entry.template_arguments else ""
    return f"{entry.qualified_name or entry.name}{arguments}"


def launch(entry: Launch) -> str:
    """grid 64x64, block 32x8, n = 1024 (launch at line 88)"""
    if entry.grid is None:
        return f"block {size(entry.block)} ({block_origin(entry)}), grid unknown"
    shared = (
        f", {count(entry.dynamic_shared_bytes)} bytes of dynamic shared memory"
        if entry.dynamic_shared_bytes
        else ""
    )
    block = f"block {size(entry.block)}{' (assumed)' if entry.block_assumed else ''}"
    cluster = f", cluster {size(entry.cluster)}" if entry.cluster else ""
    return f"grid {size(entry.grid)}, {block}{cluster}{shared}{arguments(entry)} ({entry.origin})"


def block_origin(entry: Launch) -> str:
    """from the launch at line 88; assumed: threadIdx.y is used"""
    if entry.block_origin and not entry.block_assumed:
        return f"from {entry.block_origin}"
    origin = entry.block_origin
    why = origin.partition(" (")[2].removesuffix(")") if " (" in origin else origin
    why = "" if why == "kernlint's assumption" else why
    return f"assumed: {why}" if why else "assumed"


def of_launch(assumption: str) -> bool:
    """Whether it is what a remark about the launch says: where the block is from."""
    return _FROM.fullmatch(assumption) is not None


def worst(affected: int, launches: int) -> str:
    """Which of a kernel's launches a finding's numbers are of."""
    if affected == 1:
        return f"1 of {launches} launches is affected"
    return f"{affected} of {launches} launches are affected; this is the worst"


def arguments(entry: Launch) -> str:
    shown = [
        (name, value)
        for name, value in entry.arguments.items()
        if not isinstance(value, PointerArgument) or value.offset_bytes
    ]
    known = [f"{name} = {written(value)}" for name, value in shown]
    more = (
        f", … {len(known) - 4} more argument{'' if len(known) == 5 else 's'}"
        if len(known) > 4
        else ""
    )
    return "".join(f", {text}" for text in known[:4]) + more


def lanes(numbers: Iterable[int]) -> str:
    """0-31, or 0, 4, 8, … 28 by steps, or the first few."""
    some = sorted(numbers)
    if len(some) == 1:
        return f"lane {some[0]}"
    steps = {b - a for a, b in pairwise(some)}
    if steps == {1}:
        return f"lanes {some[0]}-{some[-1]}"
    if len(steps) == 1 and len(some) > 4:
        return f"lanes {some[0]}, {some[1]}, {some[2]}, … {some[-1]}"
    return "lanes " + ", ".join(map(str, some[:6])) + (", …" if len(some) > 6 else "")


FORMULA = "T(i, w, c)"
TERMS = "i instructions, w warps, c wavefronts per request"
CONSTANTS = "timing.c1"  # the figure whose source is that of the constants
_BORROWED = re.compile(r"\bassumed from ([\w-]+)")


def by_model(device: Device) -> str:
    """by T(i, w, c) of NVIDIA H100: what a figure in cycles comes from, and whose constants those
    are where nobody measured the device's; a run tells the constants once."""
    borrowed = _BORROWED.search(device.sources.get(CONSTANTS, ""))
    if borrowed is None:
        return f"by {FORMULA} of {device.title}"
    from kernlint.hardware import names, resolve

    owner = resolve(borrowed[1]).title if borrowed[1] in names() else borrowed[1]
    return f"by {FORMULA} of {owner}, assumed for {device.title}"


def model(device: Device) -> str:
    """T(i, w, c) = 1.05·i·w·c + 338 for H100 (constants: …): the model with its constants and their
    source."""
    source = device.sources.get(CONSTANTS, "no source")
    return (
        f"{FORMULA} = {device.c1:g}·i·w·c + {device.c2:g} for {device.title} (constants: {source})"
    )


def assuming(assumptions: Iterable[str]) -> list[str]:
    """Assumptions as remarks, what holds of several sizes in one; facts that say themselves that
    they are assumed stand as they are."""
    alike: dict[str, dict[str, None]] = {}
    for text in assumptions:
        ending = next((ending for ending in TOGETHER if text.endswith(ending)), "")
        names = text.removesuffix(ending).split(", ") if ending else [text]
        alike.setdefault(ending or text, {}).update(dict.fromkeys(names))
    found = [_of_all(list(names), ending) for ending, names in alike.items()]
    return [_remark(text) for text in found]


def _remark(text: str) -> str:
    if text.endswith(AS_STATED):
        return f"given {text.removesuffix(AS_STATED)}"
    return text if "assum" in text else f"assuming {text}"


def resting(assumptions: Iterable[str], notes: Iterable[str] = ()) -> str:
    """What a finding's number rests on, in one remark: the launch, sizes, types; which guards are
    taken to hold last. "" for nothing. `notes`: one about the launch may say of the block already
    that it is assumed."""
    if any(note.startswith("launch: ") and "(assumed" in note for note in notes):
        assumptions = (text for text in assumptions if not _BLOCK.fullmatch(text))
    texts = list(assumptions)
    stated = [text.removesuffix(AS_STATED) for text in texts if text.endswith(AS_STATED)]
    alike: dict[tuple[int, str], dict[str, None]] = {}
    for text in (text for text in texts if not text.endswith(AS_STATED)):
        found = next(
            (m for m in (pattern.fullmatch(text) for pattern in ALIKE) if m is not None), None
        )
        names, ending = (
            (found[1].split(", "), found[2])
            if found is not None
            else ([text.removesuffix(" is assumed")], "")
        )
        alike.setdefault((_rank(text), ending), {}).update(dict.fromkeys(names))
    told = [
        _said_of(list(names), ending)
        for (_, ending), names in sorted(alike.items(), key=lambda entry: entry[0][0])
    ]
    rests = [f"assuming {'; '.join(told)}"] if told else []
    rests += [f"given {listed(stated)}"] if stated else []
    return "; ".join(rests)


ALIKE = (  # assumptions of which those that differ in the name alone are told together
    re.compile(rf"(.+)({re.escape(EXCEEDS)})"),
    re.compile(r"(\S+)( is large)"),
    re.compile(rf"(.+)({re.escape(IN_ONE_ROW)})"),
    re.compile(rf"(\S+)({NOT_NULL})"),
    re.compile(r"(\w+)( is [\w:]+)"),
)
PLURAL = {
    EXCEEDS: " exceed every index compared with them",
    IN_ONE_ROW: " are large: a warp stays within one row of each",
}
LAST = (NOT_NULL, EXCEEDS)  # of guards


def _rank(text: str) -> int:
    ending = next((place for place, ending in enumerate(LAST, 3) if text.endswith(ending)), 0)
    return ending or (0 if text.startswith("block ") else 1 if " is large" in text else 2)


def _said_of(names: list[str], ending: str) -> str:
    if not ending:
        return "; ".join(names)
    some = (
        listed(names)
        if len(names) <= NAMED
        else f"{', '.join(names[: NAMED - 1])} and {len(names) - NAMED + 1} more"
    )
    return some + (
        ending if len(names) == 1 else PLURAL.get(ending) or ending.replace(" is ", " are ", 1)
    )


NAMED = 4  # names of a list that are spelled out
TOGETHER = {**PLURAL, " is large": " are large"}  # of one size, of several


def _of_all(names: list[str], ending: str) -> str:
    """An assumption about so many sizes; one that is about none in particular stands as it is."""
    return (
        ending
        if ending not in TOGETHER
        else f"{listed(names)}{ending if len(names) == 1 else TOGETHER[ending]}"
    )


def listed(names: Sequence[str]) -> str:
    """n; n and m; n, m and k"""
    return " and ".join((", ".join(names[:-1]), names[-1])) if len(names) > 1 else names[0]


def lines(numbers: Sequence[int]) -> str:
    """line 7; lines 5, 7, 12, …"""
    shown = ", ".join(map(str, numbers[:LINES])) + (", …" if len(numbers) > LINES else "")
    return f"{'line' if len(numbers) == 1 else 'lines'} {shown}"


def reached(barrier: Barrier) -> str:
    """Whether everyone comes to a barrier."""
    who = {
        True: "all running threads arrive",
        False: "some running threads do NOT arrive",
        None: "unknown whether all running threads arrive",
    }
    return who[barrier.uniform] + (", some have already returned" if barrier.after_exit else "")


UNITS = {  # of what counts an access of a memory space, one and several
    "shared": ("wavefront", "wavefronts"),
    "constant": ("pass", "passes"),  # of the constant cache
    "global": ("sector", "sectors"),
    "local": ("sector", "sectors"),
}


def counter(entry: Access | Compiled, space: str) -> Counts | None:
    """What counts an access of a memory space, in `UNITS`."""
    return entry.wavefronts if space in ("shared", "constant") else entry.sectors


NOTHING = {  # what the compiler made of an access that has no request of its own left
    "merged": "merged into a neighbouring access: no request of its own",
    "forwarded": "forwarded: the value is still in a register, no request",
    "eliminated": "eliminated: no request",
    "in-registers": "in registers: no request",
}


SUNK = "sunk into the branch that needs its value"
FROM_MACHINE_CODE = "machine-code"  # the reason of what machine code says
HOW = {"sunk": SUNK, FROM_MACHINE_CODE: "read from machine code"}


def changed(reason: str, width: int, written: int) -> str:
    """merged into 16-byte accesses; `width` of each lane's access, `written` as in the source"""
    if reason == FROM_MACHINE_CODE:
        return f"{width}-byte accesses, {HOW[FROM_MACHINE_CODE]}"
    return f"{reason} into {width}-byte accesses" if width != written else reason


def compiled(found: Compiled, space: str) -> str:
    """merged: 16 bytes, 512 requests, 8 wavefronts per request instead of 4"""
    if found.requests == 0:
        return NOTHING.get(found.reason, f"{found.reason}: no request of its own")
    counts = counter(found, space)
    per = (
        ""
        if counts is None
        else f", {per_request(counts, space)} per request instead of {mean(counts.ideal)}"
    )
    known, over = (
        (found.per_block, " per block") if found.requests is None else (found.requests, "")
    )
    times = "" if known is None else f", {plural(known, 'request')}{over}"
    further = (
        f"; if unrolled further, {compiled(found.wider, space)}" if found.wider is not None else ""
    )
    how = HOW.get(found.reason, found.reason)
    return f"{how}: {plural(found.bytes, 'byte')}{times}{per}{further}"


def per_request(counts: Counts, space: str) -> str:
    text = spread(counts)
    return f"{text} {UNITS[space][text != '1']}" if space in UNITS else text


def requests(access: Access) -> str:
    """65,536, or 8 per block where the number of blocks is not known."""
    if access.requests is not None:
        return count(access.requests)
    return "?" if access.per_block is None else f"{count(access.per_block)} per block"


UNROLLED = "no such branch in the machine code: nvcc unrolls the loop fully"


def active_lanes(access: Access) -> str:
    """32, 17.5, or 1 to 32 where data decides which lanes take part; "" where they are not
    known."""
    if access.active_lanes is None:
        return ""
    return (
        mean(access.active_lanes)
        if access.fewest_lanes is None
        else f"{mean(access.fewest_lanes)} to {mean(access.active_lanes)}"
    )


def index(access: Access) -> list[str]:
    """index = 8*threadIdx.x: a remark, none where kernlint cannot write it down."""
    return [f"index = {access.index}"] if access.index not in ("", UNWRITTEN) else []


def index_unit(access: Access) -> str:
    """in elements of 4 bytes: what the index counts; members of structs and vectors are counted in
    units of their own. "" for none."""
    size = access.index_bytes
    what = "elements" if size == access.element_bytes else "units"
    return f"in {what} of {plural(size, 'byte')}" if size else ""


def as_known(access: Access, counts: Counts) -> str:
    """1 wavefront, 4 (between 0 and 8) sectors, 2 wavefronts where it runs: what is known of an
    access."""
    number, where = number_known(access, counts)
    return f"{number} {UNITS[access.space][number != '1']}{where}"


def number_known(access: Access, counts: Counts) -> tuple[str, str]:
    """What one request counts, and ` where it runs` where a condition decides whether all of its
    lanes make it or none."""
    decided = access.conditional and not access.parted and counts.mean_low == 0 < counts.min
    if decided and access.reason != "compiler":
        return spread(replace(counts, mean_low=float(counts.min))), " where it runs"
    return spread(counts, written=access.reason == "compiler"), ""


def why(access: Access, entry: Kernel | None = None) -> str:
    """Why the numbers are not exact; "" when they are. `entry`: for the option that gives an
    argument's value."""
    if access.status == "exact" or not access.reason:
        return ""
    return because(access.reason, access.detail, access.assumptions, entry)


def because(
    reason: str, detail: str, assumptions: Iterable[str] = (), entry: Kernel | None = None
) -> str:
    """A reason with what it is about."""
    if reason == "unknown-argument":
        names = [detail] if detail else _taken(assumptions)
        return _of_arguments(names, entry) if names else REASONS[reason]
    text = REASONS.get(reason, reason)
    return f"{text}: {detail}" if detail else text


def _taken(assumptions: Iterable[str]) -> list[str]:
    """What the values that are assumed belong to."""
    found = (m for text in assumptions if (m := _TAKEN.fullmatch(text)) is not None)
    return list(dict.fromkeys(name for match in found for name in match[1].split(", ")))


def _of_arguments(names: Sequence[str], entry: Kernel | None) -> str:
    known = {parameter.name for parameter in entry.parameters} if entry is not None else set()
    told = f"depends on {listed([f'`{name}`' for name in names])}, whose value{'' if len(names) == 1 else 's'}"
    options = [f"`--arg {name}=…`" for name in names if _given(name) in known]
    remedy = f" ({', '.join(options)})" if options else ""
    return f"{told} {'is' if len(names) == 1 else 'are'} unknown{remedy}"


def _given(name: str) -> str:
    """The parameter of an argument or of a member of one, as `--arg` takes them."""
    return name.partition(".")[0] if _ARGUMENT.fullmatch(name) else ""


def not_exact(access: Access, entry: Kernel) -> list[str]:
    """Why the numbers are not exact, as a note; none where the note about the launch says it."""
    told = entry.launch.grid is None or entry.launch.block_assumed
    if access.reason == "unknown-launch" and told:
        return []
    text = why(access, entry)
    return [f"not exact: {text}"] if text else []
