"""Text taken out of a host file, each character knowing the stretch of the host that it stands for.

An escape is one character for several, a placeholder's value many characters for the placeholder, a
cut leaves a gap. Pieces join, part and change; places follow. In: stretches of the host's text.
Out: `Mapped`. Raises nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from kernlint.base import python_text
from kernlint.base.dataclass import dataclass

_ESCAPE = re.compile(
    r"\\(?:\n|x[0-9a-fA-F]{1,2}|[0-7]{1,3}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^}]*\}|(?s:.))"
)

KNOWN = "\\'\"abfnrtvxuUN01234567"


@dataclass(frozen=True, slots=True)
class Mapped:
    """`text[i]` stands for the host's characters from `starts[i]` to `ends[i]` (offsets, end
    exclusive)."""

    text: str = ""
    starts: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()

    def __add__(self, other: Mapped) -> Mapped:
        return Mapped(self.text + other.text, self.starts + other.starts, self.ends + other.ends)

    def slice(self, start: int, end: int) -> Mapped:
        return Mapped(self.text[start:end], self.starts[start:end], self.ends[start:end])

    def replaced(
        self, pattern: re.Pattern[str], replacement: Callable[[re.Match[str]], Mapped | str]
    ) -> Mapped:
        """As `re.sub`; a plain text stands for the stretch that it replaces."""
        parts, position = [], 0
        for match in pattern.finditer(self.text):
            new = replacement(match)
            stretch = self.slice(*match.span())
            parts += [
                self.slice(position, match.start()),
                new if isinstance(new, Mapped) else stretch.standing_for(new),
            ]
            position = match.end()
        return joined([*parts, self.slice(position, len(self.text))])

    def standing_for(self, text: str) -> Mapped:
        """Another text at the place of this one."""
        return filled(text, min(self.starts), max(self.ends)) if self.starts else Mapped()

    def dedented(self) -> Mapped:
        """As `textwrap.dedent`: lines lose the white space that all of them start with."""
        lines = [line for line in self.text.split("\n") if line.strip(" \t")]
        margin = _common([line[: len(line) - len(line.lstrip(" \t"))] for line in lines])
        blank = self.replaced(re.compile(r"(?m)^[ \t]+$"), lambda match: "")
        return (
            blank.replaced(re.compile(rf"(?m)^{re.escape(margin)}"), lambda match: "")
            if margin
            else blank
        )

    def altered(self) -> Iterator[tuple[int, int]]:
        """Stretches of the host between the first and the last character that do not stand there
        one for one."""
        for index, (start, end) in enumerate(zip(self.starts, self.ends, strict=True)):
            if end - start != 1:
                yield start, end
            if index and self.ends[index - 1] < start:
                yield self.ends[index - 1], start


def verbatim(text: str, start: int) -> Mapped:
    """Text that stands in the host from offset `start` on, as it is."""
    places = range(start, start + len(text))
    return Mapped(text, tuple(places), tuple(place + 1 for place in places))


def filled(text: str, start: int, end: int) -> Mapped:
    """Text for which the host has something else, from `start` to `end`."""
    return Mapped(text, (start,) * len(text), (end,) * len(text))


def unescaped(text: str, start: int, is_bytes: bool = False) -> Mapped:
    """The body of an ordinary literal of C or Python with its escapes resolved."""
    return verbatim(text, start).replaced(_ESCAPE, lambda match: _character(match[0], is_bytes))


def joined(parts: Iterable[Mapped]) -> Mapped:
    some = list(parts)
    return Mapped(
        "".join(part.text for part in some),
        tuple(place for part in some for place in part.starts),
        tuple(place for part in some for place in part.ends),
    )


def _character(escape: str, is_bytes: bool) -> str:
    if escape == "\\\n":
        return ""
    if escape[1] not in KNOWN or (is_bytes and escape[1] in "uUN"):
        return escape if escape[1] != "?" else "?"
    try:
        return python_text.literal(f'"{escape}"')
    except (ValueError, SyntaxError):
        return escape


def _common(margins: list[str]) -> str:
    """The longest start that all have."""
    first, last = (min(margins), max(margins)) if margins else ("", "")
    size = next(
        (i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b),
        min(len(first), len(last)),
    )
    return first[:size]
