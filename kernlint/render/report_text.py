"""The facts as tables for people: per kernel and launch, every access, branch and barrier.

Goes in: `facts.Report`, a style. Comes out: text. Never computes a number, never hides a row.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from kernlint.base.dataclass import dataclass
from kernlint.base.span import Span
from kernlint.checks import dialect, words
from kernlint.checks.estimate_words import shared
from kernlint.hardware import Device, resolve
from kernlint.model import facts
from kernlint.render import estimates
from kernlint.render.derivation import kernel_rows, law_lines, place
from kernlint.render.style import Style, columns, cut

WIDE = 44  # characters of a source text in a cell
WHOLE_WARPS = "mod(bdx, 32) == 0"  # of laws that hold for every block
SHORT = 40  # of a remark that stands in its row
RIGHT = ("line", "bytes", "requests", "lanes", "ideal", "evaluations", "divergent")


LEGEND = (
    "requests: instructions of a warp over the launch; lanes: active in one, on average; bytes: of each lane; index: in elements; "
    "ideal: the least that as many lanes can need",
    "evaluations: of a branch by a warp; divergent: those in which its lanes disagree",
    "exact: what the hardware counts under this launch; range: what decides it is not known; as written, as compiled: before and after "
    "the compiler's changes",
)

FORMULAS = (
    "formulas: cases(c: v, …) is the v of the first c that holds; mod(a, b) the rest from 0 on, "
    "div and rem are C's; ceildiv and floordiv round up and down; table(i, v0, v1, …) is the i-th",
)


@dataclass(frozen=True, slots=True)
class Status:
    """Of one row: exact, range or unknown, and what is to be said of it."""

    text: str
    remarks: tuple[str, ...]


def render(report: facts.Report, style: Style) -> str:
    lines: list[str] = []
    for file in report.files:
        device = resolve(report.device_of(file))
        language = "hip" if file.is_hip else file.language
        lines += [
            style.paint(f"{file.path} ({language}, for {device.title})", "strong"),
            *_problems(file, style),
            "",
        ]
        if not file.kernels:
            lines += ["  no kernel analysed in this file", ""]
        for alike in _alike(file, device, style):
            lines += [*_as_one(alike), ""]
    used = [
        report.device_of(file)
        for file in report.files
        for kernel in file.kernels
        if kernel.shared_cycles is not None
    ]
    languages = {dialect.of(kernel, file) for file in report.files for kernel in file.kernels}
    say = dialect.speaker("opencl" if languages == {"opencl"} else "cuda")
    if languages:
        lines += [say(line) for line in LEGEND]
    lines += [f"{words.model(resolve(name))}; {say(words.TERMS)}" for name in dict.fromkeys(used)]
    if any(_is_lawful(kernel) for file in report.files for kernel in file.kernels):
        lines += FORMULAS
    return "".join(style.plain(line).rstrip() + "\n" for line in lines)


def _problems(file: facts.File, style: Style) -> Iterator[str]:
    for problem in file.problems:
        place = f"{problem.span.path}:{problem.span.line}:{problem.span.column}:"
        yield f"  {place} {style.paint(problem.code, 'warning')} {problem.message}"


TYPE = re.compile(r" *assuming \w+ is [^,;]+")


def _alike(file: facts.File, device: Device, style: Style) -> Iterator[list[list[str]]]:
    """The texts of the file's kernels; those of one kernel that differ in a type alone together, as
    for a launch with half and with bfloat16."""
    found: dict[object, list[list[str]]] = {}
    for kernel in file.kernels:
        text = list(_kernel(kernel, file, device, style))
        same = tuple(line for line in text[1:] if not TYPE.fullmatch(line))
        found.setdefault((kernel.span, kernel.launch.span, len(text), same), []).append(text)
    yield from found.values()


def _as_one(texts: Sequence[list[str]]) -> Iterator[str]:
    """Several texts that differ in names and types."""
    for lines in zip(*texts, strict=True):
        first, *others = dict.fromkeys(lines)
        rests = [line.rpartition(" is ")[2] if TYPE.fullmatch(line) else line for line in others]
        if others and not TYPE.fullmatch(first):  # the heading
            first, rests = first.partition("  lines")[0], [line.strip() for line in rests]
        yield " or ".join((first, *rests))


def _kernel(kernel: facts.Kernel, file: facts.File, device: Device, style: Style) -> Iterator[str]:
    path, language = file.path, dialect.of(kernel, file)
    say = dialect.speaker(language)
    yield f"  {style.paint(words.kernel(kernel), 'strong')}  {_lines(kernel.span, path)}"
    yield f"    launch: {words.launch(kernel.launch)}"
    yield say(f"    {_resources(kernel, device)}")
    yield from (say(f"    {line}") for line in estimates.lines(kernel))
    if kernel.not_counted:
        yield f"    not counted: {words.not_counted(kernel)}"
    rests = [text for text in kernel.assumptions if not words.of_launch(text)]
    yield from (say(f"    {text}") for text in words.assuming(rests))
    statuses = [_status(access, kernel) for access in kernel.accesses] + [
        _branch_status(branch) for branch in kernel.branches
    ]
    told, notes = _noted([Status(say(one.text), tuple(map(say, one.remarks))) for one in statuses])
    accesses = [
        _access_row(access, path, language) | {"status": text}
        for access, text in zip(kernel.accesses, told, strict=False)
    ]
    left = told[len(accesses) :]
    branches = [
        _branch_row(branch, path, say) | {"status": text}
        for branch, text in zip(kernel.branches, left, strict=True)
    ]
    barriers = [
        _barrier_row(barrier, path, say) for barrier in kernel.barriers if barrier.scope != "memory"
    ]
    for rows in filter(None, (accesses, branches, barriers)):
        yield ""
        yield from _table(rows, style)
    yield from _laws(kernel, path, style)
    if notes:
        yield ""
        wide = len(f"[{len(notes)}]")
        yield from (f"    {f'[{number}]':>{wide}} {note}" for number, note in enumerate(notes, 1))


def _is_lawful(kernel: facts.Kernel) -> bool:
    return any(access.law is not None for access in kernel.accesses)


def _laws(kernel: facts.Kernel, path: str, style: Style) -> Iterator[str]:
    """The formulas of each access that has any, or the reason why it has none."""
    lawful = [access for access in kernel.accesses if access.law is not None]
    if not lawful:
        return
    any_block = any(WHOLE_WARPS in access.law.domain for access in lawful if access.law)
    block = "bdx threads, whole warps," if any_block else "x".join(map(str, kernel.launch.block))
    title = f"formulas for blocks of {block} and every grid of gdx x gdy x gdz blocks:"
    yield from ("", style.paint(f"    {title}", "dim"))
    for access in lawful:
        unit = "wavefronts" if access.space == "shared" else "sectors"
        yield f"    {place(access.span, path)}  {access.text}  ({access.op}, {unit})"
        if access.law is not None:
            law = replace(access.law, domain=_without_whole_warps(access.law.domain))
            yield from (f"        {line}" for line in law_lines(law))
    if kernel.law is not None:
        whole = replace(kernel.law, domain=_without_whole_warps(kernel.law.domain))
        yield from _sums(whole, path)


def _without_whole_warps(domain: tuple[str, ...]) -> tuple[str, ...]:
    """What the title says already."""
    return tuple(text for text in domain if text != WHOLE_WARPS)


def _sums(law: facts.KernelLaw, path: str) -> Iterator[str]:
    """What lines with several accesses count, and the kernel."""
    for one in law.lines:
        parts = (("wavefronts", one.wavefronts), ("sectors", one.sectors))
        known = [(name, text) for name, text in parts if text not in (None, "0")]
        if known:
            yield f"    {place(one.span, path)}  all {one.accesses} accesses"
            yield from (f"        {name:<11} {text}" for name, text in known)
    rows = list(kernel_rows(law))
    if rows:
        yield "    the whole kernel"
        yield from (f"        {name:<11} {text}" for name, text in rows)


def _noted(statuses: Sequence[Status]) -> tuple[list[str], list[str]]:
    """The cells of the rows, and the notes that their numbers mean: what rows share, or would make
    one long, is told once below."""
    often = Counter(remark for status in statuses for remark in status.remarks)
    numbers: dict[str, int] = {}
    cells = []
    for status in statuses:
        alone = "; ".join(status.remarks)
        if status.remarks and (
            len(alone) > SHORT or any(often[remark] > 1 for remark in status.remarks)
        ):
            mine = sorted(numbers.setdefault(remark, len(numbers) + 1) for remark in status.remarks)
            cells.append(f"{status.text} {mine}")
        else:
            cells.append(f"{status.text}: {alone}" if alone else status.text)
    return cells, list(numbers)


def _resources(kernel: facts.Kernel, device: Device) -> str:
    dynamic = (
        "unknown"
        if kernel.dynamic_shared_bytes is None
        else words.count(kernel.dynamic_shared_bytes)
    )
    why = f" ({kernel.launch.dynamic_shared_reason})" if kernel.launch.dynamic_shared_reason else ""
    text = f"shared memory: {words.count(kernel.static_shared_bytes)} bytes static, {dynamic} dynamic{why}"
    if kernel.machine_code is not None:
        text += f"; {words.machine_code(kernel.machine_code)}"
    if kernel.shared_cycles is None:
        return text
    text += f"; about {shared(kernel)}"
    if kernel.shared_cycles_ideal is not None and kernel.shared_cycles_ideal < kernel.shared_cycles:
        text += f", {words.count(round(kernel.shared_cycles_ideal))} without bank conflicts"
    return f"{text}, {words.by_model(device)}"


def _access_row(access: facts.Access, path: str, language: str) -> dict[str, str]:
    return {
        "line": _line(access, path),
        "access": cut(access.text, WIDE),
        "space": dialect.space(access.space, language) or "?",
        "op": access.op,
        "index": cut(access.index, WIDE),
        "bytes": str(access.bytes),
        "requests": dialect.speaker(language)(words.requests(access)),
        "lanes": words.active_lanes(access) or "?",
        "per request": _per_request(access),
        "ideal": _ideal(access),
    }


def _lines(span: Span, path: str) -> str:
    """lines 9-16, of another file than `path` with its name."""
    return f"lines {span.line}-{span.end_line}{'' if span.path == path else f' of {span.path}'}"


def _line(access: facts.Access, path: str) -> str:
    line = place(access.span, path)
    return f"{line} ({access.charged_line})" if access.charged_line != access.span.line else line


def _per_request(access: facts.Access) -> str:
    counts = words.counter(access, access.space)
    if counts is None or access.status == "unknown":
        return (
            ""
            if access.space == "texture"
            else f"? {words.UNITS.get(access.space, ('', 'sectors'))[1]}"
        )
    return words.as_known(access, counts)


def _ideal(access: facts.Access) -> str:
    counts = words.counter(access, access.space)
    return "" if counts is None or access.status == "unknown" else words.mean(counts.ideal)


def _own_assumptions(access: facts.Access, kernel: facts.Kernel) -> list[str]:
    """Those that the lines above the table do not say already for the whole kernel."""
    block = f"block {'x'.join(map(str, kernel.launch.block))}"
    above = set(kernel.assumptions)
    if any(text.startswith(f"{block} from ") for text in above):
        above.add(f"{block} is assumed")
    return words.assuming(
        assumption for assumption in access.assumptions if assumption not in above
    )


def _status(access: facts.Access, kernel: facts.Kernel) -> Status:
    """The status; why it is no better, what it alone rests on, and what the compiler makes of the
    access."""
    compiled = access.as_compiled
    remarks = [why] if (why := words.why(access, kernel)) else []
    remarks += _own_assumptions(access, kernel)
    remarks += ["counts hold where it executes"] if access.conditional else []
    if compiled is None:
        return Status(access.status, tuple(remarks))
    remarks.append(f"as compiled {words.compiled(compiled, access.space)} ({compiled.status})")
    return Status(f"{access.status} as written", tuple(remarks))


def _branch_status(branch: facts.Branch) -> Status:
    unrolled = (words.UNROLLED,) if branch.unrolled else ()
    status = f"{branch.status} as written" if branch.unrolled else branch.status
    if branch.status == "exact" or not branch.reason:
        return Status(status, unrolled)
    return Status(status, (words.because(branch.reason, branch.detail), *unrolled))


def _branch_row(branch: facts.Branch, path: str, say: Callable[[str], str]) -> dict[str, str]:
    found = branch.counted
    evaluations, divergent = (
        (branch.evaluations, branch.divergent)
        if found is None
        else (found.evaluations, found.divergent)
    )
    # `while (true)`: entered, and nothing to evaluate
    untested = branch.kind in facts.LOOPS and evaluations == 0
    high = None if found is None else found.divergent_high
    part = words.share(divergent, evaluations) if evaluations and divergent is not None else ""
    if found is not None and high is not None and evaluations:
        part = f"at most {words.share(high, evaluations)}"
    each = "" if branch.per_block is None else say(" per block")
    return {
        "line": place(branch.span, path),
        "branch": branch.kind,
        "condition": cut(branch.condition, WIDE),
        "evaluations": "no test"
        if untested
        else "?"
        if evaluations is None
        else words.count(evaluations) + each,
        "divergent": ""
        if untested
        else words.parted(found)
        if divergent is None
        else words.count(divergent),
        "share": part,
    }


def _barrier_row(barrier: facts.Barrier, path: str, say: Callable[[str], str]) -> dict[str, str]:
    return {
        "line": place(barrier.span, path),
        "barrier": cut(barrier.text, WIDE),
        "scope": say(barrier.scope),
        "reached": say(words.reached(barrier)),
    }


def _table(rows: Sequence[dict[str, str]], style: Style) -> Iterator[str]:
    """Columns as wide as their cells; the last one runs on."""
    heads = list(rows[0])
    widths = {head: max(columns(head), *(columns(row[head]) for row in rows)) for head in heads}

    def line(cells: dict[str, str]) -> str:
        parts = []
        for head in heads:
            space = " " * (widths[head] - columns(cells[head]))
            parts.append(space + cells[head] if head in RIGHT else cells[head] + space)
        return "    " + "  ".join(parts).rstrip()

    yield style.paint(line({head: head for head in heads}), "dim")
    for row in rows:
        yield line(row)
