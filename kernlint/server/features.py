"""What the editor shows of an analysis: diagnostics, hovers, lenses, hints and actions, in kernlint's own places.

Goes in: an `Analysis`. Comes out: plain values with spans (1-based, columns in code points). The protocol's types are made elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from kernlint import facts
from kernlint.checks import dialect, words
from kernlint.checks.estimate_words import shared, time
from kernlint.checks.finding import Finding
from kernlint.checks.meta import name_span
from kernlint.checks.selection import META
from kernlint.fixing.objections import PADDED
from kernlint.launching import Known
from kernlint.linting.ignoring import with_ignores
from kernlint.records import dataclass
from kernlint.render import lane_map
from kernlint.server.analysis import Analysis
from kernlint.source.span import Span

UNITS = {"shared": "wavefront", "global": "sector", "local": "sector"}
UNDER_WAY = "being analysed …"
MOST_PLACES = 8  # banks or sectors spelled out in a hover


@dataclass(frozen=True, slots=True)
class Note:
    """A text at a place: a lens above a line, a hint behind an access, a hover over it."""

    span: Span
    text: str
    tooltip: str = ""


@dataclass(frozen=True, slots=True)
class Action:
    """An edit of the document, `title` in the menu; `finding` is what it is for. Without edits it explains the rule `code`. `is_safe_fix`:
    an editor may make it on one key, without a person's eye."""

    title: str
    finding: Finding
    edits: tuple[tuple[Span, str], ...] = ()
    code: str = ""
    is_safe_fix: bool = False


def hover(analysis: Analysis, line: int, column: int) -> Note | None:
    """The innermost access around a place, under each launch."""
    around = [(k, a) for k in analysis.file.kernels for a in k.accesses if a.span.path == analysis.path and _holds(a.span, line, column)]
    if not around:
        return None
    smallest = min((a.span for _, a in around), key=_extent)
    some = [(k, a) for k, a in around if a.span == smallest]
    return Note(smallest, "\n\n---\n\n".join(_derived(k, a, analysis) for k, a in some[:4]))


def _holds(span: Span, line: int, column: int) -> bool:
    return (span.line, span.column) <= (line, column) < (span.end_line, span.end_column)


def _extent(span: Span) -> tuple[int, int]:
    return span.end_line - span.line, span.end_column - span.column


def _derived(kernel: facts.Kernel, access: facts.Access, analysis: Analysis) -> str:
    """Markdown; the assumption first while the launch is not known."""
    lines: list[str] = []
    language = dialect.of(kernel, analysis.file)
    say = dialect.speaker(language)
    if kernel.launch.grid is None:
        label = "Assumed" if kernel.launch.block_assumed else "Rests on"
        lines += [say(f"**{label}:** {assumption}") for assumption in kernel.assumptions or (words.launch(kernel.launch),)] + [""]
    what = f"{dialect.space(access.space, language)} {access.op} of {access.bytes} bytes"
    lines += [f"**`{access.text}`**: {what} in `{words.kernel(kernel)}`", ""]
    if access.index:
        unit = words.index_unit(access)
        lines.append(f"- index `{access.index}`{unit and f' ({unit})'}")
    lines.append(f"- launch {words.launch(kernel.launch)}")
    counts = words.counter(access, access.space)
    if counts is not None and access.status != "unknown":
        per = f"{words.as_known(access, counts)} per request, ideal {words.mean(counts.ideal)}"
        lines.append(f"- as written: {per} ({access.status})")
    if access.as_compiled is not None:
        lines.append(f"- as compiled: {_compiled(access.as_compiled, access.space)}")
    elif access.status == "exact":
        lines.append("- as compiled: the same")
    if access.requests is not None:
        lanes = "" if access.active_lanes is None else f", {words.mean(access.active_lanes)} active lanes"
        lines.append(f"- {words.count(access.requests)} requests{lanes}")
    lines += [say(f"- rests on {assumption}") for assumption in access.assumptions]
    if words.why(access):
        lines.append(say(f"- not exact: {words.why(access)}"))
    table = list(_places(access, analysis, say))
    return "\n".join([*lines, "", "```text", *table, "```"] if table else lines)


def _compiled(compiled: facts.Compiled, space: str) -> str:
    return f"{words.compiled(compiled, space)} ({compiled.status})"


def _places(access: facts.Access, analysis: Analysis, say: Callable[[str], str]) -> Iterator[str]:
    """The lanes of the costliest request by bank or sector, the fullest first."""
    if access.example is None or access.space not in UNITS:
        return
    (x, y, z), warp = access.example.block, access.example.warp
    yield say(f"block ({x}, {y}, {z}), warp {warp}: {words.plural(access.example.count, UNITS[access.space])}")
    if access.space == "shared":
        places = [p for p in lane_map.banks(access, analysis.device, 0, lane_map.together(access, analysis.device)) if p.load]
        places.sort(key=lambda place: (-place.load, place.number))
        shown = [f"bank {p.number:>2}: {words.lanes(p.lanes)} ({words.plural(p.load, 'word')})" for p in places]
    else:
        shown = [f"sector {p.number}: {words.lanes(p.lanes)}" for p in lane_map.sectors(access, analysis.device)]
    yield from shown[:MOST_PLACES]
    if len(shown) > MOST_PLACES:
        yield f"… {len(shown) - MOST_PLACES} more"


def lenses(analysis: Analysis) -> Iterator[Note]:
    """One line above each kernel: its estimated time, and the shares of conflicts and of sectors that nobody asked for."""
    shown: set[tuple[object, ...]] = set()
    for kernel in analysis.file.kernels:
        if kernel.span.path == analysis.path and (key := (kernel.span, kernel.template_arguments, kernel.launch.block)) not in shown:
            shown.add(key)
            yield Note(name_span(kernel.span, kernel.name, analysis.file), _lens(kernel, analysis))
    for missing in analysis.missing:
        yield from _under_way(missing, analysis)


def _under_way(kernel: Known, analysis: Analysis) -> Iterator[Note]:
    if kernel.span.path == analysis.path:
        yield Note(name_span(kernel.span, kernel.name, analysis.file), UNDER_WAY)


def _lens(kernel: facts.Kernel, analysis: Analysis) -> str:
    """What an editor's width cuts off is the launch; one that is assumed comes first, since all else rests on it."""
    unsure = "assumed" if kernel.launch.block_assumed else "given, grid not known"
    parts = [] if kernel.launch.grid else [f"block {words.size(kernel.launch.block)} {unsure}"]
    found = kernel.estimate
    if not isinstance(found, str):
        parts.append(f"about {time(found)}, limited by {found.limiter}")
    elif kernel.shared_cycles:
        parts.append(f"shared memory {shared(kernel)} by T(i, w, c) on {analysis.device.name}")
    for space, name, wasted in (("shared", "wavefronts", "bank conflicts"), ("global", "sectors", "uncoalesced")):
        share = _excess(kernel, space)
        if share is not None:
            parts.append(f"{wasted} {100 * share:.0f} % of {name}")
    parts += [words.launch(kernel.launch)] if kernel.launch.grid else []
    return " | ".join(parts)


def _excess(kernel: facts.Kernel, space: str) -> float | None:
    """The share of the wavefronts or sectors of a space that an ideal access would not need; None where nothing is known."""
    total = ideal = 0.0
    for access in kernel.accesses:
        counts = access.wavefronts if space == "shared" else access.sectors
        if access.space == space and counts is not None and access.status != "unknown":
            total += counts.mean * (access.requests or 1)
            ideal += counts.ideal * (access.requests or 1)
    return (total - ideal) / total if total else None


def hints(analysis: Analysis, first: int, last: int) -> Iterator[Note]:
    """Behind each access between two lines: its degree or its sectors, the worst of its launches."""
    worst: dict[Span, tuple[float, str, str]] = {}
    for kernel in analysis.file.kernels:
        for access in kernel.accesses:
            if (
                access.span.path != analysis.path
                or access.span.macro
                or not first <= access.span.end_line <= last
                or access.space not in UNITS
            ):
                continue
            hint = _hint(access)
            if hint[0] > worst.get(access.span, (-1.0,))[0]:
                worst[access.span] = (*hint, f"{words.kernel(kernel)}: {words.launch(kernel.launch)}, {access.status}")
    for span, (_, text, tooltip) in worst.items():
        yield Note(span, text, tooltip)


def _hint(access: facts.Access) -> tuple[float, str]:
    """How bad, and the text."""
    counts = access.wavefronts if access.space == "shared" else access.sectors
    if counts is None or access.status == "unknown":
        return 0.0, "? " + ("wavefronts" if access.space == "shared" else "sectors")
    about = "" if access.status == "exact" else "≤ "
    if access.space == "shared":
        return counts.max / max(
            counts.ideal, 1
        ), f"{about}{words.mean(round(counts.max / counts.ideal, 1) if counts.ideal else counts.max)}-way"
    return counts.max / max(counts.ideal, 1), f"{about}{words.plural(counts.max, 'sector')}"


def actions(analysis: Analysis, first: int, last: int) -> Iterator[Action]:
    """What can be done about the findings between two lines: fix, suppress, explain. Longer rows are offered once it is known that the
    fixer would make them."""
    explained: set[str] = set()
    for finding in _between(analysis.findings, analysis.path, first, last):
        fix = finding.fix
        is_settled = analysis.is_promised or finding.code != PADDED
        if fix is not None and is_settled and all(edit.span.path == analysis.path for edit in fix.edits):
            edits = tuple((edit.span, edit.content) for edit in fix.edits)
            yield Action(fix.message, finding, edits, is_safe_fix=fix.applicability == "safe")
        if finding.code not in META:
            yield Action(f"Suppress {finding.code} on this line", finding, (_suppression(finding, analysis),))
        if finding.code not in explained:
            explained.add(finding.code)
            yield Action(f"Explain {finding.code} ({finding.name})", finding, (), finding.code)


def _between(findings: Iterable[Finding], path: str, first: int, last: int) -> Iterator[Finding]:
    return (f for f in findings if f.span.path == path and f.span.line <= last and f.span.end_line >= first)


def _suppression(finding: Finding, analysis: Analysis) -> tuple[Span, str]:
    """The finding's line with a comment, as an edit of the whole line."""
    line = finding.span.line
    before = analysis.text.split("\n")[line - 1]
    after = with_ignores([finding], {analysis.path: analysis.text}, "")[analysis.path].split("\n")[line - 1]
    return Span(analysis.path, line, 1, line, len(before) + 1), after
