"""What the editor shows of an analysis: diagnostics, hovers, lenses, hints and actions, in
kernlint's own places.

Goes in: an `FileAnalysis`. Comes out: plain values with spans (1-based, columns in code points). The
protocol's types are made elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kernlint import hardware
from kernlint.base.dataclass import dataclass
from kernlint.base.span import Span
from kernlint.checks import dialect, words
from kernlint.checks.estimate_words import shared as in_shared_memory
from kernlint.checks.estimate_words import time
from kernlint.checks.selection import META
from kernlint.fixing.objections import PADDED
from kernlint.hardware import Device
from kernlint.launches.resolve import Known
from kernlint.linting.ignoring import with_ignores
from kernlint.model import facts
from kernlint.model.finding import Finding
from kernlint.server import hovers, shares
from kernlint.server.analysis import FileAnalysis
from kernlint.source_model.model import source_of

UNDER_WAY = "being analysed …"
MOST_LAUNCHES = 4  # of one access, that a hover tells


@dataclass(frozen=True, slots=True)
class Note:
    """A text at a place: a lens above a line, a hint behind an access, a hover over it."""

    span: Span
    text: str
    tooltip: str = ""


@dataclass(frozen=True, slots=True)
class Action:
    """An edit of the document, `title` in the menu; `finding` is what it is for. Without edits it
    explains the rule `code`. `is_safe_fix`: an editor may make it on one key, without a person's
    eye."""

    title: str
    finding: Finding
    edits: tuple[tuple[Span, str], ...] = ()
    code: str = ""
    is_safe_fix: bool = False


def hover(analysis: FileAnalysis, line: int, column: int) -> Note | None:
    """The innermost access around a place, under each launch."""
    around = [
        (k, a)
        for k in analysis.file.kernels
        for a in k.accesses
        if a.span.path == analysis.path and _holds(a.span, line, column)
    ]
    if not around:
        return None
    smallest = min((a.span for _, a in around), key=_extent)
    some = [(k, a) for k, a in around if a.span == smallest]
    shown = dict.fromkeys(hovers.derived(k, a, analysis.file, analysis.device) for k, a in some)
    more = [f"… {len(shown) - MOST_LAUNCHES} more launches"] if len(shown) > MOST_LAUNCHES else []
    return Note(smallest, "\n\n---\n\n".join([*list(shown)[:MOST_LAUNCHES], *more]))


def _holds(span: Span, line: int, column: int) -> bool:
    return (span.line, span.column) <= (line, column) < (span.end_line, span.end_column)


def _extent(span: Span) -> tuple[int, int]:
    return span.end_line - span.line, span.end_column - span.column


def lenses(analysis: FileAnalysis) -> Iterator[Note]:
    """One line above each kernel: its estimated time, and the shares of conflicts and of sectors
    that nobody asked for."""
    shown: set[tuple[object, ...]] = set()
    for kernel in analysis.file.kernels:
        if (
            kernel.span.path == analysis.path
            and (key := (kernel.span, kernel.template_arguments, kernel.launch.block)) not in shown
        ):
            shown.add(key)
            yield Note(
                source_of(analysis.file).name(kernel.span, kernel.name), _lens(kernel, analysis)
            )
    for missing in analysis.missing:
        yield from _under_way(missing, analysis)


def _under_way(kernel: Known, analysis: FileAnalysis) -> Iterator[Note]:
    if kernel.span.path == analysis.path:
        yield Note(source_of(analysis.file).name(kernel.span, kernel.name), UNDER_WAY)


def _lens(kernel: facts.Kernel, analysis: FileAnalysis) -> str:
    """What an editor's width cuts off is the launch; one that is assumed comes first, since all
    else rests on it."""
    unsure = "assumed" if kernel.launch.block_assumed else "given, grid unknown"
    parts = [] if kernel.launch.grid else [f"block {words.size(kernel.launch.block)} {unsure}"]
    found, shared, sectors = (
        kernel.estimate,
        shares.of(kernel, "shared"),
        shares.of(kernel, "global"),
    )
    if not isinstance(found, str):
        parts.append(f"about {time(found)}, limited by {found.limiter}")
    elif cycles := _shared_cycles(kernel, shared, analysis.device):
        parts.append(f"shared memory about {cycles}, {_model(analysis.device)}")
    parts += [f"bank conflicts {_percent(shared)}wavefronts"] if shared is not None else []
    parts += [f"uncoalesced {_percent(sectors)}sectors"] if sectors is not None else []
    if kernel.launch.grid is None and sectors is not None and sectors.complete:
        parts.append(f"{_bounds(sectors.low, sectors.high)} sectors per block")
    words_of = list(map(dialect.speaker(dialect.of(kernel, analysis.file)), parts))
    return " | ".join([*words_of, words.launch(kernel.launch)] if kernel.launch.grid else words_of)


def _shared_cycles(kernel: facts.Kernel, found: shares.TrafficShare | None, device: Device) -> str:
    """Cycles of shared memory's pipe per block; of a block that is assumed, too, which stands
    before them. "" where they are not known."""
    if kernel.shared_cycles:
        return in_shared_memory(kernel)
    if found is None or not found.complete or kernel.launch.grid is not None:
        return ""
    return f"{_bounds(*(hardware.cycles(1, 1, some, device) for some in (found.low, found.high)))} cycles of its pipe per block"


def _model(device: Device) -> str:
    """Short: whose constants those are that nobody measured is said by the findings."""
    return f"by {words.FORMULA}{', assumed for' if ', assumed for ' in words.by_model(device) else ' on'} {device.name}"


def _percent(found: shares.TrafficShare) -> str:
    """94 % of, 0 to 18 % of known: the share that ideal accesses would not need"""
    low, high = (round(100 * share) for share in found.excess)
    return f"{low if low == high else f'{low} to {high}'} % of {'' if found.complete else 'known '}"


def _bounds(low: float, high: float) -> str:
    first, last = (words.count(round(some)) for some in (low, high))
    return first if first == last else f"{first} to {last}"


def hints(analysis: FileAnalysis, first: int, last: int) -> Iterator[Note]:
    """Behind each access between two lines: its degree or its sectors as the machine executes it,
    the worst of its launches."""
    worst: dict[Span, tuple[float, str, str]] = {}
    for kernel in analysis.file.kernels:
        for access in kernel.accesses:
            span = access.span
            if (
                span.path != analysis.path
                or span.macro
                or not first <= span.end_line <= last
                or access.space not in hovers.UNITS
            ):
                continue
            level, text = _hint(kernel, access)
            if level > worst.get(span, (-1.0,))[0]:
                worst[span] = (
                    level,
                    text,
                    f"{words.kernel(kernel)}: {words.launch(kernel.launch)}, {_known(access)}",
                )
    for span, (_, text, tooltip) in worst.items():
        yield Note(span, text, tooltip)


def _hint(kernel: facts.Kernel, access: facts.Access) -> tuple[float, str]:
    """How bad, and the text."""
    entry = shares.executed(kernel, access)
    if access.as_compiled is not None and shares.is_gone(access):
        return 0.0, access.as_compiled.reason
    if entry is None:
        return 0.0, f"? {hovers.UNITS[access.space]}s"
    counts, ideal = entry.counts, max(entry.counts.ideal, 1)
    about = (
        "≤ "
        if entry.status != "exact" and counts.mean_low != counts.mean_high
        else "up to "
        if counts.min != counts.max
        else ""
    )
    if access.space == "shared":
        return counts.max / ideal, f"{about}{words.mean(round(counts.max / ideal, 1))}-way"
    return counts.max / ideal, f"{about}{words.plural(counts.max, 'sector')}"


def _known(access: facts.Access) -> str:
    """exact; range as written, as compiled merged: 16 bytes, …"""
    compiled = access.as_compiled
    if compiled is None:
        return access.status
    return f"{access.status} as written, as compiled {words.compiled(compiled, access.space)} ({compiled.status})"


def actions(analysis: FileAnalysis, first: int, last: int) -> Iterator[Action]:
    """What can be done about the findings between two lines: fix, suppress, explain. Longer rows
    are offered once it is known that the fixer would make them."""
    explained: set[str] = set()
    for finding in _between(analysis.findings, analysis.path, first, last):
        fix = finding.fix
        is_settled = analysis.is_promised or finding.code != PADDED
        if (
            fix is not None
            and is_settled
            and all(edit.span.path == analysis.path for edit in fix.edits)
        ):
            edits = tuple((edit.span, edit.content) for edit in fix.edits)
            yield Action(fix.message, finding, edits, is_safe_fix=fix.applicability == "safe")
        if finding.code not in META:
            yield Action(
                f"Suppress {finding.code} on this line", finding, (_suppression(finding, analysis),)
            )
        if finding.code not in explained:
            explained.add(finding.code)
            yield Action(f"Explain {finding.code} ({finding.name})", finding, (), finding.code)


def _between(findings: Iterable[Finding], path: str, first: int, last: int) -> Iterator[Finding]:
    return (
        f
        for f in findings
        if f.span.path == path and f.span.line <= last and f.span.end_line >= first
    )


def _suppression(finding: Finding, analysis: FileAnalysis) -> tuple[Span, str]:
    """The finding's line with a comment, as an edit of the whole line."""
    line = finding.span.line
    before = analysis.text.split("\n")[line - 1]
    after = with_ignores([finding], {analysis.path: analysis.text}, "")[analysis.path].split("\n")[
        line - 1
    ]
    return Span(analysis.path, line, 1, line, len(before) + 1), after
