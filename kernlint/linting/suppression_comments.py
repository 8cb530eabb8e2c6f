"""The suppressing comments of a file, word by word, before it is known how far they reach.

    kernlint: ignore[KL101, shared-memory]   ignore(KL101)   ignore: KL101   ignore=KL101   ignore KL101, KL201
    NOLINT(KL101)   NOLINTNEXTLINE(kernlint-*, bugprone-foo)   NOLINTBEGIN … NOLINTEND, as clang-tidy reads them
    noqa: KL101   cppcheck-suppress KL101   and the like are other tools' alone: refused where they name a rule of kernlint

Goes in: the scan of a file. Comes out: marks, and what is wrong with those that are refused
(KL091).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase

from kernlint.base.dataclass import dataclass
from kernlint.base.span import Span
from kernlint.base.usage import UsageError, meant
from kernlint.checks import rules
from kernlint.source.lexer import Scan

_OWN = re.compile(
    r"\bkernlint:\s*(?P<verb>ignore|disable|enable|file-ignore)(?![\w-])(?P<rest>(?:(?!\bkernlint:|\*/).)*)"
)
_BRACKETED = re.compile(r"\s*(?:\[(?P<square>[^\]]*)(?P<end>\])?|\((?P<round>[^)]*)(?P<close>\))?)")
_LISTED = re.compile(r"[^,]+")
_WORD = re.compile(r"\s*(?:,\s*)?(?P<word>[A-Za-z][\w-]*)")
_CODE = re.compile(r"\bKL\d+\b", re.IGNORECASE)
_LIKE = re.compile(r"\bkernlint:\s*(?P<verb>[A-Za-z][\w-]*)")
_NOLINT = re.compile(r"\bNOLINT(?P<verb>NEXTLINE|BEGIN|END)?\b(?:\((?P<words>[^)\n]*)\))?")
_OTHERS: dict[
    str, str
] = {  # how other tools' comments begin, and the verb that means the same here
    r"(?:ruff|flake8): *noqa": "file-ignore",
    r"noqa": "ignore",
    r"type: *ignore": "ignore",
    r"pylint: *disable(?:-next)?": "ignore",
    r"noinspection": "ignore",
    r"cppcheck-suppress(?:-file|-macro)?": "ignore",
}
_OTHER = re.compile(
    rf"\b(?<!kernlint:)(?<!kernlint: )(?P<form>{'|'.join(_OTHERS)})(?:[ \t]*[:=(\[])?[ \t]*(?P<words>[\w-]+(?:[ \t]*,[ \t]*[\w-]+)*)",
    re.IGNORECASE,
)
# of a comment to be read, in the lower case of its text: a search that ignores case takes ten times
# as long
SIGN = re.compile(r"kernlint:|nolint|noqa|type: *ignore|pylint:|noinspection|cppcheck-suppress")
PREFIX = "kernlint-"  # of kernlint's rules among the checks of clang-tidy
KNOWN_VERBS = ("ignore", "disable", "enable", "file-ignore", "launch", "assume")

Trouble = tuple[str, Span, str]  # code, place, message
Place = Callable[[int, int], Span]  # of a stretch of the comment
Stretch = tuple[str, int]  # a word, and where in the comment it begins


@dataclass(frozen=True, slots=True)
class CommentPart:
    """One word of a comment that names rules of kernlint, or the whole comment where it names none
    and means all."""

    span: Span
    codes: frozenset[str]
    text: str


@dataclass(frozen=True, slots=True)
class Mark:
    """One directive of a comment. `codes`: what it silences; `parts`: the words in it that are
    kernlint's; `complete`: it has no others."""

    span: Span
    verb: str
    codes: frozenset[str]
    parts: tuple[CommentPart, ...]
    complete: bool
    text: str


def of(scanned: Scan) -> tuple[list[Mark], list[Trouble]]:
    """The marks of all comments in order, and what is wrong with the others."""
    marks: list[Mark] = []
    problems: list[Trouble] = []
    for start, end, body in scanned.comments:
        span = scanned.source.span(start, end)

        def place(first: int, last: int, start: int = start) -> Span:
            return scanned.source.span(start + first, start + last)

        marks += _own(span, body, place, problems)
        marks += _nolints(span, body, place, problems)
        problems += _others(body, place)
    return marks, problems


def _own(span: Span, body: str, place: Place, problems: list[Trouble]) -> Iterator[Mark]:
    for match in _OWN.finditer(body):
        begin = match.start("rest")
        words, length, refused = _named(match["rest"])
        text = body[match.start() : begin + length].strip()
        if refused:
            problems.append(("KL091", span, f"`{text}` {refused}: it suppresses nothing"))
        elif words is None:
            everything = frozenset(rules.rules())
            yield Mark(
                span, match["verb"], everything, (CommentPart(span, everything, text),), True, text
            )
        elif parts := list(_parts([(word, begin + at) for word, at in words], place, problems)):
            yield Mark(
                span, match["verb"], _all(parts), tuple(parts), len(parts) == len(words), text
            )
    for match in _LIKE.finditer(body):
        if match["verb"] not in KNOWN_VERBS:
            every = ", ".join(KNOWN_VERBS)
            problems.append(
                (
                    "KL091",
                    span,
                    f"unknown directive `{match[0]}`{meant(match['verb'], KNOWN_VERBS)} (known: {every})",
                )
            )


def _all(parts: list[CommentPart]) -> frozenset[str]:
    return frozenset(code for part in parts for code in part.codes)


def _named(rest: str) -> tuple[list[Stretch] | None, int, str]:
    """The words for rules behind a directive's verb (None: it names none and means all), how far
    they reach, and why they are refused."""
    bracketed = _BRACKETED.match(rest)
    if bracketed:
        if bracketed["end"] is None and bracketed["close"] is None:
            return None, bracketed.end(), "lacks its closing bracket"
        group = "square" if bracketed["end"] is not None else "round"
        found = _split(bracketed[group], bracketed.start(group))
        return (
            (found, bracketed.end(), "")
            if found
            else (None, bracketed.end(), "names no rule between its brackets")
        )
    sign = re.match(r"\s*[:=]", rest)
    found, end = _listed(rest, sign.end() if sign else 0, certain=sign is not None)
    if found:
        return found, end, ""
    if sign:
        return None, sign.end(), f"names no rule behind its `{sign[0].strip()}`"
    mentioned = _CODE.search(rest)
    if mentioned:
        return (
            None,
            mentioned.end(),
            f"names {mentioned[0]} in its text, where `[{mentioned[0]}]` behind the first word is meant",
        )
    return None, 0, ""


def _split(text: str, begin: int) -> list[Stretch]:
    """The words between commas."""
    some = [(match[0], begin + match.start()) for match in _LISTED.finditer(text)]
    return [
        (word.strip(), at + len(word) - len(word.lstrip())) for word, at in some if word.strip()
    ]


def _listed(rest: str, start: int, certain: bool) -> tuple[list[Stretch], int]:
    """Words for rules that stand one after the other without brackets, up to the first that is
    none; `certain`: the first is one."""
    found: list[Stretch] = []
    end = start
    while (match := _WORD.match(rest, end)) and (
        _is_rule(match["word"]) or (certain and not found)
    ):
        found.append((match["word"], match.start("word")))
        end = match.end()
    return found, end


def _is_rule(word: str) -> bool:
    if _CODE.fullmatch(word):
        return True
    try:
        return bool(rules.matching(word))
    except UsageError:
        return False


def _parts(words: list[Stretch], place: Place, problems: list[Trouble]) -> Iterator[CommentPart]:
    for word, at in words:
        span = place(at, at + len(word))
        try:
            yield CommentPart(
                span, _globbed(word) or rules.matching(word.removeprefix(PREFIX)), word
            )
        except UsageError as error:
            problems.append(("KL091", span, f"suppression of an {error}"))


def _nolints(span: Span, body: str, place: Place, problems: list[Trouble]) -> Iterator[Mark]:
    """Others' checks stand in such lists too, and mean nothing here; what silences all checks is
    for others as well."""
    for match in _NOLINT.finditer(body):
        words = [] if match["words"] is None else _split(match["words"], match.start("words"))
        everybodys = frozenset(
            code
            for word, _ in words or [("*", 0)]
            if word.startswith("*")
            for code in _globbed(word)
        )
        parts = list(_parts([(word, at) for word, at in words if _is_ours(word)], place, problems))
        if codes := _all(parts) | everybodys:
            yield Mark(
                span,
                f"NOLINT{match['verb'] or ''}",
                codes,
                tuple(parts),
                len(parts) == len(words),
                match[0],
            )


def _others(body: str, place: Place) -> Iterator[Trouble]:
    """Rules of kernlint in comments that are other tools'."""
    names = {rule.name for rule in rules.rules().values()}
    for match in _OTHER.finditer(body):
        ours = [
            word
            for word in re.split(r"\s*,\s*", match["words"])
            if _CODE.fullmatch(word) or word.lower() in names
        ]
        if ours:
            verb = next(
                verb
                for form, verb in _OTHERS.items()
                if re.fullmatch(form, match["form"], re.IGNORECASE)
            )
            what = f"`{match['form']}` is another tool's comment; kernlint ignores it"
            yield (
                "KL091",
                place(*match.span()),
                f"{what}: write `kernlint: {verb}[{', '.join(ours)}]`",
            )


def _is_ours(word: str) -> bool:
    return not word.startswith("*") and bool(
        _CODE.fullmatch(word) or word.lower().startswith(PREFIX) or _globbed(word)
    )


def _globbed(word: str) -> frozenset[str]:
    """The rules one of whose names matches a glob as clang-tidy knows them."""
    return frozenset(
        rule.code
        for rule in rules.rules().values()
        for name in (rule.code.lower(), f"{PREFIX}{rule.code}".lower(), f"{PREFIX}{rule.name}")
        if fnmatchcase(name, word.lower())
    )
