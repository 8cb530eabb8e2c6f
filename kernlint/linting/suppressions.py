"""Suppressions in comments: what the user has seen and wants silent.

    x = tile[t * 32];            // kernlint: ignore[KL101] one conflict per launch
    // kernlint: ignore[shared-memory]                      the next statement, declaration or definition
    // kernlint: disable[KL201] … // kernlint: enable[KL201]
    // kernlint: file-ignore[KL3]
    // kernlint: ignore(KL101)   ignore: KL101   ignore=KL101   ignore KL101, KL201      the same in other spellings
    // NOLINT(KL101)   NOLINTNEXTLINE(kernlint-*)   NOLINTBEGIN … NOLINTEND, as clang-tidy reads them

Goes in: a file's text. Comes out: which findings are silenced, and findings about suppressions themselves (KL090, KL091, KL092).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from kernlint.checks import rules
from kernlint.checks.finding import Finding
from kernlint.linting.extents import construct_after, statement_before
from kernlint.records import dataclass
from kernlint.source.embedded import scans
from kernlint.source.lexer import Scan
from kernlint.source.span import Span
from kernlint.usage import UsageError

_OWN = re.compile(r"\bkernlint:\s*(?P<verb>ignore|disable|enable|file-ignore)(?![\w-])(?P<rest>(?:(?!\bkernlint:|\*/).)*)")
_BRACKETED = re.compile(r"\s*(?:\[(?P<square>[^\]]*)(?P<end>\])?|\((?P<round>[^)]*)(?P<close>\))?)")
_WORD = re.compile(r"(?P<separator>\s*(?:,\s*)?)(?P<word>[A-Za-z][\w-]*)")
_CODE = re.compile(r"\bKL\d+\b", re.IGNORECASE)
_LIKE = re.compile(r"\bkernlint:\s*(?P<verb>[A-Za-z][\w-]*)")
_NOLINT = re.compile(r"\bNOLINT(?P<verb>NEXTLINE|BEGIN|END)?\b(?:\((?P<words>[^)\n]*)\))?")
KNOWN_VERBS = ("ignore", "disable", "enable", "file-ignore", "launch", "assume")
META = ("KL090", "KL091", "KL092")  # about suppressions: only `file-ignore` silences them
LAST = 1 << 30  # a line after every other


@dataclass(frozen=True, slots=True)
class Suppression:
    """Silences `codes` on the lines first..last. `own`: it names kernlint's rules, so that being unused is worth a word."""

    span: Span
    codes: frozenset[str]
    first: int
    last: int
    own: bool
    text: str


@dataclass(frozen=True, slots=True)
class Suppressions:
    """What one file's comments say; `problems` are (code, place, message)."""

    entries: tuple[Suppression, ...] = ()
    problems: tuple[tuple[str, Span, str], ...] = ()


@dataclass(frozen=True, slots=True)
class _Mark:
    """One directive of a comment before its reach is known."""

    span: Span
    verb: str
    codes: frozenset[str]
    own: bool
    text: str


def of(text: str, path: str) -> Suppressions:
    """The suppressions of one file."""
    if "kernlint:" not in text and "NOLINT" not in text:
        return Suppressions()
    entries: list[Suppression] = []
    problems: list[tuple[str, Span, str]] = []
    for scanned in scans(path, text):
        marks: list[_Mark] = []
        for start, end, body in scanned.comments:
            span = scanned.source.span(start, end)
            marks += _marks(span, body, problems)
        found, unmatched = _entries(marks, scanned)
        entries += found
        problems += unmatched
    return Suppressions(tuple(entries), tuple(problems))


def _marks(span: Span, body: str, problems: list[tuple[str, Span, str]]) -> Iterator[_Mark]:
    for match in _OWN.finditer(body):
        head = body[match.start() : match.start("rest")]
        words, length, refused = _named(match["rest"])
        text = (head + match["rest"][:length]).strip()
        if refused:
            problems.append(("KL091", span, f"`{text}` {refused}: it suppresses nothing"))
        elif words is None or (codes := _codes(words, span, problems)):
            yield _Mark(span, match["verb"], frozenset(rules.rules()) if words is None else codes, True, text)
    for match in _LIKE.finditer(body):
        if match["verb"] not in KNOWN_VERBS:
            problems.append(("KL091", span, f"`{match[0]}` is no directive of kernlint: {', '.join(KNOWN_VERBS)}"))
    for match in _NOLINT.finditer(body):
        codes, own = _nolint_codes(match["words"])
        if codes:
            yield _Mark(span, f"NOLINT{match['verb'] or ''}", codes, own, match[0])


def _named(rest: str) -> tuple[list[str] | None, int, str]:
    """The words for rules behind a directive's verb (None: it names none and means all), how far they reach, and why they are refused."""
    bracketed = _BRACKETED.match(rest)
    if bracketed:
        if bracketed["end"] is None and bracketed["close"] is None:
            return None, bracketed.end(), "lacks its closing bracket"
        words = [word.strip() for word in (bracketed["square"] or bracketed["round"] or "").split(",")]
        found = [word for word in words if word]
        return (found, bracketed.end(), "") if found else (None, bracketed.end(), "names no rule between its brackets")
    sign = re.match(r"\s*[:=]", rest)
    found, end = _listed(rest, sign.end() if sign else 0, certain=sign is not None)
    if found:
        return found, end, ""
    if sign:
        return None, sign.end(), f"names no rule behind its `{sign[0].strip()}`"
    mentioned = _CODE.search(rest)
    if mentioned:
        return None, mentioned.end(), f"names {mentioned[0]} in its text, where `[{mentioned[0]}]` behind the first word is meant"
    return None, 0, ""


def _listed(rest: str, start: int, certain: bool) -> tuple[list[str], int]:
    """Words for rules that stand one after the other without brackets, up to the first that is none; `certain`: the first is one."""
    found: list[str] = []
    end = start
    while (match := _WORD.match(rest, end)) and (_is_rule(match["word"]) or (certain and not found)):
        found.append(match["word"])
        end = match.end()
    return found, end


def _is_rule(word: str) -> bool:
    if _CODE.fullmatch(word):
        return True
    try:
        return bool(rules.matching(word))
    except UsageError:
        return False


def _codes(words: Iterable[str], span: Span, problems: list[tuple[str, Span, str]]) -> frozenset[str]:
    found: set[str] = set()
    for word in words:
        try:
            found |= rules.matching(word)
        except UsageError as error:
            problems.append(("KL091", span, f"suppression of an {error}"))
    return frozenset(found)


def _nolint_codes(words: str | None) -> tuple[frozenset[str], bool]:
    """The rules that a NOLINT means, and whether it names them: others' checks stand in such lists too and mean nothing here."""
    known = rules.rules()
    if words is None:
        return frozenset(known), False
    found: set[str] = set()
    own = False
    for word in (word.strip() for word in words.split(",")):
        if word in ("", "*"):
            found |= set(known)
            continue
        names = {rule.code: (rule.code, f"kernlint-{rule.code}".lower(), f"kernlint-{rule.name}") for rule in known.values()}
        matched = {code for code, some in names.items() if any(fnmatchcase(name, word) or name.lower() == word.lower() for name in some)}
        found |= matched
        own = own or (bool(matched) and not word.startswith("*"))
    return frozenset(found), own


def _entries(marks: Iterable[_Mark], scanned: Scan) -> tuple[list[Suppression], list[tuple[str, Span, str]]]:
    entries: list[Suppression] = []
    open_ranges: list[_Mark] = []
    problems: list[tuple[str, Span, str]] = []
    for mark in marks:
        if mark.verb in ("disable", "NOLINTBEGIN"):
            open_ranges.append(mark)
        elif mark.verb in ("enable", "NOLINTEND"):
            start = _opened(open_ranges, mark)
            if start is None:
                problems.append(("KL092", mark.span, f"`{mark.text}` ends a range that nothing before it begins"))
            else:
                open_ranges.remove(start)
                entries.append(_entry(start, start.span.line, mark.span.line))
        else:
            entries.append(_entry(mark, *_REACH[mark.verb](mark.span, scanned)))
    for mark in open_ranges:
        entries.append(_entry(mark, mark.span.line, LAST))
        if mark.own:
            end = "enable" if mark.verb == "disable" else "NOLINTEND"
            problems.append(("KL092", mark.span, f"`{mark.text}` is never ended by `{end}`: it reaches to the end of the file"))
    return entries, problems


def _opened(ranges: Sequence[_Mark], end: _Mark) -> _Mark | None:
    """The innermost open range of the same form that names the same rules, else one that `end` without names closes."""
    form = "disable" if end.verb == "enable" else "NOLINTBEGIN"
    same = [mark for mark in ranges if mark.verb == form and (mark.codes == end.codes or end.codes >= mark.codes)]
    return same[-1] if same else None


def _entry(mark: _Mark, first: int, last: int) -> Suppression:
    codes = mark.codes if mark.verb == "file-ignore" else mark.codes - set(META)
    return Suppression(mark.span, codes, first, last, mark.own, mark.text)


def _statement(span: Span, scanned: Scan) -> tuple[int, int]:
    """A comment after code: that statement. A comment on a line of its own: the next one, its body included."""
    tokens = scanned.tokens
    before = next((i for i in range(len(tokens) - 1, -1, -1) if _key(tokens[i].span) < (span.line, span.column)), None)
    after = next((i for i in range(len(tokens)) if _key(tokens[i].span) > (span.line, span.column)), None)
    if before is not None and tokens[before].span.end_line == span.line:
        return statement_before(tokens, before), span.line
    if after is None:
        return span.line, span.end_line
    if tokens[after].span.line == span.end_line:  # /* kernlint: ignore */ before code on the same line
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
    findings: Iterable[Finding], by_path: Mapping[str, Suppressions], ran: frozenset[str], levels: Mapping[str, str]
) -> tuple[list[Finding], int]:
    """The findings that stay, with those about the suppressions themselves, and how many are silenced.

    `ran`: the codes of the rules that were run; a suppression of others cannot be called unused. `levels`: severities by code that
    replace the rules' own.
    """
    used: set[int] = set()
    kept: list[Finding] = []
    silenced = 0
    for finding in findings:
        named = [entry for entry in _of(by_path, finding) if finding.code in entry.codes]
        hits = [entry for entry in named if entry.first <= finding.span.line <= entry.last]
        others = [label.span.line for label in finding.labels if label.same]
        used |= {id(entry) for entry in named if entry in hits or any(entry.first <= line <= entry.last for line in others)}
        silenced += bool(hits)
        if not hits:
            kept.append(finding)
    about = [_at(finding, levels) for path in by_path for finding in _about(by_path[path], used, ran)]
    files = {path: [e for e in found.entries if (e.first, e.last) == (1, LAST)] for path, found in by_path.items()}
    return [*kept, *(f for f in about if not any(f.code in entry.codes for entry in files[f.span.path]))], silenced


def _at(finding: Finding, levels: Mapping[str, str]) -> Finding:
    return replace(finding, severity=levels.get(finding.code, finding.severity))


def _of(by_path: Mapping[str, Suppressions], finding: Finding) -> tuple[Suppression, ...]:
    found = by_path.get(finding.span.path)
    return found.entries if found else ()


def _about(found: Suppressions, used: set[int], ran: frozenset[str]) -> Iterator[Finding]:
    known = rules.rules()
    for code, span, message in found.problems:
        if code in ran:
            yield Finding(code, known[code].name, known[code].severity, message, span)
    rule, everything = known["KL090"], set(known) - set(META)
    for entry in found.entries if rule.code in ran else ():
        judged = entry.codes - set(META)
        if id(entry) not in used and entry.own and judged and (judged <= ran or judged == everything):
            help_ = "take it out, or narrow it to the line that needs it"
            yield Finding(rule.code, rule.name, rule.severity, f"`{entry.text}` silences nothing", entry.span, help=help_)
