"""How one number comes about: index, lanes, addresses, banks or sectors, for every access and
branch of a line.

Goes in: facts, a line, the device. Comes out: text that a person can check by hand. Never counts in
another way than the hardware model does: the table shows the addresses that were counted.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator

from kernlint.base.span import Span
from kernlint.checks import dialect, words
from kernlint.checks.shared_memory.bank_conflicts import crowded_bank
from kernlint.hardware import Device, constant_word, resolve
from kernlint.model import facts
from kernlint.render import branch_map, fault_drawings, fault_maps, lane_map, terminal_map
from kernlint.render.style import Style

LARGE = re.compile(r"\d{8}")  # a bound that only a type's range makes
# of the table of lanes; else sector and line
HEADS = {"shared": ("bank", "word"), "constant": ("word",)}
# spaces whose banks, sectors and lines, or words a drawing shows
DRAWN = (
    "shared",
    "global",
    "local",
    "constant",
)
PAIRS = 2  # racing accesses of a line that are drawn


def render(report: facts.Report, line: int, style: Style, drawn: bool = False) -> str:
    """Every access and branch on the line, launch by launch; where there is none the accesses of
    what the line declares, else a sentence. `drawn`: maps instead of lanes in a table."""
    lines: list[str] = []
    for file in report.files:
        device = resolve(report.device_of(file))
        for kernel in file.kernels:
            lines += _faults(kernel, dialect.of(kernel, file), line, style)
            for access in kernel.accesses:
                if _on(access.span.line, access.span.end_line, line) or access.charged_line == line:
                    lines += [
                        *_access(access, kernel, dialect.of(kernel, file), device, style, drawn),
                        "",
                    ]
            for branch in kernel.branches:
                if branch.span.line == line:
                    lines += [*_branch(branch, kernel, dialect.of(kernel, file), style, drawn), ""]
    if not lines:
        lines = list(_declared(report, line, style, drawn))
    if not lines:
        lines = [f"no memory access or branch on line {line}; lines with facts: {_lines(report)}"]
    return "".join(style.plain(text).rstrip() + "\n" for text in lines)


def _faults(kernel: facts.Kernel, language: str, line: int, style: Style) -> Iterator[str]:
    """What is at fault on a line, and the races that an access on it takes part in."""
    for fault in kernel.faults:
        if fault.span.line == line:
            yield from _fault(fault, kernel, language, style)
    drawn = fault_maps.shown(kernel, line)
    for race in drawn[:PAIRS]:
        yield from _race(race, kernel, language, style)
    if len(drawn) > PAIRS:
        yield f"{words.plural(len(drawn) - PAIRS, 'more pair')} of accesses on line {line} may race in {words.kernel(kernel)}"
        yield ""


def _fault(fault: facts.Fault, kernel: facts.Kernel, language: str, style: Style) -> Iterator[str]:
    say = dialect.speaker(language)
    what = f"{fault.text} {say(fault_maps.fault_title(fault))}"
    possible = "" if fault.certain else "possible: "
    yield style.paint(f"{_at(fault.span)}: {possible}{what}", "strong")
    yield f"  in {words.kernel(kernel)}"
    yield f"  launch      {words.launch(kernel.launch)}"
    yield from (f"  {name:<11} {say(text)}" for name, text in fault_maps.fault_facts(fault))
    found = fault_maps.stretch(fault)
    if found is not None:
        yield ""
        yield from fault_drawings.ruler(found, style)
    yield ""


def _race(race: facts.Race, kernel: facts.Kernel, language: str, style: Style) -> Iterator[str]:
    say = dialect.speaker(language)
    yield style.paint(f"{_at(race.span)}: {fault_maps.race_title(race)}", "strong")
    yield f"  {dialect.space(race.space, language)} memory, in {words.kernel(kernel)}"
    yield f"  launch      {words.launch(kernel.launch)}"
    yield from (f"  {name:<11} {say(text)}" for name, text in fault_maps.race_facts(race))
    yield ""
    yield from fault_drawings.DrawnTimeline(style, say).lines(fault_maps.timeline(race, kernel))
    yield ""


def _at(span: Span) -> str:
    return f"{span.path}:{span.line}:{span.column}"


def _declared(report: facts.Report, line: int, style: Style, drawn: bool) -> Iterator[str]:
    """The accesses of the arrays and pointers that a line declares, behind a line that names
    them."""
    found = [
        (file, kernel, access)
        for file in report.files
        for kernel in file.kernels
        for access in kernel.accesses
        if (declared := access.object_span) is not None
        and declared.path == file.path
        and _on(declared.line, declared.end_line, line)
    ]
    for name in dict.fromkeys(access.object for _, _, access in found):
        places = dict.fromkeys(
            place(access.span, file.path) for file, _, access in found if access.object == name
        )
        yield f"line {line} declares `{name}`, accessed on {words.plural(len(places), 'line').partition(' ')[2]} {', '.join(places)}"
    for file, kernel, access in found:
        device = resolve(report.device_of(file))
        yield from ("", *_access(access, kernel, dialect.of(kernel, file), device, style, drawn))


def _on(first: int, last: int, line: int) -> bool:
    return first <= line <= last


def _lines(report: facts.Report) -> str:
    """3, 7, vec.cuh:15: a header's lines with its name, behind the file's own."""
    kernels = [(kernel, file.path) for file in report.files for kernel in file.kernels]
    told = [(access.span, path) for kernel, path in kernels for access in kernel.accesses]
    told += [(branch.span, path) for kernel, path in kernels for branch in kernel.branches]
    found = {(span.path != path, span.path, span.line): place(span, path) for span, path in told}
    return ", ".join(found[key] for key in sorted(found)) or "none"


def last_line(report: facts.Report) -> int:
    """The last line that a derivation may be asked for: of the files, and of the headers and
    sources that their facts lie in."""
    # behind a last newline no line begins
    lines = [file.lines - file.text.endswith("\n") for file in report.files]
    for kernel in (kernel for file in report.files for kernel in file.kernels):
        lines += [access.charged_line for access in kernel.accesses]
        lines += [access.span.end_line for access in kernel.accesses]
        lines += [branch.span.line for branch in kernel.branches]
    return max(lines, default=0)


def place(span: Span, path: str) -> str:
    """A line's number, in another file than `path` behind that file's name."""
    name = os.path.basename(span.path)
    return (
        str(span.line)
        if span.path == path
        else f"{name if name != os.path.basename(path) else span.path}:{span.line}"
    )


def _access(
    access: facts.Access,
    kernel: facts.Kernel,
    language: str,
    device: Device,
    style: Style,
    drawn: bool,
) -> Iterator[str]:
    say = dialect.speaker(language)
    place = f"{access.span.path}:{access.span.line}:{access.span.column}"
    yield style.paint(f"{place}: {access.text}", "strong")
    yield f"  {what(access, language)} in {words.kernel(kernel)}"
    yield f"  launch      {words.launch(kernel.launch)}"
    yield from (f"  {name:<11} {text}" for name, text in numbers(access, language))
    if access.law is not None:
        yield from ("", "  for every size:", *(f"  {text}" for text in law_lines(access.law)))
        yield from (f"    {number}. {step}" for number, step in enumerate(access.law.steps, 1))
    if access.example is not None and access.space in words.UNITS:
        yield ""
        yield say(f"  {request(access, access.example)}")
        drawn = drawn and access.space in DRAWN
        yield from (
            terminal_map.render(access, device, style)
            if drawn
            else _lanes(access, access.example, kernel, device, say, style)
        )
        yield ""
        yield from (say(f"  {text}") for text in remarks(access, access.example, device))


MODULUS = re.compile(r"mod\((\w+), (\d+)\)")
PLAIN = re.compile(r"[A-Za-z_]\w*( % \d+)? == \d+")


def law_lines(law: facts.Law) -> Iterator[str]:
    """The formulas of an access, one a line."""
    yield from (f"{name:<11} {text}" for name, text in law_rows(law))


def law_rows(law: facts.Law) -> Iterator[tuple[str, str]]:
    """The formulas of an access and what they rest on: names and texts."""
    parts = (
        ("index", law.index),
        ("per request", law.per_request),
        ("requests", law.requests),
        ("in all", law.total),
        ("where", ", ".join(_plain(law.domain)) or None),
        ("cheapest", _least(law)),
        ("no formula", law.reason or None),
    )
    yield from ((name, text) for name, text in parts if text is not None)


def branch_rows(law: facts.BranchLaw) -> Iterator[tuple[str, str]]:
    """The same of a branch."""
    parts = (
        ("evaluations", law.evaluations),
        ("divergent", law.divergent),
        ("where", ", ".join(_plain(law.domain)) or None),
        ("no formula", law.reason or None),
    )
    yield from ((name, text) for name, text in parts if text is not None)


def kernel_rows(law: facts.KernelLaw) -> Iterator[tuple[str, str]]:
    """The sums over all accesses and branches of a kernel."""
    parts = (
        ("wavefronts", law.wavefronts),
        ("sectors", law.sectors),
        ("divergent", law.divergent),
        ("cycles", law.shared_cycles and f"{_decimal(law.shared_cycles)} per block"),
    )
    found = [(name, text) for name, text in parts if text is not None]
    yield from found
    if found and law.domain:
        yield "where", ", ".join(_plain(law.domain))


def _decimal(text: str) -> str:
    """A sum with its fractions as people write them."""
    import sympy

    from kernlint.laws.grammar import law_text, parse_law

    terms = sympy.Add.make_args(parse_law(text))
    parts = [(float(n), rest) for n, rest in (term.as_coeff_Mul() for term in terms)]
    texts = [
        f"{n:g}" if rest == 1 else f"{n:g}*{law_text(rest)}"
        for n, rest in sorted(parts, key=lambda part: part[1] == 1)
    ]
    return " + ".join(texts).replace("+ -", "- ")


def _least(law: facts.Law) -> str | None:
    """When requests count least, and how to make sure of it."""
    if law.free is None:
        return None
    remedy = (
        f"; the next such value, from the current one on, is {law.remedy}" if law.remedy else ""
    )
    stated = MODULUS.sub(r"\1 % \2", law.free)
    assume = f"; state it as `// kernlint: assume({stated})`" if PLAIN.fullmatch(stated) else ""
    return f"when {law.free}{remedy}{assume}"


def _plain(domain: tuple[str, ...]) -> list[str]:
    """Conditions that people ask for; those against wrap-around in one phrase."""
    plain = [text for text in domain if not LARGE.search(text)]
    return plain if len(plain) == len(domain) else [*plain, "no index arithmetic wraps around"]


def what(access: facts.Access, language: str) -> str:
    """shared load of 4 bytes, `tile`,"""
    space, size = dialect.space(access.space, language), words.plural(access.bytes, "byte")
    return f"{space} {access.op} of {size}, `{access.object}`,"


def numbers(access: facts.Access, language: str) -> Iterator[tuple[str, str]]:
    """What is known of an access, and why no more is: names and texts."""
    if access.index:
        unit = words.index_unit(access)
        yield "index", f"{access.index}  ({unit})" if unit else access.index
    say = dialect.speaker(language)
    yield from ((name, say(text)) for name, text in _counts(access))
    yield from (("rests on", say(assumption)) for assumption in access.assumptions)
    if words.why(access):
        yield "not exact", say(words.why(access))
    for case in access.cases:
        yield "case", f"{say(case.condition)}: {words.in_case(case, access.space)} per request"
    yield from (("note", say(note)) for note in access.notes)


def _counts(access: facts.Access) -> Iterator[tuple[str, str]]:
    requests = (
        "unknown"
        if access.requests is None and access.per_block is None
        else words.requests(access)
    )
    active = words.active_lanes(access)
    lanes = (
        ""
        if access.active_lanes is None
        else f", {active} active lane{'' if active == '1' else 's'} on average"
    )
    yield "requests", f"{requests}{lanes}"
    counts = words.counter(access, access.space)
    if counts is not None and access.status != "unknown":
        number, where = words.number_known(access, counts)
        written = "as written " if access.as_compiled is not None else ""
        yield (
            words.UNITS[access.space][1],
            f"{written}{number} per request{where}, ideal {words.mean(counts.ideal)}  ({access.status})",
        )
    compiled = access.as_compiled
    if access.read_from:
        yield "read from", f"machine code ({access.read_from})"
    if compiled is not None:
        charged = f", charged to line {compiled.charged_line}" if compiled.requests != 0 else ""
        yield (
            "as compiled",
            f"{words.compiled(compiled, access.space)}{charged}  ({compiled.status})",
        )


def request(access: facts.Access, example: facts.Example) -> str:
    """the costliest request: block (0, 0, 0), warp 0: 32 wavefronts"""
    x, y, z = example.block
    count = words.plural(example.count, *words.UNITS[access.space])
    written = " as written" if _is_written(access) else ""
    return f"the costliest request{written}: block ({x}, {y}, {z}), warp {example.warp}: {count}"


def _is_written(access: facts.Access) -> bool:
    """Whether the machine makes, or may make, other requests than the source says."""
    return access.as_compiled is not None or access.reason == "compiler"


def _lanes(
    access: facts.Access,
    example: facts.Example,
    kernel: facts.Kernel,
    device: Device,
    say: Callable[[str], str],
    style: Style,
) -> Iterator[str]:
    heads = HEADS.get(access.space, ("sector", "line"))
    yield style.paint(
        f"  lane  {say('thread'):<14} {'byte offset':>12}"
        + "".join(f"  {head:>8}" for head in heads),
        "dim",
    )
    for lane, offset in enumerate(example.lanes):
        thread = _thread(example.warp * device.warp_lanes + lane, kernel.launch.block)
        if offset is None:
            yield f"  {lane:>4}  {thread:<14} {'inactive':>12}"
            continue
        numbers = _numbers(access, lane, offset, device)
        yield f"  {lane:>4}  {thread:<14} {words.count(offset):>12}" + "".join(
            f"  {n:>8}" for n in numbers
        )


def _numbers(access: facts.Access, lane: int, offset: int, device: Device) -> tuple[int, ...]:
    """What a lane's row shows below `HEADS`: where its first byte lies."""
    if access.space == "constant":
        return (offset // constant_word(access.bytes),)
    if access.space == "shared":
        return offset // device.bank_bytes % device.banks, offset // device.bank_bytes
    start = lane_map.local_start(offset, lane, device) if access.space == "local" else offset
    return start // device.sector_bytes, start // device.line_bytes


def _thread(linear: int, block: tuple[int, int, int]) -> str:
    x, y, z = block
    if linear >= x * y * z:
        return "-"
    return f"({linear % x}, {linear // x % y}, {linear // (x * y)})"


def remarks(access: facts.Access, example: facts.Example, device: Device) -> Iterator[str]:
    """What the lanes of the costliest request come to."""
    if access.as_compiled is None and _is_written(access):
        yield "the compiler may change or remove these requests"
    if access.space == "constant":
        wants = f"the lanes need {words.plural(len(lane_map.words(access)), 'word')} of {constant_word(access.bytes)} bytes"
        yield f"{wants}; the constant cache serves one at a time, to any number of lanes"
        yield f"offsets and words are counted from the start of `{access.object}`"
        return
    if access.space == "shared":
        written = "as written, " if _is_written(access) else ""
        yield written + (crowded_bank(access, device, access.bytes) or "no two words share a bank")
        turns = lane_map.turns(access, device)
        if len(turns) > 1:
            several = f"the warp is served in {len(turns)} groups of {len(turns[0].lanes)} lanes, one after the other"
            yield f"{access.bytes} bytes per lane: {several}"
        yield f"banks are counted from the start of `{access.object}`; words are {device.bank_bytes} bytes"
        return
    active = sum(offset is not None for offset in example.lanes)
    sectors = len(lane_map.sectors(access, device))
    used, moved = (
        sum(piece.bytes for piece in lane_map.apart(access, device)),
        sectors * device.sector_bytes,
    )
    lie = f"{words.plural(active, 'lane')} x {access.bytes} bytes {'lies' if active == 1 else 'lie'} in"
    yield (
        f"{lie} {words.plural(sectors, 'sector') if sectors == 1 else f'{sectors} different sectors'} of {device.sector_bytes} bytes: "
        f"{words.count(used)} of {words.count(moved)} bytes are used, {words.share(used, moved)}"
    )
    if access.space == "local":
        row = words.count(lane_map.LOCAL_WORD * device.warp_lanes)
        yield f"the same word of all lanes lies together: word w of lane l at byte {row}*w + {lane_map.LOCAL_WORD}*l"
    yield f"offsets, sectors and lines are counted from the start of `{access.object}`"


def _branch(
    branch: facts.Branch, kernel: facts.Kernel, language: str, style: Style, drawn: bool
) -> Iterator[str]:
    say = dialect.speaker(language)
    yield style.paint(
        f"{branch.span.path}:{branch.span.line}:{branch.span.column}: {branch.kind} ({branch.condition})",
        "strong",
    )
    yield f"  in {words.kernel(kernel)}, {words.launch(kernel.launch)}"
    found = branch.counted
    if found is None or (found.divergent is None and found.divergent_high is None):
        yield say(f"  evaluations and splits by warp: unknown ({branch.status})")
    else:
        each = "" if branch.per_block is None else " in each block"
        divergent = words.parted(found) if found.divergent is None else words.count(found.divergent)
        times = f"{words.count(found.evaluations)} times{each}, a warp at a time"
        yield say(f"  evaluated {times}; lanes disagree in {divergent} of them  ({branch.status})")
    if branch.unrolled:
        yield f"  {words.UNROLLED}"
    for assumption in branch.assumptions:
        yield say(f"  rests on {assumption}")
    yield from map(say, branch_map.render(branch, style, drawn))
