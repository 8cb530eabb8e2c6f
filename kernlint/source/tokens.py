"""Tokens of CUDA C++ and OpenCL C, each knowing where it is spelled and where the user sees it.

A token keeps offsets into its text and makes its spans when they are asked for: most tokens are
never asked.
"""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right

from kernlint.base.span import Span
from kernlint.source.embedded.mapped_text import Mapped

# kinds: "identifier" (keywords too: the parser decides), "number", "string", "character",
# "punctuator", "pragma" (a whole `#pragma …` line that survives preprocessing, text without the
# leading `#`)


class SplicedText:
    """One text with its line table; `gaps` are the line splices taken out before the tokens were
    read.

    `gaps` holds pairs (offset in the spliced text, characters removed up to and including there),
    ascending. `uses`: start, end and line of macro uses that go over several lines, ascending.
    `taken`: the text was taken out of a host file, whose text is `text`; lines and columns are the
    host's.
    """

    __slots__ = ("gap_offsets", "gap_sizes", "line_starts", "path", "taken", "uses")

    def __init__(
        self, path: str, text: str, gaps: list[tuple[int, int]], taken: Mapped | None = None
    ) -> None:
        self.path = path
        self.taken = taken
        self.uses: list[tuple[int, int, int]] = []
        self.line_starts = [0]
        position = text.find("\n")
        while position >= 0:
            self.line_starts.append(position + 1)
            position = text.find("\n", position + 1)
        self.gap_offsets = [offset for offset, _ in gaps]
        self.gap_sizes = [size for _, size in gaps]

    def original(self, offset: int, is_end: bool = False) -> int:
        """The offset in the text as written; an end lies before a splice at its place, a start
        behind it."""
        if self.gap_offsets:
            index = bisect_right(self.gap_offsets, offset - 1 if is_end else offset)
            offset += self.gap_sizes[index - 1] if index else 0
        if self.taken is None or not self.taken.starts:
            return offset
        if is_end or offset >= len(self.taken.starts):
            return self.taken.ends[max(min(offset, len(self.taken.ends)) - 1, 0)]
        return self.taken.starts[offset]

    def line_of(self, offset: int) -> int:
        return bisect_right(self.line_starts, self.original(offset))

    def span(self, start: int, end: int) -> Span:
        first, last = self.original(start), self.original(end, True)
        line = bisect_right(self.line_starts, first)
        end_line = bisect_right(self.line_starts, last)
        column, end_column = (
            first - self.line_starts[line - 1] + 1,
            last - self.line_starts[end_line - 1] + 1,
        )
        return Span(
            self.path,
            line,
            column,
            end_line,
            end_column,
            "",
            self._begun(start) if self.uses else 0,
        )

    def _begun(self, offset: int) -> int:
        """The line on which the macro use around the offset begins; 0: none that goes on to another
        line."""
        index = bisect_right(self.uses, (offset, sys.maxsize, 0)) - 1
        _, end, line = self.uses[index] if index >= 0 else (0, 0, 0)
        return line if offset < end else 0

    def note_use(self, start: int, end: int) -> None:
        """A macro use from its name to its closing parenthesis, on a later line."""
        index = bisect_left(self.uses, (start,))
        if self.uses[index : index + 1] != [found := (start, end, self.line_of(start))]:
            self.uses.insert(index, found)


class Token:
    """One preprocessing token. `span`: where it is spelled; `use`: where the user sees it (the
    macro's use).

    Made with a span, or with a text and the offset in it where the token starts. `painted` marks an
    identifier that must never expand again, because it was met inside its own expansion.
    """

    __slots__ = ("_place", "_start", "_use", "kind", "painted", "space_before", "text")

    def __init__(
        self,
        kind: str,
        text: str,
        span: Span | SplicedText,
        use: Span | None = None,
        space_before: bool = False,
        start: int = 0,
    ) -> None:
        self.kind = kind
        self.text = text
        self._place = span
        self._use = use
        self.space_before = space_before
        self._start = start
        self.painted = False

    @property
    def span(self) -> Span:
        place = self._place
        if isinstance(place, SplicedText):
            place = self._place = place.span(self._start, self._start + len(self.text))
        return place

    @span.setter
    def span(self, span: Span) -> None:
        self._place = span

    def stretch(self) -> tuple[int, int]:
        """Start and end offset in its text as written; for tokens as the lexer gives them, before
        anybody asks for their spans."""
        assert isinstance(self._place, SplicedText)
        return self._place.original(self._start), self._place.original(
            self._start + len(self.text), True
        )

    def note_use(self, last: Token, source: SplicedText) -> None:
        """Where the arguments of a macro go on to other lines: from its name, this token of
        `source`, to the `last` one."""
        if last.span.path == source.path:
            source.note_use(self._start, last._start + len(last.text))

    @property
    def start(self) -> int:
        """Its offset in the scanned text; 0 for what stands in none."""
        return self._start

    @property
    def source(self) -> SplicedText | None:
        """The text that it stands in; None once its span is made."""
        return self._place if isinstance(self._place, SplicedText) else None

    @property
    def use(self) -> Span:
        return self._use if self._use is not None else self.span

    @use.setter
    def use(self, span: Span) -> None:
        self._use = span

    @property
    def line(self) -> int:
        """The line it is spelled on, without making a span."""
        place = self._place
        return place.line_of(self._start) if isinstance(place, SplicedText) else place.line

    def copy(self, use: Span | None, space_before: bool) -> Token:
        """The same token seen elsewhere; `use` None keeps the place where this one is seen."""
        twin = Token(
            self.kind,
            self.text,
            self._place,
            self._use if use is None else use,
            space_before,
            self._start,
        )
        twin.painted = self.painted
        return twin

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Token):
            return NotImplemented
        return (self.kind, self.text, self.space_before, self.span, self.use) == (
            other.kind,
            other.text,
            other.space_before,
            other.span,
            other.use,
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Token({self.kind!r}, {self.text!r}, {self.span.line}:{self.span.column})"
