"""The facts as tables for people: per kernel and launch, every access, branch and barrier.

Goes in: `facts.Report`, a style. Comes out: text. Never computes a number, never hides a row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint import facts
from kernlint.checks import dialect, words
from kernlint.hardware import resolve
from kernlint.reasons import REASONS
from kernlint.render import estimates
from kernlint.render.derivation import place
from kernlint.render.style import Style, columns, cut
from kernlint.source.span import Span

WIDE = 44  # characters of a source text in a cell
RIGHT = ("line", "bytes", "requests", "lanes", "ideal", "evaluations", "divergent")


def render(report: facts.Report, style: Style) -> str:
    lines: list[str] = []
    for file in report.files:
        lines += [style.paint(f"{file.path} ({file.language})", "strong"), *_problems(file, style), ""]
        if not file.kernels:
            lines += ["  no kernel analysed in this file", ""]
        for kernel in file.kernels:
            lines += [*_kernel(kernel, file, report.device, style), ""]
    if any(kernel.shared_cycles is not None for file in report.files for kernel in file.kernels):
        lines.append(words.model(resolve(report.device)))
    return "".join(style.plain(line).rstrip() + "\n" for line in lines)


def _problems(file: facts.File, style: Style) -> Iterator[str]:
    for problem in file.problems:
        place = f"{problem.span.path}:{problem.span.line}:{problem.span.column}:"
        yield f"  {place} {style.paint(problem.code, 'warning')} {problem.message}"


def _kernel(kernel: facts.Kernel, file: facts.File, device: str, style: Style) -> Iterator[str]:
    path, say = file.path, dialect.speaker(file.language)
    yield f"  {style.paint(words.kernel(kernel), 'strong')}  {_lines(kernel.span, path)}"
    yield f"    launch: {words.launch(kernel.launch)}"
    yield say(f"    {_resources(kernel, device)}")
    yield from (say(f"    {line}") for line in estimates.lines(kernel))
    yield from (say(f"    {text}") for text in words.assuming(kernel.assumptions))
    if kernel.accesses:
        yield ""
        yield from _table([_access_row(access, kernel, file) for access in kernel.accesses], style)
    if kernel.branches:
        yield ""
        yield from _table([_branch_row(branch, file) for branch in kernel.branches], style)
    barriers = [barrier for barrier in kernel.barriers if barrier.scope != "memory"]
    if barriers:
        yield ""
        yield from _table([_barrier_row(barrier, file) for barrier in barriers], style)


def _resources(kernel: facts.Kernel, device: str) -> str:
    dynamic = "not known" if kernel.dynamic_shared_bytes is None else words.count(kernel.dynamic_shared_bytes)
    text = f"shared memory: {words.count(kernel.static_shared_bytes)} bytes static, {dynamic} dynamic"
    if kernel.shared_cycles is None:
        return text
    text += f"; about {words.count(round(kernel.shared_cycles))} cycles per block"
    if kernel.shared_cycles_ideal is not None and kernel.shared_cycles_ideal < kernel.shared_cycles:
        text += f", {words.count(round(kernel.shared_cycles_ideal))} without bank conflicts"
    return f"{text}, {words.by_model(resolve(device))}"


def _access_row(access: facts.Access, kernel: facts.Kernel, file: facts.File) -> dict[str, str]:
    return {
        "line": _line(access, file.path),
        "access": cut(access.text, WIDE),
        "space": dialect.space(access.space, file.language) or "?",
        "op": access.op,
        "index": cut(access.index, WIDE),
        "bytes": str(access.bytes),
        "requests": dialect.speaker(file.language)(words.requests(access)),
        "lanes": "?" if access.active_lanes is None else words.mean(access.active_lanes),
        "per request": _per_request(access),
        "ideal": _ideal(access),
        "status": dialect.speaker(file.language)(_status(access, kernel)),
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
        return "" if access.space == "texture" else f"? {words.UNITS.get(access.space, ('', 'sectors'))[1]}"
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
    return words.assuming(assumption for assumption in access.assumptions if assumption not in above)


def _status(access: facts.Access, kernel: facts.Kernel) -> str:
    """The status, what it alone rests on, why it is no better, and what the compiler makes of the access."""
    text = access.status
    if words.why(access):
        text += f": {words.why(access)}"
    own = _own_assumptions(access, kernel)
    if own:
        text += f" ({'; '.join(own)})"
    if access.conditional:
        text += "; counts hold where it executes"
    compiled = access.as_compiled
    if compiled is not None:
        text += f" as written; as compiled {words.compiled(compiled, access.space)} ({compiled.status})"
    return text


def _branch_row(branch: facts.Branch, file: facts.File) -> dict[str, str]:
    found = branch.counted
    evaluations, divergent = (branch.evaluations, branch.divergent) if found is None else (found.evaluations, found.divergent)
    part = words.share(divergent, evaluations) if evaluations and divergent is not None else ""
    each = "" if branch.per_block is None else dialect.speaker(file.language)(" a block")
    return {
        "line": place(branch.span, file.path),
        "branch": branch.kind,
        "condition": cut(branch.condition, WIDE),
        "evaluations": "?" if evaluations is None else words.count(evaluations) + each,
        "divergent": "?" if divergent is None else words.count(divergent),
        "share": part,
        "status": branch.status + (f": {REASONS.get(branch.reason, branch.reason)}" if branch.reason and branch.status != "exact" else ""),
    }


def _barrier_row(barrier: facts.Barrier, file: facts.File) -> dict[str, str]:
    say = dialect.speaker(file.language)
    return {
        "line": place(barrier.span, file.path),
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
