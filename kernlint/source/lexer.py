"""Text → preprocessing tokens and comments. Knows no macros, no keywords and no directives; never
raises.

Line splices (backslash, newline) vanish as the language says, except in raw strings; spans still
count them. `<<<`, `>>>`, `>>`, `<=>` are one token each: which of them are template brackets only
the parser can tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernlint.base import deadline
from kernlint.base.dataclass import dataclass
from kernlint.base.span import Problem, Span
from kernlint.source.embedded.mapped_text import Mapped
from kernlint.source.tokens import SplicedText, Token

_RAW_START = r'(?:u8|[uUL])?R"(?P<delimiter>[^()\\\s"]{0,16})\('
_RAW = _RAW_START + r'(?s:.*?)\)(?P=delimiter)"'
_SUFFIX = r"(?:_(?!_)\w*|sv?\b)?"  # user literals; `"x"__FILE__` is two tokens
_PUNCTUATORS = r"<<<|>>>|<=>|(?:<<|>>|[-+*/%&|^=!<>])=|\.\.\.|->\*?|::|\.\*|\+\+|--|<<|>>|&&|\|\||##|[^\s\"'\0/]|/(?![/*])"
_MASTER = re.compile(
    r"[ \t\f\v\r]*(?:"
    # the first four are short cuts for the commonest tokens
    r"(?P<word>[A-Za-z_](?>[\w$]*)(?![\"']))"
    r"|(?P<mark>[()\[\]{},;?~])"
    r"|(?P<newline>\n)"
    r"|(?P<digits>\d(?>\d*)(?![\w.']))"
    rf"|(?P<raw>{_RAW}{_SUFFIX})"
    r'|(?P<open_raw>(?:u8|[uUL])?R"[^()\\\s"]{0,16}\((?s:.*))'
    rf'|(?P<string>(?:u8|[uUL])?"(?:\\.|[^"\\\n])*"{_SUFFIX})'
    rf"|(?P<character>(?:u8|[uUL])?'(?:\\.|[^'\\\n])+'{_SUFFIX})"
    r"|(?P<identifier>[^\W\d][\w$]*|\$[\w$]*)"
    r"|(?P<number>\.?\d(?:[eEpP][+-]|'\w|[\w.])*)"
    rf"|(?P<punctuator>{_PUNCTUATORS})"
    r"|(?P<open_literal>[\"'][^\n]*)"
    r"|(?P<comment>//[^\n]*|/\*(?s:.*?)\*/)"
    r"|(?P<open_comment>/\*(?s:.*))"
    r"|(?P<space>\s|\0)"
    r")"
)
_NEWLINE = _MASTER.groupindex["newline"]
_OPEN_LITERAL = _MASTER.groupindex["open_literal"]  # the last group that makes a token
_COMMENT = _MASTER.groupindex["comment"]
_OPEN_COMMENT = _MASTER.groupindex["open_comment"]
_KINDS = ["punctuator"] * (_MASTER.groups + 1)
for _group in ("string", "character", "identifier", "number"):
    _KINDS[_MASTER.groupindex[_group]] = _group
_KINDS[_OPEN_LITERAL] = _KINDS[_MASTER.groupindex["open_raw"]] = ""
for _group, _kind in (("raw", "string"), ("word", "identifier"), ("digits", "number")):
    _KINDS[_MASTER.groupindex[_group]] = _kind

MOST_KEPT = 200_000  # tokens of headers, some 140 bytes each
LOOK = 4096  # tokens between two looks at the clock
_SPLICE = re.compile(r"\\[ \t]*\r?\n")
_RAW_OR_OTHER = re.compile(
    rf'(?P<raw>\b{_RAW_START}(?s:.*?)(?:\)(?P=delimiter)"|\Z))'
    r'|"(?:\\(?s:.)|[^"\\\n])*"|//(?:\\[ \t]*\r?\n|[^\n])*|/\*(?s:.*?)(?:\*/|\Z)|' + _SPLICE.pattern
)


@dataclass(frozen=True, slots=True)
class Scan:
    """All tokens of one text; `line_starts` are the indices of tokens that begin a logical line."""

    source: SplicedText
    tokens: list[Token]
    line_starts: list[int]
    comments: list[tuple[int, int, str]]  # start and end offset, text with its delimiters
    unterminated: dict[int, str]  # token index → what is wrong with that literal
    open_comment: Span | None  # a comment that never ends


_kept: dict[tuple[str, str], Scan] = {}  # by path and text, what was asked for last at the end
_main: dict[tuple[str, str], Scan] = {}  # the same, of the file that was preprocessed last


def tokenize(text: str, path: str) -> list[Token]:
    """The tokens of `text`, directives included as plain tokens, comments left out."""
    return scan(text, path).tokens


def problems(scanned: Scan) -> list[Problem]:
    """What is wrong with the text itself, whether or not the preprocessor keeps that part."""
    found = [
        Problem("KL001", scanned.tokens[index].span, message)
        for index, message in scanned.unterminated.items()
    ]
    if scanned.open_comment is not None:
        found.append(Problem("KL001", scanned.open_comment, "this comment is never closed"))
    return found


def scan(text: str, path: str, host: str = "", taken: Mapped | None = None) -> Scan:
    """Tokens, comments and broken literals of one text, or of the text `taken` out of a file that
    holds `host`."""
    spliced, gaps = _without_splices(text)
    source = SplicedText(path, text if taken is None else host, gaps, taken)
    tokens: list[Token] = []
    line_starts: list[int] = []
    remarks: list[tuple[int, int, str]] = []
    unterminated: dict[int, str] = {}
    open_comment: Span | None = None
    kinds, newline, last_token, append = _KINDS, _NEWLINE, _OPEN_LITERAL, tokens.append
    position, spaced, fresh = 0, False, True
    for match in _MASTER.finditer(spliced):
        group = match.lastindex or 0
        start, end = match.span(group)
        if group == newline:
            fresh = spaced = True
        elif group <= last_token:
            if not len(tokens) % LOOK:  # a generated file may be one line
                deadline.look()
            if fresh:
                deadline.look()
                line_starts.append(len(tokens))
                fresh = False
            kind, body = kinds[group], match[group]
            if not kind:
                unterminated[len(tokens)] = (
                    f"this literal is never closed: {body.splitlines()[0][:30]}"
                )
                kind = "character" if body[0] == "'" else "string"
            append(Token(kind, body, source, None, spaced or start > position, start))
            spaced = False
        else:
            spaced = True
            if group in (_COMMENT, _OPEN_COMMENT):
                remarks.append((start, end, match[group]))
                if group == _OPEN_COMMENT:
                    open_comment = source.span(start, start + 2)
        position = end
    return Scan(source, tokens, line_starts, remarks, unterminated, open_comment)


def scan_main(text: str, path: str) -> Scan:
    """`scan` for the text that a run is about: a file's is kept for those who read it as it is
    written."""
    found = scan(text, path)
    if not path.startswith("<"):  # `<template arguments>`
        _main.clear()
        _main[path, text] = found
    return found


def as_written(text: str, path: str) -> Scan:
    """`scan` for a text that has probably just been preprocessed."""
    return _main.get((path, text)) or scan(text, path)


def scan_header(text: str, path: str) -> Scan:
    """`scan` for a text that several files may include: what was scanned last is kept, as nobody
    writes to tokens that are read."""
    found = _kept.pop((path, text), None) or scan(text, path)
    _kept[path, text] = found
    total = sum(len(kept.tokens) for kept in _kept.values())
    while total > MOST_KEPT and len(_kept) > 1:
        total -= len(_kept.pop(next(iter(_kept))).tokens)
    return found


def forget_headers() -> None:
    """Drops the scans that are kept."""
    _kept.clear()


def _without_splices(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text with its line splices taken out, and where they were; those in raw strings stay."""
    if _SPLICE.search(text) is None:
        return text, []
    gaps: list[tuple[int, int]] = []
    pieces: list[str] = []
    position = removed = 0
    for start, end in _splices(text):
        pieces.append(text[position:start])
        gaps.append((start - removed, removed + end - start))
        removed += end - start
        position = end
    pieces.append(text[position:])
    return "".join(pieces), gaps


def _splices(text: str) -> Iterator[tuple[int, int]]:
    if 'R"' not in text:
        yield from (match.span() for match in _SPLICE.finditer(text))
        return
    for outer in _RAW_OR_OTHER.finditer(text):
        if outer["raw"] is None:
            yield from (
                match.span() for match in _SPLICE.finditer(text, outer.start(), outer.end())
            )
