"""Suppressions in comments: what the user has seen and wants silent.

    x = tile[t * 32];            // kernlint: ignore[KL101] one conflict per launch
    // kernlint: ignore[shared-memory]                      the next statement, declaration or definition
    // kernlint: disable[KL201] … // kernlint: enable[KL201]
    // kernlint: file-ignore[KL3]
    // NOLINT(KL101)   NOLINTNEXTLINE(kernlint-*)   NOLINTBEGIN … NOLINTEND

Goes in: a file's text. Comes out: which findings are silenced, and findings about suppressions
themselves (KL090, KL091, KL092).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from kernlint.base.dataclass import dataclass, field
from kernlint.base.span import Span
from kernlint.checks import rules
from kernlint.checks.rules import Rule
from kernlint.checks.selection import META
from kernlint.linting import suppression_comments as comments
from kernlint.linting.extents import construct_after, statement_before
from kernlint.linting.parts import only, parts_of
from kernlint.linting.suppression_comments import CommentPart, Mark, Trouble
from kernlint.model.finding import Finding
from kernlint.source.embedded.programs import scans
from kernlint.source.lexer import Scan

LAST = 1 << 30  # a line after every other


@dataclass(frozen=True, slots=True)
class Suppression:
    """Silences the `codes` of a mark on the lines first..last."""

    mark: Mark
    codes: frozenset[str]
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Suppressions:
    """What one file's comments say, and what is wrong with them."""

    entries: tuple[Suppression, ...] = ()
    problems: tuple[Trouble, ...] = ()


@dataclass(frozen=True, slots=True)
class Silenced:
    """A finding about one line, and the comment that silences it, as written."""

    finding: Finding
    comment: str


@dataclass(frozen=True, slots=True)
class Judge:
    """What can be called unused. `ran`: the codes of the rules that were run; `all_ran`: none that
    usually runs was left out, so that what is for all rules can be judged; `looked`: whether
    everything between two lines was analysed; `found`: the lines of the file's findings by code,
    also of those that are silenced."""

    ran: AbstractSet[str]
    all_ran: bool
    looked: Callable[[int, int], bool]
    found: Mapping[str, Sequence[int]] = field(default_factory=dict)

    def can(self, part: CommentPart, entry: Suppression) -> bool:
        judged = part.codes - META
        if not judged:
            return entry.mark.verb != "file-ignore"
        is_all = judged == rules.rules().keys() - META
        return (self.all_ran if is_all else judged <= self.ran) and self.looked(
            entry.first, entry.last
        )


def of(text: str, path: str) -> Suppressions:
    """The suppressions of one file."""
    if not comments.SIGN.search(text.lower()):
        return Suppressions()
    entries: list[Suppression] = []
    problems: list[Trouble] = []
    for scanned in scans(path, text):
        marks, refused = comments.of(scanned)
        found, unmatched = _entries(marks, scanned)
        entries += found
        problems += refused + unmatched
    return Suppressions(tuple(entries), tuple(problems))


def _entries(marks: Iterable[Mark], scanned: Scan) -> tuple[list[Suppression], list[Trouble]]:
    entries: list[Suppression] = []
    open_ranges: list[Mark] = []
    problems: list[Trouble] = []
    for mark in marks:
        if mark.verb in ("disable", "NOLINTBEGIN"):
            open_ranges.append(mark)
        elif mark.verb in ("enable", "NOLINTEND"):
            start = _opened(open_ranges, mark)
            if start is None:
                problems.append(
                    (
                        "KL092",
                        mark.span,
                        f"`{mark.text}` ends a range that nothing before it begins",
                    )
                )
            else:
                open_ranges.remove(start)
                entries.append(_entry(start, start.span.line, mark.span.line))
        else:
            entries.append(_entry(mark, *_REACH[mark.verb](mark.span, scanned)))
    for mark in open_ranges:
        entries.append(_entry(mark, mark.span.line, LAST))
        if mark.parts:
            end = "enable" if mark.verb == "disable" else "NOLINTEND"
            problems.append(
                (
                    "KL092",
                    mark.span,
                    f"`{mark.text}` has no `{end}` after it: it applies to the end of the file",
                )
            )
    return entries, problems


def _opened(ranges: Sequence[Mark], end: Mark) -> Mark | None:
    """The innermost open range of the same form that names the same rules, else one that `end`
    without names closes."""
    form = "disable" if end.verb == "enable" else "NOLINTBEGIN"
    same = [
        mark
        for mark in ranges
        if mark.verb == form and (mark.codes == end.codes or end.codes >= mark.codes)
    ]
    return same[-1] if same else None


def _entry(mark: Mark, first: int, last: int) -> Suppression:
    return Suppression(
        mark, mark.codes if mark.verb == "file-ignore" else mark.codes - META, first, last
    )


def _statement(span: Span, scanned: Scan) -> tuple[int, int]:
    """A comment after code: that statement. A comment on a line of its own: the next one, its body
    included."""
    tokens = scanned.tokens
    before = next(
        (
            i
            for i in range(len(tokens) - 1, -1, -1)
            if _key(tokens[i].span) < (span.line, span.column)
        ),
        None,
    )
    after = next(
        (i for i in range(len(tokens)) if _key(tokens[i].span) > (span.line, span.column)), None
    )
    if before is not None and tokens[before].span.end_line == span.line:
        return statement_before(tokens, before), span.line
    if after is None:
        return span.line, span.end_line
    if (
        tokens[after].span.line == span.end_line
    ):  # /* kernlint: ignore */ before code on the same line
        return span.line, span.end_line
    return span.line, construct_after(tokens, after)


def _key(span: Span) -> tuple[int, int]:
    return span.line, span.column


_REACH: dict[str, Callable[[Span, Scan], tuple[int, int]]] = {
    "ignore": _statement,
    "file-ignore": lambda span, scanned: (1, LAST),
    "NOLINT": lambda span, scanned: (span.line, span.end_line),
    "NOLINTNEXTLINE": lambda span, scanned: (span.end_line + 1, span.end_line + 1),
}


def apply(
    findings: Iterable[Finding], by_path: Mapping[str, Suppressions]
) -> tuple[list[Finding], set[CommentPart]]:
    """What stays of the findings, line by line, and the words of comments that silence the rest."""
    used: set[CommentPart] = set()
    kept: list[Finding] = []
    for finding in findings:
        open_ = []
        for part in parts_of(finding):
            hits = [entry for entry in _entries_at(part, by_path) if part.code in entry.codes]
            used |= {word for e in hits for word in e.mark.parts if part.code in word.codes}
            open_ += [] if hits else [part]
        left = only(finding, open_)
        kept += [] if left is None else [left]
    return kept, used


def silenced(
    findings: Iterable[Finding], by_path: Mapping[str, Suppressions]
) -> Iterator[Silenced]:
    """What comments silence, line by line."""
    for part in (part for finding in findings for part in parts_of(finding)):
        hits = (entry for entry in _entries_at(part, by_path) if part.code in entry.codes)
        entry = next(hits, None)
        if entry is not None:
            yield Silenced(part, entry.mark.text)


def _entries_at(part: Finding, by_path: Mapping[str, Suppressions]) -> Iterator[Suppression]:
    found = by_path.get(part.span.path)
    for entry in found.entries if found else ():
        if entry.first <= part.span.line <= entry.last:
            yield entry


def about(
    found: Suppressions, used: AbstractSet[CommentPart], judge: Judge, known: Mapping[str, Rule]
) -> list[Finding]:
    """What is said of the suppressions of a file. `known`: the rules that are run, at their
    levels."""
    findings = [
        Finding(code, known[code].name, known[code].severity, message, span)
        for code, span, message in found.problems
        if code in known
    ]
    if unused := known.get("KL090"):
        findings += [
            finding for entry in found.entries for finding in _unused(entry, used, judge, unused)
        ]
    silent = {
        code
        for entry in found.entries
        if (entry.first, entry.last) == (1, LAST)
        for code in entry.codes
    }
    return [finding for finding in findings if finding.code not in silent]


def _unused(
    entry: Suppression, used: AbstractSet[CommentPart], judge: Judge, rule: Rule
) -> Iterator[Finding]:
    """One finding for a comment that silences nothing, else one for each of its words that does
    not."""
    mark = entry.mark
    idle = [part for part in mark.parts if part not in used and judge.can(part, entry)]
    if mark.complete and len(idle) == len(mark.parts) > 0:
        is_meta = mark.codes <= META
        help_ = (
            "only `file-ignore` suppresses findings about comments"
            if is_meta
            else "remove it, or move it to the line that needs it"
        )
        message = f"`{mark.text}` suppresses nothing{'' if is_meta else _reason(mark.codes, entry, judge)}"
        yield Finding(rule.code, rule.name, rule.severity, message, mark.span, help=help_)
        return
    for part in idle:
        message = (
            f"`{part.text}` in `{mark.text}` suppresses nothing{_reason(part.codes, entry, judge)}"
        )
        yield Finding(
            rule.code,
            rule.name,
            rule.severity,
            message,
            part.span,
            help=f"remove `{part.text}` from the comment",
        )


def _reason(codes: frozenset[str], entry: Suppression, judge: Judge) -> str:
    """Where no rule of the comment finds anything, and the line nearest to it where one does."""
    named = codes - META
    if not named:
        return ""
    if named == rules.rules().keys() - META:
        return f": no rule finds anything {_reach(entry)}"
    who = f"{min(named)} finds nothing" if len(named) == 1 else "none of its rules finds anything"
    begin = entry.mark.span.line
    near = min(
        ((abs(line - begin), line, code) for code in named for line in judge.found.get(code, ())),
        default=None,
    )
    nearest = (
        f"; the nearest is on line {near[1]}{f' [{near[2]}]' if len(named) > 1 else ''}"
        if near
        else ""
    )
    return f": {who} {_reach(entry)}{nearest}"


def _reach(entry: Suppression) -> str:
    if entry.last == LAST:
        return "in this file" if entry.first == 1 else f"from line {entry.first} on"
    return (
        f"on line {entry.first}"
        if entry.first == entry.last
        else f"on lines {entry.first} to {entry.last}"
    )
