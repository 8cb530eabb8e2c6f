"""Kernel files that a host program fills in before they are compiled (Mako, string.Template): `${DTYPE}` where C has a word.

In: a file's text and the values given for names. Out: one `Program`, the whole text with its placeholders filled or with stand-ins. `${`
is never C outside of literals and comments, so nothing else is read differently. Never raises.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from kernlint.source.embedded import PLACEHOLDER, Program, name_of
from kernlint.source.lexer import scan
from kernlint.source.mapped import Mapped, filled, joined, verbatim

_PLACEHOLDER = re.compile(r"\$\{[^{}\n]*\}")


def program(path: str, text: str, defines: Mapping[str, str]) -> Program | None:
    """The file's text as a program; None where it has no placeholders."""
    parts, position = list[Mapped](), 0
    stand_ins: dict[str, str] = {}
    for start, end in _places(path, text):
        shown = text[start:end]
        given = defines.get(name_of(shown))
        if given is None:
            given = stand_ins.setdefault(shown, f"{PLACEHOLDER}{len(stand_ins)}")
        parts += [verbatim(text[position:start], position), filled(given, start, end)]
        position = end
    if not parts:
        return None
    whole = joined([*parts, verbatim(text[position:], position)])
    return Program(whole, "", {}, {name: shown for shown, name in stand_ins.items()})


def _places(path: str, text: str) -> Iterator[tuple[int, int]]:
    """Where placeholders stand outside of literals and comments: start and end offset."""
    for token in scan(text, path).tokens:
        if token.kind == "identifier" and token.text.endswith("$"):
            start = token.stretch()[1] - 1
            found = _PLACEHOLDER.match(text, start)
            if found is not None:
                yield found.span()
