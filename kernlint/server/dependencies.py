"""What a text says: what a kernel's facts, a file's launches and a kernel's findings depend on.

Goes in: a text, its tokens and declarations. Comes out: keys that are equal where all of that is,
and the lines that they cover.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise

from kernlint.base.dataclass import dataclass
from kernlint.base.span import Span
from kernlint.launches import resolve
from kernlint.memo.ir_digest import names_line
from kernlint.server.declarations import DeclaredPart, Parts, digest
from kernlint.server.printed_literals import PRINTING, printed
from kernlint.source.lexer import scan
from kernlint.source.parser.parser import Unit, mentions_launch
from kernlint.source.preprocessor.preprocess import Preprocessed

_SILENT = re.compile(r"\s*#\s*(?:define|undef|if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b")
_WORD = re.compile(r"[^\W\d]\w*")
_COMPLETE = (";", "{", "}", ":", ">")  # ends of lines behind which no expression goes on


@dataclass(frozen=True, slots=True)
class Words:
    """What stands in some lines, comments apart: identifiers, with "(" too where one stands behind
    them, the values that they are said to be (`name = value;`), and how many braces they leave
    open."""

    names: frozenset[str]
    values: tuple[tuple[str, str], ...]
    open: int


class TextParts:
    """A text as parts and what is between them. `in_words`: a line named in a message is one of
    this text, and no quotation of it."""

    def __init__(
        self, path: str, text: str, prepared: Preprocessed, unit: Unit, constants: Mapping[str, int]
    ) -> None:
        self.path, self.raw = path, text.split("\n")
        self.in_words = not prepared.included and not names_line(text)
        comments = [span for span, _ in prepared.comments if span.path == path]
        self._telling, remarks = _without_remarks(self.raw, comments), _remarks(self.raw, comments)
        self._stream = unit.stream
        self._texts = unit.stream.texts if unit.stream is not None else []
        self._places = unit.stream.tokens if unit.stream is not None else []
        self._directives, silent = _directives(self.raw)
        parts = Parts(path, unit, self._telling)
        self.parts = parts.found
        inside = {line for part in self.parts for line in range(part.first, part.last + 1)}.union(
            silent, remarks
        )
        self._loose_lines = [
            n for n, line in enumerate(self._telling, 1) if line and n not in inside
        ]
        words = frozenset(parts.loose)
        self._loose_names, self._loose_launches = parts.known(words), mentions_launch(words)
        self._prints = PRINTING.isdisjoint(words | parts.known(PRINTING))  # printf is the library's
        self._known, self._constants = parts.known, constants
        self._loose = digest(
            *parts.loose, *(self._telling[number - 1] for number in self._loose_lines)
        )

    def piece_of(self, kernel: resolve.Known) -> DeclaredPart | None:
        """The kernel's own part; None where none or several could be meant."""
        span = kernel.span
        found = [
            p
            for p in self.parts
            if p.name == kernel.name and p.first <= span.line and span.end_line <= p.last
        ]
        return found[0] if len(found) == 1 and span.path == self.path else None

    def called(self, kernel: DeclaredPart, said: str) -> list[DeclaredPart]:
        """A kernel, what it can call and what is declared of the names in all of that and in what
        is `said` of its launches: host code that launches is none of it, whatever its name."""
        candidates = [
            part for part in self.parts if part.is_device or not part.name or not part.launches
        ]
        return self._mentioned([kernel], candidates, self._known(frozenset(_WORD.findall(said))))

    def _mentioned(
        self,
        roots: Sequence[DeclaredPart],
        candidates: Sequence[DeclaredPart],
        more: frozenset[str],
    ) -> list[DeclaredPart]:
        """Some parts and those of the candidates that they, or some `more` names, mention, in the
        order of the text."""
        found = {id(root) for root in roots}
        names = (self._loose_names | more).union(*(root.names for root in roots))
        while True:
            new = [
                part
                for part in candidates
                if id(part) not in found
                and (part.is_everyones or not part.declares.isdisjoint(names))
            ]
            if not new:
                return [part for part in self.parts if id(part) in found]
            found.update(id(part) for part in new)
            names = names.union(*(part.names for part in new))

    def hosting(self, said: str) -> tuple[list[DeclaredPart], list[DeclaredPart]]:
        """What the launches depend on: host functions that reach one and all that they and the
        kernels' heads mention, and those heads."""
        heads = [part for part in self.parts if part.is_kernel]
        others = [part for part in self.parts if not part.is_kernel]
        more = self._known(frozenset(_WORD.findall(said))).union(
            *(part.head_names for part in heads)
        )
        return self._mentioned(self._reaching(), others, more), heads

    def _reaching(self) -> list[DeclaredPart]:
        """The host functions whose words launch a kernel or name such a function; all parts where
        something beside functions may."""
        host = [part for part in self.parts if part.on_host]
        beside = [part for part in self.parts if not part.name and part.is_read]
        names: frozenset[str] = frozenset()
        while True:
            found = [part for part in host if part.launches or part.names & names]
            if names == (reached := frozenset(part.name for part in found)):
                break
            names = reached
        if (
            self._loose_launches
            or self._loose_names & names
            or any(part.launches or part.names & names for part in beside)
        ):
            return [part for part in self.parts if not part.is_kernel]
        return found

    def key(self, said: str, whole: Iterable[DeclaredPart], heads: Iterable[DeclaredPart]) -> str:
        return self._key(
            said,
            [
                *((part, f"whole {part.whole}") for part in whole),
                *((part, f"head {part.head}") for part in heads),
            ],
        )

    def _key(self, said: str, texts: Iterable[tuple[DeclaredPart, str]]) -> str:
        # what stands before what decides how a name is read
        in_order = sorted(texts, key=lambda one: one[0].start)
        return digest(said, self._named(said), self._loose, *(text for _, text in in_order))

    def _named(self, said: str) -> str:
        """The macros that are integers among the words that launches and directives name."""
        return repr(
            [
                (name, self._constants[name])
                for name in sorted(self._constants.keys() & set(_WORD.findall(said)))
            ]
        )

    def lines(
        self, whole: Sequence[DeclaredPart], heads: Sequence[DeclaredPart]
    ) -> tuple[int, ...]:
        """The lines that count, in an order that equal keys share."""
        ranges = [
            *((p.first, p.last) for p in whole if p.is_read),
            *((p.first, p.head_last) for p in heads),
        ]
        inside = [
            number
            for first, last in ranges
            for number in range(first, last + 1)
            if self._telling[number - 1]
        ]
        return (*self._loose_lines, *inside)

    def quiet(
        self, whole: Sequence[DeclaredPart], heads: Sequence[DeclaredPart], said: str
    ) -> tuple[str, tuple[int, ...]]:
        """As `key` and `lines` for host code, without literals that are only printed and without
        the lines that they are written on."""
        cut: dict[int, list[tuple[int, int]]] = {}
        texts = [
            *((part, self._quiet_digest(part, cut)) for part in whole),
            *((part, f"head {part.head}") for part in heads),
        ]
        lines = tuple(number for number in self.lines(whole, heads) if number not in cut)
        return self._key(f"quiet {said}", texts), lines

    def _quiet_digest(self, part: DeclaredPart, cut: dict[int, list[tuple[int, int]]]) -> str:
        """Of one function; `cut` gets the stretches of its lines that are left out."""
        if not part.name:
            return part.whole
        texts = self._texts[part.start : part.end]
        for i in (
            printed(self._stream, part.start, part.end)
            if self._prints and self._stream is not None
            else ()
        ):
            use = self._places[i].use
            if not use.macro and use.path == self.path:
                for number in range(use.line, use.end_line + 1):
                    is_whole = use.line != use.end_line
                    cut.setdefault(number, []).append(
                        (1, 1 << 30) if is_whole else (use.column, use.end_column)
                    )
            texts[i - part.start] = ""
        shown = [
            self._without(number, cut.get(number, ()))
            for number in range(part.first, part.last + 1)
            if self._telling[number - 1]
        ]
        return digest(str(part.before), *texts, *shown)

    def _without(self, number: int, stretches: Iterable[tuple[int, int]]) -> str:
        line = self._telling[number - 1]
        for first, last in sorted(stretches, reverse=True):
            line = line[: first - 1] + line[last - 1 :]
        return line

    def remarks(self, parts: Iterable[DeclaredPart]) -> str:
        """A digest of some functions' lines with all their comments: what is shown or edited may
        hold them."""
        return digest(*(self.raw[number - 1].rstrip() for number in self.remarked(parts)))

    def remarked(self, parts: Iterable[DeclaredPart]) -> list[int]:
        """Those lines."""
        numbers = (
            number for part in parts if part.first for number in range(part.first, part.last + 1)
        )
        return [number for number in numbers if self.raw[number - 1].strip()]

    def text_of(self, part: DeclaredPart) -> str:
        return "\n".join(self._lines_of(part))

    def _lines_of(self, part: DeclaredPart) -> list[str]:
        return self.raw[part.first - 1 : part.last] if part.first else []

    def directives(self, names: frozenset[str]) -> tuple[int, ...]:
        """The preprocessor's lines that mention one of some names, wherever they stand."""
        found = (lines for lines, said in self._words_of_directives if not names.isdisjoint(said))
        return tuple(number for lines in found for number in lines)

    @cached_property
    def _words_of_directives(self) -> list[tuple[list[int], frozenset[str]]]:
        texts = ("\n".join(self.raw[n - 1] for n in lines) for lines in self._directives)
        said = (frozenset(_WORD.findall(text)) for text in texts)
        return list(zip(self._directives, said, strict=True))


def words(text: str) -> Words:
    tokens = scan(text, "").tokens
    texts = [token.text for token in tokens]
    marks = [token.text for token in tokens if token.kind == "punctuator"]
    names = {token.text for token in tokens if token.kind == "identifier"}
    names |= {f"{name}(" for name, behind in pairwise(texts) if behind == "(" and name in names}
    ends = [i for i in range(3, len(texts)) if texts[i] == ";" and texts[i - 2] == "="]
    values = tuple((texts[i - 3], texts[i - 1]) for i in ends)
    return Words(frozenset(names), values, marks.count("{") - marks.count("}"))


def _directives(lines: Sequence[str]) -> tuple[list[list[int]], set[int]]:
    """The lines of each directive, and those lines that say nothing but what the expanded tokens
    are: no fact quotes them."""
    found: list[list[int]] = []
    silent: set[int] = set()
    goes_on = is_silent = False
    for number, line in enumerate(lines, 1):
        if goes_on or line.lstrip().startswith("#"):
            if not goes_on:
                is_silent = _SILENT.match(line) is not None
                found.append([])
            found[-1].append(number)
            if is_silent:
                silent.add(number)
            goes_on = line.rstrip().endswith("\\")
    return found, silent


def _remarks(lines: Sequence[str], comments: Sequence[Span]) -> set[int]:
    """The lines that hold nothing but one comment."""
    alone = (
        c
        for c in comments
        if not lines[c.line - 1][: c.column - 1].strip()
        and not lines[c.end_line - 1][c.end_column - 1 :].strip()
    )
    return {number for span in alone for number in range(span.line, span.end_line + 1)}


def _without_remarks(lines: Sequence[str], comments: Sequence[Span]) -> list[str]:
    """The lines without comments that stand behind or between statements; those within expressions
    may be quoted and stay."""
    found = [line.rstrip() for line in lines]
    for span in comments:
        before = lines[span.line - 1][: span.column - 1].rstrip()
        if lines[span.end_line - 1][span.end_column - 1 :].strip():
            continue
        above = before or next((line for line in reversed(found[: span.line - 1]) if line), "")
        if above and not above.lstrip().startswith("#") and not above.rstrip().endswith(_COMPLETE):
            continue
        found[span.line - 1 : span.end_line] = [before, *[""] * (span.end_line - span.line)]
    return found
